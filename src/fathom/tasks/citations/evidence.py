"""The evidence for a citation: passages of the cited work with words of the citing sentence that few others contain."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator, Sequence
from itertools import compress

from fathom.records.documents import Passage
from fathom.records.spans import Span
from fathom.tasks.citations.shown_text import ShownText
from fathom.tasks.citations.word_counts import Words, lowered, stem_at

PASSAGES = 3
"""The maximum number of passages for one mask."""
_ENDS = ".!?\n。！？"


def evidence_words(words: Words, masks: int, common: Collection[str]) -> Words:
    """The words of a sentence that can be evidence for one of its masks; `common` are the common stems of the corpus.

    A lone mask needs a word that is not common: every other paper "exhibits" or "extends" something. The masks of a
    cloze exclude each other's works, so any of their words may decide.
    """
    return words if masks > 1 else tuple(word for word in words if word not in common)


def distinguishing_words(
    words: Words, candidates: Sequence[Container[str]], correct: int, cited: Container[int] = ()
) -> list[str]:
    """The words that the correct candidate contains and fewer than half of the incorrect ones do, the rarest first.

    `cited` are the other correct candidates if a group of citations has several.

    Which words tell candidates apart depends on all of them, but not on which one is correct: each candidate has such
    words of its own.
    """
    others = [candidate for number, candidate in enumerate(candidates) if number != correct and number not in cited]
    found = {word: sum(word in other for other in others) for word in words if word in candidates[correct]}
    return sorted(
        (word for word, many in found.items() if 2 * many < len(others)), key=lambda word: (found[word], word)
    )


def find_evidence(
    words: Words, candidates: Sequence[ShownText], correct: int, cited: Container[int] = ()
) -> Iterator[Passage]:
    """Sentences of the correct candidate with distinguishing words, as they are shown."""
    held = [set(compress(words, candidate.words.holds(words))) for candidate in candidates]
    distinguishing = distinguishing_words(words, held, correct, cited)
    shown = candidates[correct]
    spans: list[Span] = []
    for word in distinguishing:
        if len(spans) == PASSAGES:
            break
        span = _sentence_with(word, shown)
        if span is not None and span not in spans:
            spans.append(span)
    yield from (Passage(document=shown.id, span=span) for span in sorted(spans))


def _sentence_with(stem: str, shown: ShownText) -> Span | None:
    """The first sentence of a shown text that contains a word with this stem, without replaced names."""
    for part in shown.parts_with(stem):
        text = part.span.of(shown.document)
        at = stem_at(lowered(text), stem)
        if at is None:
            continue
        start = 1 + max(text.rfind(end, 0, at) for end in _ENDS)
        end = min((place for place in (text.find(end, at) for end in _ENDS) if place >= 0), default=len(text))
        span = Span(part.span.start + start, part.span.start + end)
        if shown.shows(span):
            return span
    return None
