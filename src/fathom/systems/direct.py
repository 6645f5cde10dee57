"""One prompt, one response: the whole context, what is needed of it, its tables, or nothing but the question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fathom.models.prompts import Prompt
from fathom.records.questions import Question, Response
from fathom.systems.protocol import DOCUMENTS, ContextView, Expected, Prompting, Session, expected, response_to

PASSAGES = "passages"
"""The form that shows the passages that one question needs."""


@dataclass(frozen=True)
class Direct:
    """Shows one form of the context, or none, and asks."""

    prompting: Prompting = "direct"
    name: ClassVar[str]
    form: ClassVar[str | None]

    async def answer(self, question: Question, session: Session) -> Response:
        return response_to(question, await session.ask(self._prompt(question, session.view)))

    def expects(self, question: Question, view: ContextView) -> list[Expected]:
        return [expected(view, self._prompt(question, view))]

    def _form(self, question: Question) -> str | None:
        return self.form

    def _prompt(self, question: Question, view: ContextView) -> Prompt:
        form = self._form(question)
        seen = view.reference(form) if form else None
        return Prompt(view.instruction(f"{self.name}, {self.prompting}"), seen, question.text)


@dataclass(frozen=True)
class Full(Direct):
    """The laid-out documents, all of them, then the question."""

    name = "full"
    form = DOCUMENTS


@dataclass(frozen=True)
class Tables(Direct):
    """The context's tables as text, then the question: reading is done, finding and computing are left."""

    name = "tables"
    form = "tables"


@dataclass(frozen=True)
class Passages(Direct):
    """Only the passages that the question needs, handed over: finding is done, reading and computing are left.

    A control and no system to compete with: who hands them over has looked at the keys' proofs.
    """

    name = "passages"
    form = "passages"

    def _form(self, question: Question) -> str | None:
        return f"{PASSAGES}@{question.id}"


@dataclass(frozen=True)
class ClosedBook(Direct):
    """The question alone: what is right here was guessed or known before."""

    name = "closed-book"
    form = None
