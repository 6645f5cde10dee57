"""Words that can be evidence for a citation."""

from __future__ import annotations

from fathom.tasks.citations.evidence import evidence_words
from fathom.tasks.citations.work_names import CommonWords


def test_a_word_of_every_third_document_is_no_evidence_for_a_lone_mask() -> None:
    texts = tuple("Reefs exhibit growth." if number % 3 == 0 else "Tides exhibit." for number in range(24))
    common = CommonWords(texts=texts).stems
    words = ("coral", "exhibi", "growth", "reefs", "tides")
    assert evidence_words(words, 1, common) == ("coral",)
    assert evidence_words(words, 4, common) == words


def test_a_small_corpus_has_few_common_words() -> None:
    assert "reefs" not in CommonWords(texts=("Reefs grow.",) * 7).stems
    assert "reefs" in CommonWords(texts=("Reefs grow.",) * 8).stems
