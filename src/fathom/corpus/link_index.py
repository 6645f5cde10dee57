"""The link index: documents by id, by title, by the first words and by pieces of their titles.

Sorted arrays of numbers, so that a document takes little memory.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import nsmallest
from itertools import groupby, pairwise
from zlib import crc32

from fathom.corpus.normalization import base_id
from fathom.corpus.works import IndexedDocument, group_into_works
from fathom.records.documents import DocumentId
from fathom.records.errors import FathomError

_PIECE_LENGTH = 8
"""Letters in one piece of a title. Titles that share no two pieces are not compared."""
_KEEP_ONE_IN = 3
"""One piece in three is indexed, chosen by its hash: a third of the memory, and enough for three typos."""
_MAX_TITLES = 48
"""A piece that more titles contain ("ofthehum") is ignored."""
_MAX_CANDIDATES = 12
"""Maximum number of titles that one reference is compared with."""


def _pieces(title: str) -> Iterator[int]:
    """Hashes of some of the pieces of a title; which ones depends only on the piece."""
    letters = title.replace(" ", "").encode("utf-8", "surrogatepass")
    for start in range(len(letters) - _PIECE_LENGTH + 1):
        key_hash = crc32(letters[start : start + _PIECE_LENGTH])
        if key_hash % _KEEP_ONE_IN == 0:
            yield key_hash


class Index:
    """The index; built once, when all documents are known."""

    def __init__(self, documents: list[IndexedDocument]) -> None:
        self.documents = sorted(documents, key=lambda document: document.id)
        for first, second in pairwise(self.documents):
            if first.id == second.id:
                raise FathomError(f"Two documents have the id '{first.id}'. Leave out one of them.")
        self._ids = _Positions(self.documents, _ids)
        self._base_ids = _Positions(self.documents, _base_ids)
        self._titles = _Positions(self.documents, _closed_title)
        self._openings = _Positions(self.documents, _opening)
        self._pieces = _sorted_array(
            piece << 32 | position
            for position, document in enumerate(self.documents)
            for piece in set(_pieces(document.title))
        )
        self.vocabulary = frozenset(word for document in self.documents for word in document.title.split())
        self.families_by_year = _FamiliesByYear(self.documents)
        self.works = group_into_works(self.documents, self._ids.shared(), self._titles.shared())

    def with_id(self, id: str) -> list[int]:
        """The documents that have an id."""
        return self._ids.with_key(id)

    def with_base_id(self, id: str) -> list[int]:
        """The documents with an id of the same work: of another version, or of the work that this is a part of."""
        return self._base_ids.with_key(base_id(id))

    def with_title(self, title: str) -> list[int]:
        """The documents that have a title, regardless of spaces."""
        return self._titles.with_key(title.replace(" ", ""))

    def with_opening(self, words: str) -> list[int]:
        """The documents whose titles begin with these words."""
        return self._openings.with_key(words)

    def position(self, id: DocumentId) -> int:
        position = bisect_left(self.documents, id, key=lambda document: document.id)
        if position == len(self.documents) or self.documents[position].id != id:
            raise FathomError(f"Document '{id}' was not added. Add every document before linking the first.")
        return position

    def similar(self, title: str) -> list[int]:
        """The documents whose titles share the most pieces with this one, most similar first."""
        index, size = self._pieces, len(self._pieces)
        positions: list[int] = []
        for piece in set(_pieces(title)):
            start, high = bisect_left(index, piece << 32), piece + 1 << 32
            if start < size and index[start] < high:
                beyond = start + _MAX_TITLES
                if beyond >= size or index[beyond] >= high:
                    positions.extend(index[start : bisect_left(index, high, start, min(beyond, size))])
        shared = Counter([entry & 0xFFFFFFFF for entry in positions])
        likely = [(-times, position) for position, times in shared.items() if times > 1 or len(title) < 40]
        return [position for _, position in nsmallest(_MAX_CANDIDATES, likely)]


class _Positions:
    """Positions by key, in eight bytes each: a dictionary of strings took most of the memory of a document."""

    def __init__(self, documents: Sequence[IndexedDocument], keys: Callable[[IndexedDocument], Iterable[str]]) -> None:
        self._documents = documents
        self._keys = keys
        self._entries = _sorted_array(
            _hash(key) << 32 | position for position, document in enumerate(documents) for key in keys(document)
        )

    def with_key(self, key: str) -> list[int]:
        """The positions that have the key."""
        entries, key_hash = self._entries, _hash(key)
        positions: list[int] = []
        for number in range(bisect_left(entries, key_hash << 32), len(entries)):
            if entries[number] >> 32 != key_hash:
                break
            position = entries[number] & 0xFFFFFFFF
            if key in self._keys(self._documents[position]):
                positions.append(position)
        return positions

    def shared(self) -> Iterator[list[int]]:
        """The positions that share a key, one list for each such key."""
        for _, run in groupby(self._entries, key=lambda entry: entry >> 32):
            positions = [entry & 0xFFFFFFFF for entry in run]
            if len(positions) > 1:
                by_key: dict[str, list[int]] = defaultdict(list)
                for position in positions:
                    for key in self._keys(self._documents[position]):
                        by_key[key].append(position)
                yield from (similar for similar in by_key.values() if len(similar) > 1)


def _hash(key: str) -> int:
    return crc32(key.encode("utf-8", "surrogatepass"))


class _FamiliesByYear:
    """The years in which each family name published: rules out most references without a search.

    The years of a family name are bits of one small number, so two years that are sixty apart are not distinguished.
    That only causes a search without result.
    """

    def __init__(self, documents: Iterable[IndexedDocument]) -> None:
        self._years: dict[str, int] = {}
        self._unsigned = self._all = 0
        for document in documents:
            years = _years(document.year, 0)
            self._all |= years
            self._unsigned |= 0 if document.families else years
            for family in document.families:
                self._years[family] = self._years.get(family, 0) | years

    def may_support(self, names: str, year: int | None) -> bool:
        """Whether a document shares an author with these names, or is of that year if authors are unknown."""
        near = _years(year, 1) if year is not None else 0
        if not names:
            return bool(self._all & near)
        if self._unsigned & near:
            return True
        about = _years(year, 2)
        return any(self._years.get(name, 0) & about for name in names.split())


_ROUND = 60
"""Number of bits for years; years that differ by a multiple of it share a bit."""
_ANY_YEAR = (1 << _ROUND) - 1


def _years(year: int | None, around: int) -> int:
    """A year and the years around it, as bits; all bits if it is unknown."""
    if year is None:
        return _ANY_YEAR
    return sum(1 << step % _ROUND for step in range(year - around, year + around + 1))


def _sorted_array(entries: Iterable[int]) -> array[int]:
    """The entries, sorted a bucket at a time: sorting all together would take five times the memory of the result."""
    buckets = [array("Q") for _ in range(256)]
    for entry in entries:
        buckets[entry >> 56].append(entry)
    merged = array("Q")
    for number, bucket in enumerate(buckets):
        merged.extend(sorted(set(bucket)))
        buckets[number] = array("Q")
    return merged


# Module-level functions, since an index is sent to other processes.


def _ids(document: IndexedDocument) -> tuple[str, ...]:
    return document.ids


def _base_ids(document: IndexedDocument) -> tuple[str, ...]:
    return tuple(dict.fromkeys(base_id(id) for id in document.ids if id.startswith("doi:")))


def _closed_title(document: IndexedDocument) -> tuple[str, ...]:
    return (document.title.replace(" ", ""),) if document.title else ()


MIN_WORDS_IN_TEXT = 5
"""Minimum words of a title that is searched for in the text of a reference."""


def _opening(document: IndexedDocument) -> tuple[str, ...]:
    words = document.title.split(" ", MIN_WORDS_IN_TEXT)
    return (" ".join(words[:MIN_WORDS_IN_TEXT]),) if len(words) >= MIN_WORDS_IN_TEXT else ()
