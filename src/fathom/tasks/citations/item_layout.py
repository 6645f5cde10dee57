"""Turns a draft into an item: its context, its question, and its key with the proof."""

from __future__ import annotations

from functools import cache, lru_cache

from fathom.contexts.assembly import PlacedDocument, assemble
from fathom.corpus.store import Corpus
from fathom.models.tokenizers import DEFAULT, CachingTokenizer, tokenizer
from fathom.records.contexts import Context, Edit
from fathom.records.documents import Passage
from fathom.records.layouts import PAPER_AND_CANDIDATES
from fathom.records.lengths import format_length
from fathom.records.questions import Question
from fathom.records.record import short_id
from fathom.scoring.answers import Answer, Assignment, Choice, Selection
from fathom.scoring.keys import Key, Proof
from fathom.tasks.citations.draft import HIDDEN, ItemDraft, mark
from fathom.tasks.citations.papers import Mask
from fathom.tasks.citations.settings import CitationTask, Masking
from fathom.tasks.citations.shown_text import ShownText
from fathom.tasks.family import Item

NAME = "citations"
KEPT = 2_048
"""Documents whose line lengths are cached."""
LINES = 16_384
"""The maximum number of cached token counts, each of the text around an edit."""


@cache
def counter() -> CachingTokenizer:
    """A token counter with a cache: the items of one paper share most edits and all lines of the layout."""
    return CachingTokenizer(tokenizer(DEFAULT), LINES)


class ItemLayout:
    """Makes items from drafts."""

    def __init__(self, corpus: Corpus) -> None:
        self._lines = lru_cache(maxsize=KEPT)(corpus.lines)
        self._fingerprint = lru_cache(maxsize=KEPT)(corpus.fingerprint)

    def item(self, draft: ItemDraft) -> tuple[Context, Item]:
        """The context and its item."""
        context = self._context(draft)
        return context, Item(question(draft, context), key(draft, context))

    def _context(self, draft: ItemDraft) -> Context:
        paper = self._piece(draft.question_paper, draft.question_paper.edits)
        pieces = [paper, *(self._piece(shown, shown.edits) for shown in draft.excerpts)]
        return assemble(pieces, counter(), length=bucket, layout=PAPER_AND_CANDIDATES)

    def _piece(self, shown: ShownText, edits: tuple[Edit, ...]) -> PlacedDocument:
        """A document as shown with these edits."""
        characters = len(shown.document) + sum(len(edit.text) - (edit.span.end - edit.span.start) for edit in edits)
        tokens = self._lines(shown.id).tokens(shown.document, edits, counter())
        return PlacedDocument(shown.id, self._fingerprint(shown.id), characters, tokens, edits)


def bucket(tokens: int) -> int:
    """The nominal length of a context with this many tokens: 8K, 16K, 32K and so on."""
    length = 4_096
    while length < tokens:
        length *= 2
    return length


def question_id(context: Context, setting: str) -> str:
    """The id of the item over a context; two settings may show the same context."""
    return short_id("q", context.id, *([setting] if setting else []))


def question(draft: ItemDraft, context: Context) -> Question:
    """The question with its tags."""
    document, difficulty = draft.paper.document, draft.difficulty
    tags = {
        "task": draft.task,
        "level": draft.level,
        "type": difficulty.citation_type,
        "sampling": difficulty.sampling,
        "candidate-text": difficulty.form,
        "candidates": str(difficulty.candidates),
        "scope": difficulty.scope,
        "citations": "grouped" if draft.is_grouped else "lone",
        "mask": difficulty.masking,
        "length": format_length(context.length),
    }
    if document.year is not None:
        tags["year"] = str(document.year)
    if document.subject is not None:
        tags["subject"] = document.subject
    if draft.setting:
        tags["setting"] = draft.setting
        tags["pair"] = pair_id(draft)
    return Question(
        id=question_id(context, draft.setting),
        family=NAME,
        context_id=context.id,
        text=wording(draft.task, difficulty.masking, len(draft.masks), len(draft.candidates), draft.is_grouped),
        split="test",
        tags=tags,
    )


def pair_id(draft: ItemDraft) -> str:
    """An identifier that the items with the same masks share, one in each setting."""
    places = (f"{mask.place.start}-{mask.place.end}" for mask in draft.masks)
    return short_id("p", draft.task, draft.paper.document.id, *places)


def wording(task: CitationTask, masking: Masking, masks: int, candidates: int, grouped: bool) -> str:
    """The wording of the question, with the form of the answer; `grouped` if a mask hides citations of other works."""
    others = "" if masking == "one" else f" Other places that cite a candidate read {HIDDEN}."
    if task == "choice":
        return (
            f"One citation of the paper is hidden as {mark('choice', 1)}"
            f"{', with citations of works that are no candidates' if grouped else ''}.{others} Which of the candidates "
            f"is cited there? Give its number, from 1 to {candidates}."
        )
    if task == "set":
        return (
            f"One place of the paper that cites several works is hidden as {mark('set', 1)}; all of them are among the "
            f"candidates.{others} Which of the candidates are cited there? Give all their numbers, from 1 to "
            f"{candidates}, separated by commas."
        )
    return (
        f"{masks} citations of the paper are hidden as {mark('cloze', 1)} to {mark('cloze', masks)}"
        f"{', some with citations of works that are no candidates' if grouped else ''}; each cites "
        f"another one of the candidates.{others} Which candidate is cited at each? Give {masks} numbers from 1 to "
        f"{candidates}, separated by commas, in the order of the citations' numbers."
    )


def key(draft: ItemDraft, context: Context) -> Key:
    """The key: the candidates that the paper cites at its masks."""
    rows = [row for mask in draft.masks for row in _rows(draft, mask)]
    return Key(
        question_id=question_id(context, draft.setting),
        answer=answer_of(draft.task, draft.answer, len(draft.candidates)),
        proof=Proof(
            program="; ".join(
                f"{paper} cites {work} at {place} by entry {entry}" for paper, work, place, entry in rows
            ),
            rows=tuple(rows),
            passages=(
                *(Passage(document=draft.paper.document.id, span=mask.sentence) for mask in draft.masks),
                *dict.fromkeys(passage for evidence in draft.evidence for passage in evidence),
            ),
        ),
    )


TASKS: dict[str, CitationTask] = {"choice": "choice", "assignment": "cloze", "selection": "set"}
"""The task by the type of its answer."""


def answer_of(task: CitationTask, options: tuple[int, ...], of: int) -> Answer:
    """The answer with these options."""
    match task:
        case "choice":
            return Choice(option=options[0], of=of)
        case "cloze":
            return Assignment(options=options, of=of)
        case "set":
            return Selection(options=tuple(sorted(options)), of=of)


def _rows(draft: ItemDraft, mask: Mask) -> list[tuple[str, str, str, str]]:
    """A row for each work that is cited at the mask."""
    place = f"{mask.place.start}-{mask.place.end}"
    return [
        (draft.paper.document.id, work, place, str(entry))
        for work, entry in zip(mask.works, mask.references, strict=True)
    ]
