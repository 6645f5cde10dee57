"""What references are looked up in: documents by id, by title, by the beginning and by pieces of their titles.

Held in sorted arrays of numbers, so that a document takes little memory.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import nsmallest
from itertools import groupby, pairwise
from zlib import crc32

from fathom.corpus.works import Kept, sort_into_works
from fathom.records.documents import DocumentId
from fathom.records.errors import FathomError

_STEP = 8
"""Letters in one piece of a title. Titles that share no two pieces are not compared."""
_EVERY = 3
"""One piece in so many is kept, always the same ones: a third of the memory, and three typos still leave pieces."""
_COMMON = 48
"""A piece that more titles hold ("ofthehum") tells nothing."""
_COMPARED = 12
"""Titles at most that one reference is compared with."""


def _pieces(title: str) -> Iterator[int]:
    """Fingerprints of some of the pieces of a title; which ones depends on the piece alone."""
    letters = title.replace(" ", "").encode("utf-8", "surrogatepass")
    for start in range(len(letters) - _STEP + 1):
        mark = crc32(letters[start : start + _STEP])
        if mark % _EVERY == 0:
            yield mark


class Index:
    """What is looked up; built once, when all documents are there."""

    def __init__(self, kept: list[Kept]) -> None:
        self.kept = sorted(kept, key=lambda one: one.id)
        for one, two in pairwise(self.kept):
            if one.id == two.id:
                raise FathomError(f"Two articles have the id {one.id}. Leave one of them out.")
        self._ids = _Places(self.kept, _ids)
        self._titles = _Places(self.kept, _closed_title)
        self._openings = _Places(self.kept, _opening)
        self._pieces = _in_order(
            piece << 32 | place for place, one in enumerate(self.kept) for piece in set(_pieces(one.title))
        )
        self.vocabulary = frozenset(word for one in self.kept for word in one.title.split())
        self.company = _Company(self.kept)
        self.works = sort_into_works(self.kept, self._ids.shared(), self._titles.shared())

    def with_id(self, id: str) -> list[int]:
        """The documents that have an id."""
        return self._ids.of(id)

    def with_title(self, title: str) -> list[int]:
        """The documents that have a title, however it is parted into words."""
        return self._titles.of(title.replace(" ", ""))

    def with_opening(self, words: str) -> list[int]:
        """The documents whose titles begin with these words."""
        return self._openings.of(words)

    def place(self, id: DocumentId) -> int:
        place = bisect_left(self.kept, id, key=lambda one: one.id)
        if place == len(self.kept) or self.kept[place].id != id:
            raise FathomError(f"Article {id} was not added. Add every article before the first is linked.")
        return place

    def alike(self, title: str) -> list[int]:
        """The documents whose titles share the most pieces with this one, the likeliest first."""
        index, size = self._pieces, len(self._pieces)
        places: list[int] = []
        for piece in set(_pieces(title)):
            start, high = bisect_left(index, piece << 32), piece + 1 << 32
            if start < size and index[start] < high:
                beyond = start + _COMMON
                if beyond >= size or index[beyond] >= high:
                    places.extend(index[start : bisect_left(index, high, start, min(beyond, size))])
        shared = Counter([entry & 0xFFFFFFFF for entry in places])
        likely = [(-times, place) for place, times in shared.items() if times > 1 or len(title) < 40]
        return [place for _, place in nsmallest(_COMPARED, likely)]


class _Places:
    """Where each key stands, in eight bytes: a dictionary of strings was most of what a document took in memory."""

    def __init__(self, kept: Sequence[Kept], keys: Callable[[Kept], Iterable[str]]) -> None:
        self._kept = kept
        self._keys = keys
        self._entries = _in_order(_mark(key) << 32 | place for place, one in enumerate(kept) for key in keys(one))

    def of(self, key: str) -> list[int]:
        """The places that have the key."""
        entries, mark = self._entries, _mark(key)
        found: list[int] = []
        for number in range(bisect_left(entries, mark << 32), len(entries)):
            if entries[number] >> 32 != mark:
                break
            place = entries[number] & 0xFFFFFFFF
            if key in self._keys(self._kept[place]):
                found.append(place)
        return found

    def shared(self) -> Iterator[list[int]]:
        """The places that have a key in common, a list for each such key."""
        for _, run in groupby(self._entries, key=lambda entry: entry >> 32):
            places = [entry & 0xFFFFFFFF for entry in run]
            if len(places) > 1:
                by_key: dict[str, list[int]] = defaultdict(list)
                for place in places:
                    for key in self._keys(self._kept[place]):
                        by_key[key].append(place)
                yield from (alike for alike in by_key.values() if len(alike) > 1)


def _mark(key: str) -> int:
    return crc32(key.encode("utf-8", "surrogatepass"))


class _Company:
    """Which families signed in which years: tells at once of most references that no document here can be meant.

    The years of a family are bits of one small number, so two that are sixty years apart are taken for one. That only
    makes a search which finds nothing.
    """

    def __init__(self, kept: Iterable[Kept]) -> None:
        self._years: dict[str, int] = {}
        self._unsigned = self._all = 0
        for one in kept:
            years = _years(one.year, 0)
            self._all |= years
            self._unsigned |= 0 if one.families else years
            for family in one.families:
                self._years[family] = self._years.get(family, 0) | years

    def may_support(self, names: str, year: int | None) -> bool:
        """Whether a document shares an author with these names, or is of that year where authors are unknown."""
        near = _years(year, 1) if year is not None else 0
        if not names:
            return bool(self._all & near)
        if self._unsigned & near:
            return True
        about = _years(year, 2)
        return any(self._years.get(name, 0) & about for name in names.split())


_ROUND = 60
_ANY_YEAR = (1 << _ROUND) - 1


def _years(year: int | None, around: int) -> int:
    """A year, and as many around it, as bits; all of them where it is unknown."""
    if year is None:
        return _ANY_YEAR
    return sum(1 << step % _ROUND for step in range(year - around, year + around + 1))


def _in_order(entries: Iterable[int]) -> array[int]:
    """Sorted a bucket at a time: all at once they would take five times the room of the result."""
    buckets = [array("Q") for _ in range(256)]
    for entry in entries:
        buckets[entry >> 56].append(entry)
    whole = array("Q")
    for number, bucket in enumerate(buckets):
        whole.extend(sorted(set(bucket)))
        buckets[number] = array("Q")
    return whole


# Functions with names, since an index goes to other processes.


def _ids(kept: Kept) -> tuple[str, ...]:
    return kept.ids


def _closed_title(kept: Kept) -> tuple[str, ...]:
    return (kept.title.replace(" ", ""),) if kept.title else ()


IN_TEXT = 5
"""Words: a shorter title is not looked for in the running text of an entry."""


def _opening(kept: Kept) -> tuple[str, ...]:
    words = kept.title.split(" ", IN_TEXT)
    return (" ".join(words[:IN_TEXT]),) if len(words) >= IN_TEXT else ()
