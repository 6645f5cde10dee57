"""Shortcut baselines: shared words, position, length, and elimination of candidates that the paper names elsewhere."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from fathom.records.names import family_name
from fathom.tasks.citations.draft import Draft
from fathom.tasks.citations.lexical import MATCHERS
from fathom.tasks.citations.papers import Paper
from fathom.tasks.citations.word_counts import occurrences
from fathom.tasks.citations.works import Work


class Baselines:
    """The accuracy of each shortcut on the items of each task, level and setting."""

    def __init__(self) -> None:
        self._items: Counter[str] = Counter()
        self._sums: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
        self._places: dict[str, Counter[tuple[int, ...]]] = defaultdict(Counter)

    def add(self, draft: Draft) -> None:
        cell = draft.cell
        self._items[cell] += 1
        self._places[cell][draft.answer] += 1
        sums = self._sums[cell]
        for matcher in MATCHERS:
            sums[matcher.name] += draft.share(matcher)
        sums["elimination"] += _by_elimination(draft)
        if draft.task == "choice":
            sums["longest"] += _by_length(draft)
        if draft.task == "set":
            sums["all candidates"] += f1(range(1, len(draft.candidates) + 1), draft.answer)

    def of(self, cell: str) -> dict[str, float]:
        """The accuracy of each shortcut by name; for a cloze, the share of masks that it fills correctly;
        for a set, the share of its works, or F1."""
        items = self._items[cell]
        if not items:
            return {}
        found = {name: round(value / items, 4) for name, value in self._sums[cell].items()}
        return {**found, "position": round(max(self._places[cell].values()) / items, 4)}


def _by_elimination(draft: Draft) -> float:
    shown = draft.question_paper.text
    named = [is_named(draft.work_of(work), draft.paper, shown) for work in draft.candidates]
    return by_elimination(named, draft.answer, draft.task)


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


def is_named(work: Work, paper: Paper, shown: str) -> bool:
    """Whether the shown paper contains the work's title, or its first author's family name as a word."""
    return work.title in shown or any(
        next(occurrences(shown, name), None) is not None for name in _first_authors(work, paper)
    )


def _first_authors(work: Work, paper: Paper) -> set[str]:
    """Family names of the first author, from the work and from the reference list: some works have no byline."""
    signed = {author.span.of(work.text) for author in work.outline.authors[:1]}
    signed |= {
        author.of(paper.text)
        for entry in paper.document.references
        if entry.document == work.outline.id
        for author in entry.authors[:1]
    }
    return {name for name in map(family_name, signed) if len(name) > 3}


def _by_length(draft: Draft) -> float:
    """The accuracy of choosing the longest candidate."""
    longest = [number for number, length in enumerate(draft.lengths, start=1) if length == max(draft.lengths)]
    return (draft.answer[0] in longest) / len(longest)
