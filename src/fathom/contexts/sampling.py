"""Samples contexts of the requested lengths, with limited overlap among those of one length, and reports the counts."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from heapq import nsmallest
from itertools import combinations
from math import fsum
from statistics import fmean as mean
from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from fathom.contexts.assembly import PlacedDocument, assemble, boundary_tokens
from fathom.contexts.document_selection import DocumentPool, SizeLimits, assign_splits, select_documents
from fathom.contexts.layout import forges_boundary, lay_out
from fathom.corpus.store import Corpus, DocumentEntry
from fathom.models.tokenizers import DEFAULT, Tokenizer, tokenizer
from fathom.records.contexts import Context, Sampling, Split
from fathom.records.documents import FieldName, NonNegativeInt, PositiveInt
from fathom.records.errors import FathomError
from fathom.records.layouts import CLOSING
from fathom.records.lengths import format_length
from fathom.records.record import Record, digest
from fathom.records.rng import rng_for

MIN_FILL, TARGET_FILL = 0.9, 0.95
"""Shares of the requested length: a context has at least the first; selection stops at the second."""

_SEED_NAMES = {"bfs": "breadth", "dfs": "depth"}
"""What seeds are derived from for each sampling method. Changing one would change every sampled context."""

MAX_FAILURES = 60
"""Attempts in a row without a new context after which a sampling method counts as exhausted."""


class SamplingSettings(Record):
    """The settings of `fathom contexts`: which lengths, how many, and from which documents."""

    lengths: tuple[PositiveInt, ...] = Field(min_length=1)
    """In tokens."""
    count: PositiveInt = 100
    """Contexts of each length, shared evenly among the sampling methods; if one is exhausted, the others continue."""
    sampling: tuple[Sampling, ...] = Field(default=("random", "bfs", "dfs"), min_length=1)
    min_documents: PositiveInt = 4
    order: Literal["shuffled", "traversal"] = "shuffled"
    """Order of the documents in a context. Shuffled, a document's position does not reveal how it was selected."""
    seed: int = 0
    tokenizer: str = DEFAULT
    kinds: tuple[str, ...] = ()
    """Only documents of these kinds, subjects, languages; empty for all."""
    subjects: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    known: tuple[FieldName, ...] = ()
    """Only documents where these fields are known, such as authors and references."""
    min_tokens: NonNegativeInt = 0
    """Only documents with at least this many tokens."""
    per_subject: bool = False
    """Whether each context has documents of one subject only; `count` contexts are sampled of each subject."""
    splits: dict[Split, PositiveInt] = {}
    """Splits by share; clusters of documents that cite one another stay together, and so do all versions of a work.
    Empty: one split."""

    @model_validator(mode="after")
    def _no_duplicates(self) -> Self:
        for name in ("lengths", "sampling"):
            values = getattr(self, name)
            if len(set(values)) != len(values):
                raise ValueError(f"{name} contains a value twice")
        return self


def with_tokenizer_name(settings: SamplingSettings) -> SamplingSettings:
    """The settings with the tokenizer's recorded name: a file at the same path may count differently tomorrow."""
    return settings.model_copy(update={"tokenizer": tokenizer(settings.tokenizer).name})


class SamplingCount(Record):
    """How many contexts of one length and split one sampling method gave."""

    length: PositiveInt
    split: Split = "test"
    subject: str = ""
    """With `per_subject`: the subject of these contexts."""
    sampling: Sampling
    requested: NonNegativeInt
    sampled: NonNegativeInt
    reason: str = ""
    """Why fewer were sampled than requested."""


class LengthSummary(Record):
    """Statistics of the contexts of one length."""

    length: PositiveInt
    contexts: NonNegativeInt
    min_documents: NonNegativeInt
    mean_documents: float
    max_documents: NonNegativeInt
    min_tokens: NonNegativeInt
    mean_tokens: float
    max_overlap: float
    """The largest share of the smaller context's documents that two contexts have in common."""


class LengthOverlap(Record):
    """How much contexts of two lengths overlap: the share of the smaller context's documents in the larger one."""

    lengths: tuple[PositiveInt, PositiveInt]
    mean: float
    max: float


class SamplingReport(Record):
    """The report on a file of contexts; stored beside it."""

    settings: SamplingSettings
    corpus: str
    """The fingerprint of the corpus."""
    candidates: NonNegativeInt
    """How many documents could be used."""
    splits: dict[Split, NonNegativeInt] = {}
    """How many documents each split has."""
    left_out: dict[str, NonNegativeInt]
    """Documents that could not be used, by reason."""
    counts: tuple[SamplingCount, ...] = ()
    lengths: tuple[LengthSummary, ...] = ()
    overlaps: tuple[LengthOverlap, ...] = ()
    fingerprint: str
    """The fingerprint of the context ids in order, so that a report is not mistaken for one on other contexts."""
    file: str = ""
    """The hash of the file, which is verified before it is read; empty for a file of an earlier version."""

    @property
    def contexts(self) -> int:
        """How many contexts were sampled."""
        return sum(count.sampled for count in self.counts)


class _ContextSets:
    """The contexts of one length so far, each as the works of its documents, with an index from works to contexts.

    The index makes a comparison with all contexts as cheap as reading those that have a work in common.
    """

    def __init__(self) -> None:
        self.works: list[array[int]] = []
        """The works of each context."""
        self.sizes = array("i")
        self.tokens: list[int] = []
        self.max_overlap = 0.0
        """The largest share of the smaller context's documents that two contexts here have in common."""
        self._contexts: dict[int, array[int]] = {}
        """The numbers of the contexts with each work."""

    def shares(self, works: Sequence[int]) -> NDArray[np.float64]:
        """For each context here that has works in common, the share of the smaller one's documents."""
        sharing = [np.frombuffer(contexts, np.intc) for work in works if (contexts := self._contexts.get(work))]
        if not sharing:
            return np.zeros(0)
        common = np.bincount(np.concatenate(sharing))
        indices = np.flatnonzero(common)
        sizes = np.frombuffer(self.sizes, np.intc)[indices]
        return np.asarray(common[indices] / np.minimum(sizes, len(works)))

    def largest_share(self, works: Sequence[int]) -> float:
        """The largest of these shares; 0 if no context has works in common."""
        return float(self.shares(works).max(initial=0.0))

    def add(self, works: Sequence[int], tokens: int, overlap: float) -> None:
        """Add a context, whose largest share with the others is `overlap`."""
        number = len(self.works)
        for work in works:
            self._contexts.setdefault(work, array("i")).append(number)
        self.works.append(array("i", works))
        self.sizes.append(len(works))
        self.tokens.append(tokens)
        self.max_overlap = max(self.max_overlap, overlap)


class ContextSampler:
    """Samples contexts from one corpus. Iterate over `contexts()` to the end, then read `report()`."""

    def __init__(self, corpus: Corpus, settings: SamplingSettings) -> None:
        self._corpus = corpus
        self._settings = settings
        self._counter: Tokenizer = tokenizer(settings.tokenizer)
        self._left_out: dict[str, int] = defaultdict(int)
        self._tokens = corpus.token_counts(self._counter)
        self._documents = self._candidates()
        self._pool = self._make_pool()
        self._splits: dict[Split, list[int]] = assign_splits(self._pool, settings.splits, settings.seed)
        self._by_length: dict[int, _ContextSets] = {length: _ContextSets() for length in settings.lengths}
        self._counts: list[SamplingCount] = []
        self._ids: list[str] = []

    def contexts(self, progress: Callable[[int], None] = lambda done: None) -> Iterator[Context]:
        """The contexts, length by length; `progress` is called with the number sampled so far."""
        shares = self._settings.splits or {"test": 1}
        counts = _apportion_to_splits(self._settings.count, list(shares.values()))
        for length in self._settings.lengths:
            for split, count in zip(shares, counts, strict=True):
                for group in self._groups(split):
                    for context in self._of_length(length, group, count):
                        self._ids.append(context.id)
                        yield context
                        progress(len(self._ids))

    def _groups(self, split: Split) -> list[_Group]:
        """The documents of a split that contexts are sampled from: all together, or one subject at a time."""
        members = self._splits[split]
        if not self._settings.per_subject:
            return [_Group(split, "", members)]
        by_subject: dict[str, list[int]] = defaultdict(list)
        for member in members:
            by_subject[self._documents[member].subject or ""].append(member)
        return [_Group(split, subject, by_subject[subject]) for subject in sorted(by_subject)]

    def report(self) -> SamplingReport:
        """The counts of sampled contexts, and their overlaps."""
        return SamplingReport(
            settings=with_tokenizer_name(self._settings),
            corpus=self._corpus.manifest.fingerprint,
            candidates=len(self._documents),
            splits={split: len(members) for split, members in self._splits.items()} if self._settings.splits else {},
            left_out=dict(self._left_out),
            counts=tuple(self._counts),
            lengths=tuple(self._summary(length) for length in self._settings.lengths if self._by_length[length].works),
            overlaps=tuple(self._overlaps()),
            fingerprint=digest(*self._ids).hex(),
        )

    # The documents to sample from.

    def _candidates(self) -> list[DocumentEntry]:
        settings = self._settings
        candidates: list[DocumentEntry] = []
        forged = {id for id, text in self._corpus.texts() if forges_boundary(text)}
        seen: set[bytes] = set()
        for document in self._corpus.entries():
            if settings.kinds and document.kind not in settings.kinds:
                self._left_out["another kind"] += 1
            elif settings.subjects and document.subject not in settings.subjects:
                self._left_out["another subject"] += 1
            elif settings.languages and document.language not in settings.languages:
                self._left_out["another language"] += 1
            elif unknown := [name for name in settings.known if not document.knows((name,))]:
                self._left_out[f"{', '.join(unknown)} not known"] += 1
            elif self._tokens[document.id] < settings.min_tokens:
                self._left_out[f"fewer than {settings.min_tokens:,} tokens"] += 1
            elif document.id in forged:
                self._left_out["contains a line that looks like a document boundary"] += 1
            elif document.fingerprint in seen:
                self._left_out["same text as another document"] += 1
            else:
                seen.add(document.fingerprint)
                candidates.append(document)
        if not candidates:
            reasons = ", ".join(f"{reason} ({count:,})" for reason, count in self._left_out.items())
            raise FathomError(
                f"No document of the corpus '{self._corpus.folder}' can be used (left out: {reasons or 'none'}). "
                "Choose other kinds, subjects or languages, fewer known fields, or another corpus."
            )
        return candidates

    def _make_pool(self) -> DocumentPool:
        numbers = {document.id: number for number, document in enumerate(self._documents)}
        neighbors: list[list[int]] = [[] for _ in self._documents]
        for citing, cited in self._corpus.links():
            if citing in numbers and cited in numbers:
                neighbors[numbers[citing]].append(numbers[cited])
                neighbors[numbers[cited]].append(numbers[citing])
        tokens = [self._tokens[document.id] for document in self._documents]
        years = [document.year for document in self._documents]
        distinct = [tuple(dict.fromkeys(adjacent)) for adjacent in neighbors]
        return DocumentPool(tokens, distinct, range(len(tokens)), self._works(), years)

    def _works(self) -> list[int]:
        """For each document the number of the first document of the same work."""
        works, first = self._corpus.works(), dict[str, int]()
        return [
            first.setdefault(works[document.id], number) if document.id in works else number
            for number, document in enumerate(self._documents)
        ]

    # Sampling.

    def _of_length(self, length: int, group: _Group, count: int) -> Iterator[Context]:
        """Contexts of one length and group. The methods take turns until there are enough or all are exhausted."""
        limits = SizeLimits(
            max_tokens=length,
            min_tokens=round(length * MIN_FILL),
            target_tokens=round(length * TARGET_FILL),
            min_documents=self._settings.min_documents,
            boundary=partial(boundary_tokens, self._counter),
            closing=self._counter.count(CLOSING),
        )
        methods = [self._method(length, group, sampling) for sampling in self._settings.sampling]
        pool = self._pool.restricted_to(group.members)
        sampled = 0
        while sampled < count and not all(method.exhausted for method in methods):
            for method in methods:
                if sampled >= count or method.exhausted:
                    continue
                context = self._sample(limits, method, pool)
                if context is not None:
                    sampled += 1
                    yield context
        for method, requested in zip(methods, _apportion(count, [1] * len(methods)), strict=True):
            self._counts.append(
                SamplingCount(
                    length=length,
                    split=group.split,
                    subject=group.subject,
                    sampling=method.sampling,
                    requested=requested,
                    sampled=method.sampled,
                    reason=method.exhausted if method.sampled < requested else "",
                )
            )

    def _method(self, length: int, group: _Group, sampling: Sampling) -> _MethodState:
        starts = list(group.members)
        name = _SEED_NAMES.get(sampling, sampling)
        rng_for(self._settings.seed, "starts", length, group.split, name, *group.seed).shuffle(starts)
        return _MethodState(sampling, group, starts)

    def _sample(self, limits: SizeLimits, method: _MethodState, pool: DocumentPool) -> Context | None:
        """The next context that differs enough from the others, or None with the reason set in `method`."""
        if not method.starts:
            method.exhausted = "no document is left for this split"
            return None
        same_length = self._by_length[limits.max_tokens]
        too_short = too_similar = 0
        for _ in range(MAX_FAILURES):
            name = _SEED_NAMES.get(method.sampling, method.sampling)
            group = method.group
            rng = rng_for(
                self._settings.seed, "context", limits.max_tokens, group.split, name, *group.seed, method.attempts
            )
            # Every document starts a context before any starts a second one: that gives the fewest similar contexts.
            start = method.starts[method.attempts % len(method.starts)]
            method.attempts += 1
            selected = select_documents(pool, limits, method.sampling, start, rng)
            if selected is None:
                too_short += 1
                continue
            # Compared by work: a context of the preprints of another's documents is the same context.
            works = [self._pool.works[number] for number in selected]
            overlap = same_length.largest_share(works)
            if overlap > 0.5:
                too_similar += 1
                continue
            if self._settings.order == "shuffled":
                rng.shuffle(selected)
            context = self._assemble(selected, limits, method)
            if context is None:
                too_short += 1
                continue
            same_length.add(works, context.tokens, overlap)
            method.sampled += 1
            return context
        method.exhausted = self._exhaustion_reason(too_short, too_similar, limits, pool)
        return None

    def _exhaustion_reason(self, too_short: int, too_similar: int, limits: SizeLimits, pool: DocumentPool) -> str:
        """Why a method is exhausted: the most frequent failure of its last attempts."""
        if too_similar >= too_short:
            return f"{MAX_FAILURES} more attempts gave only contexts that share more than half with an existing one"
        length, least = format_length(limits.max_tokens), limits.min_documents
        if len(pool.members) < least:
            return f"the number of documents, {len(pool.members):,}, is below the minimum of {least:,} per context"
        tokens = [pool.tokens[document] for document in pool.members]
        shortest = sum(nsmallest(least, tokens))
        if shortest > limits.max_tokens:
            return f"the {least} shortest documents have {shortest:,} tokens, too many for {length}"
        if sum(tokens) < limits.min_tokens:
            owner = f"all {len(tokens):,} documents together have" if len(tokens) > 1 else "the only document has"
            return f"{owner} {sum(tokens):,} tokens, too few for {length}"
        return f"{MAX_FAILURES} more attempts found no {least} or more documents that fill {length}"

    def _assemble(self, selected: list[int], limits: SizeLimits, method: _MethodState) -> Context | None:
        """The context of these documents in this order; None if its exact length is out of bounds."""
        entries = [self._documents[number] for number in selected]
        tokens = None
        if not self._counter.splits_at_newlines:
            # This tokenizer may merge characters across a boundary line: count the exact text that is shown.
            exact_text = b"".join(lay_out(self._corpus.stored_text(entry.id).utf8 for entry in entries))
            tokens = self._counter.count(exact_text.decode())
            if not limits.min_tokens <= tokens <= limits.max_tokens:
                return None
        pieces = [
            PlacedDocument(entry.id, entry.fingerprint, entry.characters, self._pool.tokens[number])
            for entry, number in zip(entries, selected, strict=True)
        ]
        return assemble(
            pieces,
            self._counter,
            length=limits.max_tokens,
            sampling=method.sampling,
            split=method.group.split,
            tokens=tokens,
        )

    # The report.

    def _summary(self, length: int) -> LengthSummary:
        sets = self._by_length[length]
        return LengthSummary(
            length=length,
            contexts=len(sets.works),
            min_documents=min(sets.sizes),
            mean_documents=round(mean(sets.sizes), 2),
            max_documents=max(sets.sizes),
            min_tokens=min(sets.tokens),
            mean_tokens=round(mean(sets.tokens), 1),
            max_overlap=round(sets.max_overlap, 4),
        )

    def _overlaps(self) -> Iterator[LengthOverlap]:
        """For each two lengths, the overlap of their contexts."""
        filled = [pair for pair in self._by_length.items() if pair[1].works]
        for (first_length, first), (second_length, second) in combinations(filled, 2):
            total = largest = 0.0
            for works in first.works:
                shares = second.shares(works)
                total += fsum(shares.tolist())  # exact: the same on every machine
                largest = max(largest, float(shares.max(initial=0.0)))
            pairs = len(first.works) * len(second.works)
            yield LengthOverlap(
                lengths=(first_length, second_length), mean=round(total / pairs, 4), max=round(largest, 4)
            )


@dataclass(frozen=True)
class _Group:
    """Documents that contexts are sampled from."""

    split: Split
    subject: str
    """Empty for all subjects."""
    members: Sequence[int]

    @property
    def seed(self) -> tuple[str, ...]:
        """Names that seeds are derived from in addition to the split."""
        return (self.subject,) if self.subject else ()


@dataclass
class _MethodState:
    """The progress of one sampling method at one length in one group of documents."""

    sampling: Sampling
    group: _Group
    starts: list[int]
    """Documents to start from, in random order."""
    attempts: int = 0
    sampled: int = 0
    exhausted: str = ""
    """The reason, once the method is exhausted."""


def _apportion_to_splits(count: int, weights: Sequence[int]) -> list[int]:
    """`count` in proportion to the weights, but no split is left without a context if the count allows one for each."""
    shares = _apportion(count, weights)
    while 0 in shares and count >= len(shares):
        shares[shares.index(max(shares))] -= 1
        shares[shares.index(0)] += 1
    return shares


def _apportion(count: int, weights: Sequence[int]) -> list[int]:
    """`count` split in proportion to the weights, into whole numbers that add up to it."""
    total, apportioned, shares = sum(weights), 0, []
    for index in range(1, len(weights) + 1):
        end = -(-count * sum(weights[:index]) // total)
        shares.append(end - apportioned)
        apportioned = end
    return shares
