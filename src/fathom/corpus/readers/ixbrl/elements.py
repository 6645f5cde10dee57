"""Parsing of filings, strictly or after repair, and access to their elements."""

from __future__ import annotations

import html
import re
from functools import lru_cache
from typing import Any

from lxml import etree

from fathom.corpus.readers.parsed_document import ReadError
from fathom.corpus.readers.parsing.decoding import decode
from fathom.corpus.readers.parsing.tables import check_size
from fathom.corpus.readers.parsing.xml_trees import Element, walk_tree

_DECLARED = re.compile(rb"^\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([A-Za-z0-9._-]{2,40})[\"']")
_DECLARATION = re.compile(r"^\s*<\?xml[^>]{0,300}\?>")
_DOCTYPE = re.compile(r"<!DOCTYPE[^>\[]{0,500}(?:\[[^\]]{0,10000}\]\s*)?>")
_AMPERSAND = re.compile(r"&(?:#([0-9]{1,7}|[xX][0-9A-Fa-f]{1,6});|([A-Za-z][A-Za-z0-9]{0,30});)?")
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


NUMBER_TAGS = ("nonfraction", "fraction")
FACT_TAGS = (*NUMBER_TAGS, "nonnumeric")
"""Local names of the inline XBRL elements that state facts."""


def parse_filing(content: bytes) -> tuple[Any, str]:
    """Return the root element, and a description of the errors in the markup."""
    check_size(content)
    try:
        return etree.fromstring(content, _parser()), ""
    except (etree.XMLSyntaxError, ValueError, LookupError) as error:
        fault = str(error)
    if "depth" in fault.lower():
        raise ReadError("its elements are nested too deeply")
    repaired = _repaired(content)
    parsers = (_parser(recover=True), etree.HTMLParser(no_network=True, encoding="utf-8"))
    trees = [tree for parser in parsers if (tree := _parse_with(repaired, parser)) is not None]
    # One parser may continue where the other gives up. The first one wins a tie: it supports namespaces.
    best = max(trees, key=_recovered_content, default=None)
    if best is None or not _recovered_content(best)[0]:
        raise ReadError(f"it is not inline XBRL: {fault[:200]}")
    return best, f"not well-formed, read as far as possible ({fault[:200]})"


def _parse_with(content: bytes, parser: Any) -> Any:
    try:
        return etree.fromstring(content, parser)
    except (etree.XMLSyntaxError, ValueError, AssertionError):
        return None


def _recovered_content(root: Any) -> tuple[int, int]:
    """Measure how much of a filing is in a tree: its facts and contexts, and its characters."""
    names = ((local_name(element), element) for element in root.iter())
    tags = sum(name == "context" or (name in FACT_TAGS and is_ixbrl(one)) for name, one in names)
    return tags, sum(map(len, root.itertext()))


def _parser(recover: bool = False) -> Any:
    encoding = "utf-8" if recover else None
    return etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, recover=recover, encoding=encoding
    )


def _repaired(content: bytes) -> bytes:
    """Return UTF-8 with valid ampersands: the recovering parser silently drops "&" and "&nbsp;"."""
    named = _DECLARED.match(content[:400])
    text = decode(content, named[1].decode("ascii") if named else "utf-8").text
    text = _DOCTYPE.sub("", _DECLARATION.sub("", text.lstrip("\ufeff")), count=1)
    return _FORBIDDEN.sub("", _AMPERSAND.sub(_reference, text)).encode("utf-8", "replace")


def _reference(match: re.Match[str]) -> str:
    if match[1]:
        return match[0]
    # Use numeric references: after an error the recovering parser drops even "&amp;".
    known = html.entities.html5.get(f"{match[2]};", "") if match[2] else ""
    return "".join(f"&#{ord(sign)};" for sign in known) if known else "&#38;" + match[0][1:]


def local_name(element: Element) -> str:
    """Return an element's lowercase name without its prefix; empty for comments."""
    return _without_prefix(element.tag) if isinstance(element.tag, str) else ""


@lru_cache(maxsize=10_000)
def _without_prefix(tag: str) -> str:
    return tag.rpartition("}")[2].rpartition(":")[2].lower()


def is_ixbrl(element: Element) -> bool:
    """Return whether an element belongs to inline XBRL."""
    tag = element.tag
    return isinstance(tag, str) and ("inlineXBRL}" in tag or tag.lower().startswith("ix:"))


def attribute(element: Element, name: str) -> str:
    """Return an attribute, ignoring case: the HTML parser lowercases all names."""
    value = element.get(name)
    if value is None:
        value = element.get(name.lower())
    return (value or "").strip()


def is_nil(element: Element) -> bool:
    """Return whether a fact is nil."""
    value = element.get("{http://www.w3.org/2001/XMLSchema-instance}nil") or element.get("xsi:nil") or ""
    return value.strip() in ("true", "1")


_MAX_EVENTS = 5_000
"""Maximum number of nodes visited for the text of one element."""
MAX_TEXT = 5_000
"""Maximum number of characters of one element's text."""


def element_text(element: Element) -> str:
    """Return the beginning of an element's text, without excluded parts."""
    if not len(element):
        return (element.text or "")[:MAX_TEXT]
    pieces: list[str] = []
    size = 0
    excluded = 0
    for step, (event, node) in enumerate(walk_tree(element)):
        if size > MAX_TEXT or step > _MAX_EVENTS:
            break
        if event == "text" and not excluded:
            pieces.append(node)
            size += len(node)
        elif event != "text" and local_name(node) == "exclude":
            excluded += 1 if event == "open" else -1
    return "".join(pieces)[:MAX_TEXT]
