"""A layer: the claims, evidence and links that one annotator marked in one document, as elements with ids."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints, TypeAdapter

from fathom.records.annotations import Annotation
from fathom.records.documents import (
    Claim,
    ClaimType,
    DocumentId,
    Evidence,
    EvidenceType,
    Level,
    Polarity,
    Strength,
)
from fathom.records.errors import FathomError
from fathom.records.record import Record, short_id
from fathom.records.spans import Span

MAX_NOTE = 2_000
MAX_SPAN = 50_000
"""The maximum number of characters of one mark."""
MAX_ELEMENTS = 1_000
"""The maximum number of elements in one change."""

ADJUDICATED = "adjudicated"
"""The name of the layer that two annotators' layers are merged into."""

ElementId = Annotated[str, StringConstraints(pattern=r"^[a-z0-9-]{1,40}$")]


def _one_line(text: str) -> str:
    """The text with single spaces: export formats keep one line per attribute."""
    return " ".join(text.split())


NoteText = Annotated[str, Field(max_length=MAX_NOTE), AfterValidator(_one_line)]


class ClaimMark(Record):
    """A passage marked as a claim."""

    kind: Literal["claim"] = "claim"
    span: Span
    type: ClaimType | None = None
    robustness: Level | None = None
    confidence: Level | None = None
    justified: bool | None = None
    conclusion: NoteText = ""
    no_evidence_reason: NoteText = ""
    note: NoteText = ""


class EvidenceMark(Record):
    """A passage marked as evidence."""

    kind: Literal["evidence"] = "evidence"
    span: Span
    type: EvidenceType | None = None
    strength: Strength | None = None
    limitations: NoteText = ""
    note: NoteText = ""


class EvidenceLink(Record):
    """Evidence for or against a claim."""

    kind: Literal["link"] = "link"
    claim: ElementId
    evidence: ElementId
    polarity: Polarity = "supports"


class SourceMark(Record):
    """A claim of an annotator's layer."""

    annotator: str
    id: ElementId


class AdjudicatorDecision(Record):
    """The decision of an adjudicator about claims of the annotators' layers."""

    kind: Literal["decision"] = "decision"
    sources: Annotated[tuple[SourceMark, ...], Field(min_length=1, max_length=50)]
    state: Literal["accepted", "merged", "discuss", "dropped"]
    reason: NoteText = ""
    """Required for a claim that is dropped."""
    by: str = ""


class Comment(Record):
    """A remark in the discussion of a decision."""

    kind: Literal["comment"] = "comment"
    about: ElementId
    text: Annotated[NoteText, Field(min_length=1)]
    by: str = ""


LayerElement = Annotated[
    ClaimMark | EvidenceMark | EvidenceLink | AdjudicatorDecision | Comment,
    Field(discriminator="kind"),
]
Layer = dict[str, LayerElement]
LayerChange = dict[str, LayerElement | None]
"""Elements by id; None for one that is removed."""

ELEMENT: TypeAdapter[LayerElement] = TypeAdapter(LayerElement)
VALUES: TypeAdapter[LayerChange] = TypeAdapter(
    Annotated[dict[ElementId, LayerElement | None], Field(min_length=1, max_length=MAX_ELEMENTS)]
)


def complete_change(
    values: Mapping[str, LayerElement | None], layer: Mapping[str, LayerElement], text: str
) -> LayerChange:
    """The change with trimmed spans, and without the links of marks that it removes; raises an error if it is invalid.

    Every link of the layer has both of its marks, and every mark covers visible characters of the document.
    """
    change: LayerChange = {id: _trim(element, text) for id, element in values.items()}
    after = {**layer, **change}
    for id, element in layer.items():
        if (
            id not in change
            and isinstance(element, EvidenceLink | Comment)
            and any(after.get(end) is None for end in ends_of(element))
        ):
            change[id] = None
    for id, changed in change.items():
        _refuse_invalid(id, changed, after)
    return change


def _refuse_invalid(id: str, element: LayerElement | None, after: Mapping[str, LayerElement | None]) -> None:
    """Raise an error for an element that refers to others that are not there."""
    if isinstance(element, EvidenceLink):
        claim, evidence = after.get(element.claim), after.get(element.evidence)
        if not isinstance(claim, ClaimMark) or not isinstance(evidence, EvidenceMark):
            raise FathomError(f"The link '{id}' does not connect a claim with evidence. Reload the page.")
    if isinstance(element, Comment) and not isinstance(after.get(element.about), AdjudicatorDecision):
        raise FathomError(f"The comment '{id}' does not belong to a decision. Reload the page.")
    if isinstance(element, AdjudicatorDecision) and element.state == "dropped" and not element.reason:
        raise FathomError("Dropping a claim needs a reason. Give one.")


def ends_of(element: EvidenceLink | Comment) -> tuple[str, ...]:
    """The elements that a link or a comment refers to."""
    return (element.claim, element.evidence) if isinstance(element, EvidenceLink) else (element.about,)


def _trim(element: LayerElement | None, text: str) -> LayerElement | None:
    if not isinstance(element, ClaimMark | EvidenceMark):
        return element
    start, end = element.span
    if end > len(text) or end - start > MAX_SPAN:
        raise FathomError(f"The mark {start}-{end} is not in the document or too long. Reload the page.")
    marked = text[start:end]
    start += len(marked) - len(marked.lstrip())
    end = start + len(marked.strip())
    if start >= end:
        raise FathomError("The mark has no visible characters. Select some text.")
    return element.model_copy(update={"span": Span(start, end)})


def claims_of(layer: Mapping[str, LayerElement]) -> tuple[Claim, ...]:
    """The claims of a layer with their evidence, in text order."""
    linked: dict[str, list[EvidenceLink]] = {}
    for element in layer.values():
        if isinstance(element, EvidenceLink):
            linked.setdefault(element.claim, []).append(element)
    claims = []
    for id, mark in layer.items():
        if isinstance(mark, ClaimMark):
            evidence = (_evidence(link, layer[link.evidence]) for link in linked.get(id, ()))
            ordered = sorted(dict.fromkeys(evidence), key=lambda element: (element.span, element.model_dump_json()))
            claims.append(
                Claim.model_validate(
                    {**mark.model_dump(exclude={"kind"}), "span": mark.span, "evidence": tuple(ordered)}
                )
            )
    return tuple(sorted(claims, key=lambda claim: (claim.span, claim.model_dump_json())))


def _evidence(link: EvidenceLink, mark: LayerElement) -> Evidence:
    assert isinstance(mark, EvidenceMark)
    values = mark.model_dump(exclude={"kind"})
    return Evidence.model_validate({**values, "span": mark.span, "polarity": link.polarity})


def annotation_of(
    layer: Mapping[str, LayerElement], document: DocumentId, annotator: str, complete: bool
) -> Annotation:
    """The layer as an annotation record."""
    return Annotation(document=document, annotator=annotator, claims=claims_of(layer), complete=complete)


def unlinked(layer: Mapping[str, LayerElement]) -> list[str]:
    """Evidence marks without a claim, which an annotation cannot contain."""
    linked = {element.evidence for element in layer.values() if isinstance(element, EvidenceLink)}
    return [id for id, element in layer.items() if isinstance(element, EvidenceMark) and id not in linked]


def layer_of(claims: tuple[Claim, ...]) -> Layer:
    """The layer of an annotation's claims; evidence of several claims is one mark if its attributes are the same."""
    layer: Layer = {}
    marks: dict[EvidenceMark, str] = {}
    for number, claim in enumerate(claims):
        values = {name: getattr(claim, name) for name in ClaimMark.model_fields if name != "kind"}
        claim_id = short_id("c", number, *claim.span)
        layer[claim_id] = ClaimMark.model_validate(values)
        for evidence in claim.evidence:
            fields = {name: getattr(evidence, name) for name in EvidenceMark.model_fields if name != "kind"}
            mark = EvidenceMark.model_validate(fields)
            if mark not in marks:
                marks[mark] = short_id("e", mark.model_dump_json())
                layer[marks[mark]] = mark
            link = EvidenceLink(claim=claim_id, evidence=marks[mark], polarity=evidence.polarity)
            layer[short_id("l", claim_id, marks[mark], evidence.polarity)] = link
    return layer
