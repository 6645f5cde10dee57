"""In-text citations of JATS: which entries a printed mark points to, ranges included."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

from fathom.corpus.readers.jats.xml_parsing import Element
from fathom.corpus.readers.parsed_document import CitationMark, Inline, Inlines

LONGEST_RANGE = 200
"""References between the first and the last of a range; more is no range that anybody printed."""
_DASHES = ("-", "–", "—", "−", "‐", "‑")
_RANGE = re.compile(r"(\d{1,5})\s?[-–—−‐‑]\s?(\d{1,5})")


@dataclass
class Known:
    """What all stretches of one document share."""

    places: dict[str, int] = field(default_factory=dict)
    """Where in the list of references each key stands."""
    keys: list[str] = field(default_factory=list)
    floats: dict[str, Element] = field(default_factory=dict)
    """Figures and tables that the source keeps at its end, until the text first points to them."""

    def mark(self, element: Element, keys: tuple[str, ...], raised: bool, after_digit: bool) -> Inlines:
        """The citation, with its brackets outside; `raised` and `after_digit` say where it stands."""
        text = " ".join("".join(element.itertext()).split())
        if not text and keys and keys[0] in self.places:
            text = str(self.places[keys[0]] + 1)
        core = text.strip("[](), ") if text[:1] in "[(" or text[-1:] in "])," else text
        before, _, after = text.partition(core) if core else (text, "", "")
        lifted = raised or (not (element.text or "").strip() and len(element) and element[0].tag == "sup")
        style: Literal["superscript"] | None = "superscript" if lifted else None
        if core.count("(") > core.count(")") and after.startswith(")"):  # "Wu (2020)" keeps its own bracket
            core, after = core + ")", after[1:]
        apart = " " if after_digit and text[:1].isdigit() else ""
        return [apart + before, CitationMark(core, self._members(core, keys), style), after]

    def _members(self, text: str, keys: tuple[str, ...]) -> tuple[str, ...]:
        """The keys of a mark; of one that prints a range, those between too."""
        span = _RANGE.fullmatch(text)
        if span is None or not keys or keys[0] not in self.places:
            return keys
        begin = self.places[keys[0]]
        many = int(span.group(2)) - int(span.group(1)) + 1
        every = tuple(self.keys[begin : begin + many]) if 1 < many <= LONGEST_RANGE else ()
        return every if len(every) == many and set(keys) <= set(every) else keys

    def ranges(self, words: Inlines) -> Inlines:
        """Two citations with a dash between them as one that holds all from the first to the last."""
        merged: Inlines = []
        for piece in words:
            both = self._range(merged[-2], merged[-1], piece) if len(merged) > 1 else None
            if both is None:
                merged.append(piece)
            else:
                merged[-2:] = [both]
        return merged

    def _range(self, first: Inline, dash: Inline, last: Inline) -> CitationMark | None:
        if not (
            isinstance(first, CitationMark)
            and isinstance(last, CitationMark)
            and isinstance(dash, str)
            and dash.strip() in _DASHES
        ):
            return None
        if not (first.text.isascii() and first.text.isdigit() and last.text.isascii() and last.text.isdigit()):
            return None
        text = first.text + dash.strip() + last.text
        keys = self._members(text, (*first.keys, *last.keys))
        many = int(last.text[:5]) - int(first.text[:5]) + 1
        return CitationMark(text, keys, first.style) if len(keys) == many else None


def joined(words: Inlines) -> Inlines:
    """Neighboring strings as one."""
    joined: Inlines = []
    strings: list[str] = []
    for piece in words:
        if isinstance(piece, str):
            strings.append(piece)
            continue
        if any(strings):
            joined.append("".join(strings))
        strings.clear()
        joined.append(piece)
    if any(strings):
        joined.append("".join(strings))
    return joined


def printed(words: Inlines) -> str:
    """Running text as printed, with one blank between words."""
    return " ".join("".join(piece if isinstance(piece, str) else piece.text for piece in words).split())


def raw(words: Inlines) -> str:
    """Running text letter by letter."""
    return "".join(piece if isinstance(piece, str) else piece.text for piece in words)
