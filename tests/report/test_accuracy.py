"""Baselines and closed-book tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fathom.analysis.analyze import analyze
from fathom.report.accuracy import baselines, closed_book
from fathom.report.formatting import short_names
from tests.report.conftest import Sample
from tests.report.sample import Player, play


@pytest.fixture(scope="module")
def guessers(sample: Sample, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """Rows of closed-book models: one knows the keys, one guesses, one hardly answers."""
    folder = tmp_path_factory.mktemp("closed")
    players = (
        Player("knows", "sim/oracle", "closed-book", "meadow/70b"),
        Player("guesses", "sim/random", "closed-book", "meadow/8b"),
        Player("silent", "sim/reader?timeout=0.95", "closed-book", "meadow/1b"),
    )
    runs = [play(sample.bench, folder / player.name, player) for player in players]
    (figure,) = closed_book(analyze(runs).findings)
    rows: list[dict[str, Any]] = json.loads(figure.as_json())["rows"]
    return rows


def test_conclusions_of_closed_book_tests(guessers: list[dict[str, Any]]) -> None:
    said = {row["run"]: row["conclusion"] for row in guessers}
    assert said["knows"] == "exceeds the baseline"
    assert said["guesses"] == "does not significantly exceed the baseline"


def test_no_test_with_few_responses(guessers: list[dict[str, Any]]) -> None:
    silent = next(row for row in guessers if row["run"] == "silent")
    assert (silent["p"], silent["p_holm"]) == (None, None)
    assert "too few for a test" in silent["conclusion"]


def test_p_values_are_corrected_over_models(guessers: list[dict[str, Any]]) -> None:
    chances = {row["run"]: (row["p"], row["p_holm"]) for row in guessers}
    once, corrected = chances["knows"]
    # Holm: the smaller of two p-values is doubled.
    assert corrected == pytest.approx(2 * once)


def test_baselines_of_several_benches_have_distinct_names(sample: Sample, tiny_bench: Path, tmp_path: Path) -> None:
    player = Player("there", "sim/reader?miss=0.1", "full", "meadow/8b")
    findings = analyze([sample.runs[0], play(tiny_bench, tmp_path / "there", player)]).findings
    (figure,) = baselines(findings)
    assert figure.draw is not None
    drawn = json.dumps(figure.draw(880.0))
    names = {bench.name for bench in findings.benches}
    assert len(names) == 2
    for name in names:
        assert f"always NULL, {name}" in drawn


@pytest.mark.parametrize(
    ("names", "short"),
    [
        (["runs/bench-full-a", "runs/bench-full-b"], ["…a", "…b"]),
        (["bench-rag-k=5-mini", "bench-rag-k=50-mini"], ["…k=5-mini", "…k=50-mini"]),
        (["a-b", "a-"], ["a-b", "a-"]),
        (["one", "two"], ["one", "two"]),
        (["only"], ["only"]),
        ([], []),
    ],
)
def test_a_beginning_that_all_names_share_is_left_out(names: list[str], short: list[str]) -> None:
    assert list(short_names(names).values()) == short
