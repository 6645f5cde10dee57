"""Scores: samples taken together, and changes between two scorings."""

from __future__ import annotations

from decimal import Decimal
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.scoring.answers import Number
from fathom.scoring.scores import VerdictSummary, compare_verdicts, summarize_samples
from fathom.scoring.verdicts import Verdict


def verdict(question: str, sample: int, read: int | None, right: bool = False) -> VerdictSummary:
    return VerdictSummary.of(
        Verdict(
            question_id=question,
            sample=sample,
            outcome="correct" if right else "incorrect" if read is not None else "unparseable",
            score=1.0 if right else 0.0,
            parsed=Number(value=Decimal(read)) if read is not None else None,
        )
    )


def test_summarizes_samples() -> None:
    verdicts = [
        # Two of three correct; the majority is correct.
        *(verdict("a", sample, 4, right=sample > 0) for sample in range(3)),
        # One of three correct, two agree on an incorrect answer; the majority is incorrect.
        verdict("b", 0, 7),
        verdict("b", 1, 4, right=True),
        verdict("b", 2, 7),
        # Nothing can be parsed.
        *(verdict("c", sample, None) for sample in range(3)),
    ]
    found = summarize_samples(["a", "b", "c", "never answered"], verdicts)
    assert found.samples == 3
    assert found.mean == 3 / 12
    assert found.pass_at == pytest.approx({1: (2 / 3 + 1 / 3) / 4, 2: (1 + 2 / 3) / 4, 3: 2 / 4})
    assert found.majority == 1 / 4


@given(st.lists(st.booleans(), min_size=1, max_size=6))
def test_pass_at_k_is_the_share_of_draws_with_a_correct_one(rights: list[bool]) -> None:
    found = summarize_samples(["a"], [verdict("a", place, place, right) for place, right in enumerate(rights)])
    for k, share in found.pass_at.items():
        draws = list(combinations(rights, k))
        assert abs(share - sum(map(any, draws)) / len(draws)) < 1e-12


def test_question_without_samples_is_not_correct() -> None:
    found = summarize_samples(["a"], [])
    assert (found.samples, found.mean, found.pass_at, found.majority) == (0, 0.0, {}, 0.0)


def test_reports_changed_verdicts() -> None:
    before = [verdict("a", 0, 1), verdict("b", 0, 1, right=True), verdict("c", 0, None)]
    after = [verdict("a", 0, 1, right=True), verdict("b", 0, 1, right=True), verdict("d", 0, 2)]
    found = compare_verdicts({(one.question_id, one.sample): one.outcome for one in before}, after)
    assert (found.compared, found.changed, found.examples) == (2, {"incorrect to correct": 1}, ("a",))
