"""Markdown blocks as parsed blocks, with citations, captions and heading levels."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from fathom.corpus.readers.markdown.blocks import MarkdownBlock
from fathom.corpus.readers.markdown.inline import parse_inline, plain_text
from fathom.corpus.readers.parsed_document import Block, Heading, Inlines, Paragraph, ParsedTable, TableCell
from fathom.corpus.readers.parsing.chinese_characters import CHINESE_CHARACTER
from fathom.corpus.readers.parsing.citation_detection import detect_citations
from fathom.corpus.readers.parsing.reference_lists import ReferenceIndex
from fathom.records.names import CHINESE

_KEYWORDS = re.compile(
    r"\W*(?:(?:key\s?-?words?(?: and phrases)?|index terms)(?:\s*[^\w\s`]|\s*\n)|关\s?键\s?[词字]\W)\W*", re.IGNORECASE
)
"""A paragraph may start with "keywords is a list of nodes"."""
_KEYWORD_ENDS = re.compile(rf"\s*[,;·，；]\s*|(?<=[{CHINESE}])(?:\s+|、)(?=[{CHINESE}])")
_THEOREM = re.compile(
    r"(?:theorem|lemma|proposition|corollary|definition|remark|assumption|example|claim|conjecture|construction|fact|observation|proof|property|notation|condition|hypothesis)\b",
    re.IGNORECASE,
)
_CAPTION = re.compile(r"\W{0,4}(?:table|tab\.|表)(?:\s?[\w.]{1,8}\s?(?:[:.|—–-]|\s)|\s?[:：])", re.IGNORECASE)
"""The beginning of a caption: "Table 3.", or "Table:" as Pandoc writes it."""
_PAGE_HEADING = re.compile(r"page \d{1,4}", re.IGNORECASE)


# "（二）" numbers the subsections of a section numbered "一、".
_CHINESE_PART = re.compile("[（(][一二三四五六七八九十]{1,3}[）)]")


class BlockConverter:
    """Converts Markdown blocks to parsed blocks, and collects keywords."""

    def __init__(self, references: ReferenceIndex, blocks: Sequence[MarkdownBlock], levels: dict[int, int]) -> None:
        self._references = references
        self._levels = levels
        self.keywords: list[str] = []
        linked = any("#bib" in block.text for block in blocks)
        self._in_plain_text = bool(references.references) and not linked
        headings = [block for block in blocks if block.kind == "heading"]
        self._single_level = len({block.level for block in headings}) == 1
        self._has_page_headings = sum(bool(_PAGE_HEADING.fullmatch(block.text)) for block in headings) > 1

    def _inlines(self, text: str) -> Inlines:
        """Parse inline markup and mark the citations."""
        return detect_citations(parse_inline(text), self._references, self._in_plain_text)

    def blocks(self, source: Sequence[MarkdownBlock]) -> list[Block]:
        """Return the parsed blocks of Markdown blocks."""
        result: list[Block] = []
        used_as_caption = -1
        for position, block in enumerate(source):
            if position == used_as_caption:
                continue
            if block.kind != "table":
                result.extend(self._block(block))
                continue
            before, after = source[max(0, position - 1) : position], source[position + 1 : position + 3]
            caption = self._inlines(block.text)
            if not caption and any(map(_is_caption, before)) and result and isinstance(result[-1], Paragraph):
                caption = result[-1].inlines
                result.pop()
            elif (
                not caption
                and any(map(_is_caption, after[:1]))
                and not any(block.kind == "table" for block in after[1:])
            ):
                caption, used_as_caption = self._inlines(after[0].text), position + 1
            result.extend(self._table(block, caption))
        return result

    def _block(self, block: MarkdownBlock) -> Iterator[Block]:
        if block.kind == "heading":
            yield from self._heading(block)
        elif block.kind == "code":
            yield Paragraph([block.text], verbatim=True)
        elif label := _KEYWORDS.match(block.text):
            # Chinese papers print keywords twice, the second time in English.
            if not (self.keywords and CHINESE_CHARACTER.search(self.keywords[0])):
                self.keywords = [
                    one for one in _KEYWORD_ENDS.split(plain_text(block.text[label.end() :]).rstrip(".。")) if one
                ]
        else:
            inlines = self._inlines(
                f"{block.marker} {block.text}" if block.marker else block.text.removeprefix("•").lstrip()
            )
            if inlines and not _is_residue(inlines):
                yield Paragraph(inlines)

    def _heading(self, block: MarkdownBlock) -> Iterator[Block]:
        inlines = self._inlines(block.text)
        text = "".join(word if isinstance(word, str) else "" for word in inlines).strip()
        if not inlines or (self._has_page_headings and _PAGE_HEADING.fullmatch(text)):
            return
        if block.level >= 5 and _THEOREM.match(text):
            # The name of a theorem is a heading of the lowest level, but the text after the theorem is not part of it.
            yield Paragraph(inlines)
            return
        level = self._levels.get(block.level, block.level)
        number = re.match(rf"\d{{1,2}}((?:[.．]\d{{1,2}}){{1,4}})[.．]?(?:\s|(?=[{CHINESE}]))", text)
        if self._single_level and number:
            level += number[1].count(".") + number[1].count("．")
        elif self._single_level and _CHINESE_PART.match(text):
            level += 1
        yield Heading(level, inlines)

    def _table(self, block: MarkdownBlock, caption: Inlines) -> Iterator[Block]:
        rows = [row for row in block.rows if any(row)]
        if not caption and rows and not block.has_header and _is_equation(rows):
            for row in rows:
                yield Paragraph(self._inlines(" ".join(filter(None, row))))
            return
        if rows:
            cells = [
                [TableCell(self._inlines(cell), header=block.has_header and number == 0) for cell in row]
                for number, row in enumerate(rows)
            ]
            yield ParsedTable(caption, cells)
        elif caption:
            yield Paragraph(caption)


def _is_caption(block: MarkdownBlock) -> bool:
    return block.kind == "paragraph" and _CAPTION.match(block.text) is not None


def _is_equation(rows: Sequence[tuple[str, ...]]) -> bool:
    """Return whether a table is a formula with its number: HTML converters keep the table of its layout."""
    return all(len(row) > 2 and not row[0] and re.fullmatch(r"(?:\([\w.*]{1,8}\))?", row[-1]) for row in rows)


def _is_residue(inlines: Inlines) -> bool:
    """Return whether a paragraph contains nothing but layout commands that a converter left."""
    return (
        len(inlines) == 1
        and isinstance(inlines[0], str)
        and bool(re.fullmatch(r"\s*(?:\\[A-Za-z@]+\s*)+|\s*\\?[\[\]]\s*", inlines[0]))
    )
