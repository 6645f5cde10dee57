"""Author names in Chinese characters, recognized by their reference entry: no space or capital marks them."""

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
"""What may be between the names and their bracket: "王明等", "王明（2018）"."""
_JOINED = re.compile(rf"(?:{_AND})?$")
_DEEDS = "认为|提出|指出|发现|给出|表明|建议|报道|证明|利用|采用|通过|根据|基于|的(?:研究|工作|方法|结果|观点|结论)"
_BEHIND = rf"(?:等人{_YEAR}?|等?{_BRACKETED}|等{_YEAR}|等?(?=\s*(?:曾|也|则|还|最早|首先)?(?:{_DEEDS})))"
"""What marks a name as a person: before anything else it may be a word, such as "高峰等现象", or part of a byline."""


def chinese_names(signed: Sequence[str]) -> list[str]:
    """The Chinese names among the authors of an entry, each printed alone or all in one list."""
    found: list[str] = []
    for author in signed:
        whole = "".join(author.split())
        # "王 明" is one name in two pieces, "王明, 李华" is two.
        found += [name.removesuffix("等") for name in _NAME.findall(whole)]
    return [name for name in found if len(name) > 1]


def names_before(before: str, names: Sequence[str]) -> int | None:
    """The start of the names that end a text: the third character of "此后王明、李华等"; None without names."""
    closing = _ENDS.search(before)
    assert closing is not None  # it matches nothing at all, too
    end, start = closing.start(), None
    while name := next((name for name in names if before.endswith(name, 0, end)), None):
        start = end - len(name)
        joined = _JOINED.search(before, 0, start)
        assert joined is not None
        end = joined.start()
    return start


def named_in(text: str, names: Sequence[str]) -> Iterator[Span]:
    """Places that name the authors as people, the first author first: "王明等", "王明和李华（2020）"."""
    if not names or names[0] not in text:
        return
    others = "|".join(map(re.escape, names[1:]))
    company = rf"(?:{_AND}(?:{others}))*" if others else ""
    found = re.finditer(rf"{re.escape(names[0])}{company}{_BEHIND}", text)
    yield from (Span(*match.span()) for match in found)
