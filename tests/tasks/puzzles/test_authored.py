"""Puzzles that people wrote: items, verdicts with and without a judge, and the import of MuSR."""

from __future__ import annotations

import json
import lzma
from pathlib import Path

import pytest

from fathom.api.authored_puzzles import import_puzzles
from fathom.api.benches import audit, build
from fathom.api.judges import judge_report
from fathom.api.judging import judge, role_model
from fathom.api.runs import run
from fathom.api.scores import score_run
from fathom.models.prompts import Prompt
from fathom.records.errors import FathomError
from tests.commands import run_command

DATA = Path(__file__).resolve().parents[4] / "shared" / "data" / "musr-puzzles"


def node(value: str, *children: dict[str, object]) -> dict[str, object]:
    return {"value": value, "children": list(children), "fact_type": "explicit"}


MYSTERY = {
    "context": "The lamp was broken at noon. Ada had a hammer and was in the hall at noon. Ben was at sea all day.",
    "questions": [
        {
            "question": "Who broke the lamp?",
            "choices": ["Ada", "Ben"],
            "answer": 0,
            "intermediate_trees": [
                {"root_structure": [node("Ada broke the lamp.", node("Ada has a means.", node("Ada had a hammer.")))]},
                {"root_structure": [node("Ben broke the lamp.", node("Ben has a means.", node("Ben is strong.")))]},
            ],
        },
        {
            "question": "Which location is the most likely place Ben would look to find the hammer given the story?",
            "choices": ["hall", "sea"],
            "answer": 0,
            "intermediate_trees": [
                {
                    "root_structure": [
                        node(
                            "A lamp breaks.",
                            node("opening scene", node("Ben sees the Hammer at the hall."), node("Ada sees the lamp.")),
                            node(
                                "Ada moves the hammer. Because, it was noon.", node("Ben did not see the hammer move.")
                            ),
                        )
                    ]
                }
            ],
        },
    ],
}


@pytest.fixture
def imported(tmp_path: Path) -> Path:
    """A bench of the two questions."""
    file = tmp_path / "lamp.json.xz"
    file.write_bytes(lzma.compress(json.dumps([MYSTERY]).encode()))
    assert "2 puzzles on 1 documents" in run_command("author", "import", file, "--out", tmp_path / "musr").stdout
    build("puzzles", tmp_path / "musr" / "corpus", out=tmp_path / "bench", authored=tmp_path / "musr" / "puzzles.jsonl")
    return tmp_path / "bench"


def test_step_trees_become_checklists(imported: Path, tmp_path: Path) -> None:
    lines = (tmp_path / "musr" / "puzzles.jsonl").read_text().splitlines()
    first, second = (json.loads(line) for line in lines)
    assert first["checklist"] == ["Ada has a means."]
    assert second["checklist"] == ["Ben sees the Hammer at the hall.", "Ben did not see the hammer move."]
    assert "Ada moves the hammer." in second["reasoning"]
    assert audit(imported).passed


def test_a_checklist_in_words_is_unjudged_without_a_judge(imported: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    run(imported, model="sim/reader?miss=0.5", out=folder, seed=4)
    scores = score_run(folder)
    assert scores.overall.unjudged == 2
    measures = {measure.name: measure for measure in scores.measures}
    assert measures["answer accuracy"].micro.value == 1.0
    # What nobody has read is unknown, not missed.
    assert "checklist recall" not in measures

    def simulate(prompt: Prompt) -> str:
        checklist, _, response = prompt.last_part.partition("==========")
        listed = [line.removeprefix("- ") for line in checklist.splitlines() if line.startswith("- ")]
        stated = listed if "Choose one" not in checklist else listed[-1:]
        return "PASS" if all(one in response for one in stated) else "FAIL"

    judge(folder, role_model("sim/judge", simulate=simulate))
    scored = score_run(folder)
    assert scored.overall.unjudged == 0
    (report,) = judge_report([folder])
    assert report.judged == 2
    assert report.judges[0].accepted["guess"] == (0, 1)


@pytest.mark.parametrize(
    "content", [b"[]{", b'{"context": 1}', b'[{"context": "x", "questions": [{}]}]', b"\xfd7zXZbroken"]
)
def test_other_files_are_refused(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "other.json"
    file.write_bytes(content)
    with pytest.raises(FathomError, match=r"other.json"):
        import_puzzles([file], tmp_path / "out")


def test_puzzles_of_another_corpus_are_refused(imported: Path, tmp_path: Path) -> None:
    file = tmp_path / "puzzles.jsonl"
    line = json.loads((tmp_path / "musr" / "puzzles.jsonl").read_text().splitlines()[0])
    file.write_text(json.dumps({**line, "document": "d-none"}) + "\n")
    result = run_command("build", "puzzles", tmp_path / "musr" / "corpus", "--authored", file, "--out", tmp_path / "b2")
    assert result.returncode == 2
    assert "not in" in result.stderr


@pytest.mark.skipif(not DATA.exists(), reason="needs the data beside the project")
def test_musr_is_imported_whole(tmp_path: Path) -> None:
    report = import_puzzles(sorted(DATA.glob("*.xz")), tmp_path / "musr")
    assert (report.documents, report.puzzles, report.left_out) == (15, 30, {})
    assert report.conclusions >= 100
