"""Small Word documents, e-books and workbooks, and attacks on their readers."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from fathom.corpus.readers.parsed_document import ParsedDocument
from fathom.corpus.selftest.documents import zipped
from fathom.corpus.selftest.formats import FORMATS

Files = dict[str, bytes]
Attack = tuple[str, Callable[[], Files]]

_S = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_MAIN = {"docx": "word/document.xml", "epub": "book/chapter.xhtml", "xlsx": "xl/worksheets/sheet1.xml"}
_MIDDLE = {"docx": "</w:p>", "epub": "</p>", "xlsx": "</row>"}
"""The end of a block in the main part: attacks are put after the first."""


def good_office(kind: str, written: Sequence[ParsedDocument]) -> tuple[Files, ...]:
    """Small documents of a kind."""
    if kind != "xlsx":
        return tuple(FORMATS[kind](found) for found in written)
    rows = "".join(
        f'<row r="{n}"><c r="A{n}" t="s"><v>{n % 2}</v></c><c r="B{n}" s="1"><v>{44_000 + n}</v></c>'
        f'<c r="C{n}" t="inlineStr"><is><t>street {n}</t></is></c></row>'
        for n in range(1, 9)
    )
    parts = {
        "_rels/.rels": f'<Relationships><Relationship Id="x" Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/>'
        "</Relationships>",
        "xl/workbook.xml": f'<workbook xmlns="{_S}" xmlns:r="{_OFFICE}"><sheets>'
        '<sheet name="Trees" r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships><Relationship Id="r1" Type="{_OFFICE}/worksheet" '
        f'Target="worksheets/sheet1.xml"/><Relationship Id="r2" Type="{_OFFICE}/sharedStrings" Target="texts.xml"/>'
        f'<Relationship Id="r3" Type="{_OFFICE}/styles" Target="styles.xml"/></Relationships>',
        "xl/texts.xml": f'<sst xmlns="{_S}"><si><t>oak</t></si><si><t>elm</t></si></sst>',
        "xl/styles.xml": f'<styleSheet xmlns="{_S}"><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs>'
        "</styleSheet>",
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{_S}"><sheetData>{rows}</sheetData></worksheet>',
    }
    return ({"trees.xlsx": zipped(parts)},)


def unzipped(content: bytes) -> dict[str, bytes]:
    """The parts of a document."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def rezipped(parts: dict[str, bytes]) -> bytes:
    """A document of these parts."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def office_attacks(kind: str, good: Sequence[Files], places: Sequence[str]) -> Iterator[Attack]:
    """Bombs, entities, deep nesting, paths out of the archive, and counts that grow."""
    (name, content), *_ = good[-1].items()
    parts = unzipped(content)
    main = _MAIN[kind]

    def changed(part: str, text: bytes) -> Files:
        return {name: rezipped({**parts, part: text})}

    def inside(text: str, doctype: str = "") -> Files:
        whole = parts[main].decode().replace(_MIDDLE[kind], _MIDDLE[kind] + text, 1)
        return changed(main, whole.replace("?>", "?>" + doctype, 1).encode())

    def made(label: str, text: str, doctype: str = "") -> Attack:
        return label, partial(inside, text, doctype)

    steps = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12))
    yield made("billion laughs", "<p>&a11;</p>", f'<!DOCTYPE x [<!ENTITY a0 "ha">{steps}]>')
    for place in places:
        yield made(f"entity from {place}", "<p>&a;</p>", f'<!DOCTYPE x [<!ENTITY a SYSTEM "{place}.txt">]>')
    yield "a part that unpacks to much", lambda: changed(main, bytes(300 * 1024 * 1024))
    for number, part in enumerate(parts):
        yield f"part {number} is empty", partial(changed, part, b"")
        yield f"part {number} is no XML", partial(changed, part, b"\x89PNG" * 100)
        yield (
            f"part {number} is missing",
            partial(lambda gone: {name: rezipped({k: v for k, v in parts.items() if k != gone})}, part),
        )
    yield "ten thousand parts", lambda: {name: rezipped({**parts, **{f"x/{n}.xml": b"" for n in range(10_000)}})}
    outside = {key: re.sub(rb'"(?:word|book|worksheets)/', b'"../../../outside/', text) for key, text in parts.items()}
    yield "paths out of the archive", lambda: {name: rezipped(outside)}
    yield from {"docx": _docx_attacks, "epub": _epub_attacks, "xlsx": _xlsx_attacks}[kind](made)


def _docx_attacks(made: Callable[[str, str], Attack]) -> Iterator[Attack]:
    paragraph = "<w:p><w:r><w:t>x</w:t></w:r></w:p>"
    yield made("deep tables", "<w:tbl><w:tr><w:tc>" * 60 + paragraph + "</w:tc></w:tr></w:tbl>" * 60)
    yield made("deeper tables", "<w:tbl><w:tr><w:tc>" * 100_000)
    yield made("deep controls", "<w:sdt><w:sdtContent>" * 100 + paragraph + "</w:sdtContent></w:sdt>" * 100)
    yield made("many paragraphs", paragraph * 50_000)
    yield made("many runs", "<w:p>" + "<w:r><w:t>x</w:t></w:r>" * 100_000 + "</w:p>")
    yield made("many open fields", "<w:p>" + '<w:r><w:fldChar w:fldCharType="begin"/></w:r>' * 50_000 + "</w:p>")
    yield made(
        "many links", "<w:p>" + '<w:hyperlink w:anchor="x"><w:r><w:t>[1]</w:t></w:r></w:hyperlink>' * 20_000 + "</w:p>"
    )
    yield made(
        "many deleted ends",
        '<w:p><w:pPr><w:rPr><w:del w:id="1"/></w:rPr></w:pPr><w:r><w:t>x</w:t></w:r></w:p>' * 20_000,
    )
    cell = '<w:tc><w:tcPr><w:gridSpan w:val="999999"/></w:tcPr>' + paragraph + "</w:tc>"
    yield made("wide cells", "<w:tbl>" + f"<w:tr>{cell}</w:tr>" * 10_000 + "</w:tbl>")
    yield made("many cells", "<w:tbl><w:tr>" + f"<w:tc>{paragraph}</w:tc>" * 100_000 + "</w:tr></w:tbl>")


def _epub_attacks(made: Callable[[str, str], Attack]) -> Iterator[Attack]:
    yield made("deep divisions", "<div>" * 100_000)
    yield made("many links", '<p><a href="#x" id="x">[1]</a></p>' * 20_000)
    yield made("many list items", "<ol>" + "<li>x</li>" * 50_000 + "</ol>")
    yield made("wide cells", "<table>" + '<tr><td colspan="99999">x</td></tr>' * 1_000 + "</table>")
    yield made("many cells", "<table><tr>" + "<td>x</td>" * 100_000 + "</tr></table>")


def _xlsx_attacks(made: Callable[[str, str], Attack]) -> Iterator[Attack]:
    yield made("a far column", '<row><c r="ZZZ1"><v>1</v></c></row>')
    yield made("a far row", '<row r="99999999"><c r="A99999999"><v>1</v></c></row>')
    yield made("a long number", f"<row><c><v>{'9' * 100_000}</v></c></row>")
    yield made("a huge number", '<row><c s="1"><v>1e308</v></c><c s="1"><v>-1e308</v></c><c s="1"><v>NaN</v></c></row>')
    yield made("texts that are missing", '<row><c t="s"><v>99999999</v></c><c t="s"><v>-1</v></c></row>' * 100)
    yield made("styles that are missing", '<row><c s="999999"><v>1</v></c></row>' * 100)
    yield made("many rows", "<row><c><v>1</v></c></row>" * 100_000)
    yield made("uneven rows", "<row><c><v>1</v></c></row>" * 10_000 + '<row><c r="ALL1"><v>1</v></c></row>')
    yield made("cells twice", '<row><c r="B1"><v>1</v></c><c r="A1"><v>2</v></c><c r="B1"><v>3</v></c></row>')
    yield made("deep rows", "<row>" * 100_000)
