"""`fathom runs`: the state, progress, spending and accuracy of runs."""

from __future__ import annotations

import json
import re
import shutil
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from fathom.api.run_listing import RunListing, list_runs, run_details
from fathom.api.runs import open_run, run
from fathom.cli.runs import describe
from fathom.models.model_info import ModelInfo
from fathom.records.errors import FathomError
from fathom.records.questions import Response, Usage
from fathom.runs.folder import END, RunFolder, RunSession, lost_calls, read_run, selected_questions, spent_at_most
from fathom.tasks.bench import Bench
from tests.conftest import Fathom
from tests.pipeline import Pipeline, serving

CHECKSUM = re.compile(',"crc32":"[0-9a-f]{8}"')


def only(folder: Path) -> RunListing:
    [found] = list_runs(folder)
    return found


def test_runs_are_listed_newest_first_with_their_accuracy(tiny_bench: Path, tmp_path: Path, fathom: Fathom) -> None:
    for name, model in (("first", "sim/oracle"), ("study/second", "sim/reader?refuse=1"), ("third", "sim/null")):
        run(tiny_bench, model=model, limit=6, out=tmp_path / name)
    assert fathom("score", tmp_path / "first").returncode == 0
    verdicts = (tmp_path / "first" / "verdicts.jsonl").read_text()
    # What was scored is not scored again, and the list writes nothing.
    (tmp_path / "first" / "verdicts.jsonl").write_text(
        CHECKSUM.sub("", verdicts).replace('"correct"', '"incorrect"', 1)
    )
    before = sorted(str(path) for path in tmp_path.rglob("*"))
    done = fathom("runs", tmp_path, "--json")
    assert sorted(str(path) for path in tmp_path.rglob("*")) == before
    found = json.loads(done.stdout)
    assert [Path(one["folder"]).name for one in found] == ["third", "second", "first"]
    assert [one["state"] for one in found] == ["finished"] * 3
    assert found[1]["accuracy"] == 0.0
    assert found[2]["accuracy"] == pytest.approx(5 / 6)
    assert (found[2]["wanted"], found[2]["done"], found[2]["spent"]) == (6, 6, 0.0)
    shown = fathom("runs", tmp_path).stdout
    assert "3 runs (3 finished)" in shown
    assert "6 of 6    83.3%    $0.0000" in shown
    assert "study/second" in shown


def test_states(tiny_bench: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    run(tiny_bench, model="sim/oracle", limit=3, out=folder)
    manifest = read_run(folder)
    more = manifest.model_copy(update={"settings": manifest.settings.model_copy(update={"limit": 5})})
    with RunFolder(folder, more) as opened:
        opened.pay(Usage(price=0.5))
        assert (only(folder).state, only(folder).wanted, only(folder).done) == ("running", 5, 3)
        opened.stop("the budget is reached: $0.5000 of $0.50 is spent")
    listed = only(folder)
    assert (listed.state, listed.spent) == ("stopped", 0.5)
    assert listed.reason == "the budget is reached: $0.5000 of $0.50 is spent"
    with pytest.raises(KeyboardInterrupt), RunFolder(folder, more):
        raise KeyboardInterrupt
    assert only(folder).reason == "interrupted by Ctrl-C"
    (folder / END).unlink()
    assert only(folder).reason == "its process was killed"
    with RunFolder(folder, more):
        pass
    (folder / "run.json").write_text("{")
    assert only(folder).state == "unreadable"


def test_failed_responses_and_unknown_prices(tiny_bench: Path, tmp_path: Path) -> None:
    with serving(Pipeline(fault=lambda number, request: "garbage" if number == 2 else "")) as pipeline:
        run(tiny_bench, system=pipeline.url, limit=4, out=tmp_path / "run", connections=1)
    listed = only(tmp_path)
    assert (listed.state, listed.done, listed.errors, listed.has_unknown_prices) == ("stopped", 3, 1, True)
    assert "1 of 4 responses failed: The system returned an invalid answer" in (listed.reason or "")


def test_a_run_whose_bench_is_gone_is_listed(tiny_bench: Path, tmp_path: Path) -> None:
    shutil.copytree(tiny_bench, tmp_path / "bench")
    corpus = tiny_bench / json.loads((tiny_bench / "manifest.json").read_text())["corpus"]
    run(tmp_path / "bench", model="sim/oracle", limit=2, out=tmp_path / "runs" / "run", corpus=corpus)
    assert only(tmp_path / "runs").accuracy == 1.0
    shutil.rmtree(tmp_path / "bench")
    listed = only(tmp_path / "runs")
    assert (listed.state, listed.wanted, listed.done, listed.accuracy) == ("stopped", None, 2, None)
    with pytest.raises(FathomError, match="There is no folder"):
        list_runs(tmp_path / "nowhere")


def test_the_status_of_a_run_says_when_and_where_it_was_run(tiny_bench: Path, tmp_path: Path, fathom: Fathom) -> None:
    folder = tmp_path / "run"
    with serving(Pipeline(lambda request: {"answer": "Answer: 4"})) as served:
        run(tiny_bench, system=served.url, limit=2, out=folder)
    found = json.loads(fathom("status", folder, "--json").stdout)
    assert (found["run"]["state"], found["run"]["done"], found["outcomes"]) == ("finished", 2, {"answered": 2})
    [session] = found["sessions"]
    assert session["endpoint"] == served.url
    assert datetime.fromisoformat(session["started"]).tzinfo is not None
    shown = fathom("status", folder).stdout
    assert "finished, 2 of 2 responses" in shown
    assert f"at {served.url}" in shown


def test_the_status_of_a_working_run_estimates_its_end(tiny_bench: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    run(tiny_bench, model="sim/oracle", limit=2, out=folder)
    manifest = read_run(folder)
    more = manifest.model_copy(update={"settings": manifest.settings.model_copy(update={"limit": 6})})
    began = datetime.now(UTC) - timedelta(seconds=100)
    questions = [question.id for question in selected_questions(Bench(tiny_bench).all_questions(), more.settings)]
    known = {response.question_id for response in open_run(folder).responses()}
    with RunFolder(folder, more, RunSession(started=began.isoformat())) as opened:
        assert run_details(folder).seconds_left is None
        for question in [one for one in questions if one not in known][:2]:
            opened.append(Response(question_id=question, outcome="answered", text="4"))
        with opened.sending(Usage(price=0.25)) as mark:
            mark.begin()
            found = run_details(folder)
    assert (found.run.state, found.run.done, found.run.wanted, found.run.lost_calls) == ("running", 4, 6, 0)
    assert found.seconds == pytest.approx(100, abs=20)
    assert found.seconds_left == pytest.approx(found.seconds)
    assert [session.done for session in found.sessions] == [0, 2]


def test_calls_that_a_kill_lost_are_counted_and_limit_the_budget(tiny_bench: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    run(tiny_bench, model="sim/oracle", limit=2, out=folder)
    killed = folder / "sent.jsonl"
    with RunFolder(folder, read_run(folder)) as opened:
        opened.pay(Usage(price=0.5))
        with (
            opened.sending(Usage(price=0.25)) as mark,
            opened.sending(Usage(price=0.5)) as retried,
            opened.sending(Usage(price=1)),
        ):
            mark.begin()
            retried.begin()
            retried.end()
            at_kill = killed.read_bytes()
    assert not killed.exists()
    killed.write_bytes(at_kill)
    assert run_details(folder).run.lost_calls == 1
    assert "1 call got no complete answer (broken off, timed out or killed)" in describe(tmp_path, list_runs(tmp_path))
    assert spent_at_most(folder, ModelInfo()) == 0.75
    with (
        RunFolder(folder, read_run(folder)) as opened,
        pytest.raises(ValueError, match="no answer"),
        opened.sending(Usage(price=0.25)) as mark,
    ):
        mark.begin()
        raise ValueError("no answer")
    assert [call.price for call in lost_calls(folder)] == [0.25], "a later process keeps it"


def test_usage_without_a_price_counts_at_present_prices(tiny_bench: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    run(tiny_bench, model="sim/oracle", limit=2, out=folder)
    with RunFolder(folder, read_run(folder)) as opened:
        opened.pay(Usage(input_tokens=3_000_000, cached_tokens=1_000_000, output_tokens=10_000))
        with suppress(KeyboardInterrupt), opened.sending(Usage(input_tokens=500_000, output_tokens=2_000)) as mark:
            mark.begin()
            raise KeyboardInterrupt
    prices = ModelInfo(input_price=2.0, cached_price=0.5, output_price=100.0)
    assert spent_at_most(folder, ModelInfo()) == 0
    assert spent_at_most(folder, prices) == pytest.approx(4 + 0.5 + 1 + 1 + 0.2)
