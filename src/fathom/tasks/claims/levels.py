"""The ordered vocabulary of eLife's editorial assessments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class RatingScale(NamedTuple):
    """A property of a whole article that editors judge on an ordered scale."""

    label: str
    """Its name among the labels of an annotation."""
    levels: tuple[str, ...]
    """From the lowest to the highest."""
    question: str


SCALES: Mapping[str, RatingScale] = {
    "strength": RatingScale(
        "evidence strength",
        ("inadequate", "incomplete", "solid", "convincing", "compelling", "exceptional"),
        "How strong is the evidence that the article presents for its claims? Judge the article as a whole.",
    ),
    "significance": RatingScale(
        "claim importance",
        ("useful", "valuable", "important", "fundamental", "landmark"),
        "How significant are the findings that the article claims, if they are true? Judge the article as a whole.",
    ),
}


def level_of(task: str, word: str) -> int | None:
    """The position of a level on the scale of a task, counted from zero; None if it is not on the scale."""
    levels = SCALES[task].levels
    return levels.index(word) if word in levels else None


def scale_of(word: str) -> tuple[str, RatingScale] | None:
    """The task and scale that have a level of this name; no two scales share one."""
    return next(((task, scale) for task, scale in SCALES.items() if word in scale.levels), None)
