"""The citations in the running text of a PDF, told by their look, and the entries of the list that they mean."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from fathom.corpus.readers.parsed_document import (
    Block,
    CitationMark,
    Heading,
    Inlines,
    Paragraph,
    ParsedReference,
    ParsedTable,
    TableCell,
)
from fathom.corpus.readers.parsing.chinese_characters import half_width
from fathom.corpus.readers.pdf.characters import LOWERED, RAISED, bare
from fathom.corpus.readers.pdf.lines import printed
from fathom.records.names import PARTICLE

_BRACKETED = re.compile(r"\[(\d{1,4}(?:\s?[,;–-]\s?\d{1,4})*)\]")
_NUMBER_OR_RANGE = re.compile(r"(\d{1,4})(?:\s?[–-]\s?(\d{1,4}))?")
_YEAR = r"(?:1[5-9]|20)\d\d[a-z]?"
_IN_BRACKETS = re.compile(rf"\([^()]{{0,600}}?\b{_YEAR}\b[^()]{{0,200}}\)")
_SURNAME = rf"(?:{PARTICLE}\s){{0,2}}[^\W\d_a-z][\w'’-]{{1,40}}"
_NARRATIVE = re.compile(
    rf"({_SURNAME})(?:(?:,\s{_SURNAME}){{0,4}},?\s(?:and|&)\s{_SURNAME}|\set\sal\.?)?(?:['’]s)?,?\s\(({_YEAR})(?:,\s?p+\.[^()]{{0,20}})?\)"
)
_ONE_CITED = re.compile(rf"({_SURNAME})[^;()]{{0,120}}?\b({_YEAR})\b")
_ONE_RAISED = re.compile(f"{RAISED}([^{LOWERED}]{{0,200}}){LOWERED}")


@dataclass(frozen=True)
class _At:
    start: int
    end: int
    keys: tuple[str, ...]
    raised: bool = False


class Citer:
    """Finds the citations in running text and the entries they mean."""

    def __init__(self, references: Sequence[ParsedReference]) -> None:
        self._numbers = {reference.key for reference in references if reference.key.isdigit()}
        self._named: dict[tuple[str, str], list[ParsedReference]] = defaultdict(list)
        for reference in references:
            first = reference.authors[0] if reference.authors else reference.text[:60]
            year = re.search(_YEAR, reference.text[len(first) :]) if reference.year else None
            for family in _families(first):
                if reference.year:
                    self._named[family, str(reference.year)].append(reference)
                if year and year[0][-1].isalpha():
                    self._named[family, year[0]].append(reference)

    def block(self, block: Block) -> Block:
        if isinstance(block, Paragraph):
            text = printed(block.inlines)
            return Paragraph([bare(text)], verbatim=True) if block.verbatim else Paragraph(self.words(text))
        if isinstance(block, Heading):
            return Heading(block.level, [bare(printed(block.inlines))])
        return ParsedTable(
            self.words(printed(block.caption)), [[self._cell(cell) for cell in row] for row in block.rows]
        )

    def _cell(self, cell: TableCell) -> TableCell:
        return replace(cell, inlines=self.words(printed(cell.inlines)))

    def words(self, text: str) -> Inlines:
        """The text with its citations between."""
        narrow = half_width(text)
        raised = [] if not self._numbers else list(self._raised(narrow))
        found = [*self._bracketed(narrow), *self._by_name(narrow), *raised]
        words: Inlines = []
        place = 0
        for one in sorted(found, key=lambda at: (at.start, -at.end)):
            if one.start < place:
                continue
            words.append(bare(text[place : one.start]))
            words.append(CitationMark(bare(text[one.start : one.end]), one.keys, "superscript" if one.raised else None))
            place = one.end
        return [*words, bare(text[place:])]

    def _bracketed(self, text: str) -> Iterator[_At]:
        for bracket in _BRACKETED.finditer(text) if self._numbers else ():
            yield from self._numbered(text, bracket.start(1), bracket.end(1))

    def _raised(self, text: str) -> Iterator[_At]:
        for raised in _ONE_RAISED.finditer(text):
            if re.fullmatch(r"\d{1,3}(?:\s?[,–-]\s?\d{1,3})*", raised[1]):
                yield from self._numbered(text, raised.start(1), raised.end(1), raised=True)

    def _numbered(self, text: str, start: int, end: int, raised: bool = False) -> Iterator[_At]:
        for one in _NUMBER_OR_RANGE.finditer(text, start, end):
            first, last = int(one[1]), int(one[2] or one[1])
            if not first <= last <= first + 200:
                continue
            keys = tuple(str(number) for number in range(first, last + 1) if str(number) in self._numbers)
            if keys or not raised:
                yield _At(*one.span(), keys, raised)

    def _by_name(self, text: str) -> Iterator[_At]:
        if not self._named:
            return
        for one in _NARRATIVE.finditer(text):
            keys = self._meant(one[1], one[2], one[0])
            if keys:
                yield _At(*one.span(), keys)
        for bracket in _IN_BRACKETS.finditer(text):
            place = bracket.start() + 1
            for part in bracket[0][1:-1].split(";"):
                yield from self._part(part, place)
                place += len(part) + 1

    def _part(self, part: str, place: int) -> Iterator[_At]:
        """The citations in one part of a bracket: a name with a year, or with several."""
        found = _ONE_CITED.search(part)
        if found is None:
            return
        lead = re.match(
            r"(?:(?:see(?: also)?|e\.g\.|cf\.|i\.e\.|such as|for example|also|and),?\s)+",
            part[found.start() :],
            re.IGNORECASE,
        )
        start = found.start() + (lead.end() if lead else 0)
        found = _ONE_CITED.match(part, start) or found
        keys = self._meant(found[1], found[2], found[0])
        if not keys and len(re.findall(r"\w+", found[0])) > 8:
            return
        if not keys and not re.fullmatch(rf"{_SURNAME}(?:\set\sal\.?|\s(?:and|&)\s{_SURNAME})?,?\s{_YEAR}", found[0]):
            return
        yield _At(place + found.start(), place + found.end(), keys)
        for more in re.finditer(rf"(?<=,\s)({_YEAR})\b", part[found.end() :]):
            at = place + found.end()
            yield _At(at + more.start(1), at + more.end(1), self._meant(found[1], more[1], found[0]))

    def _meant(self, family: str, year: str, said: str) -> tuple[str, ...]:
        for name in _families(family):
            entries = self._named.get((name, year)) or self._named.get((name, year[:4]), [])
            if entries:
                # Stable: of entries that fit alike, the first of the list.
                return (max(entries, key=lambda entry: _fits(entry, said)).key,)
        return ()


def _fits(entry: ParsedReference, said: str) -> int:
    """How well an entry's authors fit a citation: "Tran (2003)" has one, "Tran et al. (2003)" has at least three."""
    count = len(entry.authors) + 2 * ("et al" in entry.text)
    if re.search(r"\bet\sal\b", said):
        return min(count, 3)
    second = re.search(rf"\s(?:and|&)\s({_SURNAME})", said)
    if second is None:
        return int(count == 1)
    named = count > 1 and not set(_families(second[1])).isdisjoint(_families(entry.authors[-1]))
    return 2 * named + (count == 2)


def _families(name: str) -> Iterator[str]:
    """The ways in which a citation may name an author: by the family name, with its particle or without."""
    name = re.split(r"[’']s\b", name)[0]
    family = name.partition(",")[0] if "," in name else name
    words = [word for word in re.findall(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*", family.lower()) if len(word) > 1]
    if not words:
        return
    yield " ".join(words)
    if len(words) > 1:
        yield words[-1]
        if "," not in name:
            yield words[0]
