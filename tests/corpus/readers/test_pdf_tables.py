"""Tables in PDFs: drawn cell by cell, skipped if their columns are uncertain, and real ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fathom.corpus.readers.assembly import assemble
from fathom.corpus.readers.jats import reader as jats
from fathom.corpus.readers.parsed_document import NoCompanions, Paragraph, ParsedDocument, ParsedTable
from tests.corpus.readers.test_pdf import Drawn, column, pdf_of, plain_letters, read

PROSE = """
Salt is as old as the rivers that carry it, and so are the fish that
swim in them. We measure it where it is slow, and where it is fast, with
a spoon and a scale, and write down in a table what we have found there.
"""
TITLE = Drawn(72, 740, "A Short Note on Salt in Rivers", 17)

Cells = list[tuple[float, str]]


def row(base: float, *cells: tuple[float, str], bold: bool = False, size: float = 9) -> list[Drawn]:
    return [Drawn(left, base, text, size, bold) for left, text in cells]


SALT = [
    *row(600, (72, "River"), (160, "Salt"), (220, "Fish"), bold=True),
    *row(588, (72, "Slow Brook"), (160, "0.31"), (220, "12")),
    *row(576, (72, "Fast Brook"), (160, "0.29"), (220, "7")),
]
SALT_CELLS = [["River", "Salt", "Fish"], ["Slow Brook", "0.31", "12"], ["Fast Brook", "0.29", "7"]]
BEFORE, AFTER = column(72, 690, PROSE), column(72, 540, PROSE)


def tables(found: ParsedDocument) -> list[ParsedTable]:
    return [block for block in found.body if isinstance(block, ParsedTable)]


def said(words: object) -> str:
    assert isinstance(words, list)
    return "".join(piece if isinstance(piece, str) else piece.text for piece in words)


def cells(table: ParsedTable) -> list[list[str]]:
    return [[said(cell.inlines) for cell in line] for line in table.rows]


def only(*pages: list[Drawn]) -> ParsedTable:
    (table,) = tables(read(pdf_of(*pages)))
    return table


@pytest.mark.parametrize("base", [616, 556], ids=["above the table", "below the table"])
def test_finds_a_table_by_its_caption(base: float) -> None:
    table = only([TITLE, *BEFORE, Drawn(72, base, "Table 1: Salt in two rivers.", 9), *SALT, *column(72, 520, PROSE)])
    assert said(table.caption) == "Table 1: Salt in two rivers."
    assert cells(table) == SALT_CELLS
    assert [[cell.header for cell in line] for line in table.rows] == [[True] * 3, [False] * 3, [False] * 3]


def test_rows_with_labels_and_figures_are_a_table_without_a_caption() -> None:
    third = row(564, (72, "Old Brook"), (160, "0.33"), (220, "–"))
    assert cells(only([TITLE, *BEFORE, *SALT, *third, *AFTER])) == [*SALT_CELLS, ["Old Brook", "0.33", "–"]]
    # Two rows may be anything.
    assert not tables(read(pdf_of([TITLE, *BEFORE, *SALT, *AFTER])))


def test_keeps_the_text_around_a_table() -> None:
    document = assemble(read(pdf_of([TITLE, *BEFORE, Drawn(72, 616, "Table 1: Salt.", 9), *SALT, *AFTER])))
    assert [len(table.cells) for table in document.tables] == [9]
    paragraphs = [span.of(document.text) for span in document.paragraphs]
    assert [text[:11] for text in paragraphs] == ["Salt is as ", "Salt is as "]
    assert not any("Brook" in text for text in paragraphs)


def test_separates_cells_with_narrow_gaps() -> None:
    lines = [
        *row(600, (72, "River"), (102, "Salt"), (126, "Fish")),
        *row(588, (72, "Slow"), (102, "0.31"), (126, "12")),
        *row(576, (72, "Fast"), (102, "0.29"), (126, "7")),
    ]
    table = only([TITLE, *BEFORE, Drawn(72, 616, "Table 1: Salt.", 9), *lines, *AFTER])
    assert cells(table) == [["River", "Salt", "Fish"], ["Slow", "0.31", "12"], ["Fast", "0.29", "7"]]


def test_a_cell_may_wrap_to_the_next_line() -> None:
    lines = [
        *row(600, (72, "River"), (160, "Salt of the"), (220, "Fish")),
        *row(590, (160, "upper course")),
        *row(580, (72, "The slow brook of"), (160, "0.31"), (220, "12")),
        *row(570, (72, "Harbour Hill")),
        *row(560, (72, "Fast Brook"), (160, "0.29"), (220, "7")),
    ]
    table = only([TITLE, *BEFORE, Drawn(72, 616, "Table 1: Salt.", 9), *lines, *AFTER])
    assert cells(table) == [
        ["River", "Salt of the upper course", "Fish"],
        ["The slow brook of Harbour Hill", "0.31", "12"],
        ["Fast Brook", "0.29", "7"],
    ]


def test_a_group_row_is_a_row() -> None:
    lines = [
        *SALT[:6],
        *row(576, (72, "South")),
        *row(564, (72, "The brook behind"), (160, "0.29"), (220, "7")),
    ]
    table = only([TITLE, *BEFORE, Drawn(72, 616, "Table 1: Salt.", 9), *lines, *column(72, 520, PROSE)])
    assert cells(table)[2:] == [["South", "", ""], ["The brook behind", "0.29", "7"]]


def test_a_header_over_two_columns_spans_them() -> None:
    lines = [
        *row(612, (150, "In the upper course"), (260, "In the lower course")),
        *row(600, (72, "River"), (150, "Salt"), (200, "Fish"), (260, "Salt"), (310, "Fish")),
        *row(588, (72, "Slow"), (150, "0.31"), (200, "12"), (260, "0.11"), (310, "3")),
        *row(576, (72, "Fast"), (150, "0.29"), (200, "7"), (260, "0.12"), (310, "4")),
        *row(564, (72, "Still"), (150, "0.39"), (200, "8"), (260, "0.13"), (310, "5")),
    ]
    table = only([TITLE, *BEFORE, Drawn(72, 628, "Table 1: Salt.", 9), *lines, *column(72, 520, PROSE)])
    assert [(said(cell.inlines), cell.columns) for cell in table.rows[0]] == [
        ("", 1),
        ("In the upper course", 2),
        ("In the lower course", 2),
    ]
    assert cells(table)[2] == ["Slow", "0.31", "12", "0.11", "3"]


def test_a_table_continues_on_the_next_page() -> None:
    first = [TITLE, *column(72, 700, PROSE * 11), Drawn(72, 126, "Table 1: Salt.", 9)]
    first += row(110, (72, "River"), (160, "Salt"), (220, "Fish"))
    first += row(98, (72, "Slow Brook"), (160, "0.31"), (220, "12"))
    second = [*row(700, (72, "Fast Brook"), (160, "0.29"), (220, "7")), *column(72, 660, PROSE)]
    assert cells(only(first, second)) == SALT_CELLS


NOT_TOLD = {
    "prose below": [Drawn(72, 616, "Table 1: Salt.", 9), *column(72, 600, PROSE)],
    "one row": [Drawn(72, 616, "Table 1: Salt.", 9), *row(600, (72, "River"), (160, "0.31")), *AFTER],
    "a sentence": [Drawn(72, 616, "Table 1 shows what we have found in the rivers.", 10), *SALT, *AFTER],
    "numbers too close": [
        Drawn(72, 616, "Table 1: Salt.", 9),
        *row(600, (72, "Slow Brook"), (160, "0.31 12 14")),
        *row(588, (72, "Fast Brook"), (160, "0.29 17 15")),
        *row(576, (72, "Third Brook"), (160, "0.27 13 16")),
        *AFTER,
    ],
    "no columns": [
        Drawn(72, 616, "Table 1: Salt.", 9),
        *row(600, (72, "River and"), (140, "salt"), (190, "fish"), size=10),
        *row(588, (90, "more and more"), (170, "water in"), size=10),
        *row(576, (72, "of"), (110, "rivers that are slow"), size=10),
        *row(564, (80, "long words"), (150, "and others"), size=10),
        *AFTER,
    ],
}


@pytest.mark.parametrize("lines", NOT_TOLD.values(), ids=NOT_TOLD.keys())
def test_leaves_doubtful_tables_as_lines(lines: list[Drawn]) -> None:
    found = read(pdf_of([TITLE, *BEFORE, *lines]))
    assert not tables(found)
    text = " ".join(said(block.inlines) for block in found.body if isinstance(block, Paragraph))
    wanted = Counter(word for one in lines for word in one.text.split())
    assert not wanted - Counter(text.replace("|", " ").split()), text


def test_reads_many_captions_and_cells_in_bounded_time() -> None:
    page = [Drawn(10 + 30 * (number % 20), 790 - 0.25 * (number // 20), "Table 1: a", 3) for number in range(20_000)]
    page += [Drawn(10 + 3 * number, 20, "9", 2) for number in range(200)]
    found = read(pdf_of([TITLE, *BEFORE], page))
    assemble(found)


def in_twins(shared: Callable[[str], Path]) -> Iterator[tuple[ParsedDocument, ParsedDocument]]:
    for path in sorted(shared("jose-pdf-jats/pdf").glob("*.pdf")):
        twin = path.parents[1] / "jats" / f"{path.stem}.xml"
        (gold,) = jats.read(twin.read_bytes(), twin.name, NoCompanions())
        yield read(path.read_bytes()), gold


def test_real_cells_match_the_xml_version(shared: Callable[[str], Path]) -> None:
    wanted: Counter[str] = Counter()
    got: Counter[str] = Counter()
    for found, gold in in_twins(shared):
        # A table without a caption is not looked for.
        wanted.update(
            plain_letters(cell) for one in tables(gold) if one.caption for line in cells(one) for cell in line
        )
        got.update(plain_letters(cell) for one in tables(found) for line in cells(one) for cell in line)
    assert wanted.total() == 81
    assert (wanted & got).total() >= 0.95 * wanted.total()
    assert (wanted & got).total() >= 0.95 * got.total()


def test_real_numbers_are_in_their_columns(shared: Callable[[str], Path]) -> None:
    (path,) = shared("acl-pdf-tei-s2orc").glob("N18-3011.pdf")
    found = tables(read(path.read_bytes()))
    assert [len(table.rows) for table in found] == [7, 5, 4, 3]
    assert cells(found[1])[2] == ["Statistical", "98.4", "712", "94.4", "928"]
    assert cells(found[3]) == [["", "CS", "Bio"], ["Baseline", "84.2", "54.2"], ["Neural", "84.6", "85.8"]]
