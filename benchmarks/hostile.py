"""Hostile documents of every format: each must be read, or refused with a reason, within a time limit.

Target: no crash, no hang, nothing read or written outside the document's folder. Each kind is read in its own process,
so that crashes and hangs are counted. `--again jats:123` makes one file again.
"""

from __future__ import annotations

import argparse
import multiprocessing
import tarfile
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path

from _measuring import workplace
from fathom.corpus import document_reading as reading
from tests.corpus.readers.attacks import KINDS, Files
from tests.corpus.readers.mutations import Case, Cases, Sandbox, Tally, read_case

DOCUMENTS = Path(__file__).resolve().parents[2] / "shared" / "data"
REAL = {
    "jats": ("jose-pdf-jats/jats/*.xml", "elife-jats/edge-cases.tar.xz"),
    "tei": ("acl-pdf-tei-s2orc/*.tei.xml",),
    "s2orc": ("acl-pdf-tei-s2orc/*.json",),
    "pdf": ("jose-pdf-jats/pdf/*.pdf", "acl-pdf-tei-s2orc/*.pdf"),
    "ixbrl": ("uk-accounts-ixbrl/html.tar.xz",),
    "myst": ("scipy-proceedings/myst.tar.xz",),
    "rst": ("scipy-proceedings/rst.tar.xz", "peps/rst.tar.xz"),
    "latex": ("scipy-proceedings/tex.tar.xz",),
    "markdown": ("university-cds/markdown.tar.xz", "zh-laws/markdown.tar.xz"),
    "csv": ("uk-accounts-ixbrl/*.csv", "world-factbook/*.csv"),
    "json": ("world-factbook/json.tar.xz",),
}
"""Where real documents of a kind are."""

ENDINGS = (".xml", ".json", ".pdf", ".htm", ".html", ".xhtml", ".md", ".rst", ".tex", ".csv")
SMALL = 150_000
"""Bytes of a real document that is small enough to be broken a hundred times."""
LONGEST = 60
"""Seconds without a message after which a process is killed."""


def real(kind: str) -> list[Files]:
    """Up to eight real documents of a kind; none if they are not available."""
    found: list[Files] = []
    for pattern in REAL.get(kind, ()):
        for path in sorted(DOCUMENTS.glob(pattern)):
            for name, content in _members(path):
                if len(content) <= SMALL and name.endswith(ENDINGS) and len(found) < 8:
                    found.append({Path(name).name: content})
    return found


def _members(path: Path) -> Iterator[tuple[str, bytes]]:
    if not path.name.endswith(".tar.xz"):
        yield path.name, path.read_bytes()
        return
    with tarfile.open(path) as archive:
        for member in archive:
            stream = archive.extractfile(member) if member.isfile() and member.size <= SMALL else None
            if stream is not None:
                yield member.name, stream.read()


def _read_many(kind: str, first: int, files: int, seconds: float, seed: int, link: Connection) -> None:
    """Send the name of each case before it is read, and the result after it."""
    reading.MAX_CPU_SECONDS = 20
    end = 0.0
    with workplace() as folder:
        sandbox = Sandbox(folder)
        cases = Cases(kind, sandbox, seed, real(kind))
        for number in range(first, files):
            # All attacks are read_case; the time limit applies to the random mutations that follow, which never end.
            if number >= len(cases.attacks):
                end = end or time.monotonic() + seconds
                if time.monotonic() > end:
                    break
            case = cases.made(number)
            link.send(str(case))
            tally = Tally()
            read_case(case, sandbox, tally)
            link.send((number, tally))
        tally = Tally(leaked=[f"{kind}: made {path}" for path in sandbox.new_files()])
        link.send((files, tally))
        sandbox.close()
    link.send(None)


def measured(kind: str, files: int, seconds: float, seed: int) -> Tally:
    """The results of the files of one kind, including those that crashed the process."""
    whole, first = Tally(), 0
    while first < files:
        ours, theirs = multiprocessing.Pipe(duplex=False)
        task = (kind, first, files, seconds, seed, theirs)
        process = multiprocessing.get_context("spawn").Process(target=_read_many, args=task)
        process.start()
        theirs.close()
        last, first = _receive(ours, whole, first, files)
        process.kill()
        process.join()
        if last:
            (whole.hung if last.startswith("silent") else whole.crashed).append(last)
            whole.files += 1
    return whole


def _receive(link: Connection, whole: Tally, first: int, files: int) -> tuple[str, int]:
    """The case that ended the process, or an empty string, and the number of the next case."""
    last = f"the beginning of {first}"
    while True:
        try:
            message = link.recv() if link.poll(LONGEST) else f"silent for {LONGEST} s"
        except EOFError:
            return f"{last}: it ended the process", first + 1
        if message is None:
            return "", files
        if isinstance(message, str):
            if message.startswith("silent"):
                return f"{message} in {last}", first + 1
            last = message
        else:
            first = message[0] + 1
            whole.add(message[1])


def again(word: str, seed: int) -> None:
    """Make one case again, write its files to the current folder and print its result."""
    kind, _, number = word.partition(":")
    with workplace() as folder:
        sandbox = Sandbox(folder)
        case: Case = Cases(kind, sandbox, seed, real(kind)).made(int(number))
        for name, content in case.files.items():
            Path(f"hostile-{kind}-{number}-{name}").write_bytes(content)
        tally = Tally()
        read_case(case, sandbox, tally)
        sandbox.close()
    print(case)
    print(tally)


def measure(kinds: list[str], files: int, seconds: float, seed: int) -> int:
    """Read all cases and print the results; returns 1 if there was a crash, hang or leak."""
    columns = ("files", "read", "refused", "unknown", "crashed", "hung", "leaked", "a second")
    print(f"{'kind':13}" + "".join(f"{name:>9}" for name in columns))
    faults: list[str] = []
    notes: list[str] = []
    for kind in kinds:
        tally = measured(kind, files, seconds, seed)
        ended = (tally.files, tally.read, tally.refused, tally.passed_over)
        wrong = (len(tally.crashed), len(tally.hung), len(tally.leaked))
        rate = tally.files / max(tally.seconds, 0.001)
        print(f"{kind:13}" + "".join(f"{number:9,}" for number in (*ended, *wrong)) + f"{rate:9,.0f}", flush=True)
        faults += tally.faults
        notes += [f"slowest: {tally.slowest[0]:.1f} s in {tally.slowest[1]}"]
        notes += [f"contradictory parts: {one}" for one in tally.contradicted[:3]]
    print("\n".join(notes))
    print("\n".join(faults[:100]) or "no crash, no hang, nothing read or written outside")
    return 1 if faults else 0


def main() -> int:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("files", nargs="?", type=int, default=10_000, help="of each kind")
    asked.add_argument("--seconds", type=float, default=30, help="for each kind, its attacks not counted")
    asked.add_argument("--seed", type=int, default=0)
    asked.add_argument("--kinds", default=",".join(KINDS))
    asked.add_argument("--again", help="one case, such as jats:123, with its files kept here")
    words = asked.parse_args()
    if words.again:
        again(words.again, words.seed)
        return 0
    return measure(words.kinds.split(","), words.files, words.seconds, words.seed)


if __name__ == "__main__":
    raise SystemExit(main())
