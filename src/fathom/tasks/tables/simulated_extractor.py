"""Simulated extractors: they know the figures, and give a wrong one or none at the rates of their parameters."""

from __future__ import annotations

import json
from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from fathom.models.simulated import SimulatedModel
from fathom.records.documents import Document
from fathom.tasks.tables.figures import FigureId, StatedFigure, Year, document_figures
from fathom.tasks.tables.months import MONTH, month_text
from fathom.tasks.tables.pack import Pack

ALTERNATIVES = 4
"""Wrong values among which an error chooses, all equally likely: other figures of the document with the same unit."""


def simulated_response(
    simulated: SimulatedModel, document: Document, year: Year, fields: tuple[str, ...], pack: Pack, rng: Random
) -> str:
    """The response to one prompt. Figures that structure and tables do not state are null."""
    reading = document_figures(document, pack)
    stated_figures = {
        figure_id: figure
        for figure_id, figure in (reading.figures if reading else {}).items()
        if isinstance(figure, StatedFigure)
    }
    response: dict[str, dict[str, str] | None] = {}
    for field in fields:
        figure = stated_figures.get(FigureId(field, year))
        if figure is None or figure.value is None or simulated.happens("miss", rng):
            response[field] = None
            continue
        if simulated.happens("error", rng):
            figure = rng.choice(alternatives(figure, stated_figures) or [figure])
        response[field] = _format_claim(figure, document)
    return json.dumps(response, ensure_ascii=False)


def alternatives(figure: StatedFigure, stated_figures: dict[FigureId, StatedFigure]) -> list[StatedFigure]:
    """The wrong values that an error may choose: the first ones with other values, each once."""
    by_value = {
        other.value: other
        for other in stated_figures.values()
        if other.value is not None and other.unit == figure.unit and other.value != figure.value
    }
    return list(by_value.values())[:ALTERNATIVES]


def _format_claim(figure: StatedFigure, document: Document) -> dict[str, str]:
    assert figure.value is not None
    text = document.text
    start = text.rfind("\n", 0, figure.span.start) + 1
    end = text.find("\n", figure.span.end)
    value = month_text(figure.value) if figure.unit == MONTH else f"{figure.value:f}"
    return {"value": value, "unit": figure.unit, "quote": text[start:end]}


class VoteShares(NamedTuple):
    """The shares of figures by decision that the error rates of extractors predict."""

    correct: float
    wrong: float
    not_stated: float
    no_majority: float


def predicted_shares(errors: Sequence[float], miss: float, wrong_values: int = ALTERNATIVES) -> VoteShares:
    """The expected results of independent votes on stated figures, one for each of these error rates."""
    correct = _majority([(1 - miss) * (1 - error) for error in errors])
    wrong = wrong_values * _majority([(1 - miss) * error / wrong_values for error in errors])
    silent = _majority([miss] * len(errors))
    return VoteShares(correct, wrong, silent, 1 - correct - wrong - silent)


def _majority(chances: Sequence[float]) -> float:
    """The probability that more than half of the votes are of a kind, given the probability for each vote."""
    of_count = [1.0]
    for chance in chances:
        of_count = [
            chance * fewer + (1 - chance) * equal
            for fewer, equal in zip([0.0, *of_count], [*of_count, 0.0], strict=True)
        ]
    return sum(of_count[len(chances) // 2 + 1 :])
