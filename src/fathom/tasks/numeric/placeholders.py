"""Placeholders of templates that users write, such as {author-count} or '{author-name-2}', in their usual spellings."""

from __future__ import annotations

import re

from fathom.tasks.numeric.schema import COUNTS
from fathom.tasks.programs.parse import ParseError
from fathom.tasks.programs.tree import Measure, Slot

# Counts are written as the column's name with hyphens; the others are slots of a kind (see `Slot.kind`).
_MEASURES: dict[str, Measure] = {column.name.replace("_", "-"): column for column in COUNTS}
_KINDS = {
    "author-name": "name",
    "author-position": "position",
    "article-title": "title",
    "article-title-fragment": "fragment",
    "few": "few",
}
_OTHER_NAMES = {
    **dict.fromkeys(("author", "name"), "author-name"),
    **dict.fromkeys(("position",), "author-position"),
    **dict.fromkeys(("title",), "article-title"),
    **dict.fromkeys(("fragment", "title-fragment", "keyword", "word", "title-word"), "article-title-fragment"),
    **dict.fromkeys(("article-title-word", "title-keyword", "article-title-keyword"), "article-title-fragment"),
    **dict.fromkeys(("n", "k", "limit", "top-n", "top-k"), "few"),
    **dict.fromkeys(("number", "count", "value", "threshold"), "number"),
}
PLACEHOLDERS = ("title-word-count", "reference-count", "author-count", *_KINDS, "number")
SLOT_KINDS = {
    "": ("number", "position", "few"),
    "author_name": ("name",),
    "article_title": ("title",),
    "author_position": ("position", "number", "few"),
}
"""The kinds of slots that each column can be compared with; "" for all other numeric columns."""

_NAME = r"[A-Za-z][\w-]*"
_PLACEHOLDER = re.compile(
    rf"""(?P<open>['"]?%?)(?:\$?\{{\{{?\s*(?P<braces>[^{{}}]*?)\s*\}}?\}}|<(?P<angles>{_NAME})>|\[(?P<square>{_NAME})\]"""
    rf"""|(?<![\w:])[:@$](?P<colon>{_NAME}))(?P<close>%?['"]?)"""
)
_NUMBERED = re.compile(r"-?(\d+|[a-c])$")
_WHICH = "min|max|minimum|maximum|low|high|lower|upper|first|second|third|other|start|end|from|to|one|two"
_QUALIFIERS = re.compile(rf"^({_WHICH})-|-({_WHICH})$")


class Placeholders:
    """Replaces the placeholders of a statement with parameters :p0, :p1 and so on."""

    def __init__(self) -> None:
        self.slots: dict[str, Slot] = {}
        """The slot of each parameter."""
        self._by_name: dict[str, list[tuple[str, tuple[int, ...]]]] = {}
        """The parameters of each placeholder, with the subqueries that they are in."""

    def replaced(self, text: str) -> str:
        """The statement with a parameter for each placeholder.

        Two placeholders with the same name are two values, unless they are numbered, or one of them is excluded
        (`author_name <> '{author-name}'` is about a name that was given before), or one is in a subquery of the other.
        """
        return _PLACEHOLDER.sub(lambda match: self._parameter(match, text), text)

    def _parameter(self, match: re.Match[str], text: str) -> str:
        written = next(
            name for name in (match["braces"], match["angles"], match["square"], match["colon"]) if name is not None
        )
        normal_name = re.sub(r"[_\s]+", "-", written.strip().lower())
        name, slot = self._slot(normal_name, written)
        level = _open_brackets(text[: match.start()])
        is_reused = name != normal_name or bool(
            re.search(r"(<>|!=|\bNOT LIKE)\s*$", text[: match.start()], re.IGNORECASE)
        )
        existing = next(
            (
                parameter
                for parameter, other_level in self._by_name.get(normal_name, [])
                if is_reused or _is_around(other_level, level)
            ),
            None,
        )
        label = existing or f"p{len(self.slots)}"
        self._by_name.setdefault(normal_name, []).append((label, level))
        self.slots.setdefault(label, slot)
        prefix, suffix = match["open"].strip("'\""), match["close"].strip("'\"")
        if not prefix and not suffix and slot.kind == "fragment":
            prefix = suffix = "%"  # a fragment occurs anywhere
        pieces = [f"'{prefix}'" if prefix else "", f":{label}", f"'{suffix}'" if suffix else ""]
        return " || ".join(piece for piece in pieces if piece)

    def _slot(self, spelled: str, written: str) -> tuple[str, Slot]:
        """The name without its number, and the slot."""
        name = spelled
        for candidate in (spelled, _NUMBERED.sub("", spelled), _NUMBERED.sub("", _QUALIFIERS.sub("", spelled))):
            name = _OTHER_NAMES.get(candidate, candidate)
            if name in PLACEHOLDERS:
                numbered = candidate if candidate != spelled else spelled
                measure = _MEASURES.get(name)
                kind = "number" if measure is not None or name == "number" else _KINDS[name]
                return numbered, Slot(kind, len(self.slots), measure)
        raise ParseError(f"it has an unknown placeholder '{{{written}}}'; known are {', '.join(PLACEHOLDERS)}")


def _open_brackets(before: str) -> tuple[int, ...]:
    """The positions of the subqueries that are open at the end of a text."""
    opened: list[tuple[int, bool]] = []
    for match in re.finditer(r"\(\s*(SELECT\b)?|\)", before, re.IGNORECASE):
        if match[0] != ")":
            opened.append((match.start(), match[1] is not None))
        elif opened:
            opened.pop()
    return tuple(start for start, is_select in opened if is_select)


def _is_around(left: tuple[int, ...], right: tuple[int, ...]) -> bool:
    """Whether one place is in a subquery of the other."""
    shorter, longer = sorted((left, right), key=len)
    return len(shorter) < len(longer) and longer[: len(shorter)] == shorter
