"""Recomputes items on a smaller context: the same question about the entities whose documents are left."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from pydantic import JsonValue

from fathom.corpus.store import Corpus
from fathom.records.contexts import Context
from fathom.tasks.family import Item, RefittedItems
from fathom.tasks.programs import tree
from fathom.tasks.programs.database import Database
from fathom.tasks.tables.build import entity_tables, figure_reader, level_of, make_item
from fathom.tasks.tables.entity_figures import entity_figures
from fathom.tasks.tables.entity_table import MIN_ENTITIES, EntityColumn, EntityTable
from fathom.tasks.tables.figures import DocumentFigures
from fathom.tasks.tables.guards import guards
from fathom.tasks.tables.key_tables import database_of, program_of, unit_of
from fathom.tasks.tables.pack import Pack
from fathom.tasks.tables.query_constants import rows_where
from fathom.tasks.tables.query_parts import MIN_IN_GROUP, ProgramQuestion, wording
from fathom.tasks.tables.settings import recorded_packs

UNKNOWN = "the scope of the question cannot be read from its text"
TOO_FEW = "too few of its entities are left"
UNCLEAR = "a value is close to its threshold or cut"
OTHER_KIND = "its answer would be none, or all entities"


class _Scope(NamedTuple):
    """The table and the figures that a question is about, and the sentence of the question that states this scope."""

    table: EntityTable
    columns: tuple[EntityColumn, ...]
    sentence: str


class TablesRefitter:
    """Recomputes items for the contexts of one corpus; each document is read once."""

    def __init__(self, corpus: Corpus, report: Mapping[str, JsonValue]) -> None:
        self._packs = recorded_packs(report)
        self._read = figure_reader(corpus, self._packs)

    def refit(self, context: Context, smaller: Context, items: Sequence[Item]) -> RefittedItems:
        """The items as asked about the smaller context."""
        tables = [table for pack in self._packs for table in entity_tables(pack, self._figures(context, pack))]
        kept_items: list[Item] = []
        reasons: list[str] = []
        for item in items:
            scope = next(_scopes(item, tables), None)
            moved = UNKNOWN if scope is None else self._move(item, scope, smaller)
            if isinstance(moved, str):
                reasons.append(moved)
            else:
                kept_items.append(moved)
        return RefittedItems(kept_items, reasons)

    def _figures(self, context: Context, pack: Pack) -> list[DocumentFigures]:
        readings = (self._read(id, pack.name) for id in context.documents)
        return [figures for figures in readings if figures is not None]

    def _move(self, item: Item, scope: _Scope, smaller: Context) -> Item | str:
        """The item over the smaller context, or the reason why it cannot be asked."""
        former = scope.table
        # Reports in other currencies may all be gone: the question still names the one that it is about.
        currency = None if former.is_only_currency else former.currency
        figures = entity_figures(self._figures(smaller, former.pack), former.year, currency)
        table = replace(former, known=figures)
        columns = tuple(
            # Constants keep the units of the question, even if the remaining figures would be shown in others.
            replace(same_column, unit=column.unit, scale=column.scale)
            for column in scope.columns
            if (same_column := table.columns.get(column.figure_id)) is not None and same_column.mixed == column.mixed
        )
        if len(columns) < len(scope.columns):
            return TOO_FEW
        database = table.database(columns)
        program = program_of(item.key, database_of(item.key))
        problem = _problem(program, database)
        if problem:
            return problem
        sentence = wording(table).scope(table.left_out(columns), table.named(columns))
        query = ProgramQuestion(
            program,
            sentence + item.question.text.removeprefix(scope.sentence),
            level_of(item),
            item.question.tags["operation"],
            columns,
            database,
            unit_of(item.key.answer),
        )
        moved = make_item(smaller, table, query)
        return moved if moved.key.answer.type == item.key.answer.type else OTHER_KIND


def _scopes(item: Item, tables: Sequence[EntityTable]) -> Iterator[_Scope]:
    """The tables that give the scope with which the question begins."""
    names = tuple(dict.fromkeys(row[1] for row in item.key.proof.rows))
    for table in tables:
        by_name = {column.name: column for column in table.columns.values()}
        if all(name in by_name for name in names):
            columns = tuple(by_name[name] for name in names)
            sentence = wording(table).scope(table.left_out(columns), table.named(columns))
            if item.question.text.startswith(sentence) and _has_rows(item, table, columns):
                yield _Scope(table, columns, sentence)


def _has_rows(item: Item, table: EntityTable, columns: Sequence[EntityColumn]) -> bool:
    """Whether the table is the one that the key was computed from."""
    key_database = database_of(item.key)
    database = table.database(columns)
    return database.rows[database.schema.main.name] == key_database.rows[key_database.schema.main.name]


def _problem(program: tree.Program, database: Database) -> str:
    """Why the program has no clear answer over the table; empty if it has one."""
    count = len(database.rows[database.schema.main.name])
    groups = [node.among for node in tree.nodes(program) if isinstance(node, tree.PeerAggregate) and node.among]
    if isinstance(program.output, tree.Aggregate) and program.where is not None:
        groups.append(program.where)
    top = program.top if isinstance(program.top, int) else 0
    if count < max(MIN_ENTITIES, top + 2):
        return TOO_FEW
    if any(0 < sum(rows_where(database, group)) < MIN_IN_GROUP for group in groups):
        return TOO_FEW
    passed = guards(program, database)
    everything = passed.pop("not every entity meets the condition", True)
    return UNCLEAR if not all(passed.values()) else "" if everything else OTHER_KIND
