"""Findings of value checks: how many of the values that keys are computed from agree with the documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from fathom.analysis.findings import Estimate
from fathom.analysis.intervals import cluster_numbers, share
from fathom.records.documents import NonNegativeInt
from fathom.records.record import Record

CheckVerdict = Literal["correct", "incorrect", "unclear"]


@dataclass(frozen=True)
class CheckedValue:
    """A value, and the verdicts of the people who checked it."""

    stratum: str
    document: str
    first: CheckVerdict | None
    """None before it is checked."""
    second: CheckVerdict | None
    """None before a second review, which only a value that was not confirmed has."""

    @property
    def verdict(self) -> CheckVerdict | None:
        """The verdict that counts: the second review, if there is one; None if it is open."""
        return "correct" if self.first == "correct" else self.second


class CheckedGroup(Record):
    """The findings over the values of one stratum, or over all."""

    name: str
    values: NonNegativeInt
    correct: NonNegativeInt
    incorrect: NonNegativeInt
    unclear: NonNegativeInt
    """Neither correct nor incorrect: they are in no share."""
    open: NonNegativeInt
    """Not checked, or waiting for the second review."""
    reviewed: NonNegativeInt
    """Values that the first check did not confirm and another person has reviewed."""
    overruled: NonNegativeInt
    """The values among them that the second review confirmed."""
    accuracy: Estimate | None
    """The share of correct values among those that are correct or incorrect, with an interval clustered by document."""


class ValueCheckResults(Record):
    """All findings of value checks."""

    by: str
    groups: tuple[CheckedGroup, ...]
    """All values first, then the strata."""


def summarize_checks(values: Sequence[CheckedValue], by: str) -> ValueCheckResults:
    """The findings over all values, and over each stratum."""
    strata = sorted({value.stratum for value in values})
    groups = [
        _group("all", values),
        *(_group(name, [value for value in values if value.stratum == name]) for name in strata),
    ]
    return ValueCheckResults(by=by, groups=tuple(groups))


def _group(name: str, values: Sequence[CheckedValue]) -> CheckedGroup:
    verdicts = [value.verdict for value in values]
    decided = [value for value in values if value.verdict in ("correct", "incorrect")]
    reviewed = [value for value in values if value.second is not None]
    return CheckedGroup(
        name=name,
        values=len(values),
        correct=verdicts.count("correct"),
        incorrect=verdicts.count("incorrect"),
        unclear=verdicts.count("unclear"),
        open=verdicts.count(None),
        reviewed=len(reviewed),
        overruled=sum(value.verdict == "correct" for value in reviewed),
        accuracy=share(
            np.array([float(value.verdict == "correct") for value in decided]),
            cluster_numbers(value.document for value in decided),
        )
        if decided
        else None,
    )
