"""Columns that stand in several tables, each group with its values."""

from __future__ import annotations

from fathom.analysis.findings import Counts, Estimate, RunFinding
from fathom.report.figures import Column, Value
from fathom.report.standing import came

INTERVAL = (Column("accuracy", "Accuracy", "share"), Column("low", "from", "share"), Column("high", "to", "share"))
RIGHT = (*INTERVAL, Column("questions", "Questions", "count"), Column("contexts", "Contexts", "count"))
"""How an estimate stands in a table."""

ASKED = (
    Column("asked", "Questions asked", "count"),
    Column("not_asked", "Left out", "count"),
    Column("responses", "Responses wanted", "count"),
    Column("came", "Came", "count"),
)

FIVE = (
    Column("built", "Built", "count"),
    Column("fitted", "Fitted", "count"),
    Column("errors", "Errors", "count"),
    Column("refused", "Refused", "count"),
    Column("retired", "Retired", "count"),
)
"""The counts that stand beside every score."""


def interval_of(one: Estimate) -> tuple[Value, ...]:
    return one.value, one.low, one.high


def estimate(one: Estimate) -> tuple[Value, ...]:
    return *interval_of(one), one.items, one.clusters


def asked_of(run: RunFinding) -> tuple[Value, ...]:
    outcomes = run.all.outcomes
    return outcomes.questions, run.not_asked, outcomes.responses, came(run)


def five(counts: Counts) -> tuple[Value, ...]:
    return counts.built, counts.fitted, counts.errors, counts.refused, counts.retired
