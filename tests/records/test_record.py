"""Records are frozen, refuse unknown fields, and give the same bytes for the same content."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from fathom.records.questions import Question, Response
from fathom.records.record import digest, first_error, short_id
from fathom.records.rng import rng_for
from fathom.records.spans import Span

QUESTION = Question(id="q-1", family="numeric", context_id="c-1", text="How many?")


def test_a_record_cannot_be_changed() -> None:
    with pytest.raises(ValidationError):
        QUESTION.text = "How few?"  # type: ignore[misc]


def test_refuses_an_unknown_field_by_name() -> None:
    with pytest.raises(ValidationError) as caught:
        Question.from_line(b'{"id":"q","family":"f","context_id":"c","text":"t","answer":"42"}')
    assert "answer" in first_error(caught.value)


def test_a_record_survives_its_line() -> None:
    assert Question.from_line(QUESTION.to_line()) == QUESTION
    assert QUESTION.to_line().count(b"\n") == 1


def test_only_a_failed_response_has_an_error() -> None:
    Response(question_id="q", outcome="error", error="the provider hung up")
    with pytest.raises(ValidationError):
        Response(question_id="q", outcome="error")
    with pytest.raises(ValidationError):
        Response(question_id="q", outcome="answered", text="4", error="but why")


@given(st.lists(st.text(), min_size=1), st.lists(st.text(), min_size=1))
def test_digests_of_different_lists_differ(one: list[str], two: list[str]) -> None:
    assert (digest(*one) == digest(*two)) == (one == two)


def test_ids_do_not_run_their_parts_together() -> None:
    assert short_id("x", "ab", "c") != short_id("x", "a", "bc")


def test_random_choices_depend_only_on_seed_and_names() -> None:
    assert rng_for(1, "a", 2).random() == rng_for(1, "a", 2).random()
    assert len({rng_for(seed, name).random() for seed in (1, 2) for name in ("a", "b")}) == 4


@pytest.mark.parametrize("pair", [[3, 2], [-1, 2], [0], [0, 1, 2], [0.5, 1], ["0", "1"]])
def test_refuses_invalid_spans(pair: list[object]) -> None:
    from pydantic import TypeAdapter

    with pytest.raises(ValidationError):
        TypeAdapter(Span).validate_python(pair)


def test_a_span_slices_shifts_and_contains() -> None:
    span = Span(2, 5)
    assert span.of("abcdefg") == "cde"
    assert span.shifted(3) == Span(5, 8)
    assert span.contains(Span(3, 5))
    assert not span.contains(Span(3, 6))
