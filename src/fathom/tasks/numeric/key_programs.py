"""The programs of keys, read back from their SQL."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Any

from fathom.records.errors import FathomError
from fathom.scoring.keys import Key
from fathom.tasks.numeric.schema import SCHEMA
from fathom.tasks.numeric.templates import templates
from fathom.tasks.numeric.user_templates import parse
from fathom.tasks.numeric.wording import explanation
from fathom.tasks.programs.sql import literal
from fathom.tasks.programs.tree import Constant, Program, Slot, bind, children, rebuild

# The number of a computed measure ("reference_count % 10") belongs to the template, and may occur there twice.
_LITERAL = re.compile(r"(?P<like>LIKE )?'(?P<text>(?:[^']|'')*)'|(?<![\w.])(?<![-+*/%] )(?P<number>-?\d+)(?![\w.])")
_FIRST_BLANK = 100_000_000
_BLANK = "blank "


def program_of(key: Key) -> Program:
    """The program that a key's statement was written from."""
    try:
        return _program(key.proof.program)
    except Exception as error:
        # A key file may contain anything, and a parser fails on it in many ways.
        raise FathomError(
            f"The program of question '{key.question_id}' cannot be read. Run `fathom audit`, or build the bench again."
        ) from error


def explain(key: Key) -> list[str]:
    """The steps that lead to the key's answer."""
    return explanation(program_of(key))


def _program(statement: str) -> Program:
    """The statement's program.

    The values are blanked, so that parsing, which takes longer than all the rest, is done once for each template of a
    user and never for a built-in one.
    """
    shape, values = _with_blanks(statement)
    built_in = _built_in().get(shape)
    if built_in is not None:
        return bind(built_in, values)
    # A condition may name one title twice.
    shape, values = _with_blanks(statement, merge=True)
    return bind(_parse_shape(shape), values)


def _with_blanks(statement: str, merge: bool = False) -> tuple[str, dict[Slot, Constant]]:
    """The statement with a numbered blank for each value, and the values; `merge` gives equal texts one blank."""
    values: dict[Slot, Constant] = {}
    texts: dict[str, int] = {}

    def blank(match: re.Match[str]) -> str:
        number, text = len(values), match["text"]
        if text is None:
            values[_slot(number)] = int(match["number"])
            return str(_FIRST_BLANK + number)
        text = text.replace("''", "'")
        number = texts.setdefault(text, number) if merge else number
        if not match["like"]:
            values[_slot(number)] = text
            return f"'{_BLANK}{number}'"
        start_wildcard, end_wildcard = "%" * text.startswith("%"), "%" * text.endswith("%")
        values[_slot(number)] = text.removeprefix(start_wildcard).removesuffix(end_wildcard)
        return f"LIKE '{start_wildcard}{_BLANK}{number}{end_wildcard}'"

    return _LITERAL.sub(blank, statement), values


@cache
def _built_in() -> dict[str, Program]:
    """The programs of the built-in templates by the shape of their statements."""
    shapes: dict[str, Program] = {}
    for template in templates():
        filling: dict[Slot, Constant] = {
            slot: _FIRST_BLANK + number if slot.kind in ("number", "position", "few") else f"{_BLANK}{number}"
            for number, slot in enumerate(template.slots)
        }
        shape, values = _with_blanks(literal(bind(template.program, filling), SCHEMA))
        # A value may occur in the statement twice; its first occurrence is used.
        slots = {value: slot for slot, value in reversed(values.items())}
        shapes[shape] = bind(template.program, {slot: slots[value] for slot, value in filling.items()})  # type: ignore[misc]
    return shapes


@lru_cache(maxsize=4_096)
def _parse_shape(shape: str) -> Program:
    """The program of a statement with blanks, with a slot for each."""
    program: Program = _with_slots(parse(shape))
    return program


@lru_cache(maxsize=64)
def _slot(number: int) -> Slot:
    return Slot("number", number)


def _with_slots(node: Any) -> Any:
    if isinstance(node, int) and node >= _FIRST_BLANK:
        return _slot(node - _FIRST_BLANK)
    if isinstance(node, str):
        return _slot(int(node.removeprefix(_BLANK))) if node.startswith(_BLANK) else node
    parts = children(node)
    return rebuild(node, tuple(map(_with_slots, parts))) if parts else node
