"""A question paper: the citations that can be masked, and the mentions of a work."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

from fathom.corpus.publication_dates import arxiv_month
from fathom.records.documents import CitationType, Document, DocumentId, Reference, Section
from fathom.records.names import CHINESE
from fathom.records.spans import Span
from fathom.tasks.citations.citation_groups import CitationGroup, CitationGroups
from fathom.tasks.citations.lexical import Queries
from fathom.tasks.citations.mentions import Mentions
from fathom.tasks.citations.type_rule import citation_type_in
from fathom.tasks.citations.word_counts import letters_of

LEFT_OUT = ("references", "appendix")
"""Sections that are never shown: the list would name the candidates, and appendices are rarely read."""

STEPS = ("located", "resolved", "with text", "alone", "in a sentence", "of a certain type")
"""The requirements of a citation, in the order in which they are checked."""

NEAR = 2
"""Sections before and after a section that are near it."""

LATER = 1
"""The maximum number of years between the year of an entry and its arXiv identifier, if that is later."""

MIN_WORDS = 6
"""The minimum number of words in a sentence, not counting its citation: fewer do not identify the work."""

MARK = "[[CITATION"
"""The beginning of every mask; a paper that contains it cannot be used."""


@dataclass(frozen=True)
class Mask:
    """A citation, or a group of citations, that can be masked."""

    place: Span
    """The hidden span: the markers with their brackets and the authors' names beside them."""
    sentence: Span
    references: tuple[int, ...]
    works: tuple[DocumentId, ...]
    """The works cited there: one, unless the mask is a group."""
    citation_type: CitationType
    section: int
    """The number of the top-level section; -1 if it is in none."""
    beside: tuple[int, ...] = ()
    """The other entries that are cited there, if one citation of a group is asked about. Their works cannot be
    candidates."""

    @property
    def is_grouped(self) -> bool:
        """Whether it hides several citations."""
        return len(self.references) + len(self.beside) > 1

    @property
    def work(self) -> DocumentId:
        """The work of a citation that is no whole group."""
        [work] = self.works
        return work


class Paper:
    """A document as a question paper."""

    def __init__(
        self,
        document: Document,
        text: str,
        works: Container[DocumentId] | None = None,
        types: Mapping[str, CitationType | None] = MappingProxyType({}),
    ) -> None:
        """`works` are the documents with enough text to show; None for all. `types` are a model's classifications of
        citations by `place_name`; None for an unclear response."""
        self.document = document
        self.text = text
        self._works = works
        self._types = types
        self.queries = Queries(document, text)
        self._mentions = Mentions(document, text)
        self.groups = CitationGroups(document, text, self._mentions)
        self._steps: Counter[str] = Counter()

    @property
    def same(self) -> str:
        """An identifier that is equal for two versions of the same work."""
        return self.document.work or letters_of(self.document.title.of(self.text))

    @cached_property
    def sections(self) -> list[Section]:
        """The top-level sections that are shown, in order."""
        return [section for section in top_level(self.document.sections) if section.role not in LEFT_OUT]

    @cached_property
    def shown(self) -> list[Span]:
        """The spans of the whole paper that are shown."""
        hidden = sorted(section.span for section in self.document.sections if section.role in LEFT_OUT)
        return without(Span(0, len(self.text)), hidden)

    @property
    def shown_length(self) -> int:
        """The number of characters of the whole paper as shown, before anything is masked."""
        return sum(span.end - span.start for span in self.shown)

    @cached_property
    def cited(self) -> dict[int, DocumentId]:
        """The works with enough text, by the number of their entry; of two entries for one work the first counts."""
        found: dict[DocumentId, int] = {}
        for reference in self.document.references:
            if (
                reference.document is not None
                and not _has_later_id(reference)
                and (self._works is None or reference.document in self._works)
            ):
                found.setdefault(reference.document, reference.number)
        return {number: work for work, number in found.items()}

    @cached_property
    def masks(self) -> list[Mask]:
        """Every citation that can be masked, in the order of the text."""
        return list(self._masks()) if self._can_be_masked else []

    @property
    def _can_be_masked(self) -> bool:
        return MARK not in self.text and "[[HIDDEN" not in self.text

    @property
    def steps(self) -> Counter[str]:
        """The number of citations that meet each requirement of `STEPS`."""
        assert self.masks is not None  # finding the masks counts them
        return self._steps

    @cached_property
    def _duplicated(self) -> set[DocumentId]:
        """Works with two entries: a mask of one would leave the other visible."""
        named = Counter(reference.document for reference in self.document.references if reference.document)
        return {work for work, entries in named.items() if entries > 1}

    def _work_of(self, entry: int) -> DocumentId | None:
        """The work of an entry if it can be asked about."""
        work = self.cited.get(entry)
        return None if work in self._duplicated else work

    def _masks(self) -> Iterator[Mask]:
        document = self.document
        for citation in document.citations:
            if not self._is_shown(citation.span):
                continue
            self._steps["located"] += 1
            if citation.reference is None:
                continue
            self._steps["resolved"] += 1
            work = self._work_of(citation.reference)
            if work is None:
                continue
            self._steps["with text"] += 1
            if not self.groups.is_alone(citation):
                continue
            self._steps["alone"] += 1
            place = self._mentions.place_of(citation)
            sentence = self._sentence(place)
            if sentence is None:
                continue
            self._steps["in a sentence"] += 1
            citation_type = citation_type_in(self.text, sentence, place)
            # A citation is not used if the document's annotation or a model's classification disagrees with the rule.
            if (
                citation_type is None
                or citation.type not in (None, citation_type)
                or self._types.get(place_name(document.id, place), citation_type) != citation_type
            ):
                continue
            self._steps["of a certain type"] += 1
            yield Mask(place, sentence, (citation.reference,), (work,), citation_type, self._section(place))

    @cached_property
    def group_masks(self) -> list[Mask]:
        """Every group of citations that can be asked about as a whole, in the order of the text."""
        if not self._can_be_masked:
            return []
        return [mask for group in self.groups if (mask := self._group_mask(group)) is not None]

    def _group_mask(self, group: CitationGroup) -> Mask | None:
        works, entries = self.works_of(group), self.groups.cited_by(group)
        if works is None or entries is None or len(works) < 2:
            return None
        return self._mask_of_group(group, entries, works)

    @cached_property
    def grouped_masks(self) -> list[Mask]:
        """Every citation of a group that can be asked about, in the order of the text. All entries that the group cites
        are known, so that it certainly cites none of the other candidates."""
        return list(self._grouped_masks()) if self._can_be_masked else []

    def _grouped_masks(self) -> Iterator[Mask]:
        for group in self.groups:
            entries = self.groups.cited_by(group) or ()
            for entry in entries if len(entries) > 1 else ():
                work = self._work_of(entry)
                beside = tuple(other for other in entries if other != entry)
                mask = self._mask_of_group(group, (entry,), (work,), beside) if work is not None else None
                if mask is not None and work not in self.works_beside(mask):
                    yield mask

    def _mask_of_group(
        self,
        group: CitationGroup,
        entries: tuple[int, ...],
        works: tuple[DocumentId, ...],
        beside: tuple[int, ...] = (),
    ) -> Mask | None:
        """The mask of a group; None if it is in no sentence or its type is not certain."""
        place = group.place
        sentence = self._sentence(place) if self._is_shown(place) else None
        citation_type = citation_type_in(self.text, sentence, place) if sentence else None
        annotated = {citation.type for citation in group.citations} - {None}
        if sentence is None or citation_type is None or not annotated <= {citation_type}:
            return None
        return Mask(place, sentence, entries, works, citation_type, self._section(place), beside)

    def works_beside(self, mask: Mask) -> set[DocumentId]:
        """The works of the corpus that are cited at a mask but not asked about: those of its other entries, also if an
        entry is linked to no work but prints the title of one that is cited elsewhere."""
        if not mask.beside:
            return set()
        entries = [self.document.references[number - 1] for number in mask.beside]
        unlinked = [letters_of(entry.span.of(self.text)) for entry in entries if entry.document is None]
        found = {entry.document for entry in entries if entry.document is not None}
        for reference in self.document.references if unlinked else ():
            title = letters_of(reference.title.of(self.text)) if reference.title else ""
            if reference.document is not None and title and any(title in entry for entry in unlinked):
                found.add(reference.document)
        return found

    def _is_shown(self, span: Span) -> bool:
        place = bisect_right(self.shown, (span.start, len(self.text))) - 1
        return place >= 0 and self.shown[place].contains(span)

    def _sentence(self, place: Span) -> Span | None:
        """The sentence around a place; None if it has too few words or the place is in no sentence, as in a table."""
        sentences = self.document.sentences
        number = bisect_right(sentences, (place.start, len(self.text))) - 1
        if number < 0 or not sentences[number].contains(place):
            return None
        sentence = sentences[number]
        rest = self.text[sentence.start : place.start] + self.text[place.end : sentence.end]
        return sentence if len(_WORDS.findall(rest)) >= MIN_WORDS else None

    def _section(self, place: Span) -> int:
        return next((number for number, section in enumerate(self.sections) if section.span.contains(place)), -1)

    def sentence_without(self, mask: Mask) -> str:
        """The sentence of a mask without its citation."""
        sentence, place = mask.sentence, mask.place
        return f"{self.text[sentence.start : place.start]} {self.text[place.end : sentence.end]}"

    def mentions(self, works: Container[DocumentId]) -> list[Span]:
        """The spans that cite or name one of these works, by any of its entries."""
        return [
            span
            for reference in self.document.references
            if reference.document is not None and reference.document in works
            for span in self._mentions.of(reference.number)
        ]

    def works_of(self, group: CitationGroup) -> tuple[DocumentId, ...] | None:
        """The works that a group cites, in the order of the text; None unless all of them are known and have a text."""
        entries = self.groups.cited_by(group)
        works = [self._work_of(entry) for entry in entries or ()]
        known = [work for work in works if work is not None]
        return tuple(known) if known and len(known) == len(works) else None

    @cached_property
    def cited_in(self) -> dict[int, list[DocumentId]]:
        """For each top-level section, by number, the works with enough text that it cites, in the order of the text."""
        found: dict[int, dict[DocumentId, None]] = {}
        for citation in self.document.citations:
            work = self.cited.get(citation.reference or 0)
            if work is not None and self._is_shown(citation.span):
                found.setdefault(self._section(citation.span), {})[work] = None
        return {section: list(works) for section, works in found.items() if section >= 0}

    def cited_near(self, section: int, distance: int = NEAR) -> set[DocumentId]:
        """The works with enough text that a section cites, and the sections up to so far before and after it; none if
        the number is -1."""
        near = range(section - distance, section + distance + 1) if section >= 0 else ()
        return {work for number in near for work in self.cited_in.get(number, ())}


_WORDS = re.compile(rf"[{CHINESE}]{{2}}|[^\W\d_{CHINESE}]{{2,}}")
"""Words, and pairs of Chinese characters, which count as words."""


def _has_later_id(reference: Reference) -> bool:
    """Whether the entry is years older than its arXiv identifier: a book of 1994 is not the paper of 2021 that a data
    set gives for it, even if both have the same title there."""
    submitted = arxiv_month(reference.ids)
    return submitted is not None and reference.year is not None and submitted.year > reference.year + LATER


def place_name(document: DocumentId, place: Span) -> str:
    """The identifier of a citation in a model's type checks."""
    return f"{document} {place.start}-{place.end}"


def top_level(sections: Iterable[Section]) -> list[Section]:
    """The sections that are in no other, in order."""
    found: list[Section] = []
    for section in sorted(sections, key=lambda section: (section.span.start, -section.span.end)):
        if not found or section.span.start >= found[-1].span.end:
            found.append(section)
    return found


def without(whole: Span, hidden: Iterable[Span]) -> list[Span]:
    """The parts of `whole` that are outside the hidden spans, which must be sorted."""
    left: list[Span] = []
    start = whole.start
    for span in hidden:
        if span.start > start:
            left.append(Span(start, span.start))
        start = max(start, span.end)
    if start < whole.end:
        left.append(Span(start, whole.end))
    return left
