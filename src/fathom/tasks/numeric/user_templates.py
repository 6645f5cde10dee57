"""Templates written by users: SQL with placeholders, parsed into the same programs as the built-in ones.

A parsed template can be worded, filled, answered and evaluated a second time. A template that is not understood is
rejected with its position and the reason.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from functools import reduce
from pathlib import Path
from typing import Any, NamedTuple

import sqlglot

from fathom.records.errors import FathomError, file_errors
from fathom.records.record import short_id
from fathom.records.rng import rng_for
from fathom.tasks.numeric.byline_wording import concerns
from fathom.tasks.numeric.placeholders import SLOT_KINDS, Placeholders
from fathom.tasks.numeric.schema import AUTHORS, NAME, NAMES, POSITION, SCHEMA, over_bylines
from fathom.tasks.numeric.template_trials import try_template
from fathom.tasks.numeric.templates import Template
from fathom.tasks.numeric.wording import explanation, question
from fathom.tasks.programs import parse as sql_parser
from fathom.tasks.programs.parse import ParseError
from fathom.tasks.programs.sql import parameterized
from fathom.tasks.programs.table_wording import chain
from fathom.tasks.programs.tree import (
    And,
    Arithmetic,
    Column,
    Compare,
    Count,
    Exists,
    IsUnknown,
    PeerAggregate,
    Program,
    RelatedCount,
    Slot,
    Values,
    bind,
    children,
    nodes,
    rebuild,
    slots,
)

MAX_FILE_SIZE = 2_000_000
"""The maximum size of a template file in bytes."""
MAX_LENGTH = 4_000
"""The maximum length of one statement in characters."""


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
    """The usable templates of a file; raises an error if it has none."""
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
        content = file.read(MAX_FILE_SIZE + 1).decode(errors="replace")
    if len(content) > MAX_FILE_SIZE:
        raise FathomError(
            f"'{path}' is larger than {MAX_FILE_SIZE:,} bytes. Divide the templates among several benches."
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
    position = content.find(text, offset)
    position = position if position >= 0 else offset
    return position, content.count("\n", 0, position) + 1


def _template(entry: object) -> Template:
    if not isinstance(entry, dict) or not isinstance(entry.get("sql"), str):
        raise ParseError('it is not an object with an "sql" text')
    unknown = set(entry) - {"type", "focus", "sql"}
    if unknown:
        raise ParseError(f"it has an unknown field '{min(unknown)}'")
    program = parse(entry["sql"], own=False)
    text = parameterized(program, SCHEMA).text
    labels = {name: str(entry[name]) for name in ("type", "focus") if name in entry}
    return Template(short_id("t", text), program, tuple(sorted(labels.items())))


def parse(text: str, own: bool = True) -> Program:
    """The program of a statement.

    `own` statements are those of keys. The program of a user's template is also compared with its SQL on generated
    collections, and every part of it must matter there.
    """
    if len(text) > MAX_LENGTH:
        raise ParseError(f"it is longer than {MAX_LENGTH:,} characters")
    placeholders = Placeholders()
    statement = text if own else placeholders.replaced(text)
    program, parsed = sql_parser.parse(statement, SCHEMA, placeholders.slots, SLOT_KINDS, own)
    program = _normalize(program)
    if not own:
        _check_supported(program)
        _check_wording(program)
        try_template(program, parsed, placeholders.slots)
    return program


def _check_wording(program: Program) -> None:
    """Raise a ParseError if a part of the program has no words."""
    try:
        explanation(program)
        text = question(bind(program, {slot: slot.number for slot in slots(program)}), rng_for(0, "wording"))
    except TypeError as error:
        raise ParseError(f"it has no unambiguous wording: {error}") from error
    if re.search(r"\b[A-Z]\w+\(\w*=", text):
        raise ParseError("a part of it has no words")


def _normalize(program: Program) -> Program:
    """The program with each name listed once, unless names are sorted, and a person's entries counted as articles."""
    program = _with_slot_kinds(_with_counts(program))
    if program.output == Values(NAME) and not program.order:
        return replace(program, output=NAMES)
    parts = chain(program.where) if isinstance(program.where, And) else [program.where]
    names_a_person = any(isinstance(part, Compare) and part.measure == NAME and part.sign == "=" for part in parts)
    if program.output in (Count(), Count(NAME)) and names_a_person and over_bylines(program):
        # A person has one entry in an article's author list.
        entry = [part for part in parts if part is not None and concerns(part) != {"article"}]
        entry.sort(key=lambda part: concerns(part) != {"name"})
        article_parts = [part for part in parts if part is not None and concerns(part) == {"article"}]
        return Program(Count(), reduce(And, [*article_parts, Exists("authors", reduce(And, entry))]))
    return program


def _with_counts(node: Any) -> Any:
    """The tree with the number of authors in place of the number of names, and of the last position."""
    if node in (RelatedCount("authors"), PeerAggregate("MAX", POSITION, Column("article_id"))):
        return AUTHORS
    parts = children(node)
    return rebuild(node, tuple(map(_with_counts, parts))) if parts else node


def _with_slot_kinds(node: Any) -> Any:
    """The tree with slots of the kinds that are drawn: numbers of articles, positions, or a few."""
    if isinstance(node, Slot):
        if node.kind != "number":
            return node
        if node.of is None or (isinstance(node.of, Arithmetic | PeerAggregate) and POSITION in nodes(node.of)):
            return Slot("few", node.number)
        return Slot("position", node.number) if node.of == POSITION else node
    parts = children(node)
    return rebuild(node, tuple(map(_with_slot_kinds, parts))) if parts else node


def _check_supported(program: Program) -> None:
    """Raise a ParseError if the program asks about something that articles do not have."""
    for node in SCHEMA.nodes(program):
        match node:
            case PeerAggregate(_, _, by) if by == Column("article_id"):
                raise ParseError("it aggregates over the author list of one article, which has no natural wording")
            case IsUnknown(column):
                raise ParseError(f"{column.name} is never NULL in a question, since unknown values are not asked about")
            case Compare(measure, _, float()) if SCHEMA.type_of(measure) == "integer":
                raise ParseError(f"'{node.value}' is not a whole number")
            case Compare(Column(name), sign) if SCHEMA.columns[name].type == "text" and sign not in ("=", "<>"):
                raise ParseError(f"{name} is a text and cannot be compared with {sign}")
    if program.output == NAMES and any(sort.measure != NAME for sort in program.order):
        raise ParseError("it lists each name once but sorts by something that a name may have several times")
    if len(program.order) > 2:
        raise ParseError("it sorts by more than two keys")
