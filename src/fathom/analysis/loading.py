"""Loading of runs with their bench: every question that a run asks, with its verdict if there is one.

Responses are released as they are used. Contexts, questions and keys are streamed and not kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from fathom.analysis.findings import ResponseOutcome, RunInfo
from fathom.analysis.stored_records import StoredRecords, stored_responses, stored_verdicts
from fathom.records.errors import FathomError
from fathom.records.files import read_records
from fathom.records.questions import Ending, QuestionId, Response, Step, Usage
from fathom.runs.folder import VERDICTS, RunManifest, read_run, read_usages, selected_questions
from fathom.scoring.answers import Answer
from fathom.scoring.recall import retrieved
from fathom.scoring.scores import VerdictSummary
from fathom.scoring.verdicts import Verdict
from fathom.tasks.bench import Bench
from fathom.tasks.catalog import family
from fathom.tasks.checking import ShownContexts, check
from fathom.tasks.family import ContextItems, Item


@dataclass(frozen=True, slots=True)
class ScoredResponse:
    """The parts of a response and its verdict that the analysis needs."""

    outcome: ResponseOutcome
    score: float
    usage: Usage
    parsed: Answer | None = None
    """The parsed answer, for incorrect responses only."""
    text: str = ""
    thinking: str = ""
    received: str = "answered"
    """The outcome of the response itself, before it was scored: answered, truncated, refused, ..."""
    measures: Mapping[str, float] = field(default_factory=dict)
    trace: tuple[Step, ...] = ()
    ending: Ending | None = None
    values: Mapping[str, tuple[float, ...]] = field(default_factory=dict)


UNANSWERED = ScoredResponse("unanswered", 0.0, Usage())


@dataclass
class LoadedRun:
    """One run, opened for analysis."""

    name: str
    folder: Path
    manifest: RunManifest
    responses: StoredRecords[Response]
    verdicts: StoredRecords[Verdict]
    """From the last scoring. Responses without a verdict are scored during the analysis."""
    questions: frozenset[QuestionId] = frozenset()
    """Questions that the run asks."""
    scored_here: int = 0
    spent: float | None = None
    not_asked: int = 0
    """Questions of the bench that the run does not ask."""
    all_verdicts: list[VerdictSummary] = field(default_factory=list)
    """Every verdict, if the run has several samples."""
    retrieves: bool = False
    """Whether a response of the run has a retrieval; a run without one shows the model everything."""
    shown: ShownContexts | None = None
    """The contexts of the bench."""

    @property
    def samples(self) -> int:
        return self.manifest.settings.samples

    def take(self, item: Item) -> list[ScoredResponse]:
        """The scored responses to a question, one per sample."""
        return [self._take(item, sample) for sample in range(self.samples)]

    def _take(self, item: Item, sample: int) -> ScoredResponse:
        response = self.responses.get(item.question.id, sample)
        if response is None:
            return replace(UNANSWERED, measures=family(item.question.family).empty_measures(item.key))
        stored = self.verdicts.get(item.question.id, sample)
        verdict = verdict_on(item, response, stored, self.shown)
        self.scored_here += verdict is not stored
        if self.samples > 1:
            self.all_verdicts.append(VerdictSummary.of(verdict))
        return ScoredResponse(
            verdict.outcome,
            verdict.score,
            response.usage,
            verdict.parsed if verdict.outcome == "incorrect" else None,
            response.text,
            response.thinking,
            response.outcome,
            verdict.measures,
            response.trace,
            response.ending,
            verdict.values,
        )

    def info(self, is_complete: bool) -> RunInfo:
        prompting = self.manifest.system_settings.get("prompting", "direct")
        return RunInfo(
            name=self.name,
            folder=str(self.folder),
            bench=self.manifest.bench_fingerprint,
            model=self.manifest.model,
            system=self.manifest.system,
            prompting=str(prompting),
            settings=self.manifest.settings.model_dump(),
            is_complete=is_complete,
        )


def verdict_on(item: Item, response: Response, stored: Verdict | None, shown: ShownContexts | None = None) -> Verdict:
    """The stored verdict, or a new one if there is none or it is out of date.

    After a resume, verdicts on earlier failures are out of date.
    """
    states = ("error", "overflow")
    if stored is not None and all((stored.outcome == state) == (response.outcome == state) for state in states):
        return stored
    return check(item, response, shown)


@dataclass(frozen=True)
class BenchRuns:
    """A bench and the runs on it."""

    bench: Bench
    runs: list[LoadedRun]
    name: str = ""
    """The name of the bench's folder, with as many parent folders as needed to make it unique."""

    @cached_property
    def numbers(self) -> dict[QuestionId, int]:
        """The questions of the bench, numbered from zero."""
        return {question.id: number for number, question in enumerate(self.bench.all_questions())}

    @cached_property
    def ids(self) -> dict[QuestionId, QuestionId]:
        """Each id mapped to itself, so that runs share one string."""
        return {id: id for id in self.numbers}

    def by_context(self) -> Iterator[ContextItems]:
        """Each context with the items that at least one run asks."""
        asked_ids = frozenset[QuestionId]().union(*(run.questions for run in self.runs))
        for context, items in self.bench.by_context():
            asked_items = [item for item in items if item.question.id in asked_ids]
            if asked_items:
                yield ContextItems(context, asked_items)


def load_runs(folders: Sequence[Path], bench: Path | None = None) -> list[BenchRuns]:
    """The runs grouped by bench, in the given order. `bench` is the bench's folder, if it has been moved."""
    if not folders:
        raise FathomError("No run was given. Give at least one run folder.")
    if len({folder.resolve() for folder in folders}) < len(folders):
        raise FathomError("A run was given twice. Give each run once.")
    by_bench: dict[str, BenchRuns] = {}
    for name, folder in zip(_unique_names(folders), folders, strict=True):
        manifest = read_run(folder)
        bench_runs = by_bench.get(manifest.bench_fingerprint)
        if bench_runs is None:
            bench_runs = BenchRuns(open_bench(folder, manifest, bench), [])
            by_bench[manifest.bench_fingerprint] = bench_runs
        bench_runs.runs.append(_load(name, folder, manifest, bench_runs))
    loaded = list(by_bench.values())
    # `fathom quickstart` calls every bench "bench": only the parent folders tell two of them apart.
    names = _unique_names([bench_runs.bench.folder for bench_runs in loaded])
    return [replace(loaded_bench, name=name) for loaded_bench, name in zip(loaded, names, strict=True)]


def count_contexts(folders: Sequence[Path], bench: Path | None = None) -> int:
    """Number of contexts in the benches of these runs, for a progress bar."""
    manifests = {manifest.bench_fingerprint: (folder, manifest) for folder in folders if (manifest := read_run(folder))}
    return sum(open_bench(*folder_and_manifest, bench).manifest.contexts for folder_and_manifest in manifests.values())


def open_bench(folder: Path, manifest: RunManifest, given_folder: Path | None = None) -> Bench:
    """The bench of the run in `folder`; `given_folder` overrides the path in the run's manifest."""
    bench = Bench(given_folder or folder.resolve() / manifest.bench)
    if bench.manifest.fingerprint != manifest.bench_fingerprint:
        raise FathomError(f"'{bench.folder}' is not the bench of the run '{folder}'. Give its bench with --bench.")
    return bench


def _unique_names(folders: Sequence[Path]) -> list[str]:
    """The folders' names, with as many parent folders as needed to make them unique."""
    parts = [folder.resolve().parts for folder in folders]
    for length in range(1, max(map(len, parts)) + 1):
        names = ["/".join(parts_of_folder[-length:]) for parts_of_folder in parts]
        if len(set(names)) == len(names):
            break
    return names


def _load(name: str, folder: Path, manifest: RunManifest, bench_runs: BenchRuns) -> LoadedRun:
    bench, samples = bench_runs.bench, manifest.settings.samples
    selected = selected_questions(bench.all_questions(), manifest.settings)
    questions = frozenset(bench_runs.ids[question.id] for question in selected)
    question_sets = (run.questions for run in bench_runs.runs)
    questions = next(
        (question_set for question_set in question_sets if question_set == questions), questions
    )  # usually all runs ask the same
    if not questions:
        raise FathomError(f"The run '{folder}' asks no questions. Run it again with another --split or --limit.")
    retrieving: set[bool] = set()
    responses = stored_responses(
        folder, bench_runs.numbers, samples, lambda response: retrieving.add(retrieved(response.trace) is not None)
    )
    return LoadedRun(
        name,
        folder,
        manifest,
        responses,
        stored_verdicts(folder, bench_runs.numbers, samples),
        questions,
        spent=_total_spending(folder),
        not_asked=bench.manifest.questions - len(questions),
        retrieves=True in retrieving,
        shown=ShownContexts(bench),
    )


def read_verdicts(folder: Path) -> Iterable[Verdict]:
    """Verdicts of the last scoring; none if the file is missing or damaged, since they can be recomputed."""
    path = folder / VERDICTS
    if not path.exists():
        return []
    try:
        return list(read_records(path, Verdict))
    except FathomError:
        return []


def _total_spending(folder: Path) -> float | None:
    """US dollars for every call; None if a price is unknown."""
    prices = [usage.price for usage in read_usages(folder)]
    known_prices = [price for price in prices if price is not None]
    return sum(known_prices) if prices and len(known_prices) == len(prices) else None
