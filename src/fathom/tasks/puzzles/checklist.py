"""The checklist of a puzzle, and whether a response reaches its items."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import pairwise
from typing import NamedTuple

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
from fathom.tasks.puzzles.tree import DATE, ReasoningOperation, Value

CHECK, ANSWER, FACT, CONCLUSION, OPTION = "check", "answer", "fact", "conclusion", "option"
"""The first cell of the rows of a proof. Puzzles that people wrote have conclusions, which are sentences, in place of
checks, and the other options."""
SMALL = 20
BESIDE = 24
"""Characters before and after a name in which the role of a person is looked for."""
WINDOW = 160
"""Characters before and after a value in which its role is looked for, within the same paragraph."""


class ChecklistItem(Record):
    """A conclusion that a correct solution reaches."""

    name: str
    """A description."""
    operation: ReasoningOperation
    value: Value
    aliases: tuple[str, ...] = ()
    """Spellings of a name."""
    cues: tuple[str, ...] = ()
    """Beginnings of words that show the role of the value."""
    labels: tuple[str, ...] = ()
    """Words that introduce a name, as in "X = Lunholm" or "Town: Lunholm"."""
    of: tuple[str, ...] = ()
    """Of a fact that is a number: spellings of the entity, or the year, that it is stated of."""
    namesakes: tuple[str, ...] = ()
    """Roles of other people with the same name."""
    others: tuple[str, ...] = ()
    """Of a name that is the answer: the other names in question."""
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
        self._numbers = [mention for mention in numbers_in(self._text) if not self._is_of_a_date(mention.span)]

    def _is_of_a_date(self, span: Span) -> bool:
        """Whether a number is the day, month or year of a date."""
        return any(date.span.contains(span) for date in self._dates)

    def reaches(self, item: ChecklistItem) -> bool:
        """Whether the response states the value in its role, or computes with the values that it is computed from."""
        if self.contradicts(item):
            return False
        return any(self._has_role(span, item) for span in self._mention_spans(item)) or self._is_implied(item)

    def exchanges(self, left: ChecklistItem, right: ChecklistItem) -> bool:
        """Whether the response gives each of two entities the value of the other: "A had 586 and B had 488"."""
        if not (left.of and right.of) or left.of == right.of or left.value == right.value:
            return False
        if (left.cues, left.value.unit) != (right.cues, right.value.unit):
            return False
        subjects = [self._subject(span, left, right) for span in self._mention_spans(left)]
        other_subjects = [self._subject(span, right, left) for span in self._mention_spans(right)]
        return bool(subjects and other_subjects) and not any(subjects) and not any(other_subjects)

    def _subject(self, span: Span, item: ChecklistItem, other: ChecklistItem) -> bool:
        """Whether a value may belong to its own entity: not if the other one directly precedes it in its sentence."""
        start, end = _sentence_span(self._text, span.start)
        before, after = self._text[start : span.start], self._text[span.end : end]
        if "|" in before or any(at < BESIDE for at in _starts(re.split(r"[,、\d]", after)[0], item.of)):
            return True
        return max(_starts(before, item.of), default=-1) >= max(_starts(before, other.of), default=-1)

    def contradicts(self, item: ChecklistItem) -> bool:
        """Whether an equation with the operands of the item has another result."""
        if item.sign not in _SIGNS or item.value.number is None or len(item.operands) != 2:
            return False
        return any(
            equation.sign in _SIGNS[item.sign]
            and self._are_operands(equation.left, equation.right, item.operands)
            and not _is_close(equation.result, item.value)
            for equation in equations_in(self._text)
        )

    def concludes_otherwise(self, item: ChecklistItem, other_values: Callable[[], Iterable[Value]]) -> bool:
        """Whether the reasoning ends with another value in the role of the item, and never states the item's own.

        `other_values` gives the other values of the question and its solution.
        """
        lines = [line for line in self._text.split("\n") if line.strip()]
        line_before = lines[-2] if len(lines) > 1 else ""
        body = "\n".join(lines[:-1])
        if item.value.number is None:
            states_own = any(True for _ in name_spans(body, item.aliases or (item.value.name,)))
            spans = [] if states_own else [*name_spans(line_before, item.others)]
            sentences = [_sentence(line_before, span.start).casefold() for span in spans]
            return any(_has_cue(sentence, cue.casefold()) for sentence in sentences for cue in item.cues)
        read = dates_in if item.value.unit == DATE else digits_in
        mentions = [*read(line_before)]
        if not mentions or any(_is_close(mention, item.value) for mention in read(body)):
            return False
        last = max(mentions, key=lambda mention: mention.span.end)
        sentence = _sentence(line_before, last.span.start).casefold()
        concluding = _CONCLUSION.search(sentence) or any(_has_cue(sentence, cue.casefold()) for cue in item.cues)
        return bool(concluding) and not any(
            _states(last, value) for value in (*other_values(), *_intermediate_values(item))
        )

    def _are_operands(self, left: Mention, right: Mention, operands: Sequence[Value]) -> bool:
        first, second = operands
        return (_states(left, first) and _states(right, second)) or (_states(left, second) and _states(right, first))

    def _mention_spans(self, item: ChecklistItem) -> Iterator[Span]:
        """Where the response states the value."""
        value = item.value
        if value.number is None:
            yield from (
                span for span in name_spans(self._text, item.aliases or (value.name,)) if self._is_entity(span, item)
            )
        elif value.unit == DATE:
            yield from (date.span for date in self._dates if states_date(date, value.number))
        else:
            yield from (number.span for number in self._numbers if states_number(number, value.number, value.unit))

    def _is_entity(self, span: Span, item: ChecklistItem) -> bool:
        """Whether a name is not that of a namesake, whose role is written beside it."""
        surroundings = self._folded[max(0, span.start - BESIDE) : span.end + BESIDE]
        return not any(role.casefold() in surroundings for role in item.namesakes)

    def _has_role(self, span: Span, item: ChecklistItem) -> bool:
        """Whether words around the value, or an operation with it, show what the value is."""
        around = self._surroundings(span)
        if any(_has_cue(around, cue.casefold()) for cue in item.cues):
            return True
        if any(self._is_introduced_by(label, span) for label in item.labels):
            return True
        # A small number occurs in many computations.
        number = item.value.number
        telling = number is not None and (number > SMALL or item.value.unit == "%" or number % 1 != 0)
        if telling and self._is_computed_with(span):
            return True
        return bool(item.operands) and all(self._is_in(around, operand) for operand in item.operands)

    def _is_introduced_by(self, label: str, span: Span) -> bool:
        """Whether a label comes before a name ("X = Lunholm", "Town: Lunholm") or after it ("Lunholm (X)")."""
        text_before, text_after = (
            self._text[max(0, span.start - WINDOW) : span.start],
            self._text[span.end : span.end + BESIDE],
        )
        word = rf"(?<![A-Za-z]){re.escape(label)}(?![A-Za-z])"
        if re.search(rf"{word}[^\n=:|]{{0,60}}?\s*{_IS}\s*(?:the )?$", text_before, re.IGNORECASE):
            return True
        return len(label) == 1 and re.match(rf"\s*(?:\(|=|is|->|→|为|是)\s*{word}", text_after) is not None

    def _surroundings(self, span: Span) -> str:
        start = max(self._folded.rfind("\n\n", 0, span.start), span.start - WINDOW, 0)
        end = self._folded.find("\n\n", span.end)
        return self._folded[start : min(len(self._folded) if end < 0 else end, span.end + WINDOW)]

    def _is_computed_with(self, span: Span) -> bool:
        before, after = self._text[max(0, span.start - 5) : span.start], self._text[span.end : span.end + 5]
        return bool(re.search(r"(?:[-+*×÷/=≈]|% of)[ (]*$", before) or re.match(r"[ )%]*(?:[-+*×÷=≈]|/ ?\d)", after))

    def _is_in(self, around: str, operand: Value) -> bool:
        if operand.number is None:
            return plain_text(operand.name).casefold() in around
        mentions: Sequence[Mention] = [*dates_in(around)] if operand.unit == DATE else [*numbers_in(around)]
        return any(_states(mention, operand) for mention in mentions)

    def _is_implied(self, item: ChecklistItem) -> bool:
        """Whether one line computes with all operands: "(1240 - 310) * 12 = 11160" needs no 930."""
        numbers = [operand for operand in item.operands if operand.number is not None and operand.unit != DATE]
        if len(numbers) < 2 or len(numbers) != len(item.operands):
            return False
        lines = [line for line in self._text.split("\n") if re.search(r"[-+*×÷/].*[=≈]", line)]
        return any(all(self._is_in(line, operand) for operand in numbers) for line in lines)


_IS = r"(?:=|:|\||->|→|⇒|\bis\b|\bwas\b|为|是|即)"
_CONCLUSION = re.compile(r"\b(?:therefore|thus|hence|so|total|sum)\b|[=≈]|因此|所以|合计|总|共", re.IGNORECASE)
"""Words and signs that introduce a result."""
_SIGNS = {"+": "+", "-": "-", "*": "*×x·", "/": "/÷"}
_TOKEN = re.compile(
    r"(?P<number>[€£¥]?\d[\d,]*(?:\.\d+)?(?: ?(?:million|thousand|billion|万|亿))?)|(?P<sign>[-+*×÷/·]| x )"
)
_CLAUSE = re.compile(r"[:;。；]|[,，.](?!\d)")


class Equation(NamedTuple):
    """An operation on two numbers with its result."""

    left: Mention
    sign: str
    right: Mention
    result: Mention


def equations_in(text: str) -> Iterator[Equation]:
    """The equations of a text that have one operation; those with more are left out."""
    for line in text.split("\n"):
        sides = re.split("[=≈]", line)
        for left, right in pairwise(sides):
            tokens = [*_TOKEN.finditer(_CLAUSE.split(left)[-1])]
            results = [*_TOKEN.finditer(right)][:2]
            kinds = ["sign" if token["sign"] else "number" for token in tokens]
            # "483 - (386 + 66) = 483 - 452": the right side is not finished.
            if kinds != ["number", "sign", "number"] or not results or results[0]["sign"]:
                continue
            if len(results) > 1 and results[1]["sign"] and results[1].start() - results[0].end() < 3:
                continue
            numbers = [next(digits_in(match[0]), None) for match in (tokens[0], tokens[2], results[0])]
            left_number, right_number, result = numbers
            if left_number is not None and right_number is not None and result is not None:
                yield Equation(left_number, tokens[1][0].strip(), right_number, result)


def _sentence(line: str, at: int) -> str:
    """The sentence of a line around a place."""
    start, end = _sentence_span(line, at)
    return line[start:end]


def _sentence_span(text: str, at: int) -> tuple[int, int]:
    """Where the sentence around a place begins and ends."""
    ends = [match.end() for match in re.finditer(r"[.;!?](?=\s)|[。；\n]", text)]
    return max((end for end in ends if end <= at), default=0), min((end for end in ends if end > at), default=len(text))


def _starts(text: str, names: Sequence[str]) -> list[int]:
    """The places of names or years in a text."""
    years = (match.start() for name in names if name.isdigit() for match in re.finditer(rf"(?<!\d){name}(?!\d)", text))
    return [*years, *(span.start for span in name_spans(text, [name for name in names if not name.isdigit()]))]


def _intermediate_values(item: ChecklistItem) -> Iterator[Value]:
    """Intermediate values between the operands and the item: the amount deducted, the difference, the quotient."""
    numbers = [operand.number for operand in item.operands if operand.number is not None]
    if len(numbers) != 2 or item.value.unit == DATE:
        return
    left, right = numbers
    halfway: tuple[Decimal, ...] = ()
    if item.sign == "less %":
        halfway = (left * right / 100, 100 - right)
    elif item.sign in ("change %", "share %") and right:
        halfway = (left - right, left / right)
    yield from (Value(number=number) for number in halfway)


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
