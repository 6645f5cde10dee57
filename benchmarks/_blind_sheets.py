"""An answer as plain data: what a correct response says, and changed copies that a correct response must not say.

Written from the prompts alone, without reading how responses are parsed: see response_forms_blind.py.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

LISTS = ("set", "multiset", "ranking")
NUMBERED = ("choice", "assignment", "selection")

Mutation = Callable[["Sheet", random.Random], "Sheet | None"]


@dataclass(frozen=True)
class Sheet:
    """What a response to one question says, without its form."""

    kind: str
    """The type of the answer: number, set, multiset, ranking, rows, none, choice, assignment, selection."""
    lines: tuple[str, ...]
    """The items in the order of the key; one line for each row, `value; result`."""
    question: str
    others: tuple[str, ...] = ()
    """Items that are plausible and not in the key: titles of the context, names from other questions."""
    groups: tuple[int, ...] = ()
    """Of a ranking: how many items share each place."""
    of: int = 0
    """Of a numbered answer: the number of candidates."""
    unit: str = ""
    decimals: int | None = None

    @property
    def chinese(self) -> bool:
        return any("一" <= letter <= "鿿" for letter in self.question)

    @property
    def numeric(self) -> bool:
        """Every item is a number."""
        return self.kind in ("number", *NUMBERED) or (
            self.kind in LISTS and all(is_number(line) for line in self.lines)
        )

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Rows as pairs of value and result."""
        return tuple(
            (value.strip(), result.strip()) for value, _, result in (line.partition(";") for line in self.lines)
        )

    @property
    def block(self) -> str:
        """The answer as the prompt asks for it."""
        return ", ".join(self.lines) if self.kind in NUMBERED else "\n".join(self.lines)

    @property
    def inline(self) -> str | None:
        """The answer on one line, or None where its items contain the separator."""
        if len(self.lines) == 1 and self.kind != "rows":
            return self.lines[0]
        if self.kind == "rows":
            return ", ".join(f"{value}: {result}" for value, result in self.pairs)
        if self.numeric or self.kind in NUMBERED:
            return ", ".join(self.lines)
        if any(";" in line for line in self.lines):
            return None
        return "; ".join(self.lines)


def is_number(text: str) -> bool:
    return text.replace(".", "", 1).replace("-", "", 1).isdigit()


def sheet_of(answer: Any, question: str, others: tuple[str, ...]) -> Sheet:
    """The sheet of a key; `others` are items that its question does not accept."""
    lines, groups = _lines(answer)
    return Sheet(
        kind=answer.type,
        lines=lines,
        question=question,
        others=tuple(other for other in others if other not in lines),
        groups=groups,
        of=getattr(answer, "of", 0),
        unit=getattr(answer, "unit", ""),
        decimals=getattr(answer, "decimals", None),
    )


def _lines(answer: Any) -> tuple[tuple[str, ...], tuple[int, ...]]:
    match answer.type:
        case "none":
            return ("NULL",), ()
        case "number" | "text":
            return (value_text(answer),), ()
        case "choice":
            return (str(answer.option),), ()
        case "assignment" | "selection":
            return tuple(str(option) for option in answer.options), ()
        case "rows":
            return tuple("; ".join(value_text(value) for value in row) for row in answer.rows), ()
        case "ranking":
            return (
                tuple(value_text(value) for group in answer.groups for value in group),
                tuple(len(group) for group in answer.groups),
            )
    return tuple(value_text(value) for value in answer.items), ()


def value_text(value: Any) -> str:
    """A value as a careful response prints it, a number with the decimals that the question asks for."""
    if value.type != "number":
        return str(value.value)
    if value.decimals is None:
        return f"{value.value:f}"
    return f"{value.value.quantize(Decimal(1).scaleb(-value.decimals)):f}"


def _number_changed(sheet: Sheet, change: Callable[[Decimal], Decimal]) -> Sheet | None:
    if sheet.kind != "number":
        return None
    old = Decimal(sheet.lines[0])
    new = change(old)
    # A difference that a tolerance for rounded figures may forgive is no near miss.
    if abs(new - old) <= abs(old) * Decimal("0.02"):
        return None
    places = sheet.decimals if sheet.decimals is not None else max(0, -int(old.as_tuple().exponent))
    return replace(sheet, lines=(f"{new:.{places}f}",))


def one_more(sheet: Sheet, rng: random.Random) -> Sheet | None:
    return _number_changed(sheet, lambda number: number + max(Decimal(1), (abs(number) * 3) // 100))


def one_less(sheet: Sheet, rng: random.Random) -> Sheet | None:
    return _number_changed(sheet, lambda number: number - max(Decimal(1), (abs(number) * 3) // 100))


def tenfold(sheet: Sheet, rng: random.Random) -> Sheet | None:
    return _number_changed(sheet, lambda number: number * 10)


def a_tenth(sheet: Sheet, rng: random.Random) -> Sheet | None:
    # Below 10 with two decimals asked for, a tenth would need a third decimal.
    return _number_changed(sheet, lambda number: number / 10 if number % 10 == 0 else number)


def negated(sheet: Sheet, rng: random.Random) -> Sheet | None:
    return _number_changed(sheet, lambda number: -number)


def digit_in_front(sheet: Sheet, rng: random.Random) -> Sheet | None:
    if sheet.kind != "number":
        return None
    sign, digits = ("-", sheet.lines[0][1:]) if sheet.lines[0].startswith("-") else ("", sheet.lines[0])
    return replace(sheet, lines=(f"{sign}{rng.randint(1, 9)}{digits}",))


def other_item(sheet: Sheet, rng: random.Random) -> Sheet | None:
    """One item is replaced by another."""
    if sheet.kind not in (*LISTS, "text") or sheet.numeric or not sheet.others:
        return None
    lines = list(sheet.lines)
    lines[rng.randrange(len(lines))] = rng.choice(sheet.others)
    return replace(sheet, lines=tuple(lines))


def extra_item(sheet: Sheet, rng: random.Random) -> Sheet | None:
    if sheet.kind not in LISTS or sheet.numeric or not sheet.others:
        return None
    place = rng.randint(0, len(sheet.lines))
    return replace(sheet, lines=(*sheet.lines[:place], rng.choice(sheet.others), *sheet.lines[place:]))


def missing_item(sheet: Sheet, rng: random.Random) -> Sheet | None:
    if sheet.kind not in (*LISTS, "rows", "selection", "assignment") or len(sheet.lines) < 2:
        return None
    place = rng.randrange(len(sheet.lines))
    # The same value twice in a set is no second item.
    if sheet.kind == "set" and sheet.lines.count(sheet.lines[place]) > 1:
        return None
    return replace(sheet, lines=sheet.lines[:place] + sheet.lines[place + 1 :])


def extra_number(sheet: Sheet, rng: random.Random) -> Sheet | None:
    if sheet.kind not in LISTS or not sheet.numeric:
        return None
    top = max(int(Decimal(line)) for line in sheet.lines)
    return replace(sheet, lines=(*sheet.lines, str(top + rng.randint(1, 3))))


def changed_number(sheet: Sheet, rng: random.Random) -> Sheet | None:
    if sheet.kind not in LISTS or not sheet.numeric:
        return None
    lines = list(sheet.lines)
    lines[rng.randrange(len(lines))] = str(max(int(Decimal(line)) for line in lines) + 1)
    return replace(sheet, lines=tuple(lines))


def reversed_order(sheet: Sheet, rng: random.Random) -> Sheet | None:
    if sheet.kind != "ranking" or len(sheet.groups) < 2:
        return None
    lines = tuple(reversed(sheet.lines))
    return replace(sheet, lines=lines) if lines != sheet.lines else None


def two_swapped(sheet: Sheet, rng: random.Random) -> Sheet | None:
    """The last item of the first place and the first item of the second place trade places."""
    if sheet.kind != "ranking" or len(sheet.groups) < 2:
        return None
    at = sheet.groups[0] - 1
    lines = list(sheet.lines)
    lines[at], lines[at + 1] = lines[at + 1], lines[at]
    return replace(sheet, lines=tuple(lines)) if lines[at] != lines[at + 1] else None


def result_changed(sheet: Sheet, rng: random.Random) -> Sheet | None:
    if sheet.kind != "rows":
        return None
    at = rng.randrange(len(sheet.lines))
    value, result = sheet.pairs[at]
    wrong = f"{Decimal(result) + rng.choice((1, 2)):f}"
    return replace(sheet, lines=(*sheet.lines[:at], f"{value}; {wrong}", *sheet.lines[at + 1 :]))


def row_added(sheet: Sheet, rng: random.Random) -> Sheet | None:
    if sheet.kind != "rows":
        return None
    top = max(int(Decimal(value)) for value, _ in sheet.pairs)
    return replace(sheet, lines=(*sheet.lines, f"{top + 1}; 1"))


def results_swapped(sheet: Sheet, rng: random.Random) -> Sheet | None:
    if sheet.kind != "rows" or len(sheet.pairs) < 2 or sheet.pairs[0][1] == sheet.pairs[1][1]:
        return None
    (first, one), (second, two) = sheet.pairs[:2]
    return replace(sheet, lines=(f"{first}; {two}", f"{second}; {one}", *sheet.lines[2:]))


def another_candidate(sheet: Sheet, rng: random.Random) -> Sheet | None:
    if sheet.kind not in ("choice", "selection"):
        return None
    free = [str(option) for option in range(1, sheet.of + 1) if str(option) not in sheet.lines]
    if not free:
        return None
    lines = list(sheet.lines)
    lines[rng.randrange(len(lines))] = rng.choice(free)
    return replace(sheet, lines=tuple(lines))


def one_candidate_more(sheet: Sheet, rng: random.Random) -> Sheet | None:
    if sheet.kind != "selection" or len(sheet.lines) == sheet.of:
        return None
    free = [str(option) for option in range(1, sheet.of + 1) if str(option) not in sheet.lines]
    return replace(sheet, lines=(*sheet.lines, rng.choice(free)))


def out_of_range(sheet: Sheet, rng: random.Random) -> Sheet | None:
    if sheet.kind not in NUMBERED:
        return None
    lines = list(sheet.lines)
    lines[rng.randrange(len(lines))] = str(sheet.of + rng.randint(1, 4))
    return replace(sheet, lines=tuple(lines))


def places_swapped(sheet: Sheet, rng: random.Random) -> Sheet | None:
    if sheet.kind != "assignment":
        return None
    first, second = rng.sample(range(len(sheet.lines)), 2)
    lines = list(sheet.lines)
    lines[first], lines[second] = lines[second], lines[first]
    return replace(sheet, lines=tuple(lines))


def one_repeated(sheet: Sheet, rng: random.Random) -> Sheet | None:
    if sheet.kind != "assignment":
        return None
    lines = list(sheet.lines)
    lines[1] = lines[0]
    return replace(sheet, lines=tuple(lines))


def null_instead(sheet: Sheet, rng: random.Random) -> Sheet | None:
    if sheet.kind in ("none", *NUMBERED):
        return None
    return replace(sheet, kind="none", lines=("NULL",))


def answered_anyway(sheet: Sheet, rng: random.Random) -> Sheet | None:
    """A number or a list where the key is NULL."""
    if sheet.kind != "none":
        return None
    asks_number = any(sign in sheet.question for sign in ("one number", "多少", "average", "sum of", "How many"))
    if asks_number or not sheet.others:
        return replace(sheet, kind="number", lines=(str(rng.randint(2, 30)),))
    count = min(len(sheet.others), rng.randint(1, 3))
    return replace(sheet, kind="set", lines=tuple(rng.sample(sheet.others, count)))


MUTATIONS: tuple[Mutation, ...] = (
    one_more,
    one_less,
    tenfold,
    a_tenth,
    negated,
    digit_in_front,
    other_item,
    extra_item,
    missing_item,
    extra_number,
    changed_number,
    reversed_order,
    two_swapped,
    result_changed,
    row_added,
    results_swapped,
    another_candidate,
    one_candidate_more,
    out_of_range,
    places_swapped,
    one_repeated,
    null_instead,
    answered_anyway,
)
