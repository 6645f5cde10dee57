"""Systems of one call: the whole context, the needed passages, the tables as text, or the question alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from fathom.models.prompts import Message, Prompt, TextReference
from fathom.records.questions import Question, Response
from fathom.systems.protocol import DOCUMENTS, CallEstimate, ContextView, Prompting, Session, response_to

PASSAGES = "passages"
"""The form that shows the passages that one question needs."""
NEEDED = {"first": "needed_first", "last": "needed_last"}
"""The forms that show all documents, those that one question needs first or last."""


@dataclass(frozen=True)
class Direct:
    """Shows one form of the context, or none, and asks the question."""

    prompting: Prompting = "direct"
    name: ClassVar[str]
    form: ClassVar[str | None]

    async def answer(self, question: Question, session: Session) -> Response:
        return response_to(question, await session.ask(self._prompt(question, session.view)))

    def estimate(self, question: Question, view: ContextView) -> CallEstimate:
        return view.estimate(self._prompt(question, view))

    def _form(self, question: Question) -> str | None:
        return self.form

    def _prompt(self, question: Question, view: ContextView) -> Prompt:
        form = self._form(question)
        shown = view.reference(form) if form else None
        return Prompt.of(view.instruction(f"{self.name}, {self.prompting}"), shown, question.text)


QuestionPlace = Literal["after", "before", "both"]
"""Where the question is asked: after the documents, before them, or on both sides."""

QUESTION_FIRST = "Here the question comes first, and the documents follow it."
QUESTION_ABOVE = "Now answer the question that was asked before the documents."
REORDERED_TOKENS = 4
"""Additional tokens that each document may take in another order."""


@dataclass(frozen=True)
class Full(Direct):
    """All documents of the context and the question."""

    question: QuestionPlace = "after"
    """Whether the question is asked after the documents, before them, or both. A cache serves them only if after."""
    order: Literal["built", "reversed"] = "built"
    """The order of the documents: as the context was built, or the last one first. Their numbers stay the same."""
    name = "full"
    form = DOCUMENTS

    def _prompt(self, question: Question, view: ContextView) -> Prompt:
        instruction = view.instruction(f"full, {self.prompting}")
        return with_question(instruction, self._shown(question, view), question, self.question)

    def _shown(self, question: Question, view: ContextView) -> Sequence[TextReference]:
        del question
        if self.order == "built":
            return (view.reference(DOCUMENTS),)
        ends = [document.span.end for document in view.documents]
        # A document begins with its boundary line, where the one before it ends. The closing line stays last.
        pieces = [view.reference(DOCUMENTS, start, end) for start, end in zip([0, *ends], ends, strict=False)]
        return (*pieces[::-1], view.reference(DOCUMENTS, ends[-1]))


def with_question(instruction: str, shown: Sequence[TextReference], question: Question, place: QuestionPlace) -> Prompt:
    """The documents with the question at one side or both."""
    if place == "after":
        return Prompt((Message.user(instruction, *shown, question.text),))
    last = question.text if place == "both" else QUESTION_ABOVE
    first = f"{instruction}\n\n{QUESTION_FIRST}"
    # A prompt that differs from the first question on shares its instruction alone.
    return Prompt((Message.user(first, f"{question.text}\n\n", *shown, last),), shared=1)


@dataclass(frozen=True)
class FullControl(Direct):
    """All documents of the context, those that the question needs first or last, and the question.

    A control for the effect of position, not a competitor: the keys say which documents are needed.
    """

    needed: Literal["first", "last"] = "first"
    """Where the documents that the question needs are shown. Their numbers stay the same."""
    question: QuestionPlace = "after"
    """Whether the question is asked after the documents, before them, or both."""
    name = "full-control"
    form = DOCUMENTS

    def estimate(self, question: Question, view: ContextView) -> CallEstimate:
        built = with_question(
            view.instruction(f"full, {self.prompting}"), (view.reference(DOCUMENTS),), question, self.question
        )
        estimate = view.estimate(built)
        tokens = estimate.input_tokens + REORDERED_TOKENS * len(view.documents)
        # Every question has its own order, so a cache serves next to nothing.
        return replace(estimate, input_tokens=tokens, largest_call=tokens, prefix="", prefix_tokens=0, prefix_calls=0)

    def _prompt(self, question: Question, view: ContextView) -> Prompt:
        shown = view.reference(f"{NEEDED[self.needed]}@{question.id}")
        prompt = with_question(view.instruction(f"full, {self.prompting}"), (shown,), question, self.question)
        return replace(prompt, shared=1)


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
