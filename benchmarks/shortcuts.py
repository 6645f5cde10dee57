"""Accuracy of matchers that no build balances on citations: the best of them, and a combination trained on them.

`hard` items are balanced on the matchers of `tasks/citations/lexical.py`. Measured here are the held-out matchers of
`held_out.py`, word vectors from the corpus (latent semantic analysis and random projections), the number of a paper's
items with a candidate, and a combination of all of them, fitted and tested on different papers (five folds). Intervals
are bootstrap intervals over papers. "At chance" is what the best matcher reaches with random keys, in half of the cases
and in 95 of 100. The last columns give the share of items in which no word of the citing sentence tells the correct
candidate from most others: as shown, and if every candidate were cut at its beginning instead.

    python benchmarks/shortcuts.py [--items 100] [--levels easy,medium,hard] [--seeds 1] [--top 5] CORPUS ...
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fathom.contexts.layout import render
from fathom.corpus.store import Corpus
from fathom.tasks.citations import held_out
from fathom.tasks.citations.baselines import shares
from fathom.tasks.citations.build import CitationBuilder
from fathom.tasks.citations.candidate_search import standardized
from fathom.tasks.citations.evidence import telling_words
from fathom.tasks.citations.lexical import MATCHERS
from fathom.tasks.citations.settings import CitationSettings
from fathom.tasks.citations.simulate import Simulator, options_of
from fathom.tasks.citations.word_counts import stems_in, words_of
from fathom.tasks.citations.works import Work

Values = NDArray[np.float64]

SAMPLE, VOCABULARY, DIMENSIONS, CHUNK = 150, 3_000, 100, 150
FOLDS = 5
RIDGE = 30.0
DRAWS = 200


@dataclass
class Measured:
    """An item with the scores of all matchers."""

    cell: str
    paper: str
    candidates: tuple[str, ...]
    answer: tuple[int, ...]
    tables: dict[str, Values]
    balanced: Values
    telling: bool
    telling_at_the_beginning: bool


class WordVectors:
    """Word vectors from a sample of a corpus: latent semantic analysis, and random projections."""

    def __init__(self, corpus: Corpus) -> None:
        texts = [held_out.words(text.decode()) for _, text in islice(corpus.texts(), SAMPLE)]
        chunks = [text[start : start + CHUNK] for text in texts for start in range(0, len(text), CHUNK)]
        found = Counter(word for chunk in chunks for word in set(chunk))
        self._number = {word: n for n, (word, _) in enumerate(found.most_common(VOCABULARY))}
        self._idf = np.array([np.log(len(chunks) / found[word]) for word in self._number])
        rng = np.random.default_rng(0)
        matrix = np.array([self._weights(chunk) for chunk in chunks])
        matrix /= np.linalg.norm(matrix, axis=1, keepdims=True) + 1e-9
        basis = np.linalg.qr(matrix.T @ (matrix @ (matrix.T @ rng.normal(size=(len(chunks), DIMENSIONS)))))[0]
        _, _, directions = np.linalg.svd(matrix @ basis, full_matrices=False)
        self._vectors = {
            "latent semantic analysis": basis @ directions.T,
            "random projection": rng.normal(size=(len(self._number), DIMENSIONS)),
        }

    def _weights(self, words: Sequence[str]) -> Values:
        counts = np.zeros(len(self._number))
        for word, count in Counter(words).items():
            if word in self._number:
                counts[self._number[word]] = 1 + np.log(count)
        weights: Values = counts * self._idf
        return weights

    def tables(self, paper: str, candidates: Sequence[str]) -> dict[str, Values]:
        around = [held_out.windows(paper, place) for place in held_out.MASK.finditer(paper)]
        read = [held_out.words(text) for text in candidates]
        whole = np.array([self._weights(words) for words in read])
        parts = [
            np.array([self._weights(words[start : start + CHUNK]) for start in range(0, max(1, len(words)), CHUNK)])
            for words in read
        ]
        found = {}
        for window in ("sentence", "three sentences", "paragraph"):
            asked = np.array([self._weights(held_out.words(one[window])) for one in around])
            for name, vectors in self._vectors.items():
                query = _unit(asked @ vectors)
                found[f"{name}, {window}"] = query @ _unit(whole @ vectors).T
                best = [(query @ _unit(part @ vectors).T).max(axis=1) for part in parts]
                found[f"{name} of the best part, {window}"] = np.array(best).T
        return found


def _unit(rows: Values) -> Values:
    unit: Values = rows / (np.linalg.norm(rows, axis=-1, keepdims=True) + 1e-9)
    return unit


def measured(corpus: Corpus, settings: CitationSettings, seed: int, vectors: WordVectors) -> list[Measured]:
    items = []
    simulator = Simulator(corpus)
    for context, [item] in CitationBuilder(corpus, settings, seed).build():
        text = render(context, corpus).decode()
        paper, *candidates = (place.span.of(text) for place in context.places)
        tags, answer = item.question.tags, options_of(item.key)
        sentences = [passage.span.of(corpus.text(passage.document)) for passage in item.key.proof.passages][
            : len(answer)
        ]
        form = tags["candidate-text"]
        cut = [
            Work(corpus, id).shown(form).text[: place.span.end - place.span.start]  # type: ignore[arg-type]
            for id, place in zip(context.documents[1:], context.places[1:], strict=True)
        ]
        items.append(
            Measured(
                f"{tags['task']}, {tags['level']}",
                f"{seed} {context.documents[0]}",
                tuple(context.documents[1:]),
                answer,
                {**held_out.tables(paper, candidates), **vectors.tables(paper, candidates)},
                simulator.scores(context),
                _is_told(sentences, candidates, answer),
                _is_told(sentences, cut, answer),
            )
        )
    _count_items(items)
    return items


def _is_told(sentences: Sequence[str], candidates: Sequence[str], answer: Sequence[int]) -> bool:
    """Whether a word of every citing sentence tells its work from most others."""
    stems = [set(stems_in(text)) for text in candidates]
    told = (telling_words(words_of(text), stems, n - 1) for text, n in zip(sentences, answer, strict=True))
    return all(map(bool, told))


def _count_items(items: Sequence[Measured]) -> None:
    """Add the matchers that count the items of the paper in which a candidate occurs."""
    seen = Counter((item.paper, work) for item in items for work in item.candidates)
    for item in items:
        counts = np.array([[seen[item.paper, work] for work in item.candidates]] * len(item.answer), dtype=float)
        item.tables |= {"most items": counts, "fewest items": -counts}


def combined(items: Sequence[Measured]) -> Values:
    """The accuracy of a conditional logit of all matchers on each item, fitted on other papers."""
    papers = sorted({item.paper for item in items})
    fold = {paper: n % FOLDS for n, paper in enumerate(np.random.default_rng(0).permutation(papers).tolist())}
    each = [np.moveaxis(standardized(np.array(list(item.tables.values()))[:, None])[:, 0], 0, 2) for item in items]
    found = np.zeros(len(items))
    for number in range(FOLDS):
        training = [n for n, item in enumerate(items) if fold[item.paper] != number]
        if not training:
            return found
        answers = np.concatenate([np.array(items[n].answer) - 1 for n in training])
        weights = _fitted(np.concatenate([each[n] for n in training]), answers)
        for n, item in enumerate(items):
            if fold[item.paper] == number:
                found[n] = shares((each[n] @ weights)[None], item.answer)[0]
    return found


def _fitted(rows: Values, answers: NDArray[np.int_]) -> Values:
    weights = np.zeros(rows.shape[2])
    for _ in range(12):
        chances = np.exp(rows @ weights - (rows @ weights).max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
        mean = np.einsum("ic,ick->ik", chances, rows)
        slope = (rows[np.arange(len(rows)), answers] - mean).sum(axis=0) - RIDGE * weights
        weighted = rows * np.sqrt(chances)[:, :, None]
        flat = weighted.reshape(-1, rows.shape[2])
        bend = flat.T @ flat - mean.T @ mean + RIDGE * np.eye(len(weights))
        weights = weights + np.linalg.solve(bend, slope)
    return weights


def interval(items: Sequence[Measured], values: Values) -> str:
    """The mean with its bootstrap interval over papers."""
    by_paper: dict[str, list[float]] = defaultdict(list)
    for item, value in zip(items, values, strict=True):
        by_paper[item.paper.partition(" ")[2]].append(float(value))
    sums, counts = np.array([sum(v) for v in by_paper.values()]), np.array([len(v) for v in by_paper.values()])
    drawn = np.random.default_rng(0).integers(0, len(sums), (1_000, len(sums)))
    low, high = np.quantile(sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1), [0.025, 0.975])
    return f"{values.mean():.0%} ({low:.0%}-{high:.0%})"


def at_chance(items: Sequence[Measured]) -> tuple[float, float]:
    """What the best matcher reaches with random keys: the median and the 95th percentile."""
    rng = np.random.default_rng(1)
    totals = np.zeros((DRAWS, len(items[0].tables)))
    for item in items:
        tables = np.array(list(item.tables.values()))
        for draw in range(DRAWS):
            key = rng.permutation(len(item.candidates))[: len(item.answer)] + 1
            totals[draw] += _quick_shares(tables, key)
    middle, high = np.quantile(totals.max(axis=1) / len(items), [0.5, 0.95])
    return float(middle), float(high)


def _quick_shares(tables: Values, key: NDArray[np.int_]) -> Values:
    """The share of masks whose best candidate is that of the key; cheaper than the best assignment."""
    best = tables == tables.max(axis=2, keepdims=True)
    found: Values = (best / best.sum(axis=2, keepdims=True))[:, np.arange(len(key)), key - 1].mean(axis=1)
    return found


def report(items: Sequence[Measured], top: int) -> None:
    print(
        "| task, level | items (papers) | held-out matchers: best | at chance | mean | combination | fewest items | "
        "balanced: best | untold as shown | untold at the beginning |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    details = []
    for cell in sorted({item.cell for item in items}):
        own = [item for item in items if item.cell == cell]
        found = np.array([shares(np.array(list(item.tables.values())), item.answer) for item in own])
        names = list(own[0].tables)
        order = found.mean(axis=0).argsort()[::-1]
        middle, high = at_chance(own)
        balanced = np.array([shares(item.balanced, item.answer) for item in own])
        fewest = found[:, names.index("fewest items")]
        untold = [np.mean([not item.telling for item in own]), np.mean([not i.telling_at_the_beginning for i in own])]
        papers = len({item.paper.partition(" ")[2] for item in own})
        print(
            f"| {cell} | {len(own)} ({papers}) | {interval(own, found[:, order[0]])} | {middle:.0%}, {high:.0%} | "
            f"{interval(own, found.mean(axis=1))} | {interval(own, combined(own))} | {interval(own, fewest)} | "
            f"{balanced.mean(axis=0).max():.0%} | {untold[0]:.0%} | {untold[1]:.0%} |"
        )
        details += [f"{cell}: {interval(own, found[:, n])} {names[n]}" for n in order[:top]]
        best = int(balanced.mean(axis=0).argmax())
        details.append(f"{cell}: {interval(own, balanced[:, best])} {MATCHERS[best]} (balanced)")
    print()
    print("\n".join(details))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("corpora", nargs="+", type=Path)
    parser.add_argument("--items", type=int, default=100)
    parser.add_argument("--levels", default="easy,medium,hard")
    parser.add_argument("--tasks", default="choice,cloze")
    parser.add_argument("--seeds", type=int, default=1, help="builds with so many seeds, measured together")
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--top", type=int, default=5)
    asked = parser.parse_args()
    levels, tasks = tuple(asked.levels.split(",")), tuple(asked.tasks.split(","))
    settings = CitationSettings(items=asked.items, levels=levels, tasks=tasks)
    for folder in asked.corpora:
        with Corpus(folder) as corpus:
            vectors = WordVectors(corpus)
            items = [
                item
                for seed in range(asked.first_seed, asked.first_seed + asked.seeds)
                for item in measured(corpus, settings, seed, vectors)
            ]
        if items:
            print(f"{folder.name}: {len(items[0].tables)} held-out matchers")
            report(items, asked.top)


main()
