"""Whether unanswerable numeric questions can be told from the others without reading any article.

Benches over several corpora, given as folders, or generated ones and those of `../shared/data` that are there. For each
pair, four classifiers are trained on one bench and tested on the other; on the diagonal, they are trained on four
fifths of the contexts and tested on the rest. The intervals are bootstrapped over contexts. Goal: below 60%. The share
of single-edit mutants that agree with the key on the collection is printed too.

    python benchmarks/unanswerable.py [--seed 5] [CORPUS ...]
"""

from __future__ import annotations

import argparse
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

import numpy as np

import fathom
from _adversaries import ADVERSARIES, Adversary, Asked, Values, asked
from _measuring import workplace
from fathom.tasks.bench import Bench
from fathom.tasks.programs.predictability import auc

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
REAL = {"elife": "elife-jats/synapse.tar.xz", "scalar": "scalar_papers.jsonl.gz"}
LENGTHS, COUNT, SHARE = ["64K", "128K"], 20, 0.25
"""Contexts, and a share of unanswerable questions that is large enough to estimate the AUC."""
FOLDS, RESAMPLES = 5, 300


class Estimate(NamedTuple):
    """An AUC with its 95% interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.0%} ({self.low:.0%}-{self.high:.0%})"


def corpora(folder: Path, ready: list[Path]) -> dict[str, fathom.Corpus]:
    """The corpora of the command line, or generated and real ones."""
    if ready:
        return {path.name: fathom.open_corpus(path) for path in ready}
    found = {f"generated {seed}": fathom.generate(folder / str(seed), documents=120, seed=seed) for seed in (1, 2)}
    for name, source in REAL.items():
        if (DATA / source).exists():
            found[name] = fathom.ingest([DATA / source], out=folder / name)
    return found


def questions(name: str, corpus: fathom.Corpus, folder: Path, seed: int) -> list[Asked]:
    """The questions of a bench; prints the audit's share of agreeing mutants."""
    path = folder / f"{name}.jsonl"
    corpus.contexts(lengths=LENGTHS, count=COUNT, seed=seed, out=path)
    usual = fathom.build("numeric", corpus, out=folder / f"{name}-usual", seed=seed, contexts=path)
    mutants = next(check for check in usual.audit().checks if check.name == "undetected mutants")
    out = folder / f"{name}-bench"
    fathom.build("numeric", corpus, out=out, seed=seed, contexts=path, unanswerable=SHARE)
    found = asked(Bench(out).by_context())
    unanswerable = sum(one.unanswerable for one in found)
    print(
        f"{name:>14}: {mutants.measures['all: on the collection']:.1%} of {mutants.checked:,} mutants agree; "
        f"{unanswerable} of {len(found)} questions that may have no answer have none"
    )
    return found


def within(adversary: Adversary, found: list[Asked]) -> Values:
    """Scores by classifiers that are trained on the other folds, as ranks: the scales of classifiers differ."""
    scores = np.zeros(len(found))
    for fold in range(FOLDS):
        test = [place for place, one in enumerate(found) if one.context % FOLDS == fold]
        training = [one for one in found if one.context % FOLDS != fold]
        given = adversary(training, [found[place] for place in test])
        scores[test] = np.searchsorted(np.sort(given), given) / max(1, len(given))
    return scores


def estimate(scores: Values, found: list[Asked]) -> Estimate:
    """The AUC of these scores, with an interval over contexts."""
    places: dict[int, list[int]] = {}
    for place, one in enumerate(found):
        places.setdefault(one.context, []).append(place)
    rng = np.random.default_rng(0)
    drawn = []
    for _ in range(RESAMPLES):
        rows = [place for number in rng.choice(list(places), len(places)) for place in places[number]]
        drawn.append(auc([(scores[row], found[row].unanswerable) for row in rows]))
    low, high = np.quantile(drawn, (0.025, 0.975))
    whole = auc([(score, one.unanswerable) for score, one in zip(scores, found, strict=True)])
    return Estimate(whole, float(low), float(high))


words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
words.add_argument("ready", nargs="*", type=Path, metavar="CORPUS")
words.add_argument("--seed", type=int, default=5)
given = words.parse_args()
with workplace() as folder:
    asked_of = {
        name: questions(name, corpus, folder, given.seed) for name, corpus in corpora(folder, given.ready).items()
    }
    for label, adversary in ADVERSARIES.items():
        print(f"AUC of {label} by the bench that it is trained on (row) and tested on (column)")
        print(" " * 15 + "".join(f"{name:>16}" for name in asked_of))
        others: list[float] = []
        for name, training in asked_of.items():
            row = []
            for other, test in asked_of.items():
                scores = within(adversary, test) if name == other else adversary(training, test)
                row.append(estimate(scores, test))
                others += [] if name == other else [row[-1].value]
            print(f"{name:>14} " + "".join(f"{cell!s:>16}" for cell in row))
        print(f"mean over pairs {fmean(others):.1%}, largest {max(others):.1%}")
