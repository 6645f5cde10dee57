"""How a wrong response is wrong: every single slip of the question's own program, and where it leads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations

from fathom.corpus.store import Corpus
from fathom.records.contexts import Context
from fathom.scoring.answer_types.compare import agrees
from fathom.scoring.answers import Answer, Number
from fathom.tasks.family import Diagnosis, FaultyAnswer, Item, ReasoningStep
from fathom.tasks.numeric.evaluate import kept_articles, measured
from fathom.tasks.numeric.faults import FAULTS, Reading, Way
from fathom.tasks.numeric.programs import RELATIONS as RELATING
from fathom.tasks.numeric.programs import (
    And,
    Arithmetic,
    AtPosition,
    Between,
    Compare,
    Field,
    HowMany,
    Names,
    Not,
    OneOf,
    Or,
    PerValue,
    Program,
    Titles,
    Total,
    Values,
    nodes,
    over_bylines,
)
from fathom.tasks.numeric.simulate import Simulator, program_of
from fathom.tasks.numeric.tables import Tables

MOST_PAIRS = 120
"""Pairs of documents that are tried as missed together: all of those of sixteen."""
MOST_STEPS = 24
"""Articles whose mention is looked for in a trace."""

_OPERATORS: tuple[tuple[str, tuple[type, ...]], ...] = (
    ("not", (Not,)),
    ("and", (And,)),
    ("or", (Or,)),
    ("compare", (Compare, Between, OneOf)),
    ("position", (AtPosition,)),
    ("relation", RELATING),
    ("arithmetic", (Arithmetic,)),
    ("count", (HowMany,)),
    ("aggregate", (Total,)),
    ("group", (PerValue,)),
)


class Diagnoser:
    """Walks the faults of questions over one corpus; the tables of a context are kept until the next one comes."""

    def __init__(self, corpus: Corpus) -> None:
        self._simulator = Simulator(corpus)

    def diagnose(self, context: Context, item: Item) -> Diagnosis:
        tables = self._simulator.read(context)
        program = program_of(item.key)
        reading = Reading(program, tables)
        right = item.key.answer
        kept = kept_articles(program, tables)
        return Diagnosis(
            operators=_operators(program),
            sizes=_sizes(program, kept),
            steps=_steps(program, tables, kept, right),
            suspects=tuple(_suspects(reading, right, kept)),
            further=lambda: _two_missed(reading, right, kept),
        )


def _suspects(reading: Reading, right: Answer, kept: Sequence[int]) -> Iterator[FaultyAnswer]:
    needed = _needed(reading, kept)
    for fault in FAULTS.values():
        ways = list(fault.ways(reading))
        yield from _changing(fault.name, ways, right, needed)


def _changing(cause: str, ways: list[Way], right: Answer, needed: frozenset[int]) -> Iterator[FaultyAnswer]:
    """The ways that change the answer, each as likely as every way that there is."""
    for detail, broken in ways:
        # Missing what is not needed changes nothing, and most of what can be missed is not.
        if broken.missing and not broken.missing <= needed:
            continue
        answer = broken.answer()
        if not agrees(right, answer):
            yield FaultyAnswer(cause, detail, answer, 1 / len(ways))


def _needed(reading: Reading, kept: Sequence[int]) -> frozenset[int]:
    """The articles without which the answer may change: those that fit, and all where one bears on another."""
    if any(isinstance(node, RELATING) for node in nodes(reading.program)):
        return frozenset(row.number for row in reading.tables.articles)
    return frozenset(kept)


def _two_missed(reading: Reading, right: Answer, kept: Sequence[int]) -> Iterator[FaultyAnswer]:
    """Two articles missed at once, where there are few enough to try."""
    numbers = [row.number for row in reading.tables.articles]
    pairs = list(combinations(numbers, 2))
    if len(pairs) <= MOST_PAIRS:
        ways = [Way(f"articles {one} and {two}", replace(reading, missing=frozenset((one, two)))) for one, two in pairs]
        yield from _changing("miss-document", ways, right, _needed(reading, kept))


def _operators(program: Program) -> tuple[str, ...]:
    """What the program does; a negation is an operator here, and not the word in the question."""
    found = list(nodes(program))
    names = [name for name, kinds in _OPERATORS if any(isinstance(node, kinds) for node in found)]
    if any(isinstance(node, Compare | AtPosition) and node.sign == "<>" for node in found) and "not" not in names:
        names.insert(0, "not")
    if program.order:
        names.append("sort")
    if any(isinstance(node, Values) and node.distinct for node in found):
        names.append("distinct")
    return tuple(names) or ("list",)


def _sizes(program: Program, kept: Sequence[int]) -> dict[str, float]:
    length = sum(hasattr(node, "__match_args__") for node in nodes(program))
    return {"program length": float(length), "articles that fit": float(len(kept))}


def _steps(program: Program, tables: Tables, kept: Sequence[int], right: Answer) -> tuple[ReasoningStep, ...]:
    """The articles that fit, what is measured of each, and the result."""
    rows = [tables.articles[number - 1] for number in kept]
    found: list[ReasoningStep] = []
    if 0 < len(rows) <= MOST_STEPS and program.where is not None and not over_bylines(program):
        named = tuple((row.title, f"Article {row.number}") for row in rows)
        found.append(ReasoningStep("the articles that fit", named))
    measure = _measure(program)
    if measure is not None and 0 < len(rows) <= MOST_STEPS:
        try:
            values = tuple((f"{measured(measure, row):g}",) for row in rows)
        except ZeroDivisionError:
            values = ()
        if values:
            found.append(ReasoningStep("their values", values))
    if isinstance(right, Number):
        found.append(ReasoningStep("the result", ((f"{right.value:f}",),)))
    return tuple(found)


def _measure(program: Program) -> Field | Arithmetic | None:
    """What the result is made of; None where that is titles or names alone."""
    match program.output:
        case Total(_, measure) | Values(measure) | PerValue(_, Total(_, measure)):
            return measure
        case Titles() | Names() if program.order:
            return program.order[0].measure
        case _:
            return None
