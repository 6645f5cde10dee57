"""A small PDF writer with one or two columns, running heads, hyphenation and tables."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from fathom.corpus.readers.parsed_document import Block, Heading, Inlines, Paragraph, ParsedDocument, ParsedTable
from fathom.corpus.readers.parsing.blocks import inlines_text
from fathom.corpus.selftest.documents import PRINTED_NUMBER
from fathom.corpus.selftest.pdf_fonts import (
    FONT_NAMES,
    SUPERSCRIPT_OFF,
    SUPERSCRIPT_ON,
    Font,
    pieces,
    printable,
    small_caps,
    text_width,
)
from fathom.corpus.selftest.pdf_front import numbered_headings, title_lines
from fathom.corpus.selftest.pdf_styles import LAYOUTS, PageLayout, page_layout
from fathom.corpus.selftest.pdf_typesetting import LEADING, TextRun, TypesetLine, add_spacing, typeset


def pdf(document: ParsedDocument) -> dict[str, bytes]:
    """Return a document as a PDF file. The title determines the layout, so that the file is always the same."""
    return _write_pdf(document, page_layout(document.title))


def _write_pdf(document: ParsedDocument, layout: PageLayout) -> dict[str, bytes]:
    return {"paper.pdf": _pdf_file(_page_commands(document, layout), layout)}


PDF_LAYOUTS: dict[str, Callable[[ParsedDocument], dict[str, bytes]]] = {
    name: partial(_write_pdf, layout=layout) for name, layout in LAYOUTS.items()
}
"""Writers of articles in the layouts of publishers, by format."""


# Blocks.

_BODY_SIZE, _SMALL_SIZE, _ENTRY_SIZE = 10.0, 8.0, 9.0
_HEADING_SIZES = {2: 13.0, 3: 11.5}


def _block_lines(block: Block, layout: PageLayout) -> list[TypesetLine]:
    match block:
        case Heading(level, inlines):
            return _heading_lines(level, _text(inlines), layout)
        case Paragraph(inlines):
            return _paragraph_lines(_text(inlines), layout)
        case ParsedTable(caption, rows):
            return _table_lines(_text(caption), [[_text(cell.inlines) for cell in row] for row in rows], layout)


def _heading_lines(level: int, text: str, layout: PageLayout) -> list[TypesetLine]:
    style = layout.style
    styled = {"capitals": text.upper(), "small caps": small_caps(text)}.get(style.headings, text)
    size = _HEADING_SIZES.get(level, 10.5)
    if style.centered_headings:
        size = _BODY_SIZE
    font = layout.font(size, bold=style.headings != "small caps")
    lines = typeset(styled, font, layout.column_width, centered=style.centered_headings)
    return add_spacing([replace(line, lines_below=3) for line in lines], 10, 3)


def _text(inlines: Inlines) -> str:
    """Return the printable text with control characters around each superscript."""
    return "".join(
        SUPERSCRIPT_ON + printable(piece) + SUPERSCRIPT_OFF if number % 2 else printable(piece)
        for number, piece in enumerate(re.split(r"<sup>(.*?)</sup>", inlines_text(inlines)))
    )


def _paragraph_lines(text: str, layout: PageLayout) -> list[TypesetLine]:
    indent = 12.0 if layout.indented else 0.0
    lines = typeset(text, layout.font(_BODY_SIZE), layout.column_width, indent=indent, justified=layout.justified)
    return add_spacing(lines, 0 if layout.indented else 5)


def _table_lines(caption: str, rows: list[list[str]], layout: PageLayout) -> list[TypesetLine]:
    """Return the lines of the caption and of the rows. A long cell is wrapped within its column."""
    font = _table_font(rows, layout)
    widths = _column_widths(rows, font, layout.column_width)
    # Keep the caption in one column with the first rows.
    caption_lines = add_spacing(typeset(caption, layout.font(9), layout.column_width), 10, 4)
    lines = [
        replace(line, lines_below=4 + 2 * (len(caption_lines) - number))
        for number, line in enumerate(caption_lines, start=1)
    ]
    for number, row in enumerate(rows):
        row_font = replace(font, bold=number == 0)
        cells = [typeset(text, row_font, width - 6) for text, width in zip(row, widths, strict=False)]
        depth = max((len(cell) for cell in cells), default=0)
        for level in range(depth):
            runs = tuple(
                replace(cell[level].runs[0], left=sum(widths[:index]))
                for index, cell in enumerate(cells)
                if level < len(cell)
            )
            last = level == depth - 1
            lines.append(TypesetLine(runs, font.size * LEADING, rule_below=last and number in (0, len(rows) - 1)))
    return add_spacing(lines, 10, 10)


def _table_font(rows: list[list[str]], layout: PageLayout) -> Font:
    """Return the largest of five sizes at which the longest word of each column fits; else the smallest."""
    fonts = [layout.font(_SMALL_SIZE - step) for step in range(5)]
    return next(
        (font for font in fonts if sum(_part_widths(rows, font, str.split, 7)) <= layout.column_width), fonts[-1]
    )


def _column_widths(rows: list[list[str]], font: Font, available: float) -> list[float]:
    """Return the width of each column: its widest cell, shrunk toward its longest word if the table is too wide."""
    natural = _part_widths(rows, font, lambda text: [text], 12)
    minimum = _part_widths(rows, font, str.split, 7)
    excess = sum(natural) - sum(minimum)
    share = min(1.0, max(0.0, available - sum(minimum)) / excess) if excess else 1.0
    return [short + share * (full - short) for short, full in zip(minimum, natural, strict=True)]


def _part_widths(rows: list[list[str]], font: Font, parts: Callable[[str], list[str]], padding: float) -> list[float]:
    """Return the width of each column's widest part in bold, plus padding. `parts` splits a cell's text."""
    bold = replace(font, bold=True)
    columns = itertools.zip_longest(*rows, fillvalue="")
    return [
        max((text_width(part, bold) for text in column for part in parts(text)), default=0) + padding
        for column in columns
    ]


def _reference_lines(text: str, layout: PageLayout) -> list[TypesetLine]:
    """Return the lines of a reference with a hanging indent. A printed number goes into the indent."""
    font = layout.font(_ENTRY_SIZE)
    text = printable(text).strip()
    number = PRINTED_NUMBER.match(text)
    if number is None:
        return add_spacing(typeset(text, font, layout.column_width, hanging=14, justified=layout.justified), 2)
    number_width = text_width("[000] ", font)
    lines = typeset(
        text[number.end() :],
        font,
        layout.column_width,
        indent=number_width,
        hanging=number_width,
        justified=layout.justified,
    )
    lines[0] = replace(lines[0], runs=(TextRun(0, number[0].strip(), font), *lines[0].runs))
    return add_spacing(lines, 2)


# Pages.


@dataclass
class _PageWriter:
    """Places lines on pages, column by column."""

    layout: PageLayout
    pages: list[list[str]] = field(default_factory=lambda: [[]])
    """PDF drawing commands of each page."""
    _column: int = 0
    _top: float = 0.0
    """Height at which columns start on this page: below the title on the first."""
    _y: float = 0.0
    """Height reached in the current column, measured from the bottom of the page."""

    def __post_init__(self) -> None:
        self._top = self._y = self.layout.height - self.layout.top_margin

    def write_full_width(self, lines: Sequence[TypesetLine]) -> None:
        """Write lines over the full text width. Columns start below them."""
        for line in lines:
            self._draw(line, self.layout.side_margin, self.layout.text_width)
        self._top = self._y

    def write_columns(self, lines: Sequence[TypesetLine]) -> None:
        """Write lines in the current column, and in new ones as it fills."""
        for line in lines:
            needed = line.space_above + line.leading + line.lines_below * _BODY_SIZE * LEADING
            full = self._y - needed < self.layout.bottom_margin
            if full:
                self._next_column()
            left = self.layout.side_margin + self._column * (self.layout.column_width + self.layout.column_gap)
            self._draw(replace(line, space_above=0) if full else line, left, self.layout.column_width)

    def _next_column(self) -> None:
        """Start the next column, on a new page after the last one."""
        self._column += 1
        if self._column == self.layout.columns:
            self._column = 0
            self.pages.append([])
            self._top = self.layout.height - self.layout.top_margin
        self._y = self._top

    def _draw(self, line: TypesetLine, left: float, width: float) -> None:
        self._y -= line.space_above + line.runs[0].font.size * LEADING
        self.pages[-1] += (_text_commands(run, left, self._y) for run in line.runs)
        if line.rule_below:
            self.pages[-1].append(f"{left:.2f} {self._y - 3:.2f} {width:.2f} 0.4 re f")
        self._y -= line.leading - line.runs[0].font.size * LEADING


def _page_commands(document: ParsedDocument, layout: PageLayout) -> Sequence[Sequence[str]]:
    """Return the drawing commands of each page."""
    writer = _PageWriter(layout)
    writer.write_full_width(list(title_lines(document, layout)))
    _write_abstract(document, layout, writer)
    for block in _with_numbers(document.body, layout):
        writer.write_columns(_block_lines(block, layout))
    if document.references and layout.style.list_heading:
        writer.write_columns(_block_lines(Heading(2, ["References"]), layout))
    for number, reference in enumerate(document.references):
        lines = _reference_lines(reference.text, layout)
        # Without a heading, a gap separates the list from the text.
        writer.write_columns(lines if number or layout.style.list_heading else add_spacing(lines, 24))
    running = printable(document.venue or document.title)[:60]
    # In the usual drawing order: running head, columns, page number.
    return [
        [*_running_head(running if number > 1 else _imprint(document), layout), *page, _page_number(number, layout)]
        for number, page in enumerate(writer.pages, start=1)
    ]


def _write_abstract(document: ParsedDocument, layout: PageLayout, writer: _PageWriter) -> None:
    if not document.abstract:
        return
    if layout.style.abstract == "apart":
        writer.write_full_width(_abstract_apart(document, layout))
        return
    blocks = list(document.abstract)
    if layout.style.abstract == "heading":
        writer.write_columns(_block_lines(Heading(2, ["Abstract"]), layout))
    elif isinstance(blocks[0], Paragraph):
        blocks[0] = Paragraph(["Abstract. ", *blocks[0].inlines])
    for block in blocks:
        writer.write_columns(_block_lines(block, layout))


def _abstract_apart(document: ParsedDocument, layout: PageLayout) -> list[TypesetLine]:
    """Return an abstract without a heading: smaller than the text, narrower than the page."""
    indent, font = 40.0, layout.font(_ENTRY_SIZE)
    lines = []
    for block in document.abstract:
        broken = typeset(
            _text(block.inlines) if isinstance(block, Paragraph) else "", font, layout.text_width - 2 * indent
        )
        lines += [
            replace(line, runs=tuple(replace(run, left=run.left + indent) for run in line.runs)) for line in broken
        ]
    return add_spacing(lines, 4, 14)


def _with_numbers(body: Sequence[Block], layout: PageLayout) -> Iterator[Block]:
    """Yield the blocks of the text, with the numbers of the layout in headings."""
    headings = [block for block in body if isinstance(block, Heading)]
    texts = iter(numbered_headings([(heading.level, inlines_text(heading.inlines)) for heading in headings], layout))
    for block in body:
        yield Heading(block.level, [next(texts)], block.role) if isinstance(block, Heading) else block


def _imprint(document: ParsedDocument) -> str:
    """Return the journal, year and DOI, which the first page has in place of a running head."""
    parts = (
        document.venue or "",
        str(document.year or ""),
        f"doi:{document.ids['doi']}" if document.ids.get("doi") else "",
    )
    return printable(", ".join(filter(None, parts)))


def _running_head(text: str, layout: PageLayout) -> Iterator[str]:
    if text:
        yield _text_commands(TextRun(0, text, layout.font(_SMALL_SIZE)), layout.side_margin, layout.height - 44)


def _page_number(number: int, layout: PageLayout) -> str:
    font = layout.font(_SMALL_SIZE)
    return _text_commands(TextRun(0, str(number), font), (layout.width - text_width(str(number), font)) / 2, 40)


# PDF syntax.


def _text_commands(run: TextRun, left: float, base: float) -> str:
    """Return the commands that draw a run. Superscripts are smaller and higher."""
    commands = [f"BT {run.word_spacing:.4f} Tw {left + run.left:.2f} {base:.2f} Td"]
    for piece, scale, rise in pieces(run.text):
        escaped = re.sub(r"([\\()])", r"\\\1", piece)
        size = run.font.size
        commands.append(f"/{run.font.name} {scale * size:.2f} Tf {rise * size:.2f} Ts ({escaped}) Tj")
    return " ".join((*commands, "ET"))


def _pdf_file(pages: Sequence[Sequence[str]], layout: PageLayout) -> bytes:
    """Return a PDF file with these pages, ending with its cross-reference table."""
    kids = " ".join(f"{6 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        *(
            f"<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>".encode()
            for name in FONT_NAMES[layout.family]
        ),
    ]
    for number, page in enumerate(pages):
        commands = "\n".join(page).encode("cp1252")
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {layout.width:g} {layout.height:g}]"
            f" /Contents {7 + 2 * number} 0 R /Resources << /Font << /F1 3 0 R /F2 4 0 R /F3 5 0 R >> >> >>".encode()
        )
        objects.append(b"<< /Length %d >>\nstream\n%b\nendstream" % (len(commands), commands))
    content = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n"
    offsets: list[int] = []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(content))
        content += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    table = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    count = len(objects) + 1
    end = f"xref\n0 {count}\n0000000000 65535 f \n{table}trailer\n<< /Size {count} /Root 1 0 R >>\nstartxref\n"
    return content + f"{end}{len(content)}\n%%EOF\n".encode()
