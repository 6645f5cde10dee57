"""Audits items: finds every mask again in its document, and measures shortcut baselines."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import lru_cache

from fathom.contexts.layout import render
from fathom.corpus.store import Corpus
from fathom.records.contexts import Context
from fathom.records.documents import FieldName
from fathom.records.layouts import PAPER_AND_CANDIDATES
from fathom.records.lengths import format_length
from fathom.records.questions import QuestionId
from fathom.records.spans import Span
from fathom.scoring.answers import Assignment, Choice, Selection
from fathom.scoring.check import check_response
from fathom.tasks.auditing import AuditChecks
from fathom.tasks.citations.baselines import Baselines, ShownItem, is_named
from fathom.tasks.citations.draft import HIDDEN, cell_name, mark
from fathom.tasks.citations.evidence import distinguishing_words, evidence_words
from fathom.tasks.citations.item_layout import TASKS, wording
from fathom.tasks.citations.name_check import frequent_words, visible_names
from fathom.tasks.citations.papers import Mask, Paper
from fathom.tasks.citations.settings import MASKS, CitationTask, Masking
from fathom.tasks.citations.simulate import Simulator, options_of
from fathom.tasks.citations.word_counts import stems_in
from fathom.tasks.citations.work_names import common_words
from fathom.tasks.citations.works import MIN_CHARACTERS, OFTEN, CandidateWork
from fathom.tasks.family import AuditCheck, Item

CACHED = 512
"""The maximum number of papers, and of works, in the caches."""


class CitationsAuditor:
    """Verifies items from the documents alone, without the code that built them."""

    def __init__(self, corpus: Corpus, seed: int, measured: bool = True) -> None:
        self._corpus = corpus
        self._measured = measured
        self._paper = lru_cache(maxsize=CACHED)(lambda id: Paper(corpus.document(id), corpus.text(id)))
        self._work = lru_cache(maxsize=CACHED)(lambda id: CandidateWork(corpus, id))
        self._common = common_words(corpus)
        self._matcher = Simulator(corpus)
        self._checks = AuditChecks()
        self._used: dict[tuple[str, ...], list[set[str]]] = defaultdict(list)
        self._answers: Counter[tuple[str, ...]] = Counter()
        self._pairs: dict[str, list[tuple[Context, Item]]] = defaultdict(list)
        """Items with the same masks, in the order of the bench."""
        self._baselines = Baselines()

    def check(self, context: Context, items: Sequence[Item]) -> dict[QuestionId, tuple[str, ...]]:
        """The failed checks of the items of one context."""
        for item in items:
            self._check_item(context, item)
        return self._checks.failures(items)

    def _check_item(self, context: Context, item: Item) -> None:
        try:
            text = render(context, self._corpus).decode()
            options = options_of(item.key)
            masks = self._masks(context, item)
        except Exception:
            # A key file may contain anything.
            self._checks.check("the item can be parsed and rendered", item, False)
            return
        self._checks.check(
            "the item can be parsed and rendered",
            item,
            context.layout == PAPER_AND_CANDIDATES and self._is_numbered(context, item),
        )
        self._check_key(context, item, masks, options)
        self._check_masks(context, item, text, masks)
        self._check_candidates(context, item, text, masks)
        self._checks.check("evidence for every mask is shown", item, self._has_evidence(context, item, text, masks))
        self._checks.check("what the item shows and hides is known", item, self._is_known(context, item))
        worded = _worded(context, item, masks)
        self._checks.check("the question has its standard wording", item, item.question.text == worded)
        self._checks.check("the tags match the item", item, self._is_tagged(context, item, masks))
        self._checks.check_responses(item, check_response)
        self._check_pair(context, item)
        if self._measured:
            self._measure(context, item, text, options)

    def _masks(self, context: Context, item: Item) -> list[Mask | None]:
        """The citation or group at each place of the key, found again in the document; None if it is not there."""
        paper = self._paper(context.documents[0])
        every = paper.group_masks if _task(item) == "set" else (*paper.masks, *paper.grouped_masks)
        known = {(mask.place, mask.references): mask for mask in every}
        entries: dict[Span, tuple[int, ...]] = defaultdict(tuple)
        for *_, place, entry in item.key.proof.rows:
            start, _, end = place.partition("-")
            entries[Span(int(start), int(end))] += (int(entry),)
        return [known.get(asked) for asked in entries.items()]

    def _is_numbered(self, context: Context, item: Item) -> bool:
        """Whether the item has as many candidates as its tag and its key say."""
        answer, of = item.key.answer, len(context.places) - 1
        wanted = item.question.tags.get("candidates")
        return (
            isinstance(answer, Choice | Assignment | Selection)
            and TASKS[answer.type] == item.question.tags.get("task")
            and answer.of == of >= MASKS
            and wanted in ("all", str(of))
        )

    def _has_evidence(self, context: Context, item: Item, text: str, masks: list[Mask | None]) -> bool:
        """Whether the proof names passages of each mask's work, all are shown unchanged, and one of them contains a
        telling word of the mask's sentence that fewer than half of the incorrect candidates contain."""
        places = {place.document: place for place in context.places[1:]}
        said: dict[str, set[str]] = {id: set() for id in places}
        for passage in item.key.proof.passages:
            if passage.document in places:
                place = places[passage.document].locate(passage.span)
                quoted = passage.span.of(self._work(passage.document).text)
                if place is None or place.of(text) != quoted:
                    return False
                said[passage.document].update(stems_in(quoted))
        stems = [set(stems_in(place.span.of(text))) for place in context.places[1:]]
        hidden = [edit.span for edit in context.places[0].edits]
        for mask in masks:
            if mask is None or not set(mask.works) <= set(places):
                return False
            words = self._paper(context.documents[0]).queries.of(mask.place, hidden).words
            words = evidence_words(words, len(masks), self._common.stems)
            cited = {work: context.documents.index(work) - 1 for work in mask.works}
            distinguishing = {
                work: distinguishing_words(words, stems, place, cited.values()) for work, place in cited.items()
            }
            if any(said[work].isdisjoint(found) for work, found in distinguishing.items()):
                return False
        return True

    def _is_known(self, context: Context, item: Item) -> bool:
        """Whether citations and references of the paper, and what identifies the candidates, are known."""
        paper = self._paper(context.documents[0]).document
        by_form: dict[str, FieldName] = {"concise": "abstract", "body": "sections"}
        shown: tuple[FieldName, ...] = ("title", by_form.get(item.question.tags.get("candidate-text", ""), "title"))
        return all(paper.state(field) == "known" for field in ("references", "citations")) and all(
            self._work(id).outline.state(field) != "unknown" for id in context.documents[1:] for field in shown
        )

    # Checks.

    def _check_key(self, context: Context, item: Item, masks: list[Mask | None], options: tuple[int, ...]) -> None:
        task, candidates = _task(item), context.documents[1:]
        wanted = "every mask is a whole group of citations" if task == "set" else "every mask cites one candidate"
        found = None not in masks and len(masks) == (MASKS if task == "cloze" else 1)
        self._checks.check(wanted, item, found and not self._is_ambiguous(context, masks))
        named = [work for mask in masks if mask for work in mask.works]
        answer = [candidates[option - 1] for option in options if option <= len(candidates)]
        correct = sorted(named) == sorted(answer) if task == "set" else named == answer
        rows = [row[1] for row in item.key.proof.rows]
        self._checks.check("the paper cites the key's candidates at the masks", item, correct and rows == named)
        if item.question.tags.get("sampling") == "nearest":
            near = self._is_near(context, masks)
            self._checks.check("the candidates are cited near each other, and near the mask of a choice", item, near)
        setting = item.question.tags.get("setting", "")
        self._check_repetition(item, task, setting)
        if task == "choice":
            asked = setting, *item.key.proof.rows[0][:2]
            self._answers[asked] += 1
            self._checks.check("no work is the answer to two choices of a paper", item, self._answers[asked] == 1)

    def _is_ambiguous(self, context: Context, masks: list[Mask | None]) -> bool:
        """Whether a mask of a group also hides the citation of another candidate, or of another version of one."""
        paper = self._paper(context.documents[0])
        shown = {self._work(id).same for id in context.documents[1:]}
        hidden = (work for mask in masks if mask for work in paper.works_beside(mask))
        return any(self._work(work).same in shown for work in hidden)

    def _check_repetition(self, item: Item, task: CitationTask, setting: str) -> None:
        """No two items of a task ask the same: two clozes of a paper may have half of their masks in common."""
        paper, places = item.key.proof.rows[0][0], {row[2] for row in item.key.proof.rows}
        earlier = self._used[setting, task, paper]
        most = MASKS // 2 if task == "cloze" else 0
        repeated = any(len(places & known) > most for known in earlier)
        self._checks.check("no two items of a task ask about the same masks", item, not repeated)
        earlier.append(places)

    def _is_near(self, context: Context, masks: list[Mask | None]) -> bool:
        paper = self._paper(context.documents[0])
        sections = [mask.section for mask in masks if mask] if len(masks) == 1 else list(paper.cited_in)
        return any(set(context.documents[1:]) <= paper.cited_near(section) for section in sections)

    def _check_masks(self, context: Context, item: Item, text: str, masks: list[Mask | None]) -> None:
        shown = context.places[0]
        paper_text = shown.span.of(text)
        task = _task(item)
        wanted = [mark(task, number) for number in range(1, len(masks) + 1)]
        found = re.findall(r"\[\[CITATIONS?(?: \d+)?\]\]", paper_text)
        self._checks.check("the paper shows each mask once, in order", item, found == wanted)
        places = {edit.span: edit.text.strip() for edit in shown.edits}
        self._checks.check(
            "every mask replaces its citation",
            item,
            all(
                mask is not None and places.get(mask.place) == words for mask, words in zip(masks, wanted, strict=True)
            ),
        )
        if HIDDEN in item.question.text:
            self._checks.check("the paper mentions no candidate", item, not self._mentioned(context))

    def _mentioned(self, context: Context) -> bool:
        """Whether a mention of a candidate is still visible."""
        paper = self._paper(context.documents[0])
        edits = [edit.span for edit in context.places[0].edits]
        return any(
            not any(edit.start < span.end and span.start < edit.end for edit in edits)
            for span in paper.mentions(context.documents[1:])
        )

    def _check_candidates(self, context: Context, item: Item, text: str, masks: list[Mask | None]) -> None:
        works = [self._work(id) for id in context.documents[1:]]
        same = {self._paper(context.documents[0]).same, *(work.same for work in works)}
        self._checks.check(
            "the candidates are different works, none of them the paper", item, len(same) == len(context.places)
        )
        least = 1 if item.question.tags.get("candidate-text") == "concise" else min(MIN_CHARACTERS, 200)
        texts = [place.span.of(text) for place in context.places[1:]]
        self._checks.check("no candidate is empty", item, all(len(shown.strip()) >= least for shown in texts))
        if item.question.tags.get("candidate-text") == "body":
            named = any(any(visible_names(work.names.names, shown)) for work, shown in zip(works, texts, strict=True))
            self._checks.check("no candidate contains its own title or name", item, not named)
        if item.question.tags.get("type") == "descriptive":
            paper = self._paper(context.documents[0])
            sentences = [paper.sentence_without(mask) for mask in masks if mask]
            named = any(
                any(visible_names(work.names.in_sentences, sentence)) for work in works for sentence in sentences
            )
            shared = any(
                frequent_words(sentence, work.text, self._common, OFTEN) for work in works for sentence in sentences
            )
            self._checks.check("the sentences of the masks name no candidate", item, not named and not shared)
        self._checks.check("every candidate has its own title", item, all(work.has_own_title for work in works))

    def _check_pair(self, context: Context, item: Item) -> None:
        """Compare an item with the items of the same pair before it."""
        pair = item.question.tags.get("pair")
        if pair is None:
            return
        found = self._pairs[pair]
        alike = all(_are_paired((context, item), other) for other in found)
        self._checks.check("the items of a pair differ in their setting alone", item, alike)
        found.append((context, item))

    def _is_tagged(self, context: Context, item: Item, masks: list[Mask | None]) -> bool:
        tags = item.question.tags
        citation_types = {mask.citation_type for mask in masks if mask}
        return (
            citation_types == {tags.get("type")}
            and tags.get("citations") == ("grouped" if _is_grouped(masks) else "lone")
            and tags.get("length") == format_length(context.length)
        )

    # Baselines.

    def _measure(self, context: Context, item: Item, text: str, options: tuple[int, ...]) -> None:
        tags = item.question.tags
        texts = tuple(place.span.of(text) for place in context.places)
        paper, candidates = context.documents[0], context.documents[1:]
        named = tuple(is_named(self._work(id), self._paper(paper), texts[0]) for id in candidates)
        cell = cell_name(tags.get("task", ""), tags.get("level", ""), tags.get("setting", ""))
        shown = ShownItem(paper, tuple(candidates), options, texts, named, _task(item))
        self._baselines.add(cell, shown, self._matcher.scores(context))

    def results(self) -> list[AuditCheck]:
        """Every check, and the accuracy of shortcuts."""
        checks = self._checks.results()
        if self._baselines.items:
            found = {cell: self._baselines.of(cell) for cell in self._baselines.cells}
            measures = {f"{cell}: {name}": value for cell, values in found.items() for name, value in values.items()}
            checks.append(AuditCheck(name="baselines", checked=self._baselines.items, measures=measures))
        return checks


def _are_paired(one: tuple[Context, Item], two: tuple[Context, Item]) -> bool:
    """Whether two items have the same masks, and the same candidates unless these were varied.

    If their number was varied, one set contains the other.
    """
    (context, item), (other_context, other) = one, two
    tags, others = item.question.tags, other.question.tags
    asked, other_asked = ([row[:3] for row in of.key.proof.rows] for of in (item, other))
    same = (
        asked == other_asked
        and tags.get("setting") != others.get("setting")
        and all(tags.get(name) == others.get(name) for name in ("task", "level", "type"))
    )
    if not same or tags.get("sampling") != others.get("sampling"):
        return same
    if tags.get("candidates") == others.get("candidates"):
        return context.documents == other_context.documents
    sets = set(context.documents), set(other_context.documents)
    return sets[0] <= sets[1] or sets[1] <= sets[0]


def _task(item: Item) -> CitationTask:
    return TASKS.get(item.key.answer.type, "cloze")


def _worded(context: Context, item: Item, masks: list[Mask | None]) -> str:
    masking: Masking = "one" if item.question.tags.get("mask") == "one" else "all"
    return wording(_task(item), masking, len(masks), len(context.places) - 1, _is_grouped(masks))


def _is_grouped(masks: list[Mask | None]) -> bool:
    return any(mask is not None and mask.is_grouped for mask in masks)
