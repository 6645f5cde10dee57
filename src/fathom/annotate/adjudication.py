"""Adjudication: claims of several layers that mean the same, and the layer that decisions about them give."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fathom.annotate.layers import (
    AdjudicatorDecision,
    ClaimMark,
    Comment,
    EvidenceLink,
    EvidenceMark,
    Layer,
    LayerChange,
    LayerElement,
    SourceMark,
)
from fathom.records.documents import DocumentId, Passage, Polarity
from fathom.records.errors import FathomError
from fathom.records.record import short_id
from fathom.records.spans import Span
from fathom.scoring.span_matching import SentenceIndex, SpanMatcher


@dataclass(frozen=True)
class LinkedEvidence:
    """Evidence of a claim with its polarity."""

    mark: EvidenceMark
    polarity: Polarity


@dataclass(frozen=True)
class ClaimVersion:
    """A claim as one annotator marked it."""

    annotator: str
    id: str
    claim: ClaimMark
    evidence: tuple[LinkedEvidence, ...]


@dataclass(frozen=True)
class ClaimGroup:
    """Versions of one claim, at most one of each annotator."""

    versions: tuple[ClaimVersion, ...]

    @property
    def id(self) -> str:
        """The id of the decision about the group."""
        return short_id("d", *(part for version in self.versions for part in (version.annotator, version.id)))

    @property
    def sources(self) -> tuple[SourceMark, ...]:
        return tuple(SourceMark(annotator=version.annotator, id=version.id) for version in self.versions)


def versions_of(layer: Mapping[str, LayerElement], annotator: str) -> list[ClaimVersion]:
    """The claims of a layer with their evidence, in text order."""
    versions = []
    for id, mark in layer.items():
        if isinstance(mark, ClaimMark):
            links = [element for element in layer.values() if isinstance(element, EvidenceLink) and element.claim == id]
            evidence = [
                LinkedEvidence(evidence_mark, link.polarity)
                for link in links
                if isinstance(evidence_mark := layer[link.evidence], EvidenceMark)
            ]
            versions.append(
                ClaimVersion(annotator, id, mark, tuple(sorted(evidence, key=lambda linked: linked.mark.span)))
            )
    return sorted(versions, key=lambda version: (version.claim.span, version.id))


class Adjudicator:
    """Groups the claims of one document's layers, and turns decisions into changes of the adjudicated layer."""

    def __init__(self, document: DocumentId, layers: Mapping[str, Layer], sentences: Sequence[Span]) -> None:
        self._document = document
        self._matcher = SpanMatcher(SentenceIndex(lambda id: sentences))
        self.groups = self._group_claims([versions_of(layer, name) for name, layer in sorted(layers.items())])

    def _passage(self, span: Span) -> Passage:
        return Passage(document=self._document, span=span)

    def _group_claims(self, layers: Sequence[Sequence[ClaimVersion]]) -> list[ClaimGroup]:
        """Claims that match one to one are versions of one claim."""
        groups: list[list[ClaimVersion]] = []
        for versions in layers:
            group_passages = [self._passage(group[0].claim.span) for group in groups]
            pairs = self._matcher.pairs(group_passages, [self._passage(version.claim.span) for version in versions])
            matched = {pair.predicted: pair.gold for pair in pairs}
            new: list[list[ClaimVersion]] = []
            for number, version in enumerate(versions):
                if number in matched:
                    groups[matched[number]].append(version)
                else:
                    new.append([version])
            groups += new
        ordered = sorted(groups, key=lambda group: (group[0].claim.span, group[0].id))
        return [ClaimGroup(tuple(group)) for group in ordered]

    def group(self, id: str) -> ClaimGroup:
        """The group of that id."""
        matching = next((group for group in self.groups if group.id == id), None)
        if matching is None:
            raise FathomError("An annotator changed these claims. Reload the page.")
        return matching

    def decide(
        self,
        current: Mapping[str, LayerElement],
        group: ClaimGroup,
        decision: AdjudicatorDecision,
        base: str,
        comment: Comment | None,
    ) -> LayerChange:
        """The change of the adjudicated layer that a decision about a group gives; an earlier decision is replaced."""
        values = self._removal_of(current, group)
        values[group.id] = decision
        if comment is not None:
            values[short_id("m", group.id, len(current), comment.text)] = comment.model_copy(update={"about": group.id})
        chosen = next((version for version in group.versions if version.annotator == base), group.versions[0])
        if decision.state == "merged":
            chosen = self._merge_versions(chosen, [version for version in group.versions if version is not chosen])
        if decision.state in ("accepted", "merged"):
            values |= self._marks(current, group, chosen)
        return values

    def _removal_of(self, current: Mapping[str, LayerElement], group: ClaimGroup) -> LayerChange:
        """The change that removes what an earlier decision about the group added."""
        claim = _claim_id(group)
        if claim not in current:
            return {}
        links = {id: element for id, element in current.items() if isinstance(element, EvidenceLink)}
        uses = Counter(link.evidence for link in links.values())
        links_of_claim = {id: link for id, link in links.items() if link.claim == claim}
        unused = {link.evidence for link in links_of_claim.values() if uses[link.evidence] == 1}
        return dict.fromkeys((claim, *links_of_claim, *unused))

    def _merge_versions(self, base: ClaimVersion, other_versions: Sequence[ClaimVersion]) -> ClaimVersion:
        """The first version, with attributes that it leaves open and further evidence from the others."""
        claim, evidence = base.claim, list(base.evidence)
        for other in other_versions:
            fields = other.claim.model_dump(exclude={"kind", "span"})
            open_fields = {name: value for name, value in fields.items() if getattr(claim, name) in (None, "")}
            claim = claim.model_copy(update=open_fields)
            own_passages = [self._passage(linked.mark.span) for linked in evidence]
            other_passages = [self._passage(linked.mark.span) for linked in other.evidence]
            matched = {pair.predicted for pair in self._matcher.pairs(own_passages, other_passages)}
            evidence += [linked for number, linked in enumerate(other.evidence) if number not in matched]
        return ClaimVersion(base.annotator, base.id, claim, tuple(evidence))

    def _marks(self, current: Mapping[str, LayerElement], group: ClaimGroup, version: ClaimVersion) -> LayerChange:
        """The elements of an accepted claim; evidence that another claim has is used again."""
        claim = _claim_id(group)
        values: LayerChange = {claim: version.claim}
        for linked in version.evidence:
            evidence = short_id("e", linked.mark.model_dump_json())
            values[evidence] = linked.mark
            link = EvidenceLink(claim=claim, evidence=evidence, polarity=linked.polarity)
            values[short_id("l", claim, evidence, linked.polarity)] = link
        return values


def _claim_id(group: ClaimGroup) -> str:
    return f"c-{group.id}"


def open_groups(groups: Sequence[ClaimGroup], current: Mapping[str, LayerElement]) -> list[ClaimGroup]:
    """The groups without a final decision."""

    def is_final(group: ClaimGroup) -> bool:
        decision = current.get(group.id)
        return isinstance(decision, AdjudicatorDecision) and decision.state != "discuss"

    return [group for group in groups if not is_final(group)]


def decision_counts(layer: Mapping[str, LayerElement]) -> dict[str, int]:
    """Decisions by state."""
    return dict(
        sorted(Counter(element.state for element in layer.values() if isinstance(element, AdjudicatorDecision)).items())
    )
