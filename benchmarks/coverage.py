"""Whether intervals and tests keep their promises, by simulation: contexts whose questions are more or less alike.

For each setting, how often the 95% interval holds the truth (clustered, and with questions taken for independent), how
often two equally good runs are called different, and how often the interval of a true difference holds it. Promise:
93% to 97% with 5 and 10 questions a context, where plain intervals visibly fall short. Settings outside of what is
promised (few contexts, shares near 0 or 1) are printed too, below the line.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from itertools import product

import numpy as np

from fathom.analysis.comparing import exchange_tests
from fathom.analysis.intervals import Numbers, Values, difference, share, unclustered

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
        alarms += exchange_tests(totals, 199, rng)[0] <= 0.05
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
