"""Coverage of intervals and false alarms of tests, by simulation with correlated questions.

For each setting: how often the 95% interval covers the truth (clustered, and treating questions as independent), how
often two equal runs are called different, and how often the interval of a true difference covers it. Target: 93% to 97%
with 5 and 10 questions per context. Settings outside the target (few contexts, accuracy near 0 or 1) follow, and then
contexts that share documents, with and without the interval over documents.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from itertools import product

import numpy as np

from fathom.analysis.intervals import FloatArray, IntArray, difference, share, wilson
from fathom.analysis.shared_documents import SharedDocuments
from fathom.analysis.significance import permutation_tests

ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000


@dataclass(frozen=True)
class Setting:
    contexts: int
    questions: int
    accuracy: float
    correlation: float
    """Intraclass correlation of the questions of a context."""


def drawn(setting: Setting, accuracy: float, rng: np.random.Generator) -> tuple[FloatArray, IntArray]:
    scale = (1 - setting.correlation) / setting.correlation
    chances = rng.beta(accuracy * scale, (1 - accuracy) * scale, setting.contexts)
    where = np.repeat(np.arange(setting.contexts), setting.questions)
    return (rng.random(len(where)) < chances[where]).astype(float), where


@dataclass
class Rates:
    covered: float
    plain: float
    alarms: float
    plain_alarms: float
    gaps: float


def measured(setting: Setting) -> Rates:
    rng = np.random.default_rng([setting.contexts, setting.questions, int(100 * setting.accuracy)])
    covered = plain = alarms = plain_alarms = gaps = 0
    step = 0.05 if setting.accuracy < 0.9 else -0.05
    for _ in range(ROUNDS):
        first, where = drawn(setting, setting.accuracy, rng)
        second, _ = drawn(setting, setting.accuracy, rng)
        better, _ = drawn(setting, setting.accuracy + step, rng)
        found = share(first, where)
        covered += found.low <= setting.accuracy <= found.high
        low, high = wilson(float(first.mean()), len(first), 1.96)
        plain += low <= setting.accuracy <= high
        gap = second - first
        totals = np.bincount(where, weights=gap).astype(float)[:, None]
        alarms += permutation_tests(totals, 199, rng)[0] <= 0.05
        plain_alarms += abs(gap.mean()) > 1.96 * gap.std() / np.sqrt(len(gap))
        apart = difference(better - first, where)
        gaps += apart.low <= step <= apart.high
    return Rates(*(count / ROUNDS for count in (covered, plain, alarms, plain_alarms, gaps)))


def table(settings: list[Setting]) -> list[Rates]:
    print("contexts  questions  acc.   corr.   coverage  plain   false alarms  plain   coverage of a difference")
    found = []
    for one in settings:
        kept = measured(one)
        found.append(kept)
        print(
            f"{one.contexts:8}  {one.questions:9}  {one.accuracy:5.0%}  {one.correlation:5.2f}   {kept.covered:8.1%}  "
            f"{kept.plain:5.1%}   {kept.alarms:12.1%}  {kept.plain_alarms:5.1%}   {kept.gaps:.1%}",
            flush=True,
        )
    return found


@dataclass(frozen=True)
class Overlap:
    """Contexts of five documents each, with ten questions."""

    documents: int
    contexts: int
    between_documents: float
    between_contexts: float


def shared_documents(setting: Overlap) -> tuple[float, float]:
    """Coverage of the interval over documents, and of the one clustered by context only."""
    rng = np.random.default_rng([setting.documents, setting.contexts])

    def hard(size: tuple[int, ...], spread: float) -> FloatArray:
        return rng.normal(0, 1, size) * spread

    many = hard((200_000, 5), setting.between_documents).mean(axis=1) + hard((200_000,), setting.between_contexts)
    truth = float((1 / (1 + np.exp(-0.5 - many))).mean())
    where = np.repeat(np.arange(setting.contexts), 10)
    covered = alone = 0
    for _ in range(ROUNDS):
        held = [rng.choice(setting.documents, 5, replace=False) for _ in range(setting.contexts)]
        each = hard((setting.documents,), setting.between_documents)
        easy = (
            0.5 + np.array([each[some].mean() for some in held]) + hard((setting.contexts,), setting.between_contexts)
        )
        values = (rng.random(len(where)) < (1 / (1 + np.exp(-easy)))[where]).astype(float)
        found, plain = SharedDocuments.of(held).share(values, where), share(values, where)
        covered += found is not None and found.low <= truth <= found.high
        alone += plain.low <= truth <= plain.high
    return covered / ROUNDS, alone / ROUNDS


def shared_table() -> None:
    print("documents  contexts  spread of documents, contexts   interval over documents   contexts only")
    for one in (
        Overlap(90, 40, 0.0, 0.8),
        Overlap(90, 40, 1.0, 0.6),
        Overlap(90, 40, 2.0, 0.3),
        Overlap(30, 40, 2.0, 0.3),
        Overlap(30, 200, 2.0, 0.3),
        Overlap(15, 40, 2.0, 0.3),
    ):
        covered, alone = shared_documents(one)
        spreads = f"{one.between_documents:.1f}, {one.between_contexts:.1f}"
        print(f"{one.documents:9}  {one.contexts:8}  {spreads:>29}   {covered:21.1%}   {alone:17.1%}", flush=True)


promised = [Setting(*one) for one in product((40, 200), (5, 10), (0.3, 0.6, 0.85), (0.1, 0.3))]
found = table(promised)
inside = [0.93 <= kept.covered <= 0.97 for kept in found]
covered, plain = np.mean([kept.covered for kept in found]), np.mean([kept.plain for kept in found])
alarms, plain_alarms = np.mean([kept.alarms for kept in found]), np.mean([kept.plain_alarms for kept in found])
print(f"within 93% to 97%: {sum(inside)} of {len(inside)} settings")
print(
    f"on average {covered:.1%} against {plain:.1%} for plain intervals; false alarms {alarms:.1%}, {plain_alarms:.1%}"
)
print("-- outside the target --")
table([Setting(*one) for one in product((8, 15), (5, 10), (0.1, 0.6, 0.97), (0.05, 0.3))])
print("-- contexts that share documents --")
shared_table()
