"""Matchers that no build balances: the best of them is the published baseline of a level.

Items of filtered levels are balanced on the matchers of `lexical.py`. A baseline that is measured with the same
matchers would be at chance by construction. These differ in all parts: they read the rendered text alone, with whole
words instead of stems, other windows around the mask, other weights, and other parts of the candidates.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, repeat
from math import log, sqrt

import numpy as np
from numpy.typing import NDArray

from fathom.records.names import CHINESE

FloatArray = NDArray[np.float64]
ScoreTable = NDArray[np.float64]
"""The score of each candidate (column) for each mask (row)."""

MASK = re.compile(r"\[\[CITATIONS?(?: \d+)?\]\]")
_MARKS = re.compile(r"\[\[[A-Z]+(?: \d+)?\]\]")
_WORD = re.compile(rf"[{CHINESE}]|[^\W_{CHINESE}]{{2,}}")
_HEADING = re.compile(r"^#+ .*$", re.MULTILINE)
_DIGIT = re.compile(r"\d")
_STOP = 0.6
"""Words in more than this share of all chunks have no weight."""

CHUNKS = (100, 30)
"""Words in a part of a candidate, for matchers that use its best part."""
GRAMS = (3, 5)
"""Characters of the compared pieces of words."""
BUCKETS = 4_096
SMOOTHING = 500.0
"""Words of the background that are added to a candidate by the language model."""

WINDOWS = ("clause", "before", "after", "sentence", "three sentences", "300", "700", "paragraph", "section")
"""The text around a mask whose words are compared."""
_SHORT = ("sentence", "three sentences", "paragraph")


def windows(paper: str, place: re.Match[str]) -> dict[str, str]:
    """The text around a mask, by the names of `WINDOWS`, with full stops as ends of sentences."""
    start, end = place.span()
    line = paper.rfind("\n\n", 0, start) + 1, _find(paper, "\n\n", end)
    first = max(line[0], paper.rfind(". ", line[0], start) + 1)
    last = min(line[1], _find(paper, ". ", end))
    earlier = max(line[0], paper.rfind(". ", line[0], max(line[0], first - 2)) + 1)
    later = min(line[1], _find(paper, ". ", last + 1))
    return {
        "clause": paper[max(first, start - 80) : start],
        "before": paper[first:start],
        "after": paper[end:last],
        "sentence": paper[first:last],
        "three sentences": paper[earlier:later],
        "300": paper[max(0, start - 300) : end + 300],
        "700": paper[max(0, start - 700) : end + 700],
        "paragraph": paper[line[0] : line[1]],
        "section": paper[max(0, start - 2_500) : end + 2_500],
    }


def _find(text: str, part: str, start: int) -> int:
    place = text.find(part, start)
    return len(text) if place < 0 else place


def words(text: str) -> list[str]:
    """The words of a text in lower case, without masks."""
    return _WORD.findall(_MARKS.sub(" ", text).lower())


def tables(paper: str, candidates: Sequence[str]) -> dict[str, ScoreTable]:
    """The scores of every matcher for a rendered item."""
    around = [windows(paper, match) for match in MASK.finditer(paper)]
    asked = [{window: words(text) for window, text in one.items()} for one in around]
    read = [words(text) for text in candidates]
    every = sorted({word for one in asked for window in one.values() for word in window})
    number = {word: n for n, word in enumerate(every)}
    at = [np.fromiter(map(number.get, one, repeat(-1)), int, len(one)) for one in read]
    found = dict(_by_words(asked, read, number, at))
    found |= _by_pairs(asked, number, at) | _by_grams(around, candidates) | _by_phrases(asked, read, number, at)
    found |= _by_headings(asked, candidates) | _by_form(len(around), candidates, read)
    return found


Asked = Sequence[dict[str, list[str]]]
"""The words of each window, for each mask."""
Read = Sequence[list[str]]
"""The words of each candidate."""
WordNumbers = Mapping[str, int]
"""A number for each word of the windows."""
At = Sequence[NDArray[np.int_]]
"""The words of each candidate by number; -1 for words that are in no window."""


def _by_words(asked: Asked, read: Read, number: WordNumbers, at: At) -> Iterator[tuple[str, ScoreTable]]:
    """Nine windows, each compared in nine ways."""
    wanted = np.zeros((len(asked), len(WINDOWS), len(number)))
    for mask, one in enumerate(asked):
        for window, name in enumerate(WINDOWS):
            wanted[mask, window, [number[word] for word in one[name]]] = 1
    counts = np.array([np.bincount(ids[ids >= 0], minlength=len(number)) for ids in at], dtype=float)
    parts = {size: [_presence(ids, size, len(number)) for ids in at] for size in CHUNKS}
    chunks = sum(len(part) for part in parts[CHUNKS[0]])
    share = sum(part.sum(axis=0) for part in parts[CHUNKS[0]]) / max(1, chunks)
    idf = np.where(share > _STOP, 0.0, np.log((chunks + 1) / (share * chunks + 0.5)))
    sizes = np.array([max(1, len(one)) for one in read], dtype=float)
    norms = np.array([sqrt(sum(n * n for n in Counter(one).values())) or 1.0 for one in read])
    background = (counts.sum(axis=0) + 0.1) / sizes.sum()
    held = counts > 0
    by_word = {
        "BM25": idf * counts * 2.2 / (counts + 1.2 * (0.25 + 0.75 * sizes / sizes.mean())[:, None]),
        "cosine": idf**2 * counts / norms[:, None],
        "damped cosine": idf * held * (1 + np.log(np.maximum(counts, 1))) / np.sqrt(sizes)[:, None],
        "coverage": idf * held,
        "plain coverage": (idf > 0) * held * 1.0,
        "language model": (idf > 0) * np.log((counts + SMOOTHING * background) / (sizes[:, None] + SMOOTHING)),
        "words of one candidate": idf * (held & (held.sum(axis=0) == 1)),
    }
    for way, weights in by_word.items():
        scores = np.einsum("mwv,cv->wmc", wanted, weights)
        yield from ((f"{way}, {window}", scores[n]) for n, window in enumerate(WINDOWS))
    for size, presences in parts.items():
        best = np.array([((wanted * idf) @ presence.T).max(axis=2) for presence in presences])
        yield from ((f"best {size} words, {window}", best[:, :, n].T) for n, window in enumerate(WINDOWS))


def _presence(ids: NDArray[np.int_], size: int, many: int) -> FloatArray:
    """For each chunk of this many words, which words it contains."""
    found = np.zeros((max(1, -(-len(ids) // size)), many))
    places = np.flatnonzero(ids >= 0)
    found[places // size, ids[places]] = 1
    return found


def _by_pairs(asked: Asked, number: WordNumbers, at: At) -> dict[str, ScoreTable]:
    """Pairs of neighboring words, and pairs with one word between them."""
    found: dict[str, ScoreTable] = {}
    for name, step in (("pairs of words", 1), ("pairs with a gap", 2)):
        known = [_pairs(ids, step, len(number)) for ids in at]
        for window in _SHORT:
            table = np.zeros((len(asked), len(at)))
            for mask, one in enumerate(asked):
                ids = [number[word] for word in one[window]]
                for pair in {first * len(number) + second for first, second in zip(ids, ids[step:], strict=False)}:
                    held = [pair in pairs for pairs in known]
                    if any(held):
                        table[mask] += np.array(held) * log((len(at) + 1) / sum(held))
            found[f"{name}, {window}"] = table
    return found


def _pairs(ids: NDArray[np.int_], step: int, many: int) -> set[int]:
    """The pairs of words at this distance from each other, if both are in a window."""
    first, second = ids[:-step], ids[step:]
    both = (first >= 0) & (second >= 0)
    return set((first[both] * many + second[both]).tolist())


def _by_grams(around: Sequence[dict[str, str]], texts: Sequence[str]) -> dict[str, ScoreTable]:
    """Cosines of the counts of character sequences, hashed."""
    found: dict[str, ScoreTable] = {}
    for size in GRAMS:
        vectors = np.array([_grams(text, size) for text in texts])
        share = np.log1p(vectors.mean(axis=0))
        weights = 1 / (1 + share)
        for window in _SHORT:
            asked = np.array([_grams(one[window], size) for one in around])
            found[f"{size} characters, {window}"] = (_unit(np.log1p(asked) * weights)) @ _unit(
                np.log1p(vectors) * weights
            ).T
    return found


def _grams(text: str, size: int) -> FloatArray:
    codes = np.frombuffer(_MARKS.sub(" ", text).lower().encode("utf-16-le", "replace"), dtype=np.uint16)
    if len(codes) < size:
        return np.zeros(BUCKETS)
    hashed = np.zeros(len(codes) - size + 1, dtype=np.uint64)
    for index in range(size):
        hashed = hashed * np.uint64(1_000_003) + codes[index : len(codes) - size + 1 + index]
    return np.bincount((hashed >> np.uint64(7)) % np.uint64(BUCKETS), minlength=BUCKETS).astype(float)


def _unit(rows: FloatArray) -> FloatArray:
    unit: FloatArray = rows / np.maximum(1e-9, np.sqrt((rows * rows).sum(axis=1, keepdims=True)))
    return unit


def _by_phrases(asked: Asked, read: Read, number: WordNumbers, at: At) -> dict[str, ScoreTable]:
    """The longest common phrase, and the squared lengths of all common phrases."""
    texts = [(f" {' '.join(one)} ", _pairs(ids, 1, len(number))) for one, ids in zip(read, at, strict=True)]
    found: dict[str, ScoreTable] = {}
    for window in _SHORT[:2]:
        runs = [[_runs(one[window], text, pairs, number) for text, pairs in texts] for one in asked]
        found[f"longest phrase, {window}"] = np.array([[max(run, default=0) for run in row] for row in runs], float)
        found[f"all phrases, {window}"] = np.array([[sum(n * n for n in run) for run in row] for row in runs], float)
    return found


def _runs(wanted: Sequence[str], text: str, pairs: set[int], number: WordNumbers) -> list[int]:
    """The lengths of the phrases of the query that the text contains, from left to right, as long as possible."""
    ids = [number[word] for word in wanted]
    held = [first * len(number) + second in pairs for first, second in pairwise(ids)]
    found, start = [], 0
    while start < len(held):
        end = start + 1
        # A longer phrase is searched only as long as its pairs occur.
        while end <= len(held) and held[end - 1] and f" {' '.join(wanted[start : end + 1])} " in text:
            end += 1
        if end - start > 1:
            found.append(end - start)
        start = end
    return found


def _by_headings(asked: Asked, candidates: Sequence[str]) -> dict[str, ScoreTable]:
    """Words of the candidate's headings."""
    headings = [set(words(" ".join(_HEADING.findall(text)))) for text in candidates]
    return {
        f"headings, {window}": np.array([[len(set(one[window]) & held) for held in headings] for one in asked]) * 1.0
        for window in ("sentence", "paragraph", "section")
    }


def _by_form(masks: int, candidates: Sequence[str], read: Read) -> dict[str, ScoreTable]:
    """Matchers that do not read the paper at all."""
    lines = [text.split("\n\n") for text in candidates]
    form: dict[str, list[float]] = {
        "longest": [len(text) for text in candidates],
        "most hidden names": [text.count("[[NAME]]") for text in candidates],
        "most digits": [len(_DIGIT.findall(text)) / (len(text) or 1) for text in candidates],
        "most paragraphs": [len(line) for line in lines],
        "most headings": [len(_HEADING.findall(text)) for text in candidates],
        "longest words": [sum(map(len, one)) / max(1, len(one)) for one in read],
    }
    form |= {f"not {name}": [-value for value in values] for name, values in form.items()}
    return {name: np.array([values] * masks, dtype=float) for name, values in form.items()}
