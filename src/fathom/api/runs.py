"""Plan a run, and run a model on a bench."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from shlex import quote
from typing import Any, Literal, TypedDict, TypeVar, Unpack

from fathom.api.arguments import Folder, as_path, as_tokens, checked
from fathom.api.bench_views import open_bench_view
from fathom.api.models import engine_info, list_models
from fathom.api.scores import Scores, score_run
from fathom.api.simulation import open_simulated_model
from fathom.corpus.store import Corpus
from fathom.models.model_info import ModelInfo, model_info, prices_as_of
from fathom.records.errors import FathomError
from fathom.records.lengths import format_length
from fathom.records.questions import Response
from fathom.records.record import digest
from fathom.runs import plan as planning
from fathom.runs import run as running
from fathom.runs.bench_view import BenchView
from fathom.runs.folder import (
    MANIFEST,
    NO_MODEL,
    ResponseIndex,
    RunManifest,
    RunSettings,
    check_resumable,
    is_running,
    lost_calls,
    read_responses,
    read_run,
    read_states,
)
from fathom.runs.plan import Plan
from fathom.runs.progress import ProgressReporter, RunProgress, ShowProgress, show_nothing
from fathom.runs.run import OpenedModel, RunLimits, RunStatus
from fathom.systems.catalog import SYSTEMS, LoadedSystem, is_control, load_system, wrap_system
from fathom.systems.protocol import Prompting, System, needs_model
from fathom.tasks.bench import Bench
from fathom.tasks.catalog import family
from fathom.tasks.checking import ResponseChecker
from fathom.tasks.document_ages import document_ages
from fathom.tasks.simulating import simulated_model

__all__ = [
    "SYSTEMS",
    "Plan",
    "Run",
    "RunLimits",
    "RunOptions",
    "RunProgress",
    "RunRequest",
    "RunStatus",
    "is_run_folder",
    "open_run",
    "opened_model",
    "plan",
    "prices_as_of",
    "request_run",
    "run",
]

T = TypeVar("T")
EMBEDDED = "local/smollm2"
MODEL_OPTIONS = ("temperature", "seed", "top_p", "reasoning_tokens", "reasoning_effort", "window", "prices")
"""Options that have no effect on a system that needs no model."""


class RunOptions(TypedDict, total=False):
    """Options of `plan` and `run`; each has the meaning and the default of the command-line option of its name."""

    system: str | System
    """A built-in system, `file.py:Name`, `package.module:Name`, `http://HOST:PORT/PATH`, or an object.
    [default: "full"]"""
    prompting: Prompting
    system_settings: Mapping[str, object]
    """Settings of a system that is given by name."""
    samples: int
    temperature: float | None
    seed: int | None
    max_tokens: int | str
    top_p: float | None
    reasoning_tokens: int | str | None
    reasoning_effort: str | None
    window: int | str | None
    split: Literal["train", "dev", "test"] | None
    limit: int | None
    corpus: Folder | None
    """Where the corpus is, if it was moved."""
    prices: Folder | None
    """A TOML table of windows and prices."""
    connections: int
    """Requests in flight at once. [default: 8]"""


@dataclass(frozen=True)
class Run:
    """A run on disk."""

    folder: Path
    status: RunStatus

    @property
    def manifest(self) -> RunManifest:
        return read_run(self.folder)

    def __fspath__(self) -> str:
        return str(self.folder)

    def score(self, bench: Folder | None = None) -> Scores:
        """Score the run and write its verdicts; see `fathom.score_run`."""
        return score_run(self, bench=bench)

    def responses(self) -> list[Response]:
        """The responses so far, one for each question and sample."""
        return list(read_responses(self.folder).values())


def is_run_folder(path: Folder) -> bool:
    """Whether the folder contains a run."""
    return (as_path(path) / MANIFEST).exists()


def open_run(folder: Folder) -> Run:
    """Open the run in `folder` for reading, whether or not it is complete."""
    path = as_path(folder)
    manifest = read_run(path)
    with open_bench_view(Path(os.path.normpath(path.resolve() / manifest.bench))) as bench:
        lost = 0 if is_running(path) else len(lost_calls(path))
        return Run(path, running.summarize(bench, manifest, read_states(path), lost=lost))


def plan(bench: Folder, *, model: str | None = None, out: Folder | None = None, **options: Unpack[RunOptions]) -> Plan:
    """The requests, tokens and price of a run, without those that the run in `out` already has. Calls no model."""
    request = request_run(bench, model, **options)
    return request.plan(as_path(out) or request.default_folder)


def run(
    bench: Folder,
    *,
    model: str | None = None,
    out: Folder | None = None,
    budget: float | None = None,
    url: str | None = None,
    retries: int = 4,
    timeout: int = 600,
    connect_timeout: float = 30.0,
    backoff: float = 2.0,
    max_outage: float = 120.0,
    requests_per_minute: float | None = None,
    progress: ShowProgress = show_nothing,
    **options: Unpack[RunOptions],
) -> Run:
    """Ask a model the questions of a bench, or resume the run in `out`. Calls the model unless it is simulated.

    A system that needs no model, such as `http://HOST:PORT/PATH`, is run without `model`. The run stops before it
    could cost more than `budget` dollars, or if the endpoint does not answer for `max_outage` seconds. It begins at
    most `requests_per_minute` requests. `url` is the address of an OpenAI-compatible server. `progress` is called with
    a `RunProgress` after every response.
    """
    request = request_run(bench, model, **options)
    folder = as_path(out) or request.default_folder
    limits = RunLimits(
        connections=request.connections,
        contexts_at_once=request.contexts_at_once,
        budget=budget,
        retries=retries,
        timeout=timeout,
        connect_timeout=connect_timeout,
        backoff=backoff,
        max_outage=max_outage,
        requests_per_minute=requests_per_minute,
    )
    check_limits(**{name: limit for name, limit in vars(limits).items() if name != "shared"})
    return Run(folder, outside_event_loop(lambda: request.run(folder, limits, url, progress)))


def outside_event_loop(work: Callable[[], T]) -> T:
    """The result of `work`, in a thread of its own where an event loop runs already, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return work()
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(work).result()


def request_run(bench: Folder, model: str | None = None, **options: Unpack[RunOptions]) -> RunRequest:
    """The checked options of a run."""
    given: dict[str, Any] = dict(options)
    system = given.pop("system", "full")
    prompting = given.pop("prompting", "direct")
    system_settings = given.pop("system_settings", None)
    by_name = isinstance(system, str)
    if not by_name and (system_settings or prompting != "direct"):
        raise FathomError("A system that is given as an object has its own settings and prompting. Make it with them.")
    loaded = load_system(system, prompting, system_settings) if by_name else wrap_system(system)
    corpus, prices, connections = (given.pop(name, None) for name in ("corpus", "prices", "connections"))
    settings = _preset_options(as_path(bench)) | {name: value for name, value in given.items() if value is not None}
    settings |= {
        name: as_tokens(settings[name]) for name in ("max_tokens", "window", "reasoning_tokens") if name in settings
    }
    check_limits(connections=connections)
    if model is None and needs_model(loaded.system):
        raise FathomError(f"The system '{loaded.system.name}' needs a model. Give one, such as --model openai/gpt-4.1.")
    if not needs_model(loaded.system):
        _refuse_model_options(model, loaded.system, options)
    return RunRequest(
        bench=as_path(bench),
        model=model or NO_MODEL,
        loaded=loaded,
        prompting=prompting,
        settings=checked(RunSettings, "run", settings),
        corpus=as_path(corpus),
        prices=as_path(prices),
        connections=connections or 8,
    )


def _refuse_model_options(model: str | None, system: System, options: Mapping[str, object]) -> None:
    """Raise an error for options that have no effect on a system that needs no model."""
    if model is not None and model.startswith(("sim/", "local/", "mockllm/")):
        raise FathomError(f"The system '{system.name}' cannot ask '{model}', which runs in Fathom. Leave out --model.")
    for name in MODEL_OPTIONS:
        if options.get(name) is not None:
            option = f"--{name.replace('_', '-')}"
            raise FathomError(
                f"{option} has no effect on the system '{system.name}', which does not call a model through Fathom. "
                "Leave it out."
            )


def _preset_options(bench: Path) -> dict[str, Any]:
    """The options that the presets of a bench ask for."""
    options: dict[str, Any] = {}
    for name, preset in Bench(bench).manifest.presets.items():
        options |= family(name).presets[preset].run
    return options


@dataclass(frozen=True)
class RunRequest:
    """A model, a system and a bench, before the run."""

    bench: Path
    model: str
    loaded: LoadedSystem
    prompting: Prompting
    settings: RunSettings
    corpus: Path | None = None
    prices: Path | None = None
    connections: int = 8

    @property
    def system(self) -> System:
        return self.loaded.system

    @property
    def is_simulated(self) -> bool:
        return self.model.startswith("sim/")

    @property
    def is_embedded(self) -> bool:
        return _is_embedded(self.model)

    @property
    def needs_model(self) -> bool:
        return needs_model(self.system)

    @property
    def contexts_at_once(self) -> int:
        """The embedded model answers one question at a time: two contexts would evict each other from its cache."""
        return 1 if self.is_embedded else 4

    @property
    def default_folder(self) -> Path:
        """A folder named after the bench, system, settings and model, such as runs/bench-full-gpt-4.1."""
        prompting = "" if self.prompting == "direct" else f"-{self.prompting}"
        changed = "".join(f"-{name}={value}" for name, value in self.loaded.changed_settings.items())
        model = "" if self.model == NO_MODEL else f"-{self.model}"
        name = f"{self.bench.resolve().name}-{self.system.name}{prompting}{changed}{model}"
        sane = re.sub(r"[^\w.=-]+", "-", name)
        return Path("runs") / (sane if len(sane) <= 100 else f"{sane[:80]}-{digest(name).hex()[:8]}")

    @cached_property
    def info(self) -> ModelInfo:
        """The model's window and prices; an error if the window is unknown or `max_tokens` is above the limit, or if
        there is no such simulated model."""
        if not self.needs_model:
            return ModelInfo()
        _ = self._model_name
        _ = self.is_embedded
        info = model_info(self.model, self.prices)
        if (self.settings.window or info.window) is None:
            info = engine_info(self.model) or info
        if (self.settings.window or info.window) is None:
            if "/" not in self.model:
                raise FathomError(_without_provider(self.model))
            close = get_close_matches(self.model, [model.name for model in list_models()], n=1, cutoff=0.8)
            meant = f"Did you mean {close[0]}? If not, give" if close else "Give"
            raise FathomError(
                f"The context window of the model '{self.model}' is unknown. "
                f"{meant} --window, such as --window 128K, or add the model to a table of --prices."
            )
        if info.max_output_tokens is not None and self.settings.max_tokens > info.max_output_tokens:
            raise FathomError(
                f"The model '{self.model}' writes at most {info.max_output_tokens:,} tokens, and --max-tokens is "
                f"{self.settings.max_tokens:,}. Give fewer, or correct the limit in a table of --prices."
            )
        self._check_reasoning_tokens()
        return info

    def _check_reasoning_tokens(self) -> None:
        """Raise an error if the model's API takes no number of reasoning tokens, or not this one."""
        tokens, room = self.settings.reasoning_tokens, self.settings.max_tokens
        if tokens is None:
            return
        if self.model.partition("/")[0] not in TAKE_REASONING_TOKENS:
            raise FathomError(
                f"The API of '{self.model}' takes no number of reasoning tokens. Leave out --reasoning-tokens, and "
                "give --reasoning-effort if the model has it."
            )
        if tokens >= room:
            raise FathomError(
                f"--max-tokens {room:,} includes the reasoning, so --reasoning-tokens {tokens:,} would leave no room "
                f"for an answer. Give a larger --max-tokens, such as {tokens + room:,}."
            )

    @property
    def prices_as_of(self) -> str:
        """The day of the model's prices, in your own table or the built-in one."""
        return prices_as_of(self.model, self.prices)

    @cached_property
    def _model_name(self) -> str:
        """The model; a simulated one with its parameters in their usual order, and an error if it has no such."""
        if not self.is_simulated:
            return self.model
        return simulated_model(self.model, Bench(self.bench).manifest.families).named.name

    def manifest(self, bench: BenchView, folder: Path) -> RunManifest:
        """The identity of the run."""
        return RunManifest(
            bench=Path(os.path.relpath(self.bench.resolve(), folder.resolve())).as_posix(),
            bench_fingerprint=bench.fingerprint,
            model=self._model_name,
            system=self.system.name,
            system_settings=self.loaded.settings,
            system_source=self.loaded.source,
            settings=self.settings,
        )

    def plan(self, folder: Path) -> Plan:
        """The plan of the responses that the run in `folder` still lacks; an error if that run cannot be resumed."""
        with open_bench_view(self.bench, self.corpus, is_control(self.system)) as bench:
            if (folder / MANIFEST).exists():
                check_resumable(folder, self.manifest(bench, folder))
            existing = _existing(folder)
            return planning.plan(bench, self.system, self.info, self.settings, existing, self.connections)

    def run(
        self, folder: Path, limits: RunLimits, url: str | None = None, progress: ShowProgress = show_nothing
    ) -> RunStatus:
        """Run, or resume the run in `folder`."""
        with open_bench_view(self.bench, self.corpus, is_control(self.system)) as bench:
            manifest, info = self.manifest(bench, folder), self.info
            if limits.budget is not None:
                self._check_budget(bench)
            if url is not None and not self.needs_model:
                raise FathomError(
                    f"--url is the address of a model, and the system '{self.system.name}' needs none. Leave it out."
                )
            reporter = ProgressReporter(self._check_questions(bench), _existing(folder), progress)
            if not self.needs_model:
                return running.run_without_model(bench, self.system, manifest, folder, limits, reporter)
            if not self.is_simulated:
                return running.run(
                    *(bench, self.system, info, manifest, folder, opened_model(self.model, url), limits, reporter),
                    check=ResponseChecker(Bench(self.bench)),
                )
            seed = self.settings.seed or 0
            with open_simulated_model(self.bench, self.corpus, self.model, self.system.name, seed) as model:
                return running.run_simulated(bench, self.system, info, manifest, folder, model, reporter)

    def _check_budget(self, bench: BenchView) -> None:
        """Raise an error if no budget can be enforced, since prices are unknown."""
        if self.needs_model:
            self.check_model(True)
            return
        job = next(planning.jobs(bench, self.settings))[0]
        if planning.estimate_of(self.system, job, bench).price is None:
            raise FathomError(
                f"The cost of the system '{self.system.name}' is unknown, so no budget can be enforced. If you know "
                "the highest price of a question, give it: -S max_price=0.05."
            )

    def check_model(self, has_budget: bool) -> None:
        """Raise an error for a model with an unknown window, or with unknown prices if there is a budget."""
        if not self.info.has_prices and has_budget:
            raise FathomError(
                f"The prices of the model '{self.model}' are unknown, so no budget can be enforced. Give --prices."
            )

    @property
    def window(self) -> int | None:
        """The window that questions must fit."""
        return self.settings.window or self.info.window

    @property
    def fit_command(self) -> str:
        """The command that shortens the bench to the window, counted in the tokens of the model."""
        room = self.settings.max_tokens
        reserve = "" if room == RunSettings().max_tokens else f" --reserve {format_length(room)}"
        return (
            f"fathom fit {quote(str(self.bench))} --window {format_length(self.window or 0)} "
            f"--model {quote(self.model)}{reserve} --out {quote(f'{self.bench}-fitted')}"
        )

    def check(self, has_budget: bool) -> None:
        """Raise an error that the run would raise before anything is sent."""
        _ = self.info
        with open_bench_view(self.bench, self.corpus, is_control(self.system)) as bench:
            self._check_questions(bench)
            if has_budget:
                self._check_budget(bench)

    def _check_questions(self, bench: BenchView) -> int:
        """The number of responses; an error if there are none, or if the system does not support a family."""
        first: dict[str, planning.Job] = {}
        total = 0
        for group in planning.jobs(bench, self.settings):
            total += len(group)
            for job in group:
                first.setdefault(job.question.family, job)
        if not total:
            raise FathomError(f"No question of '{self.bench}' is selected. Leave out --split, or choose another.")
        window = planning.WindowCheck(bench, self.system, self.info, self.settings)
        if window.is_needed and not any(
            window.fits(window.estimate(job)) for group in planning.jobs(bench, self.settings) for job in group
        ):
            raise FathomError(
                f"None of the {total:,} questions fits the window of {self.window or 0:,} tokens. "
                f"Shorten the bench: {self.fit_command}."
            )
        for job in first.values():
            # An estimate needs the instructions, forms and tables that the system uses.
            planning.estimate_of(self.system, job, bench)
        return total

    def age_warning(self) -> str | None:
        """A warning if documents of the bench are older than the model's training cutoff."""
        cutoff = self.info.cutoff
        if cutoff is None:
            return None
        bench = Bench(self.bench)
        with Corpus(self.corpus or bench.corpus_folder) as corpus:
            ages = document_ages(bench, corpus, cutoff)
        if ages is None or not ages.older:
            return None
        undated = f" ({ages.undated:,} more {'is' if ages.undated == 1 else 'are'} undated)" if ages.undated else ""
        verb = "was" if ages.older == 1 else "were"
        return (
            f"{ages.older:,} of the {ages.documents:,} documents of '{self.bench}' {verb} published before "
            f"{cutoff}{undated}, the training cutoff of '{self.model}', which may have memorized them; see "
            "`fathom contamination`."
        )


PROVIDERS = {
    r"gpt|chatgpt|o\d\b": "openai",
    "claude": "anthropic",
    "gemini|gemma-3n": "google",
    "grok": "grok",
    "mistral|magistral|ministral|codestral": "mistral",
    "deepseek": "deepseek",
    "sonar": "perplexity",
    "kimi": "moonshot",
}
"""Providers by how the names of their models begin."""
TAKE_REASONING_TOKENS = ("anthropic", "bedrock", "google", "openrouter")
"""Providers to whose API the engine sends a number of reasoning tokens."""


def _without_provider(model: str) -> str:
    """What to give in place of a model without a provider."""
    named = {_letters(one.name.partition("/")[2]): one.name for one in list_models()}
    provider = next((name for beginning, name in PROVIDERS.items() if re.match(beginning, model)), None)
    if provider is not None and model_info(f"{provider}/{model}").has_prices:
        meant = f"{provider}/{model}"
    elif (known := named.get(_letters(model))) is not None:
        meant = known
    else:
        # Models with open weights have many providers.
        meant = f"{provider}/{model}" if provider else f"together/{model}, openrouter/{model} or ollama/{model}"
    return (
        f"'{model}' has no provider. Give a provider and a model, such as {meant}; or openai-api/mine/{model} with "
        "--url for a server of your own. `fathom models` lists models with prices."
    )


def _letters(model: str) -> str:
    """A model's name as it is compared: gpt5-mini is gpt-5-mini."""
    return re.sub(r"[^a-z0-9]", "", model.lower())


def check_limits(**limits: float | None) -> None:
    """Raise an error for a limit that is not a number or too small."""
    for name, limit in limits.items():
        least = 1 if name in ("connections", "timeout", "connect_timeout", "requests_per_minute") else 0
        if limit is not None and not (isinstance(limit, int | float) and limit >= least):
            raise FathomError(f"The setting '{name}' is {limit!r}. Use a number of {least} or more.")


def _existing(folder: Path) -> ResponseIndex:
    return read_states(folder) if (folder / MANIFEST).exists() else ResponseIndex()


def opened_model(model: str, url: str | None = None) -> OpenedModel:
    """A function that opens a model for the engine. The embedded model gets a server; the engine opens all others."""
    if _is_embedded(model):
        return _embedded
    return lambda: nullcontext((model, {"url": url} if url else {}))


def _is_embedded(model: str) -> bool:
    """Whether it is the embedded model; an error for a name that only looks like it."""
    if model.startswith("local/") and model != EMBEDDED:
        raise FathomError(f"There is no embedded model '{model}'. Use '{EMBEDDED}'.")
    return model == EMBEDDED


@contextmanager
def _embedded() -> Iterator[tuple[str, dict[str, str]]]:
    from fathom.models.embedded import EmbeddedServer

    with EmbeddedServer() as server:
        yield "openai-api/local/smollm2", {"url": server.url, "api_key": "none"}
