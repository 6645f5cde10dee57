"""Markdown cut into blocks: headings, paragraphs, items, code and tables, their marks still in them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from fathom.corpus.readers.parsing.text_tables import html_table_rows, is_header_divider, split_pipe_row


@dataclass(frozen=True)
class Raw:
    """A block as written, its marks still in it."""

    kind: Literal["heading", "paragraph", "item", "code", "table"]
    text: str = ""
    """Of a paragraph and of an item: its lines."""
    level: int = 0
    marker: str = ""
    """What numbers an item; empty for a bullet."""
    rows: tuple[tuple[str, ...], ...] = ()
    headed: bool = False


_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*))?")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})[^`]*")
_ITEM = re.compile(r"\s{0,12}(?:([-*+•])|(\d{1,4}[.)]))(?:\s+(.*)|$)")
_RULE = re.compile(r" {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})")
_UNDERLINE = re.compile(r" {0,3}(=+|-{3,})[ \t]*")


def without_comments(text: str) -> str:
    """Without HTML comments; one that is never closed is no comment."""
    pieces: list[str] = []
    place = 0
    while (start := text.find("<!--", place)) >= 0 and (end := text.find("-->", start)) >= 0:
        pieces.append(text[place:start])
        place = end + 3
    return "".join([*pieces, text[place:]])


def _lines(text: str) -> list[str]:
    """The lines, without the backslash that breaks a line by force."""
    lines = without_comments(text).split("\n")
    return [line[:-1] if (len(line) - len(line.rstrip("\\"))) % 2 else line for line in lines]


def blocks_of(text: str) -> Iterator[Raw]:
    """The blocks of a text."""
    return _Scanner(_lines(text)).blocks()


class _Scanner:
    """Goes through lines once and tells the blocks they make."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._place = 0
        self._open: list[str] = []
        self._kind = Raw("paragraph")

    def blocks(self) -> Iterator[Raw]:
        """All blocks in order."""
        while self._place < len(self._lines):
            line = re.sub(r"^\s{0,3}(?:>\s?)+", "", self._lines[self._place]).rstrip()
            self._place += 1
            yield from self._line(line)
        yield from self._closed()

    def _closed(self) -> Iterator[Raw]:
        """The paragraph or the item that is open."""
        if self._open or self._kind.kind == "item":
            yield Raw(self._kind.kind, "\n".join(self._open), marker=self._kind.marker)
        self._open.clear()
        self._kind = Raw("paragraph")

    def _line(self, line: str) -> Iterator[Raw]:
        if not line.strip():
            yield from self._closed()
        elif fence := _FENCE.fullmatch(line):
            yield from self._closed()
            yield Raw("code", "\n".join(self._until(lambda other: _closes(other, fence[1]))))
            self._place += 1
        elif heading := _HEADING.fullmatch(line):
            yield from self._closed()
            yield Raw("heading", _without_closing(heading[2] or ""), level=len(heading[1]))
        elif len(self._open) == 1 and self._kind.kind == "paragraph" and _UNDERLINE.fullmatch(line):
            yield Raw("heading", self._open.pop(), level=1 if "=" in line else 2)
        elif _RULE.fullmatch(line):
            yield from self._closed()
        elif line.lstrip().lower().startswith("<table"):
            yield from self._closed()
            rows = [] if "</table" in line.lower() else self._until(lambda other: "</table" in other.lower())
            yield _tagged_table("\n".join([line, *rows]))
        elif line.lstrip().startswith("|") or ("|" in line and is_header_divider(self._next())):
            yield from self._bars(line)
        elif (item := _ITEM.fullmatch(line)) and _begins_item(item, self._kind, bool(self._open)):
            yield from self._closed()
            self._kind = Raw("item", marker=item[2] or "")
            self._open.extend([item[3]] if item[3] else [])
        else:
            self._open.append(line.strip())

    def _next(self) -> str:
        return self._lines[self._place] if self._place < len(self._lines) else ""

    def _until(self, is_end: Callable[[str], bool]) -> list[str]:
        """The lines up to one that ends them, or up to the last."""
        start = self._place
        while self._place < len(self._lines) and not is_end(self._lines[self._place]):
            self._place += 1
        return self._lines[start : self._place]

    def _bars(self, line: str) -> Iterator[Raw]:
        lines = [line, *self._until(lambda other: "|" not in other or not other.strip())]
        table = _pipe_table(lines)
        if table is None:
            self._open.extend(lines)
        else:
            yield from self._closed()
            yield table


def _without_closing(heading: str) -> str:
    """A heading without the signs that some put behind it, too."""
    bare_words = heading.strip()
    shorter = bare_words.rstrip("#")
    return shorter.rstrip() if not shorter or shorter[-1:] in " \t" else bare_words


def _begins_item(item: re.Match[str], opened: Raw, inside: bool) -> bool:
    """Whether a line begins an item; a number in the middle of a paragraph may be a year at the end of a sentence."""
    if not item[2]:
        return True
    return bool(item[3]) and (not inside or item[2][:-1] == "1" or bool(opened.marker))


def _closes(line: str, fence: str) -> bool:
    bare = line.strip()
    return len(bare) >= len(fence) and set(bare) == {fence[0]}


def _pipe_table(lines: Sequence[str]) -> Raw | None:
    """The table that lines with bars make; None for a line that only happens to have a bar."""
    divider = next((place for place, line in enumerate(lines[:2]) if is_header_divider(line)), None)
    if divider is None and len(lines) < 2:
        return None
    rows = [tuple(map(_once, split_pipe_row(line))) for line in lines if not is_header_divider(line)]
    headed = divider == 1
    if headed and rows and not any(rows[0]):
        # Converters of HTML write an empty head where the table has none.
        rows, headed = rows[1:], False
    return Raw("table", rows=tuple(row for row in rows if row), headed=headed)


# A number set as a formula comes out three times, once for each form it has in the page: 0.0430.0430.043.
_THRICE = re.compile(r"(\d{0,6}\.\d{1,8})\1\1")


def _once(cell: str) -> str:
    thrice = _THRICE.fullmatch(cell)
    return thrice[1] if thrice else cell


def _tagged_table(text: str) -> Raw:
    """A table written in HTML, as some converters do where cells span."""
    rows = html_table_rows(text)
    cells = tuple(tuple(cell.text for cell in row) for row in rows)
    return Raw("table", rows=cells, headed=bool(rows) and any(cell.header for cell in rows[0]))
