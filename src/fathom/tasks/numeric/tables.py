"""The tables of a context (articles, authors, citations), read from the spans of its articles."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, repeat
from typing import NamedTuple, cast

from fathom.records.names import given_names_match, given_words, without_accents
from fathom.tasks.numeric.schema import NAME, SCHEMA, named_texts
from fathom.tasks.numeric.sources import ArticleSource
from fathom.tasks.numeric.unknown_parts import UnknownParts
from fathom.tasks.programs import database
from fathom.tasks.programs.database import Database
from fathom.tasks.programs.evaluate import TableRow
from fathom.tasks.programs.tree import Program

# Rows are plain tuples, which SQLite accepts as they are: a context has hundreds of rows, a corpus millions.


class ArticleRow(NamedTuple):
    number: int
    """Its place in the context, counted from one."""
    title: str
    title_word_count: int | None
    """None, here and below, if it is not known."""
    author_count: int | None
    reference_count: int | None


class AuthorRow(NamedTuple):
    article: int
    name: str
    position: int


class CitationRow(NamedTuple):
    citing: int
    cited: int


@dataclass(frozen=True)
class ContextTables(Database):
    """One context's tables, and the sources they were read from."""

    sources: tuple[ArticleSource, ...] = ()

    @property
    def articles(self) -> Sequence[ArticleRow]:
        return cast("Sequence[ArticleRow]", self.rows["articles"])

    @property
    def authors(self) -> Sequence[AuthorRow]:
        return cast("Sequence[AuthorRow]", self.rows["article_author"])

    @property
    def citations(self) -> Sequence[CitationRow]:
        return cast("Sequence[CitationRow]", self.rows["citing_cited"])

    def replaced(self, **rows: Sequence[TableRow]) -> ContextTables:
        """The same tables with other rows, such as `citing_cited=...`."""
        return replace(self, rows={**self.rows, **rows})

    def without(self, missing: frozenset[int]) -> ContextTables:
        """The tables without some articles, their authors and citations.

        The other articles are renumbered, since rows are found by number; people keep their names.
        """
        left = [row for row in self.articles if row.number not in missing]
        moved = {row.number: number for number, row in enumerate(left, start=1)}
        return make_tables(
            tuple(self.sources[row.number - 1] for row in left) if self.sources else (),
            tuple(row._replace(number=moved[row.number]) for row in left),
            tuple(row._replace(article=moved[row.article]) for row in self.authors if row.article in moved),
            tuple(
                CitationRow(moved[row.citing], moved[row.cited])
                for row in self.citations
                if row.citing in moved and row.cited in moved
            ),
        )

    def aliases(self, column: str, text: str) -> tuple[str, ...]:
        """The other spellings of an author's name."""
        if column != "author_name":
            return ()
        return tuple(spelling for spelling in self.spellings[text] if spelling != text)

    @cached_property
    def spellings(self) -> dict[str, tuple[str, ...]]:
        """For each author name in the tables, every way in which the articles print it."""
        spellings: dict[str, dict[str, None]] = defaultdict(dict)
        for row in self.authors:
            if self.sources:
                spellings[row.name][self.sources[row.article - 1].byline[row.position - 1].printed] = None
            else:
                spellings[row.name][row.name] = None
        return {name: tuple(printed) for name, printed in spellings.items()}

    @cached_property
    def unknown(self) -> UnknownParts:
        """The unknown parts of the articles."""
        return UnknownParts(self.sources, self.evaluation)

    @cached_property
    def has_duplicate_titles(self) -> bool:
        """Whether two articles have the same title, ignoring case and punctuation."""
        return len({re.sub(r"\W+", " ", row.title).casefold().strip() for row in self.articles}) < len(self.articles)

    def confuses_people(self, program: Program) -> bool:
        """Whether the program names a person without an article here who may be confused with one who has one."""
        people = (value for column, value in named_texts(program) if column == NAME)
        return any(
            name not in self.articles_of and family_letters(name.rsplit(None, 1)[-1]) in self._words_of_names
            for name in people
        )

    @cached_property
    def _words_of_names(self) -> frozenset[str]:
        """The family names in the bylines, and all words of names, since a family name may have been misread."""
        people = [entry for source in self.sources for entry in source.byline]
        words = {family_letters(word) for entry in people for word in entry.printed.split()}
        return frozenset(words | {family_letters(entry.family) for entry in people})

    @cached_property
    def articles_of(self) -> Counter[str]:
        """The number of articles of each person."""
        return Counter(row.name for row in self.authors)

    @cached_property
    def citing(self) -> Counter[int]:
        """The number of articles of the context that each article cites."""
        return Counter(row.citing for row in self.citations)

    @cached_property
    def cited(self) -> Counter[int]:
        """The number of articles of the context that cite each article."""
        return Counter(row.cited for row in self.citations)

    def selected(self, program: Program) -> list[int]:
        """The numbers of the articles that meet the program's condition, or one of whose authors does."""
        return [self.articles[index].number for index in self.evaluation.entities(program)]


def make_tables(
    sources: Sequence[ArticleSource],
    articles: Sequence[ArticleRow],
    authors: Sequence[AuthorRow],
    citations: Sequence[CitationRow],
) -> ContextTables:
    """Tables with these rows."""
    rows = {"articles": articles, "article_author": authors, "citing_cited": citations}
    return ContextTables(SCHEMA, rows, tuple(sources))


def open_database() -> sqlite3.Connection:
    """An empty in-memory database with the three tables, which can be reused for one context after another."""
    return database.open_database(SCHEMA)


def build_tables(sources: Sequence[ArticleSource], naming: str = "people") -> ContextTables:
    """The tables of articles in this order.

    `naming` decides which names belong to one person: "people" follows the corpus, "spellings" only the printed text.
    """
    by_id = naming == "people"
    people = list(chain.from_iterable(source.people for source in sources)) if by_id else _merged_people(sources)
    names = _names(people, chain.from_iterable(source.printed for source in sources))
    sizes = [len(source.byline) for source in sources]
    numbers = {source.id: number for number, source in enumerate(sources, start=1)}
    return make_tables(
        sources,
        tuple(
            ArticleRow(number, source.title, source.title_word_count, source.author_count, source.reference_count)
            for number, source in enumerate(sources, start=1)
        ),
        tuple(
            map(
                AuthorRow,
                chain.from_iterable(map(repeat, numbers.values(), sizes)),
                names,
                chain.from_iterable(range(1, size + 1) for size in sizes),
            )
        ),
        tuple(
            CitationRow(numbers[source.id], numbers[cited])
            for source in sources
            for cited in source.cited
            if cited in numbers
        ),
    )


# Which names belong to one person.


def _names(people: Sequence[Hashable], printed: Iterable[str]) -> list[str]:
    """For each byline entry, the longest printed name of its person.

    If two people share that name, a number distinguishes them.
    """
    fullest: dict[Hashable, str] = {}
    for person, name in zip(people, printed, strict=True):
        longest = fullest.setdefault(person, name)
        if longest != name:
            fullest[person] = max(longest, name, key=lambda spelling: (len(spelling), spelling))
    if len(set(fullest.values())) < len(fullest):
        counts: Counter[str] = Counter()
        for person, name in fullest.items():
            counts[name] += 1
            fullest[person] = name if counts[name] == 1 else f"{name} ({counts[name]})"
    return [fullest[person] for person in people]


_Place = tuple[int, int]
"""A place in a byline: the article's number and the position in it."""


def _merged_people(sources: Sequence[ArticleSource]) -> list[Hashable]:
    """The person of each byline entry if all names that may belong to the same person are merged.

    Merging too many names is safe: where it changes an answer, the question is not asked.
    """
    people: dict[_Place, Hashable] = {}
    families: dict[str, list[tuple[_Place, tuple[str, ...]]]] = defaultdict(list)
    for number, source in enumerate(sources):
        for position, entry in enumerate(source.byline):
            people[number, position] = None
            given = given_words(entry.given, all_caps=entry.family.isupper())
            families[family_letters(entry.family)].append(((number, position), given))
    for family, members in families.items():
        for group in _merge_given_names(members):
            people.update((entry, (family, group[0])) for entry in group)
    return list(people.values())


def _merge_given_names(members: Iterable[tuple[_Place, tuple[str, ...]]]) -> list[list[_Place]]:
    """The places of one family name, grouped where the given names match, directly or through a third name."""
    groups: list[tuple[list[_Place], set[tuple[str, ...]]]] = []
    for entry, given_names in members:
        matching = [group for group in groups if any(given_names_match(given_names, other) for other in group[1])]
        groups = [group for group in groups if group not in matching]
        places = [member for group in matching for member in group[0]]
        groups.append(([*places, entry], {given_names}.union(*(group[1] for group in matching))))
    return [entries for entries, _ in groups]


def family_letters(family: str) -> str:
    """The name without accents, case, spaces and punctuation, the same for "van der Walt" and "Vanderwalt"."""
    return re.sub(r"[\W_]+", "", without_accents(family).casefold())
