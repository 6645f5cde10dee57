"""Disjoint sets (union-find), used to group authors into people and documents into works."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Protocol


class _Parents(Protocol):
    def __getitem__(self, member: int, /) -> int: ...

    def __setitem__(self, member: int, parent: int, /) -> None: ...


class DisjointSets:
    """Sets of numbers that can be joined; a set is represented by its smallest member.

    `parents` maps each member to itself at the start: a dict, or an array where the members are consecutive.
    """

    def __init__(self, parents: _Parents, members: Iterable[int]) -> None:
        self._parents = parents
        self._members = members

    @classmethod
    def of(cls, members: Iterable[int], pairs: Iterable[tuple[int, int]] = ()) -> DisjointSets:
        """Sets of these members, with these pairs joined."""
        parents = {member: member for member in members}
        sets = cls(parents, parents)
        for left, right in pairs:
            sets.join(left, right)
        return sets

    def find(self, member: int) -> int:
        """The smallest member of the set that has this member."""
        parents = self._parents
        while parents[member] != member:
            parents[member] = parents[parents[member]]
            member = parents[member]
        return member

    def join(self, first: int, second: int) -> None:
        """Join the sets of two members."""
        first, second = self.find(first), self.find(second)
        self._parents[max(first, second)] = min(first, second)

    def pairs(self) -> list[tuple[int, int]]:
        """Each member with the first of its set, where that is another one."""
        return [(self.find(member), member) for member in self._members if self.find(member) != member]

    def all(self) -> list[list[int]]:
        """The sets, each sorted, in the order of their first members."""
        sets: dict[int, list[int]] = defaultdict(list)
        for member in sorted(self._members):
            sets[self.find(member)].append(member)
        return list(sets.values())
