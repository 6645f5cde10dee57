"""What the benchmarks share: a command's real time, CPU time and peak memory, a place to keep corpora, and benches."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

# The provider that the tests talk to serves the benchmarks too; Python looks for modules beside the script alone.
sys.path.append(str(Path(__file__).resolve().parents[1]))


@dataclass(frozen=True)
class Cost:
    """What one command took, its own children included."""

    wall: float
    cpu: float
    peak_megabytes: float
    """Of the largest single process."""


def cost_of(*words: object) -> Cost:
    """Run a command to its end, without its output."""
    start = time.perf_counter()
    child = subprocess.Popen([str(word) for word in words], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    wall = time.perf_counter() - start
    if os.waitstatus_to_exitcode(status) != 0:
        raise SystemExit(f"{' '.join(map(str, words))} failed")
    return Cost(wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def fathom(*words: object) -> Cost:
    """The cost of a `fathom` command."""
    return cost_of(sys.executable, "-m", "fathom", *words)


def bench_of(folder: Path, *generated: object, length: str, count: int, questions: int = 10) -> Path:
    """A bench over contexts of one length, with its corpus beside it; `generated` says of what."""
    corpus, bench = folder / "corpus", folder / "bench"
    fathom("generate", "--out", corpus, "--seed", 7, *generated)
    fathom("contexts", corpus, "--lengths", length, "--count", count)
    fathom("build", "numeric", corpus, "--out", bench, "--questions", questions)
    return bench


@contextmanager
def workplace() -> Iterator[Path]:
    """A folder that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="fathom-bench-") as folder:
        yield Path(folder)


def best(seconds: list[float]) -> float:
    """The least disturbed of several measurements."""
    return min(seconds)
