"""S2ORC in its 2023 release: a small document, and invalid ones."""

from __future__ import annotations

import json
import re
from random import Random
from typing import Any

import pytest

from fathom.corpus.linking import Linker, linkable
from fathom.corpus.readers.assembly import assemble
from fathom.corpus.readers.catalog import reader_of
from fathom.corpus.readers.parsed_document import Heading, NoCompanions, Paragraph, ParsedDocument, ReadError
from fathom.corpus.readers.s2orc import reader as s2orc

FRONT = """
<title>Salt in slow rivers</title>

<author><authorfirstname>Ada</authorfirstname> <authorfirstname>B</authorfirstname>
<authorlastname>Lind</authorlastname>
<authoraffiliation>Department of Salt
University of Aa
Norway</authoraffiliation></author>
<author>Bo Wu</author>
<author><authoraffiliation>Nobody's Institute</authoraffiliation></author>

<abstract>We measure salt.

It is old <bibref ref_id=b0>[1]</bibref>.</abstract>
"""
CITED = (
    "Salt is old (<bibref ref_id=b0>Roe, 2018</bibref>; <bibref ref_id=b1>Wu, 2020</bibref>) and <bibref>[3]</bibref>."
)
BODY = f"""
<sectionheader n=1.>Introduction</sectionheader>
<paragraph>{CITED}</paragraph>
<sectionheader n=1.1>Rivers</sectionheader>
<paragraph>Some are slow.</paragraph>
<figure><figurecaption>Figure 1: A slow river.</figurecaption></figure>
<table>River Salt
Aa    1</table>
"""
ENTRIES = (
    "<bibentry id=b0 doi=10.1000/old><bibtitle>Old salt of the north</bibtitle>. <bibauthor>C Roe, </bibauthor>"
    "<bibauthor>D Oh, </bibauthor>Salts 3, 2018</bibentry>\n"
    "<bibentry id=b1 matched_paper_id=77><bibtitle>A book of salt, 1999 to 2001</bibtitle>. "
    "<bibauthor>B Wu</bibauthor>. 2020</bibentry>\n"
    "<bibentry id=b2>Lind A. (2017). Salt and its friends. Salts, 4, 1-9.</bibentry>\n"
)
WRITTEN = FRONT + BODY + ENTRIES

TAG = re.compile(r"<(/?)([a-z]+)((?: \w+=[^\s>]+)*)>")


def line(written: str = WRITTEN, **changed: object) -> dict[str, Any]:
    """A line of a release: the text without its tags, and where each stood."""
    text = ""
    at = 0
    opened: list[tuple[str, int, dict[str, str]]] = []
    places: dict[str, list[dict[str, Any]]] = {}
    for tag in TAG.finditer(written):
        text += written[at : tag.start()]
        at = tag.end()
        if not tag[1]:
            opened.append((tag[2], len(text), dict(one.split("=", 1) for one in tag[3].split())))
            continue
        name, start, attributes = opened.pop()
        places.setdefault(name, []).append({"start": start, "end": len(text), "attributes": attributes})
    annotations: dict[str, Any] = {name: json.dumps(found) for name, found in places.items()}
    annotations |= {"venue": None, "formula": ""} | changed
    return {
        "corpusid": 42,
        "externalids": {"doi": "10.1000/salt", "pubmed": "123", "pubmedcentral": "456", "arxiv": None, "mag": "9"},
        "content": {
            "source": {"pdfurls": None, "oainfo": {"license": "CCBY", "status": "GOLD"}},
            "text": text + written[at:],
            "annotations": annotations,
        },
    }


def read(document: object) -> ParsedDocument:
    (found,) = s2orc.read(json.dumps(document).encode(), "x.jsonl", NoCompanions())
    return found


def test_reads_the_front_matter() -> None:
    found = read(line())
    assert (found.title, found.license, found.venue) == ("Salt in slow rivers", "CCBY", None)
    assert found.ids == {"doi": "10.1000/salt", "pmid": "123", "pmcid": "456", "corpusid": "42"}
    assert [(one.given, one.family, one.affiliations) for one in found.authors] == [
        ("Ada B", "Lind", ("Department of Salt, University of Aa, Norway",)),
        ("Bo", "Wu", ()),
    ]


def test_reads_sections_and_citations() -> None:
    found = read(line())
    headings = [(one.level, one.inlines) for one in found.body if isinstance(one, Heading)]
    assert headings == [(2, ["1 Introduction"]), (3, ["1.1 Rivers"])]
    assert [one.verbatim for one in found.body if isinstance(one, Paragraph)] == [False, False, False, True]
    article = assemble(found)
    assert article.abstract is not None
    assert article.abstract.of(article.text) == "We measure salt.\n\nIt is old [1]."
    printed = [(one.span.of(article.text), one.group.of(article.text), one.reference) for one in article.citations]
    assert printed == [
        ("1", "[1]", 1),
        ("Roe, 2018", "(Roe, 2018; Wu, 2020)", 1),
        ("Wu, 2020", "(Roe, 2018; Wu, 2020)", 2),
        ("3", "[3]", None),
    ]
    assert "Figure 1: A slow river." in article.text and "River Salt\nAa    1" in article.text


def test_entries_have_their_parts() -> None:
    article = assemble(read(line()))
    assert [
        (one.title and one.title.of(article.text), [name.of(article.text) for name in one.authors], one.year, one.ids)
        for one in article.references
    ] == [
        ("Old salt of the north", ["C Roe", "D Oh"], 2018, {"doi": "10.1000/old"}),
        ("A book of salt, 1999 to 2001", ["B Wu"], 2020, {"corpusid": "77"}),
        ("Salt and its friends", ["Lind A."], 2017, {}),
    ]


def test_links_entries_matched_by_the_release() -> None:
    book = line("<title>The book</title>\n\n<paragraph>Of salt.</paragraph>") | {"corpusid": 77, "externalids": None}
    citing, cited = assemble(read(line())), assemble(read(book))
    linker = Linker()
    for article in (citing, cited):
        linker.add(linkable(article))
    assert [match.document for match in linker.link(linkable(citing))] == [None, cited.id, None]


def test_splits_text_without_paragraphs_at_blank_lines() -> None:
    body = "One line\nand another.\n \nA second <bibref ref_id=b0>[1]</bibref>."
    entry = "<bibentry id=b0>Roe C. (2018). Old salt. Salts.</bibentry>"
    article = assemble(read(line(f"<title>Salt</title>\n\n<author>Bo Wu</author>\n\n{body}\n\n{entry}")))
    assert [span.of(article.text) for span in article.paragraphs] == ["One line and another.", "A second [1]."]
    assert [one.reference for one in article.citations] == [1]


def test_reads_string_offsets_and_unencoded_annotation_lists() -> None:
    document = line()
    annotations = document["content"]["annotations"]
    for name, value in annotations.items():
        if value:
            places = [{**one, "start": str(one["start"]), "end": str(one["end"])} for one in json.loads(value)]
            annotations[name] = places if name == "title" else json.dumps(places)
    assert assemble(read(document)).text == assemble(read(line())).text


def test_skips_annotations_with_invalid_offsets() -> None:
    odd = [
        {"start": 5, "end": 10**9},
        {"start": -1, "end": 4},
        {"start": 9, "end": 9},
        {"start": True, "end": 3},
        {},
        7,
    ]
    found = read(line(bibref=json.dumps(odd), sectionheader=json.dumps([{"start": "٣", "end": None}])))
    assert not assemble(found).citations
    assert not any(isinstance(block, Heading) for block in found.body)


@pytest.mark.parametrize("kind", ["abstract", "paragraph", "bibentry", "author", "table", "title"])
def test_overlapping_annotations_do_not_repeat_text(kind: str) -> None:
    document = line()
    length = len(document["content"]["text"])
    document["content"]["annotations"][kind] = json.dumps([{"start": 0, "end": length}] * 20_000)
    try:
        assert len(assemble(read(document)).text) < 4 * length
    except ReadError as reason:
        assert str(reason) == "it has no text"  # all of it is the title's, or an author's


@pytest.mark.parametrize(
    "document",
    [
        line(paragraph="[" * 100_000),
        line(title="no list"),
        line() | {"content": {"text": " ", "annotations": {}}},
        line() | {"content": {"text": None, "annotations": {}}},
        line(title=None),
    ],
    ids=["nested", "no JSON", "blank", "no text", "no title"],
)
def test_unreadable_input_is_refused_with_a_reason(document: dict[str, Any]) -> None:
    with pytest.raises(ReadError, match=r"\w{3}"):
        assemble(read(document))


def test_matches_this_version_by_its_beginning() -> None:
    document = line()
    document["content"]["text"] += "x" * 100_000
    reader = reader_of("s2orc-1.jsonl", json.dumps(document).encode())
    assert reader is not None and reader.FORMAT == "s2orc"


def test_mutated_documents_are_read_or_refused() -> None:
    draw = Random(5)
    odd: list[Any] = [None, 0, -1, 1e300, "", "x", [], {}, [None], "[]", '[{"start":0,"end":9}]', True]

    def mutated(value: Any) -> Any:
        if draw.random() < 0.05:
            return draw.choice(odd)
        if isinstance(value, dict):
            return {key: mutated(one) for key, one in value.items()}
        if isinstance(value, str) and value.startswith("[{"):
            return json.dumps(mutated(json.loads(value)))
        return [mutated(one) for one in value] if isinstance(value, list) else value

    read_ones = 0
    for _ in range(400):
        try:
            for one in s2orc.read(json.dumps(mutated(line())).encode(), "x", NoCompanions()):
                read_ones += bool(assemble(one))
        except ReadError as fault:
            assert str(fault)
    assert read_ones > 100
