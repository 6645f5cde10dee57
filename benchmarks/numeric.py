"""The time to build tables, fill templates and compute answers for ten questions over each context, on one core.

The baseline gives the same questions: every question that is tried opens a database file, builds its tables again from
the documents and runs its query; those with a result of an unsuitable size are dropped. Both compare several fillings
of a template by the single-edit mutants that they detect, which takes nine tenths of the time in memory. Target:
fifteen times faster (wall time). The baseline mostly waits for the disk, so the time of four synchronized writes is
printed too. The documents are read before either starts.
"""

from __future__ import annotations

import gc
import os
import sqlite3
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from random import Random

from _measuring import fathom, workplace
from fathom.contexts.files import read_contexts
from fathom.corpus.store import Corpus
from fathom.records.contexts import Context
from fathom.records.rng import rng_for
from fathom.tasks.numeric.fill import FilledTemplate, TemplateFiller
from fathom.tasks.numeric.schema import SCHEMA
from fathom.tasks.numeric.sources import ArticleSource, read_source
from fathom.tasks.numeric.tables import build_tables, open_database
from fathom.tasks.numeric.templates import Template, templates
from fathom.tasks.programs.tree import Constant, Slot

QUESTIONS = 10
Answered = tuple[str, tuple[tuple[object, ...], ...]]
"""The id of a template, and the rows of its query."""


def filled(filler: TemplateFiller, offered: tuple[Template, ...], rng: Random) -> FilledTemplate:
    """The next template that can be filled here."""
    while True:
        made = filler.fill(rng.choice(offered), rng)
        if made is not None:
            return made


def in_memory(contexts: list[Context], sources: dict[str, ArticleSource]) -> Iterator[Answered]:
    """One database, whose rows are replaced for each context."""
    database = open_database()
    offered = templates()
    for context in contexts:
        rng = rng_for(0, context.id)
        tables = build_tables([sources[id] for id in context.documents])
        tables.load(database)
        filler = TemplateFiller(tables, database)
        for _ in range(QUESTIONS):
            made = filled(filler, offered, rng)
            yield made.template.id, made.rows


class PlainFiller(TemplateFiller):
    """Finds the size of a result by running the query: every try opens a file, builds its tables and runs it."""

    def __init__(self, sources: list[ArticleSource], file: Path) -> None:
        super().__init__(build_tables(sources), sqlite3.connect(":memory:"))
        self._sources = sources
        self._file = file
        self.tries = 0

    def has_planned_size(self, template: Template, values: dict[Slot, Constant], empty: bool) -> bool:
        if self._database is not None:
            self._database.close()
        self._file.unlink(missing_ok=True)
        self._database = sqlite3.connect(self._file, isolation_level=None)
        self._database.executescript(SCHEMA.statements())
        build_tables(self._sources).load(self._database)
        self.run(template.query, values)
        self.tries += 1
        return super().has_planned_size(template, values, empty)


def on_disk(
    contexts: list[Context], sources: dict[str, ArticleSource], file: Path, tries: list[int]
) -> Iterator[Answered]:
    """The same questions with files."""
    offered = templates()
    for context in contexts:
        rng = rng_for(0, context.id)
        filler = PlainFiller([sources[id] for id in context.documents], file)
        for _ in range(QUESTIONS):
            made = filled(filler, offered, rng)
            yield made.template.id, made.rows
        tries.append(filler.tries)


def timed(answered: Iterator[Answered]) -> tuple[list[Answered], float]:
    """The answered questions, and the seconds for each."""
    start = time.perf_counter()
    every = list(answered)
    return every, (time.perf_counter() - start) / len(every)


def four_synchronized_writes(file: Path) -> float:
    """Seconds for the synchronized writes that SQLite makes for three tables and their rows."""
    start = time.perf_counter()
    for _ in range(50):
        with file.open("wb") as stream:
            for _ in range(4):
                stream.write(bytes(4096))
                stream.flush()
                os.fsync(stream.fileno())
    return (time.perf_counter() - start) / 50


with workplace() as folder:
    corpus = folder / "corpus"
    fathom("generate", "--out", corpus, "--documents", 662, "--seed", 7)
    fathom("contexts", corpus, "--count", 655)
    contexts = list(read_contexts(corpus / "contexts.jsonl"))
    with Corpus(corpus) as opened:
        sources = {document.id: read_source(document) for document in opened.documents()}
    some = list(islice(contexts, 0, None, 40))
    list(in_memory(some, sources))  # statements prepared, pages in memory
    gc.collect()
    gc.freeze()  # the documents belong to neither measurement
    ours, fast = timed(in_memory(contexts, sources))
    tries: list[int] = []
    again, slow = timed(on_disk(some, sources, folder / "one.db", tries))
    if again != list(in_memory(some, sources)):
        raise SystemExit("the two ways give different questions")
    files = sum(tries) / len(again)
    print(f"in memory, once a context   {len(ours):,} questions, {fast * 1e6:.0f} microseconds each")
    print(
        f"a file for every try        {len(again):,} questions, {slow * 1e6:.0f} microseconds each, {files:.2f} files"
    )
    print(f"four synchronized writes    {four_synchronized_writes(folder / 'safe') * 1e6:.0f} microseconds")
    print(f"the first is {slow / fast:.0f} times as fast (promised: 15); {slow / files / fast:.0f} if every try fitted")
