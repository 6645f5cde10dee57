"""The system `agent` through the real engine, against a scripted model that calls tools well and badly."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import fathom
from fathom.records.questions import Response
from fathom.runs.folder import read_responses
from fathom.systems.agent import Agent
from tests.runs.conftest import Ask
from tests.scripted_agent import ScriptedAgent
from tests.serving import Provider, Reply, serving

pytestmark = pytest.mark.filterwarnings("ignore")

PRICES = '[models."openai-api/mine/m"]\nwindow = 128_000\ninput_price = 1.0\noutput_price = 4.0\ntoken_ratio = 1.0\n'


@pytest.fixture
def prices(tmp_path: Path) -> Path:
    path = tmp_path / "prices.toml"
    path.write_text(PRICES)
    return path


def responses(folder: Path) -> list[Response]:
    return list(read_responses(folder).values())


def used(response: Response) -> int:
    return response.usage.input_tokens + response.usage.output_tokens


def messages_of(response: Response) -> list[str]:
    """The error messages of a response's tool calls, without those of calls that a limit prevented."""
    found = [step.error for step in response.trace if step.kind != "model" and step.error]
    return [message for message in found if not message.startswith("not run")]


def context_ids(bench: Path) -> list[str]:
    return [json.loads(line)["id"] for line in (bench / "contexts.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("protocol", ["native", "text"])
def test_wrong_calls_are_answered_and_counted(
    ask: Ask, tiny_bench: Path, tmp_path: Path, prices: Path, protocol: str
) -> None:
    model = ScriptedAgent(as_text=protocol == "text", contexts=context_ids(tiny_bench), longest=10)
    with serving(Provider(reply=model)) as provider:
        words = ("--system", "agent", "-S", f"protocol={protocol}", "-S", "steps=8", "--prices", prices)
        assert ask(provider, *words, "--limit", 10) == 0
    found = responses(tmp_path / "run")
    assert len(found) == len(model.episodes) == 10
    assert not model.problems
    assert sum(episode.errors for episode in model.episodes.values()) > 10
    assert all(episode.errors == episode.wrong for episode in model.episodes.values())
    assert sum(map(len, map(messages_of, found))) == sum(episode.errors for episode in model.episodes.values())
    assert sum(map(used, found)) == sum(episode.tokens for episode in model.episodes.values())
    for response in found:
        calls = [step for step in response.trace if step.kind == "model"]
        assert len(calls) <= 8
        assert (response.ending == "out of steps") == (calls[-1].name == "answer")
    assert {response.ending for response in found} >= {"out of steps", None}


@pytest.mark.parametrize(
    ("limit", "ending"),
    [("tokens=9000", "out of tokens"), ("price=0.009", "out of price"), ("steps=3", "out of steps")],
)
def test_limits_hold_exactly(ask: Ask, tmp_path: Path, prices: Path, limit: str, ending: str) -> None:
    model = ScriptedAgent(longest=10)
    name, _, value = limit.partition("=")
    with serving(Provider(reply=model)) as provider:
        words = ("--system", "agent", "-S", limit, "-S", "result=1500", "--prices", prices, "--max-tokens", 300)
        assert ask(provider, *words, "--limit", 5) == 0
    found = responses(tmp_path / "run")
    assert sum(response.ending == ending for response in found) >= 3
    assert sum(map(used, found)) == sum(episode.tokens for episode in model.episodes.values())
    for response in found:
        spent = {"tokens": used(response), "price": response.usage.price, "steps": _calls(response)}[name]
        assert spent is not None
        assert 0 < spent <= float(value)


def _calls(response: Response) -> int:
    return sum(step.kind == "model" for step in response.trace)


def test_a_limit_below_one_call_sends_nothing(ask: Ask, tmp_path: Path, prices: Path) -> None:
    with serving(Provider()) as provider:
        assert ask(provider, "--system", "agent", "-S", "tokens=100", "--prices", prices, "--limit", 2) == 0
        assert ask(provider, "--system", "agent", "-S", "price=1", "--limit", 1, "--out", tmp_path / "other") == 2
    assert not provider.requests
    assert [(one.text, one.ending) for one in responses(tmp_path / "run")] == [("", "out of tokens")] * 2


def test_a_conversation_loses_its_oldest_results_and_stays_within_its_size(ask: Ask, tmp_path: Path) -> None:
    sizes: list[int] = []

    def reply(body: dict[str, object]) -> Reply:
        sizes.append(ScriptedAgent()(body).input_tokens)
        step = sum(message["role"] == "assistant" for message in body["messages"])  # type: ignore[attr-defined]
        read = json.dumps({"document": "Article 1", "start": 4_000 * step, "length": 4_000})
        return Reply("Answer: 4") if step == 11 else Reply(f"Step {step}", ((f"{step}", "read", read),))

    with serving(Provider(reply=reply)) as provider:
        words = ("--system", "agent", "-S", "history=8000", "-S", "result=1500", "--limit", 1)
        assert ask(provider, *words) == 0
    [response] = responses(tmp_path / "run")
    assert (response.text, response.ending) == ("Answer: 4", None)
    assert max(sizes) <= 8_000
    last = provider.requests[-1]["messages"]
    removed = ["earlier result was removed" in str(one["content"]) for one in last if one["role"] == "tool"]
    assert removed == sorted(removed, reverse=True)  # the oldest
    assert 0 < sum(removed) < len(removed) == 11
    assert [one["content"] for one in last if one["role"] == "assistant"] == [f"Step {step}" for step in range(11)]


def test_a_model_without_tools_gets_the_text_protocol(ask: Ask, tmp_path: Path) -> None:
    model = ScriptedAgent(as_text=True, longest=3)
    provider = Provider(reply=model)
    says = "say registry/library/m:latest does not support tools"
    provider.fault = lambda number, prompt: says if provider.requests[-1].get("tools") else ""
    with serving(provider):
        assert ask(provider, "--system", "agent", "--limit", 5, "--connections", 1) == 0
        assert ask(provider, "--system", "agent", "-S", "protocol=native", "--limit", 1, "--out", tmp_path / "b") == 2
    assert len(responses(tmp_path / "run")) == len(model.episodes) == 5
    # The questions in flight found out, three of different contexts at most; the others were not asked with tools.
    assert sum(bool(body.get("tools")) for body in provider.requests) <= 3 + 1


def test_a_reference_that_a_model_writes_stays_what_it_is(ask: Ask, tiny_bench: Path) -> None:
    forged = f"⟦fathom numeric tables {context_ids(tiny_bench)[0]} 0:⟧"
    call = ("1", "calculate", '{"expression": "1"}')

    def reply(body: dict[str, object]) -> Reply:
        return Reply("Answer: 1") if len(body["messages"]) > 1 else Reply(forged, (call,))  # type: ignore[arg-type]

    with serving(Provider(reply=reply)) as provider:
        assert ask(provider, "--system", "agent", "--limit", 1) == 0
    assert provider.requests[-1]["messages"][1]["content"] == forged


# Simulated models.


@pytest.fixture
def runs(tiny_bench: Path, tmp_path: Path) -> Iterator[dict[str, float]]:
    systems = {
        "enough": Agent(),
        "as text": Agent(protocol="text"),
        "few steps": Agent(steps=3),
        "little memory": Agent(history=8_000, result=2_000, steps=60),
    }
    yield {
        # Five questions whose passages the simulated agent finds in 30 steps.
        name: fathom.run(tiny_bench, model="sim/reader", system=system, limit=5, seed=1, out=tmp_path / name)
        .score()
        .accuracy
        for name, system in systems.items()
    }


def test_a_simulated_reader_finds_more_with_more_steps(runs: dict[str, float]) -> None:
    assert runs["enough"] == runs["as text"] == runs["little memory"] == 1.0
    assert runs["few steps"] < 1.0
