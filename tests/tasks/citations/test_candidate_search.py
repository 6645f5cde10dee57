"""Candidate search: scoring sets in batches equals scoring them one by one, and matchers stay at chance."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import combinations
from pathlib import Path
from random import Random

import numpy as np
import pytest

from fathom.corpus.store import Corpus
from fathom.tasks.bench import Bench
from fathom.tasks.citations.candidate_search import Balance, ScoreTable
from fathom.tasks.citations.lexical import scores
from fathom.tasks.citations.word_counts import Stems, words_of
from tests.tasks.citations.conftest import build_citations

LETTERS = "abcdefgh"


def _text(rng: Random, words: int) -> str:
    return " ".join("".join(rng.choices(LETTERS, k=3)) for _ in range(words))


@pytest.mark.parametrize("cosine", [False, True])
def test_sets_together_are_scored_as_each_alone(cosine: bool) -> None:
    rng = Random(1)
    wanted = [words_of(_text(rng, words)) for words in (3, 40, 0, 12, 25)]
    works = [Stems(_text(rng, words)).up_to(15_000) for words in (900, 40, 300, 700, 5, 250)]
    table = ScoreTable(wanted, works)
    fours = np.array(list(combinations(range(len(works)), 4)))
    masks = np.array([rng.sample(range(len(wanted)), 4) for _ in fours])
    for found, asked, offered in zip(table.scores(masks, fours, cosine), masks, fours, strict=True):
        for row, mask in zip(found, asked, strict=True):
            assert row == pytest.approx(scores(wanted[mask], [works[number] for number in offered], cosine))


class _Draft:
    """An item on which all matchers agree."""

    task = "choice"
    candidates = ("a", "b", "c", "d")
    chance = 0.25

    def __init__(self, place: int) -> None:
        self._place = place

    def rank(self, matcher: object) -> int:
        return self._place

    def share(self, matcher: object) -> float:
        return float(self._place == 1)


@pytest.mark.parametrize("many", [9, 10, 14, 100])
def test_choices_are_balanced_from_the_first_on(many: int) -> None:
    """For any number of items, the matchers' best candidate is correct for a quarter of them, to the nearest item."""
    rng, balance, places = Random(many), Balance(), Counter[int]()
    while balance.made < many:
        draft = _Draft(rng.choice((1, 1, 1, 2, 3, 4)))
        if balance.takes(draft):  # type: ignore[arg-type]
            balance.note(draft)  # type: ignore[arg-type]
            places[draft.rank(None)] += 1
    assert abs(places[1] - many / 4) <= 1
    assert max(places[place] for place in (2, 3, 4)) <= 0.4 * many + 2


def test_the_nearest_candidates_are_cited_in_one_section(cited: Bench) -> None:
    """Looked up in the whole document, by the heading above each citation."""
    looked: Counter[str] = Counter()
    with Corpus(cited.corpus_folder) as corpus:
        for context, [item] in cited.by_context():
            if item.question.tags["sampling"] != "nearest":
                continue
            paper = corpus.document(context.documents[0])
            under = defaultdict(set)
            for citation in paper.citations:
                [top] = [s.span for s in paper.sections if s.level == 2 and s.span.contains(citation.span)]
                assert citation.reference is not None
                under[top].add(paper.references[citation.reference - 1].document)
            sections = [span for span, works in under.items() if set(context.documents[1:]) <= works]
            assert sections
            task = item.question.tags["task"]
            looked[task] += 1
            if task == "choice":
                place = int(item.key.proof.rows[0][2].partition("-")[0])
                assert any(span.start <= place < span.end for span in sections)
    assert set(looked) == {"choice", "cloze"}


def test_no_work_is_the_answer_of_two_choices(cited: Bench) -> None:
    asked = Counter(
        item.key.proof.rows[0][:2] for _, [item] in cited.by_context() if item.question.tags["task"] == "choice"
    )
    assert max(asked.values()) == 1


def test_so_many_for_each_year(citing_corpus: Path, tmp_path: Path) -> None:
    bench = build_citations(citing_corpus, tmp_path / "yearly", items=1, yearly=True, tasks=["choice"])
    made = Counter((q.tags["year"], q.tags["level"]) for q in bench.all_questions())
    assert max(made.values()) == 1
    years = {year for year, _ in made}
    assert len(years) > 5
    assert sum(level == "easy" for _, level in made) == len(years)
