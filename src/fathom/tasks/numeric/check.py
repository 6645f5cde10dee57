"""Whether a response is right: its answer is read by type and compared by type."""

from __future__ import annotations

from fathom.records.questions import Response
from fathom.scoring.check import check_response
from fathom.scoring.keys import Key
from fathom.scoring.verdicts import Verdict


def check(key: Key, response: Response) -> Verdict:
    """Right when the response states the key's answer, in whatever words."""
    return check_response(key, response)
