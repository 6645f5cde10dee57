"""Agreement of judges with each other, with the check and with people, and changes of a judge between runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from math import comb

import numpy as np

from fathom.analysis.agreement import cohen_kappa
from fathom.analysis.findings import Estimate
from fathom.analysis.intervals import jackknife, share
from fathom.analysis.judge_errors import JudgeError
from fathom.records.documents import NonNegativeInt
from fathom.records.judgments import Decision, PlantedDecision
from fathom.records.questions import QuestionId
from fathom.records.record import Record
from fathom.scoring.judges import majority
from fathom.scoring.verdicts import Share

ALL_JUDGES, CHECK = "all judges", "check"
"""The raters other than judges and people."""


class JudgeAgreement(Record):
    """The agreement of two raters on one part, over the responses that both decided on."""

    part: str
    first: str
    second: str
    agreement: Estimate
    kappa: Estimate | None
    """Cohen's kappa; None if it is undefined, as where both always decide the same."""


class JudgeDrift(Record):
    """How the decisions of a judge on the calibration set differ between two runs."""

    judge: str
    before: str
    after: str
    changed: Estimate
    """The share of the planted responses on which it decided otherwise."""
    better: NonNegativeInt
    """Decisions that were incorrect and are correct now."""
    worse: NonNegativeInt
    p: Share
    """The p-value of the hypothesis that a changed decision is as often better as worse (sign test)."""


ResponseId = tuple[QuestionId, int]
"""A question and a sample number."""
Ratings = Mapping[str, Mapping[ResponseId, Decision]]
"""The decisions of each rater on the same part, by response."""


def agreements(part: str, ratings: Ratings, context_of: Mapping[ResponseId, int]) -> Iterator[JudgeAgreement]:
    """The agreement of each pair of raters; intervals are clustered by context."""
    for first, second in combinations(ratings, 2):
        first_ratings, second_ratings = ratings[first], ratings[second]
        shared = [
            item
            for item in first_ratings
            if "unjudged" not in (first_ratings[item], second_ratings.get(item, "unjudged"))
        ]
        if not shared:
            continue
        contexts = np.array([context_of[item] for item in shared])
        tables = np.zeros((int(contexts.max()) + 1, 2, 2))
        for item, context in zip(shared, contexts, strict=True):
            tables[context, int(first_ratings[item] == "fail"), int(second_ratings[item] == "fail")] += 1
        rated_tables = tables[tables.sum(axis=(1, 2)) > 0]
        equal = np.array([float(first_ratings[item] == second_ratings[item]) for item in shared])
        yield JudgeAgreement(
            part=part,
            first=first,
            second=second,
            agreement=share(equal, contexts),
            kappa=jackknife(rated_tables, lambda rows: cohen_kappa(rows.sum(axis=0)), len(shared), len(shared)),
        )


def judge_errors(decisions: Sequence[PlantedDecision]) -> dict[str, JudgeError]:
    """The error of one judge on each part; that of several judges if they decide together."""
    errors = {}
    for part in dict.fromkeys(decision.part for decision in decisions):
        of_part = [decision for decision in decisions if decision.part == part]
        decided = [decision for decision in of_part if decision.outcome != "unjudged"]
        errors[part] = JudgeError(
            passed=sum(decision.is_correct for decision in decided if not decision.fault),
            correct=sum(not decision.fault for decision in decided),
            failed=sum(decision.is_correct for decision in decided if decision.fault),
            faulty=sum(bool(decision.fault) for decision in decided),
            unjudged=len(of_part) - len(decided),
        )
    return errors


def majority_decisions(decisions: Sequence[PlantedDecision]) -> list[PlantedDecision]:
    """The decisions of all judges on each planted response as one."""
    groups: dict[tuple[str, str, str], list[PlantedDecision]] = {}
    for decision in decisions:
        groups.setdefault((decision.question_id, decision.part, decision.fault), []).append(decision)
    return [
        group[0].model_copy(update={"judge": ALL_JUDGES, "outcome": majority(decision.outcome for decision in group)})
        for group in groups.values()
    ]


def drift(
    before: Sequence[PlantedDecision], after: Sequence[PlantedDecision], names: tuple[str, str]
) -> Iterator[JudgeDrift]:
    """The changes of each judge between two runs, over the planted responses that it decided on in both."""
    earlier_decisions = {_identity(decision): decision for decision in before}
    pairs: dict[str, list[tuple[PlantedDecision, PlantedDecision]]] = {}
    for decision in after:
        earlier = earlier_decisions.get(_identity(decision))
        if earlier is not None and "unjudged" not in (earlier.outcome, decision.outcome):
            pairs.setdefault(decision.judge, []).append((earlier, decision))
    for judge, decision_pairs in pairs.items():
        questions = {question: number for number, question in enumerate({old.question_id for old, _ in decision_pairs})}
        better = sum(not old.is_correct and new.is_correct for old, new in decision_pairs)
        worse = sum(old.is_correct and not new.is_correct for old, new in decision_pairs)
        yield JudgeDrift(
            judge=judge,
            before=names[0],
            after=names[1],
            changed=share(
                np.array([float(old.outcome != new.outcome) for old, new in decision_pairs]),
                np.array([questions[old.question_id] for old, _ in decision_pairs]),
            ),
            better=better,
            worse=worse,
            p=_sign_test(better, worse),
        )


def _identity(decision: PlantedDecision) -> tuple[str, ...]:
    """The fields in which comparable decisions agree. A judge with other prompts counts as another judge."""
    return decision.judge, decision.question_id, decision.part, decision.fault, decision.prompt_version


def _sign_test(first: int, other: int) -> float:
    trials = first + other
    tail = sum(comb(trials, count) for count in range(min(first, other) + 1))
    return float(min(1.0, 2 * tail / 2**trials)) if trials else 1.0
