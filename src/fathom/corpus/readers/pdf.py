"""Reads PDFs by rules of layout: what is title, name, heading, text or reference is told by size and place."""

from __future__ import annotations

import itertools
import os
import re
import shutil
import subprocess
import tempfile
import unicodedata
import urllib.request
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

from fathom.corpus.readers.found import (
    Block,
    Found,
    FoundAuthor,
    FoundReference,
    Heading,
    Mark,
    NoSiblings,
    Paragraph,
    Siblings,
    Unreadable,
    Words,
)
from fathom.corpus.readers.pdf_layout import LOWERED, RAISED, Layout, Line, layout
from fathom.corpus.readers.reference_strings import identifiers, parse_reference
from fathom.corpus.readers.sentences import is_chinese

KIND = "pdf"


def looks_like(name: str, head: bytes) -> bool:
    """Whether a file is a PDF, by its first bytes."""
    return b"%PDF-" in head[:1_024]


def read(content: bytes, name: str, siblings: Siblings) -> Iterator[Found]:
    """The one document of a PDF."""
    convert = converter()
    if convert is not None:
        yield from convert(content, name)
        return
    yield read_layout(layout(content), name)


def read_layout(found: Layout, source: str) -> Found:
    """What the lines of a PDF are, told by their sizes and places."""
    return _Document(found, source).read()


# Lines, cleaned.

_ACCENTS = {"´": "́", "`": "̀", "¨": "̈", "ˆ": "̂", "˜": "̃", "ˇ": "̌", "˝": "̋", "˘": "̆", "¸": "̧"}
_LOOSE_ACCENT = re.compile(r"([´`¨ˆ˜ˇ˝˘])\s?([^\W\d_])")
_LEADERS = re.compile(r"^\s*$|(?:\.\s?){8}")  # Nothing, or a line of a table of contents: "Methods . . . . . . 12".
_LIGATURES = {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}
_LIGATURE = re.compile("[ﬀ-ﬆ]")


def _clean(text: str) -> str:
    """Letters put together with the accents that old TeX fonts draw before them; ligatures taken apart."""

    def joined(found: re.Match[str]) -> str:
        letter = {"ı": "i", "ȷ": "j"}.get(found[2], found[2])
        return unicodedata.normalize("NFC", letter + _ACCENTS[found[1]])

    return _LIGATURE.sub(lambda found: _LIGATURES[found[0]], _LOOSE_ACCENT.sub(joined, text))


def _bare(text: str) -> str:
    """Without the signs around what is raised."""
    return text.replace(RAISED, "").replace(LOWERED, "")


_NAMES_OF_SECTIONS = (
    r"abstract|introduction|background|related works?|methods?|materials? and methods?|results?|discussion"
    r"|results? and discussions?|conclusions?|acknowledge?ments?|references(?: cited)?|bibliography|works cited"
    r"|literature cited|appendix|appendices|参考文献|摘要"
)
_KNOWN = re.compile(rf"(?:(?:\d+|[IVX]+)\.?\s+)?(?:{_NAMES_OF_SECTIONS})[:.]?", re.IGNORECASE)
_LIST_HEADING = re.compile(
    r"(?:(?:\d+|[IVX]+)\.?\s+)?(?:references(?: cited| and notes)?|bibliography|works cited|literature cited|literature"
    r"|reference list|参考文献)[:.]?",
    re.IGNORECASE,
)
_ABSTRACT = re.compile(r"(?:abstract|摘\s*要)\s*[:.—–-]?", re.IGNORECASE)
_NUMBERED = re.compile(r"((?:\d{1,2}|[IVX]{1,5}|[A-H])(?:\.\d{1,2}){0,3})\.?\s+(?=\S)")
_CAPTION = re.compile(r"(?:Figure|Fig\.|Table|Algorithm|Listing|Scheme|图|表)\s?[A-Z]?\d+[.:|]?(?:\s|$)")
_BULLET = re.compile(r"[•◦▪∗‣·–]\s|\d{1,2}[.)]\s|\([a-z0-9]{1,3}\)\s")
_ENDED = re.compile(r"[.!?:;。！？]['”’\")\]]*$")


class _Document:
    def __init__(self, found: Layout, source: str) -> None:
        self._layout = found
        self._source = source
        lines = [replace(line, text=_clean(line.text)) for line in found.lines]
        lines = [line for line in lines if line.text.strip() not in _ACCENTS and not _LEADERS.search(line.text)]
        self._body = _usual_size(lines)
        self._running: list[str] = []
        lines = self._without_running(lines)
        self._columns = _columns(lines, self._body)
        self._margin: list[str] = []
        lines = self._without_margins(lines)
        self._lines = self._ordered(lines)
        self._leading = self._usual_leading()
        self._width = self._usual_width()
        self._words = _Vocabulary(self._lines)

    def read(self) -> Found:
        found = Found(source=self._source)
        start = self._title(found)
        start = self._byline(found, start)
        body, entries, after = self._parted(start)
        blocks = self._blocks(body)
        found.references = self._references(entries)
        blocks += self._blocks(after)
        _set_abstract(found, blocks)
        citer = _Citer(found.references)
        found.abstract = [citer.block(block) for block in found.abstract]
        found.body = [citer.block(block) for block in found.body]
        self._imprint(found)
        text = " ".join(line.text for line in self._lines[:60])
        found.language = "zh" if is_chinese(text) else "en"
        found.notes["layout"] = "sections, paragraphs and citations are guessed from the layout"
        return found

    # What stands on every page, and what stands beside the text.

    def _without_running(self, lines: list[Line]) -> list[Line]:
        """The lines without running heads, running feet and page numbers."""
        pages = len(self._layout.sheets)
        edges: dict[int, list[Line]] = {}
        for page, on_page in _by_page(lines).items():
            ranked = sorted(on_page, key=lambda line: line.base)
            edges[page] = [*ranked[:4], *ranked[-4:]] if len(ranked) > 8 else ranked
        seen: Counter[tuple[str, int]] = Counter()
        for at_edge in edges.values():
            seen.update({_stamp(line) for line in at_edge})
        repeated = {stamp for stamp, count in seen.items() if pages > 1 and count >= max(2, 0.25 * pages)}
        dropped = {id(line) for at_edge in edges.values() for line in at_edge if self._runs(line, repeated)}
        self._running = [_bare(line.text) for line in lines if id(line) in dropped]
        return [line for line in lines if id(line) not in dropped]

    def _runs(self, line: Line, repeated: set[tuple[str, int]]) -> bool:
        height = self._layout.sheets[line.page].height
        at_edge = line.base < 0.1 * height or line.base > 0.91 * height
        if _stamp(line) in repeated and (at_edge or line.base < 0.14 * height):
            return True
        if not at_edge:
            return False
        if re.fullmatch(
            r"(?:page\s)?[-–|\s]*(?:\d{1,5}|[ivxl]{1,6})(?:\s?(?:of|/)\s?\d{1,5})?[-–|\s]*", _bare(line.text), re.I
        ):
            return True
        # What a publisher prints at the foot or head of the first page only.
        return line.page == 0 and line.size < 0.95 * self._body and _IMPRINT.search(line.text) is not None

    def _without_margins(self, lines: list[Line]) -> list[Line]:
        """The lines without those in a margin beside the text: JOSE's and Copernicus's side notes."""
        left = self._columns[0] if self._columns else 0.0
        kept = []
        for line in lines:
            if line.right < left + 2 and line.size < 0.98 * self._body:
                self._margin.append(_bare(line.text))
            else:
                kept.append(line)
        return kept

    # The order of reading.

    def _column(self, line: Line) -> int:
        return max(0, sum(line.left >= left - 8 for left in self._columns) - 1)

    def _ordered(self, lines: list[Line]) -> list[Line]:
        """As the file draws them, unless it draws across columns; then column after column."""
        ordered: list[Line] = []
        for on_page in _by_page(lines).values():
            # Only full lines tell: the cells of a wide table also lie in two columns.
            full = [line for line in on_page if len(line.text) > 25]
            places = [(self._column(line), line.base) for line in full]
            back = sum(after[0] < before[0] for before, after in itertools.pairwise(places))
            up = sum(
                after[0] == before[0] and after[1] > before[1] + 3 * self._body
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
            following = [left for left in self._columns if left > line.left + 8]
            if following and line.right > following[0] + 10:
                ordered += sorted(band, key=lambda one: (self._column(one), -one.base, one.left))
                ordered.append(line)
                band = []
            else:
                band.append(line)
        return ordered + sorted(band, key=lambda one: (self._column(one), -one.base, one.left))

    def _merged(self, lines: list[Line]) -> list[Line]:
        """Lines that wide blanks between sentences cut in two, put together; table cells stay apart."""
        shared = Counter((line.page, self._column(line), round(line.base)) for line in lines)
        merged: list[Line] = []
        for line in lines:
            last = merged[-1] if merged else None
            if (
                last is not None
                and last.page == line.page
                and abs(last.base - line.base) < 1
                and abs(last.size - line.size) < 0.5
                and 0 < line.left - last.right < 2.2 * line.size
                and self._column(last) == self._column(line)
                and shared[line.page, self._column(line), round(line.base)] == 2
                and (last.right - last.left > 4 * line.size or re.fullmatch(r"\[?\d{1,3}[\].]", last.text))
            ):
                merged[-1] = replace(last, right=line.right, broken=line.broken, text=f"{last.text} {line.text}")
            else:
                merged.append(line)
        return merged

    def _usual_leading(self) -> float:
        gaps = [
            before.base - after.base
            for before, after in zip(self._lines, self._lines[1:], strict=False)
            if before.page == after.page
            and abs(before.size - self._body) < 0.3
            and abs(after.size - self._body) < 0.3
            and 0.5 * self._body < before.base - after.base < 3 * self._body
        ]
        return median(gaps) if gaps else 1.2 * self._body

    # The title and the names.

    def _title(self, found: Found) -> int:
        """Set the title; returns the number of the first line after it."""
        own = " ".join(self._layout.title.split())
        start, end = self._title_lines(own)
        found.title = self._words.joined(self._lines[start:end]) if end > start else ""
        if not found.title:
            found.title = own
            found.notes["title"] = "from the file's own properties"
        return end

    def _title_lines(self, own: str) -> tuple[int, int]:
        height = self._layout.sheets[0].height if self._layout.sheets else 0
        first = [
            number
            for number, line in enumerate(self._lines)
            if line.page == self._lines[0].page
            and line.base > 0.3 * height
            and len(re.findall(r"[^\W\d_]", line.text)) >= 4
            and not _BANNER.fullmatch(_bare(line.text).strip())
        ]
        for size in sorted({self._lines[number].size for number in first}, reverse=True):
            if size < 1.05 * self._body:
                break
            start = next(number for number in first if self._lines[number].size == size)
            end = start + 1
            while end < len(self._lines) and self._goes_on(self._lines[end - 1], self._lines[end]):
                end += 1
            text = self._words.joined(self._lines[start:end])
            # One word in large type is a journal's name more often than a title.
            if (
                len(text.split()) > 2
                or _same_words(text, own)
                or len(text) > 25
                or (is_chinese(text) and len(text) > 5)
            ):
                return start, end
        return self._unsized_title(first, own)

    def _unsized_title(self, first: list[int], own: str) -> tuple[int, int]:
        """Of a document in one size: the lines that say what its properties say, or the bold ones at the top."""
        for start in first[:10]:
            for end in range(start + 1, start + 5):
                if own and _same_words(self._words.joined(self._lines[start:end]), own):
                    return start, end
        if own:
            return 0, 0
        bold = next((number for number in first[:6] if self._lines[number].bold), first[0] if first else 0)
        end = bold + 1
        while (
            end < len(self._lines) and self._lines[bold].bold and self._goes_on(self._lines[end - 1], self._lines[end])
        ):
            end += 1
        return bold, end

    def _goes_on(self, before: Line, after: Line) -> bool:
        """Whether a title or heading goes on in the next line."""
        return (
            before.page == after.page
            and abs(before.size - after.size) < 0.04 * before.size
            and before.bold == after.bold
            and 0 < before.base - after.base < 1.9 * before.size
        )

    def _byline(self, found: Found, start: int) -> int:
        """Set the authors; returns the number of the first line that belongs to the text."""
        end = last = start
        names: list[str] = []
        usual: Line | None = None
        pending: list[Line] = []
        while end < len(self._lines) and end < start + 60:
            line = self._lines[end]
            if self._ends_byline(end, pending):
                last = end
                break
            if (usual is None or _alike(usual, line)) and self._reads_as_byline(line, pending):
                usual = usual or line
                pending.append(line)
                last = end + 1
            elif pending:
                names += _split_names(pending)
                pending = []
            end += 1
        names += _split_names(pending)
        found.authors = [_author(name) for name in dict.fromkeys(names)]
        if found.authors:
            found.notes["authors"] = "guessed from the layout"
        elif self._layout.authors:
            parts = re.split(r"\s*;\s*|\s+and\s+|,\s+", self._layout.authors)
            found.authors = [_author(name) for name in parts if _is_name(name)]
            found.notes["authors"] = "from the file's own properties"
        return last

    def _ends_byline(self, number: int, pending: Sequence[Line]) -> bool:
        """Whether the text begins at a line: with a heading, or with prose in the usual size."""
        line = self._lines[number]
        text = _bare(line.text).strip()
        if line.page > self._lines[0].page or _KNOWN.fullmatch(text) or _ABSTRACT.match(text):
            return True
        if _FIRST_HEADING.fullmatch(text) or (self._is_heading(number) and not self._reads_as_byline(line, pending)):
            return True
        return _is_prose(text) and abs(line.size - self._body) < 0.3 and not _AFFILIATION.search(text)

    def _reads_as_byline(self, line: Line, pending: Sequence[Line] = ()) -> bool:
        text = _bare(line.text)
        if "@" in text or _AFFILIATION.search(text) or re.search(r"\d{3,}|https?:", text):
            return False
        if pending and _name_goes_on(pending[-1], line):
            return bool(_split_names([pending[-1], line]))
        pieces = _name_pieces([line])
        good = sum(map(_is_name, pieces))
        return good > 0 and good >= 0.6 * len(pieces)

    # The list of references, and what stands before and after it.

    def _parted(self, start: int) -> tuple[list[int], list[Line], list[int]]:
        """The lines of the text, those of the list of references, and those of what follows it."""
        headings = [
            number
            for number in range(start, len(self._lines))
            if _LIST_HEADING.fullmatch(_bare(self._lines[number].text).strip()) and self._alone(number)
        ]
        if not headings:
            head = self._unheaded_list(start)
            return list(range(start, head)), self._lines[head:], []
        head = headings[-1]
        end = head + 1
        while end < len(self._lines) and not self._ends_list(head, end):
            end += 1
        return list(range(start, head)), self._lines[head + 1 : end], list(range(end, len(self._lines)))

    def _unheaded_list(self, start: int) -> int:
        """Where a list of references begins that no heading announces: entries with names and years to the very end."""
        end = len(self._lines)
        for number in range(max(start, end - 120), end):
            line, before = self._lines[number], self._lines[number - 1]
            if not _BEGINNING.match(line.text) or 0 < before.base - line.base < 1.25 * self._leading:
                continue
            tail = self._lines[number:]
            if self._is_heading(number) or any(self._is_heading(one) for one in range(number, end)):
                continue
            entries = [tail[first:last] for first, last in _stretches(_hanging_starts(tail, self._column), len(tail))]
            parsed = [parse_reference(_bare(self._words.joined(entry))) for entry in entries]
            if len(parsed) > 2 and sum(bool(one.authors and one.year) for one in parsed) >= 0.75 * len(parsed):
                return number
        return end

    def _ends_list(self, head: int, number: int) -> bool:
        line, heading = self._lines[number], self._lines[head]
        if not self._is_heading(number):
            return False
        text = _bare(line.text)
        return (line.size > 0.97 * heading.size and line.bold == heading.bold) or bool(
            re.match(r"(?:appendi|supplement|acknowledg|[A-H]\.?\s+[A-Z])", text, re.IGNORECASE)
        )

    def _references(self, lines: list[Line]) -> list[FoundReference]:
        entries = _cut_entries(lines, self._column, self._leading)
        references: list[FoundReference] = []
        for number, (label, entry) in enumerate(entries, start=1):
            text = _bare(self._words.joined(entry))
            text = _LABEL.sub("", text, count=1) if label else text
            if not re.search(r"\w{2}", text):
                continue
            parsed = parse_reference(text)
            references.append(
                FoundReference(label or f"r{number}", text, parsed.title, parsed.authors, parsed.year, parsed.ids)
            )
        return references

    # The text.

    def _alone(self, number: int) -> bool:
        """Whether nothing else stands on the line's baseline in its column."""
        line = self._lines[number]
        near = self._lines[max(0, number - 6) : number] + self._lines[number + 1 : number + 7]
        return not any(
            other.page == line.page and abs(other.base - line.base) < 2 and self._column(other) == self._column(line)
            for other in near
        )

    def _is_heading(self, number: int) -> bool:
        line = self._lines[number]
        text = _bare(line.text).strip()
        if len(text) > 150 or line.broken or not re.search(r"[^\W\d_]{2}|[一-鿿]", text) or _CAPTION.match(text):
            return False
        if not self._alone(number):
            return False
        if (
            _KNOWN.fullmatch(text)
            and len(text) < 40
            and (line.bold or line.size > 1.04 * self._body or text[:1].isupper())
        ):
            return not (number and self._lines[number - 1].broken)
        if text.endswith((".", ",", ";")) and not line.size > 1.3 * self._body:
            return False
        starts = text[0].isupper() or text[0].isdigit() or "一" <= text[0] <= "鿿"
        if line.size >= 1.08 * self._body:
            return starts and len(text) < 120
        numbered = _NUMBERED.match(text)
        if line.bold and line.size >= 0.95 * self._body:
            return (starts and len(text) < 100 and not text[0].isdigit()) or bool(numbered and len(text) < 100)
        return bool(re.fullmatch(r"[IVX]{1,5}\.\s+[A-Z][A-Z\s:,-]{4,80}", text))

    def _blocks(self, numbers: list[int]) -> list[Block]:
        builder = _Builder(self._words)
        ranks = self._heading_sizes(numbers)
        last = -2
        for number in numbers:
            line = self._lines[number]
            text = _bare(line.text).strip()
            if self._is_heading(number):
                before = self._lines[number - 1]
                if last == number - 1 and self._goes_on(before, line) and not _NUMBERED.match(text):
                    builder.lengthen_heading(text)
                else:
                    builder.heading(_level(text, line, ranks), text)
                last = number
            elif _CAPTION.match(text) and self._begins(number):
                builder.aside(line, caption=True)
            elif builder.goes_on_aside(line):
                builder.add_aside(line)
            elif not self._alone(number):
                builder.row(line)
            elif line.size < 0.93 * self._body and not builder.in_abstract:
                self._small(builder, line, text)
            elif self._begins_paragraph(builder.last, line):
                builder.paragraph(line)
            else:
                builder.add(line)
        return builder.finished()

    def _small(self, builder: _Builder, line: Line, text: str) -> None:
        """Small print: a footnote or a quotation where it reads as sentences, else the words in a drawing."""
        letters = sum(sign.isalpha() for sign in text)
        numbered = line.text.startswith(RAISED) or re.match(r"\d{1,2}\s?[A-Zh]", text)
        if numbered or (len(text) > 35 and letters > 0.65 * len(text)):
            builder.aside(line)

    def _begins(self, number: int) -> bool:
        """Whether a line stands at the beginning of a block: a sentence may also say "Table 2"."""
        if number == 0:
            return True
        before, line = self._lines[number - 1], self._lines[number]
        gap = before.base - line.base
        return before.page != line.page or not 0 < gap < 1.25 * self._leading or abs(before.size - line.size) > 0.3

    def _begins_paragraph(self, before: Line | None, line: Line) -> bool:
        if before is None:
            return True
        edge = self._columns[self._column(line)] if self._columns else line.left
        size = line.size
        indented = line.left > edge + 0.6 * size
        ended = _ENDED.search(_bare(before.text)) is not None and not before.broken
        if _BULLET.match(_bare(line.text)) and (ended or indented):
            return True
        if before.page != line.page or self._column(before) != self._column(line) or line.base > before.base:
            width = before.right - before.left
            return ended and (indented or width < 0.8 * self._width)
        gap = before.base - line.base
        if gap > 1.35 * self._leading:
            return ended or gap > 2.2 * self._leading
        flush = before.left <= edge + 0.6 * size
        return ended and (indented and flush and line.left - before.left > 0.6 * size)

    def _usual_width(self) -> float:
        rights = [line.right - line.left for line in self._lines if abs(line.size - self._body) < 0.3]
        return sorted(rights)[int(0.8 * len(rights))] if rights else 0.0

    def _heading_sizes(self, numbers: list[int]) -> list[float]:
        sizes = {
            round(self._lines[number].size, 0)
            for number in numbers
            if self._is_heading(number) and not _NUMBERED.match(_bare(self._lines[number].text))
        }
        return sorted(sizes, reverse=True)

    # What the edges of the pages say.

    def _imprint(self, found: Found) -> None:
        first = [_bare(line.text) for line in self._lines[:40] if line.page == 0]
        edges = [*self._margin, *self._running, *self._layout.stamps]
        labelled = [text for text in [*edges, *first] if re.search(r"\bdoi\b|doi\.org", text, re.IGNORECASE)]
        for text in labelled:
            ids = identifiers(text)
            if ids.get("doi"):
                found.ids["doi"] = ids["doi"]
                break
        stamp = identifiers("".join(self._layout.stamps))
        if stamp.get("arxiv"):
            found.ids["arxiv"] = stamp["arxiv"]
        for text in [*self._margin, *self._running]:
            year = _PUBLISHED.search(text)
            if year:
                found.year = int(year[1] or year[2])
                found.notes["year"] = "read at the edge of a page"
                break


_PUBLISHED = re.compile(
    r"(?:Published:?|Proceedings|©|\(c\)|[Cc]opyright|\bc )[^\n]{0,120}?\b((?:19|20)\d\d)\b|\(((?:19|20)\d\d)\)\."
)
_IMPRINT = re.compile(
    r"Proceedings|©|\bc \d{4}|[Cc]opyright|[Ll]icen[sc]e|doi|Published|Received|Association|Journal|pages|ISSN|arXiv"
    r"|Conference"
)
_BANNER = re.compile(
    r"(?:(?:original |research |review |open )?(?:research |access )?(?:article|letter|paper|report|access|review)s?"
    r"|editorial|preprint|draft|journal of [\w ]{3,40}|proceedings of .*|arxiv.*)",
    re.IGNORECASE,
)
_FIRST_HEADING = re.compile(
    r"(?:(?:1|I)\.?\s+)?(?:introduction|summary|overview|statement of need|keywords?)[:.]?", re.IGNORECASE
)


def _usual_size(lines: Sequence[Line]) -> float:
    """The size that most characters have."""
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[round(line.size, 1)] += len(line.text)
    return sizes.most_common(1)[0][0] if sizes else 10.0


def _by_page(lines: Sequence[Line]) -> dict[int, list[Line]]:
    pages: dict[int, list[Line]] = defaultdict(list)
    for line in lines:
        pages[line.page].append(line)
    return pages


def _stamp(line: Line) -> tuple[str, int]:
    """What two pages' running heads have in common: the words but not the numbers, and the height."""
    return re.sub(r"\d+", "#", _bare(line.text)), round(line.base / 6)


def _columns(lines: Sequence[Line], body: float) -> list[float]:
    """The left edges of the columns of text."""
    lefts: Counter[int] = Counter()
    for line in lines:
        if abs(line.size - body) < 0.3 and len(line.text) > 15:
            lefts[round(line.left)] += 1
    total = sum(lefts.values())
    edges: list[float] = []
    for left, _ in sorted(lefts.items()):
        # Neighbours count with it: a quotation mark or a round letter begins a point further left.
        near = sum(lefts[left + step] for step in (-1, 0, 1))
        if near >= 0.18 * total and (not edges or left - edges[-1] > 100):
            edges.append(float(left))
    return edges or ([float(min(lefts))] if lefts else [])


def _level(text: str, line: Line, ranks: list[float]) -> int:
    numbered = _NUMBERED.match(text)
    if numbered:
        return min(6, 2 + numbered[1].count("."))
    if _KNOWN.fullmatch(text):
        return 2
    size = round(line.size, 0)
    return min(4, 2 + (ranks.index(size) if size in ranks else 0))


def _same_words(first: str, second: str) -> bool:
    return bool(second) and re.sub(r"\W+", "", first).lower() == re.sub(r"\W+", "", second).lower()


def _is_prose(text: str) -> bool:
    words = text.split()
    return len(words) > 8 and sum(word[0].islower() for word in words) > 0.5 * len(words)


# Names.

_AFFILIATION = re.compile(
    # Whole words for countries: "France" begins Francesco's name.
    r"\b(?:universi\w*|institu\w*|departments?|schools?|colleges?|laborator\w*|labs?|cent(?:er|re)s?|hospitals?|academy"
    r"|facult\w*|research|corporation|inc|ltd|gmbh|company|google|microsoft|division|foundation|ministry|agency|council"
    r"|observatory|dept|polytechni\w*|eth|cnrs|inria|usa|china|germany|france|united kingdom|uk|canada|association"
    r"|proceedings|journal|society|consult\w*|sciences?|scientific|technolog\w*|engineering|editors?|reviewers?"
    r"|independent)\b|大学|学院|研究",
    re.IGNORECASE,
)
_NAME_WORD = re.compile(r"[^\W\d_a-z][^\W\d_]*(?:['’.-][^\W\d_]+)*\.?", re.UNICODE)
_NAME_PARTICLES = frozenset(
    (
        *("van", "von", "de", "der", "den", "del", "della", "di", "da", "dos", "das", "do", "du", "d", "la", "le"),
        *("ter", "ten", "el", "al", "bin", "ibn", "zu", "y", "e", "af", "av", "dr"),
    )
)


def _is_name(text: str) -> bool:
    """Whether a piece of a byline is one person's name: two to six words, each capital or a particle."""
    words = text.split()
    if re.fullmatch(r"[一-鿿·]{2,4}", text):
        return True
    if not 2 <= len(words) <= 6 or _AFFILIATION.search(text):
        return False
    if not any(len(word.strip(".")) > 1 and word[0].isupper() for word in words):
        return False
    return all(_NAME_WORD.fullmatch(word) or word.lower() in _NAME_PARTICLES for word in words)


_NOTE_SIGNS = r"[*∗⋆†‡§¶‖#✉🖂✝]"


def _name_pieces(lines: Sequence[Line]) -> list[str]:
    """A byline cut at commas, raised signs, "and", and at the end of a line whose names no commas part."""
    text = ""
    for number, line in enumerate(lines):
        if number:
            text += " " if _name_goes_on(lines[number - 1], line) else ", "
        text += line.text
    text = re.sub(f"{RAISED}[^{LOWERED}]*{LOWERED}", ", ", text)
    text = re.sub(rf"{_NOTE_SIGNS}+|(?<=[^\W\d_])\d+(?:,\d+)*|\b\d+\b", ", ", _bare(text))
    pieces = re.split(r"\s*[,;•|]\s*(?:and\s+|&\s*)?|(?:^|\s+)(?:and|&|by|By)\s+|\s+and$", text)
    return [
        piece.strip(" .:") if not re.search(r"\b(?:Jr|Sr)\.$", piece) else piece.strip()
        for piece in pieces
        if piece.strip(" .:")
    ]


def _name_goes_on(before: Line, after: Line) -> bool:
    """Whether a name may run over the end of a line: only in a byline that commas part."""
    same_row = abs(before.base - after.base) < 1
    text = before.text.rstrip()
    return (
        not same_row
        and ("," in text or text.endswith(" and"))
        and not text.endswith((",", LOWERED))
        and not re.search(rf"{_NOTE_SIGNS}$", text)
    )


def _split_names(lines: Sequence[Line]) -> list[str]:
    return [piece for piece in _name_pieces(lines) if _is_name(piece)] if lines else []


def _alike(first: Line, second: Line) -> bool:
    return abs(first.size - second.size) < 0.3 and first.bold == second.bold


def _author(name: str) -> FoundAuthor:
    words = name.split()
    if len(words) == 1:
        return FoundAuthor(given="", family=name, printed=name)
    suffix = [words.pop()] if words[-1].rstrip(".") in ("Jr", "Sr", "II", "III") and len(words) > 2 else []
    start = len(words) - 1
    while start > 1 and words[start - 1].lower() in _NAME_PARTICLES:
        start -= 1
    return FoundAuthor(" ".join(words[:start]), " ".join([*words[start:], *suffix]), printed=name)


# Words that a line's end breaks.


class _Vocabulary:
    """The words of a document, which tell whether a hyphen at a line's end belongs to the word."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self._plain: set[str] = set()
        self._compound: set[str] = set()
        for line in lines:
            tokens = re.findall(r"[^\W\d_]+(?:-[^\W\d_]+)*", _bare(line.text).lower())
            whole = tokens[:-1] if line.broken else tokens
            self._plain.update(token for token in whole if "-" not in token)
            for token in whole:
                parts = token.split("-")
                self._compound.update(f"{one}-{other}" for one, other in itertools.pairwise(parts))

    def joined(self, lines: Sequence[Line]) -> str:
        """The text of lines that follow one another."""
        pieces: list[str] = []
        broken = False
        for line in lines:
            text = line.text.strip()
            if pieces and broken:
                pieces.append(self._link(pieces[-1], text))
            elif pieces and not _address_goes_on(pieces[-1]):
                pieces.append(" ")
            pieces.append(text)
            broken = line.broken
        return "".join(pieces) + ("-" if broken else "")

    def _link(self, before: str, after: str) -> str:
        """A hyphen where one belongs, else nothing."""
        left, right = re.search(r"([^\W\d_]+)$", before[-60:]), re.match(r"[^\W\d_]+", after)
        if left is None or right is None or re.search(r"https?:\S*$", before[-200:]):
            return "-"
        first, second = left[1].lower(), right[0].lower()
        if first + second in self._plain:
            return ""
        if right[0][0].isupper():
            return "-"
        if f"{first}-{second}" in self._compound:
            return "-"
        known = first in self._plain and second in self._plain and len(first) > 3 and len(second) > 3
        return "-" if known else ""


def _address_goes_on(text: str) -> bool:
    return re.search(r"(?:https?:|doi\.org|10\.\d{4})\S*[/_.=-]$", text[-200:]) is not None


# Blocks.


class _Builder:
    """Puts lines together to paragraphs; what breaks into one stands after it."""

    def __init__(self, words: _Vocabulary) -> None:
        self._words = words
        self._blocks: list[Block] = []
        self._current: list[Line] = []
        self._aside: list[Line] = []
        self._asides: list[Block] = []
        self._rows: list[Line] = []
        self.in_abstract = False

    @property
    def last(self) -> Line | None:
        return self._current[-1] if self._current else None

    def heading(self, level: int, text: str) -> None:
        self._close()
        self.in_abstract = _ABSTRACT.fullmatch(text) is not None
        self._blocks.append(Heading(level, [text.rstrip(":")]))

    def lengthen_heading(self, text: str) -> None:
        heading = self._blocks[-1] if self._blocks else None
        if isinstance(heading, Heading):
            self._blocks[-1] = Heading(heading.level, [*heading.words, " ", text])

    def paragraph(self, line: Line) -> None:
        self._close()
        self._current = [line]

    def add(self, line: Line) -> None:
        self._close_aside()
        self._close_rows()
        self._current.append(line)

    def aside(self, line: Line, caption: bool = False) -> None:
        """Begin a caption or a footnote, or go on with one."""
        self._close_rows()
        if caption or line.text.startswith(RAISED) or not self.goes_on_aside(line):
            self._close_aside()
        self._aside.append(line)

    def goes_on_aside(self, line: Line) -> bool:
        if not self._aside or line.text.startswith(RAISED):
            return False
        last = self._aside[-1]
        gap = last.base - line.base
        same = last.page == line.page and abs(last.size - line.size) < 0.2
        return same and 0 < gap < 1.35 * line.size and abs(last.left - line.left) < 60

    def add_aside(self, line: Line) -> None:
        self._aside.append(line)

    def row(self, line: Line) -> None:
        self._close_aside()
        self._rows.append(line)

    def finished(self) -> list[Block]:
        self._close()
        return self._blocks

    def _close(self) -> None:
        self._close_aside()
        self._close_rows()
        if self._current:
            self._blocks.append(Paragraph([self._words.joined(self._current)]))
        self._current = []
        self._blocks.extend(self._asides)
        self._asides = []

    def _close_aside(self) -> None:
        if self._aside:
            self._asides.append(Paragraph([self._words.joined(self._aside)]))
        self._aside = []

    def _close_rows(self) -> None:
        """A table's cells, row by row, as the page shows them."""
        rows: dict[tuple[int, int], list[Line]] = defaultdict(list)
        for line in self._rows:
            rows[line.page, round(line.base / 3)].append(line)
        if len(rows) > 1:
            texts = [" | ".join(_bare(cell.text) for cell in row) for row in rows.values()]
            self._asides.append(Paragraph(["\n".join(texts)], verbatim=True))
        elif self._rows:
            self._current.extend(self._rows)
        self._rows = []


def _set_abstract(found: Found, blocks: list[Block]) -> None:
    """Part the abstract from the text: by its heading, or by the word it begins with."""
    for number, block in enumerate(blocks[:12]):
        if isinstance(block, Heading) and _ABSTRACT.fullmatch(_printed(block.words).strip()):
            end = next((n for n in range(number + 1, len(blocks)) if isinstance(blocks[n], Heading)), len(blocks))
            found.abstract = blocks[number + 1 : end]
            found.body = blocks[:number] + blocks[end:]
            return
        if isinstance(block, Paragraph) and not block.verbatim:
            text = _bare(_printed(block.words))
            lead = re.match(r"(?:abstract|摘要)\s?[:.—–-]\s?", text, re.IGNORECASE)
            if lead:
                found.abstract = [Paragraph([text[lead.end() :]])]
                found.body = blocks[:number] + blocks[number + 1 :]
                return
    found.body = blocks


def _printed(words: Words) -> str:
    return "".join(piece if isinstance(piece, str) else piece.text for piece in words)


# Entries of the list of references.

_LABEL = re.compile(r"^\s*(?:\[(\d{1,4})\]|\((\d{1,4})\)|(\d{1,4})[.)](?=\s)|(\d{1,4})(?=\s+[A-Z]))\s*")

_Entry = tuple[str, list[Line]]
"""The printed number, or nothing, and the lines."""


def _cut_entries(lines: list[Line], column: Callable[[Line], int], leading: float) -> list[_Entry]:
    """The lines of each entry: by running numbers, by hanging indents, by gaps, or by how entries begin."""
    if not lines:
        return []
    numbered = _numbered_starts(lines)
    if len(numbered) >= 2 and len(numbered) * 12 >= len(lines):
        labels = {place: str(number) for number, place in enumerate(numbered, start=1)}
        return [(labels[start], lines[start:end]) for start, end in _stretches(numbered, len(lines))]
    for starts in (_hanging_starts(lines, column), _gap_starts(lines), _telling_starts(lines)):
        if starts:
            return [("", lines[start:end]) for start, end in _stretches(starts, len(lines))]
    return [("", lines)]


def _stretches(starts: list[int], end: int) -> Iterator[tuple[int, int]]:
    return zip(starts, [*starts[1:], end], strict=True)


def _numbered_starts(lines: list[Line]) -> list[int]:
    """Where 1, 2, 3, ... begin lines, each after the one before."""
    starts: list[int] = []
    for place, line in enumerate(lines):
        found = _LABEL.match(_bare(line.text))
        if found and int(next(filter(None, found.groups()))) == len(starts) + 1:
            starts.append(place)
    return starts


def _hanging_starts(lines: list[Line], column: Callable[[Line], int]) -> list[int]:
    """The lines at the left edge of their column, where the others are indented."""
    edges: dict[int, float] = {}
    for one in {column(line) for line in lines}:
        lefts = sorted(line.left for line in lines if column(line) == one)
        # Two lines at least: one that stands further out is a stray.
        edges[one] = next((left for left, other in itertools.pairwise(lefts) if other - left < 2), lefts[0])
    starts = [place for place, line in enumerate(lines) if line.left < edges[column(line)] + 4]
    indented = len(lines) - len(starts)
    return starts if indented >= 0.15 * len(lines) and len(starts) >= 0.08 * len(lines) else []


def _gap_starts(lines: list[Line]) -> list[int]:
    """The lines after a gap wider than usual."""
    gaps = [before.base - after.base for before, after in itertools.pairwise(lines)]
    inside = [gap for gap in gaps if gap > 0]
    if not inside:
        return []
    usual = sorted(inside)[len(inside) // 4]
    wide = [
        place + 1
        for place, gap in enumerate(gaps)
        if gap > 1.25 * usual or (gap < 0 and _ENDED.search(lines[place].text))
    ]
    return [0, *wide] if len(wide) >= 0.1 * len(lines) else []


_BEGINNING = re.compile(r"[^\W\d_a-z][\w'’-]+,?\s(?:[A-Z]\.|[A-Z][\w'’-]+)")


def _telling_starts(lines: list[Line]) -> list[int]:
    """The lines that begin with a name, after a line that ends as an entry does."""
    return [
        place
        for place, line in enumerate(lines)
        if place == 0
        or (
            _BEGINNING.match(line.text)
            and re.search(r"(?:\.|\d|/\S+)$", lines[place - 1].text)
            and not lines[place - 1].broken
        )
    ]


# Citations in the text.

_BRACKETED = re.compile(r"\[(\d{1,4}(?:\s?[,;–-]\s?\d{1,4})*)\]")
_NUMBER_OR_RANGE = re.compile(r"(\d{1,4})(?:\s?[–-]\s?(\d{1,4}))?")
_YEAR = r"(?:1[5-9]|20)\d\d[a-z]?"
_IN_BRACKETS = re.compile(rf"\([^()]{{0,600}}?\b{_YEAR}\b[^()]{{0,200}}\)")
_SURNAME = r"(?:(?:[Vv]an|[Vv]on|[Dd]e|[Dd]er|[Dd]en|[Dd]el|[Dd]i|[Dd]a|[Ll]a|[Ll]e)\s){0,2}[^\W\d_a-z][\w'’-]{1,40}"
_NARRATIVE = re.compile(
    rf"({_SURNAME})(?:(?:,\s{_SURNAME}){{0,4}},?\s(?:and|&)\s{_SURNAME}|\set\sal\.?)?(?:['’]s)?,?\s\(({_YEAR})(?:,\s?p+\.[^()]{{0,20}})?\)"
)
_ONE_CITED = re.compile(rf"({_SURNAME})[^;()]{{0,120}}?\b({_YEAR})\b")
_ONE_RAISED = re.compile(f"{RAISED}([^{LOWERED}]{{0,200}}){LOWERED}")


@dataclass(frozen=True)
class _At:
    start: int
    end: int
    keys: tuple[str, ...]
    raised: bool = False


class _Citer:
    """Finds the citations in running text and the entries they mean."""

    def __init__(self, references: Sequence[FoundReference]) -> None:
        self._numbers = {reference.key for reference in references if reference.key.isdigit()}
        self._named: dict[tuple[str, str], list[str]] = defaultdict(list)
        for reference in references:
            first = reference.authors[0] if reference.authors else reference.text[:60]
            year = re.search(_YEAR, reference.text[len(first) :]) if reference.year else None
            for family in _families(first):
                if reference.year:
                    self._named[family, str(reference.year)].append(reference.key)
                if year and year[0][-1].isalpha():
                    self._named[family, year[0]].append(reference.key)

    def block(self, block: Block) -> Block:
        if isinstance(block, Paragraph):
            text = _printed(block.words)
            return Paragraph([_bare(text)], verbatim=True) if block.verbatim else Paragraph(self.words(text))
        return Heading(block.level, [_bare(_printed(block.words))]) if isinstance(block, Heading) else block

    def words(self, text: str) -> Words:
        """The text with its citations between."""
        raised = [] if not self._numbers else list(self._raised(text))
        found = [*self._bracketed(text), *self._by_name(text), *raised]
        words: Words = []
        place = 0
        for one in sorted(found, key=lambda at: (at.start, -at.end)):
            if one.start < place:
                continue
            words.append(_bare(text[place : one.start]))
            words.append(Mark(_bare(text[one.start : one.end]), one.keys, "superscript" if one.raised else None))
            place = one.end
        return [*words, _bare(text[place:])]

    def _bracketed(self, text: str) -> Iterator[_At]:
        for bracket in _BRACKETED.finditer(text) if self._numbers else ():
            yield from self._numbered(text, bracket.start(1), bracket.end(1))

    def _raised(self, text: str) -> Iterator[_At]:
        for raised in _ONE_RAISED.finditer(text):
            if re.fullmatch(r"\d{1,3}(?:\s?[,–-]\s?\d{1,3})*", raised[1]):
                yield from self._numbered(text, raised.start(1), raised.end(1), raised=True)

    def _numbered(self, text: str, start: int, end: int, raised: bool = False) -> Iterator[_At]:
        for one in _NUMBER_OR_RANGE.finditer(text, start, end):
            first, last = int(one[1]), int(one[2] or one[1])
            if not first <= last <= first + 200:
                continue
            keys = tuple(str(number) for number in range(first, last + 1) if str(number) in self._numbers)
            if keys or not raised:
                yield _At(*one.span(), keys, raised)

    def _by_name(self, text: str) -> Iterator[_At]:
        if not self._named:
            return
        for one in _NARRATIVE.finditer(text):
            keys = self._meant(one[1], one[2])
            if keys:
                yield _At(*one.span(), keys)
        for bracket in _IN_BRACKETS.finditer(text):
            place = bracket.start() + 1
            for part in bracket[0][1:-1].split(";"):
                yield from self._part(part, place)
                place += len(part) + 1

    def _part(self, part: str, place: int) -> Iterator[_At]:
        """The citations in one part of a bracket: a name with a year, or with several."""
        found = _ONE_CITED.search(part)
        if found is None:
            return
        lead = re.match(
            r"(?:(?:see(?: also)?|e\.g\.|cf\.|i\.e\.|such as|for example|also|and),?\s)+",
            part[found.start() :],
            re.IGNORECASE,
        )
        start = found.start() + (lead.end() if lead else 0)
        found = _ONE_CITED.match(part, start) or found
        keys = self._meant(found[1], found[2])
        if not keys and len(re.findall(r"\w+", found[0])) > 8:
            return
        if not keys and not re.fullmatch(rf"{_SURNAME}(?:\set\sal\.?|\s(?:and|&)\s{_SURNAME})?,?\s{_YEAR}", found[0]):
            return
        yield _At(place + found.start(), place + found.end(), keys)
        for more in re.finditer(rf"(?<=,\s)({_YEAR})\b", part[found.end() :]):
            at = place + found.end()
            yield _At(at + more.start(1), at + more.end(1), self._meant(found[1], more[1]))

    def _meant(self, family: str, year: str) -> tuple[str, ...]:
        for name in _families(family):
            keys = self._named.get((name, year)) or self._named.get((name, year[:4]), [])
            if len(keys) >= 1:
                return (keys[0],)
        return ()


def _families(name: str) -> Iterator[str]:
    """The ways in which a citation may name an author: by the family name, with its particle or without."""
    name = re.split(r"[’']s\b", name)[0]
    family = name.partition(",")[0] if "," in name else name
    words = [word for word in re.findall(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*", family.lower()) if len(word) > 1]
    if not words:
        return
    yield " ".join(words)
    if len(words) > 1:
        yield words[-1]
        if "," not in name:
            yield words[0]


# Converters that some users have, and that read figures and formulas better than rules of layout.

_Conversion = Callable[[bytes, str], Iterator[Found]]
_WAIT = 600


def converter() -> _Conversion | None:
    """What FATHOM_PDF asks for: "marker", "docling" or "grobid:URL"; None for the rules of this module."""
    wanted = os.environ.get("FATHOM_PDF", "").strip()
    if not wanted or wanted == "fathom":
        return None
    if wanted.startswith("grobid:"):
        address = wanted.removeprefix("grobid:").rstrip("/")
        return lambda content, name: _from_grobid(content, name, address)
    commands = {"marker": "marker_single", "docling": "docling"}
    if wanted not in commands:
        raise Unreadable(f"FATHOM_PDF is {wanted!r}; it can be marker, docling or grobid:URL")
    command = shutil.which(commands[wanted])
    if command is None:
        raise Unreadable(f"FATHOM_PDF asks for {wanted}, but the command {commands[wanted]} is not there")
    return lambda content, name: _from_command(content, name, command, wanted)


def _from_command(content: bytes, name: str, command: str, wanted: str) -> Iterator[Found]:
    from fathom.corpus.readers import markdown

    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "document.pdf"), Path(folder, "converted")
        source.write_bytes(content)
        options = (
            ["--output_dir", str(target), "--output_format", "markdown"]
            if wanted == "marker"
            else ["--to", "md", "--output", str(target)]
        )
        try:
            subprocess.run([command, str(source), *options], check=True, capture_output=True, timeout=_WAIT)
        except subprocess.TimeoutExpired as error:
            raise Unreadable(f"{wanted} took longer than {_WAIT} seconds") from error
        except (subprocess.CalledProcessError, OSError) as error:
            raise Unreadable(f"{wanted} could not convert it: {error}") from error
        written = sorted(target.rglob("*.md"))
        if not written:
            raise Unreadable(f"{wanted} wrote no Markdown")
        yield from markdown.read(written[0].read_bytes(), name, NoSiblings())


def _from_grobid(content: bytes, name: str, address: str) -> Iterator[Found]:
    from fathom.corpus.readers import tei

    if not re.match(r"https?://", address):
        raise Unreadable("FATHOM_PDF=grobid:URL wants an address that begins with http:// or https://")
    boundary = "fathom-part-of-the-question"
    head = (
        f'--{boundary}\r\nContent-Disposition: form-data; name="input"; filename="document.pdf"\r\n'
        "Content-Type: application/pdf\r\n\r\n"
    )
    extra = (
        f'\r\n--{boundary}\r\nContent-Disposition: form-data; name="includeRawCitations"\r\n\r\n1\r\n--{boundary}--\r\n'
    )
    request = urllib.request.Request(
        f"{address}/api/processFulltextDocument",
        data=head.encode() + content + extra.encode(),
        headers={"Content-Type": f"multipart/form-data; boundary={boundary}", "Accept": "application/xml"},
    )
    try:
        with urllib.request.urlopen(request, timeout=_WAIT) as response:
            answer = response.read(100_000_000)
    except (OSError, ValueError) as error:
        raise Unreadable(f"GROBID at {address} gave no answer: {error}") from error
    yield from tei.read(answer, name, NoSiblings())
