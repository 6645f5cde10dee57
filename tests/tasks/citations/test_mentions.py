"""What a citation takes up, what stands alone, and where else a work is named."""

from __future__ import annotations

from typing import Literal

import pytest

from fathom.records.articles import Article, Citation, Reference
from fathom.records.spans import Span
from fathom.tasks.citations.giveaways import giveaways, names_of
from fathom.tasks.citations.mentions import Mentions

Style = Literal["numeric", "author-year", "superscript"]


def paper(sentence: str, brackets: dict[str, int], entries: list[str], style: Style = "numeric") -> Article:
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
    return Article(
        id="a", kind="article", language="en", title=Span(2, 6), licence="CC0-1.0", source="here", text=text,
        citations=tuple(citations), references=tuple(references),
    )  # fmt: skip


ENTRIES = ["Lind, K. Tides. 2018", "van der Berg, J. Ferns. 2019", "Xu, A. Mosses. 2020"]


@pytest.mark.parametrize(
    ("sentence", "brackets", "wanted"),
    [
        ("This was timed in two valleys [1] by day.", {"[1]": 1}, ["[1]"]),
        ("This was timed by Lind [1] by day.", {"[1]": 1}, ["Lind [1]"]),
        ("This was timed by Lind and Wu [1] by day.", {"[1]": 1}, ["Lind and Wu [1]"]),
        ("This was timed by van der Berg [2] by day.", {"[2]": 2}, ["van der Berg [2]"]),
        ("This was timed lind2018 (1) by day.", {"(1)": 1}, ["lind2018 (1)"]),
        ("We took TideMap [1] by day.", {"[1]": 1}, ["[1]"]),
    ],
)
def test_what_a_citation_takes_up(sentence: str, brackets: dict[str, int], wanted: list[str]) -> None:
    article = paper(sentence, brackets, ENTRIES)
    mentions = Mentions(article, article.text)
    assert [mentions.place_of(citation).of(article.text) for citation in article.citations] == wanted
    assert all(mentions.is_alone(citation) for citation in article.citations)


@pytest.mark.parametrize(
    ("sentence", "brackets"),
    [
        ("Timed by Lind [1] and [2] in two valleys.", {"[1]": 1, "[2]": 2}),
        ("Timed before [1], [2] in two valleys.", {"[1]": 1, "[2]": 2}),
        ("Timed by Lind [1] as well as van der Berg [2] in two valleys.", {"[1]": 1, "[2]": 2}),
        ("Gradient CheckpointingLind et al. [1] does it.", {"[1]": 1}),
    ],
)
def test_joined_citations_do_not_stand_alone(sentence: str, brackets: dict[str, int]) -> None:
    article = paper(sentence, brackets, ENTRIES)
    mentions = Mentions(article, article.text)
    assert not any(mentions.is_alone(citation) for citation in article.citations)


def test_a_bracket_with_words_of_its_own_is_not_masked_whole() -> None:
    article = paper(
        "It fell (by cutting the ends, Lind, 2018) at once.", {"(by cutting the ends, Lind, 2018)": 1}, ENTRIES
    )
    [citation] = article.citations
    at = article.text.index("Lind, 2018")
    citation = citation.model_copy(update={"span": Span(at, at + 10), "style": "author-year"})
    article = article.model_copy(update={"citations": (citation,)})
    mentions = Mentions(article, article.text)
    assert not mentions.is_alone(citation)
    assert mentions.place_of(citation).of(article.text) == "Lind, 2018"


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
    article = paper(sentence, {}, ENTRIES)
    assert [span.of(article.text) for span in Mentions(article, article.text).of(1)] == hidden


def test_a_name_inside_the_citation_of_another_work_stays() -> None:
    entries = [*ENTRIES, "Lind, K. Salt. 2021"]
    article = paper("It fell (Lind et al., 2021) at once.", {"(Lind et al., 2021)": 4}, entries, "author-year")
    mentions = Mentions(article, article.text)
    assert mentions.of(1) == []
    assert [span.of(article.text) for span in mentions.of(4)] == ["(Lind et al., 2021)"]


@pytest.mark.parametrize(
    ("title", "text", "hidden"),
    [
        ("Zero: Memory for all", "We train with ZeRO. Zero loss was seen.", {"ZeRO", "Zero"}),
        ("Dinov2: Learning features", "With DINOv2 it holds.", {"DINOv2"}),
        ("Diversity is all you need: Skills", "Diversity is all you need, we said.", {"Diversity is all you need"}),
        ("Assembly of SNARE complexes", "SNARE complexes form.", set()),
        ("Tracking", "In our SimVOS the head is small; SimVOS wins.", {"SimVOS"}),
    ],
)
def test_what_gives_a_work_away(title: str, text: str, hidden: set[str]) -> None:
    found = {span.of(text) for span in giveaways(title, names_of(title, "", text), text)}
    assert found == hidden
