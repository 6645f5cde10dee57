"""Tables, filling and answering for ten questions over each context, in memory once a context, on one core.

Beside it the plain way: for every question a database file is opened, its tables are built anew from the articles, and
one query is run. Promise: ninety times faster (wall). Articles are read before either starts.
"""

from __future__ import annotations

import sqlite3
import time
from itertools import islice
from pathlib import Path

from _measuring import fathom, workplace
from fathom.contexts.files import read_contexts
from fathom.corpus.store import Corpus
from fathom.records.chance import rng_for
from fathom.records.contexts import Context
from fathom.tasks.numeric.answers import answer_of
from fathom.tasks.numeric.filling import Filler
from fathom.tasks.numeric.tables import SCHEMA, Source, build_tables, open_database, read_source
from fathom.tasks.numeric.templates import templates

QUESTIONS = 10


def in_memory(contexts: list[Context], sources: dict[str, Source]) -> list[str]:
    """Fill and answer; returns the statements that were asked."""
    database = open_database()
    offered = templates()
    asked: list[str] = []
    for context in contexts:
        rng = rng_for(0, context.id)
        tables = build_tables([sources[id] for id in context.articles])
        tables.load(database)
        filler = Filler(tables, database)
        made = 0
        while made < QUESTIONS:
            filled = filler.fill(rng.choice(offered), rng)
            if filled is not None:
                answer_of(filled.program, filled.rows, tables)
                asked.append(filled.template.query.text)
                made += 1
    return asked


def on_disk(contexts: list[Context], sources: dict[str, Source], file: Path) -> int:
    """One file a question, as a script does that opens a database, fills it, asks and closes."""
    for context in contexts:
        for _ in range(QUESTIONS):
            file.unlink(missing_ok=True)
            database = sqlite3.connect(file)
            database.executescript(SCHEMA)
            build_tables([sources[id] for id in context.articles]).load(database)
            database.commit()
            database.execute("SELECT MAX(reference_count) FROM articles WHERE author_count > 2").fetchall()
            database.close()
    return len(contexts) * QUESTIONS


with workplace() as folder:
    corpus = folder / "corpus"
    fathom("generate", "--out", corpus, "--articles", 662, "--seed", 7)
    fathom("contexts", corpus, "--count", 655)
    contexts = list(read_contexts(corpus / "contexts.jsonl"))
    with Corpus(corpus) as opened:
        sources = {article.id: read_source(article) for article in opened.articles()}
    in_memory(contexts[:5], sources)
    start = time.perf_counter()
    asked = in_memory(contexts, sources)
    ours = (time.perf_counter() - start) / len(asked)
    start = time.perf_counter()
    done = on_disk(list(islice(contexts, 0, None, 40)), sources, folder / "one.db")
    plain = (time.perf_counter() - start) / done
    print(f"in memory, once a context   {len(asked):,} questions, {ours * 1e6:.0f} microseconds each")
    print(f"a file for every question   {done:,} questions, {plain * 1e6:.0f} microseconds each")
    print(f"the first is {plain / ours:.0f} times as fast (promised: 90)")
