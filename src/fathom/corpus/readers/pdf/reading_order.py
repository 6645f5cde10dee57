"""The lines of a PDF in reading order, without running heads and margin notes, and typical sizes."""

from __future__ import annotations

import itertools
import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from statistics import median

from fathom.corpus.readers.parsing.superscripts import strip_marks
from fathom.corpus.readers.pdf.line import Dehyphenator, Gap, Line, PageSize, is_running_text, wraps
from fathom.corpus.readers.pdf.line_extraction import ACCENTS
from fathom.corpus.readers.pdf.table_detection import extract_tables
from fathom.corpus.readers.pdf.table_grid import TableGrid

_LEADER = re.compile(r"\.\s?(?:\.\s?){7}")
"""The dots of a table of contents: "Methods . . . . 12"."""
_NO_TEXT = frozenset(("", *ACCENTS))
_PAGE_NUMBER = re.compile(
    # A page number, or the short byline at the top of every second page.
    r"[^\W\d_][^\d.]{0,60}\bet al\.?|(?:page\s)?[-–|\s]*(?:\d{1,5}|[ivxl]{1,6})(?:\s?(?:of|/)\s?\d{1,5})?[-–|\s]*",
    re.IGNORECASE,
)
_SECTION_NUMBER = re.compile(r"(?:\d{1,2}|[IVX]{1,5})(?:\.\d{1,2}){0,2}\.?\s+[A-Z]")
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


class OrderedLines(list[Line]):
    """The lines of a document in reading order, with its body size, leading, line width and columns."""

    def __init__(self, lines: Sequence[Line], page_sizes: Sequence[PageSize]) -> None:
        self.page_sizes = page_sizes
        kept = [line for line in lines if line.text.strip() not in _NO_TEXT and not _LEADER.search(line.text)]
        self.body_size = _usual_size(kept)
        """Font size of the body text."""
        self.running: list[str] = []
        """Removed running heads and feet."""
        kept = self._without_running(kept)
        self.columns = _columns(kept, self.body_size)
        """Left edges of the columns."""
        self._column_starts = [left - 8 for left in self.columns]
        self.margin: list[str] = []
        """Removed notes beside the text, as JOSE and Copernicus print them."""
        self.tables: dict[Line, TableGrid]
        """Recognized tables, keyed by the first line of their captions, which stays among the lines."""
        kept, self.tables = extract_tables(self._without_margins(kept), self.columns)
        super().__init__(self._ordered(kept))
        self._alone: dict[int, bool] = {}
        self.headings: dict[int, bool] = {}
        """Whether a line is a heading, for those that were examined: several steps ask for it."""
        self.leading = self._usual_leading()
        widths = sorted(line.right - line.left for line in self if abs(line.size - self.body_size) < 0.3)
        self.width = widths[int(0.95 * len(widths))] if widths else 0.0
        self._justified = 2 * sum(self.width - 2 < width < self.width + 2 for width in widths) > len(widths)
        self.dehyphenator = Dehyphenator(self)

    def column(self, line: Line) -> int:
        """Return the index of the column a line starts in."""
        return max(0, bisect_right(self._column_starts, line.left) - 1)

    def is_alone(self, number: int) -> bool:
        """Return whether no other line of the column is on the same baseline."""
        if number not in self._alone:
            self._alone[number] = self._stands_alone(number)
        return self._alone[number]

    def _stands_alone(self, number: int) -> bool:
        line = self[number]
        near = self[max(0, number - 6) : number] + self[number + 1 : number + 7]
        return not any(
            other.page == line.page
            and abs(other.baseline - line.baseline) < 2
            and self.column(other) == self.column(line)
            for other in near
        )

    def right_edge(self, line: Line) -> float:
        """Return the right edge of the line's column."""
        return self.columns[self.column(line)] + self.width if self.columns else line.right

    def has_room(self, before: Line, line: Line) -> bool:
        """Return whether a line ends early, so the next line starts something new."""
        if self._justified:
            return before.right < self.right_edge(before) - before.size
        return not wraps(before, line, self.right_edge(before))

    def join(self, start: int, end: int) -> str:
        """Return the text of a range of lines."""
        return self.dehyphenator.join(self[start:end])

    # Running heads and margin notes.

    def _without_running(self, lines: list[Line]) -> list[Line]:
        """Remove running heads, running feet and page numbers."""
        pages = len(self.page_sizes)
        edges: dict[int, list[Line]] = {}
        on_pages = by_page(lines)
        for page, on_page in on_pages.items():
            ranked = sorted(on_page, key=lambda line: line.baseline)
            edges[page] = [*ranked[:4], *ranked[-4:]] if len(ranked) > 8 else ranked
        counts: Counter[tuple[str, int]] = Counter()
        for at_edge in edges.values():
            counts.update({_running_head_key(line) for line in at_edge})
        repeated = {stamp for stamp, count in counts.items() if pages > 1 and count >= max(2, 0.25 * pages)}
        dropped = {
            id(line)
            for page, at_edge in edges.items()
            for line in at_edge
            if self._is_running_head(line, repeated, at_edge, on_pages[page])
        }
        self.running = [strip_marks(line.text) for line in lines if id(line) in dropped]
        return [line for line in lines if id(line) not in dropped]

    def _is_running_head(
        self, line: Line, repeated: set[tuple[str, int]], near: Sequence[Line], on_page: Sequence[Line]
    ) -> bool:
        height = self.page_sizes[line.page].height
        at_edge = line.baseline < 0.1 * height or line.baseline > 0.91 * height
        if _running_head_key(line) in repeated and (
            at_edge
            or line.baseline < 0.14 * height
            or (line.baseline > 0.87 * height and line.baseline >= max(other.baseline for other in near))
        ):
            return True
        if not at_edge:
            return False
        if self._is_page_number(line, near) or self._is_apart(line, near):
            return True
        # A publisher's imprint at the top or bottom of the first page.
        small = line.page == 0 and line.size < 0.95 * self.body_size
        return small and _IMPRINT.search(line.text) is not None and not self._ends_text(line, on_page)

    def _is_page_number(self, line: Line, near: Sequence[Line]) -> bool:
        """Return whether a line is a page number; a number between it and the text is a cell of a table."""
        if not _PAGE_NUMBER.fullmatch(strip_marks(line.text)):
            return False
        outward = 1 if line.baseline > 0.5 * self.page_sizes[line.page].height else -1
        return not any(
            outward * (other.baseline - line.baseline) > 1 and _PAGE_NUMBER.fullmatch(strip_marks(other.text))
            for other in near
        )

    def _is_apart(self, line: Line, near: Sequence[Line]) -> bool:
        """Return whether a line is alone at the edge of a page: a running head or foot that appears only once."""
        height = self.page_sizes[line.page].height
        if line.page == 0 or line.size > 1.15 * self.body_size or _SECTION_NUMBER.match(line.text):
            return False
        if line.baseline > 0.91 * height:
            distances = [line.baseline - other.baseline for other in near]
        else:
            distances = [other.baseline - line.baseline for other in near]
        others = [distance for distance in distances if abs(distance) > 1]
        wide = 1.8 if line.size < 0.95 * self.body_size else 2.4
        return wide * line.size < min(others, default=0)

    def _ends_text(self, line: Line, on_page: Sequence[Line]) -> bool:
        """Return whether a line at the page bottom continues the text above: the DOI of an entry is not an imprint."""
        foot = 0.1 * self.page_sizes[line.page].height
        while line.baseline < foot:
            above = (
                other
                for other in on_page
                if line.baseline < other.baseline < line.baseline + 1.3 * line.size
                and abs(other.size - line.size) < 0.1
                and abs(other.left - line.left) < 30
            )
            # Line by line: the text may end with several lines below this height.
            next_line = min(above, key=lambda other: other.baseline, default=None)
            if next_line is None:
                return False
            line = next_line
        return line.baseline < 0.5 * self.page_sizes[line.page].height

    def _without_margins(self, lines: list[Line]) -> list[Line]:
        left = self.columns[0] if self.columns else 0.0
        kept = []
        for line in lines:
            if line.right < left + 2 and line.size < 0.98 * self.body_size:
                self.margin.append(strip_marks(line.text))
            else:
                kept.append(line)
        return kept

    # Reading order.

    def _ordered(self, lines: list[Line]) -> list[Line]:
        """Order lines as the file draws them, or column by column if it draws across columns."""
        ordered: list[Line] = []
        for on_page in by_page(lines).values():
            # Count full lines only: the cells of a wide table are also in two columns.
            full = [line for line in on_page if len(line.text) > 25]
            places = [(self.column(line), line.baseline) for line in full]
            back = sum(after[0] < before[0] for before, after in itertools.pairwise(places))
            up = sum(
                after[0] == before[0] and after[1] > before[1] + 3 * self.body_size
                for before, after in itertools.pairwise(places)
            )
            jumbled = back + up > max(2, 0.12 * len(full))
            ordered.extend(self._by_column(on_page) if jumbled else on_page)
        return self._merged(ordered)

    def _by_column(self, lines: list[Line]) -> list[Line]:
        """Order lines column by column, in bands between lines that cross columns."""
        ordered: list[Line] = []
        band: list[Line] = []
        for line in sorted(lines, key=lambda line: (-line.baseline, line.left)):
            following = [left for left in self.columns if left > line.left + 8]
            if following and line.right > following[0] + 10:
                ordered += sorted(band, key=lambda one: (self.column(one), -one.baseline, one.left))
                ordered.append(line)
                band = []
            else:
                band.append(line)
        return ordered + sorted(band, key=lambda one: (self.column(one), -one.baseline, one.left))

    def _merged(self, lines: list[Line]) -> list[Line]:
        """Merge lines that wide spaces have split. Table cells stay separate."""
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
                merged[-1] = _joined(last, line)
            else:
                merged.append(line)
        return merged

    def _row(self, line: Line) -> tuple[int, int, int]:
        return line.page, self.column(line), round(line.baseline)

    # Typical sizes.

    def _usual_leading(self) -> float:
        gaps = [
            before.baseline - after.baseline
            for before, after in itertools.pairwise(self)
            if before.page == after.page
            and abs(before.size - self.body_size) < 0.3
            and abs(after.size - self.body_size) < 0.3
            and 0.5 * self.body_size < before.baseline - after.baseline < 3 * self.body_size
        ]
        return median(gaps) if gaps else 1.2 * self.body_size


def _usual_size(lines: Sequence[Line]) -> float:
    """Return the most common font size before the reference list, which may be longer than the text of a letter."""
    heads = [number for number, line in enumerate(lines) if LIST_HEADING.fullmatch(strip_marks(line.text).strip())]
    text = lines[: heads[-1]] if heads and heads[-1] else lines
    # Affiliations and entries may have more letters than the text of a letter, but few lowercase words.
    return _most_common_size(list(filter(is_running_text, text))) or _most_common_size(text) or 10.0


def _most_common_size(lines: Sequence[Line]) -> float:
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[round(line.size, 1)] += len(line.text)
    return sizes.most_common(1)[0][0] if sizes else 0.0


def _joined(first: Line, second: Line) -> Line:
    """Return two lines as one. The wide space between them is kept: it may separate two names."""
    shift = len(first.text) + 1
    between = Gap(len(first.text), first.right, second.left)
    moved = (gap._replace(offset=gap.offset + shift) for gap in second.gaps)
    return replace(
        first,
        right=second.right,
        hyphenated=second.hyphenated,
        text=f"{first.text} {second.text}",
        gaps=(*first.gaps, between, *moved),
    )


def _is_loose(row: Sequence[Line]) -> bool:
    """Return whether a row is one justified line split at equal wide spaces, as in a narrow column."""
    gaps = [after.left - before.right for before, after in itertools.pairwise(row)]
    return len(gaps) > 1 and max(gaps) - min(gaps) < 0.5 and 0 < max(gaps) < 2.2 * row[0].size


def _is_begun(line: Line) -> bool:
    """Return whether text may continue after a wide space: after a sentence, or after an entry's number."""
    return line.right - line.left > 4 * line.size or re.fullmatch(r"\[?\d{1,3}[\].]", line.text) is not None


def by_page(lines: Sequence[Line]) -> dict[int, list[Line]]:
    """Group lines by page."""
    pages: dict[int, list[Line]] = defaultdict(list)
    for line in lines:
        pages[line.page].append(line)
    return pages


def _running_head_key(line: Line) -> tuple[str, int]:
    """Return what running heads on different pages share: their words without numbers, and their height."""
    return re.sub(r"\d+", "#", strip_marks(line.text)), round(line.baseline / 6)


def _columns(lines: Sequence[Line], body_size: float) -> list[float]:
    """Return the left edges of the text columns."""
    lefts: Counter[int] = Counter()
    for line in lines:
        if abs(line.size - body_size) < 0.3 and len(line.text) > 15:
            lefts[round(line.left)] += 1
    total = sum(lefts.values())
    edges: list[float] = []
    for left, _ in sorted(lefts.items()):
        # Count neighbors too: a quotation mark or a round letter starts a point further left.
        near = sum(lefts[left + step] for step in (-1, 0, 1))
        if near >= 0.18 * total and (not edges or left - edges[-1] > 100):
            edges.append(float(left))
    return edges or ([float(min(lefts))] if lefts else [])
