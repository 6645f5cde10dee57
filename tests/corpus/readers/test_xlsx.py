"""Excel workbooks: strings, numbers, dates, formulas, sheets."""

from __future__ import annotations

import pytest

from fathom.corpus.readers.assembly import assemble
from fathom.corpus.readers.parsed_document import NoCompanions, ReadError
from fathom.corpus.readers.xlsx.number_formats import NumberFormat, displayed
from fathom.corpus.readers.xlsx.reader import matches, read
from fathom.corpus.selftest.documents import zipped
from fathom.records.documents import Document

S = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def workbook(sheets: dict[str, str], strings: str = "", styles: str = "", properties: str = "") -> bytes:
    states = {name: "hidden" if name == "Draft" else "visible" for name in sheets}
    names = "".join(
        f'<sheet name="{name}" sheetId="{n}" r:id="r{n}" state="{states[name]}"/>' for n, name in enumerate(sheets)
    )
    relations = "".join(
        f'<Relationship Id="r{n}" Type="{OFFICE}/worksheet" Target="worksheets/s{n}.xml"/>' for n in range(len(sheets))
    )
    relations += f'<Relationship Id="a" Type="{OFFICE}/sharedStrings" Target="sharedStrings.xml"/>'
    relations += f'<Relationship Id="b" Type="{OFFICE}/styles" Target="/xl/styles.xml"/>'
    parts = {
        "_rels/.rels": "<Relationships>"
        f'<Relationship Id="x" Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{S}" xmlns:r="{OFFICE}">{properties}<sheets>{names}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f"<Relationships>{relations}</Relationships>",
        "xl/sharedStrings.xml": f'<sst xmlns="{S}">{strings}</sst>',
        "xl/styles.xml": f'<styleSheet xmlns="{S}">{styles}</styleSheet>',
    }
    for n, rows in enumerate(sheets.values()):
        parts[f"xl/worksheets/s{n}.xml"] = f'<worksheet xmlns="{S}"><sheetData>{rows}</sheetData></worksheet>'
    return zipped(parts)


def text(value: str, place: str = "") -> str:
    return f'<c r="{place}" t="inlineStr"><is><t>{value}</t></is></c>'


def number(value: object, style: int = 0, place: str = "") -> str:
    return f'<c r="{place}" s="{style}"><v>{value}</v></c>'


def row(*cells: str) -> str:
    return f"<row>{''.join(cells)}</row>"


def document(content: bytes) -> Document:
    (one,) = read(content, "a/creek_salt.xlsx", NoCompanions())
    return assemble(one)


def cells(read_in: Document, table: int = 0) -> list[str]:
    return [cell.span.of(read_in.text) for cell in read_in.tables[table].cells]


def test_reads_every_kind_of_value() -> None:
    strings = "<si><t>creek</t></si><si><r><t>up</t></r><r><t>per</t></r><rPh><t>x</t></rPh></si>"
    styles = (
        '<numFmts><numFmt numFmtId="164" formatCode="dd\\.mm\\.yyyy;@"/><numFmt numFmtId="165" formatCode="0.0%"/>'
        '<numFmt numFmtId="166" formatCode="[Red]#,##0 &quot;days&quot;"/></numFmts><cellXfs><xf numFmtId="0"/>'
        '<xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="22"/><xf numFmtId="166"/></cellXfs>'
    )
    head = row('<c r="A1" t="s"><v>0</v></c>', *map(text, "abcdefg"))
    data = row(
        '<c t="s"><v>1</v></c>',
        number("0.10000000000000001"),
        number(44269, 1),
        number(44269, 2),
        number(0.125, 3),
        number(44269.5, 4),
        number(1200, 5),
        '<c t="str"><f>A1&amp;"x"</f><v>creekx</v></c>',
    )
    read_in = document(workbook({"Sheet1": head + data}, strings, styles))
    day = "2021-03-14"
    assert cells(read_in)[8:] == ["upper", "0.1", day, day, "12.5%", f"{day} 12:00", "1200", "creekx"]
    assert (read_in.title_text, read_in.kind, read_in.sections) == ("Creek salt", "report", ())
    assert read_in.state("references") == "absent"


def test_sheets_lines_gaps_and_hidden_sheets() -> None:
    first = row(text("Salt by creek, in grams", "A1")) + row(text("creek", "A3"), text("salt", "B3"))
    first += row(text("upper", "A4"), number(12, place="B4")) + row(text("old", "A6"), number(7, place="D6"))
    first += row(text("Source: our own pumps, boiled down in the kitchen.", "A8"))
    second = row(text("year"), text("rain")) + row(number(2020), number(3.5))
    read_in = document(workbook({"Creeks": first, "Rain": second, "Draft": second}))
    assert [section.heading.of(read_in.text) for section in read_in.sections if section.heading] == ["Creeks", "Rain"]
    assert len(read_in.tables) == 2
    assert "Salt by creek, in grams\n" in read_in.text
    assert "old" in cells(read_in) and "Source:" not in " ".join(cells(read_in))


@pytest.mark.parametrize(
    ("value", "form", "from_1904", "expected"),
    [
        ("1", NumberFormat(date=True), False, "1900-01-01"),
        ("61", NumberFormat(date=True), False, "1900-03-01"),
        ("0", NumberFormat(date=True), True, "1904-01-01"),
        ("0.75", NumberFormat(time=True), False, "18:00"),
        ("-5", NumberFormat(date=True), False, "-5"),
        ("1E+3", NumberFormat(), False, "1000"),
        ("12.50", NumberFormat(), False, "12.50"),
        ("n/a", NumberFormat(date=True), False, "n/a"),
    ],
)
def test_displays_numbers(value: str, form: NumberFormat, from_1904: bool, expected: str) -> None:
    assert displayed(value, form, from_1904) == expected


def test_knows_workbooks() -> None:
    content = workbook({"a": row(text("x"))})
    assert matches("a.xlsx", content) and matches("download", content)
    assert not matches("a.xlsx", b"\xd0\xcf\x11\xe0")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"PK\x03\x04", "damaged"),
        (zipped({"a.xml": "<a/>"}), "no Excel"),
        (workbook({"a": ""}), "no table"),
        (workbook({"a": row(text("x", "ZZZ1"))}), "columns"),
        (workbook({"a": "<row>" * 400}), "well-formed"),
    ],
)
def test_unreadable_workbooks_are_refused_with_a_reason(content: bytes, reason: str) -> None:
    with pytest.raises(ReadError, match=reason):
        document(content)


def test_workbooks_with_too_many_cells_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fathom.corpus.readers.xlsx.reader.MAX_CELLS", 1_000)
    content = workbook({"a": row(*[number(1)] * 50) * 20})
    assert document(content)
    with pytest.raises(ReadError, match="more than 1,000 cells"):
        document(workbook({"a": row(*[number(1)] * 50) * 20 + row(number(1))}))
