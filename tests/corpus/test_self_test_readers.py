"""Precision and recall of every reader on generated documents: 1 for JATS, at least the minimum for others."""

from __future__ import annotations

from itertools import islice

import pytest

from fathom.corpus.generated.lexicon import SUBJECTS
from fathom.corpus.generated.research import write_article
from fathom.corpus.generated.world import ArticleLength, World
from fathom.corpus.selftest.formats import FORMATS
from fathom.corpus.selftest.measure import SelfTest
from fathom.corpus.selftest.run import run_self_test
from tests.sharing import SharedFolders

LENGTHS: tuple[ArticleLength, ...] = ("full", "short")

Minimums = dict[str, tuple[float, float]]
"""Minimum precision and recall by field."""

DOCUMENTS = [write_article(plan) for length in LENGTHS for plan in islice(World(3, list(SUBJECTS), length).plans(), 6)]
"""Six full-length articles and six short ones."""

_CITED = [citation.span for document in DOCUMENTS for citation in document.citations]
_MARKERS = sum(len({citation.span for citation in document.citations}) for document in DOCUMENTS)
ONE_TARGET = {"citations": (1.0, round(_MARKERS / len(_CITED), 4))}
"""A marker with several targets, such as "4-6", is written with the first only. The others are lost."""

GENERATED_CITATIONS = {"paragraphs": (0.69, 0.69)}
"""The markup generates the text of citations, which changes the paragraphs that contain them."""

RAISED = {"paragraphs": (0.83, 0.83), "citations": (1.0, 0.99)}
"""Superscripts are marked, not written as "<sup>", which changes the paragraphs that contain them."""

MINIMUMS: dict[str, Minimums] = {
    "jats": {},
    "tei": ONE_TARGET,
    "latexml": ONE_TARGET,
    # A paragraph has only its nearest heading, so that a section of subsections alone is lost. No tables.
    "s2orc": {**ONE_TARGET, "headings": (1.0, 0.96), "cells": (1.0, 0.0), "captions": (1.0, 0.0)},
    # This version has every heading, but no tables.
    "s2orc-2023": {**ONE_TARGET, "cells": (1.0, 0.0), "captions": (1.0, 0.0)},
    # Citations are detected in plain text; a byline without an abstract after it may be read as a paragraph.
    "markdown": {"authors": (1.0, 0.68), "paragraphs": (0.81, 0.83), "citations": (0.99, 0.98)},
    "myst": GENERATED_CITATIONS,
    "rst": GENERATED_CITATIONS,
    "latex": GENERATED_CITATIONS,
    # A paragraph that ends with a full line at the end of a page is joined with the next one.
    "pdf": {"paragraphs": (0.98, 0.98)},
    # Plain text has no superscripts, which mark the citations of two articles.
    "text": {"citations": (1.0, 0.68)},
    "docx": RAISED,
    "epub": RAISED,
    "html-article": RAISED,
    "pdf-ieee": {"paragraphs": (0.98, 0.98), "citations": (1.0, 0.99)},
    "pdf-acm": {"paragraphs": (0.98, 0.98), "citations": (0.99, 0.99)},
    "pdf-aps": {"paragraphs": (0.98, 0.98), "citations": (0.99, 0.99)},
    "pdf-iclr": {},
    "pdf-ams": {},
    "pdf-springer": {},
    "pdf-jmlr": {"cells": (0.99, 0.99)},
}
"""Current scores of fields that are not complete. Raise them when a reader improves."""


@pytest.fixture(scope="module")
def tested(build_once: SharedFolders) -> SelfTest:
    return build_once.value("self-test", lambda: run_self_test(iter(DOCUMENTS)))


def test_every_document_is_read_back(tested: SelfTest) -> None:
    assert tested.documents == 12
    assert tested.refused == {}


def test_every_format_has_lower_bounds() -> None:
    assert set(MINIMUMS) == set(FORMATS)


@pytest.mark.parametrize("name", MINIMUMS)
def test_no_reader_gets_worse(name: str, tested: SelfTest) -> None:
    minimums = MINIMUMS[name]
    worse = [
        f"{field}: precision {score.precision}, recall {score.recall}, minimum {minimum}"
        for field, score in tested.formats[name].items()
        if (minimum := minimums.get(field, (1.0, 1.0))) and (score.precision < minimum[0] or score.recall < minimum[1])
    ]
    assert worse == []


def test_jats_has_values_of_every_field(tested: SelfTest) -> None:
    written = {field: score.written for field, score in tested.formats["jats"].items()}
    assert {field for field, count in written.items() if not count} == {"facts"}
    assert written["citations"] > 400
    assert written["cells"] > 400
