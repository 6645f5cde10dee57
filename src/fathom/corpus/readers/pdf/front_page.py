"""The front page of a PDF: title, authors, and the identifiers and year printed in its margins."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from fathom.corpus.readers.parsed_document import ParsedAuthor, ParsedDocument
from fathom.corpus.readers.parsing.identifiers import find_identifiers
from fathom.corpus.readers.parsing.sentences import is_chinese
from fathom.corpus.readers.pdf.child_process import ExtractedLines
from fathom.corpus.readers.pdf.headings import ABSTRACT, KNOWN_HEADING, continues_line, is_heading
from fathom.corpus.readers.pdf.line import SUPERSCRIPT_END, SUPERSCRIPT_START, Line, strip_marks
from fathom.corpus.readers.pdf.reading_order import LIST_HEADING, OrderedLines
from fathom.records.names import family_start, is_particle


def read_front(document: ParsedDocument, lines: OrderedLines, layout: ExtractedLines) -> int:
    """Set the title, authors, ids and year; returns the index of the first line of the text."""
    front = _FrontPage(lines, layout)
    start = front.byline(document, front.title(document))
    front.imprint(document)
    return start


_PUBLISHED = re.compile(
    r"(?:Published:?|Proceedings|©|\(c\)|[Cc]opyright|\bc )[^\n]{0,120}?\b((?:19|20)\d\d)\b|\(((?:19|20)\d\d)\)\."
)
_BANNER = re.compile(
    r"(?:(?:original |research |review |open )?(?:research |access )?(?:article|letter|paper|report|access|review)s?"
    r"|editorial|preprint|draft|journal of [\w ]{3,40}|proceedings of .*|arxiv.*)",
    re.IGNORECASE,
)
_FIRST_HEADING = re.compile(
    r"(?:(?:1|I)\.?\s+)?(?:introduction|summary|overview|statement of need|keywords?)[:.]?", re.IGNORECASE
)


class _FrontPage:
    """Reads the title, byline and imprint of a paper."""

    def __init__(self, lines: OrderedLines, layout: ExtractedLines) -> None:
        self._lines = lines
        self._layout = layout

    def title(self, document: ParsedDocument) -> int:
        """Set the title; returns the index of the first line after it."""
        metadata_title = " ".join(self._layout.title.split())
        start, end = self._title_lines(metadata_title)
        document.title = self._lines.join(start, end) if end > start else ""
        if not document.title:
            document.title = metadata_title
            document.notes["title"] = "from the file's metadata"
        return end

    def _title_lines(self, metadata_title: str) -> tuple[int, int]:
        height = self._lines.page_sizes[0].height if self._lines.page_sizes else 0
        first = [
            number
            for number, line in enumerate(self._lines)
            if line.page == self._lines[0].page
            and line.baseline > 0.3 * height
            and len(re.findall(r"[^\W\d_]", line.text)) >= 4
            and not _BANNER.fullmatch(strip_marks(line.text).strip())
        ]
        for size in sorted({self._lines[number].size for number in first}, reverse=True):
            if size < 1.05 * self._lines.body_size:
                break
            start = next(number for number in first if self._lines[number].size == size)
            end = start + 1
            while end < len(self._lines) and continues_line(self._lines[end - 1], self._lines[end]):
                end += 1
            text = self._lines.join(start, end)
            # One or two words in large type are more often a journal's name than a title.
            if (
                len(text.split()) > 2
                or _same_words(text, metadata_title)
                or len(text) > 25
                or (is_chinese(text) and len(text) > 5)
            ):
                return start, end
        return self._unsized_title(first, metadata_title)

    def _unsized_title(self, first: list[int], metadata_title: str) -> tuple[int, int]:
        """Find a title in the body size: the lines equal to the metadata title, or the bold ones on top."""
        for start in first[:10]:
            for end in range(start + 1, start + 5):
                if metadata_title and _same_words(self._lines.join(start, end), metadata_title):
                    return start, end
        if metadata_title:
            return 0, 0
        bold = next((number for number in first[:6] if self._lines[number].bold), first[0] if first else 0)
        end = bold + 1
        while (
            end < len(self._lines) and self._lines[bold].bold and continues_line(self._lines[end - 1], self._lines[end])
        ):
            end += 1
        return bold, end

    def byline(self, document: ParsedDocument, start: int) -> int:
        """Set the authors; returns the index of the first line of the text."""
        end = last = start
        names: list[str] = []
        style_of_names: Line | None = None
        pending: list[Line] = []
        while end < len(self._lines) and end < start + 60:
            line = self._lines[end]
            if self._ends_byline(end, pending):
                last = self._first_of_text(last, end)
                break
            if (style_of_names is None or _same_style(style_of_names, line)) and self._reads_as_byline(line, pending):
                style_of_names = style_of_names or line
                pending.append(line)
                last = end + 1
            elif pending:
                names += _split_names(pending)
                pending = []
            end += 1
        names += _split_names(pending)
        document.authors = [_author(name) for name in dict.fromkeys(names)]
        if document.authors:
            document.notes["authors"] = "guessed from the layout"
        elif self._layout.authors:
            parts = re.split(r"\s*;\s*|\s+and\s+|,\s+", self._layout.authors)
            document.authors = [_author(name) for name in parts if _is_name(name)]
            document.notes["authors"] = "from the file's metadata"
        return last

    def _first_of_text(self, last: int, number: int) -> int:
        """Return the first line of the paragraph around a line. That line may be too short to count as prose."""
        while number > last:
            before, line = self._lines[number - 1], self._lines[number]
            near = 0 < before.baseline - line.baseline < 1.2 * self._lines.leading and before.page == line.page
            flush = 0 <= before.left - line.left < 2.5 * line.size
            if not near or not flush or not _same_style(before, line) or _AFFILIATION.search(before.text):
                break
            number -= 1
        return number

    def _ends_byline(self, number: int, pending: Sequence[Line]) -> bool:
        """Return whether the text starts at a line, with a heading or with prose in the body size."""
        line = self._lines[number]
        text = strip_marks(line.text).strip()
        if line.page > self._lines[0].page or KNOWN_HEADING.fullmatch(text) or ABSTRACT.match(text):
            return True
        if _FIRST_HEADING.fullmatch(text) or (
            is_heading(self._lines, number) and not self._reads_as_byline(line, pending)
        ):
            return True
        return _is_prose(text) and abs(line.size - self._lines.body_size) < 0.3

    def _reads_as_byline(self, line: Line, pending: Sequence[Line] = ()) -> bool:
        text = strip_marks(line.text)
        if "@" in text or _AFFILIATION.search(text) or re.search(r"\d{3,}|https?:", text):
            return False
        if pending and _name_continues(pending[-1], line):
            return bool(_split_names([pending[-1], line]))
        pieces = _name_pieces([line])
        good = sum(map(_is_name, pieces))
        return good > 0 and good >= 0.6 * len(pieces)

    def imprint(self, document: ParsedDocument) -> None:
        first = [strip_marks(line.text) for line in self._lines[:40] if line.page == 0]
        # The reference list of a letter may start on page one, and its entries have identifiers too.
        first = list(itertools.takewhile(lambda text: not LIST_HEADING.fullmatch(text.strip()), first))
        edges = [*self._lines.margin, *self._lines.running, *self._layout.rotated_texts]
        labeled = [text for text in [*edges, *first] if re.search(r"\bdoi\b|doi\.org", text, re.IGNORECASE)]
        for text in labeled:
            ids = find_identifiers(text)
            if ids.get("doi"):
                document.ids["doi"] = ids["doi"]
                break
        stamp = find_identifiers("".join(self._layout.rotated_texts))
        if stamp.get("arxiv"):
            document.ids["arxiv"] = stamp["arxiv"]
        for text in [*self._lines.margin, *self._lines.running]:
            year = _PUBLISHED.search(text)
            if year:
                document.year = int(year[1] or year[2])
                document.notes["year"] = "read from a page margin"
                break


def _same_words(first: str, second: str) -> bool:
    return bool(second) and re.sub(r"\W+", "", first).lower() == re.sub(r"\W+", "", second).lower()


def _is_prose(text: str) -> bool:
    """Return whether a line is running text. A line with an affiliation word needs more lowercase words."""
    words = re.sub(r"\([^()]*\)?", "", text).split()
    small = sum(word[0].islower() for word in words)
    # "Research on quantum circuits spans many traditions" is the start of a letter, not an affiliation.
    return len(words) > 8 and small > (0.65 if _AFFILIATION.search(text) else 0.5) * len(words)


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
_NAME_WORD = re.compile(r"[^\W\d_a-z][^\W\d_]*(?:['’.-]{1,2}[^\W\d_]+)*\.?")


def _is_name(text: str) -> bool:
    """Return whether part of a byline is one person's name: two to six capitalized words or particles."""
    words = text.split()
    if re.fullmatch(r"[一-鿿·]{2,4}", text):
        return True
    if not 2 <= len(words) <= 6 or _AFFILIATION.search(text):
        return False
    if not any(len(word.strip(".")) > 1 and word[0].isupper() for word in words):
        return False
    return all(_NAME_WORD.fullmatch(word) or is_particle(word) for word in words)


_NOTE_SIGNS = r"[*∗⋆†‡§¶‖#✉🖂✝]"


def _name_pieces(lines: Sequence[Line]) -> list[str]:
    """Split a byline at commas, superscripts, "and", and at the end of a line without commas."""
    text = ""
    for number, line in enumerate(lines):
        if number:
            text += " " if _name_continues(lines[number - 1], line) else ", "
        text += line.text
    text = re.sub(f"{SUPERSCRIPT_START}[^{SUPERSCRIPT_END}]*{SUPERSCRIPT_END}", ", ", text)
    text = re.sub(rf"{_NOTE_SIGNS}+|(?<=[^\W\d_])\d+(?:,\d+)*|\b\d+\b", ", ", strip_marks(text))
    pieces = re.split(r"\s*[,;•|]\s*(?:and\s+|&\s*)?|(?:^|\s+)(?:and|&|by|By)\s+|\s+and$", text)
    return [
        piece.strip(" .:") if not re.search(r"\b(?:Jr|Sr)\.$", piece) else piece.strip()
        for piece in pieces
        if piece.strip(" .:")
    ]


def _name_continues(before: Line, after: Line) -> bool:
    """Return whether a name may continue on the next line: only in a byline with commas."""
    same_row = abs(before.baseline - after.baseline) < 1
    text = before.text.rstrip()
    return (
        not same_row
        and ("," in text or text.endswith(" and"))
        and not text.endswith((",", SUPERSCRIPT_END))
        and not re.search(rf"{_NOTE_SIGNS}$", text)
    )


def _split_names(lines: Sequence[Line]) -> list[str]:
    return [piece for piece in _name_pieces(lines) if _is_name(piece)] if lines else []


def _same_style(first: Line, second: Line) -> bool:
    return abs(first.size - second.size) < 0.3 and first.bold == second.bold


def _author(name: str) -> ParsedAuthor:
    words = name.split()
    if len(words) == 1:
        return ParsedAuthor(given="", family=name, printed=name)
    suffix = [words.pop()] if words[-1].rstrip(".") in ("Jr", "Sr", "II", "III") and len(words) > 2 else []
    start = family_start(words)
    return ParsedAuthor(" ".join(words[:start]), " ".join([*words[start:], *suffix]), printed=name)
