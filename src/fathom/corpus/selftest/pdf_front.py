"""Front matter of the PDF writer: title, byline and abstract in the style of a layout."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Sequence

from fathom.corpus.readers.parsed_document import ParsedAuthor, ParsedDocument
from fathom.corpus.selftest.pdf_fonts import SUPERSCRIPT_OFF, SUPERSCRIPT_ON, printable, small_caps, text_width
from fathom.corpus.selftest.pdf_styles import PageLayout
from fathom.corpus.selftest.pdf_typesetting import LEADING, TextRun, TypesetLine, add_spacing, typeset

_AFFILIATIONS = (
    ("Institute of Applied Studies", "University of Fenwick", "Fenwick, Norway"),
    ("Department of Measurement", "Halden College", "Halden, Sweden"),
    ("Northgate Laboratory", "Northgate Foundation", "Northgate, Canada"),
    ("School of Methods", "Marlow University", "Marlow, United Kingdom"),
)
_NAME_SIZE, _AFFILIATION_SIZE = 11.0, 9.0
_BLOCKS_IN_ROW = 3


def title_lines(document: ParsedDocument, layout: PageLayout) -> Iterator[TypesetLine]:
    """Yield the lines of the title and of the byline."""
    style = layout.style
    title = printable(document.title)
    styled = {"capitals": title.upper(), "small caps": small_caps(title)}.get(style.title, title)
    font = layout.font(style.title_size, bold=style.title in ("bold", "capitals"))
    yield from add_spacing(typeset(styled, font, layout.text_width, centered=style.centered), 0, 8)
    match style.byline:
        case "blocks":
            yield from _blocks(document, layout)
        case "rows":
            yield from _rows(document, layout)
        case _:
            yield from _line(document, layout)


def _line(document: ParsedDocument, layout: PageLayout) -> Iterator[TypesetLine]:
    """Yield names in running lines, with superscript marks and the affiliations below if the style has them."""
    style = layout.style
    marked = style.byline == "marks"
    names = [_name(author, layout) for author in document.authors]
    kinds = [_affiliation(author) for author in document.authors]
    distinct_kinds = list(dict.fromkeys(kinds))
    if marked:
        names = [
            f"{name}{SUPERSCRIPT_ON}{distinct_kinds.index(kind) + 1}{SUPERSCRIPT_OFF}"
            for name, kind in zip(names, kinds, strict=True)
        ]
    last = "AND" if style.name_style == "capitals" else "and"
    byline = f" {last} ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
    # Names in capitals are smaller than the title, which is no larger than the text.
    size = _AFFILIATION_SIZE if style.name_style == "capitals" else _NAME_SIZE
    font = layout.font(size, bold=style.name_style == "bold")
    lines = typeset(byline, font, layout.text_width, centered=style.centered)
    yield from add_spacing(lines, 0, 4 if marked else 14)
    if not marked or not distinct_kinds:
        return
    small = layout.font(_AFFILIATION_SIZE, italic=True)
    for number, kind in enumerate(distinct_kinds, start=1):
        text = f"{SUPERSCRIPT_ON}{number}{SUPERSCRIPT_OFF}{', '.join(_AFFILIATIONS[kind])}"
        yield from typeset(text, small, layout.text_width, centered=style.centered)
    yield from add_spacing(
        typeset(_address(document.authors[0]), small, layout.text_width, centered=style.centered), 0, 14
    )


def _blocks(document: ParsedDocument, layout: PageLayout) -> Iterator[TypesetLine]:
    """Yield rows of blocks, each with a name, an affiliation and an address."""
    name_font, font = layout.font(_NAME_SIZE), layout.font(_AFFILIATION_SIZE)
    for start in range(0, len(document.authors), _BLOCKS_IN_ROW):
        row = document.authors[start : start + _BLOCKS_IN_ROW]
        width = layout.text_width / len(row)
        blocks = [
            [(_name(author, layout), name_font)]
            + [(text, font) for text in (*_AFFILIATIONS[_affiliation(author)], _address(author))]
            for author in row
        ]
        lines = [
            TypesetLine(
                tuple(
                    TextRun(index * width + (width - text_width(text, font)) / 2, text, font)
                    for index, (text, font) in enumerate(level)
                ),
                level[0][1].size * LEADING,
            )
            for level in zip(*blocks, strict=True)
        ]
        yield from add_spacing(lines, 4, 8)


def _rows(document: ParsedDocument, layout: PageLayout) -> Iterator[TypesetLine]:
    """Yield for each author a line with the name and the address at the right, and one with the affiliation."""
    name_font, font = layout.font(_NAME_SIZE, bold=True), layout.font(_AFFILIATION_SIZE, italic=True)
    for author in document.authors:
        address = _address(author)
        right = layout.text_width - text_width(address, font)
        yield TypesetLine(
            (TextRun(0, _name(author, layout), name_font), TextRun(right, address, font)), _NAME_SIZE * LEADING
        )
        affiliation = ", ".join(_AFFILIATIONS[_affiliation(author)])
        yield from add_spacing(typeset(affiliation, font, layout.text_width), 0, 6)


def _name(author: ParsedAuthor, layout: PageLayout) -> str:
    name = printable(author.printed)
    return name.upper() if layout.style.name_style == "capitals" else name


def _affiliation(author: ParsedAuthor) -> int:
    return zlib.crc32(author.printed.encode()) % len(_AFFILIATIONS)


def _address(author: ParsedAuthor) -> str:
    words = re.findall(r"[a-z]+", printable(author.family).lower()) or ["author"]
    return f"{words[-1]}@example.org"


def numbered_headings(texts: Sequence[tuple[int, str]], layout: PageLayout) -> list[str]:
    """Return headings, given with their levels, with the numbers of the layout."""
    counts = [0, 0]
    numbered = []
    for level, heading in texts:
        text = re.sub(r"^\d+(?:\.\d+)*\.?\s+", "", heading) if layout.style.numbers else heading
        counts = [counts[0] + 1, 0] if level <= 2 else [max(1, counts[0]), counts[1] + 1]
        number = f"{counts[0]}" if level <= 2 else f"{counts[0]}.{counts[1]}"
        match layout.style.numbers:
            case "":
                numbered.append(text)
            case "roman":
                numbered.append(f"{_roman(counts[0]) if level <= 2 else chr(64 + counts[1])}. {text}")
            case "arabic period":
                numbered.append(f"{number}. {text}")
            case _:
                numbered.append(f"{number} {text}")
    return numbered


def _roman(number: int) -> str:
    tens, ones = divmod(number, 10)
    return "X" * tens + ("", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX")[ones]
