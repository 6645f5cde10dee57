"""Judgments on the responses of a run."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from fathom.api import judging
from fathom.api.judging import judge, role_model
from fathom.api.runs import run
from fathom.api.scores import score_run
from fathom.models.prompts import Prompt
from fathom.records.errors import FathomError
from fathom.records.judgments import Judgment
from fathom.records.questions import Question, Response
from fathom.scoring.keys import Key
from fathom.scoring.shown_context import ShownContext
from fathom.scoring.verdicts import Verdict
from fathom.tasks import checking
from fathom.tasks.catalog import family
from fathom.tasks.family import Family, Judge, JudgePrompt, Ruling


def prompts(question: Question, key: Key, response: Response) -> Sequence[JudgePrompt]:
    return [JudgePrompt(part, f"{part}: does '{response.text}' answer '{question.text}'?") for part in ("form", "fact")]


def parse(text: str) -> Ruling:
    return Ruling("unjudged") if text == "?" else Ruling("pass" if text == "yes" else "fail", 1.0 * (text == "yes"))


def check(
    key: Key, response: Response, shown: ShownContext | None = None, judgments: Sequence[Judgment] = ()
) -> Verdict:
    passed = [one.outcome == "pass" for one in judgments]
    return Verdict(
        question_id=key.question_id,
        sample=response.sample,
        outcome="correct" if passed and all(passed) else "incorrect",
        score=1.0 if passed and all(passed) else 0.0,
        reason="" if passed and all(passed) else "a judge says no",
        judgments=tuple(judgments),
    )


@pytest.fixture
def judged_family(monkeypatch: pytest.MonkeyPatch) -> Family:
    judged = replace(family("numeric"), judge=Judge("v1", prompts, parse), check=check)
    for module in (judging, checking):
        monkeypatch.setattr(module, "family", lambda name: judged)
    return judged


def test_judgments_are_written_and_scored(tiny_bench: Path, tmp_path: Path, judged_family: Family) -> None:
    run(tiny_bench, model="sim/oracle", out=tmp_path / "run", limit=4)
    asked: list[str] = []

    def simulate(prompt: Prompt) -> str:
        asked.append(prompt.last_part)
        return "?" if len(asked) == 1 else "no" if len(asked) == 4 else "yes"

    model = role_model("sim/judge", simulate=simulate)
    first = judge(tmp_path / "run", model, attempts=1)
    assert len(first.judgments) == len(asked) == 8
    assert first.unjudged == 1
    lines = [json.loads(line) for line in (tmp_path / "run" / "judgments.jsonl").read_text().splitlines()]
    assert {(line["part"], line["judge"], line["prompt_version"]) for line in lines} == {
        (part, "sim/judge", "v1") for part in ("form", "fact")
    }
    assert judge(tmp_path / "run", model).unjudged == 0
    assert len(asked) == 9
    scores = score_run(tmp_path / "run")
    assert scores.accuracy == pytest.approx(3 / 4)
    assert all(len(verdict.judgments) == 2 for verdict in scores.verdicts)


def test_a_run_that_needs_no_judge_is_an_error(tiny_bench: Path, tmp_path: Path) -> None:
    run(tiny_bench, model="sim/oracle", out=tmp_path / "run", limit=1)
    with pytest.raises(FathomError, match="needs a judge"):
        judge(tmp_path / "run", role_model("sim/judge", simulate=lambda prompt: "yes"))
