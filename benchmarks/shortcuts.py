"""Accuracy of matchers that no build balances on citations: the best of them, and a combination trained on them.

`hard` items are balanced on the matchers of `tasks/citations/lexical.py`. Measured here are the held-out matchers of
`held_out_matchers.py`, vectors trained on the corpus in other ways than in the build (`_embeddings.py`), the attacks of
`_attacks.py`, the number of a paper's items with a candidate, and a combination of all of them.

The best of so many matchers on the items that chose it is above chance by chance alone. Therefore "best" is chosen on
four fifths of the papers and measured on the others, in turn; so is the combination fitted. Intervals are bootstrap
intervals over papers. "Maximum" is the best on the same items, beside what it reaches with random keys, in half of the
cases and in 95 of 100. Several corpora are also measured together, since one build has few hard items.

    python benchmarks/shortcuts.py [--items 100] [--levels easy,medium,hard] [--seeds 1] [--top 5] CORPUS ...
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import _attacks
from _embeddings import Embeddings
from fathom.contexts.layout import render
from fathom.corpus.store import Corpus
from fathom.tasks.citations import held_out_matchers
from fathom.tasks.citations.baselines import chosen_on_others, paper_folds, shares
from fathom.tasks.citations.build import CitationBuilder
from fathom.tasks.citations.candidate_search import standardized
from fathom.tasks.citations.lexical import MATCHERS
from fathom.tasks.citations.settings import CitationSettings
from fathom.tasks.citations.simulate import Simulator, options_of

Values = NDArray[np.float64]

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


def measured(corpus: Corpus, settings: CitationSettings, seed: int, vectors: Embeddings) -> list[Measured]:
    items = []
    simulator = Simulator(corpus)
    for context, [item] in CitationBuilder(corpus, settings, seed).build():
        text = render(context, corpus).decode()
        paper, *candidates = (place.span.of(text) for place in context.places)
        attacks = _attacks.tables(paper, candidates, vectors.rarity)
        items.append(
            Measured(
                f"{item.question.tags['task']}, {item.question.tags['level']}",
                f"{seed} {context.documents[0]}",
                tuple(context.documents[1:]),
                options_of(item.key),
                {
                    **held_out_matchers.tables(paper, candidates),
                    **vectors.tables(paper, candidates),
                    **{f"{name} (attack)": table for name, table in attacks.items()},
                },
                simulator.scores(context),
            )
        )
    _count_items(items)
    return items


def _count_items(items: Sequence[Measured]) -> None:
    """Add the matchers that count the items of the paper in which a candidate occurs."""
    seen = Counter((item.paper, work) for item in items for work in item.candidates)
    popular = Counter(work for item in items for work in item.candidates)
    for item in items:
        counts = np.array([[seen[item.paper, work] for work in item.candidates]] * len(item.answer), dtype=float)
        known = np.array([[popular[work] for work in item.candidates]] * len(item.answer), dtype=float)
        item.tables |= {"most items": counts, "fewest items": -counts}
        item.tables |= {"most popular (attack)": known, "least popular (attack)": -known}


def _paper(item: Measured) -> str:
    """The paper of an item, the same for all seeds."""
    return item.paper.partition(" ")[2]


def chosen(items: Sequence[Measured], found: Values) -> Values | None:
    """The accuracy on each item of the matcher that is the best on other papers."""
    return chosen_on_others(list(map(_paper, items)), found)


def combined(items: Sequence[Measured]) -> Values | None:
    """The accuracy of a conditional logit of all matchers on each item, fitted on other papers."""
    each = [np.moveaxis(standardized(np.array(list(item.tables.values()))[:, None])[:, 0], 0, 2) for item in items]
    values = np.full(len(items), np.nan)
    for training, tested in paper_folds(list(map(_paper, items))):
        answers = np.concatenate([np.array(items[n].answer) - 1 for n in training])
        weights = _fitted(np.concatenate([each[n] for n in training]), answers)
        values[tested] = [shares((each[n] @ weights)[None], items[n].answer)[0] for n in tested]
    return None if np.isnan(values).any() else values


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


def interval(items: Sequence[Measured], values: Values | None) -> str:
    """The mean with its bootstrap interval over papers; nothing if there are no other papers to choose on."""
    if values is None:
        return "one paper"
    by_paper: dict[str, list[float]] = defaultdict(list)
    for item, value in zip(items, values, strict=True):
        by_paper[_paper(item)].append(float(value))
    sums, counts = np.array([sum(v) for v in by_paper.values()]), np.array([len(v) for v in by_paper.values()])
    drawn = np.random.default_rng(0).integers(0, len(sums), (1_000, len(sums)))
    low, high = np.quantile(sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1), [0.025, 0.975])
    return f"{values.mean():.0%} ({low:.0%}-{high:.0%})"


def at_chance(items: Sequence[Measured]) -> tuple[float, float]:
    """What the best matcher reaches with random keys: the median and the 95th percentile."""
    rng = np.random.default_rng(1)
    totals = np.zeros((DRAWS, len(items[0].tables)))
    for item in items:
        keys = rng.random((DRAWS, len(item.candidates))).argsort(axis=1)[:, : len(item.answer)]
        best = _best_shares(np.array(list(item.tables.values())))
        totals += best[:, np.arange(len(item.answer)), keys].mean(axis=2).T
    middle, high = np.quantile(totals.max(axis=1) / len(items), [0.5, 0.95])
    return float(middle), float(high)


def _best_shares(tables: Values) -> Values:
    """For each matcher and mask, one for its best candidate, divided among equally good ones; cheaper than the best
    assignment."""
    best = tables == tables.max(axis=2, keepdims=True)
    found: Values = best / best.sum(axis=2, keepdims=True)
    return found


def report(items: Sequence[Measured], top: int) -> None:
    print("| task, level | items (papers) | best | combination | best attack | maximum | at chance | mean | balanced |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    details = []
    for cell in sorted({item.cell for item in items}):
        own = [item for item in items if item.cell == cell]
        found = np.array([shares(np.array(list(item.tables.values())), item.answer) for item in own])
        names = list(own[0].tables)
        order = found.mean(axis=0).argsort()[::-1]
        middle, high = at_chance(own)
        balanced = np.array([shares(item.balanced, item.answer) for item in own])
        attacks = found[:, [name.endswith("(attack)") for name in names]]
        print(
            f"| {cell} | {len(own)} ({len(set(map(_paper, own)))}) | {interval(own, chosen(own, found))} | "
            f"{interval(own, combined(own))} | {interval(own, chosen(own, attacks))} | "
            f"{found.mean(axis=0).max():.0%} | {middle:.0%}, {high:.0%} | "
            f"{interval(own, found.mean(axis=1))} | {interval(own, balanced.mean(axis=1))} |"
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
    parser.add_argument("--citations", default="lone")
    parser.add_argument("--seeds", type=int, default=1, help="builds with so many seeds, measured together")
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--top", type=int, default=5)
    asked = parser.parse_args()
    levels, tasks = tuple(asked.levels.split(",")), tuple(asked.tasks.split(","))
    settings = CitationSettings(items=asked.items, levels=levels, tasks=tasks, citations=asked.citations)
    every: list[Measured] = []
    for folder in asked.corpora:
        with Corpus(folder) as corpus:
            vectors = Embeddings(corpus)
            items = [
                item
                for seed in range(asked.first_seed, asked.first_seed + asked.seeds)
                for item in measured(corpus, settings, seed, vectors)
            ]
        every += items
        if items:
            print(f"{folder.name}: {len(items[0].tables)} held-out matchers")
            report(items, asked.top)
    if len(asked.corpora) > 1 and every:
        print("all corpora:")
        report(every, asked.top)


main()
