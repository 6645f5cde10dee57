"""Reranking by a model: one call shows the candidates, numbered, and asks for an order."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from fathom.models.prompts import Message, Prompt, Reference
from fathom.systems.chunking import Chunk
from fathom.systems.protocol import DOCUMENTS, ContextView

PURPOSE = "rerank"
TASK = (
    "A search found the numbered excerpts below. Decide which of them help to answer the question at the end. Do not "
    "answer the question. Reply with a single line: 'Order:' and the numbers of the excerpts that help, the most "
    "useful first, separated by commas."
)
_ORDER = re.compile(r"\border\b\W*", re.IGNORECASE)
_BARE = re.compile(r"[\d\s,;>\[\](){}.#-]*")
"""A reply of numbers alone, as a list or in lines."""
_NUMBER = re.compile(r"\d+")


def rerank_prompt(question: str, view: ContextView, chunks: Sequence[Chunk]) -> Prompt:
    """Asks for an order of the chunks."""
    return Prompt((Message.user(TASK + "\n\n", *_candidates(view, chunks), f"Question: {question}"),), shared=1)


def _candidates(view: ContextView, chunks: Sequence[Chunk]) -> Iterator[str | Reference]:
    documents = view.documents
    for number, chunk in enumerate(chunks, start=1):
        yield f"===== Excerpt {number}, from {documents[chunk.document - 1].label}\n"
        yield view.reference(DOCUMENTS, chunk.start, chunk.end)
        yield "\n"


def reranked(chunks: Sequence[Chunk], reply: str) -> list[Chunk]:
    """The chunks in the order of the reply, then those that it does not name in their own order."""
    named = [chunks[number - 1] for number in parse_order(reply, len(chunks))]
    return list(dict.fromkeys([*named, *chunks]))


def parse_order(reply: str, count: int) -> list[int]:
    """The numbers from 1 to `count` in a reply, each once; none if it has no order.

    Numbers count after the last "Order:", up to the end of its paragraph, or in a reply of nothing else: those in a
    sentence may be anything.
    """
    marks = list(_ORDER.finditer(reply))
    if marks:
        listed = reply[marks[-1].end() :].split("\n\n", maxsplit=1)[0]
    elif _BARE.fullmatch(reply):
        listed = reply
    else:
        return []
    numbers = (int(one) for one in _NUMBER.findall(listed)[: 10 * count] if len(one) < 9)
    return [number for number in dict.fromkeys(numbers) if 1 <= number <= count]
