"""Odd inputs of several formats: what is known about them is correct, and the rest is unknown."""

from __future__ import annotations

import pytest

from fathom.corpus.readers.assembly import assemble
from fathom.corpus.readers.catalog import reader_of
from fathom.corpus.readers.parsed_document import NoCompanions
from fathom.records.documents import Document

PROSE = "Rivers carry salt in slow pulses after rain. We measured them for three years at two sites. " * 4


def read(name: str, text: str) -> Document:
    content = text.replace("PROSE", PROSE).encode()
    reader = reader_of(name, content)
    assert reader is not None
    [parsed] = reader.read(content, name, NoCompanions())
    return assemble(parsed)


def authors(document: Document) -> list[str] | None:
    """The names, or None if they are unknown."""
    if document.state("authors") == "unknown":
        return None
    return [author.span.of(document.text) for author in document.authors]


@pytest.mark.parametrize(
    ("text", "title", "names"),
    [
        ('+++\ntitle = "Salt"\nauthors = ["Ada Lind"]\ndate = 2020-01-02\n+++\n\nPROSE', "Salt", ["Ada Lind"]),
        ('{\n"title": "Salt",\n"author": "Ada Lind"\n}\n\nPROSE', "Salt", ["Ada Lind"]),
        ("---\ntitle: [unclosed\nauthor: Ada Lind\n---\n\n# Salt\n\nPROSE", "Salt", ["Ada Lind"]),
        ("+++\nno = toml = here\n+++\n\n# Salt\n\nPROSE", "Salt", None),
    ],
)  # fmt: skip
def test_front_matter_in_other_notations(text: str, title: str, names: list[str] | None) -> None:
    document = read("a.md", text)
    assert (document.title_text, authors(document)) == (title, names)


def test_keywords_may_be_separated_by_semicolons() -> None:
    assert read("a.md", "---\ntitle: Salt\nkeywords: salt; slow rivers\n---\n\nPROSE").subject == "salt"


LATEX = r"\documentclass{article}\title{Salt}\author{AUTHOR}\begin{document}\maketitle BODY PROSE\end{document}"


@pytest.mark.parametrize(
    ("printed", "names"), [("Ada Lind et al.", None), ("Anonymous", None), ("Ada Lind", ["Ada Lind"])]
)
def test_a_latex_author_may_stand_for_others(printed: str, names: list[str] | None) -> None:
    assert authors(read("a.tex", LATEX.replace("AUTHOR", printed))) == names


@pytest.mark.parametrize(
    ("body", "headings"),
    [
        (r"\iffalse \section{Hidden} \ifx a \else b \fi \cite{x} \else \section{Shown} \fi", ["Shown"]),
        (r"\section{One} \iffalse \section{Hidden} \fi \section{Two}", ["One", "Two"]),
        (r"\section{One} \iffalse \section{Two}", ["One", "Two"]),
    ],
)
def test_disabled_parts_of_latex_are_dropped(body: str, headings: list[str]) -> None:
    document = read("a.tex", LATEX.replace("AUTHOR", "Ada Lind").replace("BODY", body))
    assert [one.heading.of(document.text) for one in document.sections if one.heading] == headings
    assert not document.citations


def test_an_anonymous_author_is_not_known() -> None:
    front = "<title-group><article-title>Salt</article-title></title-group>"
    group = "<contrib-group><contrib contrib-type='author'><anonymous/></contrib></contrib-group>"
    body = "<body><sec><title>Intro</title><p>PROSE</p></sec></body>"
    article = f"<article><front><article-meta>{front}{group}</article-meta></front>{body}</article>"
    assert authors(read("a.xml", article)) is None


@pytest.mark.parametrize(
    ("byline", "names"), [("By Ada Lind and Bo Wu", None), ("By Ada Lind", ["Ada Lind"]), ("PROSE", ["Ada Lind"])]
)
def test_the_byline_of_a_page_may_contradict_its_metadata(byline: str, names: list[str] | None) -> None:
    head = '<head><title>On Salt</title><meta name="author" content="Ada Lind"></head>'
    page = f"<html>{head}<body><article><h1>On Salt</h1><p>{byline}</p><p>PROSE</p><p>PROSE</p></article></body></html>"
    assert authors(read("a.html", page)) == names


@pytest.mark.parametrize(
    ("items", "state"),
    [
        ("1. Doe J. Salt. J Salt 2001;3:1-9.\n   - also: Wu B. 2002.\n2. Rao C. Fish. J Fish 2003;1:1-2.", "unknown"),
        ("1. Doe J. Salt. J Salt 2001;3:1-9.\n2. Rao C. Fish. J Fish 2003;1:1-2.", "known"),
    ],
)  # fmt: skip
def test_joined_entries_make_the_list_unknown(items: str, state: str) -> None:
    document = read("a.md", f"# Salt\n\nAda Lind\n\n## Abstract\n\nPROSE [1] [2]\n\n## References\n\n{items}\n")
    assert document.state("references") == state
