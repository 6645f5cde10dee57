"""The family from build to audit: proofs, faults, tampering."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fathom.records.documents import Fact
from fathom.scoring.answer_types.compare import agrees
from fathom.tasks.auditing import audit
from fathom.tasks.bench import Bench
from fathom.tasks.bench_folder import KEYS
from fathom.tasks.building import BuildInputs, build
from fathom.tasks.puzzles.checklist import CHECK, FACT, checklist_of
from fathom.tasks.puzzles.diagnose import Diagnoser
from fathom.tasks.puzzles.evaluate import result
from fathom.tasks.puzzles.puzzle import same_value
from fathom.tasks.puzzles.sources import KINDS
from fathom.tasks.puzzles.tree import parse
from tests.commands import run_command
from tests.tasks.puzzles.conftest import FEW, Puzzle


def test_a_bench_has_all_kinds_and_passes_its_audit(puzzles_bench: Path) -> None:
    audit_report = audit(puzzles_bench)
    assert audit_report.passed, [check for check in audit_report.checks if check.failed]
    counts = Bench(puzzles_bench).manifest.counts
    assert set(counts["kind"]) == set(KINDS)
    assert set(counts["language"]) == {"en", "zh"}
    assert set(counts["answer"]) == {"number", "date", "name"}
    assert len(counts["steps"]) >= 5


def test_dropping_a_fact_changes_the_answer(puzzles_bench: Path) -> None:
    """Each fact of a proof is removed from the document, wherever it is stated."""
    bench = Bench(puzzles_bench)
    dropped = 0
    with bench.open_corpus() as corpus:
        for context, items in bench.by_context():
            facts = corpus.document(context.documents[0]).facts
            for item in items:
                program = parse(item.key.proof.program)
                answer = result(program, facts)
                assert answer is not None
                for row in item.key.proof.rows:
                    if row[0] == FACT:
                        rest = [fact for fact in facts if not _is(fact, row)]
                        assert len(rest) < len(facts)
                        assert not same_value(result(program, rest), answer), item.question.text
                        dropped += 1
    assert dropped > 150


def _is(fact: Fact, row: tuple[str, ...]) -> bool:
    value = fact.name or (f"{fact.value:f}" if fact.value is not None else "")
    return (fact.entity, fact.part, fact.attribute, fact.period, value) == (*row[1:5], row[6])


def test_the_corrected_value_counts(puzzles_bench: Path) -> None:
    """A proof that uses a correction has the last value that the text states, not the first."""
    bench = Bench(puzzles_bench)
    corrected = 0
    with bench.open_corpus() as corpus:
        for context, items in bench.by_context():
            document = corpus.document(context.documents[0])
            for item in items:
                for row in item.key.proof.rows:
                    if row[0] == FACT and row[5] == "restated" and document.kind in ("news", "narrative"):
                        same = [fact for fact in document.facts if (fact.entity, fact.attribute) == (row[1], row[3])]
                        first = min(same, key=lambda fact: fact.span.start)
                        assert row[6] == next(f"{fact.value:f}" for fact in same if fact.status == "restated")
                        assert row[6] != f"{first.value:f}"
                        corrected += 1
    assert corrected > 3


# Simulated answerers.


@pytest.mark.parametrize("fault", ["guess", "wrong-way", "contradict", "copy", "miss"])
def test_a_correct_answer_without_the_reasoning_is_not_accepted(fault: str, puzzles: list[Puzzle]) -> None:
    accepted = tried = 0
    for puzzle in puzzles:
        text = puzzle.text(f"sim/reader?{fault}=1")
        if text == puzzle.text("sim/oracle"):
            continue  # the fault does not apply, such as a contradiction to a name
        tried += 1
        accepted += puzzle.said(text).outcome == "correct"
    assert tried > 0.8 * len(puzzles)
    assert accepted <= 0.02 * tried


def test_answer_only_scoring_accepts_every_guess(puzzles: list[Puzzle]) -> None:
    for puzzle in puzzles:
        verdict = puzzle.said(puzzle.text("sim/reader?guess=1"))
        assert verdict.measures["correct answers"] == verdict.measures["correct answers without the checklist"] == 1
        assert verdict.parts[0].name == "answer"
        assert verdict.parts[0].outcome == "correct"
        assert len(verdict.parts) == 1 + len(checklist_of(puzzle.item.key))


def test_the_oracle_is_correct_and_shortcuts_are_not(puzzles: list[Puzzle]) -> None:
    correct: Counter[str] = Counter()
    for model in ("oracle", "lexical", "random", "majority", "null"):
        correct[model] = sum(puzzle.said(puzzle.text(f"sim/{model}")).outcome == "correct" for puzzle in puzzles)
    assert correct["oracle"] == len(puzzles)
    assert sum(correct.values()) == correct["oracle"]


def test_faults_are_diagnosed(puzzles: list[Puzzle], puzzles_bench: Path) -> None:
    with Bench(puzzles_bench).open_corpus() as corpus:
        diagnoser = Diagnoser(corpus)
        causes: Counter[str] = Counter()
        for puzzle in puzzles:
            diagnosis = diagnoser.diagnose(puzzle.context, puzzle.item)
            assert len(diagnosis.operators) >= 2
            assert len(diagnosis.steps) == len(checklist_of(puzzle.item.key))
            causes.update({suspect.cause for suspect in diagnosis.suspects})
    assert {"outdated", "opposite", "branch", "gross", "unshifted"} <= set(causes)


def test_baselines_are_in_the_manifest_and_low(puzzles_bench: Path) -> None:
    report = Bench(puzzles_bench).manifest.reports["puzzles"]
    assert isinstance(report, dict)
    baselines = report["baselines"]
    assert isinstance(baselines, dict)
    assert set(baselines) == {"single passage", "lexical", "closed book", "majority"}
    for shares in baselines.values():
        assert isinstance(shares, dict)
        assert float(str(shares["answer"])) < 0.05
        assert shares["process"] == 0


# Tampering.


def _answer(key: dict[str, Any]) -> None:
    answer = key["answer"]
    answer["value"] = str(float(answer["value"]) + 1) if answer["type"] == "number" else "Nowhere"


def _fact_value(key: dict[str, Any]) -> None:
    row = next(row for row in key["proof"]["rows"] if row[0] == FACT)
    row[6] = "7" if row[6] != "7" else "8"


def _checklist(key: dict[str, Any]) -> None:
    row = next(row for row in key["proof"]["rows"] if row[0] == CHECK)
    item = json.loads(row[1])
    item["value"] = {"number": "123456789", "name": "", "unit": ""}
    row[1] = json.dumps(item)


def _program(key: dict[str, Any]) -> None:
    key["proof"]["program"] = key["proof"]["program"].replace("largest", "smallest").replace('"sign":"-"', '"sign":"+"')


def _unknown(key: dict[str, Any]) -> None:
    key["proof"]["program"] = key["proof"]["program"].replace('"attribute":"', '"attribute":"no-')


def _passage(key: dict[str, Any]) -> None:
    key["proof"]["passages"][0]["span"] = [0, 10**9]


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (_answer, "the answer and the checklist are recomputed from the text"),
        (_fact_value, "the characters of every fact state its value"),
        (_checklist, "the answer and the checklist are recomputed from the text"),
        (_unknown, "the answer and the checklist are recomputed from the text"),
        (_program, "the program gives the question, the tags and the proof again"),
        (_passage, "every passage lies in the shown document"),
    ],
)
def test_a_key_that_was_tampered_with_is_found(
    change: Callable[[dict[str, Any]], None], rule: str, few_puzzles: Path, tmp_path: Path
) -> None:
    shutil.copytree(few_puzzles.parent, tmp_path / "copy")
    keys = tmp_path / "copy" / "bench" / KEYS
    changed = [json.loads(line) for line in keys.read_text().splitlines()]
    for key in changed:
        change(key)
    keys.write_text("".join(json.dumps(key) + "\n" for key in changed))
    audit_report = audit(tmp_path / "copy" / "bench")
    assert rule in {check.name for check in audit_report.checks if check.failed}


def test_the_same_bytes_twice(few_puzzles: Path, tmp_path: Path) -> None:
    build(BuildInputs(few_puzzles.parent / "corpus", Path("none"), FEW, 1), tmp_path / "again")
    for name in ("questions.jsonl", KEYS, "contexts.jsonl"):
        assert (tmp_path / "again" / name).read_bytes() == (few_puzzles / name).read_bytes()


# The command line.


def test_from_build_to_report(puzzles_bench: Path, tmp_path: Path) -> None:
    corpus = puzzles_bench.parent / "corpus"
    built = run_command("build", "puzzles", corpus, "--out", tmp_path / "bench", "--items", 6, "--min-steps", 4)
    assert built.returncode == 0
    assert "shortcut baselines" in built.stdout
    assert min(map(int, Bench(tmp_path / "bench").manifest.counts["steps"])) >= 4
    ran = run_command("run", tmp_path / "bench", "--model", "sim/reader?guess=0.5", "--out", tmp_path / "run")
    assert ran.returncode == 0
    scored = run_command("score", tmp_path / "run")
    assert "answer accuracy" in scored.stdout
    assert run_command("report", tmp_path / "run", "--out", tmp_path / "page").returncode == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--min-steps", "1"), "--min-steps is 1. Use 2 to 9."),
        (("--min-steps", "7", "--max-steps", "3"), "--min-steps is 7, but --max-steps is 3"),
        (("--per-document", "0"), "--per-document is 0. Use 1 to 50."),
    ],
)
def test_refuses_settings_out_of_range(words: tuple[str, ...], said: str, puzzles_bench: Path, tmp_path: Path) -> None:
    refused = run_command("build", "puzzles", puzzles_bench.parent / "corpus", "--out", tmp_path / "b", *words)
    assert refused.returncode == 2
    assert said in refused.stderr


def test_a_corpus_without_facts_is_refused(tmp_path: Path) -> None:
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "one.md").write_text("# A title\n\nSome words without any facts in them.\n")
    assert run_command("ingest", tmp_path / "texts", "--out", tmp_path / "corpus").returncode == 0
    refused = run_command("build", "puzzles", tmp_path / "corpus", "--out", tmp_path / "b")
    assert refused.returncode == 2
    assert "has facts for puzzles" in refused.stderr


def test_a_round_number_is_diagnosed_as_an_estimate(puzzles: list[Puzzle], puzzles_bench: Path) -> None:
    with Bench(puzzles_bench).open_corpus() as corpus:
        diagnoser = Diagnoser(corpus)
        one = next(puzzle for puzzle in puzzles if puzzle.item.question.tags["answer"] == "number")
        said = one.said(one.text("sim/reader?estimate=1"))
        suspects = diagnoser.diagnose(one.context, one.item).suspects
    assert said.outcome == "incorrect"
    assert said.parsed is not None
    assert any(suspect.cause == "estimate" and agrees(suspect.answer, said.parsed) for suspect in suspects)
