"""Matches predicted passages with the passages of a key: claims, evidence, and the links between them.

Two passages match if their intersection over union reaches a threshold. Each passage is matched at most once, and the
number of matches is the largest possible one. Of assignments with that number, the one with the largest sum of
overlaps is taken. The number of matches, and so every precision and recall, does not depend on the order of passages.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from fathom.records.documents import DocumentId, Passage
from fathom.records.spans import Span
from fathom.scoring.answers import LinkedSpan

MatchLevel = Literal["sentence", "character"]
SentencesOf = Callable[[DocumentId], Sequence[Span]]
"""The sentences of a document, in order."""

DEFAULT_THRESHOLD = 0.5


class MatchCounts(NamedTuple):
    """How many passages were predicted, how many are in the key, and how many of them match."""

    matched: int
    predicted: int
    gold: int

    @property
    def precision(self) -> float | None:
        """None if nothing was predicted."""
        return self.matched / self.predicted if self.predicted else None

    @property
    def recall(self) -> float | None:
        """None if the key has nothing."""
        return self.matched / self.gold if self.gold else None

    @property
    def f1(self) -> float | None:
        """None if nothing was predicted and the key has nothing."""
        return 2 * self.matched / (self.predicted + self.gold) if self.predicted + self.gold else None


class PassagePair(NamedTuple):
    """A predicted passage and the passage of the key that it matches, by their positions."""

    predicted: int
    gold: int
    overlap: float
    """Intersection over union."""


class LinkPlace(NamedTuple):
    """A link by the position of its claim and its position in the claim."""

    claim: int
    link: int | None
    """None for a claim without links, which counts as one link to nothing."""


class LinkPair(NamedTuple):
    """A predicted link and the link of the key that it matches."""

    predicted: LinkPlace
    gold: LinkPlace


@dataclass(frozen=True)
class ClaimMatch:
    """How well predicted claims, evidence and links match those of a key."""

    claims: MatchCounts
    evidence: MatchCounts
    """Over distinct passages: evidence of several claims counts once."""
    links: MatchCounts
    """A link matches if its claim and its evidence match those of one link of the key."""
    claim_pairs: tuple[PassagePair, ...]
    link_pairs: tuple[LinkPair, ...]
    matched_gaps: tuple[int, ...]
    """Sentences between the predicted claim and its predicted evidence, of the links that match."""
    predicted_gaps: tuple[int, ...]
    """The same of all predicted links."""
    gold_gaps: tuple[int, ...]
    """The same of the links of the key."""


@dataclass(frozen=True)
class SentenceIndex:
    """The sentences that passages cover."""

    sentences: SentencesOf
    _known: dict[DocumentId, tuple[Sequence[Span], list[int]]] = field(default_factory=dict, init=False, repr=False)
    _covered: dict[tuple[DocumentId, Span], range] = field(default_factory=dict, init=False, repr=False)

    def _of(self, document: DocumentId) -> tuple[Sequence[Span], list[int]]:
        if document not in self._known:
            spans = self.sentences(document)
            self._known[document] = spans, [span.start for span in spans]
        return self._known[document]

    def covered(self, passage: Passage) -> range:
        """The numbers of the sentences that a passage covers; empty if it is outside of all sentences.

        A sentence is covered if at least half of it is in the passage, or at least half of the passage is in it: a
        passage that ends with the first letters of the next sentence does not cover that one.
        """
        place = passage.document, passage.span
        if place not in self._covered:
            self._covered[place] = self._find_covered(*place)
        return self._covered[place]

    def _find_covered(self, document: DocumentId, span: Span) -> range:
        spans, starts = self._of(document)
        overlaps: dict[int, int] = {}
        for number in range(max(0, bisect_right(starts, span.start) - 1), len(spans)):
            if starts[number] >= span.end:
                break
            overlaps[number] = min(spans[number].end, span.end) - max(starts[number], span.start)
        overlaps = {number: common for number, common in overlaps.items() if common > 0}
        if not overlaps:
            return range(0)
        length = span.end - span.start
        covered = [
            number
            for number, common in overlaps.items()
            if 2 * common >= min(length, spans[number].end - starts[number])
        ]
        covered = covered or [max(overlaps, key=lambda number: overlaps[number])]
        return range(covered[0], covered[-1] + 1)

    def position(self, passage: Passage) -> int:
        """The number of the first sentence that a passage covers, or of the one before it if it covers none."""
        covered = self.covered(passage)
        return covered[0] if covered else max(0, bisect_right(self._of(passage.document)[1], passage.span.start) - 1)


def character_overlap(one: Passage, two: Passage) -> float:
    """Intersection over union in characters; 0 for an empty passage and for passages of different documents."""
    if one.document != two.document:
        return 0.0
    common = min(one.span.end, two.span.end) - max(one.span.start, two.span.start)
    if common <= 0:
        return 0.0
    return common / (max(one.span.end, two.span.end) - min(one.span.start, two.span.start))


def sentence_overlap(one: Passage, two: Passage, index: SentenceIndex) -> float:
    """Intersection over union in sentences; in characters if one of the passages covers none, such as a table."""
    if one.document != two.document or _empty(one) or _empty(two):
        return 0.0
    first, second = index.covered(one), index.covered(two)
    if not first or not second:
        return character_overlap(one, two)
    common = min(first.stop, second.stop) - max(first.start, second.start)
    return max(0, common) / (max(first.stop, second.stop) - min(first.start, second.start)) if common > 0 else 0.0


def _empty(passage: Passage) -> bool:
    """Whether a passage has no characters: a quote that could not be located."""
    return passage.span.start == passage.span.end


@dataclass(frozen=True)
class SpanMatcher:
    """Matches passages at one level with one threshold. Passages without characters match nothing."""

    index: SentenceIndex
    threshold: float = DEFAULT_THRESHOLD
    level: MatchLevel = "sentence"

    def __post_init__(self) -> None:
        if not 0 < self.threshold <= 1:
            raise ValueError(f"the threshold is {self.threshold}; it must be above 0 and at most 1")

    def overlap(self, one: Passage, two: Passage) -> float:
        """Intersection over union at the level of the matcher."""
        return character_overlap(one, two) if self.level == "character" else sentence_overlap(one, two, self.index)

    def pairs(self, gold: Sequence[Passage], predicted: Sequence[Passage]) -> list[PassagePair]:
        """The matched passages, by the positions of the predicted ones."""
        return assign(self._edges(gold, predicted))

    def _edges(self, gold: Sequence[Passage], predicted: Sequence[Passage]) -> list[PassagePair]:
        places = [(other, two, self._place(two)) for other, two in enumerate(gold) if not _empty(two)]
        documents = {two.document for _, two, _ in places}
        edges: list[PassagePair] = []
        for at, passage in enumerate(predicted):
            if passage.document not in documents or _empty(passage):
                continue
            own_range = self._place(passage)
            for other, two, place in places:
                # Most passages are apart, which needs no overlap; one without sentences is compared by characters.
                if own_range and place and (own_range.stop <= place.start or place.stop <= own_range.start):
                    continue
                if (overlap := self.overlap(passage, two)) >= self.threshold:
                    edges.append(PassagePair(at, other, overlap))
        return edges

    def _place(self, passage: Passage) -> range:
        """The sentences or the characters of a passage."""
        span = passage.span
        return self.index.covered(passage) if self.level == "sentence" else range(span.start, span.end)

    def link_pairs(self, gold: Sequence[LinkedSpan], predicted: Sequence[LinkedSpan]) -> list[LinkPair]:
        """The matched links."""
        predicted_links, gold_links = link_places(predicted), link_places(gold)
        claims: dict[int, list[PassagePair]] = defaultdict(list)
        for edge in self._edges([claim.passage for claim in gold], [claim.passage for claim in predicted]):
            claims[edge.predicted].append(edge)
        links: dict[int, list[int]] = defaultdict(list)
        for other, gold_link in enumerate(gold_links):
            links[gold_link.claim].append(other)
        edges = [
            PassagePair(at, other, (claim.overlap + evidence) / 2)
            for at, predicted_link in enumerate(predicted_links)
            for claim in claims[predicted_link.claim]
            for other in links[claim.gold]
            if (evidence := self._evidence_overlap(predicted, predicted_link, gold, gold_links[other]))
        ]
        return [LinkPair(predicted_links[pair.predicted], gold_links[pair.gold]) for pair in assign(edges)]

    def _evidence_overlap(
        self, predicted: Sequence[LinkedSpan], one: LinkPlace, gold: Sequence[LinkedSpan], two: LinkPlace
    ) -> float:
        """The overlap of the evidence of two links, 0 below the threshold; two links to nothing are the same."""
        if one.link is None or two.link is None:
            return float(one.link is two.link)
        overlap = self.overlap(predicted[one.claim].links[one.link].passage, gold[two.claim].links[two.link].passage)
        return overlap if overlap >= self.threshold else 0.0

    def distinct(self, passages: Iterable[Passage]) -> list[Passage]:
        """Passages that differ at the level of the matcher, each once; those that were not located all count."""
        by_place: dict[Hashable, Passage] = {}
        for number, passage in enumerate(passages):
            covered = self.index.covered(passage) if self.level == "sentence" else None
            place: Hashable = (passage.document, covered) if covered else passage
            by_place.setdefault(number if _empty(passage) else place, passage)
        return list(by_place.values())

    def gap(self, claim: Passage, evidence: Passage) -> int | None:
        """Sentences between two passages; None if they are of different documents or one was not located."""
        if claim.document != evidence.document or _empty(claim) or _empty(evidence):
            return None
        return abs(self.index.position(claim) - self.index.position(evidence))

    def gaps(self, claims: Sequence[LinkedSpan]) -> tuple[int, ...]:
        """The gaps of all links."""
        gaps = (self.gap(claim.passage, evidence) for claim in claims for evidence in claim.linked)
        return tuple(gap for gap in gaps if gap is not None)


def link_places(claims: Sequence[LinkedSpan]) -> list[LinkPlace]:
    """The links of claims; a claim without links has one, to nothing."""
    return [
        LinkPlace(number, link)
        for number, claim in enumerate(claims)
        for link in (range(len(claim.links)) if claim.links else (None,))
    ]


def match_claims(
    gold: Sequence[LinkedSpan],
    predicted: Sequence[LinkedSpan],
    sentences: SentencesOf,
    threshold: float = DEFAULT_THRESHOLD,
    level: MatchLevel = "sentence",
) -> ClaimMatch:
    """Match predicted claims with the claims of a key.

    A predicted quote that could not be located is a passage without characters, such as `Span(0, 0)`: it counts as
    predicted and matches nothing.
    """
    matcher = SpanMatcher(SentenceIndex(sentences), threshold, level)
    claim_pairs = matcher.pairs([claim.passage for claim in gold], [claim.passage for claim in predicted])
    evidence = [
        matcher.distinct(passage for claim in claims for passage in claim.linked) for claims in (gold, predicted)
    ]
    link_pairs = matcher.link_pairs(gold, predicted)
    matched = (pair.predicted for pair in link_pairs)
    gaps = (
        matcher.gap(predicted[place.claim].passage, predicted[place.claim].linked[place.link])
        for place in matched
        if place.link is not None
    )
    return ClaimMatch(
        claims=MatchCounts(len(claim_pairs), len(predicted), len(gold)),
        evidence=MatchCounts(len(matcher.pairs(*evidence)), len(evidence[1]), len(evidence[0])),
        links=MatchCounts(len(link_pairs), len(link_places(predicted)), len(link_places(gold))),
        claim_pairs=tuple(claim_pairs),
        link_pairs=tuple(link_pairs),
        matched_gaps=tuple(gap for gap in gaps if gap is not None),
        predicted_gaps=matcher.gaps(predicted),
        gold_gaps=matcher.gaps(gold),
    )


# The assignment.


def assign(edges: Sequence[PassagePair]) -> list[PassagePair]:
    """The largest set of pairs in which each position occurs once on its side; of those the largest sum of overlaps."""
    return sorted(pair for component in _components(edges) for pair in _assign_component(component))


def _components(edges: Sequence[PassagePair]) -> list[list[PassagePair]]:
    """Edges that share no passage with another component. Most have one edge, which needs no algorithm."""
    component_of: dict[tuple[str, int], list[PassagePair]] = {}
    for edge in edges:
        one = component_of.setdefault(("predicted", edge.predicted), [])
        two = component_of.setdefault(("gold", edge.gold), [])
        if one is not two:
            one.extend(two)
            for node in {node for pair in two for node in (("predicted", pair.predicted), ("gold", pair.gold))}:
                component_of[node] = one
            component_of["gold", edge.gold] = one
        one.append(edge)
    return list({id(component): component for component in component_of.values()}.values())


def _assign_component(edges: list[PassagePair]) -> list[PassagePair]:
    rows = sorted({edge.predicted for edge in edges})
    columns = sorted({edge.gold for edge in edges})
    if len(rows) == 1 or len(columns) == 1:
        return [min(edges, key=lambda edge: (-edge.overlap, edge.predicted, edge.gold))]
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    places = {(edge.predicted, edge.gold): edge for edge in edges}
    # One more match outweighs any sum of overlaps, each of which is at most 1.
    weights = np.zeros((len(rows), len(columns)))
    for row, predicted in enumerate(rows):
        for column, gold in enumerate(columns):
            if (predicted, gold) in places:
                weights[row, column] = min(weights.shape) + 1 + places[predicted, gold].overlap
    chosen = zip(*linear_sum_assignment(weights, maximize=True), strict=True)
    return [places[at] for row, column in chosen if (at := (rows[row], columns[column])) in places]
