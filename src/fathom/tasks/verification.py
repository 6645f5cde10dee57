"""Audits items before they are written: no command writes a bench that its own audit rejects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from fathom.corpus.store import Corpus
from fathom.records.contexts import Context
from fathom.records.errors import FathomError
from fathom.tasks.catalog import family
from fathom.tasks.family import Auditor, Item

AUDIT_SEED = 0
"""The seed of the audit; `fathom audit` uses the same by default."""

REPLACEMENTS = 3
"""How many times items that fail are replaced."""

Replace = Callable[[Sequence[Item], Sequence[Item]], Sequence[Item]]
"""From items that failed and those that passed: others in place of the former."""


@dataclass(frozen=True)
class VerifiedItems:
    """A context with the items that passed their audit. Only a `Verifier` makes one, and only this can be written."""

    context: Context
    items: list[Item]
    dropped: Mapping[str, int] = field(default_factory=dict)
    """Items that failed, by the first check that they failed."""


class Verifier:
    """Audits the items of one bench, context by context."""

    def __init__(self, corpus: Corpus) -> None:
        self._auditor = cache(lambda name: family(name).audit(corpus, AUDIT_SEED, measured=False))
        self._used: dict[str, Auditor] = {}
        self._failed: Counter[str] = Counter()

    def verify(
        self, context: Context, items: Sequence[Item], replace: Replace = lambda failed, passed: ()
    ) -> VerifiedItems:
        """The items that pass all checks, and replacements for those that do not, if there are any."""
        passed: list[Item] = []
        dropped: Counter[str] = Counter()
        for _ in range(1 + REPLACEMENTS):
            failures = self._failures(context, items)
            dropped.update(checks[0] for checks in failures.values())
            passed += [item for item in items if item.question.id not in failures]
            failed = [item for item in items if item.question.id in failures]
            items = replace(failed, passed) if failed else ()
            if not items:
                break
        return VerifiedItems(context, passed, dropped)

    def _failures(self, context: Context, items: Sequence[Item]) -> dict[str, Sequence[str]]:
        """The failed checks by question."""
        failures: dict[str, Sequence[str]] = {}
        for name in dict.fromkeys(item.question.family for item in items):
            auditor = self._used[name] = self._auditor(name)
            failures |= auditor.check(context, [item for item in items if item.question.family == name])
        self._failed.update(check for checks in failures.values() for check in set(checks))
        return failures

    def refuse_failed_bench(self) -> None:
        """Raise an error if the bench as a whole fails a check: dropping items does not help."""
        for name, auditor in self._used.items():
            for check in auditor.results():
                if check.failed and not self._failed[check.name]:
                    raise FathomError(
                        f"The questions of the family '{name}' fail the check '{check.name}' "
                        f"({check.failed:,} of {check.checked:,}). Build with other settings or documents."
                    )
