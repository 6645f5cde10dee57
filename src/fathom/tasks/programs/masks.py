"""Sets of rows as the bits of one integer, and an index that finds the rows whose value compares with a constant."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from fathom.tasks.programs.tree import Comparator


class ValueIndex:
    """An index of rows by a value: gives the mask of the rows that compare in some way with a constant."""

    def __init__(self, cells: Iterable[Any]) -> None:
        at: dict[Any, int] = defaultdict(int)
        bit = 1
        for cell in cells:
            at[cell] |= bit
            bit <<= 1
        at.pop(None, None)
        self.values = sorted(at)
        self._below = [0]
        """Masks of the rows below the first value, below the second, and so on; the last one has all rows."""
        for value in self.values:
            self._below.append(self._below[-1] | at[value])
        self.known = self._below[-1]
        """The rows whose value is not NULL."""

    def where(self, sign: Comparator, value: Any) -> int:
        """The mask of the rows for which "row's value `sign` `value`" is true."""
        less, most = self._below[bisect_left(self.values, value)], self._below[bisect_right(self.values, value)]
        match sign:
            case "<":
                return less
            case "<=":
                return most
            case "=":
                return most & ~less
            case "<>":
                return self.known & ~(most & ~less)
            case ">":
                return self.known & ~most
            case ">=":
                return self.known & ~less


def bits(mask: int) -> Iterator[int]:
    """The positions of the bits that are set, in order."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def mask_of(flags: Iterable[bool]) -> int:
    mask, bit = 0, 1
    for flag in flags:
        if flag:
            mask |= bit
        bit <<= 1
    return mask


def union(masks: Iterable[int]) -> int:
    union = 0
    for mask in masks:
        union |= mask
    return union
