"""Wrong readings of a program: each differs from it by one edit, and a good collection tells it apart."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from sqlglot import exp, parse_one

from fathom.tasks.numeric.tables import ArticleRow, AuthorRow, CitationRow, Tables

_NEIGHBOURS: dict[type[exp.Expr], tuple[type[exp.Expr], ...]] = {
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
    for other in _NEIGHBOURS.get(type(node), ()):
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
    """A small collection whose values crowd around what a statement names, where wrong readings differ."""
    near = [value + step for value in named.numbers for step in (-1, 0, 1) if value + step > 0] or [1, 2, 3]
    count = rng.randint(5, 12)

    def value(high: int) -> int:
        return rng.choice(near) if rng.random() < 0.6 else rng.randint(1, high)

    titles = [*named.texts, *(f"Title {number}" for number in range(1, count + 1))][:count]
    rng.shuffle(titles)
    articles = tuple(
        ArticleRow(number, title, value(15), value(8), value(60)) for number, title in enumerate(titles, start=1)
    )
    names = [*named.texts, *(f"Author {number}" for number in range(1, 9))]
    authors = [
        AuthorRow(row.number, name, position)
        for row in articles
        for position, name in enumerate(rng.sample(names, min(row.author_count, len(names))), start=1)
    ]
    pairs = [(one, two) for one in range(1, count + 1) for two in range(1, count + 1) if one != two]
    citations = tuple(
        CitationRow(*pair)
        for pair in sorted(rng.sample(pairs, min(len(pairs), rng.choice((0, count, 3 * count, len(pairs))))))
    )
    return Tables((), articles, tuple(authors), citations)
