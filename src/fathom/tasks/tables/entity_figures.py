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
    for one in documents:
        by_entity[one.entity].append(one)
    undated = {
        entity for entity, reports in by_entity.items() if year and any(report.year is None for report in reports)
    }
    entities = sorted(
        entity
        for entity, reports in by_entity.items()
        if (own := [report for report in reports if report.year in (year, None)])
        and all(currency in (None, one.currency) or (entity in undated and not one.currency) for one in own)
    )
    figures: dict[tuple[str, FigureId], StatedFigure] = {}
    reports: dict[str, tuple[DocumentId, ...]] = {}
    for entity in entities:
        ordered = sorted(by_entity[entity], key=lambda one: one.year or 0)
        reports[entity] = tuple(one.document for one in ordered)
        if entity in undated:
            continue
        for figure_id in dict.fromkeys(figure_id for one in ordered for figure_id in one.figures):
            figure = latest_figure(ordered, figure_id)
            if figure is not None:
                figures[entity, figure_id] = figure
    return EntityFigures(tuple(entities), reports, figures)


def latest_figure(ordered: Sequence[DocumentFigures], figure_id: FigureId) -> StatedFigure | None:
    """The figure of the latest document that has it; None if that is not certain."""
    stating = [one for one in ordered if figure_id in one.figures]
    latest = [one.figures[figure_id] for one in stating if one.year == stating[-1].year]
    known = [figure for figure in latest if isinstance(figure, StatedFigure)]
    if len(known) < len(latest) or len({(figure.value, figure.unit) for figure in known}) > 1:
        return None
    if known[0].value is None and any(
        isinstance(one.figures[figure_id], StatedFigure) and _has_value(one.figures[figure_id]) for one in stating
    ):
        # An earlier document gives the figure and the latest one says that it is missing: readers may differ.
        return None
    return known[0]


def _has_value(figure: StatedFigure | Conflict) -> bool:
    return isinstance(figure, StatedFigure) and figure.value is not None
