"""Tables extracted by the model itself, chunk by chunk to the very end of the text, then text to SQL over them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from fathom.models.prompts import Completion, Prompt
from fathom.records.documents import Position
from fathom.records.questions import Question, Response
from fathom.systems.desk import Desk, Expected, Prompting, Sight, expected, shown, total
from fathom.systems.sql import first_prompt, query

_BOUNDARY = re.compile(r"^===== Article (\d+)$", re.MULTILINE)


@dataclass(frozen=True)
class ExtractSql:
    """What text to SQL is worth when the tables, too, are the model's own reading."""

    prompting: Prompting = "direct"
    chunk: Position = 4_000
    """Tokens of one chunk, at most; a document longer than that is read in several."""
    repairs: int = 1
    name: ClassVar[str] = "extract-sql"

    async def answer(self, question: Question, desk: Desk) -> Response:
        calls: list[Completion] = []
        said = [await self._extract(chunk, desk, calls) for chunk in chunks(desk, self.chunk)]
        database = desk.extracted(said)
        try:
            response = await query(question, desk, database, self.prompting, self.repairs)
        finally:
            database.close()
        return response.model_copy(update={"usage": total([*(call.usage for call in calls), response.usage])})

    async def _extract(self, chunk: Chunk, desk: Desk, calls: list[Completion]) -> str:
        """What the model read in one chunk; asked once, and paid by the question that came first."""

        async def ask() -> str:
            completion = await desk.ask(chunk.prompt(desk))
            calls.append(completion)
            return completion.text

        return await desk.once(f"extract {self.chunk} {chunk.start}:{chunk.end}", ask)

    def expects(self, question: Question, sight: Sight) -> list[Expected]:
        extractions = [expected(sight, chunk.prompt(sight), once=True) for chunk in chunks(sight, self.chunk)]
        return [*extractions, expected(sight, first_prompt(question, sight, self.prompting))]


@dataclass(frozen=True)
class Chunk:
    """A stretch of the laid-out text, and the document in which it begins."""

    start: int
    end: int
    document: int

    def prompt(self, sight: Sight) -> Prompt:
        """Asks for the rows that this stretch gives."""
        task = f"This excerpt begins in article {self.document}. Write down its rows."
        return Prompt(sight.words("extract, direct"), shown(sight, "articles", self.start, self.end), task)


def chunks(sight: Sight, tokens: int) -> Iterator[Chunk]:
    """The whole text in stretches of at most so many tokens, cut at documents or else at lines; nothing is left out."""
    text = sight.text("articles")
    # Characters a token, measured on this very text; stretches that are denser than the rest are cut again.
    size = max(100, int(len(text) / max(1, sight.tokens("articles")) * tokens))
    boundaries = [(match.start(), int(match[1])) for match in _BOUNDARY.finditer(text)]
    start, document = 0, 1
    while start < len(text):
        end, room = _cut(text, start, size, boundaries), size
        while sight.count(text[start:end]) > tokens and room > 1:
            room = room * 3 // 4
            end = _cut(text, start, room, boundaries)
        yield Chunk(start, end, document)
        document = max((number for place, number in boundaries if place <= end), default=document)
        start = end


def _cut(text: str, start: int, size: int, boundaries: list[tuple[int, int]]) -> int:
    """Where a stretch ends: before the last document that begins in it, else at a line, else where it is full."""
    if start + size >= len(text):
        return len(text)
    within = [place for place, _ in boundaries if start < place <= start + size]
    if within:
        return within[-1]
    line = text.rfind("\n", start, start + size)
    return line + 1 if line > start else start + size
