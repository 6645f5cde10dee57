"""Reads S2ORC's JSON: paragraphs with the places of their citations, and the entries they point to."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fathom.corpus.readers.found import (
    Block,
    Found,
    FoundAuthor,
    FoundReference,
    FoundTable,
    Heading,
    Paragraph,
    Siblings,
    TableCell,
    Unreadable,
    Words,
)
from fathom.corpus.readers.json_lines import JsonObject, read_objects
from fathom.corpus.readers.reference_strings import bare_doi
from fathom.corpus.readers.tei import marked, reference_entry

KIND = "s2orc"

_PARSES = ("pdf_parse", "latex_parse", "jats_parse", "grobid_parse")


def looks_like(name: str, head: bytes) -> bool:
    """Whether a file is S2ORC: JSON that names its parts in the beginning."""
    start = head.lstrip()[:1]
    return start == b"{" and (
        b'"body_text"' in head or b'"pdf_parse"' in head or b'"latex_parse"' in head or b'"cite_spans"' in head
    )


def read(content: bytes, name: str, siblings: Siblings) -> Iterator[Found]:
    """The documents of a file: one object, or one on each line."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Unreadable(f"it is no UTF-8: byte {error.start} cannot be read") from error
    yield from read_objects(text, name, lambda one, number: _document(one, f"{name}#{number}" if number else name))


def _document(whole: JsonObject, source: str) -> Found:
    parse = next((whole[name] for name in _PARSES if isinstance(whole.get(name), dict)), whole)
    if not isinstance(parse.get("body_text"), list) and not isinstance(parse.get("abstract"), list):
        raise Unreadable("it is no S2ORC: it has neither body_text nor an abstract in paragraphs")
    # CORD-19 keeps title and authors in "metadata".
    about = whole | metadata if isinstance(metadata := whole.get("metadata"), dict) else whole
    found = Found(source=source)
    found.title = _string(about, "title") or _string(parse, "title")
    found.authors = [
        FoundAuthor(given if family else "", family or given, affiliations=_affiliations(one))
        for one in _objects(about.get("authors"))
        for given, family in [_name(one)]
        if family or given
    ]
    found.year = _year(about.get("year"))
    found.venue = _string(about, "venue") or _string(about, "journal") or None
    found.ids = _ids(about)
    found.subjects = _strings(about.get("mag_field_of_study"))
    paragraphs = _objects(parse.get("abstract"))
    found.abstract = [Paragraph(_words(one)) for one in paragraphs] or [
        Paragraph([text]) for text in [_string(whole, "abstract")] if text
    ]
    found.references = list(_references(parse.get("bib_entries")))
    found.body = [
        *_blocks(_objects(parse.get("body_text"))),
        *_floats(parse.get("ref_entries")),
        *_blocks(_objects(parse.get("back_matter"))),
    ]
    return found


# Paragraphs.


def _blocks(paragraphs: list[JsonObject]) -> Iterator[Block]:
    """The paragraphs, with a heading wherever the section changes."""
    numbered = any(_string(one, "sec_num") for one in paragraphs)
    last: tuple[str, str] = ("", "")
    level = 1
    for one in paragraphs:
        section, number = _string(one, "section"), _string(one, "sec_num")
        if (section, number) != last and section:
            depth = len([part for part in number.split(".") if part])
            if depth:
                level = 1 + depth
            elif numbered and last[1]:
                level = min(6, level + 1)
            yield Heading(max(2, level), [f"{number} {section}" if number else section])
        last = (section, number)
        yield Paragraph(_words(one))


def _words(paragraph: JsonObject) -> Words:
    """The text cut at its citations; a span that does not fit the text is passed over."""
    text = _string(paragraph, "text", tidy=False)
    words: Words = []
    place = 0
    for start, end, key in sorted(_spans(paragraph.get("cite_spans"), text)):
        if start < place:
            continue
        words.append(text[place:start])
        words.extend(marked(text[start:end], (key,) if key else ()))
        place = end
    return [*words, text[place:]]


def _spans(spans: object, text: str) -> Iterator[tuple[int, int, str]]:
    for span in _objects(spans):
        start, end, printed = span.get("start"), span.get("end"), span.get("text")
        if not isinstance(start, int) or not isinstance(end, int) or not 0 <= start < end <= len(text):
            continue
        if isinstance(printed, str) and printed and text[start:end] != printed:
            # Offsets counted in another unit drift; nearby the words are still found.
            start = text.find(printed, max(0, start - 50), end + 50)
            end = start + len(printed)
            if start < 0:
                continue
        yield start, end, _string(span, "ref_id")


def _floats(entries: object) -> Iterator[Block]:
    """Figures and tables, which S2ORC sets apart from the text: captions, and rows where it has them."""
    for entry in entries.values() if isinstance(entries, dict) else ():
        if not isinstance(entry, dict):
            continue
        kind = _string(entry, "type_str") or _string(entry, "type")
        label = {"figure": "Figure", "table": "Table"}.get(kind)
        caption = _string(entry, "text")
        if label is None or not caption:
            continue
        number = _string(entry, "fig_num") or _string(entry, "num")
        printed = caption if caption.lower().startswith(label.lower()) or not number else f"{label} {number}: {caption}"
        rows = [[TableCell([cell]) for cell in row] for row in _grid(entry.get("content"))]
        yield FoundTable([printed], rows) if rows else Paragraph([printed])


def _grid(content: object) -> list[list[str]]:
    """The cells of a table that was written as simple HTML rows."""
    if not isinstance(content, str) or "<tr" not in content:
        return []
    rows = re.split(r"<tr[^<>]{0,200}>", content[:1_000_000])[1:]
    cells = [re.split(r"<t[dh][^<>]{0,200}>", row)[1:] for row in rows]
    return [[re.sub(r"<[^<>]{0,200}>", " ", cell).strip() for cell in row] for row in cells if row]


# References.


def _references(entries: object) -> Iterator[FoundReference]:
    for name, entry in entries.items() if isinstance(entries, dict) else ():
        if not isinstance(entry, dict):
            continue
        authors = [" ".join(filter(None, name)) for name in map(_name, _objects(entry.get("authors")))]
        rest = [_string(entry, field) for field in ("venue", "volume", "issue", "pages")]
        reference = reference_entry(
            _whole(name),
            _string(entry, "raw_text"),
            _string(entry, "title"),
            [author for author in authors if author],
            _year(entry.get("year")),
            rest,
            _ids(entry),
        )
        if reference.text:
            yield reference


def _ids(entry: JsonObject) -> dict[str, str]:
    """The ids of a document or of a reference: in "other_ids", or beside the title."""
    ids: dict[str, str] = {}
    other = entry.get("other_ids")
    for name, value in [*(other.items() if isinstance(other, dict) else ()), *entry.items()]:
        scheme = {"doi": "doi", "arxiv": "arxiv", "arxiv_id": "arxiv", "pmid": "pmid", "pubmed_id": "pmid"}.get(
            name.lower(), "pmcid" if name.lower() in ("pmcid", "pmc", "pmc_id") else ""
        )
        first = next(iter(_strings(value)), "")
        if scheme and first:
            ids.setdefault(scheme, bare_doi(first) if scheme == "doi" else re.sub(r"(?i)^arxiv:\s*", "", first))
    return {scheme: value for scheme, value in ids.items() if value}


def _name(author: JsonObject) -> tuple[str, str]:
    given = " ".join(filter(None, [_string(author, "first"), *_strings(author.get("middle"))]))
    family = " ".join(filter(None, [_string(author, "last"), _string(author, "suffix")]))
    return given, family or ("" if given else _string(author, "name"))


def _affiliations(author: JsonObject) -> tuple[str, ...]:
    """Where an author works: one body at most, with its town and country."""
    body = author.get("affiliation")
    if not isinstance(body, dict):
        return ()
    parts = [_string(body, "laboratory"), _string(body, "institution")]
    if isinstance(place := body.get("location"), dict):
        parts += [_string(place, "settlement"), _string(place, "country")]
    text = ", ".join(filter(None, parts))
    return (text,) if text else ()


# Values of any type, since nothing promises theirs.


def _string(entry: JsonObject, name: str, tidy: bool = True) -> str:
    value = entry.get(name)
    text = value if isinstance(value, str) else str(value) if isinstance(value, int) and value is not True else ""
    text = _whole(text)
    return " ".join(text.split()) if tidy else text


def _whole(text: str) -> str:
    """Without halves of characters, which JSON can spell; each is one sign, so that places in the text stay."""
    return _HALF.sub("?", text)


_HALF = re.compile("[\ud800-\udfff]")


def _strings(value: object) -> list[str]:
    values = value if isinstance(value, list) else [value]
    texts = [_whole(str(one)).strip() for one in values if isinstance(one, str | int) and not isinstance(one, bool)]
    return [text for text in texts if text]


def _objects(value: object) -> list[JsonObject]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _year(value: object) -> int | None:
    found = re.fullmatch(r"(1[5-9]\d\d|20\d\d)(?:\.0|-\d\d.*)?", str(value).strip())
    return int(found[1]) if found else None
