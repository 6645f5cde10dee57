"""How many answers are correct by chance or shortcut: without the documents, or by a look at a few words or numbers."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from pydantic import JsonValue

from fathom.corpus.store import Corpus
from fathom.records.contexts import Context
from fathom.records.documents import DocumentId, Passage
from fathom.records.questions import Response
from fathom.scoring.answer_types.format import stated
from fathom.scoring.answers import Number
from fathom.scoring.check import check_response
from fathom.tasks.family import Item
from fathom.tasks.programs import predictability, tree
from fathom.tasks.programs.predictability import Sample, cross_validated_auc
from fathom.tasks.programs.schema import Schema
from fathom.tasks.tables.build import names_one
from fathom.tasks.tables.key_tables import database_of, program_of

MAX_LOOKUP_LENGTH = 256 * 1024
"""Tokens of the contexts on which lexical lookup is measured: it reads every line for every question."""
LOOKED_UP = 300
"""Questions on which it is measured: the first ones."""
CACHED = 256
"""Documents whose lines are cached."""
GUESSED = 2
"""Entities that lexical lookup lists where the question does not say how many."""

MAJORITY = "the most frequent answer"
CLOSED_BOOK = "the most frequent answer of the same operation in other contexts"
LARGEST = "the largest number in the context"
LOOKUP = "lexical lookup"
AUC = "AUC of unanswerable questions from their wording (chance 50%)"
SINGLE = "answers that name one entity"

_NUMBER = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?")
_WORD = re.compile(r"[a-z]{3,}|[\u4e00-\u9fff]")


class _Line(NamedTuple):
    words: frozenset[str]
    number: str


class BaselineMeasurement:
    """The baselines of one bench, measured context by context."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._lines = lru_cache(maxsize=CACHED)(self._read_lines)
        self._largest = lru_cache(maxsize=None)(self._read_largest)
        self._answers: list[tuple[int, str, Item]] = []
        """The half of the contexts, the operation, and the item."""
        self._correct: Counter[str] = Counter()
        self._counts: Counter[str] = Counter()
        self._halves: tuple[list[Sample], list[Sample]] = [], []
        self._contexts = 0

    def add(self, context: Context, items: Sequence[Item]) -> None:
        """Measure the items of one context."""
        half = self._contexts % 2
        self._contexts += bool(items)
        self._halves[half].extend(predictability.samples(items, _read))
        for item in items:
            self._answers.append((half, item.question.tags["operation"], _small(item)))
            if isinstance(item.key.answer, Number):
                largest = max((self._largest(id) for id in context.documents), key=_value)
                self._score_guess(LARGEST, item, f"Answer: {largest}")
            else:
                self._counts[LARGEST] += 1
            if context.length <= MAX_LOOKUP_LENGTH and self._counts[LOOKUP] < LOOKED_UP:
                self._score_guess(LOOKUP, item, self._look_up(context, item))

    def report(self) -> dict[str, JsonValue]:
        """The share of correct answers by baseline, and whether wording reveals unanswerable questions."""
        self._score_frequent_answers()
        shares: dict[str, JsonValue] = {
            name: round(self._correct[name] / count, 4) for name, count in self._counts.items() if count
        }
        auc = cross_validated_auc(self._halves)
        if auc is not None:
            shares[AUC] = round(auc, 4)
        domains = sorted({item.question.tags["domain"] for _, _, item in self._answers})
        return {"baselines": shares, "domains": [*domains]}

    def _score_frequent_answers(self) -> None:
        """Frequent answers, over all questions, and over those of the same operation in the other half."""
        all_answers = Counter(stated(item.key.answer) for _, _, item in self._answers)
        by_operation: dict[tuple[int, str], Counter[str]] = defaultdict(Counter)
        for half, operation, item in self._answers:
            by_operation[1 - half, operation][stated(item.key.answer)] += 1
        for half, operation, item in self._answers:
            self._score_guess(MAJORITY, item, all_answers.most_common(1)[0][0])
            frequent = by_operation[half, operation].most_common(1)
            self._score_guess(CLOSED_BOOK, item, frequent[0][0] if frequent else "Answer: NULL")
            self._counts[SINGLE] += 1
            self._correct[SINGLE] += names_one(item.key.answer)

    def _score_guess(self, name: str, item: Item, text: str) -> None:
        response = Response(question_id=item.question.id, outcome="answered", text=text)
        self._counts[name] += 1
        self._correct[name] += check_response(item.key, response).outcome == "correct"

    # Documents.

    def _read_largest(self, id: DocumentId) -> str:
        return max(_NUMBER.findall(self._corpus.text(id)), key=_value, default="0")

    def _read_lines(self, id: DocumentId) -> _Lines:
        return _Lines(self._corpus.text(id))

    def _look_up(self, context: Context, item: Item) -> str:
        """The number, or the entities, of the lines that share most words with the question."""
        question_words = _words(item.question.text)
        entities = {passage.document: row[0] for row, passage in _proof(item)}
        best = sorted(
            ((self._lines(id).best(question_words), id) for id in context.documents),
            key=lambda pair: len(pair[0].words & question_words),
            reverse=True,
        )
        if isinstance(item.key.answer, Number):
            return f"Answer: {best[0][0].number}"
        top = _read(item)[0].top
        names = [entities[id] for _, id in best if id in entities]
        return "Answer:\n" + "\n".join(names[: top if isinstance(top, int) else GUESSED])


def _small(item: Item) -> Item:
    """The item without its proof: a bench of long contexts would not fit into memory."""
    key = item.key.model_copy(update={"proof": item.key.proof.model_copy(update={"rows": (), "passages": ()})})
    return Item(item.question, key)


def _read(item: Item) -> tuple[tree.Program, Schema]:
    database = database_of(item.key)
    return program_of(item.key, database), database.schema


def _proof(item: Item) -> Iterable[tuple[tuple[str, ...], Passage]]:
    return zip(item.key.proof.rows, item.key.proof.passages, strict=False)


def _value(number: str) -> float:
    return float(number.replace(",", ""))


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower()))


def _lines(text: str) -> Iterator[_Line]:
    for line in text.split("\n"):
        number = _NUMBER.search(line)
        if number is not None:
            yield _Line(_words(line), number[0])


class _Lines:
    """The lines of a document that have a number, by their words."""

    def __init__(self, text: str) -> None:
        self._lines = list(_lines(text))
        self._with: dict[str, list[int]] = defaultdict(list)
        for at, line in enumerate(self._lines):
            for word in line.words:
                self._with[word].append(at)

    def best(self, question_words: frozenset[str]) -> _Line:
        """The first of the lines that share most words with a question."""
        shared = Counter(index for word in question_words for index in self._with.get(word, ()))
        at = min(shared, key=lambda at: (-shared[at], at), default=0)
        return self._lines[at] if self._lines else _Line(frozenset(), "0")


def describe(report: dict[str, JsonValue]) -> list[str]:
    """The baselines, as lines for the summary of a build."""
    packs, baselines, domains = (report.get(name) for name in ("packs", "baselines", "domains"))
    assert isinstance(packs, dict) and isinstance(baselines, dict) and isinstance(domains, list)
    width = max(map(len, baselines), default=0)
    # The domain of a pack in several languages has the language in its name.
    used_packs = {
        name: hash for name, hash in packs.items() if {name, f"{name}-en", f"{name}-zh"}.intersection(map(str, domains))
    }
    if not used_packs:
        return []  # Another family of the bench has all the questions.
    return [
        "  packs: " + ", ".join(f"{name} {hash}" for name, hash in used_packs.items()),
        "  baselines:",
        *(f"    {name:{width}} {share:6.1%}" for name, share in baselines.items()),
    ]
