"""Two runs on the same questions: whether they differ, by how much, and what it would take to know."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil, log2

import numpy as np

from fathom.analysis.findings import Comparison
from fathom.analysis.intervals import AT_ONCE, LEVEL, Numbers, Sums, Values, clustered_error, difference

POWER = 0.8
FEW = 12
"""Contexts up to which every exchange of signs is tried: 4,096 of them."""


def exchange_tests(totals: Values, exchanges: int, rng: np.random.Generator) -> Values:
    """For each column of differences added up by context, the chance of so great a sum if each context's two runs had
    been exchanged by the toss of a coin. All columns see the same tosses, which costs little more than one."""
    counted = (np.abs(totals) > 1e-12).sum(axis=0)
    found = np.abs(totals.sum(axis=0)) - 1e-9
    reached = np.zeros(totals.shape[1])
    for start in range(0, exchanges, AT_ONCE):
        tossed = rng.integers(0, 2, size=(min(AT_ONCE, exchanges - start), len(totals)), dtype=np.int8)
        reached += (np.abs((1.0 - 2.0 * tossed) @ totals) >= found).sum(axis=0)
    # The exchange that was observed is one of them, so that no chance is ever zero.
    chances: Values = (reached + 1) / (exchanges + 1)
    for column in np.flatnonzero(counted <= FEW):
        chances[column] = _every_exchange(totals[:, column])
    return chances


def _every_exchange(totals: Values) -> float:
    """The same by trying all, where that is few."""
    moving = totals[np.abs(totals) > 1e-12]  # a context in which nothing differs stays so, whichever way it is held
    if not len(moving):
        return 1.0
    signs = 1 - 2.0 * ((np.arange(2 ** len(moving))[:, None] >> np.arange(len(moving))) & 1)
    return float((np.abs(signs @ moving) >= abs(moving.sum()) - 1e-9).mean())


def holm(chances: Sequence[float]) -> list[float]:
    """The chances corrected for how many there are: none is a false alarm, with the level's confidence."""
    order = sorted(range(len(chances)), key=lambda place: chances[place])
    corrected, highest = [0.0] * len(chances), 0.0
    for rank, place in enumerate(order):
        highest = max(highest, min(1.0, chances[place] * (len(chances) - rank)))
        corrected[place] = highest
    return corrected


def benjamini_hochberg(chances: Sequence[float]) -> list[float]:
    """The chances corrected so that few of those called different are false alarms."""
    order = sorted(range(len(chances)), key=lambda place: chances[place], reverse=True)
    corrected, lowest = [0.0] * len(chances), 1.0
    for rank, place in enumerate(order):
        lowest = min(lowest, chances[place] * len(chances) / (len(chances) - rank))
        corrected[place] = lowest
    return corrected


@dataclass(frozen=True)
class Missing:
    """What one run still waits for."""

    responses: int = 0
    share: float = 0.0
    """Of the responses wanted."""


def contexts_needed(differences: Values, contexts: Numbers, level: float = LEVEL, power: float = POWER) -> float | None:
    """Contexts with which a difference as large as the one seen is found, at that level, with that chance."""
    from scipy.special import ndtri

    sums = Sums.of(differences, contexts)
    error = clustered_error(sums)
    # Half a question that went each way is imagined, as in the interval: no spread at all would promise too much.
    variance = error.variance + 1.0 / (sums.items + 2) ** 2
    if abs(sums.mean) < 1e-12 or variance == float("inf"):
        return None
    wanted = float(ndtri(0.5 + level / 2) + ndtri(power))
    needed = len(sums.counts) * variance * (wanted / sums.mean) ** 2
    # Tossing fewer coins than this never gives so small a chance, however they fall: six that differ, at 5%.
    coins = ceil(1 - log2(1 - level))
    return max(needed, coins / float((np.abs(sums.totals) > 1e-12).mean()))


def compare(
    names: tuple[str, str],
    values: tuple[Values, Values],
    contexts: Numbers,
    chance: float,
    within: str = "all",
    missing: tuple[Missing, Missing] = (Missing(), Missing()),
    tests: int = 1,
    level: float = LEVEL,
) -> Comparison:
    """Two runs over the same questions in the same order; `chance` comes from exchanging them.

    Corrections come when all comparisons are known; what it takes to pass as one of so many `tests` is told here.
    """
    first, second = values
    differences = second - first
    estimate = difference(differences, contexts, level)
    clusters = estimate.clusters
    needed = contexts_needed(differences, contexts, 1 - (1 - level) / tests) if (differences != 0).any() else None
    more = None if needed is None else max(0, ceil(needed - clusters))
    each = estimate.items / max(1, clusters)
    one, two = first >= 0.5, second >= 0.5
    return Comparison(
        first=names[0],
        second=names[1],
        within=within,
        items=estimate.items,
        clusters=clusters,
        only_first=int((one & ~two).sum()),
        only_second=int((two & ~one).sum()),
        both=int((one & two).sum()),
        neither=int((~one & ~two).sum()),
        differing=int((differences != 0).sum()),
        waiting_first=missing[0].responses,
        waiting_second=missing[1].responses,
        first_accuracy=float(first.mean()),
        second_accuracy=float(second.mean()),
        difference=estimate,
        least=estimate.value - missing[0].share,
        most=estimate.value + missing[1].share,
        p=chance,
        p_holm=chance,
        p_benjamini_hochberg=chance,
        apart=chance <= 1 - level,
        more_items=None if more is None else ceil(more * each),
        more_contexts=more,
        note="",
    )


def corrected(comparisons: Sequence[Comparison], level: float = LEVEL) -> list[Comparison]:
    """The comparisons, each knowing of the others."""
    by_holm = holm([one.p for one in comparisons])
    by_rate = benjamini_hochberg([one.p for one in comparisons])
    return [
        _settled(one, strict, lenient, level)
        for one, strict, lenient in zip(comparisons, by_holm, by_rate, strict=True)
    ]


def _settled(one: Comparison, strict: float, lenient: float, level: float) -> Comparison:
    unlikely = strict <= 1 - level
    apart = unlikely and not _may_turn(one)
    more_items, more_contexts = (0, 0) if unlikely else (one.more_items, one.more_contexts)
    if not unlikely and more_contexts == 0:
        # So near: the one test more that correcting for the others costs.
        more_items, more_contexts = max(1, ceil(one.items / max(1, one.clusters))), 1
    settled = one.model_copy(
        update={
            "p_holm": strict,
            "p_benjamini_hochberg": lenient,
            "apart": apart,
            "more_items": more_items,
            "more_contexts": more_contexts,
        }
    )
    return settled.model_copy(update={"note": " ".join([_note(settled), *_waiting(settled)])})


def _may_turn(one: Comparison) -> bool:
    """Whether the responses that have not come could take the difference away."""
    return one.least <= 0 < one.difference.value or one.difference.value < 0 <= one.most


def _note(one: Comparison) -> str:
    if one.apart:
        better = one.second if one.difference.value > 0 else one.first
        return f"{better} is better by {abs(one.difference.value) * 100:.1f} points."
    if not one.differing:
        return "They do not differ at all on these questions."
    if one.clusters < 2:
        return "They differ, but one context cannot tell whether they would on others."
    if one.more_items is None:
        return f"They are equally good, though {_counted(one.differing, 'question')} came out differently."
    if not one.more_items:
        return "They differ, but not surely: it hangs on responses that have not come."
    return (
        f"They cannot be told apart. If the difference is as it seems, it takes about "
        f"{_counted(one.more_items, 'more question')} ({_counted(one.more_contexts or 0, 'context')}) to tell them "
        f"apart with a chance of {POWER:.0%}."
    )


def _waiting(one: Comparison) -> Iterator[str]:
    sides = (one.first, one.waiting_first, one.least), (one.second, one.waiting_second, one.most)
    for name, count, otherwise in sides:
        if count:
            many = (f"{count:,} responses of {name} have", "they") if count > 1 else (f"1 response of {name} has", "it")
            yield f"{many[0]} not come; were {many[1]} right, the difference would be {otherwise * 100:+.1f} points."


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
