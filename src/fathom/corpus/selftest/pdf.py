"""A small PDF writer with one or two columns, running heads, hyphenation and tables."""

from __future__ import annotations

import itertools
import re
import unicodedata
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

from fathom.corpus.readers.parsed_document import Block, Heading, Inlines, Paragraph, ParsedDocument, ParsedTable
from fathom.corpus.readers.parsing.blocks import inlines_text


def pdf(document: ParsedDocument) -> dict[str, bytes]:
    """Return a document as a PDF file. The title determines the layout, so that the file is always the same."""
    layout = _page_layout(document.title)
    return {"paper.pdf": _pdf_file(_page_commands(document, layout), layout)}


# Characters that the fonts have: those of WinAnsi (code page 1252).

_MARKUP = re.compile(r"</?sup>|\*")
_REPLACEMENTS = {
    "Đ": "D", "đ": "d", "Ł": "L", "ł": "l", "ı": "i", "−": "-", "‐": "-", "‑": "-", "\u00a0": " ", "\u00ad": "",
}  # fmt: skip
_SUPERSCRIPT_ON, _SUPERSCRIPT_OFF = "\x01", "\x02"


def printable(text: str) -> str:
    """Return a text as a page shows it: without markup, and without the accents and characters that WinAnsi lacks."""
    return "".join(map(_printable_char, unicodedata.normalize("NFC", _MARKUP.sub("", text))))


@cache
def _printable_char(char: str) -> str:
    if char in _REPLACEMENTS:
        return _REPLACEMENTS[char]
    if _in_winansi(char):
        return char
    return "".join(filter(_in_winansi, unicodedata.normalize("NFKD", char)))


def _in_winansi(char: str) -> bool:
    return char.encode("cp1252", "ignore") != b""


# Character widths of the standard fonts, in thousandths of the font size.

_HELVETICA = {
    191: "'", 222: "ijl‘’", 260: "|", 278: " !,./:;I[\\]ft", 333: "()-`r“”", 334: "{}", 355: '"', 389: "*", 469: "^",
    500: "Jcksvxyz", 556: "#$0123456789?L_abdeghnopquµ–", 584: "+<=>~", 611: "FTZß", 667: "&ABEKPSVXY", 722: "CDHNRUw",
    778: "GOQØ", 833: "Mm", 889: "%", 944: "W", 1000: "—", 1015: "@",
}  # fmt: skip
_HELVETICA_BOLD = {
    238: "'", 278: " ,./I\\ijl‘’", 280: "|", 333: "!()-:;[]`ft", 389: "*r{}", 474: '"', 500: "z“”",
    556: "#$0123456789J_aceksvxy–", 584: "+<=>^~", 611: "?FLTZbdghnopqußµ", 667: "EPSVXY", 722: "&ABCDHKNRU",
    778: "GOQwØ", 833: "M", 889: "%m", 944: "W", 975: "@", 1000: "—",
}  # fmt: skip
_TIMES = {
    180: "'", 200: "|", 250: " ,.", 278: "/:;\\ijlt", 333: "!()-I[]`fr‘’", 389: "Js", 408: '"', 444: "?acez“”",
    469: "^", 480: "{}", 500: "#$*0123456789_bdghknopquvxyßµ–", 541: "~", 556: "FPS", 564: "+<=>", 611: "ELTZ",
    667: "BCR", 722: "ADGHKNOQUVXYwØ", 778: "&m", 833: "%", 889: "M", 921: "@", 944: "W", 1000: "—",
}  # fmt: skip
_TIMES_BOLD = {
    220: "|", 250: " ,.", 278: "'/\\il", 333: "!()-:;[]`fjt‘’", 389: "Is", 394: "{}", 444: "cerz",
    500: "#$*0123456789?J_agovxy“”–", 520: "~", 555: '"', 556: "Sbdhknpqußµ", 570: "+<=>", 581: "^", 611: "FP",
    667: "BELTZ", 722: "ACDNRUVXYw", 778: "GHKOQØ", 833: "&m", 930: "@", 944: "M", 1000: "%W—",
}  # fmt: skip
_CHAR_WIDTHS = {
    ("Helvetica", False): _HELVETICA,
    ("Helvetica", True): _HELVETICA_BOLD,
    ("Times", False): _TIMES,
    ("Times", True): _TIMES_BOLD,
}
_FONT_NAMES = {"Helvetica": ("Helvetica", "Helvetica-Bold"), "Times": ("Times-Roman", "Times-Bold")}


@cache
def _char_width(family: str, bold: bool, char: str) -> int:
    """Return a character's width, ignoring its accent; 556, the width of a Helvetica digit, if it is in no table."""
    base = unicodedata.normalize("NFD", char)[:1]
    return next((width for width, characters in _CHAR_WIDTHS[family, bold].items() if base in characters), 556)


_SUPERSCRIPT_SCALE = 0.65


def _text_width(text: str, font: _Font) -> float:
    total, scale = 0.0, 1.0
    for char in text:
        if char in (_SUPERSCRIPT_ON, _SUPERSCRIPT_OFF):
            scale = _SUPERSCRIPT_SCALE if char == _SUPERSCRIPT_ON else 1.0
        else:
            total += scale * _char_width(font.family, font.bold, char)
    return total * font.size / 1000


# Page layouts.


@dataclass(frozen=True)
class _Font:
    family: str
    """Times or Helvetica."""
    size: float
    bold: bool = False


@dataclass(frozen=True)
class _PageLayout:
    """Page size, margins, columns and font of a paper. Lengths are in points."""

    width: float
    height: float
    columns: int
    justified: bool
    family: str
    indented: bool
    """Whether paragraphs start with an indent instead of a gap."""

    side_margin = 62.0
    top_margin = 70.0
    bottom_margin = 70.0
    column_gap = 22.0

    @property
    def text_width(self) -> float:
        return self.width - 2 * self.side_margin

    @property
    def column_width(self) -> float:
        return (self.text_width - self.column_gap * (self.columns - 1)) / self.columns

    def font(self, size: float, bold: bool = False) -> _Font:
        return _Font(self.family, size, bold)


def _page_layout(title: str) -> _PageLayout:
    """Return the layout for a title: each bit of the title's checksum decides one property."""
    bits = zlib.crc32(title.encode())
    width, height = (595.0, 842.0) if bits & 2 else (612.0, 792.0)
    return _PageLayout(
        width, height, 1 + (bits & 1), bool(bits & 4), "Times" if bits & 8 else "Helvetica", indented=bool(bits & 16)
    )


# Lines.


@dataclass(frozen=True)
class _Run:
    """Text drawn from one point on."""

    left: float
    """Distance from the left edge of the column."""
    text: str
    font: _Font
    word_spacing: float = 0.0
    """Extra width of each space, which justifies the line."""


@dataclass(frozen=True)
class _Line:
    runs: tuple[_Run, ...]
    leading: float
    """Height of the line, including any gap below it."""
    space_above: float = 0.0
    """Gap above the line, dropped at the top of a column."""
    lines_below: int = 0
    """Number of lines that must fit below it in the column. Keeps a heading with its section."""
    rule_below: bool = False
    """Whether a thin rule is drawn below it."""


_LEADING = 1.2
"""Line height relative to the font size."""
_VOWELS = "aeiouy"
_MIN_HYPHENATED = 8
"""Minimum length of a word that may be hyphenated."""
_MAX_BLANK_SHARE = 0.06
"""Maximum share of a line left blank before the next word is hyphenated."""


def _typeset(
    text: str,
    font: _Font,
    width: float,
    indent: float = 0,
    hanging: float = 0,
    justified: bool = False,
    centered: bool = False,
) -> list[_Line]:
    """Break text into lines, the first with `indent`, the others with `hanging`. The last one is never justified."""
    broken = list(_break_lines(text.split(), font, width, indent, hanging))
    lines: list[_Line] = []
    for number, line in enumerate(broken):
        left = hanging if number else indent
        free = width - left - _text_width(line, font)
        spaces = line.count(" ")
        word_spacing = free / spaces if justified and spaces and number < len(broken) - 1 else 0.0
        run = _Run(left + (free / 2 if centered else 0), line, font, word_spacing)
        lines.append(_Line((run,), font.size * _LEADING))
    return lines


def _break_lines(words: Sequence[str], font: _Font, width: float, indent: float, hanging: float) -> Iterator[str]:
    """Yield the text of each line, filled greedily. A long word is hyphenated if the line would end too early."""
    remaining = list(reversed(words))
    line, available = "", width - indent
    while remaining:
        word = remaining.pop()
        longer = f"{line} {word}" if line else word
        if _text_width(longer, font) <= available or not line:
            line = longer
            continue
        loose = available - _text_width(line, font) > _MAX_BLANK_SHARE * available
        head = _hyphenate(word, font, available - _text_width(line + " ", font)) if loose else ""
        if head:
            yield f"{line} {head}-"
            remaining.append(word[len(head) :])
        else:
            yield line
            remaining.append(word)
        line, available = "", width - hanging
    if line:
        yield line


def _hyphenate(word: str, font: _Font, available: float) -> str:
    """Return the longest prefix that fits with a hyphen and ends before a consonant between vowels; empty if none."""
    letters = word.rstrip(".,;:)")
    if len(letters) < _MIN_HYPHENATED or not (letters.isascii() and letters.isalpha() and letters.islower()):
        return ""
    for place in range(len(letters) - 4, 2, -1):
        before, here, after = (letter in _VOWELS for letter in letters[place - 1 : place + 2])
        if before and not here and after and _text_width(word[:place] + "-", font) <= available:
            return word[:place]
    return ""


# Blocks.

_BODY_SIZE, _SMALL_SIZE, _ENTRY_SIZE = 10.0, 8.0, 9.0
_HEADING_SIZES = {2: 13.0, 3: 11.5}


def _block_lines(block: Block, layout: _PageLayout) -> list[_Line]:
    match block:
        case Heading(level, inlines):
            font = layout.font(_HEADING_SIZES.get(level, 10.5), bold=True)
            lines = _typeset(_text(inlines), font, layout.column_width)
            return _add_spacing([replace(line, lines_below=3) for line in lines], 10, 3)
        case Paragraph(inlines):
            return _paragraph_lines(_text(inlines), layout)
        case ParsedTable(caption, rows):
            return _table_lines(_text(caption), [[_text(cell.inlines) for cell in row] for row in rows], layout)


def _text(inlines: Inlines) -> str:
    """Return the printable text with control characters around each superscript."""
    return "".join(
        _SUPERSCRIPT_ON + printable(piece) + _SUPERSCRIPT_OFF if number % 2 else printable(piece)
        for number, piece in enumerate(re.split(r"<sup>(.*?)</sup>", inlines_text(inlines)))
    )


def _paragraph_lines(text: str, layout: _PageLayout) -> list[_Line]:
    indent = 12.0 if layout.indented else 0.0
    lines = _typeset(text, layout.font(_BODY_SIZE), layout.column_width, indent=indent, justified=layout.justified)
    return _add_spacing(lines, 0 if layout.indented else 5)


def _add_spacing(lines: Sequence[_Line], above: float, below: float = 0) -> list[_Line]:
    """Return the lines with a gap above the first and below the last."""
    spaced = list(lines)
    if spaced:
        spaced[0] = replace(spaced[0], space_above=above)
        spaced[-1] = replace(spaced[-1], leading=spaced[-1].leading + below)
    return spaced


def _table_lines(caption: str, rows: list[list[str]], layout: _PageLayout) -> list[_Line]:
    """Return the lines of the caption and of the rows. A long cell is wrapped within its column."""
    font = _table_font(rows, layout)
    widths = _column_widths(rows, font, layout.column_width)
    # Keep the caption in one column with the first rows.
    caption_lines = _add_spacing(_typeset(caption, layout.font(9), layout.column_width), 10, 4)
    lines = [
        replace(line, lines_below=4 + 2 * (len(caption_lines) - number))
        for number, line in enumerate(caption_lines, start=1)
    ]
    for number, row in enumerate(rows):
        row_font = replace(font, bold=number == 0)
        cells = [_typeset(text, row_font, width - 6) for text, width in zip(row, widths, strict=False)]
        depth = max((len(cell) for cell in cells), default=0)
        for level in range(depth):
            runs = tuple(
                replace(cell[level].runs[0], left=sum(widths[:place]))
                for place, cell in enumerate(cells)
                if level < len(cell)
            )
            last = level == depth - 1
            lines.append(_Line(runs, font.size * _LEADING, rule_below=last and number in (0, len(rows) - 1)))
    return _add_spacing(lines, 10, 10)


def _table_font(rows: list[list[str]], layout: _PageLayout) -> _Font:
    """Return the largest of five sizes at which the longest word of each column fits; else the smallest."""
    fonts = [layout.font(_SMALL_SIZE - step) for step in range(5)]
    return next(
        (font for font in fonts if sum(_part_widths(rows, font, str.split, 7)) <= layout.column_width), fonts[-1]
    )


def _column_widths(rows: list[list[str]], font: _Font, available: float) -> list[float]:
    """Return the width of each column: its widest cell, shrunk toward its longest word if the table is too wide."""
    natural = _part_widths(rows, font, lambda text: [text], 12)
    minimum = _part_widths(rows, font, str.split, 7)
    excess = sum(natural) - sum(minimum)
    share = min(1.0, max(0.0, available - sum(minimum)) / excess) if excess else 1.0
    return [short + share * (full - short) for short, full in zip(minimum, natural, strict=True)]


def _part_widths(rows: list[list[str]], font: _Font, parts: Callable[[str], list[str]], padding: float) -> list[float]:
    """Return the width of each column's widest part in bold, plus padding. `parts` splits a cell's text."""
    bold = replace(font, bold=True)
    columns = itertools.zip_longest(*rows, fillvalue="")
    return [
        max((_text_width(part, bold) for text in column for part in parts(text)), default=0) + padding
        for column in columns
    ]


_NUMBER = re.compile(r"(?:\[\d+\]|\d+\.)\s+")


def _reference_lines(text: str, layout: _PageLayout) -> list[_Line]:
    """Return the lines of a reference with a hanging indent. A printed number goes into the indent."""
    font = layout.font(_ENTRY_SIZE)
    text = printable(text).strip()
    number = _NUMBER.match(text)
    if number is None:
        return _add_spacing(_typeset(text, font, layout.column_width, hanging=14, justified=layout.justified), 2)
    number_width = _text_width("[000] ", font)
    lines = _typeset(
        text[number.end() :],
        font,
        layout.column_width,
        indent=number_width,
        hanging=number_width,
        justified=layout.justified,
    )
    lines[0] = replace(lines[0], runs=(_Run(0, number[0].strip(), font), *lines[0].runs))
    return _add_spacing(lines, 2)


# Pages.


@dataclass
class _PageWriter:
    """Places lines on pages, column by column."""

    layout: _PageLayout
    pages: list[list[str]] = field(default_factory=lambda: [[]])
    """PDF drawing commands of each page."""
    _column: int = 0
    _top: float = 0.0
    """Height at which columns start on this page: below the title on the first."""
    _y: float = 0.0
    """Height reached in the current column, measured from the bottom of the page."""

    def __post_init__(self) -> None:
        self._top = self._y = self.layout.height - self.layout.top_margin

    def write_full_width(self, lines: Sequence[_Line]) -> None:
        """Write lines over the full text width. Columns start below them."""
        for line in lines:
            self._draw(line, self.layout.side_margin, self.layout.text_width)
        self._top = self._y

    def write_columns(self, lines: Sequence[_Line]) -> None:
        """Write lines in the current column, and in new ones as it fills."""
        for line in lines:
            needed = line.space_above + line.leading + line.lines_below * _BODY_SIZE * _LEADING
            full = self._y - needed < self.layout.bottom_margin
            if full:
                self._next_column()
            left = self.layout.side_margin + self._column * (self.layout.column_width + self.layout.column_gap)
            self._draw(replace(line, space_above=0) if full else line, left, self.layout.column_width)

    def _next_column(self) -> None:
        """Start the next column, on a new page after the last one."""
        self._column += 1
        if self._column == self.layout.columns:
            self._column = 0
            self.pages.append([])
            self._top = self.layout.height - self.layout.top_margin
        self._y = self._top

    def _draw(self, line: _Line, left: float, width: float) -> None:
        self._y -= line.space_above + line.runs[0].font.size * _LEADING
        self.pages[-1] += (_text_commands(run, left, self._y) for run in line.runs)
        if line.rule_below:
            self.pages[-1].append(f"{left:.2f} {self._y - 3:.2f} {width:.2f} 0.4 re f")
        self._y -= line.leading - line.runs[0].font.size * _LEADING


def _page_commands(document: ParsedDocument, layout: _PageLayout) -> Sequence[Sequence[str]]:
    """Return the drawing commands of each page."""
    writer = _PageWriter(layout)
    writer.write_full_width(list(_title_lines(document, layout)))
    if document.abstract:
        writer.write_columns(_block_lines(Heading(2, ["Abstract"]), layout))
    for block in (*document.abstract, *document.body):
        writer.write_columns(_block_lines(block, layout))
    if document.references:
        writer.write_columns(_block_lines(Heading(2, ["References"]), layout))
    for reference in document.references:
        writer.write_columns(_reference_lines(reference.text, layout))
    running = printable(document.venue or document.title)[:60]
    # In the usual drawing order: running head, columns, page number.
    return [
        [*_running_head(running if number > 1 else _imprint(document), layout), *page, _page_number(number, layout)]
        for number, page in enumerate(writer.pages, start=1)
    ]


def _title_lines(document: ParsedDocument, layout: _PageLayout) -> Iterator[_Line]:
    """Yield the lines of the title and of the byline."""
    title = _typeset(printable(document.title), layout.font(17, bold=True), layout.text_width, centered=True)
    yield from _add_spacing(title, 0, 8)
    names = [printable(author.printed) for author in document.authors]
    byline = " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
    yield from _add_spacing(_typeset(byline, layout.font(11), layout.text_width, centered=True), 0, 14)


def _imprint(document: ParsedDocument) -> str:
    """Return the journal, year and DOI, which the first page has in place of a running head."""
    parts = (
        document.venue or "",
        str(document.year or ""),
        f"doi:{document.ids['doi']}" if document.ids.get("doi") else "",
    )
    return printable(", ".join(filter(None, parts)))


def _running_head(text: str, layout: _PageLayout) -> Iterator[str]:
    if text:
        yield _text_commands(_Run(0, text, layout.font(_SMALL_SIZE)), layout.side_margin, layout.height - 44)


def _page_number(number: int, layout: _PageLayout) -> str:
    font = layout.font(_SMALL_SIZE)
    return _text_commands(_Run(0, str(number), font), (layout.width - _text_width(str(number), font)) / 2, 40)


# PDF syntax.


def _text_commands(run: _Run, left: float, base: float) -> str:
    """Return the commands that draw a run. Superscripts are smaller and higher."""
    font = "F2" if run.font.bold else "F1"
    commands = [f"BT {run.word_spacing:.4f} Tw {left + run.left:.2f} {base:.2f} Td"]
    for number, piece in enumerate(re.split(f"[{_SUPERSCRIPT_ON}{_SUPERSCRIPT_OFF}]", run.text)):
        if piece:
            size, rise = (_SUPERSCRIPT_SCALE, 0.35) if number % 2 else (1.0, 0.0)
            escaped = re.sub(r"([\\()])", r"\\\1", piece)
            commands.append(f"/{font} {size * run.font.size:.2f} Tf {rise * run.font.size:.2f} Ts ({escaped}) Tj")
    return " ".join((*commands, "ET"))


def _pdf_file(pages: Sequence[Sequence[str]], layout: _PageLayout) -> bytes:
    """Return a PDF file with these pages, ending with its cross-reference table."""
    kids = " ".join(f"{5 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        *(
            f"<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>".encode()
            for name in _FONT_NAMES[layout.family]
        ),
    ]
    for number, page in enumerate(pages):
        commands = "\n".join(page).encode("cp1252")
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {layout.width:g} {layout.height:g}]"
            f" /Contents {6 + 2 * number} 0 R /Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> >>".encode()
        )
        objects.append(b"<< /Length %d >>\nstream\n%b\nendstream" % (len(commands), commands))
    content = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n"
    offsets: list[int] = []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(content))
        content += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    table = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    count = len(objects) + 1
    end = f"xref\n0 {count}\n0000000000 65535 f \n{table}trailer\n<< /Size {count} /Root 1 0 R >>\nstartxref\n"
    return content + f"{end}{len(content)}\n%%EOF\n".encode()
