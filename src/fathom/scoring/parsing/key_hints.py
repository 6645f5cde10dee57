"""Hints from the key to the parser: its spellings, whether its items are numbers, and where a list may be split.

The hints say where an answer may be split and where it ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from functools import cached_property

from fathom.scoring.answers import Number, Scalar, Text
from fathom.scoring.parsing.normalization import letters, normal

# Spaces before a separator belong to it as well. `split_parts` strips them: a pattern that started with any number of
# spaces would scan a long run of spaces once per space.
SEPARATOR = re.compile(r"[,，、;；][ \t\n]*")
AND = re.compile(
    r"[ \t](?:and|as well as|&|和|与|及|以及)[ \t]+"
    r"|(?<=[\u4e00-\u9fff」》”])(?:以及|和|(?<!以)及|与)(?=[\u4e00-\u9fff「《“])",
    re.IGNORECASE,
)
SEPARATOR_OR_AND = re.compile(rf"{SEPARATOR.pattern}|{AND.pattern}", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")
_ANY_SEPARATOR = re.compile(r"[,，、;；&和及与]|\band\b", re.IGNORECASE)


class KeyHints:
    """Hints from the key's numbers and texts; each property is computed on first use."""

    def __init__(self, scalars: Iterable[Scalar]) -> None:
        self.scalars = tuple(scalars)

    @cached_property
    def spellings(self) -> list[str]:
        """Every accepted spelling of the key's texts."""
        spellings: list[str] = []
        for scalar in self.scalars:
            if isinstance(scalar, Text):
                spellings.append(scalar.value)
                spellings += scalar.aliases
        return spellings

    @cached_property
    def whole(self) -> frozenset[str]:
        """The spellings, normalized by `letters`."""
        return frozenset([letters(spelling) for spelling in self.spellings])

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of the spellings."""
        return frozenset(_WORD.findall(" ".join(self.whole)))

    @cached_property
    def joined(self) -> frozenset[str]:
        """The texts of `whole` that contain a comma, a semicolon or an "and"."""
        return frozenset([form for form in self.whole if _ANY_SEPARATOR.search(form)])

    @cached_property
    def heads(self) -> frozenset[str]:
        """The part of each `joined` spelling before its first separator."""
        accented = [form for form in map(normal, self.spellings) if _ANY_SEPARATOR.search(form)]
        forms = [*self.joined, *accented]  # with and without accents, since "añd" is not "and"
        return frozenset(
            [letters(by.split(form, maxsplit=1)[0]) for form in forms for by in (SEPARATOR, SEPARATOR_OR_AND)]
        )

    @cached_property
    def width(self) -> int:
        """The largest number of separators in one `joined` spelling."""
        return max((len(_ANY_SEPARATOR.findall(form)) for form in self.joined), default=0)

    @cached_property
    def semicolons(self) -> bool:
        """Whether a spelling contains a semicolon."""
        return ";" in "\n".join(self.spellings)

    def contain(self, sign: str) -> bool:
        """Whether a spelling contains the sign."""
        return any(sign in spelling for spelling in self.spellings)

    @property
    def rounded(self) -> bool:
        """Whether a number of the key is rounded or has a unit, so that "about" before it is not a hedge."""
        # Cheaper than a cached property, which has a lock.
        for scalar in self.scalars:
            if type(scalar) is Number:
                return scalar.decimals is not None or bool(scalar.unit)
        return False

    @cached_property
    def values(self) -> frozenset[Decimal]:
        """The values of the key's numbers."""
        return frozenset([scalar.value for scalar in self.scalars if isinstance(scalar, Number)])


NO_HINTS = KeyHints(())
