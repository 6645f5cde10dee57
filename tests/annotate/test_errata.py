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
    wrong = next(one["question_id"] for one in verdicts if one["outcome"] == "incorrect")
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
