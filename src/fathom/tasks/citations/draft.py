"""A draft of an item: a paper, its masks and its candidates, before the context is assembled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from fathom.records.contexts import Edit
from fathom.records.documents import DocumentId
from fathom.records.spans import Span
from fathom.tasks.citations.lexical import Matcher, Stretch, best_assignment, best_options, rank, scores
from fathom.tasks.citations.papers import Mask, Paper
from fathom.tasks.citations.settings import Difficulty, Task
from fathom.tasks.citations.word_counts import WordCounts, Words
from fathom.tasks.citations.works import LEAST, ShownText, Work, evenly, show

HIDDEN = "[[HIDDEN]]"
"""Replaces citations of candidates that are not asked about."""


def mark(task: Task, number: int) -> str:
    """The text of a mask; masks of a cloze are numbered from one."""
    return {"choice": "[[CITATION]]", "set": "[[CITATIONS]]"}.get(task, f"[[CITATION {number}]]")


def cited_at(masks: Sequence[Mask]) -> tuple[DocumentId, ...]:
    """The works that are cited at the masks."""
    return tuple(work for mask in masks for work in mask.works)


def cell_name(task: str, level: str, setting: str) -> str:
    """The name of a task and level in summaries, with the setting if there are several."""
    return ", ".join(filter(None, (task, level, setting)))


@dataclass(frozen=True)
class Draft:
    """A paper with its masks in the order of the text, and its candidates in the order shown."""

    task: Task
    level: str
    difficulty: Difficulty
    paper: Paper
    masks: tuple[Mask, ...]
    candidates: tuple[DocumentId, ...]
    characters: int
    work_of: Callable[[DocumentId], Work]
    setting: str = ""
    """The name of the setting, if the same masks are asked about in several settings."""

    @property
    def cell(self) -> str:
        """The task and level, and the setting if there are several."""
        return cell_name(self.task, self.level, self.setting)

    @property
    def chance(self) -> float:
        """The expected share of masks that a guess fills correctly; of a set, the share of its works."""
        return (len(self.answer) if self.task == "set" else 1) / len(self.candidates)

    @property
    def answer(self) -> tuple[int, ...]:
        """The positions of the correct candidates, counted from one, in the order of the masks; of a set, ascending."""
        found = [self.candidates.index(work) + 1 for work in cited_at(self.masks)]
        return tuple(sorted(found) if self.task == "set" else found)

    # The question paper.

    @cached_property
    def question_paper(self) -> ShownText:
        """The paper with its masks."""
        return show(self.paper.document, self.paper.text, self._scope, self._changes, to_be_cut=False)

    @property
    def _scope(self) -> list[Span]:
        if self.difficulty.scope == "full":
            return self.paper.shown
        sections = sorted({mask.section for mask in self.masks})
        return [self.paper.sections[number].span for number in sections]

    @cached_property
    def _changes(self) -> list[tuple[Span, str]]:
        text = self.paper.text
        asked = [
            (mask.place, _spaced(text, mask.place, mark(self.task, number)))
            for number, mask in enumerate(self.masks, start=1)
        ]
        if self.difficulty.masking == "one":
            return asked
        taken = [mask.place for mask in self.masks]
        others = [
            (span, _spaced(text, span, HIDDEN))
            for span in self.paper.mentions(self.candidates)
            if not any(span.start < place.end and place.start < span.end for place in taken)
        ]
        return [*asked, *others]

    # The candidates.

    @cached_property
    def offered(self) -> list[ShownText]:
        """The text of each candidate, at least as much of it as can be shown: an equal share of the space, or more if
        other candidates are short."""
        form, room = self.difficulty.form, max(0, self._room)
        works = list(map(self.work_of, self.candidates))
        shown = [work.shown(form, room // len(works)) for work in works]
        if all(one.reaches(_even(shown, room)) for one in shown):
            return shown
        return [work.shown(form, room) for work in works]

    @property
    def _room(self) -> int:
        """Characters left for the candidates."""
        return self.characters - self.question_paper.length - 1

    @cached_property
    def cut(self) -> int:
        """The length to which candidates are trimmed; zero if the paper leaves no space."""
        return _even(self.offered, self._room) if self._room > 0 else 0

    @cached_property
    def candidate_edits(self) -> list[tuple[Edit, ...]]:
        return [one.cut(self.cut) for one in self.offered]

    @cached_property
    def lengths(self) -> list[int]:
        """The characters shown of each candidate."""
        return [one.cut_length(self.cut) for one in self.offered]

    @property
    def fits(self) -> bool:
        """Whether enough is left of every candidate, and none contains a boundary line or has another work's title."""
        works = list(map(self.work_of, self.candidates))
        if not all(work.is_plain and work.has_own_title for work in works) or self._names_a_candidate:
            return False
        return min(self.lengths) >= min(LEAST, *(one.length for one in self.offered))

    @property
    def _names_a_candidate(self) -> bool:
        """Whether a sentence that should only describe what it cites names a candidate."""
        if self.difficulty.citation_type != "descriptive":
            return False
        sentences = list(map(self.paper.sentence_without, self.masks))
        return any(self.work_of(work).names.is_in(sentence) for work in self.candidates for sentence in sentences)

    # Shared words.

    def rank(self, matcher: Matcher) -> int:
        """For a choice: the rank of the correct candidate for a matcher."""
        return rank(self.answer[0] - 1, self._scores(matcher)[0])

    def share(self, matcher: Matcher) -> float:
        """The share of masks that a matcher fills correctly."""
        if matcher not in self._shares:
            self._shares[matcher] = self._share(matcher)
        return self._shares[matcher]

    def _share(self, matcher: Matcher) -> float:
        if self.task == "choice":
            return float(self.rank(matcher) == 1)
        if self.task == "set":
            best = best_options(self._scores(matcher)[0], len(self.answer))
            return len({*best} & {*self.answer}) / len(self.answer)
        order = best_assignment(self._scores(matcher))
        return sum(place + 1 == answer for place, answer in zip(order, self.answer, strict=True)) / len(self.masks)

    @cached_property
    def _shares(self) -> dict[Matcher, float]:
        return {}

    def _scores(self, matcher: Matcher) -> list[list[float]]:
        """The score of each candidate for each mask."""
        if matcher not in self._known:
            queries = self._queries(matcher.stretch)
            self._known[matcher] = [scores(wanted, self._counted, matcher.cosine) for wanted in queries]
        return self._known[matcher]

    def _queries(self, stretch: Stretch) -> list[Words]:
        if stretch not in self._asked:
            hidden = [place for place, _ in self._changes]
            self._asked[stretch] = [self.paper.queries.of(stretch, mask.place, hidden) for mask in self.masks]
        return self._asked[stretch]

    @cached_property
    def _asked(self) -> dict[Stretch, list[Words]]:
        return {}

    @cached_property
    def _counted(self) -> list[WordCounts]:
        """The word counts of what is shown of each candidate."""
        return [one.stems.up_to(length) for one, length in zip(self.offered, self.lengths, strict=True)]

    @cached_property
    def _known(self) -> dict[Matcher, list[list[float]]]:
        return {}


def _even(shown: Sequence[ShownText], room: int) -> int:
    """The length to which all are cut to fit, each with a line break after it."""
    return max(0, evenly([one.length + 1 for one in shown], room) - 1)


def _spaced(text: str, place: Span, words: str) -> str:
    """The replacement text, with a space on each side if the text has none there: the spacing must give no hint."""
    before = text[place.start - 1 : place.start]
    after = text[place.end : place.end + 1]
    left = " " if before and not before.isspace() and before not in "([{“\"'—–-/" else ""
    return f"{left}{words}{' ' if after.isalnum() else ''}"
