"""The figure of settings: paired comparisons of the settings in which the same items were built."""

from __future__ import annotations

from fathom.analysis.findings import Findings, SettingComparison
from fathom.report.accuracy import MAX_PAIRS, why_not_significant
from fathom.report.drawings.canvas import GRAY, SvgNode
from fathom.report.drawings.charts import Dot, DotRow, Point, dot_plot
from fathom.report.figures import Figure, FigureColumn, interval_columns
from fathom.report.ranking import run_colors


def setting_comparisons(findings: Findings) -> tuple[Figure, ...]:
    """Every two settings of each run, paired by item."""
    rows = findings.setting_comparisons
    if not rows:
        return ()
    overall = [comparison for comparison in rows if comparison.comparison.within == "all"]
    colors = run_colors(findings)

    def draw(width: float) -> SvgNode:
        lines = [_line(comparison, colors, len(findings.runs) > 1) for comparison in overall[:MAX_PAIRS]]
        low = min((dot.point.low for row in lines for dot in row.dots), default=-0.1)
        high = max((dot.point.high for row in lines for dot in row.dots), default=0.1)
        title = "Differences between settings with 95% intervals"
        return dot_plot(title, lines, width, min(low, 0.0), max(high, 0.0), "difference")

    columns: tuple[FigureColumn[SettingComparison], ...] = (
        FigureColumn("run", "Run", lambda row: row.run),
        FigureColumn("first", "First", lambda row: row.comparison.first),
        FigureColumn("second", "Second", lambda row: row.comparison.second),
        FigureColumn("within", "Within", lambda row: row.comparison.within),
        FigureColumn("first_accuracy", "First accuracy", lambda row: row.comparison.first_accuracy, "share"),
        FigureColumn("second_accuracy", "Second accuracy", lambda row: row.comparison.second_accuracy, "share"),
        *interval_columns(lambda row: row.comparison.difference, "difference", "Difference", "difference"),
        FigureColumn("only_first", "Only first correct", lambda row: row.comparison.only_first, "count"),
        FigureColumn("only_second", "Only second correct", lambda row: row.comparison.only_second, "count"),
        FigureColumn("pairs", "Pairs", lambda row: row.comparison.items, "count"),
        FigureColumn("p", "p", lambda row: row.comparison.p, "p"),
        FigureColumn("p_holm", "p (Holm)", lambda row: row.comparison.p_holm, "p"),
        FigureColumn("significant", "Significant", lambda row: row.comparison.significant, "yes"),
        FigureColumn("note", "Note", lambda row: row.comparison.note),
    )
    note = (
        "Second setting minus first (percentage points): the same items, shown in two ways, paired by item and "
        "clustered by question paper. Gray: not confirmed by the test."
    )
    return (Figure.of("settings", "Differences between settings", note, columns, rows, draw),)


def _line(comparison: SettingComparison, colors: dict[str, int], with_run: bool) -> DotRow:
    paired = comparison.comparison
    estimate = paired.difference
    tip = (
        f"{paired.second}: {estimate.value * 100:+.1f} points ({estimate.low * 100:+.1f} to {estimate.high * 100:+.1f})"
    )
    tip += "" if paired.significant else f", {why_not_significant(paired)}"
    label = f"{paired.second} − {paired.first}"
    return DotRow(
        f"{comparison.run}: {label}" if with_run else label,
        [
            Dot(
                colors.get(comparison.run, 0) if paired.significant else GRAY,
                Point(estimate.value, estimate.low, estimate.high, tip),
            )
        ],
    )
