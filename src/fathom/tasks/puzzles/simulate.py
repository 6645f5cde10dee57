"""Answers puzzles as simulated models do: from the key, with faults, or with a shortcut."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property, lru_cache
from random import Random

from fathom.corpus.store import Corpus
from fathom.models.simulated import SimulatedModel
from fathom.records.contexts import Context
from fathom.scoring.keys import Key
from fathom.tasks.family import ALL_SEEN, Item, Unseen
from fathom.tasks.puzzles.authored import is_authored, puzzle_of
from fathom.tasks.puzzles.baselines import candidates, lexical
from fathom.tasks.puzzles.checklist import checklist_of, last_step
from fathom.tasks.puzzles.faults import FAULTS, faulty_answers
from fathom.tasks.puzzles.puzzle import PuzzleSource
from fathom.tasks.puzzles.solution import (
    another_value,
    bare_answer,
    faulty_solution,
    solution,
    stated_answer,
    written_solution,
)
from fathom.tasks.puzzles.sources import source_of
from fathom.tasks.puzzles.tree import parse
from fathom.tasks.puzzles.wording import written_value
from fathom.tasks.simulating import most_frequent

_ANSWER_FAULTS = tuple(fault.name for fault in FAULTS if fault.diagnosed)


class Simulator:
    """Answers as simulated models."""

    def __init__(self, corpus: Corpus, keys: Callable[[], Iterable[Key]] = tuple) -> None:
        """`keys` gives the keys of the whole bench; only the most frequent answer needs them."""
        self._source = lru_cache(maxsize=8)(lambda id: source_of(corpus.document(id)))
        self._keys = keys

    def text(
        self, context: Context, item: Item, simulated: SimulatedModel, rng: Random, unseen: Unseen = ALL_SEEN
    ) -> str:
        """The text of the response to one question."""
        if is_authored(item.key):
            return _authored(item, simulated, rng)
        source = self._source(context.documents[0])
        assert source is not None, "puzzles are made from documents with facts"
        language = source.document.language
        match simulated.kind:
            case "oracle":
                return solution(item.key, language)
            case "null":
                return bare_answer(item.key, language, "NULL")
            case "random":
                return bare_answer(item.key, language, self._random(source, item, rng))
            case "majority":
                return bare_answer(item.key, language, self._frequent.get(item.key.answer.type, "0"))
            case "lexical":
                return bare_answer(item.key, language, lexical(source, item)[1])
            case _ if unseen:
                return bare_answer(item.key, language, self._random(source, item, rng))
            case _:
                return self._read(source, item, simulated, rng)

    def _random(self, source: PuzzleSource, item: Item, rng: Random) -> str:
        """A value of the wanted type that occurs in the document."""
        return rng.choice(candidates(source, item, source.document.text) or ["0"])

    @cached_property
    def _frequent(self) -> dict[str, str]:
        return most_frequent((key.answer.type, stated_answer(key)) for key in self._keys())

    def _read(self, source: PuzzleSource, item: Item, simulated: SimulatedModel, rng: Random) -> str:
        """A solution with faults."""
        key, language = item.key, source.document.language
        items = checklist_of(key)
        if simulated.happens("format", rng):
            return "I have read the document." if language == "en" else "我已读完该文档。"
        for cause in _ANSWER_FAULTS:
            if simulated.happens(cause, rng):
                answers = [
                    answer for answer in faulty_answers(source, parse(key.proof.program)) if answer.cause == cause
                ]
                if answers:
                    wrong_value = stated_answer(key.model_copy(update={"answer": rng.choice(answers).answer}))
                    return written_solution(items, key, language, last=False, answer=wrong_value)
        last = last_step(key)
        if last is not None and simulated.happens("right-way", rng):
            wrong_value = written_value(another_value(last.value, rng, source.names), language)
            return written_solution(items, key, language, last=False, answer=wrong_value)
        for fault in ("guess", "copy"):
            if simulated.happens(fault, rng):
                return faulty_solution(key, language, fault, rng)
        if last is not None and last.value.number is not None and simulated.happens("contradict", rng):
            contradicting = last.model_copy(update={"value": another_value(last.value, rng, source.names)})
            return written_solution([*items, contradicting], key, language, last=False)
        for fault in ("wrong-way", "miss"):
            if items and simulated.happens(fault, rng):
                return faulty_solution(key, language, fault, rng, source.names)
        return solution(key, language)


def _authored(item: Item, simulated: SimulatedModel, rng: Random) -> str:
    """The response to a puzzle that a person wrote: its options are all that a model without the key could choose."""
    key, language = item.key, item.question.tags["language"]
    match simulated.kind:
        case "null":
            return bare_answer(key, language, "NULL")
        case "random" | "majority" | "lexical":
            return bare_answer(key, language, rng.choice(puzzle_of(key).options or ("unknown",)))
        case "reader":
            if simulated.happens("format", rng):
                return "I have read the document."
            for fault in ("guess", "miss"):
                if simulated.happens(fault, rng):
                    return faulty_solution(key, language, fault, rng)
    return solution(key, language)
