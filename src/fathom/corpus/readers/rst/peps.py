"""Python Enhancement Proposals: header, license, and references to other PEPs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date

from fathom.corpus.readers.bibtex.parser import parse_author
from fathom.corpus.readers.parsed_document import ParsedAuthor, ParsedDocument
from fathom.corpus.readers.parsing.text_cleanup import parse_date

_HEADER = re.compile(r"([A-Za-z][A-Za-z-]{1,30}): *(.*)$")
_PEP_MENTION = re.compile(
    r":pep:`(?:[^`<]{0,200}<)?0*(\d{1,5})|\bPEP[\s-]{1,20}0*(\d{1,5})|pep-0*(\d{1,4})\b", re.IGNORECASE
)
PEP_FOOTNOTE = re.compile(
    r"PEP 0*(\d{1,5})(?: *(?:--|—|–|[-:,]) *\"?([^(\"]{3,200}?)\"?)?(?:[\s.,]*\(?https?://\S*)?[\s.]*$"
)
"""A footnote that consists of the number of a PEP, and its title if given."""


def parse_pep_header(lines: Sequence[str], document: ParsedDocument) -> tuple[str, int]:
    """Copy the header of a PEP to a document; return its number, empty if there is none, and the first line of text."""
    if not re.match(r"PEP: *\d{1,6}$", lines[0] if lines else ""):
        return "", 0
    end = next((position for position, line in enumerate(lines) if not line), len(lines))
    headers = _headers(lines[:end])
    number = str(int(headers["pep"]))
    document.title = headers.get("title", "")
    document.ids["pep"] = number
    document.venue = "Python Enhancement Proposals"
    document.authors = _authors(headers.get("author", ""))
    document.published = _date(headers.get("created", ""))
    document.subjects = [headers[name] for name in ("topic", "type") if headers.get(name)]
    if headers.get("status"):
        document.notes["status"] = headers["status"]
    return number, end


def _headers(lines: Sequence[str]) -> dict[str, str]:
    """Return the header fields by lowercase name, with continuation lines joined."""
    headers: dict[str, str] = {}
    last = ""
    for line in lines:
        match = _HEADER.match(line)
        if match:
            last = match[1].lower()
            headers[last] = match[2]
        elif line[:1] == " " and last:
            headers[last] += " " + line.strip()
    return headers


def find_pep_keys(text: str, own: str, pep_footnotes: Mapping[str, str]) -> dict[str, str]:
    """Return the reference key of each PEP mentioned in the text of PEP `own`, by number."""
    keys: dict[str, str] = {}
    for match in _PEP_MENTION.finditer(text):
        number = str(int(match[1] or match[2] or match[3]))
        if number not in (own, "0"):
            # A footnote that refers to that PEP is its reference.
            keys.setdefault(number, pep_footnotes.get(number, f"pep-{number}"))
    return keys


def _authors(text: str) -> list[ParsedAuthor]:
    """Return the authors in "Ada Lind <ada@x.org>" or, in old PEPs, "ada@x.org (Ada Lind)"."""
    names: list[str] = []
    for part in re.split(r",(?![^<]*>)(?!\s*(?:Jr|Sr|III)\b)", text):
        name = re.sub(r"<[^<>]*>", "", part)
        in_parentheses = re.search(r"\S+@\S+\s*\(([^()]*)\)", name)
        name = in_parentheses[1] if in_parentheses else re.sub(r"\S+@\S+", "", name)
        if name.strip():
            names.append(" ".join(name.split()))
    return [parse_author(name) for name in names]


def _date(text: str) -> date | None:
    match = re.match(r"\d{1,2}-[A-Za-z]{3}-\d{4}", text.strip())
    return parse_date(match[0], "%d-%b-%Y") if match else None


def find_license(text: str) -> str:
    """Return the license stated at the end of a text; empty if there is none."""
    tail = " ".join(text[-3_000:].split())
    if re.search(r"CC0", tail):
        return "CC0-1.0"
    return "public domain" if re.search(r"(?i)placed (?:in|into) the public domain", tail) else ""
