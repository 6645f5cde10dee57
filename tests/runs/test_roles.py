"""Batches of prompts for judges and other roles: cache, resume, budget, failures."""

from __future__ import annotations

import json
import signal
from itertools import count
from pathlib import Path

import pytest

from fathom.api.judging import role_model
from fathom.models.prompts import Message, Prompt, RolePrompt
from fathom.records.errors import FathomError
from fathom.runs.roles import CALLS, RoleModel, RoleSettings, run_role
from fathom.runs.run import RunLimits
from tests.runs.conftest import KEY
from tests.runs.forked import Forked
from tests.runs.test_engine import _contents, _longest_string
from tests.serving import Provider, serving

pytestmark = pytest.mark.filterwarnings("ignore")

QUICK = RunLimits(connections=2, retries=0, timeout=5, backoff=0.05)


def parse(text: str) -> str:
    if text not in ("pass", "fail"):
        raise ValueError(text)
    return text


def prompts(size: int, instruction: str = "Is it correct?") -> list[RolePrompt[str]]:
    return [
        RolePrompt(f"r-{number}", Prompt((Message.user(instruction, f"Response {number}."),)), "1", parse)
        for number in range(size)
    ]


def simulated(answers: dict[str, str], asked: list[str]) -> RoleModel:
    def simulate(prompt: Prompt) -> str:
        asked.append(prompt.last_part)
        return answers.get(prompt.last_part, "pass")

    return role_model("sim/judge", simulate=simulate)


def test_nothing_is_asked_twice_and_what_cannot_be_parsed_is_asked_again(tmp_path: Path) -> None:
    asked: list[str] = []
    first = run_role(prompts(5), simulated({"Response 2.": "hard to say"}, asked), tmp_path)
    assert [first.results[f"r-{number}"].state for number in range(5)] == ["parsed"] * 2 + ["unparseable"] + [
        "parsed"
    ] * 2
    assert not first.is_complete
    assert len(asked) == 5
    second = run_role(prompts(6), simulated({}, asked), tmp_path)
    assert asked[5:] == ["Response 2.", "Response 5."]
    assert second.values == {f"r-{number}": "pass" for number in range(6)}


def test_another_prompt_model_or_setting_is_another_call(tmp_path: Path) -> None:
    asked: list[str] = []
    model = simulated({}, asked)
    run_role(prompts(2), model, tmp_path)
    run_role(prompts(2, "Is it true?"), model, tmp_path)
    run_role(prompts(2), model, tmp_path, RoleSettings(max_tokens=9))
    run_role(prompts(2), role_model("sim/other", simulate=model.simulate), tmp_path)
    assert len(asked) == 8
    same = [RolePrompt(f"x-{number}", prompts(1)[0].prompt, "1", parse) for number in range(3)]
    assert run_role(same, model, tmp_path).is_complete
    assert len(asked) == 8
    with pytest.raises(FathomError, match="same id"):
        run_role([*prompts(1), *prompts(1)], model, tmp_path)


def test_the_engine_is_asked_with_the_errors_of_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINE_API_KEY", KEY)
    seen: list[tuple[int, int]] = []
    long = f"Long: {'x' * 30_000}"
    batch = [*prompts(6), RolePrompt("long", Prompt((Message.user("Is it correct?", long),)), "1", parse)]
    with serving(Provider(response=lambda prompt: "pass")) as provider:
        provider.fault = lambda number, prompt: "500" if "Response 3" in prompt else ""
        model = role_model("openai-api/mine/m", url=provider.url)
        first = run_role(batch, model, tmp_path, limits=QUICK, progress=lambda done, total: seen.append((done, total)))
        assert first.results["r-3"].state == "failed"
        assert [id for id, one in first.results.items() if one.state != "parsed"] == ["r-3"]
        assert seen[-1] == (7, 7)
        provider.fault = lambda number, prompt: ""
        assert run_role(batch, model, tmp_path, limits=QUICK).is_complete
        assert sorted(provider.seen.values()) == [1] * 7
    assert any(long in prompt for prompt in provider.prompts)
    for path in tmp_path.rglob("*"):
        for name, content in _contents(path) if path.is_file() else []:
            assert KEY.encode() not in content, name
            assert _longest_string(content) <= 20_000, name


def test_the_budget_of_a_batch_is_never_exceeded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINE_API_KEY", KEY)
    prices = tmp_path / "prices.toml"
    prices.write_text('[models."openai-api/mine/m"]\nwindow = 8_000\ninput_price = 1000.0\noutput_price = 1000.0\n')
    settings = RoleSettings(max_tokens=100)
    with serving(Provider(response=lambda prompt: "pass")) as provider:
        model = role_model("openai-api/mine/m", url=provider.url, prices=prices)
        batch = run_role(prompts(50), model, tmp_path / "b", settings, RunLimits(2, budget=0.3))
        assert batch.stopped is not None
        assert 0 < batch.spent <= 0.3
        states = {one.state for one in batch.results.values()}
        assert states == {"parsed", "waiting"}
        again = run_role(prompts(50), model, tmp_path / "b", settings, RunLimits(2, budget=10))
        assert again.is_complete
        assert set(provider.seen.values()) == {1}
        lines = (tmp_path / "b" / CALLS).read_text().splitlines()
        assert sum(json.loads(line)["usage"]["price"] for line in lines) == pytest.approx(again.spent)
    with pytest.raises(FathomError, match="prices of the model"):
        run_role(prompts(1), role_model("openai-api/mine/m"), tmp_path / "c", limits=RunLimits(budget=1))


def run_batch(url: str, folder: Path) -> int:
    batch = run_role(prompts(30), role_model("openai-api/mine/m", url=url), folder, limits=RunLimits(2))
    return 0 if batch.is_complete else 1


def test_a_killed_batch_resumes_and_asks_nothing_twice(tmp_path: Path) -> None:
    numbers, running = count(1), list[Forked]()

    def response(prompt: str) -> str:
        if next(numbers) == 10:
            running[0].signal(signal.SIGKILL)
        return "pass"

    with serving(Provider(response)) as provider:
        for expected in (-signal.SIGKILL, 0):
            running.append(Forked(run_batch, provider.url, tmp_path / "batch"))
            assert running[-1].run() == expected
    calls = [json.loads(line) for line in (tmp_path / "batch" / CALLS).read_text().splitlines()]
    assert len(calls) == len({call["id"] for call in calls}) == 30
    # Only the requests in flight at a kill may have been sent again.
    assert sum(times - 1 for times in provider.seen.values()) <= 2
