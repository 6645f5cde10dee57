"""Candidate search: matchers stay at chance, and candidates are those that the level asks for."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from fathom.corpus.store import Corpus
from fathom.tasks.bench import Bench
from fathom.tasks.citations.baselines import shares
from fathom.tasks.citations.build import CitationBuilder
from fathom.tasks.citations.candidate_search import Features, MatcherBalance, standardized
from fathom.tasks.citations.item_selection import LIMITS, PaperOptions, select
from fathom.tasks.citations.lexical import MATCHERS, STRETCHES, match_scores, query
from fathom.tasks.citations.settings import CitationSettings
from fathom.tasks.citations.shown_text import rendered_words
from fathom.tasks.citations.simulate import Simulator, options_of
from fathom.tasks.citations.topics import FloatArray, TopicVectors
from tests.tasks.citations.conftest import build_citations

MANY = len(MATCHERS)


def _scores(rng: np.random.Generator, masks: int, candidates: int) -> FloatArray:
    """Forty sets of candidates on which most matchers agree, mostly on the correct ones."""
    opinion = rng.normal(size=(1, 40, masks, candidates))
    opinion[..., range(masks), range(masks)] += 0.8
    return opinion + 0.7 * rng.normal(size=(MANY, 40, masks, candidates))


def _options(features: Features, most: int = 1) -> PaperOptions:
    """Options of a paper that share nothing."""
    sets = len(features.values)
    nothing = np.zeros((sets, 0))
    return PaperOptions(features, nothing.astype(bool), 0, most, nothing, nothing)


@pytest.mark.parametrize(("masks", "candidates"), [(1, 4), (1, 10), (4, 4), pytest.param(4, 5, marks=pytest.mark.slow)])
def test_matchers_and_their_combinations_stay_at_chance(masks: int, candidates: int) -> None:
    """Neither much better nor much worse, in any group; matchers that were not balanced follow."""
    rng, balance = np.random.default_rng(masks), MatcherBalance()
    papers = [_scores(rng, masks, candidates) for _ in range(160)]
    options = [_options(balance.learn(standardized(scores))) for scores in papers]
    found = select(options, balance, LIMITS["choice"], 150, lambda paper, option: options[paper].features.of([option]))
    assert found.possible == 160
    built = [scores[:, number] for scores, chosen in zip(papers, found.chosen, strict=True) for number in chosen]
    unfiltered = [scores[:, 0] for scores in papers]
    assert len(built) <= 150
    assert len(built) > 100
    answer = tuple(range(1, masks + 1))
    before = np.mean([shares(scores, answer) for scores in unfiltered], axis=0)
    after = np.mean([shares(scores, answer) for scores in built], axis=0)
    assert before.mean() > 1.7 / candidates
    assert abs(after.mean() - 1 / candidates) < 0.04
    together = [shares(scores.mean(axis=0, keepdims=True), answer)[0] for scores in built]
    assert abs(np.mean(together) - 1 / candidates) < 0.06


def test_chosen_items_share_little_and_answers_are_in_as_many_items_as_other_candidates() -> None:
    """Ten works of a paper, each asked about at one place, with three others."""
    rng, balance = np.random.default_rng(1), MatcherBalance()
    works = np.array([rng.permutation(10)[:4] for _ in range(200)])
    answers = np.eye(10)[works[:, 0]]
    shown = np.eye(10)[works].sum(axis=1)
    features = balance.learn(standardized(rng.normal(size=(MANY, 200, 1, 4))))
    papers = [PaperOptions(features, answers > 0, 0, 5, shown, answers - (shown - answers) / 3)] * 8
    for chosen in select(papers, balance, LIMITS["choice"], 100, lambda _, option: features.of([option])).chosen:
        assert len(chosen) == len({works[number, 0] for number in chosen}) == 5
        items = shown[chosen].sum(axis=0)
        more = [items[works[number, 0]] - items[works[number, 1:]].mean() for number in chosen]
        assert abs(np.mean(more)) < 0.8


def test_items_are_chosen_by_what_is_shown_in_the_end() -> None:
    """Before that, the scores are an estimate, by which items are at chance that matchers solve or that cannot be
    built."""
    rng, balance = np.random.default_rng(2), MatcherBalance()
    shown = [_scores(rng, 1, 4) for _ in range(120)]
    estimates = [scores + 1.5 * rng.normal(size=(1, *scores.shape[1:])) for scores in shown]
    papers = [_options(balance.learn(standardized(scores))) for scores in estimates]

    def drafted(paper: int, option: int) -> Features | None:
        return None if option % 4 == 0 else balance.features_of(shown[paper][:, [option]])

    found = select(papers, balance, LIMITS["choice"], 120, drafted).chosen
    assert sum(map(len, found)) > 60
    assert all(option % 4 for chosen in found for option in chosen)
    built = [scores[:, option] for scores, chosen in zip(shown, found, strict=True) for option in chosen]
    assert abs(np.mean([shares(scores, [1]) for scores in built]) - 0.25) < 0.04


def test_a_set_is_scored_by_the_words_that_it_shares() -> None:
    texts = dict.fromkeys(STRETCHES, "weak lensing of distant galaxies")
    works = ["Lensing of galaxies is weak.", "Galaxies rotate.", "A survey of households.", ""]
    vectors = TopicVectors([*works, *texts.values()])
    scores = match_scores([query(texts)], [rendered_words(text) for text in works], vectors)
    assert scores.shape == (MANY, 1, 4)
    assert np.isfinite(scores).all()
    for name, [found] in zip(MATCHERS, scores, strict=True):
        if not name.startswith(("headings", "length")):
            assert found.argmax() == 0, name


def test_the_nearest_candidates_are_cited_near_each_other(cited: Bench) -> None:
    """Looked up in the whole document, by the heading above each citation: two sections before or after at most."""
    tasks: Counter[str] = Counter()
    with Corpus(cited.corpus_folder) as corpus:
        for context, [item] in cited.by_context():
            if item.question.tags["sampling"] != "nearest":
                continue
            paper = corpus.document(context.documents[0])
            tops = [section.span for section in paper.sections if section.level == 2]
            cites = defaultdict(set)
            for citation in paper.citations:
                [top] = [number for number, span in enumerate(tops) if span.contains(citation.span)]
                assert citation.reference is not None
                cites[top].add(paper.references[citation.reference - 1].document)
            near = [set().union(*(cites[other] for other in range(top - 2, top + 3))) for top in range(len(tops))]
            sections = [span for span, works in zip(tops, near, strict=True) if set(context.documents[1:]) <= works]
            assert sections
            task = item.question.tags["task"]
            tasks[task] += 1
            if task == "choice":
                place = int(item.key.proof.rows[0][2].partition("-")[0])
                assert any(span.start <= place < span.end for span in sections)
    assert set(tasks) == {"choice", "cloze"}


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


def test_two_clozes_of_a_paper_share_few_masks(citing_corpus: Path) -> None:
    """As the builder makes them, before a build drops what fails its checks; also with more than one earlier cloze."""
    settings = CitationSettings(tasks=("cloze",), levels=("medium", "hard"), items=12, per_paper=8, citations="any")
    asked, grouped = defaultdict(list), 0
    with Corpus(citing_corpus) as corpus:
        for context, [item] in CitationBuilder(corpus, settings, seed=1).build():
            rows = item.key.proof.rows
            asked[rows[0][0]].append({row[2] for row in rows})
            # Of all works that a mask hides, one is a candidate.
            paper, is_grouped = corpus.document(context.documents[0]), False
            for _, work, place, _ in rows:
                start, end = map(int, place.split("-"))
                hidden = [c for c in paper.citations if start <= c.group.start and c.group.end <= end]
                works = {paper.references[(c.reference or 0) - 1].document for c in hidden}
                assert works & set(context.documents) == {work}
                is_grouped |= len(hidden) > 1
            assert item.question.tags["citations"] == ("grouped" if is_grouped else "lone")
            assert ("with citations of works that are no candidates" in item.question.text) == is_grouped
            grouped += is_grouped
    assert grouped
    assert max(map(len, asked.values())) > 2
    assert all(len(one & two) <= 2 for clozes in asked.values() for one, two in combinations(clozes, 2))


def test_candidates_that_share_no_word_with_the_sentence_are_scored() -> None:
    around = dict.fromkeys(STRETCHES, "Zebras graze quietly")
    candidates = [rendered_words(text) for text in ("one two", "seven eight nine")]
    scores = match_scores([query(around)], candidates, TopicVectors([]))
    assert scores.shape == (len(MATCHERS), 1, 2)
    assert np.isfinite(scores).all()


def test_an_item_has_the_same_scores_when_it_is_built_and_when_it_is_read(citing_corpus: Path) -> None:
    """The build counts the words of a work once, by paragraph; the audit counts those of the rendered text."""
    settings = CitationSettings(tasks=("cloze",), levels=("hard",), items=3)
    with Corpus(citing_corpus) as corpus:
        builder, simulator, built = CitationBuilder(corpus, settings, seed=1), Simulator(corpus), 0
        for context, [item] in builder.build():
            built += 1
            best = shares(simulator.scores(context), options_of(item.key))
            np.testing.assert_allclose(best, builder.baselines.balanced("cloze, hard")[-1])
    assert built
