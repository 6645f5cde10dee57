"""Python Enhancement Proposals: their header, their license, and how they name one another."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime

from fathom.corpus.readers.bibtex.names import parse_author
from fathom.corpus.readers.parsed_document import ParsedAuthor, ParsedDocument

_HEADERS = re.compile(r"([A-Za-z][A-Za-z-]{1,30}): *(.*)$")
_NAMED = re.compile(r":pep:`(?:[^`<]{0,200}<)?0*(\d{1,5})|\bPEP[\s-]{1,20}0*(\d{1,5})|pep-0*(\d{1,4})\b", re.IGNORECASE)
PEP_NOTE = re.compile(
    r"PEP 0*(\d{1,5})(?: *(?:--|—|–|[-:,]) *\"?([^(\"]{3,200}?)\"?)?(?:[\s.,]*\(?https?://\S*)?[\s.]*$"
)
"""A footnote that is nothing but the entry of a PEP: its number, and its title where it is told."""


def read_header(lines: Sequence[str], found: ParsedDocument) -> tuple[str, int]:
    """Take over what the header of a PEP says; returns its number, empty for no PEP, and where the text begins."""
    if not re.match(r"PEP: *\d{1,6}$", lines[0] if lines else ""):
        return "", 0
    end = next((place for place, line in enumerate(lines) if not line), len(lines))
    headers = _headers(lines[:end])
    number = str(int(headers["pep"]))
    found.title = headers.get("title", "")
    found.ids["pep"] = number
    found.venue = "Python Enhancement Proposals"
    found.authors = _authors(headers.get("author", ""))
    found.published = _date(headers.get("created", ""))
    found.year = found.published.year if found.published else None
    found.subjects = [headers[name] for name in ("topic", "type") if headers.get(name)]
    if headers.get("status"):
        found.uncertain["status"] = headers["status"]
    return number, end


def _headers(lines: Sequence[str]) -> dict[str, str]:
    headers: dict[str, str] = {}
    last = ""
    for line in lines:
        match = _HEADERS.match(line)
        if match:
            last = match[1].lower()
            headers[last] = match[2]
        elif line[:1] == " " and last:
            headers[last] += " " + line.strip()
    return headers


def named_in(text: str, own: str, noted: Mapping[str, str]) -> dict[str, str]:
    """The key of every other PEP that a PEP names, by its number; `noted`: the keys of those that have a footnote."""
    keys: dict[str, str] = {}
    for match in _NAMED.finditer(text):
        number = str(int(match[1] or match[2] or match[3]))
        if number not in (own, "0"):
            # A footnote that is the entry of that PEP serves both: no second one for it.
            keys.setdefault(number, noted.get(number, f"pep-{number}"))
    return keys


def _authors(text: str) -> list[ParsedAuthor]:
    """The names before the addresses; an old form has the name in parentheses behind."""
    names: list[str] = []
    for part in re.split(r",(?![^<]*>)(?!\s*(?:Jr|Sr|III)\b)", text):
        name = re.sub(r"<[^<>]*>", "", part)
        behind = re.search(r"\S+@\S+\s*\(([^()]*)\)", name)
        name = behind[1] if behind else re.sub(r"\S+@\S+", "", name)
        if name.strip():
            names.append(" ".join(name.split()))
    return [parse_author(name) for name in names]


def _date(text: str) -> date | None:
    match = re.match(r"\d{1,2}-[A-Za-z]{3}-\d{4}", text.strip())
    try:
        return datetime.strptime(match[0], "%d-%b-%Y").date() if match else None
    except ValueError:
        return None


def license_of(text: str) -> str:
    """The license that the end of a text tells."""
    tail = " ".join(text[-3_000:].split())
    if re.search(r"CC0", tail):
        return "CC0-1.0"
    return "public domain" if re.search(r"(?i)placed (?:in|into) the public domain", tail) else ""
