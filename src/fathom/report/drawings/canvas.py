"""Building blocks of charts: elements, labels that fit, axes."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from itertools import accumulate
from math import floor
from xml.sax.saxutils import escape, quoteattr

SvgNode = list[object]
"""An element as JSON: [name, attributes, children], where a child is an element or a text."""

SERIES = 10
"""Number of colors; later runs repeat the colors with another marker shape."""

GRAY = -1
"""The series for anything that is not a run, and for differences that no test confirms."""

LETTER = 6.6
"""Approximate width of a letter in a label."""

BOLD_LETTER = 7.5
"""Approximate width of a letter of a run's name beside its curve."""


def node(name: str, *children: object, **attributes: object) -> SvgNode:
    """One element; `class_` and `text_anchor` become class and text-anchor."""
    named = {
        key.rstrip("_").replace("_", "-"): _format_number(value)
        for key, value in attributes.items()
        if value is not None
    }
    return [name, named, list(children)]


def _format_number(value: object) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def text(words: str, x: float, y: float, class_: str = "label", anchor: str = "start") -> SvgNode:
    """A line of text."""
    return node("text", words, x=x, y=y, class_=class_, text_anchor=anchor)


def line(x1: float, y1: float, x2: float, y2: float, class_: str) -> SvgNode:
    return node("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=class_)


def text_width(words: str) -> int:
    """The width of a text in letters; a Chinese character takes two."""
    return sum(2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in words)


def fit_label(words: str, width: float) -> str:
    """The text, with an ellipsis in place of its middle if it is too wide: names of runs often differ at the end."""
    limit = max(2, int(width / LETTER))
    if text_width(words) <= limit:
        return words
    tail = _first_signs(words[::-1], limit // 3)[::-1]
    head = _first_signs(words, limit - 1 - text_width(tail))
    return f"{head.rstrip()}…{tail.lstrip()}"


def _first_signs(words: str, limit: int) -> str:
    """As much of the beginning as has at most that width."""
    widths = accumulate(map(text_width, words))
    return words[: sum(1 for width in widths if width <= limit)]


def paint(series: int) -> str:
    """The class that colors a series."""
    return "plain" if series == GRAY else f"s{series % SERIES}"


def marker(series: int, x: float, y: float, tip: str, size: float = 4.5) -> SvgNode:
    """The marker of a series: its color, and another shape after every ten."""
    shape = 0 if series == GRAY else (series // SERIES) % 3
    common = {"class_": f"mark {paint(series)}", "tabindex": 0, "data_tip": tip, "data_run": series}
    if shape == 0:
        return node("circle", cx=x, cy=y, r=size, **common)
    if shape == 1:
        return node("rect", x=x - size, y=y - size, width=2 * size, height=2 * size, **common)
    return node("path", d=f"M{x:.1f} {y - size - 1:.1f}l{size + 1:.1f} {2 * size:.1f}h{-2 * size - 2:.1f}z", **common)


@dataclass
class Canvas:
    """A drawing under construction."""

    width: float
    height: float
    what: str
    """A description for screen readers."""
    nodes: list[SvgNode] = field(default_factory=list)

    def add(self, *nodes: SvgNode) -> None:
        self.nodes.extend(nodes)

    def finish(self) -> SvgNode:
        """The drawing as one element."""
        box = f"0 0 {_format_number(float(self.width))} {_format_number(float(self.height))}"
        # A group, so that screen readers can reach its marks one by one.
        return node("svg", *self.nodes, viewBox=box, role="group", aria_label=self.what, class_="drawing")


@dataclass(frozen=True)
class Scale:
    """Maps values to positions along one axis."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        if self.high == self.low:
            return (self.start + self.end) / 2
        share = (value - self.low) / (self.high - self.low)
        return self.start + min(1.0, max(0.0, share)) * (self.end - self.start)


def share_axis(canvas: Canvas, scale: Scale, top: float, bottom: float, steps: Sequence[float]) -> None:
    """Grid lines and percentages along a horizontal axis of shares."""
    for value in steps:
        x = scale(value)
        canvas.add(line(x, top, x, bottom, "grid"), text(percent(value), x, bottom + 16, "tick", "middle"))


def percent(value: float, decimals: int = 0) -> str:
    """In percent, rounding half up as the page's script does."""
    steps = 10**decimals
    return f"{floor(value * 100 * steps + 0.5) / steps:.{decimals}f}%"


def spread_apart(values: Iterable[float], gap: float, low: float, high: float) -> list[float]:
    """The positions, moved as little as possible so that neighbors keep the gap."""
    positions = list(values)
    order = sorted(range(len(positions)), key=lambda number: positions[number])
    spread = positions.copy()
    ceiling = low
    for number in order:
        spread[number] = max(positions[number], ceiling)
        ceiling = spread[number] + gap
    limit = high
    for number in reversed(order):
        spread[number] = min(spread[number], limit)
        limit = spread[number] - gap
    return spread


RULES = """
svg{font-family:Helvetica,Arial,sans-serif;background:@sheet}
.label,.name{font-size:12px;fill:@ink}.name{font-weight:600}.tick,.quiet{font-size:11px;fill:@quiet}
.onmark{font-size:11px;fill:@on-mark}.grid{stroke:@hair}.axis{stroke:@hair-strong}
.frontier{stroke:@faint;stroke-dasharray:3 3}.mark{stroke:@sheet;stroke-width:1}.line{fill:none;stroke-width:2}
.whisker{stroke-width:1.6;opacity:.5}.isoline{fill:none;stroke:@hair-strong;stroke-dasharray:2 3}
.box{fill-opacity:.22;stroke-width:1.2}.median{stroke-width:2.4}.mark.plain,.box.plain{fill:@quiet}
.whisker.plain,.median.plain,.box.plain{stroke:@quiet}.mark.hollow.plain{stroke:@quiet;fill-opacity:.25}
.kept{fill:@correct}.finding{fill:@s4}.reading{fill:@s1}.computing{fill:@s8}.finding-and-reading{fill:@s5}.gave-up{fill:@s3}.spent{fill:@s6}.unclear{fill:@faint}.dark{fill:@on-deep}
.strong{font-weight:600}.d0{fill:@none}.up1{fill:@h1}.up2{fill:@h3}.up3{fill:@h5}.up4{fill:@h7}
.down1{fill:@o1}.down2{fill:@o2}.down3{fill:@o3}.down4{fill:@o4}
"""
"""Styles of SVG files; the colors are those of the page's light theme."""


@cache
def style() -> str:
    """The styles with literal colors: many SVG programs do not support variables."""
    page = files("fathom.report").joinpath("page", "theme.css").read_text("utf-8")
    light = page[: page.index("}")]
    colors = dict(re.findall(r"--([a-z0-9-]+): (#[0-9a-f]{6})", light))
    rules = re.sub(r"@([a-z0-9-]+)", lambda match: colors[match[1]], RULES)
    for number in range(SERIES):
        color = colors[f"s{number}"]
        rules += f".mark.s{number},.name.s{number}{{fill:{color}}}"
        rules += f".line.s{number},.whisker.s{number},.box.s{number},.median.s{number}{{stroke:{color}}}"
        rules += f".box.s{number}{{fill:{color}}}.mark.hollow.s{number}{{fill-opacity:.25;stroke:{color}}}\n"
    return rules + "".join(f".h{shade}{{fill:{colors[f'h{shade}']}}}" for shade in range(9)) + "\n"


def as_svg(drawing: SvgNode) -> str:
    """The drawing as an SVG file."""
    name, attributes, children = drawing
    assert isinstance(attributes, dict)
    assert isinstance(children, list)
    box = str(attributes["viewBox"]).split()
    root = node(str(name), node("style", style()), *children)
    root[1] = {"xmlns": "http://www.w3.org/2000/svg", "width": box[2], "height": box[3], **attributes}
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + _write_node(root) + "\n"


def _write_node(item: object) -> str:
    if not isinstance(item, list):
        return escape(xml_safe(str(item)))
    name, attributes, children = item
    # Tooltips of the page become titles.
    tip = attributes.get("data-tip")
    inside = (f"<title>{escape(xml_safe(tip))}</title>" if tip else "") + "".join(map(_write_node, children))
    written = {key: value for key, value in attributes.items() if key not in ("data-tip", "data-run", "tabindex")}
    return (
        f"<{name}{''.join(f' {key}={quoteattr(xml_safe(value))}' for key, value in written.items())}>{inside}</{name}>"
    )


def xml_safe(words: str) -> str:
    """The text without characters that XML does not allow."""
    return "".join(
        sign
        if sign in "\t\n" or (sign >= " " and not "\ud800" <= sign <= "\udfff" and sign not in "\ufffe\uffff")
        else "\ufffd"
        for sign in words
    )
