"""The faults of `sim/reader`. Each one moves the measures of one kind of mistake and leaves the others alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random

from fathom.models.simulated import SimulatedModel
from fathom.records.documents import Document, DocumentId, Passage
from fathom.records.quoted_claims import CLAIM_ATTRIBUTES, EVIDENCE_ATTRIBUTES, REASONS
from fathom.records.spans import Span
from fathom.scoring.answers import Link, LinkedSpan
from fathom.tasks.claims.answer_writing import with_links, written_claims, written_finding
from fathom.tasks.claims.units import units
from fathom.tasks.family import Fault

FAULTS = (
    Fault("miss", "leaves out a claim and its evidence", "finding", diagnosed=False),
    Fault("overlook", "leaves out a piece of evidence", "finding", diagnosed=False),
    Fault("fabricate", "adds a piece of evidence that the text does not have", "reading", diagnosed=False),
    Fault("shift", "quotes the sentence after a claim in its place", "reading", diagnosed=False),
    Fault("mislink", "gives a claim the evidence of another claim", "computing", diagnosed=False),
    Fault(
        "misattribute",
        "quotes the next sentence as the conclusion on a claim, or as the limitation of evidence",
        "reading",
        diagnosed=False,
    ),
    Fault("misjudge", "gives another label, level, or value of an attribute", "computing", diagnosed=False),
)

INVENTED = Passage(document="invented", span=Span(0, 1))
"""A passage of no document: its quote is invented."""
_WORDS = ("velvet", "harbor", "trombone", "pepper", "lantern", "glacier", "waltz", "marmalade", "orchid", "compass")


class FaultyReader:
    """Answers from the key with faults at the rates of a simulated model's parameters."""

    def __init__(self, simulated: SimulatedModel, rng: Random, document: Callable[[DocumentId], Document]) -> None:
        self._simulated = simulated
        self._rng = rng
        self._document = document
        self._taken: set[Passage] = set()
        """Claims of the key, no two of which can be confused."""

    def claims(self, claims: Sequence[LinkedSpan]) -> str:
        """A response that lists these claims, with faults."""
        if self._happens("format"):
            return "I have read the articles and listed their claims in my notes."
        kept_claims = [claim for claim in claims if not self._happens("miss")]
        relinked = self._exchange_evidence(kept_claims)
        self._taken = {claim.passage for claim in claims}
        return written_claims([self._with_faults(claim) for claim in relinked], self._quote)

    def _with_faults(self, claim: LinkedSpan) -> LinkedSpan:
        links = [self._misjudged_link(link) for link in claim.links if not self._happens("overlook")]
        if self._happens("fabricate"):
            links.append(Link(passage=INVENTED))
        passage = self._next_unit(claim.passage) if self._happens("shift") else claim.passage
        attributes = self._misjudge(claim.attributes, CLAIM_ATTRIBUTES) | self._quote_next_units(claim.stated)
        return LinkedSpan(passage=passage, links=tuple(links), attributes=attributes)

    def _exchange_evidence(self, claims: Sequence[LinkedSpan]) -> list[LinkedSpan]:
        """The claims, some with the evidence of another claim that has other evidence; those two change places."""
        relinked = list(claims)
        for number, claim in enumerate(claims):
            candidates = [
                index
                for index, span in enumerate(relinked)
                if set(span.linked).isdisjoint(claim.linked) and index != number
            ]
            if candidates and self._happens("mislink"):
                partner = self._rng.choice(candidates)
                first_claim, second_claim = relinked[number], relinked[partner]
                relinked[number], relinked[partner] = (
                    with_links(first_claim, second_claim.links),
                    with_links(second_claim, first_claim.links),
                )
        return relinked

    def _next_unit(self, passage: Passage) -> Passage:
        """The first sentence after a passage that is not a claim; the last one before it if there is none."""
        passages = [Passage(document=passage.document, span=span) for span in units(self._document(passage.document))]
        unclaimed = [passage for passage in passages if passage not in self._taken]
        following = next((candidate for candidate in unclaimed if candidate.span.start >= passage.span.end), None)
        return following or next(
            (candidate for candidate in reversed(unclaimed) if candidate.span.end <= passage.span.start), passage
        )

    def _misjudged_link(self, link: Link) -> Link:
        attributes = self._misjudge(link.attributes, EVIDENCE_ATTRIBUTES) | self._quote_next_units(link.stated)
        return link.model_copy(update={"attributes": attributes})

    def _quote_next_units(self, statements: Mapping[str, Passage]) -> dict[str, str]:
        """The sentence after each statement, if that fault happens."""
        return {
            name: self._quote(self._next_unit(passage))
            for name, passage in statements.items()
            if self._happens("misattribute")
        }

    def _misjudge(self, attributes: dict[str, str], closed: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
        values = {**closed, "no_evidence_reason": REASONS}
        wrong = {
            name: self._other(value, values[name])
            for name, value in attributes.items()
            if value in values.get(name, ()) and self._happens("misjudge")
        }
        return attributes | wrong

    def finding(self, label: str, options: Sequence[str], passages: Sequence[Passage]) -> str:
        """A response that gives a label and its evidence, with faults."""
        if self._happens("format"):
            return "The article reports this comparison."
        reported = [passage for passage in passages if not (self._happens("miss") or self._happens("overlook"))]
        reported = [self._next_unit(passage) if self._happens("shift") else passage for passage in reported]
        reported += [INVENTED] if self._happens("fabricate") else []
        chosen = self._other(label, options) if self._happens("misjudge") else label
        return written_finding(chosen, reported, self._quote)

    def level(self, level: str, levels: Sequence[str]) -> str:
        """The level of an article, or one next to it."""
        if self._happens("format"):
            return ""
        index = levels.index(level)
        neighbors = [levels[neighbor] for neighbor in (index - 1, index + 1) if 0 <= neighbor < len(levels)]
        return self._rng.choice(neighbors) if neighbors and self._happens("misjudge") else level

    def _happens(self, parameter: str) -> bool:
        return self._simulated.happens(parameter, self._rng)

    def _other(self, value: str, values: Sequence[str]) -> str:
        alternatives = [other for other in values if other != value]
        return self._rng.choice(alternatives) if alternatives else value

    def _quote(self, passage: Passage) -> str:
        if passage == INVENTED:
            return f"The {' '.join(self._rng.sample(_WORDS, 6))} was never seen again."
        return passage.span.of(self._document(passage.document).text)
