"""Findings of a study in which people answered questions of a bench: accuracy, agreement, alignment, time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fathom.analysis.findings import Estimate
from fathom.analysis.intervals import cluster_numbers, mean_estimate, share
from fathom.records.documents import NonNegativeInt
from fathom.records.questions import QuestionId
from fathom.records.record import Record
from fathom.scoring.answers import Answer


@dataclass(frozen=True)
class HumanAnswer:
    """An answer of one person to one question, with its verdict."""

    question_id: QuestionId
    context: str
    stratum: str
    person: str
    correct: bool
    parsed: Answer | None
    """None if it cannot be parsed, was given up or came too late."""
    seconds: float
    state: str


class StudyGroup(Record):
    """The findings over the questions of one stratum, or over all."""

    name: str
    questions: NonNegativeInt
    answers: NonNegativeInt
    accuracy: Estimate
    """The share of answers that are correct; those given up or late are not."""
    agreement: Estimate | None
    """The share of questions to which at least two answers are equal; None if none has two answers."""
    alignment: Estimate | None
    """The share of questions to which at least two answers equal the key."""
    minutes: Estimate | None
    """The mean time of an answer that was neither given up nor late."""
    gave_up: NonNegativeInt
    timeouts: NonNegativeInt
    single: NonNegativeInt
    """Questions with fewer than two valid answers: they have no agreement."""
    runs: dict[str, Estimate] = {}
    """The accuracy of runs on the same questions."""


class StudyResults(Record):
    """All findings of a study."""

    groups: tuple[StudyGroup, ...]
    """All questions first, then the strata."""
    rounds: NonNegativeInt
    """Rounds with an answer to every control question."""
    excluded_rounds: NonNegativeInt
    """Rounds in which a control question was failed: none of their answers counts."""
    excluded_answers: NonNegativeInt
    open_tasks: NonNegativeInt
    """Tasks without an answer so far."""


AnswersEqual = Callable[[Answer, Answer], bool]


def summarize_study(
    answers: Sequence[HumanAnswer], equal: AnswersEqual, runs: Mapping[str, Mapping[QuestionId, float]]
) -> tuple[StudyGroup, ...]:
    """The findings over all valid answers, and over each stratum."""
    strata = sorted({answer.stratum for answer in answers})
    groups = [
        ("all", list(answers)),
        *((name, [answer for answer in answers if answer.stratum == name]) for name in strata),
    ]
    return tuple(_group(name, members, equal, runs) for name, members in groups if members)


def _group(
    name: str, answers: Sequence[HumanAnswer], equal: AnswersEqual, runs: Mapping[str, Mapping[QuestionId, float]]
) -> StudyGroup:
    by_question: dict[QuestionId, list[HumanAnswer]] = defaultdict(list)
    for answer in answers:
        by_question[answer.question_id].append(answer)
    several = [question_answers for question_answers in by_question.values() if len(question_answers) > 1]
    timed = [answer for answer in answers if answer.state == "answered"]
    contexts = {
        question_answers[0].question_id: question_answers[0].context for question_answers in by_question.values()
    }
    return StudyGroup(
        name=name,
        questions=len(by_question),
        answers=len(answers),
        accuracy=_share((float(answer.correct), answer.context) for answer in answers),
        agreement=_share(
            (float(_agree(question_answers, equal)), question_answers[0].context) for question_answers in several
        )
        if several
        else None,
        alignment=_share(
            (float(sum(answer.correct for answer in question_answers) > 1), question_answers[0].context)
            for question_answers in several
        )
        if several
        else None,
        minutes=mean_estimate(
            np.array([answer.seconds / 60 for answer in timed]), cluster_numbers(answer.context for answer in timed)
        )
        if timed
        else None,
        gave_up=sum(answer.state == "gave up" for answer in answers),
        timeouts=sum(answer.state == "timeout" for answer in answers),
        single=len(by_question) - len(several),
        runs={
            run: _share((scores[id], context) for id, context in contexts.items() if id in scores)
            for run, scores in runs.items()
            if any(id in scores for id in contexts)
        },
    )


def _agree(answers: Sequence[HumanAnswer], equal: AnswersEqual) -> bool:
    """Whether at least two answers are equal."""
    parsed = [answer.parsed for answer in answers if answer.parsed is not None]
    return any(equal(answer, other) for index, answer in enumerate(parsed) for other in parsed[index + 1 :])


def _share(values: Iterable[tuple[float, str]]) -> Estimate:
    pairs = list(values)
    return share(np.array([value for value, _ in pairs]), cluster_numbers(context for _, context in pairs))
