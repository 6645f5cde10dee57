"""Summary of one run: scores overall and by group, measures, lengths, samples, error patterns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise

import numpy as np

from fathom.analysis.bench_data import BenchData, RunArrays, RunData
from fathom.analysis.effective_length import curve
from fathom.analysis.findings import (
    RESPONSE_OUTCOMES,
    BenchInfo,
    Breakdown,
    DistributionSummary,
    Estimate,
    Group,
    HeatMap,
    HeatMapCell,
    LengthCurve,
    LengthPoint,
    Outcomes,
    Pattern,
    Samples,
    Spread,
    StageCounts,
)
from fathom.analysis.intervals import BoolArray, ContextSums, FloatArray, macro_average, share, share_of_sums
from fathom.analysis.patterns import PATTERNS
from fathom.analysis.properties import OVERLAPPING, Groupings, QuestionProperties
from fathom.analysis.ratios import ratio_estimate, ratio_sums, spread
from fathom.analysis.run_items import NO_PATTERN
from fathom.records.lengths import format_length
from fathom.scoring.measures import Distribution, RatioMeasure, counts_of
from fathom.scoring.scores import pass_at_k, summarize_samples
from fathom.tasks.catalog import measures_of

MAX_EXAMPLES = 3
NOT_SENT = ("unanswered", "overflow")
"""Outcomes of responses for which nothing was sent."""


def group(
    name: str, scores: RunArrays, mask: BoolArray, bench: BenchInfo, samples: int, is_overall: bool = False
) -> Group:
    """Scores of the questions under the mask."""
    counted = outcomes(scores, mask, samples)
    accuracy, partial_credit, contexts = scores.accuracy[mask], scores.partial_credit[mask], scores.contexts[mask]
    not_asked = bench.questions - len(mask)
    # The counts of a whole run are those of its bench, however few of the questions it asks.
    if is_overall or (mask.all() and not not_asked):
        counts = bench.counts.model_copy(
            update={"errors": counted.error, "asked": counted.questions, "not_asked": not_asked}
        )
    else:
        counts = StageCounts(
            built=None if bench.counts.dropped or not_asked else counted.questions,
            fitted=counted.questions,
            errors=counted.error,
            dropped=0,
            asked=counted.questions,
        )
    return Group(
        name=name,
        counts=counts,
        outcomes=counted,
        accuracy=share(accuracy, contexts),
        max_accuracy=min(1.0, (counted.correct + counted.error + counted.unanswered) / max(1, counted.responses)),
        partial_credit=share(partial_credit, contexts),
        measures=measures(scores, mask, measures_of(bench.families)),
    )


def measures(scores: RunArrays, mask: BoolArray, ratios: Sequence[RatioMeasure]) -> dict[str, Estimate]:
    """The mean of each named measure over the questions under the mask whose verdicts have it; shares of counts."""
    parts = counts_of(ratios)
    has_value = {name: mask & ~np.isnan(values) for name, values in scores.measures.items() if name not in parts}
    means = {
        name: share(scores.measures[name][mask_of_name], scores.contexts[mask_of_name])
        for name, mask_of_name in has_value.items()
        if mask_of_name.any()
    }
    contexts = scores.contexts[mask]
    counts = {name: values[mask] for name, values in scores.measures.items() if name in parts}
    for ratio in ratios:
        top, bottom = ratio_sums(ratio, counts, len(contexts))
        if ratio.is_share and (estimate := ratio_estimate(top, bottom, contexts, is_share=True)) is not None:
            means[ratio.name] = estimate
    return means


def length_ranges(
    bench: BenchData, scores: RunArrays, limits: Sequence[int], info: BenchInfo, samples: int
) -> tuple[Group, ...]:
    """Scores by ranges of the length of contexts, in tokens: below the first limit, between two, from the last on."""
    if not limits:
        return ()
    lengths = bench.sizes["context length"][scores.rows]
    numbers = np.searchsorted(np.array(limits), lengths, side="right")
    # The lengths of a paper are thousands of tokens: 15K is 15,000 there, and 15,360 where a user gives it.
    labels = [f"{limit // 1_000}K" if limit % 1_000 == 0 else format_length(limit) for limit in limits]
    names = [f"under {labels[0]}", *(f"{low} to {high}" for low, high in pairwise(labels)), f"{labels[-1]} and more"]
    return tuple(
        group(name, scores, numbers == number, info, samples)
        for number, name in enumerate(names)
        if (numbers == number).any()
    )


def distributions(run: RunData, declared: Sequence[Distribution]) -> tuple[DistributionSummary, ...]:
    """The distributions of a run's numbers, and of those of the keys."""
    columns, samples = run.columns, run.run.samples
    summaries = []
    for distribution in declared:
        run_values = [value for values in columns.values.values() for value in values.get(distribution.name, ())]
        reference = [
            value
            for index, values in columns.values.items()
            if index % samples == 0
            for value in values.get(distribution.reference, ())
        ]
        if run_values or reference:
            summaries.append(
                DistributionSummary(
                    name=distribution.name,
                    unit=distribution.unit,
                    of_run=spread(run_values),
                    reference=spread(reference),
                    reference_label=distribution.reference_label,
                )
            )
    return tuple(summaries)


def response_seconds(run: RunData) -> Spread | None:
    """The distribution of seconds of a response; None if no call took measurable time."""
    sent = ~np.isin(run.columns.outcome_codes(), [RESPONSE_OUTCOMES.index(outcome) for outcome in NOT_SENT])
    seconds = np.array(run.columns.seconds)[sent].tolist()
    return spread(seconds) if any(seconds) else None


def outcomes(scores: RunArrays, mask: BoolArray, samples: int) -> Outcomes:
    """The responses under the mask, counted by outcome."""
    sums = scores.outcomes[mask].sum(axis=0)
    questions = int(mask.sum())
    return Outcomes(
        questions=questions,
        responses=questions * samples,
        partial_credit=float(scores.partial_credit[mask].sum()) * samples,
        **{outcome: int(count) for outcome, count in zip(RESPONSE_OUTCOMES, sums, strict=True)},
    )


def masks(bench: BenchData, scores: RunArrays) -> dict[str, dict[str, BoolArray]]:
    """For each grouping, its groups and a mask of the run's questions in each; empty groups are left out."""
    run_masks = {
        by: {name: mask[scores.rows] for name, mask in masks_by_name.items()}
        for by, masks_by_name in bench.groups.items()
    }
    nonempty = {
        by: {name: mask for name, mask in masks_by_name.items() if mask.any()}
        for by, masks_by_name in run_masks.items()
    }
    return {by: masks_by_name for by, masks_by_name in nonempty.items() if masks_by_name}


def breakdowns(
    scores: RunArrays,
    groups: Mapping[str, Mapping[str, BoolArray]],
    groupings: Groupings,
    bench: BenchInfo,
    samples: int,
) -> list[Breakdown]:
    """Scores by every grouping. A grouping with a single group is kept: it shows what the bench contains."""
    return [
        Breakdown(
            by=by,
            title=groupings.title(by),
            overlapping=by in OVERLAPPING,
            groups=tuple(group(name, scores, mask, bench, samples) for name, mask in group_masks.items()),
            macro_average=macro_average(scores.accuracy, scores.contexts, list(group_masks.values())),
        )
        for by, group_masks in groups.items()
    ]


def heat_maps(
    scores: RunArrays, groups: Mapping[str, Mapping[str, BoolArray]], pairs: Sequence[tuple[str, str]]
) -> list[HeatMap]:
    """Accuracy by each pair of groupings."""
    maps = []
    for rows, columns in pairs:
        if len(groups.get(rows, ())) > 1 and len(groups.get(columns, ())) > 1:
            cells = tuple(
                HeatMapCell(row=row, column=column, accuracy=share(scores.accuracy[overlap], scores.contexts[overlap]))
                for row, first in groups[rows].items()
                for column, second in groups[columns].items()
                if (overlap := first & second).any()
            )
            maps.append(HeatMap(rows=rows, columns=columns, cells=cells))
    return maps


def length_curve(
    questions: Sequence[QuestionProperties], scores: RunArrays, samples: int, resamples: int, rng: np.random.Generator
) -> LengthCurve:
    """Accuracy by requested length, over the families that are asked at every length.

    An easy family that is asked about short contexts only would make accuracy seem to fall with length.
    """
    tokens = np.array([questions[row].length for row in scores.rows])
    names = np.array([questions[row].family for row in scores.rows])
    lengths = np.unique(tokens)
    all_families = tuple(str(name) for name in np.unique(names))
    families = tuple(name for name in all_families if len(np.unique(tokens[names == name])) == len(lengths))
    in_families = np.isin(names, families or all_families)
    points, values, contexts = [], [], []
    for length in lengths:
        mask = in_families & (tokens == length)
        values.append(scores.accuracy[mask])
        contexts.append(scores.contexts[mask])
        points.append(
            LengthPoint(
                name=format_length(int(length)),
                tokens=int(length),
                outcomes=outcomes(scores, mask, samples),
                accuracy=share(values[-1], contexts[-1]),
            )
        )
    result_curve = curve(points, values, contexts, resamples, rng)
    return result_curve.model_copy(update=_families_in_curve(all_families, families))


def _families_in_curve(all_families: tuple[str, ...], families: tuple[str, ...]) -> dict[str, object]:
    if not families:
        note = "No family is asked at every length, so the lengths are not comparable."
        return {"families": all_families, "effective": None, "note": note}
    left_out = [name for name in all_families if name not in families]
    note = f"Without {', '.join(left_out)}, not asked at every length." if left_out else ""
    return {"families": families, "note": note}


def samples_summary(run: RunData) -> Samples | None:
    """Statistics over several samples per question; None if there is one."""
    samples, scores = run.run.samples, run.arrays
    if samples < 2:
        return None
    correct_counts = scores.outcomes[:, RESPONSE_OUTCOMES.index("correct")]
    rounds = run.correct_by_sample()
    pairs = list(combinations(range(samples), 2))
    return Samples(
        samples=samples,
        mean_accuracy=float(scores.accuracy.mean()),
        pass_at={
            k: share(np.array([pass_at_k(samples, int(count), k) for count in correct_counts]), scores.contexts)
            for k in sorted({1, 2, 3, 5, 10, 20, 50, 100, samples})
            if k <= samples
        },
        majority_accuracy=summarize_samples(run.run.questions, run.run.all_verdicts).majority,
        standard_deviation=float(rounds.mean(axis=0).std(ddof=1)),
        agreement=float(np.mean([(rounds[:, first] == rounds[:, second]).mean() for first, second in pairs])),
    )


def patterns(bench: BenchData, run: RunData) -> list[Pattern]:
    """The error patterns of a run, the most frequent first."""
    samples, scores = run.run.samples, run.arrays
    codes = run.columns.pattern_codes()
    with_pattern = np.flatnonzero(codes != NO_PATTERN)
    rows_by_pattern = {
        name: rows.tolist()
        for code, name in enumerate(PATTERNS)
        if len(rows := with_pattern[codes[with_pattern] == code] // samples)
    }
    found_patterns = []
    for name in sorted(rows_by_pattern, key=lambda name: (-len(rows_by_pattern[name]), name)):
        values: FloatArray = np.bincount(rows_by_pattern[name], minlength=len(scores.rows)) / samples
        questions = [bench.questions[scores.rows[row]] for row in rows_by_pattern[name]]
        found_patterns.append(
            Pattern(
                name=name,
                description=PATTERNS[name],
                count=len(rows_by_pattern[name]),
                share=share_of_sums(ContextSums.of(values, scores.contexts), samples == 1),
                share_of_errors=len(rows_by_pattern[name]) / len(with_pattern),
                by_answer_type=dict(Counter(question.answer_type for question in questions).most_common()),
                examples=tuple(dict.fromkeys(question.id for question in questions))[:MAX_EXAMPLES],
            )
        )
    return found_patterns
