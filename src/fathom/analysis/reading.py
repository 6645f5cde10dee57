"""Runs and their bench, joined: every question that a run was to ask, with its verdict or the lack of one.

Responses are kept only as far as something is still to be told from them; contexts, questions and keys pass by
one after
another and are not kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fathom.analysis.findings import ResponseOutcome, RunFacts
from fathom.records.contexts import Context
from fathom.records.errors import FathomError
from fathom.records.files import Journal, read_records
from fathom.records.questions import QuestionId, Response, Usage
from fathom.runs.folder import SPENDING, VERDICTS, RunManifest, read_responses, read_run, selected_questions
from fathom.scoring.answers import Answer
from fathom.scoring.verdicts import Verdict
from fathom.tasks.bench import Bench
from fathom.tasks.checking import check
from fathom.tasks.family import Item

Place = tuple[QuestionId, int]
"""A question and a sample."""


@dataclass(frozen=True, slots=True)
class Heard:
    """What came back for one question, as far as it is still needed."""

    outcome: ResponseOutcome
    score: float
    usage: Usage
    read: Answer | None = None
    """Of a wrong answer."""
    text: str = ""
    thinking: str = ""
    cut: bool = False
    """Whether the response was cut off."""


UNHEARD = Heard("unanswered", 0.0, Usage())


@dataclass
class Run:
    """One run, open for analysis."""

    name: str
    folder: Path
    manifest: RunManifest
    responses: dict[Place, Response]
    verdicts: dict[Place, Verdict]
    """Of the last scoring; what it lacks is judged here."""
    asked: frozenset[QuestionId] = frozenset()
    judged_here: int = 0
    spent: float | None = None
    others: int = 0
    """Questions of the bench that the run was not to ask."""
    several: list[Verdict] = field(default_factory=list)
    """Where each question was asked more than once: every verdict."""

    @property
    def samples(self) -> int:
        return self.manifest.settings.samples

    def heard(self, item: Item) -> list[Heard]:
        """What came back for each sample of a question; responses are let go as they are asked for."""
        return [self._heard(item, sample) for sample in range(self.samples)]

    def _heard(self, item: Item, sample: int) -> Heard:
        place = item.question.id, sample
        response = self.responses.pop(place, None)
        if response is None:
            return UNHEARD
        verdict = self.verdicts.pop(place, None)
        if verdict is None or not _fits(verdict, response):
            self.judged_here += 1
            verdict = check(item, response)
        if self.samples > 1:
            self.several.append(verdict)
        return Heard(
            verdict.outcome,
            verdict.score,
            response.usage,
            verdict.parsed if verdict.outcome == "incorrect" else None,
            response.text,
            response.thinking,
            response.outcome == "truncated",
        )

    def facts(self, is_whole: bool) -> RunFacts:
        prompting = self.manifest.system_settings.get("prompting", "direct")
        return RunFacts(
            name=self.name,
            folder=str(self.folder),
            bench=self.manifest.bench_fingerprint,
            model=self.manifest.model,
            system=self.manifest.system,
            prompting=str(prompting),
            settings=self.manifest.settings.model_dump(),
            is_whole=is_whole,
        )


def _fits(verdict: Verdict, response: Response) -> bool:
    """Whether a verdict can be this response's: one on a failure is out of date when the question was asked again."""
    return (verdict.outcome == "error") == (response.outcome == "error") and (verdict.outcome == "overflow") == (
        response.outcome == "overflow"
    )


@dataclass(frozen=True)
class Joined:
    """A bench and the runs on it."""

    bench: Bench
    runs: list[Run]

    def groups(self) -> Iterator[tuple[Context, list[Item]]]:
        """Each context with the items that some run was to ask."""
        wanted_by_some = frozenset[QuestionId]().union(*(run.asked for run in self.runs))
        for context, items in self.bench.by_context():
            mine = [item for item in items if item.question.id in wanted_by_some]
            if mine:
                yield context, mine


def join(folders: Sequence[Path], bench: Path | None = None) -> list[Joined]:
    """The runs by bench, in the order in which they were named; `bench` says where it is, if it has been moved."""
    if not folders:
        raise FathomError("No run is named. Name the folder of at least one.")
    if len({folder.resolve() for folder in folders}) < len(folders):
        raise FathomError("A run is named twice. Name each once.")
    by_bench: dict[str, Joined] = {}
    for name, folder in zip(_names(folders), folders, strict=True):
        manifest = read_run(folder)
        known = by_bench.get(manifest.bench_fingerprint)
        if known is None:
            known = Joined(_bench_of(folder, manifest, bench), [])
            by_bench[manifest.bench_fingerprint] = known
        known.runs.append(_open(name, folder, manifest, known.bench))
    return list(by_bench.values())


def contexts_ahead(folders: Sequence[Path], bench: Path | None = None) -> int:
    """How many contexts a walk over these runs' benches will meet."""
    manifests = {manifest.bench_fingerprint: (folder, manifest) for folder in folders if (manifest := read_run(folder))}
    return sum(_bench_of(*known, bench).manifest.contexts for known in manifests.values())


def _names(folders: Sequence[Path]) -> list[str]:
    """The folders' own names, with as many parents as it takes to tell them apart."""
    parts = [folder.resolve().parts for folder in folders]
    for length in range(1, max(map(len, parts)) + 1):
        names = ["/".join(some[-length:]) for some in parts]
        if len(set(names)) == len(names):
            break
    return names


def _bench_of(folder: Path, manifest: RunManifest, given: Path | None) -> Bench:
    bench = Bench(given or folder.resolve() / manifest.bench)
    if bench.manifest.fingerprint != manifest.bench_fingerprint:
        raise FathomError(f"'{bench.folder}' is not the bench that '{folder}' was run on. Give that one with --bench.")
    return bench


def _open(name: str, folder: Path, manifest: RunManifest, bench: Bench) -> Run:
    asked = frozenset(question.id for question in selected_questions(bench.all_questions(), manifest.settings))
    if not asked:
        raise FathomError(f"The run '{folder}' was to ask no question. Run it again with another --split or --limit.")
    responses = read_responses(folder).responses
    return Run(
        name,
        folder,
        manifest,
        {place: response for place, response in responses.items() if place[0] in asked},
        {(verdict.question_id, verdict.sample): verdict for verdict in _verdicts(folder)},
        asked,
        spent=_spent(folder),
        others=bench.manifest.questions - len(asked),
    )


def _verdicts(folder: Path) -> Iterable[Verdict]:
    """Those of the last scoring; where there are none, or they cannot be read, responses are judged anew."""
    path = folder / VERDICTS
    if not path.exists():
        return []
    try:
        return list(read_records(path, Verdict))
    except FathomError:
        # They can be made again from the responses at any time, and are.
        return []


def _spent(folder: Path) -> float | None:
    """Dollars for every call; None where no price is known."""
    usages = list(Journal(folder / SPENDING, Usage).read())
    known = [usage.price for usage in usages if usage.price is not None]
    return sum(known) if len(known) == len(usages) and usages else None
