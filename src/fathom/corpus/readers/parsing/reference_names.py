"""Author names in a printed reference, and the layout of Chinese references (GB/T 7714 and similar styles).

Chinese texts have half-width punctuation (`to_half_width`), so that one pattern matches both forms.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from fathom.corpus.readers.parsing.chinese_characters import CHINESE_CHARACTER
from fathom.records.names import CHINESE, is_particle

TextRange = tuple[int, int]
"""Start and end in the text of the reference."""
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

    names: TextRange
    title: TextRange
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


def _split_year(text: str, stop: re.Match[str]) -> tuple[TextRange, int, int | None]:
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
    match = _YEAR_OF_ISSUE.search(text, start)
    return int(match[1] or match[2] or match[3]) if match else None


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


def chinese_names(text: str, start: int, end: int) -> Iterator[TextRange]:
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


CAPITAL = r"[A-ZÀ-ÖØ-ÞĀĂĄĆČĎĐĒĘĚĞĢĪĮİĶĹĻĽŁŃŅŇŌŐŒŔŘŚŞŠŢŤŪŮŰŲŹŻŽȘȚΑ-ΩА-Я]"
# "Yu." and "Th." are initials. "Ba." is a family name in "D. Kingma and J. Ba. Adam: a method".
DIGRAPH = "Ch|Kh|Ph|Sh|Th|Ts|Ya|Yu|Zh"
ET_AL = re.compile(r"[,;]?\s?(?:and\s)?(?:et\s?al\b\.?|others\b)", re.IGNORECASE)
_BETWEEN_NAMES = frozenset(("and", "und", "et", "others", "ed", "eds", "editor", "editors"))
_GROUP_WORDS = frozenset(["of", "the", "for", "on", "in", "at", "to"])


def is_name_list(text: str, lenient: bool = False) -> bool:
    """Return whether the beginning of a reference has only names: few lowercase words."""
    words = re.findall(r"[^\W\d_][^\s,;()]*", text)
    if not words or len(text) > 2_500:
        return False
    lower = [word.strip(".'’") for word in words if word[0].islower()]
    odd = [word for word in lower if not is_particle(word) and word not in _BETWEEN_NAMES]
    grouped = [word for word in odd if word in _GROUP_WORDS]
    # "United Nations Office for the Coordination of Aid": small words between capitals, and no sentence end inside.
    # Lenient if a year and a title follow: "the R development team", or one "csqrs" among many names, are authors.
    allowed = max(3 if len(words) < 8 else 0, len(words) // 10) if lenient else 0
    if len(odd) > len(grouped) + allowed or len(grouped) > max(2, len(words) // 3):
        return False
    if len(odd) > 0 and re.search(r"[^\W\d_]{3,}\.\s\S", text.strip()):
        return False
    # A full stop after a full word, with more text after it, ends the names: "Smith J. Deep Learning. Nature 2020".
    inner = [match for match in re.finditer(r"[a-z]{3,}\.\s+(?=\S)", text.rstrip(" .,(")) if text[match.end()] != "("]
    return not inner or (len(inner) == 1 and bool(ET_AL.search(text)))


_SEPARATOR = re.compile(
    r"\s*;\s*(?:and\s|&\s)?|\s*[,，、]\s*(?:and\s|&\s|…\s?|\.\s?\.\s?\.\s?)?|\s+(?:and|&|und)\s+|\s*…\s*"
)
_ONLY_INITIALS = re.compile(rf"(?:(?:{DIGRAPH}|{CAPITAL})\.?[\s-]{{0,2}}){{1,5}}(?:Jr\.?|Sr\.?|I{{2,3}})?")
_ROLE = re.compile(r"\s*[(\[]?\b(?:eds?|editors?|dirs?|trans)\b\.?[)\]]?\s*$", re.IGNORECASE)


def find_names(text: str, start: int, end: int, inverted: bool = True) -> tuple[TextRange, ...]:
    """Return the names in a list of authors. If `inverted`, a comma may be inside a name."""
    if CHINESE_CHARACTER.search(text, start, end):
        found = (_trim_name(text, *place) for place in chinese_names(text, start, end))
        return tuple(place for place in found if place[1] > place[0])
    segment = _ROLE.sub("", text[start:end].rstrip(" ,:;("))
    found_et_al = ET_AL.search(segment)
    if found_et_al and not segment[found_et_al.end() :].strip(" .,"):
        segment = segment[: found_et_al.start()]
    end = start + len(segment)
    pieces = _split_names(text, start, end, only_semicolons=";" in segment)
    if ";" not in segment and inverted:
        pieces = _pair_inverted(text, pieces)
    return tuple(place for place in (_trim_name(text, *piece) for piece in pieces) if place[1] > place[0])


def _split_names(text: str, start: int, end: int, only_semicolons: bool) -> list[TextRange]:
    pieces: list[TextRange] = []
    place = start
    for match in _SEPARATOR.finditer(text, start, end):
        if only_semicolons and "," in match[0]:
            continue
        pieces.append((place, match.start()))
        place = match.end()
    pieces.append((place, end))
    return [(begin, close) for begin, close in pieces if text[begin:close].strip(" .")]


def _pair_inverted(text: str, pieces: list[TextRange]) -> list[TextRange]:
    """Join family names with the initials or given names after their comma."""
    words = [text[start:end].strip() for start, end in pieces]
    joined: list[TextRange] = []
    at = 0
    chicago = len(words) > 1 and " " not in words[0] and not _ONLY_INITIALS.fullmatch(words[1])
    # "Lind, Ada, and Bo Wu": only the first is inverted. "Lind, Ada, Wu, Bo": all are.
    all_inverted = chicago and len(words) % 2 == 0 and all(" " not in word for word in words[::2])
    while at < len(pieces):
        following = words[at + 1] if at + 1 < len(words) else ""
        takes = bool(following) and (
            (_ONLY_INITIALS.fullmatch(following) is not None and _ONLY_INITIALS.fullmatch(words[at]) is None)
            or following.rstrip(".") in ("Jr", "Sr", "II", "III")
            or (all_inverted and at % 2 == 0)
            or (chicago and at == 0)
        )
        end = at + 1 if takes else at
        joined.append((pieces[at][0], pieces[end][1]))
        at = end + 1
    return joined


def _trim_name(text: str, start: int, end: int) -> TextRange:
    while start < end and text[start] in " .,;:&":
        start += 1
    while end > start and text[end - 1] in " ,;:(":
        end -= 1
    # The full stop of "Wu, B." belongs to the initial. After a group or a full name it ends the list.
    if text[start:end].endswith(".") and not re.search(rf"(?:\b{CAPITAL}|\b(?:{DIGRAPH})|Jr|Sr)\.$", text[start:end]):
        end -= 1
    return start, end
