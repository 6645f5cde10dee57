"""Counts the documents of a bench that are old enough to be in a model's training data."""

from __future__ import annotations

from dataclasses import dataclass

from fathom.corpus.publication_dates import Month, publication_month
from fathom.corpus.store import Corpus
from fathom.corpus.swap import COMMAND as SWAPPED
from fathom.tasks.bench import Bench

UNSEEN = ("generate", SWAPPED)
"""Commands whose corpora cannot be in any training data as they are."""


@dataclass(frozen=True)
class DocumentAges:
    """The documents of a bench by whether they appeared before a month."""

    documents: int
    older: int
    undated: int
    """Documents without a date."""


def document_ages(bench: Bench, corpus: Corpus, cutoff: str) -> DocumentAges | None:
    """The ages of the documents that a bench shows; None for a corpus that cannot be in training data."""
    if corpus.manifest.recipe.get("command") in UNSEEN:
        return None
    until = Month.parse(cutoff)
    shown_ids = {document for context in bench.contexts() for document in context.documents}
    older = undated = 0
    for entry in corpus.entries():
        if entry.id not in shown_ids:
            continue
        # Only documents near the cutoff are opened for their month.
        is_clear = entry.year is not None and entry.year < until.year
        month = Month(entry.year or 0) if is_clear else publication_month(corpus.outline(entry.id))
        older += month is not None and month.is_before(until)
        undated += month is None
    return DocumentAges(len(shown_ids), older, undated)
