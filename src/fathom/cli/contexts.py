"""`fathom contexts`"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import count as count_from
from pathlib import Path
from typing import Literal, get_args

import click

from fathom.cli import options
from fathom.cli.progress import bar
from fathom.cli.stopping import all_or_nothing
from fathom.contexts.document_selection import SAMPLING_METHODS
from fathom.contexts.files import FILE_NAME, gather
from fathom.contexts.sampling import Gathered, Settings
from fathom.corpus.store import Corpus
from fathom.models.tokenizers import DEFAULT
from fathom.records.contexts import Sampling, Split
from fathom.records.errors import FathomError
from fathom.records.lengths import parse_length, print_length

EXAMPLE = """
\b
Examples:
  fathom contexts corpus --lengths 64K,128K,512K,1M --count 650
  fathom contexts corpus --lengths 8K --sampling bfs --subjects physics --out physics.jsonl
"""


@click.command(epilog=EXAMPLE)
@options.corpus
@click.option(
    "--lengths",
    type=options.Words(needed=True),
    default="64K,128K,512K,1M",
    show_default=True,
    help="In tokens; K is 1,024.",
)
@click.option("--count", type=click.IntRange(1), default=100, show_default=True, help="Contexts of each length.")
@click.option(
    "--sampling",
    type=options.Words(SAMPLING_METHODS, needed=True),
    default=",".join(SAMPLING_METHODS),
    show_default=True,
    help="How contexts grow: at random, breadth-first or depth-first over the citation graph. They share the count; "
    "where one runs dry the others take over.",
)
@click.option(
    "--min-documents",
    type=click.IntRange(1),
    default=4,
    show_default=True,
    help="Articles that each context has at the least.",
)
@click.option(
    "--order",
    type=click.Choice(["shuffled", "grown"]),
    default="shuffled",
    show_default=True,
    help="How articles stand in a context: at random, or as they were found.",
)
@click.option("--tokenizer", default=DEFAULT, show_default=True, help="o200k, cl100k, or the path of a tokenizer.json.")
@click.option("--kinds", type=options.Words(("article", "report")), default="", help="Only these: article, report.")
@click.option("--subjects", type=options.Words(), default="", help="Only these subjects, such as physics,companies.")
@click.option("--languages", type=options.Words(), default="", help="Only these languages, such as en,zh.")
@click.option(
    "--splits",
    type=options.Shares(get_args(Split)),
    default="",
    help="Parts of the corpus that share no article, such as train=70,dev=10,test=20.",
)
@options.seed
@click.option("--out", type=click.Path(path_type=Path), help=f"The file to write.  [default: CORPUS/{FILE_NAME}]")
@click.option("--replace", is_flag=True, help="Overwrite contexts that were made with other settings.")
@options.as_json
def command(
    corpus: Path,
    lengths: tuple[str, ...],
    count: int,
    sampling: tuple[Sampling, ...],
    min_documents: int,
    order: Literal["shuffled", "grown"],
    tokenizer: str,
    kinds: tuple[str, ...],
    subjects: tuple[str, ...],
    languages: tuple[str, ...],
    splits: dict[Split, int],
    seed: int,
    out: Path | None,
    replace: bool,
    as_json: bool,
) -> None:
    """Gather a corpus's documents into contexts of wanted lengths.

    A context is a recipe: which documents in which order, never a copy of them. No two of one length share more than
    half of the smaller one's documents, however they were grown. Reads CORPUS; writes the contexts and a report
    beside them; calls no model.
    """
    settings = Settings(
        lengths=tuple(dict.fromkeys(map(parse_length, lengths))),
        count=count,
        sampling=sampling,
        min_documents=min_documents,
        order=order,
        seed=seed,
        tokenizer=tokenizer,
        kinds=kinds,
        languages=languages,
        splits=splits,
    )
    path = out or corpus / FILE_NAME
    with (
        all_or_nothing("context"),
        Corpus(corpus) as opened,
        bar("Gathering", settings.count * len(settings.lengths)) as show,
    ):
        settings = settings.model_copy(update={"subjects": _subjects(subjects, opened)})
        steps = count_from(1)
        report = gather(opened, settings, path, replace, watch=lambda: show(next(steps)))
    click.echo(report.model_dump_json(indent=2) if as_json else describe(path, report))


def _subjects(names: tuple[str, ...], corpus: Corpus) -> tuple[str, ...]:
    """The corpus's subjects of these names; on a command line "computer-science" saves the quotes."""
    known = {subject.replace(" ", "-"): subject for subject in corpus.manifest.subjects}
    for name in names:
        if name.replace(" ", "-") not in known:
            raise FathomError(f"The corpus has no subject '{name}'. Choose among {', '.join(known) or 'none'}.")
    return tuple(known[name.replace(" ", "-")] for name in names)


def describe(path: Path, report: Gathered) -> str:
    """What was made of each length, what fell short and why, and how alike contexts are."""
    lines = [f"{path}: {report.contexts:,} contexts from {report.candidates:,} articles"]
    lines += [f"  left out: {count:,} articles ({reason})" for reason, count in report.left_out.items()]
    if report.parts:
        lines.append("  articles by split: " + ", ".join(f"{split} {count:,}" for split, count in report.parts.items()))
    lines.append(
        f"  {'length':>7} {'contexts':>9} {'articles each':>20} {'filled':>7} {'max overlap':>11}   by sampling"
    )
    for shape in report.shapes:
        sampling: Counter[str] = Counter()
        for made in report.made:
            sampling[made.sampling] += made.made if made.length == shape.length else 0
        by_sampling = ", ".join(f"{sampling} {count}" for sampling, count in sampling.items())
        each = f"{shape.documents_least}-{shape.documents_most}, mean {shape.documents_mean:.1f}"
        filled = f"{shape.tokens_mean / shape.length:.1%}"
        alike = f"{shape.largest_overlap:.0%}"
        lines.append(
            f"  {print_length(shape.length):>7} {shape.contexts:>9,} {each:>20} {filled:>7} {alike:>11}   {by_sampling}"
        )
    return "\n".join((*lines, *_shortfalls(report), *_shared(report)))


def _shortfalls(report: Gathered) -> Iterator[str]:
    for length in report.settings.lengths:
        total = sum(made.made for made in report.made if made.length == length)
        if total < report.settings.count:
            yield f"  {print_length(length)}: {total} of {report.settings.count} could be made"
        for made in report.made:
            if made.length == length and made.reason:
                named = f"{print_length(length)} {made.split + ' ' if report.parts else ''}{made.sampling}"
                yield f"  {named}: {made.made} instead of {made.wanted}, since {made.reason}"


def _shared(report: Gathered) -> Iterator[str]:
    for overlap in report.overlaps:
        one, two = map(print_length, overlap.lengths)
        yield (
            f"  shared between {one} and {two}: {overlap.mean:.1%} of the smaller context on average, "
            f"{overlap.largest:.0%} at most"
        )
