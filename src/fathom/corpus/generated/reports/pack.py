"""What a domain's reports say in one language: sections, sentences, tables and names, read from TOML."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from fathom.corpus.generated.reports.catalogue import Metric, catalogue
from fathom.corpus.generated.reports.files import read_words
from fathom.corpus.generated.reports.templates import Template, parse_template

Statement = tuple[Template, ...]
"""One thing said in several ways, of which a report uses one; a way without pieces says nothing."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Statements one after another."""

    statements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Bullets:
    """Statements, each a point of a list."""

    statements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class TableSpec:
    """A table: the figures where its rows and its columns meet."""

    captions: Statement
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    """Either axis is metrics ("revenue", "revenue@-1") or one of "parts:GROUP", "years:N", "quarters", "quarters@-1"."""
    metric: str | None
    """The metric of all cells, where neither axis names one."""
    part: str | None
    """The word that names the part all cells are of; None where an axis does, or for the whole."""
    corner: str


@dataclass(frozen=True, slots=True)
class Passage:
    """A headed stretch of the report: a section, or a subsection inside one."""

    id: str
    headings: Statement
    body: tuple[Paragraph | Bullets | TableSpec | Passage, ...]
    least: float
    """How full an entity's reports must be, from 0 to 1, to have it."""
    pick: tuple[float, float] | None
    """What share of the body the leanest and the fullest reports keep; None for all of it."""
    each: str | None
    """The group of parts for each of which the body is written again."""
    steady: bool
    """Whether it keeps its wording from year to year."""
    restated: str | None
    """The reason for a restatement that it explains; None for what stands in every report."""


@dataclass(frozen=True, slots=True)
class Pack:
    """The words of a domain in one language."""

    language: str
    metrics: Mapping[str, Metric]
    titles: tuple[str, ...]
    front: Passage
    order: tuple[tuple[str, ...], ...]
    """Section ids; those of one group may stand in any order."""
    sections: Mapping[str, Passage]
    phrases: Mapping[str, Statement]
    whole: tuple[str, ...]
    """Wordings for the row of the whole entity in a table of parts."""
    names: Mapping[str, Any]
    """Word lists for names; each domain knows its own."""


@cache
def load_pack(domain: str, language: str) -> Pack:
    """The pack of "companies", "universities" or "housing" in a language."""
    metrics = catalogue(domain)
    source = read_words(f"{domain}.{language}")
    tables = {name: _table(entry, metrics) for name, entry in source["tables"].items()}
    sections = [_passage(entry, metrics, tables) for entry in source["section"]]
    return Pack(
        language=language,
        metrics=metrics,
        titles=tuple(source["titles"]),
        front=_passage(source["front"], metrics, tables),
        order=tuple(tuple(group) for group in source["order"]),
        sections={section.id: section for section in sections},
        phrases={name: _statement(ways, metrics) for name, ways in source["phrases"].items()},
        whole=tuple(source["whole"]),
        names=source["names"],
    )


def _passage(entry: Mapping[str, Any], metrics: Mapping[str, Metric], tables: Mapping[str, TableSpec]) -> Passage:
    pick = entry.get("pick")
    return Passage(
        id=entry.get("id", ""),
        headings=_statement(entry.get("headings", []), metrics),
        body=tuple(_element(element, metrics, tables) for element in entry["body"]),
        least=entry.get("least", 0.0),
        pick=(pick[0], pick[1]) if pick else None,
        each=entry.get("each"),
        steady=entry.get("steady", False),
        restated=entry.get("restated"),
    )


def _element(
    element: Any, metrics: Mapping[str, Metric], tables: Mapping[str, TableSpec]
) -> Paragraph | Bullets | TableSpec | Passage:
    """A table by its name, a list of points, a subsection, or a paragraph."""
    if isinstance(element, str):
        return tables[element]
    if isinstance(element, dict) and "bullets" in element:
        return Bullets(tuple(_statement(ways, metrics) for ways in element["bullets"]))
    if isinstance(element, dict):
        return _passage(element, metrics, tables)
    return Paragraph(tuple(_statement(ways, metrics) for ways in element))


def _statement(ways: str | list[str], metrics: Mapping[str, Metric]) -> Statement:
    return tuple(parse_template(way, metrics) for way in ([ways] if isinstance(ways, str) else ways))


def _table(entry: Mapping[str, Any], metrics: Mapping[str, Metric]) -> TableSpec:
    rows, columns = entry["rows"], entry["columns"]
    return TableSpec(
        captions=_statement(entry["captions"], metrics),
        rows=tuple([rows] if isinstance(rows, str) else rows),
        columns=tuple([columns] if isinstance(columns, str) else columns),
        metric=entry.get("metric"),
        part=entry.get("part"),
        corner=entry.get("corner", ""),
    )
