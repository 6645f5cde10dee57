"""reStructuredText: a small paper, a small PEP, and the real ones against their manifests."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from fathom.corpus.readers.assembly import assemble
from fathom.corpus.readers.parsed_document import (
    Block,
    CitationMark,
    Heading,
    NoCompanions,
    Paragraph,
    ParsedDocument,
    ParsedTable,
    ReadError,
)
from fathom.corpus.readers.parsing.blocks import inlines_text
from fathom.corpus.readers.rst import reader as rst
from tests.corpus.readers.conftest import members
from tests.corpus.readers.test_bibtex import PROCEEDINGS, Beside, damaged, mentioned_keys, papers

BIB = b"""@article{lind, author={Anna Lind}, title={On Elms}, year=2018}
@article{wu, author={Bo Wu and Cy Diaz}, title={On Oaks}, year=2020}"""

PAPER = """\
:author: Anna Lind
:email: anna@example.org
:institution: Tree School
:orcid: 0000-0001-2345-6789

:author: Stefan van der Walt, PhD
:bibliography: trees

-------------------
Growing ``elms`` up
-------------------

.. class:: abstract

   Elms grow. They do so slowly.

.. class:: keywords

   elms, growth

.. This is a comment
   over two lines.

.. |hm| replace:: **hectometres**
.. |a| replace:: |b|
.. |b| replace:: |a|

Introduction
============

Elms [#]_ are *tall* trees :cite:`lind,wu`, as told [:cite:`wu`] and `here <https://example.org>`_. They
reach 3 |hm| or ``code_`` of :math:`x^2`; see Figure :ref:`tall` and elms_.
No end: |a|.

.. [#] Not oaks.

.. _elms: https://example.org/elms

- one item
  goes on
- another

1. first
2. second

Growth::

    for elm in elms:
        elm.grow()   # *not* emphasis

Parts
-----

.. figure:: elm.png
   :width: 80%

   A tall elm. :label:`tall`

.. table:: Heights :label:`heights`

   +------+---------+
   | Tree | Height  |
   +======+=========+
   | Elm  | 30 m    |
   +------+---------+
   | over both      |
   +------+---------+

===== =====
Tree  Age
===== =====
Elm   90
Oak   100
      years
===== =====

.. list-table:: Leaves
   :header-rows: 1

   * - Tree
     - Leaf
   * - Elm
     - long

.. csv-table:: Roots
   :header: Tree, Root

   Elm, "deep, wide"

.. math::
   :label: grow

   y = a x

.. note:: Mind the elms.

.. sidebar:: Beside
   :width: 3

   Unknown directives keep their words.

.. raw:: html

   <b>gone</b>

.. include:: /etc/passwd

.. code-block:: python

   elms = 3
"""


def read(text: str, files: dict[str, bytes] | None = None) -> ParsedDocument:
    (found,) = rst.read(text.encode(), "folder/paper.rst", Beside(files or {}))
    return found


@pytest.fixture(scope="module")
def paper() -> ParsedDocument:
    return read(PAPER, {"trees.bib": BIB})


def texts(blocks: list[Block]) -> list[str]:
    return [" ".join(inlines_text(block.inlines).split()) for block in blocks if isinstance(block, Paragraph)]


def tables(blocks: list[Block]) -> list[ParsedTable]:
    return [block for block in blocks if isinstance(block, ParsedTable)]


def test_title_authors_and_abstract(paper: ParsedDocument) -> None:
    assert paper.title == "Growing elms up"
    assert [(a.given, a.family, a.ids) for a in paper.authors] == [
        ("Anna", "Lind", {"orcid": "0000-0001-2345-6789"}),
        ("Stefan", "van der Walt", {}),
    ]
    assert paper.authors[1].printed == "Stefan van der Walt, PhD"
    assert texts(paper.abstract) == ["Elms grow. They do so slowly."]
    assert paper.subjects == ["elms", "growth"]


def test_sections_have_levels(paper: ParsedDocument) -> None:
    headings = [(block.level, inlines_text(block.inlines)) for block in paper.body if isinstance(block, Heading)]
    assert headings == [(2, "Introduction"), (3, "Parts")]


def test_inline_markup(paper: ParsedDocument) -> None:
    first = next(block for block in paper.body if isinstance(block, Paragraph))
    assert " ".join(inlines_text(first.inlines).split()) == (
        "Elms [1] are tall trees (Lind, 2018; Wu and Diaz, 2020), as told [Wu and Diaz, 2020] and here. They reach "
        "3 hectometres or code_ of $x^2$; see Figure 1 and elms. No end: |b|."
    )
    marks = [piece for piece in first.inlines if isinstance(piece, CitationMark)]
    assert [mark.keys for mark in marks] == [("lind",), ("wu",), ("wu",)]


def test_lists_code_and_directives(paper: ParsedDocument) -> None:
    found = texts(paper.body)
    for text in (
        "[1] Not oaks.",
        "- one item goes on",
        "- another",
        "1. first",
        "Growth:",
        "Figure 1: A tall elm.",
        "y = a x",
        "Mind the elms.",
        "Unknown directives keep their words.",
        "elms = 3",
    ):
        assert text in found
    code = next(b for b in paper.body if isinstance(b, Paragraph) and "elm.grow()" in inlines_text(b.inlines))
    assert code.verbatim
    assert inlines_text(code.inlines) == "for elm in elms:\n    elm.grow()   # *not* emphasis"


def test_comments_and_directives_that_open_files_are_ignored(paper: ParsedDocument) -> None:
    whole = " ".join(texts(paper.body))
    assert "gone" not in whole
    assert "passwd" not in whole
    assert "comment" not in whole
    assert "https://example.org/elms" not in whole


def test_tables_have_cells(paper: ParsedDocument) -> None:
    grid, simple, listed, separated = tables(paper.body)
    assert inlines_text(grid.caption) == "Table 1: Heights "
    assert [[inlines_text(cell.inlines) for cell in row] for row in grid.rows] == [
        ["Tree", "Height"],
        ["Elm", "30 m"],
        ["over both"],
    ]
    assert [cell.header for cell in grid.rows[0]] == [True, True]
    assert grid.rows[2][0].columns == 2
    assert [[inlines_text(cell.inlines) for cell in row] for row in simple.rows] == [
        ["Tree", "Age"],
        ["Elm", "90"],
        ["Oak", "100 years"],
    ]
    assert inlines_text(listed.rows[1][1].inlines) == "long"
    assert listed.rows[0][0].header
    assert [inlines_text(cell.inlines) for cell in separated.rows[1]] == ["Elm", "deep, wide"]


def test_footnotes_are_the_references_without_a_bibliography() -> None:
    found = read(
        "Title\n=====\n\nAs said [Lin18]_ and [2]_.\n\n.. [Lin18] A. Lind. *On Elms*,\n   2018.\n.. [2] Oaks.\n"
    )
    assert [(r.key, r.text, r.year) for r in found.references] == [
        ("Lin18", "A. Lind. On Elms, 2018.", 2018),
        ("2", "Oaks.", None),
    ]
    document = assemble(found)
    assert [citation.reference for citation in document.citations] == [1, 2]
    assert [citation.span.of(document.text) for citation in document.citations] == ["Lin18", "2"]


PEP = """\
PEP: 907
Title: Elms in the core
Author: Anna Lind <anna at example.org>,
        Bo Wu
Status: Draft
Type: Standards Track
Topic: Trees
Created: 05-Feb-2021

Abstract
========

This follows :pep:`8` and PEP 484 [1]_; PEP 907 is this one.

Details
=======

Code names it too::

    # see PEP 20

References
==========

.. [1] PEP 484 -- Type Hints
   (https://peps.example.org/pep-0484/)
.. [2] Elms at large

Copyright
=========

This document has been placed in the public domain.
"""


def test_a_pep_cites_the_peps_it_mentions() -> None:
    found = read(PEP)
    assert found.title == "Elms in the core"
    assert [author.printed for author in found.authors] == ["Anna Lind", "Bo Wu"]
    assert (found.published, assemble(found).year, found.license) == (date(2021, 2, 5), 2021, "public domain")
    assert found.ids == {"pep": "907"}
    assert found.subjects == ["Trees", "Standards Track"]
    assert {r.ids.get("pep"): r.title for r in found.references} == {"484": "Type Hints", None: "", "8": "", "20": ""}
    document = assemble(found)
    assert document.abstract is not None
    cited = [(c.span.of(document.text), c.reference) for c in document.citations]
    number = {r.ids.get("pep"): r.number for r in document.references}
    assert cited == [("PEP 8", number["8"]), ("PEP 484", number["484"]), ("1", number["484"])]
    headings = [s.heading.of(document.text) for s in document.sections if s.heading]
    assert headings == ["Abstract", "Details", "Copyright", "References"]


def test_matches_by_name_or_header() -> None:
    assert rst.matches("a/b.rst", b"")
    assert rst.matches("pep-0008.txt", PEP.encode())
    assert not rst.matches("notes.txt", b"PEPper: 3")
    assert not rst.matches("a.md", b"# Title")


@pytest.mark.parametrize("text", ["", "\n\n", "Words without a title.", "\0" * 50])
def test_rejects_a_document_without_a_title(text: str) -> None:
    with pytest.raises(ReadError):
        read(text)


@pytest.mark.parametrize(
    "part",
    [
        "- ",
        "`a",
        "``",
        "*",
        ":a:`",
        ".. x::\n  ",
        "+--+\n",
        "=== ===\n",
        "a\n==\n\n",
        "[#]_ ",
        "|a ",
        "> ",
        "   a\n a\n",
    ],
)
def test_deep_and_unclosed_markup_is_read_quickly(part: str) -> None:
    read("Title\n=====\n\n" + part * (100_000 // len(part)))
    read("Title\n=====\n\n" + "".join(" " * depth + ".. note::\n" for depth in range(600)) + " " * 601 + "deep")


def test_damaged_papers_are_read_or_rejected() -> None:
    for content in [*damaged(PAPER.encode()), *damaged(PEP.encode())]:
        try:
            (found,) = rst.read(content, "a.rst", Beside({"trees.bib": content}))
            assemble(found)
        except ReadError:
            continue


def test_real_papers_match_the_manifest(shared: Callable[[str], Path]) -> None:
    """All but one title agree: the manifest calls the paper of 2019/christian_mcdaniel "Introduction"."""
    read_papers = papers(shared(PROCEEDINGS), "rst")
    assert len(read_papers) == 70
    assert [gold["key"] for gold, found in read_papers if found.title != gold["title"].replace("`", "")] == [
        "2019/christian_mcdaniel"
    ]
    # The manifest has "W\\. Scott Shambaugh" with its backslash.
    wrong = [
        gold["key"]
        for gold, found in read_papers
        if [author.printed for author in found.authors] != [name.replace("\\", "") for name in gold["authors"]]
    ]
    assert wrong == []
    # Others print their references inline beside a bibliography that they do not use.
    folder = shared(PROCEEDINGS)
    sizes = {gold["key"]: (len(found.references), len(mentioned_keys(folder, gold))) for gold, found in read_papers}
    assert sum(read == mentioned for read, mentioned in sizes.values()) >= 60, sizes
    assert sum(bool(found.abstract) for _, found in read_papers) >= 67


@pytest.mark.slow
def test_real_peps_match_the_manifest(shared: Callable[[str], Path]) -> None:
    folder = shared("peps")
    manifest = {
        gold["file"]: gold
        for gold in map(json.loads, (folder / "manifest.jsonl").read_text(encoding="utf-8").splitlines())
    }
    found = {
        Path(name).name: next(rst.read(content, name, NoCompanions()))
        for name, content in members(folder / "rst.tar.xz")
        if Path(name).name in manifest
    }
    assert len(found) == 216
    for name, gold in manifest.items():
        assert found[name].title == gold["title"]
        assert [a.printed for a in found[name].authors] == [" ".join(author.split()) for author in gold["authors"]]
    numbers = {found[name].ids["pep"] for name in found}
    edges = {
        (one.ids["pep"], reference.ids["pep"])
        for one in found.values()
        for reference in one.references
        if reference.ids.get("pep") in numbers
    }
    rows = csv.DictReader((folder / "reference_edges.csv").read_text(encoding="utf-8").splitlines())
    assert edges == {(row["from_pep"], row["to_pep"]) for row in rows}
    assert len(edges) == 379
    documents = [assemble(one) for one in found.values()]
    citations = [citation for document in documents for citation in document.citations]
    assert sum(citation.reference is not None for citation in citations) / len(citations) > 0.99
