"""Positions of the names, title and year in references of the Chinese standard GB/T 7714 and similar styles.

Texts have half-width punctuation (`to_half_width`), so that one pattern matches both forms.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from fathom.corpus.readers.parsing.chinese_characters import CHINESE_CHARACTER
from fathom.records.names import CHINESE

Position = tuple[int, int]
_YEAR = r"(?:1[5-9]\d\d|20\d\d)"

_TYPE_CODE = re.compile(r"\s?\[(?:[JMCDSNRPZGAK]|CP|DB|EB|CM|DS)(?:/(?:OL|CD|DK|MT))?\]", re.IGNORECASE)
"""Type of the work: [J], [M], [EB/OL]."""
# The names end at the first full stop without an initial after it: "VASWANI A, SHAZEER N. Attention".
_STOP = re.compile(rf"\.(?:\s+|(?=[{CHINESE}]))(?![A-Z][.,\s])|\.\s+(?=A\s)|(?<=[{CHINESE}])\.(?=[\w“《])")
_YEAR_AFTER_NAMES = re.compile(rf"[\s,.]*\(?({_YEAR})[a-z]?\)?\s?$")
_YEAR_BEFORE_TITLE = re.compile(rf"\s*\(?({_YEAR})[a-z]?\)?\s?[.,:]\s*")
_YEAR_OF_ISSUE = re.compile(
    rf",\s?({_YEAR})年?(?=\s?(?:[,:;(.]|$))|(?<![\[\d])({_YEAR})-\d{{1,2}}-\d{{1,2}}|({_YEAR})年"
)
_QUOTED = re.compile(r"[:,.]?\s?(?:《([^《》]{2,200})》|“([^“”]{2,200})”)")
_NAME = rf"[{CHINESE}]{{2,4}}|[{CHINESE}]\s[{CHINESE}]|[{CHINESE}]{{1,8}}[·•][{CHINESE}·•]{{1,16}}"
_ALL_NAMES = re.compile(
    rf"(?:\[[{CHINESE}]{{1,2}}\]\s?)?(?:{_NAME})(?:\s?[,;]\s?(?:{_NAME})){{0,30}}(?:[\s,]{{0,2}}等)?(?:[\s,]{{0,2}}[主编著译]{{1,2}})?"
)
_AFTER_NAMES = re.compile(r"[\s,]*(?:等)?[\s,]*(?:主编|编著|编译|[编著译])?\s*$")
_BETWEEN = re.compile(r"\s*[,;&]\s*|\s+and\s+")
_NATIONALITY = re.compile(rf"^\s*\[[{CHINESE}]{{1,2}}\]\s?|^\s*\([{CHINESE}]{{1,2}}\)\s?")
"""Nationality of the author of a translated work: [美]."""


@dataclass(frozen=True)
class ReferenceLayout:
    """Positions of the fields of a reference. `names` is empty if it starts with its title."""

    names: Position
    title: Position
    year: int | None


def chinese_layout(text: str) -> ReferenceLayout | None:
    """Return the positions of the fields; None for a reference that is neither GB/T 7714 nor Chinese."""
    code = _TYPE_CODE.search(text)
    if code is not None:
        return _standard_layout(text, code)
    return _unmarked_layout(text) if CHINESE_CHARACTER.search(text[:40]) else None


def _standard_layout(text: str, code: re.Match[str]) -> ReferenceLayout:
    """张三, 李四. 题名[J]. 刊名, 2020, 12(3): 4-5."""
    year = _issue_year(text, code.end())
    stop = _STOP.search(text, 0, code.start())
    if stop is None:
        return ReferenceLayout((0, 0), (0, code.start()), year)
    names, start, known = _split_year(text, stop)
    return ReferenceLayout(names, (start, code.start()), known or year)


def _split_year(text: str, stop: re.Match[str]) -> tuple[Position, int, int | None]:
    """Return the names, the start of the title, and the year that some journals print between them."""
    after = _YEAR_AFTER_NAMES.search(text[max(0, stop.start() - 12) : stop.start()])
    if after:
        return (0, stop.start() - len(after[0])), stop.end(), int(after[1])
    before = _YEAR_BEFORE_TITLE.match(text, stop.end())
    if before:
        return (0, stop.start()), before.end(), int(before[1])
    return (0, stop.start()), stop.end(), None


def _issue_year(text: str, start: int) -> int | None:
    """Return the year after a title: between commas, in a date, or before 年. Pages may look like years."""
    found = _YEAR_OF_ISSUE.search(text, start)
    return int(found[1] or found[2] or found[3]) if found else None


def _unmarked_layout(text: str) -> ReferenceLayout | None:
    """Parse 王明, 李华. 2020. 题名. 刊名, 42(3); or 王明：《题名》，《刊名》2020年第3期. Names are Chinese."""
    begin = len(text) - len(text.lstrip())
    names = _ALL_NAMES.match(text, begin)
    if names is None:
        return None
    year = re.compile(rf"\s?[,.]?\s?\(?({_YEAR})[a-z]?\)?").match(text, names.end())
    position = year.end() if year else names.end()
    known = int(year[1]) if year else None
    if quoted := _QUOTED.match(text, position):
        title = quoted.span(1) if quoted[1] else quoted.span(2)
        return ReferenceLayout((begin, names.end()), title, known or _issue_year(text, title[1]))
    stop = re.compile(r"\s?[.:,]\s*" if year else r"\s?[.:]\s*").match(text, position)
    end = text.find(".", stop.end()) if stop else -1
    if stop is None or end < 0:
        return None
    return ReferenceLayout((begin, names.end()), (stop.end(), end), known or _issue_year(text, end))


def chinese_names(text: str, start: int, end: int) -> Iterator[Position]:
    """Yield the names in a list of Chinese authors, without "等", "主编" and nationalities."""
    after = _AFTER_NAMES.search(text, max(start, end - 12), end)
    end = after.start() if after else end
    position = start
    for found in [*((joint.start(), joint.end()) for joint in _BETWEEN.finditer(text, start, end)), (end, end)]:
        nation = _NATIONALITY.match(text[position : found[0]])
        begin = position + (nation.end() if nation else 0)
        if text[begin : found[0]].strip():
            yield begin, found[0]
        position = found[1]
