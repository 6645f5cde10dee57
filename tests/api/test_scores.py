"""Scores as Python objects: overall, by tag, of a file of answers, and as a data frame."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from fathom.api.scores import score_answers, score_run
from fathom.records.errors import FathomError
from fathom.scoring.answer_types.format import published, stated
from fathom.scoring.scores import Score
from fathom.tasks.bench import Bench
from fathom.tasks.building import BuildInputs, build
from tests.commands import run_command


@pytest.fixture
def run(tiny_bench: Path, tmp_path: Path) -> Path:
    done = run_command("run", tiny_bench, "--model", "sim/reader?miss=0.2&refuse=0.1", "--out", tmp_path / "run")
    assert done.returncode == 0, done.stderr
    return tmp_path / "run"


def answers(bench: Path, path: Path, every: int = 1) -> Path:
    """A file with the correct answer to every n-th question."""
    keys = list(Bench(bench).all_keys())[::every]
    lines = [json.dumps({"question_id": key.question_id, "text": stated(key.answer)}) for key in keys]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_scores_of_a_run_by_tag(run: Path) -> None:
    scores = score_run(run)
    assert 0 < scores.accuracy < scores.partial_credit < 1
    groups = scores.by("skill")
    assert sum(group.questions for group in groups.values()) == scores.overall.questions == len(scores.questions)
    assert sum(group.correct for group in groups.values()) == scores.overall.correct
    assert scores.overall.refused
    with pytest.raises(FathomError, match="no tag 'color'"):
        scores.by("color")
    again = score_run(run)
    assert list(again.verdicts) == list(scores.verdicts)
    assert (again.changes.compared, again.changes.changed) == (len(scores.verdicts), {})


def test_unanswered_questions_count(tiny_bench: Path, tmp_path: Path) -> None:
    scores = score_answers(tiny_bench, answers(tiny_bench, tmp_path / "half.jsonl", every=2))
    assert scores.overall.correct == len(scores.responses) == scores.overall.questions - scores.overall.unanswered
    assert scores.accuracy == pytest.approx(len(scores.responses) / len(scores.questions))


def test_scitrek_measures(tiny_bench: Path, tmp_path: Path) -> None:
    contexts, corpus = tiny_bench / "contexts.jsonl", Bench(tiny_bench).corpus_folder
    build(BuildInputs(corpus, contexts, {"numeric": {"questions": 5, "unanswerable": 0.4}}, 1), tmp_path / "bench")
    scores = score_answers(tmp_path / "bench", answers(tmp_path / "bench", tmp_path / "all.jsonl"))
    [found] = scores.scitrek().values()
    assert found.f1 > 0.9
    assert 0.5 < found.exact_match <= 1
    answerable = [key for key in scores.keys.values() if key.answer.type != "none"]
    assert found.questions == len(answerable) < len(scores.questions)
    groups = scores.scitrek("answer")
    assert "none" in groups and groups["none"].questions == 0
    assert sum(group.questions for group in groups.values()) == found.questions
    total = sum(group.exact_match * group.questions for group in groups.values())
    assert total == pytest.approx(found.exact_match * found.questions)


def test_scitrek_measures_average_samples_and_read_boxes(tiny_bench: Path, tmp_path: Path) -> None:
    bench = Bench(tiny_bench)
    key = next(key for key in bench.all_keys() if key.answer.type == "number")
    said = ["Let me think.\n\\boxed{" + published(key.answer) + "}", "Answer: no idea"]
    lines = [{"question_id": key.question_id, "sample": at, "text": text} for at, text in enumerate(said)]
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    [found] = score_answers(tiny_bench, path).scitrek().values()
    assert found.exact_match == pytest.approx(0.5 / found.questions)


def test_a_data_frame_needs_pandas(tiny_bench: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scores = score_answers(tiny_bench, answers(tiny_bench, tmp_path / "all.jsonl"))
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(FathomError, match="pandas"):
        scores.to_pandas()
    monkeypatch.setitem(sys.modules, "pandas", SimpleNamespace(DataFrame=lambda rows, **_: list(rows)))
    rows = scores.to_pandas()
    assert len(rows) == len(scores.verdicts)
    assert rows[0]["outcome"] == "correct"


@pytest.mark.parametrize("line", ["{", '{"question_id": 3}', "[]"])
def test_refuses_a_line_that_is_not_an_answer(tiny_bench: Path, tmp_path: Path, line: str) -> None:
    (tmp_path / "answers.jsonl").write_text(line + "\n")
    with pytest.raises(FathomError, match="Line 1 of"):
        score_answers(tiny_bench, tmp_path / "answers.jsonl")


def test_refuses_a_file_without_answers(tiny_bench: Path, tmp_path: Path) -> None:
    (tmp_path / "answers.jsonl").write_text("\n")
    with pytest.raises(FathomError, match="has no answers"):
        score_answers(tiny_bench, tmp_path / "answers.jsonl")


def test_an_empty_group_has_no_accuracy() -> None:
    assert (Score(questions=0).accuracy, Score(questions=0).partial_credit) == (0.0, 0.0)


def test_answers_to_a_part_of_a_bench(tiny_bench: Path, tmp_path: Path) -> None:
    questions = [question.id for question in Bench(tiny_bench).all_questions()]
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps({"question_id": id, "text": "Answer: 4"}) + "\n" for id in questions[:3]))
    assert score_answers(tiny_bench, path).overall.questions == len(questions)
    some = score_answers(tiny_bench, path, only_given=True)
    assert (some.overall.questions, some.overall.unanswered) == (3, 0)
    assert some.questions_not_asked == len(questions) - 3
    assert score_answers(tiny_bench, path, split="test").overall.questions == len(questions)
    with pytest.raises(FathomError, match="answers no question of the split 'train'"):
        score_answers(tiny_bench, path, split="train")
    path.write_text('{"question_id": "q-none", "text": "4"}\n')
    with pytest.raises(FathomError):
        score_answers(tiny_bench, path, only_given=True)
