"""Claims and evidence from marked stretches of a text and relations between them, as annotation tools export them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from pydantic import JsonValue

from fathom.records.quoted_claims import QuotedClaim, QuotedEvidence, read_claims, read_evidence


@dataclass
class Mark:
    """A marked stretch of text."""

    label: str
    quote: str
    position: float | None
    """Its position, as a share of the text."""
    attributes: dict[str, JsonValue] = field(default_factory=dict)

    @property
    def is_claim(self) -> bool:
        return "claim" in self.label.lower()

    @property
    def is_evidence(self) -> bool:
        words = self.label.lower()
        named = any(word in words for word in ("evidence", "premise", "support", "contradict"))
        return not self.is_claim and (named or words == "data")


@dataclass(frozen=True)
class MarkRelation:
    """A relation between two marks, in either direction."""

    ends: tuple[str, str]
    label: str
    attributes: dict[str, JsonValue] = field(default_factory=dict)


def claims_of(marks: Mapping[str, Mark], relations: Iterable[MarkRelation]) -> tuple[QuotedClaim, ...]:
    """The marked claims with the evidence that is related to them."""
    evidence: dict[str, list[QuotedEvidence]] = {}
    for relation in relations:
        for claim_id, evidence_id in (relation.ends, relation.ends[::-1]):
            if (
                claim_id in marks
                and evidence_id in marks
                and marks[claim_id].is_claim
                and marks[evidence_id].is_evidence
            ):
                evidence.setdefault(claim_id, []).append(_evidence(marks[evidence_id], relation))
    claims = []
    for id, mark in marks.items():
        if mark.is_claim:
            quoted = read_claims([{**mark.attributes, "quote": mark.quote, "evidence": []}]) or [QuotedClaim("")]
            claims += [
                replace(claim, evidence=tuple(dict.fromkeys(evidence.get(id, ()))), position=mark.position)
                for claim in quoted
            ]
    return tuple(claims)


def _evidence(mark: Mark, relation: MarkRelation) -> QuotedEvidence:
    """The evidence of a mark; its polarity is that of the relation or of the mark's label, if one names it."""
    words = f"{relation.label} {mark.label}".lower()
    polarity = "contradicts" if any(word in words for word in ("contradict", "refut", "attack")) else "supports"
    attributes = {"polarity": polarity, **mark.attributes, **relation.attributes}
    [evidence] = read_evidence([{**attributes, "quote": mark.quote}]) or [QuotedEvidence("")]
    return replace(evidence, position=mark.position)
