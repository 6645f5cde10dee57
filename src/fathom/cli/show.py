"""`fathom show`"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from fathom.api.corpora import Corpus, open_corpus
from fathom.cli import options
from fathom.cli.output import describe_corpus, escape_control_characters

LISTED = 20
"""Documents listed in an overview."""


@click.command(
    epilog=options.examples(
        "fathom show corpus",
        "fathom show corpus gen-4f2a91c0d4e8 | less",
        "fathom show corpus c-91d2c07be4a1f3b6 > context.txt",
    )
)
@options.corpus
@click.argument("id", required=False)
@click.option("--contexts", type=options.PATH, help="The file of contexts.  [default: CORPUS/contexts.jsonl]")
@options.as_json
def command(corpus: Path, id: str | None, contexts: Path | None, as_json: bool) -> None:
    """Show a corpus, a document, or a context.

    Without ID: what CORPUS contains, and its first documents. With the ID of a document or a context: its text, or
    with --json its record with all parts and positions. Reads files only; calls no model.
    """
    with open_corpus(corpus) as opened:
        if id is None:
            click.echo(opened.manifest.model_dump_json(indent=2) if as_json else _overview(opened))
        elif id.startswith("c-") and not opened.has(id):
            context = opened.context(id, contexts)
            _print(context.to_line() if as_json else opened.render(context).encode())
        else:
            _print(opened.document(id).to_line() if as_json else opened.text(id).encode())


def _print(text: bytes) -> None:
    """Print bytes, so that the terminal's encoding changes nothing; on a terminal, escape control characters."""
    if sys.stdout is not None and sys.stdout.isatty():
        text = escape_control_characters(text.decode()).encode()
    click.echo(text, nl=False)


def _overview(corpus: Corpus) -> str:
    lines = [describe_corpus(corpus)]
    first = ""
    for number, entry in enumerate(corpus.entries(), start=1):
        if number > LISTED:
            lines.append(f"  ... and {len(corpus) - LISTED:,} more")
            break
        first = first or entry.id
        title = escape_control_characters(entry.title).replace("\n", " ")
        lines.append(f"  {entry.id}  {entry.year or '----'}  {entry.subject or entry.kind:<22}  {title}")
    return "\n".join((*lines, f"next: fathom show {corpus.folder} {first}"))
