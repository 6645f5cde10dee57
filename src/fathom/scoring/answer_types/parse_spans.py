"""The passages that a statement names."""

from __future__ import annotations

import re
from typing import Any

from fathom.records.documents import Passage
from fathom.records.spans import Span
from fathom.scoring.answers import Link, LinkedSpan, LinkedSpans, Spans
from fathom.scoring.parsing import json_values
from fathom.scoring.parsing.extraction import AnswerStatement
from fathom.scoring.parsing.key_hints import KeyHints
from fathom.scoring.parsing.normalization import plain

_PLACE = re.compile(
    r"(?<![^\s,;:\[\]()\"'])([^\s,;:\[\]()\"']{1,99})[ \t]?[:\[(, \t][ \t]?(\d{1,12})[ \t]?[-–:,][ \t]?(\d{1,12})(?!\d)"
)


def parse_spans(statement: AnswerStatement, key: Spans, hints: KeyHints) -> Spans | None:
    """The stated passages, each as document:start-end."""
    passages = _passages(plain(statement.text))
    return Spans(passages=passages) if passages else None


def parse_linked_spans(statement: AnswerStatement, key: LinkedSpans, hints: KeyHints) -> LinkedSpans | None:
    """One passage per line, or between semicolons, each followed by the passages linked to it."""
    spans = []
    for part in re.split(r"[;\n]", plain(statement.text)):
        passages = _passages(part)
        if passages is None:
            return None
        if passages:
            spans.append(
                LinkedSpan(passage=passages[0], links=tuple(Link(passage=passage) for passage in passages[1:]))
            )
    return LinkedSpans(spans=tuple(spans)) if spans else None


def _passages(text: str) -> tuple[Passage, ...] | None:
    """All passages in a text; None if one of them ends before it starts."""
    places = [(document, int(start), int(end)) for document, start, end in _PLACE.findall(text)]
    if any(start > end for _, start, end in places):
        return None
    return tuple(Passage(document=document, span=Span(start, end)) for document, start, end in places)


def linked_spans_from_json(value: Any) -> LinkedSpans | None:
    """Linked spans from JSON: [{"claim": {"document": ..., "start": ..., "end": ...}, "evidence": [...]}].

    Each entry has one passage and at most one list of passages, under any names.
    """
    spans = []
    for entry in value if isinstance(value, list) else [value]:
        fields = list(entry.values()) if isinstance(entry, dict) else []
        lists = [field for field in fields if isinstance(field, list)]
        heads = [field for field in fields if not isinstance(field, list)]
        if len(heads) != 1 or len(lists) > 1:
            return None
        head, *links = [_passages(_place_text(place)) for place in (*heads, *(lists[0] if lists else ()))]
        if not head or not all(links):
            return None
        spans.append(LinkedSpan(passage=head[0], links=tuple(Link(passage=link[0]) for link in links if link)))
    return LinkedSpans(spans=tuple(spans)) if spans else None


def _place_text(value: Any) -> str:
    return json_values.json_place(value) if isinstance(value, dict) else json_values.scalar(value)
