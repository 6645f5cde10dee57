"""Mentions of a work in a paper: its citations with their brackets, and its authors' names."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from fathom.records.documents import Citation, Document
from fathom.records.names import CHINESE, PARTICLE, family_name, plain_word
from fathom.records.spans import Span
from fathom.tasks.citations.word_counts import occurrences

_CHINESE_NAME = re.compile(rf"[{CHINESE}·]{{2,}}")
_BRACKETED = r"\s*[（(]\s*(?:19|20)\d\d[a-z]?\s*[)）]"
_YEAR = rf"(?:{_BRACKETED}|[，,]?\s*(?:19|20)\d\d[a-z]?年?)"
_CHINESE_AND = r"\s*(?:以及|[、，,和与及&])\s*"
_ENDS = re.compile(rf"\s*(?:等人?)?{_YEAR}?\s*$")
"""Text that may follow the names before the citation's bracket: "et al." in "王明等", a year in "王明（2018）"."""
_CHINESE_JOINED = re.compile(rf"(?:{_CHINESE_AND})?$")
_VERBS = "认为|提出|指出|发现|给出|表明|建议|报道|证明|利用|采用|通过|根据|基于|的(?:研究|工作|方法|结果|观点|结论)"
_AFTER_NAME = rf"(?:等人{_YEAR}?|等?{_BRACKETED}|等{_YEAR}|等?(?=\s*(?:曾|也|则|还|最早|首先)?(?:{_VERBS})))"
"""Text after a name that marks it as a person: "et al.", a year, or a verb from `_VERBS`. Elsewhere the same characters
may be a word, as in "高峰等现象", or part of a byline."""


def chinese_names(signed: Sequence[str]) -> list[str]:
    """The Chinese names among the authors of a reference entry; an author may be one name or a list of names."""
    found: list[str] = []
    for author in signed:
        whole = "".join(author.split())
        # "王 明" is one name in two pieces, "王明, 李华" is two.
        found += [name.removesuffix("等") for name in _CHINESE_NAME.findall(whole)]
    return [name for name in found if len(name) > 1]


def names_before(before: str, names: Sequence[str]) -> int | None:
    """The position where the names at the end of a text start: 2 for "此后王明、李华等"; None without names."""
    closing = _ENDS.search(before)
    assert closing is not None  # the pattern also matches the empty string
    end, start = closing.start(), None
    while name := next((name for name in names if before.endswith(name, 0, end)), None):
        start = end - len(name)
        joined = _CHINESE_JOINED.search(before, 0, start)
        assert joined is not None
        end = joined.start()
    return start


def named_in(text: str, names: Sequence[str]) -> Iterator[Span]:
    """The spans that mention the authors as people, starting with the first author: "王明等", "王明和李华（2020）"."""
    if not names or names[0] not in text:
        return
    others = "|".join(map(re.escape, names[1:]))
    coauthors = rf"(?:{_CHINESE_AND}(?:{others}))*" if others else ""
    found = re.finditer(rf"{re.escape(names[0])}{coauthors}{_AFTER_NAME}", text)
    yield from (Span(*match.span()) for match in found)


NAMES = 80
"""Characters before a bracket that are searched for names of the cited authors."""

_NAME = rf"[A-ZÀ-ÖØ-Ž](?:[^\W{CHINESE}]|[’'-])+"
_AND = r"(?:,? (?:and|&) |\s?[和与及、]\s?)"
_NAMES = re.compile(
    rf"(?P<first>{_NAME})(?:{_AND}{_NAME}|(?:, {_NAME}){{1,3}}{_AND}{_NAME}| et al\.?)?(?:\s?等人?)?,?\s*$"
)
"""Names before a bracket; in a Chinese sentence "Smith等", "Smith和Wu"."""
_PARTICLES = re.compile(rf"\b(?:{PARTICLE}\s){{1,3}}$")
_KEY = re.compile(r"\b(?P<name>[a-z]+)(?:19|20)\d\d\w*\s*$", re.IGNORECASE)
"""A citation key that a converter left in the text: "frazier2018 (12)"."""
_FOLLOWING = re.compile(
    r"(?:['’]s\b|\s+et\s+al\b\.?|\s+(?:and|&)\s+(?:[A-Z]\S+|colleagues|co-?workers))(?:,?\s*\(?(?:19|20)\d\d[a-z]?\)?)?"
)
"""Text after a name that marks it as the name of authors ("et al.", "and colleagues"), with the year after it."""
_LEAD = re.compile(
    r"\b(?:see|also|e\.g|i\.e|cf|reviewed in|for example|ref|refs|sup|参见|详见|见|例如|如|(?:参见|见)?文献)\b\.?",
    re.IGNORECASE,
)
_GIVEN = re.compile(r"(?:^|\s)[A-ZÀ-Ž](?:[\w’'-]+|\.)\s$")
_JOINING_WORDS = re.compile(r"\b(?:and|or|as well as)\b")
_LETTERS = re.compile(r"[^\W_]")


def is_pure(text: str, bracket: Span, markers: Iterable[Span]) -> bool:
    """Whether a bracket contains only these citations: "(positions 101-134, Makke et al., 2018)" does not."""
    rest, start = [], bracket.start
    for marker in markers:
        rest.append(text[start : marker.start])
        start = max(start, marker.end)
    around = " ".join((*rest, text[start : bracket.end]))
    # Usually there are only brackets around them.
    return not _LETTERS.search(around) or not _LETTERS.search(_JOINING_WORDS.sub("", _LEAD.sub("", around)))


class Mentions:
    """Finds the mentions of works in one paper."""

    def __init__(self, document: Document, text: str) -> None:
        self.document = document
        self._text = text
        self._places: dict[tuple[Span, int | None], Span] = {}
        self._known: dict[int, list[Span]] = {}

    def of(self, reference: int) -> list[Span]:
        """The spans that cite or name the work of an entry, without ranges such as "4-6", which name no author."""
        if reference not in self._known:
            cited = [self._taken(citation) for citation in self._citing[reference] if not self._is_range(citation)]
            self._known[reference] = [*cited, *self._named(reference)]
        return self._known[reference]

    @cached_property
    def _citing(self) -> dict[int | None, list[Citation]]:
        """The citations of each entry."""
        found: dict[int | None, list[Citation]] = defaultdict(list)
        for citation in self.document.citations:
            found[citation.reference].append(citation)
        return found

    def place_of(self, citation: Citation) -> Span:
        """The span of a single citation: its brackets, and the names before them."""
        known = citation.span, citation.reference
        if known not in self._places:
            self._places[known] = self._place(citation)
        return self._places[known]

    def _place(self, citation: Citation) -> Span:
        if not is_pure(self._text, citation.group, [citation.span]):
            return citation.span
        return Span(self.start_with_names(citation), citation.group.end)

    def start_with_names(self, citation: Citation) -> int:
        """The start of a citation's brackets, or of the authors' names right before them."""
        return self._with_names(opening_of(citation), citation)

    def _taken(self, citation: Citation) -> Span:
        """The span of a citation, alone or in a group."""
        return self.place_of(citation) if self._group_sizes[citation.group] == 1 else citation.span

    @cached_property
    def _group_sizes(self) -> Counter[Span]:
        """The number of citations in each pair of brackets."""
        return Counter(citation.group for citation in self.document.citations)

    def _is_range(self, citation: Citation) -> bool:
        return citation.style != "author-year" and not citation.span.of(self._text).strip().isdigit()

    # Names.

    def _with_names(self, start: int, citation: Citation) -> int:
        """The start of the names right before a bracket: "Singer and Wu [12]", "van der Berg [4]"."""
        before = self._text[max(0, start - NAMES) : start]
        if citation.reference is None:
            return start
        # Search only the authors, not the whole entry: in "ZorlinIndex (Lind, 2013)" the name is part of the title.
        signed = self._signed(citation.reference)
        key = _KEY.search(before, before.rstrip().rfind(" ") + 1)  # in the last word, or nowhere
        if key is not None and key["name"].casefold() in re.sub(r"[\W_]", "", plain_word(signed)):
            return start - (len(before) - key.start())
        chinese = self._chinese[citation.reference - 1]
        at = names_before(before, chinese) if chinese else None
        if at is not None:
            return start - (len(before) - at)
        match = _NAMES.search(before)
        if match is None or match["first"] not in signed:
            return start
        at = match.start()
        particles = _PARTICLES.search(before, 0, at)
        if particles and f"{particles[0].strip()} {match['first']}".casefold() in signed.casefold():
            at = particles.start()
        return start - (len(before) - at)

    def _signed(self, reference: int) -> str:
        """The authors of a work as its entry prints them; the text before the title if they are not separated."""
        entry = self.document.references[reference - 1]
        if entry.authors:
            return " ".join(span.of(self._text) for span in entry.authors)
        return self._text[entry.span.start : entry.title.start if entry.title else entry.span.start]

    @cached_property
    def _chinese(self) -> list[list[str]]:
        """For each entry, its authors whose names are in Chinese characters."""
        return [
            chinese_names([span.of(self._text) for span in entry.authors] or self._signed(entry.number).split(","))
            for entry in self.document.references
        ]

    def _is_of_another_year(self, span: Span, reference: int) -> bool:
        """Whether names with a year refer to another work: "王明和李华（2020）" is not what 李华 wrote in 2017."""
        year = self.document.references[reference - 1].year
        printed = re.findall(r"(?:19|20)\d\d", span.of(self._text))
        return year is not None and bool(printed) and str(year) not in printed

    def _named(self, reference: int) -> Iterator[Span]:
        """The spans that name the authors without a citation: "as Lind et al. argue"."""
        chinese = self._chinese[reference - 1]
        if chinese:
            for span in named_in(self._text, chinese):
                if not self._is_cited(span) and not self._is_of_another_year(span, reference):
                    yield span
            return
        authors = self.document.references[reference - 1].authors
        surname = family_name(authors[0].of(self._text)) if authors else ""
        if len(surname) < 2:
            return
        for span in occurrences(self._text, surname):
            following = _FOLLOWING.match(self._text, span.end)
            if following and not self._is_cited(span) and not self._is_another_name(span, following[0]):
                yield Span(span.start, following.end())

    def _is_cited(self, span: Span) -> bool:
        """Whether the span is part of a citation: one of this work is hidden anyway, others name another work."""
        number = bisect_right(self._in_order, span.end, key=_start)
        # The next one too: its span may begin with names before its marker.
        near = self._in_order[max(0, number - 2) : number + 1]
        return any(place.start < span.end and span.start < place.end for place in map(self._taken, near))

    @cached_property
    def _in_order(self) -> list[Citation]:
        """One citation of each marker."""
        return sorted({citation.span: citation for citation in self.document.citations}.values(), key=_start)

    def _is_another_name(self, span: Span, following: str) -> bool:
        """Whether it is part of a longer name: "Ho-Patel et al.", or "Priya Patel and Sanjay" in a byline."""
        before = self._text[max(0, span.start - 24) : span.start]
        return before.endswith(("-", "‐")) or (" al" not in following and bool(_GIVEN.search(before)))


def _start(citation: Citation) -> int:
    return citation.span.start


def opening_of(citation: Citation) -> int:
    """The start of a citation: of its brackets, or of the authors' names if the document's reader found them."""
    return citation.group.start if citation.authors is None else min(citation.authors.start, citation.group.start)
