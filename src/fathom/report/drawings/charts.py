"""Charts: dot plots with intervals, curves, scatter plots, stacked bars, heat maps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import ceil, floor, inf, log10
from typing import NamedTuple

from fathom.records.lengths import format_length
from fathom.report.drawings.canvas import (
    BOLD_LETTER,
    GRAY,
    LETTER,
    Canvas,
    Scale,
    SvgNode,
    fit_label,
    line,
    marker,
    node,
    paint,
    percent,
    share_axis,
    spread_apart,
    text,
    text_width,
)

QUARTERS = (0.0, 0.25, 0.5, 0.75, 1.0)
NARROW = 520
"""Below this width labels are above the marks instead of beside them."""
MAX_LABEL = 330.0
"""The widest label beside the marks of a row."""
MIN_COLUMN_WIDTH = 18
"""Below this width only every fifth column has its number."""
MAX_NAMES = 12
"""Points of a scatter plot that are all labeled; of more, only the Pareto-optimal ones."""


class Point(NamedTuple):
    """A value with its interval and tooltip."""

    value: float
    low: float
    high: float
    tip: str
    shown: str = ""
    """The value beside a row, where the axis would write it in another way."""


class Dot(NamedTuple):
    """A point of a series."""

    series: int
    point: Point


class DotRow(NamedTuple):
    """One row of a dot plot: a name and the points of its series."""

    name: str
    dots: Sequence[Dot]
    runs: tuple[int, ...] = ()
    """The runs that the row is about, if not that of its only dot: the page hides the row with any of them."""

    def hidden_with(self) -> str | None:
        """The runs without which the row has no meaning; None for a row about several runs."""
        runs = self.runs or tuple(dot.series for dot in self.dots if len(self.dots) == 1 and dot.series != GRAY)
        return " ".join(map(str, runs)) or None


def dot_rows(names: Iterable[str], dots: Iterable[tuple[str, Dot]]) -> list[DotRow]:
    """A row for each name, with the dots of that name."""
    named = list(dots)
    return [DotRow(name or "(none)", [dot for key, dot in named if key == name]) for name in names]


def dot_plot(
    title: str,
    lines: Sequence[DotRow],
    width: float,
    low: float = 0.0,
    high: float = 1.0,
    unit: str = "share",
    ticks: Sequence[float] | None = None,
) -> SvgNode:
    """A dot plot with intervals: one row per name, with its series below one another.

    `ticks` are the marks of the axis if they are not its round values.
    """
    narrow = width < NARROW
    left = 0.0 if narrow else min(MAX_LABEL, max((text_width(row.name) for row in lines), default=1) * LETTER + 14)
    step, pad = 13.0, 12.0
    heights = [max(1, len(row.dots)) * step + pad + (16 if narrow else 0) for row in lines]
    canvas = Canvas(width, sum(heights) + 34, title)
    scale = Scale(low, high, left + 10, width - (12 if narrow else 56))
    bottom = sum(heights) + 4
    steps = ticks or (QUARTERS if unit == "share" else round_steps(low, high))
    free = -inf
    for value in steps:
        x = scale(value)
        canvas.add(line(x, 2, x, bottom, "axis" if unit != "share" and value == 0 else "grid"))
        # The logarithmic scale of lengths begins with a tick for "none".
        name = "none" if unit == "tokens" and value == low else _tick(value, unit)
        half_width = text_width(name) * LETTER / 2
        if ticks is None or x - half_width >= free:
            canvas.add(text(name, x, bottom + 16, "tick", "middle"))
            free = x + half_width + 6
    top = 2.0
    for row, height in zip(lines, heights, strict=True):
        _dot_line(canvas, row, scale, left, top, height, step, narrow, unit)
        top += height
    return canvas.finish()


def _dot_line(
    canvas: Canvas,
    row: DotRow,
    scale: Scale,
    left: float,
    top: float,
    height: float,
    step: float,
    narrow: bool,
    unit: str,
) -> None:
    first = top + (height - len(row.dots) * step) / 2 + step / 2 + (8 if narrow else 0)
    if narrow:
        parts = [text(fit_label(row.name, canvas.width - 12), 2, top + 13)]
    else:
        parts = [text(fit_label(row.name, left), left - 6, top + height / 2 + 4, anchor="end")]
    for number, (series, point) in enumerate(row.dots):
        y = first + number * step
        ends = {"x1": scale(point.low), "y1": y, "x2": scale(point.high), "y2": y}
        parts.append(node("line", class_=_whisker(series), data_run=series, **ends))
        parts.append(marker(series, scale(point.value), y, point.tip, 4))
        if not narrow and len(row.dots) == 1:
            is_none = unit == "tokens" and point.value <= scale.low
            label = "none" if is_none else point.shown or _tick(point.value, unit, 1)
            parts.append(text(label, canvas.width - 4, y + 4, "quiet", "end"))
    canvas.add(node("g", *parts, data_runs=row.hidden_with()))


def _whisker(series: int) -> str:
    return f"whisker {paint(series)}"


def _tick(value: float, unit: str, decimals: int = 0) -> str:
    if unit == "share":
        return percent(value, decimals)
    if unit == "tokens":
        return format_length(round(2**value))
    if unit == "difference":
        return _format_signed(value * 100, decimals)
    return _format_signed(value, 2) if decimals else f"{value:g}".replace("-", "−")


def _format_signed(value: float, decimals: int) -> str:
    """A number with its sign; a zero has none."""
    rounded = round(value, decimals)
    return f"{rounded:+.{decimals}f}".replace("-", "−") if rounded else "0"


def round_steps(low: float, high: float) -> list[float]:
    """Four to eight round values between two, zero among them."""
    width = (high - low) or 1.0
    size = 10.0 ** floor(log10(width / 5))
    size *= next(times for times in (1, 2, 5, 10) if width / (size * times) <= 8)
    return [round(number * size, 9) for number in range(ceil(low / size), floor(high / size) + 1)]


class Curve(NamedTuple):
    """A series of points over a logarithmic axis."""

    series: int
    name: str
    points: Sequence[tuple[float, Point]]
    is_joined: bool = True
    """Whether a line joins the points: they are comparable."""


def line_chart(title: str, lines: Sequence[Curve], ticks: Sequence[tuple[float, str]], width: float) -> SvgNode:
    """Shares over a logarithmic axis with intervals; the curves that reach its end are labeled there."""
    narrow = width < NARROW
    height = 260.0 if narrow else 320.0
    last = max((value for value, _ in ticks), default=0)
    labeled = [curve for curve in lines if curve.points and curve.points[-1][0] == last]
    names = max((text_width(curve.name) for curve in labeled), default=1) * BOLD_LETTER
    right = 12.0 if narrow else min(220.0, names + 12)
    canvas = Canvas(width, height, title)
    down = Scale(0, 1, height - 34, 14)
    positions = [log10(value) for value, _ in ticks]
    along = Scale(min(positions), max(positions), 48, width - right - 12)
    for value in QUARTERS:
        y = down(value)
        canvas.add(line(36, y, width - right, y, "grid"), text(percent(value), 30, y + 4, "tick", "end"))
    for value, name in ticks:
        canvas.add(text(name, along(log10(value)), height - 12, "tick", "middle"))
    for number, curve in enumerate(lines):
        # Shift each run by a few pixels, so that intervals at the same length do not overlap.
        shift = (number - (len(lines) - 1) / 2) * 3
        _curve(canvas, curve, along, down, shift)
    if not narrow:
        _names(canvas, labeled, down, width - right + 10, right - 12)
    return canvas.finish()


def _curve(canvas: Canvas, curve: Curve, along: Scale, down: Scale, shift: float) -> None:
    points = [(along(log10(tokens)) + shift, point) for tokens, point in curve.points]
    if not points:
        return
    color = paint(curve.series)
    path = "M" + "L".join(f"{x:.1f} {down(point.value):.1f}" for x, point in points)
    parts = [node("path", d=path, class_=f"line {color}")] if curve.is_joined else []
    parts += [
        node("line", x1=x, y1=down(point.low), x2=x, y2=down(point.high), class_=_whisker(curve.series))
        for x, point in points
    ]
    parts += [marker(curve.series, x, down(point.value), point.tip) for x, point in points]
    canvas.add(node("g", *parts, data_run=curve.series))


def _names(canvas: Canvas, lines: Sequence[Curve], down: Scale, x: float, width: float) -> None:
    heights = spread_apart((down(curve.points[-1][1].value) + 4 for curve in lines), 15, 18, canvas.height - 36)
    for curve, y in zip(lines, heights, strict=True):
        label = node(
            "text",
            fit_label(curve.name, width * LETTER / BOLD_LETTER),
            x=x,
            y=y,
            class_=f"label name {paint(curve.series)}",
            data_run=curve.series,
        )
        canvas.add(label)


class ScatterPoint(NamedTuple):
    """One run in a scatter plot."""

    series: int
    name: str
    x: float
    point: Point
    frontier: str | None
    """The Pareto-optimal runs that this one is among; None if it is not Pareto-optimal."""


def scatter_plot(title: str, spots: Sequence[ScatterPoint], axis: str, width: float) -> SvgNode:
    """Shares against cost on a logarithmic axis; Pareto-optimal runs are joined by lines."""
    narrow = width < NARROW
    height = 280.0 if narrow else 320.0
    canvas = Canvas(width, height, title)
    down = Scale(0, 1, height - 52, 14)
    costs = [spot.x for spot in spots if spot.x > 0] or [1.0]
    low, high = int(log10(min(costs)) - 1 if min(costs) < 1 else log10(min(costs))), log10(max(costs))
    high = int(high) + 1 if high >= 0 else int(high)
    along = Scale(low, max(high, low + 1), 64, width - 28)
    for value in QUARTERS:
        y = down(value)
        canvas.add(line(36, y, width - 8, y, "grid"), text(percent(value), 30, y + 4, "tick", "end"))
    for power in range(low, max(high, low + 1) + 1):
        x = along(power)
        canvas.add(line(x, height - 52, x, height - 47, "axis"))
        canvas.add(text(_amount(10.0**power), x, height - 34, "tick", "middle"))
    canvas.add(text(axis, (64 + width - 28) / 2, height - 8, "quiet", "middle"))
    best = sorted((spot for spot in spots if spot.frontier is not None and spot.x > 0), key=lambda spot: spot.x)
    for frontier in dict.fromkeys(spot.frontier for spot in best):
        for left, right in pairwise(spot for spot in best if spot.frontier == frontier):
            canvas.add(
                line(
                    along(log10(left.x)),
                    down(left.point.value),
                    along(log10(right.x)),
                    down(right.point.value),
                    "frontier",
                )
            )
    positions = {spot: along(log10(spot.x)) if spot.x > 0 else 48.0 for spot in spots}
    for spot, x in positions.items():
        _spot(canvas, spot, x, down)
    if not narrow:
        # More names than fit would be far from their points: then those on a line alone are labeled.
        labeled = (
            spots if len(spots) <= MAX_NAMES else [spot for spot in spots if spot.frontier is not None][:MAX_NAMES]
        )
        marks = [(x, down(spot.point.value)) for spot, x in positions.items()]
        _spot_names(canvas, [(spot, positions[spot], down(spot.point.value)) for spot in labeled], marks)
    return canvas.finish()


class _Box(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float

    def overlap(self, other: _Box) -> float:
        """The area that both have in common."""
        across = min(self.right, other.right) - max(self.left, other.left)
        down = min(self.bottom, other.bottom) - max(self.top, other.top)
        return max(0.0, across) * max(0.0, down)


def _spot_names(
    canvas: Canvas, labeled: Sequence[tuple[ScatterPoint, float, float]], marks: Iterable[tuple[float, float]]
) -> None:
    """A name beside each mark, where it covers the fewest marks and other names."""
    boxes = [_Box(x - 7, y - 7, x + 7, y + 7) for x, y in marks]
    for spot, x, y in labeled:
        name = fit_label(spot.name, max(x, canvas.width - x) - 20)
        width = text_width(name) * BOLD_LETTER
        candidates = [
            (_Box(left, y + lower - 10, left + width, y + lower + 3), anchor)
            for lower in (4, -9, 18, -23, 32)
            for left, anchor in ((x + 11, "start"), (x - 11 - width, "end"))
            if left >= 0 and left + width <= canvas.width and 12 <= y + lower <= canvas.height - 56
        ]
        if not candidates:
            continue
        box, anchor = min(candidates, key=lambda candidate: sum(map(candidate[0].overlap, boxes)))
        boxes.append(box)
        style = f"label name {paint(spot.series)}"
        label = text(name, box.left if anchor == "start" else box.right, box.bottom - 3, style, anchor)
        canvas.add(node("g", label, data_runs=spot.series))


def _spot(canvas: Canvas, spot: ScatterPoint, x: float, down: Scale) -> None:
    ends = {"x1": x, "y1": down(spot.point.low), "x2": x, "y2": down(spot.point.high)}
    canvas.add(
        node("line", class_=_whisker(spot.series), data_run=spot.series, **ends),
        marker(spot.series, x, down(spot.point.value), spot.point.tip, 5.5),
    )


def _amount(value: float) -> str:
    if value >= 1_000_000:
        return f"{value / 1_000_000:g}M"
    if value >= 1_000:
        return f"{value / 1_000:g}K"
    return f"{value:g}" if value >= 0.001 else f"{value:.12f}".rstrip("0")


class Segment(NamedTuple):
    """One segment of a stacked bar."""

    class_: str
    name: str
    share: float
    tip: str


def stacked_bars(
    title: str, rows: Sequence[tuple[str, Sequence[Segment]]], width: float, series: Mapping[str, int] | None = None
) -> SvgNode:
    """Stacked bars that add up to a whole; wide segments are labeled with their shares.

    `series` has the number of each run by the name of its row, so that the page can hide it.
    """
    narrow = width < NARROW
    left = 0.0 if narrow else min(230.0, max((text_width(name) for name, _ in rows), default=1) * LETTER + 14)
    row_height = 52.0 if narrow else 40.0
    segments = dict.fromkeys((piece.class_, piece.name) for _, pieces in rows for piece in pieces)
    drawn_names = {piece.name for _, pieces in rows for piece in pieces if piece.share > 0}
    names = [(class_, name) for class_, name in segments if name in drawn_names]
    positions = list(_stack_places([name for _, name in names], width - left - 24, narrow))
    canvas = Canvas(width, len(rows) * row_height + 52 + max((y for _, y in positions), default=0), title)
    scale = Scale(0, 1, left + 8, width - 16)
    for (class_, name), (across, below) in zip(names, positions, strict=True):
        x, y = left + 8 + across, len(rows) * row_height + 44 + below
        canvas.add(node("rect", x=x, y=y - 9, width=10, height=10, class_=class_), text(name, x + 15, y, "quiet"))
    share_axis(canvas, scale, 2, len(rows) * row_height + 2, QUARTERS)
    for number, (name, pieces) in enumerate(rows):
        top = number * row_height + (20 if narrow else 8)
        if narrow:
            label = text(fit_label(name, width - 12), 2, top - 4)
        else:
            label = text(fit_label(name, left), left, top + 16, anchor="end")
        canvas.add(node("g", label, *_stack(pieces, scale, top), data_runs=(series or {}).get(name)))
    return canvas.finish()


def _stack_places(names: Iterable[str], width: float, narrow: bool) -> Iterator[tuple[float, float]]:
    """The position of each name of a legend, with as many names in a row as fit the width."""
    x = y = 0.0
    for name in names:
        wide = text_width(name) * LETTER + 34
        if x and (narrow or x + wide - 19 > width):
            x, y = 0.0, y + 18
        yield x, y
        x += wide


def _stack(pieces: Sequence[Segment], scale: Scale, top: float) -> Iterator[SvgNode]:
    start = 0.0
    for piece in pieces:
        x, end = scale(start), scale(start + piece.share)
        start += piece.share
        wide = max(0.0, end - x - 1)
        yield node("rect", x=x, y=top, width=wide, height=24, class_=piece.class_, tabindex=0, data_tip=piece.tip)
        if wide > 34:
            yield text(percent(piece.share), (x + end) / 2, top + 16, "onmark", "middle")


class HeatCell(NamedTuple):
    """One cell of a heat map."""

    row: str
    column: str
    value: float
    questions: int
    tip: str


def heat_map(
    title: str, rows: Sequence[str], columns: Sequence[str], fields: Sequence[HeatCell], width: float
) -> SvgNode:
    """Shares as shades, labeled in percent; cells with few questions have smaller labels."""
    left = min(width * 0.34, max((text_width(row) for row in rows), default=1) * LETTER + 12)
    cell_width = (width - left - 4) / max(1, len(columns))
    canvas = Canvas(width, 76 + len(rows) * 30, title)
    for number, column in enumerate(columns):
        x = left + (number + 0.5) * cell_width
        canvas.add(
            node(
                "text",
                fit_label(column, max(cell_width * 1.7, 84)),
                transform=f"translate({x:.1f} 66) rotate(-24)",
                class_="tick",
                data_tip=column,
            )
        )
    for number, row in enumerate(rows):
        canvas.add(text(fit_label(row, left - 6), left - 8, 94 + number * 30, anchor="end"))
    for field in fields:
        x, y = left + columns.index(field.column) * cell_width, 75 + rows.index(field.row) * 30
        shade = round(field.value * 8)
        canvas.add(
            node(
                "rect",
                x=x + 1,
                y=y,
                width=max(1.0, cell_width - 2),
                height=28,
                class_=f"h{shade}",
                tabindex=0,
                data_tip=field.tip,
            )
        )
        if cell_width >= 24:
            size = "tick" if field.questions < 10 else "label"
            color = f"{size} dark" if shade >= 6 else size
            canvas.add(text(f"{field.value * 100:.0f}", x + cell_width / 2, y + 18, color, "middle"))
    return canvas.finish()


class DifferenceCell(NamedTuple):
    """The row's value minus the column's."""

    row: str
    column: str
    value: float
    confirmed: bool
    tip: str


def difference_matrix(
    what: str, names: Sequence[str], fields: Sequence[DifferenceCell], series: Mapping[str, int], width: float
) -> SvgNode:
    """Differences in points between every two names; a difference that a test confirms is shaded and bold.

    Columns have the numbers of the rows: beside one another there is no room for names of runs. `series` has the number
    of each run, so that the page can hide it.
    """
    labels = [f"{name} · {number}" for number, name in enumerate(names, start=1)]
    left = min(width * 0.45, max(map(text_width, labels), default=1) * LETTER + 12)
    each = min(92.0, (width - left - 4) / max(1, len(names)))
    canvas = Canvas(width, 30 + len(names) * 30, what)
    for index, (name, label) in enumerate(zip(names, labels, strict=True)):
        x, y = left + (index + 0.5) * each, 48 + index * 30
        shared = {"data_tip": name, "data_runs": series.get(name)}
        if each >= MIN_COLUMN_WIDTH or (index + 1) % 5 == 0:
            canvas.add(node("text", index + 1, x=x, y=20, class_="tick", text_anchor="middle", **shared))
        canvas.add(
            node("text", fit_label(label, left - 6), x=left - 8, y=y, class_="label", text_anchor="end", **shared)
        )
    for field in fields:
        x, y = left + names.index(field.column) * each, 29 + names.index(field.row) * 30
        step = min(4, ceil(abs(field.value) * 8)) if field.confirmed else 0
        shade = f"{'up' if field.value > 0 else 'down'}{step}" if step else "d0"
        size = {"x": x + 1, "y": y, "width": max(1.0, each - 2), "height": 28}
        parts = [node("rect", class_=shade, tabindex=0, data_tip=field.tip, **size)]
        if each >= 30:
            style = f"{'label strong' if field.confirmed else 'tick'}{' dark' if step >= 4 else ''}"
            parts.append(text(_format_signed(field.value * 100, 0), x + each / 2, y + 18, style, "middle"))
        runs = " ".join(str(series[name]) for name in (field.row, field.column) if name in series)
        canvas.add(node("g", *parts, data_runs=runs or None))
    return canvas.finish()
