"""LaTeXML pages, written for these tests with the class names and structures of real ones."""
# ruff: noqa: E501 - documents are written as they are served, and lines of them are long

from __future__ import annotations

import random
from datetime import date

import pytest

from fathom.corpus.readers.assembly import assemble
from fathom.corpus.readers.latexml import reader as latexml
from fathom.corpus.readers.parsed_document import (
    CitationMark,
    Heading,
    NoCompanions,
    Paragraph,
    ParsedDocument,
    ParsedTable,
    ReadError,
)
from fathom.records.documents import Document

MATH = (
    '<math alttext="\\mathbf{x}_{T}" class="ltx_Math" display="inline" id="m1"><semantics><msub><mi>𝐱</mi><mi>T</mi></msub>'
    '<annotation-xml encoding="MathML-Content"><apply><csymbol>subscript</csymbol><ci>𝐱</ci><ci>𝑇</ci></apply></annotation-xml>'
    '<annotation encoding="application/x-tex">\\mathbf{x}_{T}</annotation></semantics></math>'
)

PAGE = f"""<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"/>
<title>[2401.01234] Sparse Ferns for Tidal Forecasts</title>
<link rel="canonical" href="https://arxiv.org/html/2401.01234v2"/><script>if (a < b) {{ "<div><div>" }}</script></head><body>
<nav class="ltx_page_navbar"><nav class="ltx_TOC"><a class="ltx_ref" href="#S1" title="1 Introduction">1 Introduction</a></nav></nav>
<div class="ltx_page_main"><div id="watermark-tr">arXiv:2401.01234v2 [cs.LG] 03 Feb 2024</div>
<div class="ltx_page_content"><article class="ltx_document ltx_authors_1line">
<h1 class="ltx_title ltx_title_document">Sparse Ferns<span class="ltx_note ltx_role_thanks"><sup class="ltx_note_mark">†</sup>
<span class="ltx_note_outer"><span class="ltx_note_content">Work of a summer.</span></span></span> for Tidal Forecasts</h1>
<div class="ltx_authors"><span class="ltx_creator ltx_role_author"><span class="ltx_personname">Łucja Gómez-Örn</span>
<span class="ltx_author_notes"><span class="ltx_contact ltx_role_affiliation">University of Kelp</span></span></span>
<span class="ltx_creator ltx_role_author"><span class="ltx_personname">Ben van der Aa<sup>1</sup>, Cy Roe<sup>2</sup>
<br class="ltx_break"/>Institute of Tides<br class="ltx_break"/>cy@tides.example</span></span></div>
<div class="ltx_abstract"><h6 class="ltx_title ltx_title_abstract">Abstract</h6>
<p class="ltx_p">We forecast tides from {MATH} with <math alttext="95\\%" class="ltx_Math"><mn>95</mn></math> coverage.</p></div>
<div class="ltx_keywords">Keywords: tides, ferns</div>
<section id="S1" class="ltx_section"><h2 class="ltx_title ltx_title_section"><span class="ltx_tag ltx_tag_section">1 </span>Introduction</h2>
<div id="S1.p1" class="ltx_para"><p class="ltx_p">Tides were modelled <cite class="ltx_cite ltx_citemacro_citep">(Gómez-Örn et al., <a href="#bib.bib1"
title="" class="ltx_ref">2019</a>; <a href="#bib.bib2" title="" class="ltx_ref">Wu</a>, <a href="#bib.bib2" title="" class="ltx_ref">2020</a>)</cite> as
in Figure <a href="#S1.F1" title="Figure 1 ‣ 1 Introduction ‣ Sparse Ferns for Tidal Forecasts" class="ltx_ref"><span class="ltx_text ltx_ref_tag">1</span></a>
and in <a href="#S2" class="ltx_ref">2 Method ‣ Sparse Ferns for Tidal Forecasts</a>.<span id="footnote1" class="ltx_note ltx_role_footnote"><sup
class="ltx_note_mark">1</sup><span class="ltx_note_outer"><span class="ltx_note_content"><sup class="ltx_note_mark">1</sup><span
class="ltx_tag ltx_tag_note">1</span>The code of <cite class="ltx_cite"><a href="#bib.smith2020" class="ltx_ref">Smith [2020]</a></cite>
is public.</span></span></span> <cite class="ltx_cite"><a href="#bib.bib2" class="ltx_ref">Wu</a> (<a href="#bib.bib2" class="ltx_ref">2020</a>)</cite>
disagrees, and so does <cite class="ltx_cite"><span class="ltx_ref ltx_missing_citation ltx_ref_self">lost2001</span></cite>.</p>
<table id="S1.E1" class="ltx_equation ltx_eqn_table"><tbody><tr class="ltx_equation ltx_eqn_row ltx_align_baseline"><td
class="ltx_eqn_cell ltx_eqn_center_padleft"></td><td class="ltx_eqn_cell"><math alttext="\\displaystyle y=\\alpha x" class="ltx_Math"
display="block"><mi>y</mi></math></td><td class="ltx_eqn_cell"><span class="ltx_tag ltx_tag_equation">(1)</span></td></tr></tbody></table></div>
<figure id="S1.F1" class="ltx_figure"><img src="x1.png" class="ltx_graphics" alt="Refer to caption"/>
<figcaption class="ltx_caption"><span class="ltx_tag ltx_tag_figure">Figure 1: </span>A fern.</figcaption></figure></section>
<section id="S2" class="ltx_section"><h2 class="ltx_title ltx_title_section"><span class="ltx_tag ltx_tag_section">2 </span>Method</h2>
<section class="ltx_subsection"><h3 class="ltx_title ltx_title_subsection"><span class="ltx_tag">2.1 </span>Ferns of
<cite class="ltx_cite"><a href="#bib.bibx12" class="ltx_ref">[3]</a></cite></h3>
<div class="ltx_theorem"><h6 class="ltx_title ltx_runin ltx_title_theorem"><span class="ltx_tag ltx_tag_theorem">Theorem 1</span> (Wu).</h6>
<div class="ltx_para"><p class="ltx_p">Ferns are sparse.</p></div></div>
<ul class="ltx_itemize"><li class="ltx_item"><span class="ltx_tag ltx_tag_item">•</span><div class="ltx_para"><p class="ltx_p">One.</p></div></li>
<li class="ltx_item"><span class="ltx_tag ltx_tag_item">•</span><div class="ltx_para"><p class="ltx_p">Two.</p></div></li></ul>
<figure class="ltx_table"><figcaption class="ltx_caption"><span class="ltx_tag ltx_tag_table">Table 1: </span>Errors of
<cite class="ltx_cite">[<a href="#bib.bib2" class="ltx_ref">2</a>]</cite>.</figcaption>
<table class="ltx_tabular"><thead class="ltx_thead"><tr class="ltx_tr"><th class="ltx_td ltx_th" colspan="2">Port</th><th class="ltx_td ltx_th">Error</th></tr></thead>
<tbody><tr class="ltx_tr"><td class="ltx_td">Ayr</td><td class="ltx_td">west</td><td class="ltx_td"><math alttext="0.25" class="ltx_Math"><mn>0.25</mn></math></td></tr></tbody></table></figure>
<div class="ltx_listing"><div class="ltx_listingline"><span>for</span> port:</div><div class="ltx_listingline">  fit(port)</div></div>
<p class="ltx_p">Ranges <cite class="ltx_cite">[<a href="#bib.bib1" class="ltx_ref">1</a>–<a href="#bib.bibx12" class="ltx_ref">3</a>]</cite> are read.</p>
<p class="ltx_p"><span class="ltx_ERROR undefined">\\snaptodo</span></p></section></section>
<section id="bib" class="ltx_bibliography"><h2 class="ltx_title ltx_title_bibliography">References</h2><ul class="ltx_biblist">
<li id="bib.bib1" class="ltx_bibitem"><span class="ltx_tag ltx_role_refnum ltx_tag_bibitem">Gómez-Örn et al. (2019)</span><span class="ltx_bibblock">
Łucja Gómez-Örn, Ada Lind, and Bo Wu.</span><span class="ltx_bibblock">Ferns in salt water.</span><span class="ltx_bibblock"><em class="ltx_emph">Tides</em>, 4:1–9, 2019.</span></li>
<li id="bib.bib2" class="ltx_bibitem"><span class="ltx_tag ltx_tag_bibitem">Wu (2020)</span><span class="ltx_bibblock">Bo Wu.</span><span class="ltx_bibblock">
Tides without ferns.</span><span class="ltx_bibblock"><a class="ltx_ref ltx_href" href="https://doi.org/10.1234/tides.7">doi</a>, 2020.</span>
<span class="ltx_bibblock ltx_bib_cited">Cited by: <a href="#S1" class="ltx_ref">§1</a>.</span></li>
<li id="bib.bibx12" class="ltx_bibitem"><span class="ltx_tag ltx_tag_bibitem">[3]</span><span class="ltx_bibblock">Zed Ox.</span><span class="ltx_bibblock">On salt.</span><span class="ltx_bibblock">2021.</span></li>
<li id="bib.smith2020" class="ltx_bibitem"><span class="ltx_tag ltx_tag_bibitem">[4]</span><span class="ltx_bibblock">Jo Smith.</span><span class="ltx_bibblock">Code for all.</span><span class="ltx_bibblock">arXiv:2001.00001, 2020.</span></li>
</ul></section></article></div><footer class="ltx_page_footer">Generated by LaTeXML</footer></div></body></html>"""


def found(page: str = PAGE) -> ParsedDocument:
    return next(iter(latexml.read(page.encode(), "papers/2401.01234.html", NoCompanions())))


@pytest.fixture(scope="module")
def document() -> Document:
    return assemble(found())


def cited(document: Document) -> list[tuple[str, str, int | None]]:
    """Each citation as it stands in the text, with its bracket and what it points to."""
    return [(c.span.of(document.text), c.group.of(document.text), c.reference) for c in document.citations]


def test_matches_latexml_pages() -> None:
    assert latexml.matches("a.html", PAGE.encode())
    assert not latexml.matches("a.html", b"<html><body><p>A page.</p></body></html>")
    assert not latexml.matches("a.md", b"# A title")


def test_reads_the_front_matter(document: Document) -> None:
    assert document.title_text == "Sparse Ferns for Tidal Forecasts"
    assert [(a.given, a.family) for a in document.authors] == [
        ("Łucja", "Gómez-Örn"),
        ("Ben", "van der Aa"),
        ("Cy", "Roe"),
    ]
    assert document.ids == {"arxiv": "2401.01234"}
    assert document.published == date(2024, 2, 3)
    assert document.subject == "tides"
    assert document.abstract is not None
    assert document.abstract.of(document.text) == "We forecast tides from $\\mathbf{x}_{T}$ with 95% coverage."


def test_every_citation_is_located_and_resolved(document: Document) -> None:
    assert cited(document) == [
        ("Gómez-Örn et al., 2019", "(Gómez-Örn et al., 2019; Wu, 2020)", 1),
        ("Wu, 2020", "(Gómez-Örn et al., 2019; Wu, 2020)", 2),
        ("2020", "(2020)", 2),
        ("lost2001", "lost2001", None),
        ("Smith [2020]", "Smith [2020]", 4),
        ("3", "[3]", 3),
        ("2", "[2]", 2),
        ("1–3", "[1–3]", 1),
        ("1–3", "[1–3]", 2),
        ("1–3", "[1–3]", 3),
    ]


def test_formulas_appear_once_and_tooltips_are_removed(document: Document) -> None:
    assert document.text.count("mathbf{x}") == 1
    assert "subscript" not in document.text and "𝐱" not in document.text
    assert "$y=\\alpha x$" in document.text and "(1)" in document.text
    assert "‣" not in document.text
    assert "and in 2 Method." in document.text


def test_leaves_out_everything_but_text(document: Document) -> None:
    for word in ("snaptodo", "Generated by", "Work of a summer", "Cited by", "University of Kelp", "tides.example"):
        assert word not in document.text


def test_sections_lists_notes_and_code(document: Document) -> None:
    assert [(s.level, s.heading.of(document.text)) for s in document.sections if s.heading] == [
        (2, "Abstract"),
        (2, "1 Introduction"),
        (2, "2 Method"),
        (3, "2.1 Ferns of [3]"),
        (2, "References"),
    ]
    paragraphs = [span.of(document.text) for span in document.paragraphs]
    assert "Theorem 1 (Wu)." in paragraphs and "One." in paragraphs and "Figure 1: A fern." in paragraphs
    assert "for port:\n  fit(port)" in paragraphs
    assert any(text.startswith("The code of Smith") for text in paragraphs)
    assert not any("summer" in text for text in paragraphs)


def test_tables_have_captions_and_cells(document: Document) -> None:
    (table,) = document.tables
    assert table.caption is not None and table.caption.of(document.text) == "Table 1: Errors of [2]."
    assert [(c.row, c.column, c.header, c.span.of(document.text)) for c in table.cells] == [
        (0, 0, True, "Port"),
        (0, 2, True, "Error"),
        (1, 0, False, "Ayr"),
        (1, 1, False, "west"),
        (1, 2, False, "0.25"),
    ]


def test_references_have_their_parts(document: Document) -> None:
    texts = [reference.span.of(document.text) for reference in document.references]
    assert texts[0] == "Łucja Gómez-Örn, Ada Lind, and Bo Wu. Ferns in salt water. Tides, 4:1–9, 2019."
    titles = [reference.title.of(document.text) if reference.title else "" for reference in document.references]
    assert titles == ["Ferns in salt water", "Tides without ferns", "On salt", "Code for all"]
    assert [reference.year for reference in document.references] == [2019, 2020, 2021, 2020]
    assert document.references[1].ids["doi"] == "10.1234/tides.7"
    assert document.references[3].ids["arxiv"] == "2001.00001"


def test_reads_tables_made_of_spans_and_floats_with_several_tables() -> None:
    page = PAGE.replace(
        '<p class="ltx_p">Ferns are sparse.</p>',
        '<figure class="ltx_table"><span class="ltx_tabular"><span class="ltx_tr"><span class="ltx_td">a</span>'
        '<span class="ltx_td ltx_colspan ltx_colspan_2">b</span></span></span><span class="ltx_tabular"><span class="ltx_tr">'
        '<span class="ltx_td">c</span></span></span><figcaption class="ltx_caption">Table 9: Two.</figcaption></figure>',
    )
    first, second, _ = [block for block in found(page).body if isinstance(block, ParsedTable)]
    assert first.caption == ["Table 9: Two."] and second.caption == []
    assert [cell.columns for cell in first.rows[0]] == [1, 2]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"plain words",
        b"<html><body><p>No such page.</p></body></html>",
        b'<article class="ltx_document"><h1 class="ltx_title ltx_title_document">Only a title</h1></article>',
        b'<article class="ltx_document"><p class="ltx_p">No title.</p></article>',
        b'<article class="ltx_document">' + b"<div>" * 100_000 + b"x",
        b'<article class="ltx_document">' + b"<div/ >" * 100_000 + b"x",
        b'<article class="ltx_document">' + b"<span><!-- </span> -->" * 100_000 + b"x",
        b'<article class="ltx_document">' + b'<b title="</b>"><i></b>' * 100_000 + b"x",
        b'<article class="ltx_document"><svg><![CDATA[</svg>]]>' * 1_000,
        PAGE.encode("cp500", "replace"),
        bytes(range(256)) * 40,
    ],
)
def test_unreadable_input_is_refused_with_a_reason(content: bytes) -> None:
    with pytest.raises(ReadError, match=r"\w+ \w+"):
        list(latexml.read(content, "a.html", NoCompanions()))


def test_reads_deeply_nested_formulas() -> None:
    deep = "<span class='ltx_text'>" * 300 + "deep" + "</span>" * 300
    assert "deep" in assemble(found(PAGE.replace("Ferns are sparse.", deep))).text


def test_self_closing_elements_lose_no_text() -> None:
    page = PAGE.replace(
        "Ferns are sparse.", '<span class="ltx_rule" style="width:1em"/>Ferns are <mspace width="1em"/>sparse.'
    )
    assert "Ferns are sparse." in assemble(found(page)).text


def test_damaged_pages_are_read_or_refused() -> None:
    chance = random.Random(8)
    page = PAGE.encode()
    for _ in range(300):
        broken = bytearray(page)
        for _ in range(chance.randint(1, 40)):
            broken[chance.randrange(len(broken))] = chance.randrange(256)
        if chance.random() < 0.5:
            del broken[chance.randrange(len(broken)) :]
        try:
            assemble(next(iter(latexml.read(bytes(broken), "a.html", NoCompanions()))))
        except ReadError as reason:
            assert str(reason)


def test_citation_marks_are_separate_inlines() -> None:
    pieces = [word for block in found().body if isinstance(block, Paragraph | Heading) for word in block.inlines]
    assert any(isinstance(word, CitationMark) and word.keys == ("bib.bibx12",) for word in pieces)
