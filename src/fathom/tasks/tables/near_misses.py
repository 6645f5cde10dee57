"""Responses that an audit tries on every key: forms of the answer as reports print it, and near misses.

Whether a near miss really is incorrect is decided here by coarser rules than those of the check: names are compared
letter by letter, and numbers must differ by two steps of rounding.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from datetime import date
from decimal import Decimal
from itertools import islice

from fathom.scoring.answer_types.format import rounded, written
from fathom.scoring.answer_types.values import items_of
from fathom.scoring.answers import Answer, Number, Ranking, Text, Unanswerable, ValueSet
from fathom.scoring.keys import Key
from fathom.tasks.programs.faults import Interpretation
from fathom.tasks.tables.build import with_unit
from fathom.tasks.tables.faults import faults_of
from fathom.tasks.tables.key_tables import scales_of, unit_of
from fathom.tasks.tables.months import MONTH, month_value
from fathom.tasks.tables.other_figures import OtherFigures

MISREAD = ("inverted-ratio", "wrong-period", "old-report", "miss-document", "scale")
"""Faults whose answers are near misses."""
VARIATIONS = 3
"""Answers of each of them."""
MAX_NAMES = 4
"""Other entities that are put into a list."""

CODE = 3
"""Letters of the code of a currency."""

_MARKS = ("The answer is: {}", "答案是：{}", "**The answer is: {}**")
_CHINESE = re.compile(r"[\u4e00-\u9fff]+")
_POWERS = {"million": 6, "billion": 9, "万": 4, "亿": 8}
"""The powers of ten of the scales in which questions ask for large amounts."""
_ENGLISH, _CHINESE_SCALES = ("thousand", "million", "billion", "trillion"), ("千", "万", "亿", "million")


def accepted_forms(answer: Answer) -> Iterator[str]:
    """Forms of the answer in the notation of reports."""
    match answer:
        case Number():
            bare = f"{rounded(answer):f}"
            forms = [bare, *_amounts(answer), *_percentages(answer, bare)]
            yield from (mark.format(form) for form in forms for mark in _MARKS)
            yield _MARKS[1].format(bare.translate(_FULL_WIDTH))
        case ValueSet() | Ranking():
            names = [str(item.value) for item in items_of(answer)]
            name_list = json.dumps(names, ensure_ascii=False)
            yield from (mark.format(name_list) for mark in _MARKS)
            yield "The answer is:\n" + "\n".join(f"{number}. {name}" for number, name in enumerate(names, start=1))
            if not any(set(name) & set(",;，；、和及与&") or " and " in name for name in names):
                yield from (f"答案是：{mark.join(names)}。" for mark in "、；")
                if len(names) > 1 and all(_CHINESE.fullmatch(name) for name in names):
                    first = "、".join(names[:-1])
                    yield from (f"答案是：{first}{word}{names[-1]}。" for word in ("和", "及", "与", "以及", "，以及"))
        case Text(value=month) if unit_of(answer) == MONTH:
            yield from (mark.format(form) for form in _months(month) for mark in _MARKS)
            yield _MARKS[1].format(month.translate(_FULL_WIDTH))
        case Unanswerable():
            yield from (mark.format("[]") for mark in _MARKS)


def _months(month: str) -> Iterator[str]:
    """A month as people write it."""
    year, number = month.split("-")
    day = date(int(year), int(number), 1)
    yield from (month, f"{day:%B %Y}", f"{day:%b %Y}", f"{year}年{int(number)}月", f"{year}/{number}")


_FULL_WIDTH = str.maketrans("0123456789.-%", "０１２３４５６７８９．－％")


def _amounts(answer: Number) -> Iterator[str]:
    """An amount with its unit, in other scales and in plain units; negative amounts of money in brackets, too."""
    scale, name = _split(answer.unit)
    value = rounded(answer)
    if not name:
        return
    size, minus = f"{abs(value):,f}", "-" if value < 0 else ""
    power = _POWERS.get(scale, 0)
    if scale in _ENGLISH:
        yield f"{minus}{size} {scale} {name}"
        if _is_currency(name):
            yield f"{name} {minus}{size} {scale}"
        yield from (
            f"{minus}{abs(value).scaleb(power - other):f} {word} {name}"
            for word, other in (("million", 6), ("billion", 9), ("trillion", 12))
            if word != scale
        )
    elif scale:
        other, plain = "亿" if scale == "万" else "万", answer.unit[1:]
        yield f"{minus}{size}{scale}{plain}"
        yield f"{minus}{abs(value).scaleb(power - _POWERS[other]):f}{other}{plain}"
    yield f"{minus}{abs(value).scaleb(power):f} {name}"
    if value < 0 and _is_currency(name):
        yield from (f"({size})", f"({size} {answer.unit})")


def _percentages(answer: Number, bare: str) -> Iterator[str]:
    if answer.unit == "%":
        yield from (f"{bare}%", f"{bare} percent", f"百分之{bare}" if not bare.startswith("-") else f"{bare}％")
    if answer.unit == "percentage points":
        yield from (f"{bare} percentage points", f"{bare}个百分点")


def _split(unit: str) -> tuple[str, str]:
    """The scale and the rest of a unit: "million" and "EUR"; nothing if it is neither a currency nor has a scale."""
    if unit.startswith(("万", "亿")):
        return unit[0], "CNY" if unit[1:] == "元" else unit[1:]
    scale, _, name = unit.rpartition(" ")
    return (scale, name) if _is_currency(name) or scale in _POWERS else ("", "CNY" if unit == "元" else "")


def _is_currency(name: str) -> bool:
    return len(name) == CODE and name.isupper()


def near_misses(key: Key, others: OtherFigures, reading: Interpretation) -> Iterator[str]:
    """Answers with a wrong scale, sign or rounding, wrong lists, and what faulty readers answer.

    `reading` is the correct one: the program and the table of the key.
    """
    answer = key.answer
    match answer:
        case Number():
            yield from near_numbers(answer)
        case ValueSet() | Ranking():
            yield from _near_lists(answer, list(dict.fromkeys(row[0] for row in key.proof.rows)))
        case Text(value=month) if unit_of(answer) == MONTH:
            yield from (f"The answer is: {other}" for other in _near_months(month, key))
        case Unanswerable():
            yield from (f'The answer is: ["{row[0]}"]' for row in key.proof.rows[:1])
    for other in _misread(key, others, reading):
        if _differs(answer, other):
            yield f"The answer is: {written(other)}" if isinstance(other, Number) else f"Answer:\n{written(other)}"


def near_numbers(answer: Number) -> Iterator[str]:
    """The number with another scale, sign, rounding or unit."""
    value = rounded(answer)
    scale, name = _split(answer.unit)
    step = Decimal(1).scaleb(-(answer.decimals or 0))
    values = [
        value * 1000,
        value / 1000,
        value * 1_000_000,
        value * 100,
        value / 100,
        -value,
        value + step,
        value - step,
    ]
    values += [coarse for digits in (1, 0, -1) if (coarse := round(value, digits)) != value]
    for near_value in values:
        # Of 0.125 both 0.12 and 0.13 are roundings to two decimals, by one rule or another.
        is_rounding = abs(near_value - answer.value) <= step / 2
        if not is_rounding and abs(near_value - value) >= (step if answer.decimals else Decimal("0.5")):
            yield f"The answer is: {near_value:f}{answer.unit if answer.unit == '%' else ''}"
    if not value:
        return
    bare = f"{value:f}"
    if name and scale:
        words = _ENGLISH if scale in _ENGLISH else _CHINESE_SCALES
        yield from (f"The answer is: {bare} {word} {name}" for word in words if word != scale)
        yield f"The answer is: {bare} {name}"
        yield f"The answer is: {bare} {scale} {'EUR' if name != 'EUR' else 'USD'}"
    if name:
        yield f"The answer is: {bare}%"
    if answer.unit == "%":
        yield from (f"The answer is: {bare}‰", f"The answer is: {bare} percentage points")
    if not answer.unit:
        yield from (f"The answer is: {bare}%", f"The answer is: {bare} million")


def _near_months(month: str, key: Key) -> Iterator[str]:
    """The month before and after, the same month of other years, the months of other entities, half a month."""
    year, number = (int(part) for part in month.split("-"))
    months = {f"{year}-{near_number:02}" for near_number in (number - 1, number + 1) if 1 <= near_number <= 12}
    months |= {f"{year + 1}-{number:02}", f"{year - 1}-{number:02}"}
    months |= {row[2] for row in key.proof.rows if month_value(row[2]) is not None}
    yield from sorted(months - {month})
    yield from (str(year), f"{number:02}", f"{date(year, number, 1):%B}", "[]")


def _near_lists(answer: ValueSet | Ranking, entities: Sequence[str]) -> Iterator[str]:
    names = [str(item.value) for item in items_of(answer)]
    strangers = [name for name in entities if _letters(name) not in set(map(_letters, names))][:MAX_NAMES]
    lists = [names[:index] + names[index + 1 :] for index in range(len(names))]
    lists += [[*names, other] for other in strangers]
    lists += [[*names[:-1], other] for other in strangers]
    if isinstance(answer, Ranking) and len(names) > 1:
        lists += [names[::-1], [names[1], names[0], *names[2:]]]
    yield from ("[]", "The answer is: []")
    yield from (f"The answer is: {json.dumps(wrong_list, ensure_ascii=False)}" for wrong_list in lists)


def _misread(key: Key, others: OtherFigures, reading: Interpretation) -> Iterator[Answer]:
    """The answers of readers with one fault."""
    unit = unit_of(key.answer)
    faults = faults_of(others, scales_of(key))
    for name in MISREAD:
        for variation in islice(faults[name].variations(reading), VARIATIONS):
            yield with_unit(variation.reading.answer(), unit)


def _differs(left: Answer, right: Answer) -> bool:
    """Whether two answers differ under every rule of comparison."""
    if isinstance(left, Number) and isinstance(right, Number):
        step = Decimal(1).scaleb(-(left.decimals or 0)) if left.decimals else Decimal("0.5")
        return abs(rounded(left) - right.value) >= 2 * step
    if isinstance(left, Ranking) and isinstance(right, Ranking):
        return [_letters(str(item.value)) for item in items_of(left)] != [
            _letters(str(item.value)) for item in items_of(right)
        ]
    if isinstance(left, ValueSet) and isinstance(right, ValueSet):
        return {_letters(str(item.value)) for item in left.items} != {_letters(str(item.value)) for item in right.items}
    if isinstance(left, Text) and isinstance(right, Text):
        return left.value != right.value
    return left.type != right.type


def _letters(name: str) -> str:
    return "".join(sign for sign in name.casefold() if sign.isalnum())
