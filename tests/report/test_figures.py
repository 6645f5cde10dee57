"""Figures as files, and the small parts that pages are made of."""

from __future__ import annotations

import csv
import io
import json
import zlib
from base64 import b64decode
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from fathom.analysis.analyze import analyze
from fathom.analysis.findings import Estimate
from fathom.report.drawings.canvas import SvgNode, as_svg, fit_label, spread_apart, text_width, xml_safe
from fathom.report.drawings.charts import (
    Curve,
    Dot,
    DotRow,
    Point,
    ScatterPoint,
    Segment,
    difference_matrix,
    dot_plot,
    line_chart,
    scatter_plot,
    stacked_bars,
)
from fathom.report.failures import cause_summary, causes, correlates, patterns
from fathom.report.figures import Figure, FigureColumn, write_figures
from fathom.report.formatting import percent, point
from fathom.report.page_data import LIMIT_LEVELS, pack_json, shorten
from fathom.report.sections import all_figures
from fathom.runs.folder import VERDICTS
from tests.report.conftest import Sample
from tests.report.sample import PLAYERS, play
from tests.report.test_summary import altered, run_named


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


def test_the_headline_file_has_the_findings(sample: Sample) -> None:
    figure = next(figure for figure in all_figures(sample.analysis.findings) if figure.id == "headline")
    rows = {row["run"]: row for row in json.loads(figure.as_json())["rows"]}
    for run in sample.analysis.findings.runs:
        row = rows[run.info.name]
        assert (row["accuracy"], row["low"], row["high"]) == (
            run.overall.accuracy.value,
            run.overall.accuracy.low,
            run.overall.accuracy.high,
        )
        counts = run.overall.counts
        names = ("built", "fitted", "errors", "dropped", "retired")
        assert [row[name] for name in names] == [getattr(counts, name) for name in names]


def test_every_figure_is_drawn(sample: Sample, tmp_path: Path) -> None:
    """Repeated runs and samples too."""
    asked_again = [play(sample.bench, tmp_path / name, replace(PLAYERS[4], name=name), 3) for name in ("one", "two")]
    findings = analyze(asked_again).findings
    figures = {figure.id: figure for some in (sample.analysis.findings, findings) for figure in all_figures(some)}
    assert {"samples", "repeated", "effective-length", "explained"} <= set(figures)
    for figure in figures.values():
        svg = figure.as_svg()
        assert svg is not None, figure.id
        assert etree.fromstring(svg.encode()).find(".//{*}text") is not None


def test_a_run_without_effective_length_is_drawn_at_none() -> None:
    row = DotRow("a", [Dot(0, Point(13.0, 13.0, 14.0, ""))])
    drawn = json.dumps(dot_plot("", [row], 880, 13.0, 16.0, "tokens", [13.0, 14.0, 15.0, 16.0]))
    assert drawn.count('"none"') == 2
    assert all(f'"{length}"' in drawn for length in ("16K", "32K", "64K"))
    assert '"8K"' not in drawn


def test_singular_nouns() -> None:
    one = Estimate(value=0.5, low=0.0, high=1.0, items=1, clusters=1, effective=1.0, method="made up")
    assert point("a", one).tip.endswith("1 question, 1 context")


def test_a_response_has_at_most_one_pattern(sample: Sample) -> None:
    assert all(len(one.patterns) <= 1 for item in sample.analysis.items.values() for one in item)
    (figure,) = patterns(sample.analysis.findings)
    assert "has one pattern" in figure.note


def test_the_rate_of_a_cause_has_an_interval_or_is_blank(sample: Sample) -> None:
    attribution = run_named(sample.analysis.findings, "meadow").attribution
    assert attribution is not None
    blank, *others = attribution.causes
    known = [other for other in others if other.count]
    changed = attribution.model_copy(update={"causes": (blank.model_copy(update={"rate": None}), *others)})
    findings = altered(sample.analysis.findings, "meadow", attribution=changed)
    figure = causes(findings)[0]
    rows = {row["cause"]: row for row in json.loads(figure.as_json())["rows"] if row["run"] == "meadow"}
    assert [rows[blank.name][name] for name in ("rate", "rate_low", "rate_high")] == [None, None, None]
    for one in known:
        row, rate = rows[one.name], one.rate
        assert rate is not None
        assert (row["rate"], row["rate_low"], row["rate_high"]) == (rate.value, rate.low, rate.high)
    assert figure.draw is not None
    drawn = json.dumps(figure.draw(880.0))
    assert drawn.count('"meadow, ') == len(known) > 0


def test_excluded_properties_are_named(sample: Sample) -> None:
    result = run_named(sample.analysis.findings, "meadow").correlates
    lacking = result.model_copy(update={"excluded": {"level": "it never varies"}, "fit": None, "note": "No model."})
    number = [run.info.name for run in sample.analysis.findings.runs].index("meadow")
    figure = correlates(altered(sample.analysis.findings, "meadow", correlates=lacking))[number]
    assert figure.note.endswith("No model. Excluded: level (it never varies).")


def test_one_note_covers_all_unscored_runs(sample: Sample, tmp_path: Path) -> None:
    runs = [play(sample.bench, tmp_path / player.name, player) for player in PLAYERS[:2]]
    for run in runs:
        (run / VERDICTS).unlink()
    notes = [note for note in analyze(runs).findings.notes if "scored here" in note]
    assert notes == [
        f"{2 * len(sample.analysis.items['meadow'])} responses of 2 runs had not been scored and were scored here."
    ]


def test_the_cause_summary_does_not_mention_programs(sample: Sample) -> None:
    """Some families have no programs."""
    said = cause_summary(sample.analysis.findings)
    assert said.endswith("have a likely cause.")
    assert "program" not in said


def test_marks_stay_inside_the_canvas(sample: Sample) -> None:
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


def test_charts_of_nothing_and_of_one_point() -> None:
    point = Point(0.5, 0.5, 0.5, "half")
    for width in (880.0, 340.0):
        drawn = [
            dot_plot("", [], width),
            dot_plot("", [DotRow("a", [])], width),
            dot_plot("", [DotRow("a", [Dot(23, point)])], width, -0.2, 0.3, "difference"),
            line_chart("", [Curve(0, "a", []), Curve(11, "b", [(64.0, point)])], [(64.0, "64")], width),
            scatter_plot(
                "",
                [ScatterPoint(0, "free", 0.0, point, "bench"), ScatterPoint(25, "dear", 3.0, point, None)],
                "dollars",
                width,
            ),
            stacked_bars("", [("a", [Segment("kept", "kept", 1.0, "all")])], width),
        ]
        for drawing in drawn:
            assert etree.fromstring(as_svg(drawing).encode()).tag.endswith("svg")


def walk(drawing: SvgNode) -> Iterator[tuple[str, dict[str, str], list[Any]]]:
    """Every element with its attributes and children."""
    name, attributes, children = cast(tuple[str, dict[str, str], list[Any]], drawing)
    yield name, attributes, children
    for child in children:
        if isinstance(child, list):
            yield from walk(child)


def labels_of(drawing: SvgNode) -> list[str]:
    """The texts of a drawing without their tooltips, which come first."""
    texts = etree.fromstring(as_svg(drawing).encode()).iter("{*}text")
    return ["".join((text.text or "", *(tip.tail or "" for tip in text))) for text in texts]


@pytest.mark.parametrize("count", [2, 12, 13, 60])
def test_labels_of_many_runs_stay_inside_the_chart(count: int) -> None:
    names = [f"bench-system-{number}" for number in range(count)]
    spots = [
        ScatterPoint(number, name, 10.0 + number, Point(0.5, 0.4, 0.6, name), "bench" if number % 20 == 1 else None)
        for number, name in enumerate(names)
    ]
    drawing = scatter_plot("", spots, "tokens", 880.0)
    heights = [float(one.get("y")) for one in etree.fromstring(as_svg(drawing).encode()).iter("{*}text")]
    assert all(0 < y < 320 for y in heights)
    labeled = [one for one in labels_of(drawing) if one.startswith("bench-")]
    assert labeled == (names if count <= 12 else names[1::20])


def test_names_beside_marks_cover_no_other_mark() -> None:
    """Six runs of about the same cost and accuracy."""
    runs = [(0.9, 10.0), (0.89, 14.0), (0.87, 12.0), (0.84, 30.0), (0.6, 11.0), (0.59, 9.0)]
    spots = [
        ScatterPoint(number, f"model-{number}", cost, Point(share, share, share, "tip"), None)
        for number, (share, cost) in enumerate(runs)
    ]
    drawing = scatter_plot("costs", spots, "US dollars", 880.0)
    marks, names = [], []
    for name, attributes, children in walk(drawing):
        if "mark" in attributes.get("class", ""):
            marks.append((float(attributes["cx"]), float(attributes["cy"])))
        elif name == "text" and "name" in attributes.get("class", ""):
            x, width = float(attributes["x"]), len(children[0]) * 7.5
            names.append((x - width if attributes["text-anchor"] == "end" else x, width, float(attributes["y"])))
    assert len(marks) == len(names) == len(runs)
    for left, width, y in names:
        assert not any(left - 5 < cx < left + width + 5 and y - 14 < cy < y + 7 for cx, cy in marks)
    for (left, width, y), (other_left, _, other_y) in combinations(names, 2):
        assert abs(y - other_y) >= 12 or other_left >= left + width or other_left + width <= left


def test_a_legend_names_what_is_drawn_within_the_width() -> None:
    names = ["correct with the full text", "lost in finding and reading", "lost in computing", "given up", "unclear"]
    pieces = [Segment(f"class-{number}", name, number / 10, "tip") for number, name in enumerate(names)]
    drawing = stacked_bars("stages", [("a-model-with-a-rather-long-name-2026", pieces)], 600.0)
    shown = {str(children[0]): attributes for name, attributes, children in walk(drawing) if name == "text"}
    assert [name for name in names if name in shown] == names[1:]
    assert all(float(shown[name]["x"]) + len(name) * 6.6 <= 600 for name in names[1:])


def test_lengths_that_are_not_comparable_are_not_joined() -> None:
    points = [(2.0**power, Point(0.5, 0.4, 0.6, "tip")) for power in (14, 15)]
    curves = [Curve(0, "joined", points), Curve(1, "apart", points, is_joined=False)]
    drawing = line_chart("lengths", curves, [(2.0**14, "16K"), (2.0**15, "32K")], 880.0)
    lines = [attributes["class"] for name, attributes, _ in walk(drawing) if name == "path"]
    assert lines == ["line s0"]


def test_columns_of_a_difference_matrix_have_the_numbers_of_their_rows() -> None:
    names = [f"bench-with-a-long-common-prefix-system-{number}" for number in range(40)]
    labels = labels_of(difference_matrix("", names[:4], [], {}, 880.0))
    assert labels == [one for number, name in enumerate(names[:4], 1) for one in (str(number), f"{name} · {number}")]
    assert [one for one in labels_of(difference_matrix("", names, [], {}, 880.0)) if one.isdigit()] == [
        str(number) for number in range(5, 41, 5)
    ]


@pytest.mark.parametrize(
    ("share", "said"),
    [(0.0, "0%"), (0.0004, "0.0%"), (0.625, "63%"), (0.6249, "62%"), (0.9999, "100.0%")],
)
def test_percentages_are_rounded_as_on_the_page(share: float, said: str) -> None:
    assert percent(share) == said


@given(st.text(), st.floats(10, 400))
def test_labels_fit(words: str, width: float) -> None:
    assert text_width(fit_label(words, width)) <= max(2, int(width / 6.6)) + 1


def test_shortened_names_differ_where_the_names_differ_at_the_end() -> None:
    assert fit_label("careful-reader-miss-0.05", 80) != fit_label("careful-reader-miss-0.30", 80)


@given(st.lists(st.floats(0, 300), max_size=12))
def test_labels_are_moved_apart_and_keep_their_order(places: list[float]) -> None:
    moved = spread_apart(places, 10, 0, 300)
    order = sorted(range(len(places)), key=lambda number: (places[number], number))
    assert all(moved[two] - moved[one] >= 9.99 for one, two in pairwise(order))


@given(st.text(min_size=1))
def test_any_text_can_be_drawn(words: str) -> None:
    drawing = etree.fromstring(as_svg(dot_plot(words, [DotRow(words, [Dot(0, Point(0, 0, 1, words))])], 880)).encode())
    assert "".join(drawing.find(".//{*}title").itertext()) == xml_safe(words)


@pytest.mark.parametrize("words", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1"])
def test_csv_escapes_formulas(words: str) -> None:
    figure = Figure.of(
        "f",
        "f",
        "",
        (FigureColumn("name", "name", lambda row: words), FigureColumn("value", "value", lambda row: row, "number")),
        [-1.5],
    )
    row = next(csv.DictReader(io.StringIO(figure.as_csv())))
    assert row == {"name": f"'{words}", "value": "-1.5"}


@given(st.text(min_size=1))
def test_packed_data_is_base64_and_can_be_decoded(words: str) -> None:
    letters_ = pack_json({"words": words})
    assert not set(letters_) & set("<>&\"' \u2028")
    assert json.loads(zlib.decompress(b64decode(letters_))) == {"words": words}


def test_a_lone_surrogate_does_not_break_a_page() -> None:
    assert json.loads(zlib.decompress(b64decode(pack_json("a\ud800b")))) == "a?b"


@given(st.text(max_size=400), st.integers(1, 300))
def test_shortened_texts_say_how_much_is_missing(text: str, most: int) -> None:
    short = shorten(text, most)
    if len(text) <= most:
        assert short == text
    else:
        assert f"[… {len(text) - most:,} characters left out …]" in short
        assert len(short) <= most + 60


def test_limits_become_stricter() -> None:
    for generous, sparing in pairwise(LIMIT_LEVELS):
        assert sparing.response < generous.response
        assert sparing.passage < generous.passage
    assert all(f"{limits.response:,} characters" in limits.rule() for limits in LIMIT_LEVELS)
