"""Blocks of a page of running text, as Markdown blocks: headings, paragraphs, list items, code and tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from fathom.corpus.readers.html.layout import BLOCKS
from fathom.corpus.readers.html.simplified_pages import TagSimplifier
from fathom.corpus.readers.markdown.blocks import MarkdownBlock
from fathom.corpus.readers.markdown.inline import escape, plain_text
from fathom.corpus.readers.parsed_document import ReadError
from fathom.corpus.readers.parsing.tables import MAX_CELLS, MAX_COLUMNS, check_rows
from fathom.corpus.readers.parsing.text_cleanup import word_set

HtmlNode = Any
"""A node of the parsed page."""

_KEPT_TAGS = word_set("a sup sub time code dialog button label cite address")
_KEPT_ATTRIBUTES = re.compile(
    r"""\s(class|id|role|href|rel|itemprop|datetime|hidden|style|colspan|rowspan|aria-hidden|epub:type|start|value|content)"""
    r"""\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]+)""",
    re.IGNORECASE,
)
_HEADINGS = word_set("h1 h2 h3 h4 h5 h6")
_HIDDEN = re.compile(r"display:\s*none|visibility:\s*hidden", re.IGNORECASE)
_LINK_SIGNS = frozenset(("", "¶", "#", "§", "🔗", "^", "↑", "↩", "↩︎", "permalink", "[edit]", "edit"))
_ANCHORS = re.compile(r"(?:<a id=\"[^\"<>]{1,100}\"></a>\s*)+")


def parse_page(text: str, xhtml: bool = False) -> HtmlNode | None:
    """Return the body of a page, reduced to safe and balanced tags; None if it is empty."""
    from selectolax.lexbor import LexborHTMLParser

    return LexborHTMLParser(TagSimplifier(text, _KEPT_TAGS, _KEPT_ATTRIBUTES, xhtml).page()).body


def children(node: HtmlNode) -> list[HtmlNode]:
    """Return the child nodes, including text."""
    nodes = []
    one = node.child
    while one is not None:
        nodes.append(one)
        one = one.next
    return nodes


def attribute(node: HtmlNode, name: str) -> str:
    return (node.attributes.get(name) or "") if node.is_element_node else ""


def is_hidden(node: HtmlNode) -> bool:
    """Return whether an element is not displayed."""
    attributes = node.attributes
    return "hidden" in attributes or bool(_HIDDEN.search(attributes.get("style") or ""))


class ProseBlocks:
    """Turns the elements of a page into blocks, in order and without recursion."""

    def __init__(self, is_dropped: Callable[[HtmlNode], bool]) -> None:
        self._is_dropped = is_dropped
        self._pieces: list[str] = []
        self._blocks: list[MarkdownBlock] = []
        self._marker: str | None = None
        self._counts: list[int | None] = []
        self._targets: frozenset[str] = frozenset()
        self._cells = 0

    def read(self, root: HtmlNode) -> list[MarkdownBlock]:
        """Return the blocks below an element."""
        # Anchors of notes and reference entries, which citations link to.
        self._targets = frozenset(attribute(link, "href")[1:] for link in root.css('a[href^="#"]'))
        stack: list[tuple[str, HtmlNode]] = [("open", child) for child in reversed(children(root))]
        while stack:
            what, node = stack.pop()
            if what != "open":
                self._close(what, node)
            elif node.is_text_node:
                self._pieces.append(escape(re.sub(r"\s+", " ", node.text_content or "")))
            elif node.is_element_node and not is_hidden(node) and not self._is_dropped(node):
                stack.extend(self._open(node))
        self._flush()
        return self._blocks

    def _open(self, node: HtmlNode) -> list[tuple[str, HtmlNode]]:
        """Start an element; returns what is to be read inside it, the last first."""
        tag = node.tag
        inside = [("open", child) for child in reversed(children(node))]
        if tag == "br":
            self._pieces.append("\n")
            return []
        if tag == "table":
            self._flush()
            table = self._table(node)
            if table is not None:
                self._blocks.append(table)
                return []
            return inside
        if tag == "pre":
            self._flush()
            text = node.text(deep=True).strip("\n")
            self._blocks.extend([MarkdownBlock("code", text)] if text.strip() else [])
            return []
        if tag in ("sup", "a"):
            return self._open_inline(node, inside)
        if tag not in BLOCKS:
            self._add_anchor(node)
            return inside
        self._flush()
        self._add_anchor(node)
        if tag in ("ol", "ul"):
            start = attribute(node, "start")
            self._counts.append(None if tag == "ul" else int(start) - 1 if re.fullmatch(r"\d{1,5}", start) else 0)
        elif tag == "li":
            self._marker = self._next_marker(attribute(node, "value"))
        return [(tag, node), *inside]

    def _add_anchor(self, node: HtmlNode) -> None:
        id = attribute(node, "id")
        if id in self._targets and re.fullmatch(r"[\w:.-]{1,100}", id):
            self._pieces.append(f'<a id="{id}"></a>')

    def _open_inline(self, node: HtmlNode, inside: list[tuple[str, HtmlNode]]) -> list[tuple[str, HtmlNode]]:
        target = attribute(node, "href")
        # The link to a heading or back to the citation.
        if node.tag == "a" and (node.text(deep=True) or "").strip() in _LINK_SIGNS:
            return []
        if node.tag == "sup":
            self._pieces.append("<sup>")
            return [("sup", node), *inside]
        if target.startswith("#") and len(target) > 1 and re.fullmatch(r"[\w#:.%-]+", target):
            self._pieces.append("[")
            return [("a", node), *inside]
        return inside

    def _close(self, tag: str, node: HtmlNode) -> None:
        if tag == "sup":
            self._pieces.append("</sup>")
        elif tag == "a":
            # A block inside the link ended its text.
            self._pieces.append(f"]({attribute(node, 'href')})" if "[" in self._pieces else "")
        elif tag in _HEADINGS:
            text = self._take()
            if text:
                self._blocks.append(MarkdownBlock("heading", text.replace("\n", " "), int(tag[1])))
        else:
            self._flush()
            if tag in ("ol", "ul") and self._counts:
                self._counts.pop()
            if tag == "li":
                self._marker = None

    def _next_marker(self, value: str) -> str:
        if not self._counts or self._counts[-1] is None:
            return ""
        self._counts[-1] = int(value) if re.fullmatch(r"\d{1,5}", value) else self._counts[-1] + 1
        return f"{self._counts[-1]}."

    def _take(self) -> str:
        text = "".join(self._pieces)
        self._pieces = []
        return "\n".join(line for part in text.split("\n") if (line := " ".join(part.split()))).strip()

    def _flush(self) -> None:
        text = self._take()
        if not text or _ANCHORS.fullmatch(text):
            self._pieces = [text] if text else []  # The anchor belongs to the text that follows.
            return
        if self._marker is not None:
            self._blocks.append(MarkdownBlock("item", text, marker=self._marker))
            self._marker = None
        else:
            self._blocks.append(MarkdownBlock("paragraph", text))

    # Tables.

    def _table(self, table: HtmlNode) -> MarkdownBlock | None:
        """Return a table of data; None for a table that only places other blocks."""
        if table.css_first("table, h1, h2, h3, h4, ul, ol") is not None and table.css_first("td table") is not None:
            return None
        rows: list[tuple[str, ...]] = []
        header = False
        for row in table.css("tr"):
            cells: list[str] = []
            for cell in row.css("td, th"):
                span = attribute(cell, "colspan")
                width = min(MAX_COLUMNS, int(span)) if re.fullmatch(r"[1-9]\d{0,4}", span) else 1
                cells += [escape(" ".join((cell.text(deep=True, separator=" ") or "").split())), *[""] * (width - 1)]
            header = header or (not rows and row.css_first("th") is not None and row.css_first("td") is None)
            rows.append(tuple(cells))
            self._cells += len(cells)
            check_rows(len(rows))
            if self._cells > MAX_CELLS or len(cells) > MAX_COLUMNS:
                raise ReadError("a table is too large")
        filled = [row for row in rows if any(row)]
        if not filled or max(map(len, filled)) < 2 or len(filled) < 2:
            return None
        caption = table.css_first("caption")
        text = "" if caption is None else escape(" ".join((caption.text(deep=True) or "").split()))
        return MarkdownBlock("table", text, rows=tuple(filled), has_header=header or not _has_numbers(filled[0]))


def _has_numbers(row: tuple[str, ...]) -> bool:
    return any(re.fullmatch(r"[-(]?[$€£]?[\d.,]+[%)]?", cell) for cell in row[1:])


def plain_nodes(root: HtmlNode) -> Iterator[HtmlNode]:
    """Yield all elements below a node, in order and without recursion."""
    stack = list(reversed(children(root)))
    while stack:
        node = stack.pop()
        if node.is_element_node:
            yield node
            stack.extend(reversed(children(node)))


def without_title(blocks: list[MarkdownBlock], title: str) -> list[MarkdownBlock]:
    """Return the blocks without the heading at the top that repeats the title."""
    for position, block in enumerate(blocks[:8]):
        if block.kind == "heading" and plain_text(block.text).casefold() == title.casefold():
            return [*blocks[:position], *blocks[position + 1 :]]
    return blocks
