"""Text-to-SQL over tables that the model itself extracts from the whole text, one chunk at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import ClassVar

from fathom.models.prompts import Prompt
from fathom.records.documents import Count, Position
from fathom.records.questions import Question, Response
from fathom.systems.protocol import DOCUMENTS, Boundary, ContextView, Estimate, Prompting, Session
from fathom.systems.sql import query, query_estimate


@dataclass(frozen=True)
class ExtractSql:
    """Text-to-SQL where the model first extracts the tables."""

    prompting: Prompting = "direct"
    chunk: Position = 4_000
    """The maximum number of tokens in a chunk. A longer document is read in several chunks."""
    repairs: Count = 1
    """How many times the model may rewrite a query that failed to run."""
    name: ClassVar[str] = "extract-sql"

    async def answer(self, question: Question, session: Session) -> Response:
        extractions = [await self._extract(chunk, session) for chunk in chunks(session.view, self.chunk)]
        with closing(session.view.tables.parse(extractions)) as database:
            return await query(question, session, database, self.prompting, self.repairs)

    async def _extract(self, chunk: Chunk, session: Session) -> str:
        """The rows of one chunk as text, extracted once per context; the usage counts for the first question."""

        async def ask() -> str:
            return (await session.ask(chunk.prompt(session.view), "extract")).text

        return await session.once(f"extract {self.chunk} {chunk.start}:{chunk.end}", ask)

    def estimate(self, question: Question, view: ContextView) -> Estimate:
        extraction = view.estimate(*(chunk.prompt(view) for chunk in chunks(view, self.chunk)))
        question_calls = query_estimate(question, view, self.prompting, self.repairs)
        largest = max(extraction.largest_call, question_calls.largest_call)
        # Each chunk is sent once, so a prompt cache saves nothing.
        once = replace(extraction, prefix="", prefix_tokens=0, prefix_calls=0)
        return replace(question_calls, largest_call=largest, per_context=once)


@dataclass(frozen=True)
class Chunk:
    """A range of the context's text."""

    start: int
    end: int
    document: str
    """The label of the document in which it begins, such as "article 3"."""

    def prompt(self, view: ContextView) -> Prompt:
        """The prompt that asks for the rows of this chunk."""
        task = f"This excerpt begins in {self.document}. Write down its rows."
        return Prompt.of(view.instruction("extract, direct"), view.reference(DOCUMENTS, self.start, self.end), task)


def chunks(view: ContextView, tokens: int) -> Iterator[Chunk]:
    """The whole text in chunks of at most this many tokens, cut between documents or else at line breaks."""
    text = view.text(DOCUMENTS)
    # Characters per token, measured on this text. Chunks that are denser than average are cut again.
    size = max(100, int(len(text) / max(1, view.tokens(DOCUMENTS)) * tokens))
    boundaries = view.tables.boundaries(text)
    start, document = 0, boundaries[0].label if boundaries else "the text"
    while start < len(text):
        end, room = _cut(text, start, size, boundaries), size
        while view.count(text[start:end]) > tokens and room > 1:
            room = room * 3 // 4
            end = _cut(text, start, room, boundaries)
        yield Chunk(start, end, document)
        document = next((one.label for one in reversed(boundaries) if one.start <= end), document)
        start = end


def _cut(text: str, start: int, size: int, boundaries: Sequence[Boundary]) -> int:
    """The end of a chunk: before the last document that begins in it, else at a line break, else at its full size."""
    if start + size >= len(text):
        return len(text)
    within = [boundary.start for boundary in boundaries if start < boundary.start <= start + size]
    if within:
        return within[-1]
    line = text.rfind("\n", start, start + size)
    return line + 1 if line > start else start + size
