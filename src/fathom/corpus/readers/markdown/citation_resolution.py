"""Blocks of Markdown as readers give them: with their citations, captions and ranks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from fathom.corpus.readers.markdown.blocks import Raw
from fathom.corpus.readers.markdown.inline import bare, inline
from fathom.corpus.readers.parsed_document import Block, Heading, Inlines, Paragraph, ParsedTable, TableCell
from fathom.corpus.readers.parsing.chinese_characters import CHINESE_CHARACTER
from fathom.corpus.readers.parsing.citation_detection import detect_citations
from fathom.corpus.readers.parsing.reference_lists import ReferenceIndex
from fathom.records.names import CHINESE

_KEYWORDS = re.compile(r"\W*(?:key\s?-?words?(?: and phrases)?|index terms|关\s?键\s?[词字])\W+", re.IGNORECASE)
_KEYWORD_ENDS = re.compile(rf"\s*[,;·，；]\s*|(?<=[{CHINESE}])(?:\s+|、)(?=[{CHINESE}])")
_STATEMENT = re.compile(
    r"(?:theorem|lemma|proposition|corollary|definition|remark|assumption|example|claim|conjecture|construction|fact|observation|proof|property|notation|condition|hypothesis)\b",
    re.IGNORECASE,
)
_CAPTION = re.compile(r"\W{0,4}(?:table|tab\.|表)\s?[\w.]{1,8}\s?(?:[:.|—–-]|\s)", re.IGNORECASE)
_PAGE = re.compile(r"page \d{1,4}", re.IGNORECASE)


# "（二）" numbers the parts of a section that "一、" numbers.
_CHINESE_PART = re.compile("[（(][一二三四五六七八九十]{1,3}[）)]")


class Settler:
    """Turns raw blocks into what a reader gives."""

    def __init__(self, references: ReferenceIndex, blocks: Sequence[Raw], ranks: dict[int, int]) -> None:
        self._references = references
        self._ranks = ranks
        self.keywords: list[str] = []
        linked = any("#bib" in raw.text for raw in blocks)
        self._unlinked = bool(references.references) and not linked
        headings = [raw for raw in blocks if raw.kind == "heading"]
        self._flat = len({raw.level for raw in headings}) == 1
        self._pages = sum(bool(_PAGE.fullmatch(raw.text)) for raw in headings) > 1

    def words(self, text: str) -> Inlines:
        """Running text with its citations."""
        return detect_citations(inline(text), self._references, self._unlinked)

    def blocks(self, raws: Sequence[Raw]) -> list[Block]:
        """The blocks that raw ones make."""
        out: list[Block] = []
        skipped = -1
        for place, raw in enumerate(raws):
            if place == skipped:
                continue
            if raw.kind == "table":
                below = raws[place + 1] if place + 1 < len(raws) else None
                beyond = raws[place + 2] if place + 2 < len(raws) else None
                caption, taken = self._caption(out, raws[place - 1] if place else None, below, beyond)
                skipped = place + 1 if taken else -1
                out.extend(self._table(raw, caption))
            else:
                out.extend(self._block(raw))
        return out

    def _block(self, raw: Raw) -> Iterator[Block]:
        if raw.kind == "heading":
            yield from self._heading(raw)
        elif raw.kind == "code":
            yield Paragraph([raw.text], verbatim=True)
        elif found := _KEYWORDS.match(raw.text):
            # A Chinese paper has them twice, the second time in English.
            if not (self.keywords and CHINESE_CHARACTER.search(self.keywords[0])):
                self.keywords = [one for one in _KEYWORD_ENDS.split(bare(raw.text[found.end() :]).rstrip(".。")) if one]
        else:
            words = self.words(f"{raw.marker} {raw.text}" if raw.marker else raw.text.removeprefix("•").lstrip())
            if words and not _is_residue(words):
                yield Paragraph(words)

    def _heading(self, raw: Raw) -> Iterator[Block]:
        words = self.words(raw.text)
        text = "".join(word if isinstance(word, str) else "" for word in words).strip()
        if not words or (self._pages and _PAGE.fullmatch(text)):
            return
        if raw.level >= 5 and _STATEMENT.match(text):
            # A theorem's name is set as a heading of the lowest rank, but the text after the theorem is not its own.
            yield Paragraph(words)
            return
        level = self._ranks.get(raw.level, raw.level)
        number = re.match(rf"\d{{1,2}}((?:[.．]\d{{1,2}}){{1,4}})[.．]?(?:\s|(?=[{CHINESE}]))", text)
        if self._flat and number:
            level += number[1].count(".") + number[1].count("．")
        elif self._flat and _CHINESE_PART.match(text):
            level += 1
        yield Heading(level, words)

    def _caption(
        self, out: list[Block], above: Raw | None, below: Raw | None, beyond: Raw | None
    ) -> tuple[Inlines, bool]:
        """A table's caption, taken from above it or from below it, and whether it was below."""
        if (
            above
            and above.kind == "paragraph"
            and _CAPTION.match(above.text)
            and out
            and isinstance(out[-1], Paragraph)
        ):
            words = out.pop().inlines  # type: ignore[union-attr]
            return words, False
        if (
            below
            and below.kind == "paragraph"
            and _CAPTION.match(below.text)
            and not (beyond and beyond.kind == "table")
        ):
            return self.words(below.text), True
        return [], False

    def _table(self, raw: Raw, caption: Inlines) -> Iterator[Block]:
        rows = [row for row in raw.rows if any(row)]
        if not caption and rows and not raw.headed and _is_equation(rows):
            for row in rows:
                yield Paragraph(self.words(" ".join(filter(None, row))))
            return
        if rows:
            cells = [
                [TableCell(self.words(cell), header=raw.headed and number == 0) for cell in row]
                for number, row in enumerate(rows)
            ]
            yield ParsedTable(caption, cells)
        elif caption:
            yield Paragraph(caption)


def _is_equation(rows: Sequence[tuple[str, ...]]) -> bool:
    """Whether a table is a formula and its number: converters of HTML keep the table it was set in."""
    return all(len(row) > 2 and not row[0] and re.fullmatch(r"(?:\([\w.*]{1,8}\))?", row[-1]) for row in rows)


def _is_residue(words: Inlines) -> bool:
    """Whether a paragraph is nothing but a command of the layout that was left over."""
    return (
        len(words) == 1
        and isinstance(words[0], str)
        and bool(re.fullmatch(r"\s*(?:\\[A-Za-z@]+\s*)+|\s*\\?[\[\]]\s*", words[0]))
    )
