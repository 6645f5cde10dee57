"""E-books as conversion programs, layout programs and publishers write them."""

from __future__ import annotations

import pytest

from fathom.corpus.readers.assembly import assemble
from fathom.corpus.readers.epub.reader import matches, read
from fathom.corpus.readers.parsed_document import NoCompanions, ReadError
from fathom.corpus.selftest.documents import zipped
from fathom.records.documents import Document

ONE = "It was early when they left the house, and nobody had thought of the boat or of the tide."
TWO = "They came back late, and the water was already in the lower field, where the reeds were cut."
CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="OEBPS/content.opf"/></rootfiles></container>'
)


def chapter(body: str) -> str:
    return f'<html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head><body>{body}</body></html>'


def book(metadata: str, chapters: dict[str, str], spine: str = "", extra: str = "", **others: str) -> bytes:
    items = "".join(f'<item id="{n[:-6]}" href="{n}" media-type="application/xhtml+xml"/>' for n in chapters)
    order = spine or "".join(f'<itemref idref="{name[:-6]}"/>' for name in chapters)
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/" '
        f'xmlns:opf="http://www.idpf.org/2007/opf"><metadata>{metadata}</metadata>'
        f"<manifest>{items}{extra}</manifest><spine>{order}</spine></package>"
    )
    parts = {"mimetype": "application/epub+zip", "META-INF/container.xml": CONTAINER, "OEBPS/content.opf": package}
    return zipped(parts | {f"OEBPS/{name}": text for name, text in chapters.items()} | others)


def document(content: bytes) -> Document:
    (one,) = read(content, "a/walk_in_reeds.epub", NoCompanions())
    return assemble(one)


def headings(read_in: Document) -> list[str]:
    return [section.heading.of(read_in.text) for section in read_in.sections if section.heading]


CHAPTERS = {
    "b.xhtml": chapter(f"<h1>Leaving</h1><p>{ONE}</p>"),
    "a.xhtml": chapter(f"<h1>Coming back</h1><p>{TWO}</p>"),
}


def test_reads_roles_and_dates_of_version_2() -> None:
    metadata = (
        "<dc:title>A walk in the reeds</dc:title>"
        '<dc:creator opf:role="aut" opf:file-as="Strand, Edda">Edda Strand</dc:creator>'
        '<dc:creator opf:role="ill">Otto Brandt</dc:creator><dc:date opf:event="modification">2023-01-01</dc:date>'
        '<dc:date opf:event="publication">1921</dc:date><dc:language>en</dc:language>'
    )
    read_in = document(book(metadata, CHAPTERS))
    assert (read_in.title_text, read_in.year, headings(read_in)) == (
        "A walk in the reeds",
        1921,
        ["Leaving", "Coming back"],
    )
    assert [author.span.of(read_in.text) for author in read_in.authors] == ["Edda Strand"]


def test_reads_roles_of_version_3() -> None:
    metadata = (
        '<dc:title>A walk</dc:title><dc:creator id="c1">Edda Strand</dc:creator>'
        '<dc:creator id="c2">Otto Brandt</dc:creator>'
        '<meta refines="#c2" property="role" scheme="marc:relators">edt</meta>'
        "<dc:date>0101-01-01T00:00:00+00:00</dc:date>"
    )
    read_in = document(book(metadata, CHAPTERS))
    assert [author.span.of(read_in.text) for author in read_in.authors] == ["Edda Strand"]
    assert read_in.year is None


def test_takes_chapter_titles_from_the_table_of_contents() -> None:
    chapters = {
        "one.xhtml": chapter(f'<div><p class="Chapter-Title">Leaving</p><p class="Body-Text">{ONE}</p></div>'),
        "two.xhtml": chapter(f'<div><p class="Body-Text">{TWO}</p></div>'),
    }
    contents = (
        '<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap><navPoint><navLabel><text>Leaving</text></navLabel>'
        '<content src="one.xhtml"/></navPoint><navPoint><navLabel><text>Coming back</text></navLabel>'
        '<content src="two.xhtml"/></navPoint></navMap></ncx>'
    )
    extra = '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>'
    read_in = document(book("<dc:title>A walk</dc:title>", chapters, extra=extra, **{"OEBPS/toc.ncx": contents}))
    assert headings(read_in) == ["Leaving", "Coming back"]
    assert read_in.text.count("Leaving") == 1


def test_drops_what_is_not_text() -> None:
    links = "".join(f'<li><a href="c{n}.xhtml">Chapter number {n}</a></li>' for n in range(9))
    chapters = {
        "toc.xhtml": chapter(f"<h2>Contents</h2><ul>{links}</ul>"),
        "one.xhtml": chapter(
            f'<h1>Leaving</h1><p><a id="p1"/>{ONE}<span epub:type="pagebreak">17</span></p>'
            "<svg><text>drawn</text></svg>"
        ),
        "ad.xhtml": chapter("<p>Buy the next book.</p>"),
    }
    spine = '<itemref idref="toc"/><itemref idref="one"/><itemref idref="one"/><itemref idref="ad" linear="no"/>'
    text = document(book("<dc:title>A walk</dc:title>", chapters, spine)).text
    assert text.count(ONE) == 1
    assert not any(noise in text for noise in ("Contents", "number 3", "17", "drawn", "Buy"))


@pytest.mark.parametrize(
    "metadata", ["<dc:title>A walk</dc:title>", "<dc:title>A walk</dc:title><dc:creator>Unknown</dc:creator>"]
)
def test_a_book_without_an_author_has_unknown_authors(metadata: str) -> None:
    read_in = document(book(metadata, CHAPTERS))
    assert (read_in.state("authors"), read_in.authors) == ("unknown", ())


def test_a_book_without_a_title_is_named_after_its_file() -> None:
    read_in = document(book("", CHAPTERS))
    assert (read_in.title_text, read_in.state("title")) == ("Walk in reeds", "unknown")


def test_knows_books() -> None:
    assert matches("a.epub", b"PK\x03\x04") and matches("download", book("", CHAPTERS))
    assert not matches("a.epub", b"<html>") and not matches("a.zip", b"PK\x03\x04")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"PK\x03\x04", "damaged"),
        (zipped({"mimetype": "application/epub+zip"}), "no package"),
        (book("", CHAPTERS, spine=" "), "no reading order"),
        (book("", {"a.xhtml": chapter("<h1>Empty</h1>")}), "no text"),
        (book("", {"a.xhtml": chapter("<div>" * 1_000)}), "too deep"),
        (book("", CHAPTERS, **{"META-INF/rights.xml": "<rights/>"}), "protected"),
        (book("", {"a.xhtml": chapter("<p>" + "x" * 30_000_000 + "</p>")}), "too large when unpacked"),
    ],
)
def test_unreadable_books_are_refused_with_a_reason(content: bytes, reason: str) -> None:
    with pytest.raises(ReadError, match=reason):
        document(content)
