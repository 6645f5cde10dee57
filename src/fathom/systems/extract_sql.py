"""Tables extracted by the model itself, chunk by chunk to the very end of the text, then text to SQL over them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from fathom.models.prompts import Completion, Prompt
from fathom.records.documents import Position
from fathom.records.questions import Question, Response
from fathom.systems.protocol import DOCUMENTS, Boundary, ContextView, Expected, Prompting, Session, expected, total
from fathom.systems.sql import first_prompt, query


@dataclass(frozen=True)
class ExtractSql:
    """What text to SQL is worth when the tables, too, are the model's own reading."""

    prompting: Prompting = "direct"
    chunk: Position = 4_000
    """Tokens of one chunk, at most; a document longer than that is read in several."""
    repairs: int = 1
    name: ClassVar[str] = "extract-sql"

    async def answer(self, question: Question, session: Session) -> Response:
        calls: list[Completion] = []
        said = [await self._extract(chunk, session, calls) for chunk in chunks(session.view, self.chunk)]
        database = session.view.tables.parse(said)
        try:
            response = await query(question, session, database, self.prompting, self.repairs)
        finally:
            database.close()
        return response.model_copy(update={"usage": total([*(call.usage for call in calls), response.usage])})

    async def _extract(self, chunk: Chunk, session: Session, calls: list[Completion]) -> str:
        """What the model read in one chunk; asked once, and paid by the question that came first."""

        async def ask() -> str:
            completion = await session.ask(chunk.prompt(session.view))
            calls.append(completion)
            return completion.text

        return await session.once(f"extract {self.chunk} {chunk.start}:{chunk.end}", ask)

    def expects(self, question: Question, view: ContextView) -> list[Expected]:
        extractions = [expected(view, chunk.prompt(view), once=True) for chunk in chunks(view, self.chunk)]
        return [*extractions, expected(view, first_prompt(question, view, self.prompting))]


@dataclass(frozen=True)
class Chunk:
    """A stretch of the laid-out text, and the document in which it begins."""

    start: int
    end: int
    document: str
    """Its label, such as "article 3"."""

    def prompt(self, view: ContextView) -> Prompt:
        """Asks for the rows that this stretch gives."""
        task = f"This excerpt begins in {self.document}. Write down its rows."
        return Prompt(view.instruction("extract, direct"), view.reference(DOCUMENTS, self.start, self.end), task)


def chunks(view: ContextView, tokens: int) -> Iterator[Chunk]:
    """The whole text in stretches of at most so many tokens, cut at documents or else at lines; nothing is left out."""
    text = view.text(DOCUMENTS)
    # Characters a token, measured on this very text; stretches that are denser than the rest are cut again.
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
