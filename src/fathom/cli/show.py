"""`fathom show`"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from fathom.api.benches import is_bench_folder, open_bench
from fathom.api.corpora import Corpus, open_corpus
from fathom.api.runs import is_run_folder
from fathom.cli import options
from fathom.cli.output import describe_corpus, escape_control_characters
from fathom.cli.show_bench import show_bench, show_run
from fathom.records.errors import FathomError

LISTED = 20
"""Documents listed in an overview."""


@click.command(
    epilog=options.examples(
        "fathom show corpus",
        "fathom show corpus gen-4f2a91c0d4e8 | less",
        "fathom show corpus c-91d2c07be4a1f3b6 > context.txt",
        "fathom show bench --stats",
        "fathom show bench --sample 5",
        "fathom show runs/full q-4f2a91c0d4e8",
    )
)
@click.argument("folder", metavar="CORPUS|BENCH|RUN", type=options.PATH)
@click.argument("id", required=False)
@click.option("--contexts", type=options.PATH, help="The file of contexts.  [default: CORPUS/contexts.jsonl]")
@click.option("--stats", is_flag=True, help="The statistics of a bench: items by every tag, sizes, operators.")
@click.option("--sample", type=click.IntRange(1), help="Show this many items of a bench, drawn at random.")
@options.seed
@options.as_json
def command(
    folder: Path,
    id: str | None,
    contexts: Path | None,
    stats: bool,
    sample: int | None,
    seed: int,
    as_json: bool,
) -> None:
    """Show a corpus, a bench or a run, or one document, context, item or response of it.

    Without ID: what the folder contains. With the ID of a document or a context: its text, or with --json its record
    with all parts and positions. With the ID of a question: the question, its key, the computation and the passages
    that prove it; for a run, the responses and their verdicts. Reads files only; calls no model.
    """
    if (stats or sample) and not is_bench_folder(folder):
        raise FathomError(
            f"--stats and --sample are for benches, and '{folder}' is not a bench. Give the folder of a bench."
        )
    if is_run_folder(folder):
        show_run(folder, id, as_json)
        return
    if is_bench_folder(folder):
        if id is None or id.startswith("q-"):
            show_bench(folder, id, stats, sample, seed, as_json)
            return
        bench = open_bench(folder)
        folder, contexts = bench.corpus_folder, contexts or folder / "contexts.jsonl"
    with open_corpus(folder) as opened:
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
