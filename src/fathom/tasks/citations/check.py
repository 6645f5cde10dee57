"""Whether a response names the right candidates: by number for a choice, by the share of four for a cloze."""

from __future__ import annotations

from collections.abc import Sequence

from fathom.records.judgments import Judgment
from fathom.records.questions import Response
from fathom.scoring.check import check_response
from fathom.scoring.keys import Key
from fathom.scoring.verdicts import Verdict


def check(key: Key, response: Response, text: str | None = None, judgments: Sequence[Judgment] = ()) -> Verdict:
    """Right when every mask has its own work; a cloze scores the share of masks that have."""
    return check_response(key, response)
