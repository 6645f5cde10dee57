"""Loss decomposition: the losses found are those that were simulated."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from fathom.analysis.analyze import analyze
from fathom.analysis.findings import LossDecomposition
from fathom.analysis.loss_stages import decompose
from fathom.corpus.store import Corpus
from fathom.records.files import read_records, write_records
from fathom.records.questions import Response
from fathom.runs.folder import END, RESPONSES, VERDICTS
from fathom.tasks.bench import Bench
from fathom.tasks.numeric.diagnose import Diagnoser
from tests.analysis.conftest import Ran

PARAMETERS = {"miss-document": 0.5, "other-column": 0.3, "drop-filter": 0.3}
MODEL = "sim/reader?drop-filter=0.3&other-column=0.3&miss-document=0.5"


@pytest.fixture(scope="module")
def decomposition(ran_small: Ran) -> LossDecomposition:
    return decomposed(ran_small, 0)


def decomposed(ran: Ran, seed: int) -> LossDecomposition:
    runs = [ran(MODEL, "--seed", seed, "--system", system) for system in ("full", "passages", "tables")]
    [found] = analyze(runs).findings.loss_decompositions
    return found


def changed(bench: Path, fault: str) -> float:
    """The share of questions whose answer the fault changes at its simulated rate."""
    opened = Bench(bench)
    with Corpus(opened.corpus_folder) as corpus:
        teller = Diagnoser(corpus)
        shares = [
            sum(suspect.chance for suspect in teller.diagnose(context, item).suspects if suspect.cause == fault)
            for context, items in opened.by_context()
            for item in items
        ]
    return PARAMETERS[fault] * float(np.mean(shares))


@pytest.mark.slow
def test_the_simulated_rates_are_inside_the_intervals(ran: Ran, examined: Path) -> None:
    """Of 18 intervals at 95%, more than three miss in one of 90 cases."""
    causes = {"finding": "miss-document", "reading": "other-column", "computing": "drop-filter"}
    simulated = {step: changed(examined, fault) for step, fault in causes.items()}
    assert min(simulated.values()) > 0.03
    missed = 0
    for seed in range(6):
        for stage in decomposed(ran, seed).stages:
            assert stage.rate is not None
            assert stage.rate.high - stage.rate.low < 0.2
            missed += not stage.rate.low <= simulated[stage.name] <= stage.rate.high
    assert missed <= 3


def test_stages_add_up(decomposition: LossDecomposition) -> None:
    assert decomposition.items == sum(decomposition.paths.values())
    assert [step.name for step in decomposition.stages] == ["finding", "reading", "computing"]
    lost = sum(step.lost.value for step in decomposition.stages)
    assert decomposition.accuracy["full"].value + lost == pytest.approx(1.0)
    assert (
        decomposition.accuracy["full"].value
        < decomposition.accuracy["passages"].value
        < decomposition.accuracy["tables"].value
    )


def test_a_model_that_only_misses_documents_loses_only_in_finding(ran_small: Ran) -> None:
    model = "sim/reader?miss=0.5"
    runs = [ran_small(model, "--system", system) for system in ("full", "passages")]
    analysis = analyze(runs).findings
    full, passages = analysis.runs
    assert full.overall.accuracy.value < 0.9
    assert passages.overall.accuracy.value == 1.0
    [found] = analysis.loss_decompositions
    assert [step.name for step in found.stages] == ["finding"]


def test_without_passages_finding_and_reading_are_one_stage() -> None:
    where = np.repeat(np.arange(10), 2)
    full, tables = np.tile([1.0, 0.0], 10), np.ones(20)
    found = decompose("m", "b", {"full": "r1", "tables": "r2"}, {"full": full, "tables": tables}, where)
    assert [step.name for step in found.stages] == ["finding and reading", "computing"]
    assert found.stages[0].lost.value == 0.5
    assert found.stages[1].lost.high > 0, "an unobserved loss is not known to be zero"
    assert found.paths == {"full correct, tables correct": 10, "full incorrect, tables correct": 10}


def without(folder: Path, kept: Path, outcome: str) -> Path:
    """A copy of a run in which every other response is an error, an overflow, or missing."""
    shutil.copytree(folder, kept)
    for name in (VERDICTS, END):
        (kept / name).unlink()
    lost = {"outcome": outcome, "text": "", "error": "provider: gone" if outcome == "error" else None}
    responses = [
        response if index % 2 else response.model_copy(update=lost)
        for index, response in enumerate(read_records(folder / RESPONSES, Response))
        if index % 2 or outcome != "unanswered"
    ]
    write_records(kept / RESPONSES, responses)
    return kept


@pytest.mark.parametrize("outcome", ["error", "overflow", "unanswered"])
def test_missing_answers_are_not_losses_in_finding(
    ran_small: Ran, small_bench: Path, tmp_path: Path, outcome: str
) -> None:
    model = "sim/oracle"
    full = without(ran_small(model, "--system", "full"), tmp_path / "full", outcome)
    findings = analyze([full, ran_small(model, "--system", "passages")], bench=small_bench).findings
    [found] = findings.loss_decompositions
    assert [step.lost.value for step in found.stages] == [0.0]
    questions = Bench(small_bench).manifest.questions
    assert found.items == questions // 2
    assert any(
        f"{questions - questions // 2:,} of {questions:,} questions are excluded" in note for note in found.notes
    )
    whole = findings.comparisons[0]
    assert whole.missing_first == (0 if outcome == "overflow" else questions - questions // 2)
    assert whole.significant == (outcome == "overflow")
