"""Audits a bench from its files and its corpus, and collects the checks that families make."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path

from fathom.records.documents import Count
from fathom.records.files import write_json
from fathom.records.questions import Response
from fathom.records.record import Record
from fathom.scoring.answer_types.variants import accepted_forms, near_misses
from fathom.tasks.bench import Bench, BenchCounts
from fathom.tasks.bench_folder import fingerprint_of
from fathom.tasks.catalog import family
from fathom.tasks.family import AuditCheck, Check, Item

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


class AuditChecks:
    """The checks of one audit by name, in the order of their first use."""

    def __init__(self) -> None:
        self._checked: Counter[str] = Counter()
        self._failures: dict[str, list[str]] = defaultdict(list)

    def check(self, name: str, item: Item, passed: bool) -> None:
        """Record the result of one check of one item."""
        self._checked[name] += 1
        if not passed:
            self._failures[name].append(item.question.id)

    def check_responses(self, item: Item, check: Check) -> None:
        """Check that correct responses are accepted in every form, and that near misses are rejected."""
        for name, responses, correct in (
            ("correct answers are accepted", accepted_forms(item.key.answer), True),
            ("near misses are rejected", near_misses(item.key.answer), False),
        ):
            for text in responses:
                response = Response(question_id=item.question.id, outcome="answered", text=text)
                self.check(name, item, (check(item.key, response).outcome == "correct") == correct)

    def results(self) -> list[AuditCheck]:
        """Every check with its counts and the ids of the first ten questions that failed it."""
        return [
            AuditCheck(
                name=name,
                checked=checked,
                failed=len(self._failures[name]),
                failures=tuple(dict.fromkeys(self._failures[name]))[:10],
            )
            for name, checked in self._checked.items()
        ]
