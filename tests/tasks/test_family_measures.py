"""Ratios of counts and distributions that a family declares: every command has them, and they are correct."""

from __future__ import annotations

import csv
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fathom
from fathom.contexts.files import write_contexts
from fathom.contexts.sampling import SamplingSettings
from fathom.corpus.store import Corpus
from fathom.tasks import catalog
from fathom.tasks.text_views import instructions
from tests.tasks.test_toy_family import ASK, FAMILY, _data, call

pytestmark = pytest.mark.filterwarnings("ignore")

CHECK = """
def counts(key, parsed=""):
    gold, said = set(key.answer.value.lower().split()), set(parsed.lower().split())
    return {"words matched": len(gold & said), "words predicted": len(said), "words gold": len(gold)}


def check(key, response, *rest, **others):
    found = check_response(key, response)
    if found.parsed is None:
        return found
    values = {
        "word length": tuple(map(float, map(len, found.parsed.value.split()))),
        "word length, key": tuple(map(float, map(len, key.answer.value.split()))),
    }
    return found.model_copy(update={"measures": counts(key, found.parsed.value), "values": values})
"""
DECLARED = """
    measures=(
        RatioMeasure("word precision", {"words matched": 1}, {"words predicted": 1}),
        RatioMeasure("word recall", {"words matched": 1}, {"words gold": 1}),
        RatioMeasure("word F1", {"words matched": 2}, {"words predicted": 1, "words gold": 1}, summary=True),
        RatioMeasure("words per title", {"words predicted": 1}, {"words gold": 1}, is_share=False),
    ),
    distributions=(Distribution("word length", "letters", "word length, key", "the keys"),),
    figures=MeasureFigures(
        precision_recall=(PrecisionRecall("words", "word precision", "word recall"),),
        best=("word F1",),
        by_length=("word recall",),
        lengths=(29_000, 31_000),
    ),
    empty_measures=counts,
    explain="""


def family_source() -> str:
    before, after = FAMILY.split("def check(", 1)
    after = after[after.index("\n\n\n") :]
    source = f"{before}{CHECK}{after}".replace("    explain=", DECLARED.lstrip("\n").rstrip(), 1)
    names = "Distribution, MeasureFigures, PrecisionRecall, RatioMeasure"
    return source.replace(
        "from fathom.tasks.family import",
        f"from fathom.scoring.measures import {names}\nfrom fathom.tasks.family import",
        1,
    )


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory, small_folder: Path) -> Iterator[Path]:
    """Runs of two models and two systems on a bench of the family; one of them is not complete."""
    folder = tmp_path_factory.mktemp("measures")
    package = folder / "packages" / "titles" / "toy"
    package.mkdir(parents=True)
    (package.parent / "__init__.py").write_text("")
    (package / "__init__.py").write_text(family_source())
    (package / "ask.md").write_text(ASK + "\n" + ASK.replace("full, direct", "closed-book, direct"))
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder / "packages")
        patch.setenv(catalog.VARIABLE, "titles.toy")
        contexts = folder / "contexts.jsonl"
        with Corpus(small_folder) as corpus:
            write_contexts(corpus, SamplingSettings(lengths=(32_768,), count=8), contexts)
        fathom.build("toy", small_folder, contexts=contexts, out=folder / "bench", titles=3)
        for name, model, system in (
            ("a-full", "sim/reader?neighbor=0.5", "full"),
            ("a-closed", "sim/reader?neighbor=0.5", "closed-book"),
            ("c-full", "sim/reader?refuse=0.3&neighbor=0.2", "full"),
            ("b-full", "sim/oracle", "full"),
        ):
            fathom.run(folder / "bench", model=model, system=system, out=folder / "runs" / name)
        # Questions without a response count with what they did not find.
        path = folder / "runs" / "a-full" / "responses.jsonl"
        path.write_text("".join(path.read_text().splitlines(keepends=True)[:-2]))
        (path.parent / "end.json").unlink()
        yield folder / "runs"
    for name in ("titles", "titles.toy"):
        sys.modules.pop(name, None)
    instructions.cache_clear()  # another test may install another family of the same name


def words(run: Path) -> list[tuple[str, dict[str, int]]]:
    """The counts of every question, from the files alone, with the context."""
    bench = run.parent.parent / "bench"
    keys = {one["question_id"]: one for one in map(json.loads, (bench / "keys.jsonl").read_text().splitlines())}
    verdicts = {one["question_id"]: one for one in map(json.loads, (run / "verdicts.jsonl").read_text().splitlines())}
    found = []
    for question in map(json.loads, (bench / "questions.jsonl").read_text().splitlines()):
        gold = set(keys[question["id"]]["answer"]["value"].lower().split())
        parsed = (verdicts.get(question["id"]) or {}).get("parsed") or {}
        said = set(parsed.get("value", "").lower().split())
        found.append((question["context_id"], {"m": len(gold & said), "p": len(said), "g": len(gold)}))
    return found


def test_scores_are_ratios_of_sums_and_means_of_ratios(runs: Path) -> None:
    for run in sorted(runs.iterdir()):
        scores = fathom.score_run(run)
        counts = [one for _, one in words(run)]
        sums = {name: sum(count[name] for count in counts) for name in "mpg"}
        found = {measure.name: measure for measure in scores.measures}
        assert found["word precision"].micro.value == pytest.approx(sums["m"] / sums["p"])
        assert found["word recall"].micro.value == pytest.approx(sums["m"] / sums["g"])
        assert found["word F1"].micro.value == pytest.approx(2 * sums["m"] / (sums["p"] + sums["g"]))
        assert scores.overall.measures["word F1"] == pytest.approx(found["word F1"].micro.value)
        assert "words matched" not in scores.overall.measures
        assert found["word recall"].macro.value == pytest.approx(np.mean([count["m"] / count["g"] for count in counts]))
        assert found["word precision"].macro.value == pytest.approx(
            np.mean([count["m"] / count["p"] for count in counts if count["p"]])
        )
        assert found["words per title"].micro.value == pytest.approx(sums["p"] / sums["g"])
        for one in found.values():
            assert one.micro.low <= one.micro.value <= one.micro.high
            assert one.micro.clusters <= 8


def test_the_interval_is_clustered_by_context(runs: Path) -> None:
    """The delta method over contexts, as computed here directly, has about the same standard error."""
    fathom.score_run(runs / "a-full")
    one = next(
        measure for measure in fathom.analyze([runs / "a-full"]).runs[0].measures if measure.name == "word recall"
    )
    found = words(runs / "a-full")
    names = sorted({context for context, _ in found})
    top, bottom = (np.array([sum(c[x] for k, c in found if k == name) for name in names]) for x in "mg")
    ratio = top.sum() / bottom.sum()
    error = float(np.sqrt((((top - ratio * bottom) / bottom.sum()) ** 2).sum() * len(names) / (len(names) - 1)))
    half = (one.micro.high - one.micro.low) / 2
    assert 1.5 * error < half < 4 * error


def table(runs: Path, *words: object) -> dict[tuple[str, ...], list[str]]:
    out = runs.parent / "table.csv"
    assert call("table", *sorted(runs.iterdir()), *words, "--out", out, "--cells", "value") == 0
    rows = list(csv.reader(out.read_text().splitlines()))
    return {tuple(row[:1]): row[1:] for row in rows[1:]}


def test_tables_have_the_same_numbers(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for run in runs.iterdir():
        fathom.score_run(run)
    shown = fathom.table(sorted(runs.iterdir()), measure=["word-f1", "word-recall:macro", "words-gold:sum"])
    cells = {(cell.row[0], cell.measure): cell for cell in shown.content.cells}
    for run in runs.iterdir():
        found = {measure.name: measure for measure in fathom.score_run(run).measures}
        f1 = cells[run.name, "word-f1"]
        assert (f1.value, f1.low, f1.high) == pytest.approx(
            (found["word F1"].micro.value, found["word F1"].micro.low, found["word F1"].micro.high)
        )
        assert cells[run.name, "word-recall:macro"].value == pytest.approx(found["word recall"].macro.value)
        assert cells[run.name, "words-gold:sum"].value == sum(one["g"] for _, one in words(run))
    lengths = fathom.table(sorted(runs.iterdir()), measure=["word-length:count", "word-length:var", "word-length"])
    values = [
        value
        for line in map(json.loads, (runs / "b-full" / "verdicts.jsonl").read_text().splitlines())
        for value in line["values"]["word length"]
    ]
    shown_values = {cell.measure: cell.value for cell in lengths.content.cells if cell.row[0] == "b-full"}
    assert shown_values == pytest.approx(
        {"word-length:count": len(values), "word-length:var": np.var(values, ddof=1), "word-length": np.mean(values)}
    )
    best = fathom.table(sorted(runs.iterdir()), rows="model", columns="system", measure="word-f1", best="system")
    assert any(cell.column == ("best",) for cell in best.content.cells)
    macro = fathom.table(sorted(runs.iterdir()), measure="word-recall", macro="half")
    whole = fathom.table(sorted(runs.iterdir()), rows="run", columns="half", measure="word-recall")
    for cell in macro.content.cells:
        each = [one.value for one in whole.content.cells if one.row == cell.row]
        assert cell.value == pytest.approx(np.mean([one for one in each if one is not None]))
    paired = fathom.table(
        [runs / "a-closed", runs / "b-full"], rows="run", measure="word-recall", difference="run=a-closed,b-full"
    )
    one, two, gap = (cell.value for cell in paired.content.cells)
    assert one is not None and two is not None and gap == pytest.approx(two - one)


def test_commands_and_the_page_show_them(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folders = sorted(runs.iterdir())
    assert call("score", runs / "a-full") == 0
    printed = capsys.readouterr().out
    assert re.search(r"word recall +\d+\.\d% \(\d", printed) and "word F1" in printed.splitlines()[1]
    assert "words matched" not in printed
    contexts = map(json.loads, (runs.parent / "contexts.jsonl").read_text().splitlines())
    middle = sorted(context["tokens"] for context in contexts)[4]
    assert call("analyze", *folders, "--bins", middle) == 0
    printed = capsys.readouterr().out
    assert "micro (95% CI)" in printed and "the keys" in printed and "Best system of each model" in printed
    assert re.search(r"by length of the context +count +word recall\n +under ", printed)
    assert call("report", *folders, "--out", runs.parent / "page.html", "--figures", runs.parent / "figures") == 0
    page = _data((runs.parent / "page.html").read_text())
    for part in ("Precision and recall", "F1 = 0.5", "word length", "the keys", "Best system of each model"):
        assert part in page, part
    drawn: dict[str, Any] = {path.stem: path for path in (runs.parent / "figures").glob("*.svg")}
    assert {"precision-recall", "distribution-word-length"} <= drawn.keys()
