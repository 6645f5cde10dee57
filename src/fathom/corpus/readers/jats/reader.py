"""JATS reader: the XML of PubMed Central, eLife and most publishers, and its NLM predecessor."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date

from fathom.corpus.licenses import spdx
from fathom.corpus.readers.jats.blocks import BlockBuilder
from fathom.corpus.readers.jats.contributors import Affiliations, is_author, is_surely_other
from fathom.corpus.readers.jats.references import (
    CITATIONS,
    PEOPLE,
    CitationIndex,
    entries_of,
    ids_of,
    reference,
    year_in,
)
from fathom.corpus.readers.jats.xml_parsing import HREF, LANGUAGE, outermost, parse_jats
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
from fathom.corpus.readers.parsing.blocks import normalized_text
from fathom.corpus.readers.parsing.subjects import is_article_type
from fathom.corpus.readers.parsing.text_cleanup import calendar_date, language_code
from fathom.corpus.readers.parsing.xml_trees import Element
from fathom.records.documents import FieldName
from fathom.records.names import is_group_name

FORMAT = "jats"


def matches(name: str, head: bytes) -> bool:
    """Return whether a file contains a JATS article, alone or in a wrapper."""
    head = head.replace(b"\0", b"")  # makes the Latin letters of UTF-16 readable
    return bool(_DOCUMENT.search(head)) and bool(_TRAIT.search(head))


_DOCUMENT = re.compile(rb"<(?:[\w-]+:)?article[\s>]")
# DocBook has the same root name, but no front matter and other public ids.
_TRAIT = re.compile(
    rb"//DTD (?:JATS|Journal)|jats\.nlm\.nih\.gov|dtd\.nlm\.nih\.gov|<(?:[\w-]+:)?(?:front|article-meta)[\s>]"
)


def read(content: bytes, name: str, companions: CompanionFiles) -> Iterator[ParsedDocument]:
    """Yield the article of a file, or all articles in a wrapper."""
    root = parse_jats(content)
    documents = [root] if root.tag == "article" else outermost(root, "article")
    documents = [
        document for document in documents if document.find("front") is not None or document.find("body") is not None
    ]
    if not documents:
        raise ReadError("it is XML, but has no JATS article with a front or a body")
    for document in documents:
        yield _ArticleReader(document, name).read()


_OTHER_ABSTRACTS = {
    "executive-summary": "Digest",
    "plain-language-summary": "Plain language summary",
    "summary": "Summary",
    "author-summary": "Author summary",
    "editor": "Summary by the editors",
    "key-points": "Key points",
    "highlights": "Highlights",
}
"""Headings of further abstracts that are text. Other types are images or lines for a table of contents."""

_DATES = ("epub", "publication", "pub", "original-publication", "epub-ppub", "ppub", "collection")
_ORCID = re.compile(r"\d{4}-\d{4}-\d{4}-\d{3}[\dX]")
_DISCLOSURES = ("conflict", "coi-statement", "con", "financial-disclosure", "supported-by")


_TRACES: dict[FieldName, frozenset[str]] = {
    "authors": frozenset(("contrib-group", "contrib", "collab", "on-behalf-of")),
    "abstract": frozenset(("abstract", "trans-abstract")),
    "sections": frozenset(("sec",)),
    "references": frozenset(("ref", "ref-list", "xref", *CITATIONS)),
    "citations": frozenset(("ref", "ref-list", "xref", *CITATIONS)),
    "tables": frozenset(("table-wrap", "table", "array")),
    "ids": frozenset(("article-id",)),
    "year": frozenset(("pub-date", "history", "date")),
    "venue": frozenset(("journal-meta", "journal-title")),
    "license": frozenset(("license", "license-p")),
}
"""Elements of a field: an article without any of them does not have the field."""
_TRACED = frozenset.union(*_TRACES.values(), ("body", "permissions", "collab"))
_OF_TEXT = ("sections", "references", "citations", "tables")
"""Fields of which an article without a body says nothing."""


class _ArticleReader:
    def __init__(self, document: Element, name: str) -> None:
        self._document = document
        self._name = name
        found = document.find("front/article-meta")
        # A document without front matter has empty metadata.
        self._meta: Element = found if found is not None else document.makeelement("article-meta")
        self._citations = CitationIndex()
        self._tags = frozenset(element.tag for element in document.iter(*_TRACED))
        self._affiliations = Affiliations(self._meta)

    def read(self) -> ParsedDocument:
        """Return the parsed article."""
        references = self._references()
        floats = self._document.find("floats-group")
        for element in floats if floats is not None else ():
            self._citations.floats[element.get("id") or f" {len(self._citations.floats)}"] = element
        abstract, asides = self._abstracts()
        ids = self._ids()
        published, year = self._date()
        return ParsedDocument(
            source=self._name,
            language=language_code(self._document.get(LANGUAGE)) or "en",
            title=self._title(),
            authors=list(self._authors()),
            abstract=abstract,
            body=[*asides, *self._body()],
            references=references,
            ids=ids,
            work=_work(ids.get("doi", "")),
            published=published,
            year=year,
            venue=self._plain(self._document.find("front/journal-meta//journal-title")) or None,
            subjects=self._subjects(),
            license=self._license(),
            stated=self._stated(),
            unknown=self._unknown(),
        )

    def _unknown(self) -> dict[FieldName, str]:
        """Return the fields that an article states without their values."""
        anonymous = next(self._meta.iterfind("contrib-group//anonymous"), None) is not None
        return {"authors": "an author is anonymous"} if anonymous else {}

    def _stated(self) -> frozenset[FieldName]:
        """Return the fields that an article with front matter would state, without those that were not read."""
        if self._document.find("front/article-meta") is None:
            return frozenset()
        has_text = self._has("body")
        stated = {name for name, tags in _TRACES.items() if (has_text or name not in _OF_TEXT) and not self._has(*tags)}
        if not self._has("permissions"):
            stated.discard("license")
        if not self._has("collab") and all(map(is_surely_other, self._meta.iterfind("contrib-group/contrib"))):
            stated.add("authors")
        return frozenset(stated)

    def _has(self, *tags: str) -> bool:
        return not self._tags.isdisjoint(tags)

    def _builder(self) -> BlockBuilder:
        return BlockBuilder(self._citations)

    def _plain(self, element: Element | None, skip: tuple[str, ...] = ()) -> str:
        """Return the text of a front-matter element, without footnote marks."""
        if element is None:
            return ""
        builder = self._builder()
        builder.with_references = False
        return normalized_text(builder.inlines_of(element, (*skip, "fn")))

    # References come first: citations are resolved against them.

    def _references(self) -> list[ParsedReference]:
        parts = [part for tag in ("front", "body", "back", "floats-group") for part in self._document.iterchildren(tag)]
        elements = entries_of(parts)
        for number, element in enumerate(elements, start=1):
            key = element.get("id") or f" {number}"
            if key in self._citations.positions:
                key = f"{key} {number}"
            self._citations.positions[key] = len(self._citations.keys)
            self._citations.keys.append(key)
            for inner in element.iter(*CITATIONS):  # "3a" refers to one of several works under a number
                self._citations.positions.setdefault(inner.get("id") or key, self._citations.positions[key])
        builder = self._builder()
        return [reference(element, key, builder) for element, key in zip(elements, self._citations.keys, strict=True)]

    # The front.

    def _title(self) -> str:
        group = self._meta.find("title-group")
        if group is None:
            return ""
        title, subtitle = self._plain(group.find("article-title")), self._plain(group.find("subtitle"))
        if not subtitle or not title:
            return title or subtitle
        return f"{title} {subtitle}" if title[-1] in ":.?!" else f"{title}: {subtitle}"

    def _authors(self) -> Iterator[ParsedAuthor]:
        groups = list(self._meta.iterchildren("contrib-group"))
        typed = any(element.get("contrib-type") for group in groups for element in group.iterchildren("contrib"))
        for position, group in enumerate(groups):
            for element in group:
                if element.tag == "on-behalf-of":
                    yield self._group(element)
                elif element.tag in PEOPLE and element.tag != "institution":
                    yield self._author(group, element)
                elif element.tag == "contrib" and is_author(element, group, untyped=not position or not typed):
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
            if not family and is_group_name(printed):
                return ParsedAuthor("", printed, group=True, ids=ids)
            if not family:
                given, family = _split_name(printed)
            return ParsedAuthor(given, family, ids=ids, printed=printed)
        if not given and is_group_name(family):
            return ParsedAuthor("", family, group=True, ids=ids)
        ordered = (family, given) if name.get("name-style") == "eastern" else (given, family)
        printed = " ".join(filter(None, (*ordered, suffix)))
        # Icelandic, Javanese and stage names may have only a given or only a family name.
        return ParsedAuthor(given if family else "", family or given, ids=ids, printed=printed)

    def _group(self, element: Element) -> ParsedAuthor:
        """Return a group author. Its members are listed elsewhere."""
        printed = self._plain(element, ("contrib-group", "aff", "address", "email", "fn", "contrib-id", "role"))
        name = re.sub(r"^\W*(?:on behalf of|for)\s+", "", printed, flags=re.IGNORECASE).strip(" ,;()")
        return ParsedAuthor("", name or printed, group=True, printed=printed.strip(" ,;"))

    def _ids(self) -> dict[str, str]:
        elements = list(self._meta.iterchildren("article-id"))
        # A reviewed preprint of eLife has the DOI of its article, and its own DOI with the version.
        if any("preprint" in (state.text or "") for state in self._meta.iter("article-version")):
            elements.sort(key=lambda element: element.get("specific-use") != "version")
        return ids_of(elements)

    def _date(self) -> tuple[date | None, int | None]:
        """Return the day of first publication, if known, and the year."""
        dates = self._meta.iterchildren("pub-date")
        typed = [(element.get("pub-type") or element.get("date-type"), element) for element in dates]
        ranked = [element for wanted in _DATES for kind, element in typed if kind == wanted]
        ranked += [element for kind, element in typed if kind is None]
        day = next(filter(None, map(_day, ranked)), None)
        year = next(filter(None, (year_in(element.find("year")) for element in ranked)), None)
        return day, year or (day.year if day else None)

    def _subjects(self) -> list[str]:
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
        named = [heading for heading in headings if not is_article_type(heading)]
        return list(dict.fromkeys(filter(None, [*named, *words])))

    def _license(self) -> str:
        """Return the license's SPDX name, or else its text."""
        license = self._meta.find("permissions/license")
        if license is None:
            return spdx(self._plain(self._meta.find("permissions/copyright-statement"))) or ""
        links = [address for element in license.iter() if (address := element.get(HREF))]
        return spdx(" ; ".join([*links, self._plain(license)])) or self._plain(license) or next(iter(links), "")

    # The text.

    def _abstracts(self) -> tuple[list[Block], list[Block]]:
        """Return the main abstract, and the other textual abstracts, each under its heading."""
        every = list(self._meta.iterchildren("abstract"))
        main = next((one for one in every if one.get("abstract-type") in (None, "", "normal", "structured")), None)
        if main is None:
            main = next((one for one in every if one.get("abstract-type") in ("summary", "short")), None)
        asides: list[Block] = []
        for other in every:
            heading = _OTHER_ABSTRACTS.get(other.get("abstract-type", "")) if other is not main else None
            if heading:
                builder = self._builder()
                builder.section(other, heading, "other")
                asides.extend(_without_doi_lines(builder.blocks))
        return (self._main_abstract(main) if main is not None else []), asides

    def _main_abstract(self, element: Element) -> list[Block]:
        builder = self._builder()
        builder.level = 3
        builder.walk_children(element, ("title", "label"))
        builder.flush_pending()
        return _without_doi_lines(builder.blocks)

    def _body(self) -> list[Block]:
        builder = self._builder()
        for body in self._document.iterchildren("body"):
            builder.walk_children(body)
            builder.flush_pending()
        for element in list(self._citations.floats.values()):
            builder.walk(element)
            builder.flush_pending()
        for back in self._document.iterchildren("back"):
            for part in _back_sections(back):
                builder.walk(part)
                builder.flush_pending()
        notes = self._meta.find("author-notes")
        disclosures = [note for note in notes.iterchildren("fn") if _is_disclosure(note)] if notes is not None else []
        if disclosures:
            builder.blocks.append(Heading(2, ["Author notes"], "other"))
        for note in disclosures:
            builder.walk(note)
            builder.flush_pending()
        return builder.blocks


def _is_disclosure(note: Element) -> bool:
    """Return whether an author note states contributions, funding or competing interests."""
    # eLife uses the same type for "contributed equally" as others use for contributions.
    return note.get("fn-type") in _DISCLOSURES and "contributed equally" not in "".join(note.itertext())


def _back_sections(back: Element) -> Iterator[Element]:
    """Yield the parts of the back matter, with each appendix separately."""
    for part in back:
        if part.tag == "app-group":
            yield from part.iterchildren("app")
        elif part.tag not in ("bio", "ref-list"):
            yield part


def _orcid(contributor: Element) -> str:
    for element in contributor.iterchildren("contrib-id", "ext-link", "uri"):
        match = _ORCID.search((element.get(HREF) or "") + " " + "".join(element.itertext()))
        if match and "orcid" in (element.get("contrib-id-type", "") + (element.get(HREF) or "") + (element.text or "")):
            return match.group()
    return ""


def _split_name(printed: str) -> tuple[str, str]:
    family, comma, given = printed.partition(",")
    if comma:
        return given.strip(), family.strip()
    given, _, family = printed.rpartition(" ")
    return given, family


def _day(element: Element) -> date | None:
    """Return a complete date, or None if the day or month is missing or invalid."""
    written = re.fullmatch(r"(\d{4})-(\d\d)-(\d\d).*", element.get("iso-8601-date", ""))
    parts = (
        written.groups() if written else tuple(element.findtext(tag, "").strip() for tag in ("year", "month", "day"))
    )
    if not all(part.isascii() and part.isdigit() and len(part) <= 4 for part in parts):
        return None
    return calendar_date(*parts)


def _work(doi: str) -> str | None:
    """Return eLife's manuscript number, which a reviewed preprint shares with its article."""
    match = re.match(r"10\.7554/elife\.(?:rp)?(\d+)", doi)
    return f"elife:{match.group(1)}" if match else None


def _without_doi_lines(blocks: list[Block]) -> list[Block]:
    """Remove paragraphs that are only the abstract's DOI, as eLife printed them until 2017."""
    return [
        block
        for block in blocks
        if not (isinstance(block, Paragraph) and re.fullmatch(r"DOI:\s*\S+", normalized_text(block.inlines)))
    ]
