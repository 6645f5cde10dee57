"""The pattern of each response that is not correct: how it failed, or how its answer differs from the key."""

from __future__ import annotations

from fathom.analysis.loading import ScoredResponse
from fathom.scoring.answer_types.differences import DIFFERENCES, difference
from fathom.scoring.answers import Answer

PATTERNS = {
    "refused": "the model declined to answer",
    "empty": "nothing but white space",
    "truncated": "the response ends before the answer",
    "unparseable": "no answer could be parsed",
    **DIFFERENCES,
    "other": "incorrect in another way",
}
"""Every pattern with a description, in the order in which they are tested."""


def pattern(key: Answer, response: ScoredResponse) -> str | None:
    """The pattern of a response; None if it is correct or missing."""
    if response.outcome in ("correct", "error", "overflow", "unanswered", "unjudged"):
        return None
    if response.outcome == "refused":
        return "refused"
    if response.outcome == "unparseable":
        return "truncated" if response.received == "truncated" else "unparseable" if response.text.strip() else "empty"
    if response.parsed is None:
        return "other"
    return difference(key, response.parsed)
