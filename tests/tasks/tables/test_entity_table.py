"""The table of a question: only what the question uses decides the types of its columns."""

from __future__ import annotations

from decimal import Decimal

from fathom.records.spans import Span
from fathom.tasks.tables.entity_figures import EntityFigures
from fathom.tasks.tables.entity_table import EntityTable
from fathom.tasks.tables.figures import Figure, Slot
from fathom.tasks.tables.pack import read_pack

STAFF, REVENUE = Slot("employees", 2023), Slot("revenue", 2023)


def test_an_entity_that_is_left_out_does_not_decide_the_type_of_a_column() -> None:
    """The proof of a key has the used entities alone: with its own types, an audit would round another way."""
    names = ("Alder", "Birch", "Cedar", "Elm", "Fir", "Oak")
    figures = {(name, REVENUE): Figure(Decimal(number), "USD", "d-1", Span(0, 1)) for number, name in enumerate(names)}
    figures |= {(name, STAFF): Figure(Decimal(9), "", "d-1", Span(0, 1)) for name in names[:-1]}
    figures["Oak", REVENUE] = Figure(Decimal("5.25"), "USD", "d-1", Span(0, 1))
    known = EntityFigures(names, dict.fromkeys(names, ("d-1",)), figures)
    table = EntityTable(read_pack("companies"), "en", 2023, "USD", True, known)
    revenue, staff = table.columns[REVENUE], table.columns[STAFF]
    for columns, kind in (([revenue], "decimal"), ([revenue, staff], "integer")):
        database = table.database(columns)
        assert database.schema.columns[revenue.name].type == kind
        assert len(database.rows["companies"]) == (6 if kind == "decimal" else 5)
