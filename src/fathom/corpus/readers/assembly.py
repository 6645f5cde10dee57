"""Assembly of a document: writes the text of a parsed document once, and records the span of every part."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fathom.corpus.licenses import spdx, stated_license
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
from fathom.corpus.readers.parsing.blocks import inlines_text
from fathom.corpus.readers.parsing.chinese_characters import CHINESE_CHARACTER
from fathom.corpus.readers.parsing.citation_check import check_citations
from fathom.corpus.readers.parsing.citation_groups import PlacedCitation, citation_groups
from fathom.corpus.readers.parsing.entry_recognition import check_list
from fathom.corpus.readers.parsing.section_roles import role_of
from fathom.corpus.readers.parsing.sentences import is_chinese, sentence_spans
from fathom.corpus.readers.parsing.subjects import first_term
from fathom.corpus.readers.parsing.text_cleanup import plain, tidy, verbatim
from fathom.corpus.readers.parsing.unlocated_citations import count_unlocated
from fathom.corpus.text_builder import TextBuilder
from fathom.records.documents import (
    UNKNOWN_LICENSE,
    Author,
    Cell,
    Citation,
    CitationStyle,
    Document,
    Fact,
    FieldName,
    Reference,
    Section,
    SectionRole,
    Table,
)
from fathom.records.record import short_id
from fathom.records.spans import Span

MAX_PADDED_COLUMNS = 64
"""Maximum width of a table whose short rows are padded with empty cells."""

MAX_AFFILIATIONS = 12
MAX_AFFILIATION_CHARACTERS = 400
"""Limits per author: a hostile file may give a thousand authors the same long text."""

MAX_COLUMNS = 1_000
"""Maximum number of columns that one cell may span."""

NOTICE_PARAGRAPHS = 12
"""Paragraphs at the beginning and at the end of a document that may state its license."""

MIN_CITATIONS = 3
"""Strings that look like citations, which show that a text cites works."""
MAX_UNLOCATED_SHARE = 0.1
"""If a larger share of the strings that look like citations was not located, the citations are unknown."""


@dataclass(frozen=True)
class CitationCounts:
    """How the citations of a document were read."""

    located: int = 0
    resolved: int = 0
    """Citations that point to an entry of the reference list."""
    corrected: int = 0
    """Citations that point to another entry than the source says, since its names and year contradict them."""
    contradicted: int = 0
    """Citations that are unresolved, since their entry contradicts them."""
    unlocated: int = 0
    """Strings that look like citations, but are not among those located."""


@dataclass(frozen=True)
class AssembledDocument:
    """A document, and how its citations were read."""

    document: Document
    citations: CitationCounts


def assemble(parsed: ParsedDocument) -> Document:
    """Return the document; raises `ReadError` if it has no title or no text."""
    return assemble_counted(parsed).document


def assemble_counted(parsed: ParsedDocument) -> AssembledDocument:
    """Return what `assemble` returns, with the counts of its citations."""
    assembler = _Assembler(parsed)
    document = assembler.document()
    return AssembledDocument(document, assembler.counts)


class _Assembler(TextBuilder):
    """Writes the text of one document, part by part."""

    def __init__(self, parsed: ParsedDocument) -> None:
        super().__init__()
        self._parsed = parsed
        if parsed.year is None and parsed.published is not None:
            parsed.year = parsed.published.year
        self._sections: list[tuple[int, Span, int, SectionRole]] = []  # start, heading, level, role
        self._paragraphs: list[Span] = []
        self._sentences: list[Span] = []
        self._citations: list[Citation] = []
        self._tables: list[Table] = []
        self._facts: list[Fact] = []
        self._prose: list[Span] = []
        self.counts = CitationCounts()
        self._list = check_list(parsed.references)
        self._entries = [numbered.reference for numbered in self._list.entries]
        self._positions = {entry.key: position for position, entry in enumerate(self._entries, start=1)}

    def document(self) -> Document:
        parsed = self._parsed
        title = self._add_title()
        authors = self._add_byline()
        self._add_imprint()
        for block in parsed.front:
            self._add_block(block)
        abstract = self._add_abstract()
        for block in parsed.body:
            self._add_block(block)
        for notice in self._list.notices:
            self._add_paragraph(Paragraph([notice]))
        references = self._add_references()
        subject = self._subject()
        text = self.text()
        license = self._license(text)
        citations = self._checked_citations(text)
        unknown = self._unknown_fields()
        if not self._paragraphs and not self._tables and abstract is None:
            raise ReadError("it has no text")
        document = Document(
            id=_id(parsed, text),
            format=parsed.format,
            kind=parsed.kind,
            language=_language(parsed.language, text),
            title=title,
            authors=authors,
            abstract=abstract,
            ids=parsed.ids,
            work=parsed.work,
            published=parsed.published,
            year=parsed.year,
            venue=plain(parsed.venue) if parsed.venue else None,
            subject=subject,
            license=license,
            source=parsed.source,
            text=text,
            sections=tuple(self._closed_sections(text)),
            paragraphs=tuple(self._paragraphs),
            sentences=tuple(self._sentences),
            citations=citations,
            references=references,
            tables=tuple(self._tables),
            facts=tuple(self._facts),
            unknown=unknown,
        )
        absent = tuple(name for name in document.empty_fields() if name in parsed.stated and name not in unknown)
        return document.model_copy(update={"absent": absent})

    # Metadata.

    def _license(self, text: str) -> str:
        """Return the license's SPDX name; a text that states no license known by name is kept as a note."""
        given = plain(self._parsed.license)
        if not given and "license" not in self._parsed.stated:
            # Notices come before the text or after it.
            outer = (*self._paragraphs[:NOTICE_PARAGRAPHS], *self._paragraphs[-NOTICE_PARAGRAPHS:])
            return stated_license(paragraph.of(text) for paragraph in outer) or UNKNOWN_LICENSE
        name = spdx(given) if given else None
        if given and name is None:
            self._parsed.unknown.setdefault("license", "its text names no known license")
            self._parsed.notes.setdefault("license", given)
        return name or UNKNOWN_LICENSE

    def _subject(self) -> str | None:
        """Return the first keyword that is a term."""
        keywords = [word for keyword in self._parsed.subjects if (word := plain(keyword))]
        subject = first_term(keywords)
        if keywords and subject is None:
            self._parsed.unknown.setdefault("subject", "the keywords are not terms")
        return subject

    def _checked_citations(self, text: str) -> tuple[Citation, ...]:
        """Return the citations after comparison with their entries, and count them."""
        checked = check_citations(self._citations, text, self._entries)
        self._trusted = checked.trusted
        located = sorted({citation.span for citation in self._citations})
        self.counts = CitationCounts(
            located=len(checked.citations),
            resolved=sum(citation.reference is not None for citation in checked.citations),
            corrected=checked.corrected,
            contradicted=checked.contradicted,
            unlocated=count_unlocated(text, located, self._prose),
        )
        return checked.citations

    def _unknown_fields(self) -> dict[FieldName, str]:
        """Return the fields that are not used, with the reasons: those of the reader, and those found here."""
        unknown = dict(self._parsed.unknown)
        counts = self.counts
        if self._list.doubt:
            unknown.setdefault("references", self._list.doubt)
        elif not self._entries and counts.located + counts.unlocated >= MIN_CITATIONS:
            unknown.setdefault("references", "the text cites works, but has no reference list")
        if "references" in unknown:
            unknown.setdefault("citations", "the reference list is unknown")
        if not self._trusted:
            unknown.setdefault("citations", "citations contradict the entries that they point to")
        if counts.unlocated >= MIN_CITATIONS and counts.unlocated > MAX_UNLOCATED_SHARE * (
            counts.located + counts.unlocated
        ):
            unknown.setdefault("citations", "many strings that look like citations were not located")
        return dict(sorted(unknown.items()))

    # Front matter.

    def _add_title(self) -> Span:
        title = plain(self._parsed.title)
        if not title:
            raise ReadError("it has no title")
        self.put("# ")
        span = self.write(title)
        self.put("\n\n")
        return span

    def _add_byline(self) -> tuple[Author, ...]:
        authors: list[Author] = []
        for author in self._parsed.authors:
            printed = plain(printed_name(author))
            if not printed:
                continue
            if authors:
                self.put(", ")
            authors.append(
                Author(
                    position=len(authors) + 1,
                    span=self.write(printed),
                    given="" if author.group else plain(author.given),
                    family=plain(author.family) or printed,
                    person=f"orcid:{author.ids['orcid']}" if author.ids.get("orcid") else None,
                    group=author.group,
                    affiliations=_affiliations(author),
                )
            )
        if authors:
            self.put("\n\n")
        return tuple(authors)

    def _add_imprint(self) -> None:
        parsed = self._parsed
        parts = [f"*{plain(parsed.venue)}*" if parsed.venue else "", str(parsed.year or "")]
        parts.append(f"doi:{parsed.ids['doi']}" if parsed.ids.get("doi") else "")
        if any(parts):
            self.put(", ".join(filter(None, parts)) + "\n\n")

    def _add_abstract(self) -> Span | None:
        if not self._parsed.abstract:
            return None
        self._add_heading(Heading(2, ["Abstract"], "abstract"))
        start = self._length
        for block in self._parsed.abstract:
            self._add_block(block)
        end = self.visible_end()
        return Span(start, end) if end > start else None

    # Blocks.

    def _add_block(self, block: Block) -> None:
        match block:
            case Heading():
                self._add_heading(block)
            case Paragraph():
                self._add_paragraph(block)
            case ParsedTable():
                self._add_table(block)

    def _add_heading(self, heading: Heading) -> None:
        text = plain(inlines_text(heading.inlines))
        if not text:
            return
        level = min(6, max(2, heading.level))
        start = self._length
        self.put("#" * level + " ")
        before = self._length
        # A heading may contain citations: "Construction by Lind (2019)".
        span = self._write_inlines(heading.inlines) or Span(before, self._length)
        self.put("\n\n")
        self._sections.append((start, span, level, heading.role or role_of(text)))

    def _add_paragraph(self, paragraph: Paragraph) -> None:
        if paragraph.verbatim:
            lines = inlines_text(paragraph.inlines).replace("\r\n", "\n").replace("\r", "\n").split("\n")
            text = "\n".join(map(verbatim, lines)).strip("\n")
            if text.strip():
                self._paragraphs.append(self.write(text))
                self.put("\n\n")
            return
        span = self._write_inlines(paragraph.inlines)
        if span is not None:
            self._paragraphs.append(span)
            self._prose.append(span)
            self._sentences.extend(sentence_spans(self._text_since(span.start), span.start))
            self.put("\n\n")

    def _add_table(self, table: ParsedTable) -> None:
        rows = [row for row in table.rows if row]
        if not rows:
            return
        start = self._length
        caption = self._write_inlines(table.caption)
        if caption is not None:
            self.put("\n\n")
        cells: list[Cell] = []
        width = max(sum(cell.columns for cell in row) for row in rows)
        headers = next((n for n, row in enumerate(rows) if not all(cell.header for cell in row)), len(rows)) or 1
        for number, row in enumerate(rows):
            cells.extend(self._add_row(number, row, width))
            if number == headers - 1:
                self.put("|" + " --- |" * min(width, MAX_COLUMNS) + "\n")
        end = self.visible_end()
        self._tables.append(
            Table(number=len(self._tables) + 1, span=Span(start, end), caption=caption, cells=tuple(cells))
        )
        self.put("\n")

    def _add_row(self, number: int, row: Sequence[TableCell], width: int) -> Iterator[Cell]:
        column = 0
        self.put("|")
        for cell in row:
            self.put(" ")
            span = self._write_inlines(cell.inlines, in_table=True) or Span(self._length, self._length)
            yield Cell.trusted(row=number, column=column, span=span, header=cell.header)
            columns = min(cell.columns, MAX_COLUMNS)
            self.put(" |" + "  |" * (columns - 1))
            column += columns
        # Pad to the widest row, unless a long table would become enormous.
        self.put("  |" * (width - column if width <= MAX_PADDED_COLUMNS else 0) + "\n")

    # Running text.

    def _write_inlines(self, inlines: Inlines, in_table: bool = False) -> Span | None:
        """Write running text; returns its span, or None if it is blank."""
        start = self._length
        citations: list[PlacedCitation] = []
        after_space = True  # No leading and no double spaces.
        for piece in inlines:
            text = tidy(piece if isinstance(piece, str) else piece.text)
            if in_table:
                text = text.replace("|", "¦")
            if after_space:
                text = text.lstrip(" ")
            if not text:
                continue
            self.put(text)
            after_space = text[-1] == " "
            if not isinstance(piece, str):
                self._record(piece, self._stripped_span(text), citations, in_table)
        if self._length <= start:
            return None
        self._trim()
        if citations:
            self._citations.extend(self._resolve_citations(citations, start))
        return Span(start, self._length)

    def _stripped_span(self, text: str) -> Span:
        """Return the span of the text just written, without outer spaces."""
        start = self._length - len(text)
        return Span(start + len(text) - len(text.lstrip(" ")), start + len(text.rstrip(" ")))

    def _record(
        self, piece: CitationMark | TaggedNumber, core: Span, citations: list[PlacedCitation], in_table: bool
    ) -> None:
        """Record a citation or a tagged number, if it is visible."""
        if core.end <= core.start:
            return
        if isinstance(piece, CitationMark):
            citations.append(PlacedCitation(core, piece))
        else:
            self._facts.extend(_fact(number, core, in_table) for number in (piece, *piece.others))

    def _resolve_citations(self, citations: Sequence[PlacedCitation], start: int) -> Iterator[Citation]:
        """Yield the citations of one text, each with its group."""
        for citation, group in zip(citations, citation_groups(citations, self._text_since(start), start), strict=True):
            style = citation.mark.style or ("author-year" if _WORD.search(citation.mark.text) else "numeric")
            for key in citation.mark.keys or ("",):
                yield _citation(citation.span, group, self._positions.get(key), style)

    # Reference list.

    def _add_references(self) -> tuple[Reference, ...]:
        if not self._entries:
            return ()
        self._add_heading(Heading(2, ["References"], "references"))
        references: list[Reference] = []
        for position, numbered in enumerate(self._list.entries, start=1):
            # The printed number, which citations refer to; a blank item of the source had one too.
            self.put(f"{numbered.number}. ")
            span = self.write(numbered.text)
            self.put("\n")
            references.append(_reference(position, numbered.reference, numbered.text, span))
        return tuple(references)

    # Writing.

    def _trim(self) -> None:
        while self._pieces and self._pieces[-1].endswith(" "):
            kept = self._pieces[-1].rstrip(" ")
            self._length -= len(self._pieces[-1]) - len(kept)
            self._pieces[-1] = kept
            if kept:
                return
            self._pieces.pop()

    def _text_since(self, start: int) -> str:
        """Return the text written since a position."""
        length, collected = self._length - start, 0
        pieces: list[str] = []
        for piece in reversed(self._pieces):
            if collected >= length:
                break
            pieces.append(piece)
            collected += len(piece)
        return "".join(reversed(pieces))[collected - length :]

    def _closed_sections(self, text: str) -> Iterator[Section]:
        """Return the sections, each up to the next heading of the same or a higher rank."""
        end = len(text) - 1
        nearest = [end] * 7  # for each level, the start of the next heading of that or a higher rank
        closed: list[Section] = []
        for start, heading, level, role in reversed(self._sections):
            closing = start + len(text[start : nearest[level]].rstrip())
            closed.append(Section(span=Span(start, min(closing, end)), heading=heading, level=level, role=role))
            nearest[level:] = [start] * (7 - level)
        return reversed(closed)


_WORD = re.compile(r"[^\W\d_]{2}")


def printed_name(author: ParsedAuthor) -> str:
    """Return the name as printed in the byline."""
    return author.printed or (author.family if author.group else f"{author.given} {author.family}")


def _affiliations(author: ParsedAuthor) -> tuple[str, ...]:
    written = (
        plain(affiliation[:MAX_AFFILIATION_CHARACTERS]) for affiliation in author.affiliations[:MAX_AFFILIATIONS]
    )
    return tuple(dict.fromkeys(filter(None, written)))


def _language(declared: str, text: str) -> str:
    """The language of a document: many formats declare none, and word processors declare English by default."""
    if declared != "en" or not CHINESE_CHARACTER.search(text, 0, 6_000):
        return declared
    return "zh" if is_chinese(re.sub(r"[\W\d_]+", "", text[:6_000])) else declared


def _id(parsed: ParsedDocument, text: str) -> str:
    """Return an id derived from the source's own id, so that reading it again gives the same one."""
    for scheme in ("doi", "arxiv", "pmcid", "pmid"):
        if parsed.ids.get(scheme):
            return short_id(
                "a", scheme, parsed.ids[scheme].lower(), parsed.work or "", parsed.source.rpartition("/")[2]
            )
    return short_id("a", parsed.source.rpartition("/")[2], text)


def _citation(span: Span, group: Span, reference: int | None, style: CitationStyle) -> Citation:
    return Citation.trusted(
        span=span, group=group, reference=reference, style=style, type=None, name=None, authors=None
    )


def _fact(number: TaggedNumber, span: Span, in_table: bool) -> Fact:
    return Fact(
        entity=plain(number.entity),
        part=plain(number.part),
        attribute=plain(number.attribute),
        period=plain(number.period),
        value=number.value,
        unit=plain(number.unit),
        span=span,
        status="reported" if number.value is not None else "missing",
        place="table" if in_table else "prose",
    )


def _reference(number: int, entry: ParsedReference, text: str, span: Span) -> Reference:
    title = plain(entry.title)
    at = text.find(title) if title else -1
    return Reference.trusted(
        number=number,
        span=span,
        title=Span(span.start + at, span.start + at + len(title)) if at >= 0 else None,
        authors=tuple(_author_spans(entry.authors, text, span.start)),
        year=entry.year,
        ids={name: value for name, value in sorted(entry.ids.items()) if value},
        document=None,
    )


def _author_spans(authors: Sequence[str], text: str, start: int) -> Iterator[Span]:
    """Yield the spans of the authors in the text of an entry, in order."""
    place = 0
    for author in authors:
        # What is found as it is needs no normalization: the text is normalized.
        name = author.strip(" ")
        at = text.find(name, place) if name else -1
        if at < 0 and (name := plain(author)):
            at = text.find(name, place)
        if at >= 0:
            place = at + len(name)
            yield Span(start + at, start + place)
