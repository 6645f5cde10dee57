"""Groups documents into works: a preprint, the published article and its second edition are one work."""

from __future__ import annotations

import re
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, pairwise

from fathom.corpus.disjoint_sets import DisjointSets
from fathom.corpus.normalization import letter_ratio
from fathom.records.documents import DocumentId
from fathom.records.record import short_id


@dataclass(slots=True)
class IndexedDocument:
    """A document in the link index."""

    id: DocumentId
    title: str
    """In normal form."""
    ids: tuple[str, ...]
    """In normal form, with their schemes."""
    work: str | None
    """As given by the source; None if unknown."""
    year: int | None
    families: tuple[str, ...]
    """The family names of its authors in normal form."""
    preprint: bool
    group: int = 0
    """The position of the first document of its work."""
    best: int = 0
    """The position of the version that links point to."""


_PREPRINT_DOI = re.compile(
    r"doi:10\.(?:1101|48550|21203|20944|31234|31219|31235|26434|2139|5281|36227|22541|26226|32942)/"
)
"""DOI prefixes of preprint servers, such as bioRxiv (1101), arXiv (48550) and Research Square (21203)."""
_PREPRINT_VENUE = re.compile(r"rxiv|preprint|ssrn|research square", re.IGNORECASE)
_DOI_VERSION = re.compile(r"(?:[./]v|\.|v)(\d{1,2})$")


def is_preprint(ids: Sequence[str], venue: str) -> bool:
    """Whether the normal ids or the venue are those of a preprint server."""
    dois = [id for id in ids if id.startswith("doi:")]
    if any(_PREPRINT_DOI.match(doi) for doi in dois) or _PREPRINT_VENUE.search(venue):
        return True
    return not dois and not venue and any(id.startswith("arxiv:") for id in ids)


def group_into_works(
    documents: Sequence[IndexedDocument], same_id: Iterable[Sequence[int]], same_title: Iterable[Sequence[int]]
) -> dict[int, str]:
    """Set `group` and `best` of each document; returns names by group, for works with a given name or two versions."""
    # An array: a dict of a million documents would take a hundred megabytes.
    sets = DisjointSets(array("L", range(len(documents))), range(len(documents)))
    by_work: dict[str, list[int]] = defaultdict(list)
    for position, document in enumerate(documents):
        if document.work:
            by_work[document.work].append(position)
    for positions in chain(by_work.values(), same_id):
        for first, second in pairwise(positions):
            sets.join(first, second)
    for first, second in _same_titles(documents, same_title):
        sets.join(first, second)
    for earlier, later in _versions(documents):
        sets.join(earlier, later)
    groups: dict[int, list[int]] = defaultdict(list)
    for position, document in enumerate(documents):
        document.group = sets.find(position)
        groups[document.group].append(position)
    names: dict[int, str] = {}
    for group, members in groups.items():
        best = min(
            members,
            key=lambda position: (documents[position].preprint, -_version(documents[position]), documents[position].id),
        )
        for position in members:
            documents[position].best = best
        given_name = min(
            (documents[position].work or "" for position in members if documents[position].work), default=""
        )
        if given_name or len(members) > 1:
            names[group] = given_name or short_id("w", *(documents[position].id for position in members))
    return names


def _same_titles(
    documents: Sequence[IndexedDocument], same_title: Iterable[Sequence[int]]
) -> Iterator[tuple[int, int]]:
    """Pairs of documents with the same title, two family names in common and at most two years between them."""
    for positions in same_title:
        pairs: dict[tuple[str, str], list[int]] = defaultdict(list)
        for position in positions:
            # The first authors of a byline are the same in every version; all pairs of a hundred would be too many.
            for pair in combinations(sorted(documents[position].families[:8]), 2):
                pairs[pair].append(position)
        for shared in pairs.values():
            yield from _within_two_years(documents, shared)


def _within_two_years(documents: Sequence[IndexedDocument], positions: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Pairs at most two years apart, so that yearly reports with the same title are not one work."""
    dated = sorted(
        (documents[position].year or 0, position) for position in positions if documents[position].year is not None
    )
    firsts: list[tuple[int, int]] = []
    for year, position in dated:
        if firsts and year - firsts[-1][0] <= 2:
            yield firsts[-1][1], position
        else:
            firsts.append((year, position))
    undated = [position for position in positions if documents[position].year is None]
    if len(firsts) == 1:
        undated.append(firsts[0][1])
    if len(firsts) <= 1:
        yield from pairwise(undated)


_MAX_VERSIONS = 40
"""More DOIs with the same stem are numbered parts of a series, not versions."""


def _versions(documents: Sequence[IndexedDocument]) -> Iterator[tuple[int, int]]:
    """Pairs of similar documents whose DOIs differ by a version at the end, such as ".2".

    The title may have changed. The earlier versions are marked as preprints.
    """
    stems: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for position, document in enumerate(documents):
        for doi in (id for id in document.ids if id.startswith("doi:")):
            ending = _DOI_VERSION.search(doi)
            stems[doi].append((0, position))
            if ending:
                stems[doi[: ending.start()]].append((int(ending[1]), position))
    for versions in stems.values():
        if 1 < len(versions) <= _MAX_VERSIONS:
            for (first, earlier), (second, later) in combinations(sorted(versions), 2):
                if first != second and _is_version(documents[earlier], documents[later]):
                    # A DOI without a number is the version of record.
                    documents[later].preprint = documents[later].preprint or first == 0
                    yield earlier, later


def _is_version(left: IndexedDocument, right: IndexedDocument) -> bool:
    shared = set(left.families) & set(right.families)
    enough = 2 * len(shared) >= min(len(left.families), len(right.families)) > 0
    return enough and letter_ratio(left.title, right.title) >= 60


def _version(document: IndexedDocument) -> int:
    """The version number at the end of its DOI; 0 if there is none."""
    endings = (_DOI_VERSION.search(id) for id in document.ids if id.startswith("doi:"))
    return max((int(ending[1]) for ending in endings if ending), default=0)
