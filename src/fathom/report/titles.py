"""Names of benches and the default title of a page."""

from __future__ import annotations

from collections import Counter

from fathom.analysis.findings import Findings
from fathom.report.formatting import count, join_names


def bench_names(findings: Findings) -> dict[str, str]:
    """The benches' names by fingerprint. Equal names are extended with the start of the fingerprint."""
    names = Counter(bench.name for bench in findings.benches)
    return {
        bench.fingerprint: bench.name if names[bench.name] == 1 else f"{bench.name} {bench.fingerprint[:6]}"
        for bench in findings.benches
    }


def title_of(findings: Findings) -> str:
    """The names of the benches and the number of runs."""
    return f"{join_names(list(bench_names(findings).values()), 3)}: {count(len(findings.runs), 'run')}"
