"""Citations are compared with the entries they point to; what looks like a citation is counted."""

from __future__ import annotations

import pytest

from fathom.corpus.readers.assembly import assemble_counted
from fathom.corpus.readers.parsed_document import CitationMark, Inline, Paragraph, ParsedDocument, ParsedReference
from fathom.corpus.readers.parsing.citation_check import EntryChecker, names_in_mark
from fathom.corpus.readers.parsing.reference_lists import ReferenceEntry, parsed_entry
from fathom.corpus.readers.parsing.unlocated_citations import citation_like

LIST = [
    "Baer, K. and Otis, M. 2004. Bells at dusk. Sound Letters 3, 1-9.",
    "Carrow, T., Dunn, E., and Ames, R. 2011. Towers that lean. Masonry 7, 20-29.",
    "van der Zee, P. 2013. Ropes. Sailing Notes 1, 5-8.",
    "O'Maille, D. 2016. Echo. Sound Letters 15, 2-4.",
    "World Bell Society. 2018. A census of bells. https://example.org/bells",
]
ENTRIES = [parsed_entry(ReferenceEntry(text), f"r{number}") for number, text in enumerate(LIST, start=1)]

CHECKS = [
    # mark, words before, numeric, position, result
    ("Baer and Otis, 2004", "", False, 1, "agrees"),
    ("Baer and Otis, 2004", "", False, 2, "contradicts"),
    ("Carrow et al., 2012", "", False, 2, "agrees"),  # one year apart
    ("Carrow et al., 2015", "", False, 2, "contradicts"),
    ("Carow et al., 2011", "", False, 2, "agrees"),  # misspelled
    ("Dunn and Carrow, 2011", "", False, 2, "agrees"),  # second author first
    ("van der Zee, 2013", "", False, 3, "agrees"),
    ("Zee 2013", "", False, 3, "agrees"),
    ("O’Maille, 2016", "", False, 4, "agrees"),
    ("2004", "as Baer and Otis (", False, 1, "agrees"),
    ("2004", "as Baer and Otis (", False, 4, "contradicts"),
    ("2016", "many bells (", False, 4, "agrees"),
    ("1", "Baer and Otis ", True, 1, "agrees"),
    ("2", "Baer and Otis ", True, 2, "contradicts"),
    ("2", "Carrow et al. ", True, 2, "agrees"),
    ("1", "Carrow et al. ", True, 1, "contradicts"),
    ("2", "as shown by Baer ", True, 2, "contradicts"),  # the first author of another entry
    ("2", "with Transformers ", True, 2, "unchecked"),
    ("2", "for IFN-γ and TNF-α ", True, 2, "unchecked"),
    ("2", "In Figure ", True, 2, "unchecked"),
    ("KingmaW13", "", False, 2, "unchecked"),
    ("song2021denoising", "", False, 2, "unchecked"),
    ("Style Guide for Bells", "", False, 2, "unchecked"),
    ("BellsCarrow et al., 2011", "", False, 2, "agrees"),  # glued by a converter
    ("WBS, 2018", "", False, 5, "agrees"),
    ("World Bell Society, 2018", "", False, 5, "agrees"),
    ("Li, 2011", "", False, 2, "contradicts"),
    ("doi:10.1000/xyz", "", False, 5, "unchecked"),
]


@pytest.mark.parametrize("mark, before, numeric, position, result", CHECKS)
def test_a_citation_is_compared_with_its_entry(
    mark: str, before: str, numeric: bool, position: int, result: str
) -> None:
    assert EntryChecker(ENTRIES).check(names_in_mark(mark, before, numeric), position) == result


def test_the_only_entry_with_the_names_and_the_year_is_found() -> None:
    checker = EntryChecker([*ENTRIES, parsed_entry(ReferenceEntry("Baer, K. 2004. Gongs. Sound Letters 3, 30."), "r6")])
    assert checker.find(names_in_mark("Carrow et al., 2011", "", False)) == 2
    assert checker.find(names_in_mark("Baer and Otis, 2004", "", False)) == 1
    assert checker.find(names_in_mark("Baer, 2004", "", False)) is None
    assert checker.find(names_in_mark("Carrow et al.", "", False)) is None


def _document(*pieces: Inline, references: list[ParsedReference] = ENTRIES) -> ParsedDocument:
    return ParsedDocument(source="a.xml", title="Bells", body=[Paragraph(list(pieces))], references=references)


def _mark(text: str, key: str) -> CitationMark:
    return CitationMark(text, (key,))


def test_a_contradicted_citation_is_corrected_or_unresolved() -> None:
    read = assemble_counted(
        _document("Bells (", _mark("Baer and Otis, 2004", "r2"), "; ", _mark("Carrow et al., 2011", "r2"), "; ",
                  _mark("van der Zee, 2013", "r3"), "; ", _mark("O'Maille, 2016", "r4"), "; ",
                  _mark("Moss, 1999", "r5"), ").")
    )  # fmt: skip
    assert [citation.reference for citation in read.document.citations] == [1, 2, 3, 4, None]
    assert (read.citations.corrected, read.citations.contradicted, read.citations.resolved) == (1, 1, 4)


def test_links_that_are_often_wrong_are_not_trusted() -> None:
    read = assemble_counted(
        _document("As Baer and Otis [", _mark("2", "r2"), "] say. As Carrow et al. [", _mark("3", "r3"),
                  "] say. Others agree [", _mark("4", "r4"), "]. So does van der Zee and Lee [", _mark("3", "r3"), "].")
    )  # fmt: skip
    assert [citation.reference for citation in read.document.citations] == [None, None, None, 3]
    assert read.document.unknown["citations"] == "citations contradict the entries that they point to"


@pytest.mark.parametrize(
    "text, found",
    [
        ("It was lost [17].", ["17"]),
        ("Others [1, 2] and [4-6] agree.", ["1", "2", "4", "6"]),
        ("Some disagree (Holm, 2011; Tan et al., 2020a).", ["Holm, 2011", " Tan et al., 2020a"]),
        ("See (e.g., de Wit and Lee, 2011, p. 3).", ["e.g., de Wit and Lee, 2011, p. 3"]),
        ("See [Osei15] and [ABC+12].", ["Osei15", "ABC+12"]),
        ("As Brandt et al. [2003] and Otis and Baer (2004) say.", ["2003", "2004"]),
        ("In [0, 1] and x[3], in (May, 2010), in (n = 2011), in (about 2011).", []),
        ("A link [1](a.html) is none.", []),
    ],
)
def test_strings_that_look_like_citations(text: str, found: list[str]) -> None:
    assert sorted(span.of(text) for span in citation_like(text)) == sorted(found)


def test_what_was_not_located_is_counted() -> None:
    read = assemble_counted(_document("Bells [", _mark("1", "r1"), "] ring [17], as Moss et al. (1999) say."))
    assert (read.citations.located, read.citations.unlocated) == (1, 2)
    assert read.document.state("citations") == "known"
    read = assemble_counted(_document("Bells ring [1, 2], and toll [3].", references=[]))
    assert read.document.unknown["references"] == "the text cites works, but has no reference list"
    assert read.document.state("citations") == "unknown"


def test_footnotes_are_not_citations() -> None:
    document = _document("Bells ring [1], and toll [2].", references=[])
    document.body += [Paragraph(["[1] In winter."]), Paragraph(["[2] In summer."])]
    assert assemble_counted(document).citations.unlocated == 0
