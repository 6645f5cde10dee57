"""By what the place where somebody works is known again in another document."""

from __future__ import annotations

import re
from functools import lru_cache
from sys import intern

from fathom.records.names import name_words

_BODY = re.compile(r"universi|hospital|college|polytechni|academ|eth zurich|institute of technology")
_PART = re.compile(r"(?:the )?(?:college|academy|department|division|faculty|school)s? (?:of|for)\b")
_COMMON = (
    "the of for and university universities hospital hospitals college academy academic medical medicine general city "
    "state national regional teaching children health center center school clinic institute technology"
)
_ANYWHERE = frozenset(_COMMON.split())
"""Words that name no one body, however many of them stand together: "University Hospital"."""
_NOWHERE = re.compile(r"\b(?:independent|unaffiliated|freelance|retired|self employed)\b")


@lru_cache(maxsize=1 << 14)
def workplaces(affiliation: str) -> tuple[str, ...]:
    """By what an affiliation is known again: all its words, and those of each part that names a whole university."""
    whole, *parts = (" ".join(name_words(part)).casefold() for part in (affiliation, *affiliation.split(",")))
    bodies = [part for part in parts if _is_one_body(part)]
    # Two words may be a country, and those who work on their own all say so in the same words.
    told = [whole] if whole.count(" ") >= 2 and not _NOWHERE.search(whole) else []
    return tuple(dict.fromkeys(map(intern, [*told, *bodies])))


def _is_one_body(part: str) -> bool:
    """Whether a part of an affiliation names a whole university or the like, and one alone.

    "College of Engineering" and "Institute of Physiology" are in many places.
    """
    return bool(_BODY.search(part)) and not _PART.match(part) and not _ANYWHERE.issuperset(part.split())
