"""Shortcut baselines: matchers, position, length, items of the paper, and elimination of works that it names."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from fathom.records.documents import DocumentId
from fathom.records.names import family_name
from fathom.records.tag_values import value_order
from fathom.tasks.citations import held_out_matchers
from fathom.tasks.citations.draft import ItemDraft
from fathom.tasks.citations.lexical import MATCHERS, best_assignment, best_assignments, best_options, orders
from fathom.tasks.citations.papers import Paper
from fathom.tasks.citations.settings import LEVELS, CitationTask
from fathom.tasks.citations.topics import FloatArray
from fathom.tasks.citations.word_counts import occurrences
from fathom.tasks.citations.works import CandidateWork

MEASURED = 100
"""Items of a task and level on which the held-out matchers are measured: the first ones."""
DRAWS = 200
"""Random keys from which the maximum at chance is computed."""
FOLDS = 5
"""Parts of the papers; a matcher that is chosen on the others is measured on each."""


@dataclass(frozen=True)
class ShownItem:
    """An item as it is shown, with its key."""

    paper: DocumentId
    candidates: tuple[DocumentId, ...]
    answer: tuple[int, ...]
    texts: tuple[str, ...]
    """The text of the paper and of each candidate."""
    named: tuple[bool, ...]
    """Whether the paper still names each candidate."""
    task: CitationTask


@dataclass
class _Measures:
    """The results on one task and level."""

    items: list[tuple[DocumentId, tuple[DocumentId, ...], tuple[int, ...]]]
    """The paper, candidates and answer of each item."""
    balanced: list[FloatArray]
    held_out: list[FloatArray]
    """For each item, the share of masks that each matcher fills correctly."""
    chosen: list[NDArray[np.int_]]
    """For each item but sets, what each held-out matcher chooses."""
    sums: Counter[str]


class Baselines:
    """The accuracy of each shortcut on the items of each task, level and setting."""

    def __init__(self) -> None:
        self._cells: dict[str, _Measures] = defaultdict(lambda: _Measures([], [], [], [], Counter()))

    def add(self, cell: str, shown: ShownItem, scores: FloatArray) -> None:
        """Measure an item; `scores` are those of the balanced matchers."""
        found, answer = self._cells[cell], shown.answer
        found.items.append((shown.paper, shown.candidates, answer))
        found.balanced.append(shares(scores, answer))
        if len(found.held_out) < MEASURED:
            tables = np.array(list(held_out_matchers.tables(shown.texts[0], shown.texts[1:]).values()))
            found.held_out.append(shares(tables, answer))
            if shown.task != "set":
                found.chosen.append(best_assignments(tables))
        found.sums["elimination"] += by_elimination(shown.named, answer, shown.task)  # type: ignore[assignment]
        if shown.task == "set":
            found.sums["all candidates"] += f1(range(1, len(shown.texts)), answer)  # type: ignore[assignment]
            return
        found.sums["longest"] += _share_of([len(text) for text in shown.texts[1:]], answer)  # type: ignore[assignment]

    def balanced(self, cell: str) -> list[FloatArray]:
        """For each item of a task and level, the share of masks that each balanced matcher fills correctly."""
        return self._cells[cell].balanced

    @property
    def cells(self) -> list[str]:
        """All tasks and levels in order."""
        return sorted(self._cells, key=lambda cell: [value_order(one, tuple(LEVELS)) for one in cell.split(", ")])

    @property
    def items(self) -> int:
        """The number of items measured."""
        return sum(len(cell.items) for cell in self._cells.values())

    def of(self, cell: str) -> dict[str, float]:
        """The accuracy of each shortcut by name; for a cloze, the share of masks that it fills correctly; for a set,
        the share of its works, or F1."""
        if cell not in self._cells:
            return {}
        found = self._cells[cell]
        items = len(found.items)
        balanced, others = np.mean(found.balanced, axis=0), np.mean(found.held_out, axis=0)
        chosen = chosen_on_others([paper for paper, _, _ in found.items[:MEASURED]], np.array(found.held_out))
        values = {
            **({"held-out matcher chosen on other papers": chosen.mean()} if chosen is not None else {}),
            "best held-out matcher": others.max(),
            **({"best held-out matcher at chance": self._at_chance(found)} if found.chosen else {}),
            "mean held-out matcher": others.mean(),
            "best balanced matcher": balanced.max(),
            MATCHERS[0]: balanced[0],
            "fewest items": self._by_items(found),
            **{name: total / items for name, total in found.sums.items()},
            "position": max(Counter(answer for _, _, answer in found.items).values()) / items,
        }
        return {name: round(float(value), 4) for name, value in values.items()}

    def _by_items(self, found: _Measures) -> float:
        """The accuracy of choosing the candidate that occurs in the fewest items of its paper, of any level."""
        every = chain.from_iterable(cell.items for cell in self._cells.values())
        seen = Counter((paper, work) for paper, candidates, _ in every for work in candidates)
        return sum(
            _share_of([-seen[paper, work] for work in candidates], answer) for paper, candidates, answer in found.items
        ) / len(found.items)

    def _at_chance(self, found: _Measures) -> float:
        """What the best held-out matcher would reach in 95 of 100 cases if the keys were random."""
        rng = np.random.default_rng(0)
        hits = np.zeros((DRAWS, len(found.held_out[0])))
        for (_, candidates, answer), chosen in zip(found.items, found.chosen, strict=False):
            keys = rng.random((DRAWS, len(candidates))).argsort(axis=1)[:, : len(answer)]
            hits += (keys[:, None, :] == chosen).mean(axis=2)
        return float(np.quantile(hits.max(axis=1), 0.95)) / len(found.chosen)


def paper_folds(papers: Sequence[str]) -> list[tuple[list[int], list[int]]]:
    """For each part of the papers, the numbers of the items of the other papers, and of its own; `papers` gives the
    paper of each item. Empty if all items are of one paper."""
    known = np.random.default_rng(0).permutation(sorted(set(papers))).tolist()
    fold = {paper: number % FOLDS for number, paper in enumerate(known)}
    return [
        (
            [number for number, paper in enumerate(papers) if fold[paper] != part],
            [number for number, paper in enumerate(papers) if fold[paper] == part],
        )
        for part in range(min(FOLDS, len(known)) if len(known) > 1 else 0)
    ]


def chosen_on_others(papers: Sequence[str], found: FloatArray) -> FloatArray | None:
    """The accuracy on each item (row of `found`) of the matcher (column) that is the best on other papers; None if
    there are none.

    The best of many matchers on the same items is above chance by chance alone; this one is not.
    """
    values = np.full(len(papers), np.nan)
    for others, own in paper_folds(papers):
        values[own] = found[own, found[others].mean(axis=0).argmax()]
    return None if np.isnan(values).any() else values


def shares(scores: FloatArray, answer: Sequence[int]) -> FloatArray:
    """For each matcher, the share of masks that it fills correctly, averaged over ties; axes matcher, mask, candidate.

    Several masks are filled by the best assignment. A mask with several correct candidates gets that many.
    """
    masks, candidates = scores.shape[1:]
    if masks < len(answer):
        best = [best_options(row, len(answer)) for [row] in scores]
        return np.array([len({*one} & {*answer}) / len(answer) for one in best])
    if masks > 1 and masks < candidates:
        wanted = np.array(answer) - 1
        return np.array([(np.array(best_assignment(table)) == wanted).mean() for table in scores])
    every = orders(masks) if masks > 1 else np.arange(candidates)[:, None]
    totals = scores[:, np.arange(masks), every].sum(axis=2)
    best = totals >= totals.max(axis=1, keepdims=True) - 1e-9
    correct = (every == np.array(answer) - 1).mean(axis=1)
    found: FloatArray = best @ correct / best.sum(axis=1)
    return found


def _share_of(values: Sequence[int], answer: Sequence[int]) -> float:
    """The accuracy of choosing the candidate with the highest value."""
    best = [number for number, value in enumerate(values, start=1) if value == max(values)]
    return sum(option in best for option in answer) / len(best) / len(answer)


def shown_item(draft: ItemDraft) -> ShownItem:
    """The item of a draft."""
    paper = draft.question_paper.text
    return ShownItem(
        draft.paper.document.id,
        draft.candidates,
        draft.answer,
        (paper, *(excerpt.text for excerpt in draft.excerpts)),
        tuple(is_named(draft.work_of(work), draft.paper, paper) for work in draft.candidates),
        draft.task,
    )


def f1(options: Iterable[int], answer: Iterable[int]) -> float:
    """The F1 of a set of options."""
    stated, expected = set(options), set(answer)
    return 2 * len(stated & expected) / (len(stated) + len(expected))


def by_elimination(named: Sequence[bool], answer: Sequence[int], task: str) -> float:
    """The accuracy of ruling out each candidate whose author or title the question paper still names; of a set, the F1
    of all that are left."""
    left = [number for number, is_out in enumerate(named, start=1) if not is_out] or list(range(1, len(named) + 1))
    if task == "set":
        return f1(left, answer)
    return sum(option in left for option in answer) / len(left) / len(answer)


def is_named(work: CandidateWork, paper: Paper, shown: str) -> bool:
    """Whether the shown paper contains the work's title, or its first author's family name as a word."""
    return work.title in shown or any(
        next(occurrences(shown, name), None) is not None for name in _first_authors(work, paper)
    )


def _first_authors(work: CandidateWork, paper: Paper) -> set[str]:
    """Family names of the first author, from the work and from the reference list: some works have no byline."""
    signed = {author.span.of(work.text) for author in work.outline.authors[:1]}
    signed |= {
        author.of(paper.text)
        for entry in paper.document.references
        if entry.document == work.outline.id
        for author in entry.authors[:1]
    }
    return {name for name in map(family_name, signed) if len(name) > 3}
