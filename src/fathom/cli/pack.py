"""`fathom pack`"""

from __future__ import annotations

from pathlib import Path

import click

from fathom.api import packs
from fathom.api.packs import PackCoverage
from fathom.cli import options


@click.group(epilog=options.examples("fathom pack draft corpus --out own.toml", "fathom pack check own.toml corpus"))
def command() -> None:
    """Check or draft a domain pack of the family `tables`.

    A pack is a TOML file: the figures that the documents of a domain state, and how questions name them.
    """


@command.command(
    epilog=options.examples("fathom pack check companies corpus", "fathom pack check own.toml corpus --json")
)
@click.argument("pack")
@options.corpus
@options.seed
@options.as_json
def check(pack: str, corpus: Path, seed: int, as_json: bool) -> None:
    """Show what a pack finds in a corpus.

    Prints the coverage of every field, what cannot be asked and why, and a sample of the questions. PACK is a name, or
    a TOML file. Reads files only; calls no model.
    """
    coverage = packs.check_pack(pack, corpus, seed)
    click.echo(coverage.model_dump_json(indent=2) if as_json else describe(pack, corpus, coverage))


@command.command(epilog=options.examples("fathom pack draft corpus --out own.toml"))
@options.corpus
@click.option("--out", type=options.PATH, required=True, help="The TOML file to write.")
def draft(corpus: Path, out: Path) -> None:
    """Propose a pack from the facts that recur in a corpus.

    Every fact that half of the documents state becomes a field. Revise the nouns, and add metrics. Reads CORPUS;
    writes one file; calls no model.
    """
    written = packs.write_draft(corpus, out)
    count = len(packs.read_pack(str(written)).fields)
    click.echo(f"{written}: {count} fields")
    click.echo(f"next: fathom pack check {written} {corpus}")


def describe(pack: str, corpus: Path, coverage: PackCoverage) -> str:
    """The coverage as a table, then what cannot be asked, then sample questions."""
    lines = [
        f"{pack}: fields in {coverage.found:,} of {coverage.documents:,} documents, {coverage.entities:,} entities",
        f"  {'':32} known missing conflicting unknown",
    ]
    lines += [
        f"  {field.name[:32]:32} {field.known:5,} {field.missing:7,} {field.conflicting:11,} {field.unknown:7,}"
        for field in coverage.fields
    ]
    lines += [f"  not asked: {name}: {reason}" for name, reason in coverage.unusable.items()]
    lines += [f"  sample: {question}" for question in coverage.sample]
    if not coverage.sample:
        lines.append("  no questions: they need four entities of one year, language and currency")
    lines.append(f"next: fathom build tables {corpus} --packs {pack} --out bench")
    return "\n".join(lines)
