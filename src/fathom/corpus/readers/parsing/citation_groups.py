"""The bracket, or the run of superscripts, that contains an in-text citation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fathom.corpus.readers.parsed_document import CitationMark
from fathom.corpus.readers.parsing.chinese_characters import to_half_width
from fathom.records.spans import Span


@dataclass(frozen=True)
class PlacedCitation:
    """A citation mark with its span."""

    span: Span
    mark: CitationMark


def citation_groups(citations: Sequence[PlacedCitation], text: str, start: int) -> Iterator[Span]:
    """Yield the span of the group of each citation in a text, which starts at `start`."""
    text = to_half_width(text)
    brackets = list(_innermost_brackets([citation.span for citation in citations], _brackets(text, start)))
    groups = {} if all(brackets) else _adjacent_groups(citations, text, start)
    for citation, bracket in zip(citations, brackets, strict=True):
        yield Span(*bracket) if bracket else groups[citation.span]


_Bracket = tuple[int, int]
"""Start and end of a pair of brackets. A text has many more of them than citations need."""


def _brackets(text: str, start: int) -> list[_Bracket]:
    """Return every pair of brackets in a text. Unmatched brackets are ignored."""
    closing = {"(": ")", "[": "]"}
    open_ones: list[tuple[str, int]] = []
    found: list[_Bracket] = []
    for match in _BRACKET.finditer(text):
        place, sign = match.start(), match.group()
        if sign in closing:
            open_ones.append((sign, place))
        else:
            while open_ones:
                opened, begin = open_ones.pop()
                if closing[opened] == sign:
                    found.append((start + begin, start + place + 1))
                    break
    return found


_BRACKET = re.compile(r"[()\[\]]")


def _innermost_brackets(spans: Sequence[Span], brackets: Sequence[_Bracket]) -> Iterator[_Bracket | None]:
    """Yield the innermost brackets around each span, in one pass over both."""
    waiting = sorted(brackets, reverse=True)
    around: list[_Bracket] = []
    for start, end in spans:
        while waiting and waiting[-1][0] < start:
            bracket = waiting.pop()
            while around and around[-1][1] <= bracket[0]:
                around.pop()
            around.append(bracket)
        while around and around[-1][1] <= start:
            around.pop()
        yield next((bracket for bracket in reversed(around) if bracket[1] > end), None)


_SEPARATOR = re.compile(r"[\s,;–—-]*(?:and|&)?[\s,;–—-]*")


def _adjacent_groups(citations: Sequence[PlacedCitation], text: str, start: int) -> dict[Span, Span]:
    """Return the run of adjacent citations for each one outside brackets: superscripts such as 1,2."""
    groups: dict[Span, Span] = {}
    group: list[Span] = []
    for citation in citations:
        between = text[group[-1].end - start : citation.span.start - start] if group else ""
        if group and citation.mark.style == "superscript" and _SEPARATOR.fullmatch(between):
            group.append(citation.span)
        else:
            groups.update(_group_span(group))
            group = [citation.span]
    groups.update(_group_span(group))
    return groups


def _group_span(group: Sequence[Span]) -> dict[Span, Span]:
    return dict.fromkeys(group, Span(group[0].start, group[-1].end)) if group else {}
