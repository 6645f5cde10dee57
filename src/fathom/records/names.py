"""Names of people: accents, particles, family names, and whether given names match."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

# Letters that Unicode does not decompose into a base letter and an accent.
_PLAIN = {"ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "ß": "ss", "đ": "d", "Đ": "D", "æ": "ae", "Æ": "Ae", "ı": "i"}


CHINESE = r"\u3400-\u9fff"
"""Chinese characters, for use inside the brackets of a pattern."""


_MAYBE_ACCENTS = re.compile(rf"[^\x00-\u02ff\u2010-\u2027{CHINESE}\uff01-\uffee]+")
"""Everything but common ranges without combining characters, which are skipped for speed."""


def without_accents(name: str) -> str:
    """The name without accents; "ø" becomes "o", "ß" becomes "ss"."""
    if name.isascii():
        return name
    # `str.translate` would look up every character of a long text.
    for letter, plain in _PLAIN.items():
        if letter in name:
            name = name.replace(letter, plain)
    return _MAYBE_ACCENTS.sub(_drop_accents, unicodedata.normalize("NFD", name))


def _drop_accents(match: re.Match[str]) -> str:
    return "".join(letter for letter in match.group() if not unicodedata.combining(letter))


_PARTICLES = "van von de der den del della di da dos das do du la le el al bin ibn ter ten zu zur af av st mac 't"
PARTICLES = frozenset(_PARTICLES.split())
"""Small words that belong to a family name, in lower case or not."""
PARTICLE = rf"(?i:{'|'.join(_PARTICLES.split())})"
"""A pattern for one of them."""


_CONJUNCTIONS = ("e", "y")
"""Words between two family names of one person: "Ortega y Soto"."""


def is_particle(word: str) -> bool:
    """Whether a word is a particle; a single letter only in lower case: "Ortega y Soto", but "Maria E Lopez"."""
    return word.casefold() in PARTICLES or word == "d" or word in _CONJUNCTIONS


def family_start(words: Sequence[str]) -> int:
    """The index of the first word of the family name, in a name that starts with the given name."""
    start = max(0, len(words) - 1)
    while start > 1 and is_particle(words[start - 1]):
        start -= 2 if words[start - 1] in _CONJUNCTIONS and start > 2 else 1
    return start


_INITIALS = re.compile(r"(?:[^\W\d_a-z]\.?-?){1,3}")
_SUFFIXES = frozenset(("jr", "sr", "ii", "iii", "iv"))


def family_name(name: str) -> str:
    """The family name of "Lind, K.", "K. Lind", "Lind KA" or "Jan van der Berg", including particles."""
    family, comma, _ = name.partition(",")
    words = [word for word in family.split() if word.strip(".").casefold() not in _SUFFIXES]
    if not comma:
        while len(words) > 1 and _INITIALS.fullmatch(words[-1]):
            words.pop()
        start = len(words) - 1
        while start > 0 and words[start - 1].islower():
            start -= 1
        words = words[max(0, start) :]
    return " ".join(words).strip(" .,;:*")


WORD = re.compile(r"[^\W\d_]+(?:[\u0300-\u036f]+[^\W\d_]*)*")
"""A run of letters, including combining accents. An alternation for each letter takes several times as long."""


@lru_cache(maxsize=1 << 16)
def plain_word(word: str) -> str:
    """A word in the form in which names are compared: lower case, without accents."""
    return without_accents(word).casefold()


_WORDS = re.compile(r"[^\W\d_]+")


def name_words(name: str) -> list[str]:
    """The words of a name without accents; "O'Brien" is one word."""
    return _WORDS.findall(without_accents(name).replace("'", "").replace("’", ""))


def given_words(given: str, all_caps: bool = False) -> tuple[str, ...]:
    """Given names and initials; "DJ" is two initials unless the whole name is in capitals."""
    words: list[str] = []
    for word in name_words(given):
        if 2 <= len(word) <= 3 and word.isascii() and word.isupper() and not all_caps:
            words.extend(word.casefold())
        else:
            words.append(word.casefold())
    return tuple(words)


@lru_cache(maxsize=1 << 16)
def given_names_match(first: tuple[str, ...], second: tuple[str, ...]) -> bool:
    """Whether two lists of given names may belong to one person.

    "M." matches "Marta" and "Marta K."; an empty list matches any.
    """
    if "".join(first) == "".join(second):
        return True  # "Xiao-Ming" and "Xiaoming"
    for left, right in zip(first, second, strict=False):
        if left != right and not (left[0] == right[0] and 1 in (len(left), len(right))):
            # "Xiao Ming" and "Xiaoming J": two words may be written as one.
            return "".join(first[:2]) == second[0] or "".join(second[:2]) == first[0]
    return True


_GROUP_WORD = re.compile(
    r"\b(?:consorti(?:um|a)|collaborat(?:ion|ive|ors?)|groups?|teams?|networks?|initiatives?|investigators|trialists|"
    r"committees?|societ(?:y|ies)|associations?|alliance|federation|council|project|programme|program|task ?force|"
    r"stud(?:y|ies)|registry|foundation|organi[sz]ation|commission|agency|ministry|institutes?|university|academy|"
    r"laborator(?:y|ies)|cent(?:er|re)s?|bureau|board|panel|secretariat|department|college|union|coalition)\b",
    re.IGNORECASE,
)
_GROUP_CHARACTERS = re.compile("协作组|研究组|课题组|联盟|工作组|委员会|学会|协会|コンソーシアム|グループ")
_FAMILY_NAMES = frozenset(("board", "bureau", "center", "college", "council", "panel", "union"))
"""Words for a group that are also family names."""


def is_group_name(name: str) -> bool:
    """Whether a name is that of a consortium or another group: "Fenwick River Consortium", but not "Ann College"."""
    if _GROUP_CHARACTERS.search(name):
        return True
    words = name.split()
    is_person = len(words) == 2 and words[1].casefold() in _FAMILY_NAMES and not words[0].isupper()
    return len(words) >= 2 and "," not in name and not is_person and bool(_GROUP_WORD.search(name))
