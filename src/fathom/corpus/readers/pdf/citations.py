"""Citations in the text of a PDF, found by their form and matched to entries of the reference list."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from fathom.corpus.readers.parsed_document import (
    Block,
    CitationMark,
    Heading,
    Inlines,
    Paragraph,
    ParsedReference,
    ParsedTable,
)
from fathom.corpus.readers.parsing.blocks import inlines_text
from fathom.corpus.readers.parsing.chinese_characters import to_half_width
from fathom.corpus.readers.parsing.superscripts import SUPERSCRIPT_END, SUPERSCRIPT_START, strip_marks
from fathom.records.names import PARTICLE

_BRACKETED = re.compile(r"\[(\d{1,4}(?:\s?[,;–-]\s?\d{1,4})*)\]")
_NUMBER_OR_RANGE = re.compile(r"(\d{1,4})(?:\s?[–-]\s?(\d{1,4}))?")
_YEAR = r"(?:1[5-9]|20)\d\d[a-z]?"
_IN_BRACKETS = re.compile(rf"[(\[][^()\[\]]{{0,600}}?\b{_YEAR}\b[^()\[\]]{{0,200}}[)\]]")
_SURNAME = rf"(?:{PARTICLE}\s){{0,2}}[^\W\d_a-z][\w'’-]{{1,40}}"
_NARRATIVE = re.compile(
    rf"({_SURNAME})(?:(?:,\s{_SURNAME}){{0,4}},?\s(?:and|&)\s{_SURNAME}|\set\sal\.?)?(?:['’]s)?,?\s[(\[]({_YEAR})(?:,\s?p+\.[^()]{{0,20}})?[)\]]"
)
_BRACKETED_YEAR = re.compile(rf"\s[(\[]({_YEAR})")
_MAX_NAMES = 600
"""Maximum number of characters of the names in a narrative citation: five of them."""
_MAX_PAGES = 60
"""Maximum number of characters of its page numbers."""
_NAME_AND_YEAR = re.compile(rf"({_SURNAME})[^;()]{{0,120}}?\b({_YEAR})\b")
_SUPERSCRIPT = re.compile(f"{SUPERSCRIPT_START}([^{SUPERSCRIPT_END}]{{0,200}}){SUPERSCRIPT_END}")


_LEADING_NAME = re.compile(
    rf"(?:[^\W\d_a-z][\w'’.-]{{0,30}}\s){{1,3}}((?:{PARTICLE}\s){{0,3}}[^\W\d_a-z][\w'’-]{{1,40}})"
    r"(?=,|\s+and\s|\s*&|\.\s|\s*\(|\s+et\sal)"
)
"""The first author of an entry that starts with a given name."""


@dataclass(frozen=True)
class _Occurrence:
    """Position of a citation in a text, and its reference keys."""

    start: int
    end: int
    keys: tuple[str, ...]
    superscript: bool = False


class CitationFinder:
    """Finds citations in text and the references they point to."""

    def __init__(self, references: Sequence[ParsedReference]) -> None:
        self.resolved: set[str] = set()
        """Keys of the references that are cited."""
        self.found = 0
        self.unresolved = 0
        """Number of citations, and of those that point to no reference."""
        self.beyond = 0
        """Number of citations with a number that is greater than those of the list."""
        self.unlocated = 0
        """Number of texts that look like citations but match no entry."""
        self._numbers = {reference.key for reference in references if reference.key.isdigit()}
        self._by_name_and_year: dict[tuple[str, str], list[ParsedReference]] = defaultdict(list)
        for reference in references:
            first = reference.authors[0] if reference.authors else reference.text[:60]
            year = re.search(_YEAR, reference.text[len(first) :]) if reference.year else None
            leading = _LEADING_NAME.match(reference.text)
            families = [*_family_names(first), *(_family_names(leading[1]) if leading else ())]
            for family in dict.fromkeys(families):
                if reference.year:
                    self._by_name_and_year[family, str(reference.year)].append(reference)
                if year and year[0][-1].isalpha():
                    self._by_name_and_year[family, year[0]].append(reference)

    def mark_block(self, block: Block) -> Block:
        """Return a block with its citations marked."""
        if isinstance(block, Paragraph):
            text = inlines_text(block.inlines)
            return replace(block, inlines=[strip_marks(text)] if block.verbatim else self.mark_citations(text))
        if isinstance(block, Heading):
            return Heading(block.level, [strip_marks(inlines_text(block.inlines))])
        caption = self.mark_citations(inlines_text(block.caption))
        return ParsedTable(
            caption,
            [
                [replace(cell, inlines=self.mark_citations(inlines_text(cell.inlines))) for cell in row]
                for row in block.rows
            ],
        )

    def mark_citations(self, text: str) -> Inlines:
        """Return the text with its citations marked."""
        narrow = to_half_width(text)
        superscript = [] if not self._numbers else list(self._superscript_citations(narrow))
        found = [*self._bracketed_citations(narrow), *self._named_citations(narrow), *superscript]
        marked: Inlines = []
        place = 0
        for one in sorted(found, key=lambda at: (at.start, -at.end)):
            if one.start < place:
                continue
            marked.append(strip_marks(text[place : one.start]))
            style: Literal["superscript"] | None = "superscript" if one.superscript else None
            marked.append(CitationMark(strip_marks(text[one.start : one.end]), one.keys, style))
            place = one.end
            self.found += 1
            self.unresolved += not one.keys
            self.beyond += not one.keys and not one.superscript and text[one.start : one.end].isdigit()
            self.resolved.update(one.keys)
        self.unlocated += _citation_like(marked, text[place:])
        return [*marked, strip_marks(text[place:])]

    def _bracketed_citations(self, text: str) -> Iterator[_Occurrence]:
        for bracket in _BRACKETED.finditer(text) if self._numbers else ():
            yield from self._numbered_citations(text, bracket.start(1), bracket.end(1))

    def _superscript_citations(self, text: str) -> Iterator[_Occurrence]:
        for superscript in _SUPERSCRIPT.finditer(text):
            if re.fullmatch(r"\d{1,3}(?:\s?[,–-]\s?\d{1,3})*", superscript[1]):
                yield from self._numbered_citations(text, superscript.start(1), superscript.end(1), superscript=True)

    def _numbered_citations(self, text: str, start: int, end: int, superscript: bool = False) -> Iterator[_Occurrence]:
        for match in _NUMBER_OR_RANGE.finditer(text, start, end):
            first, last = int(match[1]), int(match[2] or match[1])
            if not first <= last <= first + 200:
                continue
            keys = tuple(str(number) for number in range(first, last + 1) if str(number) in self._numbers)
            if keys or not superscript:
                yield _Occurrence(*match.span(), keys, superscript)

    def _named_citations(self, text: str) -> Iterator[_Occurrence]:
        if not self._by_name_and_year:
            return
        for one in _narrative_citations(text):
            keys = self._matching_keys(one[1], one[2], one[0])
            if keys:
                yield _Occurrence(*one.span(), keys)
        for bracket in _IN_BRACKETS.finditer(text):
            place = bracket.start() + 1
            for part in bracket[0][1:-1].split(";"):
                yield from self._citations_in_part(part, place)
                place += len(part) + 1

    def _citations_in_part(self, part: str, place: int) -> Iterator[_Occurrence]:
        """Yield the citations in one part of a bracket: a name with one or more years."""
        found = _NAME_AND_YEAR.search(part)
        if found is None:
            return
        lead = re.match(
            r"(?:(?:see(?: also)?|e\.g\.|cf\.|i\.e\.|such as|for example|also|and),?\s)+",
            part[found.start() :],
            re.IGNORECASE,
        )
        start = found.start() + (lead.end() if lead else 0)
        found = _NAME_AND_YEAR.match(part, start) or found
        keys = self._matching_keys(found[1], found[2], found[0])
        # "(EMNLP 2020)" is a conference.
        if not keys and (found[1].isupper() or len(re.findall(r"\w+", found[0])) > 8):
            return
        if not keys and not re.fullmatch(rf"{_SURNAME}(?:\set\sal\.?|\s(?:and|&)\s{_SURNAME})?,?\s{_YEAR}", found[0]):
            return
        yield _Occurrence(place + found.start(), place + found.end(), keys)
        for more in re.finditer(rf"(?<=,\s)({_YEAR})\b", part[found.end() :]):
            at = place + found.end()
            yield _Occurrence(at + more.start(1), at + more.end(1), self._matching_keys(found[1], more[1], found[0]))

    def _matching_keys(self, family: str, year: str, citation_text: str) -> tuple[str, ...]:
        for name in _family_names(family):
            entries = self._by_name_and_year.get((name, year)) or self._by_name_and_year.get((name, year[:4]), [])
            if entries:
                # `max` is stable: of equally good entries, the first in the list.
                return (max(entries, key=lambda entry: _author_fit(entry, citation_text)).key,)
        return ()


def _narrative_citations(text: str) -> Iterator[re.Match[str]]:
    """Yield names before a year in brackets. They are searched for only between the brackets before it and the year."""
    for year in _BRACKETED_YEAR.finditer(text):
        earliest = max(0, year.start() - _MAX_NAMES)
        after_bracket = max(text.rfind(bracket, earliest, year.start()) for bracket in "()[]") + 1
        match = _NARRATIVE.search(text, max(earliest, after_bracket), year.end() + _MAX_PAGES)
        if match and match.start(2) == year.start(1):
            yield match


_DIGITS = re.compile(r"\d\d[a-z]?\b")
_CITATION_LIKE = re.compile(
    rf"[(\[]({_SURNAME})(?:\set\sal\.?|\s(?:and|&)\s{_SURNAME})?,?\s[(\[]?{_YEAR}\b"
    rf"|\b({_SURNAME})\s(?:et\sal\.?|(?:and|&)\s{_SURNAME}),?\s[(\[]{_YEAR}[)\]]"
    rf"|\[[A-Z][A-Za-z+]{{1,6}}\d\d[a-z]?\]"
)


def _citation_like(marked: Inlines, rest: str) -> int:
    """Return how many texts look like citations outside the marked ones."""
    pieces = [*(piece for piece in marked if isinstance(piece, str)), rest]
    found = (match for piece in pieces if _DIGITS.search(piece) for match in _CITATION_LIKE.finditer(piece))
    # "(EMNLP 2020)" is a conference.
    return sum(not (one[1] or one[2] or "a").isupper() for one in found)


def _author_fit(entry: ParsedReference, citation_text: str) -> int:
    """Score how well an entry's authors fit a citation: "Tran (2003)" has one, "Tran et al. (2003)" at least three."""
    count = len(entry.authors) + 2 * ("et al" in entry.text)
    if re.search(r"\bet\sal\b", citation_text):
        return min(count, 3)
    second = re.search(rf"\s(?:and|&)\s({_SURNAME})", citation_text)
    if second is None:
        return int(count == 1)
    named = count > 1 and not set(_family_names(second[1])).isdisjoint(_family_names(entry.authors[-1]))
    return 2 * named + (count == 2)


def _family_names(name: str) -> Iterator[str]:
    """Yield the forms in which a citation may name an author: the family name with or without its particle."""
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
