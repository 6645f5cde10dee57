"""Builds items from a corpus's citations: the requested number of each task and level, without shortcuts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property, lru_cache, partial
from itertools import islice
from random import Random

from pydantic import JsonValue

from fathom.contexts.layout import forges_boundary
from fathom.corpus.store import Corpus
from fathom.records.contexts import ContextId
from fathom.records.documents import CitationType, DocumentId, FieldName
from fathom.records.rng import rng_for
from fathom.tasks.citations.baselines import Baselines, shown_item
from fathom.tasks.citations.candidate_search import Features
from fathom.tasks.citations.draft import ItemDraft, cell_name, cited_at
from fathom.tasks.citations.item_layout import ItemLayout
from fathom.tasks.citations.item_selection import LIMITS, PaperOptions, select
from fathom.tasks.citations.papers import STEPS, Mask, Paper
from fathom.tasks.citations.positions import ItemShape, PositionSampler
from fathom.tasks.citations.possible_items import (
    AvailableMasks,
    CorpusWorks,
    ItemFinder,
    PossibleItem,
    TakenItem,
    TaskLevel,
)
from fathom.tasks.citations.settings import MASKS, CitationSettings
from fathom.tasks.citations.topics import topic_vectors
from fathom.tasks.citations.work_names import common_words
from fathom.tasks.citations.works import MIN_CHARACTERS
from fathom.tasks.family import ContextItems

MANY = 8
"""Papers that cite at least this many works of the corpus are tried first, or as many as an item needs."""

BLOCK = 20
"""Masks that a task and level uses before the next one gets its turn: five clozes or twenty choices."""

PLANNED, PLANNED_MORE = 2, 10
"""At filtered levels: possible items for each one that is wanted, and more in all, from which items are chosen."""

PAPER_FIELDS: tuple[FieldName, ...] = ("references", "citations")
"""The fields of a paper that must be known for its citations to be masked."""

IN_GROUPS = "groups of a certain type"
"""The groups of citations that can be masked to ask about one of them, which some levels do."""

OF_THE_TYPE = "of a requested type"
"""The last requirement of a citation in an explanation of an empty build. The levels determine it."""

WHOLE_GROUPS = "groups of works with text"
"""The groups of citations that a set can ask about."""

PAPERS = 128
"""The maximum number of question papers that are cached."""


class CitationBuilder:
    """Builds the items of one corpus."""

    def __init__(self, corpus: Corpus, settings: CitationSettings, seed: int) -> None:
        self.settings = settings
        self._levels = settings.difficulties
        self._disputed = settings.type_checker.disputed if settings.type_checker is not None else {}
        self._corpus = corpus
        self._seed = seed
        self._variants = {level: settings.variants(level) for level in self._levels}
        every = [variant for variants in self._variants.values() for variant in variants.values()]
        self._least = max(one.least_candidates for one in every)
        """The minimum number of works of the corpus that a question paper cites."""
        self._shows_whole = any(one.scope == "full" for one in every)
        self._asks_about_groups = any(one.asks_about_groups(task) for one in every for task in settings.tasks)
        self._counts = [one.candidates for one in every if one.candidates != "all"]
        self._works = CorpusWorks(corpus, {one.form for one in every})
        self._paper = lru_cache(maxsize=PAPERS)(partial(_read, corpus, self._works, self._disputed))
        self._item_finder = ItemFinder(corpus, self._works, settings)
        self._positions = PositionSampler(seed)
        self._laid_out = ItemLayout(corpus)
        self._years = {listed.id: listed.year if self.settings.yearly else None for listed in corpus.entries()}
        self._made: Counter[tuple[TaskLevel, int | None]] = Counter()
        """Items built of each task and level, by year of the paper if `yearly` is set, else under None."""
        self._plan: dict[TaskLevel, dict[DocumentId, list[PossibleItem]]] = {}
        """The items of filtered levels that were chosen and are not yet built."""
        self._steps: Counter[str] = Counter()
        self._papers = 0
        self.baselines = Baselines()

    @property
    def _number_of_years(self) -> int:
        return len({self._years[id] for id in self._order}) or 1

    @property
    def _cells(self) -> list[TaskLevel]:
        """All tasks and levels, those with the fewest suitable citations first."""
        levels = reversed(self._levels)
        tasks = sorted(self.settings.tasks, reverse=True)
        return [(task, level) for level in levels for task in tasks]

    def build(self) -> Iterator[ContextItems]:
        """Each item with its own context.

        Every paper first gives as many items in all as it should give of one task and level. If these are too few, the
        papers that gave so many are used again.
        """
        self._plan = self._planned_items()
        used: dict[DocumentId, list[TakenItem]] = {}
        for paper in self.papers(self._is_wanted):
            self._papers += 1
            id = paper.document.id
            rng = rng_for(self._seed, "citations", id)
            available = AvailableMasks(paper, rng, planned=self._planned_choices(id))
            every = list(islice(self._drafts(available, rng), self.settings.per_paper))
            self._steps.update(paper.steps)
            if self._asks_about_groups:
                self._steps[IN_GROUPS] += len({mask.place for mask in paper.grouped_masks})
            yield from self._items(every)
            if len(every) == self.settings.per_paper:
                used[id] = available.taken
        for id, taken in used.items():
            if self._is_wanted(id):
                rng = rng_for(self._seed, "citations", id, "again")
                available = AvailableMasks(self._paper(id), rng, taken, self._planned_choices(id))
                yield from self._items(self._drafts(available, rng))

    def _planned_items(self) -> dict[TaskLevel, dict[DocumentId, list[PossibleItem]]]:
        """The items of filtered levels by paper. They are chosen together, and some are given up."""
        finder = self._item_finder
        every = {(task, level): list(self._variants[level].values()) for task, level in self._cells}
        cells = {cell: variants for cell, variants in every.items() if finder.is_planned(cell[0], variants)}
        wanted = self.settings.items * self._number_of_years
        found: dict[TaskLevel, list[tuple[DocumentId, list[PossibleItem], PaperOptions]]] = {cell: [] for cell in cells}
        missing = dict.fromkeys(cells, PLANNED * wanted + PLANNED_MORE)
        plan: dict[TaskLevel, dict[DocumentId, list[PossibleItem]]] = {cell: {} for cell in cells}
        for paper in self.papers(lambda id: any(many > 0 for many in missing.values())):
            if not self._can_be_asked_about(paper):
                continue
            rng = rng_for(self._seed, "citations", paper.document.id, "plan")
            available = AvailableMasks(paper, rng)
            for cell in [cell for cell, many in missing.items() if many > 0]:
                fits = partial(self._fits, available, cell, rng)
                options = finder.options(available, cell, cells[cell], rng, fits)
                if options is not None:
                    found[cell].append((paper.document.id, *options))
                    missing[cell] -= min(self.settings.per_paper, len({item.masks for item in options[0]}))
                if missing[cell] <= 0:
                    plan[cell] = self._selected(cell, found[cell], wanted)
                    # If too few of them can be kept, more papers are searched.
                    short = wanted - sum(map(len, plan[cell].values()))
                    missing[cell] = PLANNED * wanted if short > 0 else 0
        return {
            cell: self._selected(cell, found[cell], wanted) if many > 0 else plan[cell]
            for cell, many in missing.items()
        }

    def _selected(
        self, cell: TaskLevel, papers: list[tuple[DocumentId, list[PossibleItem], PaperOptions]], wanted: int
    ) -> dict[DocumentId, list[PossibleItem]]:
        """The chosen items of a task and level by paper."""
        finder = self._item_finder
        balance = finder.balance[cell]

        def drafted(paper: int, option: int) -> Features | None:
            id, items, _ = papers[paper]
            rng = rng_for(self._seed, "citations", id, "plan", str(option))
            drafts = self._drafted(AvailableMasks(self._paper(id), rng), cell, items[option], rng)
            fitting = drafts and all(draft.fits for draft in drafts)
            return balance.features_of(drafts[0].scores_by_key) if fitting else None

        selected = select([options for _, _, options in papers], balance, LIMITS[cell[0]], wanted, drafted)
        found = {
            id: [items[number] for number in chosen]
            for (id, items, _), chosen in zip(papers, selected.chosen, strict=True)
        }
        finder.looked[cell] = Counter(tried=selected.possible, fitting=sum(map(len, found.values())))
        return found

    def _planned_choices(self, paper: DocumentId) -> list[PossibleItem]:
        return [item for (task, _), items in self._plan.items() if task == "choice" for item in items.get(paper, ())]

    def _items(self, every: Iterable[list[ItemDraft]]) -> Iterator[ContextItems]:
        for drafts in every:
            by_context: dict[ContextId, ContextItems] = {}
            for draft in drafts:
                self.baselines.add(draft.cell, shown_item(draft), draft.scores)
                context, item = self._laid_out.item(draft)
                # Settings that hide and show the same share a context.
                by_context.setdefault(context.id, ContextItems(context, [])).items.append(item)
            yield from by_context.values()

    def papers(self, is_wanted: Callable[[DocumentId], bool] = lambda id: True) -> Iterator[Paper]:
        """The question papers, in the order of use."""
        for id in self._order:
            if is_wanted(id) and not forges_boundary(self._corpus.stored_text(id).utf8):
                yield self._paper(id)

    @cached_property
    def _order(self) -> list[DocumentId]:
        """The papers that cite enough works of the corpus: those that cite many first, otherwise in random order.

        A paper that cites four works gives one or two items, and opening it costs as much as any other. Papers longer
        than a whole item come last: they can be used only if most of their text is left out.
        """
        cited = Counter(link.citing for link in self._corpus.links())
        room = self.settings.room(self._least)
        long = {listed.id for listed in self._corpus.entries() if listed.characters > room}
        enough = sorted(id for id, works in cited.items() if works >= self._least and id not in self._unknown)
        rng_for(self._seed, "citations").shuffle(enough)
        return sorted(enough, key=lambda id: (id in long, -min(cited[id], max(MANY, self._least))))

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

    def _open_cells(self, paper: DocumentId) -> list[TaskLevel]:
        """The tasks and levels that still need items of the paper's year."""
        year = self._years[paper]
        return [
            cell
            for cell in self._cells
            if self._made[cell, year] < self.settings.items and (cell not in self._plan or self._plan[cell].get(paper))
        ]

    def _is_wanted(self, paper: DocumentId) -> bool:
        return bool(self._open_cells(paper))

    def _drafts(self, available: AvailableMasks, rng: Random) -> Iterator[list[ItemDraft]]:
        """The items of one paper, each in all settings. The task and level with the fewest masks used, in whole blocks,
        comes first.

        Within a block, the cell with the fewest suitable citations comes first: otherwise a small corpus would use up
        on easy items the citations that hard ones need. The blocks are small, so that in a large corpus hard and easy
        items come from the same papers.
        """
        paper, most = available.paper, self.settings.per_paper
        made = Counter(taken.cell for taken in available.taken)
        hopeless: set[TaskLevel] = set()
        while True:
            open_cells = self._open_cells(paper.document.id)
            wanted = [cell for cell in open_cells if cell not in hopeless and made[cell] < most]
            if not wanted or not self._can_be_asked_about(paper):
                return
            cell = min(wanted, key=lambda cell: self._used(cell, paper) // BLOCK)
            drafts = self._item(available, cell, rng)
            if not drafts:
                hopeless.add(cell)
                continue
            made[cell] += 1
            available.take(TakenItem(cell, drafts[0].masks))
            self._note(cell, drafts)
            yield drafts

    def _used(self, cell: TaskLevel, paper: Paper) -> int:
        """Masks used by a task and level, in the paper's year if `yearly` is set."""
        return self._made[cell, self._years[paper.document.id]] * (MASKS if cell[0] == "cloze" else 1)

    def _can_be_asked_about(self, paper: Paper) -> bool:
        return len(paper.cited) >= self._least and not self._is_too_long(paper)

    def _is_too_long(self, paper: Paper) -> bool:
        """Whether the paper leaves no space for candidates; if sections are shown, each item is checked instead."""
        count = min(self._counts, default=len(paper.cited))
        return self._shows_whole and paper.shown_length > self.settings.room(count) - count * MIN_CHARACTERS

    def _note(self, cell: TaskLevel, drafts: list[ItemDraft]) -> None:
        self._made[cell, self._years[drafts[0].paper.document.id]] += 1
        for places in dict.fromkeys(map(_places, drafts)):
            self._positions.take(places)
        if drafts[0].difficulty.filtered and cell not in self._plan:
            self._item_finder.balance[cell].note(drafts[0].scores_by_key)

    def _item(self, available: AvailableMasks, cell: TaskLevel, rng: Random) -> list[ItemDraft]:
        """An item of that task and level from the paper, in every setting; empty if none fits."""
        for offer in self._offers(available, cell, rng):
            drafts = self._drafted(available, cell, offer, rng)
            if not drafts:
                continue
            first = drafts[0]
            chosen = cell in self._plan or not first.difficulty.filtered
            balanced = chosen or self._item_finder.balance[cell].takes(first.scores_by_key)
            if balanced and all(draft.fits for draft in drafts):
                return drafts
        return []

    def _drafted(self, available: AvailableMasks, cell: TaskLevel, offer: PossibleItem, rng: Random) -> list[ItemDraft]:
        """The item in every setting; empty if a setting needs more works."""
        variants = self._variants[cell[1]]
        others = self._item_finder.in_settings(available, offer, variants, rng)
        if others is None:
            return []
        return [self._draft(cell, available.paper, offer.masks, others[name], name) for name in variants]

    def _fits(self, available: AvailableMasks, cell: TaskLevel, rng: Random, offer: PossibleItem) -> bool:
        drafts = self._drafted(available, cell, offer, rng)
        return bool(drafts) and all(draft.fits for draft in drafts)

    def _offers(self, available: AvailableMasks, cell: TaskLevel, rng: Random) -> Iterator[PossibleItem]:
        """Possible items: those of the plan, each once, if the items of the task and level are planned."""
        if cell not in self._plan:
            yield from self._item_finder.of(available, cell, list(self._variants[cell[1]].values()), rng)
            return
        planned = self._plan[cell][available.paper.document.id]
        while planned:
            yield planned.pop(0)

    def _total(self, cell: TaskLevel) -> int:
        """The number of items of a task and level."""
        return sum(made for (of, _), made in self._made.items() if of == cell)

    def _draft(
        self, cell: TaskLevel, paper: Paper, masks: tuple[Mask, ...], others: tuple[DocumentId, ...], setting: str
    ) -> ItemDraft:
        """The draft in one setting, with its candidates in the next order; each order is equally frequent."""
        task, level = cell
        cited = cited_at(masks)
        count = len(cited) + len(others)
        order = self._positions.next(ItemShape(task, level, count, len(cited)))
        places = dict(zip(order, cited, strict=True))
        rest = iter(others)
        return ItemDraft(
            task=task,
            level=level,
            difficulty=self._variants[level][setting],
            paper=paper,
            masks=masks,
            candidates=tuple(places.get(index) or next(rest) for index in range(1, count + 1)),
            characters=self.settings.room(count),
            work_of=self._works.work,
            vectors=topic_vectors(self._corpus),
            common=common_words(self._corpus).stems,
            setting=setting,
        )

    # Summary.

    def report(self) -> dict[str, JsonValue]:
        """The number of citations that meet each requirement, the items of each task and level, and their baselines."""
        cells: dict[str, JsonValue] = {}
        for task, level in reversed(self._cells):
            for setting, difficulty in self._variants[level].items():
                looked = self._item_finder.looked[task, level] if difficulty.filtered else None
                name = cell_name(task, level, setting)
                cells[name] = {
                    "requested": self.settings.items * self._number_of_years,
                    "built": self._total((task, level)),
                    "kept share": round(looked["fitting"] / looked["tried"], 4) if looked and looked["tried"] else 1.0,
                    "baselines": {**self.baselines.of(name)},
                }
        named = (*STEPS, IN_GROUPS) if self._asks_about_groups else STEPS
        steps: dict[str, JsonValue] = {step: self._steps[step] for step in named}
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
            steps[IN_GROUPS] += len({mask.place for mask in paper.grouped_masks})
            steps[WHOLE_GROUPS] += len(paper.group_masks)
        sets_only = self.settings.tasks == ("set",)
        named = [*STEPS, OF_THE_TYPE, *([IN_GROUPS] if self._asks_about_groups else [])]
        named += [WHOLE_GROUPS] if "set" in self.settings.tasks else []
        counted = ", ".join(f"{step} {steps[step]:,}" for step in named)
        left_out = "".join(f" Not used: {what} {count:,}." for what, count in self._left_out().items())
        room = self.settings.room(self._least)
        asked_about = [paper for paper in self.papers() if (paper.group_masks if sets_only else paper.masks)]
        if asked_about and all(map(self._is_too_long, asked_about)):
            return (
                f"No question paper of '{self._corpus.folder}' leaves space for candidates in {room:,} characters. "
                "Use more --characters, or --scope section."
            )
        wanted = "two of them in a group that cites no other work" if sets_only else "one of them alone in its brackets"
        wanted += " or in a group that is known in full" if self._asks_about_groups else ""
        return (
            f"No citation of '{self._corpus.folder}' can be used. Citations: {counted}. An item needs a paper that "
            f"cites {self._least} works of the corpus ({len(self._order)} do), {wanted}. Ingest the cited works too."
            f"{left_out}"
        )


def _read(corpus: Corpus, works: CorpusWorks, disputed: Mapping[str, CitationType | None], id: DocumentId) -> Paper:
    return Paper(corpus.document(id), corpus.text(id), works, disputed)


def _places(draft: ItemDraft) -> ItemShape:
    return ItemShape(draft.task, draft.level, len(draft.candidates), len(draft.answer))
