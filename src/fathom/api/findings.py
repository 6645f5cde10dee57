"""Findings about runs: analysis, pairwise comparison, contamination, and report pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from fathom.analysis import analyze as analysis
from fathom.analysis import loading
from fathom.analysis.best_systems import best_systems, figures_of, run_labels
from fathom.analysis.contamination import Contamination, ProbeResults, QuestionResult, SwapResults, question_results
from fathom.analysis.contamination import contamination as contamination_of
from fathom.analysis.cost import question_cost
from fathom.analysis.findings import (
    Attribution,
    BenchInfo,
    Breakdown,
    Comparison,
    Estimate,
    Findings,
    Group,
    LossDecomposition,
    MeasureSummary,
    RunSummary,
    SettingComparison,
    Spread,
)
from fathom.analysis.properties import Groupings
from fathom.api.arguments import Folder, Progress, as_path, as_paths, ignore
from fathom.api.dataframes import require_pandas
from fathom.records.errors import FathomError
from fathom.records.files import atomic_write, write_records
from fathom.records.lengths import parse_length
from fathom.report.figures import write_figures
from fathom.report.formatting import title_of
from fathom.report.pages import PageOptions, WrittenPage, check_page_path, write_page
from fathom.report.sections import all_figures
from fathom.report.site import Site, check_site_path, write_site
from fathom.runs.folder import MANIFEST, RunManifest, is_running, read_responses, read_run, selected_questions
from fathom.tasks.bench import Bench
from fathom.tasks.catalog import family
from fathom.tasks.swapping import REPORT

if TYPE_CHECKING:
    import pandas

__all__ = [
    "Analysis",
    "Attribution",
    "BenchInfo",
    "Breakdown",
    "Comparison",
    "Contamination",
    "Estimate",
    "Findings",
    "Group",
    "LossDecomposition",
    "MeasureSummary",
    "ProbeResults",
    "RunSummary",
    "SettingComparison",
    "Spread",
    "SwapResults",
    "analyze",
    "any_running",
    "best_systems",
    "check_outputs",
    "compare",
    "contamination",
    "count_contexts",
    "figures_of",
    "question_cost",
    "run_folders",
    "run_labels",
]


@dataclass(frozen=True)
class Analysis(analysis.Analysis):
    """Findings about runs, with methods that write them to files and pages."""

    corpus: Path | None = None
    """The corpus, if it has been moved."""

    def __repr__(self) -> str:
        return f"Analysis({', '.join(f'{run.info.name}: {run.overall.accuracy.value:.1%}' for run in self.runs)})"

    @property
    def runs(self) -> tuple[RunSummary, ...]:
        """A summary of each run: scores, breakdowns, error patterns, causes, cost."""
        return self.findings.runs

    @property
    def setting_comparisons(self) -> tuple[SettingComparison, ...]:
        """For each run, paired comparisons of the settings in which the same items were built."""
        return self.findings.setting_comparisons

    @property
    def comparisons(self) -> tuple[Comparison, ...]:
        """Pairwise comparisons of runs, overall and within groups."""
        return self.findings.comparisons

    @property
    def notes(self) -> tuple[str, ...]:
        """Caveats, in sentences."""
        return self.findings.notes

    @property
    def groupings(self) -> tuple[str, ...]:
        """Names of all breakdowns."""
        return tuple(dict.fromkeys(breakdown.by for run in self.runs for breakdown in run.breakdowns))

    @property
    def main_groupings(self) -> tuple[str, ...]:
        """The breakdowns that summaries show: the family if there are several, the length, and the tags that families
        declare for summaries."""
        families = tuple(dict.fromkeys(name for bench in self.findings.benches for name in bench.families))
        main = ("family",) * (len(families) > 1) + Groupings.of(families).main
        return tuple(by for by in main if by in self.groupings)

    def to_pandas(self) -> pandas.DataFrame:
        """One row per run and group of each breakdown. Needs pandas."""
        frame = require_pandas()
        rows = [
            {
                "run": run.info.name,
                "by": breakdown.by,
                "group": group.name,
                "accuracy": group.accuracy.value,
                "low": group.accuracy.low,
                "high": group.accuracy.high,
                "partial_credit": group.partial_credit.value,
                "questions": group.accuracy.items,
                "contexts": group.accuracy.clusters,
            }
            for run in self.runs
            for breakdown in run.breakdowns
            for group in breakdown.groups
        ]
        return frame.DataFrame(rows)

    def write_json(self, path: Folder) -> None:
        """Write the findings as one JSON file."""
        with atomic_write(as_path(path)) as file:
            file.write(self.findings.model_dump_json(indent=2).encode() + b"\n")

    def write_items(self, path: Folder) -> None:
        """Write the findings about each response as JSON lines."""
        write_records(as_path(path), self.all_items())

    def write_report(
        self, path: Folder, *, title: str | None = None, parts: bool | None = None, refresh: int | None = None
    ) -> WrittenPage:
        """Write the report as one HTML page that opens offline.

        `parts` puts the details of items in files beside the page; by default only if the page would be large. With
        `refresh` a browser loads the page again after that many seconds.
        """
        title = title or title_of(self.findings)
        options = PageOptions(parts, self.corpus, refresh)
        return write_page(self.findings, self.items, as_path(path), title, options)

    def write_site(self, folder: Folder, *, title: str = "Leaderboard", parts: bool | None = None) -> Site:
        """Write a leaderboard with a report page for each bench."""
        return write_site(self.findings, self.items, as_path(folder), title, PageOptions(parts, self.corpus))

    def write_figures(self, folder: Folder) -> list[Path]:
        """Write every figure of the report as CSV, JSON and SVG."""
        return write_figures(all_figures(self.findings), as_path(folder))


def analyze(
    runs: Folder | Sequence[Folder],
    *,
    bench: Folder | None = None,
    corpus: Folder | None = None,
    seed: int = 0,
    lengths: Sequence[str | int] = (),
    processes: int = 1,
    progress: Progress = ignore,
) -> Analysis:
    """Analyze runs: scores with intervals, breakdowns, comparisons, error patterns and causes.

    A folder of runs means all runs in it. `bench` and `corpus` are needed only if they have been moved. Reads the
    runs, their benches and corpora; calls no model. `lengths` are limits of ranges of context lengths, such as "15K",
    by which a family's measures are shown; by default those of the family.
    """
    limits = tuple(parse_length(length) if isinstance(length, str) else length for length in lengths)
    if list(limits) != sorted(set(limits)):
        raise FathomError("The limits of context lengths are not ascending. Give them as 15K,20K, for example.")
    settings = analysis.AnalysisSettings(seed=seed, lengths=limits, processes=processes)
    folders_of_runs = run_folders(runs)
    folders = list({folder.resolve(): folder for folder in folders_of_runs}.values())
    analysis_of_runs = analysis.analyze(folders, as_path(bench), as_path(corpus), settings, progress)
    findings = analysis_of_runs.findings
    if len(folders) < len(folders_of_runs):
        note = "A run that was given more than once is analyzed once."
        findings = findings.model_copy(update={"notes": (*findings.notes, note)})
    return Analysis(findings, analysis_of_runs.items, as_path(corpus))


def count_contexts(runs: Folder | Sequence[Folder], bench: Folder | None = None) -> int:
    """Number of contexts that an analysis of these runs goes through, for a progress bar."""
    return loading.count_contexts(run_folders(runs), as_path(bench))


def compare(first: Folder, second: Folder, *, bench: Folder | None = None, seed: int = 0) -> Analysis:
    """Compare two runs on one bench, question by question. Causes of errors are not diagnosed."""
    one, two = as_path(first), as_path(second)
    found = analysis.compare_runs(one, two, as_path(bench), analysis.AnalysisSettings(seed=seed))
    return Analysis(found.findings, found.items)


def check_outputs(page: Path | None, site: Path | None) -> None:
    """Raise an error if a page or site cannot be written there. Call it before a long analysis."""
    if page is not None:
        check_page_path(page)
    if site is not None:
        check_site_path(site)


def run_folders(runs: Folder | Sequence[Folder]) -> list[Path]:
    """The folders of these runs. A folder that contains runs is replaced by all of them.

    A file beside runs is passed over: `runs/*` also names the report of a matrix run.
    """
    paths = as_paths(runs)
    with_runs = {path.parent for path in paths if (path / MANIFEST).exists()}
    folders_found: list[Path] = []
    for path in paths:
        if path.is_file() and path.parent in with_runs:
            continue
        inside = (
            [] if (path / MANIFEST).exists() else sorted(manifest.parent for manifest in path.glob(f"*/{MANIFEST}"))
        )
        folders_found.extend(inside or [path])
    if not folders_found:
        raise FathomError("No run was given. Make one with `fathom run BENCH --model M`.")
    return folders_found


def any_running(runs: Folder | Sequence[Folder]) -> bool:
    """Whether a process is writing to one of these runs."""
    return any(map(is_running, run_folders(runs)))


def contamination(runs: Folder | Sequence[Folder]) -> dict[str, Contamination]:
    """How much of each run was memorized, by run folder.

    For a run on memorization probes: the share that was completed from memory, by year. For a run on a swapped bench:
    the share of answers that match the text shown, and the share that match the original documents. If the same
    model's run on the original bench is among `runs`, also the drop in accuracy.
    """
    opened = [_Run(folder) for folder in run_folders(runs)]
    return {str(run.folder): found for run, found in _contaminations(opened)}


@dataclass(frozen=True)
class _Run:
    """A run and its bench."""

    folder: Path

    @cached_property
    def manifest(self) -> RunManifest:
        return read_run(self.folder)

    @cached_property
    def bench(self) -> Bench:
        return loading.open_bench(self.folder, self.manifest)

    @property
    def swapped_from(self) -> str | None:
        """The fingerprint of the bench before the swap; None if the bench is not swapped."""
        report = self.bench.manifest.reports.get(REPORT)
        return str(report["bench"]) if report else None

    def results(self) -> Iterator[QuestionResult]:
        """The result of every question that the run asks."""
        keys = {key.question_id: key for key in self.bench.all_keys()}
        questions = selected_questions(self.bench.all_questions(), self.manifest.settings)
        checks = {name: family(name).check for name in self.bench.manifest.families}
        responses = read_responses(self.folder).values()
        return question_results(((question, keys[question.id]) for question in questions), responses, checks)

    def is_original_of(self, other: _Run) -> bool:
        """Whether this is the same model and system on the bench that the other run's bench was swapped from."""
        own, swapped = self.manifest, other.manifest
        return own.bench_fingerprint == other.swapped_from and (own.model, own.system, own.system_settings) == (
            swapped.model,
            swapped.system,
            swapped.system_settings,
        )


def _contaminations(runs: list[_Run]) -> Iterator[tuple[_Run, Contamination]]:
    used: set[Path] = set()
    for run in runs:
        if run.swapped_from is None:
            continue
        original = next((other for other in runs if other.is_original_of(run)), None)
        used |= {original.folder} if original else set()
        yield run, contamination_of(run.results(), original.results() if original else ())
    for run in runs:
        if run.swapped_from is not None or run.folder in used:
            continue
        if not any(family(name).probe_tag for name in run.bench.manifest.families):
            raise FathomError(
                f"The run '{run.folder}' is neither on memorization probes nor on a swapped bench, and no other given "
                "run is of the same model on a swapped version of its bench. Make a swapped bench with `fathom swap`, "
                "or probes with `fathom build memorization CORPUS`, and run the model on it."
            )
        yield run, contamination_of(run.results())
