"""How widely the figures that a question needs are dispersed over its context."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from fathom.records.contexts import Context
from fathom.records.documents import DocumentId

_COUNTS = (5, 10, 20, 50, 100)
SPREADS = ("under 25%", "25-50%", "50-75%", "over 75%")
DISTANCES = ("under 16K", "16K-32K", "32K-64K", "64K+")


def dispersion_tags(context: Context, needed: Sequence[DocumentId]) -> dict[str, str]:
    """The tags of a question that needs these documents."""
    starts = {position.document: position.token for position in context.places}
    offsets = sorted(starts[document] for document in set(needed) if document in starts)
    return {
        "documents": _count_range(len(offsets)),
        "spread": _spread(offsets, context.tokens),
        "distance": _distance(offsets),
    }


def _count_range(count: int) -> str:
    """The number of documents that the answer depends on, as a range: "10-19"."""
    low = max((step for step in _COUNTS if step <= count), default=1)
    above = next((step for step in _COUNTS if step > count), None)
    return f"{low}+" if above is None else f"{low}-{above - 1}"


def _spread(offsets: Sequence[int], tokens: int) -> str:
    """The share of the context between the first and the last document that is needed, in quarters."""
    share = (offsets[-1] - offsets[0]) / max(1, tokens) if offsets else 0.0
    return SPREADS[min(3, int(share * 4))]


def _distance(offsets: Sequence[int]) -> str:
    """The median number of tokens from one needed document to the next, as a range."""
    gap = median(after - before for before, after in pairwise(offsets)) if len(offsets) > 1 else 0
    return DISTANCES[sum(gap >= limit * 1024 for limit in (16, 32, 64))]
