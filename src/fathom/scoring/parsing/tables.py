"""Segmentation of tables into rows and cells, drawn with pipes or written one row per line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, pairwise

from fathom.scoring.parsing.flags import without_flags
from fathom.scoring.parsing.key_hints import SEPARATOR_OR_AND, KeyHints
from fathom.scoring.parsing.non_answers import APPROXIMATE, HEDGE
from fathom.scoring.parsing.normalization import normal
from fathom.scoring.parsing.numerals import SIMPLE, number_of, numbers_in
from fathom.scoring.parsing.segmentation import COMMA_IN_NUMBERS, clean_item, rejoined, split_at_semicolons, split_parts

_RULE_OFF = frozenset("-:=+ ")
_BETWEEN_ROWS = re.compile(r"\)\s?[,;]?\s?\(")
_VALUE = r"[-+]?\d[\d.]*(?:,\d{3})*%?(?:[ \t][^\W\d_]{1,20})?"
_ENDS_PAIR = re.compile(rf"(?:[:=→]|->|[ \t][-–—]|[ \t]\()[ \t]?{_VALUE}\)?\Z")
_AS_PAIR = re.compile(rf"[ \t]?(?:[:=→]|->|[ \t][-–—]|[ \t]\()[ \t]?({_VALUE})\)?\Z")
MAX_PAIR_END = 60
"""Characters at the end of a piece that are searched for the value of a pair."""
_HAS = re.compile(r"[ \t](?:has|have|with|wrote|appears in)[ \t](?=\d)")
_ARROW = re.compile(r"[ \t](?:[-–—→]|->)[ \t]")


def piped_rows(lines: Iterable[str], columns: Sequence[str]) -> list[list[str]]:
    """The rows of a table drawn with pipes, without its header and its rows that do not belong to the answer."""
    rows: list[list[str]] = []
    header: list[str] = []
    for line in lines:
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if all(_RULE_OFF.issuperset(cell) for cell in cells):
            header = rows[-1] if rows else []
            rows = []  # the lines above the rule are the header
        else:
            rows.append(cells)
    rows = _in_order(rows, header, columns)
    if len(header) > max(1, len(columns)):
        rows = without_flags(header, rows)  # "matches" may also be a column of counts
    return without_header(rows, columns)


def _in_order(rows: list[list[str]], header: Sequence[str], columns: Sequence[str]) -> list[list[str]]:
    """The rows with their cells in the order of the columns, if the header names them in another one."""
    names, wanted = [*map(normal, header)], [*map(normal, columns)]
    if names == wanted or sorted(names) != sorted(wanted) or len({*names}) < len(names):
        return rows
    places = [names.index(name) for name in wanted]
    return [[row[at] for at in places] if len(row) == len(places) else row for row in rows]


def without_header(rows: list[list[str]], columns: Sequence[str]) -> list[list[str]]:
    """The rows without a first row that only names the columns."""
    named = rows and len(rows[0]) == len(columns) and list(map(normal, rows[0])) == list(map(normal, columns))
    # Words above columns of numbers.
    above = len(rows) > 1 and len(rows[0]) > 1 and not any(map(numbers_in, rows[0]))
    figures = above and all(SIMPLE.fullmatch(cell) for row in rows[1:] for cell in row)
    return rows[1:] if named or figures else rows


def without_ranks(rows: list[list[str]]) -> list[list[str]]:
    """The rows without a first column that only counts 1, 2, 3, in the order of these ranks."""
    counted = [row[0].rstrip(".") for row in rows if len(row) > 1]
    in_turn = [str(n) for n in range(1, len(rows) + 1)]
    if sorted(counted) == sorted(in_turn) and counted != in_turn:
        rows = sorted(rows, key=lambda row: int(row[0].rstrip(".")))
        counted = in_turn
    return [row[1:] for row in rows] if counted == in_turn else rows


def without_numbers(rows: list[list[str]]) -> list[list[str]]:
    """The rows of a table of names without its columns of figures."""
    if len({len(row) for row in rows}) != 1:
        return rows
    columns = [column for column in zip(*rows, strict=True) if not all(map(number_of, column))]
    return [list(row) for row in zip(*columns, strict=True)] if columns else rows


def number_column(rows: list[list[str]], lines: Sequence[str], hints: KeyHints) -> list[list[str]]:
    """The column of numbers in a table of figures and what they belong to; the rows if there is no such one.

    Of several columns it is the one with the key's numbers: a table of years and counts answers both questions.
    """
    if lines and _NUMBERED_BY.match(lines[0]):
        rows = [row[1:] or row for row in rows]
    if len({len(row) for row in rows}) != 1:
        return rows
    columns = [column for column in zip(*rows, strict=True) if all(map(number_of, column))]
    if len(columns) > 1:
        values = [{number.value for cell in column if (number := number_of(cell))} for column in columns]
        columns = [column for column, stated in zip(columns, values, strict=True) if stated == hints.values]
    return [[cell] for cell in columns[0]] if len(columns) == 1 else rows


_NUMBERED_BY = re.compile(
    r"\|?[ \t*]{0,4}(?:(?:article|paper|document|doc)s?(?: (?:no\.?|number|id))?|no\.|id|#)[ \t*]{0,4}\|", re.IGNORECASE
)
"""A header whose first column has the numbers of documents."""
_CHAINED_PAIRS = re.compile(r"[^;\n]{1,200};[ \t]?\d[\d.]*(?:,[ \t][^;\n]{1,200};[ \t]?\d[\d.]*){1,200}")
"""Rows separated by commas with cells separated by semicolons: "Lind; 7, Wu; 4"."""
_AFTER_NUMBER = re.compile(r"(?<=\d),[ \t](?=[^;\d]{1,200};)")


def rows_of_line(line: str, numeric: Sequence[bool], hints: KeyHints) -> list[str]:
    """The rows of one line: "(a, 1), (b, 2)", "a: 1, b: 2", "a, 1; b, 2", or just "a; 1"."""
    if line.startswith(("(", "[(")):
        return _BETWEEN_ROWS.split(line)
    if len(numeric) == 2 and numeric[1]:
        if _CHAINED_PAIRS.fullmatch(line.strip()):
            return _AFTER_NUMBER.split(line.strip())
        pairs = _pairs_of_line(line.strip("{}[] \t"))
        if len(pairs) > 1:
            return pairs
    parts = split_at_semicolons(line)
    lone = len(parts) == len(numeric) and not all(cells_in(part, numeric, hints) for part in parts)
    return [line] if lone else parts


def _pairs_of_line(line: str) -> list[str]:
    """The pairs of a line such as "a: 1, b and c: 2"; empty unless every piece belongs to a pair."""
    pairs: list[str] = []
    start: int | None = None
    for begin, end in split_parts(SEPARATOR_OR_AND, line):
        start = begin if start is None else start
        if _ENDS_PAIR.search(line, max(start, end - MAX_PAIR_END), end):
            pairs.append(_AS_PAIR.sub(r": \1", line[start:end]))
            start = None
    return pairs if start is None else []


def cells_in(line: str, numeric: Sequence[bool], hints: KeyHints) -> list[str]:
    """The cells of a row on one line; empty if their number is not that of the columns."""
    if len(numeric) == 1:
        return [clean_item(line, hints)]
    line = line.strip(" \t,;()[]")
    if line.isalnum():
        return []  # nothing to split at
    cells = split_at_semicolons(line)
    if len(cells) == len(numeric) and all(map(SIMPLE.fullmatch, cells)):
        return cells
    first: list[str] = []
    for cells in _ways_to_split(line, len(numeric), hints):
        if len(cells) == len(numeric):
            # "Tides, storms: 5" is split so that the column of numbers gets a number.
            if all(map(_fits, cells, numeric)):
                return cells
            first = first or cells
    return first


def _fits(cell: str, numeric: bool) -> bool:
    if numeric:
        return SIMPLE.fullmatch(cell) is not None or number_of(cell) is not None
    return bool(normal(cell))


def _ways_to_split(line: str, width: int, hints: KeyHints) -> Iterator[list[str]]:
    """A row split in the usual ways, the plainest first."""
    yield split_at_semicolons(line)
    yield line.split("\t")
    yield list(rejoined(line, split_parts(COMMA_IN_NUMBERS, line), hints))
    yield line.rsplit(", ", width - 1)
    yield _ARROW.split(line)
    yield line.rsplit(": ", width - 1)
    yield line.rsplit(":", width - 1)
    yield line.rsplit(" (", width - 1)
    yield _HAS.split(line)
    yield line.split(",")


_PLAIN_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_FORWARD = re.compile(r"[\W_]{0,6}(?:for|with|in|among|at|group|value)\b", re.IGNORECASE)
_BACKWARD = re.compile(r"\b(?:for|with|by|in|of|among)\b", re.IGNORECASE)


def number_pairs(lines: Sequence[str]) -> list[list[str]]:
    """Rows of two numbers each: "Group 3: 1", "For 3 authors, the result is 1."; empty if a line has no two numbers."""
    if len(lines) == 1:
        return _alternating(lines[0])
    rows = []
    for line in lines:
        found = numbers_in(line)
        if len(found) != 2 or any(one.value is None for one in found) or HEDGE.search(line) or APPROXIMATE.search(line):
            return []
        # "5 for 3 authors" gives the result first.
        if _BACKWARD.search(line, found[0].end, found[1].start) and not _FORWARD.match(line):
            return []
        rows.append([line[one.start : one.end] for one in found])
    return rows


NUMBER_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_SPELLED = re.compile(rf"\b(?:{'|'.join(NUMBER_WORDS)})\b", re.IGNORECASE)
_CLAUSE = re.compile(r"[;；\n]|,(?!\d{3}(?!\d))|[，、]|\band\b", re.IGNORECASE)
_NOUN_AFTER = re.compile(r"[ \t]([a-z]{3,20})", re.IGNORECASE)
_COUNTED_NOUNS = frozenset({"article", "paper", "document", "work", "publication", "report", "time"})
_YEAR = re.compile(r"(?:19|20)\d\d")
_DENIED = re.compile(r"\b(?:not|no|never|than|least|most|except|without)\b|n't\b", re.IGNORECASE)


def grouped_counts(line: str, columns: Sequence[str]) -> list[list[str]]:
    """Rows of a group and its count from clauses such as "6 articles have 1 author and 2 have 3"; else none.

    Nouns and years tell which number of a clause is the count.
    """
    lead, colon, rest = line.partition(":")
    if colon and len(numbers_in(rest)) > 2 and lead.count(" ") > 2 and not _PLAIN_NUMBER.search(lead):
        line = rest
    if HEDGE.search(line) or APPROXIMATE.search(line) or _DENIED.search(line):
        return []
    line = _SPELLED.sub(lambda word: str(NUMBER_WORDS.index(word[0].lower()) + 1), line)
    group, counted = ({word.removesuffix("s") for word in re.split(r"[_ ]", name.lower())} for name in columns)
    rows, count_first = [], None
    for clause in filter(str.strip, _CLAUSE.split(line)):
        found = list(islice(_PLAIN_NUMBER.finditer(clause), 3))
        if len(found) != 2:
            return []
        nouns = [
            one and one[1].lower().removesuffix("s") for one in (_NOUN_AFTER.match(clause, n.end()) for n in found)
        ]
        years = [_YEAR.fullmatch(number[0]) is not None for number in found]
        counts = [noun in counted or (noun in _COUNTED_NOUNS and noun not in group) for noun in nouns]
        groups = [noun in group or year for noun, year in zip(nouns, years, strict=True)]
        if counts[0] != counts[1]:
            count_first = counts[0]
        elif groups[0] != groups[1]:
            count_first = groups[1]
        if count_first is None:
            return []
        first, second = (number[0] for number in found)
        rows.append([second, first] if count_first else [first, second])
    return rows


def _alternating(line: str) -> list[list[str]]:
    """The pairs of a line with two separators in turn: "3; 1, 4; 2"."""
    found = list(islice(_PLAIN_NUMBER.finditer(line), 1000))
    ends = line[: found[0].start()] + line[found[-1].end() :] if found else line
    gaps = [line[one.end() : two.start()].replace("and", "").strip(" \t") for one, two in pairwise(found)]
    inner, outer = {*gaps[::2]}, {gap or "," for gap in gaps[1::2]}
    if len(found) % 2 or ends.strip(" .[](){}") or len(inner) != 1 or len(outer) > 1 or inner == outer:
        return []
    if not all(0 < len(gap) <= 2 for gap in (*inner, *outer)) or inner & {"+", "*", "×"}:
        return []
    return [[one[0], two[0]] for one, two in zip(found[::2], found[1::2], strict=True)]
