"""Extraction of the part of a response that states the answer: a box, the text after "Answer:", or a final JSON object
or fenced block."""

from __future__ import annotations

import re
from itertools import chain
from typing import Final, NamedTuple

from fathom.scoring.parsing.json_values import answer_field, parsed
from fathom.scoring.parsing.key_hints import KeyHints
from fathom.scoring.parsing.non_answers import HEDGE
from fathom.scoring.parsing.normalization import unaccented

LONGEST_STATEMENT: Final = 200_000
"""The maximum length in characters; anything longer is a document, not an answer."""


class Statement(NamedTuple):
    """The part of a response that states its answer."""

    text: str
    marked: bool
    """Whether the response marked it, with a box or with "Answer:"."""


_BRACE = re.compile(r"\\[{}\\]|[{}]")
# Both start with a literal word, which is several times faster than an alternation or a lookbehind.
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


def find_statement(text: str, hints: KeyHints, truncated: bool) -> Statement | None:
    """The statement of the answer: a box, else the text after "Answer:", else a final JSON object or fenced block, else
    the whole response.

    A later marker replaces a box: "\\boxed{4} ... wait. Final answer: 5" states 5. A JSON object at the end is parsed
    as JSON, even if its strings contain markers. In a truncated response only a box counts, since it is closed:
    "Answer: 71" may have been the start of 711.
    """
    box, box_end = last_box(text) if "\\boxed" in text else ("", 0)
    if truncated:
        return Statement(box, marked=True) if box.strip() else None
    closing = last_fence(text) if "```" in text else ""
    record = _final_json(closing or text) if "}" in text else ""
    for statement in (record, _tail(text[box_end:], hints), box, closing):
        if statement and not statement.isspace():
            return Statement(statement, marked=True)
    return Statement(text, marked=False) if text.strip() else None


def last_box(text: str) -> tuple[str, int]:
    """The content of the last \\boxed{...}, with nested braces matched, and its end; ("", 0) if it is not closed."""
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


def _tail(text: str, hints: KeyHints) -> str:
    """The text after the last marker; empty if there is none."""
    if "nswer" not in text and "NSWER" not in text and "答案" not in text:
        return ""
    small = text.lower()
    if len(small) != len(text):  # "İ" becomes longer in lower case
        small = text
    for spelling in map(str.lower, hints.spellings):
        # The title "In search of an answer: tides" is not a marker.
        if "answer" in spelling and _OWN_MARKER.search(spelling):
            for title in {spelling, unaccented(spelling)}:
                small = small.replace(title, "_" * len(title))
    content = len(text.rstrip(" \t\n*_`.$\\[]()"))  # a marker with nothing after it does not count
    written = 0
    chinese = () if text.isascii() else _CHINESE_MARKER.finditer(small, 0, content)
    for match in chain(_MARKER.finditer(small, 0, content), chinese):
        if match.end() < content and (match.lastgroup is None or _is_heading(small, match.start())):
            written = max(written, match.end())
    spoken = max((match.end() for match in _SPOKEN_MARKER.finditer(small, written, content)), default=written)
    # After "Answer: 4" a sentence such as "The answer is the sum of both." is an explanation. It replaces the marked
    # answer only if it retracts it or states another value.
    if spoken > written and (not written or HEDGE.search(text, written, spoken) or _VALUE_NEXT.match(text, spoken)):
        return text[spoken:]
    end = -len("</answer>") if small.endswith("</answer>") else None
    return text[written:end] if written else ""


def _is_heading(text: str, at: int) -> bool:
    """Whether only markup and words such as "final" precede `at` on its line."""
    return bool(_BEFORE_HEADING.fullmatch(text, text.rfind("\n", 0, at) + 1, at))


def last_fence(text: str) -> str:
    """The content of the last fenced block, if it ends the response."""
    close = text.rfind("```")
    opening = text.rfind("```", 0, close) if close > 0 else -1
    if opening < 0 or text[close + 3 :].strip():
        return ""
    language, _, rest = text[opening + 3 : close].partition("\n")
    return rest if rest.strip() and (not language.strip() or language.strip().isalpha()) else f"{language}\n{rest}"


def _final_json(text: str) -> str:
    """The JSON object at the end of the response, if it has an answer field."""
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
