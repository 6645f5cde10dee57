"""Blocks in reading order from the elements and text of an HTML page, for filings and web pages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from fathom.corpus.readers.html.tables import GridCell, build_table, join_blocks
from fathom.corpus.readers.parsed_document import (
    Block,
    Heading,
    Inlines,
    Paragraph,
    ParsedTable,
    ReadError,
    TaggedNumber,
)
from fathom.corpus.readers.parsing.blocks import is_visible, normalized_text
from fathom.corpus.readers.parsing.tables import MAX_COLUMNS, MAX_ROWS, check_rows
from fathom.corpus.readers.parsing.text_cleanup import word_set
from fathom.corpus.readers.words import read_words

_WORDS = read_words("web_pages")

BLOCKS = word_set(_WORDS["blocks"])
_HIDDEN_TAGS = word_set("head script style template noscript svg math iframe object select textarea")
_BOLD = re.compile(r"font-weight:\s*(bold|bolder|[6-9]00)|font-weight:\s*(normal|lighter|[1-5]00)", re.IGNORECASE)
_ITALIC = re.compile(r"font-style:\s*(italic|oblique)|font-style:\s*(normal)", re.IGNORECASE)
_HIDDEN_STYLE = re.compile(r"display:\s*none|visibility:\s*hidden", re.IGNORECASE)
_WIDTH_PERCENT = re.compile(r"(?:^|[;\s])width:\s*([0-9]{1,3}(?:\.[0-9]{1,20})?)%")
_POSITION = re.compile(r"(?:^|[;\s])(top|left|width):\s*([0-9]{1,6}(?:\.[0-9]{1,20})?)(pt|in|px)")
_POINTS = {"pt": 1.0, "in": 72.0, "px": 0.75}
_LINE = re.compile(r"position:\s*relative")
_INLINE = re.compile(r"display:\s*inline\s*(?:;|$)", re.IGNORECASE)
_MAX_STEPS = 20_000_000
"""Maximum number of covered columns skipped on one page. Row spans could make that quadratic."""


@dataclass(frozen=True)
class _Style:
    """An open element: its name and its text style."""

    tag: str
    bold: bool = False
    italic: bool = False
    hidden: bool = False
    position: tuple[float | None, float, float] | None = None
    """Top, left and width in points, if the page states the last two."""


@dataclass
class _Table:
    """A table being read."""

    rows: list[list[GridCell]] = field(default_factory=list)
    caption: Inlines = field(default_factory=list)
    column: int = 0
    """Column of the next cell."""
    covered: dict[int, int] = field(default_factory=dict)
    """For each column covered by a cell of an earlier row, the first row that is free again."""
    open: bool = False
    """Whether a cell is open."""


class BlockBuilder:
    """Builds blocks from elements and text, added in document order."""

    def __init__(self) -> None:
        self._styles = [_Style("")]
        self._blocks: list[Block] = []
        self._inlines: Inlines = []
        self._bold = self._italic = True
        self._verbatim = False
        self._tables: list[_Table] = []
        self._rows: list[list[GridCell]] = []  # deferred rows outside tables
        self._top = -1.0  # position of the last deferred row
        self._lines = 0  # lines of positioned text so far
        self._steps = 0

    @property
    def hidden(self) -> bool:
        """Whether the current element is hidden."""
        return self._styles[-1].hidden

    def open_element(self, tag: str, attributes: Mapping[str, str]) -> None:
        self._styles.append(_child_style(self._styles[-1], tag, attributes))
        if self.hidden:
            return
        if tag == "br":
            self._add_line_break()
        elif self._styles[-1].tag in BLOCKS:
            self._flush()
            self._lines += _LINE.search(attributes.get("style", "")) is not None
            self._verbatim = tag == "pre"
            if tag == "table":
                self._tables.append(_Table())
            elif tag == "tr" and self._tables:
                self._open_row(self._tables[-1])
            elif tag in ("td", "th") and self._tables:
                self._open_cell(self._tables[-1], tag, attributes)

    def close_element(self) -> None:
        """Close the element that was opened last."""
        style = self._styles.pop()
        if style.hidden or style.tag not in BLOCKS:
            return
        if style.tag == "caption" and self._tables:
            self._tables[-1].caption, self._inlines = self._inlines, []
        self._flush(style)
        if style.tag in ("td", "th") and self._tables:
            self._tables[-1].open = False
        elif style.tag == "table" and self._tables:
            self._close_table(self._tables.pop())
        self._verbatim = False

    def add_text(self, text: str) -> None:
        """Add text as written in the page."""
        style = self._styles[-1]
        if style.hidden or not text:
            return
        if text.strip():
            self._bold, self._italic = self._bold and style.bold, self._italic and style.italic
        self._inlines.append(text)

    def add_number(self, number: TaggedNumber) -> None:
        if not self.hidden:
            self._inlines.append(number)

    def finish(self) -> list[Block]:
        """Return all blocks at the end of the page."""
        self._flush()
        while self._tables:
            self._close_table(self._tables.pop())
        self._flush_rows()
        return _normalize_levels(self._blocks)

    # Paragraphs and headings.

    def _add_line_break(self) -> None:
        blank = len(self._inlines) - 1
        while blank >= 0 and isinstance(piece := self._inlines[blank], str) and not piece.strip() and piece != "\n":
            blank -= 1
        again = blank >= 0 and self._inlines[blank] == "\n"
        self._inlines.append("\n")
        if again and not self._in_cell() and not self._verbatim:
            self._flush()

    def _in_cell(self) -> bool:
        return bool(self._tables) and self._tables[-1].open

    def _flush(self, style: _Style | None = None) -> None:
        inlines, bold, italic = self._inlines, self._bold, self._italic
        self._inlines, self._bold, self._italic = [], True, True
        if any(is_visible(piece) for piece in inlines):
            block = self._block(inlines, bold, italic, style.tag if style else "")
            if style is not None and style.position and not self._in_cell():
                self._defer_positioned(block, style.position)
            else:
                self._add_block(block)

    def _block(self, inlines: Inlines, bold: bool, italic: bool, tag: str) -> Block:
        tagged = _has_tagged(inlines)
        if self._verbatim and not tagged:
            return Paragraph(inlines, verbatim=True)
        text = normalized_text(inlines)
        if not tagged and re.fullmatch("h[1-6]", tag) and len(text) <= 500:
            return Heading(int(tag[1]) + _EXPLICIT_OFFSET, inlines)
        if not tagged and bold and not self._in_cell() and _is_heading_text(text):
            return Heading(_guess_level(text, italic), inlines)
        return Paragraph(inlines)

    def _add_block(self, block: Block) -> None:
        if self._in_cell():
            self._tables[-1].rows[-1][-1].blocks.append(block)
        else:
            self._flush_rows()
            self._blocks.append(block)

    # Tables.

    def _open_row(self, table: _Table) -> None:
        check_rows(len(table.rows) + 1, "a table")
        table.rows.append([])
        table.column, table.open = 0, False

    def _open_cell(self, table: _Table, tag: str, attributes: Mapping[str, str]) -> None:
        if not table.rows:
            self._open_row(table)
        row = len(table.rows) - 1
        while table.covered.get(table.column, 0) > row:
            table.column += 1
            self._steps += 1
        width = _span(attributes.get("colspan"), MAX_COLUMNS)
        height = _span(attributes.get("rowspan"), MAX_ROWS)
        start, end = table.column, table.column + width
        if end > MAX_COLUMNS or self._steps > _MAX_STEPS:
            raise ReadError(f"a table has more than {MAX_COLUMNS:,} columns")
        if height > 1:
            table.covered.update((column, row + height) for column in range(start, end))
        style = attributes.get("style", "")
        width_percent = _WIDTH_PERCENT.search(style)
        cell = GridCell(start, end, tag == "th", right_aligned=re.search(r"text-align:\s*right", style) is not None)
        cell.width_percent = float(width_percent[1]) if width_percent is not None and width == 1 else None
        table.rows[-1].append(cell)
        table.column, table.open = end, True

    def _close_table(self, table: _Table) -> None:
        table.open = False
        for cell in (cell for row in table.rows for cell in row):
            cell.inlines = join_blocks(cell.blocks)
        table.rows = [row for row in table.rows if any(cell.inlines for cell in row)]
        if not table.rows:
            return
        first = table.rows[0]
        if any(isinstance(block, ParsedTable) for row in table.rows for cell in row for block in cell.blocks):
            self._unpack_table(table)
        elif len(table.rows) == 1 and not self._in_cell() and all(cell.width_percent is not None for cell in first):
            self._defer_row(first)
        elif len(table.rows) == 1 and not any(cell.header for cell in first):
            self._add_block(row_block(first))
        elif all(sum(bool(cell.inlines) for cell in row) == 1 for row in table.rows) and not table.caption:
            self._unpack_table(table)
        else:
            self._add_block(build_table(table.caption, table.rows))

    def _unpack_table(self, table: _Table) -> None:
        """Add the content of a layout table, in order."""
        for cell in (cell for row in table.rows for cell in row):
            for block in cell.blocks:
                self._add_block(block)

    # Rows outside tables.

    def _defer_row(self, row: list[GridCell]) -> None:
        """Defer a one-row table: accounting software writes each row of a balance sheet as a separate table."""
        # Columns are quarters of a percent of the table width.
        right = 0.0
        for cell in row:
            start, right = round(right * 4), right + (cell.width_percent or 0)
            cell.end = max(round(right * 4), start + 1)
            cell.start = cell.end - 1 if cell.right_aligned else start
        self._top = -1.0
        self._rows.append([cell for cell in row if cell.inlines])

    def _defer_positioned(self, block: Block, position: tuple[float | None, float, float]) -> None:
        """Defer a line with a fixed position: lines at the same height are cells of a row."""
        _, left, width = position
        top = position[0] if position[0] is not None else -2.0 - self._lines
        inlines = block.inlines if isinstance(block, Paragraph | Heading) else []
        short = len(normalized_text(inlines)) <= 20
        # Columns of numbers overlap by a point or two: use only the middle of a short cell.
        inner = width / 4 if short else 0
        cell = GridCell(
            round(left + inner), max(round(left + width - inner), round(left + inner) + 1), False, inlines=inlines
        )
        row = self._rows[-1] if self._rows and top == self._top else None
        if row is not None and row[-1].start < cell.start:
            row.append(cell)
        else:
            self._rows.append([cell])
        self._top = top

    def _flush_rows(self) -> None:
        """Add the deferred rows, as tables where possible."""
        rows, self._rows, self._top = self._rows, [], -1.0
        for group in row_groups(rows):
            self._blocks += rows_to_blocks(group)


def _child_style(parent: _Style, tag: str, attributes: Mapping[str, str]) -> _Style:
    style = attributes.get("style", "")
    bold, italic = parent.bold or tag in ("b", "strong"), parent.italic or tag in ("i", "em")
    hidden = parent.hidden or tag in _HIDDEN_TAGS or "hidden" in attributes
    position = None
    if style:
        weight, slant = _BOLD.search(style), _ITALIC.search(style)
        bold = bool(weight[1]) if weight else bold
        italic = bool(slant[1]) if slant else italic
        hidden = hidden or _HIDDEN_STYLE.search(style) is not None
        tag = "span" if tag == "div" and _INLINE.search(style) else tag
        lengths = {name: float(number) * _POINTS[unit] for name, number, unit in _POSITION.findall(style)}
        position = (
            (lengths.get("top"), lengths["left"], lengths["width"]) if {"left", "width"} <= lengths.keys() else None
        )
    return _Style(tag, bold, italic, hidden, position)


def _span(text: str | None, maximum: int) -> int:
    """Return the number of columns or rows that a cell spans."""
    stated = re.fullmatch(r"\s*([0-9]{1,6})\s*", text or "")
    return min(maximum, max(1, int(stated[1]))) if stated else 1


# Rows outside tables.


def row_groups(rows: Sequence[list[GridCell]]) -> Iterator[list[list[GridCell]]]:
    """Yield groups of consecutive rows with several short cells or a label. Any other row is a group by itself."""
    group: list[list[GridCell]] = []
    for row in rows:
        longest = max(len(normalized_text(cell.inlines)) for cell in row)
        label = len(row) == 1 and (bool(group) or _is_number(row[0]))
        if longest <= 100 and (len(row) > 1 or (label and longest <= 60)):
            group.append(row)
            continue
        if group:
            yield group
        yield [row]
        group = []
    if group:
        yield group


def rows_to_blocks(group: list[list[GridCell]]) -> list[Block]:
    """Return a group as a table, with the lines above its header and below its last number; else as lines."""
    lines = [row_block(row) for row in group]
    first, last = _table_extent(group)
    if sum(len(row) > 1 for row in group[first:last]) < 2:
        return lines
    table = build_table([], group[first:last])
    # Two numbers in one cell: the columns are unknown, and a wrong column is worse than none.
    if any(sum(isinstance(piece, TaggedNumber) for piece in cell.inlines) > 1 for row in table.rows for cell in row):
        return lines
    return [*lines[:first], table, *lines[last:]]


def _table_extent(group: list[list[GridCell]]) -> tuple[int, int]:
    """Return the range of rows from the header above the first number to the last number; (0, 0) without numbers."""
    known = [n for n, row in enumerate(group) if any(_has_tagged(cell.inlines) for cell in row)]
    numbers = known or [n for n, row in enumerate(group) if len(row) > 1 and any(map(_is_number, row))]
    if not numbers:
        return 0, 0
    first, headed = numbers[0], False
    while first and (len(group[first - 1]) > 1 or not headed):
        first -= 1
        headed = headed or len(group[first]) > 1
    return (first if headed else numbers[0]), numbers[-1] + 1


def _is_number(cell: GridCell) -> bool:
    text = normalized_text(cell.inlines)
    return _has_tagged(cell.inlines) or re.fullmatch(r"[(-]?[0-9][0-9,.]*\)?", text) is not None


def _has_tagged(inlines: Inlines) -> bool:
    return any(isinstance(piece, TaggedNumber) for piece in inlines)


def row_block(row: Sequence[GridCell]) -> Block:
    """Return a one-row table as a block: a bullet and its paragraph, or "Item 1." and its heading."""
    inlines = join_blocks([Paragraph(cell.inlines) for cell in row if cell.inlines])
    text = normalized_text(inlines)
    if not _has_tagged(inlines) and _ITEM.match(text) and _is_heading_text(text):
        return Heading(_guess_level(text, False), inlines)
    return Paragraph(inlines)


# Headings.

_EXPLICIT_OFFSET = 10
"""Added to the level of an explicit heading (h1 to h6), to distinguish it from guessed ones."""
_PART = re.compile(r"part\s+[ivx]{1,4}\b", re.IGNORECASE)
_ITEM = re.compile(r"(?:item|note)\s+[0-9]{1,2}[a-c]?\b", re.IGNORECASE)


def _is_heading_text(text: str) -> bool:
    """Return whether a bold line can be a heading."""
    if not 2 <= len(text) <= 150 or not re.search(r"[^\W\d_]{2}", text):
        return False
    return not text.endswith((",", ";")) and (len(text) <= 80 or not text.endswith("."))


def _guess_level(text: str, italic: bool) -> int:
    """Guess the level of a bold heading."""
    if _PART.match(text):
        return 2
    return 3 if _ITEM.match(text) else 5 if italic else 4


def _normalize_levels(blocks: Sequence[Block]) -> list[Block]:
    """Return the blocks with heading levels from two on, explicit ones above guessed ones."""
    used = sorted(
        {block.level for block in blocks if isinstance(block, Heading)}, key=lambda n: (n < _EXPLICIT_OFFSET, n)
    )
    levels = {level: number for number, level in enumerate(used, start=2)}
    return [Heading(levels[block.level], block.inlines) if isinstance(block, Heading) else block for block in blocks]
