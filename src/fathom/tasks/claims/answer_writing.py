"""Writes answers in the form that questions ask for: quotes of the documents, as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence

from fathom.records.documents import Passage
from fathom.scoring.answers import Link, LinkedSpan, LinkedSpans

Quote = Callable[[Passage], str]
"""The words of a passage."""


def written_claims(spans: Sequence[LinkedSpan], quote: Quote) -> str:
    """A response that lists these claims."""
    claims = [
        {
            "quote": quote(span.passage),
            **_attributes(span.attributes),
            "evidence": [{"quote": quote(link.passage), **link.attributes} for link in span.links],
        }
        for span in spans
    ]
    return json.dumps({"claims": claims}, ensure_ascii=False)


def written_finding(label: str, passages: Sequence[Passage], quote: Quote) -> str:
    """A response that gives a label and quotes its evidence."""
    return json.dumps(
        {"label": label, "evidence": [{"quote": quote(passage)} for passage in passages]}, ensure_ascii=False
    )


def without_claim(spans: LinkedSpans, claim: int) -> tuple[LinkedSpan, ...]:
    """The claims without one of them."""
    return (*spans.spans[:claim], *spans.spans[claim + 1 :])


def with_links(claim: LinkedSpan, links: Sequence[Link]) -> LinkedSpan:
    """The claim with other evidence."""
    return claim.model_copy(update={"links": tuple(links)})


def _attributes(attributes: Mapping[str, str]) -> dict[str, str | bool]:
    return {name: value == "yes" if name == "justified" else value for name, value in attributes.items()}
