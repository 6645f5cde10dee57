"""The family's part of the summary of `fathom build`."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import JsonValue


def describe(report: dict[str, JsonValue]) -> list[str]:
    """The keys' source, what was left out, and the shortcut baselines."""
    return list(_lines(report))


def _lines(report: dict[str, JsonValue]) -> Iterator[str]:
    if report.get("annotator"):
        yield f"  keys from: {report['annotator']}"
    left_out, built = report.get("documents left out"), report.get("built")
    assert isinstance(left_out, dict) and isinstance(built, dict)
    for reason, count in left_out.items():
        if count:
            yield f"  documents left out: {count:,} {reason}"
    for label, count in built.items():
        if "left out" in label:
            yield f"  {label}: {count:,}"
    free = report.get("texts in own words")
    if isinstance(free, dict) and free:
        counts = ", ".join(f"{name} {count:,}" for name, count in free.items())
        yield f"  texts in the annotators' own words, compared by their words alone: {counts}"
    yield from describe_baselines(report)


def describe_baselines(report: dict[str, JsonValue]) -> list[str]:
    """The shortcut baselines."""
    baselines = report.get("baselines")
    if not isinstance(baselines, dict) or not baselines:
        return []
    lines = ["  shortcut baselines (F1 unless named otherwise):"]
    for name, values in baselines.items():
        assert isinstance(values, dict)
        lines.append(f"    {name}: " + ", ".join(f"{label} {value:.3f}" for label, value in values.items()))
    return lines
