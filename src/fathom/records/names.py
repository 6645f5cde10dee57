"""Names as people type them."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

# Letters that do not come apart into a base letter and an accent.
_PLAIN = str.maketrans(
    {"ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "ß": "ss", "đ": "d", "Đ": "D", "æ": "ae", "Æ": "Ae", "ı": "i"}
)


def without_accents(name: str) -> str:
    """The name as an ASCII-minded typist writes it."""
    decomposed = unicodedata.normalize("NFD", name.translate(_PLAIN))
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))


_INITIALS = re.compile(r"(?:[^\W\d_a-z]\.?-?){1,3}")
_SUFFIXES = frozenset(("jr", "sr", "ii", "iii", "iv"))


def family_of(name: str) -> str:
    """The family name of "Lind, K.", "K. Lind", "Lind KA" or "Jan van der Berg", its particles included."""
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


WORD = re.compile(r"[^\W\d_](?:[^\W\d_]|[\u0300-\u036f])*")
"""A run of letters; accents that stand as signs of their own belong to it."""


@lru_cache(maxsize=1 << 16)
def plain_word(word: str) -> str:
    """A word as names are compared: without accents and capitals."""
    return without_accents(word).casefold()
