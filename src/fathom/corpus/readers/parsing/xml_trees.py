"""Safe parsing of untrusted XML: nothing is fetched or expanded, and no huge tree is built."""

from __future__ import annotations

import html
from collections.abc import Iterator
from typing import Any

from lxml import etree

from fathom.corpus.readers.parsed_document import ReadError

Element = Any
"""An lxml element. lxml has no type annotations."""


def parse_xml(content: bytes) -> Element:
    """Return the root element, without comments and processing instructions; raises `ReadError` if there is none.

    With `huge_tree` off, the parser refuses nesting deeper than 256 and entity bombs. Ids are not collected, because
    documents that share a file use the same ids.
    """
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        collect_ids=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root = etree.fromstring(content, parser)
    except (etree.XMLSyntaxError, LookupError, ValueError) as error:
        raise ReadError(f"it is not well-formed XML: {str(error)[:200]}") from error
    if root is None:
        raise ReadError("it is not well-formed XML: it has no element")
    return root


def walk_tree(root: Element) -> Iterator[tuple[str, Any]]:
    """Yield "open" and "close" events with elements, and "text" events with strings, in document order.

    Does not recurse. An unexpanded entity is yielded as the character it stands for, if HTML defines it.
    """
    stack = [(root, iter(root))]
    yield "open", root
    if root.text:
        yield "text", root.text
    while stack:
        element, children = stack[-1]
        child = next(children, None)
        if child is None:
            stack.pop()
            yield "close", element
            if stack and element.tail:
                yield "text", element.tail
        elif isinstance(child.tag, str):
            stack.append((child, iter(child)))
            yield "open", child
            if child.text:
                yield "text", child.text
        else:
            if child.tag is etree.Entity:
                yield "text", html.entities.html5.get(f"{child.name};", f"&{child.name};")
            if child.tail:
                yield "text", child.tail


def element_text(element: Element) -> str:
    """Return the whole text inside an element."""
    return "".join(element.itertext()) if len(element) else element.text or ""


def local(element: Element) -> str:
    """Return an element's name without its namespace; empty for a comment or an unresolved entity."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""
