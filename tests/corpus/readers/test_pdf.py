"""The PDF reader: documents drawn line by line, hostile ones, and real ones compared with their XML versions."""

from __future__ import annotations

import re
import shutil
import threading
import unicodedata
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from random import Random

import pytest

from fathom.corpus.readers.assembly import assemble, printed_name
from fathom.corpus.readers.jats import reader as jats
from fathom.corpus.readers.parsed_document import Heading, NoCompanions, Paragraph, ParsedDocument, ReadError
from fathom.corpus.readers.pdf import child_process
from fathom.corpus.readers.pdf import reader as pdf
from fathom.corpus.readers.pdf.names import author_of, is_name
from fathom.corpus.readers.tei import reader as tei
from fathom.records.documents import Document

# A small PDF writer: text in a standard font at given positions.


@dataclass(frozen=True)
class Drawn:
    x: float
    y: float
    text: str
    size: float = 10
    bold: bool = False


def file_of(objects: list[bytes], trailer: bytes = b"") -> bytes:
    """A PDF of numbered objects, the first of which is the catalog."""
    content = b"%PDF-1.7\n"
    places = []
    for number, body in enumerate(objects, start=1):
        places.append(len(content))
        content += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(content)
    content += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    content += b"".join(b"%010d 00000 n \n" % place for place in places)
    return content + b"trailer\n<</Size %d/Root 1 0 R%s>>\nstartxref\n%d\n%%%%EOF\n" % (
        len(objects) + 1,
        trailer,
        start,
    )


FONTS = b"/Font<</F1 3 0 R/F2 4 0 R>>"


def stream(body: bytes, extra: bytes = b"") -> bytes:
    return b"<</Length %d%s>>\nstream\n%s\nendstream" % (len(body), extra, body)


def pdf_of(*pages: list[Drawn], trailer: bytes = b"", resources: bytes = FONTS, extra: tuple[bytes, ...] = ()) -> bytes:
    """A PDF with one list of drawn lines for each page."""
    first = 5 + len(extra)
    kids = b" ".join(b"%d 0 R" % (first + 2 * number) for number in range(len(pages)))
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[%s]/Count %d/MediaBox[0 0 612 792]/Resources<<%s>>>>" % (kids, len(pages), resources),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica-Bold/Encoding/WinAnsiEncoding>>",
        *extra,
    ]
    for number, page in enumerate(pages):
        objects.append(b"<</Type/Page/Parent 2 0 R/Contents %d 0 R>>" % (first + 2 * number + 1))
        objects.append(stream(b"\n".join(map(drawing, page))))
    return file_of(objects, trailer)


def drawing(one: Drawn) -> bytes:
    text = one.text.encode("cp1252").replace(b"\\", rb"\\").replace(b"(", rb"\(").replace(b")", rb"\)")
    font = b"F2" if one.bold else b"F1"
    return b"BT /%s %.2f Tf %.2f %.2f Td (%s) Tj ET" % (font, one.size, one.x, one.y, text)


def column(x: float, top: float, text: str, size: float = 10, leading: float = 12) -> list[Drawn]:
    """Lines one below the other."""
    return [Drawn(x, top - number * leading, line, size) for number, line in enumerate(text.strip().split("\n"))]


def read(content: bytes) -> ParsedDocument:
    (found,) = pdf.read(content, "rivers.pdf", NoCompanions())
    return found


LEFT = """
Salt is as old as the rivers that carry it [1]. We mea-
sure it where it is slow, and where it is fast, with
a spoon and a scale [2, 3]. Others have weighed all
of the water first and the salt much later [1-3].
"""
RIGHT = """
Nobody has yet asked the fish about it. We ask them
in this second column, which comes after the first
one whatever the order in which it has been drawn.
"""
MORE = """
The second page has text as well, so that one can see
what is printed at the head of every page, and what is
a part of the text itself that goes on and on here.
"""
NUMBERED = """
[1] A. Lind and B. Wu, "Salt in slow rivers," J. Rivers,
vol. 3, pp. 1-9, 2018.
[2] C. Roe, "Spoons of the north," J. Spoons, vol. 1,
2019.
[3] B. Wu, "Scales and fish," J. Scales, 2020.
"""


def paper(interleaved: bool = False) -> bytes:
    """Two columns, a running head, page numbers, raised signs, a broken word, a numbered list."""
    left, right = column(54, 600, LEFT), column(318, 600, RIGHT)
    body = (
        [line for pair in zip(left, right, strict=False) for line in pair] + left[3:] if interleaved else left + right
    )
    first = [
        Drawn(54, 760, "Journal of Rivers 12", 8),
        Drawn(120, 720, "Salt in Slow Rivers and What the", 18, bold=True),
        Drawn(120, 698, "Fish Say about It", 18, bold=True),
        Drawn(150, 670, "Ada B. Lind", 12),
        Drawn(217, 674, "1", 7),
        Drawn(222, 670, ", Bo Wu", 12),
        Drawn(266, 674, "2", 7),
        Drawn(271, 670, ", and Maria van der Roe", 12),
        Drawn(150, 655, "1 School of Rivers, Harbour University", 9),
        Drawn(54, 618, "1 Introduction", 12, bold=True),
        *body,
        Drawn(300, 30, "1", 9),
    ]
    second = [
        Drawn(54, 760, "Journal of Rivers 12", 8),
        *column(54, 720, MORE),
        Drawn(54, 660, "1.1 Fish", 11, bold=True),
        *column(54, 644, "They said nothing at all to us (as always)."),
        Drawn(54, 610, "References", 12, bold=True),
        *column(54, 594, NUMBERED),
        Drawn(300, 30, "2", 9),
    ]
    third = [
        Drawn(54, 760, "Journal of Rivers 12", 8),
        Drawn(54, 720, "Appendix A", 12, bold=True),
        *column(54, 700, "More about the spoons that were used in all of this."),
        Drawn(300, 30, "3", 9),
    ]
    return pdf_of(first, second, third)


@pytest.fixture(scope="module", params=[False, True], ids=["column after column", "across columns"])
def document(request: pytest.FixtureRequest) -> Document:
    return assemble(read(paper(interleaved=request.param)))


def test_finds_title_and_authors_by_size_and_position(document: Document) -> None:
    assert document.title_text == "Salt in Slow Rivers and What the Fish Say about It"
    assert [(one.given, one.family) for one in document.authors] == [
        ("Ada B.", "Lind"),
        ("Bo", "Wu"),
        ("Maria", "van der Roe"),
    ]


def test_reads_columns_in_order(document: Document) -> None:
    assert "and the salt much later [1-3]. Nobody has yet asked the fish about it." in re.sub(
        r"\s+", " ", document.text
    )


def test_removes_running_heads_and_page_numbers(document: Document) -> None:
    assert "Journal of Rivers 12" not in document.text
    assert not re.search(r"^\d$", document.text, re.MULTILINE)


def test_joins_a_hyphenated_word(document: Document) -> None:
    assert "We measure it" in document.text


def test_headings_have_levels(document: Document) -> None:
    printed = [(one.level, one.heading.of(document.text)) for one in document.sections if one.heading]
    assert printed == [(2, "1 Introduction"), (3, "1.1 Fish"), (2, "Appendix A"), (2, "References")]


def test_splits_and_resolves_numbered_references(document: Document) -> None:
    titles = [one.title.of(document.text) for one in document.references if one.title]
    assert titles == ["Salt in slow rivers", "Spoons of the north", "Scales and fish"]
    assert [one.year for one in document.references] == [2018, 2019, 2020]
    cited = [(one.span.of(document.text), one.reference) for one in document.citations]
    assert cited == [("1", 1), ("2", 2), ("3", 3), ("1-3", 1), ("1-3", 2), ("1-3", 3)]


HANGING = [
    ("Lind, A., & Wu, B. (2018a). Salt in slow rivers. Journal", "of Rivers, 3, 1-9."),
    ("Lind, A., & Wu, B. (2018b). Salt in fast rivers. Journal", "of Rivers, 3, 10-19."),
    ("van der Roe, C. (2019). Spoons of the north and all that", "they carry. Harbour Press."),
    ("Wu, B. (2020). Scales and fish of the slow rivers in the", "north. Journal of Scales, 1, 1-9."),
]
AUTHOR_YEAR = """
Salt is old (Lind & Wu, 2018a, 2018b; van der Roe, 2019). As
Wu (2020) says, it is slow (see also Lind & Wu, 2018b). In the
year of the flood (2017) nobody measured it (Nobody, 1999), nor
did anybody later on, as far as we can tell from the books.
"""


def author_year() -> Document:
    lines = [
        Drawn(72, 720, "A Short Note on Salt in Rivers", 17),
        Drawn(72, 695, "Ada Lind and Bo Wu", 12),
        Drawn(72, 660, "Abstract", 12, bold=True),
        *column(90, 645, "We measure the salt of the slow rivers, and of the fast ones too.", 9, 11),
        Drawn(72, 620, "Introduction", 12, bold=True),
        *column(72, 604, AUTHOR_YEAR),
        Drawn(72, 540, "References", 12, bold=True),
    ]
    for number, (start, more) in enumerate(HANGING):
        lines += [Drawn(72, 524 - 24 * number, start), Drawn(86, 512 - 24 * number, more)]
    return assemble(read(pdf_of(lines)))


def test_resolves_hanging_entries_by_name_and_year() -> None:
    document = author_year()
    assert [one.title and one.title.of(document.text) for one in document.references] == [
        "Salt in slow rivers",
        "Salt in fast rivers",
        "Spoons of the north and all that they carry",
        "Scales and fish of the slow rivers in the north",
    ]
    assert [(one.span.of(document.text), one.reference) for one in document.citations] == [
        ("Lind & Wu, 2018a", 1),
        ("2018b", 2),
        ("van der Roe, 2019", 3),
        ("Wu (2020)", 4),
        ("Lind & Wu, 2018b", 2),
        ("Nobody, 1999", None),
    ]
    assert document.abstract is not None
    assert document.abstract.of(document.text).startswith("We measure the salt")


def test_keeps_a_hyphen_that_belongs_to_the_word() -> None:
    text = "A two-column page with a state-\nof-the-art spoon, a two-\ncolumn spoon, and a Lind-\nWu spoon."
    lines = [Drawn(72, 720, "Hyphens of the Northern Spoons", 18), *column(72, 680, text)]
    printed = assemble(read(pdf_of(lines))).text
    assert "a two-column spoon" in printed
    assert "a Lind-Wu spoon" in printed


LETTER = """
Research on the salt of rivers spans many traditions (Roe, 2019).
It is slow to change, as the rivers are. We weigh
their salt anew (Lind et al., 2018; Lind, 2018),
and find it unchanged since the times of the flood.
"""
LETTER_LIST = [
    ("Lind, A. (2018). Salt in slow rivers and in the brooks", "of the north. Journal of Rivers, 3, 1-9."),
    ("Lind, A., Wu, B., & Roe, C. (2018). Salt in fast rivers", "of the north. Journal of Rivers, 3, 10-19."),
    ("Ouyang, J.-W. (2020). Scales and fish of slow rivers in", "the north. Journal of Scales, 1, 1-9."),
    ("Roe, C. (2019). Spoons of the north and all that the", "rivers carry. Harbour Press."),
    ("Roe, C., & ter Wu, B. (2019). Spoons of the south and all", "that they carry. Harbour Press."),
]


def letter(text: str = LETTER) -> ParsedDocument:
    """A text without headings, shorter than its list of references, which stands in smaller type."""
    lines = [
        Drawn(72, 720, "A Letter on the Salt of Slow Rivers", 17, bold=True),
        Drawn(72, 695, "Ada Lind and J.-W. Ouyang", 11),
        *column(72, 660, text),
        Drawn(72, 560, "References", 13, bold=True),
    ]
    for number, (start, more) in enumerate(LETTER_LIST):
        lines += [Drawn(72, 544 - 22 * number, start, 9), Drawn(86, 533 - 22 * number, more, 9)]
    return read(pdf_of(lines))


def test_reads_a_letter_shorter_than_its_reference_list() -> None:
    document = assemble(letter())
    (paragraph,) = document.paragraphs
    assert paragraph.of(document.text).startswith("Research on the salt")
    assert paragraph.of(document.text).endswith("the times of the flood.")
    assert len(document.references) == 5


def test_initials_with_a_hyphen_belong_to_a_name() -> None:
    assert [printed_name(one) for one in letter().authors] == ["Ada Lind", "J.-W. Ouyang"]


def test_the_number_of_authors_separates_entries_of_one_year() -> None:
    text = LETTER + "Roe and ter Wu (2019) agree with Lind (2018), but Lind et al.\n(2018) and Roe (2019) do not."
    document = assemble(letter(text))
    assert [(one.span.of(document.text), one.reference) for one in document.citations] == [
        ("Roe, 2019", 4),
        ("Lind et al., 2018", 2),
        ("Lind, 2018", 1),
        ("Roe and ter Wu (2019)", 5),
        ("Lind (2018)", 1),
        ("Lind et al. (2018)", 2),
        ("Roe (2019)", 4),
    ]


def test_a_superscript_number_within_a_word_is_a_citation() -> None:
    lines = [
        Drawn(72, 720, "A Letter on the Salt of Slow Rivers", 17, bold=True),
        Drawn(72, 660, "Salt is as old as the rivers", 10),
        Drawn(195.6, 664, "1,2", 6),
        Drawn(204.1, 660, ". That is well known to all the fish.", 10),
        Drawn(72, 610, "References", 12, bold=True),
        *column(72, 594, NUMBERED),
    ]
    document = assemble(read(pdf_of(lines)))
    assert [(one.span.of(document.text), one.style) for one in document.citations] == [
        ("1", "superscript"),
        ("2", "superscript"),
    ]


def test_a_heading_continues_on_the_next_line() -> None:
    lines = [
        Drawn(72, 720, "A Letter on the Salt of Slow Rivers", 17, bold=True),
        Drawn(72, 680, "4 What the fish of the rivers say about their own", 12, bold=True),
        Drawn(72, 665, "salt", 12, bold=True),
        *column(72, 640, MORE * 3),
    ]
    headings = [one for one in read(pdf_of(lines)).body if isinstance(one, Heading)]
    assert ["".join(map(str, one.inlines)) for one in headings] == [
        "4 What the fish of the rivers say about their own salt"
    ]


def test_text_in_a_font_that_calls_itself_heavy_is_not_bold() -> None:
    """Ghostscript writes wide stems for regular fonts. Larger text between code would then be taken for headings."""
    font = (
        b"<</Type/Font/Subtype/Type1/BaseFont/LMRoman10-Regular/Encoding/WinAnsiEncoding/FirstChar 32/LastChar 126"
        b"/Widths[%s]/FontDescriptor<</Type/FontDescriptor/FontName/LMRoman10-Regular/Flags 34/StemV 151"
        b"/ItalicAngle 0/Ascent 700/Descent -200/CapHeight 700/FontBBox[-100 -200 1000 900]>>>>"
    ) % b" ".join([b"520"] * 95)
    lines = [
        Drawn(72, 720, "A Letter on the Salt of Slow Rivers", 17),
        Drawn(72, 695, "Ada Lind and Bo Wu", 11),
        Drawn(72, 670, "1 Salt", 13),
        Drawn(72, 650, "Salt is as old as the rivers that carry it to the sea", 10),
        Drawn(72, 610, "Nobody has yet asked the fish about it, and we did not", 10),
        Drawn(72, 570, "There are spoons in the north that are as old as salt", 10),
    ]
    found = read(pdf_of(lines, resources=b"/Font<</F1 %s>>" % font))
    assert [_heading(one) for one in found.body if isinstance(one, Heading)] == ["1salt"]
    assert sum(isinstance(one, Paragraph) for one in found.body) == 3


@pytest.mark.parametrize(
    ("printed", "title"),
    [
        ("The Salt of Slow Rivers*", "The Salt of Slow Rivers"),
        ("The Salt of Slow Rivers \u2020", "The Salt of Slow Rivers"),
        ("The Salt of Rivers by A*", "The Salt of Rivers by A*"),
    ],
)
def test_the_mark_of_a_footnote_is_no_part_of_a_title(printed: str, title: str) -> None:
    assert read(pdf_of([Drawn(72, 720, printed, 17), *column(72, 660, LETTER)])).title == title


def test_a_banner_without_spaces_is_not_a_title() -> None:
    banner = Drawn(72, 750, "JournalofRiversandTheirSpoons", 20)
    lines = [banner, Drawn(72, 700, "The Salt of Slow Rivers", 17), *column(72, 660, LETTER)]
    assert read(pdf_of(lines)).title == "The Salt of Slow Rivers"


def test_halves_of_hyphenated_words_are_not_words() -> None:
    text = "We measure what the measure-\nments of others have shown to\nthe fish, and measure-\nments of our own."
    lines = [Drawn(72, 720, "Hyphens of the Northern Spoons", 18), *column(72, 680, text)]
    assert assemble(read(pdf_of(lines))).text.count("measurements") == 2


def test_a_loose_line_is_one_line() -> None:
    words = zip((72, 112, 152, 192), ("Salt", "goes", "with", "fish"), strict=True)
    widths = {"Salt": 18.9, "goes": 21.7, "with": 17.8, "fish": 15.6}
    left, loose = 72.0, []
    for _, word in words:
        loose.append(Drawn(left, 632, word))
        left += widths[word] + 15
    lines = [Drawn(72, 720, "Hyphens of the Northern Spoons", 18), *column(72, 680, LEFT), *loose]
    text = assemble(read(pdf_of([*lines, *column(72, 620, MORE)]))).text
    assert "Salt goes with fish The second page" in " ".join(text.split())


def test_an_entry_at_the_foot_of_the_first_page_keeps_its_doi() -> None:
    entries = NUMBERED.replace("Scales, 2020.", "Scales, 2020.\ndoi:10.5555/scales")
    lines = [
        Drawn(72, 720, "A Letter on the Salt of Slow Rivers", 17, bold=True),
        *column(72, 680, LEFT * 6),
        Drawn(72, 148, "References", 12, bold=True),
        *column(72, 132, entries, 9, 11),
    ]
    found = read(pdf_of(lines))
    assert found.references[-1].ids == {"doi": "10.5555/scales"}
    assert not found.ids


def test_a_plain_layout_is_known() -> None:
    assert not read(paper()).unknown


# What cannot be read.


def encrypted() -> bytes:
    junk = b"<" + b"5A" * 32 + b">"
    more = b"/Encrypt<</Filter/Standard/V 1/R 2/O %s/U %s/P -4>>/ID[<00><00>]" % (junk, junk)
    return pdf_of([Drawn(72, 700, "A secret text")], trailer=more)


def only_an_image() -> bytes:
    return file_of(
        [
            b"<</Type/Catalog/Pages 2 0 R>>",
            b"<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 612 792]>>",
            b"<</Type/Page/Parent 2 0 R/Contents 4 0 R>>",
            stream(b"0 0 600 700 re f"),
        ]
    )


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "not a PDF"),
        (b"<html>", "not a PDF"),
        (b"%PDF-1.7\n", "broken"),
        (encrypted(), "encrypted"),
        (only_an_image(), "images"),
        (file_of([b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[]/Count 0>>"]), "no pages|broken"),
        (pdf_of(*[[] for _ in range(2_001)]), "2,001 pages"),
    ],
    ids=["nothing", "a web page", "a beginning", "encrypted", "an image", "no pages", "too many pages"],
)
def test_refuses_with_a_reason(content: bytes, reason: str) -> None:
    with pytest.raises(ReadError, match=reason):
        read(content)


def nested_drawings(levels: int) -> bytes:
    """A page that draws a form ten times, which draws another ten times, and so on."""
    forms = []
    for level in range(levels):
        inner = b"/X 0 Do " if level == 0 else b"/X%d Do " % (level - 1)
        own = b"<</XObject<</X%d %d 0 R>>>>" % (level - 1, 5 + level - 1) if level else b"<<>>"
        extra = b"/Type/XObject/Subtype/Form/BBox[0 0 1 1]/Resources%s" % own
        forms.append(stream(inner * 10 if level else b"0 0 1 1 re f", extra))
    top = b"/XObject<</T %d 0 R>>" % (5 + levels - 1)
    content = pdf_of([Drawn(72, 700, "A bomb")], resources=FONTS + top, extra=tuple(forms))
    return content.replace(b"BT /F1 10.00 Tf", b"/T Do BT /F1 1 Tf")


def test_gives_up_on_a_page_that_never_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as impatient, pytest.raises(ReadError, match="longer than 1 seconds|crash|memory"):
        impatient.setattr(child_process, "MAX_WALL_SECONDS", 1.0)
        read(nested_drawings(25))
    # The next document finds a new process, which may take longer to start than that on a busy machine.
    assert read(paper()).title


def test_gives_up_on_a_stream_that_unpacks_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    packed = zlib.compress(b"BT /F1 1 Tf (a) Tj ET\n" * 3_000_000, 9)
    bomb = file_of(
        [
            b"<</Type/Catalog/Pages 2 0 R>>",
            b"<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 612 792]>>",
            b"<</Type/Page/Parent 2 0 R/Contents 4 0 R>>",
            stream(packed, b"/Filter/FlateDecode"),
        ]
    )
    reasons = "longer than|crash|memory|objects|characters|no text"
    with monkeypatch.context() as impatient, pytest.raises(ReadError, match=reasons):
        impatient.setattr(child_process, "MAX_WALL_SECONDS", 5.0)
        read(bomb)
    assert read(paper()).title


def test_a_crash_is_reported_as_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    child_process.extract_lines(paper())
    child_process._own_process().close()
    command = shutil.which("false")
    assert command is not None
    with monkeypatch.context() as patched:
        patched.setattr("sys.executable", command)
        with pytest.raises(ReadError, match="crash"):
            read(paper())
    assert read(paper()).title


def test_damaged_files_are_read_or_refused() -> None:
    draw = Random(11)
    content = paper()
    for _ in range(300):
        broken = bytearray(content)
        for _ in range(draw.randint(1, 20)):
            broken[draw.randrange(len(broken))] = draw.randrange(256)
        cut = bytes(broken[: draw.choice([len(broken), draw.randrange(len(broken))])])
        try:
            assemble(read(cut))
        except ReadError as fault:
            assert str(fault)


def test_odd_lines_are_read() -> None:
    draw = Random(13)
    signs = "aA1 .,;()[]{}&*-'\"•–“”ÄßE2020 et al. Figure 1 References"
    for _ in range(60):
        pages = [
            [
                Drawn(
                    draw.uniform(-50, 700),
                    draw.uniform(-50, 850),
                    "".join(draw.choice(signs) for _ in range(draw.randint(1, 60))),
                    draw.choice([0.1, 5, 8, 10, 10, 10, 12, 30]),
                    draw.random() < 0.2,
                )
                for _ in range(draw.randint(0, 60))
            ]
            for _ in range(draw.randint(1, 3))
        ]
        try:
            assemble(read(pdf_of(*pages)))
        except ReadError as fault:
            assert str(fault)


@pytest.mark.parametrize("unit", ["A", "(", "(Wu, 2020", "[1", "a-", "A. ", "...'", "Wu (2020) "])
def test_reads_a_long_line_in_bounded_time(unit: str) -> None:
    lines = [Drawn(72, 700, "A Title of Some Length", 18), Drawn(72, 600, unit * (100_000 // len(unit)))]
    lines += [
        Drawn(72, 500, "References", 12, bold=True),
        Drawn(72, 480, "Wu, B. (2020). A book. Press."),
        Drawn(90, 465, "x"),
    ]
    read(pdf_of(lines))


# Converters.


def test_names_a_converter_that_is_not_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    for wanted, reason in (
        ("marker", "marker_single is not installed"),
        ("docling", "docling is not installed"),
        ("x", "Set it to"),
    ):
        monkeypatch.setenv("FATHOM_PDF", wanted)
        with pytest.raises(ReadError, match=reason):
            read(paper())


@pytest.mark.parametrize(("wanted", "command"), [("marker", "marker_single"), ("docling", "docling")])
def test_reads_the_markdown_of_a_converter(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, wanted: str, command: str
) -> None:
    script = tmp_path / command
    script.write_text(
        "#!/bin/sh\nwhile [ $# -gt 0 ]; do case $1 in --output|--output_dir) out=$2;; esac; shift; done\n"
        'mkdir -p "$out/document"\n'
        'printf "# Salt by a converter\\n\\nWe measure the salt of rivers.\\n" > "$out/document/document.md"\n'
    )
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv("FATHOM_PDF", wanted)
    assert read(paper()).title == "Salt by a converter"


TEI = b"""<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt><title>Salt by a service</title>
</titleStmt></fileDesc></teiHeader><text><body><div><p>We measure.</p></div></body></text></TEI>"""


@pytest.fixture
def service() -> Iterator[str]:
    """A service that answers as GROBID does."""

    class Answer(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = self.rfile.read(int(self.headers["Content-Length"]))
            good = self.path == "/api/processFulltextDocument" and b"%PDF-" in asked
            self.send_response(200 if good else 500)
            self.end_headers()
            self.wfile.write(TEI if good else b"")

        def log_message(self, format: str, *args: object) -> None:
            return

    server = HTTPServer(("127.0.0.1", 0), Answer)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_reads_the_tei_of_a_grobid_server(monkeypatch: pytest.MonkeyPatch, service: str) -> None:
    monkeypatch.setenv("FATHOM_PDF", f"grobid:{service}")
    assert read(paper()).title == "Salt by a service"
    monkeypatch.setenv("FATHOM_PDF", f"grobid:{service}/elsewhere")
    with pytest.raises(ReadError, match="did not respond"):
        read(paper())
    monkeypatch.setenv("FATHOM_PDF", "grobid:file:///etc/hostname")
    with pytest.raises(ReadError, match="http"):
        read(paper())


# Real documents beside their twins.


def plain_letters(text: str) -> str:
    folded = unicodedata.normalize("NFKD", text)
    return re.sub(r"[\W_]+", "", "".join(sign for sign in folded if not unicodedata.combining(sign))).lower()


def twins(shared: Callable[[str], Path]) -> Iterator[tuple[str, ParsedDocument, ParsedDocument]]:
    """Each real PDF as read here, with what its twin in another format says."""
    for path in sorted(shared("jose-pdf-jats/pdf").glob("*.pdf")):
        twin = path.parents[1] / "jats" / f"{path.stem}.xml"
        (gold,) = jats.read(twin.read_bytes(), twin.name, NoCompanions())
        yield path.stem, read(path.read_bytes()), gold
    for path in sorted(shared("acl-pdf-tei-s2orc").glob("*.pdf")):
        twin = path.with_suffix(".tei.xml")
        (gold,) = tei.read(twin.read_bytes(), twin.name, NoCompanions())
        yield path.stem, read(path.read_bytes()), gold


def test_real_pdfs_match_their_xml_versions(shared: Callable[[str], Path]) -> None:
    titles, names, lists, entries, count = 0, 0, 0, 0.0, 0
    for name, found, gold in twins(shared):
        count += 1
        titled = plain_letters(found.title) == plain_letters(gold.title)
        named = [plain_letters(printed_name(one)) for one in found.authors] == [
            plain_letters(printed_name(one)) for one in gold.authors
        ]
        listed = abs(len(found.references) - len(gold.references)) <= 1
        wanted = {plain_letters(one.title) for one in gold.references if one.title}
        got = {plain_letters(one.title) for one in found.references}
        titles, names, lists = titles + titled, names + named, lists + listed
        entries += len(wanted & got) / len(wanted) if wanted else 1
        if not (titled and named and listed):
            print(name, found.title, [printed_name(one) for one in found.authors], len(found.references), sep=" | ")
        assemble(found)
    assert count == 18
    assert titles >= 0.9 * count, "titles"
    assert names >= 0.9 * count, "names"
    assert lists >= 0.8 * count, "lists of references"
    assert entries >= 0.95 * count, "titles of references"


def test_real_text_is_complete(shared: Callable[[str], Path]) -> None:
    for path in sorted(shared("acl-pdf-tei-s2orc").glob("*.pdf")):
        (gold,) = tei.read(path.with_suffix(".tei.xml").read_bytes(), path.stem, NoCompanions())
        found = read(path.read_bytes())
        ours, theirs = _words(found), _words(gold)
        assert len(ours & theirs) >= 0.93 * len(theirs), sorted(theirs - ours)[:60]
        headed = {_heading(one) for one in found.body if isinstance(one, Heading)}
        wanted = {_heading(one) for one in gold.body if isinstance(one, Heading)}
        assert len(headed & wanted) >= 0.75 * len(wanted), wanted - headed
        cited = [sum(one.reference is not None for one in assemble(each).citations) for each in (found, gold)]
        assert cited[0] >= cited[1]


def _words(found: ParsedDocument) -> set[str]:
    text = " ".join(str(piece) for block in found.body if isinstance(block, Paragraph) for piece in block.inlines)
    return set(re.findall(r"[a-z]{4,}", text.lower()))


def _heading(heading: Heading) -> str:
    return plain_letters("".join(map(str, heading.inlines)))


@pytest.mark.parametrize(("text", "person"), [("Tin Pharma AG", False), ("Lind AG", True), ("Ada Lind", True)])
def test_a_company_is_not_a_person(text: str, person: bool) -> None:
    assert is_name(text) == person


@pytest.mark.parametrize(
    ("name", "given", "family", "group"),
    [
        ("The ATLAS Collaboration", "", "The ATLAS Collaboration", True),
        ("Tide Working Group", "", "Tide Working Group", True),
        ("Suharto", "", "Suharto", False),
        ("Ann College", "Ann", "College", False),
        ("Ludwig van der Berg Jr.", "Ludwig", "van der Berg Jr.", False),
    ],
)
def test_a_group_of_authors_is_not_a_person(name: str, given: str, family: str, group: bool) -> None:
    author = author_of(name)
    assert (author.given, author.family, author.group, author.printed) == (given, family, group, name)
