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

SHARE_OF_WORDS = 0.9
"""Two titles that share this part of their longer words may be the same."""

LONG_WORD, FEWEST_LONG_WORDS = 4, 3
"""Letters of a longer word; titles with fewer such words ("Membrane fusion") are compared as a whole."""

_WORD = re.compile(r"[^\W_]+")


class UnlinkedReference(NamedTuple):
    """A reference that is linked to no document, as hashes."""

    words: array[int]
    """The words of the entry, without repeats."""
    ids: tuple[str, ...]
    title: int
    """The whole title; 0 if it has none."""
    long_words: array[int]
    """The longer words of the title, or of the entry if it has none."""


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
    words = _words(entry)
    title = _words(reference.title.of(text)) if reference.title is not None else []
    return UnlinkedReference(
        words=_hashes(words),
        ids=tuple(normal_ids(reference.ids, entry)),
        title=_hash(" ".join(title)) if title else 0,
        long_words=_hashes(word for word in title or words if len(word) >= LONG_WORD),
    )


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
        self._ids = {article.id: article.ids for article in articles}
        self._authors = {
            article.id: None if article.first_author is None else set(_hashes(_words(article.first_author)))
            for article in articles
        }
        self._exact: dict[int | str, list[DocumentId]] = defaultdict(list)
        self._with_word: dict[int, list[DocumentId]] = defaultdict(list)
        self._long_words: dict[DocumentId, int] = {}
        for article in articles:
            words = _words(article.title)
            keys: tuple[int | str, ...] = (_hash(" ".join(words)), *article.ids)
            for key in keys:
                self._exact[key].append(article.id)
            long = _hashes(word for word in words if len(word) >= LONG_WORD)
            if len(long) >= FEWEST_LONG_WORDS:
                self._long_words[article.id] = len(long)
                for word in long:
                    self._with_word[word].append(article.id)

    def possible(self, reference: UnlinkedReference) -> Iterator[DocumentId]:
        """The articles that the entry may cite."""
        keys: tuple[int | str, ...] = (reference.title, *reference.ids)
        for key in keys:
            yield from self._exact.get(key, ())
        shared = Counter(id for word in reference.long_words for id in self._with_word.get(word, ()))
        for id, count in shared.items():
            # An entry has more words than its title; two titles must have about the same ones.
            longest = max(self._long_words[id], len(reference.long_words) if reference.title else 0)
            if count >= SHARE_OF_WORDS * longest and self._may_be_by(reference, id):
                yield id
        if not reference.title:
            words = set(reference.words)
            yield from (
                id for id in self._authors if self._names_author(words, id) and self._may_have_id(reference, id)
            )

    def _may_be_by(self, reference: UnlinkedReference, id: DocumentId) -> bool:
        """Whether the entry names the article's first author, as far as that is known."""
        author = self._authors[id]
        return not author or not author.isdisjoint(reference.words)

    def _names_author(self, words: set[int], id: DocumentId) -> bool:
        author = self._authors[id]
        return author is None or bool(author & words)

    def _may_have_id(self, reference: UnlinkedReference, id: DocumentId) -> bool:
        """False if both have an id of one kind: equal ids would have been found."""
        return _schemes(reference.ids).isdisjoint(_schemes(self._ids[id]))


def _schemes(ids: Iterable[str]) -> set[str]:
    return {id.partition(":")[0] for id in ids}


def _hashes(words: Iterable[str]) -> array[int]:
    return array("I", sorted(set(map(_hash, words))))


def _words(text: str) -> list[str]:
    return _WORD.findall(without_accents(text).casefold())


def _hash(text: str) -> int:
    return crc32(text.encode(errors="replace"))
