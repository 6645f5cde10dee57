"""The SQL of a program. Values stand in it as literals, safely quoted, or as parameters for a prepared statement."""

from __future__ import annotations

import re
from dataclasses import dataclass

from fathom.tasks.numeric.programs import (
    RELATIONS,
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
    Output,
    PerValue,
    Program,
    SharesAuthor,
    Slot,
    Sort,
    TitleHas,
    Titles,
    Total,
    Values,
    WroteAtLeast,
    over_bylines,
)

COMMANDS = ("MAX", "MIN", "SUM", "AVG", "COUNT", "DISTINCT", "ORDER BY", "ASC", "DESC", "GROUP BY", "WHERE")
OPERATORS = ("=", "<>", "<", ">", "<=", ">=", "LIKE", "+", "-", "*", "/", "%", "AND", "OR", "NOT", "BETWEEN", "IN")


@dataclass(frozen=True)
class Query:
    """A statement, and the slots that its parameters stand for, in order."""

    text: str
    slots: tuple[Slot, ...]


def query(program: Program) -> Query:
    """The statement of a template: a question mark for each slot; one text, prepared once."""
    writer = _Writer()
    text = writer.statement(program)
    return Query(text, tuple(writer.slots))


def literal(program: Program) -> str:
    """The statement of a bound program, as a person would write it."""
    return _Writer().statement(program)


class _Writer:
    def __init__(self) -> None:
        self.slots: list[Slot] = []

    def statement(self, program: Program) -> str:
        """SELECT columns FROM source WHERE condition GROUP BY key ORDER BY keys.

        Behind what is wanted stand the sort keys: rows that agree in them are tied, and ties are part of the answer.
        """
        people = over_bylines(program)
        columns = [*self._columns(program.output, people), *(self._measure(sort.measure) for sort in program.order)]
        distinct = "DISTINCT " if _is_distinct(program.output) else ""
        source = "article_author JOIN articles USING (article_id)" if people else "articles"
        text = f"SELECT {distinct}{', '.join(columns)} FROM {source}"
        if program.where is not None:
            text += f" WHERE {self._condition(program.where)}"
        if isinstance(program.output, PerValue):
            text += f" GROUP BY {program.output.key.name}"
        if program.order:
            text += f" ORDER BY {', '.join(self._sort(sort) for sort in program.order)}"
        return text

    def _columns(self, output: Output, people: bool) -> list[str]:
        match output:
            case Titles():
                return ["article_title"]
            case Names():
                return ["author_name"]
            case Values(measure, _):
                return [self._measure(measure)]
            case PerValue(key, result):
                return [key.name, self._result(result, people)]
            case HowMany() | Total():
                return [self._result(output, people)]

    def _result(self, result: HowMany | Total, people: bool) -> str:
        match result:
            case HowMany("articles"):
                return "COUNT(DISTINCT article_id)" if people else "COUNT(*)"
            case HowMany("people"):
                return "COUNT(DISTINCT author_name)"
            case HowMany(measure):
                assert not isinstance(measure, str)
                return f"COUNT(DISTINCT {self._measure(measure)})"
            case Total(function, measure):
                return f"{function}({self._measure(measure)})"

    def _sort(self, sort: Sort) -> str:
        return f"{self._measure(sort.measure)} {sort.direction}"

    def _measure(self, measure: Measure) -> str:
        match measure:
            case Field(name):
                return name
            case Arithmetic(left, sign, right):
                number = right.name if isinstance(right, Field) else str(right)
                # SQLite divides whole numbers into whole numbers; the questions mean decimal division.
                return f"1.0 * {left.name} / {number}" if sign == "/" else f"{left.name} {sign} {number}"

    def _condition(self, condition: Condition) -> str:
        match condition:
            case Compare(measure, sign, value):
                return f"{self._measure(measure)} {sign} {self._value(value)}"
            case Between(measure, low, high):
                return f"{self._measure(measure)} BETWEEN {self._value(low)} AND {self._value(high)}"
            case OneOf(measure, values):
                return f"{self._measure(measure)} IN ({', '.join(map(self._value, values))})"
            case TitleHas(fragment):
                return f"article_title LIKE {self._value(fragment, around='%')}"
            case AtPosition(sign, value):
                return f"author_position {sign} {self._value(value)}"
            case And(left, right):
                return f"({self._condition(left)} AND {self._condition(right)})"
            case Or(left, right):
                return f"({self._condition(left)} OR {self._condition(right)})"
            case Not(Between(measure, low, high)):
                return f"{self._measure(measure)} NOT BETWEEN {self._value(low)} AND {self._value(high)}"
            case Not(OneOf(measure, values)):
                return f"{self._measure(measure)} NOT IN ({', '.join(map(self._value, values))})"
            case Not(TitleHas(fragment)):
                return f"article_title NOT LIKE {self._value(fragment, around='%')}"
            case Not(inner) if isinstance(inner, RELATIONS):
                return f"{self._key(inner)} NOT IN ({self._relation(inner)})"
            case Not(inner):
                return f"NOT ({self._condition(inner)})"
            case _:
                return f"{self._key(condition)} IN ({self._relation(condition)})"

    def _key(self, condition: Condition) -> str:
        return "author_name" if isinstance(condition, WroteAtLeast) else "article_id"

    def _relation(self, condition: Condition) -> str:
        """The subquery of a condition on how articles and people relate."""
        match condition:
            case HasAuthor(name):
                return f"SELECT article_id FROM article_author WHERE author_name = {self._value(name)}"
            case Cites(least):
                return self._counted("article_id_citing", "citing_cited", least)
            case Cited(least):
                return self._counted("article_id_cited", "citing_cited", least)
            case WroteAtLeast(least):
                return self._counted("author_name", "article_author", least)
            case CitesArticle(title):
                return f"SELECT article_id_citing FROM citing_cited WHERE article_id_cited IN ({self._titled(title)})"
            case CitedByArticle(title):
                return f"SELECT article_id_cited FROM citing_cited WHERE article_id_citing IN ({self._titled(title)})"
            case SharesAuthor(title):
                # The title is written twice, so a slot in it is bound twice.
                authors = f"SELECT author_name FROM article_author WHERE article_id IN ({self._titled(title)})"
                inner = f"SELECT article_id FROM article_author WHERE author_name IN ({authors})"
                return f"{inner} AND article_id NOT IN ({self._titled(title)})"
            case _:
                raise TypeError(f"{condition} is no relation")

    def _counted(self, column: str, table: str, least: int | Slot) -> str:
        if least == 1:
            return f"SELECT {column} FROM {table}"
        return f"SELECT {column} FROM {table} GROUP BY {column} HAVING COUNT(*) >= {self._value(least)}"

    def _titled(self, title: str | Slot) -> str:
        return f"SELECT article_id FROM articles WHERE article_title = {self._value(title)}"

    def _value(self, value: int | str | Slot, around: str = "") -> str:
        if isinstance(value, Slot):
            self.slots.append(value)
            return f"'{around}' || ? || '{around}'" if around else "?"
        if isinstance(value, int):
            return str(value)
        return "'" + f"{around}{value}{around}".replace("'", "''") + "'"


def _is_distinct(output: Output) -> bool:
    return isinstance(output, Names) or (isinstance(output, Values) and output.distinct)


def commands(text: str) -> tuple[str, ...]:
    """The commands that a statement uses, in the order of the paper's table."""
    return tuple(command for command in COMMANDS if re.search(rf"\b{command}\b", _without_strings(text)))


def operators(text: str) -> tuple[str, ...]:
    """The operators that a statement uses; the star of COUNT(*) and the stroke of 1.0 * are none."""
    plain = _without_strings(text).replace("(*)", "").replace("1.0 *", "")
    found = set(re.findall(r"<>|<=|>=|[=<>+\-*/%]|\b(?:LIKE|AND|OR|NOT|BETWEEN|IN)\b", plain))
    return tuple(operator for operator in OPERATORS if operator in found)


def _without_strings(text: str) -> str:
    return re.sub(r"'(?:[^']|'')*'", "''", text)
