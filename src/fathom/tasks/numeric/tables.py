"""The database of a context: three tables read from the articles' own spans, every cell tied to where it stands."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, repeat
from typing import Any, NamedTuple

from fathom.records.documents import BibliographicRecord, Document, DocumentId
from fathom.records.names import given_names_match, given_words, without_accents
from fathom.records.spans import Span

SCHEMA = """
CREATE TABLE articles (
    article_id INTEGER PRIMARY KEY, article_title TEXT, title_word_count INTEGER,
    author_count INTEGER, reference_count INTEGER
);
CREATE TABLE article_author (
    relation_id INTEGER PRIMARY KEY, article_id INTEGER, author_name TEXT, author_position INTEGER
);
CREATE TABLE citing_cited (relation_id INTEGER PRIMARY KEY, article_id_citing INTEGER, article_id_cited INTEGER);
"""
"""The paper's three tables (its appendix B), but positions are counted from one, as the questions say."""


@dataclass(frozen=True)
class Byline:
    """One name as one article prints it."""

    person: str | None
    given: str
    family: str
    printed: str
    span: Span


@dataclass(frozen=True)
class Source:
    """What the tables need of one article; read once, whatever the number of contexts it stands in."""

    id: DocumentId
    title: str
    title_span: Span
    byline: tuple[Byline, ...]
    references: tuple[Span, ...]
    cited: dict[DocumentId, Span]
    """The articles of the corpus that it cites, with the entry that says so."""

    @cached_property
    def title_word_count(self) -> int:
        return len(self.title.split())

    @cached_property
    def printed(self) -> tuple[str, ...]:
        """The authors' names as they stand in the byline."""
        return tuple(one.printed for one in self.byline)

    @cached_property
    def people(self) -> tuple[str, ...]:
        """Who the authors are. Who is uncertain is somebody of their own."""
        return tuple(one.person or f"? {self.id} {position}" for position, one in enumerate(self.byline, start=1))


def read_source(article: Document | BibliographicRecord) -> Source:
    """The article's title, byline and references."""
    cited: dict[DocumentId, Span] = {}
    for reference in article.references:
        if reference.document is not None:
            cited.setdefault(reference.document, reference.span)
    return Source(
        id=article.id,
        title=article.title_text,
        title_span=article.title,
        byline=tuple(
            Byline(author.person, author.given, author.family, author.span.of(article.text), author.span)
            for author in article.authors
        ),
        references=tuple(reference.span for reference in article.references),
        cited=cited,
    )


# Rows are plain tuples, as SQLite takes them: a context has hundreds, and a corpus millions.


class ArticleRow(NamedTuple):
    number: int
    """Its place in the context, counted from one."""
    title: str
    title_word_count: int
    author_count: int
    reference_count: int


class AuthorRow(NamedTuple):
    article: int
    name: str
    position: int


class CitationRow(NamedTuple):
    citing: int
    cited: int


@dataclass(frozen=True)
class Tables:
    """One context's tables, and the sources they were read from."""

    sources: tuple[Source, ...]
    articles: tuple[ArticleRow, ...]
    authors: tuple[AuthorRow, ...]
    citations: tuple[CitationRow, ...]

    @cached_property
    def spellings(self) -> dict[str, tuple[str, ...]]:
        """For each author name in the tables, every way in which the articles print it."""
        found: dict[str, dict[str, None]] = defaultdict(dict)
        for row in self.authors:
            if self.sources:
                found[row.name][self.sources[row.article - 1].byline[row.position - 1].printed] = None
            else:
                found[row.name][row.name] = None
        return {name: tuple(printed) for name, printed in found.items()}

    @cached_property
    def worked_out(self) -> dict[str, Any]:
        """What was worked out from these tables, by name, for whoever asks again."""
        return {}

    @cached_property
    def by_article(self) -> dict[int, list[AuthorRow]]:
        """The author rows of each article."""
        rows: dict[int, list[AuthorRow]] = defaultdict(list)
        for row in self.authors:
            rows[row.article].append(row)
        return rows

    @cached_property
    def has_twins(self) -> bool:
        """Whether two articles have one title, capitals and punctuation aside."""
        return len({re.sub(r"\W+", " ", row.title).casefold().strip() for row in self.articles}) < len(self.articles)

    @cached_property
    def articles_of(self) -> Counter[str]:
        """How many articles each person has."""
        return Counter(row.name for row in self.authors)

    @cached_property
    def citing(self) -> Counter[int]:
        """How many articles of the collection each article cites."""
        return Counter(row.citing for row in self.citations)

    @cached_property
    def cited(self) -> Counter[int]:
        """How many articles of the collection cite each article."""
        return Counter(row.cited for row in self.citations)

    def load(self, database: sqlite3.Connection) -> None:
        """Put these rows into the three tables in place of what is there."""
        # One transaction: without it SQLite ends one for every row, which costs more than the row.
        database.execute("BEGIN")
        for table in ("articles", "article_author", "citing_cited"):
            database.execute(f"DELETE FROM {table}")
        _insert(database, _ARTICLES, self.articles)
        _insert(database, _AUTHORS, self.authors)
        _insert(database, _CITATIONS, self.citations)
        database.execute("COMMIT")


_ARTICLES = "INSERT INTO articles VALUES (?, ?, ?, ?, ?)"
_AUTHORS = "INSERT INTO article_author (article_id, author_name, author_position) VALUES (?, ?, ?)"
_CITATIONS = "INSERT INTO citing_cited (article_id_citing, article_id_cited) VALUES (?, ?)"
_AT_ONCE = 16
"""Rows in one statement: half the time of one at a time, and more rows gain no more."""


def _insert(database: sqlite3.Connection, statement: str, rows: Sequence[tuple[int | str, ...]]) -> None:
    head, row = statement.split(" VALUES ")
    many = f"{head} VALUES {', '.join([row] * _AT_ONCE)}"
    whole = len(rows) - len(rows) % _AT_ONCE
    database.executemany(
        many, (list(chain.from_iterable(rows[start : start + _AT_ONCE])) for start in range(0, whole, _AT_ONCE))
    )
    database.executemany(statement, rows[whole:])


def open_database() -> sqlite3.Connection:
    """An empty database in memory with the three tables; one serves any number of contexts in turn."""
    database = sqlite3.connect(":memory:", isolation_level=None, cached_statements=2_000)
    database.executescript(SCHEMA)
    return database


def build_tables(sources: Sequence[Source], naming: str = "people") -> Tables:
    """The tables of articles in this order.

    `naming` says who is who: "people" trusts the corpus, "spellings" only what a reader of the text can see.
    """
    who = list(chain.from_iterable(source.people for source in sources)) if naming == "people" else _lookalikes(sources)
    names = _names(who, chain.from_iterable(source.printed for source in sources))
    sizes = [len(source.byline) for source in sources]
    numbers = {source.id: number for number, source in enumerate(sources, start=1)}
    return Tables(
        sources=tuple(sources),
        articles=tuple(
            ArticleRow(number, source.title, source.title_word_count, size, len(source.references))
            for number, (source, size) in enumerate(zip(sources, sizes, strict=True), start=1)
        ),
        authors=tuple(
            map(
                AuthorRow,
                chain.from_iterable(map(repeat, numbers.values(), sizes)),
                names,
                chain.from_iterable(range(1, size + 1) for size in sizes),
            )
        ),
        citations=tuple(
            CitationRow(numbers[source.id], numbers[cited])
            for source in sources
            for cited in source.cited
            if cited in numbers
        ),
    )


# Who is who.


def _names(who: Sequence[Hashable], printed: Iterable[str]) -> list[str]:
    """For each seat in the bylines the fullest name that its person is printed under.

    Where two people share that name, it is told apart.
    """
    fullest: dict[Hashable, str] = {}
    for person, name in zip(who, printed, strict=True):
        known = fullest.setdefault(person, name)
        if known != name:
            fullest[person] = max(known, name, key=lambda one: (len(one), one))
    if len(set(fullest.values())) < len(fullest):
        taken: Counter[str] = Counter()
        for person, name in fullest.items():
            taken[name] += 1
            fullest[person] = name if taken[name] == 1 else f"{name} ({taken[name]})"
    return [fullest[person] for person in who]


_Seat = tuple[int, int]
"""A place in a byline: the article's number and the position in it."""


def _lookalikes(sources: Sequence[Source]) -> list[Hashable]:
    """Who is who to a reader who takes names that may belong to one person to belong to one.

    Rather too many are put together than too few: where that changes an answer, nothing is asked.
    """
    who: dict[_Seat, Hashable] = {}
    families: dict[str, list[tuple[_Seat, tuple[str, ...]]]] = defaultdict(list)
    for number, source in enumerate(sources):
        for position, one in enumerate(source.byline):
            who[number, position] = None
            given = given_words(one.given, all_caps=one.family.isupper())
            families[_letters(one.family)].append(((number, position), given))
    for family, members in families.items():
        for group in _joined(members):
            who.update((seat, (family, group[0])) for seat in group)
    return list(who.values())


def _joined(members: Iterable[tuple[_Seat, tuple[str, ...]]]) -> list[list[_Seat]]:
    """People of one family name, put together where their given names fit, also by way of a third."""
    groups: list[tuple[list[_Seat], set[tuple[str, ...]]]] = []
    for seat, given in members:
        alike = [group for group in groups if any(given_names_match(given, other) for other in group[1])]
        groups = [group for group in groups if group not in alike]
        seats = [member for group in alike for member in group[0]]
        groups.append(([*seats, seat], {given}.union(*(group[1] for group in alike))))
    return [seats for seats, _ in groups]


def _letters(family: str) -> str:
    """Without accents, capitals, blanks and marks: "van der Walt" and "Vanderwalt" are one."""
    return re.sub(r"[\W_]+", "", without_accents(family).casefold())
