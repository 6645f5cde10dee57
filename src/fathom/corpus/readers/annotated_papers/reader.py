"""Reader of JSON lines: papers in Markdown with metadata, some with the texts of the works they cite."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from fathom.corpus.readers.markdown.reader import read_text
from fathom.corpus.readers.parsed_document import (
    CompanionFiles,
    Paragraph,
    ParsedDocument,
    ParsedLine,
    ParsedReference,
    ReadError,
)
from fathom.corpus.readers.parsing.decoding import decode_text
from fathom.corpus.readers.parsing.json_objects import JsonObject, parse_object
from fathom.corpus.readers.parsing.reference_lists import ReferenceEntry
from fathom.records.names import without_accents

FORMAT = "papers-jsonl"


def matches(name: str, head: bytes) -> bool:
    """Return whether a file contains such lines, by its beginning."""
    return head.lstrip()[:1] == b"{" and b'"markdown":' in head and ".json" in name.lower()


def read(content: bytes, name: str, companions: CompanionFiles) -> Iterator[ParsedDocument]:
    """Read the one paper of a file, then the cited works with a text. Files of many lines are streamed."""
    parsed = read_line(content, name, 0)
    yield parsed.document
    failures: list[ReadError] = []
    for work in parsed.attached.values():
        try:
            yield read_attached(work, name)
        except ReadError as error:
            failures.append(error)
    for failure in failures:
        raise failure


def read_line(line: bytes, name: str, number: int) -> ParsedLine:
    """Return the paper on one line, and the cited works with a text."""
    paper = parse_object(decode_text(line))
    works = _cited_works(paper)
    parsed = ParsedLine(_read_paper(paper, works, name, number))
    for work in works:
        if _text(work, "arxiv_id") and work.get("sections"):
            parsed.attached.setdefault(_text(work, "arxiv_id"), work)
    return parsed


def _text(line: JsonObject, name: str) -> str:
    value = line.get(name)
    # JSON can contain lone surrogates, which no text can.
    return " ".join(value.encode("utf-8", "replace").decode().split()) if isinstance(value, str) else ""


def _cited_works(line: JsonObject) -> list[JsonObject]:
    """Return the cited works of a line, without texts that belong to other works."""
    works = line.get("references")
    objects = [work for work in works if isinstance(work, dict)] if isinstance(works, list) else []
    titles: dict[str, set[str]] = {}
    for work in objects:
        titles.setdefault(_text(work, "arxiv_id"), set()).add(_alphanumeric(_title(work)))
    return [
        work if len(titles[_text(work, "arxiv_id")]) == 1 and _text_fits_title(work) else _without_text(work)
        for work in objects
    ]


def _text_fits_title(work: JsonObject) -> bool:
    """Return whether a text contains the words of its title: "Dota 2 with ..." had the text of another paper."""
    sections = work.get("sections")
    texts = [part.get("text") for part in sections if isinstance(part, dict)] if isinstance(sections, list) else []
    content = _lowercase(f"{_text(work, 'abstract')} {' '.join(text for text in texts if isinstance(text, str))}")
    stems = (word[:6] for word in re.findall(r"[^\W\d_]{4,}", _lowercase(_title(work))))
    return not sections or all(word in content for word in stems)


def _lowercase(text: str) -> str:
    """Convert to lower case without accents, including those of TeX (Schr\\"odinger)."""
    return without_accents(re.sub(r"\\[\"'`^~=.]", "", text)).lower()


def _without_text(work: JsonObject) -> JsonObject:
    """Return a work without a text that was attached because of a similar title."""
    return {**work, "arxiv_id": "", "abstract": "", "sections": []}


def _read_paper(line: JsonObject, works: list[JsonObject], name: str, number: int) -> ParsedDocument:
    if not isinstance(line.get("markdown"), str):
        raise ReadError("it has no Markdown")
    entries = [entry for entry in map(_entry, works) if entry.text]
    document = read_text(line["markdown"], f"{name}!{_text(line, 'arxiv_id') or number}", entries)
    document.title = _text(line, "title") or document.title
    document.ids |= {"arxiv": _text(line, "arxiv_id")} if _text(line, "arxiv_id") else {}
    document.kind = "article"
    if not document.abstract and _text(line, "abstract"):
        document.abstract = [Paragraph([_text(line, "abstract")])]
    if document.references and entries and document.references[0].key == entries[0].anchors[0]:
        document.notes["references"] = "from the metadata, since the text has no reference list"
    document.references = [_with_arxiv_id(reference, works) for reference in document.references]
    return document


def _entry(work: JsonObject) -> ReferenceEntry:
    """Return a cited work as a reference entry, for a paper whose reference list is lost."""
    key, title = _text(work, "id"), _text(work, "title")
    blocks = tuple(_text(work, name).rstrip(".") for name in ("citation", "title", "venue"))
    text = ". ".join(filter(None, blocks))
    ids = {"arxiv": _text(work, "arxiv_id")} if _text(work, "arxiv_id") else {}
    return ReferenceEntry(
        text if key and title else "", blocks[0], (key,), (re.sub(r"\W*\d.*", "", blocks[0]), *blocks[1:]), ids
    )


def _with_arxiv_id(reference: ParsedReference, works: list[JsonObject]) -> ParsedReference:
    """Return a reference with the id of the cited work of exactly the same title; some are only similar."""
    if reference.ids.get("arxiv"):
        return reference
    for work in works:
        title, key = _alphanumeric(_title(work)), re.sub(r"\D", "", _text(work, "id"))
        if key and key == re.sub(r"\D", "", reference.key) and len(title) > 10 and _has_title(reference, title):
            return replace(reference, ids={**reference.ids, "arxiv": _text(work, "arxiv_id")})
    return reference


def _title(work: JsonObject) -> str:
    """Return a cited work's title without a period or year at its end."""
    return re.sub(r"[.,]?\s*(?:,\s*(?:[A-Z][a-z]+\s)?(?:19|20)\d\d[a-z]?)?\.?$", "", _text(work, "title"))


def _has_title(reference: ParsedReference, title: str) -> bool:
    """Return whether an entry has exactly this title; "Segment anything" is attached to "Fast segment anything"."""
    own = _alphanumeric(reference.title) if reference.title else ""
    return title == own if own else title in _alphanumeric(reference.text)


def _alphanumeric(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()


# Cited works. The targets of their links are lost, so their citations are unknown.

_STRAY_BRACKET = re.compile(r"(?<!\\)\]\)")
_TOOLTIP = re.compile(r"(?<=\])[^\"\[\]‣]{0,300}‣[^\"]{0,600}\"\)?")
_BARE_LINK = re.compile(r"(?<!\\)\[([^\[\]]{1,80}?)(?<!\\)\]")


def read_attached(work: JsonObject, name: str) -> ParsedDocument:
    """Return a cited work."""
    sections = work.get("sections")
    parts = [part for part in sections if isinstance(part, dict)] if isinstance(sections, list) else []
    texts = [
        f"## {_text(part, 'name').rstrip(chr(92))}\n\n{_clean(part['text'])}"
        for part in parts
        if isinstance(part.get("text"), str)
    ]
    source = f"{name}!{_text(work, 'arxiv_id')}"
    try:
        document = read_text("\n\n".join([f"# {_text(work, 'title')}", *texts]), source)
    except ReadError as reason:
        raise ReadError(f"{reason} (the cited work {_text(work, 'arxiv_id')})") from reason
    document.kind = "article"
    document.title = _title(work) or document.title
    document.ids = {"arxiv": _text(work, "arxiv_id")}
    document.venue = _text(work, "venue") or None
    document.abstract = [Paragraph([_text(work, "abstract")])] if _text(work, "abstract") else []
    document.notes["citations"] = "none, since the source lost the link targets"
    return document


def _clean(text: str) -> str:
    text = _TOOLTIP.sub("", text)
    strays = len(_STRAY_BRACKET.findall(text))
    if strays and (text.count(")") - text.count("(")) * 2 > strays:
        text = _STRAY_BRACKET.sub("]", text)
    return re.sub(r"(?<=\\\[) +", "", _BARE_LINK.sub(r"\1", text)).replace("‣", "")
