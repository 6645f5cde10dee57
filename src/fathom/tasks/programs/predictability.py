"""How well a classifier that sees no document distinguishes unanswerable questions from the others.

Naive Bayes on the words, operators and constants of a question. If it does better than chance, a model can guess NULL
from the wording. Only questions that may have no answer are compared: the others obviously have one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from math import fsum, log, log2
from typing import NamedTuple

from fathom.scoring.answers import Unanswerable
from fathom.tasks.family import Item
from fathom.tasks.programs import tree
from fathom.tasks.programs.schema import Schema

MIN_QUESTIONS = 5
"""Questions with and without an answer that a half must have for a classifier to be trained on it."""

_WORD = re.compile(r"[^\W_]+")


class Sample(NamedTuple):
    """The features of a question for a classifier, and whether the question is unanswerable."""

    features: frozenset[str]
    unanswerable: bool


def samples(items: Iterable[Item], read: Callable[[Item], tuple[tree.Program, Schema]]) -> list[Sample]:
    """The questions that may have no answer; `read` gives the program of an item and its schema."""
    programs = ((item, *read(item)) for item in items)
    return [
        Sample(frozenset(_features(item, program, schema)), isinstance(item.key.answer, Unanswerable))
        for item, program, schema in programs
        if tree.may_be_empty(program)
    ]


def _features(item: Item, program: tree.Program, schema: Schema) -> Iterator[str]:
    yield from _WORD.findall(item.question.text.lower())
    yield item.question.tags.get("template", "")
    for node in schema.nodes(program.where):
        yield type(node).__name__
        match node:
            case tree.Compare(measure, sign, int() | float() as value):
                yield f"{measure} {sign} {_magnitude(value)}"
            case tree.Between(measure, int() | float() as low, int() | float() as high):
                yield from (f"{measure} from {_magnitude(low)}", f"{measure} to {_magnitude(high)}")
                yield f"range of {_magnitude(high - low)}"
            case tree.OneOf(measure, values):
                yield from (f"{measure} among {value}" for value in values)


def _magnitude(value: float) -> int:
    """The number on a scale on which 1, 2, 3, 5, 7, 10 and 15 differ."""
    return round(2 * log2(abs(value) + 1)) * (1 if value >= 0 else -1)


class NaiveBayes:
    """A classifier trained on some questions."""

    def __init__(self, training: Sequence[Sample]) -> None:
        self._sizes = Counter(sample.unanswerable for sample in training)
        self._counts: dict[bool, Counter[str]] = {False: Counter(), True: Counter()}
        for sample in training:
            self._counts[sample.unanswerable].update(sample.features)

    def score(self, sample: Sample) -> float:
        """The log-odds that a question has no answer, up to a constant; unknown features are ignored."""
        known_features = (
            feature for feature in sample.features if feature in self._counts[True] or feature in self._counts[False]
        )
        # Exact, since the order of a set changes from process to process, and with it the last bits of a plain sum.
        return fsum(self._log_share(feature, True) - self._log_share(feature, False) for feature in known_features)

    def _log_share(self, feature: str, unanswerable: bool) -> float:
        return log((self._counts[unanswerable][feature] + 1) / (self._sizes[unanswerable] + 2))


def transfer_auc(training: Sequence[Sample], test: Sequence[Sample]) -> float | None:
    """The AUC on `test` of a classifier trained on `training`; None if there are too few questions of a kind."""
    if not _is_enough(training) or not _is_enough(test):
        return None
    classifier = NaiveBayes(training)
    return auc([(classifier.score(sample), sample.unanswerable) for sample in test])


def cross_validated_auc(halves: tuple[Sequence[Sample], Sequence[Sample]]) -> float | None:
    """The mean AUC of classifiers trained on one half of the contexts and tested on the other."""
    first_auc, second_auc = transfer_auc(*halves), transfer_auc(*reversed(halves))
    return None if first_auc is None or second_auc is None else (first_auc + second_auc) / 2


def _is_enough(samples: Sequence[Sample]) -> bool:
    unanswerable = sum(sample.unanswerable for sample in samples)
    return MIN_QUESTIONS <= unanswerable <= len(samples) - MIN_QUESTIONS


def auc(scored: list[tuple[float, bool]]) -> float:
    """The chance that an unanswerable question scores higher than an answerable one; ties count half."""
    below = won = 0.0
    for _, tied in groupby(sorted(scored), key=lambda pair: pair[0]):
        labels = [unanswerable for _, unanswerable in tied]
        positive, negative = sum(labels), len(labels) - sum(labels)
        won += positive * (below + negative / 2)
        below += negative
    return won / (below * (len(scored) - below))
