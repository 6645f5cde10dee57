"""Which lines of a PDF are headings, told by their size, weight and words, and of which rank."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fathom.corpus.readers.pdf.characters import Line, bare, wraps
from fathom.corpus.readers.pdf.lines import Lines
from fathom.corpus.readers.pdf.tables import CAPTION

_NAMES_OF_SECTIONS = (
    r"abstract|introduction|background|related works?|methods?|materials? and methods?|results?|discussion"
    r"|results? and discussions?|conclusions?|acknowledge?ments?|references(?: cited)?|bibliography|works cited"
    r"|literature cited|appendix|appendices|参考文献|摘要"
)
KNOWN = re.compile(rf"(?:(?:\d+|[IVX]+)\.?\s+)?(?:{_NAMES_OF_SECTIONS})[:.]?", re.IGNORECASE)
ABSTRACT = re.compile(r"(?:abstract|摘\s*要)\s*[:.—–-]?", re.IGNORECASE)
_NUMBERED = re.compile(r"((?:\d{1,2}|[IVX]{1,5}|[A-H])(?:\.\d{1,2}){0,3})\.?\s+(?=\S)")


def is_heading(lines: Lines, number: int) -> bool:
    """Whether a line begins a section."""
    line = lines[number]
    text = bare(line.text).strip()
    if len(text) > 150 or line.broken or not re.search(r"[^\W\d_]{2}|[一-鿿]", text) or CAPTION.match(text):
        return False
    if not lines.alone(number):
        return False
    if KNOWN.fullmatch(text) and len(text) < 40 and (line.bold or line.size > 1.04 * lines.body or text[:1].isupper()):
        return not (number and lines[number - 1].broken)
    if text.endswith((".", ",", ";")) and not line.size > 1.3 * lines.body:
        return False
    starts = text[0].isupper() or text[0].isdigit() or "一" <= text[0] <= "鿿"
    if line.size >= 1.08 * lines.body:
        return starts and len(text) < 120
    numbered = _NUMBERED.match(text)
    if line.bold and line.size >= 0.95 * lines.body:
        return (starts and len(text) < 100 and not text[0].isdigit()) or bool(numbered and len(text) < 100)
    return bool(re.fullmatch(r"[IVX]{1,5}\.\s+[A-Z][A-Z\s:,-]{4,80}", text))


def goes_on(before: Line, after: Line) -> bool:
    """Whether a title or heading goes on in the next line."""
    return (
        before.page == after.page
        and abs(before.size - after.size) < 0.04 * before.size
        and before.bold == after.bold
        and 0 < before.base - after.base < 1.9 * before.size
    )


def lengthens_heading(lines: Lines, number: int) -> bool:
    """Whether a line is more of the heading in the line before it, set apart from the text as that is."""
    before, line = lines[number - 1], lines[number]
    if not goes_on(before, line) or _NUMBERED.match(bare(line.text).strip()):
        return False
    if is_heading(lines, number):
        return True
    # "4 Certification put to the / test": only a word that did not fit, for a bold abstract follows its heading too.
    apart = line.bold or line.size >= 1.08 * lines.body
    return apart and lines.alone(number) and wraps(before, line, lines.edge(before))


def heading_sizes(lines: Lines, numbers: Sequence[int]) -> list[float]:
    """The sizes of the headings without numbers, the largest first: they tell the ranks."""
    sizes = {
        round(lines[number].size, 0)
        for number in numbers
        if is_heading(lines, number) and not _NUMBERED.match(bare(lines[number].text))
    }
    return sorted(sizes, reverse=True)


def level(text: str, line: Line, sizes: Sequence[float]) -> int:
    """The rank of a heading: by its number, its words, or its size among the others."""
    numbered = _NUMBERED.match(text)
    if numbered:
        return min(6, 2 + numbered[1].count("."))
    if KNOWN.fullmatch(text):
        return 2
    size = round(line.size, 0)
    return min(4, 2 + (sizes.index(size) if size in sizes else 0))
