"""The standard check of a response: parse the answer, compare it with the key, and give a verdict."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from fathom.records.judgments import Judgment
from fathom.records.questions import Response
from fathom.scoring.answer_types.compare import compare
from fathom.scoring.answer_types.parse import parse_response
from fathom.scoring.answers import Answer, Text
from fathom.scoring.keys import Key
from fathom.scoring.parsing.labels import stated_label
from fathom.scoring.shown_context import ShownContext
from fathom.scoring.verdicts import Outcome, Verdict


def check_response(
    key: Key, response: Response, shown: ShownContext | None = None, judgments: Sequence[Judgment] = ()
) -> Verdict:
    """The verdict on a response: the parsed answer, its outcome, its score and its measures.

    A response that was truncated counts only if it boxed an answer before the cut.
    """
    if response.outcome == "error":
        return _verdict(response, "error", reason=response.error or "")
    if response.outcome == "overflow":
        return _verdict(response, "overflow", reason="the question did not fit the model's window")
    if response.outcome == "refused":
        return _verdict(response, "refused", reason="the model declined to answer")
    truncated = response.outcome == "truncated"
    parsed = parse_response(response.text, key.answer, truncated=truncated)
    if parsed is None:
        return _verdict(
            response, "unparseable", reason="truncated before an answer" if truncated else "no answer could be parsed"
        )
    score, measures = compare(key.answer, parsed)
    return _verdict(response, "correct" if score >= 1.0 else "incorrect", score, parsed, measures=measures)


def check_label(key: Key, response: Response, labels: Collection[str]) -> Verdict:
    """The verdict on a response that gives one of a few labels, perhaps in a sentence."""
    verdict = check_response(key, response)
    if not isinstance(verdict.parsed, Text):
        return verdict
    label = stated_label(verdict.parsed.value, labels)
    if label is None:
        return _verdict(response, "unparseable", reason=f"the response names none of {', '.join(labels)}")
    score, measures = compare(key.answer, Text(value=label))
    return _verdict(response, "correct" if score >= 1.0 else "incorrect", score, Text(value=label), measures=measures)


def _verdict(
    response: Response,
    outcome: Outcome,
    score: float = 0.0,
    parsed: Answer | None = None,
    reason: str = "",
    measures: dict[str, float] | None = None,
) -> Verdict:
    # Not validated: every value comes from a validated record, and validation would search a set for repeats again.
    return Verdict.trusted(
        question_id=response.question_id,
        sample=response.sample,
        outcome=outcome,
        score=score,
        parsed=parsed,
        reason=reason,
        measures=measures or {},
        values={},
        parts=(),
        judgments=(),
        judged={},
        reasoning=None,
    )
