"""Collects the checks of an audit: how often each was made, and which questions failed it."""

from __future__ import annotations

from collections import Counter, defaultdict

from fathom.records.questions import Response
from fathom.scoring.answer_types.variants import accepted_forms, near_misses
from fathom.tasks.family import AuditCheck, Check, Item


class AuditChecks:
    """The checks of one audit by name, in the order of their first use."""

    def __init__(self) -> None:
        self._checked: Counter[str] = Counter()
        self._failures: dict[str, list[str]] = defaultdict(list)

    def check(self, name: str, item: Item, passed: bool) -> None:
        """Record the result of one check of one item."""
        self._checked[name] += 1
        if not passed:
            self._failures[name].append(item.question.id)

    def check_responses(self, item: Item, check: Check) -> None:
        """Check that correct responses are accepted in every form, and that near misses are rejected."""
        for name, responses, correct in (
            ("correct answers are accepted", accepted_forms(item.key.answer), True),
            ("near misses are rejected", near_misses(item.key.answer), False),
        ):
            for text in responses:
                response = Response(question_id=item.question.id, outcome="answered", text=text)
                self.check(name, item, (check(item.key, response).outcome == "correct") == correct)

    def results(self) -> list[AuditCheck]:
        """Every check with its counts and the ids of the first ten questions that failed it."""
        return [
            AuditCheck(
                name=name,
                checked=checked,
                failed=len(self._failures[name]),
                failures=tuple(dict.fromkeys(self._failures[name]))[:10],
            )
            for name, checked in self._checked.items()
        ]
