"""Whether a reply names the right candidates: by number for a choice, by the share of four for a cloze."""

from __future__ import annotations

from fathom.records.questions import Reply
from fathom.scoring.checking import judge
from fathom.scoring.keys import Key
from fathom.scoring.verdicts import Verdict


def check(key: Key, reply: Reply) -> Verdict:
    """Right when every mask has its own work; a cloze scores the share of masks that have."""
    return judge(key, reply)
