"""Map-reduce: one call per document for what the question needs, then one call or a query over all that was found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

from fathom.models.prompts import Message, Prompt, TextReference
from fathom.records.documents import PositiveInt
from fathom.records.questions import Question, Response
from fathom.systems.chunking import Batch, batches
from fathom.systems.fact_table import (
    COLUMN_TOKENS,
    ERROR_TOKENS,
    EXAMPLE_TOKENS,
    REPAIRS,
    choose_columns,
    columns_prompt,
    compute,
    query_prompt,
    row_instruction,
    rows_in,
)
from fathom.systems.protocol import DOCUMENTS, CallEstimate, ContextView, Prompting, Session, response_to
from fathom.systems.quotations import NOTHING
from fathom.systems.sql import MAX_STATEMENT_LENGTH
from fathom.systems.steps import WORDS_PER_TOKEN, StepOverflowError, ask_for_text, cut_to, overflow_of

MAP = (
    "A question about a collection of documents is answered in two steps. First each document is read by itself, and "
    "what the question needs from it is written down; then the question is answered from these notes alone. You do the "
    "first step for the text below."
)
AT_THE_END = "The second step will be the following task. Do not do it yet.\n\n"
CONDENSE = (
    "A question about a collection of documents is answered from notes that were taken on each document. There are too "
    "many of them. You shorten some of them."
)
REDUCE = (
    "You do not see the documents. Each was read by itself, and what the question needs was written down; these "
    "notes are shown below instead of the documents. Documents that are not listed have nothing that it needs."
)
COMPUTED = (
    "You do not see the documents. Each was read by itself, the facts that the question needs were written into a "
    "table, and a query over the table computed the result below. Answer the question from this result."
)
LABEL_TOKENS = 40
"""The maximum number of tokens of the line above a note."""


class DocumentNote(NamedTuple):
    """The notes on some documents."""

    label: str
    text: str

    def __str__(self) -> str:
        return f"===== {self.label}\n{self.text}\n"


@dataclass(frozen=True)
class MapReduce:
    """Asks for what the question needs from each document, one call each; then answers from these notes.

    Notes that exceed `chunk` tokens together are shortened first, group by group, until they fit.
    """

    prompting: Prompting = "direct"
    chunk: PositiveInt = 16_384
    """The maximum number of tokens that one call reads. A longer document is read in parts."""
    documents: PositiveInt = 1
    """The maximum number of documents that one call reads; fewer if they do not fit."""
    notes: PositiveInt = 512
    """The maximum number of tokens of the notes of one call; what exceeds it is cut off."""
    combine: Literal["model", "sql"] = "model"
    """Whether the model combines the notes, or they are rows of a table over which it writes a query."""
    name: ClassVar[str] = "map-reduce"

    def __post_init__(self) -> None:
        if self.chunk < 3 * self._note_tokens:
            raise ValueError(f"notes of {self.notes} tokens need a chunk of at least {3 * self._note_tokens}")

    @property
    def _note_tokens(self) -> int:
        return self.notes + LABEL_TOKENS

    async def answer(self, question: Question, session: Session) -> Response:
        view = session.view
        try:
            columns = await choose_columns(question, session) if self.combine == "sql" else ()
            read = batches(view, self.chunk, self.documents)
            found = [await self._map(batch, question, session, columns) for batch in read]
            notes = [note for note in found if not _says_nothing(note.text)]
            rows = [row for note in notes for row in rows_in(note.label, note.text, columns)] if columns else []
            result = await compute(question, session, rows, columns) if rows else None
            if result is not None:
                prompt = self._computed_prompt(cut_to(result, self.chunk), question, view)
                return response_to(question, await session.ask(prompt, "answer"))
            # Without a query, the model combines the notes.
            while len(notes) > 1 and sum(view.count(str(note)) for note in notes) > self.chunk:
                notes = [await self._condense(group, question, session) for group in self._groups(notes, view)]
        except StepOverflowError:
            return overflow_of(question)
        return response_to(question, await session.ask(self._reduce_prompt(notes, question, view), "answer"))

    # Notes.

    async def _map(self, batch: Batch, question: Question, session: Session, columns: Sequence[str]) -> DocumentNote:
        form = row_instruction(columns) if columns else ""
        text = await ask_for_text(session, self._map_prompt(batch, question, session.view, form), "map")
        return DocumentNote(_label(batch, session.view), cut_to(text.strip(), self.notes))

    async def _condense(self, notes: Sequence[DocumentNote], question: Question, session: Session) -> DocumentNote:
        if len(notes) == 1:
            return notes[0]
        text = await ask_for_text(session, self._condense_prompt(notes, question), "condense")
        first, last = notes[0].label.partition(" to ")[0], notes[-1].label.rpartition(" to ")[2]
        return DocumentNote(f"{first} to {last}", cut_to(text.strip(), self.notes))

    def _groups(self, notes: Sequence[DocumentNote], view: ContextView) -> Iterator[list[DocumentNote]]:
        """The notes in order, in groups that one call can read."""
        group: list[DocumentNote] = []
        size = 0
        for note in notes:
            tokens = view.count(str(note))
            if group and size + tokens > self.chunk:
                yield group
                group, size = [], 0
            group.append(note)
            size += tokens
        yield group

    # Prompts.

    def _map_prompt(self, batch: Batch, question: Question, view: ContextView, form: str = "") -> Prompt:
        part = f" This is part {batch.part} of {batch.parts} of the document." if batch.parts > 1 else ""
        form = form or "Give numbers, names, units and dates exactly as they are printed."
        task = (
            f"\nThe question: {question.text}\n\nDo not answer it.{part} Write down what it needs from the text above. "
            f"{form} {self._limit} If the text has nothing that the question needs, write {NOTHING} and nothing else."
        )
        instruction = f"{MAP}\n\n{AT_THE_END}{view.instruction('full, direct')}\n\n"
        # A document is shown to every question, so a cache can serve it.
        return Prompt((Message.user(instruction, *_shown(batch, view), task),))

    def _condense_prompt(self, notes: Sequence[DocumentNote], question: Question) -> Prompt:
        task = (
            f"\nThe question: {question.text}\n\nDo not answer it. Write down what it needs from the notes above, and "
            f"from which document it is. {self._limit}"
        )
        return Prompt((Message.user(f"{CONDENSE}\n\n", *map(str, notes), task),), shared=1)

    @property
    def _limit(self) -> str:
        return f"Use at most {self.notes} tokens (about {int(self.notes * WORDS_PER_TOKEN)} words): the rest is lost."

    def _reduce_prompt(self, notes: Sequence[DocumentNote], question: Question, view: ContextView) -> Prompt:
        instruction = f"{REDUCE}\n\n{view.instruction(f'full, {self.prompting}')}\n\n"
        shown = [str(note) for note in notes] or [f"{NOTHING}\n"]
        return Prompt((Message.user(instruction, *shown, f"\n{question.text}"),), shared=1)

    def _computed_prompt(self, result: str, question: Question, view: ContextView) -> Prompt:
        instruction = f"{COMPUTED}\n\n{view.instruction(f'full, {self.prompting}')}\n\n"
        return Prompt((Message.user(instruction, result, f"\n\n{question.text}"),), shared=1)

    # Bounds.

    def estimate(self, question: Question, view: ContextView) -> CallEstimate:
        read = batches(view, self.chunk, self.documents)
        mapping = view.estimate(*(self._map_prompt(batch, question, view) for batch in read))
        last = view.estimate(self._reduce_prompt((), question, view)).input_tokens
        last += min(len(read) * self._note_tokens, self.chunk)
        if self.combine == "sql":
            return self._with_query(question, view, mapping, last)
        condense = view.estimate(self._condense_prompt((), question)).input_tokens + self.chunk
        spare = self._condense_calls(len(read))
        return CallEstimate(
            calls=len(read) + 1,
            input_tokens=mapping.input_tokens + last,
            largest_call=max(mapping.largest_call, last, condense if spare else 0),
            spare_calls=spare,
            spare_tokens=spare * condense,
        )

    def _with_query(self, question: Question, view: ContextView, mapping: CallEstimate, last: int) -> CallEstimate:
        """The estimate with calls for the columns and the query, and the combination by the model as a spare."""
        form = view.count(row_instruction(())) + COLUMN_TOKENS
        columns = view.estimate(columns_prompt(question)).input_tokens
        query = view.estimate(query_prompt(question, (), "")).input_tokens + COLUMN_TOKENS + EXAMPLE_TOKENS
        repair = query + MAX_STATEMENT_LENGTH + 2 * ERROR_TOKENS
        computed = view.estimate(self._computed_prompt("", question, view)).input_tokens + self.chunk
        condense = view.estimate(self._condense_prompt((), question)).input_tokens + self.chunk
        spare = self._condense_calls(mapping.calls)
        answer = max(computed, last)
        return CallEstimate(
            calls=mapping.calls + 3,
            input_tokens=columns + mapping.input_tokens + mapping.calls * form + query + answer,
            largest_call=max(mapping.largest_call + form, repair, answer, condense if spare else 0),
            spare_calls=REPAIRS + spare,
            spare_tokens=REPAIRS * repair + spare * condense,
        )

    def _condense_calls(self, notes: int) -> int:
        """The calls that shorten this many notes of the maximum length."""
        in_group = self.chunk // self._note_tokens
        calls = 0
        while notes * self._note_tokens > self.chunk:
            notes = -(-notes // in_group)
            calls += notes
        return calls


def _says_nothing(text: str) -> bool:
    return text.strip(" .*_`\"'\n").upper() in ("", NOTHING)


def _label(batch: Batch, view: ContextView) -> str:
    labels = [view.documents[chunk.document - 1].label for chunk in batch.chunks]
    label = labels[0] if len(labels) == 1 else f"{labels[0]} to {labels[-1]}"
    return f"{label}, part {batch.part} of {batch.parts}" if batch.parts > 1 else label


def _shown(batch: Batch, view: ContextView) -> Iterator[str | TextReference]:
    for chunk in batch.chunks:
        yield f"===== {view.documents[chunk.document - 1].label}\n"
        yield view.reference(DOCUMENTS, chunk.start, chunk.end)
        yield "\n"
