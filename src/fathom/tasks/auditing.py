"""An audit: a bench proves itself from its own files and the corpus it names."""

from __future__ import annotations

from pathlib import Path

from fathom.records.documents import Count
from fathom.records.files import write_json
from fathom.records.record import Record
from fathom.tasks.bench import Bench, Counted
from fathom.tasks.bench_folder import fingerprint_of
from fathom.tasks.catalog import family
from fathom.tasks.family import Checked

FILE_NAME = "audit.json"


class Audit(Record):
    """What an audit found; it fails when any rule did."""

    bench: str
    """The fingerprint of the bench that was looked at."""
    questions: Count
    checked: tuple[Checked, ...]

    @property
    def passed(self) -> bool:
        return not any(checked.failed for checked in self.checked)


def audit(folder: Path, corpus_folder: Path | None = None, seed: int = 0) -> Audit:
    """Prove every item again and write down what was found."""
    bench = Bench(folder)
    with bench.open_corpus(corpus_folder) as corpus:
        checked = [_unchanged(bench), _counted(bench)]
        for name in bench.manifest.families:
            checked.extend(family(name).audit(bench.by_context(), corpus, seed))
    found = Audit(bench=bench.manifest.fingerprint, questions=bench.manifest.questions, checked=tuple(checked))
    write_json(folder / FILE_NAME, found)
    return found


def _counted(bench: Bench) -> Checked:
    """Whether the manifest counts what is there."""
    said = bench.manifest
    counted = Counted(said.asked, said.families)
    for context, items in bench.by_context():
        counted.add(context, items)
    same = (said.contexts, said.questions, said.counts, said.missing, said.leaks) == (
        counted.contexts,
        counted.questions,
        {name: dict(values) for name, values in counted.by.items()},
        dict(counted.missing),
        counted.leaks(),
    )
    fault = () if same else ("the manifest counts other questions than there are",)
    return Checked(rule="the manifest counts what is there", looked_at=said.questions, failed=len(fault), faults=fault)


def _unchanged(bench: Bench) -> Checked:
    """Whether the files are those that were built."""
    same = fingerprint_of(bench.folder) == bench.manifest.fingerprint
    fault = () if same else ("contexts, questions or keys were changed after the bench was built",)
    return Checked(rule="the files are as they were built", looked_at=3, failed=len(fault), faults=fault)
