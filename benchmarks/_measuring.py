"""Helpers of the benchmarks: wall time, CPU time and peak memory of commands, temporary folders, and benches."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

# Benchmarks import the tests' mock provider, and Python searches only the script's own folder.
sys.path.append(str(Path(__file__).resolve().parents[1]))


@dataclass(frozen=True)
class Cost:
    """The cost of one command, including its child processes."""

    wall: float
    cpu: float
    peak_megabytes: float
    """Of the largest single process."""


def cost_of(*words: object) -> Cost:
    """Run a command to its end and discard its output."""
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
    """A bench over contexts of one length, with its corpus beside it; `generated` are options of `fathom generate`."""
    corpus, bench = folder / "corpus", folder / "bench"
    fathom("generate", "--out", corpus, "--seed", 7, *generated)
    fathom("contexts", corpus, "--lengths", length, "--count", count)
    fathom("build", "numeric", corpus, "--out", bench, "--questions", questions)
    return bench


@contextmanager
def workplace() -> Iterator[Path]:
    """A temporary folder."""
    with tempfile.TemporaryDirectory(prefix="fathom-bench-") as folder:
        yield Path(folder)


def fastest_total(rounds: Iterable[Sequence[float]]) -> float:
    """The sum of the fastest times of each part in several rounds: on a shared machine every round is disturbed."""
    fastest: list[float] = [min(seconds) for seconds in zip(*rounds, strict=True)]
    return sum(fastest)


def cpu_seconds_of(process: int) -> float:
    """The CPU seconds that a running process has used, by the clock that Linux derives from its number."""
    seconds: float = time.clock_gettime(~process << 3 | 2)
    return seconds


def best(seconds: list[float]) -> float:
    """The fastest of several measurements, which other processes disturbed least."""
    return min(seconds)
