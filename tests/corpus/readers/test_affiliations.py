"""Affiliations in each format, and their use in author disambiguation."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations

import pytest

from fathom.corpus.author_disambiguation import AuthorDisambiguator, Signature, signatures
from fathom.corpus.linking import Linker, linkable
from fathom.corpus.readers.assembly import MAX_AFFILIATION_CHARACTERS, MAX_AFFILIATIONS, assemble
from fathom.corpus.readers.jats import reader as jats
from fathom.corpus.readers.latexml import reader as latexml
from fathom.corpus.readers.markdown import reader as markdown
from fathom.corpus.readers.myst import reader as myst
from fathom.corpus.readers.parsed_document import NoCompanions, Paragraph, ParsedAuthor, ParsedDocument, Reader
from fathom.corpus.readers.rst import reader as rst
from fathom.corpus.readers.s2orc import reader as s2orc
from fathom.corpus.readers.tei import reader as tei
from fathom.records.documents import Author, Document
from tests.corpus.readers.conftest import Elife

Places = list[tuple[str, ...]]


def places(reader: Reader, document: str) -> Places:
    """The affiliations of each author."""
    (found,) = reader.read(document.encode(), f"one.{reader.FORMAT}", NoCompanions())
    return [author.affiliations for author in found.authors]


def article(front: str) -> str:
    return (
        f"<article><front><article-meta><title-group><article-title>On tides</article-title></title-group>{front}"
        "</article-meta></front><body><p>Words.</p></body></article>"
    )


def person(family: str, inside: str = "") -> str:
    return f'<contrib contrib-type="author"><name><surname>{family}</surname></name>{inside}</contrib>'


LINK = '<xref ref-type="aff" rid="a1"><sup>1</sup></xref>'
TWO_LINKS = '<xref ref-type="aff" rid="a1 a2"/>'
BROKEN_LINK = '<xref ref-type="aff" rid="gone"/>'
IN_PARTS = (
    '<aff id="a1"><label>1</label><institution content-type="dept">Department of Tides</institution>'
    "<institution-wrap><institution-id>https://ror.example/1</institution-id><institution>University of Bergen"
    "</institution></institution-wrap><addr-line><named-content>Bergen</named-content></addr-line>"
    "<country>Norway</country></aff>"
)
TIDES = "Department of Tides, University of Bergen, Bergen, Norway"


@pytest.mark.parametrize(
    ("front", "wanted"),
    [
        (f"<contrib-group>{person('Lind', LINK)}{person('Wu')}{IN_PARTS}</contrib-group>", [(TIDES,), ()]),
        (
            f"<contrib-group>{person('Lind', TWO_LINKS)}</contrib-group>{IN_PARTS}"
            '<aff id="a2"><sup>2</sup> Institute of <italic>Eels</italic>, Oslo.</aff>',
            [(TIDES, "Institute of Eels, Oslo")],
        ),
        (
            f"<contrib-group>{person('Lind', '<aff>House of Tides<country>Norway</country></aff>')}</contrib-group>",
            [("House of Tides, Norway",)],
        ),
        (
            f"<contrib-group>{person('Lind')}{person('Wu')}</contrib-group><aff>One House, Oslo</aff>",
            [("One House, Oslo",)] * 2,
        ),
        (f"<contrib-group>{person('Lind')}</contrib-group><aff>One House</aff><aff>Another House</aff>", [()]),
        (f"<contrib-group>{person('Lind', BROKEN_LINK)}</contrib-group>", [()]),
        (
            f"<contrib-group>{person('Lind')}</contrib-group><aff>Tide House <named-content>Oslo</named-content></aff>",
            [("Tide House, Oslo",)],
        ),
    ],
    ids=["by reference", "two references", "inside", "shared", "ambiguous", "missing target", "named content"],
)
def test_jats(front: str, wanted: Places) -> None:
    assert places(jats, article(front)) == wanted


def test_a_hostile_affiliation_costs_little() -> None:
    """Each of these took minutes with a backtracking pattern, or with the text built once per author."""
    many = 100_000
    for inside in (" " * many + "x", "," * many, "<sup>1</sup>" * many, f"{'<bold>' * 80}x{'</bold>' * 80}"):
        pointing = f"<contrib-group>{person('Lind', LINK) * 1_000}</contrib-group>"
        assert len(places(jats, article(f'{pointing}<aff id="a1">{inside}</aff>'))) == 1_000


def test_tei() -> None:
    author = (
        "<author><persName><forename>Ada</forename><surname>Lind</surname></persName><affiliation key='aff0'>"
        "<orgName type='department'>Department of Tides</orgName>"
        "<orgName type='institution'>University of Bergen</orgName>"
        "<address><settlement>Bergen</settlement><country key='NO'>Norway</country></address></affiliation></author>"
    )
    document = (
        '<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt><title>On tides</title></titleStmt>'
        f"<sourceDesc><biblStruct><analytic>{author}</analytic></biblStruct></sourceDesc></fileDesc></teiHeader>"
        "<text><body><p>Words.</p></body></text></TEI>"
    )
    assert places(tei, document) == [(TIDES,)]


def test_s2orc() -> None:
    body = {"laboratory": "Department of Tides", "institution": "University of Bergen"}
    where = {"location": {"settlement": "Bergen", "country": "Norway"}}
    document = {
        "title": "On tides",
        "authors": [
            {"first": "Ada", "last": "Lind", "affiliation": body | where},
            {"first": "Bo", "last": "Wu", "affiliation": {}},
            {"first": "Cy", "last": "Roe", "affiliation": "Harbour"},
        ],
        "body_text": [{"text": "Words."}],
    }
    assert places(s2orc, json.dumps(document)) == [(TIDES,), (), ()]


def test_front_matter() -> None:
    myst_paper = (
        "---\ntitle: On tides\naffiliations:\n  - id: tides\n    department: Department of Tides\n"
        "    institution: University of Bergen\nauthors:\n  - name: Ada Lind\n    affiliations:\n      - tides\n"
        "      - name: Harbour School\n  - name: Bo Wu\n    affiliation: Elm House\n  - Cy Roe\n---\n\nWords.\n"
    )
    tides = "Department of Tides, University of Bergen"
    assert places(myst, myst_paper) == [(tides, "Harbour School"), ("Elm House",), ()]
    numbered = (
        '---\ntitle: On tides\nauthors:\n  - name: Ada Lind\n    affiliation: "1, 2"\n  - name: Bo Wu\n'
        "    affiliation: 2\naffiliations:\n  - name: Tide School\n    index: 1\n  - name: Elm House\n    index: 2\n"
        "---\n\nWords.\n"
    )
    assert places(markdown, numbered) == [("Tide School", "Elm House"), ("Elm House",)]


def test_restructured_text() -> None:
    fields = ":author: Ada Lind\n:institution: Tide School\n:institution: Elm House\n\n:author: Bo Wu\n"
    assert places(rst, f"{fields}\nOn tides\n========\n\nWords.\n") == [("Tide School", "Elm House"), ()]


def test_latexml() -> None:
    def creator(names: str, place: str) -> str:
        contact = f'<span class="ltx_author_notes"><span class="ltx_contact ltx_role_affiliation">{place}</span></span>'
        return f'<span class="ltx_creator ltx_role_author">{names}{contact}</span>'

    lind, wu, roe = (f'<span class="ltx_personname">{name}</span>' for name in ("Ada Lind", "Bo Wu", "Cy Roe"))
    document = (
        '<html><body><article class="ltx_document"><h1 class="ltx_title ltx_title_document">On tides</h1>'
        f'<div class="ltx_authors">{creator(lind, "University of  Bergen,")}{creator(wu + roe, "Elm House")}</div>'
        '<div class="ltx_para"><p class="ltx_p">Words.</p></div></article></body></html>'
    )
    assert places(latexml, document) == [("University of Bergen",), (), ()]


@pytest.mark.parametrize(
    ("below", "wanted"),
    [
        ("Department of Tides, University of Bergen", ("Department of Tides, University of Bergen",)),
        ("University of Bergen\n\nUniversity of Oslo", ()),
        ("1 University of Bergen", ()),
        ("University of Bergen, ada@tides.example", ()),
        ("", ()),
    ],
    ids=["one", "two", "with a number", "with an address", "none"],
)
def test_markdown_assigns_the_only_affiliation_to_all_authors(below: str, wanted: tuple[str, ...]) -> None:
    rest = "## Abstract\n\nTides come and go.\n\n## Introduction\n\nWords.\n"
    text = f"# On tides\n\nAda Lind and Bo Wu\n\n{below}\n\n{rest}"
    assert places(markdown, text) == [wanted] * 2


# Into the record.


def test_the_record_keeps_affiliations_up_to_a_limit() -> None:
    author = ParsedAuthor(
        "Ada", "Lind", affiliations=("  Elm\n House ", "Elm House", "x" * 9_000, *map(str, range(99)))
    )
    found = ParsedDocument("one.xml", title="On tides", authors=[author], body=[Paragraph(["Words."])])
    kept = assemble(found).authors[0].affiliations
    assert kept[:2] == ("Elm House", "x" * MAX_AFFILIATION_CHARACTERS)
    assert len(kept) < MAX_AFFILIATIONS


def test_a_record_without_affiliations_omits_the_field() -> None:
    (found,) = jats.read(
        article(f"<contrib-group>{person('Lind')}</contrib-group>").encode(), "one.xml", NoCompanions()
    )
    (author,) = assemble(found).authors
    assert b"affiliations" not in author.to_line()
    assert Author.from_line(author.to_line()) == author
    working = author.model_copy(update={"affiliations": ("Elm House",)})
    assert Author.from_line(working.to_line()) == working


# What they are worth.


def together(one: str, two: str, name: str = "Marta Lind") -> bool:
    """Whether two of a name who work at these places are taken for one."""
    given, family = name.split()
    who = AuthorDisambiguator()
    who.add("a-1", [Signature(given, family, affiliations=(one,))])
    who.add("a-2", [Signature(given, family, affiliations=(two,))])
    return who.people("a-1") == who.people("a-2") != (None,)


@pytest.mark.parametrize(
    ("one", "two", "wanted"),
    [
        ("Institute of Tides, Bergen", "INSTITUTE OF TIDES, BERGEN", True),
        ("Department of Tides, University of Bergen, Norway", "University of Bergen, Bergen, Norway", True),
        ("Department of Physics, University of Bergen", "Department of Physics, University of Oslo", False),
        ("Institute of Physiology, Bergen", "Institute of Physiology, Oslo", False),
        ("College of Engineering, Bergen", "College of Engineering, Oslo", False),
        ("University Hospital, Bergen", "University Hospital, Oslo", False),
        ("Independent Researcher, New York", "Independent Researcher, New York", False),
        ("United States", "United States", False),
    ],
)
def test_affiliations_match_by_all_words_or_by_university(one: str, two: str, wanted: bool) -> None:
    assert together(one, two) is wanted


def test_an_affiliation_alone_is_not_enough_for_a_frequent_name_or_initials() -> None:
    assert not together("University of Bergen", "University of Bergen", "Wei Wang")
    assert not together("University of Bergen", "University of Bergen", "M. Lind")


Seat = tuple[str, int]


def pairs(articles: list[Document], people: Callable[[Document], tuple[str | None, ...]]) -> set[tuple[Seat, Seat]]:
    """The seats of one person in two works, for all whose ORCID is known."""
    seats: dict[str, list[Seat]] = defaultdict(list)
    works = {one.id: one.work or one.id for one in articles}
    for one in articles:
        for author, person in zip(one.authors, people(one), strict=True):
            if author.person is not None and person is not None:
                seats[person].append((one.id, author.position))
    return {
        (left, right)
        for places in seats.values()
        for left, right in combinations(sorted(places), 2)
        if works[left[0]] != works[right[0]]
    }


@pytest.mark.slow
def test_people_are_disambiguated_without_orcids(elife: Elife) -> None:
    """The ORCIDs of real authors are hidden, and what the rest tells is compared with them."""
    read = {one.id: one for _, _, one in elife.values()}
    linker = Linker()
    for one in read.values():
        linker.add(linkable(one))
    cited = {id: {match.document for match in linker.link(linkable(one))} for id, one in read.items()}
    articles = [one.model_copy(update={"work": linker.work(id)}) for id, one in read.items()]
    known = pairs(articles, lambda one: tuple(author.person for author in one.authors))
    assert len(known) > 400

    def recall(of: Callable[[Signature], Signature]) -> float:
        who = AuthorDisambiguator()
        for one in articles:
            who.add(one.id, list(map(of, signatures(one))), one.subject, one.work, filter(None, cited[one.id]))
        found = pairs(articles, lambda one: who.people(one.id))
        assert found <= known
        return len(found) / len(known)

    assert recall(lambda one: replace(one, ids={})) >= 0.985
    assert recall(lambda one: replace(one, ids={}, affiliations=())) < 0.95
