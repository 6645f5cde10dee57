"""The ingest report: how many documents were read, and which of their fields."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fathom.corpus.document_reading import ReadResult
from fathom.corpus.readers.file_kinds import advice
from fathom.records.documents import FIELDS, NonNegativeInt
from fathom.records.record import Record


class FieldCounts(Record):
    """How many documents have a known value of a field, have none, or may have one that is unknown."""

    known: NonNegativeInt = 0
    absent: NonNegativeInt = 0
    unknown: NonNegativeInt = 0
    reasons: dict[str, NonNegativeInt] = {}
    """Why it is unknown, the most frequent reasons first."""
    examples: dict[str, str] = {}
    """For each of these reasons, the source of the first document."""


class ReadingStats(Record):
    """Counts for the documents of one source or of one format."""

    documents: NonNegativeInt = 0
    fields: dict[str, FieldCounts] = {}
    citations: NonNegativeInt = 0
    """In-text citations that were located."""
    resolved: NonNegativeInt = 0
    """Citations that point to an entry of the reference list."""
    corrected: NonNegativeInt = 0
    """Citations that point to another entry than the source says, whose names and year they have."""
    contradicted: NonNegativeInt = 0
    """Citations that are unresolved, since their entry has other names or another year."""
    unlocated: NonNegativeInt = 0
    """Strings that look like citations, but are not among those located."""

    def share(self, name: str) -> float:
        """The share of the documents that may have a field for which it is known, or of citations that are resolved."""
        if name == "resolved":
            return self.resolved / self.citations if self.citations else 1.0
        field = self.fields[name]
        return field.known / (field.known + field.unknown) if field.known + field.unknown else 1.0


class UnreadFiles(Record):
    """Files of one kind that were not read."""

    count: NonNegativeInt = 0
    names: tuple[str, ...] = ()
    """The first three."""
    advice: str = ""
    """What to do to have them read; empty if nothing helps."""


class IngestReport(Record):
    """The counts of an ingest: documents, fields, links and authors."""

    documents: NonNegativeInt
    kept: NonNegativeInt
    rejected: dict[str, NonNegativeInt]
    """Documents that could not be read, by reason."""
    rejections: tuple[tuple[str, str], ...]
    """The first hundred of them: source and reason."""
    incomplete: tuple[tuple[str, str], ...] = ()
    """The first hundred files that are damaged, cut or too large, or whose reading a limit ended: source and reason.
    What could be read of them is in the corpus."""
    skipped: NonNegativeInt
    """Files of no known kind."""
    unread: dict[str, UnreadFiles] = {}
    """The same files by kind: images, slides, notebooks."""
    not_documents: dict[str, UnreadFiles] = {}
    """Files beside documents that are not documents, by reason: READMEs, licenses, lists of files."""
    left_out: dict[str, NonNegativeInt]
    """Documents that were read but left out, by reason: a filter, or a duplicate."""
    examples: dict[str, str] = {}
    """For each reason in `rejected` and `left_out`, the source of the first document."""
    by_source: dict[str, ReadingStats]
    by_format: dict[str, ReadingStats]
    links: dict[str, NonNegativeInt]
    """References by linking method, or by the reason why they were not linked."""
    versions: NonNegativeInt
    """Documents that are versions of another one."""
    authors: dict[str, NonNegativeInt]
    """Names in bylines whose person is certain, and those where it is uncertain."""

    @property
    def unlocated(self) -> int:
        """Strings that look like citations, but were not located."""
        return sum(stats.unlocated for stats in self.by_format.values())


MAX_NAMES = 3
"""Files of one kind that are named."""

NOT_FOUND = "not found"
"""The reason for an unknown field, if the reader gives none."""

MAX_REJECTIONS = 100
"""Rejections that are listed one by one."""


_CITATION_COUNTS = ("citations", "resolved", "corrected", "contradicted", "unlocated")


@dataclass
class _Tally:
    documents: int = 0
    citations: Counter[str] = field(default_factory=Counter)
    """By the names in `_CITATION_COUNTS`."""
    states: Counter[tuple[str, str]] = field(default_factory=Counter)
    """By field and state."""
    reasons: Counter[tuple[str, str]] = field(default_factory=Counter)
    """By field and reason."""
    examples: dict[tuple[str, str], str] = field(default_factory=dict)
    """The first source for each field and reason."""

    def add(self, result: ReadResult) -> None:
        self.documents += 1
        self.citations.update({name: getattr(result, name) for name in _CITATION_COUNTS})
        self.states.update(result.states.items())
        for name, state in result.states.items():
            if state == "unknown":
                reason = (name, result.unknown.get(name, NOT_FOUND))
                self.reasons[reason] += 1
                self.examples.setdefault(reason, result.source)

    def stats(self) -> ReadingStats:
        return ReadingStats(
            documents=self.documents,
            fields={name: self._field(name) for name in FIELDS},
            **{name: self.citations[name] for name in _CITATION_COUNTS},
        )

    def _field(self, name: str) -> FieldCounts:
        reasons = {reason: count for (field, reason), count in self.reasons.most_common() if field == name}
        known, absent, unknown = (self.states[name, state] for state in ("known", "absent", "unknown"))
        examples = {reason: self.examples[name, reason] for reason in reasons}
        return FieldCounts(known=known, absent=absent, unknown=unknown, reasons=reasons, examples=examples)


class Reporter:
    """Counts documents one by one and builds the report."""

    def __init__(self, sources: Sequence[Path]) -> None:
        self._by_source = {str(source): _Tally() for source in sources}
        self._by_format: dict[str, _Tally] = {}
        self._rejected: Counter[str] = Counter()
        self._rejections: list[tuple[str, str]] = []
        self._incomplete: list[tuple[str, str]] = []
        self._left_out: Counter[str] = Counter()
        self._unread: dict[str, UnreadFiles] = {}
        self._not_documents: dict[str, UnreadFiles] = {}
        self._examples: dict[str, str] = {}
        self._documents = self._kept = self._skipped = 0

    def reject(self, result: ReadResult) -> None:
        """Count a document that could not be read, or a file of unknown format."""
        if result.left_out:
            self._note(self._not_documents, result.left_out, result.source)
            return
        if not result.format and not result.error:
            self._skipped += 1
            self._note(self._unread, result.kind or "unknown", result.source)
            return
        self._documents += 1
        # The part in parentheses differs from one document to the next.
        reason = result.error.partition(" (")[0]
        self._rejected[reason] += 1
        self._examples.setdefault(reason, result.source)
        if len(self._rejections) < MAX_REJECTIONS:
            self._rejections.append((result.source, result.error))
        if result.incomplete and len(self._incomplete) < MAX_REJECTIONS:
            self._incomplete.append((_file_of(result.source), result.error))

    def _note(self, kinds: dict[str, UnreadFiles], kind: str, source: str) -> None:
        """Count a file that is not read, and name the first ones of its kind."""
        files = kinds.get(kind) or UnreadFiles(advice=advice(kind))
        names = (*files.names, source)[:MAX_NAMES]
        kinds[kind] = files.model_copy(update={"count": files.count + 1, "names": names})

    def leave_out(self, reason: str, source: str) -> None:
        """Count a document that was read and is not kept."""
        self._documents += 1
        self._left_out[reason] += 1
        self._examples.setdefault(reason, source)

    def keep(self, result: ReadResult) -> None:
        """Count a document that is kept."""
        self._documents += 1
        self._kept += 1
        self._by_source[self._root(result.source)].add(result)
        self._by_format.setdefault(result.format, _Tally()).add(result)

    @property
    def kept(self) -> int:
        return self._kept

    @property
    def left_out(self) -> int:
        return self._left_out.total()

    def why_empty(self) -> str:
        """The two most frequent reasons why no document was kept, with the first file of each."""
        examples: dict[str, str] = {}
        for source, error in self._rejections:
            examples.setdefault(error.partition(" (")[0], f"{source}: {error}" if "(" in error else source)
        rejected = Counter(self._rejected)
        for kinds in (self._unread, self._not_documents):
            rejected.update({kind: files.count for kind, files in kinds.items()})
            examples.update({kind: ", ".join(files.names) for kind, files in kinds.items()})
        most_common = (self._left_out or rejected).most_common(2)
        reasons = (
            f"{reason} ({count:,}{f'; {examples[reason]}' if reason in examples else ''})"
            for reason, count in most_common
        )
        further = sum((self._left_out or rejected).values()) - sum(count for _, count in most_common)
        ending = [f"and {further:,} other{'s' if further > 1 else ''}"] if further else []
        return ", ".join((*reasons, *ending)) or "there are no files"

    def report(self, links: dict[str, int], versions: int, authors: dict[str, int]) -> IngestReport:
        return IngestReport(
            documents=self._documents,
            kept=self._kept,
            rejected=dict(self._rejected.most_common()),
            rejections=tuple(self._rejections),
            incomplete=tuple(self._incomplete),
            skipped=self._skipped,
            unread=_by_count(self._unread),
            not_documents=_by_count(self._not_documents),
            left_out=dict(self._left_out.most_common()),
            examples=self._examples,
            by_source={name: tally.stats() for name, tally in self._by_source.items()},
            by_format={name: tally.stats() for name, tally in sorted(self._by_format.items())},
            links=links,
            versions=versions,
            authors=authors,
        )

    def _root(self, source: str) -> str:
        """The source, as the user named it, that a document came from."""
        roots = self._by_source
        return max((root for root in roots if source.startswith(root)), key=len, default=next(iter(roots)))


def _by_count(kinds: dict[str, UnreadFiles]) -> dict[str, UnreadFiles]:
    return dict(sorted(kinds.items(), key=lambda pair: -pair[1].count))


def _file_of(source: str) -> str:
    """The file of a document's source, without its number in the file."""
    return re.sub(r"#\d+$", "", source)


def below_thresholds(report: IngestReport, thresholds: dict[str, float]) -> list[str]:
    """The shares that are below their thresholds, in words."""
    total = _sum(report.by_format.values())
    return [
        f"{name} {total.share(name):.1%} of {total.documents:,} documents, minimum {least:.1%}"
        for name, least in thresholds.items()
        if total.share(name) < least
    ]


def _sum(parts: Iterable[ReadingStats]) -> ReadingStats:
    known_counts: Counter[str] = Counter()
    unknown: Counter[str] = Counter()
    documents = citations = resolved = 0
    for stats in parts:
        known_counts.update({name: field.known for name, field in stats.fields.items()})
        unknown.update({name: field.unknown for name, field in stats.fields.items()})
        documents += stats.documents
        citations += stats.citations
        resolved += stats.resolved
    fields = {
        name: FieldCounts(
            known=known_counts[name], absent=documents - known_counts[name] - unknown[name], unknown=unknown[name]
        )
        for name in FIELDS
    }
    return ReadingStats(documents=documents, fields=fields, citations=citations, resolved=resolved)


def describe_incomplete(report: IngestReport) -> str:
    """One sentence that names the first files that were not read to their end."""
    names = "; ".join(f"'{source}': {reason}" for source, reason in report.incomplete[:3])
    more = len(report.incomplete) - 3
    return f"Not read completely: {names}{f'; and {more:,} more' if more > 0 else ''}."
