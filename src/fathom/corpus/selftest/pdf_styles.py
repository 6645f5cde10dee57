"""Page layouts of the PDF writer: one by chance for each title, and several modeled on those of publishers."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

from fathom.corpus.package_data import read_data
from fathom.corpus.selftest.pdf_fonts import Font


@dataclass(frozen=True)
class PaperStyle:
    """How a layout shows title, byline, abstract, headings and references."""

    title: Literal["bold", "plain", "capitals", "small caps"] = "bold"
    title_size: float = 17.0
    centered: bool = True
    """Whether title and byline are centered."""
    byline: Literal["line", "blocks", "marks", "rows"] = "line"
    """Names in one line, in blocks with their affiliations, with superscript marks, or in rows with an address."""
    name_style: Literal["plain", "bold", "capitals"] = "plain"
    abstract: Literal["heading", "run-in", "apart"] = "heading"
    """Below a heading, after "Abstract.", or smaller and over all columns without a heading."""
    headings: Literal["bold", "capitals", "small caps"] = "bold"
    centered_headings: bool = False
    numbers: Literal["", "arabic", "arabic period", "roman"] = ""
    """Numbers of the headings."""
    list_heading: bool = True
    """Whether the reference list has a heading."""


@dataclass(frozen=True)
class PageLayout:
    """Page size, margins, columns and font of a paper. Lengths are in points."""

    width: float
    height: float
    columns: int
    justified: bool
    family: str
    indented: bool
    """Whether paragraphs start with an indent instead of a gap."""
    style: PaperStyle = field(default_factory=PaperStyle)

    side_margin = 62.0
    top_margin = 70.0
    bottom_margin = 70.0
    column_gap = 22.0

    @property
    def text_width(self) -> float:
        return self.width - 2 * self.side_margin

    @property
    def column_width(self) -> float:
        return (self.text_width - self.column_gap * (self.columns - 1)) / self.columns

    def font(self, size: float, bold: bool = False, italic: bool = False) -> Font:
        return Font(self.family, size, bold, italic)


def page_layout(title: str) -> PageLayout:
    """Return the layout for a title: each bit of the title's checksum decides one property."""
    bits = zlib.crc32(title.encode())
    width, height = (595.0, 842.0) if bits & 2 else (612.0, 792.0)
    return PageLayout(
        width, height, 1 + (bits & 1), bool(bits & 4), "Times" if bits & 8 else "Helvetica", indented=bool(bits & 16)
    )


def _layout(
    columns: int, family: str = "Times", indented: bool = True, style: Mapping[str, Any] = MappingProxyType({})
) -> PageLayout:
    return PageLayout(612.0, 792.0, columns, True, family, indented, PaperStyle(**style))


LAYOUTS = {name: _layout(**layout) for name, layout in read_data(__package__, "pdf")["layouts"].items()}
"""Layouts modeled on those of publishers, by the name under which the self-test reports them."""
