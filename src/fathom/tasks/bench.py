"""A bench: contexts, questions, keys and a manifest in a folder. It is built once and then only read."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, cached_property, partial
from itertools import combinations, zip_longest
from pathlib import Path
from typing import Any, NamedTuple, Self

from pydantic import JsonValue, model_validator

from fathom.contexts.files import read_contexts
from fathom.corpus.store import Corpus
from fathom.parallel import infrequent_gc, map_ordered
from fathom.records.contexts import Context, ContextId, Split
from fathom.records.documents import NonNegativeInt, PositiveInt
from fathom.records.errors import FathomError, file_errors
from fathom.records.files import R, file_hash, read_records
from fathom.records.manifests import read_manifest
from fathom.records.questions import Question
from fathom.records.record import Record, digest, digest_stream
from fathom.records.rng import rng_for
from fathom.records.tag_values import value_order
from fathom.records.version import __version__
from fathom.scoring.keys import Key
from fathom.tasks import bench_folder
from fathom.tasks.catalog import family, settings_of, values_of
from fathom.tasks.family import (
    ContextBuilder,
    CorpusBuilder,
    FamilySettings,
    FromCorpus,
    Item,
    Measurement,
    PerContext,
    UnaskedKind,
)
from fathom.tasks.split_corpus import SplitCorpus
from fathom.tasks.unasked_questions import UnaskedCounts, UnaskedQuestions, explain_unknown
from fathom.tasks.verification import VerifiedItems, Verifier

FORMAT = 3

FamilyValues = Mapping[str, FamilySettings | Mapping[str, Any]]
"""Families by name, each with its settings, or with the values that differ from their defaults."""


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


def build(
    corpus_folder: Path,
    contexts_path: Path,
    families: FamilyValues,
    seed: int,
    folder: Path,
    processes: int = 1,
    progress: Callable[[int], None] = lambda done: None,
    presets: Mapping[str, str] | None = None,
) -> BenchManifest:
    """Write a bench and return its manifest.

    The same inputs and seed give the same bytes, with any number of processes. If `folder` already contains the bench
    of these inputs, nothing is done. `progress` is called with the number of contexts written so far.
    """
    inputs = _Inputs(corpus_folder, contexts_path, families, seed, presets or {})
    found = inputs.built_in(folder)
    if found is not None:
        return found
    bench_folder.refuse_another(folder)
    with Corpus(corpus_folder) as corpus:
        licenses, fingerprint = corpus.manifest.licenses, corpus.manifest.fingerprint
    counts = BenchCounts(inputs.settings)
    with bench_folder.making(folder) as finish:
        with infrequent_gc(), bench_folder.writing(folder) as write:
            for done, verified in enumerate(inputs.items(processes), start=1):
                write(verified)
                counts.add(verified.context, verified.items)
                progress(done)
            if not counts.questions:
                raise FathomError(inputs.explain_empty())
        manifest = BenchManifest(
            fathom=__version__,
            corpus=Path(os.path.relpath(corpus_folder.resolve(), folder.resolve())).as_posix(),
            corpus_fingerprint=fingerprint,
            licenses=licenses,
            families=tuple(inputs.settings),
            settings={name: settings.model_dump(mode="json") for name, settings in inputs.settings.items()},
            presets=inputs.presets,
            seed=seed,
            **counts.fields(),
            dropped=dict(sorted(inputs.dropped.items())),
            unasked=inputs.unasked.results(),
            reports=inputs.reports,
            inputs=inputs.fingerprint,
            fingerprint=bench_folder.fingerprint_of(folder),
            hashes=bench_folder.hashes_of(folder),
        )
        finish(manifest)
    return manifest


def already_built(
    corpus_folder: Path,
    contexts_path: Path,
    families: FamilyValues,
    seed: int,
    folder: Path,
    presets: Mapping[str, str] | None = None,
) -> BenchManifest | None:
    """The manifest of the bench that these inputs give, if `folder` contains it complete and unchanged."""
    return _Inputs(corpus_folder, contexts_path, families, seed, presets or {}).built_in(folder)


class _Inputs:
    """The inputs of a build; builds its items."""

    def __init__(
        self,
        corpus_folder: Path,
        contexts_path: Path,
        families: FamilyValues,
        seed: int,
        presets: Mapping[str, str],
    ) -> None:
        self.presets = dict(presets)
        self.settings = {name: settings_of(name, values) for name, values in families.items()}
        self.reports: dict[str, dict[str, JsonValue]] = {}
        """Facts about the build by family; filled by `items`."""
        self.unasked = UnaskedCounts()
        """Filled by `items`."""
        self.dropped: Counter[str] = Counter()
        """Items that failed the audit, by check; filled by `items`."""
        self._corpus_folder = corpus_folder
        self._contexts_path = contexts_path
        self._seed = seed
        self._over_contexts = _over_contexts(self.settings)

    @cached_property
    def fingerprint(self) -> str:
        """The fingerprint of everything that the items depend on."""
        with Corpus(self._corpus_folder) as corpus:
            parts = [__version__, corpus.manifest.fingerprint]
            if self._over_contexts:
                parts.append(digest_stream(context.to_line() for context in read_contexts(self._contexts_path)).hex())
            for name, settings in self.settings.items():
                part = family(name).build
                parts += [name, self.presets.get(name, ""), _settings_digest(settings)]
                parts += part.inputs(settings, corpus) if isinstance(part, PerContext) else ()
        return digest(*parts, self._seed).hex()

    def built_in(self, folder: Path) -> BenchManifest | None:
        """The manifest in `folder` if it is of these inputs and its files are complete and unchanged."""
        if not (folder / bench_folder.MANIFEST).is_file():
            return None
        found = _read_manifest(folder)
        if found.inputs != self.fingerprint:
            return None
        whole = all(
            (folder / name).is_file() for name in (bench_folder.CONTEXTS, bench_folder.QUESTIONS, bench_folder.KEYS)
        )
        return found if whole and found.fingerprint == bench_folder.fingerprint_of(folder) else None

    def items(self, processes: int) -> Iterator[VerifiedItems]:
        """Each context with its items: first the sampled contexts, then those that families make themselves."""
        if self._over_contexts:
            lines = {name: self.settings[name].model_dump_json() for name in self._over_contexts}
            read = _BuildSource(self._corpus_folder, self._contexts_path, self._seed, self.fingerprint)
            task = partial(_context_items, read, lines)
            for verified, unasked in map_ordered(task, self._shared_out(), processes, self._subjects()):
                self.unasked.add(unasked)
                self.dropped.update(verified.dropped)
                for name, measure in self._measures.items():
                    measure.add(verified.context, [item for item in verified.items if item.question.family == name])
                yield verified
        for name, settings in self.settings.items():
            part = family(name).build
            if isinstance(part, PerContext):
                report = part.report(settings)
                if name in self._measures:
                    report |= self._measures[name].report()
            else:
                with self._corpus_builder(name) as builder:
                    yield from self._verified(builder)
                    report = builder.report()
            if report:
                self.reports[name] = report

    @cached_property
    def _measures(self) -> dict[str, Measurement]:
        parts = {name: family(name).build for name in self._over_contexts}
        taken = {
            name: part.measure
            for name, part in parts.items()
            if isinstance(part, PerContext) and part.measure is not None
        }
        return {name: measure(Corpus(self._corpus_folder)) for name, measure in taken.items()}

    def _shared_out(self) -> Iterator[tuple[Context, ContextShares]]:
        """The contexts, each with its share of the questions for every family that distributes them."""
        shares: dict[str, Mapping[ContextId, JsonValue]] = {}
        for name in self._over_contexts:
            part = family(name).build
            assert isinstance(part, PerContext)
            if part.allotment is not None:
                with Corpus(self._corpus_folder) as corpus:
                    shares[name] = part.allotment.shares(
                        self.settings[name], corpus, list(read_contexts(self._contexts_path))
                    )
        for context in read_contexts(self._contexts_path):
            yield context, {name: given.get(context.id) for name, given in shares.items() if given}

    def _subjects(self) -> Callable[[tuple[Context, ContextShares]], str | None]:
        """The subject of the documents of a context, if they have one: contexts of one subject share documents."""
        with Corpus(self._corpus_folder) as corpus:
            subjects = {entry.id: entry.subject for entry in corpus.entries()}

        def subject(given: tuple[Context, ContextShares]) -> str | None:
            found = {subjects.get(place.document) for place in given[0].places}
            return found.pop() if len(found) == 1 else None

        return subject

    def _verified(self, builder: CorpusBuilder) -> Iterator[VerifiedItems]:
        """The contexts of a family that makes its own; a context whose items all fail is left out."""
        with Corpus(self._corpus_folder) as corpus:
            verifier = Verifier(corpus)
            for context, items in builder.build():
                verified = verifier.verify(context, items)
                self.dropped.update(verified.dropped)
                if verified.items:
                    yield verified
            verifier.refuse_failed_bench()

    def explain_empty(self) -> str:
        """The reason why no question was built, and what to change."""
        if self.dropped:
            check, count = self.dropped.most_common(1)[0]
            return (
                f"Every question that was built fails the audit: {count:,} the check '{check}'. "
                "Build with other settings or documents."
            )
        if self._over_contexts:
            name = self._over_contexts[0]
            part = family(name).build
            assert isinstance(part, PerContext)
            unknown = explain_unknown(self.unasked.results(), self._corpus_folder)
            reason = unknown or part.explain_empty(self.settings[name])
            return f"No question could be built from '{self._contexts_path}': {reason}"
        with self._corpus_builder(next(iter(self.settings))) as builder:
            return builder.explain_empty()

    @contextmanager
    def _corpus_builder(self, name: str) -> Iterator[CorpusBuilder]:
        part = family(name).build
        assert isinstance(part, FromCorpus)
        with Corpus(self._corpus_folder) as corpus:
            yield part.builder(corpus, self.settings[name], self._seed)


def _over_contexts(families: Mapping[str, FamilySettings]) -> tuple[str, ...]:
    """The families that ask about sampled contexts."""
    return tuple(name for name in families if isinstance(family(name).build, PerContext))


def _settings_digest(settings: FamilySettings) -> str:
    """A digest of the settings, with the content of each file that they name in place of its path."""
    values = {name: getattr(settings, name) for name in type(settings).model_fields}
    files = {name: value for name, value in values.items() if isinstance(value, Path)}
    contents = []
    for name, path in sorted(files.items()):
        with file_errors(f"read the {name.replace('_', ' ')}", path):
            contents.append(path.read_bytes())
    return digest(settings.model_dump_json(exclude=set(files)), *contents).hex()


class _ContextItems(NamedTuple):
    verified: VerifiedItems
    unasked: dict[str, Sequence[UnaskedKind]]
    """By family."""


class _BuildSource(NamedTuple):
    """The inputs of a build."""

    corpus: Path
    contexts: Path
    seed: int
    fingerprint: str
    """The fingerprint of the inputs, since files may be overwritten."""


ContextShares = Mapping[str, JsonValue]
"""The share of one context by family; families in which contexts do not depend on one another have none."""


def _context_items(
    read: _BuildSource, families: Mapping[str, str], given: tuple[Context, ContextShares]
) -> _ContextItems:
    """The items of one context; a worker process keeps its builders for the next one."""
    context, shares = given
    items: list[Item] = []
    unasked: dict[str, Sequence[UnaskedKind]] = {}
    for name, settings in families.items():
        builder = _context_builder(name, read, context.split, settings)
        rng = rng_for(read.seed, name, context.id)
        part = family(name).build
        assert isinstance(part, PerContext)
        if name in shares:
            assert part.allotment is not None
            items.extend(part.allotment.build(builder, context, rng, shares[name]))
        else:
            items.extend(builder.build(context, rng))
        unasked[name] = part.unasked(builder, context)
    replace = partial(_replacements, read, families, context)
    return _ContextItems(_verifier(read).verify(context, items, replace), unasked)


def _replacements(
    read: _BuildSource, families: Mapping[str, str], context: Context, failed: Sequence[Item], kept: Sequence[Item]
) -> list[Item]:
    """Items in place of those that failed verification, from the families that make others."""
    items: list[Item] = []
    for name, settings in families.items():
        part = family(name).build
        assert isinstance(part, PerContext)
        mine, passed = ([one for one in some if one.question.family == name] for some in (failed, kept))
        if mine and part.replace is not None:
            builder = _context_builder(name, read, context.split, settings)
            rng = rng_for(read.seed, name, context.id, *(item.question.id for item in mine))
            items.extend(part.replace(builder, context, rng, mine, passed))
    return items


@cache
def _verifier(read: _BuildSource) -> Verifier:
    return Verifier(Corpus(read.corpus))


@cache
def _context_builder(name: str, read: _BuildSource, split: Split, settings: str) -> ContextBuilder:
    found = family(name)
    assert isinstance(found.build, PerContext), f"{name} builds its own contexts"
    corpus = SplitCorpus(read.corpus, read.contexts, split)
    return found.build.builder(corpus, found.settings.model_validate_json(settings), read.seed)


class BenchCounts:
    """Counts of a bench, taken while it is written."""

    def __init__(self, settings: Mapping[str, FamilySettings]) -> None:
        self._settings = settings
        self._over_contexts = _over_contexts(settings)
        self._ungrouped = {tag.name for name in settings for tag in family(name).tags if not tag.grouped}
        self.contexts = self.questions = 0
        self._missing: Counter[str] = Counter()
        self._by: dict[str, Counter[str]] = {}
        self._splits: dict[str, dict[str, set[str]]] = {}

    @classmethod
    def of(cls, manifest: BenchManifest, families: Sequence[str] | None = None) -> BenchCounts:
        """Empty counts for a bench with these families and the manifest's settings."""
        names = manifest.families if families is None else families
        return cls({name: settings_of(name, manifest.settings[name]) for name in names})

    def add(self, context: Context, items: list[Item]) -> None:
        self.contexts += bool(items)  # one without a question is not asked about, and intervals are over contexts
        if all(item.question.family in self._over_contexts for item in items):
            for name in self._over_contexts:
                part = family(name).build
                assert isinstance(part, PerContext)
                made = sum(item.question.family == name for item in items)
                self._missing.update(part.shortfall(self._settings[name], made))
        for item in items:
            self.questions += 1
            self._count(item)
            self._compare(context, item)

    def _count(self, item: Item) -> None:
        question = item.question
        groups = {"family": question.family, "split": question.split, "answer": item.key.answer.type} | question.tags
        for name, value in groups.items():
            if name not in self._ungrouped:
                self._by.setdefault(name, Counter())[value] += 1

    def _compare(self, context: Context, item: Item) -> None:
        seen = self._splits.setdefault(item.question.split, {"contexts": set(), "documents": set()})
        seen["contexts"].add(context.id)
        seen["documents"].update(context.documents)
        for kind, identity in family(item.question.family).leaks(item).items():
            seen.setdefault(kind, set()).add(identity)

    def _missing_in_all(self) -> Counter[str]:
        """Requested questions that are missing from the bench as a whole."""
        missing: Counter[str] = Counter()
        for name in self._over_contexts:
            part = family(name).build
            assert isinstance(part, PerContext)
            if part.allotment is not None:
                missing.update(part.allotment.missing(self._settings[name], self._by))
        return missing

    def fields(self) -> dict[str, Any]:
        """The fields of the manifest that these counts fill."""
        return {
            "contexts": self.contexts,
            "questions": self.questions,
            "counts": {name: self._ordered(name, values) for name, values in sorted(self._by.items())},
            "missing": dict(sorted((self._missing + self._missing_in_all()).items())),
            "leaks": self._leaks(),
        }

    def _ordered(self, tag: str, values: Counter[str]) -> dict[str, int]:
        declared = values_of(self._settings, tag)
        return {value: values[value] for value in sorted(values, key=lambda value: value_order(value, declared))}

    def _leaks(self) -> dict[str, JsonValue]:
        """For each pair of splits, the number of contexts, documents and other things of each kind in both."""
        none: set[str] = set()
        kinds = sorted({kind for seen in self._splits.values() for kind in seen})
        return {
            f"{one}/{two}": {
                kind: len(self._splits[one].get(kind, none) & self._splits[two].get(kind, none)) for kind in kinds
            }
            for one, two in combinations(sorted(self._splits), 2)
        }


class Bench:
    """A bench, open for reading. A file that is not the one that was built is refused, unless `verify` is off."""

    def __init__(self, folder: Path, verify: bool = True) -> None:
        self.folder = folder
        self.manifest = _read_manifest(folder)
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

    def by_context(self) -> Iterator[tuple[Context, list[Item]]]:
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
            yield context, items
        if pending is not None:
            raise FathomError(
                f"Question '{pending.question.id}' refers to context '{pending.question.context_id}', which is missing "
                f"from {bench_folder.CONTEXTS}. Restore a copy, or build the bench again."
            )


def _read_manifest(folder: Path) -> BenchManifest:
    path = folder / bench_folder.MANIFEST
    if not path.exists():
        raise FathomError(
            f"There is no bench in '{folder}'. Build one with `fathom build FAMILY CORPUS --out {folder}`."
        )
    return read_manifest(path, BenchManifest, FORMAT, "bench", "Restore a copy, or build the bench again.")
