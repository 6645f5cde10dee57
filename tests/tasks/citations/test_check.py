"""The check accepts every way to write candidates; accuracy of guessing."""

from __future__ import annotations

import json
from importlib.resources import files
from itertools import permutations
from random import Random
from statistics import mean
from typing import Any

import pytest
from pydantic import TypeAdapter

from fathom.corpus.store import Corpus
from fathom.models.simulated import SimulatedModel
from fathom.records.questions import Response
from fathom.scoring.answers import Answer, Assignment, Choice
from fathom.scoring.check import check_response
from fathom.scoring.keys import Key, Proof
from fathom.scoring.verdicts import Verdict
from fathom.tasks.bench import Bench
from fathom.tasks.citations.simulate import Simulator
from fathom.tasks.simulating import simulated_response

ORDERS = list(permutations((1, 2, 3, 4)))


def verdict(answer: Answer, said: str) -> Verdict:
    key = Key(question_id="q", answer=answer, proof=Proof(program=""))
    return check_response(key, Response(question_id="q", outcome="answered", text=said))


@pytest.mark.parametrize(
    "said",
    [
        "2",
        "[2]",
        "Candidate 2",
        "**2**",
        "<answer>2</answer>",
        "<ANSWER>\n[2]\n</ANSWER>",
        "Answer:\n\n2",
        "\n2\n",
        "I compared all four.\n\n**Answer:** Candidate [2]",
        "<answer>Candidate 2</answer>",
        "Answer: (2)",
    ],
)
def test_a_choice_in_many_spellings(said: str) -> None:
    assert verdict(Choice(option=2, of=4), said).outcome == "correct"
    assert verdict(Choice(option=3, of=4), said).outcome == "incorrect"


CASES = [
    json.loads(line) for line in files("fathom.tasks.citations").joinpath("cases.jsonl").read_text("utf-8").splitlines()
]


@pytest.mark.parametrize("case", CASES, ids=[f"{case['answer']['type']}: {case['why']}" for case in CASES])
def test_a_response_is_judged_as_the_case_says(case: dict[str, Any]) -> None:
    answer: Answer = TypeAdapter(Answer).validate_json(json.dumps(case["answer"]))
    found = verdict(answer, case["response"])
    assert found.outcome == case["outcome"], found
    assert found.score == case.get("score", float(case["outcome"] == "correct"))


def test_a_cloze_by_share_and_by_all_four() -> None:
    """For any key, all orders together score a quarter of the masks, and one order in 24 is correct."""
    for right in ORDERS:
        found = [verdict(Assignment(options=right, of=4), "Answer: " + ", ".join(map(str, said))) for said in ORDERS]
        assert mean(one.score for one in found) == pytest.approx(0.25)
        assert sum(one.outcome == "correct" for one in found) == 1


@pytest.mark.parametrize("constant", [1, 2, 3, 4])
def test_a_constant_cloze_scores_a_quarter(constant: int) -> None:
    found = [verdict(Assignment(options=right, of=4), f"Answer: {', '.join([str(constant)] * 4)}") for right in ORDERS]
    assert {one.score for one in found} == {0.25}
    assert {one.outcome for one in found} == {"incorrect"}


@pytest.mark.parametrize("said", ["", "I cannot tell which of them.", "Answer: one of the others fits", "Answer: 9"])
def test_what_cannot_be_read_scores_nothing_and_says_so(said: str) -> None:
    for answer in (Choice(option=2, of=4), Assignment(options=(2, 1, 4, 3), of=4)):
        found = verdict(answer, said)
        assert (found.score, found.outcome) == (0.0, "unparseable"), said


def test_simulated_answerers(cited: Bench) -> None:
    """The oracle is always correct; a reader that misses candidates is incorrect about as often as it misses one."""
    with Corpus(cited.corpus_folder) as corpus:
        answering = Simulator(corpus, cited.all_keys)
        scores: dict[str, list[float]] = {}
        for name in ("sim/oracle", "sim/random", "sim/majority", "sim/null", "sim/reader?miss=1"):
            simulated = SimulatedModel.parse(name)
            for number, (context, [item]) in enumerate(cited.by_context()):
                response = simulated_response(answering, context, item, simulated, Random(number))
                scores.setdefault(name, []).append(check_response(item.key, response).score)
    assert set(scores["sim/oracle"]) == {1.0}
    assert set(scores["sim/null"]) == {0.0}
    assert 0.1 < mean(scores["sim/random"]) < 0.45
    assert mean(scores["sim/reader?miss=1"]) < 0.4
