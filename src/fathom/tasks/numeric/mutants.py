"""Wrong readings of a program: each differs from it by one edit, and a good collection tells it apart."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from random import Random
from typing import NamedTuple

from sqlglot import exp, parse_one

from fathom.tasks.numeric.tables import ArticleRow, AuthorRow, CitationRow, Tables

_NEIGHBORS: dict[type[exp.Expr], tuple[type[exp.Expr], ...]] = {
    exp.GT: (exp.GTE, exp.LT),
    exp.GTE: (exp.GT, exp.LTE),
    exp.LT: (exp.LTE, exp.GT),
    exp.LTE: (exp.LT, exp.GTE),
    exp.EQ: (exp.NEQ, exp.GTE),
    exp.NEQ: (exp.EQ,),
    exp.And: (exp.Or,),
    exp.Or: (exp.And,),
    exp.Max: (exp.Min,),
    exp.Min: (exp.Max,),
    exp.Sum: (exp.Avg, exp.Max),
    exp.Avg: (exp.Sum,),
}
_COLUMNS = {
    "title_word_count": "reference_count",
    "reference_count": "author_count",
    "author_count": "title_word_count",
    "article_id_citing": "article_id_cited",
    "article_id_cited": "article_id_citing",
}


class Constants(NamedTuple):
    """What a statement names."""

    numbers: tuple[int, ...] = ()
    texts: tuple[str, ...] = ()


def mutants(statement: str) -> Iterator[tuple[str, str]]:
    """The kind of edit and the edited statement, for every single edit of a statement."""
    tree = parse_one(statement, read="sqlite")
    count = sum(1 for _ in tree.walk())
    for place in range(count):
        node = _at(tree, place)
        for kind, edited in _edits(node):
            copy = tree.copy()
            target = _at(copy, place)
            if target is copy:
                yield kind, edited.sql("sqlite")
                continue
            target.replace(edited)
            text = copy.sql("sqlite")
            if text != tree.sql("sqlite"):
                yield kind, text


def _at(tree: exp.Expr, place: int) -> exp.Expr:
    for number, node in enumerate(tree.walk()):
        if number == place:
            return node
    raise IndexError(place)


def _edits(node: exp.Expr) -> Iterator[tuple[str, exp.Expr]]:
    for other in _NEIGHBORS.get(type(node), ()):
        kind = "connective" if isinstance(node, exp.And | exp.Or) else "operator"
        if other is exp.GTE and isinstance(node.expression, exp.Literal) and node.expression.is_string:
            continue  # Nobody takes "is Lind" for "comes at or after Lind in the alphabet".
        changed = node.copy()
        yield kind, other(**changed.args)
    if isinstance(node, exp.Literal) and node.is_int and node.parent_select is not None:
        yield "constant", exp.Literal.number(int(node.name) + 1)
        yield "constant", exp.Literal.number(int(node.name) - 1)
    if isinstance(node, exp.Column) and node.name in _COLUMNS:
        kind = "citing/cited" if node.name.startswith("article_id") else "column"
        yield kind, exp.column(_COLUMNS[node.name])
    if isinstance(node, exp.Ordered):
        yield "direction", exp.Ordered(this=node.this.copy(), desc=not node.args.get("desc"))
    if isinstance(node, exp.Not):
        yield "negation", node.this.copy()
    if isinstance(node, exp.Distinct) and node.expressions:
        yield "distinct", node.expressions[0].copy()
    if isinstance(node, exp.Select) and node.args.get("distinct"):
        plain = node.copy()
        plain.set("distinct", None)
        yield "distinct", plain
    if isinstance(node, exp.Where):
        yield "negation", exp.Where(this=exp.Not(this=exp.Paren(this=node.this.copy())))


def constants(statement: str) -> Constants:
    """The numbers and texts that a statement names."""
    literals = list(parse_one(statement, read="sqlite").find_all(exp.Literal))
    return Constants(
        numbers=tuple(int(literal.name) for literal in literals if literal.is_int),
        texts=tuple(dict.fromkeys(literal.name.strip("%") for literal in literals if literal.is_string)),
    )


def random_tables(rng: Random, named: Constants) -> Tables:
    """A small collection whose values crowd around what a statement names, where wrong readings differ.

    Collections of one to three articles give away what an extreme or a union hides in larger ones; bylines drawn from
    many names hold people with a single article, those drawn from few hold people with several.
    """
    near = [value + step for value in named.numbers for step in (-1, 0, 1) if value + step >= 0] or [1, 2, 3]
    count = rng.choice((1, 2, 3, 5, 8, 12, 12))
    articles = tuple(
        ArticleRow(number, title, *_counts(rng, near, number == 1))
        for number, title in enumerate(_titles(rng, named, count), start=1)
    )
    pairs = [(one, two) for one in range(1, count + 1) for two in range(1, count + 1) if one != two]
    wanted = rng.choice((0, count, 3 * count, len(pairs), rng.choice(near) * count, rng.choice(near) * count))
    citations = tuple(CitationRow(*pair) for pair in sorted(rng.sample(pairs, min(len(pairs), wanted))))
    return Tables((), articles, _bylines(rng, named, articles), citations)


LONG_BYLINE, LONGEST_BYLINE = 30, 120
"""Authors; a byline longer than the first is made only where all that a statement names is larger."""


def _counts(rng: Random, near: list[int], first: bool) -> tuple[int, int, int]:
    """Words, authors and references of one article, each or what they make together near what is named."""
    few = [value for value in near if value <= LONG_BYLINE] or [min(value, LONGEST_BYLINE) for value in near]
    value = rng.choice(few)
    # At what is named, beyond it, and anywhere.
    authors = rng.choice((value, value, value, value + rng.randint(0, 5), rng.randint(1, 8), rng.randint(1, 8)))
    authors = max(1, authors) if first else authors  # somebody wrote something in every collection
    value, divisor = rng.choice(near), max(1, authors)
    beyond = value + rng.randint(0, 9)
    words = rng.choice((value, value, beyond, value - authors, value // divisor, rng.randint(1, 15)))
    value = rng.choice(near)
    beyond = value + rng.randint(-9, 9)
    references = rng.choice((value, value, beyond, value + authors, value * divisor, rng.randint(1, 60)))
    return max(1, words), authors, max(0, references)


def _titles(rng: Random, named: Constants, count: int) -> list[str]:
    """Titles that are what is named, that hold it, and others."""
    titles = [*named.texts, *(f"Title {number}" for number in range(1, count + 1))][:count]
    rng.shuffle(titles)
    return [
        f"{rng.choice(named.texts)} {title}"
        if named.texts and title not in named.texts and rng.random() < 0.4
        else title
        for title in titles
    ]


def _bylines(rng: Random, named: Constants, articles: Sequence[ArticleRow]) -> tuple[AuthorRow, ...]:
    longest = max(row.author_count for row in articles)
    size = max(1, longest - len(named.texts)) + rng.choice((0, 4, 40))
    names = [*named.texts, *(f"Author {number}" for number in range(1, size + 1))]
    return tuple(
        AuthorRow(row.number, name, position)
        for row in articles
        for position, name in enumerate(rng.sample(names, row.author_count), start=1)
    )


# Edits that change nothing.


def is_same(statement: str, edited: str) -> bool:
    """Whether two statements provably mean the same on every collection, so that the edit is no wrong reading.

    Two reasons are known. A condition can be idle: whoever stands at position 7 stands among at least 7 authors, and
    every title has a word. And a person with fewer than two articles stands in one byline: DISTINCT says nothing.
    """
    one, two = parse_one(statement, read="sqlite"), parse_one(edited, read="sqlite")
    return _selects_the_same_rows(one, two) or _repeats_nobody(one, two)


def _selects_the_same_rows(one: exp.Expr, two: exp.Expr) -> bool:
    """Whether only the conditions differ, and agree on every row that there can be."""
    first, second = one.args.get("where"), two.args.get("where")
    if first is None or second is None or _without(one, "where") != _without(two, "where"):
        return False
    nodes = [node for where in (first, second) for node in where.walk()]
    columns = {node.name for node in nodes if isinstance(node, exp.Column)}
    if not columns <= _LEAST.keys() or not all(isinstance(node, _COMPARISONS) for node in nodes):
        return False
    numbers = {int(node.name) for node in nodes if isinstance(node, exp.Literal) and node.is_int}
    # A row of a byline belongs to an article that has an author.
    least = _LEAST | ({"author_count": 1} if one.args["from_"].this.name == "article_author" else {})
    rows = _possible_rows({column: least[column] for column in columns}, numbers)
    return all(_holds(first.this, row) == _holds(second.this, row) for row in rows)


_LEAST = {"author_position": 1, "author_count": 0, "title_word_count": 1, "reference_count": 0}
"""The least value of each column."""
_RELATIONS: dict[type[exp.Expr], Callable[[int, int], bool]] = {
    exp.EQ: operator.eq,
    exp.NEQ: operator.ne,
    exp.LT: operator.lt,
    exp.GT: operator.gt,
    exp.LTE: operator.le,
    exp.GTE: operator.ge,
}
_COMPARISONS = (
    *_RELATIONS,
    *(exp.Where, exp.And, exp.Or, exp.Not, exp.Paren, exp.Between, exp.In, exp.Column, exp.Identifier, exp.Literal),
)


def _possible_rows(least: dict[str, int], numbers: set[int]) -> Iterator[dict[str, int]]:
    """A row of every kind that comparisons with these numbers can tell apart: at each number, beside it, beyond all."""
    beside = {number + step for number in numbers for step in (-1, 0, 1)} | {max(numbers, default=0) + 2}
    options = [sorted({low} | {value for value in beside if value >= low}) for low in least.values()]
    for values in product(*options):
        row = dict(zip(least, values, strict=True))
        if row.get("author_position", 0) <= row.get("author_count", max(beside)):
            yield row


def _holds(node: exp.Expr, row: dict[str, int]) -> bool:
    """Whether a condition of comparisons alone holds for a row."""
    match node:
        case exp.Paren():
            return _holds(node.this, row)
        case exp.Not():
            return not _holds(node.this, row)
        case exp.And():
            return _holds(node.this, row) and _holds(node.expression, row)
        case exp.Or():
            return _holds(node.this, row) or _holds(node.expression, row)
        case exp.Between():
            return _number(node.args["low"], row) <= _number(node.this, row) <= _number(node.args["high"], row)
        case exp.In():
            return _number(node.this, row) in [_number(value, row) for value in node.expressions]
        case _:
            return _RELATIONS[type(node)](_number(node.this, row), _number(node.expression, row))


def _number(node: exp.Expr, row: dict[str, int]) -> int:
    return row[node.name] if isinstance(node, exp.Column) else int(node.name)


def _repeats_nobody(one: exp.Expr, two: exp.Expr) -> bool:
    """Whether the two differ in a DISTINCT over people who have one article."""
    once = "NOT author_name IN (SELECT author_name FROM article_author GROUP BY author_name HAVING COUNT(*) >= 2)"
    where = one.args.get("where")
    if where is None or where.this.sql("sqlite") != once:
        return False
    return _undoubled(one) == _undoubled(two)


def _undoubled(tree: exp.Expr) -> str:
    return tree.sql("sqlite").replace("DISTINCT ", "")


def _without(tree: exp.Expr, clause: str) -> exp.Expr:
    copy = tree.copy()
    copy.set(clause, None)
    return copy
