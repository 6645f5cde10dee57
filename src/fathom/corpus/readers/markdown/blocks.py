"""Blocks of Markdown: headings, paragraphs, list items, code and tables, with their inline markup."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from fathom.corpus.readers.parsing.text_tables import html_table_rows, is_header_divider, split_pipe_row


@dataclass(frozen=True)
class MarkdownBlock:
    """A block with its inline markup."""

    kind: Literal["heading", "paragraph", "item", "code", "table"]
    text: str = ""
    """The lines of a paragraph or list item, separated by newlines as in the source; the caption of an HTML table."""
    level: int = 0
    marker: str = ""
    """The number of a list item; empty for a bullet."""
    rows: tuple[tuple[str, ...], ...] = ()
    has_header: bool = False


_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*))?")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})[^`]*")
_ITEM = re.compile(r"\s{0,12}(?:([-*+•])|(\d{1,4}[.)]))(?:\s+(.*)|$)")
_RULE = re.compile(r" {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})")
_UNDERLINE = re.compile(r" {0,3}(=+|-{3,})[ \t]*")


def without_comments(text: str) -> str:
    """Remove HTML comments; one that is never closed is not a comment."""
    pieces: list[str] = []
    place = 0
    while (start := text.find("<!--", place)) >= 0 and (end := text.find("-->", start)) >= 0:
        pieces.append(text[place:start])
        place = end + 3
    return "".join([*pieces, text[place:]])


def _lines(text: str) -> list[str]:
    """Return the lines without the backslashes of hard line breaks."""
    lines = without_comments(text).split("\n")
    return [line[:-1] if (len(line) - len(line.rstrip("\\"))) % 2 else line for line in lines]


def parse_blocks(text: str) -> Iterator[MarkdownBlock]:
    """Parse the blocks of a text."""
    return _BlockParser(_lines(text)).blocks()


class _BlockParser:
    """Parses lines into blocks in one pass."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._position = 0
        self._open_lines: list[str] = []
        self._open_block = MarkdownBlock("paragraph")

    def blocks(self) -> Iterator[MarkdownBlock]:
        while self._position < len(self._lines):
            line = re.sub(r"^\s{0,3}(?:>\s?)+", "", self._lines[self._position]).rstrip()
            self._position += 1
            yield from self._parse_line(line)
        yield from self._close()

    def _close(self) -> Iterator[MarkdownBlock]:
        """Yield the paragraph or list item that is open."""
        if self._open_lines or self._open_block.kind == "item":
            yield MarkdownBlock(self._open_block.kind, "\n".join(self._open_lines), marker=self._open_block.marker)
        self._open_lines.clear()
        self._open_block = MarkdownBlock("paragraph")

    def _parse_line(self, line: str) -> Iterator[MarkdownBlock]:
        if not line.strip():
            yield from self._close()
        elif fence := _FENCE.fullmatch(line):
            yield from self._close()
            yield MarkdownBlock("code", "\n".join(self._take_until(lambda other: _closes(other, fence[1]))))
            self._position += 1
        elif heading := _HEADING.fullmatch(line):
            yield from self._close()
            yield MarkdownBlock("heading", _strip_closing_hashes(heading[2] or ""), level=len(heading[1]))
        elif len(self._open_lines) == 1 and self._open_block.kind == "paragraph" and _UNDERLINE.fullmatch(line):
            yield MarkdownBlock("heading", self._open_lines.pop(), level=1 if "=" in line else 2)
        elif _RULE.fullmatch(line):
            yield from self._close()
        elif line.lstrip().lower().startswith("<table"):
            yield from self._close()
            rows = [] if "</table" in line.lower() else self._take_until(lambda other: "</table" in other.lower())
            yield _html_table("\n".join([line, *rows]))
        elif line.lstrip().startswith("|") or ("|" in line and is_header_divider(self._next())):
            yield from self._pipe_lines(line)
        elif (item := _ITEM.fullmatch(line)) and _starts_item(item, self._open_block, bool(self._open_lines)):
            yield from self._close()
            self._open_block = MarkdownBlock("item", marker=item[2] or "")
            self._open_lines.extend([item[3]] if item[3] else [])
        else:
            self._open_lines.append(line.strip())

    def _next(self) -> str:
        return self._lines[self._position] if self._position < len(self._lines) else ""

    def _take_until(self, is_end: Callable[[str], bool]) -> list[str]:
        """Return the lines up to one that ends them, or to the last."""
        start = self._position
        while self._position < len(self._lines) and not is_end(self._lines[self._position]):
            self._position += 1
        return self._lines[start : self._position]

    def _pipe_lines(self, line: str) -> Iterator[MarkdownBlock]:
        lines = [line, *self._take_until(lambda other: "|" not in other or not other.strip())]
        table = _pipe_table(lines)
        if table is None:
            self._open_lines.extend(lines)
        else:
            yield from self._close()
            yield table


def _strip_closing_hashes(heading: str) -> str:
    text = heading.strip()
    stripped = text.rstrip("#")
    return stripped.rstrip() if not stripped or stripped[-1:] in " \t" else text


def _starts_item(item: re.Match[str], open_block: MarkdownBlock, has_lines: bool) -> bool:
    """Return whether a line starts a list item; inside a paragraph, a number may be a year that ends a sentence."""
    if not item[2]:
        return True
    if not item[3]:
        # A number alone is an item if it continues the list.
        return bool(open_block.marker) and int(item[2][:-1]) == int(open_block.marker[:-1]) + 1
    return not has_lines or item[2][:-1] == "1" or bool(open_block.marker)


def _closes(line: str, fence: str) -> bool:
    plain_text = line.strip()
    return len(plain_text) >= len(fence) and set(plain_text) == {fence[0]}


def _pipe_table(lines: Sequence[str]) -> MarkdownBlock | None:
    """Parse a pipe table; None for a single line that happens to contain a pipe."""
    divider = next((index for index, line in enumerate(lines[:2]) if is_header_divider(line)), None)
    if divider is None and len(lines) < 2:
        return None
    rows = [tuple(map(_deduplicate, split_pipe_row(line))) for line in lines if not is_header_divider(line)]
    has_header = divider == 1
    if has_header and rows and not any(rows[0]):
        # HTML converters write an empty header row if the table has none.
        rows, has_header = rows[1:], False
    return MarkdownBlock("table", rows=tuple(row for row in rows if row), has_header=has_header)


# HTML converters write a number in a formula three times, once for each of its forms: 0.0430.0430.043.
_TRIPLED = re.compile(r"(\d{0,6}\.\d{1,8})\1\1")


def _deduplicate(cell: str) -> str:
    tripled = _TRIPLED.fullmatch(cell)
    return tripled[1] if tripled else cell


def _html_table(text: str) -> MarkdownBlock:
    """Parse an HTML table, which some converters write where cells span columns."""
    rows = html_table_rows(text)
    cells = tuple(tuple(cell.text for cell in row) for row in rows)
    return MarkdownBlock("table", rows=cells, has_header=bool(rows) and any(cell.header for cell in rows[0]))
