"""Links references to the documents of the corpus that they cite, and groups versions of a work.

Two passes: `add` every document, then `find` the links of each. Only the ids, title, year and family names of a
document are kept in memory. An incorrect link costs more than a missing one: a reference that fits two documents
equally well is left unlinked, and counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from sys import intern
from typing import NamedTuple

from fathom.corpus.link_index import MIN_WORDS_IN_TEXT, Index
from fathom.corpus.normalization import (
    author_words,
    has_author,
    letter_ratio,
    normal_family,
    normal_ids,
    normal_title,
    similarity,
    word_count,
)
from fathom.corpus.works import IndexedDocument, is_preprint
from fathom.records.documents import Document, DocumentId, Reference
from fathom.records.errors import FathomError


@dataclass(frozen=True, slots=True)
class ReferenceData:
    """A reference as given in the reference list."""

    title: str = ""
    ids: Mapping[str, str] = field(default_factory=dict)
    year: int | None = None
    authors: tuple[str, ...] = ()
    """Names in any form."""
    text: str = ""
    """The whole entry, if known; it is searched for ids, and for a title if none is given."""


class ReferenceQuery(NamedTuple):
    """A reference in the form in which it is searched; prepared by the workers that read documents."""

    title: str
    ids: tuple[str, ...]
    year: int | None
    names: str
    """Words of the author names; see `author_words`."""
    words: str
    """Words of the whole entry; empty if the reference has a title."""

    @classmethod
    def of(cls, reference: ReferenceData) -> ReferenceQuery:
        title = normal_title(reference.title)
        return cls(
            title=title,
            ids=tuple(normal_ids(reference.ids, reference.text)),
            year=reference.year,
            names=author_words(reference.authors),
            words="" if title else normal_title(reference.text),
        )


@dataclass(frozen=True, slots=True)
class LinkableDocument:
    """The data of a document that linking needs."""

    id: DocumentId
    title: str
    ids: Mapping[str, str] = field(default_factory=dict)
    work: str | None = None
    year: int | None = None
    families: tuple[str, ...] = ()
    venue: str = ""
    references: tuple[ReferenceData, ...] = ()
    """Not needed when the document is added."""


class ReferenceMatch(NamedTuple):
    """The result of linking one reference."""

    document: DocumentId | None
    method: str
    """An id scheme, "title", "text" or "fuzzy"; without a document one of `UNLINKED`."""


UNLINKED = ("unmatched", "self-citation", "ambiguous", "contradicted")
"""In order: no document fits; it cites its own work; several works fit; only its id fits, not its title and authors."""


def linkable(document: Document) -> LinkableDocument:
    """The data of a document that linking needs."""
    return LinkableDocument(
        id=document.id,
        title=document.title_text,
        ids=document.ids,
        work=document.work,
        year=document.year or (document.published.year if document.published else None),
        # A byline that may be misread is not evidence against a link.
        families=() if "authors" in document.unknown else tuple(author.family for author in document.authors),
        venue=document.venue or "",
        references=tuple(_reference_data(reference, document.text) for reference in document.references),
    )


def _reference_data(reference: Reference, text: str) -> ReferenceData:
    return ReferenceData(
        title=reference.title.of(text) if reference.title is not None else "",
        ids=reference.ids,
        year=reference.year,
        authors=tuple(span.of(text) for span in reference.authors),
        text=reference.span.of(text),
    )


SHORT = 4
"""Unrelated works may share a title of fewer words ("Membrane fusion"), so it needs a matching year or author."""


class Linker:
    """Links the references of a corpus. The order in which documents are added changes nothing."""

    def __init__(self) -> None:
        self._documents: list[IndexedDocument] = []
        self._index: Index | None = None
        self._counts: Counter[str] = Counter()

    def __len__(self) -> int:
        """How many documents were added."""
        return len(self._documents)

    def add(self, entry: LinkableDocument) -> None:
        """Add a document; its references are ignored."""
        if self._index is not None:
            raise FathomError(f"Document '{entry.id}' is added too late. Add every document before linking the first.")
        ids = normal_ids(entry.ids)
        # Families are few, and shared by many documents.
        families = dict.fromkeys(map(intern, filter(None, map(normal_family, entry.families))))
        self._documents.append(
            IndexedDocument(
                id=entry.id,
                title=normal_title(entry.title),
                ids=tuple(ids),
                work=entry.work,
                year=entry.year,
                families=tuple(families),
                preprint=is_preprint(ids, entry.venue),
            )
        )

    def link(self, entry: LinkableDocument) -> tuple[ReferenceMatch, ...]:
        """For each reference of a document that was added: the document it cites, and the linking method."""
        matches = self.find(entry.id, map(ReferenceQuery.of, entry.references))
        self.count(match.method for match in matches)
        return matches

    def find(self, citing: DocumentId, references: Iterable[ReferenceQuery]) -> tuple[ReferenceMatch, ...]:
        """As `link`, for prepared references and without counting, for worker processes."""
        index = self.index
        own = index.position(citing)
        return tuple(self._match(index, own, reference) for reference in references)

    def count(self, methods: Iterable[str]) -> None:
        """Count the methods by which references were linked."""
        self._counts.update(methods)

    def work(self, id: DocumentId) -> str | None:
        """The name of the document's work: its own, or one that all versions share; None for a single document."""
        index = self.index
        return index.works.get(index.documents[index.position(id)].group)

    @property
    def versions(self) -> int:
        """How many documents share their work with another document."""
        works = Counter(work for work in (self.work(document.id) for document in self._documents) if work is not None)
        return sum(count for count in works.values() if count > 1)

    def report(self) -> dict[str, int]:
        """How many references were linked by each method, or left unlinked for each reason."""
        return dict(sorted(self._counts.items()))

    @property
    def index(self) -> Index:
        """The index; no document can be added once it is built."""
        if self._index is None:
            self._index = Index(self._documents)
        return self._index

    def _match(self, index: Index, own: int, reference: ReferenceQuery) -> ReferenceMatch:
        result = _Search(index, reference).run()
        if result.place is None:
            return ReferenceMatch(None, result.method)
        document = index.documents[result.place]
        if document.group == index.documents[own].group:
            return ReferenceMatch(None, "self-citation")
        # Where a work has several versions, links go to the published one.
        return ReferenceMatch(index.documents[document.best].id, result.method)


# Searching.


class _Result(NamedTuple):
    place: int | None
    method: str


_UNMATCHED = _Result(None, "unmatched")
_AMBIGUOUS = _Result(None, "ambiguous")


class _Search:
    def __init__(self, index: Index, reference: ReferenceQuery) -> None:
        self._index = index
        self._reference = reference
        self._title = reference.title

    def run(self) -> _Result:
        result = self._by_id()
        if result.method == "contradicted":
            # A list may print the DOI of the entry before: then the title shows which work is cited.
            other = self._by_words()
            return other if other.place is not None else result
        return self._by_words() if result.method == "unmatched" else result

    def _by_words(self) -> _Result:
        if not self._title:
            return self._in_text() if self._reference.words else _UNMATCHED
        result = self._by_title()
        return self._by_similarity() if result.method == "unmatched" else result

    # The methods, most reliable first.

    def _by_id(self) -> _Result:
        reference, index = self._reference, self._index
        fits: dict[str, int] = {}
        for id in reference.ids:
            for position in index.with_id(id):
                fits.setdefault(id, position)
        if not fits:
            return self._by_base_id()
        groups = {index.documents[position].group for position in fits.values()}
        if len(groups) > 1:
            # An entry with the DOI of one document and the PMID of another: the title decides, or it stays ambiguous.
            exact = [id for id, position in fits.items() if index.documents[position].title == self._title]
            return _Result(fits[exact[0]], exact[0].partition(":")[0]) if self._title and exact else _AMBIGUOUS
        for id, position in fits.items():
            contradicted = self._contradicts(index.documents[position])
            return _Result(None, "contradicted") if contradicted else _Result(position, id.partition(":")[0])
        return _UNMATCHED

    def _by_base_id(self) -> _Result:
        """For the DOI of a version, a figure or a supplement: the only work that it belongs to."""
        dois = [id for id in self._reference.ids if id.startswith("doi:")]
        positions = [position for id in dois for position in self._index.with_base_id(id)]
        if len({self._index.documents[position].group for position in positions}) != 1:
            return _UNMATCHED
        document = self._index.documents[positions[0]]
        # An editor's letter about an article has a DOI of the article's components, but is a work of its own.
        if self._author(document) is False:
            return _UNMATCHED
        return _Result(None, "contradicted") if self._contradicts(document) else _Result(positions[0], "doi")

    def _by_title(self) -> _Result:
        positions = self._index.with_title(self._title)
        return self._best_of(
            [position for position in positions if self._may_be(self._index.documents[position])], "title"
        )

    def _in_text(self) -> _Result:
        """For an entry without a recognized title: a title that occurs in it word by word, with author and year."""
        words = self._reference.words.split()
        fits: list[int] = []
        longest = 0
        for start in range(len(words) - MIN_WORDS_IN_TEXT + 1):
            for position in self._index.with_opening(" ".join(words[start : start + MIN_WORDS_IN_TEXT])):
                document = self._index.documents[position]
                length = document.title.count(" ") + 1
                if length < longest or words[start : start + length] != document.title.split():
                    continue
                leading_words = author_words([" ".join(words[:start])])
                if has_author(document.families, leading_words) and self._year_matches(document, words):
                    fits = [*fits, position] if length == longest else [position]
                    longest = length
        return self._best_of(fits, "text")

    def _by_similarity(self) -> _Result:
        may_support = self._index.families_by_year.may_support
        if word_count(self._title) < SHORT or not may_support(self._reference.names, self._reference.year):
            return _UNMATCHED
        scored: list[tuple[float, int]] = []
        for position in self._index.similar(self._title):
            document = self._index.documents[position]
            if (
                self._is_supported(document)
                and (score := similarity(self._title, document.title, self._index.vocabulary)) > 0
            ):
                scored.append((score, position))
        best = max((score for score, _ in scored), default=0)
        return self._best_of([position for score, position in scored if score == best], "fuzzy")

    # Evidence for and against.

    def _years_apart(self, document: IndexedDocument) -> int | None:
        year = self._reference.year
        return abs(year - document.year) if year is not None and document.year is not None else None

    def _author(self, document: IndexedDocument) -> bool | None:
        """Whether an author is shared; None if that is unknown."""
        names = self._reference.names
        return has_author(document.families, names) if document.families and names else None

    def _contradicts(self, document: IndexedDocument) -> bool:
        """Whether title and authors belong to another work than the DOI: a few reference lists have incorrect DOIs."""
        if not self._title:
            return False
        ratio, author = letter_ratio(self._title, document.title), self._author(document)
        if author is None:
            # The title may be translated or abbreviated, but not if it is that of another document.
            return ratio < 60 and bool(self._index.with_title(self._title))
        return author is False and ratio < 50

    def _may_be(self, document: IndexedDocument) -> bool:
        """Whether a document with the same title may be the cited work."""
        years_apart, author = self._years_apart(document), self._author(document)
        near = years_apart is not None and years_apart <= 1
        if word_count(self._title) < SHORT:
            return (near or bool(author)) and author is not False
        if author is False:
            # Lists misspell names ("Mehlman, T. (Skaist)" for Skaist Mehlman), but unrelated works share short titles.
            long_enough = (near and word_count(self._title) >= 6) or (
                years_apart is None and word_count(self._title) >= 8
            )
            return long_enough and not self._is_another_of_its_publisher(document)
        return bool(author) or years_apart is None or years_apart <= 3

    def _is_another_of_its_publisher(self, document: IndexedDocument) -> bool:
        """Whether the publisher of a document gave the reference another DOI.

        An editor's decision letter has the title of the article it is about, but another DOI and another author.
        """
        return bool(_publishers(document.ids) & _publishers(self._reference.ids))

    def _is_supported(self, document: IndexedDocument) -> bool:
        """Whether a document with a similar title may be the cited work: author or year must match."""
        years_apart, author = self._years_apart(document), self._author(document)
        if author is False or (years_apart is not None and years_apart > 2):
            return False
        return bool(author) or (years_apart is not None and years_apart <= 1)

    def _year_matches(self, document: IndexedDocument, words: Sequence[str]) -> bool:
        if self._reference.year is not None:
            years_apart = self._years_apart(document)
            return years_apart is not None and years_apart <= 1
        return document.year is not None and any(str(document.year + step) in words for step in (-1, 0, 1))

    def _best_of(self, positions: Sequence[int], method: str) -> _Result:
        """The only work among these, or the one whose author and year fit best; ambiguous if several remain."""
        document = self._index.documents
        if not positions:
            return _UNMATCHED
        narrower: tuple[Callable[[IndexedDocument], bool], ...] = (
            lambda candidate: bool(self._author(candidate)),
            lambda candidate: (self._years_apart(candidate) or 0) <= 1,
            lambda candidate: self._years_apart(candidate) == 0,
        )
        for fits in narrower:
            if len({document[position].group for position in positions}) == 1:
                break
            positions = [position for position in positions if fits(document[position])] or positions
        groups = {document[position].group for position in positions}
        return _Result(positions[0], method) if len(groups) == 1 else _AMBIGUOUS


def _publishers(ids: Iterable[str]) -> set[str]:
    """The DOI prefixes among normal ids: one prefix is one publisher."""
    return {id.partition("/")[0] for id in ids if id.startswith("doi:")}
