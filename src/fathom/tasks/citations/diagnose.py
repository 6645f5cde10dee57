"""Faults that explain incorrect responses: shared words, position, or two masks mixed up."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from fathom.corpus.store import Corpus
from fathom.records.contexts import Context
from fathom.scoring.answers import Answer, Assignment, Choice
from fathom.tasks.citations.settings import OPTIONS
from fathom.tasks.citations.simulate import Simulator, options_of
from fathom.tasks.family import Diagnosis, FaultyAnswer, Item

Options = tuple[int, ...]


class Diagnoser:
    """Finds the faults of one corpus's questions."""

    def __init__(self, corpus: Corpus) -> None:
        self._simulator = Simulator(corpus)

    def diagnose(self, context: Context, item: Item) -> Diagnosis:
        """Every fault that leads to another answer."""
        right = options_of(item.key)
        suspects = tuple(one for one in self._suspects(context, right) if one.answer != item.key.answer)
        return Diagnosis(sizes={"candidate tokens": _candidate_tokens(context)}, suspects=suspects)

    def _suspects(self, context: Context, right: Options) -> Iterator[FaultyAnswer]:
        matched = self._simulator.matched(context, len(right))
        yield FaultyAnswer("shared-words", "", _answer(matched), 1.0)
        ordered = tuple(range(1, OPTIONS + 1))
        yield FaultyAnswer("first", "", _answer(ordered[: len(right)]), 1.0)
        yield FaultyAnswer("last", "", _answer(ordered[::-1][: len(right)]), 1.0)
        pairs = list(combinations(range(len(right)), 2))
        for one, two in pairs:
            swapped = list(right)
            swapped[one], swapped[two] = swapped[two], swapped[one]
            yield FaultyAnswer("mixed-up", f"masks {one + 1} and {two + 1}", _answer(tuple(swapped)), 1 / len(pairs))


def _answer(options: Options) -> Answer:
    return Choice(option=options[0], of=OPTIONS) if len(options) == 1 else Assignment(options=options, of=OPTIONS)


def _candidate_tokens(context: Context) -> int:
    return context.tokens - context.places[1].token
