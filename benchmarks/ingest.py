"""Documents read into a corpus: many letters beside few for memory, full articles with one process and with two.

Generated articles are written as JATS and put into an archive, so that everything from opening to linking is measured.
Promises: memory stays flat, and two processes are close to twice as fast. The archive is unpacked and references are
linked, by one process: with letters, of which 350 are read in a second, that is most of the work.
"""

from __future__ import annotations

import io
import sys
import tarfile
from pathlib import Path

from _measuring import Cost, cost_of, fathom, workplace
from fathom.corpus.selftest.decompose import decompose
from fathom.corpus.selftest.formats import jats
from fathom.corpus.store import Corpus

MANY = 10_000
FULL = 300


def write_archive(corpus: Path, path: Path, count: int) -> None:
    """The first articles of the corpus, each a JATS file."""
    with Corpus(corpus) as opened, tarfile.open(path, "w") as archive:
        for number, article in zip(range(count), opened.articles(), strict=False):
            [content] = jats(decompose(article)).values()
            member = tarfile.TarInfo(f"letters/{number:06}.xml")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))


def ingested(archive: Path, out: Path, processes: int) -> Cost:
    """The cost of reading the archive."""
    words = ["ingest", str(archive), "--out", str(out), "--processes", str(processes)]
    return cost_of(sys.executable, "-m", "fathom", *words)


with workplace() as folder:
    fathom("generate", "--out", folder / "letters", "--articles", MANY, "--length", "short", "--seed", 4)
    fathom("generate", "--out", folder / "articles", "--articles", FULL, "--seed", 4)
    write_archive(folder / "letters", folder / "few.tar", MANY // 10)
    write_archive(folder / "letters", folder / "many.tar", MANY)
    write_archive(folder / "articles", folder / "full.tar", FULL)
    few = ingested(folder / "few.tar", folder / "few", 1)
    many = ingested(folder / "many.tar", folder / "many", 1)
    one = ingested(folder / "full.tar", folder / "one", 1)
    two = ingested(folder / "full.tar", folder / "two", 2)
    with Corpus(folder / "one") as single, Corpus(folder / "two") as double:
        if single.manifest.fingerprint != double.manifest.fingerprint:
            raise SystemExit("one process and two give different corpora")
    print(f"{MANY // 10:,} letters     {few.wall:6.1f} s, {few.peak_megabytes:4.0f} MB")
    print(f"{MANY:,} letters    {many.wall:6.1f} s, {many.peak_megabytes:4.0f} MB")
    print(f"ten times as many take {many.peak_megabytes / few.peak_megabytes:.2f} times the memory (promised: flat)")
    print(f"{FULL} articles, one process    {one.wall:6.1f} s, {FULL / one.wall:.0f} a second")
    print(f"{FULL} articles, two processes  {two.wall:6.1f} s")
    print(f"two are {one.wall / two.wall:.2f} times as fast (promised: close to 2)")
