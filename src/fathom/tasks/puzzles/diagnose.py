"""Diagnoses incorrect answers: single faults, and the first item of the checklist that was missed."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from fathom.corpus.store import Corpus
from fathom.models.simulated import FaultOperation as Stage
from fathom.records.contexts import Context
from fathom.tasks.family import Diagnosis, Item, ReasoningStep
from fathom.tasks.puzzles.checklist import ChecklistItem, checklist_of, conclusions_of
from fathom.tasks.puzzles.faults import faulty_answers
from fathom.tasks.puzzles.puzzle import date_spellings
from fathom.tasks.puzzles.sources import source_of
from fathom.tasks.puzzles.tree import DATE, OPERATIONS, format_number, iso_date, operation, parse, subnodes

_STAGES: Mapping[str, Stage] = {"reading": "reading", "bridging": "finding"}


class Diagnoser:
    """Finds the faults that explain incorrect answers."""

    def __init__(self, corpus: Corpus) -> None:
        self._source = lru_cache(maxsize=8)(lambda id: source_of(corpus.document(id)))

    def diagnose(self, context: Context, item: Item) -> Diagnosis:
        if conclusions := conclusions_of(item.key):
            return Diagnosis(sizes={"checklist items": float(len(conclusions))})
        source = self._source(context.documents[0])
        program = parse(item.key.proof.program)
        operations = {operation(node) for node in subnodes(program)}
        items = checklist_of(item.key)
        return Diagnosis(
            operators=tuple(name for name in OPERATIONS if name in operations),
            sizes={"steps": float(item.question.tags["steps"]), "checklist items": float(len(items))},
            steps=tuple(
                ReasoningStep(item.name, (_spellings(item),), _STAGES.get(item.operation, "computing"))
                for item in items
            ),
            suspects=tuple(faulty_answers(source, program)) if source is not None else (),
        )


def _spellings(item: ChecklistItem) -> tuple[str, ...]:
    """How a reasoning text may spell the value."""
    if item.value.number is None:
        return item.aliases or (item.value.name,)
    if item.value.unit == DATE:
        return (iso_date(item.value.number), *date_spellings(item.value.number))
    grouped = format_number(item.value.number)
    return tuple(dict.fromkeys((grouped, grouped.replace(",", ""))))
