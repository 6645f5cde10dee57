"""Valid documents of every format, and deliberate attacks on their readers."""

from __future__ import annotations

import gzip
import io
import json
import lzma
import re
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import replace
from functools import cache, partial
from itertools import islice
from typing import Any

from fathom.corpus.generated.lexicon import SUBJECTS
from fathom.corpus.generated.research import write_article
from fathom.corpus.generated.world import World
from fathom.corpus.readers.parsed_document import ParsedDocument, ParsedTable
from fathom.corpus.selftest.decompose import decompose
from fathom.corpus.selftest.formats import FORMATS
from tests.corpus.readers.office_attacks import good_office, office_attacks

DEEP = 100_000

Files = dict[str, bytes]
"""A document and its companion files, by name; the document comes first."""


# Good documents, small.


@cache
def _written() -> tuple[ParsedDocument, ...]:
    """Letters, and the beginning of a long document with its first table."""
    letters = [decompose(write_article(plan)) for plan in islice(World(11, list(SUBJECTS), "short").plans(), 4)]
    long = decompose(write_article(next(iter(World(11, list(SUBJECTS), "full").plans()))))
    table = next(block for block in long.body if isinstance(block, ParsedTable))
    return (*letters, replace(long, body=[*long.body[:8], table]))


FILING = """<?xml version="1.0" encoding="UTF-8"?>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:ix="http://www.xbrl.org/2013/inlineXBRL"
 xmlns:xbrli="http://www.xbrl.org/2003/instance" xmlns:xbrldi="http://xbrl.org/2006/xbrldi"
 xmlns:iso4217="http://www.xbrl.org/2003/iso4217"><head><title>mill-2023</title></head><body>
<div style="display:none"><ix:header><ix:hidden>
<ix:nonNumeric contextRef="c1" name="dei:EntityRegistrantName">Mill and Daughters</ix:nonNumeric></ix:hidden>
<ix:resources><xbrli:context id="c1"><xbrli:entity><xbrli:identifier scheme="s">0000000007</xbrli:identifier>
<xbrli:segment><xbrldi:explicitMember dimension="a:Axis">a:EastMember</xbrldi:explicitMember></xbrli:segment>
</xbrli:entity><xbrli:period><xbrli:startDate>2023-01-01</xbrli:startDate><xbrli:endDate>2023-12-31</xbrli:endDate>
</xbrli:period></xbrli:context><xbrli:unit id="u"><xbrli:measure>iso4217:EUR</xbrli:measure></xbrli:unit>
</ix:resources></ix:header></div>
<p>Report of <ix:nonNumeric contextRef="c1" name="dei:EntityRegistrantName" continuedAt="k">the Mill</ix:nonNumeric>
<ix:continuation id="k"> and its Daughters</ix:continuation></p>
<h2>Item 1. Flour</h2>
<p>We sold flour for <ix:nonFraction contextRef="c1" unitRef="u" name="a:Revenue" decimals="-3" scale="3"
 format="ixt:num-dot-decimal">1,234.5</ix:nonFraction> thousand, more than ever before.</p>
<table><tr><td>Year</td><td>2023</td><td colspan="2">2022</td></tr>
<tr><td>Loss</td><td>(<ix:nonFraction contextRef="c1" unitRef="u" name="a:Loss" sign="-" scale="0">12</ix:nonFraction>)
</td><td rowspan="2">7</td><td>9</td></tr><tr><td>Staff</td><td>4</td><td>5</td></tr></table>
</body></html>
"""

PAGE = """<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Trees of the town</title></head><body>
<h1>Trees of the town</h1><p>The town counts its trees each year. It counted <b>twice</b> in 2021.</p>
<h2>Counts</h2><table><caption>Trees by street</caption>
<thead><tr><th>Street</th><th colspan="2">Trees</th></tr></thead>
<tbody><tr><td rowspan="2">Mill Lane</td><td>12</td><td>13</td></tr><tr><td>1,400</td><td>7.5</td></tr></tbody></table>
<ul><li>Oak</li><li>Elm<ul><li>Young</li></ul></li></ul><blockquote><p>Trees are old.</p></blockquote></body></html>
"""

SHEET = 'street,trees,height\nMill Lane,12,7.5\n"High Street, north","1,400",9\nThe ""Gap"",,11\n'

BOOK = {
    "Geography": {
        "Area": {"total": {"text": "1,234 sq km"}, "land": {"text": "1,200 sq km"}},
        "Climate": {"text": "mild"},
    },
    "People": {
        "Population": {"text": "41,000 (2023 est.)"},
        "Languages": ["Norn", "Scots"],
        "share": 0.75,
        "old": None,
    },
}

TABLED = [
    {
        "table": {
            "uid": "t1",
            "table": [["", "2019", "2018"], ["Revenue", "$1,496.5", "$1,202.9"], ["Cost", "7", "8"]],
        },
        "paragraphs": [{"uid": "p1", "order": 1, "text": "Revenue rose to 1,496.5 in the year."}],
        "questions": [{"uid": "q1", "question": "What was the revenue?", "answer": ["1,496.5"]}],
    }
]


def drawn(lines: Sequence[tuple[int, int, int, str]], extra: Sequence[bytes] = (), page: bytes = b"") -> bytes:
    """A PDF of one page with lines at (x, y) in a size; further objects are numbered from six."""
    body = b"\n".join(
        b"BT /F1 %d Tf %d %d Td (%s) Tj ET"
        % (size, x, y, re.sub(rb"([()\\])", rb"\\\1", text.encode("cp1252", "replace")))
        for x, y, size, text in lines
    )
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[4 0 R]/Count 1/MediaBox[0 0 612 792]>>",
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        b"<</Type/Page/Parent 2 0 R/Contents 5 0 R/Resources<</Font<</F1 3 0 R>>%s>>>>" % page,
        b"<</Length %d>>\nstream\n%s\nendstream" % (len(body), body),
        *extra,
    ]
    return pdf_of(objects)


def pdf_of(objects: Sequence[bytes]) -> bytes:
    """A PDF of numbered objects with a cross-reference table."""
    content = b"%PDF-1.7\n"
    places = []
    for number, body in enumerate(objects, start=1):
        places.append(len(content))
        content += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    end = b"trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (size, len(content))
    return content + b"xref\n0 %d\n0000000000 65535 f \n" % size + table + end


def _lines(found: ParsedDocument) -> list[tuple[int, int, int, str]]:
    """A letter as lines on a page, in columns if it is long."""
    lines = [(72, 740, 18, found.title), (72, 715, 11, ", ".join(one.printed for one in found.authors))]
    text = re.findall(r".{1,48}(?:\s|$)", " ".join(_text_of(found)))
    lines += [(72, 695, 13, "1 Introduction")]
    lines += [(72 + 260 * (n // 48 % 2), 670 - 12 * (n % 48), 10, line) for n, line in enumerate(text[:96])]
    lines += [(72, 80, 12, "References")]
    return lines + [(72, 66 - 12 * n, 9, f"[{n + 1}] {one.text}"[:110]) for n, one in enumerate(found.references[:4])]


def _text_of(found: ParsedDocument) -> Iterator[str]:
    for block in (*found.abstract, *found.body):
        if not isinstance(block, ParsedTable):
            yield "".join(piece if isinstance(piece, str) else piece.text for piece in block.inlines)


def _papers(written: Sequence[ParsedDocument]) -> bytes:
    """Papers as JSON lines, with the works they cite."""
    return "".join(
        json.dumps(
            {
                "arxiv_id": f"2001.0000{number}",
                "title": found.title,
                "abstract": "What we saw, in short.",
                "markdown": FORMATS["markdown"](found)["paper.md"].decode(),
                "references": [
                    {
                        "id": f"bib{one.key}",
                        "title": one.title,
                        "citation": "Lind et al. (2019)",
                        "venue": "Journal of Tests",
                        "arxiv_id": f"1901.0000{n}",
                        "abstract": "In short.",
                        "sections": [{"name": "1 Start", "text": "It is known [[4](#b4)] that it is."}],
                    }
                    for n, one in enumerate(found.references[:3])
                ],
            },
            ensure_ascii=False,
        )
        + "\n"
        for number, found in enumerate(written)
    ).encode()


def _archive(files: Files) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(f"papers/{name}"), content)
    return packed.getvalue()


def _tarred(files: Files, mode: str = "w:gz") -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode=mode) as archive:  # type: ignore[call-overload]
        for name, content in files.items():
            member = tarfile.TarInfo(f"papers/{name}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return packed.getvalue()


@cache
def good(kind: str) -> tuple[Files, ...]:
    """Small documents of a kind that every reader should read."""
    written = _written()
    match kind:
        case "ixbrl":
            return ({"filing.htm": FILING.encode()},)
        case "papers-jsonl":
            return ({"papers.jsonl": _papers(written[:2])}, {"papers.jsonl": _papers(written[-1:])})
        case "pdf":
            return tuple({"paper.pdf": drawn(_lines(found))} for found in written)
        case "s2orc":
            return tuple(FORMATS[form](found) for form in ("s2orc-2023", "s2orc") for found in written)
        case "docx" | "epub" | "xlsx":
            return good_office(kind, written)
        case "jats" | "tei" | "latexml" | "markdown" | "myst" | "rst" | "latex" | "text" | "html-article":
            return tuple(FORMATS[kind](found) for found in written)
        case "csv":
            return ({"trees.csv": SHEET.encode()}, {"trees.tsv": SHEET.replace(",", "\t").encode()})
        case "page":
            return ({"trees.html": PAGE.encode()},)
        case "json":
            return ({"island.json": json.dumps(BOOK).encode()}, {"tables.json": json.dumps(TABLED).encode()})
        case _:
            files = FORMATS["latex"](written[0])
            return (
                {"papers.zip": _archive(files)},
                {"papers.tar.gz": _tarred(files)},
                {"papers.tar": _tarred(files, "w")},
                {"paper.xml.gz": gzip.compress(FORMATS["jats"](written[1])["paper.xml"], mtime=0)},
                {"paper.xml.xz": lzma.compress(FORMATS["jats"](written[1])["paper.xml"])},
            )


# Malice: what somebody writes who means it. Each attack is a name and the files, made when they are wanted.

Attack = tuple[str, Callable[[], Files]]


def _deep(opening: str, closing: str = "", middle: str = "x", times: int = DEEP) -> str:
    return opening * times + middle + closing * times


def _in_xml(kind: str, doctype: str, text: str, attributes: str = "") -> bytes:
    """A valid document with a DOCTYPE, and an attack in its title and first paragraph."""
    content = next(iter(good(kind)[-1].values())).decode()
    content = re.sub(r"(<\?xml[^>]*\?>)", lambda match: match[0] + doctype, content, count=1)
    content = re.sub(r"<p>", lambda _: f"<p{attributes}>{text} ", content, count=1)
    return re.sub(r"(<article-title>|<title[^>]*>)", lambda match: match[0] + text[:100_000], content, count=1).encode()


def _xml_file(name: str, kind: str, doctype: str, text: str, attributes: str = "") -> Files:
    return {name: _in_xml(kind, doctype, text, attributes)}


def _bomb(levels: int = 12) -> str:
    steps = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, levels))
    return f'<!DOCTYPE x [<!ENTITY a0 "ha">{steps}]>'


def _xml_attacks(kind: str, name: str, places: Sequence[str]) -> Iterator[Attack]:
    def made(label: str, doctype: str, text: str, attributes: str = "") -> Attack:
        return f"{label}", lambda: {name: _in_xml(kind, doctype, text, attributes)}

    yield made("billion laughs", _bomb(), "&a11;")
    yield made("quadratic entities", f'<!DOCTYPE x [<!ENTITY a "{"ha" * 10_000}">]>', "&a;" * 50_000)
    yield made("entity of itself", '<!DOCTYPE x [<!ENTITY a "&b;"><!ENTITY b "&a;">]>', "&a;")
    yield made("entity with tags", '<!DOCTYPE x [<!ENTITY a "<p>more</p></p><p>">]>', "&a;")
    yield made("bomb in an attribute", _bomb(), "x", ' id="&a11;"')
    steps = "".join(f'<!ENTITY % a{n} "{f"%a{n - 1};" * 10}">' for n in range(1, 10))
    yield made("parameter bomb", f'<!DOCTYPE x [<!ENTITY % a0 "hahaha">{steps}%a9;]>', "x")
    for place in (*places, "file:///etc/passwd", "/etc/passwd"):
        target = place if "passwd" in place else f"{place}.xml"
        address = place if "passwd" in place else f"{place}.dtd"
        yield made(f"external entity {target}", f'<!DOCTYPE x [<!ENTITY a SYSTEM "{target}">]>', "&a;")
        yield made(f"public entity {target}", f'<!DOCTYPE x [<!ENTITY a PUBLIC "-//X//Y" "{target}">]>', "&a;")
        yield made(f"external DTD {address}", f'<!DOCTYPE x SYSTEM "{address}">', "&told;")
        yield made(f"parameter entity {address}", f'<!DOCTYPE x [<!ENTITY % p SYSTEM "{address}"> %p;]>', "&told;")
        including = f'<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="{target}" parse="text"/>'
        yield made(f"XInclude {target}", "", including)
        yield made(f"style sheet {target}", f'<?xml-stylesheet type="text/xsl" href="{target}"?>', "x")
    for element in _ELEMENTS[kind]:
        yield made(f"<{element}> deep", "", _deep(f"<{element}>", f"</{element}>"))
        yield made(f"<{element}> 200 deep", "", _deep(f"<{element}>", f"</{element}>", times=200))
        yield made(f"<{element}> open", "", f"<{element}>" * DEEP)
        yield made(f"<{element}> beside", "", f"<{element}>y</{element}>" * 20_000)
    yield made("huge attribute", "", "x", f' id="{"a" * 11_000_000}"')
    yield made("large attribute", "", "x", f' id="{"a b " * 500_000}" class="{"c " * 100_000}"')
    yield made("many attributes", "", "x", "".join(f' a{n}="1"' for n in range(50_000)))
    yield made("one attribute twice", "", "x", ' id="1" id="2"')
    yield made("many namespaces", "", "".join(f'<q:p xmlns:q="urn:{n}">x</q:p>' for n in range(5_000)))
    yield made("unknown namespace", "", "<zz:p>x</zz:p>")
    yield made("open comment", "", "<!-- " + "- " * 100_000)
    yield made("open CDATA", "", "<![CDATA[" + "]]" * 100_000)
    yield made("instructions", "", "<?a b?>" * 50_000)
    yield made("one long text", "", "word " * 400_000)
    yield made("one long word", "", "w" * 2_000_000)
    yield made("brackets", "", "([" * 200_000)
    wide = '<td colspan="999999999" rowspan="999999999">1</td><td colspan="-5" rowspan="x">2</td>'
    rows = f"<table><tbody><tr>{wide}</tr><tr><td>3</td></tr></tbody></table>"
    yield made("half a character", "", "&#xd800; &#56320;")
    yield made("wide cells", "", f"</p><table-wrap>{rows}</table-wrap><p>" if kind == "jats" else rows)
    yield made("table in tables", "", _deep("<table><tr><td>", "</td></tr></table>", times=80))


def _citing(kind: str) -> Iterator[Attack]:
    """Thousands of citations and ids."""
    if kind == "jats":
        keys = " ".join(f"b{n}" for n in range(5_000))
        text = f'<xref ref-type="bibr" rid="{keys}">1</xref>' * 50
        yield "many keys", lambda: {"paper.xml": _in_xml("jats", "", text)}
        span = '<xref ref-type="bibr" rid="b1">1</xref>–<xref ref-type="bibr" rid="b99999999">99999999</xref>'
        yield "endless range", lambda: {"paper.xml": _in_xml("jats", "", span * 10)}
    elif kind == "tei":
        text = '<ref type="bibr" target="#b1 #b2">[1-99999999]</ref>' * 1_000
        yield "endless range", lambda: {"paper.tei.xml": _in_xml("tei", "", text)}
    else:
        fact = '<ix:nonFraction contextRef="c1" unitRef="u" name="a:B" scale="{}" decimals="{}">9{}</ix:nonFraction>'
        for scale in ("999999999", "-999999999", "1e9", "²", ""):
            text = fact.format(scale, scale, "9" * 10_000)
            yield f"scale {scale}", partial(_xml_file, "filing.htm", "ixbrl", "", text)
        chain = "".join(f'<ix:continuation id="k{n}" continuedAt="k{n + 1}">x</ix:continuation>' for n in range(20_000))
        ring = '<ix:continuation id="r1" continuedAt="r2">x</ix:continuation>' + (
            '<ix:continuation id="r2" continuedAt="r1">x</ix:continuation>'
        )
        begun = '<ix:nonNumeric contextRef="c1" name="dei:DocumentType" continuedAt="{}">x</ix:nonNumeric>'
        yield "long chain", lambda: {"filing.htm": _in_xml("ixbrl", "", begun.format("k0") + chain)}
        yield "ring", lambda: {"filing.htm": _in_xml("ixbrl", "", begun.format("r1") + ring)}


def _in_html(kind: str, text: str) -> bytes:
    """A valid page with an attack inside its first paragraph."""
    content = next(iter(good(kind)[-1].values())).decode()
    return re.sub(r'<p(?: class="ltx_p")?>', lambda match: match[0] + text, content, count=1).encode()


_NESTED_HTML = (
    "div", "b", "a", "p", "font", "i", "span", "table", "ul", "li", "blockquote", "table><tr><td", "svg", "math",
    "template", "select", "button", "ruby", "dl><dd", "h1", "section", "nobr", "object", "form", "figure", "title",
    "textarea",
)  # fmt: skip


def _html_attacks(kind: str, name: str, places: Sequence[str]) -> Iterator[Attack]:
    def made(label: str, text: str) -> Attack:
        return label, lambda: {name: _in_html(kind, text)}

    for element in _NESTED_HTML:
        closing = "".join(f"</{part}>" for part in reversed(element.split("><")))
        yield made(f"<{element}> deep", _deep(f"<{element}>", closing))
        yield made(f"<{element}> open", f"<{element}>" * DEEP)
        yield made(f"<{element}> 200 deep", _deep(f"<{element}>", closing, times=200))
    yield made("adoption", "<b><p>" * 2_000 + "x" + "</b></p>" * 2_000)
    yield made("adoption of links", "<a><div>x" * 2_000)
    yield made("formatting", "".join(f"<b id={n}><i>" for n in range(5_000)) + "<p>x" * 2_000)
    yield made("text in a table", "<table>" + "x<b>" * 5_000)
    yield made(
        "wide cells", '<table><tr><td colspan="999999999" rowspan="999999999">1</td></tr><tr><td>2</td></tr></table>'
    )
    yield made("many wide cells", "<table>" + '<tr><td colspan="1000" rowspan="65534">1</td></tr>' * 2_000 + "</table>")
    yield made("many cells", "<table>" + ("<tr>" + "<td>1</td>" * 1_000 + "</tr>") * 100 + "</table>")
    yield made("huge attribute", f'<span class="{"ltx_ref " * 500_000}">x</span>')
    yield made("many attributes", "<span " + " ".join(f"a{n}=1" for n in range(50_000)) + ">x</span>")
    yield made("open tag", "<span " + "a='" * 50_000)
    yield made("open comment", "<!--" + "--!" * 100_000)
    yield made("angle brackets", "<" * 500_000)
    yield made("closings", "</div>" * DEEP)
    yield made("slashes", "<br/" * DEEP)
    yield made("entities", "&#0;&#x110000;&#xd800;&#999999999999;&bogus;&amp" * 5_000)
    yield made("cites", '<cite class="ltx_cite"><a class="ltx_ref" href="#bib.bib1">1</a></cite>' * 20_000)
    yield made("maths", '<math alttext="' + "{" * 100_000 + '"><mi>x</mi></math>')
    yield made("one long text", "word " * 400_000)
    yield made("one long word", "w" * 2_000_000)
    for place in places:
        target = f"{place}.txt"
        names = (
            ("iframe", "src"),
            ("object", "data"),
            ("img", "src"),
            ("embed", "src"),
            ("base", "href"),
            ("link", "href"),
        )
        more = f'<svg><use href="{target}"/></svg><meta http-equiv="refresh" content="0;url={target}">'
        yield made(f"reference to {target}", "".join(f'<{tag} {name}="{target}">' for tag, name in names) + more)


def _json_attacks(kind: str, number: int, paths: Sequence[tuple[str | int, ...]]) -> Iterator[Attack]:
    """A valid document with an attack in each field that a reader uses."""
    name, content = next(iter(good(kind)[number].items()))
    whole = json.loads(content)
    for path in paths:
        for what, value in _json_values().items():
            yield f"{path} is {what}", partial(_json_with, name, whole, path, value)
    text = json.dumps(whole)
    inside = text[1:-1]
    yield "duplicate keys", lambda: {name: f"{text[0]}{inside}, {inside}, {inside}{text[-1]}".encode()}
    yield "many keys", lambda: {name: (text[:-1] + "".join(f', "k{n}": {n}' for n in range(100_000)) + "}").encode()}
    yield "many lines", lambda: {name: (text + "\n").encode() * 50}
    yield "two values", lambda: {name: f"{text} {text}".encode()}


def _json_with(name: str, whole: object, path: Sequence[str | int], value: str) -> Files:
    placed: object = "@@"
    copy = deepcopy(whole)
    if path:
        inner: Any = copy
        for step in path[:-1]:
            inner = inner[step]
        inner[path[-1]] = placed
    text = json.dumps(copy if path else placed)
    return {name: text.replace('"@@"', value).encode("utf-8", "surrogatepass")}


def _json_values() -> dict[str, str]:
    return {
        "a deep list": _deep("[", "]", "1"),
        "a deep object": _deep('{"a":', "}", "1"),
        "900 lists deep": _deep("[", "]", "1", 900),
        "900 objects deep": _deep('{"text":', "}", '"x"', 900),
        "an open list": "[" * DEEP,
        "1e999": "1e999",
        "NaN": "NaN",
        "a long number": "9" * 100_000,
        "a lone surrogate": '"\\ud800 x \\udfff"',
        "a NUL": '"\\u0000 x"',
        "a long text": '"' + "word " * 200_000 + '"',
        "a long word": '"' + "w" * 1_000_000 + '"',
        "many nulls": "[" + "null," * 100_000 + "null]",
        "a list of everything": '[null, 1, "x", [], {}, true, 1e999, "\\ud800"]',
        "an object of everything": '{"a": null, "b": 1, "c": "x", "d": [], "e": {}, "text": 1, "": "\\udc00"}',
    }


def _csv_attacks(name: str) -> Iterator[Attack]:
    for label, text in {
        "a million columns": lambda: "a" + ",a" * 1_000_000 + "\n1,2\n",
        "a million columns below": lambda: "a,b\n1,2\n" + "," * 1_000_000 + "1\n",
        "many columns, many rows": lambda: ("1," * 1_000 + "1\n") * 1_000,
        "a million rows": lambda: "a,b\n" + "1,2\n" * 1_000_000,
        "an open quote": lambda: 'a,b\n"' + "x,y\n" * 200_000,
        "quotes": lambda: "a,b\n" + '"' * 1_000_001 + ",1\n",
        "a huge cell": lambda: "a,b\n" + "x" * 3_000_000 + ",1\n",
        "NULs": lambda: "a,b\n1,\0" * 1_000,
        "lone returns": lambda: "a,b\r" + "1,2\r" * 1_000,
        "blank lines": lambda: "a,b\n" + "\n" * 1_000_000 + "1,2\n",
        "one wide row": lambda: "a" + ",a" * 4_500 + "\n" + "1\n" * 1_000,
        "uneven rows": lambda: "".join("," * (n % 300) + "1\n" for n in range(3_000)),
        "pipes": lambda: "a|b,c|d\n1|2,3|4\n" * 2_000,
        "odd blanks": lambda: "a\u2028,b\x0b\n1\x0c,2\x1c\n3\u0085,4\n" * 500,
        "formulas": lambda: "=cmd|'/c calc'!A1,@x\n+1,-2\n" * 100,
    }.items():
        yield label, partial(_told, name, text)


def _marked(kind: str, text: str, beside: Files | None = None) -> Files:
    """A valid document in a lightweight markup with an attack in the middle."""
    name, content = next(iter(good(kind)[-1].items()))
    blocks = content.decode().split("\n\n")
    at = len(blocks) // 2
    middle = [*blocks[:at], text, *blocks[at:]]
    return {
        name: "\n\n".join(middle).encode(),
        **{k: v for k, v in good(kind)[-1].items() if k != name},
        **(beside or {}),
    }


def _signed(kind: str, before: str, sign: str, times: int) -> Files:
    return _marked(kind, before + sign * times + " end")


def _told(name: str, text: Callable[[], str], before: Files | None = None) -> Files:
    """A file that is created on demand, after the existing ones."""
    return {**(before or {}), name: text().encode("utf-8", "surrogatepass")}


def _light_attacks(kind: str) -> Iterator[Attack]:
    """Attacks on any lightweight markup: hundreds of thousands of markers that are opened and never closed."""
    signs = (
        ">", "> ", "- ", "* ", "1. ", "#", "[", "![", "](", "*", "**a", "_", "_a ", "`", "``", "~~", "$", "$$", "\\(",
        "\\", "{", "}", "{}", "|", "| a ", "|\n", "<", "<div>", "<!--", "&", "&#", "^", "[^a]", "[@a; ", "@a ", ":a:`",
        "|a|", "a_ ", "::", "..", "http://a.", "<http://", "\t", " ", "\n", "\n\n", "a\n\n", "---\n", "```\n", "~~~\n",
        ":::\n", "=", "- [ ] ", "[1]", "[1, ", "[1-999999999]", "(Lind, 2020; ", "\\begin{a}", "\\a{", "%", "\\cite{",
        ".. a::\n   ", "Table 1. ", "W. ", "(", "((a) ", ") ", "“", "Mr. ", "e.g. ", "1.1.", "10.1000/", "arXiv:", "'",
        '"', "\u0301", "\u200d", "İ", "# a\n", "a b\n===\n", "[a]: b\n",
    )  # fmt: skip
    for sign in signs:
        yield f"{sign!r} repeated", partial(_signed, kind, "", sign, DEEP)
        yield f"{sign!r} repeated behind a word", partial(_signed, kind, "word ", sign, 3_000)
    yield "indented ever deeper", lambda: _marked(kind, "\n".join(" " * n + "- x" for n in range(2_000)))
    yield "quoted ever deeper", lambda: _marked(kind, "\n".join(">" * n + " x" for n in range(2_000)))
    yield "indented and back", lambda: _marked(kind, "\n".join(" " * (n % 97) + "x" for n in range(20_000)))
    yield "growing ticks", lambda: _marked(kind, " ".join("`" * n for n in range(1_500)))
    yield "wide table", lambda: _marked(kind, f"|{'a|' * 20_000}\n|{'-|' * 20_000}\n|{'b|' * 20_000}")
    yield "long table", lambda: _marked(kind, "|a|b|\n|-|-|\n" + "|1|2|\n" * 20_000)
    yield "grid table", lambda: _marked(kind, ("+" + "-+" * 200 + "\n|" + "a|" * 200 + "\n") * 200)
    yield "simple table", lambda: _marked(kind, "== " * 500 + "\n" + ("a  " * 500 + "\n") * 50 + "== " * 500)
    yield "one long text", lambda: _marked(kind, "word " * 400_000)
    yield "one long word", lambda: _marked(kind, "w" * 2_000_000)
    yield "one long line of sentences", lambda: _marked(kind, "It is. " * 100_000)
    yield "many headings", lambda: _marked(kind, "\n\n".join(f"{'#' * (n % 9)} Part {n}" for n in range(10_000)))
    yield "many citations", lambda: _marked(kind, "It is (Lind, 2019; Wu and Ito, 2020a,b) so [1, 2-5]. " * 5_000)
    yield "only blanks", lambda: {next(iter(good(kind)[0])): b" \n" * 100_000}
    yield "nothing", lambda: {next(iter(good(kind)[0])): b""}


def _reaching(kind: str, places: Sequence[str]) -> Iterator[Attack]:
    """Directives that include files outside the folder."""
    for place in (
        *places,
        "/etc/passwd",
        "file:///etc/passwd",
        "~/.profile",
        "\0",
        "a" * 5_000,
        ".",
        "..",
        "/dev/zero",
        "CON",
    ):
        for template in _REACHING[kind]:
            for ending in ("", _ENDINGS.get(template, ".txt")):
                text = template.replace("PLACE", place + ending if "secret" in place or place == "link" else place)
                yield f"{template!r} to {place[:60]!r}{ending}", partial(_marked, kind, text)


_REACHING = {
    "latex": (
        "\\input{PLACE}", "\\input PLACE ", "\\include{PLACE}", "\\subfile{PLACE}", "\\verbatiminput{PLACE}",
        "\\lstinputlisting{PLACE}", "\\import{/}{PLACE}", "\\bibliography{PLACE}", "\\addbibresource{PLACE}",
        "\\csvautotabular{PLACE}", "\\immediate\\write18{cat PLACE}", "\\includegraphics{PLACE}",
        "\\newread\\f\\openin\\f=PLACE \\read\\f to\\a \\a", "\\newwrite\\f\\openout\\f=PLACE.new \\write\\f{x}",
    ),
    "myst": (
        "```{include} PLACE\n```", ":::{include} PLACE\n:::", "```{literalinclude} PLACE\n```", "![](PLACE)",
        "```{csv-table}\n:file: PLACE\n```", "```{bibliography} PLACE\n```", "```{raw} html\n:file: PLACE\n```",
        "```{embed} PLACE\n```", "{download}`PLACE`", "---\ntitle: x\nbibliography: PLACE\n---",
    ),
    "rst": (
        ".. include:: PLACE", ".. literalinclude:: PLACE", ".. raw:: html\n   :file: PLACE", ".. image:: PLACE",
        ".. csv-table:: x\n   :file: PLACE", ".. raw:: html\n   :url: PLACE", ".. bibliography:: PLACE",
        ":bibliography: PLACE", ".. code:: x\n   :file: PLACE", ".. |a| include:: PLACE\n\n|a|",
        ".. csv-table:: x\n   :url: PLACE", ".. figure:: PLACE\n   :alt: x",
    ),
}  # fmt: skip
_ENDINGS = {
    template: ending
    for ending, part in (
        (".bib", "bib"),
        (".csv", "csv"),
        (".tex", "\\in"),
        (".md", "include} "),
        (".rst", "include:: "),
    )
    for templates in _REACHING.values()
    for template in templates
    if part in template
}


def _beside_attacks(kind: str) -> Iterator[Attack]:
    """Hostile bibliographies and included files."""
    name, content = next(iter(good(kind)[-1].items()))
    for label, text in {
        "deep braces": lambda: "@article{b1, title = " + _deep("{", "}") + "}",
        "open braces": lambda: "@article{b1, title = " + "{" * DEEP,
        "open quotes": lambda: '@article{b1, title = "' * 20_000,
        "many entries": lambda: "".join(f"@article{{c{n}, title={{T{n}}}, year=2020}}\n" for n in range(20_000)),
        "many at signs": lambda: "@" * DEEP + "@article{" * DEEP,
        "a string of itself": lambda: "@string{a = a # a}\n@article{b1, title = a # a # a, year = a}",
        "a bomb of strings": lambda: (
            '@string{a0 = "ha"}\n'
            + "".join(f"@string{{a{n} = {' # '.join([f'a{n - 1}'] * 10)}}}\n" for n in range(1, 12))
            + "@article{b1, title = a11}"
        ),
        "many commas": lambda: "@article{b1" + "," * DEEP + "}",
        "many names": lambda: "@article{b1, author={" + "A and " * 20_000 + "B}, title={x}}",
        "long name": lambda: "@article{b1, author={" + "van " * 50_000 + "}, title={x}}",
        "accents": lambda: "@article{b1, title={" + "\\'{" * 20_000 + "}}",
        "crossref ring": lambda: "@article{b1, crossref={b2}}\n@article{b2, crossref={b1}}",
        "one key a thousand times": lambda: "@article{b1, title={x}}\n" * 2_000,
        "no text": lambda: "\0\ud800\x1f",
        "commands": lambda: "@article{b1, title={" + "\\emph" * 20_000 + "}, author={" + "\\" * 20_000 + "}}",
    }.items():
        yield f"bibliography: {label}", partial(_told, "paper.bib", text, {name: content})


def _latex_attacks() -> Iterator[Attack]:
    steps = [("\\a" + chr(98 + n), ("\\a" + chr(97 + n) + " ") * 10) for n in range(12)]
    doubled = "".join(f"\\newcommand{{{name}}}{{{body}}}" for name, body in steps)
    defined = "".join(f"\\def{name}{{{body}}}" for name, body in steps)
    for label, text in {
        "macro of itself": "\\newcommand{\\me}{\\me\\me}\\me",
        "macro bomb": "\\newcommand{\\aa}{ha}" + doubled + "\\am",
        "def bomb": "\\def\\aa{ha}" + defined + "\\am",
        "macro that grows": "\\newcommand{\\g}[1]{\\g{#1#1}}\\g{x}",
        "macro with arguments": "\\newcommand{\\h}[9]{#9#8#7#6#5#4#3#2#1}\\h" + "{\\h" * 500,
        "let ring": "\\let\\a=\\b\\let\\b=\\a\\a\\b",
        "macro of section": "\\renewcommand{\\section}{\\section}\\section{x}"
        "\\renewcommand{\\begin}{\\begin}\\begin{x}",
        "deep braces": _deep("{", "}"),
        "deep commands": _deep("\\emph{", "}"),
        "deep environments": _deep("\\begin{itemize}\\item ", "\\end{itemize}", times=20_000),
        "open environments": "\\begin{quote}" * DEEP,
        "closings": "\\end{quote}" * DEEP + "}" * DEEP,
        "deep footnotes": _deep("\\footnote{", "}", times=20_000),
        "deep tables": _deep("\\begin{tabular}{l}", "\\end{tabular}", times=5_000),
        "wide cell": "\\begin{table}\\begin{tabular}{l}\\multicolumn{999999999}{c}{x} & \\multirow{-99999999}{*}{y}\\\\"
        "\\end{tabular}\\end{table}",
        "wide table": "\\begin{table}\\begin{tabular}{*{999999999}{l}}"
        + "a & " * 50_000
        + "\\\\\\end{tabular}\\end{table}",
        "open verbatim": "\\begin{verbatim}" + "\\end{verb" * 20_000,
        "open maths": "$" * 100_001 + "\\[" * 5_000,
        "many cites": "\\cite{" + "b1," * 50_000 + "}" + "\\citep[see][p.~1]{b1}" * 10_000,
        "inputs itself": "\\input{paper}\\input{paper.tex}\\include{paper}",
        "conditions": "\\iffalse" * 20_000 + "x" + "\\fi" * 20_000,
        "open condition": "\\iffalse " + "x " * 20_000,
        "optional arguments": "\\section[" * 20_000,
        "catcodes": "\\catcode`\\{=12 \\catcode`\\@=0 @input{x}",
    }.items():
        yield label, partial(_marked, "latex", text)
    for files in (2, 30):
        parts = {f"p{n}.tex": (f"\\input{{p{(n + 1) % files}}} " * 10 + "x").encode() for n in range(files)}
        yield f"{files} inputs in a ring", partial(_marked, "latex", "\\input{p0}", parts)
    tree = {f"t{n}.tex": f"\\input{{t{n + 1}}} ".encode() * 10 for n in range(12)} | {"t12.tex": b"ha " * 1_000}
    yield "a bomb of inputs", lambda: _marked("latex", "\\input{t0}", tree)


def _myst_attacks() -> Iterator[Attack]:
    for label, text in {
        "anchors": "&a [" + "*a, " * 1_000 + "]",
        "bomb of anchors": "\n".join(
            [" x", "a0: &a0 [ha, ha]", *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12))]
        ),
        "deep lists": _deep("[", "]"),
        "open lists": "[" * DEEP,
        "deep objects": _deep("{a: ", "}"),
        "deep indents": "\n" + "\n".join(" " * n + "a:" for n in range(1_500)),
        "deep dashes": "\n  " + "- " * DEEP + "x",
        "open quotes": '"' + "x" * 100_000,
        "tags": "!!python/object/apply:os.system ['touch owned']",
        "blocks": "|\n" + "  x\n" * 50_000,
        "colons": "a: " * DEEP,
        "merge": "\n<<: *none\n<<: [*none]",
        "many keys": "x\n" + "".join(f"k{n}: v\n" for n in range(20_000)),
        "many authors": "x\nauthors:\n" + "  - name: A B\n" * 20_000,
    }.items():
        front = f"---\ntitle: T\nabstract: {text}\n---\n\n# A\n\nSome words {{cite}}`b1`.\n"
        yield f"front matter: {label}", partial(dict, {"paper.md": front.encode()})
    yield "open front matter", lambda: {"paper.md": b"---\ntitle: x\n" + b"a: b\n" * 50_000}
    for label, text in {
        "deep directives": "\n".join(f"{':' * (3 + n)}{{note}}" for n in range(1_500, 0, -1)) + "\nx",
        "deep fences": "\n".join(f"{'`' * (3 + n)}{{note}}" for n in range(1_500, 0, -1)) + "\nx",
        "open directives": ":::{note}\n" * 20_000,
        "options": "```{figure} x\n" + ":a: b\n" * 50_000 + "```",
        "roles": "{a}`" * DEEP,
        "cites": "{cite:p}`" + "b1," * 50_000 + "`",
        "includes itself": "```{include} paper.md\n```",
        "substitutions": "{{ a }}" * 20_000,
        "list table": "```{list-table}\n" + "* - a\n  - b\n" * 10_000 + "```",
        "nested list table": "```{list-table}\n" + "* - " * 20_000 + "\n```",
    }.items():
        yield label, partial(_marked, "myst", text)


def _rst_attacks() -> Iterator[Attack]:
    for label, text in {
        "substitution of itself": ".. |a| replace:: |a| |a|\n\n|a|",
        "bomb of substitutions": "\n".join(
            [
                ".. |a0| replace:: ha",
                *(f".. |a{n}| replace:: {' '.join([f'|a{n - 1}|'] * 10)}" for n in range(1, 12)),
                "",
                "|a11|",
            ]
        ),
        "ring of targets": ".. _a: b_\n.. _b: a_\n\na_ b_",
        "deep directives": "\n".join("   " * n + ".. note::\n" for n in range(600)),
        "many adornments": "\n\n".join(
            f"T{n}\n{sign * 4}" for n, sign in enumerate("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~" * 300)
        ),
        "overlines": ("=" * 5_000 + "\n") * 100,
        "list table": ".. list-table:: x\n\n" + "   * - a\n     - b\n" * 10_000,
        "nested list table": ".. list-table:: x\n\n   " + "* - " * 20_000,
        "wide list table": ".. list-table:: x\n   :header-rows: 999999999\n   :widths: "
        + "1 " * 50_000
        + "\n\n   * - a\n     - b",
        "csv table": ".. csv-table:: x\n   :delim: \\\n   :quote: xx\n\n   " + '"a,' * 20_000,
        "csv table of many columns": ".. csv-table:: x\n\n   " + "a," * 50_000,
        "footnotes": "\n".join(f".. [{n}] Lind (2020). A title of some kind. Journal." for n in range(5_000))
        + "\n\n"
        + "[1]_ " * 5_000,
        "includes itself": ".. include:: paper.rst",
        "fields": ":a: b\n" * 20_000,
        "line block": "| a\n" * 20_000,
        "roles": ":cite:`" * 20_000,
        "grid table that lies": "+---+---+\n| a | b |\n+---+   +\n| c     |\n+---+---+\n" * 500,
        "definitions": "\n".join(" " * n + "a" for n in range(1_500)),
    }.items():
        yield label, partial(_marked, "rst", text)


def _pdf_attacks(places: Sequence[str]) -> Iterator[Attack]:
    lines = _lines(_written()[-1])
    squeezed = zlib.compress(b"BT /F1 9 Tf 9 9 Td (x) Tj ET\n" * 4_000_000, 9)
    catalog = b"<</Type/Catalog/Pages 2 0 R>>"
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]>>"

    def flat(extra: bytes) -> Callable[[], Files]:
        return lambda: {"paper.pdf": drawn(lines).replace(b"<</Length", b"<<" + extra + b"/Length", 1)}

    yield from {
        "deep arrays": lambda: {"paper.pdf": drawn(lines, [_deep("[", "]").encode()], b"/X 6 0 R")},
        "deep dictionaries": lambda: {"paper.pdf": drawn(lines, [_deep("<</A", ">>", "1").encode()], b"/X 6 0 R")},
        "pages of themselves": lambda: {"paper.pdf": pdf_of([catalog, b"<</Type/Pages/Kids[2 0 R 2 0 R]/Count 9>>"])},
        "claims many pages": lambda: {
            "paper.pdf": pdf_of([catalog, b"<</Type/Pages/Kids[3 0 R]/Count 999999999>>", page])
        },
        "one page many times": lambda: {
            "paper.pdf": pdf_of([catalog, b"<</Type/Pages/Kids[%s]/Count 5000>>" % (b"3 0 R " * 5_000), page])
        },
        "form of itself": lambda: {
            "paper.pdf": drawn(
                lines,
                [
                    b"<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</A 6 0 R>>>>/Length 17>>\n"
                    b"stream\n/A Do /A Do /A Do\nendstream"
                ],
                b"/XObject<</A 6 0 R>>",
            ).replace(b"BT /F1", b"/A Do BT /F1", 1)
        },
        "a stream that unpacks to much": lambda: {
            "paper.pdf": pdf_of(
                [
                    catalog,
                    b"<</Type/Pages/Kids[4 0 R]/Count 1/MediaBox[0 0 612 792]>>",
                    b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
                    b"<</Type/Page/Parent 2 0 R/Contents 5 0 R/Resources<</Font<</F1 3 0 R>>>>>>",
                    b"<</Filter/FlateDecode/Length %d>>\nstream\n%s\nendstream" % (len(squeezed), squeezed),
                ]
            )
        },
        "many filters": flat(b"/Filter[" + b"/FlateDecode" * 5_000 + b"]"),
        "a filter that is none": flat(b"/Filter/JBIG2Decode/DecodeParms<</Columns 999999999>>"),
        "encrypted": lambda: {
            "paper.pdf": drawn(lines).replace(
                b"/Root 1 0 R", b"/Root 1 0 R/Encrypt<</Filter/Standard/V 4/R 4/O(x)/U(x)/P -1>>"
            )
        },
        "huge page": lambda: {"paper.pdf": drawn(lines).replace(b"[0 0 612 792]", b"[-1e38 -1e38 1e38 1e38]")},
        "no page": lambda: {"paper.pdf": drawn(lines).replace(b"[0 0 612 792]", b"[0 0 0 0]")},
        "huge letters": lambda: {"paper.pdf": drawn(lines).replace(b" 10 Tf", b" 1e30 Tf")},
        "no letters": lambda: {"paper.pdf": drawn(lines).replace(b" 10 Tf", b" 0 Tf")},
        "mirrored letters": lambda: {"paper.pdf": drawn(lines).replace(b" 10 Tf", b" -10 Tf")},
        "far away": lambda: {"paper.pdf": drawn([(10**9 * (-1) ** n, 10**9, 10, "Far away") for n in range(500)])},
        "all in one place": lambda: {"paper.pdf": drawn([(72, 700, 10, "On top of one another")] * 5_000)},
        "each letter alone": lambda: {
            "paper.pdf": drawn([(n * 37 % 600, n * 53 % 780, 1 + n % 40, "x") for n in range(20_000)])
        },
        "one long line": lambda: {"paper.pdf": drawn([(72, 700, 10, "word " * 100_000)])},
        "many bookmarks": lambda: {
            "paper.pdf": drawn(lines, [b"<</Title(x)/Next 6 0 R/First 6 0 R/Count 99999>>"]).replace(
                b"/Type/Catalog", b"/Type/Catalog/Outlines 6 0 R"
            )
        },
        "only a header": lambda: {"paper.pdf": b"%PDF-1.7\n" + b"%" * 100_000},
        "no table of places": lambda: {"paper.pdf": drawn(lines).partition(b"xref")[0]},
        "a table of places in a ring": lambda: {
            "paper.pdf": drawn(lines).replace(b"/Root", b"/Prev 0/Root").replace(b"startxref\n", b"startxref\n0")
        },
        "many objects": lambda: {
            "paper.pdf": b"%PDF-1.7\n" + b"".join(b"%d 0 obj<<>>endobj\n" % n for n in range(100_000))
        },
    }.items()
    for place in places:
        target = f"({place}.txt)".encode()
        yield f"stream in {place}", flat(b"/F" + target + b"/FFilter/None")
        started = drawn(lines, [b"<</S/Launch/F" + target + b">>"])
        opening = started.replace(b"/Type/Catalog", b"/Type/Catalog/OpenAction 6 0 R")
        yield f"launches {place}", partial(dict, {"paper.pdf": opening})


def _tar_of(*members: tuple[tarfile.TarInfo, bytes]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for member, content in members:
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return packed.getvalue()


def _linked(kind: bytes, name: str, target: str) -> tuple[tarfile.TarInfo, bytes]:
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, target
    return member, b""


def _zip_of(files: Iterable[tuple[str, bytes]]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files:
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def _claiming(size: int) -> bytes:
    """The start of a tar archive whose first member declares this size."""
    member = tarfile.TarInfo("paper.xml")
    member.size = size
    return member.tobuf()


def _locked(archive: bytes) -> bytes:
    """A zip archive whose members are all declared encrypted."""
    for sign, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = archive.find(sign) + flags
        archive = archive[:at] + bytes([archive[at] | 1]) + archive[at + 1 :]
    return archive


def _archive_attacks(places: Sequence[str]) -> Iterator[Attack]:
    paper = next(iter(good("jats")[0].values()))
    source = next(iter(good("latex")[0].values())).replace(
        b"\\maketitle", b"\\input{../../outside/secret}\\input{link}"
    )
    large = bytes(300 * 1024 * 1024)
    names = (
        "../../outside/new.xml",
        "/tmp/new.xml",
        "..\\..\\new.xml",
        "C:\\new.xml",
        "a/../../b.xml",
        "",
        ".",
        "..",
        "/",
        "a" * 5_000,
    )
    for name in names:
        zipped = [(name or " ", paper), ("../x.bib", b"@a{b1}")]
        yield f"zip with the name {name[:40]!r}", partial(dict, {"a.zip": _zip_of(zipped)})
        yield f"tar with the name {name[:40]!r}", partial(dict, {"a.tar": _tar_of((tarfile.TarInfo(name), paper))})
    yield "names that are no text", lambda: {"a.tar": _tar_of((tarfile.TarInfo("\udcff\udcfe.xml"), paper))}
    yield (
        "names with signs",
        lambda: {"a.zip": _zip_of([("a\x1b[31m\n!b.xml", paper), ("\u202elmx.a", paper), ("a!b.xml", paper)])},
    )
    for kind in (
        tarfile.SYMTYPE,
        tarfile.LNKTYPE,
        tarfile.CHRTYPE,
        tarfile.FIFOTYPE,
        tarfile.DIRTYPE,
        tarfile.GNUTYPE_SPARSE,
    ):
        for place in (*places[:3], "/etc/passwd", "paper.tex", "link.tex"):
            link = _linked(kind, "link.tex", f"{place}.tex" if "secret" in place else place)
            tarred = _tar_of(link, (tarfile.TarInfo("paper.tex"), source))
            yield f"member of type {kind!r} to {place}", partial(dict, {"a.tar": tarred})
    yield "zip of a large file", lambda: {"a.zip": _zip_of([("a.xml", large)])}
    yield (
        "zip that lies about a large file",
        lambda: {
            "a.zip": _zip_of([("a.xml", large)]).replace(
                len(large).to_bytes(4, "little"), (1_000).to_bytes(4, "little")
            )
        },
    )
    yield "zip of ten thousand files", lambda: {"a.zip": _zip_of((f"{n}.png", b"") for n in range(10_000))}
    yield "zip in zips", lambda: {"a.zip": _zip_of([("b.zip", _zip_of([("c.zip", _zip_of([("d.xml", paper)]))]))])}
    yield (
        "zip of one name twice",
        lambda: {"a.zip": _zip_of([("a.xml", paper), ("A.xml", paper)]).replace(b"A.xml", b"a.xml")},
    )
    yield "zip with a password", lambda: {"a.zip": _locked(_zip_of([("a.xml", paper)]))}
    yield (
        "zip that is packed in another way",
        lambda: {"a.zip": _zip_of([("a.xml", paper)]).replace(b"\x08\0", b"\x63\0")},
    )
    yield "zip of nothing", lambda: {"a.zip": b""}
    yield "zip of zeros", lambda: {"a.zip": bytes(100_000)}
    yield "tar of zeros", lambda: {"a.tar": bytes(100_000)}
    yield "gz of a large file", lambda: {"paper.xml.gz": gzip.compress(large, 9)}
    yield "xz of a large file", lambda: {"paper.xml.xz": lzma.compress(large, preset=0)}
    yield "gz in gz", lambda: {"paper.xml.gz": gzip.compress(gzip.compress(paper))}
    yield "tar.gz of a large file", lambda: {"a.tar.gz": gzip.compress(_tar_of((tarfile.TarInfo("a.xml"), large)), 1)}
    yield "tar that claims much", lambda: {"a.tar": _claiming(8**11 - 1) + paper}
    yield "tar that claims a little more", lambda: {"a.tar": _claiming(len(paper) + 5_000) + paper}
    yield "tar of xz called gz", lambda: {"a.tar.gz": _tarred({"a.xml": paper}, "w:xz")}


_BODY = ("pdf_parse", "body_text", 0)
_ENTRY = ("pdf_parse", "bib_entries", "BIBREF0")
_LISTS = ("title", "author", "abstract", "paragraph", "sectionheader", "bibref", "bibentry", "bibtitle", "bibauthor")
_S2ORC_2023 = (
    *((name,) for name in ("corpusid", "externalids", "content")),
    *(("content", name) for name in ("text", "annotations", "source")),
    *(("content", "annotations", name) for name in _LISTS),
)
_S2ORC = (
    (),
    *((name,) for name in ("title", "authors", "year", "abstract", "pdf_parse")),
    *(("pdf_parse", name) for name in ("abstract", "body_text", "bib_entries", "ref_entries")),
    *((*_BODY, name) for name in ("text", "cite_spans", "section")),
    _ENTRY,
    *((*_ENTRY, name) for name in ("title", "authors", "year", "other_ids", "raw_text")),
    ("authors", 0),
    ("authors", 0, "last"),
)
_WORK = ("references", 0)
_PAPERS = (
    (),
    *((name,) for name in ("markdown", "references", "title", "arxiv_id", "abstract")),
    _WORK,
    *((*_WORK, name) for name in ("title", "id", "citation", "arxiv_id", "sections")),
    (*_WORK, "sections", 0),
    (*_WORK, "sections", 0, "text"),
)
_BOOK = ((), ("Geography",), ("Geography", "Area"), ("Geography", "Area", "total", "text"), ("People", "Languages"))
_TABLED = (
    (), (0,), (0, "table"), (0, "table", "table"), (0, "table", "table", 1), (0, "table", "table", 1, 1),
    (0, "paragraphs"), (0, "paragraphs", 0), (0, "paragraphs", 0, "text"), (0, "paragraphs", 0, "order"),
)  # fmt: skip


_ELEMENTS = {
    "jats": ("sec", "p", "italic", "list", "table", "xref", "ref", "sub"),
    "tei": ("div", "p", "hi", "list", "figure", "table", "ref", "biblStruct"),
    "ixbrl": ("div", "span", "table", "ix:nonFraction", "ix:nonNumeric", "ul", "b"),
}


def _markup_attacks(kind: str, own: Iterable[Attack], places: Sequence[str]) -> Iterator[Attack]:
    yield from _light_attacks(kind)
    yield from own
    yield from _reaching(kind, places)
    yield from _beside_attacks(kind)


KINDS: dict[str, Callable[[Sequence[str]], Iterable[Attack]]] = {
    "jats": lambda places: (*_xml_attacks("jats", "paper.xml", places), *_citing("jats")),
    "tei": lambda places: (*_xml_attacks("tei", "paper.tei.xml", places), *_citing("tei")),
    "ixbrl": lambda places: (*_xml_attacks("ixbrl", "filing.htm", places), *_citing("ixbrl")),
    "latexml": lambda places: _html_attacks("latexml", "paper.html", places),
    "s2orc": lambda _: (*_json_attacks("s2orc", -1, _S2ORC), *_json_attacks("s2orc", 0, _S2ORC_2023)),
    "papers-jsonl": lambda _: _json_attacks("papers-jsonl", -1, _PAPERS),
    "pdf": _pdf_attacks,
    "myst": lambda places: _markup_attacks("myst", _myst_attacks(), places),
    "rst": lambda places: _markup_attacks("rst", _rst_attacks(), places),
    "latex": lambda places: _markup_attacks("latex", _latex_attacks(), places),
    "markdown": lambda _: _light_attacks("markdown"),
    "csv": lambda _: _csv_attacks("trees.csv"),
    "page": lambda places: _html_attacks("page", "trees.html", places),
    "json": lambda _: (*_json_attacks("json", 0, _BOOK), *_json_attacks("json", 1, _TABLED)),
    "archives": _archive_attacks,
    "text": lambda _: _light_attacks("text"),
    "html-article": lambda places: _html_attacks("html-article", "paper.html", places),
    "docx": lambda places: office_attacks("docx", good("docx"), places),
    "epub": lambda places: office_attacks("epub", good("epub"), places),
    "xlsx": lambda places: office_attacks("xlsx", good("xlsx"), places),
}
"""Attacks by file type."""
