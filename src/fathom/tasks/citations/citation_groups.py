"""Groups of citations that are read as one, and the entries that each group cites."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from fathom.records.documents import Citation, Document
from fathom.records.spans import Span
from fathom.tasks.citations.mentions import NAMES, Mentions, is_pure, opening_of

NEIGHBOR = 4
"""Citations with fewer characters between them belong together, even in separate brackets."""
JOINT = 40
"""The maximum number of characters between two citations that are read as one: "</sup> as well as <sup>"."""

_SEPARATORS = r"(?:[\s,;/&+()\[\]（）［］–—−~-]|</?sup>|\b(?:and|or|to|through|as well as)\b)*"
_JOINED = re.compile(_SEPARATORS)
"""Text between citations that are read as one: "[3] and [4]"."""
_DASH = re.compile(r"(?:[\s()\[\]（）［］]|</?sup>)*(?:[–—−~-]|to|through)(?:[\s()\[\]（）［］]|</?sup>)*")
"""Text between the ends of a range, which cites works that are not printed."""

_NUMBER = r"\d{1,4}"
_NUMBERS = rf"\s*{_NUMBER}(?:\s*[,;–—−~-]\s*{_NUMBER})*\s*"
_YEAR = r"(?:19|20)\d\d[a-z]?"
_PERSON = r"[A-ZÀ-ÖØ-Ž][\w’'-]+"
_PEOPLE = rf"{_PERSON}(?:(?:,|,? and|,? &)? {_PERSON}){{0,4}}(?: et al\.?)?"
_DATED = rf"[\[(（［][^\[\]()（）［］]{{0,80}}\b{_YEAR}[^\[\]()（）［］]{{0,20}}[\])）］]"
_KEY = rf"[A-Za-z]{{2,}}:?{_YEAR}\w*"
_FURTHER = re.compile(
    rf"{_SEPARATORS}(?:{_DATED}|{_PEOPLE},?\s*[\[(（［]\s*{_YEAR}|(?<=[\s(\[]){_YEAR}\s*[\]);,.]|{_KEY})"
    r"|\s?[,;/&]\s?(?:and\s)?[a-z]\s*[\])）］]"
)
"""A citation right after another: "Yu (2023a; b)", "(Yu, 2023) and 2024"."""
_FURTHER_NUMBER = {
    "]": re.compile(rf"{_SEPARATORS}(?<=[\[［]){_NUMBERS}[\]］]"),
    ")": re.compile(rf"{_SEPARATORS}(?<=[(（]){_NUMBERS}[)）]"),
    "": re.compile(rf"\s?[,;–—−~-]\s?{_NUMBER}\b|[;,]\s[A-Z][A-Za-z]+\d\d\b"),
}
"""The same after a number, by the bracket that ends it; superscripts and citation keys have none."""
_BEFORE_MARK = r"(?:[\s,;/&+–—−~-]|\b(?:and|or|to|through)\b)*$"
_EARLIER = re.compile(rf"(?:{_DATED}|\b{_KEY}){_BEFORE_MARK}")
_EARLIER_NUMBER = {
    "]": re.compile(rf"[\[［]{_NUMBERS}[\]］]{_BEFORE_MARK}"),
    ")": re.compile(rf"[(（]{_NUMBERS}[)）]{_BEFORE_MARK}"),
    "": re.compile(r"\d\s?[,;–—−~-]\s?$|[A-Za-z]\d\d[;,]\s?$"),
}

_MARKERS = re.compile(
    rf"(?<![\w./:-]){_YEAR}(?![\w/-]|\.\d)(?P<letters>(?:\s*[,;/&–—-]\s*(?:and\s+)?[a-z](?!\w))*)", re.IGNORECASE
)
_RANGE = re.compile(rf"(?P<first>{_NUMBER})(?:\s*[–—−~-]\s*(?P<last>{_NUMBER}))?")


@dataclass(frozen=True)
class CitationGroup:
    """The citations of a bracket, and of the brackets that are joined to it."""

    citations: tuple[Citation, ...]
    """In the order of the text."""
    place: Span
    """The span that a mask replaces: the brackets, and the authors' names before them."""

    @property
    def brackets(self) -> list[Span]:
        return list(dict.fromkeys(citation.group for citation in self.citations))


class CitationGroups:
    """The groups of one paper."""

    def __init__(self, document: Document, text: str, mentions: Mentions) -> None:
        self._document = document
        self._text = text
        self._mentions = mentions

    def __iter__(self) -> Iterator[CitationGroup]:
        """Every group, in the order of the text."""
        return iter(dict.fromkeys(self._by_bracket.values()))

    def of(self, citation: Citation) -> CitationGroup:
        """The group of a citation."""
        return self._by_bracket[citation.group]

    def cited_by(self, group: CitationGroup) -> tuple[int, ...] | None:
        """The entries that a group cites, each once, in the order of the text; None unless it certainly cites no other.

        Every marker must be resolved, and none may be left between, before or after them: "Yu et al. (2023a; b)" cites
        two works even if only the first was located.
        """
        cited = [citation.reference for citation in group.citations if citation.reference is not None]
        if len(cited) < len(group.citations) or not self._is_all_located(group) or self._has_neighbor(group):
            return None
        return tuple(dict.fromkeys(cited))

    def is_alone(self, citation: Citation) -> bool:
        """Whether a citation is a group by itself."""
        group = self.of(citation)
        return len(group.citations) == 1 and self.cited_by(group) is not None

    @cached_property
    def _by_bracket(self) -> dict[Span, CitationGroup]:
        by_bracket: dict[Span, list[Citation]] = defaultdict(list)
        for citation in sorted(self._document.citations, key=lambda citation: (citation.group, citation.span)):
            by_bracket[citation.group].append(citation)
        runs: list[list[Citation]] = []
        for bracket in by_bracket.values():
            if runs and self._is_joined(runs[-1][-1], bracket[0]):
                runs[-1] += bracket
            else:
                runs.append(list(bracket))
        groups = [CitationGroup(tuple(run), self._place(run)) for run in runs]
        return {bracket: group for group in groups for bracket in group.brackets}

    def _place(self, run: Sequence[Citation]) -> Span:
        return Span(self._mentions.start_with_names(run[0]), max(citation.group.end for citation in run))

    def _is_joined(self, before: Citation, after: Citation) -> bool:
        # Most citations are a sentence apart, so names before them need not be searched.
        if opening_of(after) - before.group.end > NAMES + JOINT:
            return False
        between = self._text[before.group.end : self._mentions.start_with_names(after)]
        if "\n\n" in between or ". " in between:
            return False
        return len(between) < NEIGHBOR or _JOINED.fullmatch(between) is not None

    def _is_all_located(self, group: CitationGroup) -> bool:
        """Whether the brackets contain nothing but the markers of the citations."""
        at_marker = Counter(citation.span for citation in group.citations)
        if any(_works_at(span.of(self._text)) != works for span, works in at_marker.items()):
            return False
        if any(_DASH.fullmatch(self._text[one.end : two.start]) for one, two in pairwise(sorted(at_marker))):
            return False
        return all(
            is_pure(self._text, bracket, [marker for marker in sorted(at_marker) if bracket.contains(marker)])
            for bracket in group.brackets
        )

    def _has_neighbor(self, group: CitationGroup) -> bool:
        """Whether a citation that was not located, or an author's name, is right before or after the group."""
        place, text = group.place, self._text
        before = text[max(0, place.start - NAMES) : place.start]
        if before.rstrip().endswith(("et al.", "et al")) or _EARLIER.search(before):
            return True
        further = _FURTHER.match(text, place.end)
        if further and not self._is_located(Span(place.end, further.end())):
            return True
        if group.citations[0].style == "author-year" and _ends_with_bracket(text, place):
            return False
        closing = {"］": "]", "）": ")"}.get(text[place.end - 1], text[place.end - 1])
        closing = closing if closing in _FURTHER_NUMBER else ""
        return bool(_FURTHER_NUMBER[closing].match(text, place.end) or _EARLIER_NUMBER[closing].search(before))

    def _is_located(self, span: Span) -> bool:
        """Whether the span ends in a citation, which was not joined because words are between."""
        number = bisect_left(self._starts, span.start)
        return number < len(self._starts) and self._starts[number] < span.end

    @cached_property
    def _starts(self) -> list[int]:
        return sorted(bracket.start for bracket in self._by_bracket)


def _ends_with_bracket(text: str, place: Span) -> bool:
    return text[place.end - 1] in "])］）"


def _works_at(marker: str) -> int:
    """The number of works that a marker cites as it is printed: 2 for "Yu et al., 2023a,b", 3 for "4-6"."""
    years = list(_MARKERS.finditer(marker))
    if years:
        return sum(1 + len(re.findall(r"\b[a-z]\b", year["letters"], re.IGNORECASE)) for year in years)
    if not re.fullmatch(r"[\d\s,;–—−~-]+", marker):
        return 1
    return sum(
        max(1, int(match["last"] or match["first"]) - int(match["first"]) + 1) for match in _RANGE.finditer(marker)
    )
