"""Corpora: ingest documents, generate them, and open a corpus."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypedDict, Unpack

from fathom.api.arguments import Folder, Progress, as_names, as_path, as_paths, as_tokens, checked, ignore
from fathom.api.contexts import ContextSet, SamplingOptions, sample_contexts
from fathom.contexts.files import FILE_NAME, read_contexts
from fathom.contexts.layout import render
from fathom.corpus import store
from fathom.corpus.ingest_report import (
    FieldCounts,
    IngestReport,
    ReadingStats,
    UnreadFiles,
    below_thresholds,
    describe_incomplete,
)
from fathom.corpus.readers.catalog import FORMATS
from fathom.corpus.selftest.measure import FieldScore, SelfTest
from fathom.parallel import cores
from fathom.records.contexts import Context
from fathom.records.documents import FIELDS
from fathom.records.errors import FathomError

__all__ = [
    "FIELDS",
    "FORMATS",
    "Corpus",
    "FieldCounts",
    "FieldScore",
    "IngestOptions",
    "IngestReport",
    "ReadingStats",
    "SelfTest",
    "UnreadFiles",
    "below_thresholds",
    "describe_incomplete",
    "generate",
    "ingest",
    "open_corpus",
    "run_self_test",
]

# The readers and the generator are imported where they are used: opening a corpus needs neither.


class Corpus(store.Corpus):
    """An open corpus of documents. Use it in a `with` statement, or call `close()` when done.

    `for document in corpus.documents()` reads one document at a time; `corpus.document(id)` reads one by its id;
    `corpus.manifest` has the counts.
    """

    def __fspath__(self) -> str:
        return str(self.folder)

    def __repr__(self) -> str:
        return f"Corpus('{self.folder}', {self.manifest.documents:,} documents, {self.manifest.tokens:,} tokens)"

    @cached_property
    def ingest_report(self) -> IngestReport | None:
        """How well the documents were read; None for a generated corpus."""
        from fathom.corpus.ingest import read_report

        return read_report(self.folder)

    def contexts(
        self,
        lengths: int | str | Sequence[int | str],
        count: int = 100,
        *,
        progress: Progress = ignore,
        **options: Unpack[SamplingOptions],
    ) -> ContextSet:
        """Sample contexts of these lengths; see `fathom.api.contexts.sample_contexts`."""
        return sample_contexts(self, lengths, count, progress=progress, **options)

    def context(self, id: str, path: Path | None = None) -> Context:
        """The context of that id in `path` (default: the corpus folder's contexts.jsonl)."""
        path = path or self.folder / FILE_NAME
        for context in read_contexts(path):
            if context.id == id:
                return context
        raise FathomError(f"'{path}' has no context '{id}'. Give the id of one: each line starts with it.")

    def render(self, context: Context) -> str:
        """The exact text of a context, as a model sees it."""
        return render(context, self).decode()


def open_corpus(folder: Folder) -> Corpus:
    """Open the corpus in `folder` for reading."""
    return Corpus(as_path(folder))


class IngestOptions(TypedDict, total=False):
    """Options of `ingest`; each has the meaning and the default of the command-line option of its name."""

    formats: str | Sequence[str]
    """Only documents that these readers read."""
    min_tokens: int | str
    max_tokens: int | str | None
    min_tables: int
    full_text: bool
    """Leave out documents that have only an abstract and references."""
    include_all: bool
    """Also READMEs, licenses, lists of files and the like."""
    licenses: str | Sequence[str]
    """Only these licenses in any version, such as "CC-BY"; "CC-BY*" for all that start so."""


def ingest(
    sources: Folder | Iterable[Folder],
    out: Folder,
    *,
    allow_incomplete: bool = False,
    processes: int | None = None,
    progress: Progress = ignore,
    results: Folder | None = None,
    **options: Unpack[IngestOptions],
) -> Corpus:
    """Read files, folders and archives into a new corpus in `out`, and open it.

    `processes` defaults to all cores; the corpus is the same for any number. An interrupted call continues when it is
    repeated. What was read and what was not is in `corpus.ingest_report`. A source that is damaged or cut raises an
    error after everything that could be read is in the corpus, unless `allow_incomplete` is set. `out`, or the folder
    `results` that contains it, is not read where it is in a source.
    """
    from fathom.corpus import ingest as ingestion
    from fathom.corpus.document_reading import Filters
    from fathom.corpus.readers.sources import is_only_corpus
    from fathom.tasks.bench_folder import is_bench

    paths = as_paths(sources)
    for path in paths:
        if is_bench(path):
            raise FathomError(f"'{path}' is a bench, not a source of documents. Give the documents themselves.")
        if is_only_corpus(path):
            raise FathomError(
                f"'{path}' is a corpus: its documents have been read. Sample contexts from it with "
                f"`fathom contexts {path}`, or give the documents themselves."
            )
    values: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
    values |= {name: as_names(values[name]) for name in ("formats", "licenses") if name in values}
    values |= {name: as_tokens(values[name]) for name in ("min_tokens", "max_tokens") if name in values}
    filters = checked(Filters, "selection of documents", values)
    _, report = ingestion.ingest(
        paths,
        as_path(out),
        filters,
        processes or cores(),
        progress=lambda stage, done: progress(done),
        results=as_path(results),
    )
    if report.incomplete and not allow_incomplete:
        raise FathomError(
            f"{describe_incomplete(report)} The corpus in '{out}' has everything else: open it with open_corpus, "
            "or pass allow_incomplete=True."
        )
    return open_corpus(out)


def generate(
    out: Folder,
    *,
    documents: int | None = None,
    tokens: int | str | None = None,
    domains: str | Sequence[str] = "articles",
    length: Literal["full", "short", "long"] = "full",
    seed: int = 0,
    processes: int | None = None,
    progress: Progress = ignore,
) -> Corpus:
    """Write a corpus of generated documents to `out`, and open it.

    The size is a number of `documents` (default 100) or of `tokens`. `domains` lists subjects of articles and kinds of
    reports and prose; "articles", "reports" and "prose" mean all of them. `length="short"` writes letters of 250 to 600
    tokens, `length="long"` prose of 30K to 45K tokens. The same arguments give the same bytes. An interrupted call
    continues when it is repeated.
    """
    from fathom.corpus import generate as generation

    if documents is not None and tokens is not None:
        raise FathomError("Both documents and tokens are given, but only one can set the size. Give one of them.")
    if documents is None and tokens is None:
        documents = 100
    names = domains if isinstance(domains, str) else ",".join(domains)
    parsed = generation.parse_domains(names)
    wanted = None if tokens is None else as_tokens(tokens)
    values = {"domains": parsed, "length": length, "seed": seed, "documents": documents, "tokens": wanted}
    recipe = checked(generation.Recipe, "generator", values)
    generation.generate(
        as_path(out),
        recipe,
        processes or cores(),
        progress=lambda written, counted: progress(counted if documents is None else written),
    )
    return open_corpus(out)


def run_self_test(documents: int = 4) -> SelfTest:
    """Measure the readers on known truth: write generated documents in every format, read them back and compare."""
    # Imported here: it needs the generator, which reading does not.
    from fathom.corpus.selftest.run import generated_documents
    from fathom.corpus.selftest.run import run_self_test as run

    return run(generated_documents(documents))
