"""Counts the contents of a bench while it is written: questions by tag, missing questions, overlap of splits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from pydantic import JsonValue

from fathom.records.contexts import Context
from fathom.records.tag_values import value_order
from fathom.tasks.bench import BenchManifest
from fathom.tasks.catalog import builds_per_context, family, per_context, settings_of, values_of
from fathom.tasks.family import FamilySettings, Item


class BenchCounts:
    """Counts of a bench, taken while it is written."""

    def __init__(self, settings: Mapping[str, FamilySettings]) -> None:
        self._settings = settings
        self._per_context = tuple(filter(builds_per_context, settings))
        self._ungrouped = {tag.name for name in settings for tag in family(name).tags if not tag.grouped}
        self.contexts = self.questions = 0
        self._missing: Counter[str] = Counter()
        self._by: dict[str, Counter[str]] = {}
        self._splits: dict[str, dict[str, set[str]]] = {}

    @classmethod
    def of(cls, manifest: BenchManifest, families: Sequence[str] | None = None) -> BenchCounts:
        """Empty counts for a bench with these families and the manifest's settings."""
        names = manifest.families if families is None else families
        return cls({name: settings_of(name, manifest.settings[name]) for name in names})

    def add(self, context: Context, items: list[Item]) -> None:
        self.contexts += bool(items)  # one without a question is not asked about, and intervals are over contexts
        if all(item.question.family in self._per_context for item in items):
            for name in self._per_context:
                built = sum(item.question.family == name for item in items)
                self._missing.update(per_context(name).shortfall(self._settings[name], built))
        for item in items:
            self.questions += 1
            self._count(item)
            self._compare(context, item)

    def _count(self, item: Item) -> None:
        question = item.question
        groups = {"family": question.family, "split": question.split, "answer": item.key.answer.type} | question.tags
        for name, value in groups.items():
            if name not in self._ungrouped:
                self._by.setdefault(name, Counter())[value] += 1

    def _compare(self, context: Context, item: Item) -> None:
        identities = self._splits.setdefault(item.question.split, {"contexts": set(), "documents": set()})
        identities["contexts"].add(context.id)
        identities["documents"].update(context.documents)
        for kind, identity in family(item.question.family).leaks(item).items():
            identities.setdefault(kind, set()).add(identity)

    def _missing_in_all(self) -> Counter[str]:
        """Requested questions that are missing from the bench as a whole."""
        missing: Counter[str] = Counter()
        for name in self._per_context:
            allotment = per_context(name).allotment
            if allotment is not None:
                missing.update(allotment.missing(self._settings[name], self._by))
        return missing

    def fields(self) -> dict[str, Any]:
        """The fields of the manifest that these counts fill."""
        return {
            "contexts": self.contexts,
            "questions": self.questions,
            "counts": {name: self._order_values(name, values) for name, values in sorted(self._by.items())},
            "missing": dict(sorted((self._missing + self._missing_in_all()).items())),
            "leaks": self._leaks(),
        }

    def _order_values(self, tag: str, values: Counter[str]) -> dict[str, int]:
        declared = values_of(self._settings, tag)
        return {value: values[value] for value in sorted(values, key=lambda value: value_order(value, declared))}

    def _leaks(self) -> dict[str, JsonValue]:
        """For each pair of splits, the number of contexts, documents and other things of each kind in both."""
        none: set[str] = set()
        kinds = sorted({kind for identities in self._splits.values() for kind in identities})
        return {
            f"{first}/{second}": {
                kind: len(self._splits[first].get(kind, none) & self._splits[second].get(kind, none)) for kind in kinds
            }
            for first, second in combinations(sorted(self._splits), 2)
        }
