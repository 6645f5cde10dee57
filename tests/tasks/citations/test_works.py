"""Candidate works: what is shown of them."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path
from random import Random

import pytest

from fathom.corpus.document_reading import Filters
from fathom.corpus.ingest import ingest
from fathom.corpus.store import Corpus
from fathom.tasks.citations.build import CitationBuilder
from fathom.tasks.citations.settings import CitationSettings, Form
from fathom.tasks.citations.shown_text import OMITTED
from fathom.tasks.citations.word_counts import stems_in
from fathom.tasks.citations.works import CandidateWork


def _words(text: str) -> set[str]:
    return set(stems_in(text)) - {"hidden", "name"}


@pytest.mark.parametrize("form", ["concise", "full", "body"])
def test_an_excerpt_is_shown_as_long_as_it_says(form: Form, citing_corpus: Path) -> None:
    """Its edits leave only whole paragraphs of the document, in order, and no more characters than were asked for."""
    rng = Random(3)
    cut = 0
    with Corpus(citing_corpus) as corpus:
        for listed in list(corpus.entries())[:8]:
            work = CandidateWork(corpus, listed.id)
            whole = work.shown(form)
            assert whole.excerpt(whole.length, ()) is whole
            for characters in (0, 900, *(rng.randrange(whole.length + 50) for _ in range(8))):
                wanted = tuple(sorted(rng.sample(sorted(set(stems_in(work.text))), 12)))
                shown = work.excerpt(form, characters, wanted)
                assert (
                    shown.length == len(shown.text) - 1 <= max(characters, whole.length * (characters >= whole.length))
                )
                pieces = [piece for piece in shown.text.strip().split(OMITTED) if piece]
                places = [whole.text.find(piece) for piece in pieces]
                assert -1 not in places
                assert places == sorted(places)
                cut += shown.length < whole.length
    assert cut > 40


def test_no_word_of_the_citing_sentence_is_lost(citing_corpus: Path) -> None:
    """A word that the work contains is in its excerpt, wherever it is, while there is space for its paragraph."""
    rng = Random(4)
    late = 0
    with Corpus(citing_corpus) as corpus:
        for listed in list(corpus.entries())[:8]:
            whole = CandidateWork(corpus, listed.id).shown("body")
            wanted = tuple(sorted(rng.sample(sorted(_words(whole.text)), 6)))
            shown = whole.excerpt(9_000, wanted)
            assert set(wanted) <= _words(shown.text)
            late += not set(wanted) <= _words(whole.text[:9_000])
    assert late > 4


JUDGE = """# JudgeLM: Grading with Models that were Tuned for It

Ann Lind

## Abstract

We present JudgeLM, a grader.

## Method

What follows is said once more below: this is JudgeLM

Grading with models that were tuned for it is what the second paragraph is about, to its very end.

And a third one closes the section.
"""


def test_a_title_that_runs_over_the_end_of_a_paragraph_is_hidden_on_both_sides(tmp_path: Path) -> None:
    """What is shown may end there: the title as one would be shown again, and the name at its beginning with it."""
    (tmp_path / "judge.md").write_text(JUDGE)
    ingest([tmp_path / "judge.md"], tmp_path / "corpus", Filters())
    with Corpus(tmp_path / "corpus") as corpus:
        body = CandidateWork(corpus, next(corpus.entries()).id).shown("body")
    assert "this is [[NAME]]\n\n[[NAME]] is what" in body.text
    assert len(body.parts) > 2
    for characters in range(0, body.length, 10):
        assert "JudgeLM" not in body.excerpt(characters, ("gradin", "tuned")).text


def test_no_cycle_keeps_what_a_maker_has_opened(citing_corpus: Path) -> None:
    """Thousands of works would stay in memory and slow down the garbage collector."""
    gc.collect()
    gc.disable()
    try:
        with Corpus(citing_corpus) as corpus:
            maker = CitationBuilder(corpus, CitationSettings(items=1), 0)
            work = weakref.ref(maker._works.work(next(corpus.entries()).id))
            assert sum(1 for _ in maker.build())
            assert maker.report()
            assert work() is not None
            del maker
            assert work() is None
    finally:
        gc.enable()
