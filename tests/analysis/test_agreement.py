"""Agreement of annotators: published examples, pairs, missing annotations, labels, and intervals."""

from __future__ import annotations

import random

import numpy as np
import pytest

from fathom.analysis.agreement import agreement, cohen_kappa, coincidences, krippendorff_alpha, sentence_table
from fathom.records.annotations import Annotation, Finding
from fathom.records.documents import Claim, Evidence
from fathom.records.spans import Span

SENTENCES = [Span(10 * number, 10 * number + 9) for number in range(50)]


def annotated(document: str, annotator: str, claims: dict[int, list[int]], **fields: object) -> Annotation:
    """Claims and evidence by the numbers of their sentences."""
    marked = tuple(
        Claim(span=SENTENCES[claim], evidence=tuple(Evidence(span=SENTENCES[one]) for one in evidence))
        for claim, evidence in claims.items()
    )
    return Annotation.model_validate({"document": document, "annotator": annotator, "claims": marked, **fields})


def test_the_worked_example_of_the_paper_gives_its_exact_kappa() -> None:
    kappa = cohen_kappa(sentence_table({1, 2, 3, 4, 5}, {1, 2, 3, 4, 6, 7}, 667))
    assert kappa == pytest.approx(0.7250, abs=5e-5)


@pytest.mark.parametrize(
    ("first", "second", "kappa"),
    [
        ({1, 2}, {1, 2}, 1.0),
        (set(), set(), None),
        ({*range(9)}, {*range(9)}, None),
        ({1}, {2}, -1 / 8),
        ({1}, set(), 0),
    ],
)
def test_kappa_is_undefined_without_disagreement_by_chance(
    first: set[int], second: set[int], kappa: float | None
) -> None:
    assert cohen_kappa(sentence_table(first, second, 9)) == (None if kappa is None else pytest.approx(kappa))


def test_alpha_of_a_textbook_example_with_missing_values() -> None:
    # Four observers, twelve units, five categories; Krippendorff gives 0.743.
    table = """
    1 2 3 3 2 1 4 1 2 . . .
    1 2 3 3 2 2 4 1 2 5 . 3
    . 3 3 3 2 3 4 2 2 5 1 .
    1 2 3 3 2 4 4 1 2 5 1 .
    """
    rows = [line.split() for line in table.strip().splitlines()]
    units = [[int(value) - 1 for value in unit if value != "."] for unit in zip(*rows, strict=True)]
    total = sum((coincidences(unit, 5) for unit in units), np.zeros((5, 5)))
    assert krippendorff_alpha(total) == pytest.approx(0.743, abs=5e-4)
    assert krippendorff_alpha(coincidences([1, 1, 1], 2)) is None


def test_two_annotators_agree_on_what_both_marked() -> None:
    result = agreement(
        [
            annotated("a", "ann", {1: [5], 2: [6]}), annotated("a", "bob", {1: [5], 3: [6]}),
            annotated("b", "ann", {1: []}), annotated("b", "bob", {1: []}),
        ],
        lambda document: SENTENCES, "sentence", 0.5,
    )  # fmt: skip
    (pair,) = result.pairs
    assert (pair.first, pair.second, pair.documents, result.documents) == ("ann", "bob", 2, 2)
    assert pair.f1["claims"].value == pytest.approx(4 / 6)
    assert pair.f1["evidence"].value == 1
    assert pair.f1["links"].value == pytest.approx(4 / 6)
    assert pair.f1_per_document["claims"] == pytest.approx(0.75)
    assert pair.sentences["claims"] == (2, 1, 1, 96)
    assert pair.kappa["claims"].value == pytest.approx(cohen_kappa(np.array([[2.0, 1], [1, 96]])))
    assert pair.kappa["evidence"].value == 1
    assert result.f1["claims"].value == pytest.approx(4 / 6)
    # Two observers: alpha is 1 - (n - 1) x observed / expected over the 200 marks.
    assert result.alpha["claims"].value == pytest.approx(1 - 199 * 4 / (2 * 6 * 194))
    for estimate in (*result.f1.values(), *result.kappa.values(), *result.alpha.values()):
        assert estimate.low <= estimate.value <= estimate.high
        assert estimate.low < estimate.high


def test_pairs_are_averaged_and_documents_may_lack_annotators() -> None:
    every = [
        annotated("a", "ann", {1: [5]}), annotated("a", "bob", {1: [5]}), annotated("a", "eve", {9: [8]}),
        annotated("b", "ann", {2: [5]}), annotated("b", "bob", {2: [5]}),
        annotated("c", "eve", {2: [5]}),
    ]  # fmt: skip
    result = agreement(every, lambda document: SENTENCES, "sentence", 0.5)
    assert [(pair.first, pair.second, pair.documents) for pair in result.pairs] == [
        ("ann", "bob", 2), ("ann", "eve", 1), ("bob", "eve", 1),
    ]  # fmt: skip
    assert result.annotators == {"ann": 2, "bob": 2, "eve": 2}
    assert result.f1["claims"].value == pytest.approx(1 / 3)
    assert result.kappa["claims"].value == pytest.approx((1 - 1 / 49 - 1 / 49) / 3)
    # Directly: document a has three values per sentence, document b two.
    total = sum((coincidences([1, 1, 0], 2), coincidences([1, 0, 0], 2), 48 * coincidences([0, 0, 0], 2)))
    total = total + coincidences([1, 1], 2) + 49 * coincidences([0, 0], 2)
    assert result.alpha["claims"].value == pytest.approx(krippendorff_alpha(total))


def test_order_and_names_do_not_matter() -> None:
    rng = random.Random(4)
    every = [
        annotated(f"d{number}", name, {rng.randrange(50): [rng.randrange(50)] for _ in range(rng.randrange(4))})
        for number in range(6)
        for name in ("x", "y", "z")
    ]
    one = agreement(every, lambda document: SENTENCES, "sentence", 0.5)
    two = agreement(rng.sample(every, len(every)), lambda document: SENTENCES, "sentence", 0.5)
    assert one == two


def test_marks_outside_of_sentences_and_incomplete_annotations_are_counted() -> None:
    outside = Annotation(document="a", annotator="bob", claims=(Claim(span=Span(600, 640)),))
    found = agreement([annotated("a", "ann", {1: []}), outside], lambda document: SENTENCES, "sentence", 0.5)
    assert found.outside == 1
    some = annotated("a", "bob", {1: []}, complete=False)
    found = agreement([annotated("a", "ann", {1: []}), some], lambda document: SENTENCES, "sentence", 0.5)
    assert (found.incomplete, found.pairs, found.f1) == (1, (), {})


def test_evidence_for_answers_to_one_question() -> None:
    def answer(annotator: str, *evidence: int) -> Annotation:
        marked = tuple(Evidence(span=SENTENCES[one]) for one in evidence)
        found = Finding(id="q1", question="does it help?", options=("yes", "no"), label="yes", evidence=marked)
        return Annotation(document="a", annotator=annotator, findings=(found,))

    found = agreement([answer("ann", 1, 2), answer("bob", 2)], lambda document: SENTENCES, "sentence", 0.5)
    assert found.answer_evidence is not None
    assert found.answer_evidence.value == pytest.approx(2 / 3)
    assert (found.pairs, found.f1) == ((), {})


def test_labels_of_documents_and_findings() -> None:
    def finding(label: str) -> tuple[Finding, ...]:
        return (Finding(id="q1", question="does it help?", options=("yes", "no"), label=label),)

    every = [
        annotated(f"d{number}", name, {}, labels={"strength": f"strong: {label}"}, findings=finding(label))
        for number, labels in enumerate((("yes", "yes"), ("no", "no"), ("yes", "no"), ("no", "no")))
        for name, label in zip(("ann", "bob"), labels, strict=True)
    ]  # fmt: skip
    result = agreement(every, None, "character", 0.5)
    assert [(label.name, label.items) for label in result.labels] == [("findings", 4), ("strength", 4)]
    for label in result.labels:
        assert label.agreement.value == 0.75
        assert label.kappa is not None
        assert label.kappa.value == pytest.approx(0.5)
        assert label.alpha is not None
        assert label.alpha.value == pytest.approx(1 - 7 * 2 / (2 * 3 * 5))
    assert result.kappa == result.alpha == {}
