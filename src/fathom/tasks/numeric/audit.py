"""The family's part of an audit: everything that can be proved again from the files, proved again."""

from __future__ import annotations

import random
import re
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import groupby

from fathom.corpus.store import Corpus
from fathom.records.contexts import Context
from fathom.records.documents import Passage
from fathom.records.lengths import print_length
from fathom.records.rng import rng_for
from fathom.records.spans import Span
from fathom.scoring.answers import Answer, Multiset, Number, Ranking, Rows, Unanswerable, ValueSet
from fathom.tasks.audit_checks import AuditChecks
from fathom.tasks.family import AuditCheck, Item
from fathom.tasks.numeric.answers import answer_of, normal_form
from fathom.tasks.numeric.check import check
from fathom.tasks.numeric.evaluate import Row, evaluate, kept_articles
from fathom.tasks.numeric.mutants import constants, is_same, mutants, random_tables
from fathom.tasks.numeric.own import STEPS, parse
from fathom.tasks.numeric.programs import Part, Program, parts_read, skill, topic
from fathom.tasks.numeric.tables import Source, Tables, build_tables, open_database, read_source
from fathom.tasks.numeric.wording import is_wording

SHUFFLES = 12
"""Random orders of rows under which no answer may change."""

DATABASES = 40
"""Generated collections on which wrong readings are tried."""

TICKS = 100
"""Looks at the clock in the time that a statement is given."""

STUDIED = 200
"""Items whose wrong readings are tried: enough to know the share to a per cent or so."""


def audit(items: Iterable[tuple[Context, list[Item]]], corpus: Corpus, seed: int) -> list[AuditCheck]:
    """Every rule with what it found; an item is proved from the articles, not from what built it."""
    return _Audit(corpus, seed).run(items)


class _Audit:
    def __init__(self, corpus: Corpus, seed: int) -> None:
        self._corpus = corpus
        self._seed = seed
        self._database = _Database()
        self._read: dict[str, tuple[Source, int]] = {}
        self._checks = AuditChecks()
        self._answers: dict[str, Counter[str]] = defaultdict(Counter)
        self._degenerate: Counter[str] = Counter()
        self._mutants: Counter[str] = Counter()

    def run(self, items: Iterable[tuple[Context, list[Item]]]) -> list[AuditCheck]:
        studied = 0
        for context, asked in items:
            mine = [item for item in asked if item.question.family == "numeric"]
            if not mine:
                continue
            tables = build_tables([self._source(id) for id in context.documents])
            by_spelling = build_tables([self._source(id) for id in context.documents], naming="spellings")
            self._database.load(tables)
            sound = [item for item in mine if self._prove(context, item, tables, by_spelling)]
            if sound:
                self._shuffle(sound, tables)
            if studied < STUDIED:
                studied += self._mislead(sound, tables)
        return self._report()

    def _source(self, id: str) -> Source:
        return self._opened(id)[0]

    def _opened(self, id: str) -> tuple[Source, int]:
        if id not in self._read:
            article = self._corpus.bibliographic_record(id)
            self._read[id] = read_source(article), len(article.text)
        return self._read[id]

    # Rules.

    def _prove(self, context: Context, item: Item, tables: Tables, by_spelling: Tables) -> bool:
        key = item.key
        statement = key.proof.program
        try:
            program = _parsed(statement)
            answer = answer_of(program, self._database.rows(statement), tables)
            again = answer_of(program, evaluate(program, tables), tables)
            seen = answer_of(program, evaluate(program, by_spelling), by_spelling)
        except Exception:
            # A key file may hold anything; whatever cannot be read and run proves nothing.
            self._checks.check("the query can be read and run", item, False)
            return False
        self._checks.check("the query can be read and run", item, True)
        proved = _same(answer, key.answer)
        self._checks.check("the query gives the key again", item, proved)
        self._checks.check("a second way of computing gives the key too", item, _same(again, key.answer))
        self._checks.check("who is who does not change the answer", item, _same(seen, key.answer))
        self._look_at_passages(context, item, program, tables)
        self._checks.check("the words are whole", item, not _is_badly_worded(item.question.text))
        self._checks.check("the words say what the program does", item, is_wording(item.question.text, program))
        self._checks.check("the tags are those of the program", item, _is_tagged(item, program, context))
        if proved:  # what is right and what is nearly so hangs on the key
            self._checks.check_responses(item, check)
        self._note(key.answer)
        return True

    def _look_at_passages(self, context: Context, item: Item, program: Program, tables: Tables) -> None:
        passages, shown = item.key.proof.passages, set(context.documents)
        for passage in passages:
            inside = passage.document in shown and passage.span.end <= self._opened(passage.document)[1]
            self._checks.check("every passage is in the text that is shown", item, inside)
        self._checks.check("the passages are those that are needed", item, passages == _needed(program, tables))

    def _shuffle(self, items: list[Item], tables: Tables) -> None:
        """The same rows in other orders: an answer that hangs on hidden order is no answer."""
        rng = rng_for(self._seed, "shuffle", items[0].question.id)
        for _ in range(SHUFFLES):
            self._database.load(_shuffled(tables, rng))
            for item in items:
                rows = self._database.rows(item.key.proof.program)
                answer = answer_of(_parsed(item.key.proof.program), rows, tables)
                self._checks.check("no order of rows changes the answer", item, _same(answer, item.key.answer))
        self._database.load(tables)

    def _mislead(self, items: list[Item], tables: Tables) -> int:
        """Single-edit wrong readings: which of them would the collection, or any of many others, give away?"""
        for item in items:
            statement = item.key.proof.program
            made = list(mutants(statement))
            self._database.load(tables)
            here = [reading for reading in made if not _differ(self._database, statement, reading[1])]
            left = self._surviving(statement, here)
            # What provably means the same is no wrong reading, and counts nowhere.
            idle = [reading for reading in left if is_same(statement, reading[1])]
            for step, readings in (("made", made), ("survive the collection", here), ("survive all", left)):
                self._mutants.update(f"{kind}: {step}" for kind, _ in readings)
                self._mutants.subtract(f"{kind}: {step}" for kind, _ in idle)
        self._database.load(tables)
        return len(items)

    def _surviving(self, statement: str, readings: list[tuple[str, str]]) -> list[tuple[str, str]]:
        """The wrong readings that no generated collection gives away."""
        rng = rng_for(self._seed, "databases", statement)
        named = constants(statement)
        for _ in range(DATABASES):
            if not readings:
                break
            self._database.load(random_tables(rng, named))
            readings = [reading for reading in readings if not _differ(self._database, statement, reading[1])]
        return readings

    # Book-keeping.

    def _note(self, answer: Answer) -> None:
        self._answers[answer.type][str(normal_form(answer))] += 1
        match answer:
            case Number(value=value) if value in (0, 1):
                self._degenerate["zero or one"] += 1
            case Ranking(groups=groups) if len(groups) < 2:
                self._degenerate["sorts of a single group"] += 1
            case Unanswerable():
                self._degenerate["no answer"] += 1
            case ValueSet(items=items) | Multiset(items=items) if len(items) == 1:
                self._degenerate["lists of one"] += 1
            case Rows(rows=rows) if len(rows) == 1:
                self._degenerate["tables of one row"] += 1

    def _report(self) -> list[AuditCheck]:
        rules = self._checks.results()
        total = sum(sum(counter.values()) for counter in self._answers.values())
        if not total:
            return rules
        majority = max(count for counter in self._answers.values() for count in counter.values())
        floors = {f"share of {name}": round(count / total, 4) for name, count in sorted(self._degenerate.items())}
        floors["floor of the most frequent answer"] = round(majority / total, 4)
        rules.append(AuditCheck(name="floors and degenerate answers", checked=total, measures=floors))
        rules.append(AuditCheck(name="wrong readings", checked=self._made(), measures=self._survival()))
        return rules

    def _made(self) -> int:
        return sum(count for name, count in self._mutants.items() if name.endswith(": made"))

    def _survival(self) -> dict[str, float]:
        """The share of wrong readings that give the same answer, in all and by kind of edit."""
        kinds = sorted({name.split(":")[0] for name in self._mutants})
        shares: dict[str, float] = {}
        for where in ("survive the collection", "survive all"):
            left = sum(self._mutants[f"{kind}: {where}"] for kind in kinds)
            shares[f"all: {where}"] = round(left / max(1, self._made()), 4)
        for kind in kinds:
            shares[f"{kind}: survive all"] = round(
                self._mutants[f"{kind}: survive all"] / max(1, self._mutants[f"{kind}: made"]), 4
            )
        return shares


class _Database:
    """The tables of one collection after another; a statement that takes too many steps is stopped."""

    def __init__(self) -> None:
        self._open = open_database()
        self._ticks = 0
        # SQLite counts the steps of a prepared statement over all its runs; what one run takes is counted here.
        self._open.set_progress_handler(self._is_late, STEPS // TICKS)

    def _is_late(self) -> bool:
        self._ticks += 1
        return self._ticks > TICKS

    def load(self, tables: Tables) -> None:
        self._ticks = 0
        tables.load(self._open)

    def rows(self, statement: str) -> list[Row]:
        self._ticks = 0
        return self._open.execute(statement).fetchall()


def _same(one: Answer, two: Answer) -> bool:
    return normal_form(one) == normal_form(two)


@lru_cache(maxsize=10_000)
def _parsed(statement: str) -> Program:
    """The program of a statement; each is needed once for every order of rows."""
    return parse(statement)


def _shuffled(tables: Tables, rng: random.Random) -> Tables:
    return replace(
        tables,
        articles=tuple(rng.sample(tables.articles, len(tables.articles))),
        authors=tuple(rng.sample(tables.authors, len(tables.authors))),
        citations=tuple(rng.sample(tables.citations, len(tables.citations))),
    )


def _differ(database: _Database, statement: str, wrong: str) -> bool:
    """Whether two statements give different results, order counted only where it is asked for."""
    try:
        one, two = database.rows(statement), database.rows(wrong)
    except sqlite3.Error:
        return True
    if " ORDER BY " in statement:
        return _grouped(one) != _grouped(two)
    return sorted(map(str, one)) != sorted(map(str, two))


def _grouped(rows: list[Row]) -> list[list[str]]:
    """What is wanted, tie by tie."""
    return [sorted(str(row[0]) for row in group) for _, group in groupby(rows, key=lambda row: row[1:])]


def _needed(program: Program, tables: Tables) -> tuple[Passage, ...]:
    """Where the needed parts of the articles that fit are printed."""
    parts = parts_read(program)
    return tuple(
        Passage(document=source.id, span=span)
        for source in (tables.sources[number - 1] for number in kept_articles(program, tables))
        for part, span in _places(source)
        if part in parts
    )


def _places(source: Source) -> Iterator[tuple[Part, Span]]:
    """The parts that an article has, in the order in which proofs name them."""
    yield "title", source.title_span
    if source.byline:
        yield "byline", Span(source.byline[0].span.start, source.byline[-1].span.end)
    if source.references:
        yield "references", Span(source.references[0].start, source.references[-1].end)


def _is_tagged(item: Item, program: Program, context: Context) -> bool:
    """Whether scores broken down by tag put the question where it belongs; a user's own labels are the user's."""
    wanted = {
        "skill": skill(program),
        "topic": topic(program),
        "length": print_length(context.length),
        "sampling": context.sampling or "",
    }
    return item.question.split == context.split and wanted.items() <= item.question.tags.items()


def _is_badly_worded(text: str) -> bool:
    return bool(re.search(r"[{}]|  |\bNone\b|Slot\(|\s[.,?]|\(\)", text)) or not text.endswith((".", "?"))
