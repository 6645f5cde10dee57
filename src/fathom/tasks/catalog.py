"""The families there are. To add one: copy a folder, change its files, add its name here and to the import contract."""

from __future__ import annotations

from importlib import import_module
from typing import cast

from fathom.records.errors import FathomError
from fathom.tasks.family import Family

FAMILIES = ("numeric", "citations", "citation_types", "memorization")
"""Their names, which are their folders'."""


def family(name: str) -> Family:
    """The family of that name, loaded when it is first asked for: one brings a parser of SQL, another numpy."""
    if name not in FAMILIES:
        raise FathomError(f"There is no family '{name}'. Choose among {', '.join(FAMILIES)}.")
    return cast(Family, import_module(f"fathom.tasks.{name}"))
