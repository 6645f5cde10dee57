"""The tools of an agent, its text protocol, its calculator and its tables."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from fathom.contexts.sampling import ContextSampler, SamplingSettings
from fathom.corpus.store import Corpus
from fathom.models.prompts import TextReference, ToolCall
from fathom.records.errors import FathomError
from fathom.systems.agent.calculator import CalculatorError, calculate
from fathom.systems.agent.own_tables import MAX_ROWS, OwnTables, TableError, parse_rows
from fathom.systems.agent.text_protocol import described, parse_calls, written
from fathom.systems.agent.toolbox import ERROR_TOKENS, TOOLS, Toolbox, definitions
from fathom.systems.catalog import load_system
from fathom.systems.protocol import ContextView
from fathom.systems.retrieval.settings import IndexSettings
from fathom.tasks.numeric.views import views
from tests.systems.scripted import Scripted


@dataclass
class Bench:
    """A toolbox, and what its tools show."""

    toolbox: Toolbox
    desk: Scripted

    def call(self, tool: str, /, room: int = 2_000, **arguments: Any) -> str:
        """What the model is shown."""
        result = self.toolbox.run(ToolCall("1", tool, arguments), room)
        view = self.desk.view
        texts = [
            view.text(part.form, part.start, part.end) if isinstance(part, TextReference) else part
            for part in result.parts
        ]
        assert sum(view.count(text) for text in texts) <= room
        return "".join(texts)


@pytest.fixture
def tools(small: Corpus, tmp_path: Path) -> Iterator[Bench]:
    [context] = ContextSampler(small, SamplingSettings(lengths=(65_536,), count=1, sampling=("bfs",))).contexts()
    desk = Scripted(ContextView(context, views(small)), folder=tmp_path)
    toolbox = Toolbox(desk, IndexSettings(), 5)
    yield Bench(toolbox, desk)
    toolbox.close()


# Tools over documents.


def test_the_list_has_every_document_in_parts(tools: Bench) -> None:
    documents = tools.desk.view.documents
    whole = tools.call("list_documents")
    assert f"Documents 1 to {len(documents)} of {len(documents)}." in whole
    for document in documents:
        assert f"{document.label} (" in whole
    first = tools.call("list_documents", room=150)
    assert "Call again with first=" in first
    again = first.partition("first=")[2].split()[0]
    assert tools.call("list_documents", first=int(again)).startswith(f"Documents {again} to ")


def test_reading_on_gives_the_whole_document(tools: Bench) -> None:
    view = tools.desk.view
    document = view.documents[1]
    text, start = "", 0
    while True:
        shown = tools.call("read", document=document.label, start=start, length=10**6, room=4_000)
        note, _, rest = shown.partition("\n")
        text += rest.partition("\n")[2]
        if "This is its end." in note:
            break
        start = int(note.partition("start=")[2].split()[0])
    assert text == view.text("documents", *document.span)
    spans = [step.passages[0].span for step in tools.desk.steps]
    assert all(step.kind == "retrieval" for step in tools.desk.steps)
    assert [one.end for one in spans][:-1] == [one.start for one in spans][1:]
    # The trace says what was shown, and does not repeat it.
    assert all(len(step.output) < 200 for step in tools.desk.steps)


def test_a_search_can_be_in_one_document_alone(tools: Bench) -> None:
    everywhere = tools.call("search", query="references results authors", document="", room=4_000)
    assert everywhere.count("=====") == 5
    for document in ("Article 2", "article 2", 2, "2"):
        found = tools.call("search", query="references results authors", document=document)
        assert "===== Article 2, characters" in found
        assert "Article 1," not in found
    ids = {passage.document for passage in tools.desk.steps[-1].passages}
    assert ids == {tools.desk.view.documents[1].id}
    # Something is shown even where a whole excerpt has no room.
    assert "=====" in tools.call("search", query="references", document="Article 1", room=150)


def test_find_counts_every_occurrence(tools: Bench) -> None:
    view = tools.desk.view
    counts = {one.label: view.text("documents", *one.span).count("the ") for one in view.documents}
    shown = tools.call("find", text="the ")
    assert f"occurs exactly {sum(counts.values()):,} times" in shown
    for label, count in counts.items():
        assert f"{label}: {count}" in shown
    skipped = shown.partition("skip=")[2].split()[0]
    assert f"Occurrences {int(skipped) + 1} to" in tools.call("find", text="the ", skip=int(skipped))
    title = view.text("documents", view.documents[0].span.start, view.documents[0].span.start + 40).strip("# \n")
    assert "if case and line breaks are ignored" in tools.call("find", text=title.upper().replace(" ", "\n"))
    assert "does not occur" in tools.call("find", text="zzzqqq\ud800")
    assert "Nothing matches" in tools.call("search", query="zzzqqq")
    assert all(step.error is None and step.kind == "retrieval" for step in tools.desk.steps)


WRONG: list[tuple[str, Mapping[str, Any], str]] = [
    ("shell", {"command": "cat /etc/passwd"}, "there is no tool 'shell'. The tools are list_documents, search"),
    ("x" * 10_000, {}, "there is no tool 'xxxx"),
    ("search", {}, "They are: query, document"),
    ("search", {"query": ["a"]}, "the arguments are invalid"),
    ("search", {"query": "a", "path": "/etc/passwd"}, "the arguments are invalid"),
    ("search", {"query": "a" * 5_000}, "the arguments are invalid"),
    ("search", {"query": "a" * 1_000_000}, "more than 200,000 characters"),
    ("search", {"query": "a", "document": "Article 99"}, "there is no document 'Article 99'. The documents are"),
    ("search", {"query": "a", "document": "../corpus"}, "there is no document '../corpus'"),
    ("read", {"document": "Article 1", "start": -5}, "the arguments are invalid"),
    ("read", {"document": "Article 1", "start": 10**9}, "must be less than that"),
    ("read", {"document": "Article 1", "start": "many"}, "the arguments are invalid"),
    ("find", {"text": ""}, "the arguments are invalid"),
    ("list_documents", {"first": 0}, "the arguments are invalid"),
    ("list_documents", {"first": 10**30}, "give a number from 1"),
    ("add_rows", {"table": "t", "rows": "[{"}, "not valid JSON"),
    ("add_rows", {"table": "t; DROP", "rows": [{"a": 1}]}, "cannot be the name of a table"),
    ("query", {"sql": "SELECT * FROM sqlite_master"}, "was not run"),
    ("query", {"sql": "ATTACH 'x' AS y"}, "was not run"),
    ("calculate", {"expression": "__import__('os').system('id')"}, "only numbers"),
    ("calculate", {"expression": "9**9**9"}, "the power is too large"),
]


def test_wrong_calls_get_an_error_message_and_are_recorded(tools: Bench) -> None:
    for tool, arguments, message in WRONG:
        shown = tools.toolbox.run(ToolCall("1", tool, arguments), 2_000)
        [text] = shown.parts
        assert isinstance(text, str)
        assert text.startswith("Error: ")
        assert message in text
        assert tools.desk.view.count(text) <= ERROR_TOKENS
        step = tools.desk.steps[-1]
        assert (step.kind, step.passages) == ("tool", ())
        assert step.error
        step.to_line()
    unread = ToolCall("1", "search", {}, error="Error parsing the following tool call arguments:\n\n{bad")
    assert "could not be read (Error parsing" in str(tools.toolbox.run(unread, 2_000).parts[0])
    assert len(tools.desk.steps) == len(WRONG) + 1


def test_rows_are_added_and_queried(tools: Bench) -> None:
    rows = [{"name": "A", "value": 1.5}, {"name": "B", "value": 2, "Year": 2020}]
    assert "The table firms (name, value, Year) has 2 rows." in tools.call("add_rows", table="firms", rows=rows)
    tools.call("add_rows", table="FIRMS", rows=json.dumps([{"NAME": "C", "value": None, "order": "x"}]))
    shown = tools.call("query", sql='SELECT COUNT(*), SUM(value), MAX("order") FROM firms WHERE name <> "B"')
    assert shown.splitlines()[-1] == "2 | 1.5 | x"
    assert "writes are not allowed" in tools.call("query", sql="DELETE FROM firms")
    assert tools.call("query", sql="SELECT COUNT(*) FROM firms").endswith("3")
    tools.call("add_rows", table="many", rows=[{"n": number} for number in range(5_000)])
    cut = tools.call("query", sql="SELECT n FROM many", room=200)
    assert cut.endswith("more rows)")
    assert len(cut.splitlines()) < 200


def test_tables_have_limits() -> None:
    tables = OwnTables()
    with pytest.raises(TableError, match="20,000 rows together"):
        tables.add("t", [{"a": 1}] * (MAX_ROWS + 1))
    with pytest.raises(TableError, match="at most 50 columns"):
        tables.add("t", [{f"c{number}": 1 for number in range(51)}])
    with pytest.raises(TableError, match="2,000,000 characters together"):
        for _ in range(3):
            tables.add("t", [{"a": "x" * 1_900}] * 500)
    for number in range(19):
        tables.add(f"t{number}", [{"a": 1}])
    with pytest.raises(TableError, match="20 tables"):
        tables.add("one_more", [{"a": 1}])
    for rows in ("1", "[]", "[1]", "[{}]", '[{"a": [1]}]', '[{"a": NaN}]', f'[{{"a": {2**64}}}]', "[" * 100_000, 7):
        with pytest.raises(TableError):
            parse_rows(rows)
    assert parse_rows('{"a": "\\ud800", "b": true}') == [{"a": "?", "b": 1}]
    tables.close()


# The calculator.


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("0.1 + 0.2", "0.3"),
        ("(1200.5 - 3) / 7 * 100", "17107.1428571429"),
        ("2^10", "1024"),
        ("10**400 / 10**399", "10"),
        ("round(2.665, 2) + round(-0.5)", "1.67"),
        ("mean(1, 2, 4) * 3 - median(3, 1, 2, 10)", "4.5"),
        ("max(3, 5) // 2 % 2", "0"),
        ("sqrt(2) ** 2", "2"),
        ("-" * 300 + "1", "1"),
    ],
)
def test_it_computes_exactly(expression: str, value: str) -> None:
    assert calculate(expression) == value


@pytest.mark.parametrize(
    "expression",
    [
        *(
            "9**9**9",
            "2**-9999",
            "1e308**9",
            "2**2000",
            "1e999",
            "exp(1e9)",
            "1/0",
            "sqrt(-1)",
            "log(0)",
            "(-8)**(1/3)",
        ),
        *(
            "a",
            "a.b",
            "'x' * 9",
            "[1] * 9**9",
            "lambda: 1",
            "True + 1",
            "1, 2",
            "1 if 1 else 2",
            "max()",
            "1if 2else 3",
        ),
        *("", "(" * 400, "1" * 501, "f(1)", "abs(1, 2)", "round(1, x=2)", "1j", "\x00", "2 ** (2 ** 0.5) ** 9999.5"),
    ],
)
def test_what_it_does_not_compute_is_refused(expression: str) -> None:
    with pytest.raises(CalculatorError):
        calculate(expression)


# The text protocol.

SEARCH = [("search", {"query": "a"})]


@pytest.mark.parametrize(
    ("reply", "calls"),
    [
        ('I look. <call>{"tool": "search", "arguments": {"query": "a"}}</call>', SEARCH),
        ('<call>{"tool": "search", "arguments": {"query": "a"}}', SEARCH),
        ('<call>{"tool": "search", "query": "a"}</call> Result: 5. Answer: 5', SEARCH),
        ('<tool_call>\n{"name": "search", "arguments": "{\\"query\\": \\"a\\"}"}\n</tool_call>', SEARCH),
        ('```json\n{"tool": "search", "args": {"query": "a",}}\n```', SEARCH),
        ('{"name": "search", "parameters": {"query": "a"}}', SEARCH),
        ('<call>```json\n{"function": {"name": "search", "arguments": {"query": "a"}}}\n```</call>', SEARCH),
        ('<call>[{"tool": "search", "arguments": {"query": "a"}}]</call>' * 2, SEARCH * 2),
        ('<think><call>{"tool": "read"}</call></think><call>{"tool": "search", "query": "a"}</call>', SEARCH),
        ("<call>{'tool'}</call>", [("", "error")]),
        ('<call>search("a")</call>', [("", "error")]),
        ("<call>" + "[" * 100_000, [("", "error")]),
        ('<call>{"tool": "search", "arguments": [1]}</call>', [("search", "error")]),
        ('<call>{"tool": "shell", "arguments": {"command": "id"}}</call>', [("shell", {"command": "id"})]),
        # Answers.
        ("Answer: 4", []),
        ('The answer is: ["Acme", "Birch"]', []),
        ('```json\n{"name": "Acme", "value": 3}\n```', []),
        ('{"name": "Acme"}', []),
        ("", []),
    ],
)
def test_calls_in_text(reply: str, calls: list[tuple[str, Any]]) -> None:
    found = parse_calls(reply, TOOLS)
    assert [(call.name, "error" if call.error else call.arguments) for call in found] == calls
    assert len({call.id for call in found}) == len(found)


def test_hostile_text_is_parsed_in_linear_time() -> None:
    for text in (
        "<think>" * 100_000,
        "<call>" * 100_000,
        "```" * 200_000,
        " " * 1_000_000,
        "{" * 500_000,
        ",\n" * 400_000,
    ):
        parse_calls(text, TOOLS)


def test_every_tool_is_described_and_callable() -> None:
    tools = definitions("Candidate 9")
    text = described(tools)
    for tool in tools:
        assert f"- {tool.name}: " in text
        assert all(set(schema) == {"type", "description"} for schema in tool.parameters.values())  # type: ignore[arg-type]
    assert "Candidate 9" in text
    call = ToolCall("1", "read", {"document": "Candidate 9", "start": 0, "length": 5})
    assert parse_calls(written(call), TOOLS) == (call,)


def test_wrong_settings_are_refused() -> None:
    for settings, message in (
        ({"overlap": 512}, "does not fit chunks"),
        ({"result": 700}, "too few for 8 calls"),
        ({"history": 5_000}, "does not fit two results"),
        ({"price": 0}, "price"),
        ({"steps": 0}, "steps"),
        ({"protocol": "magic"}, "protocol"),
    ):
        with pytest.raises(FathomError, match=message):
            load_system("agent", settings=settings)
