"""Reader of plain text: notes, papers, books. Its blocks become Markdown, whose reader finds byline and references."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from fathom.corpus.readers.markdown.reader import read_blocks
from fathom.corpus.readers.parsed_document import CompanionFiles, ParsedDocument, ReadError
from fathom.corpus.readers.parsing.author_fields import YamlValue
from fathom.corpus.readers.parsing.decoding import decode
from fathom.corpus.readers.parsing.text_cleanup import strip_compression, title_from_name
from fathom.corpus.readers.text.lines import TextBlocks

FORMAT = "text"

_NAMES = (".txt", ".text")
_BINARY = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")


def matches(name: str, head: bytes) -> bool:
    """Return whether a file is plain text: by its suffix, or by its bytes if the name has no suffix."""
    path = PurePosixPath(strip_compression(name).lower())
    if path.suffix in _NAMES:
        return True
    return not path.suffix and bool(head.strip()) and not _BINARY.search(head) and b"\n" in head


_START, _END = (re.compile(rf"^\*\*\* ?{word} OF (?:THE|THIS) .{{0,200}}\*\*\*\s*$", re.M) for word in ("START", "END"))
_FIELD = re.compile(r"(title|authors?|by|date|published|license|keywords)[ \t]*:[ \t]+(\S.{0,300})", re.IGNORECASE)


def read(content: bytes, name: str, companions: CompanionFiles) -> Iterator[ParsedDocument]:
    """Read the one document of a file."""
    text, _, note = decode(content)
    values, text = _split_header(text)
    blocks = TextBlocks(text)
    parsed = blocks.parse(titled="title" in values)
    if not parsed:
        raise ReadError("it has no text")
    document = read_blocks(parsed, name, values)
    if not blocks.title_found and "title" not in values:
        document.title = title_from_name(name)
        document.unknown["title"] = "no line of its own above the text"
    elif blocks.title_doubt and "title" not in values:
        document.unknown["title"] = blocks.title_doubt
    if blocks.guessed_headings:
        document.unknown["sections"] = "headings without numbers or capitals"
    if note:
        document.notes["text"] = note
    yield document


def _split_header(text: str) -> tuple[dict[str, YamlValue], str]:
    """Return the fields "Title: ..." at the start of a text, and the text between the notices of an archive."""
    start, end = _START.search(text, 0, 20_000), None
    head, body = text[:3_000], text
    if start:
        end = _END.search(text, start.end())
        head, body = text[: start.start()], text[start.end() : end.start() if end else len(text)]
    fields: dict[str, YamlValue] = {}
    consumed = 0
    for line in head.split("\n"):
        field = _FIELD.fullmatch(line.strip())
        if field:
            fields.setdefault({"by": "author", "authors": "author"}.get(field[1].lower(), field[1].lower()), field[2])
        elif line.strip() and not start:
            break
        consumed += len(line) + 1
    if "title" not in fields:
        return {}, body
    return fields, body if start else text[consumed:]
