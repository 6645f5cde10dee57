"""Figures of failures: error patterns, likely causes, loss by stage, reasoning steps, correlates of failure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from fathom.analysis.findings import (
    Attribution,
    Cause,
    Correlate,
    Correlates,
    Estimate,
    Findings,
    LossDecomposition,
    Pattern,
    RunSummary,
    StepSummary,
)
from fathom.records.plurals import counted
from fathom.report.drawings.canvas import SvgNode
from fathom.report.drawings.charts import Dot, DotRow, Point, Segment, dot_plot, dot_rows, stacked_bars
from fathom.report.figures import Figure, FigureColumn, RunRow, interval_columns
from fathom.report.formatting import bench_names, interval, percent, point
from fathom.report.ranking import controls, received_count, run_colors

SYSTEMS = {"full": "full text", "passages": "needed passages", "tables": "tables"}


def patterns(findings: Findings) -> tuple[Figure, ...]:
    """The error patterns of each run."""
    rows_by_run = [RunRow(run.info.name, pattern) for run in findings.runs for pattern in run.patterns if pattern.count]
    if not rows_by_run:
        return ()
    names = _by_count((row.of.name, row.of.count) for row in rows_by_run)
    rows = sorted(rows_by_run, key=lambda row: names.index(row.of.name))
    colors = run_colors(findings)

    def draw(width: float) -> SvgNode:
        dots = ((row.of.name, Dot(colors[row.run], point(f"{row.run}, {row.of.name}", row.of.share))) for row in rows)
        high = max(row.of.share.high for row in rows)
        return dot_plot("Frequency of each error pattern", dot_rows(names, dots), width, 0.0, _axis_end(high))

    columns: tuple[FigureColumn[RunRow[Pattern]], ...] = (
        FigureColumn("run", "Run", lambda row: row.run),
        FigureColumn("pattern", "Pattern", lambda row: row.of.name),
        FigureColumn("count", "Responses", lambda row: row.of.count, "count"),
        *interval_columns(lambda row: row.of.share, "share", "Share of all"),
        FigureColumn("share_of_errors", "Share of errors", lambda row: row.of.share_of_errors, "share"),
        FigureColumn("description", "Description", lambda row: row.of.description),
    )
    note = "Each response that is not correct has one pattern, determined by comparing its answer with the key."
    return (Figure.of("patterns", "Error patterns", note, columns, rows, draw),)


def _by_count(counted: Iterable[tuple[str, float]]) -> list[str]:
    """The names, the most frequent first."""
    sums: dict[str, float] = {}
    for name, number in counted:
        sums[name] = sums.get(name, 0) + number
    return sorted(sums, key=lambda name: -sums[name])


def _axis_end(high: float) -> float:
    """A round end for an axis of shares."""
    return next((end for end in (0.1, 0.2, 0.25, 0.5, 0.75) if high <= end), 1.0)


def _competing(findings: Findings) -> list[RunSummary]:
    """The runs that summaries are about: those that are not controls, or all if there are no others."""
    control_names = controls(findings)
    return [run for run in findings.runs if run.info.name not in control_names] or list(findings.runs)


def pattern_summary(findings: Findings) -> str:
    run_patterns = [(run, pattern) for run in _competing(findings) for pattern in run.patterns if pattern.count]
    if not run_patterns:
        return ""
    run, most_frequent = max(run_patterns, key=lambda pair: pair[1].count)
    share = percent(most_frequent.share_of_errors)
    return (
        f"Most frequent: {most_frequent.name} ({most_frequent.description}), {share} of the errors of {run.info.name}."
    )


def causes(findings: Findings) -> tuple[Figure, ...]:
    """The likely causes of incorrect answers in each run."""
    rows_by_run = [
        RunRow(run.info.name, cause)
        for run in findings.runs
        if run.attribution
        for cause in run.attribution.causes
        if cause.count
    ]
    if not rows_by_run:
        return ()
    names = _by_count((row.of.name, row.of.count) for row in rows_by_run)
    rows = sorted(rows_by_run, key=lambda row: names.index(row.of.name))
    colors = run_colors(findings)

    def draw(width: float) -> SvgNode:
        dots = ((row.of.name, Dot(colors[row.run], _rate_point(row, row.of.rate))) for row in rows if row.of.rate)
        return dot_plot("Occurrence rate of each cause", dot_rows(names, dots), width)

    columns: tuple[FigureColumn[RunRow[Cause]], ...] = (
        FigureColumn("run", "Run", lambda row: row.run),
        FigureColumn("cause", "Cause", lambda row: row.of.name),
        FigureColumn("count", "Most likely cause of", lambda row: row.of.count, "count"),
        FigureColumn("unambiguous", "Only explanation of", lambda row: row.of.unambiguous, "count"),
        FigureColumn("expected_count", "Expected count", lambda row: row.of.expected_count, "number"),
        FigureColumn("exposed_questions", "Exposed questions", lambda row: row.of.exposed_questions, "count"),
        *interval_columns(lambda row: row.of.rate, "rate", "Occurrence rate", prefix="rate_"),
        FigureColumn("operation", "Stage", lambda row: row.of.operation),
        FigureColumn("alternatives", "Alternatives", lambda row: _format_counts(row.of.alternatives)),
        FigureColumn("description", "Description", lambda row: row.of.description),
    )
    note = (
        "A cause is a fault, such as a dropped filter, that produces exactly the answer given. The occurrence rate is "
        "over the questions whose answer the fault would change; it is blank if there are fewer than five."
    )
    return (Figure.of("causes", "Likely causes", note, columns, rows, draw), *_explained_answers(findings))


def _format_counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {number}" for name, number in counts.items())


def _rate_point(row: RunRow[Cause], rate: Estimate) -> Point:
    exposed = counted(row.of.exposed_questions, "exposed question")
    return Point(rate.value, rate.low, rate.high, f"{row.run}, {row.of.name}: {interval(rate)}, {exposed}")


def _explained_answers(findings: Findings) -> Iterator[Figure]:
    """How many incorrect answers have a likely cause, unless all of them have."""
    rows = [RunRow(run.info.name, run.attribution) for run in findings.runs if run.attribution is not None]
    drawn_rows = [row for row in rows if row.of.incorrect]
    if not any(row.of.explained < row.of.incorrect for row in drawn_rows):
        return

    def draw(width: float) -> SvgNode:
        bars = [(row.run, _attribution_pieces(row.of)) for row in drawn_rows]
        return stacked_bars("Incorrect answers with a likely cause", bars, width, run_colors(findings))

    columns: tuple[FigureColumn[RunRow[Attribution]], ...] = (
        FigureColumn("run", "Run", lambda row: row.run),
        FigureColumn("incorrect", "Incorrect answers", lambda row: row.of.incorrect, "count"),
        FigureColumn("explained", "Explained", lambda row: row.of.explained, "count"),
        FigureColumn("tied", "Tied", lambda row: row.of.tied, "count"),
        FigureColumn("unclear", "Unclear", lambda row: row.of.unclear, "count"),
        FigureColumn("reasons", "Why unclear", lambda row: _format_counts(row.of.unclear_reasons)),
    )
    note = "The cause of an answer is unclear if no single fault explains it, or several do about equally well."
    yield Figure.of("explained", "Explained answers", note, columns, rows, draw)


def _attribution_pieces(attribution: Attribution) -> list[Segment]:
    named = (
        ("kept", "explained", attribution.explained),
        ("reading", "tied between two causes", attribution.tied),
        ("unclear", "unclear", attribution.unclear - attribution.tied),
    )
    return [
        Segment(
            style,
            name,
            number / attribution.incorrect,
            f"{name}: {number:,} of {counted(attribution.incorrect, 'incorrect answer')}",
        )
        for style, name, number in named
    ]


def cause_summary(findings: Findings) -> str:
    attributions = [run.attribution for run in _competing(findings) if run.attribution]
    incorrect, explained = (
        sum(attribution.incorrect for attribution in attributions),
        sum(attribution.explained for attribution in attributions),
    )
    if not incorrect:
        return ""
    share = percent(explained / incorrect)
    return f"{explained:,} of {counted(incorrect, 'incorrect answer')} ({share}) have a likely cause."


@dataclass(frozen=True)
class _LossRow:
    model: str
    bench: str
    what: str
    share: Estimate


def loss_stages(findings: Findings) -> tuple[Figure, ...]:
    """Accuracy lost in finding, reading and computing."""
    # One accuracy alone is a bar without a loss.
    decompositions = [
        decomposition for decomposition in findings.loss_decompositions if len(decomposition.accuracy) > 1
    ]
    if not decompositions:
        return ()
    benches = bench_names(findings)

    def label(decomposition: LossDecomposition) -> str:
        return (
            f"{decomposition.model} on {benches.get(decomposition.bench, decomposition.bench)}"
            if len(benches) > 1
            else decomposition.model
        )

    def draw(width: float) -> SvgNode:
        return stacked_bars(
            "Accuracy lost at each stage",
            [(label(decomposition), _loss_pieces(decomposition)) for decomposition in decompositions],
            width,
        )

    columns: tuple[FigureColumn[_LossRow], ...] = (
        FigureColumn("model", "Model", lambda row: row.model),
        FigureColumn("bench", "Bench", lambda row: benches.get(row.bench, row.bench), hidden=len(benches) < 2),
        FigureColumn("what", "Stage", lambda row: row.what),
        *interval_columns(lambda row: row.share, "share", "Share"),
        FigureColumn("questions", "Questions", lambda row: row.share.items, "count"),
    )
    rows = [row for decomposition in decompositions for row in _loss_rows(decomposition)]
    notes = " ".join(dict.fromkeys(note for decomposition in decompositions for note in decomposition.notes))
    note = notes or "Each question was asked with every system; the table has the intervals."
    is_lost = any(stage.lost.value > 0 for decomposition in decompositions for stage in decomposition.stages)
    return (Figure.of("loss-stages", "Accuracy lost by stage", note, columns, rows, draw if is_lost else None),)


def _loss_rows(decomposition: LossDecomposition) -> Iterator[_LossRow]:
    for system, accuracy in decomposition.accuracy.items():
        yield _LossRow(
            decomposition.model, decomposition.bench, f"correct with {SYSTEMS.get(system, system)}", accuracy
        )
    for stage in decomposition.stages:
        yield _LossRow(
            decomposition.model, decomposition.bench, f"lost in {stage.name}: {stage.description}", stage.lost
        )


def _loss_pieces(decomposition: LossDecomposition) -> list[Segment]:
    accuracy = decomposition.accuracy.get("full")
    name = "correct with the full text"
    pieces = [Segment("kept", name, accuracy.value, f"{name}: {interval(accuracy)}")] if accuracy else []
    for stage in decomposition.stages:
        # A negative loss is sampling noise, which a bar cannot show; the table does.
        name = f"lost in {stage.name}"
        pieces.append(
            Segment(stage.name.replace(" ", "-"), name, max(0.0, stage.lost.value), f"{name}: {interval(stage.lost)}")
        )
    return pieces


def steps(findings: Findings) -> tuple[Figure, ...]:
    """Which intermediate values the reasoning reaches."""
    # Without reasoning in most responses, as in direct answers, steps are reached by chance.
    run_steps = [
        (run.info.name, run.steps)
        for run in findings.runs
        if run.steps is not None and 0 < received_count(run) <= 2 * run.steps.traces
    ]
    if not any(step.reached for _, steps_of_run in run_steps for step in steps_of_run.by_step):
        return ()
    colors = run_colors(findings)
    rows = [RunRow(run, step) for run, steps_of_run in run_steps for step in steps_of_run.by_step]
    most = max((row.of.step for row in rows), default=0)

    def draw(width: float) -> SvgNode:
        dots = ((f"step {row.of.step}", Dot(colors[row.run], _step_point(row))) for row in rows if row.of.expected)
        names = (f"step {number}" for number in range(1, most + 1))
        return dot_plot("Share of traces that reach each step", dot_rows(names, dots), width)

    columns: tuple[FigureColumn[RunRow[StepSummary]], ...] = (
        FigureColumn("run", "Run", lambda row: row.run),
        FigureColumn("step", "Step", lambda row: row.of.step, "count"),
        FigureColumn("expected", "Expected", lambda row: row.of.expected, "count"),
        FigureColumn("reached", "Reached", lambda row: row.of.reached, "count"),
        FigureColumn("first_missing", "First missing step", lambda row: row.of.first_missing, "count"),
    )
    note = "The reasoning in each response is searched for the intermediate values of the question's program."
    return (Figure.of("steps", "Steps reached", note, columns, rows, draw),)


def _step_point(row: RunRow[StepSummary]) -> Point:
    share = row.of.reached / row.of.expected
    tip = f"{row.run}: {row.of.reached:,} of {row.of.expected:,} ({percent(share)})"
    return Point(share, share, share, tip)


def step_summary(findings: Findings) -> str:
    incorrect = sum(run.steps.complete_but_incorrect for run in findings.runs if run.steps)
    if not incorrect:
        return ""
    verb = "reaches every step and gives" if incorrect == 1 else "reach every step and give"
    return f"{counted(incorrect, 'trace')} {verb} an incorrect answer."


def correlates(findings: Findings) -> tuple[Figure, ...]:
    """The correlates of failure, one figure for each run."""
    return tuple(_correlates(number, run) for number, run in enumerate(findings.runs) if run.correlates.rows)


def _correlates(number: int, run: RunSummary) -> Figure:
    def draw(width: float) -> SvgNode:
        lines = [
            DotRow(correlate.description or correlate.name, [Dot(number, _correlation_point(correlate))])
            for correlate in run.correlates.rows
        ]
        return dot_plot("Correlation of success with properties of the questions", lines, width, -1.0, 1.0, "number")

    columns: tuple[FigureColumn[Correlate], ...] = (
        FigureColumn("property", "Property", lambda row: row.name),
        FigureColumn("description", "Description", lambda row: row.description),
        FigureColumn("mean", "Mean", lambda row: row.mean, "number"),
        FigureColumn("correlation", "Correlation", lambda row: row.correlation, "number"),
        FigureColumn("low", "low", lambda row: row.low, "number"),
        FigureColumn("high", "high", lambda row: row.high, "number"),
        FigureColumn("p", "p", lambda row: row.p, "p"),
        FigureColumn("p_holm", "p (Holm)", lambda row: row.p_holm, "p"),
        FigureColumn("odds_ratio", "Odds ratio", lambda row: row.odds_ratio, "number"),
        FigureColumn("odds_low", "low", lambda row: row.odds_low, "number"),
        FigureColumn("odds_high", "high", lambda row: row.odds_high, "number"),
        FigureColumn("odds_p", "p (Holm)", lambda row: row.odds_p, "p"),
    )
    note = " ".join(
        [
            "Below zero: the larger the value, the lower the accuracy. Odds ratios are per standard deviation, with "
            "the other properties fixed.",
            *_exclusions(run.correlates),
        ]
    )
    return Figure.of(f"correlates-{number + 1}", run.info.name, note, columns, run.correlates.rows, draw)


def _correlation_point(correlate: Correlate) -> Point:
    tip = f"{correlate.name}: {correlate.correlation:+.2f} ({correlate.low:+.2f} to {correlate.high:+.2f})"
    return Point(correlate.correlation, correlate.low, correlate.high, tip)


def _exclusions(model: Correlates) -> Iterator[str]:
    """Why there is no logistic model, and which properties are excluded."""
    if model.note:
        yield model.note
    excluded = model.excluded | (model.fit.excluded if model.fit else {})
    if excluded:
        yield f"Excluded: {'; '.join(f'{name} ({reason})' for name, reason in excluded.items())}."
