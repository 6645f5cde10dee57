"""The interval of a share where contexts have documents in common, and so are not wholly independent.

A context's share right is taken to be made of what its documents bring, each in equal parts, and of what is its own.
How much either varies is told from how alike contexts with common documents are. Weights drawn at random for documents
and contexts alike, which were here before, covered the truth in 60% to 70% of simulated benches where 95% was promised.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fathom.analysis.findings import Estimate
from fathom.analysis.intervals import LEVEL, Numbers, Sums, Values, clustered_error, share, t_quantile, wilson


@dataclass(frozen=True)
class Sharing:
    """Which documents each context holds."""

    held: Any
    """Contexts by documents, thinly filled: a context's documents, in equal parts that add up to one."""

    @classmethod
    def of(cls, documents: Sequence[Numbers]) -> Sharing:
        """`documents` holds the numbers of each context's documents."""
        from scipy.sparse import csr_array

        sizes = np.array([len(some) for some in documents])
        flat = np.concatenate(documents)
        rows = np.repeat(np.arange(len(documents)), sizes)
        return cls(csr_array((np.repeat(1 / sizes, sizes), (rows, flat)), shape=(len(documents), int(flat.max()) + 1)))

    def share(self, values: Values, contexts: Numbers, level: float = LEVEL) -> Estimate | None:
        """The mean with an interval for other documents as well as other contexts; None where the two cannot be told
        apart, as where all contexts hold the same documents."""
        plain = share(values, contexts, level)
        asked = np.unique(contexts)
        sums = Sums.of(values, contexts)
        held = self.held[asked]
        weights = sums.counts / sums.counts.sum()
        parts = _parts(held, weights, weights * (sums.totals / sums.counts - sums.mean))
        if parts is None:
            return None
        variance = parts.documents + parts.contexts
        mean, freedom = plain.value, clustered_error(sums).freedom
        effective = plain.effective
        if variance > 1e-12 and mean * (1 - mean) / variance < effective:
            effective = mean * (1 - mean) / variance
            common = held.T @ weights
            # A spread that rests on few documents is known no better than they let it be.
            freedom = max(1.0, min(freedom, float((common**2).sum() ** 2 / (common**4).sum()) - 1))
        low, high = wilson(mean, effective, t_quantile(level, freedom))
        method = "variance components of documents and contexts"
        return plain.model_copy(update={"low": low, "high": high, "effective": effective, "method": method})


@dataclass(frozen=True)
class _Parts:
    """The variance of the mean, by where it comes from."""

    documents: float
    contexts: float


def _parts(held: Any, weights: Values, pull: Values) -> _Parts | None:
    """Two sums of squares, and what either would be for each part alone: two equations.

    The contexts' likeness (`held` times itself turned) is never written down; each sum goes over documents.
    """
    squares = weights**2
    common = held.T @ weights
    whole = float(common @ common)
    along = held @ common
    own = np.asarray(held.multiply(held).sum(axis=1)).ravel()
    mixed = float(squares @ own - 2 * squares @ along + squares.sum() * whole)
    alone = float(squares.sum() - 2 * (weights**3).sum() + squares.sum() ** 2)
    likeness = _likeness(held, weights)
    both = likeness - 2 * float(weights @ along**2) + whole**2
    seen, seen_in_documents = float(pull @ pull), float(((held.T @ pull) ** 2).sum())
    apart = mixed**2 - alone * both
    if abs(apart) <= 1e-9 * alone * likeness:
        return None
    documents = max(0.0, (mixed * seen - alone * seen_in_documents) / apart)
    rest = max(0.0, (seen - documents * mixed) / alone)
    return _Parts(documents * whole, rest * float(squares.sum()))


def _likeness(held: Any, weights: Values) -> float:
    """The squares of what contexts have in common, added up over the smaller of two tables: pairs of documents that
    stand in one context, or pairs of contexts that share a document."""
    rooted = held.multiply(np.sqrt(weights)[:, None]).tocsr()
    by_documents = float((np.diff(held.indptr) ** 2.0).sum())
    by_contexts = float((np.bincount(held.indices) ** 2.0).sum())
    table = rooted.T @ rooted if by_documents <= by_contexts else rooted @ rooted.T
    return float((table.data**2).sum())
