"""Analysis of runs made with the real commands."""

from __future__ import annotations

import shutil
from itertools import chain
from pathlib import Path

import pytest

from fathom.analysis.analyze import AnalysisSettings, analyze, compare_runs
from fathom.analysis.findings import RESPONSE_OUTCOMES, Findings, RunSummary
from fathom.records.errors import FathomError
from fathom.records.files import read_records, write_records
from fathom.records.questions import Response
from fathom.runs.folder import END, RESPONSES, VERDICTS
from fathom.tasks.bench import Bench
from tests.analysis.conftest import Ran, done

FAILING = "sim/reader?miss=0.1&format=0.2&refuse=0.05&timeout=0.2"
WITHOUT_CAUSES = AnalysisSettings(causes=False)
"""For what does not depend on the likely causes of errors, which take most of the time."""


@pytest.fixture(scope="module")
def failing(ran_small: Ran) -> RunSummary:
    [run] = analyze([ran_small(FAILING)]).findings.runs
    return run


def test_every_question_counts_once_in_every_breakdown(failing: RunSummary, small_bench: Path) -> None:
    questions = Bench(small_bench).manifest.questions
    assert failing.overall.outcomes.responses == questions
    by = {breakdown.by: breakdown for breakdown in failing.breakdowns}
    assert {"family", "skill", "topic", "length", "answer", "documents", "subject", "language", "operators"} <= set(by)
    for breakdown in failing.breakdowns:
        if breakdown.overlapping or breakdown.by in ("position", "dispersion"):
            continue
        assert sum(group.outcomes.responses for group in breakdown.groups) == questions, breakdown.by
        for kind in RESPONSE_OUTCOMES:
            counted = sum(getattr(group.outcomes, kind) for group in breakdown.groups)
            assert counted == getattr(failing.overall.outcomes, kind)
        micro = sum(group.accuracy.value * group.outcomes.questions for group in breakdown.groups) / questions
        assert micro == pytest.approx(failing.overall.accuracy.value)
        assert breakdown.macro_average.value == pytest.approx(
            sum(group.accuracy.value for group in breakdown.groups) / len(breakdown.groups)
        )


def test_an_error_is_not_an_incorrect_answer(failing: RunSummary) -> None:
    outcomes = failing.overall.outcomes
    assert outcomes.error > 8
    assert failing.overall.counts.errors == outcomes.error
    assert failing.overall.accuracy.value == outcomes.correct / outcomes.responses
    assert failing.overall.max_accuracy == pytest.approx((outcomes.correct + outcomes.error) / outcomes.responses)
    assert not failing.info.is_complete
    assert (
        sum(pattern.count for pattern in failing.patterns)
        == outcomes.incorrect + outcomes.unparseable + outcomes.refused
    )
    assert {"refused", "unparseable"} <= {pattern.name for pattern in failing.patterns}


def test_a_missing_response_is_unanswered(ran_small: Ran, small_bench: Path, tmp_path: Path) -> None:
    whole = ran_small("sim/oracle")
    folder = tmp_path / "half"
    shutil.copytree(whole, folder)
    responses = list(read_records(whole / RESPONSES, Response))
    write_records(folder / RESPONSES, responses[::2])
    for name in (VERDICTS, END):
        (folder / name).unlink()
    [run] = analyze([folder], bench=small_bench, settings=WITHOUT_CAUSES).findings.runs
    assert run.overall.outcomes.correct == len(responses[::2])
    assert run.overall.outcomes.unanswered == len(responses) - len(responses[::2])
    assert run.overall.max_accuracy == 1.0
    assert run.overall.outcomes.incorrect == 0


def test_responses_without_verdicts_are_scored_the_same(ran_small: Ran) -> None:
    scored = analyze([ran_small(FAILING)]).findings
    unscored = analyze([ran_small(FAILING, scored=False)]).findings
    assert any("scored here" in note for note in unscored.notes)
    assert unscored.runs[0].overall == scored.runs[0].overall
    assert unscored.runs[0].patterns == scored.runs[0].patterns


def test_an_outdated_verdict_on_an_error_is_replaced(ran_small: Ran, small_bench: Path, tmp_path: Path) -> None:
    folder = tmp_path / "again"
    shutil.copytree(ran_small(FAILING), folder)
    before = analyze([folder], bench=small_bench, settings=WITHOUT_CAUSES).findings.runs[0].overall.outcomes.error
    assert done("run", small_bench, "--model", FAILING, "--out", folder) in (0, 1)
    after = analyze([folder], bench=small_bench, settings=WITHOUT_CAUSES).findings.runs[0].overall.outcomes.error
    assert after < before


def test_the_same_files_give_the_same_findings(ran_small: Ran) -> None:
    runs = [ran_small("sim/oracle"), ran_small(FAILING)]
    findings = analyze(runs).findings
    assert findings == analyze(runs).findings
    other = analyze(runs, settings=AnalysisSettings(seed=9, causes=False)).findings
    assert other.runs[1].overall == findings.runs[1].overall, "scores do not depend on the seed"


def test_findings_do_not_depend_on_the_number_of_processes(ran_small: Ran, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fathom.analysis.analyze.MIN_FOR_PROCESSES", 0)
    runs = [ran_small("sim/reader?miss=0.2"), ran_small(FAILING)]
    one, two = analyze(runs), analyze(runs, settings=AnalysisSettings(processes=2))
    assert one.findings == two.findings
    assert one.items == two.items


def test_findings_can_be_written_and_read(ran_small: Ran) -> None:
    analysis = analyze([ran_small("sim/oracle"), ran_small(FAILING)])
    assert Findings.model_validate_json(analysis.findings.model_dump_json()) == analysis.findings
    for item in analysis.all_items():
        assert type(item).model_validate_json(item.to_line()) == item


def test_one_item_for_every_response(ran_small: Ran, small_bench: Path) -> None:
    folder = ran_small("sim/reader?miss=0.2", "--samples", 3)
    analysis = analyze([folder])
    questions = [question.id for question in Bench(small_bench).all_questions()]
    items = analysis.items[folder.name]
    assert [(item.question_id, item.sample) for item in items] == list(
        chain.from_iterable(((id, sample) for sample in range(3)) for id in questions)
    )


def test_samples_are_averaged_and_give_pass_at_k(ran_small: Ran) -> None:
    [run] = analyze([ran_small("sim/reader?miss=0.1", "--samples", 3)], settings=WITHOUT_CAUSES).findings.runs
    assert run.samples is not None
    assert run.samples.mean_accuracy == pytest.approx(run.overall.accuracy.value)
    assert run.samples.pass_at[1].value == pytest.approx(run.samples.mean_accuracy)
    assert run.samples.pass_at[1].value < run.samples.pass_at[2].value < run.samples.pass_at[3].value
    assert 0 < run.samples.agreement < 1
    assert 0 < run.samples.standard_deviation < 0.1
    assert run.overall.outcomes.responses == 3 * run.overall.outcomes.questions


def test_runs_are_compared_on_shared_questions(ran_small: Ran) -> None:
    good, poor = ran_small("sim/reader?miss=0.05"), ran_small("sim/reader?miss=0.3", "--limit", 80)
    findings = analyze([good, poor], settings=WITHOUT_CAUSES).findings
    whole = [comparison for comparison in findings.comparisons if comparison.within == "all"]
    assert [(one.items, one.first, one.second) for one in whole] == [(80, *(run.info.name for run in findings.runs))]
    assert whole[0].difference.value < -0.1
    assert whole[0].significant
    assert findings.runs[1].not_asked == findings.runs[0].overall.outcomes.questions - 80
    within = {comparison.within for comparison in findings.comparisons}
    assert any(name.startswith("skill = ") for name in within)


def test_repeated_runs_are_averaged(ran_small: Ran) -> None:
    model = "sim/reader?miss=0.2"
    findings = analyze([ran_small(model, "--seed", seed) for seed in (1, 2, 3)], settings=WITHOUT_CAUSES).findings
    [together] = findings.repeated_runs
    assert len(together.runs) == 3
    shares = [run.overall.accuracy.value for run in findings.runs]
    assert together.accuracy.value == pytest.approx(sum(shares) / 3)
    assert (
        together.accuracy.high - together.accuracy.low
        < findings.runs[0].overall.accuracy.high - findings.runs[0].overall.accuracy.low
    )


def test_runs_with_other_settings_are_not_repeats(ran_small: Ran) -> None:
    model = "sim/reader?miss=0.2"
    one = ran_small(model, "--seed", 1)
    for others in (("--temperature", 0.5), ("--max-tokens", 512), ("--samples", 3), ("--limit", 60)):
        both = [one, ran_small(model, "--seed", 2, *others)]
        assert analyze(both, settings=WITHOUT_CAUSES).findings.repeated_runs == (), others


def test_no_loss_decomposition_over_different_questions(ran_small: Ran) -> None:
    model = "sim/reader?miss=0.2"
    runs = [ran_small(model), ran_small(model, "--system", "tables", "--limit", 60)]
    findings = analyze(runs, settings=WITHOUT_CAUSES).findings
    assert findings.loss_decompositions == ()
    assert any("has no loss decomposition" in note for note in findings.notes)


def test_a_partial_run_has_the_counts_of_its_bench(ran_small: Ran) -> None:
    whole, part = ran_small("sim/oracle"), ran_small("sim/oracle", "--limit", 30)
    [all_of_it], [some] = (analyze([run], settings=WITHOUT_CAUSES).findings.runs for run in (whole, part))
    assert some.overall.counts.model_copy(update={"asked": 0, "not_asked": 0}) == all_of_it.overall.counts.model_copy(
        update={"asked": 0, "not_asked": 0}
    )
    assert (some.overall.counts.asked, some.overall.counts.not_asked) == (30, all_of_it.overall.counts.asked - 30)
    for breakdown in some.breakdowns:
        for group in breakdown.groups:
            assert group.counts.built is None
            assert group.counts.fitted == group.outcomes.questions
    [bench], [known] = (analyze([run], settings=WITHOUT_CAUSES).findings.benches for run in (part, whole))
    assert bench.model_copy(update={"folder": known.folder}) == known


def test_baselines_come_from_keys_and_simulated_guessers(ran_small: Ran) -> None:
    runs = [ran_small("sim/null"), ran_small("sim/majority"), ran_small("sim/oracle")]
    findings = analyze(runs, settings=WITHOUT_CAUSES).findings
    baselines = {baseline.name: baseline.accuracy.value for baseline in findings.baselines}
    null, majority, oracle = (run.overall.accuracy.value for run in findings.runs)
    assert baselines["always NULL"] == null
    assert baselines["majority"] >= majority - 0.02
    assert oracle == 1.0
    assert findings.runs[2].overall.accuracy.low < 1.0
    assert len(baselines) == 4


def test_scores_need_no_corpus(ran_small: Ran, small_bench: Path, tmp_path: Path) -> None:
    bench = tmp_path / "elsewhere" / "bench"
    shutil.copytree(small_bench, bench)
    run = ran_small("sim/reader?miss=0.2")
    alone = analyze([run], bench=bench).findings
    assert alone.runs[0].attribution is None
    assert alone.runs[0].overall == analyze([run]).findings.runs[0].overall
    assert any("--corpus" in note for note in alone.notes)
    located = analyze([run], bench=bench, corpus=small_bench.parent / "corpus").findings
    assert located.runs[0].attribution is not None


def test_misuse_raises_clear_errors(ran_small: Ran, tiny_bench: Path, small_folder: Path, tmp_path: Path) -> None:
    run = ran_small("sim/oracle")
    with pytest.raises(FathomError, match="given twice"):
        analyze([run, run])
    with pytest.raises(FathomError, match="No run was given"):
        analyze([])
    with pytest.raises(FathomError, match="There is no run"):
        analyze([tmp_path])
    with pytest.raises(FathomError, match="is not the one"):
        analyze([run], corpus=small_folder)
    with pytest.raises(FathomError, match="is not the bench"):
        analyze([run], bench=tiny_bench)
    assert done("run", tiny_bench, "--model", "sim/oracle", "--out", tmp_path / "oracle") == 0
    with pytest.raises(FathomError, match="different benches"):
        compare_runs(run, tmp_path / "oracle")
    both = analyze([run, tmp_path / "oracle"], settings=WITHOUT_CAUSES).findings
    assert len(both.benches) == 2
    assert both.comparisons == ()
    assert [run.info.name for run in both.runs] == [run.name, "oracle"]


def test_counts_of_a_fitted_bench(ran_small: Ran, small_bench: Path, tmp_path: Path) -> None:
    fitted = tmp_path / "fitted"
    assert done("fit", small_bench, "--window", "48K", "--reserve", "1K", "--out", fitted) in (0, 1)
    assert done("run", fitted, "--model", FAILING, "--out", tmp_path / "run") in (0, 1)
    findings = analyze([tmp_path / "run"], settings=WITHOUT_CAUSES).findings
    counts = findings.runs[0].overall.counts
    assert counts.built == Bench(small_bench).manifest.questions
    assert counts.fitted == Bench(fitted).manifest.questions
    assert counts.built == counts.fitted + counts.dropped
    assert counts.dropped > 0
    assert counts.errors == findings.runs[0].overall.outcomes.error > 0
    for breakdown in findings.runs[0].breakdowns:
        for group in breakdown.groups:
            assert group.counts.built is None or group.counts.built >= group.counts.fitted
