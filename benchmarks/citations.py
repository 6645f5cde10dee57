"""Items of the family citations from generated articles, on one core: each task and level by itself, then all at once.

Promise: 1,000 items of each task and level in under ten seconds. Beside it: the plain way, which reads every article
whole and lays out and counts every item from scratch, on a hundredth of the items.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import get_args

from pydantic import JsonValue

from _measuring import fathom, workplace
from fathom.contexts.layout import render
from fathom.corpus.store import Corpus
from fathom.models.tokenizers import DEFAULT, tokenizer
from fathom.tasks.citations.make import CitationMaker
from fathom.tasks.citations.settings import LEVELS, Task
from fathom.tasks.family import Asked

ITEMS = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
ARTICLES = 8 * ITEMS
TASKS = get_args(Task)


def made(corpus: Path, tasks: tuple[str, ...], levels: tuple[str, ...]) -> tuple[float, int, JsonValue]:
    """CPU seconds, items, and what is reported of each task and level."""
    wanted = {name: LEVELS[name].model_dump() for name in levels}
    with Corpus(corpus) as opened:
        asked = Asked(own={"citations": {"items": ITEMS, "tasks": [*tasks], "levels": wanted}})
        maker = CitationMaker(opened, asked, 0)
        start = time.process_time()
        items = sum(1 for _ in maker.make(lambda: None))
        seconds = time.process_time() - start
    return seconds, items, maker.report()["items"]


def plainly(corpus: Path, items: int) -> float:
    """CPU seconds an item, where each is laid out and counted, and each of its articles parsed, anew."""
    with Corpus(corpus, room=0) as opened:
        maker = CitationMaker(opened, Asked(own={"citations": {"items": max(1, items // 6)}}), 0)
        contexts = [context for context, _ in maker.make(lambda: None)]
        start = time.process_time()
        for context in contexts:
            for id in context.articles:
                opened.article(id)
            tokenizer(DEFAULT).count(render(context, opened).decode())
        return (time.process_time() - start) / len(contexts)


tokenizer(DEFAULT)
with workplace() as folder:
    corpus = folder / "corpus"
    fathom("generate", "--out", corpus, "--articles", ARTICLES, "--seed", 2)
    for level in LEVELS:
        for task in TASKS:
            seconds, items, _ = made(corpus, (task,), (level,))
            print(f"{task}, {level}: {items:,} items in {seconds:.1f} CPU s (promised: 1,000 in 10)", flush=True)
    seconds, items, cells = made(corpus, TASKS, tuple(LEVELS))
    plain = plainly(corpus, ITEMS // 16)
assert isinstance(cells, dict)
print("\n".join(f"  {cell}: {report}" for cell, report in cells.items()))
print(f"all at once: {items:,} items in {seconds:.1f} CPU s, {seconds / items * 1000:.2f} ms each")
print(f"reading, laying out and counting alone, from scratch: {plain * 1000:.2f} ms each")
print(f"ratio {plain / (seconds / items):.1f}")
