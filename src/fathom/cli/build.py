"""`fathom build`"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from fathom.api.benches import (
    Bench,
    BenchRecipe,
    Family,
    PerContext,
    family,
    family_names,
    read_recipe,
    tags_of,
    unknown_fields,
)
from fathom.api.contexts import FILE_NAME
from fathom.api.prices import price_range
from fathom.cli import options
from fathom.cli.family_options import model_options, settings_options
from fathom.cli.output import all_or_nothing, next_lines, progress_bar
from fathom.records.plurals import counted

EXAMPLE = """
\b
Examples:
  fathom build numeric corpus --out bench
  fathom build numeric --help
  fathom build --recipe bench.toml

\b
A recipe builds several families into one bench:
  corpus = "corpus"
  out = "bench"
  seed = 3
  [families.numeric]
  questions = 5
  [families.citations]
  items = 50
"""

OUT = click.Option(["--out"], type=options.PATH, required=True, help="The folder to write the bench to.")
CONTEXTS = click.Option(
    ["--contexts"], type=options.PATH, help=f"The contexts to ask about.  [default: CORPUS/{FILE_NAME}]"
)


BUDGET = click.Option(["--budget"], type=options.NonNegative(), help="Maximum price of the model calls, in US dollars.")


class _Families(click.Group):
    """One subcommand for each family, loaded when it is called."""

    def list_commands(self, context: click.Context) -> list[str]:
        return list(family_names())

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        return _command(family(name))


@click.group(cls=_Families, invoke_without_command=True, epilog=EXAMPLE, subcommand_metavar="FAMILY CORPUS")
@click.option("--recipe", type=options.PATH, help="A TOML file with the families to build.")
@click.option("--out", type=options.PATH, help="With --recipe: the folder to write the bench to.")
@options.processes
@options.as_json
@click.pass_context
def command(caller: click.Context, recipe: Path | None, out: Path | None, processes: int, as_json: bool) -> None:
    """Build a bench: questions with keys over a corpus.

    Reads a corpus, and its contexts where the family asks about sampled contexts. Writes a folder with contexts,
    questions and keys in separate files. Calls no model unless an option names one.
    """
    if caller.invoked_subcommand is not None:
        if recipe is not None:
            raise click.UsageError("A recipe names its families. Leave out the family.", caller)
        return
    if recipe is None:
        click.echo(caller.get_help())
        caller.exit(2)
    run_build(read_recipe(recipe, out), processes, as_json)


def _command(chosen: Family) -> click.Command:
    """`fathom build NAME`, with the options of that family."""

    def run(corpus: Path, out: Path, seed: int, processes: int, as_json: bool, **values: Any) -> None:
        contexts, budget = values.pop("contexts", None), values.pop("budget", None)
        given = {name: value for name, value in values.items() if value is not None}
        run_build(BenchRecipe(corpus, out, {chosen.name: given}, contexts, seed, budget), processes, as_json)

    over_contexts = isinstance(chosen.build, PerContext)
    asking = model_options(chosen.settings)
    calls = f"Calls a model only with {' or '.join(asking)}." if asking else "Calls no model."
    build_command = click.Command(
        chosen.name,
        callback=run,
        params=[
            click.Argument(["corpus"], type=options.PATH),
            OUT,
            *([CONTEXTS] if over_contexts else []),
            *_preset_option(chosen),
            *settings_options(chosen.settings),
            *([BUDGET] if asking else []),
        ],
        help=f"{chosen.summary}\n\nReads CORPUS{' and its contexts' if over_contexts else ''}. {calls}",
        short_help=chosen.summary,
        epilog=f"\b\nExample:\n  fathom build {chosen.name} corpus --out bench{_example(chosen)}",
    )
    for option in (options.seed, options.processes, options.as_json):
        build_command = option(build_command)
    return build_command


def _preset_option(chosen: Family) -> list[click.Option]:
    if not chosen.presets:
        return []
    summaries = "; ".join(f"{name}: {preset.summary}" for name, preset in chosen.presets.items())
    text = f"A named set of options; options on the command line take precedence. {summaries}."
    return [click.Option(["--preset"], type=click.Choice(list(chosen.presets)), help=text)]


def _example(chosen: Family) -> str:
    """The first option with a number, set to half of its default."""
    for name, field in chosen.settings.model_fields.items():
        if isinstance(field.default, int) and not isinstance(field.default, bool):
            return f" --{name.replace('_', '-')} {max(1, field.default // 2)}"
    return ""


def run_build(recipe: BenchRecipe, processes: int, as_json: bool = False) -> None:
    """Build the bench and print its summary."""
    for warning in recipe.warnings():
        click.echo(f"fathom: {warning}", err=True)
    with all_or_nothing("context"):
        recipe.prepare_contexts()
    total = recipe.context_count()
    if recipe.is_built():
        click.echo(f"fathom: '{recipe.out}' is already built from the same inputs; nothing was done.", err=True)
    with all_or_nothing("bench"), progress_bar("Building", total) as show:
        bench = recipe.build(processes, show)
    click.echo(bench.manifest.model_dump_json(indent=2) if as_json else describe(bench))


def describe_price(bench: Bench) -> str:
    """The input tokens of a run, and its price for common models."""
    prices = price_range(bench)
    tokens = f"a run with the whole context: {prices.tokens:,} input tokens"
    if not prices.prices:
        return f"{tokens}; common models cannot read the longest context"
    (low, cheapest), (high, dearest) = prices.prices[0], prices.prices[-1]
    return f"{tokens}, about ${low:,.2f} ({cheapest}) to ${high:,.2f} ({dearest})"


def describe(bench: Bench) -> str:
    """A summary of the bench in a few lines."""
    manifest = bench.manifest
    lines = [f"{bench.folder}: {counted(manifest.questions, 'question')} over {counted(manifest.contexts, 'context')}"]
    if manifest.missing:
        total, reasons = sum(manifest.missing.values()), list(manifest.missing)
        if len(reasons) > 1:
            reasons = [f"{reason} ({count:,})" for reason, count in manifest.missing.items()]
        lines.append(f"  {total:,} fewer than requested: {', '.join(reasons)}")
    lines += [f"  {count:,} dropped: failed the check '{check}'" for check, count in manifest.dropped.items()]
    lines += [f"  {unasked}" for unasked in manifest.unasked]
    if fields := unknown_fields(manifest.unasked):
        lines.append(f"  to leave such documents out: fathom contexts CORPUS --known {fields} --replace")
    for name in ("family", "split", *(tag.name for tag in tags_of(manifest.families) if tag.summary), "answer"):
        counts = manifest.counts.get(name, {})
        if len(counts) > 1:
            lines.append(f"  by {name}: " + ", ".join(f"{value} {count:,}" for value, count in counts.items()))
    for name, report in manifest.reports.items():
        lines += family(name).describe(report)
    for pair, shared in manifest.leaks.items():
        assert isinstance(shared, dict)
        lines.append(f"  shared by {pair}: " + ", ".join(f"{kind} {count}" for kind, count in shared.items()))
    lines.append(f"  {describe_price(bench)}")
    lines.append(f"  fingerprint {manifest.fingerprint[:16]}")
    lines += next_lines(f"fathom audit {bench.folder}")
    return "\n".join(lines)
