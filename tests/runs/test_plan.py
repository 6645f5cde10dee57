from __future__ import annotations

from pathlib import Path

import pytest

from fathom.models.model_info import ModelInfo, model_info
from fathom.models.tokenizers import tokenizer
from fathom.records.errors import FathomError
from fathom.records.questions import Response, Usage
from fathom.runs.bench_view import BenchView
from fathom.runs.folder import ResponseIndex, RunSettings
from fathom.runs.model_caller import FRAMING_TOKENS
from fathom.runs.plan import jobs, plan
from fathom.systems.direct import ClosedBook, Full, Tables
from fathom.systems.extract_sql import ExtractSql
from fathom.systems.sql import Sql

WIDE = ModelInfo(window=10_000_000, input_price=1.0, cached_price=0.1, output_price=4.0, token_ratio=1.0)


def test_a_plan_counts_the_tokens_that_are_sent(bench_view: BenchView) -> None:
    count = tokenizer("o200k").count
    settings = RunSettings(samples=3, max_tokens=100)
    found = plan(bench_view, Full(), WIDE, settings, ResponseIndex(), 1)
    instruction = count(bench_view.views("numeric").instructions["full, direct"])
    contexts = sum(context.tokens for context, _ in bench_view.groups())
    questions = [question for _, asked in bench_view.groups() for question in asked]
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


def test_a_plan_lists_questions_that_do_not_fit(bench_view: BenchView) -> None:
    narrow = ModelInfo(window=40_000, token_ratio=1.0)
    found = plan(bench_view, Full(), narrow, RunSettings(), ResponseIndex(), 1)
    assert len(found.overflow) == 30
    assert found.requests == found.input_tokens == 0
    assert found.price is None
    assert not plan(bench_view, ClosedBook(), narrow, RunSettings(), ResponseIndex(), 1).overflow


def test_the_window_needs_room_for_the_response(bench_view: BenchView) -> None:
    (job,) = next(jobs(bench_view, RunSettings(limit=1)))
    whole = plan(bench_view, Full(), WIDE, RunSettings(limit=1), ResponseIndex(), 1).input_tokens
    assert job.context.tokens < whole
    exact, tight = ModelInfo(window=whole + 500, token_ratio=1.0), ModelInfo(window=whole + 499, token_ratio=1.0)
    settings = RunSettings(max_tokens=500, limit=1)
    assert not plan(bench_view, Full(), exact, settings, ResponseIndex(), 1).overflow
    assert plan(bench_view, Full(), tight, settings, ResponseIndex(), 1).overflow == (job.question.id,)


def test_existing_responses_are_not_planned_again(bench_view: BenchView) -> None:
    questions = [question for _, asked in bench_view.groups() for question in asked]
    index = ResponseIndex(
        [
            Response(question_id=questions[0].id, outcome="answered"),
            Response(question_id=questions[1].id, outcome="error", error="x"),
        ]
    )
    found = plan(bench_view, Full(), WIDE, RunSettings(), index, 1)
    assert (found.done, found.requests) == (1, 29)


def test_extraction_is_counted_once_per_context(bench_view: BenchView) -> None:
    chunks = plan(bench_view, ExtractSql(chunk=8_000), WIDE, RunSettings(), ResponseIndex(), 1).requests - 30
    tokens = sum(context.tokens for context, _ in bench_view.groups())
    assert tokens / 8_000 <= chunks <= tokens / 8_000 * 2.5


def test_tables_and_queries_need_fewer_tokens_than_documents(bench_view: BenchView) -> None:
    sizes = [
        plan(bench_view, system, WIDE, RunSettings(), ResponseIndex(), 1).input_tokens
        for system in (ClosedBook(), Sql(), Tables(), Full())
    ]
    assert sizes == sorted(sizes)


def test_repairs_count_for_the_highest_price_only(bench_view: BenchView) -> None:
    settings = RunSettings(max_tokens=100)
    none, two = (plan(bench_view, Sql(repairs=n), WIDE, settings, ResponseIndex(), 1) for n in (0, 2))
    assert (none.requests, none.input_tokens, none.price) == (two.requests, two.input_tokens, two.price)
    assert none.price_at_most is not None
    assert two.price_at_most is not None
    longest_input = none.input_tokens + 30 * FRAMING_TOKENS
    assert none.price_at_most == pytest.approx((longest_input * 1.0 + 30 * 100 * 4.0) / 1e6)
    assert two.price_at_most > 3 * none.price_at_most


def test_only_selected_questions_are_asked(bench_view: BenchView) -> None:
    assert sum(len(group) for group in jobs(bench_view, RunSettings(limit=7))) == 7
    assert not list(jobs(bench_view, RunSettings(split="train")))
    samples = [job.sample for group in jobs(bench_view, RunSettings(samples=2, limit=2)) for job in group]
    assert samples == [0, 1, 0, 1]


def _selected(bench_view: BenchView, **settings: int) -> set[str]:
    return {job.question.id for group in jobs(bench_view, RunSettings(**settings)) for job in group}


def test_a_limit_draws_questions_at_random_and_a_higher_one_adds_others(bench_view: BenchView) -> None:
    few = _selected(bench_view, limit=6)
    assert few < _selected(bench_view, limit=12)
    assert few != _selected(bench_view, limit=6, seed=1)
    contexts = {job.context.id for group in jobs(bench_view, RunSettings(limit=6)) for job in group}
    assert len(contexts) > 2


def test_the_users_table_takes_precedence(tmp_path: Path) -> None:
    table = tmp_path / "prices.toml"
    table.write_text('[models."openai/gpt-4.1*"]\nwindow = 10\ninput_price = 7.0\noutput_price = 1.0\n')
    assert model_info("openai/gpt-4.1-mini", table).input_price == 7.0
    assert model_info("openai/gpt-4.1-mini").input_price == 0.40
    assert model_info("openai/gpt-4.1").input_price == 2.00
    assert model_info("nobody/knows") == ModelInfo()
    assert model_info("nobody/knows").price(Usage(input_tokens=5)) is None


@pytest.mark.parametrize("content", ["models = [", '[models."x"]\nwindow = -3\n', '[models."x"]\nwidow = 3\n'])
def test_a_broken_table_is_an_error(tmp_path: Path, content: str) -> None:
    table = tmp_path / "prices.toml"
    table.write_text(content)
    with pytest.raises(FathomError, match="Correct the file"):
        model_info("x", table)


@pytest.mark.parametrize(
    ("name", "settings", "tokens"),
    [
        ("openai/gpt-4.1", RunSettings(), 80),
        ("openai/gpt-5-mini", RunSettings(), 1_080),
        ("openai/gpt-5-mini", RunSettings(max_tokens=500), 500),
        ("openai/gpt-5-mini", RunSettings(reasoning_effort="minimal"), 80),
        ("anthropic/claude-sonnet-4-5", RunSettings(), 80),
        ("anthropic/claude-sonnet-4-5", RunSettings(reasoning_tokens=1_024), 1_080),
    ],
)
def test_a_plan_counts_the_reasoning(bench_view: BenchView, name: str, settings: RunSettings, tokens: int) -> None:
    wide = model_info(name).model_copy(update={"window": 10_000_000})
    found = plan(bench_view, Full(), wide, settings, ResponseIndex(), 1)
    assert found.output_tokens == 30 * tokens
