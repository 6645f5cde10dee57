"""The results of checks of a system."""

from __future__ import annotations

from typing import Literal

from fathom.records.record import Record


class CheckResult(Record):
    """One check of a system. A note is not a failure."""

    result: Literal["passed", "failed", "note"]
    sentence: str


def passed(sentence: str) -> CheckResult:
    return CheckResult(result="passed", sentence=sentence)


def failed(sentence: str) -> CheckResult:
    return CheckResult(result="failed", sentence=sentence)


def note(sentence: str) -> CheckResult:
    return CheckResult(result="note", sentence=sentence)
