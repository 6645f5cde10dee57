"""Findings of an error coding: the categories of incorrect responses by run and tag, and the coders' agreement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fathom.analysis.agreement import LabelAgreement, label_agreement
from fathom.analysis.findings import Estimate
from fathom.analysis.intervals import cluster_numbers, share
from fathom.records.documents import NonNegativeInt
from fathom.records.questions import QuestionId
from fathom.records.record import Record

DISAGREEMENT = "(coders disagree)"
"""The row of cases to which coders gave different categories. Names of categories have no parentheses around them."""


@dataclass(frozen=True)
class CodedCase:
    """An incorrect response with the categories that coders gave it."""

    run: str
    question_id: QuestionId
    context: str
    stratum: str
    codes: Mapping[str, str]
    """By coder."""
    is_complete: bool
    """Whether every coder has coded it."""

    @property
    def category(self) -> str:
        """The category on which all coders agree."""
        categories = set(self.codes.values())
        return categories.pop() if len(categories) == 1 else DISAGREEMENT


class CodedGroup(Record):
    """The categories of the cases of one run and stratum; an empty name stands for all of them."""

    run: str
    stratum: str
    cases: NonNegativeInt
    """Coded by every coder."""
    counts: dict[str, NonNegativeInt]
    """Cases by category; the last row has those on which coders disagree."""
    shares: dict[str, Estimate]
    """Shares of the coded cases, with intervals clustered by context."""


class CodingResults(Record):
    """All findings of an error coding."""

    by: str
    cases: NonNegativeInt
    open: NonNegativeInt
    """Cases that some coder has not coded yet; they are in no table."""
    coders: dict[str, NonNegativeInt]
    """Coded cases by coder."""
    agreement: LabelAgreement | None
    """None with fewer than two coders, or before they have coded one case in common."""
    categories: dict[str, str]
    """Descriptions by name."""
    groups: tuple[CodedGroup, ...]
    """All cases first, then runs, strata, and both."""


def summarize_coding(cases: Sequence[CodedCase], categories: Mapping[str, str], by: str) -> CodingResults:
    """The findings over all cases that every coder has coded."""
    complete = [case for case in cases if case.is_complete]
    runs, strata = (sorted({getattr(case, name) for case in complete}) for name in ("run", "stratum"))
    keys = [("", ""), *((run, "") for run in runs), *(("", value) for value in strata)]
    keys += [(run, value) for run in runs for value in strata]
    # A run that fails nothing of a stratum has no group, rather than one of zeros.
    groups = [
        _group(run, value, [case for case in complete if _is_in(case, run, value)], categories) for run, value in keys
    ]
    shared = {(case.context, f"{case.run}/{case.question_id}"): case.codes for case in cases if len(case.codes) > 1}
    coders = sorted({coder for case in cases for coder in case.codes})
    return CodingResults(
        by=by,
        cases=len(cases),
        open=len(cases) - len(complete),
        coders={coder: sum(coder in case.codes for case in cases) for coder in coders},
        agreement=label_agreement("category", shared) if shared else None,
        categories=dict(categories),
        groups=tuple(group for group in groups if group.cases),
    )


def _is_in(case: CodedCase, run: str, stratum: str) -> bool:
    return run in ("", case.run) and stratum in ("", case.stratum)


def _group(run: str, stratum: str, cases: Sequence[CodedCase], categories: Mapping[str, str]) -> CodedGroup:
    names = [*categories, DISAGREEMENT]
    counts = {name: sum(case.category == name for case in cases) for name in names}
    contexts = cluster_numbers(case.context for case in cases)
    return CodedGroup(
        run=run,
        stratum=stratum,
        cases=len(cases),
        counts={name: count for name, count in counts.items() if count or name == DISAGREEMENT},
        shares={
            name: share(np.array([float(case.category == name) for case in cases]), contexts)
            for name, count in counts.items()
            if count
        },
    )
