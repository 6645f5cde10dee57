"""Faults of readers: each changes the answer as described, and every program can be evaluated with each of them."""

from __future__ import annotations

import sqlite3
from collections import Counter
from random import Random

import pytest

from fathom.scoring.answer_types.compare import agrees
from fathom.scoring.answers import Answer, Number, Ranking
from fathom.tasks.numeric import FAMILY
from fathom.tasks.numeric.build import answer_of_tables
from fathom.tasks.numeric.faults import FAULTS
from fathom.tasks.numeric.mutants import random_tables
from fathom.tasks.numeric.schema import SCHEMA
from fathom.tasks.numeric.tables import ArticleRow, AuthorRow, CitationRow, make_tables, open_database
from fathom.tasks.numeric.templates import Template, templates
from fathom.tasks.numeric.user_templates import parse
from fathom.tasks.programs.answers import answer_of, normal_form
from fathom.tasks.programs.database import Database
from fathom.tasks.programs.faults import Interpretation
from fathom.tasks.programs.mutants import constants
from fathom.tasks.programs.sql import literal
from fathom.tasks.programs.tree import Constant, Program, Slot, bind
from tests.tasks.programs.databases import wrong_answers

TABLES = make_tables(
    sources=(),
    articles=(
        ArticleRow(1, "Tides, storms", 2, 2, 10),
        ArticleRow(2, "Waves", 1, 1, 20),
        ArticleRow(3, "Shores of the north", 4, 3, 30),
        ArticleRow(4, "Sand", 1, 2, 30),
    ),
    authors=(
        AuthorRow(1, "Lind", 1),
        AuthorRow(1, "Wu", 2),
        AuthorRow(2, "Wu", 1),
        AuthorRow(3, "Lind", 1),
        AuthorRow(3, "Wu", 2),
        AuthorRow(3, "Roy", 3),
        AuthorRow(4, "Roy", 1),
        AuthorRow(4, "Lind", 2),
    ),
    citations=(CitationRow(1, 2), CitationRow(3, 2), CitationRow(3, 4)),
)
CITING = "(SELECT article_id_citing FROM citing_cited)"
CITED = "(SELECT article_id_cited FROM citing_cited)"
JOINED = "article_author JOIN articles USING (article_id)"


def plain(answer: Answer) -> str:
    """The values of an answer in a line."""
    if isinstance(answer, Number):
        return str(answer.value)
    if isinstance(answer, Ranking):
        return " > ".join("=".join(sorted(str(item.value) for item in group)) for group in answer.groups)
    if hasattr(answer, "items"):
        return ", ".join(sorted(str(item.value) for item in answer.items))
    rows = getattr(answer, "rows", ())
    return ", ".join(":".join(str(cell.value) for cell in row) for row in rows) or "NULL"


OWN_TEMPLATES = ("wrong-top", "inverted-ratio", "wrong-peers")
"""Faults that no built-in template has a place for."""


def found(fault: str, statement: str) -> list[str]:
    """The answers to a statement over the small collection with every variation of the fault."""
    return [
        plain(variation.reading.answer())
        for variation in FAULTS[fault].variations(Interpretation(parse(statement), TABLES))
    ]


@pytest.mark.parametrize(
    ("fault", "statement", "answers"),
    [
        (
            "drop-filter",
            "SELECT COUNT(*) FROM articles WHERE reference_count > 10 AND author_count = 1",
            ["1", "3", "4"],
        ),
        ("drop-filter", "SELECT MAX(author_count) FROM articles WHERE reference_count < 30", ["3"]),
        ("drop-filter", "SELECT MAX(author_count) FROM articles", []),
        ("ignore-not", "SELECT COUNT(*) FROM articles WHERE NOT (reference_count > 10)", ["3"]),
        ("ignore-not", "SELECT COUNT(*) FROM articles WHERE author_count <> 2", ["2"]),
        ("ignore-not", f"SELECT COUNT(*) FROM articles WHERE article_id NOT IN {CITING}", ["2"]),
        ("ignore-not", "SELECT COUNT(*) FROM articles WHERE author_count = 2", []),
        ("and-for-or", "SELECT COUNT(*) FROM articles WHERE reference_count > 10 AND author_count = 1", ["3"]),
        ("and-for-or", "SELECT COUNT(*) FROM articles WHERE reference_count > 10 OR author_count = 1", ["1"]),
        (
            "reverse",
            "SELECT article_title FROM articles ORDER BY reference_count ASC, author_count DESC",
            [
                "Shores of the north > Sand > Waves > Tides, storms",
                "Tides, storms > Waves > Sand > Shores of the north",
            ],
        ),
        ("reverse", "SELECT COUNT(*) FROM articles", []),
        (
            "citing-for-cited",
            f"SELECT article_title FROM articles WHERE article_id IN {CITED}",
            ["Shores of the north, Tides, storms"],
        ),
        (
            "references-as-citations",
            f"SELECT COUNT(*) FROM articles WHERE article_id IN {CITING}",
            ["4"],
        ),
        ("references-as-citations", "SELECT SUM(reference_count) FROM articles WHERE author_count > 1", ["3", "1"]),
        ("references-as-citations", "SELECT SUM(author_count) FROM articles", []),
        ("boundary", "SELECT COUNT(*) FROM articles WHERE reference_count >= 30", ["0"]),
        ("boundary", "SELECT COUNT(*) FROM articles WHERE reference_count BETWEEN 10 AND 20", ["1", "1"]),
        ("boundary", "SELECT COUNT(*) FROM articles WHERE reference_count = 30", []),
        ("miscount", "SELECT COUNT(*) FROM articles", ["5", "3"]),
        ("miscount", "SELECT author_count FROM articles WHERE reference_count = 30", ["3, 4", "1, 2"]),
        (
            "miscount",
            "SELECT author_count, COUNT(*) FROM articles GROUP BY author_count",
            ["1:2, 2:3, 3:2", "1:0, 2:1, 3:0"],
        ),
        ("miscount", "SELECT AVG(author_count) FROM articles", []),
        ("miscount", "SELECT article_title FROM articles WHERE author_count = 2", []),
        ("ignore-distinct", "SELECT COUNT(DISTINCT reference_count) FROM articles", ["4"]),
        ("ignore-distinct", f"SELECT COUNT(DISTINCT author_name) FROM {JOINED} WHERE author_position = 1", ["4"]),
        ("ignore-distinct", "SELECT DISTINCT reference_count FROM articles WHERE author_count > 1", ["10, 30, 30"]),
        ("ignore-distinct", "SELECT COUNT(*) FROM articles", []),
        ("other-column", "SELECT MAX(reference_count) FROM articles", ["4", "3"]),
        ("wrong-position", f"SELECT DISTINCT author_name FROM {JOINED} WHERE author_position = 1", ["Lind, Wu"]),
        ("wrong-position", "SELECT COUNT(*) FROM articles", []),
        ("min-for-max", "SELECT MAX(reference_count) FROM articles", ["10"]),
        (
            "min-for-max",
            "SELECT author_count, MIN(reference_count) FROM articles GROUP BY author_count",
            ["1:20, 2:30, 3:30"],
        ),
        ("sum-for-avg", "SELECT AVG(reference_count) FROM articles", ["90"]),
        ("sum-for-avg", "SELECT SUM(reference_count) FROM articles", ["22.5"]),
        ("sum-for-avg", "SELECT MAX(reference_count) FROM articles", []),
        ("inverted-ratio", "SELECT 1.0 * COUNT(*) / SUM(author_count) FROM articles", ["2"]),
        ("miss-document", "SELECT COUNT(DISTINCT reference_count) FROM articles", ["2", "2", "3", "3"]),
        ("miss-document", f"SELECT COUNT(*) FROM articles WHERE article_id IN {CITED}", ["2", "1", "1", "1"]),
    ],
)
def test_a_fault_changes_the_answer_as_described(fault: str, statement: str, answers: list[str]) -> None:
    assert found(fault, statement) == answers


def test_all_citations_can_be_reversed() -> None:
    statement = f"SELECT article_title FROM articles WHERE article_id IN {CITING} AND article_id NOT IN {CITED}"
    assert found("citing-for-cited", statement) == ["NULL", "NULL", "Sand, Waves"]


def test_division_by_zero_gives_no_answer() -> None:
    statement = "SELECT AVG(1.0 * author_count / reference_count) FROM articles"
    assert found("references-as-citations", statement) == ["NULL", "NULL"]


def test_a_simulated_reader_has_a_setting_for_every_fault() -> None:
    assert tuple(fault.name for fault in FAMILY.simulated_faults) == ("miss", *FAULTS)
    assert all(name == fault.name and fault.describe for name, fault in FAULTS.items())


def test_missed_articles_are_gone_from_every_table() -> None:
    """Against SQL over the tables with these rows deleted and all numbers as they were."""
    rng, database = Random(3), open_database()
    for template in templates()[::4]:
        program = bound(template)
        tables = random_tables(rng, constants(program))
        missing = frozenset(rng.sample(range(1, len(tables.articles) + 1), rng.randint(1, len(tables.articles))))
        tables.load(database)
        for number in missing:
            database.execute("DELETE FROM articles WHERE article_id = ?", [number])
            database.execute("DELETE FROM article_author WHERE article_id = ?", [number])
            database.execute("DELETE FROM citing_cited WHERE ? IN (article_id_citing, article_id_cited)", [number])
        left = tables.without(missing)
        assert same(database, program, left), (literal(program, SCHEMA), missing)


def test_a_fault_applies_after_articles_were_missed() -> None:
    statement = "SELECT SUM(reference_count) FROM articles"
    variations = list(
        FAULTS["references-as-citations"].variations(Interpretation(parse(statement), TABLES, frozenset({2})))
    )
    assert [plain(variation.reading.answer()) for variation in variations] == ["1", "1"]
    again = list(FAULTS["miss-document"].variations(Interpretation(parse(statement), TABLES, frozenset({2}))))
    assert [plain(variation.reading.answer()) for variation in again] == ["60", "40", "40"]


def test_every_program_with_a_fault_can_be_evaluated() -> None:
    """By SQLite and by the second evaluation, over collections with values around the constants of the program."""
    rng, database = Random(8), open_database()
    applied: Counter[str] = Counter()
    for template in templates():
        program = bound(template)
        tables = random_tables(rng, constants(program))
        for name, fault in FAULTS.items():
            for detail, reading in fault.variations(Interpretation(program, tables)):
                applied[name] += 1
                assert detail
                reading.answer()
                # A faulty reading may divide by a count that is zero; its answer is then unknown, and SQLite's is NULL.
                if not template.divisors and rng.random() < 0.2:
                    reading.seen.load(database)
                    assert same(database, reading.program, reading.seen), literal(reading.program, SCHEMA)
    assert min(applied[name] for name in FAULTS if name not in OWN_TEMPLATES) >= 5, applied


def test_wrong_answers_differ_from_the_correct_one_and_name_their_fault() -> None:
    rng = Random(4)
    for template in templates()[::5]:
        program = bound(template)
        tables = random_tables(rng, constants(program))
        correct = answer_of_tables(program, tables)
        wrong = list(wrong_answers(program, tables, tuple(FAULTS.values())))
        assert all(not agrees(correct, one.answer) and one.fault in FAULTS for one in wrong)
        assert all(normal_form(one.answer) != normal_form(correct) for one in wrong)
        faults = [one.fault for one in wrong]
        assert faults == sorted(faults, key=list(FAULTS).index)


def test_a_fault_that_leaves_the_answer_correct_is_not_listed() -> None:
    """A sum over one article is its mean, and a set may be stated with repeats."""
    for statement in (
        "SELECT AVG(reference_count) FROM articles WHERE author_count = 3",
        "SELECT DISTINCT reference_count FROM articles WHERE author_count = 2",
    ):
        faults = {one.fault for one in wrong_answers(parse(statement), TABLES, tuple(FAULTS.values()))}
        assert not faults & {"sum-for-avg", "ignore-distinct"}
        assert "other-column" in faults


def test_a_fault_applies_one_of_its_variations() -> None:
    reading = Interpretation(parse("SELECT MAX(reference_count) FROM articles"), TABLES)
    variations = [variation.reading for variation in FAULTS["other-column"].variations(reading)]
    applied = [FAULTS["other-column"].apply(reading, Random(seed)) for seed in range(20)]
    assert {variations.index(one) for one in applied if one is not None} == {0, 1}
    assert FAULTS["reverse"].apply(reading, Random(0)) is None


def bound(template: Template) -> Program:
    words: dict[str, Constant] = {
        "name": "Lind",
        "title": "Tides",
        "fragment": "tle 1",
        "few": 2,
        "position": 2,
        "number": 4,
    }
    values: dict[Slot, Constant] = {slot: words[slot.kind] for slot in template.slots}
    return bind(template.program, values)


def same(database: sqlite3.Connection, program: Program, tables: Database) -> bool:
    """Whether SQLite and the evaluator give one answer."""
    rows = database.execute(literal(program, SCHEMA)).fetchall()
    theirs = answer_of(program, rows, SCHEMA, tables.aliases)
    ours = answer_of(program, tables.evaluation.run(program), SCHEMA, tables.aliases)
    return normal_form(theirs) == normal_form(ours)
