"""Quantities that questions compare, sort and add up: fields, metrics of a pack, yearly growth, and composites."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import reduce
from statistics import median
from typing import NamedTuple

from fathom.tasks.programs import tree
from fathom.tasks.tables.entity_table import EntityColumn, EntityTable
from fathom.tasks.tables.figures import FigureId, Year
from fathom.tasks.tables.pack import Composite, FieldKind, Metric

PERCENT_FLOOR = 0.05
"""Percentage points by which two percentages differ if they are the same with one decimal."""
ROUNDED = 0.002
"""The error of a figure that is rounded to three or four digits, as a share of it."""

_AVERAGE = re.compile(r"(?:average|mean|median)\b|.*(?:平均|中位)", re.IGNORECASE)

LARGER_UNITS = {"million ": ("billion ", Decimal(1_000)), "万": ("亿", Decimal(10_000))}
"""The next larger unit of amounts of money, and how many of the smaller unit it has."""
LARGE = 100
"""A sum or mean of at least this many of the larger unit is asked for in that unit."""


@dataclass(frozen=True)
class Quantity:
    """One number for each entity, and how it is named."""

    measure: tree.Measure
    noun: str
    unit: str
    columns: tuple[EntityColumn, ...]
    year: Year
    kind: FieldKind
    formula: tuple[str, tuple[str, ...]] = ("", ())
    """A sign with the nouns of the fields that it joins; empty for a field."""
    weights: tuple[float, ...] = ()
    """The weights of a composite; the nouns are those of `formula`."""
    parts: tuple[Quantity, ...] = ()
    """The quantities of a composite that are computed themselves, and have to be defined."""
    additive: bool = False
    """Whether sums over several entities have a meaning: of the figure, or of those that it is computed from."""
    growth: bool = False
    sides: tuple[tree.Measure, ...] = ()
    """The dividend and the divisor of a quotient."""
    instant: bool = False
    """Whether it is of the last day of the period."""
    side_instants: tuple[bool, ...] = ()
    """The same of the dividend and of the divisor of a quotient."""
    rounding: float = 0.0
    """How much rounded figures may change its value, beyond what they change in a quotient of two fields."""

    @property
    def has_decimals(self) -> bool:
        """Whether a sum of it may have decimals."""
        return bool(self.formula[0]) or any(column.decimals > 0 for column in self.columns)

    def floor(self, sizes: Sequence[float], of_difference: bool = False) -> float:
        """The minimum difference between two clear values, given the sizes of its values.

        Percentages are often rounded to one decimal. A difference of large figures has their errors of rounding.
        """
        if self.rounding:
            return max(self.rounding, PERCENT_FLOOR if self.unit == "%" else 0.0)
        if of_difference or self.formula[0] in ("-", "+"):
            operands = [abs(float(value)) for column in self.columns for value in column.values()]
            magnitudes = sizes if of_difference and self.formula[0] not in ("-", "+") else operands
            return max(PERCENT_FLOOR if self.unit == "%" else 0.0, ROUNDED * median(magnitudes or [0.0]))
        return PERCENT_FLOOR if self.unit == "%" else 0.0

    @property
    def is_average(self) -> bool:
        """Whether each value is a mean or a median itself."""
        return _AVERAGE.match(self.noun) is not None

    @property
    def pools(self) -> bool:
        """Whether the quotient of the sums over all entities is meaningful."""
        return self.formula[0] in ("%", "/") and self.additive

    @property
    def has_gaps(self) -> bool:
        """Whether some entity does not report a figure that it needs."""
        return any(figure.value is None for column in self.columns for figure in column.figures.values())


def field(table: EntityTable, name: str, year: Year, mixed: bool = False) -> Quantity | None:
    """A field of the pack; None if it is not known here, or is in several currencies unless `mixed`."""
    column = table.columns.get(FigureId(name, year))
    if column is None or (column.mixed and not mixed):
        return None
    spec = table.pack.fields[name]
    return Quantity(
        tree.Column(column.name),
        spec.in_language(table.language),
        column.unit,
        (column,),
        year,
        spec.kind,
        additive=spec.additive and spec.kind not in ("percent", "month") and not column.mixed,
        instant=spec.instant,
    )


class TableQuantities(NamedTuple):
    """What questions about a table may compare."""

    fields: list[Quantity]
    metrics: list[Quantity]
    growths: list[Quantity]
    composites: list[Quantity]


def table_quantities(table: EntityTable) -> TableQuantities:
    """The quantities of the table's pack that are known for its year."""
    pack, year = table.pack, table.year
    return TableQuantities(
        _without_missing(field(table, name, year) for name in pack.fields),
        _without_missing(metric(table, spec, year) for spec in pack.metrics.values()),
        _without_missing(growth(table, name, year) for name in pack.fields if year is not None),
        _without_missing(composite(table, spec, year) for spec in pack.composites.values()),
    )


def _without_missing(candidates: Iterable[Quantity | None]) -> list[Quantity]:
    return [quantity for quantity in candidates if quantity is not None]


def in_readable_unit(quantity: Quantity, size: float) -> Quantity:
    """The quantity in a larger unit if an answer of that size has too many digits: not "28235913.47 million USD"."""
    for small, (large, times) in LARGER_UNITS.items():
        is_amount = quantity.unit.startswith(small) and all(column.unit == quantity.unit for column in quantity.columns)
        if is_amount and abs(size) >= LARGE * times:
            unit = large + quantity.unit.removeprefix(small)
            columns = tuple(replace(column, unit=unit, scale=column.scale * times) for column in quantity.columns)
            return replace(quantity, unit=unit, columns=columns)
    return quantity


def metric(table: EntityTable, spec: Metric, year: Year) -> Quantity | None:
    """A metric of the pack: a quotient, sum or difference of fields."""
    sides = [_side(table, sign, fields, year, mixed=spec.sign == "/") for sign, fields in spec.sides]
    known_sides = [side for side in sides if side is not None]
    if len(known_sides) < len(sides) or not spec.in_language(table.language):
        return None
    if spec.sign == "/":
        top, bottom = known_sides
        return _quotient(spec, table, top, bottom, year)
    return replace(known_sides[0], noun=spec.in_language(table.language))


def _side(table: EntityTable, sign: str, names: Sequence[str], year: Year, mixed: bool) -> Quantity | None:
    """A field, or the sum or difference of several that have one unit."""
    quantities = [quantity for name in names if (quantity := field(table, name, year, mixed)) is not None]
    if len(quantities) < len(names) or len({quantity.unit for quantity in quantities}) > 1:
        return None
    if len(quantities) == 1:
        return quantities[0]
    columns = tuple(column for quantity in quantities for column in quantity.columns)
    if not all(_are_in_one_currency(columns[0], other) for other in columns):
        return None
    joined: tree.Sign = "+" if sign == "+" else "-"
    separators = {"en": {"-": " − ", "+": " + "}, "zh": {"-": "－", "+": "＋"}}[table.language][joined]
    opening, closing = "（）" if table.language == "zh" else "()"
    nouns = tuple(quantity.noun for quantity in quantities)
    return Quantity(
        reduce(lambda left, right: tree.Arithmetic(left, joined, right), [quantity.measure for quantity in quantities]),
        f"{opening}{separators.join(nouns)}{closing}",
        quantities[0].unit,
        columns,
        year,
        quantities[0].kind,
        (joined, nouns),
        additive=all(quantity.additive for quantity in quantities),
        instant=all(quantity.instant for quantity in quantities),
    )


def _quotient(spec: Metric, table: EntityTable, top: Quantity, bottom: Quantity, year: Year) -> Quantity | None:
    columns = tuple(dict.fromkeys((*top.columns, *bottom.columns)))
    # A divisor that is zero or negative for some entity has no sensible quotient.
    if any(value is not None and value <= 0 for value in _side_values(bottom).values()):
        return None
    if spec.percent and top.unit != bottom.unit:
        return None
    if not all(_are_in_one_currency(columns[0], other) for other in columns if other.mixed or columns[0].mixed):
        return None
    unit = "%" if spec.percent else "" if top.unit == bottom.unit else top.unit
    nouns = (top.noun, bottom.noun)
    if not spec.percent and bottom.unit != top.unit and bottom.unit:
        inner = f"（单位：{bottom.unit}）" if table.language == "zh" else f" in {bottom.unit}"
        nouns = (top.noun, bottom.noun + inner)
    over = tree.Arithmetic(top.measure, "*", 100) if spec.percent else top.measure
    return Quantity(
        tree.Arithmetic(over, "/", bottom.measure),
        spec.in_language(table.language),
        unit,
        columns,
        year,
        "percent" if spec.percent else "number",
        ("%" if spec.percent else "/", nouns),
        additive=top.additive and bottom.additive and not columns[0].mixed,
        sides=(top.measure, bottom.measure),
        instant=top.instant and bottom.instant,
        side_instants=(top.instant, bottom.instant),
        rounding=_rounding(top, bottom) * (100 if spec.percent else 1),
    )


def _side_values(side: Quantity) -> dict[str, Decimal | None]:
    """The value of a part of a quotient for each entity."""
    values: dict[str, Decimal | None] = {}
    for entity in side.columns[0].figures:
        column_values = [column.value(entity) if entity in column.figures else None for column in side.columns]
        first, *others = [value for value in column_values if value is not None] or [Decimal(0)]
        total = sum(others, Decimal(0))
        values[entity] = None if None in column_values else first - total if side.formula[0] == "-" else first + total
    return values


def _rounding(top: Quantity, bottom: Quantity) -> float:
    """How much rounding changes a quotient with a difference of larger figures in it."""
    if not (top.formula[0] or bottom.formula[0]):
        return 0.0
    divisors = _side_values(bottom)
    changes = [
        ROUNDED * float(max(abs(column.value(entity) or Decimal(0)) for column in top.columns) / divisor)
        for entity, divisor in divisors.items()
        if divisor and all(entity in column.figures for column in top.columns)
    ]
    return median(changes or [0.0])


def _are_in_one_currency(left: EntityColumn, right: EntityColumn) -> bool:
    """Whether two figures of an entity may be divided by each other, where the entities use several currencies."""
    pairs = [(figure, right.figures[entity]) for entity, figure in left.figures.items() if entity in right.figures]
    return left.mixed == right.mixed and (
        not left.mixed
        or all(
            left_figure.unit == right_figure.unit
            for left_figure, right_figure in pairs
            if left_figure.unit and right_figure.unit
        )
    )


def growth(table: EntityTable, name: str, year: Year) -> Quantity | None:
    """The growth of a field from the year before, in percent; None if an earlier value is not positive."""
    if year is None:
        return None
    now, before = field(table, name, year, mixed=True), field(table, name, year - 1, mixed=True)
    if now is None or before is None or now.kind in ("percent", "month") or now.unit != before.unit:
        return None
    earlier = before.columns[0]
    if not _are_in_one_currency(now.columns[0], earlier):
        return None
    if any((value := earlier.value(entity)) is not None and value <= 0 for entity in earlier.figures):
        return None
    change = tree.Arithmetic(tree.Arithmetic(now.measure, "-", before.measure), "*", 100)
    return Quantity(
        tree.Arithmetic(change, "/", before.measure),
        now.noun,
        "%",
        (*now.columns, *before.columns),
        year,
        "percent",
        additive=now.additive and not earlier.mixed,
        growth=True,
        instant=now.instant,
    )


def composite(table: EntityTable, spec: Composite, year: Year) -> Quantity | None:
    """A weighted sum of metrics and fields."""
    parts = [
        metric(table, table.pack.metrics[name], year) if name in table.pack.metrics else field(table, name, year)
        for name in spec.terms
    ]
    known_parts = [part for part in parts if part is not None]
    if len(known_parts) < len(parts) or not spec.in_language(table.language):
        return None
    columns = tuple(dict.fromkeys(column for part in known_parts for column in part.columns))
    terms = tuple(
        tree.Term(weight, part.measure) for weight, part in zip(spec.terms.values(), known_parts, strict=True)
    )
    return Quantity(
        tree.WeightedSum(terms),
        spec.in_language(table.language),
        "",
        columns,
        year,
        "number",
        ("weighted", tuple(part.noun for part in known_parts)),
        tuple(spec.terms.values()),
        tuple(known_parts),
    )
