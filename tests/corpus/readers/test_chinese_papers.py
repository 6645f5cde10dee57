"""Chinese papers from PDF converters: full-width brackets, names without separators, entries of GB/T 7714."""

from __future__ import annotations

import random

import pytest

from fathom.corpus.readers.assembly import assemble
from fathom.corpus.readers.markdown import reader as markdown
from fathom.corpus.readers.parsed_document import CitationMark, NoCompanions, ParsedReference
from fathom.corpus.readers.parsing.bylines import byline_length, find_affiliation, find_authors
from fathom.corpus.readers.parsing.reference_lists import ReferenceEntry, ReferenceIndex
from fathom.corpus.readers.parsing.reference_strings import parse_reference
from fathom.corpus.readers.pdf.citations import CitationFinder
from fathom.records.documents import Document

NUMBERED = """\
# 河口盐度的季节变化与潮汐混合

王　明<sup>1</sup>，李华<sup>1，2*</sup>，欧阳静<sup>2</sup>

（1. 东海大学 海洋学院，江苏 南通 226000；2. 滨江水文研究所，上海 200000）

**摘　要**：河口盐度随季节而变。本文用三年的浮标资料估计混合速率，发现枯水期的盐度比丰水期高一倍。

**关键词**：河口；盐度；潮汐

## 0　引言

河口盐度受潮汐与径流影响，王明等［1］最早给出了逐月的观测结果。此后又有不少工作［2-4］讨论底部摩擦。风场的作用也被注意到［2，5］。该估计后来得到证实。［3］王明和李华（2020）认为风场不可忽视。

## 一、相关工作

枯水期底部摩擦更加重要（陈静等，2019；Lind，2018）。刘洋、周敏等人[5]的分层方案不再适用[1,3~5]。Smith等（2012）与此不同。取值范围为[0，1]。参见（高峰，2015a）的讨论，也见<sup>[2]</sup>。

## 2．方法

本文采用TideMap模型［４］计算潮位。

## 3 结果与讨论

结果见表1。

## 四、结 论

盐度较高。

## 参 考 文 献

［1］王明，李四，张三，等．河口盐度的逐月观测［J］．海洋学报，2018，40（2）：1－20．

［2］陈静, 吴刚. 底部摩擦与“分层”的关系[D]. 南京: 东海大学, 2019.

[3] 高峰. 潮位模型及其应用[M]. 2版. 北京: 海滨出版社, 2015.

[4] 王明, 李华. 风场的作用[C]//第三届河口会议论文集. 上海: 海滨出版社, 2020: 2001-2010.

[5] 刘洋, 周敏. 河口分层方案比较[EB/OL]. (2016-05-01)[2021-03-02]. https://example.org/a.

[6] SMITH J, WU B. Mixing in estuaries[J]. Journal of Tides, 2012, 3(1): 5-9.

[7] Lind A. Salt[J]. Tides, 2018, 1: 1-2.

## 附录A

推导从略。
"""

NAMED = """\
# 城市湿地鸟类的夜间鸣声

王 芳$^{1}$，赵 小 军$^{2,*}$ 和 钱伟

1. 南岭师范学院 生命科学学院, 广州 510000
2. 湖滨鸟类研究中心

摘要　夜间鸣声随灯光增强。
关键词：鸟类；鸣声

中图分类号：Q959

# 一、引言

夜间灯光改变鸟类行为（赵强，2016；孙丽和周平，2018a，2018b）。孙丽等（2021）、Moss（2014）都有报道$^{[2]}$。王和平（2019）指出灯光的间接影响，阿里木·买买提（2017）则不同意。参见（详见赵强，2016：12）。

# （一）数据来源

共布设十二个录音点. 灯光由卫星资料得到（Moss & Lind, 2015）。

# 1.1研究方法

略。

**参考文献**

1.赵强．城市灯光与鸟类．生态学报，2016，36(4)：10-18．
2.孙丽，周平．夜间鸣声的个体差异[J]．动物学杂志，2018a，53：1-9．
3.孙丽，周平．鸣声记录方法[J]．动物学杂志，2018b，53：20-29．
4.孙丽，钱伟，吴刚，等．2021．灯光试验[J]．生态学报，41：3-9．
5.Moss C. Light and birds[J]. Journal of Birds, 2014, 3: 1-4.
6.王和平：《灯光的间接影响》，《鸟类研究》2019年第2期。
7.阿里木·买买提. 西部鸟类[M]. 乌市: 大漠出版社, 2017.
8.Moss C, Lind A. More light[J]. Journal of Birds, 2015, 4: 1-4.
"""


def read(text: str) -> Document:
    (found,) = markdown.read(text.encode(), "a/paper.md", NoCompanions())
    return assemble(found)


def cited(document: Document) -> list[tuple[str, str, int | None]]:
    """Return each citation with its bracket and its entry."""
    return [(one.span.of(document.text), one.group.of(document.text), one.reference) for one in document.citations]


def entries(document: Document) -> list[tuple[str | None, list[str], int | None]]:
    return [
        (one.title.of(document.text) if one.title else None, [name.of(document.text) for name in one.authors], one.year)
        for one in document.references
    ]


def test_the_head_of_a_chinese_paper() -> None:
    document = read(NUMBERED)
    assert (document.language, document.kind) == ("zh", "article")
    assert document.title.of(document.text) == "河口盐度的季节变化与潮汐混合"
    assert [author.span.of(document.text) for author in document.authors] == ["王明", "李华", "欧阳静"]
    assert document.abstract and document.abstract.of(document.text).startswith("河口盐度随季节而变。")
    assert document.subject == "河口"
    assert "东海大学 海洋学院" not in document.text


def test_chinese_sections_have_roles() -> None:
    assert [section.role for section in read(NUMBERED).sections] == [
        *("abstract", "introduction", "background", "methods", "results", "conclusion", "appendix", "references")
    ]


def test_full_width_brackets_are_citations() -> None:
    document = read(NUMBERED)
    assert cited(document) == [
        ("1", "［1］", 1),
        ("2-4", "［2-4］", 2),
        ("2-4", "［2-4］", 3),
        ("2-4", "［2-4］", 4),
        ("2", "［2，5］", 2),
        ("5", "［2，5］", 5),
        ("3", "［3］", 3),
        ("2020", "（2020）", 4),
        ("陈静等，2019", "（陈静等，2019；Lind，2018）", 2),
        ("Lind，2018", "（陈静等，2019；Lind，2018）", 7),
        ("5", "[5]", 5),
        ("1", "[1,3~5]", 1),
        ("3~5", "[1,3~5]", 3),
        ("3~5", "[1,3~5]", 4),
        ("3~5", "[1,3~5]", 5),
        ("2012", "（2012）", 6),
        ("高峰，2015a", "（高峰，2015a）", 3),
        ("2", "[2]", 2),
        ("４", "［４］", 4),
    ]
    assert "取值范围为[0，1]。" in [sentence.of(document.text) for sentence in document.sentences]


def test_a_citation_is_inside_one_sentence() -> None:
    document = read(NUMBERED)
    assert all(any(sentence.contains(one.group) for sentence in document.sentences) for one in document.citations)
    sentences = [sentence.of(document.text) for sentence in document.sentences]
    assert "该估计后来得到证实。［3］" in sentences
    assert "枯水期底部摩擦更加重要（陈静等，2019；Lind，2018）。" in sentences


def test_entries_of_gbt_7714_have_their_parts() -> None:
    assert entries(read(NUMBERED)) == [
        ("河口盐度的逐月观测", ["王明", "李四", "张三"], 2018),
        ("底部摩擦与“分层”的关系", ["陈静", "吴刚"], 2019),
        ("潮位模型及其应用", ["高峰"], 2015),
        ("风场的作用", ["王明", "李华"], 2020),
        ("河口分层方案比较", ["刘洋", "周敏"], 2016),
        ("Mixing in estuaries", ["SMITH J", "WU B"], 2012),
        ("Salt", ["Lind A"], 2018),
    ]


def test_author_year_citations_without_spaces() -> None:
    document = read(NAMED)
    assert [author.span.of(document.text) for author in document.authors] == ["王芳", "赵小军", "钱伟"]
    assert "南岭师范学院" not in document.text and document.subject == "鸟类"
    headed = [(one.level, one.heading, one.role) for one in document.sections]
    assert [(level, span.of(document.text), role) for level, span, role in headed if span] == [
        (2, "Abstract", "abstract"),
        (2, "一、引言", "introduction"),
        (3, "（一）数据来源", "other"),
        (3, "1.1研究方法", "methods"),
        (2, "References", "references"),
    ]
    group = "（赵强，2016；孙丽和周平，2018a，2018b）"
    assert cited(document) == [
        ("赵强，2016", group, 1),
        ("孙丽和周平，2018a", group, 2),
        ("2018b", group, 3),
        ("2021", "（2021）", 4),
        ("2014", "（2014）", 5),
        ("2", "[2]", 2),
        ("2019", "（2019）", 6),
        ("2017", "（2017）", 7),
        ("赵强，2016", "（详见赵强，2016：12）", 1),
        ("Moss & Lind, 2015", "（Moss & Lind, 2015）", 8),
    ]
    assert entries(document) == [
        ("城市灯光与鸟类", ["赵强"], 2016),
        ("夜间鸣声的个体差异", ["孙丽", "周平"], 2018),
        ("鸣声记录方法", ["孙丽", "周平"], 2018),
        ("灯光试验", ["孙丽", "钱伟", "吴刚"], 2021),
        ("Light and birds", ["Moss C"], 2014),
        ("灯光的间接影响", ["王和平"], 2019),
        ("西部鸟类", ["阿里木·买买提"], 2017),
        ("More light", ["Moss C", "Lind A"], 2015),
    ]


@pytest.mark.parametrize(
    ("text", "title", "authors", "year"),
    [
        ("王明, 李华. 深度学习综述[J]. 计算机学报, 2020, 43(2): 1-20.", "深度学习综述", ("王明", "李华"), 2020),
        ("王明，李华，等．5G网络综述［J／OL］．计算机学报，2020：1901．", "5G网络综述", ("王明", "李华"), 2020),
        ("王明等.BERT模型的压缩[C]//计算大会论文集.北京:海滨出版社,2019:7-9.", "BERT模型的压缩", ("王明",), 2019),
        ("王明, 主编. 河口学[M]. 3版. 北京: 海滨出版社, 1998: 12.", "河口学", ("王明",), 1998),
        ("[美]林德, 著. 盐的故事[M]. 王明, 译. 上海: 海滨出版社, 2001.", "盐的故事", ("林德",), 2001),
        ("王明, 李华, 2020. 河口的盐[J]. 海洋学报, 42: 3.", "河口的盐", ("王明", "李华"), 2020),
        ("王明, 李华. 2020a. 河口的盐. 海洋学报, 42: 3.", "河口的盐", ("王明", "李华"), 2020),
        ("王明 (2020). 河口的盐. 海洋学报, 42: 3.", "河口的盐", ("王明",), 2020),
        ("王明：《河口的盐》，《海洋研究》2020年第3期，第2001页。", "河口的盐", ("王明",), 2020),
        ("王明、李华：“河口的盐”，《海洋研究》，2020年第3期。", "河口的盐", ("王明", "李华"), 2020),
        ("人工河口[N]. 滨江日报, 2019-05-01(3).", "人工河口", (), 2019),
        ("滨江水文局. 河口公报[EB/OL]. [2021-03-02]. http://example.org.", "河口公报", ("滨江水文局",), None),
        ("SMITH J, WU B, et al. Mixing[J]. Tides, 2012, 3: 5.", "Mixing", ("SMITH J", "WU B"), 2012),
    ],
)
def test_references_in_chinese(text: str, title: str, authors: tuple[str, ...], year: int | None) -> None:
    parsed = parse_reference(text)
    assert (parsed.title, parsed.authors, parsed.year) == (title, authors, year)


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("王明，李华", ["王明", "李华"]),
        ("王明 李华", ["王明", "李华"]),
        ("王 明  李小华", ["王明", "李小华"]),
        ("王明¹，李华²*，欧阳修远¹", ["王明", "李华", "欧阳修远"]),
        ("王明<sup>1,2</sup>、李华<sup>2✉</sup>", ["王明", "李华"]),
        ("王明 $^{\\mathrm{a},*}$，李华 $^{b}$", ["王明", "李华"]),
        ("作者：王明 李华", ["王明", "李华"]),
        ("王明和李华", ["王明", "李华"]),
        ("王明（东海大学 海洋学院，江苏 南通 226000）", ["王明"]),
        ("王明 东海大学海洋学院", ["王明"]),
        ("阿里木·买买提，王明", ["阿里木·买买提", "王明"]),
        ("（1. 东海大学 海洋学院，江苏 南通 226000）", []),
        ("江苏 南通", []),
        ("收稿日期：2020-01-02", []),
        ("作者简介：王明（1980-），男，教授", []),
        ("高峰出现在冬季", []),
        ("Wei Wang (王伟), Hua Li", ["Wei Wang", "Hua Li"]),
    ],
)
def test_chinese_bylines(line: str, names: list[str]) -> None:
    assert [author.printed for author in find_authors([line])] == names


def test_a_chinese_byline_ends_before_the_text() -> None:
    assert byline_length(["王明，李华", "（东海大学 海洋学院，南通 226000）", "盐度较高。"]) == 2
    assert byline_length(["高峰出现在冬季", "王明"]) == 0
    assert find_affiliation(["王明，李华", "（东海大学 海洋学院，南通 226000）"]) == "东海大学 海洋学院，南通"
    assert find_affiliation(["王明，李华", "（1. 东海大学；2. 滨江学院）"]) == ""


def test_coauthors_distinguish_works_of_one_year() -> None:
    listed = ["王明. 甲. 2020.", "王明, 李华. 乙乙. 2020.", "王明, 陈静, 吴刚. 丙丙. 2020.", "王明, 等. 丁丁. 2019."]
    text = "前人王明（2020）、王明和李华（2020）、王明等（2020）与王明等（2019）都已指出。"
    document = read(f"# 标题\n\n## 引言\n\n{text}\n\n## 参考文献\n\n" + "\n\n".join(listed))
    assert [reference for _, _, reference in cited(document)] == [1, 2, 3, 4]


THESIS = """\
---
author: 王明，李华
---

# 浮标与混合

## 摘 要（Abstract）

本文估计混合速率<sup>1</sup>。

**关键词** 混合 浮标

## Abstract

We estimate mixing.

**Keywords**: mixing

## 第一章 绪论

研究很多<sup>1,2</sup>，面积为5 km<sup>2</sup>，即5公里<sup>2</sup>。据文献［1，3］报道〔2〕。【3】

## 参考文献（References）

[1] 王明. 盐度[J]. 海洋学报, 2018, 1(2): 3-4.
[2] 李华. 混合[D]. 上海: 东海大学, 2017.
[3] 陈静. 一种浮标: CN1234567A[P]. 2015-03-04.
"""


def test_bilingual_headings_and_superscript_numbers() -> None:
    document = read(THESIS)
    assert [author.span.of(document.text) for author in document.authors] == ["王明", "李华"]
    assert [section.role for section in document.sections] == ["abstract", "introduction", "references"]
    assert document.subject == "混合"
    assert [
        (one[:2], style) for one, style in zip(cited(document), (c.style for c in document.citations), strict=True)
    ] == [
        (("1", "1"), "superscript"),
        (("1", "1,2"), "superscript"),
        (("2", "1,2"), "superscript"),
        (("1", "［1，3］"), "numeric"),
        (("3", "［1，3］"), "numeric"),
        (("2", "〔2〕"), "numeric"),
        (("3", "【3】"), "numeric"),
    ]
    assert [year for _, _, year in entries(document)] == [2018, 2017, 2015]


@pytest.mark.parametrize(
    "listed",
    [
        "［1］王明．盐度的观测［J］．刊，2018．\n［2］李华．混合的估计［J］．刊，2017．\n［3］陈静．底部摩擦［J］．刊，2016．",
        "[1] 王明. 盐度的观测[J]. 刊, 2018. [2] 李华. 混合的估计[J]. 刊, 2017.[3] 陈静. 底部摩擦[J]. 刊, 2016.",
        "1. 王明. 盐度的观测[J]. 刊, 2018.\n2. 李华. 混合的估计[J]. 刊, 2017.\n3. 陈静. 底部摩擦[J]. 刊, 2016.",
        "1、王明：《盐度的观测》，《刊》2018年第1期。\n2、李华：《混合的估计》，《刊》2017年。\n3、陈静：《底部摩擦》，2016年。",
        "[1] 王明. 盐度的观测[J]. 刊, 2018.\n\nWANG Ming. Salt[J]. J, 2018. (in Chinese)\n\n"
        "[2] 李华. 混合的估计[J]. 刊, 2017.\n\nLI Hua. Mixing[J]. J, 2017.\n\n[3] 陈静. 底部摩擦[J]. 刊, 2016.",
    ],
    ids=["lines", "run together", "items", "books", "twice"],
)
def test_reference_lists_damaged_by_converters(listed: str) -> None:
    document = read(
        f"# 标题\n\n## 引言\n\n据[3]和［2］。\n\n**参考文献**\n\n{listed}\n\n作者简介：王明（1980—），男。\n"
    )
    assert cited(document) == [("3", "[3]", 3), ("2", "［2］", 2)]
    assert entries(document) == [
        ("盐度的观测", ["王明"], 2018),
        ("混合的估计", ["李华"], 2017),
        ("底部摩擦", ["陈静"], 2016),
    ]
    assert "作者简介" in document.text.partition("## References")[0]


def test_links_in_full_width_brackets_lose_them() -> None:
    text = "盐度较高[［1］](#bib.bib1)，也见［[2](#bib.bib2)－[3](#bib.bib3)］。"
    listed = "".join(f"- 王明. 题名{number}[J]. 刊, 2020.\n" for number in "甲乙丙")
    document = read(f"# 标题\n\n## 引言\n\n{text}\n\n## 参考文献\n\n{listed}")
    assert cited(document) == [("1", "［1］", 1), ("2－3", "［2－3］", 2), ("2－3", "［2－3］", 3)]


def test_numbers_in_full_width_brackets_are_citations_in_a_pdf() -> None:
    finder = CitationFinder([ParsedReference(str(number), f"王明. 题名{number}[J]. 刊, 2020.") for number in (1, 2, 3)])
    marks = [word for word in finder.mark_citations("盐度［1］较高［2，3］。") if isinstance(word, CitationMark)]
    assert [(mark.text, mark.keys) for mark in marks] == [("1", ("1",)), ("2", ("2",)), ("3", ("3",))]


def test_a_name_with_padding_spaces_is_the_same_name() -> None:
    references = ReferenceIndex([ReferenceEntry("王 明. 盐度[J]. 刊, 2020.")])
    assert references.has_author_year("王明", "2020") and not references.has_author_year("王", "2020")


HOSTILE = [
    *(
        "（",
        "［2，",
        "（王明，",
        "王明（2020）",
        "王明和（2020）",
        "王明、",
        "。［2",
        "$^{[2",
        "摘 要 ",
        "\n关键词",
        "1.王\n",
    ),
    *("王 明 ", "《", "［J］", "等", "．", "（王明，2020，", "“王", "2020年", "王明等，", "·王"),
]


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_chinese_is_read_quickly(hostile: str) -> None:
    many = hostile * (100_000 // len(hostile))
    entry = "［1］王明, 李华. 题名[J]. 刊名, 2020, 1: 2."
    text = f"# 标题\n\n{many[:4_000]}\n\n## 引言\n\n盐度{many}较高［1］。\n\n## 参考文献\n\n{entry}\n\n{many}\n"
    assert read(text).references[0].year == 2020


@pytest.mark.parametrize("text", [NUMBERED, NAMED, THESIS], ids=["numbered", "named", "thesis"])
def test_damaged_chinese_has_valid_spans(text: str) -> None:
    chance = random.Random(7)
    for _ in range(150):
        broken = list(text)
        for _ in range(chance.randint(1, 15)):
            broken[chance.randrange(len(broken))] = chance.choice(
                "（）［］[]，、；：．。等和王·《》“”年2020a \n#*$^{}\u3000"
            )
        document = read("# 标题\n\n正文。\n\n" + "".join(broken))
        for one in document.citations:
            assert one.group.contains(one.span) and one.span.of(document.text).strip()
        for reference in document.references:
            assert all(reference.span.contains(name) for name in reference.authors)
