"""The family's part of the summary of `fathom build`, and the explanation of a key."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import JsonValue

from fathom.scoring.keys import Key
from fathom.tasks.puzzles.checklist import checklist_of, conclusions_of, last_step
from fathom.tasks.puzzles.solution import stated_answer
from fathom.tasks.puzzles.wording import written_value


def describe(report: dict[str, JsonValue]) -> list[str]:
    """What was left out, and the shortcut baselines."""
    return [*_left_out(report), *describe_baselines(report)]


def _left_out(report: dict[str, JsonValue]) -> Iterator[str]:
    documents, rejected = report.get("documents"), report.get("programs rejected")
    assert isinstance(documents, dict) and isinstance(rejected, dict)
    for reason, count in documents.items():
        yield f"  documents {reason}: {count:,}"
    if rejected:
        yield "  programs rejected: " + ", ".join(f"{reason} {count:,}" for reason, count in rejected.items())


def describe_baselines(report: dict[str, JsonValue]) -> list[str]:
    """The shortcut baselines."""
    baselines = report.get("baselines")
    if not isinstance(baselines, dict) or not baselines:
        return []
    lines = ["  shortcut baselines (correct answers; with the checklist):"]
    for name, shares in baselines.items():
        assert isinstance(shares, dict)
        lines.append(f"    {name}: {shares['answer']:.1%}; {shares['process']:.1%}")
    return lines


def explain(key: Key) -> list[str]:
    """The reasoning chain of a key."""
    if conclusions := conclusions_of(key):
        lines = [f"{number}. {conclusion}" for number, conclusion in enumerate(conclusions, start=1)]
        return [*lines, f"Answer: {stated_answer(key)}"]
    lines = [
        f"{number}. {item.name}: {written_value(item.value, 'en')} ({item.operation})"
        for number, item in enumerate(checklist_of(key), start=1)
    ]
    last = last_step(key)
    return [*lines, f"Answer: {last.name}: {written_value(last.value, 'en')} ({last.operation})"] if last else lines
