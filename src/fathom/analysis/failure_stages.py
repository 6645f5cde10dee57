"""Where a system of several steps failed: from the trace of each response, its key's passages and its likely cause."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from fathom.analysis.attribution import CauseEstimator
from fathom.analysis.findings import CandidateCause, FailureStage
from fathom.analysis.intervals import ContextSums, IntArray, share_of_sums
from fathom.analysis.loading import ScoredResponse
from fathom.analysis.reasoning_steps import find_steps, reasoning_of
from fathom.records.questions import QuestionId
from fathom.scoring.recall import missing, retrieved
from fathom.tasks.family import Fault, Item, ReasoningStep

RETRIEVAL, READING, REASONING = "retrieval miss", "reading miss", "reasoning miss"
GAVE_UP, BUDGET, UNCLEAR = "gave up", "out of budget", "unclear"

STAGES = {
    RETRIEVAL: "a passage that the question needs was never shown to the model",
    READING: "every needed passage was shown, and a value was overlooked or misread",
    REASONING: "every needed passage was shown and read, and the answer computed from them is incorrect",
    GAVE_UP: "no answer, although every needed passage was shown; or the model refused",
    BUDGET: "a limit on steps, tokens or price ended the work before the answer",
    UNCLEAR: "every needed passage was shown; it is not clear whether reading or reasoning failed",
}
"""Every stage with a description, in the order of the page."""

FAILED = ("incorrect", "unparseable", "refused", "overflow")
"""Outcomes that are failures of the system; errors are asked again."""

MIN_VALUE_LENGTH = 4
"""Characters of a value that a text does not contain by chance."""
MIN_PROBABILITY = 0.5
"""Minimum probability of the causes in reading, or of those in computing, at which they decide."""
MAX_EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class _Failure:
    """A failed response, and what its trace shows."""

    place: int
    """The index of its question among the run's questions."""
    question: QuestionId
    sample: int
    stage: str | None
    """None if it depends on the likely cause of the answer."""
    values_stated: bool | None
    """Whether the reasoning states every value that the question needs; None if it has none of them."""
    abstained: bool
    """Whether the answer is that there is none."""


@dataclass
class StageCounter:
    """The failures of one run's responses that took several steps."""

    causes: CauseEstimator
    """Of the answers for which everything needed was shown: what a model does without a passage that it needs would
    count as overlooking."""
    failures: list[_Failure] = field(default_factory=list)

    def add(
        self,
        index: int,
        item: Item,
        sample: int,
        response: ScoredResponse,
        steps: Sequence[ReasoningStep],
        retrieves: bool,
    ) -> None:
        """Count a response; `retrieves` says whether its run retrieves passages, or else reads everything."""
        if response.trace and response.outcome in FAILED:
            stage = _from_trace(item, response, retrieves)
            has_values = _states_all_values(response, steps) if stage is None else None
            abstained = response.parsed is not None and response.parsed.type == "none"
            self.failures.append(_Failure(index, item.question.id, sample, stage, has_values, abstained))

    def stages(self) -> dict[tuple[QuestionId, int], str]:
        """The stage of each failure."""
        explained = {
            (answer.match.question, answer.match.sample): answer.candidates
            for answer in self.causes.estimate().answers()
        }
        return {
            (failure.question, failure.sample): failure.stage
            or _from_cause(failure, explained.get((failure.question, failure.sample), ()), self.causes.faults)
            for failure in self.failures
        }

    def summary(
        self, stages: Mapping[tuple[QuestionId, int], str], contexts: IntArray, samples: int
    ) -> tuple[FailureStage, ...]:
        """The failures by stage, all stages of a run with failures; `contexts` has the context of each question."""
        failures: dict[str, list[_Failure]] = defaultdict(list)
        for failure in self.failures:
            failures[stages[failure.question, failure.sample]].append(failure)
        stages_with_failures = []
        for name, description in STAGES.items() if self.failures else ():
            counts = np.bincount([failure.place for failure in failures[name]], minlength=len(contexts)) / samples
            stages_with_failures.append(
                FailureStage(
                    name=name,
                    description=description,
                    count=len(failures[name]),
                    share=share_of_sums(ContextSums.of(counts, contexts), samples == 1),
                    share_of_failures=len(failures[name]) / len(self.failures),
                    examples=tuple(dict.fromkeys(failure.question for failure in failures[name]))[:MAX_EXAMPLES],
                )
            )
        return tuple(stages_with_failures)


def all_shown(item: Item, response: ScoredResponse, retrieves: bool) -> bool:
    """Whether every passage that the question needs was shown; `retrieves` as in `StageCounter.add`."""
    return not (retrieves and missing(item.key.proof.passages, retrieved(response.trace) or ()))


def _from_trace(item: Item, response: ScoredResponse, retrieves: bool) -> str | None:
    """The stage that the trace alone shows; None if everything was shown and answered."""
    if response.ending == "gave up" or response.outcome == "refused":
        return GAVE_UP
    if response.ending or response.received == "truncated" or response.outcome == "overflow":
        return BUDGET
    # Without a needed passage, a response reveals nothing about how the model reads, even if it gives no answer.
    if not all_shown(item, response, retrieves):
        return RETRIEVAL
    return GAVE_UP if response.outcome == "unparseable" else None


def _states_all_values(response: ScoredResponse, steps: Sequence[ReasoningStep]) -> bool | None:
    """Whether the reasoning states all needed values; None if it is too short to decide."""
    notes = [step.output for step in response.trace if step.kind == "model"][:-1]
    text = "\n".join((*notes, reasoning_of(response)))
    values = [part for step in steps if step.operation != "computing" for part in step.parts]
    if not values or not text.strip():
        return None
    occurs = [position is not None for position in find_steps(text, [ReasoningStep("", (value,)) for value in values])]
    if all(occurs):
        return True if all(len(spelling) >= MIN_VALUE_LENGTH for value in values for spelling in value) else None
    return False if any(occurs) else None


def _from_cause(failure: _Failure, candidates: Sequence[CandidateCause], faults: Mapping[str, Fault]) -> str:
    # Stated values were read, even if a reading fault would give the same answer.
    if failure.values_stated:
        return REASONING
    computing = sum(
        candidate.probability for candidate in candidates if faults[candidate.cause].operation == "computing"
    )
    reading = sum(candidate.probability for candidate in candidates) - computing
    if max(computing, reading) >= MIN_PROBABILITY:
        return REASONING if computing > reading else READING
    if failure.abstained:
        return GAVE_UP
    return UNCLEAR if failure.values_stated is None else READING
