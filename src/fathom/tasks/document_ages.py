"""How many documents of a bench are so old that a model may have been trained on them."""

from __future__ import annotations

from dataclasses import dataclass

from fathom.corpus.publication_dates import Month, appeared
from fathom.corpus.store import Corpus
from fathom.corpus.swap import COMMAND as SWAPPED
from fathom.tasks.bench import Bench

UNSEEN = ("generate", SWAPPED)
"""How corpora are made that nobody can have seen as they are."""


@dataclass(frozen=True)
class Ages:
    """A bench's documents by whether they appeared before a month."""

    documents: int
    older: int
    undated: int
    """Those that do not say when they appeared."""


def ages(bench: Bench, corpus: Corpus, cutoff: str) -> Ages | None:
    """How old the documents are that a bench shows; None where nobody can have seen them."""
    if corpus.manifest.recipe.get("command") in UNSEEN:
        return None
    until = Month.parse(cutoff)
    shown = {article for context in bench.contexts() for article in context.documents}
    older = undated = 0
    for listed in corpus.entries():
        if listed.id not in shown:
            continue
        # Only what the year leaves open is opened: most documents are older or younger by years.
        far = listed.year is not None and listed.year < until.year
        month = Month(listed.year or 0) if far else appeared(corpus.outline(listed.id))
        older += month is not None and month.is_before(until)
        undated += month is None
    return Ages(len(shown), older, undated)
