"""Shortcut baselines: how often an answer is correct without the reasoning."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from pydantic import JsonValue

from fathom.records.questions import Response
from fathom.scoring.answers import Number, Text
from fathom.tasks.family import Item
from fathom.tasks.puzzles.check import check, check_answer
from fathom.tasks.puzzles.mentions import dates_in, name_spans, numbers_in, plain_text
from fathom.tasks.puzzles.puzzle import PuzzleSource
from fathom.tasks.puzzles.solution import stated_answer
from fathom.tasks.puzzles.tree import format_number, iso_date

_WORD = re.compile(r"[a-z]{3,}|[\u4e00-\u9fff]{2}", re.IGNORECASE)


class Baselines:
    """Collects the baselines of a bench."""

    def __init__(self) -> None:
        self._items: list[Item] = []
        self._correct: Counter[str] = Counter()
        self._process: Counter[str] = Counter()

    def add(self, source: PuzzleSource, item: Item) -> None:
        """Answer an item from single passages."""
        self._items.append(item)
        for name, passage, answer in (
            ("single passage", *single_passage(source, item)),
            ("lexical", *lexical(source, item)),
            ("closed book", "", closed_book(source, item)),
        ):
            text = f"{passage}\n\nAnswer: {answer}"
            response = Response(question_id=item.question.id, outcome="answered", text=text)
            alone = Response(question_id=item.question.id, outcome="answered", text=f"Answer: {answer}")
            self._correct[name] += check_answer(item.key, alone).outcome == "correct"
            self._process[name] += check(item.key, response).outcome == "correct"

    def report(self) -> dict[str, JsonValue]:
        """The share of correct answers of each baseline, and of responses that reach the checklist as well."""
        count = len(self._items)
        if not count:
            return {}
        shares: dict[str, JsonValue] = {}
        for name in ("single passage", "lexical", "closed book"):
            shares[name] = {"answer": self._correct[name] / count, "process": self._process[name] / count}
        shares["majority"] = {"answer": self._majority() / count, "process": 0.0}
        return shares

    def _majority(self) -> int:
        """Correct answers if the answer that is most frequent among the other puzzles of the type is given."""
        answers: dict[str, Counter[str]] = defaultdict(Counter)
        for item in self._items:
            answers[item.question.tags["answer"]][stated_answer(item.key)] += 1
        correct = 0
        for counts in answers.values():
            best, second = [*(count for _, count in counts.most_common(2)), 0][:2]
            # An answer is the most frequent one among the others only if it stays so without its own puzzle.
            correct += best if best - 1 > second else 0
        return correct


def candidates(source: PuzzleSource, item: Item, passage: str) -> list[str]:
    """The values of the wanted type in a passage."""
    text = plain_text(passage)
    if isinstance(item.key.answer, Number):
        return [format_number(mention.number).replace(",", "") for mention in numbers_in(text)]
    assert isinstance(item.key.answer, Text)
    if item.question.tags["answer"] == "date":
        return [iso_date(mention.number) for mention in dates_in(text) if mention.number > 10_000]
    return [name for name in source.names if any(name_spans(text, [name]))]


def single_passage(source: PuzzleSource, item: Item) -> tuple[str, str]:
    """The passage that shares most words with the question, and the last value of the wanted type in it."""
    return _best_passage(source, item, weighted=False)


def lexical(source: PuzzleSource, item: Item) -> tuple[str, str]:
    """As `single_passage`, but rare words count more, and names of the question are not given as answers."""
    return _best_passage(source, item, weighted=True)


def closed_book(source: PuzzleSource, item: Item) -> str:
    """The value of the wanted type that is the middle one of those in the question; "0" if the question has none."""
    values = candidates(source, item, item.question.text)
    return values[len(values) // 2] if values else "0"


def _best_passage(source: PuzzleSource, item: Item, weighted: bool) -> tuple[str, str]:
    passages = [span.of(source.document.text) for span in source.passages]
    bags = [set(_words(passage)) for passage in passages]
    counts = Counter(word for bag in bags for word in bag)
    question_words = set(_words(item.question.text))
    ranking = sorted(
        range(len(passages)),
        key=lambda index: (-sum(1 / counts[word] if weighted else 1 for word in question_words & bags[index]), index),
    )
    for index in ranking:
        options = candidates(source, item, passages[index])
        if weighted:
            options = [option for option in options if option not in item.question.text] or options
        if options:
            return passages[index], options[-1]
    return "", "0"


def _words(text: str) -> Sequence[str]:
    return [word.lower() for word in _WORD.findall(text)]
