"""What stands above a page."""

from __future__ import annotations

from fathom.analysis.findings import Findings
from fathom.report.words import joined


def title_of(findings: Findings) -> str:
    """The benches and how many runs there are on them."""
    count = len(findings.runs)
    names = joined([bench.name for bench in findings.benches], 3)
    return f"{names}: {count} run{'' if count == 1 else 's'}"
