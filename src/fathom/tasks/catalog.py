"""The list of question families, loaded by name.

To add a family, write a package with a `FAMILY` value and add it to `FAMILIES`: a built-in family by its folder's name,
a family of your own by the dotted name of its package.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Any

from pydantic import ValidationError

from fathom.records.errors import FathomError
from fathom.records.record import first_error
from fathom.tasks.family import Family, FamilySettings, Tag

FAMILIES: tuple[str, ...] = ("numeric", "citations", "citation_types", "memorization")
"""Names of folders of `fathom.tasks`, or dotted names of packages elsewhere (`my_package.family`)."""


def names() -> tuple[str, ...]:
    """The names of all families."""
    return tuple(entry.rpartition(".")[2] for entry in FAMILIES)


def family(name: str) -> Family:
    """The family of that name. It is imported on first use: one needs an SQL parser, another numpy."""
    for entry in FAMILIES:
        if entry.rpartition(".")[2] == name:
            found = import_module(entry if "." in entry else f"fathom.tasks.{entry}").FAMILY
            assert isinstance(found, Family) and found.name == name, f"{entry} exports no family of that name"
            return found
    raise FathomError(f"There is no family '{name}'. Choose among {', '.join(names())}.")


def tags_of(families: Iterable[str]) -> tuple[Tag, ...]:
    """The tags of these families in their order, each name once."""
    found: dict[str, Tag] = {}
    for name in families:
        for tag in family(name).tags:
            found.setdefault(tag.name, tag)
    return tuple(found.values())


def settings_of(name: str, values: FamilySettings | Mapping[str, Any]) -> FamilySettings:
    """The settings of a family from its values; what is not given has its default."""
    wanted = family(name).settings
    if isinstance(values, FamilySettings):
        assert isinstance(values, wanted), f"{type(values).__name__} are not settings of {name}"
        return values
    try:
        return wanted.model_validate(values)
    except ValidationError as error:
        raise FathomError(f"Settings of the family '{name}': {first_error(error)}.") from None
