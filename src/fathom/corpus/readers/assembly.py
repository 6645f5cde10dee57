"""From what a reader found to a document: the text is written once, and every part is noted as it is written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from fathom.corpus.readers.parsed_document import (
    Block,
    CitationMark,
    Heading,
    Inlines,
    Paragraph,
    ParsedAuthor,
    ParsedDocument,
    ParsedReference,
    ParsedTable,
    ReadError,
    TableCell,
    TaggedNumber,
)
from fathom.corpus.readers.parsing.citation_groups import Placed, groups
from fathom.corpus.readers.parsing.section_roles import role_of
from fathom.corpus.readers.parsing.sentences import sentences
from fathom.corpus.readers.parsing.text_cleanup import plain, tidy, verbatim
from fathom.records.documents import (
    Author,
    Cell,
    Citation,
    Document,
    Fact,
    Reference,
    Section,
    SectionRole,
    Table,
)
from fathom.records.record import short_id
from fathom.records.spans import Span

UNKNOWN_LICENSE = "unknown"

WIDE = 64
"""Columns up to which short rows are filled."""

MOST_AFFILIATIONS = 12
LONGEST_AFFILIATION = 400
"""Characters. Of one author: a thousand authors may each be given all that a hostile file prints once."""

MAX_COLUMNS = 1_000
"""That one cell may span: a document that claims more is not believed."""


def assemble(found: ParsedDocument) -> Document:
    """The document; raises `ReadError` where there is neither a title nor a text, or its reader has refused it."""
    if found.refusal:
        raise ReadError(found.refusal)
    return _Composer(found).document()


class _Composer:
    def __init__(self, found: ParsedDocument) -> None:
        self._found = found
        self._pieces: list[str] = []
        self._length = 0
        self._sections: list[tuple[int, Span, int, SectionRole]] = []
        self._paragraphs: list[Span] = []
        self._sentences: list[Span] = []
        self._citations: list[Citation] = []
        self._tables: list[Table] = []
        self._facts: list[Fact] = []
        # Numbered before anything is written: what citations point to must not move when a blank entry falls out.
        self._entries = [entry for entry in found.references if plain(entry.text)]
        self._numbers = {entry.key: number for number, entry in enumerate(self._entries, start=1)}

    def document(self) -> Document:
        found = self._found
        title = self._title()
        authors = self._byline()
        self._imprint()
        abstract = self._abstract()
        for block in found.body:
            self._block(block)
        references = self._references()
        text = "".join(self._pieces).rstrip() + "\n"
        if not self._paragraphs and not self._tables and abstract is None:
            raise ReadError("it has no text")
        return Document(
            id=_id(found, text),
            kind=found.kind,
            language=found.language,
            title=title,
            authors=authors,
            abstract=abstract,
            ids=found.ids,
            work=found.work,
            published=found.published,
            year=found.year,
            venue=plain(found.venue) if found.venue else None,
            subject=plain(found.subjects[0]) if found.subjects else None,
            license=found.license or UNKNOWN_LICENSE,
            source=found.source,
            text=text,
            sections=tuple(self._closed_sections(len(text) - 1)),
            paragraphs=tuple(self._paragraphs),
            sentences=tuple(self._sentences),
            citations=tuple(self._citations),
            references=references,
            tables=tuple(self._tables),
            facts=tuple(self._facts),
        )

    # The head.

    def _title(self) -> Span:
        title = plain(self._found.title)
        if not title:
            raise ReadError("it has no title")
        self._write("# ")
        span = self._put(title)
        self._write("\n\n")
        return span

    def _byline(self) -> tuple[Author, ...]:
        authors: list[Author] = []
        for one in self._found.authors:
            printed = plain(printed_name(one))
            if not printed:
                continue
            if authors:
                self._write(", ")
            authors.append(
                Author(
                    position=len(authors) + 1,
                    span=self._put(printed),
                    given="" if one.group else plain(one.given),
                    family=plain(one.family) or printed,
                    person=f"orcid:{one.ids['orcid']}" if one.ids.get("orcid") else None,
                    group=one.group,
                    affiliations=_affiliations(one),
                )
            )
        if authors:
            self._write("\n\n")
        return tuple(authors)

    def _imprint(self) -> None:
        found = self._found
        parts = [f"*{plain(found.venue)}*" if found.venue else "", str(found.year or "")]
        parts.append(f"doi:{found.ids['doi']}" if found.ids.get("doi") else "")
        if any(parts):
            self._write(", ".join(filter(None, parts)) + "\n\n")

    def _abstract(self) -> Span | None:
        if not self._found.abstract:
            return None
        self._heading(Heading(2, ["Abstract"], "abstract"))
        start = self._length
        for block in self._found.abstract:
            self._block(block)
        end = self._visible_end()
        return Span(start, end) if end > start else None

    # Blocks.

    def _block(self, block: Block) -> None:
        match block:
            case Heading():
                self._heading(block)
            case Paragraph():
                self._paragraph(block)
            case ParsedTable():
                self._table(block)

    def _heading(self, heading: Heading) -> None:
        words = plain("".join(_printed(piece) for piece in heading.inlines))
        if not words:
            return
        level = min(6, max(2, heading.level))
        start = self._length
        self._write("#" * level + " ")
        before = self._length
        # A heading may cite, such as "Construction by Lind (2019)", and its citations count like all others.
        span = self._words(heading.inlines) or Span(before, self._length)
        self._write("\n\n")
        self._sections.append((start, span, level, heading.role or role_of(words)))

    def _paragraph(self, paragraph: Paragraph) -> None:
        if paragraph.verbatim:
            text = "\n".join(map(verbatim, _joined(paragraph.inlines))).strip("\n")
            if text.strip():
                self._paragraphs.append(self._put(text))
                self._write("\n\n")
            return
        start = self._length
        self._words(paragraph.inlines)
        end = self._length
        if end > start:
            text = self._text_since(start)
            self._paragraphs.append(Span(start, end))
            self._sentences.extend(sentences(text, start))
            self._write("\n\n")

    def _table(self, table: ParsedTable) -> None:
        rows = [row for row in table.rows if row]
        if not rows:
            return
        start = self._length
        caption = self._words(table.caption)
        if caption is not None:
            self._write("\n\n")
        cells: list[Cell] = []
        width = max(sum(cell.columns for cell in row) for row in rows)
        headers = next((n for n, row in enumerate(rows) if not all(cell.header for cell in row)), len(rows)) or 1
        for number, row in enumerate(rows):
            cells.extend(self._row(number, row, width))
            if number == headers - 1:
                self._write("|" + " --- |" * min(width, MAX_COLUMNS) + "\n")
        end = self._visible_end()
        self._tables.append(
            Table(number=len(self._tables) + 1, span=Span(start, end), caption=caption, cells=tuple(cells))
        )
        self._write("\n")

    def _row(self, number: int, row: Sequence[TableCell], width: int) -> Iterator[Cell]:
        column = 0
        self._write("|")
        for cell in row:
            self._write(" ")
            start = self._length
            self._words(cell.inlines, in_table=True)
            yield Cell(row=number, column=column, span=Span(start, self._length), header=cell.header)
            columns = min(cell.columns, MAX_COLUMNS)
            self._write(" |" + "  |" * (columns - 1))
            column += columns
        # Filled up to the widest row, unless that is so wide that a long table would become enormous.
        self._write("  |" * (width - column if width <= WIDE else 0) + "\n")

    # Running text.

    def _words(self, words: Inlines, in_table: bool = False) -> Span | None:
        """Write running text; returns where it stands, or None where it is blank."""
        start = self._length
        placed: list[Placed] = []
        blank = True  # No blank stands at the beginning, and no two in a row.
        for piece in words:
            text = tidy(_printed(piece))
            if in_table:
                text = text.replace("|", "¦")
            if blank:
                text = text.lstrip(" ")
            if not text:
                continue
            self._write(text)
            blank = text[-1] == " "
            if not isinstance(piece, str):
                self._note(piece, self._core(text), placed, in_table)
        if self._length <= start:
            return None
        self._trim()
        if placed:
            self._citations.extend(self._cited(placed, start))
        return Span(start, self._length)

    def _core(self, text: str) -> Span:
        """Where the text that was just written stands, without the blanks at its ends."""
        start = self._length - len(text)
        return Span(start + len(text) - len(text.lstrip(" ")), start + len(text.rstrip(" ")))

    def _note(self, piece: CitationMark | TaggedNumber, core: Span, placed: list[Placed], in_table: bool) -> None:
        """Remember a citation or a figure that shows."""
        if core.end <= core.start:
            return
        if isinstance(piece, CitationMark):
            placed.append(Placed(core, piece))
        else:
            self._facts.extend(_fact(figure, core, in_table) for figure in (piece, *piece.others))

    def _cited(self, placed: Sequence[Placed], start: int) -> Iterator[Citation]:
        """The citations of one stretch of text, each with the bracket it stands in."""
        for one, group in zip(placed, groups(placed, self._text_since(start), start), strict=True):
            style = one.mark.style or ("author-year" if _WORD.search(one.mark.text) else "numeric")
            for key in one.mark.keys or ("",):
                yield Citation(span=one.span, group=group, reference=self._numbers.get(key), style=style)

    # The list of references.

    def _references(self) -> tuple[Reference, ...]:
        entries = self._entries
        if not entries:
            return ()
        self._heading(Heading(2, ["References"], "references"))
        references: list[Reference] = []
        for number, entry in enumerate(entries, start=1):
            self._write(f"{number}. ")
            text = plain(entry.text)
            span = self._put(text)
            self._write("\n")
            references.append(_reference(number, entry, text, span))
        return tuple(references)

    # Writing.

    def _write(self, text: str) -> None:
        self._pieces.append(text)
        self._length += len(text)

    def _put(self, text: str) -> Span:
        """Write a part; returns where it stands."""
        start = self._length
        self._write(text)
        return Span(start, self._length)

    def _trim(self) -> None:
        """Take back a blank at the end."""
        while self._pieces and self._pieces[-1].endswith(" "):
            kept = self._pieces[-1].rstrip(" ")
            self._length -= len(self._pieces[-1]) - len(kept)
            self._pieces[-1] = kept
            if kept:
                return
            self._pieces.pop()

    def _text_since(self, start: int) -> str:
        wanted, taken = self._length - start, 0
        pieces: list[str] = []
        for piece in reversed(self._pieces):
            if taken >= wanted:
                break
            pieces.append(piece)
            taken += len(piece)
        return "".join(reversed(pieces))[taken - wanted :]

    def _visible_end(self) -> int:
        blank = 0
        for piece in reversed(self._pieces):
            stripped = piece.rstrip()
            blank += len(piece) - len(stripped)
            if stripped:
                break
        return self._length - blank

    def _closed_sections(self, end: int) -> Iterator[Section]:
        """Each section up to the next heading of its rank or a higher one."""
        text = "".join(self._pieces)
        nearest = [end] * 7  # for each rank, where the next heading of it or of a higher one begins
        closed: list[Section] = []
        for start, heading, level, role in reversed(self._sections):
            closing = start + len(text[start : nearest[level]].rstrip())
            closed.append(Section(span=Span(start, min(closing, end)), heading=heading, level=level, role=role))
            nearest[level:] = [start] * (7 - level)
        return reversed(closed)


_WORD = re.compile(r"[^\W\d_]{2}")


def _printed(piece: str | CitationMark | TaggedNumber) -> str:
    return piece if isinstance(piece, str) else piece.text


def _joined(words: Inlines) -> list[str]:
    return "".join(_printed(piece) for piece in words).replace("\r\n", "\n").replace("\r", "\n").split("\n")


def printed_name(author: ParsedAuthor) -> str:
    """The name as it stands in the byline."""
    return author.printed or (author.family if author.group else f"{author.given} {author.family}")


def _affiliations(author: ParsedAuthor) -> tuple[str, ...]:
    written = (plain(one[:LONGEST_AFFILIATION]) for one in author.affiliations[:MOST_AFFILIATIONS])
    return tuple(dict.fromkeys(filter(None, written)))


def _id(found: ParsedDocument, text: str) -> str:
    """Fixed by what the source calls the document, so that reading it again gives the same id."""
    for scheme in ("doi", "arxiv", "pmcid", "pmid"):
        if found.ids.get(scheme):
            return short_id("a", scheme, found.ids[scheme].lower(), found.work or "", found.source.rpartition("/")[2])
    return short_id("a", found.source.rpartition("/")[2], text)


def _fact(figure: TaggedNumber, span: Span, in_table: bool) -> Fact:
    return Fact(
        entity=plain(figure.entity),
        part=plain(figure.part),
        attribute=plain(figure.attribute),
        period=plain(figure.period),
        value=figure.value,
        unit=plain(figure.unit),
        span=span,
        status="reported" if figure.value is not None else "missing",
        place="table" if in_table else "prose",
    )


def _reference(number: int, entry: ParsedReference, text: str, span: Span) -> Reference:
    title = plain(entry.title)
    at = text.find(title) if title else -1
    authors: list[Span] = []
    place = 0
    for author in map(plain, entry.authors):
        found = text.find(author, place) if author else -1
        if found >= 0:
            authors.append(Span(span.start + found, span.start + found + len(author)))
            place = found + len(author)
    return Reference(
        number=number,
        span=span,
        title=Span(span.start + at, span.start + at + len(title)) if at >= 0 else None,
        authors=tuple(authors),
        year=entry.year,
        ids={name: value for name, value in entry.ids.items() if value},
    )
