"""Items of the family citations from generated articles, on one core.

Promise: 1,000 items of each task and level in under ten seconds. Beside it: the plain way, which reads every article
whole and lays out and counts every item from scratch, on a hundredth of the items.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from _measuring import fathom, workplace
from fathom.contexts.layout import render
from fathom.corpus.store import Corpus
from fathom.models.tokenizers import DEFAULT, tokenizer
from fathom.tasks.citations.make import CitationMaker
from fathom.tasks.family import Asked

ITEMS = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
ARTICLES = 8 * ITEMS


def made(corpus: Path) -> tuple[float, int, list[str]]:
    """CPU seconds, items, and a line for each task and level."""
    with Corpus(corpus) as opened:
        maker = CitationMaker(opened, Asked(own={"citations": {"items": ITEMS}}), 0)
        start = time.process_time()
        items = sum(1 for _ in maker.make(lambda: None))
        seconds = time.process_time() - start
    cells = maker.report()["items"]
    assert isinstance(cells, dict)
    return seconds, items, [f"  {cell}: {made}" for cell, made in cells.items()]


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


with workplace() as folder:
    fathom("generate", "--out", folder / "corpus", "--articles", ARTICLES, "--seed", 2)
    seconds, items, lines = made(folder / "corpus")
    plain = plainly(folder / "corpus", ITEMS // 16)
    print("\n".join(lines))
    print(f"{items:,} items in {seconds:.1f} CPU s (promised: 6,000 in 10), {seconds / items * 1000:.2f} ms each")
    print(f"reading, laying out and counting alone, from scratch: {plain * 1000:.2f} ms each")
    print(f"ratio {plain / (seconds / items):.1f}")
