"""Templates of users: a bad one is rejected with its position, and the others still work."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fathom.records.errors import FathomError
from fathom.tasks.numeric.schema import SCHEMA
from fathom.tasks.numeric.user_templates import parse, read_templates, read_user_templates
from fathom.tasks.programs.parse import _Parser
from fathom.tasks.programs.sql import literal

GOOD = [
    "SELECT MAX(author_count) FROM articles",
    "SELECT title_word_count FROM articles ORDER BY author_count ASC",
    "SELECT author_name FROM article_author WHERE author_position < {author-position}",
    "SELECT SUM(title_word_count) FROM articles WHERE reference_count = {reference-count}",
    "SELECT author_count FROM articles WHERE title_word_count % 2 = 1 ORDER BY title_word_count DESC",
    "SELECT COUNT(*) FROM articles WHERE article_id NOT IN (SELECT article_id_citing FROM citing_cited)"
    " AND article_id IN (SELECT article_id_cited FROM citing_cited)",
    "SELECT article_title FROM articles WHERE article_title LIKE '%{article-title-fragment}%'",
    "SELECT article_title FROM articles WHERE article_title NOT LIKE '%deep%'",
    "SELECT COUNT(*) FROM articles WHERE article_id IN"
    " (SELECT article_id FROM article_author WHERE author_name = '{author-name}')",
    "SELECT AVG(reference_count) FROM articles WHERE author_count BETWEEN {author-count} AND {author-count}",
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
    ("SELECT author_count FROM articles LIMIT 3", "LIMIT"),
    ("SELECT article_title, author_count FROM articles", "more than one column"),
    ("SELECT load_extension('x') FROM articles", "is not one of"),
    ("SELECT COUNT(*) FROM articles WHERE NOT (author_count > 2 AND reference_count > 3)", "too many readings"),
    ("SELECT author_count, COUNT(DISTINCT reference_count) FROM articles GROUP BY author_count", "counts rows"),
    (
        "SELECT SUM(reference_count) FROM article_author JOIN articles USING (article_id)",
        "although it asks",
    ),
    (
        "SELECT SUM(author_count) FROM article_author JOIN articles USING (article_id) WHERE author_position < 3",
        "only names",
    ),
    ("SELECT article_title FROM articles ORDER BY reference_count / author_count DESC", "meaning was not understood"),
    (
        "SELECT COUNT(*) FROM articles WHERE (reference_count > 3 OR author_count = 2) AND title_word_count < 9",
        "two conditions",
    ),
    ("SELECT author_count, COUNT(*) FROM articles GROUP BY author_count ORDER BY author_count", "can be sorted"),
    ("SELECT COUNT(*) FROM articles WHERE author_count > {author-name}", "a name in place of a number"),
    ("WITH x AS (SELECT 1) SELECT MAX(reference_count) FROM articles", "one table"),
    ("SELECT MAX(reference_count) FROM articles, article_author a, article_author b", "one table"),
    ("SELECT COUNT(*) FROM articles WHERE reference_count < 99999999999999999999", "not a number"),
    ("SELECT COUNT(*) FROM articles WHERE " + "(" * 1500 + "author_count > 1" + ")" * 1500, ""),
    ("SELECT COUNT(DISTINCT) FROM articles", ""),
    ("SELECT COUNT(*) FROM articles WHERE reference_count < 2.5", "not a whole number"),
    ("SELECT SUM((author_count + 1) * reference_count) FROM articles", "nests arithmetic"),
    ("SELECT COUNT(*) FROM articles WHERE author_count > reference_count", "compares two measures"),
    (
        "SELECT author_count, COUNT(*) FROM articles GROUP BY author_count HAVING COUNT(*) > 2",
        "no built-in template has",
    ),
    (
        "SELECT article_title FROM articles WHERE author_count > (SELECT AVG(author_count) FROM articles)",
        "no built-in template has",
    ),
    (
        "SELECT MAX(reference_count) FROM articles WHERE article_id IN (SELECT article_id_citing FROM citing_cited"
        " WHERE article_id_cited IN (SELECT article_id FROM articles))",
        "not understood",
    ),
]


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


@pytest.mark.parametrize("content", ["", "{}", "[", '[{"sql": 4}]', "[1]", '[{"query": "SELECT 1"}]', "[]"])
def test_a_file_without_templates_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "mine.json").write_text(content)
    with pytest.raises(FathomError, match=r"(not JSON|not a list|can be used)"):
        read_templates(tmp_path / "mine.json")


def test_an_endless_statement_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If a cross join got past the parser, SQLite would stop it."""
    monkeypatch.setattr(_Parser, "_check_sources", lambda self, select: None)
    tables = ", ".join(f"article_author t{number}" for number in range(9))
    read = read_user_templates(write(tmp_path / "mine.json", [f"SELECT MAX(reference_count) FROM articles, {tables}"]))
    assert read.templates == ()


def test_a_huge_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.json").write_text("[" * 3_000_000)
    with pytest.raises(FathomError, match="larger than"):
        read_user_templates(tmp_path / "mine.json")
    (tmp_path / "mine.json").write_text("[" * 200_000)
    with pytest.raises(FathomError, match="not JSON"):
        read_user_templates(tmp_path / "mine.json")
