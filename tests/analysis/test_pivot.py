"""Tables on demand agree with the analysis, and say where their cells cannot be compared."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from fathom.analysis.analyze import AnalysisSettings, analyze
from fathom.analysis.bench_data import BenchData, collect
from fathom.analysis.findings import Estimate, RunSummary
from fathom.analysis.loading import BenchRuns
from fathom.analysis.pivot import PivotCell
from fathom.api import tables
from fathom.api.scores import score_run
from fathom.api.tables import ResultsTable, table
from fathom.corpus.store import Corpus
from fathom.records.errors import FathomError
from fathom.records.files import read_records, write_json, write_records
from fathom.records.questions import Response
from fathom.runs.folder import END, MANIFEST, RESPONSES, read_run
from tests.analysis.conftest import Ran
from tests.commands import run_command

GOOD, POOR = "sim/reader?miss=0.05", "sim/reader?miss=0.2"


def cell(made: ResultsTable, *labels: str) -> PivotCell:
    (found,) = [one for one in made.cells if set(labels) <= {*one.row, *one.column, one.measure}]
    return found


def same(found: PivotCell, wanted: Estimate) -> None:
    assert (found.value, found.low, found.high) == pytest.approx((wanted.value, wanted.low, wanted.high))
    assert (found.n, found.contexts) == (wanted.items, wanted.clusters)


@pytest.fixture(scope="module")
def runs(ran_small: Ran) -> list[Path]:
    return [ran_small(GOOD), ran_small(POOR)]


@pytest.fixture(scope="module")
def summaries(runs: list[Path]) -> tuple[RunSummary, ...]:
    return analyze(runs).findings.runs


def test_cells_are_those_of_the_analysis(runs: list[Path], summaries: tuple[RunSummary, ...]) -> None:
    made = table(runs, rows="model", columns="skill", totals="skill", measure=["accuracy", "partial-credit"])
    by_operator = table(runs, rows="model", columns="operators")
    for run in summaries:
        skills = next(breakdown for breakdown in run.breakdowns if breakdown.by == "skill")
        for group in skills.groups:
            same(cell(made, run.info.model, group.name, "accuracy"), group.accuracy)
            same(cell(made, run.info.model, group.name, "partial-credit"), group.partial_credit)
        same(cell(made, run.info.model, "all", "accuracy"), run.overall.accuracy)
        for group in next(breakdown for breakdown in run.breakdowns if breakdown.by == "operators").groups:
            same(cell(by_operator, run.info.model, group.name), group.accuracy)
    assert made.content.rows == ("model",)
    assert made.content.columns == ("skill", "measure")
    assert not made.notes


def test_macro_averages_are_those_of_the_analysis(runs: list[Path], summaries: tuple[RunSummary, ...]) -> None:
    made = table(runs, rows="model", macro="topic")
    for run in summaries:
        same(
            cell(made, run.info.model),
            next(breakdown for breakdown in run.breakdowns if breakdown.by == "topic").macro_average,
        )


def test_patterns_and_causes_are_shares_of_all_responses(runs: list[Path], summaries: tuple[RunSummary, ...]) -> None:
    patterns = table(runs, rows="pattern", columns="model")
    causes = table(runs, rows="cause", columns="model", measure="responses")
    for run in summaries:
        for one in run.patterns:
            same(cell(patterns, run.info.model, one.name), one.share)
        as_measure = table(runs, rows="model", measure=f"pattern={run.patterns[0].name}")
        same(cell(as_measure, run.info.model), run.patterns[0].share)
        assert run.attribution is not None
        for cause in run.attribution.causes:
            if cause.count:
                assert cell(causes, run.info.model, cause.name).value == cause.count
        if run.attribution.unclear:
            assert cell(causes, run.info.model, "unclear").value == run.attribution.unclear
    rows = [row for (row,) in patterns.content.row_values]
    both = cell(patterns, POOR, rows[-1]), cell(patterns, GOOD, rows[-1])
    assert all(one.value is not None for one in both), "a share of zero is a value"


def test_costs_and_sizes(runs: list[Path], summaries: tuple[RunSummary, ...]) -> None:
    made = table(runs, measure=["tokens", "output-tokens:sum", "dollars", "question-length:correlation", "questions"])
    for run in summaries:
        assert cell(made, run.info.name, "tokens").value == pytest.approx(run.cost.tokens_per_question)
        assert cell(made, run.info.name, "output-tokens:sum").value == run.cost.output_tokens
        assert cell(made, run.info.name, "dollars").value == run.cost.price_per_question
        assert cell(made, run.info.name, "questions").value == run.overall.outcomes.questions
        (row,) = [row for row in run.correlates.rows if row.name == "question length"]
        found = cell(made, run.info.name, "question-length:correlation")
        assert (found.value, found.low, found.high) == pytest.approx((row.correlation, row.low, row.high))


def test_published_measures_and_repeated_samples(ran_small: Ran) -> None:
    folder = ran_small(POOR, "--samples", 3)
    scores, (run,) = score_run(folder), analyze([folder], settings=AnalysisSettings(causes=False)).findings.runs
    made = table(folder, columns="skill", measure=["scitrek-exact-match", "scitrek-f1"])
    for skill, score in scores.scitrek("skill").items():
        assert cell(made, skill, "scitrek-exact-match").value == pytest.approx(score.exact_match)
        assert cell(made, skill, "scitrek-f1").value == pytest.approx(score.f1)
        assert cell(made, skill, "scitrek-f1").n == score.questions
    assert run.samples is not None
    same(cell(table(folder, measure="pass@3")), run.samples.pass_at[3])
    assert cell(table(folder, measure="pass@4")).value is None
    by_sample = table(folder, rows="sample")
    assert [row for (row,) in by_sample.content.row_values] == ["1", "2", "3"]
    assert sum(one.value or 0 for one in by_sample.cells) / 3 == pytest.approx(run.samples.mean_accuracy)


@pytest.mark.parametrize(
    ("rows", "measure", "diagnosed"),
    [("model", "accuracy", False), ("operators", "accuracy", True), ("skill", "program-length", True)],
)
def test_responses_are_read_once_whatever_is_asked_for(
    runs: list[Path], monkeypatch: pytest.MonkeyPatch, rows: str, measure: str, diagnosed: bool
) -> None:
    collected: list[bool] = []

    def counted(one: BenchRuns, corpus: Corpus | None, *rest: Any, **options: Any) -> BenchData:
        collected.append(corpus is not None)
        return collect(one, corpus, *rest, **options)

    monkeypatch.setattr(tables, "collect", counted)
    assert table(runs[:1], rows=rows, measure=measure).cells
    assert collected == [diagnosed]


def test_conditions(runs: list[Path]) -> None:
    long = table(runs, rows="length", where=["length>=64K", "skill=sorting,filtering"], measure="questions")
    assert [row for (row,) in long.content.row_values] == ["64K"]
    shown = table(runs, rows="skill", where="length>32K", measure="questions")
    assert sum(cell(shown, skill).value or 0 for skill in ("sorting", "filtering")) == cell(long).value
    both = [table(runs, rows="run", where=f"documents{sign}5", measure="questions") for sign in ("<", ">=")]
    total = table(runs, rows="run", measure="questions")
    assert sum(one.cells[0].value or 0 for one in both) == total.cells[0].value
    one = table(runs, rows="model", where=f"model={GOOD}")
    assert [row for (row,) in one.content.row_values] == [GOOD]
    assert table(runs, rows="model", where="model=*0.05").cells == one.cells
    assert table(runs, rows="model", where="model!=*0.2").cells == one.cells
    assert table(runs, where="skill=sorting,nothing").notes == ("No response has skill=nothing.",)
    ranges = table(runs, rows="documents", bins={"documents": [5]}, measure="questions")
    assert [row for (row,) in ranges.content.row_values] == ["under 5", "5 and more"]
    assert cell(ranges, "under 5").value == both[0].cells[0].value


def test_runs_on_other_questions_are_marked(ran_small: Ran) -> None:
    runs = [ran_small("sim/oracle"), ran_small("sim/oracle", "--limit", 30)]
    made = table(runs)
    whole, part = made.cells
    assert (whole.comparable, part.comparable) == (True, False)
    assert (whole.questions, part.questions) == (100, 30)
    assert any("--common" in note for note in made.notes)
    assert "*" in str(made)
    common = table(runs, common=True)
    assert [one.questions for one in common.cells] == [30, 30]
    assert all(one.comparable for one in common.cells)
    assert not common.notes


def test_differences_are_paired_by_question_and_best_is_chosen(runs: list[Path]) -> None:
    (compared,) = [
        comparison
        for comparison in analyze(runs, settings=AnalysisSettings(causes=False)).findings.comparisons
        if comparison.within == "all"
    ]
    made = table(runs, columns="model", rows="prompting", difference=f"model={GOOD},{POOR}", best="model")
    same(cell(made, f"{POOR} - {GOOD}"), compared.difference)
    assert cell(made, "best").value == cell(made, GOOD).value
    assert made.content.column_values[-2:] == (("best",), (f"{POOR} - {GOOD}",))
    fewest = table(runs, rows="model", best="model", measure="output-tokens")
    assert cell(fewest, "best").value == min(one.value or 0 for one in fewest.cells)


def test_a_missing_response_counts_and_an_unknown_price_stays_unknown(runs: list[Path], tmp_path: Path) -> None:
    folder = tmp_path / "run"
    shutil.copytree(runs[0], folder)
    responses = list(read_records(folder / RESPONSES, Response))
    responses[1] = responses[1].model_copy(update={"usage": responses[1].usage.model_copy(update={"price": None})})
    write_records(folder / RESPONSES, responses[1:])
    (folder / END).unlink()
    made = table([runs[0], folder], measure=["accuracy", "dollars"])
    assert cell(made, made.cells[0].row[0], "dollars").value == 0.0
    last = [one for one in made.cells if one.row == made.cells[-1].row]
    assert [one.value for one in last if one.measure == "dollars"] == [None]
    assert {one.missing for one in last} == {1}
    assert any("price is not known" in note for note in made.notes)
    assert any("1 of 200 responses are missing" in note for note in made.notes)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"rows": "modl"}, "Did you mean model"),
        ({"where": "skill=sort"}, "Did you mean sorting"),
        ({"where": "skill>sorting"}, "no order"),
        ({"where": "skill=sortin,filterin"}, "Choose from"),
        ({"where": "sorting"}, "such as length>=128K"),
        ({"where": ["length=32K", "length=64K"]}, "No response meets length=32K and length=64K"),
        ({"measure": "acuracy"}, "Did you mean accuracy"),
        ({"measure": "seconds:mode"}, "median"),
        ({"measure": "share"}, "outcome, pattern, cause, stage"),
        ({"totals": "skill"}, "--totals: neither --rows nor --columns has 'skill'. They have run. Add it there."),
        ({"bins": {"question-length": ["x"]}}, "--bins: the table does not use 'question-length'"),
        ({"rename": {"model": {"a": "b"}}}, "--rename: the table does not use 'model'"),
        ({"macro": "outcome"}, "not of responses"),
        ({"difference": "run=a,b"}, "FIRST,SECOND"),
        ({"rows": "skill", "difference": "skill=sorting,filtering"}, "not a property of runs"),
        ({"rows": "question-length"}, "--bins"),
        ({"bins": {"question-length": ["20", "10"]}, "rows": "question-length"}, "ascending"),
        ({"rows": ["skill", "skill"]}, "twice"),
    ],
)
def test_errors_say_what_exists(settings: dict[str, object], said: str, runs: list[Path]) -> None:
    with pytest.raises(FathomError) as caught:
        table(runs, **settings)  # type: ignore[arg-type]
    assert said in str(caught.value)


def test_a_table_without_cells_has_its_headings(runs: list[Path]) -> None:
    made = table(runs, rows="stage", columns="model")  # runs of one step have no stages
    assert not made.cells
    assert (
        made.to_csv() == "stage,model,measure,value,low,high,n,questions,responses,contexts,runs,missing,comparable\n"
    )
    assert "stage" in made.to_markdown()
    assert made.to_latex()
    filled = table(runs, rows="model")
    assert filled.to_csv().splitlines()[0].split(",") == list(filled.to_records()[0])


def test_formats_escape_hostile_names(runs: list[Path], tmp_path: Path) -> None:
    hostile = "=cmd|'/c'!A1 <b>\\input{x}\x1b[31m_$&#%\n"
    folder = tmp_path / "run"
    shutil.copytree(runs[0], folder)
    bench = (runs[0] / read_run(runs[0]).bench).resolve()
    write_json(folder / MANIFEST, read_run(folder).model_copy(update={"model": hostile, "bench": str(bench)}))
    made = table(folder, rows="model", columns="length")
    row = next(csv.DictReader(io.StringIO(made.to_csv())))
    assert row["model"] == f"'{hostile}"
    latex = made.to_latex()
    assert r"\textbackslash{}input\{x\}" in latex
    assert r"\_\$\&\#\%" in latex
    markdown = made.to_markdown().splitlines()
    assert "&lt;b&gt;" in markdown[2]
    assert len(re.findall(r"(?<!\\)\|", markdown[2])) == 4
    printed = run_command("table", folder, "--rows", "model").stdout
    assert "\x1b" not in printed
    for text in (latex, "\n".join(markdown)):
        assert "\x1b" not in text


def test_the_command_writes_files_and_lists_names(runs: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "table.tex"
    done = run_command("table", *runs, "--rows", "model", "--columns", "length", "--out", out)
    assert (done.returncode, done.stderr) == (0, "")
    assert r"\begin{tabular}{lrr}" in out.read_text()
    listed = run_command("table", runs[0], "--list").stdout
    for name in ("skill: ", "operators: ", "template: ", "partial-credit", "scitrek-f1"):
        assert name in listed
    data = json.loads(run_command("table", *runs, "--json", "--measure", "outcome=error,overflow").stdout)
    assert [one["value"] for one in data["cells"]] == [0.0, 0.0]
    assert run_command("table", *runs, "--out", tmp_path / "table.xyz").returncode == 2
    renamed = run_command("table", *runs, "--rows", "model", "--rename", f"model:{GOOD}=A", "--format", "csv").stdout
    assert renamed.splitlines()[1].startswith("A,accuracy,")


def test_names_of_changed_properties_are_read_as_everywhere(runs: list[Path]) -> None:
    made = table(runs, rows="model", rename={"Model": {GOOD: "A", "no-such-model": "B"}})
    assert "A" in {value for row in made.content.row_values for value in row}
    assert "No response has model=no-such-model." in made.notes
