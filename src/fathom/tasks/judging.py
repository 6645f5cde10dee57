"""What the judges of several families share: which responses are judged as a test of the judge, and how a decision is
read."""

from __future__ import annotations

import re
from collections.abc import Callable
from hashlib import sha256

from fathom.tasks.family import Ruling

SAMPLED_ONE_IN = 5
"""One of this many responses that need no judge is judged as well, to measure how far the judge can be trusted."""
MAX_REASON = 500
"""Characters of the reason that are kept."""


def is_sampled(question: str) -> bool:
    """Whether responses to the question are judged even if the check decides them."""
    return sha256(question.encode()).digest()[0] % SAMPLED_ONE_IN == 0


def decision_parser(passed: str, failed: str) -> Callable[[str], Ruling]:
    """A parser of a judge's output: the last line that is one of two words decides; the text before is the reason."""
    decision = re.compile(rf"^[\s*_`#>]*(?:decision:\s*)?({passed}|{failed})[\s*_`.]*$", re.MULTILINE)

    def parse(text: str) -> Ruling:
        decisions = list(decision.finditer(text))
        if not decisions:
            return Ruling("unjudged")
        reason = " ".join(text[: decisions[-1].start()].split())[:MAX_REASON]
        return Ruling("pass" if decisions[-1][1] == passed else "fail", reason=reason)

    return parse
