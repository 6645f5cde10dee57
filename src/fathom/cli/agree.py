"""`fathom agree`"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from fathom.cli import options
from fathom.cli.output import cut, escape_control_characters, wrapped
from fathom.records.plurals import counted

if TYPE_CHECKING:
    from fathom.api.agreement import Agreement
    from fathom.api.findings import Estimate

UNITS = ("claims", "evidence", "links")


@click.command(
    epilog=options.examples(
        "fathom agree annotations.jsonl --corpus corpus",
        "fathom agree first.jsonl second.jsonl third.jsonl --corpus corpus --json",
    )
)
@click.argument("annotations", metavar="ANNOTATIONS...", nargs=-1, required=True, type=options.PATH)
@click.option("--corpus", type=options.PATH, help="The annotated corpus; needed for all measures over sentences.")
@click.option(
    "--level",
    type=click.Choice(["sentence", "character"]),
    help="How spans are compared.  [default: sentence, or character without --corpus]",
)
@click.option(
    "--threshold",
    type=float,
    default=0.5,
    show_default=True,
    help="Minimum intersection over union of two spans that match.",
)
@options.as_json
def command(
    annotations: tuple[Path, ...],
    corpus: Path | None,
    level: Literal["sentence", "character"] | None,
    threshold: float,
    as_json: bool,
) -> None:
    """Measure the agreement of annotators.

    For claims, evidence and links: F1, which does not depend on who is taken as the key. For claims and evidence:
    Cohen's kappa over sentences, by pair of annotators, and Krippendorff's alpha for all of them. For labels: kappa and
    alpha. Intervals are clustered by document. Reads files of annotations and the corpus; writes nothing; calls no
    model.
    """
    from fathom.api.agreement import agree

    found = agree(annotations, corpus, level, threshold)
    text = found.model_dump_json(indent=2) if as_json else "\n".join(_lines(found, corpus is not None))
    click.echo(escape_control_characters(text))


def _lines(measured: Agreement, sentences: bool) -> Iterator[str]:
    names = ", ".join(f"{cut(name, 30)} {count:,}" for name, count in measured.annotators.items())
    shared = f"{counted(measured.documents, 'document')} with two or more annotations"
    yield f"{shared}, matched by {measured.level} at {measured.threshold:g}"
    yield from wrapped(f"annotators: {names}")
    if measured.pairs:
        yield f"  {'':30} {'documents':>9} " + " ".join(f"{unit + ' F1':>18}" for unit in UNITS)
        for pair in measured.pairs:
            yield _row(cut(f"{pair.first}, {pair.second}", 30), f"{pair.documents:,}", pair.f1, UNITS)
        if len(measured.pairs) > 1:
            yield _row("average over pairs", "", measured.f1, UNITS)
    if measured.kappa or measured.alpha:
        yield f"  {'':30} {'':>9} " + " ".join(f"{unit + ', kappa':>18}" for unit in UNITS[:2])
        for pair in measured.pairs:
            yield _row(cut(f"{pair.first}, {pair.second}", 30), "", pair.kappa, UNITS[:2], 3)
        if len(measured.pairs) > 1:
            yield _row("average over pairs", "", measured.kappa, UNITS[:2], 3)
        yield _row("Krippendorff's alpha", "", measured.alpha, UNITS[:2], 3)
    for label in measured.labels:
        kappa, alpha = (_coefficient(estimate, 3).strip() for estimate in (label.kappa, label.alpha))
        equal = f"{counted(label.items, 'item')}, equal {label.agreement.value:.1%}"
        yield f"  {cut(label.name, 40)}: {equal}, kappa {kappa}, alpha {alpha}"
    if measured.answer_evidence is not None:
        yield f"  evidence for answers to the same question, F1: {_coefficient(measured.answer_evidence, 0).strip()}"
    if measured.outside:
        yield f"  {counted(measured.outside, 'mark')} outside of sentences: not in kappa and alpha"
    if measured.incomplete:
        yield f"  {counted(measured.incomplete, 'incomplete annotation')}: in labels alone"
    if not sentences:
        yield "  kappa and alpha over sentences need --corpus"


def _row(name: str, documents: str, found: Mapping[Any, Estimate], units: tuple[str, ...], decimals: int = 0) -> str:
    return f"  {name:30} {documents:>9} " + " ".join(_coefficient(found.get(unit), decimals) for unit in units)


def _coefficient(estimate: Estimate | None, decimals: int) -> str:
    """0.725 (0.411-0.930), or 72.5% (41.1-93.0) without decimals."""
    if estimate is None:
        return f"{'undefined':>18}"
    if not decimals:
        return f"{f'{estimate.value:.1%} ({estimate.low * 100:.1f}-{estimate.high * 100:.1f})':>18}"
    dash = " to " if estimate.low < 0 else "-"
    return f"{f'{estimate.value:.3f} ({estimate.low:.2f}{dash}{estimate.high:.2f})':>18}"
