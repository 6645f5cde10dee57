"""The probes of one document: the text before a citation that names an author, and the title without one word."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Literal

from fathom.corpus.swap_titles import distinctive_words
from fathom.records.contexts import Edit
from fathom.records.documents import Citation, Document
from fathom.records.names import WORD, family_name, plain_word
from fathom.records.spans import Span
from fathom.tasks.citations.mentions import Mentions
from fathom.tasks.memorization.check import contains_name, names_occur_early

Task = Literal["citation", "title"]

BLANK = "____"
"""Replaces the hidden word of a title."""

LEAST = 400
"""The minimum number of characters shown before a citation: a shorter text does not identify the document."""

STEPS = ("alone", "resolved", "named in the text", "not named before")
"""The requirements of a citation, in the order in which they are checked."""


@dataclass(frozen=True)
class Probe:
    """Part of a document, and the name or word that a model with the document memorized would give."""

    task: Task
    document: Document
    place: Span
    """The hidden span: the citation, or the word of the title."""
    names: tuple[str, ...]
    """The correct name or word, and other spellings of it."""
    entry: int
    """The number of the cited entry in the reference list; zero for a title."""
    edits: tuple[Edit, ...]
    """The edits that turn the document's text into the shown text."""

    @property
    def rest(self) -> str:
        """The document's text from the hidden span on."""
        return self.document.text[self.place.start :]


class CitationProbes:
    """The citations of one document that can be probed."""

    def __init__(self, document: Document, characters: int) -> None:
        self._document = document
        self._characters = characters
        self._mentions = Mentions(document, document.text)
        self.steps: Counter[str] = Counter()
        """The number of citations that meet each requirement of `STEPS`; filled by `probes`."""

    def probes(self) -> Iterator[Probe]:
        """A probe for each citation that continues with a name not contained in the text before it."""
        for citation in self._document.single_citations():
            self.steps["alone"] += 1
            names = self._names(citation)
            if not names:
                continue
            self.steps["resolved"] += 1
            place = self._mentions.place_of(citation)
            if not names_occur_early(names, self._document.text[place.start :]):
                continue
            self.steps["named in the text"] += 1
            shown = self._shown(place.start)
            if shown is None or any(contains_name(shown.of(self._document.text), name) for name in names):
                continue
            self.steps["not named before"] += 1
            yield Probe("citation", self._document, place, names, citation.reference or 0, self._edits(shown))

    def _names(self, citation: Citation) -> tuple[str, ...]:
        """The family name of the cited work's first author; none if the entry has no authors."""
        if citation.reference is None:
            return ()
        authors = self._document.references[citation.reference - 1].authors
        name = family_name(authors[0].of(self._document.text)) if authors else ""
        return (name,) if sum(len(word) for word in WORD.findall(name)) > 1 else ()

    def _shown(self, cut: int) -> Span | None:
        """The text shown before a citation, from the start of a paragraph; None if it is too short."""
        text = self._document.text
        end = len(text[:cut].rstrip())
        first = max(0, end - self._characters)
        start = (
            0 if first == 0 else next((span.start for span in self._document.paragraphs if span.start >= first), end)
        )
        return Span(start, end) if end - start >= LEAST and not text[start].isspace() else None

    def _edits(self, shown: Span) -> tuple[Edit, ...]:
        before = (Edit(span=Span(0, shown.start)),) if shown.start else ()
        return (*before, Edit(span=Span(shown.end, len(self._document.text)), text="\n"))


def title_probe(document: Document, frequency: Mapping[str, int], rng: Random) -> Probe | None:
    """The title without its rarest word, and the byline; None if no word is distinctive."""
    text, title = document.text, document.title
    kept = [title, *(author.span for author in document.authors)]
    byline = " ".join(span.of(text) for span in kept[1:])
    words = [word for word in distinctive_words(title.of(text)) if not contains_name(byline, word)]
    if not words or any(span.start < title.end for span in kept[1:]):
        return None
    # A frequent word can be guessed: "models" after "large language" does not show memorization.
    rarest = min(frequency.get(word, 0) for word in words)
    word = rng.choice([word for word in words if frequency.get(word, 0) == rarest])
    place = next(Span(*found.span()) for found in WORD.finditer(title.of(text)) if plain_word(found[0]) == word)
    place = place.shifted(title.start)
    return Probe("title", document, place, (place.of(text),), 0, tuple(_front(document, place)))


def _front(document: Document, place: Span) -> Iterator[Edit]:
    """The edits that show the title with its blank, and the byline."""
    title, authors = document.title, [author.span for author in document.authors]
    if title.start:
        yield Edit(span=Span(0, title.start))
    yield Edit(span=place, text=BLANK)
    end = title.end
    if authors:
        byline = Span(min(span.start for span in authors), max(span.end for span in authors))
        yield Edit(span=Span(end, byline.start), text="\n\n")
        end = byline.end
    yield Edit(span=Span(end, len(document.text)), text="\n")
