"""Other numbers for the facts of a corpus: all of one entity's values of one attribute change by one factor."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from decimal import Decimal

from fathom.records.documents import Document, Fact
from fathom.records.rng import rng_for

_DIGIT = re.compile(r"[0-9]")
_FACTORS = tuple(factor for factor in range(62, 161) if not 94 <= factor <= 106)
"""In hundredths: near enough to be believed, far enough not to be taken for rounding."""

Subject = tuple[str, str]
"""An entity and an attribute: parts still add up to the whole, and years compare as they did."""


@dataclass(frozen=True)
class NumberSwap:
    """By how much the values of each subject change, in hundredths."""

    factors: dict[Subject, int]

    def of(self, fact: Fact, printed: str) -> tuple[str, Decimal] | None:
        """The number as printed and the value afterwards; None where the fact stays as it is."""
        number = _number(fact, printed)
        if number is None:
            return None
        changed = _scaled(number, self.factors[_subject(fact)])
        if changed is None:
            return None
        digits = iter(changed)
        assert fact.value is not None
        return _DIGIT.sub(lambda _: next(digits), printed), fact.value / int(number) * int(changed)


class NumberCollector:
    """Hears every document of a corpus, then says how its numbers change."""

    def __init__(self) -> None:
        self._numbers: dict[Subject, set[str]] = defaultdict(set)

    def add(self, document: Document) -> None:
        """Note the numbers of one document's facts."""
        for fact in document.facts:
            number = _number(fact, fact.span.of(document.text))
            if number is not None:
                self._numbers[_subject(fact)].add(number)

    def refiguring(self, seed: int) -> NumberSwap:
        """For each subject the factor that changes most of its numbers; chance decides among equals."""
        return NumberSwap(
            {subject: _factor(subject, numbers, seed) for subject, numbers in sorted(self._numbers.items())}
        )


def _factor(subject: Subject, numbers: set[str], seed: int) -> int:
    factors = rng_for(seed, "figures", *subject).sample(_FACTORS, len(_FACTORS))
    best, most = factors[0], -1
    for factor in factors:
        changed = sum(_scaled(number, factor) is not None for number in numbers)
        if changed > most:
            best, most = factor, changed
        if most == len(numbers):
            break
    return best


def _subject(fact: Fact) -> Subject:
    return fact.entity, fact.attribute


def _number(fact: Fact, printed: str) -> str | None:
    """The digits as printed; None where the number is nought, missing, or does not say its value in digits."""
    digits = "".join(_DIGIT.findall(printed))
    if fact.value is None or not digits.strip("0"):
        return None
    # "3.2 million" is 32 with the point left out, times a power of ten: whatever is not, is printed in another way.
    scale = fact.value / int(digits)
    is_power = scale.normalize().as_tuple().digits == (1,)
    return digits if is_power and scale * int(digits) == fact.value else None


def _scaled(digits: str, factor: int) -> str | None:
    """The digits of the changed number, as many as there were; None where that cannot be or nothing changes."""
    changed = str((int(digits) * factor + 50) // 100).zfill(len(digits))
    same_width = len(changed) == len(digits) and (changed[0] == "0") == (digits[0] == "0")
    return changed if same_width and changed != digits else None
