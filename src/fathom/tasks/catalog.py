"""The list of question families, loaded by name.

To add a family to Fathom, write a package here with a `FAMILY` value and add its name to `FAMILIES`. An external
family can be anywhere on the Python path: name its package in the environment variable FATHOM_FAMILIES.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Any, get_args

from pydantic import ValidationError

from fathom.corpus.store import Corpus
from fathom.records.contexts import Split
from fathom.records.errors import FathomError
from fathom.records.record import first_error
from fathom.scoring.measures import Distribution, RatioMeasure
from fathom.tasks.family import Family, FamilySettings, PerContext, Preparation, Tag

FAMILIES = ("numeric", "citations", "tables", "claims", "citation_types", "memorization", "puzzles")
"""The built-in families: folders of `fathom.tasks`."""
VARIABLE = "FATHOM_FAMILIES"
"""Packages of further families by their dotted names, separated by commas. Worker processes inherit it."""


def _packages() -> dict[str, str]:
    """The package of each family by its name, which is the last part of the package's name."""
    added = [package.strip() for package in os.environ.get(VARIABLE, "").split(",") if package.strip()]
    packages = [*(f"fathom.tasks.{name}" for name in FAMILIES), *added]
    return {package.rpartition(".")[2]: package for package in packages}


def family_names() -> tuple[str, ...]:
    """The names of all families."""
    return tuple(_packages())


def family(name: str) -> Family:
    """The family of that name. It is imported on first use: one needs an SQL parser, another numpy."""
    packages = _packages()
    if name not in packages:
        raise FathomError(f"There is no family '{name}'. Choose among {', '.join(packages)}.")
    try:
        value = import_module(packages[name]).FAMILY
    except (ModuleNotFoundError, AttributeError) as error:
        raise FathomError(f"The package '{packages[name]}' has no family: {error}. Check {VARIABLE}.") from error
    assert isinstance(value, Family) and value.name == name, f"{packages[name]} exports no family '{name}'"
    return value


def builds_per_context(name: str) -> bool:
    """Whether the family asks about contexts that were sampled beforehand."""
    return isinstance(family(name).build, PerContext)


def per_context(name: str) -> PerContext:
    """The functions that build the items of such a family."""
    method = family(name).build
    assert isinstance(method, PerContext), f"{name} builds its own contexts"
    return method


def tags_of(families: Iterable[str]) -> tuple[Tag, ...]:
    """The tags of these families in their order, each name once."""
    tags: dict[str, Tag] = {}
    for name in families:
        for tag in family(name).tags:
            tags.setdefault(tag.name, tag)
    return tuple(tags.values())


def measures_of(families: Iterable[str]) -> tuple[RatioMeasure, ...]:
    """The ratio measures of these families, each name once."""
    return tuple({measure.name: measure for name in families for measure in family(name).measures}.values())


def distributions_of(families: Iterable[str]) -> tuple[Distribution, ...]:
    """The distributions of these families, each name once."""
    return tuple(
        {distribution.name: distribution for name in families for distribution in family(name).distributions}.values()
    )


def family_for(kinds: Mapping[str, int], corpus: Corpus) -> str:
    """The first family that asks about contexts of such documents, given how many there are of each kind.

    A family that finds nothing to ask about in the corpus is passed over: laws have no figures.
    """
    usual = max(kinds, key=lambda kind: kinds[kind])
    for name in family_names():
        build = family(name).build
        if isinstance(build, PerContext) and build.kind in (None, usual) and build.suits(corpus):
            return name
    return family_names()[0]


def preparation_of(name: str, corpus: Corpus) -> Preparation | None:
    """What to do before the family can ask about the corpus; None for nothing."""
    build = family(name).build
    return build.preparation(corpus) if isinstance(build, PerContext) else None


def values_of(families: Iterable[str], tag: str) -> tuple[str, ...]:
    """The values of a tag in the order in which they are listed, where it has one."""
    if tag == "split":
        return get_args(Split)
    return next((declared.values for declared in tags_of(families) if declared.name == tag), ())


def settings_of(name: str, values: FamilySettings | Mapping[str, Any]) -> FamilySettings:
    """The settings of a family from these values, with defaults for the others."""
    settings_class = family(name).settings
    if isinstance(values, FamilySettings):
        assert isinstance(values, settings_class), f"{type(values).__name__} are not settings of {name}"
        return values
    for unknown in values.keys() - settings_class.model_fields.keys():
        names = ", ".join(settings_class.model_fields)
        raise FathomError(f"The family '{name}' has no setting '{unknown}'. It has: {names or 'none'}.")
    try:
        return settings_class.model_validate(values)
    except ValidationError as error:
        problem = first_error(error).rstrip(".")
        raise FathomError(f"Settings of the family '{name}': {problem}. See `fathom build {name} --help`.") from None
