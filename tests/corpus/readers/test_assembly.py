from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.corpus.readers.assembly import assemble
from fathom.corpus.readers.parsed_document import (
    CitationMark,
    Heading,
    Paragraph,
    ParsedAuthor,
    ParsedDocument,
    ParsedReference,
    ParsedTable,
    ReadError,
    TableCell,
)
from fathom.corpus.readers.parsing.text_cleanup import plain

REFERENCES = [
    ParsedReference(
        "b1", "Lind, A. (2018). On fields. Journal, 3.", "On fields", ("Lind, A.",), 2018, {"doi": "10.1/x"}
    ),
    ParsedReference("b2", "Wu, B. (2020). Of rings. Journal, 4.", "Of rings", ("Wu, B.",), 2020),
    ParsedReference("b3", "No title at all"),
]


def found(*words: str | CitationMark, **others: object) -> ParsedDocument:
    return ParsedDocument("x.xml", title="A title", body=[Paragraph(list(words))], references=REFERENCES, **others)  # type: ignore[arg-type]


def test_every_span_covers_its_part() -> None:
    document = assemble(
        ParsedDocument(
            "x.xml",
            title="  On\n fields ",
            authors=[ParsedAuthor("Åsa", "Lind"), ParsedAuthor("", "The Field Group", group=True)],
            abstract=[Paragraph(["We ask. We answer."])],
            body=[
                Heading(2, ["1 Introduction"]),
                Paragraph(
                    [
                        "As shown (",
                        CitationMark("Lind, 2018", ("b1",)),
                        "; ",
                        CitationMark("Wu, 2020", ("b2",)),
                        "), it is so.",
                    ]
                ),
                Heading(3, ["A detail"]),
                ParsedTable(
                    ["Table 1. Values"], [[TableCell(["a"], True), TableCell(["b"], True)], [TableCell(["1"])]]
                ),
                Heading(2, ["Conclusion"]),
                Paragraph(["Done."]),
            ],
            references=REFERENCES,
            year=2021,
            ids={"doi": "10.1/y"},
        )
    )
    text = document.text
    assert document.title_text == "On fields"
    assert [author.span.of(text) for author in document.authors] == ["Åsa Lind", "The Field Group"]
    assert document.authors[1].group
    assert document.abstract is not None
    assert document.abstract.of(text) == "We ask. We answer."
    assert [sentence.of(text) for sentence in document.sentences][:2] == ["We ask.", "We answer."]
    assert [(c.span.of(text), c.group.of(text), c.reference) for c in document.citations] == [
        ("Lind, 2018", "(Lind, 2018; Wu, 2020)", 1),
        ("Wu, 2020", "(Lind, 2018; Wu, 2020)", 2),
    ]
    assert [(s.heading.of(text) if s.heading else "", s.level, s.role) for s in document.sections] == [
        ("Abstract", 2, "abstract"),
        ("1 Introduction", 2, "introduction"),
        ("A detail", 3, "other"),
        ("Conclusion", 2, "conclusion"),
        ("References", 2, "references"),
    ]
    assert "A detail" in document.sections[1].span.of(text)
    assert "Conclusion" not in document.sections[1].span.of(text)
    assert [cell.span.of(text) for cell in document.tables[0].cells] == ["a", "b", "1"]
    first = document.references[0]
    assert first.title is not None
    assert (first.title.of(text), [a.of(text) for a in first.authors]) == ("On fields", ["Lind, A."])
    assert document.references[2].title is None


@pytest.mark.parametrize(
    ("words", "groups"),
    [
        (["see [", CitationMark("1", ("b1",)), "]"], ["[1]"]),
        (["see ", CitationMark("Lind (2018)", ("b1",)), " too"], ["Lind (2018)"]),
        (["see ", CitationMark("Lind", ("b1",)), " ok"], ["Lind"]),
        (
            ["one", CitationMark("1", ("b1",), "superscript"), ",", CitationMark("2", ("b2",), "superscript"), " two"],
            ["1,2", "1,2"],
        ),
        (["(a (b) ", CitationMark("Wu, 2020", ("b2",)), " c)"], ["(a (b) Wu, 2020 c)"]),
        (["broken (", CitationMark("Wu, 2020", ("b2",)), " c"], ["Wu, 2020"]),
        (["[", CitationMark("1-2", ("b1", "b2")), "]"], ["[1-2]", "[1-2]"]),
    ],
)
def test_a_citation_has_the_span_of_its_bracket(words: list[str | CitationMark], groups: list[str]) -> None:
    document = assemble(found(*words))
    assert [citation.group.of(document.text) for citation in document.citations] == groups


def test_an_unknown_key_leaves_a_citation_unresolved() -> None:
    document = assemble(found("see ", CitationMark("9", ("b9",)), " and ", CitationMark("?", ())))
    assert [citation.reference for citation in document.citations] == [None, None]


def test_refuses_a_document_without_text_or_title() -> None:
    with pytest.raises(ReadError, match="title"):
        assemble(ParsedDocument("x", body=[Paragraph(["text"])]))
    with pytest.raises(ReadError, match="text"):
        assemble(ParsedDocument("x", title="t", body=[Paragraph([" \n "])]))


@given(
    st.lists(
        st.one_of(st.text(max_size=30), st.builds(CitationMark, st.text(max_size=8), st.just(("b1",)))), max_size=12
    )
)
def test_any_inlines_make_a_valid_document(words: list[str | CitationMark]) -> None:
    document = assemble(found("begin ", *words, " end"))
    for citation in document.citations:
        assert citation.span.of(document.text).strip() == citation.span.of(document.text) != ""
    assert "\n=====" not in document.text


@given(st.text())
def test_plain_text_is_plain(text: str) -> None:
    assert plain(plain(text)) == plain(text)
    assert "\n" not in plain(text)
    plain(text).encode()
