"""Faults of readers of figures: what simulated readers do wrong, and what a diagnosis looks for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import combinations
from typing import Any

from fathom.tasks.programs import faults, tree
from fathom.tasks.programs.database import Database
from fathom.tasks.programs.faults import Interpretation, ReadingFault, Variation, by_edit, over
from fathom.tasks.tables.other_figures import KeyCell, OtherFigures

NumberOrMonth = float | str
"""A number, or a month as text."""

MAX_SINGLE = 80
"""Maximum number of entities that are misread, one at a time."""
MAX_PAIRED = 30
"""Maximum number of entities that are missed, two at a time."""

_SHARED = (
    *("drop-filter", "reverse", "miscount", "other-column", "sum-for-avg", "wrong-top", "wrong-peers"),
    "unknown-as-zero",
)
DESCRIPTIONS: dict[str, str] = {
    **{name: faults.FAULTS[name].describe for name in _SHARED},
    "inverted-ratio": "swaps the numerator and the denominator of a ratio, or the years of a growth",
    "scale": "mistakes a unit or scale: thousand for million, a fraction for a percentage",
    "wrong-period": "takes figures of the year before",
    "old-report": "takes a value from an old report that a later one restates",
    "miss-document": "misses one of the documents",
}
"""Every fault by name, in the order in which a simulated reader decides whether to apply them."""
FINDING = frozenset({"miss-document", "old-report"})
READING = frozenset({"other-column", "unknown-as-zero", "scale", "wrong-period"})


def faults_of(others: OtherFigures, scales: Mapping[str, bool]) -> dict[str, ReadingFault]:
    """The faults that are possible for one question; `scales` says which columns have a scale such as million."""
    variations: dict[str, Callable[[Interpretation], Iterator[Variation]]] = {
        "inverted-ratio": by_edit(_invert_ratio),
        "scale": lambda reading: _change_scale(reading, scales),
        "wrong-period": lambda reading: _replace_figures(reading, others.of_the_year_before, "the year before"),
        "old-report": lambda reading: _replace_figures(reading, others.of_an_older_report, "the old report"),
        "miss-document": lambda reading: _miss_documents(reading, 1),
    }
    return {
        name: ReadingFault(name, text, variations[name] if name in variations else faults.FAULTS[name].variations)
        for name, text in DESCRIPTIONS.items()
    }


def missed_pairs(reading: Interpretation) -> Iterator[Variation]:
    """Readings that miss two documents."""
    return _miss_documents(reading, 2)


def _miss_documents(reading: Interpretation, count: int) -> Iterator[Variation]:
    names = _entities(reading.database)
    if count == 1 or len(names) <= MAX_PAIRED:
        for rows in combinations(range(1, len(names) + 1), count):
            if not reading.missing & set(rows):
                missed = replace(reading, missing=reading.missing | set(rows))
                yield Variation(f"without {' and '.join(names[row - 1] for row in rows)}", missed)


def _invert_ratio(node: Any) -> tree.TreeEdits:
    inverted = "the denominator divided by the numerator"
    match node:
        case tree.Ratio(numerator, denominator, None) if numerator != denominator:
            yield inverted, tree.Ratio(denominator, numerator)
        case tree.Arithmetic(
            tree.Arithmetic(tree.Arithmetic(now, "-", tree.Column() as before), "*", 100), "/", base
        ) if base == before:
            change = tree.Arithmetic(tree.Arithmetic(before, "-", now), "*", 100)
            yield "the years of the growth swapped", tree.Arithmetic(change, "/", now)
        case tree.Arithmetic(tree.Arithmetic(top, "*", 100), "/", tree.Column() | tree.Arithmetic() as bottom):
            yield inverted, tree.Arithmetic(tree.Arithmetic(bottom, "*", 100), "/", top)
        case tree.Arithmetic(
            tree.Column() | tree.Arithmetic() as top, "/", tree.Column() | tree.Arithmetic() as bottom
        ):
            yield inverted, tree.Arithmetic(bottom, "/", top)


def _change_scale(reading: Interpretation, scales: Mapping[str, bool]) -> Iterator[Variation]:
    for detail, program in tree.edited(reading.program, _as_fraction, reading.database.schema.is_phrase):
        yield Variation(detail, replace(reading, program=program))
    names = _entities(reading.database)
    amounts = [column for column, scaled in scales.items() if scaled]
    for word, factor in (("a thousand times too large", 1000.0), ("a thousand times too small", 0.001)):
        for column in amounts:
            cells = {(name, column): factor for name in names}
            yield Variation(f"{column} of all {word}", _multiply(reading, cells))
            for name in names[:MAX_SINGLE]:
                yield Variation(f"{column} of {name} {word}", _multiply(reading, {(name, column): factor}))


def _as_fraction(node: Any) -> tree.TreeEdits:
    match node:
        case tree.Arithmetic(inner, "*", 100) if not isinstance(inner, tree.Arithmetic):
            yield "a fraction instead of a percentage", inner
        case tree.CombinedResult(tree.Ratio() as inner, "*", 100):
            yield "a fraction instead of a percentage", inner


def _replace_figures(
    reading: Interpretation, values: Mapping[KeyCell, NumberOrMonth], source: str
) -> Iterator[Variation]:
    """The figures of all entities from another source, if it has several; then those of each entity."""
    entities = [name for name in _entities(reading.database) if any(cell[0] == name for cell in values)]
    if len(entities) > 1:
        yield Variation(f"figures of {source} throughout", _with_cells(reading, values))
    for name in entities[:MAX_SINGLE]:
        own = {cell: value for cell, value in values.items() if cell[0] == name}
        yield Variation(f"figures of {source} for {name}", _with_cells(reading, own))


def _entities(database: Database) -> list[str]:
    return [str(row[1]) for row in database.rows[database.schema.main.name]]


def _multiply(reading: Interpretation, factors: Mapping[KeyCell, float]) -> Interpretation:
    def edit(cell: KeyCell, value: NumberOrMonth) -> NumberOrMonth:
        return value * factors[cell] if cell in factors and not isinstance(value, str) else value

    return _edit_figures(reading, edit)


def _with_cells(reading: Interpretation, values: Mapping[KeyCell, NumberOrMonth]) -> Interpretation:
    return _edit_figures(reading, values.get)


def _edit_figures(reading: Interpretation, edit: Callable[[KeyCell, NumberOrMonth], NumberOrMonth]) -> Interpretation:
    """The same program over a table with edited figures. A column of whole numbers may get decimals."""
    database = reading.database
    main = database.schema.main
    names = [column.name for column in main.columns]
    rows = tuple(
        (*row[:2], *(_cell(edit, (str(row[1]), name), cell) for name, cell in zip(names[2:], row[2:], strict=True)))
        for row in database.rows[main.name]
    )
    return replace(over(reading, replace(database, rows={**database.rows, main.name: rows})), missing=reading.missing)


def _cell(
    edit: Callable[[KeyCell, NumberOrMonth], NumberOrMonth], cell: KeyCell, before: object
) -> NumberOrMonth | None:
    if not isinstance(before, int | float | str):
        return None
    value = edit(cell, before)
    if isinstance(value, str):
        return value
    return int(value) if value == int(value) else round(value, 9)
