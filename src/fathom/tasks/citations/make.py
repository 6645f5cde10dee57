"""Items from a corpus's citations: as many of each task and level as were asked for, and none with a shortcut."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from itertools import islice, permutations
from random import Random

from pydantic import JsonValue

from fathom.contexts.layout import forges_boundary
from fathom.corpus.store import Corpus
from fathom.records.articles import ArticleId
from fathom.records.chance import rng_for
from fathom.records.contexts import Context
from fathom.records.spans import Span
from fathom.tasks.citations.choosing import STRONGEST, Matched, beside, together
from fathom.tasks.citations.draft import Draft
from fathom.tasks.citations.floors import Floors
from fathom.tasks.citations.laying_out import LaidOut
from fathom.tasks.citations.lexical import MATCHERS, Matcher
from fathom.tasks.citations.papers import STEPS, Mask, Paper
from fathom.tasks.citations.settings import OPTIONS, Citing, Difficulty, Form, Task
from fathom.tasks.citations.words import Counted
from fathom.tasks.citations.works import LEAST, Work
from fathom.tasks.family import Asked, Item

KEPT = 2_048
"""Works whose texts are kept at hand."""
TRIES = 8
"""Masks or sets of masks of one paper that are tried for one item."""
POOL = 5
"""Works nearest to a mask among which the candidates are chosen where shared words are kept out."""
CLOZE_POOL = 8
"""The same where four masks must be misleading at once, which is rare."""

OF_THE_TYPE = "of the type asked for"
"""The last step of a citation, which hangs on the levels."""

MOST_OF_A_RANK = 0.4
"""The share of items whose right candidate may be second, third or last by shared words."""

BEHIND = 2.0
"""Items by which a matcher may fall behind chance: whoever is always wrong tells as much as whoever is right."""

Cell = tuple[Task, str]
"""A task at a level."""
Offer = tuple[tuple[Mask, ...], tuple[ArticleId, ...]]
"""Masks that can be asked about together, and the works to stand beside theirs."""


class _Shelf:
    """The works of a corpus that have a text to show; each is opened when it is first asked for."""

    def __init__(self, corpus: Corpus, forms: set[Form]) -> None:
        self._corpus = corpus
        self._forms = sorted(forms)
        self._known: dict[ArticleId, bool] = {}
        self.work = lru_cache(maxsize=KEPT)(self._open)

    def _open(self, id: ArticleId) -> Work:
        return Work(self._corpus, id)

    def __contains__(self, id: object) -> bool:
        assert isinstance(id, str)
        if id not in self._known:
            work = self.work(id)
            # A title with its abstract is short by nature; any other form must have something to read.
            self._known[id] = all(work.room(form) >= (LEAST if form != "concise" else 200) for form in self._forms)
        return self._known[id]


class CitationMaker:
    """Makes the items of one corpus."""

    def __init__(self, corpus: Corpus, asked: Asked, seed: int) -> None:
        self.settings = Citing.model_validate(asked.own.get("citations", {}))
        self._corpus = corpus
        self._seed = seed
        self._shelf = _Shelf(corpus, {level.form for level in self.settings.levels.values()})
        self._laid_out = LaidOut(corpus)
        self._made: Counter[Cell] = Counter()
        self._ranks: dict[tuple[Cell, Matcher], Counter[int]] = defaultdict(Counter)
        self._matched: dict[tuple[Cell, Matcher], float] = defaultdict(float)
        """How each matcher fares: places of the right candidate, and masks filled rightly."""
        self._dropped: Counter[Cell] = Counter()
        self._orders: dict[Cell, list[tuple[int, ...]]] = defaultdict(list)
        self._steps: Counter[str] = Counter()
        self._papers = 0
        self._last: tuple[tuple[Paper, Form], Matched] | None = None
        self.floors = Floors()

    @property
    def _cells(self) -> list[Cell]:
        """Those that are hardest to fill first."""
        levels = reversed(self.settings.levels)
        tasks = sorted(self.settings.tasks, reverse=True)
        return [(task, level) for level in levels for task in tasks]

    def make(self, watch: Callable[[], None]) -> Iterator[tuple[Context, list[Item]]]:
        """Each item with its own context."""
        for paper in self.papers():
            self._papers += 1
            drafts = list(self._drafts(paper, rng_for(self._seed, "citations", paper.article.id)))
            self._steps.update(paper.steps)
            for draft in drafts:
                self.floors.add(draft)
                context, item = self._laid_out.item(draft)
                yield context, [item]
            watch()
            if all(self._is_full(cell) for cell in self._cells):
                break

    def papers(self) -> Iterator[Paper]:
        """The question papers, in the order in which they are tried."""
        for id in self._order():
            if not forges_boundary(self._corpus.text(id)):
                yield self._paper(id)

    def _paper(self, id: ArticleId) -> Paper:
        return Paper(self._corpus.apparatus(id), self._corpus.words(id), self._shelf, self.settings.types)

    def _order(self) -> list[ArticleId]:
        """The papers that cite enough works of the corpus: those that cite many first, and shuffled among those.

        From a paper that cites four works comes one item or two, and opening it costs as much as any other. One that
        is longer than a whole item can be asked about only where much of it is left out.
        """
        cited = Counter(link.citing for link in self._corpus.links())
        long = {listed.id for listed in self._corpus.listing() if listed.characters > self.settings.characters}
        enough = sorted(id for id, works in cited.items() if works >= OPTIONS)
        rng_for(self._seed, "citations").shuffle(enough)
        return sorted(enough, key=lambda id: (id in long, -min(cited[id], 2 * OPTIONS)))

    # Which item next.

    def _is_full(self, cell: Cell) -> bool:
        return self._made[cell] >= self.settings.items

    def _drafts(self, paper: Paper, rng: Random) -> Iterator[Draft]:
        """The items of one paper: whatever is scarcest first, and no work twice.

        Were masks drawn instead, the work that the paper cites most often would be the likeliest answer.
        """
        used: set[ArticleId] = set()
        hopeless: set[Cell] = set()
        made = 0
        while made < self.settings.per_paper:
            wanted = [cell for cell in self._cells if cell not in hopeless and not self._is_full(cell)]
            if not wanted or self._is_too_long(paper) or len(paper.cited) < OPTIONS:
                return
            cell = min(wanted, key=self._made.__getitem__)
            draft = self._draft(paper, cell, used, rng)
            if draft is None:
                hopeless.add(cell)
                continue
            made += 1
            used.update(mask.work for mask in draft.masks)
            self._note(cell, draft)
            yield draft

    def _is_too_long(self, paper: Paper) -> bool:
        """Whether the paper leaves its candidates no room; where sections are shown, each item is looked at."""
        whole = all(level.scope == "full" for level in self.settings.levels.values())
        return whole and sum(map(_length, paper.shown)) > self.settings.characters - OPTIONS * LEAST

    def _note(self, cell: Cell, draft: Draft) -> None:
        self._made[cell] += 1
        self._orders[cell].pop()
        if draft.difficulty.filtered:
            for matcher in MATCHERS:
                self._matched[cell, matcher] += draft.share(matcher)
                if draft.task == "choice":
                    self._ranks[cell, matcher][draft.rank(matcher)] += 1

    def _draft(self, paper: Paper, cell: Cell, used: set[ArticleId], rng: Random) -> Draft | None:
        """One item of that task and level from the paper; None where it allows none."""
        task, level = cell
        difficulty = self.settings.levels[level]
        masks = [mask for mask in paper.masks if mask.manner == difficulty.manner and mask.work not in used]
        if difficulty.scope == "section":
            masks = [mask for mask in masks if mask.section >= 0]
        masks = _one_of_each_work(masks, rng) if task == "choice" else rng.sample(masks, len(masks))
        offers = self._choices if task == "choice" else self._clozes
        order = self._next_order(cell)
        for asked, others in islice(offers(paper, masks, cell, rng), TRIES):
            draft = self._ordered(cell, paper, asked, others, order, rng)
            if not draft.fits:
                continue
            if not difficulty.filtered or self._is_balanced(cell, draft):
                return draft
            self._dropped[cell] += 1
        return None

    def _is_balanced(self, cell: Cell, draft: Draft) -> bool:
        """Whether with this item shared words still do no better than chance on its cell, nor much worse.

        Were everything dropped that they solve, the best match would be known to be wrong: another shortcut.
        """
        if draft.task == "choice":
            return all(self._takes(cell, matcher, draft.rank(matcher)) for matcher in MATCHERS)
        wanted = (self._made[cell] + 1) / OPTIONS
        return all(self._matched[cell, matcher] + draft.share(matcher) <= wanted for matcher in MATCHERS)

    def _takes(self, cell: Cell, matcher: Matcher, place: int) -> bool:
        """Whether one more item may have its right candidate at that place by the shared words of a matcher."""
        made, ranks = self._made[cell], self._ranks[cell, matcher]
        if place == 1:
            return ranks[1] <= made / OPTIONS
        return ranks[place] <= made * MOST_OF_A_RANK + 1 and ranks[1] >= made / OPTIONS - BEHIND

    def _next_order(self, cell: Cell) -> tuple[int, ...]:
        """Where the right candidates stand: every place, or every order, as often as every other."""
        if not self._orders[cell]:
            places = range(1, OPTIONS + 1)
            block = list(permutations(places, 1 if cell[0] == "choice" else OPTIONS))
            rng_for(self._seed, "orders", *cell, self._made[cell]).shuffle(block)
            self._orders[cell] = block
        return self._orders[cell][-1]

    def _ordered(
        self,
        cell: Cell,
        paper: Paper,
        asked: tuple[Mask, ...],
        others: tuple[ArticleId, ...],
        order: tuple[int, ...],
        rng: Random,
    ) -> Draft:
        """The draft with its candidates in the order that is wanted."""
        task, level = cell
        places: dict[int, ArticleId] = {place: mask.work for place, mask in zip(order, asked, strict=True)}
        rest = rng.sample(others, len(others))
        candidates = tuple(places.get(place) or rest.pop() for place in range(1, OPTIONS + 1))
        difficulty = self.settings.levels[level]
        return Draft(
            task=task,
            level=level,
            difficulty=difficulty,
            paper=paper,
            masks=asked,
            candidates=candidates,
            masking=self.settings.mask,
            characters=self.settings.characters,
            work_of=self._shelf.work,
        )

    # Which masks, which candidates.

    def _others(self, paper: Paper, mask: Mask, works: list[ArticleId]) -> list[ArticleId]:
        """The works that can stand beside the right one: no version of it, of one another, or of the paper."""
        seen = {paper.same, self._shelf.work(mask.work).same}
        kept: list[ArticleId] = []
        for work in works:
            same = self._shelf.work(work).same
            if same not in seen:
                seen.add(same)
                kept.append(work)
        return kept

    def _choices(self, paper: Paper, masks: list[Mask], cell: Cell, rng: Random) -> Iterator[Offer]:
        """Masks, each with three other works."""
        difficulty = self.settings.levels[cell[1]]
        for mask in masks:
            works = paper.nearest(mask) if difficulty.sampling == "nearest" else sorted(set(paper.cited.values()))
            others = self._others(paper, mask, [work for work in works if work != mask.work])
            if len(others) < OPTIONS - 1:
                continue
            if difficulty.filtered:
                offered = beside(mask, others[:POOL], self._wanted(cell), self._compared(paper, difficulty.form))
                if not offered:
                    self._dropped[cell] += 1
                yield from (((mask,), chosen) for chosen in offered)
            elif difficulty.sampling == "nearest":
                yield (mask,), tuple(others[: OPTIONS - 1])
            else:
                yield (mask,), self._alike(mask.work, others, difficulty, rng)

    def _wanted(self, cell: Cell) -> list[int]:
        """The places by the strongest matcher that one more choice may have its answer at, the rarest first."""
        places = sorted(range(1, OPTIONS + 1), key=self._ranks[cell, STRONGEST].__getitem__)
        return [place for place in places if self._takes(cell, STRONGEST, place)]

    def _most(self, cell: Cell) -> float:
        """The share of one more cloze that the strongest matcher may fill rightly."""
        return (self._made[cell] + 1) / OPTIONS - self._matched[cell, STRONGEST]

    def _compared(self, paper: Paper, form: Form) -> Matched:
        """Works beside the masks of the paper, before it is known how much of them will be shown."""
        if self._last is None or self._last[0] != (paper, form):
            shown = max(LEAST, (self.settings.characters - sum(map(_length, paper.shown))) // OPTIONS)
            counted = partial(self._counted, form=form, characters=shown)
            self._last = (paper, form), Matched(paper, counted)
        return self._last[1]

    def _counted(self, work: ArticleId, form: Form, characters: int) -> Counted:
        return self._shelf.work(work).shown(form).stems.up_to(characters)

    def _alike(
        self, work: ArticleId, others: list[ArticleId], difficulty: Difficulty, rng: Random
    ) -> tuple[ArticleId, ...]:
        """Three others at random; of a few draws the one whose lengths are nearest to the right one's."""

        def length(id: ArticleId) -> int:
            return self._shelf.work(id).shown(difficulty.form).length

        draws = [tuple(rng.sample(others, OPTIONS - 1)) for _ in range(3)]
        return min(draws, key=lambda draw: sum(abs(length(other) - length(work)) for other in draw))

    def _clozes(self, paper: Paper, masks: list[Mask], cell: Cell, rng: Random) -> Iterator[Offer]:
        """Four masks of four works; no other candidates."""
        difficulty = self.settings.levels[cell[1]]
        if len({mask.work for mask in masks}) < OPTIONS:
            return
        for anchor in masks:
            pool = masks
            if difficulty.sampling == "nearest":
                pool = sorted(masks, key=lambda mask: (mask.section != anchor.section, _distance(mask, anchor)))
            by_work = {mask.work: mask for mask in reversed(pool)}
            works = dict.fromkeys(mask.work for mask in pool if mask.work != anchor.work)
            others = self._others(paper, anchor, list(works))
            if len(others) < OPTIONS - 1:
                continue
            if difficulty.filtered:
                near = [by_work[work] for work in others[:CLOZE_POOL]]
                offered = together(anchor, near, self._most(cell), self._compared(paper, difficulty.form))
                if not offered:
                    self._dropped[cell] += 1
            elif difficulty.sampling == "nearest":
                offered = [tuple(by_work[work] for work in others[: OPTIONS - 1])]
            else:
                offered = [tuple(by_work[work] for work in rng.sample(others, OPTIONS - 1))]
            for chosen in offered:
                yield tuple(sorted((anchor, *chosen), key=lambda mask: mask.place)), ()

    # What is worth knowing.

    def report(self) -> dict[str, JsonValue]:
        """How many citations were left after each step, what was made, what was kept out, and the floors."""
        cells: dict[str, JsonValue] = {}
        for task, level in reversed(self._cells):
            made, dropped = self._made[task, level], self._dropped[task, level]
            cells[f"{task}, {level}"] = {
                "asked": self.settings.items,
                "made": made,
                "kept share": round(made / (made + dropped), 4) if made + dropped else 0.0,
                "floors": {**self.floors.of(task, level)},
            }
        steps: dict[str, JsonValue] = {step: self._steps[step] for step in STEPS}
        return {"papers": self._papers, "citations": steps, "items": cells}

    def why_none(self) -> str:
        """How many citations fell out at which step."""
        steps: Counter[str] = Counter()
        manners = {level.manner for level in self.settings.levels.values()}
        for listed in self._corpus.listing():
            paper = self._paper(listed.id)
            steps.update(paper.steps)
            steps[OF_THE_TYPE] += sum(mask.manner in manners for mask in paper.masks)
        counted = ", ".join(f"{step} {steps[step]:,}" for step in (*STEPS, OF_THE_TYPE))
        room = self.settings.characters
        if any(self._is_too_long(paper) and paper.masks for paper in self.papers()):
            return (
                f"No question paper of '{self._corpus.folder}' leaves its candidates room in {room:,} characters. "
                "Give more --characters, or --scope section."
            )
        return (
            f"No citation of '{self._corpus.folder}' can be asked about. Citations {counted}. An item needs a paper "
            f"that cites {OPTIONS} works whose texts are in the corpus too, one of them alone. Ingest those works."
        )


def _one_of_each_work(masks: list[Mask], rng: Random) -> list[Mask]:
    """A mask of each work, in any order: the work is drawn first, however often it is cited."""
    by_work: dict[ArticleId, list[Mask]] = defaultdict(list)
    for mask in masks:
        by_work[mask.work].append(mask)
    return [rng.choice(by_work[work]) for work in rng.sample(list(by_work), len(by_work))]


def _length(span: Span) -> int:
    return span.end - span.start


def _distance(one: Mask, two: Mask) -> int:
    return abs(one.place.start - two.place.start)
