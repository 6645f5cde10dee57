"""Checks a response: parses its answer and compares it with the key, by the answer's type."""

from __future__ import annotations

from collections.abc import Sequence

from fathom.records.judgments import Judgment
from fathom.records.questions import Response
from fathom.scoring.check import check_response
from fathom.scoring.keys import Key
from fathom.scoring.verdicts import Verdict


def check(key: Key, response: Response, text: str | None = None, judgments: Sequence[Judgment] = ()) -> Verdict:
    """Correct when the response states the key's answer, in any wording."""
    return check_response(key, response)
