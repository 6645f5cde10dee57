"""Faults of simulated readers of articles: the general ones of `programs`, and those about citations and bylines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from fathom.tasks.numeric.schema import (
    PEOPLE,
    POSITION,
    REFERENCES,
    SCHEMA,
    cited,
    cited_by_article,
    cites,
    cites_article,
    followed_relations,
    relations,
)
from fathom.tasks.numeric.tables import CitationRow, ContextTables
from fathom.tasks.programs import faults
from fathom.tasks.programs.faults import Interpretation, ReadingFault, Variation, by_edit, over
from fathom.tasks.programs.tree import Between, Compare, Exists, OneOf, RelatedCount


def _tables(reading: Interpretation) -> ContextTables:
    """The tables as the reader sees them."""
    tables = reading.seen
    assert isinstance(tables, ContextTables)
    return tables


def _citing_for_cited(node: Any) -> Iterator[tuple[str, Any]]:
    match node:
        case RelatedCount("citing" | "cited" as name, where):
            other = "cited" if name == "citing" else "citing"
            if where is None:
                yield f"{other} instead of {name}", RelatedCount(other)
    phrased = SCHEMA.phrase_of(node) if isinstance(node, Exists) else None
    match phrased[0].name if phrased else None:
        case "cites":
            yield "cited instead of citing", cited(node.least)
        case "cited":
            yield "citing instead of cited", cites(node.least)
        case "cites article":
            yield "cited by the article instead of citing it", cited_by_article(*phrased[1])  # type: ignore[index]
        case "cited by article":
            yield "citing the article instead of cited by it", cites_article(*phrased[1])  # type: ignore[index]


def _reversed_citations(reading: Interpretation) -> Iterator[Variation]:
    """One citation relation of the program reversed, or all of them."""
    yield from by_edit(_citing_for_cited)(reading)
    counted = [name for name, _ in relations(reading.program) if name in ("cites", "cited")]
    if len(counted) > 1:
        tables = _tables(reading)
        citations = tuple(CitationRow(row.cited, row.citing) for row in tables.citations)
        yield Variation("every citation reversed", over(reading, tables.replaced(citing_cited=citations)))


def _references_as_citations(reading: Interpretation) -> Iterator[Variation]:
    yield from by_edit(_references_for_citations)(reading)
    if REFERENCES not in SCHEMA.nodes(reading.program):
        return
    tables = _tables(reading)
    for detail, counts in (
        ("only references to articles of the collection", tables.citing),
        ("citations by articles of the collection instead of references", tables.cited),
    ):
        articles = tuple(
            row if row.reference_count is None else row._replace(reference_count=counts[row.number])
            for row in tables.articles
        )
        yield Variation(detail, over(reading, tables.replaced(articles=articles)))


def _references_for_citations(node: Any) -> Iterator[tuple[str, Any]]:
    phrased = SCHEMA.phrase_of(node) if isinstance(node, Exists) else None
    if phrased is not None and phrased[0].name in ("cites", "cited"):
        yield "all references instead of citations in the collection", Compare(REFERENCES, ">=", node.least)


def _ignore_distinct(reading: Interpretation) -> Iterator[Variation]:
    yield from faults.FAULTS["ignore-distinct"].variations(reading)
    # Names are made unique below, so the program must not select articles by name.
    if reading.program.output == PEOPLE and not followed_relations(reading.program) & {"authors", "bylines"}:
        tables = _tables(reading)
        entries = tuple(row._replace(name=f"{row.article} {row.position}") for row in tables.authors)
        yield Variation("every name in every byline counted", over(reading, tables.replaced(article_author=entries)))


def _wrong_position(node: Any) -> Iterator[tuple[str, Any]]:
    match node:
        case Compare(measure, _, int(value)) if measure == POSITION:
            yield "positions counted from zero", replace(node, value=value + 1)
        case Between(measure, int(low), int(high)) if measure == POSITION:
            yield "positions counted from zero", Between(measure, low + 1, high + 1)
        case OneOf(measure, values) if measure == POSITION:
            shifted = tuple(value + 1 for value in values if isinstance(value, int))
            yield "positions counted from zero", OneOf(measure, shifted)


_OWN = (
    ReadingFault("citing-for-cited", "confuses citing articles with cited ones", _reversed_citations),
    ReadingFault(
        "references-as-citations",
        "confuses entries of a reference list with citations within the collection",
        _references_as_citations,
    ),
    ReadingFault("ignore-distinct", faults.FAULTS["ignore-distinct"].describe, _ignore_distinct),
    ReadingFault("wrong-position", "counts positions in a byline from zero", by_edit(_wrong_position)),
)
_ORDER = (
    *("drop-filter", "ignore-not", "and-for-or", "reverse", "citing-for-cited", "references-as-citations", "boundary"),
    *("miscount", "ignore-distinct", "other-column", "wrong-position", "min-for-max", "sum-for-avg"),
    # These three apply to templates of users only.
    *("wrong-top", "inverted-ratio", "wrong-peers", "miss-document"),
)
FAULTS: dict[str, ReadingFault] = {name: {**faults.FAULTS, **{own.name: own for own in _OWN}}[name] for name in _ORDER}
"""Every fault by name, in the order in which a simulated reader decides whether to apply them."""
