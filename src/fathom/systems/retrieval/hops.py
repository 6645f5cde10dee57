"""Two-hop search: the sentences of passages that the question quotes exactly are further queries."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

from fathom.systems.chunking import Chunk
from fathom.systems.retrieval.index import ContextIndex, Query

_EXACT = re.compile(
    r"\[\[[^\[\]\n]{1,100}\]\]|\"([^\"\n]{3,300})\"|“([^”\n]{3,300})”|「([^」\n]{2,300})」|《([^》\n]{2,300})》"
)
"""Exact strings in a question: markers in double brackets, which are part of the string, and quotations."""
_MARKER = re.compile(r"\[\[[^\[\]\n]{1,100}\]\]")
_SENTENCE_END = re.compile(r"[.!?]\s+(?=\W*[A-Z0-9])|[。！？]|\n")

QUESTION_WEIGHT = 0.25
"""The weight of the question itself if there are queries of the second hop."""
MAX_CHUNKS = 8
"""A string in more chunks than this does not name a passage."""
MAX_SENTENCE_LENGTH = 600
"""Characters before and after the string."""


def exact_strings(question: str) -> list[str]:
    """The markers and quotations of a question, each once."""
    found = (match for match in _EXACT.finditer(question))
    return list(dict.fromkeys(next((group for group in match.groups() if group), match[0]) for match in found))


class HopResults(NamedTuple):
    """The result of a search in two hops."""

    queries: list[Query]
    """The sentences around the strings that the question names; those of a string that occurs n times share its
    weight."""
    chunks: Iterator[Chunk]
    """The chunks, best first."""


def second_hop(index: ContextIndex, question: str) -> tuple[list[Chunk], list[Query]]:
    """The passages that a question names by their exact words, the rarest first, and queries from their sentences."""
    chunks_by_text = [(text, index.containing(text, MAX_CHUNKS)) for text in exact_strings(question)]
    chunks_by_text = sorted((pair for pair in chunks_by_text if pair[1]), key=lambda pair: len(pair[1]))
    queries: dict[str, float] = {}
    for text, chunks in chunks_by_text:
        # Neighboring chunks overlap, so one sentence may be in two of them.
        sentences = dict.fromkeys(one for chunk in chunks for one in sentences_with(index.text(chunk), text))
        for sentence in sentences:
            queries[sentence] = max(queries.get(sentence, 0.0), 1 / len(sentences))
    named = list(dict.fromkeys(chunk for _, chunks in chunks_by_text for chunk in chunks))
    return named, [Query(text, weight) for text, weight in queries.items() if text]


def sentences_with(text: str, wanted: str) -> Iterator[str]:
    """The sentences that contain the string, without any markers."""
    place = text.find(wanted)
    while place >= 0:
        starts = [match.end() for match in _SENTENCE_END.finditer(text) if match.end() <= place]
        start = max(starts[-1] if starts else 0, place - MAX_SENTENCE_LENGTH)
        ended = _SENTENCE_END.search(text, place + len(wanted))
        end = min(ended.end() if ended else len(text), place + len(wanted) + MAX_SENTENCE_LENGTH)
        yield " ".join(_MARKER.sub(" ", text[start:end]).split())
        place = text.find(wanted, place + len(wanted))


def search_in_hops(index: ContextIndex, question: str) -> HopResults:
    """The chunks for a question: those that it quotes, then those that the question and the quoted sentences find."""
    named, queries = second_hop(index, question)
    own = Query(question, QUESTION_WEIGHT if queries else 1.0)
    further = (chunk for chunk in index.search(own, *queries) if chunk not in named)
    return HopResults(queries, chain(named, further))
