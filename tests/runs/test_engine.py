"""Runs through the real engine against a server on loopback that counts requests and misbehaves."""

from __future__ import annotations

import errno
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest
from inspect_ai.log import EvalLog

from fathom.api.benches import open_bench
from fathom.api.imports import import_inspect
from fathom.cli.main import main
from fathom.records.errors import FathomError
from fathom.records.files import Journal
from fathom.records.questions import Response
from fathom.runs.folder import RESPONSES, lost_calls, read_responses
from tests.runs.conftest import KEY, Ask
from tests.runs.forked import ForkedCommand
from tests.serving import Provider, serving

pytestmark = pytest.mark.filterwarnings("ignore")  # the engine emits warnings of its own


def outcomes(folder: Path) -> Counter[str]:
    return Counter(response.outcome for response in read_responses(folder).values())


def test_every_question_is_answered_once_and_the_cache_serves_prefixes(ask: Ask, tmp_path: Path) -> None:
    with serving(Provider(seconds=0.02, cached_prefixes=4)) as provider:
        assert ask(provider, "--samples", 2, "--connections", 8) == 0
    assert outcomes(tmp_path / "run") == {"answered": 60}
    assert set(provider.seen.values()) == {2}
    assert provider.hit_tokens >= 0.95 * provider.possible_tokens
    # Several contexts are in flight, and the questions of each run side by side.
    assert provider.most_in_flight > 3
    usage = next(iter(read_responses(tmp_path / "run").values())).usage
    assert usage.input_tokens > 10_000


def test_the_model_reads_the_exact_context(
    ask: Ask, tiny_bench: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(Provider()) as provider:
        ask(provider, "--limit", 1)
    [prompt] = provider.prompts
    contexts = tiny_bench.parent / "contexts.jsonl"
    asked = next(iter(read_responses(tmp_path / "run").values())).question_id
    context = next(one.context_id for one in open_bench(tiny_bench).all_questions() if one.id == asked)
    capsys.readouterr()
    main([str(word) for word in ("show", _corpus(tiny_bench), context, "--contexts", contexts)])
    shown = capsys.readouterr().out
    assert shown.strip() in prompt
    assert "⟦" not in prompt


def _corpus(bench: Path) -> Path:
    return bench / str(json.loads((bench / "manifest.json").read_text())["corpus"])


FAULTS = ("429", "500", "garbage", "half a stream", "empty", "silence", "echo", "503", "no choices", "quiet end")


def test_every_question_has_an_outcome_whatever_the_server_does(ask: Ask, tmp_path: Path) -> None:
    def fault(number: int, prompt: str) -> str:
        return FAULTS[number % len(FAULTS)] if number % 3 and number < 60 else ""

    with serving(Provider(fault=fault, silence=9)) as provider:
        first = ask(provider, "--timeout", 1)
        found = outcomes(tmp_path / "run")
        assert first == 1
        assert found["error"] > 0
        assert sum(found.values()) == 30
        # The same command tries again what failed, and only that.
        answered = Counter(provider.seen)
        provider.fault = lambda number, prompt: ""
        assert ask(provider, "--timeout", 1) == 0
    assert outcomes(tmp_path / "run") == {"answered": 30}
    # "Answer: 4" is what the streams that broke off began with.
    assert {one.text for one in read_responses(tmp_path / "run").values()} == {"Answer: 1"}
    again = {question for question, times in provider.seen.items() if times > answered[question]}
    assert len(again) == found["error"]


def test_contexts_and_keys_are_in_no_file(ask: Ask, tmp_path: Path) -> None:
    def fault(number: int, prompt: str) -> str:
        return "echo" if number % 2 else ""

    with serving(Provider(fault=fault, response=lambda prompt: f"Answer: {KEY}")) as provider:
        ask(provider, "--retries", 0)
    written = [path for path in (tmp_path / "run").rglob("*") if path.is_file()]
    [log] = [path for path in written if path.suffix == ".eval"]
    assert b'"name":"accuracy"' in _contents(log)[0][1]  # the log has scores
    for path in written:
        for name, content in _contents(path):
            assert KEY.encode() not in content, name
            assert _longest_string(content) <= 20_000, name


def _contents(path: Path) -> list[tuple[str, bytes]]:
    if path.suffix != ".eval":
        return [(path.name, path.read_bytes())]
    # Read by the engine itself: newer logs are packed in a way that zipfile does not know.
    from inspect_ai.log import read_eval_log

    log = read_eval_log(str(path))
    return [(f"{path.name}", log.model_dump_json().encode())]


def _without_tracebacks(log: str) -> bytes:
    """The log without the engine's colored tracebacks: a refused connection alone gives one of 22,000 characters."""
    return json.dumps(
        json.loads(log, object_hook=lambda one: {k: v for k, v in one.items() if k != "traceback_ansi"})
    ).encode()


def _longest_string(content: bytes) -> int:
    return max(map(len, content.split(b'"')), default=0)


@pytest.mark.parametrize(
    ("fault", "word"),
    [
        ("401", "rejects the API key"),
        ("402", "your account"),
        ("404", "does not know the model"),
        ("302", "another address"),
    ],
)
def test_a_fatal_error_stops_the_run(ask: Ask, fault: str, word: str, capsys: pytest.CaptureFixture[str]) -> None:
    with serving(Provider(fault=lambda number, prompt: fault)) as provider:
        assert ask(provider) == 2
    said = capsys.readouterr().err
    assert word in said
    assert said.count("\n") == 1
    assert len(provider.prompts) < 10


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ('body {"error": {"message": "the model is out"}}', "the server's answer has no choices: the model is out"),
        ('body {"choices": [{"message": null}]}', "the server's answer has no choices"),
        ("body <html>log in first</html>", "the server's answer is not JSON"),
        ('body "log in first"', "the server's answer is not a completion: log in first"),
    ],
)
def test_a_server_that_gives_no_completions_is_an_outage(
    ask: Ask, tmp_path: Path, fault: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(Provider(fault=lambda number, prompt: fault)) as provider:
        assert ask(provider, "--max-outage", 0) == 1
    assert said in capsys.readouterr().out
    assert len(provider.prompts) < 20
    assert not outcomes(tmp_path / "run")


def test_a_log_that_the_engine_cannot_write_ends_the_run(
    ask: Ask, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The engine ended early on a full disk, and nothing said why questions were left."""
    from inspect_ai.log._recorders.eval import EvalRecorder

    async def fail(*arguments: object, **named: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(EvalRecorder, "log_sample", fail)
    with serving(Provider()) as provider:
        assert ask(provider) == 1
    assert "stopped: the disk is full" in capsys.readouterr().out


def test_an_answer_without_readable_usage_is_kept(ask: Ask, tmp_path: Path) -> None:
    usage = {"prompt_tokens": "many", "completion_tokens": 1.5, "total_tokens": None}
    choice = {"index": 0, "message": {"role": "assistant", "content": "Answer: 1"}, "finish_reason": "stop"}
    body = json.dumps({"id": "x", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]})
    with serving(
        Provider(fault=lambda number, prompt: f'body {body[:-1]}, "usage": {json.dumps(usage)}}}')
    ) as provider:
        assert ask(provider) == 0
    assert all(one.usage.input_tokens > 1_000 for one in read_responses(tmp_path / "run").values())


def test_a_server_whose_streams_cannot_be_read_is_asked_without(ask: Ask, tmp_path: Path) -> None:
    usage = {"prompt_tokens": -5, "completion_tokens": "many", "total_tokens": 1e30}
    with serving(Provider(streamed_usage=usage)) as provider:
        assert ask(provider) == 0
    assert {one.outcome for one in read_responses(tmp_path / "run").values()} == {"answered"}


def test_misuse_is_an_error_before_anything_is_sent(
    tiny_bench: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "MINE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    url = ["--url", "http://127.0.0.1:9/v1"]
    for words, said in (
        (["--model", "nowhere/m", "--window", "128K"], "nowhere"),
        (["--model", "openai/gpt-4.1"], "OPENAI_API_KEY"),
        (["--model", "openai-api/mine/m", "--window", "128K", *url], "MINE_API_KEY"),
        (["--model", "openai-api/mine/m", *url], "--window"),
        (["--model", "sim/nobody"], "nobody"),
        (["--model", "local/other", "--window", "8K"], "local/smollm2"),
    ):
        code = main(["run", str(tiny_bench), "--out", str(tmp_path / "run"), *words])
        error = capsys.readouterr().err
        assert code == 2, words
        assert said in error, error
        assert error.count("\n") == 1, error
        assert not (tmp_path / "run").exists()
    monkeypatch.setenv("MINE_API_KEY", KEY)
    assert main(["run", str(tiny_bench), "--model", "openai-api/mine/m", "--window", "128K", *url]) == 2
    assert "No server responds at '127.0.0.1:9'" in capsys.readouterr().err


@pytest.mark.parametrize("connections", [1, 8, 64])
def test_the_budget_is_spent_and_never_exceeded(ask: Ask, tmp_path: Path, connections: int) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text(
        '[models."openai-api/mine/m"]\nwindow = 128_000\ninput_price = 1.0\ncached_price = 1.0\n'
        "output_price = 1.0\ntoken_ratio = 1.3\n"
    )
    settings = ["--prices", prices, "--max-tokens", 100, "--connections", connections]
    with serving(Provider(seconds=0.02)) as provider:
        assert ask(provider, *settings, "--budget", 1.2) == 1
        responses = read_responses(tmp_path / "run").values()
        assert 0 < len(responses) < 30
        # A request may cost $0.085, so that one more fits until less than a tenth is left.
        assert 0.9 * 1.2 <= sum(response.usage.price or 0.0 for response in responses) <= 1.2
        assert ask(provider, *settings) == 0
    assert outcomes(tmp_path / "run") == {"answered": 30}
    assert set(provider.seen.values()) == {1}


def test_questions_that_do_not_fit_are_not_sent(ask: Ask, tmp_path: Path, narrow_window: int) -> None:
    with serving(Provider()) as provider:
        assert ask(provider, "--window", narrow_window) == 0
    found = outcomes(tmp_path / "run")
    assert found["overflow"] + found["answered"] == 30
    assert 0 < found["overflow"] < 30
    assert len(provider.prompts) == found["answered"]


def test_a_run_without_a_question_that_fits_is_an_error(
    ask: Ask, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(Provider()) as provider:
        assert ask(provider, "--window", "32K") == 2
    assert "None of the 30 questions fits" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def _command(bench: Path, provider: Provider, out: Path, *words: object) -> ForkedCommand:
    usual = ["run", bench, "--model", "openai-api/mine/m", "--url", provider.url, "--window", "128K", "--out", out]
    return ForkedCommand(*usual, *words, log=out)


def _wait_until(reached: Callable[[], bool]) -> None:
    end = time.monotonic() + 120
    while not reached():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_a_kill_loses_nothing_and_nothing_is_asked_twice(tiny_bench: Path, tmp_path: Path) -> None:
    numbers, running, kills = count(1), list[ForkedCommand](), (2, 14)

    def response(prompt: str) -> str:
        if next(numbers) in kills:
            running[-1].signal(signal.SIGKILL)
        return f"Answer: {len(prompt)}"

    with serving(Provider(response=response)) as provider:
        for expected in (-signal.SIGKILL, -signal.SIGKILL, 0):
            running.append(_command(tiny_bench, provider, tmp_path / "run", "--connections", 2))
            assert running[-1].run() == expected
    responses = list(Journal(tmp_path / "run" / RESPONSES, Response).read())
    assert len(responses) == len({one.question_id for one in responses}) == 30
    # Only what was in flight at a kill may have been asked again.
    assert sum(times - 1 for times in provider.seen.values()) <= 2 * len(kills)
    # Questions that waited for a connection were not sent.
    assert len(lost_calls(tmp_path / "run")) <= 2 * len(kills)


def test_the_first_interrupt_finishes_what_is_in_flight(tiny_bench: Path, tmp_path: Path) -> None:
    numbers, running = count(1), list[ForkedCommand]()

    def response(prompt: str) -> str:
        if next(numbers) == 2:
            running[0].signal(signal.SIGINT)
        return "Answer: 1"

    with serving(Provider(response, seconds=0.3)) as provider:
        running.append(_command(tiny_bench, provider, tmp_path / "run", "--connections", 2))
        [process] = running
        assert process.run() == 130, process.errors
        assert "stopped" in process.output
        assert "responses are missing" in process.output
    kept = len(read_responses(tmp_path / "run"))
    # Some were answered, some in flight or next in line for a connection; nobody who waited at the gate was let in.
    assert kept == sum(provider.seen.values()) == len(provider.prompts) <= 8


def test_the_second_interrupt_stops_at_once(tiny_bench: Path, tmp_path: Path) -> None:
    numbers, ended, journal = count(1), threading.Event(), tmp_path / "run" / RESPONSES

    def response(prompt: str) -> str:
        if next(numbers) > 2:
            ended.wait(600)  # far longer than the test waits
        return "Answer: 1"

    with serving(Provider(response)) as provider:
        process = _command(tiny_bench, provider, tmp_path / "run", "--connections", 2)
        process.start()
        _wait_until(lambda: provider.in_flight == 2 and journal.exists() and bool(journal.read_bytes()))
        process.signal(signal.SIGINT)
        # Two signals that arrive together are one.
        _wait_until(lambda: "stopping" in process.errors)
        process.signal(signal.SIGINT)
        assert process.wait() == 130, process.errors
        assert "Traceback" not in process.errors
        ended.set()
    assert read_responses(tmp_path / "run")


def _inspect_eval(family: str, bench: Path, logs: Path, answer: str, *words: str) -> EvalLog:
    from inspect_ai.log import read_eval_log

    inspect = Path(sys.executable).with_name("inspect")
    with serving(Provider(response=lambda prompt: answer)) as provider:
        task = ["eval", f"fathom/{family}", "-T", f"bench={bench}", *words]
        ended = subprocess.run(
            [str(inspect), *task, "--model", "openai-api/mine/m", "--display", "none", "--log-dir", str(logs)],
            env={**os.environ, "MINE_API_KEY": KEY, "MINE_BASE_URL": provider.url},
            capture_output=True,
            check=False,
            timeout=120,
        )
    assert ended.returncode == 0, ended.stderr
    # The model reads the text, and not the name of the text.
    assert not any("⟦" in prompt for prompt in provider.prompts)
    [path] = logs.glob("*.eval")
    return read_eval_log(str(path))


def test_inspect_eval_runs_a_task_of_the_bench(tiny_bench: Path, tmp_path: Path) -> None:
    log = _inspect_eval("numeric", tiny_bench, tmp_path, "Answer: NULL", "-T", "samples=2")
    assert log.samples is not None
    assert len(log.samples) == 60
    assert log.results is not None
    keys = [json.loads(line) for line in (tiny_bench / "keys.jsonl").read_text().splitlines()]
    nothing = sum(key["answer"]["type"] == "none" for key in keys)
    assert log.results.scores[0].metrics["accuracy"].value == pytest.approx(nothing / len(keys))
    assert _longest_string(_without_tracebacks(log.model_dump_json())) < 20_000
    assert not any(sample.target for sample in log.samples)
    # The log becomes a run with the same scores.
    run = import_inspect(next(tmp_path.glob("*.eval")), tiny_bench, tmp_path / "run")
    assert run.manifest.model == "openai-api/mine/m"
    assert run.status.outcomes == {"answered": 60}
    assert run.score().accuracy == pytest.approx(nothing / len(keys))


def test_the_engine_has_a_task_for_every_family(
    small_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import inspect_ai

    from fathom.api.inspect_tasks import TASKS
    from fathom.tasks.catalog import family_names

    assert tuple(TASKS) == family_names()
    assert main(["build", "citation_types", str(small_folder), "--out", str(tmp_path / "bench")]) == 0
    monkeypatch.setenv("MINE_API_KEY", KEY)
    with serving(Provider(response=lambda prompt: "Answer: descriptive")) as provider:
        monkeypatch.setenv("MINE_BASE_URL", provider.url)
        task = TASKS["citation_types"](bench=str(tmp_path / "bench"))
        [log] = inspect_ai.eval(
            task, model="openai-api/mine/m", log_dir=str(tmp_path / "logs"), display="none", limit=40
        )
    assert log.results is not None
    assert 0 < log.results.scores[0].metrics["accuracy"].value < 1
    assert len(provider.prompts) == 40
    assert not any("⟦" in prompt for prompt in provider.prompts)


def test_misuse_of_the_engines_command_is_one_sentence(tiny_bench: Path) -> None:
    from inspect_ai._util.error import PrerequisiteError

    from fathom.api.inspect_tasks import TASKS

    with pytest.raises(PrerequisiteError, match="-T bench=FOLDER"):
        TASKS["numeric"]()
    with pytest.raises(PrerequisiteError, match="no questions of the family 'claims'"):
        TASKS["claims"](bench=str(tiny_bench))


def test_the_mock_model_needs_no_download(tiny_bench: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import tiktoken

    monkeypatch.setattr(tiktoken, "get_encoding", lambda name: pytest.fail("it would download a vocabulary"))
    words = ["run", tiny_bench, "--model", "mockllm/model", "--limit", 3, "--out", tmp_path / "run"]
    assert main([str(word) for word in words]) == 0
    assert {one.outcome for one in read_responses(tmp_path / "run").values()} == {"answered"}


def test_responses_that_are_cut_off_are_noticed(ask: Ask, capsys: pytest.CaptureFixture[str]) -> None:
    with serving(Provider(finish="length")) as provider:
        assert ask(provider, "--limit", 8) == 0
    printed = capsys.readouterr()
    assert printed.err.count("5 of the first 5 responses were cut off at --max-tokens") == 1
    assert "8 responses were cut off at --max-tokens; for complete ones" in printed.out


def test_the_price_of_a_failed_question_counts(ask: Ask, tmp_path: Path) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text(
        '[models."openai-api/mine/m"]\nwindow = 128_000\ninput_price = 100.0\noutput_price = 100.0\ntoken_ratio = 1.0\n'
    )
    words = ("--system", "sql", "--prices", prices, "--budget", 2, "--max-tokens", 100, "--limit", 6, "--retries", 0)

    def fault(number: int, prompt: str) -> str:
        return "500" if "could not be run" in prompt else ""

    with serving(Provider(fault=fault, response=lambda prompt: "```sql\nDROP TABLE articles\n```")) as provider:
        for _ in range(4):
            assert ask(provider, *words) == 1
    spent = sum(json.loads(line)["price"] for line in (tmp_path / "run" / "spending.jsonl").read_text().splitlines())
    assert 0.5 < spent <= 2.0
    assert sum(provider.seen.values()) < 60


def test_usage_is_estimated_for_a_server_that_reports_none(ask: Ask, tmp_path: Path) -> None:
    with serving(Provider(counts=False)) as provider:
        assert ask(provider, "--limit", 2) == 0
    for response in read_responses(tmp_path / "run").values():
        assert response.usage.input_tokens > 50_000


def test_a_server_that_does_not_stream_is_asked_without_a_stream(ask: Ask, tmp_path: Path) -> None:
    with serving(Provider(streams=False)) as provider:
        assert ask(provider, "--limit", 8) == 0
    assert outcomes(tmp_path / "run") == {"answered": 8}
    assert len(provider.prompts) <= 8 + 4  # the leaders of the contexts at hand found out


def test_an_attempt_is_one_request(ask: Ask) -> None:
    with serving(Provider(fault=lambda number, prompt: "500")) as provider:
        assert ask(provider, "--limit", 2, "--retries", 1) == 1
    assert len(provider.prompts) == 4


def test_an_error_of_a_provider_names_no_line_of_code(ask: Ask, tmp_path: Path) -> None:
    with serving(Provider(fault=lambda number, prompt: "500")) as provider:
        assert ask(provider, "--limit", 2, "--retries", 0) == 1
    for response in read_responses(tmp_path / "run").values():
        assert response.outcome == "error"
        assert response.error is not None
        assert "500" in response.error
        assert not re.search(r"\.py|line \d|ProviderError", response.error)


@pytest.mark.parametrize("text", ["Answer: \ud800 1", "Answer: \x00\x1b[31m 1", "", "Answer: 1" * 200_000])
def test_odd_responses_are_stored(ask: Ask, tmp_path: Path, text: str) -> None:
    with serving(Provider(response=lambda prompt: text)) as provider:
        assert ask(provider, "--limit", 2) == 0
        assert ask(provider, "--limit", 2) == 0
    assert len(provider.prompts) == 2
    assert all(len(response.text) <= 1_000_000 for response in read_responses(tmp_path / "run").values())


@pytest.mark.parametrize("fault", ["say invalid model: m", "say API key not valid (request {number})"])
def test_a_server_that_rejects_every_request_stops_the_run(
    ask: Ask, tmp_path: Path, capsys: pytest.CaptureFixture[str], fault: str
) -> None:
    """Not every server answers an unknown model or a wrong key with the status for it."""
    with serving(Provider(fault=lambda number, prompt: fault.format(number=number))) as provider:
        assert ask(provider, "--connections", 2) == 2
    assert "has answered all of the first 5 requests with the same error" in capsys.readouterr().err
    assert len(provider.prompts) <= 7


@pytest.mark.parametrize(
    "fault",
    [
        lambda number: "say invalid" if number > 1 else "",
        lambda number: "say invalid" if number != 5 else "say too hot",
        lambda number: "429",
    ],
)
def test_errors_of_single_questions_do_not_stop_the_run(ask: Ask, tmp_path: Path, fault: Callable[[int], str]) -> None:
    with serving(Provider(fault=lambda number, prompt: fault(number))) as provider:
        assert ask(provider, "--connections", 1, "--limit", 8, "--retries", 0) == 1
    assert len(read_responses(tmp_path / "run")) == 8


def test_a_server_without_the_responses_api_is_asked_for_chat_completions(
    tiny_bench: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with serving(Provider()) as provider:
        words = ["run", tiny_bench, "--model", "openai/llama-3", "--url", provider.url, "--window", "128K"]
        assert main([str(word) for word in (*words, "--out", tmp_path / "run")]) == 0
    assert capsys.readouterr().err.count("does not offer the Responses API; its chat completions are used") == 1
    assert len(provider.prompts) == len(provider.seen) == 30


def test_a_server_without_tls_is_no_outage(ask: Ask, capsys: pytest.CaptureFixture[str]) -> None:
    with serving(Provider()) as provider:
        provider.url = provider.url.replace("http:", "https:")
        assert ask(provider) == 2
    assert "does not speak TLS. Check its address" in capsys.readouterr().err


@pytest.mark.parametrize("length", [120, 450, 1_900, 50_000])
def test_errors_that_repeat_the_context_are_left_out(ask: Ask, tmp_path: Path, length: int) -> None:
    heard: list[str] = []

    def fault(number: int, prompt: str) -> str:
        heard.append(prompt[2_000 : 2_000 + length])
        return f"say {heard[-1]}"

    with serving(Provider(fault=fault)) as provider:
        assert ask(provider, "--limit", 2, "--retries", 0) == 1
    stretches = [part for part in heard[0].split("\n") if len(part) > 60] or [heard[0]]
    for path in (tmp_path / "run").rglob("*"):
        for name, content in _contents(path) if path.is_file() else []:
            for stretch in stretches:
                assert stretch[:60].encode() not in content, name


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:99999/v1", "http://127.0.0.1:abc", "notaurl", "ftp://127.0.0.1", "http://"]
)
def test_a_bad_address_is_an_error_of_one_sentence(
    tiny_bench: Path, tmp_path: Path, url: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MINE_API_KEY", KEY)
    words = [
        "run",
        tiny_bench,
        "--model",
        "openai-api/mine/m",
        "--window",
        "128K",
        "--url",
        url,
        "--out",
        tmp_path / "run",
    ]
    assert main([str(word) for word in words]) == 2
    assert "is not the address" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_a_rate_limit_is_not_an_overflow(ask: Ask, tmp_path: Path) -> None:
    with serving(Provider(fault=lambda number, prompt: "429")) as provider:
        ask(provider, "--limit", 2, "--retries", 0)
    assert outcomes(tmp_path / "run") == {"error": 2}


def test_a_larger_window_asks_what_overflowed(ask: Ask, tmp_path: Path, narrow_window: int) -> None:
    with serving(Provider()) as provider:
        ask(provider, "--window", narrow_window)
        assert outcomes(tmp_path / "run")["overflow"] > 0
        assert ask(provider) == 0
    assert outcomes(tmp_path / "run") == {"answered": 30}
    assert set(provider.seen.values()) == {1}


def test_a_run_can_be_extended(ask: Ask, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with serving(Provider()) as provider:
        assert ask(provider, "--limit", 2) == 0
        assert ask(provider, "--limit", 4, "--samples", 2) == 0
        assert ask(provider, "--limit", 2, "--samples", 2) == 2
        assert "limit 4, not 2" in capsys.readouterr().err
    assert len(provider.prompts) == 8
    assert main(["score", str(tmp_path / "run"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["scores"]["all"]["questions"] == 4
    assert found["questions_not_asked"] == 26


def test_a_full_disk_ends_the_run(ask: Ask, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def full(self: object, response: Response) -> None:
        raise FathomError("Cannot write 'responses.jsonl': the disk is full. Free some space.")

    with serving(Provider(seconds=0.05)) as provider, pytest.MonkeyPatch.context() as patch:
        patch.setattr("fathom.runs.folder.RunFolder.append", full)
        assert ask(provider, "--connections", 2) == 2
    assert "the disk is full" in capsys.readouterr().err
    assert len(provider.prompts) <= 4
