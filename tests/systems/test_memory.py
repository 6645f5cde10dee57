"""Systems that read the documents in parts: a memory of fixed size, and notes on each document."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import anyio
import pytest

import fathom
from fathom.contexts.sampling import ContextSampler, SamplingSettings
from fathom.corpus.store import Corpus
from fathom.models.prompts import Completion, Prompt, TextReference
from fathom.records.questions import Question, Response
from fathom.systems.chunking import batches
from fathom.systems.fact_table import columns_in
from fathom.systems.map_reduce import MapReduce
from fathom.systems.memory import Memory
from fathom.systems.protocol import ContextView, System
from fathom.systems.steps import cut_to
from fathom.tasks.numeric.views import views
from tests.systems.scripted import Scripted
from tests.systems.test_systems import QUESTION

WORDY = "word " * 5_000
"""A completion that exceeds every limit."""


@pytest.fixture
def seen(small: Corpus) -> Iterator[ContextView]:
    [context] = ContextSampler(small, SamplingSettings(lengths=(65_536,), count=1, sampling=("bfs",))).contexts()
    yield ContextView(context, views(small))


def ask(
    system: System, view: ContextView, says: Callable[[Prompt], Completion | str], question: Question = QUESTION
) -> tuple[Response, Scripted]:
    session = Scripted(view, says)
    return anyio.run(partial(system.answer, question, session)), session


def parts_of(prompt: Prompt) -> list[str | TextReference]:
    return [part for message in prompt.messages for part in message.parts]


def text_of(prompt: Prompt) -> str:
    return "\n".join(map(str, parts_of(prompt)))


def shown(session: Scripted) -> str:
    """All text of the documents that the prompts show, in order."""
    references = [part for prompt in session.asked for part in parts_of(prompt) if isinstance(part, TextReference)]
    return "".join(session.view.text(one.form, one.start, one.end) for one in references)


def is_bounded(system: System, view: ContextView, session: Scripted) -> bool:
    """Whether the estimate bounds the calls and tokens of a session."""
    estimate = system.estimate(QUESTION, view)
    once = estimate.per_context
    calls = estimate.calls + estimate.spare_calls + (once.calls if once else 0)
    tokens = estimate.input_tokens + estimate.spare_tokens + (once.input_tokens if once else 0)
    sizes = [view.estimate(prompt).input_tokens for prompt in session.asked]
    return len(sizes) <= calls and sum(sizes) <= tokens and max(sizes) <= estimate.largest_call


SYSTEMS = [
    Memory(),
    Memory("cot", chunk=900, memory=60),
    Memory(steered=False),
    MapReduce(),
    MapReduce("cot", chunk=2_000, notes=100),
    MapReduce(documents=3, chunk=40_000),
    MapReduce(chunk=400, notes=60),
    MapReduce(combine="sql", chunk=30_000),
    MapReduce("cot", combine="sql", chunk=2_000, notes=100),
]


@pytest.mark.parametrize("system", SYSTEMS, ids=str)
def test_everything_is_read_once_and_the_answer_sees_no_document(seen: ContextView, system: System) -> None:
    response, session = ask(system, seen, lambda prompt: "note")
    assert (response.outcome, response.text) == ("answered", "note")
    text = shown(session)
    for document in seen.documents:
        assert text.count(document.span.of(seen.text())[:200]) == 1
    assert len(text) >= sum(document.span.end - document.span.start for document in seen.documents)
    last = session.asked[-1]
    assert not any(isinstance(part, TextReference) for part in parts_of(last))
    assert last.last_part.endswith(QUESTION.text)
    assert is_bounded(system, seen, session)


@pytest.mark.parametrize("system", SYSTEMS, ids=str)
def test_no_model_can_exceed_the_estimate(seen: ContextView, system: System) -> None:
    _, wordy = ask(system, seen, lambda prompt: WORDY)
    assert is_bounded(system, seen, wordy)
    _, silent = ask(system, seen, lambda prompt: "")
    assert is_bounded(system, seen, silent)
    assert len(silent.asked) <= len(wordy.asked)


@pytest.mark.parametrize("system", SYSTEMS, ids=str)
def test_a_step_that_overflows_ends_the_question_and_one_that_is_refused_does_not(
    seen: ContextView, system: System
) -> None:
    def stops(stop: str, at: int) -> Callable[[Prompt], Completion | str]:
        count = iter(range(1_000))
        return lambda prompt: Completion("no", stop) if next(count) == at else "[fact]"  # type: ignore[arg-type]

    response, session = ask(system, seen, stops("overflow", 1))
    assert (response.outcome, response.text, len(session.asked)) == ("overflow", "", 2)
    response, session = ask(system, seen, stops("refused", 1))
    assert response.outcome == "answered"
    assert "[fact]" in text_of(session.asked[-1])
    assert "no" not in re.findall(r"^no$", text_of(session.asked[-1]), re.MULTILINE)
    calls = len(session.asked)
    response, _ = ask(system, seen, stops("refused", calls - 1))
    assert response.outcome == "refused"


def test_the_memory_is_passed_on_and_cut_to_its_size(seen: ContextView) -> None:
    system = Memory(chunk=2_000, memory=50)
    count = iter(range(1, 1_000))
    _, session = ask(system, seen, lambda prompt: f"Part {next(count)}. " + "x7 " * 200)
    for number, prompt in enumerate(session.asked[1:], start=1):
        [memory] = [part for part in parts_of(prompt) if str(part).startswith("Part ")]
        assert str(memory).startswith(f"Part {number}. ")
        assert 40 < seen.count(str(memory)) <= 50
    assert QUESTION.text in text_of(session.asked[0])
    assert {step.name for step in session.steps} == {"cut"}


def test_a_reading_without_the_question_is_shared(seen: ContextView) -> None:
    system = Memory(steered=False)
    _, session = ask(system, seen, lambda prompt: "a fact")
    reading = len(session.asked) - 1
    assert not any(QUESTION.text in text_of(prompt) for prompt in session.asked[:-1])
    other = QUESTION.model_copy(update={"id": "q-2", "text": "Another question?"})
    anyio.run(partial(system.answer, other, session))
    assert len(session.asked) == reading + 2
    assert "a fact" in text_of(session.asked[-1])
    once = system.estimate(QUESTION, seen).per_context
    assert once is not None
    assert once.calls == reading


def test_documents_without_notes_are_not_listed(seen: ContextView) -> None:
    def says(prompt: Prompt) -> str:
        return "It has 4 authors." if any(part == "===== Article 3\n" for part in parts_of(prompt)) else " none. "

    _, session = ask(MapReduce(chunk=30_000), seen, says)
    assert len(session.asked) == len(seen.documents) + 1
    assert re.findall(r"^===== (.*)", text_of(session.asked[-1]), re.MULTILINE) == ["Article 3"]


def test_too_many_notes_are_shortened_until_they_fit(seen: ContextView) -> None:
    _, session = ask(MapReduce(chunk=1_000, notes=200), seen, lambda prompt: WORDY)
    shortened = [prompt for prompt in session.asked if "There are too many of them" in text_of(prompt)]
    assert shortened
    assert seen.count(text_of(session.asked[-1])) < 1_500
    labels = re.findall(r"^===== (.*)", text_of(session.asked[-1]), re.MULTILINE)
    parts = batches(seen, 1_000)[-1].parts
    assert labels[0].startswith("Article 1")
    assert labels[-1].endswith(f"Article {len(seen.documents)}, part {parts} of {parts}")


def table_writer(prompt: Prompt, statements: Iterator[str]) -> str:
    """A model that counts the documents by means of a table."""
    text = text_of(prompt)
    if "You choose the columns" in text:
        return 'These: ["Title of the article", "pages", "document"]'
    if "Write each row" in text:
        assert "with the keys title_of_the_article, pages:" in text
        number = re.search(r"^===== (Article \d+)$", text, re.MULTILINE)
        assert number is not None
        return f'Rows:\n{{"title_of_the_article": "{number[1]}", "pages": 3, "other": 1}}\n{{"pages": null}}'
    return next(statements)


def test_a_query_combines_the_rows_of_all_documents(seen: ContextView) -> None:
    said = iter(["```sql\nSELECT SUM(page) FROM facts\n```", "```sql\nSELECT SUM(pages) FROM facts\n```", "Answer: 18"])
    system = MapReduce(combine="sql", chunk=30_000)
    response, session = ask(system, seen, lambda prompt: table_writer(prompt, said))
    assert response.text == "Answer: 18"
    assert "no such column: page" in text_of(session.asked[-2])
    assert f"SUM(pages)\n{3 * len(seen.documents)}\n" in text_of(session.asked[-1])
    assert [step.error is None for step in session.steps] == [False, True]
    assert is_bounded(system, seen, session)


def test_without_a_query_the_model_combines_the_rows(seen: ContextView) -> None:
    for statement in ("I cannot write one.", "```sql\nDROP TABLE facts\n```"):
        said = iter([statement, statement, "Answer: 18"])
        system = MapReduce(combine="sql", chunk=30_000)
        _, session = ask(system, seen, partial(table_writer, statements=said))
        listed = re.findall(r"^===== (.*)", text_of(session.asked[-1]), re.MULTILINE)
        assert len(listed) == len(seen.documents)
        assert is_bounded(system, seen, session)


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ('["Company", "Year", "Revenue (USD million)"]', ("company", "year", "revenue_usd_million")),
        ('First ["a"], then ["b", "b", 3, "document", ""]', ("b",)),
        ('["2023 sales", "sqlite_master", "净利润"]', ("c_2023_sales", "c_sqlite_master", "净利润")),
        ("no list", ()),
        ("[" * 100_000, ()),
        ("[not, json]", ()),
    ],
)
def test_columns_are_names(text: str, columns: tuple[str, ...]) -> None:
    assert columns_in(text) == columns


def test_small_documents_share_a_call_and_long_ones_have_several(seen: ContextView) -> None:
    sizes = [seen.count(document.span.of(seen.text())) for document in seen.documents]
    assert [len(one.chunks) for one in batches(seen, 10**6, 3)] == [3] * (len(sizes) // 3) + [len(sizes) % 3] * (
        len(sizes) % 3 > 0
    )
    limit = max(sizes) - 1
    cut = [one for one in batches(seen, limit, 3) if one.parts > 1]
    assert [one.part for one in cut] == [1, 2]
    assert {one.chunks[0].document for one in cut} == {sizes.index(max(sizes)) + 1}


def test_a_cut_has_at_most_the_tokens() -> None:
    text = "Several words, 12,345 numbers;\nand 净利润增长百分之三 without spaces " * 40
    for tokens in (1, 7, 50, 333):
        cut = cut_to(text, tokens)
        assert text.startswith(cut)
        assert len(cut) < len(cut_to(text, tokens + 12))
    assert cut_to("short", 5) == "short"
    assert cut_to("x" * 10_000, 3) != ""


# Simulated models.


def accuracy(bench: Path, out: Path, system: System) -> float:
    return fathom.run(bench, model="sim/reader", system=system, limit=12, out=out).score().accuracy


def test_simulated_readers_lose_what_does_not_fit(tiny_bench: Path, tmp_path: Path) -> None:
    assert accuracy(tiny_bench, tmp_path / "memory", Memory()) == 1.0
    assert accuracy(tiny_bench, tmp_path / "small", Memory(memory=64)) < 1.0
    assert accuracy(tiny_bench, tmp_path / "map", MapReduce()) == 1.0
    assert accuracy(tiny_bench, tmp_path / "notes", MapReduce(notes=20)) < 1.0
