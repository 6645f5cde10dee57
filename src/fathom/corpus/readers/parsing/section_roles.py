"""Roles of sections, from their headings."""

from __future__ import annotations

import re

from fathom.corpus.readers.parsing.chinese_characters import CHINESE_CHARACTER, to_half_width
from fathom.corpus.readers.words import read_words, word_pattern
from fathom.records.documents import SectionRole

_WORDS = read_words("section_roles")
_ROLES: dict[SectionRole, re.Pattern[str]] = {role: word_pattern(text, 0) for role, text in _WORDS["patterns"].items()}
_CHINESE_ROLES: dict[str, SectionRole] = {
    heading: role for role, headings in _WORDS["chinese"].items() for heading in headings.split()
}
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
    found = (role for role, pattern in _ROLES.items() if pattern.fullmatch(words))
    return next(found, None) or chinese_role(heading)


def chinese_role(heading: str) -> SectionRole:
    """Return the role of a Chinese heading with any numbering. Short words often have a space: "摘 要"."""
    if not CHINESE_CHARACTER.search(heading):
        return "other"
    words = "".join(to_half_width(heading[:80]).split()).translate(_ONE_FORM)
    words = _IN_ENGLISH.sub("", words).strip("[].:*")
    number = _CHINESE_NUMBER.match(words)
    words = words[number.end() :].strip(",.:") if number else words
    return "appendix" if words.startswith("附录") else _CHINESE_ROLES.get(words, "other")
