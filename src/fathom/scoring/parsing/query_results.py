"""Answers printed as the result of a query: by psql, mysql or sqlite, as CSV, or as columns and rows in JSON.

Each becomes a table in Markdown, which the other rules parse; a result without rows becomes NULL. Names of columns must
look like names of columns ("author_name", "COUNT(*)"), so that no item of a list is taken for a header.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from typing import Any, Final

from fathom.scoring.parsing.key_hints import KeyHints
from fathom.scoring.parsing.normalization import letters
from fathom.scoring.parsing.remarks import ADDS, RETRACTION, TELLS_MORE

MAX_RESULT_LENGTH: Final = 200_000
_STATEMENT = re.compile(r"\A(?:sql>|sqlite>|mysql>|\w*=[#>])?[ \t]*SELECT\b[^;]{1,4000};\s*\n(?=\s*\S)", re.IGNORECASE)
_ROW_COUNT = re.compile(
    r"(?:\A|\n)[ \t]*(?:[(\[]?(?P<rows>\d{1,6}|no) rows?(?: affected| returned| selected| in set)?"
    r"(?: \([\d.]+ s(?:ec)?\))?[)\]]?"
    r"|[（(]?共[ \t]?\d{1,6}[ \t]?[行条][）)]?|(?P<empty>Empty set)(?: \([\d.]+ sec\))?)\.?[ \t]*\Z",
    re.IGNORECASE,
)
"""The last line of a printed result: "(3 rows)", "3 rows in set (0.00 sec)", "Empty set"."""
_TIMING = re.compile(r"\n[ \t]*(?:run )?time:? ?[\d.]+ ?m?s(?:ec)?\.?[ \t]*\Z", re.IGNORECASE)
"""How long a query took, below its result."""
_ELEMENT = re.compile(r"^\(([^()\n]{1,400}),\)$", re.MULTILINE)
"""A row of one column as Python prints it: "(57,)"."""
_RULE = re.compile(r"[ \t]*\+?-+(?:(?:[ \t]*[|+][ \t]*|[ \t]+)-+)*\+?[ \t]*")
_COLUMN = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*(?:\.[a-z0-9_]+)?|[A-Za-z]+\([\w.* ,]{0,80}\)", re.ASCII)
_SNAKE = re.compile(r"[a-z0-9]+(?:_[a-z0-9]+)+|(?:COUNT|SUM|AVG|MIN|MAX|count|sum|avg|min|max)\([^()\n]{0,80}\)")
"""The name of a single column. One word, such as "author", may be an item."""
_GAP = re.compile(r"[ \t]{2,}")


def as_table(text: str, hints: KeyHints) -> str:
    """A printed result as a table in Markdown, or NULL if it has no rows; any other text as it is."""
    if len(text) > MAX_RESULT_LENGTH or not _may_be_result(text):
        return text
    if "\n" not in text:
        return "NULL" if _says_empty(text) else text
    body = _ELEMENT.sub(r"\1", _TIMING.sub("", _STATEMENT.sub("", text)))
    count = _ROW_COUNT.search(body)
    if count:
        body = body[: count.start()]
    table, _, below = body.strip("\n").partition("\n\n")
    told = bool(below) and _is_about(below)
    sure = told or count is not None
    lines = [line for line in (table if told else body).split("\n") if line.strip()]
    if len(lines) > 3 and "-" in lines[-1] and _RULE.fullmatch(lines[-1]) and not lines[0].startswith("+"):
        lines = lines[:-1]  # a rule at the end
    rows = _drawn(lines) or next(filter(None, (_separated(lines, sign, sure) for sign in ",|\t")), None)
    if rows is None or any(letters(cell) in hints.whole for cell in rows[0]):
        return body.strip() if body.strip() and (count or body != text) else text
    if len(rows) == 1:
        return "NULL"
    return markdown(*_by_rank(rows[0], rows[1:]))


def markdown(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', '/') for cell in line)} |" for line in lines)


def _by_rank(columns: list[str], rows: list[list[str]]) -> tuple[list[str], list[list[str]]]:
    """The rows in the order of a column of ranks, which is left out, if there is one."""
    at = next((at for at, name in enumerate(columns) if name in ("rank", "position", "place")), None)
    if at is None or len(columns) == 1 or sorted(row[at] for row in rows) != sorted(map(str, range(1, len(rows) + 1))):
        return columns, rows
    ordered = sorted(rows, key=lambda row: int(row[at]))
    return columns[:at] + columns[at + 1 :], [row[:at] + row[at + 1 :] for row in ordered]


def json_table(value: Any) -> Any:
    """The rows of {"columns": [...], "rows": [[...], ...]}; any other value as it is."""
    if not isinstance(value, dict) or not isinstance(columns := value.get("columns"), list):
        return value
    rows = value.get("rows", value.get("data"))
    fits = isinstance(rows, list) and all(isinstance(row, list) and len(row) == len(columns) for row in rows)
    return rows if fits else value


_FIRST_SIGNS = frozenset("abcdefghijklmnopqrstuvwxyz+(|")
_FIRST_WORDS = ("SELECT", "COUNT(", "SUM(", "AVG(", "MIN(", "MAX(", "=#", "SQL>")
_LAST_WORDS = ("row", "Empty set", "行", "条", "ime")


def _may_be_result(text: str) -> bool:
    """Whether a text begins like a printed result or ends with a count of rows; most responses do not."""
    head, tail = text[:40].lstrip(), text[-60:]
    if head[:1] in _FIRST_SIGNS and "\n" in text:
        return True
    return head.startswith(_FIRST_WORDS) or any(map(tail.__contains__, _LAST_WORDS))


def _says_empty(text: str) -> bool:
    count = _ROW_COUNT.fullmatch(text.strip())
    return count is not None and (count["empty"] is not None or (count["rows"] or "").lower() in ("0", "no"))


def _drawn(lines: Sequence[str]) -> list[list[str]] | None:
    """The header and the rows of a result with a rule below the names of its columns."""
    boxed = len(lines) > 2 and lines[0].startswith("+") and _RULE.fullmatch(lines[0]) is not None
    if boxed:
        lines = lines[1:-1] if _RULE.fullmatch(lines[-1]) else lines[1:]
    if len(lines) < 2 or not _RULE.fullmatch(lines[1]) or lines[1].strip().startswith("|"):
        return None
    sign = "|" if "|" in lines[0] or boxed else ""
    width = len(re.findall("-+", lines[1]))
    rows = [_cells(line, sign, width) for line in (lines[0], *lines[2:])]
    if any(len(row) != width for row in rows) or not all(map(_COLUMN.fullmatch, rows[0])):
        return None
    return rows


def _cells(line: str, sign: str, width: int) -> list[str]:
    if width == 1:
        return [line.strip(" \t|" if sign else " \t")]
    stripped = line.strip()
    if sign:
        inner = stripped[1:-1] if stripped.startswith("|") and stripped.endswith("|") else line
        return [cell.strip() for cell in inner.split("|")]
    return [cell.strip() for cell in _GAP.split(stripped)]


def _is_about(below: str) -> bool:
    """Whether the text below a table is sentences that neither add to it nor change it."""
    if ADDS.search(below) or TELLS_MORE.search(below) or RETRACTION.search(below):
        return False
    return all(
        line.rstrip().endswith((".", "。")) and line.count(" ") > 2 for line in below.split("\n") if line.strip()
    )


def _separated(lines: Sequence[str], sign: str, sure: bool) -> list[list[str]] | None:
    """The header and the rows of values with a sign between them, as in CSV; `sure` if a count of rows or sentences
    follow, so that "name" above a single column is no item."""
    if len(lines) < 2 or (sign != "," and sign not in lines[0]):
        return None
    try:
        rows = list(csv.reader(lines, delimiter=sign, strict=True))
    except csv.Error:
        return None
    name = _COLUMN if len(rows[0]) > 1 or sure else _SNAKE
    if not all(map(name.fullmatch, rows[0])):
        return None
    if len(rows[0]) == 1:
        rows = [[",".join(row)] if len(row) > 1 else row for row in rows]  # a title with a comma
    return rows if all(len(row) == len(rows[0]) for row in rows) else None
