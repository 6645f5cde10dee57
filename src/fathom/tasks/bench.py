"""A bench: contexts, questions, keys and a manifest in a folder. Made once, then only read."""

from __future__ import annotations

import os
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from itertools import zip_longest
from pathlib import Path
from typing import Self

from pydantic import JsonValue, model_validator

import fathom
from fathom.contexts.files import read_contexts
from fathom.corpus.store import Corpus
from fathom.records.contexts import Context
from fathom.records.documents import Count, Position
from fathom.records.errors import FathomError, file_errors
from fathom.records.files import read_records
from fathom.records.manifests import read_manifest
from fathom.records.questions import Question
from fathom.records.record import Record, digest, digest_stream
from fathom.records.rng import rng_for
from fathom.scoring.keys import Key
from fathom.tasks.bench_folder import (
    CONTEXTS,
    KEYS,
    MANIFEST,
    QUESTIONS,
    fingerprint_of,
    making,
    refuse_another,
    writing,
)
from fathom.tasks.catalog import family
from fathom.tasks.family import Asked, Builder, Item, Maker
from fathom.work import rare_collections, run_ordered

FORMAT = 2


class Fitted(Record):
    """From which bench, to which window, and what became of its questions."""

    bench: str
    """The fingerprint of the bench that it was fitted from."""
    window: Position
    reserve: Count
    """Tokens of the window that are left to the response."""
    model: str | None = None
    """In whose tokens lengths were taken; None for those that the contexts were counted in."""
    built: Count
    """Questions of the bench that it was fitted from: the three below together."""
    unchanged: Count
    proved_again: Count
    """On a smaller context."""
    refused: dict[str, Count] = {}
    """By reason."""

    @model_validator(mode="after")
    def _none_is_lost(self) -> Self:
        if self.unchanged + self.proved_again + sum(self.refused.values()) != self.built:
            raise ValueError("its counts do not add up to what was built")
        return self


class BenchManifest(Record):
    """How a bench was made and what is in it; written last, so that a bench with a manifest is a whole one."""

    format: int = FORMAT
    fathom: str
    sqlite: str
    """The version that ran the keys' queries."""
    corpus: str
    """Where the corpus was when the bench was built, seen from the bench's folder."""
    corpus_fingerprint: str
    licenses: dict[str, Count]
    families: tuple[str, ...]
    asked: Asked
    seed: int
    contexts: Count
    questions: Count
    counts: dict[str, dict[str, Count]]
    """Questions by family, split, skill, topic, length, way and type of answer."""
    missing: dict[str, Count] = {}
    """Questions that were asked for and could not be made, by the likely reason."""
    leaks: dict[str, JsonValue]
    """What two splits have in common: documents, contexts, templates, identical programs."""
    reports: dict[str, dict[str, JsonValue]] = {}
    """What the families that make contexts of their own have to say of what they made."""
    inputs: str = ""
    """A fingerprint of all that a build starts from: the same inputs give the same bench."""
    fitted: Fitted | None = None
    """For a bench that was fitted to a window."""
    fingerprint: str
    """Of contexts, questions and keys."""


def build(
    corpus_folder: Path,
    contexts_path: Path,
    families: tuple[str, ...],
    asked: Asked,
    seed: int,
    folder: Path,
    processes: int = 1,
    watch: Callable[[int], None] = lambda done: None,
) -> BenchManifest:
    """Write the bench; the same inputs and seed give the same bytes, with any number of processes.

    Where they were built into `folder` already, nothing is done.
    """
    found = already_built(corpus_folder, contexts_path, families, asked, seed, folder)
    if found is not None:
        return found
    refuse_another(folder)
    with Corpus(corpus_folder) as corpus:
        licenses, fingerprint = corpus.manifest.licenses, corpus.manifest.fingerprint
    counted = Counted(asked, families)
    made = _Making(corpus_folder, contexts_path, families, asked, seed)
    with making(folder) as finish:
        with rare_collections(), writing(folder) as write:
            for done, (context, items) in enumerate(made.items(processes), start=1):
                write(context, items)
                counted.add(context, items)
                watch(done)
            if not counted.questions:
                raise FathomError(made.why_none())
        manifest = BenchManifest(
            fathom=fathom.__version__,
            sqlite=sqlite3.sqlite_version,
            corpus=Path(os.path.relpath(corpus_folder.resolve(), folder.resolve())).as_posix(),
            corpus_fingerprint=fingerprint,
            licenses=licenses,
            families=families,
            asked=asked,
            seed=seed,
            contexts=counted.contexts,
            questions=counted.questions,
            counts={name: dict(sorted(values.items())) for name, values in sorted(counted.by.items())},
            missing=dict(sorted(counted.missing.items())),
            leaks=counted.leaks(),
            reports=made.reports,
            inputs=_inputs(fingerprint, contexts_path, families, asked, seed),
            fingerprint=fingerprint_of(folder),
        )
        finish(manifest)
    return manifest


def already_built(
    corpus_folder: Path, contexts_path: Path, families: tuple[str, ...], asked: Asked, seed: int, folder: Path
) -> BenchManifest | None:
    """The manifest of the very bench that these inputs give, where it stands in `folder`, whole and unchanged."""
    if not (folder / MANIFEST).is_file():
        return None
    found = _read_manifest(folder)
    with Corpus(corpus_folder) as corpus:
        fingerprint = corpus.manifest.fingerprint
    if found.inputs != _inputs(fingerprint, contexts_path, families, asked, seed):
        return None
    whole = all((folder / name).is_file() for name in (CONTEXTS, QUESTIONS, KEYS))
    return found if whole and found.fingerprint == fingerprint_of(folder) else None


def _inputs(corpus: str, contexts_path: Path, families: tuple[str, ...], asked: Asked, seed: int) -> str:
    """A fingerprint of what a build starts from; a user's templates count by what they say, not by where they are."""
    gathered = any(family(name).builder is not None for name in families)
    contexts = digest_stream(context.to_line() for context in read_contexts(contexts_path)).hex() if gathered else ""
    templates = ""
    if asked.templates is not None:
        with file_errors("read the templates", asked.templates):
            templates = digest_stream([asked.templates.read_bytes()]).hex()
    settings = asked.model_dump_json(exclude={"templates"})
    return digest(fathom.__version__, corpus, contexts, *families, settings, templates, seed).hex()


def _why_none(asked: Asked) -> str:
    """The likely reason why not one question came out, and what to do."""
    if asked.held_out is not None:
        tag, value = asked.held_out
        return (
            f"with --hold-out {tag}={value} the test split asks about that alone and the others about all else. "
            "See that the value is one there is, and that the contexts have a split that may ask."
        )
    if asked.template_shares:
        return (
            "no template that fell to their splits could be used. "
            "Name the splits that the contexts have in --template-splits, with larger shares."
        )
    if asked.templates is not None:
        return f"no template of '{asked.templates}' finds values here that tell something. Give more templates."
    return "their articles allow none. Give contexts of other articles."


def _why_missing(asked: Asked, made: int) -> str:
    """The likely reason why a context got fewer questions than were asked for."""
    if not made and asked.held_out is not None:
        return "held out"
    if not made and asked.template_shares:
        return "no template for the split"
    return "own templates do not fit" if asked.templates is not None else "the articles allow no more"


class _Making:
    """The items of all families: first those over gathered contexts, then those with contexts of their own."""

    def __init__(
        self, corpus_folder: Path, contexts_path: Path, families: tuple[str, ...], asked: Asked, seed: int
    ) -> None:
        self._corpus_folder = corpus_folder
        self._contexts_path = contexts_path
        self._asking = tuple(name for name in families if family(name).builder is not None)
        self._making = tuple(name for name in families if family(name).maker is not None)
        self._asked = asked
        self._seed = seed
        self.reports: dict[str, dict[str, JsonValue]] = {}

    def items(self, processes: int) -> Iterator[tuple[Context, list[Item]]]:
        """Each context with its items."""
        if self._asking:
            task = partial(_items, self._corpus_folder, self._asking, self._asked, self._seed)
            yield from run_ordered(task, read_contexts(self._contexts_path), processes)
        for name in self._making:
            with self._made(name) as maker:
                yield from maker.make(lambda: None)
                self.reports[name] = maker.report()

    def why_none(self) -> str:
        """The likely reason why not one question came out, and what to do."""
        if self._asking:
            return f"No question could be made from '{self._contexts_path}': {_why_none(self._asked)}"
        with self._made(self._making[0]) as maker:
            return maker.why_none()

    @contextmanager
    def _made(self, name: str) -> Iterator[Maker]:
        maker = family(name).maker
        assert maker is not None
        with Corpus(self._corpus_folder) as corpus:
            yield maker(corpus, self._asked, self._seed)


def _items(
    corpus_folder: Path, families: tuple[str, ...], asked: Asked, seed: int, context: Context
) -> tuple[Context, list[Item]]:
    """One context's items; a worker keeps its builders from one context to the next."""
    items: list[Item] = []
    for name in families:
        builder = _builder(name, corpus_folder, asked.model_dump_json(), seed)
        items.extend(builder.build(context, rng_for(seed, name, context.id)))
    return context, items


@cache
def _builder(name: str, corpus_folder: Path, asked: str, seed: int) -> Builder:
    builder = family(name).builder
    assert builder is not None, f"{name} makes contexts of its own"
    return builder(Corpus(corpus_folder), Asked.model_validate_json(asked), seed)


_LEAKING = ("articles", "contexts", "programs", "templates")
"""What two splits must not share; a program without values, such as a plain maximum, is shared with its template."""


class Counted:
    """What went into a bench, counted as it is written."""

    def __init__(self, asked: Asked, families: tuple[str, ...]) -> None:
        self._asked = asked
        self._families = tuple(name for name in families if family(name).builder is not None)
        self.contexts = self.questions = 0
        self.missing: Counter[str] = Counter()
        self.by: dict[str, Counter[str]] = {}
        self._splits: dict[str, dict[str, set[str]]] = {}

    def add(self, context: Context, items: list[Item]) -> None:
        self.contexts += 1
        own = any(item.question.family not in self._families for item in items)
        for name in () if own else self._families:
            made = sum(item.question.family == name for item in items)
            if made < self._asked.questions:
                self.missing[_why_missing(self._asked, made)] += self._asked.questions - made
        for item in items:
            self.questions += 1
            tags = {"family": item.question.family, "split": item.question.split, "answer": item.key.answer.type}
            for name, value in (tags | item.question.tags).items():
                if name != "template":
                    self.by.setdefault(name, Counter())[value] += 1
            seen = self._splits.setdefault(
                item.question.split, {"contexts": set(), "templates": set(), "programs": set()}
            )
            seen["contexts"].add(context.id)
            seen["templates"].add(item.question.tags.get("template", ""))
            seen["programs"].add(item.key.proof.program)
            seen.setdefault("articles", set()).update(context.documents)

    def leaks(self) -> dict[str, JsonValue]:
        """For each two splits, how much of each kind they share."""
        names = sorted(self._splits)
        return {
            f"{one}/{two}": {kind: len(self._splits[one][kind] & self._splits[two][kind]) for kind in _LEAKING}
            for place, one in enumerate(names)
            for two in names[place + 1 :]
        }


class Bench:
    """A bench, open for reading."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.manifest = _read_manifest(folder)

    @property
    def corpus_folder(self) -> Path:
        """Where the corpus was, seen from the bench: the two may be moved together."""
        return Path(os.path.normpath(self.folder.resolve() / self.manifest.corpus))

    @contextmanager
    def open_corpus(self, folder: Path | None = None) -> Iterator[Corpus]:
        """The corpus it was built from, open; `folder` says where that is now. Another one is refused."""
        where = folder or self.corpus_folder
        if not where.exists():
            raise FathomError(
                f"The corpus of the bench '{self.folder}' is not in '{where}'. Say where it is with --corpus."
            )
        with Corpus(where) as corpus:
            if corpus.manifest.fingerprint != self.manifest.corpus_fingerprint:
                raise FathomError(
                    f"The corpus '{where}' is not the one that the bench '{self.folder}' was built from. "
                    "Give that one with --corpus."
                )
            yield corpus

    def contexts(self) -> Iterator[Context]:
        return read_records(self.folder / CONTEXTS, Context)

    def all_questions(self) -> Iterator[Question]:
        """What may be shown to a system."""
        return read_records(self.folder / QUESTIONS, Question)

    def all_keys(self) -> Iterator[Key]:
        """What may not."""
        return read_records(self.folder / KEYS, Key)

    def by_context(self) -> Iterator[tuple[Context, list[Item]]]:
        """Each context with its items; a question without its key, or the other way round, is an error."""
        pairs = zip_longest(self.all_questions(), self.all_keys())
        held: Item | None = None
        for context in self.contexts():
            items: list[Item] = []
            while True:
                if held is None:
                    question, key = next(pairs, (None, None))
                    if question is None and key is None:
                        break
                    if question is None or key is None:
                        raise FathomError(
                            f"'{self.folder}' has not as many keys as questions. Restore a copy, or build it again."
                        )
                    if question.id != key.question_id:
                        raise FathomError(
                            f"Question '{question.id}' of '{self.folder}' stands beside the key of "
                            f"'{key.question_id}'. Restore a copy, or build the bench again."
                        )
                    held = Item(question, key)
                if held.question.context_id != context.id:
                    break
                items.append(held)
                held = None
            yield context, items
        if held is not None:
            raise FathomError(
                f"Question '{held.question.id}' asks of context '{held.question.context_id}', which {CONTEXTS} lacks. "
                "Restore a copy, or build the bench again."
            )


def _read_manifest(folder: Path) -> BenchManifest:
    path = folder / MANIFEST
    if not path.exists():
        raise FathomError(f"There is no bench in '{folder}'. Make one with `fathom build CORPUS --out {folder}`.")
    return read_manifest(path, BenchManifest, FORMAT, "bench", "Restore a copy, or build the bench again.")
