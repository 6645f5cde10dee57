"""References that are linked to no document, and the articles of a context that they may cite nevertheless.

A link is missing for one of two reasons: the cited work is not in the corpus, or it could not be identified. Only the
first proves that an article is not cited. Entries are compared by hashes of their words, since a corpus has millions.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol
from zlib import crc32

from fathom.corpus.normal_forms import normal_ids
from fathom.records.documents import DocumentId, Reference
from fathom.records.names import without_accents

SHARE_OF_WORDS = 0.8
"""An entry that has this share of the longer words of a title may cite it."""

LONG_WORD, FEWEST_LONG_WORDS = 4, 3
"""Letters of a longer word; titles with fewer such words ("Membrane fusion") are compared as a whole."""

_WORD = re.compile(r"[^\W_]+")


class UnlinkedReference(NamedTuple):
    """A reference that is linked to no document."""

    words: array[int]
    """Hashes of the words of the entry and of its ids."""
    title: int
    """A hash of its title; 0 if it has neither title nor id, so that only its authors can identify the work."""


class CitingArticle(Protocol):
    """What is compared of an article."""

    @property
    def id(self) -> DocumentId: ...
    @property
    def title(self) -> str: ...
    @property
    def ids(self) -> Sequence[str]: ...
    @property
    def first_author(self) -> str | None:
        """The family name; empty if there is none, None if unknown."""
        ...

    @property
    def cites(self) -> Iterable[DocumentId]: ...
    @property
    def unlinked(self) -> Sequence[UnlinkedReference]: ...


def unlinked_references(references: Iterable[Reference], text: str) -> tuple[UnlinkedReference, ...]:
    """The references without a link, as they are compared."""
    return tuple(_unlinked(reference, text) for reference in references if reference.document is None)


def _unlinked(reference: Reference, text: str) -> UnlinkedReference:
    entry = reference.span.of(text)
    ids = normal_ids(reference.ids, entry)
    title = _words(reference.title.of(text)) if reference.title is not None else []
    named = _hash(" ".join(title)) if title else int(bool(ids))
    return UnlinkedReference(array("I", sorted({*map(_hash, _words(entry)), *map(_hash, ids)})), named)


def articles_in_doubt(articles: Sequence[CitingArticle]) -> Iterator[DocumentId]:
    """The articles with a reference that may cite another of the articles, though it is not linked to it."""
    titles = _Titles(articles)
    for article in articles:
        known = {article.id, *article.cites}
        if any(id not in known for reference in article.unlinked for id in titles.possible(reference)):
            yield article.id


class _Titles:
    """An index of the articles of a context by what an entry would print of them."""

    def __init__(self, articles: Sequence[CitingArticle]) -> None:
        self._with_word: dict[int, list[DocumentId]] = defaultdict(list)
        self._least: dict[DocumentId, int] = {}
        self._exact: dict[int, list[DocumentId]] = defaultdict(list)
        self._by_author: dict[int, list[DocumentId]] = defaultdict(list)
        self._without_author: list[DocumentId] = []
        for article in articles:
            self._add(article)

    def _add(self, article: CitingArticle) -> None:
        words = _words(article.title)
        self._exact[_hash(" ".join(words))].append(article.id)
        for id in article.ids:
            self._exact[_hash(id)].append(article.id)
        long = {word for word in words if len(word) >= LONG_WORD}
        if len(long) >= FEWEST_LONG_WORDS:
            self._least[article.id] = -int(-len(long) * SHARE_OF_WORDS // 1)
            for word in long:
                self._with_word[_hash(word)].append(article.id)
        if article.first_author is None:
            self._without_author.append(article.id)
        for name in dict.fromkeys(_words(article.first_author or "")):
            self._by_author[_hash(name)].append(article.id)

    def possible(self, reference: UnlinkedReference) -> Iterator[DocumentId]:
        """The articles that the entry may cite."""
        yield from self._exact.get(reference.title, ())
        shared: Counter[DocumentId] = Counter()
        for word in reference.words:
            yield from self._exact.get(word, ())
            shared.update(self._with_word.get(word, ()))
            if not reference.title:
                yield from self._by_author.get(word, ())
        if not reference.title:
            yield from self._without_author
        yield from (id for id, count in shared.items() if count >= self._least[id])


def _words(text: str) -> list[str]:
    return _WORD.findall(without_accents(text).casefold())


def _hash(text: str) -> int:
    return crc32(text.encode(errors="replace"))
