"""Roles of sections, recognized by their headings in English and Chinese."""

from __future__ import annotations

import pytest

from fathom.corpus.readers.parsing.section_roles import role_of


@pytest.mark.parametrize(
    ("heading", "role"),
    [("1. Introduction", "introduction"), ("II Related Work", "background"), ("Materials and methods", "methods"),
     ("Appendix A: Proofs", "appendix"), ("4 Our Thing", "other"), ("REFERENCES", "references")],
)  # fmt: skip
def test_finds_the_role_of_a_heading(heading: str, role: str) -> None:
    assert role_of(heading) == role


@pytest.mark.parametrize(
    ("heading", "role"),
    [("摘要", "abstract"), ("摘 要", "abstract"), ("【摘　要】", "abstract"), ("0 引言", "introduction"),
     ("１　引 言", "introduction"), ("一、绪论", "introduction"), ("第一章 緒論", "introduction"),
     ("2．相关工作", "background"), ("（二）文献综述", "background"), ("3材料与方法", "methods"),
     ("3.1 方法", "methods"), ("四、实验结果和分析", "results"), ("结果与讨论", "results"), ("Ⅴ 讨论", "discussion"),
     ("5 結論與展望", "conclusion"), ("结 束 语", "conclusion"),
     ("参 考 文 献：", "references"), ("參考文獻", "references"), ("附录A 证明", "appendix"), ("致谢", "other"),
     ("一般方法论的来历", "other"), ("盐度的观测", "other"), ("一", "other")],
)  # fmt: skip
def test_finds_the_role_of_a_chinese_heading(heading: str, role: str) -> None:
    assert role_of(heading) == role
