"""New titles for the works of a corpus: a word is replaced or inserted wherever the title is printed.

A title is found by its letters, so that case, markup, punctuation and line breaks do not matter: in its document, in
reference lists and in running text.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right, insort
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from random import Random
from typing import NamedTuple

from fathom.records.documents import Document, DocumentId, Reference
from fathom.records.names import WORD, plain_word
from fathom.records.rng import rng_for
from fathom.records.spans import Span

MIN_LETTERS = 5
"""Minimum letters of a distinctive word."""
SUFFIX = 2
"""Letters at the end of a word that its replacement shares, so that a noun becomes a noun."""

INSERT_SHARE = 0.5
"""The share of titles that get an additional word."""

MIN_TITLE_LETTERS, MIN_TITLE_WORDS = 10, 3
"""Shorter titles, such as "Adam", are words of the language too: they change only where they are known to be titles."""

START = 10
"""The letters by which titles are looked up in a text."""

_RUN = re.compile(r"[^\W_]+(?:[\u0300-\u036f]+[^\W_]*)*")
"""A run of letters and digits: "GPT-3" and "GPT-4" are different titles."""
_SUBTITLE = re.compile(r"[:?!]\s|\s[-–—]+\s")

_FUNCTION_WORDS = frozenset(
    (
        *("about", "above", "across", "after", "against", "along", "among", "around", "before", "behind"),
        *("being", "below", "beneath", "beyond", "between", "could", "during", "every", "other", "should"),
        *("since", "still", "their", "these", "those", "through", "throughout", "toward", "towards", "under"),
        *("until", "using", "versus", "where", "which", "while", "whose", "within", "without", "would"),
    )
)
"""Words of that length that are not distinctive."""


class Change(NamedTuple):
    """The replacement of one word of a title."""

    old: str
    at: int
    """Where the word begins among the letters of the title."""
    new: str
    keeps: bool
    """Whether the old word stays after the new one: the title then has one more word."""

    def replacement(self, word: str) -> str:
        """The replacement for the old word as printed here."""
        new = self.new.upper() if word.isupper() else self.new.capitalize() if word[0].isupper() else self.new
        return f"{new} {word}" if self.keeps else new


class _Letters:
    """The letters and digits of a text in plain form, with the places of its words."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.words = list(map(plain_word, _RUN.findall(text)))
        self.starts = [0, *accumulate(map(len, self.words))]
        """Where each word begins among the letters, and the end."""
        self.all = "".join(self.words)

    @cached_property
    def _runs(self) -> list[tuple[int, int]]:
        # Only for texts with a change: the places of all words take as long as the words.
        return list(map(re.Match.span, _RUN.finditer(self.text)))

    def changed(self, change: Change, at: int) -> tuple[Span, str]:
        """The place of a changed word of the title that begins at a place, and its replacement."""
        start, end = at + change.at, at + change.at + len(change.old)
        first, last = bisect_right(self.starts, start) - 1, bisect_left(self.starts, end) - 1
        span = Span(self._place(first, start, False), self._place(last, end, True))
        return span, change.replacement(span.of(self.text))

    def _place(self, run: int, letter: int, is_end: bool) -> int:
        start, end = self._runs[run]
        inside, length = letter - self.starts[run], self.starts[run + 1] - self.starts[run]
        # A letter may have two in plain form; then the whole word counts.
        return start + inside if length == end - start else end if is_end else start


@dataclass(frozen=True)
class TitleSwap:
    """The replaced word of each title."""

    words: dict[str, Change]
    """By the letters of the title, so that a preprint and its article with the same title change in the same way. The
    main part of a title with a subtitle has an entry of its own, since it is often cited alone."""
    titles: dict[DocumentId, str]
    """The letters of each document's title."""
    searched: frozenset[str]
    """The letters of titles that are long enough to be found in running text."""

    def title(self, text: str) -> str:
        """A title after the swap."""
        for span, new in sorted(self._in_title(text), reverse=True):
            text = f"{text[: span.start]}{new}{text[span.end :]}"
        return text

    def changes(self, document: Document) -> list[tuple[Span, str]]:
        """The changes in a document: its own title, those of its reference list, and those in running text."""
        replacements: list[tuple[Span, str]] = []
        for title in (document.title, *(entry.title for entry in document.references if entry.title is not None)):
            replacements += [
                (title_span.shifted(title.start), new) for title_span, new in self._in_title(title.of(document.text))
            ]
        replacements = _without_overlaps([*replacements, *self._in_text(_Letters(document.text))])
        in_other_forms = (self._other_form(document, entry, replacements) for entry in document.references)
        return _without_overlaps(
            [*replacements, *(replacement for replacement in in_other_forms if replacement is not None)]
        )

    def missed(self, document: Document, changed: Sequence[Span]) -> int:
        """The number of references that cite a title with a replaced word and have no change."""
        return sum(
            self._change(entry) is not None and not _any_inside(entry.title or entry.span, changed)
            for entry in document.references
        )

    def _change(self, entry: Reference) -> Change | None:
        return self.words.get(self.titles.get(entry.document or "", ""))

    def _in_title(self, text: str) -> list[tuple[Span, str]]:
        """The changes in a text that may be a title as a whole."""
        letters = _Letters(text)
        change = self.words.get(letters.all)
        return _without_overlaps([*([letters.changed(change, 0)] if change else []), *self._in_text(letters)])

    def _in_text(self, letters: _Letters) -> list[tuple[Span, str]]:
        """The changes of every title that a text contains, of the longest first."""
        candidates = [
            (title, at)
            for at in letters.starts[:-1]
            for title in self._by_start.get(letters.all[at : at + START], ())
            if letters.all.startswith(title, at)  # it may end inside a word: "limit" in "limits"
        ]
        candidates.sort(key=lambda candidate: (-len(candidate[0]), candidate[1]))
        return _without_overlaps(letters.changed(self.words[title], at) for title, at in candidates)

    @cached_property
    def _by_start(self) -> dict[str, list[str]]:
        titles_by_start: dict[str, list[str]] = defaultdict(list)
        for letters in sorted(self.searched):
            titles_by_start[letters[:START]].append(letters)
        return dict(titles_by_start)

    def _other_form(
        self, document: Document, entry: Reference, located: Sequence[tuple[Span, str]]
    ) -> tuple[Span, str] | None:
        """The change of a cited title that the entry prints in another form, such as without a word."""
        change, where = self._change(entry), entry.title or entry.span
        if change is None or _any_inside(where, [span for span, _ in located]):
            return None
        for match in WORD.finditer(where.of(document.text)):
            span = Span(*match.span()).shifted(where.start)
            if plain_word(match[0]) == change.old and not any(author.contains(span) for author in entry.authors):
                return span, change.replacement(match[0])
        return None


def _any_inside(where: Span, spans: Sequence[Span]) -> bool:
    """Whether one of the spans, which are in order, is inside."""
    index = bisect_left(spans, where.start, key=lambda span: span.start)
    return index < len(spans) and spans[index].end <= where.end


def _without_overlaps(changes: Iterable[tuple[Span, str]]) -> list[tuple[Span, str]]:
    """The changes in the order of the text, without those that overlap an earlier one."""
    separate: list[tuple[Span, str]] = []
    for span, new in changes:
        index = bisect_left(separate, (span, new))
        if not any(
            span.start < kept_span.end and kept_span.start < span.end
            for kept_span, _ in separate[max(0, index - 1) : index + 1]
        ):
            insort(separate, (span, new))
    return separate


class TitleCollector:
    """Collects the titles of a corpus, then assigns the new ones."""

    def __init__(self) -> None:
        self._titles: dict[DocumentId, str] = {}

    def add(self, document: Document) -> None:
        """Add the title of one document."""
        self._titles[document.id] = document.title_text

    def swap(self, seed: int, names: Collection[str]) -> TitleSwap:
        """For each title a word of another title that replaces one of its own, or precedes it; never a name."""
        by_letters = {title_letters(title): title for title in self._titles.values()}
        pool: dict[str, list[str]] = defaultdict(list)
        title_words = {word for title in by_letters.values() for word in distinctive_words(_main_title(title))}
        for word in sorted(title_words - {*names}):
            pool[word[-SUFFIX:]].append(word)
        taken = set(by_letters)
        words: dict[str, Change] = {}
        for letters, title in sorted(by_letters.items()):
            change = _new_change(title, pool, taken, rng_for(seed, "title", letters))
            if change is not None:
                words[letters] = change
                taken.add(_letters_after(letters, change))
        for letters, change in list(words.items()):
            part = title_letters(main_part(by_letters[letters]))
            if change.at + len(change.old) <= len(part):
                words.setdefault(part, change)
        searched = {
            title_letters(part) for title in by_letters.values() for part in (title, main_part(title)) if _is_long(part)
        }
        return TitleSwap(
            words, {id: title_letters(title) for id, title in self._titles.items()}, frozenset(searched & words.keys())
        )


def _new_change(title: str, pool: dict[str, list[str]], taken: Collection[str], rng: Random) -> Change | None:
    """A change that gives a new title; None if no change does."""
    letters = _Letters(title)
    starts = dict(zip(letters.words, letters.starts, strict=False))
    own_words = set(letters.words)
    # A short word only if there is no other.
    for candidates in (distinctive_words(_main_title(title)), distinctive_words(title), distinctive_words(title, 3)):
        for old in rng.sample(candidates, len(candidates)):
            if old not in starts:  # a part of a word with digits
                continue
            # A word with the same ending keeps the grammar. The words of all titles are the last resort.
            for replacement_words in (pool.get(old[-SUFFIX:], []), [word for words in pool.values() for word in words]):
                # "Hyperparameter" would leave "parameter" to be read.
                new = rng.choice(
                    [
                        replacement_word
                        for replacement_word in replacement_words
                        if replacement_word not in own_words and old not in replacement_word
                    ]
                    or [""]
                )
                # Before its first word, an additional one would leave the whole old title to be read.
                keeps = starts[old] > 0 and rng.random() < INSERT_SHARE
                change = Change(old, starts[old], new, keeps)
                if new and _letters_after(letters.all, change) not in taken:
                    return change
    return None


def _letters_after(letters: str, change: Change) -> str:
    """The letters of a title after its change."""
    ending = letters[change.at + len(change.old) * (not change.keeps) :]
    return f"{letters[: change.at]}{change.new}{ending}"


def _main_title(title: str) -> str:
    """The main part of a title, since a subtitle may be left out; the subtitle if the main part is only a name."""
    main = main_part(title)
    return main if len(_RUN.findall(main)) >= MIN_TITLE_WORDS else title[len(main) :] or title


def main_part(title: str) -> str:
    """A title without its subtitle."""
    return _SUBTITLE.split(title, maxsplit=1)[0]


def _is_long(title: str) -> bool:
    letters = _Letters(title)
    # "Salt-build-core" may be the name of a program, which is printed on every page.
    is_one_word = " " not in title.strip()
    return not is_one_word and len(letters.words) >= MIN_TITLE_WORDS and len(letters.all) >= MIN_TITLE_LETTERS


def distinctive_words(title: str, least: int = MIN_LETTERS) -> list[str]:
    """The words of a title, in normal form, that are distinctive and occur once."""
    words = [plain_word(word) for word in WORD.findall(title)]
    return [
        word
        for word in dict.fromkeys(words)
        if len(word) >= least and word.isascii() and word not in _FUNCTION_WORDS and words.count(word) == 1
    ]


def title_letters(title: str) -> str:
    """The letters and digits of a title; equal for one title in any typography."""
    return _Letters(title).all
