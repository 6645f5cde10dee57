"""Builds the questions of a context from the figures of its documents; every key is computed twice."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from random import Random

from fathom.corpus.store import Corpus
from fathom.records.contexts import Context
from fathom.records.documents import DocumentId, Passage
from fathom.records.lengths import format_length
from fathom.records.questions import Question
from fathom.records.record import short_id
from fathom.scoring.answers import Answer, Number
from fathom.scoring.keys import Key, Proof
from fathom.tasks.family import Item
from fathom.tasks.programs.answers import answer_of, normal_form
from fathom.tasks.programs.database import open_database
from fathom.tasks.programs.sql import literal
from fathom.tasks.tables.dispersion import documents_tag, spread_tag
from fathom.tasks.tables.entity_table import FEWEST_ENTITIES, EntityTable
from fathom.tasks.tables.figures import DocumentFigures, Year, document_figures, entity_figures
from fathom.tasks.tables.pack import Pack
from fathom.tasks.tables.queries import Level, Query, QueryMaker
from fathom.tasks.tables.settings import TablesSettings

NAME = "tables"
CACHED = 20_000
"""Documents whose figures are cached: some kilobytes each."""
ATTEMPTS = 6
_SIMPLE_UNIT = re.compile(r"%|[^\W\d_]+(?: [^\W\d_]+)?")
LEVEL_SHARES: dict[Level, int] = {"easy": 296, "medium": 648, "hard": 372}
"""Questions of each level, as in the published benchmark."""


class DisagreementError(Exception):
    """SQL and Python gave different answers: a bug in Fathom, so the build stops."""


class TablesBuilder:
    """Builds items for the contexts of one corpus; each document is read once."""

    def __init__(self, corpus: Corpus, settings: TablesSettings, seed: int) -> None:
        del seed
        self._settings = settings
        self._packs = settings.read_packs()
        self._read = figure_reader(corpus, self._packs)

    def build(self, context: Context, rng: Random) -> Iterator[Item]:
        """The context's items; fewer than requested where its documents do not allow more."""
        tables = [table for pack in self._packs for table in entity_tables(pack, self._figures(context, pack))]
        if not tables:
            return
        used: set[str] = set()
        levels: list[Level] = rng.choices(
            self._settings.levels,
            [LEVEL_SHARES[level] for level in self._settings.levels],
            k=self._settings.questions,
        )
        for level in levels:
            item = self._item(context, tables, level, rng, used)
            if item is not None:
                used.add(item.question.id)
                yield item

    def _item(
        self, context: Context, tables: Sequence[EntityTable], level: Level, rng: Random, used: set[str]
    ) -> Item | None:
        empty = level == "medium" and rng.random() < self._settings.unanswerable * 2
        for _ in range(ATTEMPTS):
            table = rng.choices(tables, [len(table.entities) for table in tables])[0]
            query = QueryMaker(table, rng).make(level, empty)
            if query is not None:
                item = make_item(context, table, query)
                if item.question.id not in used:
                    return item
        return None

    def _figures(self, context: Context, pack: Pack) -> list[DocumentFigures]:
        found = (self._read(id, pack.name) for id in context.documents)
        return [one for one in found if one is not None]


def figure_reader(corpus: Corpus, packs: Iterable[Pack]) -> Callable[[DocumentId, str], DocumentFigures | None]:
    """A function that reads the figures of a document for a pack of that name."""
    by_name = {pack.name: pack for pack in packs}

    @lru_cache(maxsize=CACHED)
    def read(id: DocumentId) -> dict[str, DocumentFigures]:
        document = corpus.document(id)
        if not document.facts:
            return {}
        found = {name: document_figures(document, pack) for name, pack in by_name.items()}
        return {name: figures for name, figures in found.items() if figures is not None}

    return lambda id, name: read(id).get(name)


def entity_tables(pack: Pack, documents: Sequence[DocumentFigures]) -> list[EntityTable]:
    """A table for each year and currency in which enough entities report."""
    languages = {one.language for one in documents}
    language = next((one for one in pack.languages if {one} == languages), None)
    if language is None:
        return []
    tables = []
    years: Counter[Year] = Counter(one.year for one in documents)
    for year in sorted(years, key=lambda year: year or 0):
        if years[year] < FEWEST_ENTITIES or (pack.has_periods and year is None):
            continue
        currencies = sorted({one.currency for one in documents if one.year == year and one.currency})
        # All documents together; where they use several currencies, their amounts of money are not compared.
        common = currencies[0] if len(currencies) == 1 else ""
        tables.append(EntityTable(pack, language, year, common, True, entity_figures(documents, year, None)))
        if len(currencies) > 1:
            tables += [
                EntityTable(pack, language, year, currency, False, entity_figures(documents, year, currency))
                for currency in currencies
            ]
    return [table for table in tables if len(table.entities) >= FEWEST_ENTITIES and len(table.columns) >= 2]


def make_item(context: Context, table: EntityTable, query: Query) -> Item:
    """The question and its key."""
    statement = literal(query.program, query.database.schema)
    passages = _passages(query)
    key = Key(
        question_id=short_id("q", context.id, table.pack.name, statement),
        answer=_answer(query, statement),
        proof=Proof(program=statement, rows=_rows(query), passages=passages),
    )
    needed = [passage.document for passage in passages]
    question = Question(
        id=key.question_id,
        family=NAME,
        context_id=context.id,
        split=context.split,
        text=query.text,
        tags={
            "level": query.level,
            "operation": query.operation,
            "domain": table.pack.name,
            "language": table.language,
            "length": format_length(context.length),
            "documents": documents_tag(needed),
            "spread": spread_tag(context, needed),
        },
    )
    return Item(question, key)


def _answer(query: Query, statement: str) -> Answer:
    database = open_database(query.database.schema)
    query.database.load(database)
    answer = answer_of(query.program, database.execute(statement).fetchall(), query.database.schema)
    database.close()
    again = answer_of(query.program, query.database.evaluation.run(query.program), query.database.schema)
    if normal_form(answer) != normal_form(again):
        raise DisagreementError(f"{statement} gives {answer} in SQL and {again} in Python")
    return with_unit(answer, query.unit)


def with_unit(answer: Answer, unit: str) -> Answer:
    """The answer with a unit, if it is a number; it is rounded as the question asks."""
    # Of "births/1,000 population" a response repeats anything or nothing; the question names it.
    if not isinstance(answer, Number) or not _SIMPLE_UNIT.fullmatch(unit):
        return answer
    return answer.model_copy(update={"unit": unit})


def _entities(query: Query) -> list[str]:
    return [str(row[1]) for row in query.database.rows[query.database.schema.main.name]]


def _rows(query: Query) -> tuple[tuple[str, ...], ...]:
    """The figures that were used: entity, column, value, and what the value was divided by."""
    return tuple(
        (entity, column.name, _text(column.value(entity)), f"{column.scale:f}")
        for column in query.columns
        for entity in _entities(query)
    )


def _text(value: object) -> str:
    return "" if value is None else f"{value:f}"


def _passages(query: Query) -> tuple[Passage, ...]:
    """Where the documents print the figures, in the order of the rows."""
    return tuple(
        Passage(document=column.figures[entity].document, span=column.figures[entity].span)
        for column in query.columns
        for entity in _entities(query)
    )
