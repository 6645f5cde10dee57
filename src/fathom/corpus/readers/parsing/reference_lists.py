"""The entries of a list of references by all the names that citations call them."""

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
from fathom.records.names import CHINESE, is_particle


@dataclass(frozen=True)
class ReferenceEntry:
    """An entry of a reference list as read."""

    text: str
    label: str = ""
    """What stands before it: "12", "Lind et al. (2018)"."""
    anchors: tuple[str, ...] = ()
    blocks: tuple[str, ...] = ()
    """The parts it is set in, where the source keeps them apart: usually the authors, the title and the rest."""
    ids: dict[str, str] = field(default_factory=dict)


YEAR = r"(?:1[6-9]\d\d|20\d\d)"
NAME_JOINERS = frozenset(("and", "&", "et", "al", "al."))
"""What stands between the names of a citation."""
_SERIAL = re.compile(r"(?:bib(?:[-._]bib)?x?|ref|reference|cite?|cr|b|r)[-._:]?(\d{1,4})", re.IGNORECASE)
_KEY_YEAR = re.compile(rf"([^\W\d_]{{2,40}}).{{0,40}}?({YEAR})([a-z]?)(?![a-z]{{3}}\d)", re.IGNORECASE)


class ReferenceIndex:
    """The entries of a list by all the names that citations call them."""

    def __init__(self, entries: Sequence[ReferenceEntry]) -> None:
        self.references: list[ParsedReference] = []
        self.numbers: dict[str, str] = {}
        self._numbered: dict[str, str] = {}
        self._anchors: dict[str, str] = {}
        self._people: dict[tuple[str, str], list[_Work]] = defaultdict(list)
        for entry in entries:
            if entry.text.strip():
                self._add(entry)

    def _add(self, entry: ReferenceEntry) -> None:
        reference = _parsed(entry, entry.anchors[0] if entry.anchors else f"bib{len(self.references) + 1}")
        self.references.append(reference)
        key = reference.key
        for anchor in entry.anchors:
            self._anchors.setdefault(anchor, key)
        number = re.fullmatch(r"\W{0,2}(\d{1,4})\W{0,2}", entry.label)
        shown = number[1] if number else str(len(self.references))
        self.numbers.setdefault(shown, key)
        self._numbered.setdefault(key, shown)
        suffix = re.search(rf"{reference.year}([a-z])\b", f"{entry.label} {entry.text}") if reference.year else None
        names = {_family(name) for name in reference.authors[:1]} | {_family(first_author(entry.label))}
        for name in filter(None, names):
            work = _Work(key, suffix[1] if suffix else "", _authors_of(entry, reference), _folded(reference.text))
            if work not in self._people[name, str(reference.year or "")]:
                self._people[name, str(reference.year or "")].append(work)

    def by_anchor(self, target: str) -> str | None:
        """The key of the entry that a link's target names; None where the link is no citation at all."""
        if "#" not in target:
            return None
        name = unquote(target.rpartition("#")[2]).replace("\\", "").strip()
        if name in self._anchors:
            return self._anchors[name]
        serial = _SERIAL.fullmatch(name)
        # Where entries have such names themselves, "bib3" of three that are left is not the third of them.
        numbered = any(map(_SERIAL.fullmatch, self._anchors))
        if serial and not numbered and (not self._anchors or name.lower().startswith("bib")):
            place = int(serial[1])
            if 1 <= place <= len(self.references):
                return self.references[place - 1].key
        if name.lower().startswith(("bib.", "bib-", "bibr", "bib_", "ref-", "cite.", "cite-")):
            key = _KEY_YEAR.search(name.partition(".")[2] or name)
            return (key and self.by_author_year(key[1], key[2], "")) or f"?{name}"
        return None

    def by_author_year(self, name: str, year: str, suffix: str, cited: str = "") -> str | None:
        """The key of the entry by its first author's name and its year; None where none or several fit.

        `cited`: all names as printed; they tell entries of one author and one year apart.
        """
        works = _of_letter(self._people.get((_family(name), year), []), suffix)
        if len(works) > 1 and cited:
            works = _by_names(works, cited)
        return works[0].key if len(works) == 1 else None

    def has_author_year(self, name: str, year: str) -> bool:
        """Whether any entry is by that first author in that year."""
        return (_family(name), year) in self._people

    def in_range(self, first: str, last: str) -> tuple[str, ...]:
        """The keys of the entries from one number to another, as a range of numbers means them."""
        if first not in self.numbers or last not in self.numbers or not 0 < int(last) - int(first) < 100:
            return ()
        keys = [self.numbers.get(str(number)) for number in range(int(first), int(last) + 1)]
        return tuple(key for key in keys if key) if all(keys) else ()

    def number_of(self, key: str) -> str:
        """The number an entry has in the list; empty for one that is not in it."""
        return self._numbered.get(key, "")


_MANY = 3
"""As many authors as "et al." stands for, or more."""


@dataclass(frozen=True)
class _Work:
    """An entry, with what tells it from others of the same first author and year."""

    key: str
    letter: str
    """Behind the year: the "a" of 2003a."""
    authors: int
    text: str
    """Folded, to look for names in."""


# "王明, 李华, 等." and "王明等." are lists that are cut short; "高等教育" is a word.
_CUT_SHORT = re.compile(rf"\bet al\b|\band others\b|(?:[,，]\s?|[{CHINESE}])等(?:[,，.．（(\s]|$)", re.IGNORECASE)


def _authors_of(entry: ReferenceEntry, reference: ParsedReference) -> int:
    """How many authors an entry has; a list that is cut short has many."""
    cut_short = _CUT_SHORT.search(f"{entry.label} {reference.text[:300]}")
    return max(_MANY, len(reference.authors)) if cut_short else len(reference.authors)


def _of_letter(works: Sequence[_Work], letter: str) -> list[_Work]:
    """The works that a year with this letter can mean; where no entry prints letters, they count in list order."""
    if not letter:
        return list(works)
    if any(work.letter for work in works):
        return [work for work in works if work.letter == letter]
    return list(works) if len(works) == 1 else list(works[ord(letter) - ord("a") :][:1])


def _by_names(works: Sequence[_Work], cited: str) -> list[_Work]:
    """The works whose names and number of authors are those of a citation; all of them where none is."""
    words = [word for word in re.findall(r"[^\W\d_]{2,}", cited) if word not in NAME_JOINERS and not is_particle(word)]
    named = [work for work in works if all(_folded(word) in work.text for word in words)] or works
    several = re.search(r"\bet al\b", cited) is not None
    people = len(re.split(r"\s*(?:,\s*(?:and\b|&)|,|\band\b|&)\s*", cited.strip(" ,")))
    fitting = [work for work in named if (work.authors >= _MANY if several else work.authors == people)]
    return list(fitting or named)


def _parsed(entry: ReferenceEntry, key: str) -> ParsedReference:
    parts = parse_reference(entry.text)
    in_label = re.search(rf"\b({YEAR})[a-z]?\b", entry.label)
    year = parts.year or (int(in_label[1]) if in_label else None)
    title, authors = parts.title, tuple(parts.authors)
    # Nothing in Chinese is in lower case, so that nothing tells a list of names there.
    if len(entry.blocks) > 2 and _names_only(entry.blocks[0]) and not CHINESE_CHARACTER.search(entry.blocks[0]):
        second = entry.blocks[1].strip(" .,")
        title = second if re.search(r"\w{2}", second) and not second.startswith("In ") else title
        authors = authors or tuple(_listed_names(entry.blocks[0]))
    title = re.sub(rf",\s*{YEAR}[a-z]?$", "", title)
    return ParsedReference(key, entry.text, title, authors, year, parts.ids | entry.ids)


def _names_only(block: str) -> bool:
    """Whether a block is a list of names: almost no word in it is in lower case."""
    words = re.findall(r"[^\W\d_]{2,}", block[:600])
    small = sum(word[0].islower() and word not in NAME_JOINERS and not is_particle(word) for word in words)
    return bool(words) and small * 5 <= len(words)


def _listed_names(block: str) -> list[str]:
    names = re.split(r"\s*[,;]\s+(?:and\s+)?|\s+(?:and|&)\s+", block[:3_000].rstrip(" ."))
    return [name for name in names if name and not re.fullmatch(r"et al\.?|others", name)]


def first_author(label: str) -> str:
    """The first author in a label such as "Lind et al. (2018)" or "Lind and Wu [2019]"."""
    return re.split(rf"\bet al\b|\band\b|&|[,(\[]|(?<=[{CHINESE}]{{2}})等", to_half_width(label))[0]


def _family(name: str) -> str:
    """A name to compare by: its family name's last part, without accents."""
    name = name.split(",", maxsplit=1)[0] if "," in name else name
    words = [word for word in re.findall(r"[^\W\d_]+", _folded(join_spaced_name(name))) if len(word) > 1]
    return words[-1] if words else ""


def _folded(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text.replace("ø", "o").replace("ł", "l").replace("ß", "ss"))
    return "".join(sign for sign in decomposed if not unicodedata.combining(sign)).casefold()
