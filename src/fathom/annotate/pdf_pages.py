"""The pages of the PDF that a document was read from: each word with its place on the page and in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from fathom.corpus.readers.parsed_document import ReadError
from fathom.corpus.readers.parsing.superscripts import strip_marks
from fathom.corpus.readers.pdf.child_process import extract_lines
from fathom.corpus.readers.pdf.line import Line
from fathom.corpus.store import Corpus
from fathom.records.documents import DocumentId
from fathom.records.errors import file_errors
from fathom.records.spans import Span

MIN_PLACED = 0.5
"""The minimum share of a PDF's words that are found in the document's text; with fewer it is another file."""
ANCHOR = 4
"""Words in a row that occur once in the text: they say where a passage of the PDF is."""
MAX_BYTES = 200_000_000

_WORD = re.compile(r"\w+")


class PageWord(NamedTuple):
    """A stretch of a line of a page, in percent of the page, and the characters of the document that it prints."""

    text: str
    left: float
    top: float
    width: float
    height: float
    span: Span | None
    """None for words that the reader left out, such as page numbers."""


@dataclass(frozen=True)
class PdfPage:
    """One page with its words in the order of the file."""

    ratio: float
    """Height divided by width."""
    words: tuple[PageWord, ...]


def pdf_file(corpus: Corpus, id: DocumentId) -> Path | None:
    """The PDF that a document was read from, if it is still where the corpus says.

    Only files inside a source of the corpus are opened, even if the document's record or a link points elsewhere.
    """
    source = Path(corpus.document(id).source)
    sources = corpus.manifest.recipe.get("sources")
    if source.suffix.lower() != ".pdf" or not isinstance(sources, list):
        return None
    for root in (Path(str(source_path)) for source_path in sources):
        # A document of the folder "papers" has the source "papers/a.pdf", wherever that folder is.
        for base in (root, root.parent, corpus.folder.parent / root, (corpus.folder.parent / root).parent):
            path = (base / source).resolve()
            roots = (root.resolve(), (corpus.folder.parent / root).resolve())
            if path.is_file() and any(path.is_relative_to(root) for root in roots):
                return path
    return None


def read_pdf(path: Path) -> bytes | None:
    """The content of a PDF; None if it is too large."""
    with file_errors("read", path):
        return path.read_bytes() if path.stat().st_size <= MAX_BYTES else None


def pdf_pages(content: bytes, text: str) -> tuple[PdfPage, ...]:
    """The pages of a PDF; none if it cannot be read, or if the text is that of another file."""
    try:
        extracted = extract_lines(content)
    except ReadError:
        return ()
    pieces = [piece for line in extracted.lines for piece in _pieces(line)]
    spans = _locate_pieces(pieces, text)
    if sum(span is not None for span in spans) < MIN_PLACED * len(pieces):
        return ()
    pages: list[list[PageWord]] = [[] for _ in extracted.page_sizes]
    for piece, span in zip(pieces, spans, strict=True):
        size = extracted.page_sizes[piece.page]
        if size.width and size.height:
            pages[piece.page].append(
                PageWord(
                    piece.text,
                    100 * piece.left / size.width,
                    100 * (1 - (piece.baseline + 0.8 * piece.size) / size.height),
                    100 * (piece.right - piece.left) / size.width,
                    100 * piece.size / size.height,
                    span,
                )
            )
    return tuple(
        PdfPage(size.height / size.width if size.width else 1.0, tuple(words))
        for size, words in zip(extracted.page_sizes, pages, strict=True)
    )


@dataclass(frozen=True, slots=True)
class _Piece:
    """A word of a line with the signs around it."""

    page: int
    left: float
    right: float
    baseline: float
    size: float
    text: str
    """As printed, with the space after it."""
    word: str
    """Letters and digits, for comparison."""
    goes_on: bool
    """Whether the word continues on the next line."""


def _pieces(line: Line) -> Iterator[_Piece]:
    """The words of a line. The width of a line is divided by characters, which is exact enough to select a word."""
    text = strip_marks(line.text)
    per = (line.right - line.left) / max(1, len(text))
    matches = list(re.finditer(r"\S+\s*", text))
    for number, match in enumerate(matches):
        is_last = number == len(matches) - 1
        yield _Piece(
            page=line.page,
            left=line.left + per * match.start(),
            right=line.left + per * match.end(),
            baseline=line.baseline,
            size=line.size,
            text=match[0] if not is_last or line.hyphenated else match[0].rstrip() + " ",
            word="".join(_WORD.findall(match[0])).casefold(),
            goes_on=is_last and line.hyphenated,
        )


def _locate_pieces(pieces: Sequence[_Piece], text: str) -> list[Span | None]:
    """The characters of the text that each piece prints; None where that is not sure."""
    tokens = [(match.span(), "".join(_WORD.findall(match[0])).casefold()) for match in re.finditer(r"\S+", text)]
    units, owners = _join_words(pieces)
    words = [word for _, word in tokens]
    once: dict[tuple[str, ...], int] = {}
    for position in range(len(words) - ANCHOR + 1):
        key = tuple(words[position : position + ANCHOR])
        once[key] = -1 if key in once else position
    positions: list[int | None] = [None] * len(units)
    # A running title repeats words that are printed before: every word of the text has one place.
    used_positions: set[int] = set()
    for number in range(len(units)):
        before = positions[number - 1] if number else None
        position = -1 if before is None or words[before + 1 : before + 2] != [units[number]] else before + 1
        if position < 0:
            position = once.get(tuple(units[number : number + ANCHOR]), -1)
        # Words before an anchor that are the same, and have no place yet, belong to it.
        unit_index = number
        while (
            unit_index >= 0 <= position
            and positions[unit_index] is None
            and position not in used_positions
            and units[unit_index] == words[position]
        ):
            positions[unit_index] = position
            used_positions.add(position)
            unit_index, position = unit_index - 1, position - 1
    spans: list[Span | None] = [None] * len(pieces)
    for token, members in zip(positions, owners, strict=True):
        if token is not None:
            start, end = tokens[token][0]
            for part_number, member in enumerate(members):
                # The parts of a divided word share its characters.
                length = len(pieces[member].text.strip())
                stop = end if part_number == len(members) - 1 else min(end, start + length)
                spans[member] = Span(start, max(start + 1, stop)) if start < end else None
                start = stop
    return spans


def _join_words(pieces: Sequence[_Piece]) -> tuple[list[str], list[list[int]]]:
    """Whole words, and the pieces of each: a word that continues on the next line has two."""
    units: list[str] = []
    owners: list[list[int]] = []
    goes_on = False
    for number, piece in enumerate(pieces):
        if goes_on:
            units[-1] += piece.word
            owners[-1].append(number)
        else:
            units.append(piece.word)
            owners.append([number])
        goes_on = piece.goes_on
    return units, owners
