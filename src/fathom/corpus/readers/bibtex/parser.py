"""Parser of BibTeX files and of the names in them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise

from fathom.corpus.readers.bibtex.latex_text import (
    clean_latex,
    closes_at_end,
    latex_to_text,
    split_outside_braces,
)
from fathom.corpus.readers.parsed_document import ParsedAuthor
from fathom.records.names import is_group_name


@dataclass(frozen=True)
class BibtexName:
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


def parse_names(field_text: str) -> tuple[list[BibtexName], bool]:
    """Return the names in an author field, and whether it ends in "and others"."""
    names: list[BibtexName] = []
    others = False
    for part in split_outside_braces(" ".join(field_text.split()), _AND):
        if part.strip().lower() == "others":
            others = True
        elif latex_to_text(part).strip():
            names.append(parse_name(part))
    return names, others


def parse_name(text: str) -> BibtexName:
    """Parse "First von Last", "von Last, First", "von Last, Jr, First" or "{An Organization}"."""
    text = " ".join(text.split())
    if text.startswith("{") and closes_at_end(text) and " " in text:
        return BibtexName("", clean_latex(text), group=True)
    parts = [part.strip() for part in split_outside_braces(text, _COMMA)]
    if len(parts) >= 3:
        return BibtexName(clean_latex(" ".join(parts[2:])), clean_latex(parts[0]), clean_latex(parts[1]))
    if len(parts) == 2:
        if latex_to_text(parts[1]).strip(" .").lower() in _SUFFIXES:
            name = parse_name(parts[0])
            return BibtexName(name.given, name.family, clean_latex(parts[1]))
        return BibtexName(clean_latex(parts[1]), clean_latex(parts[0]))
    words = [word for word in split_outside_braces(text, _BLANK) if word]
    cut = len(words) - 1
    # A particle is part of the family name: "van der" in "Stefan van der Walt".
    first = next((position for position in range(1, cut) if _particle(words[position])), cut)
    if cut > 1 and latex_to_text(words[-1]).strip(" .").lower() in _SUFFIXES:
        first = min(first, cut - 1)
        return BibtexName(
            clean_latex(" ".join(words[:first])), clean_latex(" ".join(words[first:cut])), clean_latex(words[-1])
        )
    return BibtexName(clean_latex(" ".join(words[: max(first, 0)])), clean_latex(" ".join(words[max(first, 0) :])))


def parse_author(printed: str) -> ParsedAuthor:
    """Parse a name printed in a byline."""
    printed = " ".join(printed.split())
    if is_group_name(printed):
        return ParsedAuthor("", printed, group=True, printed=printed)
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


@dataclass(frozen=True)
class BibEntry:
    """One entry. Field names are in lower case; values are LaTeX."""

    kind: str
    key: str
    fields: dict[str, str] = field(default_factory=dict)

    def plain(self, *names: str) -> str:
        """Return the first of these fields that is not empty, as plain text."""
        return next(filter(None, (clean_latex(self.fields.get(name, "")) for name in names)), "")

    @property
    def year(self) -> int | None:
        """The year of publication."""
        match = re.search(r"(?<!\d)(1[5-9]\d\d|20\d\d)(?!\d)", self.plain("year", "date", "issued", "urldate"))
        return int(match[1]) if match else None

    def people(self) -> tuple[list[BibtexName], bool]:
        """Return the authors, or the editors if there are none, and whether the list ends in "and others"."""
        for name in ("author", "editor"):
            names, others = parse_names(self.fields.get(name, ""))
            if names:
                return names, others
        return [], False


@dataclass(frozen=True)
class BibFile:
    """The entries of a bibliography file."""

    entries: dict[str, BibEntry]
    broken: list[str]
    """Entries that cannot be parsed: the key, or the first characters if there is no key."""


def parse_bibtex(text: str) -> BibFile:
    """Parse a bibliography file; of two entries with one key the first counts."""
    parser = _Parser()
    # "@article{" at the start of a line starts an entry even if a brace before it was never closed, so that a broken
    # entry costs one entry, and every character is read once.
    starts = [match.start() for match in _START.finditer(text)]
    for start, end in pairwise([*starts, len(text)]):
        parser.chunk(text[start:end])
    return BibFile(parser.entries, parser.broken)


_START = re.compile(r"(?m)^[ \t]*@[ \t]*[A-Za-z][A-Za-z_-]*\s*[{(]")
_HEAD = re.compile(r"@\s*([A-Za-z][A-Za-z_-]*)\s*([{(])\s*")
_KEY = re.compile(r"\s*([^\s,{}=\"]+)\s*(,|(?=[})]))")
_FIELD = re.compile(r"[\s,]*([A-Za-z][\w:.+-]*)\s*=\s*")
_BARE = re.compile(r"[^\s,#{}\"()=]+")
_JOIN = re.compile(r"\s*#\s*")
_DELIMITERS = re.compile(r'\\.|[{}"]', re.DOTALL)
_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
           "November", "December")  # fmt: skip


class _BibError(Exception):
    """An entry cannot be parsed."""


class _Parser:
    def __init__(self) -> None:
        self.entries: dict[str, BibEntry] = {}
        self.broken: list[str] = []
        self._expanded = 0
        self._strings = {month[:3].lower(): month for month in _MONTHS}

    def chunk(self, text: str) -> None:
        """Parse one entry, or several on one line."""
        position = 0
        while (head := _HEAD.search(text, position)) is not None:
            key = _KEY.match(text, head.end())
            try:
                position = self._entry(text, head, key)
            except _BibError:
                self.broken.append(key[1] if key else " ".join(text[head.start() : head.start() + 40].split()))
                return

    def _entry(self, text: str, head: re.Match[str], key: re.Match[str] | None) -> int:
        kind = head[1].lower()
        if kind in ("comment", "preamble"):
            return self._enclosed(text, head.end(2) - 1)[1] if head[2] == "{" else len(text)
        if kind == "string":
            fields, end = self._fields(text, head.end())
            self._strings.update(fields)
            return end
        if key is None:
            raise _BibError
        fields, end = self._fields(text, key.end())
        self.entries.setdefault(key[1], BibEntry(kind, key[1], fields))
        return end

    def _fields(self, text: str, position: int) -> tuple[dict[str, str], int]:
        fields: dict[str, str] = {}
        while (name := _FIELD.match(text, position)) is not None:
            value, position = self._value(text, name.end())
            fields.setdefault(name[1].lower(), value)
        rest = re.compile(r"[\s,]*[})]").match(text, position)
        if rest is None:
            # Garbage between two fields, such as a doubled brace: keep the fields before it.
            if fields and text[position:].strip():
                return fields, len(text)
            raise _BibError
        return fields, rest.end()

    def _value(self, text: str, position: int) -> tuple[str, int]:
        pieces: list[str] = []
        while True:
            sign = text[position : position + 1]
            if sign and sign in '{"':
                piece, position = self._enclosed(text, position)
            elif (bare := _BARE.match(text, position)) is not None:
                piece, position = self._string(bare[0]), bare.end()
            else:
                raise _BibError
            pieces.append(piece)
            join = _JOIN.match(text, position)
            if join is None:
                return "".join(pieces), position
            position = join.end()

    def _string(self, name: str) -> str:
        value = self._strings.get(name.lower(), name)
        # A string built of two strings, each built of two, doubles at every step.
        self._expanded += len(value)
        if self._expanded > 1_000_000:
            raise _BibError
        return value

    @staticmethod
    def _enclosed(text: str, position: int) -> tuple[str, int]:
        """Return the text in the braces or quotation marks that open at a position, and the position after them."""
        quoted = text[position] == '"'
        depth = 0
        for match in _DELIMITERS.finditer(text, position + quoted):
            depth += {"{": 1, "}": -1}.get(match[0], 0)
            if depth <= 0 and match[0] == ('"' if quoted else "}"):
                return text[position + 1 : match.start()], match.end()
        raise _BibError
