"""In-text citations of JATS, and the entries of its reference list: their printed text and their fields."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol
from urllib.parse import unquote

from fathom.corpus.readers.jats.xml_parsing import HREF
from fathom.corpus.readers.parsed_document import CitationMark, Inline, Inlines, ParsedReference
from fathom.corpus.readers.parsing.blocks import inlines_text, normalized_text
from fathom.corpus.readers.parsing.identifiers import find_arxiv, find_doi
from fathom.corpus.readers.parsing.xml_trees import Element, element_text

CITATIONS = ("element-citation", "mixed-citation", "nlm-citation", "citation", "related-object")
_TITLES = ("article-title", "chapter-title", "data-title", "part-title")
PEOPLE = ("name", "string-name", "collab", "collab-name", "institution", "anonymous")
_SOURCE_TAGS = frozenset(("article-title", "source", "year", "volume", "issue", "fpage", "lpage", "elocation-id"))
_HANDLED = frozenset(("person-group", "etal", "month", "day", "season", *PEOPLE, *_TITLES))
_YEAR = re.compile(r"(?<!\d)(1[5-9]|20)\d\d(?!\d)")


class InlineReader(Protocol):
    """Returns the text of elements. `BlockBuilder` implements it."""

    def inlines_of(self, element: Element, skip: tuple[str, ...] = ()) -> Inlines:
        """Return the content of an element as one run of inlines."""

    def text_of(self, element: Element | None) -> str:
        """Return the text of an element with normalized whitespace."""


def entries_of(parts: Iterable[Element]) -> list[Element]:
    """Return every entry of every reference list."""
    return [ref for part in parts for ref in part.iter("ref") if next(ref.iterancestors("ref"), None) is None]


def reference(element: Element, key: str, builder: InlineReader) -> ParsedReference:
    """Return one entry. Of several works under one number, the first one gives the title, authors and year."""
    children = list(element)
    citations = [child for child in children if child.tag in CITATIONS]
    for choice in children:
        if choice.tag in ("citation-alternatives", "alternatives"):
            citations.extend(child for child in list(choice)[:1] if child.tag in CITATIONS)
    if not citations:
        text = normalized_text(builder.inlines_of(element, ("label",)))
        return ParsedReference(key, text, year=_year_in_text(text), ids=_ids_in(element, text))
    notes = [builder.text_of(child) for child in children if child.tag == "note"]
    if len(citations) == 1 and not notes:
        return entry(citations[0], builder, key)
    entries = [entry(citation, builder, key) for citation in citations]
    first = next((entry for entry in entries if entry.title), entries[0])
    return replace(first, text=" ".join([*(entry.text for entry in entries), *notes]))


def entry(citation: Element, builder: InlineReader, key: str = "") -> ParsedReference:
    """Return a citation: as printed if the source has punctuation, else assembled from its fields."""
    fields = _Fields(citation)
    title = _title_of(fields, builder)
    authors = tuple(filter(None, [_person(person, builder) for person in _authors_of(fields)]))
    text = _printed_entry(citation, builder) if fields.is_printed else _assembled_entry(fields, builder, authors, title)
    year = year_in(fields.first.get("year"))
    tagged = bool(title or authors or year)
    return ParsedReference(key, text, title, authors, year or _year_in_text(text), _ids_in(citation, text), tagged)


class _Fields:
    """The child elements of a citation, listed once: lxml creates an object for each whenever it is visited."""

    def __init__(self, citation: Element) -> None:
        self.citation = citation
        self.children: list[tuple[str, Element]] = []
        self.first: dict[str, Element] = {}
        """The first child of each name."""
        self.is_printed = bool((text := citation.text) and text.strip())
        """Whether the source has punctuation between the fields."""
        for child in citation:
            tag = child.tag
            self.children.append((tag, child))
            self.first.setdefault(tag, child)
            self.is_printed = self.is_printed or bool((tail := child.tail) and tail.strip())


def _title_of(fields: _Fields, builder: InlineReader) -> str:
    for tag in _TITLES:
        if tag in fields.first and (title := builder.text_of(fields.first[tag])):
            return title
    # For a book, a program or a web page the source is the title. For a journal article it is not.
    kind = fields.citation.get("publication-type") or fields.citation.get("citation-type") or ""
    return "" if kind in ("journal", "article-journal") else builder.text_of(fields.first.get("source"))


def _authors_of(fields: _Fields) -> list[Element]:
    """Return the elements that name the authors, or the editors if there are no authors."""
    groups = [child for tag, child in fields.children if tag == "person-group"]
    authors = [group for group in groups if group.get("person-group-type", "author") in ("author", "allauthors")]
    loose = [child for tag, child in fields.children if tag in PEOPLE and tag != "institution"]
    people = [person for group in authors for person in group.iter(*PEOPLE)] + loose
    return people or [person for group in groups for person in group.iter(*PEOPLE)]


def _person(element: Element, builder: InlineReader) -> str:
    """Return a name as an entry prints it."""
    tag = element.tag
    if tag == "anonymous":
        return "Anonymous"
    if tag == "name":
        parts = {child.tag: builder.text_of(child) for child in element}
        return " ".join(filter(None, map(parts.get, ("surname", "given-names", "suffix"))))
    return builder.text_of(element)


def _printed_entry(citation: Element, builder: InlineReader) -> str:
    """Return the entry with the punctuation of the source."""
    texts: list[str] = []

    def add(element: Element) -> None:
        texts.append(element.text or "")
        for child in element:
            if child.tag == "name":
                texts.append(_person(child, builder))
            elif child.tag == "person-group":
                add(child)
            elif child.tag == "pub-id":
                texts.append(_printed_id(child, "".join(texts[-3:])))
            elif child.tag == "etal" and not (child.text or "").strip():
                texts.append("et al.")
            else:
                texts.append(inlines_text(builder.inlines_of(child)))
            texts.append(child.tail or "")

    add(citation)
    return " ".join("".join(texts).split())


def _printed_id(element: Element, before: str) -> str:
    """Return an id as printed. PubMed numbers are not printed."""
    kind = element.get("pub-id-type")
    if kind in ("pmid", "pmcid", "pmc", "medline", "other"):
        return ""
    value = element_text(element).strip()
    if kind != "doi":
        return value
    named = re.search(r"(?:doi:?|doi\.org/)\s*$", before, re.IGNORECASE)
    return value if named else f"doi:{value}"


def _assembled_entry(fields: _Fields, builder: InlineReader, authors: tuple[str, ...], title: str) -> str:
    """Assemble an entry: Authors. Year. Title. Source volume(issue):pages. Other fields."""
    source_of: dict[str, str] = {}
    rest: list[str] = []
    for tag, child in fields.children:
        if tag == "pub-id":
            rest.append(_printed_id(child, ""))
        elif tag in _SOURCE_TAGS:
            if tag not in source_of:
                source_of[tag] = builder.text_of(child)
        elif tag == "person-group":
            rest.append(_other_people(child, builder, authors))
        elif tag not in _HANDLED:
            rest.append(builder.text_of(child))
    others = " et al" if next(fields.citation.iter("etal"), None) is not None else ""
    place = _place_in_source(source_of, title)
    parts = [", ".join(authors) + others, source_of.get("year", ""), title, place, *rest]
    return " ".join([part if part[-1] in ".?!" else part + "." for part in map(str.strip, parts) if part])


def _other_people(group: Element, builder: InlineReader, authors: tuple[str, ...]) -> str:
    """Return the people of a group that are not authors, such as "Lind A, Wu B (editor)"."""
    kind = group.get("person-group-type", "author")
    if kind in ("author", "allauthors"):
        return ""
    people = ", ".join(filter(None, (_person(person, builder) for person in group.iter(*PEOPLE))))
    return f"{people} ({kind})" if people and people != ", ".join(authors) else ""


def _place_in_source(fields: Mapping[str, str], title: str) -> str:
    """Return the source with volume, issue and pages: "Nature 5(2):3–9"."""
    pages = "–".join(filter(None, (fields.get("fpage"), fields.get("lpage")))) or fields.get("elocation-id", "")
    volume, issue = fields.get("volume", ""), f"({fields['issue']})" if fields.get("issue") else ""
    source = fields.get("source", "") if fields.get("source") != title else ""
    return " ".join(f"{source} {volume}{issue}{':' if pages and (volume or issue) else ' '}{pages}".split())


def year_in(element: Element | None) -> int | None:
    """Return the year, also in "2011a" and "2008 26"."""
    if element is None:
        return None
    match = _YEAR.search(element_text(element))
    return int(match.group()) if match else None


def _year_in_text(text: str) -> int | None:
    """Return the year in an untagged entry: the one in parentheses, or the only one."""
    in_brackets = re.search(r"\((1[89]\d\d|20\d\d)[a-z]?\)", text)
    if in_brackets:
        return int(in_brackets.group(1))
    years = set(re.findall(r"(?<![\d/.-])(?:19|20)\d\d(?![\d/-])", text))
    return int(years.pop()) if len(years) == 1 else None


def _ids_in(citation: Element, text: str) -> dict[str, str]:
    """Return the ids of an entry, from its elements, its links or its text."""
    ids = ids_of(citation.iter("pub-id", "object-id"))
    links = [element.get(HREF, "") for element in citation.iter("ext-link", "uri", "self-uri")]
    if "doi" not in ids and (doi := next(filter(None, (_strip_id("doi", link) for link in [*links, text])), "")):
        ids["doi"] = doi
    if arxiv := find_arxiv(" ".join([text, *links]) if links else text):
        ids.setdefault("arxiv", arxiv.lower())
    return ids


def ids_of(elements: Iterable[Element]) -> dict[str, str]:
    """Return the ids in some elements, the first of each type."""
    ids: dict[str, str] = {}
    for element in elements:
        kind = element.get("pub-id-type", "").lower()
        name = "pmcid" if kind == "pmc" else kind
        value = _strip_id(name, element_text(element)) if name in ("doi", "pmid", "pmcid", "arxiv") else ""
        if value:
            ids.setdefault(name, value)
    return ids


def _strip_id(name: str, value: str) -> str:
    """Return an id without a URL or a prefix; empty if it is not valid."""
    value = value.strip()
    if name == "doi":
        return find_doi(unquote(value), tagged=True).lower()
    if name in ("pmcid", "pmid"):
        digits = re.search(r"\d+", value)
        return ("PMC" if name == "pmcid" else "") + digits.group() if digits else ""
    return re.sub(r"^arxiv:\s*", "", value, flags=re.IGNORECASE).lower()


MAX_RANGE = 200
"""Maximum number of references in a range."""
_DASHES = ("-", "–", "—", "−", "‐", "‑")
_RANGE = re.compile(r"(\d{1,5})\s?[-–—−‐‑]\s?(\d{1,5})")


@dataclass
class CitationIndex:
    """The references and floats of one document, shared by all its block builders."""

    positions: dict[str, int] = field(default_factory=dict)
    """Position of each key in the reference list."""
    keys: list[str] = field(default_factory=list)
    floats: dict[str, Element] = field(default_factory=dict)
    """Figures and tables that the source has at its end, until the text first mentions them."""

    def mark(self, element: Element, keys: tuple[str, ...], superscript: bool, after_digit: bool) -> Inlines:
        """Return a citation mark with its brackets outside; `superscript` and `after_digit` describe its position."""
        text = " ".join(element_text(element).split())
        if not text and keys and keys[0] in self.positions:
            text = str(self.positions[keys[0]] + 1)
        core = text.strip("[](), ") if text[:1] in "[(" or text[-1:] in "])," else text
        before, _, after = text.partition(core) if core else (text, "", "")
        superscript = superscript or (not (element.text or "").strip() and len(element) > 0 and element[0].tag == "sup")
        style: Literal["superscript"] | None = "superscript" if superscript else None
        if core.count("(") > core.count(")") and after.startswith(")"):  # "Wu (2020)" keeps its own bracket
            core, after = core + ")", after[1:]
        separator = " " if after_digit and text[:1].isdigit() else ""
        return [separator + before, CitationMark(core, self._range_keys(core, keys), style), after]

    def _range_keys(self, text: str, keys: tuple[str, ...]) -> tuple[str, ...]:
        """Return the keys of a mark, including those inside a printed range."""
        span = _RANGE.fullmatch(text)
        if span is None or not keys or keys[0] not in self.positions:
            return keys
        begin = self.positions[keys[0]]
        count = int(span.group(2)) - int(span.group(1)) + 1
        range_keys = tuple(self.keys[begin : begin + count]) if 1 < count <= MAX_RANGE else ()
        return range_keys if len(range_keys) == count and set(keys) <= set(range_keys) else keys

    def merge(self, inlines: Inlines) -> Inlines:
        """Merge adjacent strings, and two citations with a dash between them into one for the whole range."""
        merged: Inlines = []
        for piece in _merge_strings(inlines):
            if isinstance(piece, CitationMark) and len(merged) > 1:
                both = self._range(merged[-2], merged[-1], piece)
                if both is not None:
                    merged[-2:] = [both]
                    continue
            merged.append(piece)
        return merged

    def _range(self, first: Inline, dash: Inline, last: CitationMark) -> CitationMark | None:
        if not (isinstance(dash, str) and dash.strip() in _DASHES and isinstance(first, CitationMark)):
            return None
        if not (first.text.isascii() and first.text.isdigit() and last.text.isascii() and last.text.isdigit()):
            return None
        text = first.text + dash.strip() + last.text
        keys = self._range_keys(text, (*first.keys, *last.keys))
        count = int(last.text[:5]) - int(first.text[:5]) + 1
        return CitationMark(text, keys, first.style) if len(keys) == count else None


def _merge_strings(inlines: Inlines) -> Inlines:
    merged: Inlines = []
    run: list[str] = []
    for piece in inlines:
        if isinstance(piece, str):
            run.append(piece)
            continue
        if text := "".join(run):
            merged.append(text)
        run = []
        merged.append(piece)
    if text := "".join(run):
        merged.append(text)
    return merged
