"""The leaderboard site and the command."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from fathom.analysis.analyze import analyze
from fathom.report.leaderboard import entries
from fathom.report.pages import write_page
from fathom.report.site import findings_on, write_site
from tests.browser import problems
from tests.conftest import Fathom
from tests.report.conftest import Opening, Sample
from tests.report.sample import PLAYERS, Player, play
from tests.report.test_summary import run_named, with_outcomes

MORE = (
    Player("simulated", "sim/reader?miss=0"),
    Player("broken", "sim/reader?timeout=1", "full", "meadow/1b"),
    Player("shaky", "sim/reader?timeout=0.3", "full", "meadow/3b"),
)


@pytest.fixture(scope="module")
def site(sample: Sample, tiny_bench: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two benches; one model was run on both, and twice on the first."""
    folder = tmp_path_factory.mktemp("site")
    extra = play(tiny_bench, folder / "runs" / "large-on-the-other", PLAYERS[0])
    again = replace(PLAYERS[0], name="harbor-large-again")
    more = [play(sample.bench, folder / "runs" / player.name, player) for player in (again, *MORE)]
    analysis = analyze([*sample.runs, *more, extra])
    written = write_site(analysis.findings, analysis.items, folder / "site", "Leaderboard")
    assert len(written.pages) == 2
    return folder / "site"


def test_each_bench_has_a_ranking_of_models(site: Path, opening: Opening) -> None:
    with opening(site / "index.html") as (page, seen):
        first, second = page.query_selector_all("table.leaderboard")
        assert len(first.query_selector_all("tbody tr")) == len(PLAYERS) + len(MORE)
        assert len(second.query_selector_all("tbody tr")) == 1
        ranks = [one.inner_text() for one in first.query_selector_all(".rank")]
        assert ranks == ["1", "2", "3", "4", *"–" * 5]
        said = [row.inner_text() for row in first.query_selector_all("tbody tr")]
        shares = [float(one.inner_text().rstrip("%")) for one in first.query_selector_all(".leaderboard-value")[:4]]
        assert shares == sorted(shares, reverse=True)
        assert "harbor/large-2" in said[0]
        assert seen.nothing(), seen
        assert problems(page) == []


def test_simulated_models_and_controls_are_marked_and_listed_below(site: Path, opening: Opening) -> None:
    with opening(site / "index.html") as (page, _):
        rows = page.query_selector_all(".bench >> nth=0 >> tbody tr")
        marks = [mark.inner_text() if (mark := row.query_selector(".control")) else "" for row in rows]
        assert marks == [""] * 5 + ["simulated"] + ["control"] * 3


def test_the_leaderboard_notes_missing_responses_and_the_run_shown(
    site: Path, sample: Sample, opening: Opening
) -> None:
    wanted = len(sample.analysis.items["meadow"])
    with opening(site / "index.html") as (page, _):
        rows = {
            row.query_selector(".run-title").inner_text(): row
            for row in page.query_selector_all(".bench >> nth=0 >> tbody tr")
            if not row.query_selector(".control")
        }
        assert f"{wanted} of {wanted} responses missing" in rows["meadow/1b"].inner_text()
        assert rows["meadow/1b"].query_selector(".leaderboard-value").inner_text() == "–"
        assert "at most " in rows["meadow/3b"].inner_text()
        assert int(rows["meadow/3b"].query_selector("[data-name=errors]").inner_text()) > 0
        assert "harbor-large, one of 2 runs" in rows["harbor/large-2"].inner_text()
        assert "the first complete one is shown" in page.inner_text("#figure-leaderboard")


def test_the_leaderboard_fits_a_narrow_screen(site: Path, opening: Opening) -> None:
    with opening(site / "index.html", viewport={"width": 360, "height": 780}) as (page, seen):
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        assert min(one.bounding_box()["width"] for one in page.query_selector_all(".leaderboard tbody th")) >= 160
        assert seen.nothing(), seen


def test_of_several_runs_the_first_complete_one_is_shown(sample: Sample) -> None:
    """Showing the best of many runs would favor models that were run often."""
    findings = sample.analysis.findings
    large = run_named(findings, "harbor-large")
    tries = [large.model_copy(update={"info": large.info.model_copy(update={"name": name})}) for name in "abc"]
    tries[0] = tries[0].model_copy(update={"not_asked": 10})
    tries[2] = tries[2].model_copy(
        update={"overall": with_outcomes(large, 1.0, correct=large.overall.outcomes.responses)}
    )
    (entry,) = entries(
        findings.model_copy(
            update={"runs": tuple(tries), "comparisons": (), "loss_decompositions": (), "baselines": ()}
        )
    )
    assert (entry.run.info.name, entry.runs, entry.rank) == ("b", 3, 1)


def test_each_bench_has_its_page_and_figures(site: Path, opening: Opening) -> None:
    with opening(site / "index.html") as (page, _):
        page.click(".bench h2 a >> nth=0")
        page.wait_for_selector("html[data-ready] table.headline")
        assert page.locator("table.headline tbody tr").count() == len(PLAYERS) + len(MORE) + 1
    for name in (
        "leaderboard.csv",
        "leaderboard.svg",
        "headline.json",
        "bench-1/figures/headline.svg",
        "bench-2/index.html",
    ):
        assert (site / name).stat().st_size > 100


def test_a_bench_page_has_only_the_findings_on_its_bench(sample: Sample) -> None:
    findings = analyze(sample.runs).findings
    (bench,) = findings.benches
    assert findings_on(findings, bench) == findings
    assert findings.baselines
    other = findings_on(findings, bench.model_copy(update={"fingerprint": "0" * 64}))
    parts = (other.runs, other.comparisons, other.repeated_runs, other.loss_decompositions, other.baselines)
    assert not any((*parts, other.closed_book))


def test_one_page_with_runs_on_two_benches(site: Path, sample: Sample, opening: Opening) -> None:
    other = site.parent / "runs" / "large-on-the-other"
    analysis = analyze([sample.runs[0], other])
    path = site.parent / "both.html"
    written = write_page(analysis.findings, analysis.items, path, "Both")
    sizes = [bench.questions for bench in analysis.findings.benches]
    assert written.items == sum(sizes)
    with opening(path) as (page, seen):
        names = ["/".join(Path(bench.folder).resolve().parts[-2:]) for bench in analysis.findings.benches]
        first, second = (f"the questions of {name} " for name in names)
        assert page.inner_text("h1").startswith("harbor-large (harbor/large-2) answers ")
        assert first in page.inner_text("h1")
        assert page.inner_text(".lead").startswith("large-on-the-other (harbor/large-2) answers ")
        assert second in page.inner_text(".lead")
        for number, size in enumerate(sizes):
            page.select_option("#filter-bench", str(number))
            page.wait_for_function("n => document.querySelector('.status').textContent.startsWith(`${n} of`)", arg=size)
        page.click(".row")
        page.wait_for_selector("#sheet .response")
        assert page.locator("#sheet .response").count() == 1, "a run on another bench has no place here"
        assert seen.nothing(), seen


def test_the_command_writes_a_page_and_figures(sample: Sample, fathom: Fathom, tmp_path: Path) -> None:
    done = fathom(
        "report", *sample.runs[:2], "--out", tmp_path / "a" / "page.html", "--figures", tmp_path / "figures", "--json"
    )
    assert done.returncode == 0, done.stderr
    printed = json.loads(done.stdout)
    assert printed["runs"] == 2
    assert printed["bytes"] == (tmp_path / "a" / "page.html").stat().st_size
    assert {Path(path).name for path in printed["figures"]} >= {"headline.csv", "headline.json", "headline.svg"}


def test_a_folder_of_runs_means_all_its_runs(sample: Sample, fathom: Fathom, tmp_path: Path) -> None:
    done = fathom("report", sample.folder / "runs", "--out", tmp_path / "page.html")
    assert done.returncode == 0, done.stderr
    assert f"{len(sample.runs)} runs" in done.stdout
    again = fathom("report", sample.folder / "runs", "--out", tmp_path / "again.html")
    assert again.returncode == 0
    assert (tmp_path / "page.html").read_bytes() == (tmp_path / "again.html").read_bytes()


def test_misuse_prints_one_sentence(sample: Sample, fathom: Fathom, tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.write_text("")
    for words, fault in (
        (("report",), "No run was given"),
        (("report", tmp_path / "nothing"), "There is no run"),
        (("report", sample.runs[0], "--out", tmp_path), "it is a folder"),
        (("report", sample.runs[0], "--site", taken), "it is a file"),
        (("report", sample.runs[0], "--site", tmp_path / "s", "--out", tmp_path / "p.html"), "Give one of them"),
        (("report", sample.runs[0], "--site", tmp_path / "s", "--figures", tmp_path / "f"), "Leave out --figures"),
    ):
        done = fathom(*words)
        assert (done.returncode, done.stdout) == (2, "")
        assert fault in done.stderr
        assert "Traceback" not in done.stderr
