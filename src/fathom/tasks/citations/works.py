"""A candidate work, and the text that is shown of it in each form; the body is shown without identifying text."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from fathom.contexts.layout import forges_boundary
from fathom.corpus.store import Corpus
from fathom.records.contexts import Edit, apply_edits
from fathom.records.documents import Document, DocumentId, DocumentOutline, FieldName
from fathom.records.spans import Span
from fathom.tasks.citations.papers import LEFT_OUT, top_level, without
from fathom.tasks.citations.settings import Form
from fathom.tasks.citations.type_rule import is_coined
from fathom.tasks.citations.word_counts import FAR, LONGEST_WORD, Stems, letters_of, occurrences

_PRESENTED = re.compile(
    r"\b(?:propos|introduc|present|develop|releas|describ|call|nam|dub|term)\w*\s+(?:it\s+|our\s+|a\s+|an\s+|the\s+|"
    r"this\s+|new\s+|novel\s+)*(?:\w[\w-]*\s+){0,4}?\(?(?P<name>[^\W_][\w+*-]*[\w+*])",
    re.IGNORECASE,
)
_OURS = re.compile(r"ur(?<=\b[Oo]ur)\s+(?P<name>[^\W_][\w+*-]*[\w+*])")
"""Begins with literal letters, which are found ten times as fast as a choice of them."""
_MIXED = re.compile(r"[a-z][A-Z]|[A-Z][a-z]+[A-Z\d]|[a-z]\d")
"""Lower and upper case in one word: "SimVOS", but not "LSTM", which is common."""


def presented_names(title: str, abstract: str, text: str) -> list[str]:
    """The names of what a work presents: "JudgeLM" in "JudgeLM: Fine-tuned models ..."."""
    head, colon, _ = title.partition(":")
    named = [head.strip()] if colon and len(head.split()) <= 3 else []
    # A coined word of the title that is not presented is the subject of the work: "SNARE", "Ca2+".
    named += [match["name"] for text_part in (title, abstract) for match in _PRESENTED.finditer(text_part)]
    named = [name for place, name in enumerate(named) if is_coined(name) or (place == 0 and colon)]
    named += [match["name"] for match in _OURS.finditer(text) if _MIXED.search(match["name"])]
    return sorted({name for name in named if len(name) > 2})


def identifying_spans(title: str, names: list[str], text: str, within: Span | None = None) -> Iterator[Span]:
    """Every span of the text, or of a part of it, with the title, its head or its tail, or one of the names."""
    if within is not None:
        yield from (span.shifted(within.start) for span in identifying_spans(title, names, within.of(text)))
        return
    small = _lowered(text, plain=title.isascii() and all(map(str.isascii, names)))
    head, _, tail = _lowered(title).partition(":")
    parts = [part for part in (head, tail) if len(part.split()) >= 4]
    found = [span for part in parts for span in _phrases(small, part)]
    # Where none of its parts occurs, neither does the whole.
    yield from found
    if found or not parts:
        yield from _phrases(small, _lowered(title))
    for name in names:
        for span in occurrences(small, _lowered(name)):
            # A title in lower case may have "zero" for "ZeRO", so the name counts as printed or with other capitals.
            if span.of(text) == name or is_coined(span.of(text)):
                yield span


def _lowered(text: str, plain: bool = False) -> str:
    """The text in lower case, every character in its position; `plain` for the letters A to Z alone.

    With a single letter beyond those, Python lowers letter by letter, which takes three times as long.
    """
    if plain:
        return text.encode().lower().decode()
    # The only capital whose lower case has two characters: "İstanbul".
    return text.replace("İ", "I").lower()


def _phrases(text: str, phrase: str) -> Iterator[Span]:
    """Occurrences of the phrase with anything between its words; both in lower case."""
    words = re.findall(r"\w+", phrase)
    if not words:
        return
    # Search by the longest word, which few other phrases have; a pattern of the whole takes longer to compile.
    anchor = max(range(len(words)), key=lambda number: len(words[number]))
    before, behind = words[:anchor], words[anchor:]
    # The end of the word before or the beginning of the next rules out most places.
    left, right = "".join(before[-1:])[-3:], "".join(behind[1:2])[:3]
    at = text.find(words[anchor])
    while at >= 0:
        end = at + len(words[anchor])
        if left in text[max(0, at - BETWEEN - 3) : at] and right in text[end : end + BETWEEN + 3]:
            yield from _whole(text, at, before, behind)
        at = text.find(words[anchor], at + 1)


def _whole(text: str, at: int, before: Sequence[str], behind: Sequence[str]) -> Iterator[Span]:
    """The phrase around a place, if all its words occur there."""
    start, end = _before(text, at, before), _behind(text, at, behind)
    if start is not None and end is not None:
        yield Span(start, end)


BETWEEN = 6
"""The maximum number of characters between two words of a phrase."""


def _behind(text: str, at: int, words: Sequence[str]) -> int | None:
    """The end of the words that begin at a place; None if they do not occur there."""
    for number, word in enumerate(words):
        if number:
            gap = _GAP.match(text, at)
            if gap is None:
                return None
            at = gap.end()
        if not text.startswith(word, at):
            return None
        at += len(word)
    return at


def _before(text: str, at: int, words: Sequence[str]) -> int | None:
    """The start of the words that end before a place; None if they do not occur there."""
    for word in reversed(words):
        end = at
        while end > max(0, at - BETWEEN) and not _is_of_word(text[end - 1]):
            end -= 1
        if end == at or not text.endswith(word, 0, end):
            return None
        at = end - len(word)
    return at


_GAP = re.compile(rf"\W{{1,{BETWEEN}}}")


def _is_of_word(letter: str) -> bool:
    return letter.isalnum() or letter == "_"


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
        identifying = identifying_spans(self.title, self.names, self.text, within) if form == "body" else ()
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
    def names(self) -> list[str]:
        """The names of the methods, models or data sets that the work presents."""
        abstract = self.outline.abstract.of(self.text) if self.outline.abstract else ""
        return presented_names(self.title, abstract, self.text)


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
