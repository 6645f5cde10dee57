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
        kept = [claim for claim in claims if not self._happens("miss")]
        linked = self._mislinked(kept)
        self._taken = {claim.passage for claim in claims}
        return written_claims([self._with_faults(claim) for claim in linked], self._quote)

    def _with_faults(self, claim: LinkedSpan) -> LinkedSpan:
        links = [self._misjudged_link(link) for link in claim.links if not self._happens("overlook")]
        if self._happens("fabricate"):
            links.append(Link(passage=INVENTED))
        passage = self._next_unit(claim.passage) if self._happens("shift") else claim.passage
        attributes = self._misjudged(claim.attributes, CLAIM_ATTRIBUTES) | self._misattributed(claim.stated)
        return LinkedSpan(passage=passage, links=tuple(links), attributes=attributes)

    def _mislinked(self, claims: Sequence[LinkedSpan]) -> list[LinkedSpan]:
        """The claims, some with the evidence of another claim that has other evidence; those two change places."""
        linked = list(claims)
        for number, claim in enumerate(claims):
            others = [
                at for at, span in enumerate(linked) if set(span.linked).isdisjoint(claim.linked) and at != number
            ]
            if others and self._happens("mislink"):
                other = self._rng.choice(others)
                first_claim, second_claim = linked[number], linked[other]
                linked[number], linked[other] = (
                    with_links(first_claim, second_claim.links),
                    with_links(second_claim, first_claim.links),
                )
        return linked

    def _next_unit(self, passage: Passage) -> Passage:
        """The first sentence after a passage that is not a claim; the last one before it if there is none."""
        found = [Passage(document=passage.document, span=span) for span in units(self._document(passage.document))]
        free = [one for one in found if one not in self._taken]
        after = next((one for one in free if one.span.start >= passage.span.end), None)
        return after or next((one for one in reversed(free) if one.span.end <= passage.span.start), passage)

    def _misjudged_link(self, link: Link) -> Link:
        attributes = self._misjudged(link.attributes, EVIDENCE_ATTRIBUTES) | self._misattributed(link.stated)
        return link.model_copy(update={"attributes": attributes})

    def _misattributed(self, stated: Mapping[str, Passage]) -> dict[str, str]:
        """The sentence after each statement, if that fault happens."""
        return {
            name: self._quote(self._next_unit(passage))
            for name, passage in stated.items()
            if self._happens("misattribute")
        }

    def _misjudged(self, attributes: dict[str, str], closed: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
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
        kept = [passage for passage in passages if not (self._happens("miss") or self._happens("overlook"))]
        kept = [self._next_unit(passage) if self._happens("shift") else passage for passage in kept]
        kept += [INVENTED] if self._happens("fabricate") else []
        chosen = self._other(label, options) if self._happens("misjudge") else label
        return written_finding(chosen, kept, self._quote)

    def level(self, level: str, levels: Sequence[str]) -> str:
        """The level of an article, or one next to it."""
        if self._happens("format"):
            return ""
        at = levels.index(level)
        beside = [levels[place] for place in (at - 1, at + 1) if 0 <= place < len(levels)]
        return self._rng.choice(beside) if beside and self._happens("misjudge") else level

    def _happens(self, parameter: str) -> bool:
        return self._simulated.happens(parameter, self._rng)

    def _other(self, value: str, values: Sequence[str]) -> str:
        others = [one for one in values if one != value]
        return self._rng.choice(others) if others else value

    def _quote(self, passage: Passage) -> str:
        if passage == INVENTED:
            return f"The {' '.join(self._rng.sample(_WORDS, 6))} was never seen again."
        return passage.span.of(self._document(passage.document).text)
