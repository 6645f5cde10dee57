"""Reading real articles in JATS and composing them, sentences included, on one core.

Promise: 30 articles a second (CPU time). The archives are unpacked before the clock starts; each article is let go
before the next is read, as a corpus being written does it. The articles are eLife's, some ten thousand words each.
"""

from __future__ import annotations

import tarfile
import time
from collections.abc import Iterator
from pathlib import Path

from _measuring import best
from fathom.corpus.readers import jats
from fathom.corpus.readers.compose import compose
from fathom.corpus.readers.found import NoSiblings

DOCUMENTS = Path(__file__).resolve().parents[2] / "shared" / "data" / "elife-jats"
ROUNDS = 3


def contents(folder: Path) -> Iterator[bytes]:
    """Every article of every archive."""
    for archive in sorted(folder.glob("*.tar.xz")):
        with tarfile.open(archive) as opened:
            for member in opened:
                file = opened.extractfile(member)
                if file is not None:
                    yield file.read()


def seconds_for(articles: list[bytes]) -> float:
    """CPU seconds to read and compose them all."""
    start = time.process_time()
    for content in articles:
        for found in jats.read(content, "article.xml", NoSiblings()):
            compose(found)
    return time.process_time() - start


def measure() -> None:
    """Read all, several times, and print the least disturbed."""
    articles = list(contents(DOCUMENTS))
    seconds_for(articles[:5])  # the model of sentences loaded
    seconds = best([seconds_for(articles) for _ in range(ROUNDS)])
    megabytes = sum(map(len, articles)) / 1e6
    print(f"JATS read and composed  {len(articles)} articles, {megabytes:.0f} MB in {seconds:.1f} seconds")
    print(f"{len(articles) / seconds:.0f} articles a second on one core (promised: 30)")


if DOCUMENTS.exists():
    measure()
else:
    print("not measured: the real articles, ../shared/data/elife-jats, are not here")
