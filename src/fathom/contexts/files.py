"""Contexts on disk: one file of recipes, and the report on how they were gathered beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from pydantic import ValidationError

from fathom.contexts.sampling import Gathered, Gathering, Settings, named
from fathom.corpus.store import Corpus
from fathom.records.contexts import Context
from fathom.records.errors import FathomError, file_errors
from fathom.records.files import atomic_write, read_records
from fathom.records.record import digest, first_error

FILE_NAME = "contexts.jsonl"


def report_path(path: Path) -> Path:
    """Where the report on the contexts in `path` stands."""
    return path.with_suffix(".report.json")


def gather(
    corpus: Corpus, settings: Settings, path: Path, replace: bool = False, watch: Callable[[], None] = lambda: None
) -> Gathered:
    """Write the contexts that `settings` ask for to `path`; where they stand there already, just say so."""
    if path.suffix != ".jsonl":
        raise FathomError(f"Contexts are written as JSON lines, and '{path}' does not end in .jsonl. Rename it.")
    if not path.parent.is_dir():
        raise FathomError(f"Cannot write '{path}': the folder '{path.parent}' does not exist. Make it first.")
    if (path.exists() or report_path(path).exists()) and not replace:
        found = _standing(path, settings, corpus)
        if found is not None:
            return found
    gathering = Gathering(corpus, settings)
    # The report takes its place first: contexts are never there without the report that they belong to.
    with atomic_write(path) as file, atomic_write(report_path(path)) as report_file:
        for context in gathering.contexts(watch):
            file.write(context.to_line())
        report = gathering.report()
        if report.contexts == 0:
            reason = report.made[0].reason
            raise FathomError(
                f"Not one context could be made: {reason}. Ask for other lengths, or give another corpus."
            )
        report_file.write(report.model_dump_json(indent=2).encode() + b"\n")
        if path.exists() and not replace:
            raise FathomError(f"'{path}' was written by another process meanwhile, and is kept. Choose another --out.")
    return report


def _standing(path: Path, settings: Settings, corpus: Corpus) -> Gathered | None:
    """The report on contexts that stand in `path` already; None where only their making was broken off."""
    found = _report_on(path)
    if found is None or (found.settings, found.corpus) != (named(settings), corpus.manifest.fingerprint):
        raise FathomError(
            f"'{path}' holds contexts made with other settings or from another corpus. "
            "Choose another --out, or add --replace to make them anew."
        )
    if not path.exists():
        return None
    if found.fingerprint != digest(*(context.id for context in read_contexts(path))).hex():
        raise FathomError(f"'{path}' does not hold what its report describes. Add --replace to make it anew.")
    return found


def read_contexts(path: Path) -> Iterator[Context]:
    """The contexts in `path`, one at a time."""
    if not path.exists():
        raise FathomError(f"There are no contexts in '{path}'. Make them with `fathom contexts {path.parent}`.")
    return read_records(path, Context)


def _report_on(path: Path) -> Gathered | None:
    report = report_path(path)
    if not report.exists():
        return None
    with file_errors("read", report):
        content = report.read_bytes()
    try:
        return Gathered.model_validate_json(content)
    except ValidationError as error:
        raise FathomError(
            f"'{report}' is no report on contexts: {first_error(error)}. Add --replace to make it anew."
        ) from error
