"""The templates: their SQL, second evaluation, wording, skills and topics agree."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from random import Random

import pytest

from fathom.tasks.numeric.mutants import is_equivalent, random_tables
from fathom.tasks.numeric.schema import NAME, NAMES, SCHEMA, names_people, wrote_at_least
from fathom.tasks.numeric.tables import open_database
from fathom.tasks.numeric.templates import Template, templates
from fathom.tasks.numeric.user_templates import parse
from fathom.tasks.numeric.wording import explanation, is_wording, question
from fathom.tasks.programs.evaluate import Evaluation, TableRow
from fathom.tasks.programs.mutants import Constants, constants, mutants, result_form
from fathom.tasks.programs.sql import literal
from fathom.tasks.programs.tree import (
    Aggregate,
    Compare,
    Constant,
    CountDistinct,
    Not,
    Program,
    Slot,
    Values,
    bind,
    nodes,
)

VALUES: dict[str, Constant] = {
    "number": 4,
    "position": 2,
    "name": "Siobhán O'Connell",
    "title": "What's “new”? 100% of it, she said",
    "fragment": "grap",
    "few": 2,
}


SIGNS = {"anywhere", "=", "<>", "<", ">", "<=", ">=", "+", "-", "*", "/", "%", *SCHEMA.columns, *SCHEMA.relation}
"""Strings in a program that are not values."""


COMMANDS = ("MAX", "MIN", "SUM", "AVG", "COUNT", "DISTINCT", "ORDER BY", "ASC", "DESC", "GROUP BY", "WHERE")
OPERATORS = ("=", "<>", "<", ">", "<=", ">=", "LIKE", "+", "-", "*", "/", "%", "AND", "OR", "NOT", "BETWEEN", "IN")


def commands(text: str) -> tuple[str, ...]:
    """The commands that a statement uses, in a fixed order."""
    return tuple(command for command in COMMANDS if re.search(rf"\b{command}\b", _without_strings(text)))


def operators(text: str) -> tuple[str, ...]:
    """The operators that a statement uses, without the star of COUNT(*) and the product of 1.0 *."""
    plain = _without_strings(text).replace("(*)", "").replace("1.0 *", "")
    found = set(re.findall(r"<>|<=|>=|[=<>+\-*/%]|\b(?:LIKE|AND|OR|NOT|BETWEEN|IN)\b", plain))
    return tuple(operator for operator in OPERATORS if operator in found)


def _without_strings(text: str) -> str:
    return re.sub(r"'(?:[^']|'')*'", "''", text)


def bound(template: Template) -> Program:
    """The template with values that need quoting."""
    values: dict[Slot, Constant] = {}
    for index, slot in enumerate(template.slots):
        value = VALUES[slot.kind]
        values[slot] = value + 2 * index if isinstance(value, int) else f"{value}{index or ''}"
    return bind(template.program, values)


def test_there_are_more_templates_than_in_the_paper() -> None:
    assert len(templates()) >= 400
    assert len({template.id for template in templates()}) == len(templates())
    assert len({template.query.text for template in templates()}) == len(templates())


def test_every_skill_topic_command_and_operator_is_covered() -> None:
    skills = Counter(template.skill for template in templates())
    assert len(skills) == 6
    assert min(skills.values()) >= 50
    assert len({template.topic for template in templates()}) == 7
    assert {name for template in templates() for name in commands(template.query.text)} == set(COMMANDS)
    assert {name for template in templates() for name in operators(template.query.text)} == set(OPERATORS)


def test_sql_is_parsed_back_into_the_program() -> None:
    """By a parser that shares nothing with the writer; with apostrophes and percent signs in values."""
    for template in templates():
        program = bound(template)
        assert parse(literal(program, SCHEMA)) == program, literal(program, SCHEMA)


def test_sql_and_the_second_evaluation_agree_on_generated_collections() -> None:
    database = open_database()
    rng = Random(5)
    compared = nonempty = 0
    for template in templates():
        program = bound(template)
        statement = literal(program, SCHEMA)
        for _ in range(6):
            tables = random_tables(rng, constants(program))
            tables.load(database)
            theirs, ours = database.execute(statement).fetchall(), tables.evaluation.run(program)
            if program.order:
                assert [row[1:] for row in theirs] == [row[1:] for row in ours]
            assert sorted(map(str, theirs)) == sorted(map(str, ours)), statement
            compared += 1
            nonempty += bool(ours and ours[0][0] is not None)
    assert nonempty / compared > 0.7


def test_the_wording_contains_every_value_and_convention() -> None:
    for template in templates():
        program = bound(template)
        texts = {question(program, Random(seed)) for seed in range(24)}
        assert len(texts) >= 3, template.query.text
        for text in texts:
            assert not re.search(r"[{}]|  |None|Slot|the the |est the ", text), text
            for value in (node for node in nodes(program.where) if isinstance(node, int | str) and node not in SIGNS):
                assert str(value) in text or value in (1, 10)
            if program.where is not None and "COUNT" not in template.query.text:
                assert "answer NULL" in text
            if "AVG" in template.query.text or " / " in template.query.text.split(" FROM ")[0].split(",")[0]:
                assert "Round to two decimals" in text
            if "LIKE" in template.query.text:
                assert "part of a longer word" in text
            if "author_position" in template.query.text:
                assert "counted from one" in text
            # Where the listed values are a sort key, tied rows are listed as equal values.
            keys = [sort.measure for sort in program.order]
            same = isinstance(program.output, Values) and program.output.measure in keys
            assert ("may come in any order" in text) == bool(keys and not same)
            assert not re.search(r"everyone who (?:stand|are)|(?:sum|total) of the (?:sum|result|product)", text), text
            if names_people(program) and "author_name" in template.query.text.split(" FROM ")[0]:
                assert "spelled in more than one way" in text
        assert len(explanation(program)) >= 2


def test_a_wording_belongs_to_its_program_and_to_no_other() -> None:
    """Every wording is recognized; a wording of another program is not."""
    programs = [bound(template) for template in templates()]
    for index, program in enumerate(programs):
        for seed in range(6):
            assert is_wording(question(program, Random(seed)), program)
        for other in (programs[index - 1], programs[index - 7], programs[index // 2]):
            if other != program:
                assert not is_wording(question(other, Random(index)), program), literal(program, SCHEMA)
        assert not is_wording(question(program, Random(0)).replace("4", "5", 1), program) or "4" not in literal(
            program, SCHEMA
        )


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("SELECT article_title FROM articles WHERE author_count NOT IN (3, 2)", "is neither 2 nor 3"),
        ("SELECT article_title FROM articles WHERE author_count IN (5, 2, 3)", "is one of 2, 3 and 5"),
        ("SELECT article_title FROM articles WHERE author_count IN (5, 2)", "is either 2 or 5"),
        ("SELECT article_title FROM articles WHERE author_count NOT IN (5, 2, 3)", "is none of 2, 3 and 5"),
        (
            "SELECT article_title FROM articles WHERE article_id IN"
            " (SELECT article_id FROM article_author WHERE author_name = 'Jo Lind')",
            "articles that have Jo Lind among their authors",
        ),
    ],
)
def test_wordings_that_were_clumsy_before(statement: str, said: str) -> None:
    for seed in range(9):
        text = question(parse(statement), Random(seed)).replace("author count is", "is")
        assert said in text
        assert "are there? Give" not in text


def test_a_second_sort_key_does_not_seem_to_replace_the_first() -> None:
    statement = (
        "SELECT article_title, author_count, reference_count FROM articles"
        " ORDER BY author_count ASC, reference_count DESC"
    )
    said = (
        "Sort them by the number of authors in ascending order, and those with the same number of authors by the "
        "number of references in descending order."
    )
    assert said in explanation(parse(statement))


def test_no_template_asks_for_what_its_condition_states() -> None:
    for template in templates():
        fixed = {node.measure for node in template.conditions if isinstance(node, Compare) and node.sign == "="}
        output = template.program.output
        stated = {output.measure} if isinstance(output, Values | Aggregate | CountDistinct) else set()
        assert not fixed & (stated | {sort.measure for sort in template.program.order}), template.query.text


@pytest.mark.parametrize(
    ("statement", "kind"),
    [
        ("SELECT COUNT(*) FROM articles WHERE author_count > 3", "operator"),
        ("SELECT COUNT(*) FROM articles WHERE author_count > 3", "constant"),
        ("SELECT COUNT(*) FROM articles WHERE author_count > 3", "column"),
        ("SELECT MAX(author_count) FROM articles", "function"),
        ("SELECT SUM(author_count + title_word_count) FROM articles", "arithmetic"),
        ("SELECT author_count, reference_count FROM articles ORDER BY reference_count ASC", "direction"),
        ("SELECT COUNT(DISTINCT author_count) FROM articles", "distinct"),
        ("SELECT COUNT(*) FROM articles WHERE (author_count > 3 AND reference_count > 9)", "connective"),
        ("SELECT COUNT(*) FROM articles WHERE NOT (author_count > 3)", "negation"),
        ("SELECT COUNT(*) FROM articles WHERE article_id IN (SELECT article_id_citing FROM citing_cited)", "relation"),
    ],
)
def test_mutants_of_every_kind_are_made_and_detected(statement: str, kind: str) -> None:
    program = parse(statement)
    made = [mutant.program for mutant in mutants(program, SCHEMA) if mutant.kind == kind]
    assert made
    for mutant in made:
        rng = Random(1)
        collections = [random_tables(rng, constants(program)).evaluation for _ in range(60)]
        assert any(
            result_form(program, tables.run(program)) != result_form(mutant, tables.run(mutant))
            for tables in collections
        ), mutant


def test_nearly_all_mutants_of_the_templates_are_detected() -> None:
    rng = Random(6)
    made = undetected = 0
    for template in templates()[::9]:
        program = bound(template)
        left = [mutant for mutant in mutants(program, SCHEMA) if not is_equivalent(program, mutant.program)]
        made += len(left)
        for _ in range(60):
            tables = random_tables(rng, constants(program)).evaluation
            result = result_form(program, _rows(tables, program))
            left = [one for one in left if result_form(one.program, _rows(tables, one.program)) == result]
        undetected += len(left)
    assert made > 500
    assert undetected / made < 0.01


def _rows(tables: Evaluation, program: Program) -> list[TableRow]:
    try:
        return tables.run(program)
    except ZeroDivisionError:
        return [(None,)]


@pytest.mark.parametrize(
    ("statement", "mutant", "same"),
    [
        ("author_position >= 7 AND author_count > 1", "author_position >= 7 AND author_count > 2", True),
        ("author_position >= 7 AND author_count > 6", "author_position >= 7 AND author_count > 7", False),
        ("author_position = 2 AND author_count > 1", "author_position = 2 AND author_count >= 1", True),
        ("author_position < 3 AND author_count > 1", "author_position < 3 AND author_count >= 1", False),
        ("author_position < 1 OR title_word_count >= 13", "author_position < 0 OR title_word_count >= 13", True),
        ("author_position = 2 AND reference_count > 1", "author_position = 2 AND reference_count >= 1", False),
    ],
)
def test_equivalent_mutants_are_recognized(statement: str, mutant: str, same: bool) -> None:
    source = "SELECT DISTINCT author_name FROM article_author JOIN articles USING (article_id) WHERE "
    assert is_equivalent(parse(source + statement), parse(source + mutant)) == same


def test_distinct_changes_nothing_for_people_with_one_article() -> None:
    once = Program(NAMES, Not(wrote_at_least(2)))
    assert is_equivalent(once, replace(once, output=Values(NAME)))
    assert not is_equivalent(Program(NAMES), Program(Values(NAME)))


def test_the_constants_of_a_program_are_found() -> None:
    program_constants = constants(
        parse("SELECT COUNT(*) FROM articles WHERE author_count > 3 AND article_title LIKE '%it''s%'")
    )
    assert program_constants == Constants(numbers=(3,), texts=("it's",))
