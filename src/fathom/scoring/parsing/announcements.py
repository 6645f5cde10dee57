"""The last part of a response without a marker: what follows the line that announces it, such as "Therefore:", a rule
or a heading. A line that adds to a list or excludes from it announces nothing.
"""

from __future__ import annotations

import re

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
_SENTENCE = re.compile(r"[^\n]{8,2000}[.!。！][*_)）\"”]{0,4}")
_ADDS = re.compile(
    r"\b(?:also|additional(?:ly)?|plus|others?|further|more|excluded?|not|wrong|incorrect|rejected|however|but"
    r"|except|without"
    r"|candidates?|options?|possib\w+|might|may|maybe|perhaps|or|fail\w*|unlike|example|alternativ\w+|considered"
    r"|missing)\b"
    r"|n't\b|[不除另或]|还有|其他|候选",
    re.IGNORECASE,
)


def announced_part(text: str) -> str:
    """The lines after the last one that announces them, or all of the text."""
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
