"""Quotations with their place in a context: "[1204:1260] quoted text", on a line of their own.

Search hits, spans that a tool read and notes are all shown to a model in this form: characters `start` to `end` of the
text of the documents, then the text itself, which may have several lines. The document may be named before the place. A
model can pass such a place to a tool. A simulated model knows only what it was shown: it parses the places, so text
that a cut or a summary removed is lost to it as well.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import takewhile

from fathom.records.spans import Span

NOTE_TAKING = frozenset({"notes", "read", "map", "condense"})
"""The purposes of calls that ask for notes: what the shown text says that the question needs. All others ask for an
answer."""

AFTER_READING = frozenset({"conclusions"})
"""The purposes of calls that complete an answer from what earlier calls found: the documents are not shown again."""

NOTHING = "NONE"
"""The notes on a text that has nothing to note."""

MAX_NOTE_LENGTH = 120
"""Maximum length of a passage that a note quotes whole; otherwise it quotes the first and last words."""

_PLACE = re.compile(r"^(?:([^\n\[]{0,80}) )?\[(\d+):(\d+)\] ", re.MULTILINE | re.ASCII)
_BLANK = str.maketrans("\n\r\t\x0b\x0c\x85\u2028\u2029", " " * 8)


def quotation(span: Span, text: str) -> str:
    """The text of a span under its place."""
    return f"[{span.start}:{span.end}] {text}"


def note_line(document: str, span: Span, text: str) -> str:
    """A note on the text of a span of a document, in one line."""
    return f"{document} {quotation(span, _summary(text))}"


def _summary(text: str) -> str:
    flat = text.translate(_BLANK).strip()
    if len(flat) <= MAX_NOTE_LENGTH:
        return flat
    return f"{flat[: MAX_NOTE_LENGTH // 2]} ... {flat[-MAX_NOTE_LENGTH // 4 :]}"


def noted_places(text: str) -> Iterator[tuple[str, int, int]]:
    """The document and the place that each note in the text names."""
    return ((match[1], int(match[2]), int(match[3])) for match in _PLACE.finditer(text) if match[1])


def quoted_spans(text: str, source: Callable[[Span], str], length: int) -> Iterator[Span]:
    """The spans that the text quotes; `source` gives the text of a span, and `length` is that of all documents.

    A quotation counts as far as it agrees with the source, so a document that imitates the form adds nothing. A
    note on a long passage counts as a whole, if it is complete.
    """
    for match in _PLACE.finditer(text):
        span = Span(int(match[2]), min(int(match[3]), length))
        if span.start >= span.end:
            continue
        original = source(span)
        if text.startswith(_summary(original), match.end()):
            yield span
            continue
        quoted = text[match.end() : match.end() + len(original)].translate(_BLANK)
        pairs = zip(quoted, original.translate(_BLANK), strict=False)
        agreed = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        if agreed:
            yield Span(span.start, span.start + agreed)
