"""Inside a line of Markdown: links, emphasis, formulas, tags."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass

from fathom.corpus.readers.parsing.linked_text import SUPERSCRIPT_END, SUPERSCRIPT_START, Link, LinkedText, visible_text


@dataclass
class _Run:
    """Stars or low lines that may set a stretch off."""

    sign: str
    count: int
    opens: bool
    closes: bool


_ESCAPE = frozenset("\\`*_{}[]()#+-.!|<>~$&\"'/:;=?@^,% ")
TAG = re.compile(
    # Only names that HTML has, with attributes in order: in "j<l and k>0" there is no tag.
    r"<(/?)(a|abbr|b|big|br|center|cite|code|dd|del|details|div|dl|dt|em|figcaption|figure|font|h[1-6]|hr|i|img|ins|kbd|"
    r"li|mark|ol|p|pre|q|s|samp|small|span|strike|strong|sub|summary|sup|table|tbody|td|tfoot|th|thead|tr|tt|u|ul|var)"
    r"((?:\s{1,9}[\w:.-]{1,40}\s?=\s?(?:\"[^\"]{0,600}\"|'[^']{0,600}'|[^\s\"'<>]{1,300})){0,20})\s{0,9}/?>",
    re.IGNORECASE,
)
_AUTOLINK = re.compile(r"<((?:https?://|mailto:)[^<>\s]{1,1000})>")
_FORMULA = re.compile(r"\$\$[^$]{1,5000}\$\$|\$(?![\s$])(?:[^$\\\n]|\\.){1,1000}(?<!\s)\$(?!\d)")
# Converters of Chinese papers set a raised citation as a formula: "$^{[2-4]}$".
_RAISED_NUMBER = re.compile(r"\$\s?\^\s?\{\s?([\[［]\s?\d[\d\s,，、;；~～–－-]{0,60}[\]］])\s?\}\s?\$")
_TARGET = re.compile(
    r"""\(\s*(?:<([^<>\n]{0,2000})>|((?:[^\s()\\]|\\.|\([^\s()]{0,500}\)){0,2000}))(?:\s+(?:"(?:[^"\\]|\\.){0,2000}"|'[^']{0,2000}'))?\s*\)"""
)
ANCHOR = re.compile(r"\b(?:id|name)\s*=\s*[\"']?([^\s\"'>]{1,100})")
_NOTE_MARK = re.compile(r"\[\^[^\]\s]{1,40}\]:?")
_SIGNS = re.compile(r"[\\`$<\[\]!*_]")


def inline(text: str) -> LinkedText:
    """The running text of a block: marks of layout gone, links set apart; tooltips and images dropped."""
    return _Inline(text).pieces()


class _Inline:
    """Reads a stretch of Markdown once, from left to right."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._out: list[str | Link | _Run] = []
        self._open: list[tuple[int, int, str]] = []
        self._raised = 0

    def pieces(self) -> LinkedText:
        """The text with its links set apart."""
        text, place = self._text, 0
        ends = _link_ends(text)
        while place < len(text):
            if self._open and place == self._open[-1][0]:
                place = self._close_link(ends)
                continue
            sign = _SIGNS.search(text, place)
            at = sign.start() if sign else len(text)
            if self._open and self._open[-1][0] < at:
                at = self._open[-1][0]
            if at > place:
                self._out.append(text[place:at])
                place = at
                continue
            place = self._sign(place, ends)
        return _settled_runs(self._out)

    def _sign(self, place: int, ends: dict[int, int]) -> int:
        """Take what begins with a sign; returns where to go on."""
        text, sign = self._text, self._text[place]
        if sign == "\\":
            escaped = text[place + 1 : place + 2]
            self._out.append(escaped if escaped in _ESCAPE and escaped else sign)
            return place + (2 if escaped in _ESCAPE and escaped else 1)
        if sign == "`":
            return self._code(place)
        if sign == "$" and (cited := _RAISED_NUMBER.match(text, place)):
            self._out.extend((SUPERSCRIPT_START, cited[1], SUPERSCRIPT_END))
            return cited.end()
        if sign == "$" and (formula := _FORMULA.match(text, place)):
            self._out.append(formula[0])
            return formula.end()
        if sign == "<":
            return self._tag(place)
        if sign in "*_":
            return self._emphasis(place)
        return self._bracket(place, ends)

    def _bracket(self, place: int, ends: dict[int, int]) -> int:
        text = self._text
        image = text.startswith("![", place)
        start = place + 1 if image else place
        # Links do not stand in one another; three deep is more than any converter writes by mistake.
        if start in ends and len(self._open) < 3 and (target := _TARGET.match(text, ends[start] + 1)):
            if image:
                return target.end()
            self._open.append((ends[start], len(self._out), target[1] or target[2] or ""))
            return place + 1
        if note := _NOTE_MARK.match(text, place):
            return note.end()
        self._out.append(text[place])
        return place + 1

    def _close_link(self, ends: dict[int, int]) -> int:
        end, begin, target = self._open.pop()
        inner = _settled_runs(self._out[begin:])
        self._out[begin:] = [Link(visible_text(inner), target, self._raised > 0)]
        found = _TARGET.match(self._text, end + 1)
        return found.end() if found else end + 1

    def _code(self, place: int) -> int:
        text = self._text
        ticks = _length(text, place, "`")
        end = text.find("`" * ticks, place + ticks)
        if end < 0 or (self._open and end > self._open[-1][0]):
            self._out.append(text[place : place + ticks])
            return place + ticks
        self._out.append(text[place + ticks : end].strip())
        return end + ticks

    def _tag(self, place: int) -> int:
        if address := _AUTOLINK.match(self._text, place):
            self._out.append(address[1])
            return address.end()
        tag = TAG.match(self._text, place)
        if tag is None:
            self._out.append("<")
            return place + 1
        name = tag[2].lower()
        if name == "sup":
            self._raised += -1 if tag[1] and self._raised else (0 if tag[1] else 1)
            self._out.append(SUPERSCRIPT_END if tag[1] else SUPERSCRIPT_START)
        elif name in ("br", "p", "div", "li", "td", "tr"):
            self._out.append(" ")
        return tag.end()

    def _emphasis(self, place: int) -> int:
        text, sign = self._text, self._text[place]
        count = _length(text, place, sign)
        before, after = text[place - 1 : place] or " ", text[place + count : place + count + 1] or " "
        opens = not after.isspace() and (_is_word(after) or not _is_word(before))
        closes = not before.isspace() and (_is_word(before) or not _is_word(after))
        if sign == "_":
            opens, closes = opens and not _is_word(before), closes and not _is_word(after)
        self._out.append(_Run(sign, count, opens, closes))
        return place + count


def _is_word(sign: str) -> bool:
    return sign.isalnum()


def _length(text: str, place: int, sign: str) -> int:
    end = place
    while end < len(text) and text[end] == sign:
        end += 1
    return end - place


def _link_ends(text: str) -> dict[int, int]:
    """For each bracket that may begin a link, where its partner stands."""
    ends: dict[int, int] = {}
    opened: list[int] = []
    for sign in re.finditer(r"\\.|[\[\]]", text, re.DOTALL):
        if sign[0] == "[":
            opened.append(sign.start())
        elif sign[0] == "]" and opened:
            start = opened.pop()
            if text.startswith("(", sign.end()):
                ends[start] = sign.start()
    return ends


def _settled_runs(out: Sequence[str | Link | _Run]) -> LinkedText:
    """The text with the emphasis that found its partner taken away."""
    waiting: dict[str, list[_Run]] = {"*": [], "_": []}
    for run in out:
        if not isinstance(run, _Run):
            continue
        while run.closes and run.count and waiting[run.sign]:
            partner = waiting[run.sign][-1]
            common = min(partner.count, run.count)
            partner.count -= common
            run.count -= common
            if not partner.count:
                waiting[run.sign].pop()
        if run.opens and run.count:
            waiting[run.sign].append(run)
    pieces: LinkedText = []
    buffer: list[str] = []
    for piece in out:
        if isinstance(piece, Link):
            pieces.extend(["".join(buffer), piece])
            buffer.clear()
        else:
            buffer.append(piece.sign * piece.count if isinstance(piece, _Run) else piece)
    pieces.append("".join(buffer))
    return [html.unescape(piece) if isinstance(piece, str) else piece for piece in pieces if piece != ""]


def bare(text: str) -> str:
    """Running text as one string, without any mark of layout."""
    return " ".join(visible_text(inline(text)).replace(SUPERSCRIPT_START, "").replace(SUPERSCRIPT_END, "").split())
