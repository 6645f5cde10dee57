"""Import annotations of documents from other tools."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from fathom.api.arguments import Folder, as_path
from fathom.api.corpora import open_corpus
from fathom.corpus.annotations.importing import READERS, AnnotationImporter, Format, ImportReport
from fathom.records.errors import FathomError
from fathom.records.files import write_records
from fathom.scoring.quotes import QuoteLocator

__all__ = ["FORMATS", "Format", "ImportReport", "import_annotations"]

FORMATS: tuple[Format, ...] = get_args(Format)


def import_annotations(
    sources: Sequence[Folder], corpus: Folder, out: Folder, format: Format, annotator: str = ""
) -> ImportReport:
    """Write the annotations of documents of a corpus as JSON Lines; returns what was read and what was not located.

    `annotator` names the annotator of all sources; by default they name their annotators themselves.
    """
    path = as_path(out)
    if path.exists():
        raise FathomError(f"'{path}' exists. Choose another file, or remove it.")
    if format not in FORMATS:
        raise FathomError(f"There is no format '{format}'. Choose among {', '.join(FORMATS)}.")
    with open_corpus(corpus) as opened:
        importer = AnnotationImporter(opened, lambda text: QuoteLocator(text).locate)
        annotations = list(importer.annotations(READERS[format]([as_path(source) for source in sources], annotator)))
    report = importer.report()
    if not annotations and report.ambiguous_documents:
        raise FathomError(
            f"'{corpus}' has two documents named '{report.ambiguous_documents[0]}', such as the text and the XML of an "
            "article. Ingest the annotated documents in one format only."
        )
    if not annotations:
        unknown = ", ".join(report.unknown_documents[:3])
        raise FathomError(
            f"No annotation belongs to a document of '{corpus}'{f' (such as {unknown})' if unknown else ''}. "
            "Ingest the annotated documents first; they are found by id, DOI, file name or title."
        )
    write_records(path, annotations)
    return report
