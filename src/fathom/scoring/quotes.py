"""Locates quotes in a text, ignoring spaces, hyphens, marks and case, even if some words are left out."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import accumulate, compress, islice
from operator import not_
from typing import NamedTuple

from fathom.records.spans import Span
from fathom.scoring.quote_comparison import (
    SHORT_QUOTE,
    QuotePlace,
    SearchedPassage,
    may_leave_out,
    most_left_out,
    most_misspelled,
    occurrences,
)
from fathom.scoring.quote_words import NormalizedWords, is_unspaced, letters_of, without_markup

MAX_WORDS = 3_000
"""A longer quote must have the words of the text, all of them."""
MAX_CHARACTERS = 100_000
"""A longer quote must have the characters of the text."""
MAX_BETWEEN_PARTS = 2_000
"""Characters between two parts of a quote that are joined by an ellipsis."""

SHORT_TEXT = 50_000
"""The words of a text with more characters are compared in parts of it only."""

_ELLIPSIS = re.compile(r"\s*[\[(（]?\s*(?:…+|⋯+|\.\s?\.\s?\.[\s.]*)\s*[\])）]?\s*")
_MAX_PARTS = 20
_BLOCK = 128
"""Characters of a text between two places whose letters are counted."""
_MARGIN = 48
"""Characters around a passage, so that its first and last word are whole."""
_ANCHORS = 2
_MAX_PLACES = 60
"""Places of some words of a quote that are tried."""
_MAX_TRIED = 8
"""Words of a quote, and groups of its words, that are looked for."""
_LETTERS_LEFT_OUT = 15
"""Letters of the text for each word that a quote may leave out."""
_CITATION_LETTERS = 400
"""Letters of citations that a quote leaves out."""
_SAME_MARK = str.maketrans(
    dict.fromkeys("‘’‚‛′´`", "'") | dict.fromkeys("“”„‟«»″「」『』《》", '"') | dict.fromkeys("‐‑‒–—―−", "-")
)


class QuoteLocator:
    """Locates quotes in one text.

    A short text is one passage. Of a long one the letters are indexed once, and words are compared in the passages that
    have the letters of a quote.
    """

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _letters(self) -> _Letters:
        return _Letters(self._text)

    @property
    def _is_short(self) -> bool:
        return len(self._text) <= SHORT_TEXT

    @property
    def _whole(self) -> Span:
        return Span(0, len(self._text))

    @cached_property
    def _whole_passage(self) -> SearchedPassage:
        return SearchedPassage(self._text)

    def _passage(self, window: Span) -> SearchedPassage:
        return self._whole_passage if self._is_short else SearchedPassage(window.of(self._text))

    def locate(self, quote: str, near: int | None = None, complete: bool = False) -> Span | None:
        """The place of a quote in the text; None if the text does not have it.

        A `complete` quote leaves out nothing but citations.

        Of several places the one closest in wording is taken: the same characters, then the same words, then words
        with some left out. Of equally close places it is the first one, or the one nearest to the offset `near`.
        """
        quote = quote.strip()
        found = self._exact(quote, near)
        return found if found or len(quote) > MAX_CHARACTERS else self._similar(quote, near, complete)

    def _exact(self, quote: str, near: int | None) -> Span | None:
        if not any(map(str.isalnum, quote[:200])):
            return None
        spans = (Span(at, at + len(quote)) for at in occurrences(quote, self._text))
        return _choose((span for span in spans if _whole_words(self._text, span)), near)

    def _similar(self, quote: str, near: int | None, complete: bool) -> Span | None:
        words = NormalizedWords.of(quote)
        if not words.forms:
            return None
        span = next(self._same_words(quote, words, near), None)
        parts = [part for part in _ELLIPSIS.split(quote, _MAX_PARTS) if part]
        if span is None:
            complete = complete or len(words.forms) > MAX_WORDS
            if len(parts) > 1 and not complete:
                return self._joined_parts(parts, near)
            span = self._best(words, near, complete)
        return None if span is None else self._with_marks(span, quote, words)

    def _with_marks(self, span: Span, quote: str, words: NormalizedWords) -> Span:
        """The span with the punctuation that the quote has before its first and after its last word."""
        before = {*quote[: words.starts[0]].translate(_SAME_MARK)}
        after = {*quote[words.ends[-1] :].translate(_SAME_MARK)}
        start, end, text = span.start, span.end, self._text
        while start > 0 and not text[start - 1].isspace() and text[start - 1].translate(_SAME_MARK) in before:
            start -= 1
        while end < len(text) and not text[end].isspace() and text[end].translate(_SAME_MARK) in after:
            end += 1
        return Span(start, end)

    def _same_words(self, quote: str, words: NormalizedWords, near: int | None) -> Iterator[Span]:
        """The places with the words of a quote, the nearest first."""
        windows = [self._whole] if self._is_short else self._letters.windows(letters_of(without_markup(quote)))
        if near is not None:
            windows.sort(key=lambda window: _distance(window, near))
        for window in windows:
            spans = (span.shifted(window.start) for span in self._passage(window).same_words(words))
            yield from spans if near is None else sorted(spans, key=lambda span: _distance(span, near))

    def _best(self, words: NormalizedWords, near: int | None, complete: bool) -> Span | None:
        """The place with the fewest words that a quote leaves out; citations alone if it is `complete`."""
        places: list[QuotePlace] = []
        for windows in [[self._whole]] if self._is_short else self._letters.passages(words):
            for window in windows:
                passage = self._passage(window)
                candidates = [QuotePlace(-1, span) for span in passage.without_citations(words)]
                if not candidates and not complete:
                    candidates = passage.with_gaps(words)
                places += [
                    QuotePlace(candidate.left_out, candidate.span.shifted(window.start)) for candidate in candidates
                ]
            if places:
                break
        fewest = min((place.left_out for place in places), default=0)
        return _choose((place.span for place in places if place.left_out == fewest), near)

    # Ellipses.

    def _joined_parts(self, parts: Sequence[str], near: int | None) -> Span | None:
        """From the first to the last part of a quote with ellipses, if the text has all parts in order."""
        longest = max(range(len(parts)), key=lambda at: len(parts[at]))
        spans: list[Span] = []
        for span in self._part_places(parts[longest], near):
            start = self._extended(parts[:longest][::-1], span.start, before=True)
            end = self._extended(parts[longest + 1 :], span.end, before=False)
            if start is not None and end is not None:
                spans.append(Span(start, end))
        # Of several places the shortest leaves out least.
        return min(spans, key=lambda span: span.end - span.start, default=None)

    def _part_places(self, part: str, near: int | None) -> list[Span]:
        """Places of the longest part: all with the same words, or the best one with words left out."""
        words = NormalizedWords.of(part)
        if not words.forms:
            return []
        places = list(islice(self._same_words(part, words, near), _MAX_PARTS))
        found = None if places else self.locate(part, near)
        return places if found is None else [found]

    def _extended(self, parts: Sequence[str], edge: int, before: bool) -> int | None:
        """Where the last of some parts ends (or starts, if they come before), each near the one before it."""
        for part in parts:
            start = max(0, edge - MAX_BETWEEN_PARTS) if before else edge
            end = edge if before else edge + MAX_BETWEEN_PARTS
            extension = QuoteLocator(self._text[start:end]).locate(part, end - start if before else 0)
            if extension is None:
                return None
            edge = start + (extension.start if before else extension.end)
        return edge


class _Anchor(NamedTuple):
    """Words of a quote: their place among its letters, and their places among those of the text."""

    offset: int
    places: list[int]


class _Letters:
    """The letters and digits of a text in normal form, and where in the text each part of them is."""

    def __init__(self, text: str) -> None:
        self._text = text
        plain = without_markup(text)
        blocks = [letters_of(plain[at : at + _BLOCK]) for at in range(0, len(plain), _BLOCK)]
        self.letters = "".join(blocks)
        self._starts = [0, *accumulate(map(len, blocks))]

    def windows(self, wanted: str) -> list[Span]:
        """The passages that have some letters in sequence."""
        return [self._window(at, at + len(wanted)) for at in occurrences(wanted, self.letters)] if wanted else []

    def _window(self, start: int, end: int) -> Span:
        """A passage of the text that has some letters, with whole words."""
        first = (bisect_right(self._starts, max(0, start)) - 1) * _BLOCK - _MARGIN
        last = bisect_right(self._starts, end) * _BLOCK + _MARGIN
        return Span(_gap(self._text, max(0, first), -1), _gap(self._text, min(last, len(self._text)), 1))

    def passages(self, quote: NormalizedWords) -> Iterator[list[Span]]:
        """Passages in which a quote may be, with some words left out; then longer ones, which may have citations."""
        forms = [form.replace(".", "") for form in _long_forms(quote)]
        absent, size = most_misspelled(quote.forms), quote.offsets[-1]
        narrow = _LETTERS_LEFT_OUT * most_left_out(quote.forms)
        wide = narrow + max(_CITATION_LETTERS, size)
        starts = [place - anchor.offset for anchor in self._anchors(quote) for place in anchor.places]
        starts = [at for at in starts if _has_words(self._around(at, size, wide), forms, absent)]
        near = [at for at in starts if _has_words(self._around(at, size, narrow), forms, absent)]
        for found, slack in ((near, narrow), (starts, wide)):
            spans = (Span(max(0, at - slack), max(0, at + size + slack)) for at in found)
            yield [self._window(span.start, span.end) for span in _joined(spans)]

    def _around(self, start: int, size: int, slack: int) -> str:
        """A number of letters from a start, with some letters around them."""
        return self.letters[start - slack if start > slack else 0 : start + size + slack]

    def _anchors(self, quote: NormalizedWords) -> list[_Anchor]:
        """Words of the quote with their places in the text; none if the text lacks words of the quote.

        A text with the quote has all of its words, apart from some that are misspelled: of rare words, one more is
        enough. If there are none, groups of words are tried.
        """
        absent = most_misspelled(quote.forms)
        enough, found = min(absent, 1) + 1, list[_Anchor]()
        for form in _long_forms(quote)[:_MAX_TRIED]:
            places = self._places(form)
            if not places:
                absent -= 1
                if absent < 0:
                    return []
            elif len(places) <= _MAX_PLACES:
                found.append(_Anchor(quote.offsets[quote.forms.index(form)], places))
                if len(found) == enough:
                    return found
        for at, group in _groups(quote.forms)[:_MAX_TRIED]:
            if places := self._places(group):
                found.append(_Anchor(quote.offsets[at], places))
                if len(found) >= _ANCHORS:
                    break
        return found

    def _places(self, letters: str) -> list[int]:
        """The first places of some letters, one more than are tried."""
        return [*islice(occurrences(letters.replace(".", ""), self.letters), _MAX_PLACES + 1)]


def _groups(forms: Sequence[str]) -> list[tuple[int, str]]:
    """Words in sequence with the place of the first, the longest first and of those the ones that have no common word.

    A quote that leaves out as much as it may has at least two words in sequence, a longer one three.
    """
    count = 2 if len(forms) < SHORT_QUOTE else 3
    groups = [(at, "".join(forms[at : at + count])) for at in range(max(1, len(forms) - count + 1))]
    return sorted(groups, key=lambda group: (-len(group[1]), group[0] % count))


def _long_forms(quote: NormalizedWords) -> list[str]:
    """The words of a quote without its citations, which a text may lack; the longest first."""
    return sorted({*compress(quote.forms, map(not_, quote.optional))}, key=len, reverse=True)


def _has_words(letters: str, forms: Sequence[str], absent: int) -> bool:
    """Whether some letters have those of all words, apart from some that may be absent."""
    for form in forms:
        if form not in letters:
            absent -= 1
            if absent < 0:
                return False
    return True


def _joined(spans: Iterable[Span]) -> list[Span]:
    """Spans in order, those that overlap as one."""
    joined: list[Span] = []
    for span in sorted(spans):
        if joined and span.start <= joined[-1].end:
            joined[-1] = Span(joined[-1].start, max(span.end, joined[-1].end))
        else:
            joined.append(span)
    return joined


def _gap(text: str, at: int, step: int) -> int:
    """The next place between two words, forward or backward; the place itself if there is none near."""
    for index in range(at, at + step * _MARGIN, step):
        if not 0 < index < len(text) or text[index].isspace() or text[index - 1].isspace():
            return index
    return at


@lru_cache(maxsize=8)
def quote_locator(text: str) -> QuoteLocator:
    """The locator of a text; those of the last texts are kept."""
    return QuoteLocator(text)


def is_recognizable(quote: str) -> bool:
    """Whether a quote has enough words to name one place of a text, unlike "small sample"."""
    return may_leave_out(NormalizedWords.of(quote).forms)


def _choose(spans: Iterator[Span], near: int | None) -> Span | None:
    """The first span, or the one nearest to an offset."""
    if near is None:
        return next(spans, None)
    return min(spans, key=lambda span: _distance(span, near), default=None)


def _distance(span: Span, offset: int) -> int:
    return max(span.start - offset, offset - span.end, 0)


def _whole_words(text: str, span: Span) -> bool:
    """Whether a span starts and ends where words do."""
    return not _inside_word(text, span.start) and not _inside_word(text, span.end)


def _inside_word(text: str, at: int) -> bool:
    if not 0 < at < len(text):
        return False
    one, two = text[at - 1], text[at]
    if (one == "." and two.isdecimal() and text[at - 2 : at - 1].isdecimal()) or (
        one.isdecimal() and two == "." and text[at + 1 : at + 2].isdecimal()
    ):
        return True  # 5 is not a part of 1.5
    if not (one.isalnum() and two.isalnum()) or one.isdecimal() != two.isdecimal():
        return False
    return not is_unspaced(one) and not is_unspaced(two)
