"""Writes solutions of puzzles from their keys: complete ones, and ones with planted faults."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from random import Random

from fathom.scoring.answers import Number, Text
from fathom.scoring.keys import Key
from fathom.tasks.puzzles.checklist import ChecklistItem, checklist_of, conclusions_of, last_step
from fathom.tasks.puzzles.tree import DATE, Value
from fathom.tasks.puzzles.wording import written_value

_LINES = {
    "en": {
        "state": "{name} is {value}.",
        "compute": "{name}: {terms} = {value}.",
        "follow": "{name} is therefore {value}.",
    },
    "zh": {"state": "{name}是{value}。", "compute": "{name}：{terms} = {value}。", "follow": "因此{name}是{value}。"},
}
_ANSWER = {"en": "Answer: {value}", "zh": "答案：{value}"}
_SIGNS = {"+": "+", "-": "-", "*": "*", "/": "/"}


def bare_answer(key: Key, language: str, value: str | None = None) -> str:
    """The answer without any reasoning."""
    return _ANSWER.get(language, _ANSWER["en"]).format(value=value if value is not None else stated_answer(key))


def stated_answer(key: Key) -> str:
    """The answer of a key as a response states it."""
    answer = key.answer
    if isinstance(answer, Number):
        return f"{round(answer.value, answer.decimals) if answer.decimals is not None else answer.value:f}"
    assert isinstance(answer, Text)
    return answer.value


def solution(key: Key, language: str) -> str:
    """A complete solution: every item of the checklist, the last step, and the answer."""
    if conclusions := conclusions_of(key):
        return "\n\n".join((*conclusions, bare_answer(key, language)))
    return written_solution(checklist_of(key), key, language)


def without_item(key: Key, language: str, number: int) -> str:
    """A solution without one item of the checklist, and without the others that mention its value."""
    if conclusions := conclusions_of(key):
        other_conclusions = (conclusion for index, conclusion in enumerate(conclusions) if index != number)
        return "\n\n".join((*other_conclusions, bare_answer(key, language)))
    items = checklist_of(key)
    return written_solution([item for item in items if not _mentions(item, items[number])], key, language, last=False)


PLANTED = ("guess", "miss", "wrong-way", "copy")
"""Faults of responses whose answer is correct and whose reasoning does not reach the checklist."""


def faulty_solution(key: Key, language: str, fault: str, rng: Random, names: Sequence[str] = ()) -> str:
    """A response with one of the faults in `PLANTED`; `names` are those that may take the place of another."""
    items = checklist_of(key)
    if not items and fault != "guess":
        return without_item(key, language, rng.randrange(len(conclusions_of(key))))
    match fault:
        case "guess":
            return bare_answer(key, language)
        case "copy":
            values = "; ".join(written_value(item.value, language) for item in items)
            return f"{values}\n\n{bare_answer(key, language)}"
        case "wrong-way":
            old = rng.choice(items).value
            new = another_value(old, rng, names or [item.value.name for item in items if item.value.name])
            return written_solution([_with_value(item, old, new) for item in items], key, language, last=False)
        case _:
            return without_item(key, language, rng.randrange(len(items)))


def _with_value(item: ChecklistItem, old: Value, new: Value) -> ChecklistItem:
    """The item with another value wherever it mentions the old one."""
    return item.model_copy(
        update={
            "name": item.name.replace(old.name, new.name) if old.name else item.name,
            "value": new if item.value == old else item.value,
            "operands": tuple(new if operand == old else operand for operand in item.operands),
        }
    )


def _mentions(item: ChecklistItem, other: ChecklistItem) -> bool:
    """Whether a line on one item shows the value of another, as its subject or in its computation."""
    named = bool(other.value.name) and other.value.name in item.name
    return item.value == other.value or other.value in item.operands or named


def written_solution(
    items: Sequence[ChecklistItem], key: Key, language: str, *, last: bool = True, answer: str | None = None
) -> str:
    """A solution that states these items."""
    lines = [_line(item, language) for item in items]
    final = last_step(key)
    if last and final is not None:
        lines.append(_line(final, language))
    return "\n\n".join((*lines, bare_answer(key, language, answer)))


def _line(item: ChecklistItem, language: str) -> str:
    words = _LINES[language]
    name = item.name[:1].upper() + item.name[1:]
    value = written_value(item.value, language)
    if item.sign in _SIGNS and len(item.operands) == 2:
        left, right = (written_value(operand, language) for operand in item.operands)
        return words["compute"].format(name=name, terms=f"{left} {_SIGNS[item.sign]} {right}", value=value)
    if item.operation not in ("reading", "bridging"):
        return words["follow"].format(name=name, value=value)
    return words["state"].format(name=name, value=value)


def another_value(value: Value, rng: Random, names: Sequence[str]) -> Value:
    """Another value of the same type."""
    if value.number is None:
        other_names = [name for name in names if name != value.name]
        return value.model_copy(update={"name": rng.choice(other_names) if other_names else f"{value.name} II"})
    if value.unit == DATE:
        day = int(value.number) % 100
        return value.model_copy(update={"number": value.number + (1 if day < 15 else -1) * rng.randint(1, 9)})
    size = abs(value.number)
    step = max(Decimal(1), (size * Decimal(rng.choice(("0.07", "0.12", "0.2", "0.31")))).to_integral_value())
    return value.model_copy(update={"number": value.number + rng.choice((-1, 1) if size > step else (1,)) * step})
