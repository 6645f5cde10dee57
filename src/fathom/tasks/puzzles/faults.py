"""The faults of simulated models, and the incorrect answers that single faults lead to."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from fathom.records.documents import Fact
from fathom.scoring.answers import Answer
from fathom.tasks.family import Fault, FaultyAnswer
from fathom.tasks.puzzles.evaluate import EvaluatedProgram, FactBase, needed_facts, result, same_key
from fathom.tasks.puzzles.puzzle import DECIMALS, PuzzleSource, same_value, typed_answer
from fathom.tasks.puzzles.tree import DATE, Choose, Compute, Node, Override, Pick, Value, replaced, subnodes

FAULTS = (
    Fault("outdated", "uses a value that the document corrects later", "reading"),
    Fault("gross", "does not deduct what has to be deducted", "computing"),
    Fault("exception", "applies the general rule where an exception or amendment applies", "reading"),
    Fault("opposite", "takes the smallest instead of the largest, or the reverse", "computing"),
    Fault("branch", "follows the other branch of a condition", "computing"),
    Fault("unshifted", "takes a date without the days that have to be added", "computing"),
    Fault("estimate", "gives a round number instead of the derived one", "computing"),
    Fault("guess", "gives the correct answer without any reasoning", "computing", diagnosed=False),
    Fault("wrong-way", "gives the correct answer after a wrong intermediate value", "computing", diagnosed=False),
    Fault("contradict", "computes another result than the correct answer that it gives", "computing", diagnosed=False),
    Fault(
        "copy",
        "lists the values of the checklist without any words, and the correct answer",
        "computing",
        diagnosed=False,
    ),
    Fault("right-way", "reaches the checklist and gives an incorrect answer", "computing", diagnosed=False),
    Fault("miss", "leaves an item of the checklist out and gives the correct answer", "finding", diagnosed=False),
)


def faulty_answers(source: PuzzleSource, program: Node) -> Iterator[FaultyAnswer]:
    """The incorrect answers that single faults lead to."""
    facts = source.document.facts
    correct = result(program, facts)
    assert correct is not None
    decimals = DECIMALS if correct.number is not None and correct.number % 1 else None
    for cause, detail, value in (
        *_outdated_answers(program, facts),
        *_changed_programs(program, facts),
        *_estimates(correct),
    ):
        if value is not None and not same_value(value, correct):
            yield FaultyAnswer(cause, detail, _rounded_answer(value, decimals, source), 1.0)


def _rounded_answer(value: Value, decimals: int | None, source: PuzzleSource) -> Answer:
    rounded = decimals or (DECIMALS if value.number is not None and value.number % 1 else None)
    return typed_answer(value, rounded, source)


def _outdated_answers(program: Node, facts: tuple[Fact, ...]) -> Iterator[tuple[str, str, Value | None]]:
    """The answer without each correction that the program needs."""
    evaluation = EvaluatedProgram(FactBase(facts))
    evaluation.value(program)
    for fact in needed_facts(evaluation.steps):
        if fact.status == "restated":
            remaining = [other for other in facts if not (same_key(other, fact) and other.status == "restated")]
            yield "outdated", f"{fact.attribute} of {fact.entity}", result(program, remaining)


def _estimates(correct: Value) -> Iterator[tuple[str, str, Value | None]]:
    """The answer with one and with two significant digits; a date has none."""
    if correct.number is None or correct.unit in (DATE, "year"):
        return
    for digits in (1, 2):
        step = Decimal(1).scaleb(correct.number.adjusted() + 1 - digits)
        rounded = (correct.number / step).to_integral_value() * step
        yield "estimate", f"{digits} digits", correct.model_copy(update={"number": rounded})


def _changed_programs(program: Node, facts: tuple[Fact, ...]) -> Iterator[tuple[str, str, Value | None]]:
    """The answers of programs in which one node is replaced."""
    for node in dict.fromkeys(subnodes(program)):
        for cause, other in _replacements(node):
            yield cause, node.op, result(replaced(program, node, other), facts)


def _replacements(node: Node) -> Iterator[tuple[str, Node]]:
    match node:
        case Compute(sign="less %"):
            yield "gross", node.left
        case Compute(sign="days later"):
            yield "unshifted", node.left
        case Override():
            yield "exception", node.general
        case Pick():
            other = "smallest" if node.which == "largest" else "largest"
            yield "opposite", node.model_copy(update={"which": other})
        case Choose():
            yield "branch", node.model_copy(update={"then": node.otherwise, "otherwise": node.then})
        case _:
            return
