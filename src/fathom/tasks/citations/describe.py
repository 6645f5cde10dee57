"""What came of a corpus's citations, in a few lines for people."""

from __future__ import annotations

from typing import Any, cast

from pydantic import JsonValue


def describe(report: dict[str, JsonValue]) -> list[str]:
    """How many citations were left after each step, and what was made at each level, with its floors."""
    known = cast(dict[str, Any], report)
    steps = ", ".join(f"{step} {count:,}" for step, count in known["citations"].items())
    lines = [f"  citations of {known['papers']:,} papers: {steps}"]
    for cell, made in known["items"].items():
        kept = f", kept {made['kept share']:.0%} of the sets tried" if made["kept share"] != 1.0 else ""
        floors = ", ".join(f"{name} {share:.0%}" for name, share in made["floors"].items())
        lines.append(
            f"  {cell}: {made['made']:,} of {made['asked']:,}{kept}" + (f"; floors: {floors}" if floors else "")
        )
    return lines
