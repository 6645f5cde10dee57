"""`fathom plan`"""

from __future__ import annotations

from pathlib import Path

import click

from fathom.api.runs import Plan, RunRequest, prices_as_of
from fathom.cli import options
from fathom.cli.run_options import run_options, warn_of_age


@click.command(
    epilog=options.examples(
        "fathom plan bench --model openai/gpt-4.1-mini",
        "fathom plan bench --model anthropic/claude-sonnet-4-5 --system tables --samples 3",
    )
)
@run_options
@click.option("--out", type=options.PATH, help="The run's folder, if it does not have its default name.")
@options.as_json
def command(request: RunRequest, out: Path | None, as_json: bool) -> None:
    """Estimate the requests, tokens and price of a run.

    Counts requests, tokens, and the tokens that a prefix cache will serve. Prices come from a table that you can copy
    and edit. Reads BENCH, its corpus and the responses that the run already has; writes nothing; calls no model.
    """
    plan = request.plan(out or request.default_folder)
    warn_of_age(request)
    click.echo(plan.model_dump_json(indent=2) if as_json else describe(request, plan))


def describe(request: RunRequest, plan: Plan) -> str:
    """The plan in a few lines."""
    share = plan.cached_tokens / plan.input_tokens if plan.input_tokens else 0.0
    lines = [
        f"{request.bench} for {request.model} ({request.system.name}, {request.prompting}): "
        f"{plan.questions:,} questions, {plan.responses:,} responses, {plan.done:,} of them done",
        f"  {plan.requests:,} requests, {plan.input_tokens:,} input tokens "
        f"({plan.cached_tokens:,} or {share:.0%} from a prefix cache), about {plan.output_tokens:,} output tokens",
        f"  {_price(plan)}; very roughly {_duration(plan.seconds)} with {request.connections} requests in flight",
    ]
    if plan.overflow:
        shown = ", ".join(plan.overflow[:3]) + (", ..." if len(plan.overflow) > 3 else "")
        lines.append(
            f"  {len(plan.overflow):,} questions do not fit the window and will not be sent ({shown}); see `fathom fit`"
        )
    return "\n".join(lines)


def _price(plan: Plan) -> str:
    if not plan.requests:
        return "nothing to send"
    if plan.price is None or plan.price_at_most is None:
        return "price unknown (give --prices)"
    if not plan.price_at_most:
        return "free"
    return f"about ${plan.price:,.2f}, at most ${plan.price_at_most:,.2f} (prices of {prices_as_of()})"


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5_400 else f"{seconds / 3_600:.1f} h"
