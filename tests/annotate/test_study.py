"""A study with scripted people of known error rates."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from pathlib import Path
from random import Random
from typing import Any

import pytest

from fathom.annotate.study import Study, assign_tasks, draw_sample, with_code
from fathom.annotate.study_app import parts_of, study_app, tables_of
from fathom.api.studies import create_study, study_results
from fathom.records.errors import FathomError
from fathom.records.questions import Question
from fathom.scoring.answer_types.format import written
from fathom.tasks.bench import Bench
from tests.annotate.conftest import Opening, problems, serving
from tests.annotate.scripted_people import simulate
from tests.conftest import Fathom

PEOPLE = {"ada": 0.0, "ben": 0.3, "cid": 0.6}
"""People with their error rates."""


def questions(count: int = 40) -> list[Question]:
    return [
        Question(id=f"q-{n}", family="numeric", context_id=f"c-{n % 8}", text="?", tags={"skill": "ab"[n % 2]})
        for n in range(count)
    ]


def test_tables_keep_every_cell_wherever_the_code_is() -> None:
    material = (
        'Table one\na,b\n1,"x, y"\n2,NULL\n\nCREATE TABLE two (\n  c TEXT, -- name\n  d REAL -- sum\n);\n\nc,d\nz,3\n\n'
    )
    lines = material.split("\n")
    for index in range(len(lines)):
        tables = tables_of("\n".join([*lines[:index], "Control code: 12345", *lines[index:]]))
        named = [(table.title, table.columns) for table in tables if table.title]
        assert named == [("Table one", ["a", "b"]), ("Table two", ["c", "d"])]
        rows = [row for table in tables for row in (*table.rows, *([line] for line in table.definition))]
        cells = [
            ["1", "x, y"],
            ["2", "NULL"],
            ["Control code: 12345"],
            ["c TEXT, -- name"],
            ["d REAL -- sum"],
            ["z", "3"],
        ]
        assert sorted(rows) == cells


@pytest.mark.parametrize("seed", range(10))
def test_the_sample_is_stratified_and_everybody_gets_rounds_with_controls(seed: int) -> None:
    sample = draw_sample(questions(), "skill", 6, seed)
    assert {value: len(found) for value, found in sample.drawn.items()} == {"a": 6, "b": 6}
    assert sample == draw_sample(questions(), "skill", 6, seed)
    drawn = sample.all()
    tasks = assign_tasks(drawn, ["a", "b", "c", "d"], 3, 3, 1, seed)
    asked = Counter(one.question_id for mine in tasks.values() for one in mine if not one.control)
    assert set(asked.values()) == {3}
    assert len(asked) == 12
    for mine in tasks.values():
        assert len({one.question_id for one in mine if not one.control}) == 9
        assert [sum(bool(one.control) for one in mine if one.round == number) for number in range(3)] == [1, 1, 1]
    with pytest.raises(FathomError, match="No question has the tag"):
        draw_sample(questions(), "level", 6, seed)
    with pytest.raises(FathomError, match="people"):
        assign_tasks(drawn, ["a", "a"], 2, 3, 1, seed)


def test_a_code_is_one_line_of_the_material() -> None:
    lines = with_code("one\ntwo\nthree", "12345").split("\n")
    assert sorted(lines) == ["Control code: 12345", "one", "three", "two"]


def test_material_is_divided_before_every_document_and_nothing_is_lost() -> None:
    material = "Read this.\n===== Paper\ntext ===== here\n===== Candidate 1\none\n"
    parts = parts_of(material)
    assert [part.title for part in parts] == ["", "Paper", "Candidate 1"]
    assert "".join(part.text for part in parts) == material
    assert [part.text for part in parts_of("a table")] == ["a table"]
    assert [part.title for part in parts_of("===== Paper\ntext")] == ["", "Paper"]


def wrong_answers(bench: Path) -> dict[str, list[str]]:
    """Three incorrect answers to each question, all different."""
    return {key.question_id: [f"{77_000 + n}" for n in range(3)] for key in Bench(bench).all_keys()}


def test_results_are_what_the_arithmetic_says(tiny_bench: Path, tmp_path: Path, fathom: Fathom) -> None:
    folder, run = tmp_path / "study", tmp_path / "run"
    plan = create_study(tiny_bench, folder, "family", 20, people=list(PEOPLE), show="tables", seed=3)
    keys = {key.question_id: written(key.answer) for key in Bench(tiny_bench).all_keys()}
    wrong = wrong_answers(tiny_bench)
    rng = Random(5)
    correct: dict[str, list[bool]] = defaultdict(list)
    excluded: set[tuple[str, int]] = {("cid", 0), ("ben", 2)}
    gave_up = 0
    with Study(folder) as study:
        for number, (person, rate) in enumerate(PEOPLE.items()):
            for index, task in enumerate(plan.tasks[person]):
                study.show(person, index)
                if task.control:
                    passed = (person, task.round) not in excluded
                    study.answer(person, index, task.control if passed else "00000", gave_up=False)
                    continue
                fails = rng.random() < rate
                surrenders = fails and rng.random() < 0.2
                text = wrong[task.question_id][number] if fails else keys[task.question_id]
                study.answer(person, index, text, gave_up=surrenders)
                if (person, task.round) not in excluded:
                    correct[task.question_id].append(not fails)
                    gave_up += surrenders
    found = study_results(folder)
    overall = found.groups[0]
    values = [one for some in correct.values() for one in some]
    several = [some for some in correct.values() if len(some) > 1]
    assert (found.rounds, found.excluded_rounds, found.excluded_answers, found.open_tasks) == (21, 2, 6, 0)
    assert overall.answers == len(values) == 54
    assert overall.accuracy.value == pytest.approx(sum(values) / len(values))
    # Incorrect answers differ, so that two answers are equal if and only if both are correct.
    aligned = sum(sum(some) > 1 for some in several) / len(several)
    assert overall.alignment is not None
    assert overall.agreement is not None
    assert overall.alignment.value == pytest.approx(aligned)
    assert overall.agreement.value == pytest.approx(aligned)
    assert overall.alignment.low <= aligned <= overall.alignment.high
    assert overall.gave_up == gave_up > 0
    # The same items beside a run, whose accuracy on them is known from its verdicts.
    assert fathom("run", tiny_bench, "--model", "sim/reader?miss=0.3", "--out", run).returncode == 0
    assert fathom("score", run).returncode == 0
    lines = (run / "verdicts.jsonl").read_text().splitlines()
    verdicts = {one["question_id"]: one["outcome"] for one in map(json.loads, lines)}
    expected = sum(verdicts[id] == "correct" for id in plan.questions) / len(plan.questions)
    beside = study_results(folder, [run]).groups[0].runs["run"]
    assert beside.value == pytest.approx(expected)
    printed = fathom("study", folder, "--results", "--run", run).stdout
    assert "2 of 21 rounds excluded" in printed
    assert f"{overall.accuracy.value:.1%}" in printed


def test_a_late_answer_is_a_timeout_and_each_task_is_answered_once(tiny_bench: Path, tmp_path: Path) -> None:
    folder = tmp_path / "study"
    create_study(tiny_bench, folder, "family", 2, answers=1, controls=0, show="tables", time_limit=60)
    with Study(folder) as study:
        with pytest.raises(FathomError, match="not shown"):
            study.answer("person-1", 0, "4", gave_up=False)
        study.show("person-1", 0)
        study._db.execute("UPDATE answers SET shown = '2020-01-01T00:00:00.000+00:00'")
        study.answer("person-1", 0, "4", gave_up=False)
        with pytest.raises(FathomError, match="already"):
            study.answer("person-1", 0, "4", gave_up=False)
        assert [answer.state for answer in study.answers()] == ["timeout"]
    assert study_results(folder).groups[0].timeouts == 1


def test_people_answer_in_a_browser(tiny_bench: Path, tmp_path: Path, opening: Opening) -> None:
    folder = tmp_path / "study"
    plan = create_study(
        tiny_bench, folder, "family", 2, people=["ada"], answers=1, per_round=2, show="tables", time_limit=600
    )
    keys = {key.question_id: written(key.answer) for key in Bench(tiny_bench).all_keys()}
    corpus = Bench(tiny_bench).corpus_folder
    with serving(folder, lambda server: study_app(folder, corpus, lambda: server.port)) as served:
        page: Any = opening(served.link("ada"))
        assert problems(page) == []
        page.check("#attested")
        page.click("#attest button")
        for number, task in enumerate(plan.tasks["ada"]):
            page.wait_for_selector(f"html[data-ready] main[data-place='{number}']")
            assert "left" in page.inner_text("#time")
            material = page.inner_text(".material")
            assert page.locator(".material thead").count() == 3
            if number == 0:
                assert problems(page) == []
                page.click("#send")
                page.wait_for_selector("#saved.failed")
                page.fill("#answer", "a draft")
                page.reload()
                page.wait_for_selector("html[data-ready]")
                assert page.input_value("#answer") == "a draft"
                page.click("#give-up")
                page.wait_for_selector("#keep:focus")
                assert problems(page) == []
                page.keyboard.press("Escape")
                assert page.is_hidden("#confirm")
            code = task.control and material.split("Control code: ")[1][:5]
            page.fill("#answer", code or keys[task.question_id])
            page.click("#send")
        page.wait_for_selector("text=Thank you")
        assert problems(page) == []
        with Study(folder) as study:
            token = study.token("ada")
        assert served.request("POST", "/api/tasks/0", {"text": "again"}, token)[0] == 400
    assert study_results(folder).groups[0].accuracy.value == 1.0


def test_scripted_people_in_a_browser_reach_what_the_arithmetic_predicts(
    tiny_bench: Path, tmp_path: Path, browser: Any
) -> None:
    results, expected = simulate(tiny_bench, tmp_path / "study", browser, "family", 3, seed=1)
    assert expected.excluded_rounds > 0
    assert expected.differences(results) == []
