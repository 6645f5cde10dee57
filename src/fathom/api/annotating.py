"""Annotate documents in a local web app."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from fathom.annotate.adjudication import decision_counts
from fathom.annotate.exporting import EXPORT_FORMATS, ExportFormat, write_annotations
from fathom.annotate.layers import ADJUDICATED, ClaimMark, unlinked
from fathom.annotate.planned_project import relative
from fathom.annotate.project import FILE, Project, ProjectSettings
from fathom.annotate.selection import DocumentFilter, Range, assign, select
from fathom.api.arguments import Folder, as_path
from fathom.api.corpora import open_corpus
from fathom.api.serving import require_server, serve
from fathom.corpus.store import Corpus
from fathom.records.annotations import Annotation
from fathom.records.documents import NonNegativeInt
from fathom.records.errors import FathomError, file_errors
from fathom.records.files import read_records
from fathom.records.record import Record
from fathom.records.rng import rng_for
from fathom.records.spans import Span
from fathom.tasks import bench_folder
from fathom.tasks.bench import Bench

__all__ = [
    "EXPORT_FORMATS",
    "DocumentFilter",
    "ExportFormat",
    "ExportReport",
    "ProjectSummary",
    "Range",
    "create_project",
    "export_annotations",
    "import_into_project",
    "is_bench",
    "is_project",
    "project_summary",
    "serve_project",
    "serve_review",
]

MAX_GUIDELINES = 200_000
"""The maximum size of the guidelines in bytes."""


class ProjectSummary(Record):
    """What a project contains."""

    project: str
    documents: NonNegativeInt
    excluded: dict[str, NonNegativeInt]
    """Documents that the selection left out, by reason."""
    annotators: dict[str, NonNegativeInt]
    """Assigned documents by annotator."""
    done: dict[str, NonNegativeInt]
    """Documents that are done, by layer."""
    adjudicators: tuple[str, ...] = ()


class ExportReport(Record):
    """The counts of an export."""

    out: str
    annotations: NonNegativeInt
    documents: NonNegativeInt
    annotators: dict[str, NonNegativeInt]
    """Documents by annotator."""
    claims: NonNegativeInt
    evidence: NonNegativeInt
    unfinished: NonNegativeInt
    """Layers that are not done: left out, or exported as incomplete."""
    unlinked: NonNegativeInt
    """Evidence marks without a claim in the exported layers; no format has them."""
    decisions: dict[str, NonNegativeInt] = {}
    """Decisions of adjudicators about claims, by state; dropped claims are in no export."""
    attested: tuple[str, ...]
    """Annotators who attested that no model helped."""


def is_project(folder: Folder) -> bool:
    """Whether the folder contains an annotation project."""
    return (as_path(folder) / FILE).is_file()


def is_bench(folder: Folder) -> bool:
    """Whether the folder contains a bench."""
    return bench_folder.is_bench(as_path(folder))


def create_project(
    corpus: Folder,
    project: Folder,
    annotators: Sequence[str],
    *,
    adjudicators: Sequence[str] = (),
    selection: DocumentFilter = DocumentFilter(),  # noqa: B008
    double: int | None = None,
    guidelines: Folder | None = None,
) -> ProjectSummary:
    """Create a project for the annotation of a corpus, or add annotators to the one that is there.

    Every annotator gets all selected documents; with `double` each document goes to one annotator, and that many to
    two. The selection of a project is made once.
    """
    folder = as_path(project)
    if not is_project(folder):
        _create(as_path(corpus), folder, annotators, selection, double, _read_guidelines(as_path(guidelines)))
    with Project(folder) as opened, _corpus_of(opened, as_path(corpus)):
        _add_people(opened, annotators, adjudicators)
    return project_summary(folder)


def _create(
    corpus: Path,
    folder: Path,
    annotators: Sequence[str],
    selection: DocumentFilter,
    double: int | None,
    guidelines: str,
) -> None:
    with open_corpus(corpus) as documents:
        selected = select(documents, selection)
        if not selected.documents:
            reasons = ", ".join(f"{reason} {count:,}" for reason, count in selected.excluded.items())
            raise FathomError(f"No document of '{corpus}' is selected ({reasons}). Widen the filters.")
        assigned = assign(selected.documents, annotators, double, rng_for(selection.seed, "annotate", "assignment"))
        settings = ProjectSettings(
            corpus=relative(corpus, folder),
            corpus_fingerprint=documents.manifest.fingerprint,
            guidelines=guidelines,
            shared=double is None,
            documents=selected.documents,
            excluded=selected.excluded,
        )
        with Project.create(folder, settings) as opened:
            for name in annotators:
                opened.add_annotator(name, assigned[name])


def _read_guidelines(path: Path | None) -> str:
    if path is None:
        return ""
    with file_errors("read the guidelines", path):
        content = path.read_bytes()
        if len(content) > MAX_GUIDELINES:
            raise FathomError(f"The guidelines '{path}' have more than {MAX_GUIDELINES:,} bytes. Shorten them.")
        return content.decode()


def _add_people(project: Project, annotators: Sequence[str], adjudicators: Sequence[str]) -> None:
    for name in annotators:
        if name in project.annotators():
            continue
        if not project.settings.shared:
            raise FathomError(
                f"The documents of the project '{project.folder}' are divided among "
                f"{', '.join(project.annotators())}. Create another project for '{name}'."
            )
        project.add_annotator(name, project.settings.documents)
    for name in adjudicators:
        if name not in project.annotators("adjudicator"):
            project.add_annotator(name, (), "adjudicator")


def _corpus_of(project: Project, given: Path | None = None) -> Corpus:
    """The corpus of a project, in `given` if it was moved."""
    corpus = Corpus(given or project.corpus_folder)
    if corpus.manifest.fingerprint != project.settings.corpus_fingerprint:
        corpus.close()
        raise FathomError(
            f"The project '{project.folder}' is about another corpus than '{corpus.folder}'. Give its corpus, or "
            "choose another --project."
        )
    return corpus


def project_summary(project: Folder) -> ProjectSummary:
    """What a project contains."""
    with Project(as_path(project)) as opened:
        done: dict[str, int] = {}
        for document, annotator in opened.layers():
            done[annotator] = done.get(annotator, 0) + opened.layer(document, annotator).done
        return ProjectSummary(
            project=str(project),
            documents=len(opened.settings.documents),
            excluded=opened.settings.excluded,
            annotators={name: len(opened.assigned(name)) for name in opened.annotators()},
            done=done,
            adjudicators=tuple(opened.annotators("adjudicator")),
        )


def import_into_project(project: Folder, annotations: Folder) -> int:
    """Add annotations of a file as layers of their annotators; returns how many."""
    annotations_read = list(read_records(as_path(annotations), Annotation))
    with Project(as_path(project)) as opened, _corpus_of(opened) as corpus:
        known = set(opened.settings.documents)
        for annotation in annotations_read:
            if annotation.document not in known:
                raise FathomError(
                    f"The project '{project}' has no document '{annotation.document}', which '{annotation.annotator}' "
                    "annotated. Import annotations of its documents only."
                )
            size = len(corpus.text(annotation.document))
            if any(span.end > size or span.start == span.end for span in _spans(annotation)):
                raise FathomError(
                    f"A mark of '{annotation.annotator}' is not in document '{annotation.document}'. Import it again."
                )
        opened.import_annotations(annotations_read)
    return len(annotations_read)


def _spans(annotation: Annotation) -> list[Span]:
    return [
        *(claim.span for claim in annotation.claims),
        *(evidence.span for claim in annotation.claims for evidence in claim.evidence),
    ]


def serve_project(
    project: Folder, *, corpus: Folder | None = None, port: int = 0, started: Callable[[dict[str, str]], None]
) -> None:
    """Serve a project on the loopback address until an interrupt; `started` gets the link of each person."""
    require_server()
    from fathom.annotate.annotation_app import annotation_app

    folder = as_path(project)
    with Project(folder) as opened, _corpus_of(opened, as_path(corpus)) as documents:
        where = documents.folder
    serve(folder, lambda of_server: annotation_app(folder, where, of_server), port, started)


def serve_review(
    bench: Folder,
    project: Folder,
    reviewers: Sequence[str],
    *,
    port: int = 0,
    started: Callable[[dict[str, str]], None],
) -> None:
    """Serve the items of a bench with their proofs; reviewers dispute, uphold and retire them.

    Errata are written to the folder of the bench, the tokens of reviewers to the project.
    """
    require_server()
    from fathom.annotate.review_app import review_app

    folder, opened_bench = as_path(project), Bench(as_path(bench))
    with opened_bench.open_corpus() as documents:
        where = documents.folder
        if not is_project(folder):
            settings = ProjectSettings(
                corpus=relative(where, folder), corpus_fingerprint=documents.manifest.fingerprint, documents=()
            )
            Project.create(folder, settings).close()
    with Project(folder) as opened:
        _add_people(opened, reviewers, ())
    serve(folder, lambda of_server: review_app(folder, opened_bench.folder, where, of_server), port, started)


def export_annotations(
    project: Folder,
    out: Folder,
    format: ExportFormat = "annotations",
    annotators: Sequence[str] = (),
    unfinished: bool = False,
) -> ExportReport:
    """Write the layers of a project that are done.

    With `unfinished` the others as well, marked as incomplete; only the format `annotations` can say so.
    """
    if format not in EXPORT_FORMATS:
        raise FathomError(f"There is no format '{format}'. Choose among {', '.join(EXPORT_FORMATS)}.")
    if unfinished and format != "annotations":
        raise FathomError(f"The format '{format}' cannot mark a layer as unfinished. Use 'annotations'.")
    with Project(as_path(project)) as opened, _corpus_of(opened) as corpus:
        known = sorted({annotator for _, annotator in opened.layers()})
        for name in annotators:
            if name not in known:
                raise FathomError(f"The project '{project}' has no marks of '{name}'. It has: {', '.join(known)}.")
        chosen = list(opened.annotations(annotators, unfinished))
        if not chosen:
            raise FathomError(f"No layer of the project '{project}' is done. Finish a document first.")
        write_annotations(chosen, corpus.text, format, as_path(out))
        layers = [opened.layer(annotation.document, annotation.annotator).elements for annotation in chosen]
        every = [annotation for annotation in opened.layers() if not annotators or annotation[1] in annotators]
        counts: dict[str, int] = {}
        for annotation in chosen:
            counts[annotation.annotator] = counts.get(annotation.annotator, 0) + 1
        return ExportReport(
            out=str(out),
            annotations=len(chosen),
            documents=len({annotation.document for annotation in chosen}),
            annotators=counts,
            claims=sum(isinstance(mark, ClaimMark) for layer in layers for mark in layer.values()),
            evidence=sum(len(claim.evidence) for annotation in chosen for claim in annotation.claims),
            unfinished=sum(not opened.layer(*annotation).done for annotation in every),
            unlinked=sum(len(unlinked(layer)) for layer in layers),
            decisions=dict(sum((Counter(decision_counts(layer)) for layer in layers), Counter[str]())),
            attested=tuple(name for name in counts if name != ADJUDICATED and opened.attested(name)),
        )
