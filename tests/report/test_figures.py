"""Figures as files, and the small parts that pages are made of."""

from __future__ import annotations

import csv
import io
import json
import zlib
from base64 import b64decode
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from fathom.report.drawings.canvas import as_svg, fitted, legal, letters, spread
from fathom.report.drawings.charts import Curve, Dot, Line, Piece, Point, Spot, cloud, curves, dots, stacks
from fathom.report.figures import Column, Figure, write_figures
from fathom.report.packing import packed
from fathom.report.sections import all_figures
from fathom.report.shortening import LEVELS, shortened
from fathom.report.words import percent
from tests.report.conftest import Sample


def test_every_figure_is_written_in_every_form(sample: Sample, tmp_path: Path) -> None:
    figures = list(all_figures(sample.analysis.findings))
    assert len({figure.id for figure in figures}) == len(figures)
    write_figures(figures, tmp_path)
    for figure in figures:
        rows = list(csv.DictReader(io.StringIO((tmp_path / f"{figure.id}.csv").read_text())))
        assert len(rows) == len(figure.rows) == len(json.loads((tmp_path / f"{figure.id}.json").read_text())["rows"])
        if figure.draw is not None:
            drawing = etree.parse(tmp_path / f"{figure.id}.svg").getroot()
            width, height = (float(drawing.get(name)) for name in ("width", "height"))
            assert width > height / 40 > 0


def test_the_headline_file_holds_the_findings(sample: Sample) -> None:
    figure = next(figure for figure in all_figures(sample.analysis.findings) if figure.id == "headline")
    rows = {row["run"]: row for row in json.loads(figure.as_json())["rows"]}
    for run in sample.analysis.findings.runs:
        row = rows[run.facts.name]
        assert (row["right"], row["low"], row["high"]) == (run.all.right.value, run.all.right.low, run.all.right.high)
        counts = run.all.counts
        five = ("built", "fitted", "failed", "refused", "retired")
        assert [row[name] for name in five] == [getattr(counts, name) for name in five]


def test_nothing_drawn_leaves_its_canvas(sample: Sample) -> None:
    for figure in all_figures(sample.analysis.findings):
        for width in (880.0, 340.0):
            if figure.draw is None:
                continue
            drawing = etree.fromstring(as_svg(figure.draw(width)).encode())
            right, bottom = (float(value) for value in drawing.get("viewBox").split()[2:])
            for mark in drawing.iter("{*}circle"):
                assert 0 <= float(mark.get("cx")) <= right
                assert 0 <= float(mark.get("cy")) <= bottom
            for bar in drawing.iter("{*}rect"):
                assert float(bar.get("x")) + float(bar.get("width")) <= right + 0.01


def test_charts_hold_with_nothing_and_with_one() -> None:
    point = Point(0.5, 0.5, 0.5, "half")
    for width in (880.0, 340.0):
        drawn = [
            dots("", [], width),
            dots("", [Line("a", [])], width),
            dots("", [Line("a", [Dot(23, point)])], width, -0.2, 0.3, "difference"),
            curves("", [Curve(0, "a", []), Curve(11, "b", [(64.0, point)])], [(64.0, "64")], width),
            cloud("", [Spot(0, "free", 0.0, point, True), Spot(25, "dear", 3.0, point, False)], "dollars", width),
            stacks("", [("a", [Piece("kept", "kept", 1.0, "all")])], width),
        ]
        for drawing in drawn:
            assert etree.fromstring(as_svg(drawing).encode()).tag.endswith("svg")


@pytest.mark.parametrize(
    ("share", "said"),
    [(0.0, "0%"), (0.0004, "0.0%"), (0.625, "63%"), (0.6249, "62%"), (0.9999, "100.0%")],
)
def test_shares_are_rounded_as_the_page_rounds_them(share: float, said: str) -> None:
    assert percent(share) == said


@given(st.text(), st.floats(10, 400))
def test_labels_fit(words: str, width: float) -> None:
    assert letters(fitted(words, width)) <= max(2, int(width / 6.6)) + 1


@given(st.lists(st.floats(0, 300), max_size=12))
def test_names_are_moved_apart_and_keep_their_order(places: list[float]) -> None:
    moved = spread(places, 10, 0, 300)
    order = sorted(range(len(places)), key=lambda number: (places[number], number))
    assert all(moved[two] - moved[one] >= 9.99 for one, two in pairwise(order))


@given(st.text(min_size=1))
def test_any_text_can_be_drawn(words: str) -> None:
    drawing = etree.fromstring(as_svg(dots(words, [Line(words, [Dot(0, Point(0, 0, 1, words))])], 880)).encode())
    assert "".join(drawing.find(".//{*}title").itertext()) == legal(words)


@pytest.mark.parametrize("words", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1"])
def test_a_spreadsheet_takes_no_text_for_a_formula(words: str) -> None:
    figure = Figure("f", "f", "", (Column("name", "name"), Column("value", "value", "number")), ((words, -1.5),))
    row = next(csv.DictReader(io.StringIO(figure.as_csv())))
    assert row == {"name": f"'{words}", "value": "-1.5"}


@given(st.text(min_size=1))
def test_packed_data_is_letters_and_opens_again(words: str) -> None:
    letters_ = packed({"words": words})
    assert not set(letters_) & set("<>&\"' \u2028")
    assert json.loads(zlib.decompress(b64decode(letters_))) == {"words": words}


def test_half_a_character_does_not_stop_a_page() -> None:
    assert json.loads(zlib.decompress(b64decode(packed("a\ud800b")))) == "a?b"


@given(st.text(max_size=400), st.integers(1, 300))
def test_shortened_texts_say_how_much_is_missing(text: str, most: int) -> None:
    short = shortened(text, most)
    if len(text) <= most:
        assert short == text
    else:
        assert f"[… {len(text) - most:,} characters left out …]" in short
        assert len(short) <= most + 60


def test_limits_grow_stricter() -> None:
    for generous, sparing in pairwise(LEVELS):
        assert sparing.reply < generous.reply
        assert sparing.passage < generous.passage
    assert all(f"{limits.reply:,} characters" in limits.rule() for limits in LEVELS)
