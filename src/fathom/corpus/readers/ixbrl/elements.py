"""Filings as trees: parsed strictly where they can be, mended where they cannot, walked without recursion."""

from __future__ import annotations

import html
import re
from typing import Any

from lxml import etree

from fathom.corpus.readers.parsed_document import ReadError
from fathom.corpus.readers.parsing.decoding import decoded_as
from fathom.corpus.readers.parsing.xml_trees import walk_tree
from fathom.corpus.readers.tabular.limits import check_size

_DECLARED = re.compile(rb"^\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([A-Za-z0-9._-]{2,40})[\"']")
_DECLARATION = re.compile(r"^\s*<\?xml[^>]{0,300}\?>")
_DOCTYPE = re.compile(r"<!DOCTYPE[^>\[]{0,500}(?:\[[^\]]{0,10000}\]\s*)?>")
_AMPERSAND = re.compile(r"&(?:#([0-9]{1,7}|[xX][0-9A-Fa-f]{1,6});|([A-Za-z][A-Za-z0-9]{0,30});)?")
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


NUMBERS = ("nonfraction", "fraction")
FACTS = (*NUMBERS, "nonnumeric")
"""The tags of inline XBRL that say something, by their local names."""


def root_of(content: bytes) -> tuple[Any, str]:
    """The document's root, and what was wrong with it."""
    check_size(content)
    try:
        return etree.fromstring(content, _parser()), ""
    except (etree.XMLSyntaxError, ValueError, LookupError) as error:
        fault = str(error)
    if "depth" in fault.lower():
        raise ReadError("its elements are nested too deep")
    mended = _mended(content)
    parsers = (_parser(recover=True), etree.HTMLParser(no_network=True, encoding="utf-8"))
    trees = [tree for parser in parsers if (tree := _tolerant(mended, parser)) is not None]
    # Where one parser gives up at a fault the other may go on; a tie is won by the one that knows namespaces.
    best = max(trees, key=_yield, default=None)
    if best is None or not _yield(best)[0]:
        raise ReadError(f"it is no inline XBRL: {fault[:200]}")
    return best, f"not well formed, read as far as it goes ({fault[:200]})"


def _tolerant(content: bytes, parser: Any) -> Any:
    try:
        return etree.fromstring(content, parser)
    except (etree.XMLSyntaxError, ValueError, AssertionError):
        return None


def _yield(root: Any) -> tuple[int, int]:
    """How much of a filing is in a tree: its tags and contexts, its characters."""
    names = ((local_name(element), element) for element in root.iter())
    tags = sum(name == "context" or (name in FACTS and is_tag(one)) for name, one in names)
    return tags, sum(map(len, root.itertext()))


def _parser(recover: bool = False) -> Any:
    encoding = "utf-8" if recover else None
    return etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, recover=recover, encoding=encoding
    )


def _mended(content: bytes) -> bytes:
    """The text in UTF-8 with every ampersand in order: a parser that recovers drops "&" and "&nbsp;" in silence."""
    named = _DECLARED.match(content[:400])
    text, _ = decoded_as(content, named[1].decode("ascii") if named else "utf-8")
    text = _DOCTYPE.sub("", _DECLARATION.sub("", text.lstrip("\ufeff")), count=1)
    return _FORBIDDEN.sub("", _AMPERSAND.sub(_reference, text)).encode("utf-8", "replace")


def _reference(match: re.Match[str]) -> str:
    if match[1]:
        return match[0]
    # As numbers: after a fault the parser that recovers drops even "&amp;".
    known = html.entities.html5.get(f"{match[2]};", "") if match[2] else ""
    return "".join(f"&#{ord(sign)};" for sign in known) if known else "&#38;" + match[0][1:]


_LOCAL: dict[str, str] = {}


def local_name(element: Any) -> str:
    """An element's name in small letters without its prefix; empty for comments and the like."""
    tag = element.tag
    if not isinstance(tag, str):
        return ""
    known = _LOCAL.get(tag)
    if known is None:
        known = tag.rpartition("}")[2].rpartition(":")[2].lower()
        if len(_LOCAL) < 10_000:
            _LOCAL[tag] = known
    return known


def is_tag(element: Any) -> bool:
    """Whether it belongs to inline XBRL."""
    tag = element.tag
    return isinstance(tag, str) and ("inlineXBRL}" in tag or tag.lower().startswith("ix:"))


def attribute_of(element: Any, name: str) -> str:
    """An attribute by its local name, whatever its case: the tolerant parser writes all in small letters."""
    value = element.get(name)
    if value is None:
        value = element.get(name.lower())
    return (value or "").strip()


def is_nil(element: Any) -> bool:
    """Whether a tag says that there is no value."""
    value = element.get("{http://www.w3.org/2001/XMLSchema-instance}nil") or element.get("xsi:nil") or ""
    return value.strip() in ("true", "1")


_MOST_PIECES = 5_000
MOST_TEXT = 5_000


def text_of(element: Any) -> str:
    """The text in an element, of a long one the beginning; what is excluded from a tag is left out."""
    if not len(element):
        return (element.text or "")[:MOST_TEXT]
    pieces: list[str] = []
    size = 0
    excluded = 0
    for step, (event, node) in enumerate(walk_tree(element)):
        if size > MOST_TEXT or step > _MOST_PIECES:
            break
        if event == "text" and not excluded:
            pieces.append(node)
            size += len(node)
        elif event != "text" and local_name(node) == "exclude":
            excluded += 1 if event == "open" else -1
    return "".join(pieces)[:MOST_TEXT]
