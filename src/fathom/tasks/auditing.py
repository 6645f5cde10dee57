"""Audits a bench from its files and its corpus, and collects the checks that families make."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path

from fathom.records.documents import NonNegativeInt
from fathom.records.files import write_json
from fathom.records.questions import QuestionId, Response
from fathom.records.record import Record
from fathom.scoring.answer_types.variants import accepted_forms, near_misses
from fathom.scoring.keys import Key
from fathom.tasks.bench import Bench
from fathom.tasks.bench_counts import BenchCounts
from fathom.tasks.bench_folder import fingerprint_of
from fathom.tasks.catalog import family
from fathom.tasks.errata import Erratum, current_errata
from fathom.tasks.family import AuditCheck, Check, Item

FILE_NAME = "audit.json"
CACHED = 10_000
"""Answers whose responses are tried only once."""


class AuditReport(Record):
    """The result of an audit, which passes if every check passes."""

    bench: str
    """The fingerprint of the audited bench."""
    questions: NonNegativeInt
    checks: tuple[AuditCheck, ...]
    errata: tuple[Erratum, ...] = ()
    """Items that people dispute, uphold or retire: the last erratum of each."""

    @property
    def passed(self) -> bool:
        return not any(check.failed for check in self.checks)


def audit(
    folder: Path,
    corpus_folder: Path | None = None,
    seed: int = 0,
    progress: Callable[[int], None] = lambda done: None,
) -> AuditReport:
    """Verify every item of a bench; writes the report into the bench's folder and returns it.

    `progress` is called with the number of contexts whose items are verified.
    """
    bench = Bench(folder, verify=False)  # `_check_fingerprint` reports it, and the other checks show what changed
    with bench.open_corpus(corpus_folder) as corpus:
        checks = [_check_fingerprint(bench), _check_counts(bench)]
        auditors = {name: family(name).audit(corpus, seed) for name in bench.manifest.families}
        for done, (context, items) in enumerate(bench.by_context(), start=1):
            for name, auditor in auditors.items():
                if items_of_family := [item for item in items if item.question.family == name]:
                    auditor.check(context, items_of_family)
            progress(done)
        for auditor in auditors.values():
            checks.extend(auditor.results())
    report = AuditReport(
        bench=bench.manifest.fingerprint,
        questions=bench.manifest.questions,
        checks=tuple(checks),
        errata=tuple(current_errata(folder).values()),
    )
    write_json(folder / FILE_NAME, report)
    return report


def _check_counts(bench: Bench) -> AuditCheck:
    """Whether the counts of the manifest are those of the files."""
    counts = BenchCounts.of(bench.manifest)
    for context, items in bench.by_context():
        counts.add(context, items)
    are_equal = all(getattr(bench.manifest, name) == value for name, value in counts.fields().items())
    failures = () if are_equal else ("the counts in the manifest differ from the files",)
    return AuditCheck(
        name="the manifest's counts match the files",
        checked=bench.manifest.questions,
        failed=len(failures),
        failures=failures,
    )


def _check_fingerprint(bench: Bench) -> AuditCheck:
    """Whether the files still have the fingerprint of the build."""
    same = fingerprint_of(bench.folder) == bench.manifest.fingerprint
    failures = () if same else ("contexts, questions or keys were changed after the bench was built",)
    return AuditCheck(name="the files are unchanged", checked=3, failed=len(failures), failures=failures)


class AuditChecks:
    """The checks of one audit by name, in the order of their first use."""

    def __init__(self) -> None:
        self._checked: Counter[str] = Counter()
        self._failed: Counter[str] = Counter()
        self._failures: dict[QuestionId, dict[str, None]] = {}
        """The failed checks of each question, each once, in order."""
        self._tried: dict[bytes, tuple[tuple[str, bool], ...]] = {}
        """The results for each answer: what a check says depends on nothing else of the key."""

    def check(self, name: str, item: Item, passed: bool) -> None:
        """Record the result of one check of one item."""
        self._checked[name] += 1
        if not passed:
            self._failed[name] += 1
            self._failures.setdefault(item.question.id, {})[name] = None

    def failures(self, items: Iterable[Item]) -> dict[QuestionId, tuple[str, ...]]:
        """The failed checks of each of these items that failed one."""
        ids = (item.question.id for item in items)
        return {id: tuple(self._failures[id]) for id in ids if id in self._failures}

    def check_responses(self, item: Item, check: Check) -> None:
        """Check that correct responses are accepted in every form, and that near misses are rejected."""
        answer = item.key.answer.to_line()
        if answer not in self._tried:
            if len(self._tried) >= CACHED:
                self._tried.clear()
            self._tried[answer] = tuple(_tried_responses(item.key, check))
        for name, passed in self._tried[answer]:
            self.check(name, item, passed)

    def results(self) -> list[AuditCheck]:
        """Every check with its counts and the ids of the first ten questions that failed it."""
        return [
            AuditCheck(
                name=name,
                checked=checked,
                failed=self._failed[name],
                failures=tuple(islice((id for id, names in self._failures.items() if name in names), 10)),
            )
            for name, checked in self._checked.items()
        ]


def _tried_responses(key: Key, check: Check) -> Iterator[tuple[str, bool]]:
    for name, responses, correct in (
        ("correct answers are accepted", accepted_forms(key.answer), True),
        ("near misses are rejected", near_misses(key.answer), False),
    ):
        for text in responses:
            response = Response(question_id=key.question_id, outcome="answered", text=text)
            yield name, (check(key, response).outcome == "correct") == correct
