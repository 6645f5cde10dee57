"""Effect of grouping questions by context, with the prefix gate, on a prefix cache.

Against the embedded model: ten questions over each of five contexts of 1.5K tokens, eight connections, grouped and in
a naive order (shuffled, no gate), with a new server for each. Its server caches all five contexts in memory, so the
same is measured with one that caches two more than the present one. Against a provider on loopback that caches three
prefixes: the share of prefix tokens that hit, out of those that could, with both, and without grouping or gate.
Target: at least 95%.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

from _measuring import bench_of, workplace
from fathom.api.bench_views import open_bench_view
from fathom.models import embedded
from fathom.models.embedded import EmbeddedServer
from fathom.models.model_info import ModelInfo
from fathom.records.questions import Response
from fathom.runs.bench_view import BenchView
from fathom.runs.engine import run_jobs
from fathom.runs.engine_model import EngineModel, open_model
from fathom.runs.folder import RunSettings
from fathom.runs.memory_journal import MemoryJournal
from fathom.runs.model_caller import ModelCaller
from fathom.runs.plan import Job, jobs
from fathom.runs.request_limits import Budget, Gate
from fathom.runs.run import RunLimits, expander
from fathom.runs.system_runner import SystemRunner
from fathom.systems.catalog import load_system
from tests.serving import Provider, serving

CONNECTIONS = 8
QUESTIONS = 50
FEW_MEBIBYTES = 100
"""Memory for two contexts of 1.9K of the model's tokens, at 22.6 KiB per token."""


class OpenGate(Gate):
    """Admits every request at once."""

    @asynccontextmanager
    async def through(self, prefix: str) -> AsyncIterator[Callable[[], None]]:
        yield lambda: None


class ForgetfulServer(EmbeddedServer):
    """The embedded model with little memory for earlier prompts."""

    def _start(self, settings: embedded.ChildSettings) -> None:
        begin = subprocess.Popen

        def ourselves(words: list[str], **named: Any) -> subprocess.Popen[bytes]:
            return begin([words[0], __file__, words[-1]], **named)

        with patch.object(subprocess, "Popen", ourselves):
            super()._start(settings)


def ask(
    bench: BenchView, settings: RunSettings, url: str, gate: Gate, grouped: bool, logs: Path
) -> tuple[list[Response], float]:
    """The responses of a run like `fathom run`, with another gate or order, and its seconds."""
    pending = [job for group in jobs(bench, settings) for job in group]
    if not grouped:
        Random(5).shuffle(pending)
    responses: list[Response] = []
    limits = RunLimits(connections=CONNECTIONS)
    model = open_model("openai-api/local/m", settings, limits, url=url, api_key="none")
    engine = EngineModel(model, expander(bench, pending))
    journal = MemoryJournal()
    caller = ModelCaller(engine, ModelInfo(), settings.max_tokens, Budget(None), gate, journal.pay)
    runner = SystemRunner(bench, load_system("full").system, caller, journal, responses.append)
    start = time.perf_counter()
    run_jobs(runner.run, pending, caller, model, logs, CONNECTIONS)
    seconds = time.perf_counter() - start
    check(responses, pending)
    return responses, seconds


def check(responses: list[Response], pending: list[Job]) -> None:
    """Check that no response is missing, so that the figures compare the same work."""
    failed = [response.error for response in responses if response.outcome == "error"]
    if failed or len(responses) != len(pending):
        raise SystemExit(f"{len(responses)} of {len(pending)} responses, {len(failed)} failed: {failed[:1]}")


def cached_share(responses: list[Response]) -> float:
    return sum(response.usage.cached_tokens for response in responses) / sum(
        response.usage.input_tokens for response in responses
    )


def ask_anew(
    kind: type[EmbeddedServer], bench: BenchView, gate: Gate, grouped: bool, logs: Path
) -> tuple[float, float, float]:
    """The share of tokens that a fresh server found cached, the seconds, and the CPU seconds of the server."""
    settings = RunSettings(max_tokens=16, limit=QUESTIONS, temperature=0.0)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with kind() as server:
        responses, seconds = ask(bench, settings, server.url, gate, grouped, logs)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return cached_share(responses), seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def with_the_embedded_model(bench: BenchView, folder: Path) -> None:
    """Cached tokens and seconds, by order and by the size of the server's cache."""
    for kind, name in ((EmbeddedServer, "keeps all contexts"), (ForgetfulServer, "keeps two contexts")):
        # One context at once, as `fathom run` does it for a server that answers one question at a time.
        ours, fast, fast_cpu = ask_anew(kind, bench, Gate(1), True, folder / f"{name}, ours")
        naive, slow, slow_cpu = ask_anew(kind, bench, OpenGate(), False, folder / f"{name}, naive")
        print(
            f"the embedded model, {name}: ours {fast:.0f} s ({fast_cpu:.0f} CPU s), {ours:.0%} of tokens cached; "
            f"naive {slow:.0f} s ({slow_cpu:.0f} CPU s), {naive:.0%} cached; "
            f"naive takes {slow / fast:.2f} times as long, {slow_cpu / fast_cpu:.2f} times the CPU"
        )


def with_a_small_cache(bench: BenchView, folder: Path) -> None:
    """Cache hits as a share of those possible: with grouping and gate, and with either left out."""
    ways = {
        "grouped, gate (ours)": (Gate, True),
        "grouped, no gate": (OpenGate, True),
        "gate, not grouped": (Gate, False),
    }
    for samples in (1, 3):
        settings = RunSettings(samples=samples, limit=300)
        for name, (gate, grouped) in ways.items():
            with serving(Provider(cached_prefixes=3, seconds=0.05, keep_prompts=False)) as provider:
                _, seconds = ask(bench, settings, provider.url, gate(), grouped, folder / f"{name}, {samples}")
            share = provider.hit_tokens / provider.possible_tokens
            promised = f", {share / 0.95:.2f} times the promised 95%" if "ours" in name else ""
            print(
                f"three prefixes, --samples {samples}, {name:20} {share:6.1%} of what is possible, "
                f"{seconds:.0f} s{promised}"
            )


if __name__ == "__main__":
    if len(sys.argv) > 1:  # the child process of the server with a small cache
        embedded._CACHE_MEBIBYTES = FEW_MEBIBYTES
        sys.exit(embedded.main())
    with workplace() as folder:
        path = bench_of(folder, "--documents", 150, "--length", "short", length="1536", count=31)
        with open_bench_view(path) as bench:
            with_a_small_cache(bench, folder)
            with_the_embedded_model(bench, folder)
