"""Text-to-SQL: the model writes a query, which runs read-only over the context's tables. Its rows are the answer."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import ClassVar

from fathom.models.prompts import Prompt
from fathom.records.documents import NonNegativeInt
from fathom.records.questions import Question, Response, Step
from fathom.systems.protocol import CallEstimate, ContextView, Prompting, Session, response_to
from fathom.systems.sql_guard import RefusedQuery, StatementResult, run_guarded
from fathom.systems.sql_parsing import statement_in

MAX_STATEMENT_LENGTH = 4_000
"""Tokens assumed for a failed statement when a repair is estimated; the guard refuses statements over 10,000 bytes."""


@dataclass(frozen=True)
class Sql:
    """Text-to-SQL over the corpus's own tables, which have no extraction errors."""

    prompting: Prompting = "direct"
    repairs: NonNegativeInt = 1
    """How many times the model may rewrite a query that failed to run."""
    name: ClassVar[str] = "sql"

    async def answer(self, question: Question, session: Session) -> Response:
        with closing(session.view.tables.database(session.view.context)) as database:
            return await query(question, session, database, self.prompting, self.repairs)

    def estimate(self, question: Question, view: ContextView) -> CallEstimate:
        _ = view.tables  # refuses a family without tables before anything is sent
        return query_estimate(question, view, self.prompting, self.repairs)


def query_estimate(question: Question, view: ContextView, prompting: Prompting, repairs: int) -> CallEstimate:
    """The estimate for one question: one call for the query, and spare calls for its repairs."""
    first = view.estimate(_first_prompt(question, view, prompting))
    repair = first.input_tokens + MAX_STATEMENT_LENGTH
    return replace(first, spare_calls=repairs, spare_tokens=repairs * repair)


def _first_prompt(question: Question, view: ContextView, prompting: Prompting) -> Prompt:
    """The schema and the question."""
    return Prompt.of(view.instruction(f"sql, {prompting}"), None, question.text)


async def query(
    question: Question, session: Session, database: sqlite3.Connection, prompting: Prompting, repairs: int
) -> Response:
    """The response from a query that the model writes; it may rewrite a query that fails to run."""
    prompt = _first_prompt(question, session.view, prompting)
    refusal = ""
    for attempt in range(1 + repairs):
        completion = await session.ask(prompt, "repair" if attempt else "query")
        statement = statement_in(completion.text)
        if statement is None or completion.stop in ("refused", "overflow"):
            break
        try:
            result = run_guarded(database, statement)
        except RefusedQuery as error:
            refusal = str(error)
            session.record(Step(kind="tool", name="sql", input=statement, error=refusal))
            failed = (
                f"{question.text}\n\nThis query could not be run ({error}):\n{statement}\n\nWrite a corrected query."
            )
            prompt = Prompt.of(session.view.instruction(f"sql, {prompting}"), None, failed)
        else:
            rows = printed(result)
            session.record(Step(kind="tool", name="sql", input=statement, output=rows))
            return response_to(question, completion, f"{completion.text}\n\n{rows}")
    # Without a result there is no answer, even if the text around the query looks like one.
    text = f"No query could be run ({refusal})." if refusal and completion.stop == "stop" else None
    return response_to(question, completion, text)


def printed(result: StatementResult) -> str:
    """The rows as an answer: one line per row, NULL for no rows."""
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
    # Questions ask for two decimals at most; sixteen digits of a quotient would fail the comparison.
    return f"{cell:.6f}".rstrip("0").rstrip(".") if isinstance(cell, float) else str(cell)
