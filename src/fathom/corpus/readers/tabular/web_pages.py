"""Web pages, reduced to tags that were counted before a parser sees them."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from typing import Any

from fathom.corpus.readers.html.layout import BLOCKS, Layout
from fathom.corpus.readers.parsed_document import Block, Heading, Paragraph, ParsedDocument, ParsedTable, ReadError
from fathom.corpus.readers.parsing.blocks import normalized_text
from fathom.corpus.readers.parsing.decoding import decoded_as
from fathom.corpus.readers.parsing.text_cleanup import word_set
from fathom.corpus.readers.parsing.titles import title_from
from fathom.corpus.readers.tabular.limits import MOST_CHARACTERS

_MOST_DEPTH = 250
"""Elements inside one another; pages in use stay far below."""


def read_page(content: bytes, name: str) -> ParsedDocument:
    """The page as one report."""
    from selectolax.lexbor import LexborHTMLParser

    text, doubt = _page_text(content)
    tree = LexborHTMLParser(_Simple(text).page())
    layout = Layout()
    if tree.body is not None:
        _walk_page(tree.body, layout)
    body = layout.blocks()
    if not any(isinstance(block, Paragraph | ParsedTable) for block in body):
        raise ReadError("the page has no text")
    named = _TITLE.search(text[:100_000])
    title = " ".join(html.unescape(named[1]).split()) if named else ""
    found = ParsedDocument(name, kind="report", title=title or _first_heading(body) or title_from(name), body=body)
    if doubt:
        found.uncertain["text"] = doubt
    return found


_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?([A-Za-z0-9_-]{2,30})", re.IGNORECASE)
_TITLE = re.compile(r"<title[^<>]{0,200}>([^<]{0,1000})<", re.IGNORECASE)


def _page_text(content: bytes) -> tuple[str, str]:
    named = _CHARSET.search(content[:4096])
    return decoded_as(content, named[1].decode("ascii") if named else "")


_DROPPED = word_set(
    "script style textarea title xmp iframe noembed noframes noscript template svg math select object plaintext"
)
# A parser closes these by itself, so that a page which leaves them open is not deep.
_SELF_CLOSING = word_set("p li dt dd tr td th thead tbody tfoot")
_LOOKS = {"b": "font-weight:bold", "strong": "font-weight:bold", "i": "font-style:italic", "em": "font-style:italic"}
_SIGN = re.compile(r"""[<>"']""")
_TAG_NAME = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9]{0,30})(?=[\s/>])")
_KEPT = re.compile(r"""\s(colspan|rowspan|style|hidden)\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]+)""", re.IGNORECASE)


class _Simple:
    """A page reduced to what the layout looks at, each element closed in its turn and none too deep.

    A parser's time grows with the square of the depth, and where a page is deep cannot be told from outside: closing
    tags may stand in comments, in quotes, or close nothing. So the parser is given only tags that were counted here.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._out: list[str] = []
        self._open: list[str] = []

    def page(self) -> str:
        """The page in simple tags; raises `ReadError` where it is too deep."""
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
        """Write a tag; returns where the text goes on."""
        name = match[2].lower()
        end = self._tag_end(match.end())
        if name in _DROPPED:
            return end if match[1] else self._after_dropped(name, end)
        if match[1]:
            self._closes(name)
        else:
            self._opens(name, self._text[match.end() : end - 1])
        return end

    def _tag_end(self, place: int) -> int:
        """Behind the sign that ends a tag: quotes may hold such signs, but a new tag ends it too."""
        while (sign := _SIGN.search(self._text, place)) is not None:
            if sign[0] in "<>":
                return sign.end() if sign[0] == ">" else sign.start()
            before = self._text[max(0, sign.start() - 8) : sign.start()].rstrip()
            closing = self._text.find(sign[0], sign.end(), sign.end() + MOST_CHARACTERS) if before.endswith("=") else -1
            place = closing + 1 if closing >= 0 else sign.end()
        return len(self._text)

    def _after_dropped(self, name: str, place: int) -> int:
        closing = re.compile(f"</{name}", re.IGNORECASE).search(self._text, place)
        return self._tag_end(closing.end()) if closing else len(self._text)

    def _opens(self, name: str, rest: str) -> None:
        name, style = ("span", _LOOKS[name]) if name in _LOOKS else (name, "")
        if name in ("br", "hr"):
            self._out.append(f"<{name}>")
        elif name == "span" or (name in BLOCKS and name not in ("html", "body")):
            if name != "span":
                self._close_spans()
            self._out.append(f"<{name}{self._attributes(rest, style)}>")
            if name not in _SELF_CLOSING:
                self._open.append(name)
        if len(self._open) > _MOST_DEPTH:
            raise ReadError("the page's elements are nested too deep")

    def _attributes(self, rest: str, style: str) -> str:
        kept = [f' style="{style}"'] if style else []
        for name, value in _KEPT.findall(rest) if "=" in rest else ():
            kept.append(f' {name}="{html.escape(html.unescape(value.strip(_QUOTES)))}"')
        return "".join(kept)

    def _closes(self, name: str) -> None:
        name = "span" if name in _LOOKS else name
        if name != "span":
            self._close_spans()
        if name in _SELF_CLOSING:
            self._out.append(f"</{name}>")
        elif name in self._open:  # At most as long as the depth that is allowed.
            while (last := self._open.pop()) != name:
                self._out.append(f"</{last}>")
            self._out.append(f"</{name}>")

    def _close_spans(self) -> None:
        """Nothing in a line goes on in the next block: pages forget to end bold print."""
        while self._open and self._open[-1] == "span":
            self._out.append("</span>")
            self._open.pop()


_QUOTES = "\"'"


def _walk_page(body: Any, layout: Layout) -> None:
    """Feed the layout with the page in document order, without recursion."""
    node, depth = body.child, 0
    while node is not None:
        if node.is_element_node:
            layout.opens(node.tag, {key: value or "" for key, value in node.attributes.items()})
            if node.child is not None:
                node, depth = node.child, depth + 1
                continue
            layout.closes()
        elif node.is_text_node:
            layout.text(node.text_content or "")
        while node.next is None and depth:
            node, depth = node.parent, depth - 1
            layout.closes()
        node = node.next


def _first_heading(body: Sequence[Block]) -> str:
    first = next((block for block in body if isinstance(block, Heading)), None)
    return normalized_text(first.inlines) if first is not None else ""
