"""Domain packs: which facts of a domain's documents questions may use, and how they are named, read from TOML."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property, lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, ValidationError, model_validator

from fathom.records.errors import FathomError, file_errors
from fathom.records.record import Record
from fathom.records.toml import parse_toml
from fathom.tasks.tables.labels import UNREADABLE, normal_label
from fathom.tasks.tables.pack_mistakes import NAME, explain, first_mistake

Language = Literal["en", "zh"]
FieldKind = Literal["money", "count", "percent", "number", "month"]
"""`money` has a currency; `count` is a number of things, such as employees; `percent` is a rate or share; `month` is a
month of a year, such as that of the highest price."""


class Nouns(Record):
    """The nouns for one thing, by language; the first is the usual one."""

    en: tuple[str, ...] = ()
    zh: tuple[str, ...] = ()

    def in_language(self, language: Language) -> str:
        """The usual noun; empty if the language has none."""
        return next(iter(getattr(self, language)), "")


class Period(Nouns):
    """The noun for the period of a report, such as "fiscal year", and how periods are written."""

    two_years: bool = False
    """Whether periods are written with two years: "2023/24" is the one that begins in 2023."""

    def named(self, year: int, language: Language) -> str:
        """The period without its noun: "2023", or "2023/24", in Chinese "2023—2024"."""
        if not self.two_years:
            return str(year)
        return f"{year}—{year + 1}" if language == "zh" else f"{year}/{(year + 1) % 100:02}"


class PackField(Nouns):
    """One field: a figure that the documents state of every entity."""

    attributes: tuple[str, ...] = Field(min_length=1)
    """The names of the facts that state it, such as "revenue" or "us-gaap:Revenues". The first that occurs is used."""
    part: str = ""
    """For packs about documents: the data set, or other condition, on which the document's own method was measured.
    Facts about that part state the field, not facts about the whole."""
    labels: tuple[str, ...] = ()
    """Headings of rows or columns of tables that state it, in any language, beside its nouns. "Tuition > First-year" is
    the cell of a row and a column."""
    not_about: tuple[str, ...] = ()
    """Words around a table that say that its figures are of something else: "transfer" for first-year applicants."""
    unclear_beside: tuple[str, ...] = ()
    """Words anywhere in a document that leave open what its tables mean: with "minority interests", "equity" may
    include them or not."""
    positive: bool = False
    """Whether it is never negative: a negative number in a table, such as a payment in brackets, is not used."""
    phrases: tuple[str, ...] = ()
    """Words of a sentence that state it, with {n} for the number: "a batch size of {n}". For packs about documents."""
    doubts: tuple[str, ...] = ()
    """Phrases that may state another value: if they print another number, the figure is unknown. "..." stands for a few
    words."""
    kind: FieldKind
    instant: bool = False
    """Whether it is a figure of the last day of the period, such as total assets."""
    additive: bool = True
    """Whether the sum over several entities has a meaning; never for percentages."""


class Metric(Nouns):
    """A figure computed from fields, such as the net margin."""

    formula: str
    """Two or more fields joined by one sign, or a quotient whose parts may be sums or differences in brackets:
    "net_profit / revenue", "current_assets - inventories", "(current_assets - inventories) / current_liabilities"."""
    percent: bool = False
    """Whether a quotient is expressed in percent."""

    @property
    def fields(self) -> tuple[str, ...]:
        return tuple(NAME.findall(self.formula))

    @property
    def sign(self) -> str:
        """The sign that joins the fields, or the two parts of a quotient."""
        return "/" if "/" in self.formula else next(iter(re.findall(r"[-+]", self.formula)), "")

    @property
    def sides(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """The dividend and the divisor of a quotient, or the whole: each a sign and the fields that it joins."""
        sides = self.formula.split("/")
        return tuple((next(iter(re.findall(r"[-+]", side)), ""), tuple(NAME.findall(side))) for side in sides)


class Composite(Nouns):
    """A weighted sum of metrics, such as a score of financial strength."""

    terms: dict[str, float] = Field(min_length=2)
    """The weight of each metric or field; all must be without a unit, or all in the same one."""


class EntityNouns(Record):
    """How the things that the documents are about are called."""

    noun: str
    plural: str


class Pack(Record):
    """The facts that questions about the documents of one domain may use."""

    name: str = Field(pattern=r"^[a-z][a-z0-9-]*$")
    summary: str
    en: EntityNouns | None = None
    zh: EntityNouns | None = None
    about: Literal["subject", "document"] = "subject"
    """What the figures are of: a company or another subject of several documents, or the document itself. Articles are
    named by their titles, and a question names those that it is about, since few of them state a figure."""
    exceptions: tuple[str, ...] = ()
    """Names of documents that are about something else, such as the European Union among countries: questions say that
    they are not asked about."""
    period: Period = Period()
    """The period of a report; without a noun if figures have no period."""
    fields: dict[str, PackField] = Field(min_length=2)
    metrics: dict[str, Metric] = {}
    composites: dict[str, Composite] = {}
    comparable: tuple[tuple[str, str], ...] = ()
    """Pairs of fields that may be compared with each other, such as two cash flows."""

    @model_validator(mode="after")
    def _makes_sense(self) -> Self:
        mistake = first_mistake(self)
        if mistake is not None:
            raise ValueError(mistake)
        return self

    @property
    def has_periods(self) -> bool:
        return self.period != Period()

    @property
    def languages(self) -> tuple[Language, ...]:
        return tuple(language for language in ("en", "zh") if getattr(self, language) is not None)

    def entity(self, language: Language) -> EntityNouns:
        """The nouns for an entity."""
        entity: EntityNouns = getattr(self, language)
        return entity

    @cached_property
    def field_of(self) -> dict[str, tuple[str, int]]:
        """For each fact's attribute, the field that it states and its rank among the field's attributes."""
        return {
            attribute: (name, rank)
            for name, field in self.fields.items()
            if not field.part
            for rank, attribute in enumerate(field.attributes)
        }

    def field_of_attribute(self, attribute: str) -> tuple[str, int] | None:
        """The field that a fact's attribute states, in its own namespace or in any, and its rank."""
        return self.field_of.get(attribute) or self.field_of.get(f"*:{attribute.rpartition(':')[2]}")

    @cached_property
    def field_of_result(self) -> dict[tuple[str, str], str]:
        """For each attribute and part, the field that an article's result states."""
        return {
            (attribute, field.part): name
            for name, field in self.fields.items()
            if field.part
            for attribute in field.attributes
        }

    @cached_property
    def field_of_label(self) -> dict[str, str]:
        """For each label in normal form, the field that it states."""
        return {
            normal_label(label): name
            for name, field in self.fields.items()
            if not field.part
            for label in (
                *field.labels,
                *field.en,
                *field.zh,
                *(attribute for attribute in field.attributes if ":" not in attribute),
            )
        }

    def field_with_label(self, label: str) -> str | None:
        """The field that a heading of a table states; letters that a PDF does not name may be any."""
        normal = normal_label(label)
        field = self.field_of_label.get(normal)
        if field is None and UNREADABLE in normal:
            pattern = re.compile(re.escape(normal).replace(UNREADABLE, r"\w{1,3}"))
            fields = {
                matching_field
                for known_label, matching_field in self.field_of_label.items()
                if pattern.fullmatch(known_label)
            }
            field = fields.pop() if len(fields) == 1 else None
        return field

    @cached_property
    def reads_filings(self) -> bool:
        """Whether fields are stated by tagged numbers of filings, such as "us-gaap:Revenues"."""
        return any(":" in attribute for attribute in self.field_of)


def pack_names() -> list[str]:
    """The names of the packs that are part of Fathom."""
    return sorted(file.name.removesuffix(".toml") for file in _shipped_packs())


def read_pack(name: str) -> Pack:
    """A pack by its name, or from a TOML file."""
    path = Path(name)
    if path.suffix == ".toml":
        with file_errors("read the pack", path):
            content = path.read_bytes()
        try:
            return parse_pack(content.decode("utf-8"), str(path))
        except UnicodeDecodeError:
            raise FathomError(f"The pack '{path}' is not UTF-8 text. Save it as UTF-8.") from None
    for file in _shipped_packs():
        if file.name == f"{name}.toml":
            return parse_pack(file.read_text("utf-8"), file.name)
    raise FathomError(f"There is no pack '{name}'. Choose among {', '.join(pack_names())}, or name a .toml file.")


@lru_cache(maxsize=32)
def parse_pack(text: str, where: str) -> Pack:
    """The pack that a TOML text describes."""
    values = parse_toml(text, f"The pack '{where}'")
    try:
        return Pack.model_validate(values)
    except ValidationError as error:
        problem = explain(error)
        raise FathomError(f"The pack '{where}': {problem}{'' if problem.endswith('?') else '.'}") from None


def _shipped_packs() -> Iterator[Any]:
    return (file for file in files(__package__).joinpath("packs").iterdir() if file.name.endswith(".toml"))
