"""Builds items from a corpus's citations: the requested number of each task and level, without shortcuts."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache, partial
from itertools import chain, combinations, islice, permutations, product
from math import ceil, prod
from random import Random

from pydantic import JsonValue

from fathom.contexts.layout import forges_boundary
from fathom.corpus.store import Corpus
from fathom.records.contexts import Context
from fathom.records.documents import DocumentId, FieldName
from fathom.records.rng import rng_for
from fathom.records.spans import Span
from fathom.tasks.citations.baselines import Baselines
from fathom.tasks.citations.candidate_search import Balance, Search
from fathom.tasks.citations.draft import Draft
from fathom.tasks.citations.item_layout import ItemLayout
from fathom.tasks.citations.papers import STEPS, Mask, Paper
from fathom.tasks.citations.settings import OPTIONS, CitationSettings, Difficulty, Form, Task
from fathom.tasks.citations.word_counts import WordCounts
from fathom.tasks.citations.works import LEAST, Work
from fathom.tasks.family import Item

KEPT = 2_048
"""The maximum number of works whose texts are cached."""
MANY = 8
"""Papers that cite at least this many works of the corpus are tried first."""
TRIES = 8
"""Masks, or sets of masks, of one paper that are tried for one item."""
POOL = 6
"""At filtered levels: works of a paper among which the candidates of an item are searched."""
MASKS = 3
"""At filtered levels: masks of one work that are tried for a choice."""
CLOZE_SEARCHES = ((2, 32), (4, 256))
"""At filtered levels: masks of one work, and sets of four masks, in the first and in the second search for a cloze."""

BLOCK = 20
"""Masks that a task and level uses before the next one gets its turn: five clozes or twenty choices."""

PAPER_FIELDS: tuple[FieldName, ...] = ("references", "citations")
"""The fields of a paper that must be known for its citations to be masked."""

OF_THE_TYPE = "of a requested type"
"""The last requirement of a citation in an explanation of an empty build. The levels determine it."""

Cell = tuple[Task, str]
"""A task and the name of a level."""
Offer = tuple[tuple[Mask, ...], tuple[DocumentId, ...]]
"""The masks of a possible item, and the candidates that are not cited at any of them."""


class _CorpusWorks:
    """The works of a corpus that have enough text to show; each is opened on first use."""

    def __init__(self, corpus: Corpus, forms: set[Form]) -> None:
        self._forms = sorted(forms)
        self._known: dict[DocumentId, bool] = {}
        self.left_out: Counter[str] = Counter()
        """Works that could not be used as candidates since a field is not known, by field."""
        # Not a bound method: without a reference cycle the works are freed at once.
        self.work = lru_cache(maxsize=KEPT)(partial(Work, corpus))

    def __contains__(self, id: object) -> bool:
        assert isinstance(id, str)
        if id not in self._known:
            work = self.work(id)
            lacking = next(filter(None, map(work.lacks, self._forms)), None)
            if lacking is not None:
                self.left_out[f"works with unknown {lacking}"] += 1
            # A title with its abstract is short by nature; every other form needs enough text.
            self._known[id] = lacking is None and all(
                work.room(form) >= (LEAST if form != "concise" else 200) for form in self._forms
            )
        return self._known[id]


class _AvailableMasks:
    """The unused masks of a paper: each mask is used once, and each work is the answer to at most one choice.

    Works are drawn first, and then their masks. Otherwise the work that a paper cites most would be the likeliest
    answer to a choice. In a cloze, every candidate is an answer once.
    """

    def __init__(self, paper: Paper, rng: Random) -> None:
        self.paper = paper
        self.works = rng.sample(sorted(paper.cited.values()), len(paper.cited))
        """In random order. If the first few suffice, the texts of the others are not opened."""
        self._masks = rng.sample(paper.masks, len(paper.masks))
        self._chosen: set[DocumentId] = set()

    def masks(self, task: Task, difficulty: Difficulty) -> dict[DocumentId, list[Mask]]:
        """The masks for a task and level, by work."""
        found: dict[DocumentId, list[Mask]] = defaultdict(list)
        for mask in self._masks:
            if mask.citation_type == difficulty.citation_type and (difficulty.scope == "full" or mask.section >= 0):
                found[mask.work].append(mask)
        chosen = self._chosen if task == "choice" else ()
        return {work: found[work] for work in self.works if work in found and work not in chosen}

    def take(self, draft: Draft) -> None:
        """Mark the masks of a draft as used."""
        self._masks = [mask for mask in self._masks if mask not in draft.masks]
        if draft.task == "choice":
            self._chosen.add(draft.masks[0].work)

    def cited_in(self, section: int) -> list[DocumentId]:
        """The works that a section cites."""
        near = set(self.paper.cited_in.get(section, ()))
        return [work for work in self.works if work in near]


class CitationBuilder:
    """Builds the items of one corpus."""

    def __init__(self, corpus: Corpus, settings: CitationSettings, seed: int) -> None:
        self.settings = settings
        self._levels = settings.difficulties
        self._disputed = settings.type_checker.disputed if settings.type_checker is not None else {}
        self._corpus = corpus
        self._seed = seed
        self._works = _CorpusWorks(corpus, {level.form for level in self._levels.values()})
        self._laid_out = ItemLayout(corpus)
        self._years = {listed.id: listed.year if self.settings.yearly else None for listed in corpus.entries()}
        self._made: Counter[tuple[Cell, int | None]] = Counter()
        """Items built of each task and level, by year of the paper if `yearly` is set, else under None."""
        self._balance: dict[Cell, Balance] = defaultdict(Balance)
        self._looked: dict[Cell, Counter[str]] = defaultdict(Counter)
        """For filtered levels: sets of candidates tried, and how many of them passed the filter."""
        self._orders: dict[Cell, list[tuple[int, ...]]] = defaultdict(list)
        self._steps: Counter[str] = Counter()
        self._papers = 0
        self.baselines = Baselines()

    @property
    def _cells(self) -> list[Cell]:
        """All tasks and levels, those with the fewest suitable citations first."""
        levels = reversed(self._levels)
        tasks = sorted(self.settings.tasks, reverse=True)
        return [(task, level) for level in levels for task in tasks]

    def build(self) -> Iterator[tuple[Context, list[Item]]]:
        """Each item with its own context."""
        for paper in self.papers(self._is_wanted):
            self._papers += 1
            drafts = list(self._drafts(paper, rng_for(self._seed, "citations", paper.document.id)))
            self._steps.update(paper.steps)
            for draft in drafts:
                self.baselines.add(draft)
                context, item = self._laid_out.item(draft)
                yield context, [item]

    def papers(self, is_wanted: Callable[[DocumentId], bool] = lambda id: True) -> Iterator[Paper]:
        """The question papers, in the order of use."""
        for id in self._order:
            if is_wanted(id) and not forges_boundary(self._corpus.stored_text(id).utf8):
                yield self._paper(id)

    def _paper(self, id: DocumentId) -> Paper:
        return Paper(self._corpus.document(id), self._corpus.text(id), self._works, self._disputed)

    @cached_property
    def _order(self) -> list[DocumentId]:
        """The papers that cite enough works of the corpus: those that cite many first, otherwise in random order.

        A paper that cites four works gives one or two items, and opening it costs as much as any other. Papers longer
        than a whole item come last: they can be used only if most of their text is left out.
        """
        cited = Counter(link.citing for link in self._corpus.links())
        long = {listed.id for listed in self._corpus.entries() if listed.characters > self.settings.characters}
        enough = sorted(id for id, works in cited.items() if works >= OPTIONS and id not in self._unknown)
        rng_for(self._seed, "citations").shuffle(enough)
        return sorted(enough, key=lambda id: (id in long, -min(cited[id], MANY)))

    @cached_property
    def _unknown(self) -> dict[DocumentId, FieldName]:
        """The papers whose citations or references are not known, with the field: a mask may be a wrong one there."""
        return {
            listed.id: field
            for listed in self._corpus.entries()
            for field in reversed(PAPER_FIELDS)
            if not listed.knows((field,))
        }

    # The next item.

    def _open_cells(self, paper: DocumentId) -> list[Cell]:
        """The tasks and levels that still need items of the paper's year."""
        year = self._years[paper]
        return [cell for cell in self._cells if self._made[cell, year] < self.settings.items]

    def _is_wanted(self, paper: DocumentId) -> bool:
        return bool(self._open_cells(paper))

    def _drafts(self, paper: Paper, rng: Random) -> Iterator[Draft]:
        """The items of one paper. The task and level with the fewest masks used, in whole blocks, comes first.

        Within a block, the cell with the fewest suitable citations comes first: otherwise a small corpus would use up
        on easy items the citations that hard ones need. The blocks are small, so that in a large corpus hard and easy
        items come from the same papers.
        """
        available = _AvailableMasks(paper, rng)
        hopeless: set[Cell] = set()
        made = 0
        while made < self.settings.per_paper:
            wanted = [cell for cell in self._open_cells(paper.document.id) if cell not in hopeless]
            if not wanted or self._is_too_long(paper) or len(paper.cited) < OPTIONS:
                return
            cell = min(wanted, key=lambda cell: self._used(cell, paper) // BLOCK)
            draft = self._draft(available, cell, rng)
            if draft is None:
                hopeless.add(cell)
                continue
            made += 1
            available.take(draft)
            self._note(cell, draft)
            yield draft

    def _used(self, cell: Cell, paper: Paper) -> int:
        """Masks used by a task and level, in the paper's year if `yearly` is set."""
        return self._made[cell, self._years[paper.document.id]] * (OPTIONS if cell[0] == "cloze" else 1)

    def _is_too_long(self, paper: Paper) -> bool:
        """Whether the paper leaves no space for candidates; if sections are shown, each item is checked instead."""
        whole = all(level.scope == "full" for level in self._levels.values())
        return whole and sum(map(_length, paper.shown)) > self.settings.characters - OPTIONS * LEAST

    def _note(self, cell: Cell, draft: Draft) -> None:
        self._made[cell, self._years[draft.paper.document.id]] += 1
        self._orders[cell].pop()
        if draft.difficulty.filtered:
            self._balance[cell].note(draft)

    def _draft(self, available: _AvailableMasks, cell: Cell, rng: Random) -> Draft | None:
        """An item of that task and level from the paper; None if none fits."""
        offers = self._choices if cell[0] == "choice" else self._clozes
        order = self._next_order(cell)
        for asked, others in islice(offers(available, cell, rng), TRIES):
            draft = self._ordered(cell, available.paper, asked, others, order, rng)
            if draft.fits and (not draft.difficulty.filtered or self._balance[cell].takes(draft)):
                return draft
        return None

    def _total(self, cell: Cell) -> int:
        """The number of items of a task and level."""
        return sum(made for (of, _), made in self._made.items() if of == cell)

    def _next_order(self, cell: Cell) -> tuple[int, ...]:
        """The positions of the correct candidates in the next item; each position or order is equally frequent."""
        if not self._orders[cell]:
            places = range(1, OPTIONS + 1)
            block = list(permutations(places, 1 if cell[0] == "choice" else OPTIONS))
            rng_for(self._seed, "orders", *cell, self._total(cell)).shuffle(block)
            self._orders[cell] = block
        return self._orders[cell][-1]

    def _ordered(
        self,
        cell: Cell,
        paper: Paper,
        asked: tuple[Mask, ...],
        others: tuple[DocumentId, ...],
        order: tuple[int, ...],
        rng: Random,
    ) -> Draft:
        """The draft with its candidates in that order."""
        task, level = cell
        places: dict[int, DocumentId] = {place: mask.work for place, mask in zip(order, asked, strict=True)}
        rest = rng.sample(others, len(others))
        candidates = tuple(places.get(place) or rest.pop() for place in range(1, OPTIONS + 1))
        difficulty = self._levels[level]
        return Draft(
            task=task,
            level=level,
            difficulty=difficulty,
            paper=paper,
            masks=asked,
            candidates=candidates,
            masking=self.settings.mask,
            characters=self.settings.characters,
            work_of=self._works.work,
        )

    # Masks and candidates.

    def _apart(self, works: Iterable[DocumentId], *beside: str) -> list[DocumentId]:
        """The works without other versions of the same work, and without those whose `same` id is in `beside`."""
        seen, kept = set(beside), []
        for work in works:
            same = self._works.work(work).same
            if same not in seen:
                seen.add(same)
                kept.append(work)
        return kept

    def _choices(self, available: _AvailableMasks, cell: Cell, rng: Random) -> Iterator[Offer]:
        """Possible choices: a mask, and three other works as candidates."""
        difficulty, paper = self._levels[cell[1]], available.paper
        tried = MASKS if difficulty.filtered else 1
        for mask in chain.from_iterable(masks[:tried] for masks in available.masks("choice", difficulty).values()):
            works = available.cited_in(mask.section) if difficulty.sampling == "nearest" else available.works
            others = self._apart(works, paper.same, self._works.work(mask.work).same)
            if len(others) < OPTIONS - 1:
                continue
            if not difficulty.filtered:
                yield (mask,), self._similar_lengths(mask.work, others, difficulty, rng)
                continue
            pool = others[:POOL]
            search = Search(paper, [mask], [mask.work, *pool], self._words(paper, difficulty.form))
            found = search.beside(self._balance[cell])
            self._looked[cell].update(tried=found.tried, fitting=found.fitting)
            yield from (((mask,), tuple(pool[number - 1] for number in chosen)) for chosen in found.best)

    def _clozes(self, available: _AvailableMasks, cell: Cell, rng: Random) -> Iterator[Offer]:
        """Possible clozes: four masks of four works, without other candidates."""
        difficulty, paper = self._levels[cell[1]], available.paper
        masks = available.masks("cloze", difficulty)
        pools = [available.works]
        if difficulty.sampling == "nearest":
            pools = [available.cited_in(section) for section in rng.sample(list(paper.cited_in), len(paper.cited_in))]
        for pool in pools:
            works = self._apart((work for work in pool if work in masks), paper.same)
            if len(works) < OPTIONS:
                continue
            if not difficulty.filtered:
                for _ in range(TRIES):
                    yield _in_order([rng.choice(masks[work]) for work in rng.sample(works, OPTIONS)])
                continue
            yield from self._together(paper, {work: masks[work] for work in works[:POOL]}, cell, rng)

    def _together(self, paper: Paper, masks: dict[DocumentId, list[Mask]], cell: Cell, rng: Random) -> Iterator[Offer]:
        """Sets of four masks that matching shared words does not solve: few sets are tried first, many if none fits."""
        words = self._words(paper, self._levels[cell[1]].form)
        for each, sets in CLOZE_SEARCHES:
            asked = [mask for found in masks.values() for mask in found[:each]]
            cited = [number for number, found in enumerate(masks.values()) for _ in found[:each]]
            search = Search(paper, asked, list(masks), words)
            found = search.together(_fours(cited, sets, rng), cited, self._balance[cell])
            self._looked[cell].update(tried=found.tried, fitting=found.fitting)
            yield from (_in_order([asked[number] for number in chosen]) for chosen in found.best)
            if found.best or (found.tried < sets and len(asked) == sum(map(len, masks.values()))):
                return

    def _words(self, paper: Paper, form: Form) -> Callable[[DocumentId], WordCounts]:
        """A function that gives the word counts of a work, for an estimate of how much of it will be shown."""
        shown = max(LEAST, (self.settings.characters - sum(map(_length, paper.shown))) // OPTIONS)
        return lambda work: self._works.work(work).shown(form, shown).stems.up_to(shown)

    def _similar_lengths(
        self, work: DocumentId, others: list[DocumentId], difficulty: Difficulty, rng: Random
    ) -> tuple[DocumentId, ...]:
        """Three random works: the best of three draws, by how similar their lengths are to that of the correct work."""

        def length(id: DocumentId) -> int:
            return self._works.work(id).room(difficulty.form)

        draws = [tuple(rng.sample(others, OPTIONS - 1)) for _ in range(3)]
        return min(draws, key=lambda draw: sum(abs(length(other) - length(work)) for other in draw))

    # Summary.

    def report(self) -> dict[str, JsonValue]:
        """The number of citations that meet each requirement, the items of each task and level, and their baselines."""
        cells: dict[str, JsonValue] = {}
        years = len({self._years[id] for id in self._order}) or 1
        for task, level in reversed(self._cells):
            looked = self._looked[task, level]
            cells[f"{task}, {level}"] = {
                "requested": self.settings.items * years,
                "built": self._total((task, level)),
                "kept share": round(looked["fitting"] / looked["tried"], 4) if looked else 1.0,
                "baselines": {**self.baselines.of(task, level)},
            }
        steps: dict[str, JsonValue] = {step: self._steps[step] for step in STEPS}
        checked: dict[str, JsonValue] = {}
        if self.settings.type_checker is not None:
            checked["type checks"] = self.settings.type_checker.model_dump(mode="json", exclude={"disputed"})
        return {"papers": self._papers, "citations": steps, "left out": self._left_out(), "items": cells, **checked}

    def _left_out(self) -> dict[str, JsonValue]:
        """Papers and works that were not used since something is not known about them."""
        citing = {link.citing for link in self._corpus.links()}
        counts = Counter(f"papers with unknown {field}" for id, field in self._unknown.items() if id in citing)
        return {**dict(sorted(counts.items())), **dict(sorted(self._works.left_out.items()))}

    def explain_empty(self) -> str:
        """The reason why no item was built, with the number of citations that meet each requirement."""
        steps: Counter[str] = Counter()
        citation_types = {level.citation_type for level in self._levels.values()}
        for listed in self._corpus.entries():
            if listed.id in self._unknown:
                continue
            paper = self._paper(listed.id)
            steps.update(paper.steps)
            steps[OF_THE_TYPE] += sum(mask.citation_type in citation_types for mask in paper.masks)
        counted = ", ".join(f"{step} {steps[step]:,}" for step in (*STEPS, OF_THE_TYPE))
        left_out = "".join(f" Not used: {what} {count:,}." for what, count in self._left_out().items())
        room = self.settings.characters
        if any(self._is_too_long(paper) and paper.masks for paper in self.papers()):
            return (
                f"No question paper of '{self._corpus.folder}' leaves space for candidates in {room:,} characters. "
                "Use more --characters, or --scope section."
            )
        return (
            f"No citation of '{self._corpus.folder}' can be used. Citations: {counted}. An item needs a paper that "
            f"cites {OPTIONS} works of the corpus, one of them alone in its brackets. Ingest the cited works too."
            f"{left_out}"
        )


def _length(span: Span) -> int:
    return span.end - span.start


def _in_order(masks: list[Mask]) -> Offer:
    """A cloze of these masks."""
    return tuple(sorted(masks, key=lambda mask: mask.place)), ()


def _fours(cited: Sequence[int], sets: int, rng: Random) -> list[tuple[int, ...]]:
    """About `sets` sets of four masks of four works, by number; `cited` gives the number of each mask's work."""
    by_work: dict[int, list[int]] = defaultdict(list)
    for number, work in enumerate(cited):
        by_work[work].append(number)
    fours = list(combinations(by_work.values(), OPTIONS))
    every = ceil(sum(prod(map(len, four)) for four in fours) / sets)
    return list(islice(chain.from_iterable(product(*four) for four in fours), rng.randrange(every), None, every))
