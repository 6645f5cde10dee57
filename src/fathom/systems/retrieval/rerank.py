"""Reranking: a call shows the candidates to the model of the run, or a reranking model at an endpoint scores them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from math import inf, isnan

from fathom.models.prompts import Message, Prompt, TextReference
from fathom.records.errors import FathomError
from fathom.systems.chunking import Chunk
from fathom.systems.protocol import DOCUMENTS, ContextView
from fathom.systems.retrieval.endpoint import Endpoint

PURPOSE = "rerank"
TASK = (
    "A search found the numbered excerpts below. Decide which of them help to answer the question at the end. Do not "
    "answer the question. Reply with a single line: 'Order:' and the numbers of the excerpts that help, the most "
    "useful first, separated by commas."
)
_ORDER = re.compile(r"\border\b\W*", re.IGNORECASE)
_BARE = re.compile(r"[\d\s,;>\[\](){}.#-]*")
"""A response of numbers alone, as a list or in lines."""
_NUMBER = re.compile(r"\d+")


def rerank_prompt(question: str, view: ContextView, chunks: Sequence[Chunk]) -> Prompt:
    """Asks for an order of the chunks."""
    return Prompt((Message.user(TASK + "\n\n", *_candidates(view, chunks), f"Question: {question}"),), shared=1)


def _candidates(view: ContextView, chunks: Sequence[Chunk]) -> Iterator[str | TextReference]:
    documents = view.documents
    for number, chunk in enumerate(chunks, start=1):
        yield f"===== Excerpt {number}, from {documents[chunk.document - 1].label}\n"
        yield view.reference(DOCUMENTS, chunk.start, chunk.end)
        yield "\n"


def reranked(chunks: Sequence[Chunk], response: str) -> list[Chunk]:
    """The chunks in the order of the response, then those that it does not name in their own order."""
    named = [chunks[number - 1] for number in parse_order(response, len(chunks))]
    return list(dict.fromkeys([*named, *chunks]))


def parse_order(response: str, count: int) -> list[int]:
    """The numbers from 1 to `count` in a response, each once; none if it has no order.

    Numbers count after the last "Order:", up to the end of its paragraph, or in a response of nothing else: those in a
    sentence may be anything.
    """
    marks = list(_ORDER.finditer(response))
    if marks:
        listed = response[marks[-1].end() :].split("\n\n", maxsplit=1)[0]
    elif _BARE.fullmatch(response):
        listed = response
    else:
        return []
    numbers = (int(one) for one in _NUMBER.findall(listed)[: 10 * count] if len(one) < 9)
    return [number for number in dict.fromkeys(numbers) if 1 <= number <= count]


def order_by_endpoint(name: str, query: str, texts: Sequence[str]) -> list[int]:
    """The places of the texts in the order of their scores, from a reranking model such as `http://HOST/v1#MODEL`."""
    endpoint = Endpoint.parse(name)
    if endpoint is None:
        raise FathomError(f"There is no reranker '{name}'. Use http://HOST/v1#MODEL, or leave it out.")
    try:
        results = endpoint.post("rerank", {"query": query, "documents": list(texts)})["results"]
        scores = {int(result["index"]): float(result["relevance_score"]) for result in results}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise FathomError(f"The reranker '{endpoint.url}' returned no scores ({error}). Check the address.") from error
    if not scores.keys() <= set(range(len(texts))) or any(map(isnan, scores.values())):
        raise FathomError(f"The reranker '{endpoint.url}' scored texts that it was not sent, or with no number.")
    # Some servers return the best few alone: the others follow in their own order.
    return sorted(range(len(texts)), key=lambda place: -scores.get(place, -inf))
