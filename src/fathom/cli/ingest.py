"""`fathom ingest`"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Unpack

import click

from fathom.api import corpora
from fathom.cli import options
from fathom.cli.output import counted, describe_corpus, progress_bar
from fathom.records.errors import FathomError


class Thresholds(click.ParamType[dict[str, float]]):
    """Fields with the minimum share of documents that must have them: authors=0.99,resolved=0.95."""

    name = "shares"

    def convert(self, value: object, param: click.Parameter | None, context: click.Context | None) -> dict[str, float]:
        if isinstance(value, dict):
            return value
        known = (*corpora.FIELDS, "resolved")
        thresholds: dict[str, float] = {}
        for piece in filter(None, (word.strip() for word in str(value).split(","))):
            name, _, share = piece.partition("=")
            try:
                thresholds[name] = float(share)
            except ValueError:
                thresholds[name] = -1.0
            if name not in known or not 0 <= thresholds[name] <= 1:
                raise FathomError(
                    f"--strict does not take '{piece}'. Give shares from 0 to 1 such as authors=0.99, with fields "
                    f"from: {', '.join(known)}."
                )
        return thresholds


@click.command(
    epilog=options.examples(
        "fathom ingest papers/ more.tar.xz --out corpus",
        "fathom ingest filings.zip --out filings --formats ixbrl --min-tokens 10240 --min-tables 1",
        "fathom ingest --self-test 4",
        "fathom ingest papers/ --out corpus --licenses CC-BY,CC0 --strict title=1,authors=0.99,resolved=0.95",
    )
)
@click.argument("sources", nargs=-1, type=options.PATH)
@click.option("--out", type=options.PATH, help="The folder to write the corpus to.")
@click.option(
    "--formats", type=options.CommaList(tuple(corpora.FORMATS)), default="", help="Only documents of these formats."
)
@click.option("--min-tokens", type=options.Length(), default=0, help="Leave out shorter documents.")
@click.option("--max-tokens", type=options.Length(), help="Leave out longer documents.")
@click.option("--min-tables", type=click.IntRange(0), default=0, help="Leave out documents with fewer tables.")
@click.option(
    "--include-all",
    is_flag=True,
    help="Read READMEs, licenses, lists of files and the like in folders and archives as documents, too.",
)
@click.option("--full-text", is_flag=True, help="Leave out documents that have only an abstract and references.")
@click.option(
    "--licenses",
    type=options.CommaList(),
    default="",
    help="Only these licenses, in any version: CC-BY,CC0. CC-BY* also keeps CC-BY-NC and others.",
)
@click.option(
    "--strict",
    type=Thresholds(),
    default="",
    help="Exit with 1 if fewer documents have a field: authors=0.99,resolved=0.95.",
)
@click.option("--allow-incomplete", is_flag=True, help="Exit with 0 although a source is damaged, cut or too large.")
@click.option(
    "--self-test",
    type=click.IntRange(1, 10_000),
    help="Instead: write this many generated documents in every format, read them back and compare.",
)
@options.processes
@options.as_json
def command(
    sources: tuple[Path, ...],
    out: Path | None,
    strict: dict[str, float],
    allow_incomplete: bool,
    self_test: int | None,
    processes: int,
    as_json: bool,
    **chosen: Unpack[corpora.IngestOptions],
) -> None:
    """Read documents into a corpus.

    SOURCES are files, folders and archives (tar, zip, gz, xz); the format of each file is detected. Every file is
    read, or rejected with a reason. References are linked to the documents they cite, and authors are disambiguated
    where that is safe. Writes a folder with a report on reading quality; calls no model. After an interruption, the
    same command continues where it stopped.
    """
    if self_test is not None:
        result = corpora.run_self_test(self_test)
        click.echo(result.model_dump_json(indent=2) if as_json else describe_self_test(result))
        return
    if not sources or out is None:
        raise click.UsageError("Give the SOURCES to read and --out, the folder to write.")
    with (
        progress_bar("Reading", None) as progress,
        corpora.ingest(sources, out, allow_incomplete=True, processes=processes, progress=progress, **chosen) as corpus,
    ):
        report = corpus.ingest_report
        assert report is not None  # written by `ingest`
        click.echo(report.model_dump_json(indent=2) if as_json else describe(corpus, report))
    missed = corpora.below_thresholds(report, strict)
    if missed:
        click.echo(f"fathom: reading quality is below --strict: {'; '.join(missed)}.", err=True)
    if report.incomplete and not allow_incomplete:
        advice = "The corpus has everything else. Repair the file, or allow this with --allow-incomplete"
        click.echo(f"fathom: {corpora.describe_incomplete(report)} {advice}.", err=True)
    if missed or (report.incomplete and not allow_incomplete):
        sys.exit(1)


def describe(corpus: corpora.Corpus, report: corpora.IngestReport) -> str:
    """What was read, what was rejected, and how many documents have each field."""
    skipped = counted(report.skipped, "file")
    lines = [describe_corpus(corpus)]
    lines.append(f"  read {report.kept:,} of {report.documents:,} documents; {skipped} of unknown format skipped")
    for title, counts in (("rejected", report.rejected), ("left out", report.left_out)):
        lines += [f"  {title}: {reason} ({count:,})" for reason, count in list(counts.items())[:5]]
    for title, kinds in (("not documents", report.not_documents), ("not read", report.unread)):
        lines += [f"  {title}: {_unread(kind, files)}" for kind, files in list(kinds.items())[:6]]
    names = list(report.by_format)
    lines.append(f"  {'known/absent/unknown, %':24}" + "".join(f"{name:>12}" for name in names))
    for field in corpora.FIELDS:
        cells = (_states(report.by_format[name].fields[field]) for name in names)
        lines.append(f"    {field:22}" + "".join(f"{cell:>12}" for cell in cells))
    for title, share in _CITATION_SHARES.items():
        cells = (_citation_share(report.by_format[name], share) for name in names)
        lines.append(f"    {f'citations {title}':22}" + "".join(cells))
    linked = {method: count for method, count in report.links.items() if count}
    if linked:
        lines.append("  references by linking method: " + ", ".join(f"{m} {c:,}" for m, c in linked.items()))
    if report.authors:
        lines.append("  author names: " + ", ".join(f"{kind} {count:,}" for kind, count in report.authors.items()))
    return "\n".join((*lines, f"next: fathom contexts {corpus.folder}"))


def _unread(kind: str, files: corpora.UnreadFiles) -> str:
    """Files of one kind with the first names: "image (12): a.png, b.png, c.png, ..."."""
    names = ", ".join(re.split(r"[/!]", name)[-1] for name in files.names)
    more = ", ..." if files.count > len(files.names) else ""
    return f"{kind} ({files.count:,}): {names}{more}" + (f"; {files.advice}" if files.advice else "")


def _states(counts: corpora.FieldCounts) -> str:
    """The percentages of documents whose field is known, absent and unknown: "93/0/7"."""
    total = counts.known + counts.absent + counts.unknown
    return "/".join(f"{round(100 * count / total)}" for count in (counts.known, counts.absent, counts.unknown))


_CITATION_SHARES: dict[str, Callable[[corpora.ReadingStats], float]] = {
    "located": lambda stats: stats.citations / (stats.citations + stats.unlocated),
    "resolved": lambda stats: stats.share("resolved"),
    "corrected": lambda stats: stats.corrected / max(1, stats.citations),
    "contradicted": lambda stats: stats.contradicted / max(1, stats.citations),
}
"""Shares of what looks like a citation, and of the citations that were located."""


def _citation_share(stats: corpora.ReadingStats, share: Callable[[corpora.ReadingStats], float]) -> str:
    return f"{share(stats):>12.1%}" if stats.citations + stats.unlocated else f"{'-':>12}"


def describe_self_test(result: corpora.SelfTest) -> str:
    """A few lines per format: the fields that came back complete, and the scores of the others."""
    lines = [
        f"{result.documents:,} generated articles and {result.reports:,} reports, written and read back: "
        "recall, and precision where it is lower"
    ]
    for name, scores in result.formats.items():
        cells = [(field, _cell(score)) for field, score in scores.items()]
        complete = [field for field, cell in cells if cell == "100.0%"]
        others = [f"{field} {cell}" for field, cell in cells if cell not in ("100.0%", "-")]
        lines += [f"  {name}", f"    complete: {', '.join(complete) or 'none'}"]
        lines += [f"    {', '.join(others)}"] if others else []
    lines += [f"  {name}: {count:,} documents rejected" for name, count in result.refused.items()]
    return "\n".join(lines)


def _cell(score: corpora.FieldScore) -> str:
    if not score.written:
        return "-"
    return f"{score.recall:.1%}" + (f" ({score.precision:.1%})" if score.precision < score.recall else "")
