"""The audit's own look at thresholds, cuts and divisors, on tables made to deceive it."""

from __future__ import annotations

from fathom.tasks.programs import tree
from fathom.tasks.programs.database import Database
from fathom.tasks.programs.schema import ColumnSpec
from fathom.tasks.tables.entity_table import make_database
from fathom.tasks.tables.guards import guards

SALES, COST = tree.Column("sales"), tree.Column("cost")
THRESHOLD, CUT = "no value is close to a threshold", "no two values are close at the cut"
DIVISORS, EVERY = "divisors are positive", "not every entity meets the condition"


def table(*rows: tuple[float | None, float | None]) -> Database:
    specs = [ColumnSpec("sales", "decimal", nullable=True), ColumnSpec("cost", "decimal", nullable=True)]
    return make_database("shops", specs, [(f"Shop {index}", *row) for index, row in enumerate(rows)])


def listing(condition: tree.Condition) -> tree.Program:
    return tree.Program(tree.Labels(), condition)


def test_a_value_close_to_a_threshold_is_noticed() -> None:
    above = listing(tree.Compare(SALES, ">", 100))
    assert guards(above, table((50, 1), (99, 1), (150, 1)))[THRESHOLD]
    assert not guards(above, table((50, 1), (99.8, 1), (150, 1)))[THRESHOLD]
    assert guards(above, table((50, 1), (None, 1), (150, 1)))[THRESHOLD]


def test_only_rows_that_the_other_conditions_admit_count() -> None:
    both = listing(tree.And(tree.Compare(SALES, ">", 100), tree.Compare(COST, "<", 5)))
    assert guards(both, table((100.1, 9), (150, 1), (20, 1)))[THRESHOLD]
    assert not guards(both, table((100.1, 1), (150, 9), (20, 1)))[THRESHOLD]


def test_two_measures_that_are_compared_must_differ() -> None:
    more = listing(tree.Compare(SALES, ">", COST))
    assert guards(more, table((10, 5), (5, 10)))[THRESHOLD]
    assert not guards(more, table((10, 5), (1000, 1001)))[THRESHOLD]


def test_the_margin_of_a_group_average_counts_within_the_group() -> None:
    group = tree.Compare(COST, ">", 5)
    above = tree.Arithmetic(SALES, "-", tree.PeerAggregate("AVG", SALES, among=group))
    program = listing(tree.And(group, tree.Compare(above, ">", 10)))
    assert guards(program, table((80, 9), (120, 9), (110, 1)))[THRESHOLD]
    assert not guards(program, table((90, 9), (110, 9), (150, 1)))[THRESHOLD]


def test_ties_at_the_cut_and_in_the_order_are_noticed() -> None:
    top = tree.Program(tree.Labels(), order=(tree.Sort(SALES, "DESC"),), top=2)
    assert guards(top, table((100, 1), (90, 1), (80, 1), (79.9, 1)))[CUT]
    assert not guards(top, table((100, 1), (90, 1), (89.9, 1), (50, 1)))[CUT]
    assert not guards(top, table((100, 1), (99.8, 1), (50, 1)))[CUT]


def test_divisors_and_conditions_that_everything_meets() -> None:
    ratio = tree.Arithmetic(SALES, "/", COST)
    program = listing(tree.Compare(ratio, ">", 3))
    assert guards(program, table((10, 1), (10, 5)))[DIVISORS]
    assert not guards(program, table((10, 1), (10, 0)))[DIVISORS]
    assert not guards(program, table((10, 1), (10, -1)))[DIVISORS]
    assert guards(program, table((10, 1), (10, 5)))[EVERY]
    assert not guards(program, table((10, 1), (10, 2)))[EVERY]
