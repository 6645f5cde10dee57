"""The list of references of a PDF: where it stands, and the lines of each of its entries."""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from fathom.corpus.readers.parsed_document import ParsedReference
from fathom.corpus.readers.parsing.chinese_characters import half_width
from fathom.corpus.readers.parsing.reference_strings import parse_reference
from fathom.corpus.readers.pdf.characters import Line, bare
from fathom.corpus.readers.pdf.headings import is_heading
from fathom.corpus.readers.pdf.lines import ENDED, LIST_HEADING, Lines


@dataclass(frozen=True)
class Parted:
    """The numbers of the lines before the list of references, of the list itself, and of what follows it."""

    text: range
    entries: range
    after: range


def part(lines: Lines, start: int) -> Parted:
    """Where the list of references stands in what begins at a line."""
    headings = [
        number
        for number in range(start, len(lines))
        if LIST_HEADING.fullmatch(bare(lines[number].text).strip()) and lines.alone(number)
    ]
    if not headings:
        head = _unheaded_list(lines, start)
        return Parted(range(start, head), range(head, len(lines)), range(0))
    head = headings[-1]
    end = head + 1
    while end < len(lines) and not _ends_list(lines, head, end):
        end += 1
    return Parted(range(start, head), range(head + 1, end), range(end, len(lines)))


def _unheaded_list(lines: Lines, start: int) -> int:
    """Where a list of references begins that no heading announces: entries with names and years to the very end."""
    end = len(lines)
    for number in range(max(start, end - 120), end):
        line, before = lines[number], lines[number - 1]
        if not _BEGINNING.match(line.text) or 0 < before.base - line.base < 1.25 * lines.leading:
            continue
        tail = lines[number:]
        if any(is_heading(lines, one) for one in range(number, end)):
            continue
        entries = [tail[first:last] for first, last in _stretches(_hanging_starts(tail, lines.column), len(tail))]
        parsed = [parse_reference(bare(lines.words.joined(entry))) for entry in entries]
        if len(parsed) > 2 and sum(bool(one.authors and one.year) for one in parsed) >= 0.75 * len(parsed):
            return number
    return end


def _ends_list(lines: Lines, head: int, number: int) -> bool:
    line, heading = lines[number], lines[head]
    if not is_heading(lines, number):
        return False
    text = bare(line.text)
    return (line.size > 0.97 * heading.size and line.bold == heading.bold) or bool(
        re.match(r"(?:appendi|supplement|acknowledg|[A-H]\.?\s+[A-Z])", text, re.IGNORECASE)
    )


def read_references(lines: Lines, numbers: Sequence[int]) -> list[ParsedReference]:
    """The entries of the list that stands in these lines."""
    entries = _cut_entries([lines[number] for number in numbers], lines.column)
    references: list[ParsedReference] = []
    for number, (label, entry) in enumerate(entries, start=1):
        text = bare(lines.words.joined(entry))
        printed = _LABEL.match(half_width(text)) if label else None
        text = text[printed.end() :] if printed else text
        if not re.search(r"\w{2}", text):
            continue
        parsed = parse_reference(text)
        references.append(
            ParsedReference(label or f"r{number}", text, parsed.title, parsed.authors, parsed.year, parsed.ids)
        )
    return references


_LABEL = re.compile(r"^\s*(?:\[(\d{1,4})\]|\((\d{1,4})\)|(\d{1,4})[.)](?=\s)|(\d{1,4})(?=\s+[A-Z]))\s*")

_Entry = tuple[str, list[Line]]
"""The printed number, or nothing, and the lines."""


def _cut_entries(lines: list[Line], column: Callable[[Line], int]) -> list[_Entry]:
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
    """From each start to the next one; none where nothing starts."""
    return itertools.pairwise([*starts, end])


def _numbered_starts(lines: list[Line]) -> list[int]:
    """Where 1, 2, 3, ... begin lines, each after the one before."""
    starts: list[int] = []
    for place, line in enumerate(lines):
        found = _LABEL.match(half_width(bare(line.text)))
        if found and int(next(filter(None, found.groups()))) == len(starts) + 1:
            starts.append(place)
    return starts


def _hanging_starts(lines: list[Line], column: Callable[[Line], int]) -> list[int]:
    """The lines at the left edge of their column, where the others are indented."""
    by_column: dict[int, list[int]] = defaultdict(list)
    for place, line in enumerate(lines):
        by_column[column(line)].append(place)
    starts: list[int] = []
    for places in itertools.chain.from_iterable(_gutters(lines, held) for held in by_column.values()):
        edge = _edge(sorted(lines[place].left for place in places))
        starts += [place for place in places if lines[place].left < edge + 4]
    indented = len(lines) - len(starts)
    return sorted(starts) if indented >= 0.15 * len(lines) and len(starts) >= 0.08 * len(lines) else []


def _gutters(lines: list[Line], places: list[int]) -> Iterator[list[int]]:
    """The lines parted where a blank runs down between them: a list may reach a column in which nothing else stands."""
    held: list[int] = []
    reach = 0.0
    for place in sorted(places, key=lambda place: lines[place].left):
        if held and lines[place].left > reach:
            yield held
            held = []
        held.append(place)
        reach = max(reach, lines[place].right)
    yield held


def _edge(lefts: list[float]) -> float:
    """The left edge of a column; two lines at least, for one of many that stands further out is a stray."""
    return (
        lefts[0]
        if len(lefts) < 8
        else next((left for left, other in itertools.pairwise(lefts) if other - left < 2), lefts[0])
    )


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
        if gap > 1.25 * usual or (gap < 0 and ENDED.search(lines[place].text))
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
