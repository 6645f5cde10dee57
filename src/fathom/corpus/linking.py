"""Which document of the corpus a reference names, and which documents are versions of one work.

Two passes: `add` every document, then `link` each. Only ids, the title, the year and the family names of a document are
kept, so a corpus may be far larger than the memory. A wrong link costs more than a missing one: whatever two documents
fit equally well is left alone, and counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from sys import intern
from typing import Literal, NamedTuple

from fathom.corpus.link_index import IN_TEXT, Index
from fathom.corpus.normal_forms import closed_up, normal_family, normal_ids, normal_title, shares_author, weight
from fathom.corpus.title_similarity import likeness, ratio
from fathom.corpus.works import Kept, is_preprint
from fathom.records.documents import Document, DocumentId, Reference
from fathom.records.errors import FathomError

Policy = Literal["published", "named"]
"""Where a work is here in several versions: a link goes to the published one, or to the one whose id is named."""


@dataclass(frozen=True, slots=True)
class Named:
    """A reference as its list gives it."""

    title: str = ""
    ids: Mapping[str, str] = field(default_factory=dict)
    year: int | None = None
    authors: tuple[str, ...] = ()
    """Names in whatever form."""
    text: str = ""
    """The whole entry, where it is known: ids are found in it, and titles where none is given."""


class Sought(NamedTuple):
    """A reference in the form in which it is looked for; made by the readers, of which there are many."""

    title: str
    ids: tuple[str, ...]
    year: int | None
    names: str
    """Of its authors, closed up."""
    words: str
    """Of the whole entry, where it tells no title."""

    @classmethod
    def of(cls, reference: Named) -> Sought:
        title = normal_title(reference.title)
        return cls(
            title=title,
            ids=tuple(normal_ids(reference.ids, reference.text)),
            year=reference.year,
            names=closed_up(reference.authors),
            words="" if title else normal_title(reference.text),
        )


@dataclass(frozen=True, slots=True)
class Entry:
    """What linking needs of one document."""

    id: DocumentId
    title: str
    ids: Mapping[str, str] = field(default_factory=dict)
    work: str | None = None
    year: int | None = None
    families: tuple[str, ...] = ()
    venue: str = ""
    references: tuple[Named, ...] = ()
    """Not needed, and not kept, when the document is added."""


class Match(NamedTuple):
    """What became of one reference."""

    document: DocumentId | None
    way: str
    """A scheme of ids, "title", "text" or "fuzzy"; for None one of `UNLINKED`."""


UNLINKED = ("nothing", "own", "ambiguous", "contradicted")
"""Nothing fits; it names the citing work itself; several works fit; its id fits, and nothing else does."""


def entry_of(document: Document) -> Entry:
    """The entry of a document that has been read."""
    return Entry(
        id=document.id,
        title=document.title_text,
        ids=document.ids,
        work=document.work,
        year=document.year or (document.published.year if document.published else None),
        families=tuple(author.family for author in document.authors),
        venue=document.venue or "",
        references=tuple(_named(reference, document.text) for reference in document.references),
    )


def _named(reference: Reference, text: str) -> Named:
    return Named(
        title=reference.title.of(text) if reference.title is not None else "",
        ids=reference.ids,
        year=reference.year,
        authors=tuple(span.of(text) for span in reference.authors),
        text=reference.span.of(text),
    )


SHORT = 4
"""Words: a title of fewer is shared by strangers ("Membrane fusion"), and needs a year or an author besides."""


class Linker:
    """Links the references of a corpus. The order in which documents are added changes nothing."""

    def __init__(self, policy: Policy = "published") -> None:
        self._policy = policy
        self._kept: list[Kept] = []
        self._index: Index | None = None
        self._counts: Counter[str] = Counter()

    def __len__(self) -> int:
        """How many documents were added."""
        return len(self._kept)

    def add(self, entry: Entry) -> None:
        """Take note of a document; its references are not looked at."""
        if self._index is not None:
            raise FathomError(f"Article {entry.id} comes too late. Add every article before the first is linked.")
        ids = normal_ids(entry.ids)
        # Families are few, and shared by many documents.
        families = dict.fromkeys(map(intern, filter(None, map(normal_family, entry.families))))
        self._kept.append(
            Kept(
                id=entry.id,
                title=normal_title(entry.title),
                ids=tuple(ids),
                work=entry.work,
                year=entry.year,
                families=tuple(families),
                preprint=is_preprint(ids, entry.venue),
            )
        )

    def link(self, entry: Entry) -> tuple[Match, ...]:
        """For each reference of a document that was added: the document it names, and how that was told."""
        matches = self.find(entry.id, map(Sought.of, entry.references))
        self.count(match.way for match in matches)
        return matches

    def find(self, citing: DocumentId, references: Iterable[Sought]) -> tuple[Match, ...]:
        """The same for references that somebody else has prepared, and uncounted: other processes find too."""
        index = self.index
        own = index.place(citing)
        return tuple(self._match(index, own, reference) for reference in references)

    def count(self, ways: Iterable[str]) -> None:
        """Take note of the ways in which references were told."""
        self._counts.update(ways)

    def work(self, id: DocumentId) -> str | None:
        """The name of the document's work: its own, or one that all versions here share; None for a lone document."""
        index = self.index
        return index.works.get(index.kept[index.place(id)].group)

    @property
    def versions(self) -> int:
        """How many documents are versions of a work that another document is a version of too."""
        works = Counter(work for work in (self.work(kept.id) for kept in self._kept) if work is not None)
        return sum(count for count in works.values() if count > 1)

    def report(self) -> dict[str, int]:
        """How many references were told in which way, and how many were left for which reason."""
        return dict(sorted(self._counts.items()))

    @property
    def index(self) -> Index:
        """What is looked up; no document can be added once it is there."""
        if self._index is None:
            self._index = Index(self._kept)
        return self._index

    def _match(self, index: Index, own: int, reference: Sought) -> Match:
        found = _Search(index, reference).run()
        if found.place is None:
            return Match(None, found.way)
        kept = index.kept[found.place]
        if kept.group == index.kept[own].group:
            return Match(None, "own")
        exact = self._policy == "named" and found.way not in ("title", "text", "fuzzy")
        return Match(kept.id if exact else index.kept[kept.best].id, found.way)


# Finding.


class _Found(NamedTuple):
    place: int | None
    way: str


_NOTHING = _Found(None, "nothing")
_AMBIGUOUS = _Found(None, "ambiguous")


class _Search:
    """The search for one reference."""

    def __init__(self, index: Index, reference: Sought) -> None:
        self._index = index
        self._reference = reference
        self._title = reference.title

    def run(self) -> _Found:
        found = self._by_id()
        if found.way != "nothing" or not (self._title or self._reference.words):
            return found
        if not self._title:
            return self._in_text()
        found = self._by_title()
        return self._by_likeness() if found.way == "nothing" else found

    # The ways.

    def _by_id(self) -> _Found:
        reference, index = self._reference, self._index
        fits: dict[str, int] = {}
        for id in reference.ids:
            for place in index.with_id(id):
                fits.setdefault(id, place)
        groups = {index.kept[place].group for place in fits.values()}
        if len(groups) > 1:
            # A list whose entry has the DOI of one document and the PMID of another: the title decides, or nobody.
            exact = [id for id, place in fits.items() if index.kept[place].title == self._title]
            return _Found(fits[exact[0]], exact[0].partition(":")[0]) if self._title and exact else _AMBIGUOUS
        for id, place in fits.items():
            wrong = self._contradicts(index.kept[place])
            return _Found(None, "contradicted") if wrong else _Found(place, id.partition(":")[0])
        return _NOTHING

    def _by_title(self) -> _Found:
        places = self._index.with_title(self._title)
        return self._only([place for place in places if self._may_be(self._index.kept[place])], "title")

    def _in_text(self) -> _Found:
        """Where no title was told apart, one that stands word by word in the entry, with its author and its year."""
        words = self._reference.words.split()
        fits: list[int] = []
        longest = 0
        for start in range(len(words) - IN_TEXT + 1):
            for place in self._index.with_opening(" ".join(words[start : start + IN_TEXT])):
                kept = self._index.kept[place]
                length = kept.title.count(" ") + 1
                if length < longest or words[start : start + length] != kept.title.split():
                    continue
                before = closed_up([" ".join(words[:start])])
                if shares_author(kept.families, before) and self._year_stands(kept, words):
                    fits = [*fits, place] if length == longest else [place]
                    longest = length
        return self._only(fits, "text")

    def _by_likeness(self) -> _Found:
        if weight(self._title) < SHORT or not self._may_be_supported():
            return _NOTHING
        scored: list[tuple[float, int]] = []
        for place in self._index.alike(self._title):
            kept = self._index.kept[place]
            if self._is_supported(kept) and (score := likeness(self._title, kept.title, self._index.vocabulary)) > 0:
                scored.append((score, place))
        best = max((score for score, _ in scored), default=0)
        return self._only([place for score, place in scored if score == best], "fuzzy")

    # What speaks for and against.

    def _years_apart(self, kept: Kept) -> int | None:
        year = self._reference.year
        return abs(year - kept.year) if year is not None and kept.year is not None else None

    def _author(self, kept: Kept) -> bool | None:
        """Whether an author is shared; None where that is unknown."""
        return shares_author(kept.families, self._reference.names) if kept.families and self._reference.names else None

    def _contradicts(self, kept: Kept) -> bool:
        """Whether title, authors and year are all of another work: lists hold wrong DOIs, but rarely."""
        apart = self._years_apart(kept)
        if not self._title or self._author(kept) is not False or apart is None or apart <= 1:
            return False
        return ratio(self._title, kept.title) < 50

    def _may_be(self, kept: Kept) -> bool:
        """Whether the same title may mean the same work."""
        apart, author = self._years_apart(kept), self._author(kept)
        near = apart is not None and apart <= 1
        if weight(self._title) < SHORT:
            return (near or bool(author)) and author is not False
        if author is False:
            # Lists misspell names ("Mehlman, T. (Skaist)" for Skaist Mehlman), but strangers choose one short title.
            long_enough = (near and weight(self._title) >= 6) or (apart is None and weight(self._title) >= 8)
            return long_enough and not self._is_another_of_its_publisher(kept)
        return bool(author) or apart is None or apart <= 3

    def _is_another_of_its_publisher(self, kept: Kept) -> bool:
        """Whether the publisher of a document gave the reference a DOI of its own.

        An editor's decision letter is listed with the title of the document it is about: its DOI and its author differ.
        """
        return bool(_publishers(kept.ids) & _publishers(self._reference.ids))

    def _is_supported(self, kept: Kept) -> bool:
        """Whether a title that is merely alike may mean the same work."""
        apart, author = self._years_apart(kept), self._author(kept)
        if author is False or (apart is not None and apart > 2):
            return False
        return bool(author) or (apart is not None and apart <= 1)

    def _may_be_supported(self) -> bool:
        """Whether that can be so of any document at all."""
        return self._index.company.may_support(self._reference.names, self._reference.year)

    def _year_stands(self, kept: Kept, words: Sequence[str]) -> bool:
        if self._reference.year is not None:
            apart = self._years_apart(kept)
            return apart is not None and apart <= 1
        return kept.year is not None and any(str(kept.year + step) in words for step in (-1, 0, 1))

    def _only(self, places: Sequence[int], way: str) -> _Found:
        """The one work among several that fits best; ambiguous where there is no one."""
        kept = self._index.kept
        if not places:
            return _NOTHING
        for narrower in (self._by_author, self._by_near_year, self._by_same_year):
            if len({kept[place].group for place in places}) == 1:
                break
            places = [place for place in places if narrower(kept[place])] or places
        groups = {kept[place].group for place in places}
        return _Found(places[0], way) if len(groups) == 1 else _AMBIGUOUS

    def _by_author(self, kept: Kept) -> bool:
        return bool(self._author(kept))

    def _by_near_year(self, kept: Kept) -> bool:
        return (self._years_apart(kept) or 0) <= 1

    def _by_same_year(self, kept: Kept) -> bool:
        return self._years_apart(kept) == 0


def _publishers(ids: Iterable[str]) -> set[str]:
    """What stands before the stroke of the DOIs among normal ids: one prefix is one publisher."""
    return {id.partition("/")[0] for id in ids if id.startswith("doi:")}
