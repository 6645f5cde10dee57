"""Correlations over models, on points whose relation is known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fathom.analysis.model_correlations import ModelPoint, model_correlations, permutation_p_value, spearman
from fathom.api.runs import run
from fathom.api.scores import score_run
from fathom.records.errors import FathomError
from tests.commands import run_command


def point(number: int, accuracy: float, prompting: str = "direct", more: float = 0.1) -> ModelPoint:
    return ModelPoint(
        run=f"r{number}",
        model=f"m{number}",
        system="full",
        prompting=prompting,
        samples=3,
        accuracy=accuracy,
        pass_at_k=accuracy + more,
        output_tokens=100.0 * number,
    )


def test_known_relations_are_found() -> None:
    accuracies = [0.1, 0.2, 0.3, 0.5, 0.6, 0.8]
    points = [point(n, accuracy, more=0.3 - accuracy / 4) for n, accuracy in enumerate(accuracies)]
    # Step-by-step prompting costs weak models accuracy, and helps from 40% on.
    points += [
        point(n, accuracy + (accuracy - 0.4) / 2, "cot", more=0.3 - accuracy / 4)
        for n, accuracy in enumerate(accuracies)
    ]
    found = model_correlations(points)
    values = {correlation.of: correlation for correlation in found.correlations}
    assert values["exploration and accuracy"].value < -0.9
    assert values["exploration and accuracy"].p < 0.01
    assert values["gain from cot and accuracy without it"].value == pytest.approx(1.0)
    assert found.threshold == pytest.approx(0.4)
    assert len(found.gains) == 6


def test_few_models_give_no_correlation() -> None:
    found = model_correlations([point(n, n / 10) for n in range(1, 4)])
    assert (found.correlations, found.threshold) == ((), None)
    assert spearman(np.array([1.0, 1.0, 1.0]), np.array([1.0, 2.0, 3.0])) is None


def test_unrelated_values_are_seldom_significant() -> None:
    rng = np.random.default_rng(5)
    found = [permutation_p_value(rng.random(6), rng.random(6), seed) < 0.05 for seed in range(60)]
    assert np.mean(found) < 0.15


def test_runs_of_one_bench(tiny_bench: Path, tmp_path: Path) -> None:
    folders = []
    for number, chance in enumerate((0.1, 0.3, 0.5, 0.7)):
        folders.append(tmp_path / f"r{number}")
        run(tiny_bench, model=f"sim/reader?miss={chance}", out=folders[-1], samples=3, seed=number)
    with pytest.raises(FathomError, match="has no verdicts"):
        from fathom.api.model_correlations import correlate_models

        correlate_models(folders)
    for folder in folders:
        score_run(folder)
    printed = run_command("correlate", *folders).stdout
    assert "exploration and accuracy: Spearman" in printed
    assert "over 4 runs" in printed
