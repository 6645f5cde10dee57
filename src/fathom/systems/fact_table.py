"""One table of facts for a question: columns that the model chooses, rows from each document, and a query over them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from contextlib import closing

from pydantic import JsonValue

from fathom.models.json_output import read_json
from fathom.models.prompts import Message, Prompt
from fathom.records.questions import Question, Step
from fathom.systems.agent.own_tables import OwnTables, RowValues, TableError, parse_rows, printed
from fathom.systems.protocol import Session, count_tokens
from fathom.systems.sql import MAX_STATEMENT_LENGTH
from fathom.systems.sql_guard import RefusedQuery
from fathom.systems.sql_parsing import statement_in
from fathom.systems.steps import ask_for_text, cut_to

COLUMNS = (
    "A question about a collection of documents is answered by a query. First each document is read by itself, and the "
    "facts that the question needs from it are written into the rows of one table; then the query computes the answer. "
    "You choose the columns of the table: whatever identifies a row (such as a name and a year), and the values that "
    "the question needs, one column each."
)
CHOOSE = (
    "Do not answer it. Write the names of the columns as one JSON list and nothing else, such as "
    '["company", "year", "revenue_million_usd"]. Name the unit of a number in its column.'
)
QUERY = (
    "A SQLite table contains the facts that a question needs from a collection of documents. The column `document` "
    "names the document. Write one SELECT statement that computes the answer to the question: only the columns that it "
    "asks for."
)
TABLE = "facts"
DOCUMENT = "document"
COLUMN_TOKENS = 200
"""Tokens of all names of columns together; further columns are left out."""
EXAMPLE_TOKENS = 400
"""Tokens of the rows that are shown as examples."""
ERROR_TOKENS = 200
REPAIRS = 1
"""How many times the model may rewrite a query that failed to run."""


def columns_prompt(question: Question) -> Prompt:
    """The prompt that asks for the columns."""
    return Prompt((Message.user(f"{COLUMNS}\n\n", f"The question: {question.text}\n\n{CHOOSE}"),), shared=1)


def query_prompt(question: Question, columns: Sequence[str], examples: str, failed: str = "") -> Prompt:
    """The prompt that asks for the query."""
    table = f"The table {TABLE} has the columns {', '.join((DOCUMENT, *columns))}. Its first rows:\n"
    parts = [f"{QUERY}\n\n", table, examples, "\n\n", failed, f"The question: {question.text}\n\n"]
    return Prompt((Message.user(*filter(None, parts), "Give only the statement, between ```sql and ```."),), shared=1)


async def choose_columns(question: Question, session: Session) -> tuple[str, ...]:
    """The columns that the model chooses; none if it names none."""
    return columns_in(await ask_for_text(session, columns_prompt(question), "columns"))


def columns_in(text: str) -> tuple[str, ...]:
    """The names in the last list of a completion, as names of columns."""
    found = read_json(text, lambda value: bool(_listed(value)))
    names: list[str] = []
    for name in dict.fromkeys(map(_column, _listed(found.value) if found else [])):
        if name and name != DOCUMENT and count_tokens(", ".join([*names, name])) <= COLUMN_TOKENS:
            names.append(name)
    return tuple(names)


def _listed(value: JsonValue) -> list[str]:
    """The texts of a list, or of the first list in an object such as {"columns": [...]}."""
    if isinstance(value, dict):
        value = next((part for part in value.values() if isinstance(part, list)), None)
    return [part for part in value if isinstance(part, str)] if isinstance(value, list) else []


def _column(name: str) -> str:
    plain = re.sub(r"\W+", "_", name.strip().lower()).strip("_")[:60]
    return f"c_{plain}" if plain[:1].isdigit() or plain.startswith("sqlite_") else plain


def row_instruction(columns: Sequence[str]) -> str:
    """How a document's facts are to be written."""
    return (
        f"Write each row as one line of JSON with the keys {', '.join(columns)}: numbers without separators, "
        "in the unit that the key names, and null for what the text does not say."
    )


def rows_in(label: str, text: str, columns: Sequence[str]) -> list[RowValues]:
    """The rows in the notes on a document; other lines are ignored."""
    rows: list[RowValues] = []
    for line in text.splitlines():
        try:
            parsed = parse_rows(line.strip().rstrip(","))
        except TableError:
            continue
        for row in parsed:
            named = {_column(name): value for name, value in row.items()}
            cells = {column: named.get(column) for column in columns}
            if any(value is not None for value in cells.values()):
                rows.append({DOCUMENT: label, **cells})
    return rows


async def compute(
    question: Question, session: Session, rows: Sequence[RowValues], columns: Sequence[str]
) -> str | None:
    """The result of a query that the model writes over the rows, as lines; None if no query could be run."""
    with closing(OwnTables()) as tables:
        try:
            tables.add(TABLE, rows)
        except TableError:
            return None
        failed = ""
        for attempt in range(1 + REPAIRS):
            prompt = query_prompt(question, columns, _examples(rows), failed)
            statement = statement_in(await ask_for_text(session, prompt, "repair" if attempt else "query"))
            if statement is None:
                return None
            try:
                result = "\n".join(printed(tables.query(statement)))
            except RefusedQuery as error:
                session.record(Step(kind="tool", name="sql", input=statement, error=str(error)))
                reason = cut_to(str(error), ERROR_TOKENS)
                failed = f"This query could not be run ({reason}):\n{cut_to(statement, MAX_STATEMENT_LENGTH)}\n\n"
            else:
                session.record(Step(kind="tool", name="sql", input=statement, output=result))
                return result
    return None


def _examples(rows: Iterable[RowValues]) -> str:
    return cut_to("\n".join(json.dumps(dict(row), ensure_ascii=False) for row in list(rows)[:3]), EXAMPLE_TOKENS)
