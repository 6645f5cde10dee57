"""Random collections of articles, on which mutants of a program give other answers than the program."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from fathom.tasks.numeric.schema import NAME, SCHEMA, wrote_at_least
from fathom.tasks.numeric.tables import ArticleRow, AuthorRow, CitationRow, ContextTables, make_tables
from fathom.tasks.programs import mutants
from fathom.tasks.programs.mutants import Constants
from fathom.tasks.programs.tree import Aggregate, Count, Not, Program, RelatedCount, Values


def random_tables(rng: Random, constants: Constants) -> ContextTables:
    """A small collection whose values lie around the constants of a program, where mutants differ from it.

    Collections of one to three articles detect mutants that a maximum or an OR hides in larger ones. Bylines drawn from
    many names have people with a single article; those drawn from few names have people with several.
    """
    near = [value + step for value in constants.numbers for step in (-1, 0, 1) if value + step >= 0] or [1, 2, 3]
    count = rng.choice((1, 2, 3, 5, 8, 12, 12))
    articles = tuple(
        ArticleRow(number, title, *_counts(rng, near, number == 1))
        for number, title in enumerate(_titles(rng, constants, count), start=1)
    )
    pairs = [(citing, cited) for citing in range(1, count + 1) for cited in range(1, count + 1) if citing != cited]
    citation_count = rng.choice((0, count, 3 * count, len(pairs), rng.choice(near) * count, rng.choice(near) * count))
    citations = tuple(CitationRow(*pair) for pair in sorted(rng.sample(pairs, min(len(pairs), citation_count))))
    return make_tables((), articles, _bylines(rng, constants, articles), citations)


WORDS = ("", "New ", "On the ")
"""Beginnings of titles."""
LONG_BYLINE, MAX_BYLINE_LENGTH = 30, 120
"""Numbers of authors. Bylines exceed `LONG_BYLINE` only if every constant does, and `MAX_BYLINE_LENGTH` at most
slightly."""


def _counts(rng: Random, near: list[int], first: bool) -> tuple[int, int, int]:
    """Title words, authors and references of one article; often one of them, or a sum or quotient, is near a constant.

    `first` is true for the first article, which has at least one author.
    """
    few = [value for value in near if value <= LONG_BYLINE] or [min(value, MAX_BYLINE_LENGTH) for value in near]
    value = rng.choice(few)
    # Near a constant, a little above it, or unrelated to it.
    authors = rng.choice((value, value, value, value + rng.randint(0, 5), rng.randint(1, 8), rng.randint(1, 8)))
    authors = max(1, authors) if first else authors  # every collection has an author
    value, divisor = rng.choice(near), max(1, authors)
    beyond = value + rng.randint(0, 9)
    words = rng.choice((value, value, beyond, value - authors, value // divisor, rng.randint(1, 15)))
    value = rng.choice(near)
    beyond = value + rng.randint(-9, 9)
    references = rng.choice((value, value, beyond, value + authors, value * divisor, rng.randint(1, 60)))
    return max(1, words), authors, max(0, references)


def _titles(rng: Random, constants: Constants, count: int) -> list[str]:
    """Titles: some are a constant of the program, some contain one, and the others do not."""
    titles = [*constants.texts, *(f"{WORDS[number % 3]}title {number}" for number in range(1, count + 1))][:count]
    rng.shuffle(titles)
    return [
        f"{rng.choice(constants.texts)} {title}"
        if constants.texts and title not in constants.texts and rng.random() < 0.4
        else title
        for title in titles
    ]


def _bylines(rng: Random, constants: Constants, articles: Sequence[ArticleRow]) -> tuple[AuthorRow, ...]:
    counts = [row.author_count or 0 for row in articles]
    longest = max(counts)
    size = max(1, longest - len(constants.texts)) + rng.choice((0, 4, 40))
    longer = [f"{text} Old" for text in constants.texts]
    names = [*constants.texts, *longer, *(f"{chr(65 + number % 26)}. Author {number}" for number in range(1, size + 1))]
    return tuple(
        AuthorRow(row.number, name, position)
        for row, count in zip(articles, counts, strict=True)
        for position, name in enumerate(rng.sample(names, count), start=1)
    )


def is_equivalent(program: Program, mutant: Program) -> bool:
    """Whether a mutant provably gives the same answer on every collection.

    A person with fewer than two articles is in one byline, so listing or counting such people needs no DISTINCT. Every
    citation is counted once, by the citing or by the cited article.
    """
    if mutants.is_equivalent(program, mutant, SCHEMA):
        return True
    totals = [Program(Aggregate("SUM", RelatedCount(relation))) for relation in ("citing", "cited")]
    if program in totals and mutant in totals:
        return True
    if program.where != Not(wrote_at_least(2)) or mutant.where != program.where:
        return False
    return mutant.output in (Values(NAME), Count())
