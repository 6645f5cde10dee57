"""Running SQL that a language model wrote: one SELECT over the owner's tables, within limits, and nothing else.

The owner hands in a connection to a database in memory and gets it back as it was. What SQLite does not let anybody
read back cannot be kept: an authorizer or a progress handler of the owner's own is gone afterwards.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import chain
from typing import Any

from fathom.records.errors import FathomError
from fathom.systems.query_complexity import copies, repeats
from fathom.systems.sql_parsing import first_word

Value = int | float | str | None


class RefusedQuery(Exception):  # noqa: N818 (a response to the model, which is no error of ours)
    """Why a statement was not run to its end, in plain words, fit to be shown to whoever wrote it."""


@dataclass(frozen=True)
class Limits:
    """What one statement may take."""

    seconds: float = 2.0
    rows: int = 10_000
    bytes: int = 1_000_000
    """Of all rows together; a number counts eight."""
    length: int = 10_000
    """Bytes of the statement itself."""
    value: int = 20_000
    """Bytes of one text, also inside the statement. Some functions take the square of it: trim() with 1 MB of
    characters to cut ran for minutes within one step, where no deadline can stop it."""


@dataclass(frozen=True)
class Result:
    """What a statement gave, whole."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]


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
"""All that may be called. Others make much of little (printf), read files, tell about SQLite, or differ by the hour."""

_STEPS = 300
"""Of SQLite's, between two looks at the clock: few enough that long steps are seen soon."""
_AT_ONCE = 50
"""Rows taken from SQLite at a time; of the widest rows with the longest texts, 100 MB."""
_QUESTIONS = 2_000
"""What SQLite may ask the authorizer while it prepares a statement; our own ask some tens of times. A chain of CTEs,
each naming the one before twice, asks twice as often with every link."""
_PREPARING = 0.01
"""Seconds of processor time after which preparing ends; our own take under 0.001."""
_REPEATS = 100
"""How often one word may occur where a SELECT stands inside another. SQLite copies an inner column's expression to
wherever it is named, and no clock is looked at meanwhile: 22 CTEs of `SELECT x+x FROM` the last took 1.5 GB."""
_COPIES = 10_000
"""How often SQLite may copy a CTE into what names it, before it asks anything: 20 CTEs that each name the one before
twice took 10 s and 1.5 GB, though they read no table."""

_NUMBERS = {
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


def run_guarded(database: sqlite3.Connection, statement: str, limits: Limits = Limits()) -> Result:  # noqa: B008
    """What one statement gives; RefusedQuery says why it gives nothing."""
    with guarded(database, limits) as run:
        return run(statement)


@contextmanager
def guarded(
    database: sqlite3.Connection,
    limits: Limits = Limits(),  # noqa: B008
) -> Iterator[Callable[[str], Result]]:
    """A function that runs statements, for as long as the block lasts; the owner's own wait until it ends."""
    guard = _Guard(database, limits)
    before = _Before.of(database)
    try:
        guard.stand()
        yield guard.run
    finally:
        guard.standing = False
        before.restore(database)


@dataclass(frozen=True)
class _Before:
    """What the guard changes of a connection, as it was."""

    query_only: int
    trusted_schema: int
    numbers: Mapping[int, int]
    text_factory: Callable[[bytes], Any]

    @classmethod
    def of(cls, database: sqlite3.Connection) -> _Before:
        """What to come back to."""
        try:
            return cls(
                _column(database, "PRAGMA query_only")[0],
                _column(database, "PRAGMA trusted_schema")[0],
                {number: database.getlimit(number) for number in (*_NUMBERS, *_BY_LIMITS)},
                database.text_factory,
            )
        except sqlite3.DatabaseError as error:
            # A guard within a guard would take the outer one down as it leaves.
            if getattr(error, "sqlite_errorcode", 0) != sqlite3.SQLITE_AUTH:
                raise
            raise FathomError("Cannot guard this database: it is guarded already. Use the guard it has.") from error

    def restore(self, database: sqlite3.Connection) -> None:
        """Come back to it. The authorizer goes first: it would refuse the rest."""
        database.set_authorizer(None)
        database.set_progress_handler(None, 0)
        for number, value in self.numbers.items():
            database.setlimit(number, value)
        database.text_factory = self.text_factory
        _column(database, f"PRAGMA trusted_schema = {self.trusted_schema}")
        _column(database, f"PRAGMA query_only = {self.query_only}")


def _column(database: sqlite3.Connection, statement: str) -> list[Any]:
    """The first column, whatever the owner makes of rows."""
    with closing(database.cursor()) as cursor:
        cursor.row_factory = None
        return [row[0] for row in cursor.execute(statement)]


class _Guard:
    """One connection under guard, and what its present statement has taken so far."""

    def __init__(self, database: sqlite3.Connection, limits: Limits) -> None:
        self.standing = False
        self._database = database
        self._limits = limits
        self._tables: frozenset[str] = frozenset()
        self._statement = ""
        self._deadline = 0.0
        self._late = False
        self._reason: str | None = None
        self._asked = self._selects = 0
        self._began = 0.0

    def stand(self) -> None:
        """Take up the post."""
        database = self._database
        database.text_factory = str
        self._tables = frozenset(_column(database, "SELECT name FROM sqlite_master WHERE type IN ('table', 'view')"))
        _column(database, "PRAGMA query_only = 1")
        _column(database, "PRAGMA trusted_schema = 0")
        for number, value in _NUMBERS.items():
            database.setlimit(number, value)
        database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, self._limits.value)
        database.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, self._limits.length)
        database.set_progress_handler(self._is_late, _STEPS)
        # SQLite prepares anew what was prepared before this line, so the owner's statements do not slip through.
        database.set_authorizer(self._may)
        self.standing = True

    def run(self, statement: str) -> Result:
        """What one statement gives."""
        if not self.standing:
            raise FathomError("Cannot run a statement: its guard has left. Run it inside the `with` block.")
        self._begin(statement)
        try:
            with closing(self._database.cursor()) as cursor:
                cursor.row_factory = None
                cursor.execute(statement)
                columns = tuple(about[0] for about in cursor.description or ())
                return Result(columns, self._within_limits(cursor))
        except (sqlite3.Error, sqlite3.Warning, ValueError, MemoryError) as error:
            raise self._refusal(error) from error

    def _begin(self, statement: str) -> None:
        word = first_word(statement)
        if word not in ("SELECT", "WITH"):
            raise RefusedQuery("writes are not allowed" if word in _WRITES else "is not one SELECT")
        if len(statement) <= self._limits.length and copies(statement) > _COPIES:
            raise RefusedQuery("is too intricate")
        self._statement = statement
        self._late = False
        self._reason = None
        self._asked = self._selects = 0
        self._deadline = time.perf_counter() + self._limits.seconds

    def _within_limits(self, cursor: sqlite3.Cursor) -> tuple[tuple[Value, ...], ...]:
        """The rows, taken a few at a time: what is too much is never held."""
        rows: list[tuple[Value, ...]] = []
        left = self._limits.bytes
        while some := cursor.fetchmany(_AT_ONCE):
            left -= _size(list(chain.from_iterable(some)))
            rows += some
            if left < 0:
                raise RefusedQuery(f"gave more than {self._limits.bytes:,} bytes")
            if len(rows) > self._limits.rows:
                raise RefusedQuery(f"gave more than {self._limits.rows:,} rows")
        return tuple(rows)

    def _is_late(self) -> bool:
        self._late = time.perf_counter() > self._deadline
        return self._late

    def _refusal(self, error: Exception) -> BaseException:
        """What to raise in place of what SQLite or Python raised."""
        code = getattr(error, "sqlite_errorcode", None)
        if self._late:
            return RefusedQuery(f"took longer than {self._limits.seconds:g} s")
        if self._reason:
            return RefusedQuery(self._reason)
        if code in (sqlite3.SQLITE_INTERRUPT, sqlite3.SQLITE_AUTH):
            return _interruption()
        if isinstance(error, MemoryError):
            return RefusedQuery("is too intricate")
        if isinstance(error, UnicodeError):
            return RefusedQuery("has characters that are no text")
        if "one statement at a time" in str(error):
            return RefusedQuery("is not one SELECT")
        return RefusedQuery(str(error)[:200])

    # What SQLite asks while it prepares a statement.

    def _may(self, action: int, first: str | None, second: str | None, schema: str | None, _: str | None) -> int:
        self._asked += 1
        if self._reason is None:
            self._reason = self._objection(action, first or "", second or "", schema)
        return sqlite3.SQLITE_OK if self._reason is None else sqlite3.SQLITE_DENY

    def _objection(self, action: int, first: str, second: str, schema: str | None) -> str | None:
        """What speaks against it."""
        if self._asked > _QUESTIONS:
            return "is too intricate"
        if action == sqlite3.SQLITE_READ:
            return None if self._is_table(first, second, schema) else f"the table {first} is not allowed"
        if action == sqlite3.SQLITE_SELECT:
            return self._intricacy()
        if action == sqlite3.SQLITE_FUNCTION:
            return None if second.lower() in FUNCTIONS else f"the function {second} is not allowed"
        if action == sqlite3.SQLITE_RECURSIVE:
            return None
        # So SQLite begins to make a table of what looks like a function: json_each('[1]').
        made = action == sqlite3.SQLITE_UPDATE and first == "sqlite_master"
        return "tables that are made by functions are not allowed" if made else _OBJECTIONS.get(action, _WRITING)

    def _is_table(self, table: str, column: str, schema: str | None) -> bool:
        """Whether it is the owner's table or, where nothing but its rows is counted, one the statement itself makes."""
        if table in self._tables:
            return schema in ("main", None)
        return schema is None and column == "" and not table.lower().startswith(_NOT_TABLES)

    def _intricacy(self) -> str | None:
        """Whether a SELECT inside another may be one too many."""
        self._selects += 1
        if self._selects == 1:
            self._began = time.thread_time()
            return None
        wordy = self._selects == 2 and len(self._statement) > 5 * _REPEATS and repeats(self._statement) > _REPEATS
        slow = time.thread_time() - self._began > _PREPARING
        return "is too intricate" if slow or wordy else None


_BY_LIMITS = (sqlite3.SQLITE_LIMIT_LENGTH, sqlite3.SQLITE_LIMIT_SQL_LENGTH)
_WRITING = "writes are not allowed"
_OBJECTIONS = {
    sqlite3.SQLITE_ATTACH: "other databases are not allowed",
    sqlite3.SQLITE_DETACH: "other databases are not allowed",
    sqlite3.SQLITE_PRAGMA: "PRAGMA is not allowed",
    sqlite3.SQLITE_TRANSACTION: "transactions are not allowed",
    sqlite3.SQLITE_SAVEPOINT: "transactions are not allowed",
}


def _size(values: list[Any]) -> int:
    """Bytes that they count. All at once: one by one, this cost as much as the query."""
    if bytes in set(map(type, values)):
        raise RefusedQuery("gave bytes where numbers and text are allowed")
    texts = [value for value in values if value.__class__ is str]
    return 8 * len(values) + len("".join(texts).encode())


def _interruption() -> BaseException:
    """What stopped SQLite when the guard did not.

    Python drops whatever is raised inside a callback, and Ctrl-C is raised there as a rule: the callback is the first
    Python to run after the key was pressed. Only the main thread gets it; elsewhere the owner has interrupted.
    """
    if threading.current_thread() is threading.main_thread():
        return KeyboardInterrupt()
    return RefusedQuery("was interrupted")
