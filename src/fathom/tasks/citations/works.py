"""A candidate work, and the text that is shown of it in each form; the body is shown without identifying text."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice
from weakref import WeakKeyDictionary

from fathom.contexts.layout import forges_boundary
from fathom.corpus.store import Corpus
from fathom.records.documents import DocumentId, FieldName
from fathom.records.spans import Span
from fathom.tasks.citations.papers import LEFT_OUT, Mask, Paper, top_level, without
from fathom.tasks.citations.settings import Form
from fathom.tasks.citations.shown_text import NAME_MASK, ShownText, show
from fathom.tasks.citations.word_counts import Words, letters_of, occurrences, stems_in, words_of
from fathom.tasks.citations.work_names import WITHOUT_SPACES, WorkNames, coined_words, common_words

NOT_IN_BODY = ("abstract", "introduction", "conclusion", *LEFT_OUT)
"""Sections that are left out of the form "body": they summarize the work, or are never shown."""

NEEDED: dict[Form, tuple[FieldName, ...]] = {
    "concise": ("title", "abstract"),
    "full": ("title",),
    "body": ("title", "sections"),
}
"""The fields that must not be unknown for a work to be shown in each form."""

MIN_CHARACTERS = 800
"""The minimum length of a candidate in characters: a shorter text is uninformative."""

OFTEN = 5
"""How often a work uses a coined word that a sentence about it must not contain."""
EXCERPTS = 2
"""Excerpts of a work that are cached: a candidate is often tried again with the same mask."""
COMPARED = 15_000
"""Characters of two texts that are compared to find versions of one work."""

_shared: WeakKeyDictionary[Corpus, frozenset[DocumentId]] = WeakKeyDictionary()


def shared_titles(corpus: Corpus) -> frozenset[DocumentId]:
    """The documents of a corpus with the title of another one, unless both are versions of one work."""
    if corpus not in _shared:
        by_title: dict[str, list[DocumentId]] = defaultdict(list)
        for listed in corpus.entries():
            by_title[letters_of(listed.title)].append(listed.id)
        doubtful = (ids for ids in by_title.values() if len(ids) > 1 and not _are_versions(corpus, ids))
        _shared[corpus] = frozenset(id for ids in doubtful for id in ids)
    return _shared[corpus]


def _are_versions(corpus: Corpus, ids: Sequence[DocumentId]) -> bool:
    """Whether documents are known to be one work, or have most of their words in common."""
    known = {corpus.outline(id).work for id in ids}
    if len(known) == 1 and None not in known:
        return True
    first, *others = (set(stems_in(corpus.text(id)[:COMPARED])) for id in ids)
    return all(2 * len(first & other) >= len(first | other) for other in others)


class CandidateWork:
    """A document as a candidate."""

    def __init__(self, corpus: Corpus, id: DocumentId) -> None:
        self.outline = corpus.outline(id)
        self._corpus = corpus
        self._forms: dict[Form, ShownText] = {}
        self._excerpts: dict[tuple[Form, int, Words], ShownText] = {}

    @cached_property
    def text(self) -> str:
        return self._corpus.text(self.outline.id)

    @property
    def title(self) -> str:
        return self.outline.title.of(self.text)

    @property
    def same(self) -> str:
        """An identifier that is equal for two versions of the same work."""
        return self.outline.work or letters_of(self.title)

    @cached_property
    def has_own_title(self) -> bool:
        """Whether the title is certainly its own: no other text has it, and the text has words of it.

        A work with the title of another one, or of the book that it is part of, is not a candidate.
        """
        if self.outline.id in shared_titles(self._corpus):
            return False
        words = words_of(self.title)
        rest = self.text[self.outline.title.end :].lower()
        # Without spaces, words are pairs of characters, of which many join two words.
        least = min(1, len(words)) if WITHOUT_SPACES.search(self.title) else len(words) / 4
        return sum(word in rest for word in words) >= least

    @cached_property
    def can_be_shown(self) -> bool:
        """Whether it has its own title, and none of its lines has the form of a boundary line between documents."""
        return self.has_own_title and not forges_boundary(self._corpus.stored_text(self.outline.id).utf8)

    def is_named_at(self, mask: Mask, paper: Paper) -> bool:
        """Whether the sentence of a mask should only describe what it cites, but names this work."""
        if mask.citation_type != "descriptive":
            return False
        before = paper.text[mask.sentence.start : mask.place.start]
        return self.is_named_in(paper.sentence_without(mask)) or self.names.is_end_of(before)

    def lacks(self, form: Form) -> FieldName | None:
        """A field that is not known and that the form would show or hide; None if it can be shown as it is meant.

        Names of a byline that was not read may be taken for headings. They come before the abstract or introduction,
        so the form "body", which hides who wrote the work, starts there.
        """
        if form == "body" and self._hides_byline and self._opening is None:
            return "authors"
        return next((field for field in NEEDED[form] if self.outline.state(field) == "unknown"), None)

    @property
    def _hides_byline(self) -> bool:
        return self.outline.state("authors") == "unknown"

    @property
    def _opening(self) -> int | None:
        """The start of the abstract or introduction."""
        abstract = [self.outline.abstract.start] if self.outline.abstract else []
        opening = [section for section in self.outline.sections if section.role in ("abstract", "introduction")]
        return min((*abstract, *(section.span.start for section in opening)), default=None)

    def room(self, form: Form) -> int:
        """The approximate number of characters of that form, estimated without opening the text."""
        end = self.outline.paragraphs[-1].end if self.outline.paragraphs else 0
        return sum(span.end - span.start for span in self._stretches(form, end))

    def shown(self, form: Form) -> ShownText:
        """The whole text of that form."""
        if form not in self._forms:
            kept = self._stretches(form, len(self.text))
            within = Span(kept[0].start, kept[-1].end) if kept else Span(0, 0)
            identifying = self.names.spans(self.text, within) if form == "body" else ()
            parts = [part for span in identifying for part in self._by_paragraph(span)]
            self._forms[form] = show(self.outline, self.text, kept, [(part, NAME_MASK) for part in parts])
        return self._forms[form]

    def excerpt(self, form: Form, characters: int, wanted: Words) -> ShownText:
        """What is shown of that form in this many characters for masks with these words in their sentences."""
        asked = form, characters, wanted
        if asked not in self._excerpts:
            if len(self._excerpts) == EXCERPTS:
                self._excerpts.pop(next(iter(self._excerpts)))
            self._excerpts[asked] = self.shown(form).excerpt(characters, wanted, head=self._head)
        return self._excerpts[asked]

    @property
    def _head(self) -> int:
        """The end of title and abstract, which are shown first, in the forms that show them."""
        return max(self.outline.title.end, self.outline.abstract.end if self.outline.abstract else 0)

    def _by_paragraph(self, span: Span) -> Iterator[Span]:
        """The span split at the ends of paragraphs, since the shown text may be cut there."""
        paragraphs, start = self.outline.paragraphs, span.start
        for paragraph in paragraphs[bisect_right(paragraphs, start, key=_end) :]:
            if paragraph.end >= span.end:
                break
            yield Span(start, paragraph.end)
            rest = self.text[paragraph.end : span.end]
            start = span.end - len(rest.lstrip())
        yield Span(start, span.end)

    def _stretches(self, form: Form, end: int) -> list[Span]:
        """The spans of a text of length `end` that the form shows, before identifying text is replaced."""
        outline = self.outline
        match form:
            case "concise":
                return sorted([outline.title, *([outline.abstract] if outline.abstract else [])])
            case "full":
                hidden = sorted(section.span for section in outline.sections if section.role in LEFT_OUT)
                return without(Span(0, end), hidden)
            case "body":
                start = self._opening or 0 if self._hides_byline else 0
                return [
                    section.span
                    for section in top_level(outline.sections)
                    if section.role not in NOT_IN_BODY and section.span.start >= start
                ]

    @cached_property
    def names(self) -> WorkNames:
        """The title, and the names of the methods, models or data sets that the work presents."""
        abstract = self.outline.abstract.of(self.text) if self.outline.abstract else ""
        return WorkNames(self.title, abstract, self.text, common_words(self._corpus))

    def is_named_in(self, sentence: str) -> bool:
        """Whether a sentence names the work, or what only it and few others are about: a coined word that it uses often
        and that is not common in the corpus, as in "InfoNCE, which maximizes mutual information [3]"."""
        return self.names.is_in(sentence) or any(
            len(list(islice(occurrences(self.text, word), OFTEN))) == OFTEN
            for word in coined_words(sentence, common_words(self._corpus))
        )


def _end(span: Span) -> int:
    return span.end
