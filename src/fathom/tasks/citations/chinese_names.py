"""Finds author names in Chinese characters with the help of the reference entry: no space or capital marks them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from fathom.records.names import CHINESE
from fathom.records.spans import Span

_NAME = re.compile(rf"[{CHINESE}·]{{2,}}")
_BRACKETED = r"\s*[（(]\s*(?:19|20)\d\d[a-z]?\s*[)）]"
_YEAR = rf"(?:{_BRACKETED}|[，,]?\s*(?:19|20)\d\d[a-z]?年?)"
_AND = r"\s*(?:以及|[、，,和与及&])\s*"
_ENDS = re.compile(rf"\s*(?:等人?)?{_YEAR}?\s*$")
"""Text that may follow the names before the citation's bracket: "et al." in "王明等", a year in "王明（2018）"."""
_JOINED = re.compile(rf"(?:{_AND})?$")
_VERBS = "认为|提出|指出|发现|给出|表明|建议|报道|证明|利用|采用|通过|根据|基于|的(?:研究|工作|方法|结果|观点|结论)"
_AFTER_NAME = rf"(?:等人{_YEAR}?|等?{_BRACKETED}|等{_YEAR}|等?(?=\s*(?:曾|也|则|还|最早|首先)?(?:{_VERBS})))"
"""Text after a name that marks it as a person: "et al.", a year, or a verb from `_VERBS`. Elsewhere the same characters
may be a word, as in "高峰等现象", or part of a byline."""


def chinese_names(signed: Sequence[str]) -> list[str]:
    """The Chinese names among the authors of a reference entry; an author may be one name or a list of names."""
    found: list[str] = []
    for author in signed:
        whole = "".join(author.split())
        # "王 明" is one name in two pieces, "王明, 李华" is two.
        found += [name.removesuffix("等") for name in _NAME.findall(whole)]
    return [name for name in found if len(name) > 1]


def names_before(before: str, names: Sequence[str]) -> int | None:
    """The position where the names at the end of a text start: 2 for "此后王明、李华等"; None without names."""
    closing = _ENDS.search(before)
    assert closing is not None  # the pattern also matches the empty string
    end, start = closing.start(), None
    while name := next((name for name in names if before.endswith(name, 0, end)), None):
        start = end - len(name)
        joined = _JOINED.search(before, 0, start)
        assert joined is not None
        end = joined.start()
    return start


def named_in(text: str, names: Sequence[str]) -> Iterator[Span]:
    """The spans that mention the authors as people, starting with the first author: "王明等", "王明和李华（2020）"."""
    if not names or names[0] not in text:
        return
    others = "|".join(map(re.escape, names[1:]))
    coauthors = rf"(?:{_AND}(?:{others}))*" if others else ""
    found = re.finditer(rf"{re.escape(names[0])}{coauthors}{_AFTER_NAME}", text)
    yield from (Span(*match.span()) for match in found)
