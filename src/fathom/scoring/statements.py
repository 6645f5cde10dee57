"""Finds where in a response the answer stands: in a box, after "Answer:", in a JSON object or a block that
closes it."""

from __future__ import annotations

import re
from itertools import chain
from typing import Final, NamedTuple

from fathom.scoring.answers import Answer
from fathom.scoring.guides import spellings_of
from fathom.scoring.hedging import HEDGE
from fathom.scoring.json_values import answer_field, parsed
from fathom.scoring.spelling import unaccented

LONGEST_STATEMENT: Final = 200_000
"""Characters; whatever is longer is a document, not an answer."""


class Stated(NamedTuple):
    """The part of a response that states its answer."""

    text: str
    marked: bool
    """Whether the response itself marked it, by a box or by "Answer:"."""


_BRACE = re.compile(r"\\[{}\\]|[{}]")
# Both begin with a word to look for, which is several times as fast as an alternative or a look behind would be.
_MARKER = re.compile(
    r"answer(?<=\banswer)(?:s?[*_`\])]{0,4}[ \t]{0,3}(?:\([^()\n]{0,40}\)[ \t]?)?[:：=][*_`]{0,4}|(?<=<answer)>"
    r"|(?P<heading>s?[*_`#\])\t ]{0,8}$))",
    re.MULTILINE,
)
_SPOKEN_MARKER = re.compile(
    r"answer(?<=\banswer)s? (?:to (?:the|this|your) question )?(?:is|are|would be|must be|should be)\b"
    r"[ \t]{0,3}:?[*_`]{0,4}"
)
_OWN_MARKER = re.compile(r"answers? ?(?:[:：=]|(?:is|are|would|must|should)\b)")
_BEFORE_HEADING = re.compile(r"[*_`#>\t \[(]{0,8}(?:the |my )?(?:final |correct )?")
_CHINESE_MARKER = re.compile(r"答案(?:是|为|[:：])[:：]?")
_VALUE_NEXT = re.compile(r"[ \t*_`$\\({]{0,8}[-+]?\d")


def where_it_stands(text: str, wanted: Answer, cut: bool) -> Stated | None:
    """The statement of the answer: a box, then "Answer:", then a closing JSON object or fenced block, then all of it.

    What stands later takes the place of a box: "\\boxed{4} ... wait. Final answer: 5" says 5. And a JSON object that
    closes the response is read as such, whatever its strings hold. Of a response that was cut off only a box
    counts, since it
    is closed: "Answer: 71" may have been on its way to 711.
    """
    box, box_end = _last_box(text) if "\\boxed" in text else ("", 0)
    if cut:
        return Stated(box, marked=True) if box.strip() else None
    closing = last_fence(text) if "```" in text else ""
    record = _json_at_the_end(closing or text) if "}" in text else ""
    for statement in (record, _tail(text[box_end:], wanted), box, closing):
        if statement and not statement.isspace():
            return Stated(statement, marked=True)
    return Stated(text, marked=False) if text.strip() else None


def _last_box(text: str) -> tuple[str, int]:
    """What the last \\boxed{...} holds, braces inside it matched, and where it ends; empty where none is closed."""
    at = text.rfind("\\boxed")
    if at < 0:
        return "", 0
    opening = text.find("{", at)
    if opening < 0 or text[at + 6 : opening].strip():
        return "", 0
    depth = 0
    for brace in _BRACE.finditer(text, opening):
        depth += {"{": 1, "}": -1}.get(brace[0], 0)
        if depth == 0 and brace[0] == "}":
            return text[opening + 1 : brace.start()], brace.end()
    return "", 0


def _tail(text: str, wanted: Answer) -> str:
    """What follows the last marker; empty where there is none."""
    if "nswer" not in text and "NSWER" not in text and "答案" not in text:
        return ""
    small = text.lower()
    if len(small) != len(text):  # "İ" alone grows when it is made small
        small = text
    for spelling in map(str.lower, spellings_of(wanted)):
        # The title "In search of an answer: tides" marks nothing.
        if "answer" in spelling and _OWN_MARKER.search(spelling):
            for title in {spelling, unaccented(spelling)}:
                small = small.replace(title, "_" * len(title))
    content = len(text.rstrip(" \t\n*_`.$\\[]()"))  # a marker with nothing behind it marks nothing
    written = 0
    chinese = () if text.isascii() else _CHINESE_MARKER.finditer(small, 0, content)
    for match in chain(_MARKER.finditer(small, 0, content), chinese):
        if match.end() < content and (match.lastgroup is None or _is_heading(small, match.start())):
            written = max(written, match.end())
    spoken = max((match.end() for match in _SPOKEN_MARKER.finditer(small, written, content)), default=written)
    # After "Answer: 4" a sentence such as "The answer is the sum of both." explains. It takes the place of the marked
    # answer where it takes something back or names a value of its own.
    if spoken > written and (not written or HEDGE.search(text, written, spoken) or _VALUE_NEXT.match(text, spoken)):
        return text[spoken:]
    end = -len("</answer>") if small.endswith("</answer>") else None
    return text[written:end] if written else ""


def _is_heading(text: str, at: int) -> bool:
    """Whether nothing but dress and "final" stands before `at` on its line."""
    return bool(_BEFORE_HEADING.fullmatch(text, text.rfind("\n", 0, at) + 1, at))


def last_fence(text: str) -> str:
    """What the last fenced block holds, where it closes the response."""
    close = text.rfind("```")
    opening = text.rfind("```", 0, close) if close > 0 else -1
    if opening < 0 or text[close + 3 :].strip():
        return ""
    language, _, rest = text[opening + 3 : close].partition("\n")
    return rest if rest.strip() and (not language.strip() or language.strip().isalpha()) else f"{language}\n{rest}"


def _json_at_the_end(text: str) -> str:
    """The JSON object that closes the response, where it has an answer field."""
    end = len(text.rstrip()) - 1
    if end < 0 or text[end] != "}" or '"' not in text:
        return ""
    depth = 0
    for at in range(end, max(-1, end - LONGEST_STATEMENT), -1):
        depth += (text[at] == "}") - (text[at] == "{")
        if depth == 0:
            value = parsed(text[at : end + 1])
            return text[at : end + 1] if isinstance(value, dict) and answer_field(value) is not None else ""
    return ""
