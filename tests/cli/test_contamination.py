"""`fathom swap`, `fathom contamination`, and the warning about documents that a model may have memorized."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from fathom.cli.main import main
from fathom.contexts.files import FILE_NAME, write_contexts
from fathom.contexts.sampling import SamplingSettings
from fathom.corpus.generate import Recipe, generate
from fathom.corpus.store import Corpus, CorpusWriter, pack
from fathom.tasks.building import BuildInputs, build
from tests.commands import run_command
from tests.sharing import SharedFolders


def call(*words: object) -> int:
    try:
        return main([str(word) for word in words])
    except SystemExit as end:
        return int(end.code or 0)


@pytest.fixture(scope="module")
def ran(build_once: SharedFolders) -> Path:
    """Runs of a simulated memorizer and a reader, on probes and on a bench before and after its swap; never write here.

    The corpus is small, since a swap writes all of it. The output of the swap is in swap.txt.
    """

    def make(folder: Path) -> None:
        small, bench = folder / "corpus", folder / "asked"
        generate(small, Recipe(seed=3, documents=16))
        with Corpus(small) as corpus:
            write_contexts(corpus, SamplingSettings(lengths=(65_536,), count=3), small / FILE_NAME)
        build(BuildInputs(small, small / FILE_NAME, {"numeric": {"questions": 8}}, 1), bench)
        build(BuildInputs(small, Path("none"), {"memorization": {}}, 0), folder / "probes")
        swapped = run_command("swap", bench, "--out", folder / "swapped")
        assert swapped.returncode == 0, swapped.stderr
        (folder / "swap.txt").write_text(swapped.stdout)
        for name, run_on in (("probes", folder / "probes"), ("swapped", folder / "swapped"), ("bench", bench)):
            for model in ("memorizer", "reader"):
                assert call("run", run_on, "--model", f"sim/{model}", "--out", folder / f"{name}-{model}") == 0

    return build_once("known", make)


def found(capsys: pytest.CaptureFixture[str], *runs: Path) -> dict[str, Any]:
    capsys.readouterr()
    assert call("contamination", *runs, "--json") == 0
    result: dict[str, Any] = json.loads(capsys.readouterr().out)
    return result


def test_memorizer_and_reader_are_opposites(ran: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for model, memorized in (("memorizer", 1.0), ("reader", 0.0)):
        runs = [ran / f"{name}-{model}" for name in ("probes", "bench", "swapped")]
        result = found(capsys, *runs)
        assert set(result) == {str(runs[0]), str(runs[2])}
        probes = result[str(runs[0])]["probes"]
        assert {task: probed["overall"]["value"] for task, probed in probes.items()} == {
            "citation": memorized,
            "title": memorized,
        }
        swapped = result[str(runs[2])]["swapped"]
        assert swapped["context_accuracy"]["value"] == 1.0 - memorized
        assert swapped["memorized"]["value"] == memorized
        assert swapped["before"]["value"] == 1.0
        assert swapped["drop"]["value"] == memorized


def test_contamination_is_printed(ran: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert call("contamination", ran / "swapped-reader", ran / "bench-reader", ran / "probes-reader") == 0
    said = capsys.readouterr().out
    for words in ("context-attributable  100.0%", "memorized  ", "drop  ", "citation probes", "no trend"):
        assert words in said


def test_another_models_run_is_not_the_original(ran: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("contamination", ran / "swapped-reader", ran / "bench-memorizer") == 2
    assert "neither on memorization probes nor on a swapped bench" in capsys.readouterr().err
    alone = found(capsys, ran / "swapped-reader")[str(ran / "swapped-reader")]["swapped"]
    assert alone["before"] is None


def test_refuses_a_folder_that_is_not_a_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("contamination", tmp_path / "none") == 2
    assert "There is no run" in capsys.readouterr().err
    assert call("contamination") == 2


def test_swap_reports_changed_answers(ran: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # A swap resumes with the documents that are swapped already.
    shutil.copytree(ran / "swapped" / "corpus", tmp_path / "again" / "corpus")
    capsys.readouterr()
    assert call("swap", ran / "asked", "--out", tmp_path / "again", "--json") == 0
    manifest = json.loads(capsys.readouterr().out)
    result = manifest["reports"]["swap"]
    assert result["answers that changed"] + result["answers that no swap can change"] == manifest["questions"]
    assert f"{result['answers that changed']} answers changed" in (ran / "swap.txt").read_text()


# The warning.


@pytest.fixture(scope="module")
def ingested(small_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bench over a corpus that claims to be ingested."""
    folder = tmp_path_factory.mktemp("dated")
    with Corpus(small_folder) as corpus, CorpusWriter(folder / "corpus", {"command": "ingest"}) as writer:
        for number, document in enumerate(corpus.documents()):
            writer.add(pack(document.model_copy(update={"year": (2019, 2024, 2026, None)[number % 4]})))
        writer.finish()
    with Corpus(folder / "corpus") as corpus:
        write_contexts(corpus, SamplingSettings(lengths=(65_536,), count=8), folder / "corpus" / FILE_NAME)
    build(
        BuildInputs(folder / "corpus", folder / "corpus" / FILE_NAME, {"numeric": {"questions": 2}}, 1),
        folder / "bench",
    )
    return folder / "bench"


def test_plan_warns_about_documents_before_the_cutoff(ingested: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown = {place["document"] for line in _lines(ingested / "contexts.jsonl") for place in line["places"]}
    with Corpus(ingested.parent / "corpus") as corpus:
        years = [listed.year for listed in corpus.entries() if listed.id in shown]
    assert call("plan", ingested, "--model", "openai/gpt-4.1-mini") == 0
    said = capsys.readouterr()
    assert f"{years.count(2019)} of the {len(years)} documents" in said.err
    assert "before 2024-06" in said.err
    assert f"{years.count(None)} more are undated" in said.err
    assert said.err.count("\n") == 1
    assert "warning" not in said.out


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_the_cutoff_comes_from_the_price_table(
    ingested: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "mine.toml"
    table.write_text('[models."mine/m"]\nwindow = 1000000\ncutoff = "2015-01"\n')
    assert call("plan", ingested, "--model", "mine/m", "--prices", table) == 0
    assert "warning" not in capsys.readouterr().err
    table.write_text('[models."mine/m"]\nwindow = 1000000\ncutoff = "2025-12"\n')
    assert call("plan", ingested, "--model", "mine/m", "--prices", table) == 0
    assert "before 2025-12" in capsys.readouterr().err
    table.write_text('[models."mine/m"]\nwindow = 1000000\ncutoff = "last summer"\n')
    assert call("plan", ingested, "--model", "mine/m", "--prices", table) == 2


def test_run_warns_like_plan(ingested: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "mine.toml"
    table.write_text('[models."sim/oracle"]\nwindow = 100000000\ncutoff = "2022-01"\n')
    assert call("run", ingested, "--model", "sim/oracle", "--prices", table, "--out", tmp_path / "run") == 0
    assert "may have memorized them" in capsys.readouterr().err


def test_no_warning_about_generated_documents(tiny_bench: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("plan", tiny_bench, "--model", "openai/gpt-4.1-mini") == 0
    assert "warning" not in capsys.readouterr().err
