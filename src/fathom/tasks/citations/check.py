"""Checks the candidates named in a response: one for a choice, four for a cloze."""

from __future__ import annotations

from collections.abc import Sequence

from fathom.records.judgments import Judgment
from fathom.records.questions import Response
from fathom.scoring.check import check_response
from fathom.scoring.keys import Key
from fathom.scoring.verdicts import Verdict


def check(key: Key, response: Response, text: str | None = None, judgments: Sequence[Judgment] = ()) -> Verdict:
    """Correct when every mask has its work; the score of a cloze is the share of correct masks."""
    return check_response(key, response)
