"""Writes a document paragraph by paragraph; every planted value is recorded as a fact."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from fathom.corpus.generated.draft import Draft
from fathom.corpus.generated.prose.pack import ProsePack
from fathom.corpus.generated.prose.templates import (
    Chooser,
    ParagraphValues,
    PlantedValue,
    expand,
    polished,
    with_articles,
)
from fathom.records.documents import Fact
from fathom.records.spans import Span

_SENTENCE = {"en": re.compile(r"(?<=[.!?”]) (?=[A-Z“\d])"), "zh": re.compile(r"(?<=[。！？])(?![”])|(?<=[。！？]”)")}


TRIES = 30
"""How often other sentences are chosen for a paragraph that was written before."""


@dataclass(frozen=True)
class StatedParagraph:
    """A paragraph that states planted values."""

    template: str
    scope: ParagraphValues


class ProseWriter:
    """Writes into `draft` and `facts`."""

    def __init__(
        self,
        pack: ProsePack,
        language: str,
        rng: Random,
        words: Mapping[str, str],
        varied: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        """`words` are those that all paragraphs can use; of `varied` each paragraph on a topic has one."""
        self.draft = Draft(joiner="")
        self.facts: list[Fact] = []
        self._pack, self._language, self._rng = pack, language, rng
        self._words = dict(words)
        self._varied = varied or {}
        self._used: set[tuple[str, ...]] = set()
        """The paragraphs on topics that were written, by their sentences."""
        self._chooser = Chooser(rng)

    def title(self) -> Span:
        """Write the title; returns its span."""
        self.draft.write("# ")
        span = self.draft.write(self.phrase(self._chooser.pick(self._pack.titles)))
        self.draft.write("\n\n")
        return span

    def phrase(self, template: str, scope: ParagraphValues | None = None) -> str:
        """A template without planted values, filled in."""
        pieces = expand(template, {**self._words, **(scope or {})}, self._pack.phrases, self._chooser)
        return self._style_paragraph("".join(piece for piece in pieces if isinstance(piece, str)))

    def heading(self, scope: ParagraphValues) -> str:
        """A headline that was used least."""
        return self.phrase(self._chooser.pick(self._pack.headlines), scope)

    def paragraph(self, statement: StatedParagraph) -> None:
        """Write a paragraph and record its facts and sentences."""
        scope = {**self._words, **statement.scope}
        with self.draft.paragraph():
            start = self.draft.here
            pieces = [*self._pieces(expand(statement.template, scope, self._pack.phrases, self._chooser))]
            for text, planted in pieces:
                span = self.draft.write(text)
                if planted is not None:
                    self.facts.append(planted.fact.model_copy(update={"span": span}))
            self._record_sentences("".join(text for text, _ in pieces), start)

    def _pieces(self, pieces: Sequence[str | PlantedValue]) -> Iterator[tuple[str, PlantedValue | None]]:
        """The pieces as they are written, values with what surrounds them."""
        written_pieces: list[tuple[str, PlantedValue | None]] = []
        for piece in pieces:
            if isinstance(piece, PlantedValue):
                written_pieces += [
                    (piece.printed.before, None),
                    (piece.printed.text, piece),
                    (piece.printed.after, None),
                ]
            else:
                written_pieces.append((piece, None))
        written_pieces = [
            (self._before_vowels(text, written_pieces, index) if planted is None else text, planted)
            for index, (text, planted) in enumerate(written_pieces)
        ]
        written_text = self._capitals("".join(text for text, _ in written_pieces))
        position = 0
        for text, planted in written_pieces:
            yield written_text[position : position + len(text)], planted
            position += len(text)

    def _before_vowels(self, text: str, flat: Sequence[tuple[str, PlantedValue | None]], at: int) -> str:
        """The text with "an" before vowels, also if the next piece begins with one."""
        if self._language != "en":
            return text
        following = "".join(later for later, _ in flat[at + 1 : at + 3])[:3]
        return with_articles(text + following)[: -len(following) or None] if following else with_articles(text)

    def _style_paragraph(self, text: str) -> str:
        return self._capitals(with_articles(text)) if self._language == "en" else text

    def _capitals(self, text: str) -> str:
        return polished(text) if self._language == "en" else text

    def _record_sentences(self, text: str, start: int) -> None:
        """Record the sentences of a paragraph that begins at `start`."""
        at = 0
        for part in _SENTENCE[self._language].split(text):
            if part:
                begin = text.index(part, at)
                self.draft.sentences.append(Span(start + begin, start + begin + len(part)))
                at = begin + len(part)

    def body(self, statements: Sequence[StatedParagraph], fillers: int, part: str = "") -> None:
        """Write the paragraphs of a section: the statements among paragraphs on topics, after the first one.

        `part` is the part of the document, on whose topics the paragraphs are.
        """
        paragraphs = [self._filler(part) for _ in range(fillers)]
        for statement in statements:
            paragraphs.insert(self._rng.randint(1, len(paragraphs)), statement)
        for paragraph in paragraphs:
            self.paragraph(paragraph)

    def _filler(self, part: str) -> StatedParagraph:
        """A paragraph of some sentences on the topic that was used least."""
        scope = {name: self._rng.choice(words) for name, words in self._varied.items()}
        topic = self._chooser.pick([str(number) for number, group in enumerate(self._pack.topic) if group.part == part])
        sentences = self._pack.topic[int(topic)].sentences
        chosen = self._chooser.subset(sentences, min(len(sentences), self._rng.randint(3, 5)))
        for _ in range(TRIES):
            if tuple(chosen) not in self._used:
                break
            chosen = self._chooser.subset(sentences, min(len(sentences), self._rng.randint(2, len(sentences))))
        self._used.add(tuple(chosen))
        return StatedParagraph((" " if self._language == "en" else "").join(chosen), scope)
