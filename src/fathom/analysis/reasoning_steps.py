"""Reasoning steps: which of a question's intermediate values occur in the reasoning, and in which order."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from fathom.analysis.findings import ReasoningSteps, StepResult, StepSummary
from fathom.analysis.loading import ScoredResponse
from fathom.tasks.family import ReasoningStep

_ANSWER = re.compile("Answer:|答案[:：]")
_FIRST_CHINESE = "\u2e80"
"""Characters from here on are Chinese, Japanese and Korean."""
MIN_CHARACTERS = 40
"""Characters before the answer that count as reasoning."""
MAX_CHARACTERS = 400_000
"""Characters of a trace that are searched: a model that repeats itself for a million adds nothing new."""


def reasoning_of(response: ScoredResponse) -> str:
    """The reasoning of a response: its thinking, and its text before the last "Answer:"; empty if there is none."""
    marks = [match.start() for match in _ANSWER.finditer(response.text)]
    trace = f"{response.thinking}\n{response.text[: marks[-1]] if marks else response.text}".strip()
    return trace if len(trace) >= MIN_CHARACTERS else ""


def find_steps(trace: str, steps: Sequence[ReasoningStep]) -> list[int | None]:
    """Where each step is reached: the first occurrence of the last of its parts; None if it is not."""
    lowered = trace[:MAX_CHARACTERS].casefold()
    return [_position_reached(lowered, step) for step in steps]


def step_results(steps: Sequence[ReasoningStep], positions: Sequence[int | None]) -> tuple[StepResult, ...]:
    """The steps, each with the position at which it is reached."""
    return tuple(
        StepResult(name=step.name, value=", ".join(part[0] for part in step.parts)[:200], at=position)
        for step, position in zip(steps, positions, strict=True)
    )


def _position_reached(trace: str, step: ReasoningStep) -> int | None:
    positions = [_first_position(trace, part) for part in step.parts]
    reached = [position for position in positions if position is not None]
    return max(reached) if reached and len(reached) == len(positions) else None


def _first_position(trace: str, spellings: Sequence[str]) -> int | None:
    positions = [
        position for position in (_find(trace, spelling.casefold()) for spelling in spellings) if position is not None
    ]
    return min(positions, default=None)


def _find(trace: str, value: str) -> int | None:
    """The first occurrence of a value as a whole word or number: 3 does not occur in 13 or 3.5."""
    position = trace.find(value)
    while position >= 0 and value:
        before, after = trace[position - 1 : position], trace[position + len(value) : position + len(value) + 2]
        joined = _is_joined(before, value[0]) or _is_joined(value[-1], after[:1])
        decimal = before in {".", ","} and trace[position - 2 : position - 1].isdigit() and value[:1].isdigit()
        decimal = decimal or (after[:1] in {".", ","} and after[1:].isdigit() and value[-1:].isdigit())
        if not joined and not decimal:
            return position
        position = trace.find(value, position + 1)
    return None


def _is_joined(left: str, right: str) -> bool:
    """Whether two characters belong to one word or number; Chinese has no spaces between words."""
    return left.isalnum() and right.isalnum() and max(left, right) < _FIRST_CHINESE


@dataclass
class StepCounter:
    """Counts over the traces of one run."""

    traces: int = 0
    values: int = 0
    reached: int = 0
    in_order: int = 0
    complete_but_incorrect: int = 0
    none_but_correct: int = 0
    expected_at: Counter[int] = field(default_factory=Counter)
    reached_at: Counter[int] = field(default_factory=Counter)
    first_missing_at: Counter[int] = field(default_factory=Counter)

    def add(self, positions: Sequence[int | None], correct: bool) -> None:
        """Count a trace by the position at which it reaches each step."""
        self.traces += 1
        self.values += len(positions)
        reached = [position for position in positions if position is not None]
        self.reached += len(reached)
        self.in_order += reached == sorted(reached)
        self.complete_but_incorrect += len(reached) == len(positions) and not correct
        self.none_but_correct += not reached and correct
        for number, position in enumerate(positions, start=1):
            self.expected_at[number] += 1
            self.reached_at[number] += position is not None
        first = next((number for number, position in enumerate(positions, start=1) if position is None), None)
        if first is not None:
            self.first_missing_at[first] += 1

    def summary(self) -> ReasoningSteps | None:
        """The counts as a record; None if no response contains reasoning."""
        if not self.traces:
            return None
        return ReasoningSteps(
            traces=self.traces,
            values=self.values,
            reached=self.reached,
            in_order=self.in_order,
            complete_but_incorrect=self.complete_but_incorrect,
            none_but_correct=self.none_but_correct,
            by_step=tuple(
                StepSummary(
                    step=number,
                    expected=self.expected_at[number],
                    reached=self.reached_at[number],
                    first_missing=self.first_missing_at[number],
                )
                for number in sorted(self.expected_at)
            ),
        )
