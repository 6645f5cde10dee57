"""What a reader can change about the page: filters and runs, which its address has, and the order of tables."""

from __future__ import annotations

import fcntl
import threading
import time
from pathlib import Path
from urllib.parse import quote

import pytest

from fathom.cli import report
from fathom.report.drawings.canvas import GRAY, paint
from fathom.report.pages import source, write_page
from fathom.report.sections import sections
from fathom.runs.folder import RESPONSES
from tests.conftest import Fathom
from tests.report.conftest import Opening, Sample


def test_escape_clears_the_search_and_its_filter(sample: Sample, opening: Opening) -> None:
    with opening(sample.page) as (page, seen):
        every = page.inner_text("#explorer .status")
        page.fill("#search", "no item contains these words")
        page.wait_for_function("() => document.querySelector('#explorer .status').textContent.startsWith('0 of')")
        page.press("#search", "Escape")
        page.wait_for_function("every => document.querySelector('#explorer .status').textContent === every", arg=every)
        assert page.input_value("#search") == ""
        assert seen.nothing(), seen


def test_the_address_has_the_view(sample: Sample, opening: Opening) -> None:
    with opening(sample.page) as (page, _):
        page.select_option("#filter-run", label="meadow")
        page.select_option("#filter-outcome", label="incorrect")
        page.select_option("[data-tag=length]", label="32K")
        page.locator(".shown-runs label", has_text="harbor-small-tables").click()
        found = page.inner_text("#explorer .status")
        anchor = page.evaluate("() => location.hash")
    assert anchor == "#explorer?run=meadow&outcome=incorrect&tag.length=32K&hide=harbor-small-tables"
    with opening(sample.page, anchor) as (page, seen):
        assert page.inner_text("#explorer .status") == found
        assert page.locator(".shown-runs input:not(:checked)").count() == 1
        page.locator("#explorer .row").first.click()
        page.wait_for_selector("#sheet .question")
        opened, item = page.inner_text("#sheet .question"), page.evaluate("() => location.hash")
        assert seen.nothing(), seen
    with opening(sample.page, item) as (page, _):
        page.wait_for_selector("#sheet .question")
        assert page.inner_text("#sheet .question") == opened
        page.keyboard.press("Escape")
        assert page.evaluate("() => location.hash") == anchor


def test_an_address_of_another_page_shows_everything(sample: Sample, opening: Opening) -> None:
    anchor = "#explorer?run=gone&outcome=odd&cause=none&tag.length=7K&tag.none=x&hide=gone&words=" + quote("100%")
    with opening(sample.page, anchor) as (page, seen):
        page.fill("#search", "")
        page.wait_for_function("() => document.querySelector('#explorer .status').textContent.startsWith('All')")
        assert page.locator(".shown-runs input:not(:checked)").count() == 0
        assert seen.nothing(), seen


def test_hidden_runs_are_nowhere_on_the_page(sample: Sample, opening: Opening) -> None:
    with opening(sample.page) as (page, _):
        number = [run.info.name for run in sample.analysis.findings.runs].index("meadow")
        everywhere = f"[data-run='{number}']:visible"
        for section in ("headline", "lengths", "breakdowns", "causes", "explorer"):
            assert page.locator(f"#{section} {everywhere}").count() > 0, section
        page.locator(".shown-runs label").nth(number).click()
        page.select_option("#choose-breakdowns", "1")
        assert page.locator(f"main {everywhere}").count() == 0


def test_runs_have_one_order(sample: Sample, opening: Opening) -> None:
    """In the table, the legends, the causes and the marks of items, which have the same colors as their heads."""
    wanted = [run.info.name for run in sample.analysis.findings.runs]
    assert wanted != [run.name for run in sample.runs], "the page got them in another order"
    with opening(sample.page) as (page, _):
        rows = page.locator("table.headline tbody tr").all()
        assert [int(row.get_attribute("data-run")) for row in rows] == list(range(len(wanted)))
        assert all(name in row.inner_text() for name, row in zip(wanted, rows, strict=True))
        assert page.locator("#lengths .legend .run-name").all_inner_texts() == wanted
        assert page.locator("#explorer .legend .run-name").all_inner_texts() == wanted
        heads = page.locator("#explorer .sign-head").all()
        assert [head.get_attribute("data-tip") for head in heads] == wanted
        signs = page.locator("#explorer .row").first.locator(".sign").all()
        assert [sign.get_attribute("data-tip").split(":")[0] for sign in signs] == wanted
        for head, sign in zip(heads, signs, strict=True):
            assert abs(head.bounding_box()["x"] - sign.bounding_box()["x"]) < 2
        causes = page.locator("#causes thead th[data-run]").all_inner_texts()
        assert causes == [name for name in wanted if name in causes]


def test_tables_are_sorted_by_their_titles(sample: Sample, opening: Opening) -> None:
    with opening(sample.page) as (page, _):
        head = page.locator("table.headline thead th", has_text="Tokens")
        for order, turned in (("descending", True), ("ascending", False)):
            head.locator("button").click()
            cells = page.locator("table.headline td[data-name=tokens]").all_inner_texts()
            numbers = [int(cell.replace(",", "")) for cell in cells]
            assert numbers == sorted(numbers, reverse=turned)
            assert head.get_attribute("aria-sort") == order
        page.select_option("#choose-comparisons", "1")
        page.locator("#figure-comparisons .tools button", has_text="Table").click()
        page.locator("#figure-comparisons th button", has_text="Second").first.click()
        seconds = page.locator("#figure-comparisons tbody td:nth-child(2)").all_inner_texts()
        assert seconds == sorted(seconds)


def test_a_hidden_run_is_in_no_comparison(sample: Sample, opening: Opening) -> None:
    """Neither in the matrix nor in the list of pairs, and its name is in no legend."""
    with opening(sample.page, "#comparisons?hide=meadow") as (page, seen):
        cells = page.locator("#comparisons svg g").filter(visible=True)
        others = len(sample.analysis.findings.runs) - 1
        assert cells.count() == others * (others - 1)
        page.select_option("#choose-comparisons", label="Differences between runs")
        assert page.locator("#comparisons svg g").filter(visible=True).count() == others * (others - 1) // 2
        assert "meadow" not in page.locator(".legend .run-name").filter(visible=True).all_inner_texts()
        assert seen.nothing(), seen


def test_a_legend_has_the_runs_of_its_figure(sample: Sample, opening: Opening, tmp_path: Path) -> None:
    first, *others = sample.analysis.findings.runs
    runs = (first.model_copy(update={"breakdowns": ()}), *others)
    path = tmp_path / "page.html"
    write_page(sample.analysis.findings.model_copy(update={"runs": runs}), sample.analysis.items, path, "Page")
    with opening(path) as (page, _):
        names = [run.info.name for run in runs]
        assert page.locator("#lengths .run-name").all_inner_texts() == names
        assert page.locator("#breakdowns .run-name").all_inner_texts() == names[1:]


def test_comparisons_of_many_runs_are_also_a_matrix(sample: Sample) -> None:
    findings = sample.analysis.findings
    matrix, _ = next(section for section in sections(findings) if section.id == "comparisons").figures
    runs = [run.info.name for run in findings.runs]
    assert len(matrix.rows) == len(runs) * (len(runs) - 1)
    found = {(row[0], row[1]): row[2] for row in matrix.rows}
    for (one, two), value in found.items():
        assert isinstance(value, float)
        assert found[two, one] == -value
    few = findings.model_copy(update={"runs": findings.runs[:3]})
    assert [
        figure.id for figure in next(section for section in sections(few) if section.id == "comparisons").figures
    ] == ["comparisons"]


def test_colors_of_runs_are_different() -> None:
    """No two of the first ten runs have nearly the same color, in either theme, nor the gray of what is no run."""
    light, dark = source("theme.css").split("data-theme", 1)
    for theme in (light, dark):
        named = [theme.split(f"--s{number}: #", 1)[1][:6] for number in range(10)]
        colors = [tuple(int(one[place : place + 2], 16) for place in (0, 2, 4)) for one in named]
        apart = [
            sum((a - b) ** 2 for a, b in zip(color, two, strict=True)) ** 0.5
            for index, color in enumerate(colors)
            for two in colors[:index]
        ]
        assert min(apart) > 40
    assert paint(GRAY) not in {paint(number) for number in range(30)}


def test_the_page_without_a_script(sample: Sample, opening: Opening) -> None:
    """A preview or a printer sees the headline and the main table."""
    text = sample.page.read_text()
    shown = text[text.index('<div id="page">') : text.index("<noscript>")]
    for run in sample.analysis.findings.runs:
        assert f"<td>{run.info.name}</td>" in shown
    with opening(sample.page) as (page, _):
        assert f"<h1>{page.inner_text('h1')}</h1>" in shown


def test_a_page_is_written_again_while_a_run_goes_on(
    sample: Sample, tmp_path: Path, fathom: Fathom, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report, "REFRESH", 1)
    page = tmp_path / "page.html"
    refreshing: list[bool] = []

    def finish() -> None:
        with (sample.runs[0] / RESPONSES).open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            locked.set()
            while not page.exists():
                time.sleep(0.02)
            refreshing.append('http-equiv="refresh" content="1"' in page.read_text())

    locked = threading.Event()
    thread = threading.Thread(target=finish)
    thread.start()
    locked.wait()
    done = fathom("report", sample.runs[0], "--watch", "--out", page, "--processes", 1)
    thread.join()
    assert done.returncode == 0, done.stderr
    assert refreshing == [True]
    assert "a run is in progress" in done.stderr
    assert 'http-equiv="refresh"' not in page.read_text()
