"""Which documents are versions of one work: a preprint, the document it became, its second edition."""

from __future__ import annotations

import re
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, pairwise

from fathom.corpus.title_similarity import ratio
from fathom.records.documents import DocumentId
from fathom.records.record import short_id


@dataclass(slots=True)
class Kept:
    id: DocumentId
    title: str
    """Normal."""
    ids: tuple[str, ...]
    work: str | None
    year: int | None
    families: tuple[str, ...]
    preprint: bool
    group: int = 0
    """The place of the first of its work."""
    best: int = 0
    """The place of the version that links go to."""


_PREPRINT_DOI = re.compile(
    r"doi:10\.(?:1101|48550|21203|20944|31234|31219|31235|26434|2139|5281|36227|22541|26226|32942)/"
)
_PREPRINT_VENUE = re.compile(r"rxiv|preprint|ssrn|research square", re.IGNORECASE)
_DOI_VERSION = re.compile(r"(?:[./]v|\.|v)(\d{1,2})$")


def is_preprint(ids: Sequence[str], venue: str) -> bool:
    dois = [id for id in ids if id.startswith("doi:")]
    if any(_PREPRINT_DOI.match(doi) for doi in dois) or _PREPRINT_VENUE.search(venue):
        return True
    return not dois and not venue and any(id.startswith("arxiv:") for id in ids)


class _Sets:
    """Sets that are joined; a set is known by its smallest member."""

    def __init__(self, size: int) -> None:
        self._parents = array("L", range(size))

    def find(self, member: int) -> int:
        parents = self._parents
        while parents[member] != member:
            parents[member] = parents[parents[member]]
            member = parents[member]
        return member

    def join(self, one: int, two: int) -> None:
        one, two = self.find(one), self.find(two)
        self._parents[max(one, two)] = min(one, two)


def sort_into_works(
    kept: Sequence[Kept], same_id: Iterable[Sequence[int]], same_title: Iterable[Sequence[int]]
) -> dict[int, str]:
    """Tell each document its group and its best version; returns the names of the works that have one."""
    sets = _Sets(len(kept))
    by_work: dict[str, list[int]] = defaultdict(list)
    for place, document in enumerate(kept):
        if document.work:
            by_work[document.work].append(place)
    for places in chain(by_work.values(), same_id):
        for one, two in pairwise(places):
            sets.join(one, two)
    for one, two in _same_titles(kept, same_title):
        sets.join(one, two)
    for earlier, later in _versions(kept):
        sets.join(earlier, later)
    groups: dict[int, list[int]] = defaultdict(list)
    for place, document in enumerate(kept):
        document.group = sets.find(place)
        groups[document.group].append(place)
    names: dict[int, str] = {}
    for group, members in groups.items():
        best = min(members, key=lambda place: (kept[place].preprint, -_version(kept[place]), kept[place].id))
        for place in members:
            kept[place].best = best
        named = min((kept[place].work or "" for place in members if kept[place].work), default="")
        if named or len(members) > 1:
            names[group] = named or short_id("w", *(kept[place].id for place in members))
    return names


def _same_titles(kept: Sequence[Kept], same_title: Iterable[Sequence[int]]) -> Iterator[tuple[int, int]]:
    """Documents with one title, two families in common and at most two years between them."""
    for places in same_title:
        teams: dict[tuple[str, str], list[int]] = defaultdict(list)
        for place in places:
            # The first of a long byline are the same in every version; all pairs of a hundred would be too many.
            for team in combinations(sorted(kept[place].families[:8]), 2):
                teams[team].append(place)
        for team_places in teams.values():
            yield from _within_two_years(kept, team_places)


def _within_two_years(kept: Sequence[Kept], places: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Counted from the first of each, so that a yearly report under one title does not become one work."""
    dated = sorted((kept[place].year or 0, place) for place in places if kept[place].year is not None)
    firsts: list[tuple[int, int]] = []
    for year, place in dated:
        if firsts and year - firsts[-1][0] <= 2:
            yield firsts[-1][1], place
        else:
            firsts.append((year, place))
    undated = [place for place in places if kept[place].year is None]
    if len(firsts) == 1:
        undated.append(firsts[0][1])
    if len(firsts) <= 1:
        yield from pairwise(undated)


_MOST_VERSIONS = 40


def _versions(kept: Sequence[Kept]) -> Iterator[tuple[int, int]]:
    """Documents whose DOIs differ by a version at their end, such as ".2", and that are alike otherwise too.

    Their titles may have changed between them. The earlier versions are noted as preprints.
    """
    stems: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for place, document in enumerate(kept):
        for doi in (id for id in document.ids if id.startswith("doi:")):
            ending = _DOI_VERSION.search(doi)
            stems[doi].append((0, place))
            if ending:
                stems[doi[: ending.start()]].append((int(ending[1]), place))
    for found in stems.values():
        if 1 < len(found) <= _MOST_VERSIONS:
            for (first, one), (second, two) in combinations(sorted(found), 2):
                if first != second and _is_version(kept[one], kept[two]):
                    # A DOI without a number stands for the version of record.
                    kept[two].preprint = kept[two].preprint or first == 0
                    yield one, two


def _is_version(one: Kept, two: Kept) -> bool:
    shared = set(one.families) & set(two.families)
    enough = 2 * len(shared) >= min(len(one.families), len(two.families)) > 0
    return enough and ratio(one.title, two.title) >= 60


def _version(kept: Kept) -> int:
    endings = (_DOI_VERSION.search(id) for id in kept.ids if id.startswith("doi:"))
    return max((int(ending[1]) for ending in endings if ending), default=0)
