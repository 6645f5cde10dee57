"""A candidate work, and the text that is shown of it in each form; the body is shown without identifying text."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from weakref import WeakKeyDictionary

from fathom.contexts.layout import forges_boundary
from fathom.corpus.store import Corpus
from fathom.records.contexts import Edit, apply_edits
from fathom.records.documents import Document, DocumentId, DocumentOutline, FieldName
from fathom.records.spans import Span
from fathom.tasks.citations.papers import LEFT_OUT, top_level, without
from fathom.tasks.citations.settings import Form
from fathom.tasks.citations.word_counts import FAR, LONGEST_WORD, Stems, letters_of, stems_in, words_of
from fathom.tasks.citations.work_names import WITHOUT_SPACES, WorkNames, common_words

NAME_MASK = "[[NAME]]"
"""Replaces a work's own title or name."""

NOT_IN_BODY = ("abstract", "introduction", "conclusion", *LEFT_OUT)
"""Sections that are left out of the form "body": they summarize the work, or are never shown."""

NEEDED: dict[Form, tuple[FieldName, ...]] = {
    "concise": ("title", "abstract"),
    "full": ("title",),
    "body": ("title", "sections"),
}
"""The fields that must not be unknown for a work to be shown in each form."""

LEAST = 800
"""The minimum length of a candidate in characters: a shorter text is uninformative."""

FIRST = FAR + LONGEST_WORD
"""Characters of a work that are prepared first, as many as are compared: long works are rarely shown in full."""


@dataclass(frozen=True, eq=False)
class ShownText:
    """Part of a document's text, with trimmed ends and a blank line between its pieces. Compared by identity."""

    id: DocumentId
    document: str
    """The document's whole text."""
    edits: tuple[Edit, ...]
    ends: tuple[tuple[int, int], ...]
    """The end of each paragraph: the number of characters shown up to it, and its position in the document."""
    is_whole: bool = True
    """Whether it is complete. If not, it must be cut before it is shown."""

    @property
    def length(self) -> int:
        return self.ends[-1][0] if self.ends else 0

    def reaches(self, characters: int) -> bool:
        """Whether enough of the text was prepared to cut it to this many characters."""
        return self.is_whole or self.length > characters

    @property
    def text(self) -> str:
        """The whole shown text."""
        return apply_edits(self.document, self.edits)

    @cached_property
    def stems(self) -> Stems:
        """The word stems of the text, for the matchers."""
        # Only the compared part, not a copy of the whole text: thousands of works are cached.
        return Stems(self.text[: FAR + LONGEST_WORD])

    def cut(self, characters: int) -> tuple[Edit, ...]:
        """The edits that show whole paragraphs, up to this many characters; empty if not even one fits."""
        assert self.reaches(characters)
        if self.length <= characters:
            return self.edits
        number = bisect_right(self.ends, (characters, len(self.document))) - 1
        if number < 0:
            return ()
        end = self.ends[number][1]
        kept = [edit for edit in self.edits if edit.span.end <= end]
        return (*kept, Edit(span=Span(end, len(self.document)), text="\n"))

    def cut_length(self, characters: int) -> int:
        """The number of characters that `cut` shows."""
        assert self.reaches(characters)
        if self.length <= characters:
            return self.length
        number = bisect_right(self.ends, (characters, len(self.document))) - 1
        return self.ends[number][0] if number >= 0 else 0


def show(
    document: Document | DocumentOutline,
    text: str,
    kept: Sequence[Span],
    changes: Sequence[tuple[Span, str]] = (),
    to_be_cut: bool = True,
) -> ShownText:
    """The text of these spans of the document, in order, with some spans replaced (`changes`).

    With `to_be_cut`, the text can be cut at the end of any paragraph, else only at the end of a span.
    """
    edits: list[Edit] = []
    ends: list[tuple[int, int]] = []
    waiting = deque(_apart(changes))
    breaks = [span.end for span in document.paragraphs] if to_be_cut else []
    length = last = 0
    for span in filter(None, (_trimmed(text, span) for span in kept)):
        if span.start > last or ends:
            edits.append(Edit(span=Span(last, span.start), text="\n\n" if ends else ""))
        length += 2 if ends else 0
        position = span.start
        while waiting and waiting[0][0].start < span.start:
            waiting.popleft()
        for end in [*breaks[bisect_right(breaks, span.start) : bisect_left(breaks, span.end)], span.end]:
            while waiting and waiting[0][0].end <= end:
                place, words = waiting.popleft()
                edits.append(Edit(span=place, text=words))
                length += len(words) - (place.end - place.start)
            length += end - position
            position = end
            ends.append((length, end))
        last = span.end
    edits.append(Edit(span=Span(last, len(text)), text="\n"))
    return ShownText(document.id, text, tuple(edits), tuple(ends))


def _trimmed(text: str, span: Span) -> Span | None:
    """The span without white space at its ends; None if nothing is left."""
    words = span.of(text)
    start = span.start + len(words) - len(words.lstrip())
    end = span.end - (len(words) - len(words.rstrip()))
    return Span(start, end) if start < end else None


def _apart(changes: Sequence[tuple[Span, str]]) -> Iterator[tuple[Span, str]]:
    """The changes without those that overlap an earlier, longer one."""
    end = 0
    for place, words in sorted(changes, key=lambda change: (change[0].start, -change[0].end)):
        if place.start >= end:
            yield place, words
            end = place.end


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
    first, *others = (set(stems_in(corpus.text(id)[:FAR])) for id in ids)
    return all(2 * len(first & other) >= len(first | other) for other in others)


class Work:
    """A document as a candidate."""

    def __init__(self, corpus: Corpus, id: DocumentId) -> None:
        self.outline = corpus.outline(id)
        self._corpus = corpus
        self._forms: dict[Form, ShownText] = {}

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

        A work with the title of another one, or of the book that it is part of, is no candidate.
        """
        if self.outline.id in shared_titles(self._corpus):
            return False
        words = words_of(self.title)
        rest = self.text[self.outline.title.end :].lower()
        # Without spaces, words are pairs of characters, of which many join two words.
        least = min(1, len(words)) if WITHOUT_SPACES.search(self.title) else len(words) / 4
        return sum(word in rest for word in words) >= least

    @cached_property
    def is_plain(self) -> bool:
        """Whether none of its lines has the form of a boundary line between documents."""
        return not forges_boundary(self._corpus.stored_text(self.outline.id).utf8)

    def lacks(self, form: Form) -> FieldName | None:
        """A field that is not known and that the form would show or hide; None if it can be shown as it is meant.

        Names of a byline that was not read may be taken for headings. They come before the abstract or introduction,
        so that the form "body", which hides who wrote the work, starts there.
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
        opening = [one for one in self.outline.sections if one.role in ("abstract", "introduction")]
        return min((*abstract, *(section.span.start for section in opening)), default=None)

    def room(self, form: Form) -> int:
        """The approximate number of characters of that form, estimated without opening the text."""
        end = self.outline.paragraphs[-1].end if self.outline.paragraphs else 0
        return sum(span.end - span.start for span in self._stretches(form, end))

    def shown(self, form: Form, characters: int) -> ShownText:
        """The text of that form, at least as much as is needed to cut it to this many characters."""
        known = self._forms.get(form)
        if known is None or not known.reaches(characters):
            whole = self._stretches(form, len(self.text))
            known = self._show(form, self._beginning(whole, max(FIRST, characters)), whole)
            if not known.reaches(characters):
                known = self._show(form, whole, whole)
            self._forms[form] = known
        return known

    def _show(self, form: Form, kept: list[Span], whole: list[Span]) -> ShownText:
        within = Span(kept[0].start, kept[-1].end) if kept else Span(0, 0)
        identifying = self.names.spans(self.text, within) if form == "body" else ()
        parts = [part for span in identifying for part in self._by_paragraph(span)]
        shown = show(self.outline, self.text, kept, [(part, NAME_MASK) for part in parts])
        return replace(shown, is_whole=kept == whole)

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

    def _beginning(self, whole: list[Span], characters: int) -> list[Span]:
        """The first spans, up to the end of a paragraph, with a margin: replacing names may shorten the text."""
        left = characters * 5 // 4
        kept: list[Span] = []
        for span in whole:
            if span.end - span.start > left:
                place = bisect_left(self.outline.paragraphs, span.start + left, key=_end)
                end = min([span.end, *(paragraph.end for paragraph in self.outline.paragraphs[place : place + 1])])
                return [*kept, Span(span.start, end)]
            kept.append(span)
            left -= span.end - span.start
        return kept

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


def _end(span: Span) -> int:
    return span.end


def evenly(lengths: Sequence[int], room: int) -> int:
    """The maximum length such that texts cut to it fit into `room` together; short ones leave more for the others."""
    left, waiting = room, sorted(lengths)
    while waiting:
        fair = left // len(waiting)
        if waiting[0] > fair:
            return fair
        left -= waiting.pop(0)
    return max(lengths, default=0)
