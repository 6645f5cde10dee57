"""The settings of the family."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field, JsonValue, field_validator

from fathom.records.documents import PositiveInt
from fathom.records.errors import FathomError
from fathom.records.record import digest
from fathom.tasks.family import FamilySettings
from fathom.tasks.tables.pack import Pack, pack_names, read_pack
from fathom.tasks.tables.query_parts import LEVELS, QuestionLevel

PACKS, OWN_PACKS = "packs", "own packs"


class TablesSettings(FamilySettings):
    """How many questions of which levels are built for each context, and from which fields."""

    questions: Annotated[int, Field(ge=1, le=1000)] = 10
    """Number of questions for each context."""
    domains: dict[str, PositiveInt] = {}
    """Instead of --questions: number of questions of each domain at each length, over all contexts, such as
    companies-zh=83,housing=81."""
    packs: tuple[str, ...] = ()
    """Domain packs by name, or TOML files of your own; by default all packs that fit the documents."""
    levels: tuple[QuestionLevel, ...] = LEVELS
    """Levels of difficulty."""
    unanswerable: Annotated[float, Field(ge=0, le=1)] = 0.05
    """Share of questions without an answer: no entity meets their conditions."""
    single: Annotated[float, Field(ge=0, le=1)] = 0.2
    """Maximum share of the questions of a context whose answer is a single entity."""

    @field_validator("levels")
    @classmethod
    def _some_level(cls, value: tuple[QuestionLevel, ...]) -> tuple[QuestionLevel, ...]:
        if not value or len(set(value)) < len(value):
            raise ValueError("name each level once: easy, medium, hard")
        return value

    def read_packs(self) -> list[Pack]:
        """The packs, read from their files."""
        return [read_pack(name) for name in self.packs or pack_names()]

    def pack_hashes(self) -> dict[str, str]:
        """A hash of the content of each pack."""
        return {pack.name: _hash(pack) for pack in self.read_packs()}

    def report(self) -> dict[str, JsonValue]:
        """The packs for the manifest of a bench: their hashes, and the content of those that are not part of Fathom."""
        own = [pack for pack in self.read_packs() if pack.name not in pack_names() or read_pack(pack.name) != pack]
        return {
            PACKS: {**self.pack_hashes()},
            OWN_PACKS: {pack.name: pack.model_dump(mode="json", exclude_defaults=True) for pack in own},
        }


def recorded_packs(report: Mapping[str, JsonValue]) -> list[Pack]:
    """The packs with which a bench was built, from its manifest."""
    hashes, own = report.get(PACKS), report.get(OWN_PACKS)
    if not isinstance(hashes, dict) or not isinstance(own, dict):
        return []
    packs = [Pack.model_validate(own[name]) if name in own else read_pack(name) for name in hashes]
    for pack in packs:
        if _hash(pack) != hashes[pack.name]:
            raise FathomError(f"The pack '{pack.name}' is not the one that the bench was built with. Build it again.")
    return packs


def _hash(pack: Pack) -> str:
    return digest(pack.model_dump_json()).hex()[:16]
