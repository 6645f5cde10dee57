"""A leaderboard as a folder of pages: a ranking for each of many benches, and a report for each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import fathom
from fathom.analysis.findings import BenchFacts, Findings, ItemFinding
from fathom.records.errors import FathomError, file_errors
from fathom.records.files import atomic_write
from fathom.report.board import board
from fathom.report.figures import Figure, write_figures
from fathom.report.headline import headline
from fathom.report.packing import packed
from fathom.report.pages import Choice, Written, assembled, write_page
from fathom.report.sections import all_figures
from fathom.report.titles import bench_names, title_of
from fathom.report.words import some

SCRIPTS = ("elements.js", "parts.js", "theme.js", "tables.js", "drawings.js", "board.js")


@dataclass(frozen=True)
class Site:
    """What was written."""

    folder: Path
    pages: tuple[Written, ...]
    runs: int

    def as_json(self) -> dict[str, object]:
        return {
            "site": str(self.folder / "index.html"),
            "runs": self.runs,
            "benches": [page.as_json() for page in self.pages],
        }

    def describe(self) -> str:
        benches = some(len(self.pages), "bench", "benches")
        first = f"{self.folder / 'index.html'}: {some(self.runs, 'run')} on {benches}"
        return "\n".join([first, *(f"  {page.describe()}" for page in self.pages)])


def write_site(
    findings: Findings,
    found: Iterable[ItemFinding],
    folder: Path,
    title: str,
    choice: Choice = Choice(),  # noqa: B008
) -> Site:
    """Write the leaderboard and one page for each bench, with the figures of each beside it."""
    refuse_site(folder)
    with file_errors("make the folder", folder):
        folder.mkdir(parents=True, exist_ok=True)
    by_run: dict[str, list[ItemFinding]] = defaultdict(list)
    for one in found:
        by_run[one.run].append(one)
    pages = []
    for number, bench in enumerate(findings.benches, start=1):
        part = only(findings, bench)
        items = (one for run in part.runs for one in by_run[run.facts.name])
        place = folder / f"bench-{number}"
        pages.append(write_page(part, items, place / "index.html", title_of(part), choice))
        write_figures(all_figures(part), place / "figures")
    shown = board(findings)
    content = _first_page(findings, shown, title)
    with atomic_write(folder / "index.html") as file:
        file.write(content)
    write_figures([shown, headline(findings)], folder)
    return Site(folder, tuple(pages), len(findings.runs))


def refuse_site(folder: Path) -> None:
    """Raises where no folder can stand."""
    if folder.is_file():
        raise FathomError(f"Cannot write the site to '{folder}': it is a file. Name a folder.")


def only(findings: Findings, bench: BenchFacts) -> Findings:
    """The findings on one bench."""
    runs = tuple(run for run in findings.runs if run.facts.bench == bench.fingerprint)
    names = {run.facts.name for run in runs}
    return findings.model_copy(
        update={
            "benches": (bench,),
            "runs": runs,
            "comparisons": tuple(one for one in findings.comparisons if {one.first, one.second} <= names),
            "ladders": tuple(one for one in findings.ladders if one.bench == bench.fingerprint),
            "floors": tuple(one for one in findings.floors if one.bench == bench.fingerprint),
            "contamination": tuple(one for one in findings.contamination if one.bench == bench.fingerprint),
            "repeated": tuple(one for one in findings.repeated if one.bench == bench.fingerprint),
        }
    )


def _first_page(findings: Findings, figure: Figure, title: str) -> bytes:
    """The leaderboard itself."""
    names = bench_names(findings)
    data = {
        "title": title,
        "fathom": fathom.__version__,
        "benches": [
            [
                names[one.fingerprint],
                one.questions,
                one.contexts,
                one.documents,
                f"bench-{number}/index.html",
                _floor(findings, one),
            ]
            for number, one in enumerate(findings.benches, start=1)
        ],
        "answerers": len({(run.facts.model, run.facts.system, run.facts.prompting) for run in findings.runs}),
        "figure": figure.for_page(),
        "notes": list(findings.notes),
    }
    return assembled(title, "", packed(data), SCRIPTS)


def _floor(findings: Findings, bench: BenchFacts) -> float | None:
    """The highest floor of a bench."""
    floors = [one.accuracy.value for one in findings.floors if one.bench == bench.fingerprint and one.kind == "floor"]
    return max(floors, default=None)
