"""`fathom plan`"""

from __future__ import annotations

from pathlib import Path

import click

from fathom.cli import options
from fathom.cli.ageing import warn_of_age
from fathom.cli.exam import open_exam
from fathom.cli.run import default_folder
from fathom.cli.subject import Subject, subject_options
from fathom.models.model_info import prices_as_of
from fathom.runs.plan import Plan

EXAMPLE = """
\b
Examples:
  fathom plan bench --model openai/gpt-4.1-mini
  fathom plan bench --model anthropic/claude-sonnet-4-5 --system tables --samples 3
"""


@click.command(epilog=EXAMPLE)
@subject_options
@click.option("--out", type=click.Path(path_type=Path), help="The run's folder, if it was begun under another name.")
@options.as_json
def command(subject: Subject, out: Path | None, as_json: bool) -> None:
    """Say what a run would take, before a cent is spent.

    Counts requests, tokens, how many of them a prefix cache will serve, and the price, from a table that you can copy
    and edit. Reads BENCH and its corpus, and what the run has already; writes nothing; calls no model.
    """
    with open_exam(subject.bench, subject.corpus) as exam:
        found = subject.plan(exam, out or default_folder(subject))
        warn_of_age(subject)
    click.echo(found.model_dump_json(indent=2) if as_json else describe(subject, found))


def describe(subject: Subject, plan: Plan) -> str:
    """The plan in a few lines."""
    share = plan.cached_tokens / plan.input_tokens if plan.input_tokens else 0.0
    lines = [
        f"{subject.bench} for {subject.model} ({subject.system_name}, {subject.prompting}): "
        f"{plan.questions:,} questions, {plan.responses:,} responses, {plan.done:,} of them there already",
        f"  {plan.requests:,} requests, {plan.input_tokens:,} tokens in "
        f"({plan.cached_tokens:,} or {share:.0%} from a prefix cache), about {plan.output_tokens:,} out",
        f"  {_price(plan)}; very roughly {_duration(plan.seconds)} with {subject.connections} requests in flight",
    ]
    if plan.overflow:
        shown = ", ".join(plan.overflow[:3]) + (", ..." if len(plan.overflow) > 3 else "")
        lines.append(
            f"  {len(plan.overflow):,} questions do not fit the window and will not be asked ({shown}); "
            f"see `fathom fit`"
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
