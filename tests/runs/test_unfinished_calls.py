"""Calls of questions without a response: a resumed run finds them again, and no others."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from fathom.models.prompts import Completion, Prompt, ToolCall, ToolDefinition
from fathom.records.questions import Response, Usage
from fathom.runs.folder import SPENDING, UNFINISHED, RunFolder, RunManifest, read_responses
from tests.runs.conftest import Ask
from tests.serving import Provider, serving

MANIFEST = RunManifest(bench="bench", bench_fingerprint="f", model="m", system="agent")
TOOL = ToolDefinition("find", "Finds text.", {"text": {"type": "string"}})
PROMPT = Prompt.of("Answer.", None, "How many?", (TOOL,))
FIRST = Completion("first", usage=Usage(input_tokens=5, output_tokens=1, price=0.5))


def opened(tmp_path: Path) -> RunFolder:
    return RunFolder(tmp_path / "run", MANIFEST)


def test_a_call_is_found_by_its_question_sample_and_prompt(tmp_path: Path) -> None:
    calls = (ToolCall("1", "find", {"text": "\ud800", "skip": 0}), ToolCall("", "shell", {}, "not JSON"))
    second = Completion("second", "length", "thoughts", Usage(input_tokens=7), calls)
    with opened(tmp_path) as folder:
        for completion in (FIRST, second):
            folder.add_call("q-1", 1, PROMPT, completion)
        assert folder.find_call("q-1", 1, PROMPT) is None  # this process does not ask again
    others = [
        replace(PROMPT, tools=()),
        replace(PROMPT, may_call=False),
        PROMPT.extend(FIRST.message),
        Prompt.of("Answer!", None, "How many?", (TOOL,)),
    ]
    with opened(tmp_path) as folder:
        assert folder.find_call("q-2", 1, PROMPT) is None
        assert folder.find_call("q-1", 0, PROMPT) is None
        assert [folder.find_call("q-1", 1, other) for other in others] == [None] * 4
        # A system may ask the same thing twice.
        assert [folder.find_call("q-1", 1, PROMPT) for _ in range(3)] == [FIRST, second, None]


@pytest.mark.parametrize("outcome", ["answered", "error", "overflow"])
def test_a_response_ends_an_attempt(tmp_path: Path, outcome: str) -> None:
    path = tmp_path / "run" / UNFINISHED
    with opened(tmp_path) as folder:
        folder.add_call("q-1", 0, PROMPT, FIRST)
        error = {"error": "no luck"} if outcome == "error" else {}
        folder.append(Response.model_validate({"question_id": "q-1", "outcome": outcome, **error}))
        after_kill = path.read_bytes()
    assert not path.exists()
    path.write_bytes(after_kill)  # a killed process does not tidy up
    with opened(tmp_path) as folder:
        assert not path.read_bytes()
        assert folder.find_call("q-1", 0, PROMPT) is None
        folder.add_call("q-1", 0, PROMPT, FIRST)
    with opened(tmp_path) as folder:
        assert folder.find_call("q-1", 0, PROMPT) == FIRST


def test_a_torn_line_is_dropped_and_finished_questions_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "run" / UNFINISHED
    with opened(tmp_path) as folder:
        for question in ("q-1", "q-2", "q-3"):
            folder.add_call(question, 0, PROMPT, FIRST)
        folder.append(Response(question_id="q-2", outcome="answered", text="1"))
        after_kill = path.read_bytes()
    path.write_bytes(after_kill[:-9])
    with opened(tmp_path) as folder:
        assert path.read_bytes() == after_kill.splitlines(keepends=True)[0]
        found = [folder.find_call(question, 0, PROMPT) for question in ("q-1", "q-2", "q-3")]
        assert found == [FIRST, None, None]
        folder.add_call("q-3", 0, PROMPT, FIRST)
    with opened(tmp_path) as folder:
        assert folder.find_call("q-3", 0, PROMPT) == FIRST


@pytest.mark.parametrize("system", ["memory", "map-reduce"])
def test_a_run_that_ends_in_the_middle_of_a_question_pays_no_call_twice(ask: Ask, tmp_path: Path, system: str) -> None:
    words = ("--system", system, "--limit", 2, "--connections", 1)
    prompts: list[str] = []

    def fault(number: int, prompt: str) -> str:
        prompts.append(prompt)
        return "401" if number == 3 else ""

    with serving(Provider(fault=fault)) as provider:
        assert ask(provider, *words) == 2
        assert len((tmp_path / "run" / UNFINISHED).read_bytes().splitlines()) == 2
        assert ask(provider, *words) == 0
    assert [prompt for prompt, count in Counter(prompts).items() if count > 1] == [prompts[2]]
    assert not (tmp_path / "run" / UNFINISHED).exists()
    paid = [json.loads(line) for line in (tmp_path / "run" / SPENDING).read_text().splitlines()]
    found = list(read_responses(tmp_path / "run").values())
    assert len(found) == 2
    assert len(paid) == len(prompts) - 1 == sum(len(response.trace) for response in found)
    assert sum(one["input_tokens"] for one in paid) == sum(response.usage.input_tokens for response in found)
