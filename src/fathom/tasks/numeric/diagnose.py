"""Diagnoses incorrect answers: applies every single fault to the question's program and compares the answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations

from fathom.corpus.store import Corpus
from fathom.records.contexts import Context
from fathom.scoring.answer_types.compare import agrees
from fathom.scoring.answers import Answer, Number
from fathom.tasks.family import Diagnosis, FaultyAnswer, Item, ReasoningStep
from fathom.tasks.numeric.faults import FAULTS
from fathom.tasks.numeric.key_programs import program_of
from fathom.tasks.numeric.schema import NAME, POSITION, SCHEMA, TITLE, over_bylines, relations
from fathom.tasks.numeric.simulate import Simulator
from fathom.tasks.numeric.tables import ContextTables
from fathom.tasks.programs import tree
from fathom.tasks.programs.faults import Interpretation, Variation

MAX_PAIRS = 120
"""The maximum number of document pairs that are tried as both missed: all pairs of sixteen documents."""
MAX_STEPS = 24
"""The maximum number of articles that are searched for in a trace."""

_OPERATORS: tuple[tuple[str, tuple[type, ...]], ...] = (
    ("not", (tree.Not,)),
    ("and", (tree.And,)),
    ("or", (tree.Or,)),
    ("compare", (tree.Compare, tree.Between, tree.OneOf)),
    ("position", ()),
    ("relation", (tree.Exists,)),
    ("arithmetic", (tree.Arithmetic,)),
    ("count", (tree.Count, tree.CountDistinct)),
    ("aggregate", (tree.Aggregate,)),
    ("group", (tree.GroupedResults,)),
)


class Diagnoser:
    """Finds the faults that explain incorrect answers to questions over one corpus."""

    def __init__(self, corpus: Corpus) -> None:
        self._simulator = Simulator(corpus)

    def diagnose(self, context: Context, item: Item) -> Diagnosis:
        tables = self._simulator.read(context)
        program = program_of(item.key)
        reading = Interpretation(program, tables)
        correct = item.key.answer
        selected = tables.selected(program)
        return Diagnosis(
            operators=_operators(program),
            sizes=_sizes(program, selected),
            steps=_steps(program, tables, selected, correct),
            suspects=tuple(_possible_faults(reading, correct, selected)),
            further=lambda: _two_missed(reading, correct, selected),
        )


def _possible_faults(reading: Interpretation, correct: Answer, selected: Sequence[int]) -> Iterator[FaultyAnswer]:
    needed = _needed_articles(reading, selected)
    for fault in FAULTS.values():
        yield from _changing(fault.name, list(fault.variations(reading)), correct, needed)


def _changing(
    cause: str, variations: list[Variation], correct: Answer, needed: frozenset[int]
) -> Iterator[FaultyAnswer]:
    """The variations that change the answer, all equally likely."""
    for detail, broken in variations:
        # Missing an article that is not needed changes nothing, and most are not.
        if broken.missing and not broken.missing <= needed:
            continue
        answer = broken.answer()
        if not agrees(correct, answer):
            yield FaultyAnswer(cause, detail, answer, 1 / len(variations))


def _needed_articles(reading: Interpretation, selected: Sequence[int]) -> frozenset[int]:
    """The articles whose absence may change the answer: the selected ones, or all where articles are related."""
    if any(relations(reading.program)):
        return frozenset(range(1, len(reading.database.rows["articles"]) + 1))
    return frozenset(selected)


def _two_missed(reading: Interpretation, correct: Answer, selected: Sequence[int]) -> Iterator[FaultyAnswer]:
    """The answers of a reader who misses two articles, if there are few enough pairs to try all of them."""
    pairs = list(combinations(range(1, len(reading.database.rows["articles"]) + 1), 2))
    if len(pairs) <= MAX_PAIRS:
        variations = [
            Variation(f"articles {first} and {second}", replace(reading, missing=frozenset((first, second))))
            for first, second in pairs
        ]
        yield from _changing("miss-document", variations, correct, _needed_articles(reading, selected))


def _operators(program: tree.Program) -> tuple[str, ...]:
    """The operations of the program."""
    nodes = list(SCHEMA.nodes(program))
    positions = [node for node in nodes if isinstance(node, tree.Compare) and node.measure == POSITION]
    other_nodes = [node for node in nodes if node not in positions]
    names = [
        name
        for name, kinds in _OPERATORS
        if (positions if name == "position" else any(isinstance(node, kinds) for node in other_nodes))
    ]
    if any(isinstance(node, tree.Compare) and node.sign == "<>" for node in nodes) and "not" not in names:
        names.insert(0, "not")
    if program.order:
        names.append("sort")
    if isinstance(program.output, tree.Values) and program.output.distinct and program.output.measure != NAME:
        names.append("distinct")
    return tuple(names) or ("list",)


def _sizes(program: tree.Program, selected: Sequence[int]) -> dict[str, float]:
    # A name, a position or a title is part of the condition that compares it.
    counted = (node for node in SCHEMA.nodes(program) if node not in (NAME, POSITION, TITLE))
    length = sum(hasattr(node, "__match_args__") for node in counted)
    return {"program length": float(length), "matching articles": float(len(selected))}


def _steps(
    program: tree.Program, tables: ContextTables, selected: Sequence[int], correct: Answer
) -> tuple[ReasoningStep, ...]:
    """The selected articles, the measure of each, and the result."""
    steps: list[ReasoningStep] = []
    if 0 < len(selected) <= MAX_STEPS and program.where is not None and not over_bylines(program):
        rows = [tables.articles[number - 1] for number in selected]
        steps.append(
            ReasoningStep(
                "the matching articles", tuple((row.title, f"Article {row.number}") for row in rows), "finding"
            )
        )
    measure = _measure(program)
    if measure is not None and 0 < len(selected) <= MAX_STEPS:
        positions = [number - 1 for number in selected]
        try:
            values = tuple((f"{value:g}",) for value in tables.evaluation.view(SCHEMA.main).values(measure, positions))
        except ZeroDivisionError:
            values = ()
        if values:
            steps.append(ReasoningStep("their values", values))
    if isinstance(correct, Number):
        steps.append(ReasoningStep("the result", ((f"{correct.value:f}",),), "computing"))
    return tuple(steps)


def _measure(program: tree.Program) -> tree.Measure | None:
    """The measure that the result is computed from; None for titles and names."""
    match program.output:
        case tree.Values(measure) if measure == NAME:
            return None
        case tree.Aggregate(_, measure) | tree.Values(measure) | tree.GroupedResults(_, tree.Aggregate(_, measure)):
            return measure
        case tree.Labels() if program.order:
            key = program.order[0].measure
            return key if isinstance(key, tree.Measure) else None
        case _:
            return None
