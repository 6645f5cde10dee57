"""Layouts of PDFs: titles, bylines, lists and figures, and which fields are unknown."""

from __future__ import annotations

import pytest

from fathom.corpus.readers.assembly import assemble, printed_name
from fathom.corpus.readers.parsed_document import Heading, ParsedDocument, ReadError
from fathom.corpus.readers.parsing.blocks import inlines_text
from fathom.corpus.readers.pdf import reader as pdf
from tests.corpus.readers.test_pdf import LEFT, NUMBERED, Drawn, column, paper, pdf_of, read


def front(*lines: Drawn) -> ParsedDocument:
    """A paper with these lines above an abstract, two sections and a list."""
    return read(
        pdf_of(
            [
                *lines,
                Drawn(72, 560, "Abstract", 12, bold=True),
                *column(72, 540, LEFT),
                Drawn(72, 440, "1 Introduction", 12, bold=True),
                *column(72, 420, LEFT),
                Drawn(72, 300, "References", 12, bold=True),
                *column(72, 284, NUMBERED),
            ]
        )
    )


def names_of(document: ParsedDocument) -> list[str]:
    return [printed_name(author) for author in document.authors]


TITLE = Drawn(72, 720, "Slow Rivers and Their Salt", 17, bold=True)


def test_a_title_in_small_capitals_has_two_lines() -> None:
    lines = [
        Drawn(72, 720, "T", 16),
        Drawn(83, 720, "HE SALT OF SLOW RIVERS", 12.8),
        Drawn(72, 700, "AND THEIR FISH", 12.8),
        Drawn(72, 670, "Ada Quill", 11, bold=True),
    ]
    found = front(*lines)
    assert found.title.upper() == "THE SALT OF SLOW RIVERS AND THEIR FISH"
    assert names_of(found) == ["Ada Quill"]


def test_a_title_that_must_continue_is_unknown() -> None:
    found = front(Drawn(72, 720, "Slow Rivers and Their Salt in the", 17, bold=True), Drawn(72, 690, "Ada Quill", 11))
    assert found.unknown["title"] == "the title may continue on the next line"


def test_names_are_read_from_blocks_in_rows() -> None:
    blocks = [
        Drawn(72 + 200 * at, 690 - 12 * level, text, 11 if level == 0 else 9)
        for at, block in enumerate(
            (("Ada Quill", "Fenwick Polytechnic", "Fenwick, Norway"), ("Tom Reyes", "Halden Works", "ada@example.org"))
        )
        for level, text in enumerate(block)
    ]
    found = front(TITLE, *blocks)
    assert names_of(found) == ["Ada Quill", "Tom Reyes"]
    assert not found.unknown.keys() & {"title", "authors"}
    headings = [inlines_text(block.inlines) for block in found.body if isinstance(block, Heading)]
    assert headings == ["1 Introduction"]


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (["Ada Quill, Plato, Tom Reyes"], "the byline has words that are not names"),
        (["Ada Quill", "somewhere between the lakes"], "the byline has lines that are neither names nor affiliations"),
        (["Anonymous authors", "Paper under double-blind review"], "the byline is anonymous"),
        (["the survey of 1999"], "no byline was found"),
        (["Ada Quill", "Marlow Vision", "University of Fenwick"], "names and affiliations look alike"),
        (
            ["Ada Smitha, Tom Reyesb", "a University of Fenwick", "b Halden Institute"],
            "the marks of affiliations may be part of the names",
        ),
    ],
)
def test_a_byline_that_is_not_explained_is_unknown(lines: list[str], reason: str) -> None:
    found = front(TITLE, *(Drawn(72, 690 - 14 * at, text, 11) for at, text in enumerate(lines)))
    assert found.unknown["authors"] == reason


def test_names_that_end_with_other_letters_than_the_marks_are_known() -> None:
    lines = ["Ada Quill, Tom Reyes, Uma Novak", "d Institute of Salt"]
    found = front(TITLE, *(Drawn(72, 690 - 14 * at, text, 11 - 2 * at) for at, text in enumerate(lines)))
    assert "authors" not in found.unknown


def body(*lines: Drawn) -> ParsedDocument:
    """A paper with these lines after the first section."""
    start = [TITLE, Drawn(72, 690, "Ada Quill", 11), Drawn(72, 660, "Introduction", 12, bold=True)]
    return read(pdf_of([*start, *column(72, 640, LEFT * 2), *lines]))


def test_headings_of_a_lower_level_may_be_smaller_than_the_text() -> None:
    found = body(Drawn(72, 500, "Of spoons and scales", 9.4, bold=True), *column(72, 480, LEFT * 2))
    headings = [inlines_text(block.inlines) for block in found.body if isinstance(block, Heading)]
    assert headings == ["Introduction", "Of spoons and scales"]
    assert "sections" not in found.unknown


def test_a_line_that_may_be_a_heading_makes_the_sections_unknown() -> None:
    found = body(Drawn(72, 500, "OF SPOONS AND SCALES"), *column(72, 480, LEFT * 2))
    assert found.unknown["sections"] == "a line of the text may be a heading"
    assert "sections" not in body(*column(72, 480, LEFT * 2)).unknown


@pytest.mark.parametrize(
    ("abstract", "reason"),
    [
        (LEFT, None),
        (LEFT + "Write to ada@example.org about it.", "the abstract may contain other text"),
        ("Salt is old.", "the abstract has an unusual length"),
        (LEFT + "The fish that were in the", "the abstract may be cut"),
    ],
)
def test_a_doubtful_abstract_is_unknown(abstract: str, reason: str | None) -> None:
    lines = [TITLE, Drawn(72, 690, "Ada Quill", 11), Drawn(72, 660, "Abstract", 12, bold=True)]
    lines += [*column(72, 640, abstract), Drawn(72, 500, "Introduction", 12, bold=True), *column(72, 480, LEFT * 2)]
    assert read(pdf_of(lines)).unknown.get("abstract") == reason


def test_loosely_set_names_are_not_cut() -> None:
    words = [Drawn(72, 690, "Walid", 10), Drawn(104, 690, "ten", 10), Drawn(126, 690, "Brink", 10)]
    assert names_of(front(TITLE, *words)) == ["Walid ten Brink"]


def test_a_numbered_list_without_a_heading_is_found() -> None:
    found = read(
        pdf_of([TITLE, Drawn(72, 690, "Ada Quill", 11), *column(72, 660, LEFT * 8), *column(72, 300, NUMBERED, 9)])
    )
    assert len(found.references) == NUMBERED.count("[")


def test_citations_in_square_brackets_with_names_are_found() -> None:
    entries = "Gill, A. (1998). Salt of rivers. Press.\nReyes, T. (2003). Fish of rivers. Press."
    lines = [
        TITLE,
        Drawn(72, 690, "Ada Quill", 11),
        *column(72, 660, LEFT * 4 + " It is old [Gill 1998; Reyes 2003]."),
        Drawn(72, 300, "References", 12, bold=True),
        *(Drawn(72, 280 - 14 * at, entry, 9) for at, entry in enumerate(entries.split("\n"))),
    ]
    document = assemble(read(pdf_of(lines)))
    assert [citation.span.of(document.text) for citation in document.citations] == ["Gill 1998", "Reyes 2003"]


def test_entries_that_are_none_make_the_list_unknown() -> None:
    contents = [
        Drawn(72, 280 - 14 * at, f"[{at + 1}] Chapter on {word}", 10) for at, word in enumerate(("salt", "fish", "mud"))
    ]
    lines = [TITLE, *column(72, 660, LEFT * 4), Drawn(72, 300, "References", 12, bold=True), *contents]
    assert read(pdf_of(lines)).unknown["references"] == "entries of the list do not look like references"


# Figures.


def test_a_figure_is_no_document() -> None:
    labels = [Drawn(72 + 40 * at, 100, str(10 * at)) for at in range(8)]
    with pytest.raises(ReadError, match="it is a figure, not a document"):
        read(pdf_of([Drawn(150, 700, "Accuracy of each model", 14), Drawn(200, 80, "Number of layers"), *labels]))


class _Beside:
    """A LaTeX file beside the PDF."""

    def get(self, name: str) -> bytes | None:
        return rb"\begin{figure}\includegraphics[width=3cm]{rivers.pdf}\end{figure}" if name == "paper.tex" else None

    def names(self) -> list[str]:
        return ["paper.tex", "rivers.pdf"]


def test_a_file_that_a_paper_shows_is_a_figure() -> None:
    with pytest.raises(ReadError, match="it is a figure, not a document"):
        list(pdf.read(paper(), "rivers.pdf", _Beside()))
    assert list(pdf.read(paper(), "other.pdf", _Beside()))
