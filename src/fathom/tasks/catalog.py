"""The families there are. To add one: copy a folder, change its files, add its name here and to the import contract."""

from __future__ import annotations

from fathom.records.errors import FathomError
from fathom.tasks import citations, manners, numeric, recall
from fathom.tasks.family import Family

FAMILIES: tuple[Family, ...] = (numeric, citations, manners, recall)


def family(name: str) -> Family:
    """The family of that name."""
    for known in FAMILIES:
        if known.name == name:
            return known
    raise FathomError(f"There is no family '{name}'. Choose among {', '.join(known.name for known in FAMILIES)}.")
