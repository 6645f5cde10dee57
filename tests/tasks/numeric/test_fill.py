"""Values of slots: unanswerable questions look like answerable ones, and mutants are told apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import get_args

import pytest

from fathom.contexts.files import FILE_NAME, read_contexts
from fathom.corpus.store import Corpus
from fathom.records.rng import rng_for
from fathom.scoring.answers import Rows, Unanswerable
from fathom.tasks.family import Item
from fathom.tasks.numeric.audit_responses import accepted_forms, near_misses
from fathom.tasks.numeric.build import UnanswerableRate, builder, fill_question
from fathom.tasks.numeric.fill import TemplateFiller
from fathom.tasks.numeric.key_programs import program_of
from fathom.tasks.numeric.predictability import samples
from fathom.tasks.numeric.schema import NAME, POSITION, Skill, named_texts
from fathom.tasks.numeric.settings import NumericSettings
from fathom.tasks.numeric.sources import ArticleSource, read_source
from fathom.tasks.numeric.tables import ContextTables, build_tables, open_database
from fathom.tasks.numeric.templates import Template, templates
from fathom.tasks.programs.predictability import Sample, cross_validated_auc, transfer_auc
from fathom.tasks.programs.tree import Compare
from fathom.tasks.split_corpus import SplitCorpus


@pytest.fixture(scope="module")
def sources(asked_corpus: Path) -> list[ArticleSource]:
    with Corpus(asked_corpus) as corpus:
        ids = [entry.id for entry in corpus.entries()][:30]
        return [read_source(corpus.bibliographic_record(id)) for id in ids]


@pytest.fixture(scope="module")
def built(asked_corpus: Path) -> list[tuple[ContextTables, list[Item]]]:
    """Every context with its items, of which a third are unanswerable."""
    with SplitCorpus(asked_corpus, asked_corpus / FILE_NAME, "test") as corpus:
        made = builder(corpus, NumericSettings(questions=12, unanswerable=0.3), 3)
        contexts = list(read_contexts(asked_corpus / FILE_NAME))
        return [
            (
                build_tables([read_source(corpus.bibliographic_record(id)) for id in context.documents]),
                list(made.build(context, rng_for(3, context.id))),
            )
            for context in contexts
        ]


def test_unanswerable_questions_are_not_told_by_their_wording(built: list[tuple[ContextTables, list[Item]]]) -> None:
    halves: tuple[list[Sample], list[Sample]] = [], []
    for number, (_, items) in enumerate(built):
        halves[number % 2].extend(samples(items))
    asked = [sample.unanswerable for half in halves for sample in half]
    assert 0.35 <= sum(asked) / len(asked) <= 0.75
    auc = cross_validated_auc(halves)
    assert auc is not None
    assert 0.3 < auc < 0.68  # about 150 questions: the standard error is 0.05


def test_the_classifier_finds_what_tells_questions_apart() -> None:
    told = [Sample(frozenset({"the", "cite" if number % 3 else "authors"}), number % 3 == 0) for number in range(60)]
    auc = transfer_auc(told[:30], told[30:])
    assert auc == 1.0
    same = [Sample(frozenset({"the"}), number % 3 == 0) for number in range(60)]
    assert transfer_auc(same[:30], same[30:]) == 0.5
    assert transfer_auc(same[:6], same) is None


def test_nobody_in_the_context_is_taken_for_a_person_who_is_absent(
    built: list[tuple[ContextTables, list[Item]]],
) -> None:
    absent = 0
    for tables, items in built:
        families = {one.family for source in tables.sources for one in source.byline}
        for item in items:
            for column, name in named_texts(program_of(item.key)):
                if column == NAME and name not in tables.articles_of:
                    absent += 1
                    assert isinstance(item.key.answer, Unanswerable)
                    assert name.split()[-1] not in families
    assert absent >= 3


def fillers(
    here: Sequence[ArticleSource], there: Sequence[ArticleSource]
) -> tuple[TemplateFiller, TemplateFiller, ContextTables, ContextTables]:
    """A filler for the first articles and one for the others, and the tables of both."""
    tables, others, database = build_tables(here), build_tables(there), open_database()
    tables.load(database)
    return TemplateFiller(tables, database), TemplateFiller(others, None), tables, others


@pytest.mark.parametrize("empty", [True, False])
def test_of_a_pair_of_contexts_one_has_an_answer_and_the_other_has_none(
    sources: list[ArticleSource], empty: bool
) -> None:
    filler, partner, here, there = fillers(sources[:8], sources[8:16])
    rng, filled = Random(7), 0
    for template in templates():
        if not filler.can_pair(template, partner) or template.names_titles:
            continue
        made = filler.fill_in_pair(template, rng, partner, empty)
        if made is not None:
            filled += 1
            rows = [
                [row for row in tables.evaluation.run(made.program) if row[0] is not None] for tables in (here, there)
            ]
            assert [bool(row) for row in rows] == [not empty, empty]
    assert filled >= 25


def test_questions_with_a_title_have_both_outcomes_in_their_context(sources: list[ArticleSource]) -> None:
    filler, partner, tables, _ = fillers(sources, sources[:8])
    rng, found = Random(7), 0
    for template in templates():
        if filler.can_pair(template, partner) and any(slot.kind == "title" for slot in template.slots):
            made = [filler.fill_in_pair(template, rng, partner, empty) for empty in (False, True) for _ in range(4)]
            titles = {row.title for row in tables.articles}
            assert all(set(one.values.values()) <= titles for one in made if one)
            found += any(made)
    assert found >= 5


@pytest.mark.parametrize("share", [0.2, 0.9])
def test_a_question_without_a_pair_is_one_that_always_has_an_answer(sources: list[ArticleSource], share: float) -> None:
    # With the same articles as its partner, no context can have an answer where the other has none.
    filler, twin, _, _ = fillers(sources[:8], sources[:8])
    offered: dict[Skill, list[Template]] = {
        skill: [one for one in templates() if one.skill == skill and not one.names_titles] for skill in get_args(Skill)
    }
    rate = UnanswerableRate(dict.fromkeys(offered, 1.0), share)
    rng = Random(7)
    filled = [fill_question(filler, [twin], offered, "filtering", rate, rng) for _ in range(5)]
    assert all(one is not None and not one.template.may_be_empty for one in filled)


def test_articles_without_authors_do_not_stop_a_build(sources: list[ArticleSource]) -> None:
    divides = next(one for one in templates() if one.divisors and one.may_be_empty)
    filler, partner, _, _ = fillers(sources[:8], [replace(sources[8], byline=()), *sources[9:16]])
    assert not filler.can_pair(divides, partner)
    filler, partner, _, _ = fillers(sources[:8], sources[8:16])
    assert filler.can_pair(divides, partner)


def test_a_bound_that_leaves_one_position_is_not_asked_for(sources: list[ArticleSource]) -> None:
    filler, _, _, _ = fillers(sources[:8], sources[8:16])
    below = [
        one
        for one in templates()
        if any(isinstance(node, Compare) and node.measure == POSITION and node.sign == "<" for node in one.conditions)
    ]
    made = [filler.fill(template, Random(number)) for template in below for number in range(12)]
    bounds = [value for one in made if one for slot, value in one.values.items() if slot.kind == "position"]
    assert bounds
    assert 2 not in bounds


def test_grouped_answers_are_tried_in_the_forms_of_models(built: list[tuple[ContextTables, list[Item]]]) -> None:
    tables, answer = next(
        (tables, item.key.answer)
        for tables, items in built
        for item in items
        if isinstance(item.key.answer, Rows) and len(item.key.answer.rows) > 1 and "AVG" not in item.key.proof.program
    )
    first, *_ = answer.rows
    stated = list(accepted_forms(answer))
    assert any(one.startswith("{") for one in stated)
    assert any(one.startswith(f"Answer: {first[0].value}: {first[1].value}, ") for one in stated)
    wrong = list(near_misses(answer, tables))
    assert any(one.startswith("{") for one in wrong)
    assert not set(wrong) & set(stated)


def test_another_title_of_the_context_is_a_near_miss(built: list[tuple[ContextTables, list[Item]]]) -> None:
    for tables, items in built:
        titles = {row.title for row in tables.articles}
        for item in items:
            if item.key.answer.type == "set" and item.question.tags["topic"] == "title list":
                lines = [set(one.split("\n")[1:]) for one in near_misses(item.key.answer, tables)]
                assert any(said & titles - set(item.key.answer.model_dump_json().split('"')) for said in lines)
                return
    raise AssertionError("no question asks for titles")
