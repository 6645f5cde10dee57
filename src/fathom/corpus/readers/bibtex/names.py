"""Names of people and organizations in BibTeX fields and bylines."""

from __future__ import annotations

import re
from dataclasses import dataclass

from fathom.corpus.readers.bibtex.latex_text import clean_latex, closes_at_end, latex_to_text, split_outside_braces
from fathom.corpus.readers.parsed_document import ParsedAuthor


@dataclass(frozen=True)
class Name:
    """A person or an organization."""

    given: str
    family: str
    """With its particle: "van der Walt"; for an organization, its whole name."""
    suffix: str = ""
    group: bool = False

    @property
    def printed(self) -> str:
        """The name with given names first."""
        return " ".join(filter(None, (self.given, self.family, self.suffix)))


def parse_names(field_text: str) -> tuple[list[Name], bool]:
    """Return the names in an author field, and whether it ends in "and others"."""
    names: list[Name] = []
    others = False
    for part in split_outside_braces(" ".join(field_text.split()), _AND):
        if part.strip().lower() == "others":
            others = True
        elif latex_to_text(part).strip():
            names.append(parse_name(part))
    return names, others


def parse_name(text: str) -> Name:
    """Parse "First von Last", "von Last, First", "von Last, Jr, First" or "{An Organization}"."""
    text = " ".join(text.split())
    if text.startswith("{") and closes_at_end(text) and " " in text:
        return Name("", clean_latex(text), group=True)
    parts = [part.strip() for part in split_outside_braces(text, _COMMA)]
    if len(parts) >= 3:
        return Name(clean_latex(" ".join(parts[2:])), clean_latex(parts[0]), clean_latex(parts[1]))
    if len(parts) == 2:
        if latex_to_text(parts[1]).strip(" .").lower() in _SUFFIXES:
            name = parse_name(parts[0])
            return Name(name.given, name.family, clean_latex(parts[1]))
        return Name(clean_latex(parts[1]), clean_latex(parts[0]))
    words = [word for word in split_outside_braces(text, _BLANK) if word]
    cut = len(words) - 1
    # A particle is part of the family name: "van der" in "Stefan van der Walt".
    first = next((position for position in range(1, cut) if _particle(words[position])), cut)
    if cut > 1 and latex_to_text(words[-1]).strip(" .").lower() in _SUFFIXES:
        first = min(first, cut - 1)
        return Name(
            clean_latex(" ".join(words[:first])), clean_latex(" ".join(words[first:cut])), clean_latex(words[-1])
        )
    return Name(clean_latex(" ".join(words[: max(first, 0)])), clean_latex(" ".join(words[max(first, 0) :])))


def parse_author(printed: str) -> ParsedAuthor:
    """Parse a name printed in a byline."""
    printed = " ".join(printed.split())
    head, comma, tail = printed.partition(",")
    name = parse_name(head)
    if comma and tail.strip(" .").lower() not in _SUFFIXES:
        name = parse_name(printed)
        return ParsedAuthor(name.given, name.family, printed=name.printed)
    return ParsedAuthor(name.given, name.family, group=name.group, printed=printed)


_SUFFIXES = {"jr", "sr", "ii", "iii", "iv", "phd", "ph.d", "md", "m.d", "esq", "msc", "dr"}
_AND = re.compile(r" and ", re.IGNORECASE)
_COMMA = re.compile(r",")
_BLANK = re.compile(r"[\s~]+")


def _particle(word: str) -> bool:
    return word[:1].islower() and word.strip(".").isalpha() and len(word) <= 6
