"""Reading quality on known truth: generated documents are written in every format, read back and compared.

Prints recall for each format and field, and precision where it is lower. The tests assert lower bounds on the same
figures (tests/corpus/selftest). Run it with another number of documents: `python benchmarks/self_test.py 20`.
"""

from __future__ import annotations

import sys

import _measuring  # noqa: F401  # makes `tests` importable
from tests.corpus.selftest.measure import MEASURED
from tests.corpus.selftest.run import FieldScore, SelfTest, generated_documents, run_self_test

DOCUMENTS = 4


def describe(result: SelfTest) -> str:
    """A few lines per format: the fields that came back complete, and the scores of the others."""
    lines = [
        f"{result.documents:,} generated articles and {result.reports:,} reports, written and read back: "
        "recall, and precision where it is lower"
    ]
    for name, scores in result.formats.items():
        cells = [(field, _cell(scores.get(field))) for field in MEASURED]
        complete = [field for field, cell in cells if cell == "100.0%"]
        others = [f"{field} {cell}" for field, cell in cells if cell not in ("100.0%", "-")]
        lines += [f"  {name}", f"    complete: {', '.join(complete) or 'none'}"]
        lines += [f"    {', '.join(others)}"] if others else []
    lines += [f"  {name}: {count:,} documents refused" for name, count in result.refused.items()]
    return "\n".join(lines)


def _cell(score: FieldScore | None) -> str:
    if score is None or not score.written:
        return "-"
    return f"{score.recall:.1%}" + (f" ({score.precision:.1%})" if score.precision < score.recall else "")


print(describe(run_self_test(generated_documents(int(sys.argv[1]) if len(sys.argv) > 1 else DOCUMENTS))))
