"""New numbers for the facts of a corpus: all values of one attribute of one entity change by one factor."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from decimal import Decimal

from fathom.records.documents import Document, Fact
from fathom.records.rng import rng_for

_DIGIT = re.compile(r"[0-9]")
_FACTORS = tuple(factor for factor in range(62, 161) if not 94 <= factor <= 106)
"""In hundredths: plausible, but too far from 1 to be mistaken for rounding."""

Series = tuple[str, str]
"""An entity and an attribute. One factor for all of its values keeps sums of parts and comparisons of years valid."""


@dataclass(frozen=True)
class NumberSwap:
    """The factor for each series, in hundredths."""

    factors: dict[Series, int]

    def replacement(self, fact: Fact, printed: str) -> tuple[str, Decimal] | None:
        """The number as printed and the value after the swap; None if the fact stays."""
        number = _number(fact, printed)
        if number is None:
            return None
        changed = _scaled(number, self.factors[_series(fact)])
        if changed is None:
            return None
        digits = iter(changed)
        assert fact.value is not None
        return _DIGIT.sub(lambda _: next(digits), printed), fact.value / int(number) * int(changed)


class NumberCollector:
    """Collects the numbers of a corpus, then assigns the factors."""

    def __init__(self) -> None:
        self._numbers: dict[Series, set[str]] = defaultdict(set)

    def add(self, document: Document) -> None:
        """Add the numbers of the facts of one document."""
        for fact in document.facts:
            number = _number(fact, fact.span.of(document.text))
            if number is not None:
                self._numbers[_series(fact)].add(number)

    def swap(self, seed: int) -> NumberSwap:
        """For each series the factor that changes most of its numbers; ties are broken at random."""
        return NumberSwap({series: _factor(series, numbers, seed) for series, numbers in sorted(self._numbers.items())})


def _factor(series: Series, numbers: set[str], seed: int) -> int:
    factors = rng_for(seed, "figures", *series).sample(_FACTORS, len(_FACTORS))
    best, most = factors[0], -1
    for factor in factors:
        changed = sum(_scaled(number, factor) is not None for number in numbers)
        if changed > most:
            best, most = factor, changed
        if most == len(numbers):
            break
    return best


def _series(fact: Fact) -> Series:
    return fact.entity, fact.attribute


def _number(fact: Fact, printed: str) -> str | None:
    """The digits as printed; None if the number is zero, missing, or not printed in digits."""
    digits = "".join(_DIGIT.findall(printed))
    if fact.value is None or not digits.strip("0"):
        return None
    # "3.2 million" is 32 without the point, times a power of ten; otherwise the number is printed in another form.
    scale = fact.value / int(digits)
    is_power = scale.normalize().as_tuple().digits == (1,)
    return digits if is_power and scale * int(digits) == fact.value else None


def _scaled(digits: str, factor: int) -> str | None:
    """The digits of the new number, as many as before; None if that is impossible or nothing changes."""
    changed = str((int(digits) * factor + 50) // 100).zfill(len(digits))
    same_width = len(changed) == len(digits) and (changed[0] == "0") == (digits[0] == "0")
    return changed if same_width and changed != digits else None
