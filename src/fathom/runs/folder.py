"""A run on disk: its manifest, responses, notes, artifacts and spending."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, suppress
from datetime import UTC, datetime
from heapq import nsmallest
from pathlib import Path
from types import TracebackType
from typing import Annotated, Any, NamedTuple, Self, TypeVar
from urllib.parse import urlsplit, urlunsplit

from pydantic import Field, JsonValue, ValidationError

from fathom.models.model_info import ModelInfo
from fathom.models.prompts import Completion, Prompt
from fathom.records.contexts import ContextId, Split
from fathom.records.documents import NonNegativeInt, PositiveInt
from fathom.records.errors import FathomError, file_errors
from fathom.records.files import Journal, StoredMapping, is_locked, write_json
from fathom.records.manifests import read_manifest
from fathom.records.questions import Question, QuestionId, Response, Usage
from fathom.records.record import Record, digest
from fathom.records.version import __version__
from fathom.runs.sent_calls import CallMark, SentCall, SentCalls, read_lost_calls
from fathom.runs.unfinished_calls import UnfinishedCalls


def make_artifact(folder: Path, key: str, make: Callable[[Path], None]) -> Path:
    """The path of the artifact with that key. If it does not exist, `make` writes it; it is renamed when complete."""
    path = folder / key
    if path.exists():
        return path
    with file_errors("make the folder", folder):
        folder.mkdir(parents=True, exist_ok=True)
    draft = folder / f".{key}.part"
    _remove(draft)  # left by a killed process: only one process writes to a run
    try:
        make(draft)
        with file_errors("write", path):
            draft.rename(path)
    finally:
        _remove(draft)
    return path


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


R = TypeVar("R", bound=Record)
FORMAT = 2
MANIFEST, RESPONSES, NOTES, VERDICTS, LOGS = "run.json", "responses.jsonl", "notes.jsonl", "verdicts.jsonl", "logs"
SPENDING, ARTIFACTS, JUDGMENTS, END = "spending.jsonl", "artifacts", "judgments.jsonl", "end.json"
CALIBRATION, SCORING, RATINGS = "calibration.jsonl", "scoring.json", "ratings.jsonl"
UNFINISHED, SENT = "unfinished.jsonl", "sent.jsonl"


MAX_VERSIONS = 20
"""Versions of a model that are recorded: a server may invent a name with every response."""
INTERRUPTED = "interrupted"
"""How the reason begins if a signal ended the run."""
NO_MODEL = "no model"
"""The model of a run whose system needs none."""


class RunSettings(Record):
    """Settings of a run other than its model and system."""

    samples: PositiveInt = 1
    """Responses to each question."""
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    """None for the provider's default."""
    seed: int | None = None
    max_tokens: PositiveInt = 2_048
    """The maximum number of tokens in a response."""
    window: PositiveInt | None = None
    """The context window in tokens, for prompt and response together; None for that of the model's entry."""
    reasoning_effort: str | None = None
    split: Split | None = None
    """None for all splits."""
    limit: PositiveInt | None = None
    """Ask only this many questions, drawn at random by `seed`."""
    top_p: Annotated[float, Field(gt=0, le=1)] | None = Field(default=None, exclude_if=lambda value: value is None)
    """Nucleus sampling; None for the provider's default."""
    reasoning_tokens: PositiveInt | None = Field(default=None, exclude_if=lambda value: value is None)
    """The maximum number of reasoning tokens, for providers that take one."""


def selected_questions(questions: Iterable[Question], settings: RunSettings) -> Iterator[Question]:
    """The questions that a run with these settings asks, in the order of the bench.

    A higher limit selects the same questions and others.
    """
    matching = (question for question in questions if settings.split in (None, question.split))
    if settings.limit is None:
        return matching
    seed = settings.seed or 0
    drawn = nsmallest(settings.limit, enumerate(matching), key=lambda entry: digest(seed, "limit", entry[1].id))
    return (question for _, question in sorted(drawn, key=lambda entry: entry[0]))


class RunSession(Record):
    """One process of a run: when it ran, and with which settings."""

    started: str
    """In UTC, such as 2026-03-31T17:05:12+00:00."""
    fathom: str = __version__
    engine: str = ""
    """The version of the engine; empty if the process used none."""
    endpoint: str = ""
    """The address of the model or system; empty if the provider's library has its own, or there is none."""
    window: PositiveInt | None = None
    """The context window in tokens that the questions had to fit; None if there is none."""
    done: NonNegativeInt = 0
    """Final responses before it."""
    model_versions: tuple[str, ...] = ()
    """The names that the provider gave the model in its responses, such as gpt-4o-2024-08-06."""


def begin_session(window: int | None, endpoint: str = "", engine: str = "") -> RunSession:
    """A session that begins now."""
    started = datetime.now(UTC).isoformat(timespec="seconds")
    return RunSession(started=started, engine=engine, endpoint=_without_credentials(endpoint), window=window)


def _without_credentials(address: str) -> str:
    """The address without a user name, a password and a query, which may contain a key."""
    parts = urlsplit(address)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


class RunManifest(Record):
    """The identity of a run, and its processes. It cannot be resumed with another bench, model, system or settings."""

    format: int = FORMAT
    fathom: str = __version__
    bench: str
    bench_fingerprint: str
    model: str
    system: str
    system_settings: dict[str, JsonValue] = {}
    system_source: str = ""
    """The hash of the file that defines the system; empty for a built-in one."""
    settings: RunSettings = RunSettings()
    sessions: tuple[RunSession, ...] = ()
    """The processes that asked questions, in order."""


class RunEnd(Record):
    """How the latest process of a run ended; absent while it works, and after a kill."""

    stopped: str | None = None
    """Why it ended early; None if it did not."""
    lines: dict[str, NonNegativeInt] = {}
    """How many lines the journals had, by file name: a file with fewer was truncated since."""


class ContextResult(Record):
    """A result that a system computed once for a context."""

    context_id: ContextId
    name: str
    text: str


class RunFolder:
    """A run that is open for writing, by one process at a time."""

    def __init__(self, folder: Path, manifest: RunManifest, session: RunSession | None = None) -> None:
        self.folder = folder
        self.manifest = manifest
        self._session = session
        self._responses: Journal[Response] = Journal(folder / RESPONSES, Response)
        self._results: Journal[ContextResult] = Journal(folder / NOTES, ContextResult)
        self._spending: Journal[Usage] = Journal(folder / SPENDING, Usage)
        self._journals: tuple[Journal[Any], ...] = (self._responses, self._results, self._spending)
        self._opened = ExitStack()
        self._unfinished = UnfinishedCalls(folder / UNFINISHED)
        self._sent = SentCalls(folder / SENT)
        self._results_by_name: dict[tuple[ContextId, str], str] = {}
        self.index = ResponseIndex()
        """What happened so far."""

    def __enter__(self) -> Self:
        with file_errors("create the folder", self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
        self.manifest = _begin(self.folder, self.manifest)
        with ExitStack() as opened:
            for journal in self._journals:
                opened.enter_context(journal)
            self.index = read_states(self.folder)
            stored = _read_journal(self.folder / NOTES, ContextResult)
            self._results_by_name = {(one.context_id, one.name): one.text for one in stored}
            self._unfinished.open(self.index.attempts)
            self._sent.open()
            if self._session is not None:
                self._session = self._session.model_copy(update={"done": self.index.done})
            self._write_session()
            with file_errors("write", self.folder / END):
                (self.folder / END).unlink(missing_ok=True)
            self._opened = opened.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            with suppress(FathomError):  # a full disk has its own error
                self.stop(
                    f"{INTERRUPTED} by Ctrl-C"
                    if isinstance(error, KeyboardInterrupt)
                    else str(error) or type(error).__name__
                )
        for calls in (self._unfinished, self._sent):
            with suppress(FathomError):  # a full disk has its own error
                calls.close()
        self._opened.close()

    def _write_session(self) -> None:
        if self._session is not None:
            sessions = (*self.manifest.sessions, self._session)
            write_json(self.folder / MANIFEST, self.manifest.model_copy(update={"sessions": sessions}), checksum=True)

    def add_model_version(self, version: str) -> None:
        """Store the name that the provider gave the model in a response."""
        if self._session is None:
            return
        known = self._session.model_versions
        if version not in known and len(known) < MAX_VERSIONS:
            self._session = self._session.model_copy(update={"model_versions": (*known, version)})
            self._write_session()

    def append(self, response: Response) -> None:
        """Store a response. Once this returns, a kill does not lose it."""
        self._responses.append(response)
        self.index.add(response)
        self._unfinished.end(response)

    def stop(self, reason: str | None) -> None:
        """Store why the run ended early; None if it did not."""
        lines = {journal.path.name: journal.count_lines() for journal in self._journals}
        write_json(self.folder / END, RunEnd(stopped=reason, lines=lines))

    def stored_result(self, context: ContextId, name: str) -> str | None:
        """The result of that name for the context; None if there is none."""
        return self._results_by_name.get((context, name))

    def store_result(self, context: ContextId, name: str, text: str) -> None:
        """Store a result for the context's other questions and for resumed runs."""
        self._results.append(ContextResult(context_id=context, name=name, text=text))
        self._results_by_name[context, name] = text

    def pay(self, usage: Usage) -> None:
        """Store the usage of a call, even if its question gets no response."""
        self._spending.append(usage)

    def sending(self, highest: Usage) -> AbstractContextManager[CallMark]:
        """A block in which a call with this maximum usage is sent; a kill after its mark is noticed later."""
        return self._sent.sending(highest)

    def find_call(self, question: QuestionId, sample: int, prompt: Prompt) -> Completion | None:
        """The completion of a call that an earlier process made for a question without a response."""
        return self._unfinished.find(question, sample, prompt)

    def add_call(self, question: QuestionId, sample: int, prompt: Prompt, completion: Completion) -> None:
        """Store a call until its question has a response."""
        self._unfinished.add(question, sample, prompt, completion)

    def artifact(self, scope: str, name: str, make: Callable[[Path], None]) -> Path:
        """The path of the system's artifact of that name, created by `make` if it does not exist.

        `scope` is the id of the context that it belongs to; empty for the whole bench.
        """
        made_by = self.manifest.model_dump_json(
            include={"bench_fingerprint", "system", "system_settings", "system_source"}
        )
        return make_artifact(self.folder / ARTIFACTS, digest(made_by, scope, name).hex()[:32], make)


WAITING = ("error", "overflow")
"""Outcomes that are not final: errors are retried, and a larger window may fit an overflow."""


Place = tuple[QuestionId, int]
"""Question and sample."""


class ResponseState(NamedTuple):
    """What happened to a question: a tenth of the memory of a response, even of one without texts."""

    outcome: str
    error: str | None
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    seconds: float
    price: float | None

    @classmethod
    def of(cls, response: Response) -> Self:
        usage = response.usage
        return cls(
            response.outcome,
            response.error,
            usage.input_tokens,
            usage.cached_tokens,
            usage.output_tokens,
            usage.seconds,
            usage.price,
        )


def total_usage(states: Sequence[ResponseState]) -> Usage:
    """The sum; its price is known only if all prices are."""
    prices = [state.price for state in states if state.price is not None]
    return Usage(
        input_tokens=sum(state.input_tokens for state in states),
        cached_tokens=sum(state.cached_tokens for state in states),
        output_tokens=sum(state.output_tokens for state in states),
        seconds=sum(state.seconds for state in states),
        price=sum(prices) if len(prices) == len(states) else None,
    )


class ResponseIndex:
    """The states of a run's responses by question and sample; errors are retried."""

    def __init__(self, responses: Iterable[Response] = ()) -> None:
        self.states: dict[Place, ResponseState] = {}
        self.attempts: Counter[Place] = Counter()
        self.maybe_paid = 0
        """Attempts without an answer that may have cost money."""
        for response in responses:
            self.add(response)

    def add(self, response: Response) -> None:
        """The first final response to each question counts, and a later one replaces only an error or an overflow."""
        place = response.question_id, response.sample
        self.attempts[place] += 1
        self.maybe_paid += response.outcome == "error" and response.usage.price is None
        if not self.is_done(*place):
            self.states[place] = ResponseState.of(response)

    @property
    def done(self) -> int:
        """The number of final responses."""
        return sum(state.outcome not in WAITING for state in self.states.values())

    def is_done(self, question: QuestionId, sample: int) -> bool:
        """Whether the response is final."""
        known = self.states.get((question, sample))
        return known is not None and known.outcome not in WAITING


def _begin(folder: Path, manifest: RunManifest) -> RunManifest:
    """Write the manifest of a new run, or check that an existing run can be resumed with it.

    Returns the manifest with the sessions so far.
    """
    if (folder / MANIFEST).exists():
        found = check_resumable(folder, manifest)
        manifest = manifest.model_copy(update={"sessions": found.sessions})
        if found.settings == manifest.settings:
            return manifest
    else:
        present = sorted(entry.name for entry in folder.iterdir() if not entry.name.endswith(".part"))
        if present:
            raise FathomError(f"'{folder}' is not a run (it contains '{present[0]}'). Choose another --out.")
    write_json(folder / MANIFEST, manifest, checksum=True)
    return manifest


_IDENTITY = {
    "bench_fingerprint": "a different bench",
    "model": "a different model",
    "system": "a different system",
    "system_settings": "different system settings",
    "system_source": "a different version of the system",
}


def check_resumable(folder: Path, manifest: RunManifest) -> RunManifest:
    """The manifest of the existing run; raises an error unless the run can be resumed or extended with `manifest`."""
    found = read_run(folder)
    old, new = found.model_dump(), manifest.model_dump()
    for name, what in _IDENTITY.items():
        if old[name] != new[name]:
            raise FathomError(f"The run in '{folder}' has {what}. Choose another --out, or delete it.")
    if not _is_more(found.settings, manifest.settings):
        old, new = found.settings.model_dump(), manifest.settings.model_dump()
        name = next(name for name in old if old[name] != new[name])
        raise FathomError(
            f"The run in '{folder}' has {name.replace('_', ' ')} {old[name]}, not {new[name]}. "
            "Give the same settings, or another --out."
        )
    return found


def _is_more(old: RunSettings, new: RunSettings) -> bool:
    """Whether a run may be extended in this way: more samples, more questions, a different window."""
    free = {"samples": 1, "limit": None, "window": None}
    if old.model_copy(update=free) != new.model_copy(update=free) or new.samples < old.samples:
        return False
    return new.limit is None or (old.limit is not None and new.limit >= old.limit)


def read_run(folder: Path) -> RunManifest:
    """The manifest of a run."""
    path = folder / MANIFEST
    if folder.is_file():
        raise FathomError(f"'{folder}' is a file, not a run. Give the folder of a run.")
    if not path.exists():
        raise FathomError(f"There is no run in '{folder}'. Create it with `fathom run BENCH --model M --out {folder}`.")
    return read_manifest(path, RunManifest, FORMAT, "run", "Restore a copy, or run it again.")


def read_states(folder: Path) -> ResponseIndex:
    """What happened in a run, finished or not."""
    return ResponseIndex(_read_journal(folder / RESPONSES, Response))


def read_responses(folder: Path) -> StoredMapping[Place, Response]:
    """The responses of a run, finished or not, by the rule of `ResponseIndex`; each is read when it is used."""
    index, positions = ResponseIndex(), dict[Place, int]()
    for position, response in read_response_positions(folder):
        place = response.question_id, response.sample
        if not index.is_done(*place):
            positions[place] = position
        index.add(response)
    return StoredMapping(folder / RESPONSES, Response, positions)


def foreign_response(folder: Path, question: QuestionId) -> FathomError:
    """The error for a response to a question that the run does not ask."""
    return FathomError(
        f"'{folder / RESPONSES}' has a response to the question '{question}', which the run does not ask: it is the "
        "file of another run. Restore a copy."
    )


def read_response_positions(folder: Path) -> Iterator[tuple[int, Response]]:
    """Every response of a run, in the order in which they arrived, with its position in the file."""
    return _read_positions(folder / RESPONSES, Response)


def _read_journal(path: Path, kind: type[R]) -> Iterator[R]:
    """The records of a journal of a run."""
    return (record for _, record in _read_positions(path, kind))


def _read_positions(path: Path, kind: type[R]) -> Iterator[tuple[int, R]]:
    """The records of a journal of a run, with their positions; an error if it has fewer than when the run ended."""
    end = read_end(path.parent)
    wanted = 0 if end is None else end.lines.get(path.name, 0)
    count = 0
    for read_position in Journal(path, kind).read_positions():
        count += 1
        yield read_position
    if count < wanted:
        raise FathomError(
            f"'{path}' has {count:,} of the {wanted:,} lines that the run wrote: it was truncated. Restore a copy, or "
            f"delete '{path.parent / END}' and run the same command again, which asks the missing questions again."
        )


def read_usages(folder: Path) -> Iterator[Usage]:
    """The usage of every call of a run."""
    return _read_journal(folder / SPENDING, Usage)


def lost_calls(folder: Path) -> list[SentCall]:
    """The calls that broke off or were in flight at a kill; while a process works, also those that are in flight."""
    return read_lost_calls(folder / SENT)


def read_spent(folder: Path) -> float:
    """The dollars that a run has spent, where prices are known; every call counts."""
    return sum(usage.price or 0.0 for usage in read_usages(folder))


def spent_at_most(folder: Path, info: ModelInfo) -> float:
    """The dollars that a run has spent if lost calls cost as much as they can.

    Usage whose price was unknown when it was recorded counts at the present prices of the model.
    """
    used = (*read_usages(folder), *(call.highest for call in lost_calls(folder)))
    return sum((info.price(one) if one.price is None else one.price) or 0.0 for one in used)


def is_running(folder: Path) -> bool:
    """Whether a process is writing to the run."""
    return is_locked(folder / RESPONSES)


def read_end(folder: Path) -> RunEnd | None:
    """How the latest process of a run ended; None if it works or was killed."""
    path = folder / END
    try:
        return RunEnd.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return None
