"""What questions compare, sort and add up: fields, metrics of a pack, growth between years, and composites."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

from fathom.tasks.programs import tree
from fathom.tasks.tables.entity_table import EntityTable, FigureColumn
from fathom.tasks.tables.figures import Slot, Year
from fathom.tasks.tables.pack import Composite, Kind, Metric


@dataclass(frozen=True)
class Quantity:
    """One number for each entity, and how it is named."""

    measure: tree.Measure
    noun: str
    unit: str
    columns: tuple[FigureColumn, ...]
    year: Year
    kind: Kind
    formula: tuple[str, tuple[str, ...]] = ("", ())
    """A sign with the nouns of the fields that it joins; empty for a field."""
    weights: tuple[float, ...] = ()
    """Of a composite; the nouns are those of `formula`."""
    parts: tuple[Quantity, ...] = ()
    """The quantities of a composite that are computed themselves, and have to be defined."""
    additive: bool = False
    growth: bool = False


def field(table: EntityTable, name: str, year: Year) -> Quantity | None:
    """A field of the pack; None if it is not known here."""
    column = table.columns.get(Slot(name, year))
    if column is None:
        return None
    spec = table.pack.fields[name]
    return Quantity(
        tree.Column(column.name),
        spec.of(table.language),
        column.unit,
        (column,),
        year,
        spec.kind,
        additive=spec.additive and spec.kind != "percent",
    )


def metric(table: EntityTable, spec: Metric, year: Year) -> Quantity | None:
    """A metric of the pack: a quotient, sum or difference of fields."""
    fields = [field(table, name, year) for name in spec.fields]
    known = [one for one in fields if one is not None]
    if len(known) < len(fields) or not spec.of(table.language):
        return None
    columns = tuple(column for one in known for column in one.columns)
    nouns = tuple(one.noun for one in known)
    if spec.sign == "/":
        return _quotient(spec, table, known, columns, nouns, year)
    if len({one.unit for one in known}) > 1:
        return None
    sign: tree.Sign = "+" if spec.sign == "+" else "-"
    measure = reduce(lambda left, right: tree.Arithmetic(left, sign, right), [one.measure for one in known])
    return Quantity(
        measure,
        spec.of(table.language),
        known[0].unit,
        columns,
        year,
        known[0].kind,
        (spec.sign, nouns),
        additive=all(one.additive for one in known),
    )


def _quotient(
    spec: Metric,
    table: EntityTable,
    known: list[Quantity],
    columns: tuple[FigureColumn, ...],
    nouns: tuple[str, ...],
    year: Year,
) -> Quantity | None:
    top, bottom = known
    # A divisor that is zero or negative for some entity has no sensible quotient.
    if any((value := columns[1].value(entity)) is not None and value <= 0 for entity in columns[1].figures):
        return None
    if spec.percent and top.unit != bottom.unit:
        return None
    unit = "%" if spec.percent else "" if top.unit == bottom.unit else top.unit
    over = tree.Arithmetic(top.measure, "*", 100) if spec.percent else top.measure
    return Quantity(
        tree.Arithmetic(over, "/", bottom.measure),
        spec.of(table.language),
        unit,
        columns,
        year,
        "percent" if spec.percent else "number",
        ("%" if spec.percent else "/", nouns),
    )


def growth(table: EntityTable, name: str, year: int) -> Quantity | None:
    """The growth of a field from the year before, in percent; None if an earlier value is not positive."""
    now, before = field(table, name, year), field(table, name, year - 1)
    if now is None or before is None or now.kind == "percent" or now.unit != before.unit:
        return None
    earlier = before.columns[0]
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
        growth=True,
    )


def composite(table: EntityTable, spec: Composite, year: Year) -> Quantity | None:
    """A weighted sum of metrics and fields."""
    parts = [
        metric(table, table.pack.metrics[name], year) if name in table.pack.metrics else field(table, name, year)
        for name in spec.terms
    ]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts) or not spec.of(table.language):
        return None
    columns = tuple(dict.fromkeys(column for part in known for column in part.columns))
    terms = tuple(tree.Term(weight, part.measure) for weight, part in zip(spec.terms.values(), known, strict=True))
    return Quantity(
        tree.Weighted(terms),
        spec.of(table.language),
        "",
        columns,
        year,
        "number",
        ("weighted", tuple(part.noun for part in known)),
        tuple(spec.terms.values()),
        tuple(known),
    )
