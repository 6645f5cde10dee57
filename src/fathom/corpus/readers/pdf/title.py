"""The title of a PDF: the lines in the largest type on the first page, and whether they are certainly all of it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from fathom.corpus.readers.parsing.sentences import is_chinese
from fathom.corpus.readers.parsing.superscripts import SUPERSCRIPT_END, SUPERSCRIPT_START, strip_marks
from fathom.corpus.readers.pdf.headings import KNOWN_HEADING
from fathom.corpus.readers.pdf.line import Line
from fathom.corpus.readers.pdf.names import NOTE_SIGNS
from fathom.corpus.readers.pdf.reading_order import OrderedLines
from fathom.corpus.readers.words import read_words, word_pattern

_WORDS = read_words("pdf")

_BANNER = word_pattern(_WORDS["banner"])
_UNFINISHED = word_pattern(_WORDS["unfinished"])
"""The end of a line that must continue."""
_NOTE_MARK = re.compile(
    rf"\s*{SUPERSCRIPT_START}\s*(?:1|{NOTE_SIGNS}+)\s*{SUPERSCRIPT_END}\s*$|(?:(?<=[^\W\d_]{{2}})|\s){NOTE_SIGNS}+\s*$"
)
"""The mark of a footnote at the end of a title."""
_NUMBER = re.compile(r"(\d{1,2})\.?\s+[^\W\d_]")
_JOINED_WORDS = re.compile(r"(?=.{26})[A-Z]\w*[a-z](?:of|and|for|the|in|on)?[A-Z]\w*")
"""The words of a name without spaces, as some fonts of banners have it: "JournalofMarineHistory"."""
_MAX_SYMBOLS = 0.1
"""Share of symbols among the characters of a title, beyond which its font was not decoded."""


@dataclass(frozen=True)
class Title:
    """The lines of a title."""

    text: str
    end: int
    """Index of the first line after the title."""
    doubt: str = ""
    """Why the title is not certain; empty if it is."""
    stated: bool = False
    """Whether the file's metadata states the same title."""


def read_title(lines: OrderedLines, metadata_title: str) -> Title:
    """Return the title of a document. `metadata_title` is the one that the file states, often empty or wrong."""
    metadata_title = " ".join(metadata_title.split())
    candidates = _candidates(lines)
    start, end, doubt = _sized_title(lines, candidates, metadata_title)
    if end == start:
        start, end, doubt = _unsized_title(lines, candidates, metadata_title)
    text = _without_note_mark(lines.join(start, end)) if end > start else ""
    if not text:
        return Title(metadata_title, end, "the title is only in the file's metadata")
    if _same_words(text, metadata_title):
        return Title(text, end, stated=True)
    return Title(text, end, doubt or _doubt(lines, start, end))


def _without_note_mark(title: str) -> str:
    """Return a title without the mark of a footnote at its end; "A*" and "R²" are no such marks."""
    return _NOTE_MARK.sub("", title) or title


def _candidates(lines: OrderedLines) -> list[int]:
    """Return the lines on the upper part of the first page that may be part of a title."""
    numbers = {(int(match[1]), line.size) for line in lines if (match := _NUMBER.match(strip_marks(line.text)))}
    height = lines.page_sizes[0].height if lines.page_sizes else 0
    return [
        number
        for number, line in enumerate(lines)
        if line.page == lines[0].page
        and line.baseline > 0.3 * height
        and len(re.findall(r"[^\W\d_]", line.text)) >= 4
        and not _BANNER.fullmatch(strip_marks(line.text).strip())
        and not _is_counted(line, numbers)
    ]


def _is_counted(line: Line, numbers: Collection[tuple[int, float]]) -> bool:
    """Return whether a line is a numbered heading: another line of its size has the number before or after it."""
    match = _NUMBER.match(strip_marks(line.text))
    return match is not None and any((int(match[1]) + step, line.size) in numbers for step in (-1, 1))


def _sized_title(lines: OrderedLines, candidates: Sequence[int], metadata_title: str) -> tuple[int, int, str]:
    """Return the range of the lines in the largest type that is larger than the text; an empty range if none is."""
    for size in sorted({lines[number].size for number in candidates}, reverse=True):
        if size < 1.05 * lines.body_size:
            break
        of_size = [number for number in candidates if lines[number].size == size]
        start = of_size[0]
        end = _end_of_title(lines, start)
        text = lines.join(start, end)
        # One or two words in large type are more often a journal's name than a title.
        if (
            _same_words(text, metadata_title)
            or len(text.split()) > 2
            or (len(text) > 25 and not _JOINED_WORDS.fullmatch(text))
            or (is_chinese(text) and len(text) > 5)
        ):
            near = (number for number in of_size if number >= end and _is_near(lines[end - 1], lines[number]))
            return start, end, "other lines are as large as the title" if any(near) else ""
    return 0, 0, ""


def _is_near(title: Line, line: Line) -> bool:
    """Return whether a large line is too close below the title to be a heading of the text."""
    return title.baseline - line.baseline < 4 * title.size and not KNOWN_HEADING.fullmatch(strip_marks(line.text))


def _end_of_title(lines: OrderedLines, start: int) -> int:
    end = start + 1
    while end < len(lines) and continues_title(lines[start], lines[end - 1], lines[end]):
        end += 1
    return end


def continues_title(first: Line, before: Line, after: Line) -> bool:
    """Return whether a title continues on the next line: same size, weight and alignment, one line below."""
    return (
        before.page == after.page
        and (abs(first.size - after.size) < 0.04 * first.size or _is_rest_of_small_caps(first, after))
        and before.bold == after.bold
        and before.italic == after.italic
        and 0 < before.baseline - after.baseline < 1.9 * first.size
        and _aligned(first, after)
    )


def _is_rest_of_small_caps(first: Line, after: Line) -> bool:
    """Return whether a line has the small ones of a title's capitals only: "RE-" and "MEMBER"."""
    return first.small_caps and after.text.isupper() and 0.7 * first.size < after.size < 0.9 * first.size


def _aligned(first: Line, other: Line) -> bool:
    """Return whether two lines share their left edge or their center."""
    center = abs(first.left + first.right - other.left - other.right) / 2
    return min(abs(first.left - other.left), center) < 2.5 * first.size


def _unsized_title(lines: OrderedLines, candidates: Sequence[int], metadata_title: str) -> tuple[int, int, str]:
    """Find a title in the body size: the lines equal to the metadata title, or the bold ones on top."""
    for start in candidates[:10]:
        for end in range(start + 1, start + 5):
            if metadata_title and _same_words(lines.join(start, end), metadata_title):
                return start, end, ""
    if metadata_title:
        return 0, 0, ""
    bold = next((number for number in candidates[:6] if lines[number].bold), None)
    if bold is None:
        first = candidates[0] if candidates else 0
        return first, min(first + 1, len(lines)), "no line stands out as the title"
    return bold, _end_of_title(lines, bold), ""


def _doubt(lines: OrderedLines, start: int, end: int) -> str:
    """Return why the title's lines may not be all of it, or not a title; empty if they are."""
    title = lines[start:end]
    words = strip_marks(lines.join(start, end)).split()
    if len(words) > 45 or sum(len(line.text) for line in title) > 400:
        return "the title is too long"
    characters = "".join(words)
    if sum(unicodedata.category(character) in ("So", "Co", "Cc") for character in characters) > _MAX_SYMBOLS * len(
        characters
    ):
        return "the title has symbols in place of letters"
    if title[-1].hyphenated or _UNFINISHED.search(strip_marks(title[-1].text).strip()):
        return "the title may continue on the next line"
    if not all(map(lines.dehyphenator.is_sure, title, title[1:])):
        return "the title has a word broken over two lines"
    return ""


def _same_words(first: str, second: str) -> bool:
    return bool(second) and re.sub(r"\W+", "", first).lower() == re.sub(r"\W+", "", second).lower()
