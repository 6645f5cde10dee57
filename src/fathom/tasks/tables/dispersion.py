"""How widely the figures that a question needs are spread over its context."""

from __future__ import annotations

from collections.abc import Sequence

from fathom.records.contexts import Context
from fathom.records.documents import DocumentId

_STEPS = (5, 10, 20, 50, 100)


def documents_tag(needed: Sequence[DocumentId]) -> str:
    """The number of documents that the answer depends on, as a range: "10-19"."""
    count = len(set(needed))
    low = max((step for step in _STEPS if step <= count), default=1)
    above = next((step for step in _STEPS if step > count), None)
    return f"{low}+" if above is None else f"{low}-{above - 1}"


def spread_tag(context: Context, needed: Sequence[DocumentId]) -> str:
    """The share of the context between the first and the last document that is needed, in quarters."""
    starts = {place.document: place.token for place in context.places}
    places = [starts[document] for document in set(needed)]
    share = (max(places) - min(places)) / max(1, context.tokens) if places else 0.0
    return ("under 25%", "25-50%", "50-75%", "over 75%")[min(3, int(share * 4))]
