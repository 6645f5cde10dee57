"""The rules of an audit as they are looked at: how often each was, and which questions broke it."""

from __future__ import annotations

from collections import Counter, defaultdict

from fathom.records.questions import Response
from fathom.scoring.answer_types.variants import accepted_forms, near_misses
from fathom.tasks.family import AuditCheck, Check, Item


class Rules:
    """Counts looks and faults, rule by rule, in the order in which rules first came up."""

    def __init__(self) -> None:
        self._looked: Counter[str] = Counter()
        self._faults: dict[str, list[str]] = defaultdict(list)

    def look(self, rule: str, item: Item, holds: bool) -> None:
        """One look at one rule."""
        self._looked[rule] += 1
        if not holds:
            self._faults[rule].append(item.question.id)

    def response(self, item: Item, check: Check) -> None:
        """Answer as models do, rightly and nearly so, and see that the check tells which is which."""
        for rule, responses, wanted in (
            ("right answers are taken", accepted_forms(item.key.answer), True),
            ("near misses are refused", near_misses(item.key.answer), False),
        ):
            for text in responses:
                response = Response(question_id=item.question.id, outcome="answered", text=text)
                self.look(rule, item, (check(item.key, response).outcome == "correct") == wanted)

    def checked(self) -> list[AuditCheck]:
        """Every rule with what was found."""
        return [
            AuditCheck(
                name=rule,
                checked=looked,
                failed=len(self._faults[rule]),
                failures=tuple(dict.fromkeys(self._faults[rule]))[:10],
            )
            for rule, looked in self._looked.items()
        ]
