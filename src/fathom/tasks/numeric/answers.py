"""From the rows of a query to a typed answer: what is ordered, what is tied, what may repeat."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from itertools import groupby

from fathom.scoring.answers import Answer, Multiset, Number, Ranking, Rows, Scalar, Text, Unanswerable, ValueSet
from fathom.tasks.numeric.evaluate import Row
from fathom.tasks.numeric.programs import HowMany, Names, PerValue, Program, Titles, Total, Values, rounded
from fathom.tasks.numeric.tables import Tables

DECIMALS = 2
"""To which means and quotients are rounded."""


def answer_of(program: Program, rows: Sequence[Row], tables: Tables) -> Answer:
    """The answer that the rows give; `Unanswerable` where there is none."""
    decimals = DECIMALS if rounded(program) else None
    if isinstance(program.output, HowMany | Total):
        value = rows[0][0]
        return Unanswerable() if value is None else _number(value, decimals)
    if not rows:
        return Unanswerable()
    if isinstance(program.output, PerValue):
        cells = tuple((_number(key, None), _number(result, decimals)) for key, result in rows)
        return Rows(columns=(program.output.key.name, "result"), rows=cells)
    items = [_atom(program, row[0], decimals, tables) for row in rows]
    if program.order:
        keys = [row[1:] for row in rows]
        tied = groupby(range(len(rows)), key=keys.__getitem__)
        return Ranking(groups=tuple(tuple(items[place] for place in group) for _, group in tied))
    repeats = isinstance(program.output, Values) and not program.output.distinct
    return Multiset(items=tuple(items)) if repeats else ValueSet(items=tuple(items))


def _atom(program: Program, value: int | float | str | None, decimals: int | None, tables: Tables) -> Scalar:
    match program.output:
        case Titles():
            return Text(value=str(value))
        case Names():
            name = str(value)
            return Text(value=name, aliases=tuple(other for other in tables.spellings[name] if other != name))
        case _:
            return _number(value, decimals)


def _number(value: int | float | str | None, decimals: int | None) -> Number:
    if isinstance(value, int):
        return Number(value=Decimal(value), decimals=decimals)
    # Nine digits behind the point are enough to round by, and free of the noise of binary fractions.
    exact = Decimal(f"{value:.9f}").normalize()
    return Number(value=exact if exact != exact.to_integral() else exact.quantize(Decimal(1)), decimals=decimals)


def normal_form(answer: Answer) -> object:
    """Something that is equal for two answers exactly when they accept the same responses."""
    match answer:
        case ValueSet(items=items) | Multiset(items=items):
            return answer.type, tuple(sorted(_value(item) for item in items))
        case Ranking(groups=groups):
            return answer.type, tuple(tuple(sorted(_value(item) for item in group)) for group in groups)
        case Rows(rows=rows):
            return answer.type, tuple(sorted(tuple(map(_value, row)) for row in rows))
        case _:
            return answer.type, answer.model_dump_json()


def _value(atom: Scalar) -> str:
    return str(atom.value)
