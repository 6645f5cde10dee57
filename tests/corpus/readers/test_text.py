"""Plain text: titles, headings, wrapped paragraphs, bylines, references."""

from __future__ import annotations

import pytest

from fathom.corpus.readers.assembly import assemble
from fathom.corpus.readers.parsed_document import NoCompanions, ReadError
from fathom.corpus.readers.text.reader import matches, read
from fathom.records.documents import Document

PAPER = """\
Salt in the upper marsh: a survey of three
tidal creeks

Ines Caldwell and Otto Brandt

ABSTRACT

We measured salt in three creeks for two years. The upper creek was the
saltiest in dry months.

1. INTRODUCTION

Marshes hold salt after a dry summer (Osei and Lund, 2015). The instru-
ment was calibrated twice; the instrument did not drift. A well-
known effect is that reeds die back first.

2. METHODS

2.1 Sites

We chose three creeks:

- the upper creek,
- the mill creek,
- the old harbor.

REFERENCES

Osei, P., Lund, K. (2015). Reeds and salt in dry summers. Marsh Letters 12,
    44-61.

Moreau, J. (2018). A pump for every creek. Journal of Field Methods 7, 101-119.
"""

NOVEL = """\
The Project Archive eBook of A Walk

Title: A Walk in the Reeds

Author: Edda Strand

*** START OF THE PROJECT ARCHIVE EBOOK A WALK ***

CHAPTER I

It was early when they left the house, and nobody had thought of the boat.
The water was high.

CHAPTER II

They came back late.

*** END OF THE PROJECT ARCHIVE EBOOK A WALK ***

This notice is no part of the book, and has several lines of terms.
"""


def document(text: str, name: str = "note.txt") -> Document:
    (one,) = read(text.encode(), name, NoCompanions())
    return assemble(one)


def headings(read_in: Document) -> list[str]:
    return [section.heading.of(read_in.text) for section in read_in.sections if section.heading]


def test_reads_a_paper() -> None:
    paper = document(PAPER)
    assert paper.title_text == "Salt in the upper marsh: a survey of three tidal creeks"
    assert [author.span.of(paper.text) for author in paper.authors] == ["Ines Caldwell", "Otto Brandt"]
    assert headings(paper)[:4] == ["Abstract", "1. INTRODUCTION", "2. METHODS", "2.1 Sites"]
    assert "saltiest in dry months." in paper.text
    assert "The instrument was calibrated twice; the instrument did not drift. A well-known effect" in paper.text
    assert len(paper.references) == 2
    assert [citation.reference for citation in paper.citations] == [1]
    assert paper.state("sections") == "known"


def test_reads_the_text_between_the_notices_of_an_archive() -> None:
    book = document(NOVEL)
    assert book.title_text == "A Walk in the Reeds"
    assert [author.span.of(book.text) for author in book.authors] == ["Edda Strand"]
    assert headings(book) == ["CHAPTER I", "CHAPTER II"]
    assert "notice" not in book.text


def test_guessed_headings_leave_the_sections_unknown() -> None:
    long = "The creek was measured at low tide on every second day of the year, by hand and by pump. " * 2
    read_in = document(f"A survey of creeks\n\n{long}\n\nSites and people\n\n{long}\n\n{long}\n")
    assert headings(read_in) == ["Sites and people"]
    assert read_in.state("sections") == "unknown"


def test_a_text_without_a_title_is_named_after_its_file() -> None:
    read_in = document(
        "It rained all night, and the creek rose by\na meter. Nobody slept.\n\nThen it stopped.\n", "a/wet_night.txt"
    )
    assert read_in.title_text == "Wet night"
    assert read_in.state("title") == "unknown"


def test_a_line_that_may_continue_the_title_leaves_it_unknown() -> None:
    text = "Salt in the Upper Marsh\nFrom Creek to Harbor\n\nMarshes hold salt after a dry summer, and reeds die.\n"
    assert document(text).state("title") == "unknown"
    assert document(text.replace("From Creek to Harbor", "June 2021")).title_text == "Salt in the Upper Marsh"


def test_paragraphs_that_are_whole_lines() -> None:
    long = "The creek was measured at low tide on every second day of the year, by hand and by pump, in all weathers."
    read_in = document(f"A survey\n\n{long} One.\n{long} Two.\n")
    assert f"{long} One.\n\n{long} Two." in read_in.text


def test_chinese_lines_are_joined_without_spaces() -> None:
    read_in = document("盐沼调查\n\n一、方法\n\n我们在三条小溪测量了盐度，每两天一次，\n共测量了两年。\n")
    assert (read_in.title_text, read_in.language, headings(read_in)) == ("盐沼调查", "zh", ["一、方法"])
    assert "每两天一次，共测量了两年。" in read_in.text


def test_labels_on_lines_of_their_own_are_headings() -> None:
    text = (
        "TITLE: \nSalt in the upper marsh\n\nABSTRACT.BACKGROUND:\nMarshes hold salt.\n\n"
        "ABSTRACT.RESULTS:\nReeds die.\n\n"
        "BODY.METHODS.SITES:\nWe pumped water from three creeks.\n\nDISCUSSION:\nRushes live on.\n"
    )
    read_in = document(text)
    assert read_in.title_text == "Salt in the upper marsh"
    assert read_in.abstract is not None
    assert read_in.abstract.of(read_in.text) == "BACKGROUND: Marshes hold salt.\n\nRESULTS: Reeds die."
    assert headings(read_in) == ["Abstract", "SITES", "DISCUSSION"]


def test_tables_and_columns_keep_their_lines() -> None:
    read_in = document(
        "Counts\n\nSome words stand here.\n\ncreek\tsalt\nupper\t12\nmill\t7\n\nreed     12   3\nrush      7   1\n"
    )
    assert [cell.span.of(read_in.text) for cell in read_in.tables[0].cells][:4] == ["creek", "salt", "upper", "12"]
    assert "reed     12   3\nrush      7   1" in read_in.text


def test_knows_plain_text_by_its_name_or_bytes() -> None:
    assert matches("a.txt", b"x") and matches("a.TXT.gz", b"x") and matches("notes", b"Some words\nin lines\n")
    assert (
        not matches("server.log", b"x\n") and not matches("program", b"\x7fELF\x00\x01\n") and not matches("empty", b"")
    )


@pytest.mark.parametrize("content", [b"", b"\n \n", bytes(range(256)), "Smørrebrød".encode("cp1252")])
def test_refuses_what_is_not_text(content: bytes) -> None:
    with pytest.raises(ReadError):
        list(read(content, "x.txt", NoCompanions()))
