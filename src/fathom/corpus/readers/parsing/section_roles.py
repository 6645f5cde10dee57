"""Roles of sections, from their headings."""

from __future__ import annotations

import re

from fathom.corpus.readers.parsing.chinese_characters import CHINESE_CHARACTER, to_half_width
from fathom.records.documents import SectionRole

_ROLES: tuple[tuple[str, SectionRole], ...] = (
    (
        r"(.* )?abstract|(plain language |author |executive |lay )?summary|summary by the editors|(.* )?digest"
        r"|key points|highlights|significance statement",
        "abstract",
    ),
    (r"introduction|motivation", "introduction"),
    (r"related work|background|literature review|previous work|prior work|preliminaries", "background"),
    (
        r"(materials? and )?methods?( and materials?)?|methodology|approach|experimental (procedures|setup)|model",
        "methods",
    ),
    (r"results?( and discussion)?|experiments?|evaluation|findings|analysis", "results"),
    (r"discussion|limitations", "discussion"),
    (r"conclusions?|concluding remarks|conclusions? and future work|summary and conclusions?", "conclusion"),
    (r"appendi(x|ces).*|supplement.*", "appendix"),
    (r"references|bibliography|literature cited|works cited", "references"),
)

_CHINESE: dict[SectionRole, str] = {
    "abstract": "摘要 中文摘要 内容摘要 提要 内容提要",
    "introduction": "引言 绪论 前言 导言 导论 引论 序言 问题提出 问题的提出",
    "background": "相关工作 相关研究 相关技术 相关理论 研究现状 国内外研究现状 研究进展 研究综述 文献综述 文献回顾 "
    "背景 研究背景 理论背景 背景知识 预备知识 理论基础",
    "methods": "方法 研究方法 本文方法 实验方法 试验方法 方法论 材料与方法 资料与方法 对象与方法 数据与方法 "
    "模型与方法 方法与材料 方法与数据 研究设计 实验设计 试验设计 实验设置 模型 模型构建 模型设计 "
    "算法 算法设计",
    "results": "实验 试验 结果 分析 评估 实验结果 试验结果 研究结果 结果分析 结果与分析 结果与讨论 实验与分析 "
    "实验与结果 实验结果与分析 试验结果与分析 实验结果与讨论 仿真实验 对比实验 数值实验 实证分析 "
    "实证结果",
    "discussion": "讨论 分析与讨论 讨论与分析 讨论与展望 局限 局限性 研究局限 不足与展望",
    "conclusion": "结论 总结 结语 小结 结束语 研究结论 全文总结 结论与展望 总结与展望 结语与展望 结论与建议 "
    "结论与讨论 结论与启示",
    "references": "参考文献 主要参考文献 引用文献 参考资料 参考书目",
}
_CHINESE_ROLES = {heading: role for role, headings in _CHINESE.items() for heading in headings.split()}
# Traditional characters, and one word for "and".
_ONE_FORM = str.maketrans(
    "緒論導問題關術獻綜顧現狀進識預備礎對資數據驗設計構實結評討總語與參錄和及",
    "绪论导问题关术献综顾现状进识预备础对资数据验设计构实结评讨总语与参录与与",
)
_CHINESE_NUMBER = re.compile(
    r"第[一二三四五六七八九十\d]{1,3}(?:章|节|部分)|"
    r"\(?(?:[一二三四五六七八九十]{1,3}|\d{1,2}(?:\.\d{1,2}){0,4}|[IVX]{1,4}|[Ⅰ-Ⅻ])\)?[,.:]{0,2}"
)
# Many journals repeat the heading in English: "参考文献（References）".
_IN_ENGLISH = re.compile(r"\(?[A-Za-z]{4,30}\)?[\].:*]*$")


def role_of(heading: str) -> SectionRole:
    """Return the role of a section, from its heading."""
    words = re.sub(r"^[\dIVXA-H]{1,4}(\.\d+)*[.:)]?\s+", "", heading).strip(" .:").lower()
    for pattern, role in _ROLES:
        if re.fullmatch(pattern, words):
            return role
    return chinese_role(heading)


def chinese_role(heading: str) -> SectionRole:
    """Return the role of a Chinese heading with any numbering. Short words often have a space: "摘 要"."""
    if not CHINESE_CHARACTER.search(heading):
        return "other"
    words = "".join(to_half_width(heading[:80]).split()).translate(_ONE_FORM)
    words = _IN_ENGLISH.sub("", words).strip("[].:*")
    number = _CHINESE_NUMBER.match(words)
    words = words[number.end() :].strip(",.:") if number else words
    return "appendix" if words.startswith("附录") else _CHINESE_ROLES.get(words, "other")
