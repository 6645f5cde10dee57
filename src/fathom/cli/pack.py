"""`fathom pack`"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from fathom.api import extraction, packs
from fathom.api.packs import PackCoverage
from fathom.cli import options
from fathom.cli.output import progress_bar
from fathom.records.plurals import counted


@click.group(epilog=options.examples("fathom pack draft corpus --out own.toml", "fathom pack check own.toml corpus"))
def command() -> None:
    """Check or draft a domain pack of the family `tables`, or extract its figures.

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
    """Propose a pack for the documents of a corpus.

    Every fact, and every label of a table, that half of the documents have becomes a field. Revise the nouns, and add
    metrics. Reads CORPUS; writes one file; calls no model.
    """
    written = packs.write_draft(corpus, out)
    count = len(packs.read_pack(str(written)).fields)
    click.echo(f"{written}: {count} fields")
    click.echo(f"next: fathom pack check {written} {corpus}")


@command.command(
    epilog=options.examples(
        "fathom pack extract companies corpus --extractor openai/gpt-4.1-mini --extractor anthropic/claude-haiku-4-5",
        "fathom pack extract own.toml corpus --extractor 'sim/extractor?error=0.1&miss=0.05' --all-fields",
    )
)
@click.argument("pack")
@options.corpus
@click.option("--extractor", "extractors", multiple=True, required=True, help="A model that extracts. Repeatable.")
@click.option(
    "--tries", type=click.IntRange(1, 99), default=3, show_default=True, help="Number of times each extractor is asked."
)
@click.option(
    "--no-consensus",
    type=click.Choice(["unknown", "discard"]),
    default="unknown",
    show_default=True,
    help="Without a majority: treat the figure as unknown, or discard all figures of the document.",
)
@click.option(
    "--all-fields", is_flag=True, help="Also ask for figures that are already known from structure or tables."
)
@click.option(
    "--figures-at-once", type=click.IntRange(1), default=8, show_default=True, help="Figures asked for in one prompt."
)
@click.option("--limit", type=click.IntRange(1), help="Ask about the first documents only, this many.")
@click.option(
    "--max-document",
    type=options.Length(),
    help="Maximum tokens of a document to show: its tables and paragraphs with the most labels.  [default: all]",
)
@click.option(
    "--max-tokens", type=options.Length(), default=2_048, show_default=True, help="Maximum tokens of a response."
)
@click.option("--temperature", type=click.FloatRange(0, 2), help="Sampling temperature.  [default: the provider's]")
@click.option("--budget", type=options.NonNegative(), help="Stop before more than this many US dollars are spent.")
@click.option("--prices", type=options.PATH, help="Your own table of windows and prices (TOML).")
@click.option("--url", help="The address of an OpenAI-compatible server, for models of openai-api/ and vllm/.")
@click.option("--plan", "only_plan", is_flag=True, help="Print the requests, tokens and highest price; call no model.")
@options.seed
@options.as_json
def extract(
    pack: str,
    corpus: Path,
    extractors: tuple[str, ...],
    no_consensus: extraction.NoConsensus,
    budget: float | None,
    only_plan: bool,
    as_json: bool,
    **settings: Any,
) -> None:
    """Extract the figures of a pack with models that vote.

    Every extractor is asked several times for the figures that structure and tables do not give. A figure is accepted
    if more than half of all votes give the same value, with a quote of the document that prints it. Writes
    CORPUS/extracted/PACK, which `fathom build tables` uses. Calls models, which may cost money: see --plan. Every
    call is journaled: after a kill the same command resumes.
    """
    chosen = extraction.ExtractionOptions(**settings)
    if only_plan:
        plan = extraction.plan_extraction(pack, corpus, extractors, chosen)
        click.echo(plan.model_dump_json(indent=2) if as_json else _describe_plan(plan))
        return
    with progress_bar("Extracting", None) as show:
        summary = extraction.extract_figures(
            pack,
            corpus,
            extractors,
            chosen,
            no_consensus=no_consensus,
            budget=budget,
            progress=lambda done, total: show(done),
        )
    click.echo(summary.model_dump_json(indent=2) if as_json else _describe_extraction(pack, corpus, summary))
    if summary.stopped is not None:
        raise SystemExit(1)


def _describe_plan(plan: extraction.ExtractionPlan) -> str:
    price = "price unknown" if plan.price_at_most is None else f"at most ${plan.price_at_most:,.2f}"
    return (
        f"{plan.figures:,} figures of {counted(plan.documents, 'document')}: {plan.requests:,} requests, "
        f"{plan.input_tokens:,} input tokens, {price}"
    )


def _describe_extraction(pack: str, corpus: Path, summary: extraction.ExtractionSummary) -> str:
    decisions = ", ".join(f"{name} {count:,}" for name, count in summary.decisions.items())
    price = "price unknown" if summary.usage.price is None else f"${summary.usage.price:,.4f}"
    lines = [
        f"{corpus}: {counted(summary.documents, 'document')} with {summary.votes} votes on each figure; "
        f"{summary.other_documents:,} of other domains",
        f"  figures: {decisions}; {counted(summary.invalid_votes, 'vote')} without a quote that prints the number",
        f"  {summary.usage.input_tokens:,} input tokens, {summary.usage.output_tokens:,} output tokens, {price}",
    ]
    if summary.discarded:
        lines.append(f"  discarded: {counted(summary.discarded, 'document')} without a majority for some figure")
    if summary.stopped is not None:
        lines.append(f"  stopped: {summary.stopped}. No figures were written: run the same command again")
    else:
        lines.append(f"next: fathom build tables {corpus} --packs {pack} --out bench")
    return "\n".join(lines)


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
