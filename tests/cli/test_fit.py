"""`fathom fit`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from fathom.cli.main import main
from fathom.contexts.files import FILE_NAME, write_contexts
from fathom.contexts.sampling import SamplingSettings
from fathom.corpus.store import Corpus
from fathom.tasks.bench import Bench
from fathom.tasks.building import BuildInputs, build
from tests.conftest import Fathom


@pytest.fixture(scope="module")
def bench_folder(small_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three contexts of 64K tokens and three of 128K."""
    folder = tmp_path_factory.mktemp("fit")
    with Corpus(small_folder) as corpus:
        write_contexts(corpus, SamplingSettings(lengths=(65_536, 131_072), count=3), folder / FILE_NAME)
    build(BuildInputs(small_folder, folder / FILE_NAME, {"numeric": {}}, 1), folder / "bench")
    return folder / "bench"


def test_a_fitted_bench_passes_its_audit(bench_folder: Path, tmp_path: Path, fathom: Fathom) -> None:
    out = tmp_path / "fitted"
    done = fathom("fit", bench_folder, "--window", "100K", "--out", out)
    assert done.returncode == 0, done.stderr
    assert f"{out}: " in done.stdout
    assert "fitted to 100K tokens, 2K of them for the response" in done.stdout
    assert "recomputed on fewer documents" in done.stdout
    said = Bench(out).manifest.fit
    assert said is not None
    for reason, count in said.refused.items():
        assert f"{count:,} left out: {reason}" in done.stdout
    proved = fathom("audit", out)
    assert proved.returncode == 0, proved.stdout


def test_a_run_finds_that_everything_fits(bench_folder: Path, tmp_path: Path, fathom: Fathom) -> None:
    model = ("--model", "openai-api/mine/llama", "--window", "100K")
    before = json.loads(fathom("plan", bench_folder, *model, "--json").stdout)
    assert before["overflow"]
    assert fathom("fit", bench_folder, *model, "--out", tmp_path / "b").returncode == 0
    for prompting in ("direct", "cot"):
        after = json.loads(fathom("plan", tmp_path / "b", *model, "--prompting", prompting, "--json").stdout)
        assert after["overflow"] == []
        assert after["questions"] > 30


def test_a_plan_and_a_run_name_the_command_that_shortens_the_bench(
    bench_folder: Path, tmp_path: Path, fathom: Fathom, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MINE_API_KEY", "none")
    model = ("--model", "openai-api/mine/llama", "--window", "100K")
    words = f"fathom fit {bench_folder} --window 100K --model openai-api/mine/llama --out {bench_folder}-fitted"
    assert words in fathom("plan", bench_folder, *model).stdout
    small = ("--window", "8K", "--max-tokens", "1024", "--out", tmp_path / "run")
    refused = fathom("run", bench_folder, *model[:2], *small)
    assert refused.returncode == 2
    assert "--window 8K --model openai-api/mine/llama --reserve 1K --out" in refused.stderr


def test_the_manifest_as_json(bench_folder: Path, tmp_path: Path, fathom: Fathom) -> None:
    words = ("--window", "90K", "--reserve", "8K", "--model", "openai/gpt-4o", "--json")
    done = fathom("fit", bench_folder, *words, "--out", tmp_path / "b")
    manifest = json.loads(done.stdout)
    assert manifest == json.loads((tmp_path / "b" / "manifest.json").read_text())
    said = manifest["fit"]
    assert (said["window"], said["reserve"], said["model"]) == (92_160, 8_192, "openai/gpt-4o")
    assert said["built"] == said["unchanged"] + said["recomputed"] + sum(said["refused"].values())


def test_a_window_that_is_too_small(bench_folder: Path, tmp_path: Path, fathom: Fathom) -> None:
    done = fathom("fit", bench_folder, "--window", "8K", "--out", tmp_path / "b")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("fathom: No question of ")
    assert "Give a larger --window" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_same_command_again_does_nothing(bench_folder: Path, tmp_path: Path, fathom: Fathom) -> None:
    out = tmp_path / "b"
    first = fathom("fit", bench_folder, "--window", "100K", "--out", out)
    before = {path: path.stat().st_mtime_ns for path in out.iterdir()}
    again = fathom("fit", bench_folder, "--window", "100K", "--out", out)
    assert (again.returncode, again.stdout) == (0, first.stdout)
    assert {path: path.stat().st_mtime_ns for path in out.iterdir()} == before
    other = fathom("fit", bench_folder, "--window", "90K", "--out", out)
    assert other.returncode == 2
    assert "is not empty" in other.stderr


def test_refuses_a_folder_that_is_not_empty(bench_folder: Path, fathom: Fathom) -> None:
    done = fathom("fit", bench_folder, "--window", "100K", "--out", bench_folder)
    assert done.returncode == 2
    assert "is not empty" in done.stderr


def test_an_interrupt_says_that_nothing_was_written(
    bench_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    @contextmanager
    def stopping(label: str, total: int) -> Iterator[Callable[[int], None]]:
        def show(done: int) -> None:
            if done == 2:
                assert list((tmp_path / "b").iterdir())
                raise KeyboardInterrupt

        yield show

    monkeypatch.setattr("fathom.cli.fit.progress_bar", stopping)
    with pytest.raises(SystemExit) as end:
        main(["fit", str(bench_folder), "--window", "100K", "--out", str(tmp_path / "b")])
    assert end.value.code == 130
    said = capsys.readouterr()
    assert (said.out, said.err) == (
        "",
        "fathom: interrupted. No bench was written; run the same command to start again.\n",
    )
    assert list(tmp_path.iterdir()) == []


def test_no_bench(tmp_path: Path, fathom: Fathom) -> None:
    done = fathom("fit", tmp_path / "nothing", "--window", "100K", "--out", tmp_path / "b")
    assert done.returncode == 2
    assert "There is no bench" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_corpus_that_was_moved(bench_folder: Path, small_folder: Path, tmp_path: Path, fathom: Fathom) -> None:
    moved = tmp_path / "elsewhere" / "bench"
    moved.mkdir(parents=True)
    for file in bench_folder.iterdir():
        (moved / file.name).write_bytes(file.read_bytes())
    words = ("fit", moved, "--window", "100K", "--out", tmp_path / "b")
    refused = fathom(*words)
    assert refused.returncode == 2
    assert "Give its folder with --corpus" in refused.stderr
    assert fathom(*words, "--corpus", small_folder).returncode == 0
    assert Bench(tmp_path / "b").corpus_folder.samefile(small_folder)
