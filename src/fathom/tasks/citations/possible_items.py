"""Possible items of a paper: masks with their candidates, before they are laid out."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache, partial
from itertools import chain, combinations, islice, product
from math import ceil, prod
from random import Random
from statistics import mean
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fathom.corpus.store import Corpus
from fathom.records.documents import DocumentId
from fathom.records.spans import Span
from fathom.tasks.citations.candidate_search import (
    Features,
    MatcherBalance,
    SearchSpace,
    choice_scores,
    choice_sets,
    cloze_scores,
    cloze_sets,
    standardized,
)
from fathom.tasks.citations.draft import CUT, cited_at, wanted_words
from fathom.tasks.citations.evidence import evidence_words
from fathom.tasks.citations.item_selection import PaperOptions
from fathom.tasks.citations.lexical import match_scores
from fathom.tasks.citations.papers import NEAR, Mask, Paper
from fathom.tasks.citations.settings import MASKS, CandidateSampling, CitationSettings, CitationTask, Difficulty, Form
from fathom.tasks.citations.topics import topic_vectors
from fathom.tasks.citations.work_names import common_words
from fathom.tasks.citations.works import MIN_CHARACTERS, CandidateWork

KEPT = 2_048
"""The maximum number of works whose texts are cached."""
TRIES = 8
"""Masks, or sets of masks, of one paper that are tried for one item."""
BALANCED_TRIES = 16
"""At filtered levels with more than four candidates: sets of masks of one paper that are tried for one cloze."""
POOL = 10
"""At filtered levels: works of a paper among which the candidates of an item are searched, or twice as many as the item
has candidates."""
MASKS_OF_WORK = 6
"""At filtered levels: masks of one work that are tried."""
SET_DRAWS = 4
"""At filtered levels: draws of the other candidates that are tried for one group of citations."""
MASKS_OF_PAPER = 12
"""At filtered levels: masks of one paper for which candidates are searched."""
SETS_OF_MASK, SETS_OF_PAPER = 100, 1_500
"""At filtered levels: sets of candidates for a mask, and sets of four masks of a paper, among which items are chosen; a
sample if there are more."""

SETS_IN_SETTINGS = 3
"""The same for a search, if items are built in several settings."""

SHARED_MASKS = 2
"""The maximum number of masks that two clozes of a paper have in common."""

TaskLevel = tuple[CitationTask, str]
"""A task and the name of a level."""


class PossibleItem(NamedTuple):
    """A possible item."""

    masks: tuple[Mask, ...]
    others: tuple[DocumentId, ...]
    """The candidates that are not cited at any of the masks."""


class TakenItem(NamedTuple):
    """What an item of a paper uses."""

    cell: TaskLevel
    masks: tuple[Mask, ...]


class CorpusWorks:
    """The works of a corpus that have enough text to show; each is opened on first use."""

    def __init__(self, corpus: Corpus, forms: set[Form]) -> None:
        self._forms = sorted(forms)
        self._known: dict[DocumentId, bool] = {}
        self.left_out: Counter[str] = Counter()
        """Works that could not be used as candidates since a field is not known, by field."""
        # Not a bound method: without a reference cycle the works are freed at once.
        self.work = lru_cache(maxsize=KEPT)(partial(CandidateWork, corpus))

    def __contains__(self, id: object) -> bool:
        assert isinstance(id, str)
        if id not in self._known:
            work = self.work(id)
            lacking = next(filter(None, map(work.lacks, self._forms)), None)
            if lacking is not None:
                self.left_out[f"works with unknown {lacking}"] += 1
            # A title with its abstract is short by nature; every other form needs enough text.
            self._known[id] = lacking is None and all(
                work.room(form) >= (MIN_CHARACTERS if form != "concise" else 200) for form in self._forms
            )
        return self._known[id]

    def apart(self, works: Iterable[DocumentId], *beside: str) -> list[DocumentId]:
        """The works without other versions of the same work, and without those whose `same` id is in `beside`."""
        seen, kept = set(beside), []
        for work in works:
            same = self.work(work).same
            if same not in seen:
                seen.add(same)
                kept.append(work)
        return kept


class AvailableMasks:
    """The unused masks of a paper: each mask is used once, and each work is the answer to at most one choice.

    Works are drawn first, and then their masks. Otherwise the work that a paper cites most would be the likeliest
    answer to a choice. In a cloze, every candidate is an answer once.
    """

    def __init__(
        self, paper: Paper, rng: Random, taken: Iterable[TakenItem] = (), planned: Iterable[PossibleItem] = ()
    ) -> None:
        """`taken` are the items that were built before, and `planned` the choices whose masks and works are kept for
        them."""
        self.paper = paper
        self.works = rng.sample(sorted(paper.cited.values()), len(paper.cited))
        """In random order. If the first few suffice, the texts of the others are not opened."""
        self._masks = rng.sample(paper.masks, len(paper.masks))
        self._asked: set[Span] = set()
        """The places that choices ask about."""
        self._clozes: list[set[Span]] = []
        self._rng = rng
        self._chosen: set[DocumentId] = set()
        self.searched: dict[tuple[Form, tuple[Mask, ...], tuple[DocumentId, ...]], SearchSpace] = {}
        """What was searched so far, by form, masks and works."""
        self.taken: list[TakenItem] = []
        for item in taken:
            self.take(item)
        for [mask], _ in planned:
            self._keep(mask)

    def masks(self, task: CitationTask, variants: Sequence[Difficulty]) -> dict[DocumentId, list[Mask]]:
        """The masks for a task in these settings, by work; those of lone citations come first."""
        found: dict[DocumentId, list[Mask]] = defaultdict(list)
        grouped = self._grouped if variants[0].asks_about_groups(task) else []
        for mask in filter(partial(_suits, variants), chain(self._masks, grouped)):
            if task != "choice" or mask.place not in self._asked:
                found[mask.work].append(mask)
        chosen = self._chosen if task == "choice" else ()
        return {work: found[work] for work in self.works if work in found and work not in chosen}

    def groups(self, variants: Sequence[Difficulty]) -> list[Mask]:
        """The groups of citations that can be masked in these settings."""
        return list(filter(partial(_suits, variants), self._groups))

    @cached_property
    def _grouped(self) -> list[Mask]:
        """The citations of groups, in random order."""
        return self._rng.sample(self.paper.grouped_masks, len(self.paper.grouped_masks))

    @cached_property
    def _groups(self) -> list[Mask]:
        """In random order. Groups that cite the same works count once."""
        groups = {frozenset(mask.works): mask for mask in self.paper.group_masks}
        return self._rng.sample(list(groups.values()), len(groups))

    def take(self, item: TakenItem) -> None:
        """Mark the masks of an item as used."""
        (task, _), masks = item
        self.taken.append(item)
        if task == "set":
            self._groups.remove(masks[0])
            return
        if task == "cloze":
            self._clozes.append({mask.place for mask in masks})
            return
        self._keep(masks[0])

    def _keep(self, mask: Mask) -> None:
        """Ask about a mask in one choice alone."""
        self._asked.add(mask.place)
        self._chosen.add(mask.work)

    def is_new_cloze(self, masks: Iterable[Mask]) -> bool:
        """Whether these masks can be a cloze that shares few of them with each earlier one: each is at another place,
        and none of them hides a citation of another one's work."""
        masks = tuple(masks)
        asked = {mask.place for mask in masks}
        hidden = {entry for mask in masks for entry in mask.beside}
        return (
            len(asked) == len(masks)
            and all(mask.references[0] not in hidden for mask in masks)
            and all(len(known & asked) <= SHARED_MASKS for known in self._clozes)
        )

    def cited_near(self, section: int, distance: int) -> list[DocumentId]:
        """The works that a section cites, and then those of the sections up to so far before and after it."""
        own, near = (self.paper.cited_near(section, far) for far in (0, distance))
        return sorted((work for work in self.works if work in near), key=lambda work: work not in own)


def _suits(variants: Sequence[Difficulty], mask: Mask) -> bool:
    """Whether a mask can be asked about in these settings."""
    in_section = any(variant.scope == "section" for variant in variants)
    return mask.citation_type == variants[0].citation_type and (not in_section or mask.section >= 0)


class ItemFinder:
    """Finds the possible items of papers."""

    def __init__(self, corpus: Corpus, works: CorpusWorks, settings: CitationSettings) -> None:
        self._corpus = corpus
        self._works = works
        self._settings = settings
        self.balance: dict[TaskLevel, MatcherBalance] = defaultdict(MatcherBalance)
        self.looked: dict[TaskLevel, Counter[str]] = defaultdict(Counter)
        """For filtered levels: possible items, and how many of them are kept."""

    def of(
        self, available: AvailableMasks, cell: TaskLevel, variants: Sequence[Difficulty], rng: Random
    ) -> Iterator[PossibleItem]:
        """Possible items of a paper, with the candidates of the first of the settings."""
        if cell[0] == "choice":
            return self._choices(available, variants, rng)
        tries = BALANCED_TRIES if variants[0].filtered else TRIES
        found = self._sets(available, variants, rng) if cell[0] == "set" else self._clozes(available, variants, rng)
        return islice(found, tries)

    def in_settings(
        self, available: AvailableMasks, offer: PossibleItem, variants: Mapping[str, Difficulty], rng: Random
    ) -> dict[str, tuple[DocumentId, ...]] | None:
        """The other candidates of an offer in each of the settings; None if a setting needs more works.

        Settings with the same sampling and number have the same candidates, and a smaller set is part of a larger one.
        """
        lines: dict[CandidateSampling, list[DocumentId]] = {}
        found: dict[str, tuple[DocumentId, ...]] = {}
        for name, difficulty in variants.items():
            if not lines:
                lines[difficulty.sampling] = rng.sample(offer.others, len(offer.others))
            line = lines.setdefault(difficulty.sampling, [])
            wanted = len(line)
            if len(variants) > 1:
                pool = self._pool(available, offer.masks, difficulty)
                wanted = _others(difficulty, offer.masks, pool)
                if not line and wanted <= len(pool):
                    line += self._draw(offer.masks, pool, difficulty, rng)
                if wanted > len(line):
                    line += rng.sample(left := [work for work in pool if work not in line], len(left))
            if wanted > len(line):
                return None
            found[name] = tuple(line[:wanted])
        return found

    # Choices and clozes.

    def _choices(
        self, available: AvailableMasks, variants: Sequence[Difficulty], rng: Random
    ) -> Iterator[PossibleItem]:
        """Possible choices: a mask, and random other works as candidates."""
        difficulty = variants[0]
        for mask, pool in islice(self._with_pools(available, variants, 1), TRIES):
            yield PossibleItem((mask,), self._draw((mask,), pool, difficulty, rng))

    def _with_pools(
        self, available: AvailableMasks, variants: Sequence[Difficulty], tried: int, least: int = 0
    ) -> Iterator[tuple[Mask, list[DocumentId]]]:
        """The masks of choices with the works that may be candidates beside it, `least` of them if there are so many:
        one mask of each work, then the second ones, and so on, so many of each."""
        by_work = [self._unnamed(available.paper, masks) for masks in available.masks("choice", variants).values()]
        for mask in (mask for _ in range(tried) for masks in by_work for mask in islice(masks, 1)):
            pool = self._pool(available, (mask,), variants[0], least)
            if MASKS - 1 <= _others(variants[0], (mask,), pool) <= len(pool):
                yield mask, pool

    def _clozes(self, available: AvailableMasks, variants: Sequence[Difficulty], rng: Random) -> Iterator[PossibleItem]:
        """Possible clozes: four random masks of four works, and other works as candidates."""
        difficulty, paper = variants[0], available.paper
        masks = available.masks("cloze", variants)
        for works in self._cloze_pools(available, masks, variants, rng):
            for _ in range(BALANCED_TRIES if difficulty.filtered else TRIES):
                asked = _in_order([rng.choice(masks[work]) for work in rng.sample(works, MASKS)])
                if len(list(self._unnamed(paper, asked))) < MASKS or not available.is_new_cloze(asked):
                    continue
                others = self._pool(available, asked, difficulty) if difficulty.candidates != MASKS else []
                if _others(difficulty, asked, others) <= len(others):
                    yield PossibleItem(asked, self._draw(asked, others, difficulty, rng))

    def _cloze_pools(
        self,
        available: AvailableMasks,
        masks: Container[DocumentId],
        variants: Sequence[Difficulty],
        rng: Random,
    ) -> list[list[DocumentId]]:
        """The works among which the four of a cloze are drawn: those of the whole paper, or of each section."""
        pools = [self._asked_works(available, masks, available.works)]
        if any(variant.sampling == "nearest" for variant in variants):
            sections = available.paper.cited_in
            pools = self._near_works(available, masks, rng.sample(list(sections), len(sections)))
        return [pool for pool in pools if pool]

    def _near_works(
        self, available: AvailableMasks, masks: Container[DocumentId], sections: Sequence[int]
    ) -> list[list[DocumentId]]:
        """For each section, the works of a cloze; with those of its neighbors if no section alone cites enough."""
        found: list[list[DocumentId]] = []
        for distance in range(NEAR + 1):
            near = (available.cited_near(section, distance) for section in sections)
            found = [self._asked_works(available, masks, works) for works in near]
            if any(found):
                break
        return found

    def _asked_works(
        self, available: AvailableMasks, masks: Container[DocumentId], pool: Iterable[DocumentId]
    ) -> list[DocumentId]:
        """The works of a pool with masks, apart from each other; none if they are too few for a cloze."""
        works = self._works.apart((work for work in pool if work in masks), available.paper.same)
        return works if len(works) >= MASKS else []

    def _sets(self, available: AvailableMasks, variants: Sequence[Difficulty], rng: Random) -> Iterator[PossibleItem]:
        """Possible sets: a group of citations, and other works as candidates, at least one in every setting."""
        difficulty, paper = variants[0], available.paper
        for mask in self._unnamed(paper, available.groups(variants)):
            if len(self._works.apart(mask.works, paper.same)) < len(mask.works):
                continue
            pool = self._pool(available, (mask,), difficulty)
            wanted = _others(difficulty, (mask,), pool)
            least = min(variant.least_candidates for variant in variants) - len(mask.works)
            if not min(wanted, least) >= 1 or wanted > len(pool):
                continue
            for _ in range(SET_DRAWS if difficulty.filtered and wanted < len(pool) else 1):
                yield PossibleItem((mask,), self._draw((mask,), pool, difficulty, rng))

    def _unnamed(self, paper: Paper, masks: Iterable[Mask]) -> Iterator[Mask]:
        """The masks without those of descriptive citations whose sentence names a cited work after all."""
        for mask in masks:
            if not any(self._works.work(work).is_named_at(mask, paper) for work in mask.works):
                yield mask

    # Items of filtered levels, which are chosen together.

    @staticmethod
    def is_planned(task: CitationTask, variants: Sequence[Difficulty]) -> bool:
        """Whether the items of a task in these settings are chosen together, from the options of many papers."""
        return variants[0].filtered and (task == "choice" or (task == "cloze" and variants[0].candidates == MASKS))

    def options(
        self,
        available: AvailableMasks,
        cell: TaskLevel,
        variants: Sequence[Difficulty],
        rng: Random,
        fits: Callable[[PossibleItem], bool],
    ) -> tuple[list[PossibleItem], PaperOptions] | None:
        """The possible items of a paper, with what the matchers say about them; None if there are none.

        In one setting nearly all of them can be built; in several, few can be built in all, so that some are tried.
        """
        search = self._choice_options if cell[0] == "choice" else self._cloze_options
        items: list[PossibleItem] = []
        found: list[Features] = []
        for some, features in search(available, variants, self.balance[cell], rng):
            numbers = list(range(len(some)))
            if len(variants) > 1:
                tried = rng.sample(numbers, min(SETS_IN_SETTINGS, len(numbers)))
                numbers = [number for number in tried if fits(some[number])]
            items += [some[number] for number in numbers]
            found.append(features.of(numbers))
        if not items:
            return None
        return items, self._paper_options(items, Features(*map(np.concatenate, zip(*found, strict=True))))

    def _paper_options(self, items: Sequence[PossibleItem], features: Features) -> PaperOptions:
        is_choice = len(items[0].masks) == 1
        places = _columns([[mask.place for mask in item.masks] for item in items])
        works = _columns([[item.masks[0].work, *item.others] if is_choice else [] for item in items])
        asked = _columns([[item.masks[0].work] if is_choice else [] for item in items])
        answers = np.array([[item.masks[0].work == work for work in works.names] for item in items], dtype=float)
        others = works.marked - answers
        return PaperOptions(
            features=features,
            uses=np.hstack([places.marked, asked.marked]),
            shared=0 if is_choice else SHARED_MASKS,
            most=self._settings.per_paper,
            shown=works.marked.astype(float),
            # All candidates of a cloze are answers.
            correct=answers - others / np.maximum(1, others.sum(axis=1, keepdims=True)),
        )

    def _choice_options(
        self, available: AvailableMasks, variants: Sequence[Difficulty], balance: MatcherBalance, rng: Random
    ) -> Iterator[tuple[list[PossibleItem], Features]]:
        """For each mask, its possible choices and their features."""
        difficulty = variants[0]
        for mask, every in islice(self._with_pools(available, variants, MASKS_OF_WORK, POOL), MASKS_OF_PAPER):
            wanted = _others(difficulty, (mask,), every)
            pool = every[: max(POOL, 2 * wanted)]
            searched = self._searched(available, difficulty.form, (mask,), (mask.work, *pool), wanted + 1)
            sets = choice_sets(searched, wanted + 1)
            if len(sets):
                sets = sets[rng.sample(range(len(sets)), min(SETS_OF_MASK, len(sets)))]
                items = [PossibleItem((mask,), tuple(pool[number - 1] for number in one[1:])) for one in sets.tolist()]
                yield items, balance.learn(standardized(choice_scores(searched, sets)))

    def _cloze_options(
        self, available: AvailableMasks, variants: Sequence[Difficulty], balance: MatcherBalance, rng: Random
    ) -> Iterator[tuple[list[PossibleItem], Features]]:
        """For each section, the possible clozes of works that are cited near it, and their features."""
        paper = available.paper
        known: set[tuple[Mask, ...]] = set()
        masks = available.masks("cloze", variants)
        for works in self._cloze_pools(available, masks, variants, rng):
            unnamed = ((work, list(islice(self._unnamed(paper, masks[work]), MASKS_OF_WORK))) for work in works)
            pooled = dict(islice((of_work for of_work in unnamed if of_work[1]), POOL))
            if len(pooled) < MASKS:
                continue
            asked = tuple(mask for found in pooled.values() for mask in found)
            cited = np.array([number for number, found in enumerate(pooled.values()) for _ in found])
            fours = [
                four
                for four in _fours(cited.tolist(), SETS_OF_PAPER, rng)
                if available.is_new_cloze(asked[number] for number in four)
            ]
            items = [PossibleItem(_in_order([asked[number] for number in four]), ()) for four in fours]
            new = [number for number, item in enumerate(items) if item.masks not in known]
            known.update(items[number].masks for number in new)
            if not new:
                continue
            searched = self._searched(available, variants[0].form, asked, tuple(pooled), MASKS)
            sets = cloze_sets(searched, [fours[number] for number in new], cited)
            if len(sets):
                found = [PossibleItem(_in_order([asked[number] for number in four]), ()) for four in sets.tolist()]
                yield found, balance.learn(standardized(cloze_scores(searched, sets, cited)))

    def _searched(
        self,
        available: AvailableMasks,
        form: Form,
        masks: tuple[Mask, ...],
        works: tuple[DocumentId, ...],
        candidates: int,
    ) -> SearchSpace:
        """The masks and works with their scores, for an estimate of what will be shown of the works.

        A paper is often asked for another item, and the same masks are then searched again.
        """
        key = form, masks, works
        if key not in available.searched:
            paper = available.paper
            shown = (
                max(MIN_CHARACTERS, (self._settings.room(candidates) - paper.shown_length) // candidates) // CUT * CUT
            )
            wanted = wanted_words(paper, masks)
            queries = [paper.queries.of(mask.place) for mask in masks]
            words = [self._works.work(work).excerpt(form, shown, wanted).words for work in works]
            common = common_words(self._corpus).stems
            telling = [evidence_words(query.words, len(masks), common) for query in queries]
            # Every word of the sentences that occurs in a work will be shown of it, whichever masks are asked about.
            whole = [self._works.work(work).shown(form).words for work in works]
            held = [np.array([one.holds(told) for one in whole]) for told in telling]
            opened = list(map(self._works.work, works))
            excluded = [[not work.can_be_shown or work.is_named_at(mask, paper) for work in opened] for mask in masks]
            scores = match_scores(queries, words, topic_vectors(self._corpus))
            available.searched[key] = SearchSpace(scores, held, np.array(excluded))
        return available.searched[key]

    # Candidates that are not cited at the masks.

    def _pool(
        self, available: AvailableMasks, masks: Sequence[Mask], difficulty: Difficulty, least: int = 0
    ) -> list[DocumentId]:
        """The works that may be candidates beside those cited at the masks. If all of them will be, only those that can
        be shown, so that one work does not spoil the item. Nearest ones are searched in more sections as long as they
        are fewer than `least`, or too few for an item."""
        if difficulty.sampling == "random":
            return self._beside(available, masks, available.works, difficulty)
        sections = [masks[0].section] if len(masks) == 1 else list(available.paper.cited_in)
        cited = set(cited_at(masks))
        pool: list[DocumentId] = []
        for distance in range(NEAR + 1):
            near = (works for section in sections if cited <= set(works := available.cited_near(section, distance)))
            pool = self._beside(available, masks, next(near, ()), difficulty)
            if difficulty.candidates == "all" or max(least, _others(difficulty, masks, pool)) <= len(pool):
                break
        return pool

    def _beside(
        self,
        available: AvailableMasks,
        masks: Sequence[Mask],
        works: Iterable[DocumentId],
        difficulty: Difficulty,
    ) -> list[DocumentId]:
        """The works without those cited at the masks, asked about or not, and without other versions of works."""
        if difficulty.candidates == "all":
            works = [id for id in works if self._works.work(id).can_be_shown]
        beside = (work for mask in masks for work in available.paper.works_beside(mask))
        same = (self._works.work(work).same for work in chain(cited_at(masks), beside))
        return self._works.apart(works, available.paper.same, *same)

    def _draw(
        self, masks: Sequence[Mask], pool: list[DocumentId], difficulty: Difficulty, rng: Random
    ) -> tuple[DocumentId, ...]:
        """Random works of the pool: the best of three draws, by how similar their lengths are to those of the cited
        works."""
        wanted = _others(difficulty, masks, pool)
        if wanted == len(pool):
            return tuple(pool)

        def length(id: DocumentId) -> int:
            return self._works.work(id).room(difficulty.form)

        cited = mean(map(length, cited_at(masks)))
        draws = [tuple(rng.sample(pool, wanted)) for _ in range(3)]
        return min(draws, key=lambda draw: sum(abs(length(other) - cited) for other in draw))


def _others(difficulty: Difficulty, masks: Sequence[Mask], pool: Sequence[DocumentId]) -> int:
    """The number of candidates beside those cited at the masks."""
    return len(pool) if difficulty.candidates == "all" else difficulty.candidates - len(cited_at(masks))


def _in_order(masks: list[Mask]) -> tuple[Mask, ...]:
    return tuple(sorted(masks, key=lambda mask: mask.place))


def _fours(cited: Sequence[int], sets: int, rng: Random) -> list[tuple[int, ...]]:
    """About `sets` sets of four masks of four works, by number; `cited` gives the number of each mask's work."""
    by_work: dict[int, list[int]] = defaultdict(list)
    for number, work in enumerate(cited):
        by_work[work].append(number)
    fours = list(combinations(by_work.values(), MASKS))
    every = ceil(sum(prod(map(len, four)) for four in fours) / sets)
    return list(islice(chain.from_iterable(product(*four) for four in fours), rng.randrange(every), None, every))


class _Columns(NamedTuple):
    """What rows have, as a table."""

    names: list[Hashable]
    marked: NDArray[np.bool_]


def _columns(rows: Sequence[Sequence[Hashable]]) -> _Columns:
    names = list(dict.fromkeys(name for row in rows for name in row))
    held = list(map(set, rows))
    return _Columns(names, np.array([[name in row for name in names] for row in held], dtype=bool))
