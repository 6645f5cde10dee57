"""Builds the questions of a context from the figures of its documents; every key is computed twice."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import cached_property, lru_cache
from random import Random
from typing import Literal, NamedTuple

from fathom.corpus.store import Corpus
from fathom.records.contexts import Context
from fathom.records.documents import DocumentId, FactSheet, Passage
from fathom.records.lengths import format_length
from fathom.records.questions import Question
from fathom.records.record import short_id
from fathom.records.rng import rng_for
from fathom.scoring.answer_types.values import items_of
from fathom.scoring.answers import Answer, Number, Ranking, Text, Unanswerable, ValueSet
from fathom.scoring.keys import Key, Proof
from fathom.tasks.family import Item
from fathom.tasks.programs.answers import DECIMALS, answer_of, normal_form
from fathom.tasks.programs.database import open_database
from fathom.tasks.programs.evaluate import DisagreementError
from fathom.tasks.programs.sql import literal
from fathom.tasks.split_corpus import SplitCorpus
from fathom.tasks.tables.allotment import LEVEL_SHARES, domain, level_sequence
from fathom.tasks.tables.dispersion import dispersion_tags
from fathom.tasks.tables.entity_figures import entity_figures
from fathom.tasks.tables.entity_table import MIN_ENTITIES, EntityColumn, EntityTable
from fathom.tasks.tables.figures import DocumentFigures, Year, document_figures, without_figures
from fathom.tasks.tables.months import MONTH, month_text, month_value
from fathom.tasks.tables.pack import Pack
from fathom.tasks.tables.queries import QueryMaker
from fathom.tasks.tables.query_parts import LEVELS, PartnerValues, ProgramQuestion, QuestionLevel
from fathom.tasks.tables.settings import TablesSettings
from fathom.tasks.tables.stated_facts import FactReader
from fathom.tasks.tables.table_facts import TableFacts
from fathom.tasks.tables.votes import Votes

NAME = "tables"
CACHED, CACHED_TABLES, CACHED_VALUES = 20_000, 16, 48
"""Documents whose figures are cached, some kilobytes each; contexts whose tables are, some megabytes each; and tables
whose values are, up to a megabyte each."""
PARTNERS, FEWEST_PARTNERS = 4, 3
"""Other contexts whose figures the constants of a context are compared with, and the number below which random
documents take their place."""
ATTEMPTS = 40
"""Tables tried for one question before it is skipped."""
NEW_FORM = 20
"""Attempts at a question that is unlike all others of its context."""
PAIRED, PLAIN = 20, 30
"""Attempts until a question whose conditions may leave nothing is replaced by one that always has an answer, and until
any question will do."""
MAX_ALIKE = 3
"""Questions of a context that ask the same of the same figures, with other constants."""
CONDITIONAL_SHARES: dict[QuestionLevel, float] = {"easy": 0.12, "medium": 0.19, "hard": 0.65}
"""Questions of each level whose conditions nothing may meet, if all questions have an answer."""
_QuestionKind = Literal["plain", "answerable", "unanswerable"]
"""Whether the conditions of a question always have an answer, may have none but do, or have none."""
_OF_YEAR = re.compile(r"_\d{4}$")
_SIMPLE_UNIT = re.compile(r"%|[^\W\d_]+(?: [^\W\d_]+)?")


class TablesBuilder:
    """Builds items for the contexts of one corpus; each document is read once."""

    def __init__(self, corpus: SplitCorpus, settings: TablesSettings, seed: int) -> None:
        self._corpus = corpus
        self._settings = settings
        self._seed = seed
        self._packs = settings.read_packs()
        # The items of a context are audited next, against the facts of the same documents.
        self._read = figure_reader(corpus, self._packs, FactReader(corpus).keep)
        self._tables = lru_cache(CACHED_TABLES)(self._read_tables)
        self._values = lru_cache(CACHED_VALUES)(PartnerValues)

    def build(self, context: Context, rng: Random) -> Iterator[Item]:
        """The context's items; fewer than requested where its documents do not allow more."""
        before = self._place(context) * self._settings.questions
        levels = level_sequence(before + self._settings.questions, self._settings.levels)[before:]
        rng.shuffle(levels)
        return self._items(context, [(level, None) for level in levels], rng)

    def build_share(
        self, context: Context, rng: Random, share: Mapping[str, Sequence[QuestionLevel]] | None
    ) -> Iterator[Item]:
        """The context's items where it has to give some of each domain and level."""
        requests = [(level, name) for name, levels in (share or {}).items() for level in levels]
        return self._items(context, requests, rng)

    def replace(
        self, context: Context, rng: Random, failed: Sequence[Item], kept_items: Sequence[Item]
    ) -> Iterator[Item]:
        """Questions of the same levels and domains in place of those that failed verification."""
        requests = [(level_of(item), item.question.tags["domain"]) for item in failed]
        return self._items(context, requests, rng, kept_items, {item.question.id for item in failed})

    def _items(
        self,
        context: Context,
        requests: Sequence[tuple[QuestionLevel, str | None]],
        rng: Random,
        kept_items: Sequence[Item] = (),
        used_ids: Collection[str] = (),
    ) -> Iterator[Item]:
        """Questions of these levels, each about a domain or any; none of `kept_items` or with an id in `used_ids`."""
        all_tables = self._tables(context.documents)
        makers = self._makers(context, all_tables, rng)
        items: list[Item] = []
        most_single = int(self._settings.single * (len(requests) + len(kept_items))) - _singles(kept_items)
        owed = 0
        for (level, name), requested_kind in zip(requests, self._kinds_wanted(context, requests, rng), strict=True):
            tables = [
                all_table for all_table in all_tables if name in (None, domain(all_table.pack, all_table.language))
            ]
            other_questions = _ContextQuestions((*kept_items, *items), used_ids, _singles(items) < most_single)
            # If no question without an answer was found, a later question has none instead.
            kind = "unanswerable" if requested_kind == "answerable" and owed else requested_kind
            item = (
                self._item(context, [makers[table] for table in tables], level, kind, rng, other_questions)
                if tables
                else None
            )
            owed -= kind != requested_kind
            owed += kind == "unanswerable" and not (item and isinstance(item.key.answer, Unanswerable))
            if item is not None:
                items.append(item)
        # Where the documents allow fewer questions than wanted, fewer of them may have one entity as their answer.
        while _singles(items) > max(0, self._settings.single * (len(items) + len(kept_items)) - _singles(kept_items)):
            items.remove(next(item for item in reversed(items) if names_one(item.key.answer)))
        yield from items

    def _kinds_wanted(
        self, context: Context, requests: Sequence[tuple[QuestionLevel, str | None]], rng: Random
    ) -> list[_QuestionKind]:
        """Which questions may have no answer, and which have none: as many as the context's share of them.

        Those without an answer are drawn from all that may have none, so that neither level nor form tells which.
        """
        conditional = [rng.random() < self._conditional.shares[level] for level, _ in requests]
        number = min(len(requests), self._number_unanswerable(context, len(requests)))
        while sum(conditional) < number:
            conditional[rng.choice([index for index, may_be_empty in enumerate(conditional) if not may_be_empty])] = (
                True
            )
        empty = set(rng.sample([index for index, may_be_empty in enumerate(conditional) if may_be_empty], number))
        return [
            "unanswerable" if index in empty else "answerable" if may_be_empty else "plain"
            for index, may_be_empty in enumerate(conditional)
        ]

    def _number_unanswerable(self, context: Context, questions: int) -> int:
        """Unanswerable questions of a context: all contexts of its length together have the share that is wanted.

        Drawn one by one, a bench of 24 questions would often have none.
        """
        start = rng_for(self._seed, "unanswerable", context.length).random()
        before = self._place(context) * questions
        share = self._settings.unanswerable
        return int(start + share * (before + questions)) - int(start + share * before)

    def _place(self, context: Context) -> int:
        """The number of contexts of the same length before this one."""
        return self._corpus.contexts_of_length(context.length).index(context.documents)

    def _makers(self, context: Context, tables: Sequence[EntityTable], rng: Random) -> dict[EntityTable, QueryMaker]:
        """What draws the questions about each table. Unanswerable ones have constants that other documents exceed."""
        partners = [table for ids in self._partners(context) for table in self._tables(ids)]
        return {
            table: QueryMaker(table, rng, [self._values(partner) for partner in partners if partner.is_like(table)])
            for table in tables
        }

    def _partners(self, context: Context) -> list[tuple[DocumentId, ...]]:
        """The documents of other contexts of the same length, or random ones if there are few of them."""
        if not self._settings.unanswerable:
            return []
        rng = rng_for(self._seed, "partners", context.id)
        mine = self._kinds_of(context.documents)
        candidates = [
            ids
            for ids in self._corpus.contexts_of_length(context.length)
            if ids != context.documents and not mine.isdisjoint(self._kinds_of(ids))
        ]
        if len(candidates) < FEWEST_PARTNERS:
            same_kind = [id for id, kind in self._kinds.items() if kind in mine]
            size = min(len(context.documents), len(same_kind))
            candidates = [tuple(rng.sample(same_kind, size)) for _ in range(FEWEST_PARTNERS)]
        return rng.sample(candidates, min(PARTNERS, len(candidates)))

    def _kinds_of(self, documents: Iterable[DocumentId]) -> set[tuple[str | None, str]]:
        return {self._kinds[id] for id in documents}

    @cached_property
    def _kinds(self) -> dict[DocumentId, tuple[str | None, str]]:
        """The subject and the language of every document."""
        return {entry.id: (entry.subject, entry.language) for entry in self._corpus.entries()}

    def _item(
        self,
        context: Context,
        makers: Sequence[QueryMaker],
        level: QuestionLevel,
        kind: _QuestionKind,
        rng: Random,
        other_questions: _ContextQuestions,
    ) -> Item | None:
        for attempt in range(ATTEMPTS):
            maker = rng.choices(makers, [len(maker.table.entities) for maker in makers])[0]
            if not self._settings.unanswerable or attempt >= PLAIN:
                query = maker.make(level)
            elif kind != "plain" and attempt < PAIRED:
                query = maker.make_paired(level, kind == "unanswerable", other_questions.may_be_single)
            else:
                query = maker.make_plain(level)
            if query is not None:
                item = make_item(context, maker.table, query)
                if rounds_clearly(item.key.answer) and other_questions.admit(
                    item, MAX_ALIKE if attempt >= NEW_FORM else 1
                ):
                    return item
        return None

    @cached_property
    def _conditional(self) -> ConditionalShares:
        total = sum(LEVEL_SHARES[level] for level in self._settings.levels)
        weights = {level: LEVEL_SHARES[level] / total for level in self._settings.levels}
        return conditional_shares(self._settings.unanswerable, weights)

    def _read_tables(self, documents: tuple[DocumentId, ...]) -> list[EntityTable]:
        tables: list[EntityTable] = []
        for pack in self._packs:
            readings = (self._read(id, pack.name) for id in documents)
            tables += entity_tables(pack, [figures for figures in readings if figures is not None])
        return tables


class ConditionalShares(NamedTuple):
    """How many questions may have no answer, and how many of these have none."""

    shares: dict[QuestionLevel, float]
    """The questions of each level whose conditions nothing may meet."""
    unanswerable: float
    """The same at each level, and for each form of question: otherwise the form would tell."""


def conditional_shares(target: float, weights: Mapping[QuestionLevel, float]) -> ConditionalShares:
    """The shares with which the wanted part of all questions has no answer, given the shares of the levels."""

    def shares(part: float) -> dict[QuestionLevel, float]:
        return {level: CONDITIONAL_SHARES[level] / (1 - part + part * CONDITIONAL_SHARES[level]) for level in weights}

    low, high = 0.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        too_few = middle * sum(weights[level] * share for level, share in shares(middle).items()) < target
        low, high = (middle, high) if too_few else (low, middle)
    return ConditionalShares(shares(low), low)


class _ContextQuestions:
    """The questions of a context so far."""

    def __init__(self, items: Sequence[Item], used_ids: Collection[str], may_be_single: bool) -> None:
        self._taken = {item.question.id for item in items}.union(used_ids)
        self._forms = Counter(map(_form, items))
        self.may_be_single = may_be_single
        """Whether another answer may name one entity."""

    def admit(self, item: Item, most_alike: int) -> bool:
        """Whether the item may be added."""
        if item.question.id in self._taken or self._forms[_form(item)] >= most_alike:
            return False
        return self.may_be_single or not names_one(item.key.answer)


def _form(item: Item) -> tuple[str, frozenset[str]]:
    """An identity of a question: its operation and figures. A list of entities and their number count as the same."""
    operation = item.question.tags["operation"]
    kind = "condition" if operation in ("filter", "count", "share") else operation
    # The same question about another year counts as the same question.
    return kind, frozenset(_OF_YEAR.sub("", row[1]) for row in item.key.proof.rows)


def figure_reader(
    corpus: Corpus, packs: Iterable[Pack], keep: Callable[[FactSheet], None] = lambda sheet: None
) -> Callable[[DocumentId, str], DocumentFigures | None]:
    """A function that reads the figures of a document for a pack of that name.

    `keep` is called with every fact sheet that is read.
    """
    by_name = {pack.name: pack for pack in packs}
    votes = {name: Votes(corpus.folder, name) for name in by_name}

    @lru_cache(maxsize=CACHED)
    def read(id: DocumentId) -> dict[str, DocumentFigures]:
        sheet = corpus.fact_sheet(id)
        document = sheet if sheet.has_structure else corpus.document(id)
        tables = None if isinstance(document, FactSheet) else TableFacts(document)
        if sheet.has_structure:
            keep(sheet)
        figures_by_pack = {
            name: without_figures(document, pack, tables)
            if id in votes[name].discarded
            else document_figures(document, pack, votes[name].facts_in(id), tables)
            for name, pack in by_name.items()
        }
        return {name: figures for name, figures in figures_by_pack.items() if figures is not None}

    return lambda id, name: read(id).get(name)


def entity_tables(pack: Pack, documents: Sequence[DocumentFigures]) -> list[EntityTable]:
    """A table for each year and currency in which enough entities report."""
    languages = {document.language for document in documents}
    language = next((language for language in pack.languages if {language} == languages), None)
    if language is None:
        return []
    tables: list[EntityTable] = []
    several_periods = any(document.of_several_periods for document in documents)
    years: Counter[Year] = Counter(document.year for document in documents)
    for year in sorted(years, key=lambda year: year or 0):
        if years[year] < MIN_ENTITIES or (pack.has_periods and year is None):
            continue
        currencies = sorted(
            {document.currency for document in documents if document.year == year and document.currency}
        )
        # All documents together; where they use several currencies, their amounts of money are not compared.
        common = currencies[0] if len(currencies) == 1 else ""
        figures = entity_figures(documents, year, None)
        tables.append(EntityTable(pack, language, year, common, True, figures, several_periods))
        if len(currencies) > 1:
            tables += [
                replace(
                    tables[-1],
                    currency=currency,
                    is_only_currency=False,
                    known=entity_figures(documents, year, currency),
                )
                for currency in currencies
            ]
    # Of articles, each figure is stated by few, and a question names those that it is about.
    fewest = 1 if pack.about == "document" else 2
    return [table for table in tables if len(table.entities) >= MIN_ENTITIES and len(table.columns) >= fewest]


def names_one(answer: Answer) -> bool:
    """Whether the answer is a single entity, which can be guessed from one document."""
    match answer:
        case ValueSet(items=items):
            return len(items) == 1
        case Ranking(groups=groups):
            return len(groups) == 1
        case _:
            return isinstance(answer, Text) and month_value(answer.value) is None


def rounds_clearly(answer: Answer) -> bool:
    """Whether a number has one rounding: 17,374.725 may become .72 or .73, and a sum of fractions may be either."""
    if not isinstance(answer, Number) or answer.decimals is None:
        return True
    steps = abs(answer.value).scaleb(answer.decimals)
    return abs(steps % 1 - Decimal("0.5")) > Decimal("0.001")


def _singles(items: Iterable[Item]) -> int:
    return sum(names_one(item.key.answer) for item in items)


def level_of(item: Item) -> QuestionLevel:
    return next(level for level in LEVELS if level == item.question.tags["level"])


def make_item(context: Context, table: EntityTable, query: ProgramQuestion) -> Item:
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
            "domain": domain(table.pack, table.language),
            "language": table.language,
            "length": format_length(context.length),
            **dispersion_tags(context, needed),
        },
    )
    return Item(question, key)


def _answer(query: ProgramQuestion, statement: str) -> Answer:
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
    if unit == MONTH and isinstance(answer, Ranking) and len(items_of(answer)) == 1:
        return items_of(answer)[0]  # the month of one entity
    if not isinstance(answer, Number):
        return answer
    # Sums of amounts in millions are rounded like means; counts are exact.
    is_whole = answer.decimals is None and answer.value == answer.value.to_integral()
    decimals = None if is_whole else DECIMALS
    # Of "births/1,000 population" a response repeats anything or nothing; the question names it.
    return answer.model_copy(update={"unit": unit if _SIMPLE_UNIT.fullmatch(unit) else "", "decimals": decimals})


def _entities(query: ProgramQuestion) -> list[str]:
    return [str(row[1]) for row in query.database.rows[query.database.schema.main.name]]


def _rows(query: ProgramQuestion) -> tuple[tuple[str, ...], ...]:
    """The figures that were used: entity, column, value, and what the value was divided by."""
    return tuple(
        (entity, column.name, _text(column, entity), f"{column.scale:f}")
        for column in query.columns
        for entity in _entities(query)
    )


def _text(column: EntityColumn, entity: str) -> str:
    value = column.value(entity)
    return "" if value is None else month_text(value) if column.is_month else f"{value:f}"


def _passages(query: ProgramQuestion) -> tuple[Passage, ...]:
    """The passages that print the figures, in the order of the rows."""
    return tuple(
        Passage(document=column.figures[entity].document, span=column.figures[entity].span)
        for column in query.columns
        for entity in _entities(query)
    )
