"""`fathom generate`"""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import click

from fathom.cli import options
from fathom.cli.holdings import describe
from fathom.cli.progress import bar
from fathom.corpus.generate import Recipe, generate, parse_domains
from fathom.corpus.generated.world import Length

EXAMPLE = """
\b
Examples:
  fathom generate --out corpus --documents 1000 --seed 7
  fathom generate --out reports --tokens 10M --domains companies,companies-zh
  fathom generate --out letters --documents 500 --length short
"""


@click.command(epilog=EXAMPLE)
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The folder to write the corpus to.")
@click.option("--documents", type=click.IntRange(1, 10**9), help="How many documents.  [default: 100]")
@click.option("--tokens", type=options.Length(), help="At least so many tokens instead, such as 500K or 10M.")
@click.option(
    "--domains",
    default="articles",
    show_default=True,
    help="Which documents, taking turns: `articles` (all eight subjects) or subjects such as physics,biology; "
    "`reports` or companies, companies-zh, universities, housing.",
)
@click.option(
    "--length",
    type=click.Choice(get_args(Length)),
    default="full",
    show_default=True,
    help="Whole research articles, or letters of 250 to 600 tokens for models with short windows.",
)
@options.seed
@options.processes
@options.as_json
def command(
    out: Path,
    documents: int | None,
    tokens: int | None,
    domains: str,
    length: Length,
    seed: int,
    processes: int,
    as_json: bool,
) -> None:
    """Write a corpus of generated documents.

    Research documents of eight subjects that cite one another, and data-rich reports, with every planted fact, claim
    and citation known by its place in the text. Writes a folder; reads nothing; calls no model. The same settings
    give the same bytes, and a larger corpus of one seed begins with the smaller one. After a kill, the same command
    goes on where it was.
    """
    if documents is not None and tokens is not None:
        raise click.UsageError("--documents and --tokens are both given, and only one can set the size.")
    if documents is None and tokens is None:
        documents = 100
    recipe = Recipe(domains=parse_domains(domains), length=length, seed=seed, documents=documents, tokens=tokens)
    with bar("Generating", documents or tokens or 0) as show:
        manifest = generate(out, recipe, processes, watch=lambda a, t: show(a if documents is not None else t))
    click.echo(manifest.model_dump_json(indent=2) if as_json else describe(out, manifest))
