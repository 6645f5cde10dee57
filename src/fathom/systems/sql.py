"""Text to SQL: the model writes a query, which runs read-only over tables; its rows are the answer."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from fathom.models.prompts import Completion, Prompt
from fathom.records.documents import Count
from fathom.records.questions import Question, Response
from fathom.systems.guard import RefusedQuery, Result, run_guarded
from fathom.systems.protocol import ContextView, Expected, Prompting, Session, expected, response_to
from fathom.systems.sql_parsing import statement_in


@dataclass(frozen=True)
class Sql:
    """A query over the tables that were read from the context without a fault."""

    prompting: Prompting = "direct"
    repairs: Count = 1
    """How often the model may mend a query that could not be run."""
    name: ClassVar[str] = "sql"

    async def answer(self, question: Question, session: Session) -> Response:
        database = session.view.tables.database(session.view.context)
        try:
            return await query(question, session, database, self.prompting, self.repairs)
        finally:
            database.close()

    def expects(self, question: Question, view: ContextView) -> list[Expected]:
        _ = view.tables
        return [expected(view, first_prompt(question, view, self.prompting))]


def first_prompt(question: Question, view: ContextView, prompting: Prompting) -> Prompt:
    """The schema and the question."""
    return Prompt(view.instruction(f"sql, {prompting}"), None, question.text)


async def query(
    question: Question, session: Session, database: sqlite3.Connection, prompting: Prompting, repairs: int
) -> Response:
    """Ask for a query, run it, and let the model mend it where it cannot be run."""
    prompt = first_prompt(question, session.view, prompting)
    calls: list[Completion] = []
    refusal = ""
    for _ in range(1 + repairs):
        calls.append(await session.ask(prompt))
        statement = statement_in(calls[-1].text)
        if statement is None or calls[-1].stop in ("refused", "overflow"):
            break
        try:
            result = run_guarded(database, statement)
        except RefusedQuery as error:
            refusal = str(error)
            said = f"{question.text}\n\nThis query could not be run ({error}):\n{statement}\n\nWrite it anew."
            prompt = Prompt(prompt.instruction, None, said)
        else:
            return response_to(question, calls[-1], f"{calls[-1].text}\n\n{printed(result)}", calls[:-1])
    # Words around a query that was never run are no answer, even where they look like one.
    text = f"No query could be run ({refusal})." if refusal and calls[-1].stop == "stop" else None
    return response_to(question, calls[-1], text, calls[:-1])


def printed(result: Result) -> str:
    """The rows as an answer: one line for each, NULL where there is none."""
    rows = [row for row in result.rows if any(cell is not None for cell in row)]
    if not rows:
        return "Answer: NULL"
    if len(rows) == 1 and len(rows[0]) == 1:
        return f"Answer: {_cell(rows[0][0])}"
    return "Answer:\n" + "\n".join(_line(row) for row in rows)


def _line(row: Sequence[int | float | str | None]) -> str:
    return "; ".join(map(_cell, row))


def _cell(cell: int | float | str | None) -> str:
    if cell is None:
        return "NULL"
    # Sixteen digits of a quotient are no answer; the questions ask for two decimals at most.
    return f"{cell:.6f}".rstrip("0").rstrip(".") if isinstance(cell, float) else str(cell)
