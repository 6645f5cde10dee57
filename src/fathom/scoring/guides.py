"""What the key tells a reader: its texts, whether its items are numbers, and where a list may be cut.

It never tells which value to find.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from functools import cached_property
from itertools import chain

from fathom.scoring.answers import Answer, Atom, Members, Multiset, Number, Ranking, Text
from fathom.scoring.spelling import letters, normal

# Blanks before a separator belong to it as well. `cuts` takes them away: a pattern that began with any number of them
# would read a long run of blanks once for each blank.
SEPARATOR = re.compile(r"[,，、;；][ \t\n]*")
AND = re.compile(r"[ \t](?:and|&)[ \t]+", re.IGNORECASE)
SEPARATOR_OR_AND = re.compile(rf"{SEPARATOR.pattern}|{AND.pattern}", re.IGNORECASE)
_ANY_SEPARATOR = re.compile(r"[,，、;；&]|\band\b", re.IGNORECASE)


def _texts_of(items: Iterable[Atom]) -> list[str]:
    """All texts among the items, in each of their spellings."""
    spellings: list[str] = []
    for item in items:
        if isinstance(item, Text):
            spellings.append(item.value)
            spellings += item.aliases
    return spellings


class Guide:
    """What the key's items tell about cutting a list: which of them hold a separator themselves."""

    def __init__(self, items: Iterable[Atom]) -> None:
        self._items = tuple(items)

    @cached_property
    def whole(self) -> frozenset[str]:
        """The forms of all items that are texts, in each of their spellings."""
        return frozenset([letters(spelling) for spelling in self._spellings])

    @cached_property
    def _spellings(self) -> list[str]:
        return _texts_of(self._items)

    @cached_property
    def joined(self) -> frozenset[str]:
        """The forms of items that hold a comma, a semicolon or an "and"."""
        return frozenset([form for form in self.whole if _ANY_SEPARATOR.search(form)])

    @cached_property
    def heads(self) -> frozenset[str]:
        """What stands before the first separator of those."""
        accented = [form for form in map(normal, self._spellings) if _ANY_SEPARATOR.search(form)]
        forms = [*self.joined, *accented]  # cut with and without accents, since "añd" is no "and"
        return frozenset(
            [letters(by.split(form, maxsplit=1)[0]) for form in forms for by in (SEPARATOR, SEPARATOR_OR_AND)]
        )

    @cached_property
    def width(self) -> int:
        """The most separators that one item holds."""
        return max((len(_ANY_SEPARATOR.findall(form)) for form in self.joined), default=0)

    @cached_property
    def semicolons(self) -> bool:
        """Whether an item holds a semicolon."""
        return ";" in "\n".join(self._spellings)

    @cached_property
    def values(self) -> frozenset[Decimal]:
        """The values of all items that are numbers."""
        return frozenset([item.value for item in self._items if isinstance(item, Number)])


NO_GUIDE = Guide(())


def key_items(wanted: Members | Multiset | Ranking) -> Sequence[Atom]:
    return [item for group in wanted.groups for item in group] if isinstance(wanted, Ranking) else wanted.items


def spellings_of(wanted: Answer) -> list[str]:
    """Every text of the key in each of its spellings."""
    items: Iterable[Atom] = ()
    if wanted.type == "text":
        items = (wanted,)
    elif wanted.type == "rows":
        items = chain.from_iterable(wanted.rows)
    elif isinstance(wanted, Members | Multiset | Ranking):
        items = key_items(wanted)
    return _texts_of(items)


def shape_of(items: Sequence[Atom]) -> tuple[bool, str]:
    """Whether the key's items are all numbers, and in which unit."""
    units = [item.unit for item in items if isinstance(item, Number)]
    return len(units) == len(items), units[0] if units else ""
