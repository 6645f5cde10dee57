"""The runs in a folder: their state, progress, spending and accuracy."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import JsonValue

from fathom.analysis.loading import open_bench
from fathom.api.arguments import Folder, as_path
from fathom.records.documents import NonNegativeInt
from fathom.records.errors import FathomError
from fathom.records.files import read_records
from fathom.records.questions import Question, Usage
from fathom.records.record import Record
from fathom.runs.folder import (
    MANIFEST,
    RESPONSES,
    VERDICTS,
    WAITING,
    ResponseIndex,
    RunManifest,
    RunSession,
    foreign_response,
    is_running,
    lost_calls,
    read_end,
    read_responses,
    read_run,
    read_spent,
    read_states,
    selected_questions,
    total_usage,
)
from fathom.scoring.scores import VerdictSummary, first_samples, score_responses, tally
from fathom.scoring.verdicts import Verdict
from fathom.tasks.bench import Bench
from fathom.tasks.checking import Checker

__all__ = ["RunDetails", "RunListing", "list_runs", "run_details"]

RunState = Literal["running", "finished", "stopped", "unreadable"]
MAX_SCORED = 1_000
"""Responses that are scored for a listing; those of a larger run are scored by `fathom score`."""
MAX_DEPTH = 4
"""Folders within folders that are searched for runs."""


class RunListing(Record):
    """A run in a list."""

    folder: str
    state: RunState
    reason: str | None = None
    """Why it stopped or cannot be read."""
    bench: str = ""
    model: str = ""
    system: str = ""
    settings: dict[str, JsonValue] = {}
    """The system's settings, with the prompting."""
    samples: NonNegativeInt = 1
    wanted: NonNegativeInt | None = None
    """Responses of the complete run; None if its bench is gone."""
    done: NonNegativeInt = 0
    """Final responses so far."""
    errors: NonNegativeInt = 0
    """Responses that failed and are asked again by the same command."""
    spent: float = 0.0
    """US dollars, over every call, where prices are known."""
    lost_calls: NonNegativeInt = 0
    """Calls that broke off, or were in flight at a kill, and may have cost money; `spent` does not include them."""
    has_unknown_prices: bool = False
    """Whether some responses have no known price."""
    accuracy: float | None = None
    """Over all questions of the run; None if it was not scored and has many responses, or its bench is gone."""
    changed: str = ""
    """When the latest response arrived, in UTC."""


def list_runs(folder: Folder = "runs") -> list[RunListing]:
    """The runs in a folder and the folders in it, newest first. Reads them and their benches; writes nothing."""
    path = as_path(folder)
    if not path.is_dir():
        raise FathomError(f"There is no folder '{path}' with runs. Make a run with `fathom run BENCH --model M`.")
    found = sorted(_run_folders(path, MAX_DEPTH), key=lambda run_folder: (-_modified(run_folder), str(run_folder)))
    return [_listed(run_folder) for run_folder in found]


def _run_folders(path: Path, depth: int) -> Iterator[Path]:
    if (path / MANIFEST).exists():
        yield path
        return
    if depth:
        for entry in sorted(path.iterdir()):
            if entry.is_dir() and not entry.is_symlink():
                with suppress(PermissionError):
                    yield from _run_folders(entry, depth - 1)


def _modified(folder: Path) -> float:
    paths = [path for path in (folder / RESPONSES, folder / MANIFEST) if path.exists()]
    return max((path.stat().st_mtime for path in paths), default=0.0)


class RunDetails(Record):
    """The state of one run."""

    run: RunListing
    outcomes: dict[str, NonNegativeInt]
    """Responses so far, by outcome."""
    usage: Usage
    errors: dict[str, NonNegativeInt]
    """The three most frequent error messages, with their counts."""
    sessions: tuple[RunSession, ...]
    """The processes of the run."""
    seconds: float | None = None
    """Since the present process began; None if none works on the run."""
    seconds_left: float | None = None
    """At the speed of the present process; None if it has no response yet, or if there is none."""


def run_details(run: Folder) -> RunDetails:
    """The state of a run that works, has stopped or is complete. Reads the run and its bench; writes nothing."""
    folder = as_path(run)
    manifest, index = read_run(folder), read_states(folder)
    listing = _describe(folder, manifest, index, read_spent(folder))
    states = list(index.states.values())
    seconds = left = None
    if listing.state == "running" and manifest.sessions:
        session = manifest.sessions[-1]
        seconds = (datetime.now(UTC) - datetime.fromisoformat(session.started)).total_seconds()
        answered = listing.done - session.done
        if answered > 0 and listing.wanted is not None:
            left = seconds / answered * (listing.wanted - listing.done)
    return RunDetails(
        run=listing,
        outcomes=dict(sorted(Counter(state.outcome for state in states).items())),
        usage=total_usage(states),
        errors=dict(Counter(state.error[:120] for state in states if state.error is not None).most_common(3)),
        sessions=manifest.sessions,
        seconds=seconds,
        seconds_left=left,
    )


def _listed(folder: Path) -> RunListing:
    try:
        return _describe(folder, read_run(folder), read_states(folder), read_spent(folder))
    except FathomError as error:
        return RunListing(folder=str(folder), state="unreadable", reason=str(error), changed=_changed(folder))


def _changed(folder: Path) -> str:
    return datetime.fromtimestamp(_modified(folder), UTC).isoformat(timespec="seconds")


def _describe(folder: Path, manifest: RunManifest, index: ResponseIndex, spent: float) -> RunListing:
    run_questions = _asked(folder, manifest)
    samples = manifest.settings.samples
    ids = {question.id for question in run_questions.questions} if run_questions else None
    if ids is not None and (foreign := next((id for id, _ in index.states if id not in ids), None)):
        raise foreign_response(folder, foreign)
    states = [
        one for (question, sample), one in index.states.items() if sample < samples and (ids is None or question in ids)
    ]
    errors = [state.error or "" for state in states if state.outcome == "error"]
    requested = len(run_questions.questions) * samples if run_questions else None
    done = len(states) - len(errors)
    state, reason = _state(folder, requested, done, errors)
    return RunListing(
        folder=str(folder),
        state=state,
        reason=reason,
        bench=Path(os.path.normpath(folder.resolve() / manifest.bench)).name,
        model=manifest.model,
        system=manifest.system,
        settings=manifest.system_settings,
        samples=samples,
        wanted=requested,
        done=done,
        errors=len(errors),
        spent=round(spent, 6),
        lost_calls=0 if state == "running" else len(lost_calls(folder)),
        has_unknown_prices=any(state.price is None and state.outcome not in WAITING for state in states),
        accuracy=_accuracy(folder, run_questions, index) if run_questions else None,
        changed=_changed(folder),
    )


def _state(folder: Path, requested: int | None, done: int, errors: list[str]) -> tuple[RunState, str | None]:
    """The state of a run, and why it stopped if it did."""
    if is_running(folder):
        return "running", None
    end = read_end(folder)
    if requested is None:
        return "stopped", (end and end.stopped) or "its bench is gone or was built again"
    if done == requested:
        return "finished", None
    if end is not None and end.stopped is not None:
        return "stopped", end.stopped
    if errors:
        [(message, _)] = Counter(errors).most_common(1)
        return "stopped", f"{len(errors):,} of {requested:,} responses failed: {message[:160]}"
    return "stopped", "its process was killed" if end is None else "there are more questions than it was asked"


class _RunQuestions(NamedTuple):
    """The questions that a run asks."""

    bench: Bench
    questions: list[Question]


def _asked(folder: Path, manifest: RunManifest) -> _RunQuestions | None:
    """The bench and its questions; None if the bench is gone or another one."""
    try:
        bench = open_bench(folder, manifest, None)
        return _RunQuestions(bench, list(selected_questions(bench.all_questions(), manifest.settings)))
    except FathomError:
        return None


def _accuracy(folder: Path, run_questions: _RunQuestions, index: ResponseIndex) -> float | None:
    """The accuracy by the latest verdicts, or by verdicts that are made here if they are few."""
    scored, path = run_questions.questions, folder / VERDICTS
    try:
        if path.exists() and path.stat().st_mtime >= (folder / RESPONSES).stat().st_mtime:
            return _accuracy_of(scored, read_records(path, Verdict))
        if not 0 < len(index.states) <= MAX_SCORED:
            return None
        checker = Checker(run_questions.bench, scored)
        responses = [response for response in read_responses(folder).values() if response.question_id in checker.keys]
        return _accuracy_of(scored, score_responses(checker.keys, responses, checker))
    except (FathomError, OSError):
        return None


def _accuracy_of(questions: list[Question], verdicts: Iterable[Verdict]) -> float:
    return tally({"all": questions}, first_samples(map(VerdictSummary.of, verdicts)))["all"].accuracy
