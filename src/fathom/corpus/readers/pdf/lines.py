"""The lines of a PDF in the order of reading, without the edges of its pages, and what is usual among them."""

from __future__ import annotations

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from statistics import median

from fathom.corpus.readers.parsed_document import Inlines
from fathom.corpus.readers.pdf.characters import ACCENTS, Line, Sheet, bare, wraps
from fathom.corpus.readers.pdf.grids import Grid
from fathom.corpus.readers.pdf.hyphenation import Vocabulary
from fathom.corpus.readers.pdf.tables import take_tables

_LEADERS = re.compile(r"^\s*$|(?:\.\s?){8}")  # Nothing, or a line of a table of contents: "Methods . . . . . . 12".
_FOLIO = re.compile(r"(?:page\s)?[-–|\s]*(?:\d{1,5}|[ivxl]{1,6})(?:\s?(?:of|/)\s?\d{1,5})?[-–|\s]*", re.IGNORECASE)
_IMPRINT = re.compile(
    r"Proceedings|©|\bc \d{4}|[Cc]opyright|[Ll]icen[sc]e|doi|Published|Received|Association|Journal|pages|ISSN|arXiv"
    r"|Conference"
)
LIST_HEADING = re.compile(
    r"(?:(?:\d+|[IVX]+)\.?\s+)?(?:references(?: cited| and notes)?|bibliography|works cited|literature cited|literature"
    r"|reference list|参考文献)[:.]?",
    re.IGNORECASE,
)

ENDED = re.compile(r"[.!?:;。！？]['”’\")\]]*$")


def printed(words: Inlines) -> str:
    """Running text as the page shows it."""
    return "".join(piece if isinstance(piece, str) else piece.text for piece in words)


class Lines(list[Line]):
    """The lines of a document in the order of reading, with its usual size, leading, width and columns."""

    def __init__(self, lines: Sequence[Line], sheets: Sequence[Sheet]) -> None:
        self.sheets = sheets
        told = [line for line in lines if line.text.strip() not in ACCENTS and not _LEADERS.search(line.text)]
        self.body = _usual_size(told)
        """The size of running text."""
        self.running: list[str] = []
        """Running heads and feet, taken out."""
        told = self._without_running(told)
        self.columns = _columns(told, self.body)
        """Their left edges."""
        self.margin: list[str] = []
        """What stands beside the text, taken out: JOSE's and Copernicus's side notes."""
        self.tables: dict[Line, Grid]
        """Those that could be told, each by the first line of its caption, which stays among the lines."""
        told, self.tables = take_tables(self._without_margins(told), self.columns)
        super().__init__(self._ordered(told))
        self._alone: dict[int, bool] = {}
        self.leading = self._usual_leading()
        widths = sorted(line.right - line.left for line in self if abs(line.size - self.body) < 0.3)
        self.width = widths[int(0.95 * len(widths))] if widths else 0.0
        self._justified = 2 * sum(self.width - 2 < width < self.width + 2 for width in widths) > len(widths)
        self.words = Vocabulary(self)

    def column(self, line: Line) -> int:
        """The number of the column that a line begins in."""
        return max(0, sum(line.left >= left - 8 for left in self.columns) - 1)

    def alone(self, number: int) -> bool:
        """Whether nothing else stands on the line's baseline in its column."""
        if number not in self._alone:
            self._alone[number] = self._stands_alone(number)
        return self._alone[number]

    def _stands_alone(self, number: int) -> bool:
        line = self[number]
        near = self[max(0, number - 6) : number] + self[number + 1 : number + 7]
        return not any(
            other.page == line.page and abs(other.base - line.base) < 2 and self.column(other) == self.column(line)
            for other in near
        )

    def edge(self, line: Line) -> float:
        """How far to the right the lines of its column reach."""
        return self.columns[self.column(line)] + self.width if self.columns else line.right

    def has_room(self, before: Line, line: Line) -> bool:
        """Whether a line ends before its column does, so that what follows in the next begins something new."""
        if self._justified:
            return before.right < self.edge(before) - before.size
        return not wraps(before, line, self.edge(before))

    def joined(self, start: int, end: int) -> str:
        """The text of the lines from one number to another."""
        return self.words.joined(self[start:end])

    # What stands on every page, and what stands beside the text.

    def _without_running(self, lines: list[Line]) -> list[Line]:
        """The lines without running heads, running feet and page numbers."""
        pages = len(self.sheets)
        edges: dict[int, list[Line]] = {}
        for page, on_page in by_page(lines).items():
            ranked = sorted(on_page, key=lambda line: line.base)
            edges[page] = [*ranked[:4], *ranked[-4:]] if len(ranked) > 8 else ranked
        seen: Counter[tuple[str, int]] = Counter()
        for at_edge in edges.values():
            seen.update({_stamp(line) for line in at_edge})
        repeated = {stamp for stamp, count in seen.items() if pages > 1 and count >= max(2, 0.25 * pages)}
        dropped = {id(line) for at_edge in edges.values() for line in at_edge if self._runs(line, repeated, at_edge)}
        self.running = [bare(line.text) for line in lines if id(line) in dropped]
        return [line for line in lines if id(line) not in dropped]

    def _runs(self, line: Line, repeated: set[tuple[str, int]], near: Sequence[Line]) -> bool:
        height = self.sheets[line.page].height
        at_edge = line.base < 0.1 * height or line.base > 0.91 * height
        if _stamp(line) in repeated and (at_edge or line.base < 0.14 * height):
            return True
        if not at_edge:
            return False
        if _FOLIO.fullmatch(bare(line.text)):
            return True
        # What a publisher prints at the foot or head of the first page only.
        small = line.page == 0 and line.size < 0.95 * self.body
        return small and _IMPRINT.search(line.text) is not None and not self._ends_text(line, near)

    def _ends_text(self, line: Line, near: Sequence[Line]) -> bool:
        """Whether a line at the foot of a page ends what stands above it: an entry's doi is no imprint."""
        foot = 0.1 * self.sheets[line.page].height
        return any(
            line.base < foot <= above.base < line.base + 1.3 * line.size
            and abs(above.size - line.size) < 0.1
            and abs(above.left - line.left) < 30
            for above in near
        )

    def _without_margins(self, lines: list[Line]) -> list[Line]:
        left = self.columns[0] if self.columns else 0.0
        kept = []
        for line in lines:
            if line.right < left + 2 and line.size < 0.98 * self.body:
                self.margin.append(bare(line.text))
            else:
                kept.append(line)
        return kept

    # The order of reading.

    def _ordered(self, lines: list[Line]) -> list[Line]:
        """As the file draws them, unless it draws across columns; then column after column."""
        ordered: list[Line] = []
        for on_page in by_page(lines).values():
            # Only full lines tell: the cells of a wide table also lie in two columns.
            full = [line for line in on_page if len(line.text) > 25]
            places = [(self.column(line), line.base) for line in full]
            back = sum(after[0] < before[0] for before, after in itertools.pairwise(places))
            up = sum(
                after[0] == before[0] and after[1] > before[1] + 3 * self.body
                for before, after in itertools.pairwise(places)
            )
            jumbled = back + up > max(2, 0.12 * len(full))
            ordered.extend(self._by_column(on_page) if jumbled else on_page)
        return self._merged(ordered)

    def _by_column(self, lines: list[Line]) -> list[Line]:
        """From top to bottom in bands between lines that cross columns, and within a band column after column."""
        ordered: list[Line] = []
        band: list[Line] = []
        for line in sorted(lines, key=lambda line: (-line.base, line.left)):
            following = [left for left in self.columns if left > line.left + 8]
            if following and line.right > following[0] + 10:
                ordered += sorted(band, key=lambda one: (self.column(one), -one.base, one.left))
                ordered.append(line)
                band = []
            else:
                band.append(line)
        return ordered + sorted(band, key=lambda one: (self.column(one), -one.base, one.left))

    def _merged(self, lines: list[Line]) -> list[Line]:
        """Lines that wide blanks cut up, put together; table cells stay apart."""
        rows: dict[tuple[int, int, int], list[Line]] = defaultdict(list)
        for line in lines:
            rows[self._row(line)].append(line)
        loose = {row for row, found in rows.items() if _is_loose(found)}
        merged: list[Line] = []
        for line in lines:
            last = merged[-1] if merged else None
            row = self._row(line)
            if (
                last is not None
                and last not in self.tables
                and self._row(last) == row
                and abs(last.size - line.size) < 0.5
                and 0 < line.left - last.right < 2.2 * line.size
                and (row in loose or (len(rows[row]) == 2 and _is_begun(last)))
            ):
                merged[-1] = replace(last, right=line.right, broken=line.broken, text=f"{last.text} {line.text}")
            else:
                merged.append(line)
        return merged

    def _row(self, line: Line) -> tuple[int, int, int]:
        return line.page, self.column(line), round(line.base)

    # What is usual.

    def _usual_leading(self) -> float:
        gaps = [
            before.base - after.base
            for before, after in itertools.pairwise(self)
            if before.page == after.page
            and abs(before.size - self.body) < 0.3
            and abs(after.size - self.body) < 0.3
            and 0.5 * self.body < before.base - after.base < 3 * self.body
        ]
        return median(gaps) if gaps else 1.2 * self.body


def _usual_size(lines: Sequence[Line]) -> float:
    """The size that most characters have before the list of references, which is longer than the text of a letter."""
    heads = [number for number, line in enumerate(lines) if LIST_HEADING.fullmatch(bare(line.text).strip())]
    sizes: Counter[float] = Counter()
    for line in lines[: heads[-1]] if heads and heads[-1] else lines:
        sizes[round(line.size, 1)] += len(line.text)
    return sizes.most_common(1)[0][0] if sizes else 10.0


def _is_loose(row: Sequence[Line]) -> bool:
    """Whether one set line was cut at blanks that all are alike: a narrow column spreads few words that far."""
    gaps = [after.left - before.right for before, after in itertools.pairwise(row)]
    return len(gaps) > 1 and max(gaps) - min(gaps) < 0.5 and 0 < max(gaps) < 2.2 * row[0].size


def _is_begun(line: Line) -> bool:
    """Whether more may follow a wide blank: a sentence after a sentence, or an entry after its number."""
    return line.right - line.left > 4 * line.size or re.fullmatch(r"\[?\d{1,3}[\].]", line.text) is not None


def by_page(lines: Sequence[Line]) -> dict[int, list[Line]]:
    """The lines of each page, in order."""
    pages: dict[int, list[Line]] = defaultdict(list)
    for line in lines:
        pages[line.page].append(line)
    return pages


def _stamp(line: Line) -> tuple[str, int]:
    """What two pages' running heads have in common: the words but not the numbers, and the height."""
    return re.sub(r"\d+", "#", bare(line.text)), round(line.base / 6)


def _columns(lines: Sequence[Line], body: float) -> list[float]:
    """The left edges of the columns of text."""
    lefts: Counter[int] = Counter()
    for line in lines:
        if abs(line.size - body) < 0.3 and len(line.text) > 15:
            lefts[round(line.left)] += 1
    total = sum(lefts.values())
    edges: list[float] = []
    for left, _ in sorted(lefts.items()):
        # Neighbors count with it: a quotation mark or a round letter begins a point further left.
        near = sum(lefts[left + step] for step in (-1, 0, 1))
        if near >= 0.18 * total and (not edges or left - edges[-1] > 100):
            edges.append(float(left))
    return edges or ([float(min(lefts))] if lefts else [])
