"""Files of contexts: one line per context, and the sampling report beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path

from pydantic import ValidationError

from fathom.contexts.sampling import ContextSampler, SamplingReport, SamplingSettings, with_tokenizer_name
from fathom.corpus.store import Corpus
from fathom.records.contexts import Context
from fathom.records.errors import FathomError, file_errors
from fathom.records.files import atomic_write, file_hash, pretty_json, read_records
from fathom.records.record import digest, first_error

FILE_NAME = "contexts.jsonl"


def report_path(path: Path) -> Path:
    """The path of the report on the contexts in `path`."""
    return path.with_suffix(".report.json")


def write_contexts(
    corpus: Corpus,
    settings: SamplingSettings,
    path: Path,
    replace: bool = False,
    progress: Callable[[int], None] = lambda done: None,
) -> SamplingReport:
    """Sample contexts into `path` and return the report; if the same contexts exist, return their report."""
    if path.suffix != ".jsonl":
        raise FathomError(f"Cannot write contexts to '{path}': the name does not end in .jsonl. Choose another name.")
    if not path.parent.is_dir():
        raise FathomError(f"Cannot write '{path}': the folder '{path.parent}' does not exist. Create it first.")
    if (path.exists() or report_path(path).exists()) and not replace:
        existing = _existing_report(path, settings, corpus)
        if existing is not None:
            return existing
    sampler = ContextSampler(corpus, settings)
    # The report is renamed into place first: contexts never exist without the report they belong to.
    with atomic_write(path) as file, atomic_write(report_path(path)) as report_file:
        for context in sampler.contexts(progress):
            file.write(context.to_line())
        report = sampler.report()
        if report.contexts == 0:
            raise FathomError(
                f"No context could be sampled: {report.counts[0].reason}. Choose other --lengths, "
                "another --min-documents, or another corpus."
            )
        file.flush()
        report = report.model_copy(update={"file": file_hash(Path(file.name))})
        report_file.write(pretty_json(report))
        if path.exists() and not replace:
            raise FathomError(f"Another process has written '{path}'; its file was kept. Choose another --out.")
    return report


def _existing_report(path: Path, settings: SamplingSettings, corpus: Corpus) -> SamplingReport | None:
    """The report on existing contexts in `path`; None if sampling was interrupted."""
    report = _read_report(path)
    if report is None or (report.settings, report.corpus) != (
        with_tokenizer_name(settings),
        corpus.manifest.fingerprint,
    ):
        raise FathomError(
            f"'{path}' contains contexts sampled with other settings or from another corpus. "
            "Choose another --out, or add --replace to sample them again."
        )
    if not path.exists():
        return None
    if report.fingerprint != digest(*(context.id for context in read_contexts(path))).hex():
        raise _mismatch_error(path)
    return report


def _mismatch_error(path: Path) -> FathomError:
    return FathomError(
        f"'{path}' does not match its report '{report_path(path).name}': it was changed or damaged. "
        "Sample the contexts again with --replace, or delete the report if you changed them yourself."
    )


@lru_cache(maxsize=64)
def _verify(path: Path, size: int, changed: int) -> None:
    """Raise an error if the report beside the contexts has the hash of another file.

    Cached by size and modification time, since a build reads the file several times.
    """
    report = _read_report(path)
    if report is not None and report.file and report.file != file_hash(path):
        raise _mismatch_error(path)


def read_contexts(path: Path) -> Iterator[Context]:
    """The contexts in `path`, one at a time."""
    if not path.exists():
        command = f"fathom contexts {path.parent}" if path.name == FILE_NAME else f"fathom contexts CORPUS --out {path}"
        raise FathomError(f"'{path}' does not exist. Sample contexts with `{command}`.")
    with file_errors("read", path):
        state = path.stat()
    _verify(path, state.st_size, state.st_mtime_ns)
    return read_records(path, Context)


def _read_report(path: Path) -> SamplingReport | None:
    report = report_path(path)
    if not report.exists():
        return None
    with file_errors("read", report):
        content = report.read_bytes()
    try:
        return SamplingReport.model_validate_json(content)
    except ValidationError as error:
        raise FathomError(
            f"'{report}' is not a sampling report: {first_error(error)}. Add --replace to sample the contexts again."
        ) from error
