"""Precision, recall and share unknown of each field on real documents with known truth, by format.

Documents are split by a hash of their file name. Reading rules are written with the first half in view; the second half
is kept aside, and its rows are the ones to quote. The second table writes real articles of the half kept aside in every
format that the self-test writes, and reads them back. Needs the real documents in ../shared/data.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import fathom
from _measuring import workplace
from fathom.corpus.selftest.measure import FieldScore
from fathom.corpus.selftest.run import run_self_test
from fathom.records.documents import Document, FieldName
from fathom.records.names import without_accents

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
FIELDS: tuple[FieldName, ...] = ("title", "authors", "references")
WRITTEN = ("title", "authors", "references", "reference titles", "citations")
"""Fields that are compared in the second table."""
EVERY = 8
"""Of the articles of the half kept aside, every eighth is written in every format."""
Half = Literal["in view", "kept aside"]


@dataclass(frozen=True)
class Truth:
    """What is known of one document from another source."""

    title: str | None = None
    authors: tuple[str, ...] | None = None
    references: int | None = None


@dataclass(frozen=True)
class GoldSet:
    """Documents with their truth by file name."""

    name: str
    sources: tuple[Path, ...]
    truths: dict[str, Truth]


@dataclass
class Tally:
    """Counts for one field of one set: values that are right, wrong, or unknown."""

    counts: Counter[str] = field(default_factory=Counter)

    def __str__(self) -> str:
        right, wrong, unknown = (self.counts[name] for name in ("right", "wrong", "unknown"))
        total = right + wrong + unknown
        if not total:
            return f"{'-':>21}"
        precision = f"{right / (right + wrong):.1%}" if right + wrong else "-"
        return f"{precision:>7}{right / total:>7.1%}{unknown / total:>7.1%}"


def main() -> None:
    if not DATA.exists():
        print("The real documents (../shared/data) are not there.")
        return
    print(f"{'':34}" + "".join(f"{name:^24}" for name in FIELDS))
    print(f"{'':34}" + "".join(f"{'prec.':>10}{'recall':>7}{'unkn.':>7}" for _ in FIELDS))
    for gold in gold_sets():
        measure(gold)
    measure_formats()


def measure(gold: GoldSet) -> None:
    """Read the documents of a set and print a row for each half."""
    tallies: dict[Half, dict[FieldName, Tally]] = {
        half: {name: Tally() for name in FIELDS} for half in ("in view", "kept aside")
    }
    seen: Counter[Half] = Counter()
    unread = set(gold.truths)
    with workplace() as folder, fathom.ingest(gold.sources, out=folder / "corpus") as corpus:
        for document in corpus.documents():
            key = key_of(document.source, gold)
            if key is None or key not in unread:
                continue
            unread.discard(key)
            half = half_of(key)
            seen[half] += 1
            compare(document, gold.truths[key], tallies[half])
    for half, tally in tallies.items():
        print(f"{gold.name:16}{half:11}{seen[half]:>6} " + "".join(f"   {tally[name]}" for name in FIELDS), flush=True)
    if unread:
        print(f"{'':16}not read: {len(unread)} ({', '.join(sorted(unread)[:3])})")


def measure_formats() -> None:
    """Write real articles of the half kept aside in every format, read them back, and print a row for each format."""
    elife = DATA / "elife-jats"
    with workplace() as folder, fathom.ingest(sorted(elife.glob("*.tar.xz")), out=folder / "corpus") as corpus:
        kept = (document for document in corpus.documents() if half_of(document.source) == "kept aside")
        result = run_self_test(islice(kept, 0, None, EVERY))
    print(f"\n{result.documents} eLife articles of the half kept aside, written in every format and read back:")
    print(f"{'':34}" + "".join(f"{name:^24}" for name in WRITTEN))
    print(f"{'':34}" + "".join(f"{'prec.':>10}{'recall':>7}{'unkn.':>7}" for _ in WRITTEN))
    for name, scores in result.formats.items():
        if "title" in scores:
            print(f"{name:34}" + "".join(f"   {_row(scores[field])}" for field in WRITTEN))
    for name, count in result.refused.items():
        print(f"{name}: {count} documents refused")


def _row(score: FieldScore) -> str:
    """Precision, recall over all values, and share unknown."""
    precision = f"{score.precision:.1%}" if score.read else "-"
    return f"{precision:>7}{score.recall * (1 - score.unknown):>7.1%}{score.unknown:>7.1%}"


def half_of(name: str) -> Half:
    """The half of a document, by the hash of its file name."""
    return "kept aside" if hashlib.sha1(name.rpartition("/")[2].encode()).digest()[-1] % 2 else "in view"


def key_of(source: str, gold: GoldSet) -> str | None:
    """The name under which the truth of a source is listed: the longest end of its path."""
    parts = source.partition("#")[0].split("/")
    return next((key for start in range(len(parts)) if (key := "/".join(parts[start:])) in gold.truths), None)


def compare(document: Document, truth: Truth, tallies: dict[FieldName, Tally]) -> None:
    checks: dict[FieldName, tuple[object, Callable[[], object]]] = {
        "title": (truth.title and plain(truth.title), lambda: plain(document.title_text)),
        "authors": (
            truth.authors if truth.authors is None else [plain(name) for name in truth.authors],
            lambda: [plain(author.span.of(document.text)) for author in document.authors],
        ),
        "references": (truth.references, lambda: len(document.references)),
    }
    for name, (expected, value) in checks.items():
        if expected is None:
            continue
        if document.state(name) == "unknown":
            tallies[name].counts["unknown"] += 1
        else:
            tallies[name].counts["right" if value() == expected else "wrong"] += 1


def plain(text: str) -> str:
    """Letters and digits only, so that typography does not count."""
    return re.sub(r"[\W_]+", "", without_accents(re.sub(r"<[^>]*>", "", text))).casefold()


# The sets.


def gold_sets() -> Iterator[GoldSet]:
    elife = DATA / "elife-jats"
    yield GoldSet("jats (eLife)", tuple(sorted(elife.glob("*.tar.xz"))), dict(map(_elife, lines(elife))))
    pmc = DATA / "pmc-rct-evidence"
    yield GoldSet("jats (PMC)", (pmc / "xml.tar.xz",), _numbered(pmc, "pmcid", ".nxml"))
    jose = DATA / "jose-pdf-jats"
    yield GoldSet("jats (JOSE)", (jose / "jats",), _numbered(jose, "id", ".xml"))
    yield GoldSet("pdf (JOSE)", (jose / "pdf",), _numbered(jose, "id", ".pdf"))
    scipy = DATA / "scipy-proceedings"
    for name in ("rst", "myst", "tex"):
        truths = {
            line["main"]: Truth(line["title"], tuple(line["authors"]))
            for line in lines(scipy)
            if line["format"] == name
        }
        yield GoldSet(f"{name} (SciPy)", (scipy / f"{name}.tar.xz",), truths)
    peps = DATA / "peps"
    yield GoldSet(
        "rst (PEPs)",
        (peps / "rst.tar.xz",),
        {line["file"]: Truth(line["title"], tuple(line["authors"])) for line in lines(peps)},
    )
    laws = DATA / "zh-laws"
    yield GoldSet(
        "markdown (laws)", (laws / "markdown.tar.xz",), {line["file"]: Truth(line["title"]) for line in lines(laws)}
    )


def lines(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "manifest.jsonl").read_text(encoding="utf-8").splitlines()]


def _elife(line: dict[str, Any]) -> tuple[str, Truth]:
    names = (f"{one.get('given') or ''} {one.get('surname') or one.get('collab') or ''}" for one in line["authors"])
    return f"{line['set']}/{line['file']}", Truth(line["title"], tuple(names), line["n_refs"])


def _numbered(folder: Path, key: str, suffix: str) -> dict[str, Truth]:
    def truth(line: dict[str, Any]) -> Truth:
        authors = line.get("authors")
        return Truth(line["title"], None if authors is None else tuple(authors), line["n_refs"])

    return {f"{line[key]}{suffix}": truth(line) for line in lines(folder)}


if __name__ == "__main__":
    main()
