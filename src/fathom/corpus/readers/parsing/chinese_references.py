"""Where the names, the title and the year stand in a reference of the Chinese standard GB/T 7714 and its kin.

Texts are given with narrow signs (`half_width`), so that one full stop and one bracket stand for both kinds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from fathom.corpus.readers.parsing.chinese_characters import CHINESE_CHARACTER
from fathom.records.names import CHINESE

Place = tuple[int, int]
_YEAR = r"(?:1[5-9]\d\d|20\d\d)"

_MARK = re.compile(r"\s?\[(?:[JMCDSNRPZGAK]|CP|DB|EB|CM|DS)(?:/(?:OL|CD|DK|MT))?\]", re.IGNORECASE)
"""What kind of work it is: [J], [M], [EB/OL]."""
# The names end at the first full stop that no further initial follows: "VASWANI A, SHAZEER N. Attention".
_STOP = re.compile(rf"\.(?:\s+|(?=[{CHINESE}]))(?![A-Z][.,\s])|\.\s+(?=A\s)|(?<=[{CHINESE}])\.(?=[\w“《])")
_YEAR_BEHIND_NAMES = re.compile(rf"[\s,.]*\(?({_YEAR})[a-z]?\)?\s?$")
_YEAR_BEFORE_TITLE = re.compile(rf"\s*\(?({_YEAR})[a-z]?\)?\s?[.,:]\s*")
_YEAR_OF_ISSUE = re.compile(
    rf",\s?({_YEAR})年?(?=\s?(?:[,:;(.]|$))|(?<![\[\d])({_YEAR})-\d{{1,2}}-\d{{1,2}}|({_YEAR})年"
)
_QUOTED = re.compile(r"[:,.]?\s?(?:《([^《》]{2,200})》|“([^“”]{2,200})”)")
_NAME = rf"[{CHINESE}]{{2,4}}|[{CHINESE}]\s[{CHINESE}]|[{CHINESE}]{{1,8}}[·•][{CHINESE}·•]{{1,16}}"
_ALL_NAMES = re.compile(
    rf"(?:\[[{CHINESE}]{{1,2}}\]\s?)?(?:{_NAME})(?:\s?[,;]\s?(?:{_NAME})){{0,30}}(?:[\s,]{{0,2}}等)?(?:[\s,]{{0,2}}[主编著译]{{1,2}})?"
)
_BEHIND_NAMES = re.compile(r"[\s,]*(?:等)?[\s,]*(?:主编|编著|编译|[编著译])?\s*$")
_BETWEEN = re.compile(r"\s*[,;&]\s*|\s+and\s+")
_NATION = re.compile(rf"^\s*\[[{CHINESE}]{{1,2}}\]\s?|^\s*\([{CHINESE}]{{1,2}}\)\s?")
"""Where an author of a translated work is from: [美]."""


@dataclass(frozen=True)
class Layout:
    """Where the parts of a reference stand; `names` is empty where it begins with its title."""

    names: Place
    title: Place
    year: int | None


def chinese_layout(text: str) -> Layout | None:
    """Where the parts stand; None for a reference that is neither of the standard nor Chinese."""
    mark = _MARK.search(text)
    if mark is not None:
        return _of_standard(text, mark)
    return _without_mark(text) if CHINESE_CHARACTER.search(text[:40]) else None


def _of_standard(text: str, mark: re.Match[str]) -> Layout:
    """张三, 李四. 题名[J]. 刊名, 2020, 12(3): 4-5."""
    year = _issued(text, mark.end())
    stop = _STOP.search(text, 0, mark.start())
    if stop is None:
        return Layout((0, 0), (0, mark.start()), year)
    names, start, told = _years_apart(text, stop)
    return Layout(names, (start, mark.start()), told or year)


def _years_apart(text: str, stop: re.Match[str]) -> tuple[Place, int, int | None]:
    """Where the names are, where the title begins, and the year that some journals set between them."""
    behind = _YEAR_BEHIND_NAMES.search(text[max(0, stop.start() - 12) : stop.start()])
    if behind:
        return (0, stop.start() - len(behind[0])), stop.end(), int(behind[1])
    before = _YEAR_BEFORE_TITLE.match(text, stop.end())
    if before:
        return (0, stop.start()), before.end(), int(before[1])
    return (0, stop.start()), stop.end(), None


def _issued(text: str, start: int) -> int | None:
    """The year behind a title: between commas, in a date, or before its sign; pages may look like years."""
    found = _YEAR_OF_ISSUE.search(text, start)
    return int(found[1] or found[2] or found[3]) if found else None


def _without_mark(text: str) -> Layout | None:
    """王明, 李华. 2020. 题名. 刊名, 42(3); or 王明：《题名》，《刊名》2020年第3期; names are Chinese."""
    begin = len(text) - len(text.lstrip())
    names = _ALL_NAMES.match(text, begin)
    if names is None:
        return None
    year = re.compile(rf"\s?[,.]?\s?\(?({_YEAR})[a-z]?\)?").match(text, names.end())
    place = year.end() if year else names.end()
    told = int(year[1]) if year else None
    if quoted := _QUOTED.match(text, place):
        title = quoted.span(1) if quoted[1] else quoted.span(2)
        return Layout((begin, names.end()), title, told or _issued(text, title[1]))
    stop = re.compile(r"\s?[.:,]\s*" if year else r"\s?[.:]\s*").match(text, place)
    end = text.find(".", stop.end()) if stop else -1
    if stop is None or end < 0:
        return None
    return Layout((begin, names.end()), (stop.end(), end), told or _issued(text, end))


def chinese_names(text: str, start: int, end: int) -> Iterator[Place]:
    """The names in a list of Chinese authors, without "等", "主编" and where they are from."""
    behind = _BEHIND_NAMES.search(text, max(start, end - 12), end)
    end = behind.start() if behind else end
    place = start
    for found in [*((joint.start(), joint.end()) for joint in _BETWEEN.finditer(text, start, end)), (end, end)]:
        nation = _NATION.match(text[place : found[0]])
        begin = place + (nation.end() if nation else 0)
        if text[begin : found[0]].strip():
            yield begin, found[0]
        place = found[1]
