"""The tools of an agent: their definitions, and calls with arguments that a model wrote.

A call reaches the documents of the question's context and the agent's own tables, and nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, JsonValue, ValidationError

from fathom.models.prompts import ToolCall, ToolDefinition
from fathom.records.documents import NonNegativeInt, PositiveInt
from fathom.records.questions import Step
from fathom.records.record import Record, first_error
from fathom.systems.agent import calculator
from fathom.systems.agent.document_tools import DocumentTools, ToolError, ToolResult
from fathom.systems.agent.own_tables import OwnTables, TableError, parse_rows, printed
from fathom.systems.protocol import Session
from fathom.systems.retrieval.settings import IndexSettings
from fathom.systems.sql_guard import RefusedQuery

MAX_ARGUMENTS_LENGTH = 200_000
"""Characters of the arguments of one call."""
MAX_NAME_LENGTH = 40
"""Characters of a name that error messages repeat."""
ERROR_TOKENS = 100
"""The maximum number of tokens of an error message."""

LabelArgument = Annotated[str, BeforeValidator(lambda value: str(value) if isinstance(value, int) else value or "")]
"""A document's label; some models give the number alone, or null."""


class _ListArguments(Record):
    first: Annotated[PositiveInt, Field(description="The number of the first document to list, counted from 1.")] = 1


class _SearchArguments(Record):
    query: Annotated[str, Field(min_length=1, max_length=2_000, description="The words to search for.")]
    document: Annotated[
        LabelArgument, Field(description='A document such as "{label}", or "" to search all of them.')
    ] = ""


class _ReadArguments(Record):
    document: Annotated[LabelArgument, Field(min_length=1, description='The document, such as "{label}".')]
    start: Annotated[NonNegativeInt, Field(description="The first character to read, counted from 0.")] = 0
    length: Annotated[PositiveInt, Field(description="The number of characters to read. Long parts are cut.")] = 8_000


class _FindArguments(Record):
    text: Annotated[str, Field(min_length=1, max_length=500, description="The text to find, exactly as written.")]
    document: Annotated[
        LabelArgument, Field(description='A document such as "{label}", or "" to look in all of them.')
    ] = ""
    skip: Annotated[NonNegativeInt, Field(description="Occurrences to skip; 0 to show the first ones.")] = 0


class _AddRowsArguments(Record):
    table: Annotated[str, Field(max_length=100, description="The name of the table; a new name creates it.")]
    rows: Annotated[
        JsonValue,
        Field(
            description='The rows as a JSON list of objects: [{"name": "A", "value": 1.5}]. Write numbers as numbers.',
            json_schema_extra={"type": "string"},
        ),
    ]


class _QueryArguments(Record):
    sql: Annotated[str, Field(min_length=1, description="One SELECT statement of SQLite.")]


class _CalculateArguments(Record):
    expression: Annotated[str, Field(min_length=1, description="Such as (1200.5 - 3) / 7 * 100.")]


@dataclass(frozen=True)
class _Tool:
    description: str
    arguments: type[Record]
    run: Callable[[Toolbox, Any, int], ToolResult]
    """From the arguments, and the tokens that the result may have."""
    kind: Literal["tool", "retrieval"] = "tool"

    def definition(self, name: str, label: str) -> ToolDefinition:
        schemas = self.arguments.model_json_schema()["properties"]
        parameters: dict[str, JsonValue] = {
            parameter: {
                "type": schema["type"],
                "description": schema["description"].replace("{label}", label),
            }
            for parameter, schema in schemas.items()
        }
        return ToolDefinition(name, self.description, parameters)


class Toolbox:
    """The tools over one question's context."""

    def __init__(self, session: Session, settings: IndexSettings, k: int) -> None:
        self._session = session
        self.documents = DocumentTools(session, settings, k)
        self.tables = OwnTables()

    def close(self) -> None:
        self.tables.close()

    def count(self, text: str) -> int:
        """The tokens of a text."""
        return self._session.view.count(text)

    def run(self, call: ToolCall, room: int) -> ToolResult:
        """The result of a call in at most `room` tokens, which is recorded. A wrong call gets an error message."""
        try:
            result = self._run(call, room)
        except ToolError as error:
            return self.refuse(call, str(error))
        kind = TOOLS[call.name].kind
        step = Step(kind=kind, name=call.name, input=_written(call), output=result.output, passages=result.passages)
        self._session.record(step)
        return result

    def refuse(self, call: ToolCall, reason: str) -> ToolResult:
        """The answer to a call that is not run, which is recorded with the reason."""
        message = f"Error: {reason}."
        while self.count(message) > ERROR_TOKENS:
            message = message[: len(message) * 3 // 4]
        step = Step(kind="tool", name=call.name[:MAX_NAME_LENGTH], input=_written(call), error=reason)
        self._session.record(step)
        return ToolResult((message,), message)

    def _run(self, call: ToolCall, room: int) -> ToolResult:
        if call.error is not None:
            raise ToolError(f"the arguments could not be read ({_shortened(call.error)})")
        if call.name not in TOOLS:
            raise ToolError(f"there is no tool '{call.name[:MAX_NAME_LENGTH]}'. The tools are {', '.join(TOOLS)}")
        tool = TOOLS[call.name]
        try:
            arguments = tool.arguments.model_validate(_cleaned(call.arguments))
        except ValidationError as error:
            expected = ", ".join(tool.arguments.model_fields)
            raise ToolError(
                f"the arguments are invalid ({_shortened(first_error(error))}). They are: {expected}"
            ) from error
        try:
            return tool.run(self, arguments, room)
        except (TableError, calculator.CalculatorError) as error:
            raise ToolError(str(error)) from error
        except RefusedQuery as error:
            raise ToolError(f"the query was not run ({error})") from error


def _cleaned(arguments: Mapping[str, Any]) -> Any:
    """The arguments without lone surrogates, which UTF-8 cannot encode."""
    try:
        text = json.dumps(dict(arguments), ensure_ascii=False)
        if len(text) > MAX_ARGUMENTS_LENGTH:
            raise ToolError(f"the arguments have more than {MAX_ARGUMENTS_LENGTH:,} characters")
        return json.loads(text.encode("utf-8", "replace"))
    except (TypeError, ValueError, RecursionError) as error:
        raise ToolError("the arguments are not JSON") from error


def _shortened(text: str) -> str:
    line = " ".join(text.encode("utf-8", "replace").decode().split())
    return line if len(line) <= 200 else f"{line[:200]}..."


def _written(call: ToolCall) -> str:
    try:
        return json.dumps(dict(call.arguments), default=str)
    except (ValueError, RecursionError):
        return "(not JSON)"


def _query(toolbox: Toolbox, arguments: _QueryArguments, room: int) -> ToolResult:
    lines = printed(toolbox.tables.query(arguments.sql))
    shown = _fitting(lines, room - 16, toolbox.count)
    rest = len(lines) - len(shown)
    text = "\n".join([*shown, f"({rest:,} more rows)"] if rest else shown)
    return ToolResult((text,), text)


def _fitting(lines: Sequence[str], room: int, count: Callable[[str], int]) -> list[str]:
    """The first lines that have at most this many tokens together."""
    shown: list[str] = []
    for line in lines:
        room -= count(line) + 1
        if room < 0:
            break
        shown.append(line)
    return shown


def _text(text: str) -> ToolResult:
    return ToolResult((text,), text)


TOOLS: dict[str, _Tool] = {
    "list_documents": _Tool(
        "Lists the documents with their lengths and first lines.",
        _ListArguments,
        lambda box, given, room: box.documents.overview(given.first, room),
        "retrieval",
    ),
    "search": _Tool(
        "Searches the documents and shows the excerpts that match best, with their places.",
        _SearchArguments,
        lambda box, given, room: box.documents.search(given.query, given.document, room),
        "retrieval",
    ),
    "read": _Tool(
        "Shows a part of one document.",
        _ReadArguments,
        lambda box, given, room: box.documents.read(given.document, given.start, given.length, room),
        "retrieval",
    ),
    "find": _Tool(
        "Finds exact text: counts every occurrence in each document, and shows where they are.",
        _FindArguments,
        lambda box, given, room: box.documents.find(given.text, given.document, given.skip, room),
        "retrieval",
    ),
    "add_rows": _Tool(
        "Writes rows into a table of your own, to keep what you have read and to compute with it.",
        _AddRowsArguments,
        lambda box, given, room: _text(box.tables.add(given.table, parse_rows(given.rows))),
    ),
    "query": _Tool("Runs SQL over the tables that you have written.", _QueryArguments, _query),
    "calculate": _Tool(
        f"Computes an arithmetic expression exactly. Functions: {', '.join(calculator.FUNCTIONS)}.",
        _CalculateArguments,
        lambda box, given, room: _text(f"{given.expression} = {calculator.calculate(given.expression)}"),
    ),
}


def definitions(label: str) -> tuple[ToolDefinition, ...]:
    """The tools as described to a model; `label` is that of one of the documents, as an example."""
    return tuple(tool.definition(name, label) for name, tool in TOOLS.items())
