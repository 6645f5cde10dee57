"""The lines of a PDF with their places and sizes, read in a process of its own that may crash or be ended."""

from __future__ import annotations

import atexit
import ctypes
import json
import os
import re
import signal
import struct
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, BinaryIO

from fathom.corpus.readers.found import Unreadable

PAGES = 2_000
"""More pages than this are not read: the library grows slow, and no article has them."""
CHARACTERS = 20_000_000
PAGE_CHARACTERS = 200_000
"""A page with more than this is a drawing made of letters, or an attack; it is passed over."""
OBJECTS = 2_000_000
SECONDS = 120.0
"""After this the reading of one document is given up."""
PAGE_SECONDS = 5.0
"""CPU time for one page; a form that draws itself three times would take minutes."""
BYTES = 4 << 30
"""Memory that the reading process may take."""

RAISED, LOWERED = "\ue000", "\ue001"
"""Around what is raised above its line: characters for private use, taken out of what a document itself holds."""


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


_FIELDS = attrgetter(*Line.__dataclass_fields__)


@dataclass(frozen=True, slots=True)
class Sheet:
    width: float
    height: float


@dataclass(frozen=True)
class Layout:
    sheets: list[Sheet]
    lines: list[Line]
    """In the order in which the file draws them."""
    title: str
    """What the file itself says in its properties; often empty, sometimes wrong."""
    authors: str
    stamps: list[str]
    """What stands turned by ninety degrees: the stamp of a preprint server."""


def layout(content: bytes) -> Layout:
    """The lines of a document; raises `Unreadable` where there are none to be had."""
    answer = _child().ask(content)
    if "fault" in answer:
        raise Unreadable(answer["fault"])
    return Layout(
        sheets=[Sheet(*sheet) for sheet in answer["sheets"]],
        lines=[Line(*line) for line in answer["lines"]],
        title=answer["title"],
        authors=answer["authors"],
        stamps=answer["stamps"],
    )


# The process that reads. A hostile file can make the library crash, or nest drawings so that one page never ends:
# no check between pages helps against that, but a process can be ended from outside.


class _Child:
    def __init__(self) -> None:
        self.owner = os.getpid()
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self, content: bytes) -> dict[str, Any]:
        """What the process answers; a fault where it does not."""
        with self._lock:
            process = self._started()
            late = threading.Event()

            def end() -> None:
                late.set()
                process.kill()

            timer = threading.Timer(SECONDS, end)
            timer.start()
            try:
                answer = _exchange(process, content)
            except BaseException:
                # Whoever broke it off would leave an answer behind, to be taken for that of the next document.
                self.close()
                raise
            finally:
                timer.cancel()
            if answer is not None:
                found: dict[str, Any] = json.loads(answer)
                return found
            status = process.wait()
            self.close()
        if late.is_set():
            return {"fault": f"it took longer than {SECONDS:.0f} seconds"}
        if status == -getattr(signal, "SIGPROF", 0):
            return {"fault": f"one of its pages took longer than {PAGE_SECONDS:.0f} seconds"}
        return {"fault": "it made the PDF library crash"}

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self.close()
            self._process = subprocess.Popen(
                [sys.executable, "-c", "from fathom.corpus.readers.pdf_layout import serve; serve()"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            )
        return self._process

    def close(self) -> None:
        """End the process; the next question starts another."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                try:
                    stream.close()
                except BrokenPipeError:
                    continue  # What was still to be written has no reader any more.


def _exchange(process: subprocess.Popen[bytes], content: bytes) -> bytes | None:
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(struct.pack("<Q", len(content)))
        process.stdin.write(content)
        process.stdin.flush()
    except (BrokenPipeError, OSError):
        return None
    head = process.stdout.read(8)
    if len(head) < 8:
        return None
    (length,) = struct.unpack("<Q", head)
    answer = process.stdout.read(length)
    return answer if len(answer) == length else None


_children: list[_Child] = []


def _child() -> _Child:
    """This process's own reader: one inherited from the process it was forked from serves that one."""
    if not _children or _children[-1].owner != os.getpid():
        _children.append(_Child())
        atexit.register(_children[-1].close)
    return _children[-1]


def serve() -> None:
    """Answer documents until the input ends: the reading process's main function."""
    _limit_memory()
    source, target = sys.stdin.buffer, sys.stdout.buffer
    while head := _exactly(source, 8):
        (length,) = struct.unpack("<Q", head)
        answer = json.dumps(_answer(_exactly(source, length))).encode()
        target.write(struct.pack("<Q", len(answer)) + answer)
        target.flush()


def _exactly(source: BinaryIO, length: int) -> bytes:
    content = source.read(length)
    if 0 < len(content) < length:
        raise EOFError("the question ends too early")
    return content


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:  # Windows has no such limit.
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (BYTES if hard == resource.RLIM_INFINITY else min(BYTES, hard), hard))


def _limit_time() -> None:
    """Let the system end this process where the next page takes too long: the library cannot be interrupted."""
    if hasattr(signal, "setitimer"):  # Windows has no such limit.
        signal.setitimer(signal.ITIMER_PROF, PAGE_SECONDS)


def _answer(content: bytes) -> dict[str, Any]:
    _limit_time()
    try:
        return _read(content)
    except Unreadable as fault:
        return {"fault": str(fault)}
    except MemoryError:
        return {"fault": "it needs more memory than one document may take"}


# Inside that process: pages, words, lines.


def _read(content: bytes) -> dict[str, Any]:
    import pypdfium2

    document = _opened(content)
    try:
        if len(document) > PAGES:
            raise Unreadable(f"it has {len(document):,} pages, more than {PAGES:,}")
        lines: list[Line] = []
        sheets: list[Sheet] = []
        stamps: list[str] = []
        budget = _Budget()
        for number in range(len(document)):
            _limit_time()
            try:
                page = document[number]
                sheets.append(Sheet(*page.get_size()))
                lines.extend(_page_lines(page, number, stamps, budget))
                page.close()
            except pypdfium2.PdfiumError:  # A broken page among sound ones.
                sheets[number:] = [Sheet(0, 0)]
        if not any(line.text.strip() for line in lines):
            raise Unreadable("it has no text: its pages are images" if sheets else "it has no pages")
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
        raise Unreadable("it is no PDF: it does not begin as one")
    try:
        document = pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError as error:
        # The library keeps the reason of an earlier fault, so its word alone does not tell what is encrypted.
        if b"/Encrypt" in content:
            raise Unreadable("it is encrypted and cannot be opened without a password") from error
        raise Unreadable("the PDF is broken: its pages cannot be found") from error
    if len(document) == 0:
        document.close()
        raise Unreadable("it has no pages")
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
            raise Unreadable(f"it has more than {CHARACTERS:,} characters")
        if self._objects < 0:
            raise Unreadable(f"its pages are drawn with more than {OBJECTS:,} objects")
        if time.monotonic() > self._end:
            raise Unreadable(f"it took longer than {SECONDS:.0f} seconds")


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
_PRIVATE = re.compile("[\ue000\ue001\t]")
_BOLD = re.compile(rb"bold|medi(?!um)|black|heavy|demi|cmbx|cmb\d|-bd|sfbx|\bbx", re.IGNORECASE)


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
        text = _PRIVATE.sub("", self._text[start:end])
        last = self._runs[-1] if self._runs else None
        if last is not None:
            gap = left - last.right
            spaced = self._blank and gap > 0.08 * last.size
            if abs(base - last.base) < 0.05 and abs(height - last.height) < 0.01 and -1 < gap < last.size:
                last.text += f" {text}" if spaced else text
                last.right = right
                self._blank = False
                return
        size, turned = self._size(start)
        if turned:
            self._stamp(text)
            return
        run = _Run(left, right, base, size, height, self._is_bold(start), text)
        if last is not None and self._continues(run):
            last.text += " " if spaced else ""
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
        self._blank = False
        if not runs:
            return
        main = max(runs, key=lambda run: (len(run.text.strip()) > 1, run.size, len(run.text)))
        text = "".join(_shown(run, main) for run in runs).strip()
        if not broken and _HYPHEN.search(text):
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
                )
            )


_HYPHEN = re.compile(r"[^\W\d_][-\u00ad\u2010]$")


def _shown(run: _Run, main: _Run) -> str:
    if run.size < 0.85 * main.size and run.base > main.base + 0.12 * main.size and run.text.strip():
        return f"{RAISED}{run.text.strip()}{LOWERED}" + (" " if run.text.endswith(" ") else "")
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
