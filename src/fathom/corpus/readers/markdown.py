"""Markdown as converters of PDF and HTML write it: articles, statutes, scanned reports."""

from __future__ import annotations

import html
import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import PurePosixPath
from typing import Literal
from urllib.parse import unquote

from fathom.corpus.readers.found import (
    Block,
    Found,
    FoundAuthor,
    FoundReference,
    FoundTable,
    Heading,
    Mark,
    Paragraph,
    Siblings,
    TableCell,
    Unreadable,
    Words,
)
from fathom.corpus.readers.reference_strings import identifiers, parse_reference
from fathom.corpus.readers.sentences import is_chinese

KIND = "markdown"

_NAMES = (".md", ".markdown", ".mdown", ".mkd")
# Roles and directives are another dialect's, with a reader of its own.
_DIALECT = re.compile(rb"^(?:```|:::)\s*\{[\w:-]+\}|\{cite(?::[a-z]+)?\}`", re.MULTILINE)


def looks_like(name: str, head: bytes) -> bool:
    """Whether a file is Markdown, by its name."""
    return name.lower().endswith(_NAMES) and not _DIALECT.search(head)


def read(content: bytes, name: str, siblings: Siblings) -> Iterator[Found]:
    """The one document of a file."""
    yield read_text(decoded(content), name)


def decoded(content: bytes) -> str:
    """The text of a file; raises `Unreadable` where it is none."""
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        text = content.decode("utf-16", "replace")
    else:
        text = content.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    # A few flipped bytes are forgiven; a hundredth of them is another encoding or no text at all.
    if (text.count("\ufffd") + text.count("\0")) * 100 > len(text):
        raise Unreadable("it is not text in UTF-8")
    return text.replace("\0", "").replace("\r\n", "\n").replace("\r", "\n")


_UNSEEN = re.compile("[\u2061-\u2064\ue000\ue001]")
"""Signs of formulas that nobody sees, and those that stand for something else further down."""


def read_text(text: str, source: str, otherwise: Sequence[Entry] = ()) -> Found:
    """The document that a Markdown text holds; `otherwise`: what it cites, where it has no list of references."""
    front, rest = _front_matter(_UNSEEN.sub("", text))
    blocks = list(_blocks(rest))
    if not blocks:
        raise Unreadable("it has no text")
    return _Document(blocks, front, source, is_chinese(_sample(rest)), otherwise).found()


def _sample(text: str) -> str:
    return re.sub(r"[\s#|*-]+", "", text[:6_000])


# Front matter in YAML: the few forms that name a document, since a whole YAML reader can be made to explode.

_PAIR = re.compile(r"([\w-]{1,40}):\s*(.*)")


def _front_matter(text: str) -> tuple[dict[str, list[str]], str]:
    """What stands between two lines of dashes at the top, by name, and the text after it."""
    if not text.startswith("---\n"):
        return {}, text
    end = re.compile(r"^(?:---|\.\.\.)[ \t]*$", re.MULTILINE).search(text, 4)
    if end is None or end.start() > 20_000:
        return {}, text
    values: dict[str, list[str]] = defaultdict(list)
    name = ""
    for line in text[4 : end.start()].split("\n"):
        pair = _PAIR.match(line)
        if pair:
            name = pair[1].lower()
            values[name].extend(_listed(pair[2]))
        elif name and line.strip():
            inner = line.strip().removeprefix("- ").strip()
            named = _PAIR.fullmatch(inner)
            if named is None or named[1] == "name":
                values[name].extend(_listed(named[2] if named else inner))
    return dict(values), text[end.end() :]


def _listed(value: str) -> list[str]:
    value = value.strip()
    many = value[1:-1].split(",") if value.startswith("[") and value.endswith("]") else [value]
    return [one.strip().strip("\"'") for one in many if one.strip().strip("\"'|>")]


# Blocks.


@dataclass(frozen=True)
class _Raw:
    """A block as written, its marks still in it."""

    kind: Literal["heading", "paragraph", "item", "code", "table"]
    text: str = ""
    """Of a paragraph and of an item: its lines."""
    level: int = 0
    marker: str = ""
    """What numbers an item; empty for a bullet."""
    rows: tuple[tuple[str, ...], ...] = ()
    headed: bool = False


_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*))?")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})[^`]*")
_ITEM = re.compile(r"\s{0,12}(?:([-*+•])|(\d{1,4}[.)]))(?:\s+(.*)|$)")
_RULE = re.compile(r" {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})")
_UNDERLINE = re.compile(r" {0,3}(=+|-{3,})[ \t]*")


def _without_comments(text: str) -> str:
    pieces: list[str] = []
    place = 0
    while (start := text.find("<!--", place)) >= 0 and (end := text.find("-->", start)) >= 0:
        pieces.append(text[place:start])
        place = end + 3
    return "".join([*pieces, text[place:]])


def _lines(text: str) -> list[str]:
    """The lines, without the backslash that breaks a line by force."""
    lines = _without_comments(text).split("\n")
    return [line[:-1] if (len(line) - len(line.rstrip("\\"))) % 2 else line for line in lines]


def _blocks(text: str) -> Iterator[_Raw]:
    """The blocks of a text."""
    return _Scanner(_lines(text)).blocks()


class _Scanner:
    """Goes through lines once and tells the blocks they make."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._place = 0
        self._open: list[str] = []
        self._kind = _Raw("paragraph")

    def blocks(self) -> Iterator[_Raw]:
        while self._place < len(self._lines):
            line = re.sub(r"^\s{0,3}(?:>\s?)+", "", self._lines[self._place]).rstrip()
            self._place += 1
            yield from self._line(line)
        yield from self._closed()

    def _closed(self) -> Iterator[_Raw]:
        """The paragraph or the item that is open."""
        if self._open or self._kind.kind == "item":
            yield _Raw(self._kind.kind, "\n".join(self._open), marker=self._kind.marker)
        self._open.clear()
        self._kind = _Raw("paragraph")

    def _line(self, line: str) -> Iterator[_Raw]:
        if not line.strip():
            yield from self._closed()
        elif fence := _FENCE.fullmatch(line):
            yield from self._closed()
            yield _Raw("code", "\n".join(self._until(lambda other: _closes(other, fence[1]))))
            self._place += 1
        elif heading := _HEADING.fullmatch(line):
            yield from self._closed()
            yield _Raw("heading", _without_closing(heading[2] or ""), level=len(heading[1]))
        elif len(self._open) == 1 and self._kind.kind == "paragraph" and _UNDERLINE.fullmatch(line):
            yield _Raw("heading", self._open.pop(), level=1 if "=" in line else 2)
        elif _RULE.fullmatch(line):
            yield from self._closed()
        elif line.lstrip().lower().startswith("<table"):
            yield from self._closed()
            rows = [] if "</table" in line.lower() else self._until(lambda other: "</table" in other.lower())
            yield _tagged_table("\n".join([line, *rows]))
        elif line.lstrip().startswith("|") or ("|" in line and _is_divider(self._next())):
            yield from self._bars(line)
        elif (item := _ITEM.fullmatch(line)) and _begins_item(item, self._kind, bool(self._open)):
            yield from self._closed()
            self._kind = _Raw("item", marker=item[2] or "")
            self._open.extend([item[3]] if item[3] else [])
        else:
            self._open.append(line.strip())

    def _next(self) -> str:
        return self._lines[self._place] if self._place < len(self._lines) else ""

    def _until(self, is_end: Callable[[str], bool]) -> list[str]:
        """The lines up to one that ends them, or up to the last."""
        start = self._place
        while self._place < len(self._lines) and not is_end(self._lines[self._place]):
            self._place += 1
        return self._lines[start : self._place]

    def _bars(self, line: str) -> Iterator[_Raw]:
        lines = [line, *self._until(lambda other: "|" not in other or not other.strip())]
        table = _pipe_table(lines)
        if table is None:
            self._open.extend(lines)
        else:
            yield from self._closed()
            yield table


def _without_closing(heading: str) -> str:
    """A heading without the signs that some put behind it, too."""
    bare_words = heading.strip()
    shorter = bare_words.rstrip("#")
    return shorter.rstrip() if not shorter or shorter[-1:] in " \t" else bare_words


def _begins_item(item: re.Match[str], opened: _Raw, inside: bool) -> bool:
    """Whether a line begins an item; a number in the middle of a paragraph may be a year at the end of a sentence."""
    if not item[2]:
        return True
    return bool(item[3]) and (not inside or item[2][:-1] == "1" or bool(opened.marker))


def _closes(line: str, fence: str) -> bool:
    bare = line.strip()
    return len(bare) >= len(fence) and set(bare) == {fence[0]}


def _is_divider(line: str) -> bool:
    return "|" in line and "-" in line and len(line) < 5_000 and set(line.strip()) <= set("|-: \t")


def _pipe_table(lines: Sequence[str]) -> _Raw | None:
    """The table that lines with bars make; None for a line that only happens to have a bar."""
    divider = next((place for place, line in enumerate(lines[:2]) if _is_divider(line)), None)
    if divider is None and len(lines) < 2:
        return None
    rows = [_cells(line) for place, line in enumerate(lines) if place != divider and not _is_divider(line)]
    headed = divider == 1
    if headed and rows and not any(rows[0]):
        # Converters of HTML write an empty head where the table has none.
        rows, headed = rows[1:], False
    return _Raw("table", rows=tuple(row for row in rows if row), headed=headed)


_BAR = re.compile(r"(?<!\\)\|")


def _cells(line: str) -> tuple[str, ...]:
    bare = line.strip()
    bare = bare[1:] if bare.startswith("|") else bare
    bare = bare[:-1] if bare.endswith("|") and not bare.endswith("\\|") else bare
    return tuple(_once(cell.strip()) for cell in _BAR.split(bare))


# A number set as a formula comes out three times, once for each form it has in the page: 0.0430.0430.043.
_THRICE = re.compile(r"(\d{0,6}\.\d{1,8})\1\1")


def _once(cell: str) -> str:
    thrice = _THRICE.fullmatch(cell)
    return thrice[1] if thrice else cell


_TAGGED_ROW = re.compile(r"<tr\b", re.IGNORECASE)
_TAGGED_CELL = re.compile(r"<(t[dh])\b[^<>]{0,500}>", re.IGNORECASE)


def _tagged_table(text: str) -> _Raw:
    """A table written in HTML, as some converters do where cells span."""
    rows: list[tuple[str, ...]] = []
    headed = False
    for row in _TAGGED_ROW.split(text)[1:]:
        parts = _TAGGED_CELL.split(row)
        headed = headed or (not rows and "th" in (tag.lower() for tag in parts[1::2]))
        cells = tuple(
            re.sub(r"</t[dhr]\s*>|</?(?:table|tbody|thead)\b[^<>]*>", "", cell).strip() for cell in parts[2::2]
        )
        if cells:
            rows.append(cells)
    return _Raw("table", rows=tuple(rows), headed=headed)


# Inside a line: links, emphasis, formulas, tags.


@dataclass(frozen=True)
class Link:
    """A stretch of text that points somewhere."""

    text: str
    target: str
    raised: bool = False
    """Set above the line."""


Linked = list[str | Link]
"""Running text in which it is not yet settled which links are citations."""


@dataclass
class _Run:
    """Stars or low lines that may set a stretch off."""

    sign: str
    count: int
    opens: bool
    closes: bool


_ESCAPE = frozenset("\\`*_{}[]()#+-.!|<>~$&\"'/:;=?@^,% ")
_TAG = re.compile(
    # Only names that HTML has, with attributes in order: in "j<l and k>0" there is no tag.
    r"<(/?)(a|abbr|b|big|br|center|cite|code|dd|del|details|div|dl|dt|em|figcaption|figure|font|h[1-6]|hr|i|img|ins|kbd|"
    r"li|mark|ol|p|pre|q|s|samp|small|span|strike|strong|sub|summary|sup|table|tbody|td|tfoot|th|thead|tr|tt|u|ul|var)"
    r"((?:\s{1,9}[\w:.-]{1,40}\s?=\s?(?:\"[^\"]{0,600}\"|'[^']{0,600}'|[^\s\"'<>]{1,300})){0,20})\s{0,9}/?>",
    re.IGNORECASE,
)
_AUTOLINK = re.compile(r"<((?:https?://|mailto:)[^<>\s]{1,1000})>")
_FORMULA = re.compile(r"\$\$[^$]{1,5000}\$\$|\$(?![\s$])(?:[^$\\\n]|\\.){1,1000}(?<!\s)\$(?!\d)")
_TARGET = re.compile(
    r"""\(\s*(?:<([^<>\n]{0,2000})>|((?:[^\s()\\]|\\.|\([^\s()]{0,500}\)){0,2000}))(?:\s+(?:"(?:[^"\\]|\\.){0,2000}"|'[^']{0,2000}'))?\s*\)"""
)
_ANCHOR = re.compile(r"\b(?:id|name)\s*=\s*[\"']?([^\s\"'>]{1,100})")
_NOTE_MARK = re.compile(r"\[\^[^\]\s]{1,40}\]:?")
_SIGNS = re.compile(r"[\\`$<\[\]!*_]")


def inline(text: str) -> Linked:
    """The running text of a block: marks of layout gone, links set apart; tooltips and images dropped."""
    return _Inline(text).pieces()


class _Inline:
    """Reads a stretch of Markdown once, from left to right."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._out: list[str | Link | _Run] = []
        self._open: list[tuple[int, int, str]] = []
        self._raised = 0

    def pieces(self) -> Linked:
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
        words = "".join(piece.text if isinstance(piece, Link) else piece for piece in inner)
        self._out[begin:] = [Link(words, target, self._raised > 0)]
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
        tag = _TAG.match(self._text, place)
        if tag is None:
            self._out.append("<")
            return place + 1
        name = tag[2].lower()
        if name == "sup":
            self._raised += -1 if tag[1] and self._raised else (0 if tag[1] else 1)
            self._out.append(_LOWERED if tag[1] else _RAISED)
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


_RAISED, _LOWERED = "\ue000", "\ue001"
"""Stand for the beginning and the end of what is set above the line, until citations are settled."""


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


def _settled_runs(out: Sequence[str | Link | _Run]) -> Linked:
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
    pieces: Linked = []
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
    words = "".join(piece.text if isinstance(piece, Link) else piece for piece in inline(text))
    return " ".join(words.replace(_RAISED, "").replace(_LOWERED, "").split())


# The list of references, and which of its entries a citation means.


@dataclass(frozen=True)
class Entry:
    """An entry of a reference list as read."""

    text: str
    label: str = ""
    """What stands before it: "12", "Lind et al. (2018)"."""
    anchors: tuple[str, ...] = ()
    blocks: tuple[str, ...] = ()
    """The parts it is set in, where the source keeps them apart: usually the authors, the title and the rest."""
    ids: dict[str, str] = field(default_factory=dict)


_YEAR = r"(?:1[6-9]\d\d|20\d\d)"
_SERIAL = re.compile(r"(?:bib(?:[-._]bib)?x?|ref|reference|cite?|cr|b|r)[-._:]?(\d{1,4})", re.IGNORECASE)
_KEY_YEAR = re.compile(rf"([^\W\d_]{{2,40}}).{{0,40}}?({_YEAR})([a-z]?)(?![a-z]{{3}}\d)", re.IGNORECASE)


class References:
    """The entries of a list by all the names that citations call them."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self.found: list[FoundReference] = []
        self.numbers: dict[str, str] = {}
        self._numbered: dict[str, str] = {}
        self._anchors: dict[str, str] = {}
        self._people: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
        for entry in entries:
            if entry.text.strip():
                self._add(entry)

    def _add(self, entry: Entry) -> None:
        reference = _parsed(entry, entry.anchors[0] if entry.anchors else f"bib{len(self.found) + 1}")
        self.found.append(reference)
        key = reference.key
        for anchor in entry.anchors:
            self._anchors.setdefault(anchor, key)
        number = re.fullmatch(r"\W{0,2}(\d{1,4})\W{0,2}", entry.label)
        shown = number[1] if number else str(len(self.found))
        self.numbers.setdefault(shown, key)
        self._numbered.setdefault(key, shown)
        suffix = re.search(rf"{reference.year}([a-z])\b", f"{entry.label} {entry.text}") if reference.year else None
        names = {_family(name) for name in reference.authors[:1]} | {_family(_first_name(entry.label))}
        for name in filter(None, names):
            self._people[name, str(reference.year or "")].append((suffix[1] if suffix else "", key))

    def anchored(self, target: str) -> str | None:
        """The key of the entry that a link's target names; None where the link is no citation at all."""
        if "#" not in target:
            return None
        name = unquote(target.rpartition("#")[2]).replace("\\", "").strip()
        if name in self._anchors:
            return self._anchors[name]
        serial = _SERIAL.fullmatch(name)
        if serial and (not self._anchors or name.lower().startswith("bib")):
            place = int(serial[1])
            if 1 <= place <= len(self.found):
                return self.found[place - 1].key
        if name.lower().startswith(("bib.", "bib-", "bibr", "bib_", "ref-", "cite.", "cite-")):
            key = _KEY_YEAR.search(name.partition(".")[2] or name)
            return (key and self.person(key[1], key[2], "")) or f"?{name}"
        return None

    def person(self, name: str, year: str, suffix: str, others: str = "") -> str | None:
        """The key of the entry by its first author's name and its year; None where none or several fit."""
        fitting = self._people.get((_family(name), year), [])
        keys = list(dict.fromkeys(key for _, key in fitting))
        if len(keys) > 1 and suffix:
            exact = [key for letter, key in fitting if letter == suffix]
            keys = list(dict.fromkeys(exact)) or keys[ord(suffix) - ord("a") :][:1]
        if len(keys) > 1 and others:
            keys = [key for key in keys if self._names_all(key, others)] or keys
        return keys[0] if len(keys) == 1 else None

    def knows(self, name: str, year: str) -> bool:
        """Whether any entry is by that first author in that year."""
        return (_family(name), year) in self._people

    def _names_all(self, key: str, others: str) -> bool:
        text = _folded(next(one.text for one in self.found if one.key == key))
        return all(_folded(word) in text for word in re.findall(r"[^\W\d_]{3,}", others))

    def between(self, first: str, last: str) -> tuple[str, ...]:
        """The keys of the entries from one number to another, as a range of numbers means them."""
        if first not in self.numbers or last not in self.numbers or not 0 < int(last) - int(first) < 100:
            return ()
        keys = [self.numbers.get(str(number)) for number in range(int(first), int(last) + 1)]
        return tuple(key for key in keys if key) if all(keys) else ()

    def number_of(self, key: str) -> str:
        """The number an entry has in the list; empty for one that is not in it."""
        return self._numbered.get(key, "")


def _parsed(entry: Entry, key: str) -> FoundReference:
    parts = parse_reference(entry.text)
    in_label = re.search(rf"\b({_YEAR})[a-z]?\b", entry.label)
    year = parts.year or (int(in_label[1]) if in_label else None)
    title, authors = parts.title, tuple(parts.authors)
    if len(entry.blocks) > 2 and _names_only(entry.blocks[0]):
        second = entry.blocks[1].strip(" .,")
        title = second if re.search(r"\w{2}", second) and not second.startswith("In ") else title
        authors = authors or tuple(_listed_names(entry.blocks[0]))
    title = re.sub(rf",\s*{_YEAR}[a-z]?$", "", title)
    return FoundReference(key, entry.text, title, authors, year, parts.ids | entry.ids)


def _names_only(block: str) -> bool:
    """Whether a block is a list of names: almost no word in it is in lower case."""
    words = re.findall(r"[^\W\d_]{2,}", block[:600])
    small = sum(word[0].islower() and word not in _JOINTS and word not in _PARTICLES for word in words)
    return bool(words) and small * 5 <= len(words)


def _listed_names(block: str) -> list[str]:
    names = re.split(r"\s*[,;]\s+(?:and\s+)?|\s+(?:and|&)\s+", block[:3_000].rstrip(" ."))
    return [name for name in names if name and not re.fullmatch(r"et al\.?|others", name)]


def _first_name(label: str) -> str:
    """The first author in a label such as "Lind et al. (2018)" or "Lind and Wu [2019]"."""
    return re.split(r"\bet al\b|\band\b|&|[,(\[]", label)[0]


def _family(name: str) -> str:
    """A name to compare by: its family name's last part, without accents."""
    name = name.split(",", maxsplit=1)[0] if "," in name else name
    words = [word for word in re.findall(r"[^\W\d_]+", _folded(name)) if len(word) > 1]
    return words[-1] if words else ""


def _folded(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text.replace("ø", "o").replace("ł", "l").replace("ß", "ss"))
    return "".join(sign for sign in decomposed if not unicodedata.combining(sign)).casefold()


# Which stretches are citations.

_YEAR_ALONE = re.compile(rf"{_YEAR}[a-z]?")
_JOIN = re.compile(r"[\s,]*")
_OPENING = re.compile(r"\s*[,]?\s*[(\[]\s*")
_DASH = re.compile(r"\s?[-–—−]\s?")
_TOOLTIP = re.compile(r"\s*‣.*", re.DOTALL)


def settle(pieces: Linked, references: References, unlinked: bool = False) -> Words:
    """Running text with its citations told apart; `unlinked`: they are looked for in the plain text, too."""
    parts = list(_peeled(pieces, references))
    parts = _ranges(_merged(parts), references)
    words: Words = []
    for part in parts:
        if isinstance(part, Mark):
            words.append(_widened(words, part, references))
        elif unlinked:
            words.extend(_plain_citations(part, references))
        else:
            words.append(part)
    return [_dressed(word) if isinstance(word, str) else word for word in words]


def _dressed(text: str) -> str:
    return text.replace(_RAISED, "").replace(_LOWERED, "")


def _peeled(pieces: Linked, references: References) -> Iterator[str | Mark]:
    """Links that are citations as marks, their brackets and commas set outside; other links as plain text."""
    for number, piece in enumerate(pieces):
        if isinstance(piece, str):
            follows = isinstance(pieces[number + 1], Link) if number + 1 < len(pieces) else False
            # Converters put a blank between a bracket and the link in it.
            text = re.sub(r"(?<=[(\[])\s+$", "", piece) if follows else piece
            yield re.sub(r"^\s+(?=[)\]])", "", text) if number else text
            continue
        key = references.anchored(piece.target)
        text = _TOOLTIP.sub("", piece.text) if "‣" in piece.text else piece.text
        if key is None or not text.strip():
            yield text
            continue
        lead, core, tail = _bracketless(text)
        yield lead
        style: Literal["superscript"] | None = "superscript" if piece.raised else None
        yield Mark(core, (key,), style) if core else ""
        yield tail


def _bracketless(text: str) -> tuple[str, str, str]:
    """A link's text without the brackets and commas at its ends, and these."""
    start, end = 0, len(text)
    while start < end and text[start] in " ([":
        start += 1
    while end > start:
        last, inner = text[end - 1], text[start : end - 1]
        # The brackets of "Lind (2019)" are its own; a lone closing one is not.
        if last not in " ,;" and not (last == ")" and "(" not in inner) and not (last == "]" and "[" not in inner):
            break
        end -= 1
    return text[:start], text[start:end], text[end:]


def _merged(parts: Sequence[str | Mark]) -> list[str | Mark]:
    """Two links to one entry side by side are one citation: the names and the year are often linked apart."""
    merged: list[str | Mark] = []
    for part in parts:
        if part == "":
            continue
        if isinstance(part, str) and merged and isinstance(merged[-1], str):
            merged[-1] += part
            continue
        merged.append(part)
        if not isinstance(part, Mark):
            continue
        before = merged[-3:-1]
        match before:
            case [Mark() as first, str() as between] if first.keys == part.keys and not first.text[-1:].isdigit():
                if _JOIN.fullmatch(between):
                    merged[-3:] = [Mark(first.text + between + part.text, part.keys, part.style)]
                elif _OPENING.fullmatch(between):
                    # In "Lind and Wu (2019)" the names are part of the sentence.
                    named = first.text + between
                    before_it = merged[-4:-3]
                    if before_it and isinstance(before_it[0], str):
                        merged[-4:] = [before_it[0] + named, part]
                    else:
                        merged[-3:] = [named, part]
            case [*_, Mark() as first] if first.keys == part.keys and not first.text[-1:].isdigit():
                merged[-2:] = [Mark(f"{first.text} {part.text}", part.keys, part.style)]
    return merged


def _ranges(parts: list[str | Mark], references: References) -> list[str | Mark]:
    """Two numbers with a dash between them are one citation of all entries from one to the other."""
    out: list[str | Mark] = []
    for part in parts:
        match out[-2:]:
            case [Mark() as first, str() as dash] if isinstance(part, Mark) and _DASH.fullmatch(dash):
                keys = references.between(first.text.strip(), part.text.strip()) if _numbers(first, part) else ()
                if keys:
                    out[-2:] = [Mark(first.text + dash + part.text, keys, part.style)]
                    continue
        out.append(part)
    return out


def _numbers(*marks: Mark) -> bool:
    return all(re.fullmatch(r"\s*\d{1,4}\s*", mark.text) for mark in marks)


def _widened(words: Words, mark: Mark, references: References) -> Mark:
    """A citation whose year alone is linked, with the names before it; and how it is printed."""
    text = mark.text.strip()
    if mark.style:
        return mark
    if re.fullmatch(r"\d{1,4}", text) and not (
        _YEAR_ALONE.fullmatch(text) and references.number_of(mark.keys[0]) != text
    ):
        return Mark(text, mark.keys, "numeric")
    if len(mark.keys) == 1 and _YEAR_ALONE.fullmatch(text) and words and isinstance(words[-1], str):
        start = _names_before(words[-1])
        names = words[-1][start:]
        if names.strip():
            words[-1] = words[-1][:start]
            return Mark(names + mark.text, mark.keys, "author-year")
    return Mark(mark.text, mark.keys, "author-year" if len(mark.keys) == 1 else "numeric")


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_PARTICLES = _set("van von de der den del della di da dos du la le el al bin ibn ten ter zu zur af st")
_JOINTS = frozenset(("and", "&", "et", "al", "al."))
_LEADS = _set("See Following In As By From Like Unlike While Although Both The And For With Similar Recently")


def _names_before(text: str) -> int:
    """Where the names begin that stand before a year at the end of a text; its length where there are none."""
    tail = text[-240:]
    cut = max(tail.rfind(sign) for sign in "([;") + 1
    tail = tail[cut:]
    stripped = tail.rstrip()
    if not stripped.endswith((",", "al.", "al")):
        return len(text)
    start = len(stripped)
    for word in reversed(list(re.finditer(r"\S+", stripped))):
        plain = word[0].strip(",;")
        capital = next((sign for sign in plain if sign.isalpha()), "").isupper()
        inside = word.end() == len(stripped) or word[0].endswith(",") or not plain.endswith((".", ":")) or _short(plain)
        if not (capital or plain in _PARTICLES or plain in _JOINTS) or plain in _LEADS or not inside:
            break
        start = word.start()
    begun = re.match(r"(?:(?:and|&|et|al\.?),?\s+)+", stripped[start:])
    start += begun.end() if begun else 0
    return len(text) - len(tail) + start if start < len(stripped) else len(text)


def _short(word: str) -> bool:
    """Whether a word with a full stop is an initial or stands in "et al."."""
    return len(word) <= 3 or word == "al."


# Citations in plain text.

_NUMBERED = re.compile(r"\[\s{0,2}(\d{1,4}(?:\s{0,2}[,;–—−-]\s{0,2}\d{1,4}){0,60})\s{0,2}\]")
_NUMBER_OR_RANGE = re.compile(r"(\d{1,4})(?:\s{0,2}[–—−-]\s{0,2}(\d{1,4}))?")
_RAISED_NUMBERS = re.compile(
    rf"(?:(?<=[^\W\d_]{{3}})|(?<=[,.;:)\]”\"])){_RAISED}(\d{{1,4}}(?:\s?[,–—−-]\s?\d{{1,4}}){{0,60}}){_LOWERED}"
)
_BRACKETED = re.compile(rf"[(\[]([^()\[\]]{{0,600}}?\b{_YEAR}[^()\[\]]{{0,600}})[)\]]")
_CITED = re.compile(
    rf"(.{{2,160}}?),?\s+({_YEAR})([a-z]?)((?:\s?,\s?[a-z]\b)*)((?:\s?,\s?{_YEAR}[a-z]?)*)(?:\s?[,:]\s.{{0,80}})?"
)
_YEAR_IN_BRACKETS = re.compile(rf"\(({_YEAR})([a-z]?)((?:\s?[,;]\s?{_YEAR}[a-z]?)*)(?:[,;:]\s?[^()]{{0,60}})?\)")
_LEAD_IN = re.compile(
    r"(?:(?:see|also|e\.\s?g\.|i\.\s?e\.|cf\.|for|example|instance|such|as|in|from|by|following|like|and|or|reviewed|review|the)[,:]?\s+)+",
    re.IGNORECASE,
)


def _plain_citations(text: str, references: References) -> Iterator[str | Mark]:
    """A stretch of text cut at the citations it prints without linking them."""
    found = sorted(_located(text, references), key=lambda one: (one[0], -one[1]))
    place = 0
    for start, end, keys, style in found:
        if start < place:
            continue
        yield text[place:start]
        yield Mark(text[start:end], keys, style)
        place = end
    yield text[place:]


_Located = tuple[int, int, tuple[str, ...], Literal["numeric", "author-year", "superscript"]]


def _located(text: str, references: References) -> Iterator[_Located]:
    for bracket in _NUMBERED.finditer(text):
        yield from _numbered(bracket, references, "numeric")
    for raised in _RAISED_NUMBERS.finditer(text):
        yield from _numbered(raised, references, "superscript")
    for bracket in _BRACKETED.finditer(text):
        yield from _named(text, bracket.start(1), bracket.end(1), references)
    for year in _YEAR_IN_BRACKETS.finditer(text):
        yield from _narrated(text, year, references)


def _numbered(
    found: re.Match[str], references: References, style: Literal["numeric", "superscript"]
) -> Iterator[_Located]:
    numbers = list(_NUMBER_OR_RANGE.finditer(found.string, found.start(1), found.end(1)))
    located: list[_Located] = []
    for number in numbers:
        first, last = number[1].lstrip("0"), (number[2] or "").lstrip("0")
        keys = references.between(first, last) if last else (references.numbers.get(first, ""),)
        located.append((*number.span(), keys, style))
    # An interval such as [0, 1] is no citation: every number must be one of the list.
    if located and all(keys and all(keys) for _, _, keys, _ in located):
        yield from located


def _named(text: str, start: int, end: int, references: References) -> Iterator[_Located]:
    """The citations in a bracket such as (Lind, 2018; Wu et al., 2020a,b)."""
    for part in re.finditer(r"[^;]+", text[start:end]):
        words = part[0].strip()
        lead = _LEAD_IN.match(words)
        words = words[lead.end() :] if lead else words
        cited = _CITED.fullmatch(words)
        if cited is None or not references.knows(_first_name(cited[1]), cited[2]):
            continue
        begin = start + part.start() + part[0].index(words)
        key = references.person(_first_name(cited[1]), cited[2], cited[3], cited[1])
        yield begin, begin + cited.end(3), (key,) if key else (), "author-year"
        for more in re.finditer(rf"({_YEAR})?([a-z])?(?<=\w)", cited[4] + cited[5]):
            if more[0]:
                key = references.person(_first_name(cited[1]), more[1] or cited[2], more[2] or "", cited[1])
                at = begin + cited.start(4)
                yield at + more.start(), at + more.end(), (key,) if key else (), "author-year"


def _narrated(text: str, year: re.Match[str], references: References) -> Iterator[_Located]:
    """The year in "as Lind and Wu (2019) show"; the names are part of the sentence."""
    before = text[max(0, year.start() - 160) : year.start()].rstrip()
    start = _names_before(before + ",")
    names = (before + ",")[start:].rstrip(",")
    words = names.split()
    # The sentence may begin with a capital that is no name: the longest stretch that some entry knows is taken.
    for cut in range(len(words)):
        name = " ".join(words[cut:])
        if references.knows(_first_name(name), year[1]):
            key = references.person(_first_name(name), year[1], year[2], name)
            yield year.start(1), year.end(2), (key,) if key else (), "author-year"
            return


# The document.

_ABSTRACT = re.compile(r"\W*(?:abstract|summary|摘\s*要)\W*", re.IGNORECASE)
_ABSTRACT_LEAD = re.compile(
    r"\W*(?:abstract|摘\s*要)(?:\s*[:.—–-]+[\s*_]*|\W*(?:\*\*|__|</b>)\W*|\s*\n)", re.IGNORECASE
)
_KEYWORDS = re.compile(r"\W*(?:key\s?-?words?(?: and phrases)?|index terms|关键词)\W+", re.IGNORECASE)
_LIST_OF_REFERENCES = re.compile(
    r"\W*(?:\d{1,2}\.?\s+|[IVX]{1,4}\.?\s+)?(?:references?(?: and notes| cited)?|"
    r"bibliography|literature(?: cited)?|works cited|参考文献)\W*",
    re.IGNORECASE,
)
_STATEMENT = re.compile(
    r"(?:theorem|lemma|proposition|corollary|definition|remark|assumption|example|claim|conjecture|construction|fact|observation|proof|property|notation|condition|hypothesis)\b",
    re.IGNORECASE,
)
_CAPTION = re.compile(r"\W{0,4}(?:table|tab\.|表)\s?[\w.]{1,8}\s?(?:[:.|—–-]|\s)", re.IGNORECASE)
_PAGE = re.compile(r"page \d{1,4}", re.IGNORECASE)
_CONTROL_WORD = re.compile(r"\\{1,2}[A-Za-z@]{3,}|†{2,}")
_CHINESE_DATE = re.compile(r"\s*(\d{4})年(\d{1,2})月(\d{1,2})日(.{0,200})")


@dataclass
class _Document:
    """A document's blocks on the way to what a reader gives."""

    raw: list[_Raw]
    front: dict[str, list[str]]
    source: str
    chinese: bool
    otherwise: Sequence[Entry] = ()
    notes: dict[str, str] = field(default_factory=dict)

    def found(self) -> Found:
        title, at = self._title()
        entries, rest = self._parted(self.raw[at:])
        references = References(entries or self.otherwise)
        settler = _Settler(references, rest, self._shift(at))
        head, body = self._head(rest)
        abstract, body = self._abstract(body)
        authors, kept = self._byline(head, bool(abstract or entries))
        blocks = [*settler.blocks([*self._before(at), *kept]), *settler.blocks(body)]
        scholarly = bool(abstract or entries or authors)
        published = self._published(head)
        year = re.search(rf"\b{_YEAR}\b", " ".join(self.front.get("date", []) + self.front.get("year", [])))
        found = Found(
            source=self.source,
            kind="article" if scholarly else "report",
            language="zh" if self.chinese else self._one("lang", "language")[:2] or "en",
            title=title,
            authors=authors,
            abstract=settler.blocks(abstract) or self._front_abstract(),
            body=blocks,
            references=references.found,
            ids=identifiers(" ".join(f"doi:{one}" for one in self.front.get("doi", []))),
            published=published,
            year=published.year if published else int(year[0]) if year else None,
            subjects=self.front.get("keywords", []) or settler.keywords,
            licence=self._one("license", "licence"),
            notes=self.notes,
        )
        if not blocks and not found.abstract:
            raise Unreadable("it has no text")
        return found

    def _one(self, *names: str) -> str:
        return next((" ".join(self.front[name]) for name in names if self.front.get(name)), "")

    def _front_abstract(self) -> list[Block]:
        return [Paragraph([one]) for one in self.front.get("abstract", [])]

    # The title, and what stands before it.

    def _title(self) -> tuple[str, int]:
        """The title, and where the blocks after it begin."""
        headings = [(place, raw) for place, raw in enumerate(self.raw) if raw.kind == "heading" and bare(raw.text)]
        named = self._one("title")
        first = next(((place, raw) for place, raw in headings if raw.level == 1), headings[0] if headings else None)
        if first and not _ABSTRACT.fullmatch(bare(first[1].text)) and not (named and bare(first[1].text) != named):
            return bare(first[1].text), first[0] + 1
        if named:
            return named, 0
        opening = bare(self.raw[0].text)
        if self.raw[0].kind == "paragraph" and 0 < len(opening) <= 200 and len(self.raw) > 1:
            self.notes["title"] = "the first line, since there is no heading"
            return opening, 1
        self.notes["title"] = "the name of the file, since there is no heading"
        return PurePosixPath(self.source.replace("!", "/")).stem or "Untitled", 0

    def _before(self, at: int) -> list[_Raw]:
        """What stands before the title and reads as prose: converters leave commands of the layout there."""
        before = self.raw[: max(0, at - 1)]
        return [
            raw
            for raw in before
            if raw.kind in ("table", "code")
            or (
                raw.kind != "heading"
                and len(raw.text) >= 40
                and not _CONTROL_WORD.search(raw.text)
                and "†" not in raw.text
            )
        ]

    def _shift(self, at: int) -> dict[int, int]:
        """For each rank of heading in the source the rank it gets: sections of the article have two."""
        used = sorted(
            {raw.level for raw in self.raw[at:] if raw.kind == "heading" and not _ABSTRACT.fullmatch(raw.text)}
        )
        if not used:
            return {}
        lift = 2 - used[0]
        return {level: level + lift if lift else level for level in used}

    # The list of references.

    def _parted(self, blocks: Sequence[_Raw]) -> tuple[list[Entry], list[_Raw]]:
        """The entries of the lists of references, and all other blocks."""
        entries: list[Entry] = []
        rest: list[_Raw] = []
        listed: list[_Raw] | None = None
        for raw in blocks:
            if raw.kind == "heading":
                rest.extend(_read_list(listed or [], entries))
                listed = [] if _LIST_OF_REFERENCES.fullmatch(bare(raw.text)) else None
                if listed is None:
                    rest.append(raw)
            elif (
                listed is None
                and raw.kind == "paragraph"
                and _LIST_OF_REFERENCES.fullmatch(raw.text)
                and "*" in raw.text
            ):
                listed = []
            else:
                (rest if listed is None else listed).append(raw)
        rest.extend(_read_list(listed or [], entries))
        return entries, rest

    # Between the title and the text.

    def _head(self, blocks: list[_Raw]) -> tuple[list[_Raw], list[_Raw]]:
        for place, raw in enumerate(blocks):
            if raw.kind == "heading" or (raw.kind == "paragraph" and _ABSTRACT_LEAD.match(raw.text)):
                return blocks[:place], blocks[place:]
        return (blocks, []) if self.chinese else ([], blocks)

    def _abstract(self, blocks: list[_Raw]) -> tuple[list[_Raw], list[_Raw]]:
        """The abstract, and what follows it; two headings in a row are one, as some styles print it twice."""
        place = 0
        while place < len(blocks) and blocks[place].kind == "heading" and _ABSTRACT.fullmatch(bare(blocks[place].text)):
            place += 1
        lead = _ABSTRACT_LEAD.match(blocks[place].text) if place < len(blocks) else None
        if not place and not lead:
            return [], blocks
        end = place
        while end < len(blocks) and blocks[end].kind != "heading":
            end += 1
        abstract = blocks[place:end]
        if lead and abstract:
            abstract[0] = _Raw("paragraph", abstract[0].text[lead.end() :])
        if lead and not place:
            # Without a heading of its own the abstract is one paragraph.
            return abstract[:1], [*abstract[1:], *blocks[end:]]
        again = blocks[end:]
        if again and again[0].kind == "heading" and _ABSTRACT.fullmatch(bare(again[0].text)):
            more, again = self._abstract(again)
            abstract = [*abstract, *more]
        return abstract, again

    def _byline(self, head: list[_Raw], scholarly: bool) -> tuple[list[FoundAuthor], list[_Raw]]:
        """The authors, and what of the head is text and no byline."""
        named = self.front.get("author", []) or self.front.get("authors", [])
        if named:
            return [author(name) for name in named], head
        if not scholarly or self.chinese:
            return [], head
        lines = [
            line for raw in head if raw.kind == "paragraph" and not is_prose(raw.text) for line in raw.text.split("\n")
        ]
        authors = names_in(lines)
        if not authors:
            return [], head
        self.notes["authors"] = "guessed from the lines below the title"
        return authors, [raw for raw in head if raw.kind != "paragraph" or is_prose(raw.text)]

    def _published(self, head: Sequence[_Raw]) -> date | None:
        """The date in the front matter, or the last one on which a statute was adopted or changed."""
        told = [re.match(r"(\d{4})-(\d{1,2})-(\d{1,2})()", one) for one in self.front.get("date", [])]
        if self.chinese:
            told += [_CHINESE_DATE.match(raw.text) for raw in head]
        days = [_day(match) for match in told if match and not match[4].endswith("施行")]
        return max((day for day in days if day), default=None)


def _day(match: re.Match[str]) -> date | None:
    try:
        return date(int(match[1]), int(match[2]), int(match[3]))
    except ValueError:
        return None


# Entries.

_LABEL = re.compile(r"\\?[\[(](\d{1,4}|[A-Za-z][\w+.:-]{1,20})\\?[\])]\.?\s*|(\d{1,4})[.)]\s+")
_LABEL_LINE = re.compile(rf"(.{{2,100}}?,?\s?\\?[\[(](?:{_YEAR}|n\.d\.?)?[a-z]?\\?[\])])\s*")
_NEW_ENTRY = re.compile(r"\\?\[\d{1,4}\\?\]|<(?:span|a) (?:id|name)=")


def _read_list(blocks: Sequence[_Raw], entries: list[Entry]) -> list[_Raw]:
    """Add the entries of one list; returns the blocks after its end that are none of it."""
    first = next((raw for raw in blocks if raw.kind == "item"), None)
    texts: list[list[str]] = []
    for place, raw in enumerate(blocks):
        text = raw.text.strip()
        if raw.kind in ("code", "table"):
            continue
        if raw.kind == "item" and text in ("•", "∙"):
            # A list of something else has begun, with its bullet printed twice; what leads to it stands above it.
            lead = (
                1
                if texts and place and blocks[place - 1].kind == "paragraph" and len(blocks[place - 1].text) < 80
                else 0
            )
            if lead and len(texts[-1]) > 1:
                texts[-1].pop()
            entries.extend(filter(None, map(_entry, texts)))
            return list(blocks[place - lead :])
        text = f"{raw.marker} {text}".strip()
        if raw.kind == "item" and first and bool(first.marker) == bool(raw.marker):
            texts.append([text])
        else:
            for one in _split_at_labels(text):
                fresh = _NEW_ENTRY.match(one) or not texts or (first is None and not one[:1].islower())
                if fresh:
                    texts.append([one])
                else:
                    texts[-1].append(one)
    entries.extend(filter(None, map(_entry, texts)))
    return []


def _split_at_labels(text: str) -> list[str]:
    """A paragraph whose lines each begin with a label, cut into them."""
    pieces: list[str] = []
    for line in text.split("\n"):
        if pieces and not re.match(r"\\?\[\d{1,4}\\?\]", line):
            pieces[-1] += "\n" + line
        else:
            pieces.append(line)
    return pieces


def _entry(texts: Sequence[str]) -> Entry | None:
    text = "\n".join(texts).strip()
    anchors = tuple(match[1] for tag in _TAG.finditer(text) if (match := _ANCHOR.search(tag[3])))
    text = re.sub(r"^(?:<[^<>]{0,300}>\s*)+", "", text)
    label = ""
    first, _, more = text.partition("\n")
    if found := _LABEL.match(text):
        label, text = found[1] or found[2], text[found.end() :]
    elif more.strip() and (found := _LABEL_LINE.fullmatch(first)):
        label, text = bare(found[1]), more
    # Some styles of LaTeXML leave out the blank at a quotation mark.
    words = re.sub(r"(?<=\w)“", " “", re.sub(r"”(?=\w)", "” ", bare(re.sub(r"\s+", " ", text))))
    if not re.search(r"\w", words):
        return None
    named = bare(_head_of(text, texts))
    return Entry(words, label, anchors, (named, *(bare(re.sub(r"\s+", " ", one)) for one in texts[1:])))


def _head_of(text: str, texts: Sequence[str]) -> str:
    """The first part of an entry, without the label that was cut off it."""
    rest = sum(len(one) + 1 for one in texts[1:])
    return re.sub(r"\s+", " ", text[: max(0, len(text) - rest)])


# Blocks with their citations.


class _Settler:
    """Turns raw blocks into what a reader gives."""

    def __init__(self, references: References, blocks: Sequence[_Raw], ranks: dict[int, int]) -> None:
        self._references = references
        self._ranks = ranks
        self.keywords: list[str] = []
        linked = any("#bib" in raw.text for raw in blocks)
        self._unlinked = bool(references.found) and not linked
        headings = [raw for raw in blocks if raw.kind == "heading"]
        self._flat = len({raw.level for raw in headings}) == 1
        self._pages = sum(bool(_PAGE.fullmatch(raw.text)) for raw in headings) > 1

    def words(self, text: str) -> Words:
        return settle(inline(text), self._references, self._unlinked)

    def blocks(self, raws: Sequence[_Raw]) -> list[Block]:
        out: list[Block] = []
        skipped = -1
        for place, raw in enumerate(raws):
            if place == skipped:
                continue
            if raw.kind == "table":
                below = raws[place + 1] if place + 1 < len(raws) else None
                beyond = raws[place + 2] if place + 2 < len(raws) else None
                caption, taken = self._caption(out, raws[place - 1] if place else None, below, beyond)
                skipped = place + 1 if taken else -1
                out.extend(self._table(raw, caption))
            else:
                out.extend(self._block(raw))
        return out

    def _block(self, raw: _Raw) -> Iterator[Block]:
        if raw.kind == "heading":
            yield from self._heading(raw)
        elif raw.kind == "code":
            yield Paragraph([raw.text], verbatim=True)
        elif found := _KEYWORDS.match(raw.text):
            self.keywords = [
                one for one in re.split(r"\s*[,;·，；]\s*", bare(raw.text[found.end() :]).rstrip(".")) if one
            ]
        else:
            words = self.words(f"{raw.marker} {raw.text}" if raw.marker else raw.text.removeprefix("•").lstrip())
            if words and not _is_residue(words):
                yield Paragraph(words)

    def _heading(self, raw: _Raw) -> Iterator[Block]:
        words = self.words(raw.text)
        text = "".join(word if isinstance(word, str) else "" for word in words).strip()
        if not words or (self._pages and _PAGE.fullmatch(text)):
            return
        if raw.level >= 5 and _STATEMENT.match(text):
            # A theorem's name is set as a heading of the lowest rank, but the text after the theorem is not its own.
            yield Paragraph(words)
            return
        level = self._ranks.get(raw.level, raw.level)
        number = re.match(r"\d{1,2}((?:\.\d{1,2}){1,4})\.?\s", text)
        if self._flat and number:
            level += number[1].count(".")
        yield Heading(level, words)

    def _caption(
        self, out: list[Block], above: _Raw | None, below: _Raw | None, beyond: _Raw | None
    ) -> tuple[Words, bool]:
        """A table's caption, taken from above it or from below it, and whether it was below."""
        if (
            above
            and above.kind == "paragraph"
            and _CAPTION.match(above.text)
            and out
            and isinstance(out[-1], Paragraph)
        ):
            words = out.pop().words  # type: ignore[union-attr]
            return words, False
        if (
            below
            and below.kind == "paragraph"
            and _CAPTION.match(below.text)
            and not (beyond and beyond.kind == "table")
        ):
            return self.words(below.text), True
        return [], False

    def _table(self, raw: _Raw, caption: Words) -> Iterator[Block]:
        rows = [row for row in raw.rows if any(row)]
        if not caption and rows and not raw.headed and _is_equation(rows):
            for row in rows:
                yield Paragraph(self.words(" ".join(filter(None, row))))
            return
        if rows:
            cells = [
                [TableCell(self.words(cell), header=raw.headed and number == 0) for cell in row]
                for number, row in enumerate(rows)
            ]
            yield FoundTable(caption, cells)
        elif caption:
            yield Paragraph(caption)


def _is_equation(rows: Sequence[tuple[str, ...]]) -> bool:
    """Whether a table is a formula and its number: converters of HTML keep the table it was set in."""
    return all(len(row) > 2 and not row[0] and re.fullmatch(r"(?:\([\w.*]{1,8}\))?", row[-1]) for row in rows)


def _is_residue(words: Words) -> bool:
    """Whether a paragraph is nothing but a command of the layout that was left over."""
    return (
        len(words) == 1
        and isinstance(words[0], str)
        and bool(re.fullmatch(r"\s*(?:\\[A-Za-z@]+\s*)+|\s*\\?[\[\]]\s*", words[0]))
    )


# Names in a byline.

_BODIES = re.compile(
    r"universit|institut|department|laborator|school|college|academ|research|center|centre|\binc\b|\bltd\b|corp|google|"
    r"microsoft|deepmind|\bmeta\b|openai|nvidia|amazon|alibaba|tencent|huawei|faculty|hospital|foundation|group|\blabs?\b|"
    r"equal|contribut|correspond|author|abstract|intern|technolog|science|engineering|china|germany|usa\b|france|kingdom|"
    r"korea|japan|canada|preprint|arxiv|github|http|version|draft|work done|project|leader?|division|ministry|company",
    re.IGNORECASE,
)
_CUTS = re.compile(r"[\n,;&•·|\u2003\u2009]|\s{3,}|\band\b|[\d*†‡§¶∗⋆♠♣♡♢∘⁎]+|\\[a-zA-Z]+|[\ue000\ue001]")
_WORD = re.compile(r"[^\W\d_][\w'’.\-‐]*")


def is_prose(text: str) -> bool:
    """Whether a paragraph is made of sentences and not of names."""
    words = re.findall(r"[^\W\d_]{2,}", text[:1_000])
    return len(words) >= 25 and sum(word[0].islower() for word in words) * 2 > len(words)


def names_in(lines: Sequence[str]) -> list[FoundAuthor]:
    """The persons that stand in the lines below a title; a guess."""
    names: dict[str, FoundAuthor] = {}
    for line in lines[:200]:
        if "@" in line[:2_000]:
            continue
        shown = "".join(piece.text if isinstance(piece, Link) else piece for piece in inline(line[:2_000]))
        for piece in _CUTS.split(re.sub(r"(?<=[a-zà-ž])(?=\d)", " ", shown)):
            name = " ".join((piece or "").split()).strip(" .:*_{}()[]")
            if name and _is_name(name):
                names.setdefault(name, author(name))
    return list(names.values())


def _is_name(text: str) -> bool:
    words = text.split()
    if not 2 <= len(words) <= 5 or len(text) > 50 or _BODIES.search(text):
        return False
    if not all(_WORD.fullmatch(word) and (word[0].isupper() or word.lower() in _PARTICLES) for word in words):
        return False
    return words[-1][0].isupper() and not all(word.isupper() and len(word) > 2 for word in words)


def author(name: str) -> FoundAuthor:
    """An author by a printed name: the last word and the particles before it are the family name."""
    name = " ".join(name.split())
    if "," in name:
        family, _, given = name.partition(",")
        return FoundAuthor(given.strip(), family.strip(), printed=f"{given.strip()} {family.strip()}".strip())
    words = name.split()
    start = max(0, len(words) - 1)
    while start > 1 and words[start - 1].lower() in _PARTICLES:
        start -= 1
    return FoundAuthor(" ".join(words[:start]), " ".join(words[start:]), printed=name)
