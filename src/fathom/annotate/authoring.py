"""Authoring of puzzles by several people: draft, baselines, revision, independent review, rebuttal, consensus.

Every stage is an event in a journal, with who, when and why; nothing is overwritten, so that each can be counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Literal

from fathom.annotate.project import Project
from fathom.records.authored_puzzles import AuthoredPuzzle
from fathom.records.documents import NonNegativeInt
from fathom.records.errors import FathomError
from fathom.records.files import Journal, read_records
from fathom.records.record import Record, short_id
from fathom.scoring.answer_types.compare import agrees
from fathom.scoring.answers import Text

EVENTS = "authoring.jsonl"
MAX_REVISIONS = 3
"""Revisions after which a puzzle that every baseline still solves is discarded."""

Stage = Literal["draft", "baselines", "revision", "discard", "review", "rebuttal", "consensus", "rejection"]
State = Literal["needs baselines", "too easy", "needs review", "disputed", "rebutted", "final", "rejected", "discarded"]
NEXT: Mapping[State, tuple[Stage, ...]] = {
    "needs baselines": ("baselines", "revision", "discard"),
    "too easy": ("revision", "discard"),
    "needs review": ("review", "revision", "discard"),
    "disputed": ("rebuttal", "revision", "discard"),
    "rebutted": ("consensus", "rejection"),
    "final": (),
    "rejected": (),
    "discarded": (),
}
"""The stages that can follow each state."""
AUTHOR_STAGES: tuple[Stage, ...] = ("revision", "rebuttal")
REVIEWER_STAGES: tuple[Stage, ...] = ("review", "consensus", "rejection")
BASELINES = "baselines"
"""The author of events that record the results of baselines."""


class AuthoringEvent(Record):
    """One stage of one puzzle."""

    puzzle_id: str
    stage: Stage
    by: str
    at: str
    puzzle: AuthoredPuzzle | None = None
    """For drafts and revisions: the puzzle."""
    baselines: dict[str, bool] = {}
    """For baselines: whether each model gives the correct answer."""
    answer: str = ""
    """For a review: the reviewer's own answer, given before the key was shown."""
    agrees: bool | None = None
    """For a review: whether the answer equals the key and there is no objection."""
    reason: str = ""


class AuthoringCounts(Record):
    """How many puzzles reached each stage, and how each ended."""

    puzzles: NonNegativeInt
    states: dict[State, NonNegativeInt]
    events: dict[Stage, NonNegativeInt]
    reasons: dict[str, NonNegativeInt]
    """Why puzzles were discarded or rejected."""
    solved_by_all: NonNegativeInt
    """Times that every baseline solved a puzzle."""
    disagreements: NonNegativeInt
    """Reviews that did not agree with the key."""


class PuzzleHistory:
    """One puzzle with its history."""

    def __init__(self, id: str, events: Sequence[AuthoringEvent]) -> None:
        self.id = id
        self.events = events

    @property
    def author(self) -> str:
        return self.events[0].by

    @property
    def puzzle(self) -> AuthoredPuzzle:
        """The latest version."""
        versions = [event.puzzle for event in self.events if event.puzzle is not None]
        return versions[-1]

    @property
    def revisions(self) -> int:
        return sum(event.stage == "revision" for event in self.events)

    @property
    def state(self) -> State:
        last = self.events[-1]
        match last.stage:
            case "draft" | "revision":
                return "needs baselines"
            case "baselines":
                return "too easy" if last.baselines and all(last.baselines.values()) else "needs review"
            case "review":
                return "final" if last.agrees else "disputed"
            case "rebuttal":
                return "rebutted"
            case "consensus":
                return "final"
            case "rejection":
                return "rejected"
            case "discard":
                return "discarded"

    def stages_for(self, person: str) -> tuple[Stage, ...]:
        """The stages that a person may add next; authors cannot review their own puzzles."""
        barred = REVIEWER_STAGES if person == self.author else AUTHOR_STAGES
        return tuple(stage for stage in NEXT[self.state] if stage not in barred and stage != "baselines")

    def is_hidden_from(self, person: str) -> bool:
        """Whether the answer is hidden from a person: anyone who can still review the puzzle without it."""
        reviewed = any(event.stage == "review" and event.by == person for event in self.events)
        return person != self.author and not reviewed and self.state in ("needs baselines", "too easy", "needs review")


class AuthoringProject(Project):
    """The puzzles of a project. Every event is on disk when its method returns."""

    def puzzles(self) -> dict[str, PuzzleHistory]:
        """All puzzles by id, in the order in which they were drafted."""
        path = self.folder / EVENTS
        groups: dict[str, list[AuthoringEvent]] = {}
        for record in read_records(path, AuthoringEvent) if path.exists() else ():
            groups.setdefault(record.puzzle_id, []).append(record)
        return {id: PuzzleHistory(id, events) for id, events in groups.items()}

    def draft(self, person: str, puzzle: AuthoredPuzzle) -> str:
        """Add a puzzle; returns its id."""
        if puzzle.document not in self.settings.documents:
            raise FathomError(f"The project has no document '{puzzle.document}'. Choose one of its documents.")
        if len(set(puzzle.operations)) < 2:
            raise FathomError("A puzzle needs at least two different operations. Name those that its solution uses.")
        id = short_id("p", puzzle.document, puzzle.question, str(len(self.puzzles())))
        self._record(id, "draft", person, puzzle=puzzle)
        return id

    def baselines(self, id: str, solved: Mapping[str, bool]) -> None:
        """Record which baselines give the correct answer; a puzzle that stays too easy is discarded."""
        if not solved:
            raise FathomError("No baseline was run. Give at least one model.")
        puzzle = self._next(id, "baselines", BASELINES)
        self._record(id, "baselines", BASELINES, baselines=dict(solved))
        if all(solved.values()) and puzzle.revisions >= MAX_REVISIONS:
            self._record(
                id, "discard", BASELINES, reason=f"every baseline solves it after {puzzle.revisions} revisions"
            )

    def revise(self, id: str, person: str, puzzle: AuthoredPuzzle, reason: str) -> None:
        state = self._next(id, "revision", person)
        if puzzle.document != state.puzzle.document:
            raise FathomError("A revision must be about the same document. Draft a new puzzle instead.")
        self._record(id, "revision", person, puzzle=puzzle, reason=reason)

    def review(self, id: str, person: str, answer: str, objection: str = "") -> bool:
        """Record a reviewer's own answer and objection; returns whether they agree with the key."""
        state = self._next(id, "review", person)
        agrees_with_key = agrees(Text(value=state.puzzle.answer), Text(value=answer)) and not objection.strip()
        self._record(id, "review", person, answer=answer, agrees=agrees_with_key, reason=objection)
        return agrees_with_key

    def conclude(self, id: str, stage: Stage, person: str, reason: str) -> None:
        """Record a rebuttal, consensus, rejection or discard, each with its reason."""
        if stage not in ("rebuttal", "consensus", "rejection", "discard"):
            raise FathomError(f"'{stage}' is not decided by a reason alone. Use its own form.")
        self._next(id, stage, person)
        if not reason.strip():
            raise FathomError("Give a reason.")
        self._record(id, stage, person, reason=reason.strip())

    def _next(self, id: str, stage: Stage, person: str) -> PuzzleHistory:
        puzzle = self.puzzles().get(id)
        if puzzle is None:
            raise FathomError(f"There is no puzzle '{id}'. Reload the page.")
        allowed = NEXT[puzzle.state] if person == BASELINES else puzzle.stages_for(person)
        if stage not in allowed:
            raise FathomError(
                f"The puzzle '{id}' is in the state '{puzzle.state}', in which {person} cannot add a {stage}. Reload "
                "the page."
            )
        return puzzle

    def _record(self, id: str, stage: Stage, person: str, **fields: object) -> None:
        now = datetime.now(UTC).isoformat(timespec="seconds")
        event = AuthoringEvent.model_validate({"puzzle_id": id, "stage": stage, "by": person, "at": now, **fields})
        with Journal(self.folder / EVENTS, AuthoringEvent) as journal:
            journal.append(event)

    def final(self) -> Iterator[AuthoredPuzzle]:
        """The puzzles on which author and reviewer agree."""
        return (puzzle.puzzle for puzzle in self.puzzles().values() if puzzle.state == "final")

    def stage_counts(self) -> AuthoringCounts:
        puzzles = self.puzzles().values()
        events = [event for history in puzzles for event in history.events]
        ended = [stage_event.reason for stage_event in events if stage_event.stage in ("discard", "rejection")]
        return AuthoringCounts(
            puzzles=len(puzzles),
            states=dict(sorted(Counter(history.state for history in puzzles).items())),
            events=dict(sorted(Counter(stage_event.stage for stage_event in events).items())),
            reasons=dict(sorted(Counter(ended).items())),
            solved_by_all=sum(
                bool(stage_event.baselines) and all(stage_event.baselines.values()) for stage_event in events
            ),
            disagreements=sum(stage_event.agrees is False for stage_event in events),
        )
