"""The parts of an article that the tables of a context are made from: title, byline and references."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache

from fathom.corpus.normalization import normal_ids
from fathom.corpus.store import Corpus
from fathom.records.documents import BibliographicRecord, Document, DocumentId
from fathom.records.spans import Span
from fathom.tasks.numeric.schema import FIELD_OF, ArticlePart
from fathom.tasks.numeric.unlinked_references import (
    NO_REFERENCES,
    ArticleKeys,
    UnlinkedReferences,
    article_keys,
    unlinked_references,
)


@dataclass(frozen=True)
class BylineName:
    """One author's name in the byline of an article."""

    person: str | None
    """The id of the person; None if the identity is uncertain."""
    given: str
    family: str
    printed: str
    """The whole name as the article prints it."""
    span: Span


@dataclass(frozen=True)
class ArticleSource:
    """The parts of one article that the tables need; read once for any number of contexts."""

    id: DocumentId
    title: str
    title_span: Span
    byline: tuple[BylineName, ...]
    references: tuple[Span, ...]
    cited: dict[DocumentId, Span]
    """The articles of the corpus that it cites, each with the span of its reference."""
    unknown: frozenset[ArticlePart] = frozenset()
    """The parts that are not known; their names, references and citations are left out."""
    ids: tuple[str, ...] = ()
    """In normal form, such as "doi:10.1000/xyz"."""
    unlinked: UnlinkedReferences = NO_REFERENCES
    """The references that are linked to no document of the corpus."""
    collective: bool = False
    """Whether a consortium or another group is among its authors."""

    @cached_property
    def title_word_count(self) -> int | None:
        return None if "title" in self.unknown else len(self.title.split())

    @cached_property
    def keys(self) -> ArticleKeys:
        """What the references of other articles would print of it."""
        first_author = self.byline[0].family if self.byline else ""
        return article_keys(self.title, self.ids, None if "byline" in self.unknown else first_author)

    @property
    def cites(self) -> Iterable[DocumentId]:
        return self.cited

    @property
    def author_count(self) -> int | None:
        """None if the byline is not known; 0 only if the source states that there is none."""
        return None if "byline" in self.unknown else len(self.byline)

    @property
    def reference_count(self) -> int | None:
        return None if "references" in self.unknown else len(self.references)

    @cached_property
    def printed(self) -> tuple[str, ...]:
        """The authors' names as the byline prints them."""
        return tuple(entry.printed for entry in self.byline)

    @cached_property
    def people(self) -> tuple[str, ...]:
        """The ids of the authors. An author whose identity is uncertain gets a unique id."""
        return tuple(entry.person or f"? {self.id} {position}" for position, entry in enumerate(self.byline, start=1))


def read_source(article: Document | BibliographicRecord, unlinked: bool = True) -> ArticleSource:
    """The parts of an article that the tables need: title, byline and references.

    `unlinked=False` leaves out the words of references without a link, which take most of the time.
    """
    unknown = frozenset(part for part, name in FIELD_OF.items() if article.state(name) == "unknown")
    references = () if "references" in unknown else article.references
    cited: dict[DocumentId, Span] = {}
    for reference in references:
        if reference.document is not None:
            cited.setdefault(reference.document, reference.span)
    return ArticleSource(
        id=article.id,
        title=article.title_text,
        title_span=article.title,
        byline=tuple(
            BylineName(author.person, author.given, author.family, author.span.of(article.text), author.span)
            for author in (() if "byline" in unknown else article.authors)
        ),
        references=tuple(reference.span for reference in references),
        cited=cited,
        unknown=unknown,
        ids=tuple(normal_ids(article.ids)),
        unlinked=unlinked_references(references if unlinked else (), article.text),
        collective=any(author.group for author in article.authors),
    )


CACHED_SOURCES = 4_096
"""Articles whose titles, bylines and references are cached while questions are answered: some tens of megabytes."""


def source_reader(corpus: Corpus, cached: int | None = None) -> Callable[[Iterable[DocumentId]], list[ArticleSource]]:
    """A function that reads articles by their ids; up to `cached` articles, or all, are read only once."""
    source = lru_cache(maxsize=cached)(lambda id: read_source(corpus.bibliographic_record(id)))
    return lambda ids: list(map(source, ids))
