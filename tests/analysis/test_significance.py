"""Significance tests against examples computed by hand."""

from __future__ import annotations

from math import sqrt
from random import Random

import pytest

from fathom.analysis.significance import trend


def test_a_trend_computed_by_hand() -> None:
    """1, 5 and 9 of ten in three years: covariance 8, variance 5, slope 8/20 per year."""
    slope = trend({2001: (1, 10), 2002: (5, 10), 2003: (9, 10)})
    assert slope is not None
    assert slope.z == pytest.approx(8 / sqrt(5))
    assert slope.slope == pytest.approx(0.4)
    assert slope.p == pytest.approx(0.000347, abs=2e-6)


def test_the_slope_of_a_trend_is_per_year() -> None:
    falling = trend({2001: (9, 10), 2002: (5, 10), 2003: (1, 10)})
    assert falling is not None
    assert falling.slope == pytest.approx(-0.4)
    apart = trend({2001: (9, 10), 2011: (1, 10)})
    assert apart is not None
    assert apart.slope == pytest.approx(-0.08)


@pytest.mark.parametrize("groups", [{}, {2020: (3, 10)}, {2020: (0, 10), 2021: (0, 9)}, {2020: (10, 10), 2021: (9, 9)}])
def test_no_trend_without_variation(groups: dict[int, tuple[int, int]]) -> None:
    assert trend(groups) is None


def test_false_alarms_are_as_frequent_as_p_says() -> None:
    rng = Random(5)
    steep = 0
    for _ in range(600):
        groups = {year: (sum(rng.random() < 0.3 for _ in range(40)), 40) for year in range(2015, 2025)}
        slope = trend(groups)
        assert slope is not None
        steep += slope.p < 0.05
    assert 0.02 < steep / 600 < 0.09
