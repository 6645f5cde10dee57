"""Programs run a second time, without SQL: if the two ever disagree, a key is wrong and nothing may be built on it.

The rows that fit a condition are the bits of one whole number, so that AND, OR and NOT are single operations and how
many rows fit is known without running anything; values for templates are drawn by it.
"""

from __future__ import annotations

import operator
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from fathom.tasks.numeric.programs import (
    And,
    AtPosition,
    Between,
    Cited,
    CitedByArticle,
    Cites,
    CitesArticle,
    Comparator,
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
    Slot,
    TitleHas,
    Titles,
    Total,
    Values,
    WroteAtLeast,
    over_bylines,
)
from fathom.tasks.numeric.tables import ArticleRow, Tables

Row = tuple[int | float | str | None, ...]
Filling = Mapping[Slot, int | str]


def evaluate(program: Program, tables: Tables) -> list[Row]:
    """The rows that the program gives: what is wanted, then the sort keys."""
    fits = _fits(tables, over_bylines(program))
    mask = fits.of(program.where)
    articles = fits.articles(mask)
    match program.output:
        case HowMany() | Total() as result:
            return [(_result(result, articles, fits.names(mask)),)]
        case PerValue(key, result):
            values = sorted({measured(key, article) for article in articles})
            return [
                (value, _result(result, [article for article in articles if measured(key, article) == value], []))
                for value in values
            ]
        case Names():
            return [(name,) for name in fits.names(mask)]
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
    fits = _fits(tables, over_bylines(program))
    return [article.number for article in fits.articles(fits.of(program.where))]


def _fits(tables: Tables, people: bool) -> Fits:
    """The same for every program over the same tables: whoever looks for slips runs a dozen."""
    name = "names that fit" if people else "articles that fit"
    found: Fits | None = tables.worked_out.get(name)
    if found is None:
        found = tables.worked_out[name] = Fits(tables, people)
    return found


class Fits:
    """Which articles, or which names in bylines, fit a condition: bit n stands for row n of their table."""

    def __init__(self, tables: Tables, people: bool) -> None:
        self._tables = tables
        self._people = people
        self._scales: dict[Measure, _Scale] = {}
        self.every = (1 << len(tables.authors if people else tables.articles)) - 1
        self._blocks = self._blocks_of_articles()

    def _blocks_of_articles(self) -> list[int]:
        """For each article its bits: one, or one for each of its names."""
        if not self._people:
            return [1 << place for place in range(len(self._tables.articles))]
        blocks = [0] * len(self._tables.articles)
        for place, row in enumerate(self._tables.authors):
            blocks[row.article - 1] |= 1 << place
        return blocks

    def of(self, condition: Condition | None, filling: Filling | None = None) -> int:
        """The rows that fit; slots stand for their values in the filling."""
        return self.every if condition is None else self._of(condition, filling or {})

    def articles(self, mask: int) -> list[ArticleRow]:
        """The articles of these rows, in order."""
        rows = self._tables.articles
        if self._people:
            numbers = dict.fromkeys(self._tables.authors[place].article for place in _bits(mask))
            return [rows[number - 1] for number in sorted(numbers)]
        return [rows[place] for place in _bits(mask)]

    def names(self, mask: int) -> list[str]:
        """The names in these rows, each once."""
        if not self._people:
            return []
        return list(dict.fromkeys(self._tables.authors[place].name for place in _bits(mask)))

    def _of(self, condition: Condition, filling: Filling) -> int:
        match condition:
            case And(left, right):
                return self._of(left, filling) & self._of(right, filling)
            case Or(left, right):
                return self._of(left, filling) | self._of(right, filling)
            case Not(inner):
                return self.every & ~self._of(inner, filling)
            case Compare(measure, sign, value):
                return self._scale(measure).where(sign, _number(value, filling))
            case Between(measure, low, high):
                scale = self._scale(measure)
                return scale.where("<=", _number(high, filling)) & scale.where(">=", _number(low, filling))
            case OneOf(measure, values):
                return _union(self._scale(measure).where("=", _number(value, filling)) for value in values)
            case TitleHas(fragment):
                wanted = _text(fragment, filling).lower()
                return _union(
                    block for block, title in zip(self._blocks, self._lower_titles, strict=True) if wanted in title
                )
            case AtPosition(sign, value):
                return self._positions.where(sign, _number(value, filling))
            case WroteAtLeast(least):
                return self._outputs.where(">=", _number(least, filling))
            case Cites(least):
                return self._citing.where(">=", _number(least, filling))
            case Cited(least):
                return self._cited.where(">=", _number(least, filling))
            case HasAuthor(name):
                return self._by_author.get(_text(name, filling), 0)
            case CitesArticle(title):
                named = self._numbers[_text(title, filling)]
                return self._blocks_of(row.citing for row in self._tables.citations if row.cited in named)
            case CitedByArticle(title):
                named = self._numbers[_text(title, filling)]
                return self._blocks_of(row.cited for row in self._tables.citations if row.citing in named)
            case SharesAuthor(title):
                named = self._numbers[_text(title, filling)]
                theirs = {row.name for number in named for row in self._tables.by_article[number]}
                return _union(self._by_author[name] for name in theirs) & ~self._blocks_of(named)

    # Rows by what they hold; made when first asked for.

    def _scale(self, measure: Measure) -> _Scale:
        if measure not in self._scales:
            self._scales[measure] = _Scale(zip(column(measure, self._tables.articles), self._blocks, strict=True))
        return self._scales[measure]

    def values(self, measure: Measure) -> list[float]:
        """The different values of a measure, the smallest first."""
        return self._scale(measure).values

    @cached_property
    def _positions(self) -> _Scale:
        return _Scale((row.position, 1 << place) for place, row in enumerate(self._tables.authors))

    @cached_property
    def _outputs(self) -> _Scale:
        counts = self._tables.articles_of
        return _Scale((counts[row.name], 1 << place) for place, row in enumerate(self._tables.authors))

    @cached_property
    def _citing(self) -> _Scale:
        return self._counted(self._tables.citing)

    @cached_property
    def _cited(self) -> _Scale:
        return self._counted(self._tables.cited)

    def _counted(self, counts: Counter[int]) -> _Scale:
        return _Scale(
            (counts[row.number], block) for row, block in zip(self._tables.articles, self._blocks, strict=True)
        )

    @cached_property
    def _by_author(self) -> dict[str, int]:
        """All rows of the articles that a person wrote."""
        found: dict[str, int] = defaultdict(int)
        for row in self._tables.authors:
            found[row.name] |= self._blocks[row.article - 1]
        return found

    @cached_property
    def _numbers(self) -> dict[str, set[int]]:
        """The articles of each title."""
        found: dict[str, set[int]] = defaultdict(set)
        for row in self._tables.articles:
            found[row.title].add(row.number)
        return found

    @cached_property
    def _lower_titles(self) -> list[str]:
        return [row.title.lower() for row in self._tables.articles]

    def _blocks_of(self, numbers: Iterable[int]) -> int:
        return _union(self._blocks[number - 1] for number in numbers)


class _Scale:
    """Rows in the order of a number that each has."""

    def __init__(self, pairs: Iterable[tuple[float, int]]) -> None:
        at: dict[float, int] = defaultdict(int)
        for value, block in pairs:
            at[value] |= block
        self.values = sorted(at)
        self._below = [0]
        """The rows below the first value, below the second, ..., and at last all of them."""
        for value in self.values:
            self._below.append(self._below[-1] | at[value])

    def where(self, sign: Comparator, value: float) -> int:
        """The rows whose number stands in this relation to the value."""
        less, most, every = (
            self._below[bisect_left(self.values, value)],
            self._below[bisect_right(self.values, value)],
            self._below[-1],
        )
        match sign:
            case "<":
                return less
            case "<=":
                return most
            case "=":
                return most & ~less
            case "<>":
                return every & ~(most & ~less)
            case ">":
                return every & ~most
            case ">=":
                return every & ~less


def _bits(mask: int) -> Iterator[int]:
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def _union(masks: Iterable[int]) -> int:
    union = 0
    for mask in masks:
        union |= mask
    return union


def _number(value: int | Slot, filling: Filling) -> int:
    found = filling[value] if isinstance(value, Slot) else value
    assert isinstance(found, int)
    return found


def _text(value: str | Slot, filling: Filling) -> str:
    return str(filling[value] if isinstance(value, Slot) else value)


def _keys(program: Program, article: ArticleRow) -> tuple[float, ...]:
    return tuple(measured(sort.measure, article) for sort in program.order)


def measured(measure: Measure, article: ArticleRow) -> int | float:
    """The value of the measure for one article."""
    return column(measure, [article])[0]


def column(measure: Measure, articles: Sequence[ArticleRow]) -> list[int] | list[float]:
    """The value of the measure for each article."""
    if isinstance(measure, Field):
        return list(map(_FIELD[measure.name], articles))
    left = column(measure.left, articles)
    right = column(measure.right, articles) if isinstance(measure.right, Field) else [measure.right] * len(left)
    return list(map(_ARITHMETIC[measure.sign], left, right))


_FIELD: dict[str, Callable[[ArticleRow], int]] = {
    name: operator.attrgetter(name) for name in ("title_word_count", "author_count", "reference_count")
}
_ARITHMETIC: dict[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "%": operator.mod,
}


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
