"""Author names at the beginning of a printed reference."""

from __future__ import annotations

import re

from fathom.corpus.readers.parsing.chinese_characters import CHINESE_CHARACTER
from fathom.corpus.readers.parsing.chinese_references import chinese_names
from fathom.records.names import is_particle

Position = tuple[int, int]
"""Start and end in the text of the reference."""

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
    inner = [found for found in re.finditer(r"[a-z]{3,}\.\s+(?=\S)", text.rstrip(" .,(")) if text[found.end()] != "("]
    return not inner or (len(inner) == 1 and bool(ET_AL.search(text)))


_SEPARATOR = re.compile(
    r"\s*;\s*(?:and\s|&\s)?|\s*[,，、]\s*(?:and\s|&\s|…\s?|\.\s?\.\s?\.\s?)?|\s+(?:and|&|und)\s+|\s*…\s*"
)
_ONLY_INITIALS = re.compile(rf"(?:(?:{DIGRAPH}|{CAPITAL})\.?[\s-]{{0,2}}){{1,5}}(?:Jr\.?|Sr\.?|I{{2,3}})?")
_ROLE = re.compile(r"\s*[(\[]?\b(?:eds?|editors?|dirs?|trans)\b\.?[)\]]?\s*$", re.IGNORECASE)


def find_names(text: str, start: int, end: int, inverted: bool = True) -> tuple[Position, ...]:
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


def _split_names(text: str, start: int, end: int, only_semicolons: bool) -> list[Position]:
    pieces: list[Position] = []
    place = start
    for found in _SEPARATOR.finditer(text, start, end):
        if only_semicolons and "," in found[0]:
            continue
        pieces.append((place, found.start()))
        place = found.end()
    pieces.append((place, end))
    return [(begin, close) for begin, close in pieces if text[begin:close].strip(" .")]


def _pair_inverted(text: str, pieces: list[Position]) -> list[Position]:
    """Join family names with the initials or given names after their comma."""
    words = [text[start:end].strip() for start, end in pieces]
    joined: list[Position] = []
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


def _trim_name(text: str, start: int, end: int) -> Position:
    while start < end and text[start] in " .,;:&":
        start += 1
    while end > start and text[end - 1] in " ,;:(":
        end -= 1
    # The full stop of "Wu, B." belongs to the initial. After a group or a full name it ends the list.
    if text[start:end].endswith(".") and not re.search(rf"(?:\b{CAPITAL}|\b(?:{DIGRAPH})|Jr|Sr)\.$", text[start:end]):
        end -= 1
    return start, end
