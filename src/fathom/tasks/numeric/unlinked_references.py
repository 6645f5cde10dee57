"""References without a link to a document, and the articles of a context that they may still cite.

A link is missing for one of two reasons: the cited work is not in the corpus, or it could not be identified. Only the
first proves that an article is not cited. Entries are compared by hashes of their words, since a corpus has millions;
signatures of all entries of an article rule out most pairs of articles at once.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from math import ceil
from typing import NamedTuple, Protocol
from zlib import crc32

from fathom.corpus.normalization import normal_ids
from fathom.records.documents import DocumentId, Reference
from fathom.records.names import without_accents

SHARE_OF_WORDS = 0.9
"""Two titles that share this part of their longer words may be the same."""

LONG_WORD, MIN_LONG_WORDS = 4, 3
"""Letters of a longer word; titles with fewer such words ("Membrane fusion") are compared as a whole."""

ARTICLE_BITS, ENTRY_BITS = 4_096, 64
"""The bits of a signature: few of them are set by the hundreds of words of an article, or by the ten of an entry."""

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
    signature: int
    """A bit for every long word."""


class UnlinkedReferences(NamedTuple):
    """The references of an article that are linked to no document."""

    entries: tuple[UnlinkedReference, ...] = ()
    ids: frozenset[str] = frozenset()
    signature: int = 0
    """A bit for every long word and title of the entries."""
    has_untitled: bool = False

    def possible_citations(self, article: ArticleKeys) -> Iterator[UnlinkedReference]:
        """The entries that may cite the article, judging by their signatures."""
        if self.has_untitled or not self.ids.isdisjoint(article.ids):
            return iter(self.entries)
        missing, spared = article.signature & ~self.signature, article.spared
        if missing and missing.bit_count() > spared:
            return iter(())
        words = article.word_signature
        return (entry for entry in self.entries if (words & ~entry.signature).bit_count() <= spared)


NO_REFERENCES = UnlinkedReferences()


class ArticleKeys(NamedTuple):
    """What an entry would print of an article, as hashes."""

    title: int
    ids: frozenset[str]
    long_words: frozenset[int]
    """The longer words of the title; none if it has few."""
    author: frozenset[int] | None
    """The words of the first author's family name; empty if there is none, None if unknown."""
    signature: int
    """The bits of the longer words, or of the title if there are none, in the signature of a citing article."""
    word_signature: int
    """The bits of the longer words in the signature of an entry."""
    spared: int
    """How many of the longer words an entry may lack."""


class CitingArticle(Protocol):
    """The properties of an article that references are compared with."""

    @property
    def id(self) -> DocumentId: ...
    @property
    def keys(self) -> ArticleKeys: ...
    @property
    def cites(self) -> Iterable[DocumentId]: ...
    @property
    def unlinked(self) -> UnlinkedReferences: ...


def article_keys(title: str, ids: Iterable[str], first_author: str | None) -> ArticleKeys:
    """The keys of an article; the author is the family name, empty if there is none, None if unknown."""
    words = _words(title)
    title_hash, unique_ids = _hash(" ".join(words)), frozenset(ids)
    long = frozenset(_long(words))
    if len(long) < MIN_LONG_WORDS:
        long = frozenset()
    return ArticleKeys(
        title=title_hash,
        ids=unique_ids,
        long_words=long,
        author=None if first_author is None else frozenset(map(_hash, _words(first_author))),
        signature=_signature(long or {title_hash}, ARTICLE_BITS),
        word_signature=_signature(long, ENTRY_BITS),
        spared=len(long) - ceil(SHARE_OF_WORDS * len(long)),
    )


def unlinked_references(references: Iterable[Reference], text: str) -> UnlinkedReferences:
    """The references without a link, as they are compared."""
    entries = tuple(_hash_reference(reference, text) for reference in references if reference.document is None)
    hashes = {word for entry in entries for word in (*entry.long_words, entry.title)}
    return UnlinkedReferences(
        entries,
        ids=frozenset(id for entry in entries for id in entry.ids),
        signature=_signature(hashes, ARTICLE_BITS),
        has_untitled=any(not entry.title for entry in entries),
    )


def _hash_reference(reference: Reference, text: str) -> UnlinkedReference:
    entry = reference.span.of(text)
    words = _words(entry)
    title = _words(reference.title.of(text)) if reference.title is not None else []
    long = set(_long(title or words))
    return UnlinkedReference(
        words=_sorted_array(map(_hash, words)),
        ids=tuple(normal_ids(reference.ids, entry)),
        title=_hash(" ".join(title)) if title else 0,
        long_words=_sorted_array(long),
        signature=_signature(long, ENTRY_BITS),
    )


def articles_in_doubt(articles: Sequence[CitingArticle]) -> Iterator[DocumentId]:
    """The articles with a reference that may cite another of the articles, though it is not linked to it."""
    for article in articles:
        linked = {article.id, *article.cites}
        unlinked_articles = (article for article in articles if article.id not in linked)
        if any(
            _may_cite(entry, candidate.keys)
            for candidate in unlinked_articles
            for entry in article.unlinked.possible_citations(candidate.keys)
        ):
            yield article.id


def _may_cite(entry: UnlinkedReference, article: ArticleKeys) -> bool:
    if (entry.title and entry.title == article.title) or not article.ids.isdisjoint(entry.ids):
        return True
    if article.long_words and _has_title_of(entry, article):
        return True
    return not entry.title and _may_be_by(entry, article, unnamed=False) and _may_have_id(entry, article)


def _has_title_of(entry: UnlinkedReference, article: ArticleKeys) -> bool:
    """Whether the entry has nearly all words of the title, by an author who may be the article's."""
    # An entry has more words than its title; two titles must have about the same ones.
    longest = max(len(article.long_words), len(entry.long_words) if entry.title else 0)
    shared = len(article.long_words.intersection(entry.long_words))
    return shared >= SHARE_OF_WORDS * longest and _may_be_by(entry, article, unnamed=True)


def _may_be_by(entry: UnlinkedReference, article: ArticleKeys, *, unnamed: bool) -> bool:
    """Whether the entry names the article's first author, as far as that is known; `unnamed` if it has none."""
    if article.author is None:
        return True
    return not article.author.isdisjoint(entry.words) if article.author else unnamed


def _may_have_id(entry: UnlinkedReference, article: ArticleKeys) -> bool:
    """False if both have an id of one kind: equal ids would have been found."""
    return _schemes(entry.ids).isdisjoint(_schemes(article.ids))


def _schemes(ids: Iterable[str]) -> set[str]:
    return {id.partition(":")[0] for id in ids}


def _signature(hashes: Iterable[int], bits: int) -> int:
    signature = 0
    for hash_value in hashes:
        signature |= 1 << hash_value % bits
    return signature


def _long(words: Iterable[str]) -> Iterator[int]:
    return (_hash(word) for word in words if len(word) >= LONG_WORD)


def _sorted_array(hashes: Iterable[int]) -> array[int]:
    return array("I", sorted(set(hashes)))


def _words(text: str) -> list[str]:
    return _WORD.findall(without_accents(text).casefold())


def _hash(text: str) -> int:
    return crc32(text.encode(errors="replace"))
