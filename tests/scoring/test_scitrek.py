"""The SciTrek-compatible measures follow the paper's definition, including its faults."""

from __future__ import annotations

import re
import string
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fathom.scoring.answer_types.format import published
from fathom.scoring.answers import Answer, Assignment, Choice, Number, Ranking, Rows, Text, Unanswerable, ValueSet
from fathom.scoring.scitrek import compare


@pytest.mark.parametrize(
    ("reference", "generation", "exact", "f1"),
    [
        ("4.0", "40", True, 1.0),  # the point is deleted
        ("4.0", "4", False, 0.0),
        ("Lind, Wu", "lind ,wu", True, 1.0),
        ("Lind, Wu", "Lind,\n  Wu.", True, 1.0),
        ("Lind, Wu", "Wu, Lind", False, 1.0),
        ("Lind, Wu", "Lind", False, 2 / 3),
        ("The tides of a sea", "tides of sea", True, 1.0),
        ("An atlas", "atlas", True, 1.0),
        ("Wu, Wu", "Wu", False, 1.0),  # tokens are sets
        ("3, 5, 7", "3, 5, 9, 7", False, 6 / 7),
        ("NULL", "null", True, 1.0),
        ("x", "", False, 0.0),
        ("The", "a", True, 0.0),  # nothing is left of either
        ("état–the–art", "état–a–art", True, 1.0),  # a dash beyond ASCII stays and still bounds a word
    ],
)
def test_scores_follow_the_definition(reference: str, generation: str, exact: bool, f1: float) -> None:
    found = compare(reference, generation)
    assert found.exact == exact
    assert found.f1 == pytest.approx(f1)


def by_the_letter(text: str) -> str:
    """The definition, implemented again character by character."""
    kept = "".join(letter for letter in text.lower() if letter not in string.punctuation)
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", kept).split())


SAID = st.text(st.sampled_from("aAnteh  ,.-'1é–\n\tx"), max_size=30)


@settings(deadline=None)
@given(SAID, SAID)
def test_scores_equal_a_literal_implementation_of_the_definition(reference: str, generation: str) -> None:
    pieces = [piece.strip() for piece in " ".join(generation.split()).split(",")]
    wanted, said = by_the_letter(reference), by_the_letter(", ".join(pieces))
    ours, theirs = set(said.split()), set(wanted.split())
    both = len(ours & theirs)
    found = compare(reference, generation)
    assert found.exact == (said == wanted)
    assert found.f1 == pytest.approx(2 * both / (len(ours) + len(theirs)) if both else 0)


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (Number(value=Decimal(4)), "4"),
        (Number(value=Decimal(4), decimals=2), "4.0"),
        (Number(value=Decimal("3.33333"), decimals=2, unit="%"), "3.33%"),
        (Number(value=Decimal("1E+3")), "1000"),
        (Text(value="Lind"), "Lind"),
        (ValueSet(items=(Text(value="Wu"), Text(value="Lind"))), "Wu, Lind"),
        (Ranking(groups=((Text(value="a"), Text(value="b")), (Text(value="c"),))), "a, b, c"),
        (Rows(columns=("a", "b"), rows=((Text(value="x"), Number(value=Decimal(1))),)), "x, 1"),
        (Choice(option=2, of=4), "2"),
        (Assignment(options=(2, 1), of=4), "2, 1"),
        (Unanswerable(), "NULL"),
    ],
)
def test_answers_are_printed_as_in_the_published_data(answer: Answer, text: str) -> None:
    assert published(answer) == text
    assert compare(published(answer), text).exact
