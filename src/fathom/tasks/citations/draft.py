"""A draft of an item: a paper, its masks and its candidates, before the context is assembled."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from fathom.records.documents import DocumentId, Passage
from fathom.records.spans import Span
from fathom.tasks.citations.evidence import evidence_words, find_evidence
from fathom.tasks.citations.lexical import MaskQuery, match_scores
from fathom.tasks.citations.papers import Mask, Paper
from fathom.tasks.citations.settings import CitationTask, Difficulty
from fathom.tasks.citations.shown_text import ShownText, evenly, show
from fathom.tasks.citations.topics import FloatArray, TopicVectors
from fathom.tasks.citations.word_counts import Words
from fathom.tasks.citations.works import MIN_CHARACTERS, CandidateWork

HIDDEN = "[[HIDDEN]]"
"""Replaces citations of candidates that are not asked about."""


def mark(task: CitationTask, number: int) -> str:
    """The text of a mask; masks of a cloze are numbered from one."""
    return {"choice": "[[CITATION]]", "set": "[[CITATIONS]]"}.get(task, f"[[CITATION {number}]]")


def cited_at(masks: Sequence[Mask]) -> tuple[DocumentId, ...]:
    """The works that are cited at the masks."""
    return tuple(work for mask in masks for work in mask.works)


def cell_name(task: str, level: str, setting: str) -> str:
    """The name of a task and level in summaries, with the setting if there are several."""
    return ", ".join(filter(None, (task, level, setting)))


CUT = 500
"""Candidates are cut to a multiple of this many characters, so that an excerpt of the search can be used again."""


def wanted_words(paper: Paper, masks: Iterable[Mask]) -> Words:
    """The words of the masks' sentences, which choose the paragraphs that are shown of the candidates."""
    return tuple(sorted({word for mask in masks for word in paper.queries.of(mask.place).words}))


@dataclass(frozen=True)
class ItemDraft:
    """A paper with its masks in the order of the text, and its candidates in the order shown."""

    task: CitationTask
    level: str
    difficulty: Difficulty
    paper: Paper
    masks: tuple[Mask, ...]
    candidates: tuple[DocumentId, ...]
    characters: int
    work_of: Callable[[DocumentId], CandidateWork]
    vectors: TopicVectors
    common: Collection[str]
    """The common stems of the corpus."""
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

    @property
    def is_grouped(self) -> bool:
        """Whether a mask hides a group of citations."""
        return any(mask.is_grouped for mask in self.masks)

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
        """The whole text of each candidate; as much of it is shown as fits."""
        return [self.work_of(work).shown(self.difficulty.form) for work in self.candidates]

    @cached_property
    def excerpts(self) -> list[ShownText]:
        """What is shown of each candidate: an equal share of the space, or more if other candidates are short."""
        lengths = [one.length + 1 for one in self.offered]
        room = max(0, self.characters - self.question_paper.length - 1)
        cut = max(lengths) if sum(lengths) <= room else evenly(lengths, room) // CUT * CUT
        wanted = wanted_words(self.paper, self.masks)
        return [self.work_of(work).excerpt(self.difficulty.form, cut, wanted) for work in self.candidates]

    @cached_property
    def lengths(self) -> list[int]:
        """The characters shown of each candidate."""
        return [excerpt.length for excerpt in self.excerpts]

    @property
    def fits(self) -> bool:
        """Whether enough is left of every candidate, with evidence for every mask, and no sentence names one that it
        should only describe."""
        works = list(map(self.work_of, self.candidates))
        if not all(work.can_be_shown for work in works):
            return False
        if any(work.is_named_at(mask, self.paper) for mask in self.masks for work in works):
            return False
        return min(self.lengths) >= min(MIN_CHARACTERS, *(one.length for one in self.offered)) and all(self.evidence)

    # Shared words.

    @cached_property
    def queries(self) -> list[MaskQuery]:
        """The text around each mask."""
        # What is left out is hidden too: the references may begin near a mask.
        hidden = [edit.span for edit in self.question_paper.edits]
        return [self.paper.queries.of(mask.place, hidden) for mask in self.masks]

    @cached_property
    def scores(self) -> FloatArray:
        """The scores of all matchers, by mask and candidate."""
        return match_scores(self.queries, [excerpt.words for excerpt in self.excerpts], self.vectors)

    @property
    def scores_by_key(self) -> FloatArray:
        """The same as a set of one item, where the correct candidate of mask number n is number n; a group of citations
        counts as a mask for each of its works."""
        correct = [answer - 1 for answer in self.answer]
        others = [number for number in range(len(self.candidates)) if number not in correct]
        scores = self.scores[:, None, :, [*correct, *others]]
        return scores.repeat(len(correct), axis=2) if self.task == "set" else scores

    @cached_property
    def evidence(self) -> list[tuple[Passage, ...]]:
        """For each correct candidate, the passages that distinguish it from the incorrect ones, if any."""
        asked = self.queries * len(self.answer) if self.task == "set" else self.queries
        cited = {answer - 1 for answer in self.answer} if self.task == "set" else set()
        return [
            tuple(
                find_evidence(
                    evidence_words(query.words, len(self.masks), self.common), self.excerpts, answer - 1, cited
                )
            )
            for query, answer in zip(asked, self.answer, strict=True)
        ]


def _spaced(text: str, place: Span, words: str) -> str:
    """The replacement text, with a space on each side if the text has none there: the spacing must give no hint."""
    before = text[place.start - 1 : place.start]
    after = text[place.end : place.end + 1]
    left = " " if before and not before.isspace() and before not in "([{“\"'—–-/" else ""
    return f"{left}{words}{' ' if after.isalnum() else ''}"
