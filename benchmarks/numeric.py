"""Tables, filling and answering for ten questions over each context, in memory once a context, on one core.

Beside it the plain way, which gives the same questions: every question that is tried opens a database file, builds its
tables anew from the documents and runs its query; those with a result of an unwanted size are dropped. Promise: ninety
times faster (wall). Much of the plain way is waiting for the disk, so what this disk takes to make four writes safe is
printed too. Documents are read before either starts.
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
from fathom.tasks.numeric.tables import Source, build_tables, open_database, read_source
from fathom.tasks.numeric.templates import Template, templates
from fathom.tasks.programs.tree import Constant, Slot

QUESTIONS = 10
Asked = tuple[str, tuple[tuple[object, ...], ...]]
"""A template and the rows that its filling gives."""


def filled(filler: TemplateFiller, offered: tuple[Template, ...], rng: Random) -> FilledTemplate:
    """The next template that can be filled here."""
    while True:
        made = filler.fill(rng.choice(offered), rng)
        if made is not None:
            return made


def in_memory(contexts: list[Context], sources: dict[str, Source]) -> Iterator[Asked]:
    """One database, whose rows are exchanged for each context."""
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
    """Learns how large a result is by asking, as a script does: every try opens a file, builds its tables and asks."""

    def __init__(self, sources: list[Source], file: Path) -> None:
        super().__init__(build_tables(sources), sqlite3.connect(":memory:"))
        self._sources = sources
        self._file = file
        self.tries = 0

    def has_planned_size(self, template: Template, values: dict[Slot, Constant], empty: bool) -> bool:
        self._database.close()
        self._file.unlink(missing_ok=True)
        self._database = sqlite3.connect(self._file, isolation_level=None)
        self._database.executescript(SCHEMA.statements())
        build_tables(self._sources).load(self._database)
        self.run(template.query, values)
        self.tries += 1
        return super().has_planned_size(template, values, empty)


def on_disk(contexts: list[Context], sources: dict[str, Source], file: Path, tries: list[int]) -> Iterator[Asked]:
    """The same questions with files."""
    offered = templates()
    for context in contexts:
        rng = rng_for(0, context.id)
        filler = PlainFiller([sources[id] for id in context.documents], file)
        for _ in range(QUESTIONS):
            made = filled(filler, offered, rng)
            yield made.template.id, made.rows
        tries.append(filler.tries)


def timed(asked: Iterator[Asked]) -> tuple[list[Asked], float]:
    """What was asked, and the seconds that each question took."""
    start = time.perf_counter()
    every = list(asked)
    return every, (time.perf_counter() - start) / len(every)


def four_safe_writes(file: Path) -> float:
    """Seconds that the disk takes to make safe what SQLite makes safe for three tables and their rows."""
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
    gc.freeze()  # the documents are no part of either way
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
    print(f"four writes made safe here  {four_safe_writes(folder / 'safe') * 1e6:.0f} microseconds")
    print(f"the first is {slow / fast:.0f} times as fast (promised: 90); {slow / files / fast:.0f} if every try fitted")
