"""The facts of documents as an audit reads them: of the documents of one context, in little memory."""

from __future__ import annotations

import pickle
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from sys import intern
from typing import NamedTuple

from fathom.corpus.store import Corpus
from fathom.records.documents import Document, DocumentId, Fact, FactSheet
from fathom.records.spans import Span
from fathom.tasks.tables.phrases import printed_numbers
from fathom.tasks.tables.table_facts import TableFacts
from fathom.tasks.tables.votes import all_votes, votes_digests

KEPT = 5_000
"""Documents whose facts stay in memory, pickled: some 20 kilobytes each, a tenth of what they take as objects."""

TAG = re.compile(r"[\w-]+:\w+")
"""The name of a tagged fact of a filing."""
CURRENCY = re.compile(r"[A-Z]{3}(?=/|$)")


class StatedFact(NamedTuple):
    """One fact about a whole entity."""

    entity: str
    attribute: str
    period: str
    value: Decimal | None
    unit: str


@dataclass(frozen=True)
class StatedFacts:
    """The facts of one document about whole entities."""

    year: int | None
    at: dict[tuple[int, int], list[StatedFact]]
    """By the span that prints them. A number of a table may be read as an amount of money or as a count."""
    of: dict[tuple[str, str], list[StatedFact]]
    """By attribute and period."""
    entities: frozenset[str]
    currencies: frozenset[str]
    filers: frozenset[str]
    """The entities of its tagged facts."""

    def at_span(self, span: Span) -> list[StatedFact]:
        return self.at.get((span.start, span.end), [])


class FactReader:
    """Reads the facts of the documents of one context after the other; those read first are forgotten first."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._votes = list(all_votes(corpus.folder).values())
        self._pickled = _pickled_facts(corpus.manifest.fingerprint, tuple(votes_digests(corpus.folder)))

    def read(self, documents: Iterable[DocumentId]) -> dict[DocumentId, StatedFacts]:
        """The facts of these documents."""
        return {id: pickle.loads(self._pickled.get(id) or self._keep(id, self._of(id))) for id in documents}

    def keep(self, sheet: FactSheet) -> None:
        """Keep the facts of a document that is read for another purpose, so that it is not read again."""
        if sheet.id not in self._pickled:
            self._keep(sheet.id, self._structured(sheet))

    def _keep(self, id: DocumentId, stated: StatedFacts) -> bytes:
        while len(self._pickled) >= KEPT:
            del self._pickled[next(iter(self._pickled))]
        self._pickled[id] = pickle.dumps(stated, pickle.HIGHEST_PROTOCOL)
        return self._pickled[id]

    def _of(self, id: DocumentId) -> StatedFacts:
        sheet = self._corpus.fact_sheet(id)
        if sheet.has_structure:
            return self._structured(sheet)
        document = self._corpus.document(id)
        tables = TableFacts(document)
        stated = _stated(tables.year, [*tables.all(), *self._voted(id)])
        return _with_printed_numbers(stated, document) if document.kind == "article" else stated

    def _structured(self, sheet: FactSheet) -> StatedFacts:
        return _stated(sheet.year, [fact for fact in (*sheet.facts, *self._voted(sheet.id)) if not fact.part])

    def _voted(self, id: DocumentId) -> list[Fact]:
        return [fact for votes in self._votes for fact in votes.of(id)]


@lru_cache(maxsize=1)
def _pickled_facts(corpus: str, votes: tuple[str, ...]) -> dict[DocumentId, bytes]:
    """The pickled facts of the documents of a corpus with these votes.

    The builder and the audit of a process share them, and so do contexts with the same documents: reading a document
    takes several times as long as unpickling its facts.
    """
    del corpus, votes
    return {}


def _with_printed_numbers(stated: StatedFacts, document: Document) -> StatedFacts:
    """The facts, and each number that an article prints as a fact without a name about the article itself."""
    title = document.title_text
    at = dict(stated.at)
    for span, value in printed_numbers(document):
        at[span.start, span.end] = [*at.get((span.start, span.end), []), StatedFact(title, "", "", value, "")]
    return replace(stated, at=at, entities=stated.entities | {title})


def _stated(year: int | None, whole: list[Fact]) -> StatedFacts:
    at: dict[tuple[int, int], list[StatedFact]] = defaultdict(list)
    of: dict[tuple[str, str], list[StatedFact]] = defaultdict(list)
    for fact in whole:
        # The same few names are in thousands of documents.
        stated = StatedFact(
            intern(fact.entity), intern(fact.attribute), intern(fact.period), fact.value, intern(fact.unit)
        )
        of[stated.attribute, stated.period].append(stated)
        at[fact.span.start, fact.span.end].append(stated)
    return StatedFacts(
        year,
        dict(at),
        dict(of),
        frozenset(fact.entity for fact in whole),
        frozenset(found[0] for fact in whole if (found := CURRENCY.match(fact.unit))),
        frozenset(fact.entity for fact in whole if TAG.fullmatch(fact.attribute)),
    )
