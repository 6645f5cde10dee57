"""The body of a PDF: headings, paragraphs, captions and footnotes built from its lines."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from fathom.corpus.readers.parsed_document import Block, Heading, Paragraph, ParsedDocument, ParsedTable
from fathom.corpus.readers.parsing.blocks import inlines_text
from fathom.corpus.readers.parsing.superscripts import SUPERSCRIPT_START, strip_marks
from fathom.corpus.readers.pdf.headings import ABSTRACT, continues_heading, heading_level, heading_sizes, is_heading
from fathom.corpus.readers.pdf.line import Dehyphenator, Line, same_style
from fathom.corpus.readers.pdf.reading_order import ENDED, OrderedLines
from fathom.corpus.readers.pdf.table_detection import CAPTION
from fathom.corpus.readers.pdf.table_grid import figure_table

_LIST_ITEM = re.compile(r"[•◦▪∗‣·–]\s|\d{1,2}[.)]\s|\([a-z0-9]{1,3}\)\s")


KEYWORDS = re.compile(r"(?:key\s?words?(?: and phrases)?|index terms|ccs concepts|关键词)\b", re.IGNORECASE)


def find_unheaded_abstract(lines: OrderedLines, text: range) -> range:
    """Return the lines of an abstract without a heading: prose above the text, in another size or width."""
    end = text.start
    if end >= text.stop or any(ABSTRACT.match(strip_marks(lines[n].text).strip()) for n in text[:60]):
        return range(0)
    first = lines[text.start]
    while end < text.stop and _continues_abstract(lines, first, end):
        end += 1
    abstract = lines[text.start : end]
    long_enough = len(abstract) > 2 and sum(len(line.text) for line in abstract) > 200
    return range(text.start, end) if long_enough and end < text.stop and _is_apart(lines, abstract) else range(0)


def _continues_abstract(lines: OrderedLines, first: Line, number: int) -> bool:
    line = lines[number]
    if line is first:
        return not is_heading(lines, number)
    gap = lines[number - 1].baseline - line.baseline
    return same_style(first, line) and line.page == first.page and 0 < gap < 1.7 * line.size and line.right > first.left


def _is_apart(lines: OrderedLines, abstract: Sequence[Line]) -> bool:
    """Return whether lines are smaller than the text, or narrower, or cross its columns."""
    if abs(abstract[0].size - lines.body_size) > 0.3 or abstract[0].italic or abstract[0].bold:
        return True
    left, right = min(line.left for line in abstract), max(line.right for line in abstract)
    edge = lines.columns[0] if lines.columns else left
    narrower = left > edge + abstract[0].size and right < edge + lines.width - abstract[0].size
    return narrower or right - left > 1.2 * lines.width


def read_blocks(lines: OrderedLines, numbers: Sequence[int], in_abstract: bool = False) -> list[Block]:
    """Return the headings, paragraphs, tables, captions and footnotes in the given lines."""
    builder = _BlockBuilder(lines.dehyphenator)
    builder.in_abstract = in_abstract
    sizes = heading_sizes(lines, numbers)
    last = -2
    for number in numbers:
        line = lines[number]
        text = strip_marks(line.text).strip()
        if line in lines.tables:
            builder.table(lines.tables[line].table(lines.dehyphenator))
        elif last == number - 1 and continues_heading(lines, number):
            builder.extend_heading(text)
            last = number
        elif is_heading(lines, number):
            builder.heading(heading_level(text, line, sizes), text)
            last = number
        elif CAPTION.match(text) and _starts_block(lines, number):
            builder.start_aside(line, caption=True)
        elif builder.continues_aside(line) and not KEYWORDS.match(text):
            builder.add_aside(line)
        elif not lines.is_alone(number):
            builder.row(line)
        elif builder.is_below_abstract(line):
            builder.footnote(line)
        elif line.size < 0.93 * lines.body_size and not builder.in_abstract:
            _add_small_print(builder, line, text)
        elif _starts_paragraph(lines, builder.last, line):
            builder.paragraph(line)
        else:
            builder.add(line)
    return builder.finish()


def _add_small_print(builder: _BlockBuilder, line: Line, text: str) -> None:
    """Add small print that reads as sentences (a footnote, a quotation). Skip labels inside drawings."""
    letters = sum(sign.isalpha() for sign in text)
    numbered = line.text.startswith(SUPERSCRIPT_START) or re.match(r"\d{1,2}\s?[A-Zh]", text)
    if numbered or (len(text) > 35 and letters > 0.65 * len(text)):
        builder.start_aside(line)


def _starts_block(lines: OrderedLines, number: int) -> bool:
    """Return whether a line starts a block. "Table 2" may also start a line within a sentence."""
    if number == 0:
        return True
    before, line = lines[number - 1], lines[number]
    gap = before.baseline - line.baseline
    return before.page != line.page or not 0 < gap < 1.25 * lines.leading or abs(before.size - line.size) > 0.3


def _starts_paragraph(lines: OrderedLines, before: Line | None, line: Line) -> bool:
    if before is None:
        return True
    left_edge = lines.columns[lines.column(line)] if lines.columns else line.left
    size = line.size
    indented = line.left > left_edge + 0.6 * size
    ended = ENDED.search(strip_marks(before.text)) is not None and not before.hyphenated
    if _LIST_ITEM.match(strip_marks(line.text)) and (ended or indented):
        return True
    if before.page != line.page or lines.column(before) != lines.column(line) or line.baseline > before.baseline:
        # Without indents, a last line with room for the next word ends the paragraph.
        return ended and (indented or lines.has_room(before, line))
    gap = before.baseline - line.baseline
    if gap > 1.35 * lines.leading:
        return ended or gap > 2.2 * lines.leading
    flush = before.left <= left_edge + 0.6 * size
    return ended and (indented and flush and line.left - before.left > 0.6 * size)


class _BlockBuilder:
    """Builds paragraphs from lines. Captions, tables and footnotes inside a paragraph are placed after it."""

    def __init__(self, dehyphenator: Dehyphenator) -> None:
        self._dehyphenator = dehyphenator
        self._blocks: list[Block] = []
        self._current: list[Line] = []
        self._aside: list[Line] = []
        self._asides: list[Block] = []
        self._rows: list[Line] = []
        self._footnotes: list[Line] = []
        self.in_abstract = False

    @property
    def last(self) -> Line | None:
        """The last line of the current paragraph."""
        return self._current[-1] if self._current else None

    def heading(self, level: int, text: str) -> None:
        self._close()
        self.in_abstract = ABSTRACT.fullmatch(text) is not None
        self._blocks.append(Heading(level, [text.rstrip(":")]))

    def extend_heading(self, text: str) -> None:
        heading = self._blocks[-1] if self._blocks else None
        if isinstance(heading, Heading):
            self._blocks[-1] = Heading(heading.level, [*heading.inlines, " ", text])

    def is_below_abstract(self, line: Line) -> bool:
        """Return whether a line is a footnote at the foot of an abstract, smaller than it."""
        return self.in_abstract and bool(self._current) and line.size < 0.9 * self._current[0].size

    def footnote(self, line: Line) -> None:
        """Keep a line for the end, after the text."""
        self._footnotes.append(line)

    def paragraph(self, line: Line) -> None:
        self._close()
        self._current = [line]

    def add(self, line: Line) -> None:
        self._close_aside()
        self._close_rows()
        self._current.append(line)

    def start_aside(self, line: Line, caption: bool = False) -> None:
        """Start a caption or a footnote, or continue one."""
        self._close_rows()
        if caption or line.text.startswith(SUPERSCRIPT_START) or not self.continues_aside(line):
            self._close_aside()
        self._aside.append(line)

    def continues_aside(self, line: Line) -> bool:
        """Return whether a line continues the current caption or footnote."""
        if not self._aside or line.text.startswith(SUPERSCRIPT_START):
            return False
        last = self._aside[-1]
        gap = last.baseline - line.baseline
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

    def finish(self) -> list[Block]:
        self._close()
        if self._footnotes:
            self._blocks.append(Paragraph([self._dehyphenator.join(self._footnotes)]))
        return self._blocks

    def _close(self) -> None:
        self._close_aside()
        self._close_rows()
        if self._current:
            self._blocks.append(Paragraph([self._dehyphenator.join(self._current)]))
        self._current = []
        self._blocks.extend(self._asides)
        self._asides = []

    def _close_aside(self) -> None:
        if self._aside:
            self._asides.append(Paragraph([self._dehyphenator.join(self._aside)]))
        self._aside = []

    def _close_rows(self) -> None:
        """Add the rows of a table of figures, or of an unrecognized table as preformatted lines."""
        rows: dict[tuple[int, int], list[Line]] = defaultdict(list)
        for line in self._rows:
            rows[line.page, round(line.baseline / 3)].append(line)
        table = figure_table([*rows.values()], self._dehyphenator)
        if table is not None:
            self._asides.append(table)
        elif len(rows) > 1:
            texts = [" | ".join(strip_marks(cell.text) for cell in row) for row in rows.values()]
            self._asides.append(Paragraph(["\n".join(texts)], verbatim=True))
        elif self._rows:
            self._current.extend(self._rows)
        self._rows = []


def fold_keywords(blocks: Sequence[Block]) -> list[Block]:
    """Return the blocks with keywords under a heading as one paragraph: "Keywords: rivers, models"."""
    folded: list[Block] = []
    for block in blocks:
        before = folded[-1] if folded else None
        if isinstance(before, Heading) and isinstance(block, Paragraph) and _is_keywords_heading(before):
            folded[-1] = Paragraph([*before.inlines, ": ", *block.inlines])
        else:
            folded.append(block)
    return folded


def _is_keywords_heading(heading: Heading) -> bool:
    return KEYWORDS.fullmatch(inlines_text(heading.inlines).strip(" :.")) is not None


def split_run_in_headings(blocks: Sequence[Block]) -> list[Block]:
    """Return the blocks with headings at the start of a paragraph apart: "Introduction.—Rivers carry"."""
    split: list[Block] = []
    for block in blocks:
        text = inlines_text(block.inlines) if isinstance(block, Paragraph) and not block.verbatim else ""
        match = _RUN_IN.match(text)
        if match and not ABSTRACT.match(text):
            split += [Heading(2, [match[1]]), Paragraph([text[match.end() :]])]
        else:
            split.append(block)
    return split


_RUN_IN = re.compile(r"([^\W\d_a-z][^.—\n]{3,80}?)\.\s?—\s?(?=\S)")


def set_abstract(document: ParsedDocument, blocks: list[Block]) -> None:
    """Split the abstract from the body, by its heading or its first word."""
    for number, block in enumerate(blocks[:12]):
        if isinstance(block, Heading) and ABSTRACT.fullmatch(inlines_text(block.inlines).strip()):
            end = next((n for n in range(number + 1, len(blocks)) if _ends_abstract(blocks[n])), len(blocks))
            document.abstract = blocks[number + 1 : end]
            document.body = blocks[:number] + blocks[end:]
            return
        if isinstance(block, Paragraph) and not block.verbatim:
            text = strip_marks(inlines_text(block.inlines))
            lead = re.match(r"(?:abstract|摘要)\s?[:.—–-]\s?", text, re.IGNORECASE)
            if lead:
                document.abstract = [Paragraph([text[lead.end() :]])]
                document.body = blocks[:number] + blocks[number + 1 :]
                return
    document.body = blocks


def _ends_abstract(block: Block) -> bool:
    if isinstance(block, Paragraph):
        return KEYWORDS.match(inlines_text(block.inlines)) is not None
    return isinstance(block, Heading)
