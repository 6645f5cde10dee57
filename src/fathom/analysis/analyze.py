"""Analysis of runs: from run folders to findings. It only reads files; the same files give the same findings."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from fathom.analysis.baselines import baselines, closed_book_tests
from fathom.analysis.bench_data import BenchData, RunData, collect
from fathom.analysis.comparisons import comparisons
from fathom.analysis.correlates import correlates
from fathom.analysis.cost import with_pareto
from fathom.analysis.effective_length import without_effective_length
from fathom.analysis.findings import (
    Attribution,
    BenchInfo,
    Comparison,
    FailureStage,
    Findings,
    ItemFinding,
    RepeatedRuns,
    RunSummary,
    SettingComparison,
    StageCounts,
)
from fathom.analysis.intervals import IntArray, share
from fathom.analysis.loading import BenchRuns, load_runs
from fathom.analysis.loss_stages import explain_missing, loss_decompositions
from fathom.analysis.ratios import summarize_measures
from fathom.analysis.run_items import RunItems
from fathom.analysis.run_summary import (
    breakdowns,
    distributions,
    group,
    heat_maps,
    length_curve,
    length_ranges,
    masks,
    patterns,
    response_seconds,
)
from fathom.analysis.run_summary import samples_summary as samples_of
from fathom.analysis.setting_comparisons import setting_comparisons
from fathom.analysis.shared_documents import DocumentOverlap, SharedDocuments
from fathom.corpus.store import Corpus
from fathom.parallel import infrequent_gc
from fathom.records.errors import FathomError
from fathom.records.version import __version__
from fathom.tasks.catalog import distributions_of, family, measures_of
from fathom.tasks.errata import retired_questions

FEW_CONTEXTS = 15
MIN_FOR_PROCESSES = 1_500
"""Number of questions above which worker processes pay off: at 2,000, two take 5 seconds and one takes 6."""


@dataclass(frozen=True)
class AnalysisSettings:
    """Settings of an analysis."""

    seed: int = 0
    resamples: int = 2_000
    """Bootstrap resamples for effective lengths."""
    exchanges: int = 10_000
    """Random permutations for comparisons."""
    causes: bool = True
    """Whether to diagnose causes of incorrect answers, which takes most of the time."""
    lengths: tuple[int, ...] = ()
    """Limits of ranges of context lengths, in tokens, by which scores are shown; by default those of the families."""
    processes: int = 1
    """Worker processes for the diagnosis; the findings do not depend on it."""


@dataclass(frozen=True)
class Analysis:
    """Findings about runs, and about each response."""

    findings: Findings
    """All findings as one record, as `fathom analyze --out` writes it."""
    items: Mapping[str, Sequence[ItemFinding]]
    """By run, in the order of the bench; the samples of a question follow one another."""

    def all_items(self) -> Iterator[ItemFinding]:
        """Findings about each response of each run."""
        for findings in self.items.values():
            yield from findings


def analyze(
    folders: Sequence[Path],
    bench: Path | None = None,
    corpus: Path | None = None,
    settings: AnalysisSettings = AnalysisSettings(),  # noqa: B008 - frozen
    progress: Callable[[int], None] = lambda done: None,
) -> Analysis:
    """The findings about the runs in these folders. Give `bench` and `corpus` if they have been moved."""
    with infrequent_gc():  # the collector took a fifth of the time
        parts = [_Part.of(bench_runs, corpus, settings, progress) for bench_runs in load_runs(folders, bench)]
    order = {folder.resolve(): index for index, folder in enumerate(folders)}
    runs = sorted(
        ((order[Path(run.info.folder).resolve()], run) for part in parts for run in part.runs),
        key=lambda pair: pair[0],
    )
    guesses = [baseline for part in parts for baseline in baselines(part.data, part.data.runs, part.bench.fingerprint)]
    findings = Findings(
        fathom=__version__,
        seed=settings.seed,
        resamples=settings.resamples,
        benches=tuple(part.bench for part in parts),
        runs=tuple(without_effective_length(run, guesses) for _, run in runs),
        comparisons=tuple(comparison for part in parts for comparison in part.comparisons),
        setting_comparisons=tuple(comparison for part in parts for comparison in part.setting_comparisons),
        repeated_runs=tuple(
            repeated for part in parts for repeated in repeated_runs(part.data.runs, part.bench.fingerprint)
        ),
        loss_decompositions=tuple(
            decomposition
            for part in parts
            for decomposition in loss_decompositions(part.data, part.data.runs, part.bench.fingerprint)
        ),
        baselines=tuple(guesses),
        closed_book=tuple(
            test for part in parts for test in closed_book_tests(part.data, part.data.runs, part.bench.fingerprint)
        ),
        notes=tuple(note for part in parts for note in part.notes),
    )
    return Analysis(findings, {run.info.name: part.items[run.info.name] for part in parts for run in part.runs})


def compare_runs(
    first: Path,
    second: Path,
    bench: Path | None = None,
    settings: AnalysisSettings = AnalysisSettings(),  # noqa: B008 - frozen
) -> Analysis:
    """The analysis of two runs on one bench, without causes."""
    if len(load_runs([first, second], bench)) > 1:
        raise FathomError(f"'{first}' and '{second}' are runs on different benches. Compare runs on the same bench.")
    return analyze([first, second], bench, None, replace(settings, causes=False))


@dataclass(frozen=True)
class _Part:
    """The analysis of one bench."""

    bench: BenchInfo
    data: BenchData
    runs: list[RunSummary]
    comparisons: list[Comparison]
    setting_comparisons: list[SettingComparison]
    items: dict[str, RunItems]
    notes: list[str]

    @classmethod
    def of(
        cls, bench_runs: BenchRuns, corpus: Path | None, settings: AnalysisSettings, progress: Callable[[int], None]
    ) -> _Part:
        with ExitStack() as stack:
            opened_corpus = open_corpus_of(bench_runs, corpus, stack) if settings.causes else None
            data = collect(bench_runs, opened_corpus, worker_processes(bench_runs, settings.processes), progress)
        bench = _bench_info(data)
        rng = np.random.default_rng([settings.seed, int(bench.fingerprint[:8], 16)])
        shared = SharedDocuments.of(data.documents) if DocumentOverlap.of(data.documents).shared else None
        items: dict[str, RunItems] = {}
        runs = []
        for run in data.runs:
            result = run.causes.estimate()
            stages = run.stages.stages()
            items[run.name] = run.explained(result, stages)
            attribution = result.attribution if run.causes.answers else None
            failed = run.stages.summary(stages, run.arrays.contexts, run.run.samples)
            runs.append(_summary(data, run, attribution, failed, bench, settings, rng, shared))
        runs = with_pareto(runs, [run.run.questions for run in data.runs])
        run_comparisons = comparisons(data, data.runs, data.groupings.main, settings.exchanges, rng)
        compared_settings = setting_comparisons(data, data.runs, settings.exchanges, rng)
        notes = [*_notes(data, bench, runs, settings.causes), *explain_missing(data.runs)]
        return cls(bench, data, runs, run_comparisons, compared_settings, items, notes)


def open_corpus_of(bench_runs: BenchRuns, given_folder: Path | None, stack: ExitStack) -> Corpus | None:
    """The bench's corpus; None if it is missing or differs. If the user gave it, a different corpus is an error."""
    folder = given_folder or bench_runs.bench.corpus_folder
    if given_folder is None and not folder.exists():
        return None
    opened_corpus = stack.enter_context(Corpus(folder))
    if opened_corpus.manifest.fingerprint == bench_runs.bench.manifest.corpus_fingerprint:
        return opened_corpus
    if given_folder is None:
        return None
    raise FathomError(
        f"The corpus '{folder}' is not the one that the bench '{bench_runs.bench.folder}' was built from. "
        "Give its corpus with --corpus."
    )


def worker_processes(bench_runs: BenchRuns, processes: int) -> int:
    """The number of worker processes; one if starting more takes longer than the work."""
    return processes if bench_runs.bench.manifest.questions >= MIN_FOR_PROCESSES else 1


def _bench_info(data: BenchData) -> BenchInfo:
    bench = data.bench_runs.bench
    manifest = bench.manifest
    fitted = manifest.fit
    overlap = DocumentOverlap.of(_all_documents(data))
    return BenchInfo(
        fingerprint=manifest.fingerprint,
        folder=str(bench.folder),
        name=data.bench_runs.name,
        families=manifest.families,
        questions=manifest.questions,
        contexts=manifest.contexts,
        documents=overlap.documents,
        counts=StageCounts(
            built=manifest.questions if fitted is None else fitted.built,
            fitted=manifest.questions,
            errors=0,
            dropped=0 if fitted is None else sum(fitted.refused.values()),
            retired=len(retired_questions(bench.folder)),
        ),
        shared_documents=overlap.shared,
        linked_contexts=overlap.linked,
        leaks=manifest.leaks,
        licenses=manifest.licenses,
        baselines=tuple(
            line.strip()
            for name in manifest.families
            for line in family(name).baselines(manifest.reports.get(name, {}))
        ),
    )


def _all_documents(data: BenchData) -> list[IntArray]:
    """The documents of every context of the bench, including contexts that no run asks about."""
    if len(data.documents) == data.bench_runs.bench.manifest.contexts:
        return data.documents
    numbers: dict[str, int] = {}
    return [
        np.array([numbers.setdefault(id, len(numbers)) for id in context.documents], dtype=np.int64)
        for context in data.bench_runs.bench.contexts()
    ]


def _summary(
    data: BenchData,
    run: RunData,
    attribution: Attribution | None,
    failure_stages: tuple[FailureStage, ...],
    bench: BenchInfo,
    settings: AnalysisSettings,
    rng: np.random.Generator,
    shared: SharedDocuments | None,
) -> RunSummary:
    samples, scores = run.run.samples, run.arrays
    all_rows = np.ones(len(scores.rows), dtype=bool)
    overall = group("all", scores, all_rows, bench, samples, is_overall=True)
    groups = masks(data, scores)
    return RunSummary(
        info=run.run.info(not overall.outcomes.error and not overall.outcomes.unanswered),
        overall=overall,
        breakdowns=tuple(breakdowns(scores, groups, data.groupings, bench, samples)),
        heat_maps=tuple(heat_maps(scores, groups, data.groupings.cross_tabs)),
        lengths=length_curve(data.questions, scores, samples, settings.resamples, rng),
        samples=samples_of(run),
        correlates=correlates(
            scores.accuracy, scores.contexts, {name: values[scores.rows] for name, values in data.sizes.items()}
        ),
        patterns=tuple(patterns(data, run)),
        attribution=attribution,
        steps=run.steps.summary(),
        retrieval=run.retrieval.summary(scores.contexts),
        failure_stages=failure_stages,
        cost=run.usage.cost(len(scores.rows), overall.outcomes.correct / samples, run.run.spent),
        accuracy_over_documents=None if shared is None else shared.share(scores.accuracy, scores.contexts),
        not_asked=run.run.not_asked,
        measures=summarize_measures(measures_of(bench.families), scores.measures, scores.contexts),
        distributions=distributions(run, distributions_of(bench.families)),
        seconds=response_seconds(run),
        length_ranges=length_ranges(data, scores, settings.lengths or _lengths(bench), bench, samples),
    )


def _lengths(bench: BenchInfo) -> tuple[int, ...]:
    """The ranges of lengths of the first family that has some."""
    return next((limits for name in bench.families if (limits := family(name).figures.lengths)), ())


def repeated_runs(runs: Sequence[RunData], bench: str) -> list[RepeatedRuns]:
    """Runs that differ only in their seed, averaged question by question."""
    by_settings: dict[object, list[RunData]] = defaultdict(list)
    for run in runs:
        manifest = run.run.manifest
        run_settings = manifest.settings.model_dump(exclude={"seed", "limit", "split"})
        settings = json.dumps([manifest.system_settings, run_settings], sort_keys=True)
        by_settings[manifest.model, manifest.system, settings, run.arrays.rows.tobytes()].append(run)
    summaries = []
    for same_settings in by_settings.values():
        if len(same_settings) > 1:
            info = same_settings[0].run.info(True)
            values = np.stack([run.arrays.accuracy for run in same_settings])
            summaries.append(
                RepeatedRuns(
                    model=info.model,
                    system=info.system,
                    prompting=info.prompting,
                    bench=bench,
                    runs=tuple(run.name for run in same_settings),
                    accuracy=share(values.mean(axis=0), same_settings[0].arrays.contexts),
                    standard_deviation=float(values.mean(axis=1).std(ddof=1)),
                )
            )
    return summaries


def _notes_on_retired(data: BenchData, bench: BenchInfo) -> list[str]:
    """The accuracy of each run without and with the questions that were retired."""
    retired = retired_questions(data.bench_runs.bench.folder)
    notes = []
    for run in data.runs:
        scores = run.arrays
        not_retired = np.array([data.questions[row].id not in retired for row in scores.rows], dtype=bool)
        if not_retired.all():
            continue
        with_retired, without_retired = (
            share(scores.accuracy, scores.contexts),
            share(scores.accuracy[not_retired], scores.contexts[not_retired]),
        )
        retired_count = len(not_retired) - int(not_retired.sum())
        notes.append(
            f"{run.name}: {retired_count:,} of {len(not_retired):,} questions of '{bench.name}' are retired. "
            f"Accuracy without them {without_retired.value:.1%} "
            f"({without_retired.low:.1%} to {without_retired.high:.1%}), "
            f"with them {with_retired.value:.1%}, as in all other figures."
        )
    return notes


def _notes(data: BenchData, bench: BenchInfo, runs: Sequence[RunSummary], causes: bool) -> list[str]:
    """Caveats that a reader should know before relying on a figure."""
    notes = []
    if causes and not data.has_corpus:
        notes.append(
            f"The corpus of '{bench.name}' was not found, so causes of incorrect answers were not diagnosed. "
            "Give its folder with --corpus."
        )
    contexts = len(data.documents)
    if contexts < FEW_CONTEXTS:
        over = "1 context" if contexts == 1 else f"{contexts} contexts"
        notes.append(f"'{bench.name}' was asked over only {over}, so intervals are wide.")
    if bench.linked_contexts > 0.5:
        notes.append(
            f"{bench.shared_documents:.0%} of the documents of '{bench.name}' are in several contexts, which are "
            "therefore not independent; the interval over documents accounts for that."
        )
    for run, run_data in zip(runs, data.runs, strict=True):
        outcomes = run.overall.outcomes
        missing = outcomes.error + outcomes.unanswered
        if missing:
            answers_are = "1 response is" if missing == 1 else f"{missing:,} responses are"
            errors = "error" if outcomes.error == 1 else "errors"
            notes.append(
                f"{run.info.name}: {answers_are} missing ({outcomes.error:,} {errors}). Missing responses count in the "
                f"denominator; if all were correct, accuracy would be {run.overall.max_accuracy:.1%}."
            )
        if run_data.undiagnosed and data.has_corpus:
            answers_are = (
                "1 incorrect answer is"
                if run_data.undiagnosed == 1
                else f"{run_data.undiagnosed:,} incorrect answers are"
            )
            notes.append(f"{run.info.name}: {answers_are} from families that do not diagnose causes.")
    notes += _notes_on_retired(data, bench)
    return [*notes, *_scored_here([run.run.scored_here for run in data.runs])]


def _scored_here(counts: Sequence[int]) -> Iterator[str]:
    """One line for all runs with responses that had not been scored."""
    runs = sum(count > 0 for count in counts)
    if runs:
        is_single = sum(counts) == 1
        responses = "1 response" if is_single else f"{sum(counts):,} responses"
        in_runs = f"{runs:,} {'run' if runs == 1 else 'runs'}"
        yield f"{responses} of {in_runs} had not been scored and {'was' if is_single else 'were'} scored here."
