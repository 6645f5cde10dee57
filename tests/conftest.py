"""What many tests share: one small corpus, made once, and the `fathom` command in a process of its own."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fathom.corpus.generate import Recipe, generate, parse_domains
from fathom.corpus.store import Corpus

Fathom = Callable[..., "subprocess.CompletedProcess[str]"]

LONG = ("test_commands.py", "test_docs.py", "test_swap.py", "test_engine.py", "test_bench.py")
"""The files that take longest. A file stays with one process: were they last, the others would wait for it."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: LONG.index(item.path.name) if item.path.name in LONG else len(LONG))


@pytest.fixture(scope="session")
def small_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus of 48 research documents; never write to it."""
    folder = tmp_path_factory.mktemp("small") / "corpus"
    generate(folder, Recipe(seed=3, documents=48))
    return folder


@pytest.fixture
def small(small_folder: Path) -> Iterator[Corpus]:
    with Corpus(small_folder) as corpus:
        yield corpus


@pytest.fixture(scope="session")
def mixed_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus with a document of every domain, twice."""
    folder = tmp_path_factory.mktemp("mixed") / "corpus"
    generate(folder, Recipe(domains=parse_domains("articles,reports"), seed=5, documents=24))
    return folder


@pytest.fixture
def fathom() -> Fathom:
    """Runs the command as a user would; gives its exit code and what it printed."""

    def run(*words: object, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "fathom", *map(str, words)],
            capture_output=True,
            text=True,
            check=False,
            timeout=900,
            env={**os.environ, **environment},
        )

    return run


@pytest.fixture(autouse=True, scope="module")
def nothing_left_behind() -> Iterator[None]:
    """What libraries leave to the garbage collector is collected here, and not in somebody else's test."""
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        gc.collect()
