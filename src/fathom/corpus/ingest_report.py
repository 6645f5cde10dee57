"""How good the reading of a corpus is: counted document by document, so that nothing of them need be kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fathom.corpus.document_reading import FIELDS, Read
from fathom.records.documents import Count
from fathom.records.record import Record


class Told(Record):
    """What was read of one source or of one kind of document."""

    documents: Count = 0
    fields: dict[str, Count] = {}
    """How many documents have each field."""
    doubtful: dict[str, Count] = {}
    """How many have it with doubt."""
    citations: Count = 0
    resolved: Count = 0
    """Citations that point to an entry of the reference list."""

    def share(self, name: str) -> float:
        """The share of documents that have a field, or of citations that are resolved."""
        if name == "resolved":
            return self.resolved / self.citations if self.citations else 1.0
        return self.fields.get(name, 0) / self.documents if self.documents else 0.0


class IngestReport(Record):
    """How good the reading is."""

    documents: Count
    kept: Count
    refused: dict[str, Count]
    """Documents that could not be read, by reason."""
    refusals: tuple[tuple[str, str], ...]
    """The first hundred of them: source and reason."""
    passed_over: Count
    """Files of no known kind."""
    left_out: dict[str, Count]
    """Read, but kept out by a filter or since the same document was there already."""
    by_source: dict[str, Told]
    by_kind: dict[str, Told]
    links: dict[str, Count]
    """References by how the document they name was found, and those that name none."""
    works: Count
    """Documents that are versions of another one."""
    people: dict[str, Count]
    """Bylines whose person is certain, and those where it is not."""


MOST_REFUSALS = 100
"""Refusals that are told one by one."""


@dataclass
class _Tally:
    """What was read of one source or of one kind, so far."""

    documents: int = 0
    citations: int = 0
    resolved: int = 0
    fields: Counter[str] = field(default_factory=Counter)
    doubtful: Counter[str] = field(default_factory=Counter)

    def add(self, read: Read) -> None:
        self.documents += 1
        self.citations += read.citations
        self.resolved += read.resolved
        self.fields.update(read.fields)
        self.doubtful.update(read.doubts)

    def told(self) -> Told:
        return Told(
            documents=self.documents,
            fields={name: self.fields[name] for name in FIELDS if self.fields[name]},
            doubtful=dict(sorted(self.doubtful.items())),
            citations=self.citations,
            resolved=self.resolved,
        )


class Reporter:
    """Takes note of one document after the other."""

    def __init__(self, sources: Sequence[Path]) -> None:
        self._by_source = {str(source): _Tally() for source in sources}
        self._by_kind: dict[str, _Tally] = {}
        self._refused: Counter[str] = Counter()
        self._refusals: list[tuple[str, str]] = []
        self._left_out: Counter[str] = Counter()
        self._documents = self._kept = self._passed_over = 0

    def refuse(self, read: Read) -> None:
        """A document that nothing came of, or a file that no reader knows."""
        if not read.kind and not read.refused:
            self._passed_over += 1
            return
        self._documents += 1
        self._refused[_shape(read.refused)] += 1
        if len(self._refusals) < MOST_REFUSALS:
            self._refusals.append((read.source, read.refused))

    def leave_out(self, reason: str) -> None:
        """A document that was read and is not kept."""
        self._documents += 1
        self._left_out[reason] += 1

    def keep(self, read: Read) -> None:
        """A document that is kept."""
        self._documents += 1
        self._kept += 1
        self._by_source[self._root(read.source)].add(read)
        self._by_kind.setdefault(read.kind, _Tally()).add(read)

    @property
    def kept(self) -> int:
        return self._kept

    @property
    def left_out(self) -> int:
        return self._left_out.total()

    def why_none(self) -> str:
        """The two most frequent reasons for which nothing is there, in words."""
        refused = self._refused + Counter({"of no known kind": self._passed_over})
        counted = (self._left_out or refused).most_common(2)
        return ", ".join(f"{reason} ({count:,})" for reason, count in counted) or "there are no files"

    def report(self, links: dict[str, int], works: int, people: dict[str, int]) -> IngestReport:
        return IngestReport(
            documents=self._documents,
            kept=self._kept,
            refused=dict(self._refused.most_common()),
            refusals=tuple(self._refusals),
            passed_over=self._passed_over,
            left_out=dict(self._left_out.most_common()),
            by_source={name: tally.told() for name, tally in self._by_source.items()},
            by_kind={name: tally.told() for name, tally in sorted(self._by_kind.items())},
            links=links,
            works=works,
            people=people,
        )

    def _root(self, source: str) -> str:
        """The source, as the user named it, that a document came from."""
        roots = self._by_source
        return max((root for root in roots if source.startswith(root)), key=len, default=next(iter(roots)))


def _shape(reason: str) -> str:
    """A reason without what differs from one document to the next."""
    return reason.partition(" (")[0]


def too_low(report: IngestReport, strict: dict[str, float]) -> list[str]:
    """Which of the wanted shares are not reached, in words."""
    whole = _together(report.by_kind.values())
    return [
        f"{name} {whole.share(name):.1%} of {whole.documents:,} documents, wanted {least:.1%}"
        for name, least in strict.items()
        if whole.share(name) < least
    ]


def _together(parts: Iterable[Told]) -> Told:
    fields: Counter[str] = Counter()
    documents = citations = resolved = 0
    for told in parts:
        fields.update(told.fields)
        documents += told.documents
        citations += told.citations
        resolved += told.resolved
    return Told(documents=documents, fields=dict(fields), citations=citations, resolved=resolved)
