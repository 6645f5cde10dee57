"""From the letters of a PDF's pages to lines with their places and sizes; runs in the process that reads."""

from __future__ import annotations

import ctypes
import re
import signal
import time
import unicodedata
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, NamedTuple

from fathom.corpus.readers.parsed_document import ReadError

PAGES = 2_000
"""More pages than this are not read: the library grows slow, and no document has them."""
CHARACTERS = 20_000_000
PAGE_CHARACTERS = 200_000
"""A page with more than this is a drawing made of letters, or an attack; it is passed over."""
OBJECTS = 2_000_000
SECONDS = 120.0
"""After this the reading of one document is given up."""
PAGE_SECONDS = 5.0
"""CPU time for one page; a form that draws itself three times would take minutes."""

RAISED, LOWERED = "\ue000", "\ue001"
"""Around what is raised above its line: characters for private use, taken out of what a document itself holds."""
_WIDE = "\ue002"
"""Stands for a wide blank while a line is put together."""


class Gap(NamedTuple):
    """A blank wider than those between most words: between the cells of a table, or in a loosely set line."""

    at: int
    """How many characters of the line's text stand before it; the blank itself is the next one."""
    left: float
    right: float


@dataclass(frozen=True, slots=True)
class Line:
    """Characters on one baseline without a wide gap between them."""

    page: int
    left: float
    right: float
    base: float
    """The baseline's height above the page's foot."""
    size: float
    bold: bool
    broken: bool
    """Ends within a word, whose hyphen is taken off."""
    text: str
    gaps: tuple[Gap, ...] = ()


def bare(text: str) -> str:
    """Without the signs around what is raised."""
    return text.replace(RAISED, "").replace(LOWERED, "")


def wraps(before: Line, after: Line, edge: float) -> bool:
    """Whether the first word of a line had no room in the line before it, which may reach as far as an edge."""
    first = after.text.split(maxsplit=1)[0] if after.text.strip() else ""
    width = (after.right - after.left) * len(first) / max(1, len(after.text))
    return before.broken or before.right + 0.2 * before.size + width > edge


_FIELDS = attrgetter(*Line.__dataclass_fields__)


@dataclass(frozen=True, slots=True)
class Sheet:
    width: float
    height: float


def limit_time() -> None:
    """Let the system end this process where the next page takes too long: the library cannot be interrupted."""
    if hasattr(signal, "setitimer"):  # Windows has no such limit.
        signal.setitimer(signal.ITIMER_PROF, PAGE_SECONDS)


def read_pages(content: bytes) -> dict[str, Any]:
    import pypdfium2

    document = _opened(content)
    try:
        if len(document) > PAGES:
            raise ReadError(f"it has {len(document):,} pages, more than {PAGES:,}")
        lines: list[Line] = []
        sheets: list[Sheet] = []
        stamps: list[str] = []
        budget = _Budget()
        for number in range(len(document)):
            limit_time()
            try:
                page = document[number]
                sheets.append(Sheet(*page.get_size()))
                lines.extend(_page_lines(page, number, stamps, budget))
                page.close()
            except pypdfium2.PdfiumError:  # A broken page among sound ones.
                sheets[number:] = [Sheet(0, 0)]
        if not any(line.text.strip() for line in lines):
            raise ReadError("it has no text: its pages are images" if sheets else "it has no pages")
        about = document.get_metadata_dict()
    finally:
        document.close()
    return {
        "sheets": [(sheet.width, sheet.height) for sheet in sheets],
        "lines": [_FIELDS(line) for line in lines],
        "title": about.get("Title", ""),
        "authors": about.get("Author", ""),
        "stamps": stamps[:20],
    }


def _opened(content: bytes) -> Any:
    import pypdfium2

    if b"%PDF-" not in content[:1_024]:
        raise ReadError("it is no PDF: it does not begin as one")
    try:
        document = pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError as error:
        # The library keeps the reason of an earlier fault, so its word alone does not tell what is encrypted.
        if b"/Encrypt" in content:
            raise ReadError("it is encrypted and cannot be opened without a password") from error
        raise ReadError("the PDF is broken: its pages cannot be found") from error
    if len(document) == 0:
        document.close()
        raise ReadError("it has no pages")
    return document


class _Budget:
    """What one document may use up, looked at between pages."""

    def __init__(self) -> None:
        self._end = time.monotonic() + SECONDS
        self._characters = CHARACTERS
        self._objects = OBJECTS

    def spend(self, characters: int, objects: int) -> None:
        self._characters -= characters
        self._objects -= objects
        if self._characters < 0:
            raise ReadError(f"it has more than {CHARACTERS:,} characters")
        if self._objects < 0:
            raise ReadError(f"its pages are drawn with more than {OBJECTS:,} objects")
        if time.monotonic() > self._end:
            raise ReadError(f"it took longer than {SECONDS:.0f} seconds")


def _page_lines(page: Any, number: int, stamps: list[str], budget: _Budget) -> list[Line]:
    from pypdfium2 import raw

    text_page = page.get_textpage()
    try:
        count = text_page.count_chars()
        budget.spend(max(0, count), max(0, raw.FPDFPage_CountObjects(page.raw)))
        if not 0 < count <= PAGE_CHARACTERS:
            return []
        return _Assembler(text_page.raw, count, number, stamps).lines()
    finally:
        text_page.close()


_TOKEN = re.compile(r"[\r\n]+|\ufffe|[^\S\r\n]+|[^\s\ufffe]+")
_PRIVATE = re.compile("[\ue000-\ue002\t]")
_GAP = 0.55
"""How many times its size a blank is wide that is kept in mind; between words it is a quarter to a third."""
_BOLD = re.compile(rb"bold|medi(?!um)|black|heavy|demi|cmbx|cmb\d|-bd|sfbx|\bbx", re.IGNORECASE)
_AFTER_LETTER = re.compile(r"[^\W\d_][^\s\w]*\d")
"""Here a number may be raised though the word's last sign is level with its first: "shown1,2.\"."""


@dataclass(slots=True)
class _Run:
    """Characters of one size on one baseline."""

    left: float
    right: float
    base: float
    size: float
    height: float
    bold: bool
    text: str


class _Assembler:
    """Puts the characters of one page together to lines."""

    def __init__(self, handle: Any, count: int, page: int, stamps: list[str]) -> None:
        from pypdfium2 import raw

        self._raw = raw
        self._handle = handle
        self._page = page
        self._stamps = stamps
        self._text = _page_text(raw, handle, count)
        self._box = raw.FS_RECTF()
        self._matrix = raw.FS_MATRIX()
        self._x, self._y = ctypes.c_double(), ctypes.c_double()
        self._name = ctypes.create_string_buffer(128)
        self._flags = ctypes.c_int()
        self._runs: list[_Run] = []
        self._lines: list[Line] = []
        self._private = _PRIVATE.search(self._text) is not None
        digits = [found.end() - 1 for found in _AFTER_LETTER.finditer(self._text)]
        self._digits = [len(self._text), *reversed(digits)]
        self._gaps: list[tuple[float, float]] = []
        self._blank = False

    def lines(self) -> list[Line]:
        for token in _TOKEN.finditer(self._text):
            first = token[0][0]
            if first == "\ufffe":
                self._close(broken=True)
            elif first in "\r\n":
                self._blank = True  # Not yet the line's end: a raised sign makes the library break lines.
            elif first.isspace():
                self._blank = True
            else:
                self._word(token.start(), token.end())
        self._close()
        return self._lines

    def _word(self, start: int, end: int) -> None:
        left, right, low, high = self._boxed(start)
        if end - start > 1:
            _, right, last_low, last_high = self._boxed(end - 1)
            if self._digits[-1] < end:
                while self._digits[-1] < start:
                    self._digits.pop()
                if self._digits[-1] < end:
                    _, _, digit_low, digit_high = self._boxed(self._digits[-1])
                    last_low, last_high = max(last_low, digit_low), min(last_high, digit_high)
            if abs(last_low - low) + abs(last_high - high) > 0.05 * (high - low) or right < left:
                self._uneven_word(start, end)
                return
        self._add(start, end, left, right, high - low)

    def _uneven_word(self, start: int, end: int) -> None:
        """A word with a raised sign at its end, or of several fonts: cut where height or place change."""
        begin = start
        left, right, low, high = self._boxed(start)
        for place in range(start + 1, end):
            next_left, next_right, next_low, next_high = self._boxed(place)
            if abs(next_low - low) + abs(next_high - high) > 0.05 * max(high - low, 1) or next_left < left - 1:
                self._add(begin, place, left, right, high - low)
                begin, left, low, high = place, next_left, next_low, next_high
            right = next_right
        self._add(begin, end, left, right, high - low)

    def _boxed(self, place: int) -> tuple[float, float, float, float]:
        self._raw.FPDFText_GetLooseCharBox(self._handle, place, self._box)
        box = self._box
        return box.left, box.right, box.bottom, box.top

    def _add(self, start: int, end: int, left: float, right: float, height: float) -> None:
        self._raw.FPDFText_GetCharOrigin(self._handle, start, self._x, self._y)
        base = self._y.value
        text = self._text[start:end]
        if self._private:
            text = _PRIVATE.sub("", text)
        last = self._runs[-1] if self._runs else None
        if last is not None:
            gap = left - last.right
            blank = "" if not self._blank or gap <= 0.08 * last.size else _WIDE if gap > _GAP * last.size else " "
            if abs(base - last.base) < 0.05 and abs(height - last.height) < 0.01 and -1 < gap < last.size:
                last.text += blank + text
                if blank == _WIDE:
                    self._gaps.append((last.right, left))
                last.right = right
                self._blank = False
                return
        size, turned = self._size(start)
        if turned:
            self._stamp(text)
            return
        run = _Run(left, right, base, size, height, self._is_bold(start), text)
        if last is not None and self._continues(run):
            last.text += blank
            if blank == _WIDE:
                self._gaps.append((last.right, left))
        else:
            self._close()
        self._runs.append(run)
        self._blank = False

    def _continues(self, run: _Run) -> bool:
        """Whether a run goes on the line that is being put together: raised, lowered or level with it."""
        line = max(self._runs, key=lambda one: one.size)
        size = max(line.size, run.size)
        return abs(run.base - line.base) < 0.55 * size and -0.6 * size < run.left - self._runs[-1].right < 1.3 * size

    def _size(self, place: int) -> tuple[float, bool]:
        """The size of the letters as they stand on the page, and whether they are turned."""
        size = self._raw.FPDFText_GetFontSize(self._handle, place)
        if not self._raw.FPDFText_GetMatrix(self._handle, place, self._matrix):
            return size, False
        matrix = self._matrix
        turned = abs(matrix.b) > abs(matrix.a)
        return round(size * (matrix.c**2 + matrix.d**2) ** 0.5, 2), turned

    def _is_bold(self, place: int) -> bool:
        if self._raw.FPDFText_GetFontWeight(self._handle, place) >= 600:
            return True
        self._raw.FPDFText_GetFontInfo(self._handle, place, self._name, 128, self._flags)
        return _BOLD.search(self._name.value) is not None

    def _stamp(self, text: str) -> None:
        if self._page == 0 and len(self._stamps) < 20:
            self._stamps.append(text)

    def _close(self, broken: bool = False) -> None:
        runs, self._runs = self._runs, []
        gaps, self._gaps = self._gaps, []
        self._blank = False
        if not runs:
            return
        main = max(runs, key=lambda run: (len(run.text.strip()) > 1, run.size, len(run.text)))
        text = _clean("".join(_shown(run, main) for run in runs).strip())
        text, places = _without_marks(text)
        if not broken and HYPHEN.search(text):
            text, broken = text[:-1], True
        if text:
            visible = [run for run in runs if any(sign.isalnum() for sign in run.text)]
            self._lines.append(
                Line(
                    self._page,
                    round(runs[0].left, 1),
                    round(max(run.right for run in runs), 1),
                    round(main.base, 1),
                    main.size,
                    bool(visible) and all(run.bold for run in visible),
                    broken,
                    text,
                    tuple(
                        Gap(at, round(left, 1), round(right, 1))
                        for at, (left, right) in zip(places, gaps, strict=False)
                    ),
                )
            )


def _without_marks(text: str) -> tuple[str, list[int]]:
    """The text with a plain blank for each wide one, and where these are."""
    if _WIDE not in text:
        return text, []
    return text.replace(_WIDE, " "), [place for place, sign in enumerate(text) if sign == _WIDE]


HYPHEN = re.compile(r"[^\W\d_][-\u00ad\u2010]$")


def _shown(run: _Run, main: _Run) -> str:
    if run.size < 0.85 * main.size and run.base > main.base + 0.12 * main.size and run.text.strip():
        said = run.text.rstrip(f" {_WIDE}")
        return f"{RAISED}{said.lstrip()}{LOWERED}{run.text[len(said) :]}"
    return run.text


def _page_text(raw: Any, handle: Any, count: int) -> str:
    """The characters of a page, each at its number: the library counts one beyond the basic plane as one or as two."""
    buffer = (ctypes.c_ushort * (count + 1))()
    raw.FPDFText_GetText(handle, 0, count, buffer)
    text = bytes(buffer)[: 2 * count].decode("utf-16-le", "replace")
    if len(text) == count and "\0" not in text:
        return text
    return "".join(_character(raw.FPDFText_GetUnicode(handle, place)) for place in range(count))


def _character(code: int) -> str:
    """One character; a hyphen at a line's end, which the library gives as 2 here and as U+FFFE in running text."""
    if code == 2:
        return "\ufffe"
    return chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else " "


# Letters that old fonts draw in two parts or as one.

ACCENTS = {"´": "́", "`": "̀", "¨": "̈", "ˆ": "̂", "˜": "̃", "ˇ": "̌", "˝": "̋", "˘": "̆", "¸": "̧"}
_LOOSE_ACCENT = re.compile(r"([´`¨ˆ˜ˇ˝˘])\s?([^\W\d_])")
_LIGATURES = {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}
_LIGATURE = re.compile("[ﬀ-ﬆ]")


def _clean(text: str) -> str:
    """Letters put together with the accents that old TeX fonts draw before them; ligatures taken apart."""

    def joined(found: re.Match[str]) -> str:
        letter = {"ı": "i", "ȷ": "j"}.get(found[2], found[2])
        return unicodedata.normalize("NFC", letter + ACCENTS[found[1]])

    return _LIGATURE.sub(lambda found: _LIGATURES[found[0]], _LOOSE_ACCENT.sub(joined, text))
