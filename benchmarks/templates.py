"""How many SQL templates of a file become questions, and why the others are refused.

Usage: python benchmarks/templates.py [FILE.toml] [--wordings]

The file has tables with an `accepted` list of statements, and `refused` statements with a part of the reason that a
user must be given. Every accepted template is parsed back from the SQL of its program, and worded.
"""

from __future__ import annotations

import sys
import tomllib
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import sqlglot

from fathom.tasks.numeric.schema import SCHEMA
from fathom.tasks.numeric.user_templates import parse
from fathom.tasks.numeric.wording import is_wording, question
from fathom.tasks.programs.parse import ParseError
from fathom.tasks.programs.sql import literal
from fathom.tasks.programs.tree import Program, Slot, bind, slots

OWN = Path(__file__).with_name("templates.toml")
TEXTS = {"name": "A. Lee", "title": "Deep Words", "fragment": "neur"}


def example(program: Program) -> Program:
    """The program with some value in each slot."""

    def value(slot: Slot) -> int | str:
        return f"{TEXTS[slot.kind]} {slot.number}" if slot.kind in TEXTS else slot.number + 2

    return bind(program, {slot: value(slot) for slot in slots(program)})


def reason_of(statement: str) -> tuple[Program | None, str]:
    """The program of a template, or the reason why it is refused."""
    try:
        return parse(statement, own=False), ""
    except (ParseError, sqlglot.errors.SqlglotError) as error:
        return None, str(error).split("\n")[0]


def main(path: Path, wordings: bool) -> int:
    sections: dict[str, Any] = tomllib.loads(path.read_text())
    refused = sections.pop("refused", [])
    reasons: Counter[str] = Counter()
    accepted = wrong = 0
    for name, section in sections.items():
        found = 0
        for statement in section["accepted"]:
            program, reason = reason_of(statement)
            if program is None:
                reasons[reason] += 1
                print(f"  refused: {statement}\n      {reason}")
                continue
            found += 1
            bound = example(program)
            text = question(bound, Random(len(statement)))
            if parse(literal(bound, SCHEMA)) != bound or not is_wording(text, bound):
                wrong += 1
                print(f"  not parsed back: {statement}")
            if wordings:
                print(f"  {statement}\n      {text}")
        accepted += found
        print(f"{name}: {found} of {len(section['accepted'])} accepted")
    for entry in refused:
        program, reason = reason_of(entry["sql"])
        if program is not None or entry["reason"] not in reason:
            wrong += 1
            print(f"  expected '{entry['reason']}': {entry['sql']}\n      {reason or 'accepted'}")
    total = sum(len(section["accepted"]) for section in sections.values())
    print(f"{accepted} of {total} templates accepted; {len(refused)} others refused; {wrong} wrong")
    for reason, count in reasons.most_common():
        print(f"  {count} {reason}")
    return 1 if wrong else 0


if __name__ == "__main__":
    paths = [Path(argument) for argument in sys.argv[1:] if not argument.startswith("-")]
    sys.exit(main(paths[0] if paths else OWN, "--wordings" in sys.argv))
