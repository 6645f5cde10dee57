"""The findings about each response of a run, held as columns: a record for each would take a kilobyte."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import overload

import numpy as np

from fathom.analysis.attribution import NO_DIAGNOSER, AttributionResult
from fathom.analysis.findings import RESPONSE_OUTCOMES, ItemFinding
from fathom.analysis.intervals import FloatArray, IntArray
from fathom.analysis.loading import ScoredResponse
from fathom.analysis.patterns import PATTERNS
from fathom.analysis.reasoning_steps import step_results
from fathom.records.questions import QuestionId
from fathom.scoring.recall import TOO_FEW
from fathom.tasks.family import ReasoningStep

_OUTCOME_CODES = {outcome: code for code, outcome in enumerate(RESPONSE_OUTCOMES)}
_PATTERN_NAMES = tuple(PATTERNS)
_PATTERN_CODES = {name: code for code, name in enumerate(_PATTERN_NAMES)}
NO_PATTERN = 255


@dataclass
class ResponseColumns:
    """What the analysis keeps of each response of a run; the samples of a question follow one another."""

    outcomes: bytearray = field(default_factory=bytearray)
    """Indices into `RESPONSE_OUTCOMES`."""
    scores: array[float] = field(default_factory=lambda: array("d"))
    patterns: bytearray = field(default_factory=bytearray)
    """Indices into the names of `PATTERNS`, or `NO_PATTERN`."""
    matches: array[int] = field(default_factory=lambda: array("i"))
    """The index of the response among the incorrect answers of its run that were diagnosed; -1 if it is not one."""
    input_tokens: array[int] = field(default_factory=lambda: array("q"))
    cached_tokens: array[int] = field(default_factory=lambda: array("q"))
    output_tokens: array[int] = field(default_factory=lambda: array("q"))
    seconds: array[float] = field(default_factory=lambda: array("d"))
    dollars: array[float] = field(default_factory=lambda: array("d"))
    """NaN where the price is unknown."""
    measures: dict[str, array[float]] = field(default_factory=dict)
    """NaN where a response does not have the measure; a column may end with the last response that has it."""
    values: dict[int, Mapping[str, tuple[float, ...]]] = field(default_factory=dict)
    """The numbers of each response that has some."""
    steps: dict[int, tuple[tuple[ReasoningStep, ...], array[int]]] = field(default_factory=dict)
    """The expected steps of each response with reasoning, and where it reaches each; -1 if it does not."""

    def __len__(self) -> int:
        return len(self.outcomes)

    def add(self, response: ScoredResponse, pattern: str | None, measures: Mapping[str, float]) -> None:
        """Add a response; `pattern` is that of its error."""
        index = len(self.outcomes)
        self.outcomes.append(_OUTCOME_CODES[response.outcome])
        self.scores.append(response.score)
        self.patterns.append(NO_PATTERN if pattern is None else _PATTERN_CODES[pattern])
        self.matches.append(-1)
        usage = response.usage
        self.input_tokens.append(usage.input_tokens)
        self.cached_tokens.append(usage.cached_tokens)
        self.output_tokens.append(usage.output_tokens)
        self.seconds.append(usage.seconds)
        self.dollars.append(np.nan if usage.price is None else usage.price)
        for name, value in measures.items():
            column = self.measures.setdefault(name, array("d"))
            column.extend([np.nan] * (index - len(column)))
            column.append(value)
        if response.values:
            self.values[index] = response.values

    def add_steps(self, steps: tuple[ReasoningStep, ...], positions: Sequence[int | None]) -> None:
        """Keep where the last response reaches each expected step."""
        self.steps[len(self) - 1] = steps, array("i", [-1 if position is None else position for position in positions])

    def outcome_codes(self) -> IntArray:
        return np.frombuffer(self.outcomes, dtype=np.uint8).astype(np.int64)

    def pattern_codes(self) -> IntArray:
        return np.frombuffer(self.patterns, dtype=np.uint8).astype(np.int64)

    def measure(self, name: str) -> FloatArray:
        """A measure of every response; NaN where there is none."""
        values = np.full(len(self), np.nan)
        column = self.measures.get(name, ())
        values[: len(column)] = column
        return values

    def pattern(self, index: int) -> str | None:
        code = self.patterns[index]
        return None if code == NO_PATTERN else _PATTERN_NAMES[code]


@dataclass(frozen=True)
class RunItems(Sequence[ItemFinding]):
    """The findings about the responses of a run, in the order of the bench; each record is made when it is used."""

    run: str
    samples: int
    questions: Sequence[QuestionId]
    """The questions that the run asks."""
    columns: ResponseColumns
    causes: AttributionResult
    stages: Mapping[tuple[QuestionId, int], str]

    def __len__(self) -> int:
        return len(self.columns)

    @overload
    def __getitem__(self, index: int) -> ItemFinding: ...
    @overload
    def __getitem__(self, index: slice) -> list[ItemFinding]: ...
    def __getitem__(self, index: int | slice) -> ItemFinding | list[ItemFinding]:
        if isinstance(index, slice):
            return [self._at(item_index) for item_index in range(*index.indices(len(self)))]
        return self._at(range(len(self))[index])

    def __iter__(self) -> Iterator[ItemFinding]:
        return map(self._at, range(len(self)))

    def _at(self, index: int) -> ItemFinding:
        columns = self.columns
        question, sample = self.questions[index // self.samples], index % self.samples
        outcome, pattern, match = (
            RESPONSE_OUTCOMES[columns.outcomes[index]],
            columns.pattern(index),
            columns.matches[index],
        )
        explained = None if match < 0 else self.causes.explain(match)
        too_few = columns.measures.get(TOO_FEW, ())
        steps, reached = columns.steps.get(index, ((), ()))
        return ItemFinding.trusted(
            question_id=question,
            run=self.run,
            sample=sample,
            outcome=outcome,
            score=columns.scores[index],
            patterns=() if pattern is None else (pattern,),
            candidates=() if explained is None else explained.candidates,
            unclear=explained.unclear if explained is not None else NO_DIAGNOSER if outcome == "incorrect" else "",
            stage=self.stages.get((question, sample), ""),
            too_few_chunks=index < len(too_few) and too_few[index] > 0,
            steps=step_results(steps, [None if step < 0 else step for step in reached]),
        )
