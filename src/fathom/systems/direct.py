"""Systems of one call: the whole context, the needed passages, the tables as text, or the question alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fathom.models.prompts import Prompt
from fathom.records.questions import Question, Response
from fathom.systems.protocol import DOCUMENTS, ContextView, Estimate, Prompting, Session, response_to

PASSAGES = "passages"
"""The form that shows the passages that one question needs."""


@dataclass(frozen=True)
class Direct:
    """Shows one form of the context, or none, and asks the question."""

    prompting: Prompting = "direct"
    name: ClassVar[str]
    form: ClassVar[str | None]

    async def answer(self, question: Question, session: Session) -> Response:
        return response_to(question, await session.ask(self._prompt(question, session.view)))

    def estimate(self, question: Question, view: ContextView) -> Estimate:
        return view.estimate(self._prompt(question, view))

    def _form(self, question: Question) -> str | None:
        return self.form

    def _prompt(self, question: Question, view: ContextView) -> Prompt:
        form = self._form(question)
        shown = view.reference(form) if form else None
        return Prompt.of(view.instruction(f"{self.name}, {self.prompting}"), shown, question.text)


@dataclass(frozen=True)
class Full(Direct):
    """All documents of the context, then the question."""

    name = "full"
    form = DOCUMENTS


@dataclass(frozen=True)
class Tables(Direct):
    """The context's tables as text, then the question. Tests retrieval and computation without reading."""

    name = "tables"
    form = "tables"


@dataclass(frozen=True)
class Passages(Direct):
    """Only the passages that the question needs, then the question. Tests reading and computation without retrieval.

    A control, not a competitor: the passages come from the proofs of the keys.
    """

    name = "passages"
    form = PASSAGES

    def _form(self, question: Question) -> str | None:
        return f"{PASSAGES}@{question.id}"


@dataclass(frozen=True)
class ClosedBook(Direct):
    """The question alone. A correct answer was guessed or known before."""

    name = "closed-book"
    form = None
