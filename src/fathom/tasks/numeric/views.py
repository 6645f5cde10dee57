"""The views of numeric contexts: documents, their tables, instructions, and the passages that a question needs."""

from __future__ import annotations

import csv
import io
import json
import re
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from fathom.contexts.layout import render, render_range
from fathom.corpus.store import Corpus
from fathom.records.contexts import Context
from fathom.records.documents import DocumentId, Passage
from fathom.systems.protocol import DOCUMENTS, TableAccess, Views
from fathom.tasks.family import Item, PassageFinder
from fathom.tasks.numeric.build import spans_of
from fathom.tasks.numeric.key_programs import program_of
from fathom.tasks.numeric.schema import ArticlePart, parts_read
from fathom.tasks.numeric.sources import CACHED_SOURCES, read_source, source_reader
from fathom.tasks.numeric.tables import ContextTables, build_tables, open_database
from fathom.tasks.text_views import instructions

CACHED = 8
"""Contexts whose tables are cached: those in flight, and a few more."""


def views(corpus: Corpus) -> Views:
    """The views of the contexts of one corpus: documents, tables as text, and tables to query."""

    @lru_cache(maxsize=CACHED)
    def tables_of(documents: tuple[DocumentId, ...]) -> ContextTables:
        return build_tables([read_source(corpus.bibliographic_record(id)) for id in documents])

    def database(context: Context) -> sqlite3.Connection:
        opened = open_database()
        tables_of(context.documents).load(opened)
        return opened

    return Views(
        family="numeric",
        instructions=instructions(__package__ or ""),
        forms={
            DOCUMENTS: lambda context: render(context, corpus),
            "tables": lambda context: "".join(_as_text(tables_of(context.documents))).encode(),
        },
        part=lambda context, start, end: render_range(context, corpus, start, end),
        tables=TableAccess(database, lambda context, extractions: _load(_parse(extractions))),
    )


def _as_text(tables: ContextTables) -> Iterator[str]:
    """The three tables with their headings, as comma-separated values; a count that is not known is NULL."""
    yield from _table(
        "articles",
        ("article_id", "article_title", "title_word_count", "author_count", "reference_count"),
        tables.articles,
    )
    yield from _table("article_author", ("article_id", "author_name", "author_position"), tables.authors)
    yield from _table("citing_cited", ("article_id_citing", "article_id_cited"), tables.citations)


def _table(name: str, columns: Sequence[str], rows: Sequence[Sequence[int | str | None]]) -> Iterator[str]:
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(["NULL" if cell is None else cell for cell in row] for row in rows)
    yield f"Table {name}\n{lines.getvalue()}\n"


# Tables from a model's extractions, chunk by chunk.


@dataclass
class _ExtractedArticle:
    """One article as the model extracted it, from all of its chunks."""

    title: str = ""
    authors: list[str] = field(default_factory=list)
    references: list[str] = field(default_factory=list)


def _parse(extractions: Sequence[str]) -> dict[int, _ExtractedArticle]:
    """The articles in the extractions: JSON objects, one per line. Other text is ignored."""
    articles: dict[int, _ExtractedArticle] = {}
    for line in "\n".join(extractions).splitlines():
        try:
            row = json.loads(line.strip().rstrip(","))
        except (ValueError, RecursionError):
            continue
        if not isinstance(row, dict) or type(row.get("article")) is not int or not 0 < row["article"] < 100_000:
            continue
        article = articles.setdefault(row["article"], _ExtractedArticle())
        if isinstance(row.get("title"), str) and not article.title:
            article.title = row["title"].strip()
        article.authors.extend(_strings(row.get("authors")))
        article.references.extend(_strings(row.get("references")))
    return articles


def _strings(value: object) -> list[str]:
    return (
        [entry.strip() for entry in value if isinstance(entry, str) and entry.strip()]
        if isinstance(value, list)
        else []
    )


def _load(articles: dict[int, _ExtractedArticle]) -> sqlite3.Connection:
    """The three tables. An article cites another if the other's title is among its references."""
    database = open_database()
    titles = {_normalize(read.title): number for number, read in articles.items() if read.title}
    for number, read in sorted(articles.items()):
        counts = len(read.title.split()), len(read.authors), len(read.references)
        database.execute("INSERT INTO articles VALUES (?, ?, ?, ?, ?)", (number, read.title, *counts))
        database.executemany(
            "INSERT INTO article_author (article_id, author_name, author_position) VALUES (?, ?, ?)",
            [(number, name, position) for position, name in enumerate(read.authors, start=1)],
        )
        cited = dict.fromkeys(
            titles[_normalize(reference)] for reference in read.references if _normalize(reference) in titles
        )
        database.executemany(
            "INSERT INTO citing_cited (article_id_citing, article_id_cited) VALUES (?, ?)",
            [(number, other) for other in cited if other != number],
        )
    return database


def _normalize(title: str) -> str:
    return re.sub(r"\W+", " ", title).casefold().strip()


def required_passages(corpus: Corpus) -> PassageFinder:
    """Finds the titles, bylines and reference lists that a question over the corpus needs."""
    read = source_reader(corpus, CACHED_SOURCES)

    def passages(context: Context, item: Item) -> list[Passage]:
        # In the order of the context, with every title, because questions name articles by title.
        needed: frozenset[ArticlePart] = parts_read(program_of(item.key)) | {"title"}
        return [
            Passage(document=source.id, span=span)
            for source in read(context.documents)
            for span in spans_of(source, needed)
        ]

    return passages
