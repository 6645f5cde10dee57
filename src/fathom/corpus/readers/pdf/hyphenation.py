"""Lines of a PDF joined to running text: whether a hyphen at a line's end belongs to the word."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from fathom.corpus.readers.pdf.characters import Line, bare


class Vocabulary:
    """The words of a document, which tell whether a hyphen at a line's end belongs to the word."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self._plain: set[str] = set()
        self._compound: set[str] = set()
        begun = False
        for line in lines:
            tokens = re.findall(r"[^\W\d_]+(?:-[^\W\d_]+)*", bare(line.text).lower())
            # Halves of broken words are no words: "ments" would make "measure-ments" of "measurements".
            whole = tokens[begun : len(tokens) - line.broken]
            begun = line.broken
            self._plain.update(token for token in whole if "-" not in token)
            for token in whole:
                parts = token.split("-")
                self._compound.update(f"{one}-{other}" for one, other in itertools.pairwise(parts))

    def joined(self, lines: Sequence[Line]) -> str:
        """The text of lines that follow one another."""
        pieces: list[str] = []
        broken = False
        for line in lines:
            text = line.text.strip()
            if pieces and broken:
                pieces.append(self._link(pieces[-1], text))
            elif pieces and not _address_goes_on(pieces[-1]):
                pieces.append(" ")
            pieces.append(text)
            broken = line.broken
        return "".join(pieces) + ("-" if broken else "")

    def _link(self, before: str, after: str) -> str:
        """A hyphen where one belongs, else nothing."""
        left, right = re.search(r"([^\W\d_]+)$", before[-60:]), re.match(r"[^\W\d_]+", after)
        if left is None or right is None or re.search(r"https?:\S*$", before[-200:]):
            return "-"
        first, second = left[1].lower(), right[0].lower()
        if first + second in self._plain:
            return ""
        if right[0][0].isupper():
            return "-"
        if f"{first}-{second}" in self._compound:
            return "-"
        known = first in self._plain and second in self._plain and len(first) > 3 and len(second) > 3
        return "-" if known else ""


def _address_goes_on(text: str) -> bool:
    return re.search(r"(?:https?:|doi\.org|10\.\d{4})\S*[/_.=-]$", text[-200:]) is not None
