"""Runs the self-test on generated documents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from fathom.corpus.generate import Recipe, generate
from fathom.corpus.readers.assembly import assemble
from fathom.corpus.readers.catalog import readers
from fathom.corpus.readers.parsed_document import ReadError
from fathom.corpus.readers.sources import ArchiveCompanions
from fathom.corpus.selftest.decompose import decompose
from fathom.corpus.selftest.documents import Files
from fathom.corpus.selftest.formats import FORMATS, REPORT_FORMATS
from fathom.corpus.selftest.measure import MEASURED, FieldAgreement, SelfTest, compare
from fathom.corpus.selftest.pdf import PDF_LAYOUTS
from fathom.corpus.selftest.pdf_fonts import printable
from fathom.corpus.store import Corpus
from fathom.records.documents import Document

MAX_REPORTS = 6
"""Maximum number of generated reports. They are long and similar, so more of them add little."""

PRINTABLE: dict[str, Callable[[str], str]] = dict.fromkeys(("pdf", *PDF_LAYOUTS), printable)
"""For a format that cannot represent every text, a function that returns the part it can represent."""

EXPRESSED: dict[str, tuple[str, ...]] = {"xlsx": ("title", "cells")}
"""For a format that has no place for most fields, those that are measured."""

READER_FORMATS = {"s2orc-2023": "s2orc", **dict.fromkeys(PDF_LAYOUTS, "pdf")}
"""Reader of each format that has no reader of the same name."""


def generated_documents(count: int) -> Iterator[Document]:
    """Yield `count` generated articles, half of them short, then up to `MAX_REPORTS` reports. The seeds are fixed."""
    with TemporaryDirectory() as folder:
        recipes = [Recipe(documents=count - count // 2, seed=11)]
        if count > 1:
            recipes.append(Recipe(documents=count // 2, seed=12, length="short"))
        recipes.append(Recipe(documents=min(count, MAX_REPORTS), seed=13, domains=("companies",)))
        for number, recipe in enumerate(recipes):
            generate(Path(folder) / str(number), recipe)
            with Corpus(Path(folder) / str(number)) as corpus:
                yield from corpus.documents()


def run_self_test(documents: Iterable[Document]) -> SelfTest:
    """Write each document in every format for its kind, read it back, and return the scores by format and field."""
    counts: dict[str, dict[str, FieldAgreement]] = {name: {} for name in (*FORMATS, *REPORT_FORMATS)}
    refused = dict.fromkeys(counts, 0)
    kinds = {"article": 0, "report": 0}
    for document in documents:
        kinds[document.kind] += 1
        parsed = decompose(document)
        for name, write in (REPORT_FORMATS if document.kind == "report" else FORMATS).items():
            back = read_back(name, write(parsed))
            refused[name] += back is None
            # A refused document counts: all its fields are missing.
            compare(document, back, counts[name], PRINTABLE.get(name, str))
    return SelfTest(
        documents=kinds["article"],
        reports=kinds["report"],
        refused={name: count for name, count in refused.items() if count},
        formats={
            name: {field: fields[field].score() for field in EXPRESSED.get(name, MEASURED) if field in fields}
            for name, fields in counts.items()
        },
    )


def read_back(format_name: str, files: Files) -> Document | None:
    """Read files of one format; return the document, or None if the reader refuses them."""
    (name, content), *companions = files.items()
    reader = next(reader for reader in readers() if READER_FORMATS.get(format_name, format_name) == reader.FORMAT)
    try:
        [parsed] = reader.read(content, name, ArchiveCompanions(PurePosixPath("."), dict(companions)))
        return assemble(parsed)
    except (ReadError, ValueError):
        return None
