"""Diagnoses incorrect responses: the model matched shared words, chose by position, or confused two masks."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from fathom.corpus.store import Corpus
from fathom.records.contexts import Context
from fathom.scoring.answers import Answer, Assignment, Choice
from fathom.tasks.citations.simulate import Simulator, options_of
from fathom.tasks.family import Diagnosis, FaultyAnswer, Item

Options = tuple[int, ...]
"""The number of the candidate at each mask."""


class Diagnoser:
    """Diagnoses the questions of one corpus."""

    def __init__(self, corpus: Corpus) -> None:
        self._simulator = Simulator(corpus)

    def diagnose(self, context: Context, item: Item) -> Diagnosis:
        """Every fault that leads to an incorrect answer, with that answer."""
        correct = options_of(item.key)
        suspects = tuple(one for one in self._suspects(context, correct) if one.answer != item.key.answer)
        return Diagnosis(sizes={"candidate tokens": context.tokens - context.places[1].token}, suspects=suspects)

    def _suspects(self, context: Context, correct: Options) -> Iterator[FaultyAnswer]:
        matched = self._simulator.matched(context, len(correct))
        of = len(context.places) - 1
        yield FaultyAnswer("shared-words", "", _answer(matched, of), 1.0)
        ordered = tuple(range(1, of + 1))
        yield FaultyAnswer("first", "", _answer(ordered[: len(correct)], of), 1.0)
        yield FaultyAnswer("last", "", _answer(ordered[::-1][: len(correct)], of), 1.0)
        pairs = list(combinations(range(len(correct)), 2))
        for one, two in pairs:
            swapped = list(correct)
            swapped[one], swapped[two] = swapped[two], swapped[one]
            yield FaultyAnswer(
                "mixed-up", f"masks {one + 1} and {two + 1}", _answer(tuple(swapped), of), 1 / len(pairs)
            )


def _answer(options: Options, of: int) -> Answer:
    return Choice(option=options[0], of=of) if len(options) == 1 else Assignment(options=options, of=of)
