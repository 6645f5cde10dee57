"""Evaluates programs on the facts of a document, and on parts of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction

from fathom.records.documents import Fact
from fathom.tasks.puzzles.tree import (
    DATE,
    Choose,
    Compute,
    GivenValue,
    Lookup,
    Node,
    Override,
    Owner,
    Pick,
    Tally,
    Value,
)

FactKey = tuple[str, str, str, str]
"""Entity, part, attribute and period."""

_RANKS = {"restated": 0, "reported": 1, "repeated": 2}
PRECISION = 12
"""Decimals that quotients are rounded to; answers have at most two."""


class UndecidableError(Exception):
    """The facts do not determine a value."""


@dataclass(frozen=True)
class EvaluatedStep:
    """A node with its value and, for a lookup, the fact that it was read from."""

    node: Node
    value: Value
    facts: tuple[Fact, ...] = ()


def key_of(fact: Fact) -> FactKey:
    """What the fact is about."""
    return fact.entity, fact.part, fact.attribute, fact.period


def value_of(fact: Fact) -> Value:
    """The value that the fact states."""
    return Value(number=fact.value, name=fact.name, unit=fact.unit)


class FactBase:
    """The facts of a document, those that count first."""

    def __init__(self, facts: Iterable[Fact]) -> None:
        self._facts: dict[FactKey, list[Fact]] = {}
        self._owners: dict[tuple[str, str], list[Fact]] = {}
        for fact in facts:
            if fact.status == "missing":
                continue
            self._facts.setdefault(key_of(fact), []).append(fact)
            if fact.name:
                self._owners.setdefault((fact.attribute, fact.name), []).append(fact)

    def current(self, key: FactKey) -> Fact:
        """The fact that takes precedence: a correction over the corrected value, a table over the text around it."""
        facts = self._facts.get(key)
        if not facts:
            raise UndecidableError(f"nothing is stated about {key}")
        best = min(_rank(fact) for fact in facts)
        counting = [fact for fact in facts if _rank(fact) == best]
        if len({(fact.value, fact.name) for fact in counting}) > 1:
            raise UndecidableError(f"two values are stated about {key}")
        return counting[-1]

    def owner(self, attribute: str, name: str) -> Fact:
        """The fact of the only entity that has this name as the value of the attribute."""
        facts = self._owners.get((attribute, name), [])
        current_facts = [fact for fact in facts if self.current(key_of(fact)) == fact]
        if len({fact.entity for fact in current_facts}) != 1:
            raise UndecidableError(f"no single entity has {name} as its {attribute}")
        return current_facts[-1]


def _rank(fact: Fact) -> tuple[int, int]:
    return _RANKS[fact.status], int(fact.place != "table")


@dataclass
class EvaluatedProgram:
    """The value of a program, and the steps that led to it."""

    base: FactBase
    steps: list[EvaluatedStep] = field(default_factory=list)
    """Each node once, in the order of the computation; only what was needed is evaluated."""

    def value(self, node: Node) -> Value:
        """The value of a node; raises UndecidableError."""
        for step in self.steps:
            if step.node == node:
                return step.value
        facts: tuple[Fact, ...] = ()
        match node:
            case GivenValue():
                return node.value
            case Lookup():
                entity = self.value(node.of).name
                part = self.value(node.part).name if node.part is not None else ""
                fact = self.base.current((entity, part, node.attribute, node.period))
                facts, value = (fact,), value_of(fact)
            case Owner():
                fact = self.base.owner(node.attribute, self.value(node.name).name)
                facts, value = (fact,), Value(name=fact.entity)
            case Pick():
                value = self._pick(node)
            case Tally():
                bound = _number(self.value(node.bound))
                value = Value(number=Decimal(sum(_number(self.value(value)) > bound for value in node.values)))
            case Compute():
                value = compute(node.sign, self.value(node.left), self.value(node.right))
            case Choose():
                is_reached = _number(self.value(node.left)) >= _number(self.value(node.right))
                value = self.value(node.then if is_reached else node.otherwise)
            case Override():
                value = self._override(node)
        self.steps.append(EvaluatedStep(node, value, facts))
        return value

    def _pick(self, node: Pick) -> Value:
        values = [(_number(self.value(option.value)), self.value(option.name)) for option in node.options]
        extreme = (max if node.which == "largest" else min)(number for number, _ in values)
        names = [name for number, name in values if number == extreme]
        if len(names) > 1:
            raise UndecidableError("two entities are tied")
        return names[0]

    def _override(self, node: Override) -> Value:
        step_count = len(self.steps)
        try:
            return self.value(node.exception)
        except UndecidableError:
            del self.steps[step_count:]
            return self.value(node.general)


def _number(value: Value) -> Decimal:
    if value.number is None:
        raise UndecidableError(f"{value.name!r} is not a number")
    return value.number


def compute(sign: str, left: Value, right: Value) -> Value:
    """The result of an operation."""
    left_number, right_number = _number(left), _number(right)
    match sign:
        case "+" | "-":
            if left.unit != right.unit:
                raise UndecidableError(f"{left.unit} and {right.unit} cannot be added")
            return Value(
                number=left_number + right_number if sign == "+" else left_number - right_number, unit=left.unit
            )
        case "*":
            return Value(number=left_number * right_number, unit=left.unit or right.unit)
        case "/":
            if right_number == 0:
                raise UndecidableError("division by zero")
            unit = "" if left.unit == right.unit else left.unit
            return Value(number=_exact(Fraction(left_number) / Fraction(right_number)), unit=unit)
        case "% of":
            return Value(number=left_number * right_number / 100, unit=right.unit)
        case "less %":
            return Value(number=left_number * (100 - right_number) / 100, unit=left.unit)
        case "change %":
            if right_number <= 0:
                raise UndecidableError("a change from nothing has no rate")
            return Value(
                number=_exact((Fraction(left_number) - Fraction(right_number)) / Fraction(right_number) * 100), unit="%"
            )
        case "share %":
            if right_number <= 0:
                raise UndecidableError("a share of nothing has no rate")
            return Value(number=_exact(Fraction(left_number) / Fraction(right_number) * 100), unit="%")
        case "days later":
            return _date_value(to_date(left_number) + timedelta(days=int(right_number)))
        case "days between":
            return Value(number=Decimal((to_date(left_number) - to_date(right_number)).days), unit="days")
        case "years later":
            return Value(number=left_number + right_number, unit="year")
        case "years between":
            return Value(number=left_number - right_number, unit="years")
        case _:
            raise UndecidableError(f"there is no operation '{sign}'")


def _exact(value: Fraction) -> Decimal:
    return round(Decimal(value.numerator) / Decimal(value.denominator), PRECISION)


def to_date(number: Decimal) -> date:
    """The date of a number such as 20240317."""
    try:
        return date(int(number) // 10_000, int(number) // 100 % 100, int(number) % 100)
    except ValueError as error:
        raise UndecidableError(f"{number} is not a date") from error


def _date_value(day: date) -> Value:
    return Value(number=Decimal(day.year * 10_000 + day.month * 100 + day.day), unit=DATE)


def result(node: Node, facts: Iterable[Fact]) -> Value | None:
    """The value of a program on these facts; None if they do not determine it."""
    try:
        return EvaluatedProgram(FactBase(facts)).value(node)
    except (UndecidableError, OverflowError):
        return None


def needed_facts(steps: Sequence[EvaluatedStep]) -> list[Fact]:
    """The facts that an evaluation read, each once."""
    return list(dict.fromkeys(fact for step in steps for fact in step.facts))


def without_fact(facts: Sequence[Fact], dropped: Fact) -> list[Fact]:
    """The facts without all statements of the same value."""
    return [
        fact
        for fact in facts
        if key_of(fact) != key_of(dropped) or (fact.value, fact.name) != (dropped.value, dropped.name)
    ]


ValuesEqual = Callable[[Value | None, Value], bool]


def dispensable(node: Node, facts: Sequence[Fact], steps: Sequence[EvaluatedStep], equal: ValuesEqual) -> list[Fact]:
    """The facts without which the answer stays the same."""
    answer = steps[-1].value
    return [fact for fact in needed_facts(steps) if equal(result(node, without_fact(facts, fact)), answer)]


def single_passages(node: Node, groups: Mapping[int, Sequence[Fact]], answer: Value, equal: ValuesEqual) -> list[int]:
    """The passages whose facts alone give the answer."""
    return [number for number, facts in groups.items() if equal(result(node, facts), answer)]


def same_key(left: Fact, right: Fact) -> bool:
    """Whether two facts are about the same attribute of the same entity."""
    return key_of(left) == key_of(right)
