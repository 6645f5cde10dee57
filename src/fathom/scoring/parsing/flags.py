"""Fields and columns that say whether something belongs to the answer: {"name": "Lind", "match": false}."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from fathom.scoring.parsing.normalization import normal

_BELONGS = re.compile(
    r"(?:is_?)?(?:match(?:es|ed|ing)?|qualif(?:y|ies|ied|ying)|included?|in_(?:answer|list)|correct|valid|accepted|selected"
    r"|relevant|eligible|meets?(?:_(?:the_)?(?:conditions?|criteria|criterion))?|satisf(?:y|ies|ied)|fits?|pass(?:es|ed)?)\??"
)
_EXCLUDED = re.compile(r"(?:is_?)?(?:rejected|excluded?|discarded|denied|dismissed|ruled_out|wrong|incorrect|invalid)")
_STATUS: Final = frozenset({"status", "verdict", "state"})
_YES: Final = frozenset({"yes", "y", "true", "t", "1", "✓", "✔", "✅", "是", "matches", "match"})
_NO: Final = frozenset({"no", "n", "false", "f", "0", "✗", "✘", "❌", "否", "x"})
_GIVEN_UP: Final = frozenset({"rejected", "wrong", "incorrect", "invalid", "failed", "error", "discarded", "withdrawn"})


def belongs(name: str, value: Any) -> bool | None:
    """Whether a field says that its object belongs to the answer; None if it is no such field, or unclear."""
    name = name.strip().lower().replace(" ", "_")
    said = value if isinstance(value, bool) else _said(str(value))
    if said is not None and _BELONGS.fullmatch(name):
        return said
    if said is not None and _EXCLUDED.fullmatch(name):
        return not said
    return False if name in _STATUS and str(value).strip().lower() in _GIVEN_UP else None


def _said(value: str) -> bool | None:
    form = value.strip().lower()
    return True if form in _YES else False if form in _NO else None


def denies(record: dict[str, Any]) -> bool:
    """Whether a field of an object says that it is not the answer."""
    return any(belongs(name, value) is False for name, value in record.items())


def without_flags(header: Sequence[str], rows: list[list[str]]) -> list[list[str]]:
    """The rows of a table that belong to the answer, without the column that says so; all rows if there is none."""
    for at, name in enumerate(header):
        said = [belongs(normal(name), row[at]) if len(row) == len(header) else None for row in rows]
        if rows and None not in said:
            return [row[:at] + row[at + 1 :] for row, belonging in zip(rows, said, strict=True) if belonging]
    return rows
