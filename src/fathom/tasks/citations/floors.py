"""How far one gets without reading: by shared words, by position, by length, by ruling out what is cited elsewhere."""

from __future__ import annotations

from collections import Counter, defaultdict

from fathom.records.names import family_of
from fathom.tasks.citations.draft import Draft
from fathom.tasks.citations.settings import OPTIONS


class Floors:
    """Sums over the items of each task and level."""

    def __init__(self) -> None:
        self._items: Counter[tuple[str, str]] = Counter()
        self._sums: dict[tuple[str, str], dict[str, float]] = defaultdict(lambda: defaultdict(float))
        self._places: dict[tuple[str, str], Counter[tuple[int, ...]]] = defaultdict(Counter)

    def add(self, draft: Draft) -> None:
        cell = draft.task, draft.level
        self._items[cell] += 1
        self._places[cell][draft.answer] += 1
        sums = self._sums[cell]
        for name, matched in zip(("words of the sentence", "words around"), draft.matched, strict=True):
            sums[name] += matched
        sums["elimination"] += _by_elimination(draft)
        if draft.task == "choice":
            sums["longest"] += _by_length(draft)

    def of(self, task: str, level: str) -> dict[str, float]:
        """The share that each shortcut gets right; for a cloze, of masks."""
        cell = task, level
        items = self._items[cell]
        if not items:
            return {}
        found = {name: round(value / items, 4) for name, value in self._sums[cell].items()}
        return {**found, "position": round(max(self._places[cell].values()) / items, 4)}


def _by_elimination(draft: Draft) -> float:
    """The chance of whoever rules out each candidate whose author or title the question paper still names."""
    shown = draft.question_paper.text
    left = [number for number, work in enumerate(draft.candidates, start=1) if not _is_named(draft, work, shown)]
    guessed = left or list(range(1, OPTIONS + 1))
    return sum(answer in guessed for answer in draft.answer) / len(guessed) / len(draft.answer)


def _is_named(draft: Draft, work: str, shown: str) -> bool:
    candidate = draft.work_of(work)
    authors = candidate.outline.authors
    surname = family_of(authors[0].span.of(candidate.text)) if authors else ""
    return (len(surname) > 3 and surname in shown) or candidate.title in shown


def _by_length(draft: Draft) -> float:
    """The chance of whoever takes the longest candidate."""
    lengths = [draft.shown_of(work).cut_length(draft.cut) for work in draft.candidates]
    longest = [number for number, length in enumerate(lengths, start=1) if length == max(lengths)]
    return (draft.answer[0] in longest) / len(longest)
