"""Figures of the measures that families declare: ratios of counts, distributions, and best systems."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fathom.analysis.best_systems import BestSystem, best_systems, figures_of, measure_of, run_labels
from fathom.analysis.findings import DistributionSummary, Estimate, Findings, MeasureSummary, RunSummary, Spread
from fathom.records.plurals import counted
from fathom.report.drawings.canvas import SvgNode
from fathom.report.drawings.charts import Dot, dot_plot, dot_rows
from fathom.report.drawings.measures import Box, LegendEntry, PrecisionRecallPoint, box_plot, precision_recall_plot
from fathom.report.figures import ColumnFormat, Figure, FigureColumn, RunRow, interval_columns
from fathom.report.formatting import interval, percent, point
from fathom.report.ranking import run_colors, with_responses
from fathom.scoring.measures import PrecisionRecall
from fathom.tasks.catalog import measures_of


def measures(findings: Findings) -> tuple[Figure, ...]:
    """Every figure of declared measures that there are numbers for."""
    return (
        *_ratios(findings),
        *_precision_recall(findings),
        *_best_systems(findings),
        *_distributions(findings),
        *_seconds(findings),
        *_by_length(findings),
    )


def _with_measures(findings: Findings) -> list[RunSummary]:
    return [run for run in with_responses(findings) if run.measures]


# Ratios.


def _ratios(findings: Findings) -> Iterator[Figure]:
    rows = [RunRow(run.info.name, measure) for run in _with_measures(findings) for measure in run.measures]
    if not rows:
        return
    colors = run_colors(findings)
    main = _main_measures(findings)
    shares = [row for row in rows if row.of.is_share and row.of.name in main]

    def draw(width: float) -> SvgNode:
        dots = ((row.of.name, Dot(colors[row.run], point(f"{row.run}, {row.of.name}", row.of.micro))) for row in shares)
        return dot_plot("Measures", dot_rows(dict.fromkeys(row.of.name for row in shares), dots), width)

    columns: tuple[FigureColumn[RunRow[MeasureSummary]], ...] = (
        FigureColumn("run", "Run", lambda row: row.run),
        FigureColumn("measure", "Measure", lambda row: row.of.name),
        *_average_columns("micro"),
        *_average_columns("macro"),
        FigureColumn("numerator", "Numerator", lambda row: row.of.numerator, "number"),
        FigureColumn("denominator", "Denominator", lambda row: row.of.denominator, "number"),
        FigureColumn("questions", "Questions", lambda row: row.of.micro.items, "count"),
        FigureColumn("contexts", "Contexts", lambda row: row.of.micro.clusters, "count"),
    )
    note = (
        "Micro averages (ratios of sums over all questions, including those without a response), with 95% intervals "
        "clustered by context. The table has all measures, and also the mean over questions (macro)."
    )
    yield Figure.of("measures", "Measures", note, columns, rows, draw if shares else None)


def _main_measures(findings: Findings) -> set[str]:
    """The measures that are drawn: those of other figures and of summaries, or all where there are none."""
    names: set[str] = set()
    for bench in findings.benches:
        figures = figures_of(findings, bench.fingerprint)
        pairs = (name for pair in figures.precision_recall for name in (pair.precision, pair.recall))
        names.update(pairs, figures.best, (measure.name for measure in measures_of(bench.families) if measure.summary))
    return names or {measure.name for run in findings.runs for measure in run.measures}


def _average_columns(name: str) -> tuple[FigureColumn[RunRow[MeasureSummary]], ...]:
    def get(row: RunRow[MeasureSummary]) -> Estimate:
        return row.of.micro if name == "micro" else row.of.macro

    return interval_columns(get, name, name.capitalize(), "number", prefix=f"{name}_")


# Precision and recall.


@dataclass(frozen=True)
class _Pair:
    """Precision and recall of one run."""

    run: RunSummary
    of: PrecisionRecall
    precision: MeasureSummary
    recall: MeasureSummary

    @property
    def f1(self) -> float:
        sides = self.precision.micro.value, self.recall.micro.value
        return 2 * sides[0] * sides[1] / sum(sides) if sum(sides) else 0.0


def _precision_recall(findings: Findings) -> Iterator[Figure]:
    rows = [
        _Pair(run, pair, precision, recall)
        for run in _with_measures(findings)
        for pair in figures_of(findings, run.info.bench).precision_recall
        if (precision := measure_of(run, pair.precision)) and (recall := measure_of(run, pair.recall))
    ]
    if not rows:
        return
    kinds = list(dict.fromkeys(row.of.label for row in rows))
    models = list(dict.fromkeys(row.run.info.model for row in rows))
    systems = list(dict.fromkeys(row.run.info.system for row in rows))

    def draw(width: float) -> SvgNode:
        points = [
            PrecisionRecallPoint(
                models.index(row.run.info.model),
                systems.index(row.run.info.system),
                kinds.index(row.of.label) > 0,
                row.precision.micro.value,
                row.recall.micro.value,
                f"{row.run.info.name}, {row.of.label}: precision {interval(row.precision.micro)}, recall "
                f"{interval(row.recall.micro)}, F1 {percent(row.f1, 1)}",
            )
            for row in rows
        ]
        legend = [
            *(LegendEntry(number, 0, False, name) for number, name in enumerate(models)),
            *(LegendEntry(None, number, False, name) for number, name in enumerate(systems) if len(systems) > 1),
            *(LegendEntry(None, 0, number > 0, name) for number, name in enumerate(kinds) if len(kinds) > 1),
        ]
        return precision_recall_plot("Precision against recall", points, legend, width)

    columns: tuple[FigureColumn[_Pair], ...] = (
        FigureColumn("run", "Run", lambda row: row.run.info.name),
        FigureColumn("model", "Model", lambda row: row.run.info.model),
        FigureColumn("system", "System", lambda row: row.run.info.system),
        FigureColumn("of", "Of", lambda row: row.of.label),
        *interval_columns(lambda row: row.precision.micro, "precision", "Precision", prefix="precision_"),
        *interval_columns(lambda row: row.recall.micro, "recall", "Recall", prefix="recall_"),
        FigureColumn("f1", "F1", lambda row: row.f1, "share"),
    )
    note = "Micro averages over all questions. Color: model; shape: system. The curves join points of equal F1."
    if len(kinds) > 1:
        note += f" Filled: {kinds[0]}; pale: {' and '.join(kinds[1:])}."
    yield Figure.of("precision-recall", "Precision and recall", note, columns, rows, draw)


def _best_systems(findings: Findings) -> Iterator[Figure]:
    rows = best_systems(findings)
    if not rows:
        return
    labels = run_labels(findings)
    kind: ColumnFormat = "share" if all(row.measure.is_share for row in rows) else "number"
    columns: tuple[FigureColumn[BestSystem], ...] = (
        FigureColumn("model", "Model", lambda row: row.run.info.model),
        FigureColumn("measure", "By", lambda row: row.measure.name),
        FigureColumn("system", "Best system", lambda row: labels[row.run.info.name]),
        *interval_columns(lambda row: row.measure.micro, "value", "Value", kind),
        FigureColumn("others", "Other systems", lambda row: _other_systems(row, labels)),
        FigureColumn("run", "Run", lambda row: row.run.info.name, hidden=True),
    )
    note = (
        "The run of each model with the best micro average. It is chosen on the same questions, so its score is "
        "optimistic."
    )
    yield Figure.of("best-systems", "Best system of each model", note, columns, rows)


def _other_systems(row: BestSystem, labels: dict[str, str]) -> str:
    return ", ".join(f"{labels[run.info.name]} {_amount(measure)}" for run, measure in row.others)


def _amount(measure: MeasureSummary) -> str:
    return percent(measure.micro.value, 1) if measure.is_share else f"{measure.micro.value:.2f}"


# Distributions.


@dataclass(frozen=True)
class _SpreadRow:
    """A distribution of a run, or the reference of a bench."""

    name: str
    run: RunSummary | None
    spread: Spread

    def box(self, colors: dict[str, int], unit: str) -> Box:
        spread = self.spread
        tip = (
            f"{self.name}: median {spread.median:,.4g}, quartiles {spread.p25:,.4g} to {spread.p75:,.4g}, mean "
            f"{spread.mean:,.4g}, max {spread.max:,.4g} {unit}, {counted(spread.count, 'value')}"
        )
        return Box(colors[self.run.info.name] if self.run else None, self.name, spread, tip)


SPREAD_COLUMNS: tuple[FigureColumn[_SpreadRow], ...] = (
    FigureColumn("name", "Run", lambda row: row.name),
    FigureColumn("model", "Model", lambda row: row.run.info.model if row.run else ""),
    FigureColumn("system", "System", lambda row: row.run.info.system if row.run else ""),
    FigureColumn("count", "Count", lambda row: row.spread.count, "count"),
    FigureColumn("mean", "Mean", lambda row: row.spread.mean, "number"),
    FigureColumn("max", "Max", lambda row: row.spread.max, "number"),
    FigureColumn("variance", "Variance", lambda row: row.spread.variance, "number"),
    FigureColumn("min", "Min", lambda row: row.spread.min, "number"),
    FigureColumn("p25", "25%", lambda row: row.spread.p25, "number"),
    FigureColumn("median", "Median", lambda row: row.spread.median, "number"),
    FigureColumn("p75", "75%", lambda row: row.spread.p75, "number"),
)


def _distributions(findings: Findings) -> Iterator[Figure]:
    by_name: dict[str, list[tuple[RunSummary, DistributionSummary]]] = defaultdict(list)
    for run in with_responses(findings):
        for distribution in run.distributions:
            by_name[distribution.name].append((run, distribution))
    for name, summaries in by_name.items():
        rows = [
            *_references(summaries),
            *(_SpreadRow(run.info.name, run, summary.of_run) for run, summary in summaries if summary.of_run),
        ]
        unit = summaries[0][1].unit or name
        title = f"Distribution: {name}"
        yield _box_figure(findings, f"distribution-{'-'.join(name.split())}", title, rows, unit)


def _references(summaries: Sequence[tuple[RunSummary, DistributionSummary]]) -> Iterator[_SpreadRow]:
    """The reference of each bench: that of the run with the most values, since others may lack responses."""
    by_bench: dict[str, DistributionSummary] = {}
    for run, summary in summaries:
        earlier = by_bench.get(run.info.bench)
        if summary.reference and (
            earlier is None or earlier.reference is None or summary.reference.count > earlier.reference.count
        ):
            by_bench[run.info.bench] = summary
    for distribution in by_bench.values():
        if distribution.reference is not None:
            yield _SpreadRow(distribution.reference_label, None, distribution.reference)


def _seconds(findings: Findings) -> Iterator[Figure]:
    rows = [_SpreadRow(run.info.name, run, run.seconds) for run in _with_measures(findings) if run.seconds]
    if rows:
        yield _box_figure(findings, "distribution-seconds", "Model seconds of a response", rows, "seconds")


def _box_figure(findings: Findings, id: str, title: str, rows: Sequence[_SpreadRow], unit: str) -> Figure:
    colors = run_colors(findings)
    note = (
        "Boxes: first to third quartile, with the median. Whiskers: to the last value within 1.5 times that range. "
        "Dot: the mean. The table has count, mean, maximum and variance."
    )
    if unit == "seconds":
        note += " Seconds are the sum over the calls of a response, without waiting for rate limits."
    return Figure.of(
        id, title, note, SPREAD_COLUMNS, rows,
        lambda width: box_plot(title, [row.box(colors, unit) for row in rows], unit, width),
    )  # fmt: skip


# Lengths.


@dataclass(frozen=True)
class _LengthRow:
    run: str
    measure: str
    group: str
    value: Estimate

    @property
    def name(self) -> str:
        return f"{self.measure}, {self.group}"


def _by_length(findings: Findings) -> Iterator[Figure]:
    rows = [
        _LengthRow(run.info.name, name, group.name, group.measures[name])
        for run in _with_measures(findings)
        if len(run.length_ranges) > 1
        for name in figures_of(findings, run.info.bench).by_length
        for group in run.length_ranges
        if name in group.measures
    ]
    if not rows:
        return
    colors = run_colors(findings)

    def draw(width: float) -> SvgNode:
        measures = sorted(dict.fromkeys(row.measure for row in rows), key=[row.measure for row in rows].index)
        names = [
            name for measure in measures for name in dict.fromkeys(row.name for row in rows if row.measure == measure)
        ]
        dots = ((row.name, Dot(colors[row.run], point(f"{row.run}, {row.name}", row.value))) for row in rows)
        return dot_plot("Measures by length of the context", dot_rows(names, dots), width)

    columns: tuple[FigureColumn[_LengthRow], ...] = (
        FigureColumn("run", "Run", lambda row: row.run),
        FigureColumn("measure", "Measure", lambda row: row.measure),
        FigureColumn("length", "Length of the context", lambda row: row.group),
        *interval_columns(lambda row: row.value, "value", "Value"),
        FigureColumn("questions", "Questions", lambda row: row.value.items, "count"),
        FigureColumn("contexts", "Contexts", lambda row: row.value.clusters, "count"),
    )
    note = "Micro averages by the number of tokens of the context, with 95% intervals; other limits with --bins."
    yield Figure.of("measures-by-length", "By length of the context", note, columns, rows, draw)
