"""Layouts of PDFs: titles, bylines, lists and figures, and which fields are unknown."""

from __future__ import annotations

import pytest

from fathom.corpus.readers.assembly import assemble, printed_name
from fathom.corpus.readers.parsed_document import Heading, NoCompanions, ParsedDocument, ReadError
from fathom.corpus.readers.parsing.blocks import inlines_text
from fathom.corpus.readers.pdf import reader as pdf
from fathom.corpus.readers.pdf.line_extraction import extract_as_json
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


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("Slow Rivers and Their Salt*", "Slow Rivers and Their Salt"),
        ("Slow Rivers and Their Salt †", "Slow Rivers and Their Salt"),
        ("Finding Slow Rivers with A*", "Finding Slow Rivers with A*"),
    ],
)
def test_the_mark_of_a_footnote_is_not_part_of_the_title(line: str, title: str) -> None:
    assert front(Drawn(72, 720, line, 17, bold=True), Drawn(72, 690, "Ada Quill", 11)).title == title


def test_a_raised_one_at_the_end_of_a_title_is_a_footnote() -> None:
    found = front(Drawn(72, 720, "Slow Rivers and Salt", 17), Drawn(229, 726, "1", 9), Drawn(72, 690, "Ada Quill", 11))
    assert found.title == "Slow Rivers and Salt"


def test_a_numbered_heading_is_not_the_title() -> None:
    lines = [Drawn(72, 720, "Slow Rivers and Their Salt"), Drawn(72, 690, "Ada Quill", 10)]
    headings = [Drawn(72, 600, "1 The rivers of the north", 13), Drawn(72, 400, "2 The rivers of the south", 13)]
    found = read(pdf_of([*lines, headings[0], *column(72, 580, LEFT), headings[1], *column(72, 380, LEFT)]))
    assert found.title == "Slow Rivers and Their Salt"
    assert "title" in found.unknown  # no line stands out
    found = read(pdf_of([Drawn(72, 720, "1 River and Its Salt", 17, bold=True), *lines[1:], *column(72, 580, LEFT)]))
    assert found.title == "1 River and Its Salt"


def test_the_name_of_a_journal_is_not_the_title() -> None:
    found = front(Drawn(72, 740, "JournalofSlowRivers", 22), TITLE, Drawn(72, 690, "Ada Quill", 11))
    assert found.title == TITLE.text


def test_a_name_that_ends_in_capitals_among_others_may_be_an_institution() -> None:
    lines = ["Ada Quill", "University of Fenwick", "Tom Reyes", "Department of Salt", "Halden Brewing AG", "Norway"]
    found = front(TITLE, *(Drawn(72, 690 - 14 * at, text, 11) for at, text in enumerate(lines)))
    assert found.unknown["authors"] == "only some of the names end in capitals"
    found = front(TITLE, Drawn(72, 690, "Ada QUILL, Tom REYES", 11))
    assert "authors" not in found.unknown


@pytest.mark.parametrize(
    ("drawn", "text"),
    [
        ("The e\x1bect was signi\x1ccant in four rivers", "The effect was significant in four rivers"),
        ("A su\x1ecient \x1dow of \x10salt\x11 in 2\x153 rivers", "A sufficient flow of “salt” in 2–3 rivers"),
    ],
)
def test_ligatures_without_names_are_read(drawn: str, text: str) -> None:
    (line,) = extract_as_json(pdf_of([Drawn(72, 720, drawn)]))["lines"]
    assert text in line


def test_codes_of_large_parentheses_are_no_ligatures() -> None:
    found = extract_as_json(pdf_of([Drawn(72, 720, "A \x10x\x11 pair of \x1by of a formula")]))["lines"]
    assert not set("“”ﬀ").intersection(str(found)) and "ffy" not in str(found)


def test_text_whose_letters_have_no_names_is_rejected() -> None:
    def drawn(font: bytes) -> bytes:
        return pdf_of([TITLE, *column(72, 690, LEFT * 3)], resources=b"/Font<</F1 5 0 R/F2 3 0 R>>", extra=(font,))

    (found,) = pdf.read(drawn(b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"), "a.pdf", NoCompanions())
    assert found.title == TITLE.text
    with pytest.raises(ReadError, match="its text is garbled"):
        tuple(pdf.read(drawn(b"<</Type/Font/Subtype/Type1/BaseFont/ZapfDingbats>>"), "a.pdf", NoCompanions()))
