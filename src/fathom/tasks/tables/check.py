"""The verdict on a response: a typed comparison, and a judge's decision only where spellings of names leave it open."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

from fathom.records.judgments import Decision, Judgment
from fathom.records.questions import Response
from fathom.scoring.answer_types.compare import agrees
from fathom.scoring.answer_types.parse import parse_response
from fathom.scoring.answer_types.values import is_textual, items_of
from fathom.scoring.answers import Answer, Multiset, Number, Ranking, Text, ValueSet
from fathom.scoring.check import check_response
from fathom.scoring.judges import combined
from fathom.scoring.keys import Key
from fathom.scoring.parsing.normalization import letters
from fathom.scoring.shown_context import ShownContext
from fathom.scoring.verdicts import JUDGE_AGREES, Verdict
from fathom.tasks.tables.key_tables import unit_of
from fathom.tasks.tables.months import MONTH

ALIKE = 0.6
"""Minimum share of common letters of two spellings of one name."""

_RATIOS = ("%", "percentage points")


def check_answer(
    key: Key, response: Response, shown: ShownContext | None = None, judgments: Sequence[Judgment] = ()
) -> Verdict:
    """The typed verdict. If it leaves a spelling open, both decisions of a judge together can overturn it.

    Without a judge, the typed verdict is final. If a judge failed, the response is unjudged until it is asked again.
    """
    verdict = _check_typed_answer(key, response)
    if not judgments:
        return verdict
    verdict = verdict.model_copy(update={"judgments": tuple(judgments)})
    decision = combined(judgments, decide)[""]
    if decision == "unjudged":
        failed = {"outcome": "unjudged", "score": 0.0, "reason": "the judge gave no decision"}
        return verdict.model_copy(update=failed) if is_open(key, verdict, response) else verdict
    accepted = decision == "pass"
    if not is_open(key, verdict, response):
        measures = {**verdict.measures, JUDGE_AGREES: float(accepted == (verdict.outcome == "correct"))}
        return verdict.model_copy(update={"measures": measures})
    verdict = verdict.model_copy(update={"judged": {"": decision}})
    if accepted:
        return verdict.model_copy(update={"outcome": "correct", "score": 1.0, "reason": "accepted by the judge"})
    agreed = not any(judgment.outcome == "pass" for judgment in judgments)
    reason = "rejected by the judge" if agreed else "the judge's decisions differ, so the typed check counts"
    return verdict.model_copy(update={"outcome": "incorrect", "reason": reason})


def decide(judgments: Sequence[Judgment]) -> dict[str, Decision]:
    """One judge's decision: pass if it passes in both orders, unjudged if it gave no decision in one of them."""
    outcomes = {judgment.outcome for judgment in judgments}
    return {"": "unjudged" if "unjudged" in outcomes else "pass" if outcomes == {"pass"} else "fail"}


def _check_typed_answer(key: Key, response: Response) -> Verdict:
    verdict = check_response(key, response)
    answer, parsed = key.answer, verdict.parsed
    # The question asks for a percentage: its sign may be left out, as any other unit. A fraction is another number.
    if isinstance(answer, Number) and isinstance(parsed, Number) and answer.unit in _RATIOS and not parsed.unit:
        with_unit = parsed.model_copy(update={"unit": answer.unit})
        if agrees(answer, with_unit) and not _has_unit(response.text, answer):
            return verdict.model_copy(update={"outcome": "correct", "score": 1.0, "parsed": with_unit})
    return verdict


def _has_unit(text: str, answer: Number) -> bool:
    """Whether the number of a response has another unit, as in "12.34 USD"."""
    parsed = parse_response(text, answer.model_copy(update={"unit": "unit"}))
    return not isinstance(parsed, Number) or bool(parsed.unit)


def is_open(key: Key, verdict: Verdict, response: Response) -> bool:
    """Whether the typed check cannot decide: names are spelled differently, or are in free text."""
    # A month has no spellings that are open: another one is another month.
    if not is_textual(key.answer) or unit_of(key.answer) == MONTH:
        return False
    if response.outcome != "answered" or not response.text.strip():
        return False
    if verdict.outcome == "unparseable":
        return True
    if verdict.outcome == "correct" or verdict.parsed is None:
        return False
    expected, answered = _names(key.answer), _names(verdict.parsed)
    if len(expected) != len(answered):
        return False
    if isinstance(key.answer, Ranking):
        return all(_may_be(left, right) for left, right in zip(expected, answered, strict=True))
    unmatched = [name for name in expected if not any(_same_name(name, other) for other in answered)]
    extra = [other for other in answered if not any(_same_name(name, other) for name in expected)]
    return len(unmatched) == len(extra) and all(any(_may_be(left, right) for left in unmatched) for right in extra)


def _names(answer: Answer) -> list[Text]:
    match answer:
        case Text():
            return [answer]
        case ValueSet() | Multiset() | Ranking():
            return [item for item in items_of(answer) if isinstance(item, Text)]
        case _:
            return []


def _same_name(left: Text, right: Text) -> bool:
    return agrees(left, right)


def _may_be(left: Text, right: Text) -> bool:
    """Whether two names are the same, or look like two spellings of one name."""
    if _same_name(left, right):
        return True
    first, second = letters(left.value), letters(right.value)
    shorter, longer = sorted((first, second), key=len)
    initials = "".join(word[0] for word in longer.split())
    return shorter in longer or shorter == initials or SequenceMatcher(None, first, second).ratio() >= ALIKE
