"""Affiliations in normal form, to compare them across documents."""

from __future__ import annotations

import re
from functools import lru_cache
from sys import intern

from fathom.records.names import name_words

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
    whole, *parts = (" ".join(name_words(part)).casefold() for part in (affiliation, *affiliation.split(",")))
    universities = [part for part in parts if _is_university(part)]
    # Two words may be a country, and independent researchers all use the same words.
    whole_name = [whole] if whole.count(" ") >= 2 and not _INDEPENDENT.search(whole) else []
    return tuple(dict.fromkeys(map(intern, [*whole_name, *universities])))


def _is_university(part: str) -> bool:
    """Whether a part of an affiliation names one whole university or similar institution.

    "College of Engineering" and "Institute of Physiology" exist in many places.
    """
    return (
        bool(_UNIVERSITY.search(part)) and not _DEPARTMENT.match(part) and not _GENERIC_WORDS.issuperset(part.split())
    )
