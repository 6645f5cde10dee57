"""Verdicts by family: the score that counts as correct."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from fathom.records.questions import Response
from fathom.scoring.answers import Text, ValueSet
from fathom.scoring.keys import Key, Proof
from fathom.tasks.bench import Bench
from fathom.tasks.catalog import family
from fathom.tasks.checking import Checker, verdict

KEY = Key(question_id="q", answer=ValueSet(items=(Text(value="Lind"), Text(value="Wu"))), proof=Proof(program=""))


@pytest.mark.parametrize(
    ("text", "correct_score", "outcome"),
    [
        ("Answer: Lind; Wu", 1.0, "correct"),
        ("Answer: Lind; Abe", 1.0, "incorrect"),
        ("Answer: Lind; Abe", 0.5, "correct"),
        ("Answer: Lind; Abe", 0.6, "incorrect"),
        ("", 0.0, "unparseable"),
    ],
)
def test_a_family_declares_the_score_that_counts_as_correct(text: str, correct_score: float, outcome: str) -> None:
    owner = replace(family("numeric"), correct_score=correct_score)
    response = Response(question_id="q", outcome="answered", text=text)
    assert verdict(owner, KEY, response).outcome == outcome


def test_a_checker_of_no_questions_has_no_keys(tiny_bench: Path) -> None:
    bench = Bench(tiny_bench)
    assert len(Checker(bench).keys) == bench.manifest.questions
    assert Checker(bench, []).keys == {}
