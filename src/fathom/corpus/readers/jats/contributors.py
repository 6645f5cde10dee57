"""Which contributors of a JATS article are its authors."""

from __future__ import annotations

import re

from fathom.corpus.readers.parsing.xml_trees import Element

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
