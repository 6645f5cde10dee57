"""The tables of real articles against their gold standard, where it is available."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from fathom.corpus.document_reading import Filters
from fathom.corpus.ingest import ingest
from fathom.corpus.store import Corpus
from fathom.tasks.numeric.tables import Tables, build_tables, read_source
from tests.corpus.readers.conftest import shared
from tests.sharing import SharedFolders

__all__ = ["shared"]

SETS = ("synapse", "influenza-evolution", "reproducibility", "edge-cases")


@pytest.fixture(scope="module")
def corpus_of(build_once: SharedFolders) -> Callable[[Path], Path]:
    def make(source: Path) -> Path:
        sources = [source / f"{name}.tar.xz" for name in SETS]
        return build_once("elife", lambda folder: ingest(sources, folder / "corpus", Filters())) / "corpus"

    return make


def tables_of(corpus: Corpus) -> tuple[Tables, list[str]]:
    """All articles of the corpus as one collection, and their DOIs in order."""
    articles = list(corpus.documents())
    tables = build_tables([read_source(article) for article in articles])
    return tables, [article.ids.get("doi", "").lower() for article in articles]


def test_counts_are_those_of_the_gold(shared: Callable[[str], Path], corpus_of: Callable[[Path], Path]) -> None:
    folder = shared("elife-jats")
    lines = [json.loads(line) for line in (folder / "manifest.jsonl").read_text().splitlines()]
    gold = {line["doi"].lower(): line for line in lines if line["set"] in SETS}
    with Corpus(corpus_of(folder)) as corpus:
        tables, dois = tables_of(corpus)
    assert len(tables.articles) == len(gold) == 224
    wrong = [
        (doi, row)
        for doi, row in zip(dois, tables.articles, strict=True)
        if (row.title_word_count, row.author_count, row.reference_count)
        != (len(gold[doi]["title"].split()), len(gold[doi]["authors"]), gold[doi]["n_refs"])
    ]
    assert len(wrong) <= 0.005 * len(gold), wrong


def test_citations_are_those_of_the_gold(shared: Callable[[str], Path], corpus_of: Callable[[Path], Path]) -> None:
    folder = shared("elife-jats")
    with Corpus(corpus_of(folder)) as corpus:
        tables, dois = tables_of(corpus)
    found = {(dois[row.citing - 1], dois[row.cited - 1]) for row in tables.citations}
    with (folder / "citation_edges.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    gold = {(row["citing_doi"].lower(), row["cited_doi"].lower()) for row in rows}
    inside = {edge for edge in gold if set(edge) <= set(dois)}
    assert len(found & inside) >= 0.99 * len(inside)
    # What the gold lacks was looked at one by one: references by preprint DOI that name the very title.
    assert len(found - inside) <= 0.03 * len(inside)
