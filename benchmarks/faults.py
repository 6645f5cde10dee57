"""Runs against endpoints that fail: budgets, kills at random moments, slow, flapping and rate-limited servers.

Everything is on loopback, with a server that answers each request in a tenth of a second. Each faulty run is compared
with the same run without a fault plus the time in which nobody could have been answered. Targets: budgets are spent to
90-100%; every question is answered in the end, and none twice.

    python benchmarks/faults.py --contexts 4 --kills 3
"""

from __future__ import annotations

import argparse
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random

from _measuring import bench_of, workplace
from fathom.api.benches import open_bench
from fathom.api.runs import Run, run
from fathom.runs.folder import read_spent
from tests.serving import Provider, serving

SECONDS = 0.1
"""For one answer."""
MODEL = "openai-api/mine/m"
PRICES = f'[models."{MODEL}"]\nwindow = 128_000\ninput_price = 1.0\noutput_price = 1.0\n'


@dataclass(frozen=True)
class Study:
    """A bench and the folder for runs on it."""

    bench: Path
    folder: Path
    questions: int

    def ask(self, name: str, url: str, **options: object) -> tuple[Run, float]:
        """A run, and its wall time."""
        start = time.monotonic()
        done = run(
            self.bench,
            model=MODEL,
            url=url,
            window="128K",
            out=self.folder / name,
            backoff=0.2,
            **options,  # type: ignore[arg-type]
        )
        return done, time.monotonic() - start

    def report(self, name: str, done: Run, wall: float, ideal: float) -> None:
        outcomes = ", ".join(f"{outcome} {count}" for outcome, count in done.status.outcomes.items())
        times = f"{wall:.1f} s, {wall / ideal:.2f} times the ideal {ideal:.1f} s"
        print(f"{name:>28}: {outcomes} of {self.questions}; {times}", flush=True)


def budgets(study: Study) -> None:
    """The share of a budget that is spent, at several numbers of connections."""
    prices = study.folder / "prices.toml"
    prices.write_text(PRICES)
    with serving(Provider(seconds=SECONDS, keep_prompts=False)) as provider:
        study.ask("whole", provider.url, prices=prices)
        budget = read_spent(study.folder / "whole") / 2
        for connections in (1, 8, 64):
            name = f"budget at {connections}"
            study.ask(name, provider.url, prices=prices, budget=budget, connections=connections)
            spent = read_spent(study.folder / name)
            print(f"{name:>28}: {spent / budget:.1%} of ${budget:.3f} spent", flush=True)


def misbehaving(study: Study, ideal: float) -> None:
    """Servers that are slow, flap, or limit the rate."""
    begun = time.monotonic()
    rng = Random(1)
    recent: list[float] = []

    def flaps(number: int, prompt: str) -> str:
        return "503" if (time.monotonic() - begun) % 3 > 2 else ""

    def limits(number: int, prompt: str) -> str:
        now = time.monotonic()
        recent[:] = [one for one in recent if now - one < 1]
        if len(recent) >= 20:
            return "429"
        recent.append(now)
        return ""

    def drops(number: int, prompt: str) -> str:
        return "503" if rng.random() < 0.1 else ""

    cases: tuple[tuple[str, Callable[[int, str], str], float], ...] = (
        ("down 1 of 3 seconds", flaps, 1.5 * ideal),
        ("20 requests a second", limits, max(ideal, study.questions / 20)),
        ("one in ten fails", drops, 1.1 * ideal),
    )
    for name, fault, expected in cases:
        with serving(Provider(seconds=SECONDS, fault=fault, keep_prompts=False)) as provider:
            study.report(name, *study.ask(name, provider.url), ideal=expected)
            assert max(provider.seen.values()) == 1, "a question was answered twice"
    with serving(Provider(seconds=10 * SECONDS, keep_prompts=False)) as provider:
        study.report("ten times as slow", *study.ask("slow", provider.url), ideal=10 * ideal)


class Killable:
    """A server in a process of its own, which is killed and started again on the same port."""

    def __init__(self) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/v1"
        self._process = self._start()

    def _start(self) -> subprocess.Popen[bytes]:
        process = subprocess.Popen([sys.executable, __file__, "--serve", str(self.port)], stderr=subprocess.DEVNULL)
        while True:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return process
            time.sleep(0.02)

    def kill(self, seconds: float) -> float:
        """Kill the server and start it again after so long; gives the time in which it was gone."""
        start = time.monotonic()
        self.close()
        time.sleep(seconds)
        self._process = self._start()
        return time.monotonic() - start

    def close(self) -> None:
        self._process.kill()
        self._process.wait()


@contextmanager
def killed_at_random(kills: int, within: float, rng: Random) -> Iterator[tuple[Killable, list[float]]]:
    """A server that is killed a few times; the list gets the seconds of each absence."""
    server, gone = Killable(), list[float]()

    def work() -> None:
        for _ in range(kills):
            time.sleep(rng.uniform(0.2, within / kills))
            gone.append(server.kill(rng.uniform(0.5, 2)))

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        yield server, gone
    finally:
        thread.join()
        server.close()


def killed(study: Study, ideal: float, kills: int) -> None:
    """An endpoint that is killed at random moments, and comes back."""
    for seed in range(3):
        with killed_at_random(kills, ideal, Random(seed)) as (server, gone):
            done, wall = study.ask(f"killed {seed}", server.url)
        study.report(f"killed {kills} times, seed {seed}", done, wall, ideal + sum(gone))


def serve(port: int) -> None:
    """Serve until the process is killed."""
    with serving(Provider(seconds=SECONDS, keep_prompts=False), port):
        threading.Event().wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--contexts", type=int, default=4)
    parser.add_argument("--kills", type=int, default=3)
    parser.add_argument("--serve", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        serve(given.serve)
        return
    os.environ["MINE_API_KEY"] = "none"
    with workplace() as folder, tempfile.TemporaryDirectory() as runs:
        bench = bench_of(folder, "--documents", 80, length="32K", count=given.contexts, questions=20)
        study = Study(bench, Path(runs), len(open_bench(bench)))
        with serving(Provider(seconds=SECONDS, keep_prompts=False)) as provider:
            study.ask("warm-up", provider.url, limit=1)  # the engine is imported
            done, ideal = study.ask("no fault", provider.url)
        study.report("no fault", done, ideal, ideal)
        budgets(study)
        misbehaving(study, ideal)
        killed(study, ideal, given.kills)


if __name__ == "__main__":
    main()
