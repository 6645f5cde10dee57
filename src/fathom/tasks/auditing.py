"""Audits a bench: verifies every item from the bench's files and its corpus."""

from __future__ import annotations

from pathlib import Path

from fathom.records.documents import Count
from fathom.records.files import write_json
from fathom.records.record import Record
from fathom.tasks.bench import Bench, BenchCounts
from fathom.tasks.bench_folder import fingerprint_of
from fathom.tasks.catalog import family
from fathom.tasks.family import AuditCheck

FILE_NAME = "audit.json"


class AuditReport(Record):
    """The result of an audit, which passes if every check passes."""

    bench: str
    """The fingerprint of the audited bench."""
    questions: Count
    checks: tuple[AuditCheck, ...]

    @property
    def passed(self) -> bool:
        return not any(check.failed for check in self.checks)


def audit(folder: Path, corpus_folder: Path | None = None, seed: int = 0) -> AuditReport:
    """Verify every item of a bench; writes the report into the bench's folder and returns it."""
    bench = Bench(folder)
    with bench.open_corpus(corpus_folder) as corpus:
        checks = [_unchanged(bench), _counted(bench)]
        for name in bench.manifest.families:
            checks.extend(family(name).audit(bench.by_context(), corpus, seed))
    report = AuditReport(bench=bench.manifest.fingerprint, questions=bench.manifest.questions, checks=tuple(checks))
    write_json(folder / FILE_NAME, report)
    return report


def _counted(bench: Bench) -> AuditCheck:
    """Whether the counts of the manifest are those of the files."""
    counts = BenchCounts.of(bench.manifest)
    for context, items in bench.by_context():
        counts.add(context, items)
    same = all(getattr(bench.manifest, name) == value for name, value in counts.fields().items())
    failures = () if same else ("the counts in the manifest differ from the files",)
    return AuditCheck(
        name="the manifest's counts match the files",
        checked=bench.manifest.questions,
        failed=len(failures),
        failures=failures,
    )


def _unchanged(bench: Bench) -> AuditCheck:
    """Whether the files still have the fingerprint of the build."""
    same = fingerprint_of(bench.folder) == bench.manifest.fingerprint
    failures = () if same else ("contexts, questions or keys were changed after the bench was built",)
    return AuditCheck(name="the files are unchanged", checked=3, failed=len(failures), failures=failures)
