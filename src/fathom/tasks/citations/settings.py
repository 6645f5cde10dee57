"""The settings of the family: dimensions of difficulty, the levels that combine them, and how many items of each."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from fathom.records.documents import Position
from fathom.records.record import Record
from fathom.tasks.citations.type_rule import CitationType, TypeChecks, read_type_checks
from fathom.tasks.family import FamilySettings, ModelAnswers

Task = Literal["choice", "cloze"]
LevelName = Literal["easy", "medium", "hard"]
Scope = Literal["full", "section"]
Sampling = Literal["random", "nearest"]
Form = Literal["concise", "full", "body"]
Masking = Literal["all", "one"]

OPTIONS = 4
"""The number of candidates of an item, and of masks in a cloze."""


class Difficulty(Record):
    """The difficulty of an item: its dimensions, and whether lexical shortcuts are filtered out."""

    citation_type: CitationType
    """Attributional: the sentence names the method, model or data set. Descriptive: it does not."""
    sampling: Sampling
    """Candidates drawn from the whole reference list (random), or from the works that one section cites (nearest)."""
    form: Form
    """The text of a candidate: title and abstract (concise), all of it (full), or its body without its title and the
    names of what it presents (body)."""
    scope: Scope = "full"
    """The text of the question paper: all of it, or the section of the mask."""
    filtered: bool = False
    """Whether items are chosen so that matching shared words does no better than chance."""


LEVELS: dict[LevelName, Difficulty] = {
    "easy": Difficulty(citation_type="attributional", sampling="random", form="full"),
    "medium": Difficulty(citation_type="descriptive", sampling="random", form="full"),
    "hard": Difficulty(citation_type="descriptive", sampling="nearest", form="body", filtered=True),
}

CUSTOM_LEVEL = "own"
"""The name of a level with dimensions set by the user."""
BASE_LEVEL: LevelName = "medium"
"""The level that such dimensions change if none is named."""
DIMENSIONS = {"type": "citation_type", "sampling": "sampling", "candidates": "form", "scope": "scope"}
"""The settings that make a custom level, with the field of `Difficulty` that each sets."""


class CitationSettings(FamilySettings):
    """How many items of which tasks and levels are built."""

    tasks: tuple[Task, ...] = ("choice", "cloze")
    """One mask and four candidates (choice), or four masks and four candidates (cloze)."""
    levels: Annotated[tuple[LevelName, ...], Field(min_length=1)] = ("easy", "medium", "hard")
    """Levels of difficulty; beside --type, --sampling, --candidates or --scope, the one level that they change
    (medium by default)."""
    type: CitationType | None = None
    """Custom level: whether the sentence names the method, model or data set."""
    sampling: Sampling | None = None
    """Custom level: candidates at random, or works cited in the same section."""
    candidates: Form | None = None
    """Custom level: title and abstract, the full text, or the body without what identifies the work."""
    scope: Scope | None = None
    """Custom level: the whole question paper, or the section of the mask."""
    items: Position = 100
    """Items for each task and level."""
    yearly: bool = False
    """Build --items for each year of the question papers, not in all."""
    per_paper: Position = 5
    """The most items from one question paper."""
    mask: Masking = "all"
    """Hide every mention of the candidates in the question paper (all), or only the citation in question (one)."""
    type_checker: Annotated[TypeChecks | None, ModelAnswers("citation_types", read_type_checks)] = None
    """A model that also classifies every citation; only citations whose type it confirms are used."""
    characters: Annotated[int, Field(ge=4_000)] = 100_000
    """Length of a question paper with its candidates, which are trimmed evenly to fit."""

    @model_validator(mode="before")
    @classmethod
    def _start_from_one_level(cls, values: dict[str, Any]) -> dict[str, Any]:
        custom = any(values.get(name) is not None for name in DIMENSIONS)
        return {"levels": [BASE_LEVEL], **values} if custom else values

    @model_validator(mode="after")
    def _changes_one_level(self) -> Self:
        option = next(iter(self._dimensions), None)
        if option is not None and len(self.levels) > 1:
            raise ValueError(
                f"--{option} makes one custom level, but --levels names {len(self.levels)}. Name only the level to "
                "start from, or leave out one of the two options"
            )
        return self

    @property
    def _dimensions(self) -> dict[str, str]:
        chosen = {name: getattr(self, name) for name in DIMENSIONS}
        return {name: value for name, value in chosen.items() if value is not None}

    @property
    def difficulties(self) -> dict[str, Difficulty]:
        """The levels to build, by name: the named ones, or a single custom one."""
        if not self._dimensions:
            return {name: LEVELS[name] for name in self.levels}
        changed = {DIMENSIONS[name]: value for name, value in self._dimensions.items()}
        return {CUSTOM_LEVEL: Difficulty.model_validate({**LEVELS[self.levels[0]].model_dump(), **changed})}
