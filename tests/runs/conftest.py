"""A small bench over short contexts, built once, and `fathom run` against a provider in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fathom.api.bench_views import open_bench_view
from fathom.cli.main import main
from fathom.contexts.files import FILE_NAME, write_contexts
from fathom.contexts.sampling import SamplingSettings
from fathom.corpus.store import Corpus
from fathom.runs.bench_view import BenchView
from fathom.tasks.bench import build
from tests.serving import Provider

KEY = "sk-a-key-that-must-not-be-seen"


@pytest.fixture(scope="session")
def tiny_bench(small_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six contexts of 64K tokens with five questions each."""
    folder = tmp_path_factory.mktemp("runs")
    contexts = folder / FILE_NAME
    with Corpus(small_folder) as corpus:
        write_contexts(corpus, SamplingSettings(lengths=(65_536,), count=6), contexts)
    build(small_folder, contexts, {"numeric": {"questions": 5}}, 1, folder / "bench")
    return folder / "bench"


@pytest.fixture
def bench_view(tiny_bench: Path) -> Iterator[BenchView]:
    with open_bench_view(tiny_bench) as opened:
        yield opened


Ask = Callable[..., int]


@pytest.fixture
def ask(tiny_bench: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ask:
    """`fathom run` against a provider on loopback; gives the exit code. The run lies in tmp_path / "run"."""
    monkeypatch.setenv("MINE_API_KEY", KEY)

    def run(provider: Provider, *words: object) -> int:
        usual = ["run", tiny_bench, "--model", "openai-api/mine/m", "--url", provider.url, "--window", "128K"]
        patience = ["--retries", 1, "--backoff", 0.05, "--timeout", 5, "--out", tmp_path / "run"]
        try:
            return main([str(word) for word in (*usual, *patience, *words)])
        except SystemExit as end:
            return int(end.code or 0)

    return run
