"""Converts the rows of a program to a typed answer, with its order, ties and repeats."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from itertools import groupby

from fathom.scoring.answers import Answer, Multiset, Number, Ranking, Rows, Scalar, Text, Unanswerable, ValueSet
from fathom.tasks.programs import tree
from fathom.tasks.programs.evaluate import TableRow, TableValue
from fathom.tasks.programs.schema import WHOLE_QUOTIENT_DIGITS, Schema

DECIMALS = 2
"""Decimal places to which means and quotients are rounded."""

Aliases = Callable[[str, str], tuple[str, ...]]
"""Other spellings of a text in a column."""


def answer_of(
    program: tree.Program, rows: Sequence[TableRow], schema: Schema, aliases: Aliases = lambda column, text: ()
) -> Answer:
    """The answer that the rows give; `Unanswerable` if they give no answer."""
    decimals = DECIMALS if tree.is_rounded(program) else None
    output = program.output

    def atom(cell: TableValue, measure: tree.Measure | tree.Result | None, decimals: int | None) -> Scalar:
        if isinstance(cell, str):
            return Text(value=cell, aliases=aliases(measure.name, cell) if isinstance(measure, tree.Column) else ())
        digits = None if measure is None else schema.digits(measure)
        return _number(cell, WHOLE_QUOTIENT_DIGITS if digits is None else digits, decimals)

    if isinstance(output, tree.Result | tree.GroupsAggregate):
        value = rows[0][0]
        measure = output.result if isinstance(output, tree.GroupsAggregate) else output
        return Unanswerable() if value is None else atom(value, measure, decimals)
    if not rows:
        return Unanswerable()
    if isinstance(output, tree.Columns):
        decimal_places = [
            DECIMALS if tree.is_rounded(tree.Program(tree.Values(measure_of_output))) else None
            for measure_of_output in output.measures
        ]
        cells = [tuple(map(atom, row, output.measures, decimal_places)) for row in rows]
        return Rows(
            columns=tuple(f"column {number}" for number in range(1, len(decimal_places) + 1)), rows=tuple(cells)
        )
    if isinstance(output, tree.GroupedResults) and output.result is not None:
        # A group without any known value has no result.
        result_index = int(output.keys)
        rows = [row for row in rows if row[result_index] is not None]
        if not rows:
            return Unanswerable()
    if isinstance(output, tree.GroupedResults) and output.result is not None and output.keys:
        pairs = [(atom(row[0], output.key, None), atom(row[1], output.result, decimals)) for row in rows]
        return Rows(columns=(output.key.name, "result"), rows=tuple(pairs))
    item_measure = _item_measure(program, schema)
    items = [atom(row[0], item_measure, decimals) for row in rows]
    if program.order:
        tied = groupby(range(len(rows)), key=[row[1:] for row in rows].__getitem__)
        return Ranking(groups=tuple(tuple(items[index] for index in group) for _, group in tied))
    repeats = not (output.distinct if isinstance(output, tree.Values) else _names_rows(output))
    return Multiset(items=tuple(items)) if repeats else ValueSet(items=tuple(items))


def _names_rows(output: tree.Output) -> bool:
    """Whether no two rows of the output are the same: labels and keys of groups are."""
    return isinstance(output, tree.Labels) or (isinstance(output, tree.GroupedResults) and output.keys)


def _item_measure(program: tree.Program, schema: Schema) -> tree.Measure | tree.Result | None:
    match program.output:
        case tree.Values(measure):
            return measure
        case tree.GroupedResults(key, result, _, keys):
            return key if keys else result
        case tree.Labels():
            return tree.Column(schema.base(program).label)
        case _:
            return None


def _number(value: int | float | None, digits: int, decimals: int | None) -> Number:
    if isinstance(value, int):
        return Number(value=Decimal(value), decimals=decimals)
    # This many digits are enough for rounding, and exclude floating-point noise.
    exact = Decimal(f"{value:.{digits}f}").normalize() + 0  # no negative zero
    return Number(value=exact if exact != exact.to_integral() else exact.quantize(Decimal(1)), decimals=decimals)


def normal_form(answer: Answer) -> object:
    """A value that is equal for two answers exactly when they accept the same responses."""
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
