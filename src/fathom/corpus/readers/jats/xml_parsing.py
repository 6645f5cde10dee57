"""Parsing of JATS XML: nothing is fetched, and named characters are resolved before parsing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.entities import html5

from fathom.corpus.readers.parsed_document import ReadError
from fathom.corpus.readers.parsing.xml_trees import Element, parse_xml

HREF = "{http://www.w3.org/1999/xlink}href"
LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"

MAX_DEPTH = 100
"""Maximum nesting. Of four hundred real documents the deepest has 29 levels."""


def parse_jats(content: bytes) -> Element:
    """Return the root element, without comments, entities and JATS namespaces."""
    content, declared = _split_doctype(_to_utf8(content))
    content = _resolve_entities(content, declared)
    root: Element = parse_xml(content)
    if root.xpath("boolean(" + "/*" * (MAX_DEPTH + 1) + ")"):
        raise ReadError(f"its elements are nested more than {MAX_DEPTH} deep")
    if _IN_NAMESPACE.search(content):
        _drop_namespace(root)
    return root


def _to_utf8(content: bytes) -> bytes:
    """Convert UTF-16 and UTF-32 to UTF-8 without a declaration, so that the markup is visible in the bytes."""
    for mark, encoding in _WIDE_ENCODINGS:
        if content.startswith(mark):
            try:
                text = content.decode(encoding)
            except UnicodeDecodeError as error:
                raise ReadError(f"it starts as {encoding} but is not: {error.reason}") from error
            text = text.removeprefix("\ufeff")
            return re.sub(r"\A\s*<\?xml[^>]*>", "", text).encode("utf-8", "replace")
    return content


_WIDE_ENCODINGS = (
    (b"\xff\xfe\0\0", "utf-32-le"),
    (b"\0\0\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
    (b"<\0?\0", "utf-16-le"),
    (b"\0<\0?", "utf-16-be"),
)


def _split_doctype(content: bytes) -> tuple[bytes, dict[bytes, bytes]]:
    """Return the document without its DOCTYPE, and the short entities declared there."""
    begin = content.find(b"<!DOCTYPE")
    first = _FIRST_ELEMENT.search(content)
    if begin < 0 or first is None or begin > first.start():
        return content, {}
    walk_children = False
    for token in _DOCTYPE_TOKEN.finditer(content, begin):
        sign = token.group()
        walk_children = (walk_children or sign == b"[") and sign != b"]"
        if sign == b">" and not walk_children:
            doctype = content[begin : token.end()]
            return content[:begin] + content[token.end() :], dict(_declared_entities(doctype))
    raise ReadError("its DOCTYPE has no end")


_FIRST_ELEMENT = re.compile(rb"<[A-Za-z_]")
_DOCTYPE_TOKEN = re.compile(rb"\"[^\"]*\"|'[^']*'|<!--(?:.*?-->|.*)|[\[\]>]", re.DOTALL)


def _declared_entities(doctype: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield declared entities that are short and plain. Nested, long and markup entities are left out."""
    for match in re.finditer(rb"<!ENTITY\s+([\w.:-]+)\s+(?:\"([^\"]*)\"|'([^']*)')\s*>", doctype):
        value = match.group(2) or match.group(3) or b""
        if len(value) <= 64 and re.fullmatch(rb"(?:[^<&%]|&#x?[0-9A-Fa-f]+;)*", value):
            yield match.group(1), value


_NAMED = re.compile(rb"<!\[CDATA\[(?:.*?\]\]>|.*)|<!--(?:.*?-->|.*)|&([A-Za-z][\w.:-]*);", re.DOTALL)
_BEYOND_XML = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos);|#)")


def _resolve_entities(content: bytes, declared: dict[bytes, bytes]) -> bytes:
    """Replace named characters by numeric references.

    Without a DTD the parser refuses "&alpha;", or creates a node that code collecting text silently skips. So no such
    name reaches the parser. An unknown name is kept as written.
    """
    if not _BEYOND_XML.search(content):
        return content

    def character(match: re.Match[bytes]) -> bytes:
        name = match.group(1)
        if name is None or name in (b"amp", b"lt", b"gt", b"quot", b"apos"):
            return match.group()
        if name in declared:
            return declared[name]
        characters = html5.get(name.decode("ascii", "replace") + ";")
        return "".join(f"&#{ord(sign)};" for sign in characters).encode() if characters else b"&amp;" + name + b";"

    return _NAMED.sub(character, content)


_IN_NAMESPACE = re.compile(rb"xmlns[\w:-]*\s*=\s*[\"'][^\"']*(?:\.nlm\.nih\.gov|/oasis-exchange/)")


def _drop_namespace(root: Element) -> None:
    """Remove the JATS and OASIS table namespaces that some publishers use from element names."""
    for element in root.iter():
        space, brace, name = element.tag.rpartition("}")
        if brace and (".nlm.nih.gov" in space or "/oasis-exchange/" in space):
            element.tag = name


def outermost(root: Element, tag: str) -> list[Element]:
    """Return the elements of a name that are not inside another one of that name."""
    found = root.iter(tag)
    return [element for element in found if next(element.iterancestors(tag), None) is None]
