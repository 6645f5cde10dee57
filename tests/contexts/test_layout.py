"""Ranges of a laid-out context, and the way back from the laid-out text to the documents."""

from __future__ import annotations

from random import Random

import pytest

from fathom.contexts.assembly import PlacedDocument, assemble
from fathom.contexts.layout import render, render_range
from fathom.corpus.store import Corpus
from fathom.models.tokenizers import tokenizer
from fathom.records.contexts import Context, Edit, apply_edits
from fathom.records.errors import FathomError
from fathom.records.spans import Span


@pytest.fixture
def edited(small: Corpus) -> Context:
    """Four documents, two of them with masks and cuts."""
    pieces = []
    for number, id in enumerate([id for id, _ in small.texts()][:4]):
        text = small.text(id)
        edits = (
            Edit(span=Span(30, 40), text="[[MASK]]"),
            Edit(span=Span(100, 900)),
            Edit(span=Span(950, 951), text="é"),
        )
        own = edits if number % 2 else ()
        shown = apply_edits(text, own)
        pieces.append(PlacedDocument(id, small.stored_text(id).fingerprint, len(shown), 100, own))
    return assemble(pieces, tokenizer("o200k"), length=1_000_000)


def test_a_range_is_a_slice_of_the_whole(small: Corpus, edited: Context) -> None:
    whole = render(edited, small).decode()
    rng = Random(1)
    edges = [edge for place in edited.places for edge in (place.span.start - 3, place.span.start, place.span.end)]
    ends = [0, len(whole), len(whole) - 5, *edges, *(rng.randrange(len(whole)) for _ in range(60))]
    for start in ends:
        for end in ends:
            assert render_range(edited, small, start, end) == whole[start:end]


def test_shown_characters_lead_back_to_the_document(small: Corpus, edited: Context) -> None:
    whole = render(edited, small).decode()
    for place in edited.places:
        text = small.text(place.document)
        for start in range(0, 1_200, 7):
            for end in (start + 1, start + 50, start + 500):
                shown = place.locate(Span(start, end))
                if shown is not None:
                    assert place.source(*shown) == Span(start, end)
        assert place.source(*place.span) == Span(0, len(text))
        inside = place.locate(Span(0, 30))
        assert inside is not None
        assert inside.of(whole) == text[:30]


def test_an_end_within_a_replacement_counts_as_the_replaced_span(edited: Context) -> None:
    place = edited.places[1]
    mask = place.span.start + 32
    assert place.source(mask, mask + 2) == Span(30, 40)


def test_a_range_from_another_corpus_is_refused(small: Corpus, edited: Context) -> None:
    wrong = edited.places[0].model_copy(update={"document": edited.places[2].document})
    other = edited.model_copy(update={"places": (wrong, *edited.places[1:])})
    with pytest.raises(FathomError, match="was not built from the corpus"):
        render_range(other, small, 0, 200)
