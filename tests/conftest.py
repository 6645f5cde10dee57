"""Fixtures for all tests: two small corpora, built once per test run, and the `fathom` command."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import hypothesis
import pytest
from hypothesis.internal.conjecture import providers

from fathom.contexts.files import FILE_NAME, write_contexts
from fathom.contexts.sampling import SamplingSettings
from fathom.corpus.generate import Recipe, generate, parse_domains
from fathom.corpus.store import Corpus
from fathom.tasks.building import BuildInputs, build
from tests.commands import run_command
from tests.sharing import SharedFolders

# The test processes already use all cores, and a worker process of a command takes a second to start. Tests of worker
# processes ask for two.
os.environ["PYTHON_CPU_COUNT"] = "1"

# Under `nohup` this signal is ignored, and by all child processes too; tests send it.
signal.signal(signal.SIGHUP, signal.SIG_DFL)

# On a busy machine any example may take long. The suite tries the same examples each time, so that a failure is due to
# the change at hand; `make fuzz` searches with other examples on each run, and with many more.
hypothesis.settings.register_profile("suite", deadline=None, derandomize=True)
hypothesis.settings.register_profile("fuzz", deadline=None, max_examples=3_000)
PROFILE = os.environ.get("FATHOM_HYPOTHESIS", "suite")
hypothesis.settings.load_profile(PROFILE)
if PROFILE == "suite":
    # Hypothesis also tries constants of the modules that a process has imported: others in each process, and finding
    # them takes six seconds.
    pytest.MonkeyPatch().setattr(providers, "_get_local_constants", lambda: providers._local_constants)

Fathom = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def build_once(tmp_path_factory: pytest.TempPathFactory) -> SharedFolders:
    """Folders that are built once per test run, whatever the number of test processes."""
    base = tmp_path_factory.getbasetemp()
    return SharedFolders((base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "shared")


@pytest.fixture(scope="session")
def small_folder(build_once: SharedFolders) -> Path:
    """A corpus of 48 research documents; never write to it."""
    return build_once("small", lambda folder: generate(folder / "corpus", Recipe(seed=3, documents=48))) / "corpus"


@pytest.fixture(scope="session")
def claims_bench(small_folder: Path, build_once: SharedFolders) -> Path:
    """A bench of six articles with planted claims; never write to it."""

    def make(folder: Path) -> None:
        build(BuildInputs(small_folder, Path("none"), {"claims": {"items": 6}}, 1), folder / "bench")

    return build_once("claims", make) / "bench"


@pytest.fixture
def small(small_folder: Path) -> Iterator[Corpus]:
    with Corpus(small_folder) as corpus:
        yield corpus


@pytest.fixture(scope="session")
def mixed_folder(build_once: SharedFolders) -> Path:
    """A corpus with two documents of every domain; never write to it."""
    recipe = Recipe(domains=parse_domains("articles,reports"), seed=5, documents=24)
    return build_once("mixed", lambda folder: generate(folder / "corpus", recipe)) / "corpus"


@pytest.fixture(scope="session")
def tiny_bench(small_folder: Path, build_once: SharedFolders) -> Path:
    """A bench of six contexts of 64K tokens with five numeric questions each; never write to it."""

    def make(folder: Path) -> None:
        with Corpus(small_folder) as corpus:
            write_contexts(corpus, SamplingSettings(lengths=(65_536,), count=6), folder / FILE_NAME)
        build(BuildInputs(small_folder, folder / FILE_NAME, {"numeric": {"questions": 5}}, 1), folder / "bench")

    return build_once("tiny", make) / "bench"


@pytest.fixture(scope="session")
def citing_corpus(build_once: SharedFolders) -> Path:
    """A corpus of 120 articles that cite one another; never write to it."""
    recipe = Recipe(seed=5, documents=120, domains=("physics",))
    return build_once("citing", lambda folder: generate(folder / "corpus", recipe)) / "corpus"


@pytest.fixture(scope="session")
def few_citing(build_once: SharedFolders) -> Path:
    """A corpus of 28 articles that cite one another, for swaps, which rewrite all of them; never write to it."""
    recipe = Recipe(seed=5, documents=28, domains=("physics",))
    return build_once("citing-few", lambda folder: generate(folder / "corpus", recipe)) / "corpus"


@pytest.fixture
def fathom() -> Fathom:
    """Runs the command and returns its exit code and output.

    It runs in this process, which saves the start; in its own process if the test sets environment variables.
    """

    def run(*words: object, **environment: str) -> subprocess.CompletedProcess[str]:
        if not environment:
            return run_command(*words)
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
def collect_garbage() -> Iterator[None]:
    """Collects what libraries leave to the garbage collector, so that its warnings do not reach another test.

    What is left (modules, caches, corpora of other tests) lives until the end: it is not searched again.
    """
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        gc.collect()
    gc.freeze()
