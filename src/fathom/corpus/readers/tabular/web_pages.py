"""Web pages of tables, as reports."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from typing import Any

from fathom.corpus.readers.html.layout import BlockBuilder
from fathom.corpus.readers.html.simplified_pages import TagSimplifier, page_text
from fathom.corpus.readers.parsed_document import Block, Heading, Paragraph, ParsedDocument, ParsedTable, ReadError
from fathom.corpus.readers.parsing.blocks import normalized_text
from fathom.corpus.readers.parsing.text_cleanup import title_from_name


def read_page(content: bytes, name: str) -> ParsedDocument:
    """Return a page as one report."""
    from selectolax.lexbor import LexborHTMLParser

    text, _, encoding_note = page_text(content)
    tree = LexborHTMLParser(TagSimplifier(text).page())
    layout = BlockBuilder()
    if tree.body is not None:
        _walk_page(tree.body, layout)
    body = layout.finish()
    if not any(isinstance(block, Paragraph | ParsedTable) for block in body):
        raise ReadError("the page has no text")
    named = _TITLE.search(text[:100_000])
    title = " ".join(html.unescape(named[1]).split()) if named else ""
    document = ParsedDocument(
        name, kind="report", title=title or _first_heading(body) or title_from_name(name), body=body
    )
    if encoding_note:
        document.notes["text"] = encoding_note
    return document


_TITLE = re.compile(r"<title[^<>]{0,200}>([^<]{0,1000})<", re.IGNORECASE)


def _walk_page(body: Any, layout: BlockBuilder) -> None:
    """Add the page to the layout in document order, without recursion."""
    node, depth = body.child, 0
    while node is not None:
        if node.is_element_node:
            layout.open_element(node.tag, {key: value or "" for key, value in node.attributes.items()})
            if node.child is not None:
                node, depth = node.child, depth + 1
                continue
            layout.close_element()
        elif node.is_text_node:
            layout.add_text(node.text_content or "")
        while node.next is None and depth:
            node, depth = node.parent, depth - 1
            layout.close_element()
        node = node.next


def _first_heading(body: Sequence[Block]) -> str:
    first = next((block for block in body if isinstance(block, Heading)), None)
    return normalized_text(first.inlines) if first is not None else ""
