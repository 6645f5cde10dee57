"""`fathom models`"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import click

from fathom.api.models import KnownModel, list_models
from fathom.api.runs import prices_as_of
from fathom.cli import options
from fathom.cli.output import escape_control_characters
from fathom.records.plurals import counted

UNKNOWN = "unknown"


@click.command(
    epilog=options.examples(
        "fathom models",
        "fathom models claude --window 200K --reasoning",
        "fathom models --all --cutoff-before 2024-06 --json",
    )
)
@click.argument("pattern", default="")
@click.option(
    "--window", metavar="LENGTH", help="Only models with at least this context window: 200000, 200K or 1M; K is 1,000."
)
@click.option("--reasoning/--no-reasoning", default=None, help="Only models that reason, or that do not.")
@click.option("--open-weights/--closed-weights", default=None, help="Only models whose weights are open, or are not.")
@click.option(
    "--cutoff-before", metavar="MONTH", help="Only models whose training data end before this month: 2025-01."
)
@click.option("--all", "all_", is_flag=True, help="Also models that the engine knows, without prices.")
@click.option("--prices", type=options.PATH, help="Your own table of windows and prices (TOML).")
@options.as_json
def command(
    pattern: str,
    window: str | None,
    reasoning: bool | None,
    open_weights: bool | None,
    cutoff_before: str | None,
    all_: bool,
    prices: Path | None,
    as_json: bool,
) -> None:
    """List models with window, prices, release and training cutoff.

    PATTERN is a part of the name. Lists the models of Fathom's table, with `--prices` those of your own as well, and
    with `--all` those of the engine's. Any other model can be run, too: see `fathom run --help`. Unknown values are
    shown as unknown and match no filter. Reads only tables of models; calls no model.
    """
    models = list_models(
        pattern,
        window=window,
        reasoning=reasoning,
        open_weights=open_weights,
        cutoff_before=cutoff_before,
        all=all_,
        prices=prices,
    )
    if as_json:
        click.echo(json.dumps([model.model_dump(mode="json") for model in models], indent=2))
    else:
        click.echo(escape_control_characters(describe(models)))


def describe(models: Sequence[KnownModel]) -> str:
    """A line for each model."""
    title = counted(len(models), "model")
    if not models:
        return f"{title}. Leave out a condition, or give --all."
    width = max(5, *(len(model.name) for model in models))
    head = f"  {'model':<{width}} {'window':>10} {'output':>8} {'input $':>8} {'cached $':>8} {'output $':>8}"
    lines = [
        f"{title}; prices in US dollars per million tokens, of {prices_as_of()}",
        f"{head}  {'reasoning':<9} {'open weights':<12} {'released':<10} cutoff",
    ]
    note = "  reasoning, weights and cutoff as the makers describe them; verify them before you rely on them"
    return "\n".join([*lines, *(_line(model, width) for model in models), note])


def _line(model: KnownModel, width: int) -> str:
    tokens = f"{_tokens(model.window):>10} {_tokens(model.max_output_tokens):>8}"
    prices = " ".join(f"{_price(price):>8}" for price in (model.input_price, model.cached_price, model.output_price))
    kinds = f"{_yes(model.reasoning):<9} {_yes(model.open_weights):<12}"
    return (
        f"  {model.name:<{width}} {tokens} {prices}  {kinds} {model.released or UNKNOWN:<10} {model.cutoff or UNKNOWN}"
    )


def _tokens(count: int | None) -> str:
    return UNKNOWN if count is None else f"{count:,}"


def _price(price: float | None) -> str:
    return UNKNOWN if price is None else f"{price:.3f}".removesuffix("0")


def _yes(value: bool | None) -> str:
    return UNKNOWN if value is None else "yes" if value else "no"
