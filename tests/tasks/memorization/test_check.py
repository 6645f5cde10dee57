"""The check of probes, on the worked cases of `cases.jsonl`."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.models.tokenizers import tokenizer
from fathom.records.questions import Response
from fathom.scoring.answers import Text
from fathom.scoring.keys import Key, Proof
from fathom.tasks.memorization.check import MAX_LENGTH, TOKENS, check, early_length, names_occur_early

CASES = [
    json.loads(line)
    for line in files("fathom.tasks.memorization").joinpath("cases.jsonl").read_text("utf-8").splitlines()
]


@pytest.mark.parametrize("case", CASES, ids=[case["why"] for case in CASES])
def test_a_response_is_judged_as_the_case_says(case: dict[str, Any]) -> None:
    assert set(case) == {"answer", "response", "outcome", "why"}
    key = Key(question_id="q-1", answer=Text.model_validate(case["answer"]), proof=Proof(program=""))
    verdict = check(key, Response(question_id="q-1", outcome="answered", text=case["response"]))
    assert verdict.outcome == case["outcome"], verdict


def test_a_response_that_was_cut_off_after_its_tokens_counts() -> None:
    key = Key(question_id="q-1", answer=Text(value="Lind"), proof=Proof(program=""))
    response = Response(question_id="q-1", outcome="truncated", text="(Lind et al., 2018) has shown tha")
    assert check(key, response).outcome == "correct"


@pytest.mark.parametrize("outcome", ["refused", "overflow", "error"])
def test_a_missing_answer_is_not_a_failed_probe(outcome: Literal["refused", "overflow", "error"]) -> None:
    key = Key(question_id="q-1", answer=Text(value="Lind"), proof=Proof(program=""))
    response = Response(question_id="q-1", outcome=outcome, text="Lind", error="x" if outcome == "error" else None)
    assert check(key, response).outcome == outcome


@given(st.text(max_size=300))
def test_the_first_tokens_are_no_more_than_twenty(text: str) -> None:
    end = early_length(text)
    assert tokenizer().count(text[:end]) <= TOKENS
    assert 0 <= end <= len(text)


def test_a_word_cut_by_the_token_limit_is_not_a_name() -> None:
    """After nineteen tokens "Lindqvistson" is cut: what is left of it must not be taken for "Lind"."""
    for before in range(10, 22):
        assert not names_occur_early(("Lind", "L", "Lin", "Lindqvist"), "one " * before + "Lindqvistson")


def test_a_flood_is_judged_by_its_beginning() -> None:
    assert not names_occur_early(("Lind",), "x" * 2_000_000 + " Lind")
    assert early_length("a" * 1_000_000) <= MAX_LENGTH
