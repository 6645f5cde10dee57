"""Whether unanswerable numeric questions can be told from the others without reading any article.

Benches over several corpora, given as folders, or generated ones and those of `../shared/data` that are there. For each
pair, naive Bayes is trained on one bench and tested on the other; on the diagonal, it is trained on one half of the
contexts and tested on the other half. Goal: below 60%. The share of single-edit mutants that agree with the key on the
collection is printed too.
"""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import fmean

import fathom
from _measuring import workplace
from fathom.tasks.bench import Bench
from fathom.tasks.numeric.predictability import Sample, cross_validated_auc, samples, transfer_auc

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
REAL = {"elife": "elife-jats/synapse.tar.xz", "scalar": "scalar_papers.jsonl.gz"}
LENGTHS, COUNT, SHARE = ["64K", "128K"], 20, 0.25
"""Contexts, and a share of unanswerable questions that is large enough to estimate the AUC."""
SEED = 5

Halves = tuple[list[Sample], list[Sample]]


def corpora(folder: Path) -> dict[str, fathom.Corpus]:
    """The corpora of the command line, or generated and real ones."""
    if len(sys.argv) > 1:
        return {Path(name).name: fathom.Corpus(Path(name)) for name in sys.argv[1:]}
    found = {f"generated {seed}": fathom.generate(folder / str(seed), documents=120, seed=seed) for seed in (1, 2)}
    for name, source in REAL.items():
        if (DATA / source).exists():
            found[name] = fathom.ingest([DATA / source], out=folder / name)
    return found


def halves(name: str, corpus: fathom.Corpus, folder: Path) -> Halves:
    """The questions of every other context; prints the audit's share of agreeing mutants."""
    path = folder / f"{name}.jsonl"
    corpus.contexts(lengths=LENGTHS, count=COUNT, seed=SEED, out=path)
    usual = fathom.build("numeric", corpus, out=folder / f"{name}-usual", seed=SEED, contexts=path)
    mutants = next(check for check in usual.audit().checks if check.name == "undetected mutants")
    print(f"{name:>14}: {mutants.measures['all: on the collection']:.1%} of {mutants.checked:,} mutants agree")
    out = folder / f"{name}-bench"
    fathom.build("numeric", corpus, out=out, seed=SEED, contexts=path, unanswerable=SHARE)
    found: Halves = [], []
    for number, (_, items) in enumerate(Bench(out).by_context()):
        found[number % 2].extend(samples(items))
    return found


with workplace() as folder:
    found = {name: halves(name, corpus, folder) for name, corpus in corpora(folder).items()}
    print("AUC of naive Bayes by the bench that it is trained on (row) and tested on (column)")
    print(" " * 15 + "".join(f"{name:>14}" for name in found))
    others: list[float] = []
    for name, training in found.items():
        row = []
        for other, test in found.items():
            if name == other:
                auc = cross_validated_auc(training)
            else:
                auc = transfer_auc([*training[0], *training[1]], [*test[0], *test[1]])
                others += [] if auc is None else [auc]
            row.append("     too few" if auc is None else f"{auc:.1%}")
        print(f"{name:>14} " + "".join(f"{cell:>14}" for cell in row))
    print(f"mean over pairs {fmean(others):.1%}, largest {max(others):.1%}")
