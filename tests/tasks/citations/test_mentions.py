"""Mentions: the span of a citation, lone citations, and other mentions of a work."""

from __future__ import annotations

from typing import Literal

import pytest

from fathom.records.documents import Citation, Document, Reference
from fathom.records.spans import Span
from fathom.tasks.citations.citation_groups import CitationGroups
from fathom.tasks.citations.mentions import Mentions

Style = Literal["numeric", "author-year", "superscript"]


def paper(sentence: str, brackets: dict[str, int], entries: list[str], style: Style = "numeric") -> Document:
    """A paper of one sentence whose brackets, such as "[3]", cite entries such as "Lind, K. Tides. 2018"."""
    text = "# Salt\n\n" + sentence + "\n\n## References\n\n" + "\n\n".join(entries) + "\n"
    citations = []
    for bracket, number in brackets.items():
        start = text.index(bracket)
        group = Span(start, start + len(bracket))
        inner = bracket.strip("()[]")
        at = text.index(inner, start)
        citations.append(Citation(span=Span(at, at + len(inner)), group=group, reference=number, style=style))
    references = []
    for number, entry in enumerate(entries, start=1):
        start = text.index(entry)
        author = entry.split(". ")[0]
        references.append(
            Reference(
                number=number,
                span=Span(start, start + len(entry)),
                title=None,
                authors=(Span(start, start + len(author)),),
                year=int(entry[-4:]),
            )
        )
    return Document(
        id="a", kind="article", language="en", title=Span(2, 6), license="CC0-1.0", source="here", text=text,
        citations=tuple(citations), references=tuple(references),
    )  # fmt: skip


ENTRIES = [
    "Lind, K. Tides. 2018",
    "van der Berg, J. Ferns. 2019",
    "Xu, A. Mosses. 2020",
    "Robért-Nico, D. Salt. 2021",
]


@pytest.mark.parametrize(
    ("sentence", "brackets", "wanted"),
    [
        ("This was timed in two valleys [1] by day.", {"[1]": 1}, ["[1]"]),
        ("This was timed by Lind [1] by day.", {"[1]": 1}, ["Lind [1]"]),
        ("This was timed by Lind and Wu [1] by day.", {"[1]": 1}, ["Lind and Wu [1]"]),
        ("This was timed by van der Berg [2] by day.", {"[2]": 2}, ["van der Berg [2]"]),
        ("This was timed lind2018 (1) by day.", {"(1)": 1}, ["lind2018 (1)"]),
        ("This was timed robertnico2021 (4) by day.", {"(4)": 4}, ["robertnico2021 (4)"]),
        ("We took TideMap [1] by day.", {"[1]": 1}, ["[1]"]),
    ],
)
def test_what_a_citation_takes_up(sentence: str, brackets: dict[str, int], wanted: list[str]) -> None:
    document = paper(sentence, brackets, ENTRIES)
    mentions = Mentions(document, document.text)
    groups = CitationGroups(document, document.text, mentions)
    assert [mentions.place_of(citation).of(document.text) for citation in document.citations] == wanted
    assert all(groups.is_alone(citation) for citation in document.citations)


@pytest.mark.parametrize(
    ("sentence", "brackets"),
    [
        ("Timed by Lind [1] and [2] in two valleys.", {"[1]": 1, "[2]": 2}),
        ("Timed before [1], [2] in two valleys.", {"[1]": 1, "[2]": 2}),
        ("Timed by Lind [1] as well as van der Berg [2] in two valleys.", {"[1]": 1, "[2]": 2}),
        ("Gradient CheckpointingLind et al. [1] does it.", {"[1]": 1}),
    ],
)
def test_joined_citations_are_not_lone_citations(sentence: str, brackets: dict[str, int]) -> None:
    document = paper(sentence, brackets, ENTRIES)
    mentions = Mentions(document, document.text)
    groups = CitationGroups(document, document.text, mentions)
    assert not any(groups.is_alone(citation) for citation in document.citations)


def test_a_bracket_with_words_of_its_own_is_not_masked_whole() -> None:
    document = paper(
        "It fell (by cutting the ends, Lind, 2018) at once.", {"(by cutting the ends, Lind, 2018)": 1}, ENTRIES
    )
    [citation] = document.citations
    at = document.text.index("Lind, 2018")
    citation = citation.model_copy(update={"span": Span(at, at + 10), "style": "author-year"})
    document = document.model_copy(update={"citations": (citation,)})
    mentions = Mentions(document, document.text)
    groups = CitationGroups(document, document.text, mentions)
    assert not groups.is_alone(citation)
    assert mentions.place_of(citation).of(document.text) == "Lind, 2018"


@pytest.mark.parametrize(
    ("sentence", "hidden"),
    [
        ("As Lind et al. argue, it fell.", ["Lind et al."]),
        ("As Lind et al. (2018) argue, it fell.", ["Lind et al. (2018)"]),
        ("By Xu et al. it fell.", []),
        ("By Priya Lind and Sanjay Roe it fell.", []),
        ("By Ho-Lind et al. it fell.", []),
    ],
)
def test_where_authors_are_named_without_a_citation(sentence: str, hidden: list[str]) -> None:
    document = paper(sentence, {}, ENTRIES)
    assert [span.of(document.text) for span in Mentions(document, document.text).of(1)] == hidden


def test_a_name_inside_the_citation_of_another_work_stays() -> None:
    entries = [*ENTRIES[:3], "Lind, K. Salt. 2021"]
    document = paper("It fell (Lind et al., 2021) at once.", {"(Lind et al., 2021)": 4}, entries, "author-year")
    mentions = Mentions(document, document.text)
    assert mentions.of(1) == []
    assert [span.of(document.text) for span in mentions.of(4)] == ["(Lind et al., 2021)"]


# Chinese papers.

CHINESE = """河口盐度受潮汐与径流影响，王明等[1]最早给出了逐月的观测结果。此后李华［2］利用浮标资料重新估计了混合速率。\
王明和李华（2020）认为风场的作用不可忽视。枯水期底部摩擦更加重要（陈静等，2019）。本文采用TideMap模型［４］计算潮位。\
刘洋、周敏等人[5]的分层方案不再适用。Smith等［7］与此不同，结果和王明等人（2018）[8]的估计相近。（参见高峰，2015）又有讨论。\
王明等认为该方案在冬季同样有效，流量高峰等现象除外。与李华（2017）的结果一致，李华（1999）则另有看法。"""

CHINESE_BRACKETS = {
    "[1]": 1,
    "［2］": 2,
    "（2020）": 6,
    "（陈静等，2019）": 3,
    "［４］": 4,
    "[5]": 5,
    "［7］": 7,
    "[8]": 1,
    "（参见高峰，2015）": 4,
}

CHINESE_ENTRIES = [
    "王明, 李四, 张三. 河口盐度的逐月观测. 2018",
    "李华. 浮标资料与混合速率. 2017",
    "陈静, 吴刚. 底部摩擦. 2019",
    "高峰. 潮位模型及其应用. 2015",
    "刘洋, 周敏. 河口分层方案比较. 2016",
    "王明, 李华. 风场的作用. 2020",
    "Smith, J.. Mixing. 2012",
]


@pytest.fixture
def chinese() -> Document:
    """A Chinese paper with its citations as they are printed: half and full width, names and years."""
    made = paper(CHINESE, CHINESE_BRACKETS, CHINESE_ENTRIES)
    citations = []
    for citation in made.citations:
        bracket = citation.group.of(made.text)
        inner = bracket.strip("[]［］（）").removeprefix("参见")
        at = made.text.index(inner, citation.group.start)
        style: Style = "author-year" if "20" in inner else "numeric"
        citations.append(citation.model_copy(update={"span": Span(at, at + len(inner)), "style": style}))
    references = [
        reference.model_copy(update={"authors": tuple(_authors(made.text, reference))}) for reference in made.references
    ]
    update = {"citations": tuple(citations), "references": tuple(references), "language": "zh"}
    return made.model_copy(update=update)


def _authors(text: str, reference: Reference) -> list[Span]:
    """Each author of an entry on their own."""
    signed = reference.span.of(text).split(". ")[0]
    names = [signed] if signed.isascii() else signed.split(", ")
    return [Span(at, at + len(name)) for name in names for at in [text.index(name, reference.span.start)]]


def test_a_chinese_citation_takes_its_names_along(chinese: Document) -> None:
    mentions = Mentions(chinese, chinese.text)
    groups = CitationGroups(chinese, chinese.text, mentions)
    assert [mentions.place_of(citation).of(chinese.text) for citation in chinese.citations] == [
        "王明等[1]",
        "李华［2］",
        "王明和李华（2020）",
        "（陈静等，2019）",
        "［４］",
        "刘洋、周敏等人[5]",
        "Smith等［7］",
        "王明等人（2018）[8]",
        "（参见高峰，2015）",
    ]
    assert all(groups.is_alone(citation) for citation in chinese.citations)


def test_nothing_of_a_chinese_citation_is_left_behind(chinese: Document) -> None:
    mentions = Mentions(chinese, chinese.text)
    hidden = sorted(span for reference in chinese.references for span in mentions.of(reference.number))
    text, end = chinese.text, chinese.text.index("## References")
    shown, start = "", 0
    for span in hidden:
        if span.start >= start:
            shown, start = shown + text[start : span.start] + "_", span.end
    shown += text[start:end]
    for left in ("王明", "刘洋", "周敏", "陈静", "Smith", "[", "］", "_等", "_）", "（_", "2018", "2017", "2020"):
        assert left not in shown, left
    # A word that is somebody's name, and a year that no entry has, are nothing of theirs.
    assert "流量高峰等现象" in shown
    assert "李华（1999）" in shown


def test_the_authors_of_another_work_stay(chinese: Document) -> None:
    text = chinese.text
    assert [span.of(text) for span in Mentions(chinese, chinese.text).of(2)] == ["李华［2］", "李华（2017）"]


def test_joined_chinese_citations_are_not_lone_citations() -> None:
    document = paper("王明[1]、李华[2]讨论了盐度。", {"[1]": 1, "[2]": 2}, CHINESE_ENTRIES)
    mentions = Mentions(document, document.text)
    groups = CitationGroups(document, document.text, mentions)
    assert not any(groups.is_alone(citation) for citation in document.citations)
