"""Styles and list numbers of a Word document."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import Literal

from fathom.corpus.readers.parsing.xml_trees import Element, local
from fathom.corpus.readers.parsing.zip_parts import ZipParts, attribute, child
from fathom.corpus.readers.words import read_words, word_pattern

_WORDS = read_words("docx")

ParagraphRole = Literal[
    "title", "subtitle", "author", "date", "abstract", "abstract title", "contents", "heading", "item", "text"
]

# Word stores built-in names in English in every language version; other programs translate them.
_HEADING = word_pattern(_WORDS["heading"], 0)
_NAMES: dict[ParagraphRole, re.Pattern[str]] = {part: word_pattern(names, 0) for part, names in _WORDS["names"].items()}


@dataclass(frozen=True)
class ParagraphStyle:
    """The meaning of a paragraph style."""

    part: ParagraphRole = "text"
    level: int = 0
    """The level of a heading, from 1; 0 for other styles."""
    list_id: str = ""
    list_level: int = 0


class Styles:
    """The styles of a document by id, including inherited properties."""

    def __init__(self, parts: ZipParts, name: str | None) -> None:
        root = parts.tree(name) if name else None
        self._elements = {
            attribute(one, "styleId"): one for one in (root if root is not None else ()) if local(one) == "style"
        }
        self._known: dict[str, ParagraphStyle] = {}
        language = child(root, "docDefaults", "rPrDefault", "rPr", "lang")
        self.language = attribute(language, "val")

    def get(self, id: str) -> ParagraphStyle:
        if id not in self._known:
            self._known[id] = self._read(id)
        return self._known[id]

    def _read(self, id: str) -> ParagraphStyle:
        seen: set[str] = set()
        base = id
        list_id, list_level = "", 0
        while base and base not in seen and len(seen) < 20:
            seen.add(base)
            element = self._elements.get(base)
            # A document without style definitions still has ids, which are the English names.
            name = (attribute(child(element, "name"), "val") or base).strip().lower()
            numbers = child(element, "pPr", "numPr")
            list_id = list_id or attribute(child(numbers, "numId"), "val")
            list_level = list_level or int_value(attribute(child(numbers, "ilvl"), "val"))
            if heading := _HEADING.fullmatch(name):
                return ParagraphStyle("heading", int(heading[1]))
            for part, pattern in _NAMES.items():
                if pattern.fullmatch(name):
                    return ParagraphStyle(part)
            level = attribute(child(element, "pPr", "outlineLvl"), "val")
            if level and int_value(level) < 9:
                return ParagraphStyle("heading", int_value(level) + 1)
            base = attribute(child(element, "basedOn"), "val")
        return ParagraphStyle("item" if list_id not in ("", "0") else "text", 0, list_id, list_level)


def int_value(text: str) -> int:
    """Return a small number; 0 if it is not one."""
    return int(text) if re.fullmatch(r"[0-9]{1,6}", text) else 0


class Numbering:
    """List numbers: counts the items of each list, in document order."""

    def __init__(self, parts: ZipParts, name: str | None) -> None:
        root = parts.tree(name) if name else None
        elements = list(root) if root is not None else []
        abstract = {
            attribute(element, "abstractNumId"): element for element in elements if local(element) == "abstractNum"
        }
        self._levels: dict[str, dict[int, tuple[str, str, int]]] = {}
        for element in elements:
            if local(element) == "num":
                definition = abstract.get(attribute(child(element, "abstractNumId"), "val"))
                self._levels[attribute(element, "numId")] = _levels(definition)
        self._counts: dict[str, dict[int, int]] = defaultdict(dict)

    def marker(self, list_id: str, level: int) -> str:
        """Return the number of the next item as printed; empty for a bullet."""
        levels = self._levels.get(list_id, {})
        form, text, start = levels.get(level, ("bullet", "", 1))
        counts = self._counts[list_id]
        counts[level] = counts.get(level, start - 1) + 1
        for deeper in [count for count in counts if count > level]:
            del counts[deeper]
        if form in ("bullet", "none", "") or "%" not in text:
            return ""
        return re.sub(r"%([1-9])", lambda match: _printed(levels, counts, int(match[1]) - 1), text).strip()


def _levels(definition: Element | None) -> dict[int, tuple[str, str, int]]:
    levels: dict[int, tuple[str, str, int]] = {}
    for one in definition if definition is not None else ():
        if local(one) == "lvl":
            start = child(one, "start")
            levels[int_value(attribute(one, "ilvl"))] = (
                attribute(child(one, "numFmt"), "val"),
                attribute(child(one, "lvlText"), "val")[:40],
                int_value(attribute(start, "val")) if start is not None else 1,
            )
    return levels


def _printed(levels: dict[int, tuple[str, str, int]], counts: dict[int, int], level: int) -> str:
    number = counts.get(level, 1)
    form = levels.get(level, ("decimal", "", 1))[0]
    if form in ("lowerLetter", "upperLetter") and 1 <= number <= 26:
        return chr((96 if form == "lowerLetter" else 64) + number)
    return str(number)
