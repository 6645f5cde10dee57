"""A key's program in plain words."""

from __future__ import annotations

from fathom.scoring.keys import Key
from fathom.tasks.numeric.simulate import program_of
from fathom.tasks.numeric.wording import explanation


def explain(key: Key) -> list[str]:
    """What the key's program does, step by step."""
    return explanation(program_of(key))
