"""Which answers agree with a key, by type; near misses are never correct; the verdict on each kind of response."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from decimal import Decimal
from itertools import pairwise

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fathom.records.questions import Response
from fathom.scoring.answer_types.compare import agrees, partial_credit
from fathom.scoring.answers import (
    Answer,
    Assignment,
    Multiset,
    Number,
    Ranking,
    Rows,
    Scalar,
    Text,
    Unanswerable,
    ValueSet,
)
from fathom.scoring.check import check_response
from fathom.scoring.keys import Key, Proof
from fathom.scoring.parsing.normalization import normal, unaccented
from fathom.scoring.parsing.word_classes import CLOSED_WORDS, CONNECTIVES
from fathom.scoring.verdicts import Verdict


def number(value: str | int, decimals: int | None = None, unit: str = "") -> Number:
    return Number(value=Decimal(value), decimals=decimals, unit=unit)


def text(value: str, *aliases: str) -> Text:
    return Text(value=value, aliases=aliases)


def key_of(answer: Answer) -> Key:
    return Key(question_id="q-1", answer=answer, proof=Proof(program="SELECT 1"))


def outcome(answer: Answer, said: str) -> str:
    return check_response(key_of(answer), Response(question_id="q-1", outcome="answered", text=said)).outcome


def test_a_verdict_has_every_field() -> None:
    """It is made without validation, which would add the defaults."""
    verdict = check_response(
        key_of(Number(value=Decimal(4))), Response(question_id="q-1", outcome="answered", text="Answer: 4")
    )
    assert set(vars(verdict)) == set(Verdict.model_fields)


# -- Agreement, type by type ---------------------------------------------------------------------------------------

SAME: list[tuple[Answer, Answer]] = [
    (number(4), number("4.0")),
    (number(4), text("four")),
    (number("2.345", 2), number("2.34")),
    (number("2.345", 2), number("2.35")),
    (number("3.14", 2), number("3.1419")),
    (number("-0.5", 0), number(0)),
    (number("-0.5", 0), number(-1)),
    (number(5, unit="km"), number(5)),
    (number(5, unit="USD"), number(5, unit="$")),
    (number(5, unit="miles"), number(5, unit="mile")),
    (text("Tides: a ‘study’"), text("tides: a 'study'")),
    (text("Zoë–Ångström"), text("Zoe-Angstrom")),
    (text("Zoë Ångström"), text("Zoe Ångström")),
    (text("Sørensen"), text("Sorensen")),
    (text("Straße"), text("STRASSE")),
    (text("ﬁne"), text("fine")),
    (text("Jo Lind", "J. Lind"), text("j. lind")),
    (ValueSet(items=(text("Wu"), text("Lind", "Linde"))), ValueSet(items=(text("Lind"), text("Linde"), text("Wu")))),
    (ValueSet(items=(text("Wu"), text("wu"))), ValueSet(items=(text("wu"), text("Wu")))),
    (ValueSet(items=(number("0.0450", 2), number("0.0501", 2))), ValueSet(items=(number("0.05"), number("0.04")))),
    (ValueSet(items=(number("0.0501", 2), number("0.0450", 2))), ValueSet(items=(number("0.04"), number("0.05")))),
    (Multiset(items=(number("0.25", 1), number("0.2"))), Multiset(items=(number("0.2"), number("0.3")))),
    (
        Ranking(groups=((text("Müller"),), (text("x"),), (text("Müller"),))),
        Ranking(groups=((text("Muller"),), (text("x"),), (text("Müller"),))),
    ),
    (Unanswerable(), Unanswerable()),
]
OTHER: list[tuple[Answer, Answer]] = [
    (number(50), number(50, unit="%")),
    (number(50, unit="%"), number(50)),
    (number("0.5"), number(50, unit="%")),
    (number(11), number(711)),
    (number("2.5", 0), number("1.5")),
    (number("3.14", 2), number("3.1")),
    (number("3.14", 2), number("3.15")),
    (number(5, unit="km"), number(5, unit="m")),
    (number(5), number(5, unit="m")),
    (text("Muller"), text("Müller")),
    (text("Müller"), text("Möller")),
    (text("Андрей"), text("Андреи")),
    (text("が"), text("か")),
    (text("A* search"), text("A search")),
    (text("Tides (part 1)"), text("Tides")),
    (text("4"), number(4)),
    (ValueSet(items=(text("Wu"),)), ValueSet(items=(text("Wu"), text("Lind")))),
    (Multiset(items=(text("Wu"), text("Wu"))), Multiset(items=(text("Wu"),))),
    (Unanswerable(), number(0)),
    (number(0), Unanswerable()),
    (Rows(columns=("a",), rows=((number(1),),)), Multiset(items=(number(1),))),
]


@pytest.mark.parametrize(("key", "read"), SAME)
def test_the_same_answer_agrees(key: Answer, read: Answer) -> None:
    assert agrees(key, read)
    assert agrees(key, key)


@pytest.mark.parametrize(("key", "read"), OTHER)
def test_another_answer_does_not_agree(key: Answer, read: Answer) -> None:
    assert not agrees(key, read)
    assert partial_credit(key, read) < 1


def test_order_counts_only_if_the_key_has_one() -> None:
    rows = ((number(1), text("a")), (number(2), text("b")))
    there, back = Rows(columns=("n", "x"), rows=rows), Rows(columns=("n", "x"), rows=rows[::-1])
    assert agrees(there, back)
    assert not agrees(there.model_copy(update={"ordered": True}), back)


SHARES: list[tuple[Answer, Answer, float]] = [
    (ValueSet(items=(text("a"), text("b"))), ValueSet(items=(text("a"), text("c"))), 0.5),
    (Multiset(items=(number(1), number(1))), Multiset(items=(number(1),)), 2 / 3),
    (Ranking(groups=((text("a"),), (text("b"),), (text("c"),))), Ranking(groups=((text("b"),), (text("c"),))), 0.8),
    (Ranking(groups=((text("a"),), (text("b"),))), Ranking(groups=((text("b"),), (text("a"),))), 0.5),
    (Assignment(options=(1, 2, 3, 4), of=4), Assignment(options=(1, 2, 4, 3), of=4), 0.5),
    (Assignment(options=(1, 2), of=4), Assignment(options=(1, 2, 3, 4), of=4), 0.5),
    (number(1), number(2), 0.0),
    (text("a"), Unanswerable(), 0.0),
]


@pytest.mark.parametrize(("key", "read", "worth"), SHARES)
def test_partial_credit(key: Answer, read: Answer, worth: float) -> None:
    assert partial_credit(key, read) == pytest.approx(worth)


# -- Near misses ---------------------------------------------------------------------------------------------------

WORDS = st.text("abcdefghijklmnopqrstuvwxyzéüø", min_size=3, max_size=8)
NAME = (
    st.lists(WORDS, min_size=1, max_size=3)
    .map(" ".join)
    # "Lind, then Wu" names two.
    .filter(lambda name: "answer" not in name and name.split(" ")[0] not in CONNECTIVES)
)
NAMES = st.lists(NAME, min_size=2, max_size=6, unique_by=lambda name: unaccented(normal(name)))
MARKED: list[Callable[[str], str]] = [
    "{}".format,
    "Answer: {}".format,
    "**Final answer:**\n{}".format,
    "\\boxed{{{}}}".format,
    "I looked at all of it.\n\nFinal answer: {}".format,
]
LAID_OUT: list[Callable[[Sequence[str]], str]] = [
    ", ".join,
    "; ".join,
    "\n".join,
    lambda items: "\n".join(f"- {item}" for item in items),
    lambda items: "\n".join(f"{place}. {item}" for place, item in enumerate(items, start=1)),
    lambda items: json.dumps(list(items)),
]
FORMS = st.tuples(st.sampled_from(LAID_OUT), st.sampled_from(MARKED)).map(
    lambda pair: lambda items: pair[1](pair[0](items))
)


@settings(deadline=None)
@given(st.integers(-9999, 9999), st.sampled_from(MARKED))
def test_no_nearby_number_is_correct(value: int, mark: Callable[[str], str]) -> None:
    near = [value + 1, value - 1, value * 10 if value else 10, f"{value}0", f"7{abs(value)}", f"{value}.5", f"{value}%"]
    near += [
        f"{value} or {value + 1}",
        f"not {value}",
        f"at least {value}",
        f"{value}, {value + 1}",
        f"{value} million",
    ]
    near += [f"{value} and {value + 2}", f"{value}th", f"{value}/7", f"between {value} and {value + 5}"]
    for said in near:
        assume(value or said not in ("0/7", "0 million", "00"))
        assert outcome(number(value), mark(str(said))) != "correct", said


@settings(deadline=None)
@given(st.decimals(-1000, 1000, places=5), st.integers(0, 4), st.sampled_from(MARKED), st.sampled_from([-1, 1, -2, 2]))
def test_an_incorrect_last_digit_fails(value: Decimal, places: int, mark: Callable[[str], str], off: int) -> None:
    step = Decimal(1).scaleb(-places)
    said = value.quantize(step) + off * step
    assume(abs(said - value) > step / 2)
    assert outcome(number(str(value), places), mark(f"{said:f}")) != "correct"


@settings(deadline=None)
@given(NAME, st.sampled_from(MARKED), st.data())
def test_a_shortened_or_extended_name_is_incorrect(name: str, mark: Callable[[str], str], data: st.DataObject) -> None:
    cut = data.draw(st.integers(1, len(name) - 1))
    first, *others = name.split()
    near = [
        name[:cut],
        name[cut:],
        f"{name} jr",
        f"{name}x",
        f"{name} {name}",
        f"{name}, Wu",
        f"not {name}",
        f"{name} or Wu",
    ]
    near += [" ".join([f"{first[0]}.", *others]), " ".join(others), f"{name[:cut]}...", f"Wu\n{name}", f"{name}\nWu"]
    for said in near:
        assert outcome(text(name), mark(said)) != "correct", said


def lists_of(names: Sequence[str]) -> list[Answer]:
    atoms: tuple[Scalar, ...] = tuple(map(text, names))
    return [ValueSet(items=atoms), Multiset(items=atoms), Ranking(groups=tuple((atom,) for atom in atoms))]


@settings(deadline=None)
@given(NAMES, NAME, FORMS, st.data())
def test_a_list_with_one_error_is_incorrect(
    names: list[str], stranger: str, lay_out: Callable[[Sequence[str]], str], data: st.DataObject
) -> None:
    letters = {unaccented(normal(name)) for name in names}
    assume(unaccented(normal(stranger)) not in letters)
    at = data.draw(st.integers(0, len(names) - 1))
    missing, replaced = names[:at] + names[at + 1 :], [*names[:at], stranger, *names[at + 1 :]]
    longer, cut = [*names[:at], stranger, *names[at:]], [*names[:at], names[at][:-1], *names[at + 1 :]]
    for key in lists_of(names):
        assert outcome(key, lay_out(names)) == "correct"
        for said in (missing, replaced, longer, cut, [stranger], [*names, stranger, stranger]):
            assume(normal(said[0]) != "null")
            assert outcome(key, lay_out(said)) != "correct", said


OPEN_WORDS = frozenset(
    [
        "articles",
        "papers",
        "titles",
        "name",
        "names",
        "list",
        "result",
        "results",
        "criterion",
        "conditions",
        "satisfies",
        "fits",
        "appears",
        "occurs",
        "frequently",
        "reference",
        "cited",
        "words",
        "total",
        "count",
        "order",
        "sorted",
        "descending",
        "rank",
        "comes",
        "found",
        "identified",
        "given",
        "collection",
        "wrote",
        "times",
        "respectively",
        "leads",
        "entry",
        "correct",
        "question",
    ]
)


@pytest.mark.parametrize("lay_out", LAID_OUT)
def test_no_word_of_a_sentence_is_overlooked_as_an_item(lay_out: Callable[[Sequence[str]], str]) -> None:
    key = ValueSet(items=(text("Lind"), text("Wu")))
    strangers = sorted((CLOSED_WORDS | OPEN_WORDS) - CONNECTIVES)
    assert len(strangers) > 300
    sentences = {"is", "are", "was", "were", "by", "namely"}  # "they are, Lind, Wu" may be a sentence
    # "Lind, Wu, not Chen" states two.
    pairs = [" ".join(pair) for pair in pairwise(strangers) if pair[1] not in sentences and pair[0] != "not"]
    for stranger in strangers + pairs:
        for said in ([stranger, "Lind", "Wu"], ["Lind", stranger, "Wu"], ["Lind", "Wu", stranger]):
            assert outcome(key, lay_out(said)) != "correct", said


@settings(deadline=None)
@given(NAMES, FORMS)
def test_order_and_repeats_count_where_they_matter(names: list[str], lay_out: Callable[[Sequence[str]], str]) -> None:
    some, every, ranked = lists_of(names)
    twice = [*names, names[0]]
    assert outcome(some, lay_out(twice)) == "correct"
    assert outcome(every, lay_out(twice)) == "incorrect"
    assert outcome(Multiset(items=tuple(map(text, twice))), lay_out(names)) == "incorrect"
    assert outcome(some, lay_out(names[::-1])) == outcome(every, lay_out(names[::-1])) == "correct"
    assert outcome(ranked, lay_out(names[::-1])) == "incorrect"
    assert outcome(ranked, lay_out([*names[1:], names[0]])) == "incorrect"


@settings(deadline=None)
@given(NAMES, st.data(), FORMS)
def test_ties_may_come_in_any_order_and_groups_may_not(
    names: list[str], data: st.DataObject, lay_out: Callable[..., str]
) -> None:
    at = data.draw(st.integers(1, len(names) - 1))
    key = Ranking(groups=(tuple(map(text, names[:at])), tuple(map(text, names[at:]))))
    tied = data.draw(st.permutations(names[:at])) + data.draw(st.permutations(names[at:]))
    assert outcome(key, lay_out(tied)) == "correct"
    tied[at - 1], tied[at] = tied[at], tied[at - 1]
    assert outcome(key, lay_out(tied)) == "incorrect"


ATOMS = st.sampled_from(
    [text("a"), text("b"), text("c", "a"), text("é"), text("e"), number(1), number("1.25", 1), number("1.2")]
)
COLLECTIONS = st.one_of(
    st.lists(ATOMS, min_size=1, max_size=5).map(lambda items: Multiset(items=tuple(items))),
    st.lists(ATOMS, min_size=1, max_size=5, unique=True).map(lambda items: ValueSet(items=tuple(items))),
    st.lists(st.lists(ATOMS, min_size=1, max_size=3).map(tuple), min_size=1, max_size=4).map(
        lambda groups: Ranking(groups=tuple(groups))
    ),
)


@given(COLLECTIONS, COLLECTIONS)
def test_partial_credit_is_one_only_for_agreement(key: Answer, read: Answer) -> None:
    assert 0 <= partial_credit(key, read) <= 1
    assert agrees(key, read) == (partial_credit(key, read) == 1)
    assert agrees(key, key)


def test_listing_everything_is_incorrect_and_earns_little() -> None:
    names = [f"name{place}" for place in range(5000)]
    key = lists_of(names[:5])[0]
    verdict = check_response(key_of(key), Response(question_id="q-1", outcome="answered", text="\n".join(names)))
    assert verdict.outcome == "incorrect"
    assert verdict.score < 0.01


# -- Verdicts ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("response", "wanted", "score"),
    [
        (Response(question_id="q-1", sample=2, outcome="answered", text="Answer: 4"), "correct", 1.0),
        (Response(question_id="q-1", sample=2, outcome="answered", text="Answer: 5"), "incorrect", 0.0),
        (Response(question_id="q-1", sample=2, outcome="answered", text="NULL"), "incorrect", 0.0),
        (Response(question_id="q-1", sample=2, outcome="answered", text="I cannot say."), "unparseable", 0.0),
        (Response(question_id="q-1", sample=2, outcome="answered"), "unparseable", 0.0),
        (Response(question_id="q-1", sample=2, outcome="truncated", text="Answer: 4"), "unparseable", 0.0),
        (Response(question_id="q-1", sample=2, outcome="truncated", text="\\boxed{4} is the"), "correct", 1.0),
        (Response(question_id="q-1", sample=2, outcome="refused", text="4"), "refused", 0.0),
        (Response(question_id="q-1", sample=2, outcome="overflow"), "overflow", 0.0),
        (Response(question_id="q-1", sample=2, outcome="error", error="provider: 503"), "error", 0.0),
    ],
)
def test_every_response_gets_a_verdict(response: Response, wanted: str, score: float) -> None:
    verdict = check_response(key_of(number(4)), response)
    assert (verdict.question_id, verdict.sample, verdict.outcome, verdict.score) == ("q-1", 2, wanted, score)
    assert (verdict.parsed is not None) == (wanted in {"correct", "incorrect"})
    assert bool(verdict.reason) == (wanted in {"unparseable", "refused", "overflow", "error"})
    assert type(verdict).from_line(verdict.to_line()) == verdict


@settings(deadline=None)
@given(COLLECTIONS, st.text(max_size=60) | FORMS.map(lambda lay_out: lay_out(["a", "a", "É", "1.2"])))
def test_every_verdict_round_trips_through_a_file(key: Answer, said: str) -> None:
    verdict = check_response(key_of(key), Response(question_id="q-1", outcome="answered", text=said))
    assert type(verdict).from_line(verdict.to_line()) == verdict
