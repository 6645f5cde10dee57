from __future__ import annotations

import csv
import io
import json
import lzma
import random
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from fathom.corpus.readers.assembly import assemble
from fathom.corpus.readers.parsed_document import NoCompanions, ReadError
from fathom.corpus.readers.parsing import tables
from fathom.corpus.readers.parsing.text_cleanup import title_from_name
from fathom.corpus.readers.tabular.reader import matches, read
from fathom.records.documents import Document
from tests.corpus.readers.conftest import members

PAGE = b"""<!doctype html><html><head><title>Fish &amp; chips</title><script>var a = "<div>";</script></head>
<body><h1>Fish</h1><p>One < two <b>bold<p>Next &amp; last.<!-- <div> --><h2>Part</h2>
<table><caption>Table 1. Catch</caption><tr><th rowspan=2>Year<th colspan=2>Catch<tr><th>Cod<th>Eel
<tr><td>2001<td>$ 5<td>7<tr><td>2002<td colspan="2">none</table>
<pre>a
  b</pre><ul><li>x<li>y</ul><p style="display:none">unseen</p>"""

COUNTRY = {
    "Geography": {
        "Area": {"total ": {"text": "1,180.5 sq km"}, "land": {"text": "443 sq km (north 280 sq km)"}},
        "Climate": {"text": "<strong>north:</strong> mild<br><br><em>south:</em> caf&eacute; weather"},
        "Independence": {"text": "1945"},
    },
    "Economy": {"GDP": {"text": "-$3.65 billion (2023 est.)", "note": "<b>note:</b> in dollars"}},
    "Government": {"Country name": {"conventional short form": {"text": "Freedonia"}}},
    "Tags": ["a", 1.50, True, None],
}


def document(content: bytes, name: str) -> Document:
    (one,) = read(content, name, NoCompanions())
    return assemble(one)


def test_reads_a_table_of_values() -> None:
    read_in = document('﻿town,"people, all"\nUlm,"1,200"\n\nBonn,3\n'.encode(), "data/house_prices.csv")
    assert (read_in.title_text, read_in.kind) == ("House prices", "report")
    assert "| town | people, all |\n| --- | --- |\n| Ulm | 1,200 |\n| Bonn | 3 |\n" in read_in.text
    cells = [(c.row, c.column, c.span.of(read_in.text), c.header) for c in read_in.tables[0].cells]
    assert cells[:3] == [(0, 0, "town", True), (0, 1, "people, all", True), (1, 0, "Ulm", False)]
    assert "| a ¦ b | c |" in document(b"x\ty\na | b\tc\n", "t.tsv").text
    assert "| a | 1,5 |" in document(b"x;y\na;1,5\n", "t.csv").text
    assert "| Zürich |" in document("x,y\nZürich,1\n".encode("cp1252"), "t.csv.gz").text


def test_nested_fields_become_headed_paragraphs() -> None:
    read_in = document(json.dumps(COUNTRY).encode(), "fr.json")
    text = read_in.text
    assert read_in.title_text == "Freedonia"
    assert "## Geography\n\n### Area\n\ntotal: 1,180.5 sq km\n\n" in text
    assert "### Climate\n\nClimate: north: mild\n\nsouth: café weather\n\n" in text
    assert "GDP: -$3.65 billion (2023 est.)\n\nnote: in dollars\n\n" in text
    assert "Tags: a, 1.5, yes" in text
    assert [(f.entity, f.attribute, f.period, f.value, f.unit, f.span.of(text)) for f in read_in.facts] == [
        ("Freedonia", "Area, total", "", Decimal("1180.5"), "sq km", "1,180.5"),
        ("Freedonia", "GDP", "2023", Decimal("-3650000000"), "USD", "3.65"),
    ]


@pytest.mark.parametrize(
    ("kind", "short", "long", "title"),
    [
        ("Country name", "The Northern", "Northern Republic", "Northern Republic"),
        ("Country name", "The North", "Republic of The North", "The North"),
        ("Country name", "none", "Northern Isles", "Northern Isles"),
        ("Union name", None, "Northern Union", "Northern Union"),
    ],
)
def test_profiles_are_named_by_their_short_form_if_it_is_a_name(
    kind: str, short: str | None, long: str, title: str
) -> None:
    forms = {"conventional long form": {"text": long}}
    if short is not None:
        forms["conventional short form"] = {"text": short}
    profile = {"Government": {kind: forms}, "Geography": {"Area": {"text": "20 sq km"}}}
    assert document(json.dumps(profile).encode(), "no.json").title_text == title


@pytest.mark.parametrize(
    "text",
    [
        "1945",
        "+49 30 1234",
        "12%; 13% in 2020",
        "5 to 6 km",
        "443 sq km (north 280)",
        "17 PARIS (capital)",
        "1e5",
        "$5 km",
    ],
)
def test_an_ambiguous_number_is_not_a_fact(text: str) -> None:
    assert not document(json.dumps({"a": {"b": {"text": text}}}).encode(), "x.json").facts


def test_numbers_of_a_file_are_facts_unless_they_are_codes_or_places() -> None:
    report = {
        "name": "Abbey Library",
        "year": 2023,
        "id": 17,
        "postalCode": 12345,
        "lat": 51.5,
        "stock": {"books": 5200, "opened": "1987"},
        "budget": {"amount": 125000, "currency": "EUR"},
    }
    read_in = document(json.dumps(report).encode(), "l.json")
    assert [(f.attribute, f.period, f.value, f.unit, f.span.of(read_in.text)) for f in read_in.facts] == [
        ("books", "2023", Decimal(5200), "", "5200"),
        ("budget", "2023", Decimal(125000), "EUR", "125000"),
    ]
    assert read_in.year == 2023


@pytest.mark.parametrize(
    ("fields", "wanted"),
    [
        ({"sales": {"amount": 44.5, "unit": "million", "currency": "GBP"}}, [("sales", "44500000", "GBP")]),
        ({"sales": {"value": 2, "unit": "GBP thousand", "shops": 3}}, [("sales", "2000", "GBP"), ("shops", "3", "")]),
        ({"sales": {"amount": 5, "unit": "万元"}}, []),
        (
            {"staff": {"total": 12}, "visitors": {"total": 900}},
            [("staff, total", "12", ""), ("visitors, total", "900", "")],
        ),
        ({"staff": 12, "previous_year": {"staff": 11}}, [("staff", "12", ""), ("previous_year, staff", "11", "")]),
        ({"2019": {"staff": 11}}, [("2019, staff", "11", "")]),
    ],
)
def test_amounts_have_their_scale_and_names_their_group(fields: Any, wanted: list[tuple[str, str, str]]) -> None:
    facts = document(json.dumps({"name": "Abbey Library", "year": 2023, **fields}).encode(), "l.json").facts
    assert [(fact.attribute, str(fact.value), fact.unit) for fact in facts] == wanted


def test_chinese_files_are_chinese() -> None:
    report = json.dumps({"名称": "白沙水务", "年份": 2023, "员工人数": 1502, "漏损率": "13.2%"}).encode()
    read_in = document(report, "a.json")
    assert (read_in.language, read_in.title_text, read_in.year) == ("zh", "白沙水务", 2023)
    assert document("项目,单位,2023年\n营业收入,万元,456\n".encode(), "b.csv").language == "zh"
    assert document(b"item,unit,2023\nsales,EUR,456\n", "c.csv").language == "en"


def test_records_are_a_table_and_numbers_stay_as_written() -> None:
    read_in = document(b'[{"a": 1.50, "b": "x"}, {"a": 2, "c": null}]', "list.json")
    assert "| a | b | c |\n| --- | --- | --- |\n| 1.50 | x |  |\n| 2 |  |  |\n" in read_in.text


def test_tables_with_paragraphs_are_reports_without_their_questions() -> None:
    context = {
        "table": {"uid": "u1", "table": [["", "2019"], ["Sales", "$ 5"]]},
        "paragraphs": [{"order": 2, "text": "Second."}, {"order": 1, "text": "First."}],
        "questions": [{"question": "How much?"}],
    }
    reports = [assemble(one) for one in read(json.dumps([context, context]).encode(), "set_dev.json", NoCompanions())]
    assert [report.title_text for report in reports] == ["Set dev, report 1", "Set dev, report 2"]
    assert "|  | 2019 |\n| --- | --- |\n| Sales | $ 5 |\n\nFirst.\n\nSecond.\n" in reports[0].text
    assert reports[0].source.endswith("#u1")


def test_a_page_keeps_its_headings_and_the_grid_of_its_tables() -> None:
    read_in = document(PAGE, "x.html")
    text = read_in.text
    assert read_in.title_text == "Fish & chips"
    assert [s.heading.of(text) for s in read_in.sections if s.heading] == ["Fish", "Part"]
    assert "One < two bold\n\nNext & last.\n\n" in text
    assert (
        "| Year | Catch |  |\n|  | Cod | Eel |\n| --- | --- | --- |\n| 2001 | $ 5 | 7 |\n| 2002 | none |  |\n" in text
    )
    assert "a\n  b\n\nx\n\ny\n" in text
    assert "unseen" not in text
    assert read_in.tables[0].caption is not None


def test_single_row_tables_are_merged_by_position() -> None:
    row = '<table><tr><td style="width:60%">{}</td><td style="width:20%; text-align:right">{}</td>'
    row += '<td style="width:20%; text-align:right">{}</td></tr></table>'
    placed = (
        '<div style="top:{0}pt;left:40pt;width:90pt">{1}</div><div style="top:{0}pt;left:140pt;width:40pt">{2}</div>'
    )
    page = row.format("", "2020", "2019") + row.format("Cash", "5", "") + row.format("Debt", "7", "8")
    page += "<p>Then.</p>" + placed.format(10, "Cod", "1") + placed.format(22.5, "Eel", "2")
    text = document(page.encode(), "x.html").text
    assert "|  | 2020 | 2019 |\n| --- | --- | --- |\n| Cash | 5 |  |\n| Debt | 7 | 8 |\n" in text
    assert "| Cod | 1 |\n| --- | --- |\n| Eel | 2 |\n" in text


def test_a_layout_table_becomes_paragraphs() -> None:
    inner = "<table><tr><td>Year<td>2001<tr><td>Cod<td>5</table>"
    text = document(f"<table><tr><td>Menu<td><p>Hello.</p>{inner}</table>".encode(), "x.html").text
    assert "Menu\n\nHello.\n\n| Year | 2001 |" in text
    assert "• A point.\n" in document(b"<table><tr><td>&bull;<td>A point.</table>", "x.html").text


def test_matches_its_formats() -> None:
    assert matches("a.csv", b"a,b")
    assert matches("a.json", b' {"a": 1}')
    assert matches("a.HTML", PAGE)
    assert not matches("a.json", b'{"paper_id": 1, "body_text": []}')
    assert not matches("a.json", b"nothing")
    assert not matches("a.html", b'<html xmlns:ix="http://www.xbrl.org/2013/inlineXBRL">')
    assert not matches("a.csv", b"\0\0")
    assert not matches("a.pdf", b"%PDF")
    assert title_from_name("a.tar!b/c_d.json.xz") == "C d"


@pytest.mark.parametrize(
    ("content", "name", "reason"),
    [
        (b"", "x.csv", "no row"),
        (b"a,b\n", "x.csv", "no row"),
        (b"a,b\n" + b"1" * 100_001 + b",2\n", "x.csv", "100,000 characters"),
        (b"a,b\n" + b"1" * 140_000 + b",2\n", "x.csv", "100,000 characters"),
        (b"a," * 100_000 + b"\n" + b"a\n" * 1_000, "x.csv", "different lengths"),
        (b"[" * 200_000, "x.json", "too deep"),
        (b'{"a":' * 900 + b"1" + b"}" * 900, "x.json", "too deep"),
        (b'{"a": 1', "x.json", "not JSON"),
        (b"\xff\xfe\x00", "x.json", "not text in UTF-16"),
        (b"7", "x.json", "single value"),
        (b'{"a": null}', "x.json", "no fields"),
        (b"<div>" * 100_000 + b"x", "x.html", "too deep"),
        (b"<table><tr><td>" * 100_000 + b"x", "x.html", "too deep"),
        (b"<div><!--</div>-->" * 50_000 + b"x", "x.html", "too deep"),
        (b"<!--><div>" * 50_000 + b"x", "x.html", "too deep"),
        (b"<div a='</div>'>" * 50_000 + b"x", "x.html", "too deep"),
        (b"<table>" + b"<tr><td rowspan=60000 colspan=500>x" * 9, "x.html", "columns"),
        (b"<p> </p>", "x.html", "no text"),
    ],
)
def test_unreadable_input_is_refused_with_a_reason(content: bytes, name: str, reason: str) -> None:
    with pytest.raises(ReadError, match=reason):
        document(content, name)


def test_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "MAX_ROWS", 5)
    for content, name in ((b"a,b\n" + b"1,2\n" * 6, "x.csv"), (json.dumps([{"a": 1}] * 6).encode(), "x.json"),
                          (b"<table>" + b"<tr><td>a<td>b" * 6, "x.html")):  # fmt: skip
        with pytest.raises(ReadError, match="more than 5 rows"):
            document(content, name)
    monkeypatch.setattr(tables, "MAX_BYTES", 3_000_000)
    with pytest.raises(ReadError, match="larger than 3 MB"):
        document(b"a,b\n" * 1_000_000, "x.csv")


@pytest.mark.parametrize(
    "content",
    [b"<span><div></span></div>", b"<b><p>", b"<li>", b"<p><br>", b'<a ="', b"<a \"'", b"<script><!--<script></script>",
     b"<svg><![CDATA[></svg>", b"<p></table>", b"<select><tr>", b"</p></br>"],
)  # fmt: skip
def test_reads_misleading_pages_in_linear_time(content: bytes) -> None:
    assert "the end" in document(b"<p>the end</p>" + content * 2_000, "x.html").text


def test_damaged_input_raises_only_read_errors() -> None:
    chance = random.Random(11)
    sources = [
        (PAGE, "x.html"),
        (json.dumps(COUNTRY).encode(), "x.json"),
        (b'[{"table": {"table": [["a", "2"], ["b", "3"]]}, "paragraphs": [{"order": 1, "text": "t"}]}]', "y.json"),
        (b'a,"b"\n1,"2\n3"\n4,5\n', "x.csv"),
    ]
    for turn in range(600):
        whole, name = sources[turn % len(sources)]
        damaged = bytearray(whole)
        for _ in range(chance.randrange(1, 8)):
            place = chance.randrange(len(damaged) or 1)
            how = chance.randrange(4)
            if how == 0:
                del damaged[place : place + chance.randrange(30)]
            elif how == 1 and damaged:
                damaged[place] = chance.randrange(256)
            elif how == 2:
                damaged[place:place] = chance.choice(
                    [b"<", b"\\ud800", b"{}", b'"', b"<table>", b"</td>", b"\0", b"9" * 5_000]
                )
            elif chance.random() < 0.2:
                del damaged[place:]
        try:
            for one in read(bytes(damaged), name, NoCompanions()):
                assemble(one)
        except ReadError as error:
            assert str(error)


# Real documents.


def test_the_text_of_every_country_contains_its_metrics(shared: Callable[[str], Path]) -> None:
    countries = {
        "/".join(name.split("/")[-2:]): document(content, name)
        for name, content in members(shared("world-factbook/json.tar.xz"))
        if name.endswith(".json")
    }
    assert len(countries) == 102
    printed = facts = 0
    for row in csv.DictReader(io.StringIO(shared("world-factbook/key_metrics.csv").read_text())):
        country = countries[row["file"]]
        # The gold has the short form, which is an adjective in one profile ("The Dominican"), with remarks in another.
        assert row["country"].removeprefix("The ").partition(" (")[0] in country.title_text
        values = {fact.value for fact in country.facts}
        for metric in (name.removesuffix("_text") for name in row if name.endswith("_text")):
            if row[f"{metric}_text"]:
                assert " ".join(row[f"{metric}_text"].split()) in country.text
                printed += 1
                facts += bool(row[f"{metric}_value"]) and Decimal(row[f"{metric}_value"]) in values
    # The others say more than one thing: "443 sq km (Antigua 280 sq km; Barbuda 161 sq km)".
    assert (printed, facts) == (1_226, 1_098)


def test_reads_every_tatqa_context(shared: Callable[[str], Path]) -> None:
    content = lzma.decompress(shared("tatqa/tatqa_dataset_dev.json.xz").read_bytes())
    contexts = json.loads(content)
    reports = [assemble(one) for one in read(content, "tatqa_dataset_dev.json.xz", NoCompanions())]
    assert len(reports) == len({report.id for report in reports}) == len(contexts) == 278
    for report, context in zip(reports, contexts, strict=True):
        grid = context["table"]["table"]
        cells = {(cell.row, cell.column): cell.span.of(report.text) for cell in report.tables[0].cells}
        assert cells == {(y, x): " ".join(text.split()) for y, row in enumerate(grid) for x, text in enumerate(row)}
        assert len(report.paragraphs) == len(context["paragraphs"])
        assert "question" not in report.source
