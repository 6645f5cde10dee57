"""Contexts of every wanted length, none of them much like another, and a report on what could be made."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations
from typing import Literal, Self

from pydantic import Field, model_validator

from fathom.contexts.growing import Pool, Size, grow
from fathom.contexts.layout import CLOSING, LAYOUT, boundary, context_id, forges_boundary, lay_out
from fathom.corpus.store import Corpus, Listed
from fathom.models.tokenizers import DEFAULT, Tokenizer, tokenizer
from fathom.records.articles import Count, Position
from fathom.records.chance import rng_for
from fathom.records.contexts import Context, Place, Way
from fathom.records.errors import FathomError
from fathom.records.lengths import print_length
from fathom.records.record import Record
from fathom.records.spans import Span

LEAST, ENOUGH = 0.9, 0.95
"""Shares of the wanted length: a context has at least the first, and growing stops at the second."""

PATIENCE = 150
"""Tries in a row without a new context after which a way is taken to be exhausted."""


class Settings(Record):
    """What to gather."""

    lengths: tuple[Position, ...] = Field(min_length=1)
    count: Position = 100
    """Contexts of each length, shared evenly among the ways; where one runs dry the others take over."""
    ways: tuple[Way, ...] = Field(default=("random", "breadth", "depth"), min_length=1)
    least_articles: Position = 4
    order: Literal["shuffled", "grown"] = "shuffled"
    """Shuffled, where an article stands does not tell how the context grew."""
    seed: int = 0
    tokenizer: str = DEFAULT
    kinds: tuple[str, ...] = ()
    """Only articles of these kinds, subjects, languages; empty for all."""
    subjects: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _nothing_twice(self) -> Self:
        for name in ("lengths", "ways"):
            values = getattr(self, name)
            if len(set(values)) != len(values):
                raise ValueError(f"the {name} hold a value twice")
        return self


class Made(Record):
    """What could be made of one length in one way."""

    length: Position
    way: Way
    wanted: Count
    made: Count
    reason: str = ""
    """Why fewer were made than wanted."""


class Shape(Record):
    """What the contexts of one length are like."""

    length: Position
    contexts: Count
    articles_least: Count
    articles_mean: float
    articles_most: Count
    tokens_least: Count
    tokens_mean: float
    largest_overlap: float
    """The largest share of the smaller context's articles that two of them have in common."""


class Overlap(Record):
    """How much the contexts of two lengths share: articles of the smaller context that the larger one has."""

    lengths: tuple[Position, Position]
    mean: float
    largest: float


class Gathered(Record):
    """The report on one gathering; what it describes stands beside it."""

    settings: Settings
    corpus: str
    """The fingerprint of the corpus."""
    candidates: Count
    left_out: dict[str, Count]
    """Articles that could not be used, by reason."""
    made: tuple[Made, ...] = ()
    shapes: tuple[Shape, ...] = ()
    overlaps: tuple[Overlap, ...] = ()

    @property
    def contexts(self) -> int:
        return sum(made.made for made in self.made)


@dataclass
class _Shelf:
    """The contexts of one length so far, as sets of article numbers written as bits."""

    sets: list[int] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)

    def takes(self, members: int, size: int) -> bool:
        """Whether no context here shares more than half of the smaller one's articles, however each was grown."""
        return all(
            (members & other).bit_count() * 2 <= min(size, other_size)
            for other, other_size in zip(self.sets, self.sizes, strict=True)
        )

    def add(self, members: int, size: int) -> None:
        self.sets.append(members)
        self.sizes.append(size)


class Gathering:
    """Iterate over `contexts()` to the end, then read `report()`."""

    def __init__(self, corpus: Corpus, settings: Settings) -> None:
        self._corpus = corpus
        self._settings = settings
        self._counter: Tokenizer = tokenizer(settings.tokenizer)
        self._left_out: dict[str, int] = defaultdict(int)
        self._articles = self._candidates()
        self._pool = self._make_pool()
        self._shelves: dict[int, _Shelf] = {length: _Shelf() for length in settings.lengths}
        self._tokens: dict[int, list[int]] = defaultdict(list)
        self._made: list[Made] = []
        self._boundary = cache(lambda number: self._counter.count(boundary(number)))

    def contexts(self, watch: Callable[[], None] = lambda: None) -> Iterator[Context]:
        """The contexts, length by length; `watch` is called after each."""
        for length in self._settings.lengths:
            for context in self._of_length(length):
                yield context
                watch()

    def report(self) -> Gathered:
        """What was made, and how much of it is alike."""
        return Gathered(
            settings=self._settings,
            corpus=self._corpus.manifest.fingerprint,
            candidates=len(self._articles),
            left_out=dict(self._left_out),
            made=tuple(self._made),
            shapes=tuple(self._shape(length) for length in self._settings.lengths if self._shelves[length].sets),
            overlaps=tuple(self._overlaps()),
        )

    # What contexts are grown from.

    def _candidates(self) -> list[Listed]:
        settings = self._settings
        kept: list[Listed] = []
        forged = {id for id, text in self._corpus.texts() if forges_boundary(text)}
        for article in self._corpus.listing():
            if settings.kinds and article.kind not in settings.kinds:
                self._left_out["another kind"] += 1
            elif settings.subjects and article.subject not in settings.subjects:
                self._left_out["another subject"] += 1
            elif settings.languages and article.language not in settings.languages:
                self._left_out["another language"] += 1
            elif article.id in forged:
                self._left_out["a line that looks like an article boundary"] += 1
            else:
                kept.append(article)
        if not kept:
            reasons = ", ".join(f"{count} for {reason}" for reason, count in self._left_out.items())
            raise FathomError(
                f"No article of the corpus '{self._corpus.folder}' can be used (left out: {reasons or 'none'}). "
                "Ask for other kinds, subjects or languages, or give another corpus."
            )
        return kept

    def _make_pool(self) -> Pool:
        counts = self._corpus.token_counts(self._counter)
        numbers = {article.id: number for number, article in enumerate(self._articles)}
        neighbours: list[dict[int, None]] = [{} for _ in self._articles]
        for citing, cited in self._corpus.links():
            if citing in numbers and cited in numbers:
                neighbours[numbers[citing]][numbers[cited]] = None
                neighbours[numbers[cited]][numbers[citing]] = None
        return Pool([counts[article.id] for article in self._articles], [tuple(around) for around in neighbours])

    # Growing.

    def _of_length(self, length: int) -> Iterator[Context]:
        """Contexts of one length; the ways take turns until there are enough or all have run dry."""
        size = Size(
            most=length,
            least=round(length * LEAST),
            enough=round(length * ENOUGH),
            boundary=self._boundary,
            closing=self._counter.count(CLOSING),
        )
        trials = [_Trials(way) for way in self._settings.ways]
        made = 0
        while made < self._settings.count and any(trial.why == "" for trial in trials):
            for trial in trials:
                if made >= self._settings.count or trial.why:
                    continue
                context = self._try(size, trial)
                if context is not None:
                    made += 1
                    yield context
        shares = _shares(self._settings.count, len(trials))
        for trial, wanted in zip(trials, shares, strict=True):
            reason = trial.why if trial.made < wanted else ""
            self._made.append(Made(length=length, way=trial.way, wanted=wanted, made=trial.made, reason=reason))

    def _try(self, size: Size, trial: _Trials) -> Context | None:
        """The next context that may stand beside the others, or None with the reason noted in `trial`."""
        shelf = self._shelves[size.most]
        short = few = alike = 0
        for _ in range(PATIENCE):
            rng = rng_for(self._settings.seed, "context", size.most, trial.way, trial.tried)
            trial.tried += 1
            chosen = grow(self._pool, size, trial.way, rng)
            if chosen is None:
                short += 1
                continue
            if len(chosen) < self._settings.least_articles:
                few += 1
                continue
            members = sum(1 << number for number in chosen)
            if not shelf.takes(members, len(chosen)):
                alike += 1
                continue
            if self._settings.order == "shuffled":
                rng.shuffle(chosen)
            context = self._laid_out(chosen, size, trial.way)
            if context is None:
                short += 1
                continue
            shelf.add(members, len(chosen))
            self._tokens[size.most].append(context.tokens)
            trial.made += 1
            return context
        trial.why = _why(short, few, alike, size.most, self._settings.least_articles)
        return None

    def _laid_out(self, chosen: list[int], size: Size, way: Way) -> Context | None:
        """The context of these articles in this order; None where its exact length is out of bounds."""
        places: list[Place] = []
        characters = tokens = 0
        for number, chosen_number in enumerate(chosen, start=1):
            article = self._articles[chosen_number]
            characters += len(boundary(number))
            tokens += size.boundary(number)
            end = characters + article.characters
            places.append(Place(article=article.id, span=Span(characters, end), token=tokens))
            characters = end
            tokens += self._pool.tokens[chosen_number]
        tokens += size.closing
        if not self._counter.splits_at_newlines:
            # This tokenizer may join what stands on both sides of a boundary: count the very text that is shown.
            whole = b"".join(lay_out(self._corpus.text(place.article) for place in places))
            tokens = self._counter.count(whole.decode())
            if not size.least <= tokens <= size.most:
                return None
        return Context(
            id=context_id(self._articles[number].fingerprint for number in chosen),
            layout=LAYOUT,
            length=size.most,
            tokens=tokens,
            tokenizer=self._counter.name,
            way=way,
            places=tuple(places),
        )

    # Measuring.

    def _shape(self, length: int) -> Shape:
        shelf, tokens = self._shelves[length], self._tokens[length]
        shared = (
            (one & two).bit_count() / min(one_size, two_size)
            for (one, one_size), (two, two_size) in combinations(zip(shelf.sets, shelf.sizes, strict=True), 2)
        )
        return Shape(
            length=length,
            contexts=len(shelf.sets),
            articles_least=min(shelf.sizes),
            articles_mean=round(sum(shelf.sizes) / len(shelf.sizes), 2),
            articles_most=max(shelf.sizes),
            tokens_least=min(tokens),
            tokens_mean=round(sum(tokens) / len(tokens), 1),
            largest_overlap=round(max(shared, default=0.0), 4),
        )

    def _overlaps(self) -> Iterator[Overlap]:
        """For each two lengths, what a context of the one shares with a context of the other."""
        filled = [length for length in self._settings.lengths if self._shelves[length].sets]
        for one, two in combinations(filled, 2):
            shares = [
                (members & others).bit_count() / min(size, other_size)
                for members, size in zip(self._shelves[one].sets, self._shelves[one].sizes, strict=True)
                for others, other_size in zip(self._shelves[two].sets, self._shelves[two].sizes, strict=True)
            ]
            yield Overlap(lengths=(one, two), mean=round(sum(shares) / len(shares), 4), largest=round(max(shares), 4))


@dataclass
class _Trials:
    """How one way of growing has fared at one length."""

    way: Way
    tried: int = 0
    made: int = 0
    why: str = ""
    """Set once the way has run dry."""


def _shares(count: int, parts: int) -> list[int]:
    """`count` divided as evenly as it goes."""
    return [count // parts + (part < count % parts) for part in range(parts)]


def _why(short: int, few: int, alike: int, length: int, least_articles: int) -> str:
    """Why a way ran dry: what most of its last tries foundered on."""
    most = max(short, few, alike)
    if alike == most:
        return "every further one shares more than half of its articles with one that exists"
    if few == most:
        return f"the articles are so long that fewer than {least_articles} fit into {print_length(length)}"
    return f"too few articles hang together to fill {print_length(length)}"
