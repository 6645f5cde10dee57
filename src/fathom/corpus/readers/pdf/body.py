"""The running text of a PDF: headings, paragraphs, captions and footnotes put together from its lines."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from fathom.corpus.readers.parsed_document import Block, Heading, Paragraph, ParsedDocument, ParsedTable
from fathom.corpus.readers.pdf.characters import RAISED, Line, bare
from fathom.corpus.readers.pdf.headings import ABSTRACT, heading_sizes, is_heading, lengthens_heading, level
from fathom.corpus.readers.pdf.hyphenation import Vocabulary
from fathom.corpus.readers.pdf.lines import ENDED, Lines, printed
from fathom.corpus.readers.pdf.tables import CAPTION

_BULLET = re.compile(r"[•◦▪∗‣·–]\s|\d{1,2}[.)]\s|\([a-z0-9]{1,3}\)\s")


def read_blocks(lines: Lines, numbers: Sequence[int]) -> list[Block]:
    """The headings, paragraphs, tables, captions and footnotes that stand in these lines."""
    builder = _Builder(lines.words)
    sizes = heading_sizes(lines, numbers)
    last = -2
    for number in numbers:
        line = lines[number]
        text = bare(line.text).strip()
        if line in lines.tables:
            builder.table(lines.tables[line].table(lines.words))
        elif last == number - 1 and lengthens_heading(lines, number):
            builder.lengthen_heading(text)
            last = number
        elif is_heading(lines, number):
            builder.heading(level(text, line, sizes), text)
            last = number
        elif CAPTION.match(text) and _begins(lines, number):
            builder.aside(line, caption=True)
        elif builder.goes_on_aside(line):
            builder.add_aside(line)
        elif not lines.alone(number):
            builder.row(line)
        elif line.size < 0.93 * lines.body and not builder.in_abstract:
            _small(builder, line, text)
        elif _begins_paragraph(lines, builder.last, line):
            builder.paragraph(line)
        else:
            builder.add(line)
    return builder.finished()


def _small(builder: _Builder, line: Line, text: str) -> None:
    """Small print: a footnote or a quotation where it reads as sentences, else the words in a drawing."""
    letters = sum(sign.isalpha() for sign in text)
    numbered = line.text.startswith(RAISED) or re.match(r"\d{1,2}\s?[A-Zh]", text)
    if numbered or (len(text) > 35 and letters > 0.65 * len(text)):
        builder.aside(line)


def _begins(lines: Lines, number: int) -> bool:
    """Whether a line stands at the beginning of a block: a sentence may also say "Table 2"."""
    if number == 0:
        return True
    before, line = lines[number - 1], lines[number]
    gap = before.base - line.base
    return before.page != line.page or not 0 < gap < 1.25 * lines.leading or abs(before.size - line.size) > 0.3


def _begins_paragraph(lines: Lines, before: Line | None, line: Line) -> bool:
    if before is None:
        return True
    edge = lines.columns[lines.column(line)] if lines.columns else line.left
    size = line.size
    indented = line.left > edge + 0.6 * size
    ended = ENDED.search(bare(before.text)) is not None and not before.broken
    if _BULLET.match(bare(line.text)) and (ended or indented):
        return True
    if before.page != line.page or lines.column(before) != lines.column(line) or line.base > before.base:
        # In a text without indents, a last line with room for the next word tells the end.
        return ended and (indented or lines.has_room(before, line))
    gap = before.base - line.base
    if gap > 1.35 * lines.leading:
        return ended or gap > 2.2 * lines.leading
    flush = before.left <= edge + 0.6 * size
    return ended and (indented and flush and line.left - before.left > 0.6 * size)


class _Builder:
    """Puts lines together to paragraphs; what breaks into one stands after it."""

    def __init__(self, words: Vocabulary) -> None:
        self._words = words
        self._blocks: list[Block] = []
        self._current: list[Line] = []
        self._aside: list[Line] = []
        self._asides: list[Block] = []
        self._rows: list[Line] = []
        self.in_abstract = False

    @property
    def last(self) -> Line | None:
        return self._current[-1] if self._current else None

    def heading(self, level: int, text: str) -> None:
        self._close()
        self.in_abstract = ABSTRACT.fullmatch(text) is not None
        self._blocks.append(Heading(level, [text.rstrip(":")]))

    def lengthen_heading(self, text: str) -> None:
        heading = self._blocks[-1] if self._blocks else None
        if isinstance(heading, Heading):
            self._blocks[-1] = Heading(heading.level, [*heading.inlines, " ", text])

    def paragraph(self, line: Line) -> None:
        self._close()
        self._current = [line]

    def add(self, line: Line) -> None:
        self._close_aside()
        self._close_rows()
        self._current.append(line)

    def aside(self, line: Line, caption: bool = False) -> None:
        """Begin a caption or a footnote, or go on with one."""
        self._close_rows()
        if caption or line.text.startswith(RAISED) or not self.goes_on_aside(line):
            self._close_aside()
        self._aside.append(line)

    def goes_on_aside(self, line: Line) -> bool:
        if not self._aside or line.text.startswith(RAISED):
            return False
        last = self._aside[-1]
        gap = last.base - line.base
        same = last.page == line.page and abs(last.size - line.size) < 0.2
        return same and 0 < gap < 1.35 * line.size and abs(last.left - line.left) < 60

    def add_aside(self, line: Line) -> None:
        self._aside.append(line)

    def table(self, table: ParsedTable) -> None:
        self._close_aside()
        self._close_rows()
        self._asides.append(table)

    def row(self, line: Line) -> None:
        self._close_aside()
        self._rows.append(line)

    def finished(self) -> list[Block]:
        self._close()
        return self._blocks

    def _close(self) -> None:
        self._close_aside()
        self._close_rows()
        if self._current:
            self._blocks.append(Paragraph([self._words.joined(self._current)]))
        self._current = []
        self._blocks.extend(self._asides)
        self._asides = []

    def _close_aside(self) -> None:
        if self._aside:
            self._asides.append(Paragraph([self._words.joined(self._aside)]))
        self._aside = []

    def _close_rows(self) -> None:
        """A table's cells, row by row, as the page shows them."""
        rows: dict[tuple[int, int], list[Line]] = defaultdict(list)
        for line in self._rows:
            rows[line.page, round(line.base / 3)].append(line)
        if len(rows) > 1:
            texts = [" | ".join(bare(cell.text) for cell in row) for row in rows.values()]
            self._asides.append(Paragraph(["\n".join(texts)], verbatim=True))
        elif self._rows:
            self._current.extend(self._rows)
        self._rows = []


def set_abstract(found: ParsedDocument, blocks: list[Block]) -> None:
    """Part the abstract from the text: by its heading, or by the word it begins with."""
    for number, block in enumerate(blocks[:12]):
        if isinstance(block, Heading) and ABSTRACT.fullmatch(printed(block.inlines).strip()):
            end = next((n for n in range(number + 1, len(blocks)) if isinstance(blocks[n], Heading)), len(blocks))
            found.abstract = blocks[number + 1 : end]
            found.body = blocks[:number] + blocks[end:]
            return
        if isinstance(block, Paragraph) and not block.verbatim:
            text = bare(printed(block.inlines))
            lead = re.match(r"(?:abstract|摘要)\s?[:.—–-]\s?", text, re.IGNORECASE)
            if lead:
                found.abstract = [Paragraph([text[lead.end() :]])]
                found.body = blocks[:number] + blocks[number + 1 :]
                return
    found.body = blocks
