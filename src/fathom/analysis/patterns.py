"""The pattern of each response that is not correct: how it failed, or how its answer differs from the key."""

from __future__ import annotations

from fathom.analysis.reading import Heard
from fathom.scoring.answer_types.differences import DIFFERENCES, difference
from fathom.scoring.answers import Answer

PATTERNS = {
    "refused": "the model declined to answer",
    "empty": "nothing but white space",
    "truncated": "truncated before the answer",
    "unparseable": "no answer could be parsed",
    **DIFFERENCES,
    "other": "incorrect in another way",
}
"""Every pattern with a description, in the order in which they are tested."""


def pattern(key: Answer, heard: Heard) -> str | None:
    """The pattern of a response; None if it is correct or missing."""
    if heard.outcome in ("correct", "error", "overflow", "unanswered"):
        return None
    if heard.outcome == "refused":
        return "refused"
    if heard.outcome == "unparseable":
        return "truncated" if heard.cut else "unparseable" if heard.text.strip() else "empty"
    if heard.read is None:
        return "other"
    return difference(key, heard.read)
