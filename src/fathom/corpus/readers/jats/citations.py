"""In-text citations of JATS, and the references they point to, including ranges."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

from fathom.corpus.readers.parsed_document import CitationMark, Inline, Inlines
from fathom.corpus.readers.parsing.xml_trees import Element

MAX_RANGE = 200
"""Maximum number of references in a range."""
_DASHES = ("-", "–", "—", "−", "‐", "‑")
_RANGE = re.compile(r"(\d{1,5})\s?[-–—−‐‑]\s?(\d{1,5})")


@dataclass
class CitationIndex:
    """The references and floats of one document, shared by all its block builders."""

    positions: dict[str, int] = field(default_factory=dict)
    """Position of each key in the reference list."""
    keys: list[str] = field(default_factory=list)
    floats: dict[str, Element] = field(default_factory=dict)
    """Figures and tables that the source has at its end, until the text first mentions them."""

    def mark(self, element: Element, keys: tuple[str, ...], superscript: bool, after_digit: bool) -> Inlines:
        """Return a citation mark with its brackets outside; `superscript` and `after_digit` describe its position."""
        text = " ".join("".join(element.itertext()).split())
        if not text and keys and keys[0] in self.positions:
            text = str(self.positions[keys[0]] + 1)
        core = text.strip("[](), ") if text[:1] in "[(" or text[-1:] in "])," else text
        before, _, after = text.partition(core) if core else (text, "", "")
        superscript = superscript or (not (element.text or "").strip() and len(element) > 0 and element[0].tag == "sup")
        style: Literal["superscript"] | None = "superscript" if superscript else None
        if core.count("(") > core.count(")") and after.startswith(")"):  # "Wu (2020)" keeps its own bracket
            core, after = core + ")", after[1:]
        separator = " " if after_digit and text[:1].isdigit() else ""
        return [separator + before, CitationMark(core, self._range_keys(core, keys), style), after]

    def _range_keys(self, text: str, keys: tuple[str, ...]) -> tuple[str, ...]:
        """Return the keys of a mark, including those inside a printed range."""
        span = _RANGE.fullmatch(text)
        if span is None or not keys or keys[0] not in self.positions:
            return keys
        begin = self.positions[keys[0]]
        count = int(span.group(2)) - int(span.group(1)) + 1
        range_keys = tuple(self.keys[begin : begin + count]) if 1 < count <= MAX_RANGE else ()
        return range_keys if len(range_keys) == count and set(keys) <= set(range_keys) else keys

    def merge_ranges(self, inlines: Inlines) -> Inlines:
        """Merge two citations with a dash between them into one for the whole range."""
        merged: Inlines = []
        for piece in inlines:
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
        keys = self._range_keys(text, (*first.keys, *last.keys))
        count = int(last.text[:5]) - int(first.text[:5]) + 1
        return CitationMark(text, keys, first.style) if len(keys) == count else None


def merge_strings(inlines: Inlines) -> Inlines:
    """Merge adjacent strings."""
    merge_strings: Inlines = []
    strings: list[str] = []
    for piece in inlines:
        if isinstance(piece, str):
            strings.append(piece)
            continue
        if any(strings):
            merge_strings.append("".join(strings))
        strings.clear()
        merge_strings.append(piece)
    if any(strings):
        merge_strings.append("".join(strings))
    return merge_strings
