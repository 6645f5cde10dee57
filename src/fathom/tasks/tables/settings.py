"""The settings of the family."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, field_validator

from fathom.tasks.family import FamilySettings
from fathom.tasks.tables.pack import Pack, pack_names, read_pack
from fathom.tasks.tables.queries import Level


class TablesSettings(FamilySettings):
    """How many questions of which levels are built for each context, and from which fields."""

    questions: Annotated[int, Field(ge=1, le=1000)] = 10
    """Questions for each context."""
    packs: tuple[str, ...] = ()
    """Domain packs by name, or TOML files of your own; by default all packs that fit the documents."""
    levels: tuple[Level, ...] = ("easy", "medium", "hard")
    """Levels of difficulty."""
    unanswerable: Annotated[float, Field(ge=0, le=1)] = 0.05
    """Share of questions whose conditions nothing meets."""

    @field_validator("levels")
    @classmethod
    def _some_level(cls, value: tuple[Level, ...]) -> tuple[Level, ...]:
        if not value or len(set(value)) < len(value):
            raise ValueError("name each level once: easy, medium, hard")
        return value

    def read_packs(self) -> list[Pack]:
        """The packs, read from their files."""
        return [read_pack(name) for name in self.packs or pack_names()]
