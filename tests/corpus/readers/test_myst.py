"""MyST Markdown: front matter, a small paper, and the real ones against their manifest."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from fathom.corpus.readers.assembly import assemble
from fathom.corpus.readers.myst import reader as myst
from fathom.corpus.readers.parsed_document import (
    Block,
    CitationMark,
    Heading,
    Paragraph,
    ParsedDocument,
    ParsedTable,
    ReadError,
)
from fathom.corpus.readers.parsing.blocks import inlines_text
from tests.corpus.readers.test_bibtex import PROCEEDINGS, Beside, damaged, mentioned_keys, papers

BIB = b"""@article{lind, author={Anna Lind}, title={On Elms}, year=2018, doi={10.1000/elm}}
@article{wu, author={Bo Wu and Cy Diaz}, title={On Oaks}, year=2020}"""

PROJECT = b"""version: 1
project:
  doi: 10.5000/trees
  title: Short
  subtitle: And longer
  # a comment
  authors:
    - name: Anna Lind
      orcid: https://orcid.org/0000-0001-2345-6789
      affiliations:
        - name: Tree School
          ror: x
      corresponding: true
    - name: 'Stefan van der Walt'
      affiliation: Elm House
  keywords:
    - elms
    - growth
site:
  template: article-theme
"""

PAPER = """\
---
# a comment
title: "Growing *elms*: up"
abstract: |
  Elms grow.

  They do so slowly.
---

(sec:intro)=

## Introduction

Elms are **tall** _trees_ [@lind; @wu], says @lind. See [see @wu, p. 3], {cite:t}`wu`, {cite}`lind,wu`
and [](doi:10.1000/elm), [](doi:10.1000/oak) and [@doi:10.1000/elm]. In @fig:tall and [](#sec:intro), `a*b*c`
costs $5 [^why], see [the *site*](https://example.org) &amp; <https://example.org>. H<sub>2</sub>O

[^why]: Because.

<!-- a comment
over lines -->

:::{figure} elm.png
:label: fig:tall
:width: 80%

A tall elm.
:::

- one item
  goes on
- another

> Quoted words
> go on.

```python
elms = [1]  # *not* emphasis
```

```{math}
:label: eq
y = a x
```

$$
z = b
$$

::::{table} Heights
:label: tab

| Tree | Height |
|------|:------:|
| Elm  | 30 m \\| 31 m |

::::

```{list-table} Leaves
:header-rows: 1
* - Tree
  - Leaf
* - Elm
  - long
```

<table>
<tr><th colspan="2">Both</th></tr>
<tr><td>Elm</td><td><b>90</b></td></tr>
</table>

:::::{tab-set}
::::{tab-item} One
Inside a tab.
::::
:::::

:::{include} part.md
:::

```{include} ../../secret.txt
```
"""

PART = b"""### A part

Included words [@wu].
"""


def read(text: str, files: dict[str, bytes] | None = None, name: str = "folder/main.md") -> ParsedDocument:
    (found,) = myst.read(text.encode(), name, Beside(files or {}))
    return found


@pytest.fixture(scope="module")
def paper() -> ParsedDocument:
    return read(PAPER, {"main.md": PAPER.encode(), "part.md": PART, "trees.bib": BIB, "myst.yml": PROJECT})


def texts(blocks: list[Block]) -> list[str]:
    return [" ".join(inlines_text(block.inlines).split()) for block in blocks if isinstance(block, Paragraph)]


def test_title_authors_and_abstract(paper: ParsedDocument) -> None:
    assert paper.title == "Growing elms: up"
    assert [(a.given, a.family, a.ids) for a in paper.authors] == [
        ("Anna", "Lind", {"orcid": "0000-0001-2345-6789"}),
        ("Stefan", "van der Walt", {}),
    ]
    assert texts(paper.abstract) == ["Elms grow.", "They do so slowly."]
    assert paper.subjects == ["elms", "growth"]
    assert paper.ids == {"doi": "10.5000/trees"}
    assert paper.notes["subtitle"] == "And longer"


def test_inline_markup(paper: ParsedDocument) -> None:
    first = next(block for block in paper.body if isinstance(block, Paragraph))
    assert " ".join(inlines_text(first.inlines).split()) == (
        "Elms are tall trees (Lind, 2018; Wu and Diaz, 2020), says Lind (2018). See (see Wu and Diaz, 2020, p. 3), "
        "Wu and Diaz (2020), (Lind, 2018; Wu and Diaz, 2020) and Lind (2018), doi:10.1000/oak and (Lind, 2018). "
        "In Figure 1 and Introduction, a*b*c costs $5 [1], see the site & https://example.org. H2O"
    )
    keys = [piece.keys[0] for piece in first.inlines if isinstance(piece, CitationMark)]
    assert keys == ["lind", "wu", "lind", "wu", "wu", "lind", "wu", "lind", "doi:10.1000/oak", "lind"]


def test_cited_references_come_first(paper: ParsedDocument) -> None:
    assert [reference.key for reference in paper.references] == ["lind", "wu", "doi:10.1000/oak"]
    assert paper.references[2].ids == {"doi": "10.1000/oak"}


def test_blocks(paper: ParsedDocument) -> None:
    found = texts(paper.body)
    for text in (
        "[1] Because.",
        "Figure 1: A tall elm.",
        "- one item goes on",
        "- another",
        "Quoted words go on.",
        "elms = [1] # *not* emphasis",
        "y = a x",
        "z = b",
        "Inside a tab.",
        "Included words (Wu and Diaz, 2020).",
    ):
        assert text in found
    assert not any("comment" in text or "secret" in text for text in found)
    headings = [(block.level, inlines_text(block.inlines)) for block in paper.body if isinstance(block, Heading)]
    assert headings == [(2, "Introduction"), (3, "A part")]


def test_tables_have_cells(paper: ParsedDocument) -> None:
    pipes, listed, tags = [block for block in paper.body if isinstance(block, ParsedTable)]
    assert inlines_text(pipes.caption) == "Table 1: Heights"
    assert [[inlines_text(cell.inlines) for cell in row] for row in pipes.rows] == [
        ["Tree", "Height"],
        ["Elm", "30 m | 31 m"],
    ]
    assert [cell.header for cell in pipes.rows[0]] == [True, True]
    assert [inlines_text(cell.inlines) for cell in listed.rows[1]] == ["Elm", "long"]
    assert listed.rows[0][1].header
    assert tags.rows[0][0].columns == 2
    assert inlines_text(tags.rows[1][1].inlines).strip() == "90"


def test_a_part_is_read_with_its_paper() -> None:
    files = {"main.md": PAPER.encode(), "part.md": PART, "myst.yml": PROJECT}
    with pytest.raises(ReadError, match=r"part of main\.md"):
        read(PART.decode(), files, "folder/part.md")


def test_circular_includes_end() -> None:
    loop = b":::{include} a.md\n:::\n:::{include} a.md\n:::\nwords\n"
    found = read("---\ntitle: A\n---\n" + loop.decode(), {"a.md": loop})
    assert len(found.body) < 200


def test_the_first_heading_is_the_title_without_front_matter() -> None:
    assert read("# Elms\n\nWords {cite}`a`.\n").title == "Elms"


def test_matches_by_its_markup() -> None:
    assert myst.matches("a/main.md", PAPER.encode())
    assert myst.matches("a.md", b"Words\n\n:::{note}\nx\n:::\n")
    assert myst.matches("a.md", b"Words [@key].")
    assert not myst.matches("README.md", b"# A plain file\n\n- words\n")
    assert not myst.matches("a.rst", PAPER.encode())


@pytest.mark.parametrize("text", ["", "words", "---\n", "---\ntitle:\n---\n", "\0" * 50])
def test_rejects_a_document_without_a_title(text: str) -> None:
    with pytest.raises(ReadError):
        read(text)


@pytest.mark.parametrize(
    "part",
    [":::{note}\n", "```{note}\n", "> ", "- ", "`", "[", "[@a; ", "*", "_a", "<!--", "<table>\n<tr><td>", "$$\n", "$"],
)
def test_deep_and_unclosed_markup_is_read_quickly(part: str) -> None:
    read("---\ntitle: A\n---\n" + part * (100_000 // len(part)))


def test_damaged_papers_are_read_or_rejected() -> None:
    for content in damaged(PAPER.encode()):
        try:
            (found,) = myst.read(
                content, "main.md", Beside({"trees.bib": BIB, "part.md": content, "myst.yml": content})
            )
            assemble(found)
        except ReadError:
            continue


def test_real_papers_match_the_manifest(shared: Callable[[str], Path]) -> None:
    """Two titles differ: the manifest has the short titles of project files, the front matter the printed ones."""
    read_papers = papers(shared(PROCEEDINGS), "myst")
    assert len(read_papers) == 24
    others = {record["key"]: found.title for record, found in read_papers if found.title != record["title"]}
    assert sorted(others) == ["2024/brian_falkenstein", "2024/henry_schreiner"]
    assert all(title.startswith(("Predx-Tools: ", "Scikit-build-core: ")) for title in others.values())
    # The manifest counts two affiliations of one paper as authors.
    wrong = [record["key"] for record, f in read_papers if [a.printed for a in f.authors] != record["authors"]]
    assert wrong == ["2024/Alireza_Vaezi"]
    assert all(found.ids["doi"] == record["doi"] for record, found in read_papers)
    assert all(found.abstract for _, found in read_papers)
    # Works cited by DOI alone are not in a bibliography and come in addition.
    sizes = {
        record["key"]: sum(not reference.text.startswith("doi:") for reference in found.references)
        for record, found in read_papers
    }
    mentioned = {record["key"]: len(mentioned_keys(shared(PROCEEDINGS), record)) for record, _ in read_papers}
    # Keys such as "numpy" and "jupyter" are also words of the text, and one paper cites an entry by its DOI.
    assert sum(sizes[key] == mentioned[key] for key in sizes) >= 11
    assert [key for key in sizes if sizes[key] > mentioned[key]] == ["2024/Alireza_Vaezi", "2024/cockett_etal"]
