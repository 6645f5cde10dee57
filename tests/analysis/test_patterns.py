"""Error patterns of responses."""

from __future__ import annotations

from decimal import Decimal

import pytest

from fathom.analysis.loading import ScoredResponse
from fathom.analysis.patterns import PATTERNS, pattern
from fathom.records.questions import Usage
from fathom.scoring.answer_types.differences import difference
from fathom.scoring.answer_types.parse import parse_response
from fathom.scoring.answers import (
    Answer,
    Assignment,
    Choice,
    Multiset,
    Number,
    Ranking,
    Rows,
    Text,
    Unanswerable,
    ValueSet,
)


def number(value: str, decimals: int | None = None, unit: str = "") -> Number:
    return Number(value=Decimal(value), decimals=decimals, unit=unit)


def numbers(*values: int) -> tuple[Number, ...]:
    return tuple(number(str(value)) for value in values)


def texts(*values: str) -> tuple[Text, ...]:
    return tuple(Text(value=value) for value in values)


def ranking(*values: int) -> Ranking:
    return Ranking(groups=tuple((one,) for one in numbers(*values)))


SUNS = ValueSet(items=texts("Suns, moons", "Tides", "Winds"))
COUNTS = Multiset(items=numbers(3, 3, 5))
TABLE = Rows(columns=("authors", "result"), rows=(numbers(1, 4), numbers(2, 9)))


@pytest.mark.parametrize(
    ("key", "said", "wanted"),
    [
        (number("7"), "Answer: NULL", "NULL instead of an answer"),
        (Unanswerable(), "Answer: 7", "answer instead of NULL"),
        (number("7"), "Answer: 8", "off by one"),
        (number("7"), "Answer: 6", "off by one"),
        (number("7"), "Answer: 70", "unit or scale"),
        (number("7000"), "Answer: 7", "unit or scale"),
        (number("7"), "Answer: -7", "unit or scale"),
        (number("3.67", 2), "Answer: 3.7", "rounding"),
        (number("3.67", 2), "Answer: 4", "rounding"),
        (number("3.67", 2), "Answer: 3.66", "rounding"),
        (number("3.67", 2), "Answer: 9.1", "wrong number"),
        (number("7"), "Answer: 23", "wrong number"),
        (number("50", unit="%"), "Answer: 50", "unit or scale"),
        (SUNS, "Answer:\nSuns, moons\nTides", "incomplete list"),
        (SUNS, "Answer:\nSuns, moons\nTides\nWinds\nRains", "list with extra values"),
        (SUNS, "Answer:\nTides\nRains", "partly correct list"),
        (SUNS, "Answer:\nRains\nSnows", "wrong list"),
        (COUNTS, "Answer:\n3\n5", "wrong repeats"),
        (COUNTS, "Answer:\n3\n3\n5\n5", "wrong repeats"),
        (COUNTS, "Answer:\n4\n4\n6", "off by one"),
        (COUNTS, "Answer:\n3\n3\n5\n8", "list with extra values"),
        (ranking(1, 2, 3), "Answer:\n3\n2\n1", "reversed"),
        (ranking(1, 2, 3), "Answer:\n1\n3\n2", "wrong order"),
        (ranking(1, 2, 3), "Answer:\n1\n2", "incomplete list"),
        (TABLE, "Answer:\n1; 4\n2; 8", "correct groups, wrong values"),
        (TABLE, "Answer:\n1; 4", "incomplete list"),
        (TABLE, "Answer:\n1; 4\n2; 9\n3; 1", "list with extra values"),
        (Text(value="The Tides of Time"), "Answer: Tides of Time", "partial text"),
        (Text(value="The Tides of Time"), "Answer: Winds", "wrong text"),
        (Choice(option=2, of=4), "Answer: A", "wrong option"),
        (Assignment(options=(1, 2, 3, 4), of=4), "Answer: 1: 2, 2: 1, 3: 3, 4: 4", "swapped options"),
        (Assignment(options=(1, 2, 3, 4), of=4), "Answer: 1: 1, 2: 1, 3: 1, 4: 1", "some slots correct"),
        (Assignment(options=(1, 2, 3, 4), of=5), "Answer: 1: 5, 2: 5, 3: 5, 4: 5", "no slot correct"),
    ],
)
def test_patterns(key: Answer, said: str, wanted: str) -> None:
    read = parse_response(said, key)
    assert read is not None
    assert difference(key, read) == wanted
    assert wanted in PATTERNS


def test_a_number_is_not_matched_inside_another() -> None:
    """11 contains the digit 1, but is not 1."""
    assert difference(Multiset(items=numbers(1, 2)), Multiset(items=numbers(11, 22))) == "wrong list"


@pytest.mark.parametrize("said", ["1E+999999", "-1E-999999", "9" * 5_000, "0E+999999"])
def test_a_huge_number_is_a_wrong_number(said: str) -> None:
    assert difference(number("3.5", 1), number(said)) == "wrong number"
    assert difference(number("7"), number(said)) == "wrong number"


@pytest.mark.parametrize(
    ("response", "wanted"),
    [
        (ScoredResponse("correct", 1.0, Usage()), None),
        (ScoredResponse("error", 0.0, Usage()), None),
        (ScoredResponse("overflow", 0.0, Usage()), None),
        (ScoredResponse("unanswered", 0.0, Usage()), None),
        (ScoredResponse("refused", 0.0, Usage(), text="No."), "refused"),
        (ScoredResponse("unparseable", 0.0, Usage(), text=" \n"), "empty"),
        (ScoredResponse("unparseable", 0.0, Usage(), text="Well, well"), "unparseable"),
        (ScoredResponse("unparseable", 0.0, Usage(), text="Well, w", received="truncated"), "truncated"),
        (ScoredResponse("incorrect", 0.0, Usage(), parsed=numbers(4)[0]), "off by one"),
    ],
)
def test_pattern_of_a_response(response: ScoredResponse, wanted: str | None) -> None:
    assert pattern(number("3"), response) == wanted
