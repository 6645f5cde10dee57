"""The entity and the year that a document without structured facts is about, from its title."""

from __future__ import annotations

import re

from fathom.corpus.readers.parsing.text_cleanup import word_set
from fathom.records.documents import Document

_YEARS = re.compile(r"(?<!\d)((?:19|20)\d\d)(?:\s?[-–—/_]\s?((?:19|20)?\d\d))?(?!\d)")
_REPORT = re.compile(
    r"(?:(?:integrated|consolidated|interim|statutory|financial|management|sustainability|housing|market|full|fiscal"
    r"|annual|yearly|the)[\s-]+)*"
    r"\b(?:annual report|annual review|annual accounts|report and accounts|report for the (?:fiscal |financial )?year"
    r"|year in review|yearbook|report|review|accounts|financial statements|common data set|fact ?(?:sheet|book)"
    r"|country profile|profile|form 10-k|10-k|form 20-f)\b"
    r"(?:\s+(?:for|of|on)(?:\s+the)?(?:\s+(?:fiscal|financial)?\s*year)?)?",
    re.IGNORECASE,
)
_CHINESE_REPORT = re.compile(
    r"(?:(?:19|20)\d\d(?:\s?[-–—/]\s?(?:19|20)?\d\d)?学?年?度?)?(?:年度|年)?(?:综合|合并|财务|生产|经营|运营|运行|工作|统计|环境|质量|办学"
    r"|教学|发展|基本|情况|社会责任|可持续发展|信息公开)*"
    r"(?:报告|年报|报告书|年鉴|公报)(?:全文|摘要)?$"
)
_FILLERS = word_set("fy fiscal financial academic school season year the of for and in on to cds")


def title_entity(document: Document) -> str:
    """The entity in the title: "Ostmark" in "Ostmark: Homes, Prices and Rents 2019"; empty if there is none."""
    title = re.sub(r"\.(?:md|pdf|html?|docx?|csv|txt)$", "", document.title_text.strip(), flags=re.IGNORECASE)
    title = title.replace("_", " ")
    pieces = [piece.strip() for piece in re.split(r"[:：|]\s*|\s[–—-]\s", title) if piece.strip()]
    names = [name for piece in pieces if (name := _without_years_and_fillers(piece))]
    return names[0] if names else ""


def _without_years_and_fillers(piece: str) -> str:
    """A piece of a title without years and words for reports."""
    piece = _CHINESE_REPORT.sub("", piece)
    piece = _YEARS.sub(" ", piece)
    piece = _REPORT.sub(" ", piece)
    words = re.sub(r"\s+", " ", piece).strip(" ,-–—()[]年度#*").split(" ")
    while words and words[0].casefold() in _FILLERS - {"the"}:
        words = words[1:]
    while words and words[-1].casefold() in _FILLERS:
        words = words[:-1]
    name = " ".join(words).strip(" ,-–—")
    return name if any(letter.isalpha() for letter in name) else ""


def has_two_years(document: Document) -> bool:
    """Whether the title writes its year as "2023/24"."""
    matches = list(_YEARS.finditer(document.title_text))
    return len(matches) == 1 and bool(matches[0][2]) and int(matches[0][2][-2:]) == (int(matches[0][1]) + 1) % 100


def title_year(document: Document) -> int | None:
    """The year in the title, or the year of the document; the first one of "2024-2025"."""
    years = {int(match[1]) for match in _YEARS.finditer(document.title_text)}
    return years.pop() if len(years) == 1 else document.year
