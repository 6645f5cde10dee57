"""Charts of a family's measures: precision against recall with lines of equal F1, and box plots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from fathom.analysis.findings import Spread
from fathom.report.drawings.canvas import (
    GRAY,
    LETTER,
    Canvas,
    Scale,
    SvgNode,
    fit_label,
    line,
    node,
    paint,
    percent,
    text,
    text_width,
)
from fathom.report.drawings.charts import NARROW, QUARTERS, round_steps

ISOLINES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
LABELED = (0.1, 0.3, 0.5, 0.7, 0.9)
SHAPES = 4


class PrecisionRecallPoint(NamedTuple):
    """A run's precision and recall for one kind of item."""

    color: int
    """The number of its model."""
    shape: int
    """The number of its system."""
    hollow: bool
    precision: float
    recall: float
    tip: str


class LegendEntry(NamedTuple):
    """The meaning of a color, a shape or a fill."""

    color: int | None
    shape: int
    hollow: bool
    name: str


def precision_recall_plot(
    what: str, points: Sequence[PrecisionRecallPoint], legend: Sequence[LegendEntry], width: float
) -> SvgNode:
    """Precision against recall; the lines join points of equal F1."""
    narrow = width < NARROW
    side = width - 96 if narrow else min(440.0, width - 320)
    below = 20.0 * len(legend) if narrow else 0.0
    canvas = Canvas(width, side + 62 + below, what)
    across, down = Scale(0, 1, 46, 46 + side), Scale(0, 1, side + 12, 12)
    for value in QUARTERS:
        canvas.add(line(46, down(value), 46 + side, down(value), "grid"))
        canvas.add(line(across(value), 12, across(value), side + 12, "grid"))
        canvas.add(text(percent(value), 38, down(value) + 4, "tick", "end"))
        canvas.add(text(percent(value), across(value), side + 29, "tick", "middle"))
    for value in ISOLINES:
        canvas.add(node("path", d=_isoline(value, across, down), class_="isoline"))
    canvas.add(text("recall", 46 + side / 2, side + 50, "quiet", "middle"))
    canvas.add(
        node("text", "precision", transform=f"translate(10 {12 + side / 2:.1f}) rotate(-90)", class_="quiet",
             text_anchor="middle")
    )  # fmt: skip
    for point in points:
        canvas.add(
            _symbol(point.color, point.shape, point.hollow, across(point.recall), down(point.precision), point.tip)
        )
    for value in LABELED:
        # Where the line leaves the plot at the right, below the marks.
        canvas.add(
            text(f"F1 = {value:g}" if value == 0.5 else f"{value:g}", 50 + side, down(value / (2 - value)) + 4, "tick")
        )
    left, top = (46.0, side + 72) if narrow else (46 + side + 70, 24.0)
    for number, entry in enumerate(legend):
        y = top + 20 * number
        canvas.add(_symbol(entry.color, entry.shape, entry.hollow, left, y - 4, None))
        canvas.add(text(fit_label(entry.name, width - left - 14), left + 13, y, "label"))
    return canvas.finish()


def _isoline(f1: float, across: Scale, down: Scale) -> str:
    """All points whose inverse precision and recall add up to 2 / F1, from recall 1 to precision 1."""
    most = 2 / f1 - 1
    inverses = [most ** (number / 40) for number in range(41)]  # in equal ratios: low values have a sharp bend
    corners = ((across(1 / inverse), down(1 / (2 / f1 - inverse))) for inverse in inverses)
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in corners)


def _symbol(color: int | None, shape: int, hollow: bool, x: float, y: float, tip: str | None) -> SvgNode:
    class_ = f"mark {paint(GRAY if color is None else color)}{' hollow' if hollow else ''}"
    common = {"class_": class_, "tabindex": 0 if tip else None, "data_tip": tip}
    size = 5.5
    match shape % SHAPES:
        case 0:
            return node("circle", cx=x, cy=y, r=size, **common)
        case 1:
            path = f"M{x:.1f} {y - size - 1:.1f}l{size + 1:.1f} {2 * size:.1f}h{-2 * size - 2:.1f}z"
        case 2:
            return node("rect", x=x - size, y=y - size, width=2 * size, height=2 * size, **common)
        case _:
            wide, high = size + 1, size + 2
            path = f"M{x:.1f} {y - high:.1f}l{wide:.1f} {high:.1f}l{-wide:.1f} {high:.1f}l{-wide:.1f} {-high:.1f}z"
    return node("path", d=path, **common)


class Box(NamedTuple):
    """One distribution of a box plot."""

    series: int | None
    """The number of the run; None for a reference."""
    name: str
    spread: Spread
    tip: str


def box_plot(what: str, boxes: Sequence[Box], axis: str, width: float) -> SvgNode:
    """Boxes from the first to the third quartile with the median, whiskers, and the mean as a dot."""
    narrow = width < NARROW
    left = 0.0 if narrow else min(330.0, max((text_width(box.name) for box in boxes), default=1) * LETTER + 14)
    each = 46.0 if narrow else 30.0
    canvas = Canvas(width, len(boxes) * each + 52, what)
    high = max((max(box.spread.whisker_high, box.spread.mean) for box in boxes), default=1.0) or 1.0
    low = min(0.0, min((box.spread.whisker_low for box in boxes), default=0.0))
    scale = Scale(low, high, left + 10, width - 16)
    bottom = len(boxes) * each + 6
    for value in round_steps(low, high):
        x = scale(value)
        canvas.add(
            line(x, 2, x, bottom, "axis" if value == 0 else "grid"),
            text(f"{value:,g}", x, bottom + 16, "tick", "middle"),
        )
    canvas.add(text(axis, (left + width) / 2, bottom + 38, "quiet", "middle"))
    for number, box in enumerate(boxes):
        middle = number * each + each / 2 + (8 if narrow else 0)
        if narrow:
            canvas.add(text(fit_label(box.name, width - 12), 2, number * each + 12))
        else:
            canvas.add(text(fit_label(box.name, left), left - 6, middle + 4, anchor="end"))
        _box(canvas, box, scale, middle)
    return canvas.finish()


def _box(canvas: Canvas, box: Box, scale: Scale, y: float) -> None:
    spread, color = box.spread, paint(GRAY if box.series is None else box.series)
    ends = scale(spread.whisker_low), scale(spread.p25), scale(spread.p75), scale(spread.whisker_high)
    parts = [line(start, y, end, y, f"whisker {color}") for start, end in (ends[:2], ends[2:])]
    parts += [line(end, y - 4, end, y + 4, f"whisker {color}") for end in (ends[0], ends[3])]
    parts += [
        node("rect", x=ends[1], y=y - 8, width=max(2.0, ends[2] - ends[1]), height=16, class_=f"box {color}",
             tabindex=0, data_tip=box.tip),
        line(scale(spread.median), y - 8, scale(spread.median), y + 8, f"median {color}"),
        node("circle", cx=scale(spread.mean), cy=y, r=3.2, class_=f"mark {color}"),
    ]  # fmt: skip
    canvas.add(node("g", *parts, data_run=box.series))
