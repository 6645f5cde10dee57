"""Programs run a second time, without SQL: if the two ever disagree, a key is wrong and nothing may be built on it."""

from __future__ import annotations

import operator
from collections.abc import Callable

from fathom.tasks.numeric.programs import (
    And,
    Arithmetic,
    AtPosition,
    Between,
    Cited,
    CitedByArticle,
    Cites,
    CitesArticle,
    Compare,
    Condition,
    Field,
    HasAuthor,
    HowMany,
    Measure,
    Names,
    Not,
    OneOf,
    Or,
    PerValue,
    Program,
    SharesAuthor,
    TitleHas,
    Titles,
    Total,
    Values,
    WroteAtLeast,
    over_bylines,
)
from fathom.tasks.numeric.tables import ArticleRow, AuthorRow, Tables

Row = tuple[int | float | str | None, ...]

_COMPARE: dict[str, Callable[[float, float], bool]] = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
}


def evaluate(program: Program, tables: Tables) -> list[Row]:
    """The rows that the program gives: what is wanted, then the sort keys."""
    pairs = _fitting(program, tables)
    articles = list({article.number: article for article, _ in pairs}.values())
    people = [author.name for _, author in pairs if author is not None]
    match program.output:
        case HowMany() | Total() as result:
            return [(_result(result, articles, people),)]
        case PerValue(key, result):
            values = sorted({measured(key, article) for article in articles})
            return [
                (value, _result(result, [article for article in articles if measured(key, article) == value], []))
                for value in values
            ]
        case Names():
            return [(name,) for name in dict.fromkeys(people)]
        case Titles():
            rows: list[Row] = [(article.title, *_keys(program, article)) for article in articles]
        case Values(measure, distinct):
            rows = [(measured(measure, article), *_keys(program, article)) for article in articles]
            if distinct:
                rows = list(dict.fromkeys(rows))
    # Sorting by the last key first leaves the first key in charge: Python's sort keeps the order of equals.
    for place, sort in reversed(list(enumerate(program.order, start=1))):
        rows.sort(key=lambda row, place=place: row[place], reverse=sort.direction == "DESC")  # type: ignore[misc]
    return rows


def kept_articles(program: Program, tables: Tables) -> list[int]:
    """The numbers of the articles that fit the program's condition, or one of whose authors does."""
    return list(dict.fromkeys(article.number for article, _ in _fitting(program, tables)))


def _fitting(program: Program, tables: Tables) -> list[tuple[ArticleRow, AuthorRow | None]]:
    if not over_bylines(program):
        return [
            (article, None)
            for article in tables.articles
            if program.where is None or _holds(program.where, article, None, tables)
        ]
    return [
        (article, author)
        for article in tables.articles
        for author in tables.by_article[article.number]
        if program.where is None or _holds(program.where, article, author, tables)
    ]


def _keys(program: Program, article: ArticleRow) -> tuple[float, ...]:
    return tuple(measured(sort.measure, article) for sort in program.order)


def measured(measure: Measure, article: ArticleRow) -> int | float:
    """The value of the measure for one article."""
    match measure:
        case Field(name):
            return int(getattr(article, name))
        case Arithmetic(left, sign, right):
            one = measured(left, article)
            two = measured(right, article) if isinstance(right, Field) else right
            return {"+": one + two, "-": one - two, "*": one * two}[sign] if sign in "+-*" else _divided(one, sign, two)


def _divided(one: float, sign: str, two: float) -> float:
    return one / two if sign == "/" else one % two


def _result(result: HowMany | Total, articles: list[ArticleRow], people: list[str]) -> int | float | None:
    match result:
        case HowMany("articles"):
            return len(articles)
        case HowMany("people"):
            return len(set(people))
        case HowMany(measure):
            assert not isinstance(measure, str)
            return len({measured(measure, article) for article in articles})
        case Total(function, measure):
            values = [measured(measure, article) for article in articles]
            if not values:
                return None
            return _FUNCTIONS[function](values)


_FUNCTIONS: dict[str, Callable[[list[int | float]], int | float]] = {
    "MAX": max,
    "MIN": min,
    "SUM": sum,
    "AVG": lambda values: sum(values) / len(values),
}


def _holds(condition: Condition, article: ArticleRow, author: AuthorRow | None, tables: Tables) -> bool:
    match condition:
        case And(left, right):
            return _holds(left, article, author, tables) and _holds(right, article, author, tables)
        case Or(left, right):
            return _holds(left, article, author, tables) or _holds(right, article, author, tables)
        case Not(inner):
            return not _holds(inner, article, author, tables)
        case Compare(measure, sign, value):
            return _COMPARE[sign](measured(measure, article), value)  # type: ignore[arg-type]
        case Between(measure, low, high):
            return low <= measured(measure, article) <= high  # type: ignore[operator]
        case OneOf(measure, values):
            return measured(measure, article) in values
        case TitleHas(fragment):
            return str(fragment).lower() in article.title.lower()
        case AtPosition(sign, value):
            assert author is not None
            return _COMPARE[sign](author.position, value)  # type: ignore[arg-type]
        case WroteAtLeast(least):
            assert author is not None
            return tables.articles_of[author.name] >= least  # type: ignore[operator]
        case _:
            return _relates(condition, article, tables)


def _relates(condition: Condition, article: ArticleRow, tables: Tables) -> bool:
    match condition:
        case HasAuthor(name):
            return any(row.name == name for row in tables.by_article[article.number])
        case Cites(least):
            return tables.citing[article.number] >= least  # type: ignore[operator]
        case Cited(least):
            return tables.cited[article.number] >= least  # type: ignore[operator]
        case CitesArticle(title):
            return any(r.citing == article.number and _title(tables, r.cited) == title for r in tables.citations)
        case CitedByArticle(title):
            return any(r.cited == article.number and _title(tables, r.citing) == title for r in tables.citations)
        case SharesAuthor(title):
            theirs = {row.name for row in tables.authors if _title(tables, row.article) == title}
            ours = {row.name for row in tables.by_article[article.number]}
            return article.title != title and not theirs.isdisjoint(ours)
        case _:
            raise TypeError(f"{condition} is no relation")


def _title(tables: Tables, number: int) -> str:
    return tables.articles[number - 1].title
