"""Templates of users: a bad one is rejected with its position, and the others still work."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from fathom.records.errors import FathomError
from fathom.tasks.numeric.schema import REFERENCES, SCHEMA
from fathom.tasks.numeric.user_templates import parse, read_templates, read_user_templates
from fathom.tasks.numeric.wording import ArticleWords
from fathom.tasks.programs.mutants import mutants
from fathom.tasks.programs.sql import literal
from fathom.tasks.programs.tree import slots

GOOD = [
    "SELECT MAX(author_count) FROM articles",
    "SELECT title_word_count FROM articles ORDER BY author_count ASC",
    "SELECT author_name FROM article_author WHERE author_position < {author-position}",
    "SELECT SUM(title_word_count) FROM articles WHERE reference_count = {reference-count}",
    "SELECT author_count FROM articles WHERE title_word_count % 2 = 1 ORDER BY title_word_count DESC",
    "SELECT COUNT(*) FROM articles WHERE article_id NOT IN (SELECT article_id_citing FROM citing_cited)"
    " AND article_id IN (SELECT article_id_cited FROM citing_cited)",
    "SELECT article_title FROM articles WHERE article_title LIKE '%{article-title-fragment}%'",
    "SELECT AVG(author_count) FROM articles WHERE article_title LIKE {article-title-fragment}",
    "SELECT article_title FROM articles WHERE article_title NOT LIKE '%deep%'",
    "SELECT COUNT(*) FROM articles WHERE article_id IN"
    " (SELECT article_id FROM article_author WHERE author_name = '{author-name}')",
    "SELECT AVG(reference_count) FROM articles WHERE author_count BETWEEN {author-count} AND {author-count}",
    "SELECT article_title FROM articles ORDER BY reference_count DESC LIMIT 2",
    "SELECT article_title, author_count FROM articles WHERE reference_count > {reference-count}",
    "SELECT author_name FROM article_author WHERE author_position <= 2 ORDER BY author_position",
    "SELECT author_name, COUNT(*) FROM article_author GROUP BY author_name HAVING COUNT(*) > 1",
    "SELECT MAX(reference_count) - MIN(reference_count) FROM articles",
    "SELECT article_title FROM articles WHERE reference_count > (SELECT AVG(reference_count) FROM articles)",
    "SELECT COUNT(*) FROM articles GROUP BY author_count ORDER BY author_count",
    "SELECT article_title FROM articles ORDER BY (SELECT COUNT(*) FROM citing_cited c"
    " WHERE c.article_id_cited = articles.article_id) DESC",
]

BAD = [
    ("SELEC author_count FROM articles", "Unexpected token"),
    ("SELECT COUNT( FROM articles", "Expect"),
    ("SELECT citations FROM articles", "no column 'citations'"),
    ("SELECT author_count FROM papers", "no table 'papers'"),
    ("SELECT COUNT(*) FROM articles WHERE author_count = {authors}", "unknown placeholder '{authors}'"),
    ("DELETE FROM articles", "only read"),
    ("DROP TABLE articles", "only read"),
    ("SELECT 1 FROM articles; DROP TABLE articles", "only read"),
    ("PRAGMA writable_schema = 1", "only read"),
    ("ATTACH 'x' AS y", "only read"),
    ("SELECT author_count FROM articles LIMIT 3", "LIMIT without ORDER BY"),
    ("SELECT article_title FROM articles ORDER BY reference_count LIMIT 1 OFFSET 2", "OFFSET"),
    ("SELECT * FROM articles", "all columns"),
    ("SELECT MIN(author_count), MAX(author_count) FROM articles", "several results"),
    ("SELECT load_extension('x') FROM articles", "it uses LOAD_EXTENSION"),
    ("SELECT reference_count, COUNT(*) FROM articles GROUP BY author_count", "arbitrary"),
    ("SELECT SUM(author_count) FROM article_author JOIN articles USING (article_id)", "more than once"),
    (
        "SELECT article_title FROM articles JOIN article_author USING (article_id) WHERE author_position < 3",
        "add DISTINCT",
    ),
    ("SELECT article_title FROM articles ORDER BY reference_count / author_count DESC", "drops the remainder"),
    ("SELECT AVG(reference_count) / COUNT(author_count) + 1 FROM articles WHERE 1 / 2 > 0", ""),
    ("SELECT COUNT(*) FROM articles WHERE author_count > {author-name}", "a name in place of a number"),
    ("WITH x AS (SELECT 1) SELECT MAX(n) FROM x", ""),
    ("SELECT MAX(reference_count) FROM articles, article_author a, article_author b", "the key that joins a"),
    ("SELECT COUNT(*) FROM articles WHERE reference_count < 99999999999999999999", "not a number"),
    ("SELECT COUNT(*) FROM articles WHERE " + "(" * 1500 + "author_count > 1" + ")" * 1500, ""),
    ("SELECT COUNT(DISTINCT) FROM articles", ""),
    ("SELECT COUNT(*) FROM articles WHERE reference_count < 2.5", "not a whole number"),
    ("SELECT article_title FROM articles ORDER BY RANDOM()", "it uses RAND"),
    ("SELECT relation_id FROM citing_cited", "relation_id"),
    ("SELECT article_id FROM articles ORDER BY article_id", "internal number"),
    ("SELECT article_title, RANK() OVER (ORDER BY reference_count) FROM articles", "window function"),
    ("SELECT article_title FROM articles WHERE author_count IS NOT NULL", "never NULL"),
    # What no collection, or every collection, meets.
    ("SELECT author_count, COUNT(*) FROM articles GROUP BY author_count HAVING COUNT(*) > 20", "selects nothing"),
    ("SELECT author_name FROM article_author WHERE author_position = 0", "counted from one"),
    ("SELECT author_name FROM article_author WHERE author_position >= 1", "excludes nothing"),
    ("SELECT COUNT(*) FROM articles WHERE author_count > 100000", "selects nothing"),
    ("SELECT COUNT(*) FROM articles WHERE reference_count > 5 AND author_count >= 0", "a part of its condition"),
    ("SELECT COUNT(*) FROM articles WHERE author_count = 2 OR reference_count > 90000", "a part of its condition"),
    ("SELECT MIN(author_position) FROM article_author", "the same in every collection"),
    ("SELECT article_title FROM articles WHERE author_count = 2 ORDER BY author_count", "the same in every row"),
    (
        "SELECT article_title FROM articles WHERE article_id IN (SELECT article_id FROM articles)",
        "excludes nothing",
    ),
]


ALL = Path(__file__).parents[3] / "benchmarks" / "templates.toml"


def test_templates_of_the_benchmark_are_accepted() -> None:
    """Every tenth; `benchmarks/templates.py` has all of them."""
    sections = tomllib.loads(ALL.read_text())
    sections.pop("refused")
    statements = [text for section in sections.values() for text in section["accepted"]]
    assert len(statements) > 400
    for text in statements[::10]:
        parse(text, own=False)


def write(path: Path, statements: list[str]) -> Path:
    path.write_text(json.dumps([{"type": "mine", "focus": "test", "sql": text} for text in statements], indent=1))
    return path


def test_templates_like_those_of_the_paper_are_parsed(tmp_path: Path) -> None:
    read = read_user_templates(write(tmp_path / "mine.json", GOOD))
    assert read.rejected == ()
    assert len(read.templates) == len(GOOD)
    assert all(dict(template.labels) == {"type": "mine", "focus": "test"} for template in read.templates)


@pytest.mark.parametrize(("statement", "why"), BAD, ids=[text[:60] for text, _ in BAD])
def test_a_bad_template_is_rejected_and_the_others_work(tmp_path: Path, statement: str, why: str) -> None:
    read = read_user_templates(write(tmp_path / "mine.json", [GOOD[0], statement, GOOD[1]]))
    assert len(read.templates) == 2
    (rejected,) = read.rejected
    assert rejected.position == "template 2, line 10"
    assert why in rejected.reason, rejected.reason
    assert "\n" not in rejected.reason


def test_quotes_in_values_are_escaped() -> None:
    program = parse(
        "SELECT COUNT(*) FROM articles WHERE article_id IN (SELECT article_id FROM article_author"
        " WHERE author_name = 'O''Connell; DROP TABLE articles')"
    )
    assert "O'Connell; DROP TABLE articles" in str(program)


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT COUNT(*) FROM articles WHERE reference_count - author_count > -3",
        "SELECT DISTINCT author_name FROM article_author JOIN articles USING (article_id)"
        " WHERE author_name IN (SELECT author_name FROM article_author)",
    ],
)
def test_statements_are_parsed_back(statement: str) -> None:
    assert literal(parse(statement), SCHEMA) == statement


# Each pair is worded differently in SQL and means the same.
SAME = [
    (
        "SELECT author_name FROM article_author WHERE article_id IN (SELECT article_id FROM articles WHERE"
        " reference_count > 30)",
        "SELECT DISTINCT b.author_name FROM articles a JOIN article_author b ON a.article_id = b.article_id"
        " WHERE a.reference_count > 30",
    ),
    (
        "SELECT author_name FROM article_author NATURAL JOIN articles WHERE reference_count > 30",
        "SELECT x.author_name FROM article_author x, articles y WHERE y.article_id = x.article_id"
        " AND y.reference_count > 30",
    ),
    (
        "SELECT article_title FROM articles WHERE article_id IN (SELECT article_id_cited FROM citing_cited)",
        "SELECT article_title FROM articles a WHERE EXISTS (SELECT 1 FROM citing_cited c"
        " WHERE c.article_id_cited = a.article_id)",
    ),
    (
        "SELECT article_title FROM articles WHERE NOT (author_count > 3 OR reference_count > 30)",
        "SELECT article_title FROM articles WHERE NOT author_count > 3 AND NOT reference_count > 30",
    ),
    (
        "SELECT COUNT(article_id) FROM articles WHERE 3 < author_count",
        "SELECT COUNT(*) FROM articles WHERE author_count > 3",
    ),
    (
        "WITH t AS (SELECT author_name, COUNT(*) AS n FROM article_author GROUP BY author_name) SELECT MAX(n) FROM t",
        "SELECT MAX(c) FROM (SELECT COUNT(*) AS c FROM article_author GROUP BY author_name)",
    ),
    (
        "SELECT author_name FROM (SELECT author_name, COUNT(*) AS n FROM article_author GROUP BY author_name)"
        " WHERE n > 1",
        "SELECT author_name FROM article_author GROUP BY author_name HAVING COUNT(*) > 1",
    ),
    (
        "SELECT a.article_title, COUNT(*) FROM articles a JOIN citing_cited c ON c.article_id_cited = a.article_id"
        " GROUP BY a.article_id HAVING COUNT(*) >= 2",
        "SELECT article_id_cited, COUNT(*) AS n FROM citing_cited GROUP BY 1 HAVING n > 1",
    ),
    (
        "SELECT reference_count FROM articles ORDER BY reference_count DESC LIMIT 1",
        "SELECT MAX(reference_count) FROM articles",
    ),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_one_meaning_is_one_program(one: str, other: str) -> None:
    assert parse(one, own=False) == parse(other, own=False)


# One template of each form, and a part of its wording.
FORMS = [
    ("SELECT article_title FROM articles WHERE author_count > title_word_count", "the number of words in the title"),
    ("SELECT author_name FROM article_author WHERE author_position % 2 = 0", "listed at an even position"),
    ("SELECT author_name FROM article_author WHERE author_position BETWEEN 2 AND 3", "at a position between 2 and 3"),
    ("SELECT author_name FROM article_author WHERE author_position IN (1, 3)", "at position 1 or 3"),
    (
        "SELECT author_name FROM article_author JOIN articles USING (article_id) WHERE author_position = author_count",
        "listed at the last position",
    ),
    (
        "SELECT author_name FROM article_author WHERE author_position < 3 ORDER BY author_position",
        "author-list entries",
    ),
    ("SELECT COUNT(author_name) FROM article_author WHERE author_position = 2", "author-list entries are there whose"),
    (
        "SELECT author_name FROM article_author GROUP BY author_name HAVING COUNT(*) > 1",
        "authors of more than 1 of the",
    ),
    ("SELECT author_name, COUNT(*) FROM article_author GROUP BY author_name", "For each author of the articles"),
    ("SELECT COUNT(*) FROM articles GROUP BY author_count", "What is the number of articles in each group?"),
    (
        "SELECT MAX(reference_count) - MIN(reference_count) FROM articles",
        "the difference between the largest and the smallest value of the number of references",
    ),
    (
        "SELECT article_title FROM articles ORDER BY (SELECT COUNT(*) FROM citing_cited c"
        " WHERE c.article_id_cited = articles.article_id) DESC LIMIT 1",
        "has the largest number of other articles that cite it",
    ),
    (
        "SELECT article_title FROM articles WHERE (author_count = 1 OR reference_count > 30) AND title_word_count < 9",
        "that belong to both of these groups: (1) the articles whose number of authors",
    ),
    (
        "SELECT COUNT(*) FROM articles WHERE article_id IN (SELECT article_id FROM article_author"
        " WHERE author_name = 'A. Lee' AND author_position = 1)",
        "that list A. Lee at position 1 in their author list",
    ),
    (
        "SELECT article_title FROM articles WHERE author_count > (SELECT author_count FROM articles"
        " WHERE article_title = 'Deep Words')",
        "greater than the number of authors of the article “Deep Words”",
    ),
    (
        "SELECT author_name FROM article_author WHERE article_id IN (SELECT article_id FROM article_author"
        " WHERE author_name = 'A. Lee') AND author_name <> 'A. Lee'",
        "the articles that have A. Lee among their authors and who are not A. Lee",
    ),
    (
        "SELECT article_title FROM articles WHERE article_id IN (SELECT article_id_citing FROM citing_cited WHERE"
        " article_id_cited IN (SELECT article_id FROM articles WHERE reference_count > 30))",
        "that cite at least one of the articles whose number of references is greater than 30",
    ),
    ("SELECT article_title, reference_count FROM articles WHERE author_count > 3", "give the title and the number of"),
    (
        "SELECT SUM(reference_count) - SUM(author_count) FROM articles",
        "the result of subtracting the sum of the number of authors from the sum of the number of references",
    ),
    ("SELECT DISTINCT author_name FROM article_author WHERE author_position > 3", "listed after position 3 in"),
    ("SELECT DISTINCT author_name FROM article_author WHERE author_position >= 3", "at position 3 or later in"),
    ("SELECT DISTINCT author_name FROM article_author WHERE NOT author_position < 3", "at position 3 or later in"),
    ("SELECT DISTINCT author_name FROM article_author WHERE author_position < 3", "listed before position 3 in"),
    ("SELECT DISTINCT author_name FROM article_author WHERE author_position <= 3", "at position 3 or earlier in"),
    ("SELECT author_name FROM article_author GROUP BY author_name HAVING COUNT(*) > 1", "If there are no such people,"),
]


@pytest.mark.parametrize(("statement", "words"), FORMS, ids=[text[:70] for text, _ in FORMS])
def test_forms_are_worded_and_parsed_back(statement: str, words: str) -> None:
    program = parse(statement, own=False)
    assert words in ArticleWords(SCHEMA).question(program)
    assert parse(literal(program, SCHEMA)) == program
    assert program.where is None or list(mutants(program, SCHEMA))


@pytest.mark.parametrize(
    "written",
    [
        "{reference_count}",
        "{{reference-count}}",
        "<reference-count>",
        "[reference-count]",
        ":reference_count",
        "{number}",
    ],
)
def test_placeholders_in_other_spellings(written: str) -> None:
    program = parse(f"SELECT COUNT(*) FROM articles WHERE reference_count > {written}", own=False)
    assert [(slot.kind, slot.of) for slot in slots(program)] == [("number", REFERENCES)]


def test_an_excluded_name_is_the_one_that_was_given() -> None:
    program = parse(FORMS[15][0].replace("A. Lee", "{author-name}"), own=False)
    assert [slot.kind for slot in slots(program)] == ["name"]
    both = "SELECT article_title FROM articles WHERE author_count BETWEEN {author-count} AND {author-count}"
    assert len(slots(parse(both, own=False))) == 2


@pytest.mark.parametrize("content", ["", "{}", "[", '[{"sql": 4}]', "[1]", '[{"query": "SELECT 1"}]', "[]"])
def test_a_file_without_templates_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "mine.json").write_text(content)
    with pytest.raises(FathomError, match=r"(not JSON|not a list|can be used)"):
        read_templates(tmp_path / "mine.json")


def test_an_endless_statement_is_stopped(tmp_path: Path) -> None:
    tables = ", ".join(f"article_author t{number}" for number in range(9))
    joined = " AND ".join(f"t{number}.article_id = articles.article_id" for number in range(9))
    endless = f"SELECT COUNT(DISTINCT author_count) FROM articles, {tables} WHERE {joined}"
    read = read_user_templates(write(tmp_path / "mine.json", [endless]))
    assert "SQLite rejects it: interrupted" in read.rejected[0].reason


def test_a_huge_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.json").write_text("[" * 3_000_000)
    with pytest.raises(FathomError, match="larger than"):
        read_user_templates(tmp_path / "mine.json")
    (tmp_path / "mine.json").write_text("[" * 200_000)
    with pytest.raises(FathomError, match="not JSON"):
        read_user_templates(tmp_path / "mine.json")
