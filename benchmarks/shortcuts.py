"""Accuracy of lexical matchers on hard citations: cosines, BM25, pairs of words, lengths.

A build balances `hard` items against four matchers (`tasks/citations/lexical.py`). These matchers are others: they
parse the rendered text themselves, weight words by the whole corpus, and use whole words and pairs of words instead of
stems. Printed with bootstrap intervals over question papers; chance is 25%.

    python benchmarks/shortcuts.py [ITEMS] [CORPUS]
"""

from __future__ import annotations

import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice, pairwise, permutations
from math import log, sqrt
from pathlib import Path
from random import Random

from _measuring import fathom, workplace
from fathom.contexts.layout import render
from fathom.corpus.store import Corpus
from fathom.tasks.citations.build import CitationBuilder
from fathom.tasks.citations.settings import CitationSettings
from fathom.tasks.citations.simulate import options_of

ITEMS = int(sys.argv[1]) if len(sys.argv) > 1 else 300
DOCUMENTS = 24 * ITEMS
SAMPLE = 300
"""Documents that the weights of words are taken from."""

MASK = re.compile(r"\[\[CITATION(?: \d)?\]\]")
HIDDEN = re.compile(r"\[\[[A-Z]+(?: \d)?\]\]")
WORD = re.compile(r"[^\W\d_]{3,}")
Bag = Mapping[str, float]
Table = list[list[float]]
"""For each mask a score for each candidate."""


def words(text: str) -> list[str]:
    return WORD.findall(HIDDEN.sub(" ", text).lower())


def pairs(text: str) -> list[str]:
    found = words(text)
    return [f"{one} {two}" for one, two in pairwise(found)]


CUTS: dict[str, Callable[[str], list[str]]] = {"words": words, "pairs of words": pairs}


class Weights:
    """How rare each word is in a corpus."""

    def __init__(self, corpus: Corpus, cut: Callable[[str], list[str]]) -> None:
        self._found: Counter[str] = Counter()
        for _, text in islice(corpus.texts(), SAMPLE):
            self._found.update(set(cut(text.decode())))

    def of(self, word: str) -> float:
        return log((SAMPLE + 1) / (self._found[word] + 1))


def cosine(one: Bag, two: Bag) -> float:
    shared = sum(value * two[word] for word, value in one.items() if word in two)
    return shared / (sqrt(sum(v * v for v in one.values()) * sum(v * v for v in two.values())) or 1.0)


def weighed(counts: Counter[str], weights: Weights, damped: bool) -> Bag:
    return {word: (1 + log(n) if damped else n) * weights.of(word) for word, n in counts.items()}


def bm25(wanted: set[str], candidates: Sequence[Counter[str]], weights: Weights) -> list[float]:
    lengths = [sum(one.values()) for one in candidates]
    mean = sum(lengths) / len(lengths) or 1.0
    return [
        sum(weights.of(w) * one[w] * 2.2 / (one[w] + 1.2 * (0.25 + 0.75 * length / mean)) for w in wanted if one[w])
        for one, length in zip(candidates, lengths, strict=True)
    ]


def stretches(paper: str, mask: re.Match[str]) -> dict[str, str]:
    """The sentence and the paragraph of a mask, by full stops and newlines alone."""
    line = paper.rfind("\n", 0, mask.start()) + 1, paper.find("\n", mask.end()) % (len(paper) + 1)
    dot = max(line[0], paper.rfind(". ", 0, mask.start()) + 1), paper.find(". ", mask.end()) % (len(paper) + 1)
    return {"sentence": paper[dot[0] : min(dot[1], line[1])], "paragraph": paper[line[0] : line[1]]}


def tables(paper: str, candidates: Sequence[str], weights: Mapping[str, Weights]) -> Iterator[tuple[str, Table]]:
    """The scores of each matcher."""
    around = [stretches(paper, mask) for mask in MASK.finditer(paper)]
    for name, cut in CUTS.items():
        bags = [Counter(cut(text)) for text in candidates]
        for stretch in ("sentence", "paragraph"):
            wanted = [Counter(cut(found[stretch])) for found in around]
            yield f"{stretch}, BM25 of {name}", [bm25(set(one), bags, weights[name]) for one in wanted]
            for damped in (False, True):
                known = [weighed(bag, weights[name], damped) for bag in bags]
                asked = [weighed(one, weights[name], damped) for one in wanted]
                how = f"{stretch}, {'damped ' if damped else ''}cosine of {name}"
                yield how, [[cosine(one, bag) for bag in known] for one in asked]
    parts = [[weighed(Counter(words(p)), weights["words"], True) for p in text.split("\n") if p] for text in candidates]
    asked = [weighed(Counter(words(found["sentence"])), weights["words"], True) for found in around]
    yield "sentence, best paragraph", [[max(cosine(one, p) for p in part) for part in parts] for one in asked]
    if len(around) == 1:
        yield "longest", [[float(len(text)) for text in candidates]]
        yield "shortest", [[-float(len(text)) for text in candidates]]


def share(table: Table, answer: Sequence[int]) -> float:
    """The share of masks that the best choice or order fills correctly, averaged over ties."""
    places = range(len(table[0]))
    orders = [(place,) for place in places] if len(table) == 1 else list(permutations(places))
    totals = [sum(row[place] for row, place in zip(table, order, strict=True)) for order in orders]
    best = [order for order, total in zip(orders, totals, strict=True) if total >= max(totals) - 1e-12]
    right = [sum(p + 1 == a for p, a in zip(order, answer, strict=True)) / len(answer) for order in best]
    return sum(right) / len(right)


def interval(by_paper: Sequence[Sequence[float]]) -> tuple[float, float]:
    rng = Random(0)
    means = []
    for _ in range(1_000):
        drawn = [value for values in rng.choices(by_paper, k=len(by_paper)) for value in values]
        means.append(sum(drawn) / len(drawn))
    means.sort()
    return means[25], means[974]


def measure(folder: Path) -> None:
    shares: dict[tuple[str, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    with Corpus(folder) as corpus:
        weights = {name: Weights(corpus, cut) for name, cut in CUTS.items()}
        settings = CitationSettings(items=ITEMS, levels=("hard",))
        for context, [item] in CitationBuilder(corpus, settings, 0).build():
            text = render(context, corpus).decode()
            paper, *candidates = (place.span.of(text) for place in context.places)
            for name, table in tables(paper, candidates, weights):
                found = share(table, options_of(item.key))
                shares[item.question.tags["task"], name][context.documents[0]].append(found)
    for task in ("choice", "cloze"):
        rows = [(name, list(by.values())) for (kind, name), by in shares.items() if kind == task]
        sums = [(sum(map(sum, by)) / sum(map(len, by)), name, by) for name, by in rows]
        print(f"{task}, hard: {sum(map(len, rows[0][1]))} items of {len(rows[0][1])} papers")
        for mean, name, by in sorted(sums, key=lambda row: -row[0]):
            low, high = interval(by)
            print(f"  {mean:6.1%}  [{low:.1%} to {high:.1%}]  {name}")


if len(sys.argv) > 2:
    measure(Path(sys.argv[2]))
else:
    with workplace() as place:
        fathom("generate", "--out", place / "corpus", "--documents", DOCUMENTS, "--seed", 2)
        measure(place / "corpus")
