"""Groups of citations that are read as one, and the entries that they cite."""

from __future__ import annotations

import pytest

from fathom.records.documents import Document, Section
from fathom.records.spans import Span
from fathom.tasks.citations.citation_groups import CitationGroups
from fathom.tasks.citations.mentions import Mentions
from fathom.tasks.citations.papers import Paper
from tests.tasks.citations.test_mentions import Style, paper

ENTRIES = [
    "Lind, K. Tides. 2018",
    "Wu, J. Ferns. 2019",
    "Yu, A. Mosses. 2023",
    "Yu, A. Salt. 2023",
    "Roe, B. Rain. 2024",
]


def groups_of(document: Document) -> CitationGroups:
    return CitationGroups(document, document.text, Mentions(document, document.text))


@pytest.mark.parametrize(
    ("sentence", "brackets", "style"),
    [
        # The second work of each group was not located.
        ("As Yu et al. (2023a; b) show, salt stays.", {"(2023a; b)": 3}, "author-year"),
        ("Salt stays (Yu et al., 2023a,b) for years.", {"(Yu et al., 2023a,b)": 3}, "author-year"),
        ("As Yu et al. (2023a; b) show, salt stays.", {"Yu et al. (2023a": 3}, "author-year"),
        ("Salt stays, as Yu et al. (2023) and (2024) show.", {"(2023)": 3}, "author-year"),
        ("Salt stays, as Yu et al. (2023), Roe et al. (2024) show.", {"(2023)": 3}, "author-year"),
        ("Salt stays (Yu et al., 2023) (Roe and Wu, 2024) for years.", {"(Yu et al., 2023)": 3}, "author-year"),
        ("Salt stays (Roe and Wu, 2024), (Yu et al., 2023) for years.", {"(Yu et al., 2023)": 3}, "author-year"),
        ("Salt stays, as lind2018; yu2023 show.", {"yu2023": 3}, "author-year"),
        ("Salt stays, as lind2018; yu2023 show.", {"lind2018": 1}, "author-year"),
        ("Salt stays [1], [2] for years.", {"[1]": 1}, "numeric"),
        ("Salt stays [1]-[3] for years.", {"[1]": 1, "[3]": 3}, "numeric"),
        ("Salt stays [1]-[3] for years.", {"[3]": 3}, "numeric"),
        ("Salt stays [2] and [1] for years.", {"[1]": 1}, "numeric"),
        ("Salt stays (1, 2) for years.", {"(1, 2)": 1}, "numeric"),
        ("Salt stays (2) (1) for years.", {"(1)": 1}, "numeric"),
    ],
)
def test_a_citation_beside_one_that_was_not_located_is_not_alone(
    sentence: str, brackets: dict[str, int], style: Style
) -> None:
    document = paper(sentence, brackets, ENTRIES, style)
    groups = groups_of(document)
    for citation in document.citations:
        assert not groups.is_alone(citation)
        assert groups.cited_by(groups.of(citation)) is None


@pytest.mark.parametrize(
    ("sentence", "brackets", "style"),
    [
        ("Salt stays (Yu et al., 2023) (Figure 4) for years.", {"(Yu et al., 2023)": 3}, "author-year"),
        ("It holds for (1) salt [1], and (2) water.", {"[1]": 1}, "numeric"),
        ("Salt stays [1]. Lind (2018) saw it.", {"[1]": 1, "(2018)": 1}, "numeric"),
        ("Salt stays [1] in 1990, and then not.", {"[1]": 1}, "numeric"),
        ("With Sec17 (Yu et al., 2023), Sec18 is fast.", {"(Yu et al., 2023)": 3}, "author-year"),
        ("Panels show salt [1],\n\n(b) water.", {"[1]": 1}, "numeric"),
    ],
)
def test_a_lone_citation(sentence: str, brackets: dict[str, int], style: Style) -> None:
    document = paper(sentence, brackets, ENTRIES, style)
    groups = groups_of(document)
    assert groups.is_alone(document.citations[0])


def with_markers(sentence: str, bracket: str, markers: dict[str, tuple[int, ...]], style: Style) -> Document:
    """A paper with one bracket that contains several markers, each with the entries that it cites."""
    made = paper(sentence, {bracket: 1}, ENTRIES, style)
    [citation] = made.citations
    found = []
    for marker, entries in markers.items():
        at = made.text.index(marker, citation.group.start)
        span = Span(at, at + len(marker))
        found += [citation.model_copy(update={"span": span, "reference": entry}) for entry in entries]
    return made.model_copy(update={"citations": tuple(found)})


@pytest.mark.parametrize(
    ("sentence", "bracket", "markers", "style", "masked"),
    [
        ("Salt stays [1, 4] long.", "[1, 4]", {"1": (1,), "4": (4,)}, "numeric", "[1, 4]"),
        ("Salt stays [2-4] long.", "[2-4]", {"2-4": (2, 3, 4)}, "numeric", "[2-4]"),
        ("Salt stays [1, 2-4] long.", "[1, 2-4]", {"1": (1,), "2-4": (2, 3, 4)}, "numeric", "[1, 2-4]"),
        (
            "As Yu et al. (2023a; b) say.",
            "(2023a; b)",
            {"2023a": (3,), "b": (4,)},
            "author-year",
            "Yu et al. (2023a; b)",
        ),
        (
            "It stays (see Lind, 2018, and Wu, 2019).",
            "(see Lind, 2018, and Wu, 2019)",
            {"Lind, 2018": (1,), "Wu, 2019": (2,)},
            "author-year",
            "(see Lind, 2018, and Wu, 2019)",
        ),
    ],
)
def test_the_entries_that_a_group_cites(
    sentence: str, bracket: str, markers: dict[str, tuple[int, ...]], style: Style, masked: str
) -> None:
    document = with_markers(sentence, bracket, markers, style)
    groups = groups_of(document)
    [group] = groups
    assert groups.cited_by(group) == tuple(entry for entries in markers.values() for entry in entries)
    assert group.place.of(document.text) == masked
    # A member that was not located makes the rest uncertain.
    fewer = document.model_copy(update={"citations": document.citations[:-1]})
    [group] = groups_of(fewer)
    assert groups_of(fewer).cited_by(group) is None


def test_joined_brackets_are_one_group() -> None:
    document = paper("Timed by Lind [1] and Wu [2], as well as [5] in all.", {"[1]": 1, "[2]": 2, "[5]": 5}, ENTRIES)
    [group] = groups_of(document)
    assert groups_of(document).cited_by(group) == (1, 2, 5)
    assert group.place.of(document.text) == "Lind [1] and Wu [2], as well as [5]"


def test_the_works_of_a_group() -> None:
    document = paper("Timed by Lind [1] and Wu [2] in all.", {"[1]": 1, "[2]": 2}, ENTRIES)
    references = [
        entry.model_copy(update={"document": f"work-{entry.number}"}) if entry.number < 3 else entry
        for entry in document.references
    ]
    document = document.model_copy(update={"references": tuple(references)})
    with_text = Paper(document, document.text)
    [group] = with_text.groups
    assert with_text.works_of(group) == ("work-1", "work-2")
    assert Paper(document, document.text, {"work-1"}).works_of(group) is None


@pytest.mark.parametrize(
    ("linked", "titled", "asked"),
    [
        # The other entries of the group are not in the corpus, or another one is.
        ({1: "tides"}, (), {"tides": set()}),
        ({1: "tides", 2: "ferns"}, (), {"tides": {"ferns"}, "ferns": {"tides"}}),
        # Entry 5, which the group does not cite, is the same work as entry 2, or prints its title.
        ({1: "tides", 2: "ferns", 5: "ferns"}, (), {"tides": {"ferns"}}),
        ({1: "tides", 5: "rain"}, ("Wu, J. Rain. 2019",), {"tides": {"rain"}}),
        # Two entries of the group are one work.
        ({1: "tides", 2: "tides"}, (), {}),
    ],
)
def test_a_citation_of_a_group_is_asked_about_beside_no_other_work_of_it(
    linked: dict[int, str], titled: tuple[str, ...], asked: dict[str, set[str]]
) -> None:
    entries = [ENTRIES[0], *(titled or ENTRIES[1:2]), *ENTRIES[2:]]
    sentence = "Salt stays in the ground for many years [1] [2] [3]."
    document = paper(sentence, {"[1]": 1, "[2]": 2, "[3]": 3}, entries)
    last = document.references[4]
    references = [entry.model_copy(update={"document": linked.get(entry.number)}) for entry in document.references[:4]]
    title = Span(document.text.index("Rain", last.span.start), document.text.index("Rain", last.span.start) + 4)
    references.append(last.model_copy(update={"document": linked.get(5), "title": title}))
    start = document.text.index(sentence)
    document = document.model_copy(
        update={"references": tuple(references), "sentences": (Span(start, start + len(sentence)),)}
    )
    found = Paper(document, document.text)
    assert {mask.work: found.works_beside(mask) for mask in found.grouped_masks} == asked
    assert {mask.place.of(document.text) for mask in found.grouped_masks} <= {"[1] [2] [3]"}
    assert not found.masks


@pytest.mark.parametrize(("id", "is_cited"), [("1806.01234", True), ("1901.01234", True), ("2006.01234", False)])
def test_a_work_that_is_years_younger_than_its_entry_is_not_cited(id: str, is_cited: bool) -> None:
    """The entry is of 2018."""
    document = paper("Timed by Lind [1] and Wu [2] in all.", {"[1]": 1, "[2]": 2}, ENTRIES)
    entry = document.references[0].model_copy(update={"document": "work-1", "ids": {"arxiv": id}})
    document = document.model_copy(update={"references": (entry, *document.references[1:])})
    assert Paper(document, document.text).cited == ({1: "work-1"} if is_cited else {})


def test_works_cited_near_a_section_are_those_of_its_neighbors() -> None:
    sentences = [f"Salt stays for years in part {number} [{number}]." for number in range(1, 6)]
    document = paper(" ".join(sentences), {f"[{number}]": number for number in range(1, 6)}, ENTRIES)
    starts = [document.text.index(sentence) for sentence in sentences]
    sections = [
        Section(heading=Span(start, start + 4), level=1, span=Span(start, start + len(sentence)))
        for start, sentence in zip(starts, sentences, strict=True)
    ]
    references = [entry.model_copy(update={"document": f"work-{entry.number}"}) for entry in document.references]
    document = document.model_copy(update={"references": tuple(references), "sections": tuple(sections)})
    cited = Paper(document, document.text)
    assert cited.cited_near(1, 0) == {"work-2"}
    assert cited.cited_near(1, 1) == {"work-1", "work-2", "work-3"}
    assert cited.cited_near(4) == {"work-3", "work-4", "work-5"}
    assert cited.cited_near(-1) == set()
