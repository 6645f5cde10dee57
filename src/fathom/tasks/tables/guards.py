"""Guards against ambiguous answers: a value at a threshold, a tie at a cut, a divisor that is not positive.

The audit computes this from the program and the table of a key, without the code that draws questions.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from fathom.tasks.programs import tree
from fathom.tasks.programs.database import Database
from fathom.tasks.programs.evaluate import View

CLOSE = 0.004
"""Values that differ by less than this share of the larger one are close: figures with three digits may be equal."""


def guards(program: tree.Program, database: Database) -> dict[str, bool]:
    """Whether the program's answer over the table passes each guard that applies."""
    view = database.evaluation.view(database.schema.main)
    tests = dict.fromkeys(node for node in tree.nodes(program) if isinstance(node, tree.Compare))
    divisors = [node.right for node in tree.nodes(program) if isinstance(node, tree.Arithmetic) and node.sign == "/"]
    passed = {}
    if tests:
        conjuncts = _conjuncts(program.where)
        passed["no value is close to a threshold"] = not any(_has_close(view, test, conjuncts) for test in tests)
    if isinstance(program.top, int):
        passed["no two values are close at the cut"] = not _has_tie(view, program)
    if divisors:
        passed["divisors are positive"] = all(
            value > 0 for divisor in divisors for value in _known_values(view, divisor)
        )
    if program.where is not None and isinstance(program.output, tree.Labels):
        passed["not every entity meets the condition"] = view.mask(program.where) != view.mask(None)
    return passed


def _conjuncts(condition: tree.Condition | None) -> list[tree.Condition]:
    if isinstance(condition, tree.And):
        return [*_conjuncts(condition.left), *_conjuncts(condition.right)]
    return [] if condition is None else [condition]


def _has_close(view: View, test: tree.Compare, conjuncts: Sequence[tree.Condition]) -> bool:
    """Whether a row that the other conditions admit is close to the threshold of this one."""
    admitted = view.mask(None)
    if test in conjuncts:
        for other in conjuncts:
            admitted &= view.mask(None) if other == test else view.mask(other)
    assert not isinstance(test.value, str | tree.Slot)
    sides = zip(view.values(test.measure), view.values(test.value), strict=True)
    return any(
        admitted >> row & 1 and left is not None and right is not None and _are_close(left, right)
        for row, (left, right) in enumerate(sides)
    )


def _has_tie(view: View, program: tree.Program) -> bool:
    sort = program.order[0]
    values = sorted(_known_values(view, sort.measure), reverse=sort.direction == "DESC")
    assert isinstance(program.top, int)
    return any(_are_close(*pair) for pair in pairwise(values[: program.top + 1]))


def _known_values(view: View, measure: tree.Measure | tree.Result | int | float) -> list[float]:
    assert not isinstance(measure, tree.Result)
    return [float(value) for value in view.values(measure) if value is not None]


def _are_close(left: float, right: float) -> bool:
    return abs(left - right) <= CLOSE * max(abs(left), abs(right))
