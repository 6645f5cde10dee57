"""Compares the words of a quote with those of a passage: the same words in sequence, or with some left out."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from fathom.records.spans import Span
from fathom.scoring.quote_words import NormalizedWords, is_unspaced

LEFT_OUT_SHARE = 0.25
"""How many words a long quote may leave out inside, per word that it has; one word more in any case."""
LONG_QUOTE = 12
"""A quote of fewer words may leave out two of them."""
SHORT_QUOTE = 8
"""A quote of fewer words may leave out one of them."""
MIN_WORDS = 4
"""A quote of fewer words may leave out nothing but citations."""
MIN_CHARACTERS = 8
"""The same for Chinese and other scripts without spaces, in characters."""

_ANCHORS = 3
_MAX_PLACES = 60
"""Places of rare words of a quote that are tried."""
_MAX_OCCURRENCES = 1_000
_MAX_COMPARED = 1_000_000
_SEPARATOR = re.compile(r"[,;|、，；]")
_WORDS_PER_ITEM = 3
"""A quote with fewer words per separator is a list."""
_ITEM_WEIGHT = 2
_LIST_ITEM_WEIGHT = 4
_YEAR = re.compile(r"(?:1[6-9]|20)\d\d")
_DASHES = ("minus", "dash")
_DIGIT = re.compile(r"\d")


class QuotePlace(NamedTuple):
    """A place of a quote in a text, and how many words the quote leaves out."""

    left_out: int
    span: Span


class _Match(NamedTuple):
    """Words `first` to `last`, both included, of the text."""

    first: int
    last: int
    left_out: int


class SearchedPassage:
    """A passage of a text, in which quotes are looked for word by word."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._words = NormalizedWords.of(text)

    @cached_property
    def _required(self) -> NormalizedWords:
        return self._words.required() if any(self._words.optional) else self._words

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        """Where each normal form occurs."""
        places: defaultdict[str, list[int]] = defaultdict(list)
        for at, form in enumerate(self._words.forms):
            places[form].append(at)
        return dict(places)

    def same_words(self, quote: NormalizedWords) -> Iterator[Span]:
        """The places of a quote that leaves out nothing."""
        return _same_spans(quote, self._words)

    def without_citations(self, quote: NormalizedWords) -> Iterator[Span]:
        """The places of a quote that leaves out all citations, and nothing else."""
        if self._required is not self._words and not any(quote.optional):
            yield from _same_spans(quote, self._required)

    def with_gaps(self, quote: NormalizedWords) -> list[QuotePlace]:
        """The places with the fewest words that the quote leaves out."""
        if not may_leave_out(quote.forms):
            return []
        words, budget = len(quote.forms), most_left_out(quote.forms)
        candidates = self._candidates(quote, budget)
        matches = [match for start in candidates if (match := self._aligned(quote, start, budget))]
        if not matches and 3 * sum(quote.optional) <= words and words - sum(quote.optional) >= SHORT_QUOTE:
            matches = [match for start in candidates if (match := self._aligned(quote, start, budget, True))]
        if not matches:
            return []
        fewest = min(match.left_out for match in matches)
        # Several starts may end at the same word, as in "the the cat": the last start has the shortest place.
        shortest = {match.last: match for match in sorted(matches) if match.left_out == fewest}
        starts, ends = self._words.starts, self._words.ends
        return [QuotePlace(fewest, Span(starts[match.first], ends[match.last])) for match in shortest.values()]

    def _candidates(self, quote: NormalizedWords, budget: int) -> list[int]:
        """Words of the text at which the quote may start: its rarest words are at about the right distance."""
        places = self._places
        known = sorted((len(places[form]), at) for at, form in enumerate(quote.forms) if form in places)
        if 2 * len(known) < len(quote.forms):
            return []
        starts: set[int] = set()
        for count, at in known[:_ANCHORS]:
            for place in islice(places[quote.forms[at]], _MAX_PLACES if count > _MAX_PLACES else count):
                starts.update(self._starts_before(quote, at, place, budget))
        return sorted(starts)

    def _starts_before(self, quote: NormalizedWords, at: int, place: int, budget: int) -> Iterator[int]:
        """Starts of the quote if its word number `at` is word number `place` of the text."""
        forms, optional = self._words.forms, self._words.optional
        wanted, initial = quote.forms[0], quote.forms[0][0]
        # Words may be divided in the quote alone or in the text alone, which changes the distance.
        left, nearest = at + at // 2 + budget, place - at + at // 2
        for start in range(place, -1, -1):
            form = forms[start]
            if start <= nearest and form[0] == initial and (form == wanted or self._divided(quote, 0, start)):
                yield start
            left -= not optional[start]
            if left < 0:
                return

    def _aligned(
        self, quote: NormalizedWords, start: int, budget: int, without_citations: bool = False
    ) -> _Match | None:
        """The quote's words in the text from `start` on, each at its first place after the one before.

        `without_citations` if the text may lack citations of the quote.
        """
        forms, optional, wanted = self._words.forms, self._words.optional, quote.forms
        at, place, left_out = 0, start, 0
        gap, in_gap = start, 0
        """The first word after the last one that was found, and the words since then."""
        misspelled = most_misspelled(wanted)
        signed = bool(quote.signs or self._words.signs)
        while at < len(wanted):
            if place >= len(forms):
                return None
            step = (at + 1, place + 1) if forms[place] == wanted[at] else self._divided(quote, at, place)
            if step is not None and signed and not self._sign_fits(quote, at, place):
                step = None
            if step is None and misspelled and not optional[place] and _misspelled(wanted[at], forms[place]):
                step, misspelled, left_out = (at + 1, place + 1), misspelled - 1, left_out + 1
            if step is not None:
                if place > gap:
                    left_out += self._gap_cost(start, gap, place, quote)
                at, place = step
                gap, in_gap = place, 0
            elif without_citations and quote.optional[at] and not any(optional[gap : place + 1]):
                # The text has no citation where the quote has one. If it has another one, the quote is of another text.
                at += 1
            else:
                # The parts of a compound count as one word.
                in_gap += not optional[place] and (place == gap or not self._attached(place))
                place += 1
            if left_out + in_gap > budget:
                return None
        return _Match(start, gap - 1, left_out)

    def _sign_fits(self, quote: NormalizedWords, at: int, place: int) -> bool:
        ours = quote.signs.get(at, "")
        return (at == 0 and not ours) or _sign_fits(ours, self._words.signs.get(place, ""))

    def _gap_cost(self, start: int, first: int, after: int, quote: NormalizedWords) -> int:
        """How many words are left out from word `first` of the text to the one before word `after`.

        Citations are free, but not parts of a citation. Whole items between separators count more: other lists and
        rows of tables differ in such items, while single words that are missing are more often words of a sentence.
        So does a number before another number, apart from years: "total: 12%" is not "total: 10%, men: 12%".
        """
        optional = self._words.optional
        free = not optional[after] and not (first > start and optional[first - 1])
        cost = sum(
            not (free and optional[at]) and (at == first or not self._attached(at)) for at in range(first, after)
        )
        if cost and self._is_figure(after) and any(map(self._is_figure, range(first, after))):
            return cost * _LIST_ITEM_WEIGHT
        if not cost or not (self._separated(first) and self._separated(after)):
            return cost
        listed = len(quote.forms) <= _WORDS_PER_ITEM * len(_SEPARATOR.findall(quote.text))
        return cost * (_LIST_ITEM_WEIGHT if listed else _ITEM_WEIGHT)

    def _is_figure(self, at: int) -> bool:
        """Whether a word is a number, other than a year or a part of a citation."""
        form = self._words.forms[at]
        return form[0].isdecimal() and not self._words.optional[at] and not _YEAR.fullmatch(form)

    def _between(self, at: int) -> str:
        """The characters before a word, from the end of the word before."""
        return self._text[self._words.ends[at - 1] : self._words.starts[at]]

    def _attached(self, at: int) -> bool:
        """Whether a word is a part of a compound with the one before, as the 1 of "Munc13-1" is."""
        return not is_unspaced(self._words.forms[at]) and not any(map(str.isspace, self._between(at)))

    def _separated(self, at: int) -> bool:
        return _SEPARATOR.search(self._between(at)) is not None

    def _divided(self, quote: NormalizedWords, at: int, place: int) -> tuple[int, int] | None:
        """The words after the next ones that have the same letters but are divided in another way."""
        quoted, printed = quote.forms, self._words.forms
        if quoted[at][0] != printed[place][0]:
            return None
        one, two = quoted[at], printed[place]
        for _ in range(6):
            if len(one) == len(two):
                return (at + 1, place + 1) if one == two else None
            short, long = (one, two) if len(one) < len(two) else (two, one)
            if not long.startswith(short):
                return None
            if short is one:
                at += 1
                if at == len(quoted) or quote.divides_number(at):
                    return None
                one += quoted[at]
            else:
                place += 1
                if place == len(printed) or self._words.divides_number(place):
                    return None
                two += printed[place]
        return None


def _same_spans(quote: NormalizedWords, text: NormalizedWords) -> Iterator[Span]:
    """The places that have the words of a quote, however they are divided, with the same numbers and signs."""
    offsets, wanted = text.offsets, quote.letters
    for at in occurrences(wanted, text.letters):
        first = bisect_left(offsets, at)
        after = bisect_left(offsets, at + len(wanted), first)
        if offsets[first] == at and offsets[after] == at + len(wanted) and _same_numbers(quote, text, first, after):
            yield Span(text.starts[first], text.ends[after - 1])


def _same_numbers(quote: NormalizedWords, text: NormalizedWords, first: int, after: int) -> bool:
    """Whether the words from `first` on have the signs of the quote, and divide digits into the same numbers."""
    start = text.offsets[first]
    for ours, theirs in _signs_at(quote, text, start, first, after):
        if not _sign_fits(ours, theirs):
            return False
    if not _DIGIT.search(quote.letters):
        return True
    return _numbers_kept(quote, 1, len(quote.forms), text, start) and _numbers_kept(
        text, first + 1, after, quote, -start
    )


def _signs_at(
    quote: NormalizedWords, text: NormalizedWords, start: int, first: int, after: int
) -> Iterator[tuple[str, str]]:
    """The signs of the quote and of the text before the same letters; before the first word only if the quote has one.

    `start` is where the quote starts in the letters of the text.
    """
    if not quote.signs and not text.signs:
        return
    quoted = {quote.offsets[at] + start: sign for at, sign in quote.signs.items()}
    printed = {text.offsets[at]: sign for at in range(first, after) if (sign := text.signs.get(at))}
    for at in quoted.keys() | printed.keys():
        if at > start or at in quoted:
            yield quoted.get(at, ""), printed.get(at, "")


def _sign_fits(quoted: str, printed: str) -> bool:
    """Whether a quote with one sign may be of a text with the other: it may leave out a comparison, but not a minus."""
    if quoted == printed:
        return True
    compared, stated = ([name for name in signs.split() if name not in _DASHES] for signs in (quoted, printed))
    if compared and compared != stated:
        return False
    return "dash" in quoted or "dash" in printed or ("minus" in quoted) == ("minus" in printed)


def _numbers_kept(one: NormalizedWords, first: int, after: int, two: NormalizedWords, shift: int) -> bool:
    """Whether the numbers of some words are also separate in another text; `shift` is between their letters."""
    for at in range(first, after):
        # The first letter is compared here, since most words are not numbers.
        if one.forms[at][0].isdecimal() and one.divides_number(at):
            offset = one.offsets[at] + shift
            if two.offsets[bisect_left(two.offsets, offset)] != offset:
                return False
    return True


def occurrences(wanted: str, text: str) -> Iterator[int]:
    """Where a string occurs, up to a number of times; a long one is compared less often."""
    at = text.find(wanted)
    for _ in range(min(_MAX_OCCURRENCES, 1 + _MAX_COMPARED // max(1, len(wanted)))):
        if at < 0:
            return
        yield at
        at = text.find(wanted, at + 1)


def may_leave_out(forms: Sequence[str]) -> bool:
    """Whether a quote is long enough to be recognized if words are missing."""
    unspaced = _count_unspaced(forms)
    return len(forms) - unspaced >= MIN_WORDS or unspaced >= MIN_CHARACTERS


def most_left_out(forms: Sequence[str]) -> int:
    """How many words a quote may leave out; a word of Chinese has two characters."""
    words, size = (len(forms) // 2, 2) if _count_unspaced(forms) > len(forms) / 2 else (len(forms), 1)
    if words < SHORT_QUOTE:
        return size
    return 1 + int(LEFT_OUT_SHARE * len(forms)) if words >= LONG_QUOTE else 2 * size


def _count_unspaced(forms: Sequence[str]) -> int:
    return 0 if "".join(forms).isascii() else sum(map(is_unspaced, forms))


def most_misspelled(forms: Sequence[str]) -> int:
    """How many words of a quote may have another letter."""
    return len(forms) // 12


def _misspelled(one: str, two: str) -> bool:
    """Whether two long words differ by one letter after the first, as "analyse" and "analyze" do."""
    if abs(len(one) - len(two)) > 1 or min(len(one), len(two)) < 6 or one[0] != two[0] or not one.isalpha():
        return False
    from rapidfuzz.distance import Levenshtein

    return two.isalpha() and Levenshtein.distance(one, two, score_cutoff=1) <= 1
