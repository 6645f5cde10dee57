"""A run on disk: what was asked of whom, every response as it came, and what a system noted on the way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Annotated, Self

from pydantic import Field, JsonValue

import fathom
from fathom.records.contexts import ContextId, Split
from fathom.records.documents import Position
from fathom.records.errors import FathomError, file_errors
from fathom.records.files import Journal, write_json
from fathom.records.manifests import read_manifest
from fathom.records.questions import Question, QuestionId, Response, Usage
from fathom.records.record import Record

FORMAT = 2
MANIFEST, RESPONSES, NOTES, VERDICTS, LOGS = "run.json", "responses.jsonl", "notes.jsonl", "verdicts.jsonl", "logs"
SPENDING = "spending.jsonl"


class RunSettings(Record):
    """What else decides a response."""

    samples: Position = 1
    """Responses asked for each question."""
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    """None leaves it to the provider."""
    seed: int | None = None
    max_tokens: Position = 2_048
    """Room reserved for one response."""
    window: Position | None = None
    """Tokens that prompt and response may have together, where it is not the one known of the model."""
    reasoning_effort: str | None = None
    split: Split | None = None
    """None asks the questions of all splits."""
    limit: Position | None = None
    """At most so many questions, the first ones."""


def selected_questions(questions: Iterable[Question], settings: RunSettings) -> Iterator[Question]:
    """The questions that a run was to ask."""
    return islice((one for one in questions if settings.split in (None, one.split)), settings.limit)


class RunManifest(Record):
    """What makes a run that run: going on with another bench, model, system or settings is refused."""

    format: int = FORMAT
    fathom: str = fathom.__version__
    bench: str
    bench_fingerprint: str
    model: str
    system: str
    system_settings: dict[str, JsonValue] = {}
    settings: RunSettings = RunSettings()


class Note(Record):
    """What a system worked out once for a context."""

    context_id: ContextId
    name: str
    text: str


class RunFolder:
    """A run that is open for writing; one process at a time."""

    def __init__(self, folder: Path, manifest: RunManifest) -> None:
        self.folder = folder
        self.manifest = manifest
        self._responses: Journal[Response] = Journal(folder / RESPONSES, Response)
        self._notes: Journal[Note] = Journal(folder / NOTES, Note)
        self._spending: Journal[Usage] = Journal(folder / SPENDING, Usage)
        self._noted: dict[tuple[ContextId, str], str] = {}

    def __enter__(self) -> Self:
        with file_errors("make the folder", self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
        _begin(self.folder, self.manifest)
        self._responses.__enter__()
        self._notes.__enter__()
        self._spending.__enter__()
        self._noted = {(note.context_id, note.name): note.text for note in self._notes.read()}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._spending.__exit__(kind, error, trace)
        self._notes.__exit__(kind, error, trace)
        self._responses.__exit__(kind, error, trace)

    def append(self, response: Response) -> None:
        """Keep a response; once this returns no kill can lose it."""
        self._responses.append(response)

    def noted(self, context: ContextId, name: str) -> str | None:
        """What was noted under that name."""
        return self._noted.get((context, name))

    def note(self, context: ContextId, name: str, text: str) -> None:
        """Keep something for the context's other questions, and for a run that goes on later."""
        self._notes.append(Note(context_id=context, name=name, text=text))
        self._noted[context, name] = text

    def pay(self, usage: Usage) -> None:
        """Keep what a call took, whatever becomes of the question it was for."""
        self._spending.append(usage)

    @property
    def spent(self) -> float:
        """Dollars so far, as far as prices were known."""
        return sum(usage.price or 0.0 for usage in self._spending.read())

    def standing(self) -> ResponseIndex:
        """What the responses so far amount to."""
        return ResponseIndex.of(self._responses.read())


WAITING = ("error", "overflow")
"""Outcomes that are not the last word: what failed is tried again, and a larger window may take what did not fit."""


class ResponseIndex:
    """Which questions have their response; failures wait to be tried again."""

    def __init__(self) -> None:
        self.responses: dict[tuple[QuestionId, int], Response] = {}
        self.attempts: Counter[tuple[QuestionId, int]] = Counter()

    @classmethod
    def of(cls, responses: Iterator[Response]) -> Self:
        """The last response to each question counts, and only a later success takes the place of a failure."""
        standing = cls()
        for response in responses:
            place = response.question_id, response.sample
            standing.attempts[place] += 1
            known = standing.responses.get(place)
            if known is None or known.outcome in WAITING:
                standing.responses[place] = response
        return standing

    def is_done(self, question: QuestionId, sample: int) -> bool:
        """Whether nothing more is to be asked."""
        known = self.responses.get((question, sample))
        return known is not None and known.outcome not in WAITING


def _begin(folder: Path, manifest: RunManifest) -> None:
    """Write the manifest of a new run; a run that is there already must be the same one."""
    if (folder / MANIFEST).exists():
        if refuse_another(folder, manifest).settings == manifest.settings:
            return
    else:
        present = sorted(entry.name for entry in folder.iterdir() if not entry.name.endswith(".part"))
        if present:
            raise FathomError(f"'{folder}' is no run (it holds '{present[0]}'). Choose another --out.")
    write_json(folder / MANIFEST, manifest)


def refuse_another(folder: Path, manifest: RunManifest) -> RunManifest:
    """The manifest of the run that is there; one that cannot go on as this one, or grow into it, is refused."""
    found = read_run(folder)
    for name in ("bench_fingerprint", "model", "system", "system_settings"):
        if getattr(found, name) != getattr(manifest, name):
            what = "bench" if name == "bench_fingerprint" else name.replace("_", " ")
            raise FathomError(f"The run in '{folder}' has another {what}. Choose another --out, or delete it.")
    if not _is_more(found.settings, manifest.settings):
        old, new = found.settings.model_dump(), manifest.settings.model_dump()
        name = next(name for name in old if old[name] != new[name])
        raise FathomError(
            f"The run in '{folder}' has {name.replace('_', ' ')} {old[name]}, not {new[name]}. "
            "Give the same settings, or another --out."
        )
    return found


def _is_more(old: RunSettings, new: RunSettings) -> bool:
    """Whether a run may grow so: more samples, more questions, a larger window; no response would have been another."""
    free = {"samples": 1, "limit": None, "window": None}
    if old.model_copy(update=free) != new.model_copy(update=free) or new.samples < old.samples:
        return False
    return new.limit is None or (old.limit is not None and new.limit >= old.limit)


def read_run(folder: Path) -> RunManifest:
    """The manifest of a run."""
    path = folder / MANIFEST
    if not path.exists():
        raise FathomError(f"There is no run in '{folder}'. Make one with `fathom run BENCH --model M --out {folder}`.")
    return read_manifest(path, RunManifest, FORMAT, "run", "Restore a copy, or run it again.")


def read_responses(folder: Path) -> ResponseIndex:
    """The responses of a run, whether or not it has ended."""
    return ResponseIndex.of(Journal(folder / RESPONSES, Response).read())
