"""A model's check of citation types: finds citations that the model classifies differently from the rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import get_args

from fathom.records.documents import Count
from fathom.records.questions import Response
from fathom.records.record import Record
from fathom.scoring.answers import Text
from fathom.scoring.check import check_response
from fathom.scoring.keys import Key
from fathom.scoring.verdicts import Verdict
from fathom.tasks.citations.type_rule import CitationType


class TypeChecks(Record):
    """How a model's classification of a corpus's citations compares with the rule; each citation counts once."""

    model: str
    disputed: dict[str, CitationType | None] = {}
    """Citations whose type the model disputes, by document and span, with its answer; they are not asked about."""
    agree: Count = 0
    disagree: Count = 0
    unclear: Count = 0
    """Citations for which the response named neither type."""
    without: Count = 0
    """Citations without a response, for which only the rule counts."""

    @property
    def citations(self) -> int:
        return self.agree + self.disagree + self.unclear + self.without


def read_type_checks(model: str, answered: Iterable[tuple[Key, Response | None]]) -> TypeChecks:
    """The checks of a model from its answers to the questions of `citation_types`."""
    disputed: dict[str, CitationType | None] = {}
    outcomes: Counter[str] = Counter()
    for key, response in answered:
        if response is None or response.outcome in ("error", "overflow"):
            outcomes["without"] += 1
            continue
        verdict = check_response(key, response)
        if verdict.outcome == "correct":
            outcomes["agree"] += 1
            continue
        [[document, place, _]] = key.proof.rows
        answer = disputed[f"{document} {place}"] = _citation_type(verdict)
        outcomes["unclear" if answer is None else "disagree"] += 1
    return TypeChecks.model_validate({"model": model, "disputed": disputed, **outcomes})


def _citation_type(verdict: Verdict) -> CitationType | None:
    """The type that the model named; None if it named neither."""
    answer = verdict.parsed.value if isinstance(verdict.parsed, Text) else ""
    known: tuple[CitationType, ...] = get_args(CitationType)
    return next((name for name in known if name == answer.strip().lower()), None)
