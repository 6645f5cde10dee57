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
    for what, count in built.items():
        if "left out" in what:
            yield f"  {what}: {count:,}"
    free = report.get("texts in own words")
    if isinstance(free, dict) and free:
        listed = ", ".join(f"{name} {count:,}" for name, count in free.items())
        yield f"  texts in the annotators' own words, compared by their words alone: {listed}"
    yield from describe_baselines(report)


def describe_baselines(report: dict[str, JsonValue]) -> list[str]:
    """The shortcut baselines."""
    baselines = report.get("baselines")
    if not isinstance(baselines, dict) or not baselines:
        return []
    lines = ["  shortcut baselines (F1 unless named otherwise):"]
    for name, measured in baselines.items():
        assert isinstance(measured, dict)
        lines.append(f"    {name}: " + ", ".join(f"{what} {value:.3f}" for what, value in measured.items()))
    return lines
