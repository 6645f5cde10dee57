"""The last part of a response without a marker: what follows its reasoning.

Reasoning ends with a line that announces its result ("Therefore:"), a rule, a heading or a sentence; the lines after it
are the answer. A response that begins with an item has no reasoning, and a line that adds to a list or excludes from it
separates nothing, so such responses are left whole.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from fathom.scoring.parsing.envelopes import without_clause
from fathom.scoring.parsing.key_hints import KeyHints
from fathom.scoring.parsing.normalization import letters

_RULE = re.compile(r"(?:[-*_=][ \t]?){3,80}")
_HEADING = re.compile(
    r"#{1,6}[ \t][^\n]{0,40}(?:\b(?:final|answer|result|conclusion|response|summary|list|thinking|reasoning"
    r"|analysis|approach"
    r"|steps?|method|working|task)\b|结论|答案|结果|总结|思路|分析)[^\n]{0,40}|\*\*[^*\n]{0,30}\b(?:final|answer"
    r"|result|conclusion|response|summary|list|thinking"
    r"|thoughts|reasoning|analysis|approach|steps?|method|working|task)\b[^*\n]{0,20}\*\*"
    r"|\*\*[^*\n]{0,10}(?:结论|答案|结果|总结)[^*\n]{0,10}\*\*",
    re.IGNORECASE,
)
_ANNOUNCES = re.compile(
    r"(?:[^\n]{0,200}[:：]|[*_ \t]{0,3}(?:so|hence|thus|therefore|in conclusion|in summary|finally),)[*_ \t]{0,4}",
    re.IGNORECASE,
)
_CONCLUDES = re.compile(
    r"\b(?:so|hence|thus|therefore|results?|answer|together|final|finally|conclusion|summary)\b|综上|因此|结论"
    r"|由此|所以",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[^\n]{8,2000}[.!。！][*_)）\"”]{0,4}")
_NUMBERING = re.compile(r"\A(?:[-*•+]|\(?\d{1,3}[.)])[ \t]+")
_DATA = re.compile(r"[|→=]|[:：][ \t]*[-−+$€¥]?\d|[^\W\d_][^\n\d]*\d[^\n]*\d[^\n]*\d")
"""A note of the reasoning: "Article 3: 14", "| Lind | 7 |"."""
_ADDS = re.compile(
    r"\b(?:also|additional(?:ly)?|plus|others?|further|more|excluded?|not|wrong|incorrect|rejected|however|but"
    r"|except|without"
    r"|candidates?|options?|possib\w+|might|may|maybe|perhaps|or|fail\w*|unlike|example|alternativ\w+|considered"
    r"|missing)\b"
    r"|n't\b|[不除另或]|还有|其他|候选",
    re.IGNORECASE,
)


def concluding_part(text: str, hints: KeyHints, *, values: bool) -> str:
    """The part of a response after its reasoning, or all of it; `values` if the key is a number."""
    lines = [line.strip() for line in text.strip().split("\n")]
    filled = [at for at, line in enumerate(lines) if line]
    if len(filled) < 2 or _is_item(lines[filled[0]], hints):
        return text
    last = filled[-1]
    if _is_sentence(lines[last], hints):
        return _last_sentence(text, lines, filled, hints, values)
    first = next((at for at in reversed(filled) if not _is_item(lines[at], hints)), -1)
    if values or first < 0 or first == last or _ADDS.search(lines[first]) or not _separates(lines[first]):
        return text
    return "\n".join(line for line in lines[first + 1 :] if line)


def _last_sentence(text: str, lines: Sequence[str], filled: Sequence[int], hints: KeyHints, values: bool) -> str:
    """The sentence that ends a response, if it names items of the key or follows a line that announces a result."""
    before, sentence = lines[filled[-2]], without_clause(lines[filled[-1]], hints)
    apart = filled[-1] - filled[-2] > 1
    announced = sentence != lines[filled[-1]] or (
        _CONCLUDES.search(before) is not None and (_ANNOUNCES.fullmatch(before) or _is_sentence(before, hints))
    )
    if not apart or (values and not announced and not _RULE.fullmatch(before)):
        return text
    form = letters(sentence)
    named = any(spelling in form for spelling in hints.whole)
    if not values and not (named if hints.whole else announced):
        return text
    return sentence


def announced_part(text: str) -> str:
    """The rows or options after the last line that announces them, or all of the text."""
    lines = [line.strip() for line in text.strip().split("\n")]
    filled = [at for at, line in enumerate(lines) if line]
    first = next((at for at in reversed(filled) if _announces(lines[at])), -1)
    after = [line for line in lines[first + 1 :] if line]
    if first < 0 or not after or _ADDS.search(lines[first]) or any(map(_SENTENCE.fullmatch, after)):
        return text
    return "\n".join(after)


def _announces(line: str) -> bool:
    """Whether a line announces what follows, and is no row such as "3:"."""
    heading = _RULE.fullmatch(line) is not None or _HEADING.fullmatch(line) is not None
    return heading or (_ANNOUNCES.fullmatch(line) is not None and sum(map(str.isalpha, line)) > 3 and "|" not in line)


def _is_sentence(line: str, hints: KeyHints) -> bool:
    """Whether a line is a sentence, and no title that ends like one."""
    told = _SENTENCE.fullmatch(line) is not None and (line.count(" ") > 1 or not line.isascii())
    return told and letters(line) not in hints.whole and letters(_NUMBERING.sub("", line)) not in hints.whole


def _is_item(line: str, hints: KeyHints) -> bool:
    """Whether a line may be an item of a list."""
    if letters(line) in hints.whole:
        return True
    return not (
        _is_sentence(line, hints)
        or _RULE.fullmatch(line)
        or _HEADING.fullmatch(line)
        or _ANNOUNCES.fullmatch(line)
        or _DATA.search(line)
    )


def _separates(line: str) -> bool:
    """Whether a line ends the reasoning."""
    return (
        _RULE.fullmatch(line) is not None
        or _HEADING.fullmatch(line) is not None
        or _ANNOUNCES.fullmatch(line) is not None
        or _SENTENCE.fullmatch(line) is not None
    )
