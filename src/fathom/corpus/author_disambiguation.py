"""Author disambiguation: decides which names in the bylines of a corpus are the same person, where that is certain.

Two authors in two bylines are one person when their names are compatible and there is other evidence: an ORCID, shared
co-authors, an affiliation, one document that cites the other, and for a rare name the subject. A name that no other
name in the corpus may be a spelling of is a person of its own. Everything else stays None: two people merged into one
make an incorrect answer key, while an uncertain person only means one question less.

Authors with the same id are one person. Two ids with incompatible names are two people; two ids with compatible names
may still be one person.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations, groupby, islice, product
from sys import intern
from typing import NamedTuple

from fathom.corpus.disjoint_sets import DisjointSets
from fathom.corpus.person_names import (
    FREQUENT_FAMILIES,
    MAX_OCCURRENCES,
    MAX_RIVALS,
    Name,
    NameFrequency,
    NameIndex,
    ambiguous_among,
    compatible,
    initial_form,
    institutions,
    is_unambiguous,
    name_of,
    same_full_name,
    without_umlauts,
)
from fathom.records.documents import Document, DocumentId, PersonId
from fathom.records.errors import FathomError
from fathom.records.record import short_id

_ORCID = "orcid:"


@dataclass(frozen=True, slots=True)
class Signature:
    """One name in a byline."""

    given: str
    family: str
    ids: Mapping[str, str] = field(default_factory=dict)
    """By scheme, such as "orcid"."""
    group: bool = False
    affiliations: tuple[str, ...] = ()


def signatures(document: Document) -> tuple[Signature, ...]:
    """The byline of a document; readers store an ORCID as the person."""
    return tuple(
        Signature(
            author.given,
            author.family,
            {"orcid": author.person.removeprefix(_ORCID)} if author.person and author.person.startswith(_ORCID) else {},
            author.group,
            author.affiliations,
        )
        for author in document.authors
    )


# Authors.


@dataclass(frozen=True, slots=True)
class _Author:
    """The name, ORCID and institutions of one author; equal authors of all bylines share one object."""

    name: Name
    orcid: str
    institutions: frozenset[str]

    @classmethod
    def of(cls, signed: Signature) -> _Author:
        orcid = signed.ids.get("orcid", "").strip().rstrip("/").rpartition("/")[2].upper()
        names = frozenset(name for affiliation in signed.affiliations for name in institutions(affiliation))
        return cls(name_of(signed.given, signed.family, signed.group), orcid, names)


@dataclass(frozen=True, slots=True, eq=False)
class _Byline:
    document: DocumentId
    authors: tuple[_Author, ...]
    subject: str
    work: str
    cited: tuple[DocumentId, ...]


# Computed on demand: most bylines share no name with another, and a set for each took a tenth of the memory.
@lru_cache(maxsize=1 << 10)
def _co_authors(byline: _Byline) -> frozenset[tuple[str, str]]:
    """The family names and first initials of all authors of a byline."""
    return frozenset(initial_form(author.name) for author in byline.authors)


class AuthorDisambiguator:
    """Disambiguates the authors of a corpus: `add` every document, then call `people`. The order does not matter."""

    def __init__(self) -> None:
        self._added: dict[DocumentId, _Byline] = {}
        self._known: dict[_Author, _Author] = {}
        self._people: dict[DocumentId, tuple[PersonId | None, ...]] | None = None

    def add(
        self,
        id: DocumentId,
        authors: Iterable[Signature],
        subject: str | None = None,
        work: str | None = None,
        cited: Iterable[DocumentId] = (),
    ) -> None:
        """Add a byline, with the data that distinguishes its authors from others of the same name."""
        if self._people is not None:
            raise FathomError(f"Document '{id}' is added too late. Add every document before asking for people.")
        if id in self._added:
            raise FathomError(f"Two documents have the id '{id}'. Leave out one of them.")
        # One string for each id and each subject.
        id = intern(id)
        interned = tuple(self._known.setdefault(author, author) for author in map(_Author.of, authors))
        cited_ids = tuple(dict.fromkeys(map(intern, cited)))
        self._added[id] = _Byline(id, interned, intern((subject or "").casefold()), work or "", cited_ids)

    def people(self, id: DocumentId) -> tuple[PersonId | None, ...]:
        """The persons of a document's authors; None if uncertain."""
        if self._people is None:
            # Caches are cleared before and after: together they would take much memory.
            self._known.clear()
            name_of.cache_clear()
            self._people = _AuthorClusters(self._added.values()).people()
            self._added.clear()
            _co_authors.cache_clear()
        if id not in self._people:
            raise FathomError(f"Document '{id}' was not added. Add every document before asking for people.")
        return self._people[id]


class _EvidenceRule(NamedTuple):
    """The evidence needed to decide that two names are one person."""

    min_score: float
    rare: bool
    """Whether both have the same full name, and it is not frequent."""
    initial: bool
    """Whether one of them has no full first name."""
    own: frozenset[tuple[str, str]]
    """Their own initial forms, which do not count as co-authors."""


class _Rivals:
    """The names of one family that may be spellings of each other, with up to two bylines in which each occurs."""

    def __init__(self, index: NameIndex, documents: Mapping[Name, tuple[int, ...]]) -> None:
        self._index = index
        self._documents = documents
        self._known: dict[Name, tuple[int, ...] | None] = {}

    def may_exist(self, name: Name, document: int) -> bool:
        """Whether a compatible name may occur in another byline; also where too many names would be compared."""
        if name not in self._known:
            self._known[name] = self._bylines(name)
        documents = self._known[name]
        return documents is None or any(other_document != document for other_document in documents)

    def _bylines(self, name: Name) -> tuple[int, ...] | None:
        """Up to two bylines with a compatible name; None if that is unknown."""
        bylines: dict[int, None] = {}
        for number, other in enumerate(self._index.candidates(name)):
            if number >= MAX_RIVALS and len(self._documents) > MAX_OCCURRENCES:
                return None
            if compatible(name, other):
                bylines.update(dict.fromkeys(self._documents[other]))
                if len(bylines) > 1:
                    break
        return tuple(bylines)


class _AuthorClusters:
    """All authors, clustered into people."""

    def __init__(self, bylines: Iterable[_Byline]) -> None:
        self._bylines = sorted(bylines, key=lambda byline: byline.document)
        self._authors = [author for byline in self._bylines for author in byline.authors]
        self._documents = array("L")
        """For each author the number of the byline."""
        for number, byline in enumerate(self._bylines):
            self._documents.extend([number] * len(byline.authors))
        self._names = {author.name for author in self._authors}
        self._frequency = NameFrequency(self._names)
        self._common = self._frequent_co_authors()
        self._ids: list[PersonId | None] = [None] * len(self._authors)

    def _frequent_co_authors(self) -> frozenset[tuple[str, str]]:
        """Co-authors, by family name and initial, in over 3 + 5% of the bylines: probably many people."""
        counts = Counter(
            name for byline in self._bylines for name in {initial_form(author.name) for author in byline.authors}
        )
        return frozenset(name for name, count in counts.items() if count * 20 > len(self._bylines) + 60)

    def people(self) -> dict[DocumentId, tuple[PersonId | None, ...]]:
        ambiguous = self._partial_names()
        groups: dict[str, list[int]] = defaultdict(list)
        families: dict[str, list[int]] = defaultdict(list)
        for position, author in enumerate(self._authors):
            (groups if author.name.group else families)[author.name.family].append(position)
        for positions in groups.values():
            self._assign_groups(positions)
        for positions in families.values():
            for initial in self._by_initial(positions):
                self._assign(initial, ambiguous)
        ids = iter(self._ids)
        return {byline.document: tuple(islice(ids, len(byline.authors))) for byline in self._bylines}

    # Groups that sign as one author.

    def _assign_groups(self, positions: Sequence[int]) -> None:
        """A group is identified by its name; a short one ("The Consortium") only where it occurs once."""
        name = self._authors[positions[0]].name
        if len(positions) == 1 or len(name.family.split()) >= 3:
            for position in positions:
                self._ids[position] = short_id("body", name.family)

    # People with the same family name.

    def _by_initial(self, positions: Sequence[int]) -> list[list[int]]:
        """Authors by first initial; one without a given name puts all into one list."""
        if any(not self._authors[position].name.given for position in positions):
            return [list(positions)]
        initials: dict[str, list[int]] = defaultdict(list)
        for position in positions:
            initials[self._authors[position].name.first[0]].append(position)
        return list(initials.values())

    def _assign(self, positions: Sequence[int], ambiguous: frozenset[Name]) -> None:
        names: dict[Name, list[int]] = defaultdict(list)
        for position in positions:
            names[self._authors[position].name].append(position)
        index = NameIndex(names)
        rivals = _Rivals(index, {name: self._two_documents(where) for name, where in names.items()})
        # Most names occur once.
        for cluster in self._clusters(positions, names, index) if len(positions) > 1 else [positions]:
            self._name(cluster, rivals, ambiguous)

    def _two_documents(self, positions: Iterable[int]) -> tuple[int, ...]:
        """Up to two of the bylines that some authors belong to."""
        return tuple(islice(dict.fromkeys(self._documents[position] for position in positions), 2))

    def _clusters(
        self, positions: Sequence[int], names: Mapping[Name, Sequence[int]], index: NameIndex
    ) -> Sequence[Sequence[int]]:
        """The positions of each person; an author who matches no other is a cluster of one."""
        sets = DisjointSets.of(positions)
        for left, right in self._certain_pairs(positions):
            sets.join(left, right)
        if len(positions) <= MAX_OCCURRENCES:
            for cluster in self._consistent(positions, self._likely_pairs(names, index), sets):
                for position in cluster:
                    sets.join(cluster[0], position)
        return sets.all()

    def _certain_pairs(self, positions: Sequence[int]) -> list[tuple[int, int]]:
        """Pairs with the same ORCID, and pairs in two versions of a work that are compatible only with each other."""
        first_positions: dict[str, int] = {}
        pairs = [
            (first_positions.setdefault(orcid, position), position)
            for position in positions
            if (orcid := self._authors[position].orcid)
        ]
        works: dict[str, list[int]] = defaultdict(list)
        for position in positions:
            if work := self._byline(position).work:
                works[work].append(position)
        for versions in works.values():
            pairs.extend(self._version_pairs(versions[:MAX_OCCURRENCES]))
        return pairs

    def _version_pairs(self, positions: Sequence[int]) -> list[tuple[int, int]]:
        authors, documents = self._authors, self._documents
        pairs = []
        for first, second in combinations(positions, 2):
            if self._differ(first, second) or not compatible(authors[first].name, authors[second].name):
                continue
            rivals = [
                other
                for other in positions
                if other not in (first, second)
                and documents[other] in (documents[first], documents[second])
                and (
                    compatible(authors[other].name, authors[first].name)
                    or compatible(authors[other].name, authors[second].name)
                )
            ]
            if not rivals:
                pairs.append((first, second))
        return pairs

    def _likely_pairs(self, names: Mapping[Name, Sequence[int]], index: NameIndex) -> list[tuple[int, int]]:
        """Pairs with enough evidence other than the name."""
        pairs = []
        compatible_names = {name: index.compatible_with(name) for name in index}
        numbers = {name: number for number, name in enumerate(index)}
        unambiguous = {name: is_unambiguous(name, compatible_names) for name in index}
        for left in index:
            for right in compatible_names[left]:
                if numbers[right] < numbers[left]:
                    continue
                evidence_needed = self._evidence_needed(left, right, unambiguous)
                if evidence_needed is None:
                    continue
                candidate_pairs = combinations(names[left], 2) if left is right else product(names[left], names[right])
                pairs += [pair for pair in candidate_pairs if self._is_likely(*pair, evidence_needed)]
        return pairs

    def _is_likely(self, first: int, second: int, needed: _EvidenceRule) -> bool:
        return not self._differ(first, second) and self._evidence(first, second, needed) >= needed.min_score

    def _evidence_needed(self, left: Name, right: Name, unambiguous: Mapping[Name, bool]) -> _EvidenceRule | None:
        """The evidence needed to decide that two compatible names are one person; None if none suffices."""
        full = same_full_name(left, right)
        if not full and not (unambiguous[left] and unambiguous[right]):
            return None
        frequent = self._frequency.is_frequent(left if left.is_full else right)
        return _EvidenceRule(
            min_score=(1.0 if full else 2.0) + frequent,
            rare=full and not frequent,
            initial=not (left.is_full and right.is_full),
            own=frozenset((initial_form(left), initial_form(right))),
        )

    def _byline(self, position: int) -> _Byline:
        return self._bylines[self._documents[position]]

    def _differ(self, first: int, second: int) -> bool:
        """Whether two authors are certainly two people."""
        left, right = self._authors[first].orcid, self._authors[second].orcid
        return self._documents[first] == self._documents[second] or bool(left and right and left != right)

    def _evidence(self, first: int, second: int, needed: _EvidenceRule) -> float:
        """The score of the evidence other than the name; zero for an initial without a shared co-author."""
        left, right = self._authors[first], self._authors[second]
        left_byline, right_byline = self._byline(first), self._byline(second)
        shared = (_co_authors(left_byline) & _co_authors(right_byline)) - needed.own
        if not shared and needed.initial:
            return 0.0
        score = sum(0.5 if self._is_common(other) else 1.0 for other in shared) if shared else 0.0
        if not left.institutions.isdisjoint(right.institutions):
            score += 1.0
        if left_byline.document in right_byline.cited or right_byline.document in left_byline.cited:
            score += 1.0
        if left_byline.subject and left_byline.subject == right_byline.subject:
            score += 0.5 if needed.rare else 0.25
        return score

    def _is_common(self, other: tuple[str, str]) -> bool:
        """Whether many people may share a co-author's family name and initial."""
        return other[0] in FREQUENT_FAMILIES or other in self._common

    def _consistent(
        self, positions: Sequence[int], pairs: Sequence[tuple[int, int]], sure: DisjointSets
    ) -> list[list[int]]:
        """The clusters of these pairs, without those that would contain two people."""
        clusters: list[list[int]] = []
        for cluster in DisjointSets.of(positions, [*pairs, *sure.pairs()]).all():
            if self._is_one_person(cluster):
                clusters.append(cluster)
                continue
            # "Marta Lind", compatible with both Marta K. and Marta J., may have joined them: try again without it.
            bridges = {position for position in cluster if self._is_bridge(position, cluster)}
            members = set(cluster) - bridges
            remaining_pairs = [pair for pair in (*pairs, *sure.pairs()) if members.issuperset(pair)]
            clusters.extend(
                part for part in DisjointSets.of(sorted(members), remaining_pairs).all() if self._is_one_person(part)
            )
        return clusters

    def _is_one_person(self, cluster: Sequence[int]) -> bool:
        authors = [self._authors[position] for position in cluster]
        names = {author.name for author in authors}
        return (
            len({self._documents[position] for position in cluster}) == len(authors)
            and len({author.orcid for author in authors if author.orcid}) <= 1
            and all(compatible(left, right) for left, right in combinations(names, 2))
        )

    def _is_bridge(self, position: int, cluster: Sequence[int]) -> bool:
        own_name = self._authors[position].name
        compatible_names = {
            self._authors[other].name for other in cluster if compatible(own_name, self._authors[other].name)
        }
        return any(not compatible(left, right) for left, right in combinations(compatible_names, 2))

    # Person ids.

    def _name(self, cluster: Sequence[int], rivals: _Rivals, ambiguous: frozenset[Name]) -> None:
        orcid = next((self._authors[position].orcid for position in cluster if self._authors[position].orcid), "")
        if len(cluster) == 1 and not orcid:
            (alone,) = cluster
            name = self._authors[alone].name
            if name in ambiguous or rivals.may_exist(name, self._documents[alone]):
                return
        id = f"{_ORCID}{orcid}" if orcid else self._new_id(min(cluster))
        for position in cluster:
            self._ids[position] = id

    def _new_id(self, position: int) -> PersonId:
        """An id from the first occurrence: family name, document, position in the byline."""
        number = self._documents[position]
        in_byline = position - bisect_left(self._documents, number) + 1
        return short_id("p", self._authors[position].name.family, self._bylines[number].document, in_byline)

    def _partial_names(self) -> frozenset[Name]:
        """Names that may be another name with part of the family name missing: "Ana Ruiz" and "Ana Ruiz-Soto"."""
        names = sorted((name for name in self._names if not name.group), key=lambda name: (name.family, name.given))
        ends = [(end, name) for name in names for end in set(map(without_umlauts, name.ends))]
        ends.sort(key=_end_and_initial)
        ambiguous: set[Name] = set()
        for _, run in groupby(ends, key=_end_and_initial):
            same_end = [name for _, name in run]
            if len({name.family for name in same_end}) > 1:
                ambiguous.update(ambiguous_among(same_end))
        return frozenset(ambiguous)


def _end_and_initial(pair: tuple[str, Name]) -> tuple[str, str]:
    end, name = pair
    return end, name.first[:1]
