"""How far reasoning came: which of a question's intermediate values stand in the trace, and in which order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from fathom.analysis.findings import StepReached, Steps, StepSeen
from fathom.analysis.reading import Heard
from fathom.tasks.family import ReasoningStep

SHORTEST = 40
"""Characters before the answer that count as reasoning."""
LONGEST = 400_000
"""Characters of a trace that are searched: a model that repeats itself for a million says nothing new."""


def trace_of(heard: Heard) -> str:
    """The reasoning of a response: its thoughts, and what it says before its last "Answer:"; empty where there
    is none."""
    before, found, _ = heard.text.rpartition("Answer:")
    said = before if found else heard.text
    trace = f"{heard.thinking}\n{said}".strip()
    return trace if len(trace) >= SHORTEST else ""


def look(trace: str, steps: Sequence[ReasoningStep]) -> tuple[StepSeen, ...]:
    """Where each step is reached: where the last of its parts first stands."""
    lowered = trace[:LONGEST].casefold()
    return tuple(
        StepSeen(name=step.name, value=", ".join(part[0] for part in step.parts)[:200], at=_reached(lowered, step))
        for step in steps
    )


def _reached(trace: str, step: ReasoningStep) -> int | None:
    places = [_first(trace, part) for part in step.parts]
    found = [place for place in places if place is not None]
    return max(found) if found and len(found) == len(places) else None


def _first(trace: str, spellings: Sequence[str]) -> int | None:
    """The first place where one of the spellings stands by itself: 3 does not stand in 13 or 3.5."""
    found = [place for place in (_standing(trace, spelling.casefold()) for spelling in spellings) if place is not None]
    return min(found, default=None)


def _standing(trace: str, value: str) -> int | None:
    place = trace.find(value)
    while place >= 0 and value:
        before, after = trace[place - 1 : place], trace[place + len(value) : place + len(value) + 2]
        joined = before.isalnum() or after[:1].isalnum()
        decimal = before in {".", ","} and trace[place - 2 : place - 1].isdigit() and value[:1].isdigit()
        decimal = decimal or (after[:1] in {".", ","} and after[1:].isdigit() and value[-1:].isdigit())
        if not joined and not decimal:
            return place
        place = trace.find(value, place + 1)
    return None


@dataclass
class StepsTaken:
    """The steps of a run's traces, counted."""

    traces: int = 0
    values: int = 0
    reached: int = 0
    in_order: int = 0
    all_and_wrong: int = 0
    none_and_right: int = 0
    wanted_at: Counter[int] = field(default_factory=Counter)
    reached_at: Counter[int] = field(default_factory=Counter)
    missed_at: Counter[int] = field(default_factory=Counter)

    def add(self, seen: Sequence[StepSeen], right: bool) -> None:
        self.traces += 1
        self.values += len(seen)
        places = [one.at for one in seen if one.at is not None]
        self.reached += len(places)
        self.in_order += places == sorted(places)
        self.all_and_wrong += len(places) == len(seen) and not right
        self.none_and_right += not places and right
        for number, one in enumerate(seen, start=1):
            self.wanted_at[number] += 1
            self.reached_at[number] += one.at is not None
        first = next((number for number, one in enumerate(seen, start=1) if one.at is None), None)
        if first is not None:
            self.missed_at[first] += 1

    def found(self) -> Steps | None:
        if not self.traces:
            return None
        return Steps(
            traces=self.traces,
            values=self.values,
            reached=self.reached,
            in_order=self.in_order,
            all_reached_and_wrong=self.all_and_wrong,
            none_reached_and_right=self.none_and_right,
            by_place=tuple(
                StepReached(
                    place=place,
                    wanted=self.wanted_at[place],
                    reached=self.reached_at[place],
                    first_missed=self.missed_at[place],
                )
                for place in sorted(self.wanted_at)
            ),
        )
