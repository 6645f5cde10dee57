"""A small PDF writer: one or two columns, running heads, hyphenation, tables."""

from __future__ import annotations

import itertools
import re
import unicodedata
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

from fathom.corpus.readers.parsed_document import Block, Heading, Inlines, Paragraph, ParsedDocument, ParsedTable


def pdf(found: ParsedDocument) -> dict[str, bytes]:
    """A4 or Letter, one column or two, serif or not, justified or ragged: told by the title, so always the same."""
    look = _look(found.title)
    return {"paper.pdf": _file(_printed(found, look), look)}


# What the fonts can print.

_MARKUP = re.compile(r"</?sup>|\*")
_PLAIN = {"Đ": "D", "đ": "d", "Ł": "L", "ł": "l", "ı": "i", "−": "-", "‐": "-", "‑": "-", "\u00a0": " ", "\u00ad": ""}
_RAISE, _LOWER = "\x01", "\x02"


def printable(text: str) -> str:
    """What a page shows of a text: no markup, no accents that WinAnsi lacks, no letters without a plain form."""
    return "".join(map(_sign, unicodedata.normalize("NFC", _MARKUP.sub("", text))))


def _shown(text: str) -> str:
    """The same with marks where what is raised begins and ends."""
    return "".join(
        _RAISE + printable(piece) + _LOWER if number % 2 else printable(piece)
        for number, piece in enumerate(re.split(r"<sup>(.*?)</sup>", text))
    )


@cache
def _sign(sign: str) -> str:
    if sign in _PLAIN:
        return _PLAIN[sign]
    if _in_fonts(sign):
        return sign
    return "".join(filter(_in_fonts, unicodedata.normalize("NFKD", sign)))


def _in_fonts(sign: str) -> bool:
    return sign.encode("cp1252", "ignore") != b""


# How wide letters are, in thousandths of the size.

_SANS = {
    191: "'", 222: "ijl‘’", 260: "|", 278: " !,./:;I[\\]ft", 333: "()-`r“”", 334: "{}", 355: '"', 389: "*", 469: "^",
    500: "Jcksvxyz", 556: "#$0123456789?L_abdeghnopquµ–", 584: "+<=>~", 611: "FTZß", 667: "&ABEKPSVXY", 722: "CDHNRUw",
    778: "GOQØ", 833: "Mm", 889: "%", 944: "W", 1000: "—", 1015: "@",
}  # fmt: skip
_SANS_BOLD = {
    238: "'", 278: " ,./I\\ijl‘’", 280: "|", 333: "!()-:;[]`ft", 389: "*r{}", 474: '"', 500: "z“”",
    556: "#$0123456789J_aceksvxy–", 584: "+<=>^~", 611: "?FLTZbdghnopqußµ", 667: "EPSVXY", 722: "&ABCDHKNRU",
    778: "GOQwØ", 833: "M", 889: "%m", 944: "W", 975: "@", 1000: "—",
}  # fmt: skip
_SERIF = {
    180: "'", 200: "|", 250: " ,.", 278: "/:;\\ijlt", 333: "!()-I[]`fr‘’", 389: "Js", 408: '"', 444: "?acez“”",
    469: "^", 480: "{}", 500: "#$*0123456789_bdghknopquvxyßµ–", 541: "~", 556: "FPS", 564: "+<=>", 611: "ELTZ",
    667: "BCR", 722: "ADGHKNOQUVXYwØ", 778: "&m", 833: "%", 889: "M", 921: "@", 944: "W", 1000: "—",
}  # fmt: skip
_SERIF_BOLD = {
    220: "|", 250: " ,.", 278: "'/\\il", 333: "!()-:;[]`fjt‘’", 389: "Is", 394: "{}", 444: "cerz",
    500: "#$*0123456789?J_agovxy“”–", 520: "~", 555: '"', 556: "Sbdhknpqußµ", 570: "+<=>", 581: "^", 611: "FP",
    667: "BELTZ", 722: "ACDNRUVXYw", 778: "GHKOQØ", 833: "&m", 930: "@", 944: "M", 1000: "%W—",
}  # fmt: skip
_WIDTHS = {
    ("Helvetica", False): _SANS,
    ("Helvetica", True): _SANS_BOLD,
    ("Times", False): _SERIF,
    ("Times", True): _SERIF_BOLD,
}
_NAMES = {"Helvetica": ("Helvetica", "Helvetica-Bold"), "Times": ("Times-Roman", "Times-Bold")}


@cache
def _letter(family: str, bold: bool, sign: str) -> int:
    """A letter with an accent is as wide as the bare one; what is in no table is taken for a digit."""
    bare = unicodedata.normalize("NFD", sign)[:1]
    return next((width for width, signs in _WIDTHS[family, bold].items() if bare in signs), 556)


_RAISED_SIZE = 0.65


def _width(text: str, style: _Style) -> float:
    total, share = 0.0, 1.0
    for sign in text:
        if sign in (_RAISE, _LOWER):
            share = _RAISED_SIZE if sign == _RAISE else 1.0
        else:
            total += share * _letter(style.family, style.bold, sign)
    return total * style.size / 1000


# Looks.


@dataclass(frozen=True)
class _Style:
    family: str
    size: float
    bold: bool = False


@dataclass(frozen=True)
class _Look:
    """How a journal prints."""

    width: float
    height: float
    columns: int
    justified: bool
    family: str
    indented: bool
    """Paragraphs begin with an indent; else with a gap."""

    side = 62.0
    top = 70.0
    foot = 70.0
    between = 22.0

    @property
    def whole(self) -> float:
        return self.width - 2 * self.side

    @property
    def column(self) -> float:
        return (self.whole - self.between * (self.columns - 1)) / self.columns

    def style(self, size: float, bold: bool = False) -> _Style:
        return _Style(self.family, size, bold)


def _look(title: str) -> _Look:
    """Half of all titles have two columns, half of these are on Letter, and so on."""
    bits = zlib.crc32(title.encode())
    width, height = (595.0, 842.0) if bits & 2 else (612.0, 792.0)
    return _Look(
        width, height, 1 + (bits & 1), bool(bits & 4), "Times" if bits & 8 else "Helvetica", indented=bool(bits & 16)
    )


# Lines.


@dataclass(frozen=True)
class _Run:
    """Letters from one point on."""

    left: float
    text: str
    style: _Style
    spread: float = 0.0
    """What is added to every blank."""


@dataclass(frozen=True)
class _Line:
    runs: tuple[_Run, ...]
    leading: float
    above: float = 0.0
    """A gap that falls away at the head of a column."""
    with_next: int = 0
    """How many more lines must fit below it: no heading stands alone at the foot of a column."""
    ruled: bool = False
    """A thin rule runs below it."""


_LEADING = 1.2
_VOWELS = "aeiouy"
_SHORTEST = 8
_LOOSE = 0.06


def _set(
    text: str, style: _Style, width: float, first: float = 0, hang: float = 0, even: bool = False, centred: bool = False
) -> list[_Line]:
    """Running text broken into lines; only the last of a justified paragraph is ragged."""
    broken = list(_broken(text.split(), style, width, first, hang))
    lines: list[_Line] = []
    for number, line in enumerate(broken):
        left = hang if number else first
        free = width - left - _width(line, style)
        blanks = line.count(" ")
        spread = free / blanks if even and blanks and number < len(broken) - 1 else 0.0
        run = _Run(left + (free / 2 if centred else 0), line, style, spread)
        lines.append(_Line((run,), style.size * _LEADING))
    return lines


def _broken(words: Sequence[str], style: _Style, width: float, first: float, hang: float) -> Iterator[str]:
    """The lines, each as full as it gets; a long word is cut where much would be left blank."""
    waiting = list(reversed(words))
    line, room = "", width - first
    while waiting:
        word = waiting.pop()
        longer = f"{line} {word}" if line else word
        if _width(longer, style) <= room or not line:
            line = longer
            continue
        head = _cut(word, style, room - _width(line + " ", style)) if _is_loose(line, style, room) else ""
        if head:
            yield f"{line} {head}-"
            waiting.append(word[len(head) :])
        else:
            yield line
            waiting.append(word)
        line, room = "", width - hang
    if line:
        yield line


def _is_loose(line: str, style: _Style, room: float) -> bool:
    return room - _width(line, style) > _LOOSE * room


def _cut(word: str, style: _Style, room: float) -> str:
    """The longest beginning of a word that fits with its hyphen and after which a syllable begins; or none."""
    letters = word.rstrip(".,;:)")
    if len(letters) < _SHORTEST or not (letters.isascii() and letters.isalpha() and letters.islower()):
        return ""
    for place in range(len(letters) - 4, 2, -1):
        before, after, behind = (letter in _VOWELS for letter in letters[place - 1 : place + 2])
        if before and not after and behind and _width(word[:place] + "-", style) <= room:
            return word[:place]
    return ""


# Blocks.

_BODY, _SMALL, _LIST = 10.0, 8.0, 9.0
_HEADINGS = {2: 13.0, 3: 11.5}


def _block(block: Block, look: _Look) -> list[_Line]:
    match block:
        case Heading(level, words):
            lines = _set(_said(words), look.style(_HEADINGS.get(level, 10.5), bold=True), look.column)
            return _spaced([replace(line, with_next=3) for line in lines], 10, 3)
        case Paragraph(words):
            return _paragraph(_said(words), look)
        case ParsedTable(caption, rows):
            return _table(_said(caption), [[_said(cell.inlines) for cell in row] for row in rows], look)


def _said(words: Inlines) -> str:
    return _shown("".join(piece if isinstance(piece, str) else piece.text for piece in words))


def _paragraph(text: str, look: _Look) -> list[_Line]:
    first = 12.0 if look.indented else 0.0
    lines = _set(text, look.style(_BODY), look.column, first=first, even=look.justified)
    return _spaced(lines, 0 if look.indented else 5)


def _spaced(lines: Sequence[_Line], above: float, below: float = 0) -> list[_Line]:
    """Lines with a gap before the first and one that the last brings along."""
    set_off = list(lines)
    if set_off:
        set_off[0] = replace(set_off[0], above=above)
        set_off[-1] = replace(set_off[-1], leading=set_off[-1].leading + below)
    return set_off


def _table(caption: str, rows: list[list[str]], look: _Look) -> list[_Line]:
    """The caption, then the rows as aligned lines; a long cell goes on below itself."""
    style = _type_that_fits(rows, look)
    widths = _column_widths(rows, style, look.column)
    # No caption is parted from its table: what floats is never broken there.
    above = _spaced(_set(caption, look.style(9), look.column), 10, 4)
    lines = [replace(line, with_next=4 + 2 * (len(above) - number)) for number, line in enumerate(above, start=1)]
    for number, row in enumerate(rows):
        head = replace(style, bold=number == 0)
        cells = [_set(text, head, width - 6) for text, width in zip(row, widths, strict=False)]
        deep = max((len(cell) for cell in cells), default=0)
        for level in range(deep):
            runs = tuple(
                replace(cell[level].runs[0], left=sum(widths[:place]))
                for place, cell in enumerate(cells)
                if level < len(cell)
            )
            ends = level == deep - 1
            lines.append(_Line(runs, style.size * _LEADING, ruled=ends and number in (0, len(rows) - 1)))
    return _spaced(lines, 10, 10)


def _type_that_fits(rows: list[list[str]], look: _Look) -> _Style:
    """The type of a table: smaller where its longest words would run into the next column, as no press lets them."""
    styles = [look.style(_SMALL - step) for step in range(5)]
    return next((one for one in styles if sum(_widest(rows, one, str.split, 7)) <= look.column), styles[-1])


def _column_widths(rows: list[list[str]], style: _Style, room: float) -> list[float]:
    """As wide as the widest cell; where they do not fit, what goes beyond the longest word is narrowed alike."""
    natural = _widest(rows, style, lambda text: [text], 12)
    least = _widest(rows, style, str.split, 7)
    spare = sum(natural) - sum(least)
    share = min(1.0, max(0.0, room - sum(least)) / spare) if spare else 1.0
    return [short + share * (long - short) for short, long in zip(least, natural, strict=True)]


def _widest(rows: list[list[str]], style: _Style, parts: Callable[[str], list[str]], more: float) -> list[float]:
    """For each column the width of its widest part in bold, and some more."""
    bold = replace(style, bold=True)
    columns = itertools.zip_longest(*rows, fillvalue="")
    return [
        max((_width(part, bold) for text in column for part in parts(text)), default=0) + more for column in columns
    ]


_NUMBER = re.compile(r"(?:\[\d+\]|\d+\.)\s+")


def _entry(text: str, look: _Look) -> list[_Line]:
    """An entry of the list of references with a hanging indent, numbered where the document numbers it."""
    style = look.style(_LIST)
    text = printable(text).strip()
    number = _NUMBER.match(text)
    if number is None:
        return _spaced(_set(text, style, look.column, hang=14, even=look.justified), 2)
    hang = _width("[000] ", style)
    lines = _set(text[number.end() :], style, look.column, first=hang, hang=hang, even=look.justified)
    lines[0] = replace(lines[0], runs=(_Run(0, number[0].strip(), style), *lines[0].runs))
    return _spaced(lines, 2)


# The press.


@dataclass
class _Press:
    """Puts lines on pages, column after column."""

    look: _Look
    pages: list[list[str]] = field(default_factory=lambda: [[]])
    _column: int = 0
    _top: float = 0.0
    """Where columns begin on this page: below the title on the first."""
    _y: float = 0.0

    def __post_init__(self) -> None:
        self._top = self._y = self.look.height - self.look.top

    def across(self, lines: Sequence[_Line]) -> None:
        """Lines over the whole width, before any column is begun."""
        for line in lines:
            self._draw(line, self.look.side, self.look.whole)
        self._top = self._y

    def put(self, lines: Sequence[_Line]) -> None:
        for line in lines:
            needed = line.above + line.leading + line.with_next * _BODY * _LEADING
            full = self._y - needed < self.look.foot
            if full:
                self._turn()
            left = self.look.side + self._column * (self.look.column + self.look.between)
            self._draw(replace(line, above=0) if full else line, left, self.look.column)

    def _turn(self) -> None:
        """On to the next column, or to a new page."""
        self._column += 1
        if self._column == self.look.columns:
            self._column = 0
            self.pages.append([])
            self._top = self.look.height - self.look.top
        self._y = self._top

    def _draw(self, line: _Line, left: float, width: float) -> None:
        self._y -= line.above + line.runs[0].style.size * _LEADING
        self.pages[-1] += (_drawn(run, left, self._y) for run in line.runs)
        if line.ruled:
            self.pages[-1].append(f"{left:.2f} {self._y - 3:.2f} {width:.2f} 0.4 re f")
        self._y -= line.leading - line.runs[0].style.size * _LEADING


def _printed(found: ParsedDocument, look: _Look) -> Sequence[Sequence[str]]:
    """The drawing commands of each page."""
    press = _Press(look)
    press.across(list(_head(found, look)))
    if found.abstract:
        press.put(_block(Heading(2, ["Abstract"]), look))
    for block in (*found.abstract, *found.body):
        press.put(_block(block, look))
    if found.references:
        press.put(_block(Heading(2, ["References"]), look))
    for reference in found.references:
        press.put(_entry(reference.text, look))
    running = printable(found.venue or found.title)[:60]
    # Drawn in the order in which typesetters draw: head, columns, foot.
    return [
        [*_running_head(running if number > 1 else _imprint(found), look), *page, _folio(number, look)]
        for number, page in enumerate(press.pages, start=1)
    ]


def _head(found: ParsedDocument, look: _Look) -> Iterator[_Line]:
    """The title, large, and the names below it."""
    title = _set(printable(found.title), look.style(17, bold=True), look.whole, centred=True)
    yield from _spaced(title, 0, 8)
    names = [printable(author.printed) for author in found.authors]
    byline = " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
    yield from _spaced(_set(byline, look.style(11), look.whole, centred=True), 0, 14)


def _imprint(found: ParsedDocument) -> str:
    said = (found.venue or "", str(found.year or ""), f"doi:{found.ids['doi']}" if found.ids.get("doi") else "")
    return printable(", ".join(filter(None, said)))


def _running_head(text: str, look: _Look) -> Iterator[str]:
    if text:
        yield _drawn(_Run(0, text, look.style(_SMALL)), look.side, look.height - 44)


def _folio(number: int, look: _Look) -> str:
    style = look.style(_SMALL)
    return _drawn(_Run(0, str(number), style), (look.width - _width(str(number), style)) / 2, 40)


# The file.


def _drawn(run: _Run, left: float, base: float) -> str:
    """The commands that draw letters; what is raised is smaller and higher."""
    font = "F2" if run.style.bold else "F1"
    commands = [f"BT {run.spread:.4f} Tw {left + run.left:.2f} {base:.2f} Td"]
    for number, piece in enumerate(re.split(f"[{_RAISE}{_LOWER}]", run.text)):
        if piece:
            size, rise = (_RAISED_SIZE, 0.35) if number % 2 else (1.0, 0.0)
            escaped = re.sub(r"([\\()])", r"\\\1", piece)
            commands.append(f"/{font} {size * run.style.size:.2f} Tf {rise * run.style.size:.2f} Ts ({escaped}) Tj")
    return " ".join((*commands, "ET"))


def _file(pages: Sequence[Sequence[str]], look: _Look) -> bytes:
    """The pages as a file, with the table of where its objects stand."""
    kids = " ".join(f"{5 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        *(
            f"<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>".encode()
            for name in _NAMES[look.family]
        ),
    ]
    for number, page in enumerate(pages):
        drawing = "\n".join(page).encode("cp1252")
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {look.width:g} {look.height:g}]"
            f" /Contents {6 + 2 * number} 0 R /Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> >>".encode()
        )
        objects.append(b"<< /Length %d >>\nstream\n%b\nendstream" % (len(drawing), drawing))
    written = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n"
    places: list[int] = []
    for number, content in enumerate(objects, start=1):
        places.append(len(written))
        written += b"%d 0 obj\n%b\nendobj\n" % (number, content)
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    count = len(objects) + 1
    end = f"xref\n0 {count}\n0000000000 65535 f \n{table}trailer\n<< /Size {count} /Root 1 0 R >>\nstartxref\n"
    return written + f"{end}{len(written)}\n%%EOF\n".encode()
