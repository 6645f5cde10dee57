"""Author affiliations of a JATS article."""

from __future__ import annotations

import re
from itertools import islice

from fathom.corpus.readers.parsing.xml_trees import Element, walk_tree

_PARTS = frozenset(("institution", "institution-wrap", "addr-line", "city", "state", "country", "named-content"))
_MARKS = frozenset(("label", "sup", "institution-id", "email", "xref", "fn", "phone", "fax", "uri"))
_MAX_EVENTS = 1_000
_BETWEEN = re.compile(r"[ ,;]*[,;][ ,;]*")


class Affiliations:
    """The affiliations in the front matter, by contributor."""

    def __init__(self, meta: Element | None) -> None:
        every = list(meta.iter("aff")) if meta is not None else []
        self._printed = {id: element for element in every if (id := element.get("id"))}
        self._texts: dict[str, str] = {}
        apart = [element for element in every if element.getparent().tag != "contrib"]
        pointed = meta is not None and any(xref.get("ref-type") == "aff" for xref in meta.iter("xref"))
        self._only_affiliation = _text(apart[0]) if len(apart) == 1 and not pointed else ""
        """The only affiliation, if no author refers to it: it belongs to all authors."""

    def of(self, contributor: Element) -> tuple[str, ...]:
        """Return the affiliations of one contributor: inside the element, by reference, or the shared one."""
        walk_children = [_text(element) for element in contributor.iterchildren("aff")]
        pointers = (xref for xref in contributor.iterchildren("xref") if xref.get("ref-type") == "aff")
        named = [id for xref in pointers for id in xref.get("rid", "").split() if id in self._printed]
        return tuple(dict.fromkeys(filter(None, (*walk_children, *map(self._text, named))))) or self._default()

    def _default(self) -> tuple[str, ...]:
        return (self._only_affiliation,) if self._only_affiliation else ()

    def _text(self, id: str) -> str:
        if id not in self._texts:
            self._texts[id] = _text(self._printed[id])
        return self._texts[id]


def _text(element: Element) -> str:
    """Return an affiliation without its label, its parts separated by commas."""
    pieces: list[str] = []
    hidden = 0
    for event, node in islice(walk_tree(element), _MAX_EVENTS):
        if event == "text":
            pieces.append("" if hidden else node)
        elif node.tag in _MARKS:
            hidden += 1 if event == "open" else -1
        elif node.tag in _PARTS:
            pieces.append(", ")
    return _BETWEEN.sub(", ", " ".join("".join(pieces).split())).strip(" ,;.")
