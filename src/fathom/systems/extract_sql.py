"""Text-to-SQL over tables that the model itself extracts from the whole text, one chunk at a time."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, replace
from typing import ClassVar

from fathom.models.prompts import Prompt
from fathom.records.documents import NonNegativeInt, PositiveInt
from fathom.records.questions import Question, Response
from fathom.systems.chunking import ContextRange, stretches
from fathom.systems.protocol import DOCUMENTS, CallEstimate, ContextView, Prompting, Session
from fathom.systems.sql import query, query_estimate
from fathom.systems.steps import StepOverflowError, ask_for_text, overflow_of


@dataclass(frozen=True)
class ExtractSql:
    """Text-to-SQL where the model first extracts the tables."""

    prompting: Prompting = "direct"
    chunk: PositiveInt = 4_000
    """The maximum number of tokens in a chunk, such as 16K. A longer document is read in several chunks."""
    repairs: NonNegativeInt = 1
    """How many times the model may rewrite a query that failed to run."""
    name: ClassVar[str] = "extract-sql"

    async def answer(self, question: Question, session: Session) -> Response:
        try:
            extractions = [await self._extract(part, session) for part in stretches(session.view, self.chunk)]
        except StepOverflowError:
            return overflow_of(question)
        with closing(session.view.tables.parse(session.view.context, extractions)) as database:
            return await query(question, session, database, self.prompting, self.repairs)

    async def _extract(self, part: ContextRange, session: Session) -> str:
        """The rows of one part as text, extracted once per context; the usage counts for the first question."""

        async def ask() -> str:
            return await ask_for_text(session, prompt_for(part, session.view), "extract")

        return await session.once(f"extract {self.chunk} {part.start}:{part.end}", ask)

    def estimate(self, question: Question, view: ContextView) -> CallEstimate:
        extraction = view.estimate(*(prompt_for(part, view) for part in stretches(view, self.chunk)))
        question_calls = query_estimate(question, view, self.prompting, self.repairs)
        largest = max(extraction.largest_call, question_calls.largest_call)
        # Each chunk is sent once, so a prompt cache saves nothing.
        once = replace(extraction, prefix="", prefix_tokens=0, prefix_calls=0)
        return replace(question_calls, largest_call=largest, per_context=once)


def prompt_for(part: ContextRange, view: ContextView) -> Prompt:
    """The prompt that asks for the rows of a part of the text."""
    first = part.first.label
    task = f"This excerpt begins in {first[:1].lower()}{first[1:]}. Write down its rows."
    return Prompt.of(view.instruction("extract, direct"), view.reference(DOCUMENTS, part.start, part.end), task)
