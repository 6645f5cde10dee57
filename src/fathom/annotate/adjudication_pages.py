"""The pages on which an adjudicator merges layers of annotators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from fastapi import FastAPI, Request
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from fathom.analysis.agreement import Agreement, agreement
from fathom.annotate.adjudication import Adjudicator, ClaimGroup, ClaimVersion, decision_counts, open_groups
from fathom.annotate.annotation_pages import AnnotationState, RevisionInput, saving, state_of
from fathom.annotate.exporting import CLAIM_FIELDS, EVIDENCE_FIELDS, attributes_of
from fathom.annotate.layers import ADJUDICATED, AdjudicatorDecision, Comment, Layer
from fathom.annotate.web import page, user_of
from fathom.records.documents import DocumentId
from fathom.records.errors import FathomError
from fathom.records.spans import Span

SURROUNDINGS = 160
"""Characters that are shown before and after a claim."""


def add_adjudication(app: FastAPI) -> None:
    """Add the pages to the app of a project."""
    app.add_api_route("/adjudication/{number}", adjudication)
    app.add_api_route("/api/adjudication/{number}/decide", decide, methods=["POST"])
    app.add_api_route("/api/adjudication/{number}/undo", undo, methods=["POST"])
    app.add_api_route("/api/adjudication/{number}/redo", redo, methods=["POST"])
    app.add_api_route("/api/adjudication/{number}/done", done, methods=["POST"])


def _finished_layers(state: AnnotationState, document: DocumentId) -> dict[str, Layer]:
    """The layers of a document that are done."""
    layers = {name: state.project.layer(document, name) for name in state.project.layer_names(document)}
    return {name: layer.elements for name, layer in layers.items() if layer.done and name != ADJUDICATED}


def adjudication_list(request: Request) -> Response:
    """The documents with two layers that are done, and the agreement of their annotators."""
    state = state_of(request)
    by_document: dict[DocumentId, list[str]] = {}
    for document, name in state.project.layers():
        if name != ADJUDICATED and state.project.layer(document, name).done:
            by_document.setdefault(document, []).append(name)
    rows: list[dict[str, Any]] = []
    for document, names in by_document.items():
        if len(names) > 1:
            result = state.project.layer(document, ADJUDICATED)
            entry = state.entries[state.numbers[document]]
            status = "done" if result.done else "started" if result.elements else "new"
            counts = decision_counts(result.elements)
            rows.append({"entry": entry, "annotators": names, "status": status, "counts": counts})
    rows.sort(key=lambda row: row["entry"].number)
    waiting = len(state.project.settings.documents) - len(rows)
    return page(
        "adjudication_list.html",
        title="Adjudication",
        user=user_of(request),
        rows=rows,
        waiting=waiting,
        agreement=_agreement(state, [row["entry"].id for row in rows]),
    )


def _agreement(state: AnnotationState, documents: Sequence[DocumentId]) -> Agreement | None:
    """The agreement of the annotators over the documents that they both finished."""
    chosen = set(documents)
    annotations = [
        annotation
        for annotation in state.project.annotations()
        if annotation.document in chosen and annotation.annotator != ADJUDICATED
    ]
    return agreement(annotations, state.sentences, "sentence", 0.5) if annotations else None


def _adjudicator(request: Request, number: int) -> tuple[AnnotationState, DocumentId, Adjudicator]:
    state = state_of(request)
    if user_of(request) not in state.project.annotators("adjudicator"):
        raise HTTPException(404, "Only adjudicators see this page.")
    entry = state.entries.get(number)
    layers = _finished_layers(state, entry.id) if entry is not None else {}
    if entry is None or len(layers) < 2:
        raise HTTPException(404, "There are no two finished layers of this document.")
    return state, entry.id, Adjudicator(entry.id, layers, state.sentences(entry.id))


async def adjudication(request: Request, number: int) -> Response:
    """The claims of a document side by side."""
    state, document, adjudicator = _adjudicator(request, number)
    text = state.corpus.text(document)
    result = state.project.layer(document, ADJUDICATED)
    names = sorted({version.annotator for group in adjudicator.groups for version in group.versions})
    rows = [_group_row(group, names, result.elements, text) for group in adjudicator.groups]
    entry = state.entries[number]
    return page(
        "adjudication.html",
        title=entry.title,
        user=user_of(request),
        entry=entry,
        names=names,
        rows=rows,
        result=result,
        open=len(open_groups(adjudicator.groups, result.elements)),
    )


def _group_row(group: ClaimGroup, names: Sequence[str], current: Layer, text: str) -> dict[str, Any]:
    decision = current.get(group.id)
    comments = [element for element in current.values() if isinstance(element, Comment) and element.about == group.id]
    return {
        "id": group.id,
        "context": _surroundings(group.versions[0].claim.span, text),
        "versions": {version.annotator: _version_row(version, text) for version in group.versions},
        "missing": [name for name in names if name not in {version.annotator for version in group.versions}],
        "decision": decision,
        "comments": comments,
    }


def _version_row(version: ClaimVersion, text: str) -> dict[str, Any]:
    evidence = [
        {
            "quote": linked.mark.span.of(text),
            "polarity": linked.polarity,
            "fields": attributes_of(linked.mark, EVIDENCE_FIELDS),
        }
        for linked in version.evidence
    ]
    fields = attributes_of(version.claim, CLAIM_FIELDS)
    return {"quote": version.claim.span.of(text), "fields": fields, "evidence": evidence}


def _surroundings(span: Span, text: str) -> tuple[str, str]:
    """The text before and after a claim."""
    return text[max(0, span.start - SURROUNDINGS) : span.start], text[span.end : span.end + SURROUNDINGS]


class _Decision(RevisionInput):
    group: str
    state: Literal["accepted", "merged", "discuss", "dropped"]
    base: str = ""
    reason: str = ""
    comment: str = ""


async def decide(request: Request, number: int, body: _Decision) -> Response:
    state, document, adjudicator = _adjudicator(request, number)
    group = adjudicator.group(body.group)
    user = user_of(request)
    decision = AdjudicatorDecision(sources=group.sources, state=body.state, reason=body.reason, by=user)
    comment = Comment(about=group.id, text=body.comment, by=user) if body.comment.strip() else None
    current = state.project.layer(document, ADJUDICATED).elements
    values = adjudicator.decide(current, group, decision, body.base, comment)
    text = state.corpus.text(document)
    return await saving(state, lambda project: project.change(document, ADJUDICATED, body.revision, values, text))


async def undo(request: Request, number: int, body: RevisionInput) -> Response:
    state, document, _ = _adjudicator(request, number)
    return await saving(state, lambda project: project.undo(document, ADJUDICATED, body.revision))


async def redo(request: Request, number: int, body: RevisionInput) -> Response:
    state, document, _ = _adjudicator(request, number)
    return await saving(state, lambda project: project.redo(document, ADJUDICATED, body.revision))


class _DoneInput(RevisionInput):
    done: bool


async def done(request: Request, number: int, body: _DoneInput) -> Response:
    state, document, adjudicator = _adjudicator(request, number)
    current = state.project.layer(document, ADJUDICATED).elements
    if body.done and (left := open_groups(adjudicator.groups, current)):
        raise FathomError(f"{len(left)} claims have no final decision. Accept, merge or drop them.")
    return await saving(state, lambda project: project.set_done(document, ADJUDICATED, body.revision, body.done))
