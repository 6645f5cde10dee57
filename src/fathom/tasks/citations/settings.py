"""The settings of the family: dimensions of difficulty, the levels that combine them, and how many items of each."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import Field, model_validator

from fathom.records.documents import CitationType, PositiveInt
from fathom.records.record import Record
from fathom.tasks.citations.type_rule import TypeChecks, read_type_checks
from fathom.tasks.family import FamilySettings, ModelAnswers

CitationTask = Literal["choice", "cloze", "set"]
LevelName = Literal["easy", "medium", "hard"]
PaperScope = Literal["full", "section"]
CandidateSampling = Literal["random", "nearest"]
Form = Literal["concise", "full", "body"]
Masking = Literal["all", "one"]
MaskedCitations = Literal["lone", "any"]
CandidateCount = int | Literal["all"]
"""A number of candidates, or all works of the reference list that have enough text."""

MASKS = 4
"""The number of masks in a cloze, and the minimum number of candidates."""
CHARACTERS = 100_000
"""The length of an item with `MASKS` candidates if no other is set. It grows with the number of candidates."""


class Difficulty(Record):
    """The difficulty of an item: its dimensions, and whether lexical shortcuts are filtered out."""

    citation_type: CitationType
    """Attributional: the sentence names the method, model or data set. Descriptive: it does not."""
    sampling: CandidateSampling
    """Candidates drawn from the whole reference list (random), or from the works that one section cites, and its
    neighbors if those are too few (nearest). Filtered choices use works of the neighbors as well, to choose among more
    sets of candidates."""
    form: Form
    """The text of a candidate: title and abstract (concise), all of it (full), or its body without its title and the
    names of what it presents (body)."""
    scope: PaperScope = "full"
    """The text of the question paper: all of it, or the section of the mask."""
    citations: MaskedCitations = "lone"
    """Whether only citations that are alone in their brackets are asked about, or also those that are grouped with
    citations of other works, if none of these is a candidate."""
    masking: Masking = "all"
    """Whether every mention of a candidate is hidden, or only what the question asks about."""
    candidates: CandidateCount = MASKS
    filtered: bool = False
    """Whether items are chosen so that matching shared words does no better than chance."""

    def asks_about_groups(self, task: CitationTask) -> bool:
        """Whether citations that are grouped with others are asked about."""
        return self.citations == "any" and task != "set"

    @property
    def least_candidates(self) -> int:
        """The minimum number of candidates of an item."""
        return MASKS if self.candidates == "all" else self.candidates


LEVELS: dict[LevelName, Difficulty] = {
    "easy": Difficulty(citation_type="attributional", sampling="random", form="full"),
    "medium": Difficulty(citation_type="descriptive", sampling="random", form="full"),
    "hard": Difficulty(citation_type="descriptive", sampling="nearest", form="body", filtered=True),
}

CUSTOM_LEVEL = "own"
"""The name of a level with dimensions set by the user."""
BASE_LEVEL: LevelName = "medium"
"""The level that such dimensions change if none is named."""
CUSTOM_DIMENSIONS = ("type", "sampling", "candidate_text", "scope")
"""The settings that make a custom level."""
Dimension = Literal["sampling", "candidate_text", "scope", "mask", "candidates"]
FIELDS = {
    "type": "citation_type",
    "sampling": "sampling",
    "candidate_text": "form",
    "scope": "scope",
    "mask": "masking",
    "candidates": "candidates",
}
"""The field of `Difficulty` that each setting sets."""


class CitationSettings(FamilySettings):
    """How many items of which tasks and levels are built."""

    tasks: tuple[CitationTask, ...] = ("choice", "cloze")
    """One mask (choice), four masks for four candidates (cloze), or one mask for a group of citations (set)."""
    levels: Annotated[tuple[LevelName, ...], Field(min_length=1)] = get_args(LevelName)
    """Levels of difficulty; with --type, --sampling, --candidate-text or --scope, the one level that they change
    (medium by default)."""
    type: CitationType | None = None
    """Custom level: whether the sentence names the method, model or data set."""
    sampling: CandidateSampling | None = None
    """Custom level: candidates at random, or works cited in the same section or near it."""
    candidate_text: Form | None = None
    """Custom level: title and abstract, the full text, or the body without what identifies the work."""
    scope: PaperScope | None = None
    """Custom level: the whole question paper, or the section of the mask."""
    items: PositiveInt = 100
    """Number of items for each task and level."""
    yearly: bool = False
    """Build --items for each year of the question papers, instead of in total."""
    per_paper: PositiveInt = 5
    """The most items of a task and level from one question paper; so many in all if the other papers suffice."""
    citations: MaskedCitations = "lone"
    """Ask only about citations alone in their brackets (lone), or also about those grouped with others, none of them
    candidates (any)."""
    mask: Masking = "all"
    """Hide every mention of the candidates in the question paper (all), or only the citation in question (one)."""
    candidates: CandidateCount = MASKS
    """Number of candidates of an item: 4 or more, or `all` works of the reference list that are in the corpus."""
    vary: dict[Dimension, tuple[CandidateCount | str, ...]] = {}
    """Build every item in several settings with the same masks: scope=full,section. Several names make a grid:
    scope=full,section,mask=all,one."""
    type_checker: Annotated[TypeChecks | None, ModelAnswers("citation_types", read_type_checks)] = None
    """A model that also classifies every citation; only citations whose type it confirms are used."""
    characters: Annotated[int | None, Field(ge=4_000)] = None
    """Maximum characters of a question paper with its candidates, which are trimmed evenly to fit: by default 100,000,
    or 25,000 for each candidate if there are more than four."""

    @model_validator(mode="before")
    @classmethod
    def _start_from_one_level(cls, values: dict[str, Any]) -> dict[str, Any]:
        custom = any(values.get(name) is not None for name in CUSTOM_DIMENSIONS)
        return {"levels": [BASE_LEVEL], **values} if custom else values

    @model_validator(mode="after")
    def _changes_one_level(self) -> Self:
        option = next(iter(self._custom), None)
        if option is not None and len(self.levels) > 1:
            raise ValueError(
                f"{_flag(option)} makes one custom level, but --levels names {len(self.levels)}. Name only the level "
                "to start from, or leave out one of the two options"
            )
        return self

    @model_validator(mode="after")
    def _can_be_varied(self) -> Self:
        for name, values in self.vary.items():
            if getattr(self, name) != type(self).model_fields[name].default:
                raise ValueError(f"--vary {_word(name)} and {_flag(name)} exclude each other. Give one of them")
            if len(set(values)) < 2 or len(set(values)) < len(values):
                raise ValueError(f"--vary {_word(name)} needs two or more different values, separated by commas")
        for difficulty in (value for level in self.difficulties for value in self.variants(level).values()):
            if difficulty.candidates != "all" and difficulty.candidates < MASKS:
                raise ValueError(f"--candidates is {difficulty.candidates}. Use {MASKS} or more, or all")
            if "cloze" in self.tasks and "sampling" in self.vary and difficulty.candidates == MASKS:
                raise ValueError(
                    f"The {MASKS} candidates of a cloze are the works at its masks, so --vary sampling would "
                    "change nothing. Add --tasks choice, or use more --candidates"
                )
        return self

    @property
    def _custom(self) -> dict[str, str]:
        chosen = {name: getattr(self, name) for name in CUSTOM_DIMENSIONS}
        return {name: value for name, value in chosen.items() if value is not None}

    @property
    def difficulties(self) -> dict[str, Difficulty]:
        """The levels to build, by name: the named ones, or a single custom one."""
        levels: dict[str, Difficulty] = {CUSTOM_LEVEL: LEVELS[self.levels[0]]} if self._custom else {}
        levels = levels or {name: LEVELS[name] for name in self.levels}
        changes = {**self._custom, "citations": self.citations, "mask": self.mask, "candidates": self.candidates}
        return {name: _changed(level, changes) for name, level in levels.items()}

    def variants(self, level: str) -> dict[str, Difficulty]:
        """The settings in which an item of a level is built, by name; a single one without a name if none is varied.

        The first one determines the masks and the candidates. It is that of the level itself if it is among them.
        Only there are lexical shortcuts filtered out: in the others the same candidates are shown in another way.
        """
        own = self.difficulties[level]
        found: dict[str, Difficulty] = {}
        for values in product(*self.vary.values()):
            changes: dict[str, object] = dict(zip(self.vary, values, strict=True))
            name = ", ".join(f"{_word(dimension)}={value}" for dimension, value in changes.items())
            found[name] = _changed(own, changes)
        first = next((name for name, one in found.items() if one == own), next(iter(found)))
        return {
            name: _changed(found[name], {} if name == first else {"filtered": False})
            for name in sorted(found, key=lambda name: name != first)
        }

    def room(self, candidates: int) -> int:
        """The maximum number of characters of an item with that many candidates."""
        return self.characters or CHARACTERS * max(MASKS, candidates) // MASKS


def _changed(difficulty: Difficulty, changes: Mapping[str, object]) -> Difficulty:
    """The difficulty with some of its dimensions changed, named as the settings are."""
    fields = {FIELDS.get(name, name): value for name, value in changes.items()}
    return Difficulty.model_validate({**difficulty.model_dump(), **fields})


def _word(name: str) -> str:
    return name.replace("_", "-")


def _flag(name: str) -> str:
    return f"--{_word(name)}"
