"""`fathom plan`, `fathom run` and `fathom score` with simulated models."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fathom.cli.main import main
from fathom.records.files import line_with_checksum, write_json
from fathom.runs.folder import RESPONSES, VERDICTS, read_responses, read_run

CARELESS = "sim/reader?miss=0.3&timeout=0.3"


def call(*words: object) -> int:
    try:
        return main([str(word) for word in words])
    except SystemExit as end:
        return int(end.code or 0)


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str]) -> Any:
    """The JSON output of a command."""

    def run(*words: object) -> dict[str, Any]:
        capsys.readouterr()
        assert call(*words, "--json") in (0, 1)
        found: dict[str, Any] = json.loads(capsys.readouterr().out)
        return found

    return run


def accuracy(said: Any, run: Path) -> float:
    return float(said("score", run)["scores"]["all"]["accuracy"])


def test_the_oracle_is_correct_and_null_on_unanswerable_questions(tiny_bench: Path, tmp_path: Path, said: Any) -> None:
    for name in ("oracle", "reader", "null"):
        assert call("run", tiny_bench, "--model", f"sim/{name}", "--out", tmp_path / name) == 0
    assert accuracy(said, tmp_path / "oracle") == 1.0
    assert accuracy(said, tmp_path / "reader") == 1.0
    types = [json.loads(line)["answer"]["type"] for line in (tiny_bench / "keys.jsonl").read_text().splitlines()]
    assert accuracy(said, tmp_path / "null") == pytest.approx(types.count("none") / len(types))


def test_errors_are_retried_by_the_same_command(tiny_bench: Path, tmp_path: Path, said: Any) -> None:
    command = ("run", tiny_bench, "--model", CARELESS, "--out", tmp_path / "run", "--samples", 3)
    assert call(*command) == 1
    first = read_responses(tmp_path / "run")
    failed = {place for place, response in first.items() if response.outcome == "error"}
    assert 0 < len(failed) < len(first) == 90
    said("score", tmp_path / "run")
    for _ in range(12):
        if call(*command) == 0:
            break
    last = read_responses(tmp_path / "run")
    assert all(response.outcome != "error" for response in last.values())
    assert all(last[place] == response for place, response in first.items() if place not in failed)
    changed = said("score", tmp_path / "run")["changes"]
    assert changed["compared"] == 90
    assert sum(changed["changed"].values()) == len(failed)
    samples = said("score", tmp_path / "run")["samples"]
    assert samples["samples"] == 3
    assert samples["pass_at"]["1"] <= samples["pass_at"]["2"] <= samples["pass_at"]["3"]
    assert samples["mean"] == pytest.approx(samples["pass_at"]["1"])


def test_the_same_seed_gives_the_same_responses(tiny_bench: Path, tmp_path: Path) -> None:
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        call("run", tiny_bench, "--model", CARELESS, "--out", tmp_path / name, "--seed", seed)
    one, two, other = ((tmp_path / name / "responses.jsonl").read_bytes() for name in "abc")
    assert one == two != other


def test_the_manifest_identifies_the_run(tiny_bench: Path, tmp_path: Path) -> None:
    call("run", tiny_bench, "--model", "sim/oracle", "--out", tmp_path / "run", "--system", "tables", "--limit", 4)
    manifest = read_run(tmp_path / "run")
    assert (manifest.model, manifest.system, manifest.settings.limit) == ("sim/oracle", "tables", 4)
    assert (tmp_path / "run" / manifest.bench).resolve() == tiny_bench.resolve()
    assert len(read_responses(tmp_path / "run")) == 4


def test_a_plan_counts_existing_responses(tiny_bench: Path, tmp_path: Path, said: Any) -> None:
    words = ("plan", tiny_bench, "--model", "sim/oracle", "--out", tmp_path / "run")
    assert said(*words)["done"] == 0
    call("run", tiny_bench, "--model", "sim/oracle", "--out", tmp_path / "run")
    assert (said(*words)["done"], said(*words)["requests"]) == (30, 0)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--temperature", 1), "has temperature None, not 1.0. Give the same settings, or another --out."),
        (("--system", "tables"), "has a different system. Choose another --out, or delete it."),
    ],
)
def test_a_plan_refuses_what_the_run_would_refuse(
    tiny_bench: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[object, ...], sentence: str
) -> None:
    subject = (tiny_bench, "--model", "sim/oracle", "--out", tmp_path / "run")
    call("run", *subject, "--limit", 4)
    capsys.readouterr()
    for command in ("plan", "run"):
        assert call(command, *subject, "--limit", 4, *words) == 2
        assert sentence in capsys.readouterr().err
    assert call("plan", *subject) == 0, "a run may grow"


def test_a_plan_needs_a_readable_manifest(tiny_bench: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    subject = (tiny_bench, "--model", "sim/oracle", "--out", tmp_path / "run")
    call("run", *subject)
    (tmp_path / "run" / "run.json").write_text("{")
    capsys.readouterr()
    assert call("plan", *subject) == 2
    assert "Restore a copy, or run it again." in capsys.readouterr().err


def test_max_tokens_above_the_limit_of_the_model_are_an_error(
    tiny_bench: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = (tiny_bench, "--model", "openai/gpt-4o", "--max-tokens")
    assert call("plan", *words, "16384") == 0
    capsys.readouterr()
    assert call("plan", *words, "16385") == call("run", *words, "16385", "--out", tmp_path / "run") == 2
    assert "writes at most 16,384 tokens, and --max-tokens is 16,385" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_a_plan_lists_what_does_not_fit(tiny_bench: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("plan", tiny_bench, "--model", "local/smollm2") == 0
    assert "30 questions do not fit" in capsys.readouterr().out
    assert call("plan", tiny_bench, "--model", "openai/gpt-4.1") == 0
    assert "at most $" in capsys.readouterr().out


def test_responses_of_another_run_are_refused(
    tiny_bench: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """They were ignored, and the run's own questions counted as unanswered."""
    run, model = tmp_path / "run", ("--model", "sim/oracle", "--out", tmp_path / "run")
    call("run", tiny_bench, *model)
    foreign = [one.model_copy(update={"question_id": f"{one.question_id}0"}) for one in read_responses(run).values()]
    (run / RESPONSES).write_bytes(b"".join(map(line_with_checksum, foreign)))
    before = (run / RESPONSES).read_bytes()
    for words in (("score", run), ("analyze", run), ("status", run), ("run", tiny_bench, *model)):
        capsys.readouterr()
        assert call(*words) == 2, words
        assert "the file of another run" in capsys.readouterr().err
    assert (run / RESPONSES).read_bytes() == before


def test_a_manifest_that_was_changed_is_noticed(
    tiny_bench: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "run" / "run.json"
    call("run", tiny_bench, "--model", "sim/oracle", "--limit", 2, "--out", path.parent)
    written = path.read_bytes()
    for place in range(0, len(written), 7):
        changed = bytearray(written)
        changed[place] ^= 1
        path.write_bytes(changed)
        capsys.readouterr()
        assert call("status", path.parent) == 2, written[place - 20 : place + 20]
        assert capsys.readouterr().err.count("\n") == 1
    path.write_bytes(written)
    assert call("status", path.parent) == 0


def test_scores_of_another_bench_are_refused(
    tiny_bench: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call("run", tiny_bench, "--model", "sim/oracle", "--out", tmp_path / "run")
    path = tmp_path / "run" / "run.json"
    manifest = read_run(tmp_path / "run")
    write_json(path, manifest.model_copy(update={"bench_fingerprint": f"0{manifest.bench_fingerprint}"}))
    assert call("score", tmp_path / "run") == 2
    assert "--bench" in capsys.readouterr().err
    assert not (tmp_path / "run" / VERDICTS).exists()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--model", "sim/reader?miss=2"), "miss"),
        (("--model", "sim/oracle", "--system", "magic"), "magic"),
        (("--model", "sim/oracle", "--samples", "0"), "samples"),
        (("--model", "sim/oracle", "--prices", "/nowhere"), "nowhere"),
        (("--model", "sim/oracle", "--corpus", "/nowhere"), "nowhere"),
        (
            ("--model", "gpt-4.1-mini"),
            "has no provider. Give a provider and a model, such as openai/gpt-4.1-mini;",
        ),
        (
            ("--model", "claude-sonnet-4.5"),
            "anthropic/claude-sonnet-4-5; or openai-api/mine/claude-sonnet-4.5 with --url for",
        ),
        (("--model", "claude-9"), "such as anthropic/claude-9;"),
        (("--model", "llama-3"), "such as together/llama-3, openrouter/llama-3 or ollama/llama-3;"),
        (
            ("--model", "openai/gpt-4.1-mini", "--reasoning-tokens", "1K"),
            "The API of 'openai/gpt-4.1-mini' takes no number of reasoning tokens.",
        ),
        (
            ("--model", "anthropic/claude-sonnet-4-5", "--reasoning-tokens", "2K"),
            "would leave no room for an answer. Give a larger --max-tokens, such as 4,096.",
        ),
    ],
)
def test_misuse_is_an_error_of_one_sentence(
    tiny_bench: Path, tmp_path: Path, words: tuple[str, ...], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("run", tiny_bench, "--out", tmp_path / "run", *words) == 2
    error = capsys.readouterr().err
    assert sentence in error
    assert error.count("\n") == 1
    assert not (tmp_path / "run").exists()


def test_no_run_or_no_bench_is_an_error(tiny_bench: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("score", tiny_bench) == 2
    assert "--answers" in capsys.readouterr().err
    assert call("run", tmp_path, "--model", "sim/oracle") == 2
    assert "There is no bench" in capsys.readouterr().err


def test_a_bench_of_a_newer_fathom_is_refused(
    tiny_bench: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    newer = tmp_path / "bench"
    newer.mkdir()
    manifest = json.loads((tiny_bench / "manifest.json").read_text()) | {"format": 99, "surprise": 1}
    (newer / "manifest.json").write_text(json.dumps(manifest))
    assert call("run", newer, "--model", "openai/gpt-4.1") == 2
    assert "newer version of Fathom" in capsys.readouterr().err
