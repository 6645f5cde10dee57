"""Whether intervals and tests keep their promises, by simulation: contexts whose questions are more or less alike.

For each setting, how often the 95% interval holds the truth (clustered, and with questions taken for independent), how
often two equally good runs are called different, and how often the interval of a true difference holds it. Promise:
93% to 97% with 5 and 10 questions a context, where plain intervals visibly fall short. Settings outside of what is
promised (few contexts, shares near 0 or 1) are printed too, below the line, and then contexts that share documents,
with an interval that knows of it and with one that does not.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from itertools import product

import numpy as np

from fathom.analysis.intervals import Numbers, Values, difference, share, unclustered
from fathom.analysis.shared_documents import SharedDocuments
from fathom.analysis.significance import permutation_tests

ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000


@dataclass(frozen=True)
class Setting:
    contexts: int
    questions: int
    right: float
    likeness: float
    """How alike the questions of a context are: 0 not at all, 1 all the same."""


def drawn(setting: Setting, right: float, rng: np.random.Generator) -> tuple[Values, Numbers]:
    scale = (1 - setting.likeness) / setting.likeness
    chances = rng.beta(right * scale, (1 - right) * scale, setting.contexts)
    where = np.repeat(np.arange(setting.contexts), setting.questions)
    return (rng.random(len(where)) < chances[where]).astype(float), where


@dataclass
class Kept:
    covered: float
    plain: float
    alarms: float
    plain_alarms: float
    gaps: float


def measured(setting: Setting) -> Kept:
    rng = np.random.default_rng([setting.contexts, setting.questions, int(100 * setting.right)])
    covered = plain = alarms = plain_alarms = gaps = 0
    step = 0.05 if setting.right < 0.9 else -0.05
    for _ in range(ROUNDS):
        first, where = drawn(setting, setting.right, rng)
        second, _ = drawn(setting, setting.right, rng)
        better, _ = drawn(setting, setting.right + step, rng)
        found = share(first, where)
        covered += found.low <= setting.right <= found.high
        low, high = unclustered(first)
        plain += low <= setting.right <= high
        gap = second - first
        totals = np.bincount(where, weights=gap).astype(float)[:, None]
        alarms += permutation_tests(totals, 199, rng)[0] <= 0.05
        plain_alarms += abs(gap.mean()) > 1.96 * gap.std() / np.sqrt(len(gap))
        apart = difference(better - first, where)
        gaps += apart.low <= step <= apart.high
    return Kept(*(count / ROUNDS for count in (covered, plain, alarms, plain_alarms, gaps)))


def table(settings: list[Setting]) -> list[Kept]:
    print("contexts  questions  right  alike   interval  plain   false alarms  plain   interval of a difference")
    found = []
    for one in settings:
        kept = measured(one)
        found.append(kept)
        print(
            f"{one.contexts:8}  {one.questions:9}  {one.right:5.0%}  {one.likeness:5.2f}   {kept.covered:8.1%}  "
            f"{kept.plain:5.1%}   {kept.alarms:12.1%}  {kept.plain_alarms:5.1%}   {kept.gaps:.1%}",
            flush=True,
        )
    return found


@dataclass(frozen=True)
class Shared:
    """Contexts of five out of so many documents, ten questions each."""

    documents: int
    contexts: int
    between_documents: float
    between_contexts: float


def shared_documents(setting: Shared) -> tuple[float, float]:
    """How often the interval for other documents holds the truth, and how often the one for contexts alone."""
    rng = np.random.default_rng([setting.documents, setting.contexts])

    def hard(size: tuple[int, ...], spread: float) -> Values:
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
    print("documents  contexts  spread of documents, contexts   interval by documents   by contexts alone")
    for one in (
        Shared(90, 40, 0.0, 0.8),
        Shared(90, 40, 1.0, 0.6),
        Shared(90, 40, 2.0, 0.3),
        Shared(30, 40, 2.0, 0.3),
        Shared(30, 200, 2.0, 0.3),
        Shared(15, 40, 2.0, 0.3),
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
print("-- beyond what is promised --")
table([Setting(*one) for one in product((8, 15), (5, 10), (0.1, 0.6, 0.97), (0.05, 0.3))])
print("-- contexts that share documents --")
shared_table()
