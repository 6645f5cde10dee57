"""What stands above a page."""

from __future__ import annotations

from collections import Counter

from fathom.analysis.findings import Findings
from fathom.report.words import joined


def bench_names(findings: Findings) -> dict[str, str]:
    """The benches by their fingerprints; two of the same name are told apart by the beginning of theirs."""
    names = Counter(bench.name for bench in findings.benches)
    return {
        bench.fingerprint: bench.name if names[bench.name] == 1 else f"{bench.name} {bench.fingerprint[:6]}"
        for bench in findings.benches
    }


def title_of(findings: Findings) -> str:
    """The benches and how many runs there are on them."""
    count = len(findings.runs)
    names = joined(list(bench_names(findings).values()), 3)
    return f"{names}: {count} run{'' if count == 1 else 's'}"
