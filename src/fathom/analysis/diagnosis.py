"""Runs the families' diagnosers on incorrect answers, in this process or in workers: the slowest part of analysis."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

from fathom.analysis.attribution import CauseMatch, CauseMatcher
from fathom.corpus.store import Corpus
from fathom.parallel import RARE_COLLECTIONS, map_ordered
from fathom.records.contexts import Context
from fathom.records.questions import Question
from fathom.scoring.answers import Answer
from fathom.scoring.keys import Key
from fathom.tasks.catalog import family
from fathom.tasks.family import Diagnoser, Diagnosis, Item, ReasoningStep


@dataclass(frozen=True)
class IncorrectAnswer:
    """An incorrect answer to explain."""

    run: int
    sample: int
    parsed: Answer | None
    text: str


@dataclass(frozen=True)
class QuestionDiagnosis:
    """A family's diagnosis of one question and of the incorrect answers to it."""

    operators: tuple[str, ...]
    sizes: Mapping[str, float]
    steps: tuple[ReasoningStep, ...]
    exposure: dict[str, float]
    """For each cause, the probability that it changes the answer if it occurs."""
    matches: list[CauseMatch]
    """For each incorrect answer, in order."""

    @property
    def diagnosis(self) -> Diagnosis:
        return Diagnosis(self.operators, self.sizes, self.steps)


DiagnosisTask = tuple[Context, list[tuple[Item, list[IncorrectAnswer]]]]
"""A context, its questions, and the incorrect answers to each."""
SerializedTask = tuple[bytes, list[tuple[bytes, bytes, list[IncorrectAnswer]]]]
"""The same as JSON lines, which pass between processes in a tenth of the time that records take."""


def diagnosers(families: Iterable[str], corpus: Corpus) -> dict[str, Diagnoser]:
    """The diagnosers of the families that have one."""
    by_family = {name: family(name).diagnose for name in families}
    return {name: diagnose(corpus) for name, diagnose in by_family.items() if diagnose is not None}


def diagnose_all(
    families: tuple[str, ...], corpus: Corpus | None, tasks: Iterator[DiagnosisTask], processes: int
) -> Iterator[list[QuestionDiagnosis | None]]:
    """The diagnoses of each context's questions, in order, with any number of processes."""
    if corpus is None:
        return ([None] * len(items) for _, items in tasks)
    if processes <= 1:
        return map(partial(_diagnose_context, diagnosers(families, corpus)), tasks)
    return map_ordered(partial(_diagnose_in_worker, families, corpus.folder), map(_serialize, tasks), processes)


def _diagnose_context(
    diagnosers_by_family: Mapping[str, Diagnoser], task: DiagnosisTask
) -> list[QuestionDiagnosis | None]:
    """The diagnosis of each question of a context; None if its family has no diagnoser."""
    context, items = task
    return [
        _diagnose(diagnosers_by_family.get(item.question.family), context, item, answers) for item, answers in items
    ]


def _diagnose(
    diagnoser: Diagnoser | None, context: Context, item: Item, answers: list[IncorrectAnswer]
) -> QuestionDiagnosis | None:
    if diagnoser is None:
        return None
    diagnosis = diagnoser.diagnose(context, item)
    matcher = CauseMatcher(item.key.answer, diagnosis)
    return QuestionDiagnosis(
        diagnosis.operators,
        diagnosis.sizes,
        diagnosis.steps,
        matcher.exposure,
        [matcher.match(item.question.id, answer.sample, answer.parsed, answer.text) for answer in answers],
    )


def _serialize(task: DiagnosisTask) -> SerializedTask:
    context, items = task
    return context.to_line(), [(item.question.to_line(), item.key.to_line(), answers) for item, answers in items]


def _diagnose_in_worker(
    families: tuple[str, ...], corpus: Path, task: SerializedTask
) -> list[QuestionDiagnosis | None]:
    """Diagnose in a worker process, which keeps the corpus open between contexts."""
    context, items = task
    parsed = [(Item(Question.from_line(question), Key.from_line(key)), answers) for question, key, answers in items]
    return _diagnose_context(_worker_diagnosers(families, corpus), (Context.from_line(context), parsed))


@cache
def _worker_diagnosers(families: tuple[str, ...], corpus: Path) -> dict[str, Diagnoser]:
    # Collected rarely: the collector took a tenth of the time. Without it, memory grew with every question.
    gc.set_threshold(*RARE_COLLECTIONS)
    return diagnosers(families, Corpus(corpus))
