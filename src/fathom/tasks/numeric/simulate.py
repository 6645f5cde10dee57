"""The responses of simulated models: the key's answer, a guess, or the answer of a reader with known faults."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from random import Random
from typing import Literal, NamedTuple

from fathom.corpus.store import Corpus
from fathom.models.simulated import SimulatedModel
from fathom.records.contexts import Context
from fathom.scoring.answer_types.format import stated
from fathom.scoring.answers import Answer
from fathom.scoring.keys import Key
from fathom.tasks.family import ALL_SEEN, Item, Unseen
from fathom.tasks.numeric.faults import FAULTS
from fathom.tasks.numeric.key_programs import program_of
from fathom.tasks.numeric.schema import COUNTS, NAME, TITLE
from fathom.tasks.numeric.sources import CACHED_SOURCES, source_reader
from fathom.tasks.numeric.tables import ContextTables, build_tables
from fathom.tasks.programs.faults import Interpretation
from fathom.tasks.programs.tree import (
    Columns,
    Count,
    CountDistinct,
    GroupedResults,
    GroupsAggregate,
    Measure,
    Output,
    RelatedCount,
    Result,
    Values,
    nodes,
)
from fathom.tasks.simulating import most_frequent

MAX_GUESS_LENGTH = 12
"""The maximum number of items in a guessed list."""

WITHOUT_ANSWER = (
    "I went through the articles one by one and compared them with what is asked.",
    "Several of the articles come into question here, and they differ in many respects.",
    '{"reasoning": "article by article", "answer":',
    "",
)
"""Responses without an answer; if the key is a list, prose may still be parsed as an incorrect list."""


class Simulator:
    """Answers questions as simulated models do; the tables of the latest context are cached."""

    def __init__(self, corpus: Corpus, keys: Callable[[], Iterable[Key]] = tuple) -> None:
        """`keys` gives the keys of the whole bench; only `sim/majority` needs them, and reads them once."""
        self._keys = keys
        self._read = source_reader(corpus, CACHED_SOURCES)
        self._latest: tuple[str, _ShownTables] | None = None

    def text(
        self, context: Context, item: Item, simulated: SimulatedModel, rng: Random, unseen: Unseen = ALL_SEEN
    ) -> str:
        """The text of the response to one question."""
        match simulated.kind:
            case "oracle":
                return stated(item.key.answer)
            case "memorizer" if not simulated.happens("forget", rng):
                return stated(item.key.original or item.key.answer)
            case "null":
                return "Answer: NULL"
            case "majority":
                return self._most_frequent.get(_requested_form(item.key).form, "Answer: NULL")
            case "random":
                return _format_answer(_guess(_requested_form(item.key), self._shown_tables(context), rng))
            case "lexical":
                return _format_answer(
                    _lookup(_requested_form(item.key), self._shown_tables(context), item.question.text)
                )
            case _:
                if simulated.happens("format", rng):
                    return rng.choice(WITHOUT_ANSWER)
                numbers = {number for number, id in enumerate(context.documents, start=1) if id in unseen}
                return stated(_read_with_faults(item.key, self.read(context), simulated, rng, numbers))

    # Tables.

    def read(self, context: Context) -> ContextTables:
        """The tables of a context."""
        return self._shown_tables(context).tables

    def _shown_tables(self, context: Context) -> _ShownTables:
        if self._latest is None or self._latest[0] != context.id:
            self._latest = context.id, _ShownTables(build_tables(self._read(context.documents)))
        return self._latest[1]

    @cached_property
    def _most_frequent(self) -> dict[str, str]:
        """For each form of answer, the response that is correct most often."""
        return most_frequent((_requested_form(key).form, stated(key.answer)) for key in self._keys())


def _read_with_faults(
    key: Key, tables: ContextTables, simulated: SimulatedModel, rng: Random, unseen: set[int]
) -> Answer:
    """The answer of a reader who was not shown some articles, misses others and makes some mistakes."""
    miss = simulated.chance("miss")
    missing = frozenset(row.number for row in tables.articles if rng.random() < miss) if miss else frozenset()
    missing |= unseen
    reading = Interpretation(program_of(key), tables, missing)
    # All faults are drawn before the first one is applied.
    for fault in [fault for name, fault in FAULTS.items() if simulated.happens(name, rng)]:
        reading = fault.apply(reading, rng) or reading
    return reading.answer()


def _format_answer(lines: Sequence[str]) -> str:
    return "Answer: " + lines[0] if len(lines) == 1 else "Answer:\n" + "\n".join(lines)


# Guesses use the form of the answer, which the question states, but not the condition.


class _AnswerForm(NamedTuple):
    """The form and the columns that a question asks for."""

    form: Literal["number", "set", "multiset", "ranking", "rows"]
    columns: tuple[Measure | Output, ...]


def _requested_form(key: Key) -> _AnswerForm:
    """The form of the answer by the program, because an unanswerable key has none."""
    program = program_of(key)
    output = program.output
    if isinstance(output, Result | GroupsAggregate):
        return _AnswerForm("number", (output,))
    columns: tuple[Measure | Output, ...] = (TITLE,)
    if isinstance(output, Values):
        columns = (output.measure,)
    elif isinstance(output, Columns):
        columns = output.measures
    elif isinstance(output, GroupedResults):
        columns = (*((output.key,) if output.keys else ()), *((output.result,) if output.result else ()))
    if len(columns) > 1:
        return _AnswerForm("rows", columns)
    if program.order:
        return _AnswerForm("ranking", columns)
    distinct = output.distinct if isinstance(output, Values) else not isinstance(output, GroupedResults) or output.keys
    return _AnswerForm("set" if distinct else "multiset", columns)


class _ShownTables:
    """One context's tables, and the values that guesses are drawn from."""

    def __init__(self, tables: ContextTables) -> None:
        self.tables = tables

    @cached_property
    def titles(self) -> list[str]:
        return [row.title for row in self.tables.articles]

    @cached_property
    def names(self) -> list[str]:
        return list(dict.fromkeys(row.name for row in self.tables.authors))

    @cached_property
    def words(self) -> dict[str, frozenset[str]]:
        """The words of each title and name."""
        return {text: _words(text) for text in (*self.titles, *self.names)}

    def texts(self, column: Measure | Output) -> list[str] | None:
        """The titles or names to choose from; None if the column has numbers."""
        if column == NAME:
            return self.names or [""]
        return self.titles if column == TITLE else None

    def numbers(self, columns: Sequence[Measure | Output]) -> tuple[int, int]:
        """The range of the counts that the columns name, or of the number of articles."""
        rows = self.tables.articles
        read = [node for column in columns for node in nodes(column)]
        named = [column.name for column in COUNTS if column in read]
        values = [value for name in named for row in rows if (value := getattr(row, name)) is not None]
        counts = any(isinstance(node, Count | CountDistinct | RelatedCount) for node in read)
        return (min(values), max(values)) if values and not counts else (0, len(rows))


def _words(text: str) -> frozenset[str]:
    """The words of a text with at least four letters."""
    return frozenset(re.findall(r"[^\W\d_]{4,}", text.lower()))


def _guess(form: _AnswerForm, shown: _ShownTables, rng: Random) -> list[str]:
    """Random values of the requested form from the context."""
    texts = shown.texts(form.columns[0])
    if texts is not None and len(form.columns) == 1:
        return rng.sample(texts, rng.randint(1, min(len(texts), MAX_GUESS_LENGTH)))
    low, high = shown.numbers(form.columns)
    count = 1 if form.form == "number" else rng.randint(1, min(len(shown.titles), MAX_GUESS_LENGTH))
    if form.form == "set":
        return [str(number) for number in rng.sample(range(low, high + 1), min(count, high - low + 1))]

    def cell(column: Measure | Output) -> str:
        texts = shown.texts(column)
        return str(rng.randint(low, high)) if texts is None else rng.choice(texts)

    return ["; ".join(map(cell, form.columns)) for _ in range(count)]


def _lookup(form: _AnswerForm, shown: _ShownTables, question: str) -> list[str]:
    """The titles or names that share most words with the question, and its first number."""
    number = re.search(r"\d+", question)
    first = number[0] if number else "1"
    texts = shown.texts(form.columns[0])
    if texts is None:
        return ["; ".join(first for _ in form.columns)]
    question_words = _words(question)
    shared = {text: len(question_words & shown.words.get(text, frozenset())) for text in texts}
    most = max(shared.values())
    best = [text for text, count in shared.items() if count == most][: MAX_GUESS_LENGTH if most else 1]
    return ["; ".join((text, *(first for _ in form.columns[1:]))) for text in best]
