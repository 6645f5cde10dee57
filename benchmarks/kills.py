"""A hundred kills (-9) of `fathom run` at random times, each followed by a restart, then one run to the end.

Half of the kills come at a random time after the start, half after a random number of responses. First through the
engine, against a provider on loopback that counts requests, then with a simulated model. Each is compared with an
uninterrupted run. Target: no response is lost, nothing is asked again except requests in flight at a kill, and the
verdicts are the same.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import ThreadingHTTPServer
from pathlib import Path
from random import Random
from unittest.mock import patch
from zlib import crc32

from _measuring import bench_of, fathom, workplace
from fathom.records.files import Journal
from fathom.records.questions import Response
from fathom.runs.folder import RESPONSES, VERDICTS
from tests.serving import Provider, serving

KILLS = 100
CONNECTIONS = 4
ENGINE_QUESTIONS = 2_000
PATIENCE = 1_800.0


@dataclass
class Tally:
    """The effects of a hundred kills."""

    starting: int = 0
    """Kills before the process had stored a response."""
    asking: int = 0
    torn: int = 0
    """Kills that left part of a line."""
    changed: int = 0
    """Kills after which the journal did not begin with its former content."""
    seconds: float = 0.0


class Run:
    """One run's folder, and the command that starts or resumes it."""

    def __init__(self, folder: Path, bench: Path, *words: object) -> None:
        self.folder = folder
        self._words = [sys.executable, "-m", "fathom", "run", *map(str, (bench, "--out", folder, *words))]

    def journal(self) -> bytes:
        path = self.folder / RESPONSES
        return path.read_bytes() if path.exists() else b""

    def responses(self) -> list[Response]:
        """The responses so far, without a torn line."""
        return list(Journal(self.folder / RESPONSES, Response).read())

    @contextmanager
    def started(self) -> Iterator[subprocess.Popen[bytes]]:
        """The running command; it is killed at the end of the block."""
        environment = {**os.environ, "MINE_API_KEY": "none"}
        process = subprocess.Popen(self._words, stdout=subprocess.DEVNULL, env=environment)
        try:
            yield process
        finally:
            process.kill()
            process.wait()

    def finish(self) -> None:
        """Let it run to its end."""
        with self.started() as process:
            code = process.wait(PATIENCE)
        if code != 0:
            raise SystemExit(f"{' '.join(self._words)} ended with {code}")

    def new_lines(self, known: int) -> int:
        """Lines of the journal after the first `known` bytes."""
        path = self.folder / RESPONSES
        if not path.exists():
            return 0
        with path.open("rb") as file:
            file.seek(known)
            return file.read().count(b"\n")

    def await_lines(self, wanted: int, process: subprocess.Popen[bytes], known: int, seconds: float) -> None:
        """Wait for this many new lines, the end of the time limit or the end of the process."""
        end = time.monotonic() + seconds
        while self.new_lines(known) < wanted and time.monotonic() < end and process.poll() is None:
            time.sleep(0.001)

    def verdicts(self) -> list[str]:
        fathom("score", self.folder)
        return sorted((self.folder / VERDICTS).read_text().splitlines())


def kill_at_random(run: Run, rng: Random, begins_after: float, most: int, tally: Tally) -> None:
    """Start the command and kill it: at a random time, or after a random number of responses."""
    before = run.journal()
    by_time = rng.random() < 0.5
    wanted, seconds = (most, rng.uniform(0, 1.3 * begins_after)) if by_time else (rng.randint(1, most), PATIENCE)
    with run.started() as process:
        run.await_lines(wanted, process, len(before), seconds)
        # Responses are seen just after they are written; a kill may come at any moment until the next one.
        time.sleep(rng.uniform(0, 0.005))
    if process.returncode != -9:
        raise SystemExit(f"the run ended by itself with {process.returncode} before it was killed")
    after = run.journal()
    whole = after[: after.rfind(b"\n") + 1]
    # The line that an earlier kill tore is cut off by the next start; whole lines stay.
    kept = before[: before.rfind(b"\n") + 1]
    tally.changed += not whole.startswith(kept)
    tally.torn += whole != after
    tally.starting += whole == kept
    tally.asking += whole != kept


def first_response(run: Run) -> float:
    """Seconds until a new run stores its first response; the run is then killed."""
    start = time.monotonic()
    with run.started() as process:
        run.await_lines(1, process, 0, PATIENCE)
    return time.monotonic() - start


def killed(run: Run, seed: int, most: int) -> Tally:
    """The tally of a run that is killed a hundred times and then runs to its end."""
    start = time.monotonic()
    begins_after = first_response(run)
    tally, rng = Tally(asking=1), Random(seed)
    for _ in range(KILLS - 1):
        kill_at_random(run, rng, begins_after, most, tally)
    run.finish()
    tally.seconds = time.monotonic() - start
    return tally


def report(name: str, run: Run, plain: Run, tally: Tally, questions: int) -> bool:
    """Print the results; returns whether the target is met, apart from the number of requests."""
    responses = run.responses()
    places = Counter((response.question_id, response.sample) for response in responses)
    answered = sum(response.outcome == "answered" for response in responses)
    verdicts, expected = run.verdicts(), plain.verdicts()
    differing = len(set(verdicts) ^ set(expected))
    print(
        f"{name}: {KILLS} kills in {tally.seconds:.0f} s, {tally.starting} before a process kept its first response, "
        f"{tally.asking} after; {tally.torn} torn lines; {tally.changed} times a kept line was lost or changed"
    )
    print(
        f"  {len(places):,} of {questions:,} questions have a response ({answered:,} answered), "
        f"{len(responses) - len(places)} have two; {differing} of {len(expected):,} verdicts differ from the "
        "uninterrupted run's (promised: 0)"
    )
    return not tally.changed and not differing and len(places) == len(responses) == questions


@contextmanager
def quiet_server() -> Iterator[None]:
    """A killed client breaks its connections, and the server would print a trace for each."""
    with patch.object(ThreadingHTTPServer, "handle_error"):
        yield


def through_the_engine(bench: Path, folder: Path) -> bool:
    """Against a provider that counts requests."""
    requests: Counter[int] = Counter()

    def counted(number: int, prompt: str) -> str:
        requests[crc32(prompt.encode())] += 1  # called under the provider's lock
        return ""

    def response(prompt: str) -> str:
        chosen = crc32(prompt.encode()) % 7
        return f"Answer: {chosen}" if chosen else "Answer: NULL"

    with (
        quiet_server(),
        serving(Provider(response=response, fault=counted, seconds=0.03, keep_prompts=False)) as provider,
    ):
        words = ("--model", "openai-api/mine/m", "--url", provider.url, "--window", "128K")
        more = ("--connections", CONNECTIONS, "--limit", ENGINE_QUESTIONS)
        plain = Run(folder / "plain", bench, *words, *more)
        plain.finish()
        once = requests.total()
        requests.clear()
        run = Run(folder / "killed", bench, *words, *more)
        tally = killed(run, 1, 15)
    good = report("through the engine", run, plain, tally, ENGINE_QUESTIONS)
    again = requests.total() - ENGINE_QUESTIONS
    most = CONNECTIONS * KILLS
    print(
        f"  {once:,} requests without a kill, {requests.total():,} with: {again} were sent again, "
        f"{again / most:.2f} of the {most} that can be in flight at {KILLS} kills with {CONNECTIONS} connections"
    )
    return good and once == ENGINE_QUESTIONS and again <= most


def simulated(bench: Path, folder: Path, questions: int) -> bool:
    """A reader with faults."""
    words = ("--model", "sim/reader?miss=0.1&ignore-not=0.3&format=0.05&refuse=0.05")
    plain, run = Run(folder / "plain-sim", bench, *words), Run(folder / "killed-sim", bench, *words)
    plain.finish()
    return report("simulated", run, plain, killed(run, 2, 30), questions)


if __name__ == "__main__":
    with workplace() as folder:
        bench = bench_of(folder, "--documents", 1_500, "--length", "short", length="1536", count=650)
        questions = sum(1 for _ in (bench / "questions.jsonl").open())
        good = [through_the_engine(bench, folder), simulated(bench, folder, questions)]
    sys.exit(0 if all(good) else 1)
