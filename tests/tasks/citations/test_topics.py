"""Topic vectors: words that a corpus uses together are similar."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from fathom.tasks.citations.topics import COMPARISONS, FloatArray, TopicVectors
from fathom.tasks.citations.word_counts import numbered, stems_in

SUBJECTS = (
    "gravity lenses bend light halo shear astronomers galaxies redshift telescopes",
    "households borrow money mortgages wages banks inflation prices unemployment taxes",
)


def _corpus() -> list[str]:
    """Texts of two subjects, each with some of the words of one."""
    rng = Random(1)
    return [" ".join(rng.choices(SUBJECTS[number % 2].split(), k=30)) for number in range(40)]


CORPUS = _corpus()
WORKS = ("Halo shear grows.", "Mortgages grow.", "Zebras graze.")


def _scores(vectors: TopicVectors, sentence: str) -> FloatArray:
    works = [numbered(stems_in(work)) for work in WORKS]
    return np.array(list(vectors.scores([numbered(stems_in(sentence))], works)))[:, 0]


@pytest.mark.parametrize(("sentence", "expected"), [("Lenses bend light.", 0), ("Money of banks.", 1)])
def test_a_work_matches_a_sentence_with_which_it_shares_no_word(sentence: str, expected: int) -> None:
    found = _scores(TopicVectors(CORPUS), sentence)
    assert found.shape == (len(COMPARISONS), len(WORKS))
    assert not set(stems_in(sentence)) & set(stems_in(WORKS[expected]))
    few = found[[COMPARISONS.index("12 passages"), COMPARISONS.index("60 neighbors"), COMPARISONS.index("40 topics")]]
    assert (few.argmax(axis=1) == expected).sum() > 1, few
    assert found.mean(axis=0).argmax() == expected
    assert (found[:, 2] == 0).all()


def test_scores_do_not_depend_on_what_was_read_before() -> None:
    """Stems are numbered in the order of reading, so that the numbers of the same words differ between processes."""
    before = _scores(TopicVectors(CORPUS), "Lenses bend light.")
    assert len(numbered([f"later{letter}" for letter in "abcdefgh"])) == 8
    np.testing.assert_array_equal(before, _scores(TopicVectors(CORPUS), "Lenses bend light."))


def test_texts_without_frequent_words_have_no_vectors() -> None:
    assert (_scores(TopicVectors(["Only once."]), "Only once.") == 0).all()
