"""Word documents as Word, LibreOffice, Google Docs and Pandoc write them."""

from __future__ import annotations

import io
import zipfile
from random import Random

import pytest

from fathom.corpus.readers.assembly import assemble
from fathom.corpus.readers.docx.reader import matches, read
from fathom.corpus.readers.parsed_document import NoCompanions, ReadError
from fathom.corpus.readers.parsing.zip_parts import ZipParts
from fathom.corpus.selftest.documents import zipped
from fathom.records.documents import Document

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
STRICT = "http://purl.oclc.org/ooxml/wordprocessingml/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PROSE = "Marshes hold salt after a dry summer, and the reeds die back before the rushes do."


def p(text: str, style: str = "", properties: str = "", run: str = "") -> str:
    named = f'<w:pStyle w:val="{style}"/>' if style else ""
    return f"<w:p><w:pPr>{named}{properties}</w:pPr><w:r><w:rPr>{run}</w:rPr><w:t>{text}</w:t></w:r></w:p>"


def style(id: str, name: str, extra: str = "") -> str:
    return f'<w:style w:type="paragraph" w:styleId="{id}"><w:name w:val="{name}"/>{extra}</w:style>'


def file(body: str, namespace: str = W, core: str = "", **parts: str) -> bytes:
    relations = "".join(
        f'<Relationship Id="r{n}" Type="{OFFICE}/{name}" Target="{name}.xml"/>' for n, name in enumerate(parts)
    )
    package = {
        "_rels/.rels": "<Relationships>"
        f'<Relationship Id="a" Type="{OFFICE}/officeDocument" Target="/word/document.xml"/>'
        f'<Relationship Id="b" Type="{OFFICE}/metadata/core-properties" Target="docProps/core.xml"/></Relationships>',
        "word/_rels/document.xml.rels": f"<Relationships>{relations}</Relationships>",
        "word/document.xml": f'<w:document xmlns:w="{namespace}"><w:body>{body}</w:body></w:document>',
        "docProps/core.xml": f'<p xmlns:dc="http://purl.org/dc/elements/1.1/">{core}</p>',
    }
    package |= {f"word/{name}.xml": f'<w:x xmlns:w="{namespace}">{text}</w:x>' for name, text in parts.items()}
    return zipped(package)


def document(content: bytes, name: str = "paper.docx") -> Document:
    (one,) = read(content, name, NoCompanions())
    return assemble(one)


def headings(read_in: Document) -> list[tuple[int, str]]:
    return [(section.level, section.heading.of(read_in.text)) for section in read_in.sections if section.heading]


@pytest.mark.parametrize("namespace", [W, STRICT])
def test_reads_styles_of_a_german_word(namespace: str) -> None:
    styles = style("Titel", "Title") + style("berschrift1", "heading 1") + style("berschrift2", "heading 2")
    body = p("Salz im Moor", "Titel") + p("Anlass", "berschrift1") + p(PROSE) + p("Ort", "berschrift2") + p(PROSE)
    read_in = document(file(body, namespace, styles=styles))
    assert read_in.title_text == "Salz im Moor"
    assert headings(read_in) == [(2, "Anlass"), (3, "Ort")]


def test_reads_translated_style_names_and_outline_levels() -> None:
    styles = (
        style("a3", "标题")
        + style("1", "标题 1")
        + style("Kapitel", "Mein Kapitel", '<w:pPr><w:outlineLvl w:val="0"/></w:pPr>')
        + style("Abschnitt", "Mein Abschnitt", '<w:basedOn w:val="Kapitel"/>')
    )
    body = p("Salt in the marsh", "a3") + p("One", "1") + p(PROSE) + p("Two", "Abschnitt") + p(PROSE)
    body += p("Three", "", '<w:outlineLvl w:val="1"/>') + p(PROSE)
    assert headings(document(file(body, styles=styles))) == [(2, "One"), (2, "Two"), (3, "Three")]


def test_reads_the_front_matter_of_pandoc() -> None:
    body = p("Salt in the marsh", "Title") + p("Ines Caldwell", "Author") + p("Otto Brandt", "Author")
    body += (
        p("2021-03-14", "Date") + p("We measured salt for two years.", "Abstract") + p("Sites", "Heading1") + p(PROSE)
    )
    read_in = document(file(body))
    assert [author.span.of(read_in.text) for author in read_in.authors] == ["Ines Caldwell", "Otto Brandt"]
    assert read_in.year == 2021
    assert read_in.abstract is not None and read_in.abstract.of(read_in.text) == "We measured salt for two years."


def test_the_only_first_heading_of_google_docs_is_the_title() -> None:
    body = (
        p("Salt in the marsh", "Heading1")
        + p(PROSE)
        + p("Sites", "Heading2")
        + p(PROSE)
        + p("Tools", "Heading2")
        + p(PROSE)
    )
    read_in = document(file(body))
    assert read_in.title_text == "Salt in the marsh"
    assert [text for _, text in headings(read_in)] == ["Sites", "Tools"]


def test_tracked_changes_fields_links_and_controls() -> None:
    body = p("Salt in the marsh", "Title") + (
        "<w:p><w:r><w:t>Reeds </w:t></w:r><w:del><w:r><w:delText>never </w:delText></w:r></w:del>"
        "<w:ins><w:r><w:t>often </w:t></w:r></w:ins><w:moveFrom><w:r><w:t>gone </w:t></w:r></w:moveFrom>"
        '<w:hyperlink w:anchor="x"><w:r><w:t>die</w:t></w:r></w:hyperlink>'
        '<w:r><w:t xml:space="preserve"> back</w:t></w:r>'
        '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>PAGE hidden</w:instrText></w:r>'
        '<w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t xml:space="preserve"> on page 7</w:t></w:r>'
        '<w:r><w:fldChar w:fldCharType="end"/></w:r>'
        "<w:r><w:rPr><w:vanish/></w:rPr><w:t>unseen</w:t></w:r><w:r><w:t>.</w:t></w:r></w:p>"
        f"<w:sdt><w:sdtContent>{p('In a control.')}</w:sdtContent></w:sdt>"
        '<w:p><w:pPr><w:rPr><w:del w:id="1"/></w:rPr></w:pPr><w:r><w:t>The first half</w:t></w:r></w:p>'
        + p("and the second.")
    )
    text = document(file(body)).text
    assert "Reeds often die back on page 7." in text
    assert "In a control." in text
    assert "The first half and the second." in text
    assert not any(word in text for word in ("never", "gone", "hidden", "unseen"))


def test_tables_of_contents_are_dropped() -> None:
    body = (
        p("Salt in the marsh", "Title")
        + p("Sites 3", "TOC1")
        + '<w:sdt><w:sdtPr><w:docPartObj><w:docPartGallery w:val="Table of Contents"/></w:docPartObj></w:sdtPr>'
        + f"<w:sdtContent>{p('Tools 9')}</w:sdtContent></w:sdt>"
        + p("Sites", "Heading1")
        + p(PROSE)
    )
    text = document(file(body)).text
    assert "Sites 3" not in text
    assert "Tools 9" not in text


def test_lists_tables_and_notes() -> None:
    numbering = (
        '<w:abstractNum w:abstractNumId="5"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/>'
        '<w:lvlText w:val="[%1]"/></w:lvl></w:abstractNum><w:num w:numId="2"><w:abstractNumId w:val="5"/></w:num>'
    )
    item = '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="2"/></w:numPr>'

    def cell(text: str, properties: str = "") -> str:
        return f"<w:tc><w:tcPr>{properties}</w:tcPr>{p(text)}</w:tc>"

    upper = cell("upper", '<w:vMerge w:val="restart"/>') + cell("12")
    below = cell("upper", "<w:vMerge/>") + cell("7")
    rows = (cell("creek") + cell("salt"), upper, below)
    table = "<w:tbl>" + "".join(f"<w:tr>{row}</w:tr>" for row in rows) + "</w:tbl>"
    notes = (
        f'<w:footnote w:type="separator" w:id="0">{p("rule")}</w:footnote>'
        f'<w:footnote w:id="1">{p("Pumped by hand.")}</w:footnote>'
    )
    body = p("Salt in the marsh", "Title") + p("Sites", "Heading1")
    body += '<w:p><w:r><w:t>Reeds die [1], as seen.</w:t></w:r><w:r><w:footnoteReference w:id="1"/></w:r></w:p>'
    body += p("Table 1. Salt by creek") + table + p("References", "Heading1")
    body += p("Osei, P. (2015). Reeds and salt in dry summers. Marsh Letters 12, 44-61.", properties=item)
    body += p("Moreau, J. (2018). A pump for every creek. Journal of Field Methods 7, 101-119.", properties=item)
    read_in = document(file(body, numbering=numbering, footnotes=notes))
    assert [cell.span.of(read_in.text) for cell in read_in.tables[0].cells] == ["creek", "salt", "upper", "12", "", "7"]
    assert (len(read_in.references), [one.reference for one in read_in.citations]) == (2, [1])
    assert "Pumped by hand." in read_in.text
    assert "rule" not in read_in.text


def test_bold_lines_are_headings_if_there_are_no_styles() -> None:
    body = p("Salt in the marsh", run="<w:b/>") + p(PROSE) + p("Sites", run="<w:b/>") + p(PROSE)
    read_in = document(file(body))
    assert read_in.title_text == "Salt in the marsh"
    assert headings(read_in) == [(2, "Sites")]
    assert read_in.state("sections") == "unknown"


def test_properties_of_the_file_are_no_facts() -> None:
    core = "<dc:title>Salt in the marsh</dc:title><dc:creator>Office User</dc:creator>"
    read_in = document(file(p("Sites", "Heading1") + p(PROSE) + p("Tools", "Heading1") + p(PROSE), core=core))
    assert read_in.title_text == "Salt in the marsh"
    assert (read_in.state("title"), read_in.state("authors")) == ("unknown", "unknown")
    untitled = document(
        file(p("Sites", "Heading1") + p(PROSE), core="<dc:title>Document1</dc:title>"), "a/marsh_salt.docx"
    )
    assert untitled.title_text == "Marsh salt"


def test_knows_word_files() -> None:
    content = file(p("x"))
    assert matches("a.docx", content)
    assert matches("download", content)
    assert not matches("a.docx", b"\xd0\xcf\x11\xe0")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"PK\x03\x04 and no more", "damaged"),
        (zipped({"word/other.xml": "<a/>"}), "no Word document"),
        (file(""), "no text"),
        (zipped({"word/document.xml": "<w:document>" + " " * 40_000_000 + "</w:document>"}), "too large when unpacked"),
        (file("<w:p>" * 400), "well-formed"),
    ],
)
def test_unreadable_input_is_refused_with_a_reason(content: bytes, reason: str) -> None:
    with pytest.raises(ReadError, match=reason):
        document(content)


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_damage_is_a_read_error_with_every_compression(method: int) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        archive.writestr("word/document.xml", f"<w:document>{'salt and silt ' * 500}</w:document>")
    whole, rng, refused = buffer.getvalue(), Random(1), 0
    for _ in range(200):
        damaged = bytearray(whole)
        damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
        try:
            ZipParts(bytes(damaged)).get("word/document.xml")
        except ReadError:
            refused += 1
    assert refused > 50
