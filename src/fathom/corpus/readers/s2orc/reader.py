"""S2ORC reader: JSON of paragraphs with citation spans, and bibliography entries.

Releases since 2023 have one text with lists of annotations instead. The module `annotations` reads those.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from fathom.corpus.readers.parsed_document import (
    Block,
    CompanionFiles,
    Heading,
    Inlines,
    Paragraph,
    ParsedDocument,
    ParsedLine,
    ParsedReference,
    ParsedTable,
    ReadError,
    TableCell,
)
from fathom.corpus.readers.parsing.blocks import splice
from fathom.corpus.readers.parsing.bylines import author_from_parts
from fathom.corpus.readers.parsing.grobid_fields import build_reference, split_brackets
from fathom.corpus.readers.parsing.json_objects import (
    JsonObject,
    get_ids,
    get_objects,
    get_string,
    get_strings,
    parse_object,
    parse_year,
    replace_surrogates,
)
from fathom.corpus.readers.s2orc.annotations import annotated_document

FORMAT = "s2orc"

_PARSES = ("pdf_parse", "latex_parse", "jats_parse", "grobid_parse")


def matches(name: str, head: bytes) -> bool:
    """Return whether a file is S2ORC, by the field names at its beginning."""
    start = head.lstrip()[:1]
    return start == b"{" and (
        any(name in head for name in (b'"body_text"', b'"pdf_parse"', b'"latex_parse"', b'"cite_spans"'))
        # In newer releases the text may be longer than `head`, and the annotations come after it.
        or (b'"corpusid"' in head and b'"content"' in head and b'"text"' in head)
    )


def read(content: bytes, name: str, companions: CompanionFiles) -> Iterator[ParsedDocument]:
    """Read the one document of a file. Files with a document on each line are streamed; see `read_line`."""
    yield _document(parse_object(_decode(content)), name)


def read_line(line: bytes, name: str, number: int) -> ParsedLine:
    """Return the document on one line."""
    return ParsedLine(_document(parse_object(_decode(line)), f"{name}#{number}"))


def read_attached(attached: JsonObject, name: str) -> ParsedDocument:
    """No document is attached to another one."""
    raise ReadError("S2ORC has no attached documents")


def _decode(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ReadError(f"it is not UTF-8: byte {error.start} cannot be decoded") from error


def _document(data: JsonObject, source: str) -> ParsedDocument:
    content = data.get("content")
    if isinstance(content, dict) and isinstance(content.get("annotations"), dict):
        return annotated_document(data, content, source)
    parsed_text = next((data[name] for name in _PARSES if isinstance(data.get(name), dict)), data)
    if not isinstance(parsed_text.get("body_text"), list) and not isinstance(parsed_text.get("abstract"), list):
        raise ReadError("it is not S2ORC: it has neither body_text nor an abstract in paragraphs")
    # CORD-19 has the title and authors in "metadata".
    metadata_fields = data | metadata if isinstance(metadata := data.get("metadata"), dict) else data
    document = ParsedDocument(source=source)
    document.title = get_string(metadata_fields, "title") or get_string(parsed_text, "title")
    document.authors = [
        replace(author_from_parts(given, family), affiliations=_affiliations(entry))
        for entry in get_objects(metadata_fields.get("authors"))
        for given, family in [_name(entry)]
        if family or given
    ]
    document.year = parse_year(metadata_fields.get("year"))
    document.venue = get_string(metadata_fields, "venue") or get_string(metadata_fields, "journal") or None
    document.ids = get_ids(metadata_fields)
    document.subjects = get_strings(metadata_fields.get("mag_field_of_study"))
    paragraphs = get_objects(parsed_text.get("abstract"))
    document.abstract = [Paragraph(_inlines(paragraph)) for paragraph in paragraphs] or [
        Paragraph([text]) for text in [get_string(data, "abstract")] if text
    ]
    document.references = list(_references(parsed_text.get("bib_entries")))
    document.body = [
        *_blocks(get_objects(parsed_text.get("body_text"))),
        *_floats(parsed_text.get("ref_entries")),
        *_blocks(get_objects(parsed_text.get("back_matter"))),
    ]
    return document


# Paragraphs.


def _blocks(paragraphs: list[JsonObject]) -> Iterator[Block]:
    """Yield the paragraphs, with a heading where the section changes."""
    numbered = any(get_string(paragraph, "sec_num") for paragraph in paragraphs)
    last: tuple[str, str] = ("", "")
    level = 1
    for paragraph in paragraphs:
        section, number = get_string(paragraph, "section"), get_string(paragraph, "sec_num")
        if (section, number) != last and section:
            depth = len([part for part in number.split(".") if part])
            if depth:
                level = 1 + depth
            elif numbered and last[1]:
                level = min(6, level + 1)
            yield Heading(max(2, level), [f"{number} {section}" if number else section])
        last = (section, number)
        yield Paragraph(_inlines(paragraph))


def _inlines(paragraph: JsonObject) -> Inlines:
    """Return the text with its citations. A span that does not fit the text is skipped."""
    text = get_string(paragraph, "text", tidy=False)
    spans = sorted(_spans(paragraph.get("cite_spans"), text))
    return splice(text, ((a, b, split_brackets(text[a:b], (key,) if key else ())) for a, b, key in spans))


def _spans(spans: object, text: str) -> Iterator[tuple[int, int, str]]:
    for span in get_objects(spans):
        start, end, printed = span.get("start"), span.get("end"), span.get("text")
        if not isinstance(start, int) or not isinstance(end, int) or not 0 <= start < end <= len(text):
            continue
        if isinstance(printed, str) and printed and text[start:end] != printed:
            # Offsets counted in another unit drift: search nearby.
            start = text.find(printed, max(0, start - 50), end + 50)
            end = start + len(printed)
            if start < 0:
                continue
        yield start, end, get_string(span, "ref_id")


def _floats(entries: object) -> Iterator[Block]:
    """Yield the figures and tables, which S2ORC stores separately: captions, and rows if it has them."""
    for entry in entries.values() if isinstance(entries, dict) else ():
        if not isinstance(entry, dict):
            continue
        kind = get_string(entry, "type_str") or get_string(entry, "type")
        label = {"figure": "Figure", "table": "Table"}.get(kind)
        caption = get_string(entry, "text")
        if label is None or not caption:
            continue
        number = get_string(entry, "fig_num") or get_string(entry, "num")
        printed = caption if caption.lower().startswith(label.lower()) or not number else f"{label} {number}: {caption}"
        rows = [[TableCell([cell]) for cell in row] for row in _grid(entry.get("content"))]
        yield ParsedTable([printed], rows) if rows else Paragraph([printed])


def _grid(content: object) -> list[list[str]]:
    """Return the cells of a table written as simple HTML rows."""
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
        authors = [" ".join(filter(None, name)) for name in map(_name, get_objects(entry.get("authors")))]
        rest = [get_string(entry, field) for field in ("venue", "volume", "issue", "pages")]
        reference = build_reference(
            replace_surrogates(name),
            get_string(entry, "raw_text"),
            get_string(entry, "title"),
            [author for author in authors if author],
            parse_year(entry.get("year")),
            rest,
            get_ids(entry),
        )
        if reference.text:
            yield reference


def _name(author: JsonObject) -> tuple[str, str]:
    given = " ".join(filter(None, [get_string(author, "first"), *get_strings(author.get("middle"))]))
    family = " ".join(filter(None, [get_string(author, "last"), get_string(author, "suffix")]))
    return given, family or ("" if given else get_string(author, "name"))


def _affiliations(author: JsonObject) -> tuple[str, ...]:
    """Return an author's affiliation: at most one institution, with its city and country."""
    affiliation = author.get("affiliation")
    if not isinstance(affiliation, dict):
        return ()
    parts = [get_string(affiliation, "laboratory"), get_string(affiliation, "institution")]
    if isinstance(location := affiliation.get("location"), dict):
        parts += [get_string(location, "settlement"), get_string(location, "country")]
    text = ", ".join(filter(None, parts))
    return (text,) if text else ()
