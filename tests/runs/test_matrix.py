"""`fathom run --matrix`: the cells of a file, their shared budget, and resuming them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import fathom
from fathom.records.errors import FathomError
from fathom.runs.folder import read_responses, read_run, read_spent
from fathom.runs.matrix import cells, parse_matrix
from tests.conftest import Fathom
from tests.pipeline import Pipeline
from tests.pipeline import serving as serving_pipeline
from tests.runs.conftest import KEY
from tests.serving import Provider, serving

pytestmark = pytest.mark.filterwarnings("ignore")  # the engine emits warnings of its own

ALL = {"full": True, "rag": True, "http://x/": False}


def labels(**matrix: object) -> list[str]:
    return [cell.label for cell in cells(parse_matrix(matrix), ALL, "direct", 1)]


def test_the_product_its_exclusions_and_extra_cells() -> None:
    found = labels(
        models=["a", {"model": "b", "reasoning_effort": "high"}],
        systems=["full", {"system": "rag", "settings": {"k": 3}}, "http://x/"],
        prompting=["direct", "cot"],
        samples=[1, 3],
        exclude=[
            {"model": "a", "samples": 3},
            {"system": "rag", "prompting": "cot"},
            {"system": "http*", "samples": 3},
        ],
        cells=[{"model": "c", "system": "full", "temperature": 0.5}],
    )
    assert found == [
        "a, full, direct",
        "a, full, cot",
        "a, rag, k=3, direct",
        "no model, http://x/, direct",
        "no model, http://x/, cot",
        "b, full, direct, reasoning_effort=high",
        "b, full, direct, 3 samples, reasoning_effort=high",
        "b, full, cot, reasoning_effort=high",
        "b, full, cot, 3 samples, reasoning_effort=high",
        "b, rag, k=3, direct, reasoning_effort=high",
        "b, rag, k=3, direct, 3 samples, reasoning_effort=high",
        "c, full, direct, temperature=0.5",
    ]
    assert labels(systems="http://x/") == ["no model, http://x/, direct"]
    assert labels(cells=[{"model": "c", "system": "full"}]) == ["c, full, direct"]


@pytest.mark.parametrize(
    ("matrix", "sentence"),
    [
        ({}, "The matrix has no `models`, and the system 'full' needs one"),
        ({"model": ["a"]}, "not a matrix of runs: field 'model'"),
        ({"models": ["sim/oracle"], "exclude": [{"system": "sql"}]}, "{'system': 'sql'} of the matrix matches no cell"),
        ({"models": ["sim/oracle"], "exclude": [{}]}, "no cells"),
        ({"models": ["sim/oracle"], "systems": ["ful"]}, "There is no system 'ful'"),
        (
            {"models": ["sim/oracle", "nobody/knows"]},
            "Cell 'nobody/knows, full, direct' of the matrix: The context window",
        ),
        (
            {"models": ["sim/oracle", "sim/oracl"]},
            "Cell 'sim/oracl, full, direct' of the matrix: There is no simulated",
        ),
        ({"models": ["sim/oracle", "sim/reader?luck=1"]}, "'sim/reader' has no parameter 'luck' on this bench"),
        (
            {"models": ["openai-api/x/y"], "window": "64K", "budget": 1},
            "prices of the model 'openai-api/x/y' are unknown",
        ),
        (
            {"models": ["sim/oracle"], "cells": [{"model": "sim/oracle", "system": "full"}]},
            "the cell 'sim/oracle, full, direct' twice",
        ),
    ],
)
def test_an_error_is_found_before_anything_runs(
    matrix: dict[str, object], sentence: str, letters_bench: Path, tmp_path: Path
) -> None:
    with pytest.raises(FathomError) as raised:
        fathom.run_matrix(letters_bench, matrix, out=tmp_path / "runs")
    assert sentence in str(raised.value)
    assert not (tmp_path / "runs").exists()


MATRIX = """
models = ["sim/oracle", {model = "sim/reader?miss=0.5&timeout=0.5", seed = 4}]
systems = ["full", {system = "rag", settings = {k = 1}}]

[[exclude]]
model = "sim/oracle"
system = "rag"
"""


def test_cells_are_run_reported_and_resumed(fathom: Fathom, letters_bench: Path, tmp_path: Path) -> None:
    file, out = tmp_path / "study.toml", tmp_path / "runs"
    file.write_text(MATRIX)
    planned = fathom("plan", letters_bench, "--matrix", file, "--out", out)
    assert "3 cells" in planned.stdout
    assert "4 of 4 responses to get, 4 requests, at most $0.00: sim/oracle, full, direct" in planned.stdout
    first = fathom("run", letters_bench, "--matrix", file, "--out", out)
    assert first.returncode == 1
    lines = first.stdout.splitlines()
    assert lines[1].split() == ["complete", "4", "of", "4", "100.0%", "$0.0000", "sim/oracle,", "full,", "direct"]
    assert lines[2].split()[0] == "incomplete"
    assert "not complete: run the same command again" in lines[-1]
    finished = (out / "bench-full-sim-oracle" / "responses.jsonl").read_bytes()
    for _ in range(20):
        last = fathom("run", letters_bench, "--matrix", file, "--out", out, "--json")
        if last.returncode == 0:
            break
    found = json.loads(last.stdout)
    assert [cell["state"] for cell in found["cells"]] == ["complete"] * 3
    assert (out / "bench-full-sim-oracle" / "responses.jsonl").read_bytes() == finished
    assert found["cells"][0]["accuracy"] == 1.0 > found["cells"][2]["accuracy"]
    assert Path(found["report"]).stat().st_size > 10_000
    assert read_run(Path(found["cells"][2]["folder"])).system_settings["k"] == 1
    assert fathom("run", letters_bench, "--matrix", file, "--model", "sim/null").returncode == 2


def test_one_budget_is_for_all_cells_and_a_failed_cell_does_not_stop_the_others(
    letters_bench: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MINE_API_KEY", KEY)
    prices = tmp_path / "prices.toml"
    prices.write_text('[models."openai-api/mine/*"]\nwindow = 128_000\ninput_price = 10.0\noutput_price = 0.0\n')
    with serving(Provider()) as provider, serving_pipeline(Pipeline()) as pipeline:
        one, gone, two = (
            {"model": f"openai-api/mine/{name}", "url": url}
            for name, url in {"one": provider.url, "gone": "http://127.0.0.1:9/v1", "two": provider.url}.items()
        )
        matrix: dict[str, object] = {"models": [one, gone, two]}
        request = fathom.plan(letters_bench, model="openai-api/mine/one", prices=prices, max_tokens=16)
        # Enough for the first model and a part of the second.
        budget = (request.price_at_most or 0.0) * 1.3

        def run(budget: float) -> fathom.MatrixRun:
            options = {"prices": prices, "max_tokens": 16, "temperature": 0.5}
            return fathom.run_matrix(letters_bench, matrix, out=tmp_path / "runs", budget=budget, retries=0, **options)  # type: ignore[arg-type]

        first = run(budget)
        assert [cell.state for cell in first.cells] == ["complete", "failed", "incomplete"]
        assert "No server responds at '127.0.0.1:9'" in (first.cells[1].error or "")
        assert "the budget is reached" in ((first.cells[2].status and first.cells[2].status.stopped) or "")
        spent = sum(read_spent(folder) for folder in first.runs)
        assert 0 < spent <= budget
        asked = sum(provider.seen.values())
        assert run(budget).cells[2].state == "incomplete"
        assert sum(provider.seen.values()) == asked, "what earlier commands spent counts"
        matrix = {"models": [one, two], "systems": ["full", pipeline.url]}
        with pytest.raises(FathomError, match="max_price"):
            run(10)
        matrix["systems"] = ["full", {"system": pipeline.url, "settings": {"max_price": 0.1}}]
        last = run(10)
        assert last.is_complete
        assert len(last.cells) == 3
    assert sum(provider.seen.values()) == 8, "nothing is asked twice"
    assert [len(read_responses(folder)) for folder in last.runs] == [4, 4, 4]
