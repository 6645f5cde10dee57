"""What a system may see of a context: the articles, the tables read from them, and the words to ask with."""

from __future__ import annotations

import csv
import io
import json
import re
import sqlite3
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from fathom.contexts.layout import render
from fathom.corpus.store import Corpus
from fathom.records.contexts import Context
from fathom.records.errors import FathomError
from fathom.tasks.asking import instruction
from fathom.tasks.numeric.tables import Tables, build_tables, open_database, read_source

KEPT = 8
"""Contexts whose tables are kept: those in flight, with some to spare."""


class Views:
    """The views of the contexts of one corpus."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._recent: OrderedDict[str, Tables] = OrderedDict()

    def words(self, name: str) -> str:
        """The instruction of that name in `ask.md`."""
        return instruction(__package__ or "", name)

    def text(self, context: Context, form: str) -> bytes:
        """The laid-out articles, or their tables as text."""
        if form == "articles":
            return render(context, self._corpus)
        if form != "tables":
            raise FathomError(f"The family shows no '{form}' of a context. Choose another system.")
        return "".join(_as_text(self._tables(context))).encode()

    def database(self, context: Context) -> sqlite3.Connection:
        """The tables, loaded."""
        database = open_database()
        self._tables(context).load(database)
        return database

    def extracted(self, said: Sequence[str]) -> sqlite3.Connection:
        """The tables as a model read them."""
        return _loaded(_read(said))

    def _tables(self, context: Context) -> Tables:
        if context.id not in self._recent:
            self._recent[context.id] = build_tables([read_source(self._corpus.front(id)) for id in context.documents])
            if len(self._recent) > KEPT:
                self._recent.popitem(last=False)
        return self._recent[context.id]


def _as_text(tables: Tables) -> Iterator[str]:
    """The three tables with their headings, as comma-separated values."""
    yield from _table(
        "articles",
        ("article_id", "article_title", "title_word_count", "author_count", "reference_count"),
        tables.articles,
    )
    yield from _table(
        "article_author",
        ("article_id", "author_name", "author_position"),
        tables.authors,
    )
    yield from _table("citing_cited", ("article_id_citing", "article_id_cited"), tables.citations)


def _table(name: str, columns: Sequence[str], rows: Sequence[Sequence[int | str]]) -> Iterator[str]:
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    yield f"Table {name}\n{lines.getvalue()}\n"


# What a model wrote down of the articles, chunk by chunk.


@dataclass
class _Read:
    """What the model read of one article, put together from its chunks."""

    title: str = ""
    authors: list[str] = field(default_factory=list)
    references: list[str] = field(default_factory=list)


def _read(said: Sequence[str]) -> dict[int, _Read]:
    """The articles in the responses: JSON objects, one a line; whatever else the model wrote is passed over."""
    articles: dict[int, _Read] = {}
    for line in "\n".join(said).splitlines():
        try:
            row = json.loads(line.strip().rstrip(","))
        except (ValueError, RecursionError):
            continue
        if not isinstance(row, dict) or type(row.get("article")) is not int or not 0 < row["article"] < 100_000:
            continue
        found = articles.setdefault(row["article"], _Read())
        if isinstance(row.get("title"), str) and not found.title:
            found.title = row["title"].strip()
        found.authors.extend(_strings(row.get("authors")))
        found.references.extend(_strings(row.get("references")))
    return articles


def _strings(value: object) -> list[str]:
    return [one.strip() for one in value if isinstance(one, str) and one.strip()] if isinstance(value, list) else []


def _loaded(articles: dict[int, _Read]) -> sqlite3.Connection:
    """The three tables; one article cites another whose title stands among its references."""
    database = open_database()
    titles = {_plain(read.title): number for number, read in articles.items() if read.title}
    for number, read in sorted(articles.items()):
        counts = len(read.title.split()), len(read.authors), len(read.references)
        database.execute("INSERT INTO articles VALUES (?, ?, ?, ?, ?)", (number, read.title, *counts))
        database.executemany(
            "INSERT INTO article_author (article_id, author_name, author_position) VALUES (?, ?, ?)",
            [(number, name, position) for position, name in enumerate(read.authors, start=1)],
        )
        cited = dict.fromkeys(titles[_plain(one)] for one in read.references if _plain(one) in titles)
        database.executemany(
            "INSERT INTO citing_cited (article_id_citing, article_id_cited) VALUES (?, ?)",
            [(number, other) for other in cited if other != number],
        )
    return database


def _plain(title: str) -> str:
    return re.sub(r"\W+", " ", title).casefold().strip()
