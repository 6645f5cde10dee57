"""Recognition of PDFs that are figures: plots and drawings saved next to a paper's source."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from fathom.corpus.readers.parsed_document import CompanionFiles
from fathom.corpus.readers.parsing.superscripts import strip_marks
from fathom.corpus.readers.pdf.headings import KNOWN_HEADING
from fathom.corpus.readers.pdf.line import Line, PageSize

_MAX_WORDS = 60
"""A page of usual size with fewer words and no prose is a figure, or nothing that can be asked about."""
_MAX_CHARACTERS = 6_000
"""A page with more characters is not a figure."""
_SMALL_PAGE = 420 * 595
"""Area of an A5 page, in square points. Figures are cropped to their drawing."""
_MAX_SOURCES = 20
"""Maximum number of LaTeX files that are searched for a figure's name."""
_INCLUDED = re.compile(
    rb"\\includegraphics\s*(?:\[[^\]]{0,400}\])?\s*\{([^{}]{1,300})\}|\\includepdf[^{]{0,200}\{([^{}]{1,300})\}"
)


def is_figure(lines: Sequence[Line], page_sizes: Sequence[PageSize]) -> bool:
    """Return whether a file is a figure: one or two pages without prose, small or with few words."""
    texts = [strip_marks(line.text) for line in lines]
    if len(page_sizes) > 2 or sum(map(len, texts)) > _MAX_CHARACTERS or _has_prose(lines):
        return False
    if any(KNOWN_HEADING.fullmatch(text.strip()) for text in texts):
        return False
    words = sum(len(re.findall(r"[^\W\d_]{2,}", text)) for text in texts)
    return words < _MAX_WORDS or all(size.width * size.height < _SMALL_PAGE for size in page_sizes)


def _has_prose(lines: Sequence[Line]) -> bool:
    """Return whether three lines in a row are running text."""
    run = 0
    before: Line | None = None
    for line in lines:
        follows = before is not None and before.page == line.page and abs(before.size - line.size) < 0.3
        run = (run + 1 if follows else 1) if _is_running_text(strip_marks(line.text)) else 0
        if run >= 3:
            return True
        before = line
    return False


def _is_running_text(text: str) -> bool:
    words = re.findall(r"[^\W\d_]+", text)
    return (len(words) > 3 and 2 * sum(word[0].islower() for word in words) >= len(words)) or bool(
        re.search(r"[一-鿿]{12}", text)
    )


def is_included_figure(name: str, companions: CompanionFiles) -> bool:
    """Return whether a LaTeX file in the same folder shows a PDF as a figure."""
    sources = [file for file in companions.names() if file.endswith(".tex")]
    stem = PurePosixPath(name).stem
    for source in sources[:_MAX_SOURCES]:
        content = companions.get(source) or b""
        for match in _INCLUDED.finditer(content):
            shown = PurePosixPath((match[1] or match[2]).decode("utf-8", "replace").strip())
            if (shown.stem if shown.suffix.lower() == ".pdf" else shown.name) == stem and len(shown.parts) == 1:
                return True
    return False
