"""The reference list of a PDF: its position, and the lines of each entry."""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from fathom.corpus.readers.parsed_document import ParsedReference
from fathom.corpus.readers.parsing.chinese_characters import to_half_width
from fathom.corpus.readers.parsing.entry_recognition import looks_like_entry
from fathom.corpus.readers.parsing.reference_strings import parse_reference
from fathom.corpus.readers.parsing.superscripts import strip_marks
from fathom.corpus.readers.pdf.headings import is_heading
from fathom.corpus.readers.pdf.line import Line
from fathom.corpus.readers.pdf.reading_order import ENDED, LIST_HEADING, OrderedLines
from fathom.records.names import PARTICLE


@dataclass(frozen=True)
class Regions:
    """Indexes of the lines before the reference list, of the list, and after it."""

    text: range
    entries: range
    after: range


def find_regions(lines: OrderedLines, start: int) -> Regions:
    """Find the reference list in the lines from `start` on."""
    headings = [
        number
        for number in range(start, len(lines))
        if LIST_HEADING.fullmatch(strip_marks(lines[number].text).strip()) and lines.is_alone(number)
    ]
    if not headings:
        entries = _unheaded_numbered_list(lines, start) or range(_unheaded_list(lines, start), len(lines))
        return Regions(range(start, entries.start), entries, range(entries.stop, len(lines)))
    head = headings[-1]
    end = head + 1
    while end < len(lines) and not _ends_list(lines, head, end):
        end += 1
    return Regions(range(start, head), range(head + 1, end), range(end, len(lines)))


def _unheaded_numbered_list(lines: OrderedLines, start: int) -> range | None:
    """Return the lines of a numbered list without a heading: after some text, from 1 on, and like entries."""
    for number in range(start + int(0.1 * (len(lines) - start)), len(lines)):
        if _label_number(lines[number]) != 1:
            continue
        end = number + 1
        while end < len(lines) and not is_heading(lines, end):
            end += 1
        starts = _numbered_starts(lines[number:end])
        entries = read_references(lines, range(number, end)) if len(starts) > 1 else []
        if len(entries) > 1 and sum(map(looks_like_entry, entries)) >= 0.75 * len(entries):
            return range(number, end)
    return None


_MAX_CANDIDATES = 60
"""Maximum number of lines at which a list without a heading may start."""


def _unheaded_list(lines: OrderedLines, start: int) -> int:
    """Return the start of a reference list without a heading: entries with names and years up to the end."""
    end = len(lines)
    last_heading = max((number for number in range(start, end) if is_heading(lines, number)), default=start)
    candidates = (
        number
        for number in range(max(last_heading, start + int(0.3 * (end - start)), 1), end)
        if _BEGINNING.match(lines[number].text)
        and not 0 < lines[number - 1].baseline - lines[number].baseline < 1.25 * lines.leading
        # Entries are no larger than the text, and a new page does not start a list by itself.
        and lines[number].size < lines.body_size + 0.3
    )
    for number in itertools.islice(candidates, _MAX_CANDIDATES):
        tail = lines[number:]
        entries = [tail[first:last] for first, last in _ranges(_hanging_starts(tail, lines.column), len(tail))]
        parsed = [parse_reference(strip_marks(lines.dehyphenator.join(entry))) for entry in entries]
        if len(parsed) > 2 and sum(bool(one.authors and one.year) for one in parsed) >= 0.75 * len(parsed):
            return number
    return end


def _ends_list(lines: OrderedLines, head: int, number: int) -> bool:
    line, heading = lines[number], lines[head]
    if not is_heading(lines, number):
        return False
    text = strip_marks(line.text).strip()
    if _CONTENTS.fullmatch(text):
        return True
    return (line.size > 0.97 * heading.size and line.bold == heading.bold) or bool(
        re.match(r"(?:appendi|supplement|acknowledg|[A-H]\.?\s+[A-Z])", text, re.IGNORECASE)
    )


def read_references(lines: OrderedLines, numbers: Sequence[int]) -> list[ParsedReference]:
    """Return the entries of the reference list in the given lines."""
    entries = _cut_entries([lines[number] for number in numbers], lines.column)
    references: list[ParsedReference] = []
    for number, (label, entry) in enumerate(entries, start=1):
        text = strip_marks(lines.dehyphenator.join(entry))
        label_match = _LABEL.match(to_half_width(text)) if label else None
        text = text[label_match.end() :] if label_match else text
        if not re.search(r"\w{2}", text):
            continue
        parsed = parse_reference(text)
        references.append(
            ParsedReference(label or f"r{number}", text, parsed.title, parsed.authors, parsed.year, parsed.ids)
        )
    return references


_CONTENTS = re.compile(r"(?:table of )?contents|index|list of (?:figures|tables)", re.IGNORECASE)
_LABEL = re.compile(r"^\s*(?:\[(\d{1,4})\]|\((\d{1,4})\)|(\d{1,4})[.)](?=\s|$)|(\d{1,4})(?=\s+[A-Z]))\s*")

_Entry = tuple[str, list[Line]]
"""The printed number, or an empty string, and the lines."""


def _cut_entries(lines: list[Line], column: Callable[[Line], int]) -> list[_Entry]:
    """Split the lines into entries: by consecutive numbers, hanging indents, gaps, or author names."""
    if not lines:
        return []
    numbered = _numbered_starts(lines)
    if len(numbered) >= 2 and len(numbered) * 12 >= len(lines):
        labels = {index: str(number) for number, index in enumerate(numbered, start=1)}
        return [(labels[start], lines[start:end]) for start, end in _ranges(numbered, len(lines))]
    for starts in (_hanging_starts(lines, column), _gap_starts(lines), _name_starts(lines)):
        if starts:
            return [("", lines[start:end]) for start, end in _ranges(starts, len(lines))]
    return [("", lines)]


def _ranges(starts: list[int], end: int) -> Iterator[tuple[int, int]]:
    """Return the range from each start to the next one."""
    return itertools.pairwise([*starts, end])


def _numbered_starts(lines: list[Line]) -> list[int]:
    """Return the lines that start with 1, 2, 3, ... in sequence."""
    starts: list[int] = []
    for index, line in enumerate(lines):
        if _label_number(line) == len(starts) + 1:
            starts.append(index)
    return starts


def _label_number(line: Line) -> int:
    """Return the number that starts a line; 0 if none does."""
    match = _LABEL.match(to_half_width(strip_marks(line.text)))
    return int(next(filter(None, match.groups()))) if match else 0


def _hanging_starts(lines: list[Line], column: Callable[[Line], int]) -> list[int]:
    """Return the lines at the left edge of their column, if the others are indented."""
    by_column: dict[int, list[int]] = defaultdict(list)
    for index, line in enumerate(lines):
        by_column[column(line)].append(index)
    starts: list[int] = []
    for places in itertools.chain.from_iterable(_split_at_gutters(lines, members) for members in by_column.values()):
        left_edge = _left_edge(sorted(lines[index].left for index in places))
        starts += [index for index in places if lines[index].left < left_edge + 4]
    indented = len(lines) - len(starts)
    return sorted(starts) if indented >= 0.15 * len(lines) and len(starts) >= 0.08 * len(lines) else []


def _split_at_gutters(lines: list[Line], places: list[int]) -> Iterator[list[int]]:
    """Split lines at vertical gaps: the list may be alone in a column that the body text does not define."""
    members: list[int] = []
    reach = 0.0
    for index in sorted(places, key=lambda index: lines[index].left):
        if members and lines[index].left > reach:
            yield members
            members = []
        members.append(index)
        reach = max(reach, lines[index].right)
    yield members


def _left_edge(lefts: list[float]) -> float:
    """Return the left edge of a column. Of eight or more lines at least two must share it, to ignore a stray one."""
    return (
        lefts[0]
        if len(lefts) < 8
        else next((left for left, other in itertools.pairwise(lefts) if other - left < 2), lefts[0])
    )


def _gap_starts(lines: list[Line]) -> list[int]:
    """Return the lines after a wider gap than usual."""
    gaps = [before.baseline - after.baseline for before, after in itertools.pairwise(lines)]
    inside = [gap for gap in gaps if gap > 0]
    if not inside:
        return []
    usual = sorted(inside)[len(inside) // 4]
    wide = [at + 1 for at, gap in enumerate(gaps) if gap > 1.25 * usual or (gap < 0 and ENDED.search(lines[at].text))]
    return [0, *wide] if len(wide) >= 0.1 * len(lines) else []


_BEGINNING = re.compile(rf"(?:{PARTICLE}\s)*[^\W\d_a-z][\w'’-]+,?\s[^\W\d_a-z](?:\.|[\w'’-]+)")
"""The name of an author, with a family name first: "Lind, Å.", "de la Torre, M.", "Wu Jonas"."""


def _name_starts(lines: list[Line]) -> list[int]:
    """Return the lines that start with a name after a line that ends like an entry."""
    return [
        index
        for index, line in enumerate(lines)
        if index == 0
        or (
            _BEGINNING.match(line.text)
            and re.search(r"(?:\.|\d|/\S+)$", lines[index - 1].text)
            and not lines[index - 1].hyphenated
        )
    ]
