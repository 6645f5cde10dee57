"""A bench that these tests share, and runs of simulated models on it, each made on first use."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from fathom.cli.main import main
from fathom.contexts.files import FILE_NAME, write_contexts
from fathom.contexts.sampling import SamplingSettings
from fathom.corpus.generate import Recipe, generate
from fathom.corpus.store import Corpus
from fathom.records.record import short_id
from fathom.tasks.building import BuildInputs, build
from tests.sharing import SharedFolders

Ran = Callable[..., Path]


def done(*words: object) -> int:
    """The exit code of a command, run in this process: 1 if responses failed, as those of some simulated models do."""
    try:
        return main([str(word) for word in words])
    except SystemExit as left:
        return int(left.code or 0)


@pytest.fixture(scope="session")
def examined(build_once: SharedFolders) -> Path:
    """A bench of some 280 questions over contexts of two lengths, which rates need; never write to it."""
    return build_once("examined", lambda folder: _make(folder, 70, 14, (65_536, 131_072))) / "bench"


@pytest.fixture(scope="session")
def small_bench(build_once: SharedFolders) -> Path:
    """A bench of 100 questions over short contexts of two lengths; never write to it."""
    lengths = (32_768, 65_536)
    return build_once("examined-small", lambda folder: _make(folder, 28, 5, lengths)) / "bench"


def _make(folder: Path, documents: int, count: int, lengths: tuple[int, ...]) -> None:
    corpus = folder / "corpus"
    generate(corpus, Recipe(seed=21, documents=documents))
    with Corpus(corpus) as opened:
        write_contexts(opened, SamplingSettings(lengths=lengths, count=count), corpus / FILE_NAME)
    build(BuildInputs(corpus, corpus / FILE_NAME, {"numeric": {}}, 4), folder / "bench")


@pytest.fixture(scope="session")
def ran(examined: Path, build_once: SharedFolders) -> Ran:
    """Runs a simulated model on `examined`."""
    return runner(examined, build_once)


@pytest.fixture(scope="session")
def ran_small(small_bench: Path, build_once: SharedFolders) -> Ran:
    """Runs a simulated model on `small_bench`."""
    return runner(small_bench, build_once)


def runner(bench: Path, build_once: SharedFolders) -> Ran:
    """Runs a simulated model with the real command, once for each set of options, and scores it."""

    def run(model: str, *words: object, scored: bool = True) -> Path:
        def make(folder: Path) -> None:
            assert done("run", bench, "--model", model, "--out", folder / "run", *words) in (0, 1)
            assert not scored or done("score", folder / "run") == 0

        return build_once(short_id("run", str(bench), model, *map(str, words), scored), make) / "run"

    return run
