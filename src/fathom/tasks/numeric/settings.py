"""The settings of the family."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, get_args

from pydantic import Field, field_validator

from fathom.records.contexts import Split
from fathom.records.documents import PositiveInt
from fathom.tasks.family import FamilySettings
from fathom.tasks.numeric.schema import QuestionTopic, Skill

HELD_OUT: dict[str, tuple[str, ...]] = {"length": (), "skill": get_args(Skill), "topic": get_args(QuestionTopic)}
"""Tags whose values can be held out, with their values."""


class NumericSettings(FamilySettings):
    """How many questions of which kinds are built for each context."""

    questions: Annotated[int, Field(ge=1, le=1000)] = 10
    """Number of questions for each context."""
    unanswerable: Annotated[float, Field(ge=0, le=1)] = 0.1
    """Share of questions whose answer is NULL."""
    templates: Path | None = None
    """Your own SQL templates (a JSON list) in place of the built-in ones."""
    template_splits: dict[Split, PositiveInt] = {}
    """Also divide the templates among the splits, such as train=70,dev=10,test=20."""
    hold_out: tuple[str, ...] = ()
    """Tag values that occur in the test split only: skill=sorting,topic=author list,length=1M."""

    @field_validator("hold_out")
    @classmethod
    def _names_tags(cls, values: tuple[str, ...]) -> tuple[str, ...]:
        for value in values:
            tag, _, held_out = value.partition("=")
            if tag not in HELD_OUT or not held_out:
                raise ValueError(
                    f"'{value}' cannot be held out. Write one of {', '.join(HELD_OUT)} with its value: skill=sorting"
                )
            if HELD_OUT[tag] and held_out not in HELD_OUT[tag]:
                raise ValueError(f"'{held_out}' is not a {tag}. Use one of {', '.join(HELD_OUT[tag])}")
        return values

    def is_held_out(self, **tags: str) -> bool:
        """Whether only the test split asks questions with these tags."""
        return any(f"{tag}={value}" in self.hold_out for tag, value in tags.items())
