"""The settings of the family."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field, field_validator

from fathom.records.contexts import Split
from fathom.records.documents import Position
from fathom.tasks.family import FamilySettings

HELD_OUT = ("length", "skill", "topic")
"""Tags whose values can be held out."""


class NumericSettings(FamilySettings):
    """How many questions of which kinds are built for each context."""

    questions: Annotated[int, Field(ge=1, le=1000)] = 10
    """Questions for each context."""
    unanswerable: Annotated[float, Field(ge=0, le=1)] = 0.1
    """Share of questions whose answer is NULL."""
    templates: Path | None = None
    """Your own SQL templates (a JSON list) in place of the built-in ones."""
    template_splits: dict[Split, Position] = {}
    """Divide the templates among the splits too, such as train=70,dev=10,test=20."""
    hold_out: str = ""
    """A tag's value that only the test split asks about, such as skill=sorting or length=1M."""

    @field_validator("hold_out")
    @classmethod
    def _names_a_tag(cls, value: str) -> str:
        tag, _, wanted = value.partition("=")
        if value and (tag not in HELD_OUT or not wanted):
            raise ValueError(
                f"'{value}' cannot be held out. Write one of {', '.join(HELD_OUT)} with its value: skill=sorting"
            )
        return value

    @property
    def held_out(self) -> tuple[str, str] | None:
        """The tag and the value that only the test split asks about."""
        tag, _, value = self.hold_out.partition("=")
        return (tag, value) if value else None
