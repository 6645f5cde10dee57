"""Imports annotations: finds the document of each one, and the place of each quote."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Literal

from pydantic import Field

from fathom.corpus.annotations import brat, claim_bench, elife, evidence_inference, label_studio
from fathom.corpus.annotations.source import SourceAnnotation
from fathom.corpus.store import Corpus
from fathom.records.annotations import Annotation, Finding
from fathom.records.documents import Claim, Document, DocumentId, Evidence, NonNegativeInt
from fathom.records.quoted_claims import CLAIM_ATTRIBUTES, EVIDENCE_ATTRIBUTES, QuotedClaim, QuotedEvidence
from fathom.records.record import Record
from fathom.records.spans import Span

Format = Literal["claim-bench", "label-studio", "brat", "evidence-inference", "elife"]
READERS: dict[Format, Callable[[Iterable[Path], str], Iterator[SourceAnnotation]]] = {
    "claim-bench": claim_bench.read,
    "label-studio": label_studio.read,
    "brat": brat.read,
    "evidence-inference": evidence_inference.read,
    "elife": elife.read,
}

_FIRST_WORD, _LAST_WORD = re.compile(r"\w+"), re.compile(r"\w+$")
_WORD_BEFORE, _WORD_AFTER = re.compile(r"(\w+)\W*$"), re.compile(r"\W*(\w+)")
MIN_WORDS = 6
"""The minimum number of words of a quote whose first or last word may be cut."""

Locate = Callable[[str, int | None], Span | None]
"""The place of a quote in a text; of several equal places the one nearest to an offset."""


class ImportReport(Record):
    """The counts of an import: annotations that were read, and those that could not be located."""

    annotations: NonNegativeInt
    documents: NonNegativeInt
    annotators: dict[str, NonNegativeInt]
    """Documents by annotator."""
    quotes: NonNegativeInt
    located: NonNegativeInt
    claims: NonNegativeInt = 0
    findings: NonNegativeInt = 0
    labels: dict[str, NonNegativeInt] = {}
    """Documents by label of the whole document."""
    unknown_documents: tuple[str, ...] = ()
    """Documents of the source that the corpus does not have, by name."""
    ambiguous_documents: tuple[str, ...] = ()
    """Names that two documents of the corpus have."""
    not_located: tuple[str, ...] = Field(default=())
    """Quotes that the corpus does not have, each after the name of its document."""
    incomplete: NonNegativeInt = 0
    """Annotations with a claim or a piece of evidence that was not located: no question asks for all their claims."""


class AnnotationImporter:
    """Imports annotations of the documents of one corpus."""

    def __init__(self, corpus: Corpus, locator: Callable[[str], Locate]) -> None:
        self._corpus = corpus
        self._locator = locator
        self._by_name, self._shared = _documents_by_name(corpus)
        self._counts: Counter[str] = Counter()
        self._annotators: Counter[str] = Counter()
        self._labels: Counter[str] = Counter()
        self._unknown: dict[str, None] = {}
        self._ambiguous: dict[str, None] = {}
        self._missing: list[str] = []
        self._seen: set[DocumentId] = set()

    def annotations(self, sources: Iterable[SourceAnnotation]) -> Iterator[Annotation]:
        """The annotations whose documents are in the corpus."""
        by_document: dict[DocumentId, list[SourceAnnotation]] = defaultdict(list)
        for source in sources:
            document = next((id for name in source.names if (id := self._by_name.get(_normalize(name)))), None)
            if document is None:
                name = source.names[0] if source.names else "?"
                self._unknown[name] = None
                if any(_normalize(name) in self._shared for name in source.names):
                    self._ambiguous[name] = None
            else:
                by_document[document].append(source)
        for id, document_sources in by_document.items():
            document_record = self._corpus.document(id)
            placement = Placement(document_record, self._locator(document_record.text))
            for source in document_sources:
                yield self._annotation(source, placement)
            self._missing += [f"{document_sources[0].names[0]}: {quote}" for quote in placement.missing]
            self._counts.update(quotes=placement.quotes, located=placement.quotes - len(placement.missing))

    def _annotation(self, source: SourceAnnotation, placement: Placement) -> Annotation:
        missing = len(placement.missing)
        claims = tuple(claim for quoted in source.claims if (claim := placement.claim(quoted)) is not None)
        complete = len(placement.missing) == missing
        findings = []
        for finding in source.findings:
            evidence = tuple(
                located for quoted in finding.evidence if (located := placement.evidence(quoted)) is not None
            )
            if finding.valid and (evidence or not finding.evidence):
                findings.append(
                    Finding(
                        id=finding.id,
                        question=finding.question,
                        options=finding.options,
                        label=finding.label,
                        evidence=evidence,
                    )
                )
        self._counts.update(annotations=1, claims=len(claims), findings=len(findings), incomplete=int(not complete))
        self._annotators[source.annotator] += 1
        self._labels.update(f"{name}: {label}" for name, label in source.labels.items())
        self._seen.add(placement.document.id)
        return Annotation(
            document=placement.document.id,
            annotator=source.annotator,
            claims=claims,
            findings=tuple(findings),
            labels=dict(source.labels),
            hidden=source.hidden,
            complete=complete,
        )

    def report(self) -> ImportReport:
        """The counts so far."""
        counts = {name: self._counts[name] for name in ("annotations", "quotes", "located", "claims", "findings")}
        return ImportReport(
            **counts,
            incomplete=self._counts["incomplete"],
            documents=len(self._seen),
            annotators=dict(sorted(self._annotators.items())),
            labels=dict(sorted(self._labels.items())),
            unknown_documents=tuple(self._unknown),
            ambiguous_documents=tuple(self._ambiguous),
            not_located=tuple(self._missing),
        )


class Placement:
    """Places quotes in one document, and keeps those that it does not have."""

    def __init__(self, document: Document, locate: Locate) -> None:
        self.document = document
        self._locate = locate
        self.quotes = 0
        self.missing: list[str] = []

    def _span(self, quote: str, position: float | None) -> Span | None:
        self.quotes += 1
        near = None if position is None else round(position * len(self.document.text))
        span = self._locate(quote, near) or self._without_cut_words(quote, near)
        if span is None:
            self.missing.append(" ".join(quote.split()))
        return span

    def _without_cut_words(self, quote: str, near: int | None) -> Span | None:
        """The place of a quote that begins or ends in the middle of a word, with the whole word."""
        if len(quote.split()) < MIN_WORDS:
            return None
        head, tail = _FIRST_WORD.match(quote), _LAST_WORD.search(quote)
        for first, last in ((head, None), (None, tail), (head, tail)):
            shortened = quote[first.end() if first else 0 : last.start() if last else len(quote)]
            span = self._locate(shortened, near) if first or last else None
            if span is None:
                continue
            word_before = _WORD_BEFORE.search(self.document.text, max(0, span.start - 100), span.start)
            word_after = _WORD_AFTER.match(self.document.text, span.end)
            start = _start_of_cut(first, word_before) if first else span.start
            end = _end_of_cut(last, word_after) if last else span.end
            if start is not None and end is not None:
                return Span(start, end)
        return None

    def claim(self, quoted: QuotedClaim) -> Claim | None:
        """The claim with its located evidence; None if the claim itself is not located."""
        span = self._span(quoted.quote, quoted.position)
        evidence = tuple(located for quote in quoted.evidence if (located := self.evidence(quote)) is not None)
        if span is None:
            return None
        closed = {name: value for name, value in quoted.attributes.items() if value in CLAIM_ATTRIBUTES.get(name, ())}
        free_texts = {name: quoted.attributes.get(name, "") for name in ("conclusion", "no_evidence_reason", "note")}
        justified = closed.pop("justified", None)
        values = {**closed, **free_texts, "justified": None if justified is None else justified == "yes"}
        return Claim.model_validate({"span": span, "evidence": tuple(dict.fromkeys(evidence)), **values})

    def evidence(self, quoted: QuotedEvidence) -> Evidence | None:
        """The located evidence."""
        span = self._span(quoted.quote, quoted.position)
        if span is None:
            return None
        attributes = quoted.attributes.items()
        closed = {name: value for name, value in attributes if value in EVIDENCE_ATTRIBUTES.get(name, ())}
        free_texts = {name: quoted.attributes.get(name, "") for name in ("limitations", "note")}
        return Evidence.model_validate({"span": span, **closed, **free_texts})


Found = re.Match[str]


def _start_of_cut(cut: Found, word: Found | None) -> int | None:
    """The start of the word that a quote begins inside of."""
    return word.start(1) if word is not None and word[1].endswith(cut[0]) else None


def _end_of_cut(cut: Found, word: Found | None) -> int | None:
    """The end of the word that a quote ends inside of."""
    return word.end(1) if word is not None and word[1].startswith(cut[0]) else None


def _documents_by_name(corpus: Corpus) -> tuple[dict[str, DocumentId], frozenset[str]]:
    """The documents by every possible name; and the names of two documents, which identify neither."""
    by_name: dict[str, set[DocumentId]] = defaultdict(set)
    for document in corpus.documents():
        source = document.source.rstrip("/").rsplit("/", 1)[-1]
        stem = re.sub(r"\.[A-Za-z0-9]{1,8}$", "", source)
        for name in (document.id, *document.ids.values(), source, stem, document.title_text):
            by_name[_normalize(name)].add(document.id)
    shared = frozenset(name for name, ids in by_name.items() if len(ids) > 1)
    return {name: next(iter(ids)) for name, ids in by_name.items() if name and name not in shared}, shared


def _normalize(name: str) -> str:
    """A name without differences in case, spaces, and the prefix of a DOI's address."""
    name = re.sub(r"^(?:https?://)?(?:dx\.)?doi\.org/|^doi:\s*", "", name.strip(), flags=re.IGNORECASE)
    return " ".join(name.casefold().split()).removesuffix(".pdf")
