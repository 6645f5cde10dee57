"""Reads TEI as GROBID writes it from PDFs: header, divisions, citations, figures, the list of references."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from datetime import date

from fathom.corpus.readers.parsed_document import (
    Block,
    CitationMark,
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
from fathom.corpus.readers.parsing.reference_strings import ReferenceFields, bare_doi, parse_reference
from fathom.corpus.readers.parsing.xml_trees import Element, parse_xml

FORMAT = "tei"

_ID = "{http://www.w3.org/XML/1998/namespace}id"
_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"


def matches(name: str, head: bytes) -> bool:
    """Whether a file is TEI: by its name, or by the element it begins with."""
    return (
        name.lower().endswith((".tei.xml", ".tei")) or re.search(rb"<(?:\w+:)?(?:TEI|teiCorpus)[\s>]", head) is not None
    )


def read(content: bytes, name: str, companions: CompanionFiles) -> Iterator[ParsedDocument]:
    """The documents of a TEI file: one, or several in a corpus."""
    root: Element = parse_xml(content)
    documents = [root] if _tag(root) == "TEI" else list(root.iter("{*}TEI"))
    if not documents:
        raise ReadError(f"it is no TEI: its outermost element is {_tag(root) or 'unnamed'!r}")
    for number, document in enumerate(documents):
        source = name if len(documents) == 1 else f"{name}#{number + 1}"
        yield _document(document, source)


def _document(document: Element, source: str) -> ParsedDocument:
    header = document.find("{*}teiHeader")
    text = document.find("{*}text")
    found = ParsedDocument(source=source)
    if header is not None:
        _read_header(header, found)
    if text is not None:
        found.language = _two_letters(text.get(_LANGUAGE)) or found.language
        body = text.find("{*}body")
        found.body = list(_blocks(body)) if body is not None else []
        back = text.find("{*}back")
        if back is not None:
            found.body.extend(_back_blocks(back))
        found.references = [
            _reference(entry, number) for number, entry in enumerate(text.iterfind(".//{*}listBibl/{*}biblStruct"))
        ]
    return found


# The header.


def _read_header(header: Element, found: ParsedDocument) -> None:
    found.title = _first_text(header, "{*}fileDesc/{*}titleStmt/{*}title")
    source = header.find("{*}fileDesc/{*}sourceDesc/{*}biblStruct")
    if source is not None:
        found.authors = list(_authors(source))
        found.ids = _ids(source)
        found.published, found.year = _dated(source)
        found.venue = _first_text(source, "{*}monogr/{*}title") or None
        found.title = found.title or _first_text(source, "{*}analytic/{*}title")
    license = header.find("{*}fileDesc/{*}publicationStmt/{*}availability/{*}licence")
    if license is not None:
        found.license = license.get("target") or _text(license)
    found.published, found.year = (
        (found.published, found.year) if found.year else _dated(header.find("{*}fileDesc/{*}publicationStmt"))
    )
    found.language = _two_letters(header.get(_LANGUAGE)) or found.language
    profile = header.find("{*}profileDesc")
    if profile is not None:
        terms = profile.iterfind("{*}textClass/{*}keywords//{*}term")
        found.subjects = [words for words in map(_text, terms) if words]
        abstract = profile.find("{*}abstract")
        found.abstract = (
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
            yield ParsedAuthor(given if family else "", family or given, ids=ids, affiliations=places)
        elif (group := author.find("{*}orgName")) is not None and _text(group):
            # A group signs as an author; the bodies that GROBID could tie to nobody stand inside an affiliation.
            yield ParsedAuthor(given="", family=_text(group), group=True)


def _affiliation(element: Element) -> str:
    """A body, what it is part of, its town and its country, told apart by commas."""
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
        if kind == "doi" and bare_doi(value):
            ids.setdefault("doi", bare_doi(value))
        elif kind == "arxiv" and (known := re.search(r"\d{4}\.\d{4,5}|[a-z][a-z.-]*/\d{7}", value, re.IGNORECASE)):
            ids.setdefault("arxiv", known[0])
        elif kind in ("pmid", "pmcid") and value:
            ids.setdefault(kind, value)
    return ids


def _dated(element: Element | None) -> tuple[date | None, int | None]:
    """The day and the year of publication; no day where only a year or a month is given."""
    entries = [] if element is None else list(element.iter("{*}date"))
    for entry in sorted(entries, key=lambda one: one.get("type") != "published"):
        written = entry.get("when") or _text(entry)
        if year := re.search(r"\b(1[5-9]\d\d|20\d\d)\b", written):
            try:
                return date.fromisoformat(written), int(year[1])
            except ValueError:
                return None, int(year[1])
    return None, None


def _two_letters(language: str | None) -> str:
    code = (language or "").partition("-")[0].lower()
    return code if re.fullmatch(r"[a-z]{2}", code) else ""


# Divisions.

_PASSED_OVER = frozenset({"listBibl", "teiHeader", "graphic", "label"})


def _back_blocks(back: Element) -> Iterator[Block]:
    for division in back.iterfind("{*}div"):
        if division.get("type") != "references":
            yield from _blocks(division)


def _blocks(top: Element) -> Iterator[Block]:
    """What stands in a division, in order, walked without recursion."""
    numbered = any(_depth(head.get("n")) for head in top.iter("{*}head"))
    level = 2
    waiting: list[tuple[Element, int]] = [(top, 1)]
    while waiting:
        element, depth = waiting.pop()
        match _tag(element):
            case "head":
                level = _level(element, depth, numbered, level)
                words = _words(element)
                number = (element.get("n") or "").strip()
                yield Heading(level, [f"{number} ", *words] if number else words)
            case "p" | "item" | "note" | "formula" | "quote" | "ab" | "l":
                yield Paragraph(_words(element))
            case "figure":
                yield from _figure(element)
            case tag if tag not in _PASSED_OVER:
                if (element.text or "").strip():
                    yield Paragraph([element.text])
                deeper = depth + (tag == "div" and element.find("{*}head") is not None)
                waiting.extend((child, deeper) for child in reversed(element))
            case _:
                continue


def _level(head: Element, depth: int, numbered: bool, last: int) -> int:
    """Told by the printed number; a head without one, among heads with, belongs to the section it stands in."""
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
    """How many numbers a heading's number has: 2 for "3.1."; 0 for none."""
    parts = [part for part in re.split(r"\.", (number or "").strip()) if part.strip()]
    return len(parts) if parts and re.fullmatch(r"[\dIVXA-Z]{1,4}", parts[0]) else 0


def _figure(figure: Element) -> Iterator[Block]:
    caption: Inlines = []
    for part in figure:
        if _tag(part) in ("head", "figDesc"):
            caption += [*_words(part), " "]
    rows = [
        [
            TableCell(
                _words(cell), header=row.get("role") == "label" or cell.get("role") == "label", columns=_columns(cell)
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


def _words(element: Element, citations: bool = True) -> Inlines:
    """The text of an element with its citations, walked without recursion."""
    words: Inlines = [element.text or ""]
    waiting: list[Element | str] = _reversed_inside(element)
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            words.append(one)
        elif citations and _tag(one) == "ref" and one.get("type") == "bibr":
            words.extend(marked(_text(one, tidy=False), _targets(one.get("target"))))
        elif _tag(one) == "lb":
            words.append(" ")
        elif _tag(one):
            waiting.extend([*_reversed_inside(one), one.text or ""])
        else:
            words.append(html.unescape(one.text or ""))
    return words


def _reversed_inside(element: Element) -> list[Element | str]:
    inside: list[Element | str] = []
    for child in reversed(element):
        inside += [child.tail or "", child]
    return inside


def _targets(target: str | None) -> tuple[str, ...]:
    return tuple(one.removeprefix("#") for one in (target or "").split())


def marked(text: str, keys: tuple[str, ...]) -> Inlines:
    """A citation with the brackets that stand around it, or at one end of it, set outside."""
    start = len(text) - len(text.lstrip(" \t\r\n([{"))
    end = max(start, len(text.rstrip(" \t\r\n)]};,")))
    before, core, after = text[:start], text[start:end], text[end:]
    if not core:
        return [text]
    # "Wu et al. (2014)": the bracket that closes at the end opened inside.
    if after[:1] == ")" and core.count("(") > core.count(")"):
        core, after = core + ")", after[1:]
    if before[-1:] == "(" and core.count(")") > core.count("("):
        core, before = "(" + core, before[:-1]
    return [before, CitationMark(core, keys), after]


def _text(element: Element, tidy: bool = True) -> str:
    text = "".join(piece for piece in _words(element, citations=False) if isinstance(piece, str))
    return " ".join(text.split()) if tidy else text


def _first_text(element: Element, path: str) -> str:
    """The first text that is not blank among the elements on a path."""
    return next((text for text in map(_text, element.iterfind(path)) if text), "")


def _tag(element: Element) -> str:
    """An element's name without its namespace; empty for an entity that was left unresolved."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


# References.


def _reference(entry: Element, number: int) -> ParsedReference:
    key = entry.get(_ID) or f"b{number}"
    title = _first_text(entry, "{*}analytic/{*}title") or _first_text(entry, "{*}monogr/{*}title")
    authors = [" ".join(filter(None, _name(author))) for author in entry.iter("{*}author")]
    authors = [author for author in authors if author]
    _, year = _dated(entry)
    ids = _ids(entry)
    raw = next((_text(note) for note in entry.iterfind("{*}note[@type='raw_reference']")), "")
    venue = _first_text(entry, "{*}monogr/{*}title")
    scopes = [_scope(scope) for scope in entry.iter("{*}biblScope")]
    return reference_entry(key, raw, title, authors, year, [venue if venue != title else "", *scopes], ids)


def _scope(scope: Element) -> str:
    start, end = scope.get("from"), scope.get("to")
    return f"{start}-{end}" if start and end else (start or _text(scope))


def reference_entry(
    key: str, raw: str, title: str, authors: list[str], year: int | None, rest: list[str], ids: dict[str, str]
) -> ParsedReference:
    """A reference as it was printed where that is known, else laid out from its fields; the parts lie in its text."""
    if not raw:
        parts = [", ".join(authors), str(year or ""), title, ", ".join(filter(None, rest))]
        parts += [f"doi:{ids['doi']}" if ids.get("doi") else ""]
        text = ". ".join(part.rstrip(".") for part in parts if part)
        return ParsedReference(key, text, title.rstrip("."), tuple(author.rstrip(".") for author in authors), year, ids)
    text = joined_lines(raw, [title, *authors])
    parsed = parse_reference(text)
    return ParsedReference(
        key=key,
        text=text,
        title=_agreed_title(text, title, parsed),
        authors=parsed.authors or tuple(authors),
        year=year or parsed.year,
        ids=parsed.ids | ids,
    )


def _agreed_title(text: str, title: str, parsed: ReferenceFields) -> str:
    """The title as the entry prints it: what a model told, unless our rules say that it took too much or the venue."""
    at = text.lower().find(title.lower()) if title else -1
    # Lower case can be longer than upper case ("İ"), and then the place is another.
    if at < 0 or text[at : at + len(title)].lower() != title.lower():
        return parsed.title or title
    # GROBID gave "TabEL: entity linking in web tables. In ISWC", and the journal's name for "Medical Subject Headings".
    if parsed.title and (parsed.title.lower() in title.lower() or text.find(parsed.title) + len(parsed.title) <= at):
        return parsed.title
    return text[at : at + len(title)]


_BROKEN = re.compile(r"\b(\w{1,40})- (\w{1,40})")


def joined_lines(raw: str, known: list[str]) -> str:
    """A printed reference with words that a line's end broke put together, as the known words spell them."""
    words = {word for text in known for word in re.findall(r"\w+(?:-\w+)*", text.lower())}

    def join(found: re.Match[str]) -> str:
        first, second = found.groups()
        if f"{first}{second}".lower() in words:
            return first + second
        if f"{first}-{second}".lower() in words or second[0].isupper() or second in ("and", "or"):
            return found[0] if second in ("and", "or") else f"{first}-{second}"
        return first + second

    return _BROKEN.sub(join, " ".join(raw.split()))
