"""For any key, every accepted form is correct and no near miss is."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from itertools import combinations, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.records.questions import Response
from fathom.scoring.answer_types.variants import accepted_forms, near_misses
from fathom.scoring.answers import (
    Answer,
    Assignment,
    Choice,
    Multiset,
    Number,
    Ranking,
    Rows,
    Scalar,
    Selection,
    Text,
    Unanswerable,
    ValueSet,
)
from fathom.scoring.check import check_response
from fathom.scoring.keys import Key, Proof

WORDS = st.sampled_from(
    [
        *("Tides", "Storms", "of", "the", "and", "deep", "Zoë", "Müller", "O'Connell", "Wu", "J.", "K.", "Lind", "3D"),
        *("state-of-the-art", "printing:", "A", "study,", "Part", "2", "(revisited)", "answer?", "Nulls", "Łukasz"),
        *("Straße", "In", "search", "an", "Graphs"),
    ]
)
TEXTS = st.lists(WORDS, min_size=1, max_size=6).map(" ".join).filter(lambda words: words[-1] not in ",:&")
NAMES: st.SearchStrategy[Scalar] = st.builds(Text, value=TEXTS, aliases=st.lists(TEXTS, max_size=2).map(tuple))
WHOLE: st.SearchStrategy[Number] = st.builds(lambda value: Number(value=Decimal(value)), st.integers(0, 3000))
COUNTS: st.SearchStrategy[Scalar] = WHOLE.map(lambda number: number)
BROKEN = st.builds(lambda value: Number(value=Decimal(value).scaleb(-4), decimals=2), st.integers(0, 3_000_000))
SIGNED = st.builds(lambda value: Number(value=Decimal(value)), st.integers(-3000, 3000))
# Of two items that could be rounded to the same number, it cannot be said which one a response means.
APART: st.SearchStrategy[Scalar] = st.builds(
    lambda value: Number(value=Decimal(value) / 10 + Decimal("0.0033"), decimals=2), st.integers(0, 3000)
)
ITEMS: st.SearchStrategy[list[Scalar]] = st.sampled_from([NAMES, COUNTS, APART]).flatmap(
    lambda kind: st.lists(kind, min_size=1, max_size=9)
)


def _distinct(items: Sequence[Scalar]) -> tuple[Scalar, ...]:
    return tuple({item.value: item for item in items}.values())


def _grouped(items: Sequence[Scalar], ends: list[bool]) -> Ranking:
    groups: list[list[Scalar]] = [[]]
    for item, end in zip(items, ends, strict=True):
        if end and groups[-1]:
            groups.append([])
        groups[-1].append(item)
    return Ranking(groups=tuple(map(tuple, groups)))


RANKINGS = ITEMS.flatmap(
    lambda items: st.lists(st.booleans(), min_size=len(items), max_size=len(items)).map(
        lambda ends: _grouped(items, ends)
    )
)
ROWS = st.builds(
    lambda rows, ordered: Rows(columns=("author_count", "result"), rows=tuple(rows), ordered=ordered),
    st.lists(st.tuples(WHOLE, BROKEN | WHOLE), min_size=1, max_size=8, unique_by=lambda row: row[0].value),
    st.booleans(),
)
ANSWERS: st.SearchStrategy[Answer] = st.one_of(
    WHOLE,
    BROKEN,
    SIGNED,
    NAMES,
    ITEMS.map(lambda items: ValueSet(items=_distinct(items))),
    ITEMS.map(lambda items: Multiset(items=tuple(items))),
    RANKINGS,
    ROWS,
    st.just(Unanswerable()),
)


def outcome(answer: Answer, said: str) -> str:
    key = Key(question_id="q-1", answer=answer, proof=Proof(program="SELECT 1"))
    return check_response(key, Response(question_id="q-1", outcome="answered", text=said)).outcome


@given(ANSWERS)
def test_every_accepted_form_is_correct(answer: Answer) -> None:
    for said in accepted_forms(answer):
        assert outcome(answer, said) == "correct", said


@given(ANSWERS)
def test_no_near_miss_is_correct(answer: Answer) -> None:
    for said in near_misses(answer):
        assert outcome(answer, said) != "correct", said


def names(*values: str) -> tuple[Text, ...]:
    return tuple(Text(value=value) for value in values)


def numbers(*values: int) -> tuple[Number, ...]:
    return tuple(Number(value=Decimal(value)) for value in values)


@pytest.mark.parametrize(
    ("answer", "among"),
    [
        (Number(value=Decimal(4)), ("4", "four", "4.0", r"The final answer is \boxed{4}.", '{"answer": "4"}')),
        (Number(value=Decimal("2.345"), decimals=2), ("2.34", "2.35", "2.345")),
        (Number(value=Decimal(1234)), ("1,234", "1234.0")),
        (ValueSet(items=names("Wu", "Lind")), ("Wu\nLind", "Answer: Wu; Lind", '["Wu", "Lind"]', "Answer:\nLind\nWu")),
        (Ranking(groups=(names("a", "b"), names("c"))), ("a\nb\nc", "Answer:\nb\na\nc")),
        (Unanswerable(), ("NULL", "[]")),
    ],
)
def test_accepted_forms_include_the_usual_ones(answer: Answer, among: tuple[str, ...]) -> None:
    assert set(among) <= set(accepted_forms(answer))


@pytest.mark.parametrize(
    ("answer", "among", "never"),
    [
        (
            Number(value=Decimal(4)),
            ("Answer: 40", "Answer: 5", "Answer: 3", "Answer: -4", "Answer: 41", "Answer: 74", "Answer: NULL"),
            ("Answer: 4", "Answer: 4.0"),
        ),
        (Number(value=Decimal(0)), ("Answer: 1", "Answer: 10", "Answer: NULL"), ("Answer: 0", "Answer: -0")),
        (Number(value=Decimal("2.345"), decimals=2), ("Answer: 2.36", "Answer: 2.33"), ("Answer: 2.35",)),
        (Text(value="Jo Lind", aliases=("Lind",)), ("Answer: Jo",), ("Answer: Lind",)),
        # All tied: reversed, it is still correct.
        (Ranking(groups=(names("a", "b", "c"),)), ("Answer:\na\nb",), ("Answer:\nc\nb\na",)),
        # The same from either end.
        (Ranking(groups=(numbers(3), numbers(2), numbers(3))), ("Answer:\n2\n3\n3",), ("Answer:\n3\n2\n3",)),
        (
            Ranking(groups=(names("a", "b"), names("c"))),
            ("Answer:\nc\nb\na", "Answer:\na\nc\nb"),
            ("Answer:\nb\na\nc",),
        ),
        (Multiset(items=numbers(3, 3, 5)), ("Answer:\n3\n5",), ("Answer:\n5\n3\n3",)),
        (ValueSet(items=names("Jo Lind", "Lind")), (), ("Answer:\nLind\nJo Lind",)),
        (Unanswerable(), ("0", "Answer: NULL or 4"), ("Answer: NULL",)),
    ],
)
def test_near_misses_exclude_correct_answers(answer: Answer, among: tuple[str, ...], never: tuple[str, ...]) -> None:
    made = set(near_misses(answer))
    assert set(among) <= made
    assert made.isdisjoint(never)


OPTIONS: list[Answer] = [
    *(Choice(option=option, of=4) for option in range(1, 5)),
    *(Selection(options=options, of=4) for size in (2, 3) for options in combinations((1, 2, 3, 4), size)),
    *(Selection(options=options, of=40) for options in ((1, 2), (4, 14), (12, 21, 40), (1, 11, 12, 31))),
    *(Choice(option=option, of=40) for option in (1, 4, 14, 40)),
    *(Assignment(options=options, of=40) for options in ((12, 3, 31, 8), (1, 11, 2, 22))),
    *(Assignment(options=options, of=4) for options in permutations((1, 2, 3, 4))),
]


@pytest.mark.parametrize("answer", OPTIONS, ids=str)
def test_options_in_every_form(answer: Answer) -> None:
    key = Key(question_id="q", answer=answer, proof=Proof(program=""))
    for ways, wanted in ((accepted_forms, True), (near_misses, False)):
        for said in ways(answer):
            found = check_response(key, Response(question_id="q", outcome="answered", text=said))
            assert (found.outcome == "correct") == wanted, said
