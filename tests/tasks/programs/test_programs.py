"""Programs over a second schema: two evaluations agree, wordings are unambiguous, mutants and faults are detected."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from random import Random

import pytest

from fathom.scoring.answers import Ranking, Unanswerable
from fathom.tasks.programs.answers import answer_of, normal_form
from fathom.tasks.programs.database import Database, open_database
from fathom.tasks.programs.evaluate import UnknownCell
from fathom.tasks.programs.faults import FAULTS, Interpretation
from fathom.tasks.programs.mutants import constants, is_equivalent, mutants, result_form
from fathom.tasks.programs.parse import parse
from fathom.tasks.programs.sql import literal
from fathom.tasks.programs.tree import (
    Aggregate,
    Arithmetic,
    Column,
    Compare,
    Count,
    Exists,
    IsUnknown,
    Labels,
    Not,
    Or,
    PeerAggregate,
    Program,
    Sort,
    Values,
)
from fathom.tasks.programs.wording import ProgramWording
from fathom.tasks.programs.wording_check import is_wording
from tests.tasks.programs.companies import SCHEMA, Grammar
from tests.tasks.programs.databases import random_database, wrong_answers
from tests.tasks.programs.questions import ASIA, OFFICES, PROFIT, QUESTIONS, REGION, REVENUE, SCORE

DATABASE = Database(
    SCHEMA,
    {
        "companies": (
            (1, "Andor", "Asia", "USD", "2001-03-04", 3, 2.5),
            (2, "Bolt", "Asia", "EUR", None, 5, None),
            (3, "Tanda", "Europe", "EUR", "1999-12-31", 3, 4.0),
            (4, "Omni", None, "USD", "2010-01-01", 1, 1.0),
        ),
        "company_years": (
            (1, 2019, 10.0, 1.0, 4),
            (1, 2020, 12.5, None, 5),
            (2, 2020, 8.0, -2.0, None),
            (3, 2020, 0.0, 0.5, 2),
        ),
    },
)


def random_programs(count: int, seed: int) -> list[Program]:
    rng = Random(seed)
    return [Grammar(rng).program() for _ in range(count)]


def form(program: Program, database: Database = DATABASE) -> object:
    return result_form(program, database.evaluation.run(program))


def test_sql_and_the_second_evaluation_agree() -> None:
    connection = open_database(SCHEMA)
    rng = Random(1)
    compared = answered = 0
    for program in (*random_programs(1_000, seed=1), *QUESTIONS * 5):
        statement = literal(program, SCHEMA)
        for _ in range(4):
            database = random_database(rng, SCHEMA, constants(program))
            database.load(connection)
            theirs = answer_of(program, connection.execute(statement).fetchall(), SCHEMA)
            ours = answer_of(program, database.evaluation.run(program), SCHEMA)
            assert normal_form(theirs) == normal_form(ours), statement
            compared += 1
            answered += ours.type != "none"
    assert answered / compared > 0.5


def test_distinct_programs_have_distinct_wordings() -> None:
    by_wording: dict[str, set[Program]] = defaultdict(set)
    for program in (*random_programs(1_500, seed=2), *QUESTIONS):
        by_wording[ProgramWording(SCHEMA).question(program)].add(program)
        assert len(ProgramWording(SCHEMA).explain(program)) >= 2
    assert all(len(same) == 1 for same in by_wording.values())


def test_no_wording_of_a_program_is_a_wording_of_its_mutants() -> None:
    for number, program in enumerate((*random_programs(150, seed=3), *QUESTIONS)):
        text = ProgramWording(SCHEMA, Random(number)).question(program)
        assert is_wording(text, program, ProgramWording, SCHEMA)
        for mutant in mutants(program, SCHEMA):
            try:
                assert not is_wording(text, mutant.program, ProgramWording, SCHEMA), mutant
            except TypeError:
                assert mutant.kind in ("negation", "connective")  # has no wording at all


def test_wordings_read_like_questions() -> None:
    asked = [ProgramWording(SCHEMA).question(program) for program in QUESTIONS]
    before = Program(Labels(), Compare(Column("founded"), "<", "2001-03-04"))
    text = "List the names of all companies whose founding date is before 4 March 2001."
    assert ProgramWording(SCHEMA, _Second()).question(before).startswith(text)
    assert any("credit score is greater than the mean of the credit score over all companies" in text for text in asked)
    assert any("million USD" in text for text in asked)
    assert any("is not stated" in text for text in asked)
    assert any("where several tie for the last place" in text for text in asked)
    assert not any("None" in text or "  " in text for text in asked)


class _Second:
    """Takes the second form."""

    def choice(self, forms: Sequence[str], /) -> str:
        return forms[1]


def test_mutants_are_made_for_every_operator_and_detected() -> None:
    connection = open_database(SCHEMA)
    made: Counter[str] = Counter()
    undetected: list[str] = []
    for number, program in enumerate(QUESTIONS):
        rng = Random(number)
        left = [mutant for mutant in mutants(program, SCHEMA) if not is_equivalent(program, mutant.program, SCHEMA)]
        made.update(mutant.kind for mutant in left)
        for _ in range(150):
            if not left:
                break
            random_database(rng, SCHEMA, constants(program)).load(connection)
            result = result_form(program, connection.execute(literal(program, SCHEMA)).fetchall())
            left = [
                mutant
                for mutant in left
                if result_form(mutant.program, connection.execute(literal(mutant.program, SCHEMA)).fetchall()) == result
            ]
        undetected += [f"{literal(program, SCHEMA)} -> {literal(mutant.program, SCHEMA)}" for mutant in left]
    assert set(made) == {
        *("operator", "constant", "column", "connective", "negation", "direction", "distinct"),
        *("function", "arithmetic", "ratio", "having", "peers"),
    }
    assert len(undetected) / sum(made.values()) < 0.01, "\n".join(undetected)


def test_faults_change_answers() -> None:
    applied: Counter[str] = Counter()
    changed: Counter[str] = Counter()
    rng = Random(5)
    for program in QUESTIONS * 6:
        database = random_database(rng, SCHEMA, constants(program))
        reading = Interpretation(program, database)
        correct = normal_form(reading.answer())
        for fault in FAULTS.values():
            for variation in fault.variations(reading):
                applied[fault.name] += 1
                changed[fault.name] += normal_form(variation.reading.answer()) != correct
    assert set(applied) == set(FAULTS)
    assert all(changed[name] / applied[name] > 0.1 for name in FAULTS), changed


def test_wrong_answers_name_their_fault() -> None:
    program = Program(Aggregate("SUM", SCORE), ASIA)
    found = {one.fault for one in wrong_answers(program, DATABASE, tuple(FAULTS.values()))}
    assert found == {"drop-filter", "miss-document"}
    program = Program(Aggregate("AVG", SCORE), ASIA)
    assert "unknown-as-zero" in {one.fault for one in wrong_answers(program, DATABASE, tuple(FAULTS.values()))}


def test_unknown_values_are_not_zero() -> None:
    assert DATABASE.evaluation.run(Program(Aggregate("AVG", SCORE), ASIA)) == [(2.5,)]
    assert DATABASE.evaluation.run(Program(Count(), Compare(SCORE, "<", 9))) == [(3,)]
    assert DATABASE.evaluation.run(Program(Count(), Not(Compare(SCORE, "<", 9)))) == [(0,)]
    assert DATABASE.evaluation.run(Program(Labels(), None, (Sort(SCORE, "ASC"),)))[0] == ("Omni", 1.0)
    assert DATABASE.evaluation.run(Program(Aggregate("SUM", SCORE), Compare(OFFICES, "=", 5))) == [(None,)]
    empty = answer_of(Program(Aggregate("SUM", SCORE)), [(None,)], SCHEMA)
    assert isinstance(empty, Unanswerable)


@pytest.mark.parametrize(
    ("program", "cells"),
    [
        (Program(Aggregate("AVG", SCORE), ASIA), [("companies", 1, "score"), ("companies", 3, "region")]),
        (Program(Aggregate("AVG", SCORE), Compare(OFFICES, "=", 3)), []),
        (Program(Count(), Compare(SCORE, "<", 9)), [("companies", 1, "score")]),
        (Program(Count(), Or(Compare(SCORE, "<", 9), Compare(OFFICES, "=", 5))), [("companies", 1, "score")]),
        (Program(Count(), IsUnknown(SCORE)), []),
        (Program(Count(), Exists("reports", Compare(PROFIT, ">", 0))), [("company_years", 1, "profit")]),
        (
            Program(Count(), Compare(OFFICES, ">", PeerAggregate("AVG", OFFICES, REGION))),
            [("companies", 3, "region")],
        ),
    ],
)
def test_unknown_cells_that_an_answer_may_depend_on_are_found(
    program: Program, cells: list[tuple[str, int, str]]
) -> None:
    assert DATABASE.evaluation.unknown_cells(program) == [UnknownCell(*cell) for cell in cells]


def test_division_by_zero_is_unknown() -> None:
    margins = Program(Values(Arithmetic(PROFIT, "/", REVENUE)))
    assert DATABASE.evaluation.run(margins) == [(0.1,), (-0.25,)]


def test_a_ranking_keeps_ties_at_the_end() -> None:
    program = Program(Labels(), None, (Sort(OFFICES, "DESC"),), 2)
    answer = answer_of(program, DATABASE.evaluation.run(program), SCHEMA)
    assert isinstance(answer, Ranking)
    assert [[item.value for item in group] for group in answer.groups] == [["Bolt"], ["Andor", "Tanda"]]


def test_statements_are_parsed_back_into_their_programs() -> None:
    for program in (*QUESTIONS, *random_programs(1_000, seed=4)):
        statement = literal(program, SCHEMA)
        assert literal(parse(statement, SCHEMA)[0], SCHEMA) == statement
        if program in QUESTIONS:
            assert parse(statement, SCHEMA)[0] == program, statement
