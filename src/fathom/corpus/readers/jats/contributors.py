"""The contributors of a JATS article: which of them are its authors, and their affiliations."""

from __future__ import annotations

import re
from itertools import islice

from fathom.corpus.readers.parsing.xml_trees import Element, walk_tree

_AUTHOR_TYPES = re.compile(r"author|group|collab|consort|anonymous", re.IGNORECASE)
_OTHER_TYPES = re.compile(
    r"editor|review|referee|translat|member|investigator|non-?byline|compiler|illustrat|guest|chair|director|advis",
    re.IGNORECASE,
)


def is_author(contributor: Element, group: Element, untyped: bool) -> bool:
    """Return whether a contributor is an author; `untyped`: whether one that has no type is.

    Without a type, the members of a consortium and the editors are in a later group than the authors.
    """
    kind = contributor.get("contrib-type") or group.get("content-type") or ""
    if _OTHER_TYPES.search(kind):
        return False
    if kind:
        return bool(_AUTHOR_TYPES.search(kind))
    return untyped and not any(map(_is_other_role, contributor.iterchildren("role")))


def is_surely_other(contributor: Element) -> bool:
    """Return whether the type of a contributor says that it is an editor, a reviewer or the like."""
    return bool(_OTHER_TYPES.search(contributor.get("contrib-type") or ""))


def _is_other_role(role: Element) -> bool:
    # Roles of the CRediT taxonomy are those of authors: "Writing – review & editing".
    text = "".join(role.itertext())
    return "writing" not in text.casefold() and bool(_OTHER_TYPES.search(text))


# Affiliations.

_PARTS = frozenset(("institution", "institution-wrap", "addr-line", "city", "state", "country", "named-content"))
_OMITTED = frozenset(("label", "sup", "institution-id", "email", "xref", "fn", "phone", "fax", "uri"))
_MAX_EVENTS = 1_000
"""Maximum number of events of the tree walk per affiliation."""
_SEPARATORS = re.compile(r"[ ,;]*[,;][ ,;]*")


class Affiliations:
    """The affiliations in the front matter, by contributor."""

    def __init__(self, meta: Element) -> None:
        affiliations = list(meta.iter("aff"))
        self._elements = {id: element for element in affiliations if (id := element.get("id"))}
        self._texts: dict[str, str] = {}
        shared = [element for element in affiliations if element.getparent().tag != "contrib"]
        referenced = any(xref.get("ref-type") == "aff" for xref in meta.iter("xref"))
        self._only_affiliation = _text(shared[0]) if len(shared) == 1 and not referenced else ""
        """The only affiliation, if no author refers to it: it belongs to all authors."""

    def of(self, contributor: Element) -> tuple[str, ...]:
        """Return the affiliations of one contributor: inside the element, by reference, or the shared one."""
        inside = [_text(element) for element in contributor.iterchildren("aff")]
        links = (xref for xref in contributor.iterchildren("xref") if xref.get("ref-type") == "aff")
        linked_ids = [id for xref in links for id in xref.get("rid", "").split() if id in self._elements]
        named = filter(None, (*inside, *map(self._text, linked_ids)))
        return tuple(dict.fromkeys(named)) or tuple(filter(None, [self._only_affiliation]))

    def _text(self, id: str) -> str:
        if id not in self._texts:
            self._texts[id] = _text(self._elements[id])
        return self._texts[id]


def _text(element: Element) -> str:
    """Return an affiliation without its label, its parts separated by commas."""
    pieces: list[str] = []
    hidden = 0
    for event, node in islice(walk_tree(element), _MAX_EVENTS):
        if event == "text":
            pieces.append("" if hidden else node)
        elif node.tag in _OMITTED:
            hidden += 1 if event == "open" else -1
        elif node.tag in _PARTS:
            pieces.append(", ")
    return _SEPARATORS.sub(", ", " ".join("".join(pieces).split())).strip(" ,;.")
