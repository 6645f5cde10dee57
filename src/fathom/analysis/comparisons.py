"""Pairwise comparisons: whether two runs on the same questions differ, by how much, and how many questions it takes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import ceil, log2

import numpy as np

from fathom.analysis.bench_data import BenchData, RunData
from fathom.analysis.findings import Comparison
from fathom.analysis.intervals import LEVEL, ContextSums, FloatArray, IntArray, clustered_error, difference
from fathom.analysis.significance import benjamini_hochberg, holm, permutation_tests
from fathom.records.plurals import counted
from fathom.records.record import digest

POWER = 0.8


def comparisons(
    bench: BenchData, runs: Sequence[RunData], groupings: Sequence[str], exchanges: int, rng: np.random.Generator
) -> list[Comparison]:
    """Every pair of runs over the questions both ask, overall and within `groupings`.

    P-values are corrected over the pairs of each kind: the overall pairs, and the pairs within each grouping.
    """
    shared = _SharedQuestions(bench)
    pairs = [(first, second, shared.by_both(first, second)) for first, second in combinations(runs, 2)]
    pairs = [pair for pair in pairs if len(pair[2])]
    kinds: dict[str, list[_Pair]] = {"all": [_Pair(first, second, "all", rows) for first, second, rows in pairs]}
    for by in groupings:
        group_pairs = [
            _Pair(first, second, f"{by} = {name}", inside)
            for first, second, rows in pairs
            for name in bench.groups.get(by, {})
            if len(inside := shared.within(rows, by, name))
        ]
        if len({pair.within for pair in group_pairs}) > 1:
            kinds[by] = group_pairs
    all_pairs = [pair for pairs_of_kind in kinds.values() for pair in pairs_of_kind]
    if not all_pairs:
        return []
    totals = np.empty((len(bench.documents), len(all_pairs)))
    for column, pair in enumerate(all_pairs):
        totals[:, column] = pair.totals(bench)
    p_values = iter(permutation_tests(totals, exchanges, rng))
    return [
        comparison
        for pairs_of_kind in kinds.values()
        for comparison in correct_for_multiple_tests(
            [pair.comparison(bench, float(next(p_values)), len(pairs_of_kind)) for pair in pairs_of_kind]
        )
    ]


@dataclass(frozen=True)
class _Pair:
    one: RunData
    two: RunData
    within: str
    rows: IntArray

    def totals(self, bench: BenchData) -> FloatArray:
        """The second run's accuracy less the first's, summed by context."""
        gaps = self.two.accuracy_at(self.rows) - self.one.accuracy_at(self.rows)
        contexts = bench.contexts[self.rows]
        sums: FloatArray = np.bincount(contexts, weights=gaps, minlength=len(bench.documents)).astype(float)
        return sums

    def comparison(self, bench: BenchData, p: float, tests: int) -> Comparison:
        names = self.one.name, self.two.name
        values = self.one.accuracy_at(self.rows), self.two.accuracy_at(self.rows)
        missing = MissingResponses.of(self.one, self.rows), MissingResponses.of(self.two, self.rows)
        return compare(names, values, bench.contexts[self.rows], p, self.within, missing, tests)


class _SharedQuestions:
    """The questions that both runs of a pair ask; most pairs share them, so that each array is kept once."""

    def __init__(self, bench: BenchData) -> None:
        self._bench = bench
        self._rows: dict[bytes, IntArray] = {}

    def by_both(self, first: RunData, second: RunData) -> IntArray:
        return self._cached(np.intersect1d(first.arrays.rows, second.arrays.rows, assume_unique=True))

    def within(self, rows: IntArray, by: str, name: str) -> IntArray:
        """Those in one group."""
        return self._cached(rows[self._bench.groups[by][name][rows]])

    def _cached(self, rows: IntArray) -> IntArray:
        return self._rows.setdefault(digest(rows.tobytes()), rows)


@dataclass(frozen=True)
class MissingResponses:
    """Responses of one run that failed or are not asked yet. An overflow is not missing: the system caused it."""

    responses: int = 0
    share: float = 0.0
    """The share of all responses."""

    @classmethod
    def of(cls, run: RunData, rows: IntArray) -> MissingResponses:
        count = int(run.count_outcomes(rows, ("error", "unanswered")).sum())
        return cls(count, count / max(1, len(rows) * run.run.samples))


def contexts_needed(differences: FloatArray, contexts: IntArray, level: float = LEVEL) -> float | None:
    """Contexts needed to detect a difference of the observed size at this level with a power of 80%."""
    from scipy.special import ndtri

    sums = ContextSums.of(differences, contexts)
    error = clustered_error(sums)
    # The same pseudo-count as in the interval: without any spread the estimate would be too optimistic.
    variance = error.variance + 1.0 / (sums.items + 2) ** 2
    if abs(sums.mean) < 1e-12 or variance == float("inf"):
        return None
    distance = float(ndtri(0.5 + level / 2) + ndtri(POWER))
    needed = len(sums.counts) * variance * (distance / sums.mean) ** 2
    # With fewer contexts a permutation test cannot reach such a p-value: at 5%, six have to differ.
    flips = ceil(1 - log2(1 - level))
    return max(needed, flips / float((np.abs(sums.totals) > 1e-12).mean()))


def compare(
    names: tuple[str, str],
    values: tuple[FloatArray, FloatArray],
    contexts: IntArray,
    p: float,
    within: str = "all",
    missing: tuple[MissingResponses, MissingResponses] = (MissingResponses(), MissingResponses()),
    tests: int = 1,
) -> Comparison:
    """The comparison of two runs over the same questions in the same order; `p` comes from the permutation test.

    `correct_for_multiple_tests` adds corrections. The number of questions needed already allows for `tests` tests.
    """
    first, second = values
    differences = second - first
    estimate = difference(differences, contexts)
    clusters = estimate.clusters
    needed = contexts_needed(differences, contexts, 1 - (1 - LEVEL) / tests) if (differences != 0).any() else None
    more = None if needed is None else max(0, ceil(needed - clusters))
    per_context = estimate.items / max(1, clusters)
    first_correct, second_correct = first >= 0.5, second >= 0.5
    return Comparison(
        first=names[0],
        second=names[1],
        within=within,
        items=estimate.items,
        clusters=clusters,
        only_first=int((first_correct & ~second_correct).sum()),
        only_second=int((second_correct & ~first_correct).sum()),
        both=int((first_correct & second_correct).sum()),
        neither=int((~first_correct & ~second_correct).sum()),
        discordant=int((differences != 0).sum()),
        missing_first=missing[0].responses,
        missing_second=missing[1].responses,
        first_accuracy=float(first.mean()),
        second_accuracy=float(second.mean()),
        difference=estimate,
        min_difference=estimate.value - missing[0].share,
        max_difference=estimate.value + missing[1].share,
        p=p,
        p_holm=p,
        p_benjamini_hochberg=p,
        significant=p <= 1 - LEVEL,
        more_questions=None if more is None else ceil(more * per_context),
        more_contexts=more,
        note="",
    )


def correct_for_multiple_tests(comparisons: Sequence[Comparison], cluster: str = "context") -> list[Comparison]:
    """The comparisons, corrected for their number. `cluster` is what they are clustered by, for their notes."""
    by_holm = holm([comparison.p for comparison in comparisons])
    by_rate = benjamini_hochberg([comparison.p for comparison in comparisons])
    corrections = zip(comparisons, by_holm, by_rate, strict=True)
    return [_with_corrections(comparison, p_holm, p_rate, cluster) for comparison, p_holm, p_rate in corrections]


def _with_corrections(comparison: Comparison, p_holm: float, p_benjamini_hochberg: float, cluster: str) -> Comparison:
    unlikely = p_holm <= 1 - LEVEL
    more_questions, more_contexts = (0, 0) if unlikely else (comparison.more_questions, comparison.more_contexts)
    if not unlikely and more_contexts == 0:
        # Significant only before the correction: at least one more context is needed.
        more_questions, more_contexts = max(1, ceil(comparison.items / max(1, comparison.clusters))), 1
    after = comparison.model_copy(
        update={
            "p_holm": p_holm,
            "p_benjamini_hochberg": p_benjamini_hochberg,
            "significant": unlikely and not _may_reverse(comparison),
            "more_questions": more_questions,
            "more_contexts": more_contexts,
        }
    )
    return after.model_copy(update={"note": " ".join([_note(after, cluster), *_missing_notes(after)])})


def _may_reverse(comparison: Comparison) -> bool:
    """Whether the missing responses could cancel the difference."""
    return (
        comparison.min_difference <= 0 < comparison.difference.value
        or comparison.difference.value < 0 <= comparison.max_difference
    )


def _note(comparison: Comparison, cluster: str) -> str:
    if comparison.significant:
        better = comparison.second if comparison.difference.value > 0 else comparison.first
        return f"{better} is better by {abs(comparison.difference.value) * 100:.1f} points."
    if not comparison.discordant:
        return "Both have the same score on every question."
    if comparison.clusters < 2:
        return f"The scores differ, but one {cluster} is not enough for a test."
    if comparison.more_questions is None:
        return f"The accuracies are equal; {counted(comparison.discordant, 'question')} came out differently."
    if not comparison.more_questions:
        return "The difference is significant, but missing responses could cancel it."
    more = f"{counted(comparison.more_questions, 'more question')} ({counted(comparison.more_contexts or 0, cluster)})"
    if comparison.is_unconfirmed:
        return (
            f"The interval excludes zero, but the test over {counted(comparison.clusters, cluster)} does not confirm "
            f"the difference (p = {comparison.p_holm:.3f} after Holm's correction). About {more} would."
        )
    needs = f"A difference of this size would take about {more} to detect with {POWER:.0%} power."
    return f"No significant difference. {needs}"


def _missing_notes(comparison: Comparison) -> Iterator[str]:
    sides = (
        (comparison.first, comparison.missing_first, comparison.min_difference),
        (comparison.second, comparison.missing_second, comparison.max_difference),
    )
    for name, count, otherwise in sides:
        if count:
            responses = f"{name} has {counted(count, 'missing response')}"
            yield f"{responses}; if all were correct, the difference would be {otherwise * 100:+.1f} points."
