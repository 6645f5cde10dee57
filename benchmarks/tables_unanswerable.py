"""Whether unanswerable questions of the family `tables` can be told from the others without reading any document.

    python benchmarks/tables_unanswerable.py [--seeds 95115-95118] [--corpora FOLDER] [--filing-seeds 95126-95130]

Benches over generated reports, one corpus for each seed, and over Form 10-K filings (`sec-10k-ixbrl` in FOLDER), one
set of benches for each of their seeds. Classifiers are trained on all sets but one and tested on that one. Prints their
AUC over all sets (chance 50%), with an interval bootstrapped over questions; exit code 1 if one is 60% or more.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np

import fathom
from _adversaries import ADVERSARIES, Adversary, Asked
from _measuring import workplace
from fathom.tasks.programs.predictability import auc, samples
from table_guards import DOMAINS, HIGHEST_AUC, read, seeds_of

SHARE = 0.3
"""A share of unanswerable questions that is large enough to estimate the AUC."""
REPORTS, RESAMPLES = 240, 300
CLASSIFIERS = ("naive Bayes", "logistic regression", "gradient boosting")
_WORD = re.compile(r"[^\W_]+")


def generated(seeds: range, folder: Path) -> Iterator[tuple[str, fathom.Bench]]:
    """Benches over generated reports, with the seed of the corpus."""
    for seed in seeds:
        with fathom.generate(folder / f"reports-{seed}", documents=REPORTS, domains=["reports"], seed=seed) as corpus:
            for domain in DOMAINS:
                path = folder / f"{domain}-{seed}.jsonl"
                corpus.contexts(["256K"], 6, seed=seed, sampling=["year"], subjects=[domain], out=path)
                out = folder / f"{domain}-{seed}"
                yield (
                    f"reports {seed}",
                    fathom.build("tables", corpus, out=out, seed=seed, contexts=path, questions=16, unanswerable=SHARE),
                )


def filings(corpora: Path, seeds: range, folder: Path) -> Iterator[tuple[str, fathom.Bench]]:
    """Benches over Form 10-K filings, with their seed."""
    with fathom.open_corpus(corpora / "sec-10k-ixbrl") as corpus:
        for seed in seeds:
            path = folder / f"filings-{seed}.jsonl"
            corpus.contexts(["1M"], 4, seed=seed, sampling=["random"], out=path)
            out = folder / f"filings-{seed}"
            yield (
                f"filings {seed}",
                fathom.build("tables", corpus, out=out, seed=seed, contexts=path, questions=24, unanswerable=SHARE),
            )


def asked(number: int, bench: fathom.Bench) -> Iterator[Asked]:
    """The questions that may have no answer; `number` is that of their set."""
    for item in bench.items():
        for sample in samples([item], read):
            words = _WORD.findall(item.question.text.lower())
            ngrams = dict.fromkeys([*words, *(" ".join(pair) for pair in pairwise(words))])
            tags = (f"{name} {item.question.tags[name]}" for name in ("level", "operation"))
            # Operators and sizes of constants; the other features are words.
            conditions = sorted(one for one in sample.features if one not in words)
            yield Asked(number, sample, tuple(ngrams), dict.fromkeys([*tags, *conditions], 1.0))


def left_out(adversary: Adversary, found: list[Asked]) -> list[tuple[float, bool]]:
    """The score of each question by a classifier that is trained on the other sets."""
    scored: list[tuple[float, bool]] = []
    for number in sorted({one.context for one in found}):
        test = [one for one in found if one.context == number]
        scores = adversary([one for one in found if one.context != number], test)
        scored += [(float(score), one.unanswerable) for score, one in zip(scores, test, strict=True)]
    return scored


def main() -> int:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--seeds", default="95115-95118", help="of the corpora of generated reports")
    words.add_argument("--corpora", type=Path, help="a folder with the corpus sec-10k-ixbrl")
    words.add_argument("--filing-seeds", default="95126-95130")
    given = words.parse_args()
    by_set: dict[str, list[Asked]] = defaultdict(list)
    with workplace() as folder:
        sets = [generated(seeds_of(given.seeds), folder)]
        if given.corpora:
            sets.append(filings(given.corpora, seeds_of(given.filing_seeds), folder))
        for benches in sets:
            for name, bench in benches:
                number = len(by_set) if name not in by_set else [*by_set].index(name)
                by_set[name] += asked(number, bench)
    found = [one for some in by_set.values() for one in some]
    unanswerable = sum(one.unanswerable for one in found)
    print(f"{len(found)} questions that may have no answer, {unanswerable} of them have none, in {len(by_set)} sets")
    highest = 0.0
    rng = np.random.default_rng(0)
    for name in CLASSIFIERS:
        scored = left_out(ADVERSARIES[name], found)
        drawn = [auc([scored[row] for row in rng.integers(0, len(scored), len(scored))]) for _ in range(RESAMPLES)]
        low, high = np.quantile(drawn, (0.025, 0.975))
        highest = max(highest, auc(scored))
        print(f"{name}: AUC {auc(scored):.1%} (95% interval {low:.0%} to {high:.0%})", flush=True)
    return 1 if highest >= HIGHEST_AUC else 0


if __name__ == "__main__":
    sys.exit(main())
