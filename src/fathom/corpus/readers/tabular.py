"""Data as documents: JSON of nested fields, tables in CSV and TSV, web pages with tables, tables with paragraphs."""

from __future__ import annotations

import csv
import html
import io
import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from fathom.corpus.readers.found import (
    Block,
    Figure,
    Found,
    FoundTable,
    Heading,
    Paragraph,
    Siblings,
    TableCell,
    Unreadable,
    Words,
)

KIND = "tabular"

MOST_BYTES = 200_000_000
MOST_ROWS = 1_000_000
MOST_CELLS = 500_000
"""In a sheet; each takes some ten microseconds to lay out."""
MOST_CHARACTERS = 100_000
"""In one cell."""
MOST_PADDING = 5_000_000
"""Empty cells that a table needs to be as wide as its widest row: a ragged table could fill the memory with them."""
MOST_DEPTH = 250
"""Elements inside one another; pages in use stay far below."""

_PAGES = (".html", ".htm", ".xhtml")
_PAPERS = (b'"body_text"', b'"pdf_parse"', b'"bib_entries"')


def looks_like(name: str, head: bytes) -> bool:
    """Whether it is JSON, CSV, TSV or a web page by its name, and not a filing or a paper in the same clothes."""
    lower = name.lower()
    if lower.endswith((".csv", ".tsv")):
        return b"\0" not in head or head[:2] in (b"\xff\xfe", b"\xfe\xff")
    if lower.endswith(".json"):
        start = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
        return start in (b"{", b"[") and not any(mark in head for mark in _PAPERS)
    return lower.endswith(_PAGES) and b"inlineXBRL" not in head and b"<" in head


def read(content: bytes, name: str, siblings: Siblings) -> Iterator[Found]:
    """The reports in a file: one, or one for each context of a file of tables with paragraphs."""
    if len(content) > MOST_BYTES:
        raise Unreadable(f"it is larger than {MOST_BYTES // 1_000_000} MB")
    ending = _bare(name).lower().rpartition(".")[2]
    if ending == "json":
        return _json(content, name)
    if ending in ("csv", "tsv"):
        return iter([_csv(content, name, ending)])
    return iter([_page(content, name)])


def _bare(name: str) -> str:
    """The name without the ending of its wrapping."""
    return re.sub(r"\.(gz|xz|bz2)$", "", name, flags=re.IGNORECASE)


def title_from(name: str) -> str:
    """A file's name as words: "data/house_prices.csv" is "House prices"."""
    stem = re.sub(r"\.\w{1,6}$", "", re.split(r"[/\\!#]", _bare(name).rstrip("/"))[-1])
    words = " ".join(re.split(r"[\s_]+", stem)).strip()
    return words[:1].upper() + words[1:] or "Untitled"


# CSV and TSV.


def _csv(content: bytes, name: str, ending: str) -> Found:
    text, doubt = _decoded(content)
    delimiter = "\t" if ending == "tsv" else _delimiter(text)
    rows: list[list[TableCell]] = []
    cells = 0
    try:
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter):
            if not any(cell.strip() for cell in row):
                continue
            if len(rows) >= MOST_ROWS:
                raise Unreadable(f"it has more than {MOST_ROWS:,} rows")
            cells += len(row)
            if cells > MOST_CELLS:
                raise Unreadable(f"it has more than {MOST_CELLS:,} cells")
            rows.append([TableCell([_cell(cell)], header=not rows) for cell in row])
    except csv.Error as error:
        raise Unreadable(_csv_fault(error)) from error
    if len(rows) < 2:
        raise Unreadable("it has no row below its header")
    found = Found(name, kind="report", title=title_from(name), body=[_checked(FoundTable([], rows))])
    if doubt:
        found.notes["text"] = doubt
    return found


def _csv_fault(error: csv.Error) -> str:
    if "field larger" in str(error):
        return f"a cell holds more than {MOST_CHARACTERS:,} characters"
    return f"it is no table: {error}"


def _cell(text: str) -> str:
    if len(text) > MOST_CHARACTERS:
        raise Unreadable(f"a cell holds more than {MOST_CHARACTERS:,} characters")
    return text


def _decoded(content: bytes) -> tuple[str, str]:
    """The text, and what is doubtful about it."""
    for mark, encoding in ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if content.startswith(mark):
            return content.decode(encoding, "replace"), ""
    try:
        return content.decode(), ""
    except UnicodeDecodeError:
        return content.decode("cp1252", "replace"), "no UTF-8: read as Windows-1252"


def _delimiter(text: str) -> str:
    """The sign that occurs most in the first line; a comma where none does."""
    line = text[:10_000].partition("\n")[0]
    return max(",;\t|", key=line.count) if line else ","


def _checked(table: FoundTable) -> FoundTable:
    """The table; refused where laying it out would need far more room than it takes."""
    widths = [sum(cell.columns for cell in row) for row in table.rows]
    if widths and max(widths) * len(widths) - sum(widths) > MOST_PADDING:
        raise Unreadable("a table has rows of very different lengths")
    return table


# JSON.


def _json(content: bytes, name: str) -> Iterator[Found]:
    data = _parsed(content)
    contexts = _contexts(data)
    if contexts:
        return (_context(context, number, name) for number, context in enumerate(contexts, start=1))
    return iter([_fields(data, name)])


def _parsed(content: bytes) -> Any:
    try:
        # Numbers stay as written: 1.50 must not be printed as 1.5.
        return json.loads(content, parse_int=str, parse_float=str, parse_constant=str)
    except RecursionError as error:
        raise Unreadable("its fields are nested too deep") from error
    except (ValueError, MemoryError) as error:
        raise Unreadable(f"it is no JSON: {error}") from error


# Tables with paragraphs: what sets of questions over reports hold. The questions stay unread.


def _contexts(data: Any) -> list[dict[str, Any]]:
    """The contexts of such a set; none where the data is anything else."""
    if not isinstance(data, list) or not data:
        return []
    sound = [one for one in data if isinstance(one, dict) and _grid(one) is not None and "paragraphs" in one]
    return sound if len(sound) == len(data) else []


def _grid(context: dict[str, Any]) -> list[list[Any]] | None:
    table = context.get("table")
    rows = table.get("table") if isinstance(table, dict) else table
    return rows if isinstance(rows, list) and all(isinstance(row, list) for row in rows) else None


def _context(context: dict[str, Any], number: int, name: str) -> Found:
    rows = _grid(context) or []
    if len(rows) > MOST_ROWS:
        raise Unreadable(f"it has more than {MOST_ROWS:,} rows")
    cells = [[TableCell([_cell(_scalar(cell))]) for cell in row] for row in rows]
    paragraphs = context["paragraphs"] if isinstance(context["paragraphs"], list) else []
    texts = [one for one in paragraphs if isinstance(one, dict) and isinstance(one.get("text"), str)]
    body: list[Block] = [_checked(FoundTable([], _with_header(cells)))]
    body += [Paragraph([one["text"]]) for one in sorted(texts, key=_order)]
    table = context.get("table")
    uid = _scalar(table.get("uid")) if isinstance(table, dict) else ""
    return Found(f"{name}#{uid or number}", kind="report", title=f"{title_from(name)}, report {number}", body=body)


def _order(paragraph: dict[str, Any]) -> int:
    order = _scalar(paragraph.get("order"))
    return int(order) if re.fullmatch(r"[0-9]{1,9}", order) else 0


def _scalar(value: Any) -> str:
    """A value as words; nothing for what is nested or absent."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else ""


# Nested fields.

_TEXT_KEYS = ("text", "value")
_TITLE_KEYS = ("title", "name", "label")
_SHORT_NAME = ("Government", "Country name", "conventional short form", "text")
_LONG_NAME = ("Government", "Country name", "conventional long form", "text")


def _fields(data: Any, name: str) -> Found:
    """A report with a heading for each group of fields and a paragraph for each field."""
    if not isinstance(data, dict | list):
        raise Unreadable("it holds a single value")
    title = _json_title(data) or title_from(name)
    table = _records(data)
    body: list[Block] = [table] if table is not None else list(_walked(data, title))
    if not any(isinstance(block, Paragraph | FoundTable) for block in body):
        raise Unreadable("it has no fields with text")
    return Found(name, kind="report", title=title, body=body)


def _json_title(data: Any) -> str:
    for path in (*((key,) for key in _TITLE_KEYS), _SHORT_NAME, _LONG_NAME):
        value = data
        for key in path:
            value = value.get(key) if isinstance(value, dict) else None
        words = " ".join(_paragraphs(value)) if isinstance(value, str) else ""
        if words and words.lower() != "none":
            return words[:300]
    return ""


def _records(data: Any) -> FoundTable | None:
    """The table that a list of flat records is; None where the data is anything else."""
    if not isinstance(data, list) or len(data) < 2 or not all(isinstance(one, dict) and one for one in data):
        return None
    if any(isinstance(value, dict | list) for one in data for value in one.values()):
        return None
    if len(data) > MOST_ROWS:
        raise Unreadable(f"it has more than {MOST_ROWS:,} rows")
    names = list(dict.fromkeys(key for one in data for key in one))
    if len(names) * len(data) - sum(map(len, data)) > MOST_PADDING:
        raise Unreadable("its records have very different fields")
    rows = [[TableCell([key], header=True) for key in names]]
    rows += [[TableCell([_cell(_scalar(one.get(key)))]) for key in names] for one in data]
    return FoundTable([], rows)


def _walked(data: Any, entity: str) -> Iterator[Block]:
    """The fields in order, without recursion: a heading for what holds others, a paragraph for what is printed."""
    stack: list[tuple[tuple[str, ...], Any, bool]] = [((), data, False)]
    while stack:
        path, value, headed = stack.pop()
        if isinstance(value, dict):
            inner = list(value.items())
        elif isinstance(value, list):
            yield from _listed(path, value)
            inner = [(str(n), one) for n, one in enumerate(value, start=1) if isinstance(one, dict | list)]
        else:
            yield from _field(path, _scalar(value), entity)
            continue
        if len(path) > MOST_DEPTH:
            raise Unreadable("its fields are nested too deep")
        if path and inner and (headed or not _is_leaf(value)):
            yield Heading(len(path) + 1, [path[-1].strip()])
        # A field beside groups has its own heading, or it would stand in the section of the group before it.
        mixed = any(isinstance(one, dict | list) and not _is_leaf(one) for _, one in inner)
        stack.extend(((*path, str(key)), one, mixed) for key, one in reversed(inner))


def _is_leaf(value: Any) -> bool:
    """Whether it only wraps one text: {"text": "180 sq km"} prints as its name and the text."""
    return isinstance(value, dict) and len(value) == 1 and isinstance(next(iter(value.values())), str)


def _listed(path: tuple[str, ...], values: list[Any]) -> Iterator[Block]:
    """One paragraph for the plain values of a list."""
    words = [text for one in values if (text := " ".join(_paragraphs(_scalar(one))))]
    if words:
        yield Paragraph([f"{path[-1].strip()}: " if path else "", ", ".join(words)])


def _field(path: tuple[str, ...], text: str, entity: str) -> Iterator[Block]:
    """A field as paragraphs that begin with its name."""
    named = path[:-1] if len(path) > 1 and path[-1] in _TEXT_KEYS else path
    label = named[-1].strip() if named else ""
    paragraphs = _paragraphs(text)
    for number, paragraph in enumerate(paragraphs):
        # A note often says "note:" itself.
        again = paragraph.lower().startswith(f"{label.lower()}:") or not label or number
        lead = "" if again else f"{label}: "
        figure = _figure(paragraph, ", ".join(key.strip() for key in named[1:] or named), entity)
        yield Paragraph([lead, *figure] if figure and len(paragraphs) == 1 else [lead + paragraph])


_BREAK = re.compile(r"(?:<br\s*/?>\s*){2,}|</?(?:p|div|li|ul|ol|h[1-6])\b[^<>]*>", re.IGNORECASE)
_TAG = re.compile(r"<(?:/?[A-Za-z][^<>]*|!--[^<>]*--)>")


def _paragraphs(text: str) -> list[str]:
    """The paragraphs of a field that may hold tags and character references."""
    if "<" not in text and "&" not in text:
        return [text.strip()] if text.strip() else []
    pieces = (html.unescape(_TAG.sub(_gap, piece)) for piece in _BREAK.split(text))
    return [" ".join(piece.split()) for piece in pieces if piece.strip()]


def _gap(tag: re.Match[str]) -> str:
    return " " if tag.group().lower().startswith("<br") else ""


_SCALES = {"thousand": 3, "million": 6, "billion": 9, "trillion": 12}
_FIGURE = re.compile(
    r"(?P<sign>-?)(?P<money>\$?)(?P<number>[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?|[0-9]{1,15}(?:\.[0-9]{1,10})?)"
    r"(?: (?P<scale>thousand|million|billion|trillion))?"
    r"(?P<unit>%| ?[A-Za-z(][A-Za-z()/ ]{0,40}(?:/[0-9,]{1,9} [a-z ]{1,30})?)?"
    r"(?: \((?P<year>[0-9]{4})(?: est\.)?\))?"
)

_UNIT_WORD = r"(?:[a-z]{2,20}(?:\(s\))?|m|kWh?|[GMT]Wh?|Btu|CO2|[0-9,]{1,9})"
_UNIT = re.compile(rf"%|{_UNIT_WORD}(?:[ /]{_UNIT_WORD}){{0,6}}")
_CONJUNCTION = re.compile(r"\b(?:and|or|to|million|billion|trillion|thousand)\b")


def _figure(text: str, attribute: str, entity: str) -> Words:
    """The pieces of a field that is one number with its unit and year and nothing else; none for any other."""
    # Safe means all of it: "443 sq km (Antigua 280 sq km)" or "17% of GDP; 20% in 2020" say more than one thing.
    match = _FIGURE.fullmatch(text) if len(text) < 120 else None
    if match is None or not attribute:
        return []
    unit = (match["unit"] or "").strip()
    # A bare number may be a year, a code or a telephone number.
    if not (unit or match["money"] or match["scale"] or match["year"]):
        return []
    if unit and (match["money"] or not _UNIT.fullmatch(unit) or _CONJUNCTION.search(unit)):
        return []
    value = Decimal(match["sign"] + match["number"].replace(",", ""))
    value = Decimal(format(value.scaleb(_SCALES.get(match["scale"] or "", 0)), "f"))
    printed = match["number"] if match["money"] else match["sign"] + match["number"]
    start = match.start("number") if match["money"] else 0
    figure = Figure(printed, entity, attribute, match["year"] or "", value, "USD" if match["money"] else unit)
    return [text[:start], figure, text[match.end("number") :]]


# Web pages.


def _page(content: bytes, name: str) -> Found:
    from selectolax.lexbor import LexborHTMLParser

    text, doubt = _page_text(content)
    tree = LexborHTMLParser(_Simple(text).page())
    layout = Layout()
    if tree.body is not None:
        _walk_page(tree.body, layout)
    body = layout.blocks()
    if not any(isinstance(block, Paragraph | FoundTable) for block in body):
        raise Unreadable("the page has no text")
    named = _TITLE.search(text[:100_000])
    title = " ".join(html.unescape(named[1]).split()) if named else ""
    found = Found(name, kind="report", title=title or _first_heading(body) or title_from(name), body=body)
    if doubt:
        found.notes["text"] = doubt
    return found


_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?([A-Za-z0-9_-]{2,30})", re.IGNORECASE)
_TITLE = re.compile(r"<title[^<>]{0,200}>([^<]{0,1000})<", re.IGNORECASE)
# Others decode slowly or are no text at all.
_ENCODINGS = re.compile(
    r"utf-?8|us-ascii|ascii|iso-8859-\d{1,2}|latin-?1|windows-125\d|cp125\d|gbk?|gb2312|gb18030|big5|shift[_-]jis|euc-\w\w"
    r"|koi8-[ru]|utf-16(?:[lb]e)?",
    re.IGNORECASE,
)


def decoded_as(content: bytes, encoding: str) -> tuple[str, str]:
    """The text in the encoding that a document names, and what is doubtful about it."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")) or not _ENCODINGS.fullmatch(encoding):
        return _decoded(content)
    try:
        return content.decode(encoding), ""
    except (LookupError, UnicodeError):
        return _decoded(content)[0], "its characters are not in the encoding that it names"


def _page_text(content: bytes) -> tuple[str, str]:
    named = _CHARSET.search(content[:4096])
    return decoded_as(content, named[1].decode("ascii") if named else "")


def _names(words: str) -> frozenset[str]:
    return frozenset(words.split())


_DROPPED = _names(
    "script style textarea title xmp iframe noembed noframes noscript template svg math select object plaintext"
)
# A parser closes these by itself, so that a page which leaves them open is not deep.
_SELF_CLOSING = _names("p li dt dd tr td th thead tbody tfoot")
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
        """The page in simple tags; raises `Unreadable` where it is too deep."""
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
        elif name == "span" or (name in _BLOCKS and name not in ("html", "body")):
            if name != "span":
                self._close_spans()
            self._out.append(f"<{name}{self._attributes(rest, style)}>")
            if name not in _SELF_CLOSING:
                self._open.append(name)
        if len(self._open) > MOST_DEPTH:
            raise Unreadable("the page's elements are nested too deep")

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
    return _said(first.words) if first is not None else ""


# A page's layout: what filings and web pages have in common.

_BLOCKS = _names(
    "address article aside blockquote body caption center dd details div dl dt fieldset figcaption figure footer form"
    " h1 h2 h3 h4 h5 h6 header hr html li main nav ol p pre section summary table tbody td tfoot th thead tr ul"
)
_UNSEEN = _names("head script style template noscript svg math iframe object select textarea")
_BOLD = re.compile(r"font-weight:\s*(bold|bolder|[6-9]00)|font-weight:\s*(normal|lighter|[1-5]00)", re.IGNORECASE)
_ITALIC = re.compile(r"font-style:\s*(italic|oblique)|font-style:\s*(normal)", re.IGNORECASE)
_NOT_SHOWN = re.compile(r"display:\s*none|visibility:\s*hidden", re.IGNORECASE)
_PERCENT = re.compile(r"(?:^|[;\s])width:\s*([0-9]{1,3}(?:\.[0-9]{1,20})?)%")
_PLACE = re.compile(r"(?:^|[;\s])(top|left|width):\s*([0-9]{1,6}(?:\.[0-9]{1,20})?)(pt|in|px)")
_POINTS = {"pt": 1.0, "in": 72.0, "px": 0.75}
_LINE = re.compile(r"position:\s*relative")
_INLINE = re.compile(r"display:\s*inline\s*(?:;|$)", re.IGNORECASE)
_MOST_COLUMNS = 1_000
_MOST_STEPS = 20_000_000


@dataclass(frozen=True)
class _Style:
    """An open element: its name, and how its text looks."""

    tag: str
    bold: bool = False
    italic: bool = False
    hidden: bool = False
    placed: tuple[float | None, float, float] | None = None
    """Its distance from the top, its distance from the left and its width, where the page says the last two."""


@dataclass
class _Cell:
    """A cell in the making: the columns it covers, and what stands in it."""

    start: int
    end: int
    header: bool
    blocks: list[Block] = field(default_factory=list)
    words: Words = field(default_factory=list)
    share: float | None = None
    """Its share of the table's width in percent."""
    right: bool = False
    """Whether its text stands at its right edge."""


@dataclass
class _Table:
    """A table in the making."""

    rows: list[list[_Cell]] = field(default_factory=list)
    caption: Words = field(default_factory=list)
    column: int = 0
    taken: dict[int, int] = field(default_factory=dict)
    """For a column that a cell of an earlier row still covers, the first row that is free again."""
    open: bool = False
    """Whether a cell is open."""


class Layout:
    """Blocks in reading order from a page's tags and texts, fed one by one in document order."""

    def __init__(self) -> None:
        self._styles = [_Style("")]
        self._blocks: list[Block] = []
        self._words: Words = []
        self._bold = self._italic = True
        self._verbatim = False
        self._tables: list[_Table] = []
        self._rows: list[list[_Cell]] = []
        self._top = -1.0
        self._lines = 0
        self._steps = 0

    @property
    def hidden(self) -> bool:
        """Whether what comes now is not shown."""
        return self._styles[-1].hidden

    def opens(self, tag: str, attributes: Mapping[str, str]) -> None:
        """An element begins."""
        self._styles.append(_styled(self._styles[-1], tag, attributes))
        if self.hidden:
            return
        if tag == "br":
            self._line_break()
        elif self._styles[-1].tag in _BLOCKS:
            self._flush()
            self._lines += _LINE.search(attributes.get("style", "")) is not None
            self._verbatim = tag == "pre"
            if tag == "table":
                self._tables.append(_Table())
            elif tag == "tr" and self._tables:
                self._opens_row(self._tables[-1])
            elif tag in ("td", "th") and self._tables:
                self._opens_cell(self._tables[-1], tag, attributes)

    def closes(self) -> None:
        """The element that was opened last ends."""
        style = self._styles.pop()
        if style.hidden or style.tag not in _BLOCKS:
            return
        if style.tag == "caption" and self._tables:
            self._tables[-1].caption, self._words = self._words, []
        self._flush(style)
        if style.tag in ("td", "th") and self._tables:
            self._tables[-1].open = False
        elif style.tag == "table" and self._tables:
            self._closes_table(self._tables.pop())
        self._verbatim = False

    def text(self, text: str) -> None:
        """Characters as they stand in the page."""
        style = self._styles[-1]
        if style.hidden or not text:
            return
        if text.strip():
            self._bold, self._italic = self._bold and style.bold, self._italic and style.italic
        self._words.append(text)

    def figure(self, figure: Figure) -> None:
        """A number whose meaning is known."""
        if not self.hidden:
            self._words.append(figure)

    def blocks(self) -> list[Block]:
        """All there is, when the page is at its end."""
        self._flush()
        while self._tables:
            self._closes_table(self._tables.pop())
        self._settle()
        return _ranked(self._blocks)

    # Paragraphs and headings.

    def _line_break(self) -> None:
        blank = len(self._words) - 1
        while blank >= 0 and isinstance(piece := self._words[blank], str) and not piece.strip() and piece != "\n":
            blank -= 1
        again = blank >= 0 and self._words[blank] == "\n"
        self._words.append("\n")
        if again and not self._in_cell() and not self._verbatim:
            self._flush()

    def _in_cell(self) -> bool:
        return bool(self._tables) and self._tables[-1].open

    def _flush(self, style: _Style | None = None) -> None:
        words, bold, italic = self._words, self._bold, self._italic
        self._words, self._bold, self._italic = [], True, True
        if any(_visible(piece) for piece in words):
            block = self._block(words, bold, italic, style.tag if style else "")
            if style is not None and style.placed and not self._in_cell():
                self._take_placed(block, style.placed)
            else:
                self._put(block)

    def _block(self, words: Words, bold: bool, italic: bool, tag: str) -> Block:
        figures = any(isinstance(piece, Figure) for piece in words)
        if self._verbatim and not figures:
            return Paragraph(words, verbatim=True)
        said = _said(words)
        if not figures and re.fullmatch("h[1-6]", tag) and len(said) <= 500:
            return Heading(int(tag[1]) + _OWN_RANKS, words)
        if not figures and bold and not self._in_cell() and _is_headline(said):
            return Heading(_rank(said, italic), words)
        return Paragraph(words)

    def _put(self, block: Block) -> None:
        if self._in_cell():
            self._tables[-1].rows[-1][-1].blocks.append(block)
        else:
            self._settle()
            self._blocks.append(block)

    # Tables.

    def _opens_row(self, table: _Table) -> None:
        if len(table.rows) >= MOST_ROWS:
            raise Unreadable(f"a table has more than {MOST_ROWS:,} rows")
        table.rows.append([])
        table.column, table.open = 0, False

    def _opens_cell(self, table: _Table, tag: str, attributes: Mapping[str, str]) -> None:
        if not table.rows:
            self._opens_row(table)
        row = len(table.rows) - 1
        while table.taken.get(table.column, 0) > row:
            table.column += 1
            self._steps += 1
        width = _number(attributes.get("colspan"), _MOST_COLUMNS)
        down = _number(attributes.get("rowspan"), MOST_ROWS)
        start, end = table.column, table.column + width
        if end > _MOST_COLUMNS or self._steps > _MOST_STEPS:
            raise Unreadable(f"a table has more than {_MOST_COLUMNS:,} columns")
        if down > 1:
            table.taken.update((column, row + down) for column in range(start, end))
        style = attributes.get("style", "")
        share = _PERCENT.search(style)
        cell = _Cell(start, end, tag == "th", right=re.search(r"text-align:\s*right", style) is not None)
        cell.share = float(share[1]) if share is not None and width == 1 else None
        table.rows[-1].append(cell)
        table.column, table.open = end, True

    def _closes_table(self, table: _Table) -> None:
        table.open = False
        for cell in (cell for row in table.rows for cell in row):
            cell.words = _joined(cell.blocks)
        table.rows = [row for row in table.rows if any(cell.words for cell in row)]
        if not table.rows:
            return
        first = table.rows[0]
        if any(isinstance(block, FoundTable) for row in table.rows for cell in row for block in cell.blocks):
            self._dissolve(table)
        elif len(table.rows) == 1 and not self._in_cell() and all(cell.share is not None for cell in first):
            self._take_row(first)
        elif len(table.rows) == 1 and not any(cell.header for cell in first):
            self._put(_one_row(first))
        elif all(sum(bool(cell.words) for cell in row) == 1 for row in table.rows) and not table.caption:
            self._dissolve(table)
        else:
            self._put(_finished(table.caption, table.rows))

    def _dissolve(self, table: _Table) -> None:
        """A table that only arranges other parts gives those parts, in order."""
        for cell in (cell for row in table.rows for cell in row):
            for block in cell.blocks:
                self._put(block)

    # Rows that no table holds together.

    def _take_row(self, row: list[_Cell]) -> None:
        """Keep a table of one row: accounts programs print each row of a balance sheet as a table of its own."""
        place = 0.0
        for cell in row:
            start, place = round(place * 4), place + (cell.share or 0)
            cell.end = max(round(place * 4), start + 1)
            cell.start = cell.end - 1 if cell.right else start
        self._top = -1.0
        self._rows.append([cell for cell in row if cell.words])

    def _take_placed(self, block: Block, placed: tuple[float | None, float, float]) -> None:
        """Keep a line that the page puts at a certain place: those at the same height are cells of a row."""
        _, left, width = placed
        top = placed[0] if placed[0] is not None else -2.0 - self._lines
        words = block.words if isinstance(block, Paragraph | Heading) else []
        short = len(_said(words)) <= 20
        # Columns of numbers overlap by a point or two, so only the middle of a short cell counts.
        inner = width / 4 if short else 0
        cell = _Cell(round(left + inner), max(round(left + width - inner), round(left + inner) + 1), False, words=words)
        row = self._rows[-1] if self._rows and top == self._top else None
        if row is not None and row[-1].start < cell.start:
            row.append(cell)
        else:
            self._rows.append([cell])
        self._top = top

    def _settle(self) -> None:
        """Put down the rows that were kept, as tables where they are some."""
        rows, self._rows, self._top = self._rows, [], -1.0
        for run in _runs(rows):
            self._blocks += _as_table(run)


def _runs(rows: Sequence[list[_Cell]]) -> Iterator[list[list[_Cell]]]:
    """Stretches of rows: those with several short cells and the labels between them, and everything else one by one."""
    run: list[list[_Cell]] = []
    for row in rows:
        longest = max(len(_said(cell.words)) for cell in row)
        label = len(row) == 1 and (bool(run) or _is_number(row[0]))
        if longest <= 100 and (len(row) > 1 or (label and longest <= 60)):
            run.append(row)
            continue
        if run:
            yield run
        yield [row]
        run = []
    if run:
        yield run


def _as_table(run: list[list[_Cell]]) -> list[Block]:
    """A run as one table, what stands above its head and below its last number left out; as lines where it is none."""
    lines = [_one_row(row) for row in run]
    first, last = _extent(run)
    if sum(len(row) > 1 for row in run[first:last]) < 2:
        return lines
    table = _finished([], run[first:last])
    # Two numbers in one cell: the places do not tell the columns apart, and a wrong column is worse than none.
    if any(sum(isinstance(piece, Figure) for piece in cell.words) > 1 for row in table.rows for cell in row):
        return lines
    return [*lines[:first], table, *lines[last:]]


def _extent(run: list[list[_Cell]]) -> tuple[int, int]:
    """From the row that heads the first known number to the row of the last one."""
    known = [n for n, row in enumerate(run) if any(isinstance(piece, Figure) for cell in row for piece in cell.words)]
    numbers = known or [n for n, row in enumerate(run) if len(row) > 1 and any(map(_is_number, row))]
    if not numbers:
        return 0, 0
    first, headed = numbers[0], False
    while first and (len(run[first - 1]) > 1 or not headed):
        first -= 1
        headed = headed or len(run[first]) > 1
    return (first if headed else numbers[0]), numbers[-1] + 1


def _is_number(cell: _Cell) -> bool:
    said = _said(cell.words)
    return (
        any(isinstance(piece, Figure) for piece in cell.words)
        or re.fullmatch(r"[(-]?[0-9][0-9,.]*\)?", said) is not None
    )


def _styled(above: _Style, tag: str, attributes: Mapping[str, str]) -> _Style:
    style = attributes.get("style", "")
    bold, italic = above.bold or tag in ("b", "strong"), above.italic or tag in ("i", "em")
    hidden = above.hidden or tag in _UNSEEN or "hidden" in attributes
    placed = None
    if style:
        weight, slant = _BOLD.search(style), _ITALIC.search(style)
        bold = bool(weight[1]) if weight else bold
        italic = bool(slant[1]) if slant else italic
        hidden = hidden or _NOT_SHOWN.search(style) is not None
        tag = "span" if tag == "div" and _INLINE.search(style) else tag
        places = {name: float(number) * _POINTS[unit] for name, number, unit in _PLACE.findall(style)}
        placed = (places.get("top"), places["left"], places["width"]) if {"left", "width"} <= places.keys() else None
    return _Style(tag, bold, italic, hidden, placed)


def _number(text: str | None, most: int) -> int:
    """How many columns or rows a cell covers."""
    return min(most, max(1, int(text))) if text and re.fullmatch(r"[0-9]{1,6}", text.strip()) else 1


def _visible(piece: Any) -> bool:
    return bool((piece if isinstance(piece, str) else piece.text).strip())


def _said(words: Words) -> str:
    return " ".join("".join(piece if isinstance(piece, str) else piece.text for piece in words).split())


def _joined(blocks: Sequence[Block]) -> Words:
    """The running text of a cell: its paragraphs with a blank between them."""
    words: Words = []
    for block in blocks:
        if isinstance(block, Paragraph | Heading):
            words += [" ", *block.words] if words else block.words
    return words


def _one_row(row: Sequence[_Cell]) -> Block:
    """A table of one row only arranges its text: a bullet and its paragraph, "Item 1." and its heading."""
    words = _joined([Paragraph(cell.words) for cell in row if cell.words])
    said = _said(words)
    if not any(isinstance(piece, Figure) for piece in words) and _ITEM.match(said) and _is_headline(said):
        return Heading(_rank(said, False), words)
    return Paragraph(words)


def _finished(caption: Words, filled: Sequence[list[_Cell]]) -> FoundTable:
    """The table without its empty columns, with signs of money and closing brackets at their numbers."""
    rows = [_merged([cell for cell in row if cell.words]) for row in filled]
    columns = _columns([cell for row in rows for cell in row])
    starts, ends = [start for start, _ in columns], [end for _, end in columns]
    laid: list[list[TableCell]] = []
    room = MOST_PADDING + sum(map(len, rows))
    for row in rows:
        laid.append(_laid(row, starts, ends))
        room -= len(laid[-1])
        if room < 0:
            raise Unreadable("a table has rows of very different lengths")
    return _checked(FoundTable(caption, _with_header(laid)))


_MONEY = re.compile(r"[-(]?(?:US|C|A)?[$£€¥]")
_CLOSING = re.compile(r"[)%\]]{1,3}")
_NUMBER_AHEAD = re.compile(r"[-(\u2212\u2013\u2014]?\s*[0-9.]|[-\u2212\u2013\u2014]$")


def _merged(row: Sequence[_Cell]) -> list[_Cell]:
    """The cells of a row with "$" joined to what follows and ")" to what stands before."""
    merged: list[_Cell] = []
    for cell in row:
        said = _said(cell.words)
        before = merged[-1] if merged else None
        if before is not None and cell.start - before.end <= 1:
            money = _MONEY.fullmatch(_said(before.words)) and _NUMBER_AHEAD.match(said)
            if money or _CLOSING.fullmatch(said):
                before.words = [*_trimmed(before.words), *_trimmed(cell.words)]
                before.end = cell.end
                continue
        merged.append(_Cell(cell.start, cell.end, cell.header, words=cell.words))
    return merged


def _trimmed(words: Words) -> Words:
    """Without the blanks at both ends."""
    first = next((n for n, piece in enumerate(words) if _visible(piece)), 0)
    last = next((n for n in reversed(range(len(words))) if _visible(words[n])), 0)
    kept = words[first : last + 1]
    if kept and isinstance(kept[0], str):
        kept[0] = kept[0].lstrip()
    if kept and isinstance(kept[-1], str):
        kept[-1] = kept[-1].rstrip()
    return kept


def _columns(cells: Sequence[_Cell]) -> list[tuple[int, int]]:
    """The columns that readers see: cells that overlap share one, unless a cell covers several."""
    starts: list[int] = []
    ends: list[int] = []
    for cell in sorted(cells, key=lambda cell: cell.end - cell.start):
        first, last = bisect_right(ends, cell.start), bisect_left(starts, cell.end)
        if len(starts) > _MOST_COLUMNS:
            raise Unreadable(f"a table has more than {_MOST_COLUMNS:,} columns")
        if first == last:
            starts.insert(first, cell.start)
            ends.insert(first, cell.end)
        elif last - first == 1:
            starts[first], ends[first] = min(starts[first], cell.start), max(ends[first], cell.end)
    return list(zip(starts, ends, strict=True))


def _laid(row: Sequence[_Cell], starts: list[int], ends: list[int]) -> list[TableCell]:
    """A row with a cell, filled or empty, in each column up to its last."""
    laid: list[TableCell] = []
    at = 0
    for number, cell in enumerate(row):
        first, last = bisect_right(ends, cell.start), bisect_left(starts, cell.end)
        if first < at and laid:  # Two cells in what is one column elsewhere.
            laid[-1] = TableCell([*laid[-1].words, " ", *cell.words], laid[-1].header, laid[-1].columns)
            continue
        if number + 1 < len(row):
            last = max(first + 1, min(last, bisect_right(ends, row[number + 1].start)))
        laid += [TableCell([]) for _ in range(first - at)]
        laid.append(TableCell(cell.words, cell.header, max(1, last - first)))
        at = max(first + 1, last)
    return laid


_YEAR_LIKE = re.compile(r"(?:19|20)[0-9]{2}\b")
_AMOUNT = re.compile(r"[-($£€¥\u2212\u2013\u2014\s]*[0-9.][0-9.,\s]*[)%\s]*")


def _with_header(rows: list[list[TableCell]]) -> list[list[TableCell]]:
    """The rows with those above the numbers marked as header: the ones without a label, or with years only."""
    count = 0
    while count < len(rows) - 1 and _is_header(rows[count]):
        count += 1
    heads = [[TableCell(cell.words, True, cell.columns) for cell in row] for row in rows[:count]]
    return heads + rows[count:]


def _is_header(row: Sequence[TableCell]) -> bool:
    filled = [cell for cell in row if any(_visible(piece) for piece in cell.words)]
    if any(isinstance(piece, Figure) for cell in filled for piece in cell.words):
        return False
    if filled and all(cell.header for cell in filled):
        return True
    others = [_said(cell.words) for cell in row[1:]]
    if not any(others) or any(_AMOUNT.fullmatch(text) and not _YEAR_LIKE.match(text) for text in others):
        return False
    return not _said(row[0].words) or any(_YEAR_LIKE.search(text) for text in others)


# Headings that a page only sets in bold.

_OWN_RANKS = 10
"""Added to the rank of a heading that the page itself calls one, to tell it from those that are guessed."""
_PART = re.compile(r"part\s+[ivx]{1,4}\b", re.IGNORECASE)
_ITEM = re.compile(r"(?:item|note)\s+[0-9]{1,2}[a-c]?\b", re.IGNORECASE)


def _is_headline(said: str) -> bool:
    """Whether a line in bold stands above a section rather than in it."""
    if not 2 <= len(said) <= 150 or not re.search(r"[^\W\d_]{2}", said):
        return False
    return not said.endswith((",", ";")) and (len(said) <= 80 or not said.endswith("."))


def _rank(said: str, italic: bool) -> int:
    if _PART.match(said):
        return 2
    return 3 if _ITEM.match(said) else 5 if italic else 4


def _ranked(blocks: Sequence[Block]) -> list[Block]:
    """The blocks with their headings' ranks made to begin at two, the page's own before the guessed."""
    used = sorted({block.level for block in blocks if isinstance(block, Heading)}, key=lambda n: (n < _OWN_RANKS, n))
    levels = {level: number for number, level in enumerate(used, start=2)}
    return [Heading(levels[block.level], block.words) if isinstance(block, Heading) else block for block in blocks]
