"""`fathom author`"""

from __future__ import annotations

from pathlib import Path

import click

from fathom.api.authored import CORPUS, PUZZLES, import_puzzles
from fathom.cli import options


@click.group(epilog=options.examples("fathom author import musr/*.json --out musr"))
def command() -> None:
    """Collect puzzles that people wrote, for `fathom build puzzles --authored`."""


@command.command("import", epilog=options.examples("fathom author import murder_mystery.json --out musr"))
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=options.PATH)
@click.option("--out", type=options.PATH, required=True, help="The folder to write: a corpus and puzzles.jsonl.")
@options.as_json
def import_(files: tuple[Path, ...], out: Path, as_json: bool) -> None:
    """Read puzzles of MuSR with their reasoning trees.

    FILES are its JSON files, as they are or compressed. The stories become a corpus, and the conclusions of each tree a
    checklist. Writes only --out; calls no model.
    """
    report = import_puzzles(files, out)
    if as_json:
        click.echo(report.model_dump_json(indent=2))
        return
    lines = [f"{out}: {report.puzzles:,} puzzles on {report.documents:,} documents, {report.conclusions:,} conclusions"]
    lines += [f"  puzzles {reason}: {count:,}" for reason, count in report.left_out.items()]
    lines.append(f"next: fathom build puzzles {out / CORPUS} --authored {out / PUZZLES} --out bench")
    click.echo("\n".join(lines))
