"""Names in bylines: which may be spellings of one name, and how often a name can be expected."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from sys import intern

from fathom.records.names import PARTICLES, given_names_match, given_words, name_words, without_accents


@dataclass(frozen=True, slots=True)
class Name:
    """A name as it is compared."""

    family: str
    """Letters alone: "van der Walt" and "Vanderwalt" are one."""
    given: tuple[str, ...]
    """Words and initials, letters alone."""
    ends: tuple[str, ...]
    """The first and the last word of the family, for names of which a part is left out in places."""
    group: bool = False

    @property
    def is_full(self) -> bool:
        return bool(self.given) and (len(self.given[0]) > 1 or not self.given[0].isascii())

    @property
    def first(self) -> str:
        return self.given[0] if self.given else ""


@lru_cache(maxsize=1 << 12)
def name_of(given: str, family: str, group: bool) -> Name:
    """The name of one who signs so, or of a body that does."""
    if group:
        words = tuple(re.findall(r"[^\W_]+", without_accents(f"{given} {family}").casefold()))
        return Name(" ".join(words), (), (), True)
    words = tuple(word.casefold() for word in name_words(family))
    core = [word for word in words if word not in PARTICLES] or list(words) or [""]
    # Given names are few, and shared by many.
    givens = tuple(map(intern, given_words(given, shouted=family.isupper())))
    return Name("".join(words), givens, tuple(dict.fromkeys((core[0], core[-1]))))


def fit(one: Name, two: Name) -> bool:
    """Whether two names of one family may be spellings of one name."""
    return one.given == two.given or given_names_match(one.given, two.given)


def same_full(one: Name, two: Name) -> bool:
    """Whether both print the same first name in full, and nothing else contradicts it."""
    if not (one.is_full and two.is_full and fit(one, two)):
        return False
    return one.first == two.first or "".join(one.given) == "".join(two.given)


# How often a name can be expected.

_FREQUENT_NAMES = (
    "wang li zhang liu chen yang huang zhao wu zhou xu sun ma zhu hu guo he lin gao luo zheng liang xie tang han cao "
    "deng feng xiao cheng zeng peng pan yuan dong yu su lu jiang cai ding wei yan ye shi kim lee park choi jung kang "
    "cho yoon jang lim nguyen tran le pham singh kumar sharma gupta patel khan ahmed ali hussain sato suzuki tanaka "
    "watanabe smith johnson jones brown miller garcia silva santos"
)
FREQUENT = frozenset(_FREQUENT_NAMES.split())
"""Family names that millions bear: the same full name is no surprise, in however small a corpus."""
_EXPECTED = 0.05
"""Bearers of a name by chance, beyond the one who is there, from which a name counts as frequent."""
BORNE = 400
"""Seats: a name that is borne more often is not sorted out, whatever speaks for it but an ORCID."""


class Frequency:
    """How many people would have a name if given and family names met by chance."""

    def __init__(self, names: Iterable[Name]) -> None:
        full = {(name.family, name.first) for name in names if name.is_full}
        self._families = Counter(family for family, _ in full)
        self._firsts = Counter(first for _, first in full)
        self._size = max(1, len(full))

    def is_frequent(self, name: Name) -> bool:
        if name.family in FREQUENT or not name.family.isascii():
            return True
        others = (self._families[name.family] - 1) * (self._firsts[name.first] - 1)
        return others / self._size > _EXPECTED


def short(name: Name) -> tuple[str, str]:
    """The family name and the first initial."""
    return name.family, name.first[:1]


def one_reading(name: Name, fitting: Mapping[Name, Sequence[Name]]) -> bool:
    """Whether all that fits a name fits itself too: "M. Lind" has two readings beside Marta and Mona."""
    return all(fit(one, two) for one, two in combinations(fitting[name], 2))


def doubted_among(names: Iterable[Name]) -> set[Name]:
    """Those that fit a name of another family; half a family name and half a given name are too little to doubt on."""
    firsts: dict[str, list[Name]] = defaultdict(list)
    for name in names:
        firsts[name.first].append(name)
    doubted: set[Name] = set()
    for alike in firsts.values():
        for one, two in combinations(alike[:BORNE], 2):
            halves = len(one.ends) != len(two.ends) or loose(one.family) == loose(two.family)
            if one.family != two.family and halves and fit(one, two):
                doubted.update((one, two))
    return doubted


def loose(family: str) -> str:
    """ "Mueller" is "Müller" without its accent as well."""
    return family.replace("ae", "a").replace("oe", "o").replace("ue", "u")
