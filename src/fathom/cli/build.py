"""`fathom build`"""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import click
from pydantic import JsonValue

from fathom.cli import citing, options
from fathom.cli.own_options import family_options
from fathom.cli.progress import bar
from fathom.cli.stopping import all_or_nothing
from fathom.contexts.files import FILE_NAME, read_contexts
from fathom.records.contexts import Split
from fathom.records.errors import FathomError
from fathom.tasks.bench import BenchManifest, already_built, build
from fathom.tasks.catalog import FAMILIES, family
from fathom.tasks.citations.settings import Citing
from fathom.tasks.family import Asked

EXAMPLE = """
\b
Examples:
  fathom build corpus --out bench
  fathom build corpus --out bench --questions 5 --unanswerable 0.2 --seed 3
  fathom build corpus --out bench --templates mine.json
  fathom build corpus --families citations --out cited --items 50
  fathom build corpus --families citations --out own --type descriptive --sampling nearest --candidates concise
  fathom build corpus --families citations --out own --levels hard --scope section
  fathom build corpus --families memorization --out probes --probes title --items 200
"""

HELD_OUT = ("length", "skill", "topic")


@click.command(epilog=EXAMPLE)
@options.corpus
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The folder to write the bench to.")
@click.option(
    "--families",
    type=options.Words(FAMILIES, needed=True),
    default="numeric",
    show_default=True,
    help=f"Which kinds of questions: {', '.join(FAMILIES)}.",
)
@click.option(
    "--contexts", type=click.Path(path_type=Path), help=f"The contexts to ask about.  [default: CORPUS/{FILE_NAME}]"
)
@click.option("--questions", type=click.IntRange(1, 1000), default=10, show_default=True, help="For each context.")
@click.option(
    "--unanswerable",
    type=click.FloatRange(0, 1),
    default=0.1,
    show_default=True,
    help="The share that nothing in the context answers.",
)
@click.option(
    "--templates", type=click.Path(path_type=Path), help="Your own SQL templates, a JSON list, instead of ours."
)
@click.option(
    "--template-splits",
    type=options.Shares(get_args(Split)),
    default="",
    help="Divide templates among the splits too, such as train=70,dev=10,test=20.",
)
@click.option("--hold-out", default="", help="What only the test split asks about, such as skill=sorting or length=1M.")
@family_options
@options.seed
@options.processes
@options.as_json
def command(
    corpus: Path,
    out: Path,
    families: tuple[str, ...],
    contexts: Path | None,
    questions: int,
    unanswerable: float,
    templates: Path | None,
    template_splits: dict[str, int],
    hold_out: str,
    own: dict[str, dict[str, JsonValue]],
    seed: int,
    processes: int,
    as_json: bool,
) -> None:
    """Make a bench: questions and keys over a corpus's contexts.

    `numeric`: every key is computed by a query over tables read from the very text that is shown, and again without
    SQL; the two must agree. `citations`: which work is cited at a mask; the key is the paper's own citation, and each
    item has a context of its own. Reads CORPUS and its contexts; writes a folder with questions and keys apart; calls
    no model.
    """
    path = contexts or corpus / FILE_NAME
    if templates is not None:
        from fathom.tasks.numeric.own import read_own  # brings a parser of SQL, which other families do without

        for refused in read_own(templates).refused:
            click.echo(f"fathom: {templates}, {refused.place}, is left out: {refused.why}.", err=True)
    asked = Asked(
        questions=questions,
        unanswerable=unanswerable,
        templates=templates,
        held_out=_held_out(hold_out),
        template_shares=template_splits,
        own=own,
    )
    total = sum(1 for _ in read_contexts(path)) if any(family(name).builder for name in families) else None
    if already_built(corpus, path, families, asked, seed, out) is not None:
        click.echo(f"fathom: '{out}' is already built from these very inputs; nothing was done.", err=True)
    with all_or_nothing("bench"), bar("Building", total) as show:
        manifest = build(corpus, path, families, asked, seed, out, processes, show)
    click.echo(manifest.model_dump_json(indent=2) if as_json else describe(out, manifest))


def _held_out(written: str) -> tuple[str, str] | None:
    if not written:
        return None
    tag, _, value = written.partition("=")
    if tag not in HELD_OUT or not value:
        raise FathomError(
            f"'{written}' cannot be held out. Write one of {', '.join(HELD_OUT)} with its value: skill=sorting."
        )
    return tag, value


def describe(folder: Path, manifest: BenchManifest) -> str:
    """What the bench asks, in a few lines."""
    lines = [f"{folder}: {manifest.questions:,} questions over {manifest.contexts:,} contexts"]
    if manifest.missing:
        reasons = ", ".join(f"{reason} {count:,}" for reason, count in manifest.missing.items())
        lines.append(f"  {sum(manifest.missing.values()):,} fewer than asked for: {reasons}")
    for name in ("family", "split", "length", "skill", "topic", "answer"):
        counts = manifest.counts.get(name, {})
        if len(counts) > 1:
            lines.append(f"  by {name}: " + ", ".join(f"{value} {count:,}" for value, count in counts.items()))
    for name, report in manifest.reports.items():
        described = family(name).describe
        lines += described(report) if described is not None else []
    lines += citing.told(Citing.model_validate(manifest.asked.own.get("citations", {})))
    for pair, shared in manifest.leaks.items():
        assert isinstance(shared, dict)
        lines.append(f"  shared by {pair}: " + ", ".join(f"{kind} {count}" for kind, count in shared.items()))
    lines.append(f"  fingerprint {manifest.fingerprint[:16]}")
    return "\n".join(lines)
