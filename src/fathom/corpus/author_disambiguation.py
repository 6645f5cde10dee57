"""Who is who in the bylines of a corpus, where that is safe to say.

Two seats in two bylines are one person when their names fit and something besides the name says so: an ORCID, shared
co-authors, an affiliation, one document that cites the other, and for a rare name the subject. A name that nothing else
in the corpus may be a spelling of is a person of its own. Everything else stays None: two people taken for one make a
false answer, one person left uncertain makes a question that is not asked.

People who have the same id are one. Two ids whose names do not fit are two people; where their names fit, nothing is
said about whether the two are one.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations, groupby, islice
from sys import intern
from typing import NamedTuple

from fathom.corpus.affiliations import workplaces
from fathom.corpus.person_names import (
    BORNE,
    FREQUENT,
    Frequency,
    Name,
    doubted_among,
    fit,
    loose,
    name_of,
    one_reading,
    same_full,
    short,
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
    """Such as orcid."""
    group: bool = False
    affiliations: tuple[str, ...] = ()


def signatures(document: Document) -> tuple[Signature, ...]:
    """The byline of a document that has been read; the reader notes an ORCID as the person."""
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


# Seats.


@dataclass(frozen=True, slots=True)
class _Author:
    """All that is told of one who signs; held once for all the seats of which the same is told."""

    name: Name
    orcid: str
    workplaces: frozenset[str]

    @classmethod
    def of(cls, signed: Signature) -> _Author:
        orcid = signed.ids.get("orcid", "").strip().rstrip("/").rpartition("/")[2].upper()
        places = frozenset(place for written in signed.affiliations for place in workplaces(written))
        return cls(name_of(signed.given, signed.family, signed.group), orcid, places)


@dataclass(frozen=True, slots=True, eq=False)
class _Byline:
    document: DocumentId
    authors: tuple[_Author, ...]
    subject: str
    work: str
    cited: tuple[DocumentId, ...]


# Made when it is asked for: of most bylines no name is met again, and a set for each was a tenth of the memory.
@lru_cache(maxsize=1 << 10)
def _company(byline: _Byline) -> frozenset[tuple[str, str]]:
    """The family names and first initials of all who sign."""
    return frozenset(short(author.name) for author in byline.authors)


class Who:
    """Sorts out the authors of a corpus: add every document, then ask. The order of adding changes nothing."""

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
        """Take note of a byline, and of what tells its authors from others of their name."""
        if self._people is not None:
            raise FathomError(f"Article {id} comes too late. Add every article before asking who is who.")
        if id in self._added:
            raise FathomError(f"Two articles have the id {id}. Leave one of them out.")
        # One string for each id and each subject, however often they come.
        id = intern(id)
        seated = tuple(self._known.setdefault(author, author) for author in map(_Author.of, authors))
        cited_ids = tuple(dict.fromkeys(map(intern, cited)))
        self._added[id] = _Byline(id, seated, intern((subject or "").casefold()), work or "", cited_ids)

    def people(self, id: DocumentId) -> tuple[PersonId | None, ...]:
        """Who the authors of a document are; None for whoever is uncertain."""
        if self._people is None:
            # What adding remembers is let go before, and what sorting remembers behind it: together they are much.
            self._known.clear()
            name_of.cache_clear()
            self._people = _Sorting(self._added.values()).people()
            self._added.clear()
            _company.cache_clear()
        if id not in self._people:
            raise FathomError(f"Article {id} was not added. Add every article before asking who is who.")
        return self._people[id]


class _Asked(NamedTuple):
    """What two names leave to be shown."""

    least: float
    """Evidence that is enough."""
    rare: bool
    initial: bool
    """Whether one of them has no first name in full."""
    own: frozenset[tuple[str, str]]
    """Themselves, who are no co-authors of theirs."""


class _Sorting:
    """All seats, sorted into people."""

    def __init__(self, bylines: Iterable[_Byline]) -> None:
        self._bylines = sorted(bylines, key=lambda byline: byline.document)
        self._seats = [author for byline in self._bylines for author in byline.authors]
        self._documents = array("L")
        """For each seat which byline it is in."""
        for number, byline in enumerate(self._bylines):
            self._documents.extend([number] * len(byline.authors))
        self._names = {author.name for author in self._seats}
        self._frequency = Frequency(self._names)
        self._common = self._met_often()
        self._ids: list[PersonId | None] = [None] * len(self._seats)

    def _met_often(self) -> frozenset[tuple[str, str]]:
        """Co-authors, by family name and initial, by whom many may be meant."""
        met = Counter(one for byline in self._bylines for one in {short(author.name) for author in byline.authors})
        return frozenset(one for one, times in met.items() if times * 20 > len(self._bylines) + 60)

    def people(self) -> dict[DocumentId, tuple[PersonId | None, ...]]:
        doubted = self._half_names()
        groups: dict[str, list[int]] = defaultdict(list)
        families: dict[str, list[int]] = defaultdict(list)
        for place, author in enumerate(self._seats):
            (groups if author.name.group else families)[author.name.family].append(place)
        for places in groups.values():
            self._settle_groups(places)
        for places in families.values():
            for initial in self._by_initial(places):
                self._settle(initial, doubted)
        ids = iter(self._ids)
        return {byline.document: tuple(islice(ids, len(byline.authors))) for byline in self._bylines}

    # Bodies that sign as one.

    def _settle_groups(self, places: Sequence[int]) -> None:
        """A body is its name; a short one ("The Consortium") only where it stands once."""
        name = self._seats[places[0]].name
        if len(places) == 1 or len(name.family.split()) >= 3:
            for place in places:
                self._ids[place] = short_id("body", name.family)

    # People of one family name.

    def _by_initial(self, places: Sequence[int]) -> list[list[int]]:
        """Those whose given names begin alike; one without a given name makes all one."""
        if any(not self._seats[place].name.given for place in places):
            return [list(places)]
        initials: dict[str, list[int]] = defaultdict(list)
        for place in places:
            initials[self._seats[place].name.first[0]].append(place)
        return list(initials.values())

    def _settle(self, places: Sequence[int], doubted: frozenset[Name]) -> None:
        names = sorted({self._seats[place].name for place in places}, key=lambda name: name.given)
        fitting = {name: [other for other in names if fit(name, other)] for name in names}
        # Most names stand once.
        for cluster in self._clusters(places, fitting) if len(places) > 1 else [places]:
            self._name(cluster, places, fitting, doubted)

    def _clusters(self, places: Sequence[int], fitting: Mapping[Name, Sequence[Name]]) -> Sequence[Sequence[int]]:
        """The seats of each person, as far as that can be told."""
        sets = _Together(places)
        for one, two in self._surely(places):
            sets.join(one, two)
        if len(places) <= BORNE:
            for cluster in self._consistent(places, self._likely(places, fitting), sets):
                for place in cluster:
                    sets.join(cluster[0], place)
        return sets.all()

    def _surely(self, places: Sequence[int]) -> list[tuple[int, int]]:
        """Pairs with one ORCID, and pairs in two versions of one work that only fit each other."""
        known: dict[str, int] = {}
        pairs = [(known.setdefault(orcid, place), place) for place in places if (orcid := self._seats[place].orcid)]
        works: dict[str, list[int]] = defaultdict(list)
        for place in places:
            if work := self._byline(place).work:
                works[work].append(place)
        for versions in works.values():
            pairs.extend(self._versions(versions[:BORNE]))
        return pairs

    def _versions(self, places: Sequence[int]) -> list[tuple[int, int]]:
        seats, documents = self._seats, self._documents
        pairs = []
        for one, two in combinations(places, 2):
            if self._differ(one, two):
                continue
            rivals = [
                other
                for other in places
                if other not in (one, two)
                and documents[other] in (documents[one], documents[two])
                and (fit(seats[other].name, seats[one].name) or fit(seats[other].name, seats[two].name))
            ]
            if fit(seats[one].name, seats[two].name) and not rivals:
                pairs.append((one, two))
        return pairs

    def _likely(self, places: Sequence[int], fitting: Mapping[Name, Sequence[Name]]) -> list[tuple[int, int]]:
        """Pairs for which enough speaks besides the name."""
        pairs = []
        names = list(fitting)
        numbers = {name: number for number, name in enumerate(names)}
        numbered = [(numbers[self._seats[place].name], place) for place in places]
        # Asked once for each two names, since one may be borne by hundreds.
        asked: dict[tuple[int, int], _Asked | None] = {}
        for (left, one), (right, two) in combinations(numbered, 2):
            if (left, right) not in asked:
                asked[left, right] = self._asked(names[left], names[right], fitting)
            wanted = asked[left, right]
            if wanted is None or self._differ(one, two):
                continue
            if self._evidence(one, two, wanted) >= wanted.least:
                pairs.append((one, two))
        return pairs

    def _asked(self, left: Name, right: Name, fitting: Mapping[Name, Sequence[Name]]) -> _Asked | None:
        """What must speak for it that two of these names are one person; None where nothing could."""
        if not fit(left, right):
            return None
        full = same_full(left, right)
        if not full and not (one_reading(left, fitting) and one_reading(right, fitting)):
            return None
        frequent = self._frequency.is_frequent(left if left.is_full else right)
        return _Asked(
            least=(1.0 if full else 2.0) + frequent,
            rare=full and not frequent,
            initial=not (left.is_full and right.is_full),
            own=frozenset((short(left), short(right))),
        )

    def _byline(self, place: int) -> _Byline:
        return self._bylines[self._documents[place]]

    def _differ(self, one: int, two: int) -> bool:
        """Whether two seats are known to be two people."""
        left, right = self._seats[one].orcid, self._seats[two].orcid
        return self._documents[one] == self._documents[two] or bool(left and right and left != right)

    def _evidence(self, one: int, two: int, asked: _Asked) -> float:
        """What speaks for one person besides the name; an initial counts for nothing without a shared co-author."""
        left, right = self._seats[one], self._seats[two]
        mine, yours = self._byline(one), self._byline(two)
        shared = (_company(mine) & _company(yours)) - asked.own
        if not shared and asked.initial:
            return 0.0
        score = sum(0.5 if self._is_common(other) else 1.0 for other in shared) if shared else 0.0
        if not left.workplaces.isdisjoint(right.workplaces):
            score += 1.0
        if mine.document in yours.cited or yours.document in mine.cited:
            score += 1.0
        if mine.subject and mine.subject == yours.subject:
            score += 0.5 if asked.rare else 0.25
        return score

    def _is_common(self, other: tuple[str, str]) -> bool:
        """Whether many may be meant by a co-author's family name and initial."""
        return other[0] in FREQUENT or other in self._common

    def _consistent(self, places: Sequence[int], pairs: Sequence[tuple[int, int]], sure: _Together) -> list[list[int]]:
        """The clusters that the pairs make, without those that would hold two people."""
        clusters: list[list[int]] = []
        for cluster in _Together.of(places, [*pairs, *sure.pairs()]).all():
            if self._holds_one(cluster):
                clusters.append(cluster)
                continue
            # "Marta Lind" that fits both Marta K. and Marta J. may have brought them together: once more without.
            blurred = {place for place in cluster if self._is_blurred(place, cluster)}
            inside = set(cluster) - blurred
            kept = [pair for pair in (*pairs, *sure.pairs()) if inside.issuperset(pair)]
            clusters.extend(part for part in _Together.of(sorted(inside), kept).all() if self._holds_one(part))
        return clusters

    def _holds_one(self, cluster: Sequence[int]) -> bool:
        seats = [self._seats[place] for place in cluster]
        names = {seat.name for seat in seats}
        return (
            len({self._documents[place] for place in cluster}) == len(seats)
            and len({seat.orcid for seat in seats if seat.orcid}) <= 1
            and all(fit(one, two) for one, two in combinations(names, 2))
        )

    def _is_blurred(self, place: int, cluster: Sequence[int]) -> bool:
        mine = self._seats[place].name
        fitting = {self._seats[other].name for other in cluster if fit(mine, self._seats[other].name)}
        return any(not fit(one, two) for one, two in combinations(fitting, 2))

    # Naming them.

    def _name(
        self,
        cluster: Sequence[int],
        places: Sequence[int],
        fitting: Mapping[Name, Sequence[Name]],
        doubted: frozenset[Name],
    ) -> None:
        orcid = next((self._seats[place].orcid for place in cluster if self._seats[place].orcid), "")
        if len(cluster) == 1 and not orcid:
            (alone,) = cluster
            name = self._seats[alone].name
            alike = set(fitting[name])
            others = (p for p in places if p != alone and self._seats[p].name in alike and not self._differ(alone, p))
            if name in doubted or next(others, None) is not None:
                return
        id = f"{_ORCID}{orcid}" if orcid else self._new_id(min(cluster))
        for place in cluster:
            self._ids[place] = id

    def _new_id(self, place: int) -> PersonId:
        """A person is named by the first seat: whose family, in which document, at which position."""
        number = self._documents[place]
        position = place - bisect_left(self._documents, number) + 1
        return short_id("p", self._seats[place].name.family, self._bylines[number].document, position)

    def _half_names(self) -> frozenset[Name]:
        """Names that may be another name with a part of the family left out: "Ana Ruiz" beside "Ana Ruiz-Soto"."""
        names = sorted((name for name in self._names if not name.group), key=lambda name: (name.family, name.given))
        ends = [(end, name) for name in names for end in set(map(loose, name.ends))]
        ends.sort(key=_end_and_initial)
        doubted: set[Name] = set()
        for _, run in groupby(ends, key=_end_and_initial):
            alike = [name for _, name in run]
            if len({name.family for name in alike}) > 1:
                doubted.update(doubted_among(alike))
        return frozenset(doubted)


def _end_and_initial(pair: tuple[str, Name]) -> tuple[str, str]:
    end, name = pair
    return end, name.first[:1]


class _Together:
    """Places that are put together."""

    def __init__(self, places: Iterable[int]) -> None:
        self._parents = {place: place for place in places}

    @classmethod
    def of(cls, places: Iterable[int], pairs: Iterable[tuple[int, int]]) -> _Together:
        made = cls(places)
        for one, two in pairs:
            made.join(one, two)
        return made

    def _find(self, place: int) -> int:
        while self._parents[place] != place:
            self._parents[place] = self._parents[self._parents[place]]
            place = self._parents[place]
        return place

    def join(self, one: int, two: int) -> None:
        one, two = self._find(one), self._find(two)
        self._parents[max(one, two)] = min(one, two)

    def pairs(self) -> list[tuple[int, int]]:
        """Each place with the first of its cluster."""
        return [(self._find(place), place) for place in self._parents if self._find(place) != place]

    def all(self) -> list[list[int]]:
        """The clusters, each in order, in the order of their first."""
        clusters: dict[int, list[int]] = defaultdict(list)
        for place in sorted(self._parents):
            clusters[self._find(place)].append(place)
        return list(clusters.values())
