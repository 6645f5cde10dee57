"""Where the authors of a JATS document work."""

from __future__ import annotations

import re
from itertools import islice

from fathom.corpus.readers.ixbrl.trees import walked
from fathom.corpus.readers.jats.xml_parsing import Element

_SET_APART = frozenset(("institution", "institution-wrap", "addr-line", "city", "state", "country", "named-content"))
_MARKS = frozenset(("label", "sup", "institution-id", "email", "xref", "fn", "phone", "fax", "uri"))
_MOST_PIECES = 1_000
_BETWEEN = re.compile(r"[ ,;]*[,;][ ,;]*")


class Affiliations:
    """The affiliations that the front of a document prints, and whose they are."""

    def __init__(self, meta: Element | None) -> None:
        every = list(meta.iter("aff")) if meta is not None else []
        self._printed = {id: element for element in every if (id := element.get("id"))}
        self._texts: dict[str, str] = {}
        apart = [element for element in every if element.getparent().tag != "contrib"]
        pointed = meta is not None and any(xref.get("ref-type") == "aff" for xref in meta.iter("xref"))
        self._shared = _text(apart[0]) if len(apart) == 1 and not pointed else ""
        """The only one, which nobody points to: it is everybody's."""

    def of(self, contributor: Element) -> tuple[str, ...]:
        """Those of one contributor: inside the element, by reference, or what all share."""
        inside = [_text(element) for element in contributor.iterchildren("aff")]
        pointers = (xref for xref in contributor.iterchildren("xref") if xref.get("ref-type") == "aff")
        named = [id for xref in pointers for id in xref.get("rid", "").split() if id in self._printed]
        return tuple(dict.fromkeys(filter(None, (*inside, *map(self._text, named))))) or self._everybodys()

    def _everybodys(self) -> tuple[str, ...]:
        return (self._shared,) if self._shared else ()

    def _text(self, id: str) -> str:
        if id not in self._texts:
            self._texts[id] = _text(self._printed[id])
        return self._texts[id]


def _text(element: Element) -> str:
    """An affiliation without its number, its parts told apart by commas whether or not the source prints them."""
    pieces: list[str] = []
    hidden = 0
    for event, node in islice(walked(element), _MOST_PIECES):
        if event == "text":
            pieces.append("" if hidden else node)
        elif node.tag in _MARKS:
            hidden += 1 if event == "open" else -1
        elif node.tag in _SET_APART:
            pieces.append(", ")
    return _BETWEEN.sub(", ", " ".join("".join(pieces).split())).strip(" ,;.")
