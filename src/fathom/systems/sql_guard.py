"""Runs untrusted SQL written by a language model: a single SELECT over the given tables, within limits.

The caller passes a connection to an in-memory database; its state is restored afterwards, except for an authorizer or a
progress handler, which SQLite cannot return.
"""

from __future__ import annotations

import re
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import chain
from math import prod
from typing import Any

from fathom.records.errors import FathomError
from fathom.systems.sql_parsing import first_word

_WORDS = re.compile(r"""\w+|[^\x00-\x7f\w]+|["`\[]""")
"""Names as SQLite tokenizes them, and quotation marks: a quoted name may have no letters."""
_MARKS = "\"'`[]"
_QUOTED = r"""(?:"[^"]*"|'[^']*'|`[^`]*`|\[[^\]]*\])"""
_NAME = rf"(?:{_QUOTED}|[\w$]+|[^\x00-\x7f\w]+)"
_NAMES = re.compile(rf"{_NAME}(?!\s*+\.)")
_COMMENT = re.compile(rf"({_QUOTED})|--[^\n]*|/\*(?s:.*?)(?:\*/|\Z)")
_AS = r"as\s*+(?:(?:not\s++)?+materialized\s*+)?+\("
_CTE = re.compile(rf"(?<![\w$]){_AS}")
_NAMED_CTE = re.compile(rf"({_NAME})\s*+(?:\([^()]*+\)\s*+)?+{_AS}")


def repeats(statement: str) -> int:
    """The number of occurrences of the most frequent word."""
    return max(Counter(_WORDS.findall(statement.lower())).values(), default=0)


def copies(statement: str) -> int:
    """An upper bound on the copies that SQLite makes of the CTEs: the product of how often each is used."""
    lowered = statement.lower()
    if "with" not in lowered:
        return 0
    text = _COMMENT.sub(lambda match: match[1] or " ", lowered)
    named = Counter(name.strip(_MARKS) for name in _NAMES.findall(text))
    named_ctes = [name.strip(_MARKS) for name in _NAMED_CTE.findall(text)]
    ctes = len(_CTE.findall(text))
    if len(named_ctes) == ctes:
        return prod(max(1, named[name] - 1) for name in named_ctes)
    # The name of some CTE was not recognized. Assume the most frequent names.
    return prod(count for _, count in named.most_common(ctes))


SqlValue = int | float | str | None


class RefusedQuery(Exception):  # noqa: N818 (a message to the model, not an error of the program)
    """The reason why a statement was refused or stopped, in words that can be shown to the model that wrote it."""


@dataclass(frozen=True)
class StatementLimits:
    """Limits on one statement."""

    seconds: float = 2.0
    rows: int = 10_000
    bytes: int = 1_000_000
    """The size of the whole result. A number counts as eight bytes."""
    length: int = 10_000
    """Bytes of the statement itself."""
    value: int = 20_000
    """Bytes of one text value, including literals in the statement. Some functions take quadratic time: trim() with
    1 MB of characters to remove ran for minutes within one step, where no deadline can stop it."""


@dataclass(frozen=True)
class StatementResult:
    """The complete result of a statement."""

    columns: tuple[str, ...]
    rows: tuple[tuple[SqlValue, ...], ...]


FUNCTIONS = frozenset(
    (
        *("count", "sum", "avg", "min", "max", "total", "group_concat", "string_agg"),
        *("abs", "round", "ceil", "ceiling", "floor", "sign", "sqrt", "pow", "power", "mod"),
        *("length", "lower", "upper", "substr", "substring", "instr", "replace", "trim", "ltrim", "rtrim"),
        *("coalesce", "ifnull", "nullif", "iif", "typeof", "like", "glob"),
        *("row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile"),
        *("lag", "lead", "first_value", "last_value", "nth_value"),
    )
)
"""The allowed functions. Others produce large values (printf), read files, describe SQLite, or depend on the time."""

_STEPS = 300
"""Virtual machine steps between two checks of the deadline: few, since a single step can be slow."""
_FETCHED = 50
"""Rows fetched from SQLite at a time: at most 100 MB, for the widest rows with the longest texts."""
_AUTHORIZATIONS = 2_000
"""The limit on authorizer calls while a statement is prepared. The queries of answer keys need a few dozen. In a chain
of CTEs that each name the previous one twice, the number doubles with every CTE."""
_PREPARE_SECONDS = 0.01
"""The limit on CPU time for preparing a statement. The queries of answer keys take less than 0.001 s."""
_REPEATS = 100
"""The limit on occurrences of one word in a statement with nested SELECTs. SQLite copies the expression of an inner
column to every place that names it, without checking the deadline: 22 CTEs of `SELECT x+x FROM` the previous one took
1.5 GB."""
_COPIES = 10_000
"""The limit on copies of CTEs, which SQLite makes before it calls the authorizer: 20 CTEs that each name the previous
one twice took 10 s and 1.5 GB, though they read no table."""

_LIMIT_VALUES = {
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 250,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 250,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 50,
    sqlite3.SQLITE_LIMIT_COLUMN: 100,
    sqlite3.SQLITE_LIMIT_VDBE_OP: 5_000,
    sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER: 0,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 0,
}

_WRITES = frozenset({"INSERT", "UPDATE", "DELETE", "REPLACE", "DROP", "ALTER", "CREATE"})
_NOT_TABLES = ("sqlite_", "pragma_", "json_", "fts", "rtree", "dbstat", "bytecode", "tables_used", "generate_series")


# Running.


def run_guarded(
    database: sqlite3.Connection,
    statement: str,
    limits: StatementLimits = StatementLimits(),  # noqa: B008 - frozen
) -> StatementResult:
    """The result of one statement; raises RefusedQuery with the reason if there is none."""
    with guarded(database, limits) as run:
        return run(statement)


@contextmanager
def guarded(
    database: sqlite3.Connection,
    limits: StatementLimits = StatementLimits(),  # noqa: B008
) -> Iterator[Callable[[str], StatementResult]]:
    """Yields a function that runs guarded statements. The caller must not run other statements inside the block."""
    guard = _Guard(database, limits)
    with _interrupted_as_refusal():
        state = _State.of(database)
    try:
        with _interrupted_as_refusal():
            guard.install()
        yield guard.run
    finally:
        guard.installed = False
        state.restore(database)


@dataclass(frozen=True)
class _State:
    """The state of a connection that the guard changes."""

    query_only: int
    trusted_schema: int
    numbers: Mapping[int, int]
    text_factory: Callable[[bytes], Any]

    @classmethod
    def of(cls, database: sqlite3.Connection) -> _State:
        """The current state of the connection."""
        try:
            return cls(
                _column(database, "PRAGMA query_only")[0],
                _column(database, "PRAGMA trusted_schema")[0],
                {number: database.getlimit(number) for number in (*_LIMIT_VALUES, *_BY_LIMITS)},
                database.text_factory,
            )
        except sqlite3.DatabaseError as error:
            # A nested guard would remove the outer one when it ends.
            if getattr(error, "sqlite_errorcode", 0) != sqlite3.SQLITE_AUTH:
                raise
            raise FathomError("Cannot guard this database: it is already guarded. Use the existing guard.") from error

    def restore(self, database: sqlite3.Connection) -> None:
        """Restore it. The authorizer is removed first: it would refuse the other changes."""
        database.set_authorizer(None)
        database.set_progress_handler(None, 0)
        for number, value in self.numbers.items():
            database.setlimit(number, value)
        database.text_factory = self.text_factory
        _column_despite_interrupts(database, f"PRAGMA trusted_schema = {self.trusted_schema}")
        _column_despite_interrupts(database, f"PRAGMA query_only = {self.query_only}")


@contextmanager
def _interrupted_as_refusal() -> Iterator[None]:
    """An interrupt may arrive before the query runs, in one of the guard's own statements."""
    try:
        yield
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_INTERRUPT:
            raise
        raise _interruption() from error


def _column_despite_interrupts(database: sqlite3.Connection, statement: str) -> list[Any]:
    """The same where giving up would leave the connection guarded: an interrupt ends one statement, not the next."""
    while True:
        try:
            return _column(database, statement)
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_INTERRUPT:
                raise


def _column(database: sqlite3.Connection, statement: str) -> list[Any]:
    """The first column of the result, independent of the caller's row factory."""
    with closing(database.cursor()) as cursor:
        cursor.row_factory = None
        return [row[0] for row in cursor.execute(statement)]


class _Guard:
    """One guarded connection, and the state of its current statement."""

    def __init__(self, database: sqlite3.Connection, limits: StatementLimits) -> None:
        self.installed = False
        self._database = database
        self._limits = limits
        self._tables: frozenset[str] = frozenset()
        self._statement = ""
        self._deadline = 0.0
        self._late = False
        self._reason: str | None = None
        self._authorized = self._selects = 0
        self._began = 0.0

    def install(self) -> None:
        """Install the guard."""
        database = self._database
        database.text_factory = str
        self._tables = frozenset(_column(database, "SELECT name FROM sqlite_master WHERE type IN ('table', 'view')"))
        _column(database, "PRAGMA query_only = 1")
        _column(database, "PRAGMA trusted_schema = 0")
        for number, value in _LIMIT_VALUES.items():
            database.setlimit(number, value)
        database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, self._limits.value)
        database.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, self._limits.length)
        database.set_progress_handler(self._is_late, _STEPS)
        # SQLite prepares cached statements again after this line, so the caller's earlier statements are checked too.
        database.set_authorizer(self._may)
        self.installed = True

    def run(self, statement: str) -> StatementResult:
        """The result of one statement."""
        if not self.installed:
            raise FathomError("Cannot run a statement: its guard has ended. Run it inside the `with` block.")
        self._begin(statement)
        try:
            with closing(self._database.cursor()) as cursor:
                cursor.row_factory = None
                cursor.execute(statement)
                columns = tuple(about[0] for about in cursor.description or ())
                return StatementResult(columns, self._within_limits(cursor))
        except (sqlite3.Error, sqlite3.Warning, ValueError, MemoryError) as error:
            raise self._refusal(error) from error

    def _begin(self, statement: str) -> None:
        word = first_word(statement)
        if word not in ("SELECT", "WITH"):
            raise RefusedQuery("writes are not allowed" if word in _WRITES else "is not one SELECT")
        if len(statement) <= self._limits.length and copies(statement) > _COPIES:
            raise RefusedQuery("is too complex")
        self._statement = statement
        self._late = False
        self._reason = None
        self._authorized = self._selects = 0
        self._deadline = time.perf_counter() + self._limits.seconds

    def _within_limits(self, cursor: sqlite3.Cursor) -> tuple[tuple[SqlValue, ...], ...]:
        """The rows, fetched a few at a time, so that an oversized result is never in memory."""
        rows: list[tuple[SqlValue, ...]] = []
        left = self._limits.bytes
        while some := cursor.fetchmany(_FETCHED):
            left -= _size(list(chain.from_iterable(some)))
            rows += some
            if left < 0:
                raise RefusedQuery(f"returned more than {self._limits.bytes:,} bytes")
            if len(rows) > self._limits.rows:
                raise RefusedQuery(f"returned more than {self._limits.rows:,} rows")
        return tuple(rows)

    def _is_late(self) -> bool:
        self._late = time.perf_counter() > self._deadline
        return self._late

    def _refusal(self, error: Exception) -> BaseException:
        """The exception to raise in place of SQLite's or Python's."""
        code = getattr(error, "sqlite_errorcode", None)
        if self._late:
            return RefusedQuery(f"took longer than {self._limits.seconds:g} s")
        if self._reason:
            return RefusedQuery(self._reason)
        if code in (sqlite3.SQLITE_INTERRUPT, sqlite3.SQLITE_AUTH):
            return _interruption()
        if isinstance(error, MemoryError):
            return RefusedQuery("is too complex")
        if isinstance(error, UnicodeError):
            return RefusedQuery("has invalid characters")
        if "one statement at a time" in str(error):
            return RefusedQuery("is not one SELECT")
        return RefusedQuery(str(error)[:200])

    # The authorizer: SQLite calls it while it prepares a statement.

    def _may(self, action: int, first: str | None, second: str | None, schema: str | None, _: str | None) -> int:
        self._authorized += 1
        if self._reason is None:
            self._reason = self._refuse_reason(action, first or "", second or "", schema)
        return sqlite3.SQLITE_OK if self._reason is None else sqlite3.SQLITE_DENY

    def _refuse_reason(self, action: int, first: str, second: str, schema: str | None) -> str | None:
        """The reason to refuse the action; None if it is allowed."""
        if self._authorized > _AUTHORIZATIONS:
            return "is too complex"
        if action == sqlite3.SQLITE_READ:
            return None if self._is_table(first, second, schema) else f"the table {first} is not allowed"
        if action == sqlite3.SQLITE_SELECT:
            return self._complexity()
        if action == sqlite3.SQLITE_FUNCTION:
            return None if second.lower() in FUNCTIONS else f"the function {second} is not allowed"
        if action == sqlite3.SQLITE_RECURSIVE:
            return None
        # SQLite does this first for a table-valued function such as json_each('[1]').
        made = action == sqlite3.SQLITE_UPDATE and first == "sqlite_master"
        return "table-valued functions are not allowed" if made else _REFUSED_ACTIONS.get(action, _WRITING)

    def _is_table(self, table: str, column: str, schema: str | None) -> bool:
        """Whether it is one of the caller's tables or, if only its rows are counted, one that the statement defines."""
        if table in self._tables:
            return schema in ("main", None)
        return schema is None and column == "" and not table.lower().startswith(_NOT_TABLES)

    def _complexity(self) -> str | None:
        """The reason to refuse a nested SELECT; None if it is allowed."""
        self._selects += 1
        if self._selects == 1:
            self._began = time.thread_time()
            return None
        wordy = self._selects == 2 and len(self._statement) > 5 * _REPEATS and repeats(self._statement) > _REPEATS
        slow = time.thread_time() - self._began > _PREPARE_SECONDS
        return "is too complex" if slow or wordy else None


_BY_LIMITS = (sqlite3.SQLITE_LIMIT_LENGTH, sqlite3.SQLITE_LIMIT_SQL_LENGTH)
_WRITING = "writes are not allowed"
_REFUSED_ACTIONS = {
    sqlite3.SQLITE_ATTACH: "other databases are not allowed",
    sqlite3.SQLITE_DETACH: "other databases are not allowed",
    sqlite3.SQLITE_PRAGMA: "PRAGMA is not allowed",
    sqlite3.SQLITE_TRANSACTION: "transactions are not allowed",
    sqlite3.SQLITE_SAVEPOINT: "transactions are not allowed",
}


def _size(values: list[Any]) -> int:
    """The size of these values in bytes, computed for all at once: one by one took as long as the query itself."""
    if bytes in set(map(type, values)):
        raise RefusedQuery("returned bytes; only numbers and text are allowed")
    texts = [value for value in values if value.__class__ is str]
    return 8 * len(values) + len("".join(texts).encode())


def _interruption() -> BaseException:
    """The cause of an interrupt that the guard did not raise.

    Python drops exceptions of a callback, and Ctrl-C is usually raised there: the callback is the first Python code to
    run after the key was pressed. Only the main thread gets it; in other threads the caller has interrupted.
    """
    if threading.current_thread() is threading.main_thread():
        return KeyboardInterrupt()
    return RefusedQuery("was interrupted")
