"""Further matchers that try to solve citation items without reading them, for `shortcuts.py`.

They use what the balanced matchers and those of `held_out_matchers.py` do not: how rare words are in the corpus, names,
acronyms and numbers, the distance to the mask, style, compression, years, traces of how excerpts are cut, the order of
the candidates, and how similar they are to one another.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import log, sqrt

import numpy as np
from numpy.typing import NDArray

from fathom.tasks.citations import held_out_matchers

Values = NDArray[np.float64]
Idf = Mapping[str, float]

_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_NAME = re.compile(r"\b[A-Z][\w-]*[A-Z0-9][\w-]*\b|(?<=[a-z,] )[A-Z][a-z]{2,}")
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_STYLE = ("the", "of", "in", "to", "and", "we", "is", "that", "this", "our", "which", "as", "by", "with", "not", "but")
_NEAR = 6
"""Words on each side of a mask that count as near."""


def inverse_frequencies(texts: Sequence[str]) -> dict[str, float]:
    """The rarity of each word in a corpus."""
    found = Counter(word for text in texts for word in set(held_out_matchers.words(text)))
    return {word: log(len(texts) / many) for word, many in found.items()}


def tables(paper: str, candidates: Sequence[str], idf: Idf) -> dict[str, Values]:
    """The scores of every matcher for a rendered item, by mask and candidate."""
    places = list(held_out_matchers.MASK.finditer(paper))
    found = {
        name: np.array(rows, dtype=float)
        for name, rows in _by_mask(
            [(held_out_matchers.windows(paper, place), paper, place) for place in places], candidates, idf
        )
    }
    for name, values in _alone(paper, candidates, idf).items():
        row = np.array(values, dtype=float)
        found[f"most {name}"] = np.array([row] * len(places))
        found[f"least {name}"] = -found[f"most {name}"]
    return found


Around = Sequence[tuple[dict[str, str], str, re.Match[str]]]


def _by_mask(masks: Around, candidates: Sequence[str], idf: Idf) -> Iterator[tuple[str, list[list[float]]]]:
    read = [held_out_matchers.words(text) for text in candidates]
    held = [set(one) for one in read]
    sentences = [[set(held_out_matchers.words(one)) for one in _SENTENCE.split(text)] for text in candidates]
    paragraphs = [[_weights(held_out_matchers.words(one), idf) for one in text.split("\n\n")] for text in candidates]
    triples = [set(zip(one, one[1:], one[2:], strict=False)) for one in read]
    names, numbers = ([set(pattern.findall(text)) for text in candidates] for pattern in (_NAME, _NUMBER))
    rows: dict[str, list[list[float]]] = {}

    def note(name: str, values: Sequence[float]) -> None:
        rows.setdefault(name, []).append(list(values))

    for around, paper, place in masks:
        sentence, paragraph = around["sentence"], around["paragraph"]
        words, block = held_out_matchers.words(sentence), held_out_matchers.words(paragraph)
        before, after = held_out_matchers.words(around["before"]), held_out_matchers.words(around["after"])
        wanted, distinct = set(words), set(block)
        note("rarity in the corpus", [sum(idf.get(word, 0) for word in wanted & one) for one in held])
        note("rarest shared word", [max((idf.get(word, 0) for word in wanted & one), default=0) for one in held])
        note("rare shared words", [sum(idf.get(word, 0) > 4 for word in distinct & one) for one in held])
        note("near words", [sum(idf.get(w, 0) for w in {*before[-_NEAR:], *after[:_NEAR]} & one) for one in held])
        distances = [*zip(reversed(before), range(1, 99), strict=False), *zip(after, range(1, 99), strict=False)]
        note("words by distance", [sum(idf.get(w, 0) / n for w, n in distances if w in one) for one in held])
        note("names of the sentence", [len(set(_NAME.findall(sentence)) & one) for one in names])
        note("names of the paragraph", [len(set(_NAME.findall(paragraph)) & one) for one in names])
        note("numbers of the paragraph", [len(set(_NUMBER.findall(paragraph)) & one) for one in numbers])
        best = [max(sum(idf.get(w, 0) for w in wanted & one) / sqrt(len(one) + 1) for one in of) for of in sentences]
        note("best sentence", best)
        note("most sentences with two shared words", [sum(len(wanted & one) > 1 for one in of) for of in sentences])
        vector = _weights(block, idf)
        note("best paragraph", [max(_cosine(vector, one) for one in of) for of in paragraphs])
        note("mean paragraph", [sum(_cosine(vector, one) for one in of) / len(of) for of in paragraphs])
        note("three words", [len(set(zip(block, block[1:], block[2:], strict=False)) & one) for one in triples])
        note("compression", [-_compressed(text, paragraph) for text in candidates])
        heading = paper.rfind("\n#", 0, place.start())
        titled = set(held_out_matchers.words(paper[heading : paper.find("\n", heading + 1)])) if heading >= 0 else set()
        note("heading above the mask", [sum(one.count(word) for word in titled) / (len(one) + 1) for one in read])
    yield from rows.items()


def _alone(paper: str, candidates: Sequence[str], idf: Idf) -> dict[str, Sequence[float]]:
    """Matchers that do not look at the mask."""
    read = [held_out_matchers.words(text) for text in candidates]
    vectors = [_weights(one, idf) for one in read]
    topic, style = _weights(held_out_matchers.words(paper), idf), _shares(held_out_matchers.words(paper))
    years = [[int(year) for year in _YEAR.findall(text)] for text in (paper, *candidates)]
    newest = [max(found, default=0) for found in years]
    lines = [text.strip().split("\n\n") for text in candidates]
    return {
        "similar to the paper": [_cosine(topic, one) for one in vectors],
        "similar to the other candidates": [sum(_cosine(one, other) for other in vectors) for one in vectors],
        "of the paper's style": [-sum((a - b) ** 2 for a, b in zip(style, _shares(one), strict=True)) for one in read],
        "recent years": newest[1:],
        "years like the paper's": [-abs(year - newest[0]) for year in newest[1:]],
        "years": [len(found) for found in years[1:]],
        "cuts": [text.count("[...]") for text in candidates],
        "words before the first cut": [(text.find("[...]") + 1) or len(text) for text in candidates],
        "words after the last cut": [len(text) - text.rfind("[...]") for text in candidates],
        "of a heading at the beginning": [text.lstrip().startswith("#") for text in candidates],
        "words of the first paragraph": [len(one[0]) for one in lines],
        "words of the longest paragraph": [max(map(len, one)) for one in lines],
        "hidden names for each word": [text.count("[[NAME]]") / (len(text) + 1) for text in candidates],
        "words before the first hidden name": [(text.find("[[NAME]]") + 1) or len(text) for text in candidates],
        "different words": [len(set(one)) / (len(one) + 1) for one in read],
        "mathematics": [sum(map(text.count, "$\\=_^")) / (len(text) + 1) for text in candidates],
        "rare words": [sum(idf.get(word, 0) for word in one) / (len(one) + 1) for one in read],
        "far down": list(range(len(candidates))),
    }


def _weights(words: Sequence[str], idf: Idf) -> dict[str, float]:
    return {word: (1 + log(many)) * idf.get(word, 0) for word, many in Counter(words).items()}


def _cosine(one: Mapping[str, float], two: Mapping[str, float]) -> float:
    if len(two) < len(one):
        one, two = two, one
    norms = sqrt(sum(v * v for v in one.values()) * sum(v * v for v in two.values()))
    return sum(value * two.get(word, 0) for word, value in one.items()) / (norms or 1)


def _shares(words: Sequence[str]) -> list[float]:
    counts = Counter(words)
    return [counts[word] / (len(words) + 1) for word in _STYLE]


def _compressed(text: str, query: str) -> int:
    """The bytes that the query takes after the text: fewer, the more the text predicts it."""
    end = text.encode()[-30_000:]
    return len(zlib.compress(end + query.encode(), 6)) - len(zlib.compress(end, 6))
