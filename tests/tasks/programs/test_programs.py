"""Programs over a second schema: SQL and the Python evaluation agree, and every wording has one program."""

from __future__ import annotations

from collections import defaultdict
from random import Random

from fathom.tasks.programs.answers import answer_of, normal_form
from fathom.tasks.programs.database import open_database
from fathom.tasks.programs.mutants import constants, random_database
from fathom.tasks.programs.sql import literal
from fathom.tasks.programs.tree import Program
from fathom.tasks.programs.wording import Words, is_wording
from tests.tasks.programs.companies import SCHEMA, Grammar


def programs(count: int, seed: int) -> list[Program]:
    rng = Random(seed)
    return [Grammar(rng).program() for _ in range(count)]


def test_sql_and_the_second_evaluation_agree() -> None:
    connection = open_database(SCHEMA)
    rng = Random(1)
    compared = answered = 0
    for program in programs(1_200, seed=1):
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
    for number, program in enumerate(programs(1_500, seed=2)):
        by_wording[Words(SCHEMA).question(program)].add(program)
        text = Words(SCHEMA, Random(number)).question(program)
        assert is_wording(text, program, Words, SCHEMA)
        assert len(Words(SCHEMA).explain(program)) >= 2
    assert all(len(same) == 1 for same in by_wording.values())
