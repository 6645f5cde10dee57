"""Domain packs: which facts of a domain's documents questions may use, and how they are named, read from TOML."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, ValidationError, model_validator

from fathom.records.errors import FathomError
from fathom.records.record import Record, first_error

Language = Literal["en", "zh"]
Kind = Literal["money", "count", "percent", "number"]
"""`money` has a currency; `count` is a number of things, such as employees; `percent` is a rate or share."""

_NAME = re.compile(r"[a-z][a-z0-9_]*")


class Words(Record):
    """The nouns for one thing, by language; the first is the usual one."""

    en: tuple[str, ...] = ()
    zh: tuple[str, ...] = ()

    def of(self, language: Language) -> str:
        """The usual noun; empty if the language has none."""
        return next(iter(getattr(self, language)), "")


class PackField(Words):
    """One field: a figure that the documents state of every entity."""

    attributes: tuple[str, ...] = Field(min_length=1)
    """The names of the facts that state it, such as "revenue" or "us-gaap:Revenues". The first that occurs is used."""
    kind: Kind
    additive: bool = True
    """Whether the sum over several entities has a meaning; never for percentages."""


class Metric(Words):
    """A figure computed from fields, such as the net margin."""

    formula: str
    """Two or more fields joined by one sign: "net_profit / revenue", "current_assets - inventories"."""
    percent: bool = False
    """Whether a quotient is expressed in percent."""

    @property
    def fields(self) -> tuple[str, ...]:
        return tuple(_NAME.findall(self.formula))

    @property
    def sign(self) -> str:
        """The sign that joins the fields."""
        return next(iter(re.findall(r"[-+/]", self.formula)), "")


class Composite(Words):
    """A weighted sum of metrics, such as a score of financial strength."""

    terms: dict[str, float] = Field(min_length=2)
    """The weight of each metric or field; all must be without a unit, or all in the same one."""


class Entity(Record):
    """How the things that the documents are about are called."""

    noun: str
    plural: str


class Pack(Record):
    """What may be asked about the documents of one domain."""

    name: str = Field(pattern=r"^[a-z][a-z0-9-]*$")
    summary: str
    en: Entity | None = None
    zh: Entity | None = None
    period: Words = Words()
    """The noun for the period of a report, such as "fiscal year"; none if figures have no period."""
    fields: dict[str, PackField] = Field(min_length=2)
    metrics: dict[str, Metric] = {}
    composites: dict[str, Composite] = {}
    comparable: tuple[tuple[str, str], ...] = ()
    """Pairs of fields that may be compared with each other, such as two cash flows."""

    @model_validator(mode="after")
    def _names_are_known(self) -> Self:
        for name in (*self.fields, *self.metrics, *self.composites):
            if not _NAME.fullmatch(name):
                raise ValueError(f"'{name}' is no name: use lower-case letters, digits and underscores")
        for name, metric in self.metrics.items():
            self._check_metric(name, metric)
        for one, two in self.comparable:
            self._require(one, "comparable"), self._require(two, "comparable")
            if self.fields[one].kind != self.fields[two].kind:
                raise ValueError(
                    f"'{one}' and '{two}' cannot be compared: one is {self.fields[one].kind}, "
                    f"the other {self.fields[two].kind}"
                )
        for name, composite in self.composites.items():
            for term in composite.terms:
                if term not in self.fields and term not in self.metrics:
                    raise ValueError(f"the composite '{name}' uses '{term}', which is neither a field nor a metric")
        return self

    def _check_metric(self, name: str, metric: Metric) -> None:
        if not re.fullmatch(r"\s*[a-z]\w*(\s*([-+/])\s*[a-z]\w*)(\s*\2\s*[a-z]\w*)*\s*", metric.formula):
            raise ValueError(f"the formula of '{name}' must join fields by one sign: '{metric.formula}'")
        for field in metric.fields:
            self._require(field, name)
        kinds = {self.fields[field].kind for field in metric.fields}
        if metric.sign != "/" and len(kinds) > 1:
            raise ValueError(f"'{name}' adds or subtracts figures of different kinds: {', '.join(sorted(kinds))}")
        if metric.sign == "/" and len(metric.fields) > 2:
            raise ValueError(f"'{name}' divides more than once; use two fields")

    def _require(self, field: str, where: str) -> None:
        if field not in self.fields:
            raise ValueError(f"'{where}' uses the field '{field}', which the pack does not have")

    @property
    def has_periods(self) -> bool:
        return self.period != Words()

    @property
    def languages(self) -> tuple[Language, ...]:
        return tuple(language for language in ("en", "zh") if getattr(self, language) is not None)

    def entity(self, language: Language) -> Entity:
        """The nouns for an entity."""
        entity: Entity = getattr(self, language)
        return entity

    @cached_property
    def field_of(self) -> dict[str, tuple[str, int]]:
        """For each fact's attribute, the field that it states and its rank among the field's attributes."""
        return {
            attribute: (name, rank)
            for name, field in self.fields.items()
            for rank, attribute in enumerate(field.attributes)
        }

    @cached_property
    def reads_filings(self) -> bool:
        """Whether fields are stated by tagged numbers of filings, such as "us-gaap:Revenues"."""
        return any(":" in attribute for attribute in self.field_of)


def pack_names() -> list[str]:
    """The names of the packs that are part of Fathom."""
    return sorted(file.name.removesuffix(".toml") for file in _shipped())


def read_pack(name: str) -> Pack:
    """A pack by its name, or from a TOML file."""
    path = Path(name)
    if path.suffix == ".toml":
        try:
            return parse_pack(path.read_text("utf-8"), str(path))
        except OSError as error:
            raise FathomError(f"The pack '{path}' cannot be read: {error.strerror}.") from None
        except UnicodeDecodeError:
            raise FathomError(f"The pack '{path}' is not UTF-8 text. Save it as UTF-8.") from None
    for file in _shipped():
        if file.name == f"{name}.toml":
            return parse_pack(file.read_text("utf-8"), file.name)
    raise FathomError(f"There is no pack '{name}'. Choose among {', '.join(pack_names())}, or name a .toml file.")


def parse_pack(text: str, where: str) -> Pack:
    """The pack that a TOML text describes."""
    try:
        values: dict[str, Any] = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise FathomError(f"The pack '{where}' is not valid TOML: {error}.") from None
    try:
        return Pack.model_validate(values)
    except ValidationError as error:
        problem = first_error(error).rstrip(".")
        raise FathomError(f"The pack '{where}': {problem}.") from None


def _shipped() -> Iterator[Any]:
    return (file for file in files(__package__).joinpath("packs").iterdir() if file.name.endswith(".toml"))
