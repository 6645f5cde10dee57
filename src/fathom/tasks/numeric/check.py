"""Whether a response is right: its answer is read by type and compared by type."""

from __future__ import annotations

from fathom.records.questions import Response
from fathom.scoring.checking import judge
from fathom.scoring.keys import Key
from fathom.scoring.verdicts import Verdict


def check(key: Key, response: Response) -> Verdict:
    """Right when the response states the key's answer, in whatever words."""
    return judge(key, response)
