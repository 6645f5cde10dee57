"""Builds a bench: the items of every family over a corpus, verified as they are written."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import JsonValue

from fathom.contexts.files import read_contexts
from fathom.corpus.store import Corpus
from fathom.parallel import infrequent_gc, map_ordered
from fathom.records.contexts import Context, ContextId, Split
from fathom.records.errors import FathomError, file_errors
from fathom.records.record import digest, digest_stream
from fathom.records.rng import rng_for
from fathom.records.version import __version__
from fathom.tasks import bench_folder
from fathom.tasks.bench import BenchManifest, complete_bench
from fathom.tasks.bench_counts import BenchCounts
from fathom.tasks.catalog import builds_per_context, family, per_context, settings_of
from fathom.tasks.family import (
    ContextBuilder,
    CorpusBuilder,
    FamilySettings,
    FromCorpus,
    Item,
    Measurement,
    UnaskedKind,
)
from fathom.tasks.split_corpus import SplitCorpus
from fathom.tasks.unasked_questions import UnaskedCounts, explain_unknown
from fathom.tasks.verification import VerifiedItems, Verifier


@dataclass(frozen=True)
class BuildInputs:
    """Everything that the content of a bench depends on."""

    corpus: Path
    contexts: Path
    """The sampled contexts; not read if every family makes its own."""
    families: Mapping[str, FamilySettings | Mapping[str, Any]]
    """Families by name, each with its settings, or with the values that differ from their defaults."""
    seed: int = 0
    presets: Mapping[str, str] = field(default_factory=dict)
    """The preset of each family whose settings are those of one."""

    @cached_property
    def settings(self) -> dict[str, FamilySettings]:
        """The settings of each family."""
        return {name: settings_of(name, values) for name, values in self.families.items()}

    @cached_property
    def per_context(self) -> tuple[str, ...]:
        """The families that ask about sampled contexts."""
        return tuple(filter(builds_per_context, self.settings))

    @cached_property
    def fingerprint(self) -> str:
        """The fingerprint of everything that the items depend on."""
        with Corpus(self.corpus) as corpus:
            parts = [__version__, corpus.manifest.fingerprint]
            if self.per_context:
                parts.append(digest_stream(context.to_line() for context in read_contexts(self.contexts)).hex())
            for name, settings in self.settings.items():
                parts += [name, self.presets.get(name, ""), _settings_digest(settings)]
                parts += per_context(name).inputs(settings, corpus) if name in self.per_context else ()
        return digest(*parts, self.seed).hex()

    def built_in(self, folder: Path) -> BenchManifest | None:
        """The manifest in `folder` if it is of these inputs and its files are complete and unchanged."""
        # The fingerprint takes time to compute.
        return complete_bench(folder, self.fingerprint) if bench_folder.is_bench(folder) else None


def build(
    inputs: BuildInputs, folder: Path, processes: int = 1, progress: Callable[[int], None] = lambda done: None
) -> BenchManifest:
    """Write a bench and return its manifest.

    The same inputs give the same bytes, with any number of processes. If `folder` already contains the bench of these
    inputs, nothing is done. `progress` is called with the number of contexts written so far.
    """
    existing = inputs.built_in(folder)
    if existing is not None:
        return existing
    bench_folder.refuse_another(folder)
    with Corpus(inputs.corpus) as corpus:
        licenses, corpus_fingerprint = corpus.manifest.licenses, corpus.manifest.fingerprint
    builder = _BenchBuilder(inputs)
    counts = BenchCounts(inputs.settings)
    with bench_folder.making(folder) as finish:
        with infrequent_gc(), bench_folder.writing(folder) as write:
            for done, verified in enumerate(builder.items(processes), start=1):
                write(verified)
                counts.add(verified.context, verified.items)
                progress(done)
            if not counts.questions:
                raise FathomError(builder.explain_empty())
        manifest = BenchManifest(
            fathom=__version__,
            corpus=Path(os.path.relpath(inputs.corpus.resolve(), folder.resolve())).as_posix(),
            corpus_fingerprint=corpus_fingerprint,
            licenses=licenses,
            families=tuple(inputs.settings),
            settings={name: settings.model_dump(mode="json") for name, settings in inputs.settings.items()},
            presets=dict(inputs.presets),
            seed=inputs.seed,
            **counts.fields(),
            **builder.fields(),
            inputs=inputs.fingerprint,
            fingerprint=bench_folder.fingerprint_of(folder),
            hashes=bench_folder.hashes_of(folder),
        )
        finish(manifest)
    return manifest


def _settings_digest(settings: FamilySettings) -> str:
    """A digest of the settings, with the content of each file that they name in place of its path."""
    values = {name: getattr(settings, name) for name in type(settings).model_fields}
    files = {name: value for name, value in values.items() if isinstance(value, Path)}
    contents = []
    for name, path in sorted(files.items()):
        with file_errors(f"read the {name.replace('_', ' ')}", path):
            contents.append(path.read_bytes())
    return digest(settings.model_dump_json(exclude=set(files)), *contents).hex()


class _BenchBuilder:
    """Builds the items of one bench, and collects what its manifest reports about the build."""

    def __init__(self, inputs: BuildInputs) -> None:
        self._inputs = inputs
        self._reports: dict[str, dict[str, JsonValue]] = {}
        """Facts about the build by family."""
        self._unasked = UnaskedCounts()
        self._dropped: Counter[str] = Counter()
        """Items that failed the audit, by check."""

    def fields(self) -> dict[str, Any]:
        """The fields of the manifest that are known after all items were built."""
        return {
            "dropped": dict(sorted(self._dropped.items())),
            "unasked": self._unasked.results(),
            "reports": self._reports,
        }

    def items(self, processes: int) -> Iterator[VerifiedItems]:
        """Each context with its items: first the sampled contexts, then those that families make themselves."""
        if self._inputs.per_context:
            yield from self._items_per_context(processes)
        for name, settings in self._inputs.settings.items():
            if name in self._inputs.per_context:
                report = per_context(name).report(settings)
                if name in self._measurements:
                    report |= self._measurements[name].report()
            else:
                with self._corpus_builder(name) as builder:
                    yield from self._verified_items(builder)
                    report = builder.report()
            if report:
                self._reports[name] = report

    def _items_per_context(self, processes: int) -> Iterator[VerifiedItems]:
        """The items over sampled contexts, of all families that ask about them."""
        inputs = self._inputs
        source = _BuildSource(inputs.corpus, inputs.contexts, inputs.seed, inputs.fingerprint)
        settings = {name: inputs.settings[name].model_dump_json() for name in inputs.per_context}
        task = partial(_build_context, source, settings)
        for built in map_ordered(task, self._context_tasks(), processes, self._subject_of_contexts()):
            verified = built.verified
            self._unasked.add(built.unasked)
            self._dropped.update(verified.dropped)
            for name, measurement in self._measurements.items():
                measurement.add(verified.context, [item for item in verified.items if item.question.family == name])
            yield verified

    @cached_property
    def _measurements(self) -> dict[str, Measurement]:
        """Measures of the bench as a whole, by the family that declares them."""
        declared = {name: per_context(name).measure for name in self._inputs.per_context}
        return {name: measure(Corpus(self._inputs.corpus)) for name, measure in declared.items() if measure is not None}

    def _context_tasks(self) -> Iterator[_ContextTask]:
        """The sampled contexts, each with its share of the questions for every family that distributes them."""
        inputs = self._inputs
        shares: dict[str, Mapping[ContextId, JsonValue]] = {}
        for name in inputs.per_context:
            allotment = per_context(name).allotment
            if allotment is not None:
                with Corpus(inputs.corpus) as corpus:
                    shares[name] = allotment.shares(inputs.settings[name], corpus, list(read_contexts(inputs.contexts)))
        for context in read_contexts(inputs.contexts):
            yield _ContextTask(context, {name: by_id.get(context.id) for name, by_id in shares.items() if by_id})

    def _subject_of_contexts(self) -> Callable[[_ContextTask], str | None]:
        """Gives the one subject of the documents of a context, or None: contexts of one subject share documents."""
        with Corpus(self._inputs.corpus) as corpus:
            subjects = {entry.id: entry.subject for entry in corpus.entries()}

        def subject(task: _ContextTask) -> str | None:
            distinct = {subjects.get(place.document) for place in task.context.places}
            return distinct.pop() if len(distinct) == 1 else None

        return subject

    def _verified_items(self, builder: CorpusBuilder) -> Iterator[VerifiedItems]:
        """The contexts of a family that makes its own; a context whose items all fail is left out."""
        with Corpus(self._inputs.corpus) as corpus:
            verifier = Verifier(corpus)
            for context, items in builder.build():
                verified = verifier.verify(context, items)
                self._dropped.update(verified.dropped)
                if verified.items:
                    yield verified
            verifier.refuse_failed_bench()

    def explain_empty(self) -> str:
        """The reason why no question was built, and what to change."""
        if self._dropped:
            check, count = self._dropped.most_common(1)[0]
            return (
                f"Every question that was built fails the audit: {count:,} the check '{check}'. "
                "Build with other settings or documents."
            )
        if self._inputs.per_context:
            name = self._inputs.per_context[0]
            unknown = explain_unknown(self._unasked.results(), self._inputs.corpus)
            reason = unknown or per_context(name).explain_empty(self._inputs.settings[name])
            return f"No question could be built from '{self._inputs.contexts}': {reason}"
        with self._corpus_builder(next(iter(self._inputs.settings))) as builder:
            return builder.explain_empty()

    @contextmanager
    def _corpus_builder(self, name: str) -> Iterator[CorpusBuilder]:
        method = family(name).build
        assert isinstance(method, FromCorpus)
        with Corpus(self._inputs.corpus) as corpus:
            yield method.builder(corpus, self._inputs.settings[name], self._inputs.seed)


# The items of one context, built in worker processes.


class _BuildSource(NamedTuple):
    """What the workers of a build read."""

    corpus: Path
    contexts: Path
    seed: int
    fingerprint: str
    """The fingerprint of the inputs, since files may be overwritten."""


class _ContextTask(NamedTuple):
    """A context to build the items of."""

    context: Context
    shares: Mapping[str, JsonValue]
    """Its share of the questions by family; families in which contexts do not depend on one another have none."""


class _BuiltContext(NamedTuple):
    """A context with its items."""

    verified: VerifiedItems
    unasked: dict[str, Sequence[UnaskedKind]]
    """By family."""


def _build_context(source: _BuildSource, settings: Mapping[str, str], task: _ContextTask) -> _BuiltContext:
    """The items of one context, with the settings of each family as JSON. A worker keeps its builders for the next."""
    context, shares = task
    items: list[Item] = []
    unasked: dict[str, Sequence[UnaskedKind]] = {}
    for name, values in settings.items():
        builder = _context_builder(name, source, context.split, values)
        rng = rng_for(source.seed, name, context.id)
        method = per_context(name)
        if name in shares:
            assert method.allotment is not None
            items.extend(method.allotment.build(builder, context, rng, shares[name]))
        else:
            items.extend(builder.build(context, rng))
        unasked[name] = method.unasked(builder, context)
    replace = partial(_replacements, source, settings, context)
    return _BuiltContext(_verifier(source).verify(context, items, replace), unasked)


def _replacements(
    source: _BuildSource, settings: Mapping[str, str], context: Context, failed: Sequence[Item], passed: Sequence[Item]
) -> list[Item]:
    """Items in place of those that failed verification, from the families that make others."""
    items: list[Item] = []
    for name, values in settings.items():
        replace = per_context(name).replace
        failed_here = [item for item in failed if item.question.family == name]
        passed_here = [item for item in passed if item.question.family == name]
        if failed_here and replace is not None:
            builder = _context_builder(name, source, context.split, values)
            rng = rng_for(source.seed, name, context.id, *(item.question.id for item in failed_here))
            items.extend(replace(builder, context, rng, failed_here, passed_here))
    return items


@cache
def _verifier(source: _BuildSource) -> Verifier:
    return Verifier(Corpus(source.corpus))


@cache
def _context_builder(name: str, source: _BuildSource, split: Split, settings: str) -> ContextBuilder:
    corpus = SplitCorpus(source.corpus, source.contexts, split)
    return per_context(name).builder(corpus, family(name).settings.model_validate_json(settings), source.seed)
