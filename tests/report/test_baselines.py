"""What is right without reading, and what is said of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fathom.analysis.analyze import analyze
from fathom.report.baselines import baselines, closed_book
from tests.report.conftest import Sample
from tests.report.sample import Player, bench_in, play


@pytest.fixture(scope="module")
def guessers(sample: Sample, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """What is told of models without the context, one of which knows the keys and one of which hardly came to speak."""
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


def test_what_is_not_shown_is_not_denied(guessers: list[dict[str, Any]]) -> None:
    said = {row["run"]: row["what"] for row in guessers}
    assert said["knows"] == "knows more than can be guessed"
    assert said["guesses"] == "is not shown to know more than can be guessed"


def test_nothing_is_said_of_a_few_responses(guessers: list[dict[str, Any]]) -> None:
    silent = next(row for row in guessers if row["run"] == "silent")
    assert (silent["p"], silent["p_holm"]) == (None, None)
    assert "tells nothing" in silent["what"]


def test_chances_are_corrected_over_models(guessers: list[dict[str, Any]]) -> None:
    chances = {row["run"]: (row["p"], row["p_holm"]) for row in guessers}
    once, corrected = chances["knows"]
    # Of two runs that are tested, the less likely is taken twice.
    assert corrected == pytest.approx(2 * once)


def test_floors_of_several_benches_are_told_apart(sample: Sample, tmp_path: Path) -> None:
    other = bench_in(tmp_path, documents=40, count=2, questions=3, lengths=(65_536,))
    player = Player("there", "sim/reader?miss=0.1", "full", "meadow/8b")
    findings = analyze([sample.runs[0], play(other, tmp_path / "there", player)]).findings
    (figure,) = baselines(findings)
    assert figure.draw is not None
    drawn = json.dumps(figure.draw(880.0))
    for bench in findings.benches:
        assert f"always NULL, bench {bench.fingerprint[:6]}" in drawn
