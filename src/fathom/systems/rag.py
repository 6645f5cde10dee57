"""Retrieval-augmented generation: searches the chunks of the documents, and answers from the best ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, groupby, islice
from typing import TYPE_CHECKING, ClassVar, Literal

from fathom.models.prompts import Message, Prompt, TextReference
from fathom.records.documents import NonNegativeInt, PositiveInt
from fathom.records.questions import Question, Response, Step
from fathom.systems.chunking import Chunk, ChunkUnit
from fathom.systems.protocol import DOCUMENTS, CallEstimate, ContextView, Prompting, Session, count_tokens, response_to
from fathom.systems.retrieval.rerank import PURPOSE, TASK, order_by_endpoint, rerank_prompt, reranked
from fathom.systems.retrieval.settings import OFFLINE, Fusion, IndexSettings, Method

if TYPE_CHECKING:
    from fathom.systems.retrieval.index import ContextIndex

NOTE = (
    "You do not see whole documents. A search for the question chose the excerpts below; [...] stands for text between "
    "them. Some of what the question needs may be missing."
)
GAP = "\n[...]\n"
LABEL_TOKENS = 16
"""The maximum number of tokens of the lines around one excerpt."""


@dataclass(frozen=True)
class Rag:
    """Searches the chunks of the documents, then answers from the best ones in one call."""

    prompting: Prompting = "direct"
    k: PositiveInt = 20
    """The number of chunks that are shown."""
    budget: NonNegativeInt = 0
    """The tokens of chunks that are shown, such as 8K, in place of a number of chunks; 0 for `k` chunks."""
    method: Method = "lexical"
    """Search by words (BM25), by embeddings, or by both."""
    chunk: PositiveInt = 512
    """The maximum number of tokens in a chunk."""
    overlap: NonNegativeInt = 64
    """The tokens that a chunk repeats of the chunk before."""
    unit: ChunkUnit = "tokens"
    """Whether chunks are running text or whole sections where they fit."""
    order: Literal["position", "rank"] = "position"
    """Whether chunks are shown in the order of the documents, or best first."""
    hops: Literal[1, 2] = 2
    """2: passages that the question names by a marker or a quotation come first, and their sentences are queries."""
    rerank: NonNegativeInt = 0
    """How many of the best chunks are reranked; 0 for none."""
    reranker: str = ""
    """The reranker: http://HOST/v1#MODEL for a reranking model; empty for a call of the run's model."""
    fusion: Fusion = "scores"
    """How rankings are combined: by standardized scores, or by reciprocal rank fusion."""
    embeddings: str = OFFLINE
    """The embedding model: wordllama, or http://HOST/v1#MODEL."""
    name: ClassVar[str] = "rag"

    def __post_init__(self) -> None:
        if self.overlap >= self.chunk:
            raise ValueError(f"an overlap of {self.overlap} tokens does not fit chunks of {self.chunk}")
        if 0 < self.budget < self.chunk + LABEL_TOKENS:
            raise ValueError(f"a budget of {self.budget} tokens has no room for a chunk of {self.chunk} and its label")
        if self.reranker and not self.rerank:
            raise ValueError("a reranker is given, but no number of chunks for it, such as rerank=60")
        if self.reranker and not self.reranker.startswith(("http://", "https://")):
            raise ValueError(f"the reranker '{self.reranker}' is not an address such as http://HOST/v1#MODEL")

    async def answer(self, question: Question, session: Session) -> Response:
        from fathom.systems.retrieval.index import ContextIndex  # imports numpy, which `--help` should not

        settings = IndexSettings(self.method, self.chunk, self.overlap, self.unit, self.embeddings, self.fusion)
        index = ContextIndex(session, settings)
        queries, ranking = self.ranking(index, question.text)
        for query in queries:
            session.record(Step(kind="retrieval", name="query of the second hop", input=query))
        if self.rerank:
            ranking = await self._reranked([question.text, *queries], index, session, ranking)
        chunks = list(self._taken(index, ranking))
        passages = tuple(index.passage(chunk) for chunk in chunks)
        name = f"{self.method}, reranked" if self.rerank else self.method
        session.record(Step(kind="retrieval", name=name, input=question.text, passages=passages))
        return response_to(question, await session.ask(self._prompt(question, session.view, chunks), "answer"))

    def ranking(self, index: ContextIndex, question: str) -> tuple[list[str], Iterable[Chunk]]:
        """The queries of the second hop, and the chunks for a question, best first."""
        from fathom.systems.retrieval.hops import search_in_hops

        if self.hops == 1:
            return [], index.search(question)
        hops = search_in_hops(index, question)
        return [query.text for query in hops.queries], hops.chunks

    async def _reranked(
        self, queries: Sequence[str], index: ContextIndex, session: Session, ranking: Iterable[Chunk]
    ) -> Iterator[Chunk]:
        rest = iter(ranking)
        candidates = list(islice(rest, self.rerank))
        if len(candidates) < 2:
            return chain(candidates, rest)
        if self.reranker:
            order = order_by_endpoint(self.reranker, "\n".join(queries), [index.text(chunk) for chunk in candidates])
            return chain((candidates[place] for place in order), rest)
        completion = await session.ask(rerank_prompt(queries[0], session.view, candidates), PURPOSE)
        return chain(reranked(candidates, completion.text), rest)

    def _taken(self, index: ContextIndex, ranking: Iterable[Chunk]) -> Iterator[Chunk]:
        """The first `k` chunks, or as many as fit the budget with their labels."""
        if not self.budget:
            yield from islice(ranking, self.k)
            return
        left = self.budget
        for chunk in ranking:
            left -= count_tokens(index.text(chunk)) + LABEL_TOKENS
            if left < 0:
                return
            yield chunk

    def estimate(self, question: Question, view: ContextView) -> CallEstimate:
        all_chunks = view.tokens(DOCUMENTS) * self.chunk // (self.chunk - self.overlap)

        def bound(chunks: int) -> int:
            return min(all_chunks, chunks * self.chunk) + chunks * LABEL_TOKENS

        question_tokens = view.count(question.text)
        tokens = view.count(self._instruction(view)) + question_tokens + (self.budget or bound(self.k))
        if not self.rerank or self.reranker:
            return CallEstimate(calls=1, input_tokens=tokens, largest_call=tokens)
        ranking = view.count(TASK) + question_tokens + bound(self.rerank) + LABEL_TOKENS
        return CallEstimate(calls=2, input_tokens=tokens + ranking, largest_call=max(tokens, ranking))

    def _instruction(self, view: ContextView) -> str:
        return f"{NOTE}\n\n{view.instruction(f'full, {self.prompting}')}"

    def _prompt(self, question: Question, view: ContextView, chunks: Sequence[Chunk]) -> Prompt:
        shown = merged(chunks) if self.order == "position" else chunks
        parts = (self._instruction(view), *excerpts(view, shown), question.text)
        # Every question has its own excerpts, so a cache serves the instruction alone.
        return Prompt((Message.user(*parts),), shared=1)


def merged(chunks: Sequence[Chunk]) -> list[Chunk]:
    """The chunks in the order of the text, those that overlap or touch as one."""
    joined: list[Chunk] = []
    for chunk in sorted(chunks, key=lambda part: part.start):
        if joined and joined[-1].document == chunk.document and chunk.start <= joined[-1].end:
            joined[-1] = joined[-1]._replace(end=max(joined[-1].end, chunk.end))
        else:
            joined.append(chunk)
    return joined


def excerpts(view: ContextView, chunks: Sequence[Chunk]) -> Iterator[str | TextReference]:
    """The parts of a prompt that show the chunks, each document's under its label."""
    documents = view.documents
    for number, group in groupby(chunks, key=lambda chunk: chunk.document):
        yield f"===== {documents[number - 1].label}\n"
        for index, chunk in enumerate(group):
            if index:
                yield GAP
            yield view.reference(DOCUMENTS, chunk.start, chunk.end)
        yield "\n"
