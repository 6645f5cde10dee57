"""Web pages reduced to simple, balanced tags before they are parsed."""

from __future__ import annotations

import html
import re

from fathom.corpus.readers.html.layout import BLOCKS
from fathom.corpus.readers.parsed_document import ReadError
from fathom.corpus.readers.parsing.decoding import DecodedText, decode
from fathom.corpus.readers.parsing.tables import MAX_CELL_CHARACTERS
from fathom.corpus.readers.parsing.text_cleanup import word_set

_MAX_DEPTH = 250
"""Maximum nesting. Real pages are far below."""

_CHARSET = re.compile(
    rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?([A-Za-z0-9_-]{2,30})|^\s*<\?xml[^>]{0,100}?encoding\s*=\s*[\"']([A-Za-z0-9_-]{2,30})",
    re.IGNORECASE,
)


def page_text(content: bytes) -> DecodedText:
    """Decode a page; its head or its XML declaration may name the encoding."""
    named = _CHARSET.search(content[:4096])
    return decode(content, (named[1] or named[2]).decode("ascii") if named else "")


_DROPPED = word_set(
    "script style textarea title xmp iframe noembed noframes noscript template svg math select object plaintext"
)
# The parser closes these implicitly, so a page that leaves them open is not deep.
_SELF_CLOSING = word_set("p li dt dd tr td th thead tbody tfoot")
_STYLES = {"b": "font-weight:bold", "strong": "font-weight:bold", "i": "font-style:italic", "em": "font-style:italic"}
_SIGN = re.compile(r"""[<>"']""")
_TAG_NAME = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9:-]{0,60})(?=[\s/>])")
_KEPT_ATTRIBUTES = re.compile(r"""\s(colspan|rowspan|style|hidden)\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]+)""", re.IGNORECASE)


class TagSimplifier:
    """Reduces a page to what its reader uses, with balanced tags and limited depth.

    `tags`: inline elements that are kept besides `span`; `attributes`: a pattern of the attributes that are kept.

    The parser's time grows with the square of the depth, and the depth cannot be measured from outside: end tags may
    be in comments or quotes, or close nothing. So the parser gets only tags that were counted here.
    """

    def __init__(
        self,
        text: str,
        tags: frozenset[str] = frozenset(),
        attributes: re.Pattern[str] | None = None,
        xhtml: bool = False,
    ) -> None:
        self._xhtml = xhtml
        self._text = text
        self._tags = tags
        self._kept_attributes = attributes or _KEPT_ATTRIBUTES
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
        elif name == "span" or name in self._tags or (name in BLOCKS and name not in ("html", "body")):
            if name in BLOCKS:
                self._close_inline()
            self._out.append(f"<{name}{self._attributes(rest, style)}>")
            if self._is_empty(name, rest):
                self._out.append(f"</{name}>")
            elif name not in _SELF_CLOSING:
                self._open.append(name)
        if len(self._open) > _MAX_DEPTH:
            raise ReadError("the page's elements are nested too deeply")

    def _is_empty(self, name: str, rest: str) -> bool:
        """Return whether an element ends with its tag, as in XHTML: `<a id="x"/>`. In HTML blocks do not."""
        closed = rest.endswith("/") and (len(rest) == 1 or rest[-2] in "\"' \n\t")
        return closed and (self._xhtml or name not in BLOCKS)

    def _attributes(self, rest: str, style: str) -> str:
        kept = [f' style="{style}"'] if style else []
        for name, value in self._kept_attributes.findall(rest) if "=" in rest else ():
            kept.append(f' {name}="{html.escape(html.unescape(value.strip(_QUOTES)))}"')
        return "".join(kept)

    def _close_tag(self, name: str) -> None:
        name = "span" if name in _STYLES else name
        if name in BLOCKS:
            self._close_inline()
        if name in _SELF_CLOSING:
            self._out.append(f"</{name}>")
        elif name in self._open:  # At most `_MAX_DEPTH` elements.
            while (last := self._open.pop()) != name:
                self._out.append(f"</{last}>")
            self._out.append(f"</{name}>")

    def _close_inline(self) -> None:
        """Close inline elements before a block: pages forget to end bold text."""
        while self._open and self._open[-1] not in BLOCKS:
            self._out.append(f"</{self._open.pop()}>")


_QUOTES = "\"'"
