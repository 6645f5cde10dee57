"""Other titles for the works of a corpus: a word of each becomes another or gets one before it, cited or not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from fathom.records.documents import Document, DocumentId
from fathom.records.names import WORD, plain_word
from fathom.records.rng import rng_for
from fathom.records.spans import Span

TELLING = 5
"""Letters of a word that may tell something."""
ENDING = 2
"""Letters at the end of a word that its successor should share, so that a noun becomes a noun."""

LENGTHENED = 0.5
"""The share of titles that get a word more."""

_LINKING = frozenset(
    (
        *("about", "above", "across", "after", "against", "along", "among", "around", "before", "behind"),
        *("being", "below", "beneath", "beyond", "between", "could", "during", "every", "other", "should"),
        *("since", "still", "their", "these", "those", "through", "throughout", "toward", "towards", "under"),
        *("until", "using", "versus", "where", "which", "while", "whose", "within", "without", "would"),
    )
)
"""Words of that length that hold a title together and tell nothing."""


class Change(NamedTuple):
    """What becomes of one word of a title."""

    old: str
    new: str
    keeps: bool
    """Whether the old word stays behind the new one: the title then has a word more, and counts of words change."""

    def made(self, word: str) -> str:
        """What comes to stand in the place of the old word as it is printed here."""
        new = self.new.upper() if word.isupper() else self.new.capitalize() if word[0].isupper() else self.new
        return f"{new} {word}" if self.keeps else new


@dataclass(frozen=True)
class TitleSwap:
    """Which word of which title becomes which."""

    words: dict[str, Change]
    """By the title's letters: preprint and document, which have one title, change alike."""
    titles: dict[DocumentId, str]
    """The letters of each document's title."""

    def title(self, text: str) -> str:
        """A title as it reads afterwards."""
        found = self._place(letters_of(text), text)
        return text if found is None else f"{text[: found[0].start]}{found[1]}{text[found[0].end :]}"

    def in_text(self, document: Document) -> Iterator[tuple[Span, str]]:
        """What changes in a document: its own title and those in the entries of its reference list."""
        for id, place in [(document.id, document.title), *self._entries(document)]:
            found = self._place(self.titles[id], place.of(document.text))
            if found is not None:
                yield found[0].shifted(place.start), found[1]

    def missed(self, document: Document) -> int:
        """Entries of its reference list that keep a word which the title of their work has lost."""
        return sum(
            self.titles[id] in self.words and self._place(self.titles[id], place.of(document.text)) is None
            for id, place in self._entries(document)
        )

    def _entries(self, document: Document) -> list[tuple[DocumentId, Span]]:
        named = [entry for entry in document.references if entry.document in self.titles]
        return [(entry.document, entry.title or entry.span) for entry in named if entry.document is not None]

    def _place(self, letters: str, text: str) -> tuple[Span, str] | None:
        """Where the word stands in a title as it is printed here, and what comes to stand there."""
        change = self.words.get(letters)
        for found in WORD.finditer(text) if change else ():
            if change and plain_word(found[0]) == change.old:
                return Span(*found.span()), change.made(found[0])
        return None


class TitleCollector:
    """Hears every document of a corpus, then says what its titles become."""

    def __init__(self) -> None:
        self._titles: dict[DocumentId, str] = {}

    def add(self, document: Document) -> None:
        """Note one title."""
        self._titles[document.id] = document.title_text

    def retitling(self, seed: int, names: Collection[str]) -> TitleSwap:
        """For each title a word of some other title in the place of one of its own, or before it; never a name."""
        by_letters = {letters_of(title): title for title in self._titles.values()}
        pool: dict[str, list[str]] = defaultdict(list)
        for word in sorted({word for title in by_letters.values() for word in distinctive_words(title, names)}):
            pool[word[-ENDING:]].append(word)
        taken = set(by_letters)
        words: dict[str, Change] = {}
        for letters, title in sorted(by_letters.items()):
            own = distinctive_words(title, names)
            rng = rng_for(seed, "title", letters)
            keeps = rng.random() < LENGTHENED
            for old in rng.sample(own, len(own)):
                # A word of the same ending keeps the grammar; where there is none, another word of the title must do.
                others = [word for word in pool[old[-ENDING:]] if word not in own]
                new = rng.choice(others) if others else ""
                after = letters.replace(old, new + old * keeps, 1)
                if new and after not in taken:
                    words[letters] = Change(old, new, keeps)
                    taken.add(after)
                    break
        return TitleSwap(words, {id: letters_of(title) for id, title in self._titles.items()})


def distinctive_words(title: str, names: Collection[str] = ()) -> list[str]:
    """The words of a title, as they are compared, that may tell something, stand in it once and are nobody's name."""
    words = [plain_word(word) for word in WORD.findall(title)]
    return [
        word
        for word in dict.fromkeys(words)
        if len(word) >= TELLING
        and word.isascii()
        and word not in _LINKING
        and word not in names
        and words.count(word) == 1
    ]


def letters_of(title: str) -> str:
    """Equal for one title however it is set."""
    return "".join(map(plain_word, WORD.findall(title)))
