"""Answer records: each round-trips through a file, and none can contradict itself."""

from __future__ import annotations

from decimal import Decimal

import pytest
from pydantic import BaseModel, ValidationError

from fathom.records.documents import Passage
from fathom.records.spans import Span
from fathom.scoring.answers import (
    Answer,
    Assignment,
    Choice,
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
from fathom.scoring.keys import Key, Proof
from fathom.scoring.verdicts import Verdict

FOUR, LIND = Number(value=Decimal(4)), Text(value="Lind")
ANSWERS: list[Answer] = [
    Number(value=Decimal("4.25"), decimals=2, unit="%"),
    Text(value="Tides", aliases=("The tides",)),
    ValueSet(items=(FOUR, LIND)),
    Multiset(items=(FOUR, FOUR)),
    Ranking(groups=((LIND,), (FOUR, Text(value="Wu")))),
    Rows(columns=("name", "count"), rows=((LIND, FOUR),)),
    Choice(option=2, of=4),
    Assignment(options=(3, 1, 4, 2), of=4),
    Selection(options=(1, 3), of=4),
    Spans(passages=(Passage(document="a-1", span=Span(3, 9)),)),
    LinkedSpans(spans=(LinkedSpan(passage=Passage(document="a-1", span=Span(3, 9))),)),
    Unanswerable(),
]


@pytest.mark.parametrize("answer", ANSWERS, ids=lambda answer: answer.type)
def test_every_type_round_trips_through_a_file(answer: Answer) -> None:
    key = Key(question_id="q-1", answer=answer, proof=Proof(program="SELECT 1"))
    assert Key.from_line(key.to_line()) == key
    assert type(Key.from_line(key.to_line()).answer) is type(answer)


@pytest.mark.parametrize(
    ("type", "fields"),
    [
        (ValueSet, {"items": (FOUR, FOUR)}),
        (ValueSet, {"items": ()}),
        (Text, {"value": ""}),
        (Number, {"value": "many"}),
        (Number, {"value": Decimal("NaN")}),
        (Number, {"value": Decimal("Infinity")}),
        (Ranking, {"groups": ((LIND,), ())}),
        (Rows, {"columns": ("a", "b"), "rows": ((FOUR,),)}),
        (Choice, {"option": 5, "of": 4}),
        (Choice, {"option": 0, "of": 4}),
        (Assignment, {"options": (1, 5), "of": 4}),
        (Selection, {"options": (1, 5), "of": 4}),
        (Selection, {"options": (3, 1), "of": 4}),
        (Selection, {"options": (2, 2), "of": 4}),
        (Spans, {"passages": ()}),
    ],
)
def test_refuses_contradictory_answers(type: type[BaseModel], fields: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        type(**fields)


@pytest.mark.parametrize(
    ("outcome", "score"), [("unparseable", 0.5), ("refused", 1.0), ("error", 1.0), ("unjudged", 0.5)]
)
def test_only_graded_verdicts_score(outcome: str, score: float) -> None:
    with pytest.raises(ValidationError, match="cannot score"):
        Verdict.model_validate({"question_id": "q", "outcome": outcome, "score": score})
