"""`fathom show`"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import click

from fathom.cli import options
from fathom.cli.holdings import describe
from fathom.contexts.files import FILE_NAME, read_contexts
from fathom.contexts.layout import render
from fathom.corpus.store import Corpus
from fathom.records.errors import FathomError

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")

EXAMPLE = """
\b
Examples:
  fathom show corpus
  fathom show corpus gen-4f2a91c0d4e8 | less
  fathom show corpus c-91d2c07be4a1f3b6 > context.txt
"""


@click.command(epilog=EXAMPLE)
@options.corpus
@click.argument("id", required=False)
@click.option(
    "--contexts", type=click.Path(path_type=Path), help=f"Where contexts stand.  [default: CORPUS/{FILE_NAME}]"
)
@options.as_json
def command(corpus: Path, id: str | None, contexts: Path | None, as_json: bool) -> None:
    """Show a corpus, a document, or a context as a reader sees it.

    Without ID: what CORPUS holds, and the first of its documents. With the ID of a document or a context: its text,
    or with --json its record with every part and place. Reads files alone; calls no model.
    """
    with Corpus(corpus) as opened:
        if id is None:
            click.echo(opened.manifest.model_dump_json(indent=2) if as_json else _overview(opened))
        elif id.startswith("c-") and not opened.has(id):
            path = contexts or corpus / FILE_NAME
            found = next((context for context in read_contexts(path) if context.id == id), None)
            if found is None:
                raise FathomError(f"'{path}' has no context '{id}'. Each of its lines begins with an id.")
            _print(found.to_line() if as_json else render(found, opened))
        else:
            _print(opened.document(id).to_line() if as_json else opened.stored_text(id).utf8)


def _print(text: bytes) -> None:
    """As bytes, since the terminal's idea of an encoding must not change what is shown; harmless on a terminal."""
    if sys.stdout is not None and sys.stdout.isatty():
        text = harmless(text.decode()).encode()
    click.echo(text, nl=False)


def harmless(text: str) -> str:
    """The text with its control characters spelled out: a document must not steer the terminal."""
    return _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", text)


def _overview(corpus: Corpus) -> str:
    lines = [describe(corpus.folder, corpus.manifest)]
    for number, document in enumerate(corpus.entries(), start=1):
        if number > 20:
            lines.append(f"  ... and {len(corpus) - 20:,} more")
            break
        title = harmless(str(document.title)).replace("\n", " ")
        lines.append(f"  {document.id}  {document.year or '----'}  {document.subject or document.kind:<22}  {title}")
    return "\n".join(lines)
