"""A leaderboard site: a folder with a ranking for each bench, and a report page for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fathom.analysis.findings import BenchInfo, Findings, ItemFinding
from fathom.records.errors import FathomError, file_errors
from fathom.records.files import atomic_write
from fathom.records.plurals import counted
from fathom.records.version import __version__
from fathom.report.figures import Figure, write_figures
from fathom.report.first_paint import WAITING
from fathom.report.formatting import bench_names, title_of
from fathom.report.leaderboard import headline, leaderboard
from fathom.report.page_data import pack_json
from fathom.report.pages import PageOptions, WrittenPage, assemble_page, write_page
from fathom.report.sections import all_figures

SCRIPTS = ("elements.js", "parts.js", "theme.js", "tables.js", "drawings.js", "leaderboard.js")


@dataclass(frozen=True)
class Site:
    """A site that was written."""

    folder: Path
    pages: tuple[WrittenPage, ...]
    runs: int

    def as_json(self) -> dict[str, object]:
        return {
            "site": str(self.folder / "index.html"),
            "runs": self.runs,
            "benches": [page.as_json() for page in self.pages],
        }

    def describe(self) -> str:
        benches = counted(len(self.pages), "bench", "benches")
        first = f"{self.folder / 'index.html'}: {counted(self.runs, 'run')} on {benches}"
        return "\n".join([first, *(f"  {page.describe()}" for page in self.pages)])


def write_site(
    findings: Findings,
    item_findings: Mapping[str, Sequence[ItemFinding]],
    folder: Path,
    title: str,
    options: PageOptions = PageOptions(),  # noqa: B008
) -> Site:
    """Write the leaderboard and one page for each bench, with the figures of each beside it."""
    check_site_path(folder)
    with file_errors("make the folder", folder):
        folder.mkdir(parents=True, exist_ok=True)
    pages = []
    for number, bench in enumerate(findings.benches, start=1):
        findings_of_bench = findings_on(findings, bench)
        folder_of_bench = folder / f"bench-{number}"
        pages.append(
            write_page(
                findings_of_bench, item_findings, folder_of_bench / "index.html", title_of(findings_of_bench), options
            )
        )
        write_figures(all_figures(findings_of_bench), folder_of_bench / "figures")
    board = leaderboard(findings)
    content = _first_page(findings, board, title)
    with atomic_write(folder / "index.html") as file:
        file.write(content)
    write_figures([board, headline(findings)], folder)
    return Site(folder, tuple(pages), len(findings.runs))


def check_site_path(folder: Path) -> None:
    """Raise an error if no site can be written there."""
    if folder.is_file():
        raise FathomError(f"Cannot write the site to '{folder}': it is a file. Give a folder.")


def findings_on(findings: Findings, bench: BenchInfo) -> Findings:
    """The findings on one bench."""
    runs = tuple(run for run in findings.runs if run.info.bench == bench.fingerprint)
    names = {run.info.name for run in runs}
    return findings.model_copy(
        update={
            "benches": (bench,),
            "runs": runs,
            "comparisons": tuple(
                comparison for comparison in findings.comparisons if {comparison.first, comparison.second} <= names
            ),
            "setting_comparisons": tuple(
                comparison for comparison in findings.setting_comparisons if comparison.run in names
            ),
            "loss_decompositions": tuple(
                decomposition
                for decomposition in findings.loss_decompositions
                if decomposition.bench == bench.fingerprint
            ),
            "baselines": tuple(baseline for baseline in findings.baselines if baseline.bench == bench.fingerprint),
            "closed_book": tuple(test for test in findings.closed_book if test.bench == bench.fingerprint),
            "repeated_runs": tuple(
                repeated for repeated in findings.repeated_runs if repeated.bench == bench.fingerprint
            ),
        }
    )


def _first_page(findings: Findings, figure: Figure, title: str) -> bytes:
    """The page with the leaderboard."""
    names = bench_names(findings)
    data = {
        "title": title,
        "fathom": __version__,
        "benches": [
            [
                names[bench.fingerprint],
                bench.questions,
                bench.contexts,
                bench.documents,
                f"bench-{number}/index.html",
                _best_baseline(findings, bench),
            ]
            for number, bench in enumerate(findings.benches, start=1)
        ],
        "systems": len({(run.info.model, run.info.system, run.info.prompting) for run in findings.runs}),
        "figure": figure.for_page(),
        "notes": list(findings.notes),
    }
    return assemble_page(title, WAITING, "", pack_json(data), SCRIPTS)


def _best_baseline(findings: Findings, bench: BenchInfo) -> float | None:
    """The highest accuracy of a baseline on a bench."""
    of_bench = [
        baseline
        for baseline in findings.baselines
        if baseline.bench == bench.fingerprint and baseline.kind == "baseline"
    ]
    return max((baseline.accuracy.value for baseline in of_bench), default=None)
