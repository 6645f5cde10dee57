"""The self-test's writers of PDF files and iXBRL filings."""

from __future__ import annotations

import ctypes
import re
from collections import Counter
from contextlib import closing
from decimal import Decimal
from itertools import islice

import pypdfium2
import pypdfium2.raw
import pytest
from lxml import etree

from fathom.corpus.generated.lexicon import SUBJECTS
from fathom.corpus.generated.reports import write_report
from fathom.corpus.generated.research import write_article
from fathom.corpus.generated.world import World
from fathom.corpus.readers.assembly import assemble
from fathom.corpus.readers.ixbrl.reader import facts_of
from fathom.corpus.readers.parsed_document import (
    Heading,
    Paragraph,
    ParsedAuthor,
    ParsedDocument,
    ParsedReference,
    ParsedTable,
    TableCell,
    TaggedNumber,
)
from fathom.corpus.readers.pdf.child_process import extract_lines
from fathom.corpus.selftest import pdf_fonts as fonts
from fathom.corpus.selftest.decompose import decompose
from fathom.corpus.selftest.formats import FORMATS, REPORT_FORMATS
from fathom.corpus.selftest.ixbrl import ixbrl
from fathom.corpus.selftest.measure import FieldAgreement, compare
from fathom.corpus.selftest.pdf import pdf
from fathom.corpus.selftest.pdf_fonts import printable
from fathom.corpus.selftest.pdf_styles import page_layout
from fathom.corpus.selftest.run import generated_documents, read_back, run_self_test
from fathom.records.documents import Document


@pytest.fixture(scope="module")
def long_articles() -> list[Document]:
    return [write_article(plan) for plan in islice(World(21, list(SUBJECTS), "full").plans(), 4, 8)]


@pytest.fixture(scope="module")
def reports() -> list[Document]:
    return [write_report("companies", 13, index) for index in (0, 6, 8)]


@pytest.fixture(scope="module")
def filings(reports: list[Document]) -> list[tuple[Document, str]]:
    """Each report with its filing."""
    return [(report, ixbrl(decompose(report))["report.htm"].decode()) for report in reports]


def paper(title: str, paragraph: str = "Herons wait. They wait long [1].") -> ParsedDocument:
    return ParsedDocument(
        "paper",
        title=title,
        authors=[ParsedAuthor("Ada", "Lind", printed="Ada Lind"), ParsedAuthor("Bo", "Wu", printed="Bo Wu")],
        abstract=[Paragraph(["In short, they wait."])],
        body=[
            Heading(2, ["1 Waiting"]),
            Paragraph([paragraph]),
            ParsedTable(
                ["Table 1. Hours."], [[TableCell(["Bird"]), TableCell(["h"])], [TableCell([""]), TableCell([])]]
            ),
        ],
        references=[ParsedReference("b1", "[1] Lind A. On herons (a view). 2001."), ParsedReference("b2", "[2]")],
        venue="Letters on Birds",
        year=2020,
    )


def text_of(content: bytes) -> str:
    """Return the text that pdfium extracts, with hyphenated words joined."""
    texts: list[str] = []
    with pypdfium2.PdfDocument(content) as document:
        for page in document:
            with closing(page), closing(page.get_textpage()) as text:
                texts.append(text.get_text_range())
    return re.sub(r"\ufffe[\r\n]*", "", "\n".join(texts))


# Pages.


def test_every_word_is_printed(long_articles: list[Document]) -> None:
    for article in long_articles:
        parsed = decompose(article)
        running_text = [block.inlines for block in parsed.body if isinstance(block, Paragraph | Heading)]
        wanted = Counter(
            word
            for inlines in running_text
            for word in re.findall(
                r"[a-z]{3,}",
                printable("".join(piece if isinstance(piece, str) else piece.text for piece in inlines).lower()),
            )
        )
        printed = Counter(re.findall(r"[a-z]{3,}", text_of(pdf(parsed)["paper.pdf"]).lower()))
        missing = wanted - printed
        assert missing.total() <= 0.005 * wanted.total(), missing.most_common(10)


def test_page_layouts_differ_and_keep_margins(long_articles: list[Document]) -> None:
    layouts = {page_layout(f"Article {number}") for number in range(200)}
    assert len(layouts) == 2**5
    for article in long_articles:
        layout = page_layout(article.title_text)
        read = extract_lines(pdf(decompose(article))["paper.pdf"])
        assert {(sheet.width, sheet.height) for sheet in read.page_sizes} == {(layout.width, layout.height)}
        outside = [
            line
            for line in read.lines
            if line.left < layout.side_margin - 1 or line.right > layout.width - layout.side_margin + 2
        ]
        assert not outside, outside[:3]


def test_columns_are_side_by_side() -> None:
    titles = {page_layout(f"Herons {number}").columns: f"Herons {number}" for number in range(20)}
    assert sorted(titles) == [1, 2]
    prose = "Herons wait for fish in shallow water. " * 400
    for columns, title in titles.items():
        layout = page_layout(title)
        lines = [line for line in extract_lines(pdf(paper(title, prose))["paper.pdf"]).lines if line.page == 1]
        lefts = Counter(round(line.left) for line in lines if line.size == 10)
        assert len([left for left, count in lefts.items() if count > 20]) == columns, (layout, lefts)


def test_pages_have_running_heads_and_numbers() -> None:
    read = extract_lines(pdf(paper("Herons", "Herons wait for fish. " * 900))["paper.pdf"])
    for number in range(1, len(read.page_sizes)):
        texts = [line.text for line in read.lines if line.page == number]
        assert texts[0] == "Letters on Birds"
        assert texts[-1] == str(number + 1)


def test_some_words_are_hyphenated(long_articles: list[Document]) -> None:
    lines = [line for article in long_articles for line in extract_lines(pdf(decompose(article))["paper.pdf"]).lines]
    share = sum(line.hyphenated for line in lines) / len(lines)
    assert 0.01 < share < 0.3


def test_character_widths_match_pdfium() -> None:
    width = ctypes.c_float()
    with closing(pypdfium2.PdfDocument.new()) as document:
        for family, bold in fonts.CHAR_WIDTHS:
            name = fonts.FONT_NAMES[family][bold].encode()
            font = pypdfium2.raw.FPDFText_LoadStandardFont(document.raw, name)
            # Pdfium has a wider bold "@" than the standard font.
            for sign in sorted({chr(code) for code in range(32, 127)} - {"@"} | set("–—‘’“”áñßµØå")):
                pypdfium2.raw.FPDFFont_GetGlyphWidth(font, ord(sign), 1000.0, width)
                assert abs(width.value - fonts.text_width(sign, fonts.Font(family, 1000, bold))) <= 1, (
                    family,
                    bold,
                    sign,
                )
            pypdfium2.raw.FPDFFont_Close(font)


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("Lüders, Ømore and Besançon", "Lüders, Ømore and Besançon"),
        ("Ōmori, Đặng, Kovačić, Łuk", "Omori, Dang, Kovacic, Luk"),
        ("they do<sup>1–5</sup>, in *Letters*", "they do1–5, in Letters"),
        ("−3 and 灯 and ﬁn", "-3 and  and fin"),
    ],
)
def test_replaces_unprintable_characters(written: str, shown: str) -> None:
    assert printable(written) == shown
    assert printable(shown) == shown


def test_escapes_special_characters() -> None:
    text = text_of(pdf(paper(r"A (b) \ c) ((", r"Open ( and \n and close )) here. 灯 " + "x" * 300))["paper.pdf"])
    assert r"A (b) \ c) ((" in text
    assert r"Open ( and \n and close )) here." in text


def test_writes_the_same_file_every_time() -> None:
    assert pdf(paper("Herons")) == pdf(paper("Herons"))


# Filings.


def test_filing_defines_every_context_and_unit_it_uses(reports: list[Document]) -> None:
    for report in reports:
        root = etree.fromstring(ixbrl(decompose(report))["report.htm"])
        ids = Counter(one.get("id") for one in root.iter("{*}context", "{*}unit"))
        assert set(ids.values()) == {1}
        tags = list(root.iter("{http://www.xbrl.org/2013/inlineXBRL}nonFraction"))
        assert len(tags) == sum(fact.unit != "month" for fact in report.facts)
        assert {tag.get(name) for tag in tags for name in ("contextRef", "unitRef")} <= set(ids)


def test_filings_use_scale_sign_nil_and_both_kinds_of_periods(reports: list[Document]) -> None:
    content = b"".join(ixbrl(decompose(report))["report.htm"] for report in reports)
    for wanted in (b'scale="6"', b'scale="-2"', b'scale="0"', b'sign="-"', b'xsi:nil="true"', b"<xbrli:instant>"):
        assert wanted in content
    for wanted in (b"<xbrli:startDate>", b"<xbrldi:typedMember", b"<xbrli:divide>", b"iso4217:"):
        assert wanted in content


def test_filing_has_the_values_of_the_report(reports: list[Document]) -> None:
    for report in reports:
        read = Counter(fact.value for fact in facts_of(ixbrl(decompose(report))["report.htm"]) if fact.numeric)
        written = Counter(
            fact.value / 100 if fact.value is not None and fact.unit == "%" else fact.value
            for fact in report.facts
            if fact.unit != "month"  # a filing tags numbers, and a month is none
        )
        assert read == written


def test_facts_text_and_tables_are_read_back(reports: list[Document]) -> None:
    for report in reports:
        back = read_back("ixbrl", ixbrl(decompose(report)))
        assert back is not None
        agreements: dict[str, FieldAgreement] = {}
        compare(report, back, agreements)
        for name in ("title", "headings", "paragraphs", "cells", "captions", "facts"):
            one = agreements[name]
            assert one.written, name
            assert one.written == one.read == one.same, name


@pytest.mark.parametrize(
    ("correct", "incorrect"),
    [
        ('scale="6"', 'scale="5"'),
        (' sign="-"', ""),
        ("-06-30<", "-09-30<"),
        ('name="own:revenue"', 'name="own:income"'),
        ("iso4217:", "own:other_"),
        (' xsi:nil="true"', ""),
    ],
)
def test_detects_an_incorrect_tag(filings: list[tuple[Document, str]], correct: str, incorrect: str) -> None:
    report, content = next((report, content) for report, content in filings if correct in content)
    agreement: dict[str, FieldAgreement] = {}
    compare(report, read_back("ixbrl", {"report.htm": content.replace(correct, incorrect).encode()}), agreement)
    assert agreement["facts"].read
    assert agreement["facts"].same < agreement["facts"].written


def test_a_number_that_no_tag_can_state_is_untagged() -> None:
    numbers = [
        TaggedNumber("about ten", "Mill", "revenue", "2020", Decimal(10), "EUR"),
        TaggedNumber("31", "Mill", "revenue", "2020", Decimal("31499000"), "EUR"),
        TaggedNumber("7", "Mill", "revenue", "lately", Decimal(7), "EUR"),
        TaggedNumber("(1,234.5)", "Mill & Co", "profit", "2020-Q2", Decimal(-1234500), "EUR"),
    ]
    content = ixbrl(ParsedDocument("mill", kind="report", title="Mill", body=[Paragraph([*numbers])]))["report.htm"]
    [fact] = [fact for fact in facts_of(content) if fact.numeric]
    assert (fact.value, fact.period, fact.entity) == (Decimal(-1234500), "2020-04-01/2020-06-30", "Mill & Co")
    assert b"about ten" in content


def test_assembling_a_decomposed_report_restores_its_facts(reports: list[Document]) -> None:
    for report in reports:
        again = assemble(decompose(report))
        facts = [(fact.attribute, fact.period, fact.part, fact.value, fact.place) for fact in again.facts]
        assert facts == [(fact.attribute, fact.period, fact.part, fact.value, fact.place) for fact in report.facts]


# The self-test.


def test_articles_and_reports_use_their_own_formats(reports: list[Document]) -> None:
    article = write_article(next(World(12, list(SUBJECTS), "short").plans()))
    tested = run_self_test([article, *reports[:2]])
    assert (tested.documents, tested.reports) == (1, 2)
    assert list(tested.formats) == [*FORMATS, *REPORT_FORMATS]
    assert not tested.refused.get("ixbrl")
    for name, fields in tested.formats.items():
        assert ("facts" in fields and bool(fields["facts"].written)) == (name == "ixbrl")
    assert tested.formats["xlsx"]["cells"].recall == tested.formats["xlsx"]["title"].recall == 1
    assert tested.formats["ixbrl"]["facts"].recall == 1


def test_generates_the_same_documents_every_time() -> None:
    first, second = ([(document.kind, document.id) for document in generated_documents(3)] for _ in range(2))
    assert first == second
    assert [kind for kind, _ in first] == ["article"] * 3 + ["report"] * 3
