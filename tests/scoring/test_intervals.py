"""Intervals and trends against examples worked out by hand, and against what they must never do."""

from __future__ import annotations

from math import sqrt
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.scoring.intervals import Outcome, clustered, difference, rate, trend, wilson


def test_wilson_s_interval_is_the_textbook_s() -> None:
    """Eight of ten, and none of ten, worked out by hand with 1.96."""
    assert wilson(0.8, 10) == pytest.approx((0.4902, 0.9433), abs=5e-4)
    assert wilson(0.0, 10) == pytest.approx((0.0, 0.2775), abs=5e-4)
    assert wilson(0.5, 0) == (0.0, 1.0)


@given(st.integers(0, 400), st.integers(1, 400))
def test_an_interval_holds_its_share_and_stays_between_nought_and_one(hits: int, of: int) -> None:
    found = rate(min(hits, of), of)
    assert 0 <= found.low <= found.share + 1e-12
    assert found.share - 1e-12 <= found.high <= 1
    assert found.low < found.high


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.booleans()), min_size=1, max_size=60))
def test_clusters_never_make_an_interval_narrower(tries: list[tuple[str, bool]]) -> None:
    found = clustered(Outcome(*one) for one in tries)
    plain = rate(sum(hit for _, hit in tries), len(tries))
    assert found.share == plain.share
    assert found.high - found.low >= plain.high - plain.low - 1e-9


def test_ten_tries_that_go_together_are_one() -> None:
    """Twenty contexts that are all right or all wrong, ten questions each: as twenty tries, not as two hundred."""
    together = clustered(Outcome(str(context), context < 10) for context in range(20) for _ in range(10))
    alone = rate(10, 20)
    assert together.high - together.low == pytest.approx(alone.high - alone.low, rel=0.06)


def test_the_interval_holds_the_truth_as_often_as_it_says() -> None:
    rng, held = Random(3), 0
    for _ in range(400):
        chances = [rng.choice((0.2, 0.8)) for _ in range(30)]
        found = clustered(
            Outcome(str(number), rng.random() < chance) for number, chance in enumerate(chances) for _ in range(5)
        )
        held += found.low <= 0.5 <= found.high
    assert 0.91 < held / 400 < 0.99


def test_a_trend_worked_out_by_hand() -> None:
    """1, 5 and 9 of ten in three years: they lean by 8, with a variance of 5; the line rises by 8/20 a year."""
    found = trend({2001: (1, 10), 2002: (5, 10), 2003: (9, 10)})
    assert found is not None
    assert found.z == pytest.approx(8 / sqrt(5))
    assert found.slope == pytest.approx(0.4)
    assert found.p == pytest.approx(0.000347, abs=2e-6)


def test_a_trend_turns_with_the_years_and_gaps_between_them_count() -> None:
    falling = trend({2001: (9, 10), 2002: (5, 10), 2003: (1, 10)})
    assert falling is not None
    assert falling.slope == pytest.approx(-0.4)
    apart = trend({2001: (9, 10), 2011: (1, 10)})
    assert apart is not None
    assert apart.slope == pytest.approx(-0.08)


@pytest.mark.parametrize("groups", [{}, {2020: (3, 10)}, {2020: (0, 10), 2021: (0, 9)}, {2020: (10, 10), 2021: (9, 9)}])
def test_where_nothing_varies_there_is_no_trend(groups: dict[int, tuple[int, int]]) -> None:
    assert trend(groups) is None


def test_no_trend_is_found_as_often_as_p_says() -> None:
    rng = Random(5)
    steep = 0
    for _ in range(600):
        groups = {year: (sum(rng.random() < 0.3 for _ in range(40)), 40) for year in range(2015, 2025)}
        found = trend(groups)
        assert found is not None
        steep += found.p < 0.05
    assert 0.02 < steep / 600 < 0.09


def test_a_difference_has_an_interval_where_nothing_varies() -> None:
    found = difference(rate(40, 40), rate(0, 40))
    assert found.share == 1.0
    assert found.low < 1.0 == found.high
    same = difference(rate(20, 40), rate(20, 40))
    assert same.low == pytest.approx(-same.high)
