"""Contamination: memorization probes, and answers on swapped benches that repeat the original documents."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from fathom.analysis.findings import Estimate
from fathom.analysis.intervals import difference, share
from fathom.analysis.significance import Trend, trend
from fathom.records.documents import NonNegativeInt
from fathom.records.questions import Question, QuestionId, Response
from fathom.records.record import Record
from fathom.scoring.keys import Key
from fathom.scoring.scores import VerdictFunction
from fathom.tasks.catalog import family


@dataclass(frozen=True)
class QuestionResult:
    """The outcome of one question of a run."""

    question: Question
    correct: bool
    memorized: bool = False
    """Whether the answer is that of the documents before the swap."""
    answered: bool = True
    swapped: bool = False
    """Whether the question is on a swapped bench."""
    swapped_from: QuestionId | None = None


def question_results(
    questions: Iterable[tuple[Question, Key]], responses: Iterable[Response], checks: Mapping[str, VerdictFunction]
) -> Iterator[QuestionResult]:
    """The result of each question, from its first response; a question without one is not correct."""
    first = {response.question_id: response for response in responses if response.sample == 0}
    for question, key in questions:
        check, response = checks[question.family], first.get(question.id)
        original = None if key.original is None else key.model_copy(update={"answer": key.original})
        yield QuestionResult(
            question,
            correct=response is not None and check(key, response).outcome == "correct",
            memorized=response is not None and original is not None and check(original, response).outcome == "correct",
            answered=response is not None and response.outcome in ("answered", "truncated"),
            swapped=original is not None,
            swapped_from=key.swapped_from,
        )


class ProbeResults(Record):
    """Results of the memorization probes of one task."""

    overall: Estimate
    """Share of probes that were completed correctly from memory."""
    unanswered: NonNegativeInt
    """Probes that were refused, failed or not asked; they count as not correct."""
    by_year: dict[str, Estimate]
    """By the year of the document; documents without a year are left out."""
    trend: Trend | None


class SwapResults(Record):
    """Results of a run on a swapped bench."""

    questions: NonNegativeInt
    changed: NonNegativeInt
    """Questions whose answer differs from the original; the figures below are over these."""
    unanswered: NonNegativeInt
    context_accuracy: Estimate
    """Answers that match the text shown: context-attributable accuracy."""
    memorized: Estimate
    """Answers that match the original documents instead."""
    before: Estimate | None = None
    """Accuracy on the same questions over the original documents, if a run on those was given."""
    drop: Estimate | None = None
    """How much accuracy fell with the swap, paired by question."""


class Contamination(Record):
    """The evidence of one run for memorized documents."""

    probes: dict[str, ProbeResults] = {}
    """By task."""
    swapped: SwapResults | None = None


def contamination(results: Iterable[QuestionResult], before: Iterable[QuestionResult] = ()) -> Contamination:
    """The figures of one run; `before` has the same model's results on the bench before the swap."""
    tasks: dict[str, list[QuestionResult]] = defaultdict(list)
    swapped: list[QuestionResult] = []
    for result in results:
        probe_tag = family(result.question.family).probe_tag
        if probe_tag:
            tasks[result.question.tags.get(probe_tag, "")].append(result)
        elif result.swapped:
            swapped.append(result)
    return Contamination(
        probes={task: _probe_results(group) for task, group in sorted(tasks.items())},
        swapped=_swap_results(swapped, {result.question.id: result for result in before}) if swapped else None,
    )


def _probe_results(group: list[QuestionResult]) -> ProbeResults:
    by_year: dict[str, list[QuestionResult]] = defaultdict(list)
    for probe in group:
        by_year[probe.question.tags.get("year", "")].append(probe)
    years = sorted(year for year in by_year if year)
    return ProbeResults(
        overall=_share(group, lambda probe: probe.correct),
        unanswered=sum(not result.answered for result in group),
        by_year={year: _share(by_year[year], lambda probe: probe.correct) for year in years},
        trend=trend(
            {int(year): (sum(result.correct for result in by_year[year]), len(by_year[year])) for year in years}
        ),
    )


def _swap_results(group: list[QuestionResult], before: Mapping[QuestionId, QuestionResult]) -> SwapResults:
    changed = [result for result in group if result.question.tags.get("changed") == "yes"]
    pairs = [result for result in changed if result.swapped_from in before]

    def was_correct(result: QuestionResult) -> bool:
        return before[result.swapped_from or ""].correct

    drops = np.array([float(was_correct(pair)) - float(pair.correct) for pair in pairs])
    return SwapResults(
        questions=len(group),
        changed=len(changed),
        unanswered=sum(not result.answered for result in changed),
        context_accuracy=_share(changed, lambda result: result.correct),
        memorized=_share(changed, lambda result: result.memorized),
        before=_share(pairs, was_correct) if pairs else None,
        drop=difference(drops, _contexts(pairs)) if pairs else None,
    )


def _share(group: list[QuestionResult], is_hit: Callable[[QuestionResult], bool]) -> Estimate:
    """The share of hits, clustered by context."""
    return share(np.array([float(is_hit(result)) for result in group]), _contexts(group))


def _contexts(group: list[QuestionResult]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(result.question.context_id, len(numbers)) for result in group], dtype=np.int64)
