"""Tables of contexts: the program of every key gives its answer over them; extractions give the same tables."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from fathom.corpus.store import Corpus
from fathom.records.contexts import Context
from fathom.records.questions import Response
from fathom.systems.protocol import ContextView, TableAccess, Views
from fathom.systems.sql import printed
from fathom.systems.sql_guard import run_guarded
from fathom.tasks.bench import Bench
from fathom.tasks.tables import FAMILY
from fathom.tasks.tables.check import check_answer
from tests.tasks.tables.period_queries import over_periods


@pytest.fixture(params=["housing", "companies in Chinese"])
def folder(request: pytest.FixtureRequest, reports: Path, chinese_reports: Path) -> Path:
    return reports if request.param == "housing" else chinese_reports


def views_of(bench: Bench, corpus: Corpus) -> Views:
    return FAMILY.views(corpus, bench.manifest.reports["tables"])


def test_the_program_of_every_key_gives_its_answer(folder: Path) -> None:
    bench = Bench(folder / "bench")
    with Corpus(folder / "corpus") as corpus:
        tables = access(views_of(bench, corpus))
        for context, items in bench.by_context():
            with closing(tables.database(context)) as database:
                assert len(items) >= 8
                for item in items:
                    rows = printed(run_guarded(database, over_periods(item, database)))
                    response = Response(question_id=item.question.id, outcome="answered", text=rows)
                    assert check_answer(item.key, response).outcome == "correct", (item.question.text, rows)


def access(views: Views) -> TableAccess:
    assert views.tables is not None
    return views.tables


def extractions(database: sqlite3.Connection, context: Context) -> list[str]:
    """What a perfect extractor writes: the rows of each report, in two halves, the second one without a name."""
    database.row_factory = sqlite3.Row
    lines = []
    for number, row in enumerate(database.execute("SELECT * FROM companies"), start=1):
        stated = {name: row[name] for name in row.keys() if row[name] is not None}  # noqa: SIM118
        report = {"document": number, "table": "companies", "year": stated["year"]}
        report["report"] = stated["year"] if stated.pop("own_report") else 2100
        cells = list(stated.items())
        lines.append(json.dumps({**report, **dict(cells[: len(cells) // 2])}, ensure_ascii=False))
        half = {**report, "currency": stated.get("currency"), **dict(cells[len(cells) // 2 :])}
        lines.append(json.dumps(half, ensure_ascii=False) + ",")
    return ["Here are the rows:\n", "\n".join(lines), '{"document": true}\n{"table": "x"}\n[1]\nnull', "[" * 5_000]


def test_a_perfect_extraction_gives_the_same_figures(chinese_reports: Path) -> None:
    bench = Bench(chinese_reports / "bench")
    columns = "name, year, currency, revenue, net_profit, employees"
    with Corpus(chinese_reports / "corpus") as corpus:
        tables = access(views_of(bench, corpus))
        [(context, _)] = bench.by_context()
        with closing(tables.database(context)) as gold:
            wanted = gold.execute(f"SELECT {columns} FROM companies ORDER BY 1, 2").fetchall()
            assert len(wanted) > 10
            with closing(tables.parse(context, extractions(gold, context))) as read:
                found = read.execute(f"SELECT {columns} FROM companies WHERE year < 2100 ORDER BY 1, 2").fetchall()
        assert found == wanted


def test_instructions_are_in_the_language_of_the_context_and_describe_its_tables(
    reports: Path, chinese_reports: Path
) -> None:
    cases = ((chinese_reports, "营业收入，单位为该货币的基本单位"), (reports, "-- number of homes sold"))
    for folder, words in cases:
        bench = Bench(folder / "bench")
        with Corpus(folder / "corpus") as corpus:
            [(context, _)] = bench.by_context()
            view = ContextView(context, views_of(bench, corpus))
            for instruction in ("sql, direct", "sql, cot", "extract, direct"):
                assert words in view.instruction(instruction)
                assert "{schema}" not in view.instruction(instruction)
            assert words in view.text("tables")
            assert ("答案是" in view.instruction("full, direct")) == (folder is chinese_reports)
