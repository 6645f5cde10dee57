"""Summarizes a build of probes for the command line."""

from __future__ import annotations

from pydantic import JsonValue


def describe(report: dict[str, JsonValue]) -> list[str]:
    """The lines of the summary: probes of each kind, documents examined, and citations that meet each requirement."""
    built, documents, steps = report["built"], report["documents"], report["citations"]
    assert isinstance(built, dict) and isinstance(documents, dict) and isinstance(steps, dict)
    lines = ["  probes: " + ", ".join(f"{task} {count:,} of {report['requested']:,}" for task, count in built.items())]
    lines.append("  documents " + ", ".join(f"{what} {count:,}" for what, count in documents.items() if count))
    if any(steps.values()):
        lines.append("  citations " + ", ".join(f"{step} {count:,}" for step, count in steps.items()))
    return lines
