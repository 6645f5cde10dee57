"""Items on a smaller context: each reason for leaving one out, on real articles."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from fathom.contexts.layout import context_id
from fathom.corpus.store import Corpus
from fathom.records.contexts import Context
from fathom.records.questions import Question
from fathom.scoring.answers import Answer, Number, Unanswerable
from fathom.scoring.keys import Key, Proof
from fathom.tasks.bench import Bench
from fathom.tasks.catalog import family
from fathom.tasks.family import Item, Refitter
from fathom.tasks.numeric.schema import SCHEMA
from fathom.tasks.numeric.sources import read_source
from fathom.tasks.numeric.tables import ContextTables, build_tables
from fathom.tasks.numeric.user_templates import parse
from fathom.tasks.programs.sql import literal

refitting: Any = import_module("fathom.tasks.numeric.refit")
"""The module; the family offers its class under the same name."""


@pytest.fixture
def corpus(asked_corpus: Path) -> Iterator[Corpus]:
    with Corpus(asked_corpus) as opened:
        yield opened


def without(context: Context, number: int, corpus: Corpus) -> Context:
    """The context without its article of that number; only what proofs need of it is right."""
    places = tuple(place for index, place in enumerate(context.places, start=1) if index != number)
    id = context_id(corpus.stored_text(place.document).fingerprint for place in places)
    return context.model_copy(update={"id": id, "places": places, "length": 204_800})


def tables_of(context: Context, corpus: Corpus, naming: str = "people") -> ContextTables:
    return build_tables([read_source(corpus.document(id)) for id in context.documents], naming)


def asked(context: Context, statement: str, answer: Answer) -> Item:
    """An item as a build would make it, except for its wording."""
    question = Question(id="q", family="numeric", context_id=context.id, text="?", tags={"template": "t"})
    return Item(question, Key(question_id="q", answer=answer, proof=Proof(program=statement)))


def search(bench: Bench, corpus: Corpus, find: Callable[[Context, ContextTables], Any]) -> Any:
    """The first match in a large context."""
    for context in bench.contexts():
        if context.length > 200_000:
            found = find(context, tables_of(context, corpus))
            if found is not None:
                return context, found
    raise AssertionError("no context has it")


def only(corpus: Corpus, context: Context, smaller: Context, item: Item) -> Item | str:
    """The item as it is kept, or the reason why it is not."""
    refitter: Refitter = refitting.Refitter(corpus)
    kept, refused = refitter.refit(context, smaller, [item])
    assert len(kept) + len(refused) == 1
    return kept[0] if kept else refused[0]


def test_items_of_the_same_context_are_byte_identical(bench: Bench, corpus: Corpus) -> None:
    """On the same articles every item is as it was built."""
    looked = 0
    for context, items in list(bench.by_context())[::4]:
        kept, refused = refitting.Refitter(corpus).refit(context, context, items)
        assert refused == []
        assert kept == items
        looked += len(items)
    assert looked > 30


def test_programs_are_parsed_back_from_keys(bench: Bench) -> None:
    for key in bench.all_keys():
        assert literal(parse(key.proof.program), SCHEMA) == key.proof.program


def test_an_item_whose_article_is_missing_is_left_out(bench: Bench, corpus: Corpus) -> None:
    def cited(context: Context, tables: ContextTables) -> int | None:
        return next((number for number, count in tables.cited.items() if count >= 3), None)

    context, number = search(bench, corpus, cited)
    title = tables_of(context, corpus).articles[number - 1].title.replace("'", "''")
    named = f"SELECT article_id FROM articles WHERE article_title = '{title}'"
    item = asked(
        context,
        "SELECT COUNT(*) FROM articles WHERE article_id IN "
        f"(SELECT article_id_citing FROM citing_cited WHERE article_id_cited IN ({named}))",
        Number(value=3),
    )
    assert only(corpus, context, without(context, number, corpus), item) == refitting.GONE


def test_an_item_whose_person_is_missing_is_left_out(bench: Bench, corpus: Corpus) -> None:
    def alone(context: Context, tables: ContextTables) -> tuple[int, str] | None:
        return next(((row.article, row.name) for row in tables.authors if tables.articles_of[row.name] == 1), None)

    context, (number, name) = search(bench, corpus, alone)
    quoted = name.replace("'", "''")
    wrote = f"SELECT article_id FROM article_author WHERE author_name = '{quoted}'"
    # Nobody has a thousand references: the question has no answer before and after, and names somebody nonetheless.
    item = asked(
        context,
        f"SELECT article_title FROM articles WHERE (article_id IN ({wrote}) AND reference_count > 1000)",
        Unanswerable(),
    )
    assert only(corpus, context, without(context, number, corpus), item) == refitting.GONE
    other = 1 if number != 1 else 2
    kept = only(corpus, context, without(context, other, corpus), item)
    assert isinstance(kept, Item)
    assert kept.key.answer == Unanswerable()


def test_a_person_who_was_absent_before_may_be_absent(bench: Bench, corpus: Corpus) -> None:
    context = next(bench.contexts())
    wrote = "SELECT article_id FROM article_author WHERE author_name = 'Nobody At All'"
    item = asked(context, f"SELECT article_title FROM articles WHERE article_id IN ({wrote})", Unanswerable())
    assert isinstance(only(corpus, context, without(context, 1, corpus), item), Item)


def test_an_unanswerable_item_that_gets_an_answer_is_left_out(bench: Bench, corpus: Corpus) -> None:
    """An article is uncited once the only article that cites it is dropped."""

    def once(context: Context, tables: ContextTables) -> tuple[int, str] | None:
        by_count = {row.number: row.reference_count for row in tables.articles}
        for row in tables.citations:
            same = [number for number, count in by_count.items() if count == by_count[row.cited]]
            if tables.cited[row.cited] == 1 and same == [row.cited]:
                return row.citing, str(by_count[row.cited])
        return None

    context, (citing, count) = search(bench, corpus, once)
    item = asked(
        context,
        "SELECT article_title FROM articles WHERE (article_id NOT IN (SELECT article_id_cited FROM citing_cited) "
        f"AND reference_count = {count})",
        Unanswerable(),
    )
    assert only(corpus, context, without(context, citing, corpus), item) == refitting.ANSWERED


def test_an_item_with_a_trivial_result_is_left_out(bench: Bench, corpus: Corpus) -> None:
    """A count of two that becomes a count of one, and a list that becomes empty."""

    def rare(context: Context, tables: ContextTables) -> tuple[int, int, int] | None:
        counts = [row.reference_count for row in tables.articles]
        for wanted in (2, 1):
            found = next((count for count in counts if counts.count(count) == wanted), None)
            if found is not None:
                return counts.index(found) + 1, found, wanted
        return None

    context, (number, count, wanted) = search(bench, corpus, rare)
    column = "COUNT(*)" if wanted == 2 else "article_title"
    item = asked(context, f"SELECT {column} FROM articles WHERE reference_count = {count}", Number(value=wanted))
    assert only(corpus, context, without(context, number, corpus), item) == refitting.UNSUITABLE


def test_an_answer_that_depends_on_ambiguous_names_is_left_out(bench: Bench, corpus: Corpus) -> None:
    def lookalikes(context: Context, tables: ContextTables) -> int | None:
        smaller = without(context, 1, corpus)
        people, spellings = (tables_of(smaller, corpus, naming) for naming in ("people", "spellings"))
        return 1 if len(people.articles_of) != len(spellings.articles_of) else None

    context, number = search(bench, corpus, lookalikes)
    statement = "SELECT COUNT(DISTINCT author_name) FROM article_author JOIN articles USING (article_id)"
    item = asked(context, statement, Number(value=1))
    assert only(corpus, context, without(context, number, corpus), item) == refitting.AMBIGUOUS


def test_an_item_keeps_its_wording_and_tags(bench: Bench, corpus: Corpus) -> None:
    context, items = next((one, items) for one, items in bench.by_context() if one.length > 200_000)
    smaller = without(context, 1, corpus)
    kept, refused = refitting.Refitter(corpus).refit(context, smaller, items)
    assert len(kept) + len(refused) == len(items)
    by_program = {item.key.proof.program: item for item in items}
    for item in kept:
        was = by_program[item.key.proof.program]
        assert item.question.text == was.question.text
        assert item.question.tags == {**was.question.tags, "length": "200K"}
        assert list(item.question.tags) == sorted(item.question.tags)
        assert (item.question.context_id, item.question.split) == (smaller.id, smaller.split)
        assert item.question.id == item.key.question_id != was.question.id


def test_the_family_has_a_refitter(asked_corpus: Path) -> None:
    refit = family("numeric").refit
    assert refit is not None
    with Corpus(asked_corpus) as corpus:
        assert isinstance(refit(corpus, {}), refitting.Refitter)
