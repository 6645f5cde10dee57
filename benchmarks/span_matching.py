"""Span matching, kappa and alpha against independent computations on random cases.

    python benchmarks/span_matching.py [--cases 10000] [--seed 1]

Matching: scipy's assignment over the full matrix of overlaps, computed from sets of characters or sentences; for small
cases also all assignments. Kappa: scikit-learn, if it is installed; otherwise the formula over the two vectors of
labels, written out. Alpha: the definition over all pairs of values of each unit. Also printed: how often maximizing
the sum of overlaps, with or without the threshold, gives another number of matches than the largest one.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Sequence
from importlib import import_module
from itertools import permutations
from math import isnan

import numpy as np
from scipy.optimize import linear_sum_assignment

from fathom.analysis.agreement import cohen_kappa, coincidences, krippendorff_alpha, sentence_table
from fathom.records.documents import Passage
from fathom.records.spans import Span
from fathom.scoring.answers import Link, LinkedSpan
from fathom.scoring.span_matching import match_claims

SENTENCES = [Span(10 * number, 10 * number + 10) for number in range(60)]
"""Without gaps, so that a span of whole sentences has one set of sentences, whatever the rule for parts."""

try:
    cohen_kappa_score = import_module("sklearn.metrics").cohen_kappa_score
except ImportError:
    cohen_kappa_score = None


def random_passage(rng: random.Random, level: str) -> Passage:
    start, length = rng.randrange(0, 40), rng.randint(1, 6)
    if level == "sentence":
        return Passage(document=rng.choice("aab"), span=Span(10 * start, 10 * (start + length)))
    start = 10 * start + rng.randrange(10)
    return Passage(document=rng.choice("aab"), span=Span(start, start + rng.randint(1, 60)))


def units(passage: Passage, level: str) -> frozenset[tuple[str, int]]:
    """The characters or sentences of a passage, as a set."""
    size = 10 if level == "sentence" else 1
    return frozenset((passage.document, at // size) for at in range(passage.span.start, passage.span.end))


def overlaps(predicted: Sequence[Passage], gold: Sequence[Passage], level: str) -> np.ndarray:
    found = np.zeros((len(predicted), len(gold)))
    for row, one in enumerate(predicted):
        for column, two in enumerate(gold):
            first, second = units(one, level), units(two, level)
            found[row, column] = len(first & second) / len(first | second)
    return found


def matches_by_scipy(matrix: np.ndarray, threshold: float) -> int:
    """The largest number of matches: scipy's assignment of the 0 and 1 matrix."""
    rows, columns = linear_sum_assignment(matrix >= threshold, maximize=True)
    return int((matrix[rows, columns] >= threshold).sum())


def matches_by_sum(matrix: np.ndarray, threshold: float, cut: bool) -> int:
    """The number of matches if the sum of overlaps is maximized, of those above the threshold or of all."""
    rows, columns = linear_sum_assignment(np.where(matrix >= threshold, matrix, 0) if cut else matrix, maximize=True)
    return int((matrix[rows, columns] >= threshold).sum())


def matches_by_trying(matrix: np.ndarray, threshold: float) -> int:
    matrix = matrix if matrix.shape[0] <= matrix.shape[1] else matrix.T
    rows = range(matrix.shape[0])
    return max(
        sum(bool(matrix[row, column] >= threshold) for row, column in zip(rows, order, strict=True))
        for order in permutations(range(matrix.shape[1]), matrix.shape[0])
    )


def random_claims(rng: random.Random, level: str) -> list[LinkedSpan]:
    pool = [random_passage(rng, level) for _ in range(6)]
    return [
        LinkedSpan(
            passage=random_passage(rng, level),
            links=tuple(Link(passage=one) for one in rng.sample(pool, rng.randrange(0, 4))),
        )
        for _ in range(rng.randrange(0, 8))
    ]


def linked(claims: Sequence[LinkedSpan]) -> list[tuple[Passage, Passage | None]]:
    return [(claim.passage, one) for claim in claims for one in (claim.linked or (None,))]


def link_matrix(
    predicted: Sequence[LinkedSpan], gold: Sequence[LinkedSpan], level: str, threshold: float
) -> np.ndarray:
    """1 where both the claims and the evidence of two links overlap enough."""
    ours, theirs = linked(predicted), linked(gold)
    found = np.zeros((len(ours), len(theirs)))
    for row, (claim, evidence) in enumerate(ours):
        for column, (other, support) in enumerate(theirs):
            same = evidence is support
            if evidence is not None and support is not None:
                same = overlaps([evidence], [support], level)[0, 0] >= threshold
            found[row, column] = same and overlaps([claim], [other], level)[0, 0] >= threshold
    return found


def distinct(claims: Sequence[LinkedSpan], level: str) -> list[Passage]:
    return list({units(one, level): one for claim in claims for one in claim.linked}.values())


def check_matching(rng: random.Random, cases: int) -> None:
    differences: Counter[str] = Counter()
    for _ in range(cases):
        level = rng.choice(["sentence", "character"])
        threshold = rng.choice([0.2, 0.3, 0.5, 0.7, 1.0])
        gold, predicted = random_claims(rng, level), random_claims(rng, level)
        found = match_claims(gold, predicted, lambda document: SENTENCES, threshold, level)  # type: ignore[arg-type]
        claims = overlaps([one.passage for one in predicted], [one.passage for one in gold], level)
        evidence = overlaps(distinct(predicted, level), distinct(gold, level), level)
        links = link_matrix(predicted, gold, level, threshold)
        for name, matrix, cut in (
            ("claims", claims, threshold),
            ("evidence", evidence, threshold),
            ("links", links, 1.0),
        ):
            counts = getattr(found, name)
            right = (matches_by_scipy(matrix, cut), *matrix.shape)
            differences[name] += (counts.matched, counts.predicted, counts.gold) != right
        if claims.size and max(claims.shape) <= 5:
            differences["claims, all assignments"] += found.claims.matched != matches_by_trying(claims, threshold)
        for name, cut_first in (("sum above the threshold", True), ("sum of all", False)):
            differences[name] += matches_by_sum(claims, threshold, cut_first) != found.claims.matched
    print(f"matching: {cases:,} cases, different from scipy: ", end="")
    print(", ".join(f"{name} {differences[name]}" for name in ("claims", "evidence", "links")), end="")
    print(f"; from all assignments: {differences['claims, all assignments']}")
    print("  fewer matches if the sum of overlaps is maximized: ", end="")
    print(", ".join(f"{name} {differences[name]}" for name in ("sum above the threshold", "sum of all")))


def kappa_of_vectors(first: Sequence[int], second: Sequence[int]) -> float:
    """Kappa from the two vectors: scikit-learn, or the definition by probabilities of each label."""
    if cohen_kappa_score is not None:
        return float(cohen_kappa_score(first, second))
    size = len(first)
    agree = sum(one == two for one, two in zip(first, second, strict=True)) / size
    chance = sum((first.count(label) / size) * (second.count(label) / size) for label in {*first, *second})
    return (agree - chance) / (1 - chance) if chance < 1 else float("nan")


def alpha_of_units(values: Sequence[Sequence[int]]) -> float | None:
    """Alpha by its definition: disagreement of the pairs within units over that of all pairs."""
    used = [unit for unit in values if len(unit) > 1]
    every = [value for unit in used for value in unit]
    pairs = [(one, two) for at, one in enumerate(every) for two in every[:at]]
    expected = sum(one != two for one, two in pairs) / len(pairs) if pairs else 0.0
    if not expected:
        return None
    observed = sum(
        sum(one != two for at, one in enumerate(unit) for two in unit[:at]) * 2 / (len(unit) - 1) for unit in used
    )
    return 1 - observed / len(every) / expected


def check_coefficients(rng: random.Random, cases: int) -> None:
    kappas = alphas = undefined = 0
    for _ in range(cases):
        size, rate, noise = rng.randint(1, 80), rng.random(), rng.random()
        first = [int(rng.random() < rate) for _ in range(size)]
        second = [one if rng.random() > noise else int(rng.random() < rate) for one in first]
        ones, twos = ({at for at, one in enumerate(vector) if one} for vector in (first, second))
        ours, theirs = cohen_kappa(sentence_table(ones, twos, size)), kappa_of_vectors(first, second)
        undefined += ours is None
        kappas += (ours is None) != isnan(theirs) or (ours is not None and abs(ours - theirs) > 1e-9)
        units = [[rng.randrange(3) for _ in range(rng.randint(0, 4))] for _ in range(rng.randint(1, 12))]
        total = sum((coincidences(unit, 3) for unit in units), np.zeros((3, 3)))
        alpha, direct = krippendorff_alpha(total), alpha_of_units(units)
        alphas += (alpha is None) != (direct is None) or (
            alpha is not None and direct is not None and abs(alpha - direct) > 1e-9
        )
    source = (
        "scikit-learn" if cohen_kappa_score is not None else "the written-out formula (scikit-learn is not installed)"
    )
    print(f"kappa: {cases:,} cases, {kappas} different from {source}; undefined in {undefined}")
    print(f"alpha: {cases:,} cases, {alphas} different from the definition over pairs")
    print(f"the paper's example: {cohen_kappa(np.array([[4.0, 1], [2, 660]])):.4f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    check_matching(rng, arguments.cases)
    check_coefficients(rng, arguments.cases)


if __name__ == "__main__":
    main()
