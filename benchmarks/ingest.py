"""Ingestion: memory for many and for few letters, and speed for full articles with one process and with two.

Generated documents are written as JATS into an archive, so that everything from opening to linking is measured.
Targets: memory stays flat, and two processes are close to twice as fast. One process opens the archive, writes and
disambiguates authors, so its share of the CPU time is printed, and how much of it the others wait for: that and the
start of the workers keep two processes from being twice as fast. Cores share memory bandwidth, and wall time says
little on a busy machine, so two independent commands are also run side by side.
"""

from __future__ import annotations

import io
import json
import resource
import subprocess
import sys
import tarfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

from _measuring import Cost, cost_of, fathom, workplace
from fathom.corpus.selftest.decompose import decompose
from fathom.corpus.selftest.formats import jats
from fathom.corpus.store import Corpus

MANY = 10_000
FULL = 1_200


def write_archive(corpus: Path, path: Path, count: int) -> None:
    """The first documents of the corpus, each a JATS file."""
    with Corpus(corpus) as opened, tarfile.open(path, "w") as archive:
        for number, document in zip(range(count), opened.documents(), strict=False):
            [content] = jats(decompose(document)).values()
            member = tarfile.TarInfo(f"letters/{number:06}.xml")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))


def side_by_side(archive: Path, *outs: Path) -> list[Cost]:
    """The costs of reading the archive by independent commands run side by side."""
    with ThreadPoolExecutor() as threads:
        return list(threads.map(lambda out: ingested(archive, out, 1), outs))


def ingested(archive: Path, out: Path, processes: int) -> Cost:
    """The cost of reading the archive."""
    words = ["ingest", str(archive), "--out", str(out), "--processes", str(processes)]
    return cost_of(sys.executable, "-m", "fathom", *words)


@dataclass(frozen=True)
class Split:
    """CPU seconds of the process that opens and writes, and of those that read for it."""

    own: float
    alone: float
    """CPU seconds of the first process while the others were idle."""
    others: float

    @property
    def share(self) -> float:
        return self.own / (self.own + self.others)

    @property
    def least(self) -> float:
        """Lower bound of the seconds on two cores, if all work that can be parallel is."""
        return self.alone + (self.own - self.alone + self.others) / 2


def split(archive: Path, out: Path) -> Split:
    """How the work is divided with two processes."""
    done = subprocess.run([sys.executable, __file__, str(archive), str(out)], stdout=subprocess.PIPE, check=True)
    return Split(**json.loads(done.stdout.splitlines()[-1]))


def seconds(who: int) -> float:
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


def tell_split(archive: str, out: str) -> None:
    """Read with two processes, and print the CPU time of each side."""
    from fathom.corpus.document_reading import Filters
    from fathom.corpus.ingest import ingest

    last = ("", 0.0)
    shared = 0.0

    def watch(stage: str, done: int) -> None:
        """Between two documents of one stage, the other processes are working."""
        nonlocal last, shared
        now = seconds(resource.RUSAGE_SELF)
        shared += now - last[1] if stage == last[0] else 0.0
        last = (stage, now)

    ingest([Path(archive)], Path(out), Filters(), processes=2, progress=watch)
    own = seconds(resource.RUSAGE_SELF)
    print(json.dumps({"own": own, "alone": own - shared, "others": seconds(resource.RUSAGE_CHILDREN)}))


def main() -> None:
    with workplace() as folder:
        fathom("generate", "--out", folder / "letters", "--documents", MANY, "--length", "short", "--seed", 4)
        fathom("generate", "--out", folder / "articles", "--documents", FULL, "--seed", 4)
        write_archive(folder / "letters", folder / "few.tar", MANY // 10)
        write_archive(folder / "letters", folder / "many.tar", MANY)
        write_archive(folder / "articles", folder / "full.tar", FULL)
        few = ingested(folder / "few.tar", folder / "few", 1)
        many = ingested(folder / "many.tar", folder / "many", 1)
        one = ingested(folder / "full.tar", folder / "one", 1)
        two = ingested(folder / "full.tar", folder / "two", 2)
        both = side_by_side(folder / "full.tar", folder / "left", folder / "correct")
        spread = split(folder / "full.tar", folder / "split")
        with Corpus(folder / "one") as single, Corpus(folder / "two") as double:
            if single.manifest.fingerprint != double.manifest.fingerprint:
                raise SystemExit("one process and two give different corpora")
    grown = (many.peak_megabytes - few.peak_megabytes) * 1024 / (MANY - MANY // 10)
    print(f"{MANY // 10:,} letters     {few.wall:6.1f} s, {few.peak_megabytes:4.0f} MB")
    print(f"{MANY:,} letters    {many.wall:6.1f} s, {many.peak_megabytes:4.0f} MB")
    print(f"ten times as many take {many.peak_megabytes / few.peak_megabytes:.2f} times the memory (promised: flat)")
    print(f"{grown:.1f} KB more for each letter")
    print(f"{FULL} articles, one process    {one.wall:6.1f} s, {FULL / one.wall:.0f} a second; CPU {one.cpu:.1f} s")
    print(f"{FULL} articles, two processes  {two.wall:6.1f} s; CPU {two.cpu:.1f} s")
    print(f"two are {one.wall / two.wall:.2f} times as fast (promised: close to 2)")
    given = len(both) * one.wall / max(cost.wall for cost in both)
    print(f"two commands side by side do {given:.2f} times as much as one: what the machine gives")
    waited = spread.alone / (spread.own + spread.others)
    print(f"{spread.share:.1%} of the CPU time is one process's own, {waited:.1%} while the others wait")
    # Compared with a command that also ran beside another: the same work then takes a tenth more CPU time.
    most = mean(cost.cpu for cost in both) / spread.least
    print(f"by CPU time two can be {most:.2f} times as fast")


# Workers import this file too.
if __name__ == "__main__":
    if len(sys.argv) == 3:
        tell_split(*sys.argv[1:])
    else:
        main()
