"""`fathom run` against a provider in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fathom.api.bench_views import open_bench_view
from fathom.api.systems import build_small_bench
from fathom.cli.main import main
from fathom.models.model_info import ModelInfo
from fathom.runs.bench_view import BenchView
from fathom.runs.folder import RunSettings
from fathom.runs.plan import WindowCheck, jobs
from fathom.systems.direct import Full
from tests.serving import Provider
from tests.sharing import SharedFolders

KEY = "sk-a-key-that-must-not-be-seen"


@pytest.fixture
def bench_view(tiny_bench: Path) -> Iterator[BenchView]:
    with open_bench_view(tiny_bench) as opened:
        yield opened


@pytest.fixture
def narrow_window(bench_view: BenchView) -> int:
    """A window that some questions of the bench fit and others do not, for a model that nothing is known about."""
    settings = RunSettings()
    check = WindowCheck(bench_view, Full(), ModelInfo(), settings)
    needed = sorted(check.estimate(job).largest_call for group in jobs(bench_view, settings) for job in group)
    return ModelInfo().tokens(needed[len(needed) // 2]) + settings.max_tokens


@pytest.fixture(scope="session")
def letters_bench(build_once: SharedFolders) -> Path:
    """The bench that is generated where none is given; never write to it."""
    return build_once("letters bench", build_small_bench) / "bench"


Ask = Callable[..., int]


@pytest.fixture
def ask(tiny_bench: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ask:
    """`fathom run` against a provider on loopback; returns the exit code. The run is in tmp_path / "run"."""
    monkeypatch.setenv("MINE_API_KEY", KEY)

    def run(provider: Provider, *words: object) -> int:
        usual = ["run", tiny_bench, "--model", "openai-api/mine/m", "--url", provider.url, "--window", "128K"]
        patience = ["--retries", 1, "--backoff", 0.05, "--timeout", 5, "--out", tmp_path / "run"]
        try:
            return main([str(word) for word in (*usual, *patience, *words)])
        except SystemExit as end:
            return int(end.code or 0)

    return run
