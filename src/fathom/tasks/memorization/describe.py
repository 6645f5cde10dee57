"""The summary of a build of probes."""

from __future__ import annotations

from pydantic import JsonValue


def describe(report: dict[str, JsonValue]) -> list[str]:
    """The probes of each kind, and what could not be probed."""
    built, documents, steps = report["built"], report["documents"], report["citations"]
    assert isinstance(built, dict) and isinstance(documents, dict) and isinstance(steps, dict)
    lines = ["  probes: " + ", ".join(f"{task} {count:,} of {report['requested']:,}" for task, count in built.items())]
    lines.append("  documents " + ", ".join(f"{what} {count:,}" for what, count in documents.items() if count))
    if any(steps.values()):
        lines.append("  citations " + ", ".join(f"{step} {count:,}" for step, count in steps.items()))
    return lines
