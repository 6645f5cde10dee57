"""Hostile statements are stopped without effect; harmless ones have the same result as without a guard."""

from __future__ import annotations

import os
import signal
import sqlite3
import threading
import time
from collections.abc import Iterator

import pytest

from fathom.records.errors import FathomError
from fathom.systems.sql_guard import RefusedQuery, StatementLimits, guarded, run_guarded
from fathom.tasks.numeric.tables import open_database
from fathom.tasks.numeric.templates import templates

SMALL = StatementLimits(seconds=0.3)


@pytest.fixture
def database() -> Iterator[sqlite3.Connection]:
    """Sixty documents with three authors each, citing one another."""
    made = open_database()
    for number in range(1, 61):
        made.execute(
            "INSERT INTO articles VALUES (?, ?, ?, 3, ?)",
            (number, f"On the {number}th ö of 'Nets'", number % 9 + 1, number % 40),
        )
        for position in (1, 2, 3):
            made.execute(
                "INSERT INTO article_author (article_id, author_name, author_position) VALUES (?, ?, ?)",
                (number, f"Name {(number * position) % 50}", position),
            )
        made.execute(
            "INSERT INTO citing_cited (article_id_citing, article_id_cited) VALUES (?, ?)", (number, number % 7 + 1)
        )
    yield made
    made.close()


ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
LONG = "WITH RECURSIVE s(t) AS (SELECT 'aaaaaaaaaa' UNION ALL SELECT t || t FROM s) "
CROSS = " FROM article_author a, article_author b, article_author c, article_author d"
FLATTENED = (
    "WITH a0(x) AS (SELECT article_id + 1 FROM articles), "
    + ", ".join(f"a{level}(x) AS (SELECT x + x FROM a{level - 1})" for level in range(1, 60))
    + " SELECT x FROM a59"
)
FEW_BUT_WIDE = (
    "SELECT {0} FROM (SELECT {0} AS x FROM (SELECT {0} AS x FROM (SELECT article_id + 1 AS x FROM articles)))"
).format("+".join(["x"] * 120))
ODD_NAMES = FEW_BUT_WIDE.replace("x", '"!"')
SUBQUERIES = (
    "WITH a0(x) AS (SELECT article_id FROM articles), "
    + ", ".join(f"a{n}(x) AS (SELECT (SELECT x FROM a{n - 1}) + (SELECT x FROM a{n - 1}))" for n in range(1, 40))
    + " SELECT x FROM a39"
)
COPIES = (
    "WITH a0(x) AS (SELECT 1), "
    + ", ".join(f"a{n}(x) AS (SELECT x FROM a{n - 1} UNION ALL SELECT x FROM a{n - 1})" for n in range(1, 40))
    + " SELECT x FROM a39"
)
SLOW_STEPS = (
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n), "
    "s(t) AS (SELECT 'a' UNION ALL SELECT t || t FROM s WHERE length(t) < 8000), "
    "long(t) AS MATERIALIZED (SELECT max(t) FROM s) "
)

HOSTILE = {
    "insert": "INSERT INTO articles VALUES (99, 'x', 1, 1, 1)",
    "insert returning": "INSERT INTO articles VALUES (99, 'x', 1, 1, 1) RETURNING article_id",
    "update": "UPDATE articles SET author_count = 0",
    "delete": "DELETE FROM articles",
    "delete returning": "DELETE FROM articles RETURNING *",
    "replace": "REPLACE INTO articles VALUES (1, 'x', 1, 1, 1)",
    "upsert": "INSERT INTO articles VALUES (1, 'x', 1, 1, 1) ON CONFLICT DO UPDATE SET author_count = 9",
    "drop": "DROP TABLE articles",
    "alter": "ALTER TABLE articles RENAME TO gone",
    "create": "CREATE TABLE more (x)",
    "create as": "CREATE TABLE more AS SELECT * FROM articles",
    "create temp": "CREATE TEMP TABLE more (x)",
    "create view": "CREATE VIEW more AS SELECT 1",
    "create index": "CREATE INDEX more ON articles (author_count)",
    "create trigger": "CREATE TRIGGER more AFTER INSERT ON articles BEGIN DELETE FROM articles; END",
    "create virtual": "CREATE VIRTUAL TABLE more USING fts5(x)",
    "attach": "ATTACH '/tmp/guard-must-not-make-this.db' AS other",
    "detach": "DETACH main",
    "pragma": "PRAGMA query_only = 0",
    "pragma read": "PRAGMA table_info(articles)",
    "pragma function": "SELECT name FROM pragma_table_info('articles')",
    "pragma function counted": "SELECT count(*) FROM pragma_table_info('articles')",
    "pragma functions": "SELECT * FROM pragma_function_list",
    "vacuum": "VACUUM",
    "vacuum into": "VACUUM INTO '/tmp/guard-must-not-make-this.db'",
    "reindex": "REINDEX",
    "analyze": "ANALYZE",
    "begin": "BEGIN",
    "begin immediate": "BEGIN IMMEDIATE",
    "commit": "COMMIT",
    "rollback": "ROLLBACK",
    "savepoint": "SAVEPOINT one",
    "release": "RELEASE one",
    "explain": "EXPLAIN SELECT 1",
    "explain plan": "EXPLAIN QUERY PLAN SELECT * FROM articles",
    "explain delete": "EXPLAIN DELETE FROM articles",
    "values": "VALUES (1)",
    "nothing": "",
    "only a comment": "-- SELECT 1",
    "only a semicolon": ";",
    "prose": "I would select the articles.",
    "two": "SELECT 1; SELECT 2",
    "select and drop": "SELECT 1; DROP TABLE articles",
    "comment and drop": "SELECT 1 /* ; */ ; /* */ DROP TABLE articles --",
    "drop behind a comment": "/* SELECT */ DROP TABLE articles",
    "drop behind a line": "-- SELECT 1\nDROP TABLE articles",
    "drop in an open comment's place": "/**/DROP/**/TABLE/**/articles",
    "with insert": "WITH x AS (INSERT INTO articles VALUES (99, 'x', 1, 1, 1) RETURNING 1) SELECT * FROM x",
    "with then insert": "WITH x(i) AS (SELECT 99) INSERT INTO articles SELECT i, 'x', 1, 1, 1 FROM x",
    "with then delete": "WITH x(i) AS (SELECT 1) DELETE FROM articles WHERE article_id IN (SELECT i FROM x)",
    "with then update": "WITH x(i) AS (SELECT 1) UPDATE articles SET author_count = 0",
    "with then replace": "WITH x(i) AS (SELECT 1) REPLACE INTO articles SELECT i, 'x', 1, 1, 1 FROM x",
    "master": "SELECT sql FROM sqlite_master",
    "master counted": "SELECT count(*) FROM sqlite_master",
    "master by its other name": "SELECT * FROM sqlite_schema",
    "master in a subquery": "SELECT (SELECT count(*) FROM main.sqlite_master) FROM articles",
    "temp master": "SELECT * FROM sqlite_temp_master",
    "statements": "SELECT * FROM sqlite_stmt",
    "pages": "SELECT * FROM dbstat",
    "page data": "SELECT * FROM sqlite_dbpage",
    "json table": "SELECT value FROM json_each('[1, 2]')",
    "json table counted": "SELECT count(*) FROM json_tree('[1, 2]')",
    "series": "SELECT * FROM generate_series(1, 1000000000)",
    "json": "SELECT json_group_array(author_name) FROM article_author",
    "extension": "SELECT load_extension('/tmp/x.so')",
    "extension in where": "SELECT 1 FROM articles WHERE load_extension('/tmp/x.so')",
    "extension in order": "SELECT 1 FROM articles ORDER BY load_extension('/tmp/x.so')",
    "readfile": "SELECT readfile('/etc/passwd')",
    "writefile": "SELECT writefile('/tmp/x', 'x')",
    "edit": "SELECT edit('x', 'sh')",
    "tokenizer": "SELECT fts3_tokenizer('simple')",
    "random": "SELECT random()",
    "randomblob": "SELECT length(randomblob(900000000))",
    "zeroblob": "SELECT zeroblob(900000000)",
    "printf": "SELECT length(printf('%.*c', 900000000, 'x'))",
    "format": "SELECT format('%900000000d', 1)",
    "hex": "SELECT hex(author_name) FROM article_author",
    "version": "SELECT sqlite_version()",
    "source": "SELECT sqlite_source_id()",
    "options": "SELECT sqlite_compileoption_get(1)",
    "offset": "SELECT sqlite_offset(article_id) FROM articles",
    "changes": "SELECT changes(), total_changes(), last_insert_rowid()",
    "now": "SELECT CURRENT_TIMESTAMP",
    "clock": "SELECT strftime('%s', 'now')",
    "quoted function": "SELECT \"load_extension\"('x')",
    "blob": "SELECT x'00ff'",
    "cast to blob": "SELECT CAST(article_title AS BLOB) FROM articles",
    "broken text": "SELECT CAST(x'ff' AS TEXT)",
    "endless": ENDLESS + "SELECT count(*) FROM n",
    "endless rows": ENDLESS + "SELECT i FROM n",
    "endless sort": ENDLESS + "SELECT i FROM n ORDER BY i % 7",
    "endless union": "WITH RECURSIVE n(i) AS (SELECT 1 UNION SELECT i + 1 FROM n) SELECT max(i) FROM n",
    "endless in where": ENDLESS + "SELECT 1 FROM articles WHERE 0 IN (SELECT i FROM n)",
    "endless texts": ENDLESS + "SELECT group_concat(i) FROM n",
    "cross": "SELECT count(*)" + CROSS,
    "cross rows": "SELECT a.author_name" + CROSS,
    "cross sort": "SELECT a.author_name" + CROSS + " ORDER BY b.author_name, c.author_name",
    "cross groups": "SELECT a.author_name, count(*)" + CROSS + " GROUP BY a.relation_id, b.relation_id, c.relation_id",
    "cross distinct": "SELECT DISTINCT a.relation_id, b.relation_id, c.relation_id" + CROSS,
    "cross window": "SELECT sum(a.relation_id) OVER (ORDER BY b.relation_id)" + CROSS,
    "cross rank": "SELECT rank() OVER (PARTITION BY a.author_name ORDER BY d.author_name)" + CROSS,
    "doubling": LONG + "SELECT length(t) FROM s",
    "doubling by replace": LONG.replace("t || t", "replace(t, 'a', 'aaaaaaaaaa')") + "SELECT length(t) FROM s",
    "doubling by concatenation": "SELECT group_concat(a.author_name || b.author_name)" + CROSS,
    "like": SLOW_STEPS + f"SELECT sum(t LIKE '{'%a' * 100}b' || i) FROM n, long",
    "like pattern": SLOW_STEPS + "SELECT t LIKE '%' || t || 'b' FROM long",
    "glob": SLOW_STEPS + f"SELECT sum(t GLOB '*{'[ab]' * 60}' || i) FROM n, long",
    "trim": SLOW_STEPS + "SELECT sum(length(trim(t, replace(substr(t, 1, 600), 'a', 'b') || i || 'a'))) FROM n, long",
    "instr": SLOW_STEPS + "SELECT sum(instr(t, substr(t, 1, 4000) || i)) FROM n, long",
    "flattened": FLATTENED,
    "few but wide": FEW_BUT_WIDE,
    "odd names": ODD_NAMES,
    "subqueries": SUBQUERIES,
    "copies": COPIES,
    "copies behind comments": COPIES.replace(" AS (", "/* AS ( */AS--\n("),
    "copies by odd names": COPIES.replace("(x) AS", '("(") AS').replace("SELECT x", 'SELECT "("'),
    "copies in a subquery": f"SELECT * FROM ({COPIES})",
    "nul": "SELECT 1\x00; DROP TABLE articles",
    "nul first": "\x00SELECT 1",
    "surrogate": "SELECT '\ud800'",
    "long": "SELECT 1 -- " + "x" * 20_000,
    "long and wide": "SELECT " + ", ".join(["1"] * 3_000),
    "deep": "SELECT " + "(" * 4_000 + "1" + ")" * 4_000,
    "deep minus": "SELECT " + "- " * 4_000 + "1",
    "deep plus": "SELECT " + "1+" * 4_000 + "1",
    "deep selects": "SELECT * FROM (" * 500 + "SELECT 1" + ")" * 500,
    "many selects": " UNION ALL ".join(["SELECT 1"] * 500),
    "many tables": "SELECT 1 FROM " + ", ".join(f"articles a{number}" for number in range(100)),
    "parameter": "SELECT * FROM articles WHERE article_id = ?",
    "named parameter": "SELECT :x",
    "numbered parameter": "SELECT ?900000",
    "no such column": "SELECT y FROM articles",
    "no such table": "SELECT 1 FROM elsewhere",
    "not SQL": "SELECT FROM WHERE",
    "open string": "SELECT 'a",
}


@pytest.mark.parametrize("statement", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_statement_is_stopped_and_changes_nothing(database: sqlite3.Connection, statement: str) -> None:
    before = list(database.iterdump())
    with pytest.raises(RefusedQuery) as refused:
        run_guarded(database, statement, SMALL)
    assert 5 < len(str(refused.value)) <= 200
    assert list(database.iterdump()) == before
    assert not database.in_transaction
    database.execute("INSERT INTO articles VALUES (99, 'mine', 1, 1, 1)")
    assert database.execute("SELECT count(*) FROM articles").fetchone() == (61,)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("insert", "writes are not allowed"),
        ("with then delete", "writes are not allowed"),
        ("explain", "is not one SELECT"),
        ("select and drop", "is not one SELECT"),
        ("endless", "took longer than 0.3 s"),
        ("endless rows", "returned more than 10,000 rows"),
        ("readfile", "no such function: readfile"),
        ("random", "the function random is not allowed"),
        ("master", "the table sqlite_master is not allowed"),
        ("json table", "table-valued functions are not allowed"),
        ("no such column", "no such column: y"),
        ("flattened", "is too complex"),
        ("few but wide", "is too complex"),
        ("odd names", "is too complex"),
        ("subqueries", "is too complex"),
        ("copies", "is too complex"),
        ("copies behind comments", "is too complex"),
        ("copies by odd names", "is too complex"),
        ("blob", "returned bytes; only numbers and text are allowed"),
        ("surrogate", "has invalid characters"),
    ],
)
def test_the_reason_is_given(database: sqlite3.Connection, name: str, reason: str) -> None:
    with pytest.raises(RefusedQuery) as refused:
        run_guarded(database, HOSTILE[name], SMALL)
    assert str(refused.value) == reason


def test_a_large_result_is_stopped_by_its_bytes(database: sqlite3.Connection) -> None:
    with pytest.raises(RefusedQuery, match="returned more than 1,000 bytes"):
        run_guarded(database, "SELECT author_name FROM article_author", StatementLimits(bytes=1_000))


HARMLESS = (
    "SELECT 1",
    "select 1;",
    "  -- why\n/* and how */ SELECT 1 -- so\n;\n",
    "/**/SELECT ';' || '--' || '/*'",
    "SELECT * FROM articles",
    "SELECT rowid, * FROM main.articles AS a",
    "SELECT count(*), count(DISTINCT author_name), sum(author_position), total(relation_id) FROM article_author",
    "SELECT avg(author_count), min(title_word_count), max(article_title) FROM articles",
    "SELECT abs(-1), round(2.567, 1), length('ö'), lower('A'), upper('a'), substr('abc', 2), instr('abc', 'b')",
    "SELECT replace('abc', 'b', 'x'), trim(' a '), ltrim(' a'), rtrim('a '), trim('xax', 'x')",
    "SELECT coalesce(NULL, 1), ifnull(NULL, 2), nullif(1, 1), iif(1, 'a', 'b'), typeof(1.5), CAST('12' AS INTEGER)",
    "SELECT article_title FROM articles WHERE article_title LIKE '%nets%' OR article_title GLOB '*Nets*'",
    "SELECT group_concat(author_name, '; ') FROM article_author WHERE article_id < 5",
    "SELECT author_name, COUNT(*) AS n FROM article_author GROUP BY author_name HAVING n > 2 ORDER BY n DESC, 1",
    "SELECT count(*) FROM (SELECT DISTINCT author_name FROM article_author)",
    "WITH c AS (SELECT DISTINCT author_name FROM article_author) SELECT count(*) FROM c",
    "WITH a AS (SELECT article_id AS i FROM articles), b AS (SELECT i FROM a WHERE i > 3), "
    "c AS (SELECT i * 2 AS j FROM b) SELECT sum(j), (SELECT count(*) FROM a) FROM c",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100) SELECT sum(i), count(*) FROM n",
    "SELECT article_id FROM articles WHERE NOT EXISTS (SELECT 1 FROM citing_cited WHERE article_id_cited = article_id)",
    "SELECT article_id FROM articles INTERSECT SELECT article_id_cited FROM citing_cited",
    "SELECT article_id FROM articles EXCEPT SELECT article_id_cited FROM citing_cited UNION SELECT -1",
    "SELECT a.article_title, b.author_name FROM articles a LEFT JOIN article_author b USING (article_id) ORDER BY 1, 2",
    "SELECT CASE WHEN author_count > 2 THEN 'many' ELSE 'few' END FROM articles",
    "SELECT article_id, row_number() OVER (ORDER BY reference_count, article_id), "
    "rank() OVER (ORDER BY reference_count), sum(author_count) OVER (PARTITION BY title_word_count) FROM articles",
    "SELECT article_id FROM articles WHERE article_id IN (" + ", ".join(map(str, range(500))) + ")",
    "SELECT count(*) FROM article_author WHERE " + " OR ".join(f"author_name = 'Name {n}'" for n in range(200)),
    'SELECT "article_id", [article_title], `author_count` FROM "articles" '
    "WHERE article_title = 'On the 3th ö of ''Nets'''",
    "SELECT NULL, 1.5, -3, 'text', 7 / 2, 7 % 2, 1 << 3, 1 || 2, 1 IS NOT NULL, 2 BETWEEN 1 AND 3",
    "SELECT article_id FROM articles WHERE 0",
)


@pytest.mark.parametrize("statement", HARMLESS)
def test_a_harmless_statement_has_the_same_result_without_a_guard(database: sqlite3.Connection, statement: str) -> None:
    plain = database.execute(statement)
    rows = tuple(plain.fetchall())
    result = run_guarded(database, statement)
    assert result.columns == tuple(about[0] for about in plain.description)
    assert result.rows == rows


def test_every_template_of_the_numeric_family_passes(database: sqlite3.Connection) -> None:
    examples = {"number": "7", "position": "2", "few": "1", "fragment": "'nets'", "name": "'Name 7'"}
    examples["title"] = "'On the 3th ö of ''Nets'''"
    given = 0
    for template in templates():
        statement = template.query.text
        for slot in template.query.slots:
            statement = statement.replace("?", examples[slot.kind], 1)
        rows = tuple(database.execute(statement).fetchall())
        assert run_guarded(database, statement).rows == rows, statement
        given += bool(rows)
    assert given > 300


# The connection afterwards.


def _state(database: sqlite3.Connection) -> list[object]:
    limits = [database.getlimit(number) for number in range(sqlite3.SQLITE_LIMIT_WORKER_THREADS + 1)]
    pragmas = [database.execute(f"PRAGMA {name}").fetchone()[0] for name in ("query_only", "trusted_schema")]
    return [*limits, *pragmas, database.row_factory, database.text_factory, database.isolation_level]


@pytest.mark.parametrize("name", ["insert", "endless", "doubling", "few but wide", "surrogate", "json table"])
def test_the_connection_is_restored(database: sqlite3.Connection, name: str) -> None:
    database.row_factory = sqlite3.Row
    database.text_factory = bytes
    database.setlimit(sqlite3.SQLITE_LIMIT_COLUMN, 77)
    database.execute("PRAGMA trusted_schema = 0")
    before = _state(database)
    with pytest.raises(RefusedQuery):
        run_guarded(database, HOSTILE[name], SMALL)
    assert run_guarded(database, "SELECT 'a', count(*) FROM articles").rows == (("a", 60),)
    assert _state(database) == before
    assert database.execute("SELECT name FROM sqlite_master").fetchone()["name"] == b"articles"
    assert database.execute("SELECT printf('%d', 3)").fetchone()[0] == b"3"
    database.execute("CREATE TABLE more (x)")
    database.executescript("BEGIN; INSERT INTO more VALUES (1); COMMIT; DROP TABLE more")


def test_statements_that_ran_before_are_checked_too(database: sqlite3.Connection) -> None:
    """SQLite caches prepared statements, and these were prepared without a guard."""
    for statement in (HOSTILE["master"], HOSTILE["json table"], HOSTILE["json table counted"], HOSTILE["random"]):
        database.execute(statement).fetchall()
        with pytest.raises(RefusedQuery, match="not allowed"):
            run_guarded(database, statement)


def test_an_open_transaction_is_left_as_it_is(database: sqlite3.Connection) -> None:
    database.execute("BEGIN")
    database.execute("DELETE FROM articles WHERE article_id > 10")
    assert run_guarded(database, "SELECT count(*) FROM articles").rows == ((10,),)
    for statement in ("COMMIT", "ROLLBACK", "WITH x(i) AS (SELECT 1) DELETE FROM articles"):
        with pytest.raises(RefusedQuery):
            run_guarded(database, statement)
    assert database.in_transaction
    database.execute("ROLLBACK")
    assert database.execute("SELECT count(*) FROM articles").fetchone() == (60,)


def test_views_of_the_caller_may_be_read_and_other_schemas_not(database: sqlite3.Connection) -> None:
    database.execute("CREATE VIEW short AS SELECT article_id FROM articles WHERE title_word_count < 3")
    database.execute("CREATE TEMP TABLE hidden AS SELECT 1 AS x")
    assert run_guarded(database, "SELECT count(*) FROM short").rows[0][0]
    with pytest.raises(RefusedQuery, match="the table hidden is not allowed"):
        run_guarded(database, "SELECT x FROM hidden")


def test_one_guard_serves_many_statements_and_ends_with_its_block(database: sqlite3.Connection) -> None:
    with guarded(database, SMALL) as run:
        for _ in range(3):
            assert run("SELECT count(*) FROM articles").rows == ((60,),)
            with pytest.raises(RefusedQuery, match="longer"):
                run(HOSTILE["endless"])
            with pytest.raises(RefusedQuery, match="writes"):
                run(HOSTILE["with then update"])
        with pytest.raises(FathomError, match="already guarded"):
            run_guarded(database, "SELECT 1")
        with pytest.raises(RefusedQuery, match="not allowed"):
            run(HOSTILE["master"])
    with pytest.raises(FathomError, match="guard has ended"):
        run("SELECT 1")


def test_connections_in_many_threads_do_not_disturb_one_another() -> None:
    given: list[object] = []

    def work(number: int) -> None:
        own = open_database()
        own.execute("INSERT INTO articles VALUES (?, 'x', 1, 1, 1)", (number,))
        given.extend(run_guarded(own, "SELECT article_id FROM articles").rows == ((number,),) for _ in range(20))
        own.close()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert given == [True] * 80


@pytest.mark.parametrize("pause", [0.01, 0.0])
def test_an_interrupt_by_the_caller_is_a_refusal(pause: float) -> None:
    """Also one that arrives while the guard is installed or removed, which leaves the connection as it was."""
    raised: list[str] = []
    own = sqlite3.connect(":memory:", check_same_thread=False)
    before = _state(own)

    def work() -> None:
        for _ in range(20):
            try:
                run_guarded(own, HOSTILE["endless"], StatementLimits(seconds=20))
            except RefusedQuery as refused:
                raised.append(str(refused))

    thread = threading.Thread(target=work)
    thread.start()
    while thread.is_alive():
        own.interrupt()
        time.sleep(pause)
    assert raised == ["was interrupted"] * 20
    assert _state(own) == before
    own.close()


@pytest.mark.skipif(os.name == "nt", reason="signals are sent otherwise there")
def test_control_c_is_not_swallowed(database: sqlite3.Connection) -> None:
    before = _state(database)
    # A shell that starts the tests in the background makes them ignore Ctrl-C.
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.2, signal.raise_signal, [signal.SIGINT])
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            run_guarded(database, HOSTILE["endless"], StatementLimits(seconds=60))
    finally:
        timer.join()
        signal.signal(signal.SIGINT, handler)
    assert _state(database) == before
    assert run_guarded(database, "SELECT count(*) FROM articles").rows == ((60,),)
