"""A leaderboard as a folder of pages: one table over many benches and runs, and a report for each bench."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import fathom
from fathom.analysis.findings import BenchFacts, Findings, ItemFinding, RunFinding
from fathom.records.errors import FathomError, touching
from fathom.records.files import replacing
from fathom.report.figures import Column, Figure, Value, write_figures
from fathom.report.headline import headline
from fathom.report.packing import packed
from fathom.report.pages import Choice, Written, assembled, write_page
from fathom.report.sections import all_figures
from fathom.report.titles import bench_names, title_of

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
        lines = [f"{self.folder / 'index.html'}: {self.runs} runs on {len(self.pages)} benches"]
        return "\n".join([*lines, *(f"  {page.describe()}" for page in self.pages)])


def write_site(
    findings: Findings,
    found: Iterable[ItemFinding],
    folder: Path,
    title: str,
    choice: Choice = Choice(),  # noqa: B008
) -> Site:
    """Write the leaderboard and one page for each bench, with the figures of each beside it."""
    refuse_site(folder)
    with touching("make the folder", folder):
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
    board = board_figure(findings)
    content = _board(findings, board, title)
    with replacing(folder / "index.html") as file:
        file.write(content)
    write_figures([board, headline(findings)], folder)
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


def board_figure(findings: Findings) -> Figure:
    """Who answers (a model through a system) against benches."""
    entries: dict[tuple[str, str, str], dict[str, RunFinding]] = {}
    for run in findings.runs:
        who = run.facts.model, run.facts.system, run.facts.manner
        # Of several runs of one answerer on a bench the first is shown; the bench's own page shows all.
        entries.setdefault(who, {}).setdefault(run.facts.bench, run)
    return Figure(
        "board",
        "Leaderboard",
        "Share right with the 95% interval, by model and system; the mean is over benches, each counting the same.",
        _columns(findings),
        tuple(_row(who, found, findings) for who, found in _best_first(entries)),
    )


def _board(findings: Findings, figure: Figure, title: str) -> bytes:
    """The first page."""
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
        "figure": figure.for_page(),
        "notes": list(findings.notes),
    }
    return assembled(title, "", packed(data), SCRIPTS)


def _floor(findings: Findings, bench: BenchFacts) -> float | None:
    """The highest floor of a bench."""
    floors = [one.right.value for one in findings.floors if one.bench == bench.fingerprint and one.kind == "floor"]
    return max(floors, default=None)


Entries = dict[tuple[str, str, str], dict[str, RunFinding]]


def _best_first(entries: Entries) -> list[tuple[tuple[str, str, str], dict[str, RunFinding]]]:
    """Those that did most benches first, then by their mean."""
    return sorted(entries.items(), key=lambda entry: (-len(entry[1]), -_mean(entry[1])))


def _mean(found: dict[str, RunFinding]) -> float:
    return sum(run.all.right.value for run in found.values()) / len(found)


def _columns(findings: Findings) -> tuple[Column, ...]:
    each: list[Column] = []
    for number, bench in enumerate(findings.benches, start=1):
        each += [
            Column(f"right_{number}", bench_names(findings)[bench.fingerprint], "share"),
            Column(f"low_{number}", "from", "share"),
            Column(f"high_{number}", "to", "share"),
            Column(f"price_{number}", "price a question", "money"),
        ]
    return (
        Column("model", "Model"),
        Column("system", "System"),
        Column("manner", "Manner"),
        Column("benches", "Benches", "count"),
        Column("mean", "Mean", "share"),
        *each,
    )


def _row(who: tuple[str, str, str], found: dict[str, RunFinding], findings: Findings) -> tuple[Value, ...]:
    values: list[Value] = [*who, len(found), _mean(found)]
    for bench in findings.benches:
        run = found.get(bench.fingerprint)
        if run is None:
            values += [None, None, None, None]
        else:
            right = run.all.right
            values += [right.value, right.low, right.high, run.cost.price_a_question]
    return tuple(values)
