"""Recall of needed passages: which spans count as retrieved, and when too few passages were."""

from __future__ import annotations

import pytest

from fathom.records.documents import Passage
from fathom.records.questions import Response, Step
from fathom.records.spans import Span
from fathom.scoring.answers import Number
from fathom.scoring.keys import Key, Proof
from fathom.scoring.recall import DOCUMENT_RECALL, SPAN_RECALL, TOO_FEW, recall, recall_measures, retrieved


def passage(document: str, start: int, end: int) -> Passage:
    return Passage(document=document, span=Span(start, end))


NEEDED = [passage("a", 10, 20), passage("a", 50, 60), passage("b", 0, 5)]


@pytest.mark.parametrize(
    ("found", "spans", "documents", "too_few"),
    [
        ([], 0, 0, True),
        ([passage("a", 10, 20)], 1 / 3, 1 / 2, True),
        # A part of a span is not enough, but two passages that touch contain what neither contains alone.
        ([passage("a", 0, 15)], 0, 1 / 2, True),
        ([passage("a", 0, 15), passage("a", 15, 30)], 1 / 3, 1 / 2, False),
        ([passage("a", 0, 14), passage("a", 15, 30)], 0, 1 / 2, False),
        # A passage of another document counts for neither.
        ([passage("c", 0, 100), passage("b", 3, 9)], 0, 1 / 2, False),
        ([passage("a", 0, 100), passage("b", 0, 100)], 1, 1, False),
    ],
)
def test_a_span_counts_if_it_was_retrieved_completely(
    found: list[Passage], spans: float, documents: float, too_few: bool
) -> None:
    measured = recall(NEEDED, found)
    assert measured is not None
    assert measured.spans == pytest.approx(spans)
    assert (measured.documents, measured.too_few) == (documents, too_few)


def test_the_passages_of_all_retrievals_and_tools_count_once() -> None:
    first, second = passage("a", 0, 30), passage("b", 0, 10)
    steps = (
        Step(kind="retrieval", name="lexical", passages=(first,)),
        Step(kind="model", output="more"),
        Step(kind="tool", name="read", passages=(second, first)),
    )
    assert retrieved(steps) == [first, second]
    assert retrieved(steps[:1]) == [first]
    assert retrieved(steps[1:2]) is None
    assert retrieved([Step(kind="retrieval")]) == []


def test_a_verdict_has_the_recall_of_a_response_with_retrievals_only() -> None:
    key = Key(question_id="q", answer=Number(value=1), proof=Proof(program="", passages=tuple(NEEDED)))
    step = Step(kind="retrieval", passages=(passage("a", 0, 100),))
    response = Response(question_id="q", outcome="answered", text="1", trace=(step,))
    assert recall_measures(key, response) == {SPAN_RECALL: pytest.approx(2 / 3), DOCUMENT_RECALL: 0.5, TOO_FEW: 1.0}
    assert recall_measures(key, response.model_copy(update={"trace": ()})) == {}
    nothing = key.model_copy(update={"proof": Proof(program="")})
    assert recall_measures(nothing, response) == {}
