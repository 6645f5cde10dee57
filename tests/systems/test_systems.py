"""Systems at a desk of paper: real contexts and tables, a scripted model."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import anyio
import pytest

from fathom.contexts.sampling import Gathering, Settings
from fathom.corpus.store import Corpus
from fathom.models.prompts import Completion, Prompt, reference_in
from fathom.records.contexts import Context
from fathom.records.errors import FathomError
from fathom.records.questions import Question, Response, Usage
from fathom.runs.exam import Seen
from fathom.systems.catalog import SYSTEMS, system
from fathom.systems.desk import System
from fathom.systems.direct import ClosedBook, Full, Passages, Tables
from fathom.systems.extract_sql import ExtractSql, chunks
from fathom.systems.sql import Sql
from fathom.tasks.numeric.tables import build_tables, read_source
from fathom.tasks.numeric.views import Views

QUESTION = Question(id="q-1", family="numeric", context_id="c", text="How many articles are there?")


@dataclass
class PaperDesk:
    """A desk whose model says what a function says."""

    seen: Seen
    says: Callable[[Prompt], Completion | str]
    asked: list[Prompt] = field(default_factory=list)
    notes: dict[str, str] = field(default_factory=dict)

    @property
    def context(self) -> Context:
        return self.seen.context

    @property
    def family(self) -> str:
        return "numeric"

    def words(self, name: str) -> str:
        return self.seen.words(name)

    def text(self, form: str) -> str:
        return self.seen.text(form)

    def tokens(self, form: str) -> int:
        return self.seen.tokens(form)

    def count(self, text: str) -> int:
        return self.seen.count(text)

    def database(self) -> sqlite3.Connection:
        return self.seen.views.database(self.context)

    def extracted(self, said: Sequence[str]) -> sqlite3.Connection:
        return self.seen.views.extracted(said)

    async def ask(self, prompt: Prompt) -> Completion:
        self.asked.append(prompt)
        said = self.says(prompt)
        usage = Usage(input_tokens=10, cached_tokens=4, output_tokens=2, price=0.5)
        return said if isinstance(said, Completion) else Completion(said, usage=usage)

    async def once(self, name: str, work: Callable[[], Awaitable[str]]) -> str:
        if name not in self.notes:
            self.notes[name] = await work()
        return self.notes[name]

    def shown(self, prompt: Prompt) -> str:
        assert prompt.shown is not None
        assert reference_in(str(prompt.shown)) == prompt.shown
        return self.text(prompt.shown.form)[prompt.shown.start : prompt.shown.end]


class ViewsHandedPassages(Views):
    """The family's views, and for every question the same passages."""

    def text(self, context: Context, form: str) -> bytes:
        return b"only what is needed" if form == f"passages@{QUESTION.id}" else super().text(context, form)


@pytest.fixture
def seen(small: Corpus) -> Iterator[Seen]:
    [context] = Gathering(small, Settings(lengths=(65_536,), count=1, sampling=("bfs",))).contexts()
    yield Seen(context, "numeric", ViewsHandedPassages(small))


def answer(system: System, desk: PaperDesk, question: Question = QUESTION) -> Response:
    async def run() -> Response:
        return await system.answer(question, desk)

    return anyio.run(run)


def test_every_system_has_its_words_and_its_settings(seen: Seen) -> None:
    assert set(SYSTEMS) == {"full", "passages", "tables", "sql", "extract-sql", "closed-book"}
    for name in SYSTEMS:
        for prompting in ("direct", "cot"):
            desk = PaperDesk(seen, lambda prompt: "Answer: 3")
            made = system(name, prompting)
            answer(made, desk)
            planned = made.expects(QUESTION, desk)
            assert len(planned) == len(desk.asked)
            assert [one.prefix for one in planned] == [prompt.prefix for prompt in desk.asked]


@pytest.mark.parametrize(
    ("system", "form"), [(Full(), "articles"), (Passages(), f"passages@{QUESTION.id}"), (Tables(), "tables")]
)
def test_what_is_shown_goes_by_reference(seen: Seen, system: System, form: str) -> None:
    desk = PaperDesk(seen, lambda prompt: "Answer: 3")
    response = answer(system, desk)
    [prompt] = desk.asked
    assert desk.shown(prompt) == seen.text(form)
    assert prompt.question == QUESTION.text
    assert (response.text, response.outcome) == ("Answer: 3", "answered")
    assert (response.usage.input_tokens, response.usage.cached_tokens, response.usage.price) == (10, 4, 0.5)


def test_a_family_shows_no_passages_of_its_own(seen: Seen, small: Corpus) -> None:
    """They come from the keys, and whoever holds those hands them in."""
    with pytest.raises(FathomError, match="shows no 'passages@q-1'"):
        Views(small).text(seen.context, "passages@q-1")


def test_the_closed_book_stays_closed(seen: Seen) -> None:
    desk = PaperDesk(seen, lambda prompt: "Answer: 3")
    answer(ClosedBook(), desk)
    assert desk.asked[0].shown is None


def test_the_tables_as_text_are_the_tables(seen: Seen, small: Corpus) -> None:
    tables = build_tables([read_source(small.document(id)) for id in seen.context.documents])
    text = seen.text("tables")
    assert text.count("\n") == len(tables.articles) + len(tables.authors) + len(tables.citations) + 3 * 3
    for document in tables.articles:
        assert document.title in text


@pytest.mark.parametrize(
    ("stop", "outcome"), [("length", "truncated"), ("refused", "refused"), ("overflow", "overflow")]
)
def test_how_a_completion_ends_is_kept(seen: Seen, stop: str, outcome: str) -> None:
    desk = PaperDesk(seen, lambda prompt: Completion("x", stop))  # type: ignore[arg-type]
    for one in (Full(), Sql()):
        assert answer(one, desk).outcome == outcome


def test_a_query_is_run_and_its_rows_are_the_answer(seen: Seen) -> None:
    desk = PaperDesk(seen, lambda prompt: "```sql\nSELECT COUNT(*) FROM articles\n```")
    assert answer(Sql(), desk).text.endswith(f"Answer: {len(seen.context.documents)}")
    desk = PaperDesk(seen, lambda prompt: "```sql\nSELECT author_count, COUNT(*) FROM articles GROUP BY 1\n```")
    assert re.search(r"Answer:\n\d+; \d+\n", answer(Sql(), desk).text)
    desk = PaperDesk(seen, lambda prompt: "```sql\nSELECT article_title FROM articles WHERE 1 = 0\n```")
    assert answer(Sql(), desk).text.endswith("Answer: NULL")
    desk = PaperDesk(seen, lambda prompt: "```sql\nSELECT 2.0 / 3 FROM articles LIMIT 1\n```")
    assert answer(Sql(), desk).text.endswith("Answer: 0.666667")


def test_a_query_that_cannot_be_run_may_be_mended_once(seen: Seen) -> None:
    said = iter(["```sql\nSELECT volume FROM articles\n```", "```sql\nSELECT COUNT(*) FROM articles\n```"])
    desk = PaperDesk(seen, lambda prompt: next(said))
    response = answer(Sql(), desk)
    assert "no such column" in desk.asked[1].question
    assert response.text.endswith(f"Answer: {len(seen.context.documents)}")
    assert response.usage.input_tokens == 20
    desk = PaperDesk(seen, lambda prompt: "```sql\nDROP TABLE articles\n```")
    assert answer(Sql(), desk).text == "No query could be run (writes are not allowed)."
    assert len(desk.asked) == 2


def test_the_chunks_are_the_text_to_its_very_end(seen: Seen) -> None:
    text = seen.text("articles")
    for size in (500, 4_000, 10_000_000):
        cut = list(chunks(seen, size))
        assert "".join(text[chunk.start : chunk.end] for chunk in cut) == text
        assert all(seen.count(text[chunk.start : chunk.end]) <= size for chunk in cut)
    for chunk in chunks(seen, 4_000):
        before = re.findall(r"^===== Article (\d+)$", text[: chunk.start + 20], re.MULTILINE)
        assert chunk.document == int(before[-1] if before else 1)


def test_a_perfect_reader_extracts_the_tables(seen: Seen, small: Corpus) -> None:
    """A model that reads everything gives, through its own rows, the very tables that the keys were made from."""
    documents = [small.document(id) for id in seen.context.documents]

    def read(prompt: Prompt) -> str:
        if prompt.shown is None:
            return "```sql\nSELECT article_id, title_word_count, author_count, reference_count FROM articles\n```"
        begun = [int(number) for number in re.findall(r"^===== Article (\d+)$", desk.shown(prompt), re.MULTILINE)]
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

    desk = PaperDesk(seen, read)
    response = answer(ExtractSql(), desk)
    tables = build_tables([read_source(document) for document in documents])
    for row in tables.articles:
        assert f"{row.number}; {row.title_word_count}; {row.author_count}; {row.reference_count}" in response.text
    chunked = len(desk.asked) - 1
    assert response.usage.input_tokens == 10 * len(desk.asked)
    # The next question over the context finds the rows, and pays for its query alone.
    again = answer(ExtractSql(), desk, QUESTION.model_copy(update={"id": "q-2"}))
    assert len(desk.asked) == chunked + 2
    assert again.usage.input_tokens == 10


def test_what_a_model_writes_besides_rows_is_passed_over(small: Corpus) -> None:
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
    database = Views(small).extracted(said)
    assert database.execute("SELECT article_id, author_count, reference_count FROM articles").fetchall() == [
        (1, 0, 0),
        (2, 1, 1),
    ]
    assert database.execute("SELECT article_id_citing, article_id_cited FROM citing_cited").fetchall() == [(2, 1)]


def test_a_reference_is_read_back_and_nothing_else_is() -> None:
    assert reference_in("⟦fathom numeric articles c-12 3:⟧") is not None
    for text in ("", "⟦fathom numeric articles c-12 3:⟧ ", "⟦fathom x⟧", "see ⟦fathom numeric articles c-12 3:⟧"):
        assert reference_in(text) is None


def test_rooms_that_answer_have_no_way_to_a_key() -> None:
    source = Path(__file__).parents[2] / "src" / "fathom"
    for room in ("systems", "runs", "models"):
        for file in (source / room).rglob("*.py"):
            assert "fathom.scoring" not in file.read_text(), file
            assert "keys.jsonl" not in file.read_text(), file
