"""Matching of claims, evidence and links: overlap, the assignment, and what each kind of error changes."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import permutations

import pytest

from fathom.records.documents import Passage
from fathom.records.spans import Span
from fathom.scoring.answers import Link, LinkedSpan
from fathom.scoring.span_matching import (
    ClaimMatch,
    MatchCounts,
    MatchLevel,
    PassagePair,
    SentenceIndex,
    assign,
    character_overlap,
    match_claims,
    sentence_overlap,
)

SENTENCES = [Span(10 * number, 10 * number + 9) for number in range(40)]
INDEX = SentenceIndex(lambda document: SENTENCES)


def passage(start: int, end: int, document: str = "a") -> Passage:
    return Passage(document=document, span=Span(start, end))


def sentence(number: int, count: int = 1) -> Passage:
    return passage(SENTENCES[number].start, SENTENCES[number + count - 1].end)


def claim(place: Passage, *evidence: Passage) -> LinkedSpan:
    return LinkedSpan(passage=place, links=tuple(Link(passage=one) for one in evidence))


def match(
    gold: Sequence[LinkedSpan], predicted: Sequence[LinkedSpan], threshold: float = 0.5, level: MatchLevel = "sentence"
) -> ClaimMatch:
    return match_claims(gold, predicted, lambda document: SENTENCES, threshold, level)


@pytest.mark.parametrize(
    ("one", "two", "characters", "sentences"),
    [
        (passage(0, 9), passage(0, 9), 1, 1),
        (passage(0, 9), passage(0, 19), 9 / 19, 1 / 2),
        (passage(0, 9), passage(3, 6), 3 / 9, 1),
        # The first letters of the next sentence do not count as that sentence.
        (passage(0, 9), passage(0, 12), 9 / 12, 1),
        (passage(0, 9), passage(10, 19), 0, 0),
        (passage(0, 9), passage(0, 9, "b"), 0, 0),
        (passage(0, 29), passage(10, 39), 19 / 39, 2 / 4),
        # Outside of all sentences, characters are compared.
        (passage(500, 600), passage(550, 650), 50 / 150, 50 / 150),
        # A quote that was not located.
        (passage(5, 5), passage(5, 5), 0, 0),
    ],
)
def test_overlap(one: Passage, two: Passage, characters: float, sentences: float) -> None:
    assert character_overlap(one, two) == character_overlap(two, one) == pytest.approx(characters)
    assert sentence_overlap(one, two, INDEX) == sentence_overlap(two, one, INDEX) == pytest.approx(sentences)


def test_a_passage_covers_the_sentence_that_has_most_of_it_even_if_none_has_half() -> None:
    assert INDEX.covered(passage(6, 14)) == range(1, 2)
    assert INDEX.covered(passage(6, 13)) == range(1)
    assert INDEX.covered(passage(9, 10)) == range(0)
    assert INDEX.position(passage(9, 10)) == 0
    assert INDEX.position(passage(395, 800)) == 39


GOLD = [claim(sentence(1), sentence(5), sentence(9)), claim(sentence(2), sentence(5)), claim(sentence(3))]


def test_the_key_itself_has_full_marks() -> None:
    found = match(GOLD, GOLD)
    assert found.claims == MatchCounts(3, 3, 3)
    assert found.evidence == MatchCounts(2, 2, 2)
    assert found.links == MatchCounts(4, 4, 4)
    assert found.matched_gaps == found.predicted_gaps == found.gold_gaps == (4, 8, 3)


@pytest.mark.parametrize(
    ("predicted", "claims", "evidence", "links"),
    [
        pytest.param(GOLD[:2], (2, 2, 3), (2, 2, 2), (3, 3, 4), id="missed claim"),
        pytest.param([*GOLD, claim(passage(0, 0))], (3, 4, 3), (2, 2, 2), (4, 5, 4), id="fabricated claim"),
        pytest.param(
            [claim(sentence(1), sentence(5), passage(0, 0)), *GOLD[1:]], (3, 3, 3), (1, 2, 2), (3, 4, 4),
            id="fabricated evidence",
        ),
        pytest.param(
            [GOLD[0], claim(sentence(2), sentence(9)), GOLD[2]], (3, 3, 3), (2, 2, 2), (3, 4, 4), id="wrong link"
        ),
        pytest.param([claim(sentence(8), *GOLD[0].linked), *GOLD[1:]], (2, 3, 3), (2, 2, 2), (2, 4, 4), id="shifted"),
        pytest.param([*GOLD, GOLD[2]], (3, 4, 3), (2, 2, 2), (4, 5, 4), id="claim twice"),
        pytest.param([], (0, 0, 3), (0, 0, 2), (0, 0, 4), id="nothing"),
        pytest.param(
            [*GOLD[:2], claim(sentence(3), sentence(20))], (3, 3, 3), (2, 3, 2), (3, 4, 4),
            id="evidence for a claim without",
        ),
    ],
)  # fmt: skip
def test_each_error_changes_its_measure(
    predicted: list[LinkedSpan],
    claims: tuple[int, int, int],
    evidence: tuple[int, int, int],
    links: tuple[int, int, int],
) -> None:
    for level in ("sentence", "character"):
        found = match(GOLD, predicted, level=level)
        assert (found.claims, found.evidence, found.links) == (claims, evidence, links)
        swapped = match(predicted, GOLD, level=level)
        assert swapped.links == MatchCounts(links[0], links[2], links[1])


def test_the_threshold_and_the_level_decide_what_matches() -> None:
    gold, predicted = [claim(sentence(0, 2))], [claim(sentence(0))]
    assert match(gold, predicted, 0.5).claims.matched == 1
    assert match(gold, predicted, 0.51).claims.matched == 0
    assert match(gold, predicted, 0.5, "character").claims.matched == 0
    assert match(gold, predicted, 0.4, "character").claims.matched == 1
    with pytest.raises(ValueError, match="threshold"):
        match(gold, predicted, 0.0)


def test_evidence_in_the_same_sentence_counts_once_at_sentence_level() -> None:
    gold = [claim(sentence(1), passage(50, 56)), claim(sentence(2), passage(50, 58))]
    assert match(gold, gold).evidence == MatchCounts(1, 1, 1)
    assert match(gold, gold, level="character").evidence == MatchCounts(2, 2, 2)


def test_gaps_of_all_predicted_links_are_told_apart_from_those_of_matched_ones() -> None:
    predicted = [claim(sentence(1), sentence(5), sentence(30)), claim(sentence(35), sentence(2))]
    found = match(GOLD, predicted)
    assert found.matched_gaps == (4,)
    assert found.predicted_gaps == (4, 29, 33)


def test_undefined_ratios_are_none() -> None:
    assert (MatchCounts(0, 0, 3).precision, MatchCounts(0, 3, 0).recall, MatchCounts(0, 0, 0).f1) == (None, None, None)
    assert MatchCounts(1, 2, 2).f1 == 0.5


def test_more_matches_beat_a_larger_overlap() -> None:
    chain = [
        PassagePair(0, 0, 1.0),
        PassagePair(0, 1, 0.5),
        PassagePair(1, 0, 0.5),
        PassagePair(1, 2, 0.99),
        PassagePair(2, 2, 0.5),
    ]
    assert [pair[:2] for pair in assign(chain)] == [(0, 1), (1, 0), (2, 2)]


def test_the_assignment_is_the_best_of_all() -> None:
    rng = random.Random(1)
    for _ in range(150):
        rows, columns = rng.randint(1, 5), rng.randint(1, 5)
        edges = {
            (row, column): PassagePair(row, column, round(rng.uniform(0.3, 1), 2))
            for row in range(rows)
            for column in range(columns)
            if rng.random() < 0.5
        }
        shuffled = [*edges.values()]
        rng.shuffle(shuffled)
        found = assign(shuffled)
        assert len({pair.predicted for pair in found}) == len({pair.gold for pair in found}) == len(found)
        best = max(
            (
                (len(taken), sum(pair.overlap for pair in taken))
                for order in permutations([*range(columns), *[None] * rows], rows)
                if (taken := [edges[pair] for pair in enumerate(order) if pair in edges]) is not None
            ),
            default=(0, 0),
        )
        assert (len(found), sum(pair.overlap for pair in found)) == pytest.approx(best)
