"""Contexts of every wanted length, none of them much like another, and a report on what could be made."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from heapq import nsmallest
from itertools import combinations, repeat
from operator import gt, truediv
from statistics import fmean as mean
from typing import Literal, Self

from pydantic import Field, model_validator

from fathom.contexts.assembly import Piece, assemble, boundary_tokens
from fathom.contexts.document_selection import Pool, Size, grow
from fathom.contexts.layout import CLOSING, forges_boundary, lay_out
from fathom.contexts.splits import divide
from fathom.corpus.store import Corpus, DocumentEntry
from fathom.models.tokenizers import DEFAULT, Tokenizer, tokenizer
from fathom.records.contexts import Context, Sampling, Split
from fathom.records.documents import Count, Position
from fathom.records.errors import FathomError
from fathom.records.lengths import print_length
from fathom.records.record import Record, digest
from fathom.records.rng import rng_for

LEAST, ENOUGH = 0.9, 0.95
"""Shares of the wanted length: a context has at least the first, and growing stops at the second."""

_SEED_NAMES = {"bfs": "breadth", "dfs": "depth"}
"""What seeds are derived from for each sampling method. Changing one would change every sampled context."""

PATIENCE = 60
"""Tries in a row without a new context after which a way is taken to be exhausted."""


class Settings(Record):
    """What to gather."""

    lengths: tuple[Position, ...] = Field(min_length=1)
    count: Position = 100
    """Contexts of each length, shared evenly among the ways; where one runs dry the others take over."""
    sampling: tuple[Sampling, ...] = Field(default=("random", "bfs", "dfs"), min_length=1)
    min_documents: Position = 4
    order: Literal["shuffled", "grown"] = "shuffled"
    """Shuffled, where a document stands does not tell how the context grew."""
    seed: int = 0
    tokenizer: str = DEFAULT
    kinds: tuple[str, ...] = ()
    """Only documents of these kinds, subjects, languages; empty for all."""
    subjects: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    splits: dict[Split, Position] = {}
    """Parts of the corpus by share; clusters of documents that cite one another stay together, and all versions of a
    work. Empty: no parts."""

    @model_validator(mode="after")
    def _nothing_twice(self) -> Self:
        for name in ("lengths", "sampling"):
            values = getattr(self, name)
            if len(set(values)) != len(values):
                raise ValueError(f"the {name} hold a value twice")
        return self


def named(settings: Settings) -> Settings:
    """The settings with the tokenizer by its name: a file of the same path may count differently tomorrow."""
    return settings.model_copy(update={"tokenizer": tokenizer(settings.tokenizer).name})


class Made(Record):
    """What could be made of one length in one way."""

    length: Position
    split: Split = "test"
    sampling: Sampling
    wanted: Count
    made: Count
    reason: str = ""
    """Why fewer were made than wanted."""


class Shape(Record):
    """What the contexts of one length are like."""

    length: Position
    contexts: Count
    documents_least: Count
    documents_mean: float
    documents_most: Count
    tokens_least: Count
    tokens_mean: float
    largest_overlap: float
    """The largest share of the smaller context's documents that two of them have in common."""


class Overlap(Record):
    """How much the contexts of two lengths share: documents of the smaller context that the larger one has."""

    lengths: tuple[Position, Position]
    mean: float
    largest: float


class Gathered(Record):
    """The report on one gathering; what it describes stands beside it."""

    settings: Settings
    corpus: str
    """The fingerprint of the corpus."""
    candidates: Count
    parts: dict[Split, Count] = {}
    """How many documents each split has."""
    left_out: dict[str, Count]
    """Documents that could not be used, by reason."""
    made: tuple[Made, ...] = ()
    shapes: tuple[Shape, ...] = ()
    overlaps: tuple[Overlap, ...] = ()
    fingerprint: str
    """Of the contexts' ids in order, so that a report cannot be taken for one on other contexts."""

    @property
    def contexts(self) -> int:
        return sum(made.made for made in self.made)


@dataclass
class _Shelf:
    """The contexts of one length so far, as sets of document numbers written as bits."""

    sets: list[int] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    _halves: list[int] = field(default_factory=list)
    _smallest: int = 2**62

    def resembles(self, members: int, size: int) -> bool:
        """Whether a context here has more than half of the smaller one's documents in common, however each grew."""
        common = self._common(members)
        return any(map(gt, common, self._halves)) or max(common, default=0) > size // 2

    def overlap(self, members: int, size: int) -> tuple[float, float]:
        """Over all contexts here, the sum and the largest of the shares of the smaller one's documents in common."""
        common = self._common(members)
        if size <= self._smallest:
            # The usual case among different lengths, and three times as fast.
            return sum(common) / size, max(common, default=0) / size
        shares = list(map(truediv, common, map(min, repeat(size), self.sizes)))
        return sum(shares), max(shares, default=0.0)

    def add(self, members: int, size: int, tokens: int) -> None:
        self.sets.append(members)
        self.sizes.append(size)
        self.tokens.append(tokens)
        self._halves.append(size // 2)
        self._smallest = min(self._smallest, size)

    def _common(self, members: int) -> list[int]:
        return list(map(int.bit_count, map(members.__and__, self.sets)))


class Gathering:
    """Iterate over `contexts()` to the end, then read `report()`."""

    def __init__(self, corpus: Corpus, settings: Settings) -> None:
        self._corpus = corpus
        self._settings = settings
        self._counter: Tokenizer = tokenizer(settings.tokenizer)
        self._left_out: dict[str, int] = defaultdict(int)
        self._documents = self._candidates()
        self._pool = self._make_pool()
        self._parts: dict[Split, list[int]] = divide(self._pool, settings.splits, settings.seed)
        self._shelves: dict[int, _Shelf] = {length: _Shelf() for length in settings.lengths}
        self._made: list[Made] = []
        self._ids: list[str] = []

    def contexts(self, watch: Callable[[], None] = lambda: None) -> Iterator[Context]:
        """The contexts, length by length; `watch` is called after each."""
        shares = self._settings.splits or {"test": 1}
        counts = _shares(self._settings.count, list(shares.values()))
        for length in self._settings.lengths:
            for split, count in zip(shares, counts, strict=True):
                for context in self._of_length(length, split, count):
                    self._ids.append(context.id)
                    yield context
                    watch()

    def report(self) -> Gathered:
        """What was made, and how much of it is alike."""
        return Gathered(
            settings=named(self._settings),
            corpus=self._corpus.manifest.fingerprint,
            candidates=len(self._documents),
            parts={split: len(members) for split, members in self._parts.items()} if self._settings.splits else {},
            left_out=dict(self._left_out),
            made=tuple(self._made),
            shapes=tuple(self._shape(length) for length in self._settings.lengths if self._shelves[length].sets),
            overlaps=tuple(self._overlaps()),
            fingerprint=digest(*self._ids).hex(),
        )

    # What contexts are grown from.

    def _candidates(self) -> list[DocumentEntry]:
        settings = self._settings
        kept: list[DocumentEntry] = []
        forged = {id for id, text in self._corpus.texts() if forges_boundary(text)}
        seen: set[bytes] = set()
        for document in self._corpus.entries():
            if settings.kinds and document.kind not in settings.kinds:
                self._left_out["another kind"] += 1
            elif settings.subjects and document.subject not in settings.subjects:
                self._left_out["another subject"] += 1
            elif settings.languages and document.language not in settings.languages:
                self._left_out["another language"] += 1
            elif document.id in forged:
                self._left_out["a line that looks like an article boundary"] += 1
            elif document.fingerprint in seen:
                self._left_out["the very text of another article"] += 1
            else:
                seen.add(document.fingerprint)
                kept.append(document)
        if not kept:
            reasons = ", ".join(f"{count} for {reason}" for reason, count in self._left_out.items())
            raise FathomError(
                f"No article of the corpus '{self._corpus.folder}' can be used (left out: {reasons or 'none'}). "
                "Ask for other kinds, subjects or languages, or give another corpus."
            )
        return kept

    def _make_pool(self) -> Pool:
        counts = self._corpus.token_counts(self._counter)
        numbers = {document.id: number for number, document in enumerate(self._documents)}
        neighbors: list[dict[int, None]] = [{} for _ in self._documents]
        for citing, cited in self._corpus.links():
            if citing in numbers and cited in numbers:
                neighbors[numbers[citing]][numbers[cited]] = None
                neighbors[numbers[cited]][numbers[citing]] = None
        tokens = [counts[document.id] for document in self._documents]
        return Pool(tokens, [tuple(around) for around in neighbors], range(len(tokens)), self._works())

    def _works(self) -> list[int]:
        """For each document the number of the first that is of the same work."""
        works, first = self._corpus.works(), dict[str, int]()
        return [
            first.setdefault(works[document.id], number) if document.id in works else number
            for number, document in enumerate(self._documents)
        ]

    # Growing.

    def _of_length(self, length: int, split: Split, count: int) -> Iterator[Context]:
        """Contexts of one length and split; the ways take turns until there are enough or all have run dry."""
        size = Size(
            most=length,
            least=round(length * LEAST),
            enough=round(length * ENOUGH),
            documents=self._settings.min_documents,
            boundary=partial(boundary_tokens, self._counter),
            closing=self._counter.count(CLOSING),
        )
        trials = [self._trials(length, split, sampling) for sampling in self._settings.sampling]
        pool = self._pool.only(self._parts[split])
        made = 0
        while made < count and any(trial.why == "" for trial in trials):
            for trial in trials:
                if made >= count or trial.why:
                    continue
                context = self._try(size, trial, pool)
                if context is not None:
                    made += 1
                    yield context
        for trial, wanted in zip(trials, _shares(count, [1] * len(trials)), strict=True):
            reason = trial.why if trial.made < wanted else ""
            self._made.append(
                Made(length=length, split=split, sampling=trial.sampling, wanted=wanted, made=trial.made, reason=reason)
            )

    def _trials(self, length: int, split: Split, sampling: Sampling) -> _Trials:
        starts = list(self._parts[split])
        rng_for(self._settings.seed, "starts", length, split, _SEED_NAMES.get(sampling, sampling)).shuffle(starts)
        return _Trials(sampling, split, starts)

    def _try(self, size: Size, trial: _Trials, pool: Pool) -> Context | None:
        """The next context that may stand beside the others, or None with the reason noted in `trial`."""
        shelf = self._shelves[size.most]
        short = alike = 0
        for _ in range(PATIENCE):
            method = _SEED_NAMES.get(trial.sampling, trial.sampling)
            rng = rng_for(self._settings.seed, "context", size.most, trial.split, method, trial.tried)
            # Every document starts a context before any starts a second one: that makes for the fewest lookalikes.
            start = trial.starts[trial.tried % len(trial.starts)]
            trial.tried += 1
            chosen = grow(pool, size, trial.sampling, start, rng)
            if chosen is None:
                short += 1
                continue
            # Counted by works: a context of the preprints of another's documents is that one again.
            members = sum(1 << self._pool.works[number] for number in chosen)
            if shelf.resembles(members, len(chosen)):
                alike += 1
                continue
            if self._settings.order == "shuffled":
                rng.shuffle(chosen)
            context = self._laid_out(chosen, size, trial)
            if context is None:
                short += 1
                continue
            shelf.add(members, len(chosen), context.tokens)
            trial.made += 1
            return context
        trial.why = self._why(short, alike, size, pool)
        return None

    def _why(self, short: int, alike: int, size: Size, pool: Pool) -> str:
        """Why a way ran dry: what most of its last tries foundered on."""
        if alike >= short:
            return f"{PATIENCE} more tries gave only contexts that share more than half with one that exists"
        length = print_length(size.most)
        if len(pool.members) < size.documents:
            return f"there are {len(pool.members):,} articles, fewer than the {size.documents:,} that each must have"
        tokens_of = [pool.tokens[document] for document in pool.members]
        shortest = sum(nsmallest(size.documents, tokens_of))
        if shortest > size.most:
            return f"the {size.documents} shortest articles have {shortest:,} tokens, too many for {length}"
        if sum(tokens_of) < size.least:
            tokens = f"{sum(tokens_of):,} tokens"
            return f"all {len(pool.members):,} articles together have {tokens}, too few for {length}"
        return f"{PATIENCE} more tries found no {size.documents} or more articles that fill {length}"

    def _laid_out(self, chosen: list[int], size: Size, trial: _Trials) -> Context | None:
        """The context of these documents in this order; None where its exact length is out of bounds."""
        entries = [self._documents[number] for number in chosen]
        tokens = None
        if not self._counter.splits_at_newlines:
            # This tokenizer may merge characters across a boundary line: count the exact text that is shown.
            shown = b"".join(lay_out(self._corpus.stored_text(entry.id).utf8 for entry in entries))
            tokens = self._counter.count(shown.decode())
            if not size.least <= tokens <= size.most:
                return None
        pieces = [
            Piece(entry.id, entry.fingerprint, entry.characters, self._pool.tokens[number])
            for entry, number in zip(entries, chosen, strict=True)
        ]
        return assemble(
            pieces, self._counter, length=size.most, sampling=trial.sampling, split=trial.split, tokens=tokens
        )

    # Measuring.

    def _shape(self, length: int) -> Shape:
        shelf = self._shelves[length]
        return Shape(
            length=length,
            contexts=len(shelf.sets),
            documents_least=min(shelf.sizes),
            documents_mean=round(mean(shelf.sizes), 2),
            documents_most=max(shelf.sizes),
            tokens_least=min(shelf.tokens),
            tokens_mean=round(mean(shelf.tokens), 1),
            largest_overlap=round(self._largest_share(shelf), 4),
        )

    def _largest_share(self, shelf: _Shelf) -> float:
        before = _Shelf()
        largest = 0.0
        for members, size, tokens in zip(shelf.sets, shelf.sizes, shelf.tokens, strict=True):
            largest = max(largest, before.overlap(members, size)[1])
            before.add(members, size, tokens)
        return largest

    def _overlaps(self) -> Iterator[Overlap]:
        """For each two lengths, what a context of the one shares with a context of the other."""
        filled = [shelf for shelf in self._shelves.items() if shelf[1].sets]
        for (one, here), (two, there) in combinations(filled, 2):
            total = largest = 0.0
            for members, size in zip(here.sets, here.sizes, strict=True):
                added, most = there.overlap(members, size)
                total += added
                largest = max(largest, most)
            pairs = len(here.sets) * len(there.sets)
            yield Overlap(lengths=(one, two), mean=round(total / pairs, 4), largest=round(largest, 4))


@dataclass
class _Trials:
    """How one way of growing has fared at one length."""

    sampling: Sampling
    split: Split
    starts: list[int]
    tried: int = 0
    made: int = 0
    why: str = ""
    """Set once the way has run dry."""


def _shares(count: int, weights: Sequence[int]) -> list[int]:
    """`count` divided by weight, as evenly as whole numbers go."""
    total, given, shares = sum(weights), 0, []
    for place in range(1, len(weights) + 1):
        upto = -(-count * sum(weights[:place]) // total)
        shares.append(upto - given)
        given = upto
    return shares
