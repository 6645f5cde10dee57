"""New titles for the works of a corpus: a word is replaced or inserted, in the title and where it is cited."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from fathom.records.documents import Document, DocumentId
from fathom.records.names import WORD, plain_word
from fathom.records.rng import rng_for
from fathom.records.spans import Span

MIN_LETTERS = 5
"""Minimum letters of a distinctive word."""
SUFFIX = 2
"""Letters at the end of a word that its replacement shares, so that a noun becomes a noun."""

INSERT_SHARE = 0.5
"""The share of titles that get an additional word."""

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
    new: str
    keeps: bool
    """Whether the old word stays after the new one: the title then has one more word."""

    def replacement(self, word: str) -> str:
        """The replacement for the old word as printed here."""
        new = self.new.upper() if word.isupper() else self.new.capitalize() if word[0].isupper() else self.new
        return f"{new} {word}" if self.keeps else new


@dataclass(frozen=True)
class TitleSwap:
    """The replaced word of each title."""

    words: dict[str, Change]
    """By the letters of the title, so that a preprint and its article with the same title change in the same way."""
    titles: dict[DocumentId, str]
    """The letters of each document's title."""

    def title(self, text: str) -> str:
        """A title after the swap."""
        place = self._place(title_letters(text), text)
        return text if place is None else f"{text[: place[0].start]}{place[1]}{text[place[0].end :]}"

    def changes(self, document: Document) -> Iterator[tuple[Span, str]]:
        """The changes in a document: its own title and those in its reference list."""
        for id, title in [(document.id, document.title), *self._entries(document)]:
            place = self._place(self.titles[id], title.of(document.text))
            if place is not None:
                yield place[0].shifted(title.start), place[1]

    def missed(self, document: Document) -> int:
        """The number of references in which the replaced word of the cited title was not found."""
        return sum(
            self.titles[id] in self.words and self._place(self.titles[id], place.of(document.text)) is None
            for id, place in self._entries(document)
        )

    def _entries(self, document: Document) -> list[tuple[DocumentId, Span]]:
        named = [entry for entry in document.references if entry.document in self.titles]
        return [(entry.document, entry.title or entry.span) for entry in named if entry.document is not None]

    def _place(self, letters: str, text: str) -> tuple[Span, str] | None:
        """The span of the word in a title as printed here, and its replacement."""
        change = self.words.get(letters)
        for match in WORD.finditer(text) if change else ():
            if change and plain_word(match[0]) == change.old:
                return Span(*match.span()), change.replacement(match[0])
        return None


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
        for word in sorted({word for title in by_letters.values() for word in distinctive_words(title, names)}):
            pool[word[-SUFFIX:]].append(word)
        taken = set(by_letters)
        words: dict[str, Change] = {}
        for letters, title in sorted(by_letters.items()):
            own = distinctive_words(title, names)
            rng = rng_for(seed, "title", letters)
            keeps = rng.random() < INSERT_SHARE
            for old in rng.sample(own, len(own)):
                # A word with the same ending keeps the grammar; if there is none, another word is tried.
                others = [word for word in pool[old[-SUFFIX:]] if word not in own]
                new = rng.choice(others) if others else ""
                after = letters.replace(old, new + old * keeps, 1)
                if new and after not in taken:
                    words[letters] = Change(old, new, keeps)
                    taken.add(after)
                    break
        return TitleSwap(words, {id: title_letters(title) for id, title in self._titles.items()})


def distinctive_words(title: str, names: Collection[str] = ()) -> list[str]:
    """The words of a title, in normal form, that are distinctive, occur once and are no name."""
    words = [plain_word(word) for word in WORD.findall(title)]
    return [
        word
        for word in dict.fromkeys(words)
        if len(word) >= MIN_LETTERS
        and word.isascii()
        and word not in _FUNCTION_WORDS
        and word not in names
        and words.count(word) == 1
    ]


def title_letters(title: str) -> str:
    """The letters of a title; equal for one title in any typography."""
    return "".join(map(plain_word, WORD.findall(title)))
