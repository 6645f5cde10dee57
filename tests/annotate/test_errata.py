"""An item is retired from the app, and every number is restated."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from fathom.annotate.project import Project, ProjectSettings
from fathom.annotate.review_app import review_app
from fathom.records.errors import FathomError
from fathom.tasks.bench import Bench
from fathom.tasks.errata import Erratum, add_erratum, current_errata, retired_questions
from tests.annotate.conftest import Opening, problems, serving
from tests.conftest import Fathom


def copied(bench: Path, folder: Path) -> Path:
    """A copy of a bench that may be changed, beside a link to its corpus."""
    shutil.copytree(bench, folder)
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["corpus"] = str(Bench(bench).corpus_folder)
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder


def test_a_retired_item_is_restated_everywhere(
    tiny_bench: Path, tmp_path: Path, opening: Opening, fathom: Fathom
) -> None:
    bench, run = copied(tiny_bench, tmp_path / "bench"), tmp_path / "run"
    assert fathom("run", bench, "--model", "sim/reader?miss=0.2", "--out", run).returncode == 0
    before = json.loads(fathom("score", run, "--json").stdout)
    assert "restated" not in before
    verdicts = [json.loads(line) for line in (run / "verdicts.jsonl").read_text().splitlines()]
    wrong = next(verdict["question_id"] for verdict in verdicts if verdict["outcome"] == "incorrect")
    ids = [question.id for question in Bench(bench).all_questions()]
    number = ids.index(wrong) + 1
    project = tmp_path / "review"
    with Project.create(project, ProjectSettings(corpus="..", corpus_fingerprint="", documents=())) as opened:
        opened.add_annotator("eve", ())
    corpus = Bench(bench).corpus_folder
    with serving(project, lambda server: review_app(project, bench, corpus, lambda: server.port)) as served:
        page = opening(served.link("eve"), color_scheme="dark")
        assert problems(page) == []
        page.goto(f"http://127.0.0.1:{served.port}/items/{number}")
        page.wait_for_selector("html[data-ready]")
        assert page.locator(".passage mark").count() > 0
        page.click("button[data-state=retired]")
        assert "reason" in page.inner_text("#saved")
        for state in ("disputed", "retired"):
            page.fill("#reason", "two readings <script>window.hacked = 1</script>")
            page.click(f"button[data-state={state}]")
            page.wait_for_selector(f"li .state.{state}")
        assert problems(page) == []
        page.goto(f"http://127.0.0.1:{served.port}/?only=errata")
        assert page.locator("tbody tr").count() == 1
        with Project(project) as opened:
            token = opened.token("eve")
        body = {"state": "retired", "reason": "   "}
        assert served.request("POST", f"/api/items/{number}/errata", body, token)[0] == 400
        body = {"state": "retired", "reason": "x"}
        assert served.request("POST", "/api/items/0/errata", body, token)[0] == 404
    assert retired_questions(bench) == {wrong}
    after = json.loads(fathom("score", run, "--json").stdout)
    assert after["scores"]["all"] == before["scores"]["all"]
    assert after["restated"]["questions"] == len(ids) - 1
    correct = before["scores"]["all"]["correct"]
    assert after["restated"]["accuracy"] == pytest.approx(correct / (len(ids) - 1))
    printed = fathom("score", run).stdout
    assert f"without 1 retired: {correct / (len(ids) - 1):.1%} of {len(ids) - 1}" in printed
    analyzed = fathom("analyze", run).stdout
    assert "1 retired" in analyzed
    assert f"Accuracy without them {correct / (len(ids) - 1):.1%}" in " ".join(analyzed.split())
    audited = fathom("audit", bench)
    assert audited.returncode == 0
    assert f"retired: {wrong} (eve: two readings" in audited.stdout


def test_errata_are_of_questions_of_the_bench_and_the_last_counts(tiny_bench: Path, tmp_path: Path) -> None:
    bench = copied(tiny_bench, tmp_path / "bench")
    first = next(Bench(bench).all_questions()).id
    for state in ("retired", "upheld"):
        add_erratum(bench, Erratum(question_id=first, state=state, reason="r", by="eve", at="2026"))
    assert current_errata(bench)[first].state == "upheld"
    assert retired_questions(bench) == frozenset()
    with pytest.raises(FathomError, match="no question"):
        add_erratum(bench, Erratum(question_id="q-none", state="disputed", reason="r", by="eve", at="2026"))


def test_disputes_of_a_report_page_are_imported_once_and_reviewed(
    tiny_bench: Path, tmp_path: Path, fathom: Fathom
) -> None:
    bench = copied(tiny_bench, tmp_path / "bench")
    first, second = [question.id for question in Bench(bench).all_questions()][:2]
    fingerprint = Bench(bench).manifest.fingerprint
    file = tmp_path / "disputes.jsonl"

    def dispute(question: str, of: str = fingerprint, by: str = "Eve") -> str:
        at = "2030-01-01T00:00:00Z"
        return json.dumps({"bench": of, "question_id": question, "reason": "A tie", "by": by, "at": at}) + "\n"

    words = ("--question", second, "--reason", "Wrong key", "--by", "Ada")
    assert fathom("errata", bench, *words, "--state", "retired").returncode == 0
    file.write_text(dispute(first) + dispute(second))
    assert "1 dispute added, 0 known, 1 of retired items" in fathom("errata", bench, "--import", file).stdout
    assert "0 disputes added, 1 known" in fathom("errata", bench, "--import", file).stdout
    assert {id: one.state for id, one in current_errata(bench).items()} == {second: "retired", first: "disputed"}
    listed = fathom("errata", bench).stdout
    assert "2 items with errata (disputed 1, upheld 0, retired 1)" in listed
    assert "next: fathom annotate" in listed
    with pytest.raises(FathomError, match="no question"):
        add_erratum(bench, Erratum(question_id="q-unknown", state="retired", reason="x", by="y", at="z"))
    before = (bench / "errata.jsonl").read_bytes()
    for content, message in (
        (dispute(first, of="other"), "is not about the bench"),
        (dispute(first, by="Cid") + dispute("q-unknown"), "no question"),
        ("{}\n", "disputes.jsonl"),
        (dispute(first, by="x" * 300), "disputes.jsonl"),
    ):
        file.write_text(content)
        refused = fathom("errata", bench, "--import", file)
        assert (refused.returncode, message in refused.stderr) == (2, True), refused.stderr
    assert fathom("errata", bench, "--question", first).returncode == 2
    assert fathom("errata", tmp_path / "nothing").returncode == 2
    assert (bench / "errata.jsonl").read_bytes() == before
