"""The figures that keys are computed from, for people who check them against the documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from pydantic import JsonValue

from fathom.corpus.store import Corpus
from fathom.records.documents import DocumentId
from fathom.tasks.family import ExtractedValue
from fathom.tasks.tables.build import figure_reader
from fathom.tasks.tables.figures import DocumentFigures
from fathom.tasks.tables.months import MONTH, month_text
from fathom.tasks.tables.pack import Pack
from fathom.tasks.tables.settings import recorded_packs


def extracted_values(
    corpus: Corpus, report: Mapping[str, JsonValue], documents: Iterable[DocumentId]
) -> Iterator[ExtractedValue]:
    """Every figure of these documents that has a value; `report` has the packs with which the bench was built."""
    packs = recorded_packs(report)
    read = figure_reader(corpus, packs)
    for id in documents:
        for pack in packs:
            figures = read(id, pack.name)
            if figures is not None:
                yield from _values(pack, figures)


def _values(pack: Pack, figures: DocumentFigures) -> Iterator[ExtractedValue]:
    language = next((language for language in pack.languages if language == figures.language), pack.languages[0])
    for figure_id, figure in figures.figures.items():
        if figure == "conflict" or figure.value is None:
            continue
        is_month = figure.unit == MONTH
        yield ExtractedValue(
            document=figure.document,
            span=figure.span,
            subject=figures.entity,
            name=pack.fields[figure_id.field].in_language(language) or figure_id.field,
            period="" if figure_id.year is None else str(figure_id.year),
            value=month_text(figure.value) if is_month else f"{figure.value:,f}",
            unit="" if is_month else figure.unit,
            tags={
                "domain": pack.name,
                "language": figures.language,
                "field": figure_id.field,
                "source": figure.source,
            },
        )
