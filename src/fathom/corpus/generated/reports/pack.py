"""The language pack of a domain: the text of its reports in one language, read from TOML.

`DOMAIN.layout.toml` has the parts that all languages share: the order of the sections, when a passage is written, and
which figures a table shows. `DOMAIN.LANGUAGE.toml` has the text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from fathom.corpus.generated.reports.style import ReportAttribute, catalog, read_words
from fathom.corpus.generated.reports.templates import SentenceTemplate, parse_template

Statement = tuple[SentenceTemplate, ...]
"""Alternative wordings of one statement, of which a report uses one; an empty wording says nothing."""


@dataclass(frozen=True, slots=True)
class ParagraphTemplate:
    """Statements in order."""

    statements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Bullets:
    """Statements, each an item of a list."""

    statements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class TableSpec:
    """A table of figures by rows and columns."""

    captions: Statement
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    """An axis is metrics ("revenue", "revenue@-1") or one of "parts:GROUP", "years:N", "quarters", "quarters@-1"."""
    metric: str | None
    """The metric of all cells, where neither axis names one."""
    part: str | None
    """The word that names the part of all cells; None if an axis does, or for the whole."""
    corner: str


@dataclass(frozen=True, slots=True)
class SectionTemplate:
    """A section or subsection of the report."""

    id: str
    headings: Statement
    body: tuple[ParagraphTemplate | Bullets | TableSpec | SectionTemplate, ...]
    min_fullness: float
    """Only reports of entities with at least this `fullness` include it."""
    pick: tuple[float, float] | None
    """The share of the body that the shortest and the longest reports include; None for all of it."""
    each: str | None
    """The group of parts for each of which the body is repeated."""
    steady: bool
    """Whether it keeps its wording from year to year."""
    restated: str | None
    """The reason of a restatement that the passage explains; None for a passage of every report."""


@dataclass(frozen=True, slots=True)
class LanguagePack:
    """The text of a domain in one language."""

    language: str
    metrics: Mapping[str, ReportAttribute]
    titles: tuple[str, ...]
    front: SectionTemplate
    order: tuple[tuple[str, ...], ...]
    """Section ids; those of one group may come in any order."""
    sections: Mapping[str, SectionTemplate]
    phrases: Mapping[str, Statement]
    whole: tuple[str, ...]
    """Wordings for the row of the whole entity in a table of parts."""
    names: Mapping[str, Any]
    """Word lists for names; each domain has its own."""


@cache
def load_pack(domain: str, language: str) -> LanguagePack:
    """The pack of "companies", "universities" or "housing" in a language."""
    words, layout = read_words(f"{domain}.{language}"), read_words(f"{domain}.layout")
    reader = _Reader(words, layout, catalog(domain))
    sections = [reader.passage(entry) for entry in words["section"]]
    return LanguagePack(
        language=language,
        metrics=reader.metrics,
        titles=tuple(words["titles"]),
        front=reader.passage(words["front"]),
        order=tuple(tuple(group) for group in layout["order"]),
        sections={section.id: section for section in sections},
        phrases={name: reader.statement(wordings) for name, wordings in words["phrases"].items()},
        whole=tuple(words["whole"]),
        names=words["names"],
    )


@dataclass(frozen=True, slots=True)
class _Reader:
    """Turns the content of the files into passages."""

    words: Mapping[str, Any]
    layout: Mapping[str, Any]
    metrics: Mapping[str, ReportAttribute]

    def passage(self, entry: Mapping[str, Any]) -> SectionTemplate:
        """A section or subsection, with its layout."""
        id = entry.get("id", "")
        layout = self.layout["passages"].get(id, {})
        pick = layout.get("pick")
        return SectionTemplate(
            id=id,
            headings=self.statement(entry.get("headings", [])),
            body=tuple(self.element(element) for element in entry["body"]),
            min_fullness=layout.get("least", 0.0),
            pick=(pick[0], pick[1]) if pick else None,
            each=layout.get("each"),
            steady=layout.get("steady", False),
            restated=layout.get("restated"),
        )

    def element(self, element: Any) -> ParagraphTemplate | Bullets | TableSpec | SectionTemplate:
        """A table by its name, a list, a subsection, or a paragraph."""
        match element:
            case str():
                return self.table(element)
            case {"bullets": points}:
                return Bullets(tuple(self.statement(wordings) for wordings in points))
            case dict():
                return self.passage(element)
            case _:
                return ParagraphTemplate(tuple(self.statement(wordings) for wordings in element))

    def statement(self, wordings: str | list[str]) -> Statement:
        """One or more wordings of a statement."""
        texts = [wordings] if isinstance(wordings, str) else wordings
        return tuple(parse_template(text, self.metrics) for text in texts)

    def table(self, name: str) -> TableSpec:
        """The table of that name, with its caption."""
        layout = self.layout["tables"][name]
        rows, columns = (
            (axis,) if isinstance(axis, str) else tuple(axis) for axis in (layout["rows"], layout["columns"])
        )
        return TableSpec(
            captions=self.statement(self.words["captions"][name]),
            rows=rows,
            columns=columns,
            metric=layout.get("metric"),
            part=layout.get("part"),
            corner=self.words["corners"].get(rows[0].removeprefix("parts:"), ""),
        )
