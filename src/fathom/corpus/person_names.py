"""Names and affiliations in bylines: whether two may be spellings of the same name, and how frequent a name is."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, combinations
from sys import intern

from fathom.records.names import PARTICLES, given_names_match, given_words, name_words, without_accents


@dataclass(frozen=True, slots=True)
class Name:
    """A name in the form in which it is compared."""

    family: str
    """Letters only: "van der Walt" and "Vanderwalt" are equal."""
    given: tuple[str, ...]
    """Words and initials, letters only."""
    ends: tuple[str, ...]
    """The first and the last word of the family name, for names that are sometimes printed in part."""
    group: bool = False

    @property
    def is_full(self) -> bool:
        return bool(self.given) and (len(self.given[0]) > 1 or not self.given[0].isascii())

    @property
    def first(self) -> str:
        return self.given[0] if self.given else ""


@lru_cache(maxsize=1 << 12)
def name_of(given: str, family: str, group: bool) -> Name:
    """The name of a person or group with these printed names."""
    if group:
        words = tuple(re.findall(r"[^\W_]+", without_accents(f"{given} {family}").casefold()))
        return Name(" ".join(words), (), (), True)
    words = tuple(word.casefold() for word in name_words(family))
    core = [word for word in words if word not in PARTICLES] or list(words) or [""]
    # Given names are few, and shared by many.
    givens = tuple(map(intern, given_words(given, all_caps=family.isupper())))
    return Name("".join(words), givens, tuple(dict.fromkeys((core[0], core[-1]))))


def compatible(left: Name, right: Name) -> bool:
    """Whether two names with the same family name may be spellings of the same name."""
    return left.given == right.given or given_names_match(left.given, right.given)


def same_full_name(left: Name, right: Name) -> bool:
    """Whether both have the same full first name, and nothing contradicts it."""
    if not (left.is_full and right.is_full and compatible(left, right)):
        return False
    return left.first == right.first or "".join(left.given) == "".join(right.given)


class NameIndex:
    """Names of one family, indexed so that compatible names are found without comparing all pairs."""

    def __init__(self, names: Iterable[Name]) -> None:
        self._all: list[Name] = sorted(names, key=lambda name: name.given)
        self._by_first: dict[str, list[Name]] = defaultdict(list)
        self._by_initial: dict[str, list[Name]] = defaultdict(list)
        self._by_two_words: dict[str, list[Name]] = defaultdict(list)
        self._by_whole: dict[str, list[Name]] = defaultdict(list)
        for name in self._all:
            self._by_first[name.first].append(name)
            self._by_initial[name.first[:1]].append(name)
            self._by_two_words["".join(name.given[:2])].append(name)
            self._by_whole["".join(name.given)].append(name)

    def __iter__(self) -> Iterator[Name]:
        return iter(self._all)

    def compatible_with(self, name: Name) -> list[Name]:
        """The compatible names, itself included, in order."""
        matches = {other for other in self.candidates(name) if compatible(name, other)}
        return sorted(matches, key=lambda other: other.given)

    def candidates(self, name: Name) -> Iterator[Name]:
        """All compatible names and some others, perhaps twice; see `given_names_match`."""
        first = name.first
        if not first:
            return iter(self._all)
        if len(first) == 1:
            return chain(self._by_initial[first], self._by_first[""])
        return chain(
            self._by_first[first],
            self._by_first[first[0]],
            self._by_first[""],
            # "Xiao Ming" and "Xiaoming".
            self._by_first["".join(name.given[:2])],
            self._by_two_words[first],
            self._by_whole["".join(name.given)],
        )


# How frequent a name is.

_FREQUENT_NAMES = (
    "wang li zhang liu chen yang huang zhao wu zhou xu sun ma zhu hu guo he lin gao luo zheng liang xie tang han cao "
    "deng feng xiao cheng zeng peng pan yuan dong yu su lu jiang cai ding wei yan ye shi kim lee park choi jung kang "
    "cho yoon jang lim nguyen tran le pham singh kumar sharma gupta patel khan ahmed ali hussain sato suzuki tanaka "
    "watanabe smith johnson jones brown miller garcia silva santos"
)
FREQUENT_FAMILIES = frozenset(_FREQUENT_NAMES.split())
"""Family names that millions share: even in a small corpus the same full name is not evidence."""
_EXPECTED = 0.05
"""A name counts as frequent if more than this number of other people are expected to have it by chance."""
MAX_OCCURRENCES = 400
"""A name that occurs more often is not disambiguated, except by ORCID."""
MAX_RIVALS = 30
"""Names that are compared with one name to decide that no other may be a spelling of it."""


class NameFrequency:
    """Expected frequency of names if given and family names were independent."""

    def __init__(self, names: Iterable[Name]) -> None:
        full = {(name.family, name.first) for name in names if name.is_full}
        self._families = Counter(family for family, _ in full)
        self._firsts = Counter(first for _, first in full)
        self._size = max(1, len(full))

    def is_frequent(self, name: Name) -> bool:
        if name.family in FREQUENT_FAMILIES or not name.family.isascii():
            return True
        expected_others = (self._families[name.family] - 1) * (self._firsts[name.first] - 1)
        return expected_others / self._size > _EXPECTED


def initial_form(name: Name) -> tuple[str, str]:
    """The family name and the first initial."""
    return name.family, name.first[:1]


def is_unambiguous(name: Name, compatible_names: Mapping[Name, Sequence[Name]]) -> bool:
    """Whether all names compatible with a name are compatible with each other.

    "M. Lind" is ambiguous where there are Marta and Mona Lind.
    """
    return all(compatible(left, right) for left, right in combinations(compatible_names[name], 2))


def ambiguous_among(names: Iterable[Name]) -> set[Name]:
    """Names with a compatible name of another family, where one family name may be a part of the other."""
    firsts: dict[str, list[Name]] = defaultdict(list)
    for name in names:
        firsts[name.first].append(name)
    ambiguous: set[Name] = set()
    for same_first_name in firsts.values():
        for left, right in combinations(same_first_name[:MAX_OCCURRENCES], 2):
            halves = len(left.ends) != len(right.ends) or without_umlauts(left.family) == without_umlauts(right.family)
            if left.family != right.family and halves and compatible(left, right):
                ambiguous.update((left, right))
    return ambiguous


def without_umlauts(family: str) -> str:
    """A family name with "ae", "oe", "ue" shortened: "Mueller" is "Müller" without its umlaut, as is "Muller"."""
    return family.replace("ae", "a").replace("oe", "o").replace("ue", "u")


_UNIVERSITY = re.compile(r"universi|hospital|college|polytechni|academ|eth zurich|institute of technology")
_DEPARTMENT = re.compile(r"(?:the )?(?:college|academy|department|division|faculty|school)s? (?:of|for)\b")
_COMMON = (
    "the of for and university universities hospital hospitals college academy academic medical medicine general city "
    "state national regional teaching children health center centre school clinic institute technology"
)
_GENERIC_WORDS = frozenset(_COMMON.split())
"""Words that identify no institution, however many of them occur together: "University Hospital"."""
_INDEPENDENT = re.compile(r"\b(?:independent|unaffiliated|freelance|retired|self employed)\b")


@lru_cache(maxsize=1 << 14)
def institutions(affiliation: str) -> tuple[str, ...]:
    """The names to compare an affiliation by: all its words, and each part that names a whole university."""
    full_text, *parts = (" ".join(name_words(part)).casefold() for part in (affiliation, *affiliation.split(",")))
    universities = [part for part in parts if _is_university(part)]
    # Two words may be a country, and independent researchers all use the same words.
    whole_name = [full_text] if full_text.count(" ") >= 2 and not _INDEPENDENT.search(full_text) else []
    return tuple(dict.fromkeys(map(intern, [*whole_name, *universities])))


def _is_university(part: str) -> bool:
    """Whether a part of an affiliation names one whole university or similar institution.

    "College of Engineering" and "Institute of Physiology" exist in many places.
    """
    return (
        bool(_UNIVERSITY.search(part)) and not _DEPARTMENT.match(part) and not _GENERIC_WORDS.issuperset(part.split())
    )
