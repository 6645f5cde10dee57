"""Combines the judgments of several prompts and several judges into decisions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from fathom.records.judgments import Decision, Judgment

Decide = Callable[[Sequence[Judgment]], Mapping[str, Decision]]
"""The decision of one judge on each part of a response, from its judgments on that response."""


def majority(decisions: Iterable[Decision]) -> Decision:
    """The decision of more than half of those that were made; `unjudged` if there is none."""
    decided = [decision for decision in decisions if decision != "unjudged"]
    passed = decided.count("pass")
    if 2 * passed == len(decided):
        return "unjudged"
    return "pass" if 2 * passed > len(decided) else "fail"


def each_part(judgments: Sequence[Judgment]) -> dict[str, Decision]:
    """The decisions of a judge that is asked once about each part."""
    return {judgment.part: judgment.outcome for judgment in judgments}


def by_judge(judgments: Iterable[Judgment], decide: Decide) -> dict[str, Mapping[str, Decision]]:
    """The decisions of each judge."""
    groups: dict[str, list[Judgment]] = defaultdict(list)
    for judgment in judgments:
        groups[judgment.judge].append(judgment)
    return {judge: decide(group) for judge, group in groups.items()}


def combined(judgments: Iterable[Judgment], decide: Decide) -> dict[str, Decision]:
    """The decision of a majority of the judges on each part."""
    parts: dict[str, list[Decision]] = defaultdict(list)
    for decisions in by_judge(judgments, decide).values():
        for part, decision in decisions.items():
            parts[part].append(decision)
    return {part: majority(decisions) for part, decisions in parts.items()}
