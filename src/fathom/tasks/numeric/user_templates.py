"""Templates written by users: SQL with placeholders, parsed into the same programs as the built-in ones.

A parsed template can be worded, filled, answered and evaluated a second time. A template that is not understood is
rejected with its position and the reason.
"""

from __future__ import annotations

import json
import re
import sqlite3
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from random import Random
from typing import NamedTuple

import sqlglot
from sqlglot import exp

from fathom.records.errors import FathomError, file_errors
from fathom.records.record import short_id
from fathom.records.rng import rng_for
from fathom.tasks.numeric.mutants import random_tables
from fathom.tasks.numeric.schema import COUNTS, NAME, NAMES, PEOPLE, POSITION, SCHEMA, over_bylines
from fathom.tasks.numeric.tables import Tables, open_database
from fathom.tasks.numeric.templates import Template
from fathom.tasks.numeric.wording import explanation
from fathom.tasks.programs import parse as sql_parser
from fathom.tasks.programs.mutants import constants
from fathom.tasks.programs.parse import ParseError
from fathom.tasks.programs.sql import parameterized
from fathom.tasks.programs.tree import (
    Aggregate,
    And,
    Arithmetic,
    Column,
    Compare,
    Constant,
    Count,
    Exists,
    Grouped,
    Having,
    IsUnknown,
    Labels,
    Or,
    OverGroups,
    PeerAggregate,
    Program,
    Ratio,
    Slot,
    Values,
    Weighted,
)

# Placeholders: counts are written as the column's name with hyphens; the others are slots of a kind (see `Slot.kind`).
_MEASURES = {column.name.replace("_", "-"): column for column in COUNTS}
_KINDS = {
    "author-name": "name",
    "author-position": "position",
    "article-title": "title",
    "article-title-fragment": "fragment",
    "few": "few",
}
PLACEHOLDERS = ("title-word-count", "reference-count", "author-count", *_KINDS)
SLOT_KINDS = {"": ("number", "position", "few"), "author_name": ("name",), "article_title": ("title",)}
"""The kinds of slots that each text column can be compared with; "" for all numeric columns."""

LARGEST_FILE = 2_000_000
"""The maximum size of a template file in bytes."""
LONGEST = 4_000
"""The maximum length of one statement in characters."""

STEPS = 2_000_000
"""The limit on SQLite's virtual machine steps for one statement: a reasonable statement needs a hundredth of it."""

TRIALS = 12
"""Random collections on which a parsed template is compared with its SQL."""

_PLACEHOLDER = re.compile(r"'?%?\{([^{}]*)\}%?'?")


class RejectedTemplate(NamedTuple):
    """A template that cannot be used."""

    position: str
    """Its position in the file: "template 3, line 12"."""
    reason: str


@dataclass(frozen=True)
class UserTemplates:
    """The contents of a file of templates."""

    templates: tuple[Template, ...]
    rejected: tuple[RejectedTemplate, ...]


def read_templates(path: Path) -> tuple[Template, ...]:
    """The usable templates of a file; an error where there is none."""
    read = read_user_templates(path)
    if not read.templates:
        first = read.rejected[0] if read.rejected else RejectedTemplate("the list", "it is empty")
        raise FathomError(
            f"No template of '{path}' can be used; {first.position}: {first.reason}. See docs/numeric.md."
        )
    return read.templates


def read_user_templates(path: Path) -> UserTemplates:
    """Every template of the file, or the reason why it is rejected."""
    with file_errors("read the templates", path), path.open("rb") as file:
        content = file.read(LARGEST_FILE + 1).decode(errors="replace")
    if len(content) > LARGEST_FILE:
        raise FathomError(
            f"'{path}' is larger than {LARGEST_FILE:,} bytes. Divide the templates among several benches."
        )
    try:
        entries = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise FathomError(f"'{path}' is not JSON: {error}. Give a list of {{type, focus, sql}}.") from error
    if not isinstance(entries, list):
        raise FathomError(f"'{path}' is not a list. Give a list of {{type, focus, sql}}.")
    templates: dict[str, Template] = {}
    rejected: list[RejectedTemplate] = []
    offset = 0
    for number, entry in enumerate(entries, start=1):
        offset, line = _line_of(content, entry, offset)
        position = f"template {number}, line {line}"
        try:
            template = _template(entry)
        except (ParseError, sqlglot.errors.SqlglotError) as error:
            rejected.append(RejectedTemplate(position, str(error).split("\n")[0].rstrip(".")[:200]))
        except Exception as error:
            # SQL can take any shape, so the parser may fail in any way: reject the template instead of stopping.
            rejected.append(RejectedTemplate(position, f"it is not understood ({type(error).__name__})"))
        else:
            templates.setdefault(template.id, template)
    return UserTemplates(tuple(templates.values()), tuple(rejected))


def _line_of(content: str, entry: object, offset: int) -> tuple[int, int]:
    """The offset and the line of the entry's SQL in the file."""
    text = json.dumps(entry.get("sql", "")) if isinstance(entry, dict) else json.dumps(entry)
    found = content.find(text, offset)
    found = found if found >= 0 else offset
    return found, content.count("\n", 0, found) + 1


def _template(entry: object) -> Template:
    if not isinstance(entry, dict) or not isinstance(entry.get("sql"), str):
        raise ParseError('it is not an object with an "sql" text')
    unknown = set(entry) - {"type", "focus", "sql"}
    if unknown:
        raise ParseError(f"it has an unknown field '{min(unknown)}'")
    program = parse(entry["sql"], compare=True)
    text = parameterized(program, SCHEMA).text
    labels = {name: str(entry[name]) for name in ("type", "focus") if name in entry}
    return Template(short_id("t", text), program, tuple(sorted(labels.items())))


def parse(text: str, compare: bool = False) -> Program:
    """The program of a SQL template; with `compare`, also checks that both give the same rows on random collections."""
    slots: dict[str, Slot] = {}

    def named(match: re.Match[str]) -> str:
        name = match[1]
        if name not in PLACEHOLDERS:
            raise ParseError(f"it has an unknown placeholder '{{{name}}}'; known are {', '.join(PLACEHOLDERS)}")
        label = f"p{len(slots)}"
        measure = _MEASURES.get(name)
        slots[label] = Slot("number" if measure is not None else _KINDS[name], len(slots), measure)
        return f":{label}"

    if len(text) > LONGEST:
        raise ParseError(f"it is longer than {LONGEST:,} characters")
    program, statement = sql_parser.parse(_PLACEHOLDER.sub(named, text), SCHEMA, slots, SLOT_KINDS)
    program = _normalized(program)
    _check_wordable(program)
    explanation(program)
    if compare:
        _compare(program, statement, slots)
    return program


def _normalized(program: Program) -> Program:
    """The program with each name listed once, and with a condition on a position before the other condition."""
    if program.output == Values(NAME):
        program = replace(program, output=NAMES)
    match program.where:
        case And(left, Compare(measure) as right) | Or(left, Compare(measure) as right) if measure == POSITION:
            return replace(program, where=type(program.where)(right, left))
    return program


def _check_wordable(program: Program) -> None:
    """Raise a ParseError if the program has no unambiguous wording."""
    for node in SCHEMA.nodes(program):
        match node:
            case And(And() | Or(), _) | And(_, And() | Or()) | Or(And() | Or(), _) | Or(_, And() | Or()):
                raise ParseError("it joins more than two conditions")
            case float():
                raise ParseError(f"'{node}' is not a whole number")
            case Exists() if not SCHEMA.is_phrase(node):
                raise ParseError("a subquery names one author, one title or a least number; this one is not understood")
            case Arithmetic(left, _, right) if not isinstance(left, Column) or not isinstance(right, Column | int):
                raise ParseError("it nests arithmetic, which cannot be put into words")
            case Weighted() | PeerAggregate() | Ratio() | OverGroups() | Having() | IsUnknown():
                raise ParseError("it uses a form that no built-in template has")
            case Compare(_, _, Column() | Arithmetic()):
                raise ParseError("it compares two measures, which cannot be put into words")
            case Compare(Column(name)) if SCHEMA.columns[name].type == "text":
                raise ParseError(f"{name} can be compared only in a subquery")
    if over_bylines(program) and program.output not in (NAMES, PEOPLE):
        raise ParseError("over article_author only names can be listed and people counted")
    if program.order and (over_bylines(program) or not isinstance(program.output, Labels | Values)):
        raise ParseError("only titles and values of articles can be sorted")
    if isinstance(program.output, Grouped):
        if program.output.key not in COUNTS:
            raise ParseError("articles are grouped by one of their counts")
        if not isinstance(program.output.result, Count | Aggregate):
            raise ParseError("a grouped template counts rows with COUNT(*) or aggregates a measure")
    if program.top is not None:
        raise ParseError("it ranks rows, which cannot be put into words")
    if len(program.order) > 2:
        raise ParseError("it sorts by more than two keys")


def _compare(program: Program, statement: exp.Expr, slots: dict[str, Slot]) -> None:
    """Check on random collections that the program and the statement give the same rows."""
    database = open_database()
    database.set_progress_handler(lambda: 1, STEPS)
    named = constants(program)
    ours = parameterized(program, SCHEMA)
    for trial in range(TRIALS):
        rng = rng_for(0, "own template", trial)
        tables = random_tables(rng, named)
        tables.load(database)
        values: dict[Slot, Constant] = {slot: _draw(slot, tables, rng) for slot in slots.values()}
        bound = {
            label: f"%{values[slot]}%" if slot.kind == "fragment" else values[slot] for label, slot in slots.items()
        }
        try:
            theirs = database.execute(statement.sql("sqlite"), bound).fetchall()
        except sqlite3.Error as error:
            raise ParseError(f"SQLite refuses it: {error}") from error
        found = database.execute(ours.text, [values[slot] for slot in ours.slots]).fetchall()
        if program.output == NAMES:
            # Each name is listed once, with or without DISTINCT in the statement.
            theirs = list(dict.fromkeys(theirs))
        if not _agree(program, theirs, found):
            raise ParseError("its meaning was not understood, so it cannot be put into words")


def _agree(program: Program, theirs: list[tuple[object, ...]], ours: list[tuple[object, ...]]) -> bool:
    """Whether the statement (`theirs`) and the program (`ours`) give the same rows, in the same order up to ties."""
    if isinstance(program.output, Grouped):
        return sorted(map(str, theirs)) == sorted(map(str, ours))
    values = [str(row[0]) for row in theirs]
    if not program.order:
        return sorted(values) == sorted(str(row[0]) for row in ours)
    place = 0
    for _, tied in groupby(ours, key=lambda row: row[1:]):
        group = sorted(str(row[0]) for row in tied)
        if sorted(values[place : place + len(group)]) != group:
            return False
        place += len(group)
    return place == len(values)


def _draw(slot: Slot, tables: Tables, rng: Random) -> Constant:
    match slot.kind:
        case "name":
            return rng.choice(tables.authors).name
        case "title":
            return rng.choice(tables.articles).title
        case "fragment":
            return rng.choice(("title", "1", "itl"))
        case _:
            return rng.randint(1, 12)
