"""Estimates how much work SQLite needs to prepare a statement, from its words alone.

The guard refuses complex statements in advance: SQLite cannot be interrupted while it prepares one.
"""

from __future__ import annotations

import re
from collections import Counter
from math import prod

_WORDS = re.compile(r"""\w+|[^\x00-\x7f\w]+|["`\[]""")
"""Names as SQLite tokenizes them, and quotation marks: a quoted name may have no letters."""
_MARKS = "\"'`[]"
_QUOTED = r"""(?:"[^"]*"|'[^']*'|`[^`]*`|\[[^\]]*\])"""
_NAME = rf"(?:{_QUOTED}|[\w$]+|[^\x00-\x7f\w]+)"
_NAMES = re.compile(rf"{_NAME}(?!\s*+\.)")
_COMMENT = re.compile(rf"({_QUOTED})|--[^\n]*|/\*(?s:.*?)(?:\*/|\Z)")
_AS = r"as\s*+(?:(?:not\s++)?+materialized\s*+)?+\("
_CTE = re.compile(rf"(?<![\w$]){_AS}")
_NAMED_CTE = re.compile(rf"({_NAME})\s*+(?:\([^()]*+\)\s*+)?+{_AS}")


def repeats(statement: str) -> int:
    """The number of occurrences of the most frequent word."""
    return max(Counter(_WORDS.findall(statement.lower())).values(), default=0)


def copies(statement: str) -> int:
    """An upper bound on the copies that SQLite makes of the CTEs: the product of how often each is used."""
    lowered = statement.lower()
    if "with" not in lowered:
        return 0
    text = _COMMENT.sub(lambda found: found[1] or " ", lowered)
    named = Counter(name.strip(_MARKS) for name in _NAMES.findall(text))
    named_ctes = [name.strip(_MARKS) for name in _NAMED_CTE.findall(text)]
    ctes = len(_CTE.findall(text))
    if len(named_ctes) == ctes:
        return prod(max(1, named[name] - 1) for name in named_ctes)
    # The name of some CTE was not recognized. Assume the most frequent names.
    return prod(count for _, count in named.most_common(ctes))
