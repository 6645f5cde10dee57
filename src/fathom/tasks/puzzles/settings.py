"""The settings of the family."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, model_validator

from fathom.records.documents import PositiveInt
from fathom.tasks.family import FamilySettings

Steps = Annotated[int, Field(ge=2, le=9)]


class PuzzlesSettings(FamilySettings):
    """How many puzzles are built, and how long their programs are."""

    authored: Path | None = None
    """Puzzles that people wrote, as exported by `fathom author export`; by default puzzles are composed from facts."""
    items: PositiveInt = 100
    """Maximum number of puzzles."""
    per_document: Annotated[int, Field(ge=1, le=50)] = 3
    """Maximum number of puzzles about one document."""
    min_steps: Steps = 2
    """Minimum number of steps, 2 to 9."""
    max_steps: Steps = 9
    """Maximum number of steps, 2 to 9."""

    @model_validator(mode="after")
    def _steps_are_a_range(self) -> Self:
        if self.min_steps > self.max_steps:
            raise ValueError(f"--min-steps is {self.min_steps}, but --max-steps is {self.max_steps}")
        return self
