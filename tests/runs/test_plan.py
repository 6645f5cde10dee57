from __future__ import annotations

from pathlib import Path

import pytest

from fathom.models.model_info import ModelInfo, model_info
from fathom.models.tokenizers import tokenizer
from fathom.records.errors import FathomError
from fathom.records.questions import Response, Usage
from fathom.runs.bench_view import BenchView
from fathom.runs.folder import ResponseIndex, RunSettings
from fathom.runs.plan import jobs, plan
from fathom.systems.direct import ClosedBook, Full, Tables
from fathom.systems.extract_sql import ExtractSql
from fathom.systems.sql import Sql

WIDE = ModelInfo(window=10_000_000, input_price=1.0, cached_price=0.1, output_price=4.0, token_ratio=1.0)


def test_what_is_planned_is_what_would_be_sent(exam: BenchView) -> None:
    count = tokenizer("o200k").count
    settings = RunSettings(samples=3, max_tokens=100)
    found = plan(exam, Full(), WIDE, settings, ResponseIndex(), 1)
    instruction = count(exam.views("numeric").instructions["full, direct"])
    contexts = sum(context.tokens for context, _ in exam.groups())
    questions = [question for _, asked in exam.groups() for question in asked]
    own = sum(count(question.text) for question in questions)
    assert found.questions == len(questions) == 30
    assert found.responses == found.requests == 90
    assert found.input_tokens == 3 * (5 * (contexts + 6 * instruction) + own)
    # Of fifteen requests over one context the first pays, and the cache serves fourteen.
    assert found.cached_tokens == 14 * (contexts + 6 * instruction)
    assert found.output_tokens == 90 * 80
    fresh = found.input_tokens - found.cached_tokens
    price = (fresh * 1.0 + found.cached_tokens * 0.1 + found.output_tokens * 4.0) / 1e6
    assert found.price == pytest.approx(price)


def test_what_does_not_fit_is_named(exam: BenchView) -> None:
    narrow = ModelInfo(window=40_000, token_ratio=1.0)
    found = plan(exam, Full(), narrow, RunSettings(), ResponseIndex(), 1)
    assert len(found.overflow) == 30
    assert found.requests == found.input_tokens == 0
    assert found.price is None
    assert not plan(exam, ClosedBook(), narrow, RunSettings(), ResponseIndex(), 1).overflow


def test_room_for_the_response_is_kept_free(exam: BenchView) -> None:
    context, asked = next(iter(exam.groups()))
    job = next(jobs(exam, RunSettings()))[0]
    whole = plan(exam, Full(), WIDE, RunSettings(limit=1), ResponseIndex(), 1).input_tokens
    assert context.tokens < whole
    assert job.question == asked[0]
    exact, tight = ModelInfo(window=whole + 500, token_ratio=1.0), ModelInfo(window=whole + 499, token_ratio=1.0)
    settings = RunSettings(max_tokens=500, limit=1)
    assert not plan(exam, Full(), exact, settings, ResponseIndex(), 1).overflow
    assert plan(exam, Full(), tight, settings, ResponseIndex(), 1).overflow == (job.question.id,)


def test_what_is_there_is_not_planned_again(exam: BenchView) -> None:
    questions = [question for _, asked in exam.groups() for question in asked]
    standing = ResponseIndex.of(
        iter(
            [
                Response(question_id=questions[0].id, outcome="answered"),
                Response(question_id=questions[1].id, outcome="error", error="x"),
            ]
        )
    )
    found = plan(exam, Full(), WIDE, RunSettings(), standing, 1)
    assert (found.done, found.requests) == (1, 29)


def test_extraction_is_paid_once_for_a_context(exam: BenchView) -> None:
    settings = RunSettings(limit=5)
    chunks = plan(exam, ExtractSql(chunk=8_000), WIDE, settings, ResponseIndex(), 1).requests - 5
    context, _ = next(iter(exam.groups()))
    assert context.tokens / 8_000 <= chunks <= context.tokens / 8_000 * 2.5


def test_tables_and_queries_take_less_than_the_documents(exam: BenchView) -> None:
    sizes = [
        plan(exam, system, WIDE, RunSettings(), ResponseIndex(), 1).input_tokens
        for system in (ClosedBook(), Sql(), Tables(), Full())
    ]
    assert sizes == sorted(sizes)


def test_only_the_wanted_questions_are_asked(exam: BenchView) -> None:
    assert sum(len(group) for group in jobs(exam, RunSettings(limit=7))) == 7
    assert not list(jobs(exam, RunSettings(split="train")))
    samples = [(job.question.id, job.sample) for job in next(jobs(exam, RunSettings(samples=2, limit=2)))]
    assert [sample for _, sample in samples] == [0, 1, 0, 1]


def test_the_users_table_comes_first(tmp_path: Path) -> None:
    table = tmp_path / "prices.toml"
    table.write_text('[models."openai/gpt-4.1*"]\nwindow = 10\ninput_price = 7.0\noutput_price = 1.0\n')
    assert model_info("openai/gpt-4.1-mini", table).input_price == 7.0
    assert model_info("openai/gpt-4.1-mini").input_price == 0.40
    assert model_info("openai/gpt-4.1").input_price == 2.00
    assert model_info("nobody/knows") == ModelInfo()
    assert model_info("nobody/knows").price(Usage(input_tokens=5)) is None


@pytest.mark.parametrize("content", ["models = [", '[models."x"]\nwindow = -3\n', '[models."x"]\nwidow = 3\n'])
def test_a_broken_table_is_told(tmp_path: Path, content: str) -> None:
    table = tmp_path / "prices.toml"
    table.write_text(content)
    with pytest.raises(FathomError, match="Correct the file"):
        model_info("x", table)
