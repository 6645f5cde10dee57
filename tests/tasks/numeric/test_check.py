"""Responses are parsed and checked as in the worked cases of `cases.jsonl`."""

from __future__ import annotations

import json
from importlib.resources import files

import pytest

from fathom.records.questions import Response
from fathom.scoring.check import check_response
from fathom.scoring.keys import Key

CASES = [
    json.loads(line) for line in files("fathom.tasks.numeric").joinpath("cases.jsonl").read_text("utf-8").splitlines()
]


@pytest.mark.parametrize("case", CASES, ids=[f"{case['answer']['type']}: {case['why']}" for case in CASES])
def test_a_response_is_checked_as_in_the_case(case: dict[str, object]) -> None:
    assert set(case) == {"answer", "response", "outcome", "why"}
    written = {"question_id": "q-1", "answer": case["answer"], "proof": {"program": "SELECT 1"}}
    verdict = check_response(
        Key.model_validate_json(json.dumps(written)),
        Response(question_id="q-1", outcome="answered", text=str(case["response"])),
    )
    assert verdict.outcome == case["outcome"], verdict


def test_every_type_has_correct_and_incorrect_cases() -> None:
    found = {(case["answer"]["type"], case["outcome"]) for case in CASES}
    for kind in ("number", "text", "set", "multiset", "ranking", "rows", "none"):
        assert {(kind, "correct"), (kind, "incorrect")} <= found
