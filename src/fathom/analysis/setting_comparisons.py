"""Paired comparisons of settings: the same run on items that ask the same in several settings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from fathom.analysis.bench_data import BenchData, RunData
from fathom.analysis.comparisons import MissingResponses, compare, correct_for_multiple_tests
from fathom.analysis.findings import SettingComparison
from fathom.analysis.intervals import FloatArray, IntArray
from fathom.analysis.significance import permutation_tests
from fathom.tasks.catalog import family

Pairs = dict[tuple[str, str, str], list[tuple[int, int]]]
"""By tag and two of its values: the rows of questions that differ in that tag alone."""


def setting_comparisons(
    bench: BenchData, runs: Sequence[RunData], exchanges: int, rng: np.random.Generator
) -> list[SettingComparison]:
    """For each run and each tag that was varied, every two of its values, overall and within the main groupings.

    Only questions are compared that share their pair and all other varied tags. They are clustered by the first
    document of their contexts, which is the question paper: its items are not independent. P-values are corrected over
    the comparisons of one run, overall and within each grouping.
    """
    pairs = _pairs(bench)
    return [comparison for run in runs for comparison in _of_run(bench, run, pairs, exchanges, rng)]


def _pairs(bench: BenchData) -> Pairs:
    varied = {name: family(name).pairing for name in bench.bench_runs.bench.manifest.families}
    by_pair: dict[tuple[str, ...], dict[str, int]] = defaultdict(dict)
    for row, question in enumerate(bench.questions):
        pairing = varied[question.family]
        if pairing is None or not question.pair:
            continue
        values = {tag: question.groups[tag][0] for tag in pairing.tags if tag in question.groups}
        for tag, value in values.items():
            other_settings = (f"{name}={other_value}" for name, other_value in values.items() if name != tag)
            by_pair[tag, question.pair, *other_settings][value] = row
    pairs: Pairs = defaultdict(list)
    for (tag, *_), rows in by_pair.items():
        for first, second in combinations(bench.groupings.ordered(tag, rows), 2):
            pairs[tag, first, second].append((rows[first], rows[second]))
    return pairs


@dataclass(frozen=True)
class _ValuePair:
    """Two values of a tag over some pairs of questions that a run asks."""

    run: RunData
    tag: str
    values: tuple[str, str]
    within: str
    rows: tuple[IntArray, IntArray]

    def clusters(self, bench: BenchData) -> IntArray:
        """The question paper of each pair."""
        return np.array([bench.documents[context][0] for context in bench.contexts[self.rows[0]]], dtype=np.int64)

    def totals(self, bench: BenchData, documents: int) -> FloatArray:
        """The difference between the two values, summed by question paper."""
        gaps = self.run.accuracy_at(self.rows[1]) - self.run.accuracy_at(self.rows[0])
        sums: FloatArray = np.bincount(self.clusters(bench), weights=gaps, minlength=documents).astype(float)
        return sums

    def comparison(self, bench: BenchData, p: float, tests: int) -> SettingComparison:
        first, second = (self.run.accuracy_at(rows) for rows in self.rows)
        missing = MissingResponses.of(self.run, self.rows[0]), MissingResponses.of(self.run, self.rows[1])
        names = f"{self.tag}={self.values[0]}", f"{self.tag}={self.values[1]}"
        compared = compare(names, (first, second), self.clusters(bench), p, self.within, missing, tests)
        return SettingComparison(run=self.run.name, tag=self.tag, comparison=compared)


def _of_run(
    bench: BenchData, run: RunData, pairs: Pairs, exchanges: int, rng: np.random.Generator
) -> Iterator[SettingComparison]:
    kinds = [kind for kind in _kinds(bench, run, pairs) if kind]
    if not kinds:
        return
    documents = 1 + max(int(document.max()) for document in bench.documents)
    totals = np.stack([pair.totals(bench, documents) for kind in kinds for pair in kind], axis=1)
    p_values = iter(permutation_tests(totals, exchanges, rng))
    for kind in kinds:
        comparisons = [pair.comparison(bench, float(next(p_values)), len(kind)) for pair in kind]
        corrected_comparisons = correct_for_multiple_tests(
            [comparison.comparison for comparison in comparisons], cluster="paper"
        )
        for setting_comparison, comparison in zip(comparisons, corrected_comparisons, strict=True):
            yield setting_comparison.model_copy(update={"comparison": comparison})


def _kinds(bench: BenchData, run: RunData, pairs: Pairs) -> Iterator[list[_ValuePair]]:
    """The comparisons that are corrected together: overall, and within each grouping."""
    asked_rows = set(run.arrays.rows.tolist())
    overall = []
    for (tag, first, second), row_pairs in pairs.items():
        rows = np.array([pair for pair in row_pairs if asked_rows.issuperset(pair)], dtype=np.int64).reshape(-1, 2)
        if len(rows):
            overall.append(_ValuePair(run, tag, (first, second), "all", (rows[:, 0], rows[:, 1])))
    yield overall
    for by in bench.groupings.main:
        yield [group_pair for pair in overall for group_pair in _within(bench, pair, by)]


def _within(bench: BenchData, pair: _ValuePair, by: str) -> Iterator[_ValuePair]:
    """The comparison within each group; nothing if the two questions of a pair may be in different groups."""
    first, second = pair.rows
    groups = bench.groups.get(by, {})
    if len(groups) < 2 or any((mask[first] != mask[second]).any() for mask in groups.values()):
        return
    for name, mask in groups.items():
        inside = mask[first]
        if inside.any():
            yield _ValuePair(pair.run, pair.tag, pair.values, f"{by} = {name}", (first[inside], second[inside]))
