"""From the bytes of a JATS file to its elements: nothing fetched, nothing expanded, no name left unresolved."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.entities import html5
from typing import Any

from fathom.corpus.readers.parsed_document import ReadError
from fathom.corpus.readers.parsing.xml_trees import root_of

Element = Any
"""An element of lxml, which has no types of its own."""

HREF = "{http://www.w3.org/1999/xlink}href"
LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"

DEEPEST = 100
"""Elements may stand this deep in one another; of four hundred real documents the deepest reaches 29."""


def parsed(content: bytes) -> Element:
    """The root element, with nothing fetched, nothing expanded, and no comment or entity left between the words."""
    content, declared = _without_doctype(_in_ascii_form(content))
    content = _with_characters(content, declared)
    root: Element = root_of(content)
    if root.xpath("boolean(" + "/*" * (DEEPEST + 1) + ")"):
        raise ReadError(f"its elements are nested more than {DEEPEST} deep")
    if _IN_NAMESPACE.search(content):
        _drop_namespace(root)
    return root


def _in_ascii_form(content: bytes) -> bytes:
    """UTF-16 and UTF-32 as UTF-8 without a declaration, so that the markup can be seen in the bytes."""
    for mark, encoding in _WIDE:
        if content.startswith(mark):
            try:
                text = content.decode(encoding)
            except UnicodeDecodeError as error:
                raise ReadError(f"it begins as {encoding} but is not: {error.reason}") from error
            text = text.removeprefix("\ufeff")
            return re.sub(r"\A\s*<\?xml[^>]*>", "", text).encode("utf-8", "replace")
    return content


_WIDE = (
    (b"\xff\xfe\0\0", "utf-32-le"),
    (b"\0\0\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
    (b"<\0?\0", "utf-16-le"),
    (b"\0<\0?", "utf-16-be"),
)


def _without_doctype(content: bytes) -> tuple[bytes, dict[bytes, bytes]]:
    """The document without its document type, and the short texts which that gives names to."""
    begin = content.find(b"<!DOCTYPE")
    first = _FIRST_ELEMENT.search(content)
    if begin < 0 or first is None or begin > first.start():
        return content, {}
    inside = False
    for token in _DOCTYPE_TOKEN.finditer(content, begin):
        sign = token.group()
        inside = (inside or sign == b"[") and sign != b"]"
        if sign == b">" and not inside:
            doctype = content[begin : token.end()]
            return content[:begin] + content[token.end() :], dict(_declared(doctype))
    raise ReadError("its document type has no end")


_FIRST_ELEMENT = re.compile(rb"<[A-Za-z_]")
_DOCTYPE_TOKEN = re.compile(rb"\"[^\"]*\"|'[^']*'|<!--(?:.*?-->|.*)|[\[\]>]", re.DOTALL)


def _declared(doctype: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Names for a few plain characters; one that stands for others, for markup or for much is left out."""
    for match in re.finditer(rb"<!ENTITY\s+([\w.:-]+)\s+(?:\"([^\"]*)\"|'([^']*)')\s*>", doctype):
        value = match.group(2) or match.group(3) or b""
        if len(value) <= 64 and re.fullmatch(rb"(?:[^<&%]|&#x?[0-9A-Fa-f]+;)*", value):
            yield match.group(1), value


_NAMED = re.compile(rb"<!\[CDATA\[(?:.*?\]\]>|.*)|<!--(?:.*?-->|.*)|&([A-Za-z][\w.:-]*);", re.DOTALL)
_BEYOND_XML = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos);|#)")


def _with_characters(content: bytes, declared: dict[bytes, bytes]) -> bytes:
    """The document with characters where it names them.

    A parser that loads no document type refuses "&alpha;", or makes a node of it that whoever walks the tree for texts
    passes over without a sign; so no such name ever reaches the parser. One that nobody knows is kept as it is written.
    """
    if not _BEYOND_XML.search(content):
        return content

    def character(match: re.Match[bytes]) -> bytes:
        name = match.group(1)
        if name is None or name in (b"amp", b"lt", b"gt", b"quot", b"apos"):
            return match.group()
        if name in declared:
            return declared[name]
        known = html5.get(name.decode("ascii", "replace") + ";")
        return "".join(f"&#{ord(sign)};" for sign in known).encode() if known else b"&amp;" + name + b";"

    return _NAMED.sub(character, content)


_IN_NAMESPACE = re.compile(rb"xmlns[\w:-]*\s*=\s*[\"'][^\"']*(?:\.nlm\.nih\.gov|/oasis-exchange/)")


def _drop_namespace(root: Element) -> None:
    """Take the namespaces that some deliveries put JATS or the tables of OASIS in from the names of elements."""
    for element in root.iter():
        space, brace, name = element.tag.rpartition("}")
        if brace and (".nlm.nih.gov" in space or "/oasis-exchange/" in space):
            element.tag = name


def outermost(root: Element, tag: str) -> list[Element]:
    """The elements of a name that stand in no other of that name."""
    found = root.iter(tag)
    return [element for element in found if next(element.iterancestors(tag), None) is None]
