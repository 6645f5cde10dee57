"""Programs: their SQL, words, skills and second reading are all read off one tree, and agree."""

from __future__ import annotations

import re
from collections import Counter
from random import Random

import pytest

from fathom.tasks.numeric.evaluate import evaluate
from fathom.tasks.numeric.mutants import Constants, constants, is_same, mutants, random_tables
from fathom.tasks.numeric.own import parse
from fathom.tasks.numeric.programs import TOPIC_OF, Program, Slot, bind, names_people, nodes
from fathom.tasks.numeric.sql import COMMANDS, OPERATORS, commands, literal, operators
from fathom.tasks.numeric.tables import open_database
from fathom.tasks.numeric.templates import Template, templates
from fathom.tasks.numeric.wording import explanation, is_wording, question

VALUES: dict[str, int | str] = {
    "number": 4,
    "position": 2,
    "name": "Siobhán O'Connell",
    "title": "What's “new”? 100% of it, she said",
    "fragment": "grap",
    "few": 2,
}


SIGNS = {"=", "<>", "<", ">", "<=", ">=", "+", "-", "*", "/", "%", *TOPIC_OF}
"""Strings in a program that are no values."""


def bound(template: Template) -> Program:
    """The template with values that try the quoting."""
    values: dict[Slot, int | str] = {}
    for place, slot in enumerate(template.slots):
        value = VALUES[slot.kind]
        values[slot] = value + 2 * place if isinstance(value, int) else f"{value}{place or ''}"
    return bind(template.program, values)


def test_there_are_more_than_the_paper_has() -> None:
    assert len(templates()) >= 400
    assert len({template.id for template in templates()}) == len(templates())
    assert len({template.query.text for template in templates()}) == len(templates())


def test_every_skill_topic_command_and_operator_is_covered() -> None:
    skills = Counter(template.skill for template in templates())
    assert len(skills) == 6
    assert min(skills.values()) >= 60
    assert len({template.topic for template in templates()}) == 7
    assert {name for template in templates() for name in commands(template.query.text)} == set(COMMANDS)
    assert {name for template in templates() for name in operators(template.query.text)} == set(OPERATORS)


def test_sql_reads_back_as_the_program_it_was_written_from() -> None:
    """Through a parser that knows nothing of the writer; apostrophes and percent signs in values included."""
    for template in templates():
        program = bound(template)
        assert parse(literal(program)) == program, literal(program)


def test_sql_and_the_second_way_agree_on_generated_collections() -> None:
    database = open_database()
    rng = Random(5)
    compared = nonempty = 0
    for template in templates():
        program = bound(template)
        statement = literal(program)
        for _ in range(6):
            tables = random_tables(rng, constants(statement))
            tables.load(database)
            theirs, ours = database.execute(statement).fetchall(), evaluate(program, tables)
            if program.order:
                assert [row[1:] for row in theirs] == [row[1:] for row in ours]
            assert sorted(map(str, theirs)) == sorted(map(str, ours)), statement
            compared += 1
            nonempty += bool(ours and ours[0][0] is not None)
    assert nonempty / compared > 0.7


def test_words_say_what_the_program_does() -> None:
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
                assert "inside a longer word" in text
            if "author_position" in template.query.text:
                assert "counted from one" in text
            if program.order:
                assert "may stand in any order among themselves" in text
            if names_people(program) and "author_name" in template.query.text.split(" FROM ")[0]:
                assert "spelled in more than one way" in text
        assert len(explanation(program)) >= 2


def test_a_wording_belongs_to_its_program_and_to_no_other() -> None:
    """Every wording is found again; a wording of another program is not."""
    programs = [bound(template) for template in templates()]
    for place, program in enumerate(programs):
        for seed in range(6):
            assert is_wording(question(program, Random(seed)), program)
        for other in (programs[place - 1], programs[place - 7], programs[place // 2]):
            if other != program:
                assert not is_wording(question(other, Random(place)), program), literal(program)
        assert not is_wording(question(program, Random(0)).replace("4", "5", 1), program) or "4" not in literal(program)


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("SELECT article_title FROM articles WHERE author_count NOT IN (3, 2)", "is neither 2 nor 3"),
        ("SELECT article_title FROM articles WHERE author_count IN (5, 2, 3)", "is one of 2, 3 and 5"),
        ("SELECT article_title FROM articles WHERE author_count NOT IN (5, 2, 3)", "is none of 2, 3 and 5"),
        (
            "SELECT article_title FROM articles WHERE article_id IN"
            " (SELECT article_id FROM article_author WHERE author_name = 'Jo Lind')",
            "articles that have Jo Lind among their authors",
        ),
    ],
)
def test_words_that_were_clumsy_once(statement: str, said: str) -> None:
    for seed in range(9):
        text = question(parse(statement), Random(seed)).replace("author count is", "is")
        assert said in text
        assert "are there? Give" not in text


@pytest.mark.parametrize(
    ("statement", "kind"),
    [
        ("SELECT COUNT(*) FROM articles WHERE author_count > 3", "operator"),
        ("SELECT COUNT(*) FROM articles WHERE author_count > 3", "constant"),
        ("SELECT COUNT(*) FROM articles WHERE author_count > 3", "column"),
        ("SELECT author_count, reference_count FROM articles ORDER BY reference_count ASC", "direction"),
        ("SELECT COUNT(DISTINCT author_count) FROM articles", "distinct"),
        ("SELECT COUNT(*) FROM articles WHERE (author_count > 3 AND reference_count > 9)", "connective"),
        ("SELECT COUNT(*) FROM articles WHERE NOT (author_count > 3)", "negation"),
        (
            "SELECT COUNT(*) FROM articles WHERE article_id IN (SELECT article_id_citing FROM citing_cited)",
            "citing/cited",
        ),
    ],
)
def test_wrong_readings_of_every_kind_are_made_and_told_apart(statement: str, kind: str) -> None:
    database = open_database()
    wrong = [text for found, text in mutants(statement) if found == kind]
    assert wrong
    for text in wrong:
        assert text != statement
        rng = Random(1)
        told_apart = False
        for _ in range(60):
            random_tables(rng, constants(statement)).load(database)
            told_apart |= database.execute(statement).fetchall() != database.execute(text).fetchall()
        assert told_apart, text


@pytest.mark.parametrize(
    ("statement", "edited", "same"),
    [
        ("author_position >= 7 AND author_count > 1", "author_position >= 7 AND author_count > 2", True),
        ("author_position >= 7 AND author_count > 6", "author_position >= 7 AND author_count > 7", False),
        ("author_position = 2 AND author_count > 1", "author_position = 2 AND author_count >= 1", True),
        ("author_position < 3 AND author_count > 1", "author_position < 3 AND author_count >= 1", False),
        ("author_count < 1 OR title_word_count >= 13", "author_count < 0 OR title_word_count >= 13", True),
        ("author_position = 2 AND reference_count > 1", "author_position = 2 AND reference_count >= 1", False),
    ],
)
def test_edits_that_change_nothing_are_known(statement: str, edited: str, same: bool) -> None:
    source = "SELECT DISTINCT author_name FROM article_author JOIN articles USING (article_id) WHERE "
    assert is_same(source + statement, source + edited) == same


def test_distinct_says_nothing_of_people_with_one_article() -> None:
    once = "WHERE author_name NOT IN (SELECT author_name FROM article_author GROUP BY author_name HAVING COUNT(*) >= 2)"
    source = "author_name FROM article_author JOIN articles USING (article_id)"
    assert is_same(f"SELECT DISTINCT {source} {once}", f"SELECT {source} {once}")
    assert not is_same(f"SELECT DISTINCT {source}", f"SELECT {source}")
    assert not is_same("SELECT MAX(author_count) FROM articles", "SELECT MIN(author_count) FROM articles")


def test_what_a_statement_names_is_found() -> None:
    found = constants("SELECT 1 FROM articles WHERE author_count > 3 AND article_title LIKE '%it''s%'")
    assert found == Constants(numbers=(1, 3), texts=("it's",))
