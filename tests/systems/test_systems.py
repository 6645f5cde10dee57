"""Systems with real contexts and tables, and a scripted model."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import anyio
import pytest

from fathom.contexts.sampling import ContextSampler, SamplingSettings
from fathom.corpus.store import Corpus
from fathom.models.prompts import Completion, Prompt, TextReference, parse_reference
from fathom.records.errors import FathomError
from fathom.records.questions import Question, Response
from fathom.systems.catalog import SYSTEMS, load_system, reads_everything
from fathom.systems.direct import ClosedBook, Full, Passages, Tables
from fathom.systems.extract_sql import ExtractSql
from fathom.systems.protocol import ContextView, System, render_form
from fathom.systems.sql import Sql
from fathom.tasks.numeric.sources import read_source
from fathom.tasks.numeric.tables import build_tables
from fathom.tasks.numeric.views import views
from tests.systems.scripted import Scripted

QUESTION = Question(id="q-1", family="numeric", context_id="c", text="How many articles are there?")


def shown(session: Scripted, prompt: Prompt) -> str:
    reference = reference_in(prompt)
    assert reference is not None
    assert parse_reference(str(reference)) == reference
    return session.view.text(reference.form)[reference.start : reference.end]


def reference_in(prompt: Prompt) -> TextReference | None:
    return next((part for part in prompt.shared_parts if isinstance(part, TextReference)), None)


@pytest.fixture
def seen(small: Corpus) -> Iterator[ContextView]:
    [context] = ContextSampler(small, SamplingSettings(lengths=(65_536,), count=1, sampling=("bfs",))).contexts()
    passages = {"passages": lambda context, question: b"only what is needed"}
    yield ContextView(context, replace(views(small), question_forms=passages))


def answer(system: System, session: Scripted, question: Question = QUESTION) -> Response:
    async def run() -> Response:
        return await system.answer(question, session)

    return anyio.run(run)


def test_every_system_asks_as_it_estimates(seen: ContextView) -> None:
    """All but those that search or read part by part: of these the estimate is a bound."""
    exact = {"full", "passages", "tables", "sql", "extract-sql", "closed-book"}
    assert {name for name in SYSTEMS if reads_everything(load_system(name).system)} == {
        *(exact - {"closed-book"}),
        "full-control",
    }
    for name in exact:
        for prompting in ("direct", "cot"):
            session = Scripted(seen, lambda prompt: "Answer: 3")
            made = load_system(name, prompting).system
            answer(made, session)
            estimate = made.estimate(QUESTION, seen)
            once = estimate.per_context.calls if estimate.per_context else 0
            assert once + estimate.calls == len(session.asked)
            assert estimate.prefix == session.asked[-1].prefix
            tokens = sum(seen.estimate(prompt).input_tokens for prompt in session.asked)
            assert estimate.input_tokens + (estimate.per_context.input_tokens if estimate.per_context else 0) == tokens


@pytest.mark.parametrize(
    ("system", "form"), [(Full(), "documents"), (Passages(), f"passages@{QUESTION.id}"), (Tables(), "tables")]
)
def test_contexts_are_sent_by_reference(seen: ContextView, system: System, form: str) -> None:
    session = Scripted(seen, lambda prompt: "Answer: 3")
    response = answer(system, session)
    [prompt] = session.asked
    assert shown(session, prompt) == seen.text(form)
    assert prompt.last_part == QUESTION.text
    assert (response.text, response.outcome) == ("Answer: 3", "answered")


@pytest.mark.parametrize("order", ["built", "reversed"])
@pytest.mark.parametrize("place", ["after", "before", "both"])
def test_the_question_and_the_documents_in_other_orders(seen: ContextView, order: str, place: str) -> None:
    system = load_system("full", settings={"order": order, "question": place}).system
    session = Scripted(seen, lambda prompt: "Answer: 3")
    answer(system, session)
    [prompt] = session.asked
    parts = [*prompt.shared_parts, *prompt.own_parts]
    pieces = [seen.text(part.form, part.start, part.end) for part in parts if isinstance(part, TextReference)]
    text = "".join(pieces)
    numbers = [int(number) for number in re.findall(r"^===== Article (\d+)$", text, re.MULTILINE)]
    assert numbers == list(range(1, len(seen.documents) + 1))[:: 1 if order == "built" else -1]
    assert sorted(text.splitlines()) == sorted(seen.text().splitlines())
    assert text.endswith("===== End of articles\n")
    first = next(number for number, part in enumerate(parts) if isinstance(part, TextReference))
    asked = [number < first for number, part in enumerate(parts) if QUESTION.text in str(part)]
    assert asked == {"after": [False], "before": [True], "both": [True, False]}[place]
    tokens = sum(map(seen.count, [*pieces, *(part for part in parts if isinstance(part, str))]))
    assert system.estimate(QUESTION, seen).input_tokens == tokens
    # The documents are in the part that a cache can serve only where the question does not precede them.
    assert any(isinstance(part, TextReference) for part in prompt.shared_parts) == (place == "after")


def test_passages_are_not_a_form_of_the_family(seen: ContextView, small: Corpus) -> None:
    """They come from the keys, and are added where those are read."""
    with pytest.raises(FathomError, match="has no text form 'passages'"):
        render_form(views(small), seen.context, "passages@q-1")


def test_the_closed_book_shows_no_context(seen: ContextView) -> None:
    session = Scripted(seen, lambda prompt: "Answer: 3")
    answer(ClosedBook(), session)
    assert reference_in(session.asked[0]) is None


def test_the_tables_as_text_are_the_tables(seen: ContextView, small: Corpus) -> None:
    tables = build_tables([read_source(small.document(id)) for id in seen.context.documents])
    text = seen.text("tables")
    assert text.count("\n") == len(tables.articles) + len(tables.authors) + len(tables.citations) + 3 * 3
    for document in tables.articles:
        assert document.title in text


@pytest.mark.parametrize(
    ("stop", "outcome"), [("length", "truncated"), ("refused", "refused"), ("overflow", "overflow")]
)
def test_the_stop_reason_of_a_completion_is_the_outcome(seen: ContextView, stop: str, outcome: str) -> None:
    session = Scripted(seen, lambda prompt: Completion("x", stop))  # type: ignore[arg-type]
    for one in (Full(), Sql()):
        assert answer(one, session).outcome == outcome


def test_a_query_is_run_and_its_rows_are_the_answer(seen: ContextView) -> None:
    session = Scripted(seen, lambda prompt: "```sql\nSELECT COUNT(*) FROM articles\n```")
    assert answer(Sql(), session).text.endswith(f"Answer: {len(seen.context.documents)}")
    session = Scripted(seen, lambda prompt: "```sql\nSELECT author_count, COUNT(*) FROM articles GROUP BY 1\n```")
    assert re.search(r"Answer:\n\d+; \d+\n", answer(Sql(), session).text)
    session = Scripted(seen, lambda prompt: "```sql\nSELECT article_title FROM articles WHERE 1 = 0\n```")
    assert answer(Sql(), session).text.endswith("Answer: NULL")
    session = Scripted(seen, lambda prompt: "```sql\nSELECT 2.0 / 3 FROM articles LIMIT 1\n```")
    assert answer(Sql(), session).text.endswith("Answer: 0.666667")


def test_a_query_that_fails_may_be_repaired_once(seen: ContextView) -> None:
    said = iter(["```sql\nSELECT volume FROM articles\n```", "```sql\nSELECT COUNT(*) FROM articles\n```"])
    session = Scripted(seen, lambda prompt: next(said))
    response = answer(Sql(), session)
    assert "no such column" in session.asked[1].last_part
    assert response.text.endswith(f"Answer: {len(seen.context.documents)}")
    assert len(session.asked) == 2
    assert [(step.name, bool(step.error)) for step in session.steps] == [("sql", True), ("sql", False)]
    session = Scripted(seen, lambda prompt: "```sql\nDROP TABLE articles\n```")
    assert answer(Sql(), session).text == "No query could be run (writes are not allowed)."
    assert len(session.asked) == 2


def test_a_perfect_reader_extracts_the_tables(seen: ContextView, small: Corpus) -> None:
    """A model that reads everything extracts the tables that the keys were made from."""
    documents = [small.document(id) for id in seen.context.documents]

    def read(prompt: Prompt) -> str:
        if reference_in(prompt) is None:
            return "```sql\nSELECT article_id, title_word_count, author_count, reference_count FROM articles\n```"
        begun = [int(number) for number in re.findall(r"^===== Article (\d+)$", shown(session, prompt), re.MULTILINE)]
        rows = [
            {
                "article": number,
                "title": documents[number - 1].title_text,
                "authors": [author.span.of(documents[number - 1].text) for author in documents[number - 1].authors],
                "references": [f"title {n}" for n, _ in enumerate(documents[number - 1].references)],
            }
            for number in begun
        ]
        return "Here they are:\n" + "\n".join(json.dumps(row) for row in rows) + "\nThat is all {."

    session = Scripted(seen, read)
    response = answer(ExtractSql(), session)
    tables = build_tables([read_source(document) for document in documents])
    for row in tables.articles:
        assert f"{row.number}; {row.title_word_count}; {row.author_count}; {row.reference_count}" in response.text
    chunked = len(session.asked) - 1
    # The next question over the context finds the rows, and asks for its query alone.
    answer(ExtractSql(), session, QUESTION.model_copy(update={"id": "q-2"}))
    assert len(session.asked) == chunked + 2


def test_text_besides_rows_is_ignored(small: Corpus) -> None:
    said = [
        "nonsense",
        '{"article": "3"}',
        '{"article": -1, "title": "x"}',
        '{"article": true}',
        '[{"article": 1}]',
        '{"article": 2, "title": "On Fields", "authors": ["A", 3, ""], "references": ["Of Rings"]},',
        '{"article": 1, "title": "Of rings!", "authors": "nobody", "references": null}',
        "[" * 5_000,
    ]
    tables = views(small).tables
    assert tables is not None
    [context] = ContextSampler(small, SamplingSettings(lengths=(65_536,), count=1, sampling=("bfs",))).contexts()
    database = tables.parse(context, said)
    assert database.execute("SELECT article_id, author_count, reference_count FROM articles").fetchall() == [
        (1, 0, 0),
        (2, 1, 1),
    ]
    assert database.execute("SELECT article_id_citing, article_id_cited FROM citing_cited").fetchall() == [(2, 1)]


def test_only_a_whole_reference_is_parsed() -> None:
    assert parse_reference("⟦fathom numeric documents c-12 3:⟧") is not None
    for text in ("", "⟦fathom numeric documents c-12 3:⟧ ", "⟦fathom x⟧", "see ⟦fathom numeric documents c-12 3:⟧"):
        assert parse_reference(text) is None


def test_packages_that_answer_cannot_read_a_key() -> None:
    source = Path(__file__).parents[2] / "src" / "fathom"
    for package in ("systems", "runs", "models"):
        for file in (source / package).rglob("*.py"):
            assert "fathom.scoring" not in file.read_text(), file
            assert "keys.jsonl" not in file.read_text(), file
