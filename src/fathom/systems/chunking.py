"""Cuts the documents of a context into chunks of at most a number of tokens."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Any, Literal, NamedTuple, TypeVar

from fathom.records.spans import Span
from fathom.systems.protocol import DOCUMENTS, ContextView, ShownDocument, count_tokens

T = TypeVar("T")

ChunkUnit = Literal["tokens", "sections"]
"""The unit of chunks: running text, or whole sections where they fit."""

_HEADING = re.compile(r"^#{1,6} ", re.MULTILINE)
_BREAKS = (re.compile(r"\n\s*\n"), re.compile(r"\n"), re.compile(r"[.!?。！？]\s*"), re.compile(r"\s"))
"""Where a text may be cut, best first: between paragraphs, lines, sentences, words."""
_WORD_START = re.compile(r"(?<=\s)\S")

SAMPLE = 20_000
"""Characters on which the length of a token is measured."""
MAX_REPEATED = 75
"""Percent of a chunk that the next one repeats at most."""
MIN_FILL = 0.5
"""A chunk is cut at the best kind of break in its second half."""


CACHED = 16
"""Contexts whose parts are cached: every question over a context reads the same ones."""
_cache: dict[tuple[str | int, ...], Sequence[Any]] = {}


def _cached(key: tuple[str | int, ...], make: Callable[[], Iterator[T]]) -> Sequence[T]:
    """The parts of a context, cut once for all of its questions; the context's id identifies its text."""
    parts = _cache.get(key)
    if parts is None:
        parts = tuple(make())
        while len(_cache) >= CACHED:
            _cache.pop(next(iter(_cache)))
        _cache[key] = parts
    return parts


class Chunk(NamedTuple):
    """A range of a context's text that belongs to one document."""

    document: int
    """The number of the document, counted from one."""
    start: int
    end: int


def chunks_of_documents(
    view: ContextView, tokens: int, overlap: int = 0, unit: ChunkUnit = "tokens"
) -> Iterator[Chunk]:
    """Every document in chunks of at most `tokens` tokens; each chunk repeats up to `overlap` tokens of the last."""
    for document in view.documents:
        text = view.text(DOCUMENTS, *document.span)
        for span in chunk_spans(text, tokens, overlap, unit):
            yield Chunk(document.number, *span.shifted(document.span.start))


def chunk_spans(text: str, tokens: int, overlap: int = 0, unit: ChunkUnit = "tokens") -> Iterator[Span]:
    """The chunks of one document, which are the same in every context."""
    sections: Sequence[int] = ()
    if unit == "sections":
        sections = [0, *(match.start() for match in _HEADING.finditer(text) if match.start()), len(text)]
    sample = text[:SAMPLE]
    per_token = len(sample) / max(1, count_tokens(sample))
    size, repeated = max(1, int(per_token * tokens)), int(per_token * overlap)
    start = 0
    while start < len(text):
        end, room = _cut(text, start, size, sections), size
        # The text may have more tokens here than on average.
        while count_tokens(text[start:end]) > tokens and room > 1:
            room = room * 3 // 4
            end = _cut(text, start, room, sections)
        yield Span(start, end)
        if end == len(text):
            return
        # Where the text has more tokens per character, the overlap has fewer characters. It is limited to a part of a
        # chunk that was cut early: otherwise each of the next chunks would begin one character later.
        again = min(repeated * room // size, (end - start) * MAX_REPEATED // 100)
        # Where no word begins in the repeated part, as in Chinese, the next chunk begins anywhere in it.
        start = max(start + 1, _word_start(text, end - again, end)) if again and end not in sections else end


def _cut(text: str, start: int, size: int, sections: Sequence[int] = ()) -> int:
    """The end of a chunk of at most `size` characters."""
    limit = start + size
    within = [section for section in sections if start < section <= limit]
    if within:
        return within[-1]
    if limit >= len(text):
        return len(text)
    least = start + int(size * MIN_FILL)
    for kind in _BREAKS:
        ends = [match.end() for match in kind.finditer(text, least, limit) if match.end() <= limit]
        if ends:
            return ends[-1]
    return limit


def _word_start(text: str, position: int, end: int) -> int:
    """The first word that begins at the position or after it, before `end`; else the position."""
    position = max(0, position)
    match = _WORD_START.search(text, position, end)
    return match.start() if match else position


class ContextRange(NamedTuple):
    """A range of a context's text that may reach over several documents."""

    start: int
    end: int
    first: ShownDocument
    """The document in which it begins."""


def stretches(view: ContextView, tokens: int) -> Sequence[ContextRange]:
    """The whole text in order, in parts of at most `tokens` tokens, cut between documents or else at line breaks."""
    return _cached(("stretches", view.context.id, tokens), lambda: _stretches(view, tokens))


def _stretches(view: ContextView, tokens: int) -> Iterator[ContextRange]:
    documents = view.documents
    # A document begins with its boundary line, where the one before it ends.
    starts = [0, *(document.span.end for document in documents[:-1])]
    end = view.length
    size = max(100, int(end / max(1, view.tokens(DOCUMENTS)) * tokens))
    start = number = 0
    while start < end:
        text = view.text(DOCUMENTS, start, min(end, start + size))
        stop = start + _line_cut(text, start, starts, at_end=start + size >= end)
        while view.count(text[: stop - start]) > tokens and stop - start > 1:
            shorter = text[: (stop - start) * 3 // 4]
            stop = start + _line_cut(shorter, start, starts, at_end=False)
            text = text[: stop - start]
        yield ContextRange(start, stop, documents[number])
        start = stop
        while number + 1 < len(documents) and starts[number + 1] <= start:
            number += 1


def _line_cut(text: str, start: int, starts: Sequence[int], at_end: bool) -> int:
    """How much of the text is taken: up to the last document that begins in it, else to a line break, else all."""
    if at_end:
        return len(text)
    within = [begin - start for begin in starts if start < begin <= start + len(text)]
    if within:
        return within[-1]
    return text.rfind("\n") + 1 or len(text)


class Batch(NamedTuple):
    """The input of one call: some whole documents, or a part of a long one."""

    chunks: tuple[Chunk, ...]
    part: int
    """Which part of its document it is, counted from one."""
    parts: int
    """The parts of its document; one if documents are whole."""


def batches(view: ContextView, tokens: int, documents: int = 1) -> Sequence[Batch]:
    """All documents in order, in batches of limited numbers of documents and tokens; longer documents in parts."""
    return _cached(("batches", view.context.id, tokens, documents), lambda: _batches(view, tokens, documents))


def _batches(view: ContextView, tokens: int, documents: int) -> Iterator[Batch]:
    waiting: list[Chunk] = []
    size = 0
    for _, group in groupby(chunks_of_documents(view, tokens), key=lambda chunk: chunk.document):
        chunks = list(group)
        count = view.count(view.text(DOCUMENTS, chunks[0].start, chunks[0].end))
        alone = len(chunks) > 1
        if waiting and (alone or len(waiting) == documents or size + count > tokens):
            yield Batch(tuple(waiting), 1, 1)
            waiting, size = [], 0
        if alone:
            yield from (Batch((chunk,), part, len(chunks)) for part, chunk in enumerate(chunks, start=1))
        else:
            waiting.append(chunks[0])
            size += count
    if waiting:
        yield Batch(tuple(waiting), 1, 1)
