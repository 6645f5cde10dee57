"""The self-test: generated documents are written in every format, read back, and compared."""

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
from fathom.corpus.selftest.formats import FORMATS, REPORT_FORMATS, Files
from fathom.corpus.selftest.measure import MEASURED, Agreement, compare
from fathom.corpus.selftest.pdf import printable
from fathom.corpus.selftest.scores import FieldScore, SelfTest
from fathom.corpus.store import Corpus
from fathom.records.documents import Document

MOST_REPORTS = 6
"""They are long and all alike: more of them tell nothing more."""

SHOWN: dict[str, Callable[[str], str]] = {"pdf": printable}
"""What a format can show of a text, where that is not all of it."""


FORMS = {"s2orc-2023": "s2orc"}
"""Formats that the reader of another kind reads as well."""


def generated_documents(count: int) -> Iterator[Document]:
    """So many generated documents, the second half of them letters, then a few reports; always the same ones."""
    with TemporaryDirectory() as folder:
        recipes = [Recipe(documents=count - count // 2, seed=11)]
        if count > 1:
            recipes.append(Recipe(documents=count // 2, seed=12, length="short"))
        recipes.append(Recipe(documents=min(count, MOST_REPORTS), seed=13, domains=("companies",)))
        for number, recipe in enumerate(recipes):
            generate(Path(folder) / str(number), recipe)
            with Corpus(Path(folder) / str(number)) as corpus:
                yield from corpus.documents()


def run_self_test(documents: Iterable[Document]) -> SelfTest:
    """Write each document in every format for its kind and read it back."""
    counts: dict[str, dict[str, Agreement]] = {name: {} for name in (*FORMATS, *REPORT_FORMATS)}
    refused = dict.fromkeys(counts, 0)
    kinds = {"article": 0, "report": 0}
    for document in documents:
        kinds[document.kind] += 1
        found = decompose(document)
        for name, write in (REPORT_FORMATS if document.kind == "report" else FORMATS).items():
            back = read_back(name, write(found))
            refused[name] += back is None
            # What a reader refuses is lost, and counts as lost.
            compare(document, back, counts[name], SHOWN.get(name, str))
    return SelfTest(
        documents=kinds["article"],
        reports=kinds["report"],
        refused={name: count for name, count in refused.items() if count},
        formats={
            name: {field: _measured(fields[field]) for field in MEASURED if field in fields}
            for name, fields in counts.items()
        },
    )


def read_back(kind: str, files: Files) -> Document | None:
    """The document that the reader of that kind makes of the files; None where it refuses them."""
    (name, content), *beside = files.items()
    reader = next(reader for reader in readers() if FORMS.get(kind, kind) == reader.FORMAT)
    try:
        [found] = reader.read(content, name, ArchiveCompanions(PurePosixPath("."), dict(beside)))
        return assemble(found)
    except (ReadError, ValueError):
        return None


def _measured(agreement: Agreement) -> FieldScore:
    return FieldScore(
        written=agreement.written,
        read=agreement.read,
        precision=round(agreement.precision, 4),
        recall=round(agreement.recall, 4),
    )
