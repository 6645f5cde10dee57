"""`fathom ingest --self-test`: how much of generated documents comes back, in words."""

from __future__ import annotations

from fathom.corpus.selftest.measure import MEASURED
from fathom.corpus.selftest.run import Measured, SelfTest, run_selftest, selftest_documents


def tell(documents: int, as_json: bool) -> str:
    """What comes back of so many documents, in every format there is a writer for."""
    tested = run_selftest(selftest_documents(documents))
    return tested.model_dump_json(indent=2) if as_json else _describe(tested)


def _describe(tested: SelfTest) -> str:
    """For each format and field the share that came back, and where it differs the share of what came that is right."""
    names = list(tested.formats)
    lines = [
        f"{tested.documents:,} generated articles and {tested.reports:,} reports, written and read back: "
        "recall, and precision where it is lower"
    ]
    # A line for each format: there are more of them than a terminal is wide.
    for name in names:
        lines.append(f"  {name}")
        told = [(field, _cell(tested.formats[name].get(field))) for field in MEASURED]
        whole = [field for field, cell in told if cell == "100.0%"]
        lines.append(f"    whole: {', '.join(whole) or 'nothing'}")
        parts = [f"{field} {cell}" for field, cell in told if cell not in ("100.0%", "-")]
        lines += [f"    {', '.join(parts)}"] if parts else []
    lines += [f"  {name}: {count:,} documents refused" for name, count in tested.refused.items()]
    return "\n".join(lines)


def _cell(measured: Measured | None) -> str:
    if measured is None or not measured.written:
        return "-"
    lower = measured.precision < measured.recall
    return f"{measured.recall:.1%}" + (f" ({measured.precision:.1%})" if lower else "")
