"""A text under construction that records the spans of its parts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from fathom.corpus.text_builder import TextBuilder
from fathom.records.documents import Cell, Document, Section, SectionRole, Table
from fathom.records.spans import Span


class Draft(TextBuilder):
    """Markdown written from start to end; the spans of its parts are recorded."""

    def __init__(self, joiner: str = " ") -> None:
        """`joiner` separates the sentences of a paragraph: a space in English, nothing in Chinese."""
        super().__init__()
        self._joiner = joiner
        self._sentences_in_paragraph = 0
        self.sections: list[Section] = []
        self.paragraphs: list[Span] = []
        self.sentences: list[Span] = []
        self.tables: list[Table] = []

    @contextmanager
    def section(self, heading: str, level: int = 2, role: SectionRole = "other") -> Iterator[None]:
        """A section with a heading; everything written inside the `with` block belongs to it."""
        start = self.here
        self.write("#" * level + " ")
        span = self.write(heading)
        self.write("\n\n")
        yield
        # Sections are recorded when they close, but sorted by their start.
        self.sections.append(Section(span=Span(start, self.visible_end()), heading=span, level=level, role=role))
        self.sections.sort(key=lambda section: section.span.start)

    @contextmanager
    def paragraph(self) -> Iterator[None]:
        """A paragraph, followed by an empty line."""
        start = self.here
        self._sentences_in_paragraph = 0
        yield
        self.paragraphs.append(Span(start, self.here))
        self.write("\n\n")

    @contextmanager
    def sentence(self) -> Iterator[None]:
        """A sentence of the paragraph being written."""
        if self._sentences_in_paragraph:
            self.write(self._joiner)
        self._sentences_in_paragraph += 1
        start = self.here
        yield
        self.sentences.append(Span(start, self.here))

    def table(self, caption: str, rows: Sequence[Sequence[str]]) -> Table:
        """A captioned pipe table whose first column and first row are headers; it is also recorded in `tables`."""
        start = self.here
        caption_span = self.write(caption)
        self.write("\n\n")
        cells: list[Cell] = []
        for row, values in enumerate(rows):
            self.write("|")
            for column, value in enumerate(values):
                self.write(" ")
                cells.append(Cell(row=row, column=column, span=self.write(value), header=row == 0 or column == 0))
                self.write(" |")
            self.write("\n")
            if row == 0:
                self.write("|" + " --- |" * len(values) + "\n")
        number = len(self.tables) + 1
        table = Table(number=number, span=Span(start, self.visible_end()), caption=caption_span, cells=tuple(cells))
        self.tables.append(table)
        self.write("\n")
        return table


def with_absent_fields(document: Document) -> Document:
    """The finished document. Fields that a generated document does not have are absent, not unknown."""
    return document.model_copy(update={"format": "generated", "absent": document.empty_fields()})
