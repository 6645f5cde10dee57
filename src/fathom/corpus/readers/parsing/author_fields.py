"""Authors in fields that name them, such as the front matter of Markdown and the field lists of reStructuredText.

The field says that its text names authors, so mononyms and names in lower case need no further evidence. But if a part
of it may be more or other people, or no person at all, then the authors are unknown.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeAlias

from fathom.corpus.readers.bibtex.parser import parse_author
from fathom.corpus.readers.parsed_document import ParsedAuthor
from fathom.corpus.readers.parsing.byline_pieces import classify_piece, is_incomplete, is_institution
from fathom.corpus.readers.parsing.bylines import read_byline

YamlValue: TypeAlias = "str | list[YamlValue] | dict[str, YamlValue]"
"""A YAML value. Scalars are strings."""

_NOTE = re.compile(r"\^\[[^\[\]]{0,200}\]|\[\^[^\[\]]{1,20}\]|\^[^^\s]{1,20}\^")
"""A note or superscript of Pandoc: "Ada Lind^[co-first author]", "Ada Lind[^1]", "Ada Lind^1^"."""
_NOT_IN_NAMES = re.compile(r"[&;@<>()\[\]{}/*|\d^†‡§]|\b(?:with|und|et)\b")
_NICKNAME = re.compile(r"(?<=\w )\([^\W\d_]+\) (?=\w)")
_NOT_PEOPLE = ("degree", "affiliation", "note")
_GIVEN = ("given-names", "given_names", "given", "firstname", "first_name", "first-name", "first")
_FAMILY = ("surname", "family-names", "family_names", "family", "lastname", "last_name", "last-name", "last")
_PARTICLES = ("dropping-particle", "non-dropping-particle", "particle")


def authors_in_field(text: str) -> list[ParsedAuthor] | None:
    """Return the authors that a text names; None if it is not understood."""
    text = " ".join(_NOTE.sub("", text).split())
    parts = split_names(text)
    if _are_names(text, parts):
        return [parse_author(part) for part in parts]
    byline = read_byline([text])
    return [parse_author(author.printed) for author in byline.authors] if byline.is_known else None


def author_in_mapping(entry: Mapping[str, YamlValue]) -> list[ParsedAuthor] | None:
    """Return the authors that a mapping names, whole or by given and family name; None if it is not understood."""
    name = entry.get("name") or entry.get("literal") or ""
    if isinstance(name, dict):
        return author_in_mapping(name)
    if isinstance(name, str) and name.strip():
        return authors_in_field(name)
    given, family = (_first(entry, names) for names in (_GIVEN, _FAMILY))
    if family:
        family = " ".join((*filter(None, (_first(entry, (name,)) for name in _PARTICLES)), family))
        suffix = _first(entry, ("suffix",))
        return [ParsedAuthor(given, family, printed=" ".join(filter(None, (given, family, suffix))))]
    if not name and len(entry) == 1 and isinstance(next(iter(entry.values())), dict | list):
        # "- Ada Lind: {institute: tin}"
        return authors_in_field(next(iter(entry)))
    return None


def split_names(line: str) -> list[str]:
    """Return the names in one line; "Lind, Ann" is one name, family name first."""
    parts = [part.strip() for part in re.split(r"[,，、]|\band\b", line) if part.strip()]
    if len(parts) == 2 and "," in line and min(len(part.split()) for part in parts) == 1:
        return [line.strip()]
    return parts


def _are_names(text: str, parts: list[str]) -> bool:
    """Return whether the parts of a text are names, so that nothing else has to be explained."""
    if _NOT_IN_NAMES.search(_NICKNAME.sub("", text)) or is_incomplete(text) or any(map(is_institution, parts)):
        return False
    pieces = [piece.strip() for piece in text.split(",")]
    if len(pieces) == 1 or (len(parts) == 1 and parse_author(text).printed == text):
        return True  # one name, or a name with a degree: "Ada Lind, PhD"
    # "Ada Lind, Bo Wu, Tin College"; in "Lind, Ada and Wu, Bo" the commas separate no names.
    words = sum(" " not in part and part.isascii() for part in parts)
    return words < 2 and not any(classify_piece((piece, False, False)).kind in _NOT_PEOPLE for piece in pieces)


def _first(entry: Mapping[str, YamlValue], names: tuple[str, ...]) -> str:
    values = (entry.get(name) for name in names)
    return next((" ".join(value.split()) for value in values if isinstance(value, str) and value.strip()), "")
