"""People check extracted values against the documents; a second person reviews what they do not confirm."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from fathom.annotate.value_check_app import value_check_app
from fathom.annotate.value_checks import ValueCheck, ValueChecks, assign_values
from fathom.api.value_checks import create_value_check, value_check_results
from fathom.corpus.store import Corpus
from fathom.records.errors import FathomError
from fathom.tasks.bench import Bench
from tests.annotate.conftest import Opening, problems, serving
from tests.conftest import Fathom
from tests.sharing import SharedFolders
from tests.tasks.tables.conftest import make_reports


@pytest.fixture(scope="session")
def reports_bench(build_once: SharedFolders) -> Path:
    """A bench over reports with figures; never write to it."""
    return build_once("housing reports", make_reports) / "bench"


def test_values_are_drawn_for_each_domain_and_printed_where_they_say(reports_bench: Path, tmp_path: Path) -> None:
    plan = create_value_check(reports_bench, tmp_path / "checks", "field", 3, people=["ada", "ben", "cid"], seed=2)
    assert set(plan.strata.values()) == {3}
    assert sorted(place for own in plan.first.values() for place in own) == list(range(len(plan.values)))
    with Corpus(Bench(reports_bench).corpus_folder) as corpus:
        for value in plan.values:
            printed = re.sub(r"\D", "", value.span.of(corpus.text(value.document))).strip("0")
            # "3.2 million" is 3,200,000: the digits that are printed are the first ones of the value.
            assert re.sub(r"\D", "", value.value).lstrip("0").startswith(printed)
    with pytest.raises(FathomError, match="No value has the tag 'skill'"):
        create_value_check(reports_bench, tmp_path / "other", "skill", 3)
    with pytest.raises(FathomError, match="second person"):
        assign_values(10, ["ada"])


@pytest.mark.parametrize("people", [["a", "b"], ["a", "b", "c"], ["a", "b", "c", "d", "e"]])
def test_the_second_review_is_never_by_the_first_person(reports_bench: Path, tmp_path: Path, people: list[str]) -> None:
    create_value_check(reports_bench, tmp_path / "checks", "domain", 24, people=people)
    seconds: dict[str, set[str]] = {}
    with ValueChecks(tmp_path / "checks") as checks:
        for name in people:
            for place in checks.plan.first[name]:
                checks.add(ValueCheck(person=name, place=place, step="first", verdict="incorrect", note="other"))
        for name in people:
            for task in checks.open_tasks(name):
                assert task.earlier is not None
                seconds.setdefault(task.earlier.person, set()).add(name)
    # The values of one person are spread over all of the others.
    assert seconds == {name: set(people) - {name} for name in people}


def test_results_are_what_the_checks_say(reports_bench: Path, tmp_path: Path, fathom: Fathom) -> None:
    folder = tmp_path / "checks"
    words = ("--values", "--per", "domain=20", "--out", folder, "--annotator", "ada", "--annotator", "ben")
    assert fathom("study", reports_bench, *words, "--no-server").returncode == 0
    with ValueChecks(folder) as checks:
        for name in ("ada", "ben"):
            for place in checks.plan.first[name]:
                verdict: Any = "incorrect" if place < 6 else "unclear" if place < 8 else "correct"
                if place != 19:
                    checks.add(ValueCheck(person=name, place=place, step="first", verdict=verdict, note="5"))
        for name in ("ada", "ben"):
            for task in checks.open_tasks(name):
                if task.step == "second" and task.place != 7:
                    decided: Any = "correct" if task.place < 2 else "unclear" if task.place == 6 else "incorrect"
                    checks.add(ValueCheck(person=name, place=task.place, step="second", verdict=decided, note="5"))
        with pytest.raises(FathomError, match="already"):
            checks.add(ValueCheck(person="ada", place=0, step="first", verdict="correct"))
    overall = value_check_results(folder).groups[0]
    # 20 values: 11 confirmed at once, 2 after the review, 4 wrong, 1 unclear, 1 waits for review, 1 is not checked.
    counts = (overall.values, overall.correct, overall.incorrect, overall.unclear, overall.open)
    assert counts == (20, 13, 4, 1, 2)
    assert (overall.reviewed, overall.overruled) == (7, 2)
    assert overall.accuracy is not None
    assert overall.accuracy.value == pytest.approx(13 / 17)
    assert f"{13 / 17:.1%}" in fathom("study", folder, "--results").stdout
    assert json.loads(fathom("study", folder, "--results", "--json").stdout)["groups"][0]["open"] == 2
    refused = fathom("study", folder, "--values", "--controls", 2)
    assert (refused.returncode, "--controls applies to questions" in refused.stderr) == (2, True)


def test_people_check_values_in_a_browser(reports_bench: Path, tmp_path: Path, opening: Opening) -> None:
    folder = tmp_path / "checks"
    plan = create_value_check(reports_bench, folder, "domain", 2, people=["ada", "ben"])
    corpus = Bench(reports_bench).corpus_folder
    with serving(folder, lambda server: value_check_app(folder, corpus, lambda: server.port)) as served:
        with ValueChecks(folder) as checks:
            token = checks.token("ada")
        assert served.request("POST", "/api/values/0", {"step": "first", "verdict": "correct"}, token)[0] == 403
        ada: Any = opening(served.link("ada"))
        assert problems(ada) == []
        ada.check("#attested")
        ada.click("#attest button")
        ada.wait_for_selector("html[data-ready] #find")
        # The document itself is checked on its own page; a long one takes axe half a minute.
        assert problems(ada, exclude="#text") == []
        with Corpus(corpus) as documents:
            printed = plan.values[0].span.of(documents.text(plan.values[0].document))
        shown = "[...CSS.highlights.get('mark-claim')].map((range) => range.toString()).join('')"
        assert ada.evaluate(shown) == printed
        assert plan.values[0].value in ada.inner_text(".codebook")
        ada.keyboard.press("2")
        assert "Write what" in ada.inner_text("#saved")
        ada.fill("#note", "it says <b>7</b>")
        ada.click("button[data-verdict=incorrect]")
        ada.wait_for_selector("text=You checked 1 value")
        assert problems(ada) == []
        ben: Any = opening(served.link("ben"))
        ben.check("#attested")
        ben.click("#attest button")
        ben.wait_for_selector("html[data-ready] main[data-step=first]")
        ben.keyboard.press("1")
        ben.wait_for_selector("html[data-ready] main[data-step=second]")
        assert "it says <b>7</b>" in ben.inner_text(".codebook")
        ben.keyboard.press("1")
        ben.wait_for_selector("text=You checked 2 values")
    overall = value_check_results(folder).groups[0]
    assert (overall.correct, overall.overruled, overall.open) == (2, 1, 0)
