"""Agreement of annotators: F1 of claims, evidence and links, Cohen's kappa, and Krippendorff's alpha."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, TypeVar

import numpy as np

from fathom.analysis.findings import Estimate
from fathom.analysis.intervals import ContextSums, FloatArray, jackknife, macro_average, share_of_sums
from fathom.records.annotations import Annotation
from fathom.records.documents import DocumentId, NonNegativeInt, Passage
from fathom.records.record import Record
from fathom.records.spans import Span
from fathom.scoring.answers import Link, LinkedSpan
from fathom.scoring.span_matching import (
    ClaimMatch,
    MatchCounts,
    MatchLevel,
    SentenceIndex,
    SentencesOf,
    SpanMatcher,
    match_claims,
)

T = TypeVar("T", bound=Hashable)
AgreementUnit = Literal["claims", "evidence", "links"]
UNITS: tuple[AgreementUnit, ...] = ("claims", "evidence", "links")
Marked = Literal["claims", "evidence"]
"""The parts that are marked in sentences."""
MARKED: tuple[Marked, ...] = ("claims", "evidence")


class PairAgreement(Record):
    """The agreement of two annotators over the documents that both annotated."""

    first: str
    second: str
    documents: NonNegativeInt
    f1: dict[AgreementUnit, Estimate]
    """2 x matches / (marks of one + marks of the other), over all documents; the same if the two are exchanged."""
    f1_per_document: dict[AgreementUnit, float]
    """The unweighted mean over documents in which one of the two marked something."""
    kappa: dict[Marked, Estimate]
    """Cohen's kappa over all sentences; missing if it is undefined."""
    kappa_per_document: dict[Marked, float]
    """The unweighted mean over documents in which it is defined."""
    sentences: dict[Marked, tuple[NonNegativeInt, NonNegativeInt, NonNegativeInt, NonNegativeInt]]
    """Sentences that both marked, the first alone, the second alone, and neither."""


class LabelAgreement(Record):
    """The agreement on labels of documents, of questions about documents, or of responses."""

    name: str
    items: NonNegativeInt
    """Labeled by at least two annotators."""
    agreement: Estimate
    """The share of pairs of labels of one item that are equal."""
    kappa: Estimate | None
    """Cohen's kappa, averaged over pairs of annotators; None if it is undefined."""
    alpha: Estimate | None
    """Krippendorff's alpha for nominal labels; None if it is undefined."""


class Agreement(Record):
    """The agreement of all annotators."""

    level: MatchLevel
    threshold: float
    annotators: dict[str, NonNegativeInt]
    """With the number of documents of each."""
    documents: NonNegativeInt
    """Annotated by at least two."""
    incomplete: NonNegativeInt
    """Annotations that do not claim to have all claims of their document; they count for labels alone."""
    outside: NonNegativeInt
    """Marks outside of sentences, such as tables: they count for F1, and neither for kappa nor for alpha."""
    pairs: tuple[PairAgreement, ...]
    f1: dict[AgreementUnit, Estimate]
    """Averaged over pairs of annotators."""
    kappa: dict[Marked, Estimate]
    """Averaged over pairs of annotators for whom it is defined."""
    alpha: dict[Marked, Estimate]
    """Krippendorff's alpha over sentences, for all annotators together."""
    labels: tuple[LabelAgreement, ...]
    answer_evidence: Estimate | None
    """F1 of the evidence for answers to the same question, over all pairs of annotators; None if there is none."""


# Coefficients.


def cohen_kappa(table: FloatArray) -> float | None:
    """Cohen's kappa of a square table of counts; None if the expected agreement is 1."""
    total = table.sum()
    if not total:
        return None
    expected = float((table.sum(axis=0) * table.sum(axis=1)).sum() / total**2)
    if 1 - expected < 1e-12:
        return None
    return (float(np.trace(table)) / float(total) - expected) / (1 - expected)


def coincidences(values: Sequence[int], categories: int) -> FloatArray:
    """How often two annotators gave two values to one unit; a unit with one value says nothing about agreement."""
    counts = np.bincount(values, minlength=categories).astype(float)
    if len(values) < 2:
        return np.zeros((categories, categories))
    pairs_of_values: FloatArray = (np.outer(counts, counts) - np.diag(counts)) / (len(values) - 1)
    return pairs_of_values


def krippendorff_alpha(coincident: FloatArray) -> float | None:
    """Krippendorff's alpha for nominal values from a table of coincidences; None if all values are the same."""
    totals = coincident.sum(axis=1)
    total = totals.sum()
    expected = float(total**2 - (totals**2).sum())
    if total < 2 or expected < 1e-12:
        return None
    observed = float(total - np.trace(coincident))
    return 1 - float(total - 1) * observed / expected


# Annotations.


def linked_spans(annotation: Annotation) -> list[LinkedSpan]:
    """The claims of an annotation with their evidence."""

    def passage(span: Span) -> Passage:
        return Passage(document=annotation.document, span=span)

    return [
        LinkedSpan(
            passage=passage(claim.span),
            links=tuple(Link(passage=passage(evidence.span)) for evidence in claim.evidence),
        )
        for claim in annotation.claims
    ]


@dataclass(frozen=True)
class _Matching:
    """How claims are matched, and the sentences, if they are known."""

    sentences: SentencesOf | None
    level: MatchLevel
    threshold: float

    @property
    def index(self) -> SentenceIndex:
        return SentenceIndex(self.sentences or (lambda document: ()))

    def matcher(self) -> SpanMatcher:
        return SpanMatcher(self.index, self.threshold, self.level)

    def match(self, first: Annotation, second: Annotation) -> ClaimMatch:
        return match_claims(
            linked_spans(first),
            linked_spans(second),
            self.sentences or (lambda document: ()),
            self.threshold,
            self.level,
        )


def _spans(annotation: Annotation, marked: Marked) -> list[Span]:
    if marked == "claims":
        return [claim.span for claim in annotation.claims]
    return [evidence.span for claim in annotation.claims for evidence in claim.evidence]


def _marks(annotation: Annotation, marked: Marked, index: SentenceIndex) -> set[int]:
    """The numbers of the sentences that an annotator marked."""
    passages = (Passage(document=annotation.document, span=span) for span in _spans(annotation, marked))
    return {number for passage in passages for number in index.covered(passage)}


def agreement(
    annotations: Iterable[Annotation], sentences: SentencesOf | None, level: MatchLevel, threshold: float
) -> Agreement:
    """The agreement of the annotators; kappa and alpha over sentences only if sentences are given."""
    all_annotations = list(annotations)
    any_claims = any(annotation.claims for annotation in all_annotations)
    by_document: dict[DocumentId, dict[str, Annotation]] = defaultdict(dict)
    for annotation in all_annotations:
        # If there are no claims at all, the annotators were not asked for them.
        if annotation.complete and any_claims and (annotation.claims or not (annotation.findings or annotation.labels)):
            by_document[annotation.document][annotation.annotator] = annotation
    matching = _Matching(sentences, level, threshold)
    documents = {
        document: by_annotator for document, by_annotator in sorted(by_document.items()) if len(by_annotator) > 1
    }
    names = sorted({name for document in documents.values() for name in document})
    marked = [mark for mark in MARKED if sentences is not None and any(_spans(a, mark) for a in all_annotations)]
    tables = _PairTables(documents, matching, marked)
    pairs = [pair for pair in combinations(names, 2) if tables.documents_of(pair)]
    return Agreement(
        level=level,
        threshold=threshold,
        annotators=dict(sorted(Counter(annotation.annotator for annotation in all_annotations).items())),
        documents=len(
            {d for d, count in Counter(annotation.document for annotation in all_annotations).items() if count > 1}
        ),
        incomplete=sum(not annotation.complete for annotation in all_annotations),
        outside=_outside(documents, matching.index) if sentences is not None else 0,
        pairs=tuple(tables.pair(pair) for pair in pairs),
        f1={unit: estimate for unit in UNITS if (estimate := tables.mean_f1(pairs, unit)) is not None},
        kappa={mark: estimate for mark in marked if (estimate := tables.mean_kappa(pairs, mark)) is not None},
        alpha={
            mark: estimate
            for mark in marked
            if (estimate := _alpha(documents, matching.index, mark, sentences)) is not None
        },
        labels=tuple(_label_agreements(all_annotations)),
        answer_evidence=_answer_evidence(all_annotations, matching),
    )


def _outside(documents: Mapping[DocumentId, Mapping[str, Annotation]], index: SentenceIndex) -> int:
    return sum(
        not index.covered(Passage(document=document, span=span))
        for document, by_annotator in documents.items()
        for annotation in by_annotator.values()
        for marked in MARKED
        for span in _spans(annotation, marked)
    )


# Pairs of annotators.

AnnotatorPair = tuple[str, str]


class _PairTables:
    """Counts of matches and tables of sentences, by pair of annotators and document."""

    def __init__(
        self,
        documents: Mapping[DocumentId, Mapping[str, Annotation]],
        matching: _Matching,
        marked: Sequence[Marked],
    ) -> None:
        self._matches: dict[AnnotatorPair, dict[DocumentId, ClaimMatch]] = defaultdict(dict)
        self._tables: dict[tuple[AnnotatorPair, Marked], dict[DocumentId, FloatArray]] = defaultdict(dict)
        self._marked = marked
        self._numbers = {document: number for number, document in enumerate(documents)}
        index = matching.index
        for document, by_annotator in documents.items():
            sizes = len(matching.sentences(document)) if matching.sentences else 0
            marks = {(name, mark): _marks(by_annotator[name], mark, index) for name in by_annotator for mark in marked}
            for pair in combinations(sorted(by_annotator), 2):
                first, second = pair
                self._matches[pair][document] = matching.match(by_annotator[first], by_annotator[second])
                for mark in marked:
                    table = sentence_table(marks[first, mark], marks[second, mark], sizes)
                    self._tables[pair, mark][document] = table

    def documents_of(self, pair: AnnotatorPair) -> list[DocumentId]:
        return list(self._matches.get(pair, ()))

    def _counts(self, pair: AnnotatorPair, unit: AgreementUnit) -> dict[DocumentId, MatchCounts]:
        counts = {document: getattr(match, unit) for document, match in self._matches[pair].items()}
        return {document: count for document, count in counts.items() if count.f1 is not None}

    def pair(self, pair: AnnotatorPair) -> PairAgreement:
        counts = {unit: self._counts(pair, unit) for unit in UNITS}
        kappas = {mark: self._kappas(pair, mark) for mark in self._marked}
        return PairAgreement(
            first=pair[0],
            second=pair[1],
            documents=len(self._matches[pair]),
            f1={unit: _f1(match_counts.values()) for unit, match_counts in counts.items() if match_counts},
            f1_per_document={
                unit: float(np.mean([counts_of_document.f1 for counts_of_document in match_counts.values()]))
                for unit, match_counts in counts.items()
                if match_counts
            },
            kappa={mark: kappa for mark in self._marked if (kappa := self.mean_kappa([pair], mark)) is not None},
            kappa_per_document={mark: float(np.mean(values)) for mark, values in kappas.items() if values},
            sentences={mark: _cells(sum(self._tables[pair, mark].values())) for mark in self._marked},
        )

    def _kappas(self, pair: AnnotatorPair, marked: Marked) -> list[float]:
        kappas = (cohen_kappa(table) for table in self._tables[pair, marked].values())
        return [kappa for kappa in kappas if kappa is not None]

    def mean_f1(self, pairs: Sequence[AnnotatorPair], unit: AgreementUnit) -> Estimate | None:
        """F1 averaged over pairs. Every mark counts as one value, which is 1 if it has a match."""
        values: list[FloatArray] = []
        numbers: list[int] = []
        groups: list[int] = []
        for group, pair in enumerate(pairs):
            for document, count in self._counts(pair, unit).items():
                size = count.predicted + count.gold
                values.append((np.arange(size) < 2 * count.matched).astype(float))
                numbers += [self._numbers[document]] * size
                groups += [group] * size
        if not numbers:
            return None
        of_group = np.array(groups)
        masks = [of_group == group for group in sorted({*groups})]
        return macro_average(np.concatenate(values), np.array(numbers), masks)

    def mean_kappa(self, pairs: Sequence[AnnotatorPair], marked: Marked) -> Estimate | None:
        """Kappa over sentences, averaged over the pairs for whom it is defined."""
        blocks = np.zeros((len(self._numbers), len(pairs), 2, 2))
        for number, pair in enumerate(pairs):
            for document, table in self._tables[pair, marked].items():
                blocks[self._numbers[document], number] = table
        marked_blocks = blocks[blocks.sum(axis=(1, 2, 3)) > 0]
        return jackknife(
            marked_blocks,
            _mean_kappa,
            int(marked_blocks.sum()),
            float(marked_blocks.sum() - marked_blocks[..., 1, 1].sum()),
        )


def _mean_kappa(blocks: FloatArray) -> float | None:
    kappas = [kappa for table in blocks.sum(axis=0) if (kappa := cohen_kappa(table)) is not None]
    return float(np.mean(kappas)) if kappas else None


def _f1(counts: Iterable[MatchCounts]) -> Estimate:
    match_counts = list(counts)
    totals = np.array([2.0 * count.matched for count in match_counts])
    return share_of_sums(
        ContextSums(totals, np.array([float(count.predicted + count.gold) for count in match_counts])), True
    )


def sentence_table(first: set[int], second: set[int], sentences: int) -> FloatArray:
    """Sentences that both marked, the first alone, the second alone, and neither, as a square table."""
    marked_by_both, union = len(first & second), len(first | second)
    return np.array(
        [[marked_by_both, len(first) - marked_by_both], [len(second) - marked_by_both, sentences - union]], dtype=float
    )


def _cells(table: FloatArray | int) -> tuple[int, int, int, int]:
    (a, b), (c, d) = np.asarray(table, dtype=int).tolist()
    return a, b, c, d


# Alpha.


def _alpha(
    documents: Mapping[DocumentId, Mapping[str, Annotation]],
    index: SentenceIndex,
    marked: Marked,
    sentences: SentencesOf | None,
) -> Estimate | None:
    """Krippendorff's alpha over sentences; annotators without an annotation of the document are missing."""
    tables: list[FloatArray] = []
    marks_total = total = 0
    for document, by_annotator in documents.items():
        marks = [_marks(annotation, marked, index) for annotation in by_annotator.values()]
        size = len(sentences(document)) if sentences is not None else 0
        marks_by_sentence = Counter(number for mark in marks for number in mark)
        marks_total, total = marks_total + len(marks_by_sentence), total + size
        table = (size - len(marks_by_sentence)) * coincidences([0] * len(marks), 2)
        for count in marks_by_sentence.values():
            table += coincidences([1] * count + [0] * (len(marks) - count), 2)
        tables.append(table)
    if not tables:
        return None
    return jackknife(np.array(tables), lambda rows: krippendorff_alpha(rows.sum(axis=0)), total, marks_total)


# Labels.

LabeledItem = tuple[DocumentId, str]


def _labels(annotations: Iterable[Annotation]) -> Iterator[tuple[str, LabeledItem, str, str]]:
    """The name of the label, the item, the annotator and the value, of each label."""
    for annotation in annotations:
        for name, value in annotation.labels.items():
            yield name, (annotation.document, ""), annotation.annotator, value
        for finding in annotation.findings:
            yield "findings", (annotation.document, finding.id), annotation.annotator, finding.label


def _label_agreements(annotations: Iterable[Annotation]) -> Iterator[LabelAgreement]:
    by_name: dict[str, dict[LabeledItem, dict[str, str]]] = defaultdict(lambda: defaultdict(dict))
    for name, item, annotator, value in _labels(annotations):
        by_name[name][item][annotator] = value
    for name, items in sorted(by_name.items()):
        shared = {item: values for item, values in sorted(items.items()) if len(values) > 1}
        if shared:
            yield label_agreement(name, shared)


def _answer_evidence(annotations: Iterable[Annotation], matching: _Matching) -> Estimate | None:
    """F1 of the evidence that two annotators give for their answers to one question."""
    by_question: dict[LabeledItem, list[list[Passage]]] = defaultdict(list)
    matcher = matching.matcher()
    for annotation in annotations:
        for finding in annotation.findings:
            passages = [Passage(document=annotation.document, span=evidence.span) for evidence in finding.evidence]
            by_question[annotation.document, finding.id].append(matcher.distinct(passages))
    matched: dict[DocumentId, float] = defaultdict(float)
    marks: dict[DocumentId, float] = defaultdict(float)
    for (document, _), answers in sorted(by_question.items(), key=lambda question: question[0]):
        for first, second in combinations(answers, 2):
            if first or second:
                matched[document] += 2 * len(matcher.pairs(first, second))
                marks[document] += len(first) + len(second)
    if not marks:
        return None
    return share_of_sums(ContextSums(np.array([matched[mark] for mark in marks]), np.array([*marks.values()])), True)


def label_agreement(name: str, items: Mapping[tuple[str, str], Mapping[str, str]]) -> LabelAgreement:
    """The agreement on labels by annotator of each item; the first part of an item's name is its cluster."""
    documents = {document: number for number, document in enumerate(dict.fromkeys(item[0] for item in items))}
    codes = _codes(value for values in items.values() for value in values.values())
    pairs = _codes(pair for values in items.values() for pair in combinations(sorted(values), 2))
    coincident = np.zeros((len(documents), len(codes), len(codes)))
    confused = np.zeros((len(documents), len(pairs), len(codes), len(codes)))
    for (document, _), values in items.items():
        number = documents[document]
        coincident[number] += coincidences([codes[value] for value in values.values()], len(codes))
        for first, second in combinations(sorted(values), 2):
            confused[number, pairs[first, second], codes[values[first]], codes[values[second]]] += 1
    equal = np.trace(confused, axis1=2, axis2=3).sum(axis=1)
    return LabelAgreement(
        name=name,
        items=len(items),
        agreement=share_of_sums(ContextSums(equal, confused.sum(axis=(1, 2, 3))), True),
        kappa=jackknife(confused, _mean_kappa, len(items), len(items)),
        alpha=jackknife(coincident, lambda rows: krippendorff_alpha(rows.sum(axis=0)), len(items), len(items)),
    )


def _codes(values: Iterable[T]) -> dict[T, int]:
    return {value: number for number, value in enumerate(dict.fromkeys(values))}
