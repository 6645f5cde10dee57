"""Scores over the questions of a bench: every question counts, whether or not it was answered."""

from __future__ import annotations

import operator
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from math import comb
from typing import NamedTuple, Self

from pydantic import Field

from fathom.records.documents import NonNegativeInt
from fathom.records.errors import FathomError
from fathom.records.questions import Question, QuestionId, Response
from fathom.records.record import Record, digest
from fathom.records.tag_values import value_order
from fathom.scoring.keys import Key
from fathom.scoring.measures import RatioMeasure, counts_of, micro_average
from fathom.scoring.reasoning import ReasoningState
from fathom.scoring.verdicts import Outcome, Verdict

VerdictFunction = Callable[[Key, Response], Verdict]


_NO_MEASURES: Mapping[str, float] = {}


class VerdictSummary(NamedTuple):
    """What scores are computed from: a tenth of the memory of a verdict."""

    question_id: QuestionId
    sample: int
    outcome: Outcome
    score: float
    measures: Mapping[str, float]
    vote: bytes
    """Equal for equal answers; all correct answers count as the same one, in any spelling."""
    is_judged: bool
    reasoning: ReasoningState | None

    @classmethod
    def of(cls, verdict: Verdict) -> Self:
        parsed = None if verdict.outcome == "correct" else verdict.parsed
        return cls(
            verdict.question_id,
            verdict.sample,
            verdict.outcome,
            verdict.score,
            verdict.measures or _NO_MEASURES,
            verdict.outcome.encode() if parsed is None else digest(parsed.model_dump_json())[:16],
            bool(verdict.judgments),
            verdict.reasoning,
        )


class Score(Record):
    """The outcomes of a group of questions. Accuracy is over all of them, answered or not."""

    questions: NonNegativeInt
    correct: NonNegativeInt = 0
    incorrect: NonNegativeInt = 0
    unparseable: NonNegativeInt = 0
    refused: NonNegativeInt = 0
    overflow: NonNegativeInt = 0
    error: NonNegativeInt = 0
    unjudged: NonNegativeInt = 0
    unanswered: NonNegativeInt = 0
    """Questions without a response."""
    total_score: float = 0.0
    """The sum of scores, including partial credit."""
    measures: dict[str, float] = Field(default={}, exclude_if=operator.not_)
    """The mean of each named measure over the responses that have it; of a ratio of counts the ratio of the sums."""

    @property
    def accuracy(self) -> float:
        return self.correct / self.questions if self.questions else 0.0

    @property
    def partial_credit(self) -> float:
        return self.total_score / self.questions if self.questions else 0.0


def score_responses(
    keys: Mapping[QuestionId, Key], responses: Iterable[Response], check: VerdictFunction
) -> Iterator[Verdict]:
    """A verdict for each response; a response to a question outside the bench is an error."""
    seen: set[tuple[QuestionId, int]] = set()
    for response in responses:
        if response.question_id not in keys:
            raise FathomError(
                f"The question '{response.question_id}' of a response is not in the bench. "
                "Give the bench that the responses belong to."
            )
        if (response.question_id, response.sample) in seen:
            raise FathomError(
                f"The question '{response.question_id}' has two responses with sample {response.sample}. "
                "Number the samples, or remove one."
            )
        seen.add((response.question_id, response.sample))
        yield check(keys[response.question_id], response)


def grouped(
    questions: Iterable[Question], keys: Mapping[QuestionId, Key], by: str | None = None, declared: Sequence[str] = ()
) -> dict[str, list[Question]]:
    """The questions by the values of a tag, those in `declared` first; all of them as "all" without a tag."""
    groups: dict[str, list[Question]] = defaultdict(list)
    for question in questions:
        groups[_value(question, keys, by) if by else "all"].append(question)
    return {name: groups[name] for name in sorted(groups, key=lambda name: value_order(name, declared))}


def _value(question: Question, keys: Mapping[QuestionId, Key], tag: str) -> str:
    if tag == "answer":
        return keys[question.id].answer.type
    return {"family": question.family, "split": question.split, **question.tags}.get(tag, "")


MeasureCounts = Callable[[Question, VerdictSummary | None], Mapping[str, float]]
"""The measures of a verdict, or of a question without a response."""


def measures_of(question: Question, verdict: VerdictSummary | None) -> Mapping[str, float]:
    """The measures of a verdict; none without a response."""
    return {} if verdict is None else verdict.measures


def first_samples(verdicts: Iterable[VerdictSummary]) -> dict[QuestionId, VerdictSummary]:
    """The verdict on the first sample of each question."""
    return {verdict.question_id: verdict for verdict in verdicts if verdict.sample == 0}


def tally(
    groups: Mapping[str, Sequence[Question]],
    first: Mapping[QuestionId, VerdictSummary],
    ratios: Sequence[RatioMeasure] = (),
    counts: MeasureCounts = measures_of,
) -> dict[str, Score]:
    """Scores of the first sample of each question, by group. Of `ratios` those for summaries are among the measures."""
    return {
        name: _score(
            [first.get(question.id) for question in questions],
            [counts(question, first.get(question.id)) for question in questions],
            ratios,
        )
        for name, questions in groups.items()
    }


def _score(
    verdicts: list[VerdictSummary | None], counts: Sequence[Mapping[str, float]], ratios: Sequence[RatioMeasure]
) -> Score:
    summaries = [verdict for verdict in verdicts if verdict is not None]
    parts = counts_of(ratios)
    means: dict[str, list[float]] = defaultdict(list)
    for verdict in summaries:
        for name, value in verdict.measures.items():
            if name not in parts:
                means[name].append(value)
    measures = {name: sum(values) / len(values) for name, values in means.items()}
    for ratio in ratios:
        if ratio.summary and (found := micro_average(ratio, counts)) is not None:
            measures[ratio.name] = found
    outcomes = Counter[str](verdict.outcome for verdict in summaries)
    return Score(
        questions=len(verdicts),
        unanswered=len(verdicts) - len(summaries),
        total_score=sum(verdict.score for verdict in summaries),
        measures=measures,
        **outcomes,
    )


class SampleSummary(Record):
    """Several samples of each question taken together; all shares are over all questions."""

    samples: NonNegativeInt
    """The largest number of samples of one question."""
    mean: float
    """Accuracy, averaged over samples."""
    pass_at: dict[int, float]
    """For k = 1, 2, ...: the unbiased estimate of the share of questions with a correct response among k."""
    majority: float
    """The share of questions whose most frequent answer is correct; the first of equally frequent answers counts."""


def summarize_samples(questions: Collection[QuestionId], verdicts: Iterable[VerdictSummary]) -> SampleSummary:
    """The samples of each question taken together; a missing sample is not correct."""
    by_question: dict[QuestionId, list[VerdictSummary]] = defaultdict(list)
    for verdict in verdicts:
        by_question[verdict.question_id].append(verdict)
    most = max(map(len, by_question.values()), default=0)
    correct = [sum(verdict.outcome == "correct" for verdict in group) for group in by_question.values()]
    total = max(1, len(questions))
    return SampleSummary(
        samples=most,
        mean=sum(correct) / (total * max(1, most)),
        pass_at={k: sum(pass_at_k(most, count, k) for count in correct) / total for k in range(1, most + 1)},
        majority=sum(_majority_is_correct(group) for group in by_question.values()) / total,
    )


def pass_at_k(samples: int, correct: int, k: int) -> float:
    """The chance that at least one of k samples drawn without replacement is correct."""
    return 1.0 - comb(samples - correct, k) / comb(samples, k)


def _majority_is_correct(group: list[VerdictSummary]) -> bool:
    votes = Counter(verdict.vote for verdict in sorted(group, key=lambda verdict: verdict.sample))
    winner = votes.most_common(1)[0][0]
    return any(verdict.outcome == "correct" for verdict in group if verdict.vote == winner)


class VerdictChanges(Record):
    """How verdicts differ from those of an earlier scoring."""

    compared: NonNegativeInt
    changed: dict[str, NonNegativeInt]
    """Counts by change, such as "incorrect to correct"."""
    examples: tuple[QuestionId, ...]


Outcomes = Mapping[tuple[QuestionId, int], Outcome]
"""Outcomes by question and sample."""


def compare_verdicts(before: Outcomes, verdicts: Iterable[VerdictSummary]) -> VerdictChanges:
    """The changes among the responses that both scorings have."""
    compared = 0
    changed: Counter[str] = Counter()
    examples: list[QuestionId] = []
    for verdict in verdicts:
        known = before.get((verdict.question_id, verdict.sample))
        if known is None:
            continue
        compared += 1
        if known != verdict.outcome:
            changed[f"{known} to {verdict.outcome}"] += 1
            examples.append(verdict.question_id)
    return VerdictChanges(compared=compared, changed=dict(sorted(changed.items())), examples=tuple(examples[:3]))
