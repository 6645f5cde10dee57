"""Inline markup of Markdown: links, emphasis, formulas, tags."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass

from fathom.corpus.readers.parsing.blocks import Hyperlink, LinkedText, visible_text
from fathom.corpus.readers.parsing.superscripts import SUPERSCRIPT_END, SUPERSCRIPT_START, strip_marks


@dataclass
class _Delimiter:
    """A run of asterisks or underscores that may open or close emphasis."""

    char: str
    count: int
    opens: bool
    closes: bool


_ESCAPABLE = frozenset("\\`*_{}[]()#+-.!|<>~$&\"'/:;=?@^,% ")
TAG = re.compile(
    # Only names of HTML elements with valid attributes: "j<l and k>0" has no tag.
    r"<(/?)(a|abbr|b|big|br|center|cite|code|dd|del|details|div|dl|dt|em|figcaption|figure|font|h[1-6]|hr|i|img|ins|kbd|"
    r"li|mark|ol|p|pre|q|s|samp|small|span|strike|strong|sub|summary|sup|table|tbody|td|tfoot|th|thead|tr|tt|u|ul|var)"
    r"((?:\s{1,9}[\w:.-]{1,40}\s?=\s?(?:\"[^\"]{0,600}\"|'[^']{0,600}'|[^\s\"'<>]{1,300})){0,20})\s{0,9}/?>",
    re.IGNORECASE,
)
_AUTOLINK = re.compile(r"<((?:https?://|mailto:)[^<>\s]{1,1000})>")
_FORMULA = re.compile(r"\$\$[^$]{1,5000}\$\$|\$(?![\s$])(?:[^$\\\n]|\\.){1,1000}(?<!\s)\$(?!\d)")
# Converters of Chinese papers write a superscript citation as a formula: "$^{[2-4]}$".
_SUPERSCRIPT_NUMBER = re.compile(r"\$\s?\^\s?\{\s?([\[［]\s?\d[\d\s,，、;；~～–－-]{0,60}[\]］])\s?\}\s?\$")
_TARGET = re.compile(
    r"""\(\s*(?:<([^<>\n]{0,2000})>|((?:[^\s()\\]|\\.|\([^\s()]{0,500}\)){0,2000}))(?:\s+(?:"(?:[^"\\]|\\.){0,2000}"|'[^']{0,2000}'))?\s*\)"""
)
ANCHOR = re.compile(r"\b(?:id|name)\s*=\s*[\"']?([^\s\"'>]{1,100})")
_FOOTNOTE = re.compile(r"\[\^[^\]\s]{1,40}\]:?")
_SPECIAL = re.compile(r"[\\`$<\[\]!*_]")


def parse_inline(text: str) -> LinkedText:
    """Parse the inline markup of a block into text and links; images are dropped."""
    return _InlineParser(text).parse()


class _InlineParser:
    """Parses inline markup in one pass."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._out: list[str | Hyperlink | _Delimiter] = []
        self._open_links: list[tuple[int, int, str]] = []
        self._superscript_depth = 0

    def parse(self) -> LinkedText:
        text, position = self._text, 0
        link_ends = _link_ends(text)
        while position < len(text):
            if self._open_links and position == self._open_links[-1][0]:
                position = self._close_link(link_ends)
                continue
            char = _SPECIAL.search(text, position)
            at = char.start() if char else len(text)
            if self._open_links and self._open_links[-1][0] < at:
                at = self._open_links[-1][0]
            if at > position:
                self._out.append(text[position:at])
                position = at
                continue
            position = self._parse_special(position, link_ends)
        return _match_delimiters(self._out)

    def _parse_special(self, position: int, link_ends: dict[int, int]) -> int:
        """Parse the markup at a special character; return the position after it."""
        text, char = self._text, self._text[position]
        if char == "\\":
            escaped = text[position + 1 : position + 2]
            self._out.append(escaped if escaped in _ESCAPABLE and escaped else char)
            return position + (2 if escaped in _ESCAPABLE and escaped else 1)
        if char == "`":
            return self._parse_code(position)
        if char == "$" and (cited := _SUPERSCRIPT_NUMBER.match(text, position)):
            self._out.extend((SUPERSCRIPT_START, cited[1], SUPERSCRIPT_END))
            return cited.end()
        if char == "$" and (formula := _FORMULA.match(text, position)):
            self._out.append(formula[0])
            return formula.end()
        if char == "<":
            return self._parse_tag(position)
        if char in "*_":
            return self._parse_delimiter(position)
        return self._parse_bracket(position, link_ends)

    def _parse_bracket(self, position: int, link_ends: dict[int, int]) -> int:
        text = self._text
        image = text.startswith("![", position)
        start = position + 1 if image else position
        # Links cannot be nested; no converter nests them more than three deep by mistake.
        if start in link_ends and len(self._open_links) < 3 and (target := _TARGET.match(text, link_ends[start] + 1)):
            if image:
                return target.end()
            self._open_links.append((link_ends[start], len(self._out), target[1] or target[2] or ""))
            return position + 1
        if footnote := _FOOTNOTE.match(text, position):
            return footnote.end()
        self._out.append(text[position])
        return position + 1

    def _close_link(self, link_ends: dict[int, int]) -> int:
        end, begin, target = self._open_links.pop()
        inner = _match_delimiters(self._out[begin:])
        self._out[begin:] = [Hyperlink(visible_text(inner), target, self._superscript_depth > 0)]
        match = _TARGET.match(self._text, end + 1)
        return match.end() if match else end + 1

    def _parse_code(self, position: int) -> int:
        text = self._text
        ticks = _run_length(text, position, "`")
        end = text.find("`" * ticks, position + ticks)
        if end < 0 or (self._open_links and end > self._open_links[-1][0]):
            self._out.append(text[position : position + ticks])
            return position + ticks
        self._out.append(text[position + ticks : end].strip())
        return end + ticks

    def _parse_tag(self, position: int) -> int:
        if address := _AUTOLINK.match(self._text, position):
            self._out.append(address[1])
            return address.end()
        tag = TAG.match(self._text, position)
        if tag is None:
            self._out.append("<")
            return position + 1
        name = tag[2].lower()
        if name == "sup":
            self._superscript_depth += -1 if tag[1] and self._superscript_depth else (0 if tag[1] else 1)
            self._out.append(SUPERSCRIPT_END if tag[1] else SUPERSCRIPT_START)
        elif name in ("br", "p", "div", "li", "td", "tr"):
            self._out.append(" ")
        return tag.end()

    def _parse_delimiter(self, position: int) -> int:
        text, char = self._text, self._text[position]
        count = _run_length(text, position, char)
        before, after = text[position - 1 : position] or " ", text[position + count : position + count + 1] or " "
        opens = not after.isspace() and (after.isalnum() or not before.isalnum())
        closes = not before.isspace() and (before.isalnum() or not after.isalnum())
        if char == "_":
            opens, closes = opens and not before.isalnum(), closes and not after.isalnum()
        self._out.append(_Delimiter(char, count, opens, closes))
        return position + count


def _run_length(text: str, position: int, char: str) -> int:
    end = position
    while end < len(text) and text[end] == char:
        end += 1
    return end - position


def _link_ends(text: str) -> dict[int, int]:
    """Map each opening bracket of a possible link to its closing bracket."""
    link_ends: dict[int, int] = {}
    opened: list[int] = []
    for char in re.finditer(r"\\.|[\[\]]", text, re.DOTALL):
        if char[0] == "[":
            opened.append(char.start())
        elif char[0] == "]" and opened:
            start = opened.pop()
            if text.startswith("(", char.end()):
                link_ends[start] = char.start()
    return link_ends


def _match_delimiters(out: Sequence[str | Hyperlink | _Delimiter]) -> LinkedText:
    """Remove the delimiters of emphasis that have a partner."""
    waiting: dict[str, list[_Delimiter]] = {"*": [], "_": []}
    for run in out:
        if not isinstance(run, _Delimiter):
            continue
        while run.closes and run.count and waiting[run.char]:
            partner = waiting[run.char][-1]
            common = min(partner.count, run.count)
            partner.count -= common
            run.count -= common
            if not partner.count:
                waiting[run.char].pop()
        if run.opens and run.count:
            waiting[run.char].append(run)
    parse: LinkedText = []
    buffer: list[str] = []
    for piece in out:
        if isinstance(piece, Hyperlink):
            parse.extend(["".join(buffer), piece])
            buffer.clear()
        else:
            buffer.append(piece.char * piece.count if isinstance(piece, _Delimiter) else piece)
    parse.append("".join(buffer))
    return [html.unescape(piece) if isinstance(piece, str) else piece for piece in parse if piece != ""]


_MARKUP = re.compile(r"[\\`*_$<]|\[(?=\^)|\](?=\()|!(?=\[)")


def escape(text: str) -> str:
    """Return inline markup whose text is this text."""
    return _MARKUP.sub(r"\\\g<0>", text.replace("&", "&amp;"))


def plain_text(text: str) -> str:
    """Return the text of inline markup as one string with single spaces."""
    return " ".join(strip_marks(visible_text(parse_inline(text))).split())
