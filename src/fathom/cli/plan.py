"""`fathom plan`"""

from __future__ import annotations

import json
from pathlib import Path

import click

from fathom.api.matrix import MatrixRequest
from fathom.api.runs import Plan, RunRequest
from fathom.cli import options
from fathom.cli.matrix_output import describe_plans
from fathom.cli.run_options import run_options, warn_of_age
from fathom.records.plurals import counted

NEXT = "next: fathom run with the same options"


@click.command(
    epilog=options.examples(
        "fathom plan bench --model openai/gpt-4.1-mini",
        "fathom plan bench --matrix matrix.toml",
        "fathom plan bench --model anthropic/claude-sonnet-4-5 --system tables --samples 3",
    )
)
@run_options
@click.option("--out", type=options.PATH, help="The run's folder, if it does not have its default name.")
@options.as_json
def command(request: RunRequest | MatrixRequest, out: Path | None, as_json: bool) -> None:
    """Estimate the requests, tokens and price of a run.

    Counts requests, tokens, and the tokens that a prefix cache will serve. Prices come from a table that you can copy
    and edit. Reads BENCH, its corpus and the responses that the run already has; writes nothing; calls no model.
    """
    if isinstance(request, MatrixRequest):
        click.echo(_matrix_json(request) if as_json else f"{describe_plans(request)}\n{NEXT}")
        return
    plan = request.plan(out or request.default_folder)
    warn_of_age(request)
    click.echo(plan.model_dump_json(indent=2) if as_json else f"{describe(request, plan)}\n{_next(request, plan)}")


def _next(request: RunRequest, plan: Plan) -> str:
    return NEXT if plan.requests or not plan.overflow else f"next: {request.fit_command}"


def _matrix_json(request: MatrixRequest) -> str:
    plans = [{"cell": cell.label, **plan.model_dump(mode="json")} for cell, plan in request.plans()]
    return json.dumps({"folder": str(request.folder), "cells": plans}, indent=2)


def describe(request: RunRequest, plan: Plan) -> str:
    """The plan in a few lines."""
    subject = f"{request.model} ({request.system.name}, {request.prompting})"
    asked, wanted = counted(plan.questions, "question"), counted(plan.responses, "response")
    counts = f"{asked}, {wanted}, {plan.done:,} of them done"
    if plan.seconds is None:
        return f"{request.bench} for {request.system.name} ({request.prompting}): {counts}\n  {_unknown(plan)}"
    share = plan.cached_tokens / plan.input_tokens if plan.input_tokens else 0.0
    price, duration = _price(plan, request.prices_as_of), _duration(plan.seconds)
    lines = [
        f"{request.bench} for {subject}: {counts}",
        f"  {plan.requests:,} requests, {plan.input_tokens:,} input tokens "
        f"({plan.cached_tokens:,} or {share:.0%} from a prefix cache), about {plan.output_tokens:,} output tokens",
        f"  {price}; very roughly {duration} with {request.connections} requests in flight",
    ]
    if plan.requests and plan.batch_price:
        lines.append(f"  by the provider's batch API, which `fathom run` does not use: about ${plan.batch_price:,.2f}")
    if plan.overflow:
        shown = ", ".join(plan.overflow[:3]) + (", ..." if len(plan.overflow) > 3 else "")
        lines.append(
            f"  {counted(len(plan.overflow), 'question')} {'does' if len(plan.overflow) == 1 else 'do'} not fit the "
            f"window and will not be sent ({shown})"
        )
        if plan.requests:
            lines.append(f"  to shorten the bench: {request.fit_command}")
    return "\n".join(lines)


def _unknown(plan: Plan) -> str:
    """The known cost of a system that needs no model."""
    if not plan.requests:
        return "nothing to send"
    asked = f"{plan.requests:,} requests; the cost of such a system is unknown before it answers"
    if plan.price_at_most is None:
        return asked
    return f"{asked}: at most ${plan.price_at_most:,.2f}, if max_price is right"


def _price(plan: Plan, day: str) -> str:
    if not plan.requests:
        return "nothing to send"
    if plan.price is None or plan.price_at_most is None:
        return "price unknown (give --prices)"
    if not plan.price_at_most:
        return "free"
    return f"about ${plan.price:,.2f}, at most ${plan.price_at_most:,.2f} (prices of {day})"


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5_400 else f"{seconds / 3_600:.1f} h"
