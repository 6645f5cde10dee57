"""The database of a context: three tables read from the articles' own spans, every cell tied to where it stands."""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from fathom.records.articles import Article, ArticleId
from fathom.records.names import without_accents
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

    id: ArticleId
    title: str
    title_span: Span
    byline: tuple[Byline, ...]
    references: tuple[Span, ...]
    cited: dict[ArticleId, Span]
    """The articles of the corpus that it cites, with the entry that says so."""


def read_source(article: Article) -> Source:
    """The article's title, byline and references."""
    cited: dict[ArticleId, Span] = {}
    for reference in article.references:
        if reference.article is not None:
            cited.setdefault(reference.article, reference.span)
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


@dataclass(frozen=True)
class ArticleRow:
    number: int
    """Its place in the context, counted from one."""
    title: str
    title_word_count: int
    author_count: int
    reference_count: int


@dataclass(frozen=True)
class AuthorRow:
    article: int
    name: str
    position: int


@dataclass(frozen=True)
class CitationRow:
    citing: int
    cited: int


@dataclass(frozen=True)
class Tables:
    """One context's tables, and the sources they were read from."""

    sources: tuple[Source, ...]
    articles: tuple[ArticleRow, ...]
    authors: tuple[AuthorRow, ...]
    citations: tuple[CitationRow, ...]
    spellings: dict[str, tuple[str, ...]]
    """For each author name in the tables, every way in which the articles print it."""

    @cached_property
    def by_article(self) -> dict[int, list[AuthorRow]]:
        """The author rows of each article."""
        rows: dict[int, list[AuthorRow]] = defaultdict(list)
        for row in self.authors:
            rows[row.article].append(row)
        return rows

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
        for table in ("articles", "article_author", "citing_cited"):
            database.execute(f"DELETE FROM {table}")
        database.executemany(
            "INSERT INTO articles VALUES (?, ?, ?, ?, ?)",
            [(r.number, r.title, r.title_word_count, r.author_count, r.reference_count) for r in self.articles],
        )
        database.executemany(
            "INSERT INTO article_author (article_id, author_name, author_position) VALUES (?, ?, ?)",
            [(row.article, row.name, row.position) for row in self.authors],
        )
        database.executemany(
            "INSERT INTO citing_cited (article_id_citing, article_id_cited) VALUES (?, ?)",
            [(row.citing, row.cited) for row in self.citations],
        )


def open_database() -> sqlite3.Connection:
    """An empty database in memory with the three tables; one serves any number of contexts in turn."""
    database = sqlite3.connect(":memory:", isolation_level=None, cached_statements=2_000)
    database.executescript(SCHEMA)
    return database


def build_tables(sources: Sequence[Source], naming: str = "people") -> Tables:
    """The tables of articles in this order.

    `naming` says who is who: "people" trusts the corpus, "spellings" only what a reader of the text can see.
    """
    names = (_by_person if naming == "people" else _by_spelling)(sources)
    numbers = {source.id: number for number, source in enumerate(sources, start=1)}
    spellings: dict[str, dict[str, None]] = defaultdict(dict)
    authors: list[AuthorRow] = []
    for number, source in enumerate(sources, start=1):
        for position, byline in enumerate(source.byline, start=1):
            name = names[number, position]
            spellings[name][byline.printed] = None
            authors.append(AuthorRow(number, name, position))
    return Tables(
        sources=tuple(sources),
        articles=tuple(
            ArticleRow(number, source.title, len(source.title.split()), len(source.byline), len(source.references))
            for number, source in enumerate(sources, start=1)
        ),
        authors=tuple(authors),
        citations=tuple(
            CitationRow(numbers[source.id], numbers[cited])
            for source in sources
            for cited in source.cited
            if cited in numbers
        ),
        spellings={name: tuple(printed) for name, printed in spellings.items()},
    )


# Who is who.

_Seat = tuple[int, int]
"""An article's number and a position in its byline."""


def _seats(sources: Sequence[Source]) -> Iterator[tuple[_Seat, Byline]]:
    for number, source in enumerate(sources, start=1):
        for position, byline in enumerate(source.byline, start=1):
            yield (number, position), byline


def _by_person(sources: Sequence[Source]) -> dict[_Seat, str]:
    """A name for each person, the fullest they are printed under; where two people share it, it is told apart."""
    groups: dict[str, list[tuple[_Seat, Byline]]] = defaultdict(list)
    for seat, byline in _seats(sources):
        # Who is uncertain is somebody of their own; the other naming may see it differently, and then nothing is asked.
        groups[byline.person or f"? {seat}"].append((seat, byline))
    return _named(groups.values())


def _by_spelling(sources: Sequence[Source]) -> dict[_Seat, str]:
    """The same, for a reader who takes names that may belong to one person to belong to one."""
    families: dict[str, list[tuple[_Seat, Byline]]] = defaultdict(list)
    for seat, byline in _seats(sources):
        families[_plain(byline.family)].append((seat, byline))
    groups: list[list[tuple[_Seat, Byline]]] = []
    for members in families.values():
        groups.extend(_joined(members))
    return _named(groups)


def _joined(members: list[tuple[_Seat, Byline]]) -> list[list[tuple[_Seat, Byline]]]:
    """People of one family name, put together where their given names may be the same."""
    groups: list[list[tuple[_Seat, Byline]]] = []
    for seat, byline in members:
        alike = [group for group in groups if any(_may_be_one(byline.given, other.given) for _, other in group)]
        groups = [group for group in groups if group not in alike]
        groups.append([member for group in alike for member in group] + [(seat, byline)])
    return groups


def _may_be_one(one: str, two: str) -> bool:
    """Whether two given names fit: "M." fits "Marta" and "Marta K.", and nothing fits only itself."""
    for left, right in zip(_parts(one), _parts(two), strict=False):
        if left != right and not (left[0] == right[0] and 1 in (len(left), len(right))):
            return False
    return True


def _parts(given: str) -> list[str]:
    return _plain(given).replace(".", " ").split()


def _plain(name: str) -> str:
    """Without accents, hyphens and capitals."""
    return without_accents(name).casefold().replace("-", " ")


def _named(groups: Iterable[list[tuple[_Seat, Byline]]]) -> dict[_Seat, str]:
    names: dict[_Seat, str] = {}
    taken: dict[str, int] = defaultdict(int)
    for group in groups:
        fullest = group[0][1].printed
        if len(group) > 1:
            fullest = max((byline.printed for _, byline in group), key=lambda name: (len(name), name))
        taken[fullest] += 1
        name = fullest if taken[fullest] == 1 else f"{fullest} ({taken[fullest]})"
        names |= {seat: name for seat, _ in group}
    return names
