"""Which bracket, or which row of raised numbers, an in-text citation stands in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fathom.corpus.readers.parsed_document import CitationMark
from fathom.corpus.readers.parsing.chinese_characters import to_half_width
from fathom.records.spans import Span


@dataclass(frozen=True)
class Placed:
    """A citation where it was written."""

    span: Span
    mark: CitationMark


def groups(placed: Sequence[Placed], text: str, start: int) -> Iterator[Span]:
    """For each citation in a stretch of text, which stands at `start`, the whole group it belongs to."""
    text = to_half_width(text)
    brackets = _enclosing([one.span for one in placed], _brackets(text, start))
    runs = _runs(placed, text, start)
    for one, bracket in zip(placed, brackets, strict=True):
        yield bracket or runs[one.span]


def _brackets(text: str, start: int) -> list[Span]:
    """Every pair of brackets in a stretch of text, the brackets included; those that do not match are passed over."""
    closing = {"(": ")", "[": "]"}
    open_ones: list[tuple[str, int]] = []
    found: list[Span] = []
    for match in _BRACKET.finditer(text):
        place, sign = match.start(), match.group()
        if sign in closing:
            open_ones.append((sign, place))
        else:
            while open_ones:
                opened, begin = open_ones.pop()
                if closing[opened] == sign:
                    found.append(Span(start + begin, start + place + 1))
                    break
    return found


_BRACKET = re.compile(r"[()\[\]]")


def _enclosing(spans: Sequence[Span], brackets: Sequence[Span]) -> Iterator[Span | None]:
    """For each of some spans in order the innermost pair of brackets around it, found in one pass over both."""
    waiting = sorted(brackets, key=lambda bracket: bracket.start, reverse=True)
    around: list[Span] = []
    for span in spans:
        while waiting and waiting[-1].start < span.start:
            bracket = waiting.pop()
            while around and around[-1].end <= bracket.start:
                around.pop()
            around.append(bracket)
        while around and around[-1].end <= span.start:
            around.pop()
        yield next((bracket for bracket in reversed(around) if bracket.end > span.end), None)


_BETWEEN = re.compile(r"[\s,;–—-]*(?:and|&)?[\s,;–—-]*")


def _runs(placed: Sequence[Placed], text: str, start: int) -> dict[Span, Span]:
    """For each citation outside brackets the stretch of citations that stand side by side: superscripts such as 1,2."""
    runs: dict[Span, Span] = {}
    group: list[Span] = []
    for one in placed:
        between = text[group[-1].end - start : one.span.start - start] if group else ""
        if group and one.mark.style == "superscript" and _BETWEEN.fullmatch(between):
            group.append(one.span)
        else:
            runs.update(_run(group))
            group = [one.span]
    runs.update(_run(group))
    return runs


def _run(group: Sequence[Span]) -> dict[Span, Span]:
    return dict.fromkeys(group, Span(group[0].start, group[-1].end)) if group else {}
