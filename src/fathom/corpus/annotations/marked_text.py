"""Claims and evidence from marked stretches of a text and relations between them, as annotation tools export them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from pydantic import JsonValue

from fathom.records.quoted_claims import QuotedClaim, QuotedEvidence, read_claims


@dataclass
class Mark:
    """A marked stretch of text."""

    label: str
    quote: str
    position: float | None
    """Where it is, as a share of the text."""
    attributes: dict[str, JsonValue] = field(default_factory=dict)

    @property
    def is_claim(self) -> bool:
        return "claim" in self.label.lower()

    @property
    def is_evidence(self) -> bool:
        words = self.label.lower()
        return not self.is_claim and any(one in words for one in ("evidence", "premise", "support", "contradict"))


@dataclass(frozen=True)
class Relation:
    """A relation between two marks, in whichever direction."""

    ends: tuple[str, str]
    label: str


def claims_of(marks: Mapping[str, Mark], relations: Iterable[Relation]) -> tuple[QuotedClaim, ...]:
    """The marked claims with the evidence that is related to them."""
    evidence: dict[str, list[QuotedEvidence]] = {}
    for relation in relations:
        for one, two in (relation.ends, relation.ends[::-1]):
            if one in marks and two in marks and marks[one].is_claim and marks[two].is_evidence:
                evidence.setdefault(one, []).append(_evidence(marks[two], relation.label))
    claims = []
    for id, mark in marks.items():
        if mark.is_claim:
            found = read_claims([{"quote": mark.quote, **mark.attributes, "evidence": []}]) or ()
            claims += [
                replace(claim, evidence=tuple(dict.fromkeys(evidence.get(id, ()))), position=mark.position)
                for claim in found
            ]
    return tuple(claims)


def _evidence(mark: Mark, relation: str) -> QuotedEvidence:
    """The evidence of a mark; its polarity is that of the relation or of the mark's label, if one names it."""
    words = f"{relation} {mark.label}".lower()
    polarity = "contradicts" if any(one in words for one in ("contradict", "refut", "attack")) else "supports"
    attributes = {"polarity": polarity, **mark.attributes}
    [claim] = read_claims([{"quote": "-", "evidence": [{"quote": mark.quote, **attributes}]}]) or ()
    [evidence] = claim.evidence
    return replace(evidence, position=mark.position)
