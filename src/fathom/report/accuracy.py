"""Figures of accuracy: pairwise comparisons, context lengths, breakdowns, heat maps, repeated samples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import log2

from fathom.analysis.findings import (
    Baseline,
    Breakdown,
    ClosedBookTest,
    Comparison,
    EffectiveLength,
    Estimate,
    Findings,
    HeatMap,
    LengthPoint,
    RepeatedRuns,
    RunSummary,
    Samples,
    StageCounts,
)
from fathom.records.plurals import counted
from fathom.report.drawings.canvas import GRAY, LETTER, SvgNode, text_width
from fathom.report.drawings.charts import (
    MAX_LABEL,
    NARROW,
    Curve,
    DifferenceCell,
    Dot,
    DotRow,
    HeatCell,
    Point,
    difference_matrix,
    dot_plot,
    dot_rows,
    heat_map,
    line_chart,
)
from fathom.report.figures import Figure, FigureColumn, RunRow, accuracy_columns, count_columns, interval_columns
from fathom.report.formatting import bench_names, effective_length, interval, join_names, point, short_names
from fathom.report.ranking import received_count, run_colors, with_responses

MAX_PAIRS = 20
"""Pairs in the drawing; the table has all of them."""
MATRIX_RUNS = 4
"""Runs on one bench from which their pairs are also drawn as a matrix."""


def comparisons(findings: Findings) -> tuple[Figure, ...]:
    """Every pair of runs on the same questions."""
    pairs = findings.comparisons
    if not pairs:
        return ()
    # The closest pairs come first: their order is the least certain.
    overall = sorted(
        (pair for pair in pairs if pair.within == "all"), key=lambda comparison: abs(comparison.difference.value)
    )
    colors = run_colors(findings)

    def draw(width: float) -> SvgNode:
        names = {run.info.name: run.info.name for run in findings.runs}
        room = MAX_LABEL - 14 if width >= NARROW else width - 12
        if any(
            text_width(f"{comparison.first} − {comparison.second}") * LETTER > room
            for comparison in overall[:MAX_PAIRS]
        ):
            names = short_names(list(names))
        lines = [_difference_line(comparison, colors, names) for comparison in overall[:MAX_PAIRS]]
        low = min((dot.point.low for row in lines for dot in row.dots), default=0.0)
        high = max((dot.point.high for row in lines for dot in row.dots), default=0.1)
        return dot_plot("Differences in accuracy with 95% intervals", lines, width, min(low, 0.0), high, "difference")

    columns: tuple[FigureColumn[Comparison], ...] = (
        FigureColumn("first", "First", lambda row: row.first),
        FigureColumn("second", "Second", lambda row: row.second),
        FigureColumn("within", "Within", lambda row: row.within),
        FigureColumn("first_accuracy", "First accuracy", lambda row: row.first_accuracy, "share"),
        FigureColumn("second_accuracy", "Second accuracy", lambda row: row.second_accuracy, "share"),
        *interval_columns(lambda row: row.difference, "difference", "Difference", "difference"),
        FigureColumn("min_difference", "if missing of first correct", lambda row: row.min_difference, "difference"),
        FigureColumn("max_difference", "if missing of second correct", lambda row: row.max_difference, "difference"),
        FigureColumn("missing_first", "Missing in first", lambda row: row.missing_first, "count"),
        FigureColumn("missing_second", "Missing in second", lambda row: row.missing_second, "count"),
        FigureColumn("only_first", "Only first correct", lambda row: row.only_first, "count"),
        FigureColumn("only_second", "Only second correct", lambda row: row.only_second, "count"),
        FigureColumn("questions", "Questions", lambda row: row.items, "count"),
        FigureColumn("p", "p", lambda row: row.p, "p"),
        FigureColumn("p_holm", "p (Holm)", lambda row: row.p_holm, "p"),
        FigureColumn("p_benjamini_hochberg", "p (Benjamini-Hochberg)", lambda row: row.p_benjamini_hochberg, "p"),
        FigureColumn("significant", "Significant", lambda row: row.significant, "yes"),
        FigureColumn("more_questions", "More questions needed", lambda row: row.more_questions, "count"),
        FigureColumn("note", "Note", lambda row: row.note),
    )
    note = (
        "Difference in accuracy (percentage points) between the better and the worse run, paired by question and "
        "clustered by context; the closest pairs first. Gray: not confirmed by the test."
    )
    figure = Figure.of("comparisons", "Differences between runs", note, columns, pairs, draw)
    return (*_comparison_matrices(findings, overall), figure)


def _comparison_matrices(findings: Findings, pairs: Sequence[Comparison]) -> Iterator[Figure]:
    """For each bench with many runs, all of their differences in one square."""
    benches = bench_names(findings)
    several = len(benches) > 1
    for number, (bench, bench_name) in enumerate(benches.items(), start=1):
        runs = [run.info.name for run in with_responses(findings) if run.info.bench == bench]
        compared = [comparison for comparison in pairs if comparison.first in runs and comparison.second in runs]
        if len(runs) < MATRIX_RUNS or not compared:
            continue
        rows = [cell for pair in compared for cell in _both_ways(pair)]
        title = "Every run against every other" + (f": {bench_name}" if several else "")
        yield Figure.of(
            f"comparison-matrix{f'-{number}' if several else ''}",
            title,
            "Accuracy of the row's run minus that of the column's (numbered like the rows), in percentage points. "
            "Shaded and bold: confirmed by the test, after Holm's correction.",
            (
                FigureColumn("run", "Run", lambda row: row.row),
                FigureColumn("other", "Other run", lambda row: row.column),
                FigureColumn("difference", "Difference", lambda row: row.value, "difference"),
                FigureColumn("significant", "Significant", lambda row: row.confirmed, "yes"),
            ),
            rows,
            partial(difference_matrix, title, runs, rows, run_colors(findings)),
        )


def _both_ways(comparison: Comparison) -> Iterator[DifferenceCell]:
    for row, column, sign in ((comparison.second, comparison.first, 1), (comparison.first, comparison.second, -1)):
        value, low, high = (
            sign * end for end in (comparison.difference.value, comparison.difference.low, comparison.difference.high)
        )
        range_ = f"{min(low, high) * 100:+.1f} to {max(low, high) * 100:+.1f}"
        reason = "" if comparison.significant else f", {why_not_significant(comparison)}"
        tip = f"{row} minus {column}: {value * 100:+.1f} points ({range_}){reason}"
        yield DifferenceCell(row, column, value, comparison.significant, tip)


def _difference_line(comparison: Comparison, colors: dict[str, int], names: Mapping[str, str]) -> DotRow:
    """The better run minus the worse; gray if the difference is not significant."""
    sign = -1 if comparison.difference.value < 0 else 1
    better, worse = (comparison.first, comparison.second) if sign < 0 else (comparison.second, comparison.first)
    low, high = sorted((sign * comparison.difference.low, sign * comparison.difference.high))
    value = abs(comparison.difference.value)
    tip = f"{better} is {value * 100:.1f} points ahead of {worse} ({low * 100:+.1f} to {high * 100:+.1f})"
    tip += "" if comparison.significant else f", {why_not_significant(comparison)}"
    return DotRow(
        f"{names[better]} − {names[worse]}",
        [Dot(colors.get(better, 0) if comparison.significant else GRAY, Point(value, low, high, tip))],
        tuple(colors[name] for name in (better, worse) if name in colors),
    )


def why_not_significant(comparison: Comparison) -> str:
    """The reason in a few words. More questions do not help if only responses are missing."""
    if comparison.is_unconfirmed:
        return "but the test has too little data to confirm it"
    return "but missing responses could cancel it" if comparison.more_questions == 0 else "not significant"


def lengths(findings: Findings) -> tuple[Figure, ...]:
    """Accuracy by context length, and the effective length of each run."""
    runs = [run for run in with_responses(findings) if len(run.lengths.points) > 1]
    if not runs:
        return ()
    ticks = sorted({(float(length.tokens), length.name) for run in runs for length in run.lengths.points})
    colors = run_colors(findings)

    def draw(width: float) -> SvgNode:
        lines = [
            Curve(
                colors[run.info.name],
                run.info.name,
                [
                    (length.tokens, point(f"{run.info.name} at {length.name}", length.accuracy))
                    for length in sorted(run.lengths.points, key=lambda length: length.tokens)
                ],
                # Without a family that is asked at every length, the lengths are not comparable.
                is_joined=run.lengths.effective is not None,
            )
            for run in runs
        ]
        return line_chart("Accuracy by context length", lines, ticks, width)

    columns: tuple[FigureColumn[RunRow[LengthPoint]], ...] = (
        FigureColumn("run", "Run", lambda row: row.run),
        FigureColumn("length", "Length", lambda row: row.of.name),
        FigureColumn("tokens", "Tokens", lambda row: row.of.tokens, "count"),
        *accuracy_columns(lambda row: row.of.accuracy),
    )
    rows = [RunRow(run.info.name, length) for run in runs for length in run.lengths.points]
    note = " ".join(["Context length in tokens, on a logarithmic scale.", *_length_notes(runs)])
    curve = Figure.of("lengths", "Accuracy by context length", note, columns, rows, draw)
    return (curve, *_effective_lengths(runs, colors))


def _length_notes(runs: list[RunSummary]) -> Iterator[str]:
    """Families that are left out of a curve, or that make its lengths incomparable."""
    for note in dict.fromkeys(run.lengths.note for run in runs if run.lengths.note):
        yield f"{join_names([run.info.name for run in runs if run.lengths.note == note])}: {note}"


def _effective_lengths(runs: list[RunSummary], colors: dict[str, int]) -> Iterator[Figure]:
    rows = [RunRow(run.info.name, effective) for run in runs if (effective := run.lengths.effective) is not None]
    if not rows:
        return
    tested_lengths = sorted({length.tokens for run in runs if run.lengths.effective for length in run.lengths.points})

    def position(tokens: int) -> float:
        return log2(max(tokens, tested_lengths[0] / 2))

    def point_of(row: RunRow[EffectiveLength]) -> Point:
        effective = row.of
        low, high = (
            (effective.tokens, effective.tokens)
            if effective.low is None or effective.high is None
            else (effective.low, effective.high)
        )
        return Point(
            position(effective.tokens),
            position(low),
            position(high),
            f"{row.run}: {effective.note}",
            effective_length(effective),
        )

    def draw(width: float) -> SvgNode:
        lines = [DotRow(row.run, [Dot(colors[row.run], point_of(row))]) for row in rows]
        ticks = [position(0), *map(position, tested_lengths)]
        return dot_plot(
            "Effective length of each run", lines, width, position(0), position(tested_lengths[-1]), "tokens", ticks
        )

    columns: tuple[FigureColumn[RunRow[EffectiveLength]], ...] = (
        FigureColumn("run", "Run", lambda row: row.run),
        FigureColumn("accuracy_at_shortest", "Accuracy at shortest", lambda row: row.of.accuracy_at_shortest, "share"),
        FigureColumn("shortest", "Shortest length", lambda row: row.of.shortest),
        FigureColumn("effective_length", "Effective length", lambda row: row.of.length),
        FigureColumn("low_tokens", "low (tokens)", lambda row: row.of.low, "count"),
        FigureColumn("high_tokens", "high (tokens)", lambda row: row.of.high, "count"),
        FigureColumn("reaches_longest", "Reaches longest", lambda row: row.of.reaches_longest, "yes"),
        FigureColumn("note", "Note", lambda row: row.of.note),
    )
    note = "The longest tested length at which a run keeps 85% of its accuracy at the shortest length."
    yield Figure.of("effective-length", "Effective length", note, columns, rows, draw)


def breakdowns(findings: Findings) -> tuple[Figure, ...]:
    """One figure for each property of the questions; the family first if there are several."""
    titles = {
        breakdown.by: breakdown.title
        for run in with_responses(findings)
        for breakdown in run.breakdowns
        if len(breakdown.groups) > 1
    }
    ordered = sorted(titles, key=lambda by: by != "family")
    return tuple(_breakdown(findings, by, titles[by]) for by in ordered)


@dataclass(frozen=True)
class _GroupRow:
    run: str
    group: str
    accuracy: Estimate
    partial_credit: float | None = None
    counts: StageCounts | None = None


def _breakdown(findings: Findings, by: str, title: str) -> Figure:
    breakdowns = [
        (run.info.name, breakdown)
        for run in with_responses(findings)
        for breakdown in run.breakdowns
        if breakdown.by == by
    ]
    names = list(dict.fromkeys(group.name for _, breakdown in breakdowns for group in breakdown.groups))
    colors = run_colors(findings)

    def draw(width: float) -> SvgNode:
        dots = (
            (group.name, Dot(colors[run], point(f"{run}, {group.name}", group.accuracy)))
            for run, breakdown in breakdowns
            for group in breakdown.groups
        )
        return dot_plot(f"Accuracy by {title.lower()}", dot_rows(names, dots), width)

    rows = list(_group_rows(breakdowns))
    columns: tuple[FigureColumn[_GroupRow], ...] = (
        FigureColumn("run", "Run", lambda row: row.run),
        FigureColumn("group", title, lambda row: row.group),
        *accuracy_columns(lambda row: row.accuracy),
        FigureColumn("partial_credit", "Partial credit", lambda row: row.partial_credit, "share"),
        *count_columns(lambda row: row.counts, rows),
    )
    overlap = (
        " A question may be in several groups." if any(breakdown.overlapping for _, breakdown in breakdowns) else ""
    )
    note = f"Accuracy by {title.lower()}, with 95% intervals.{overlap}"
    return Figure.of(f"by-{_file_name(by)}", title, note, columns, rows, draw)


def _group_rows(breakdowns: list[tuple[str, Breakdown]]) -> Iterator[_GroupRow]:
    for run, breakdown in breakdowns:
        for group in breakdown.groups:
            yield _GroupRow(run, group.name, group.accuracy, group.partial_credit.value, group.counts)
    for run, breakdown in breakdowns:
        yield _GroupRow(run, "macro average", breakdown.macro_average)


def _file_name(name: str) -> str:
    """The name as part of a file name: a tag may contain anything."""
    return "".join(sign if sign.isascii() and sign.isalnum() else "-" for sign in name.lower())[:60] or "unnamed"


def heat_maps(findings: Findings) -> tuple[Figure, ...]:
    """The heat maps of the findings; the page makes those of any other two tags itself."""
    numbered = [(number, run) for number, run in enumerate(findings.runs, start=1) if received_count(run)]
    return tuple(
        _heat_map(number, run, heat_map_of_run) for number, run in numbered for heat_map_of_run in run.heat_maps
    )


def _heat_map(number: int, run: RunSummary, heat_map_data: HeatMap) -> Figure:
    rows = list(dict.fromkeys(cell.row for cell in heat_map_data.cells))
    columns = list(dict.fromkeys(cell.column for cell in heat_map_data.cells))
    fields = [
        HeatCell(
            cell.row,
            cell.column,
            cell.accuracy.value,
            cell.accuracy.items,
            f"{cell.row}, {cell.column}: {interval(cell.accuracy)}, {counted(cell.accuracy.items, 'question')}",
        )
        for cell in heat_map_data.cells
    ]
    return Figure.of(
        f"heat-{number}-{_file_name(heat_map_data.rows)}-{_file_name(heat_map_data.columns)}",
        f"{run.info.name}: {heat_map_data.rows} by {heat_map_data.columns}",
        "Accuracy in percent. Empty cells have no questions; small numbers are based on fewer than ten.",
        (
            FigureColumn("row", heat_map_data.rows, lambda cell: cell.row),
            FigureColumn("column", heat_map_data.columns, lambda cell: cell.column),
            *accuracy_columns(lambda cell: cell.accuracy),
        ),
        heat_map_data.cells,
        partial(
            heat_map,
            f"{run.info.name}: accuracy by {heat_map_data.rows} and {heat_map_data.columns}",
            rows,
            columns,
            fields,
        ),
    )


@dataclass(frozen=True)
class _PassRow:
    run: str
    samples: Samples
    k: int
    pass_at_k: Estimate


def samples(findings: Findings) -> tuple[Figure, ...]:
    """pass@k, majority vote and agreement of repeated samples."""
    run_samples = [(run.info.name, run.samples) for run in with_responses(findings) if run.samples is not None]
    rows = [
        _PassRow(run, samples_of_run, k, share)
        for run, samples_of_run in run_samples
        for k, share in samples_of_run.pass_at.items()
    ]
    if not rows:
        return ()
    colors = run_colors(findings)

    def draw(width: float) -> SvgNode:
        lines = [
            Curve(
                colors[run], run, [(k, point(f"{run}, pass@{k}", share)) for k, share in samples_of_run.pass_at.items()]
            )
            for run, samples_of_run in run_samples
        ]
        ticks = sorted({row.k for row in rows})
        return line_chart("pass@k by k", lines, [(k, str(k)) for k in ticks], width)

    columns: tuple[FigureColumn[_PassRow], ...] = (
        FigureColumn("run", "Run", lambda row: row.run),
        FigureColumn("samples", "Samples", lambda row: row.samples.samples, "count"),
        FigureColumn("k", "k", lambda row: row.k, "count"),
        *interval_columns(lambda row: row.pass_at_k, "pass_at_k", "pass@k"),
        FigureColumn("mean_accuracy", "Mean accuracy", lambda row: row.samples.mean_accuracy, "share"),
        FigureColumn("majority_accuracy", "Majority vote", lambda row: row.samples.majority_accuracy, "share"),
        FigureColumn("agreement", "Agreement of two samples", lambda row: row.samples.agreement, "share"),
    )
    note = "pass@k: the share of questions with at least one correct response among k."
    return (Figure.of("samples", "Repeated samples", note, columns, rows, draw),)


def repeated_runs(findings: Findings) -> tuple[Figure, ...]:
    """Runs that differ only in their seed, averaged."""
    if not findings.repeated_runs:
        return ()

    def draw(width: float) -> SvgNode:
        lines = [
            DotRow(name, [Dot(number, point(f"{name}: {', '.join(run.runs)}", run.accuracy))])
            for number, run in enumerate(findings.repeated_runs)
            for name in [f"{run.model}, {run.system}, {counted(len(run.runs), 'run')}"]
        ]
        return dot_plot("Mean accuracy over repeated runs", lines, width)

    columns: tuple[FigureColumn[RepeatedRuns], ...] = (
        FigureColumn("model", "Model", lambda row: row.model),
        FigureColumn("system", "System", lambda row: row.system),
        FigureColumn("prompting", "Prompting", lambda row: row.prompting),
        FigureColumn("runs", "Runs", lambda row: len(row.runs), "count"),
        *accuracy_columns(lambda row: row.accuracy),
        FigureColumn("standard_deviation", "Standard deviation", lambda row: row.standard_deviation, "difference"),
    )
    note = "Mean over runs that differ only in their seed, and the standard deviation between them."
    return (Figure.of("repeated", "Repeated runs", note, columns, findings.repeated_runs, draw),)


def baselines(findings: Findings) -> tuple[Figure, ...]:
    """Accuracy of guessing, shortcuts and controls."""
    if not findings.baselines:
        return ()
    colors = run_colors(findings)
    benches = bench_names(findings)

    def label(baseline: Baseline) -> str:
        # Each bench has an "always NULL" baseline of its own.
        return f"{baseline.name}, {benches.get(baseline.bench, baseline.bench)}" if len(benches) > 1 else baseline.name

    def draw(width: float) -> SvgNode:
        lines = [
            DotRow(
                label(baseline),
                [
                    Dot(
                        colors.get(baseline.run or "", GRAY),
                        point(f"{label(baseline)} ({baseline.description})", baseline.accuracy),
                    )
                ],
            )
            for baseline in findings.baselines
        ]
        return dot_plot("Accuracy of baselines and controls", lines, width)

    columns: tuple[FigureColumn[Baseline], ...] = (
        FigureColumn("baseline", "Baseline", lambda row: row.name),
        FigureColumn("description", "Description", lambda row: row.description),
        FigureColumn("kind", "Kind", lambda row: row.kind),
        FigureColumn("bench", "Bench", lambda row: benches.get(row.bench, row.bench)),
        *accuracy_columns(lambda row: row.accuracy),
    )
    note = (
        "Baselines and closed-book runs do not read the context. Other controls show the accuracy that is possible "
        "with perfect retrieval."
    )
    shortcuts = [line for bench in findings.benches for line in bench.baselines]
    if shortcuts:
        shortcut_text = "; ".join(shortcuts).replace(":;", ":")
        note = f"{note} Measured when the bench was built: {shortcut_text}."
    return (Figure.of("baselines", "Baselines and controls", note, columns, findings.baselines, draw),)


def closed_book(findings: Findings) -> tuple[Figure, ...]:
    """Closed-book runs against their baselines."""
    tests = findings.closed_book
    if not tests:
        return ()
    colors = run_colors(findings)
    benches = bench_names(findings)

    def label(test: ClosedBookTest) -> str:
        return f"{test.model} on {benches.get(test.bench, test.bench)}" if len(benches) > 1 else test.model

    def draw(width: float) -> SvgNode:
        lines = [
            DotRow(
                label(test), [Dot(colors.get(test.run, GRAY), point(f"{label(test)}, closed book", test.closed_book))]
            )
            for test in tests
            if test.p is not None
        ]
        return dot_plot("Accuracy without the context", lines, width)

    columns: tuple[FigureColumn[ClosedBookTest], ...] = (
        FigureColumn("model", "Model", lambda row: row.model),
        FigureColumn("run", "Run", lambda row: row.run),
        FigureColumn("bench", "Bench", lambda row: benches.get(row.bench, row.bench)),
        *interval_columns(lambda row: row.closed_book, "closed_book", "Closed-book accuracy"),
        FigureColumn("baseline", "Baseline", lambda row: row.baseline),
        FigureColumn("above_baseline", "Above baseline", lambda row: row.above_baseline.value, "difference"),
        FigureColumn("p", "p", lambda row: row.p, "p"),
        FigureColumn("p_holm", "p (Holm)", lambda row: row.p_holm, "p"),
        FigureColumn("conclusion", "Conclusion", lambda row: row.conclusion),
    )
    note = " ".join(f"{label(test)} {test.conclusion}." for test in tests)
    draw_tests = draw if any(test.p is not None for test in tests) else None
    return (Figure.of("closed-book", "Accuracy without the context", note, columns, tests, draw_tests),)
