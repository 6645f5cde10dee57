"""Intervals for accuracy when contexts share documents, and are therefore not independent.

A context's accuracy is modeled as the mean effect of its documents plus an effect of its own. The two variance
components are estimated from the similarity of contexts with common documents. A bootstrap with random weights for
documents and contexts had a coverage of only 60% to 70% in simulation, at a nominal 95%.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from fathom.analysis.findings import Estimate
from fathom.analysis.intervals import ContextSums, FloatArray, IntArray, clustered_error, share, t_quantile, wilson
from fathom.corpus.disjoint_sets import DisjointSets


@dataclass(frozen=True)
class SharedDocuments:
    """Which documents each context contains."""

    membership: Any
    """Sparse matrix, contexts by documents; each row has equal weights that add up to one."""

    @classmethod
    def of(cls, documents: Sequence[IntArray]) -> SharedDocuments:
        """`documents` has the document numbers of each context."""
        from scipy.sparse import csr_array

        sizes = np.array([len(document_numbers) for document_numbers in documents])
        flat = np.concatenate(documents)
        rows = np.repeat(np.arange(len(documents)), sizes)
        return cls(csr_array((np.repeat(1 / sizes, sizes), (rows, flat)), shape=(len(documents), int(flat.max()) + 1)))

    def share(self, values: FloatArray, contexts: IntArray) -> Estimate | None:
        """The mean with an interval for other documents as well as other contexts; None if the two cannot be separated,
        for example if all contexts contain the same documents."""
        plain = share(values, contexts)
        used_contexts = np.unique(contexts)
        sums = ContextSums.of(values, contexts)
        membership = self.membership[used_contexts]
        weights = sums.counts / sums.counts.sum()
        components = _variance_components(membership, weights, weights * (sums.totals / sums.counts - sums.mean))
        if components is None:
            return None
        variance = components.documents + components.contexts
        mean, freedom = plain.value, clustered_error(sums).freedom
        effective = plain.effective
        if variance > 1e-12 and mean * (1 - mean) / variance < effective:
            effective = mean * (1 - mean) / variance
            common = membership.T @ weights
            # A variance estimated from few documents has few degrees of freedom.
            freedom = max(1.0, min(freedom, float((common**2).sum() ** 2 / (common**4).sum()) - 1))
        low, high = wilson(mean, effective, t_quantile(freedom))
        method = "variance components of documents and contexts"
        return plain.model_copy(update={"low": low, "high": high, "effective": effective, "method": method})


@dataclass(frozen=True)
class _VarianceComponents:
    """The variance of the mean, by source."""

    documents: float
    contexts: float


def _variance_components(membership: Any, weights: FloatArray, residuals: FloatArray) -> _VarianceComponents | None:
    """The two variance components by the method of moments; None if they cannot be separated.

    Two sums of squares are set equal to their expectations under the model, where D and C are the variances of the
    effects of documents and contexts:

        by_context = mixed * D + alone * C        (squared residuals of contexts)
        by_document = both * D + mixed * C        (squared sums of residuals over the contexts of each document)

    The variance of the mean is `whole * D + squares.sum() * C`. The similarity matrix of contexts (`membership` times
    its transpose) is never formed; each sum goes over documents.
    """
    squares = weights**2
    common = membership.T @ weights
    common_squared = float(common @ common)
    shared_with_all = membership @ common
    squared_norms = np.asarray(membership.multiply(membership).sum(axis=1)).ravel()
    mixed = float(squares @ squared_norms - 2 * squares @ shared_with_all + squares.sum() * common_squared)
    alone = float(squares.sum() - 2 * (weights**3).sum() + squares.sum() ** 2)
    similarity = _squared_similarity(membership, weights)
    both = similarity - 2 * float(weights @ shared_with_all**2) + common_squared**2
    by_context = float(residuals @ residuals)
    by_document = float(((membership.T @ residuals) ** 2).sum())
    determinant = mixed**2 - alone * both
    if abs(determinant) <= 1e-9 * alone * similarity:
        return None
    document_variance = max(0.0, (mixed * by_context - alone * by_document) / determinant)
    context_variance = max(0.0, (by_context - document_variance * mixed) / alone)
    return _VarianceComponents(document_variance * common_squared, context_variance * float(squares.sum()))


def _squared_similarity(membership: Any, weights: FloatArray) -> float:
    """Sum of squared similarities of contexts, over the smaller of two matrices: pairs of documents in one context, or
    pairs of contexts with a common document."""
    rooted = membership.multiply(np.sqrt(weights)[:, None]).tocsr()
    by_documents = float((np.diff(membership.indptr) ** 2.0).sum())
    by_contexts = float((np.bincount(membership.indices) ** 2.0).sum())
    table = rooted.T @ rooted if by_documents <= by_contexts else rooted @ rooted.T
    return float((table.data**2).sum())


@dataclass(frozen=True)
class DocumentOverlap:
    """How far the contexts of a bench share documents."""

    documents: int
    shared: float
    """Share of documents that are in more than one context."""
    linked: float
    """Share of contexts in the largest group that is connected by shared documents."""

    @classmethod
    def of(cls, documents: Sequence[IntArray]) -> DocumentOverlap:
        """`documents` has the document numbers of each context."""
        contexts_of: dict[int, list[int]] = defaultdict(list)
        for context, document_numbers in enumerate(documents):
            for document in document_numbers:
                contexts_of[int(document)].append(context)
        pairs = (pair for contexts in contexts_of.values() for pair in pairwise(contexts))
        linked = DisjointSets.of(range(len(documents)), pairs).all()
        shared = sum(len(contexts) > 1 for contexts in contexts_of.values())
        return cls(
            len(contexts_of),
            shared / max(1, len(contexts_of)),
            max(map(len, linked), default=0) / max(1, len(documents)) if shared else 0.0,
        )
