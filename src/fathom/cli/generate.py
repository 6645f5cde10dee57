"""`fathom generate`"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import click

from fathom.api.contexts import contexts_command
from fathom.api.corpora import generate
from fathom.cli import options
from fathom.cli.output import describe_corpus, progress_bar


@click.command(
    epilog=options.examples(
        "fathom generate --out corpus --documents 1000 --seed 7",
        "fathom generate --out reports --tokens 10M --domains companies,companies-zh",
        "fathom generate --out letters --documents 500 --length short",
    )
)
@click.option("--out", type=options.PATH, required=True, help="The folder to write the corpus to.")
@click.option("--documents", type=click.IntRange(1, 10**9), help="Number of documents.  [default: 100]")
@click.option("--tokens", type=options.Length(), help="Minimum number of tokens instead, such as 500K or 10M.")
@click.option(
    "--domains",
    default="articles",
    show_default=True,
    help="Domains, generated in turn: `articles` (all eight subjects) or subjects such as physics,biology; "
    "`reports` (all kinds) or companies, companies-zh, universities, housing; `prose` (all kinds) or narrative, news, "
    "policy, narrative-zh, news-zh, policy-zh, article-zh.",
)
@click.option(
    "--length",
    type=click.Choice(["full", "short", "long"]),
    default="full",
    show_default=True,
    help="Full documents; letters of 250 to 600 tokens instead of articles, for models with short windows; or prose of "
    "30K to 45K tokens.",
)
@options.seed
@options.processes
@options.as_json
def command(
    out: Path,
    documents: int | None,
    tokens: int | None,
    domains: str,
    length: Literal["full", "short", "long"],
    seed: int,
    processes: int,
    as_json: bool,
) -> None:
    """Write a corpus of generated documents.

    Research articles of eight subjects that cite one another, data-rich reports, and prose for puzzles. The span of
    every planted fact, claim and citation is recorded. Writes a folder; reads nothing; calls no model. The same
    settings give the same bytes, and a larger corpus of the same seed starts with the smaller one. After an
    interruption, the same command continues where it stopped.
    """
    if documents is not None and tokens is not None:
        raise click.UsageError("--documents and --tokens both set the size. Give one of them.")
    if documents is None and tokens is None:
        documents = 100
    with (
        progress_bar("Generating", documents or tokens) as progress,
        generate(
            out,
            documents=documents,
            tokens=tokens,
            domains=domains,
            length=length,
            seed=seed,
            processes=processes,
            progress=progress,
        ) as corpus,
    ):
        if as_json:
            click.echo(corpus.manifest.model_dump_json(indent=2))
            return
        click.echo(describe_corpus(corpus))
        click.echo(f"next: {contexts_command(corpus)}")
