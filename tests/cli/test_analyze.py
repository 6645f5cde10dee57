"""`fathom analyze` and `fathom compare`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fathom.analysis.findings import Findings, ItemFinding
from fathom.records.files import read_records
from tests.analysis.conftest import done
from tests.conftest import Fathom


@pytest.fixture(scope="module")
def two_runs(small_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("analyzed")
    contexts = folder / "contexts.jsonl"
    corpus, bench = str(small_folder), str(folder / "bench")
    assert done("contexts", corpus, "--lengths", "64K", "--count", "10", "--out", str(contexts)) == 0
    assert done("build", "numeric", corpus, "--contexts", str(contexts), "--out", bench, "--questions", "6") == 0
    for name, model in (("good", "sim/reader?miss=0.05"), ("poor", "sim/reader?miss=0.4&reverse=0.5&timeout=0.1")):
        assert done("run", bench, "--model", model, "--out", str(folder / name)) in (0, 1)
        assert done("score", str(folder / name)) == 0
    return folder / "good", folder / "poor"


def test_analyze_prints_the_main_findings(fathom: Fathom, two_runs: tuple[Path, Path]) -> None:
    said = fathom("analyze", *two_runs, "--by", "skill,topic")
    assert said.returncode == 0, said.stderr
    page = said.stdout
    for words in (
        "60 questions, 10 contexts",
        "accuracy (95% CI)",
        "by skill",
        "by topic",
        "error patterns",
        "likely causes of incorrect answers",
        "miss-document",
        "Pairwise comparisons",
        "Baselines and controls",
        "error",
        "Note: ",
    ):
        assert words in page
    assert "by length" not in page
    assert max(map(len, page.splitlines())) < 200


def test_json_and_files_have_the_same_findings(fathom: Fathom, two_runs: tuple[Path, Path], tmp_path: Path) -> None:
    out, items = tmp_path / "findings.json", tmp_path / "items.jsonl"
    said = fathom("analyze", *two_runs, "--json", "--out", out, "--items", items)
    assert said.returncode == 0, said.stderr
    found = Findings.model_validate_json(said.stdout)
    assert found == Findings.model_validate_json(out.read_bytes())
    assert len(list(read_records(items, ItemFinding))) == 120


def test_compare(fathom: Fathom, two_runs: tuple[Path, Path]) -> None:
    said = fathom("compare", *two_runs)
    assert said.returncode == 0, said.stderr
    assert "good is better by" in said.stdout
    assert "both correct" in said.stdout
    printed = json.loads(fathom("compare", *two_runs, "--json").stdout)
    assert printed["comparisons"][0]["first"] == "good"


def test_a_run_given_twice_is_analyzed_once_with_a_note(fathom: Fathom, two_runs: tuple[Path, Path]) -> None:
    said = fathom("analyze", two_runs[0], two_runs[0], "--json")
    findings = json.loads(said.stdout)
    assert len(findings["runs"]) == 1
    assert any("more than once" in note for note in findings["notes"])


def test_misuse_prints_one_sentence(fathom: Fathom, two_runs: tuple[Path, Path], tmp_path: Path) -> None:
    for words in (
        ("analyze", tmp_path / "none"),
        ("compare", two_runs[0], tmp_path),
        ("analyze", two_runs[0], "--bench", tmp_path),
        ("analyze", two_runs[0], "--by", "color"),
        ("analyze", two_runs[0], "--out", tmp_path / "no" / "such" / "folder.json"),
    ):
        said = fathom(*words)
        assert said.returncode == 2
        assert said.stderr.startswith("fathom: ")
        assert said.stderr.count("\n") == 1
        assert "Traceback" not in said.stderr


def test_control_characters_in_names_are_escaped(fathom: Fathom, two_runs: tuple[Path, Path], tmp_path: Path) -> None:
    manifest = json.loads((two_runs[0] / "run.json").read_text())
    folder = tmp_path / "run"
    folder.mkdir()
    del manifest["crc32"]
    manifest |= {"model": "evil\x1b[2J", "bench": str(two_runs[0].parent / "bench")}
    (folder / "run.json").write_text(json.dumps(manifest))
    (folder / "responses.jsonl").write_bytes((two_runs[0] / "responses.jsonl").read_bytes())
    said = fathom("analyze", folder)
    assert said.returncode == 0, said.stderr
    assert "\x1b" not in said.stdout
    assert "evil\\x1b[2J" in said.stdout
