"""Extraction of text lines, with positions and font sizes, from PDF pages. Runs in the child process."""

from __future__ import annotations

import ctypes
import re
import signal
import struct
import time
import unicodedata
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import repeat
from operator import attrgetter
from typing import Any, NamedTuple

from fathom.corpus.readers.parsed_document import ReadError
from fathom.corpus.readers.parsing.superscripts import SUPERSCRIPT_END, SUPERSCRIPT_START
from fathom.corpus.readers.pdf.line import HYPHEN, Gap, Line, PageSize, is_running_text

MAX_PAGES = 2_000
"""Longer documents are refused: pdfium becomes slow, and no real document is that long."""
MAX_CHARACTERS = 20_000_000
"""Maximum number of characters of one document."""
MAX_PAGE_CHARACTERS = 200_000
"""A page with more characters is a drawing made of letters, or an attack. It is skipped."""
MAX_OBJECTS = 2_000_000
"""Maximum number of drawing objects of one document."""
MAX_SECONDS = 120.0
"""CPU time limit for one document."""
MAX_PAGE_SECONDS = 5.0
"""CPU time limit for one page. A form that draws itself three times would take minutes."""

_WIDE_SPACE = "\ue002"
"""Placeholder for a wide space while a line is assembled."""


_FIELDS = attrgetter(*Line.__dataclass_fields__)


def limit_page_time(seconds: float = MAX_PAGE_SECONDS) -> None:
    """Have the system kill this process if the next page takes too long: pdfium cannot be interrupted. 0 ends this."""
    if hasattr(signal, "setitimer"):  # Windows has no such limit.
        signal.setitimer(signal.ITIMER_PROF, seconds)


def extract_as_json(content: bytes) -> dict[str, Any]:
    """Return the lines and metadata of a PDF as JSON values; raises `ReadError` if it has no text."""
    import pypdfium2

    document = open_document(content)
    try:
        if len(document) > MAX_PAGES:
            raise ReadError(f"it has {len(document):,} pages, more than {MAX_PAGES:,}")
        lines: list[Line] = []
        page_sizes: list[PageSize] = []
        rotated_texts: list[str] = []
        fonts: Counter[_Font] = Counter()
        heavy: set[int] = set()
        budget = _ResourceBudget()
        for number in range(len(document)):
            limit_page_time()
            try:
                page = document[number]
                page_sizes.append(PageSize(*page.get_size()))
                for line, is_heavy in _page_lines(page, number, rotated_texts, fonts, budget):
                    if is_heavy:
                        heavy.add(len(lines))
                    lines.append(line)
                page.close()
            except pypdfium2.PdfiumError:  # One broken page: keep the others.
                page_sizes[number:] = [PageSize(0, 0)]
        if not any(line.text.strip() for line in lines):
            raise ReadError("it has no text: its pages are images" if page_sizes else "it has no pages")
        metadata = document.get_metadata_dict()
    finally:
        document.close()
        limit_page_time(0)
    # Files that Ghostscript has rewritten may state for a regular font that it is heavy.
    body = max(fonts, key=lambda font: (fonts[font], font), default=None)
    if body is None or not body.heavy:
        lines = [replace(line, bold=True) if number in heavy else line for number, line in enumerate(lines)]
    return {
        "page_sizes": [(size.width, size.height) for size in page_sizes],
        "lines": [_FIELDS(line) for line in lines],
        "title": metadata.get("Title", ""),
        "authors": metadata.get("Author", ""),
        "rotated_texts": rotated_texts[:20],
    }


def open_document(content: bytes) -> Any:
    """The PDF, opened; raises `ReadError` if that is not possible."""
    import pypdfium2

    if b"%PDF-" not in content[:1_024]:
        raise ReadError("it is not a PDF: it has no %PDF header")
    try:
        document = pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError as error:
        # pdfium may report the reason of an earlier error, so check the file itself for encryption.
        if b"/Encrypt" in content:
            raise ReadError("it is encrypted and cannot be opened without a password") from error
        raise ReadError("the PDF is broken: its pages cannot be found") from error
    if len(document) == 0:
        document.close()
        raise ReadError("it has no pages")
    return document


class _ResourceBudget:
    """Limits on what one document may use, checked between pages."""

    def __init__(self) -> None:
        self._end = time.process_time() + MAX_SECONDS
        self._characters = MAX_CHARACTERS
        self._objects = MAX_OBJECTS

    def spend(self, characters: int, objects: int) -> None:
        """Count what a page used; raises `ReadError` beyond a limit."""
        self._characters -= characters
        self._objects -= objects
        if self._characters < 0:
            raise ReadError(f"it has more than {MAX_CHARACTERS:,} characters")
        if self._objects < 0:
            raise ReadError(f"its pages are drawn with more than {MAX_OBJECTS:,} objects")
        if time.process_time() > self._end:
            raise ReadError(f"it took longer than {MAX_SECONDS:.0f} s of CPU time")


class _Font(NamedTuple):
    """A font, and whether it is heavy by its weight although its name does not say so."""

    name: bytes
    heavy: bool


def _page_lines(
    page: Any, number: int, rotated_texts: list[str], fonts: Counter[_Font], budget: _ResourceBudget
) -> list[tuple[Line, bool]]:
    """Return the lines of a page, and whether each is bold if the weights of fonts are true.

    Counts the letters of running text in each font.
    """
    from pypdfium2 import raw

    text_page = page.get_textpage()
    try:
        count = text_page.count_chars()
        budget.spend(max(0, count), max(0, raw.FPDFPage_CountObjects(page.raw)))
        if not 0 < count <= MAX_PAGE_CHARACTERS:
            return []
        return _LineBuilder(text_page.raw, count, number, rotated_texts, fonts).lines()
    finally:
        text_page.close()


_TOKEN = re.compile(r"\s*(?:([^\s\ufffe]+)|\ufffe)")
"""A word with the spaces before it, or the mark of a hyphen at a line end."""
_PRIVATE_USE = re.compile("[\ue000-\ue002\t]")
_GAP = 0.55
"""Width of a wide space, in font sizes. An ordinary space is a quarter to a third."""
_BOLD = re.compile(rb"bold|medi(?!um)|black|heavy|demi|cmbx|cmb\d|-bd|sfbx|\bbx", re.IGNORECASE)
_HEAVY = 600
"""The least weight of a bold font."""
_ITALIC = re.compile(rb"ital|obli|cmti|cmsl|sfti|ti\d|slanted", re.IGNORECASE)
_SMALL_CAPS = re.compile(rb"(?i:csc\d|sfcc\d|small-?cap|caps\d)|(?<=[a-z-])SC(?![a-zA-Z])")
_AFTER_LETTER = re.compile(r"[^\W\d_][^\s\w]*\d")
"""A digit that may be superscript although the word's first and last characters are level: "shown1,2.\"."""


_Box = tuple[float, float, float, float]
"""The left, top, right and bottom edges of a character. A page has thousands, and a class would slow them down."""


# Plain addresses need no conversion.
_BOX_FUNCTION = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)
_ORIGIN_FUNCTION = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)


class _CharacterPlaces:
    """Reads the places of many characters of a page at once: a call for each from Python takes three times as long."""

    def __init__(self, raw: Any, handle: Any) -> None:
        self._handle = ctypes.cast(handle, ctypes.c_void_p).value
        self._box = ctypes.cast(raw.FPDFText_GetLooseCharBox, _BOX_FUNCTION)
        self._origin = ctypes.cast(raw.FPDFText_GetCharOrigin, _ORIGIN_FUNCTION)

    def boxes(self, places: Sequence[int]) -> Iterator[_Box]:
        """Return the boxes of characters."""
        buffer = bytearray(16 * len(places))
        addresses = _addresses(buffer)
        _call_all(map(self._box, repeat(self._handle), places, addresses))
        return struct.iter_unpack("4f", buffer)

    def baselines(self, places: Sequence[int]) -> list[float]:
        """Return the baselines of characters."""
        buffer = bytearray(16 * len(places))
        addresses = _addresses(buffer)
        _call_all(map(self._origin, repeat(self._handle), places, addresses, _addresses(buffer, 8)))
        return [y for _, y in struct.iter_unpack("2d", buffer)]


def _addresses(buffer: bytearray, offset: int = 0) -> range:
    """Return the address of every sixteenth byte of a buffer."""
    start = ctypes.addressof(ctypes.c_char.from_buffer(buffer)) + offset if buffer else 0
    return range(start, start + len(buffer), 16)


def _call_all(calls: Iterator[int]) -> None:
    deque(calls, maxlen=0)


@dataclass(slots=True)
class _Run:
    """Characters of one font size on one baseline."""

    left: float
    right: float
    baseline: float
    size: float
    height: float
    bold: bool
    italic: bool
    small_caps: bool
    font: _Font
    text: str


class _LineBuilder:
    """Builds lines from the characters of one page."""

    def __init__(self, handle: Any, count: int, page: int, rotated_texts: list[str], fonts: Counter[_Font]) -> None:
        from pypdfium2 import raw

        self._raw = raw
        self._handle = handle
        self._page = page
        self._rotated_texts = rotated_texts
        self._fonts = fonts
        self._text = _page_text(raw, handle, count)
        self._places = _CharacterPlaces(raw, handle)
        self._matrix = raw.FS_MATRIX()
        self._name = ctypes.create_string_buffer(128)
        self._flags = ctypes.c_int()
        self._runs: list[_Run] = []
        self._lines: list[tuple[Line, bool]] = []
        self._has_private_use = _PRIVATE_USE.search(self._text) is not None
        digits = [match.end() - 1 for match in _AFTER_LETTER.finditer(self._text)]
        self._digits = [len(self._text), *reversed(digits)]
        self._gaps: list[tuple[float, float]] = []
        self._space_pending = False

    def lines(self) -> list[tuple[Line, bool]]:
        tokens = list(_TOKEN.finditer(self._text))
        words = [token.span(1) for token in tokens if token[1]]
        starts = [start for start, _ in words]
        first = self._places.boxes(starts)
        last = self._places.boxes([end - 1 for _, end in words])
        places = zip(words, first, last, self._places.baselines(starts), strict=True)
        for token in tokens:
            if not token[1]:
                self._close(hyphenated=True)
                continue
            (start, end), left_box, right_box, baseline = next(places)
            if token.start() < start:
                # A newline does not end the line: pdfium also breaks lines at superscripts.
                self._space_pending = True
            if end - start > 1 and self._is_uneven(start, end, left_box, right_box):
                self._add_uneven_word(start, end)
            else:
                self._add(start, end, left_box, right_box[2], baseline)
        self._close()
        return self._lines

    def _is_uneven(self, start: int, end: int, first: _Box, last: _Box) -> bool:
        """Return whether a word has several heights, by its first and last character and its first digit."""
        left, top, _, bottom = first
        _, last_top, right, last_bottom = last
        digits = self._digits
        while digits[-1] < start:
            digits.pop()
        if digits[-1] < end:
            _, digit_top, _, digit_bottom = next(self._places.boxes([digits[-1]]))
            last_bottom, last_top = max(last_bottom, digit_bottom), min(last_top, digit_top)
        return abs(last_bottom - bottom) + abs(last_top - top) > 0.05 * (top - bottom) or right < left

    def _add_uneven_word(self, start: int, end: int) -> None:
        """Add a word with a superscript or several fonts, split where the height or position changes."""
        boxes = list(self._places.boxes(range(start, end)))
        baselines = self._places.baselines(range(start, end))
        begin = 0
        left, top, right, bottom = boxes[0]
        for index, (next_left, next_top, next_right, next_bottom) in enumerate(boxes):
            change = abs(next_bottom - bottom) + abs(next_top - top)
            if change > 0.05 * max(top - bottom, 1) or next_left < left - 1:
                self._add(start + begin, start + index, boxes[begin], right, baselines[begin])
                begin, left, top, bottom = index, next_left, next_top, next_bottom
            right = next_right
        self._add(start + begin, end, boxes[begin], right, baselines[begin])

    def _add(self, start: int, end: int, box: _Box, right: float, baseline: float) -> None:
        """Add a word or a part of one, from the box of its first character to its right edge."""
        left, top, _, bottom = box
        height = top - bottom
        text = self._text[start:end]
        if self._has_private_use:
            text = _PRIVATE_USE.sub("", text)
        last = self._runs[-1] if self._runs else None
        if last is not None:
            gap = left - last.right
            space = _WIDE_SPACE if gap > _GAP * last.size else " "
            blank = "" if not self._space_pending or gap <= 0.08 * last.size else space
            if abs(baseline - last.baseline) < 0.05 and abs(height - last.height) < 0.01 and -1 < gap < last.size:
                last.text += blank + text
                if blank == _WIDE_SPACE:
                    self._gaps.append((last.right, left))
                last.right = right
                self._space_pending = False
                return
        size, rotated = self._font_size(start)
        if rotated:
            self._add_rotated(text)
            return
        run = _Run(left, right, baseline, size, height, *self._style(start), text)
        if last is not None and self._continues(run):
            last.text += blank
            if blank == _WIDE_SPACE:
                self._gaps.append((last.right, left))
        else:
            self._close()
        self._runs.append(run)
        self._space_pending = False

    def _continues(self, run: _Run) -> bool:
        """Return whether a run belongs to the current line: level with it, superscript or subscript."""
        line = max(self._runs, key=lambda one: one.size)
        size = max(line.size, run.size)
        return (
            abs(run.baseline - line.baseline) < 0.55 * size
            and -0.6 * size < run.left - self._runs[-1].right < 1.3 * size
        )

    def _font_size(self, place: int) -> tuple[float, bool]:
        """Return the font size as displayed, and whether the text is rotated."""
        size = self._raw.FPDFText_GetFontSize(self._handle, place)
        if not self._raw.FPDFText_GetMatrix(self._handle, place, self._matrix):
            return size, False
        matrix = self._matrix
        rotated = abs(matrix.b) > abs(matrix.a)
        return round(size * (matrix.c**2 + matrix.d**2) ** 0.5, 2), rotated

    def _style(self, place: int) -> tuple[bool, bool, bool, _Font]:
        """Return whether a character is bold, italic, and a small capital by the name of its font, and the font."""
        self._raw.FPDFText_GetFontInfo(self._handle, place, self._name, 128, self._flags)
        bold, italic, small_caps = _font_style(self._name.value)
        heavy = not bold and self._raw.FPDFText_GetFontWeight(self._handle, place) >= _HEAVY
        return bold, italic, small_caps, _Font(self._name.value, heavy)

    def _add_rotated(self, text: str) -> None:
        if self._page == 0 and len(self._rotated_texts) < 20:
            self._rotated_texts.append(text)

    def _close(self, hyphenated: bool = False) -> None:
        runs, self._runs = self._runs, []
        gaps, self._gaps = self._gaps, []
        self._space_pending = False
        if not runs:
            return
        main = runs[0]
        if len(runs) > 1:
            main = max(runs, key=lambda run: (len(run.text.strip()) > 1, run.size, len(run.text)))
        level = [run for run in runs if abs(run.baseline - main.baseline) < 0.1 * main.size]
        two_sizes = _has_two_sizes_of_capitals(level)
        text = _normalize_letters("".join(_run_text(run, main) for run in runs).strip())
        text, places = _replace_wide_spaces(text)
        if not hyphenated and HYPHEN.search(text[-2:]):
            text, hyphenated = text[:-1], True
        if text:
            style = _line_style(level)
            line = Line(
                self._page,
                round(runs[0].left, 1),
                round(max(run.right for run in runs), 1),
                round(main.baseline, 1),
                max(run.size for run in level) if two_sizes else main.size,
                style.bold,
                style.italic,
                two_sizes or style.small_caps,
                hyphenated,
                text,
                tuple(
                    Gap(at, round(left, 1), round(right, 1)) for at, (left, right) in zip(places, gaps, strict=False)
                ),
            )
            if is_running_text(line):
                for run in level:
                    self._fonts[run.font] += len(run.text)
            self._lines.append((line, style.heavy))


class _LineStyle(NamedTuple):
    bold: bool
    italic: bool
    small_caps: bool
    heavy: bool


_PLAIN_STYLE = _LineStyle(False, False, False, False)


def _line_style(runs: Sequence[_Run]) -> _LineStyle:
    """Return the style that all the visible runs of a line share."""
    if not any(run.bold or run.italic or run.small_caps or run.font.heavy for run in runs):
        return _PLAIN_STYLE
    # "A and B" in bold may have its "and" in the normal weight.
    visible = [run for run in runs if any(map(str.isalnum, run.text)) and run.text.strip() not in ("and", "&")]
    # The number of a heading in small capitals is upright.
    lettered = [run for run in visible if any(map(str.isalpha, run.text))]
    return _LineStyle(
        bold=bool(visible) and all(run.bold for run in visible),
        italic=bool(lettered) and all(run.italic for run in lettered),
        small_caps=bool(lettered) and all(run.small_caps for run in lettered),
        heavy=bool(visible) and all(run.bold or run.font.heavy for run in visible),
    )


@lru_cache(maxsize=1_000)
def _font_style(name: bytes) -> tuple[bool, bool, bool]:
    """Return whether a font is bold, italic, and of small capitals, from its name."""
    return (
        _BOLD.search(name) is not None,
        _ITALIC.search(name) is not None,
        _SMALL_CAPS.search(name) is not None,
    )


def _has_two_sizes_of_capitals(runs: list[_Run]) -> bool:
    """Return whether a line has small capitals: only capitals, in two sizes."""
    if len(runs) < 2:
        return False
    large, small = max(run.size for run in runs), min(run.size for run in runs)
    return 0.6 * large < small < 0.9 * large and "".join(run.text for run in runs).isupper()


def _replace_wide_spaces(text: str) -> tuple[str, list[int]]:
    """Return the text with ordinary spaces for wide ones, and the offsets of the wide ones."""
    if _WIDE_SPACE not in text:
        return text, []
    return text.replace(_WIDE_SPACE, " "), [index for index, sign in enumerate(text) if sign == _WIDE_SPACE]


def _run_text(run: _Run, main: _Run) -> str:
    if run.size < 0.85 * main.size and run.baseline > main.baseline + 0.12 * main.size and run.text.strip():
        said = run.text.rstrip(f" {_WIDE_SPACE}")
        return f"{SUPERSCRIPT_START}{said.lstrip()}{SUPERSCRIPT_END}{run.text[len(said) :]}"
    return run.text


def _page_text(raw: Any, handle: Any, count: int) -> str:
    """Return the page's characters, one per pdfium index: pdfium counts a non-BMP character as one or as two."""
    buffer = (ctypes.c_ushort * (count + 1))()
    raw.FPDFText_GetText(handle, 0, count, buffer)
    text = bytes(buffer)[: 2 * count].decode("utf-16-le", "replace")
    if len(text) != count or "\0" in text:
        text = "".join(_character(raw.FPDFText_GetUnicode(handle, index)) for index in range(count))
    return _TEX_CODE.sub(lambda match: _TEX_CODES[match[0]], text) if _TEX_LIGATURE.search(text) else text


def _character(code: int) -> str:
    """Return one character. pdfium reports a line-end hyphen as 2 here and as U+FFFE in running text."""
    if code == 2:
        return "\ufffe"
    return chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else " "


# Signs that a font of TeX does not name: pdfium reports their codes.

_TEX_CODES = {
    **{"\x1b": "ﬀ", "\x1c": "ﬁ", "\x1d": "ﬂ", "\x1e": "ﬃ", "\x1f": "ﬄ"},
    **{"\x10": "“", "\x11": "”", "\x15": "–", "\x16": "—"},
}
_TEX_LIGATURE = re.compile(r"[a-z][\x1b-\x1f][a-z]")
"""A page without a ligature may have these codes from a font of large parentheses."""
_TEX_CODE = re.compile(
    r"(?<=[^\W\d_])[\x1b-\x1f]|[\x1b-\x1f](?=[^\W\d_])"
    r"|\x10(?=\w)|(?<=[\w.,;!?)])\x11|(?<=\w)\x15(?=\w)|(?<=\w )\x16(?=\s)"
)


# Accented letters drawn in two parts, and ligatures.

ACCENTS = {"´": "́", "`": "̀", "¨": "̈", "ˆ": "̂", "˜": "̃", "ˇ": "̌", "˝": "̋", "˘": "̆", "˚": "̊", "¸": "̧"}
_LOOSE_ACCENT = re.compile(r"([´`¨ˆ˜ˇ˝˘˚])\s?([^\W\d_])")
_LIGATURES = {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}
_LIGATURE = re.compile("[ﬀ-ﬆ]")


def _normalize_letters(text: str) -> str:
    """Combine letters with the accents that old TeX fonts draw before them, and expand ligatures."""
    if text.isascii() and "`" not in text:
        return text

    def compose(found: re.Match[str]) -> str:
        letter = {"ı": "i", "ȷ": "j"}.get(found[2], found[2])
        return unicodedata.normalize("NFC", letter + ACCENTS[found[1]])

    return _LIGATURE.sub(lambda match: _LIGATURES[match[0]], _LOOSE_ACCENT.sub(compose, text))
