"""Names, kinds and strings in the text of drafted packs."""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import count

from fathom.tasks.tables.months import MONTH
from fathom.tasks.tables.pack import FieldKind
from fathom.tasks.tables.pack_mistakes import is_column_name

CURRENCY = re.compile(r"[A-Z]{3}(?:/.*)?")
MAX_NAME_LENGTH = 60


def field_name(words: str) -> str:
    """A name that a field may have: "Area, total" is area_total."""
    name = re.sub(r"[^a-z0-9_\u4e00-\u9fff]", "", "_".join(re.findall(r"[^\W_]+", words)).lower()).strip("_") or "field"
    name = (name if name[0].isalpha() else f"f_{name}")[:MAX_NAME_LENGTH]
    return name if is_column_name(name) else f"{name}_value"


def unused(name: str, taken: Collection[str]) -> str:
    """The name, or with a number if another field has the same."""
    numbered = (f"{name}_{number}" for number in count(2))
    return name if name not in taken else next(candidate for candidate in numbered if candidate not in taken)


def kind_of(unit: str, all_whole: bool) -> FieldKind:
    """The kind of a figure in that unit; `all_whole` if all values are whole numbers."""
    if CURRENCY.fullmatch(unit):
        return "money"
    if unit in ("%", MONTH):
        return "percent" if unit == "%" else "month"
    return "count" if all_whole and unit in ("", "persons", "shares") else "number"


def escaped(text: str) -> str:
    """The text inside a TOML string."""
    return text.replace("\\", "\\\\").replace('"', '\\"')
