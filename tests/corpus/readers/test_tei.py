"""TEI as GROBID writes it: a small document, and real ones if available."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from fathom.corpus.readers.assembly import assemble
from fathom.corpus.readers.parsed_document import (
    CitationMark,
    Heading,
    NoCompanions,
    Paragraph,
    ParsedDocument,
    ParsedTable,
    ReadError,
)
from fathom.corpus.readers.parsing import grobid_fields
from fathom.corpus.readers.tei import reader as tei
from fathom.records.documents import Document

DOCUMENT = """<?xml version="1.0" encoding="UTF-8"?>
<TEI xmlns="http://www.tei-c.org/ns/1.0">
<teiHeader xml:lang="en">
 <fileDesc>
  <titleStmt><title level="a" type="main">Salt in slow rivers</title></titleStmt>
  <publicationStmt><publisher/><availability status="unknown"><licence target="https://licence.example"/></availability>
   <date type="published" when="2021-03-04"/></publicationStmt>
  <sourceDesc><biblStruct>
   <analytic>
    <author role="corresp"><persName><forename type="first">Ada</forename><forename type="middle">B</forename>
     <surname>Lind</surname></persName><email>ada@example.org</email>
     <idno type="ORCID">https://orcid.org/0000-0001-2345-6789</idno></author>
    <author><persName><surname>Wu</surname></persName></author>
    <author><affiliation><orgName type="institution">A school of rivers</orgName></affiliation></author>
    <author><orgName type="collaboration">The Dam Group</orgName></author>
   </analytic>
   <monogr><title level="j">Journal of Rivers</title>
    <imprint><date type="published" when="2021-03-04"/></imprint></monogr>
   <idno type="DOI">10.1000/abc</idno><idno type="MD5">F00</idno>
  </biblStruct></sourceDesc>
 </fileDesc>
 <profileDesc>
  <textClass><keywords><term>salt</term><term>rivers</term></keywords></textClass>
  <abstract><div><p>We measure salt.</p></div></abstract>
 </profileDesc>
</teiHeader>
<text xml:lang="en">
 <body>
  <div><head n="1">Introduction</head>
   <p>Salt is old (<ref type="bibr" target="#b0">Lind et al., 2018;</ref>
    <ref type="bibr" target="#b1">Wu, 2020)</ref>.</p>
   <p>As <ref type="bibr" target="#b1">Wu (2020)</ref> says, see <ref type="figure" target="#fig_0">Fig. 1</ref> and
    <ref type="bibr" target="#b9">[9]</ref> &amp; <ref type="bibr">Roe, 2001</ref>.</p></div>
  <div><head n="1.1">Rivers</head><p>Some are <hi rend="italic">very <hi>slow</hi></hi> indeed.</p>
   <list><item>one</item><item>two</item></list><formula xml:id="formula_0">a = b<label>(1)</label></formula></div>
  <div><head>An aside</head><p>Nothing more.</p></div>
  <div><head n="2.">Methods</head><p>We dip.</p></div>
  <figure xml:id="fig_0"><head>Figure 1:</head><label>1</label><figDesc>A slow river.</figDesc></figure>
  <figure type="table" xml:id="tab_0"><head>Table 1:</head><label>1</label><figDesc>Salt by river.</figDesc>
   <table><row role="label"><cell>River</cell><cell cols="2">Salt</cell></row><row><cell>Aa</cell><cell>1</cell>
    <cell>2</cell></row></table></figure>
  <note place="foot" n="1">A footnote.</note>
 </body>
 <back>
  <div type="acknowledgement"><div><head>Acknowledgements</head><p>We thank the fish.</p></div></div>
  <div type="references"><listBibl>
   <biblStruct xml:id="b0">
    <analytic><title level="a" type="main">Old salt of the north</title>
     <author><persName><forename type="first">A</forename><surname>Lind</surname></persName></author>
     <author><persName><forename type="first">C</forename><surname>Roe</surname></persName></author></analytic>
    <monogr><title level="j">Salts</title><imprint><date type="published" when="2018"/>
     <biblScope unit="volume">3</biblScope><biblScope unit="page" from="1" to="9"/></imprint></monogr>
    <idno type="DOI">https://doi.org/10.1000/old</idno><idno type="arXiv">arXiv:1801.00001v2</idno>
    <note type="raw_reference">Lind, A., and Roe, C. 2018. Old salt of the no- rth. Salts 3, 1-9.</note></biblStruct>
   <biblStruct xml:id="b1">
    <monogr><title level="m">A book of salt</title>
     <author><persName><forename type="first">Bo</forename><surname>Wu</surname></persName></author>
     <imprint><publisher>Harbour Press</publisher><date type="published" when="2020"/></imprint></monogr></biblStruct>
  </listBibl></div>
 </back>
</text>
</TEI>"""


def read(document: str | bytes) -> ParsedDocument:
    content = document.encode() if isinstance(document, str) else document
    (found,) = tei.read(content, "rivers.tei.xml", NoCompanions())
    return found


@pytest.fixture(scope="module")
def found() -> ParsedDocument:
    return read(DOCUMENT)


@pytest.fixture(scope="module")
def article(found: ParsedDocument) -> Document:
    return assemble(found)


def test_reads_the_header(found: ParsedDocument) -> None:
    assert (found.title, found.venue, found.year, str(found.published)) == (
        "Salt in slow rivers",
        "Journal of Rivers",
        2021,
        "2021-03-04",
    )
    assert (found.ids, found.subjects, found.language) == ({"doi": "10.1000/abc"}, ["salt", "rivers"], "en")
    assert found.license == "https://licence.example"
    assert found.abstract == [Paragraph(["We measure salt."])]


def test_authors_are_people_and_groups_but_not_affiliations(found: ParsedDocument) -> None:
    assert [(one.given, one.family, one.group) for one in found.authors] == [
        ("Ada B", "Lind", False),
        ("", "Wu", False),
        ("", "The Dam Group", True),
    ]
    assert found.authors[0].ids == {"orcid": "0000-0001-2345-6789"}


def test_headings_have_the_level_of_their_number(found: ParsedDocument) -> None:
    headings = [(one.level, "".join(map(str, one.inlines))) for one in found.body if isinstance(one, Heading)]
    assert headings == [
        (2, "1 Introduction"),
        (3, "1.1 Rivers"),
        (4, "An aside"),
        (2, "2. Methods"),
        (2, "Acknowledgements"),
    ]


def test_citations_point_to_their_references(article: Document) -> None:
    printed = [(one.span.of(article.text), one.group.of(article.text), one.reference) for one in article.citations]
    assert printed == [
        ("Lind et al., 2018", "(Lind et al., 2018; Wu, 2020)", 1),
        ("Wu, 2020", "(Lind et al., 2018; Wu, 2020)", 2),
        ("Wu (2020)", "Wu (2020)", 2),
        ("9", "[9]", None),
        ("Roe, 2001", "Roe, 2001", None),
    ]


def test_keeps_inline_text_in_order(article: Document) -> None:
    assert "Some are very slow indeed." in article.text
    assert "see Fig. 1 and [9] & Roe, 2001." in article.text
    for words in ("one", "two", "a = b(1)", "Figure 1: A slow river.", "A footnote.", "We thank the fish."):
        assert words in article.text


def test_tables_have_cells(found: ParsedDocument) -> None:
    (table,) = [block for block in found.body if isinstance(block, ParsedTable)]
    assert [cell.columns for cell in table.rows[0]] == [1, 2]
    assert [cell.header for cell in table.rows[0]] == [True, True]


def test_keeps_the_printed_reference_with_its_parts(article: Document) -> None:
    first, second = article.references
    assert first.span.of(article.text) == "Lind, A., and Roe, C. 2018. Old salt of the north. Salts 3, 1-9."
    assert first.title is not None
    assert first.title.of(article.text) == "Old salt of the north"
    assert [one.of(article.text) for one in first.authors] == ["Lind, A.", "Roe, C."]
    assert first.ids == {"arxiv": "1801.00001", "doi": "10.1000/old"}
    assert second.title is not None
    assert second.title.of(article.text) == "A book of salt"
    assert [one.of(article.text) for one in second.authors] == ["Bo Wu"]
    assert (first.year, second.year) == (2018, 2020)


def test_reads_several_documents_from_one_file() -> None:
    inner = DOCUMENT.partition("?>")[2]
    corpus = f'<teiCorpus xmlns="http://www.tei-c.org/ns/1.0">{inner}{inner}</teiCorpus>'
    sources = [one.source for one in tei.read(corpus.encode(), "x.xml", NoCompanions())]
    assert sources == ["x.xml#1", "x.xml#2"]


@pytest.mark.parametrize(
    ("name", "head", "expected"),
    [
        ("a.tei.xml", b"", True),
        ("a.xml", b'<TEI xmlns="x">', True),
        ("a.xml", b"<article>", False),
        ("a.tei", b"", True),
    ],
)
def test_matches_tei_by_name_or_beginning(name: str, head: bytes, expected: bool) -> None:
    assert tei.matches(name, head) is expected


# Hostile input.


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no xml",
        b"<TEI>",
        b"<html/>",
        b"\xff\xfe\x00",
        b'<?xml version="1.0" encoding="no-such"?><TEI/>',
        b"<TEI>" + b"<div>" * 100_000 + b"</div>" * 100_000 + b"</TEI>",
        b"<TEI>&nbsp;</TEI>",
    ],
)
def test_unreadable_input_is_refused_with_a_reason(content: bytes) -> None:
    with pytest.raises(ReadError, match=r"\w{3}"):
        list(tei.read(content, "x", NoCompanions()))


def test_entities_are_not_expanded_and_open_no_files(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("the secret")
    bomb = '<!ENTITY a0 "ha">' + "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 20}">' for n in range(1, 9))
    for declared, used in ((bomb, "&a8;"), (f'<!ENTITY x SYSTEM "{secret.as_uri()}">', "&x;")):
        document = f"<!DOCTYPE TEI [{declared}]>" + DOCUMENT.partition("?>")[2].replace(
            "We dip.", f"We dip {used} twice."
        )
        try:
            text = assemble(read(document)).text
        except ReadError:
            continue
        assert "secret" not in text
        assert len(text) < 10_000
        assert "We dip" in text


def test_mutated_documents_are_read_or_refused() -> None:
    draw = Random(3)
    content = DOCUMENT.encode()
    for _ in range(300):
        broken = bytearray(content)
        for _ in range(draw.randint(1, 5)):
            broken[draw.randrange(len(broken))] = draw.choice(b'<>&"/ax1#\xff\x00')
        cut = bytes(broken[: draw.choice([len(broken), draw.randrange(len(broken))])])
        try:
            for one in tei.read(cut, "x", NoCompanions()):
                assemble(one)
        except ReadError as fault:
            assert str(fault)


def test_reads_an_unclosed_bracket_quickly() -> None:
    grobid_fields.split_brackets(")" * 300_000 + "x", ())
    grobid_fields.split_brackets("(" * 300_000, ())
    grobid_fields.join_hyphenated("a" * 300_000 + "- " * 100_000, ["a"])


# Real documents.


@pytest.mark.parametrize(("name", "authors", "references"), [("N18-3011", 23, 27), ("2020.acl-main.207", 5, 57)])
def test_real_documents(shared: Callable[[str], Path], name: str, authors: int, references: int) -> None:
    path = shared(f"acl-pdf-tei-s2orc/{name}.tei.xml")
    article = assemble(read(path.read_bytes()))
    assert (len(article.authors), len(article.references)) == (authors, references)
    titled = sum(one.title is not None for one in article.references)
    assert titled >= 0.95 * references
    resolved = sum(one.reference is not None for one in article.citations)
    # One more is resolved by its names and year.
    assert resolved == path.read_text().count('<ref type="bibr" target="#b') + 1
    found = read(path.read_bytes())
    marks = [
        piece
        for block in found.body
        if isinstance(block, Paragraph)
        for piece in block.inlines
        if isinstance(piece, CitationMark)
    ]
    assert all(mark.text[-1] not in ")]" or "(" in mark.text for mark in marks)
