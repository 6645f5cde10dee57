"""Reading and assembling real JATS documents, including sentence splitting, on one core.

Targets: 30 documents a second (CPU time), and at most six times what lxml alone takes to parse them. The archives are
unpacked before the clock starts; each document is freed before the next is read, as in an ingestion. The documents are
eLife articles of about ten thousand words. Of several rounds, the fastest time of each document counts.
"""

from __future__ import annotations

import tarfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from lxml import etree

from _measuring import fastest_total
from fathom.corpus.readers.assembly import assemble
from fathom.corpus.readers.jats import reader as jats
from fathom.corpus.readers.parsed_document import NoCompanions
from fathom.corpus.readers.parsing.sentences import clear_splitter_cache

DOCUMENTS = Path(__file__).resolve().parents[2] / "shared" / "data" / "elife-jats"
ROUNDS = 5


def contents(folder: Path) -> Iterator[bytes]:
    """Every document of every archive."""
    for archive in sorted(folder.glob("*.tar.xz")):
        with tarfile.open(archive) as opened:
            for member in opened:
                file = opened.extractfile(member)
                if file is not None:
                    yield file.read()


def seconds_to_read(documents: list[bytes]) -> list[float]:
    """CPU seconds to read and assemble each of them."""
    clear_splitter_cache()  # as for documents that were not read before
    return [_seconds(_read, content) for content in documents]


def seconds_to_parse(documents: list[bytes]) -> list[float]:
    """CPU seconds in which lxml parses each of them."""
    return [_seconds(_parse, content) for content in documents]


def _seconds(task: Callable[[bytes], None], content: bytes) -> float:
    start = time.process_time()
    task(content)
    return time.process_time() - start


def _read(content: bytes) -> None:
    for found in jats.read(content, "article.xml", NoCompanions()):
        assemble(found)


def _parse(content: bytes) -> None:
    etree.fromstring(content, etree.XMLParser(resolve_entities=False, load_dtd=False, no_network=True))


def measure() -> None:
    """Read all documents several times and print the fastest times."""
    documents = list(contents(DOCUMENTS))
    seconds_to_read(documents[:5])  # loads the sentence model
    seconds = fastest_total(seconds_to_read(documents) for _ in range(ROUNDS))
    alone = fastest_total(seconds_to_parse(documents) for _ in range(ROUNDS))
    megabytes = sum(map(len, documents)) / 1e6
    print(f"JATS read and composed  {len(documents)} articles, {megabytes:.0f} MB in {seconds:.1f} seconds")
    print(f"{len(documents) / seconds:.0f} articles a second on one core (promised: 30)")
    print(f"{seconds / alone:.1f} times what lxml alone takes (goal: 6)")


if DOCUMENTS.exists():
    measure()
else:
    print("not measured: the real articles, ../shared/data/elife-jats, are not here")
