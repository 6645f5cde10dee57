"""How much SQLite would make of a statement, read off its words: while it prepares one, nothing can stop it."""

from __future__ import annotations

import re
from collections import Counter
from math import prod

_WORDS = re.compile(r"""\w+|[^\x00-\x7f\w]+|["`\[]""")
"""Names as SQLite counts them, and quotation marks, between which a name may have no letter at all."""
_MARKS = "\"'`[]"
_QUOTED = r"""(?:"[^"]*"|'[^']*'|`[^`]*`|\[[^\]]*\])"""
_NAME = rf"(?:{_QUOTED}|[\w$]+|[^\x00-\x7f\w]+)"
_NAMES = re.compile(rf"{_NAME}(?!\s*+\.)")
_COMMENT = re.compile(rf"({_QUOTED})|--[^\n]*|/\*(?s:.*?)(?:\*/|\Z)")
_AS = r"as\s*+(?:(?:not\s++)?+materialized\s*+)?+\("
_MADE = re.compile(rf"(?<![\w$]){_AS}")
_MADE_PLAINLY = re.compile(rf"({_NAME})\s*+(?:\([^()]*+\)\s*+)?+{_AS}")


def repeats(statement: str) -> int:
    """How often the commonest word occurs."""
    return max(Counter(_WORDS.findall(statement.lower())).values(), default=0)


def copies(statement: str) -> int:
    """At most how often its CTEs are copied: the product of how often each is named."""
    lowered = statement.lower()
    if "with" not in lowered:
        return 0
    text = _COMMENT.sub(lambda found: found[1] or " ", lowered)
    named = Counter(name.strip(_MARKS) for name in _NAMES.findall(text))
    plainly = [name.strip(_MARKS) for name in _MADE_PLAINLY.findall(text)]
    made = len(_MADE.findall(text))
    if len(plainly) == made:
        return prod(max(1, named[name] - 1) for name in plainly)
    # Some CTE has a form that is not looked for here, so it may have any of the names.
    return prod(count for _, count in named.most_common(made))
