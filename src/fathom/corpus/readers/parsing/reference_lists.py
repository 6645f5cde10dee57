"""Reference lists, indexed by anchor, number, and author and year."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import unquote

from fathom.corpus.readers.parsed_document import ParsedReference
from fathom.corpus.readers.parsing.chinese_characters import CHINESE_CHARACTER, join_spaced_name, to_half_width
from fathom.corpus.readers.parsing.reference_strings import parse_reference
from fathom.corpus.readers.parsing.titles import split_date
from fathom.records.names import CHINESE, family_name, is_particle, without_accents


@dataclass(frozen=True)
class ReferenceEntry:
    """An entry of a reference list as printed."""

    text: str
    label: str = ""
    """The label before it: "12", "Lind et al. (2018)"."""
    anchors: tuple[str, ...] = ()
    blocks: tuple[str, ...] = ()
    """Its parts if the source separates them: usually the authors, the title and the rest."""
    ids: dict[str, str] = field(default_factory=dict)


YEAR = r"(?:1[6-9]\d\d|20\d\d)"
NAME_JOINERS = frozenset(("and", "&", "et", "al", "al."))
"""Words between the names of a citation."""
_SERIAL = re.compile(r"(?:bib(?:[-._]bib)?x?|ref|reference|cite?|cr|b|r)[-._:]?(\d{1,4})", re.IGNORECASE)
_KEY_YEAR = re.compile(rf"([^\W\d_]{{2,40}}).{{0,40}}?({YEAR})([a-z]?)(?![a-z]{{3}}\d)", re.IGNORECASE)


class ReferenceIndex:
    """Looks up the entries of a reference list the way citations refer to them."""

    def __init__(self, entries: Sequence[ReferenceEntry]) -> None:
        self.references: list[ParsedReference] = []
        """In list order. A blank item is a reference without text."""
        self.numbers: dict[str, str] = {}
        self._numbers_by_key: dict[str, str] = {}
        self._anchors: dict[str, str] = {}
        self._by_author_year: dict[tuple[str, str], list[_IndexedEntry]] = defaultdict(list)
        for entry in entries:
            key = entry.anchors[0] if entry.anchors else f"bib{len(self.references) + 1}"
            if entry.text.strip():
                self._add(entry, key)
            else:
                # A blank item keeps its number: "#bib.bib7" is the seventh item even if others are blank.
                self.references.append(ParsedReference(key, ""))

    def _add(self, entry: ReferenceEntry, key: str) -> None:
        reference = parsed_entry(entry, key)
        self.references.append(reference)
        for anchor in entry.anchors:
            self._anchors.setdefault(anchor, key)
        number = re.fullmatch(r"\W{0,2}(\d{1,4})\W{0,2}", entry.label)
        shown = number[1] if number else str(len(self.references))
        self.numbers.setdefault(shown, key)
        self._numbers_by_key.setdefault(key, shown)
        suffix = re.search(rf"{reference.year}([a-z])\b", f"{entry.label} {entry.text}") if reference.year else None
        names = {_family(name) for name in reference.authors[:1]} | {_family(first_author(entry.label))}
        for name in filter(None, names):
            indexed = _IndexedEntry(
                key, suffix[1] if suffix else "", _author_count(entry, reference), _folded(reference.text)
            )
            if indexed not in self._by_author_year[name, str(reference.year or "")]:
                self._by_author_year[name, str(reference.year or "")].append(indexed)

    def by_anchor(self, target: str) -> str | None:
        """Return the key of the entry that a link points to; None if the link is not a citation."""
        if "#" not in target:
            return None
        name = unquote(target.rpartition("#")[2]).replace("\\", "").strip()
        if name in self._anchors:
            return self._anchors[name]
        serial = _SERIAL.fullmatch(name)
        # If entries have such anchors themselves, "bib3" is not the third of those that are left.
        numbered = any(map(_SERIAL.fullmatch, self._anchors))
        if serial and not numbered and (not self._anchors or name.lower().startswith("bib")):
            place = int(serial[1])
            if 1 <= place <= len(self.references) and self.references[place - 1].text:
                return self.references[place - 1].key
        if name.lower().startswith(("bib.", "bib-", "bibr", "bib_", "ref-", "cite.", "cite-")):
            key = _KEY_YEAR.search(name.partition(".")[2] or name)
            return (key and self.by_author_year(key[1], key[2], "")) or f"?{name}"
        return None

    def by_author_year(self, name: str, year: str, suffix: str, cited: str = "") -> str | None:
        """Return the key of the entry with this first author and year; None if there is none or more than one.

        `cited`: all names as printed, which distinguish entries of one first author and year.
        """
        entries = _by_suffix(self._by_author_year.get((_family(name), year), []), suffix)
        if len(entries) > 1 and cited:
            entries = _by_names(entries, cited)
        return entries[0].key if len(entries) == 1 else None

    def has_author_year(self, name: str, year: str) -> bool:
        """Return whether any entry has this first author and year."""
        return (_family(name), year) in self._by_author_year

    def in_range(self, first: str, last: str) -> tuple[str, ...]:
        """Return the keys of the entries in a range of numbers such as 4-6; empty if any is missing."""
        if first not in self.numbers or last not in self.numbers or not 0 < int(last) - int(first) < 100:
            return ()
        keys = [self.numbers.get(str(number)) for number in range(int(first), int(last) + 1)]
        return tuple(key for key in keys if key) if all(keys) else ()

    def number_of(self, key: str) -> str:
        """Return the number of an entry in the list; empty if it is not in the list."""
        return self._numbers_by_key.get(key, "")


_ET_AL_AUTHORS = 3
"""The smallest number of authors that "et al." abbreviates."""


@dataclass(frozen=True)
class _IndexedEntry:
    """An entry, with the details that distinguish it from others of the same first author and year."""

    key: str
    suffix: str
    """The letter after the year: the "a" of 2003a."""
    authors: int
    text: str
    """Without case and accents, to search for names."""


# "王明, 李华, 等." and "王明等." are abbreviated lists; "高等教育" is a word.
_ET_AL = re.compile(rf"\bet al\b|\band others\b|(?:[,，]\s?|[{CHINESE}])等(?:[,，.．（(\s]|$)", re.IGNORECASE)


def _author_count(entry: ReferenceEntry, reference: ParsedReference) -> int:
    """Return the number of authors of an entry, at least three if the list is abbreviated."""
    abbreviated = _ET_AL.search(f"{entry.label} {reference.text[:300]}")
    return max(_ET_AL_AUTHORS, len(reference.authors)) if abbreviated else len(reference.authors)


def _by_suffix(entries: Sequence[_IndexedEntry], suffix: str) -> list[_IndexedEntry]:
    """Return the entries that a year with this letter can mean; if no entry prints letters, by list order."""
    if not suffix:
        return list(entries)
    if any(indexed.suffix for indexed in entries):
        return [indexed for indexed in entries if indexed.suffix == suffix]
    return list(entries) if len(entries) == 1 else list(entries[ord(suffix) - ord("a") :][:1])


def _by_names(entries: Sequence[_IndexedEntry], cited: str) -> list[_IndexedEntry]:
    """Return the entries with the names and the number of authors of a citation; all of them if there is none."""
    words = [word for word in re.findall(r"[^\W\d_]{2,}", cited) if word not in NAME_JOINERS and not is_particle(word)]
    named = [indexed for indexed in entries if all(_folded(word) in indexed.text for word in words)] or entries
    several = re.search(r"\bet al\b", cited) is not None
    people = len(re.split(r"\s*(?:,\s*(?:and\b|&)|,|\band\b|&)\s*", cited.strip(" ,")))
    fitting = [
        indexed for indexed in named if (indexed.authors >= _ET_AL_AUTHORS if several else indexed.authors == people)
    ]
    return list(fitting or named)


def parsed_entry(entry: ReferenceEntry, key: str = "") -> ParsedReference:
    """Return an entry with its title, authors, year and ids."""
    parts = parse_reference(entry.text)
    in_label = re.search(rf"\b({YEAR})[a-z]?\b", entry.label)
    year = parts.year or (int(in_label[1]) if in_label else None)
    title, authors = parts.title, tuple(parts.authors)
    # Chinese has no lower case, so the test for names does not work there.
    if len(entry.blocks) > 2 and _names_only(entry.blocks[0]) and not CHINESE_CHARACTER.search(entry.blocks[0]):
        second = entry.blocks[1].strip(" .,")
        title = second if re.search(r"\w{2}", second) and not second.startswith("In ") else title
        authors = authors or tuple(_split_names(entry.blocks[0]))
    title = re.sub(rf",\s*{YEAR}[a-z]?$", "", split_date(title).title)
    return ParsedReference(key, entry.text, title, authors, year, parts.ids | entry.ids)


def _names_only(block: str) -> bool:
    """Return whether a block is a list of names: almost no word in it is in lower case."""
    words = re.findall(r"[^\W\d_]{2,}", block[:600])
    small = sum(word[0].islower() and word not in NAME_JOINERS and not is_particle(word) for word in words)
    return bool(words) and small * 5 <= len(words)


def _split_names(block: str) -> list[str]:
    names = re.split(r"\s*[,;]\s+(?:and\s+)?|\s+(?:and|&)\s+", block[:3_000].rstrip(" ."))
    return [name for name in names if name and not re.fullmatch(r"et al\.?|others", name)]


def first_author(label: str) -> str:
    """Return the first author in a label such as "Lind et al. (2018)" or "Lind and Wu [2019]"."""
    return re.split(rf"\bet al\b|\band\b|&|[,(\[]|(?<=[{CHINESE}]{{2}})等", to_half_width(label))[0]


def _family(name: str) -> str:
    """Return the last part of a family name without accents, to compare names by."""
    name = join_spaced_name(name)
    name = family_name(name) or name  # "Lind" of "Lind KA"
    words = [word for word in re.findall(r"[^\W\d_]+", _folded(name)) if len(word) > 1]
    return words[-1] if words else ""


def _folded(text: str) -> str:
    return without_accents(unicodedata.normalize("NFKC", text)).casefold()
