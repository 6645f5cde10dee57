"""Reads journal documents in JATS, the XML of PubMed Central, eLife and most publishers, and its forerunner of NLM."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date

from fathom.corpus.readers.jats.affiliations import Affiliations
from fathom.corpus.readers.jats.citations import Known, printed
from fathom.corpus.readers.jats.references import CITATIONS, PEOPLE, entries_of, ids_of, reference, year_in
from fathom.corpus.readers.jats.text import Writer
from fathom.corpus.readers.jats.xml_parsing import HREF, LANGUAGE, Element, outermost, parsed
from fathom.corpus.readers.parsed_document import (
    Block,
    CompanionFiles,
    Heading,
    Paragraph,
    ParsedAuthor,
    ParsedDocument,
    ParsedReference,
    ReadError,
)

FORMAT = "jats"


def matches(name: str, head: bytes) -> bool:
    """Whether the first element, or one in a wrapper of documents, is a document as JATS writes it."""
    head = head.replace(b"\0", b"")  # UTF-16 shows its Latin letters this way
    return bool(_DOCUMENT.search(head)) and bool(_TRAIT.search(head))


_DOCUMENT = re.compile(rb"<(?:[\w-]+:)?article[\s>]")
# DocBook calls its root the same, but has no front and other public names.
_TRAIT = re.compile(
    rb"//DTD (?:JATS|Journal)|jats\.nlm\.nih\.gov|dtd\.nlm\.nih\.gov|<(?:[\w-]+:)?(?:front|article-meta)[\s>]"
)


def read(content: bytes, name: str, companions: CompanionFiles) -> Iterator[ParsedDocument]:
    """The document of a file, or all of them where a wrapper holds several."""
    root = parsed(content)
    documents = [root] if root.tag == "article" else outermost(root, "article")
    documents = [
        document for document in documents if document.find("front") is not None or document.find("body") is not None
    ]
    if not documents:
        raise ReadError("it is XML, but holds no JATS article with a front or a body")
    for document in documents:
        yield _Reading(document, name).found()


_KINDS_OF_DOCUMENT = re.compile(
    r"(?:(?:original|research|review|short|brief|clinical|full|regular|registered|scientific|feature|systematic)\s?)*"
    r"(?:articles?|papers?|reports?|research|reviews?|communications?|stud(?:y|ies)|trials?|correction|editorial|letters?"
    r"|insight|investigations?|advance|preprint|contributions?)",
    re.IGNORECASE,
)
_ASIDE = {
    "executive-summary": "Digest",
    "plain-language-summary": "Plain language summary",
    "summary": "Summary",
    "author-summary": "Author summary",
    "editor": "Summary by the editors",
    "key-points": "Key points",
    "highlights": "Highlights",
}
"""Abstracts beside the main one that are words about the document; others are pictures or lines for a contents page."""

_DATES = ("epub", "publication", "pub", "original-publication", "epub-ppub", "ppub", "collection")
_CREATIVE_COMMONS = re.compile(
    r"creativecommons\.org/(?:licenses/([a-z-]+)/(\d\.\d)(?:/([a-z]{2,3})\b)?|publicdomain/(zero|mark)/1\.0)",
    re.IGNORECASE,
)
_ORCID = re.compile(r"\d{4}-\d{4}-\d{4}-\d{3}[\dX]")
_NOTES_OF_AUTHORS = ("conflict", "coi-statement", "con", "financial-disclosure", "supported-by")


class _Reading:
    """One document being read."""

    def __init__(self, document: Element, name: str) -> None:
        self._document = document
        self._name = name
        front = document.find("front")
        self._meta = front.find("article-meta") if front is not None else None
        self._journal = front.find("journal-meta") if front is not None else None
        self._known = Known()
        self._affiliations = Affiliations(self._meta)

    def found(self) -> ParsedDocument:
        """Its parts."""
        references = self._references()
        floats = self._document.find("floats-group")
        for element in floats if floats is not None else ():
            self._known.floats[element.get("id") or f" {len(self._known.floats)}"] = element
        abstract, asides = self._abstracts()
        ids = self._ids()
        published, year = self._date()
        return ParsedDocument(
            source=self._name,
            language=_language(self._document.get(LANGUAGE, "")),
            title=self._title(),
            authors=list(self._authors()),
            abstract=abstract,
            body=[*asides, *self._body()],
            references=references,
            ids=ids,
            work=_work(ids.get("doi", "")),
            published=published,
            year=year,
            venue=self._venue(),
            subjects=self._subjects(),
            license=self._license(),
        )

    def _writer(self) -> Writer:
        return Writer(self._known)

    def _plain(self, element: Element | None, skip: tuple[str, ...] = ()) -> str:
        """An element of the front as printed, without the marks of its footnotes."""
        if element is None:
            return ""
        writer = self._writer()
        writer.points = False
        return printed(writer.flat(element, (*skip, "fn")))

    # References come first: citations are told by them.

    def _references(self) -> list[ParsedReference]:
        parts = [part for tag in ("front", "body", "back", "floats-group") for part in self._document.iterchildren(tag)]
        elements = entries_of(parts)
        for number, element in enumerate(elements, start=1):
            key = element.get("id") or f" {number}"
            if key in self._known.places:
                key = f"{key} {number}"
            self._known.places[key] = len(self._known.keys)
            self._known.keys.append(key)
            for inner in element.iter(*CITATIONS):  # "3a" points to one of several works under a number
                self._known.places.setdefault(inner.get("id") or key, self._known.places[key])
        writer = self._writer()
        return [reference(element, key, writer) for element, key in zip(elements, self._known.keys, strict=True)]

    # The front.

    def _title(self) -> str:
        group = self._meta.find("title-group") if self._meta is not None else None
        if group is None:
            return ""
        title = self._plain(group.find("article-title"))
        subtitle = self._plain(group.find("subtitle"))
        if not subtitle or not title:
            return title or subtitle
        return f"{title} {subtitle}" if title[-1] in ":.?!" else f"{title}: {subtitle}"

    def _authors(self) -> Iterator[ParsedAuthor]:
        for group in self._meta.iterchildren("contrib-group") if self._meta is not None else ():
            for element in group:
                if element.tag == "on-behalf-of":
                    yield self._group(element)
                elif element.tag in PEOPLE and element.tag != "institution":
                    yield self._author(group, element)
                elif element.tag == "contrib" and _is_author(element, group):
                    yield from self._contributor(element)

    def _contributor(self, element: Element) -> Iterator[ParsedAuthor]:
        named = element.find("name-alternatives")
        holder = named if named is not None else element
        name = next(holder.iterchildren("name", "string-name", "collab", "anonymous"), None)
        if name is None:  # "collab-wrap" and the like
            name = next(element.iter("name", "string-name", "collab", "collab-name", "anonymous"), None)
        if name is not None:
            yield replace(self._author(element, name), affiliations=self._affiliations.of(element))
        for body in element.iterchildren("on-behalf-of"):
            yield self._group(body)

    def _author(self, contributor: Element, name: Element) -> ParsedAuthor:
        if name.tag in ("collab", "collab-name"):
            return self._group(name)
        if name.tag == "anonymous":
            return ParsedAuthor("", "Anonymous")
        given, family, suffix = (self._plain(name.find(tag)) for tag in ("given-names", "surname", "suffix"))
        orcid = _orcid(contributor)
        ids = {"orcid": orcid} if orcid else {}
        if name.tag == "string-name":
            printed = self._plain(name)
            if not family:
                given, family = _split_name(printed)
            return ParsedAuthor(given, family, ids=ids, printed=printed)
        ordered = (family, given) if name.get("name-style") == "eastern" else (given, family)
        printed = " ".join(filter(None, (*ordered, suffix)))
        # Iceland, Java and stage names have a given name alone, or a family name alone.
        return ParsedAuthor(given if family else "", family or given, ids=ids, printed=printed)

    def _group(self, element: Element) -> ParsedAuthor:
        """A body that signs as one; its members are named elsewhere."""
        printed = self._plain(element, ("contrib-group", "aff", "address", "email", "fn", "contrib-id", "role"))
        name = re.sub(r"^\W*(?:on behalf of|for)\s+", "", printed, flags=re.IGNORECASE).strip(" ,;()")
        return ParsedAuthor("", name or printed, group=True, printed=printed.strip(" ,;"))

    def _ids(self) -> dict[str, str]:
        elements = list(self._meta.iterchildren("article-id")) if self._meta is not None else []
        # A reviewed preprint of eLife has the DOI of its document, and one of its own that names the version.
        states = self._meta.iter("article-version") if self._meta is not None else ()
        if any("preprint" in (state.text or "") for state in states):
            elements.sort(key=lambda element: element.get("specific-use") != "version")
        return ids_of(elements)

    def _date(self) -> tuple[date | None, int | None]:
        """The day it first came out, where that is told, and the year."""
        dates = list(self._meta.iterchildren("pub-date")) if self._meta is not None else []
        known = [(kind, element) for element in dates for kind in [element.get("pub-type") or element.get("date-type")]]
        ranked = [element for wanted in _DATES for kind, element in known if kind == wanted]
        ranked += [element for kind, element in known if kind is None]
        day = next(filter(None, map(_day, ranked)), None)
        year = next(filter(None, (year_in(element.find("year")) for element in ranked)), None)
        return day, year or (day.year if day else None)

    def _venue(self) -> str | None:
        return (
            self._plain(next(self._journal.iter("journal-title"), None)) or None if self._journal is not None else None
        )

    def _subjects(self) -> list[str]:
        if self._meta is None:
            return []
        headings = [
            self._plain(subject)
            for group in self._meta.iterfind("article-categories/subj-group")
            if group.get("subj-group-type") != "display-channel"
            for subject in group.iter("subject")
        ]
        words = [
            self._plain(word)
            for group in self._meta.iterchildren("kwd-group")
            if group.get("kwd-group-type") != "abbreviations"
            for word in group.iter("kwd")
        ]
        named = [heading for heading in headings if not _KINDS_OF_DOCUMENT.fullmatch(heading)]
        return list(dict.fromkeys(filter(None, [*named, *words])))

    def _license(self) -> str:
        permissions = self._meta.find("permissions") if self._meta is not None else None
        if permissions is None:
            return ""
        texts: list[str] = []
        for element in permissions.iter():
            texts.extend(filter(None, (element.get(HREF), element.text)))
        for text in texts:
            found = _CREATIVE_COMMONS.search(text)
            if found:
                return _spdx(found)
        written = self._plain(permissions.find("license")) or self._plain(permissions.find("copyright-statement"))
        return next((text.strip() for text in texts if text.startswith("http")), written)

    # The text.

    def _abstracts(self) -> tuple[list[Block], list[Block]]:
        """The main abstract, and the others that are words about the document, each under its heading."""
        every = list(self._meta.iterchildren("abstract")) if self._meta is not None else []
        main = next((one for one in every if one.get("abstract-type") in (None, "", "normal", "structured")), None)
        if main is None:
            main = next((one for one in every if one.get("abstract-type") in ("summary", "short")), None)
        asides: list[Block] = []
        for other in every:
            heading = _ASIDE.get(other.get("abstract-type", "")) if other is not main else None
            if heading:
                writer = self._writer()
                writer.section(other, heading, "other")
                asides.extend(_without_addresses(writer.blocks))
        return (self._main_abstract(main) if main is not None else []), asides

    def _main_abstract(self, element: Element) -> list[Block]:
        writer = self._writer()
        writer._level = 3
        writer.inside(element, ("title", "label"))
        writer.settle()
        return _without_addresses(writer.blocks)

    def _body(self) -> list[Block]:
        writer = self._writer()
        for body in self._document.iterchildren("body"):
            writer.inside(body)
            writer.settle()
        for element in list(self._known.floats.values()):
            writer.walk(element)
            writer.settle()
        for back in self._document.iterchildren("back"):
            for part in _unfolded(back):
                writer.walk(part)
                writer.settle()
        notes = self._meta.find("author-notes") if self._meta is not None else None
        said = [note for note in notes.iterchildren("fn") if _is_said(note)] if notes is not None else []
        if said:
            writer.blocks.append(Heading(2, ["Author notes"], "other"))
        for note in said:
            writer.walk(note)
            writer.settle()
        return writer.blocks


def _is_said(note: Element) -> bool:
    """Whether a note on the authors says something that belongs to the text: who did what, who paid, who gains."""
    # eLife marks those who "contributed equally" as others mark what each contributed.
    return note.get("fn-type") in _NOTES_OF_AUTHORS and "contributed equally" not in "".join(note.itertext())


def _unfolded(back: Element) -> Iterator[Element]:
    """The parts of the back, appendices one by one."""
    for part in back:
        if part.tag == "app-group":
            yield from part.iterchildren("app")
        elif part.tag not in ("bio", "ref-list"):
            yield part


def _language(written: str) -> str:
    """Two letters of "en-GB"; English where nothing is said."""
    found = re.match(r"[A-Za-z]{2}(?![A-Za-z])", written.strip())
    return found.group().lower() if found else "en"


def _is_author(element: Element, group: Element) -> bool:
    kind = element.get("contrib-type") or group.get("content-type") or "author"
    return kind in ("author", "authors", "collab", "group", "anonymous")


def _orcid(contributor: Element) -> str:
    places = [*contributor.iterchildren("contrib-id", "ext-link", "uri")]
    for place in places:
        found = _ORCID.search((place.get(HREF) or "") + " " + "".join(place.itertext()))
        if found and "orcid" in (place.get("contrib-id-type", "") + (place.get(HREF) or "") + (place.text or "")):
            return found.group()
    return ""


def _split_name(printed: str) -> tuple[str, str]:
    """Given and family name of one that the source prints as a whole."""
    family, comma, given = printed.partition(",")
    if comma:
        return given.strip(), family.strip()
    given, _, family = printed.rpartition(" ")
    return given, family


def _day(element: Element) -> date | None:
    """A whole date; None where the day or the month is missing or impossible."""
    written = re.fullmatch(r"(\d{4})-(\d\d)-(\d\d).*", element.get("iso-8601-date", ""))
    parts = (
        written.groups() if written else tuple(element.findtext(tag, "").strip() for tag in ("year", "month", "day"))
    )
    if not all(part.isascii() and part.isdigit() and len(part) <= 4 for part in parts):
        return None
    try:
        return date(*map(int, parts))
    except ValueError:  # The thirty-first of April.
        return None


def _work(doi: str) -> str | None:
    """eLife's number of a manuscript, which a reviewed preprint shares with its document."""
    found = re.match(r"10\.7554/elife\.(?:rp)?(\d+)", doi)
    return f"elife:{found.group(1)}" if found else None


def _spdx(found: re.Match[str]) -> str:
    kind, version, country, public = found.groups()
    if public:
        return "CC0-1.0" if public.lower() == "zero" else "CC-PDM-1.0"
    return "-".join(filter(None, ("CC", kind.upper(), version, (country or "").upper())))


def _without_addresses(blocks: list[Block]) -> list[Block]:
    """Without the paragraphs that are only the abstract's own DOI, as eLife printed them until 2017."""
    return [
        block
        for block in blocks
        if not (isinstance(block, Paragraph) and re.fullmatch(r"DOI:\s*\S+", printed(block.inlines)))
    ]
