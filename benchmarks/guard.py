"""Overhead of the SQL guard per query, over the tables of a context of 40 documents, on one core.

The same statements, each prepared once: without a guard, with one guard for all, with a guard for each. Promise:
about 7 microseconds per query with one guard.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable

from _measuring import best, fathom, workplace
from fathom.corpus.store import Corpus
from fathom.systems.sql_guard import guarded, run_guarded
from fathom.tasks.numeric.sources import read_source
from fathom.tasks.numeric.tables import build_tables, open_database
from fathom.tasks.numeric.templates import templates

ROUNDS = 7


def microseconds(run: Callable[[str], object], statements: list[str]) -> float:
    """Seconds per statement, in the fastest of several rounds."""
    taken = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for statement in statements:
            run(statement)
        taken.append(time.perf_counter() - start)
    return best(taken) / len(statements) * 1e6


def tables_of_forty() -> sqlite3.Connection:
    """The database of 40 generated documents."""
    database = open_database()
    with workplace() as folder:
        fathom("generate", "--out", folder / "corpus", "--documents", 40, "--seed", 7)
        with Corpus(folder / "corpus") as corpus:
            build_tables([read_source(document) for document in corpus.documents()]).load(database)
    return database


database = tables_of_forty()
statements = [template.query.text for template in templates() if not template.slots]
plain = microseconds(lambda statement: database.execute(statement).fetchall(), statements)
with guarded(database) as run:
    under_one = microseconds(run, statements)
each = microseconds(lambda statement: run_guarded(database, statement), statements)
print(f"plain                {len(statements)} statements, {plain:.1f} microseconds each")
print(f"one guard for all    {under_one:.1f} microseconds each, {under_one - plain:.1f} more (promised: about 7)")
print(f"a guard for each     {each:.1f} microseconds each, {each - plain:.1f} more; it prepares every statement anew")
