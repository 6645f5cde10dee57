"""The entries of a list of references in JATS: as printed, and taken apart."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import unquote

from fathom.corpus.readers.jats.citations import printed, raw
from fathom.corpus.readers.jats.xml_parsing import HREF, Element
from fathom.corpus.readers.parsed_document import Inlines, ParsedReference

CITATIONS = ("element-citation", "mixed-citation", "nlm-citation", "citation", "related-object")
_TITLES = ("article-title", "chapter-title", "data-title", "part-title")
PEOPLE = ("name", "string-name", "collab", "collab-name", "institution", "anonymous")
_PLACE = frozenset(("article-title", "source", "year", "volume", "issue", "fpage", "lpage", "elocation-id"))
_SAID_BEFORE = frozenset(("person-group", "etal", "month", "day", "season", *PEOPLE, *_TITLES))
_DOI = re.compile(r"10\.\d{4,9}/[^\s\"]+")
_YEAR = re.compile(r"(?<!\d)(1[5-9]|20)\d\d(?!\d)")
_ARXIV = re.compile(
    r"arxiv\s*:?\s*(?:preprint\s*)?(?:arxiv:)?\s*(\d{4}\.\d{4,5}|[a-z-]+(?:\.[a-z]{2})?/\d{7})", re.IGNORECASE
)


class Speaker(Protocol):
    """Whoever says the words of an element."""

    def flat(self, element: Element, skip: tuple[str, ...] = ()) -> Inlines:
        """All words of an element as one stretch."""
        ...

    def plain(self, element: Element | None) -> str:
        """The words of an element as printed, with one blank between them."""
        ...


@dataclass(frozen=True)
class Entry:
    """One citation as printed, and its parts."""

    text: str
    title: str
    authors: tuple[str, ...]
    year: int | None
    ids: dict[str, str]


def entries_of(parts: Iterable[Element]) -> list[Element]:
    """Every entry of every list of references."""
    return [ref for part in parts for ref in part.iter("ref") if next(ref.iterancestors("ref"), None) is None]


def reference(element: Element, key: str, writer: Speaker) -> ParsedReference:
    """One entry; of several works under one number the first gives title, authors and year."""
    citations = [child for child in element.iterchildren() if child.tag in CITATIONS]
    for choice in element.iterchildren("citation-alternatives", "alternatives"):
        citations.extend(child for child in list(choice)[:1] if child.tag in CITATIONS)
    if not citations:
        text = printed(writer.flat(element, ("label",)))
        return ParsedReference(key, text, year=_year_printed(text), ids=_ids_in(element, text))
    entries = [entry(citation, writer) for citation in citations]
    notes = [writer.plain(note) for note in element.iterchildren("note")]
    first = next((entry for entry in entries if entry.title), entries[0])
    text = " ".join([*(entry.text for entry in entries), *notes])
    return ParsedReference(key, text, first.title, first.authors, first.year, first.ids)


def entry(citation: Element, writer: Speaker) -> Entry:
    """A citation, printed as it is where the source has its punctuation, else put together from its parts."""
    own = [citation.text, *(child.tail for child in citation)]
    is_printed = any(text and text.strip() for text in own)
    title = _title_of(citation, writer)
    authors = tuple(filter(None, (_person(person, writer) for person in _authors_of(citation))))
    text = _printed_entry(citation, writer) if is_printed else _composed_entry(citation, writer, authors, title)
    ids = _ids_in(citation, text)
    return Entry(text, title, authors, year_in(citation.find("year")) or _year_printed(text), ids)


def _title_of(citation: Element, writer: Speaker) -> str:
    for tag in _TITLES:
        title = writer.plain(citation.find(tag))
        if title:
            return title
    # A book, a program, a web page is called what its source is called; a journal is not the title of its document.
    if (citation.get("publication-type") or citation.get("citation-type") or "") in ("journal", "article-journal"):
        return ""
    source = citation.find("source")
    return writer.plain(source)


def _authors_of(citation: Element) -> list[Element]:
    """The elements that name its authors; its editors where it names none."""
    groups = citation.findall("person-group")
    authors = [group for group in groups if group.get("person-group-type", "author") in ("author", "allauthors")]
    loose = [child for child in citation if child.tag in PEOPLE and child.tag != "institution"]
    people = [person for group in authors for person in group.iter(*PEOPLE)] + loose
    return people or [person for group in groups for person in group.iter(*PEOPLE)]


def _person(element: Element, writer: Speaker) -> str:
    """A name as it stands in an entry."""
    if element.tag == "anonymous":
        return "Anonymous"
    if element.tag == "name":
        parts = {child.tag: writer.plain(child) for child in element}
        return " ".join(filter(None, map(parts.get, ("surname", "given-names", "suffix"))))
    return writer.plain(element)


def _printed_entry(citation: Element, writer: Speaker) -> str:
    """The entry with the punctuation of the source."""
    words: list[str] = []

    def say(element: Element) -> None:
        words.append(element.text or "")
        for child in element:
            if child.tag == "name":
                words.append(_person(child, writer))
            elif child.tag == "person-group":
                say(child)
            elif child.tag == "pub-id":
                words.append(_printed_id(child, "".join(words[-3:])))
            elif child.tag == "etal" and not (child.text or "").strip():
                words.append("et al.")
            else:
                words.append(raw(writer.flat(child)))
            words.append(child.tail or "")

    say(citation)
    return " ".join("".join(words).split())


def _printed_id(element: Element, before: str) -> str:
    """A DOI as readers know it; the numbers of PubMed are for machines."""
    value = "".join(element.itertext()).strip()
    if element.get("pub-id-type") in ("pmid", "pmcid", "pmc", "medline", "other"):
        return ""
    named = re.search(r"(?:doi:?|doi\.org/)\s*$", before, re.IGNORECASE)
    return value if named or element.get("pub-id-type") != "doi" else f"doi:{value}"


def _composed_entry(citation: Element, writer: Speaker, authors: tuple[str, ...], title: str) -> str:
    """Authors. Year. Title. Source volume(issue):pages. Whatever else there is."""
    said: dict[str, str] = {}
    rest: list[str] = []
    for child in citation:
        if child.tag == "pub-id":
            rest.append(_printed_id(child, ""))
        elif child.tag in _PLACE:
            said.setdefault(child.tag, writer.plain(child))
        elif child.tag == "person-group" and child.get("person-group-type", "author") not in ("author", "allauthors"):
            people = ", ".join(filter(None, (_person(person, writer) for person in child.iter(*PEOPLE))))
            rest.append(
                f"{people} ({child.get('person-group-type')})" if people and people != ", ".join(authors) else ""
            )
        elif child.tag not in _SAID_BEFORE:
            rest.append(writer.plain(child))
    others = " et al" if next(citation.iter("etal"), None) is not None else ""
    pages = "–".join(filter(None, (said.get("fpage"), said.get("lpage")))) or said.get("elocation-id", "")
    issue = f"({said['issue']})" if said.get("issue") else ""
    source = said.get("source", "") if said.get("source") != title else ""
    place = f"{source} {said.get('volume', '')}{issue}{':' if pages and (said.get('volume') or issue) else ' '}{pages}"
    parts = [", ".join(authors) + others, said.get("year", ""), title, " ".join(place.split()), *rest]
    return " ".join(part if part[-1] in ".?!" else part + "." for part in (part.strip() for part in parts) if part)


def year_in(element: Element | None) -> int | None:
    """The year, also of "2011a" and "2008 26"."""
    if element is None:
        return None
    found = _YEAR.search("".join(element.itertext()))
    return int(found.group()) if found else None


def _year_printed(text: str) -> int | None:
    """The year in an entry whose parts are not marked: the one in brackets, or the only one there is."""
    in_brackets = re.search(r"\((1[89]\d\d|20\d\d)[a-z]?\)", text)
    if in_brackets:
        return int(in_brackets.group(1))
    years = set(re.findall(r"(?<![\d/.-])(?:19|20)\d\d(?![\d/-])", text))
    return int(years.pop()) if len(years) == 1 else None


def _ids_in(citation: Element, text: str) -> dict[str, str]:
    """Its identifiers, as the source gives them or as they are printed."""
    ids = ids_of(citation.iter("pub-id", "object-id"))
    links = [element.get(HREF, "") for element in citation.iter("ext-link", "uri", "self-uri")]
    if "doi" not in ids:
        printed = next(filter(None, (_bare("doi", link) for link in [*links, text])), "")
        ids.update({"doi": printed} if printed else {})
    places = " ".join(" ".join([text, *(link.replace("arxiv.org/abs/", "arxiv:") for link in links)]).split())
    arxiv = _ARXIV.search(places) if "rxiv" in places.lower() else None
    if arxiv:
        ids.setdefault("arxiv", arxiv.group(1).lower())
    return ids


def ids_of(elements: Iterable[Element]) -> dict[str, str]:
    """The identifiers that elements hold, the first of each kind."""
    ids: dict[str, str] = {}
    for element in elements:
        kind = element.get("pub-id-type", "").lower()
        name = "pmcid" if kind == "pmc" else kind
        value = _bare(name, "".join(element.itertext())) if name in ("doi", "pmid", "pmcid", "arxiv") else ""
        if value:
            ids.setdefault(name, value)
    return ids


def _bare(name: str, value: str) -> str:
    """An identifier without the address or the name before it; empty where it is none."""
    value = value.strip()
    if name == "doi":
        found = _DOI.search(unquote(value))
        doi = found.group().rstrip(".,;:") if found else ""
        # Old DOIs of Wiley hold brackets of both kinds; a bracket that closes more than was opened is the sentence's.
        for opening, closing in ("()", "[]", "<>"):
            while doi.endswith(closing) and doi.count(closing) > doi.count(opening):
                doi = doi[:-1].rstrip(".,;:")
        return doi.lower()
    if name == "pmcid":
        digits = re.search(r"\d+", value)
        return "PMC" + digits.group() if digits else ""
    if name == "pmid":
        digits = re.search(r"\d+", value)
        return digits.group() if digits else ""
    return re.sub(r"^arxiv:\s*", "", value, flags=re.IGNORECASE).lower()
