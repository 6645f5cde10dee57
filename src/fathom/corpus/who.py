"""Who is who in the bylines of a corpus, where that is safe to say.

Two seats in two bylines are one person when their names fit and something besides the name says so: an ORCID, shared
co-authors, an affiliation, one article that cites the other, and for a rare name the subject. A name that nothing else
in the corpus may be a spelling of is a person of its own. Everything else stays None: two people taken for one make a
false answer, one person left uncertain makes a question that is not asked.

People who have the same id are one. Two ids whose names do not fit are two people; where their names fit, nothing is
said about whether the two are one.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations
from sys import intern

from fathom.corpus.workplaces import workplaces
from fathom.records.articles import Article, ArticleId, PersonId
from fathom.records.errors import FathomError
from fathom.records.names import PARTICLES, given_words, givens_fit, without_accents, words_of
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


def signatures(article: Article) -> tuple[Signature, ...]:
    """The byline of an article that has been read; the reader notes an ORCID as the person."""
    return tuple(
        Signature(
            author.given,
            author.family,
            {"orcid": author.person.removeprefix(_ORCID)} if author.person and author.person.startswith(_ORCID) else {},
            author.group,
            author.affiliations,
        )
        for author in article.authors
    )


# Names.


@dataclass(frozen=True, slots=True)
class _Name:
    """A name as it is compared."""

    family: str
    """Letters alone: "van der Walt" and "Vanderwalt" are one."""
    given: tuple[str, ...]
    """Words and initials, letters alone."""
    ends: tuple[str, ...]
    """The first and the last word of the family, for names of which a part is left out in places."""
    group: bool = False

    @property
    def is_full(self) -> bool:
        return bool(self.given) and (len(self.given[0]) > 1 or not self.given[0].isascii())

    @property
    def first(self) -> str:
        return self.given[0] if self.given else ""


@lru_cache(maxsize=1 << 16)
def _name(given: str, family: str, group: bool) -> _Name:
    if group:
        words = tuple(re.findall(r"[^\W_]+", without_accents(f"{given} {family}").casefold()))
        return _Name(" ".join(words), (), (), True)
    words = tuple(word.casefold() for word in words_of(family))
    core = [word for word in words if word not in PARTICLES] or list(words) or [""]
    return _Name(
        "".join(words), given_words(given, shouted=family.isupper()), tuple(dict.fromkeys((core[0], core[-1])))
    )


def _fit(one: _Name, two: _Name) -> bool:
    """Whether two names of one family may be spellings of one name."""
    return one.given == two.given or givens_fit(one.given, two.given)


def _same_full(one: _Name, two: _Name) -> bool:
    """Whether both print the same first name in full, and nothing else contradicts it."""
    if not (one.is_full and two.is_full and _fit(one, two)):
        return False
    return one.first == two.first or "".join(one.given) == "".join(two.given)


# How often a name can be expected.

_FREQUENT_NAMES = (
    "wang li zhang liu chen yang huang zhao wu zhou xu sun ma zhu hu guo he lin gao luo zheng liang xie tang han cao "
    "deng feng xiao cheng zeng peng pan yuan dong yu su lu jiang cai ding wei yan ye shi kim lee park choi jung kang "
    "cho yoon jang lim nguyen tran le pham singh kumar sharma gupta patel khan ahmed ali hussain sato suzuki tanaka "
    "watanabe smith johnson jones brown miller garcia silva santos"
)
_FREQUENT = frozenset(_FREQUENT_NAMES.split())
"""Family names that millions bear: the same full name is no surprise, in however small a corpus."""
_EXPECTED = 0.05
"""Bearers of a name by chance, beyond the one who is there, from which a name counts as frequent."""
_BORNE = 400
"""Seats: a name that is borne more often is not sorted out, whatever speaks for it but an ORCID."""


class _Frequency:
    """How many people would have a name if given and family names met by chance."""

    def __init__(self, names: Iterable[_Name]) -> None:
        full = {(name.family, name.first) for name in names if name.is_full}
        self._families = Counter(family for family, _ in full)
        self._firsts = Counter(first for _, first in full)
        self._size = max(1, len(full))

    def is_frequent(self, name: _Name) -> bool:
        if name.family in _FREQUENT or not name.family.isascii():
            return True
        others = (self._families[name.family] - 1) * (self._firsts[name.first] - 1)
        return others / self._size > _EXPECTED


# Seats.


@dataclass(slots=True)
class _Seat:
    article: ArticleId
    position: int
    name: _Name
    orcid: str
    workplaces: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Byline:
    seats: range
    company: frozenset[tuple[str, str]]
    """The family names and first initials of all who sign."""
    subject: str
    work: str
    cited: frozenset[ArticleId]


class Who:
    """Sorts out the authors of a corpus: add every article, then ask. The order of adding changes nothing."""

    def __init__(self) -> None:
        self._added: dict[ArticleId, tuple[tuple[Signature, ...], str, str, frozenset[ArticleId]]] = {}
        self._people: dict[ArticleId, tuple[PersonId | None, ...]] | None = None

    def add(
        self,
        id: ArticleId,
        authors: Sequence[Signature],
        subject: str | None = None,
        work: str | None = None,
        cited: Iterable[ArticleId] = (),
    ) -> None:
        """Take note of a byline, and of what tells its authors from others of their name."""
        if self._people is not None:
            raise FathomError(f"Article {id} comes too late. Add every article before asking who is who.")
        if id in self._added:
            raise FathomError(f"Two articles have the id {id}. Leave one of them out.")
        # One string for each id and each subject, however often they come.
        cited_ids = frozenset(map(intern, cited))
        self._added[intern(id)] = (tuple(authors), intern((subject or "").casefold()), work or "", cited_ids)

    def people(self, id: ArticleId) -> tuple[PersonId | None, ...]:
        """Who the authors of an article are; None for whoever is uncertain."""
        if self._people is None:
            self._people = _Sorting(self._added).people()
        if id not in self._people:
            raise FathomError(f"Article {id} was not added. Add every article before asking who is who.")
        return self._people[id]


class _Sorting:
    """All seats, sorted into people."""

    def __init__(self, added: dict[ArticleId, tuple[tuple[Signature, ...], str, str, frozenset[ArticleId]]]) -> None:
        """Takes what was added out of `added`, one byline after the other, so that no two copies are held."""
        self._seats: list[_Seat] = []
        self._bylines: dict[ArticleId, _Byline] = {}
        known: dict[tuple[str, str], tuple[str, str]] = {}  # so that one who signs often is held once
        for id in sorted(added):
            authors, subject, work, cited = added.pop(id)
            first = len(self._seats)
            self._seats.extend(_seat(id, position, author) for position, author in enumerate(authors, start=1))
            places = range(first, len(self._seats))
            shorts = (_short(self._seats[place].name) for place in places)
            company = frozenset(known.setdefault(short, short) for short in shorts)
            self._bylines[id] = _Byline(places, company, subject, work, cited)
        self._frequency = _Frequency({seat.name for seat in self._seats})
        self._met = Counter(one for byline in self._bylines.values() for one in byline.company)
        self._ids: list[PersonId | None] = [None] * len(self._seats)

    def people(self) -> dict[ArticleId, tuple[PersonId | None, ...]]:
        families: dict[tuple[bool, str], list[int]] = defaultdict(list)
        for place, seat in enumerate(self._seats):
            families[seat.name.group, seat.name.family].append(place)
        doubted = self._half_names()
        for (group, _), places in families.items():
            if group:
                self._settle_groups(places)
            else:
                for initial in self._by_initial(places):
                    self._settle(initial, doubted)
        return {id: tuple(self._ids[place] for place in byline.seats) for id, byline in self._bylines.items()}

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

    def _settle(self, places: Sequence[int], doubted: frozenset[_Name]) -> None:
        names = sorted({self._seats[place].name for place in places}, key=lambda name: name.given)
        fitting = {name: [other for other in names if _fit(name, other)] for name in names}
        sets = _Together(places)
        for one, two in self._surely(places):
            sets.join(one, two)
        if len(places) <= _BORNE:
            for cluster in self._consistent(places, self._likely(places, fitting), sets):
                for place in cluster:
                    sets.join(cluster[0], place)
        for cluster in sets.all():
            self._name(cluster, places, fitting, doubted)

    def _surely(self, places: Sequence[int]) -> list[tuple[int, int]]:
        """Pairs with one ORCID, and pairs in two versions of one work that only fit each other."""
        known: dict[str, int] = {}
        pairs = [(known.setdefault(orcid, place), place) for place in places if (orcid := self._seats[place].orcid)]
        works: dict[str, list[int]] = defaultdict(list)
        for place in places:
            if work := self._bylines[self._seats[place].article].work:
                works[work].append(place)
        for versions in works.values():
            pairs.extend(self._versions(versions[:_BORNE]))
        return pairs

    def _versions(self, places: Sequence[int]) -> list[tuple[int, int]]:
        seats = self._seats
        pairs = []
        for one, two in combinations(places, 2):
            if seats[one].article == seats[two].article or self._differ(one, two):
                continue
            rivals = [
                other
                for other in places
                if other not in (one, two)
                and seats[other].article in (seats[one].article, seats[two].article)
                and (_fit(seats[other].name, seats[one].name) or _fit(seats[other].name, seats[two].name))
            ]
            if _fit(seats[one].name, seats[two].name) and not rivals:
                pairs.append((one, two))
        return pairs

    def _likely(self, places: Sequence[int], fitting: Mapping[_Name, Sequence[_Name]]) -> list[tuple[int, int]]:
        """Pairs for which enough speaks besides the name."""
        pairs = []
        for one, two in combinations(places, 2):
            left, right = self._seats[one].name, self._seats[two].name
            if self._differ(one, two) or not _fit(left, right):
                continue
            if _same_full(left, right):
                wanted = 1.0
            elif _one_reading(left, fitting) and _one_reading(right, fitting):
                wanted = 2.0
            else:
                continue
            frequent = self._frequency.is_frequent(left if left.is_full else right)
            if self._evidence(one, two, rare=not frequent and wanted == 1.0) >= wanted + frequent:
                pairs.append((one, two))
        return pairs

    def _differ(self, one: int, two: int) -> bool:
        """Whether two seats are known to be two people."""
        left, right = self._seats[one], self._seats[two]
        return left.article == right.article or bool(left.orcid and right.orcid and left.orcid != right.orcid)

    def _evidence(self, one: int, two: int, rare: bool) -> float:
        """What speaks for one person besides the name; an initial counts for nothing without a shared co-author."""
        left, right = self._seats[one], self._seats[two]
        mine, yours = self._bylines[left.article], self._bylines[right.article]
        shared = (mine.company & yours.company) - {_short(left.name), _short(right.name)}
        company = sum(0.5 if self._is_common(other) else 1.0 for other in shared)
        if not shared and not (left.name.is_full and right.name.is_full):
            return 0.0
        score = company
        if not left.workplaces.isdisjoint(right.workplaces):
            score += 1.0
        if left.article in yours.cited or right.article in mine.cited:
            score += 1.0
        if mine.subject and mine.subject == yours.subject:
            score += 0.5 if rare else 0.25
        return score

    def _is_common(self, short: tuple[str, str]) -> bool:
        """Whether many may be meant by a co-author's family name and initial."""
        return short[0] in _FREQUENT or self._met[short] * 20 > len(self._bylines) + 60

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
            len({seat.article for seat in seats}) == len(seats)
            and len({seat.orcid for seat in seats if seat.orcid}) <= 1
            and all(_fit(one, two) for one, two in combinations(names, 2))
        )

    def _is_blurred(self, place: int, cluster: Sequence[int]) -> bool:
        mine = self._seats[place].name
        fitting = {self._seats[other].name for other in cluster if _fit(mine, self._seats[other].name)}
        return any(not _fit(one, two) for one, two in combinations(fitting, 2))

    # Naming them.

    def _name(
        self,
        cluster: Sequence[int],
        places: Sequence[int],
        fitting: Mapping[_Name, Sequence[_Name]],
        doubted: frozenset[_Name],
    ) -> None:
        orcid = next((self._seats[place].orcid for place in cluster if self._seats[place].orcid), "")
        if len(cluster) == 1 and not orcid:
            (alone,) = cluster
            name = self._seats[alone].name
            alike = set(fitting[name])
            others = (p for p in places if p != alone and self._seats[p].name in alike and not self._differ(alone, p))
            if name in doubted or next(others, None) is not None:
                return
        first = self._seats[min(cluster)]
        id = f"{_ORCID}{orcid}" if orcid else short_id("p", first.name.family, first.article, first.position)
        for place in cluster:
            self._ids[place] = id

    def _half_names(self) -> frozenset[_Name]:
        """Names that may be another name with a part of the family left out: "Ana Ruiz" beside "Ana Ruiz-Soto"."""
        ends: dict[tuple[str, str], list[_Name]] = defaultdict(list)
        names = {seat.name for seat in self._seats if not seat.name.group}
        for name in sorted(names, key=lambda name: (name.family, name.given)):
            for end in set(map(_loose, name.ends)):
                ends[end, name.first[:1]].append(name)
        doubted: set[_Name] = set()
        for alike in ends.values():
            if len({name.family for name in alike}) > 1:
                doubted.update(_doubted_among(alike))
        return frozenset(doubted)


def _doubted_among(names: Iterable[_Name]) -> set[_Name]:
    """Those that fit a name of another family; half a family name and half a given name are too little to doubt on."""
    firsts: dict[str, list[_Name]] = defaultdict(list)
    for name in names:
        firsts[name.first].append(name)
    doubted: set[_Name] = set()
    for alike in firsts.values():
        for one, two in combinations(alike[:_BORNE], 2):
            halves = len(one.ends) != len(two.ends) or _loose(one.family) == _loose(two.family)
            if one.family != two.family and halves and _fit(one, two):
                doubted.update((one, two))
    return doubted


def _loose(family: str) -> str:
    """ "Mueller" is "Müller" without its accent as well."""
    return family.replace("ae", "a").replace("oe", "o").replace("ue", "u")


def _seat(id: ArticleId, position: int, author: Signature) -> _Seat:
    orcid = author.ids.get("orcid", "").strip().rstrip("/").rpartition("/")[2].upper()
    places = frozenset(place for written in author.affiliations for place in workplaces(written))
    return _Seat(id, position, _name(author.given, author.family, author.group), orcid, places)


def _short(name: _Name) -> tuple[str, str]:
    return name.family, name.first[:1]


def _one_reading(name: _Name, fitting: Mapping[_Name, Sequence[_Name]]) -> bool:
    """Whether all that fits a name fits itself too: "M. Lind" has two readings beside Marta and Mona."""
    return all(_fit(one, two) for one, two in combinations(fitting[name], 2))


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
