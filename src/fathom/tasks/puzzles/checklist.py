"""The checklist of a puzzle, and whether a response reaches its items."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal

from fathom.records.record import Record
from fathom.records.spans import Span
from fathom.scoring.keys import Key
from fathom.tasks.puzzles.mentions import (
    Mention,
    dates_in,
    digits_in,
    name_spans,
    numbers_in,
    plain_text,
    states_date,
    states_number,
)
from fathom.tasks.puzzles.tree import DATE, Operation, Value

CHECK, ANSWER, FACT, CONCLUSION, OPTION = "check", "answer", "fact", "conclusion", "option"
"""The first cell of the rows of a proof. Puzzles that people wrote have conclusions, which are sentences, in place of
checks, and the other options."""
SMALL = 20
WINDOW = 160
"""Characters before and after a value in which its role is looked for, within the same paragraph."""


class ChecklistItem(Record):
    """A conclusion that a correct solution reaches."""

    name: str
    """What it is, in words."""
    operation: Operation
    value: Value
    aliases: tuple[str, ...] = ()
    """Spellings of a name."""
    cues: tuple[str, ...] = ()
    """Beginnings of words that show the role of the value."""
    sign: str = ""
    """The operation that gives it; empty for a fact."""
    operands: tuple[Value, ...] = ()
    """The values that it is computed from."""
    span: Span | None = None
    """Where the document states it; None for a computed value."""


def checklist_of(key: Key) -> list[ChecklistItem]:
    """The items of a key's checklist, in the order of the reasoning."""
    return [ChecklistItem.model_validate_json(row[1]) for row in key.proof.rows if row[0] == CHECK]


def conclusions_of(key: Key) -> list[str]:
    """The checklist of a puzzle that a person wrote; empty for a generated one."""
    return [row[1] for row in key.proof.rows if row[0] == CONCLUSION]


def last_step(key: Key) -> ChecklistItem | None:
    """The step that gives the answer."""
    rows = [row for row in key.proof.rows if row[0] == ANSWER]
    return ChecklistItem.model_validate_json(rows[0][1]) if rows else None


class StepReader:
    """Looks for the items of a checklist in one response."""

    def __init__(self, text: str) -> None:
        self._text = plain_text(text)
        self._folded = self._text.casefold()
        self._dates = [*dates_in(self._text)]
        self._numbers = [one for one in numbers_in(self._text) if not self._is_of_a_date(one.span)]

    def _is_of_a_date(self, span: Span) -> bool:
        """Whether a number is the day, month or year of a date."""
        return any(one.span.contains(span) for one in self._dates)

    def reaches(self, item: ChecklistItem) -> bool:
        """Whether the response states the value in its role, or computes with what it is computed from."""
        if self.contradicts(item):
            return False
        return any(self._has_role(span, item) for span in self._places(item)) or self._is_implied(item)

    def contradicts(self, item: ChecklistItem) -> bool:
        """Whether an equation with the operands of the item has another result."""
        if not item.sign or item.value.number is None or len(item.operands) != 2:
            return False
        sign = _SIGNS.get(item.sign)
        if sign is None:
            return False
        for found in re.finditer(rf"{_TERM}\s*{sign}\s*{_TERM}\s*(?:=|≈)\s*{_TERM}", self._text, re.IGNORECASE):
            terms = [next(numbers_in(found[group]), None) for group in (1, 2, 3)]
            if any(term is None for term in terms):
                continue
            one, two, result = (term for term in terms if term is not None)
            if self._are(one, two, item.operands) and not _is_close(result, item.value):
                return True
        return False

    def concludes_otherwise(self, item: ChecklistItem, others: Sequence[ChecklistItem]) -> bool:
        """Whether the last line before the answer arrives at another number or date than the item's value."""
        if item.value.number is None:
            return False
        lines = [line for line in self._text.split("\n") if line.strip()]
        found = _CONCLUSION.search(lines[-2]) if len(lines) > 1 else None
        if found is None:
            return False
        said = lines[-2][found.end() :]
        mentions = [*dates_in(said)] if item.value.unit == DATE else [*digits_in(said)]
        known = [item.value, *(other.value for other in others)]
        return bool(mentions) and not any(_states(mentions[-1], value) for value in known)

    def _are(self, one: Mention, two: Mention, operands: Sequence[Value]) -> bool:
        first, second = operands
        return (_states(one, first) and _states(two, second)) or (_states(one, second) and _states(two, first))

    def _places(self, item: ChecklistItem) -> Iterator[Span]:
        """Where the response states the value."""
        value = item.value
        if value.number is None:
            yield from name_spans(self._text, item.aliases or (value.name,))
        elif value.unit == DATE:
            yield from (one.span for one in self._dates if states_date(one, value.number))
        else:
            yield from (one.span for one in self._numbers if states_number(one, value.number, value.unit))

    def _has_role(self, span: Span, item: ChecklistItem) -> bool:
        """Whether words around the value, or an operation with it, show what the value is."""
        around = self._around(span)
        if any(_has_cue(around, cue.casefold()) for cue in item.cues):
            return True
        # A small number occurs in many computations.
        if item.value.number is not None and item.value.number > SMALL and self._is_computed_with(span):
            return True
        return bool(item.operands) and all(self._is_in(around, operand) for operand in item.operands)

    def _around(self, span: Span) -> str:
        start = max(self._folded.rfind("\n\n", 0, span.start), span.start - WINDOW, 0)
        end = self._folded.find("\n\n", span.end)
        return self._folded[start : min(len(self._folded) if end < 0 else end, span.end + WINDOW)]

    def _is_computed_with(self, span: Span) -> bool:
        before, after = self._text[max(0, span.start - 3) : span.start], self._text[span.end : span.end + 3]
        return bool(re.search(r"[-+*×÷/=≈][ (]*$", before) or re.match(r"[ )%]*(?:[-+*×÷=≈]|/ ?\d)", after))

    def _is_in(self, around: str, operand: Value) -> bool:
        if operand.number is None:
            return operand.name.casefold() in around
        found: Sequence[Mention] = [*dates_in(around)] if operand.unit == DATE else [*numbers_in(around)]
        return any(_states(one, operand) for one in found)

    def _is_implied(self, item: ChecklistItem) -> bool:
        """Whether one line computes with all operands: "(1240 - 310) * 12 = 11160" needs no 930."""
        numbers = [operand for operand in item.operands if operand.number is not None and operand.unit != DATE]
        if len(numbers) < 2 or len(numbers) != len(item.operands):
            return False
        lines = [line for line in self._text.split("\n") if re.search(r"[-+*×÷/].*[=≈]", line)]
        return any(all(self._is_in(line, operand) for operand in numbers) for line in lines)


_MARKS = r"therefore|thus|hence|[=≈]|因此|所以"
_CONCLUSION = re.compile(rf"(?:{_MARKS})(?!.*(?:{_MARKS}))", re.IGNORECASE)
"""The last word or sign that introduces a result."""
_TERM = r"((?:[A-Z]{3} ?|[€£¥] ?)?\d[\d,]*(?:\.\d+)?(?: ?(?:million|thousand|billion|万|亿))?)(?:[^\d=≈+*×÷/\n-]{0,24})"
_SIGNS = {"+": r"\+", "-": "-", "*": "[*×x·]", "/": "[/÷]"}


def _states(mention: Mention, value: Value) -> bool:
    if value.number is None:
        return False
    return (
        states_date(mention, value.number) if value.unit == DATE else states_number(mention, value.number, value.unit)
    )


def _is_close(mention: Mention, value: Value) -> bool:
    """Whether the result of an equation is the value, perhaps rounded to fewer digits."""
    assert value.number is not None
    return _states(mention, value) or abs(mention.number - abs(value.number)) <= max(mention.step, Decimal("0.01")) / 2


def _has_cue(around: str, cue: str) -> bool:
    if not cue.isascii() or not cue[0].isalpha():
        return cue in around
    return re.search(rf"\b{re.escape(cue)}", around) is not None
