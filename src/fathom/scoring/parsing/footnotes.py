"""Removes footnotes: the notes below a response, and their marks behind its statements.

"4[^1]", "4¹" and "Lind [1]" carry the mark of a note only if a note with this mark follows below. A note that may
change the answer ("[1] or 5") stays.
"""

from __future__ import annotations

import re
from typing import Final

from fathom.scoring.parsing.key_hints import KeyHints
from fathom.scoring.parsing.remarks import RETRACTION, TELLS_MORE

_SUPERSCRIPTS = "¹²³⁴⁵⁶⁷⁸⁹"
_NOTE = re.compile(
    rf"[ \t>]*(?:[-*•][ \t]+)?(\[(?:\^\w{{1,12}}|\d{{1,3}})\]|[{_SUPERSCRIPTS}†‡])[ \t]?[:.)–—-]?[ \t]*\S"
)
_HEADING = re.compile(
    r"[*_# \t]{0,8}(?:footnotes?|notes?|references?|sources?|citations?|bibliography|来源|参考文献|脚注|注释?)[*_]{0,3}"
    r"[ \t]?[:：]?[*_ \t]{0,3}|[-*_=]{3,80}",
    re.IGNORECASE,
)
_CONDITION = re.compile(r"\b(?:if|when|unless|including|excluding|without)\b|如果|若", re.IGNORECASE)
MAX_NOTES: Final = 200


def without_footnotes(text: str, hints: KeyHints) -> str:
    """The text without the notes at its end and without their marks."""
    text = text.rstrip()
    if not _NOTE.match(text, text.rfind("\n") + 1):
        return text
    lines = text.split("\n")
    marks: list[str] = []
    end = len(lines)
    while end > 1 and len(marks) < MAX_NOTES:
        line = lines[end - 1]
        note = _NOTE.match(line)
        if note:
            marks.append(note[1])
        elif line.strip() and not (marks and _HEADING.fullmatch(line.strip())):
            break
        end -= 1
    kept = "\n".join(lines[:end])
    if not marks or not kept.strip() or any(hints.contain(mark) for mark in marks):
        return text
    notes = "\n".join(lines[end:])
    if TELLS_MORE.search(notes) or RETRACTION.search(notes) or _CONDITION.search(notes):
        return text
    if not all(_is_behind_text(mark, kept) for mark in {*marks}):
        return text  # a list whose items have numbers in brackets
    for mark in sorted({*marks}, key=len, reverse=True):
        kept = re.sub(rf"[ \t]?{re.escape(mark)}", "", kept)
    return kept.rstrip()


def _is_behind_text(mark: str, text: str) -> bool:
    """Whether a mark stands behind a word; "[1]" behind a punctuation mark may be the number of an item."""
    before = "[^\\s\\[.,;:]" if re.fullmatch(r"\[\d+\]", mark) else "[^\\s\\[]"
    return re.search(rf"{before}[ \t]?{re.escape(mark)}", text) is not None
