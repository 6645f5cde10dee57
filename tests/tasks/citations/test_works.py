"""Candidate works: preparing only the part that may be shown gives the same result as preparing all."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path
from random import Random

import pytest

from fathom.corpus.document_reading import Filters
from fathom.corpus.ingest import ingest
from fathom.corpus.store import Corpus
from fathom.records.contexts import apply_edits
from fathom.tasks.citations import works
from fathom.tasks.citations.build import CitationBuilder
from fathom.tasks.citations.settings import CitationSettings, Form
from fathom.tasks.citations.works import FIRST, Work

WHOLE = 10_000_000


@pytest.mark.parametrize("form", ["concise", "full", "body"])
def test_the_beginning_of_a_work_is_cut_as_the_whole_is(form: Form, citing_corpus: Path) -> None:
    rng = Random(3)
    in_part = 0
    with Corpus(citing_corpus) as corpus:
        for listed in list(corpus.entries())[:12]:
            whole = Work(corpus, listed.id).shown(form, WHOLE)
            assert whole.is_whole
            for characters in (0, 900, FIRST - 1, FIRST, *(rng.randrange(whole.length + 50) for _ in range(12))):
                begun = Work(corpus, listed.id).shown(form, characters)
                assert begun.cut(characters) == whole.cut(characters)
                assert begun.cut_length(characters) == whole.cut_length(characters)
                in_part += not begun.is_whole
    assert bool(in_part) == (form != "concise")


def test_a_work_grows_when_more_of_it_is_wanted(citing_corpus: Path) -> None:
    with Corpus(citing_corpus) as corpus:
        longest = max(corpus.entries(), key=lambda listed: listed.characters)
        work = Work(corpus, longest.id)
        begun = work.shown("full", 100)
        assert not begun.is_whole
        assert FIRST < begun.length < 2 * FIRST
        assert work.shown("full", begun.length - 1) is begun
        more = work.shown("full", begun.length)
        assert more.length > begun.length
        assert work.shown("full", 100) is more


@pytest.mark.parametrize("characters", [60_000, 100_000, 300_000])
def test_items_are_the_same_where_all_of_every_work_is_made_ready(
    characters: int, citing_corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With 300,000 characters a short candidate leaves the long ones more than their share."""

    def lines() -> list[bytes]:
        settings = CitationSettings(items=6, characters=characters)
        with Corpus(citing_corpus) as corpus:
            return [context.to_line() for context, _ in CitationBuilder(corpus, settings, 0).build()]

    begun = lines()
    assert begun
    monkeypatch.setattr(works, "FIRST", WHOLE)
    assert lines() == begun


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
        body = Work(corpus, next(corpus.entries()).id).shown("body", WHOLE)
    assert "this is [[NAME]]\n\n[[NAME]] is what" in body.text
    ends = [characters for characters, _ in body.ends]
    assert len(ends) > 2
    for characters in ends:
        assert "JudgeLM" not in apply_edits(body.document, body.cut(characters))


def test_no_cycle_keeps_what_a_maker_has_opened(citing_corpus: Path) -> None:
    """Thousands of works would stay in memory and slow down the garbage collector."""
    gc.collect()
    gc.disable()
    try:
        with Corpus(citing_corpus) as corpus:
            maker = CitationBuilder(corpus, CitationSettings(items=4), 0)
            work = weakref.ref(maker._works.work(next(corpus.entries()).id))
            assert sum(1 for _ in maker.build())
            assert maker.report()
            assert work() is not None
            del maker
            assert work() is None
    finally:
        gc.enable()
