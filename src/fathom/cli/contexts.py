"""`fathom contexts`"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Unpack, get_args

import click

from fathom.api.benches import family_for, preparation_of
from fathom.api.contexts import DEFAULT, DEFAULT_LENGTHS, ContextSet, SamplingOptions, SamplingReport
from fathom.api.corpora import open_corpus
from fathom.cli import options
from fathom.cli.output import all_or_nothing, next_lines, progress_bar
from fathom.records.contexts import Sampling, Split
from fathom.records.documents import FIELDS, DocumentKind
from fathom.records.lengths import format_length, parse_length
from fathom.records.plurals import counted


@click.command(
    epilog=options.examples(
        "fathom contexts corpus --lengths 64K,128K,512K,1M --count 650",
        "fathom contexts corpus --lengths 8K --sampling bfs --subjects physics --out physics.jsonl",
    )
)
@options.corpus
@click.option(
    "--lengths",
    type=options.CommaList(required=True),
    default=DEFAULT_LENGTHS,
    show_default=True,
    help="Context lengths in tokens; K is 1,024.",
)
@click.option(
    "--count", type=click.IntRange(1), default=100, show_default=True, help="Number of contexts of each length."
)
@click.option(
    "--sampling",
    type=options.CommaList(get_args(Sampling), required=True),
    default="random,bfs,dfs",
    show_default=True,
    help="How documents are selected: at random, breadth-first or depth-first over the citation graph, or by year (two "
    "of three documents from one year). The methods share the count; where one is exhausted the others continue.",
)
@click.option(
    "--min-documents",
    type=click.IntRange(1),
    default=4,
    show_default=True,
    help="Minimum number of documents per context.",
)
@click.option(
    "--order",
    type=click.Choice(["shuffled", "traversal"]),
    default="shuffled",
    show_default=True,
    help="Order of the documents in a context: at random, or as they were selected.",
)
@click.option("--tokenizer", default=DEFAULT, show_default=True, help="o200k, cl100k, or the path of a tokenizer.json.")
@click.option(
    "--kinds",
    type=options.CommaList(get_args(DocumentKind)),
    default="",
    help="Only documents of these kinds: article, report.",
)
@click.option(
    "--subjects", type=options.CommaList(), default="", help="Only these subjects, such as physics,companies."
)
@click.option("--languages", type=options.CommaList(), default="", help="Only these languages, such as en,zh.")
@click.option("--per-subject", is_flag=True, help="Sample contexts of one subject each, --count for each subject.")
@click.option("--min-tokens", type=options.Length(), default=0, help="Only documents with at least this many tokens.")
@click.option(
    "--known",
    type=options.CommaList(FIELDS),
    default="",
    help="Only documents where these fields are known, such as authors,references.",
)
@click.option(
    "--splits",
    type=options.Shares(get_args(Split)),
    default="",
    help="Splits of the corpus that share no document, such as train=70,dev=10,test=20.",
)
@options.seed
@click.option("--out", type=options.PATH, help="The file to write.  [default: CORPUS/contexts.jsonl]")
@click.option("--replace", is_flag=True, help="Overwrite contexts that were sampled with other settings.")
@options.as_json
def command(
    corpus: Path, lengths: tuple[str, ...], count: int, as_json: bool, **chosen: Unpack[SamplingOptions]
) -> None:
    """Sample documents of a corpus into contexts of given lengths.

    A context is a recipe: which documents in which order, never a copy of their text. No two contexts of one length
    share more than half of the smaller one's documents. Reads CORPUS; writes the contexts and a report beside them;
    calls no model.
    """
    tokens = list(map(parse_length, lengths))
    with (
        all_or_nothing("context"),
        open_corpus(corpus) as opened,
        progress_bar("Sampling", count * len(lengths)) as progress,
    ):
        contexts = opened.contexts(tokens, count, progress=progress, **chosen)
        kinds = opened.manifest.kinds
        family = family_for({kind: kinds.get(kind, 0) for kind in chosen["kinds"] or kinds}, opened)
        needed = preparation_of(family, opened)
    if as_json:
        click.echo(contexts.report.model_dump_json(indent=2))
        return
    elsewhere = f" --contexts {chosen['out']}" if chosen["out"] is not None else ""
    first = "" if needed is None else f"{needed.command.replace('CORPUS', str(corpus))}, then "
    using = "" if needed is None else f" {needed.options}"
    following = next_lines(f"{first}fathom build {family} {corpus} --out bench{elsewhere}{using}")
    click.echo("\n".join((describe(contexts), *following)))


def describe(contexts: ContextSet) -> str:
    """What was sampled of each length, what fell short and why, and how much contexts overlap."""
    report = contexts.report
    lines = [f"{contexts.path}: {counted(report.contexts, 'context')} from {counted(report.candidates, 'document')}"]
    lines += [f"  left out: {counted(count, 'document')} ({reason})" for reason, count in report.left_out.items()]
    if report.splits:
        counts = ", ".join(f"{split} {count:,}" for split, count in report.splits.items())
        lines.append(f"  documents by split: {counts}")
    lines.append(
        f"  {'length':>7} {'contexts':>9} {'documents each':>20} {'filled':>7} {'max overlap':>11}   by sampling"
    )
    for summary in report.lengths:
        sampled: Counter[str] = Counter()
        for count in report.counts:
            sampled[count.sampling] += count.sampled if count.length == summary.length else 0
        by_sampling = ", ".join(f"{sampling} {number}" for sampling, number in sampled.items())
        each = f"{summary.min_documents}-{summary.max_documents}, mean {summary.mean_documents:.1f}"
        filled = f"{summary.mean_tokens / summary.length:.1%}"
        lines.append(
            f"  {format_length(summary.length):>7} {summary.contexts:>9,} {each:>20} {filled:>7} "
            f"{summary.max_overlap:>11.0%}   {by_sampling}"
        )
    return "\n".join((*lines, *_shortfalls(report), *_overlaps(report)))


def _shortfalls(report: SamplingReport) -> Iterator[str]:
    # Documents that do not cite one another give no context of some samplings, at any length: one line is enough.
    failed = {count.sampling for count in report.counts if count.reason}
    sampled = {count.sampling for count in report.counts if count.sampled}
    never = [sampling for sampling in report.settings.sampling if sampling in failed - sampled]
    if never and sampled:
        yield f"  {', '.join(never)}: too few documents cite one another; sampled {', '.join(sorted(sampled))} instead"
    if empty := _splits_without_contexts(report):
        yield (
            f"  {', '.join(empty)}: no contexts, since there are more splits than contexts of a length. "
            f"Use --count {len(report.splits)} or more"
        )
    for length in report.settings.lengths:
        counts = [count for count in report.counts if count.length == length]
        total = sum(count.sampled for count in counts)
        requested = sum(count.requested for count in counts)
        if total < requested:
            yield f"  {format_length(length)}: {total} of {requested} contexts could be sampled"
        for count in counts:
            if count.reason and not (sampled and count.sampling in never):
                of = (count.split if report.splits else "", count.subject, count.sampling)
                name = " ".join(filter(None, (format_length(length), *of)))
                yield f"  {name}: {count.sampled} of {count.requested}: {count.reason}"


def _splits_without_contexts(report: SamplingReport) -> list[str]:
    """The splits of which no context was requested."""
    requested = {count.split for count in report.counts if count.requested}
    return [split for split in report.splits if split not in requested]


def _overlaps(report: SamplingReport) -> Iterator[str]:
    for overlap in report.overlaps:
        one, two = map(format_length, overlap.lengths)
        yield (
            f"  overlap of {one} and {two}: {overlap.mean:.1%} of the smaller context on average, "
            f"{overlap.max:.0%} at most"
        )
