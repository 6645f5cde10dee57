"""A page's layout, which filings and web pages have in common: blocks in reading order from tags and texts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from fathom.corpus.readers.html.headings import OWN_RANKS, is_headline, rank, ranked
from fathom.corpus.readers.html.tables import Cell, as_table, finished, joined, one_row, runs
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
from fathom.corpus.readers.parsing.text_cleanup import word_set
from fathom.corpus.readers.tabular.limits import MOST_COLUMNS, MOST_ROWS, check_rows

BLOCKS = word_set(
    "address article aside blockquote body caption center dd details div dl dt fieldset figcaption figure footer form"
    " h1 h2 h3 h4 h5 h6 header hr html li main nav ol p pre section summary table tbody td tfoot th thead tr ul"
)
_UNSEEN = word_set("head script style template noscript svg math iframe object select textarea")
_BOLD = re.compile(r"font-weight:\s*(bold|bolder|[6-9]00)|font-weight:\s*(normal|lighter|[1-5]00)", re.IGNORECASE)
_ITALIC = re.compile(r"font-style:\s*(italic|oblique)|font-style:\s*(normal)", re.IGNORECASE)
_NOT_SHOWN = re.compile(r"display:\s*none|visibility:\s*hidden", re.IGNORECASE)
_PERCENT = re.compile(r"(?:^|[;\s])width:\s*([0-9]{1,3}(?:\.[0-9]{1,20})?)%")
_PLACE = re.compile(r"(?:^|[;\s])(top|left|width):\s*([0-9]{1,6}(?:\.[0-9]{1,20})?)(pt|in|px)")
_POINTS = {"pt": 1.0, "in": 72.0, "px": 0.75}
_LINE = re.compile(r"position:\s*relative")
_INLINE = re.compile(r"display:\s*inline\s*(?:;|$)", re.IGNORECASE)
_MOST_STEPS = 20_000_000


@dataclass(frozen=True)
class _Style:
    """An open element: its name, and how its text looks."""

    tag: str
    bold: bool = False
    italic: bool = False
    hidden: bool = False
    placed: tuple[float | None, float, float] | None = None
    """Its distance from the top, its distance from the left and its width, where the page says the last two."""


@dataclass
class _Table:
    """A table in the making."""

    rows: list[list[Cell]] = field(default_factory=list)
    caption: Inlines = field(default_factory=list)
    column: int = 0
    taken: dict[int, int] = field(default_factory=dict)
    """For a column that a cell of an earlier row still covers, the first row that is free again."""
    open: bool = False
    """Whether a cell is open."""


class Layout:
    """Blocks in reading order from a page's tags and texts, fed one by one in document order."""

    def __init__(self) -> None:
        self._styles = [_Style("")]
        self._blocks: list[Block] = []
        self._words: Inlines = []
        self._bold = self._italic = True
        self._verbatim = False
        self._tables: list[_Table] = []
        self._rows: list[list[Cell]] = []
        self._top = -1.0
        self._lines = 0
        self._steps = 0

    @property
    def hidden(self) -> bool:
        """Whether what comes now is not shown."""
        return self._styles[-1].hidden

    def opens(self, tag: str, attributes: Mapping[str, str]) -> None:
        """An element begins."""
        self._styles.append(_styled(self._styles[-1], tag, attributes))
        if self.hidden:
            return
        if tag == "br":
            self._line_break()
        elif self._styles[-1].tag in BLOCKS:
            self._flush()
            self._lines += _LINE.search(attributes.get("style", "")) is not None
            self._verbatim = tag == "pre"
            if tag == "table":
                self._tables.append(_Table())
            elif tag == "tr" and self._tables:
                self._opens_row(self._tables[-1])
            elif tag in ("td", "th") and self._tables:
                self._opens_cell(self._tables[-1], tag, attributes)

    def closes(self) -> None:
        """The element that was opened last ends."""
        style = self._styles.pop()
        if style.hidden or style.tag not in BLOCKS:
            return
        if style.tag == "caption" and self._tables:
            self._tables[-1].caption, self._words = self._words, []
        self._flush(style)
        if style.tag in ("td", "th") and self._tables:
            self._tables[-1].open = False
        elif style.tag == "table" and self._tables:
            self._closes_table(self._tables.pop())
        self._verbatim = False

    def text(self, text: str) -> None:
        """Characters as they stand in the page."""
        style = self._styles[-1]
        if style.hidden or not text:
            return
        if text.strip():
            self._bold, self._italic = self._bold and style.bold, self._italic and style.italic
        self._words.append(text)

    def figure(self, figure: TaggedNumber) -> None:
        """A number whose meaning is known."""
        if not self.hidden:
            self._words.append(figure)

    def blocks(self) -> list[Block]:
        """All there is, when the page is at its end."""
        self._flush()
        while self._tables:
            self._closes_table(self._tables.pop())
        self._settle()
        return ranked(self._blocks)

    # Paragraphs and headings.

    def _line_break(self) -> None:
        blank = len(self._words) - 1
        while blank >= 0 and isinstance(piece := self._words[blank], str) and not piece.strip() and piece != "\n":
            blank -= 1
        again = blank >= 0 and self._words[blank] == "\n"
        self._words.append("\n")
        if again and not self._in_cell() and not self._verbatim:
            self._flush()

    def _in_cell(self) -> bool:
        return bool(self._tables) and self._tables[-1].open

    def _flush(self, style: _Style | None = None) -> None:
        words, bold, italic = self._words, self._bold, self._italic
        self._words, self._bold, self._italic = [], True, True
        if any(is_visible(piece) for piece in words):
            block = self._block(words, bold, italic, style.tag if style else "")
            if style is not None and style.placed and not self._in_cell():
                self._take_placed(block, style.placed)
            else:
                self._put(block)

    def _block(self, words: Inlines, bold: bool, italic: bool, tag: str) -> Block:
        figures = any(isinstance(piece, TaggedNumber) for piece in words)
        if self._verbatim and not figures:
            return Paragraph(words, verbatim=True)
        said = normalized_text(words)
        if not figures and re.fullmatch("h[1-6]", tag) and len(said) <= 500:
            return Heading(int(tag[1]) + OWN_RANKS, words)
        if not figures and bold and not self._in_cell() and is_headline(said):
            return Heading(rank(said, italic), words)
        return Paragraph(words)

    def _put(self, block: Block) -> None:
        if self._in_cell():
            self._tables[-1].rows[-1][-1].blocks.append(block)
        else:
            self._settle()
            self._blocks.append(block)

    # Tables.

    def _opens_row(self, table: _Table) -> None:
        check_rows(len(table.rows) + 1, "a table")
        table.rows.append([])
        table.column, table.open = 0, False

    def _opens_cell(self, table: _Table, tag: str, attributes: Mapping[str, str]) -> None:
        if not table.rows:
            self._opens_row(table)
        row = len(table.rows) - 1
        while table.taken.get(table.column, 0) > row:
            table.column += 1
            self._steps += 1
        width = _number(attributes.get("colspan"), MOST_COLUMNS)
        down = _number(attributes.get("rowspan"), MOST_ROWS)
        start, end = table.column, table.column + width
        if end > MOST_COLUMNS or self._steps > _MOST_STEPS:
            raise ReadError(f"a table has more than {MOST_COLUMNS:,} columns")
        if down > 1:
            table.taken.update((column, row + down) for column in range(start, end))
        style = attributes.get("style", "")
        share = _PERCENT.search(style)
        cell = Cell(start, end, tag == "th", right=re.search(r"text-align:\s*right", style) is not None)
        cell.share = float(share[1]) if share is not None and width == 1 else None
        table.rows[-1].append(cell)
        table.column, table.open = end, True

    def _closes_table(self, table: _Table) -> None:
        table.open = False
        for cell in (cell for row in table.rows for cell in row):
            cell.words = joined(cell.blocks)
        table.rows = [row for row in table.rows if any(cell.words for cell in row)]
        if not table.rows:
            return
        first = table.rows[0]
        if any(isinstance(block, ParsedTable) for row in table.rows for cell in row for block in cell.blocks):
            self._dissolve(table)
        elif len(table.rows) == 1 and not self._in_cell() and all(cell.share is not None for cell in first):
            self._take_row(first)
        elif len(table.rows) == 1 and not any(cell.header for cell in first):
            self._put(one_row(first))
        elif all(sum(bool(cell.words) for cell in row) == 1 for row in table.rows) and not table.caption:
            self._dissolve(table)
        else:
            self._put(finished(table.caption, table.rows))

    def _dissolve(self, table: _Table) -> None:
        """A table that only arranges other parts gives those parts, in order."""
        for cell in (cell for row in table.rows for cell in row):
            for block in cell.blocks:
                self._put(block)

    # Rows that no table holds together.

    def _take_row(self, row: list[Cell]) -> None:
        """Keep a table of one row: accounts programs print each row of a balance sheet as a table of its own."""
        place = 0.0
        for cell in row:
            start, place = round(place * 4), place + (cell.share or 0)
            cell.end = max(round(place * 4), start + 1)
            cell.start = cell.end - 1 if cell.right else start
        self._top = -1.0
        self._rows.append([cell for cell in row if cell.words])

    def _take_placed(self, block: Block, placed: tuple[float | None, float, float]) -> None:
        """Keep a line that the page puts at a certain place: those at the same height are cells of a row."""
        _, left, width = placed
        top = placed[0] if placed[0] is not None else -2.0 - self._lines
        words = block.inlines if isinstance(block, Paragraph | Heading) else []
        short = len(normalized_text(words)) <= 20
        # Columns of numbers overlap by a point or two, so only the middle of a short cell counts.
        inner = width / 4 if short else 0
        cell = Cell(round(left + inner), max(round(left + width - inner), round(left + inner) + 1), False, words=words)
        row = self._rows[-1] if self._rows and top == self._top else None
        if row is not None and row[-1].start < cell.start:
            row.append(cell)
        else:
            self._rows.append([cell])
        self._top = top

    def _settle(self) -> None:
        """Put down the rows that were kept, as tables where they are some."""
        rows, self._rows, self._top = self._rows, [], -1.0
        for run in runs(rows):
            self._blocks += as_table(run)


def _styled(above: _Style, tag: str, attributes: Mapping[str, str]) -> _Style:
    style = attributes.get("style", "")
    bold, italic = above.bold or tag in ("b", "strong"), above.italic or tag in ("i", "em")
    hidden = above.hidden or tag in _UNSEEN or "hidden" in attributes
    placed = None
    if style:
        weight, slant = _BOLD.search(style), _ITALIC.search(style)
        bold = bool(weight[1]) if weight else bold
        italic = bool(slant[1]) if slant else italic
        hidden = hidden or _NOT_SHOWN.search(style) is not None
        tag = "span" if tag == "div" and _INLINE.search(style) else tag
        places = {name: float(number) * _POINTS[unit] for name, number, unit in _PLACE.findall(style)}
        placed = (places.get("top"), places["left"], places["width"]) if {"left", "width"} <= places.keys() else None
    return _Style(tag, bold, italic, hidden, placed)


def _number(text: str | None, most: int) -> int:
    """How many columns or rows a cell covers."""
    stated = re.fullmatch(r"\s*([0-9]{1,6})\s*", text or "")
    return min(most, max(1, int(stated[1]))) if stated else 1
