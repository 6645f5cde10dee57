"""The figures of entities in several documents: of each figure, the one of the latest document."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fathom.records.documents import DocumentId
from fathom.tasks.tables.figures import Conflict, DocumentFigures, FigureId, StatedFigure, Year


@dataclass(frozen=True)
class EntityFigures:
    """The figures of entities in one set of documents: for each figure, the one of the latest document counts."""

    entities: tuple[str, ...]
    """The entities that are asked about, in order of their names."""
    reports: dict[str, tuple[DocumentId, ...]]
    """The documents of each entity, the latest last."""
    figures: dict[tuple[str, FigureId], StatedFigure]
    """Figures that are certain, including those that are stated to be missing. All others are unknown."""

    def knows(self, figure_id: FigureId) -> bool:
        """Whether the figure is certain for every entity."""
        return all((entity, figure_id) in self.figures for entity in self.entities)


def entity_figures(documents: Iterable[DocumentFigures], year: Year, currency: str | None) -> EntityFigures:
    """The figures of the entities that have a document about that year, in that currency; None for any.

    A document of an unknown year may be about that year: its entity is one of them, and all of its figures are unknown.
    """
    by_entity: dict[str, list[DocumentFigures]] = defaultdict(list)
    for report in documents:
        by_entity[report.entity].append(report)
    undated = {
        entity for entity, reports in by_entity.items() if year and any(report.year is None for report in reports)
    }
    entities = sorted(
        entity
        for entity, reports in by_entity.items()
        if (dated_reports := [report for report in reports if report.year in (year, None)])
        and all(
            currency in (None, report.currency) or (entity in undated and not report.currency)
            for report in dated_reports
        )
    )
    figures: dict[tuple[str, FigureId], StatedFigure] = {}
    reports: dict[str, tuple[DocumentId, ...]] = {}
    for entity in entities:
        by_date = sorted(by_entity[entity], key=lambda report: report.year or 0)
        reports[entity] = tuple(report.document for report in by_date)
        if entity in undated:
            continue
        for figure_id in dict.fromkeys(figure_id for report in by_date for figure_id in report.figures):
            figure = latest_figure(by_date, figure_id)
            if figure is not None:
                figures[entity, figure_id] = figure
    return EntityFigures(tuple(entities), reports, figures)


def latest_figure(reports: Sequence[DocumentFigures], figure_id: FigureId) -> StatedFigure | None:
    """The figure of the latest document that has it; None if that is not certain."""
    stating = [report for report in reports if figure_id in report.figures]
    latest = [report.figures[figure_id] for report in stating if report.year == stating[-1].year]
    figures = [figure for figure in latest if isinstance(figure, StatedFigure)]
    if len(figures) < len(latest) or len({(figure.value, figure.unit) for figure in figures}) > 1:
        return None
    if figures[0].value is None and any(
        isinstance(report.figures[figure_id], StatedFigure) and _has_value(report.figures[figure_id])
        for report in stating
    ):
        # An earlier document gives the figure and the latest one says that it is missing: readers may differ.
        return None
    return figures[0]


def _has_value(figure: StatedFigure | Conflict) -> bool:
    return isinstance(figure, StatedFigure) and figure.value is not None
