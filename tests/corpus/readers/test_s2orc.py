"""S2ORC JSON, both releases: a small document, and real ones compared with their TEI if available."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from fathom.corpus.readers.assembly import assemble
from fathom.corpus.readers.parsed_document import Heading, NoCompanions, ParsedDocument, ParsedTable, ReadError
from fathom.corpus.readers.s2orc import reader as s2orc
from fathom.corpus.readers.tei import reader as tei

FIRST = "Salt is old (Lind et al., 2018; Wu, 2020) and [3]."


def paragraph(text: str, section: str, number: str | None, *cited: tuple[str, str | None]) -> dict[str, Any]:
    spans = [
        {"start": text.index(words), "end": text.index(words) + len(words), "text": words, "ref_id": key}
        for words, key in cited
    ]
    return {"text": text, "cite_spans": spans, "ref_spans": [], "section": section, "sec_num": number}


def author(first: str, *middle: str, last: str) -> dict[str, Any]:
    return {"first": first, "middle": list(middle), "last": last, "suffix": ""}


PARSE: dict[str, Any] = {
    "abstract": [paragraph("We measure salt.", "Abstract", None)],
    "body_text": [
        paragraph(
            FIRST, "Introduction", "1", ("(Lind et al., 2018;", "BIBREF0"), ("Wu, 2020)", "BIBREF1"), ("[3]", None)
        ),
        paragraph("Nothing new.", "Introduction", "1"),
        paragraph("Some are slow.", "Rivers", "1.1"),
        paragraph("We dip.", "Methods", "2"),
    ],
    "back_matter": [paragraph("We thank the fish.", "Acknowledgements", None)],
    "bib_entries": {
        "BIBREF0": {
            "title": "Old salt of the north",
            "authors": [author("Ada", last="Lind"), author("Cy", last="Roe")],
            "year": 2018,
            "venue": "Salts",
            "other_ids": {"DOI": ["10.1000/old"]},
            "raw_text": "Ada Lind and Cy Roe. 2018. Old salt of the north. In Salts.",
        },
        "BIBREF1": {
            "title": "A book of salt",
            "authors": [author("Bo", last="Wu")],
            "year": "2020",
            "venue": "Harbour",
        },
    },
    "ref_entries": {
        "FIGREF0": {"text": "A slow river.", "type_str": "figure", "fig_num": "1"},
        "TABREF0": {
            "text": "Salt by river.",
            "type_str": "table",
            "fig_num": "1",
            "content": "<table><tr><td>River</td><td>Salt</td></tr><tr><td>Aa</td><td>1</td></tr></table>",
        },
        "EQREF0": {"text": "a = b", "type_str": "equation"},
    },
}
NEW = {
    "paper_id": "x",
    "title": "Salt in slow rivers",
    "authors": [author("Ada", "B.", last="Lind"), author("Bo", last="Wu")],
    "year": "2021",
    "abstract": "We measure salt.",
    "pdf_parse": PARSE,
}
OLD = {"paper_id": "x", "metadata": {"title": "Salt in slow rivers", "authors": NEW["authors"]}, "year": 2021, **PARSE}


def read(document: object) -> ParsedDocument:
    (found,) = s2orc.read(json.dumps(document).encode(), "x.json", NoCompanions())
    return found


@pytest.mark.parametrize("document", [NEW, OLD], ids=["doc2json", "old"])
def test_reads_both_versions_of_the_format(document: dict[str, Any]) -> None:
    found = read(document)
    assert (found.title, found.year) == ("Salt in slow rivers", 2021)
    assert [(one.given, one.family) for one in found.authors] == [("Ada B.", "Lind"), ("Bo", "Wu")]
    article = assemble(found)
    assert article.abstract is not None
    assert article.abstract.of(article.text) == "We measure salt."
    printed = [(one.span.of(article.text), one.group.of(article.text), one.reference) for one in article.citations]
    assert printed == [
        ("Lind et al., 2018", "(Lind et al., 2018; Wu, 2020)", 1),
        ("Wu, 2020", "(Lind et al., 2018; Wu, 2020)", 2),
        ("3", "[3]", None),
    ]
    assert FIRST in article.text


def test_paragraphs_start_their_sections() -> None:
    headings = [(one.level, one.inlines) for one in read(NEW).body if isinstance(one, Heading)]
    assert headings == [(2, ["1 Introduction"]), (3, ["1.1 Rivers"]), (2, ["2 Methods"]), (2, ["Acknowledgements"])]


def test_keeps_or_assembles_reference_text() -> None:
    article = assemble(read(NEW))
    first, second = article.references
    assert first.span.of(article.text) == "Ada Lind and Cy Roe. 2018. Old salt of the north. In Salts."
    assert first.ids == {"doi": "10.1000/old"}
    assert second.span.of(article.text) == "Bo Wu. 2020. A book of salt. Harbour"
    assert [one.title and one.title.of(article.text) for one in article.references] == [
        "Old salt of the north",
        "A book of salt",
    ]
    assert [len(one.authors) for one in article.references] == [2, 1]


def test_keeps_figures_and_tables() -> None:
    found = read(NEW)
    assert "Figure 1: A slow river." in assemble(found).text
    (table,) = [block for block in found.body if isinstance(block, ParsedTable)]
    assert table.rows[1][0].inlines == ["Aa"]


def test_wrong_spans_are_corrected_or_skipped() -> None:
    text = "As shown [12] before."
    spans = [
        {"start": 6, "end": 10, "text": "[12]", "ref_id": "BIBREF0"},
        {"start": 900, "end": 901, "ref_id": "BIBREF0"},
        {"start": "a", "end": None, "ref_id": "BIBREF0"},
        {"start": 3, "end": 8, "text": "absent", "ref_id": "BIBREF0"},
    ]
    document = NEW | {"pdf_parse": PARSE | {"body_text": [{"text": text, "cite_spans": spans}]}}
    article = assemble(read(document))
    assert [one.span.of(article.text) for one in article.citations] == ["12"]


def test_each_line_is_a_document_and_bad_lines_are_reported() -> None:
    assert s2orc.read_line(json.dumps(NEW).encode(), "x.jsonl", 4).document.source == "x.jsonl#4"
    for line, reason in ((b'{"paper_id": 1}', "neither body_text nor an abstract"), (b"not json", "it is not JSON")):
        with pytest.raises(ReadError, match=reason):
            s2orc.read_line(line, "x.jsonl", 2)


@pytest.mark.parametrize(
    "content",
    [b"", b"[]", b"{}", b"\xff", b'{"body_text": 3}', b"[" * 100_000, b'{"a":' * 100_000, b'{"title": "x"', b"nul"],
)
def test_unreadable_input_is_refused_with_a_reason(content: bytes) -> None:
    with pytest.raises(ReadError, match=r"\w{3}"):
        list(s2orc.read(content, "x", NoCompanions()))


def test_matches_s2orc_by_its_beginning() -> None:
    assert s2orc.matches("a.json", json.dumps(NEW).encode())
    assert s2orc.matches("a.jsonl", json.dumps(OLD).encode())
    assert not s2orc.matches("a.json", b'{"title": "x"}')


def test_replaces_lone_surrogates() -> None:
    found = read(NEW | {"title": "Salt \ud800 here", "doi": "10.1000/\udfffx"})
    assert assemble(found).title_text == "Salt ? here"


def test_mutated_documents_are_read_or_refused() -> None:
    draw = Random(5)
    content = json.dumps(NEW).encode()
    odd: list[Any] = [None, 0, -1, 1e300, "", "x", [], {}, [None], {"text": 3}, True]

    def mutated(value: Any) -> Any:
        if draw.random() < 0.03:
            return draw.choice(odd)
        if isinstance(value, dict):
            return {key: mutated(one) for key, one in value.items()}
        return [mutated(one) for one in value] if isinstance(value, list) else value

    for number in range(400):
        if number % 2:
            broken = json.dumps(mutated(NEW if number % 4 == 1 else OLD)).encode()
        else:
            raw = bytearray(content)
            for _ in range(draw.randint(1, 5)):
                raw[draw.randrange(len(raw))] = draw.choice(b'{}[]",:0a\\\xff')
            broken = bytes(raw)
        try:
            for one in s2orc.read(broken, "x", NoCompanions()):
                assemble(one)
        except ReadError as fault:
            assert str(fault)


@pytest.mark.parametrize("name", ["N18-3011", "2020.acl-main.207"])
def test_real_documents_agree_with_their_tei(shared: Callable[[str], Path], name: str) -> None:
    folder = shared("acl-pdf-tei-s2orc")
    (new,) = s2orc.read((folder / f"{name}.json").read_bytes(), name, NoCompanions())
    (twin,) = tei.read((folder / f"{name}.tei.xml").read_bytes(), name, NoCompanions())
    assert new.title == twin.title
    assert [(one.given, one.family) for one in new.authors] == [(one.given, one.family) for one in twin.authors]
    # The converter to S2ORC leaves out entries for which GROBID has no title of a document.
    ours = {one.text: (one.title, one.authors, one.year) for one in new.references}
    theirs = {one.text: (one.title, one.authors, one.year) for one in twin.references}
    shared_entries = [text for text in ours if text in theirs]
    assert len(shared_entries) == len(ours)
    assert sum(ours[text] == theirs[text] for text in ours) >= 0.95 * len(ours)
    ours_headed, theirs_headed = (
        ["".join(map(str, one.inlines)) for one in each.body if isinstance(one, Heading)] for each in (new, twin)
    )
    assert len(set(ours_headed) & set(theirs_headed)) >= 0.9 * len(theirs_headed)
    first, second = assemble(new), assemble(twin)
    cited = [sum(one.reference is not None for one in each.citations) for each in (first, second)]
    assert abs(cited[0] - cited[1]) <= 0.1 * cited[1]
