"""Diagnoses incorrect answers: applies every single fault to the question's program and compares the answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from fathom.corpus.store import Corpus
from fathom.records.contexts import Context
from fathom.scoring.answer_types.compare import agrees
from fathom.scoring.answers import Answer, Number
from fathom.tasks.family import Diagnosis, FaultyAnswer, Item, ReasoningStep
from fathom.tasks.programs import tree
from fathom.tasks.programs.faults import Interpretation, ReadingFault, Variation
from fathom.tasks.tables.build import with_unit
from fathom.tasks.tables.faults import faults_of, missed_pairs
from fathom.tasks.tables.key_tables import database_of, program_of, scales_of, unit_of
from fathom.tasks.tables.months import month_value
from fathom.tasks.tables.other_figures import OtherFigureReader

MAX_STEPS = 24
"""The maximum number of entities that are searched for in the reasoning."""

_OPERATORS: tuple[tuple[str, tuple[type, ...]], ...] = (
    ("and", (tree.And,)),
    ("compare", (tree.Compare,)),
    ("group average", (tree.PeerAggregate,)),
    ("weights", (tree.WeightedSum,)),
    ("arithmetic", (tree.Arithmetic,)),
    ("count", (tree.Count,)),
    ("aggregate", (tree.Aggregate,)),
)


class Diagnoser:
    """Finds the faults that explain incorrect answers."""

    def __init__(self, corpus: Corpus) -> None:
        self._others = OtherFigureReader(corpus)

    def diagnose(self, context: Context, item: Item) -> Diagnosis:
        database = database_of(item.key)
        program = program_of(item.key, database)
        reading = Interpretation(program, database)
        faults = faults_of(self._others.read(context, item.key), scales_of(item.key))
        correct = item.key.answer
        nodes = list(tree.nodes(program))
        return Diagnosis(
            operators=(
                *(name for name, kinds in _OPERATORS if any(isinstance(node, kinds) for node in nodes)),
                *(("sort",) if program.order else ()),
            ),
            sizes={
                "program length": float(sum(hasattr(node, "__match_args__") for node in nodes)),
                "figures needed": float(len(item.key.proof.rows)),
            },
            steps=_steps(correct, item),
            suspects=tuple(_possible_faults(reading, correct, faults)),
            further=lambda: _missed_pairs(reading, correct),
        )


def _possible_faults(
    reading: Interpretation, correct: Answer, faults: Mapping[str, ReadingFault]
) -> Iterator[FaultyAnswer]:
    for fault in faults.values():
        yield from _incorrect_answers(fault.name, list(fault.variations(reading)), correct)


def _missed_pairs(reading: Interpretation, correct: Answer) -> Iterator[FaultyAnswer]:
    yield from _incorrect_answers("miss-document", list(missed_pairs(reading)), correct)


def _incorrect_answers(cause: str, variations: Sequence[Variation], correct: Answer) -> Iterator[FaultyAnswer]:
    """The incorrect answers among those of the variations of a fault."""
    unit = unit_of(correct)
    for detail, broken in variations:
        answer = with_unit(broken.answer(), unit)
        if not agrees(correct, answer):
            yield FaultyAnswer(cause, detail, answer, 1 / len(variations))


def _steps(correct: Answer, item: Item) -> tuple[ReasoningStep, ...]:
    """The figures of the entities, and the result."""
    values = [row[2] for row in item.key.proof.rows if row[2]]
    steps = []
    if 0 < len(values) <= MAX_STEPS:
        steps.append(ReasoningStep("the figures", tuple((value, _with_separators(value)) for value in values)))
    if isinstance(correct, Number):
        steps.append(ReasoningStep("the result", ((f"{correct.value:f}",),), "computing"))
    return tuple(steps)


def _with_separators(value: str) -> str:
    """With thousands separators, as documents print it."""
    if month_value(value) is not None:
        return value
    whole, _, fraction = value.partition(".")
    return f"{int(whole):,}" + (f".{fraction}" if fraction else "")
