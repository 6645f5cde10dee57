"""Reads S2ORC's JSON: paragraphs with the places of their citations, and the entries they point to.

The releases from 2023 on have one text and lists of places in it instead, which `s2orc_annotations` reads.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

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
from fathom.corpus.readers.parsing.json_lines import JsonObject, read_objects
from fathom.corpus.readers.parsing.json_values import ids_of, objects_of, string_of, strings_of, whole, year_of
from fathom.corpus.readers.s2orc.annotations import annotated_document
from fathom.corpus.readers.tei.reader import marked, reference_entry

FORMAT = "s2orc"

_PARSES = ("pdf_parse", "latex_parse", "jats_parse", "grobid_parse")


def matches(name: str, head: bytes) -> bool:
    """Whether a file is S2ORC: JSON that names its parts in the beginning."""
    start = head.lstrip()[:1]
    return start == b"{" and (
        any(name in head for name in (b'"body_text"', b'"pdf_parse"', b'"latex_parse"', b'"cite_spans"'))
        # In the newer form the text may be longer than the beginning that is looked at, and the annotations follow it.
        or (b'"corpusid"' in head and b'"content"' in head and b'"text"' in head)
    )


def read(content: bytes, name: str, companions: CompanionFiles) -> Iterator[ParsedDocument]:
    """The documents of a file: one object, or one on each line."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ReadError(f"it is no UTF-8: byte {error.start} cannot be read") from error
    yield from read_objects(text, name, lambda one, number: _document(one, f"{name}#{number}" if number else name))


def _document(document: JsonObject, source: str) -> ParsedDocument:
    content = document.get("content")
    if isinstance(content, dict) and isinstance(content.get("annotations"), dict):
        return annotated_document(document, content, source)
    parse = next((document[name] for name in _PARSES if isinstance(document.get(name), dict)), document)
    if not isinstance(parse.get("body_text"), list) and not isinstance(parse.get("abstract"), list):
        raise ReadError("it is no S2ORC: it has neither body_text nor an abstract in paragraphs")
    # CORD-19 keeps title and authors in "metadata".
    about = document | metadata if isinstance(metadata := document.get("metadata"), dict) else document
    found = ParsedDocument(source=source)
    found.title = string_of(about, "title") or string_of(parse, "title")
    found.authors = [
        ParsedAuthor(given if family else "", family or given, affiliations=_affiliations(one))
        for one in objects_of(about.get("authors"))
        for given, family in [_name(one)]
        if family or given
    ]
    found.year = year_of(about.get("year"))
    found.venue = string_of(about, "venue") or string_of(about, "journal") or None
    found.ids = ids_of(about)
    found.subjects = strings_of(about.get("mag_field_of_study"))
    paragraphs = objects_of(parse.get("abstract"))
    found.abstract = [Paragraph(_words(one)) for one in paragraphs] or [
        Paragraph([text]) for text in [string_of(document, "abstract")] if text
    ]
    found.references = list(_references(parse.get("bib_entries")))
    found.body = [
        *_blocks(objects_of(parse.get("body_text"))),
        *_floats(parse.get("ref_entries")),
        *_blocks(objects_of(parse.get("back_matter"))),
    ]
    return found


# Paragraphs.


def _blocks(paragraphs: list[JsonObject]) -> Iterator[Block]:
    """The paragraphs, with a heading wherever the section changes."""
    numbered = any(string_of(one, "sec_num") for one in paragraphs)
    last: tuple[str, str] = ("", "")
    level = 1
    for one in paragraphs:
        section, number = string_of(one, "section"), string_of(one, "sec_num")
        if (section, number) != last and section:
            depth = len([part for part in number.split(".") if part])
            if depth:
                level = 1 + depth
            elif numbered and last[1]:
                level = min(6, level + 1)
            yield Heading(max(2, level), [f"{number} {section}" if number else section])
        last = (section, number)
        yield Paragraph(_words(one))


def _words(paragraph: JsonObject) -> Inlines:
    """The text cut at its citations; a span that does not fit the text is passed over."""
    text = string_of(paragraph, "text", tidy=False)
    words: Inlines = []
    place = 0
    for start, end, key in sorted(_spans(paragraph.get("cite_spans"), text)):
        if start < place:
            continue
        words.append(text[place:start])
        words.extend(marked(text[start:end], (key,) if key else ()))
        place = end
    return [*words, text[place:]]


def _spans(spans: object, text: str) -> Iterator[tuple[int, int, str]]:
    for span in objects_of(spans):
        start, end, printed = span.get("start"), span.get("end"), span.get("text")
        if not isinstance(start, int) or not isinstance(end, int) or not 0 <= start < end <= len(text):
            continue
        if isinstance(printed, str) and printed and text[start:end] != printed:
            # Offsets counted in another unit drift; nearby the words are still found.
            start = text.find(printed, max(0, start - 50), end + 50)
            end = start + len(printed)
            if start < 0:
                continue
        yield start, end, string_of(span, "ref_id")


def _floats(entries: object) -> Iterator[Block]:
    """Figures and tables, which S2ORC sets apart from the text: captions, and rows where it has them."""
    for entry in entries.values() if isinstance(entries, dict) else ():
        if not isinstance(entry, dict):
            continue
        kind = string_of(entry, "type_str") or string_of(entry, "type")
        label = {"figure": "Figure", "table": "Table"}.get(kind)
        caption = string_of(entry, "text")
        if label is None or not caption:
            continue
        number = string_of(entry, "fig_num") or string_of(entry, "num")
        printed = caption if caption.lower().startswith(label.lower()) or not number else f"{label} {number}: {caption}"
        rows = [[TableCell([cell]) for cell in row] for row in _grid(entry.get("content"))]
        yield ParsedTable([printed], rows) if rows else Paragraph([printed])


def _grid(content: object) -> list[list[str]]:
    """The cells of a table that was written as simple HTML rows."""
    if not isinstance(content, str) or "<tr" not in content:
        return []
    rows = re.split(r"<tr[^<>]{0,200}>", content[:1_000_000])[1:]
    cells = [re.split(r"<t[dh][^<>]{0,200}>", row)[1:] for row in rows]
    return [[re.sub(r"<[^<>]{0,200}>", " ", cell).strip() for cell in row] for row in cells if row]


# References.


def _references(entries: object) -> Iterator[ParsedReference]:
    for name, entry in entries.items() if isinstance(entries, dict) else ():
        if not isinstance(entry, dict):
            continue
        authors = [" ".join(filter(None, name)) for name in map(_name, objects_of(entry.get("authors")))]
        rest = [string_of(entry, field) for field in ("venue", "volume", "issue", "pages")]
        reference = reference_entry(
            whole(name),
            string_of(entry, "raw_text"),
            string_of(entry, "title"),
            [author for author in authors if author],
            year_of(entry.get("year")),
            rest,
            ids_of(entry),
        )
        if reference.text:
            yield reference


def _name(author: JsonObject) -> tuple[str, str]:
    given = " ".join(filter(None, [string_of(author, "first"), *strings_of(author.get("middle"))]))
    family = " ".join(filter(None, [string_of(author, "last"), string_of(author, "suffix")]))
    return given, family or ("" if given else string_of(author, "name"))


def _affiliations(author: JsonObject) -> tuple[str, ...]:
    """Where an author works: one body at most, with its town and country."""
    body = author.get("affiliation")
    if not isinstance(body, dict):
        return ()
    parts = [string_of(body, "laboratory"), string_of(body, "institution")]
    if isinstance(place := body.get("location"), dict):
        parts += [string_of(place, "settlement"), string_of(place, "country")]
    text = ", ".join(filter(None, parts))
    return (text,) if text else ()
