"""Splits lists into items, one per line or all on one line."""

from __future__ import annotations

import re

from fathom.scoring.parsing.key_hints import AND, SEPARATOR, SEPARATOR_OR_AND, KeyHints
from fathom.scoring.parsing.normalization import BRACKETS, letters, plain
from fathom.scoring.parsing.numerals import number_of
from fathom.scoring.parsing.remarks import is_comment
from fathom.scoring.parsing.segmentation import (
    ARROW,
    BULLET,
    COMMA_IN_NUMBERS,
    SEMICOLON,
    clean_item,
    clean_items,
    lines_in,
    rejoined,
    split_parts,
    unnumbered,
    without_lead_in,
)
from fathom.scoring.parsing.tables import piped_rows, without_ranks

_WRAPS = ",;，；"
"""Characters at the end of a line that continue the list on the next line."""
_SECOND = re.compile(r"[,;，；][ \t]?\(?2[.)][ \t]")
_LEADING_AND = re.compile(r"(?:and|&)[ \t]+", re.IGNORECASE)
_SPELLED_AND = re.compile(r"(?:hundred|thousand|million) and ", re.IGNORECASE)
_BAR = re.compile(r"[ \t]*\|[ \t]*")
_SPACED = re.compile(r"\d+(?:\.\d+)?(?:[ \t]+\d+(?:\.\d+)?)+")
_QUOTED = re.compile(r'(?<![ \t\n])[ \t\n]*["“]([^"“”\n]*)["”][ \t\n]*(?:[,;]|and\b|[,;]\s?and\b|\Z)')


def items_in(stated: str, hints: KeyHints, numeric: bool) -> list[str]:
    """The items of a stated list; `numeric` if the key's items are numbers."""
    lines = lines_in(plain(stated), hints)
    if not lines:
        return []
    if len(lines) > 1 and lines[0][-1] in _WRAPS and all(line[-1] in _WRAPS for line in lines[:-1]):
        lines = [" ".join(lines)]  # one list, wrapped
    if len(lines) == 1:
        # "1. Tides, storms" is one item; "(1) Tides; (2) Wu" is numbered item by item.
        line = lines[0] if "2" in lines[0] and _SECOND.search(lines[0]) else unnumbered(lines, hints)[0]
        return _inline(line, hints, numeric)
    if "|" in lines[0] and all("|" in line for line in lines):
        return [cell for row in without_ranks(piped_rows(lines, ())) for cell in row if cell]
    return clean_items(lines, hints)


def _inline(line: str, hints: KeyHints, numeric: bool) -> list[str]:
    """The items of a list on one line."""
    line = without_lead_in(line.strip(), hints)
    if BRACKETS.get(line[:1]) == line[-1:] and line.find(line[-1]) == len(line) - 1:
        line = line[1:-1]
    if numeric:
        return clean_items(_numeric_pieces(line, hints), hints)
    if (";" in line or "；" in line) and not hints.semicolons:
        return clean_items(
            [line[start:end] for start, end in _without_and(line, split_parts(SEMICOLON, line), hints)], hints
        )
    if letters(line) in hints.whole:
        return [line]
    item = clean_item(line, hints)
    if item != line and letters(item) in hints.whole:
        return [item]
    for sign, by in (("|", _BAR), ("→", ARROW)):
        if sign in line and not hints.contain(sign):
            return clean_items(by.split(line.strip("| ")), hints)
    quoted = _QUOTED.findall(line) if '"' in line or "“" in line else []
    if quoted and not _QUOTED.sub("", line).strip(" ."):
        return [item for item in quoted if item.strip()]
    return clean_items(_pieces(line, hints), hints)


def _pieces(line: str, hints: KeyHints) -> list[str]:
    """A line split at its separators, except inside titles of the key."""
    if hints.joined:
        return list(rejoined(line, _without_and(line, split_parts(SEPARATOR_OR_AND, line), hints), hints))
    parts = split_parts(SEPARATOR, line)
    parts += split_parts(AND, line, parts.pop()[0])
    return [line[start:end] for start, end in _without_and(line, parts, hints)]


def _without_and(line: str, parts: list[tuple[int, int]], hints: KeyHints) -> list[tuple[int, int]]:
    """The parts without a leading "and" ("and Wu"), unless the key has a title such as "And then there were none"."""
    shortened = parts[:1]
    for start, end in parts[1:]:
        match = _LEADING_AND.match(line, start, end)
        kept = match is None or (form := letters(line[start:end])) in hints.whole or form in hints.heads
        shortened.append((start if match is None or kept else match.end(), end))
    return shortened


def _numeric_pieces(line: str, hints: KeyHints) -> list[str]:
    """A line of numbers split at its commas, except inside 1,234."""
    if ", " not in line and ";" not in line and _is_value(line, hints):
        return [line]  # "one hundred and five"
    if _SPACED.fullmatch(line.rstrip(".")):
        return line.rstrip(".").split()
    parts = split_parts(COMMA_IN_NUMBERS, line)
    last = parts[-1]
    if not _SPELLED_AND.search(line, *last) or number_of(line[slice(*last)]) is None:
        parts += split_parts(AND, line, parts.pop()[0])
    pieces: list[str] = []
    for start, end in parts:
        piece = line[start:end]
        # "100,200" alone may be two numbers or one; "100,200, 5" shows which comma separates.
        if "," in piece and ", " not in line and "; " not in line and not _is_value(piece, hints):
            pieces += piece.split(",")
        else:
            pieces.append(piece)
    return pieces


def _is_value(piece: str, hints: KeyHints) -> bool:
    """Whether the piece is one of the key's numbers."""
    number = number_of(piece)
    return number is not None and number.value in hints.values


def list_part(text: str, hints: KeyHints) -> str:
    """The list in a response without a marker: its final bulleted list, its last line after remarks, or all of it."""
    lines = [line.strip() for line in text.strip().split("\n")]
    if len(lines) == 1:
        return text
    filled = [line for line in lines if line]
    bulleted = [_is_bulleted(line) for line in filled]
    if True in bulleted:
        first = _last_run(bulleted)
        # Reasoning that breaks off in a list of notes has no answer: a list is announced.
        announced = first == 0 or filled[first - 1].endswith((":", ":**", ":*", "：")) or is_comment(filled[first - 1])
        return "\n".join(filled[first:]) if announced else text
    if "." not in text and "!" not in text:
        return text  # no sentences, so no remarks
    has_remarks = any(is_comment(line) and letters(line) not in hints.whole for line in filled[1:-1])
    return filled[-1] if has_remarks else text


def _is_bulleted(line: str) -> bool:
    return not line[0].isalpha() and (line[0] == "|" or BULLET.match(line) is not None)


def _last_run(bulleted: list[bool]) -> int:
    """The index of the first line of the last run of bulleted lines."""
    first = len(bulleted) - 1 - bulleted[::-1].index(True)
    while first and bulleted[first - 1]:
        first -= 1
    return first
