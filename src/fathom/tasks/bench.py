"""A bench: contexts, questions, keys and a manifest in a folder. `building.py` writes it once; then it is only read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import zip_longest
from pathlib import Path
from typing import Self

from pydantic import JsonValue, model_validator

from fathom.corpus.store import Corpus
from fathom.records.contexts import Context
from fathom.records.documents import NonNegativeInt, PositiveInt
from fathom.records.errors import FathomError
from fathom.records.files import R, file_hash, read_records
from fathom.records.manifests import read_manifest
from fathom.records.questions import Question
from fathom.records.record import Record
from fathom.scoring.keys import Key
from fathom.tasks import bench_folder
from fathom.tasks.family import (
    ContextItems,
    Item,
)
from fathom.tasks.unasked_questions import UnaskedQuestions

FORMAT = 3


class FitReport(Record):
    """How a bench was fitted to a context window, and how many questions were kept."""

    bench: str
    """The fingerprint of the original bench."""
    window: PositiveInt
    reserve: NonNegativeInt
    """Tokens of the window reserved for the response."""
    model: str | None = None
    """The model whose tokens were counted; None for the tokenizer of the contexts."""
    built: NonNegativeInt
    """Questions of the original bench: the sum of `unchanged`, `recomputed` and `refused`."""
    unchanged: NonNegativeInt
    """Questions whose context already fitted."""
    recomputed: NonNegativeInt
    """Questions whose key was recomputed for a smaller context."""
    refused: dict[str, NonNegativeInt] = {}
    """Questions that could not be kept, by reason."""

    @model_validator(mode="after")
    def _counts_add_up(self) -> Self:
        if self.unchanged + self.recomputed + sum(self.refused.values()) != self.built:
            raise ValueError("its counts do not add up to the number of questions built")
        return self


class BenchManifest(Record):
    """How a bench was built and what is in it. It is written last: a folder with a manifest is a complete bench."""

    format: int = FORMAT
    fathom: str
    corpus: str
    """Path of the corpus at build time, relative to the bench's folder."""
    corpus_fingerprint: str
    licenses: dict[str, NonNegativeInt]
    """Documents of the corpus by license."""
    families: tuple[str, ...]
    settings: dict[str, dict[str, JsonValue]]
    """The settings of each family."""
    presets: dict[str, str] = {}
    """Families that were built with a preset, and its name."""
    seed: int
    contexts: NonNegativeInt
    """Contexts with a question; the file may have others."""
    questions: NonNegativeInt
    counts: dict[str, dict[str, NonNegativeInt]]
    """Questions by family, split, answer type and each tag."""
    missing: dict[str, NonNegativeInt] = {}
    """Requested questions that could not be built, by reason."""
    dropped: dict[str, NonNegativeInt] = {}
    """Questions that were built but failed the audit and were dropped, by the first check that they failed."""
    unasked: tuple[UnaskedQuestions, ...] = ()
    """Kinds of questions that could not be asked in some contexts when the bench was built."""
    leaks: dict[str, JsonValue]
    """Overlap of each pair of splits: counts of documents, contexts, and things that the families declare."""
    reports: dict[str, dict[str, JsonValue]] = {}
    """Facts about the build by family; `swap` for a swapped bench."""
    inputs: str = ""
    """A fingerprint of all inputs of the build: the same inputs give the same bench."""
    fit: FitReport | None = None
    """How the bench was fitted to a context window; None if it was not."""
    fingerprint: str
    """A fingerprint of contexts, questions and keys."""
    hashes: dict[str, str] = {}
    """The hash of each file, which is verified before it is read; empty for a bench of an earlier version."""


class Bench:
    """A bench, open for reading. A file that is not the one that was built is refused, unless `verify` is off."""

    def __init__(self, folder: Path, verify: bool = True) -> None:
        self.folder = folder
        self.manifest = read_bench_manifest(folder)
        self._hashes = dict(self.manifest.hashes) if verify else {}
        """Hashes of the files that are not verified yet."""

    @property
    def corpus_folder(self) -> Path:
        """The recorded path of the corpus, relative to the bench: the two may be moved together."""
        return Path(os.path.normpath(self.folder.resolve() / self.manifest.corpus))

    @contextmanager
    def open_corpus(self, folder: Path | None = None) -> Iterator[Corpus]:
        """Open the corpus that the bench was built from, in `folder` if it was moved. Any other corpus is refused."""
        where = folder or self.corpus_folder
        if not where.exists():
            raise FathomError(
                f"The corpus of the bench '{self.folder}' is not in '{where}'. Give its folder with --corpus."
            )
        with Corpus(where) as corpus:
            if corpus.manifest.fingerprint != self.manifest.corpus_fingerprint:
                raise FathomError(
                    f"The corpus '{where}' is not the one that the bench '{self.folder}' was built from. "
                    "Give that one with --corpus."
                )
            yield corpus

    def contexts(self) -> Iterator[Context]:
        return self._read(bench_folder.CONTEXTS, Context)

    def all_questions(self) -> Iterator[Question]:
        """The questions, which may be shown to a system."""
        return self._read(bench_folder.QUESTIONS, Question)

    def all_keys(self) -> Iterator[Key]:
        """The keys, which must not be shown to a system."""
        return self._read(bench_folder.KEYS, Key)

    def _read(self, name: str, kind: type[R]) -> Iterator[R]:
        """The records of a file; an error if it is not the one that the build wrote."""
        path, built = self.folder / name, self._hashes.pop(name, None)
        if built is not None and path.exists() and file_hash(path) != built:
            self._hashes[name] = built
            raise FathomError(
                f"'{path}' was changed or damaged after the bench was built. Restore a copy, or build the bench again."
            )
        return read_records(path, kind)

    def by_context(self) -> Iterator[ContextItems]:
        """Each context with its items; raises an error for a question without a key or a key without a question."""
        pairs = zip_longest(self.all_questions(), self.all_keys())
        pending: Item | None = None
        for context in self.contexts():
            items: list[Item] = []
            while True:
                if pending is None:
                    question, key = next(pairs, (None, None))
                    if question is None and key is None:
                        break
                    if question is None or key is None:
                        raise FathomError(
                            f"The bench '{self.folder}' does not have one key for each question. "
                            "Restore a copy, or build it again."
                        )
                    if question.id != key.question_id:
                        raise FathomError(
                            f"In the bench '{self.folder}' question '{question.id}' is paired with the key of "
                            f"'{key.question_id}'. Restore a copy, or build it again."
                        )
                    pending = Item(question, key)
                if pending.question.context_id != context.id:
                    break
                items.append(pending)
                pending = None
            yield ContextItems(context, items)
        if pending is not None:
            raise FathomError(
                f"Question '{pending.question.id}' refers to context '{pending.question.context_id}', which is missing "
                f"from {bench_folder.CONTEXTS}. Restore a copy, or build the bench again."
            )


def complete_bench(folder: Path, inputs: str) -> BenchManifest | None:
    """The manifest in `folder` if the bench was made from these inputs and its files are complete and unchanged."""
    if not bench_folder.is_bench(folder):
        return None
    manifest = read_bench_manifest(folder)
    return (
        manifest if manifest.inputs == inputs and manifest.fingerprint == bench_folder.fingerprint_of(folder) else None
    )


def read_bench_manifest(folder: Path) -> BenchManifest:
    """The manifest of the bench in a folder."""
    path = folder / bench_folder.MANIFEST
    if not path.exists():
        raise FathomError(
            f"There is no bench in '{folder}'. Build one with `fathom build FAMILY CORPUS --out {folder}`."
        )
    return read_manifest(path, BenchManifest, FORMAT, "bench", "Restore a copy, or build the bench again.")
