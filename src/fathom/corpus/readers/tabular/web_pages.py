"""Web pages, reduced to simple, balanced tags before they are parsed."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from typing import Any

from fathom.corpus.readers.html.layout import BLOCKS, PageLayout
from fathom.corpus.readers.parsed_document import Block, Heading, Paragraph, ParsedDocument, ParsedTable, ReadError
from fathom.corpus.readers.parsing.blocks import normalized_text
from fathom.corpus.readers.parsing.decoding import Decoded, decode
from fathom.corpus.readers.parsing.tables import MAX_CELL_CHARACTERS
from fathom.corpus.readers.parsing.text_cleanup import title_from_name, word_set

_MAX_DEPTH = 250
"""Maximum nesting. Real pages are far below."""


def read_page(content: bytes, name: str) -> ParsedDocument:
    """Return a page as one report."""
    from selectolax.lexbor import LexborHTMLParser

    text, _, encoding_note = _page_text(content)
    tree = LexborHTMLParser(_TagSimplifier(text).page())
    layout = PageLayout()
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


_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?([A-Za-z0-9_-]{2,30})", re.IGNORECASE)
_TITLE = re.compile(r"<title[^<>]{0,200}>([^<]{0,1000})<", re.IGNORECASE)


def _page_text(content: bytes) -> Decoded:
    named = _CHARSET.search(content[:4096])
    return decode(content, named[1].decode("ascii") if named else "")


_DROPPED = word_set(
    "script style textarea title xmp iframe noembed noframes noscript template svg math select object plaintext"
)
# The parser closes these implicitly, so a page that leaves them open is not deep.
_SELF_CLOSING = word_set("p li dt dd tr td th thead tbody tfoot")
_STYLES = {"b": "font-weight:bold", "strong": "font-weight:bold", "i": "font-style:italic", "em": "font-style:italic"}
_SIGN = re.compile(r"""[<>"']""")
_TAG_NAME = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9]{0,30})(?=[\s/>])")
_KEPT_ATTRIBUTES = re.compile(r"""\s(colspan|rowspan|style|hidden)\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]+)""", re.IGNORECASE)


class _TagSimplifier:
    """Reduces a page to what the layout uses, with balanced tags and limited depth.

    The parser's time grows with the square of the depth, and the depth cannot be measured from outside: end tags may
    be in comments or quotes, or close nothing. So the parser gets only tags that were counted here.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._out: list[str] = []
        self._open: list[str] = []

    def page(self) -> str:
        """Return the simplified page; raises `ReadError` if it is too deep."""
        text, place = self._text, 0
        while (start := text.find("<", place)) >= 0:
            self._out.append(text[place:start])
            if text.startswith("<!--", start):
                place = self._after_comment(start + 4)
            elif text.startswith(("<!", "<?"), start):
                place = self._after(">", start)
            elif match := _TAG_NAME.match(text, start):
                place = self._tag(match)
            else:
                self._out.append("&lt;")
                place = start + 1
        self._out.append(text[place:])
        return "<body>" + "".join(self._out)

    def _after(self, sign: str, place: int) -> int:
        end = self._text.find(sign, place)
        return end + len(sign) if end >= 0 else len(self._text)

    def _after_comment(self, place: int) -> int:
        if self._text.startswith((">", "->"), place):
            return self._after(">", place)
        return self._after("-->", place)

    def _tag(self, match: re.Match[str]) -> int:
        """Write a tag; returns the position after it."""
        name = match[2].lower()
        end = self._tag_end(match.end())
        if name in _DROPPED:
            return end if match[1] else self._after_dropped(name, end)
        if match[1]:
            self._close_tag(name)
        else:
            self._open_tag(name, self._text[match.end() : end - 1])
        return end

    def _tag_end(self, place: int) -> int:
        """Return the end of a tag. Quotes may contain ">", and a new tag also ends it."""
        while (sign := _SIGN.search(self._text, place)) is not None:
            if sign[0] in "<>":
                return sign.end() if sign[0] == ">" else sign.start()
            before = self._text[max(0, sign.start() - 8) : sign.start()].rstrip()
            closing = (
                self._text.find(sign[0], sign.end(), sign.end() + MAX_CELL_CHARACTERS) if before.endswith("=") else -1
            )
            place = closing + 1 if closing >= 0 else sign.end()
        return len(self._text)

    def _after_dropped(self, name: str, place: int) -> int:
        closing = re.compile(f"</{name}", re.IGNORECASE).search(self._text, place)
        return self._tag_end(closing.end()) if closing else len(self._text)

    def _open_tag(self, name: str, rest: str) -> None:
        name, style = ("span", _STYLES[name]) if name in _STYLES else (name, "")
        if name in ("br", "hr"):
            self._out.append(f"<{name}>")
        elif name == "span" or (name in BLOCKS and name not in ("html", "body")):
            if name != "span":
                self._close_spans()
            self._out.append(f"<{name}{self._attributes(rest, style)}>")
            if name not in _SELF_CLOSING:
                self._open.append(name)
        if len(self._open) > _MAX_DEPTH:
            raise ReadError("the page's elements are nested too deep")

    def _attributes(self, rest: str, style: str) -> str:
        kept = [f' style="{style}"'] if style else []
        for name, value in _KEPT_ATTRIBUTES.findall(rest) if "=" in rest else ():
            kept.append(f' {name}="{html.escape(html.unescape(value.strip(_QUOTES)))}"')
        return "".join(kept)

    def _close_tag(self, name: str) -> None:
        name = "span" if name in _STYLES else name
        if name != "span":
            self._close_spans()
        if name in _SELF_CLOSING:
            self._out.append(f"</{name}>")
        elif name in self._open:  # At most `_MAX_DEPTH` elements.
            while (last := self._open.pop()) != name:
                self._out.append(f"</{last}>")
            self._out.append(f"</{name}>")

    def _close_spans(self) -> None:
        """Close inline elements before a block: pages forget to end bold text."""
        while self._open and self._open[-1] == "span":
            self._out.append("</span>")
            self._open.pop()


_QUOTES = "\"'"


def _walk_page(body: Any, layout: PageLayout) -> None:
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
