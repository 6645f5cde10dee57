"""Reading quality in every format: JATS is complete, and no other reader may get worse."""

from __future__ import annotations

from itertools import islice

import pytest

from fathom.corpus.generated.lexicon import SUBJECTS
from fathom.corpus.generated.research import write_article
from fathom.corpus.generated.world import Length, World
from fathom.corpus.selftest.formats import FORMATS
from fathom.corpus.selftest.run import run_self_test
from fathom.corpus.selftest.scores import SelfTest

LENGTHS: tuple[Length, ...] = ("full", "short")

Floors = dict[str, tuple[float, float]]
"""The least precision and recall of a field."""

DOCUMENTS = [write_article(plan) for length in LENGTHS for plan in islice(World(3, list(SUBJECTS), length).plans(), 6)]
"""Six whole documents and six letters."""

_CITED = [citation.span for document in DOCUMENTS for citation in document.citations]
_MARKERS = sum(len({citation.span for citation in document.citations}) for document in DOCUMENTS)
ONE_TARGET = {"citations": (1.0, round(_MARKERS / len(_CITED), 4))}
"""A marker with several targets, such as "4-6", is written with the first of them: nothing but the others is lost."""

OWN_CITATIONS = {"paragraphs": (0.69, 0.69)}
"""The markup prints citations in its own style, which changes the paragraphs that hold some."""

FLOORS: dict[str, Floors] = {
    "jats": {},
    "tei": ONE_TARGET,
    "latexml": ONE_TARGET,
    # Of sections only the nearest heading is written, so those with nothing but subsections are lost; nor are tables.
    "s2orc": {**ONE_TARGET, "headings": (1.0, 0.96), "cells": (1.0, 0.0), "captions": (1.0, 0.0)},
    # The same form holds every heading.
    "s2orc-2023": {**ONE_TARGET, "cells": (1.0, 0.0), "captions": (1.0, 0.0)},
    # Citations are plain text and told by their look; a byline above no abstract can be a paragraph.
    "markdown": {"authors": (1.0, 0.68), "paragraphs": (0.81, 0.83), "citations": (0.99, 0.98)},
    "myst": OWN_CITATIONS,
    "rst": OWN_CITATIONS,
    "latex": OWN_CITATIONS,
    # Told by the layout alone: a paragraph whose last line is full, at the foot of a page, seems to go on overleaf.
    "pdf": {"paragraphs": (0.98, 0.98)},
}
"""What holds now where it is not all; who makes a reader better raises them."""


@pytest.fixture(scope="module")
def tested() -> SelfTest:
    return run_self_test(iter(DOCUMENTS))


def test_every_document_is_read_back(tested: SelfTest) -> None:
    assert tested.documents == 12
    assert tested.refused == {}


def test_every_format_has_lower_bounds() -> None:
    assert set(FLOORS) == set(FORMATS)


@pytest.mark.parametrize("kind", FLOORS)
def test_no_reader_gets_worse(kind: str, tested: SelfTest) -> None:
    floors = FLOORS[kind]
    worse = [
        f"{field}: precision {measured.precision}, recall {measured.recall}, wanted {least}"
        for field, measured in tested.formats[kind].items()
        if (least := floors.get(field, (1.0, 1.0))) and (measured.precision < least[0] or measured.recall < least[1])
    ]
    assert worse == []


def test_there_is_something_to_measure(tested: SelfTest) -> None:
    written = {field: measured.written for field, measured in tested.formats["jats"].items()}
    assert {field for field, count in written.items() if not count} == {"facts"}
    assert written["citations"] > 400
    assert written["cells"] > 400
