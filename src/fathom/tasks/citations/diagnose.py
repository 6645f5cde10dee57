"""Diagnoses incorrect responses: the model matched shared words, chose by position, or confused two masks."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import combinations

from fathom.corpus.store import Corpus
from fathom.records.contexts import Context
from fathom.scoring.answers import Selection
from fathom.scoring.keys import Key
from fathom.tasks.citations.item_layout import TASKS, answer_of
from fathom.tasks.citations.simulate import Simulator, options_of
from fathom.tasks.family import Diagnosis, FaultyAnswer, Item

MAX_LEFT_OUT = 8
"""Works of a set among which any may be left out."""

Options = tuple[int, ...]
"""The number of the candidate at each mask."""


class Diagnoser:
    """Diagnoses the questions of one corpus."""

    def __init__(self, corpus: Corpus) -> None:
        self._simulator = Simulator(corpus)

    def diagnose(self, context: Context, item: Item) -> Diagnosis:
        """Every fault that leads to an incorrect answer, with that answer."""
        suspects = tuple(one for one in self._possible_faults(context, item.key) if one.answer != item.key.answer)
        return Diagnosis(
            sizes={"candidate tokens": context.tokens - context.places[1].token},
            suspects=suspects,
            further=partial(_less_complete, item.key),
        )

    def _possible_faults(self, context: Context, key: Key) -> Iterator[FaultyAnswer]:
        correct, of = options_of(key), len(context.places) - 1
        answer = partial(answer_of, TASKS[key.answer.type], of=of)
        yield FaultyAnswer("shared-words", "", answer(self._simulator.matched(context, key)), 1.0)
        ordered = tuple(range(1, of + 1))
        yield FaultyAnswer("first", "", answer(ordered[: len(correct)]), 1.0)
        yield FaultyAnswer("last", "", answer(ordered[::-1][: len(correct)]), 1.0)
        if isinstance(key.answer, Selection):
            yield from _incomplete(correct, of)
            return
        pairs = list(combinations(range(len(correct)), 2))
        for one, two in pairs:
            swapped = list(correct)
            swapped[one], swapped[two] = swapped[two], swapped[one]
            yield FaultyAnswer("mixed-up", f"masks {one + 1} and {two + 1}", answer(tuple(swapped)), 1 / len(pairs))


def _less_complete(key: Key) -> Iterator[FaultyAnswer]:
    """Sets with two or more works left out."""
    if not isinstance(key.answer, Selection):
        return
    correct, of = key.answer.options[:MAX_LEFT_OUT], key.answer.of
    subsets = [some for size in range(1, len(correct) - 1) for some in combinations(correct, size)]
    for some in subsets:
        left_out = " and ".join(str(option) for option in correct if option not in some)
        stated = (*some, *key.answer.options[MAX_LEFT_OUT:])
        yield FaultyAnswer("left-out", f"candidates {left_out}", answer_of("set", stated, of), 1 / len(subsets))


def _incomplete(correct: Options, of: int) -> Iterator[FaultyAnswer]:
    """A set with one work left out, or with one more."""
    for option in correct:
        left = tuple(other for other in correct if other != option)
        yield FaultyAnswer("left-out", f"candidate {option}", answer_of("set", left, of), 1 / len(correct))
    others = [option for option in range(1, of + 1) if option not in correct]
    for option in others:
        yield FaultyAnswer("added", f"candidate {option}", answer_of("set", (*correct, option), of), 1 / len(others))
