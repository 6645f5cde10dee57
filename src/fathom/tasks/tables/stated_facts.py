"""The facts of documents as an audit reads them: in columns, since a context may have a million of them."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache
from itertools import accumulate
from typing import Generic, NamedTuple, TypeVar

from fathom.corpus.store import Corpus
from fathom.records.documents import DocumentId, Fact, FactSheet
from fathom.records.spans import Span
from fathom.tasks.tables.phrases import printed_numbers
from fathom.tasks.tables.table_facts import TableFacts
from fathom.tasks.tables.votes import all_votes, votes_digests

T = TypeVar("T")

KEPT = 5_000
"""Documents whose facts stay in memory, some 30 kilobytes each: as objects they take ten times as much."""

TAG = re.compile(r"[\w-]+:\w+")
"""The name of a tagged fact of a filing."""
CURRENCY = re.compile(r"[A-Z]{3}(?=/|$)")

FactName = tuple[str, str]
"""An attribute and a period."""


class StatedFact(NamedTuple):
    """One fact about a whole entity."""

    entity: str
    attribute: str
    period: str
    value: Decimal | None
    unit: str

    @property
    def name(self) -> FactName:
        return self.attribute, self.period


class _NumberedValues(Generic[T]):
    """Consecutive numbers of values that many documents have in common."""

    def __init__(self) -> None:
        self.values: list[T] = []
        self.numbers: dict[T, int] = {}

    def number(self, value: T) -> int:
        number = self.numbers.setdefault(value, len(self.values))
        if number == len(self.values):
            self.values.append(value)
        return number


@dataclass(frozen=True)
class _FactCache:
    """The facts of the documents of a corpus, and the names that they share."""

    documents: dict[DocumentId, StatedFacts] = field(default_factory=dict)
    names: _NumberedValues[FactName] = field(default_factory=_NumberedValues)
    words: _NumberedValues[str] = field(default_factory=_NumberedValues)
    """Entities and units."""


class StatedFacts:
    """The facts of one document about whole entities."""

    def __init__(
        self,
        year: int | None,
        facts: Iterable[tuple[Span, StatedFact]],
        cache: _FactCache,
        entities: Collection[str] = (),
    ) -> None:
        ordered = sorted(facts, key=lambda pair: pair[0])
        self.year = year
        self.entities = frozenset(entities) | {fact.entity for _, fact in ordered}
        self.currencies = frozenset(match[0] for _, fact in ordered if (match := CURRENCY.match(fact.unit)))
        self.filers = frozenset(fact.entity for _, fact in ordered if TAG.fullmatch(fact.attribute))
        """The entities of its tagged facts."""
        self._cache = cache
        self._starts = array("I", [span.start for span, _ in ordered])
        self._ends = array("I", [span.end for span, _ in ordered])
        self._names = array("I", [cache.names.number(fact.name) for _, fact in ordered])
        self._entities = array("I", [cache.words.number(fact.entity) for _, fact in ordered])
        self._units = array("I", [cache.words.number(fact.unit) for _, fact in ordered])
        values = ["" if fact.value is None else str(fact.value) for _, fact in ordered]
        self._values = "".join(values)
        self._value_ends = array("I", accumulate(map(len, values)))
        # A number in the text of an article has no name.
        named_indices = [index for index, (_, fact) in enumerate(ordered) if fact.attribute]
        self._by_name = array("I", sorted(named_indices, key=self._names.__getitem__))
        self._sorted_names = array("I", [self._names[index] for index in self._by_name])

    def at_span(self, span: Span) -> list[StatedFact]:
        """The facts that these characters print: a number of a table may be an amount of money or a count."""
        first, end = bisect_left(self._starts, span.start), bisect_right(self._starts, span.start)
        return self._facts([index for index in range(first, end) if self._ends[index] == span.end])

    def facts_named(self, name: FactName) -> list[StatedFact]:
        """The facts with this attribute and period."""
        number = self._cache.names.numbers.get(name)
        if number is None:
            return []
        first = bisect_left(self._sorted_names, number)
        return self._facts(self._by_name[first : bisect_right(self._sorted_names, number, first)])

    def names(self) -> set[FactName]:
        """The attributes with the periods for which the document states them."""
        return {self._cache.names.values[number] for number in set(self._sorted_names)}

    def _facts(self, indices: Sequence[int]) -> list[StatedFact]:
        names, words = self._cache.names.values, self._cache.words.values
        return [
            StatedFact(
                words[self._entities[index]], *names[self._names[index]], self._value(index), words[self._units[index]]
            )
            for index in indices
        ]

    def _value(self, index: int) -> Decimal | None:
        printed = self._values[self._value_ends[index - 1] if index else 0 : self._value_ends[index]]
        return Decimal(printed) if printed else None


class FactReader:
    """Reads the facts of documents; those read first are forgotten first."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._votes = list(all_votes(corpus.folder).values())
        self._cache = _kept_facts(corpus.manifest.fingerprint, tuple(votes_digests(corpus.folder)))

    def read(self, documents: Iterable[DocumentId]) -> dict[DocumentId, StatedFacts]:
        """The facts of these documents."""
        return {id: self._cache.documents.get(id) or self._keep(id, self._read_document(id)) for id in documents}

    def keep(self, sheet: FactSheet) -> None:
        """Keep the facts of a document that is read for another purpose, so that it is not read again."""
        if sheet.id not in self._cache.documents:
            self._keep(sheet.id, self._from_structure(sheet))

    def _keep(self, id: DocumentId, facts: StatedFacts) -> StatedFacts:
        documents = self._cache.documents
        while len(documents) >= KEPT:
            del documents[next(iter(documents))]
        documents[id] = facts
        return facts

    def _read_document(self, id: DocumentId) -> StatedFacts:
        sheet = self._corpus.fact_sheet(id)
        if sheet.has_structure:
            return self._from_structure(sheet)
        document = self._corpus.document(id)
        tables = TableFacts(document)
        facts = _with_spans([*tables.all(), *self._votes_on(id)])
        if document.kind != "article":
            return StatedFacts(tables.year, facts, self._cache)
        # Each number that an article prints is a fact without a name about the article itself.
        title = document.title_text
        facts += [(span, StatedFact(title, "", "", value, "")) for span, value in printed_numbers(document)]
        return StatedFacts(tables.year, facts, self._cache, [title])

    def _from_structure(self, sheet: FactSheet) -> StatedFacts:
        facts = [fact for fact in (*sheet.facts, *self._votes_on(sheet.id)) if not fact.part]
        return StatedFacts(sheet.year, _with_spans(facts), self._cache)

    def _votes_on(self, id: DocumentId) -> list[Fact]:
        return [fact for votes in self._votes for fact in votes.facts_in(id)]


@lru_cache(maxsize=1)
def _kept_facts(corpus: str, votes: tuple[str, ...]) -> _FactCache:
    """The facts of a corpus with these votes that were read so far.

    The builder and the audit of a process share them, and so do contexts with the same documents.
    """
    del corpus, votes
    return _FactCache()


def _with_spans(facts: Iterable[Fact]) -> list[tuple[Span, StatedFact]]:
    return [(fact.span, StatedFact(fact.entity, fact.attribute, fact.period, fact.value, fact.unit)) for fact in facts]
