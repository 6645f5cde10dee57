"""A user's own systems through the real engine: tools, traces, artifacts, settings."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from fathom.api.runs import plan, run
from fathom.records.errors import FathomError
from fathom.runs.bench_view import BenchView
from fathom.runs.folder import RunSettings, read_responses, read_run
from fathom.runs.plan import jobs
from fathom.runs.trace import MAX_STEP_LENGTH
from tests.runs.conftest import Ask
from tests.runs.test_engine import _contents, _longest_string
from tests.serving import Provider, serving

pytestmark = pytest.mark.filterwarnings("ignore")

OWN = Path(__file__).with_name("own_systems.py")


def two_searches(messages: list[dict[str, Any]]) -> list[tuple[str, dict[str, Any]]]:
    results = sum(message["role"] == "tool" for message in messages)
    return [("search", {"word": "the" if results else "a"})] if results < 2 else []


def test_an_agent_calls_a_tool_twice_and_then_answers(ask: Ask, tmp_path: Path) -> None:
    with serving(Provider(tool_calls=two_searches)) as provider:
        code = ask(provider, "--system", f"{OWN}:Agent", "-S", "result=30000", "--limit", 3, "--connections", 2)
    assert code == 0
    responses = read_responses(tmp_path / "run").values()
    assert len(provider.requests) == 3 * 3
    for response in responses:
        assert response.text == "Answer: 1"
        assert [step.kind for step in response.trace] == ["model", "tool", "model", "tool", "model"]
        assert sum(step.usage.input_tokens for step in response.trace) == response.usage.input_tokens > 0
        assert response.trace[0].output == 'search({"word": "a"})'
        assert all(len(step.output) < MAX_STEP_LENGTH + 100 for step in response.trace)
    last = provider.requests[-1]
    assert [tool["function"]["name"] for tool in last["tools"]] == ["search"]
    assert [message["role"] for message in last["messages"]] == ["user", "assistant", "tool", "assistant", "tool"]
    # The provider reads the whole result, and no file of the run has it.
    assert len(last["messages"][-1]["content"]) == 30_000
    for path in (tmp_path / "run").rglob("*"):
        for name, content in _contents(path) if path.is_file() else []:
            assert _longest_string(content) <= 20_000, name


def test_the_example_of_the_docs_runs_as_printed(ask: Ask, tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "own-system.md").read_text()
    [example] = re.findall(r"```python\n(# two_step\.py\n.*?)```", page, re.DOTALL)
    (tmp_path / "two_step.py").write_text(example)
    words = ("--system", f"{tmp_path}/two_step.py:TwoStep", "-S", "words=300", "--limit", 2)
    with serving(Provider(response=lambda prompt: "Answer: 7" if "notes." in prompt else "Notes.")) as provider:
        assert ask(provider, *words) == 0
    for response in read_responses(tmp_path / "run").values():
        assert [step.name for step in response.trace] == ["notes", "answer"]
        assert response.text == "Answer: 7"


def test_a_question_that_could_exceed_the_budget_is_not_begun(ask: Ask, tmp_path: Path) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text(
        '[models."openai-api/mine/m"]\nwindow = 128_000\ninput_price = 100.0\noutput_price = 100.0\ntoken_ratio = 1.0\n'
    )
    words = ("--system", f"{OWN}:Agent", "--prices", prices, "--max-tokens", 100, "--limit", 1)
    with serving(Provider(tool_calls=two_searches)) as provider:
        # Each call can cost about a cent of output and less than ten of input; four of them more than 0.1.
        assert ask(provider, *words, "--budget", 0.1) == 1
        assert not provider.requests
        assert ask(provider, *words, "--budget", 10) == 0


def test_an_artifact_is_made_once_and_outlasts_the_process(ask: Ask, tmp_path: Path, bench_view: BenchView) -> None:
    words = ("--system", f"{OWN}:Indexed")
    with serving(Provider()) as provider:
        assert ask(provider, *words, "--limit", 6) == 0
        artifacts = tmp_path / "run" / "artifacts"
        first = {path.name: path.stat().st_mtime_ns for path in artifacts.iterdir()}
        assert len(first) == len(list(jobs(bench_view, RunSettings(limit=6)))) + 1  # contexts, and one for the bench
        (artifacts / ".x.part").write_text("left by a kill")
        assert ask(provider, *words, "--limit", 10) == 0
    assert {path.name: path.stat().st_mtime_ns for path in artifacts.iterdir() if path.name in first} == first
    assert len({prompt.split()[1] for prompt in provider.prompts}) == 1


def test_the_source_of_a_system_is_part_of_the_run(
    ask: Ask, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = tmp_path / "mine.py"
    shutil.copy(OWN, own)
    with serving(Provider()) as provider:
        assert ask(provider, "--system", f"{own}:Agent", "--limit", 1) == 0
        manifest = read_run(tmp_path / "run")
        assert (manifest.system, manifest.system_settings) == ("searcher", {"turns": 4, "result": 200})
        assert len(manifest.system_source) == 16
        assert ask(provider, "--system", f"{own}:Agent", "-S", "turns=2", "--limit", 1) == 2
        assert "has different system settings" in capsys.readouterr().err
        own.write_text(own.read_text() + "\n# changed\n")
        assert ask(provider, "--system", f"{own}:Agent", "--limit", 1) == 2
        assert "has a different version of the system" in capsys.readouterr().err


def test_a_system_of_ones_own_in_a_notebook(tiny_bench: Path, tmp_path: Path) -> None:
    from tests.runs.own_systems import Agent

    plan_of_two = plan(tiny_bench, model="openai/gpt-4.1-mini", system=Agent(turns=2), limit=2)
    assert (plan_of_two.questions, plan_of_two.requests) == (2, 4)
    made = run(tiny_bench, model="sim/oracle", system="sql", system_settings={"repairs": 3}, out=tmp_path / "run")
    assert made.status.is_complete
    assert made.manifest.system_settings == {"prompting": "direct", "repairs": 3}
    assert len(made.responses()) == 30


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("not async", "The method `answer` of the system 'faulty' must be defined with `async def`."),
        ("text", "returned an object of the type 'str' in place of a Response"),
        ("another question", "returned a response to 'another'"),
        ("number", "returned an object of the type 'int' in place of a CallEstimate"),
        ("estimate raises", "failed: KeyError (own_systems.py, line"),
    ],
)
def test_a_system_that_breaks_the_protocol_ends_the_run(
    fault: str, message: str, tiny_bench: Path, tmp_path: Path
) -> None:
    with pytest.raises(FathomError, match=re.escape(message)):
        run(tiny_bench, system=f"{OWN}:Faulty", system_settings={"fault": fault}, limit=2, out=tmp_path / "run")


def test_an_error_in_a_system_of_ones_own_has_its_type_and_line(tiny_bench: Path, tmp_path: Path) -> None:
    made = run(tiny_bench, system=f"{OWN}:Faulty", system_settings={"fault": "raises"}, limit=1, out=tmp_path / "run")
    [error] = made.status.errors
    assert re.fullmatch(r"KeyError \(own_systems\.py, line \d+\): 'revenue'", error)


def test_sql_traces_its_queries_and_repairs(ask: Ask, tmp_path: Path) -> None:
    def response(prompt: str) -> str:
        table = "articles" if "could not be run" in prompt else "nowhere"
        return f"```sql\nSELECT COUNT(*) FROM {table}\n```"

    with serving(Provider(response=response)) as provider:
        assert ask(provider, "--system", "sql", "--limit", 1) == 0
    [found] = read_responses(tmp_path / "run").values()
    assert [(step.kind, step.name) for step in found.trace] == [
        ("model", "query"),
        ("tool", "sql"),
        ("model", "repair"),
        ("tool", "sql"),
    ]
    assert found.trace[1].error == "no such table: nowhere"
    assert json.loads(found.to_line())["trace"][3]["output"].startswith("Answer:")
