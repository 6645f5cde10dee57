"""From a draft to an item: the context that shows it, the words that ask, and the key with its proof."""

from __future__ import annotations

import re
from functools import lru_cache

from fathom.contexts.layout import CITED, Piece, boundary, closing, context_id, placed
from fathom.models.tokenizers import DEFAULT, tokenizer
from fathom.records.articles import ArticleId
from fathom.records.contexts import Context, Edit, edited
from fathom.records.lengths import print_length
from fathom.records.questions import Question
from fathom.records.record import digest, short_id
from fathom.scoring.answers import Assignment, Choice, Passage
from fathom.scoring.keys import Key, Proof
from fathom.tasks.citations.draft import HIDDEN, Draft, mark
from fathom.tasks.citations.papers import Mask
from fathom.tasks.citations.settings import OPTIONS, Masking, Task
from fathom.tasks.citations.works import Shown
from fathom.tasks.family import Item

NAME = "citations"

_LINES = re.compile(r"(?<=\n)(?=\S)")


@lru_cache(maxsize=100_000)
def _count(paragraph: str) -> int:
    return tokenizer(DEFAULT).count(paragraph)


def count(text: str) -> int:
    """The tokens of a text, paragraph by paragraph: most paragraphs are shown again and again."""
    return sum(map(_count, _LINES.split(text)))


class LaidOut:
    """Lays out one item after another."""

    def __init__(self) -> None:
        self._fingerprints: dict[ArticleId, bytes] = {}

    def item(self, draft: Draft) -> tuple[Context, Item]:
        """The context and what is asked of it."""
        context = self._context(draft)
        return context, Item(question(draft, context), key(draft, context))

    def _context(self, draft: Draft) -> Context:
        shown = [draft.question_paper, *map(draft.shown_of, draft.candidates)]
        edits = [draft.question_paper.edits, *draft.candidate_edits]
        pieces = [piece(one, changed) for one, changed in zip(shown, edits, strict=True)]
        places, tokens = placed(pieces, lambda number: _count(boundary(number, CITED)), CITED)
        tokens += _count(closing(CITED))
        return Context(
            id=context_id([self._fingerprint(one) for one in shown], CITED, edits),
            layout=CITED,
            length=bucket(tokens),
            tokens=tokens,
            tokenizer=DEFAULT,
            way="candidates",
            places=places,
        )

    def _fingerprint(self, shown: Shown) -> bytes:
        if shown.id not in self._fingerprints:
            self._fingerprints[shown.id] = digest(shown.article.encode())
        return self._fingerprints[shown.id]


def piece(shown: Shown, edits: tuple[Edit, ...]) -> Piece:
    """An article as it is shown with these edits."""
    text = edited(shown.article, edits)
    return Piece(shown.id, len(text), count(text), edits)


def bucket(tokens: int) -> int:
    """The length that a context of so many tokens is counted with: 8K, 16K, 32K and so on."""
    length = 4_096
    while length < tokens:
        length *= 2
    return length


def question(draft: Draft, context: Context) -> Question:
    """What is asked, and what scores are broken down by."""
    article, difficulty = draft.paper.article, draft.difficulty
    tags = {
        "task": draft.task,
        "level": draft.level,
        "type": difficulty.manner,
        "sampling": difficulty.sampling,
        "candidates": difficulty.form,
        "scope": difficulty.scope,
        "length": print_length(context.length),
    }
    if article.year is not None:
        tags["year"] = str(article.year)
    if article.subject is not None:
        tags["subject"] = article.subject
    return Question(
        id=short_id("q", context.id),
        family=NAME,
        context_id=context.id,
        text=wording(draft.task, draft.masking),
        split="test",
        tags=tags,
    )


def wording(task: Task, masking: Masking) -> str:
    """The question, with the form of the wanted answer."""
    others = "" if masking == "one" else f" Other places that cite a candidate read {HIDDEN}."
    if task == "choice":
        return (
            f"One citation of the paper is hidden as {mark('choice', 1)}.{others} Which of the candidates is cited "
            f"there? Give its number, from 1 to {OPTIONS}."
        )
    return (
        f"{OPTIONS} citations of the paper are hidden as {mark('cloze', 1)} to {mark('cloze', OPTIONS)}; each cites "
        f"another one of the candidates.{others} Which candidate is cited at each? Give {OPTIONS} numbers from 1 to "
        f"{OPTIONS}, separated by commas, in the order of the citations' numbers."
    )


def key(draft: Draft, context: Context) -> Key:
    """The candidates that the paper itself cites at its masks."""
    answer = draft.answer
    stated = Choice(option=answer[0], of=OPTIONS) if draft.task == "choice" else Assignment(options=answer, of=OPTIONS)
    rows = [_row(draft, mask) for mask in draft.masks]
    return Key(
        question_id=short_id("q", context.id),
        answer=stated,
        proof=Proof(
            program="; ".join(
                f"{paper} cites {work} at {place} by entry {entry}" for paper, work, place, entry in rows
            ),
            rows=tuple(rows),
            passages=tuple(Passage(article=draft.paper.article.id, span=mask.sentence) for mask in draft.masks),
        ),
    )


def _row(draft: Draft, mask: Mask) -> tuple[str, str, str, str]:
    return draft.paper.article.id, mask.work, f"{mask.place.start}-{mask.place.end}", str(mask.reference)
