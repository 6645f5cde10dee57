"""TEI reader: GROBID's XML, with its header, divisions, citations, figures and reference list."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date

from fathom.corpus.readers.parsed_document import (
    Block,
    CompanionFiles,
    Heading,
    Inlines,
    Paragraph,
    ParsedAuthor,
    ParsedDocument,
    ParsedReference,
    ParsedTable,
    ReadError,
    TableCell,
)
from fathom.corpus.readers.parsing.bylines import author_from_parts
from fathom.corpus.readers.parsing.grobid_fields import build_reference, split_brackets
from fathom.corpus.readers.parsing.identifiers import find_doi
from fathom.corpus.readers.parsing.text_cleanup import language_code
from fathom.corpus.readers.parsing.xml_trees import Element, local, parse_xml

FORMAT = "tei"

_ID = "{http://www.w3.org/XML/1998/namespace}id"
_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"


def matches(name: str, head: bytes) -> bool:
    """Return whether a file is TEI, by its name or its root element."""
    return (
        name.lower().endswith((".tei.xml", ".tei")) or re.search(rb"<(?:\w+:)?(?:TEI|teiCorpus)[\s>]", head) is not None
    )


def read(content: bytes, name: str, companions: CompanionFiles) -> Iterator[ParsedDocument]:
    """Yield the documents of a TEI file: one, or several in a teiCorpus."""
    root: Element = parse_xml(content)
    documents = [root] if local(root) == "TEI" else list(root.iter("{*}TEI"))
    if not documents:
        raise ReadError(f"it is not TEI: its root element is {local(root) or 'unnamed'!r}")
    for number, element in enumerate(documents):
        source = name if len(documents) == 1 else f"{name}#{number + 1}"
        yield _document(element, source)


def _document(element: Element, source: str) -> ParsedDocument:
    header = element.find("{*}teiHeader")
    text = element.find("{*}text")
    document = ParsedDocument(source=source)
    if header is not None:
        _read_header(header, document)
    if text is not None:
        document.language = language_code(text.get(_LANGUAGE)) or document.language
        body = text.find("{*}body")
        document.body = list(_blocks(body)) if body is not None else []
        back = text.find("{*}back")
        if back is not None:
            document.body.extend(_back_blocks(back))
        document.references = [
            _reference(entry, number) for number, entry in enumerate(text.iterfind(".//{*}listBibl/{*}biblStruct"))
        ]
    return document


# The header.


def _read_header(header: Element, document: ParsedDocument) -> None:
    document.title = _first_text(header, "{*}fileDesc/{*}titleStmt/{*}title")
    source = header.find("{*}fileDesc/{*}sourceDesc/{*}biblStruct")
    if source is not None:
        document.authors = list(_authors(source))
        document.ids = _ids(source)
        document.published, document.year = _publication_date(source)
        document.venue = _first_text(source, "{*}monogr/{*}title") or None
        document.title = document.title or _first_text(source, "{*}analytic/{*}title")
    license = header.find("{*}fileDesc/{*}publicationStmt/{*}availability/{*}licence")
    if license is not None:
        document.license = license.get("target") or _text(license)
    if not document.year:
        document.published, document.year = _publication_date(header.find("{*}fileDesc/{*}publicationStmt"))
    document.language = language_code(header.get(_LANGUAGE)) or document.language
    profile = header.find("{*}profileDesc")
    if profile is not None:
        terms = profile.iterfind("{*}textClass/{*}keywords//{*}term")
        document.subjects = list(filter(None, map(_text, terms)))
        abstract = profile.find("{*}abstract")
        document.abstract = (
            [block for block in _blocks(abstract) if isinstance(block, Paragraph)] if abstract is not None else []
        )


def _authors(source: Element) -> Iterator[ParsedAuthor]:
    path = "{*}analytic/{*}author" if source.find("{*}analytic/{*}author") is not None else "{*}monogr/{*}author"
    for author in source.iterfind(path):
        given, family = _name(author)
        orcid = author.find(".//{*}idno[@type='ORCID']")
        ids = {"orcid": _text(orcid).rpartition("/")[2]} if orcid is not None and _text(orcid) else {}
        if family or given:
            places = tuple(filter(None, map(_affiliation, author.iterfind("{*}affiliation"))))
            yield replace(author_from_parts(given, family), ids=ids, affiliations=places)
        elif (group := author.find("{*}orgName")) is not None and _text(group):
            # A group author. Organizations without an author are inside an affiliation.
            yield ParsedAuthor(given="", family=_text(group), group=True)


def _affiliation(element: Element) -> str:
    """Return the organizations, city and country of an affiliation, separated by commas."""
    parts = [
        *element.iterfind("{*}orgName"),
        *element.iterfind("{*}address/{*}settlement"),
        *element.iterfind("{*}address/{*}country"),
    ]
    return ", ".join(filter(None, map(_text, parts)))


def _name(author: Element) -> tuple[str, str]:
    person = author.find("{*}persName")
    if person is None:
        return "", ""
    given = " ".join(_text(part) for part in person.iterfind("{*}forename"))
    family = " ".join(_text(part) for part in person.iterfind("{*}surname"))
    if not given and not family:
        family = _text(person)
    suffix = _first_text(person, "{*}genName")
    return given.strip(), f"{family} {suffix}".strip()


def _ids(source: Element) -> dict[str, str]:
    ids: dict[str, str] = {}
    for entry in source.iter("{*}idno"):
        kind, value = (entry.get("type") or "").lower(), _text(entry)
        if kind == "doi" and (doi := find_doi(value, tagged=True)):
            ids.setdefault("doi", doi)
        elif kind == "arxiv" and (known := re.search(r"\d{4}\.\d{4,5}|[a-z][a-z.-]*/\d{7}", value, re.IGNORECASE)):
            ids.setdefault("arxiv", known[0])
        elif kind in ("pmid", "pmcid") and value:
            ids.setdefault(kind, value)
    return ids


def _publication_date(element: Element | None) -> tuple[date | None, int | None]:
    """Return the day and year of publication; no day if only a year or month is given."""
    entries = [] if element is None else list(element.iter("{*}date"))
    for entry in sorted(entries, key=lambda node: node.get("type") != "published"):
        written = entry.get("when") or _text(entry)
        if year := re.search(r"\b(1[5-9]\d\d|20\d\d)\b", written):
            try:
                return date.fromisoformat(written), int(year[1])
            except ValueError:
                return None, int(year[1])
    return None, None


# Divisions.

_SKIPPED = frozenset({"listBibl", "teiHeader", "graphic", "label"})


def _back_blocks(back: Element) -> Iterator[Block]:
    for division in back.iterfind("{*}div"):
        if division.get("type") != "references":
            yield from _blocks(division)


def _blocks(top: Element) -> Iterator[Block]:
    """Yield the blocks of a division in order, without recursion."""
    numbered = any(_depth(head.get("n")) for head in top.iter("{*}head"))
    level = 2
    stack: list[tuple[Element, int]] = [(top, 1)]
    while stack:
        element, depth = stack.pop()
        match local(element):
            case "head":
                level = _level(element, depth, numbered, level)
                inlines = _inlines(element)
                number = (element.get("n") or "").strip()
                yield Heading(level, [f"{number} ", *inlines] if number else inlines)
            case "p" | "item" | "note" | "formula" | "quote" | "ab" | "l":
                yield Paragraph(_inlines(element))
            case "figure":
                yield from _figure(element)
            case tag if tag not in _SKIPPED:
                if (element.text or "").strip():
                    yield Paragraph([element.text])
                deeper = depth + (tag == "div" and element.find("{*}head") is not None)
                stack.extend((child, deeper) for child in reversed(element))
            case _:
                continue


def _level(head: Element, depth: int, numbered: bool, last: int) -> int:
    """Return the heading level from its number. An unnumbered one among numbered ones belongs to their section."""
    known = _depth(head.get("n"))
    if known:
        return 1 + known
    if numbered:
        return last if last > 2 and _depth(_previous_number(head)) == 0 else min(6, last + 1)
    return max(2, depth)


def _previous_number(head: Element) -> str | None:
    division = head.getparent()
    before = division.getprevious() if division is not None else None
    earlier = before.find("{*}head") if before is not None else None
    return earlier.get("n") if earlier is not None else None


def _depth(number: str | None) -> int:
    """Return the number of parts of a heading number: 2 for "3.1.", 0 for none."""
    parts = [part for part in re.split(r"\.", (number or "").strip()) if part.strip()]
    return len(parts) if parts and re.fullmatch(r"[\dIVXA-Z]{1,4}", parts[0]) else 0


def _figure(figure: Element) -> Iterator[Block]:
    caption: Inlines = []
    for part in figure:
        if local(part) in ("head", "figDesc"):
            caption += [*_inlines(part), " "]
    rows = [
        [
            TableCell(
                _inlines(cell), header=row.get("role") == "label" or cell.get("role") == "label", columns=_columns(cell)
            )
            for cell in row.iterfind("{*}cell")
        ]
        for row in figure.iterfind("{*}table/{*}row")
    ]
    if any(rows):
        yield ParsedTable(caption=caption, rows=rows)
    elif any(piece.strip() if isinstance(piece, str) else True for piece in caption):
        yield Paragraph(caption)


def _columns(cell: Element) -> int:
    columns = cell.get("cols") or "1"
    return min(100, int(columns)) if re.fullmatch(r"[1-9]\d{0,3}", columns) else 1


# Running text.


def _inlines(element: Element, citations: bool = True) -> Inlines:
    """Return the text of an element with its citations, without recursion."""
    inlines: Inlines = [element.text or ""]
    stack: list[Element | str] = _reversed_children(element)
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            inlines.append(node)
        elif citations and local(node) == "ref" and node.get("type") == "bibr":
            keys = tuple(target.removeprefix("#") for target in (node.get("target") or "").split())
            inlines.extend(split_brackets(_text(node, tidy=False), keys))
        elif local(node) == "lb":
            inlines.append(" ")
        elif local(node):
            stack.extend([*_reversed_children(node), node.text or ""])
        else:
            inlines.append(html.unescape(node.text or ""))
    return inlines


def _reversed_children(element: Element) -> list[Element | str]:
    children: list[Element | str] = []
    for child in reversed(element):
        children += [child.tail or "", child]
    return children


def _text(element: Element, tidy: bool = True) -> str:
    text = "".join(piece for piece in _inlines(element, citations=False) if isinstance(piece, str))
    return " ".join(text.split()) if tidy else text


def _first_text(element: Element, path: str) -> str:
    """Return the first non-empty text of the elements on a path."""
    return next((text for text in map(_text, element.iterfind(path)) if text), "")


# References.


def _reference(entry: Element, number: int) -> ParsedReference:
    key = entry.get(_ID) or f"b{number}"
    title = _first_text(entry, "{*}analytic/{*}title") or _first_text(entry, "{*}monogr/{*}title")
    authors = [name for author in entry.iter("{*}author") if (name := " ".join(filter(None, _name(author))))]
    _, year = _publication_date(entry)
    ids = _ids(entry)
    raw = next((_text(note) for note in entry.iterfind("{*}note[@type='raw_reference']")), "")
    venue = _first_text(entry, "{*}monogr/{*}title")
    scopes = [_scope_text(scope) for scope in entry.iter("{*}biblScope")]
    return build_reference(key, raw, title, authors, year, [venue if venue != title else "", *scopes], ids)


def _scope_text(scope: Element) -> str:
    start, end = scope.get("from"), scope.get("to")
    return f"{start}-{end}" if start and end else (start or _text(scope))
