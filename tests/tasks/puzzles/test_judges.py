"""Judges of a run: several of them, planted responses, agreement, drift, corrected scores, and ratings."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random

import numpy as np
import pytest

from fathom.analysis.judge_agreement import drift, judge_errors
from fathom.analysis.judge_errors import JudgedResponse, JudgeError, corrected_accuracy
from fathom.api.judges import judge_report
from fathom.api.judging import judge, role_model
from fathom.api.ratings import rate_traces, rating_summaries
from fathom.api.runs import run
from fathom.api.scores import read_scoring, score_run
from fathom.models.prompts import Prompt
from fathom.records.errors import FathomError
from fathom.records.files import read_records
from fathom.records.judgments import Decision, Judgment, PlantedDecision
from fathom.records.questions import Response, Usage
from fathom.scoring.judges import combined, each_part, majority
from fathom.scoring.reasoning import ReasoningState, reasoning_state
from fathom.tasks.trace_rating import parse_rating
from tests.commands import run_command


def careful(prompt: Prompt) -> str:
    """Passes a response with a line for each item of the checklist, and an answer that is the reference."""
    reference, response, _ = prompt.last_part.split("==========")
    items = reference.count("\n- ")
    said = response.strip()
    passes = said.count("\n\n") > items if items else f"Reference {said[:1].lower()}{said[1:]}" in reference
    return "PASS" if passes else "FAIL"


def lenient(prompt: Prompt) -> str:
    return "It looks good.\n\nPASS"


def forgetful(judge: Callable[[Prompt], str], every: int) -> Callable[[Prompt], str]:
    """The same judge without a decision in one of so many calls."""
    calls: list[int] = []

    def simulate(prompt: Prompt) -> str:
        calls.append(1)
        return "I cannot say." if len(calls) % every == 0 else judge(prompt)

    return simulate


@pytest.fixture
def judged_run(puzzles_bench: Path, tmp_path: Path) -> Path:
    """A run with faults, judged by two models that differ."""
    folder = tmp_path / "run"
    run(puzzles_bench, model="sim/reader?guess=0.4&miss=0.3", out=folder, limit=24, seed=2)
    models = [role_model("sim/careful", simulate=careful), role_model("sim/lenient", simulate=lenient)]
    judge(folder, models, calibration=12)
    return folder


def test_several_judges_and_their_errors(judged_run: Path) -> None:
    (report,) = judge_report([judged_run])
    careful_one, lenient_one, both = report.judges
    assert [one.judge for one in report.judges] == ["sim/careful", "sim/lenient", "all judges"]
    error = lenient_one.errors["checklist"]
    assert (error.sensitivity.value, error.specificity.value) == (1.0, 0.0)
    assert error.correct == error.faulty == 12
    assert lenient_one.accepted["guess"] == (3, 3)
    assert careful_one.errors["checklist"].specificity.value == 1.0
    # Two judges that differ give no decision together.
    assert both.errors["checklist"].unjudged > 0
    pairs = {(agreement.first, agreement.second) for agreement in report.agreements if agreement.part == "checklist"}
    assert {("sim/careful", "sim/lenient"), ("sim/careful", "check"), ("all judges", "check")} <= pairs
    assert ("sim/careful", "all judges") not in pairs
    assert read_scoring(judged_run).judges == ("sim/careful", "sim/lenient")


def test_a_lenient_judge_is_corrected(puzzles_bench: Path, tmp_path: Path) -> None:
    """It passes every third faulty response; the corrected interval contains the accuracy without a judge."""
    folder = tmp_path / "run"
    run(puzzles_bench, model="sim/reader?guess=0.6", out=folder, seed=1)
    truth = score_run(folder).accuracy
    calls: dict[str, int] = {}

    def simulate(prompt: Prompt) -> str:
        response = prompt.last_part.split("==========")[1]
        return "PASS" if calls.setdefault(response, len(calls)) % 3 == 0 else careful(prompt)

    judge(folder, role_model("sim/judge", simulate=simulate), calibration=40)
    (report,) = judge_report([folder])
    assert report.corrected is not None
    assert report.accuracy.value > truth + 0.1
    assert report.corrected.low <= truth <= report.corrected.high
    assert report.corrected.value < report.accuracy.value


def test_prompts_without_a_decision_are_asked_again_and_counted(puzzles_bench: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    run(puzzles_bench, model="sim/reader?guess=1", out=folder, limit=6)
    found = judge(folder, role_model("sim/judge", simulate=forgetful(careful, 4)), calibration=0)
    assert found.unjudged == 0
    assert found.asked_again > 0
    never = judge(folder, role_model("sim/silent", simulate=lambda prompt: "?"), calibration=0)
    assert never.unjudged == len(never.judgments)
    assert {judgment.attempts for judgment in never.judgments} == {3}
    assert score_run(folder).overall.unjudged == 6
    (report,) = judge_report([folder])
    # What is not judged may be correct or not.
    assert report.corrected is not None
    assert (report.corrected.low, report.corrected.high) == (0.0, 1.0)


def test_drift_between_runs(puzzles_bench: Path, tmp_path: Path) -> None:
    folders = [tmp_path / "monday", tmp_path / "friday"]
    for folder, simulated in zip(folders, (careful, lenient), strict=True):
        run(puzzles_bench, model="sim/reader?guess=1", out=folder, limit=4)
        judge(folder, role_model("sim/judge", simulate=simulated), calibration=12)
    reports = judge_report(folders)
    assert not reports[0].drift
    (changed,) = reports[1].drift
    faulty = sum(error.faulty for error in reports[1].judges[0].errors.values())
    assert (changed.before, changed.worse, changed.better) == ("monday", faulty, 0)
    assert changed.p < 0.001
    printed = run_command("judges", *folders).stdout
    assert "drift of sim/judge since monday: 50.0%" in printed
    assert "copy 3 of 3, guess 3 of 3" in printed


def planted(outcomes: str, judge_name: str = "m") -> list[PlantedDecision]:
    """Decisions on responses without a fault: p, f and u."""
    names: dict[str, Decision] = {"p": "pass", "f": "fail", "u": "unjudged"}
    return [
        PlantedDecision(
            question_id=f"q{number}", part="", fault="", judge=judge_name, outcome=names[outcome], prompt_version="1"
        )
        for number, outcome in enumerate(outcomes)
    ]


def test_the_same_decisions_are_no_drift() -> None:
    (same,) = drift(planted("ppfpu"), planted("ppfpp"), ("one", "two"))
    assert (same.changed.value, same.changed.items, same.p) == (0.0, 4, 1.0)
    assert judge_errors(planted("ppfpu"))[""].unjudged == 1


def test_people_are_compared_with_judges(judged_run: Path, tmp_path: Path) -> None:
    lines = [json.loads(line) for line in (judged_run / "judgments.jsonl").read_text().splitlines()]
    mine = [line | {"judge": "Ada", "prompt_version": ""} for line in lines if line["judge"] == "sim/careful"]
    for line in mine:
        del line["crc32"]
    file = tmp_path / "people.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in mine))
    (report,) = judge_report([judged_run], people=file)
    pair = next(
        agreement for agreement in report.agreements if {agreement.first, agreement.second} == {"sim/careful", "Ada"}
    )
    assert pair.agreement.value == 1.0
    assert pair.agreement.low < 1.0
    printed = run_command("judges", judged_run, "--people", file, "--json").stdout
    assert json.loads(printed)["runs"][0]["reasoning"] == "visible"
    file.write_text(json.dumps(mine[0] | {"question_id": "q-none"}) + "\n")
    with pytest.raises(FathomError, match="does not ask"):
        judge_report([judged_run], people=file)


def test_a_run_without_judgments_is_refused(puzzles_bench: Path, tmp_path: Path) -> None:
    run(puzzles_bench, model="sim/oracle", out=tmp_path / "run", limit=1)
    with pytest.raises(FathomError, match="no judgments"):
        judge_report([tmp_path / "run"])


# Decisions.


@pytest.mark.parametrize(
    ("decisions", "together"),
    [("ppf", "pass"), ("pff", "fail"), ("pf", "unjudged"), ("pu", "pass"), ("uu", "unjudged"), ("", "unjudged")],
)
def test_a_majority_of_judges_decides(decisions: str, together: Decision) -> None:
    planted_decisions = planted(decisions)
    assert majority(one.outcome for one in planted_decisions) == together
    judgments = [
        Judgment(question_id="q", judge=f"m{number}", outcome=one.outcome)
        for number, one in enumerate(planted_decisions)
    ]
    assert combined(judgments, each_part) == ({"": together} if decisions else {})


def test_the_correction_is_unbiased() -> None:
    """A judge with sensitivity 0.9 and specificity 0.8 passes 0.55 of responses of which half should pass."""
    responses = [JudgedResponse(number, True, {"": number < 55}) for number in range(100)]
    error = JudgeError(passed=9_000, correct=10_000, failed=8_000, faulty=10_000)
    estimate = corrected_accuracy(responses, {"": error})
    assert estimate is not None
    assert estimate.value == pytest.approx(0.5, abs=0.001)


def test_intervals_cover_the_truth() -> None:
    """As in `benchmarks/judges.py`, with fewer rounds; one that ignores the judge's error covers it in few cases."""
    rng = np.random.default_rng(3)
    covered, rounds = 0, 150
    for _ in range(rounds):
        truth = rng.random(120) < 0.4
        passes = np.where(truth, rng.random(120) < 0.85, rng.random(120) < 0.2)
        error = JudgeError(passed=rng.binomial(50, 0.85), correct=50, failed=rng.binomial(50, 0.8), faulty=50)
        estimate = corrected_accuracy(
            [JudgedResponse(n, True, {"": bool(one)}) for n, one in enumerate(passes)], {"": error}
        )
        covered += estimate is not None and estimate.low <= 0.4 <= estimate.high
    assert 0.9 <= covered / rounds <= 0.99


def test_a_judge_without_skill_says_nothing() -> None:
    responses = [JudgedResponse(number, number > 4, {"": True} if number > 4 else {}) for number in range(10)]
    estimate = corrected_accuracy(responses, {"": JudgeError(passed=30, correct=30, failed=0, faulty=30)})
    assert estimate is not None
    # The check rejects half of the responses; of the others nothing is known.
    assert estimate.low == 0.0
    assert estimate.value == 0.25
    assert estimate.high > 0.5
    assert corrected_accuracy([JudgedResponse(0, True, {})], {}) is None


# Reasoning.


@pytest.mark.parametrize(
    ("text", "thinking", "tokens", "visible", "with_thinking"),
    [
        ("First the towns are compared, and then the peaks.\n\nAnswer: 5", "", 20, "shown", "shown"),
        ("Answer: 5", "First the towns are compared, and then the peaks.", 20, "separate", "shown"),
        ("Answer: 5", "", 900, "hidden", "hidden"),
        ("Answer: 5", "", 5, "none", "none"),
    ],
)
def test_where_the_reasoning_is(
    text: str, thinking: str, tokens: int, visible: ReasoningState, with_thinking: ReasoningState
) -> None:
    usage = Usage(output_tokens=tokens)
    response = Response(question_id="q", outcome="answered", text=text, thinking=thinking, usage=usage)
    assert reasoning_state(response, "visible") == visible
    assert reasoning_state(response, "thinking") == with_thinking


def test_the_thinking_text_counts_only_if_asked_for(puzzles_bench: Path, tmp_path: Path) -> None:
    """The reasoning is moved from the visible response to the thinking text."""
    folder = tmp_path / "run"
    run(puzzles_bench, model="sim/oracle", out=folder, limit=5)
    path = folder / "responses.jsonl"
    moved = []
    for response in read_records(path, Response):
        head, _, answer = response.text.rpartition("\n\n")
        moved.append(response.model_copy(update={"text": answer, "thinking": head}).model_dump_json())
    path.write_text("\n".join(moved) + "\n")
    visible = score_run(folder)
    assert visible.accuracy == 0.0
    assert {verdict.reasoning for verdict in visible.verdicts} == {"separate"}
    assert "in a separate thinking text 5" in run_command("score", folder).stdout
    thinking = score_run(folder, reasoning="thinking")
    assert thinking.accuracy == 1.0
    assert read_scoring(folder).reasoning == "thinking"


# Ratings.

RATING = """The steps follow from each other.
COHERENCE: 4
**STEPS:** 6
REPEATED: 1
SUPERFLUOUS: 0
RETRIEVED: 5
RETRIEVED CORRECTLY: 4"""


def test_ratings_of_traces(puzzles_bench: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    run(puzzles_bench, model="sim/reader?guess=0.5", out=folder, limit=8, seed=1)
    score_run(folder)
    rng = Random(1)

    def simulate(prompt: Prompt) -> str:
        assert "Reference solution:\n1. " in prompt.last_part
        return RATING if rng.random() < 0.8 else RATING.replace("COHERENCE: 4", "COHERENCE: 9")

    missing = rate_traces(folder, role_model("sim/judge", simulate=simulate))
    every, *by_outcome = rating_summaries(folder)
    assert every.responses == 8 - missing
    assert every.coherence.value == 4.0
    assert every.repeated is not None
    assert every.repeated.value == pytest.approx(1 / 6)
    assert every.retrieval_accuracy is not None
    assert every.retrieval_accuracy.value == pytest.approx(4 / 5)
    assert {one.outcome for one in by_outcome} <= {"correct", "incorrect"}


@pytest.mark.parametrize(
    ("old", "new"), [("COHERENCE: 4", ""), ("REPEATED: 1", "REPEATED: 7"), ("CORRECTLY: 4", "CORRECTLY: 6")]
)
def test_impossible_ratings_are_refused(old: str, new: str) -> None:
    assert parse_rating(RATING)["steps"] == 6
    with pytest.raises(ValueError, match=r"rating|steps|values"):
        parse_rating(RATING.replace(old, new))
