"""Bounds on the work of preparing a statement, from its words: once SQLite prepares it, nothing can stop it."""

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
    """A bound on the copies of its CTEs: the product of the numbers of their uses."""
    lowered = statement.lower()
    if "with" not in lowered:
        return 0
    text = _COMMENT.sub(lambda found: found[1] or " ", lowered)
    named = Counter(name.strip(_MARKS) for name in _NAMES.findall(text))
    named_ctes = [name.strip(_MARKS) for name in _NAMED_CTE.findall(text)]
    ctes = len(_CTE.findall(text))
    if len(named_ctes) == ctes:
        return prod(max(1, named[name] - 1) for name in named_ctes)
    # Some CTE has an unusual form, so it may have any of the names.
    return prod(count for _, count in named.most_common(ctes))
