"""Classifiers that try to tell unanswerable questions from the others by the question alone."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from fathom.scoring.answers import Unanswerable
from fathom.tasks.family import Item
from fathom.tasks.numeric.key_programs import program_of
from fathom.tasks.numeric.predictability import samples
from fathom.tasks.numeric.schema import SCHEMA
from fathom.tasks.programs import tree
from fathom.tasks.programs.predictability import NaiveBayes, Sample

Values = np.ndarray[Any, np.dtype[np.float64]]
_WORD = re.compile(r"[^\W_]+")
NEIGHBORS = 15
TREES, RATE, LEAF = 60, 0.15, 8
"""Trees of the gradient boosting, their learning rate, and the minimum number of questions in a leaf."""


class Asked(NamedTuple):
    """What a classifier sees of a question, its context, and whether it has no answer."""

    context: int
    sample: Sample
    ngrams: tuple[str, ...]
    constants: dict[str, float]

    @property
    def unanswerable(self) -> bool:
        return self.sample.unanswerable


def asked(by_context: Iterable[tuple[object, list[Item]]]) -> list[Asked]:
    """The questions that may have no answer."""
    found = []
    for number, (_, items) in enumerate(by_context):
        for item in items:
            for sample in samples([item]):
                assert sample.unanswerable == isinstance(item.key.answer, Unanswerable)
                words = _WORD.findall(item.question.text.lower())
                pairs = (" ".join(pair) for pair in pairwise(words))
                found.append(Asked(number, sample, (*dict.fromkeys((*words, *pairs)),), dict(_numbers(item))))
    return found


def _numbers(item: Item) -> Iterator[tuple[str, float]]:
    """The constants by column and operator, the tags of the template and the form of the condition, as numbers."""
    program = program_of(item.key)
    for tag in ("skill", "topic", "template", "length"):
        yield f"{tag} {item.question.tags[tag]}", 1.0
    yield "words", len(item.question.text.split())
    for node in SCHEMA.nodes(program.where):
        yield type(node).__name__, 1.0
        match node:
            case tree.Compare(measure, sign, int() | float() as value):
                yield f"{measure} {sign}", float(value)
            case tree.Between(measure, int() | float() as low, int() | float() as high):
                yield from ((f"{measure} from", low), (f"{measure} to", high), (f"{measure} range", high - low))
            case tree.OneOf(measure, values):
                yield from (
                    (f"{measure} among {place}", float(one)) for place, one in enumerate(values) if isinstance(one, int)
                )
            case tree.Contains(_, str() as text):
                yield "letters", float(len(text))


Adversary = Callable[[Sequence[Asked], Sequence[Asked]], Values]
"""From training and test questions: a score for each test question, higher for those guessed to be unanswerable."""


def naive_bayes(training: Sequence[Asked], test: Sequence[Asked]) -> Values:
    """Words, operators and constants."""
    classifier = NaiveBayes([one.sample for one in training])
    return np.array([classifier.score(one.sample) for one in test])


def logistic_regression(training: Sequence[Asked], test: Sequence[Asked]) -> Values:
    """Words and pairs of words, with a quadratic penalty."""
    inputs, others = _ngram_matrices(training, test)
    labels = _labels(training)
    weights, bias = np.zeros(inputs.shape[1]), 0.0
    for _ in range(300):
        error = 1 / (1 + np.exp(-(inputs @ weights + bias))) - labels
        weights -= 1.0 * (inputs.T @ error / len(labels) + 0.002 * weights)
        bias -= 1.0 * float(error.mean())
    return np.asarray(others @ weights)


def nearest_neighbors(training: Sequence[Asked], test: Sequence[Asked]) -> Values:
    """The share of unanswerable questions among those with the most similar words."""
    inputs, others = _ngram_matrices(training, test)
    nearest = np.argsort(-(others @ inputs.T), axis=1)[:, :NEIGHBORS]
    return np.asarray(_labels(training)[nearest].mean(axis=1))


def gradient_boosting(training: Sequence[Asked], test: Sequence[Asked]) -> Values:
    """Trees of depth two on constants, template ids and operators."""
    counts = Counter(name for one in training for name in one.constants)
    columns = [name for name, count in counts.items() if count >= LEAF]
    inputs, others = (_number_matrix(questions, columns) for questions in (training, test))
    labels = _labels(training)
    score, result = np.zeros(len(training)), np.zeros(len(test))
    for _ in range(TREES):
        gradient = labels - 1 / (1 + np.exp(-score))
        grown = _tree(inputs, gradient, np.arange(len(training)), depth=2)
        score += RATE * np.array([grown(row) for row in inputs])
        result += RATE * np.array([grown(row) for row in others])
    return result


ADVERSARIES: dict[str, Adversary] = {
    "naive Bayes": naive_bayes,
    "logistic regression": logistic_regression,
    "nearest neighbors": nearest_neighbors,
    "gradient boosting": gradient_boosting,
}


def _labels(questions: Sequence[Asked]) -> Values:
    return np.array([float(one.unanswerable) for one in questions])


def _ngram_matrices(training: Sequence[Asked], test: Sequence[Asked]) -> tuple[Values, Values]:
    """Rows of unit length with a column for each n-gram of several training questions, weighed by its rarity."""
    counts = Counter(ngram for one in training for ngram in one.ngrams)
    columns = {ngram: place for place, ngram in enumerate(name for name, count in counts.items() if count >= 2)}
    weights = {ngram: np.log(len(training) / counts[ngram]) for ngram in columns}

    def matrix(questions: Sequence[Asked]) -> Values:
        rows = np.zeros((len(questions), len(columns)))
        for number, one in enumerate(questions):
            for ngram in one.ngrams:
                if ngram in columns:
                    rows[number, columns[ngram]] = weights[ngram]
        return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9))

    return matrix(training), matrix(test)


def _number_matrix(questions: Sequence[Asked], columns: Sequence[str]) -> Values:
    return np.array([[one.constants.get(name, -1.0) for name in columns] for one in questions]).reshape(
        -1, len(columns)
    )


def _tree(inputs: Values, gradient: Values, rows: Any, depth: int) -> Callable[[Values], float]:
    """A regression tree on the gradients of these rows."""
    mean = float(gradient[rows].sum() / (0.25 * len(rows) + 1))
    best = (1e-9, 0, 0.0)
    total = gradient[rows].sum()
    for column in range(inputs.shape[1]) if depth else ():
        values = inputs[rows, column]
        for cut in np.unique(values)[:-1]:
            left = values <= cut
            count = int(left.sum())
            if min(count, len(rows) - count) >= LEAF:
                part = gradient[rows][left].sum()
                gain = part**2 / count + (total - part) ** 2 / (len(rows) - count) - total**2 / len(rows)
                best = max(best, (gain, column, float(cut)))
    gain, column, cut = best
    if gain <= 1e-9:
        return lambda row: mean
    below = inputs[rows, column] <= cut
    lower, upper = (_tree(inputs, gradient, rows[part], depth - 1) for part in (below, ~below))
    return lambda row: lower(row) if row[column] <= cut else upper(row)
