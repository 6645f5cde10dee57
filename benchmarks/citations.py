"""Items of the family citations from generated articles, on one core: each task and level by itself, then all at once.

Promise: 1,000 items of each task and level are made in under ten seconds. Measured in CPU seconds, three times each;
the least disturbed counts. Beside it: the whole `fathom build`, from starting Python to the written bench; and the
plain way, which reads every article whole and lays out and counts every item from scratch, on some of the items.

    python benchmarks/citations.py [ITEMS] [CORPUS]
"""

from __future__ import annotations

import gc
import sys
import time
from itertools import islice
from pathlib import Path
from typing import get_args

from pydantic import JsonValue

from _measuring import Cost, fathom, workplace
from fathom.contexts.layout import render
from fathom.corpus.store import Corpus
from fathom.models.tokenizers import DEFAULT, tokenizer
from fathom.tasks.bench import Bench
from fathom.tasks.citations.make import CitationMaker
from fathom.tasks.citations.settings import LEVELS, Task
from fathom.tasks.family import Asked
from fathom.work import rare_collections

ITEMS = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
ARTICLES = 8 * ITEMS
TRIES = 3
PLAIN = 60
"""Items of the plain way."""


def built(corpus: Path, bench: Path, tasks: str, levels: str) -> Cost:
    asked = ["--families", "citations", "--tasks", tasks, "--levels", levels, "--items", ITEMS, "--processes", 1]
    return fathom("build", corpus, "--out", bench, *asked)


def made(corpus: Path, task: str, level: str) -> tuple[float, int]:
    """CPU seconds and items, without starting, writing and counting."""
    gc.collect()  # a maker and its caches hold one another: the last one must not be in this one's way
    own: dict[str, JsonValue] = {"items": ITEMS, "tasks": [task], "levels": {level: LEVELS[level].model_dump()}}
    with Corpus(corpus) as opened, rare_collections():
        maker = CitationMaker(opened, Asked(own={"citations": own}), 0)
        start = time.process_time()
        items = sum(1 for _ in maker.make(lambda: None))
        return time.process_time() - start, items


def plainly(bench: Bench) -> float:
    """CPU seconds an item, where each is laid out and counted, and each of its articles parsed, anew."""
    with bench.open_corpus() as corpus:
        plain = Corpus(corpus.folder, room=0)
        with plain:
            start = time.process_time()
            for context in islice(bench.contexts(), PLAIN):
                for id in context.articles:
                    plain.article(id)
                tokenizer(DEFAULT).count(render(context, plain).decode())
            return (time.process_time() - start) / PLAIN


def measure(corpus: Path, folder: Path) -> None:
    for level in LEVELS:
        for task in get_args(Task):
            tries = sorted(made(corpus, task, level) for _ in range(TRIES))
            seconds = ", ".join(f"{taken:.1f}" for taken, _ in tries)
            whole = built(corpus, folder / f"{task}-{level}", task, level)
            print(f"{task}, {level}: {tries[0][1]:,} items in {seconds} CPU s (promised: 1,000 in 10)", end="; ")
            print(f"the whole command {whole.cpu:.1f}, {whole.peak_megabytes:.0f} MB", flush=True)
    cost = built(corpus, folder / "all", ",".join(get_args(Task)), ",".join(LEVELS))
    bench = Bench(folder / "all")
    report = bench.manifest.reports["citations"]["items"]
    assert isinstance(report, dict)
    print("\n".join(f"  {cell}: {found}" for cell, found in report.items()))
    each, plain = cost.cpu / bench.manifest.questions, plainly(bench)
    print(f"all at once: {bench.manifest.questions:,} items in {cost.cpu:.1f} CPU s, {each * 1000:.2f} ms each")
    print(f"reading, laying out and counting alone, from scratch: {plain * 1000:.2f} ms each")
    print(f"ratio {plain / each:.1f}")


tokenizer(DEFAULT)
with workplace() as place:
    if len(sys.argv) > 2:
        measure(Path(sys.argv[2]), place)
    else:
        fathom("generate", "--out", place / "corpus", "--articles", ARTICLES, "--seed", 2)
        measure(place / "corpus", place)
