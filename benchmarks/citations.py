"""Items of the family citations from generated documents, on one core: each task and level by itself, then all at once.

Promised, in CPU milliseconds for each item on a quiet machine, from starting Python to the written bench: 15 for easy
and medium items, 40 for hard choices, 150 for hard clozes. Most of a hard item is the search among sets of candidates
in papers that give none; the first 100 items of a task and level include about 20 for the held-out matchers. Measured
in CPU seconds of `fathom build`, three times each; the fastest counts. The baseline reads every document
in full and lays out and counts every item from scratch, for some of the items.

    python benchmarks/citations.py [ITEMS] [CORPUS]
"""

from __future__ import annotations

import sys
import time
from itertools import islice
from pathlib import Path
from typing import get_args

from _measuring import Cost, fathom, workplace
from fathom.contexts.layout import render
from fathom.corpus.store import Corpus
from fathom.models.tokenizers import DEFAULT, tokenizer
from fathom.tasks.bench import Bench
from fathom.tasks.citations.settings import LEVELS, CitationTask

ITEMS = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
DOCUMENTS = 8 * ITEMS
TRIES = 3
PROMISED = {("choice", "hard"): 40, ("cloze", "hard"): 150}
"""CPU milliseconds for each item; 15 for all others."""
PLAIN = 60
"""Items of the baseline."""


def built(corpus: Path, bench: Path, tasks: str, levels: str) -> Cost:
    asked = ["--tasks", tasks, "--levels", levels, "--items", ITEMS, "--processes", 1]
    return fathom("build", "citations", corpus, "--out", bench, *asked)


def plainly(bench: Bench) -> float:
    """CPU seconds per item if each item is laid out and counted, and each of its documents parsed, from scratch."""
    with bench.open_corpus() as corpus:
        plain = Corpus(corpus.folder, cache_bytes=0)
        with plain:
            start = time.process_time()
            for context in islice(bench.contexts(), PLAIN):
                for id in context.documents:
                    plain.document(id)
                tokenizer(DEFAULT).count(render(context, plain).decode())
            return (time.process_time() - start) / PLAIN


def measure(corpus: Path, folder: Path) -> None:
    for level in LEVELS:
        for task in get_args(CitationTask):
            folders = [folder / f"{task}-{level}-{number}" for number in range(TRIES)]
            tries = sorted((built(corpus, bench, task, level) for bench in folders), key=lambda cost: cost.cpu)
            items = Bench(folders[0]).manifest.questions
            seconds = ", ".join(f"{cost.cpu:.1f}" for cost in tries)
            each, promised = 1000 * tries[0].cpu / max(1, items), PROMISED.get((task, level), 15)
            print(f"{task}, {level}: {items:,} items in {seconds} CPU s", end="; ")
            print(f"{each:.0f} ms each (promised: {promised})", end="; ")
            print(f"{tries[0].peak_megabytes:.0f} MB", flush=True)
    cost = built(corpus, folder / "all", ",".join(get_args(CitationTask)), ",".join(LEVELS))
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
        fathom("generate", "--out", place / "corpus", "--documents", DOCUMENTS, "--seed", 2)
        measure(place / "corpus", place)
