"""Two coders sort incorrect responses into categories of their own."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fathom.analysis.agreement import cohen_kappa
from fathom.analysis.error_coding import DISAGREEMENT
from fathom.annotate.coding_app import coding_app
from fathom.annotate.error_coding import Category, Code, ErrorCoding
from fathom.api.error_coding import coding_results, create_coding
from fathom.records.errors import FathomError
from fathom.runs.folder import read_run
from fathom.tasks.bench import Bench
from tests.annotate.conftest import Opening, problems, serving
from tests.commands import run_command
from tests.conftest import Fathom
from tests.sharing import SharedFolders

CATEGORIES = ("Miscounts: counts a thing twice", "Misses a document", "Other")
MANY, FEW = "run-that-fails-many", "run-that-fails-few"
NAMES = ["Miscounts", "Misses a document", "Other"]


@pytest.fixture(scope="session")
def failing_runs(tiny_bench: Path, build_once: SharedFolders) -> list[Path]:
    """Two runs that fail many questions, one of them half as many; never write to them."""

    def make(folder: Path) -> None:
        for name, rate in ((MANY, "0.9"), (FEW, "0.4")):
            assert (
                run_command("run", tiny_bench, "--model", f"sim/reader?miss={rate}", "--out", folder / name).returncode
                == 0
            )
            assert run_command("score", folder / name).returncode == 0

    folder = build_once("failing runs", make)
    return [folder / MANY, folder / FEW]


def outcomes(run: Path) -> dict[str, str]:
    lines = (run / "verdicts.jsonl").read_text().splitlines()
    return {one["question_id"]: one["outcome"] for one in map(json.loads, lines)}


def test_cases_are_the_wrong_responses_to_the_questions_drawn(failing_runs: list[Path], tmp_path: Path) -> None:
    many, few = (
        {id for id, outcome in outcomes(run).items() if outcome in ("incorrect", "unparseable")} for run in failing_runs
    )
    assert few & many < many
    both = create_coding(failing_runs, tmp_path / "all", "family", 100, coders=["ada"], failed_by="all")
    assert {case.question_id for case in both.cases} == many & few
    assert Counter(case.run for case in both.cases) == {MANY: len(many & few), FEW: len(many & few)}
    some = create_coding(failing_runs, tmp_path / "any", "family", 100, coders=["ada"])
    assert {(case.run, case.question_id) for case in some.cases} == {
        *((MANY, id) for id in many),
        *((FEW, id) for id in few),
    }
    assert some.available == {"numeric": len(many | few)}
    drawn = create_coding(failing_runs, tmp_path / "two", "skill", 1, coders=["ada"], seed=4)
    skills = {
        all_question.id: all_question.tags["skill"]
        for all_question in Bench(failing_bench(failing_runs)).all_questions()
    }
    assert Counter(skills[id] for id in {case.question_id for case in drawn.cases}) == dict.fromkeys(drawn.strata, 1)


def failing_bench(runs: list[Path]) -> Path:
    return (runs[0] / read_run(runs[0]).bench).resolve()


def test_results_are_what_the_codes_say(failing_runs: list[Path], tmp_path: Path, fathom: Fathom) -> None:
    folder = tmp_path / "coding"
    plan = create_coding(failing_runs, folder, "skill", 4, coders=["ada", "ben"], categories=CATEGORIES)
    pairs = []
    with ErrorCoding(folder) as coding:
        with pytest.raises(FathomError, match="no category"):
            coding.code(Code(coder="ada", place=0, category="Unknown"))
        with pytest.raises(FathomError, match="already"):
            coding.add_category(Category(name="other"))
        for index in range(len(plan.cases) - 1):
            first, second = index % 3, index % 3 if index % 4 else (index + 1) % 3
            # The first code of a coder is replaced: only the last one counts.
            coding.code(Code(coder="ada", place=index, category="Other"))
            coding.code(Code(coder="ada", place=index, category=NAMES[first]))
            coding.code(Code(coder="ben", place=index, category=NAMES[second]))
            pairs.append((first, second))
        coding.code(Code(coder="ada", place=len(plan.cases) - 1, category="Other"))
    found = coding_results(folder)
    overall = found.groups[0]
    agreed = Counter(NAMES[one] for one, two in pairs if one == two)
    assert (found.cases, found.open) == (len(plan.cases), 1)
    assert found.coders == {"ada": len(plan.cases), "ben": len(pairs)}
    assert overall.counts == {**agreed, DISAGREEMENT: sum(one != two for one, two in pairs)}
    assert sum(overall.counts.values()) == overall.cases == len(pairs)
    assert found.agreement is not None
    assert found.agreement.kappa is not None
    table = np.zeros((3, 3))
    for one, two in pairs:
        table[one, two] += 1
    assert found.agreement.kappa.value == pytest.approx(cohen_kappa(table))
    assert found.agreement.agreement.value == pytest.approx(sum(one == two for one, two in pairs) / len(pairs))
    by_run = {group.run: group for group in found.groups if group.run and not group.stratum}
    assert {name: one.cases for name, one in by_run.items()} == Counter(case.run for case in plan.cases[:-1])
    cells = [group for group in found.groups if group.run and group.stratum]
    assert sum(cell.cases for cell in cells) == len(pairs)
    printed = fathom("code", folder, "--results").stdout
    assert f"kappa {found.agreement.kappa.value:.2f}" in printed
    assert json.loads(fathom("code", folder, "--results", "--json").stdout)["open"] == 1


def test_misuse_is_one_sentence(failing_runs: list[Path], tmp_path: Path, fathom: Fathom) -> None:
    run, new = failing_runs[0], ("--out", tmp_path / "new", "--per", "skill=2")
    for words, message in (
        (("nothing",), "There is no 'nothing'"),
        ((run, "--results"), "not an error-coding project"),
        ((run,), "--out DIR and --per"),
        ((run, *new), "--annotator"),
        ((run, *new, "--annotator", "ada", "--per", "color=2"), "No question has the tag"),
        ((run, *new, "--annotator", "ada", "--category", "(x)"), "'(x)'"),
    ):
        done = fathom("code", *words)
        assert done.returncode == 2
        assert message in done.stderr


def test_a_coder_adds_a_category_and_codes_with_the_keyboard(
    failing_runs: list[Path], tmp_path: Path, opening: Opening
) -> None:
    folder = tmp_path / "coding"
    plan = create_coding(failing_runs[:1], folder, "family", 2, coders=["ada", "ben"])
    corpus = Bench(failing_bench(failing_runs)).corpus_folder
    with serving(folder, lambda server: coding_app(folder, corpus, lambda: server.port)) as served:
        with ErrorCoding(folder) as coding:
            token = coding.token("ada")
        assert served.request("GET", "/cases/1", token=token)[0] == 403
        page: Any = opening(served.link("ada"))
        page.wait_for_selector("html[data-ready]")
        assert problems(page) == []
        page.check("#attested")
        page.click("#attest button")
        page.click("a[href='/cases/1']")
        page.wait_for_selector("html[data-ready] #code")
        assert MANY not in page.inner_text("main")
        page.fill("#note", "a first <b>look</b>")
        page.fill("#category-name", "Miscounts <i>")
        page.keyboard.press("Enter")
        page.wait_for_selector("html[data-ready] input[name=category]")
        assert page.input_value("#note") == "a first <b>look</b>"
        assert problems(page) == []
        page.click("h1")
        page.keyboard.press("1")
        page.keyboard.press("Enter")
        page.wait_for_url("**/cases/2")
        assert served.request("POST", "/api/cases/9", {"category": "Miscounts <i>"}, token)[0] == 404
        assert served.request("POST", "/api/cases/1", {"category": "Unknown"}, token)[0] == 400
        assert served.request("POST", "/api/categories", {"name": "(bracket)"}, token)[0] == 400
        page.goto(page.url.replace("/cases/2", "/"))
        assert "1 of 2 coded" in page.inner_text("main")
    with ErrorCoding(folder) as coding:
        (code,) = coding.codes()
        assert (code.coder, code.category, code.note) == ("ada", "Miscounts <i>", "a first <b>look</b>")
        assert code.place == coding.order("ada")[0]
        assert sorted(coding.order("ben")) == list(range(len(plan.cases)))
