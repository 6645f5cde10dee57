"""Authoring of puzzles: the stages in their order, the pages, baselines, and a bench of the result."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fathom.annotate.authoring import MAX_REVISIONS, AuthoringProject
from fathom.annotate.authoring_app import authoring_app
from fathom.annotate.project import Project
from fathom.api.authored_puzzles import create_authoring, export_puzzles, run_baselines
from fathom.records.authored_puzzles import AuthoredPuzzle
from fathom.records.errors import FathomError
from tests.annotate.conftest import Opening, serving
from tests.commands import run_command

DRAFT = {
    "question": "On which board did the energy fall more in percent?",
    "answer": "B",
    "checklist": ["The energy of board A fell by 51.0%.", "The energy of board B fell by 52.0%."],
    "operations": ["arithmetic", "comparison"],
}


@pytest.fixture
def folder(corpus: Path, tmp_path: Path) -> Path:
    """A project of two people."""
    create_authoring(corpus, tmp_path / "project", ["ada", "ben"])
    return tmp_path / "project"


def drafted(project: AuthoringProject, **changes: object) -> AuthoredPuzzle:
    return AuthoredPuzzle.model_validate({**DRAFT, "document": project.settings.documents[0], **changes})


def test_from_draft_to_consensus(folder: Path, tmp_path: Path) -> None:
    with AuthoringProject(folder) as project:
        id = project.draft("ada", drafted(project))
        with pytest.raises(FathomError, match="cannot add a review"):
            project.review(id, "ben", "B")
        project.baselines(id, {"small": True, "large": True})
        assert project.puzzles()[id].state == "too easy"
        with pytest.raises(FathomError, match="cannot add a revision"):
            project.revise(id, "ben", drafted(project), "mine")
        project.revise(id, "ada", drafted(project, question="Which board saved more energy in percent?"), "harder")
        project.baselines(id, {"small": False, "large": True})
        assert project.puzzles()[id].is_hidden_from("ben")
        with pytest.raises(FathomError, match="cannot add a review"):
            project.review(id, "ada", "B")
        assert not project.review(id, "ben", "A")
        assert not project.puzzles()[id].is_hidden_from("ben")
        with pytest.raises(FathomError, match="reason"):
            project.conclude(id, "rebuttal", "ada", " ")
        project.conclude(id, "rebuttal", "ada", "5.3 of 10.4 is less than 5.1 of 9.8")
        project.conclude(id, "consensus", "ben", "I had divided by the new value")
        assert project.puzzles()[id].state == "final"
        counts = project.stage_counts()
    assert counts.events == {"draft": 1, "baselines": 2, "revision": 1, "review": 1, "rebuttal": 1, "consensus": 1}
    assert (counts.solved_by_all, counts.disagreements) == (1, 1)
    assert export_puzzles(folder, tmp_path / "puzzles.jsonl") == 1
    printed = run_command("author", "counts", folder).stdout
    assert "1 puzzles: final 1" in printed


def test_what_stays_too_easy_is_discarded_and_what_is_disputed_can_be_rejected(folder: Path, tmp_path: Path) -> None:
    with AuthoringProject(folder) as project:
        easy, disputed = project.draft("ada", drafted(project)), project.draft("ben", drafted(project, question="And?"))
        for number in range(MAX_REVISIONS):
            project.baselines(easy, {"small": True})
            project.revise(easy, "ada", drafted(project, question=f"Version {number}?"), "harder")
        project.baselines(easy, {"small": True})
        assert project.puzzles()[easy].state == "discarded"
        project.baselines(disputed, {"small": False})
        assert not project.review(disputed, "ada", "B", "the question has two readings")
        project.conclude(disputed, "rebuttal", "ben", "it has one")
        project.conclude(disputed, "rejection", "ada", "no consensus")
        assert project.stage_counts().reasons == {
            "every baseline solves it after 3 revisions": 1,
            "no consensus": 1,
        }
    with pytest.raises(FathomError, match="is final"):
        export_puzzles(folder, tmp_path / "puzzles.jsonl")


def test_a_draft_needs_two_operations_and_a_document_of_the_project(folder: Path) -> None:
    with AuthoringProject(folder) as project:
        with pytest.raises(FathomError, match="two different operations"):
            project.draft("ada", drafted(project, operations=["arithmetic"]))
        with pytest.raises(FathomError, match="no document"):
            project.draft("ada", drafted(project, document="d-none"))
        with pytest.raises(ValueError, match="exactly one of the options"):
            drafted(project, options=["A", "C"])


def test_baselines_answer_new_puzzles(corpus: Path, folder: Path, tmp_path: Path) -> None:
    with AuthoringProject(folder) as project:
        id = project.draft("ada", drafted(project))
    assert run_baselines(folder, ["sim/oracle", "sim/null"]) == 1
    assert run_baselines(folder, ["sim/oracle"]) == 0
    with AuthoringProject(folder) as project:
        found = project.puzzles()[id]
        assert found.state == "needs review"
        assert found.events[-1].baselines == {"sim/oracle": True, "sim/null": False}
        project.review(id, "ben", "b")
    puzzles, bench = tmp_path / "puzzles.jsonl", tmp_path / "bench"
    assert "1 puzzles" in run_command("author", "export", folder, "--out", puzzles).stdout
    assert run_command("build", "puzzles", corpus, "--authored", puzzles, "--out", bench).returncode == 0
    assert "audit passed" in run_command("audit", bench).stdout


def test_the_answer_is_hidden_until_the_review(corpus: Path, folder: Path) -> None:
    with Project(folder) as project:
        ada, ben = project.token("ada"), project.token("ben")
    with serving(folder, lambda server: authoring_app(folder, corpus, lambda: server.port)) as served:
        status, _, content = served.request("POST", "/api/documents/1/puzzles", DRAFT, ada)
        assert status == 200
        id = json.loads(content)["id"]
        with AuthoringProject(folder) as opened:
            opened.baselines(id, {"small": False})
        before = served.request("GET", f"/puzzles/{id}", token=ben)[2].decode()
        assert "after you have given your own answer" in before
        assert "51.0%" not in before
        assert "51.0%" in served.request("GET", f"/puzzles/{id}", token=ada)[2].decode()
        assert served.request("POST", f"/api/puzzles/{id}/reviews", {"answer": "B"}, ada)[0] == 400
        assert json.loads(served.request("POST", f"/api/puzzles/{id}/reviews", {"answer": "B"}, ben)[2]) == {
            "agrees": True
        }
        assert "51.0%" in served.request("GET", f"/puzzles/{id}", token=ben)[2].decode()
        assert b"final 1" in served.request("GET", "/", token=ben)[2]
        assert served.request("GET", "/puzzles/none", token=ben)[0] == 404
        assert served.request("GET", "/documents/9", token=ben)[0] == 404


def test_a_puzzle_is_drafted_in_a_browser(corpus: Path, folder: Path, opening: Opening) -> None:
    with serving(folder, lambda server: authoring_app(folder, corpus, lambda: server.port)) as served:
        page = opening(served.link("ada"))
        page.get_by_role("link", name="Pruning").first.click()
        page.get_by_label("Question").fill(str(DRAFT["question"]))
        page.get_by_label("Answer", exact=True).fill("B")
        page.get_by_label("Checklist").fill("\n".join(DRAFT["checklist"]))
        page.get_by_label("arithmetic").check()
        page.get_by_role("button", name="Save the draft").click()
        page.get_by_text("at least two different operations").wait_for()
        page.get_by_label("comparison").check()
        page.get_by_role("button", name="Save the draft").click()
        page.get_by_text("needs baselines").wait_for()
        assert not page.evaluate("window.hacked")
