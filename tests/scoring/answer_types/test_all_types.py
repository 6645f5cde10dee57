"""Every answer type has every operation: parse, compare, format, describe, variants, differences."""

from __future__ import annotations

from decimal import Decimal
from typing import get_args

import pytest

from fathom.records.documents import Passage
from fathom.records.questions import Response
from fathom.records.spans import Span
from fathom.scoring.answer_types.compare import agrees, compare
from fathom.scoring.answer_types.differences import DIFFERENCES, difference
from fathom.scoring.answer_types.format import display, published, stated
from fathom.scoring.answer_types.parse import parse_response
from fathom.scoring.answer_types.values import count_values
from fathom.scoring.answer_types.variants import accepted_forms, near_misses
from fathom.scoring.answers import (
    Answer,
    Assignment,
    Choice,
    Link,
    LinkedSpan,
    LinkedSpans,
    Multiset,
    Number,
    Ranking,
    Rows,
    Selection,
    Spans,
    Text,
    Unanswerable,
    ValueSet,
)
from fathom.scoring.check import check_response
from fathom.scoring.keys import Key, Proof


def passage(start: int, document: str = "d-1") -> Passage:
    return Passage(document=document, span=Span(start, start + 5))


def linked(claim: int, *evidence: int) -> LinkedSpan:
    return LinkedSpan(passage=passage(claim), links=tuple(Link(passage=passage(start, "d-2")) for start in evidence))


FOUR, LIND, WU = Number(value=Decimal(4)), Text(value="Lind"), Text(value="Wu")
CLAIMS = LinkedSpans(spans=(linked(0, 10, 20), linked(50), linked(60, 30)))
EXAMPLES: list[tuple[Answer, int, str]] = [
    (FOUR, 1, "4"),
    (LIND, 1, "Lind"),
    (ValueSet(items=(LIND, WU)), 2, "Lind\nWu"),
    (Multiset(items=(FOUR, FOUR)), 2, "4\n4"),
    (Ranking(groups=((LIND, WU), (Text(value="Abe"),))), 3, "Lind = Wu\nAbe"),
    (Rows(columns=("name", "count"), rows=((LIND, FOUR), (WU, FOUR))), 4, "name | count\nLind | 4\nWu | 4"),
    (Choice(option=2, of=4), 1, "2"),
    (Assignment(options=(3, 1, 4, 2), of=4), 4, "3, 1, 4, 2"),
    (Selection(options=(2, 5), of=6), 2, "2, 5"),
    (Spans(passages=(passage(3), passage(9))), 2, "d-1:3-8, d-1:9-14"),
    (CLAIMS, 4, "d-1:0-5: d-2:10-15, d-2:20-25\nd-1:50-55\nd-1:60-65: d-2:30-35"),
    (Unanswerable(), 0, "NULL"),
]
TYPES = [type(answer) for answer, _, _ in EXAMPLES]


def test_there_is_an_example_of_every_type() -> None:
    union, _ = get_args(Answer)
    assert set(TYPES) == set(get_args(union))


@pytest.mark.parametrize(("answer", "values", "shown"), EXAMPLES, ids=lambda value: getattr(value, "type", ""))
def test_every_type_has_every_operation(answer: Answer, values: int, shown: str) -> None:
    assert count_values(answer) == values
    assert display(answer) == shown
    assert agrees(answer, answer)
    assert compare(answer, answer).score == 1.0
    for text in (stated(answer), f"Answer: {published(answer)}"):
        parsed = parse_response(text, answer)
        assert parsed is not None
        assert agrees(answer, parsed) or "\n" in stated(answer), text
    key = Key(question_id="q", answer=answer, proof=Proof(program=""))
    for forms, is_correct in ((accepted_forms, True), (near_misses, False)):
        for text in forms(answer):
            verdict = check_response(key, Response(question_id="q", outcome="answered", text=text))
            assert (verdict.outcome == "correct") == is_correct, text


@pytest.mark.parametrize("key", [answer for answer, _, _ in EXAMPLES], ids=lambda answer: answer.type)
def test_every_type_has_named_differences(key: Answer) -> None:
    found = {difference(key, parsed) for text in near_misses(key) if (parsed := parse_response(text, key)) is not None}
    assert found
    assert found <= set(DIFFERENCES)


@pytest.mark.parametrize(
    ("text", "precision", "recall"),
    [
        (
            '[{"claim": {"document": "d-1", "start": 0, "end": 5}, "evidence": ["d-2:10-15", "d-2:20-25"]},'
            ' {"claim": "d-1:50-55"}, {"claim": "d-1:60-65", "evidence": [{"document": "d-2", "span": [30, 35]}]}]',
            1.0,
            1.0,
        ),
        ("Answer:\nd-1:0-5: d-2:10-15, d-2:20-25\nd-1:50-55\nd-1:60-65: d-2:30-35", 1.0, 1.0),
        ("Answer: d-1:0-5 d-2:10-15; d-1:50-55", 1.0, 0.5),
        ('{"answer": [{"claim": "d-1:0-5", "evidence": ["d-2:10-15", "d-2:90-95"]}]}', 0.5, 0.25),
        # The evidence of another claim is no link of this one.
        ("Answer: d-1:0-5 d-2:30-35; d-1:60-65 d-2:10-15", 0.0, 0.0),
    ],
)
def test_linked_spans_are_scored_by_their_links(text: str, precision: float, recall: float) -> None:
    key = Key(question_id="q", answer=CLAIMS, proof=Proof(program=""))
    verdict = check_response(key, Response(question_id="q", outcome="answered", text=text))
    f1 = 2 * precision * recall / (precision + recall) if precision else 0.0
    assert verdict.measures == pytest.approx({"precision": precision, "recall": recall, "f1": f1})
    assert verdict.score == pytest.approx(f1)
    assert (verdict.outcome == "correct") == (f1 == 1.0)


@pytest.mark.parametrize(
    "text", ['[{"claim": 3}]', '[{"evidence": []}]', "Answer: d-1:9-5", '["d-1:0-5", [1]]', "Answer: d-1"]
)
def test_linked_spans_that_cannot_be_parsed(text: str) -> None:
    assert parse_response(text, CLAIMS) is None
