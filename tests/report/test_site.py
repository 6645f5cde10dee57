"""The leaderboard and the command itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fathom.analysis.analyse import analyse
from fathom.report.pages import write_page
from fathom.report.site import write_site
from tests.conftest import Fathom
from tests.report.conftest import Opening, Sample
from tests.report.sample import PLAYERS, bench_in, play


@pytest.fixture(scope="module")
def site(sample: Sample, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two benches; one answerer was put to both."""
    folder = tmp_path_factory.mktemp("site")
    other = bench_in(folder, articles=40, count=3, questions=5, lengths=(65_536,))
    extra = play(other, folder / "runs" / "large-on-the-other", PLAYERS[0])
    analysis = analyse([*sample.runs, extra])
    written = write_site(analysis.findings, analysis.all_items(), folder / "site", "Leaderboard")
    assert len(written.pages) == 2
    return folder / "site"


def test_the_board_ranks_answerers_over_benches(site: Path, opening: Opening) -> None:
    with opening(site / "index.html") as (page, seen):
        rows = page.query_selector_all("table.board tbody tr")
        assert len(rows) == len(PLAYERS)
        means = [float(row.query_selector(".board-value").inner_text().rstrip("%")) for row in rows]
        assert means == sorted(means, reverse=True)
        page.locator(".sort").nth(2).click()
        first = page.query_selector("table.board tbody tr").inner_text()
        assert "harbour/large-2" in first
        assert page.get_attribute("table.board th:nth-child(5)", "aria-sort") == "descending"
        assert seen.nothing(), seen


def test_each_bench_has_its_page_and_figures(site: Path, opening: Opening) -> None:
    with opening(site / "index.html") as (page, _):
        page.click(".benches a >> nth=0")
        page.wait_for_selector("html[data-ready] table.headline")
        assert page.locator("table.headline tbody tr").count() == len(PLAYERS)
    for name in ("board.csv", "headline.json", "bench-1/figures/headline.svg", "bench-2/index.html"):
        assert (site / name).stat().st_size > 100


def test_runs_on_two_benches_stand_on_one_page(site: Path, sample: Sample, opening: Opening) -> None:
    other = site.parent / "runs" / "large-on-the-other"
    analysis = analyse([sample.runs[0], other])
    path = site.parent / "both.html"
    written = write_page(analysis.findings, analysis.all_items(), path, "Both")
    sizes = [bench.questions for bench in analysis.findings.benches]
    assert written.items == sum(sizes)
    with opening(path) as (page, seen):
        for number, size in enumerate(sizes):
            page.select_option("#filter-bench", str(number))
            page.wait_for_function("n => document.querySelector('.told').textContent.startsWith(`${n} of`)", arg=size)
        page.click(".row")
        page.wait_for_selector("#sheet .reply")
        assert "Not among its questions" in page.inner_text("#sheet .replies")
        assert seen.nothing(), seen


def test_the_command_writes_a_page_and_figures(sample: Sample, fathom: Fathom, tmp_path: Path) -> None:
    done = fathom(
        "report", *sample.runs[:2], "--out", tmp_path / "a" / "page.html", "--figures", tmp_path / "figures", "--json"
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["runs"] == 2
    assert told["bytes"] == (tmp_path / "a" / "page.html").stat().st_size
    assert {Path(path).name for path in told["figures"]} >= {"headline.csv", "headline.json", "headline.svg"}


def test_a_folder_of_runs_stands_for_its_runs(sample: Sample, fathom: Fathom, tmp_path: Path) -> None:
    done = fathom("report", sample.folder / "runs", "--out", tmp_path / "page.html")
    assert done.returncode == 0, done.stderr
    assert f"{len(sample.runs)} runs" in done.stdout
    again = fathom("report", sample.folder / "runs", "--out", tmp_path / "again.html")
    assert again.returncode == 0
    assert (tmp_path / "page.html").read_bytes() == (tmp_path / "again.html").read_bytes()


def test_misuse_is_told_in_a_sentence(sample: Sample, fathom: Fathom, tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.write_text("")
    for words, fault in (
        (("report",), "at least one run"),
        (("report", tmp_path / "nothing"), "There is no run"),
        (("report", sample.runs[0], "--out", tmp_path), "it is a folder"),
        (("report", sample.runs[0], "--site", taken), "it is a file"),
        (("report", sample.runs[0], "--site", tmp_path / "s", "--out", tmp_path / "p.html"), "not both"),
        (("report", sample.runs[0], "--site", tmp_path / "s", "--figures", tmp_path / "f"), "Leave --figures out"),
    ):
        done = fathom(*words)
        assert (done.returncode, done.stdout) == (2, "")
        assert fault in done.stderr
        assert "Traceback" not in done.stderr
