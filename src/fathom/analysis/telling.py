"""Who tells causes: the families' diagnosers, here or in processes of their own. It is most of an analysis's work."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

from fathom.analysis.attribution import Fitting, Matching
from fathom.corpus.store import Corpus
from fathom.records.contexts import Context
from fathom.records.questions import Question
from fathom.scoring.answers import Answer
from fathom.scoring.keys import Key
from fathom.tasks.catalog import family
from fathom.tasks.family import Diagnoser, Diagnosis, Item, ReasoningStep
from fathom.work import map_ordered


@dataclass(frozen=True)
class Given:
    """A wrong answer that wants explaining."""

    run: int
    sample: int
    read: Answer | None
    text: str


@dataclass(frozen=True)
class Told:
    """What a family tells of one question and of the wrong answers to it."""

    operators: tuple[str, ...]
    sizes: Mapping[str, float]
    steps: tuple[ReasoningStep, ...]
    exposed: dict[str, float]
    """For each cause the chance that it changes the answer where it strikes."""
    fittings: list[Fitting]
    """For each wrong answer, in order."""

    @property
    def diagnosis(self) -> Diagnosis:
        return Diagnosis(self.operators, self.sizes, self.steps)


Task = tuple[Context, list[tuple[Item, list[Given]]]]
"""A context, its questions, and the wrong answers to each."""
Packed = tuple[bytes, list[tuple[bytes, bytes, list[Given]]]]
"""The same in lines, which travel between processes in a tenth of the time that records take."""


def tellers(families: Iterable[str], corpus: Corpus) -> dict[str, Diagnoser]:
    """The diagnosers of those families that have one."""
    found = {name: family(name).diagnose for name in families}
    return {name: diagnose(corpus) for name, diagnose in found.items() if diagnose is not None}


def tell(known: Mapping[str, Diagnoser], task: Task) -> list[Told | None]:
    """What is told of each question of a context; None where its family cannot tell."""
    context, items = task
    return [_told(known.get(item.question.family), context, item, given) for item, given in items]


def _told(teller: Diagnoser | None, context: Context, item: Item, given: list[Given]) -> Told | None:
    if teller is None:
        return None
    diagnosis = teller.diagnose(context, item)
    matching = Matching(item.key.answer, diagnosis)
    return Told(
        diagnosis.operators,
        diagnosis.sizes,
        diagnosis.steps,
        matching.exposed,
        [matching.fitting(item.question.id, one.sample, one.read, one.text) for one in given],
    )


def tell_all(
    families: tuple[str, ...], corpus: Corpus | None, tasks: Iterator[Task], processes: int
) -> Iterator[list[Told | None]]:
    """What is told, context by context in order, whatever the number of processes."""
    if corpus is None:
        return ([None] * len(items) for _, items in tasks)
    if processes <= 1:
        return map(partial(tell, tellers(families, corpus)), tasks)
    return map_ordered(partial(_tell_there, families, corpus.folder), map(_packed, tasks), processes)


def _packed(task: Task) -> Packed:
    context, items = task
    return context.to_line(), [(item.question.to_line(), item.key.to_line(), given) for item, given in items]


def _tell_there(families: tuple[str, ...], corpus: Path, packed: Packed) -> list[Told | None]:
    """In a process of its own, which keeps the corpus open for its next context."""
    context, items = packed
    unpacked = [(Item(Question.from_line(question), Key.from_line(key)), given) for question, key, given in items]
    return tell(_tellers_there(families, corpus), (Context.from_line(context), unpacked))


@cache
def _tellers_there(families: tuple[str, ...], corpus: Path) -> dict[str, Diagnoser]:
    # What is told makes no circles, and looking for some took a tenth of the time.
    gc.disable()
    return tellers(families, Corpus(corpus))
