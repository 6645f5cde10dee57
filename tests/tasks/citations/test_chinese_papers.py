"""Chinese papers from Markdown to items: citations are linked, hidden and asked about."""

from __future__ import annotations

import pytest

from fathom.contexts.layout import render
from fathom.corpus.document_reading import Filters
from fathom.corpus.ingest import ingest
from fathom.corpus.store import Corpus
from fathom.tasks.auditing import audit
from fathom.tasks.bench import Bench
from tests.tasks.citations.conftest import build_citations

WORKS = [
    # Who, when, the title, and what it is about.
    ("王明，李四，张三", 2018, "河口盐度的逐月观测", "盐度"),
    ("陈静", 2019, "底部摩擦与潮流衰减", "摩擦"),
    ("高峰，吴刚", 2015, "潮位预报及其误差", "潮位"),
    ("刘洋，周敏", 2016, "河口分层方案比较", "分层"),
    ("李华", 2017, "浮标资料中的混合速率", "混合"),
]
CITING = {"三角洲水体交换的综述", "潮汐汊道的泥沙"}

NUMBERED = """# 三角洲水体交换的综述

孙丽<sup>1</sup>，赵强<sup>2</sup>

（1. 东海大学，南通 226000；2. 滨江水文研究所，上海 200000）

**摘　要**：本文回顾三角洲水体交换的研究。

## 0　引言

王明等［1］最早给出了逐月的观测结果，其后的估计大多以此为准。浅水区的潮流衰减得比预想更快［2］。

## 一、相关工作

预报的误差在大潮时最大［3］。刘洋和周敏［4］比较了几种做法，结论至今未变。漂流观测给出的速率偏低［5］。这些工作都有局限［1-3］。

## 二、结论

水体交换仍有许多问题。

## 参 考 文 献

"""

NAMED = """# 潮汐汊道的泥沙

钱伟　孙丽

摘要：本文讨论潮汐汊道的泥沙来源。

## 1 引言

王明等（2018）最早给出了逐月的观测结果。浅水区的潮流衰减得比预想更快（陈静，2019）。

## 2 相关工作

预报的误差在大潮时最大（高峰和吴刚，2015）。刘洋、周敏（2016）比较了几种做法。漂流观测给出的速率偏低（参见李华，2017）。

## 3 结论

泥沙的来源尚无定论（王明等，2018；李华，2017）。

## 参考文献

"""


def entry(number: int) -> str:
    authors, year, title, _ = WORKS[number - 1]
    return f"［{number}］{authors}．{title}［J］．海洋与河口，{year}，12（{number}）：{number}－9．"


def work(authors: str, title: str, subject: str) -> str:
    """A paper on one subject, long enough to be a candidate."""
    sentences = [
        f"第{day}天在{place}的{subject}读数为{day * 7 % 31}，比前一天{'高' if day % 3 else '低'}，别处没有变化。"
        for day in range(1, 13)
        for place in ("上游浅滩", "下游深槽", "北岸闸口")
    ]
    body = "".join(sentences)
    return (
        f"# {title}\n\n{authors}\n\n摘要：本文记录{subject}。\n\n## 观测\n\n{body}\n\n## 结论\n\n{subject}随潮而变。\n"
    )


@pytest.fixture(scope="module")
def chinese(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    folder = tmp_path_factory.mktemp("chinese")
    papers = folder / "papers"
    papers.mkdir()
    for number, (authors, _, title, subject) in enumerate(WORKS):
        (papers / f"work{number}.md").write_text(work(authors, title, subject), encoding="utf-8")
    entries = "\n\n".join(map(entry, range(1, len(WORKS) + 1)))
    (papers / "numbered.md").write_text(NUMBERED + entries + "\n", encoding="utf-8")
    (papers / "named.md").write_text(NAMED + entries + "\n", encoding="utf-8")
    ingest([papers], folder / "corpus", Filters())
    return build_citations(folder / "corpus", folder / "bench", items=4)


def test_every_entry_is_linked_to_its_work(chinese: Bench) -> None:
    with Corpus(chinese.corpus_folder) as corpus:
        titles = {document.id: document.title.of(document.text) for document in corpus.documents()}
        links = {(titles[link.citing], titles[link.cited]) for link in corpus.links()}
    assert links == {(paper, title) for paper in CITING for _, _, title, _ in WORKS}


def test_items_of_both_papers_hide_who_is_cited(chinese: Bench) -> None:
    seen = set()
    with Corpus(chinese.corpus_folder) as corpus:
        titles = {document.id: document.title.of(document.text) for document in corpus.documents()}
        for context, _ in chinese.by_context():
            paper = context.places[0].span.of(render(context, corpus).decode())
            shown = {titles[document] for document in context.documents}
            seen.add(titles[context.documents[0]])
            for number, (authors, year, title, _) in enumerate(WORKS, start=1):
                left = [*authors.split("，"), str(year), f"［{number}］"]
                assert not any(one in paper for one in left) or title not in shown
    assert seen == CITING


def test_the_items_prove_themselves(chinese: Bench) -> None:
    found = audit(chinese.folder)
    assert found.passed, [checked for checked in found.checks if checked.failed]
