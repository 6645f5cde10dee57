"""Spans of a text."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NamedTuple

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema


class Span(NamedTuple):
    """Characters `start` to `end` of a text, counted from zero, without `end`; `[start, end]` in a file."""

    start: int
    end: int

    def of(self, text: str) -> str:
        """The characters of the span."""
        return text[self.start : self.end]

    def shifted(self, by: int) -> Span:
        """The span moved by a number of characters."""
        return Span(self.start + by, self.end + by)

    def contains(self, other: Span) -> bool:
        """Whether `other` is inside this span."""
        return self.start <= other.start and other.end <= self.end

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        offset = core_schema.int_schema(ge=0, strict=True)
        return core_schema.no_info_after_validator_function(_check_order, core_schema.tuple_schema([offset, offset]))


_span: Callable[[tuple[int, int]], Span] = partial(tuple.__new__, Span)
"""Faster than `Span(start, end)`, which runs Python code: a document has a thousand spans."""


def _check_order(pair: tuple[int, int]) -> Span:
    if pair[0] > pair[1]:
        raise ValueError(f"a span ends before it starts {pair}")
    return _span(pair)


def join_spans(spans: Iterable[Span]) -> list[Span]:
    """The spans in order, those that overlap or touch joined."""
    joined: list[Span] = []
    for span in sorted(spans):
        if joined and span.start <= joined[-1].end:
            joined[-1] = Span(joined[-1].start, max(joined[-1].end, span.end))
        else:
            joined.append(span)
    return joined
