"""Finds the SQL in a response. The patterns do not backtrack, since responses can be long and malformed."""

from __future__ import annotations

import re

_OPENING = re.compile(r"(?:\s|--[^\n]*|/\*(?s:.*?)(?:\*/|\Z))*+(\w*)")
"""The first word after blanks and comments. The possessive quantifier prevents quadratic backtracking."""
_LABEL = re.compile(r"[ \t]*+(?!(?:select|with)\b)(?:(sql\w*+)|\w*+[ \t]*+(?=[\r\n]))", re.IGNORECASE)
_SELECT = re.compile(r"^[ \t]*+select\b", re.IGNORECASE | re.MULTILINE)
_WITH = re.compile(
    r"^[ \t]*+with\s++(?:recursive\s++)?+[\w\"`\[\]]++\s*+(?:\([^()]*+\)\s*+)?+\bas\b", re.IGNORECASE | re.MULTILINE
)
"""Requires a name and AS as well: an ordinary sentence may begin with "With"."""
_BLANK_LINE = re.compile(r"\n[ \t\r]*+\n")


def first_word(statement: str) -> str:
    """The first word of a statement, in capitals."""
    opening = _OPENING.match(statement)
    return opening[1].upper() if opening else ""


def statement_in(response: str) -> str | None:
    """The SQL in a response: the last block fenced as SQL, else the last fenced query, else the last unfenced one."""
    blocks = [block for block in map(_block, response.split("```")[1::2]) if block[1]]
    as_sql = [text for labeled, text in blocks if labeled]
    queries = [text for _, text in blocks if _opens_query(text)]
    for found in (as_sql, queries):
        if found:
            return found[-1]
    return _bare(response) or (blocks[-1][1] if blocks else None)


def _block(fenced: str) -> tuple[bool, str]:
    """Whether a fenced block is labeled as SQL, and its text."""
    inside = fenced.lstrip("`")
    label = _LABEL.match(inside)
    return bool(label and label[1]), inside[label.end() if label else 0 :].strip()


def _opens_query(text: str) -> bool:
    return first_word(text) in ("SELECT", "WITH")


def _bare(response: str) -> str | None:
    """The last unfenced statement: up to its semicolon, a fence, or the end of its paragraph."""
    last = max(_last(_SELECT, response), _last(_WITH, response))
    if last < 0:
        return None
    start = response.rfind(";", 0, last) + 1
    rest = re.split(";|```", response[last:], maxsplit=1)[0]
    opening = _last(_WITH, response[start : last + 1_000])
    if opening >= 0:  # the last SELECT is the end of a WITH statement
        return (response[start + opening : last] + rest).strip()
    before = _BLANK_LINE.split(response[start:last])[-1]
    first = _SELECT.search(before)
    return ((before[first.start() :] if first else "") + _BLANK_LINE.split(rest, maxsplit=1)[0]).strip()


def _last(pattern: re.Pattern[str], text: str) -> int:
    """The position of the last match; -1 if there is none."""
    return max((match.start() for match in pattern.finditer(text)), default=-1)
