"""Detection of headings in a PDF, from size, weight and wording, and their levels."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from fathom.corpus.readers.parsing.superscripts import strip_marks
from fathom.corpus.readers.pdf.line import Line, is_running_text, wraps
from fathom.corpus.readers.pdf.reading_order import OrderedLines
from fathom.corpus.readers.pdf.table_detection import CAPTION

_SECTION_NAMES = (
    r"abstract|introduction|background|related works?|methods?|materials? and methods?|results?|discussion"
    r"|results? and discussions?|conclusions?|acknowledge?ments?|references(?: cited)?|bibliography|works cited"
    r"|literature cited|appendix|appendices|参考文献|摘要"
)
KNOWN_HEADING = re.compile(rf"(?:(?:\d+|[IVX]+)\.?\s+)?(?:{_SECTION_NAMES})[:.]?", re.IGNORECASE)
ABSTRACT = re.compile(r"(?:abstract|摘\s*要)\s*[:.—–-]?", re.IGNORECASE)
_KEYWORDS = re.compile(r"(?:key\s?words?|index terms)\s*[:—–-]\s*\S", re.IGNORECASE)
_ITEM = re.compile(r"\d{1,2}\)\s+[^\W\d_]")
_NUMBERED = re.compile(r"((?:\d{1,2}|[IVX]{1,5}|[A-H])(?:\.\d{1,2}){0,3})\.?\s+(?=\S)")


def is_heading(lines: OrderedLines, number: int) -> bool:
    """Return whether a line is a section heading."""
    if number not in lines.headings:
        lines.headings[number] = _is_heading(lines, number)
    return lines.headings[number]


def _is_heading(lines: OrderedLines, number: int) -> bool:
    line = lines[number]
    text = strip_marks(line.text).strip()
    starts = text[:1].isupper() or text[:1].isdigit() or "一" <= text[:1] <= "鿿"
    if not starts and not line.bold and line.size <= 1.04 * lines.body_size:
        return False  # Most lines: the other tests take longer.
    if len(text) > 150 or line.hyphenated or not re.search(r"[^\W\d_]{2}|[一-鿿]", text) or CAPTION.match(text):
        return False
    # "Quill et al." is a running head.
    if not lines.is_alone(number) or re.search(r"\bet al\.?$", text):
        return False
    if (
        KNOWN_HEADING.fullmatch(text)
        and len(text) < 40
        and (line.bold or line.size > 1.04 * lines.body_size or text[:1].isupper())
    ):
        return not (number and lines[number - 1].hyphenated)
    if text.endswith((".", ",", ";")) and not line.size > 1.3 * lines.body_size:
        return False
    if not starts or _KEYWORDS.match(text):
        return False
    if line.size >= 1.08 * lines.body_size:
        return len(text) < 120 and not _is_in_paragraph(lines, number)
    numbered = _NUMBERED.match(text)
    if line.bold and line.size >= 0.95 * lines.body_size:
        return len(text) < 100 and (not text[0].isdigit() or numbered is not None or _ITEM.match(text) is not None)
    if line.bold and line.size >= 0.85 * lines.body_size and _is_below_gap(lines, number):
        # Headings of a lower level may be smaller than the text.
        return len(text) < 80 and (text.isupper() or _is_above_text(lines, number))
    if line.small_caps and line.size >= 0.95 * lines.body_size:
        return len(text) < 100 and (not text[0].isdigit() or numbered is not None)
    return bool(re.fullmatch(r"[IVX]{1,5}\.\s+[A-Z][A-Z\s:,-]{4,80}", text))


def may_be_heading(lines: OrderedLines, number: int) -> bool:
    """Return whether a line that no rule takes for a heading is set like one: apart, in another style, above text."""
    line = lines[number]
    text = strip_marks(line.text).strip()
    set_apart = (line.bold or line.italic or line.small_caps or text.isupper()) and lines.is_alone(number)
    return (
        set_apart
        and 3 < len(text) < 80
        and text[0].isupper()
        and not text.endswith((".", ",", ";", ":"))
        and not CAPTION.match(text)
        and not _KEYWORDS.match(text)
        and line not in lines.tables
        and _is_below_gap(lines, number)
        and _is_above_text(lines, number)
        and not is_heading(lines, number)
        and not (number and continues_heading(lines, number))
    )


def _is_in_paragraph(lines: OrderedLines, number: int) -> bool:
    """Return whether a line is one of three or more lines of running text in one style, such as a large abstract."""
    if not is_running_text(lines[number]):
        return False
    first = max(0, number - 2)
    joined = [continues_line(before, after) for before, after in itertools.pairwise(lines[first : number + 3])]
    return any(joined[at] and joined[at + 1] for at in range(len(joined) - 1))


def _is_below_gap(lines: OrderedLines, number: int) -> bool:
    """Return whether there is space above a line, or the top of a column."""
    if number == 0:
        return True
    before, line = lines[number - 1], lines[number]
    gap = before.baseline - line.baseline
    return before.page != line.page or not 0 < gap < 1.25 * lines.leading


def _is_above_text(lines: OrderedLines, number: int) -> bool:
    """Return whether the next line starts a paragraph of the text: at the same left edge, in the usual size."""
    if number + 1 >= len(lines):
        return False
    line, after = lines[number], lines[number + 1]
    gap = line.baseline - after.baseline
    return (
        line.page == after.page
        and 0 < gap < 2.5 * lines.leading
        and abs(line.left - after.left) < 2 * line.size
        and abs(after.size - lines.body_size) < 0.3
        and not after.bold
        and strip_marks(after.text)[:1].isupper()
    )


def continues_line(before: Line, after: Line) -> bool:
    """Return whether a title or heading continues on the next line."""
    return (
        before.page == after.page
        and abs(before.size - after.size) < 0.04 * before.size
        and before.bold == after.bold
        and 0 < before.baseline - after.baseline < 1.9 * before.size
    )


def continues_heading(lines: OrderedLines, number: int) -> bool:
    """Return whether a line continues the heading on the previous line."""
    before, line = lines[number - 1], lines[number]
    if not continues_line(before, line) or _NUMBERED.match(strip_marks(line.text).strip()):
        return False
    if is_heading(lines, number):
        return True
    # "4 Certification put to the / test": only a word that did not fit. A bold abstract may also follow its heading.
    apart = line.bold or line.size >= 1.08 * lines.body_size
    return apart and lines.is_alone(number) and wraps(before, line, lines.right_edge(before))


def heading_sizes(lines: OrderedLines, numbers: Sequence[int]) -> list[float]:
    """Return the sizes of the unnumbered headings, largest first. They define the levels."""
    sizes = {
        round(lines[number].size, 0)
        for number in numbers
        if is_heading(lines, number) and not _NUMBERED.match(strip_marks(lines[number].text))
    }
    return sorted(sizes, reverse=True)


def heading_level(text: str, line: Line, sizes: Sequence[float]) -> int:
    """Return the level of a heading, from its number, its wording, or its size among the others."""
    numbered = _NUMBERED.match(text)
    if numbered:
        return min(6, 2 + numbered[1].count("."))
    if KNOWN_HEADING.fullmatch(text):
        return 2
    size = round(line.size, 0)
    return min(4, 2 + (sizes.index(size) if size in sizes else 0))
