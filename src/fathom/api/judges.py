"""Reports on the judges of runs: their error on planted responses, agreement, drift, and corrected scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from fathom.analysis.findings import Estimate
from fathom.analysis.intervals import share
from fathom.analysis.judge_agreement import (
    ALL_JUDGES,
    CHECK,
    JudgeAgreement,
    JudgeDrift,
    ResponseId,
    agreements,
    drift,
    judge_errors,
    majority_decisions,
)
from fathom.analysis.judge_errors import JudgedResponse, JudgeError, corrected_accuracy
from fathom.analysis.loading import open_bench
from fathom.api.arguments import Folder, as_path
from fathom.api.scores import Scores, read_scoring, score_run
from fathom.records.documents import NonNegativeInt
from fathom.records.errors import FathomError
from fathom.records.files import read_records
from fathom.records.judgments import Decision, Judgment, PlantedDecision, Reasoning
from fathom.records.questions import QuestionId, Response
from fathom.records.record import Record
from fathom.runs.folder import CALIBRATION, JUDGMENTS, read_responses, read_run
from fathom.scoring.judges import by_judge, majority
from fathom.scoring.reasoning import ReasoningState, select_reasoning
from fathom.tasks.bench import Bench
from fathom.tasks.catalog import family

__all__ = ["JudgeReport", "JudgeSummary", "is_judged", "judge_report"]

Decisions = Mapping[ResponseId, Mapping[str, Decision]]
"""The decisions of one rater by response and part."""


class JudgeSummary(Record):
    """One judge, or all of them together."""

    judge: str
    judgments: NonNegativeInt
    asked_again: NonNegativeInt
    """Judgments for which it was asked more than once."""
    unjudged: NonNegativeInt
    """Judgments without a decision."""
    errors: dict[str, JudgeError]
    """Its error on planted responses, by part."""
    accepted: dict[str, tuple[NonNegativeInt, NonNegativeInt]]
    """How many of the planted responses with each fault pass, and how many were decided on; "" is not a fault."""


class JudgeReport(Record):
    """The judges of one run."""

    run: str
    reasoning: Reasoning
    """The reasoning that was judged."""
    reasoning_states: dict[ReasoningState, NonNegativeInt]
    """Responses by where their reasoning is."""
    responses: NonNegativeInt
    judged: NonNegativeInt
    """Responses on which judges decided."""
    unjudged: NonNegativeInt
    accuracy: Estimate
    """As scored: what is unjudged counts as not correct."""
    corrected: Estimate | None
    """Without the judges' errors; None if no judge decided on any response."""
    judges: tuple[JudgeSummary, ...]
    agreements: tuple[JudgeAgreement, ...]
    drift: tuple[JudgeDrift, ...]
    """Compared with the first run."""


def judge_report(
    runs: Sequence[Folder], *, bench: Folder | None = None, people: Folder | None = None
) -> list[JudgeReport]:
    """Reports on the judges of runs, which were judged by `fathom score --judge`.

    `people` is a file of judgments by people, JSON lines as in `judgments.jsonl`, on responses of the first run.
    """
    folders = [as_path(run) for run in runs]
    reports = []
    baseline = _planted(folders[0])
    for number, folder in enumerate(folders):
        opened = open_bench(folder, read_run(folder), as_path(bench))
        judged = _JudgedRun(folder, opened, _people(people) if number == 0 else [])
        changes = drift(baseline, _planted(folder), (folders[0].name, folder.name)) if number else ()
        reports.append(judged.report(tuple(changes)))
    return reports


def is_judged(run: Folder) -> bool:
    """Whether the run has judgments."""
    return (as_path(run) / JUDGMENTS).exists()


def _planted(folder: Path) -> list[PlantedDecision]:
    path = folder / CALIBRATION
    return list(read_records(path, PlantedDecision)) if path.exists() else []


def _people(file: Folder | None) -> list[Judgment]:
    return list(read_records(as_path(file), Judgment)) if file is not None else []


class _JudgedRun:
    """One run with its judgments."""

    def __init__(self, folder: Path, bench: Bench, people: Sequence[Judgment]) -> None:
        if not is_judged(folder):
            raise FathomError(
                f"The run '{folder}' has no judgments. Judge it first: fathom score {folder} --judge MODEL."
            )
        self._folder = folder
        self._reasoning = read_scoring(folder).reasoning
        self._judgments = list(read_records(folder / JUDGMENTS, Judgment))
        self._people = people
        self._planted = _planted(folder)
        self._scores = score_run(folder, bench=bench.folder, reasoning=self._reasoning)
        self._contexts: dict[QuestionId, int] = {}
        numbers: dict[str, int] = {}
        for question in self._scores.questions:
            self._contexts[question.id] = numbers.setdefault(question.context_id, len(numbers))
        self._families = {question.id: question.family for question in self._scores.questions}

    def report(self, changes: tuple[JudgeDrift, ...]) -> JudgeReport:
        verdicts = self._scores.verdicts
        states = Counter(verdict.reasoning for verdict in verdicts if verdict.reasoning is not None)
        return JudgeReport(
            run=str(self._folder),
            reasoning=self._reasoning,
            reasoning_states=dict(sorted(states.items())),
            responses=len(verdicts),
            judged=sum(bool(verdict.judged) for verdict in verdicts),
            unjudged=sum(verdict.outcome == "unjudged" for verdict in verdicts),
            accuracy=_accuracy(self._scores, self._contexts),
            corrected=corrected_accuracy(self._responses(), judge_errors(majority_decisions(self._planted))),
            judges=tuple(self._summaries()),
            agreements=tuple(self._agreements()),
            drift=changes,
        )

    def _responses(self) -> list[JudgedResponse]:
        """The first response to each question."""
        first = {
            stored_verdict.question_id: stored_verdict
            for stored_verdict in self._scores.verdicts
            if stored_verdict.sample == 0
        }
        judged = []
        for question, context in self._contexts.items():
            verdict = first.get(question)
            if verdict is None:
                judged.append(JudgedResponse(context, accepted=False, passes={}))
                continue
            passes = {part: decision == "pass" for part, decision in verdict.judged.items()}
            unjudged = verdict.outcome == "unjudged"
            accepted = bool(passes) or unjudged or verdict.outcome == "correct"
            judged.append(JudgedResponse(context, accepted, passes, unjudged))
        return judged

    def _summaries(self) -> Iterable[JudgeSummary]:
        names = list(dict.fromkeys(judgment.judge for judgment in self._judgments))
        for name in names:
            of_judge = [judgment for judgment in self._judgments if judgment.judge == name]
            yield _summary(name, of_judge, [planted for planted in self._planted if planted.judge == name])
        if len(names) > 1:
            yield _summary(ALL_JUDGES, self._judgments, majority_decisions(self._planted))

    def _agreements(self) -> Iterable[JudgeAgreement]:
        """The agreement of judges, check and people on each part."""
        by_rater = self._decisions([*self._judgments, *self._people])
        judges = dict.fromkeys(judgment.judge for judgment in self._judgments)
        if len(judges) > 1:
            by_rater[ALL_JUDGES] = _combined([by_rater[name] for name in judges])
        by_rater[CHECK] = self._checked({place for found in by_rater.values() for place in found})
        context_of = {place: self._contexts[place[0]] for found in by_rater.values() for place in found}
        parts = dict.fromkeys(part for found in by_rater.values() for decisions in found.values() for part in decisions)
        for part in parts:
            ratings = {
                rater: {place: decisions[part] for place, decisions in found.items() if part in decisions}
                for rater, found in by_rater.items()
            }
            for pair in agreements(part, ratings, context_of):
                # A judge is part of the majority that it would be compared with.
                if not (pair.second == ALL_JUDGES and pair.first in judges):
                    yield pair

    def _decisions(self, judgments: Iterable[Judgment]) -> dict[str, Decisions]:
        """The decisions of each rater by response and part."""
        groups: dict[ResponseId, list[Judgment]] = {}
        for judgment in judgments:
            if judgment.question_id not in self._families:
                raise FathomError(
                    f"A judgment is on the question '{judgment.question_id}', which the run '{self._folder}' does "
                    "not ask. Give judgments on responses of this run."
                )
            groups.setdefault((judgment.question_id, judgment.sample), []).append(judgment)
        by_judge_name: dict[str, dict[ResponseId, Mapping[str, Decision]]] = {}
        for place, group in groups.items():
            judge = family(self._families[place[0]]).judge
            assert judge is not None, "only families with a judge have judgments"
            for rater, decisions in by_judge(group, judge.decide).items():
                by_judge_name.setdefault(rater, {})[place] = decisions
        return {**by_judge_name}

    def _checked(self, places: set[ResponseId]) -> Decisions:
        """The decisions of the check alone on the same responses."""
        responses: dict[ResponseId, Response] = {
            (stored_response.question_id, stored_response.sample): stored_response
            for stored_response in read_responses(self._folder).values()
        }
        checks = {}
        for place in sorted(places & responses.keys()):
            judge = family(self._families[place[0]]).judge
            assert judge is not None
            response = select_reasoning(responses[place], self._reasoning)
            checks[place] = judge.checked(self._scores.keys[place[0]], response)
        return checks


def _accuracy(scores: Scores, contexts: Mapping[QuestionId, int]) -> Estimate:
    correct = {
        verdict.question_id for verdict in scores.verdicts if verdict.sample == 0 and verdict.outcome == "correct"
    }
    values = np.array([float(question in correct) for question in contexts])
    return share(values, np.array([*contexts.values()]))


def _combined(raters: Sequence[Decisions]) -> Decisions:
    places = dict.fromkeys(place for rater in raters for place in rater)
    combined: dict[ResponseId, Mapping[str, Decision]] = {}
    for place in places:
        found = [rater[place] for rater in raters if place in rater]
        parts = dict.fromkeys(part for decisions in found for part in decisions)
        combined[place] = {
            part: majority(decisions[part] for decisions in found if part in decisions) for part in parts
        }
    return combined


def _summary(name: str, judgments: Sequence[Judgment], planted: Sequence[PlantedDecision]) -> JudgeSummary:
    accepted = {}
    for fault in sorted({decision.fault for decision in planted}):
        made = [decision for decision in planted if decision.fault == fault and decision.outcome != "unjudged"]
        accepted[fault] = sum(decision.outcome == "pass" for decision in made), len(made)
    return JudgeSummary(
        judge=name,
        judgments=len(judgments),
        asked_again=sum(judgment.attempts > 1 for judgment in judgments),
        unjudged=sum(judgment.outcome == "unjudged" for judgment in judgments),
        errors=judge_errors(planted),
        accepted=accepted,
    )
