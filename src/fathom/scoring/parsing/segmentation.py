"""Segmentation of a statement into lines and items, without bullets, lead-ins and remarks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from fathom.scoring.parsing.key_hints import KeyHints
from fathom.scoring.parsing.normalization import letters, normal

BULLET = re.compile(r"[ \t]*(?:[-*•‣◦·–][ \t]+|\(?(\d{1,3})[.)](?=[ \t]|[^\d\s.,%])[ \t]*|#(\d{1,4})[ \t]+)")
_BULLET_SIGNS = frozenset("-*•‣◦·–(#0123456789 \t")
COMMA_IN_NUMBERS = re.compile(r"(?:[;；、，]|,(?!\d{3}(?!\d)))(?:[ \t]*(?:and|&)(?=[ \t]))?[ \t\n]*", re.IGNORECASE)
SEMICOLON = re.compile(r"[;；][ \t\n]*")
_NOUN = (
    r"(?:answers?|authors?|articles?|papers?|titles?|names?|values?|numbers?|counts?|results?|list|order|works?|items?)"
)
_LEAD_IN = re.compile(
    rf"(?:[^\W\d_]+[ \t]){{0,8}}?{_NOUN}(?:[ \t][^\W\d_]+){{0,8}}?"
    r"(?:[ \t](?:is|are|was|were)(?:[ \t]?:)?[ \t]|[ \t]?:[ \t])",
    re.IGNORECASE,
)
_ENDS = " \t\n,;，；"
_COUNTED = re.compile(
    r"[ \t]?[(\[][\d,.]{1,12}[ \t](?:papers?|articles?|authors?|references?|citations?|words?|times?|works?)[)\]]\Z",
    re.IGNORECASE,
)
_HEADING_OR_LABEL = re.compile(
    r"#{1,6} |[*_ \t]{0,6}(?:explanation|reasoning|rationale|justification|notes?|confidence|evidence|sources?)\b"
    r"(?=[*_ \t]{0,4}:)",
    re.IGNORECASE,
)
# A text without any of these has no heading, label, fence, lead-in or remark.
_SUSPECT = re.compile(r"[:*.!#`]")
_ON_THE_ANSWER = (
    r"(?:articles?|authors?|titles?|papers?|works?|names?|list(?:s|ed)?|above|answers?|references?|bylines?|order|items?"
    r"|condition|question|context|collection|entries|ties?|them|these|those|they|such)"
)
_REMARK = re.compile(
    r"(?:these|those|the above|i|we|he|she|it|they|(?:here|there) (?:is|are)|in total|together|so the|note that)\b"
    rf".{{0,200}}|.{{0,200}}?\b{_ON_THE_ANSWER}\b.{{0,200}}",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"\b(?:is|are|was|were|has|have|had|appears?|wrote|counted|found|contains?|includes?|lists?|follows?|cites?|meets?)\b",
    re.IGNORECASE,
)


def is_remark(line: str) -> bool:
    """Whether a line is a sentence that comments on the answer; a title such as "Sleep is a need." is not."""
    if not line.endswith((".", "!", ".*", ".**")) or line.count(" ") < 2:
        return False
    return _REMARK.match(line) is not None and _VERB.search(line, 0, 400) is not None


def lines_in(stated: str, hints: KeyHints) -> list[str]:
    """The lines with the answer: without blank lines, headings, lead-ins and remarks."""
    lines = [line.strip() for line in stated.strip().split("\n")]
    if len(lines) == 1:
        return lines
    if not _SUSPECT.search(stated):
        return lines if "" not in lines else [line for line in lines if line]
    kept: list[str] = []
    for line in lines:
        if not line or line.startswith("```"):
            continue
        suspect = line[-1] in ":*.!" or ":" in line or line[0] == "#"
        if not suspect or not _is_no_item(line) or letters(line) in hints.whole:
            kept.append(line)
        elif kept and _HEADING_OR_LABEL.match(line):
            break
    return kept


def _is_no_item(line: str) -> bool:
    """Whether a line is not an item: a heading, "The authors are:", "These are all.", "Explanation: ..."."""
    if line[-1] in ":*.!" and (
        line.endswith((":", ":**", ":*", "**:")) or (is_remark(line) and not BULLET.match(line))
    ):
        return True
    return _HEADING_OR_LABEL.match(line) is not None


def unnumbered(lines: list[str]) -> list[str]:
    """Lines without bullets; numbers are bullets only if they count 1, 2, 3."""
    if _BULLET_SIGNS.isdisjoint([line[:1] for line in lines]):
        return lines
    matches = [BULLET.match(line) for line in lines]
    if not any(matches):
        return lines
    counted = [match and (match[1] or match[2]) for match in matches]
    in_turn = [number for number in counted if number] == [str(n) for n in range(1, sum(map(bool, counted)) + 1)]
    return [
        line[match.end() :] if match and (in_turn or not number) else line
        for line, match, number in zip(lines, matches, counted, strict=True)
    ]


def without_lead_in(line: str, hints: KeyHints) -> str:
    """The line without "The authors are", unless the key has a title that begins so."""
    if ":" not in line and " is " not in line and " are " not in line and " was " not in line and " were " not in line:
        return line
    match = _LEAD_IN.match(line)
    if not match or match.end() == len(line) or any(form.startswith(letters(match[0])) for form in hints.whole):
        return line
    return line[match.end() :]


def clean_items(pieces: list[str], hints: KeyHints) -> list[str]:
    """The pieces of a list as items, without bullets and trailing separators; empty ones are dropped."""
    items = [piece.strip(_ENDS) for piece in unnumbered(pieces)]
    for item in items:
        if not item or not item[0].isalnum() or item[-1] in ")]":
            return [kept for item in items if (kept := clean_item(item, hints))]
    return items  # most need no further cleanup


def clean_item(item: str, hints: KeyHints) -> str:
    """An item without trailing separators and without an explanatory count: "Lind (5 documents)"."""
    item = item.strip(_ENDS)
    if item.endswith((")", "]")) and letters(item) not in hints.whole:
        item = _COUNTED.sub("", item)
    return item if normal(item) else ""


def split_parts(pattern: re.Pattern[str], line: str, start: int = 0) -> list[tuple[int, int]]:
    """The parts of `line` between the matches of `pattern`, as offsets, without spaces before a match."""
    parts, at = [], start
    for match in pattern.finditer(line, start):
        end, after = match.span()
        while end > at and line[end - 1] in " \t":
            end -= 1
        parts.append((at, end))
        at = after
    parts.append((at, len(line)))
    return parts


def split_at_semicolons(line: str) -> list[str]:
    """The parts of `line` between its semicolons."""
    *parts, last = SEMICOLON.split(line)
    return [*[part.rstrip(" \t") for part in parts], last]


def rejoined(line: str, parts: Sequence[tuple[int, int]], hints: KeyHints) -> Iterator[str]:
    """The pieces; consecutive pieces that together spell an item of the key are joined, the longest first."""
    at = 0
    while at < len(parts):
        start, end = parts[at]
        step = 1
        if letters(line[start:end]) in hints.heads:
            for last in range(min(at + hints.width, len(parts) - 1), at, -1):
                if letters(line[start : parts[last][1]]) in hints.joined:
                    end, step = parts[last][1], last - at + 1
                    break
        yield line[start:end]
        at += step
