"""Size and speed of the report: under 3 MB for 10 runs of 2,000 items, and a page of 100,000 items."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

from _measuring import bench_of, fathom, workplace
from _repeating import repeat_bench, repeat_run
from fathom.analysis.analyze import Analysis, analyze
from fathom.corpus.store import Corpus
from fathom.report.pages import MAX_BYTES, WrittenPage, write_page
from fathom.runs.folder import RESPONSES
from fathom.tasks.bench import Bench
from tests.browser import CHROMIUM, FLAGS
from tests.report.sample import PLAYERS, Player, play

REASONING = 900
"""Characters before each answer."""


def main() -> None:
    with workplace() as folder:
        bench = bench_of(folder, "--documents", 400, length="64K", count=200)
        players = [Player(f"run-{number}", PLAYERS[number % 3].model, price=0.5) for number in range(10)]
        runs = [play(bench, folder / "runs" / player.name, player) for player in players]
        for number, run in enumerate(runs):
            add_reasoning(bench, run, Random(number))
        written = measured("10 runs of 2,000 items", runs, folder / "page.html")
        if written.bytes > MAX_BYTES or written.parts:
            raise SystemExit(f"the page has {written.bytes:,} bytes and {written.parts} parts")
        large = repeat_bench(bench, folder / "large", 51)
        run = repeat_run(runs[1], large, folder / "large-run", 51)
        fathom("score", run)
        measured("a run of 100,000 items", [run], folder / "large.html")


def measured(what: str, runs: list[Path], path: Path) -> WrittenPage:
    """Analyze, write and open the page, and print the time of each."""
    start = time.perf_counter()
    analysis: Analysis = analyze(runs)
    analyzed = time.perf_counter()
    written = write_page(analysis.findings, analysis.items, path, what)
    done = time.perf_counter()
    print(f"{what}: analyzed in {analyzed - start:.1f} s, written in {done - analyzed:.1f} s")
    print(f"  {written.describe().partition(': ')[2]}")
    opens(path, written.items)
    return written


def opens(path: Path, items: int) -> None:
    """Time the page in a browser."""
    if not CHROMIUM.exists():
        print(f"  not opened: there is no {CHROMIUM}")
        return
    with page() as shown:
        start = time.perf_counter()
        shown.goto(path.as_uri())
        shown.wait_for_selector("html[data-ready]")
        ready = time.perf_counter()
        shown.wait_for_function("() => document.querySelector('.row-words').textContent.length > 10")
        shown.select_option("#filter-outcome", "i")
        shown.wait_for_function("() => document.querySelector('.status').textContent.includes(' of ')")
        filtered = time.perf_counter()
        shown.click(".clear")
        shown.evaluate("() => { document.querySelector('.list').scrollTop = 1e9; }")
        last = f"row-{items - 1}"
        shown.wait_for_function(
            "id => document.getElementById(id)?.querySelector('.row-words').textContent.length > 10", arg=last
        )
        shown.click(f"#{last}")
        shown.wait_for_selector("#sheet .response")
        opened = time.perf_counter()
        heap = shown.evaluate("() => performance.memory.usedJSHeapSize") / 1e6
    print(
        f"  drawn in {ready - start:.2f} s, filtered in {filtered - ready:.2f} s, last item opened in "
        f"{opened - filtered:.2f} s, {heap:.0f} MB of script memory"
    )


@contextmanager
def page() -> Iterator[Any]:
    """A page in Chromium."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=str(CHROMIUM), args=list(FLAGS))
        yield browser.new_page()
        browser.close()


def add_reasoning(bench: Path, run: Path, rng: Random) -> None:
    """Put text from the corpus before every answer: models' responses are long and all different."""
    with Corpus(Bench(bench).corpus_folder) as corpus:
        texts = [text.decode() for _, text in corpus.texts()]
    lines = [json.loads(line) for line in (run / RESPONSES).read_text().splitlines()]
    for line in lines:
        text = rng.choice(texts)
        start = rng.randrange(max(1, len(text) - REASONING))
        line["text"] = f"{text[start : start + REASONING]}\n{line['text']}"
    (run / RESPONSES).write_text("".join(json.dumps(line) + "\n" for line in lines))


if __name__ == "__main__":
    main()
