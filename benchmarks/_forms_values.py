"""Answers of bench items as plain values, whether another value is equally correct, and values that are not.

The checker's own types are not used beyond reading the key: this study must not share its mistakes.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from random import Random
from typing import Any

from fathom.api.benches import BenchItem

Value = Any
"""None (there is no answer), a number as text, a list of texts, a list of pairs of texts, or numbers of candidates."""


@dataclass(frozen=True)
class Article:
    """What a model may write down about one article of the context."""

    number: int
    title: str
    authors: tuple[str, ...]
    references: int


@dataclass(frozen=True)
class Subject:
    """An item, its answer as a plain value, and what else its context offers."""

    item: BenchItem
    kind: str
    """The answer type of the key: number, set, multiset, ranking, rows, none, choice or assignment."""

    value: Value
    textual: bool
    """The answer consists of titles or names."""

    groups: tuple[tuple[str, ...], ...]
    """Of a ranking: elements that may stand in any order among themselves."""

    others: tuple[str, ...]
    """Titles or names of the context that are not in the answer."""

    articles: tuple[Article, ...]

    @property
    def question(self) -> str:
        return self.item.question.text


def plain(text: str) -> str:
    """Letters and digits of a text: two texts that agree here are the same title or name."""
    decomposed = unicodedata.normalize("NFKD", text)
    return re.sub(r"[^\w]+|_", "", "".join(c for c in decomposed if not unicodedata.combining(c))).casefold()


def subject_of(item: BenchItem, articles: Sequence[Article]) -> Subject:
    """The item with its answer as a plain value."""
    answer = item.key.answer.model_dump()
    kind = answer["type"]
    lines = item.answer.split("\n")
    value: Value = lines
    if kind == "number":
        value = item.answer
    elif kind == "rows":
        value = [tuple(part.strip() for part in line.split(";")) for line in lines]
    elif kind == "none":
        value = None
    elif kind == "choice":
        value = answer["option"]
    elif kind in ("assignment", "selection"):
        value = list(answer["options"])
    elements = answer.get("items") or [one for group in answer.get("groups", ()) for one in group]
    textual = any(one["type"] == "text" for one in elements)
    groups = tuple(tuple(plain_element(one["value"], textual) for one in group) for group in answer.get("groups", ()))
    spellings = {plain(name) for one in elements if textual for name in (one["value"], *one["aliases"])}
    pool = [article.title for article in articles]
    if textual and not spellings & {plain(title) for title in pool}:
        families = {name.split()[-1].casefold() for one in elements for name in (one["value"], *one["aliases"])}
        pool = [name for one in articles for name in one.authors if name.split()[-1].casefold() not in families]
    others = tuple(text for text in dict.fromkeys(pool) if not any(overlap(plain(text), one) for one in spellings))
    return Subject(item, kind, value, textual, groups, others, tuple(articles))


def overlap(one: str, two: str) -> bool:
    return one in two or two in one


def plain_element(text: str, textual: bool) -> str:
    return plain(text) if textual else str(Decimal(text).normalize())


def is_correct(subject: Subject, value: Value) -> bool:
    """Whether a value answers the question as the key does."""
    if value is None or subject.value is None:
        return value is None and subject.value is None
    if subject.kind == "number":
        return isinstance(value, str) and Decimal(value) == Decimal(str(subject.value))
    if subject.kind == "selection":
        return set(value) == set(subject.value)
    if subject.kind in ("choice", "assignment"):
        return bool(value == subject.value)
    if not isinstance(value, list):
        return False
    if subject.kind == "rows":
        return Counter(map(numbers, value)) == Counter(map(numbers, subject.value))
    given = [plain_element(one, subject.textual) for one in value]
    wanted = [plain_element(one, subject.textual) for one in subject.value]
    if subject.kind == "set":
        # Repeating an element of a set is bad style, not another answer.
        return set(given) == set(wanted)
    if Counter(given) != Counter(wanted):
        return False
    return subject.kind == "multiset" or in_order(given, subject.groups)


def numbers(row: Sequence[str]) -> tuple[Decimal, ...]:
    return tuple(Decimal(cell) for cell in row)


def in_order(given: Sequence[str], groups: Sequence[Sequence[str]]) -> bool:
    start = 0
    for group in groups:
        if Counter(given[start : start + len(group)]) != Counter(group):
            return False
        start += len(group)
    return True


def equal_values(subject: Subject, rng: Random) -> Value:
    """A value as correct as the key's: sets and tied elements in another order."""
    value = subject.value
    if subject.kind in ("set", "multiset", "rows") and isinstance(value, list):
        return rng.sample(value, len(value))
    if subject.kind == "ranking" and isinstance(value, list):
        result: list[str] = []
        for group in subject.groups:
            part = value[len(result) : len(result) + len(group)]
            result += rng.sample(part, len(part))
        return result
    return value


def wrong_values(subject: Subject, rng: Random) -> list[tuple[str, Value]]:
    """Named values that are surely incorrect."""
    found = list(_candidates(subject, rng))
    return [(name, value) for name, value in found if not is_correct(subject, value)]


def _candidates(subject: Subject, rng: Random) -> Iterator[tuple[str, Value]]:
    value = subject.value
    if subject.kind not in ("none", "choice", "assignment", "selection"):
        yield "says there is none", None
    if subject.kind == "none":
        yield from _instead_of_none(subject, rng)
    elif subject.kind == "number":
        yield from _wrong_numbers(str(value), subject, rng)
    elif subject.kind == "rows":
        yield from _wrong_rows(value, rng)
    elif subject.kind == "choice":
        for option in range(1, 5):
            yield "another candidate", option
        yield "no such candidate", rng.choice((5, 6, 7, 10 + int(str(value)), 0))
    elif subject.kind == "selection":
        yield from _wrong_selections(list(value), subject.item.key.answer.model_dump()["of"])
    elif subject.kind == "assignment":
        yield from _wrong_assignments(list(value), rng)
    elif subject.textual:
        yield from _wrong_texts(list(value), subject.others, rng)
    else:
        yield from _wrong_number_lists(list(value), rng)


def _instead_of_none(subject: Subject, rng: Random) -> Iterator[tuple[str, Value]]:
    if "one number" in subject.question:
        yield "zero for none", "0"
        yield "a number for none", str(rng.randint(1, 40))
    elif "semicolon" in subject.question:
        yield "groups for none", [(str(rng.randint(1, 9)), str(rng.randint(1, 9)))]
    else:
        yield "items for none", rng.sample(subject.others, min(len(subject.others), rng.randint(1, 3)))
        yield "numbers for none", [str(rng.randint(1, 30)) for _ in range(rng.randint(1, 3))]


def _wrong_numbers(value: str, subject: Subject, rng: Random) -> Iterator[tuple[str, Value]]:
    # 8.625 may be rounded to 8.62 and to 8.63.
    step = Decimal("0.02") if "." in value else Decimal(1)
    yield "off by one", str(Decimal(value) + step)
    yield "one too few", str(Decimal(value) - step)
    if "." not in value:
        yield "another digit", value + str(rng.randint(1, 9))
    yield "ten times", str(Decimal(value) * 10)
    if len(value) > 1 and "." not in value:
        yield "digits reversed", value[::-1].lstrip("0") or "0"
        yield "a digit missing", value[1:]
    if "." not in value:
        yield "another count", str(rng.choice(subject.articles).references)


def _wrong_texts(value: list[str], others: Sequence[str], rng: Random) -> Iterator[tuple[str, Value]]:
    place = rng.randrange(len(value))
    if others:
        other = rng.choice(others)
        yield "one more", [*value[:place], other, *value[place:]]
        yield "one more at the end", [*value, other]
        yield "one replaced", [*value[:place], other, *value[place + 1 :]]
        yield "everything", [*value, *others]
        yield "only others", rng.sample(others, min(len(others), max(1, len(value))))
    if len(value) > 1:
        yield "one missing", [*value[:place], *value[place + 1 :]]
        yield "reversed", value[::-1]
        yield "two exchanged", _exchanged(value, rng)


def _wrong_number_lists(value: list[str], rng: Random) -> Iterator[tuple[str, Value]]:
    place = rng.randrange(len(value))
    off = str(int(value[place]) + rng.choice((-1, 1)))
    yield "one off by one", [*value[:place], off, *value[place + 1 :]]
    yield "one more", [*value, str(int(value[place]) + 1)]
    yield "repeated", [*value[:place], value[place], *value[place:]]
    if len(value) > 1:
        yield "one missing", [*value[:place], *value[place + 1 :]]
        yield "reversed", value[::-1]
        yield "two exchanged", _exchanged(value, rng)
        yield "without repetitions", list(dict.fromkeys(value))


def _wrong_rows(value: list[tuple[str, str]], rng: Random) -> Iterator[tuple[str, Value]]:
    place = rng.randrange(len(value))
    group, result = value[place]
    more = str(Decimal(result) + 1)
    yield "result off by one", [*value[:place], (group, more), *value[place + 1 :]]
    yield "group off by one", [*value[:place], (str(int(group) + 1), result), *value[place + 1 :]]
    yield "columns exchanged", [(two, one) for one, two in value]
    yield "one group more", [*value, (str(max(int(one) for one, _ in value) + 2), result)]
    if len(value) > 1:
        yield "one group missing", [*value[:place], *value[place + 1 :]]
        results = [two for _, two in value]
        yield "results shifted", [(one, two) for (one, _), two in zip(value, results[1:] + results[:1], strict=True)]


def _wrong_assignments(value: list[int], rng: Random) -> Iterator[tuple[str, Value]]:
    yield "two exchanged", _exchanged(value, rng)
    yield "reversed", value[::-1]
    yield "shifted", value[1:] + value[:1]
    yield "one missing", value[:3]
    yield "one repeated", [value[0], value[0], *value[2:]]
    yield "inverse", [value.index(one) + 1 for one in (1, 2, 3, 4)]


def _wrong_selections(value: list[int], of: int) -> Iterator[tuple[str, Value]]:
    others = [option for option in range(1, of + 1) if option not in value]
    yield "one missing", value[1:] or [value[0] % of + 1]
    for other in others[:2]:
        yield "one more", [*value, other]
        yield "one replaced", [*value[:-1], other]
    yield "everything", list(range(1, of + 1))


def _exchanged(value: list[Any], rng: Random) -> list[Any]:
    one, two = rng.sample(range(len(value)), 2)
    changed = list(value)
    changed[one], changed[two] = changed[two], changed[one]
    return changed
