"""The summaries of `fathom ingest`, each on one screen. `--json` prints everything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from textwrap import wrap

from fathom.api import corpora
from fathom.api.contexts import contexts_command
from fathom.cli.output import (
    WIDTH,
    columns,
    cut,
    describe_corpus,
    escape_control_characters,
    most_frequent,
    next_lines,
    shortened,
    wrapped,
)
from fathom.records.plurals import counted

MAX_REASONS = 3
"""Reasons for unknown fields that are listed."""

MAX_REJECTIONS = 5
"""Reasons for documents that were not read that are listed."""

MAX_KINDS = 6
"""Kinds of files that were not read that are listed."""

_HEADINGS = {"abstract": "abstr", "sections": "sects", "citations": "cites", "references": "refs"}
"""Short headings of fields, so that all fields fit beside one another."""


def describe(corpus: corpora.Corpus, report: corpora.IngestReport) -> str:
    """What was read, what was not and why, and which fields are known, absent and unknown."""
    lines = [
        *describe_corpus(corpus).splitlines(),
        *_documents(report),
        *_fields(report),
        *_unknown_reasons(report),
        *_citations(report),
        *_links(report),
        *next_lines(contexts_command(corpus)),
    ]
    return "\n".join(lines)


def _documents(report: corpora.IngestReport) -> Iterator[str]:
    """How many documents were read, rejected and left out, with reasons and one file for each."""
    rejected = sum(report.rejected.values())
    left_out = sum(report.left_out.values())
    documents = counted(report.documents, "document")
    yield f"  read {report.kept:,} of {documents}; {rejected:,} rejected, {left_out:,} left out"
    for title, counts in (("rejected", report.rejected), ("left out", report.left_out)):
        yield from _reasons(title, counts, report.examples)
    for title, kinds in (
        ("not documents (--include-all reads them)", report.not_documents),
        ("not read", report.unread),
    ):
        if kinds:
            named = [_file_kind(kind, files) for kind, files in list(kinds.items())[:MAX_KINDS]]
            total = counted(sum(files.count for files in kinds.values()), "file")
            text = f"{title}, {total}: {shortened(named, len(kinds), 2 * WIDTH)}"
            yield from wrapped(text)


def _file_kind(kind: str, files: corpora.UnreadFiles) -> str:
    advice = f"; {files.advice}" if files.advice else ""
    return f"{kind} {files.count:,} ({_file_name(files.names[0], 24)}{advice})"


def _reasons(title: str, counts: Mapping[str, int], examples: Mapping[str, str]) -> Iterator[str]:
    shown = most_frequent(counts, MAX_REJECTIONS)
    for reason, count in shown.items():
        example = f" ({count:,}), such as {_file_name(examples[reason])}"
        yield cut(f"  {title}: {reason}", WIDTH - columns(example)) + example
    if len(counts) > len(shown):
        yield f"  {title}: {counted(len(counts) - len(shown), 'other reason')}, which --json lists"


def _fields(report: corpora.IngestReport) -> Iterator[str]:
    """A row for each format with the states of its fields."""
    yield "  documents by format, and % whose field is known/unknown (the others have none):"
    widths = {name: max(6, len(_HEADINGS.get(name, name)) + 1) for name in corpora.FIELDS}
    headings = "".join(f"{_HEADINGS.get(name, name):>{width}}" for name, width in widths.items())
    yield f"  {'':<18}{headings}"
    for format, stats in report.by_format.items():
        cells = "".join(f"{_states(stats.fields[name]):>{width}}" for name, width in widths.items())
        yield f"  {format:<12}{stats.documents:>6}{cells}"


def _states(counts: corpora.FieldCounts) -> str:
    """The percentages of documents whose field is known and unknown: "93/7"."""
    total = counts.known + counts.absent + counts.unknown
    return "/".join(_percentage(count, total) for count in (counts.known, counts.unknown))


def _percentage(count: int, total: int) -> str:
    """A whole number that is 0 only for none and 100 only for all."""
    share = round(100 * count / total) if total else 0
    if 0 < count < total:
        share = min(99, max(1, share))
    return str(share)


def _unknown_reasons(report: corpora.IngestReport) -> Iterator[str]:
    """The most frequent reasons for unknown fields, each with the fields and one file."""
    reasons: Counter[str] = Counter()
    fields: dict[str, Counter[str]] = {}
    examples: dict[str, str] = {}
    for stats in report.by_format.values():
        for field, counts in stats.fields.items():
            for reason, count in counts.reasons.items():
                reasons[reason] += count
                fields.setdefault(reason, Counter())[field] += count
                examples.setdefault(reason, counts.examples[reason])
    for reason, _ in reasons.most_common(MAX_REASONS + 1):
        counts_by_field = fields[reason].most_common(3)
        named = ", ".join(f"{field} {count:,}" for field, count in counts_by_field)
        more = f" and {len(fields[reason]) - 3} more" if len(fields[reason]) > 3 else ""
        yield cut(f"  unknown: {reason}: {named}{more}, such as {_file_name(examples[reason], 28)}")


def _citations(report: corpora.IngestReport) -> Iterator[str]:
    """How many citations were located and resolved, in all and by format."""
    formats = {name: stats for name, stats in report.by_format.items() if stats.citations + stats.unlocated}
    if not formats:
        return
    located, resolved, corrected, contradicted, unlocated = (
        sum(getattr(stats, count) for stats in formats.values())
        for count in ("citations", "resolved", "corrected", "contradicted", "unlocated")
    )
    yield cut(
        f"  citations: {located:,} located, {unlocated:,} not; {resolved:,} resolved, {corrected:,} corrected, "
        f"{contradicted:,} contradicted"
    )
    shares = ", ".join(f"{name} {_citation_shares(stats)}" for name, stats in formats.items())
    text = f"% located/resolved/contradicted: {shares}"
    yield from wrapped(text, indent=4)


def _citation_shares(stats: corpora.ReadingStats) -> str:
    located = stats.citations
    counts = ((located, located + stats.unlocated), (stats.resolved, located), (stats.contradicted, located))
    return "/".join(_bounded_percentage(count, total) for count, total in counts)


def _bounded_percentage(count: int, total: int) -> str:
    """A whole number, or a bound near 0 and 100: one contradicted citation of 10,000 is less than 1%."""
    if 0 < 100 * count < total:
        return "<1"
    return ">99" if 99 * total < 100 * count < 100 * total else _percentage(count, total)


def _links(report: corpora.IngestReport) -> Iterator[str]:
    linked = {method: count for method, count in report.links.items() if count}
    if linked:
        text = "references by linking method: " + ", ".join(f"{m} {c:,}" for m, c in linked.items())
        yield from wrapped(text)
    if report.authors:
        yield "  author names: " + ", ".join(f"{kind} {count:,}" for kind, count in report.authors.items())


def _file_name(source: str, width: int = 36) -> str:
    """The end of a source: the file's name, without its folders and at most some characters."""
    name = escape_control_characters(source.rpartition("!")[2].rpartition("/")[2] or source)
    if columns(name) <= width:
        return name
    while columns(name) >= width:
        name = name[1:]
    return f"…{name}"


def describe_self_test(result: corpora.SelfTest) -> str:
    """For each format, the fields that came back complete and correct, and the scores of the others."""
    lines = [
        f"{result.documents:,} generated articles and {result.reports:,} reports, written and read back.",
        "Precision/recall/unknown in %, for each format; fields that are not listed are 100/100/0:",
    ]
    for name, scores in result.formats.items():
        measured = {field: _scores(score) for field, score in scores.items() if score.written}
        others = [f"{field} {cell}" for field, cell in measured.items() if cell != "100/100/0"]
        text = f"{', '.join(others) or 'all'} ({len(measured) - len(others)} of {len(measured)} fields are 100/100/0)"
        lines += wrap(text, WIDTH, initial_indent=f"  {name:<14}", subsequent_indent=" " * 16, break_on_hyphens=False)
    lines += [f"  {name}: {counted(count, 'document')} rejected" for name, count in result.refused.items()]
    return "\n".join(lines)


def _scores(score: corpora.FieldScore) -> str:
    """The percentages; "-" for the precision of no values, and for the recall of values that are all unknown."""
    precision = _tenths(score.precision) if score.read else "-"
    recall = _tenths(score.recall) if score.unknown < 1 else "-"
    return f"{precision}/{recall}/{_tenths(score.unknown)}"


def _tenths(share: float) -> str:
    return f"{100 * share:.1f}".removesuffix(".0")
