"""What was made of the probes that were asked for, in words."""

from __future__ import annotations

from pydantic import JsonValue


def describe(report: dict[str, JsonValue]) -> list[str]:
    """How many probes of each task, and what could not be probed."""
    made, documents, steps = report["made"], report["articles"], report["citations"]
    assert isinstance(made, dict) and isinstance(documents, dict) and isinstance(steps, dict)
    lines = ["  probes: " + ", ".join(f"{task} {count:,} of {report['asked']:,}" for task, count in made.items())]
    lines.append("  articles " + ", ".join(f"{what} {count:,}" for what, count in documents.items() if count))
    if any(steps.values()):
        lines.append("  citations " + ", ".join(f"{step} {count:,}" for step, count in steps.items()))
    return lines
