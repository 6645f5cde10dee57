from __future__ import annotations

import csv
import io
import lzma
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from decimal import Context, Decimal
from functools import cache
from pathlib import Path

import pytest

from fathom.corpus.readers.assembly import assemble
from fathom.corpus.readers.ixbrl.facts import RawFact, parse_number
from fathom.corpus.readers.ixbrl.reader import facts_of, matches, read
from fathom.corpus.readers.parsed_document import Heading, NoCompanions, ParsedDocument, ParsedTable, ReadError
from fathom.records.documents import Document
from tests.corpus.readers.conftest import members
from tests.sharing import SharedFolders

NAMESPACES = (
    'xmlns="http://www.w3.org/1999/xhtml" xmlns:ix="http://www.xbrl.org/2013/inlineXBRL"'
    ' xmlns:xbrli="http://www.xbrl.org/2003/instance" xmlns:xbrldi="http://xbrl.org/2006/xbrldi"'
    ' xmlns:iso4217="http://www.xbrl.org/2003/iso4217" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
)
HEADER = """
<div style="display:none"><ix:header><ix:hidden>
<ix:nonNumeric contextRef="y" name="dei:DocumentFiscalYearFocus">2023</ix:nonNumeric>
<ix:nonFraction contextRef="y" unitRef="usd" decimals="0" name="us-gaap:HiddenOne">77</ix:nonFraction>
</ix:hidden><ix:resources>
<xbrli:context id="y"><xbrli:entity><xbrli:identifier scheme="s">0000000042</xbrli:identifier></xbrli:entity>
<xbrli:period><xbrli:startDate>2023-01-01</xbrli:startDate><xbrli:endDate>2023-12-31</xbrli:endDate></xbrli:period>
</xbrli:context>
<xbrli:context id="e"><xbrli:entity><xbrli:identifier scheme="s">0000000042</xbrli:identifier>
<xbrli:segment><xbrldi:explicitMember dimension="us-gaap:ClassAxis">acme:NorthMember</xbrldi:explicitMember>
<xbrldi:typedMember dimension="acme:PlantAxis"><acme:Plant xmlns:acme="a">7</acme:Plant></xbrldi:typedMember>
</xbrli:segment></xbrli:entity>
<xbrli:period><xbrli:instant>2024-01-01T00:00:00</xbrli:instant></xbrli:period></xbrli:context>
<xbrli:unit id="usd"><xbrli:measure>iso4217:USD</xbrli:measure></xbrli:unit>
<xbrli:unit id="per"><xbrli:divide><xbrli:unitNumerator><xbrli:measure>iso4217:USD</xbrli:measure></xbrli:unitNumerator>
<xbrli:unitDenominator><xbrli:measure>xbrli:shares</xbrli:measure></xbrli:unitDenominator></xbrli:divide></xbrli:unit>
</ix:resources></ix:header></div>
"""
BODY = """
<p><ix:nonNumeric contextRef="y" name="dei:DocumentType">10-K</ix:nonNumeric> of
<ix:nonNumeric contextRef="y" name="dei:EntityRegistrantName" continuedAt="k">Acme </ix:nonNumeric>&#160;and
<ix:continuation id="k">Sons</ix:continuation></p>
<div style="font-weight:700">Item 7. Results</div>
<p>Sales were $<ix:nonFraction contextRef="y" unitRef="usd" name="us-gaap:Revenues" decimals="-8" scale="9"
 format="ixt:num-dot-decimal">1.25</ix:nonFraction> billion &amp; grew.</p>
<div style="display:none">Not seen <ix:nonFraction contextRef="y" unitRef="usd" name="a:B">9</ix:nonFraction></div>
<table>
<tr><td></td><td></td><td colspan="3">2023</td></tr>
<tr><td>Net loss</td><td></td><td>$</td><td>(<ix:nonFraction contextRef="y" unitRef="usd" name="us-gaap:ProfitLoss"
 decimals="-6" scale="6" sign="-" format="ixt:numdotdecimal">1,234</ix:nonFraction></td><td>)</td></tr>
<tr><td>Par value</td><td></td><td></td><td><ix:nonFraction contextRef="y" unitRef="per" name="us-gaap:Par">
<ix:nonFraction contextRef="e" unitRef="per" name="us-gaap:Par"><span>0.50</span></ix:nonFraction></ix:nonFraction></td>
<td></td></tr>
<tr><td>Other</td><td></td><td></td><td><ix:nonFraction contextRef="y" unitRef="usd" name="a:Zero"
 format="ixt:fixed-zero">—</ix:nonFraction></td><td></td></tr>
<tr><td>Nothing</td><td></td><td></td><td><ix:nonFraction contextRef="y" unitRef="usd" name="a:Nil" xsi:nil="true"
>n/a</ix:nonFraction></td><td></td></tr>
<tr><td>Odd</td><td></td><td></td><td><ix:nonFraction contextRef="y" unitRef="usd" name="a:Odd"
>many</ix:nonFraction></td><td></td></tr>
</table>
"""


def filing(body: str = BODY, header: str = HEADER) -> bytes:
    head = "<head><title>acme-20231231</title></head>"
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<html {NAMESPACES}>{head}<body>{header}{body}</body></html>'.encode()
    )


def found(content: bytes) -> ParsedDocument:
    (one,) = read(content, "acme.htm", NoCompanions())
    return one


def test_a_filing_becomes_a_report_with_located_facts() -> None:
    one = found(filing())
    document = assemble(one)
    text = document.text
    assert (document.kind, document.year, document.venue) == ("report", 2023, "Form 10-K")
    assert document.title_text == "Acme Sons: annual report 2023"
    assert "Not seen" not in text
    assert "77" not in text
    assert "billion & grew." in text
    assert "| Net loss | $(1,234) |" in text
    assert [section.heading.of(text) for section in document.sections if section.heading] == ["Item 7. Results"]
    facts = [(f.attribute, f.period, f.unit, f.value, f.span.of(text), f.part, f.place) for f in document.facts]
    year = "2023-01-01/2023-12-31"
    part = "us-gaap:ClassAxis=acme:NorthMember; acme:PlantAxis=7"
    assert facts == [
        ("us-gaap:Revenues", year, "USD", Decimal("1250000000"), "1.25", "", "prose"),
        ("us-gaap:ProfitLoss", year, "USD", Decimal("-1234000000"), "1,234", "", "table"),
        ("us-gaap:Par", year, "USD/shares", Decimal("0.50"), "0.50", "", "table"),
        ("us-gaap:Par", "2023-12-31", "USD/shares", Decimal("0.50"), "0.50", part, "table"),
        ("a:Zero", year, "USD", Decimal(0), "—", "", "table"),
        ("a:Nil", year, "USD", None, "n/a", "", "table"),
    ]
    assert {fact.entity for fact in document.facts} == {"Acme Sons"}
    assert one.notes["facts"] == "1 in the hidden part and 1 without printed characters"
    assert one.notes["numbers"].startswith("1 could not be read, such as not a number: 'many'")


def test_a_fraction_is_one_number() -> None:
    def fraction(name: str, inside: str) -> str:
        return f'<p>x <ix:fraction contextRef="y" unitRef="per" name="a:{name}">{inside}</ix:fraction> y</p>'

    one = "<ix:numerator>1</ix:numerator>"
    body = "".join(
        (
            fraction("Quarter", f"{one} for every <ix:denominator>4</ix:denominator>"),
            fraction(
                "Scaled", '<ix:numerator sign="-" scale="3">1.5</ix:numerator>/<ix:denominator>2</ix:denominator>'
            ),
            fraction("Third", f"{one}/<ix:denominator>3</ix:denominator>"),
            fraction("Nothing", f"{one}/<ix:denominator>0</ix:denominator>"),
            fraction("Half", one),
            fraction(
                "Outer",
                f'<ix:fraction contextRef="e" name="a:Inner">{one}:<ix:denominator>8</ix:denominator></ix:fraction>',
            ),
        )
    )
    report = found(filing(body))
    document = assemble(report)
    facts = [(fact.attribute, str(fact.value), fact.span.of(document.text)) for fact in document.facts]
    assert facts == [
        ("a:Quarter", "0.25", "1 for every 4"),
        ("a:Scaled", "-750", "1.5/2"),
        ("a:Third", "0." + 28 * "3", "1/3"),
        ("a:Outer", "0.125", "1:8"),
        ("a:Inner", "0.125", "1:8"),
    ]
    assert "x 1/0 y" in document.text
    assert report.notes["numbers"].startswith("2 could not be read")


def test_values_have_no_exponent() -> None:
    values = [str(fact.value) for fact in facts_of(filing()) if fact.value is not None]
    assert values == ["77", "1250000000", "9", "-1234000000", "0.50", "0.50", "0"]


@pytest.mark.parametrize(
    ("text", "form", "value"),
    [
        ("1,234.50", "ixt:numdotdecimal", "1234.50"),
        ("1 234,50", "ixt:num-comma-decimal", "1234.50"),
        ("1.234,50", "ixt:numdotcomma", "1234.50"),
        ("1’234.5", "ixt4:num-dot-decimal-apos", "1234.5"),
        ("12,34,567", "ixt:numdotdecimalin", "1234567"),
        ("–", "ixt2:zerodash", "0"),
        ("nil", "ixt:fixed-zero", "0"),
        ("two hundred and fifty-three", "ixt-sec:numwordsen", "253"),
        ("One million two hundred thousand", "ixt-sec:numwordsen", "1200000"),
        ("No", "ixt-sec:numwordsen", "0"),
        ("12 pounds 50", "ixt:numunitdecimal", "12.50"),
        (" 7 ", "", "7"),
    ],
)
def test_parses_numbers_by_format(text: str, form: str, value: str) -> None:
    assert parse_number(text, form) == Decimal(value)


@pytest.mark.parametrize(
    ("text", "form"),
    [("7", "ixt:zerodash"), ("", ""), ("1e9", ""), ("9" * 99, ""), ("a lot", "ixt-sec:numwordsen"), ("٣", "")],
)
def test_rejects_what_is_not_a_number(text: str, form: str) -> None:
    with pytest.raises(ValueError, match="no"):
        parse_number(text, form)


def test_matches_filings() -> None:
    assert matches("a.htm", filing()[:65_536])
    assert matches("a.htm", filing().decode().encode("utf-16"))
    assert not matches("a.htm", b"<html><body>inline</body></html>")


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("&amp; grew", "& grew &nbsp;so"),
        lambda text: text.replace("<p>Sales", "<p><br>Sales"),
        lambda text: text.replace("<p>Sales", '<p class=x>Sales'),
        lambda text: text.replace("</body></html>", ""),
    ],
)  # fmt: skip
def test_reads_a_filing_with_errors_and_records_them(change: Callable[[str], str]) -> None:
    one = found(change(filing().decode()).encode())
    document = assemble(one)
    assert one.notes["text"].startswith("not well-formed")
    assert "& grew" in document.text
    assert len(document.facts) == 6


def test_reads_another_encoding() -> None:
    text = filing().decode().replace("grew", "grew in Zürich")
    latin = text.replace('encoding="UTF-8"', 'encoding="ISO-8859-1"').replace("—", "-").encode("latin-1")
    assert "in Zürich" in assemble(found(latin)).text
    assert "in Zürich" in assemble(found(text.replace("—", "-").encode("cp1252"))).text
    assert "in Zürich" in assemble(found(text.replace("UTF-8", "UTF-16").encode("utf-16"))).text


def test_entities_are_neither_expanded_nor_fetched(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("a secret")
    outside = f'<!DOCTYPE html [<!ENTITY x SYSTEM "{secret.as_uri()}"><!ENTITY y "inner">]>'
    text = filing().decode().replace("?>\n", f"?>{outside}", 1).replace("grew", "grew &x; &y; &nbsp;&eacute;")
    read_text = assemble(found(text.encode())).text
    assert "a secret" not in read_text
    assert "é" in read_text
    laughs = "".join(f'<!ENTITY a{n + 1} "{f"&a{n};" * 20}">' for n in range(12))
    bomb = filing().decode().replace("?>\n", f'?><!DOCTYPE html [<!ENTITY a0 "ha">{laughs}]>', 1)
    one = found(bomb.replace('name="a:Zero"', 'name="&a12;"').encode())
    assert "amplification" in one.notes["text"]
    assert len(assemble(found(bomb.replace("grew", "&a12;").encode())).text) < 2_000


@pytest.mark.parametrize(
    "body",
    [
        "<div>" * 100_000,
        "<ix:nonFraction>" * 100_000,
        "<table><tr><td>" * 100_000,
        "",
        "<p></p>",
        "<table>" + "<tr><td>a</td><td colspan='999'>b</td></tr>" * 9 + "<tr>" + "<td>c</td>" * 1_001 + "</tr></table>",
    ],
)
def test_unreadable_input_is_refused_with_a_reason(body: str) -> None:
    with pytest.raises(ReadError):
        assemble(found(filing(body)))


@pytest.mark.parametrize("content", [b"", b"\0", b"<", b"<html/>", b"plain", filing()[:300], b"\xff\xfe<\0", b"[1]"])
def test_refuses_what_is_not_a_filing(content: bytes) -> None:
    with pytest.raises(ReadError):
        found(content)


def test_damaged_input_raises_only_read_errors() -> None:
    whole = filing()
    chance = random.Random(7)
    for _ in range(400):
        damaged = bytearray(whole)
        for _ in range(chance.randrange(1, 12)):
            place = chance.randrange(len(damaged))
            how = chance.randrange(4)
            if how == 0:
                del damaged[place : place + chance.randrange(60)]
            elif how == 1:
                damaged[place] = chance.randrange(256)
            elif how == 2:
                damaged[place:place] = chance.choice(
                    [b"<", b">", b"&", b'"', b"<div>", b"</td>", b"\0", b"]]>", b"<!--"]
                )
            else:
                del damaged[max(place, 200) :]
            if not damaged:
                break
        try:
            assemble(found(bytes(damaged)))
            list(facts_of(bytes(damaged)))
        except ReadError as error:
            assert str(error)


# Real filings, against the facts that others took from them.


def rounded(value: Decimal | str) -> Decimal:
    """To 15 digits: the gold was computed in floating point, so 8.2 billion stands there as 8199999999.999999."""
    return Context(prec=15).plus(Decimal(value)).normalize()


Facts = dict[str, tuple[RawFact, ...]]
Filings = dict[str, tuple[Document, ParsedDocument]]


@pytest.fixture(scope="session")
def filings(shared: Callable[[str], Path], build_once: SharedFolders) -> Callable[[str], tuple[Facts, Filings]]:
    """The facts of every filing of a set, and some filings as documents, which takes longer for large ones."""

    @cache
    def find(name: str) -> tuple[Facts, Filings]:
        archive = shared(f"{name}/html.tar.xz")
        return build_once.value(name, lambda: _read_filings(archive, EVERY[name]))

    return find


EVERY = {"sec-10k-ixbrl": 3, "uk-accounts-ixbrl": 1}
"""Every how many filings one is read as a document."""


def _read_filings(archive: Path, every: int) -> tuple[Facts, Filings]:
    facts: Facts = {}
    documents: Filings = {}
    for number, (path, content) in enumerate(members(archive)):
        name = path.rpartition("/")[2]
        facts[name] = tuple(facts_of(content))
        if number % every == 0:
            one = found(content)
            documents[name] = (assemble(one), one)
    return facts, documents


def rows(path: Path) -> Iterator[dict[str, str]]:
    content = path.read_bytes()
    text = (lzma.decompress(content) if path.suffix == ".xz" else content).decode()
    return csv.DictReader(io.StringIO(text))


@pytest.mark.slow
def test_facts_of_annual_reports_match_the_gold(
    shared: Callable[[str], Path], filings: Callable[[str], tuple[Facts, Filings]]
) -> None:
    gold = {
        (r["ticker"], r["concept"], r["start"], r["end"], rounded(r["value"]), r["unit"], r["decimals"],
         r["text_in_document"])
        for r in rows(shared("sec-10k-ixbrl/facts_no_dimensions.csv.xz"))
    }  # fmt: skip
    mine: set[tuple[str | Decimal, ...]] = set()
    for name, facts in filings("sec-10k-ixbrl")[0].items():
        for f in facts:
            assert not f.fault
            if f.numeric and not f.dimensions and f.value is not None:
                ticker = name.partition("_")[0]
                mine.add((ticker, f.concept, f.start, f.end, rounded(f.value), f.unit, f.decimals, f.text))
    assert len(gold) == 14_827
    assert not gold - mine
    # The gold has each fact once and leaves out numbers in words ("two segments").
    more = mine - gold
    known = {row[:6] for row in gold}
    words = [row for row in more if row[:6] not in known]
    assert len(more) == 94
    assert all(str(row[7]).isalpha() for row in words)


def test_facts_of_small_accounts_match_the_gold(
    shared: Callable[[str], Path], filings: Callable[[str], tuple[Facts, Filings]]
) -> None:
    gold = {(*list(r.values())[:5], Decimal(r["value"]), r["unit"], r["text_in_document"])
            for r in rows(shared("uk-accounts-ixbrl/facts.csv"))}  # fmt: skip
    mine: set[tuple[str | Decimal | None, ...]] = set()
    for name, facts in filings("uk-accounts-ixbrl")[0].items():
        for f in (fact for fact in facts if fact.numeric and fact.value is not None):
            part = ";".join(f"{bare(axis)}={bare(member)}" for axis, member in f.dimensions)
            mine.add((name.split("_")[2], bare(f.concept), f.start, f.end, part, f.value, f.unit, f.text))
    assert len(gold) == 1_943
    assert mine == gold


def bare(name: str) -> str:
    return name.rpartition(":")[2]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "count", "printed"), [("sec-10k-ixbrl", 8, 10_191), ("uk-accounts-ixbrl", 100, 2_021)]
)
def test_every_printed_fact_has_the_span_of_its_characters(
    filings: Callable[[str], tuple[Facts, Filings]], name: str, count: int, printed: int
) -> None:
    all_facts, read_in = filings(name)
    assert len(read_in) == count
    assert sum(len(document.facts) for document, _ in read_in.values()) == printed
    for file, (document, one) in read_in.items():
        facts = all_facts[file]
        assert document.tables
        unprinted = re.search(r"and (\d+) without", one.notes.get("facts", "and 0 without"))
        assert unprinted is not None
        assert len(document.facts) + int(unprinted[1]) == sum(f.numeric and not f.hidden for f in facts)
        assert ": annual " in document.title_text
        visible = Counter(" ".join(f.text.split()) for f in facts if f.numeric and not f.hidden)
        assert not Counter(" ".join(f.span.of(document.text).split()) for f in document.facts) - visible
        assert set(one.notes) <= {"facts"}
        assert all(isinstance(block, Heading | ParsedTable) or block.inlines for block in one.body)


@pytest.mark.slow
def test_key_metrics_of_annual_reports(
    shared: Callable[[str], Path], filings: Callable[[str], tuple[Facts, Filings]]
) -> None:
    all_facts, read_in = filings("sec-10k-ixbrl")
    check_padding = 0
    for row in rows(shared("sec-10k-ixbrl/key_metrics.csv")):
        facts = all_facts[row["file"]]
        texts = {f.concept: f for f in reversed(facts) if not f.numeric and not f.dimensions}
        assert texts["dei:EntityRegistrantName"].text == row["registrant"]
        assert texts["dei:DocumentPeriodEndDate"].text == row["period_end_text"]
        assert texts["dei:EntityCentralIndexKey"].text == row["cik"]
        assert texts["dei:EntityIncorporationStateCountryCode"].text == row["state_of_incorporation"]
        # Eight filings tag the comma after the city too; the gold drops it.
        assert texts["dei:EntityAddressCityOrTown"].text.rstrip(",") == row["hq_city"]
        if row["file"] in read_in:
            assert read_in[row["file"]][0].year == int(row["fiscal_year_focus"])
        year = texts["dei:DocumentPeriodEndDate"]
        for concept in list(row)[10:]:
            held = [f for f in facts if f.concept == f"us-gaap:{concept}" and not f.dimensions and f.end == year.end]
            held = [f for f in held if f.start in ("", year.start) and f.value is not None]
            best = max(held, key=lambda f: 99 if f.decimals == "INF" else int(f.decimals), default=None)
            value = rounded(best.value) if best is not None and best.value is not None else None
            assert value == (rounded(row[concept]) if row[concept] else None)
            check_padding += 1
    assert check_padding == 600


def test_key_metrics_of_small_accounts(
    shared: Callable[[str], Path], filings: Callable[[str], tuple[Facts, Filings]]
) -> None:
    all_facts, read_in = filings("uk-accounts-ixbrl")
    check_padding = 0
    for row in rows(shared("uk-accounts-ixbrl/key_metrics.csv")):
        facts, (document, _) = all_facts[row["file"]], read_in[row["file"]]
        assert document.title_text.startswith(" ".join(row["company_name"].split()) + ": annual accounts ")
        for metric in (name.removesuffix("_concept") for name in row if name.endswith("_concept")):
            if row[metric]:
                held = [f for f in facts if bare(f.concept) == row[f"{metric}_concept"] and not f.dimensions]
                values = [f.value for f in held if f.end == row["balance_sheet_date"] and f.value is not None]
                assert values[0] == Decimal(row[metric])
                check_padding += 1
    assert check_padding == 423
