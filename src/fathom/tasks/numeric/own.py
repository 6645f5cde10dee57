"""A user's own templates: SQL with placeholders, parsed into the same programs as the built-in ones.

What is parsed can be worded, filled, answered and computed a second way; what is not is refused with its place.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import sqlglot
from sqlglot import exp

from fathom.records.errors import FathomError, file_errors
from fathom.records.record import short_id
from fathom.records.rng import rng_for
from fathom.tasks.numeric.mutants import constants, random_tables
from fathom.tasks.numeric.programs import (
    And,
    Arithmetic,
    AtPosition,
    Between,
    Cited,
    CitedByArticle,
    Cites,
    CitesArticle,
    Comparator,
    Compare,
    Condition,
    Field,
    Function,
    HasAuthor,
    HowMany,
    Measure,
    Measured,
    Names,
    Not,
    OneOf,
    Or,
    Output,
    PerValue,
    Program,
    SharesAuthor,
    Slot,
    Sort,
    TitleHas,
    Titles,
    Total,
    Values,
    WroteAtLeast,
    over_bylines,
)
from fathom.tasks.numeric.sql import query
from fathom.tasks.numeric.tables import Tables, open_database
from fathom.tasks.numeric.templates import Template
from fathom.tasks.numeric.wording import explanation

MEASURES: dict[str, Measured] = {
    "title-word-count": "title_word_count",
    "reference-count": "reference_count",
    "author-count": "author_count",
}
PLACEHOLDERS = (*MEASURES, "author-name", "author-position", "article-title", "article-title-fragment", "few")
LARGEST_FILE = 2_000_000
LONGEST = 4_000
"""Characters of one statement."""

STEPS = 2_000_000
"""Of SQLite's machine for one statement on a small collection: a hundred times what any sensible one takes."""

TRIALS = 12
"""Generated collections on which a parsed template is compared with its text."""

_PLACEHOLDER = re.compile(r"'?%?\{([^{}]*)\}%?'?")


class Refused(NamedTuple):
    """A template that cannot be used."""

    place: str
    """Where it stands: "template 3, line 12"."""
    why: str


@dataclass(frozen=True)
class OwnTemplates:
    """What a file of templates gave."""

    templates: tuple[Template, ...]
    refused: tuple[Refused, ...]


def read_templates(path: Path) -> tuple[Template, ...]:
    """The usable templates of the file; where none is, the first fault is the error."""
    read = read_own(path)
    if not read.templates:
        first = read.refused[0] if read.refused else Refused("the list", "it is empty")
        raise FathomError(f"No template of '{path}' can be used; {first.place}: {first.why}. See docs/numeric.md.")
    return read.templates


def read_own(path: Path) -> OwnTemplates:
    """Every template of the file, or why it is refused."""
    with file_errors("read the templates", path), path.open("rb") as file:
        content = file.read(LARGEST_FILE + 1).decode(errors="replace")
    if len(content) > LARGEST_FILE:
        raise FathomError(
            f"'{path}' is larger than {LARGEST_FILE:,} bytes. Divide the templates among several benches."
        )
    try:
        entries = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise FathomError(f"'{path}' is no JSON: {error}. Give a list of {{type, focus, sql}}.") from error
    if not isinstance(entries, list):
        raise FathomError(f"'{path}' holds no list. Give a list of {{type, focus, sql}}.")
    templates: dict[str, Template] = {}
    refused: list[Refused] = []
    position = 0
    for number, entry in enumerate(entries, start=1):
        position, line = _line_of(content, entry, position)
        place = f"template {number}, line {line}"
        try:
            template = _template(entry)
        except (_FaultError, sqlglot.errors.SqlglotError) as error:
            refused.append(Refused(place, str(error).split("\n")[0].rstrip(".")[:200]))
        except Exception as error:
            # Anybody's SQL makes trees of any shape: what the reader trips over is one more thing it does not know.
            refused.append(Refused(place, f"it is not understood ({type(error).__name__})"))
        else:
            templates.setdefault(template.id, template)
    return OwnTemplates(tuple(templates.values()), tuple(refused))


def _line_of(content: str, entry: object, position: int) -> tuple[int, int]:
    """Where the entry's SQL stands in the file."""
    text = json.dumps(entry.get("sql", "")) if isinstance(entry, dict) else json.dumps(entry)
    found = content.find(text, position)
    found = found if found >= 0 else position
    return found, content.count("\n", 0, found) + 1


class _FaultError(Exception):
    """Why one template cannot be used."""


def _template(entry: object) -> Template:
    if not isinstance(entry, dict) or not isinstance(entry.get("sql"), str):
        raise _FaultError('it is no object with an "sql" text')
    unknown = set(entry) - {"type", "focus", "sql"}
    if unknown:
        raise _FaultError(f"it has an unknown field '{min(unknown)}'")
    program = parse(entry["sql"], prove=True)
    text = query(program).text
    labels = {name: str(entry[name]) for name in ("type", "focus") if name in entry}
    return Template(short_id("t", text), program, tuple(sorted(labels.items())))


def parse(text: str, prove: bool = False) -> Program:
    """The program that a SQL template stands for; `prove` compares the two on generated collections."""
    slots: dict[str, Slot] = {}

    def named(match: re.Match[str]) -> str:
        name = match[1]
        if name not in PLACEHOLDERS:
            raise _FaultError(f"it has an unknown placeholder '{{{name}}}'; known are {', '.join(PLACEHOLDERS)}")
        label = f"p{len(slots)}"
        slots[label] = _slot(name, len(slots))
        return f":{label}"

    if len(text) > LONGEST:
        raise _FaultError(f"it is longer than {LONGEST:,} characters")
    statements = sqlglot.parse(_PLACEHOLDER.sub(named, text), read="sqlite")
    if len(statements) != 1 or not isinstance(statements[0], exp.Select):
        raise _FaultError("it is no single SELECT, and templates only read")
    program = _Reader(slots).program(statements[0])
    explanation(program)
    if prove:
        _compare(program, statements[0], slots)
    return program


def _compare(program: Program, statement: exp.Expr, slots: dict[str, Slot]) -> None:
    """See on generated collections that the program does what the statement does; a reader's slip must not pass."""
    database = open_database()
    database.set_progress_handler(lambda: 1, STEPS)
    named = constants(statement.sql("sqlite"))
    ours = query(program)
    for trial in range(TRIALS):
        rng = rng_for(0, "own template", trial)
        tables = random_tables(rng, named)
        tables.load(database)
        values: dict[Slot, int | str] = {}
        for slot in slots.values():
            values[slot] = _drawn(slot, tables, rng)
        bound = {label: _as_bound(slot, values[slot]) for label, slot in slots.items()}
        try:
            theirs = database.execute(statement.sql("sqlite"), bound).fetchall()
        except sqlite3.Error as error:
            raise _FaultError(f"SQLite refuses it: {error}") from error
        found = database.execute(ours.text, [values[slot] for slot in ours.slots]).fetchall()
        if isinstance(program.output, Names):
            # A name is asked for once, whether or not the statement says DISTINCT.
            theirs = list(dict.fromkeys(theirs))
        if not _agree(program, theirs, found):
            raise _FaultError("its meaning was not understood, so it cannot be put into words")


def _agree(program: Program, theirs: list[tuple[object, ...]], ours: list[tuple[object, ...]]) -> bool:
    """Whether the statement gives what the program gives: whole rows, and their order up to ties."""
    if isinstance(program.output, PerValue):
        return sorted(map(str, theirs)) == sorted(map(str, ours))
    said = [str(row[0]) for row in theirs]
    if not program.order:
        return sorted(said) == sorted(str(row[0]) for row in ours)
    place = 0
    for _, tied in groupby(ours, key=lambda row: row[1:]):
        group = sorted(str(row[0]) for row in tied)
        if sorted(said[place : place + len(group)]) != group:
            return False
        place += len(group)
    return place == len(said)


def _drawn(slot: Slot, tables: Tables, rng: Random) -> int | str:
    match slot.kind:
        case "name":
            return rng.choice(tables.authors).name
        case "title":
            return rng.choice(tables.articles).title
        case "fragment":
            return rng.choice(("title", "1", "itl"))
        case _:
            return rng.randint(1, 12)


def _as_bound(slot: Slot, value: int | str) -> int | str:
    return f"%{value}%" if slot.kind == "fragment" else value


def _slot(name: str, number: int) -> Slot:
    if name in MEASURES:
        return Slot("number", number, Field(MEASURES[name]))
    kinds = {
        "author-name": "name",
        "author-position": "position",
        "article-title": "title",
        "article-title-fragment": "fragment",
        "few": "few",
    }
    return Slot(kinds[name], number)  # type: ignore[arg-type]


_COMPARED: dict[type[exp.Expr], Comparator] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.GT: ">",
    exp.LTE: "<=",
    exp.GTE: ">=",
}
_SIGNS: dict[type[exp.Expr], str] = {exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/", exp.Mod: "%"}
_TOTALS: dict[type[exp.Expr], Function] = {exp.Max: "MAX", exp.Min: "MIN", exp.Sum: "SUM", exp.Avg: "AVG"}
_COLUMNS = {
    "articles": ("article_id", "article_title", "title_word_count", "author_count", "reference_count"),
    "article_author": ("article_id", "author_name", "author_position"),
    "citing_cited": ("article_id_citing", "article_id_cited"),
}


class _Reader:
    """Turns one parsed statement into a program."""

    def __init__(self, slots: dict[str, Slot]) -> None:
        self._slots = slots

    def program(self, select: exp.Select) -> Program:
        _check_names(select)
        _check_sources(select)
        where = select.args.get("where")
        order = select.args.get("order")
        program = Program(
            self._output(select),
            self._condition(where.this) if where is not None else None,
            tuple(self._sort(key) for key in order.expressions) if order is not None else (),
        )
        for clause in ("limit", "offset", "having", "windows", "with", "with_", "qualify", "laterals"):
            if select.args.get(clause):
                raise _FaultError(f"it uses {clause.strip('_').upper()}, which cannot be put into words")
        joined = select.find(exp.Join) is not None or select.args["from_"].this.name == "article_author"
        if joined != over_bylines(program):
            raise _FaultError("it reads article_author although it asks about articles, or the other way round")
        if joined and not isinstance(program.output, Names | HowMany):
            raise _FaultError("over article_author only names can be listed and people counted")
        if program.order and (joined or not isinstance(program.output, Titles | Values)):
            raise _FaultError("only titles and values of articles can be sorted")
        if len(program.order) > 2:
            raise _FaultError("it sorts by more than two keys")
        return program

    def _output(self, select: exp.Select) -> Output:
        wanted = [column.unalias() for column in select.expressions]
        group = select.args.get("group")
        if group is not None:
            if len(wanted) != 2 or len(group.expressions) != 1 or wanted[0] != group.expressions[0]:
                raise _FaultError("a grouped template selects the grouped column and one result, in that order")
            result = self._one(wanted[1], False)
            if not isinstance(result, Total) and result != HowMany():
                raise _FaultError("a grouped template counts articles with COUNT(*) or totals a measure")
            return PerValue(self._field(wanted[0]), result)
        order = select.args.get("order")
        keys = [key.this for key in order.expressions] if order is not None else []
        # The sort keys may stand behind what is wanted, as they do in every key's own query.
        if len(wanted) != 1 and wanted[1:] != keys:
            raise _FaultError("it selects more than one column without GROUP BY")
        return self._one(wanted[0], bool(select.args.get("distinct")))

    def _one(self, wanted: exp.Expr, distinct: bool) -> Output:
        match wanted:
            case exp.Column(name="article_title"):
                return Titles()
            case exp.Column(name="author_name"):
                return Names()
            case exp.Count():
                return self._count(wanted.this)
            case _ if type(wanted) in _TOTALS:
                return Total(_TOTALS[type(wanted)], self._measure(wanted.this))
            case _:
                return Values(self._measure(wanted), distinct)

    def _count(self, counted: exp.Expr) -> HowMany:
        if isinstance(counted, exp.Star):
            return HowMany()
        if not isinstance(counted, exp.Distinct):
            raise _FaultError("COUNT takes * or DISTINCT column here, since no cell is empty")
        column = counted.expressions[0]
        if isinstance(column, exp.Column) and column.name in ("author_name", "article_id"):
            return HowMany("people" if column.name == "author_name" else "articles")
        return HowMany(self._measure(column))

    def _sort(self, key: exp.Ordered) -> Sort:
        return Sort(self._measure(key.this), "DESC" if key.args.get("desc") else "ASC")

    def _field(self, column: exp.Expr) -> Field:
        if isinstance(column, exp.Column) and column.name in MEASURES.values():
            return Field(column.name)  # type: ignore[arg-type]
        raise _FaultError(f"'{column.sql('sqlite')}' is not one of {', '.join(MEASURES.values())}")

    def _measure(self, node: exp.Expr) -> Measure:
        node = node.unnest()
        # "1.0 * a / b" is how SQLite is made to divide as the questions mean it.
        if isinstance(node, exp.Div) and isinstance(node.this, exp.Mul) and node.this.this.name == "1.0":
            node = exp.Div(this=node.this.expression, expression=node.expression)
        if type(node) in _SIGNS:
            left = self._field(node.this.unnest())
            right = node.expression.unnest()
            number = int(right.name) if isinstance(right, exp.Literal) and right.is_int else None
            return Arithmetic(left, _SIGNS[type(node)], number if number is not None else self._field(right))  # type: ignore[arg-type]
        return self._field(node)

    def _condition(self, node: exp.Expr) -> Condition:
        node = node.unnest()
        match node:
            case exp.And():
                return And(*self._both(node))
            case exp.Or():
                return Or(*self._both(node))
            case exp.Not():
                inner = self._condition(node.this)
                if isinstance(inner, And | Or):
                    raise _FaultError("NOT over AND or OR has too many readings; negate each condition by itself")
                return Not(inner)
            case exp.Between():
                return Between(self._measure(node.this), self._whole(node.args["low"]), self._whole(node.args["high"]))
            case exp.In():
                return self._membership(node)
            case exp.Like():
                # The parser keeps the NOT of NOT LIKE in a flag and not in a node.
                has = TitleHas(self._fragment(node))
                return Not(has) if node.args.get("negate") else has
            case _ if type(node) in _COMPARED:
                return self._comparison(node)
        raise _FaultError(f"'{node.sql('sqlite')}' cannot be put into words")

    def _both(self, node: exp.Expr) -> tuple[Condition, Condition]:
        """Two single conditions: of three, or of AND mixed with OR, no sentence has one reading."""
        left, right = self._condition(node.this), self._condition(node.expression)
        if isinstance(left, And | Or) or isinstance(right, And | Or):
            raise _FaultError("it joins more than two conditions")
        if isinstance(right, AtPosition):
            left, right = right, left
        return left, right

    def _comparison(self, node: exp.Expr) -> Condition:
        sign = _COMPARED[type(node)]
        if isinstance(node.this, exp.Column) and node.this.name == "author_position":
            return AtPosition(sign, self._whole(node.expression))
        if isinstance(node.this, exp.Column) and node.this.name == "author_name" and sign == "=":
            return HasAuthor(self._words(node.expression, "name"))
        return Compare(self._measure(node.this), sign, self._whole(node.expression))

    def _membership(self, node: exp.In) -> Condition:
        subquery = node.args.get("query")
        if subquery is None:
            return OneOf(self._measure(node.this), tuple(self._whole(value) for value in node.expressions))
        select = subquery.unnest()
        sought = node.this.name if isinstance(node.this, exp.Column) else ""
        if sought not in ("article_id", "author_name") or not isinstance(select, exp.Select):
            raise _FaultError("only article_id or author_name may be sought in a subquery")
        return self._often(select) if sought == "author_name" else self._relation(select)

    def _often(self, select: exp.Select) -> Condition:
        """People who stand in several bylines."""
        having = select.args.get("having")
        if select.args.get("where") is not None:
            raise _FaultError("author_name may be sought among those with HAVING COUNT(*) >= a number, and no others")
        if having is None:
            return WroteAtLeast(1)
        return WroteAtLeast(self._whole(having.this.expression))

    def _relation(self, select: exp.Select) -> Condition:
        column = select.expressions[0].unalias().name
        where, having = select.args.get("where"), select.args.get("having")
        if column == "article_id" and where is not None:
            return self._by_author(where.this)
        relations: dict[str, tuple[Callable[[Any], Condition], Callable[[Any], Condition]]] = {
            "article_id_citing": (Cites, CitesArticle),
            "article_id_cited": (Cited, CitedByArticle),
        }
        if column not in relations:
            raise _FaultError(f"the subquery over '{column}' cannot be put into words")
        counted, named = relations[column]
        if where is not None:
            inner = where.this.unnest()
            titled = inner.args.get("query") if isinstance(inner, exp.In) else None
            if titled is None:
                raise _FaultError("a subquery on citations may name one article by its title, and nothing else")
            return named(self._words(titled.unnest().args["where"].this.expression, "title"))
        if having is None:
            return counted(1)
        return counted(self._whole(having.this.expression))

    def _by_author(self, node: exp.Expr) -> Condition:
        """Articles of one person, or that share an author with a named article."""
        if isinstance(node, exp.And) and isinstance(node.this, exp.In):
            inner = node.this.args["query"].unnest().args["where"].this
            return SharesAuthor(self._words(inner.args["query"].unnest().args["where"].this.expression, "title"))
        condition = self._condition(node)
        if not isinstance(condition, HasAuthor):
            raise _FaultError("a subquery on article_author may name one author, and nothing else")
        return condition

    def _whole(self, node: exp.Expr) -> int | Slot:
        node = node.unnest()
        if isinstance(node, exp.Placeholder):
            return self._slot(node, "number", "position", "few")
        if isinstance(node, exp.Neg) and isinstance(node.this, exp.Literal):
            # A difference of two counts may be below zero, and then so is what it is compared with.
            return -self._literal(node.this)
        return self._literal(node)

    def _literal(self, node: exp.Expr) -> int:
        if isinstance(node, exp.Literal) and node.is_int and len(node.name) < 10:
            return int(node.name)
        raise _FaultError(f"'{node.sql('sqlite')[:40]}' is no whole number")

    def _slot(self, node: exp.Placeholder, *kinds: str) -> Slot:
        slot = self._slots[node.name]
        if slot.kind not in kinds:
            raise _FaultError(f"a placeholder for a {slot.kind} stands where a {kinds[0]} is wanted")
        return slot

    def _words(self, node: exp.Expr, kind: str) -> str | Slot:
        if isinstance(node, exp.Placeholder):
            return self._slot(node, kind)
        if isinstance(node, exp.Literal) and node.is_string:
            return node.name
        raise _FaultError(f"'{node.sql('sqlite')}' is no text")

    def _fragment(self, node: exp.Like) -> str | Slot:
        if not isinstance(node.this, exp.Column) or node.this.name != "article_title":
            raise _FaultError("LIKE is for article_title")
        words = self._words(node.expression, "fragment")
        if isinstance(words, Slot):
            return words
        fragment = words.strip("%")
        if words != f"%{fragment}%" or "%" in fragment or "_" in fragment or not fragment.isascii():
            raise _FaultError("LIKE takes letters between two % signs")
        return fragment


def _check_sources(select: exp.Select) -> None:
    """One table, or names with their articles: anything else means what no sentence here can say."""
    for inner in select.find_all(exp.Select):
        joins = inner.args.get("joins") or []
        table = inner.args["from_"].this if inner.args.get("from_") else None
        plain = isinstance(table, exp.Table) and not joins
        named = (
            isinstance(table, exp.Table)
            and table.name == "article_author"
            and len(joins) == 1
            and joins[0].this.name == "articles"
            and [column.name for column in joins[0].args.get("using") or []] == ["article_id"]
            and not joins[0].args.get("kind")
            and not joins[0].args.get("side")
        )
        if not (plain or named):
            raise _FaultError("it reads other than one table, or article_author JOIN articles USING (article_id)")


def _check_names(select: exp.Select) -> None:
    """Only the three tables and their columns."""
    for table in select.find_all(exp.Table):
        if table.name not in _COLUMNS:
            raise _FaultError(f"there is no table '{table.name}'; there are {', '.join(_COLUMNS)}")
    known = {column for columns in _COLUMNS.values() for column in columns}
    for column in select.find_all(exp.Column):
        if column.name not in known:
            raise _FaultError(f"there is no column '{column.name}'; there are {', '.join(sorted(known))}")


__all__: Sequence[str] = ("OwnTemplates", "Refused", "parse", "read_own", "read_templates")
